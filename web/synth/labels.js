/* Places for the labels of exciters and microphones, beside the bodies that a pointer pulls. */

const CELL = 6;   /* pixels of a cell of the map of covered places */
const REACH = 9;  /* pixels around a body that stay free: its picture, and a pointer's inaccuracy */
const RINGS = 60; /* rings of places that are tried, each a cell further away */
const TURNS = 16; /* places of a ring */

/** Centres [x, y] for labels {x, y, width, height, place}, pixels, each as near to its (x, y) as it can be without covering a body [x, y] or
 *  another label, inside `frame` {left, top, right, bottom}. A label for which nothing is free stays at its (x, y), in the frame. */
export function placeLabels(labels, bodies, frame) {
    const across = Math.max(1, Math.ceil(frame.right / CELL)), down = Math.max(1, Math.ceil(frame.bottom / CELL));
    const covered = new Uint8Array(across * down), clamp = (v, low, high) => Math.max(low, Math.min(high, v));
    const cells = (x0, y0, x1, y1, visit) => {
        const right = Math.min(across - 1, Math.floor(x1 / CELL)), bottom = Math.min(down - 1, Math.floor(y1 / CELL));
        for (let row = Math.max(0, Math.floor(y0 / CELL)); row <= bottom; row++)
            for (let column = Math.max(0, Math.floor(x0 / CELL)); column <= right; column++)
                if (visit(row * across + column)) return true;
        return false;
    };
    const cover = (cell) => { covered[cell] = 1; };
    for (const [x, y] of bodies) cells(x - REACH, y - REACH, x + REACH, y + REACH, cover);
    return labels.map(({ x, y, width, height }) => {
        const [halfWidth, halfHeight] = [width / 2, height / 2];
        const inside = (px, py) => [clamp(px, frame.left + halfWidth, Math.max(frame.left + halfWidth, frame.right - halfWidth)),
            clamp(py, frame.top + halfHeight, Math.max(frame.top + halfHeight, frame.bottom - halfHeight))];
        const isFree = ([px, py]) => !cells(px - halfWidth, py - halfHeight, px + halfWidth, py + halfHeight, (cell) => covered[cell] === 1);
        let found = inside(x, y);
        for (let ring = 0; !isFree(found) && ring < RINGS; ring++)
            for (let turn = 0; turn < TURNS; turn++) {
                const angle = 2 * Math.PI * turn / TURNS - Math.PI / 2, place = inside(x + ring * CELL * Math.cos(angle), y + ring * CELL * Math.sin(angle));
                if (!isFree(place)) continue;
                found = place;
                break;
            }
        if (!isFree(found)) found = inside(x, y);
        cells(found[0] - halfWidth, found[1] - halfHeight, found[0] + halfWidth, found[1] + halfHeight, cover);
        return found;
    });
}
