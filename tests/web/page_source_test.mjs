// node page_source_test.mjs: places in the author's files, edits of calls and shaders, patches.
import assert from 'node:assert';
import { readFileSync, writeFileSync, mkdtempSync, rmSync, mkdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';

const H = globalThis.__heddle = { pipelines: [] };
for (const name of ['wgsl_read', 'source'])
  vm.runInThisContext(readFileSync(new URL(`../../web/record/${name}.js`, import.meta.url), 'utf8'), { filename: name + '.js' });

// Positions of a source map: "AAAA" is 0, 0, 0, 0; "ACCE" adds one source, one row, two columns.
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 0, 0), { source: 0, row: 0, col: 0 });
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 0, 9), { source: 0, row: 2, col: 5 });
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 2, 3), { source: 1, row: 3, col: 7 });
assert.equal(H.mapPosition('AAAA,KAEK;;ACCE', 1, 3), null);

// Arguments of dispatchWorkgroups() that follow the size.
const edited = (text, size, wanted, more = {}) => {
  const range = H.argumentsAt(text, text.indexOf('dispatchWorkgroups')), [part] = H.splitArguments(text, range);
  const edits = H.editArgument(text, part, { size, wanted, ...more });
  return edits[0].advice ?? [...edits].sort((a, b) => b.from - a.from).reduce((out, e) => out.slice(0, e.from) + e.text + out.slice(e.to), text);
};
assert.equal(edited('p.dispatchWorkgroups(Math.ceil(n / 64));', 64, 256), 'p.dispatchWorkgroups(Math.ceil(n / 256));');
assert.equal(edited('p.dispatchWorkgroups((n + 63) >>> 6);', 64, 256), 'p.dispatchWorkgroups((n + 255) >>> 8);', 'the addend follows');
assert.equal(edited('p.dispatchWorkgroups((n + 64 - 1) / 64);', 64, 256), 'p.dispatchWorkgroups((n + 256 - 1) / 256);');
assert.equal(edited('p.dispatchWorkgroups(n / 64, 1);', 64, 256), 'p.dispatchWorkgroups(Math.ceil(n / 256), 1);', '640 / 256 alone would lose items');
for (const lost of ['n >> 6', 'Math.floor(n / 64)', 'n / 64 | 0', '(n / 64) >>> 0'])
  assert.equal(edited(`p.dispatchWorkgroups(${lost});`, 64, 256), `p.dispatchWorkgroups(Math.ceil(${lost.startsWith('Math') ? lost : `(${lost})`} / 4));`, 'its own number of items');
assert.equal(edited('p.dispatchWorkgroups(n >> 6);', 64, 16), 'p.dispatchWorkgroups((n >> 6) * 4);');
assert.equal(edited('const WG = 64;\np.dispatchWorkgroups(Math.ceil(n / WG));', 64, 128), 'const WG = 128;\np.dispatchWorkgroups(Math.ceil(n / WG));');
assert.equal(edited('p.dispatchWorkgroups(Math.ceil(n / size));', 64, 128), 'p.dispatchWorkgroups(Math.ceil(Math.ceil(n / size) / 2));', 'a name that is declared elsewhere');
assert.equal(edited('const WG = 64;\np.dispatchWorkgroups(n / WG);', 64, 256), 'const WG = 64;\np.dispatchWorkgroups(Math.ceil((n / WG) / 4));');
const elsewhere = '\nq.dispatchWorkgroups(Math.ceil(m / WG));';
assert.equal(edited('const WG = 64;\np.dispatchWorkgroups(Math.ceil(n / WG));' + elsewhere, 64, 128),
  'const WG = 64;\np.dispatchWorkgroups(Math.ceil(Math.ceil(n / WG) / 2));' + elsewhere, 'a name that another call uses');
{ // one name for x and y, and 16 x 4 in place of 8 x 8
  const text = 'const WG = 8;\np.dispatchWorkgroups(Math.ceil(w / WG), Math.ceil(h / WG));', parts = H.splitArguments(text, H.argumentsAt(text, 14));
  assert.equal(H.editArgument(text, parts[0], { size: 8, wanted: 16 })[0].text, 'Math.ceil(Math.ceil(w / WG) / 2)');
  assert.equal(H.editArgument(text, parts[0], { size: 8, wanted: 16, peers: parts })[0].text, '16', 'unless both change alike');
}
// A number with a fraction, which the browser cuts off: 510 / 8 are 63 groups, and twice as many of half the size are 126.
for (const [wanted, count] of [[4, 'Math.floor((w - 2) / 8) * 2'], [16, 'Math.ceil(Math.floor((w - 2) / 8) / 2)']])
  assert.equal(edited('p.dispatchWorkgroups((w - 2) / 8);', 8, wanted, { isCut: true }), `p.dispatchWorkgroups(${count});`);
