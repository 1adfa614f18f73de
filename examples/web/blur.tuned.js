// The best configurations of the shader "blur" that were measured in browsers, for web pages.
// Made by `heddle db export`: make it again rather than change it.
export const kernel = 'blur';

// Text and problem that were measured.
const identity = 'blur' + ' ' + 'width=1027 height=769';

// Overrides, in the order of the values below.
const names = ['WG_X', 'WG_Y', 'PER_ITEM', 'TILED'];

// Best first; numbers of `configs`.
const devices = [
  { vendor: 'google', architecture: 1194055913, name: 'google swiftshader (software)', problem: 'width=61 height=43', best: [0, 1, 2, 3, 4, 5] },
];

// Values, size of the group, bytes of group memory; the first is the shader's own.
const configs = [
  [[16, 8, 1, 0], [16, 8, 1], 4],
  [[8, 4, 1, 0], [8, 4, 1], 4],
  [[8, 16, 2, 0], [8, 16, 1], 4],
  [[8, 2, 4, 0], [8, 2, 1], 4],
  [[8, 4, 4, 0], [8, 4, 1], 4],
  [[4, 4, 4, 0], [4, 4, 1], 4],
];

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
const sizeOf = ({ problem }) => [...problem.matchAll(/=(\d+)/g)].reduce((product, [, n]) => product * n, 1);

// The configurations to try, best first, at most `most`, [number of `configs`, from]: those of the same architecture, of
// the same vendor (of a browser that does not name its GPU, as Firefox: those of browsers that do not), of any device, and the
// shader's own (0), which is always among several; never one that the limits forbid. Those of the nearest size come first.
function ranked({ devices, configs }, info, limits, most, size) {
  const architecture = architectureNumber(info?.architecture), vendor = info?.vendor ?? '';
  const away = device => size > 0 ? Math.abs(Math.log(sizeOf(device) / size)) : 0;
  const list = devices.map(device => {
    const same = device.vendor === vendor && vendor !== '';
    return same && device.architecture === architecture && architecture ? { device, rank: 0, from: 'architecture' }
      : same ? { device, rank: 1, from: 'vendor' }
        : info && !vendor && !device.vendor ? { device, rank: 1, from: 'browser' } : { device, rank: 2, from: 'other' };
  }).sort((a, b) => a.rank - b.rank || away(a.device) - away(b.device));
  const found = new Map();
  // A configuration with a fourth member is right for data of the measured size alone.
  const add = (number, from, device) => {
    const isRight = !configs[number][3] || (device && sizeOf(device) === size);
    if (isRight && !found.has(number) && fits(configs[number], limits)) found.set(number, from);
  };
  const known = list.filter(r => r.rank < 2);
  for (const { device, from } of known) for (const number of device.best) add(number, from, device);
  if (known.length === 0) add(0, 'default');
  // Of other devices their best first, then their second.
  const deepest = Math.max(0, ...devices.map(device => device.best.length));
  for (let place = 0; place < deepest; place++)
    for (const { device, rank } of list) if (rank === 2 && place < device.best.length) add(device.best[place], 'other', device);
  add(0, 'default');
  for (let number = 0; number < configs.length; number++) add(number, 'other');
  const few = [...found].slice(0, most);
  if (most > 1 && found.has(0) && !few.some(([number]) => number === 0)) few[few.length - 1] = [0, found.get(0)];
  return few;
}
const constantsOf = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]])
  .filter(([name, value]) => name !== 'HED_SUBGROUP_SIZE' || value)); // 0: the browser's choice, without a constant

// The configurations to try, best first, at most `most`. `info` is GPUAdapter.info, `limits` GPUDevice.limits (ask requestDevice
// for the adapter's: the defaults are low), `size` the number of elements of the page's problem. Each is { constants,
// workgroupSize, from, isDefault, identity }: `constants` goes into createComputePipeline, `identity` tells this shader and
// problem from others.
export const candidates = (info, limits, most = 5, size = 0) => ranked({ devices, configs }, info, limits, most, size)
  .map(([number, from]) => ({ constants: constantsOf(names, configs[number][0]), workgroupSize: configs[number][1], from,
    isDefault: number === 0, identity }));

// The one to take without trying; undefined where the limits forbid all.
export const choose = (info, limits, size) => candidates(info, limits, 1, size)[0];
