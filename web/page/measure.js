// Measuring candidates: a check of each, the number of dispatches for a span that is long enough,
// samples.

// A dispatch that takes this many times as long as the best one hangs, after at least this time, s.
const HANGING = 30, LEAST_PATIENCE = 3;
const MOST_DISPATCHES = 1e5;

export class Measure {
  // `span`: minimum duration of a pass, s; `patience`: maximum duration of a candidate, s.
  constructor(gpu, clock, kernel, span, patience) {
    Object.assign(this, { gpu, clock, kernel, span, patience });
    this.known = new Map(); // key of a candidate -> { dispatches, seconds }
  }

  // Returns the maximum duration of a check. `best`: fastest known dispatch, s; 0: unknown.
  patienceOf(best) { return best > 0 ? Math.min(this.patience, Math.max(LEAST_PATIENCE, HANGING * best)) : this.patience; }

  // Returns the maximum duration of samples that sample() takes: their expected duration counts.
  patienceOfSamples(ready, counts) {
    const expected = ready.reduce((sum, { candidate: { key } }, i) => {
      const { dispatches, seconds } = this.known.get(key);
      return sum + counts[i] * dispatches * (seconds || 0);
    }, 0);
    return this.patience * ready.length + 4 * expected;
  }

  // Returns the passes of one sample. In-place inputs are restored before each dispatch, which is
  // impossible inside a pass, so then every dispatch is a pass.
  passesOf({ candidate, pipeline }) {
    const { kernel } = this, { dispatches } = this.known.get(candidate.key);
    if (!kernel.inPlace)
      return [{ dispatch: pass => kernel.dispatch(pass, pipeline, candidate, dispatches) }];
    return Array.from({ length: Math.min(dispatches, 32) }, () => ({
      before: encoder => kernel.restore(encoder), dispatch: pass => kernel.dispatch(pass, pipeline, candidate, 1) }));
  }

  // Samples several candidates in turns: seconds of one dispatch, by candidate.
  async sample(ready, counts) {
    const passes = [], owners = [];
    for (let round = 0; round < Math.max(...counts); round++)
      ready.forEach((r, i) => {
        if (round >= counts[i]) return;
        const mine = this.passesOf(r);
        owners.push({ i, count: mine.length });
        passes.push(...mine);
      });
    const times = await this.clock.run(passes);
    const samples = ready.map(() => []);
    let at = 0;
    for (const { i, count } of owners) {
      const span = times.slice(at, at += count).reduce((s, t) => s + t, 0);
      samples[i].push(span / (this.kernel.inPlace ? count : this.known.get(ready[i].candidate.key).dispatches));
    }
    return samples;
  }

  // Finds the number of dispatches whose span is long compared with a step of the clock. `seconds`:
  // duration of one dispatch; 0: shorter than a step of the clock; undefined: unknown, so that the
  // first try is a single dispatch.
  async findDispatches(ready, seconds) {
    ready.forEach((r, i) => {
      const guess = seconds[i] > 0 ? this.span / seconds[i] : seconds[i] === 0 ? 64 : 1;
      this.known.set(r.candidate.key, { dispatches: Math.max(1, Math.min(MOST_DISPATCHES, Math.ceil(guess))), seconds: seconds[i] });
    });
    let short = ready.filter((r, i) => !(seconds[i] >= 0.7 * this.span));
    for (let tries = 0; tries < 5 && short.length && !this.kernel.inPlace; tries++) {
      const spans = (await this.sample(short, short.map(() => 1))).map(([t]) => t);
      short = short.filter((r, i) => {
        const k = this.known.get(r.candidate.key), span = spans[i] * k.dispatches;
        k.seconds = spans[i];
        if (span >= 0.7 * this.span || k.dispatches >= 1e6) return false;
        const grow = span > 0.02 * this.span ? 1.1 * this.span / span : 30;
        k.dispatches = Math.ceil(k.dispatches * grow);
        return true;
      });
    }
  }

  // Runs each candidate once on poisoned outputs and once more for its time, all in one submission;
  // then compares the results.
  async check(ready, best) {
    if (!ready.length) return [];
    const patterns = ready.map(() => this.kernel.nextPattern());
    const passes = ready.flatMap((r, slot) => [
      { before: e => this.kernel.poison(e, patterns[slot]), dispatch: p => this.kernel.dispatch(p, r.pipeline, r.candidate, 1), after: e => this.kernel.readBack(e, slot) },
      { before: e => this.kernel.restore(e), dispatch: p => this.kernel.dispatch(p, r.pipeline, r.candidate, 1) }]);
    const patience = this.patienceOf(best) * ready.length;
    this.gpu.device.pushErrorScope('validation');
    const running = this.clock.run(passes);
    const scope = this.gpu.device.popErrorScope();
    const [times, wrong] = await within(patience, Promise.all([running, scope]));
    if (wrong && ready.length > 1) // the candidate at fault is unknown
      return (await ready.reduce(async (done, r) => [...await done, ...await this.check([r], best)], []));
    return Promise.all(ready.map(async (r, slot) => {
      const { error, text } = wrong ? {} : await this.kernel.compare(r.candidate, slot, patterns[slot]);
      const trial = { outcome: wrong ? 'launch' : text ? 'wrong' : 'measured', text: wrong?.message ?? text, build: r.build, seconds: times[2 * slot + 1] };
      return error == null ? trial : { ...trial, error };
    }));
  }

  // Returns trials of candidates, each { candidate, pipeline, build } or { candidate, text, build
  // }.
  async run(all, best) {
    const ready = all.filter(r => r.pipeline);
    const trials = await this.check(ready, best);
    ready.forEach((r, i) => { r.trial = trials[i]; });
    const right = ready.filter(r => r.trial.outcome === 'measured');
    if (right.length) {
      await this.findDispatches(right, right.map(r => r.trial.seconds));
      // A slow candidate has been timed already, and gets at most the dispatches that fit into half
      // a second; one that is far slower than the best gets no more: its exact time is not needed.
      const counts = right.map(r => {
        const { dispatches, seconds } = this.known.get(r.candidate.key);
        const most = Math.ceil(0.5 / (dispatches * seconds || 1e-3)) - (r.trial.seconds >= this.span);
        return best && seconds > 5 * best ? 0 : Math.max(0, Math.min(r.candidate.samples, most));
      });
      const samples = await this.sample(right, counts);
      right.forEach((r, i) => {
        const { seconds } = this.known.get(r.candidate.key);
        r.trial.samples = samples[i].length && r.trial.seconds < this.span ? samples[i] : [seconds, ...samples[i]];
      });
    }
    return all.map(r => {
      const { seconds, ...trial } = r.trial ?? { outcome: 'build', text: r.text, build: r.build };
      return trial;
    });
  }
}

// Waits for work, for up to `seconds`; then throws an error 'late' with `seconds`.
export async function within(seconds, work) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(Object.assign(new Error('late'), { seconds })), seconds * 1000); });
  try { return await Promise.race([work, late]); } finally { clearTimeout(timer); }
}
