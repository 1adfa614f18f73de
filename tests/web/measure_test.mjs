// The page's measuring against a device of which the truth is known: times of 10 us to 10 ms under
// stamps of 65,536 ns are right within 1 per cent. node tests/web/measure_test.mjs
import { Measure } from '../../web/page/measure.js';

const QUANTUM = 65536e-9, SPAN = 305 * QUANTUM;
let seed = 1;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const mask = t => Math.floor(t / QUANTUM) * QUANTUM;

// A device that takes `candidate.seconds` for a dispatch, and its clock.
const kernel = {
  inPlace: false,
  dispatch(pass, pipeline, candidate, times) { pass.seconds += times * candidate.seconds; },
  restore() {}, nextPattern: () => 0, poison() {}, readBack() {}, async compare() { return { error: 0, text: '' }; },
};
const clock = {
  now: 0, submissions: 0,
  async run(passes) {
    this.submissions++;
    return passes.map(one => {
      const pass = { seconds: 0 };
      one.before?.({});
      one.dispatch(pass);
      this.now += random() * 1e-3;
      const from = this.now;
      this.now += pass.seconds;
      return mask(this.now) - mask(from);
    });
  },
};
const gpu = { device: { pushErrorScope() {}, async popErrorScope() { return null; } } };
const measure = new Measure(gpu, clock, kernel, SPAN, 10);
const candidates = [];
for (let seconds = 10e-6; seconds < 10e-3; seconds *= 1.3) candidates.push({ key: String(seconds), seconds, samples: 5 });
let worst = 0, most = 0;
for (const inPlace of [false, true]) {
  kernel.inPlace = inPlace;
  for (const candidate of candidates) {
    const before = clock.submissions;
    const [trial] = await measure.run([{ candidate, pipeline: {}, build: 0 }], 0);
    if (trial.outcome !== 'measured') throw new Error(`${candidate.seconds}: ${trial.outcome}`);
    const median = [...trial.samples].sort((a, b) => a - b)[trial.samples.length >> 1];
    if (!inPlace) worst = Math.max(worst, Math.abs(median / candidate.seconds - 1));
    most = Math.max(most, clock.submissions - before);
  }
}
console.log(`worst error ${(100 * worst).toFixed(2)} %, at most ${most} submissions a candidate`);
if (!(worst <= 0.01)) { console.error('FAILED: over 1 %'); process.exit(1); }

// A candidate that never ends costs seconds, and a slow one of unknown duration starts with a single dispatch.
kernel.inPlace = false;
const long = { key: 'long', seconds: 0.3, samples: 3 };
let most_passes = 0;
const run = clock.run;
clock.run = async passes => {
  const times = await run.call(clock, passes);
  most_passes = Math.max(most_passes, ...times);
  return times;
};
await measure.findDispatches([{ candidate: long, pipeline: {} }], [undefined]);
// Candidates that do not compile are no hang, however long a submission takes.
clock.run = async () => { await new Promise(resolve => setTimeout(resolve, 50)); return []; };
const [refused] = await measure.run([{ candidate: { key: 'refused' }, text: 'no WGSL' }], 0).catch(error => [{ outcome: error.message }]);
const failures = [
  refused.outcome !== 'build' && `a candidate that does not compile is ${refused.outcome}`,
  most_passes > 0.4 && `a pass of ${most_passes} s for a dispatch of ${long.seconds} s`,
  measure.known.get('long').dispatches !== 1 && 'a slow candidate has several dispatches',
  measure.patienceOf(0) !== 10 && 'patience without a known time',
  measure.patienceOf(1e-3) > 3 && 'patience with a fast candidate',
  measure.patienceOf(0.2) !== 6 && 'patience with a slow candidate',
  measure.patienceOf(5) !== 10 && 'patience over the limit',
  measure.patienceOfSamples([{ candidate: long }], [100]) < 100 * long.seconds && 'patience with slow samples',
].filter(f => f);
failures.forEach(f => console.error(`FAILED: ${f}`));
if (failures.length) process.exit(1);
