const TILE = 64u;
struct Body { position: vec4f, velocity: vec4f }
@group(0) @binding(0) var<storage, read> before: array<Body>;
@group(0) @binding(1) var<storage, read_write> after: array<Body>;
@group(0) @binding(2) var<uniform> dt: f32;
var<workgroup> shared_positions: array<vec4f, TILE>;

@compute @workgroup_size(TILE)
fn step(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let n = arrayLength(&before);
  let mine = before[id.x];
  var force = vec3f(0);
  for (var source = 0u; source < n; source += TILE) {
    shared_positions[local.x] = before[source + local.x].position;
    workgroupBarrier();
    for (var k = 0u; k < TILE; k++) {
      let d = shared_positions[k].xyz - mine.position.xyz;
      force += d / (dot(d, d) + 0.1);
    }
    workgroupBarrier();
  }
  after[id.x] = Body(mine.position + mine.velocity * dt, vec4f(mine.velocity.xyz + force * dt, 0));
}
