@group(0) @binding(0) var lit: texture_storage_2d<rgba8unorm, write>;

// Light of many lamps: one group alone takes long, so that only a picture of a part of a group ends soon.
@compute @workgroup_size(32, 8) fn light(@builtin(global_invocation_id) at: vec3u) {
  let size = textureDimensions(lit);
  if (at.x >= size.x || at.y >= size.y) { return; }
  var sum = at.x + at.y;
  for (var lamp = 0u; lamp < 30000000u; lamp++) { sum = sum * 747796405u + lamp; }
  textureStore(lit, at.xy, vec4f(f32(sum & 255u) / 255.0, 0.0, 0.0, 1.0));
}
