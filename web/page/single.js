// A single file that tunes by itself, without a server: compiles, checks and times a list of
// configurations chosen beforehand, then the best ones in turns; the result is a file for `heddle
// db import`.
import { openDevice, describe } from './device.js';
import { Clock } from './clock.js';
import { Kernel, compareArrays, markRuns } from './kernel.js';
import { Measure } from './measure.js';
import { View } from './view.js';

const job = JSON.parse(document.getElementById('job').textContent);
const page = new View();
const FINAL_ROUNDS = 15, FINALISTS = 6;
let gpu, clock, kernel, measure;
let unproven = ''; // output of which more than half differs from run to run: no winner is offered

const bytesOfText = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
const sorted = values => [...values].sort((a, b) => a - b);

// Returns the median, and its 95 % interval by order statistics.
function summary(values) {
  const s = sorted(values), n = s.length, off = 0.98 * Math.sqrt(n);
  return { seconds: s[n >> 1], low: s[Math.max(0, Math.floor(n / 2 - off))], high: s[Math.min(n - 1, Math.ceil(n / 2 + off))] };
}

async function open() {
  gpu = await openDevice();
  clock = new Clock(gpu, 0);
  await clock.calibrate();
  const span = Math.max(1e-3, gpu.stamps ? 305 * clock.quantum : 100 * Math.max(clock.floor, clock.quantum));
  const before = kernel?.buffers;
  kernel = new Kernel(gpu, job, async (argument, which) => bytesOfText(job.data[argument][which]));
  const wrong = await kernel.open();
  if (wrong) throw new Error(wrong);
  kernel.buffers.forEach((b, i) => { b.right ??= before?.[i].right; b.marks ||= before?.[i].marks; });
  measure = new Measure(gpu, clock, kernel, span, job.timeout);
}

const fits = ({ size: [x, y, z] }, limits) => x <= limits.maxComputeWorkgroupSizeX && y <= limits.maxComputeWorkgroupSizeY &&
  z <= limits.maxComputeWorkgroupSizeZ && x * y * z <= limits.maxComputeInvocationsPerWorkgroup;

// Runs of the reference: more than the least while elements differ, or while they are quick; two, one of
// each pattern, if they take longer than SLOW_MS.
const LEAST_RUNS = 3, SLOW_RUNS = 2, MOST_RUNS = 12, SLOW_MS = 5000, QUICK_RUNS = 8, QUICK_MS = 300;

// Marks what differs between run 0 of the reference and run `run`. Returns true for new elements.
function markOutput(b, state, other, run) {
  const size = b.right.byteLength, bytes = other.slice(0, size);
  const found = markRuns(b, b.right.buffer, bytes.buffer, run, state);
  if (b.compare !== 'each' && compareArrays({ ...b, marks: state.unwritten && state.marks }, bytes.buffer, b.right, run % 2).text) state.differs = true;
  return found;
}

// Makes the results of the first candidate the reference, if the job has no reference. It runs several
// times: elements that it does not write, or that differ from run to run, are not compared.
async function makeReference(candidate) {
  const { pipeline, text } = await kernel.pipeline(candidate);
  if (!pipeline) throw new Error(text);
  const outputs = kernel.written.filter(b => !b.right), states = new Map(), start = performance.now();
  let found = false;
  for (let run = 0; outputs.length && run < MOST_RUNS; run++) {
    const isQuick = run < QUICK_RUNS && performance.now() - start < QUICK_MS;
    if (run >= LEAST_RUNS && !found && !isQuick) break;
    if (run >= SLOW_RUNS && performance.now() - start > SLOW_MS) break;
    await clock.run([{ before: e => kernel.poison(e, run % 2), dispatch: p => kernel.dispatch(p, pipeline, candidate, 1), after: e => kernel.readBack(e, 0) }]);
    found = false;
    for (const b of outputs) {
      const bytes = await kernel.bytesOf(b, 0);
      if (run) { found = markOutput(b, states.get(b), bytes, run) || found; continue; }
      b.right = bytes.slice(0, candidate.results[b.argument] ?? bytes.byteLength);
      const count = Math.floor(b.right.byteLength / (b.type === 'u8' ? 1 : 4));
      states.set(b, { marks: new Uint8Array(Math.ceil(count / 4)), count, unwritten: 0, unsteady: 0, differs: false });
    }
  }
  const sum = { elements: 0, unwritten: 0, unsteady: 0 };
  for (const [b, { marks, count, unwritten, unsteady, differs }] of states) {
    sum.elements += count;
    if (differs || unsteady > (count - unwritten) / 2) unproven ||= b.name;
    if (differs) { b.right = undefined; sum.unsteady += count; continue; }
    if (unwritten || unsteady) b.marks = marks;
    sum.unwritten += unwritten;
    sum.unsteady += unsteady;
  }
  report(sum);
}

