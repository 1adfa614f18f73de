/* The page as the window of a plugin: the plugin has the sound, the knobs and the session. This stands in the place of Sound and of the
 * file's server: what is played, turned and edited goes to the plugin, and its state is asked for again and again. */

const EVERY = 33; /* ms between two questions */
const OWN = 300;  /* ms after a turn of its own in which the page is not told of the knob */

export class Plugin {
    isOn = true;

    /** `place.call(name, body)` asks the server; `receive(message)` takes {kind: "knob" | "instrument" | "refused" | "ended"}. */
    constructor(place, receive) {
        this.place = place;
        this.receive = receive;
        this.last = Promise.resolve(); /* messages arrive in the order in which they were sent */
        this.knobs = [];
        this.turned = []; /* time of the page's own last turn of each knob */
        this.number = 1;
        this.refusals = 0;
    }

    #post(name, body) {
        this.last = this.last.then(() => this.place.call(name, JSON.stringify(body))).catch((error) => this.receive({ kind: 'refused', message: error.message }));
        return this.last;
    }

    /** As Sound.send(): MIDI and macros; there is no pointer's hand in a plugin. */
    send(what, ...values) {
        if (what === 'midi') this.#post('note', { bytes: values });
        else if (what === 'host') this.turn(...values);
        else if (what === 'reset') this.#post('note', { bytes: [0xb0, 120, 0] });
    }

    /** Turns a knob of the plugin: a macro, or 8, the gain. */
    turn(knob, value) {
        this.knobs[knob] = value;
        this.turned[knob] = performance.now();
        this.#post('knob', { knob, value });
    }

    /** Tells the host that a knob is held, so that it records its motion as one. */
    touch(knob, isHeld) {
        this.#post('touch', { knob, value: isHeld ? 1 : 0 });
    }

    /** The instrument was edited, or, with a name, another one was opened. */
    load(text, name) {
        return this.#post('text', { text, ...(name === undefined ? {} : { name }) });
    }

    change(text) {
        return this.load(text);
    }

    async start() {}

    /** Asks for what the host has changed, for ever. */
    async follow() {
        try {
            const { number, knobs, refusals, refused } = await this.place.call('plugin');
            if (refusals > this.refusals) this.receive({ kind: 'refused', message: refused });
            this.refusals = refusals;
            if (number !== this.number) this.receive({ kind: 'instrument' });
            this.number = number;
            knobs.forEach((value, knob) => {
                if (value === null || value === this.knobs[knob] || performance.now() - this.turned[knob] < OWN) return;
                this.knobs[knob] = value;
                this.receive({ kind: 'knob', knob, value });
            });
        } catch {
            this.receive({ kind: 'ended' });
            return;
        }
        setTimeout(() => this.follow(), EVERY);
    }
}
