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
