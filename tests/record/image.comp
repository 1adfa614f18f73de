#version 450
/* heddle {"problem": {"width": 40, "height": 30}} */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D photo;
layout(binding = 1, rgba8) uniform writeonly image2D picture;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x < 40 && at.y < 30) imageStore(picture, at, texelFetch(photo, at, 0).bgra);
}
