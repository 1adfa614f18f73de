// The gallery's pictures: runs each shader of this folder on the visitor's GPU, and draws its input beside its result.
// Serve the folder: python3 -m http.server --directory examples/gallery
const SIDE = 192, main = document.querySelector('main'), state = document.getElementById('state');
const random = (seed => () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648)(7);
const floats = (count, of) => Float32Array.from({ length: count }, (_, i) => of(i));
const clamped = x => Math.max(0, Math.min(255, 255 * x));

// ---- the GPU ----

const adapter = await navigator.gpu?.requestAdapter(), device = await adapter?.requestDevice();
if (!device) throw Object.assign(state, { textContent: 'This browser has no WebGPU.' }).textContent;
const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;

function bufferOf(content, usage) {
  const buffer = device.createBuffer({ size: Math.max(16, content.byteLength), usage: usage | COPY_DST });
  device.queue.writeBuffer(buffer, 0, content);
  return buffer;
}
// Runs a shader, `times` times with its result copied over its first buffer, and returns the result. `resources`: contents
// by binding; uniforms are typed arrays of at most 16 bytes marked by { uniform }.
async function run(name, resources, output, groups, { times = 1, uniformOf } = {}) {
  const code = await (await fetch(`${name}.wgsl`)).text(), module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const buffers = resources.map(r => r.uniform ? bufferOf(r.uniform, UNIFORM) : bufferOf(r, STORAGE | COPY_SRC));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) });
  for (let i = 0; i < times; i++) {
    if (uniformOf) device.queue.writeBuffer(buffers[1], 0, uniformOf(i));
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...groups);
    pass.end();
    if (output && i + 1 < times) encoder.copyBufferToBuffer(buffers[output], 0, buffers[0], 0, buffers[0].size);
    device.queue.submit([encoder.finish()]);
  }
  const read = device.createBuffer({ size: buffers[output].size, usage: MAP_READ | COPY_DST }), encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffers[output], 0, read, 0, read.size);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return read.getMappedRange().slice(0);
}

// ---- drawing ----

