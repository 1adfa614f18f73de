/* Model-predictive control in WebAssembly: the runs of golden/runs.txt have the golden hashes, both builds; the package's API. */
import fs from 'node:fs';
import { builds, check, checkEqual, finish, load } from './common.mjs';

const { compile, Controller, HeddleError } = await load('mppi.js');
const files = Object.fromEntries(fs.readdirSync('data/mppi').filter((name) => /\.(pgm|yaml|npy)$/.test(name))
    .map((name) => [name, fs.readFileSync(`data/mppi/${name}`)]));
const read = (name) => fs.readFileSync(`data/mppi/${name}.json`, 'utf8');

const runs = fs.readFileSync('tests/golden/runs.txt', 'utf8').split('\n')
    .map((line) => line.match(/^(\w+) mppi run (\w+)(?: --controller (\w+))? --steps (\d+) -n (\d+)/)).filter(Boolean);
let equal = 0;
let total = 0;
for (const build of builds) {
    const module = await compile(build);
    for (const [, hash, name, kind, steps, samples] of runs) {
        const controller = new Controller(module, read(name), { files, strict: true, kind, samples: Number(samples) });
        for (let i = 0; i < Number(steps); i++) {
            controller.solve();
            controller.advance();
        }
        const found = controller.info.hash;
        total++;
        equal += found === hash;
        checkEqual(found, hash, `${name}, ${kind}, ${build}: hash`);
        controller.close();
    }
}

/* ---- the package's API ---- */

const module = await compile();
const controller = new Controller(module, read('pendulum'), { samples: 128 });
checkEqual(controller.stateNames.length, controller.state.length, 'names of states');
const control = Array.from(controller.solve());
check(control.every(Number.isFinite), `control is ${control}`);
const { states, costs } = controller.trace(8);
checkEqual(states.length, 8 * (controller.steps + 1) * controller.state.length, 'numbers of traced states');
check([...costs].every((cost, i) => i === 0 || cost >= costs[i - 1]), `traced costs do not ascend: ${costs}`);
checkEqual(controller.path.length, (controller.steps + 1) * controller.state.length, 'numbers of a path');
const before = Array.from(controller.state);
controller.advance();
check(controller.state.some((value, i) => value !== before[i]), 'the plant has not moved');
checkEqual(controller.seconds, Math.fround(controller.dt), 'time after a step');
const [name] = controller.parameters;
controller.set(name, 2.5);
controller.solve([...before]);
checkEqual(controller.get(name), 2.5, `parameter ${name}`);
controller.reset();
checkEqual(controller.seconds, 0, 'time after a reset');
const scene = (model, term) => JSON.stringify({ model, terms: [term] });
for (const [subject, text, status, expected, own] of [
    ['a model that does not exist', '{"model": "nosuch"}', 'format', /nosuch/],
    ['a term whose states the model lacks', scene('cartpole', { term: 'goal' }), 'argument', /reads the position/],
    ['a text of one\'s own', scene('cartpole', { term: 'mine', source: 'mine.h' }), 'unsupported', /mine is a text/,
        { 'mine.h': 'MPPI_FUNCTION float term_mine(const float *x, const float *u, int t, MPPI_WORLD w) { return x[0]; }' }]]) {
    try {
        new Controller(module, text, own ? { files: own } : {});
        check(false, `no error for ${subject}`);
    } catch (error) {
        check(error instanceof HeddleError && error.status === status && expected.test(error.message),
            `${subject}: error is "${error.status}: ${error.message}"`);
    }
}

finish(`wasm mppi: ${equal} of ${total} runs have the golden hash`);
