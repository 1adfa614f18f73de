// Transposition of a picture.
struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> size: Size;
override WG_X: u32 = 16;
override WG_Y: u32 = 16;

@compute @workgroup_size(WG_X, WG_Y) fn transpose_picture(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= size.width || id.y >= size.height) { return; }
  result[id.x * size.height + id.y] = source[id.y * size.width + id.x];
}
