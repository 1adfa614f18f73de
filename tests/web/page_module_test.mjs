// node page_module_test.mjs: the module of a page's pipelines: tables, choices, texts, and the lines that use it.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import vm from 'node:vm';

globalThis.location = { href: 'http://a/', origin: 'http://a' };
const of = path => readFileSync(new URL('../../' + path, import.meta.url), 'utf8');
for (const name of ['wgsl_read', 'wgsl_size', 'wgsl_rewrite', 'source', 'tables'])
  vm.runInThisContext(of(`web/record/${name}.js`), { filename: name + '.js' });
const H = globalThis.__heddle;
delete globalThis.__heddle;
H.hashText = text => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};

// ---- tables of what was tuned ----

const code = `override WG: u32 = 8;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<workgroup> tile: array<vec4f, 64>;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) g: vec3u) { if (g.x >= 9000) { return; } y[g.x] *= 2u; }
@compute @workgroup_size(64) fn shift(@builtin(global_invocation_id) g: vec3u) { y[g.x] += 1u; }
@compute @workgroup_size(WG) fn tiled(@builtin(global_invocation_id) g: vec3u, @builtin(local_invocation_index) l: u32) { tile[l] = vec4f(1); workgroupBarrier(); y[g.x] = u32(tile[WG - l].x); }`;
const pipelines = H.pipelines = [], device = {};
function tuned(entry, constants, sizes, items, { text = code, best, info = { vendor: 'acme', architecture: 'one' } } = {}) {
  H.devices = [{ device, info }];
  const analysis = H.analyse(text, entry, constants), record = { device, code: text, entry, constants, analysis, hash: H.hashText(text + entry), keys: [], stack: [], moduleStack: [] };
  const own = { name: analysis.size.join('x'), size: analysis.size, ms: 9, isOwn: true, constants, edits: [] };
  const rows = sizes.map(([x, ms, isBound = false]) => {
    const size = [x, analysis.size[1], analysis.size[2]], made = analysis.kind === 'free' ? H.rewriteFree(analysis, size) : H.rewriteTogether(analysis, size)[0];
    return { name: size.join('x'), size, ms, isBound, constants: made.constants, edits: made.edits };
  });
  pipelines.push(record);
  return { id: pipelines.length - 1, tuned: { verdict: 'tunable', items: [items, 1, 1], times: [own, ...rows].sort((a, b) => a.ms - b.ms), best: best && { name: best } } };
}
const list = [tuned('scale', {}, [[256, 2], [128, 3]], 9000, { best: '256x1x1' }), tuned('shift', {}, [[32, 4], [512, 1, true]], 4096, { best: '512x1x1' }), tuned('tiled', { WG: 8 }, [[16, 5, true]], 4096, { best: '16x1x1' })];
let { tables, left, names } = await H.addTables(list, []);
assert.deepEqual(left, []);
assert.deepEqual(names.map(n => n.slice(0, 3)), [[0, 'scale', false], [1, 'shift', true], [2, 'tiled', true]]);
assert.deepEqual(tables[2].names, ['WG']);
assert.deepEqual(tables[2].configs.map(c => [c[0], c[1], c[2]]), [[[8], [8, 1, 1], 1024], [[16], [16, 1, 1], 1024]], 'values, size, bytes of group memory');
assert.deepEqual(tables[0].devices[0], { vendor: 'acme', architecture: tables[0].devices[0].architecture, name: 'acme one', problem: 'x=9000 y=1 z=1', best: [1, 2, 0] });

// another device, another size of the data, the same again: one table
pipelines.length = 0;
for (const [items, best, vendor] of [[9000, '128x1x1', 'other'], [100, '64x1x1', 'acme'], [9000, '128x1x1', 'acme']])
  ({ tables } = await H.addTables([tuned('scale', {}, [[256, 5], [128, 3], [32, 8]], items, { best, info: { vendor, architecture: vendor && 'one' } })], JSON.parse(JSON.stringify(tables)))), pipelines.length = 0;
assert.equal(tables.length, 3);
assert.deepEqual(tables[0].devices.map(d => [d.vendor, d.problem.slice(0, 6), d.best[0]]), [['other', 'x=9000', 2], ['acme', 'x=100 ', 0], ['acme', 'x=9000', 2]]);
assert.equal(tables[0].configs.length, 4);
// another text with an entry point of the same name
({ tables } = await H.addTables([tuned('scale', {}, [[256, 2]], 9000, { text: code + '\n' })], tables));
assert.equal(tables[3].name, `scale_${tables[3].source}`);
// one text with two entry points whose size is one constant, or two pipelines of one entry point
pipelines.length = 0;
const both = `const WG = 64;\n@group(0) @binding(0) var<storage, read_write> y: array<u32>;\nvar<workgroup> t: array<u32, WG>;
@compute @workgroup_size(WG) fn a(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) { t[l] = 1; workgroupBarrier(); y[w.x * WG + l] = t[WG - 1 - l]; }
@compute @workgroup_size(WG) fn b(@builtin(global_invocation_id) g: vec3u) { y[g.x] = 2; }`;
const two = [tuned('a', {}, [[32, 1, true]], 640, { text: both }), tuned('b', {}, [[32, 1, true]], 640, { text: both })];
const shared = await H.addTables(two, []);
assert.deepEqual([shared.left.map(l => [l.entry, l.reason]), shared.tables.map(t => t.name)], [[['a', 'the size is also that of b: give each a constant of its own']], ['b']]);
pipelines.pop();
assert.deepEqual((await H.addTables(two.slice(0, 1), [])).left, [], 'the page has no pipeline of b');
pipelines.length = 0;
const same = [tuned('shift', {}, [[32, 1]], 640), tuned('shift', { WG: 3 }, [[32, 1]], 640)];
assert.equal((await H.addTables(same, [])).left.length, 2);
for (const damage of [t => { t.devices[0].best[0] = 99; }, t => { t.name = 'a b'; }, t => { t.configs[1][4][0][2] = '1); alert('; }, t => { delete t.names; }]) {
  const damaged = JSON.parse(JSON.stringify(tables));
  damage(damaged[0]);
  await assert.rejects(H.addTables([], damaged), /damaged/);
}

