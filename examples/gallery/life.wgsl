// One generation of the game of life on a torus.
struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@group(0) @binding(2) var<uniform> size: Size;
override WG_X: u32 = 4;
override WG_Y: u32 = 4;

fn alive(x: u32, y: u32) -> u32 { return now[(y % size.height) * size.width + x % size.width] & 1u; }

@compute @workgroup_size(WG_X, WG_Y) fn life(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= size.width || id.y >= size.height) { return; }
  let x = id.x + size.width;
  let y = id.y + size.height;
  var count = 0u;
  for (var v = y - 1; v <= y + 1; v++) { for (var u = x - 1; u <= x + 1; u++) { count += alive(u, v); } }
  next[id.y * size.width + id.x] = u32(count == 3 || (count == 4 && alive(x, y) == 1));
}
