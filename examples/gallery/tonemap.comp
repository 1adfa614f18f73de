#version 450
// Filmic tone mapping of linear colours into packed 8-bit ones.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer Light { vec4 light[]; };
layout(std430, binding = 1) writeonly buffer Pixels { uint pixels[]; };
layout(push_constant) uniform Frame { int width, height; float exposure; };
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (p.x >= width || p.y >= height) return;
    vec3 c = exposure * light[p.y * width + p.x].rgb;
    c = clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
    pixels[p.y * width + p.x] = packUnorm4x8(vec4(pow(c, vec3(1.0 / 2.2)), 1.0));
}
