// A 17 x 17 convolution with clamped edges, one number a pixel. What is tuned: the group, how many
// pixels an item does, and whether a tile of the image is kept in group memory.
/* heddle {
  "problem": {"width": 1027, "height": 769},
  "parameters": {
    "WG_X": [4, 8, 16, 32, 64, 128],
    "WG_Y": [1, 2, 4, 8, 16],
    "PER_ITEM": [1, 2, 4],
    "TILED": [0, 1]
  },
  "constraints": ["16 <= WG_X * WG_Y <= 512"],
  "groups": ["ceil_div(width, WG_X * PER_ITEM)", "ceil_div(height, WG_Y)"],
  "arguments": [
    {"name": "weights", "fill": {"uniform": [0, 0.006]}}
  ],
  "work": {"bytes": "8 * width * height", "operations": "2 * 289 * width * height"}
} */
override WG_X: u32 = 16;
override WG_Y: u32 = 8;
override PER_ITEM: u32 = 1;
override TILED: bool = false;

const RADIUS = 8u;
const SPAN = 2u * RADIUS + 1u;

override TILE_X: u32 = select(1u, WG_X * PER_ITEM + 2u * RADIUS, TILED);
override TILE_Y: u32 = select(1u, WG_Y + 2u * RADIUS, TILED);

struct Size { width: u32, height: u32 }

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32, 289>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
@group(0) @binding(3) var<uniform> size: Size;

var<workgroup> tile: array<f32, TILE_X * TILE_Y>;

fn pixel(x: i32, y: i32) -> f32 {
    let column = clamp(x, 0, i32(size.width) - 1);
    let row = clamp(y, 0, i32(size.height) - 1);
    return source[u32(row) * size.width + u32(column)];
}

fn read_tile(corner: vec2<i32>, item: u32) {
    for (var i = item; i < TILE_X * TILE_Y; i += WG_X * WG_Y) {
        tile[i] = pixel(corner.x + i32(i % TILE_X), corner.y + i32(i / TILE_X));
    }
}

@compute @workgroup_size(WG_X, WG_Y)
fn blur(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>,
        @builtin(local_invocation_index) index: u32) {
    let corner = vec2<u32>(group.x * WG_X * PER_ITEM, group.y * WG_Y);
    if (TILED) {
        read_tile(vec2<i32>(corner) - i32(RADIUS), index);
        workgroupBarrier();
    }
    for (var i = 0u; i < PER_ITEM; i++) {
        let place = vec2<u32>(i * WG_X + item.x, item.y);
        let at = corner + place;
        if (at.x >= size.width || at.y >= size.height) { continue; }
        var sum = 0.0;
        for (var v = 0u; v < SPAN; v++) {
            for (var u = 0u; u < SPAN; u++) {
                var value = 0.0;
                if (TILED) { value = tile[(place.y + v) * TILE_X + place.x + u]; }
                else { value = pixel(i32(at.x + u) - i32(RADIUS), i32(at.y + v) - i32(RADIUS)); }
                sum += weights[v * SPAN + u] * value;
            }
        }
        result[at.y * size.width + at.x] = sum;
    }
}
