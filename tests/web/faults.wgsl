// Faults that a tuning in a browser has to survive, one for each value of FAULT.
/* heddle {
  "problem": {"n": 256},
  "parameters": {"FAULT": [0, 1, 2, 3], "WG": [16, 32]},
  "global": ["n"]
} */
override WG: u32 = 16;
override FAULT: u32 = 0;
override DIVISOR: u32 = 12u / (3u - FAULT); // 3 does not compile

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;

@compute @workgroup_size(WG)
fn faults(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= n) { return; }
    var value = x[i] * 2.0;
    if (FAULT == 1u && i == 7u) { value += 0.5; } // wrong
    if (FAULT == 2u) { // does not end
        var j = n;
        while (j != 0u) { j = j + n; if (j == 0u) { j = n; } value = value + sin(value); }
    }
    y[i] = value + f32(DIVISOR) * 0.0;
}
