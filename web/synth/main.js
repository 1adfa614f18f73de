/* An instrument that one sees, touches and plays. With a server (heddle synth view), the file comes from it and is saved there; on a
 * site, files lie beside the page and "Save" downloads. */
import { compile, Synth } from './engine/synth.js';
import { Document } from './document.js';
import { call, token } from './server.js';
import { Scene } from './scene.js';
import { Sound } from './sound.js';
import { Plugin } from './plugin.js';
import { Keys } from './keys.js';
import { LISTS, MARKERS, Shape, withHand } from './instrument.js';
import { controlsOf, entitiesOf, filesOf, wholeOf } from './layers.js';
import { browse } from './browser.js';
import { placeLabels } from './labels.js';
import { midiEvents } from './midi.js';
import { show } from './panel.js';

const $ = (id) => document.getElementById(id), query = new URLSearchParams(location.search);
const GAIN = 8; /* number of the plugin's knob after the macros */
const PHRASE = [0, 4, 7, 12, 7, 4, 0, -5]; /* semitones from the middle of the range */

/* ---- the file's place: a server, or files beside the page ---- */

const site = {
    async call(name) {
        if (name.startsWith('phrase/')) {
            const answer = await fetch(new URL(`instruments/${name.slice(7)}.mid`, location.href));
            return { bytes: answer.ok ? [...new Uint8Array(await answer.arrayBuffer())] : [] };
        }
        const get = (file) => fetch(new URL(file, location.href)).then((answer) => {
            if (!answer.ok) throw new Error(`${file}: not found beside the page`);
            return answer.text();
        });
        const shipped = JSON.parse(await get('instruments/list.json')), file = name.startsWith('state') ? query.get('instrument') ?? shipped[0] : name.slice(11);
        const text = await get(`instruments/${file}.json`), files = {};
        for (const layer of filesOf(JSON.parse(text))) files[layer] = JSON.parse(await get(`instruments/${layer}`));
        return { name: file, text, files, shipped, schema: JSON.parse(await get('schema.json')) };
    },
};

const server = { call }, place = token ? server : site;
const state = { selected: [], tool: 'play', number: 0 };
const module = await compile(query.get('build') ?? undefined);
const isPlugin = !!token && query.has('plugin'); /* this page is a plugin's window */
const scene = new Scene($('canvas')), sound = isPlugin ? new Plugin(place, receive) : new Sound(module, receive), keys = new Keys($('keys'), play);

/* ---- messages ---- */

function say(text, isBad = false) {
    $('message').textContent = text;
    $('message').className = isBad ? 'bad' : '';
    clearTimeout(say.timer);
    if (text && !isBad) say.timer = setTimeout(() => say(''), 4000);
}

function receive(message) {
    if (message.kind === 'places') scene.move(message.places);
    else if (message.kind === 'meters') meters(message);
    else if (message.kind === 'refused') say(message.message, true);
    else if (message.kind === 'knob') showKnob(message);
    else if (message.kind === 'instrument') open('state').catch((error) => say(error.message, true));
    else if (message.kind === 'ended') say(isPlugin ? 'The plugin has ended.' : 'The audio thread ended: "Sound on" begins again.', true);
}

function meters({ load, peak, sounding, reduction, breaks }) {
    const level = 20 * Math.log10(Math.max(peak, 1e-6));
    $('load').value = load;
    $('load_text').textContent = `${Math.round(100 * load)} %, ${sounding} voice${sounding === 1 ? '' : 's'}`;
    $('level').value = level;
    $('level_text').textContent = level > -119 ? `${level.toFixed(1)} dB` : 'silent';
    $('limiter').value = reduction;
    $('limiter_text').textContent = reduction > 0.05 ? `−${reduction.toFixed(1)} dB` : '0 dB';
    if (breaks) say('A part of the instrument grew without bound and was brought to rest: lower its stiffness, or raise its damping.', true);
}

/* ---- the instrument ---- */

/** Opens the text as an engine, and draws it. Throws with the engine's words. */
function look(keep) {
    const { value, text } = state.document, whole = wholeOf(value, state.files), synth = new Synth(module, value.layers ? whole : text, {});
    state.synth?.close();
    state.synth = synth;
    state.whole = whole;
    state.shape = new Shape(whole, synth);
    scene.shape(state.shape, keep);
    drawMarkers();
    select(state.selected.filter((path) => state.document.node(path)), true);
}

