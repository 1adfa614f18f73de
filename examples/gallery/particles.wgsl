// Particles under gravity that bounce off a floor, with a random start once they are too old.
struct Step { n: u32, dt: f32 }
@group(0) @binding(0) var<storage, read> before: array<vec4f>;
@group(0) @binding(1) var<storage, read> speed: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> after: array<vec4f>;
@group(0) @binding(3) var<uniform> step: Step;
override WG_X: u32 = 32;

fn random(number: u32) -> f32 {
  var seed = (number ^ 61u ^ (number >> 16)) * 9u;
  seed = (seed ^ (seed >> 4)) * 0x27d4eb2du;
  return f32(seed >> 8) / 16777216.0;
}

@compute @workgroup_size(WG_X) fn particles(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= step.n) { return; }
  var p = before[i] + vec4f((speed[i].xyz + vec3f(0.0, -9.81 * step.dt, 0.0)) * step.dt, step.dt);
  if (p.y < 0.0) { p.y = -0.6 * p.y; }
  if (p.w > 4.0) { p = vec4f(random(i), 1.0 + random(3 * i), random(7 * i), 0.0); }
  after[i] = p;
}
