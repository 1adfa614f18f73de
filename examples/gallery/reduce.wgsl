/* heddle {
  "problem": {"n": 65536},
  "groups": ["ceil_div(n, WG * PER_ITEM)"],
  "parameters": {"PER_ITEM": [1, 2, 4, 8, 16]},
  "arguments": [{"name": "values", "fill": {"integers": [0, 8]}}]
} */
// Sum of all numbers: a tree in group memory, then one atomic addition for each group.
override WG: u32 = 64;
override PER_ITEM: u32 = 1;
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
var<workgroup> sums: array<u32, WG>;

@compute @workgroup_size(WG) fn reduce(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) l: u32) {
  var sum = 0u;
  for (var k = 0u; k < PER_ITEM; k++) {
    let i = (group.x * PER_ITEM + k) * WG + l;
    if (i < arrayLength(&values)) { sum += values[i]; }
  }
  sums[l] = sum;
  workgroupBarrier();
  for (var step = WG / 2; step > 0; step /= 2) {
    if (l < step) { sums[l] += sums[l + step]; }
    workgroupBarrier();
  }
  if (l == 0) { atomicAdd(&total, sums[0]); }
}
