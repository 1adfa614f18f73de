/* The examples of the package's README run as they are written, from the package as npm installs it: the tarball, unpacked into
 * node_modules. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { check, checkEqual, finish, folder } from './common.mjs';

const EXPECTED = ['128 40 singleton', '1 0 .used { color: red }', '867 1536 1', 'pendulum 1 4'];
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-wasm-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));

const [tarball] = fs.readdirSync(path.dirname(folder)).filter((name) => /^heddle-.*\.tgz$/.test(name));
const modules = path.join(scratch, 'node_modules');
fs.mkdirSync(modules);
execFileSync('tar', ['xzf', path.join(path.dirname(folder), tarball), '-C', modules]);
fs.renameSync(path.join(modules, 'package'), path.join(modules, 'heddle'));
const installed = path.join(modules, 'heddle');
const { exports } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
for (const { types, default: file } of Object.values(exports).filter((entry) => typeof entry === 'object'))
    for (const name of [types, file]) check(fs.existsSync(path.join(installed, name)), `the tarball lacks ${name}`);

const examples = [...fs.readFileSync(path.join(installed, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, text]) => text);
checkEqual(examples.length, EXPECTED.length, 'examples');
examples.forEach((text, i) => {
    const file = path.join(scratch, `example${i}.mjs`);
    fs.writeFileSync(file, text);
    checkEqual(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim(), EXPECTED[i], `example ${i + 1}: output`);
});

/* types: where TypeScript is (Debian: node-typescript), they are checked, and the examples against them */
let types = 'not checked: there is no tsc (Debian: node-typescript)';
try {
    execFileSync('tsc', ['--version']);
    types = 'checked';
} catch {}
if (types === 'checked') {
    examples.forEach((text, i) => fs.writeFileSync(path.join(scratch, `example${i}.mts`), text));
    try {
        const declarations = fs.readdirSync(installed).filter((name) => name.endsWith('.d.ts')).map((name) => path.join(installed, name));
        execFileSync('tsc', ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2022,dom',
            ...declarations, ...examples.map((_, i) => path.join(scratch, `example${i}.mts`))], { encoding: 'utf8', cwd: scratch });
    } catch (error) {
        check(false, `tsc: ${error.stdout}`);
    }
}

finish(`wasm readme: ${examples.length} examples; types ${types}`);
