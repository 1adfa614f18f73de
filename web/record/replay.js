// Replay of a recorded dispatch on copies, in the device of the page: with other texts and counts,
// compared on the GPU with the page's own text, and timed.
//
// A result is compared from two starts: the recorded contents, and the same with the lowest bit of
// each element of the outputs flipped. A page that draws the same picture again has the answer in
// its buffers already, so that a launch that does nothing looks right from the first start alone.
(H => {
'use strict';
const { call, meta, resourceOf, like, copy, within, newBuffer, newImage, imageBytes, transfer, submit } = H;
const STORAGE = 128, COPY_SOURCE = 4, COPY_TARGET = 8, CHUNK = 32 << 20, HANG_MS = 30000, HANG_TIMES = 20;

// mark() sets bits of the mask where two images differ, and counts the elements that lacked the bit: UNSTEADY elements are not
// compared, elements that are not WRITTEN count apart. A result that still has its starting bits is never near.
const COMPARE = `
struct Sums { different: atomic<u32>, first: atomic<u32>, extra: atomic<u32>, near: atomic<u32> }
@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read> reference: array<u32>;
@group(0) @binding(2) var<storage, read> start: array<u32>;
@group(0) @binding(3) var<storage, read_write> mask: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: Sums;
override BIT: u32 = 1;
fn isNormal(w: u32) -> bool { let e = (w >> 23) & 255; return e > 0 && e < 255; }
@compute @workgroup_size(256) fn mark(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&found) || found[i] == reference[i]) { return; }
  if ((mask[i] & BIT) == 0) { atomicAdd(&sums.different, 1); }
  mask[i] |= BIT;
}
@compute @workgroup_size(256) fn compare(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= arrayLength(&found) || found[i] == reference[i] || (mask[i] & 1) != 0) { return; }
  let x = bitcast<f32>(found[i]);
  let y = bitcast<f32>(reference[i]);
  let isNear = isNormal(found[i]) && isNormal(reference[i]) && abs(x - y) <= 1e-6 + 1e-5 * abs(y);
  if (isNear && found[i] != start[i]) { atomicAdd(&sums.near, 1); }
  else if ((mask[i] & 2) == 0) { atomicAdd(&sums.extra, 1); }
  else { atomicAdd(&sums.different, 1); atomicMin(&sums.first, i); }
}
override FLIP: u32 = 1;
@compute @workgroup_size(256) fn flip(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&mask)) { mask[id.x] ^= FLIP; }
}`;
const UNSTEADY = 1, WRITTEN = 2;
const flipOf = format => !format || /32(float|uint|sint)$/.test(format) ? 1 : /16/.test(format) ? 0x00010001 : 0x01010101;

// Pipelines of COMPARE on one device.
class Comparer {
  constructor(device) { Object.assign(this, { device, pipelines: new Map(), module: call('createShaderModule', device, { code: COMPARE }) }); }
  pipeline(entryPoint, constants) {
    const key = entryPoint + JSON.stringify(constants);
    if (!this.pipelines.has(key))
      this.pipelines.set(key, call('createComputePipeline', this.device, { layout: 'auto', compute: { module: this.module, entryPoint, constants } }));
    return this.pipelines.get(key);
  }
  // Runs an entry point over whole buffers, binding -> buffer, and returns the sums.
  async run(entryPoint, constants, buffers, bytes) {
    const { device } = this, pipeline = this.pipeline(entryPoint, constants), chunks = Math.ceil(bytes / CHUNK);
    const needsSums = entryPoint !== 'flip', encoder = device.createCommandEncoder(), own = [];
    for (let chunk = 0; chunk < chunks; chunk++) {
      const offset = chunk * CHUNK, size = Math.min(CHUNK, bytes - offset);
      const entries = buffers.map(([binding, buffer]) => ({ binding, resource: { buffer, offset, size } }));
      if (needsSums) {
        const sums = newBuffer(device, 16, STORAGE | COPY_SOURCE | COPY_TARGET);
        call('writeBuffer', device.queue, sums, 0, new Uint32Array([0, 0xffffffff, 0, 0]));
        entries.push({ binding: 4, resource: { buffer: sums } });
        own.push(sums);
      }
      const pass = call('beginComputePass', encoder);
      call('setPipeline', pass, pipeline);
      call('setBindGroup', pass, 0, call('createBindGroup', device, { layout: pipeline.getBindGroupLayout(0), entries }));
      call('dispatchWorkgroups', pass, Math.ceil(size / 1024));
      call('end', pass);
    }
    submit(device, encoder);
    const total = { different: 0, first: -1, extra: 0, near: 0 };
    for (const [chunk, sums] of own.entries()) {
      const [different, first, extra, near] = new Uint32Array((await H.readBytes(device, sums)).buffer);
      if (different && total.first < 0) total.first = chunk * CHUNK / 4 + first;
      total.different += different;
      total.extra += extra;
      total.near += near;
      sums.destroy();
    }
    return total;
  }
}
const comparers = new WeakMap();
const comparerOf = device => comparers.get(device) ?? comparers.set(device, new Comparer(device)).get(device);

// One recorded dispatch with working copies of its resources. `writable`: bindings "group.binding".
class Stage {
  constructor(record, shot, writable) {
    Object.assign(this, { record, shot, device: record.device, work: new Map(), outputs: [], own: [] });
    for (const resource of shot.before.keys()) {
      const usage = resource instanceof GPUBuffer ? resource.usage & ~3 : resource.usage;
      this.work.set(resource, like(this.device, resource, usage));
    }
    shot.groups.forEach((group, g) => group?.entries.forEach(entry => {
      const resource = resourceOf(entry);
      const where = `${g}.${entry.binding}`;
      if (resource && writable.includes(where) && !this.outputs.some(o => o.resource === resource))
        this.outputs.push({ resource, where, written: 0, unsteady: 0 });
    }));
  }
  image(resource) {
    const image = newImage(this.device, resource);
    this.own.push(image);
    return image;
  }
  // Makes the images that comparisons need.
  async open() {
    const encoder = this.device.createCommandEncoder();
    for (const o of this.outputs) {
      for (const name of ['plain', 'flipped', 'fromPlain', 'fromFlipped', 'found', 'mask']) o[name] = this.image(o.resource);
      transfer(encoder, this.shot.before.get(o.resource), o.plain, true);
      transfer(encoder, this.shot.before.get(o.resource), o.flipped, true);
      o.bytes = imageBytes(o.resource);
    }
    submit(this.device, encoder);
    for (const o of this.outputs)
      await comparerOf(this.device).run('flip', { FLIP: flipOf(o.resource.format) }, [[3, o.flipped]], o.bytes);
  }
  // Makes the pipeline and bind groups of { code, constants, counts }; returns the reason of a failure, or ''.
  async build(candidate) {
    const { device } = this;
    let reason = '';
    device.pushErrorScope('validation');
    device.pushErrorScope('internal');
    try {
      const module = call('createShaderModule', device, { code: candidate.code });
      candidate.pipeline = await within(call('createComputePipelineAsync', device, { layout: this.shot.layout,
        compute: { module, entryPoint: this.record.entry || undefined, constants: candidate.constants } }), 'compiling', 10 * HANG_MS);
      candidate.groups = this.groupsOf(candidate.pipeline);
    } catch (error) { reason = error.message; }
    const failures = [await device.popErrorScope(), await device.popErrorScope()];
    return reason || (failures.find(Boolean)?.message ?? '');
  }
  // With automatic layouts each pipeline needs bind groups of its own.
  groupsOf(pipeline) {
    const source = this.shot.layout === 'auto' ? pipeline : this.shot.pipeline;
    return this.shot.groups.map((group, index) => group?.entries.length ? { offsets: group.offsets,
      group: call('createBindGroup', this.device, { layout: source.getBindGroupLayout(index),
        entries: group.entries.map(entry => ({ binding: entry.binding, resource: this.resource(entry) })) }) } : null);
  }
  resource(entry) {
    const { resource } = entry, behind = resourceOf(entry), work = behind && this.work.get(behind);
    if (!behind) return resource;
    if (resource instanceof GPUTextureView) return call('createView', work, meta.get(resource).descriptor);
    if (resource instanceof GPUTexture) return work;
    return resource instanceof GPUBuffer ? { buffer: work } : { buffer: work, offset: resource.offset, size: resource.size };
  }
  restore(encoder, isFlipped) {
    for (const [resource, before] of this.shot.before) copy(encoder, before, this.work.get(resource));
    if (isFlipped) for (const o of this.outputs) transfer(encoder, this.work.get(o.resource), o.flipped, false);
  }
  dispatch(encoder, candidate, times, timestampWrites) {
    const pass = call('beginComputePass', encoder, timestampWrites ? { timestampWrites } : {});
    call('setPipeline', pass, candidate.pipeline);
    candidate.groups.forEach((bound, index) => bound && call('setBindGroup', pass, index, bound.group, bound.offsets));
    for (let i = 0; i < times; i++) call('dispatchWorkgroups', pass, ...candidate.counts);
    call('end', pass);
  }
  // Runs a candidate once from a start, and leaves the outputs in their images `name`.
  async run(candidate, isFlipped, name) {
    const { device } = this, encoder = device.createCommandEncoder();
    device.pushErrorScope('validation');
    this.restore(encoder, isFlipped);
    this.dispatch(encoder, candidate, 1);
    for (const o of this.outputs) transfer(encoder, this.work.get(o.resource), o[name], true);
    submit(device, encoder);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    const begin = performance.now(), isOwn = candidate === this.reference;
    await within(device.queue.onSubmittedWorkDone(), 'the dispatch', isOwn ? Infinity : Math.max(HANG_MS, HANG_TIMES * this.ownMs));
    if (isOwn) this.ownMs = Math.max(this.ownMs, performance.now() - begin);
  }
  async mark(o, bit, a, b) {
    return (await comparerOf(this.device).run('mark', { BIT: bit }, [[0, o[a]], [1, o[b]], [3, o.mask]], o.bytes)).different;
  }
  // Runs the page's own text from both starts, repeatedly, and marks the elements that no candidate is compared in.
  // `tails`: see Analysis.tails(). `maySort`: atomics hand out slots, so that an output may have any order; it is then
  // compared as a set. Returns { words, written, unsteady, tail }; each output has its own `written` and `unsteady`.
  async prepare(reference, tails, maySort, runs = 3) {
    const sum = { words: 0, written: 0, unsteady: 0, tail: 0 };
    Object.assign(this, { reference, ownMs: 0 });
    await this.open();
    await this.run(reference, false, 'fromPlain');
    await this.run(reference, true, 'fromFlipped');
    for (const [start, from] of [['plain', 'fromPlain'], ['flipped', 'fromFlipped']])
      for (const o of this.outputs) o.written += await this.mark(o, WRITTEN, start, from);
    for (let i = 1; i < runs; i++)
      for (const [isFlipped, from] of [[false, 'fromPlain'], [true, 'fromFlipped']]) {
        await this.run(reference, isFlipped, 'found');
        for (const o of this.outputs) {
          const isSet = maySort && await this.mark(o, 0, 'found', from) > 0 && await this.sameSet(o, from);
          o.isSet ||= isSet;
          if (!isSet) o.unsteady += await this.mark(o, UNSTEADY, 'found', from);
        }
      }
    for (const [where, [from, to]] of Object.entries(tails)) {
      const o = this.outputs.find(x => x.resource === this.resourceAt(where));
      if (!o) continue;
      const words = new Uint32Array(Math.max(0, Math.min(to, o.bytes) - from) >> 2).fill(UNSTEADY);
      call('writeBuffer', this.device.queue, o.mask, from, words);
      sum.tail += words.length;
    }
    for (const o of this.outputs) {
      sum.words += o.bytes / 4;
      sum.written += o.written;
      sum.unsteady += o.unsteady;
      o.maySort = maySort;
    }
    return sum;
  }
  resourceAt(where) {
    const [g, b] = where.split('.').map(Number), entry = this.shot.groups[g]?.entries.find(e => e.binding === b);
    return entry && resourceOf(entry);
  }
  // Compares a candidate with the reference from both starts: { different, first, extra, near, isSet }.
  async compare(candidate) {
    const sum = { different: 0, first: -1, extra: 0, near: 0, isSet: false };
    for (const [isFlipped, from, start] of [[false, 'fromPlain', 'plain'], [true, 'fromFlipped', 'flipped']]) {
      await this.run(candidate, isFlipped, 'found');
      for (const o of this.outputs) {
        let one = await comparerOf(this.device).run('compare', {}, [[0, o.found], [1, o[from]], [2, o[start]], [3, o.mask]], o.bytes);
        if (one.different && o.maySort && await this.sameSet(o, from)) { one = { different: 0, first: -1, extra: 0, near: 0 }; sum.isSet = true; }
        if (one.different && sum.first < 0) sum.first = one.first;
        for (const name of ['different', 'near']) sum[name] += one[name];
        sum.extra = Math.max(sum.extra, one.extra);
      }
      if (sum.different) break;
    }
    return sum;
  }
  async sameSet(o, from) {
    const sorted = async image => new Uint32Array((await H.readBytes(this.device, image)).buffer).sort();
    const a = await sorted(o.found), b = await sorted(o[from]);
    return a.every((word, i) => word === b[i]);
  }
  // Returns the duration of one of `times` dispatches, ms, by the device's clock, or else the page's.
  async time(candidate, times) {
    const { device } = this, encoder = device.createCommandEncoder(), queue = device.queue;
    this.restore(encoder, false);
    if (!device.features.has('timestamp-query')) {
      submit(device, encoder);
      await within(queue.onSubmittedWorkDone(), 'the copies');
      const second = device.createCommandEncoder(), begin = performance.now();
      this.dispatch(second, candidate, times);
      submit(device, second);
      await within(queue.onSubmittedWorkDone(), 'the dispatches');
      return (performance.now() - begin) / times;
    }
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 }), resolved = newBuffer(device, 16, 512 | COPY_SOURCE);
    this.dispatch(encoder, candidate, times, { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 });
    encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
    submit(device, encoder);
    const [begin, end] = new BigUint64Array((await H.readBytes(device, resolved)).buffer);
    querySet.destroy();
    resolved.destroy();
    return Number(end - begin) / 1e6 / times;
  }
  close() { for (const thing of [...this.own, ...this.work.values()]) thing.destroy(); }
}
H.Stage = Stage;

