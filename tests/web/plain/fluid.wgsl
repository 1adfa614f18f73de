struct Cell { vx: i32, vy: i32, vz: i32, mass: i32 }
override fixed_point: f32;
override dt: f32;
@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;

@compute @workgroup_size(64)
fn update(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&cells)) {
    let v = f32(cells[id.x].vx) / fixed_point;
    cells[id.x].vx = i32(v * dt * 100.0) + cells[id.x].mass;
  }
}
