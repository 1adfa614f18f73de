// node wgsl_size_test.mjs: rules of a compute shader's group size: kinds, guards, rewritten texts.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

for (const name of ['wgsl_read', 'wgsl_size', 'wgsl_rewrite'])
  vm.runInThisContext(readFileSync(new URL(`../../web/record/${name}.js`, import.meta.url), 'utf8'), { filename: name + '.js' });
const H = globalThis.__heddle;

const inputs = '@builtin(global_invocation_id) g: vec3u, @builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u, ' +
  '@builtin(local_invocation_index) li: u32, @builtin(num_workgroups) k: vec3u';
const text = (body, extra = '', size = '64') => `${extra}@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(${size}) fn main(${inputs}) { ${body} }`;
const read = (body, extra, size) => H.analyse(text(body, extra, size), 'main');
const bodyOf = code => /main\(.*?\) \{ (.*) \}$/s.exec(code)[1];

// body -> kind, and the body of the text with size 32
const rules = [
  ['y[g.x] = 1u;', 'free', 'y[g.x] = 1u;'],
  ['let i = w.x * 64u + l.x; y[i] = 1u;', 'free', 'let i = w.x * 32u + l.x; y[i] = 1u;'],
  ['let i = (w.x * 64u) + l.x; y[i] = 1u;', 'free', 'let i = (w.x * 32u) + l.x; y[i] = 1u;'],
  ['let i = l.x + w.x * 64; y[i] = 1u;', 'free', 'let i = l.x + w.x * 32; y[i] = 1u;'],
  ['let i = 64u * w.x + li; y[i] = 1u;', 'free', 'let i = 32u * w.x + li; y[i] = 1u;'],
  ['let i = w[0] * 64u + l[0]; y[i] = 1u;', 'free', 'let i = w[0] * 32u + l[0]; y[i] = 1u;'],
  ['let i = 2u * (w.x * 64u + l.x); y[i] = 1u;', 'free', 'let i = 2u * (w.x * 32u + l.x); y[i] = 1u;'],
  ['let i = g.x + g.y * k.x * 64u; y[i] = 1u;', 'free', 'let i = g.x + g.y * k.x * 32u; y[i] = 1u;'],
  ['let i = g.x + (k.x * u32(64)) * g.y; y[i] = 1u;', 'free', 'let i = g.x + (k.x * u32(32)) * g.y; y[i] = 1u;'],
  ['y[g.x] = w.y;', 'free', 'y[g.x] = w.y;'],
  ['/* workgroupBarrier(); /* nested */ */ y[g.x] = 1u; // l.x\n', 'free'],
  ['let i = w.x * 32u + l.x; y[i] = 1u;', 'together'],
  ['let i = 2u * w.x * 64u + l.x; y[i] = 1u;', 'together'],
  ['let i = 9u - w.x * 64u + l.x; y[i] = 1u;', 'together'],
  ['let i = w.x * 64u + l.x * 2u; y[i] = 1u;', 'together'],
  ['let i = (w.x << 6u) + l.x; y[i] = 1u;', 'together'],
  ['let i = w.x * 64u % 7u + l.x; y[i] = 1u;', 'together'],
  ['y[g.x] = g.x / (k.x * 64u);', 'free'],
  ['y[g.x] = g.x % k.x;', 'together'],
  ['y[g.x] = 1u; storageBarrier();', 'together'],
  ['y[g.x] = subgroupAdd(1u);', 'together'],
  ['let q = w; y[q.x] = 1u;', 'together'],
  ['let i = w.x * 64u + l.x; y[i] = l.x;', 'together'],
  ['let i = w.xy * vec2u(64, 1) + l.xy; y[i.x] = 1u;', 'together'],
];
for (const [body, kind, rewritten] of rules) {
  const a = read(body);
  assert.equal(a.kind, kind, `${body}: ${a.reasons}`);
  if (rewritten) assert.equal(bodyOf(H.rewriteFree(a, [32, 1, 1]).code), rewritten);
}
assert.equal(read('y[f(w)] = 1u;', 'fn f(a: vec3u) -> u32 { return a.x; }\n').kind, 'together', 'an id that is passed on');
assert.equal(read('f();', 'fn f() { workgroupBarrier(); }\n').kind, 'together', 'a barrier in a function');
assert.equal(read('y[g.x] = 1u;', 'var<workgroup> s: array<u32, 64>;\nfn unused() { s[0] = 1u; }\n').kind, 'free', 'a function that nothing calls');

