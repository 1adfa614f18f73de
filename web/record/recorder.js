// Recorder of WebGPU, which runs before a page's own scripts. It wraps WebGPU by its prototypes, and
// keeps for each compute pipeline its text, constants, layout and dispatches, with copies on the
// GPU of all that was bound before a dispatch. `globalThis.__heddle` is its interface.
(() => {
'use strict';
if (!globalThis.GPUDevice || globalThis.__heddle) return;
const config = Object.assign({
  lateMs: 1500,        // a first kind of dispatch is recorded again after this time
  kinds: 6,            // recorded kinds of dispatches of a pipeline
  maxBytes: 512 << 20, // copies in all
}, globalThis.__heddleConfig);
const real = {}, wrapped = {}; // original functions and their wrappers by name; no two of the wrapped types share one
const meta = new WeakMap();  // WebGPU object -> known properties
const pipelines = [], devices = [], errors = [], keys = new Map();
const cost = { dispatches: 0, shots: 0, bytes: 0 };
const started = performance.now();
const state = { frozen: false, submits: 0 }, H = {};
const COPY_SOURCE = 4, MAPPED = 3, UNIFORM = 64, INDIRECT = 256, MOST_SMALL = 1024, MOST_KEYS = 64;

function wrap(type, name, make) {
  const prototype = globalThis[type]?.prototype, original = prototype?.[name];
  if (!original) return;
  real[name] = original;
  wrapped[name] = prototype[name] = make(original);
}
const call = (name, object, ...list) => real[name].apply(object, list);
function fail(subject, error) {
  if (errors.length < 50) errors.push(`${subject}: ${error?.message ?? error}`);
}
// Returns the page's frames of the current stack, in which it has called the wrapper of `name`. A bundler may have renamed the
// wrapper; a browser that cannot cut the stack there shows the file of the recorder.
const fileOf = line => /(?:@|\(|at )?((?:https?|file|blob):.*?):\d+:\d+/.exec(line ?? '')?.[1], linesOf = error => (error.stack ?? '').split('\n').map(line => line.trim()).filter(line => line && !/^Error/.test(line));
const ownFile = fileOf(linesOf(new Error())[0]);
function stackOf(name) {
  const limit = Error.stackTraceLimit, error = new Error();
  Error.stackTraceLimit = 8;
  Error.captureStackTrace?.(error, wrapped[name]);
  Error.stackTraceLimit = limit;
  return linesOf(error).filter(line => Error.captureStackTrace || !ownFile || fileOf(line) !== ownFile).slice(0, 8);
}
function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/* ---- objects ---- */

wrap('GPUAdapter', 'requestDevice', original => async function (descriptor) {
  const device = await (H.requestDevice ?? original).call(this, descriptor);
  devices.push({ device, info: this.info ?? {} });
  return device;
});
wrap('GPUDevice', 'createBuffer', original => function (descriptor) {
  const usage = descriptor.usage & MAPPED ? descriptor.usage : descriptor.usage | COPY_SOURCE;
  const buffer = original.call(this, { ...descriptor, usage });
  meta.set(buffer, { usage, writers: [], version: 0 });
  return buffer;
});
wrap('GPUDevice', 'createTexture', original => function (descriptor) {
  const texture = original.call(this, { ...descriptor, usage: descriptor.usage | 1 });
  meta.set(texture, { viewFormats: descriptor.viewFormats });
  return texture;
});
const keeping = (make = (self, descriptor) => ({ descriptor })) => original => function (descriptor) {
  const made = original.call(this, descriptor);
  meta.set(made, make(this, descriptor));
  return made;
};
wrap('GPUTexture', 'createView', keeping((texture, descriptor) => ({ texture, descriptor })));
wrap('GPUDevice', 'createSampler', keeping((_, descriptor) => ({ descriptor: { ...descriptor } })));
wrap('GPUDevice', 'createBindGroupLayout', keeping((_, descriptor) => ({ entries: [...descriptor.entries] })));
wrap('GPUDevice', 'createShaderModule', keeping((_, descriptor) =>
  ({ code: descriptor.code, label: descriptor.label ?? '', stack: stackOf('createShaderModule') })));
wrap('GPUDevice', 'createBindGroup', keeping((_, descriptor) => {
  const dynamic = new Set((meta.get(descriptor.layout)?.entries ?? []).filter(e => e.buffer?.hasDynamicOffset).map(e => e.binding));
  const entries = [...descriptor.entries].map(({ binding, resource }) => ({ binding, resource, dynamic: dynamic.has(binding) }));
  const small = entries.map(e => bufferOf(e.resource)).filter(b => b && b.size <= MOST_SMALL && b.usage & UNIFORM);
  return { entries, small };
}));

function know(device, pipeline, descriptor, stack) {
  const module = meta.get(descriptor.compute.module) ?? { code: '', stack: [], label: '' };
  const constants = { ...descriptor.compute.constants }, entry = descriptor.compute.entryPoint ?? '', { code } = module;
  const key = JSON.stringify(constants);
  let record = pipelines.find(p => p.device === device && p.code === code && p.entry === entry && JSON.stringify(p.constants) === key);
  if (!record) {
    record = { id: pipelines.length, device, code, entry, constants, label: descriptor.label || module.label, dispatches: 0,
      keys: [], stack, moduleStack: module.stack, hash: hashText(code + '\n' + entry + '\n' + key) };
    pipelines.push(record);
  }
  meta.set(pipeline, { record, layout: descriptor.layout });
  return pipeline;
}
wrap('GPUDevice', 'createComputePipeline', original => function (descriptor) {
  return know(this, original.call(this, descriptor), descriptor, stackOf('createComputePipeline'));
});
wrap('GPUDevice', 'createComputePipelineAsync', original => async function (descriptor) {
  const stack = stackOf('createComputePipelineAsync');
  return know(this, await original.call(this, descriptor), descriptor, stack);
});

// Small uniforms tell dispatches of one pipeline apart (stages, directions), so their contents are hashed.
function versionOf(before, at, data, from = 0, length) {
  const step = data.BYTES_PER_ELEMENT ?? 1, count = length === undefined ? undefined : length * step;
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset + from * step, count ?? data.byteLength - from * step)
    : new Uint8Array(data, from, count);
  let hash = at ? before : 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte ^ at, 0x01000193);
  return hash >>> 0;
}
wrap('GPUQueue', 'writeBuffer', original => function (buffer, ...rest) {
  const about = meta.get(buffer);
  if (about?.usage & INDIRECT && about.writers.length < 3) about.writers.push(stackOf('writeBuffer'));
  if (about?.usage & UNIFORM && buffer.size <= MOST_SMALL) about.version = versionOf(about.version, ...rest);
  return original.call(this, buffer, ...rest);
});

/* ---- passes: the page keeps the first pass, whose calls go to the current one ---- */

wrap('GPUCommandEncoder', 'beginComputePass', original => function (descriptor) {
  const pass = original.call(this, descriptor);
  meta.set(pass, { encoder: this, now: pass, pipeline: null, groups: [], debug: [] });
  return pass;
});
wrap('GPUComputePassEncoder', 'setPipeline', original => function (pipeline) {
  const pass = meta.get(this);
  pass.pipeline = pipeline;
  original.call(pass.now, pipeline);
});
wrap('GPUComputePassEncoder', 'setBindGroup', original => function (index, group, offsets = [], start, length) {
  const pass = meta.get(this), list = start === undefined ? [...offsets] : [...offsets.subarray(start, start + length)];
  pass.groups[index] = group ? { group, offsets: list } : null;
  original.call(pass.now, index, group, list);
});
for (const name of ['pushDebugGroup', 'popDebugGroup', 'insertDebugMarker', 'end'])
  wrap('GPUComputePassEncoder', name, original => function (...list) {
    const pass = meta.get(this);
    if (name === 'pushDebugGroup') pass.debug.push(list[0]);
    if (name === 'popDebugGroup') pass.debug.pop();
    return original.apply(pass.now, list);
  });
const inPass = (pass, name, ...list) => call('' + name, pass.now, ...list);
function leave(pass) {
  for (const _ of pass.debug) inPass(pass, 'popDebugGroup');
  inPass(pass, 'end');
}
function enter(pass) {
  pass.now = call('beginComputePass', pass.encoder);
  for (const label of pass.debug) inPass(pass, 'pushDebugGroup', label);
  if (pass.pipeline) inPass(pass, 'setPipeline', pass.pipeline);
  pass.groups.forEach((bound, index) => bound && inPass(pass, 'setBindGroup', index, bound.group, bound.offsets));
}

/* ---- copies ---- */

const bufferOf = resource => resource instanceof GPUBuffer ? resource : resource?.buffer instanceof GPUBuffer ? resource.buffer : null;
// Returns the buffer or texture of an entry; null: a sampler.
function resourceOf({ resource }) {
  if (resource instanceof GPUTexture) return resource;
  if (resource instanceof GPUTextureView) return meta.get(resource).texture;
  if (globalThis.GPUExternalTexture && resource instanceof GPUExternalTexture) throw new Error('a video frame (external texture) cannot be copied');
  return bufferOf(resource);
}
const levels = texture => Array.from({ length: texture.mipLevelCount }, (_, level) => ({ level,
  size: [Math.max(1, texture.width >> level), texture.dimension === '1d' ? 1 : Math.max(1, texture.height >> level),
    texture.dimension === '3d' ? Math.max(1, texture.depthOrArrayLayers >> level) : texture.depthOrArrayLayers] }));
const texelBytes = format => /^(r8|stencil)/.test(format) ? 1 : /^(rg8|r16|depth16)/.test(format) ? 2
  : /^(rg32|rgba16)/.test(format) ? 8 : /^rgba32/.test(format) ? 16 : 4;
const bytesOf = resource => resource instanceof GPUBuffer ? resource.size
  : levels(resource).reduce((sum, { size: [x, y, z] }) => sum + x * y * z, 0) * texelBytes(resource.format);
function refuseTexture(texture) {
  if (texture.sampleCount > 1) throw new Error('a texture with several samples cannot be copied');
  if (/^depth24|-stencil8$/.test(texture.format)) throw new Error(`a texture of format ${texture.format} cannot be copied`);
  if (/^(bc|etc2|eac|astc)/.test(texture.format)) throw new Error(`a compressed texture (${texture.format}) is not recorded`);
}
// Creates a buffer or texture of the same shape.
function like(device, resource, usage) {
  if (resource instanceof GPUBuffer)
    return call('createBuffer', device, { size: Math.ceil(resource.size / 4) * 4, usage: usage | 12 });
  refuseTexture(resource);
  const { width, height, depthOrArrayLayers, format, dimension, mipLevelCount } = resource;
  return call('createTexture', device, { size: [width, height, depthOrArrayLayers], format, dimension, mipLevelCount,
    viewFormats: meta.get(resource)?.viewFormats ?? [], usage: usage | 3 });
}
function copy(encoder, from, to) {
  if (from instanceof GPUBuffer) encoder.copyBufferToBuffer(from, 0, to, 0, Math.floor(from.size / 4) * 4);
  else for (const { level, size } of levels(from))
    encoder.copyTextureToTexture({ texture: from, mipLevel: level }, { texture: to, mipLevel: level }, size);
}
// Records one dispatch: everything that is bound, as it is before the dispatch. False: over the limit of memory.
function shoot(pass, known, key, indirect) {
  const { device } = known.record, groups = pass.groups.map(bound => bound && { entries: meta.get(bound.group).entries, offsets: bound.offsets });
  const resources = new Set(groups.flatMap(group => group ? group.entries.map(resourceOf).filter(Boolean) : []));
  if (indirect) resources.add(indirect.buffer);
  const bytes = [...resources].reduce((sum, resource) => sum + bytesOf(resource), 0);
  if (cost.bytes + bytes > config.maxBytes) { key.tooLarge = bytes; return; }
  const shot = { groups, bytes, before: new Map([...resources].map(r => [r, like(device, r, 0)])), indirect, counts: key.counts,
    layout: known.layout, pipeline: pass.pipeline, submitted: false };
  leave(pass);
  for (const [resource, kept] of shot.before) copy(pass.encoder, resource, kept);
  enter(pass);
  cost.bytes += bytes;
  cost.shots++;
  if (!meta.has(pass.encoder)) meta.set(pass.encoder, { shots: [] });
  meta.get(pass.encoder).shots.push(shot);
  key.shots.push(shot);
}
function isRequested(key, record) {
  if (state.frozen || key.failed || key.tooLarge) return false;
  const isFirst = key.shots.length === 0 && (key.index & key.index - 1) === 0 && record.keys.filter(k => k.shots.length).length < config.kinds;
  return isFirst || (key.shots.length === 1 && key === record.keys[0] && key.seen > 3 && performance.now() - started > config.lateMs);
}
// `values` are the page's own numbers of groups, of which `counts` are the whole parts.
function launch(self, counts, indirect, values = counts) {
  const pass = meta.get(self), known = pass.pipeline && meta.get(pass.pipeline);
  cost.dispatches++;
  if (known) {
    const { record } = known;
    const plain = record.id + '|' + (indirect ? 'indirect' : counts) + '|' + pass.groups.map(b => b ? b.offsets.join('+') : '');
    let name = plain;
    for (const bound of pass.groups) if (bound) for (const small of meta.get(bound.group).small) name += '|' + meta.get(small)?.version;
    if (record.keys.length >= MOST_KEYS && !keys.has(name)) name = plain;
    let key = keys.get(name);
    if (!key) {
      key = { counts, isCut: values.map(n => n % 1 !== 0), seen: 0, shots: [], stack: stackOf(indirect ? 'dispatchWorkgroupsIndirect' : 'dispatchWorkgroups'), index: record.keys.length,
        writers: indirect && meta.get(indirect.buffer)?.writers, failed: '', tooLarge: 0 };
      keys.set(name, key);
      record.keys.push(key);
    }
    record.dispatches++;
    key.seen++;
    if (isRequested(key, record))
      try { shoot(pass, known, key, indirect); } catch (error) { key.failed = error.message; }
  }
  if (indirect) inPass(pass, 'dispatchWorkgroupsIndirect', indirect.buffer, indirect.offset);
  else inPass(pass, 'dispatchWorkgroups', ...counts);
}
wrap('GPUComputePassEncoder', 'dispatchWorkgroups', () => function (x, y = 1, z = 1) {
  launch(this, [x, y, z].map(Math.trunc), null, [x, y, z]);
});
wrap('GPUComputePassEncoder', 'dispatchWorkgroupsIndirect', () => function (buffer, offset) {
  launch(this, [0, 0, 0], { buffer, offset });
});
wrap('GPUCommandEncoder', 'finish', original => function (descriptor) {
  const buffer = original.call(this, descriptor);
  if (meta.has(this)) meta.set(buffer, meta.get(this));
  return buffer;
});

wrap('GPUQueue', 'submit', original => function (buffers) {
  if (state.frozen) return;
  const list = [...buffers];
  state.submits++;
  original.call(this, list);
  H.onSubmit?.(this);
  for (const buffer of list) for (const shot of meta.get(buffer)?.shots ?? []) shot.submitted = true;
});
Object.assign(H, { config, real, call, meta, pipelines, devices, errors, cost, wrap, fail,
  state, started, resourceOf, bufferOf, levels, texelBytes, bytesOf, like, copy, hashText });
Object.defineProperty(globalThis, '__heddle', { configurable: true, value: H });
})();
