/* Cloth, frame by frame: the cloth engine of Heddle (docs/cloth.md). */
import { Instance, compile as compileFiles } from './module.js';

export { HeddleError } from './module.js';

const files = () => ({
    exact: new URL('./heddle-cloth-exact.wasm', import.meta.url),
    relaxed: new URL('./heddle-cloth-relaxed.wasm', import.meta.url),
});

/** Compiles the module of cloth. The result can be posted to a Worker. */
export const compile = (build) => compileFiles(files(), build);

/** Opens a scene. `scene`: text of a scene file, or an object; `files`: the files that it names, {path: text or bytes}. */
export async function open(scene, options = {}) {
    return new Cloth(options.module ?? await compile(options.build), scene, options);
}

/** The cloth of a scene. */
export class Cloth {
    #instance;
    #player;

    constructor(module, scene, { files = {}, strict = false, substeps = 0, hold = false } = {}) {
        const instance = new Instance(module, files);
        const text = typeof scene === 'string' ? scene : JSON.stringify(scene);
        this.#player = instance.with('.', (folder) => instance.with(text, (pointer, size) =>
            instance.check(instance.call.hedw_cloth_open(pointer, size, folder, strict, substeps, hold))));
        this.#instance = instance;
        /** Frames a second. */
        this.rate = this.#call('rate');
        /** Frames of the scene; 0: not specified. */
        this.frames = this.#call('frames');
    }

    #call(name, ...values) {
        return this.#instance.call[`hedw_cloth_${name}`](this.#player, ...values);
    }

    #do(name, ...values) {
        return this.#instance.check(this.#call(name, ...values));
    }

    /** Simulates the next frames of the scene. */
    step(count = 1) {
        for (let i = 0; i < count; i++) this.#do('step');
        return this;
    }

    /** Copies vertices and normals out of the simulation, for positions and normals. */
    read() {
        this.#do('read');
        return this;
    }

    /** Vertices at the last read(), or at the start, (vertices x 3), valid until the next call. */
    get positions() {
        return this.#instance.view(Float32Array, this.#call('positions'), 3 * this.#call('vertex_count'));
    }

    /** Normals at the last read(), (vertices x 3). */
    get normals() {
        return this.#instance.view(Float32Array, this.#call('normals'), 3 * this.#call('vertex_count'));
    }

    /** Vertices of the triangles, (triangles x 3). */
    get triangles() {
        return this.#instance.view(Uint32Array, this.#call('triangles'), 3 * this.#call('triangle_count'));
    }

    /** Number of frames so far. */
    get frame() {
        return this.#call('frame_count');
    }

    /** Replaces the scene's wind, m/s. */
    wind(x, y, z) {
        this.#call('wind', x, y, z);
    }

    /** Moves a ball that pushes the cloth, m; the next number adds one. It moves evenly during the next frame. */
    ball(index, x, y, z, radius) {
        this.#do('ball', index, x, y, z, radius);
    }

    /** Holds a vertex at a point, m, which it reaches evenly during the next frame. Only with the option `hold`. */
    hold(vertex, x, y, z) {
        this.#do('hold', vertex, x, y, z);
    }

    /** Lets a held vertex go. */
    release(vertex) {
        this.#do('release', vertex);
    }

    /** Returns to the start. */
    reset() {
        this.#do('reset');
    }

    /** Colliders and other meshes for pictures, at the last frame: {positions, triangles}. */
    get props() {
        return Array.from({ length: this.#call('prop_count') }, (_, i) => {
            const [vertices, triangles, positions, corners] = this.#instance.view(Uint32Array, this.#call('prop', i), 4);
            return {
                positions: this.#instance.view(Float32Array, positions, 3 * vertices),
                triangles: this.#instance.view(Uint32Array, corners, 3 * triangles),
            };
        });
    }

    /** Camera of the scene, m and degrees. */
    get camera() {
        const numbers = Array.from(this.#instance.view(Float32Array, this.#call('camera'), 10));
        return { eye: numbers.slice(0, 3), target: numbers.slice(3, 6), up: numbers.slice(6, 9), fieldOfView: numbers[9] };
    }

    /** Quality of the last frame; `hash` is that of the native library in strict mode. */
    measure() {
        const [low, high, worstStretch, kineticEnergy] = this.#instance.view(Float64Array, this.#do('measure'), 4);
        return { hash: [high, low].map((half) => half.toString(16).padStart(8, '0')).join(''), worstStretch, kineticEnergy };
    }

    /** Releases the cloth. */
    close() {
        this.#call('close');
        this.#player = 0;
    }
}
