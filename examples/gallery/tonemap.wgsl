// Filmic tone mapping of linear colours into packed 8-bit ones.
struct Frame { width: u32, height: u32, exposure: f32 }
@group(0) @binding(0) var<storage, read> light: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;
@group(0) @binding(2) var<uniform> frame: Frame;
override WG_X: u32 = 16;
override WG_Y: u32 = 16;

@compute @workgroup_size(WG_X, WG_Y) fn tonemap(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= frame.width || id.y >= frame.height) { return; }
  var c = frame.exposure * light[id.y * frame.width + id.x].rgb;
  c = clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), vec3f(0.0), vec3f(1.0));
  pixels[id.y * frame.width + id.x] = pack4x8unorm(vec4f(pow(c, vec3f(1.0 / 2.2)), 1.0));
}