function canvasOf() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIDE;
  return canvas;
}
// Draws pixels [r, g, b] of 0 to 1 by their index.
function picture(colour) {
  const canvas = canvasOf(), context = canvas.getContext('2d'), image = context.createImageData(SIDE, SIDE);
  for (let i = 0; i < SIDE * SIDE; i++) {
    const [r, g, b] = colour(i);
    image.data.set([clamped(r), clamped(g), clamped(b), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
const grey = values => picture(i => [values[i], values[i], values[i]]);
// Draws points [x, y] of 0 to 1, y upwards.
function points(count, at, colour) {
  const canvas = canvasOf(), context = canvas.getContext('2d');
  for (let i = 0; i < count; i++) {
    const [x, y] = at(i);
    context.fillStyle = colour(i);
    context.fillRect(x * SIDE - 1, (1 - y) * SIDE - 1, 2, 2);
  }
  return canvas;
}
function bars(values, largest) {
  const canvas = canvasOf(), context = canvas.getContext('2d'), width = SIDE / values.length;
  context.fillStyle = '#3567b1';
  values.forEach((v, i) => context.fillRect(i * width, SIDE - v / largest * SIDE, values.length > 1 ? Math.max(1, 0.8 * width) : width, v / largest * SIDE));
  return canvas;
}
function show(name, words, before, after) {
  const figure = document.createElement('figure'), row = document.createElement('div'), caption = document.createElement('figcaption'), title = document.createElement('b');
  title.textContent = `${name} `;
  caption.append(title, words);
  row.append(before, after);
  figure.append(row, caption);
  main.append(figure);
}
// A picture of discs and a ramp, of 0 to 1.
const scene = floats(SIDE * SIDE, i => {
  const x = i % SIDE / SIDE, y = Math.floor(i / SIDE) / SIDE;
  const inDisc = [[0.3, 0.35, 0.2], [0.7, 0.6, 0.15], [0.75, 0.2, 0.08]].some(([u, v, r]) => (x - u) ** 2 + (y - v) ** 2 < r * r);
  return inDisc ? 1 : (Math.floor(x * 16) + Math.floor(y * 4)) % 2 ? 0.25 + 0.3 * y : 0.1;
});
const size = { uniform: new Uint32Array([SIDE, SIDE]) }, zeros = new Float32Array(SIDE * SIDE), square = side => [Math.ceil(SIDE / side), Math.ceil(SIDE / side)];

// ---- the shaders ----

show('blur', 'eight passes of 5 x 5', grey(scene),
  grey(new Float32Array(await run('blur', [scene, zeros, size], 1, square(8), { times: 8 }))));

const normal = () => (random() + random() + random() + random() - 2) / 2, centres = [[0.25, 0.7], [0.7, 0.75], [0.5, 0.25]];
const places = floats(4096, i => centres[(i >> 1) % 3][i % 2] + 0.22 * normal()), speeds = floats(4096, () => 0.1 * (random() - 0.5));
const steered = new Float32Array(await run('boids', [places, speeds, new Float32Array(4096)], 2, [32])), change = steered.map((v, i) => v - speeds[i]);
const bird = i => [places[2 * i], places[2 * i + 1]], hue = list => i => `hsl(${Math.atan2(list[2 * i + 1], list[2 * i]) * 57.3} 70% 45%)`;
show('boids', 'colours of headings, and of their changes towards the neighbours', points(2048, bird, hue(speeds)), points(2048, bird, hue(change)));

const cells = Uint32Array.from({ length: SIDE * SIDE }, () => random() < 0.4), lives = values => picture(i => values[i] & 1 ? [0.1, 0.4, 0.2] : [0.95, 0.95, 0.9]);
show('life', 'sixty generations', lives(cells), lives(new Uint32Array(await run('life', [cells, new Uint32Array(SIDE * SIDE), size], 1, square(4), { times: 60 }))));

const shear = floats(SIDE * SIDE, i => Math.abs(Math.floor(i / SIDE) + i % SIDE - SIDE) < 6 ? 1 / 11 : 0);
show('matmul', 'a picture by a band matrix: mirrored and smoothed', grey(scene),
  grey(new Float32Array(await run('matmul', [shear, scene, zeros, { uniform: new Uint32Array([SIDE, 0]) }], 2, square(8)))));

const count = 3000, starts = floats(4 * count, i => [0.5, 0.2, 0, 0][i % 4]), throws = floats(4 * count, i => i % 4 === 0 ? 1.2 * normal() : i % 4 === 1 ? 1.7 + 0.9 * normal() : 0);
const flown = new Float32Array(await run('particles', [starts, throws, new Float32Array(4 * count), { uniform: new Uint32Array([count, new Uint32Array(new Float32Array([0.016]).buffer)[0]]) }], 2,
  [Math.ceil(count / 32)], { times: 30 }));
const at = list => i => [list[4 * i], 0.6 * list[4 * i + 1]], fast = i => `hsl(${200 + 60 * (throws[4 * i + 1] - 1)} 70% 50%)`;
show('particles', 'a fountain after thirty steps', points(count, at(starts), fast), points(count, at(flown), fast));

const numbers = Uint32Array.from({ length: 64 }, () => 1 + random() * 7), [total] = new Uint32Array(await run('reduce', [numbers, new Uint32Array(1)], 1, [1]));
show('reduce', `64 numbers; their sum is ${total}`, bars([...numbers], 8), bars([total], numbers.reduce((x, y) => x + y)));

const keys = Uint32Array.from({ length: 128 }, () => random() * 1000), passes = [];
for (let block = 1; block <= 7; block++) for (let stage = block - 1; stage >= 0; stage--) passes.push(new Uint32Array([stage, block]));
show('sort', `128 keys in ${passes.length} passes`, bars([...keys], 1000),
  bars([...new Uint32Array(await run('sort', [keys, { uniform: passes[0] }], 0, [1], { times: passes.length, uniformOf: i => passes[i] }))], 1000));

const light = floats(4 * SIDE * SIDE, i => [4, 2, 0.7, 1][i % 4] * 2 ** (8 * ((i >> 2) % SIDE) / SIDE - 5) * (0.2 + scene[i >> 2]));
const mapped = new Uint32Array(await run('tonemap', [light, new Uint32Array(SIDE * SIDE), { uniform: new Uint32Array([SIDE, SIDE, new Uint32Array(new Float32Array([0.6]).buffer)[0], 0]) }], 1, square(16)));
show('tonemap', 'light over eight stops, cut off and mapped', picture(i => [0, 1, 2].map(c => 0.6 * light[4 * i + c])),
  picture(i => [0, 8, 16].map(c => (mapped[i] >> c & 255) / 255)));

show('transpose', 'rows become columns', grey(scene), grey(new Float32Array(await run('transpose', [scene, zeros, size], 1, square(16)))));

state.textContent = `All on ${adapter.info.vendor || 'a GPU'} ${adapter.info.architecture}.`;
document.title = 'done';
