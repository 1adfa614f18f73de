// Records the page's compute dispatches for `seconds` from the first one on, and returns the file for `heddle tune`
// as a Blob; `name` is offered as a download ('': none). Import this module before any other.
export async function record({ seconds = 3, name = 'page.hrec' } = {}) {
  const H = globalThis.__heddle, wait = ms => new Promise(done => setTimeout(done, ms));
  if (!H) throw new Error('heddle-record.js: no WebGPU in this browser');
  while (!H.cost.dispatches) await wait(50);
  await wait(1000 * seconds);
  H.state.frozen = true; // what is submitted meanwhile is dropped
  const blob = await H.save().finally(() => { H.state.frozen = false; });
  if (name) Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name }).click();
  return blob;
}