/* Body that the document's text would make unstable, and what to do; undefined: no such body. */
function unstable() {
    try {
        const { worst, body, unsafe, dilation } = state.synth.stability(JSON.stringify(wholeOf(state.document.value, state.files))), factor = (worst / 2).toPrecision(3);
        if (!(worst > 2)) return undefined;
        const octaves = dilation > 1 ? `, or lower "high" by ${Math.ceil(6 * Math.log2(worst / 2))} semitones` : '';
        return { body, factor, advice: `${state.shape.bodyNames[body] || 'A body'} would be unstable, ${factor} times above the bound (${unsafe} in all).\n`
            + `Make it ${factor} times heavier, or the springs at it ${factor} times softer${octaves}.` };
    } catch {
        return undefined;
    }
}

/** Takes the document's new text everywhere; if the engine refuses it, the text is taken back. */
async function apply(isFinal = true) {
    const number = ++state.number;
    try {
        const before = state.shape.masses.length + state.shape.ends.length;
        look(true);
        /* with other bodies or springs, the engine's numbers are others: the sound begins again at rest */
        if (state.shape.masses.length + state.shape.ends.length === before) await sound.change(sounding());
        else await sound.load(sounding());
        if (isFinal && number === state.number && $('message').className === 'bad') say(''); /* what was told meanwhile, such as "Saved", stays */
        state.unstable = undefined;
    } catch (error) {
        state.unstable = unstable();
        say(`${state.unstable?.advice ?? error.message}\nThe change was taken back.`, true);
        state.sliding = false;
        state.document.undo();
        look(true);
        await sound.load(sounding());
    }
    buttons();
}

function edit(change) {
    state.document.together(change);
    return apply();
}

function buttons() {
    if (isPlugin) state.document.saved = state.document.text; /* the host's session has it */
    $('save').textContent = state.document.isChanged ? 'Save •' : 'Save';
    $('undo').disabled = !state.document.canUndo;
    $('redo').disabled = !state.document.canRedo;
    for (const id of ['delete', 'copy', 'mirror', 'vary']) $(id).disabled = !state.selected.length;
    $('text').value = state.document.text;
}

async function open(what) {
    const got = await place.call(what);
    const before = { document: state.document, selected: state.selected, files: state.files };
    try {
        state.files = got.files ?? {};
        state.document = new Document(got.text);
        state.selected = [];
        look(false);
    } catch (error) {
        Object.assign(state, before);
        say(`${got.name}: ${error.message}`, true);
        if (!before.document) throw error;
        return;
    }
    if (phrase.timer) stopPhrase();
    state.name = got.name;
    state.unstable = undefined;
    say('');
    if (got.schema) state.schema = got.schema;
    $('name').textContent = got.name;
    document.title = `${got.name}: Heddle synth`;
    if (got.shipped) $('shipped').replaceChildren(...['', ...got.shipped].map((name) => new Option(name || 'this file', name, false, name === got.name)));
    if (!$('what').options.length) $('what').replaceChildren(...['string', 'plate', 'lattice', 'tube', ...Object.keys(LISTS).filter((t) => t !== 'grid')].map((t) => new Option(t.replaceAll('_', ' '), t)));
    const { lowest, highest } = state.synth.info;
    keys.show(Math.max(lowest, 21), Math.min(highest, 108));
    state.range = [lowest, highest];
    const macros = state.synth.macros.map((name, i) => [name, i]).filter(([name]) => name);
    const controls = controlsOf(state.whole);
    if (isPlugin) macros.push(['Gain', GAIN]);
    $('macros').replaceChildren(...macros.map(([name, i]) => {
        const initial = controls[i] ?? 0, label = document.createElement('label'), [min, max] = i === GAIN ? [-60, 12] : [0, 1];
        const input = Object.assign(document.createElement('input'), { type: 'range', min, max, step: 'any', value: isPlugin ? sound.knobs[i] ?? initial : initial });
        input.dataset.knob = i;
        input.oninput = () => sound.send('host', i, Number(input.value));
        if (isPlugin) {
            input.onpointerdown = () => sound.touch(i, true);
            input.onchange = () => sound.touch(i, false);
        }
        label.append(name, input);
        return label;
    }));
    $('tempo').value = state.document.value.instrument?.tempo ?? 120;
    if (!isPlugin) {
        sound.setTempo();
        await sound.load(sounding());
    } else if (what !== 'state') await sound.load(got.text, got.name);
    select([]);
}

/* Shows a knob that the host or a controller has turned. */
function showKnob({ knob, value }) {
    const input = document.querySelector(`[data-knob="${knob}"]`);
    if (input) input.value = value;
}

/* ---- markers of exciters, microphones and modulators ---- */

