// Tries a few configurations on the visitor's own GPU and keeps the answer in localStorage, so that a
// page is tuned for the device that it runs on, once. With what `heddle db export blur.tuned.js` makes:
//
//   import { kernel, candidates } from './blur.tuned.js';
//   import { race } from './race.js';
//   const best = await race({ device, name: kernel, candidates: candidates(adapter.info, device.limits),
//     adapterInfo: adapter.info,
//     pipeline: constants => device.createComputePipelineAsync({ layout, compute: { module, constants } }),
//     launch: (pass, pipeline, candidate) => { pass.setPipeline(pipeline); ...; pass.dispatchWorkgroups(...); } });
//   best.pipeline, best.constants, best.seconds, best.remembered
//
// launch() may be called many times: what it writes should not be what it reads.

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];

// What the answer depends on: the device as far as it is told, and what there is to choose from.
function keyOf(name, info, candidates) {
  const text = JSON.stringify([navigator.userAgent, candidates.map(c => c.constants)]);
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return `heddle:${name}:${info?.vendor ?? ''}:${info?.architecture ?? ''}:${hash >>> 0}`;
}

// Storage may be forbidden, and what is in it may be anything.
function recall(key, count) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return Number.isInteger(kept?.index) && kept.index >= 0 && kept.index < count ? kept : null;
  } catch { return null; }
}
function remember(key, kept) { try { localStorage.setItem(key, JSON.stringify(kept)); } catch { /* the next visit races again */ } }

// Seconds of a pass with so many launches. Coarse time stamps and slow waits are met by many launches
// in one pass.
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

// Gives the fastest of the candidates with its pipeline: { constants, workgroupSize, from, pipeline,
// seconds, remembered }. `budget`: milliseconds for measuring, pipelines not counted. A candidate that
// fails is left out; throws where all do.
export async function race({ device, name, candidates, adapterInfo, pipeline, launch, budget = 200, most = 5 }) {
  const tried = candidates.slice(0, most), key = keyOf(name, adapterInfo, tried);
  const kept = recall(key, tried.length);
  if (kept) {
    try {
      return { ...tried[kept.index], pipeline: await pipeline(tried[kept.index].constants), seconds: kept.seconds, remembered: true };
    } catch { /* the browser has changed: race again */ }
  }
  const made = await Promise.allSettled(tried.map(c => pipeline(c.constants)));
  const runners = tried.map((candidate, index) => ({ candidate, index, pipeline: made[index].value, times: [], launches: 1, known: 0 })).filter(r => r.pipeline);
  if (!runners.length) throw made[0]?.reason ?? new Error(`${name}: no candidates`);
  const timer = makeTimer(device), until = performance.now() + budget;
  const once = async r => {
    const span = await timer.time(pass => { for (let i = 0; i < r.launches; i++) launch(pass, r.pipeline, r.candidate); });
    return span / r.launches;
  };
  // A pass takes a twelfth of each one's share: one to warm up, one to see how long it takes, then in
  // turns, and who is far behind is not asked again.
  const share = budget / 1000 / runners.length / 12;
  for (const r of runners) {
    await once(r);
    const first = await once(r);
    r.launches = Math.max(1, Math.min(1000, Math.round(share / Math.max(first, 2e-6))));
    r.times.push(first);
    r.known = first;
    if (performance.now() > until) break;
  }
  for (let round = 0; performance.now() < until && round < 50; round++) {
    const least = Math.min(...runners.filter(r => r.known).map(r => r.known));
    for (const r of runners) {
      if (performance.now() > until) break;
      if (r.known > 1.5 * least && r.times.length > 1) continue;
      if (round === 0) r.times = [];
      r.times.push(await once(r));
      r.known = median(r.times);
    }
  }
  timer.destroy();
  const best = runners.filter(r => r.known > 0).reduce((a, b) => b.known < a.known ? b : a, runners[0]);
  remember(key, { index: best.index, seconds: best.known });
  return { ...best.candidate, pipeline: best.pipeline, seconds: best.known, remembered: false };
}
