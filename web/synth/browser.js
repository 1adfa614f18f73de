/* Browser of the shipped instruments: a card for each, by family, with a picture that is drawn from the file's bodies and springs. */

import { partsOf } from './layers.js';

const FAMILIES = ['plucked', 'bowed', 'struck bars', 'skins and plates', 'blown by noise and delay', 'strange machines'];
const MOST_LINES = 14; /* of a grid along an axis */

/* Vectors of a grid's axes, m. */
function axes(grid) {
    const step = grid.step ?? 0.01, size = [grid.size].flat();
    return size.map((_, axis) => {
        if (typeof step === 'number') return [0, 1, 2].map((k) => (k === axis ? step : 0));
        return typeof step[0] === 'number' ? (size.length === 1 ? step : [0, 1, 2].map((k) => (k === axis ? step[k] : 0))) : step[axis];
    });
}

/** Lines [[from, to], ...] and points of an instrument file, m. */
export function shapeOf(value) {
    const lines = [], points = (value.bodies ?? []).map((body) => body.position), places = new Map((value.bodies ?? []).map((b) => [b.name, b.position]));
    for (const grid of value.grids ?? []) {
        const size = [grid.size].flat(), vectors = axes(grid), origin = grid.origin ?? [0, 0, 0];
        const at = (index) => origin.map((o, k) => index.reduce((sum, i, axis) => sum + i * vectors[axis][k], o));
        places.set(grid.name, at(size.map((n) => (n - 1) / 2)));
        size.forEach((n, axis) => { /* along each axis: a line for each place on the others, at most MOST_LINES */
            let starts = [size.map(() => 0)];
            size.forEach((m, other) => {
                if (other === axis) return;
                const count = Math.min(m, size.length === 3 ? 2 : MOST_LINES);
                starts = starts.flatMap((start) => Array.from({ length: count }, (_, i) => start.with(other, Math.round(i * (m - 1) / Math.max(count - 1, 1)))));
            });
            for (const start of starts) lines.push([at(start), at(start.with(axis, n - 1))]);
        });
        if (size.length === 1) for (let i = 0; i < size[0]; i += Math.ceil(size[0] / 40)) points.push(at([i]));
    }
    const placeOf = (name) => places.get(name) ?? places.get(String(name).replace(/\[.*/, ''));
    for (const { from, to } of value.springs ?? []) if (placeOf(from) && placeOf(to)) lines.push([placeOf(from), placeOf(to)]);
    return { lines, points };
}

/** Draws an instrument file in parallel projection, to fit. */
export function draw(canvas, value) {
    const shapes = partsOf(value).map((part) => shapeOf(part.value)), lines = shapes.flatMap((s) => s.lines), points = shapes.flatMap((s) => s.points);
    const flat = ([x, y, z]) => [x + 0.8 * y, -z - 0.4 * y];
    const all = [...points, ...lines.flat()].map(flat), context = canvas.getContext('2d');
    if (!all.length) return;
    const low = [0, 1].map((k) => Math.min(...all.map((p) => p[k]))), high = [0, 1].map((k) => Math.max(...all.map((p) => p[k])));
    const scale = 0.86 * Math.min(canvas.width / (high[0] - low[0] || 1e-3), canvas.height / (high[1] - low[1] || 1e-3));
    const at = (place) => flat(place).map((p, k) => (p - (low[k] + high[k]) / 2) * scale + [canvas.width, canvas.height][k] / 2);
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.strokeStyle = style.getPropertyValue('--soft');
    context.fillStyle = style.getPropertyValue('--mark');
    context.lineWidth = lines.length > 60 ? 0.7 : 1.4;
    for (const [from, to] of lines) {
        context.beginPath();
        context.moveTo(...at(from));
        context.lineTo(...at(to));
        context.stroke();
    }
    for (const place of points) {
        context.beginPath();
        context.arc(...at(place), points.length > 60 ? 1.5 : 3, 0, 7);
        context.fill();
    }
}

const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
};

/** Fills a dialog with cards. `read(name)` returns the text of an instrument file; `choose(name)` opens it. */
export async function browse(dialog, names, read, choose) {
    if (!dialog.dataset.filled) {
        dialog.dataset.filled = true;
        const groups = new Map([...FAMILIES, 'others'].map((family) => [family, element('section', {}, element('h2', { textContent: family }))]));
        dialog.append(...groups.values());
        for (const name of names.filter(Boolean)) {
            const value = JSON.parse(await read(name)), picture = element('canvas', { width: 168, height: 96 });
            const [first, second] = (value.description ?? '').split('\n');
            const card = element('button', { type: 'button', title: second ?? '' }, picture, element('strong', { textContent: name }), element('small', { textContent: first }));
            card.onclick = () => {
                dialog.close();
                choose(name);
            };
            (groups.get(value.family) ?? groups.get('others')).append(card);
            draw(picture, value);
        }
        for (const group of groups.values()) group.hidden = group.children.length === 1;
    }
}
