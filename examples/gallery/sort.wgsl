// One stage of a bitonic sort: partners at distance 1 << stage are put in order, upwards in every other block of 1 << block.
struct Pass { stage: u32, block: u32 }
@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
@group(0) @binding(1) var<uniform> step: Pass;
override WG_X: u32 = 128;

@compute @workgroup_size(WG_X) fn sort(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let partner = i ^ (1u << step.stage);
  if (i >= arrayLength(&keys) || partner >= arrayLength(&keys) || partner < i) { return; }
  let a = keys[i];
  let b = keys[partner];
  let isUp = (i & (1u << step.block)) == 0;
  if ((a > b) == isUp) {
    keys[i] = b;
    keys[partner] = a;
  }
}
