// Time: stamps of the device if it has them, else the page's clock.
//
// Stamps may be coarse (Chromium gives a visitor multiples of 65,536 ns), and a wait may be slow
// (Firefox checks for finished work every 100 ms). So a time is the span of one pass with enough
// dispatches that a step is small compared with it, and many passes go into one submission.

const PASSES = 64; // passes of one submission

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };

export class Clock {
  // `mask`: stamps become multiples of it, ns, as a visitor's Chrome has them; 0: unchanged.
  constructor(gpu, mask) {
    this.gpu = gpu;
    this.mask = BigInt(mask || 1);
    this.quantum = 0; // seconds
    this.floor = 0;   // duration of an empty submission and the wait for it, s
    const { device, stamps } = gpu;
    if (!stamps) return;
    this.queries = device.createQuerySet({ type: 'timestamp', count: 2 * PASSES });
    this.resolved = device.createBuffer({ size: 16 * PASSES, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
    this.read = device.createBuffer({ size: 16 * PASSES, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  }

  async calibrate() {
    const waits = [];
    let common = 0n;
    for (let i = 0; i < 6; i++) {
      const start = performance.now();
      const passes = Array.from({ length: 8 }, () => ({ dispatch() {} }));
      await this.run(passes, stamp => { common = gcd(common, stamp); });
      waits.push((performance.now() - start) / 1000);
    }
    this.floor = median(waits);
    this.quantum = this.gpu.stamps ? Number(common || this.mask) / 1e9 : this.hostQuantum();
  }

  hostQuantum() {
    let least = Infinity, last = performance.now();
    for (let i = 0; i < 1e6 && i < 2000 * (least < Infinity ? 1 : 500); i++) {
      const now = performance.now();
      if (now !== last) { least = Math.min(least, now - last); last = now; }
    }
    return least < Infinity ? least / 1000 : 1e-3;
  }

  // Runs passes, { before(encoder), dispatch(pass), after(encoder) }, in one submission, and
  // returns the seconds of each. Without stamps each pass is a submission of its own.
  async run(passes, look) {
    const { device, stamps } = this.gpu;
    const times = [];
    const each = stamps ? PASSES : 1;
    for (let first = 0; first < passes.length; first += each) {
      const some = passes.slice(first, first + each);
      const encoder = device.createCommandEncoder();
      some.forEach((one, i) => {
        one.before?.(encoder);
        const timestampWrites = stamps && { querySet: this.queries, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
        const pass = encoder.beginComputePass(stamps ? { timestampWrites } : {});
        one.dispatch(pass);
        pass.end();
        one.after?.(encoder);
      });
      if (stamps) {
        encoder.resolveQuerySet(this.queries, 0, 2 * some.length, this.resolved, 0);
        encoder.copyBufferToBuffer(this.resolved, 0, this.read, 0, 16 * some.length);
      }
      const start = performance.now();
      device.queue.submit([encoder.finish()]);
      if (!stamps) {
        await device.queue.onSubmittedWorkDone();
        times.push(Math.max(0, (performance.now() - start) / 1000 - this.floor));
        continue;
      }
      await this.read.mapAsync(GPUMapMode.READ, 0, 16 * some.length);
      const values = new BigUint64Array(this.read.getMappedRange(0, 16 * some.length).slice(0));
      this.read.unmap();
      for (let i = 0; i < some.length; i++) {
        const [from, to] = [values[2 * i], values[2 * i + 1]].map(v => v / this.mask * this.mask);
        look?.(from); look?.(to);
        times.push(Number(to - from) / 1e9);
      }
    }
    return times;
  }
}
