// Transposes a matrix of 32-bit words through tiles in group memory, with the algorithm of
// transpose.cl, for browsers.
override TILE: u32 = 64;
override ROWS: u32 = 8;
override PAD: u32 = 1;
override PITCH: u32 = TILE + PAD;

struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<uniform> size: Size;
var<workgroup> tile: array<u32, TILE * PITCH>;

@compute @workgroup_size(TILE, ROWS)
fn main(@builtin(local_invocation_id) item: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let tiles = (size.width + TILE - 1u) / TILE;
    let left = group.x % tiles * TILE;
    let top = group.x / tiles * TILE;
    for (var row = item.y; row < TILE; row += ROWS) {
        if (left + item.x < size.width && top + row < size.height) {
            tile[row * PITCH + item.x] = in[(top + row) * size.width + left + item.x];
        }
    }
    workgroupBarrier();
    for (var row = item.y; row < TILE; row += ROWS) {
        if (top + item.x < size.height && left + row < size.width) {
            out[(left + row) * size.height + top + item.x] = tile[item.x * PITCH + row];
        }
    }
}
