override WG: u32 = 64;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(WG, 1u, 1u)
fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = f32(id.x) * 0.25; }
