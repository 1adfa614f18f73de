// The module for web pages, and the race: node tests/web/module_test.mjs
import { kernel, candidates, choose } from '../../examples/web/blur.tuned.js';
import { race } from '../../examples/web/race.js';

let failed = 0;
const check = (right, words) => { if (!right) { failed = 1; console.error(`FAILED: ${words}`); } };
const limits = (items, bytes = 16384) => ({ maxComputeWorkgroupSizeX: 256, maxComputeWorkgroupSizeY: 256, maxComputeWorkgroupSizeZ: 64,
  maxComputeInvocationsPerWorkgroup: items, maxComputeWorkgroupStorageSize: bytes });
const items = ({ workgroupSize: [x, y, z] }) => x * y * z;

// ---- a choice ----

check(kernel === 'blur', 'the name of the kernel');
const known = { vendor: 'google', architecture: 'swiftshader' };
check(choose(known, limits(256)).from === 'architecture', 'the architecture that was measured');
check(choose({ ...known, architecture: 'other' }, limits(256)).from === 'vendor', 'the vendor that was measured');
check(choose({}, limits(256)).from === 'default', "the shader's own where nothing is known");
check(choose(undefined, limits(256)).constants.WG_X > 0, 'a browser that tells nothing');
for (const most of [1, 2, 4, 16, 32, 64, 100, 128, 256])
  for (const info of [known, {}]) check(candidates(info, limits(most), 99).every(c => items(c) <= most), `a group over ${most}`);
check(choose(known, limits(1)) === undefined, 'nothing where the limits forbid all');
check(candidates(known, limits(256)).length === 5, 'five candidates');
const keys = candidates(known, limits(256), 99).map(c => JSON.stringify(c.constants));
check(new Set(keys).size === keys.length, 'no candidate twice');

// ---- a race, on a device that needs as long as it is told ----

const stored = new Map();
globalThis.localStorage = { getItem: k => stored.get(k) ?? null, setItem: (k, v) => stored.set(k, v) };
globalThis.GPUBufferUsage = { QUERY_RESOLVE: 1, COPY_SRC: 2, MAP_READ: 4, COPY_DST: 8 };
Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'node' }, configurable: true });
globalThis.GPUMapMode = { READ: 1 };
const WAIT = 1; // ms of a submission
function fakeDevice(quantum) {
  const device = { features: new Set(['timestamp-query']), span: 0, now: 0, passes: 0,
    createQuerySet: () => ({}), createBuffer: () => ({ mapAsync: () => new Promise(done => setTimeout(done, WAIT)), unmap() {},
      getMappedRange() { const q = v => BigInt(Math.floor(v * 1e9 / quantum) * quantum);
        const from = device.now += 0.013, to = device.now += device.span; return BigUint64Array.of(q(from), q(to)).buffer; } }),
    createCommandEncoder: () => ({ beginComputePass: () => { device.span = 0; device.passes++; return { spend(s) { device.span += s; }, end() {} }; },
      resolveQuerySet() {}, copyBufferToBuffer() {}, finish() {} }),
    queue: { submit() {}, onSubmittedWorkDone: async () => {} } };
  return device;
}
for (const quantum of [1, 65536]) {
  stored.clear();
  const device = fakeDevice(quantum), tried = candidates(known, limits(256));
  const seconds = [5e-4, 4e-4, 2e-4, 3e-4, 9e-4];
  const job = { device, name: 'blur', adapterInfo: known, candidates: tried,
    pipeline: async constants => { if (tried[4].constants === constants) throw new Error('no'); return constants; },
    launch: (pass, pipeline, candidate) => pass.spend(seconds[tried.indexOf(candidate)]) };
  const start = performance.now(), best = await race(job), took = performance.now() - start;
  check(best.constants === tried[2].constants && !best.remembered, `quantum ${quantum}: the fastest wins, not ${JSON.stringify(best.constants)}`);
  console.log(`quantum ${quantum} ns: ${device.passes} passes in ${took.toFixed(0)} ms, ${(best.seconds * 1e6).toFixed(0)} us of 200`);
  const again = await race(job);
  check(again.remembered && again.constants === best.constants, 'the answer is remembered');
  for (const kept of ['nonsense', '{"index": 77}', '{"index": -1}', 'null']) {
    stored.forEach((_, key) => stored.set(key, kept));
    check((await race(job)).constants === tried[2].constants, `what is stored may be ${kept}`);
  }
  await race({ ...job, pipeline: async () => { throw new Error('none'); } }).then(() => check(false, 'all fail'), () => {});
}
process.exit(failed);
