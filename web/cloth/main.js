/* The page of `heddle cloth view --page`: a scene that the command simulates, which one grabs, changes and records. */
import { bytes, call } from './server.js';
import { Hand, firstHit, vertexOf } from './hand.js';
import { Picture, shaders } from './picture.js';
import { View } from './view.js';
import { add, dot } from './vectors.js';

const $ = (id) => document.getElementById(id);
const MOST_LATE = 3; /* frames that are simulated at once at most: a slower computer shows slower motion */
const QUIET = 1000;  /* ms between two requests of a page at rest, which notice that the command has ended */
const SUBSTEPS = [5, 10, 15, 20, 30, 40, 60, 80, 120];
const state = { playing: true, steps: 0, restart: false, records: false, changed: true, drawn: false, figures: {}, settings: {} };
const hand = new Hand();

function say(text, isBad = false) {
    $('message').textContent = text;
    $('message').className = isBad ? 'bad' : '';
}

/* ---- settings ---- */

const { sin, cos, round } = Math, degrees = 180 / Math.PI;

/* Two directions across the vertical axis. */
const across = () => [(state.scene.up + 1) % 3, (state.scene.up + 2) % 3];

function windOf(speed, angle) {
    const wind = [0, 0, 0], [a, b] = across();
    wind[a] = speed * sin(angle / degrees);
    wind[b] = speed * cos(angle / degrees);
    return wind;
}

/* Shows the settings, or the scene's where there are none. */
function show() {
    const { settings, scene: { surroundings } } = state, [a, b] = across(), wind = settings.wind ?? surroundings.wind;
    $('fabric').value = settings.fabric;
    $('source').textContent = state.scene.fabrics.find(({ name }) => name === settings.fabric)?.source ?? '';
    $('wind').value = Math.hypot(wind[a], wind[b]);
    if (Number($('wind').value)) $('direction').value = (round(Math.atan2(wind[a], wind[b]) * degrees / 5) * 5 + 360) % 360;
    $('gravity').value = settings.gravity < 0 ? surroundings.gravity : settings.gravity;
    $('thickness').value = 1000 * (settings.thickness < 0 ? surroundings.thickness : settings.thickness);
    $('substeps').value = settings.substeps;
    label();
    $('scene').disabled = !settings.fabric && !settings.wind && settings.gravity < 0 && settings.thickness < 0 && !settings.substeps;
}

function label() {
    $('wind_text').textContent = `${Number($('wind').value).toFixed(1)} m/s`;
    $('direction_text').textContent = `${$('direction').value}°`;
    $('gravity_text').textContent = `${Number($('gravity').value).toFixed(1)} m/s²`;
    $('thickness_text').textContent = `${Number($('thickness').value).toFixed(1)} mm`;
}

function set(settings) {
    state.settings = { ...state.settings, ...settings };
    state.changed = true;
    show();
}

const sceneSettings = { fabric: '', wind: null, gravity: -1, thickness: -1, substeps: 0 };

function wireSettings() {
    const { fabrics } = state.scene;
    $('fabric').replaceChildren(new Option('as in the scene', ''), ...fabrics.map(({ name }) => new Option(name)));
    $('substeps').replaceChildren(new Option('as in the scene', 0), ...SUBSTEPS.map((count) => new Option(count)));
    $('fabric').onchange = () => set({ fabric: $('fabric').value });
    $('substeps').onchange = () => set({ substeps: Number($('substeps').value) });
    for (const id of ['wind', 'direction']) $(id).oninput = () => set({ wind: windOf(Number($('wind').value), Number($('direction').value)) });
    $('gravity').oninput = () => set({ gravity: Number($('gravity').value) });
    $('thickness').oninput = label; /* another thickness is another cloth: only when the slider rests */
    $('thickness').onchange = () => set({ thickness: Number($('thickness').value) / 1000 });
    $('scene').onclick = () => set(sceneSettings);
}

/* ---- buttons ---- */

const actions = {
    play() {
        state.playing = !state.playing;
        state.changed = true;
        $('play').textContent = state.playing ? 'Pause' : 'Play';
    },
    step() {
        if (state.playing) actions.play();
        state.steps++;
    },
    restart() {
        letGo();
        Object.assign(state, { restart: true, records: false });
    },
    record() {
        state.records = !state.records;
        state.changed = true;
    },
    home() {
        state.view.home();
        state.drawn = false;
    },
};

