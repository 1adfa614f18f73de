// One kernel: its module, buffers and pipelines, the comparison of results, and a dispatch of a
// candidate.
import { within } from './measure.js';

const PATTERNS = [0x5a5a5a5a, 0xdadadada]; // hed_runner_pattern() in heddle/runner.h
const MOST_PIPELINES = 256;
// A browser's compiler has no limit of its own. A text of which no pipeline exists yet, the default, is waited for longer.
const COMPILE_SECONDS = 60, FIRST_SECONDS = 180;
const up4 = n => Math.ceil(n / 4) * 4;
const bytesOfDigits = digits => Uint8Array.from(digits.match(/../g) ?? [], h => parseInt(h, 16));
const arrays = { f32: Float32Array, u32: Uint32Array, i32: Int32Array, u8: Uint8Array };

const derived = { half: n => n >> 1, double: n => 2 * n, 'less one': n => n - 1 };

// Returns the text of a candidate: between the pieces, sizes of the group as products of its
// parameters, or derived of them; a product with an unknown parameter remains as it is. A piece with `when` is its text
// with the number, or nothing for 0. A number of an override, @id(0), would be its only name for the pipeline, and goes.
export function codeOf(pieces, constants) {
  return pieces.map(p => {
    if (typeof p === 'string') return p;
    const numbers = p.factors.map(name => constants[name]);
    if (numbers.some(n => n === undefined)) return p.text;
    const product = numbers.reduce((a, b) => a * b, 1);
    if (p.when !== undefined) return product ? p.when.replace('#', product) : '';
    return (derived[p.by]?.(product) ?? product) + p.suffix;
  }).join('').replace(/@id\s*\(\s*\w+\s*\)(?=\s*override\b)/g, id => ' '.repeat(id.length));
}

export class Kernel {
  constructor(gpu, job, fetchBytes) {
    Object.assign(this, { gpu, job, fetchBytes, checks: 0, hasPipeline: false, pipelines: new Map(), modules: new Map() });
    this.textSizes = new Set((job.code ?? []).flatMap(p => p.factors ?? []));
    this.buffers = job.bindings.filter(b => b.uniform === undefined && b.bytes !== undefined);
    this.written = this.buffers.filter(b => b.written);
  }

  buffer(size, usage) { return this.gpu.device.createBuffer({ size: Math.max(16, up4(size)), usage }); }

  // Returns '' or the reason of the failure.
  async open() {
    const { device } = this.gpu;
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    const { messages } = await this.moduleOf({}).getCompilationInfo();
    const wrong = messages.find(m => m.type === 'error');
    if (!wrong) await this.makeBuffers();
    const errors = [await device.popErrorScope(), await device.popErrorScope()];
    if (wrong) return `line ${wrong.lineNum}:${wrong.linePos}: ${wrong.message}`;
    return errors.find(e => e)?.message ?? '';
  }

  async makeBuffers() {
    const { device } = this.gpu;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const entries = [];
    let largest = 16;
    for (const [place, b] of this.job.bindings.entries()) {
      const uniform = b.uniform !== undefined;
      if (b.resource?.sampler) { this.addSampler(b, entries); continue; }
      const size = uniform ? b.uniform.length / 2 : b.bytes;
      b.content = this.buffer(size, (uniform ? UNIFORM : STORAGE) | COPY_SRC | COPY_DST);
      if (uniform) {
        device.queue.writeBuffer(b.content, 0, bytesOfDigits(b.uniform));
      } else {
        const first = b.first && await this.fetchBytes(b.argument, 'first');
        if (b.in_place) b.pristine = this.buffer(size, COPY_SRC | COPY_DST);
        if (first) this.upload(b.pristine ?? b.content, first);
        if (b.expected) b.right = new Uint8Array(await this.fetchBytes(b.argument, 'expected'));
        if (b.marks) b.marks = new Uint8Array(await this.fetchBytes(b.argument, 'marks'));
        if (b.written) { b.backs = []; largest = Math.max(largest, up4(size)); }
      }
      if (b.resource) { this.addTexture(b, entries); continue; }
      (entries[b.group] ??= []).push({ place, binding: b.binding, resource: { buffer: b.content },
        layout: { buffer: { type: uniform ? 'uniform' : b.writable ? 'storage' : 'read-only-storage' } } });
    }
    this.poisons = PATTERNS.map(word => {
      const poison = this.buffer(Math.min(largest, 1 << 20), COPY_SRC | COPY_DST);
      device.queue.writeBuffer(poison, 0, new Uint32Array(poison.size / 4).fill(word));
      return poison;
    });
    const layouts = Array.from(entries, group => device.createBindGroupLayout({ entries: (group ?? []).map(e =>
      ({ binding: e.binding, visibility: GPUShaderStage.COMPUTE, ...e.layout })) }));
    this.layout = device.createPipelineLayout({ bindGroupLayouts: layouts });
    this.makeGroups = replaced => layouts.map((layout, i) => device.createBindGroup({ layout, entries: (entries[i] ?? []).map(e =>
      ({ binding: e.binding, resource: replaced.get(e.place) ?? e.resource })) }));
    this.groups = this.makeGroups(new Map());
    this.ownGroups = new Map();
  }

