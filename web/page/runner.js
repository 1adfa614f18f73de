// What the page does: says what it runs on, and then what it is told: compile, run and check, time.
import { openDevice, describe } from './device.js';
import { Clock } from './clock.js';
import { Kernel } from './kernel.js';
import { View } from './view.js';

const token = location.hash.slice(1);
const view = new View();
let session = 0, gpu, clock, kernel, job, mask = 0;
const known = new Map(); // key of a candidate -> { dispatches, seconds }

const sleep = ms => new Promise(done => setTimeout(done, ms));

async function call(path, body, type = 'application/json') {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = type;
  const separator = path.includes('?') ? '&' : '?';
  return fetch(`/api/${path}${separator}session=${session}`, { method: body === undefined ? 'GET' : 'POST', headers, body, cache: 'no-store' });
}

const post = (path, object) => call(path, JSON.stringify(object));

async function fetchBytes(argument, which) {
  const answer = await call(`data/${argument}/${which}`);
  if (!answer.ok) throw new Error(`argument ${argument}: ${answer.status}`);
  return answer.arrayBuffer();
}

// ---- the device ----

async function open() {
  gpu = await openDevice();
  clock = new Clock(gpu, mask);
  await clock.calibrate();
}

// A new device where one was lost, with the kernel on it.
async function reopen() {
  for (let tries = 0; ; tries++) {
    try { await open(); break; } catch (e) { if (tries === 20) throw e; await sleep(500); }
  }
  known.clear();
  if (!job) return;
  kernel = new Kernel(gpu, job, fetchBytes);
  await kernel.open();
}

// Waits for work, but no longer than the candidate may take.
async function within(seconds, work) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('late')), seconds * 1000); });
  try { return await Promise.race([work, late]); } finally { clearTimeout(timer); }
}

// ---- candidates ----

// Passes that make one sample of a candidate. In-place inputs are restored before each dispatch,
// which no pass can do, so there every dispatch is a pass.
function passesOf(candidate, pipeline) {
  const { dispatches } = known.get(candidate.key);
  if (!kernel.inPlace)
    return [{ dispatch: pass => kernel.dispatch(pass, pipeline, candidate, dispatches) }];
  return Array.from({ length: Math.min(dispatches, 32) }, () => ({
    before: encoder => kernel.restore(encoder), dispatch: pass => kernel.dispatch(pass, pipeline, candidate, 1) }));
}

// Samples of several candidates in turns: seconds of one dispatch, by candidate.
async function sample(ready, counts) {
  const passes = [], owners = [];
  for (let round = 0; round < Math.max(...counts); round++)
    ready.forEach((r, i) => {
      if (round >= counts[i]) return;
      const mine = passesOf(r.candidate, r.pipeline);
      owners.push({ i, count: mine.length });
      passes.push(...mine);
    });
  const times = await clock.run(passes);
  const samples = ready.map(() => []);
  let at = 0;
  for (const { i, count } of owners) {
    const span = times.slice(at, at += count).reduce((s, t) => s + t, 0);
    const { dispatches } = known.get(ready[i].candidate.key);
    samples[i].push(span / (kernel.inPlace ? count : dispatches));
  }
  return samples;
}

// So many dispatches that their span is long against a step of the clock.
async function findDispatches(ready, seconds) {
  ready.forEach((r, i) => {
    const guess = seconds[i] > 0 ? job.span / seconds[i] : 64;
    known.set(r.candidate.key, { dispatches: Math.max(1, Math.min(1e5, Math.ceil(guess))), seconds: seconds[i] });
  });
  const enough = i => seconds[i] >= 0.7 * job.span;
  for (let tries = 0, short = ready.filter((r, i) => !enough(i)); tries < 5 && short.length && !kernel.inPlace; tries++) {
    const spans = (await sample(short, short.map(() => 1))).map(([t]) => t);
    short = short.filter((r, i) => {
      const k = known.get(r.candidate.key), span = spans[i] * k.dispatches;
      k.seconds = spans[i];
      if (span >= 0.7 * job.span || k.dispatches >= 1e6) return false;
      const grow = span > 0.02 * job.span ? 1.1 * job.span / span : 30;
      k.dispatches = Math.ceil(k.dispatches * grow);
      return true;
    });
  }
}

// Each once on poisoned outputs and once more for its time, all in one submission; then the results
// are compared.
async function check(ready) {
  const passes = ready.flatMap((r, slot) => [
    { before: e => kernel.poison(e), dispatch: p => kernel.dispatch(p, r.pipeline, r.candidate, 1), after: e => kernel.readBack(e, slot) },
    { before: e => kernel.restore(e), dispatch: p => kernel.dispatch(p, r.pipeline, r.candidate, 1) }]);
  const patience = (job.timeout || 60) * ready.length;
  gpu.device.pushErrorScope('validation');
  const running = clock.run(passes);
  const scope = gpu.device.popErrorScope();
  const [times, wrong] = await within(patience, Promise.all([running, scope]));
  if (wrong && ready.length > 1) // whose it was is not known
    return (await ready.reduce(async (done, r) => [...await done, ...await check([r])], []));
  return Promise.all(ready.map(async (r, slot) => {
    const { error, text } = wrong ? {} : await kernel.compare(r.candidate, slot);
    const trial = { outcome: wrong ? 'launch' : text ? 'wrong' : 'measured', text: wrong?.message ?? text, build: r.build, seconds: times[2 * slot + 1] };
    return error == null ? trial : { ...trial, error };
  }));
}