/* ---- the hand and the view ---- */

function letGo() {
    hand.release();
    state.reach = undefined;
    state.changed = true;
}

/* Takes the cloth at a point of the picture; false: there is none, or something is in front of it. */
function take(x, y) {
    const { clientWidth: width, clientHeight: height } = $('canvas'), { eye, axes: [, , back] } = state.view, ray = state.view.ray(x, y, width, height);
    const found = firstHit(state.picture.surfaces.filter(({ isHidden }) => !isHidden?.(eye)), eye, ray);
    if (!found?.surface.cloth) return false;
    const point = add(eye, ray, found.along), { vertex, edge } = vertexOf(found, point), { first, end } = found.surface;
    hand.grab(state.cloth.points, vertex, edge, first, end);
    state.reach = { depth: -dot(add(point, eye, -1), back), offset: add(hand.at, point, -1) };
    state.changed = true;
    return true;
}

/* Moves the hand's goal to a point of the picture, at the depth at which it grabbed. */
function pull(x, y) {
    const { clientWidth: width, clientHeight: height } = $('canvas'), { eye, axes: [, , back] } = state.view, ray = state.view.ray(x, y, width, height);
    hand.place = add(add(eye, ray, state.reach.depth / -dot(ray, back)), state.reach.offset);
}

function wireView() {
    const canvas = $('canvas'), pointers = new Map();
    let mode = 'turn', pinch;
    const span = () => {
        const [a, b] = [...pointers.values()];
        return { far: Math.hypot(a[0] - b[0], a[1] - b[1]), middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
    };
    const placeOf = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.onpointerdown = (event) => {
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, placeOf(event));
        if (pointers.size === 2) {
            letGo();
            [mode, pinch] = ['pinch', span()];
        } else if (pointers.size === 1) {
            letGo();
            mode = event.shiftKey || event.button === 1 ? 'pan' : event.button === 0 && take(...placeOf(event)) ? 'hand' : 'turn';
        }
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
        pointers.delete(event.pointerId);
        letGo();
        mode = pointers.size ? 'turn' : mode;
    };
    canvas.onpointermove = (event) => {
        const before = pointers.get(event.pointerId), after = placeOf(event), { clientHeight: height } = canvas;
        if (!before) return;
        pointers.set(event.pointerId, after);
        const dx = after[0] - before[0], dy = after[1] - before[1];
        if (mode === 'hand' && hand.isHolding) pull(...after);
        else if (mode === 'turn') state.view.turn(3.14 * dx / height, 3.14 * dy / height);
        else if (mode === 'pan') state.view.pan(dx / height, dy / height);
        else if (mode === 'pinch' && pointers.size === 2) {
            const now = span();
            state.view.zoom(pinch.far / Math.max(1, now.far));
            state.view.pan((now.middle[0] - pinch.middle[0]) / height, (now.middle[1] - pinch.middle[1]) / height);
            pinch = now;
        }
        state.drawn = false;
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.onwheel = (event) => {
        state.view.zoom(Math.exp(event.deltaY / 700));
        state.drawn = false;
        event.preventDefault();
    };
}

/* Moves the hand, or the view, by an arrow key. */
function arrow(x, y, pans) {
    const { view } = state, part = 0.03;
    if (hand.isHolding) {
        const [right, upward] = view.axes, height = 2 * view.tangent * view.distance * part;
        hand.place = add(add(hand.place, right, x * height), upward, -y * height);
        state.changed = true;
    } else if (pans) view.pan(-x * part, -y * part);
    else view.turn(x * 3 * part, y * 3 * part);
    state.drawn = false;
}

const keys = {
    ' ': actions.play, s: actions.step, r: actions.restart, c: actions.record, h: actions.home, Escape: letGo,
    g: () => hand.isHolding ? letGo() : take($('canvas').clientWidth / 2, $('canvas').clientHeight / 2) || nearest(),
    '+': () => { state.view.zoom(0.88); state.drawn = false; }, '-': () => { state.view.zoom(1 / 0.88); state.drawn = false; },
    ArrowLeft: ({ shiftKey }) => arrow(-1, 0, shiftKey), ArrowRight: ({ shiftKey }) => arrow(1, 0, shiftKey),
    ArrowUp: ({ shiftKey }) => arrow(0, -1, shiftKey), ArrowDown: ({ shiftKey }) => arrow(0, 1, shiftKey),
};

/* Takes the cloth that is in sight and nearest to the middle of the picture, for the keyboard. */
function nearest() {
    const MOST = 2000, TRIED = 60;
    const { clientWidth: width, clientHeight: height } = $('canvas'), { points } = state.cloth, every = Math.ceil(points.length / 3 / MOST), places = [];
    for (let v = 0; v < points.length / 3; v += every) places.push(state.view.project(points.slice(3 * v, 3 * v + 3), width, height));
    const away = ([x, y]) => Math.hypot(x - width / 2, y - height / 2);
    places.sort((a, b) => away(a) - away(b));
    const step = Math.ceil(places.length / TRIED);
    if (!places.some((place, i) => i % step === 0 && take(...place))) say('No cloth is in sight.');
}

function wireKeys() {
    document.onkeydown = (event) => {
        const isControl = event.target.closest('input, select, textarea') || (event.target.closest('button') && (event.key === ' ' || event.key === 'Enter'));
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (isControl || event.ctrlKey || event.metaKey || event.altKey || !keys[key]) return;
        keys[key](event);
        event.preventDefault();
    };
    for (const [id, act] of Object.entries(actions)) $(id).onclick = act;
}

/* ---- frames ---- */

/* Takes a reply: figures, and the surfaces that have moved. */
function receive(buffer) {
    const size = new DataView(buffer).getUint32(0, true), { scene, picture } = state;
    state.figures = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
    let at = 4 + size;
    const move = (vertices, count) => {
        picture.update(vertices, new Float32Array(buffer, at, 3 * count), new Uint32Array(buffer, at + 12 * count, count));
        at += 16 * count;
    };
    move(state.cloth, scene.vertices);
    for (const index of state.figures.props) move(state.props[index], scene.props[index].vertices);
    state.drawn = false;
    tell();
}

const percent = (x) => `${(100 * Math.max(0, x)).toFixed(1)} %`;

function tell() {
    const { figures, scene } = state, rows = [['Frame', scene.frames ? `${figures.frame} of ${scene.frames}` : figures.frame],
        ['A frame', figures.frame ? `${figures.milliseconds.toFixed(1)} ms` : ''], ['Substeps', figures.substeps],
        ['Stretch, 99 %', figures.p99 === undefined ? '' : percent(figures.p99)], ['Stretch, worst edge', figures.worst === undefined ? '' : percent(figures.worst)]];
    if (figures.crossings !== undefined) rows.push(['Crossings with cloth', figures.crossings], ['Crossings with bodies', figures.bodies]);
    if (figures.recording) rows.push(['Recorded', `${figures.recorded + 1} samples`]);
    if ($('figures').children.length !== 2 * rows.length)
        $('figures').replaceChildren(...rows.flatMap(([name]) => [Object.assign(document.createElement('dt'), { textContent: name }), document.createElement('dd')]));
    rows.forEach(([, value], i) => { $('figures').children[2 * i + 1].textContent = value; });
    if (state.records !== figures.records && !state.changed) state.records = figures.records;
    $('record').setAttribute('aria-pressed', figures.records);
    $('record').textContent = figures.records ? 'Stop' : 'Record';
    const saved = figures.recording ? `${figures.records ? 'Recording' : 'Recorded'} ${figures.recording}. ` : '';
    $('state').textContent = `${saved}${scene.vertices} vertices on ${scene.device}, solver ${figures.solver}`;
}

const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

/* Number of frames to simulate now: those that are due by the clock. Waits until there is one, or a change. */
async function due() {
    const most = hand.isHolding ? 1 : MOST_LATE; /* the hand goes on from where it has seen the cloth */
    const length = 1000 / state.scene.rate, quiet = performance.now() + QUIET;
    for (;;) {
        const now = performance.now();
        if (!state.playing) state.clock = now - length;
        const late = Math.floor((now - state.clock) / length);
        if (late > most) state.clock = now - most * length;
        if (state.playing && late > 0) {
            const steps = Math.min(late, most);
            state.clock += steps * length;
            return steps;
        }
        if (state.steps > 0 || state.restart || state.changed || now > quiet) return Math.min(1, state.steps);
        await wait(Math.min(20, Math.max(1, state.playing ? state.clock + length - now : 20)));
    }
}

async function request() {
    const steps = await due(), { settings, restart, records } = state;
    if (!state.playing && steps) state.steps--;
    Object.assign(state, { restart: false, changed: false });
    let holds = [];
    for (let i = 0; i < Math.max(1, steps); i++) holds = steps || !hand.frames ? hand.follow(state.cloth.points, state.figures.worst ?? 0) : state.holds;
    state.holds = holds;
    try {
        receive(await bytes('frame', JSON.stringify({ page: state.scene.page, steps, restart, settings, holds, record: records })));
        if ($('message').className === 'bad') say('');
        state.good = settings;
    } catch (error) {
        if (error instanceof TypeError || state.settings === state.good) throw error; /* the command has ended, or failed by itself */
        state.settings = state.good;
        show();
        say(`${error.message}\nThe change was taken back.`, true);
    }
}

async function play() {
    try {
        for (;;) await request();
    } catch (error) {
        const isGone = error instanceof TypeError;
        letGo();
        say(isGone ? 'The command has ended. Start it again, and open the address that it prints.' : error.message, true);
        state.ended = true;
        for (const control of document.querySelectorAll('button, input, select')) control.disabled = control.id !== 'home';
    }
}

/* ---- the picture ---- */

function draw() {
    if (!state.drawn) {
        const { view, picture } = state, { clientWidth: width, clientHeight: height } = $('canvas');
        picture.draw(view);
        state.drawn = true;
        $('mark').hidden = !hand.isHolding;
        const [x, y] = hand.isHolding ? view.project(hand.at, width, height) : [0, 0];
        Object.assign($('mark').style, { left: `${x}px`, top: `${y}px` });
        const [right, , back] = view.axes, wind = windOf(1, Number($('direction').value));
        $('arrow').querySelector('path').setAttribute('transform', `rotate(${Math.atan2(dot(wind, right), -dot(wind, back)) * degrees})`);
    }
    requestAnimationFrame(draw);
}

/* Hides a plane's square where its back is seen, which would cover the cloth. */
function hideBack(surface, view) {
    if (surface.triangles.length !== 6) return;
    const side = (eye) => {
        const { points } = surface.vertices, [a, b, c] = [0, 1, 2].map((k) => points.slice(3 * surface.triangles[k], 3 * surface.triangles[k] + 3));
        const ab = add(b, a, -1), ac = add(c, a, -1);
        return dot(add(eye, a, -1), [ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2], ab[0] * ac[1] - ab[1] * ac[0]]);
    };
    surface.isHidden = (eye) => side(eye) * side(view.start.eye) < 0;
}

