/* A studio's backdrop: light below, cooler above, a little darker in the corners. */
in vec2 at;
out vec4 result;

void main()
{
    vec3 low = vec3(0.78, 0.775, 0.765), high = vec3(0.42, 0.50, 0.60);
    vec2 corner = (at - 0.5) * vec2(1.0, 0.8);
    result = vec4(mix(low, high, smoothstep(0.15, 1.05, at.y)) * (1.0 - 0.35 * dot(corner, corner)), 1.0);
}
