// Image blur with a filter of 17 x 17 and the algorithm of convolution.cl, for browsers: an item
// computes TILE_X columns, WG_X apart, of TILE_Y pixels each, whose sums are in registers. LOCAL,
// WEIGHTS_LOCAL: pixels, weights pass through group memory; PAD: an additional word for each of its
// rows.
override WG_X: u32 = 16;
override WG_Y: u32 = 8;
override TILE_X: u32 = 2;
override TILE_Y: u32 = 16;
override LOCAL: u32 = 1;
override WEIGHTS_LOCAL: u32 = 1;
override PAD: u32 = 1;
const FILTER = 17u;
override COLUMNS: u32 = WG_X * TILE_X + FILTER - 1u;
override LINES: u32 = WG_Y * TILE_Y + FILTER - 1u;
override PITCH: u32 = COLUMNS + PAD;
override PIXELS: u32 = select(1u, PITCH * LINES, LOCAL != 0u);
override WEIGHTS: u32 = select(1u, FILTER * FILTER, WEIGHTS_LOCAL != 0u);

struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> mask: array<f32>;
@group(0) @binding(3) var<uniform> size: Size;
var<workgroup> pixels: array<f32, PIXELS>;
var<workgroup> weights: array<f32, WEIGHTS>;

fn pixel(x: i32, y: i32) -> f32 {
    let column = u32(clamp(x, 0, i32(size.width) - 1));
    return in[u32(clamp(y, 0, i32(size.height) - 1)) * size.width + column];
}

@compute @workgroup_size(WG_X, WG_Y)
fn main(@builtin(local_invocation_id) item: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let left = group.x * WG_X * TILE_X;
    let top = group.y * WG_Y * TILE_Y;
    let x0 = i32(left) - i32(FILTER / 2u);
    let y0 = i32(top) - i32(FILTER / 2u);
    if (LOCAL != 0u) {
        for (var line = item.y; line < LINES; line += WG_Y) {
            for (var column = item.x; column < COLUMNS; column += WG_X) {
                pixels[line * PITCH + column] = pixel(x0 + i32(column), y0 + i32(line));
            }
        }
    }
    if (WEIGHTS_LOCAL != 0u) {
        for (var i = item.y * WG_X + item.x; i < FILTER * FILTER; i += WG_X * WG_Y) {
            weights[i] = mask[i];
        }
    }
    workgroupBarrier();
    var sum: array<f32, 64>; // TILE_X x TILE_Y, at most 64
    for (var column = 0u; column < FILTER; column++) {
        for (var row = 0u; row < FILTER; row++) {
            var weight = 0.0;
            if (WEIGHTS_LOCAL != 0u) { weight = weights[row * FILTER + column]; }
            else { weight = mask[row * FILTER + column]; }
            for (var t = 0u; t < TILE_X; t++) {
                let x = item.x + t * WG_X + column;
                for (var i = 0u; i < TILE_Y; i++) {
                    let y = item.y * TILE_Y + i + row;
                    var value = 0.0;
                    if (LOCAL != 0u) { value = pixels[y * PITCH + x]; }
                    else { value = pixel(x0 + i32(x), y0 + i32(y)); }
                    sum[t * TILE_Y + i] = fma(weight, value, sum[t * TILE_Y + i]);
                }
            }
        }
    }
    for (var t = 0u; t < TILE_X; t++) {
        for (var i = 0u; i < TILE_Y; i++) {
            let x = left + item.x + t * WG_X;
            let y = top + item.y * TILE_Y + i;
            if (x < size.width && y < size.height) {
                out[y * size.width + x] = sum[t * TILE_Y + i];
            }
        }
    }
}
