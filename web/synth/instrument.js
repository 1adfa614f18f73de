/* Relation between the entities of the file and those of the engine, and the places where exciters, microphones and modulators are
 * drawn. */

import { partsOf } from './layers.js';

export const LISTS = { body: 'bodies', spring: 'springs', grid: 'grids', microphone: 'microphones', mallet: 'mallets', plectrum: 'plectrums',
    bow: 'bows', damper: 'dampers', oscillator: 'oscillators', audio_input: 'audio_inputs', lfo: 'lfos', envelope: 'envelopes', follower: 'followers',
    midi_source: 'midi_sources', delay_line: 'delay_lines', link: 'links', modulation: 'modulations', change: 'changes' };
/** Class of the marker of each type that is drawn beside the bodies. */
export const MARKERS = { microphone: 'ear', mallet: 'exciter', plectrum: 'exciter', bow: 'exciter', damper: 'exciter', oscillator: 'exciter', audio_input: 'exciter',
    lfo: 'modulator', envelope: 'modulator', follower: 'modulator', midi_source: 'modulator', delay_line: 'modulator' };
/** Name of the audio input by which the pointer pulls a body. It is in the text that sounds, and not in the file. */
export const HAND = 'hand of the page';

/** The engine's bodies and springs, and the entries of the file that they come from. The engine numbers the file's bodies first, then
 *  those of each grid; so it does springs. Parts of a layer come from the layer. */
export class Shape {
    constructor(whole, synth) {
        this.parts = partsOf(whole);
        this.rest = synth.rest.slice();
        this.masses = synth.masses.slice();
        this.ends = synth.ends.slice();
        this.bodyNames = [];
        this.bodyPaths = [];
        for (const part of this.parts) {
            for (const [i, body] of (part.value.bodies ?? []).entries()) {
                this.bodyNames.push(body.name ? part.prefix + body.name : '');
                this.bodyPaths.push(this.#pathOf(part, 'bodies', i));
            }
            (part.value.grids ?? []).forEach((grid, i) => this.#takeGrid(grid, this.#pathOf(part, 'grids', i), part.prefix, synth));
        }
        this.numbers = new Map(this.bodyNames.map((name, i) => [name, i]).filter(([name]) => name));
        const { springs = [], grids = [] } = whole;
        this.springPaths = Array.from({ length: this.ends.length / 2 },
            (_, i) => (i < springs.length ? ['springs', i] : this.bodyPaths[this.ends[2 * i]]));
        this.stiffness = Float32Array.from(this.springPaths, ([list, i]) =>
            (list === 'springs' ? springs[i] : grids[i]?.spring)?.stiffness ?? 1000);
    }

    /* Place of an entity in the text; that of its layer, if it has one. */
    #pathOf(part, list, index) {
        return part.path.length ? part.path : [list, index];
    }

    /** Name of the first body of each part that has a name; undefined: none has. */
    firstNames() {
        return this.parts.map(({ prefix }) => this.bodyNames.find((name) => name && name.startsWith(prefix)));
    }

    /* Adds the parts of a grid. The order of its axes is asked of the engine, if the grid has a name. */
    #takeGrid(grid, path, prefix, synth) {
        const size = [grid.size].flat(), total = size.reduce((product, n) => product * n, 1), first = this.bodyNames.length;
        const part = (at) => `${prefix}${grid.name}[${at.join(',')}]`, zero = size.map(() => 0);
        const strides = size.map((n, axis) => (grid.name && n > 1 ? synth.find(part(zero.with(axis, 1))) - synth.find(part(zero)) : 0));
        for (let i = 0; i < total; i++) {
            this.bodyNames.push('');
            this.bodyPaths.push(path);
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
        return this.parts.flatMap((part) => {
            const { value, prefix } = part, markers = [];
            for (const [type, list] of Object.entries(LISTS)) {
                if (!MARKERS[type]) continue;
                (value[list] ?? []).forEach((entity, i) => {
                    const inside = (reference) => [reference].flat().map((text) => prefix + text);
                    const bodies = (value.links ?? []).filter((link) => link.from === entity.name).flatMap((link) => this.resolve(inside(link.to)));
                    const place = entity.position ?? (bodies.length ? this.middle(bodies) : undefined);
                    const targets = (value.modulations ?? []).filter((m) => m.source === entity.name).flatMap((m) => inside(m.target));
                    markers.push({ type, path: this.#pathOf(part, list, i), name: prefix + (entity.name ?? `${type} ${i + 1}`),
                        place: MARKERS[type] === 'modulator' ? undefined : place, bodies, targets, direction: entity.direction });
                });
            }
            return markers;
        });
    }
}

/* An instrument with an input that pulls a body, by `weight` N for each unit of the input. */
function withInput(value, bodyName, direction, weight) {
    if (!bodyName) return value;
    return { ...value,
        audio_inputs: [...value.audio_inputs ?? [], { name: HAND, direction }],
        links: [...value.links ?? [], { from: HAND, to: bodyName, ...weight === 1 ? {} : { weight } }] };
}

/** Text of the instrument with an input that pulls a body along a direction, by 1 N for each unit of the input. Each layer has such an
 *  input, so that the numbers of entities stay when another layer's body is pulled; those of the others pull nothing. */
export function withHand(whole, shape, bodyName, direction = [0, 0, 1]) {
    const names = shape.firstNames(), pulled = bodyName ?? names.find(Boolean);
    if (!whole.layers) return JSON.stringify(withInput(whole, pulled, direction, 1));
    return JSON.stringify({ ...whole, layers: whole.layers.map((layer, i) => {
        const { prefix } = shape.parts[i], isPulled = pulled?.startsWith(prefix), name = isPulled ? pulled : names[i];
        return { ...layer, instrument: withInput(layer.instrument, name?.slice(prefix.length), direction, isPulled ? 1 : 0) };
    }) });
}