assert.equal(edited('p.dispatchWorkgroups(w / n);', 8, 4, { isCut: true }), 'p.dispatchWorkgroups(Math.floor(w / n) * 2);');
assert.equal(edited('p.dispatchWorkgroups((n + 63) / 64);', 64, 256, { isCut: true }), 'p.dispatchWorkgroups((n + 255) / 256);', 'it rounds up');
// A size that is known at run time.
assert.equal(edited('p.dispatchWorkgroups(n / 8);', 8, 4, { isCut: true, expression: 'p.workgroupSize[0]' }), 'p.dispatchWorkgroups(Math.ceil(Math.floor(n / 8) * 8 / p.workgroupSize[0]));');
const chosen = { expression: 'p.workgroupSize[0]' };
assert.equal(edited('p.dispatchWorkgroups(Math.ceil(n / 64), 1);', 64, 256, chosen), 'p.dispatchWorkgroups(Math.ceil(n / p.workgroupSize[0]), 1);');
assert.equal(edited('p.dispatchWorkgroups((n + 63) >> 6);', 64, 256, chosen), 'p.dispatchWorkgroups((n + p.workgroupSize[0] - 1) >> Math.log2(p.workgroupSize[0]));');
assert.equal(edited('p.dispatchWorkgroups( n / 64 , 1);', 64, 128, chosen), 'p.dispatchWorkgroups( Math.ceil(n / p.workgroupSize[0]) , 1);');
assert.equal(edited('const WG = 64;\np.dispatchWorkgroups((n + WG - 1) / WG);', 64, 128, chosen),
  'const WG = 64;\np.dispatchWorkgroups((n + p.workgroupSize[0] - 1) / p.workgroupSize[0]);', 'the name keeps its value for others');
assert.equal(edited('const o = { side: 64 };\np.dispatchWorkgroups(n / o.side);', 64, 128, chosen), 'const o = { side: 64 };\np.dispatchWorkgroups(Math.ceil(n / p.workgroupSize[0]));');
assert.equal(edited('p.dispatchWorkgroups(Math.ceil(n / tile));', 64, 128, chosen), 'p.dispatchWorkgroups(Math.ceil(Math.ceil(n / tile) * 64 / p.workgroupSize[0]));');
assert.equal(edited('p.dispatchWorkgroups(1024);', 64, 128), 'p.dispatchWorkgroups(Math.ceil(1024 / 2));');
assert.equal(edited('p.dispatchWorkgroups(n / 640);', 64, 128), 'p.dispatchWorkgroups(Math.ceil((n / 640) / 2));', 'a longer number');
assert.equal(edited('p.dispatchWorkgroups(rows, 1);', 1, 16), 'p.dispatchWorkgroups(Math.ceil(rows / 16), 1);', 'a count of items');
assert.deepEqual(H.splitArguments('f(a, b(c, d), [e, f])', [2, 20]).length, 3);

// A shader that is put together from pieces: the edit is found by its line, its attribute, or its surroundings.
const code = 'const A = 1;\n@compute @workgroup_size(64)\nfn main() { let i = w.x * 64u + l.x; }\n';
const span = (text, part) => ({ from: text.indexOf(part), to: text.indexOf(part) + part.length });
const file = { name: 'a.js', text: `const shader = \`\n@compute @workgroup_size(64)\nfn main() { let i = w.x * 64u + l.x; \${more} }\n\`;\n` };
file.offset = file.text.indexOf('@workgroup_size');
const inside = code.indexOf('(64') + 1, product = code.indexOf('64u');
const places = H.shaderEdits(code, [{ from: inside, to: inside + 2, text: '32' }, { from: product, to: product + 3, text: '32u' }], file);
assert.deepEqual(places.map(e => file.text.slice(e.from, e.to)), ['64', '64u']);
assert.ok(H.shaderEdits('nothing of it 77', [{ ...span('nothing of it 77', '77'), text: '1' }], file)[0].advice);
assert.equal(H.shaderFile(code, 'main', [['b.js', 'unrelated'], ['a.js', file.text]]).name, 'a.js');

// A size that a template literal puts in: its placeholder is replaced, unless other texts are made of the same template.
const templated = { name: 't.js', text: 'const text = `\n@compute @workgroup_size(${SIDE}, ${SIDE}, 1)\nfn main() { let i = w.x * ${SIDE}u; }\nfn helper() -> u32 { return 7u; }\nfn second() -> u32 { return 9u; }\n`;\n' };
const filled = side => templated.text.slice(templated.text.indexOf('`') + 1, templated.text.lastIndexOf('`')).replaceAll('${SIDE}', side);
templated.offset = templated.text.indexOf('@workgroup_size');
H.files.set('t.js', templated.text);
const sides = [...filled(8).matchAll(/8/g)].map(({ index }, i) => ({ from: index, to: index + 1, text: ['16', '4', '16'][i] }));
const [x, y, other] = H.shaderEdits(filled(8), sides, templated);
assert.equal(H.rewritten(templated.text, [x, y]), templated.text.replace('${SIDE}, ${SIDE}', '16, 4'));
assert.match(other.advice, /write 16 for "8" in line 3/);
H.pipelines.push({ code: filled(8), entry: 'main' });
assert.ok(!H.shaderEdits(filled(8), sides, templated)[0].advice, 'its own pipeline');
H.pipelines.push({ code: filled(4), entry: 'main' });
assert.ok(H.shaderEdits(filled(8), sides, templated)[0].advice, 'a second text of the template');
H.pipelines.length = 0;
H.files.clear();

