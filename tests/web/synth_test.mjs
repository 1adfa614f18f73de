// The page of an instrument: the file's text under edits, references, and the table's fields.   node tests/web/synth_test.mjs
import { readFileSync, readdirSync } from 'node:fs';
import { Document, format, parse } from '../../web/synth/document.js';
import { Shape, withHand, HAND } from '../../web/synth/instrument.js';
import { controlsOf, entitiesOf, filesOf, wholeOf } from '../../web/synth/layers.js';
import { wav } from '../../web/synth/sound.js';
import { placeLabels } from '../../web/synth/labels.js';
import { midiEvents } from '../../web/synth/midi.js';

let failed = 0;
const check = (right, words) => { if (!right) { failed = 1; console.error(`FAILED: ${words}`); } };
const folder = new URL('../../data/instruments/', import.meta.url);

// ---- a text that is edited as its author would ----

for (const name of readdirSync(folder).filter((f) => f.endsWith('.json'))) {
  const text = readFileSync(new URL(name, folder), 'utf8'), document = new Document(text);
  check(JSON.stringify(document.value) === JSON.stringify(JSON.parse(text)), `${name} is read otherwise`);
  document.set(['instrument', 'gain'], -3.25);
  document.add('lfos', { name: 'one', frequency: 3, depth: undefined });
  document.add('lfos', { name: 'two' });
  check(JSON.parse(document.text).lfos.at(-2).frequency === 3, `${name}: an entity`);
  document.remove(['lfos', document.value.lfos.length - 1]);
  check(JSON.parse(document.text).lfos.at(-1).name === 'one', `${name}: an entity is removed`);
  check(document.text.split('\n').filter((line) => !text.includes(line)).length <= 4, `${name}: other lines changed`);
  while (document.undo());
  check(document.text === text && document.canRedo && !document.canUndo, `${name}: undone`);
}
const small = new Document('{"version": 1, "bodies": []}\n');
small.set(['bodies', 0, 'mass'], 1); // no such entity
check(small.text === '{"version": 1, "bodies": []}\n', 'a place that is not there');
small.together(() => {
  small.add('bodies', { name: 'a "b"', position: [0, 1 / 3, 1e-9] });
  small.set(['bodies', 0, 'mass'], 0.5);
  small.set(['bodies', 0, 'position'], undefined);
});
check(format(small.value.bodies) === '[{"name": "a \\"b\\"", "mass": 0.5}]', small.text);
small.undo();
check(small.text === '{"version": 1, "bodies": []}\n', 'several changes are one step');
for (const [wrong, words] of [['{"a": 1,, }', 'line 1'], ['{\n"a": [1 2]}', 'line 2'], ['{"a": 1} x', 'the end'], ['', 'a value'], ['[', 'a value'], ['{"a": "\\x"}', '']]) {
  let message = '';
  try { parse(wrong); } catch (error) { message = error.message; }
  check(message && message.includes(words), `${wrong}: ${message}`);
}

// ---- bodies and references: an engine of two grids, whose second counts its first axis fastest ----

const value = { bodies: [{ name: 'b' }, {}], springs: [{ from: 'b', to: 's[0]' }], grids: [{ name: 's', size: 3, spring: { stiffness: 7 } }, { name: 'p', size: [2, 3] }],
  mallets: [{ name: 'm' }], links: [{ from: 'm', to: ['s[0..1]', 'p[*,2]'] }], lfos: [{ name: 'l' }], modulations: [{ source: 'l', target: 'm', parameter: 'impulse' }] };
const numbers = { 's[0]': 3, 's[1]': 4, 'p[0,0]': 9, 'p[1,0]': 10, 'p[0,1]': 11 };
const engine = { rest: new Float32Array(33).map((_, i) => i), masses: new Float32Array(11), ends: Uint32Array.of(0, 2, 2, 3, 3, 4), find: (name) => numbers[name] };
const shape = new Shape(value, engine);
check(shape.bodyNames.join(' ') === 'b  s[0] s[1] s[2] p[0,0] p[1,0] p[0,1] p[1,1] p[0,2] p[1,2]', shape.bodyNames.join(' '));
check(JSON.stringify(shape.springPaths) === '[["springs",0],["grids",0],["grids",0]]', JSON.stringify(shape.springPaths));
check(shape.stiffness.join() === '1000,7,7', `stiffness ${shape.stiffness}`);
for (const [reference, bodies] of [['b', '0'], ['s', '2,3,4'], ['s[1]', '3'], ['s[0..1]', '2,3'], ['p[*,1]', '7,8'], ['p[1,*]', '6,8,10'], [['b', 's[2]'], '0,4'], ['none', '']])
  check(shape.resolve(reference).join() === bodies, `${reference}: ${shape.resolve(reference)}`);
const [mallet, lfo] = shape.markers();
check(mallet.bodies.join() === '2,3,9,10' && mallet.place[0] === (6 + 9 + 27 + 30) / 4 && lfo.targets[0] === 'm' && !lfo.place, 'markers');
const hand = JSON.parse(withHand(value, shape, 's[1]', [1, 0, 0]));
check(hand.audio_inputs[0].name === HAND && hand.links.at(-1).to === 's[1]' && value.links.length === 1, 'the hand');

// ---- layers: the parts of two instruments, of which the second is a file ----

const files = { 'folder/two.json': { macros: ['A', '', 'C'], bodies: [{ name: 'b' }], mallets: [{ name: 'm' }], links: [{ from: 'm', to: 'b' }],
  midi_sources: [{ kind: 'host', number: 2, initial: 0.75 }], bows: [{}] } };
