// Recorder of a live page that is to be frozen and tuned: limits of devices, hidden canvases, frames that wait for
// the GPU, and the reason of a page that dispatches nothing.
(H => {
'use strict';
if (!H || H.freeze) return;
const { config, call, meta, devices, state, wrap, fail } = H, MOST_UNDER_WAY = 2;
const held = [];
let underWay = 0;

// Requests the adapter's own limits, so that larger groups can be tried, and time stamps.
H.requestDevice = async function (descriptor = {}) {
  const requiredLimits = { ...descriptor.requiredLimits }, features = new Set(descriptor.requiredFeatures ?? []);
  for (const name of ['maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY',
    'maxComputeWorkgroupSizeZ', 'maxComputeWorkgroupStorageSize', 'maxStorageBufferBindingSize', 'maxBufferSize'])
    requiredLimits[name] = Math.max(requiredLimits[name] ?? 0, this.limits[name]);
  if (this.features.has('timestamp-query')) features.add('timestamp-query');
  let device;
  try {
    device = await call('requestDevice', this, { ...descriptor, requiredLimits, requiredFeatures: [...features] });
  } catch (error) {
    fail('requestDevice', error);
    device = await call('requestDevice', this, descriptor);
  }
  device.addEventListener('uncapturederror', event => fail('uncaptured error', event.error));
  device.lost.then(info => { H.lost = `the page's device was lost: ${info.message || info.reason}`; });
  return device;
};

wrap('GPUCanvasContext', 'configure', original => function (descriptor) {
  const used = { ...descriptor, usage: (descriptor.usage ?? 16) | 1 };
  if (!config.offscreen) return original.call(this, used);
  meta.set(this, { used, texture: null });
});
wrap('GPUCanvasContext', 'getCurrentTexture', original => function () {
  const hidden = meta.get(this);
  if (!hidden) return original.call(this);
  const { used, texture } = hidden, width = Math.max(1, this.canvas.width), height = Math.max(1, this.canvas.height);
  if (texture?.width === width && texture?.height === height) return texture;
  return hidden.texture = used.device.createTexture({ size: [width, height], format: used.format, usage: used.usage,
    viewFormats: used.viewFormats ?? [] });
});

/* ---- frames: they wait for the GPU, and end when the page is frozen ---- */

H.onSubmit = queue => {
  underWay++;
  const done = () => { underWay--; };
  queue.onSubmittedWorkDone().then(done, done);
};
const isBusy = () => underWay > MOST_UNDER_WAY;
if (globalThis.requestAnimationFrame) {
  const original = globalThis.requestAnimationFrame;
  const later = (callback, time) => {
    if (state.frozen) held.push(callback);
    else if (isBusy()) original.call(globalThis, t => later(callback, t));
    else callback(time);
  };
  globalThis.requestAnimationFrame = function (callback) {
    return original.call(globalThis, time => later(callback, time));
  };
}
const interval = globalThis.setInterval;
globalThis.setInterval = function (callback, ...rest) {
  const guarded = (...list) => { if (!state.frozen && !isBusy()) callback(...list); };
  return interval.call(globalThis, typeof callback === 'function' ? guarded : callback, ...rest);
};

// Waits for the GPU, and tells for how long in H.waiting. On a busy machine an answer takes minutes: only what may hang has
// a limit, ms.
async function within(promise, subject, limit = Infinity) {
  const begin = performance.now();
  let watch;
  const late = new Promise((_, reject) => {
    watch = interval.call(globalThis, () => {
      const ms = performance.now() - begin;
      if (ms > 3000) H.waiting = `${subject}: ${Math.round(ms / 1000)} s`;
      if (ms > limit) reject(new Error(`${subject}: no answer within ${Math.round(limit / 1000)} s`));
    }, 500);
  });
  try { return await Promise.race([promise, late]); } finally {
    clearInterval(watch);
    H.waiting = '';
  }
}
// Holds all frames and submissions, and waits for the GPU.
async function freeze() {
  state.frozen = true;
  await Promise.all(devices.map(d => within(d.device.queue.onSubmittedWorkDone(), "the page's own work").catch(e => fail('freeze', e))));
}
function thaw() {
  state.frozen = false;
  for (const callback of held.splice(0)) requestAnimationFrame(callback);
}
Object.assign(H, { within, freeze, thaw });

/* ---- silence: the reason of a page that dispatches nothing ---- */

const complaints = new Set(), MOST_COMPLAINTS = 3, MOST_TEXT = 240;
const complain = text => complaints.add(String(text).replace(/\s+/g, ' ').slice(0, MOST_TEXT));
const messageOf = reason => reason?.message ?? reason;
let isModuleLost = false; // an inline module, whose element has no address
addEventListener('error', event => {
  const address = event.target?.src ?? event.target?.href;
  if (address) complain(`${address} cannot be loaded`);
  else if (event.message === undefined) isModuleLost = true;
  else complain(event.message);
}, true);
addEventListener('unhandledrejection', event => complain(messageOf(event.reason) ?? 'a promise was rejected without a reason'));
const { error: report } = console;
console.error = (...list) => {
  complain(list.map(messageOf).join(' '));
  report.apply(console, list);
};
// Returns { stage, complaints }: how far the page has come with WebGPU, and the errors that it has met.
H.silence = () => {
  const resources = performance.getEntriesByType('resource'), missing = resources.filter(e => e.responseStatus >= 400 && !e.name.endsWith('/favicon.ico')).map(e => `${e.name} is missing (${e.responseStatus})`);
  const unreached = resources.filter(e => e.responseStatus === 0 && /^(script|other)$/.test(e.initiatorType)).map(e => e.name);
  if (isModuleLost) missing.push(`a module that an inline script imports cannot be loaded${unreached.length ? `: ${unreached.join(', ')}` : ''}`);
  const stage = H.pipelines.length ? `${H.pipelines.length} compute pipelines, none dispatched` : devices.length ? 'a device without a compute pipeline' : 'no device was requested';
  return { stage, complaints: [...new Set([...missing, ...complaints, ...H.errors])].slice(0, MOST_COMPLAINTS) };
};
})(globalThis.__heddle);