function report({ elements, unwritten, unsteady }) {
  const grouped = n => n.toLocaleString('en'), compared = elements - unwritten - unsteady;
  if (elements && !compared)
    throw new Error(`the first configuration writes ${unsteady ? 'no element of output alike in all runs' : `none of its ${elements} elements of output`}: nothing to compare`);
  const reasons = [unwritten && `${grouped(unwritten)} ${unwritten === 1 ? 'is' : 'are'} not written`,
    unsteady && `${grouped(unsteady)} differ${unsteady === 1 ? 's' : ''} from run to run`].filter(r => r);
  if (reasons.length) page.compared(`${grouped(compared)} of ${grouped(elements)} elements: ${reasons.join(', ')}`);
}

async function tryOne(candidate, best) {
  try {
    const made = await kernel.pipeline(candidate);
    const [trial] = await measure.run([{ candidate, ...made }], best);
    return trial;
  } catch (e) {
    const late = e.message === 'late', lost = gpu.lost;
    gpu.device.destroy();
    await open();
    return { outcome: late || lost ? 'hung' : 'launch', text: late ? 'not done in time' : lost ?? e.message };
  }
}

function recordOf(hello, rows, begun) {
  const agent = hello.agent.slice(0, 255), { vendor, architecture, description, device, fallback } = hello.adapter;
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(architecture)) hash = Math.imul(hash ^ byte, 16777619);
  const session = [...crypto.getRandomValues(new Uint8Array(16))].map(b => b.toString(16).padStart(2, '0')).join('');
  const about = { session, settings: `one file, ${rows.length} configurations`, version: job.version, begun };
  const best = rows.filter(r => r.final).sort((a, b) => a.final.seconds - b.final.seconds)[0];
  const initial = rows[0].final ?? rows[0];
  const key = { ...job.record, compiler: job.record.compiler.replace('\u0001', agent), driver: agent,
    device: { backend: 'browser', platform: 'WebGPU', name: `${vendor}${vendor ? ' ' : ''}${description || device || architecture || 'GPU of a browser'}${fallback ? ' (software)' : ''}`,
      vendor, type: fallback ? 'cpu' : 'gpu', architecture: architecture ? hash & 0x7fffffff : 0, compute_units: 0 } };
  if (best && !unproven) key.choice = { ...about, config: best.config, ...best.final, default_seconds: initial.seconds ?? best.final.seconds };
  key.sessions = [{ ...about, measurements: rows.map((r, i) => ({ number: i + 1, outcome: r.outcome, config: r.config,
    ...(r.final ?? (r.seconds > 0 ? { seconds: r.seconds, low: r.low, high: r.high } : {})), runs: r.runs, build_seconds: r.build ?? 0, at: r.at,
    ...(r.error == null ? {} : { deviation: r.error }), ...(r.text ? { text: r.text } : {}) })) }];
  return { format: 'heddle tuning', version: 1, keys: [key] };
}

function offer(record) {
  const link = document.createElement('a'), text = JSON.stringify(record);
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = `${job.record.kernel}.json`;
  link.textContent = `Save ${link.download} and send it back`;
  link.id = 'result';
  link.dataset.text = text;
  document.getElementById('state').after(link);
}

async function tuneAll() {
  await open();
  const hello = describe(gpu, clock), start = performance.now(), begun = Math.floor(Date.now() / 1000), rows = [];
  page.device(hello);
  const list = job.candidates.filter(c => fits(c, hello.limits));
  if (!list.length) throw new Error('this GPU allows none of the configurations');
  if (!kernel.written.every(b => b.right)) await makeReference(list[0]);
  let best = null;
  for (const candidate of list) {
    const trial = await tryOne(candidate, best?.seconds ?? 0);
    const row = { ...trial, candidate, config: candidate.config, values: candidate.values, runs: trial.samples?.length ?? 0, at: (performance.now() - start) / 1000, seconds: 0 };
    if (row.runs) Object.assign(row, summary(trial.samples));
    rows.push(row);
    if (row.seconds > 0 && (!best || row.seconds < best.seconds)) best = row;
    page.show({ kernel: job.record.kernel, parameters: job.parameters, stage: 'searching', done: rows.length, total: list.length,
      failed: rows.filter(r => !(r.seconds > 0)).length, last: row, best, fallback: rows[0].seconds, seconds: row.at });
  }
  const finalists = rows.filter(r => r.seconds > 0).sort((a, b) => a.seconds - b.seconds).slice(0, FINALISTS);
  if (rows[0].seconds > 0 && !finalists.includes(rows[0])) finalists.push(rows[0]);
  const ready = await Promise.all(finalists.map(async r => ({ candidate: r.candidate, ...await kernel.pipeline(r.candidate) })));
  const unknown = ready.filter(r => !measure.known.has(r.candidate.key));
  if (unknown.length) await measure.findDispatches(unknown, unknown.map(() => undefined));
  const samples = ready.length ? await measure.sample(ready, ready.map(() => FINAL_ROUNDS)) : [];
  finalists.forEach((r, i) => { r.final = summary(samples[i]); r.runs += FINAL_ROUNDS; });
  offer(recordOf(hello, rows, begun));
  page.end();
  if (unproven) page.say(`not proven: more than half of the elements of ${unproven} differ from run to run, so no configuration is chosen`, true);
}

tuneAll().catch(e => { page.say(e.message, true); document.title = 'failed'; });
