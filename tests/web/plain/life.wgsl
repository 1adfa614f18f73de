@binding(0) @group(0) var<storage, read> size: vec2u;
@binding(1) @group(0) var<storage, read> current: array<u32>;
@binding(2) @group(0) var<storage, read_write> next: array<u32>;
override blockSize = 8;

fn index(x: u32, y: u32) -> u32 { return (y % (size.y + 1)) * (size.x + 1) + (x % (size.x + 1)); }
@compute @workgroup_size(blockSize, blockSize)
fn main(@builtin(global_invocation_id) grid: vec3u) {
  let n = current[index(grid.x + 1, grid.y)] + current[index(grid.x, grid.y + 1)];
  next[index(grid.x, grid.y)] = n & 1u;
}
