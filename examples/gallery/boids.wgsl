/* heddle {"problem": {"n": 2048}} */
// Birds that follow the neighbours within a radius: each looks at all others.
@group(0) @binding(0) var<storage, read> places: array<vec2f>;
@group(0) @binding(1) var<storage, read> speeds: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> result: array<vec2f>;
override WG_X: u32 = 64;

@compute @workgroup_size(WG_X) fn boids(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let n = arrayLength(&places);
  if (i >= n) { return; }
  var centre = vec2f();
  var heading = vec2f();
  var apart = vec2f();
  var near = 0.0;
  for (var k = 0u; k < n; k++) {
    let away = places[i] - places[k];
    let distance = dot(away, away);
    if (k == i || distance > 0.01) { continue; }
    centre += places[k];
    heading += speeds[k];
    if (distance < 0.000625) { apart += away; }
    near += 1.0;
  }
  var speed = speeds[i] + 0.05 * apart;
  if (near > 0.0) { speed += 0.02 * (centre / near - places[i]) + 0.005 * heading / near; }
  result[i] = speed;
}
