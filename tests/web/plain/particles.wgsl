struct Particle { position: vec3f, lifetime: f32, color: vec4f, velocity: vec3f, index: u32 }
struct Particles { particles: array<Particle> }
struct Simulation { deltaTime: f32, brightness: f32, seed: vec4f }
@binding(0) @group(0) var<uniform> sim: Simulation;
@binding(1) @group(0) var<storage, read_write> data: Particles;

@compute @workgroup_size(64)
fn simulate(@builtin(global_invocation_id) id: vec3u) {
  var p = data.particles[id.x];
  p.velocity.z -= sim.deltaTime * 0.5;
  p.position += sim.deltaTime * p.velocity;
  p.lifetime -= sim.deltaTime;
  data.particles[id.x] = p;
}
