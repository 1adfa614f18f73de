@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> length: atomic<u32>;

@compute @workgroup_size(64)
fn compact(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&values) || values[id.x] % 3u != 0u) { return; }
  let slot = atomicAdd(&length, 1u);
  list[slot] = id.x;
}
