// Not every element is written: the fourth number of each vec3f is padding, `result` keeps what is 0.5 or less, and its last 100
// elements, of which FAULT 1 writes one.
/* heddle {
  "problem": {"n": 4096},
  "parameters": {"WG": [32, 64], "FAULT": [0, 1]},
  "arguments": [{"name": "points", "size": "4 * n"}, {"name": "result", "size": "n + 100"}]
} */
override WG: u32 = 64;
override FAULT: u32 = 0;

struct Size { n: u32 }
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> points: array<vec3f>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
@group(0) @binding(3) var<uniform> size: Size;

@compute @workgroup_size(WG)
fn padded(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= size.n) { return; }
    points[i] = vec3f(source[i], 1.0, 2.0);
    if (source[i] > 0.5) { result[i] = source[i]; }
    if (FAULT == 1u && i == 0u) { result[size.n + 17u] = 1.0; }
}
