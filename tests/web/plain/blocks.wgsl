override WG: u32 = 64;
struct Info { n: u32, block_count: u32 }
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<uniform> info: Info;

// Each group has one block of numbers, and JavaScript counts the blocks.
@compute @workgroup_size(WG, 1u, 1u)
fn blocks(@builtin(local_invocation_id) item: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (group.x >= info.block_count) { return; }
    let first = group.x * WG + item.x;
    if (first < info.n) { result[first] = 2.0 * source[first]; }
}
