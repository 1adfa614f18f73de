@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn main(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) i: u32) {
  let at = 64u * w.x + i;
  y[at] = at * 3u;
}
