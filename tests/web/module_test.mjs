// The module for web pages, and the race: node tests/web/module_test.mjs
import { kernel, candidates, choose } from '../../examples/web/blur.tuned.js';
import { readFileSync } from 'node:fs';
import { race, adapt } from '../../examples/web/race.js';

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

// A browser that does not name its GPU takes what was measured in one.
{
  const text = readFileSync(new URL('../../examples/web/blur.tuned.js', import.meta.url), 'utf8');
  const hidden = text.replace("vendor: 'google', architecture: 1194055913", "vendor: '', architecture: 0").replace('best: [0,', 'best: [2, 0,');
  const module = await import(`data:text/javascript,${encodeURIComponent(hidden)}`);
  check(module.choose({ vendor: '', architecture: '' }, limits(256)).from === 'browser', 'a result of Firefox is chosen in Firefox');
  check(module.choose({ vendor: '', architecture: '' }, limits(256)).constants.PER_ITEM === 2, 'and it is the best of them');
  check(module.choose(known, limits(256)).from === 'default', 'and not where the GPU has a name');
}

// A width of subgroups that the browser chooses (0) is no constant, another one is.
for (const [name, right] of [['TILED', w => w === undefined], ['PER_ITEM', w => w > 0]]) {
  const text = readFileSync(new URL('../../examples/web/blur.tuned.js', import.meta.url), 'utf8').replace(`'${name}'`, "'HED_SUBGROUP_SIZE'");
  const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const widths = module.candidates(known, limits(256), 99).map(c => c.constants.HED_SUBGROUP_SIZE);
  check(widths.every(right), `${name} as a width of subgroups: ${widths}`);
}

// ---- a race, on a device that needs as long as it is told ----

