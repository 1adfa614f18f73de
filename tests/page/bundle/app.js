// Runs for ever, or sends its result after eight steps if it is opened with "?check".
import { wave, sums } from './kernels/shaders.js';
import { Field } from './kernels/field.js';

const adapter = await navigator.gpu.requestAdapter(), device = await adapter.requestDevice();
const count = 5000, field = new Field(device, 201, 150, wave);
const make = size => device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
const values = make(4 * count), halves = make(4 * count);
const module = device.createShaderModule({ label: 'sums', code: sums });
const fill = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'fill_values', constants: { BLOCK: 2 } } });
const halve = device.createComputePipeline({
  layout: 'auto',
  compute: {
    module,
    entryPoint: 'halve',
  },
});
const bind = (pipeline, list) => device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: list.map((buffer, binding) => ({ binding, resource: { buffer } })) });
const filled = bind(fill, [values]), halved = bind(halve, [values, halves]);

function step(number) {
  const encoder = device.createCommandEncoder();
  field.step(encoder, number);
  const pass = encoder.beginComputePass();
  pass.setPipeline(fill);
  pass.setBindGroup(0, filled);
  pass.dispatchWorkgroups(Math.ceil(count / 2));
  pass.setPipeline(halve);
  pass.setBindGroup(0, halved);
  pass.dispatchWorkgroups((count + 3) >> 2);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
async function read(buffer) {
  const to = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }), encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, to, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await to.mapAsync(GPUMapMode.READ);
  return [...new Uint32Array(to.getMappedRange())];
}
if (location.search === '?check') {
  for (let i = 0; i < 8; i++) step(i);
  const results = [];
  for (const buffer of [...field.cells, values, halves]) results.push(await read(buffer));
  await fetch('/save', { method: 'POST', body: JSON.stringify({ counts, results }) });
} else {
  let number = 0;
  const frame = () => {
    step(number++);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
