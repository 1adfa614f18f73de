// A step of particles that attract each other, through a tile of group memory as large as the group.
/* heddle { "problem": {"count": 512} } */
struct Body { position: vec4<f32>, velocity: vec4<f32> }
override TILE: u32 = 64;
const SECONDS = 0.01;

@group(0) @binding(0) var<storage, read> before: array<Body>;
@group(0) @binding(1) var<storage, read_write> after: array<Body>;
@group(0) @binding(2) var<uniform> count: u32;
var<workgroup> tile: array<vec4<f32>, TILE>;

@compute @workgroup_size(TILE, 1, 1)
fn move_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    let me = before[min(id.x, count - 1u)];
    var force = vec3f(0.0);
    for (var base = 0u; base < count; base += TILE) {
        tile[local] = before[min(base + local, count - 1u)].position;
        workgroupBarrier();
        for (var j = 0u; j < TILE && base + j < count; j++) {
            let between = tile[j].xyz - me.position.xyz;
            force += between * inverseSqrt(dot(between, between) + 0.01);
        }
        workgroupBarrier();
    }
    if (id.x >= count) { return; }
    let velocity = me.velocity.xyz + SECONDS * force;
    after[id.x] = Body(vec4f(me.position.xyz + SECONDS * velocity, 1.0), vec4f(velocity, 0.0));
}
