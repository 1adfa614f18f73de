// Words that the pages share.
export async function open() {
  const adapter = await navigator.gpu.requestAdapter();
  return adapter.requestDevice();
}
export const { STORAGE, UNIFORM, INDIRECT, COPY_DST } = GPUBufferUsage;
export function buffer(device, size, usage, data) {
  const made = device.createBuffer({ size, usage: usage | COPY_DST });
  if (data) device.queue.writeBuffer(made, 0, data);
  return made;
}
export function pipeline(device, code, entryPoint, layout = 'auto', constants = {}) {
  return device.createComputePipeline({ label: entryPoint, layout, compute: { module: device.createShaderModule({ code }), entryPoint, constants } });
}
export const bind = (device, made, index, list) => device.createBindGroup({ layout: made.getBindGroupLayout(index),
  entries: Object.entries(list).map(([binding, one]) => ({ binding: +binding, resource: one instanceof GPUBuffer ? { buffer: one } : one })) });
// Calls `draw(encoder, step)` once a frame.
export function frames(device, draw) {
  let step = 0;
  const frame = () => {
    const encoder = device.createCommandEncoder();
    draw(encoder, step++);
    device.queue.submit([encoder.finish()]);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
export const random = n => Float32Array.from({ length: n }, Math.random);
