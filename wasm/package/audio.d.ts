/** The synth as a node of the Web Audio API. */
import type { Build, SynthInfo } from './synth.js';

export interface AudioOptions {
    build?: Build;
    strict?: boolean;
    seed?: number;
}

/** An instrument in an AudioWorklet. Methods act at the next block of 128 frames. */
export interface SynthNode {
    readonly node: AudioWorkletNode;
    readonly ready: Promise<SynthInfo>;
    /** called with an error of a method without a result */
    onerror?: (error: Error & { status?: string }) => void;
    connect(destination: AudioNode): AudioNode;
    disconnect(): void;
    noteOn(note: number, velocity?: number, channel?: number): void;
    noteOff(note: number, velocity?: number, channel?: number): void;
    midi(status: number, first: number, second?: number): void;
    host(number: number, value: number): void;
    set(entity: string | number, target: string, value: number): void;
    stiffen(factor: number): Promise<void>;
    move(body: number, x: number, y: number, z: number): Promise<void>;
    change(instrument: string | object): Promise<void>;
    reset(): Promise<void>;
    positions(instance?: number): Promise<Float32Array>;
    save(): Promise<string>;
}

/** Creates an instrument as a node of an AudioContext; connect it to the destination. */
export function createSynth(context: BaseAudioContext, instrument: string | object, options?: AudioOptions): Promise<SynthNode>;
