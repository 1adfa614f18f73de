/** Cloth, frame by frame. */
export { HeddleError } from './module.js';

/** "exact" computes fused multiply-add, "relaxed" has it from the machine: the same bits in strict mode. */
export type Build = 'exact' | 'relaxed';

export interface ClothOptions {
    /** files that the scene names, by their paths */
    files?: Record<string, string | ArrayBuffer | ArrayBufferView>;
    /** the bits of the native library's strict mode; false */
    strict?: boolean;
    /** substeps of a frame; 0: the file's */
    substeps?: number;
    /** vertices may be held; false */
    hold?: boolean;
}

export interface OpenOptions extends ClothOptions {
    module?: WebAssembly.Module;
    build?: Build;
}

export interface Prop {
    positions: Float32Array;
    triangles: Uint32Array;
}

export interface Camera {
    eye: number[];
    target: number[];
    up: number[];
    /** degrees, vertical */
    fieldOfView: number;
}

/** Compiles the module, once. The result can be posted to a Worker. */
export function compile(build?: Build): Promise<WebAssembly.Module>;

/** Opens a scene: text of a scene file, or the object that it describes. */
export function open(scene: string | object, options?: OpenOptions): Promise<Cloth>;

export class Cloth {
    constructor(module: WebAssembly.Module, scene: string | object, options?: ClothOptions);
    /** frames a second */
    readonly rate: number;
    /** frames of the scene; 0: not specified */
    readonly frames: number;
    /** number of frames so far */
    readonly frame: number;
    /** Simulates the next frames of the scene. */
    step(count?: number): this;
    /** Copies vertices and normals out of the simulation. */
    read(): this;
    /** Vertices at the last read(), or at the start, (vertices x 3); a view, valid until the next call. */
    readonly positions: Float32Array;
    /** Normals at the last read(), (vertices x 3). */
    readonly normals: Float32Array;
    /** Vertices of the triangles, (triangles x 3). */
    readonly triangles: Uint32Array;
    /** Replaces the scene's wind, m/s. */
    wind(x: number, y: number, z: number): void;
    /** Holds a vertex at a point, m, which it reaches evenly during the next frame; at most 16 vertices. Only with the option `hold`. */
    hold(vertex: number, x: number, y: number, z: number): void;
    /** Lets a held vertex go. */
    release(vertex: number): void;
    /** Moves a ball that pushes the cloth, m; the next number adds one, at most 16. */
    ball(index: number, x: number, y: number, z: number, radius: number): void;
    reset(): void;
    /** Colliders and other meshes for pictures. */
    readonly props: Prop[];
    readonly camera: Camera;
    /** Quality of the last frame. */
    measure(): { hash: string; worstStretch: number; kineticEnergy: number };
    close(): void;
}
