/* The engine in the audio thread. The page sends the compiled module and the instrument's text, then events; the processor returns
 * sound, and now and then the places of the bodies and the state of the meters. */
import { Synth } from './engine/synth.js';

class Instrument extends AudioWorkletProcessor {
    constructor({ processorOptions: o }) {
        super();
        this.synth = new Synth(o.module, o.text, { rate: sampleRate, block: 128, strict: o.strict ?? false });
        this.blocks = 0;
        this.events = o.events ?? []; /* [frame, message...] of a render offline, ascending */
        this.every = o.every ?? 6;    /* blocks between two pictures; 0: none */
        this.force = [0, 0];          /* of the pointer on the body that it holds, N: wanted, given */
        this.#forget();
        this.port.onmessage = ({ data }) => this.#take(data);
    }

    #forget() {
        this.spent = 0;
        this.peak = 0;
        this.since = Date.now();
    }

    #take([what, ...values], frame = 0) {
        try {
            if (what === 'midi') this.synth.midi(...values, frame);
            else if (what === 'set') this.synth.set(...values, frame);
            else if (what === 'host') this.synth.host(...values, frame);
            else if (what === 'hold') [this.hold] = values;
            else if (what === 'hand' && this.hold) [this.hold.target] = values;
            else if (what === 'release') this.hold = undefined;
            else if (what === 'reset') this.synth.reset();
            else if (what === 'end') this.isOver = true;
            else if (what === 'change') {
                this.synth.change(values[0]);
                this.port.postMessage({ kind: 'changed', number: values[1] });
            }
        } catch (error) {
            this.port.postMessage({ kind: 'refused', what, number: values[1], message: error.message });
        }
    }

    /* A spring and a damper between the pointer and the body, {body, direction, mass, target}: the force of each block follows from the
     * place at its beginning, so that stiffness and damping have bounds. It changes within 2 ms: a step would be a click. */
    #pull(frames) {
        const { hold } = this, seconds = frames / sampleRate;
        this.force[0] = 0;
        if (hold) {
            const places = this.#picture(), at = hold.direction.reduce((sum, d, k) => sum + d * places[3 * hold.body + k], 0);
            const speed = (at - (hold.at ?? at)) / seconds;
            hold.at = at;
            this.force[0] = hold.mass / seconds * (0.2 * (hold.target - at) / seconds - 0.3 * speed);
        }
        const { input } = this.synth;
        for (let i = 0; i < input.length; i++) {
            this.force[1] += 0.01 * (this.force[0] - this.force[1]);
            input[i] = this.force[1];
        }
    }

    /* Displacements of the instance that moves most. */
    #picture() {
        const { instances } = this.synth.info;
        let best = this.synth.positions(0).slice(), most = -1;
        for (let k = 0; k < instances; k++) {
            const places = this.synth.positions(k);
            let sum = 0;
            for (let i = 0; i < places.length; i++) sum += places[i] * places[i];
            if (sum > most) [most, best] = [sum, places.slice()];
        }
        return best;
    }

    process(_, [out]) {
        if (this.isOver) return false;
        const frames = out[0].length, now = this.blocks * frames;
        while (this.events.length && this.events[0][0] < now + frames) {
            const [frame, ...message] = this.events.shift();
            this.#take(message, frame - now);
        }
        if (this.hold || Math.abs(this.force[1]) > 1e-9) this.#pull(frames);
        const start = Date.now(), { left, right } = this.synth.process(frames);
        this.spent += Date.now() - start;
        out[0].set(left);
        if (out[1]) out[1].set(right);
        for (let i = 0; i < frames; i++) this.peak = Math.max(this.peak, Math.abs(left[i]), Math.abs(right[i]));
        this.blocks++;
        if (this.every && this.blocks % this.every === 0) {
            const places = this.#picture();
            this.port.postMessage({ kind: 'places', places }, [places.buffer]);
        }
        if (this.every && this.blocks % 96 === 0) {
            const { sounding, reduction, breaks } = this.synth.info, passed = Math.max(Date.now() - this.since, 1);
            this.port.postMessage({ kind: 'meters', load: this.spent / passed, peak: this.peak, sounding, reduction, breaks });
            this.#forget();
        }
        return true;
    }
}

registerProcessor('heddle-synth', Instrument);
