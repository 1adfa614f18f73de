/* The synth in an AudioWorklet: the processor "heddle-synth". audio.js loads it. A message is a list: the name of a method of Synth and its
 * arguments; a method with a result posts it back with the number of the message. */
import { Synth } from './synth.js';

class SynthProcessor extends AudioWorkletProcessor {
    #synth;

    constructor({ processorOptions: { module, instrument, options } }) {
        super();
        try {
            this.#synth = new Synth(module, instrument, { ...options, rate: sampleRate, block: 128 });
            this.port.onmessage = ({ data }) => this.#run(data);
            this.port.postMessage({ ready: this.#synth.info });
        } catch (error) {
            this.port.postMessage({ error: error.message, status: error.status });
        }
    }

    #run({ id, method, values }) {
        try {
            const result = this.#synth[method](...values);
            if (id !== undefined) this.port.postMessage({ id, result: ArrayBuffer.isView(result) ? result.slice() : result });
        } catch (error) {
            this.port.postMessage({ id, error: error.message, status: error.status });
        }
    }

    process([input], [output]) {
        if (!this.#synth) return false;
        const frames = output[0].length;
        if (input[0]) this.#synth.input.set(input[0]);
        const { left, right } = this.#synth.process(frames);
        output[0].set(left);
        if (output[1]) output[1].set(right);
        return true;
    }
}

registerProcessor('heddle-synth', SynthProcessor);
