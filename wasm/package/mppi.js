/* Sampling model-predictive control: the mppi engine of Heddle (docs/mppi.md). */
import { Instance, compile as compileFiles } from './module.js';

export { HeddleError } from './module.js';

const files = () => ({
    exact: new URL('./heddle-mppi-exact.wasm', import.meta.url),
    relaxed: new URL('./heddle-mppi-relaxed.wasm', import.meta.url),
});

/** Compiles the module of mppi. The result can be posted to a Worker. */
export const compile = (build) => compileFiles(files(), build);

/* numbers of hedw_mppi_info(), in its order */
const INFO = ['states', 'controls', 'steps', 'samples', 'dt', 'runSteps', 'cost', 'ess', 'low', 'high'];
const KINDS = ['mppi', 'tube', 'rmppi'];

/** Opens a scene. `scene`: text of a scene file, or an object; `files`: the files that it names, {path: text or bytes}. */
export async function open(scene, options = {}) {
    return new Controller(options.module ?? await compile(options.build), scene, options);
}

/** The controller of a scene, and the model as its plant. */
export class Controller {
    #instance;
    #pilot;
    #info;
    #names;

    constructor(module, scene, { files = {}, strict = false, kind, samples = 0, steps = 0, seed = -1 } = {}) {
        if (kind !== undefined && !KINDS.includes(kind)) throw new TypeError(`kind is "${kind}"; expected one of ${KINDS.join(', ')}`);
        const instance = new Instance(module, files);
        const text = typeof scene === 'string' ? scene : JSON.stringify(scene);
        this.#pilot = instance.with('.', (folder) => instance.with(text, (pointer, size) =>
            instance.check(instance.call.hedw_mppi_open(pointer, size, folder, strict, kind ? KINDS.indexOf(kind) : -1, samples, steps, seed))));
        this.#instance = instance;
        this.#info = this.#numbers();
        this.#names = [];
        for (let i = 0, name; (name = instance.text(this.#call('parameter_name', i))) !== undefined; i++) this.#names.push(name);
        this.model = instance.text(this.#call('model'));
        this.stateNames = Array.from({ length: this.#info.states }, (_, i) => instance.text(this.#call('state_name', i)));
        this.controlNames = Array.from({ length: this.#info.controls }, (_, i) => instance.text(this.#call('control_name', i)));
        /** Steps of the plan, and their length in s. */
        this.steps = this.#info.steps;
        this.dt = this.#info.dt;
        this.samples = this.#info.samples;
    }

    #call(name, ...values) {
        return this.#instance.call[`hedw_mppi_${name}`](this.#pilot, ...values);
    }

    #do(name, ...values) {
        return this.#instance.check(this.#call(name, ...values));
    }

    #floats(name, length, ...values) {
        return this.#instance.view(Float32Array, this.#call(name, ...values), length);
    }

    #numbers() {
        const numbers = this.#instance.view(Float64Array, this.#call('info'), INFO.length);
        return Object.fromEntries(INFO.map((name, i) => [name, numbers[i]]));
    }

    /** Computes the controls to apply now, (controls), valid until the next call. `state`: that of your plant; left out, its own. */
    solve(state) {
        if (state) this.state.set(state);
        this.#do('solve');
        return this.control;
    }

    /** Moves the state by one step of the model under the control, and shifts the plan. */
    advance() {
        this.#do('advance');
        return this.state;
    }

    /** State of the plant, (states), which a program may write. */
    get state() {
        return this.#floats('state', this.#info.states);
    }

    /** Controls of the last solve, (controls). */
    get control() {
        return this.#floats('control', this.#info.controls);
    }

    /** Plan of the last solve, (steps x controls). */
    get plan() {
        return this.#floats('plan', this.steps * this.#info.controls);
    }

    /** States along the plan, (steps + 1 x states). */
    get path() {
        return this.#floats('path', (this.steps + 1) * this.#info.states);
    }

    /** The best futures of the last solve: states (count x steps + 1 x states), costs (count). */
    trace(count = 32) {
        const pointer = this.#do('trace', count);
        return {
            states: this.#instance.view(Float32Array, pointer, count * (this.steps + 1) * this.#info.states),
            costs: this.#floats('costs', count),
        };
    }

    /** Shifts the plan, for a plant of your own. */
    shift(steps = 1) {
        this.#call('shift', steps);
    }

    /** Names of all parameters, such as "goal.weight". */
    get parameters() {
        return [...this.#names];
    }

    #index(name) {
        const index = this.#names.indexOf(name);
        if (index < 0) throw new TypeError(`parameter is "${name}"; expected one of ${this.#names.join(', ')}`);
        return index;
    }

    get(name) {
        return this.#call('parameter', this.#index(name));
    }

    /** Sets a parameter from the next solve on. */
    set(name, value) {
        this.#do('set_parameter', this.#index(name), value);
    }

    /** Replaces a table from the next solve on. */
    setTable(name, values) {
        this.#instance.with(name, (namePointer) => this.#instance.with(Float32Array.from(values), (pointer) =>
            this.#do('set_table', namePointer, pointer, values.length)));
    }

    /** Time of the scene, s. */
    get seconds() {
        return this.#call('seconds');
    }

    /** Statistics of the last solve; `hash` is that of the native library in strict mode. */
    get info() {
        const { low, high, ...info } = this.#numbers();
        return { ...info, hash: [high, low].map((half) => half.toString(16).padStart(8, '0')).join('') };
    }

    /** Forgets the plan and returns to the scene's start. */
    reset() {
        this.#call('reset');
    }

    close() {
        this.#call('close');
        this.#pilot = 0;
    }
}
