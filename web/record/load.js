// Dispatches of a .hrec file, as if this page had recorded them: in a device of its own, with automatic
// layouts, so dynamic offsets become plain ones, and bindings that a shader does not use are left out.
(H => {
'use strict';
const { call, transfer, submit, newBuffer } = H;
const WANTED = ['bgra8unorm-storage', 'float32-filterable', 'shader-f16', 'subgroups'];

// Creates a resource with its contents as a second one: [resource, contents].
function restore(device, thing, data) {
  const isBuffer = typeof thing.size === 'number';
  const make = () => isBuffer ? call('createBuffer', device, { size: Math.ceil(thing.size / 4) * 4, usage: thing.usage | 12 })
    : device.createTexture({ size: thing.size, format: thing.format, dimension: thing.dimension, mipLevelCount: thing.levels,
      viewFormats: thing.viewFormats, usage: thing.usage | 3 });
  const resource = make(), before = make(), image = newBuffer(device, thing.bytes, 12), encoder = device.createCommandEncoder();
  call('writeBuffer', device.queue, image, 0, data, thing.at, thing.bytes);
  transfer(encoder, before, image, false);
  submit(device, encoder);
  return [resource, before];
}
function loadEntry(entry, group, things, device) {
  const { binding, sampler, thing, view, offset = 0, size } = entry;
  if (sampler) return { binding, resource: device.createSampler(sampler) };
  const [resource] = things[thing];
  if (view) return { binding, resource: resource.createView(view) };
  const dynamic = group.entries.filter(e => e.dynamic).sort((a, b) => a.binding - b.binding).findIndex(e => e.binding === binding);
  const moved = dynamic >= 0 ? group.offsets[dynamic] ?? 0 : 0;
  return { binding, resource: resource instanceof GPUBuffer ? { buffer: resource, offset: offset + moved, size } : resource };
}
function loadShot(shot, key, device, things, used) {
  const before = new Map(), groups = shot.groups.map((group, g) => group && { offsets: [], entries: group.entries.filter(e => used.includes(g + '.' + e.binding)).map(e => {
    if (e.thing !== undefined) before.set(...things[e.thing]);
    return loadEntry(e, group, things, device);
  }) });
  const indirect = shot.indirect && { buffer: things[shot.indirect.thing][0], offset: shot.indirect.offset };
  if (indirect) before.set(...things[shot.indirect.thing]);
  return { groups, before, indirect, counts: key.counts, layout: 'auto', pipeline: null, submitted: true, bytes: 0 };
}
// Loads the file at an address; returns its header without the pipelines.
H.loadFile = async (address, progress) => {
  progress('loading the recording');
  const bytes = await (await fetch(address)).arrayBuffer(), [, , length] = new Uint32Array(bytes, 0, 3);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 12, length))), data = new Uint8Array(bytes, 12 + length);
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error('this browser has no WebGPU adapter');
  const device = await adapter.requestDevice({ requiredFeatures: WANTED.filter(f => header.features.includes(f) && adapter.features.has(f)) });
  const things = header.things.map(thing => restore(device, thing, data));
  for (const p of header.pipelines) {
    const record = { ...p, id: H.pipelines.length, device, hash: H.hashText(p.code + '\n' + p.entry + '\n' + JSON.stringify(p.constants)), keys: [] };
    const used = H.analyse(p.code, p.entry, p.constants).readable;
    record.keys = p.keys.map((key, index) => ({ ...key, index, writers: [], failed: '', tooLarge: 0, shots: key.shots.map(s => loadShot(s, key, device, things, used)) }));
    H.cost.dispatches += p.dispatches;
    H.pipelines.push(record);
  }
  await device.queue.onSubmittedWorkDone();
  return { page: header.page, agent: header.agent };
};
})(globalThis.__heddle);
