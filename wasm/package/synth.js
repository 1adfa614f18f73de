/* Mass-spring instruments, block by block: the synth of Heddle (docs/synth.md). */
import { Instance, compile as compileFiles } from './module.js';

export { HeddleError } from './module.js';

/* inside a function: an AudioWorklet has no URL */
const files = () => ({
    exact: new URL('./heddle-synth-exact.wasm', import.meta.url),
    relaxed: new URL('./heddle-synth-relaxed.wasm', import.meta.url),
});

/** Compiles the synth's module. The result can be posted to a Worker or an AudioWorklet. */
export const compile = (build) => compileFiles(files(), build);

/* numbers of hedw_synth_info(), in its order */
const INFO = ['latency', 'instances', 'sounding', 'peak', 'reduction', 'breaks', 'asleep', 'islands', 'lowest', 'highest', 'rootNote', 'mode'];
const MODES = ['singleton', 'voices', 'mpe'];

/** Opens an instrument: compiles the module, once, and creates the synth. `instrument`: text of an instrument file, or an object. */
export async function open(instrument, options = {}) {
    return new Synth(options.module ?? await compile(options.build), instrument, options);
}

/** A synth. Created in one call from a compiled module, as an AudioWorklet needs it. */
export class Synth {
    #instance;
    #player;
    #targets;
    #types;

    constructor(module, instrument, options = {}) {
        const { rate = 48000, block = 128, strict = false, seed = 0 } = options;
        const instance = new Instance(module);
        const text = typeof instrument === 'string' ? instrument : JSON.stringify(instrument);
        this.#player = instance.with(text, (pointer, size) =>
            instance.check(instance.call.hedw_synth_open(pointer, size, rate, block, strict, seed)));
        this.#instance = instance;
        this.rate = rate;
        this.block = block;
        this.#types = this.#list('hedw_synth_type_name');
        this.#targets = this.#list('hedw_synth_target_name');
    }

    #list(name) {
        const found = [];
        for (let i = 0, word; (word = this.#instance.text(this.#instance.call[name](i))) !== undefined; i++) found.push(word);
        return found;
    }

    #call(name, ...values) {
        return this.#instance.call[`hedw_synth_${name}`](this.#player, ...values);
    }

    #do(name, ...values) {
        return this.#instance.check(this.#call(name, ...values));
    }

    #index(words, word, subject) {
        const index = words.indexOf(word);
        if (index < 0) throw new TypeError(`${subject} is "${word}"; expected one of ${words.join(', ')}`);
        return index;
    }

    /* ---- events of the next block ---- */

    /** Adds a MIDI event. `frame`: its position in the block. */
    midi(status, first, second = 0, frame = 0) {
        this.#do('midi', frame, status, first, second);
    }

    noteOn(note, velocity = 100, frame = 0, channel = 1) {
        this.midi(0x90 | (channel - 1), note, velocity, frame);
    }

    noteOff(note, velocity = 0, frame = 0, channel = 1) {
        this.midi(0x80 | (channel - 1), note, velocity, frame);
    }

    /** Sets the tempo, quarter notes a minute. */
    tempo(value, frame = 0) {
        this.#do('tempo', frame, value);
    }

    /** Sets a control of the host, which sources of the kind "host" follow. */
    host(number, value, frame = 0) {
        this.#do('host', frame, number, value);
    }

    /** Sets a value of a named entity until reset(), such as set('ear', 'gain', -6). */
    set(entity, target, value, frame = 0) {
        const number = typeof entity === 'number' ? entity : this.find(entity);
        if (!number) throw new TypeError(`instrument has no entity "${entity}"`);
        this.#do('set', frame, number, this.#index(this.#targets, target, 'target'), value);
    }

    /* ---- sound ---- */

    /** Input of the next block, (block): sound for the instrument's audio inputs. */
    get input() {
        return this.#instance.view(Float32Array, this.#call('input'), this.block);
    }

    /** Plays a block and returns its channels, (frames) each, valid until the next call. */
    process(frames = this.block) {
        this.#do('process', frames);
        return {
            left: this.#instance.view(Float32Array, this.#call('left'), frames),
            right: this.#instance.view(Float32Array, this.#call('right'), frames),
        };
    }

    /** Returns to rest, silence and sample 0. */
    reset() {
        this.#do('reset');
    }

    /* ---- the instrument ---- */

    /** Number of entities of a type, such as "body". */
    count(type) {
        return this.#call('count', this.#index(this.#types, type, 'type'));
    }

    /** Names of the entities of a type; "" for those without a name. */
    names(type) {
        const index = this.#index(this.#types, type, 'type');
        return Array.from({ length: this.#call('count', index) },
            (_, i) => this.#instance.text(this.#call('name', this.#call('at', index, i))));
    }

    /** Number of a named entity, also of a part of a grid ("plate[4,7]"); 0: no such entity. */
    find(name) {
        return this.#instance.with(name, (pointer) => this.#call('find', pointer));
    }

    /** Names of the eight controls of the host; "" for those without a name. */
    get macros() {
        return Array.from({ length: 8 }, (_, i) => this.#instance.text(this.#call('macro', i)));
    }

    /** Rest positions, (bodies x 3), m. */
    get rest() {
        return this.#instance.view(Float32Array, this.#call('rest'), 3 * this.count('body'));
    }

    /** Masses, (bodies), kg; 0 for an anchored body. */
    get masses() {
        return this.#instance.view(Float32Array, this.#call('masses'), this.count('body'));
    }

    /** Bodies that the springs join, (springs x 2), as indices. */
    get ends() {
        return this.#instance.view(Uint32Array, this.#call('ends'), 2 * this.count('spring'));
    }

    /** Displacements of the bodies of a voice after the last block, (bodies x 3), m. */
    positions(instance = 0) {
        return this.#instance.view(Float32Array, this.#do('positions', instance), 3 * this.count('body'));
    }

    /** State and properties of the synth. */
    get info() {
        const numbers = this.#instance.view(Float64Array, this.#call('info'), INFO.length);
        const info = Object.fromEntries(INFO.map((name, i) => [name, numbers[i]]));
        return { ...info, mode: MODES[info.mode] };
    }

    /** Stability of another instrument at this rate, before it sounds: `worst` is h² s² Σk/m of body `body`, of which at most 2 is safe. */
    stability(instrument) {
        const text = typeof instrument === 'string' ? instrument : JSON.stringify(instrument);
        const pointer = this.#instance.with(text, (at, size) => this.#do('stability', at, size));
        const [worst, body, unsafe, dilation] = this.#instance.view(Float64Array, pointer, 4);
        return { worst, body, unsafe, dilation };
    }

    /* ---- changes while it sounds ---- */

    /** Continues with another instrument; entities at the same position in the file keep their state. */
    change(instrument) {
        const text = typeof instrument === 'string' ? instrument : JSON.stringify(instrument);
        this.#instance.with(text, (pointer, size) => this.#do('change', pointer, size));
    }

    /** Moves the rest position of a body, m. */
    move(body, x, y, z) {
        this.#do('move', body, x, y, z);
    }

    /** Multiplies the stiffness of every spring. */
    stiffen(factor) {
        this.#do('stiffen', factor);
    }

    /** The instrument with all changes, as the text of an instrument file. */
    save() {
        const pointer = this.#do('save');
        return this.#instance.textOf(pointer, this.#call('saved_size'));
    }

    /** Releases the synth. */
    close() {
        this.#call('close');
        this.#player = 0;
    }
}
