/* Vertices of cloth, props and ground, also for shadow.frag. */
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 colour;
uniform mat4 view_projection;
out vec3 world_position;
out vec3 world_normal;
out vec3 vertex_colour;

void main()
{
    world_position = position;
    world_normal = normal;
    vertex_colour = colour.rgb;
    gl_Position = view_projection * vec4(position, 1.0);
}