  // Returns the uniforms of a candidate that depend on its configuration, as resources by their places.
  uniformsOf({ uniforms }) {
    return Object.entries(uniforms ?? {}).map(([place, digits]) => {
      const buffer = this.buffer(digits.length / 2, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
      this.gpu.device.queue.writeBuffer(buffer, 0, bytesOfDigits(digits));
      return [+place, { buffer }];
    });
  }

  // Returns the bind groups of a candidate; uniforms that depend on the configuration are its own.
  groupsOf(candidate) {
    const { key, uniforms } = candidate;
    if (!Object.keys(uniforms ?? {}).length) return this.groups;
    if (this.ownGroups.has(key)) return this.ownGroups.get(key);
    if (this.ownGroups.size >= MOST_PIPELINES) this.ownGroups.clear();
    const groups = this.makeGroups(new Map(this.uniformsOf(candidate)));
    this.ownGroups.set(key, groups);
    return groups;
  }

  addSampler(b, entries) {
    const { sampler } = b.resource, compare = sampler === 'comparison' ? { compare: 'less' } : {};
    (entries[b.group] ??= []).push({ binding: b.binding, layout: { sampler: { type: sampler } },
      resource: this.gpu.device.createSampler({ minFilter: 'linear', magFilter: 'linear', ...compare }) });
  }

  // Makes a texture; its buffer has the texels in rows, and is copied to it and back.
  addTexture(b, entries) {
    const { shape, format, sample, access, size } = b.resource, { device } = this.gpu;
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
    b.texture = device.createTexture({ size, format, dimension: shape === '1d' || shape === '3d' ? shape : '2d',
      usage: (access ? STORAGE_BINDING : TEXTURE_BINDING) | COPY_SRC | COPY_DST });
    const layout = access
      ? { storageTexture: { access: { write: 'write-only', read: 'read-only', read_write: 'read-write' }[access], format, viewDimension: shape } }
      : { texture: { sampleType: sample, viewDimension: shape } };
    (entries[b.group] ??= []).push({ binding: b.binding, layout, resource: b.texture.createView({ dimension: shape }) });
    const encoder = device.createCommandEncoder();
    if (b.pristine) encoder.copyBufferToBuffer(b.pristine, 0, b.content, 0, b.content.size);
    this.fillTexture(encoder, b);
    device.queue.submit([encoder.finish()]);
  }

  rowsOf(b) { return { buffer: b.content, bytesPerRow: b.resource.row, rowsPerImage: b.resource.size[1] }; }
  fillTexture(encoder, b) { if (b.texture) encoder.copyBufferToTexture(this.rowsOf(b), { texture: b.texture }, b.resource.size); }

  // Returns the module of a candidate's text.
  moduleOf(constants) {
    const code = codeOf(this.job.code, constants);
    let module = this.modules.get(code);
    if (!module) this.modules.set(code, module = this.gpu.device.createShaderModule({ code }));
    return module;
  }

  upload(buffer, bytes) {
    const padded = bytes.byteLength % 4 ? new Uint8Array(up4(bytes.byteLength)) : new Uint8Array(bytes);
    if (padded.byteLength !== bytes.byteLength) padded.set(new Uint8Array(bytes));
    this.gpu.device.queue.writeBuffer(buffer, 0, padded);
  }

  // Returns { pipeline } or { text }, and the `build` time, s.
  pipeline(candidate) {
    let made = this.pipelines.get(candidate.key);
    if (made) return made;
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    const constants = Object.fromEntries(Object.entries(candidate.constants).filter(([name]) => !this.textSizes.has(name)));
    made = this.gpu.device.createComputePipelineAsync({ layout: this.layout, compute: {
      module: this.moduleOf(candidate.constants), entryPoint: this.job.entry, constants } });
    made = within(this.hasPipeline ? COMPILE_SECONDS : FIRST_SECONDS, made)
      .then(pipeline => { this.hasPipeline = true; return { pipeline, build: seconds() }; })
      .catch(e => ({ build: seconds(),
        text: e.message === 'late' ? `the browser has not compiled it after ${e.seconds} s` : String(e.message ?? e) }));
    if (this.pipelines.size >= MOST_PIPELINES) this.pipelines.delete(this.pipelines.keys().next().value);
    this.pipelines.set(candidate.key, made);
    return made;
  }

  restore(encoder) {
    for (const b of this.buffers) {
      if (!b.pristine) continue;
      encoder.copyBufferToBuffer(b.pristine, 0, b.content, 0, b.content.size);
      this.fillTexture(encoder, b);
    }
  }

  // Returns the pattern of the next check; the two alternate.
  nextPattern() { return this.checks++ % 2; }

  // Fills write-only buffers, before a check, with a pattern that no result has.
  poison(encoder, pattern) {
    const from = this.poisons[pattern];
    for (const b of this.written) {
      if (b.pristine) continue;
      for (let at = 0; at < b.content.size; at += from.size)
        encoder.copyBufferToBuffer(from, 0, b.content, at, Math.min(from.size, b.content.size - at));
      this.fillTexture(encoder, b);
    }
    this.restore(encoder);
  }

  get inPlace() { return this.buffers.some(b => b.pristine); }

  dispatch(pass, pipeline, candidate, times, groups = this.groupsOf(candidate)) {
    pass.setPipeline(pipeline);
    groups.forEach((group, i) => pass.setBindGroup(i, group));
    for (let i = 0; i < times; i++) pass.dispatchWorkgroups(...candidate.groups);
  }

  // Copies the outputs to slot `slot`, for bytesOf().
  readBack(encoder, slot) {
    for (const b of this.written) {
      b.backs[slot] ??= this.buffer(b.bytes, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
      if (b.texture) encoder.copyTextureToBuffer({ texture: b.texture }, this.rowsOf(b), b.resource.size);
      encoder.copyBufferToBuffer(b.content, 0, b.backs[slot], 0, b.content.size);
    }
  }

  // Runs a candidate with one more element at the end of an output, filled with the pattern. Returns true if it is written, which
  // shows writes after the end: browsers redirect them to the last element, in the order of the items. Arrays whose length the
  // text reads are written as far as they go.
  async overruns(b, candidate, pipeline, run, pattern) {
    const size = b.bytes + (b.stride || 0), { device } = this.gpu;
    if (!b.stride || size > device.limits.maxStorageBufferBindingSize || readsLength(codeOf(this.job.code, candidate.constants), b.name)) return false;
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage, tail = up4(b.stride);
    const longer = this.buffer(size, STORAGE | COPY_SRC | COPY_DST), back = this.buffer(tail, MAP_READ | COPY_DST);
    device.queue.writeBuffer(longer, b.bytes, new Uint32Array(tail / 4).fill(PATTERNS[pattern]));
    const groups = this.makeGroups(new Map([...this.uniformsOf(candidate), [this.job.bindings.indexOf(b), { buffer: longer }]]));
    await run([{
      before: e => { this.poison(e, pattern); e.copyBufferToBuffer(b.content, 0, longer, 0, b.bytes); },
      dispatch: pass => this.dispatch(pass, pipeline, candidate, 1, groups),
      after: e => e.copyBufferToBuffer(longer, b.bytes, back, 0, tail) }]);
    await back.mapAsync(GPUMapMode.READ);
    const isWritten = new Uint32Array(back.getMappedRange()).slice(0, tail / 4).some(word => word !== PATTERNS[pattern]);
    back.destroy();
    longer.destroy();
    return isWritten;
  }

  async bytesOf(b, slot) {
    const back = b.backs[slot];
    await back.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(back.getMappedRange()).slice(0, b.bytes);
    back.unmap();
    return bytes;
  }

  // Compares outputs, which contained `pattern` before, with their correct content: { error, text
  // }.
  async compare(candidate, slot, pattern) {
    let error = null, text = '';
    for (const b of this.written) {
      if (!b.right) continue;
      const found = await this.bytesOf(b, slot);
      const size = candidate.results[b.argument] ?? found.byteLength;
      const one = compareArrays(b, found.slice(0, size).buffer, b.right, pattern);
      error = Math.max(error ?? 0, one.error);
      text ||= one.text;
    }
    return { error, text };
  }
}

// True if a text reads the length of an array, or of one that it knows by a pointer alone.
const readsLength = (text, name) => [...text.matchAll(/\barrayLength\s*\(\s*(&?)\s*(\w+)/g)].some(([, isNamed, array]) => !isNamed || array === name);

const typeOf = b => arrays[b.type] ?? Uint8Array;
const elementsOf = (Type, bytes) => new Type(bytes, 0, Math.floor(bytes.byteLength / Type.BYTES_PER_ELEMENT));
// Returns the elements as whole numbers, for comparing bits.
const bitsOf = (Type, bytes) => elementsOf(Type.BYTES_PER_ELEMENT === 4 ? Uint32Array : Uint8Array, bytes);
const patternOf = (Type, pattern) => Type.BYTES_PER_ELEMENT === 4 ? PATTERNS[pattern] : PATTERNS[pattern] & 0xff;

// Marks of an output's elements, two bits each (hed_runner_mark in heddle/runner.h).
const COMPARED = 0, UNWRITTEN = 1, UNSTEADY = 2;
const markAt = (marks, i) => marks[i >> 2] >> 2 * (i & 3) & 3;
const setMark = (marks, i, mark) => { marks[i >> 2] = marks[i >> 2] & ~(3 << 2 * (i & 3)) | mark << 2 * (i & 3); };
const words = number => Object.is(number, -0) ? '-0' : `${number}`;
const errorOf = (found, right) => found === right || (found !== found && right !== right) ? 0 : Math.abs(found - right) / Math.max(1, Math.abs(right));

// True if an element whose bits differ is right: with a tolerance by its error, else only as another NaN
// (compare_elements() in measure/check.c: without a tolerance -0 is not 0).
const isWithin = (found, right, tolerance) => tolerance > 0 ? errorOf(found, right) <= tolerance : found !== found && right !== right;

// Marks the elements of an output that differ between its first run and run `run`: unwritten ones
// keep pattern 0 and pattern `run` % 2, others differ by more than the tolerance. `state` accumulates
// { marks, unwritten, unsteady }. Returns true if elements became unsteady.
export function markRuns(b, firstBytes, otherBytes, run, state) {
  const Type = typeOf(b), first = bitsOf(Type, firstBytes), other = bitsOf(Type, otherBytes), before = state.unsteady;
  const firstNumbers = elementsOf(Type, firstBytes), otherNumbers = elementsOf(Type, otherBytes);
  for (let i = 0; i < first.length; i++) {
    if (first[i] === other[i]) continue;
    const former = markAt(state.marks, i);
    const kept = !b.pristine && first[i] === patternOf(Type, 0) && other[i] === patternOf(Type, run % 2);
    if (former === UNSTEADY || (former === UNWRITTEN && kept)) continue;
    if (kept && run === 1) { setMark(state.marks, i, UNWRITTEN); state.unwritten++; continue; }
    if (b.compare !== 'each' || (former === COMPARED && isWithin(otherNumbers[i], firstNumbers[i], b.tolerance))) continue;
    setMark(state.marks, i, UNSTEADY);
    state.unsteady++;
    state.unwritten -= former === UNWRITTEN;
  }
  return state.unsteady > before;
}

// Returns the largest |found - right| / max(1, |right|), and the first position at which it is too
// large. Elements that the reference does not write must still contain the pattern, and unsteady ones
// are not compared (b.marks).
export function compareArrays(b, foundBytes, rightBytes, pattern) {
  const Type = typeOf(b), bits = bitsOf(Type, foundBytes), still = patternOf(Type, pattern);
  const rightBits = bitsOf(Type, rightBytes.slice().buffer), byBits = b.compare === 'each';
  let found = elementsOf(Type, foundBytes), right = elementsOf(Type, rightBytes.slice().buffer), { marks } = b;
  if (marks && b.compare !== 'each') {
    found = found.filter((_, i) => bits[i] !== still);
    right = right.filter((_, i) => markAt(marks, i) === COMPARED);
    marks = undefined;
  }
  if (b.compare === 'sum') [found, right] = [found, right].map(a => [a.reduce((s, v) => s + v, 0)]);
  if (b.compare === 'sorted') { found = found.slice().sort(); right = right.slice().sort(); }
  if (found.length !== right.length) return { error: 1, text: `"${b.name}" has ${found.length} elements, expected ${right.length}` };
  let error = 0, text = '';
  for (let i = 0; i < right.length; i++) {
    const mark = marks ? markAt(marks, i) : COMPARED;
    if (mark) {
      if (mark === UNWRITTEN && bits[i] !== still) text ||= `writes element ${i} of ${b.name}, which the reference does not write`;
      continue;
    }
    const f = found[i], r = right[i], off = errorOf(f, r);
    if (byBits ? bits[i] === rightBits[i] : off === 0) continue;
    const bad = byBits ? !isWithin(f, r, b.tolerance) : !(off <= b.tolerance);
    if (off > error) error = off;
    const isLeft = byBits && !b.pristine && bits[i] === still;
    if (bad && !text) text = isLeft ? `does not write element ${i} of ${b.name}, which the reference writes` : `${b.name}[${i}] is ${words(f)}, expected ${words(r)}`;
  }
  return { error: Number.isFinite(error) ? error : 1e30, text };
}
