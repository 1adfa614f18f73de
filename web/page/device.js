// The adapter: its description, its limits, and a device with all of them.

const LIMITS = ['maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ',
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension', 'maxStorageBufferBindingSize', 'maxBufferSize',
  'maxStorageBuffersPerShaderStage', 'maxUniformBuffersPerShaderStage',
  'maxBindGroups'], GROUP_LIMITS = 5; // the first ones are those of a group

const LAST_LEVEL = 2, absent = text => Object.assign(new Error(text), { isAbsent: true });

// Calls open(level) with levels that ask for less until one succeeds: a browser starts a GPU process that has crashed anew.
export async function lowerLevels(open, sleep) {
  for (let level = 0; ; level++) {
    try { return await open(level); } catch (e) {
      if (level === LAST_LEVEL || (level === 0 && e.isAbsent)) throw e;
    }
    await sleep(500);
  }
}

// Returns { device, adapter, stamps, lost }: `lost` is null until the device is lost, then the
// browser's message. `level` 1 asks for time stamps and the sizes of groups alone, 2 for those sizes: drivers
// exist with which more crashes the browser's GPU process.
export async function openDevice(level = 0) {
  if (!navigator.gpu) throw absent('this browser has no WebGPU here (navigator.gpu is missing)');
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw absent('no adapter: the browser knows no GPU that it lets pages use');
  const stamps = level < 2 && adapter.features.has('timestamp-query');
  const requiredFeatures = ['timestamp-query', ...level ? [] : ['shader-f16', 'subgroups', 'subgroup-size-control', 'bgra8unorm-storage']]
    .filter(name => (name !== 'timestamp-query' || stamps) && adapter.features.has(name));
  const requiredLimits = {};
  for (const name of level ? LIMITS.slice(0, GROUP_LIMITS) : LIMITS) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  const gpu = { device, adapter, stamps, lost: null };
  device.lost.then(info => { gpu.lost = `${info.reason ?? 'unknown'}: ${info.message}`; });
  return gpu;
}

// Returns the description of the page for the server.
export function describe(gpu, clock) {
  const info = gpu.adapter.info ?? {}, limits = {};
  for (const name of LIMITS) limits[name] = gpu.device.limits[name];
  return {
    version: 1, agent: navigator.userAgent, isolated: self.crossOriginIsolated,
    adapter: { vendor: info.vendor ?? '', architecture: info.architecture ?? '',
      device: info.device ?? '', description: info.description ?? '',
      fallback: Boolean(info.isFallbackAdapter ?? gpu.adapter.isFallbackAdapter) || /swiftshader|llvmpipe|lavapipe/i.test(`${info.vendor} ${info.architecture} ${info.description}`) },
    limits, halves: gpu.device.features.has('shader-f16'),
    subgroups: gpu.device.features.has('subgroups'),
    widths: gpu.device.features.has('subgroup-size-control') ? [info.subgroupMinSize, info.subgroupMaxSize] : [0, 0], stamps: gpu.stamps, quantum: clock.quantum, floor: clock.floor,
  };
}
