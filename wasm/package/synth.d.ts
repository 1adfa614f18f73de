/** Mass-spring instruments, block by block. */
export { HeddleError } from './module.js';

/** "exact" computes fused multiply-add, "relaxed" has it from the machine: the same bits in strict mode. */
export type Build = 'exact' | 'relaxed';

export type EntityType = 'body' | 'spring' | 'microphone' | 'mallet' | 'plectrum' | 'bow' | 'oscillator' | 'audio_input' | 'lfo' | 'envelope'
    | 'follower' | 'midi' | 'delay_line' | (string & {});

export interface SynthOptions {
    /** samples a second; 48000 */
    rate?: number;
    /** maximum number of frames of process(); 128, as in an AudioWorklet */
    block?: number;
    /** the bits of the native library's strict mode; false */
    strict?: boolean;
    /** seed of noise; 0 */
    seed?: number;
}

export interface OpenOptions extends SynthOptions {
    /** module from compile(), for a Worker */
    module?: WebAssembly.Module;
    /** build to use; the faster one that the machine runs */
    build?: Build;
}

export interface SynthInfo {
    /** delay of the sound, frames: the limiter looks ahead */
    latency: number;
    instances: number;
    sounding: number;
    /** largest magnitude before the limiter, full scale 1 */
    peak: number;
    /** maximum reduction of the limiter, dB */
    reduction: number;
    /** number of times that the breaker opened: NaN, or growing energy */
    breaks: number;
    asleep: number;
    islands: number;
    /** lowest and highest key that is played; 255: none */
    lowest: number;
    highest: number;
    rootNote: number;
    mode: 'singleton' | 'voices' | 'mpe';
}

export interface Stability {
    /** maximum of h² s² Σk/m; at most 2 is safe */
    worst: number;
    /** index of the body of that maximum */
    body: number;
    /** number of bodies above 2 */
    unsafe: number;
    /** s of the highest note and bend */
    dilation: number;
}

/** Compiles the module, once. The result can be posted to a Worker or an AudioWorklet. */
export function compile(build?: Build): Promise<WebAssembly.Module>;

/** Opens an instrument: text of an instrument file, or the object that it describes. */
export function open(instrument: string | object, options?: OpenOptions): Promise<Synth>;

export class Synth {
    constructor(module: WebAssembly.Module, instrument: string | object, options?: SynthOptions);
    readonly rate: number;
    readonly block: number;

    /** Adds a MIDI event at `frame` of the next block. */
    midi(status: number, first: number, second?: number, frame?: number): void;
    noteOn(note: number, velocity?: number, frame?: number, channel?: number): void;
    noteOff(note: number, velocity?: number, frame?: number, channel?: number): void;
    /** Sets the tempo, quarter notes a minute. */
    tempo(value: number, frame?: number): void;
    /** Sets a control of the host. */
    host(number: number, value: number, frame?: number): void;
    /** Sets a value of an entity until reset(). */
    set(entity: string | number, target: string, value: number, frame?: number): void;

    /** Sound for the instrument's audio inputs in the next block, (block). */
    readonly input: Float32Array;
    /** Plays a block. The arrays are views of the module's memory, valid until the next call. */
    process(frames?: number): { left: Float32Array; right: Float32Array };
    /** Returns to rest, silence and sample 0. */
    reset(): void;

    count(type: EntityType): number;
    names(type: EntityType): string[];
    /** Number of a named entity; 0: none. */
    find(name: string): number;
    readonly macros: string[];
    /** Rest positions, (bodies x 3), m. */
    readonly rest: Float32Array;
    /** Masses, (bodies), kg; 0: anchored. */
    readonly masses: Float32Array;
    /** Indices of the bodies that springs join, (springs x 2). */
    readonly ends: Uint32Array;
    /** Displacements after the last block, (bodies x 3), m. */
    positions(instance?: number): Float32Array;
    readonly info: SynthInfo;
    /** Stability of another instrument at this rate, before it sounds. */
    stability(instrument: string | object): Stability;

    /** Continues with another instrument. */
    change(instrument: string | object): void;
    /** Moves the rest position of a body, m. */
    move(body: number, x: number, y: number, z: number): void;
    /** Multiplies the stiffness of every spring. */
    stiffen(factor: number): void;
    /** The instrument with all changes, as the text of an instrument file. */
    save(): string;
    close(): void;
}
