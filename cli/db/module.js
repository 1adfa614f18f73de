// The number of an architecture's name: FNV-1a.
function architectureNumber(name) {
  if (!name) return 0;
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 16777619);
  return hash & 0x7fffffff;
}

const fits = ([, [x, y, z], bytes], limits) => x <= limits.maxComputeWorkgroupSizeX &&
  y <= limits.maxComputeWorkgroupSizeY && z <= limits.maxComputeWorkgroupSizeZ &&
  x * y * z <= limits.maxComputeInvocationsPerWorkgroup && bytes <= limits.maxComputeWorkgroupStorageSize;

// The configurations to try, best first, at most `most`: those of the same architecture, of the same
// vendor (of a browser that does not name its GPU, as Firefox: those of browsers that do not), of any
// device, and the shader's own, which is always among several; never one that the limits forbid. `info` is GPUAdapter.info, `limits` GPUDevice.limits (ask requestDevice for the
// adapter's: the defaults are low). Each is { constants, workgroupSize, from, isDefault, identity }:
// `constants` goes into createComputePipeline, `identity` tells this shader and problem from others.
// `size`: number of elements of the page's problem; measurements of the nearest size come first.
export function candidates(info, limits, most = 5, size = 0) {
  const architecture = architectureNumber(info?.architecture), vendor = info?.vendor ?? '';
  const sizeOf = ({ problem }) => [...problem.matchAll(/=(\d+)/g)].reduce((product, [, n]) => product * n, 1);
  const away = device => size > 0 ? Math.abs(Math.log(sizeOf(device) / size)) : 0;
  const ranked = devices.map(device => {
    const same = device.vendor === vendor && vendor !== '';
    return same && device.architecture === architecture && architecture ? { device, rank: 0, from: 'architecture' }
      : same ? { device, rank: 1, from: 'vendor' }
        : info && !vendor && !device.vendor ? { device, rank: 1, from: 'browser' } : { device, rank: 2, from: 'other' };
  }).sort((a, b) => a.rank - b.rank || away(a.device) - away(b.device));
  const found = new Map();
  const add = (number, from) => { if (!found.has(number) && fits(configs[number], limits)) found.set(number, from); };
  const known = ranked.filter(r => r.rank < 2);
  for (const { device, from } of known) for (const number of device.best) add(number, from);
  if (known.length === 0) add(0, 'default');
  // Of other devices their best first, then their second.
  const deepest = Math.max(0, ...devices.map(device => device.best.length));
  for (let place = 0; place < deepest; place++)
    for (const { device, rank } of ranked) if (rank === 2 && place < device.best.length) add(device.best[place], 'other');
  add(0, 'default');
  for (let number = 0; number < configs.length; number++) add(number, 'other');
  const list = [...found].slice(0, most);
  if (most > 1 && found.has(0) && !list.some(([number]) => number === 0)) list[list.length - 1] = [0, found.get(0)];
  return list.map(([number, from]) => ({
    constants: Object.fromEntries(names.map((name, i) => [name, configs[number][0][i]])),
    workgroupSize: configs[number][1], from, isDefault: number === 0, identity }));
}

// The one to take without trying; undefined where the limits forbid all.
export const choose = (info, limits, size) => candidates(info, limits, 1, size)[0];
