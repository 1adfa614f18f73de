/* Relation between the entities of the file and those of the engine, and the places where exciters, microphones and modulators are
 * drawn. */

export const LISTS = { body: 'bodies', spring: 'springs', grid: 'grids', microphone: 'microphones', mallet: 'mallets', plectrum: 'plectrums',
    bow: 'bows', damper: 'dampers', oscillator: 'oscillators', audio_input: 'audio_inputs', lfo: 'lfos', envelope: 'envelopes', follower: 'followers',
    midi_source: 'midi_sources', delay_line: 'delay_lines', link: 'links', modulation: 'modulations', change: 'changes' };
/** Class of the marker of each type that is drawn beside the bodies. */
export const MARKERS = { microphone: 'ear', mallet: 'exciter', plectrum: 'exciter', bow: 'exciter', damper: 'exciter', oscillator: 'exciter', audio_input: 'exciter',
    lfo: 'modulator', envelope: 'modulator', follower: 'modulator', midi_source: 'modulator', delay_line: 'modulator' };
/** Name of the audio input by which the pointer pulls a body. It is in the text that sounds, and not in the file. */
export const HAND = 'hand of the page';

/** The engine's bodies and springs, and the entries of the file that they come from. The engine numbers the file's bodies first, then
 *  those of each grid; so it does springs. */
export class Shape {
    constructor(value, synth) {
        const { bodies = [], springs = [], grids = [] } = value;
        this.value = value;
        this.rest = synth.rest.slice();
        this.masses = synth.masses.slice();
        this.ends = synth.ends.slice();
        this.bodyNames = bodies.map((body) => body.name ?? '');
        this.bodyPaths = bodies.map((_, i) => ['bodies', i]);
        grids.forEach((grid, i) => this.#takeGrid(grid, i, synth));
        this.numbers = new Map(this.bodyNames.map((name, i) => [name, i]).filter(([name]) => name));
        this.springPaths = Array.from({ length: this.ends.length / 2 },
            (_, i) => (i < springs.length ? ['springs', i] : this.bodyPaths[this.ends[2 * i]]));
        this.stiffness = Float32Array.from(this.springPaths, ([list, i]) =>
            (list === 'springs' ? springs[i] : grids[i]?.spring)?.stiffness ?? 1000);
    }

    /* Adds the parts of a grid. The order of its axes is asked of the engine, if the grid has a name. */
    #takeGrid(grid, number, synth) {
        const size = [grid.size].flat(), total = size.reduce((product, n) => product * n, 1), first = this.bodyNames.length;
        const part = (at) => `${grid.name}[${at.join(',')}]`, zero = size.map(() => 0);
        const strides = size.map((n, axis) => (grid.name && n > 1 ? synth.find(part(zero.with(axis, 1))) - synth.find(part(zero)) : 0));
        for (let i = 0; i < total; i++) {
            this.bodyNames.push('');
            this.bodyPaths.push(['grids', number]);
        }
        if (!grid.name) return;
        const at = [...zero];
        for (let i = 0; i < total; i++) {
            this.bodyNames[first + at.reduce((sum, n, axis) => sum + n * strides[axis], 0)] = part(at);
            for (let axis = size.length - 1; axis >= 0 && ++at[axis] === size[axis]; axis--) at[axis] = 0;
        }
    }

    /** Bodies that a reference names: "b", "s[3]", "s[0..9]", "plate[*,4]", "plate". */
    resolve(reference) {
        const list = Array.isArray(reference) ? reference : [reference];
        return list.flatMap((text) => {
            if (this.numbers.has(text)) return [this.numbers.get(text)];
            const part = /^(.*)\[([^\]]*)\]$/.exec(text), name = part ? part[1] : text;
            const ranges = part?.[2].split(',').map((range) => (range.trim() === '*' ? undefined : range.split('..').map(Number)));
            return this.bodyNames.flatMap((full, i) => {
                const found = /^(.*)\[([^\]]*)\]$/.exec(full);
                if (!found || found[1] !== name) return [];
                const inside = found[2].split(',').every((at, k) => !ranges?.[k] || (at >= ranges[k][0] && at <= (ranges[k][1] ?? ranges[k][0])));
                return inside ? [i] : [];
            });
        });
    }

    middle(bodies) {
        const sum = [0, 0, 0];
        for (const i of bodies) for (let k = 0; k < 3; k++) sum[k] += this.rest[3 * i + k] / bodies.length;
        return sum;
    }

    /** Exciters, microphones and modulators: {type, path, name, place (m; undefined: it has none), bodies, targets}. */
    markers() {
        const { value } = this, markers = [];
        for (const [type, list] of Object.entries(LISTS)) {
            if (!MARKERS[type]) continue;
            (value[list] ?? []).forEach((entity, i) => {
                const bodies = (value.links ?? []).filter((link) => link.from === entity.name).flatMap((link) => this.resolve(link.to));
                const place = entity.position ?? (bodies.length ? this.middle(bodies) : undefined);
                const targets = (value.modulations ?? []).filter((m) => m.source === entity.name).flatMap((m) => [m.target].flat());
                markers.push({ type, path: [list, i], name: entity.name ?? `${type} ${i + 1}`, place: MARKERS[type] === 'modulator' ? undefined : place,
                    bodies, targets, direction: entity.direction });
            });
        }
        return markers;
    }
}

/** Text of the instrument with an input that pulls a body along a direction, by 1 N for each unit of the input. */
export function withHand(value, bodyName, direction = [0, 0, 1]) {
    if (!bodyName) return JSON.stringify(value);
    return JSON.stringify({ ...value,
        audio_inputs: [...value.audio_inputs ?? [], { name: HAND, direction }],
        links: [...value.links ?? [], { from: HAND, to: bodyName }] });
}
