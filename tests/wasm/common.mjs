/* Words of the tests of WebAssembly. Each is run as `node TEST PACKAGE HEDDLE`, in the source folder: the package's folder, and the
 * native command, whose results in the same run are compared. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const [folder, heddle] = process.argv.slice(2, 4).map((name) => path.resolve(name));

/** Ends the test as skipped where the package was not built. */
if (!fs.existsSync(path.join(folder, 'package.json'))) {
    console.log(`skipped: there is no package in ${folder}; ./dev wasm builds it`);
    process.exit(77);
}

export const load = (name) => import(pathToFileURL(path.join(folder, name)));

const { hasFusedMultiplyAdd } = await load('module.js');

/** Builds that this node runs; it needs --experimental-wasm-relaxed-simd before version 21. */
export const builds = hasFusedMultiplyAdd() ? ['exact', 'relaxed'] : ['exact'];
if (builds.length === 1) console.log('[SKIP] relaxed: this node has no relaxed SIMD, or its multiply-add rounds twice');

/** Result of the command as JSON. */
export function run(...words) {
    return JSON.parse(execFileSync(heddle, [...words, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 }));
}

/** Hash of a strict run of the command on the host. */
export function runHash(...words) {
    const output = execFileSync(heddle, [...words, '--strict', '--device', 'host', '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
    return output.match(/"hash": "([0-9a-f]{16})"/)[1];
}

let failures = 0;

export function check(isRight, text) {
    if (isRight) return;
    failures++;
    console.log(`FAILED: ${text}`);
}

export function checkEqual(value, expected, subject) {
    check(value === expected, `${subject} is ${value}; expected ${expected}`);
}

/** Ends the test. */
export function finish(text) {
    console.log(text);
    process.exit(failures ? 1 : 0);
}

/* ---- FNV-1a of 64 bits, in two halves: BigInt is slow ---- */

export class Hash {
    #low = 0x84222325;
    #high = 0xcbf29ce4;

    /** Adds the bytes of words of 32 bits. */
    add(words) {
        let low = this.#low;
        let high = this.#high;
        for (const word of words) {
            for (let shift = 0; shift < 32; shift += 8) {
                low = (low ^ (word >>> shift & 255)) >>> 0;
                /* times 2^40 + 0x1b3 */
                const product = (low & 0xffff) * 0x1b3;
                const upper = (low >>> 16) * 0x1b3 + (product >>> 16);
                high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (low << 8)) >>> 0;
                low = ((upper & 0xffff) << 16 | product & 0xffff) >>> 0;
            }
        }
        this.#low = low;
        this.#high = high;
    }

    get text() {
        return [this.#high, this.#low].map((half) => half.toString(16).padStart(8, '0')).join('');
    }
}