// Group ids of a struct that is passed on as a whole.
const whole = 'struct In { @builtin(workgroup_id) w: vec3u, @builtin(global_invocation_id) g: vec3u }\nfn f(i: In) -> u32 { return i.w.x; }\n' +
  '@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n@compute @workgroup_size(64) fn main(i: In) { y[i.g.x] = ';
assert.equal(H.analyse(whole + 'f(i); }', 'main').kind, 'together');
assert.equal(H.analyse(whole + '1u; }', 'main').kind, 'free');

// Sizes: constants, overrides with the page's values, expressions; the const itself keeps its value.
const named = H.analyse('const BLOCK = 8u;\n' + text('y[g.x] = g.x % BLOCK;', '', 'BLOCK, BLOCK * 2'), 'main');
assert.deepEqual(named.size, [8, 16, 1]);
assert.ok(H.rewriteFree(named, [16, 4, 1]).code.includes('const BLOCK = 8u;'));
assert.ok(H.rewriteFree(named, [16, 4, 1]).code.includes('@workgroup_size(16, 4)'));
const over = 'override W: u32 = 64;\n@id(7) override V: u32;\n';
assert.deepEqual(H.analyse(over + text('y[g.x] = 1u;', '', 'W, V'), 'main', { W: 32, 7: 2 }).size, [32, 2, 1]);
assert.equal(H.analyse(over + text('y[g.x] = 1u;', '', 'W, V'), 'main', {}).kind, 'refused', 'an override without a value');
assert.throws(() => H.analyse('fn f() {}', 'main'), /no compute entry point "main"/);
assert.throws(() => H.analyse('@compute @workgroup_size(64) fn main() { {', 'main'), /brackets/);

// A const or override that is the size alone changes where it is declared.
const alone = H.rewriteFree(H.analyse('const N = 64u;\n' + text('let i = w.x * N + l.x; y[i] = 1u;', '', 'N'), 'main'), [128, 1, 1]);
assert.ok(alone.code.includes('const N = 128u;') && alone.code.includes('@workgroup_size(N)') && alone.edits.length === 1);
const set = H.rewriteFree(H.analyse('override N: u32 = 64;\n' + text('y[g.x] = 1u;', '', 'N'), 'main', {}), [128, 1, 1]);
assert.deepEqual([set.constants, set.edits], [{ N: 128 }, []]);
const twice = H.analyse('const N = 8;\n' + text('y[g.x] = g.y;', '', 'N, N'), 'main');
assert.ok(H.rewriteFree(twice, [16, 16, 1]).code.includes('const N = 16;'));
assert.ok(H.rewriteFree(twice, [16, 4, 1]).code.includes('@workgroup_size(16, 4)'));

// A text that leaves no item out.
for (const [body, isOpen] of [['y[g.x] *= 2u;', true], ['y[g.x] = half(y[g.x]);', true], ['if (g.x < 9u) { y[g.x] = 1u; }', false], ['y[g.x % 9u] = 1u;', false],
  ['y[min(g.x, 9u)] = 1u;', false], ['y[g.x] = select(1u, 2u, g.x > 9u);', false], ['y[inside(g.x)] = 1u;', false]])
  assert.equal(read(body, 'fn half(a: u32) -> u32 { return a / 2u; }\nfn inside(a: u32) -> u32 { if (a > 9u) { return 9u; } return a; }\n').isOpen, isOpen, body);

