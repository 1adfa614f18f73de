#version 450
/* heddle {"problem": {"n": 4096}} */
// Birds that follow the neighbours within a radius: each looks at all others.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Places { vec2 places[]; };
layout(std430, binding = 1) readonly buffer Speeds { vec2 speeds[]; };
layout(std430, binding = 2) writeonly buffer Result { vec2 result[]; };
layout(push_constant) uniform Flock { uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) return;
    vec2 centre = vec2(0.0), heading = vec2(0.0), apart = vec2(0.0);
    float near = 0.0;
    for (uint k = 0; k < n; k++) {
        vec2 away = places[i] - places[k];
        float distance = dot(away, away);
        if (k == i || distance > 0.01) continue;
        centre += places[k];
        heading += speeds[k];
        if (distance < 0.000625) apart += away;
        near += 1.0;
    }
    vec2 speed = speeds[i] + 0.05 * apart;
    if (near > 0.0) speed += 0.02 * (centre / near - places[i]) + 0.005 * heading / near;
    result[i] = speed;
}
