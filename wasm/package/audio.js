/* The synth as a node of the Web Audio API: sound in an AudioWorklet, controlled from the page. */
import { compile } from './synth.js';

const loaded = new WeakSet();

/** Creates an instrument as a node of an AudioContext; connect it to the destination. */
export async function createSynth(context, instrument, options = {}) {
    const { build, ...rest } = options;
    const module = await compile(build);
    if (!loaded.has(context)) {
        await context.audioWorklet.addModule(new URL('./worklet.js', import.meta.url));
        loaded.add(context);
    }
    const text = typeof instrument === 'string' ? instrument : JSON.stringify(instrument);
    const node = new AudioWorkletNode(context, 'heddle-synth', {
        numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [2],
        processorOptions: { module, instrument: text, options: rest },
    });
    const synth = new SynthNode(node);
    await synth.ready;
    return synth;
}

/** An instrument in an AudioWorklet. Methods act at the next block of 128 frames. */
class SynthNode {
    #waiting = new Map();
    #next = 1;

    constructor(node) {
        /** The AudioWorkletNode. */
        this.node = node;
        this.ready = new Promise((resolve, reject) => {
            node.port.onmessage = ({ data }) => {
                if (data.ready) resolve(data.ready);
                else if (this.#waiting.has(data.id)) {
                    const { resolve: done, reject: fail } = this.#waiting.get(data.id);
                    this.#waiting.delete(data.id);
                    if (data.error) fail(Object.assign(new Error(data.error), { status: data.status }));
                    else done(data.result);
                } else if (data.error) {
                    const error = Object.assign(new Error(data.error), { status: data.status });
                    reject(error);
                    this.onerror?.(error);
                }
            };
        });
    }

    connect(destination) {
        return this.node.connect(destination);
    }

    disconnect() {
        this.node.disconnect();
    }

    #send(method, ...values) {
        this.node.port.postMessage({ method, values });
    }

    #ask(method, ...values) {
        const id = this.#next++;
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.node.port.postMessage({ id, method, values });
        });
    }

    noteOn(note, velocity = 100, channel = 1) {
        this.#send('noteOn', note, velocity, 0, channel);
    }

    noteOff(note, velocity = 0, channel = 1) {
        this.#send('noteOff', note, velocity, 0, channel);
    }

    midi(status, first, second = 0) {
        this.#send('midi', status, first, second);
    }

    host(number, value) {
        this.#send('host', number, value);
    }

    set(entity, target, value) {
        this.#send('set', entity, target, value);
    }

    stiffen(factor) {
        return this.#ask('stiffen', factor);
    }

    move(body, x, y, z) {
        return this.#ask('move', body, x, y, z);
    }

    change(instrument) {
        return this.#ask('change', typeof instrument === 'string' ? instrument : JSON.stringify(instrument));
    }

    reset() {
        return this.#ask('reset');
    }

    /** Displacements of the bodies of a voice, (bodies x 3), m: a copy. */
    positions(instance = 0) {
        return this.#ask('positions', instance);
    }

    save() {
        return this.#ask('save');
    }
}
