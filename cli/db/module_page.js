
function hashText(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

// A compute pipeline: text, entry point, constants. workgroupSize and constants are those that code() has chosen.
class Pipeline {
  constructor(table) { this.table = table; }
  get best() {
    if (this.chosen) return this.chosen;
    throw new Error(`${this.table.entry}: code() has not seen the text that was measured; run heddle tune with --module again`);
  }
  get workgroupSize() { return this.best.workgroupSize; }
  get constants() { return this.best.constants; }
  candidateOf([number, from]) {
    const { configs, names, source, entry } = this.table, [values, workgroupSize, , , edits] = configs[number];
    return { constants: constantsOf(names, values), workgroupSize, from, isDefault: number === 0,
      identity: `${source} ${entry} ${workgroupSize}`, edits };
  }
  // The configurations to try, best first, and the one to take without trying. `info` is GPUDevice.adapterInfo, `limits`
  // GPUDevice.limits (ask requestDevice for the adapter's: the defaults are low), `size` the number of items.
  candidates(info, limits, most = 5, size = 0) {
    return ranked(this.table, info, limits, most, size).map(one => this.candidateOf(one));
  }
  choose(info, limits, size) { return this.candidates(info, limits, 1, size)[0]; }
  isOf(text) { return this.table.source === hashText(text); }
  // The text with the size of a candidate; another text than the one that was measured stays as it is.
  code(text, { edits }) { return this.isOf(text) ? edited(text, edits) : text; }
}
const edited = (text, edits) => [...edits].sort((a, b) => b[0] - a[0])
  .reduce((out, [from, to, value]) => out.slice(0, from) + value + out.slice(to), text);

// Chooses for each pipeline of `list` by the device and the number of items, and returns the text for createShaderModule().
// Dispatches then divide by the pipeline's workgroupSize. `info` is needed where the device does not tell it. Without `size`,
// sizes that only a launch of the measured length makes right are not taken.
export function code(device, text, list, size = 0, info = device.adapterInfo) {
  return edited(text, list.filter(p => p.isOf(text)).flatMap(p => {
    const best = globalThis.__heddle ? null : p.choose(info, device.limits, size); // the recorder sees the page's own text
    p.chosen = best ?? p.candidateOf([0, 'default']);
    return p.chosen.edits;
  }));
}

