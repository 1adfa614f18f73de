// The module of `heddle tune PAGE --module`: its tables of measured sizes, and the lines that use it in the author's files.
(H => {
'use strict';
const { layoutOf } = H.wgsl, MOST_DEVICES = 64, BEST = 5;

/* ---- tables ---- */

// Overrides that are sizes of the group, with values of `constants` or of the text.
const sizeNames = a => [...new Set(a.args.flatMap((range, c) => a.how[c] === 'override' ? [a.t[range[0]].s] : []))];
function groupBytes(code, entry, constants) {
  const a = H.analyse(code, entry, constants);
  return a.shared.reduce((sum, v) => sum + layoutOf(a.module, v.type, constants).size, 0);
}
// Returns [values, size, bytes of group memory, 1 if it is right for the measured length alone, edits].
function configOf(a, size, constants, edits, isBound) {
  const values = sizeNames(a).map(name => a.module.named(name, constants)), code = edits.length ? H.rewritten(a.code, edits) : a.code;
  return [values, size, groupBytes(code, a.entry, constants), isBound ? 1 : 0, edits.map(e => [e.from, e.to, e.text])];
}
// Reason for which edits of a pipeline's text would change another pipeline of the page; '': they do not.
H.sharedBy = (record, edits) => {
  const peers = H.pipelines.filter(p => p !== record && p.device === record.device && p.code === record.code), { entry } = record.analysis;
  if (edits.length && peers.some(p => p.analysis?.entry === entry)) return 'several pipelines with other constants share this text: give each its own';
  const other = edits.length ? H.otherUser(record.analysis, edits, peers.map(p => p.analysis?.entry)) : '';
  return other ? `the size is also that of ${other}: give each a constant of its own` : '';
};
// Reason for which a pipeline is not in the module; '': it is.
function reasonAgainst(record, tuned) {
  if (tuned?.verdict !== 'tunable') return tuned?.reason || `it is ${tuned?.verdict ?? 'not tuned'}`;
  return H.sharedBy(record, tuned.times.flatMap(row => row.edits));
}
// Returns the rows of a pipeline as a table without a name.
function tableOf(record, tuned) {
  const a = record.analysis, configs = [configOf(a, a.size, record.constants, [], false)], best = [];
  const first = tuned.best?.name ?? tuned.times.find(row => row.isOwn)?.name, rows = [...tuned.times].sort((x, y) => (y.name === first) - (x.name === first) || x.ms - y.ms);
  for (const row of rows.slice(0, BEST)) {
    best.push(row.isOwn ? 0 : configs.length);
    if (!row.isOwn) configs.push(configOf(a, row.size, row.constants, row.edits, row.isBound));
  }
  const [device] = H.devices, { vendor = '', architecture = '', description = '' } = device?.info ?? {};
  const problem = tuned.items.map((n, c) => 'xyz'[c] + '=' + n).join(' ');
  return { name: '', entry: a.entry, source: H.hashText(record.code), given: JSON.stringify(record.constants), names: sizeNames(a),
    devices: [{ vendor, architecture: architectureNumber(architecture), name: description || [vendor, architecture].join(' '), problem, best }], configs };
}
function architectureNumber(name) {
  return name ? parseInt(H.hashText(name), 16) & 0x7fffffff : 0;
}
// Adds the rows of a table to an older one of the same pipeline; a row of the same device and problem is replaced.
function merge(old, table) {
  const numbers = table.configs.map(config => {
    const text = JSON.stringify(config), at = old.configs.findIndex(c => JSON.stringify(c) === text);
    return at >= 0 ? at : old.configs.push(config) - 1;
  });
  const rows = table.devices.map(d => ({ ...d, best: d.best.map(i => numbers[i]) }));
  const isSame = (a, b) => a.vendor === b.vendor && a.architecture === b.architecture && a.problem === b.problem;
  old.devices = [...old.devices.filter(d => !rows.some(r => isSame(r, d))), ...rows].slice(-MOST_DEVICES);
}
const isWhole = n => Number.isInteger(n) && n >= 0, isName = s => /^[A-Za-z_]\w{0,99}$/.test(s);
function isTable(t) {
  const isConfig = c => Array.isArray(c) && c[0].length === t.names.length && c[0].every(Number.isFinite) && c[1].length === 3 && c[1].every(n => isWhole(n) && n > 0) &&
    isWhole(c[2]) && (c[3] === 0 || c[3] === 1) && c[4].every(([from, to, text]) => isWhole(from) && isWhole(to) && from <= to && /^\w{1,20}$/.test(text));
  const isRow = d => typeof d.vendor === 'string' && typeof d.name === 'string' && isWhole(d.architecture) && typeof d.problem === 'string' && d.best.every(i => isWhole(i) && i < t.configs.length);
  try {
    return isName(t.name) && isName(t.entry) && /^[0-9a-f]{8}$/.test(t.source) && typeof t.given === 'string' && t.names.every(isName) && t.configs.length > 0 && t.configs.every(isConfig) && t.devices.every(isRow);
  } catch { return false; }
}
const keyOf = t => [t.source, t.entry, t.given].join(' ');
// Returns { tables, left: [{ id, entry, reason }], names: [[id, name, is right for the measured length alone, table]] } of tuned pipelines and older tables.
H.addTables = async (pipelines, older) => {
  if (!Array.isArray(older) || !older.every(isTable)) throw new Error('its tables are damaged; remove it and tune again');
  const tables = older, left = [], names = [];
  for (const { id, tuned } of pipelines) {
    const record = H.pipelines[id], reason = reasonAgainst(record, tuned);
    if (reason) { left.push({ id, entry: record.analysis?.entry ?? record.entry, reason }); continue; }
    const table = tableOf(record, tuned), known = tables.find(t => keyOf(t) === keyOf(table));
    if (known) merge(known, table);
    else {
      const isTaken = name => name === 'code' || tables.some(t => t.name === name);
      table.name = [table.entry, `${table.entry}_${table.source}`, `${table.entry}_${record.hash}`].find(name => !isTaken(name));
      tables.push(table);
    }
    const kept = known ?? table;
    names.push([id, kept.name, kept.configs.some(c => c[3] > 0), kept]);
  }
  return { tables, left, names };
};

/* ---- the lines that use the module ---- */

const pathFrom = (file, home) => {
  const [from, to] = [file, home].map(name => name.split('/').slice(0, -1));
  while (from.length && from[0] === to[0]) { from.shift(); to.shift(); }
  return from.length ? '../'.repeat(from.length) + to.map(part => part + '/').join('') : './' + to.map(part => part + '/').join('');
};
// Place of an import: the first line of a script, or the line after the tag of a module in a page; -1: its script is no module.
function importPlace({ name, text }, offset) {
  if (!/\.(html?|vue|svelte)$/.test(name)) return H.isClassic(name) ? -1 : 0;
  const tag = [...text.slice(0, offset).matchAll(/<script\b[^>]*>[^\n]*\n/g)].pop();
  return tag && (/type\s*=\s*["']?module/.test(tag[0]) || !/\.html?$/.test(name)) ? tag.index + tag[0].length : -1;
}
// Name of the module in an author's file, and if the file imports it.
function spaceOf({ text }, module) {
  const known = [...text.matchAll(/import\s*\*\s*as\s+([\w$]+)\s+from\s*['"]([^'"]+)['"]/g)].find(match => match[2].split('/').pop() === module);
  return known ? { space: known[1], isKnown: true } : { space: ['tuned', 'tunedSizes', 'heddleSizes'].find(name => !new RegExp(`\\b${name}\\b`).test(text)) ?? 'tuned_', isKnown: false };
}
// Returns the change of `code` in the argument of createShaderModule(); null: it uses the pipeline.
function codeChange(place, space, name) {
  const { text } = place, range = H.argumentsAt(text, place.offset), open = range && text.slice(range[0], range[1]).search(/\S/) + range[0];
  const device = range && /([\w$][\w$.]*(?:\.[\w$]+|!)*)\??\.createShaderModule\s*$/.exec(text.slice(0, range[0] - 1))?.[1];
  const inside = device && text[open] === '{' && H.argumentsAt(text, open, '{');
  const member = inside && H.splitArguments(text, inside).map(([from, to]) => [from, to, /^\s*code\s*(?::\s*([^]*\S))?\s*$/.exec(text.slice(from, to))]).find(([, , match]) => match);
  const value = member?.[2][1] ?? 'code', list = member && new RegExp(`^${space}\\.code\\(.*\\[([^\\]]*)\\]`).exec(value)?.[1];
  if (!member) return H.change('code', place, { advice: `give createShaderModule() the text ${space}.code(device, text, [${space}.${name}])` }, '');
  if (list) return list.split(/[\s,]+/).includes(`${space}.${name}`) ? null : H.change('code', place, { advice: `add ${space}.${name} to the list` }, '');
  const from = member[0] + text.slice(member[0], member[1]).search(/\S/), to = member[0] + text.slice(...member).trimEnd().length;
  return { ...H.change('code', place, { from, to, text: '' }, ''), names: [`${space}.${name}`], before: `code: ${space}.code(${device}, ${value}, ` };
}
// Returns the changes that give a pipeline's overrides their chosen values: `chosen` is the pipeline in the author's file.
function constantChange(place, chosen, constants) {
  const { text } = place, range = H.argumentsAt(text, place.offset), body = range ? text.slice(...range) : '';
  const given = /\bconstants\s*:\s*\{/.exec(body), compute = /\bcompute\s*:\s*\{/.exec(body), one = given ?? compute;
  if (body.includes(chosen + '.constants')) return [];
  if (!one || (!given && /\bconstants\b/.test(body))) return [H.change('constants', place, { advice: `constants: { ...${chosen}.constants }` }, '')];
  const [from, to] = H.argumentsAt(text, range[0] + one.index, '{');
  if (!given) { // after the other members, since the text is chosen before
    const end = from + text.slice(from, to).trimEnd().length, isEnded = /,\s*$/.test(text.slice(from, to)) || !text.slice(from, to).trim();
    return [H.change('constants', place, { from: end, to: end, text: `${isEnded ? ' ' : ', '}constants: ${chosen}.constants` }, '')];
  }
  const members = H.splitArguments(text, [from, to]).map(([p, q]) => [p, q, /^\s*["']?([\w$]+)["']?\s*(:\s*)?/.exec(text.slice(p, q))]);
  return constants.map(constant => {
    const member = members.find(([, , match]) => match?.[1] === constant), value = `${chosen}.constants.${constant}`;
    if (!member) return H.change('constants', place, { from, to: from, text: ` ${constant}: ${value},` }, '');
    const [p, q, match] = member, end = p + text.slice(p, q).trimEnd().length;
    return H.change('constants', place, match[2] ? { from: p + match[0].length, to: end, text: value } : { from: end, to: end, text: `: ${value}` }, '');
  });
}
// Returns the changes in the author's files that use a pipeline of the module, which is in the folder of `home`.
async function usesOf(id, { name, names, configs }, home, module) {
  const record = H.pipelines[id], { description, analysis: a } = record, list = [], imports = new Map();
  const [maker, creator, caller] = await placesOf(id), spaceIn = place => spaceOf(place ?? nowhere, module).space;
  const code = codeChange(maker ?? nowhere, spaceIn(maker), name), range = caller && H.argumentsAt(caller.text, caller.offset);
  if (code) list.push(code);
  if (names.length) list.push(...constantChange(creator ?? nowhere, `${spaceIn(creator)}.${name}`, names));
  const other = a.size.map((n, c) => configs.map(([, size]) => size[c]).find(m => m !== n) ?? n), chosen = `${spaceIn(caller)}.${name}`;
  if (!range || !caller.text.slice(...range).includes(chosen + '.workgroupSize'))
    list.push(...await H.callChanges(record, description, a.size, { size: other, counts: [] }, chosen));
  for (const place of [maker, names.length ? creator : null, caller]) {
    const at = place ? importPlace(place, place.offset) : -1, { space, isKnown } = spaceOf(place ?? nowhere, module);
    if (!place || isKnown || imports.has(place.name + at) || !list.some(one => one.file === place.name)) continue;
    const address = `'${pathFrom(place.name, home)}${module}'`, text = `import * as ${space} from ${address};`;
    const advice = `its script is no module: const ${space} = await import(${address}); in an async function around it`;
    imports.set(place.name + at, at < 0 ? H.change('import', place, { advice }, '') : { ...H.change('import', place, { from: at, to: at, text }, ''), isLine: true });
  }
  return [...imports.values(), ...list].map(one => one.names || one.isLine ? { ...one, use: H.usesText(one) } : one);
}
const nowhere = { name: '', line: 0, text: '', offset: 0 };
// Places of a pipeline's text, creation and dispatch; null: unknown.
const placesOf = id => Promise.all([H.pipelines[id].moduleStack[0], H.pipelines[id].stack[0], H.pipelines[id].description.callStack[0]].map(H.place));
// Returns { home, changes } of pipelines of the module at `path`, [[id, table]]: it is in the folder of an author's file, that of
// `path` or the one with the fewest parents.
H.uses = async (pipelines, path, progress) => {
  progress('finding the sources');
  await H.loadAll();
  const module = path.split('/').pop(), folderOf = name => name.split('/').slice(0, -1).join('/'), changes = [];
  const places = (await Promise.all(pipelines.map(([id]) => placesOf(id)))).flat().filter(Boolean).map(place => place.name);
  const home = places.find(name => folderOf(name) === folderOf(path)) ?? places.sort((a, b) => a.split('/').length - b.split('/').length)[0] ?? '';
  for (const [id, table] of pipelines) changes.push(await usesOf(id, table, home, module));
  return { home, changes };
};
// Writes the text of a change that several pipelines have in common.
H.usesText = ({ text, names, before }) => names ? `${before}[${names.join(', ')}])` : text;
})(globalThis.__heddle);