function drawMarkers() {
    state.markers = state.shape.markers();
    const lines = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    $('markers').replaceChildren(lines, ...state.markers.map((marker) => {
        const button = document.createElement('button');
        button.textContent = marker.name;
        button.className = `${MARKERS[marker.type]}${state.markers.filter((m) => m.type === marker.type).length > 12 ? ' dot' : ''}`;
        button.title = `${marker.type.replaceAll('_', ' ')} ${marker.name}`;
        button.onclick = () => select([marker.path]);
        marker.button = button;
        const count = marker.bodies.slice(0, 40).length + marker.targets.slice(0, 8).length;
        marker.lines = Array.from({ length: count }, () => document.createElementNS('http://www.w3.org/2000/svg', 'line'));
        marker.lines.forEach((line) => line.setAttribute('class', MARKERS[marker.type]));
        lines.append(...marker.lines);
        return button;
    }));
}

/* Puts the ring around the body that the last change would have made unstable. */
function markUnstable() {
    const mark = $('unstable'), { body, factor, advice } = state.unstable ?? {};
    mark.hidden = body === undefined || body >= state.shape.masses.length;
    if (mark.hidden) return;
    const [x, y] = scene.project(scene.restOf(body));
    Object.assign(mark.style, { left: `${Math.round(x)}px`, top: `${Math.round(y)}px` });
    mark.textContent = `×${factor}`;
    mark.title = advice;
    mark.onclick = () => select([state.shape.bodyPaths[body]]);
}

/* Height of the row of modulators at the lower edge, px. */
const modulatorRow = () => (state.markers.some((marker) => !marker.place) ? 74 : 0);

/* Moves the markers to the places that the camera gives them, beside the bodies, so that each body can be pulled; modulators are in a
 * row at the lower edge. */
function moveMarkers() {
    if (!scene.matrix) return;
    const { clientWidth: width, clientHeight: height } = $('canvas'), at = new Map();
    const placed = state.markers.filter((m) => m.place), modulators = state.markers.filter((m) => !m.place);
    const bodies = Array.from({ length: scene.count }, (_, i) => scene.project(scene.restOf(i)));
    const labels = placed.map((marker) => {
        const [x, y] = scene.project(marker.place), { offsetWidth, offsetHeight } = marker.button;
        return { x, y: MARKERS[marker.type] === 'exciter' ? y - 26 : y, width: offsetWidth, height: offsetHeight };
    });
    const frame = { left: 2, top: scene.inset[0], right: width - 2, bottom: height - scene.inset[1] };
    placeLabels(labels, bodies, frame).forEach((place, i) => at.set(placed[i], place));
    modulators.forEach((marker, k) => at.set(marker, [(k + 0.5) * width / modulators.length, height - 44 - 18 * (k % 3)]));
    for (const [marker, [x, y]] of at) Object.assign(marker.button.style, { left: `${Math.round(x)}px`, top: `${Math.round(y)}px` });
    const named = new Map(state.markers.map((marker) => [marker.name, at.get(marker)]));
    for (const marker of state.markers) {
        const from = at.get(marker), ends = marker.bodies.slice(0, 40).map((i) => scene.project(scene.restOf(i)));
        for (const target of marker.targets.slice(0, 8)) {
            const pulled = named.has(target) ? [] : state.shape.resolve(String(target).replace(/\.springs.*/, ''));
            ends.push(named.get(target) ?? (pulled.length ? scene.project(state.shape.middle(pulled)) : from));
        }
        marker.lines.forEach((line, i) => {
            const [x, y] = ends[i] ?? from;
            for (const [name, value] of [['x1', from[0]], ['y1', from[1]], ['x2', x], ['y2', y]]) line.setAttribute(name, value.toFixed(1));
        });
    }
}

/* ---- the selection ---- */

const samePath = (a, b) => a.length === b.length && a.every((step, k) => step === b[k]);

function select(paths, isQuiet = false) {
    state.selected = paths;
    const has = (path) => paths.some((p) => samePath(p, path)), of = (all) => all.flatMap((path, i) => (has(path) ? [i] : []));
    scene.mark(of(state.shape.bodyPaths), of(state.shape.springPaths));
    for (const marker of state.markers) marker.button.setAttribute('aria-pressed', has(marker.path));
    if (!isQuiet || !$('fields').contains(document.activeElement)) showFields();
    buttons();
}

function showFields() {
    const path = state.selected[0] ?? ['instrument'], list = path[0];
    if (!state.schema) return;
    const entity = path.reduce((value, step) => value?.[step], state.document.value) ?? {};
    show($('fields'), state.schema, list, entity, `${list.replaceAll('_', ' ')}${entity.name ? `: ${entity.name}` : ''}`, Math.max(state.selected.length, 1), setField);
}

