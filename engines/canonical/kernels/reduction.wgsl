// Sums of tiles of 4096 floats, with the algorithm of reduction.cl, for browsers. An item sums the
// elements that it has loaded (ORDER is free: a private array cannot have the length of an
// override), the group sums by fours. LANES requires a device that reports lane exchanges.
override WG: u32 = 256;
override VEC: u32 = 4;
override LANES: u32 = 0;
override ORDER: u32 = 0;
const TILE = 4096u;

struct Size { n: u32 }
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> size: Size;
var<workgroup> values: array<f32, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) item: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * TILE;
    var sum = 0.0;
    for (var at = item * VEC; at < TILE; at += WG * VEC) {
        for (var v = 0u; v < VEC; v++) {
            if (first + at + v < size.n) { sum += in[first + at + v]; }
        }
    }
    values[item] = sum;
    workgroupBarrier();
    for (var count = WG / 2u; count > 0u; count /= 2u) {
        if (item < count) { values[item] += values[item + count]; }
        workgroupBarrier();
    }
    if (item == 0u) { sums[group.x] = values[0]; }
}
