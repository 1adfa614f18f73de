/* The light of the scene: one key light with a shadow map, percentage-closer filtered over a disk (Reeves, Salesin
 * and Cook 1987), and a sky above a ground (hemisphere lighting). Everything is linear light. */
uniform vec3 up;
uniform vec3 key_direction; /* to the light */
uniform mat4 shadow_matrix;
uniform sampler2DShadow shadow_map;
uniform float shadow_texel;    /* m */
uniform float penumbra;        /* radius in texture coordinates */

const vec3 KEY = vec3(2.35, 2.25, 2.08);
const vec3 SKY = vec3(0.50, 0.55, 0.63);
const vec3 BOUNCE = vec3(0.24, 0.22, 0.20);
const int TAPS = 16;

/* Interleaved gradient noise (Jimenez 2014): turns the disk from pixel to pixel, so that its taps do not show as
 * bands. */
float noise(vec2 pixel) { return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715)))); }

/* Fraction of the key light that reaches a position. `normal` points to the visible side. */
float key_light(vec3 place, vec3 normal)
{
    /* Offset from the surface towards the light, larger at a grazing angle: a surface must not shade itself. */
    float cosine = dot(normal, key_direction);
    vec3 offset = normal * sign(cosine) * (1.0 + 2.5 * sqrt(max(0.0, 1.0 - cosine * cosine))) * shadow_texel;
    vec3 at = (shadow_matrix * vec4(place + offset, 1.0)).xyz * 0.5 + 0.5;
    vec2 outside = abs(at.xy - 0.5);
    if (max(outside.x, outside.y) > 0.5 || at.z > 1.0) return 1.0;
    float turn = 6.2831853 * noise(gl_FragCoord.xy), light = 0.0;
    vec2 tap = vec2(cos(turn), sin(turn));
    for (int i = 0; i < TAPS; i++) { /* a spiral by the golden angle */
        light += texture(shadow_map, vec3(at.xy + penumbra * sqrt((float(i) + 0.5) / float(TAPS)) * tap, at.z));
        tap = vec2(-0.73736888 * tap.x - 0.67549029 * tap.y, 0.67549029 * tap.x - 0.73736888 * tap.y);
    }
    return light / float(TAPS);
}

vec3 hemisphere(vec3 normal) { return mix(BOUNCE, SKY, 0.5 + 0.5 * dot(normal, up)); }
