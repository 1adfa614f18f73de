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

for (const [status, pattern, action] of [
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
