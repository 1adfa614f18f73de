// The blur of blur.wgsl with the group that tutorials take, and with the one that race.js finds here.
import { kernel, candidates } from './blur.tuned.js';
import { race } from './race.js';

const $ = id => document.getElementById(id);
const options = new URLSearchParams(location.search);
const width = +(options.get('width') ?? 1024), height = +(options.get('height') ?? 768);
const seconds = +(options.get('seconds') ?? 3); // of each measurement
const BEFORE = { constants: { WG_X: 8, WG_Y: 8, PER_ITEM: 1, TILED: 0 }, workgroupSize: [8, 8, 1] };
if (options.has('again')) localStorage.clear();

// The picture that is blurred. Not tuned.
const PICTURE = `
struct Size { width: u32, height: u32, time: f32 }
@group(0) @binding(0) var<storage, read_write> picture: array<f32>;
@group(0) @binding(1) var<uniform> size: Size;
@compute @workgroup_size(8, 8) fn draw(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= size.width || id.y >= size.height) { return; }
  let p = (vec2<f32>(id.xy) - 0.5 * vec2<f32>(f32(size.width), f32(size.height))) / f32(size.height);
  let a = atan2(p.y, p.x) + size.time;
  let rays = step(0.0, sin(16.0 * a)) * step(length(p), 0.42);
  let rings = step(0.5, fract(20.0 * length(p) - size.time)) * step(0.42, length(p));
  picture[id.y * size.width + id.x] = max(rays, rings);
}`;
async function main() {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) { $('device').textContent = 'This browser has no WebGPU here.'; return; }
  const wanted = ['maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupStorageSize'];
  const device = await adapter.requestDevice({
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
    requiredLimits: Object.fromEntries(wanted.map(name => [name, adapter.limits[name]])) });
  const info = adapter.info ?? {};
  $('device').textContent = `${info.vendor ?? ''} ${info.architecture ?? ''}, ${width} × ${height}`;

  const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage, { COMPUTE } = GPUShaderStage;
  const buffer = (size, usage) => device.createBuffer({ size, usage: usage | COPY_DST });
  const source = buffer(4 * width * height, STORAGE), result = buffer(4 * width * height, STORAGE | COPY_SRC), back = buffer(4 * width * height, MAP_READ), weights = buffer(4 * 289, STORAGE), size = buffer(16, UNIFORM);
  const gauss = Float32Array.from({ length: 289 }, (_, i) => Math.exp(-((i % 17 - 8) ** 2 + (Math.floor(i / 17) - 8) ** 2) / 32));
  const sum = gauss.reduce((a, b) => a + b);
  device.queue.writeBuffer(weights, 0, gauss.map(v => v / sum));
  device.queue.writeBuffer(size, 0, new Uint32Array([width, height]));

  const code = await (await fetch('blur.wgsl')).text();
  const module = device.createShaderModule({ code });
  const types = ['read-only-storage', 'read-only-storage', 'storage', 'uniform'];
  const layout = device.createBindGroupLayout({ entries: types.map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } })) });
  const group = device.createBindGroup({ layout, entries: [source, weights, result, size].map((buffer, binding) => ({ binding, resource: { buffer } })) });
  const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
  const pipeline = constants => device.createComputePipelineAsync({ layout: pipelineLayout, compute: { module, constants } });
  const launch = (pass, pipeline, { constants, workgroupSize: [x, y] }) => {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(width / (x * constants.PER_ITEM)), Math.ceil(height / y));
  };

  const draw = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code: PICTURE }) } });
  const drawGroup = device.createBindGroup({ layout: draw.getBindGroupLayout(0), entries: [source, size].map((buffer, binding) => ({ binding, resource: { buffer } })) });
  // What a frame has given, on a canvas. (A canvas of WebGPU's own would be faster, and is not there in
  // browsers without a window.)
  async function show(canvas) {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(result, 0, back, 0, back.size);
    device.queue.submit([encoder.finish()]);
    await back.mapAsync(GPUMapMode.READ);
    const values = new Float32Array(back.getMappedRange()), image = new ImageData(width, height);
    values.forEach((v, i) => image.data.set([255 * v, 90 + 115 * v, 128 - 51 * v, 255], 4 * i));
    back.unmap();
    canvas.getContext('2d').putImageData(image, 0, 0);
  }

  // Frames as fast as the device does them, for some seconds: frames per second.
  async function run(id, made, candidate) {
    const canvas = $(id);
    [canvas.width, canvas.height] = [width, height];
    let start = performance.now(), frames = 0, passed = 0;
    while (passed < seconds || frames < 3) {
      device.queue.writeBuffer(size, 8, new Float32Array([passed]));
      const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
      pass.setPipeline(draw);
      pass.setBindGroup(0, drawGroup);
      pass.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
      launch(pass, made, candidate);
      pass.end();
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      passed = (performance.now() - start) / 1000;
      if (++frames % 16 === 3) {
        $(`${id}-fps`).textContent = `${(frames / passed).toFixed(1)} frames/s`;
        const shown = performance.now(); // which is not counted
        await show(canvas);
        await new Promise(requestAnimationFrame);
        start += performance.now() - shown;
      }
    }
    const rate = frames / passed;
    $(`${id}-fps`).textContent = `${rate.toFixed(1)} frames/s`;
    $(`${id}-what`).textContent = `group ${candidate.workgroupSize.slice(0, 2).join(' × ')}, ${candidate.constants.PER_ITEM} pixel${candidate.constants.PER_ITEM > 1 ? 's' : ''} an item${candidate.constants.TILED ? ', tiled' : ''}`;
    return rate;
  }

  const before = await run('before', await pipeline(BEFORE.constants), BEFORE);
  const started = performance.now();
  const best = await race({ device, name: `${kernel} ${width} ${height}`, adapterInfo: info, candidates: candidates(info, device.limits), pipeline, launch });
  const raced = performance.now() - started;
  const after = await run('after', best.pipeline, best);
  $('gain').textContent = `${(after / before).toFixed(2)} times as many frames. ${best.remembered ? 'The choice was remembered from an earlier visit.' : `The race took ${raced.toFixed(0)} ms, pipelines included.`}`;
  document.title = 'done';
}

main().catch(e => { $('device').textContent = String(e); document.title = 'done'; });
