// Images: the contents of a buffer or texture as words of a buffer, rows of textures at multiples of 256 bytes.
(H => {
'use strict';
if (!H) return;
const { call, levels, texelBytes } = H, STORAGE = 128, COPY_SOURCE = 4, COPY_TARGET = 8;
const submit = (device, encoder) => call('submit', device.queue, [call('finish', encoder)]);
const newBuffer = (device, size, usage) => call('createBuffer', device, { size: Math.max(16, Math.ceil(size / 4) * 4), usage });
const rowsOf = texture => levels(texture).map(({ level, size }) => {
  const row = size[0] * texelBytes(texture.format), pitch = Math.ceil(row / 256) * 256;
  return { level, size, row, pitch, bytes: pitch * size[1] * size[2] };
});
const imageBytes = resource => resource instanceof GPUBuffer ? Math.floor(resource.size / 4) * 4 : rowsOf(resource).reduce((sum, r) => sum + r.bytes, 0);
const newImage = (device, resource) => newBuffer(device, imageBytes(resource), STORAGE | COPY_SOURCE | COPY_TARGET);
function transfer(encoder, resource, image, isOut) {
  if (resource instanceof GPUBuffer) {
    const [from, to] = isOut ? [resource, image] : [image, resource];
    encoder.copyBufferToBuffer(from, 0, to, 0, imageBytes(resource));
    return;
  }
  let offset = 0;
  for (const { level, size, pitch, bytes } of rowsOf(resource)) {
    const buffer = { buffer: image, offset, bytesPerRow: pitch, rowsPerImage: size[1] }, texture = { texture: resource, mipLevel: level };
    if (isOut) encoder.copyTextureToBuffer(texture, buffer, size);
    else encoder.copyBufferToTexture(buffer, texture, size);
    offset += bytes;
  }
}
// Returns the bytes of a buffer, at most `limit` of them from `offset`.
const readBytes = async (device, buffer, offset = 0, limit = Infinity) => {
  const size = Math.floor(Math.min(buffer.size - offset, limit) / 4) * 4, encoder = device.createCommandEncoder();
  const to = newBuffer(device, size, 1 | COPY_TARGET);
  encoder.copyBufferToBuffer(buffer, offset, to, 0, size);
  submit(device, encoder);
  await (H.within ? H.within(to.mapAsync(1), 'reading back') : to.mapAsync(1));
  const bytes = new Uint8Array(to.getMappedRange().slice(0, size));
  to.destroy();
  return bytes;
};
Object.assign(H, { submit, newBuffer, newImage, imageBytes, transfer, readBytes });
})(globalThis.__heddle);
