@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var result: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(16, 16)
fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
  let size = textureDimensions(result);
  if (id.x >= size.x || id.y >= size.y) { return; }
  var sum = vec4f(0);
  for (var i = -2; i <= 2; i++) {
    let at = (vec2f(id.xy) + vec2f(f32(i), 0) + 0.5) / vec2f(size);
    sum += textureSampleLevel(source, smooth_sampler, at, 0.0);
  }
  textureStore(result, id.xy, sum / 5.0);
}