/* A slider that moves is one step of undo: its values replace each other until it is let go. */
async function setField(field, value, isFinal) {
    const paths = state.selected.length ? state.selected.filter((p) => p[0] === state.selected[0][0]) : [['instrument']];
    if (state.sliding) state.document.undo();
    state.sliding = !isFinal;
    state.document.together(() => {
        for (const path of paths) {
            for (let k = 1; k < field.length; k++)
                if (!state.document.node([...path, ...field.slice(0, k)])) state.document.set([...path, ...field.slice(0, k)], {});
            if (!state.document.node(path)) state.document.set(path, {});
            state.document.set([...path, ...field], value);
        }
    });
    await apply(isFinal);
    if (isFinal) showFields();
}

/* ---- edits ---- */

function freeName(base) {
    const names = new Set(Object.values(state.document.value).flatMap((list) => (Array.isArray(list) ? list.map((e) => e?.name) : [])));
    let n = 1;
    while (names.has(`${base}${n}`)) n++;
    return `${base}${n}`;
}

/* Name of a body of the engine as a reference; a body without a name gets one. */
function referenceTo(body) {
    if (state.shape.bodyNames[body]) return state.shape.bodyNames[body];
    const path = state.shape.bodyPaths[body], name = freeName('b');
    state.document.set([...path, 'name'], name);
    return name;
}

function newEntity(type) {
    const { centre, size } = scene, step = Number((size / 12).toPrecision(2)), round = (v) => v.map((x) => Number(x.toPrecision(4)));
    const origin = round([centre[0] - size / 3, centre[1] + size / 3, centre[2]]), grid = { size: 8, step: [step, 0, 0], anchor: 'ends', body: { mass: 0.001 }, spring: { stiffness: 1000 } };
    const bodies = state.selected.filter((p) => p[0] === 'bodies');
    switch (type) {
    case 'string': return ['grids', { kind: 'string', name: freeName('string'), origin, ...grid }];
    case 'plate': return ['grids', { kind: 'plate', name: freeName('plate'), origin, ...grid, size: [6, 6], step: [[step, 0, 0], [0, 0, step]], bend: 10 }];
    case 'lattice': return ['grids', { kind: 'lattice', name: freeName('lattice'), origin, ...grid, size: [3, 3, 3], step }];
    case 'body': return ['bodies', { name: freeName('b'), position: origin }];
    case 'spring': return ['springs', { from: state.shape.bodyNames[0] || 'b1', to: state.shape.bodyNames[1] || 'b2', stiffness: 1000 }];
    case 'microphone': return ['microphones', { name: freeName('ear'), position: round([centre[0], centre[1] + size / 2, centre[2] + size / 4]) }];
    case 'link': return ['links', { from: state.markers[0]?.name ?? '', to: bodies.length ? state.document.value.bodies[bodies[0][1]].name : state.shape.bodyNames[0] }];
    case 'modulation': return ['modulations', { source: state.markers.find((m) => !m.place)?.name ?? '', parameter: 'gain', target: state.markers.find((m) => m.type === 'microphone')?.name ?? '' }];
    case 'change': return ['changes', { entity: state.shape.bodyNames[0] }];
    default: return [LISTS[type], { name: freeName(type) }];
    }
}

/* A tube: rings of bodies, each joined with its neighbours on the ring and along the axis. */
function addTube() {
    const { centre, size } = scene, around = 8, along = 6, radius = size / 8, name = freeName('tube');
    const at = (i, j) => `${name}_${i}_${(j + around) % around}`, round = (x) => Number(x.toPrecision(4));
    for (let i = 0; i < along; i++)
        for (let j = 0; j < around; j++) {
            const angle = 2 * Math.PI * j / around;
            state.document.add('bodies', { name: at(i, j), anchored: i === 0 || undefined,
                position: [round(centre[0] + (i - along / 2) * radius / 2), round(centre[1] + size / 2 + radius * Math.cos(angle)), round(centre[2] + radius * Math.sin(angle))] });
            state.document.add('springs', { from: at(i, j), to: at(i, j + 1), stiffness: 1000 });
            if (i) for (const k of [0, 1]) state.document.add('springs', { from: at(i - 1, j), to: at(i, j + k), stiffness: 1000 });
        }
    return ['bodies', state.document.value.bodies.length - 1];
}

function add(type) {
    edit(() => {
        let path;
        if (type === 'tube') path = addTube();
        else {
            const [list, entity] = newEntity(type);
            path = [list, state.document.add(list, entity)];
        }
        state.selected = [path];
    }).then(showFields);
}

