/* Keyboards: buttons on the page, the computer's keys, and MIDI. */

const LETTERS = ['KeyA', 'KeyW', 'KeyS', 'KeyE', 'KeyD', 'KeyF', 'KeyT', 'KeyG', 'KeyY', 'KeyH', 'KeyU', 'KeyJ', 'KeyK', 'KeyO', 'KeyL', 'KeyP', 'Semicolon'];
const BLACK = [1, 3, 6, 8, 10];
const NAMES = ['C', 'C♯', 'D', 'E♭', 'E', 'F', 'F♯', 'G', 'A♭', 'A', 'B♭', 'B'];

export class Keys {
    /** `play(status, first, second)` takes MIDI events. */
    constructor(element, play) {
        this.element = element;
        this.play = play;
        this.held = new Map(); /* key or pointer: note */
        addEventListener('keydown', (event) => this.#key(event, true));
        addEventListener('keyup', (event) => this.#key(event, false));
        addEventListener('blur', () => this.releaseAll());
        element.addEventListener('pointerdown', (event) => this.#point(event));
        element.addEventListener('pointermove', (event) => event.buttons && this.#point(event));
        for (const kind of ['pointerup', 'pointercancel', 'pointerleave'])
            element.addEventListener(kind, (event) => this.#release(`pointer ${event.pointerId}`));
    }

    /** Shows the keys from `low` to `high`; the computer's keys begin at the C nearest to the middle. */
    show(low, high) {
        this.releaseAll();
        this.first = Math.min(Math.max(Math.round((low + high) / 24) * 12, Math.ceil(low / 12) * 12), 108);
        this.element.replaceChildren(...Array.from({ length: high - low + 1 }, (_, i) => {
            const button = document.createElement('button'), note = low + i;
            button.dataset.note = note;
            button.className = BLACK.includes(note % 12) ? 'black' : '';
            button.title = `${NAMES[note % 12]}${Math.floor(note / 12) - 1}, note ${note}`;
            button.textContent = note % 12 ? '' : `C${note / 12 - 1}`;
            button.setAttribute('aria-label', button.title);
            button.addEventListener('keydown', (event) => {
                if ((event.key === 'Enter' || event.key === ' ') && !event.repeat) this.#hold(`button ${note}`, note, 100);
            });
            button.addEventListener('keyup', () => this.#release(`button ${note}`));
            return button;
        }));
        this.element.querySelector(`[data-note="${this.first}"]`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
    }

    #mark(note, isDown) {
        this.element.querySelector(`[data-note="${note}"]`)?.classList.toggle('down', isDown);
    }

    #hold(key, note, velocity) {
        if (this.held.get(key) === note) return;
        this.#release(key);
        this.held.set(key, note);
        this.#mark(note, true);
        this.play(0x90, note, velocity);
    }

    #release(key) {
        const note = this.held.get(key);
        if (note === undefined) return;
        this.held.delete(key);
        this.#mark(note, false);
        this.play(0x80, note, 0);
    }

    releaseAll() {
        for (const key of [...this.held.keys()]) this.#release(key);
    }

    #key(event, isDown) {
        if (event.target.matches?.('input:not([type=range]):not([type=radio]), textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return;
        const index = LETTERS.indexOf(event.code);
        if (index < 0 || event.repeat) return;
        if (isDown) this.#hold(event.code, this.first + index, 100);
        else this.#release(event.code);
    }

    #point(event) {
        const button = document.elementFromPoint(event.clientX, event.clientY)?.closest?.('[data-note]');
        if (!button) return;
        const box = button.getBoundingClientRect(), low = (event.clientY - box.top) / box.height;
        event.target.releasePointerCapture?.(event.pointerId);
        this.#hold(`pointer ${event.pointerId}`, Number(button.dataset.note), Math.round(30 + 97 * Math.min(1, Math.max(0, low))));
    }

    /** Listens to MIDI keyboards, where the browser has them; returns their number. */
    async listen() {
        if (!navigator.requestMIDIAccess) return 0;
        const access = await navigator.requestMIDIAccess().catch(() => undefined);
        if (!access) return 0;
        const connect = () => access.inputs.forEach((input) => {
            input.onmidimessage = ({ data }) => {
                if (data[0] < 0xf0) this.play(data[0], data[1], data[2] ?? 0);
                const kind = data[0] & 0xf0;
                if (kind === 0x90 || kind === 0x80) this.#mark(data[1], kind === 0x90 && data[2] > 0);
            };
        });
        access.onstatechange = connect;
        connect();
        return access.inputs.size;
    }
}
