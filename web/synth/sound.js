/* Sound of the page: the audio context, the engine in its worklet, and the recorder. */

const LATE = 5000; /* ms */

export class Sound {
    /** `receive(message)` takes the worklet's messages. */
    constructor(module, receive) {
        this.module = module;
        this.receive = receive;
        this.number = 0;
        this.changes = new Map(); /* number of a change that is under way: [resolve, reject] */
    }

    get isOn() {
        return !!this.node;
    }

    /** Opens the sound card, which browsers allow after a click or a key; once if several keys come before it is open. */
    start(text) {
        this.opening ??= this.#open(text).finally(() => { this.opening = undefined; });
        return this.opening;
    }

    async #open(text) {
        if (!this.context) {
            this.context = new AudioContext({ latencyHint: 'interactive' });
            await this.context.audioWorklet.addModule(new URL('./worklet.js', import.meta.url));
        }
        /* Firefox waits for ever where there is no sound card */
        const late = new Promise((resolve) => { setTimeout(resolve, LATE, true); }), open = () => this.context.resume();
        addEventListener('pointerup', open); /* a browser allows sound to a finger when it leaves the screen */
        const isLate = await Promise.race([open(), late]);
        removeEventListener('pointerup', open);
        if (isLate)
            throw new Error('The browser has opened no sound card. Connect one, or allow this page to play sound, and press a key again.');
        await this.load(text);
    }

    /** Begins again at rest with another instrument. */
    async load(text) {
        if (!this.context) return;
        const node = this.#node(this.context, { text });
        this.node?.disconnect();
        this.send('end');
        this.node = node;
        node.connect(this.context.destination);
        if (this.chunks) node.connect(this.tap);
    }

    #node(context, options) {
        const node = new AudioWorkletNode(context, 'heddle-synth',
            { numberOfInputs: 0, outputChannelCount: [2], processorOptions: { module: this.module, tempo: this.tempo, ...options } });
        node.port.onmessage = ({ data }) => node === this.node && this.#answer(data);
        node.onprocessorerror = () => node === this.node && this.receive({ kind: 'ended' });
        return node;
    }

    #answer(message) {
        const waiting = this.changes.get(message.number);
        this.changes.delete(message.number);
        if (message.kind === 'changed') waiting?.[0]();
        else if (message.kind === 'refused' && waiting) waiting[1](new Error(message.message));
        else this.receive(message);
    }

    send(...message) {
        this.node?.port.postMessage(message);
    }

    /** Sets the quarter notes a minute, also of the instruments that follow; undefined: the instrument's own. */
    setTempo(value) {
        this.tempo = value;
        if (value) this.send('tempo', value);
    }

    /** Continues with a changed instrument; rejects with the engine's words if it refuses. */
    change(text) {
        if (!this.node) return Promise.resolve();
        const number = ++this.number;
        return new Promise((resolve, reject) => {
            this.changes.set(number, [resolve, reject]);
            this.send('change', text, number);
        });
    }

    /** Renders events [[frame, "midi", ...], ...] offline, strictly; returns the two channels. */
    async render(text, events, seconds, rate = 48000) {
        const context = new OfflineAudioContext(2, Math.round(rate * seconds), rate);
        await context.audioWorklet.addModule(new URL('./worklet.js', import.meta.url));
        this.#node(context, { text, events, every: 0, strict: true, tempo: undefined }).connect(context.destination);
        const sound = await context.startRendering();
        return [sound.getChannelData(0), sound.getChannelData(1)];
    }

    /** Begins to record, or ends it and returns a WAV file as a Blob. */
    record() {
        const { context } = this;
        if (!this.chunks) {
            this.chunks = [];
            this.tap = context.createScriptProcessor(4096, 2, 2);
            this.tap.onaudioprocess = ({ inputBuffer }) =>
                this.chunks?.push([0, 1].map((channel) => inputBuffer.getChannelData(channel).slice()));
            this.node.connect(this.tap);
            this.tap.connect(context.destination);
            return undefined;
        }
        const { chunks } = this;
        this.chunks = undefined;
        this.tap.disconnect();
        return wav(chunks, context.sampleRate);
    }
}

/** A WAV file of 32-bit floats from pieces of two channels. */
export function wav(pieces, rate) {
    const frames = pieces.reduce((sum, [left]) => sum + left.length, 0), head = new DataView(new ArrayBuffer(58)), data = new Float32Array(2 * frames);
    const text = (place, letters) => [...letters].forEach((letter, i) => head.setUint8(place + i, letter.charCodeAt(0)));
    text(0, 'RIFF');
    head.setUint32(4, 50 + 8 * frames, true);
    text(8, 'WAVEfmt ');
    head.setUint32(16, 18, true);
    head.setUint16(20, 3, true); /* floats */
    head.setUint16(22, 2, true);
    head.setUint32(24, rate, true);
    head.setUint32(28, 8 * rate, true);
    head.setUint16(32, 8, true);
    head.setUint16(34, 32, true);
    text(38, 'fact');
    head.setUint32(42, 4, true);
    head.setUint32(46, frames, true);
    text(50, 'data');
    head.setUint32(54, 8 * frames, true);
    let at = 0;
    for (const [left, right] of pieces)
        for (let i = 0; i < left.length; i++) {
            data[at++] = left[i];
            data[at++] = right[i];
        }
    return new Blob([head, data], { type: 'audio/wav' });
}