function removeSelected() {
    const paths = state.selected.toSorted((a, b) => b[1] - a[1]);
    state.selected = [];
    edit(() => {
        const names = paths.map((path) => path.reduce((v, step) => v?.[step], state.document.value)?.name).filter(Boolean);
        for (const path of paths) state.document.remove(path);
        const refers = (text) => names.some((name) => text === name || String(text).startsWith(`${name}[`) || String(text).startsWith(`${name}.springs`));
        for (const [list, keys_] of [['springs', ['from', 'to']], ['links', ['from', 'to']], ['modulations', ['source', 'target']], ['changes', ['entity']]])
            for (let i = (state.document.value[list]?.length ?? 0) - 1; i >= 0; i--)
                if (keys_.some((key) => [state.document.value[list][i][key]].flat().some(refers))) state.document.remove([list, i]);
    });
}

/* Copies the selection, with the springs among its bodies; `mirror`: on the other side of the middle. */
function copySelected(mirror) {
    edit(() => {
        const names = new Map(), { centre, size } = scene, moved = ([x, y, z]) => (mirror ? [Number((2 * centre[0] - x).toPrecision(6)), y, z] : [Number((x + size / 10).toPrecision(6)), y, z]);
        const chosen = [];
        for (const [list, i] of state.selected) {
            const entity = structuredClone(state.document.value[list][i]);
            if (entity.name) {
                const name = freeName(entity.name.replace(/[0-9]+$/, ''));
                names.set(entity.name, name);
                entity.name = name;
            }
            if (entity.position) entity.position = moved(entity.position);
            if (entity.origin) entity.origin = moved(entity.origin);
            if (mirror && Array.isArray(entity.step)) entity.step = typeof entity.step[0] === 'number' ? [-entity.step[0], ...entity.step.slice(1)] : entity.step.map(([x, ...rest]) => [-x, ...rest]);
            chosen.push([list, state.document.add(list, entity)]);
        }
        for (const spring of state.document.value.springs ?? [])
            if (names.has(spring.from) && names.has(spring.to))
                state.document.add('springs', { ...spring, name: undefined, from: names.get(spring.from), to: names.get(spring.to) });
        state.selected = chosen;
    });
}

/* Varies the numbers of the selection by up to a tenth. */
function varySelected() {
    edit(() => {
        for (const path of state.selected) {
            const entity = path.reduce((v, step) => v?.[step], state.document.value);
            for (const [key, value] of Object.entries(entity))
                if (typeof value === 'number' && value && !Number.isInteger(value)) state.document.set([...path, key], value * (0.9 + 0.2 * Math.random()));
        }
    }).then(showFields);
}

/* ---- playing ---- */

async function sounds() {
    if (sound.isOn) return;
    $('sound').textContent = 'Starting';
    try {
        await sound.start(sounding());
    } catch (error) {
        $('sound').textContent = 'Sound on';
        say(error.message, true);
        return;
    }
    $('sound').textContent = 'Silence';
    $('record').disabled = false;
    keys.listen().then((count) => count && say(`${count} MIDI input${count === 1 ? '' : 's'}`));
}

async function play(status, first, second) {
    await sounds();
    sound.send('midi', status, first, second);
}

/* Events of the instrument's own phrase, as of midiEvents(); of notes around the middle of its range if it has none. */
async function eventsOfPhrase() {
    const { bytes } = await place.call(`phrase/${state.name.replace(/\.json$/, '')}`);
    if (bytes.length) return midiEvents(bytes);
    const [low, high] = state.range, middle = Math.max(low, Math.min(high, Math.round((low + high) / 2)));
    return PHRASE.flatMap((step, i) => {
        const note = Math.max(low, Math.min(high, middle + step));
        return [[0.32 * i, 0x90, note, 80 + 5 * (i % 3)], [0.32 * i + 0.28, 0x80, note, 0]];
    });
}

function stopPhrase() {
    clearInterval(phrase.timer);
    phrase.timer = undefined;
    $('song').textContent = 'Play a phrase';
    sound.send('midi', 0xb0, 123, 0); /* all notes off */
}

function turnTempo(value) {
    if (!(value >= 1 && value <= 10000)) return;
    $('tempo').value = Math.round(100 * value) / 100;
    sound.setTempo(value);
}

/* Sends an event of eventsOfPhrase(); a plugin has its host's tempo. */
function playEvent([, status, ...values]) {
    if (status !== 'tempo') sound.send('midi', status, ...values);
    else if (!isPlugin) turnTempo(...values);
}

/* Plays the phrase, or ends it. */
async function phrase() {
    if (phrase.timer) {
        stopPhrase();
        return;
    }
    await sounds();
    if (!sound.isOn) return;
    const events = await eventsOfPhrase(), begin = performance.now();
    clearInterval(phrase.timer); /* of a second click meanwhile */
    $('song').textContent = 'Stop the phrase';
    phrase.timer = setInterval(() => {
        const now = (performance.now() - begin) / 1000;
        while (events.length && events[0][0] <= now) playEvent(events.shift());
        if (!events.length) stopPhrase();
    }, 8);
}

