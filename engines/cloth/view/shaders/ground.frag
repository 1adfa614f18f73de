/* Ground: the background's tone, with shadow, and a grid that fades with distance before its lines could
 * flicker. */
uniform vec3 centre;   /* below the scene, on the ground */
uniform float reach;   /* distance at which the ground has faded out, m */
uniform float spacing; /* spacing of the grid, m */
in vec3 world_position;
out vec4 result;

/* Fraction of a pixel that lines of width `width` (in cells) cover. */
float lines(vec2 cell, float width)
{
    vec2 footprint = max(fwidth(cell), 1e-6), distance = abs(fract(cell - 0.5) - 0.5);
    vec2 cover = clamp((width * 0.5 + footprint * 0.5 - distance) / footprint, 0.0, 1.0);
    cover *= min(vec2(1.0), width / footprint + 0.35);
    cover *= 1.0 - smoothstep(0.15, 0.5, footprint);
    return max(cover.x, cover.y);
}

void main()
{
    vec3 across = abs(up.y) > 0.5 ? world_position.xzy : abs(up.z) > 0.5 ? world_position.xyz : world_position.yzx;
    vec2 cell = across.xy / spacing;
    float away = length(world_position - centre) / reach;
    float fade = exp(-7.0 * away * away) * (1.0 - smoothstep(0.7, 1.0, away));
    vec3 base = vec3(0.52, 0.515, 0.505);
    base *= 1.0 - 0.13 * lines(cell, 0.012) * fade - 0.16 * lines(cell / 5.0, 0.005) * fade;
    float light = key_light(world_position, up);
    vec3 sum = base * (SKY * 0.62 + KEY * max(0.0, dot(up, key_direction)) * light * 0.55);
    result = vec4(sum, fade);
}
