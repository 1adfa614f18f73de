/* A hand that grabs cloth: the vertex under a pointer, those around it, and their way to the pointer. */
import { add, cross, dot } from './vectors.js';

const GRIP = 2.2;     /* radius of a grip, in edges of the triangle that was hit */
const MOST = 16;      /* vertices in a grip */
const SETTLE = 3;     /* frames in which a grip moves with the cloth, until the engine holds it */
const FASTEST = 0.03; /* m a frame, less the more the cloth is stretched */
const LONGEST = 0.3;  /* stretch at which the hand is slowest */
const SLOWEST = 0.1;  /* of the fastest: cloth may be stretched elsewhere, so the hand never stands still */

const pointOf = (points, v) => [points[3 * v], points[3 * v + 1], points[3 * v + 2]];

/* Distance along a ray to a triangle (Möller and Trumbore 1997); Infinity: it misses. */
function hit(eye, ray, a, b, c) {
    const ab = add(b, a, -1), ac = add(c, a, -1), p = cross(ray, ac), determinant = dot(ab, p);
    if (Math.abs(determinant) < 1e-20) return Infinity;
    const to = add(eye, a, -1), u = dot(to, p) / determinant, q = cross(to, ab), v = dot(ray, q) / determinant;
    const along = dot(ac, q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && along > 0 ? along : Infinity;
}

/** The first triangle of some surfaces on a ray: {surface, corner, along}, or undefined. A surface: {vertices: {points}, triangles}. */
export function firstHit(surfaces, eye, ray) {
    let found;
    for (const surface of surfaces) {
        const { triangles, vertices: { points } } = surface;
        for (let t = 0; t + 2 < triangles.length; t += 3) {
            const along = hit(eye, ray, pointOf(points, triangles[t]), pointOf(points, triangles[t + 1]), pointOf(points, triangles[t + 2]));
            if (along < (found?.along ?? Infinity)) found = { surface, corner: t, along };
        }
    }
    return found;
}

/** Vertex of a triangle nearest to a point, and the triangle's longest edge. */
export function vertexOf({ surface: { triangles, vertices: { points } }, corner }, point) {
    const corners = [0, 1, 2].map((k) => triangles[corner + k]), places = corners.map((v) => pointOf(points, v));
    const away = places.map((place) => Math.hypot(...add(place, point, -1)));
    return { vertex: corners[away.indexOf(Math.min(...away))], edge: Math.max(...places.map((place, k) => Math.hypot(...add(place, places[(k + 1) % 3], -1)))) };
}

export class Hand {
    /** `scale`: units of the positions in a metre. */
    constructor(scale = 1) {
        Object.assign(this, { scale, vertex: -1, grip: [], at: [0, 0, 0], place: [0, 0, 0], from: [0, 0, 0], frames: 0 });
    }

    get isHolding() {
        return this.vertex >= 0;
    }

    /** Takes a vertex and those around it, of vertices from `first` to before `end`. */
    grab(points, vertex, edge, first = 0, end = points.length / 3) {
        const middle = pointOf(points, vertex), near = [];
        for (let v = first; v < end; v++) {
            const far = Math.hypot(points[3 * v] - middle[0], points[3 * v + 1] - middle[1], points[3 * v + 2] - middle[2]);
            if (far < GRIP * edge) near.push({ vertex: v, far });
        }
        this.grip = near.sort((a, b) => a.far - b.far).slice(0, MOST);
        Object.assign(this, { vertex, place: middle.slice(), frames: 0 });
        this.#anchor(points);
    }

    #anchor(points) {
        this.at = pointOf(points, this.vertex);
        for (const held of this.grip) held.offset = add(pointOf(points, held.vertex), this.at, -1);
    }

    /** Moves towards the place by a frame. `stretch`: of the longest edge. Returns [{vertex, place}] to hold. */
    follow(points, stretch) {
        if (!this.isHolding) return [];
        if (this.frames++ < SETTLE) {
            this.#anchor(points);
            this.from = this.at.slice();
        } else {
            const far = (place) => Math.hypot(...add(place, this.from, -1)), isBack = far(this.place) < far(this.at);
            const way = add(this.place, this.at, -1), speed = FASTEST * this.scale * (isBack ? 1 : Math.max(SLOWEST, 1 - stretch / LONGEST));
            this.at = add(this.at, way, Math.min(1, speed / Math.max(1e-9, Math.hypot(...way))));
        }
        return this.grip.map(({ vertex, offset }) => ({ vertex, place: add(this.at, offset) }));
    }

    release() {
        this.vertex = -1;
        this.grip = [];
    }
}
