// A width of subgroups in the text of a candidate: 0 is the browser's choice, 4 SwiftShader's only width, 1,024 no device's.
/* heddle { "problem": {"count": 4096}, "parameters": {"HED_SUBGROUP_SIZE": [0, 4, 1024], "WG": [64]} } */
enable subgroups;
override WG: u32 = 64;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(WG)
fn widths(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) lanes: u32) { result[id.x] = lanes + subgroupAdd(0u); }
