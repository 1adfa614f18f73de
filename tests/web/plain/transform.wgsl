struct Camera { view: mat4x4f, normal: mat3x3f, scale: f32 }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read> points: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> moved: array<vec4f>;

@compute @workgroup_size(128)
fn transform(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&points)) { return; }
  let p = camera.view * points[id.x];
  moved[id.x] = vec4f(camera.normal * p.xyz * camera.scale, p.w);
}
