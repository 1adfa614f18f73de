struct Filter { weights: array<vec4f, 9>, radius: i32, count: u32 }
@group(0) @binding(0) var<uniform> filter_: Filter;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;

@compute @workgroup_size(64)
fn convolve(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= filter_.count) { return; }
  var sum = 0.0;
  for (var i = 0u; i < 9u; i++) { sum += filter_.weights[i].x * a[min(id.x + i, filter_.count - 1u)]; }
  b[id.x] = sum;
}
