enable f16; alias Row = array<vec4<f32>, 8>; const N = 7u; override WG: u32 = 0x40u; override ON = true;
override T: u32 = select(1u, WG / N, ON); struct P { at: vec2f, n: u32 } struct S { p: P, z: mat4x4<f32>, }
@group(1) @binding(4) var<uniform> s: P; var<workgroup> tile: array<Row, WG * T>;
@group(0) @binding(1) var<storage, read_write> y: array<atomic<u32>>;
@compute @workgroup_size(WG, T) fn f(@builtin(global_invocation_id) i: vec3<u32>) { atomicAdd(&y[0], 1u); }
