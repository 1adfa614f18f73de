// Tries a few configurations on the visitor's own GPU, once, and keeps the answer in localStorage. With
// what `heddle db export blur.tuned.js` makes:
//
//   import { kernel, candidates } from './blur.tuned.js';
//   import { race } from './race.js';
//   const best = await race({ device, name: kernel, candidates: candidates(adapter.info, device.limits),
//     adapterInfo: adapter.info,
//     pipeline: constants => device.createComputePipelineAsync({ layout, compute: { module, constants } }),
//     launch: (pass, pipeline, candidate) => { pass.setPipeline(pipeline); ...; pass.dispatchWorkgroups(...); } });
//   // best.pipeline, best.seconds, ...: race.d.ts
//
// launch() may be called many times: what it writes should not be what it reads.

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];

// Place of the answer: shader, problem, device and candidates.
function keyOf(name, info, candidates) {
  const text = JSON.stringify(candidates.map(c => [c.identity, c.constants]));
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return `heddle:${name}:${info?.vendor ?? ''}:${info?.architecture ?? ''}:${hash >>> 0}`;
}

// Storage may be forbidden, or hold anything. An answer of another version of the browser has expired.
function recall(key, count) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return Number.isInteger(kept?.index) && kept.index >= 0 && kept.index < count && kept.agent === navigator.userAgent ? kept : null;
  } catch { return null; }
}
function remember(key, kept) {
  try { localStorage.setItem(key, JSON.stringify({ ...kept, agent: navigator.userAgent })); } catch { /* the next visit races again */ }
}

// Seconds of a pass with many launches, for coarse time stamps and slow waits.
function makeTimer(device) {
  const stamps = device.features.has('timestamp-query');
  const querySet = stamps && device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = stamps && device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const read = stamps && device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  return {
    destroy() { querySet?.destroy?.(); resolved?.destroy?.(); read?.destroy?.(); },
    async time(fill) {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass(stamps ? { timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } } : {});
      fill(pass);
      pass.end();
      if (stamps) {
        encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, read, 0, 16);
      }
      const start = performance.now();
      device.queue.submit([encoder.finish()]);
      if (!stamps) {
        await device.queue.onSubmittedWorkDone();
        return (performance.now() - start) / 1000;
      }
      await read.mapAsync(GPUMapMode.READ);
      const [from, to] = new BigUint64Array(read.getMappedRange().slice(0));
      read.unmap();
      return Number(to - from) / 1e9;
    },
  };
}

const LEAST = 3;          // measurements of a winner and of the default
const MOST_LAUNCHES = 1000;
const IMPLAUSIBLE = 100;  // times as fast as the default: it has not done its work
const MARGIN = 0.98;      // a winner takes at most this much of the default's time
const PATIENCE = 8;       // budgets until a race ends undecided

// Waits until the page has nothing else to do, or for 100 ms.
const idle = () => new Promise(done => globalThis.requestIdleCallback ? requestIdleCallback(done, { timeout: 100 }) : setTimeout(done));

// Measures one candidate: appends the seconds of a launch to r.times; false: it failed, or its span
// was too short for the clock.
async function measure(device, timer, r, launch) {
  await idle();
  device.pushErrorScope?.('validation');
  let span = 0, thrown = null;
  try {
    span = await timer.time(pass => { for (let i = 0; i < r.launches; i++) launch(pass, r.pipeline, r.candidate); });
  } catch (e) { thrown = e; }
  const wrong = await device.popErrorScope?.();
  if (thrown || wrong) { r.failure = thrown ?? wrong; return false; }
  if (span === 0) r.launches = Math.min(MOST_LAUNCHES, 4 * r.launches); // a coarse clock
  if (!(span > 0)) return false; // or a stamp before the other
  r.times.push(span / r.launches);
  r.known = median(r.times);
  return true;
}

// Races until each that may win has LEAST measurements and the budget is spent; false: undecided.
async function rounds(device, timer, runners, launch, budget) {
  const start = performance.now(), spent = () => performance.now() - start;
  const share = budget / 1000 / runners.length / 12; // a pass takes a twelfth of each one's share
  const base = runners.find(r => r.candidate.isDefault) ?? runners[0];
  for (const r of runners) { // warms up, and finds the number of launches
    await measure(device, timer, r, launch);
    for (let tries = 0; tries < 6 && !r.failure && !r.times.length; tries++) await measure(device, timer, r, launch);
    for (let step = 0; step < 2 && r.times.length && r.launches * r.known < share; step++) {
      const isCoarse = Math.round(1e9 * r.known * r.launches) % 65536 === 0; // of one step: half or twice the true time
      r.launches = Math.max(r.launches, Math.min(MOST_LAUNCHES, Math.round(share / r.known)));
      if (!isCoarse) break;
      r.times = [];
      await measure(device, timer, r, launch);
    }
  }
  const alive = () => runners.filter(r => !r.failure && r.known > 0);
  const hopeful = r => r === base || r.known <= (r.times.length < 6 ? 1.5 : 1.1) * Math.min(...alive().map(other => other.known));
  for (const r of alive()) if (hopeful(r)) r.times = []; // the first pass has warmed up
  const lacking = () => alive().filter(r => hopeful(r) && r.times.length < LEAST);
  for (let round = 0; round < 50 && spent() < PATIENCE * budget && (spent() < budget || lacking().length); round++)
    for (const r of spent() < budget ? alive().filter(hopeful) : lacking()) await measure(device, timer, r, launch);
  return alive().length > 0 && lacking().length === 0;
}

