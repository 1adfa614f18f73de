@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

@compute @workgroup_size(32)
fn count(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&pixels)) { atomicAdd(&bins[pixels[id.x] & 255u], 1u); }
}
