/* Fused multiply-add in WebAssembly: COUNT triples of each of six ranges of numbers have the bits of the native program, one by one, four
 * at once, and with one test for several, both builds. node fma.mjs PACKAGE PROGRAM [COUNT] */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { builds, checkEqual, finish, folder, heddle as program } from './common.mjs';

const count = Number(process.argv[4] ?? 100000);
const expected = execFileSync(program, [String(count)], { encoding: 'utf8' }).trim().split('\n');
const FORMS = ['scalar', 'vector', 'doubted'];
let equal = 0;
for (const build of builds) {
    const { instance } = await WebAssembly.instantiate(fs.readFileSync(path.join(folder, '../tests', `fma-${build}.wasm`)));
    expected.forEach((hash, kind) => {
        for (const form of FORMS) {
            const found = BigInt.asUintN(64, instance.exports[form](kind, count)).toString(16).padStart(16, '0');
            checkEqual(found, hash, `range ${kind}, ${build}, ${form}: hash`);
            equal += found === hash;
        }
    });
}
finish(`wasm fma: ${equal} of ${expected.length * builds.length * FORMS.length} hashes of ${count} triples are native`);
