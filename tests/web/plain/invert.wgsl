@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> inverted: array<u32>;
@group(0) @binding(2) var<uniform> size: vec2<u32>;

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (any(id.xy >= size)) { return; }
  let i = id.y * size.x + id.x;
  inverted[i] = ~image[i];
}
