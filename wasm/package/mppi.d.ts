/** Sampling model-predictive control. */
export { HeddleError } from './module.js';

/** "exact" computes fused multiply-add, "relaxed" has it from the machine: the same bits in strict mode. */
export type Build = 'exact' | 'relaxed';

export interface ControllerOptions {
    /** files that the scene names, by their paths */
    files?: Record<string, string | ArrayBuffer | ArrayBufferView>;
    /** the bits of the native library's strict mode; false */
    strict?: boolean;
    /** the file's, unless given */
    kind?: 'mppi' | 'tube' | 'rmppi';
    samples?: number;
    steps?: number;
    seed?: number;
}

export interface OpenOptions extends ControllerOptions {
    module?: WebAssembly.Module;
    build?: Build;
}

export interface ControllerInfo {
    states: number;
    controls: number;
    steps: number;
    samples: number;
    dt: number;
    /** steps of the scene's closed loop; 0: not specified */
    runSteps: number;
    /** least cost of the last solve */
    cost: number;
    /** effective number of samples */
    ess: number;
    hash: string;
}

/** Compiles the module, once. The result can be posted to a Worker. */
export function compile(build?: Build): Promise<WebAssembly.Module>;

/** Opens a scene: text of a scene file, or the object that it describes. */
export function open(scene: string | object, options?: OpenOptions): Promise<Controller>;

export class Controller {
    constructor(module: WebAssembly.Module, scene: string | object, options?: ControllerOptions);
    readonly model: string;
    readonly stateNames: string[];
    readonly controlNames: string[];
    readonly steps: number;
    readonly dt: number;
    readonly samples: number;
    /** Computes the controls to apply now, (controls), a view, valid until the next call. */
    solve(state?: ArrayLike<number>): Float32Array;
    /** Moves the state by one step of the model under the control, and shifts the plan. */
    advance(): Float32Array;
    /** State of the plant, (states), which a program may write. */
    readonly state: Float32Array;
    readonly control: Float32Array;
    /** Plan of the last solve, (steps x controls). */
    readonly plan: Float32Array;
    /** States along the plan, (steps + 1 x states). */
    readonly path: Float32Array;
    /** The best futures of the last solve: states (count x steps + 1 x states), costs (count). */
    trace(count?: number): { states: Float32Array; costs: Float32Array };
    shift(steps?: number): void;
    readonly parameters: string[];
    get(name: string): number;
    set(name: string, value: number): void;
    setTable(name: string, values: ArrayLike<number>): void;
    /** Time of the scene, s. */
    readonly seconds: number;
    readonly info: ControllerInfo;
    reset(): void;
    close(): void;
}
