const WIDTH = 64u;
@group(0) @binding(0) var<storage, read> matrix: array<f32>;
@group(0) @binding(1) var<storage, read_write> highest: array<f32>;
var<workgroup> best: array<f32, WIDTH>;

@compute @workgroup_size(WIDTH)
fn rows(@builtin(workgroup_id) row: vec3u, @builtin(local_invocation_id) l: vec3u) {
  var value = -1e9;
  for (var i = l.x; i < 256u; i += WIDTH) { value = max(value, matrix[(row.x * 256u + i) % arrayLength(&matrix)]); }
  best[l.x] = value;
  workgroupBarrier();
  if (l.x == 0u) {
    for (var i = 1u; i < WIDTH; i++) { value = max(value, best[i]); }
    highest[row.x] = value;
  }
}