// A patch, which patch(1) applies; a pipeline with a change by hand is left out as a whole.
const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
lines[3] = 'size 64;';
lines[30] = 'n / 64';
const text = lines.join('\n') + '\n', at = part => text.indexOf(part) + part.indexOf('64');
H.files.set('src/a.js', text);
const one = part => ({ file: 'src/a.js', from: at(part), to: at(part) + 2, text: '256' });
const { diff, omitted } = H.patch([[one('size 64'), one('n / 64')], [{ ...one('size 64'), text: '32' }], [one('n / 64'), { file: 'x', advice: 'by hand' }]]);
assert.equal(omitted, 2);
const folder = mkdtempSync(path.join(tmpdir(), 'patch-'));
mkdirSync(path.join(folder, 'src'));
writeFileSync(path.join(folder, 'src/a.js'), text);
const patch = spawnSync('git', ['apply', '-p1', '-'], { cwd: folder, input: diff, env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() } });
if (!patch.error) {
  assert.equal(patch.status, 0, String(patch.stderr));
  assert.equal(readFileSync(path.join(folder, 'src/a.js'), 'utf8'), text.replace('size 64', 'size 256').replace('n / 64', 'n / 256'));
}
assert.equal(H.patch([[one('size 64'), { ...one('size 64'), text: '32' }]]).omitted, 1, 'changes that contradict each other');
const home = mkdtempSync(path.join(tmpdir(), 'patch-'));
writeFileSync(path.join(home, 'a.js'), text);
const line = { from: 0, to: 0, text: "import 'x';", isLine: true };
const inserted = H.diff('a.js', text, [line, { ...one('size 64'), text: 'f(64)' }, { ...one('n / 64'), text: 'x' }]);
const second = spawnSync('git', ['apply', '-p1', '-'], { cwd: home, input: inserted, env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() } });
if (!second.error) {
  assert.equal(second.status, 0, String(second.stderr) + inserted);
  assert.equal(readFileSync(path.join(home, 'a.js'), 'utf8'), "import 'x';\n" + text.replace('size 64', 'size f(64)').replace('n / 64', 'n / x'));
}
rmSync(home, { recursive: true });
assert.match(H.diff('b.js', 'x 64', [{ from: 2, to: 4, text: '32' }]), /-x 64\n\\ No newline.*\n\+x 32\n\\ No newline/);
rmSync(folder, { recursive: true });
console.log('places and patches: right');

// A line of a bundle: its part around the change, with the column, tells two equal calls apart.
const call = number => `e.setBindGroup(0,this.group${number}),e.dispatchWorkgroups(this.w/this.size),`.padEnd(100, 'x');
const bundle = { name: 'b.js', line: 2, text: `first\n${call(1)}${call(2)}\nlast ${'y'.repeat(90)}\n` };
const [firstCall, secondCall] = [1, 2].map(number => bundle.text.indexOf('this.w', bundle.text.indexOf(`group${number}`)));
const changed = from => H.change('dispatch', bundle, { from, to: from + 16, text: '1' }, '');
assert.match(changed(firstCall).row, /group1.*this\.w\/this\.size.*\.\.\.$/);
assert.match(changed(secondCall).row, /^\.\.\..*group2.*this\.w\/this\.size/);
assert.ok(!changed(secondCall).row.includes('group1') && changed(secondCall).row.length <= 126, changed(secondCall).row);
assert.deepEqual([changed(firstCall).column, changed(secondCall).column], [firstCall - 5, secondCall - 5]);
assert.equal(H.change('dispatch', { ...bundle, offset: secondCall }, { advice: 'divide' }, '').column, secondCall - 5);
const short = H.change('dispatch', bundle, { from: bundle.text.indexOf('last'), to: 1, text: '' }, '');
assert.deepEqual([short.row, short.column, short.line], [`last ${'y'.repeat(90)}`, undefined, 3]);
assert.equal(H.change('import', { name: 'n.js', line: 1, text: '\n' + 'z'.repeat(200) }, { from: 0, to: 0, text: 'i' }, '').row, '');

// A shader that a library writes: the author's own call is named, not the library's files.
const stack = ['at a.compute (http://x/build/three.webgpu.min.js:6:590168)', 'at b.compute (http://x/build/three.webgpu.js:9:4)', 'at draw (http://x/index.html:27:44)'];
assert.deepEqual(H.libraryOf('// Three.js r182 - Node System\n', stack, [256, 1, 1]),
  { frame: stack[2], advice: 'three.js writes this shader: compute(COUNT, [256]) where its node is made' });
assert.match(H.libraryOf('@compute', ['at run (http://x/node_modules/lib/index.js:1:2)'], [8, 8, 1]).advice, /a library writes .* \[8, 8\]/);
assert.equal(H.libraryOf('// Three.js r182', ['at a (http://x/assets/index-1a.js:1:2)'], [64, 1, 1]).frame, undefined, 'a bundle');
assert.equal(H.libraryOf('@compute', ['at draw (http://x/main.js:3:4)', ...stack], [64, 1, 1]), null);
