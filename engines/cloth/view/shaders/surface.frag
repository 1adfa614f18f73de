/* Cloth: diffuse light that wraps a little round the edge, some light that shines through, and the sheen of fibres
 * at grazing angles. Props: diffuse with a broad highlight. */
uniform vec3 eye;
uniform vec3 colour;
uniform bool two_sided;
uniform bool marks;
in vec3 world_position;
in vec3 world_normal;
in vec3 vertex_colour;
out vec4 result;

void main()
{
    float white = min(vertex_colour.r, min(vertex_colour.g, vertex_colour.b));
    vec3 albedo = pow(marks ? vertex_colour - white + white * colour : colour * vertex_colour, vec3(2.2));
    vec3 to_eye = normalize(eye - world_position);
    vec3 normal = world_normal;
    float size = dot(normal, normal);
    normal = size > 0.0 ? normal * inversesqrt(size) : up;
    /* The triangle decides which side is visible, as the orientation of vertices and normals is arbitrary. */
    vec3 flat_normal = cross(dFdx(world_position), dFdy(world_position));
    flat_normal *= dot(flat_normal, to_eye) < 0.0 ? -1.0 : 1.0;
    if (two_sided && dot(normal, flat_normal) < 0.0) normal = -normal;

    float cosine = dot(normal, key_direction), light = key_light(world_position, normal);
    float wrap = two_sided ? 0.12 : 0.0;
    float diffuse = max(0.0, (cosine + wrap) / (1.0 + wrap)) * light;
    float through = two_sided ? 0.22 * max(0.0, -cosine) * light : 0.0;
    vec3 around = hemisphere(normal);
    vec3 sum = albedo * (around + KEY * diffuse * 0.46) + albedo * sqrt(albedo) * KEY * through;

    float grazing = pow(1.0 - max(0.0, dot(normal, to_eye)), two_sided ? 3.0 : 5.0);
    if (two_sided) {
        sum += mix(vec3(1.0), albedo, 0.6) * grazing * 0.22 * (around + KEY * diffuse);
    } else if (cosine >= 0.0) {
        float shine = pow(max(0.0, dot(normal, normalize(to_eye + key_direction))), 24.0);
        sum += 0.03 * KEY * light * shine + 0.10 * grazing * SKY;
    }
    result = vec4(sum, 1.0);
}