const stored = new Map();
globalThis.localStorage = { getItem: k => stored.get(k) ?? null, setItem: (k, v) => stored.set(k, v) };
globalThis.GPUBufferUsage = { QUERY_RESOLVE: 1, COPY_SRC: 2, MAP_READ: 4, COPY_DST: 8 };
Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'node' }, configurable: true });
globalThis.GPUMapMode = { READ: 1 };
const WAIT = 1; // ms of a submission
function fakeDevice(quantum, flipped = 0) { // of `flipped` passes one has its stamps in the wrong order
  const device = { features: new Set(['timestamp-query']), span: 0, now: 0, passes: 0,
    createQuerySet: () => ({}), createBuffer: () => ({ mapAsync: () => new Promise(done => setTimeout(done, WAIT)), unmap() {},
      getMappedRange() { const q = v => BigInt(Math.floor(v * 1e9 / quantum) * quantum);
        const from = device.now += 0.013, to = device.now += device.span; return BigUint64Array.of(...flipped && device.passes % flipped === 0 ? [q(to), q(from)] : [q(from), q(to)]).buffer; } }),
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

// ---- faults of candidates, of the device and of its clock ----

const tried = candidates(known, limits(256));
check(tried.filter(c => c.isDefault).length === 1, 'the default is in the race');
check(choose(known, limits(256)).from === 'architecture', 'the choice is the best, though the default has a place');
const raceOf = (device, seconds, change = {}) => race({ device, name: 'blur', adapterInfo: known, candidates: tried, pipeline: async constants => constants,
  launch: (pass, pipeline, candidate) => pass.spend(seconds[tried.indexOf(candidate)]), ...change });
const even = [5e-4, 4e-4, 2e-4, 3e-4, 9e-4];
{ // an invalid dispatch takes no time
  stored.clear();
  const device = fakeDevice(1);
  let wrong = null;
  device.pushErrorScope = () => { wrong = null; };
  device.popErrorScope = async () => wrong;
  const best = await raceOf(device, even, { launch: (pass, pipeline, candidate) => {
    const i = tried.indexOf(candidate);
    if (i === 0) wrong = new Error('invalid'); else pass.spend(even[i]);
  } });
  check(best.constants === tried[2].constants && best.decided, 'an invalid dispatch never wins');
}
{ // one that throws
  stored.clear();
  const best = await raceOf(fakeDevice(1), even, { launch: (pass, pipeline, candidate) => {
    const i = tried.indexOf(candidate);
    if (i === 1) throw new Error('thrown'); else pass.spend(even[i]);
  } });
  check(best.constants === tried[2].constants, 'a candidate that throws is left out');
}
{ // long launches
  stored.clear();
  const best = await raceOf(fakeDevice(1), even.map(s => 120 * s));
  check(best.constants === tried[2].constants && best.decided && stored.size === 1, 'launches of 24 to 108 ms are raced to the end');
}
{ // the device is lost after some passes
  stored.clear();
  const device = fakeDevice(1);
  device.lost = new Promise(done => setTimeout(() => done({ message: 'gone' }), 20));
  await raceOf(device, even).then(() => check(false, 'a lost device'), e => check(/lost: gone/.test(e.message), e.message));
  await new Promise(done => setTimeout(done, 500));
  check(stored.size === 0, 'nothing is kept of a lost device');
}
{ // one of ten stamps is before the other
  stored.clear();
  const best = await raceOf(fakeDevice(1, 10), even);
  check(best.constants === tried[2].constants && best.decided, 'negative stamps are no times');
}
{ // another version of the browser, another shader of the same name, another problem
  stored.clear();
  await raceOf(fakeDevice(1), even);
  check((await raceOf(fakeDevice(1), even)).remembered, 'remembered');
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'node 2' }, configurable: true });
  check(!(await raceOf(fakeDevice(1), even)).remembered, 'an answer expires with the version of the browser');
  check(stored.size === 1, 'and is replaced');
  const other = tried.map(c => ({ ...c, identity: 'other' }));
  const again = await race({ device: fakeDevice(1), name: 'blur', adapterInfo: known, candidates: other, pipeline: async constants => constants,
    launch: (pass, pipeline, candidate) => pass.spend(even[other.indexOf(candidate)]) });
  check(!again.remembered && stored.size === 2, 'shaders of one name do not share an answer');
}
{ // another size, or another load: raced again, and only then
  stored.clear();
  let seconds = even, races = 0;
  const answers = [], device = fakeDevice(1);
  const state = await adapt({ device, name: 'blur', adapterInfo: known, candidates: tried, size: 1000, budget: 40, onChange: best => answers.push(best.constants),
    pipeline: async constants => { races++; return constants; }, launch: (pass, pipeline, candidate) => pass.spend(seconds[tried.indexOf(candidate)]) });
  const settled = () => new Promise(done => setTimeout(done, 400)), frames = (count, ms, size) => { for (let i = 0; i < count; i++) state.frame(ms, size); };
  check(state.best.constants === tried[2].constants && answers.length === 1, 'the first answer');
  const first = races;
  frames(200, 10, 1100);
  frames(20, 40, 1100);
  check(races === first, 'a size of the same class and a short stall change nothing');
  frames(200, 10, 1100);
  seconds = [even[2], even[1], even[0], even[3], even[4]];
  frames(80, 30, 1100);
  await settled();
  check(races > first && state.best.constants === tried[0].constants && answers.length === 2, 'another load');
  const second = races;
  seconds = even;
  frames(1, 30, 1e6);
  await settled();
  check(races > second && state.best.constants === tried[2].constants && answers.length === 3, 'another class of the size');
  check(stored.size === 2, 'classes of the size have answers of their own');
}
{ // many races in simulated time: passes vary by 4 %, the clock has Chromium's steps, and in half of them one of ten stamps is before the other
  const { now } = performance, { requestIdleCallback } = globalThis;
  let clock = 0, state = 1, far = 0, worse = 0, longest = 0;
  const random = () => (state = state * 16807 % 2147483647) / 2147483647, normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  performance.now = () => clock;
  globalThis.requestIdleCallback = f => f();
  for (let i = 0; i < 400; i++) {
    stored.clear();
    const device = fakeDevice(65536, i % 2 ? 10 : 0), start = clock, noisy = { ...device, createBuffer: () => ({ ...device.createBuffer(), mapAsync: async () => { clock += 1000 * device.span + 1; device.span *= Math.exp(0.04 * normal()); } }) };
    device.now = random();
    const base = 10 ** (3 * random() - 5), seconds = tried.map(() => base * (0.7 + 0.6 * random())), least = Math.min(...seconds), own = seconds[tried.findIndex(c => c.isDefault)];
    const best = await raceOf(noisy, seconds), taken = seconds[tried.findIndex(c => c.constants === best.constants)];
    if (taken > 1.03 * least) far++;
    if (taken > 1.05 * own) worse++;
    longest = Math.max(longest, clock - start);
  }
  Object.assign(performance, { now });
  Object.assign(globalThis, { requestIdleCallback });
  console.log(`400 simulated races under 65,536 ns: ${far} beyond 3 % of the best, the longest ${longest.toFixed(0)} ms`);
  check(far <= 12 && worse === 0, `${far} of 400 races beyond 3 %, ${worse} worse than the default by 5 %`);
  check(longest < 400, `a race of 200 ms lasts ${longest} ms`);
}
process.exit(failed);
