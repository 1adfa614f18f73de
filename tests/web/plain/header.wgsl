struct Lights { count: u32, ambient: vec3f, list: array<vec4f> }
@group(0) @binding(0) var<storage, read_write> lights: Lights;

@compute @workgroup_size(64)
fn fade(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&lights.list)) { return; }
  lights.list[id.x] *= vec4f(0.5, 0.5, 0.5, lights.ambient.x);
}
