// node device_test.mjs: the device asks for less after the browser's GPU process has crashed.
import assert from 'node:assert';
import { describe, lowerLevels, openDevice } from '../../web/page/device.js';

const asked = [], limits = { maxComputeInvocationsPerWorkgroup: 1024, maxBufferSize: 1e12, maxComputeWorkgroupSizeX: 1024 };
const adapter = { features: new Set(['timestamp-query', 'subgroups', 'subgroup-size-control']), limits, info: {},
  requestDevice: async descriptor => {
    asked.push(descriptor);
    return { lost: new Promise(() => {}), features: new Set(descriptor.requiredFeatures), limits: { ...limits, maxBufferSize: descriptor.requiredLimits.maxBufferSize ?? 268435456 } };
  } };
Object.defineProperty(globalThis, 'navigator', { value: { gpu: { requestAdapter: async () => adapter }, userAgent: 'test' }, configurable: true });
globalThis.self = globalThis;

// Everything at first; then no more than groups and time stamps; then no stamps.
const features = [];
for (const level of [0, 1, 2]) {
  const gpu = await openDevice(level);
  features.push([asked.at(-1).requiredFeatures, gpu.stamps, 'maxBufferSize' in asked.at(-1).requiredLimits]);
  assert.equal(asked.at(-1).requiredLimits.maxComputeInvocationsPerWorkgroup, 1024);
}
assert.deepEqual(features, [[['timestamp-query', 'subgroups', 'subgroup-size-control'], true, true], [['timestamp-query'], true, false], [[], false, false]]);
// The description has the limits of the device, which are lower than the adapter's.
assert.equal(describe(await openDevice(1), {}).limits.maxBufferSize, 268435456);

// Crashes lower the level; the last failure is told, and a browser without WebGPU fails at once.
const tries = [], crash = least => lowerLevels(async level => { tries.push(level); if (level < least) throw new Error(`crash ${level}`); return level; }, async () => {});
assert.equal(await crash(1), 1);
await assert.rejects(crash(3), /crash 2/);
assert.deepEqual(tries, [0, 1, 0, 1, 2]);
globalThis.navigator.gpu.requestAdapter = async () => null;
tries.length = 0;
await assert.rejects(lowerLevels(level => { tries.push(level); return openDevice(level); }, async () => {}), /no adapter/);
assert.deepEqual(tries, [0]);
