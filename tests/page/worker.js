// The compute pipeline of worker.html.
import { open, buffer, pipeline, bind, frames, random, STORAGE } from './kit.js';
const device = await open(), count = 30000;
const code = `
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(32) fn decay(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = y[id.x] * 0.99 + 0.001; }
}`;
const made = pipeline(device, code, 'decay'), group = bind(device, made, 0, { 0: buffer(device, count * 4, STORAGE, random(count)) });
frames(device, encoder => {
  const pass = encoder.beginComputePass();
  pass.setPipeline(made);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(Math.ceil(count / 32));
  pass.end();
});
