export const wave = `
struct Grid { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> now: array<f32>;
@group(0) @binding(2) var<storage, read_write> next: array<f32>;
@compute @workgroup_size(2, 1)
fn wave(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= grid.width || id.y >= grid.height) { return; }
  let left = now[id.y * grid.width + (id.x + grid.width - 1) % grid.width];
  let up = now[((id.y + grid.height - 1) % grid.height) * grid.width + id.x];
  next[id.y * grid.width + id.x] = 0.25 * left + 0.5 * up + f32(id.x ^ id.y) * 0.125;
}`;
export const sums = `
override BLOCK: u32 = 4;
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> halves: array<u32>;
@compute @workgroup_size(BLOCK)
fn fill_values(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&values)) { return; }
  values[id.x] += id.x * 3;
}
@compute @workgroup_size(4)
fn halve(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&halves)) { halves[id.x] = values[id.x] / 2 + id.x; }
}`;