/* Text that sounds: the file's, and the pointer's hand on the first body that has a name, or on the one that it holds. */
const sounding = (name = undefined, direction = undefined) => (isPlugin ? state.document.text : withHand(state.whole, state.shape, name, direction));

const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);

/* Direction that looks like `seen`, a unit vector in the plane of the screen, and is as much along the axis of the microphones as a free
 * choice of depth allows: a pull across their axis is not heard. */
function audible(seen) {
    const axis = entitiesOf(state.whole, 'microphones').find((m) => m.heard ?? true)?.direction ?? [0, 0, 1];
    const towards = scene.towards, inPlane = dot(seen, axis), inDepth = dot(towards, axis);
    const depth = Math.max(-3, Math.min(3, inDepth / (Math.abs(inPlane) > 1e-6 ? inPlane : 1e-6)));
    const vector = seen.map((s, k) => s + depth * towards[k]), length = Math.hypot(...vector);
    return vector.map((v) => v / length);
}

/* The pointer's hand: an input of the engine, along the direction in which the body was pulled first. */
async function grab(body, direction, target) {
    const name = state.shape.bodyNames[body], mass = state.shape.masses[body];
    if (!name || !mass) {
        say(mass ? 'A body without a name cannot be pulled: give it one.' : 'This body is anchored: it does not move.');
        return;
    }
    await sound.change(sounding(name, direction)).catch((error) => say(error.message, true));
    clearTimeout(letGo.timer); /* the note of the pull before sounds on */
    const { mode, lowest, highest, rootNote } = state.synth.info, pitch = 2 * Math.PI * 440 * 2 ** (((mode === 'singleton' ? 57 : rootNote) - 69) / 12);
    sound.send('hold', { body, direction, mass, pitch, target: target() });
    if (mode !== 'singleton') sound.send('midi', 0x90, Math.round(Math.max(lowest, Math.min(highest, rootNote))), 1);
}

/* Lets a pulled body go. Its note rings on: its end would lower the dampers on the body. A bow or an oscillator ends with the pull. */
function letGo() {
    sound.send('release');
    clearTimeout(letGo.timer);
    if (entitiesOf(state.whole, 'bows').length || entitiesOf(state.whole, 'oscillators').length) endPull();
    else letGo.timer = setTimeout(endPull, 6000);
}

function endPull() {
    const { mode, lowest, highest, rootNote } = state.synth.info;
    if (mode !== 'singleton') sound.send('midi', 0x80, Math.round(Math.max(lowest, Math.min(highest, rootNote))), 0);
}

/* ---- the pointer ---- */

