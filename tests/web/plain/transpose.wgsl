struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> size: Size;
var<workgroup> tile: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn transpose(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let x = w.x * 16 + l.x;
  let y = w.y * 16 + l.y;
  tile[l.y][l.x] = a[min(y * size.width + x, arrayLength(&a) - 1u)];
  workgroupBarrier();
  let to_x = w.y * 16 + l.x;
  let to_y = w.x * 16 + l.y;
  b[to_y * size.height + to_x] = tile[l.x][l.y];
}
