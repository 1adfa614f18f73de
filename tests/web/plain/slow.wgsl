@group(0) @binding(0) var<storage, read_write> sums: array<u32>;

// The work grows with the cube of n: the size that Heddle invents does not end.
@compute @workgroup_size(64) fn slow(@builtin(global_invocation_id) id: vec3u) {
  let n = arrayLength(&sums);
  if (id.x >= n) { return; }
  var sum = id.x;
  for (var i = 0u; i < n; i++) { for (var k = 0u; k < n; k++) { sum = sum * 747796405u + k; } }
  sums[id.x] = sum;
}
