// What the page compares, and what it leaves out: node tests/web/kernel_test.mjs
import { Kernel, codeOf, compareArrays, markRuns } from '../../web/page/kernel.js';

let failed = 0;
const check = (right, words) => { if (!right) { failed = 1; console.error(`FAILED: ${words}`); } };
const PATTERNS = [0x5a5a5a5a, 0xdadadada];
const vec3 = { name: 'y', type: 'f32', compare: 'each', tolerance: 0.1 };

// An array of four vec3: three numbers each, and padding that no store reaches.
function padded(pattern, change = () => {}) {
  const bytes = new Uint8Array(64), numbers = new Float32Array(bytes.buffer), words = new Uint32Array(bytes.buffer);
  for (let i = 0; i < 16; i++) if (i % 4 === 3) words[i] = PATTERNS[pattern]; else numbers[i] = i;
  change(numbers);
  return bytes;
}

// Marks of runs 0, 1, 2, ... of a reference.
function marked(b, ...runs) {
  const state = { marks: new Uint8Array(Math.ceil(runs[0].byteLength / 4)), unwritten: 0, unsteady: 0 };
  runs.slice(1).forEach((bytes, i) => markRuns(b, runs[0].buffer, bytes.buffer, i + 1, state));
  return state;
}

const { marks, unwritten, unsteady } = marked(vec3, padded(0), padded(1), padded(0));
check(unwritten === 4 && unsteady === 0 && [0, 1, 2, 3].every(i => marks[i] === 0x40), `padding: ${unwritten} and ${unsteady} elements, marks ${marks}`);
for (const pattern of [0, 1]) {
  const found = (change, b = { ...vec3, marks }) => compareArrays(b, padded(pattern, change).buffer, padded(0), pattern);
  check(found().text === '' && found().error === 0, `padding under pattern ${pattern}: ${found().text}`);
  check(found(y => { y[7] = 0; }).text === 'writes element 7 of y, which the reference does not write', 'a write into the padding');
  check(found(y => { y[6] = 9; }).text === 'y[6] is 9, expected 6', 'a wrong element beside the padding');
  check(found(y => { new Uint32Array(y.buffer)[0] = PATTERNS[pattern]; }).text === 'does not write element 0 of y, which the reference writes', 'an element of 0 that is not written');
}
check(compareArrays(vec3, padded(1).buffer, padded(0), 1).text.startsWith('does not write element 3'), 'without a mask all is compared');
check(compareArrays({ ...vec3, marks, pristine: {} }, padded(1, y => { y[5] = y[3]; }).buffer, padded(0), 1).text.startsWith('y[5] is'), 'content of its own');

// The width of subgroups: in the text where it is set, and nothing where the browser chooses it.
const pieces = [{ factors: ['HED_SUBGROUP_SIZE'], suffix: '', text: '', when: '@subgroup_size(#) ' }, 'fn main'];
check(codeOf(pieces, { HED_SUBGROUP_SIZE: 16 }) === '@subgroup_size(16) fn main', 'a width of 16');
check(codeOf(['@id(0) override A: u32; @id( 1 )override B = 2;'], {}) === '       override A: u32;         override B = 2;', 'overrides by name');
check(codeOf(pieces, { HED_SUBGROUP_SIZE: 0 }) === 'fn main' && codeOf(pieces, {}) === 'fn main', 'no width');

// A list whose order changes: what is behind its end is left out, and one too many is found.
const list = { name: 'list', type: 'u32', compare: 'sorted', tolerance: 0 };
const listed = (pattern, ...items) => new Uint8Array(new Uint32Array([...items, ...Array(8 - items.length).fill(PATTERNS[pattern])]).buffer);
list.marks = marked(list, listed(0, 5, 3, 1), listed(1, 1, 3, 5), listed(0, 3, 5, 1)).marks;
check(list.marks[0] === 0x40 && list.marks[1] === 0x55, `the end of a list: marks ${list.marks}`);
check(compareArrays(list, listed(1, 3, 5, 1).buffer, listed(0, 5, 3, 1), 1).text === '', 'a list in another order');
check(compareArrays(list, listed(1, 3, 5, 1, 1).buffer, listed(0, 5, 3, 1), 1).text === '"list" has 4 elements, expected 3', 'one too many');
const sum = { ...list, name: 'sum', compare: 'sum' };
check(compareArrays(sum, listed(0, 4, 4, 1).buffer, listed(1, 5, 3, 1), 0).text === '', 'a sum');
const bytes = { name: 'bytes', type: 'u8', compare: 'each', tolerance: 0 };
check(marked(bytes, Uint8Array.of(1, 0x5a, 0x5a), Uint8Array.of(1, 0xda, 0x5a)).unwritten === 1, 'bytes');

// A reference that differs from itself.
const race = marked(vec3, padded(0), padded(1, y => { y[5] = 9; y[6] = 6.1; }), padded(0, y => { y[3] = 1; y[8] = 9; }));
check(race.unwritten === 3 && race.unsteady === 3, `a race: ${race.unwritten} and ${race.unsteady} elements`);
const raced = change => compareArrays({ ...vec3, marks: race.marks }, padded(1, change).buffer, padded(0), 1).text;
check(raced(y => { y[3] = 7; y[5] = 7; y[8] = 7; }) === '', 'elements that differ are left out');
check(raced(y => { y[6] = 7; }) === 'y[6] is 7, expected 6', 'a spread within the tolerance is compared');
check(raced(y => { y[7] = 1; }).startsWith('writes element 7'), 'padding beside elements that differ');
check(marked({ ...vec3, pristine: true }, padded(0), padded(1)).unsteady === 4, 'in place nothing is unwritten');
check(marked(list, listed(0, 5, 3, 1), listed(1, 5, 3, 2), listed(0, 5, 3, 2)).unsteady === 0, 'lists are compared as a whole');

