// node page_source_test.mjs: places in the author's files, edits of calls and shaders, patches.
import assert from 'node:assert';
import { readFileSync, writeFileSync, mkdtempSync, rmSync, mkdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import vm from 'node:vm';

const H = globalThis.__heddle = { pipelines: [] };
vm.runInThisContext(readFileSync(new URL('../../web/record/source.js', import.meta.url), 'utf8'), { filename: 'source.js' });

// Positions of a source map: "AAAA" is 0, 0, 0, 0; "ACCE" adds one source, one row, two columns.
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 0, 0), { source: 0, row: 0, col: 0 });
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 0, 9), { source: 0, row: 2, col: 5 });
assert.deepEqual(H.mapPosition('AAAA,KAEK;;ACCE', 2, 3), { source: 1, row: 3, col: 7 });
assert.equal(H.mapPosition('AAAA,KAEK;;ACCE', 1, 3), null);

// Arguments of dispatchWorkgroups() that follow the size.
const edited = (text, size, wanted) => {
  const range = H.argumentsAt(text, text.indexOf('dispatchWorkgroups')), parts = H.splitArguments(text, range);
  const edits = parts.map(part => H.editArgument(text, part, size, wanted));
  return edits[0].advice ?? text.slice(0, edits[0].from) + edits[0].text + text.slice(edits[0].to);
};
assert.equal(edited('p.dispatchWorkgroups(Math.ceil(n / 64));', 64, 256), 'p.dispatchWorkgroups(Math.ceil(n / 256));');
assert.equal(edited('p.dispatchWorkgroups(n >> 6, 1);', 64, 256), 'p.dispatchWorkgroups(n >> 8, 1);');
assert.equal(edited('p.dispatchWorkgroups((n + 63) >>> 6);', 64, 32), 'p.dispatchWorkgroups((n + 63) >>> 5);');
assert.equal(edited('const WG = 64;\np.dispatchWorkgroups(Math.ceil(n / WG));', 64, 128), 'const WG = 128;\np.dispatchWorkgroups(Math.ceil(n / WG));');
assert.match(edited('p.dispatchWorkgroups(Math.ceil(n / size));', 64, 128), /"size" is the size: 128 instead of 64/);
assert.match(edited('p.dispatchWorkgroups(1024);', 64, 128), /divide it by 2/);
assert.match(edited('p.dispatchWorkgroups(n / 640);', 64, 128), /does not follow/, 'a longer number');
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
assert.match(H.diff('b.js', 'x 64', [{ from: 2, to: 4, text: '32' }]), /-x 64\n\\ No newline.*\n\+x 32\n\\ No newline/);
rmSync(folder, { recursive: true });
console.log('places and patches: right');
