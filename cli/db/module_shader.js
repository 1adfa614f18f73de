
// The configurations to try, best first, at most `most`. `info` is GPUAdapter.info, `limits` GPUDevice.limits (ask requestDevice
// for the adapter's: the defaults are low), `size` the number of elements of the page's problem. Each is { constants,
// workgroupSize, from, isDefault, identity }: `constants` goes into createComputePipeline, `identity` tells this shader and
// problem from others.
export const candidates = (info, limits, most = 5, size = 0) => ranked({ devices, configs }, info, limits, most, size)
  .map(([number, from]) => ({ constants: constantsOf(names, configs[number][0]), workgroupSize: configs[number][1], from,
    isDefault: number === 0, identity }));

// The one to take without trying; undefined where the limits forbid all.
export const choose = (info, limits, size) => candidates(info, limits, 1, size)[0];
