/* The PostCSS plugin over heddle/css gives the sheet that the plugin over the command gives (node/postcss.js), where PostCSS is found (Debian:
 * node-postcss). */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { check, checkEqual, finish, heddle, load } from './common.mjs';

const require = createRequire(import.meta.url); // also from NODE_PATH
let postcss;
try {
    postcss = require('postcss');
} catch {
    console.log('skipped: PostCSS was not found (Debian: node-postcss)');
    process.exit(77);
}
const { default: plugin } = await load('postcss.js');
const byCommand = require('../../node/postcss.js');

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-wasm-'));
process.on('exit', () => fs.rmSync(scratch, { recursive: true }));
fs.mkdirSync(path.join(scratch, 'src/parts'), { recursive: true });
fs.writeFileSync(path.join(scratch, 'index.html'), '<!doctype html><main id=m class="page wide"><p>é</p></main>');
fs.writeFileSync(path.join(scratch, 'src/parts/Card.jsx'), 'export const Card = () => <div className="card open" />;\n');
const SHEET = `@layer base { .page { top: 0 } .gone { top: 1px } }
.card:hover, .lost { top: 2px }
@media print { .never { top: 3px } }
/* a comment */
@keyframes spin { to { top: 0 } }
.js-state { top: 4px }
.shy { top: 5px }
`;
const content = [path.join(scratch, 'index.html'), path.join(scratch, 'src/**/*.{jsx,vue}')];
const options = { content, keep: ['js-*'], safelist: ['shy'] };
const from = path.join(scratch, 'a.css');
const [result, expected] = await Promise.all([plugin(options), byCommand({ ...options, heddle })].map((one) =>
    postcss([one]).process(SHEET, { from, map: { inline: false } })));
checkEqual(result.css, expected.css, 'reduced sheet');
checkEqual(result.map.toString(), expected.map.toString(), 'source map');
const removedBy = ({ messages }) => JSON.stringify(messages.find(({ removed }) => removed)?.removed);
checkEqual(removedBy(result), removedBy(expected), 'removed rules');
checkEqual(result.messages.filter(({ type }) => type.endsWith('dependency')).length, 2, 'files that the build watches');
check(result.css.includes('.card:hover') && !result.css.includes('.lost'), result.css);
try {
    await postcss([plugin({ content: ['none.html'] })]).process(SHEET, { from });
    check(false, 'no error for a page that does not exist');
} catch (error) {
    check(/no file none\.html/.test(error.message), error.message);
}
finish('wasm postcss: the sheet, its map and the removed rules are those of the command');