// Without a tolerance bits decide, except of NaN, as in C; with one -0 is 0.
const signed = (...numbers) => new Uint8Array(new Float32Array(numbers).buffer);
const zeros = (tolerance, run = signed(-0, 1)) => compareArrays({ ...vec3, tolerance }, run.buffer, signed(0, 1), 0).text;
check(zeros(0) === 'y[0] is -0, expected 0', `-0 without a tolerance: ${zeros(0)}`);
check(zeros(1e-9) === '' && zeros(0, signed(0, 1)) === '', '-0 with a tolerance');
const nan = new Uint8Array(Uint32Array.of(0x7fc00001).buffer), otherNan = new Uint8Array(Uint32Array.of(0xffc00000).buffer);
check(compareArrays({ ...vec3, tolerance: 0 }, nan.buffer, otherNan, 0).text === '', 'two NaN');
check(marked({ ...vec3, tolerance: 0 }, signed(0, 1), signed(-0, 1)).unsteady === 1 && marked(vec3, signed(0, 1), signed(-0, 1)).unsteady === 0, '-0 from run to run');

// Each check has a pattern, and is compared by that one.
const job = { bindings: [] };
const kernel = new Kernel({}, job, null);
const b = { ...vec3, marks, argument: 0, right: padded(0) };
kernel.written = [b];
kernel.bytesOf = async (_, slot) => padded(slot);
const patterns = [kernel.nextPattern(), kernel.nextPattern(), kernel.nextPattern()];
check(`${patterns}` === '0,1,0', `patterns ${patterns}`);
check((await kernel.compare({ results: {} }, 1, 1)).text === '', 'a check with the second pattern');
check((await kernel.compare({ results: {} }, 0, 1)).text.startsWith('writes element 3'), 'by the other pattern');
// Writes after the end of an array without a length, which a browser redirects to its last element. `items` are the elements that
// are written; y has 16 numbers.
globalThis.GPUBufferUsage = { STORAGE: 1, COPY_SRC: 2, COPY_DST: 4, MAP_READ: 8 };
globalThis.GPUMapMode = { READ: 1 };
const bytesAt = (buffer, at, count) => buffer.data.subarray(at, at + count);
const fakeDevice = {
  limits: { maxStorageBufferBindingSize: 1 << 20 },
  createBuffer: ({ size }) => ({ size, data: new Uint8Array(size), async mapAsync() {}, getMappedRange() { return this.data.buffer; }, destroy() {} }),
  queue: { writeBuffer: (to, at, array) => to.data.set(new Uint8Array(array.buffer), at) },
};
const encoder = { copyBufferToBuffer: (from, a, to, b, count) => to.data.set(bytesAt(from, a, count), b) };
const dispatched = async passes => passes.forEach(one => { one.before(encoder); one.dispatch({}); one.after(encoder); });
async function overrunBy(items, code = 'fn f() {}', changes = {}) {
  const y = { name: 'y', bytes: 64, stride: 4, content: fakeDevice.createBuffer({ size: 64 }), ...changes };
  const one = new Kernel({ device: fakeDevice }, { bindings: [{ name: 'x' }, y], code: [code] }, null);
  one.makeGroups = replaced => replaced;
  one.poison = (_, pattern) => new Uint32Array(y.content.data.buffer).fill(PATTERNS[pattern]);
  one.dispatch = (pass, pipeline, candidate, times, groups) => {
    const numbers = new Float32Array(groups.get(1).buffer.data.buffer);
    for (const i of items) numbers[Math.min(i, numbers.length - 1)] = i;
  };
  return one.overruns(y, { constants: {}, uniforms: {} }, {}, dispatched, 0);
}
const upTo = (count, step = 1) => Array.from({ length: count }, (_, i) => i * step);
check(await overrunBy(upTo(16)) === false, 'all elements are written, and none after them');
check(await overrunBy(upTo(17)) === true && await overrunBy(upTo(16, 4)) === true, 'a write after the end');
check(await overrunBy(upTo(17), 'arrayLength( & y )') === false && await overrunBy(upTo(17), 'arrayLength(list)') === false, 'the text reads the length');
check(await overrunBy(upTo(17), 'arrayLength(&x)') === true, 'the text reads the length of another array');
check(await overrunBy(upTo(17), '', { stride: undefined }) === false, 'an array with a length');

// A compiler that never ends: a pipeline is a failure with a name once its time is over, which is longer for the first one.
const wait = globalThis.setTimeout, waited = [];
globalThis.setTimeout = (work, time) => { waited.push(time); return wait(work, 0); };
let isEndless = true;
const endless = new Kernel({ device: { createShaderModule: () => ({}),
  createComputePipelineAsync: () => isEndless ? new Promise(() => {}) : Promise.resolve({}) } }, { bindings: [], code: ['fn f() {}'] }, null);
const limited = key => Promise.race([endless.pipeline({ key, constants: {} }), new Promise(done => wait(done, 2000, {}))]);
const first = await limited('a');
isEndless = false;
const made = await limited('b');
isEndless = true;
const later = await limited('c');
globalThis.setTimeout = wait;
check(!first.pipeline && first.text === 'the browser has not compiled it after 180 s' && waited[0] === 180000, `the first: ${first.text}, ${waited}`);
check(made.pipeline && later.text === 'the browser has not compiled it after 60 s' && waited[2] === 60000, `a later one: ${later.text}, ${waited}`);

process.exit(failed);
