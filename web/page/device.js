// The adapter: its description, its limits, and a device with all of them.

const LIMITS = ['maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ',
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension', 'maxStorageBufferBindingSize', 'maxBufferSize',
  'maxStorageBuffersPerShaderStage', 'maxUniformBuffersPerShaderStage',
  'maxBindGroups'];

// Returns { device, adapter, stamps, lost }: `lost` is null until the device is lost, then the
// browser's message.
export async function openDevice() {
  if (!navigator.gpu) throw new Error('this browser has no WebGPU here (navigator.gpu is missing)');
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new Error('no adapter: the browser knows no GPU that it lets pages use');
  const stamps = adapter.features.has('timestamp-query');
  const requiredFeatures = ['timestamp-query', 'shader-f16', 'subgroups', 'subgroup-size-control', 'bgra8unorm-storage']
    .filter(name => adapter.features.has(name));
  const requiredLimits = {};
  for (const name of LIMITS) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  const gpu = { device, adapter, stamps, lost: null };
  device.lost.then(info => { gpu.lost = `${info.reason ?? 'unknown'}: ${info.message}`; });
  return gpu;
}

// Returns the description of the page for the server.
export function describe(gpu, clock) {
  const info = gpu.adapter.info ?? {}, limits = {};
  for (const name of LIMITS) limits[name] = gpu.adapter.limits[name];
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
