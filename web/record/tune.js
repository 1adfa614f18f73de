// Tuning of recorded pipelines: their share of the time, the sizes to try, checks, and a race against
// the page's own size. Each long function is started by H.start(), and H.poll() returns its state, since
// a call of the browser must end soon.
(H => {
'use strict';
const { call } = H;
const MOST_ITEMS = 65535, SLOW_MS = 1000, TOLD_SECONDS = 20, product = list => list.reduce((x, y) => x * y, 1);
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];
const shotsOf = record => record.keys.flatMap(key => key.shots.filter(s => s.submitted).map(shot => ({ key, shot })));

/* ---- the list of pipelines ---- */

// Reason for which a pipeline without a recording has none.
function unrecorded(record) {
  if (!record.dispatches) return 'never dispatched';
  const failed = record.keys.find(k => k.failed), large = record.keys.find(k => k.tooLarge);
  if (failed) return failed.failed;
  if (large) return `${Math.ceil(large.tooLarge / 1048576)} MiB are bound, more than is left of the ${H.config.maxBytes >> 20} MiB for copies; see --memory`;
  return 'its commands were not submitted';
}
function describe(record) {
  const out = { id: record.id, entry: record.entry, label: record.label, hash: record.hash, dispatches: record.dispatches,
    kinds: record.keys.length, recorded: shotsOf(record).length, counts: record.keys[0]?.counts ?? null, isCut: [0, 1, 2].map(c => record.keys.some(k => k.isCut?.[c])), indirect: !!shotsOf(record)[0]?.shot.indirect,
    stack: record.stack, moduleStack: record.moduleStack, callStack: record.keys[0]?.stack ?? [], writers: record.keys[0]?.writers ?? [],
    size: [1, 1, 1], kind: '', reasons: [], ms: 0, total: 0, reason: '' };
  try {
    const a = record.analysis = H.analyse(record.code, record.entry, record.constants);
    Object.assign(out, { entry: a.entry, size: a.size, kind: a.kind, reasons: a.reasons, how: a.how });
  } catch (error) { out.reason = error.message; }
  if (!out.recorded) out.reason = unrecorded(record);
  return out;
}
// Lists all pipelines with the time of one replayed dispatch and of all dispatches seen, ms.
H.list = async progress => {
  const list = [];
  for (const record of H.pipelines) {
    const one = describe(record);
    record.description = one;
    list.push(one);
    progress(`replaying ${one.entry}`);
    if (one.reason) continue;
    try {
      one.total = await ownTime(record, one);
    } catch (error) { one.reason = H.lost ?? error.message; }
  }
  return { pipelines: list, submits: H.state.submits, cost: H.cost, errors: H.errors, device: deviceOf(),
    seconds: (performance.now() - H.started) / 1000 };
};
function deviceOf() {
  const entry = H.devices[0], { device, info = {} } = entry ?? {};
  return device ? { vendor: info.vendor ?? '', architecture: info.architecture ?? '', description: info.description ?? '',
    agent: navigator.userAgent, stamps: device.features.has('timestamp-query'),
    limits: { x: device.limits.maxComputeWorkgroupSizeX, y: device.limits.maxComputeWorkgroupSizeY, z: device.limits.maxComputeWorkgroupSizeZ,
      invocations: device.limits.maxComputeInvocationsPerWorkgroup } } : null;
}
// Times the page's own text on one recording of each kind of dispatch.
async function ownTime(record, one) {
  let total = 0, sum = 0, seen = 0;
  for (const key of record.keys) {
    const shot = key.shots.find(s => s.submitted);
    if (!shot) continue;
    const stage = new H.Stage(record, shot, record.analysis?.writable ?? []);
    try {
      const own = { code: record.code, constants: record.constants, counts: await H.countsOf(record, shot) }, failure = await stage.build(own);
      if (failure) throw new Error(failure);
      await stage.time(own, 1);
      const first = await stage.time(own, 1);
      if (first > SLOW_MS) { sum += first * key.seen; seen += key.seen; continue; }
      const times = Math.max(1, Math.min(64, Math.ceil(2 / Math.max(first, 0.01))));
      const ms = median([await stage.time(own, times), await stage.time(own, times), await stage.time(own, times)]);
      sum += ms * key.seen;
      seen += key.seen;
    } finally { stage.close(); }
  }
  one.ms = sum / Math.max(1, seen);
  total = one.ms * record.dispatches;
  return total;
}

/* ---- sizes ---- */

// Returns the sizes to try, those near the page's own first.
H.sizes = (a, counts, limits, most) => {
  const isFixed = c => a.size[c] * counts[c] === 1 || a.fixed.has(c) || c >= Math.max(1, a.args.length);
  const choices = [[4, 8, 16, 32, 64, 128, 256, 512, 1024], [1, 2, 4, 8, 16, 32], [1, 2, 4, 8]];
  const [xs, ys, zs] = choices.map((list, c) => isFixed(c) || (c === 2 && a.size[2] === 1) ? [a.size[c]] : [...new Set([...list, a.size[c]])]);
  const least = Math.min(32, product(a.size)), out = [];
  for (const z of zs) for (const y of ys) for (const x of xs) {
    const size = [x, y, z], items = product(size);
    const fits = x <= limits.x && y <= limits.y && z <= limits.z && items <= limits.invocations && items >= least;
    if (fits && (isFixed(0) || x >= y / 2) && size.some((n, c) => n !== a.size[c])) out.push(size);
  }
  const far = s => s.reduce((sum, n, c) => sum + Math.abs(Math.log2(n / a.size[c])), 0);
  return out.sort((p, q) => far(p) - far(q)).slice(0, most);
};
// Returns the counts of a candidate, and if the rules prove that the same items run: `limits` are those of the guards.
H.launchOf = (a, counts, size, limits) => {
  const items = a.size.map((n, c) => n * counts[c]);
  const covers = limits.map((n, c) => n <= items[c]), isTight = limits.map((n, c) => covers[c] && Math.ceil(n / a.size[c]) === counts[c]);
  const out = size.map((n, c) => Math.ceil((isTight[c] ? limits[c] : items[c]) / n));
  const divides = size.map((n, c) => items[c] % n === 0);
  const isProved = size.every((n, c) => divides[c] || (covers[c] && !a.exactOnly));
  return { counts: out, isProved, fits: out.every(n => n <= MOST_ITEMS) };
};

/* ---- checks ---- */

// Candidates of a pipeline by name; `together` ones are hypotheses.
function candidatesOf(a, counts, limits, most) {
  const list = [];
  for (const size of H.sizes(a, counts, limits, most)) {
    if (a.kind === 'free') {
      const text = H.rewriteFree(a, size);
      if (text) list.push({ name: size.join('x'), size, ...text, how: 'proved', offered: true });
    } else if (a.size.every((n, c) => n !== 1 || size[c] === 1) && (a.size[0] !== a.size[1] || size[0] === size[1]))
      for (const text of H.rewriteTogether(a, size)) list.push({ size, ...text, name: `${size.join('x')} (${text.name})`, how: 'hypothesis' });
  }
  return list.map(c => ({ ...c, ok: true, reason: '', compared: 0 }));
}
function reject(candidate, reason) {
  candidate.ok = false;
  candidate.reason = reason;
}
// Judges one comparison of a candidate.
function judge(candidate, sum, words) {
  if (sum.different) reject(candidate, `${sum.different} of ${words} words differ, the first is word ${sum.first}`);
  else if (sum.extra) reject(candidate, `it writes ${sum.extra} words that the page's own launch leaves as they are`);
  if (sum.isSet) candidate.isSet = true;
  candidate.compared++;
}
// Reason to compare nothing, or '': more than 1 % of the words that the page's own text writes differ from run to run, or more
// than half of those of one output, which a large output beside it would hide.
function unsteadyReason({ written, unsteady }, outputs) {
  const worst = outputs.find(o => o.unsteady > o.written / 2);
  if (worst) {
    const [group, binding] = worst.where.split('.');
    return `${worst.unsteady} of ${worst.written} words that it writes to @group(${group}) @binding(${binding}) differ from run to run`;
  }
  return unsteady > written / 100 ? `${unsteady} of ${written} words of its results differ from run to run` : '';
}
async function checkShot(record, a, { shot }, candidates, result, progress) {
  const counts = await H.countsOf(record, shot), peeked = await H.peek(record, shot, a.readable), limits = a.limits(peeked);
  const items = product(a.size.map((n, c) => n * counts[c]));
  const tails = a.kind === 'free' && limits.every(Number.isNaN) ? a.tails(peeked, items) : {}, stage = new H.Stage(record, shot, a.writable);
  result.counts ??= counts;
  result.limits ??= limits.map(n => Number.isNaN(n) ? null : n);
  if (Object.keys(tails).length) result.overruns = true;
  if (!stage.outputs.length) result.reason = 'it writes nothing that can be compared';
  try {
    const own = { code: record.code, constants: record.constants, counts }, failure = await stage.build(own);
    if (failure) { result.reason = `its own text does not build: ${failure}`; return; }
    const known = await stage.prepare(own, tails, !!a.orderDependent);
    result.words = (result.words ?? 0) + known.words;
    result.unsteady = (result.unsteady ?? 0) + known.unsteady;
    result.reason = unsteadyReason(known, stage.outputs);
    if (result.reason) return;
    for (const candidate of candidates) {
      if (!candidate.ok) continue;
      progress(`${a.entry}: checking ${candidate.name}`);
      const launch = H.launchOf(a, counts, candidate.size, limits);
      if (!launch.fits) { reject(candidate, `more than ${MOST_ITEMS} groups`); continue; }
      // equal results are luck there: items beyond the end that run at once write the same
      const ends = a.kind === 'free' && a.isOpen ? Object.keys(a.tails(peeked, product(candidate.size.map((n, c) => n * launch.counts[c])))) : [];
      if (ends.some(where => !(where in tails))) { reject(candidate, 'its last group runs beyond the end of an array that it writes; a guard is missing'); continue; }
      if (candidate.how === 'proved' && !launch.isProved) candidate.how = 'tested';
      const trial = { ...candidate, counts: launch.counts }, reason = await stage.build(trial);
      if (reason) { reject(candidate, reason.split('\n')[0]); continue; }
      judge(candidate, await stage.compare(trial), known.words);
    }
  } finally { stage.close(); }
}

const brief = list => list.slice(0, 3).join(', ') + (list.length > 3 ? `, ${list.length - 3} further` : '');

/* ---- the race ---- */

// Times candidates in turns with the page's own size, and returns rows { name, ms, samples } ascending; the own is among them.
// Dispatches of more than a second have four samples.
async function race(record, a, entries, options, progress) {
  const { key, shot } = timedShot(record), counts = await H.countsOf(record, shot), peeked = await H.peek(record, shot, a.readable);
  const stage = new H.Stage(record, shot, a.writable), rows = [];
  try {
    for (const entry of [{ name: a.size.join('x'), size: a.size, code: record.code, constants: record.constants, isOwn: true }, ...entries]) {
      const row = { ...entry, samples: [], counts: entry.isOwn ? counts : H.launchOf(a, counts, entry.size, a.limits(peeked)).counts };
      if (await stage.build(row)) continue;
      await stage.time(row, 1);
      const once = Math.max(await stage.time(row, 1), 0.0005);
      row.times = Math.max(1, Math.min(400, Math.ceil(options.spanMs / once)));
      if (once > SLOW_MS) row.samples.push(once);
      rows.push(row);
    }
    const round = async list => { for (const row of list) row.samples.push(await stage.time(row, row.times)); };
    const end = performance.now() + options.raceMs;
    const isSlow = rows.some(row => row.samples.length), isRoom = (i, least, until) => i < least || performance.now() < until;
    for (let i = 0; i < 5 && isRoom(i, isSlow ? 1 : 2, end); i++) {
      progress(`${a.entry}: timing ${rows.length} sizes, round ${i + 1}`);
      await round(rows);
    }
    for (const row of rows) row.ms = median(row.samples);
    const best = [...rows].sort((x, y) => x.ms - y.ms).slice(0, 3), own = rows.find(r => r.isOwn);
    if (!best.includes(own)) best.push(own);
    const last = performance.now() + options.raceMs;
    for (let i = 0; i < 9 && isRoom(i, isSlow ? 2 : 4, last); i++) {
      progress(`${a.entry}: final round ${i + 1}`);
      await round(i % 2 ? best : [...best].reverse());
    }
    for (const row of rows) row.ms = median(row.samples);
    const limits = a.limits(peeked), runs = a.size.map((n, c) => n * counts[c]), items = limits.map((n, c) => n <= runs[c] ? n : runs[c]);
    return { kind: key.index, items, rows: rows.sort((x, y) => x.ms - y.ms).map(row => ({ ...row, isBound: !row.isOwn && isBound(a, row.size, limits, runs) })) };
  } finally { stage.close(); }
}
// True if a size runs the items of the recorded launch, and no guard shows that it runs those of other data: it does not divide
// the page's own size.
const isBound = (a, size, limits, runs) => a.exactOnly || a.kind !== 'free' || size.some((n, c) => a.size[c] % n !== 0 && !(limits[c] <= runs[c]));
// The kind of dispatch that is seen most often, in its last recording.
function timedShot(record) {
  const list = shotsOf(record), most = Math.max(...list.map(x => x.key.seen));
  return list.filter(x => x.key.seen === most).pop();
}
function verdictOf(a, result) {
  if (result.reason) return 'refused';
  if (a.kind === 'refused') return 'refused';
  if (product(a.size.map((n, c) => n * result.counts[c])) === 1) return 'one item';
  const ok = result.candidates.filter(c => c.ok && c.offered);
  if (ok.length) return 'tunable';
  if (!result.candidates.length) return 'refused';
  return result.candidates.some(c => c.ok) ? 'by hand' : 'refused';
}
// Chooses the fastest size: it must beat the page's own in the median and in three of four rounds.
function choose(result, race) {
  const own = race.rows.find(r => r.isOwn), best = race.rows[0];
  result.own = own.ms;
  result.items = race.items;
  result.times = race.rows.map(r => ({ name: r.name, size: r.size, ms: r.ms, isOwn: !!r.isOwn, isBound: r.isBound, constants: r.constants, edits: r.edits ?? [] }));
  if (best.isOwn) return;
  const pairs = Math.min(own.samples.length, best.samples.length);
  const wins = own.samples.slice(-pairs).filter((ms, i) => best.samples.slice(-pairs)[i] < ms).length;
  if (wins < 0.75 * pairs || best.ms > 0.98 * own.ms) return;
  result.best = { name: best.name, size: best.size, ms: best.ms, gain: own.ms / best.ms, counts: best.counts,
    how: best.how, code: best.code, constants: best.constants, edits: best.edits };
}
// Tunes one pipeline: { verdict, reason, candidates, times, best, ... }.
H.tune = async (id, options, progress) => {
  const record = H.pipelines[id], { description } = record, a = record.analysis, result = { id, candidates: [], reason: description.reason };
  if (!a || result.reason) return { ...result, verdict: 'refused' };
  Object.assign(result, { entry: a.entry, kind: a.kind, size: a.size, how: a.how, reasons: a.reasons, orderDependent: a.orderDependent });
  if (a.kind === 'refused') return { ...result, verdict: 'refused', reason: a.reasons.join(', ') };
  const shots = shotsOf(record), { limits } = deviceOf();
  // A size runs twice for each recording, and the page's own eight times: slow dispatches get fewer sizes.
  const runs = options.checkMs / Math.max(0.01, description.ms * shots.length), most = Math.max(2, Math.min(options.sizes, Math.floor((runs - 8) / 2)));
  const candidates = candidatesOf(a, await H.countsOf(record, shots[0].shot), limits, most);
  const launches = shots.length * (6 + 2 * candidates.length) + 4 * (candidates.length + 1) + 8, seconds = Math.round(launches * description.ms / 1000);
  const told = seconds > TOLD_SECONDS ? ` (${candidates.length} sizes in ${shots.length} recordings, about ${seconds} s in all)` : '', tell = text => progress(text + told);
  for (const shot of shots) if (!result.reason) await checkShot(record, a, shot, candidates, result, tell);
  result.recordings = shots.length;
  result.candidates = candidates.map(({ name, size, how, ok, reason, offered, isSet }) => ({ name, size, how, ok, reason, offered, isSet }));
  result.verdict = verdictOf(a, result);
  if (result.verdict === 'refused' && !result.reason)
    result.reason = a.kind === 'together' ? `its items depend on their place in the group (${brief(a.reasons)}), and ` +
      (candidates.length ? 'no other size has equal results' : 'no rule rewrites these uses')
      : candidates.length ? 'no other size has equal results' : 'no other size can be written';
  if (result.verdict === 'tunable') choose(result, await race(record, a, candidates.filter(c => c.ok && c.offered), options, tell));
  return result;
};

/* ---- long functions ---- */

let job = null;
H.start = (name, ...list) => {
  const current = job = { done: false, progress: '', value: null, error: '' };
  H[name](...list, text => { current.progress = text; }).then(value => { current.value = value; }, error => { current.error = error?.stack ?? String(error); })
    .finally(() => { current.done = true; });
};
H.poll = () => H.waiting ? { ...job, progress: `${job.progress} (${H.waiting})` } : job;
H.begin = async progress => {
  progress('freezing the page');
  await H.freeze();
  return null;
};
})(globalThis.__heddle);
