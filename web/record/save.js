// A recording as a file, .hrec: "HREC", the version and the size of the header as words, the header as
// JSON, then the images of all resources, each at a multiple of 4 bytes from the end of the header.
(H => {
'use strict';
if (!H) return;
const { meta, resourceOf, newImage, imageBytes, transfer, submit, readBytes } = H;

// Describes a buffer or texture without its contents.
const describe = resource => resource instanceof GPUBuffer ? { size: resource.size, usage: resource.usage & ~3 } : {
  size: [resource.width, resource.height, resource.depthOrArrayLayers], usage: resource.usage, format: resource.format,
  dimension: resource.dimension, levels: resource.mipLevelCount, viewFormats: [...meta.get(resource)?.viewFormats ?? []] };
function saveEntry({ binding, resource, dynamic }, things, shot) {
  const behind = resourceOf({ resource });
  if (!behind) return { binding, sampler: meta.get(resource)?.descriptor ?? {} };
  const thing = things.add(shot, behind);
  if (resource instanceof GPUTextureView) return { binding, thing, view: { ...meta.get(resource).descriptor } };
  return { binding, thing, dynamic, offset: resource.offset, size: resource.size };
}
// Resources of all dispatches: each dispatch has contents of its own.
class Things {
  constructor() { Object.assign(this, { list: [], images: [], known: new Map() }); }
  add(shot, resource) {
    const before = shot.before.get(resource);
    if (this.known.has(before)) return this.known.get(before);
    const bytes = imageBytes(resource);
    this.list.push({ ...describe(resource), at: 0, bytes });
    this.images.push({ resource, before });
    this.known.set(before, this.list.length - 1);
    return this.list.length - 1;
  }
}
async function contentsOf(device, { resource, before }) {
  const image = newImage(device, resource), encoder = device.createCommandEncoder();
  transfer(encoder, before, image, true);
  submit(device, encoder);
  const bytes = await readBytes(device, image, 0, imageBytes(resource));
  image.destroy();
  return bytes;
}
function isSame(a, b) {
  const x = new Uint32Array(a.buffer), y = new Uint32Array(b.buffer);
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}
// Returns the file as a Blob. A resource that has not changed between two dispatches is in it once.
H.save = async () => {
  const things = new Things(), pipelines = [], devices = [];
  for (const p of H.pipelines) {
    const keys = p.keys.map(k => ({ counts: k.counts, seen: k.seen, stack: k.stack, shots: k.shots.filter(s => s.submitted).map(shot => ({
      groups: shot.groups.map(g => g && { offsets: g.offsets, entries: g.entries.map(e => saveEntry(e, things, shot)) }),
      indirect: shot.indirect && { thing: things.add(shot, shot.indirect.buffer), offset: shot.indirect.offset } })) }));
    while (devices.length < things.images.length) devices.push(p.device);
    const { code, entry, constants, label, dispatches, stack, moduleStack } = p;
    pipelines.push({ code, entry, constants, label, dispatches, stack, moduleStack, keys });
  }
  const images = [], written = [];
  let end = 0;
  for (const [i, image] of things.images.entries()) {
    const bytes = await contentsOf(devices[i], image), earlier = written.find(w => w.resource === image.resource && isSame(w.bytes, bytes));
    things.list[i].at = earlier?.at ?? end;
    if (earlier) continue;
    written.push({ resource: image.resource, bytes, at: end });
    images.push(bytes);
    end += bytes.length;
  }
  const { device, info } = H.devices[0] ?? {};
  const header = { page: location.href, agent: navigator.userAgent, vendor: info?.vendor ?? '', architecture: info?.architecture ?? '',
    features: device ? [...device.features] : [], things: things.list, pipelines };
  const text = new TextEncoder().encode(JSON.stringify(header)), parts = [new Uint32Array([0x43455248, 1, text.length]), text, ...images];
  return new Blob(parts, { type: 'application/octet-stream' });
};
})(globalThis.__heddle);
