@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3u) { data[id.x] = 0u; }
@compute @workgroup_size(32)
fn fill(@builtin(global_invocation_id) id: vec3u) { data[id.x] = id.x; }