async function open() {
    const scene = state.scene = await call('scene'), picture = state.picture = new Picture($('canvas'), await shaders('')), corners = new Uint32Array(await bytes('mesh', '{}'));
    state.view = new View(scene.camera);
    state.settings = state.good = scene.surroundings.settings;
    hand.scale = scene.scale;
    let at = 0;
    const next = (triangles) => corners.subarray(at, at += 3 * triangles);
    state.cloth = picture.vertices();
    scene.garments.forEach(({ first, triangles, colour }, i) => {
        const surface = picture.surface(state.cloth, next(triangles), colour, true, true);
        Object.assign(surface, { first, end: scene.garments[i + 1]?.first ?? scene.vertices });
    });
    state.props = scene.props.map(({ triangles, colour }) => {
        const vertices = picture.vertices();
        hideBack(picture.surface(vertices, next(triangles), colour, false, true), state.view);
        return vertices;
    });
    document.title = `${scene.name}: Heddle cloth`;
    $('name').textContent = scene.name;
    wireSettings();
    wireView();
    wireKeys();
    show();
    addEventListener('resize', () => { state.drawn = false; });
    state.playing = !matchMedia('(prefers-reduced-motion: reduce)').matches && !location.search.includes('paused');
    $('play').textContent = state.playing ? 'Pause' : 'Play';
    state.clock = performance.now();
    await request();
    draw();
    const torn = scene.garments.filter(({ tears }) => tears).map(({ name }) => name);
    if (torn.length) say(`${torn.join(', ')}: does not tear here, as the hand that pulls it is a driver. heddle cloth run shows the tear.`);
    document.title += ' (ready)';
    play();
}

window.heddle = { state, hand };
open().catch((error) => say(error instanceof TypeError ? 'The command has ended.' : error.message, true));