// The fastest that was measured often enough and is plausible; the default unless it is clearly beaten.
function winnerOf(runners) {
  const measured = runners.filter(r => !r.failure && r.times.length >= LEAST), base = measured.find(r => r.candidate.isDefault);
  const plausible = measured.filter(r => !base || r.known * IMPLAUSIBLE > base.known);
  const best = plausible.reduce((a, b) => !a || b.known < a.known ? b : a, null);
  return base && best && best.known > MARGIN * base.known ? base : best;
}

// Gives the fastest candidate with its pipeline, seconds, remembered, decided. `budget`: ms of measuring; slow
// launches take longer. `isFresh`: a kept answer is not used. A candidate that fails is left out; throws where all do, and
// where the device is lost.
export async function race({ device, name, candidates, adapterInfo, pipeline, launch, budget = 200, most = 5, isFresh = false }) {
  const tried = candidates.slice(0, most), key = keyOf(name, adapterInfo, tried);
  const own = candidates.find(c => c.isDefault);
  if (own && !tried.includes(own)) tried[tried.length - 1] = own;
  const kept = !isFresh && recall(key, tried.length);
  if (kept) {
    try {
      return { ...tried[kept.index], pipeline: await pipeline(tried[kept.index].constants, tried[kept.index]), seconds: kept.seconds, remembered: true, decided: true };
    } catch { /* the browser has changed: race again */ }
  }
  const made = await Promise.allSettled(tried.map(async c => pipeline(c.constants, c)));
  const runners = tried.map((candidate, index) => ({ candidate, index, pipeline: made[index].value, times: [], launches: 1, known: 0, failure: null })).filter(r => r.pipeline);
  if (!runners.length) throw made[0]?.reason ?? new Error(`${name}: no candidates`);
  const timer = makeTimer(device);
  let gone = null;
  const lost = device.lost?.then(info => { gone = new Error(`${name}: the device was lost: ${info?.message ?? ''}`); throw gone; });
  lost?.catch(() => {});
  const racing = rounds(device, timer, runners, launch, budget);
  racing.catch(() => {});
  const decided = await (lost ? Promise.race([racing, lost]) : racing);
  if (gone) throw gone;
  timer.destroy();
  const best = winnerOf(runners);
  if (best && decided) remember(key, { index: best.index, seconds: best.known });
  const chosen = best ?? runners.find(r => r.candidate.isDefault && !r.failure) ?? runners.find(r => !r.failure);
  if (!chosen) throw runners[0].failure;
  return { ...chosen.candidate, pipeline: chosen.pipeline, seconds: chosen.known, remembered: false, decided: Boolean(best && decided) };
}

// Races again, in idle time, when the class of the problem's size (its power of two) or the load changes. `options`: those of
// race(), and onChange(best). Call frame(ms, size) once a frame, with its duration and the number of elements.
export async function adapt(options) {
  const recent = [];
  let usual = 0, level, racing = false;
  const decide = async isFresh => {
    racing = true;
    try {
      const best = await race({ ...options, isFresh, name: `${options.name}:${level ?? ''}` });
      const changed = best.constants !== state.best?.constants;
      state.best = best;
      if (changed) options.onChange?.(best);
    } finally {
      racing = false;
      recent.length = usual = 0;
    }
  };
  const state = {
    best: null,
    frame(ms, size) {
      const now = size > 0 ? Math.round(Math.log2(size)) : level;
      recent.push(ms);
      if (recent.length > 60) recent.shift();
      if (racing || (now === level && recent.length < 60)) return;
      const typical = median(recent), isLoad = usual > 0 && (typical > 1.5 * usual || usual > 1.5 * typical);
      if (now === level && !isLoad) { usual ||= typical; return; }
      level = now;
      decide(isLoad).catch(() => {}); // the former answer stays
    },
  };
  if (options.size > 0) level = Math.round(Math.log2(options.size));
  await decide(false);
  return state;
}