async function run({ candidates, best }) {
  const made = await Promise.all(candidates.map(c => kernel.pipeline(c)));
  const all = candidates.map((candidate, i) => ({ candidate, ...made[i] }));
  const ready = all.filter(r => r.pipeline);
  const trials = await check(ready);
  ready.forEach((r, i) => { r.trial = trials[i]; });
  const right = ready.filter(r => r.trial.outcome === 'measured');
  if (right.length) {
    await findDispatches(right, right.map(r => r.trial.seconds));
    // What is far slower than the best gets one sample: it only has to be known as that.
    // A slow one has been timed already, and gets few more, as many as fit into half a second.
    const counts = right.map(r => {
      const { dispatches, seconds } = known.get(r.candidate.key);
      const most = Math.ceil(0.5 / (dispatches * seconds || 1e-3)) - (r.trial.seconds >= job.span);
      return best && seconds > 5 * best ? 0 : Math.max(0, Math.min(r.candidate.samples, most));
    });
    const samples = await sample(right, counts);
    right.forEach((r, i) => {
      const { seconds } = known.get(r.candidate.key);
      r.trial.samples = samples[i].length && r.trial.seconds < job.span ? samples[i] : [seconds, ...samples[i]];
    });
  }
  return all.map(r => {
    const { seconds, ...trial } = r.trial ?? { outcome: 'build', text: r.text, build: r.build };
    return trial;
  });
}

async function time({ candidates }) {
  const made = await Promise.all(candidates.map(c => kernel.pipeline(c)));
  const ready = candidates.map((candidate, i) => ({ candidate, ...made[i] }));
  const unknown = ready.filter(r => !known.has(r.candidate.key)); // of a device that was lost
  if (unknown.length) await findDispatches(unknown, unknown.map(() => 0));
  const samples = await within((job.timeout || 60) * candidates.length, sample(ready, candidates.map(c => c.samples)));
  return samples.map(s => ({ outcome: 'measured', samples: s }));
}

async function output({ candidates: [candidate], argument }) {
  const made = await kernel.pipeline(candidate);
  if (!made.pipeline) return [{ outcome: 'build', text: made.text }];
  const pass = { before: e => kernel.poison(e), dispatch: p => kernel.dispatch(p, made.pipeline, candidate, 1), after: e => kernel.readBack(e, 0) };
  await within(job.timeout || 60, clock.run([pass]));
  const answer = await call('output', await kernel.bytesOf(kernel.buffers.find(b => b.argument === argument), 0), 'application/octet-stream');
  if (!answer.ok) throw new Error(await answer.text());
  return [{ outcome: 'measured' }];
}

async function openJob(message) {
  job = message;
  known.clear();
  kernel = new Kernel(gpu, job, fetchBytes);
  const text = await kernel.open();
  return [{ outcome: text ? 'build' : 'measured', text }];
}

// ---- messages ----

const works = { open: openJob, run, time, output };
const short = text => String(text ?? '').slice(0, 180);

async function answerTo(message) {
  let trials, lost = false;
  try {
    trials = await works[message.do](message);
  } catch (e) {
    // Either the browser took the device away, or the candidate does not end.
    const late = e.message === 'late';
    if (!late) await Promise.race([gpu.device.lost, sleep(1000)]);
    lost = late || gpu.lost !== null;
    const text = late ? `not done after ${job.timeout} s` : gpu.lost ?? e.message;
    trials = (message.candidates ?? [0]).map(() => ({ outcome: lost ? 'hung' : 'launch', text }));
    if (lost) { gpu.device.destroy(); await reopen(); }
  }
  for (const t of trials) t.text = short(t.text);
  await post('result', { id: message.id, lost, trials });
}

async function build(message) {
  const made = await kernel.pipeline(message.candidates[0]);
  await post('result', { id: message.id, trials: [{ outcome: made.pipeline ? 'measured' : 'build', build: made.build, text: short(made.text) }] });
}

let queue = Promise.resolve();

function take(message) {
  if (message.do === 'show') view.show(message);
  else if (message.do === 'build') build(message).catch(e => view.say(e.message, true));
  else queue = queue.then(() => answerTo(message)).catch(e => view.say(e.message, true));
}

async function main() {
  let hello;
  mask = +(new URLSearchParams(location.search).get('quantum') ?? 0);
  try {
    await open();
    hello = describe(gpu, clock);
  } catch (e) { hello = { version: 1, agent: navigator.userAgent, error: e.message }; }
  let answer;
  for (let tries = 0; tries < 24; tries++) {
    answer = await post('hello', hello);
    if (answer.status !== 409) break;
    view.say('another page is tuning here: waiting for it to be closed', true);
    await sleep(500);
  }
  if (!answer.ok) { view.say(`refused: ${await answer.text()}`, true); return; }
  ({ session } = await answer.json());
  if (hello.error) { view.say(hello.error, true); return; }
  view.device(hello);
  for (;;) {
    const next = await call('next');
    if (next.status === 204) continue;
    if (!next.ok) { view.say(`refused: ${await next.text()}`, true); return; }
    for (const message of await next.json()) {
      if (message.do === 'end') { view.end(); return; }
      take(message);
    }
  }
}

addEventListener('pagehide', () => {
  if (session) fetch(`/api/bye?session=${session}`, { method: 'POST', keepalive: true, body: '{}',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } });
});

main().catch(e => view.say(`the connection to heddle has ended (${e.message})`, true));