function pointer() {
    const canvas = $('canvas'), fingers = new Map();
    let held;
    const box = (x, y) => {
        const { x0, y0 } = held;
        Object.assign($('box').style, { left: `${Math.min(x0, x)}px`, top: `${Math.min(y0, y)}px`, width: `${Math.abs(x - x0)}px`, height: `${Math.abs(y - y0)}px` });
    };
    canvas.onpointerdown = (event) => {
        const { offsetX: x, offsetY: y } = event;
        canvas.setPointerCapture(event.pointerId);
        canvas.focus();
        fingers.set(event.pointerId, [x, y]);
        if (fingers.size > 1) {
            held = { kind: 'pinch' };
            return;
        }
        const body = scene.bodyAt(x, y);
        held = { kind: 'turn', x0: x, y0: y, body, pan: event.shiftKey || event.button === 1 };
        if (state.tool === 'box' && body < 0) {
            held.kind = 'box';
            $('box').hidden = false;
            box(x, y);
        } else if (body >= 0 && !held.pan) held.kind = state.tool === 'box' ? 'pick' : state.tool;
        if (held.kind === 'play' && isPlugin) held.kind = 'turn'; /* a plugin has no pointer's hand */
        if (held.kind === 'play') sounds();
        if (held.kind === 'move') held.rest = scene.restOf(body);
    };
    canvas.onpointermove = (event) => {
        const { offsetX: x, offsetY: y } = event;
        if (!held) {
            state.pointed = scene.bodyAt(x, y);
            canvas.style.cursor = state.pointed >= 0 ? 'pointer' : 'grab';
            return;
        }
        const before = fingers.get(event.pointerId) ?? [x, y], dx = x - before[0], dy = y - before[1];
        if (held.kind === 'pinch') {
            const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
            if (other) scene.zoom *= Math.hypot(x - other[0], y - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
        } else if (held.kind === 'turn' && held.pan) scene.pan(dx, dy);
        else if (held.kind === 'turn') scene.turn = [scene.turn[0] - dx / 150, Math.max(-1.55, Math.min(1.55, scene.turn[1] + dy / 150))];
        else if (held.kind === 'box') box(x, y);
        else if (held.kind === 'play' && sound.isOn) {
            if (!held.direction && Math.hypot(x - held.x0, y - held.y0) > 3) {
                const far = scene.along(x - held.x0, y - held.y0, 1), length = Math.hypot(...far);
                held.seen = far.map((d) => d / length);
                held.direction = audible(held.seen);
                const mine = held;
                grab(held.body, held.direction, () => mine.target ?? 0);
            }
            if (held.direction) {
                const depth = scene.project(scene.restOf(held.body))[2], pulled = scene.along(x - held.x0, y - held.y0, depth);
                held.target = dot(held.seen, pulled) / dot(held.seen, held.direction) / scene.gain;
                sound.send('hand', held.target);
            }
        } else if (held.kind === 'move') {
            const depth = scene.project(held.rest)[2], step = scene.along(x - held.x0, y - held.y0, depth);
            held.to = held.rest.map((r, k) => Number((r + step[k]).toPrecision(4)));
            scene.place(held.body, held.to);
        }
        fingers.set(event.pointerId, [x, y]);
    };
    const end = (event) => {
        const done = held;
        fingers.delete(event.pointerId);
        if (!fingers.size) held = undefined;
        $('box').hidden = true;
        if (!done || event.type === 'pointercancel') return;
        const { offsetX: x, offsetY: y } = event, isClick = Math.hypot(x - done.x0, y - done.y0) < 4;
        if (done.kind === 'box' && !isClick) select(unique(scene.bodiesIn(done.x0, done.y0, x, y).map((i) => state.shape.bodyPaths[i])));
        else if (done.kind === 'move' && done.to) moveBody(done.body, done.to);
        else if (done.kind === 'spring') {
            const other = scene.bodyAt(x, y);
            if (other >= 0 && other !== done.body) edit(() => {
                state.selected = [['springs', state.document.add('springs', { from: referenceTo(done.body), to: referenceTo(other), stiffness: 1000 })]];
            });
        } else if (done.kind === 'play' && done.direction) letGo();
        else if (isClick) pick(x, y, event.shiftKey || event.ctrlKey);
    };
    canvas.onpointerup = end;
    canvas.onpointercancel = end;
    canvas.onwheel = (event) => {
        scene.zoom = Math.max(0.2, Math.min(50, scene.zoom * Math.exp(-event.deltaY / 500)));
        event.preventDefault();
    };
}

const unique = (paths) => paths.filter((path, i) => paths.findIndex((p) => samePath(p, path)) === i);

/* A click selects, and strikes the body: a pull of a moment. */
async function pick(x, y, isMore) {
    const body = scene.bodyAt(x, y), spring = body < 0 ? scene.springAt(x, y) : -1;
    const path = body >= 0 ? state.shape.bodyPaths[body] : spring >= 0 ? state.shape.springPaths[spring] : undefined;
    if (!path) select([]);
    else if (isMore) select(state.selected.some((p) => samePath(p, path)) ? state.selected.filter((p) => !samePath(p, path)) : [...state.selected, path]);
    else select([path]);
    if (body < 0 || state.tool !== 'play' || isPlugin || !sound.isOn) return;
    await grab(body, audible(scene.up), () => scene.size / 10 / scene.gain);
    setTimeout(letGo, 60);
}

function moveBody(body, to) {
    const path = state.shape.bodyPaths[body];
    edit(() => {
        if (path[0] === 'bodies') state.document.set([...path, 'position'], to);
        else {
            const name = state.shape.bodyNames[body], changes = state.document.value.changes ?? [], at = changes.findIndex((c) => c.entity === name);
            if (at >= 0) state.document.set(['changes', at, 'position'], to);
            else state.document.add('changes', { entity: name, position: to });
        }
    });
}

/* ---- saving ---- */

async function save() {
    try {
        if (place === server) {
            const { path } = await place.call('save', JSON.stringify({ name: state.name, text: state.document.text }));
            say(`Saved: ${path}`);
        } else {
            const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob([state.document.text])), download: `${state.name}.json` });
            link.click();
            say(`Downloaded: ${state.name}.json`);
        }
        state.document.saved = state.document.text;
    } catch (error) {
        say(error.message, true);
    }
    buttons();
}

function download(blob, name) {
    Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name }).click();
}

