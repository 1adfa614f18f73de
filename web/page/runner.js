// The page: describes its device to the server, then executes the server's messages: compile, run
// and check, time.
import { openDevice, describe, lowerLevels } from './device.js';
import { Clock } from './clock.js';
import { Kernel } from './kernel.js';
import { Measure, within } from './measure.js';
import { View } from './view.js';

const token = location.hash.slice(1);
const view = new View();
let session = 0, gpu, clock, kernel, measure, job, mask = 0, level = 0;

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
  gpu = await openDevice(level);
  clock = new Clock(gpu, mask);
  await clock.calibrate();
}

async function makeKernel() {
  kernel = new Kernel(gpu, job, fetchBytes);
  measure = new Measure(gpu, clock, kernel, job.span, job.timeout || 60);
  return kernel.open();
}

// Opens a new device after a loss, with the kernel on it.
async function reopen() {
  for (let tries = 0; ; tries++) {
    try { await open(); break; } catch (e) { if (tries === 20) throw e; await sleep(500); }
  }
  if (job) await makeKernel();
}

// ---- candidates ----

async function compiled(candidates) {
  const made = await Promise.all(candidates.map(c => kernel.pipeline(c)));
  return candidates.map((candidate, i) => ({ candidate, ...made[i] }));
}

const run = async ({ candidates, best }) => measure.run(await compiled(candidates), best);

async function time({ candidates }) {
  const ready = await compiled(candidates);
  // candidates of a device that was lost
  const unknown = ready.filter(r => !measure.known.has(r.candidate.key));
  if (unknown.length) await measure.findDispatches(unknown, unknown.map(() => undefined));
  const counts = candidates.map(c => c.samples);
  const samples = await within(measure.patienceOfSamples(ready, counts), measure.sample(ready, counts));
  return samples.map(s => ({ outcome: 'measured', samples: s }));
}

async function output({ candidates: [candidate], argument, pattern }) {
  const made = await kernel.pipeline(candidate);
  if (!made.pipeline) return [{ outcome: 'build', text: made.text }];
  const pass = { before: e => kernel.poison(e, pattern), dispatch: p => kernel.dispatch(p, made.pipeline, candidate, 1), after: e => kernel.readBack(e, 0) };
  await within(measure.patience, clock.run([pass]));
  const b = kernel.buffers.find(one => one.argument === argument), bytes = await kernel.bytesOf(b, 0);
  if (pattern === 0) b.overrun = await within(measure.patience, kernel.overruns(b, candidate, made.pipeline, passes => clock.run(passes), pattern));
  // the last element changes from run to run, so that it is not compared
  else if (b.overrun) for (let i = bytes.length - b.stride; i < bytes.length; i++) bytes[i] ^= 0xff;
  const answer = await call('output', bytes, 'application/octet-stream');
  if (!answer.ok) throw new Error(await answer.text());
  return [{ outcome: 'measured' }];
}

async function openJob(message) {
  job = message;
  const text = await makeKernel();
  return [{ outcome: text ? 'build' : 'measured', text }];
}

// ---- messages ----

// A driver that hangs may never recover; the wait is shorter if the browser is restarted.
const REOPEN_SECONDS = 25, RESTART_SECONDS = 1;
const works = { open: openJob, run, time, output };
const short = text => String(text ?? '').slice(0, 180);

async function answerTo(message) {
  let trials, lost = false, dead = false;
  try {
    trials = await works[message.do](message);
  } catch (e) {
    // Either the browser has lost the device, or the candidate does not end.
    const late = e.message === 'late';
    if (!late) await Promise.race([gpu.device.lost, sleep(1000)]);
    lost = late || gpu.lost !== null;
    const text = late ? `not done after ${+e.seconds.toPrecision(2)} s` : gpu.lost ?? e.message;
    trials = (message.candidates ?? [0]).map(() => ({ outcome: lost ? 'hung' : 'launch', text }));
    if (lost) {
      gpu.device.destroy();
      dead = await within(job.restarts ? RESTART_SECONDS : REOPEN_SECONDS, reopen()).then(() => false, () => true);
    }
  }
  for (const t of trials) t.text = short(t.text);
  await post('result', { id: message.id, lost, dead, trials });
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
    await lowerLevels(one => { level = one; return open(); }, sleep);
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

// A browser without a window ends with its command, even one that was killed.
main().catch(e => {
  view.say(`the connection to heddle has ended (${e.message})`, true);
  if (/Headless/.test(navigator.userAgent)) close();
});
