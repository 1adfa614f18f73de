/* Instruments in WebAssembly: renders of every shipped instrument have the native hash, both builds; the package's API. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { builds, check, checkEqual, finish, Hash, load, runHash } from './common.mjs';

const { open, HeddleError } = await load('synth.js');
const seconds = Number(process.argv[4] ?? (process.env.HEDDLE_TEST_FULL ? 0.5 : 0.1));
const RATE = 48000;
const BLOCK = 256;

/* ---- a song for both: one note, held for half of the time, and a sound for instruments with an input ---- */

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-wasm-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));

/* MIDI file of one note: `frames` long, at 120 quarters a minute with 24,000 ticks each, so that a tick is a sample. */
function songOf(note, frames) {
    const length = (value) => [value >> 14 & 127 | 128, value >> 7 & 127 | 128, value & 127];
    const track = [0, 0x90, note, 100, ...length(frames), 0x80, note, 0, 0, 0xff, 0x2f, 0];
    const bytes = [...Buffer.from('MThd'), 0, 0, 0, 6, 0, 0, 0, 1, 24000 >> 8, 24000 & 255, ...Buffer.from('MTrk'), 0, 0, 0, track.length, ...track];
    const file = path.join(scratch, `${note}-${frames}.mid`);
    fs.writeFileSync(file, Uint8Array.from(bytes));
    return file;
}

/* Sound of `frames` that starts loud and ends silent. */
function soundOf(frames) {
    return Float32Array.from({ length: frames }, (_, i) => (i * 7919 % 2001 - 1000) / 2000 * (1 - i / frames));
}

/* WAV file of a sound, one channel of floats. */
function wavOf(sound) {
    const file = path.join(scratch, `${sound.length}.wav`);
    const header = Buffer.alloc(44);
    header.write('RIFF');
    header.writeUInt32LE(36 + sound.byteLength, 4);
    header.write('WAVEfmt ', 8);
    for (const [i, word] of [16, 3 | 1 << 16, RATE, 4 * RATE, 4 | 32 << 16].entries()) header.writeUInt32LE(word, 16 + 4 * i);
    header.write('data', 36);
    header.writeUInt32LE(sound.byteLength, 40);
    fs.writeFileSync(file, Buffer.concat([header, Buffer.from(sound.buffer)]));
    return file;
}

function rootOf({ rootNote, lowest, highest }) {
    return Math.min(Math.max(Math.round(rootNote), lowest), highest);
}

/* Hash of a render: `held` frames of a note, or of a sound, then as many. */
function render(synth, note, sound, held) {
    const hash = new Hash();
    const { latency } = synth.info;
    const words = new Uint32Array(2 * BLOCK);
    for (let done = 0; done < 2 * held + latency;) {
        const frames = Math.min(BLOCK, 2 * held + latency - done);
        if (sound) {
            synth.input.fill(0);
            synth.input.set(sound.subarray(done, done + frames));
        } else {
            if (done === 0) synth.noteOn(note, 100);
            if (done <= held && held < done + frames) synth.noteOff(note, 0, held - done);
        }
        const { left, right } = synth.process(frames);
        const early = Math.min(frames, Math.max(0, latency - done));
        const [l, r] = [left, right].map((channel) => new Uint32Array(channel.buffer, channel.byteOffset, frames));
        for (let i = early; i < frames; i++) {
            words[2 * (i - early)] = l[i];
            words[2 * (i - early) + 1] = r[i];
        }
        hash.add(words.subarray(0, 2 * (frames - early)));
        done += frames;
    }
    return hash.text;
}

/* Text of a shipped instrument, with the instruments of its layers in place of their files: a module has no files. */
function textOf(name) {
    const text = fs.readFileSync(`data/instruments/${name}`, 'utf8'), value = JSON.parse(text);
    for (const layer of value.layers ?? []) layer.instrument = JSON.parse(textOf(layer.instrument));
    return value.layers ? JSON.stringify(value) : text;
}

const held = Math.round(seconds / 2 * RATE);
const files = fs.readdirSync('data/instruments').filter((name) => name.endsWith('.json') && name !== 'million.json');
let equal = 0;
for (const name of files) {
    const file = `data/instruments/${name}`;
    const text = textOf(name);
    let native;
    for (const build of builds) {
        const synth = await open(text, { build, rate: RATE, block: BLOCK, strict: true });
        const note = rootOf(synth.info);
        const sound = synth.count('audio_input') ? soundOf(held) : undefined;
        const song = sound ? ['--in', wavOf(sound)] : [songOf(note, held)];
        native ??= runHash('synth', 'render', file, ...song, '--tail', String(held / RATE));
        const hash = render(synth, note, sound, held);
        checkEqual(hash, native, `${name}, ${build}: hash`);
        equal += hash === native;
        synth.close();
    }
}

/* ---- the package's API ---- */

const text = fs.readFileSync('data/instruments/vibes.json', 'utf8');
for (const build of builds) {
    const synth = await open(text, { build, strict: true });
    checkEqual(synth.rest.length, 3 * synth.count('body'), 'numbers of rest positions');
    checkEqual(synth.ends.length, 2 * synth.count('spring'), 'ends of springs');
    check([...synth.ends].every((end) => end < synth.count('body')), 'an end of a spring is no body');
    synth.noteOn(60);
    for (let i = 0; i < 50; i++) synth.process();
    synth.reset();
    check(synth.process().left.every((value) => Math.abs(value) < 1e-9), 'sound after a reset');
    const saved = synth.save();
    checkEqual((await open(saved, { build })).save(), saved, 'a saved instrument, opened and saved again');

    /* a moved body of a grid is kept, and the grid stays a grid */
    const body = synth.rest.length / 3 - 1;
    const place = [0, 1, 2].map((axis) => synth.rest[3 * body + axis] + 2 ** -10);
    synth.move(body, ...place);
    const moved = await open(synth.save(), { build });
    check(place.every((value, axis) => moved.rest[3 * body + axis] === Math.fround(value)), 'a moved body is not where it was saved');
    checkEqual(moved.save(), synth.save(), 'an instrument with a moved body, opened and saved again');
    checkEqual(Boolean(JSON.parse(moved.save()).grids), Boolean(JSON.parse(saved).grids), 'grids after a move');

    /* sound goes on through a change, and views are valid after memory has grown */
    synth.noteOn(60);
    for (let i = 0; i < 100; i++) synth.process();
    synth.stiffen(1.1);
    const { left } = synth.process();
    check(left.some((value) => value !== 0), 'silence after a change');
    check(synth.positions().some((value) => value !== 0), 'no body moves while a note sounds');
}

async function checkFails(status, pattern, action) {
    try {
        await action();
        check(false, `no error, expected one like ${pattern}`);
    } catch (error) {
        check(error instanceof HeddleError && error.status === status, `status is ${error.status} (${error}); expected ${status}`);
        check(pattern.test(error.message), `message is "${error.message}"; expected one like ${pattern}`);
    }
}
await checkFails('format', /^strings: unknown key.*\(instrument:1:/, () => open('{"version": 1, "strings": 3}'));
await checkFails('argument', /expected "exact" or "relaxed"/, () => open(text, { build: 'fast' }));
const synth = await open(text);
await checkFails('limit', /too many events; expected at most 1024/, () => {
    for (let i = 0; i < 1025; i++) synth.noteOn(60);
});

finish(`wasm synth: ${equal} of ${files.length * builds.length} renders have the native hash`);