/* The file was changed by another program: read again, unless there are changes of our own. */
async function follow() {
    const answer = await place.call('state').catch(() => undefined);
    if (!answer) say('heddle synth view has ended: start it again, and reload this page.', true);
    else if (answer.text !== state.document.saved && !state.document.isChanged && answer.name === state.name) {
        state.files = answer.files ?? {};
        state.document.replace(answer.text);
        state.document.saved = answer.text;
        await apply();
        say(`${answer.name} was changed by another program, and read again.`);
    }
    setTimeout(follow, 2000);
}

/* ---- the page ---- */

function wire() {
    $('sound').onclick = () => (sound.isOn ? sound.send('reset') : sounds());
    $('song').onclick = phrase;
    $('tempo').onchange = () => turnTempo(Number($('tempo').value));
    $('record').onclick = () => {
        const blob = sound.record();
        $('record').setAttribute('aria-pressed', !blob);
        $('record').textContent = blob ? 'Record' : 'Stop';
        if (blob) download(blob, `${state.name}.wav`);
    };
    $('undo').onclick = () => state.document.undo() && apply().then(showFields);
    $('redo').onclick = () => state.document.redo() && apply().then(showFields);
    $('save').onclick = save;
    $('make').onclick = () => add($('what').value);
    $('delete').onclick = removeSelected;
    $('copy').onclick = () => copySelected(false);
    $('mirror').onclick = () => copySelected(true);
    $('vary').onclick = varySelected;
    $('apply').onclick = () => edit(() => state.document.replace($('text').value)).catch((error) => say(error.message, true));
    $('shipped').onchange = () => {
        if (!state.document.isChanged || confirm(`${state.name} has changes that are not saved. Open another instrument without them?`))
            open($('shipped').value ? `instrument/${$('shipped').value}` : 'state');
    };
    $('browse').onclick = () => {
        $('browser').showModal();
        browse($('browser'), [...$('shipped').options].map((o) => o.value), async (name) => {
            const { text, files = {} } = await place.call(`instrument/${name}`), value = JSON.parse(text);
            return value.layers ? JSON.stringify(wholeOf(value, files)) : text;
        }, (name) => {
            $('shipped').value = name;
            $('shipped').onchange();
        }).catch((error) => say(error.message, true));
    };
    $('gain').oninput = () => {
        scene.gain = 10 ** Number($('gain').value);
        scene.isMoved = true;
        $('times').textContent = `${Math.round(scene.gain)}×`;
    };
    $('gain').oninput();
    document.querySelectorAll('[name=tool]').forEach((input) => { input.onchange = () => { state.tool = input.value; }; });
    addEventListener('keydown', (event) => {
        const isText = event.target.matches?.('input[type=text], input[type=number], textarea');
        if (event.key === 'Delete' && !isText && state.selected.length) removeSelected();
        if (event.target === $('canvas') && event.key.startsWith('Arrow')) {
            const [a, b] = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
            scene.turn = [scene.turn[0] + a, Math.max(-1.55, Math.min(1.55, scene.turn[1] + b))];
            event.preventDefault();
        }
        if (event.target === $('canvas') && '+-'.includes(event.key)) scene.zoom *= event.key === '+' ? 1.15 : 1 / 1.15;
        if (!(event.ctrlKey || event.metaKey) || (isText && event.key !== 's')) return;
        const action = { z: 'undo', y: 'redo', s: 'save' }[event.key];
        if (!action) return;
        event.preventDefault();
        $(action).click();
    });
    addEventListener('beforeunload', (event) => state.document?.isChanged && event.preventDefault());
    pointer();
}

/* Draws when something has moved; markers follow the camera alone, since they are at rest places. */
function frame() {
    const { clientWidth, clientHeight } = $('canvas'), camera = [scene.turn, scene.zoom, scene.shift, clientWidth, clientHeight].join();
    const isOther = camera !== frame.camera || state.markers !== frame.markers;
    if (isOther) scene.inset = [$('tools').offsetTop + $('tools').offsetHeight + 8, modulatorRow()];
    if (isOther || scene.isMoved) scene.draw();
    if (isOther) moveMarkers();
    if (isOther || state.unstable !== frame.unstable) markUnstable();
    Object.assign(frame, { camera, markers: state.markers, unstable: state.unstable });
    requestAnimationFrame(frame);
}

try {
    document.body.classList.toggle('plugin', isPlugin);
    wire();
    await open('state');
    frame();
    if (isPlugin) sound.follow();
    else if (place === server) setTimeout(follow, 2000);
    /* for tests: the state, and three seconds of sound as the worklet makes them */
    window.heddle = { state, scene, sound, open, select, sounding, phrase: eventsOfPhrase };
    document.title += ' (ready)';
} catch (error) {
    say(error.message, true);
}
