struct Grid { dims: vec3u, step: f32 }
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> now: array<f32>;
@group(0) @binding(2) var<storage, read_write> later: array<f32>;

@compute @workgroup_size(4, 4, 4)
fn diffuse(@builtin(global_invocation_id) id: vec3u) {
  if (any(id >= grid.dims)) { return; }
  let i = (id.z * grid.dims.y + id.y) * grid.dims.x + id.x;
  later[i] = now[i] + grid.step * (now[min(i + 1u, arrayLength(&now) - 1u)] - now[i]);
}
