/* Converts linear light to a screen's values: a soft shoulder instead of clipped highlights, sRGB's curve, and half
 * a step of noise against bands in the gradient. A picture drawn at twice the size is averaged by the sampler. */
uniform sampler2D scene;
uniform float stamp; /* alpha of each pixel: number of this picture, which a reader compares */
in vec2 at;
out vec4 result;

void main()
{
    vec3 light = max(texture(scene, at).rgb, 0.0);
    vec3 over = max(light - 0.7, 0.0);
    light = min(light, 0.7) + 0.3 * over / (over + 0.3);
    vec3 encoded = mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light));
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    result = vec4(encoded + (noise - 0.5) / 255.0, stamp);
}
