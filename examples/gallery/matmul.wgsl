/* heddle {"problem": {"n": 128}, "groups": ["ceil_div(n, WG_X)", "ceil_div(n, WG_Y)"]} */
// Product of two square matrices, an element for each item.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;
override WG_X: u32 = 8;
override WG_Y: u32 = 8;

@compute @workgroup_size(WG_X, WG_Y) fn matmul(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= n || id.y >= n) { return; }
  var sum = 0.0;
  for (var k = 0u; k < n; k++) { sum += a[id.y * n + k] * b[k * n + id.x]; }
  c[id.y * n + id.x] = sum;
}
