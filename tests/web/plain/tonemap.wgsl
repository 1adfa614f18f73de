@group(0) @binding(0) var input: texture_2d<f32>;
@group(0) @binding(1) var output: texture_storage_2d<rgba16float, write>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
  let at = vec2u(wid.x * 16 + lid.x, wid.y * 16 + lid.y);
  let color = textureLoad(input, at, 0).rgb;
  textureStore(output, at, vec4f(pow(color, vec3f(1.0 / 2.2)), 1));
}
