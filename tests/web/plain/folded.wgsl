const BLOCK: u32 = 32;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) g: vec3u) {
  y[g.x] = x[g.x] * f32(g.x % BLOCK);
}
