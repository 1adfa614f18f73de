/* Camera that turns about a target, moves with it and goes nearer. */
import { add, axes, cross, dot, placed, unit } from './vectors.js';

const STEEPEST = 1.5; /* maximum angle above or below the target, radians */
const WIDTH = 1.25;   /* width of a picture, by its height, at which its sides are cut no further */

export class View {
    constructor({ eye, target, up, fieldOfView }) {
        const axis = up.reduce((best, x, k) => (Math.abs(x) > Math.abs(up[best]) ? k : best), 1);
        this.start = { eye, target, up };
        this.upward = [0, 1, 2].map((k) => (k === axis ? Math.sign(up[axis]) || 1 : 0));
        this.tangent = Math.tan(fieldOfView * Math.PI / 360);
        this.home();
    }

    /** Returns to the scene's own view. */
    home() {
        Object.assign(this, { eye: [...this.start.eye], target: [...this.start.target], up: [...this.start.up] });
    }

    get axes() {
        return axes(this.eye, this.target, this.up);
    }

    get distance() {
        return Math.hypot(...add(this.eye, this.target, -1));
    }

    /** Slopes of the picture's half width and half height. A narrow picture shows the scene's whole width. */
    slopes(width, height) {
        const up = this.tangent * Math.max(1, WIDTH * height / width);
        return [up * width / height, up];
    }

    /** Turns about the target; radians. */
    turn(right, down) {
        const offset = add(this.eye, this.target, -1), [across] = this.axes, { distance } = this;
        const steep = Math.asin(Math.max(-1, Math.min(1, dot(offset, this.upward) / distance)));
        const about = (v, axis, angle) => {
            const c = Math.cos(angle), s = Math.sin(angle), side = cross(axis, v), along = dot(axis, v) * (1 - c);
            return v.map((x, k) => x * c + side[k] * s + axis[k] * along);
        };
        const next = Math.max(-STEEPEST, Math.min(STEEPEST, steep + down));
        this.eye = add(this.target, about(about(offset, across, steep - next), this.upward, -right));
        this.up = this.upward;
    }

    /** Moves eye and target in the picture's plane, by fractions of its height. */
    pan(right, down) {
        const [across, upward] = this.axes, height = 2 * this.tangent * this.distance;
        for (const point of ['eye', 'target']) this[point] = add(add(this[point], across, -right * height), upward, down * height);
    }

    /** Multiplies the distance. */
    zoom(factor) {
        this.eye = add(this.target, add(this.eye, this.target, -1), Math.max(0.02, factor));
    }

    /** Direction of length 1 from the eye through a point of a picture. */
    ray(x, y, width, height) {
        const [right, upward, back] = this.axes, [across, up] = this.slopes(width, height);
        return unit([0, 1, 2].map((k) => (2 * x / width - 1) * across * right[k] + (1 - 2 * y / height) * up * upward[k] - back[k]));
    }

    /** Place of a point in a picture, pixels. */
    project(point, width, height) {
        const [right, upward, back] = this.axes, [across, up] = this.slopes(width, height), to = add(point, this.eye, -1), depth = -dot(to, back);
        return [(1 + dot(to, right) / (depth * across)) * width / 2, (1 - dot(to, upward) / (depth * up)) * height / 2];
    }

    /** Matrix of the picture. `near`, `far`: distances of its first and last depth. */
    matrix(width, height, near, far) {
        const [across, up] = this.slopes(width, height), projection = new Float32Array(16);
        projection.set([1 / across, 0, 0, 0, 0, 1 / up, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
        return { projection, placed: placed(this.eye, this.axes) };
    }
}