// ---- the lines that use the module ----

// a script that its page loads as a module gets an import; in a classic script `import` is an error, so a person has to write it
const script = `const shader = device.createShaderModule({ code });\nconst pipeline = device.createComputePipeline({});\npass.dispatchWorkgroups(Math.ceil(n / 64));\n`;
const site = { 'http://a/': '<script src="a.js"></script>\n<script type="module" src="b.js"></script><script type=module src=./c.js></script><script defer src=d.js></script>' };
for (const name of 'abcd') site[`http://a/${name}.js`] = script;
globalThis.fetch = async address => ({ ok: address in site, text: async () => site[address] });
for (const name of 'abcd') {
  const at = line => [`at f (http://a/${name}.js:${line}:${line === 1 ? 24 : line === 2 ? 26 : 6})`];
  pipelines.length = 0;
  const { id, tuned: result } = tuned('scale', {}, [[256, 2]], 9000, { best: '256x1x1' });
  Object.assign(pipelines[id], { moduleStack: at(1), stack: at(2), description: { callStack: at(3), counts: [141, 1, 1] } });
  const { names } = await H.addTables([{ id, tuned: result }], []), { changes } = await H.uses(names.map(([id,,, table]) => [id, table]), 'page.tuned.js', () => {});
  const added = changes[0].find(change => change.kind === 'import'), isModule = 'bc'.includes(name);
  assert.equal(added.file, `${name}.js`);
  assert.equal(added.text, isModule ? `import * as tuned from './page.tuned.js';` : undefined);
  assert.equal(/await import\('.\/page.tuned.js'\)/.test(added.advice), !isModule);
  assert.equal(changes[0].find(change => change.kind === 'code').line, 1);
}

// ---- the module at run time ----

const functions = of('cli/db/module.js') + of('cli/db/module_page.js');
assert.ok(gzipSync(functions, { level: 9 }).length < 4000, 'under 4 kB');
const text = `const tables = ${JSON.stringify(tables)};\n${functions}\n` + tables.map((t, i) => `const p${i} = new Pipeline(tables[${i}]);\nexport { p${i} as ${t.name} };\n`).join('');
const tunedPage = await import(`data:text/javascript,${encodeURIComponent(text)}`), { scale, shift, tiled } = tunedPage;
const limits = (items, bytes = 16384) => ({ maxComputeWorkgroupSizeX: items, maxComputeWorkgroupSizeY: 256, maxComputeWorkgroupSizeZ: 64, maxComputeInvocationsPerWorkgroup: items, maxComputeWorkgroupStorageSize: bytes });
const one = { vendor: 'acme', architecture: 'one' }, sizeOf = (...list) => scale.choose(...list).workgroupSize[0];
assert.equal(sizeOf(one, limits(256), 9000), 128, 'the size of the data that was measured');
assert.equal(sizeOf(one, limits(256), 150), 64, 'the nearest size of the data');
assert.equal(sizeOf(one, limits(64), 9000), 32, 'the limits');
assert.equal(sizeOf({ vendor: 'acme', architecture: 'two' }, limits(256), 9000), 128, 'the vendor');
assert.equal(scale.choose({ vendor: 'nobody' }, limits(256), 9000).from, 'default');
assert.equal(scale.choose(undefined, limits(256)).isDefault, true);
assert.equal(shift.choose(one, limits(1024), 4096).workgroupSize[0], 512);
for (const size of [0, 4095, 8192]) assert.equal(shift.choose(one, limits(1024), size).workgroupSize[0], 32, 'a size that no guard makes right stays with the measured length, and 32 divides the own');
assert.equal(tiled.choose(one, limits(256), 4096).constants.WG, 16);
assert.equal(tiled.choose(one, limits(256), 5000).constants.WG, 8);
assert.equal(tiled.choose(one, limits(256, 1000), 4096), undefined, 'group memory beyond the limit');
assert.equal(scale.candidates(one, limits(256), 5, 9000).filter(c => c.isDefault).length, 1);
assert.equal(new Set(scale.candidates(one, limits(256), 5, 9000).map(c => c.identity)).size, 4, 'sizes have identities of their own');

const gpu = { adapterInfo: one, limits: limits(1024) };
assert.throws(() => scale.workgroupSize, /has not seen the text/);
const result = tunedPage.code(gpu, code, [scale, shift, tiled], 4096);
assert.deepEqual([scale, shift, tiled].map(p => p.workgroupSize[0]), [128, 512, 16]);
assert.equal(result, code.replace('(64) fn scale', '(128) fn scale').replace('(64) fn shift', '(512) fn shift'));
assert.equal(tunedPage.code(gpu, code, [scale], 4096), code.replace('(64) fn scale', '(128) fn scale'), 'only the pipelines of the list');
assert.equal(tunedPage.code(gpu, code + ' ', [scale, shift]), code + ' ', 'another text');
assert.equal(scale.code(code, scale.choose(one, limits(256), 9000)), code.replace('(64) fn scale', '(128) fn scale'));
globalThis.__heddle = {};
assert.equal(tunedPage.code(gpu, code, [scale, tiled]), code, 'a page that is recorded');
assert.deepEqual([scale.workgroupSize[0], tiled.constants.WG], [64, 8]);
console.log(`the module of a page: right, ${gzipSync(functions, { level: 9 }).length} bytes of functions gzipped`);