const layered = wholeOf({ layers: [{ instrument: { ...value, midi_sources: [{ kind: 'host', initial: 0.5 }, { kind: 'host', number: 1 }] } }, { instrument: 'folder/two.json', gain: -6 }] }, files);
check(layered.layers[0].name === '1' && layered.layers[1].name === 'two' && layered.layers[1].instrument.bodies.length === 1, 'the whole');
const parts = { '1/s[0]': 3, '1/s[1]': 4, '1/p[0,0]': 9, '1/p[1,0]': 10, '1/p[0,1]': 11 };
const both = new Shape(layered, { rest: new Float32Array(36), masses: new Float32Array(12), ends: Uint32Array.of(0, 2, 2, 3), find: (name) => parts[name] });
check(both.bodyNames[2] === '1/s[0]' && both.bodyNames[11] === 'two/b', both.bodyNames.join(' '));
check(JSON.stringify([both.bodyPaths[2], both.bodyPaths[11], both.springPaths[0]]) === '[["layers",0],["layers",1],["layers",0]]', 'places of parts of layers');
check(both.markers().map((m) => `${m.name}:${m.bodies}`).join(' ') === '1/m:2,3,9,10 1/l: 1/midi_source 1: 1/midi_source 2: two/m:11 two/bow 1: two/midi_source 1:', both.markers().map((m) => `${m.name}:${m.bodies}`).join(' '));
check(controlsOf(layered).join() === '0.5,0,0,0,0.75', `controls ${controlsOf(layered)}`);
check(entitiesOf(layered, 'bows').length === 1 && filesOf({ layers: [{ instrument: 'x' }, { instrument: {} }] }).join() === 'x', 'entities of all layers');
for (const [name, weights] of [['two/b', [0, undefined]], ['1/s[1]', [undefined, 0]]]) {
  const { layers } = JSON.parse(withHand(layered, both, name));
  check(layers.map((l) => l.instrument.links.at(-1).weight).join() === weights.join(), `hand at ${name}`);
  check(layers.every((l) => l.instrument.audio_inputs.length === 1), 'a hand in each layer');
}
let refusal = '';
try { wholeOf({ layers: [{ instrument: 'new.json' }] }, files); } catch (error) { refusal = error.message; }
check(refusal.includes('new.json'), refusal);

// ---- labels beside bodies ----

const frame = { left: 2, top: 40, right: 400, bottom: 300 }, row = Array.from({ length: 30 }, (_, i) => [20 + 12 * i, 150]);
const labels = Array.from({ length: 12 }, (_, i) => ({ x: 30 + 30 * (i % 4), y: 150, width: 50, height: 18 }));
const placed = placeLabels(labels, row, frame);
placed.forEach(([x, y], i) => {
  check(row.every(([bx, by]) => Math.abs(bx - x) > 25 || Math.abs(by - y) > 9), `label ${i} covers a body`);
  check(placed.every(([ox, oy], k) => k === i || Math.abs(ox - x) >= 50 || Math.abs(oy - y) >= 18), `label ${i} covers another`);
  check(x >= 27 && x <= 375 && y >= 49 && y <= 291, `label ${i} leaves the frame`);
});
check(placeLabels([{ x: 200, y: 100, width: 50, height: 18 }], row, frame)[0].join() === '200,100', 'a label that is free moves');
const full = Array.from({ length: 60 * 40 }, (_, i) => [7 * (i % 60), 8 * Math.floor(i / 60)]);
check(placeLabels([{ x: 200, y: 100, width: 50, height: 18 }], full, frame)[0].join() === '200,100', 'a label without a free place');

// ---- phrases ----

const song = new URL('../../data/music/phrases/', import.meta.url);
for (const name of readdirSync(song)) {
  const events = midiEvents(readFileSync(new URL(name, song))), sounding = new Set();
  check(events.every(([t], i) => t >= (events[i - 1]?.[0] ?? 0)), `${name}: not in order`);
  for (const [, status, note, velocity] of events)
    if ((status & 0xe0) === 0x80) sounding[status >= 0x90 && velocity ? 'add' : 'delete'](`${status & 15} ${note}`);
  check(events.length && !sounding.size, `${name}: ${[...sounding]} does not end`);
}
const [tempo, ...chimes] = midiEvents(readFileSync(new URL('bell.mid', song)));
check(tempo[1] === 'tempo' && tempo[2] > 20 && tempo[2] < 400, tempo.join(' '));
check(chimes[0].join() === '0,144,60,108' && Math.abs(chimes[1][0] - 0.855) < 0.002 && chimes[1][1] === 0x80, chimes.slice(0, 2).join(' '));
for (const wrong of [[], [...'MThd'].map((c) => c.charCodeAt(0)), [...readFileSync(new URL('bell.mid', song)).subarray(4)]]) {
  let message = '';
  try { midiEvents(wrong); } catch (error) { message = error.message; }
  check(message.includes('MIDI'), 'what is no MIDI file is read');
}

// ---- a WAV file ----

const bytes = new DataView(await wav([[Float32Array.of(0.5, -1), Float32Array.of(0, 1)]], 48000).arrayBuffer());
check(bytes.byteLength === 58 + 16 && bytes.getUint32(54, true) === 16 && bytes.getFloat32(66, true) === -1, 'a WAV file');
process.exit(failed);