// Guards: literals, constants, members of uniforms, lengths of arrays, sizes of textures, vectors, lets.
const bytes = (...words) => [...new Uint8Array(new Uint32Array(words).buffer)];
const uniform = 'struct U { a: vec3f, n: u32, size: vec2u }\n@group(0) @binding(1) var<uniform> u: U;\n@group(0) @binding(2) var image: texture_2d<f32>;\nconst N = 500;\n';
const state = { '0.0': { size: 400, bytes: bytes(0, 0) }, '0.1': { size: 32, bytes: bytes(0, 0, 0, 77, 30, 20) }, '0.2': { size: [90, 60, 1] } };
for (const [body, limits] of [
  ['if (g.x >= 77u) { return; } y[g.x] = 1u;', [77]],
  ['if (g.x > N) { return; } y[g.x] = 1u;', [501]],
  ['if (g.x < u.n) { y[g.x] = 1u; }', [77]],
  ['if (g.x < u.n) { y[g.x] = 1u; } else { y[0] = 2u; }', [NaN]],
  ['if (g.x >= arrayLength(&y)) { return; } y[g.x] = 1u;', [100]],
  ['if (g.x >= u.size.x || g.y >= u.size.y) { return; } y[g.x] = 1u;', [30, 20]],
  ['if (any(g.xy >= u.size)) { return; } y[g.x] = 1u;', [30, 20]],
  ['if (any(g.xy >= textureDimensions(image))) { return; } y[g.x] = 1u;', [90, 60]],
  ['let i = g.x; let n = u.n; if (i >= n) { return; } y[i] = 1u;', [77]],
  ['let i = w.x * 64u + l.x; if (i >= u.n) { return; } y[i] = 1u;', [77]],
  ['y[g.x] = 2u; if (g.x >= u.n) { return; } y[g.x] = 1u;', [NaN]],
  ['if (g.x >= y[0]) { return; } y[g.x] = 1u;', [NaN]],
  ['if (g.x >= u.n * 2) { return; } y[g.x] = 1u;', [154]],
]) {
  const found = read(body, uniform).limits(state);
  assert.deepEqual(found, [0, 1, 2].map(c => limits[c] ?? NaN), body);
}

// The launch of another size covers the same items, and is proved only if a guard or the division shows it.
globalThis.performance ??= { now: () => 0 };
Object.assign(H, { pipelines: [], devices: [], errors: [], state: {}, cost: {}, config: {} });
vm.runInThisContext(readFileSync(new URL('../../web/record/tune.js', import.meta.url), 'utf8'));
const free = read('y[g.x] = 1u;');
assert.deepEqual(H.launchOf(free, [3, 1, 1], [32, 1, 1], [NaN, NaN, NaN]), { counts: [6, 1, 1], isProved: true, fits: true });
assert.deepEqual(H.launchOf(free, [3, 1, 1], [128, 1, 1], [NaN, NaN, NaN]), { counts: [2, 1, 1], isProved: false, fits: true });
assert.deepEqual(H.launchOf(free, [3, 1, 1], [128, 1, 1], [130, NaN, NaN]), { counts: [2, 1, 1], isProved: true, fits: true });
assert.equal(H.launchOf(free, [3, 1, 1], [128, 1, 1], [200, NaN, NaN]).isProved, false, 'a guard beyond the launch');
assert.equal(H.launchOf(free, [65535, 1, 1], [32, 1, 1], [NaN, NaN, NaN]).fits, false);
const folded = read('let i = g.x + g.y * k.x * 64u; if (i < 1000u) { y[i] = 1u; }');
assert.equal(H.launchOf(folded, [3, 2, 1], [128, 1, 1], [NaN, NaN, NaN]).isProved, false, 'a folded launch');
const limits = { x: 256, y: 256, z: 64, invocations: 256 };
assert.ok(H.sizes(free, [3, 1, 1], limits, 99).every(([x, y, z]) => x <= 256 && y === 1 && z === 1 && x !== 64));
assert.ok(H.sizes(named, [3, 3, 1], limits, 99).some(([x, y]) => x === 16 && y === 16));

// Hypotheses of items that work together.
const tiled = 'const T = 64;\nvar<workgroup> s: array<u32, T>;\n' + text('s[l.x] = g.x; workgroupBarrier(); y[g.x] = s[63 - l.x];', '', 'T');
const [byName] = H.rewriteTogether(H.analyse(tiled, 'main'), [32, 1, 1]);
assert.ok(byName.offered && byName.code.includes('const T = 32;'));
const literal = H.rewriteTogether(read('s[l.x] = g.x; workgroupBarrier(); y[g.x] = s[63u - l.x];', 'var<workgroup> s: array<u32, 64>;\n'), [32, 1, 1]);
assert.ok(literal.length === 2 && literal.every(t => !t.offered && t.code.includes('array<u32, 32>')));
assert.ok(literal[0].code.includes('s[31u - l.x]') && literal[1].code.includes('s[63u - l.x]'));

// Expressions are evaluated without eval().
for (const [expression, value] of [['7 / 2', 3], ['(1 + 2) * 3 - 4', 5], ['1 << 4', 16], ['Math.trunc(5.5)', 5], ['Math.min(3, 2)', 2], ['2 -', NaN], ['', NaN]])
  assert.equal(H.arithmetic(expression), value, expression);
console.log('rules of group sizes: right');
