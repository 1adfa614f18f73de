struct View { matrix: mat4x4f }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var picture: texture_external;
@group(0) @binding(2) var picture_sampler: sampler;
@group(1) @binding(0) var<storage, read_write> positions: array<vec4f>;

@vertex fn vertex_main(@location(0) p: vec4f) -> @builtin(position) vec4f { return view.matrix * p; }
@fragment fn fragment_main(@location(0) uv: vec2f) -> @location(0) vec4f {
  return textureSampleBaseClampToEdge(picture, picture_sampler, uv);
}
@compute @workgroup_size(64)
fn move_all(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&positions)) { positions[id.x] += vec4f(0.1, 0, 0, 0); }
}
