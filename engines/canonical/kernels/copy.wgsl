// Copies n words of 32 bits with the algorithm of copy.cl, for browsers.
override WG: u32 = 256;
override VEC: u32 = 2;
override ITEMS: u32 = 2;

struct Size { n: u32 }
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<uniform> size: Size;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) item: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * WG * VEC * ITEMS;
    for (var i = 0u; i < ITEMS; i++) {
        for (var v = 0u; v < VEC; v++) {
            let at = first + (i * WG + item) * VEC + v;
            if (at < size.n) { out[at] = in[at]; }
        }
    }
}
