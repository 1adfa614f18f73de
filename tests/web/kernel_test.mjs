// What the page compares, and what it leaves out: node tests/web/kernel_test.mjs
import { Kernel, compareArrays, unwrittenOf } from '../../web/page/kernel.js';

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

const { mask, count } = unwrittenOf(vec3, padded(0).buffer, padded(1).buffer);
check(count === 4 && mask[0] === 0x88 && mask[1] === 0x88, `padding: ${count} elements, mask ${mask}`);
check(unwrittenOf(vec3, padded(0, y => { y[5] = 7; }).buffer, padded(1, y => { y[5] = 8; }).buffer).count === 4, 'an element that differs is written');
for (const pattern of [0, 1]) {
  const found = (change, b = { ...vec3, mask }) => compareArrays(b, padded(pattern, change).buffer, padded(0), pattern);
  check(found().text === '' && found().error === 0, `padding under pattern ${pattern}: ${found().text}`);
  check(found(y => { y[7] = 0; }).text === 'writes element 7 of y, which the reference does not write', 'a write into the padding');
  check(found(y => { y[6] = 9; }).text === 'y[6] is 9, expected 6', 'a wrong element beside the padding');
  check(found(y => { new Uint32Array(y.buffer)[0] = PATTERNS[pattern]; }).text.startsWith('y[0] is'), 'an element of 0 that is not written');
}
check(compareArrays(vec3, padded(1).buffer, padded(0), 1).text.startsWith('y[3] is'), 'without a mask all is compared');

// A list whose order changes: what is behind its end is left out, and one too many is found.
const list = { name: 'list', type: 'u32', compare: 'sorted', tolerance: 0 };
const listed = (pattern, ...items) => new Uint8Array(new Uint32Array([...items, ...Array(8 - items.length).fill(PATTERNS[pattern])]).buffer);
list.mask = unwrittenOf(list, listed(0, 5, 3, 1).buffer, listed(1, 1, 3, 5).buffer).mask;
check(list.mask[0] === 0xf8, `the end of a list: mask ${list.mask}`);
check(compareArrays(list, listed(1, 3, 5, 1).buffer, listed(0, 5, 3, 1), 1).text === '', 'a list in another order');
check(compareArrays(list, listed(1, 3, 5, 1, 1).buffer, listed(0, 5, 3, 1), 1).text === '"list" has 4 elements, expected 3', 'one too many');
const sum = { ...list, name: 'sum', compare: 'sum' };
check(compareArrays(sum, listed(0, 4, 4, 1).buffer, listed(1, 5, 3, 1), 0).text === '', 'a sum');
const bytes = { name: 'bytes', type: 'u8', compare: 'each', tolerance: 0 };
check(unwrittenOf(bytes, Uint8Array.of(1, 0x5a, 0x5a).buffer, Uint8Array.of(1, 0xda, 0x5a).buffer).count === 1, 'bytes');

// Each check has a pattern, and is compared by that one.
const job = { bindings: [] };
const kernel = new Kernel({}, job, null);
const b = { ...vec3, mask, argument: 0, right: padded(0) };
kernel.written = [b];
kernel.bytesOf = async (_, slot) => padded(slot);
const patterns = [kernel.nextPattern(), kernel.nextPattern(), kernel.nextPattern()];
check(`${patterns}` === '0,1,0', `patterns ${patterns}`);
check((await kernel.compare({ results: {} }, 1, 1)).text === '', 'a check with the second pattern');
check((await kernel.compare({ results: {} }, 0, 1)).text.startsWith('writes element 3'), 'by the other pattern');
process.exit(failed);
