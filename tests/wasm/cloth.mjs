/* Cloth in WebAssembly: the scenes of golden/runs.txt have the golden hashes, both builds; the package's API. */
import fs from 'node:fs';
import path from 'node:path';
import { builds, check, checkEqual, finish, load } from './common.mjs';

const { compile, Cloth, HeddleError } = await load('cloth.js');

/* Files that a scene may name: everything beside it. */
function filesOf(folder) {
    return Object.fromEntries(fs.readdirSync(folder).filter((name) => /\.(obj|pc2|glb|csv|txt)$/.test(name))
        .map((name) => [name, fs.readFileSync(path.join(folder, name))]));
}

const files = filesOf('data/scenes');
const runs = fs.readFileSync('tests/golden/runs.txt', 'utf8').split('\n').map((line) => line.match(/^(\w+) cloth run (\w+) --frames (\d+)/)).filter(Boolean);
let equal = 0;
let total = 0;
for (const build of builds) {
    const module = await compile(build);
    for (const [, hash, name, frames] of runs) {
        const cloth = new Cloth(module, fs.readFileSync(`data/scenes/${name}.json`, 'utf8'), { files, strict: true });
        const found = cloth.step(Number(frames)).measure().hash;
        total++;
        equal += found === hash;
        checkEqual(found, hash, `${name}, ${frames} frames, ${build}: hash`);
        cloth.close();
    }
}

/* ---- the package's API ---- */

const module = await compile();
const scene = JSON.parse(fs.readFileSync('data/scenes/flag.json', 'utf8'));
const cloth = new Cloth(module, scene, { substeps: 2 });
const start = Float32Array.from(cloth.positions);
check(cloth.triangles.every((vertex) => vertex < cloth.positions.length / 3), 'a triangle has a vertex that does not exist');
cloth.wind(0, 0, 5);
cloth.ball(0, 0, 0, 0, 0.1);
cloth.step(2).read();
checkEqual(cloth.frame, 2, 'frames');
check(cloth.positions.some((value, i) => value !== start[i]), 'nothing has moved');
check(cloth.positions.every(Number.isFinite), 'a position is not finite');
check(cloth.normals.some((value) => value !== 0), 'there are no normals');
checkEqual(cloth.camera.eye.length, 3, 'numbers of an eye');
cloth.reset();
check(cloth.read().positions.every((value, i) => Math.abs(value - start[i]) < 1e-5), 'positions after a reset are not those of the start');

/* ---- holding: a vertex follows, its neighbours too; a cloth that may be held falls alike: with the sweeps of the cells and
   the substeps that a driver brings, within two millimetres ---- */

const hung = { garments: [{ grid: { width: 9, height: 9, size: [0.8, 0.8], origin: [0, 0, 0] }, fabric: 'cotton',
    pins: [{ box: { low: [-0.01, 0.79, -1], high: [0.01, 0.81, 1] } }, { box: { low: [0.79, 0.79, -1], high: [0.81, 0.81, 1] } }] }] };
const [free, held] = [false, true].map((hold) => new Cloth(module, hung, { strict: true, hold }));
const fallen = held.step(5).read().positions.slice();
check(free.step(5).read().positions.every((place, i) => Math.abs(place - fallen[i]) < 2e-3), 'a cloth that may be held falls otherwise');
const vertex = 4 * 9 + 4;
const at = (cloth, v) => Array.from(cloth.read().positions.slice(3 * v, 3 * v + 3));
const [x, y, z] = at(held, vertex);
for (let i = 1; i <= 20; i++) {
    held.hold(vertex, x, y, z + 0.01 * i);
    held.step();
    const [, , now] = at(held, vertex);
    check(Math.abs(now - z - 0.01 * i) < 1e-3, `a held vertex is at ${now - z} m; expected ${0.01 * i}`);
}
check(at(held, vertex + 1)[2] > z + 0.05, `its neighbour is at ${at(held, vertex + 1)[2]} m`);
check(held.measure().worstStretch < 0.2, `stretch is ${held.measure().worstStretch}`);
const still = at(held.step(10), vertex)[2];
check(Math.abs(still - z - 0.2) < 1e-3, `a vertex that is held without a motion is at ${still} m`);
held.release(vertex);
held.release(vertex);
check(Math.abs(at(held.step(240), vertex)[2] - z) < 0.1, `a released vertex is at ${at(held, vertex)[2]} m`);
for (let v = 0; v < 16; v++) held.hold(v, 0, 0, 0);

for (const [status, pattern, action] of [
    ['argument', /vertex 3: the cloth holds no vertices/, () => free.hold(3, 0, 0, 0)],
    ['argument', /vertex 81 of a cloth of 81/, () => held.hold(81, 0, 0, 0)],
    ['limit', /vertex 20: 16 vertices are held already/, () => held.hold(20, 0, 0, 0)],
    ['io', /cannot open .*body\.obj: no such file among the given ones/, () => new Cloth(module,
        { garments: [{ mesh: 'body.obj' }] })],
    ['limit', /ball 5/, () => cloth.ball(5, 0, 0, 0, 1)],
]) {
    try {
        action();
        check(false, `no error, expected one like ${pattern}`);
    } catch (error) {
        check(error instanceof HeddleError && error.status === status && pattern.test(error.message), `error is "${error.status}: ${error.message}"; expected ${pattern}`);
    }
}

finish(`wasm cloth: ${equal} of ${total} runs have the golden hash`);
