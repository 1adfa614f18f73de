#version 450
// Particles under gravity that bounce off a floor, with a random start once they are too old.
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Before { vec4 before[]; };
layout(std430, binding = 1) readonly buffer Speed { vec4 speed[]; };
layout(std430, binding = 2) writeonly buffer After { vec4 after[]; };
layout(push_constant) uniform Step { uint n; float dt; };
float random(uint seed)
{
    seed = (seed ^ 61u ^ (seed >> 16)) * 9u;
    seed = (seed ^ (seed >> 4)) * 0x27d4eb2du;
    return float(seed >> 8) / 16777216.0;
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    vec4 p = before[i] + vec4((speed[i].xyz + vec3(0.0, -9.81 * dt, 0.0)) * dt, dt);
    if (p.y < 0.0) p.y = -0.6 * p.y;
    if (p.w > 4.0) p = vec4(random(i), 1.0 + random(3 * i), random(7 * i), 0.0);
    after[i] = p;
}
