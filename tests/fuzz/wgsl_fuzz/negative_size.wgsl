@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(-8, 8, 1) fn f(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1.0; }
