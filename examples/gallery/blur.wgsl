// A 5 x 5 Gaussian blur of a picture in one pass.
struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> size: Size;
override WG_X: u32 = 8;
override WG_Y: u32 = 8;
const WEIGHTS = array(0.0625, 0.25, 0.375, 0.25, 0.0625);

@compute @workgroup_size(WG_X, WG_Y) fn blur(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= size.width || id.y >= size.height) { return; }
  var sum = 0.0;
  for (var v = 0; v < 5; v++) {
    for (var u = 0; u < 5; u++) {
      let q = clamp(vec2i(id.xy) + vec2i(u, v) - 2, vec2i(0), vec2i(i32(size.width), i32(size.height)) - 1);
      sum += WEIGHTS[u] * WEIGHTS[v] * source[q.y * i32(size.width) + q.x];
    }
  }
  result[id.y * size.width + id.x] = sum;
}
