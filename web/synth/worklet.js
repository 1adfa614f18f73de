/* The engine in the audio thread. The page sends the compiled module and the instrument's text, then events; the processor returns
 * sound, and now and then the places of the bodies and the state of the meters. */
import { Synth } from './engine/synth.js';

const FASTEST = 0.25; /* m/s, of a body that is let go */

class Instrument extends AudioWorkletProcessor {
    constructor({ processorOptions: o }) {
        super();
        this.synth = new Synth(o.module, o.text, { rate: sampleRate, block: 128, strict: o.strict ?? false });
        if (o.tempo) this.synth.tempo(o.tempo);
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
            else if (what === 'tempo') this.synth.tempo(...values, frame);
            else if (what === 'host') this.synth.host(...values, frame);
            else if (what === 'hold') [this.hold] = values;
            else if (what === 'hand' && this.hold) [this.hold.target] = values;
            else if (what === 'release') this.#release();
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

    /* Lets the body go with a flick towards its rest, half a sine of a millisecond: a bar that a slow hand has carried along on its cords would
     * swing back without a sound. Its speed is that of a sine of the pull's size at the instrument's pitch. */
    #release() {
        const { hold } = this, frames = Math.max(2, Math.round(sampleRate / 1000));
        this.hold = undefined;
        if (hold) this.flick = { at: 0, frames, force: -hold.mass * hold.pitch * this.#reach(hold) * sampleRate * Math.PI / 2 / frames };
    }

    /* Place to which a pull goes, m: where the body would leave with at most FASTEST. */
    #reach({ target, pitch }) {
        return Math.max(-FASTEST / pitch, Math.min(FASTEST / pitch, target));
    }

    /* A spring and a damper between the pointer and the body, {body, direction, mass, target, pitch}: the force of each block follows from the
     * place at its beginning, so that stiffness and damping have bounds. A body that its own springs hold back draws more force, in
     * proportion to the stiffness that it has shown. The force changes within 2 ms: a step would be a click. */
    #pull(frames) {
        const { hold } = this, seconds = frames / sampleRate;
        this.force[0] = 0;
        if (hold) {
            const places = this.#picture(), at = hold.direction.reduce((sum, d, k) => sum + d * places[3 * hold.body + k], 0);
            const speed = (at - (hold.at ?? at)) / seconds;
            hold.at = at;
            const left = this.#reach(hold) - at, softest = 0.2 * hold.mass / seconds / seconds;
            hold.mean = (hold.mean ?? 0) + 0.05 * (at - (hold.mean ?? 0));
            const shown = Math.abs(this.force[1]) / Math.max(Math.abs(hold.mean), 1e-12);
            hold.stiffness = Math.max(softest, Math.min(1.03 * (hold.stiffness ?? softest), shown));
            hold.steady = (hold.steady ?? 0) + 0.02 * left * hold.stiffness;
            this.force[0] = hold.steady + softest * left - 0.3 * hold.mass / seconds * speed;
        }
        const { input } = this.synth;
        for (let i = 0; i < input.length; i++) {
            this.force[1] += 0.01 * (this.force[0] - this.force[1]);
            input[i] = this.force[1];
            if (this.flick && this.flick.at < this.flick.frames) input[i] += this.flick.force * Math.sin(Math.PI * (this.flick.at++ + 0.5) / this.flick.frames);
        }
        if (this.flick?.at === this.flick?.frames) this.flick = undefined;
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
        if (this.hold || this.flick || Math.abs(this.force[1]) > 1e-9) this.#pull(frames);
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
