@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(64)
fn reduce(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32,
          @builtin(workgroup_id) group: vec3u) {
  part[i] = values[id.x];
  workgroupBarrier();
  for (var s = 32u; s > 0u; s >>= 1u) {
    if (i < s) { part[i] += part[i + s]; }
    workgroupBarrier();
  }
  if (i == 0u) { sums[group.x] = part[0]; }
}