// Returns the first bytes of bindings before a dispatch, or the size of textures: "group.binding" -> { size, bytes }.
H.peek = async (record, shot, where) => {
  const out = {};
  for (const name of where) {
    const [g, b] = name.split('.').map(Number), group = shot.groups[g], entry = group?.entries.find(e => e.binding === b);
    const resource = entry && resourceOf(entry);
    if (resource instanceof GPUBuffer) {
      const dynamic = group.entries.filter(e => e.dynamic).sort((x, y) => x.binding - y.binding).indexOf(entry);
      const offset = (entry.resource.offset ?? 0) + (dynamic >= 0 ? group.offsets[dynamic] ?? 0 : 0);
      const size = entry.resource.buffer ? entry.resource.size ?? resource.size - offset : resource.size;
      out[name] = { size, bytes: [...await H.readBytes(record.device, shot.before.get(resource), offset, Math.min(size, 256))] };
    } else if (resource) {
      const level = entry.resource instanceof GPUTextureView ? meta.get(entry.resource).descriptor?.baseMipLevel ?? 0 : 0;
      out[name] = { size: [Math.max(1, resource.width >> level), Math.max(1, resource.height >> level), resource.depthOrArrayLayers] };
    }
  }
  return out;
};
// Returns the counts of a dispatch; those of an indirect one are read from its buffer.
H.countsOf = async (record, shot) => {
  if (!shot.indirect) return shot.counts;
  return [...new Uint32Array((await H.readBytes(record.device, shot.before.get(shot.indirect.buffer), shot.indirect.offset, 12)).buffer)];
};
})(globalThis.__heddle);
