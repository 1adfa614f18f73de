// Two entry points, of which the comment names one; built-in values of a subgroup where the browser has them.
/* heddle { "kernel": "scale", "problem": {"count": 4096} } */
enable subgroups;
override WG: u32 = 64;
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> count: u32;

@compute @workgroup_size(WG)
fn clear(@builtin(global_invocation_id) id: vec3<u32>) { if (id.x < count) { result[id.x] = 0.0; } }

@compute @workgroup_size(WG, 1)
fn scale(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) lanes: u32) {
    if (id.x < count) { result[id.x] = source[id.x] * f32(select(1u, 2u, lanes > 0u)); }
}
