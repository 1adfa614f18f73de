// Places of a pipeline in the author's files, and the changes of a tuned size as a patch: the size in the
// shader's text, and the division in the arguments of dispatchWorkgroups(). Files are those that the
// page has loaded; source maps lead from them to the author's.
(H => {
'use strict';
const MOST_FILES = 100, MOST_BYTES = 4e6, TEXT = /\.(m?[jt]sx?|wgsl|html?|vue|svelte)$|\/$/;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const files = new Map(), loaded = new Map(); // name -> text of an author's file; address -> { name, text, map }

/* ---- files and source maps ---- */

// Returns the source, row and column (from 0) of the mapping at or before a position of a generated text.
H.mapPosition = (mappings, line, column) => {
  let source = 0, row = 0, col = 0, best = null;
  for (const [number, segments] of mappings.split(';').slice(0, line + 1).entries()) {
    let at = 0;
    for (const segment of segments.split(',').filter(Boolean)) {
      const fields = [];
      let value = 0, shift = 0;
      for (const letter of segment) {
        const digit = DIGITS.indexOf(letter);
        value |= (digit & 31) << shift;
        if (digit & 32) { shift += 5; continue; }
        fields.push(value & 1 ? -(value >> 1) : value >> 1);
        value = shift = 0;
      }
      at += fields[0];
      if (fields.length < 4) continue;
      source += fields[1];
      row += fields[2];
      col += fields[3];
      if (number === line && at <= column) best = { source, row, col };
    }
  }
  return best;
};
const nameOf = address => decodeURIComponent(new URL(address).pathname.replace(/^\//, '')) || 'index.html';
async function fetchText(address) {
  const answer = await fetch(address).catch(() => null);
  const text = answer?.ok ? await answer.text() : null;
  return text && text.length <= MOST_BYTES ? text : null;
}
async function mapOf(address, text) {
  const match = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(text);
  if (!match) return null;
  try {
    const map = JSON.parse(await fetchText(new URL(match[1], address).href));
    return Array.isArray(map.sources) && Array.isArray(map.sourcesContent) && typeof map.mappings === 'string' ? map : null;
  } catch { return null; }
}
// Loads a file and what its source map contains.
H.load = async address => {
  const plain = address.split('#')[0];
  if (loaded.has(plain)) return loaded.get(plain);
  const text = await fetchText(plain), entry = text === null ? null : { name: nameOf(plain), text, map: await mapOf(plain, text) };
  loaded.set(plain, entry);
  if (!entry) return null;
  if (entry.map) {
    entry.names = entry.map.sources.map(source => nameOf(new URL((entry.map.sourceRoot ?? '') + source, plain).href));
    entry.names.forEach((name, i) => typeof entry.map.sourcesContent[i] === 'string' && files.set(name, entry.map.sourcesContent[i]));
  } else files.set(entry.name, text);
  return entry;
};
// True if a page loads an author's file by a script tag that makes no module of it: `import` would be an error there.
H.isClassic = name => [...loaded].some(([address, page]) => page && !/\.([cm]?[jt]sx?|wgsl)$/.test(page.name) &&
  [...page.text.matchAll(/<script\b[^>]*>/gi)].some(([tag]) => {
    const source = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag), path = source && (source[1] ?? source[2] ?? source[3]);
    return path && !/\stype\s*=\s*["']?module\b/i.test(tag) && URL.canParse(path, address) && nameOf(new URL(path, address).href) === name;
  }));
async function loadAll() {
  const { origin } = location, list = [location.href, ...performance.getEntriesByType('resource').map(e => e.name)];
  const own = [...new Set(list)].filter(a => a.startsWith(origin + '/') && TEXT.test(new URL(a).pathname));
  for (const address of own.slice(0, MOST_FILES)) await H.load(address);
}

/* ---- calls ---- */

const offsetOf = (text, row, col) => text.split('\n').slice(0, row).reduce((sum, line) => sum + line.length + 1, 0) + col;
const rowOf = (text, offset) => text.slice(0, offset).split('\n').length;
// Returns [from, to) inside the brackets at or after an offset, those of a call if none are named; null: none.
H.argumentsAt = (text, offset, bracket = '(') => {
  const open = text.indexOf(bracket, offset);
  if (open < 0) return null;
  for (let i = open, depth = 0; i < text.length && i < open + 4000; i++) {
    if ('([{'.includes(text[i])) depth++;
    else if (')]}'.includes(text[i]) && --depth === 0) return [open + 1, i];
  }
  return null;
};
// Returns the author's file of a line of a stack, { name, line, offset, text }; null: unknown.
H.place = async frame => {
  const match = /((?:https?|file):\/\/[^\s)]+?):(\d+):(\d+)\)?$/.exec(frame ?? ''), entry = match && await H.load(match[1]);
  if (!entry) return null;
  let { name, text } = entry, row = match[2] - 1, col = match[3] - 1;
  const found = entry.map && H.mapPosition(entry.map.mappings, row, col);
  if (found && files.has(entry.names[found.source])) {
    name = entry.names[found.source];
    text = files.get(name);
    ({ row, col } = found);
  }
  return { name, line: row + 1, offset: offsetOf(text, row, col), text };
};
// Splits [from, to) of a text at its commas outside brackets.
H.splitArguments = (text, [from, to]) => {
  const parts = [];
  let depth = 0, start = from;
  for (let i = from; i < to; i++) {
    if ('([{'.includes(text[i])) depth++;
    else if (')]}'.includes(text[i])) depth--;
    else if (text[i] === ',' && !depth) { parts.push([start, i]); start = i + 1; }
  }
  if (text.slice(start, to).trim()) parts.push([start, to]);
  return parts;
};
// Returns the edits of the first part of [from, to) that a rule's first group matches, or of all parts.
function replaceIn(text, [from, to], rule, value, isAll = false) {
  const found = [...text.slice(from, to).matchAll(new RegExp(rule, 'g'))].map(match => {
    const at = from + match.index + match[0].lastIndexOf(match[1]);
    return { from: at, to: at + match[1].length, text: String(value) };
  });
  return isAll ? found : found.slice(0, 1);
}
const END = '(?![\\w.])', escaped = name => name.replace(/[$.]/g, '\\$&');
// Returns the edits of the size in a division, and the name of the divisor if it has one.
function divisionEdits(text, range, { size, wanted, expression, peers = [range] }) {
  const log = Math.log2(size), written = expression ?? wanted, isPower = [log, Math.log2(wanted)].every(Number.isInteger) && log > 0;
  const literal = replaceIn(text, range, `/\\s*\\(?\\s*(${size})${END}`, written);
  if (literal.length) return { edits: literal, name: '' };
  const shift = isPower ? replaceIn(text, range, `>>>?\\s*(${log})${END}`, expression ? `Math.log2(${expression})` : Math.log2(wanted)) : [];
  if (shift.length) return { edits: shift, name: '' };
  const name = /\/\s*\(?\s*([A-Za-z_$][\w$.]*)(?![\w$.]*\s*\()/.exec(text.slice(...range))?.[1] ?? '', declared = name && nameEdit(text, name, size, wanted);
  if (!name) return { edits: [], name };
  if (!declared || (!expression && isUsedElsewhere(text, declared, peers))) return { edits: [], name };
  return { name, edits: expression ? replaceIn(text, range, `(?<![\\w$.])(${escaped(name)})(?![\\w$])`, written, true) : [declared] };
}
// True if a declared name occurs outside its declaration and some ranges.
function isUsedElsewhere(text, declared, ranges) {
  const name = escaped(declared.name.split('.').pop()), isDeclaration = use => use.to <= declared.from && /^\s*(:\s*number\s*)?[=:]\s*$/.test(text.slice(use.to, declared.from));
  return replaceIn(text, [0, text.length], `(?<![\\w$])(${name})(?![\\w$])`, '', true)
    .some(use => !isDeclaration(use) && !ranges.some(([from, to]) => use.from >= from && use.to <= to));
}
// Returns the edits of an argument of dispatchWorkgroups() that follow the size, [{ from, to, text }]. `expression` (optional)
// is written in place of the wanted size. `peers` (optional): ranges of the arguments with the same sizes. The count of an
// argument that no rule reads is scaled; one that rounds down is right for the author's size alone. `isCut` (optional): its value has a
// fraction, which the browser cuts off.
H.editArgument = (text, range, launch) => {
  const { size, wanted, expression, isCut } = launch, argument = text.slice(...range), { edits, name } = divisionEdits(text, range, launch);
  const begin = range[0] + argument.search(/\S/), end = range[0] + argument.trimEnd().length, whole = value => [{ from: begin, to: end, text: value }];
  const count = text.slice(begin, end), factor = isCut ? `Math.floor(${count})` : /^[\w$.]+$|^[\w$.]+\([^()]*\)$/.test(count) ? count : `(${count})`;
  // (n + 63) / 64 rounds up, too
  const addends = [...replaceIn(text, range, `\\+\\s*\\(?\\s*(${size - 1})${END}`, expression ? `${expression} - 1` : wanted - 1),
    ...replaceIn(text, range, `\\+\\s*\\(?\\s*(${size})\\s*-\\s*1${END}`, expression ?? wanted)];
  const isUp = addends.length || /\bceil\b/.test(argument) || (name && new RegExp(`\\+\\s*\\(?\\s*${escaped(name)}\\s*-\\s*1\\b`).test(argument));
  if (size > 1 && edits.length && isUp) return [...edits, ...addends];
  if (size > 1 && edits.length && !isCut && (!name || expression) && !/floor|trunc|round|>>|\||~/.test(argument))
    return whole(`Math.ceil(${H.rewritten(count, edits.map(e => ({ ...e, from: e.from - begin, to: e.to - begin })))})`);
  if (!expression && size % wanted === 0) return whole(`${factor} * ${size / wanted}`);
  if (!expression && wanted % size === 0) return whole(`Math.ceil(${factor} / ${wanted / size})`);
  return whole(`Math.ceil(${factor} ${size > 1 ? `* ${size} ` : ''}/ ${expression ?? wanted})`);
};
// Edits the declaration of a name, `const NAME = 64`, if there is exactly one in the file.
function nameEdit(text, name, size, wanted) {
  const last = name.split('.').pop(), rule = new RegExp(`\\b${last.replace(/\$/g, '\\$')}\\s*(?::\\s*number\\s*)?[=:]\\s*(${size})(?![\\w.])`, 'g');
  const found = [...text.matchAll(rule)];
  if (found.length !== 1) return null;
  const at = found[0].index + found[0][0].length - found[0][1].length;
  return { from: at, to: at + found[0][1].length, text: String(wanted), name };
}

/* ---- the shader's text ---- */

const usefulLines = text => text.split('\n').map(line => line.trim()).filter(line => line.length > 8);
// Returns the file that contains most of a shader's text with its @workgroup_size, { name, text, offset }; null: none.
H.shaderFile = (code, entry, list = files) => {
  const rule = new RegExp(`@workgroup_size\\s*\\([^;{}]*(\\$\\{[^}]*\\}[^;{}]*)*\\)[^;{}]*?\\bfn\\s+${entry}\\b`, 'g'), lines = usefulLines(code);
  let best = null;
  for (const [name, text] of list)
    for (const match of text.matchAll(rule)) {
      const own = usefulLines(text.slice(match.index, match.index + code.length)).slice(0, 12);
      const shared = lines.filter(line => text.includes(line)).length / Math.max(1, lines.length);
      const near = own.filter(line => code.includes(line)).length / Math.max(1, own.length);
      if (shared + near > (best?.score ?? 0.5)) best = { name, text, offset: match.index, score: shared + near };
    }
  return best;
};
// Returns the pieces of a text around an edit by which it is found elsewhere, [from, to): its line, its
// attribute, some letters around it.
function contextsOf(code, { from, to }) {
  const begin = code.lastIndexOf('\n', from - 1) + 1, newline = code.indexOf('\n', from), end = newline < 0 ? code.length : newline;
  const attribute = code.lastIndexOf('@workgroup_size', from), shut = code.indexOf(')', to);
  const list = [[begin, end], [Math.max(begin, from - 24), Math.min(end, to + 8)]];
  if (attribute >= 0 && !code.slice(attribute, from).includes(')') && shut >= 0) list.splice(1, 0, [attribute, shut + 1]);
  return list.filter(([a, b]) => code.slice(a, b).trim().length > 5);
}
// Returns the edit of the placeholder, `@workgroup_size(${SIZE})`, whose value an edit of the attribute replaces; null: there is
// none, or other texts are made of the same template.
function placeholderEdit(code, edit, file) {
  const attribute = code.lastIndexOf('@workgroup_size', edit.from), sizes = attribute >= 0 && H.argumentsAt(code, attribute), written = H.argumentsAt(file.text, file.offset);
  if (!sizes || !written || edit.from < sizes[0] || edit.to > sizes[1]) return null;
  const index = H.splitArguments(code, sizes).findIndex(([from, to]) => from <= edit.from && edit.to <= to), part = H.splitArguments(file.text, written)[index];
  const match = part && /^\s*(\$\{[^{}`]*\})\s*$/.exec(file.text.slice(...part));
  const isShared = H.pipelines.some(p => p.code !== code && (other => other?.name === file.name && other.offset === file.offset)(H.shaderFile(p.code, p.entry)));
  if (!match || isShared) return null;
  const from = part[0] + match[0].indexOf(match[1]);
  return { ...edit, from, to: from + match[1].length };
}
// Returns the edits of a shader's text as edits of the file that contains it; those without a place there have { advice }.
H.shaderEdits = (code, edits, file) => {
  const whole = file.text.indexOf(code);
  return edits.map(edit => {
    if (whole >= 0) return { ...edit, from: whole + edit.from, to: whole + edit.to };
    for (const [from, to] of contextsOf(code, edit)) {
      const piece = code.slice(from, to), places = [];
      for (let at = file.text.indexOf(piece); at >= 0; at = file.text.indexOf(piece, at + 1)) places.push(at);
      const isAttribute = piece.startsWith('@workgroup_size'), place = isAttribute ? places.find(at => at === file.offset) : places.length === 1 ? places[0] : undefined;
      if (place !== undefined) return { ...edit, from: place + edit.from - from, to: place + edit.to - from };
    }
    return placeholderEdit(code, edit, file) ??
      { advice: `write ${edit.text} for "${code.slice(edit.from, edit.to)}" in line ${rowOf(code, edit.from)} of the shader` };
  });
};

/* ---- all changes of a pipeline ---- */

// Returns the line at an offset; of a line that is long, as in bundles, the part around it, and its column (from 1).
const LONGEST_ROW = 120;
const lineAt = (text, offset) => {
  const start = text.slice(0, offset).lastIndexOf('\n') + 1, line = text.slice(start).split('\n', 1)[0], column = offset - start;
  if (line.trim().length <= LONGEST_ROW) return { row: line.trim() };
  const from = Math.max(0, Math.min(column - LONGEST_ROW / 2, line.length - LONGEST_ROW)), to = from + LONGEST_ROW;
  return { column: column + 1, row: `${from ? '...' : ''}${line.slice(from, to).trim()}${to < line.length ? '...' : ''}` };
};
const change = (kind, file, edit, before) => edit.advice
  ? { kind, file: file.name, line: file.line, column: file.offset === undefined ? undefined : lineAt(file.text, file.offset).column, advice: edit.advice, before }
  : { kind, file: file.name, line: rowOf(file.text, edit.from), ...lineAt(file.text, edit.from), from: edit.from, to: edit.to, text: edit.text, before: file.text.slice(edit.from, edit.to) };
// The size is the value of an override: where the page gives it, or else its default in the text.
async function constantChanges(record, best) {
  const names = Object.keys(best.constants).filter(name => best.constants[name] !== record.constants[name]), list = [];
  const place = names.length ? await H.place(record.stack[0]) : null;
  for (const name of names) {
    const edit = place && name in record.constants && nameEdit(place.text, name, record.constants[name], best.constants[name]);
    list.push(change('constants', place ?? { name: '', line: 0 }, edit || { advice: `constants: { ${name}: ${best.constants[name]} } in createComputePipeline()` }, ''));
  }
  return list;
}
// `use` (optional) is the name of the pipeline in a module that chooses: its size is written in place of a number.
async function callChanges(record, description, size, best, use) {
  const list = [], place = await H.place(description.callStack[0]), range = place && H.argumentsAt(place.text, place.offset);
  const changed = [0, 1, 2].filter(c => size[c] !== best.size[c]), written = c => use ? `${use}.workgroupSize[${c}]` : best.size[c];
  if (description.indirect) {
    const file = place ?? { name: '', line: 0 };
    return [change('indirect', file, { advice: `the counts come from a buffer: divide by ${changed.map(written)} where ${changed.map(c => size[c])} is, ` +
      (description.writers.length ? `at ${description.writers[0][0]}` : 'in the shader that writes it') }, 'dispatchWorkgroupsIndirect')];
  }
  if (!range) return [{ kind: 'dispatch', file: description.callStack[0] ?? '', line: 0, before: '',
    advice: `divide by ${changed.map(written)} where ${changed.map(c => size[c])} is; the file of the call cannot be read` }];
  const others = H.pipelines.filter(p => p !== record && p.keys.some(k => k.stack[0] === description.callStack[0])).map(p => p.description.entry);
  if (others.length) return [change('dispatch', place, { advice: `this call also launches ${others.slice(0, 4).join(', ')}: divide by the size of each, here ` +
    changed.map(written).join(', ') }, 'dispatchWorkgroups')];
  const parts = H.splitArguments(place.text, range), before = place.text.slice(...range).replace(/\s+/g, ' ').trim();
  for (const c of changed) {
    if (!parts[c] || /^\s*\.\.\./.test(place.text.slice(...parts[c]))) {
      if (!parts[c] && !/^\s*\.\.\./.test(place.text.slice(...parts[0] ?? [0, 0]))) continue;
      list.push(change('dispatch', place, { advice: `component ${'xyz'[c]}: divide by ${written(c)} where it is divided by ${size[c]}` }, before));
      continue;
    }
    if (!use && best.counts[c] === description.counts[c]) continue;
    const edits = H.editArgument(place.text, parts[c], { size: size[c], wanted: best.size[c], isCut: description.isCut?.[c], expression: use && written(c),
      peers: parts.filter((_, other) => size[other] === size[c] && best.size[other] === best.size[c]) });
    for (const edit of edits) list.push(change('dispatch', place, edit, before));
  }
  return list;
}
// Returns { frame, advice } for a shader that a library writes at run time, whose calls are those of the library: the frame of
// the author's own call, or undefined; null: no library.
const isLibrary = frame => /\/node_modules\/|\.min\.m?js\b|\/three(\.\w+)*\.js\b/.test(frame);
H.libraryOf = (code, stack, size) => {
  const isThree = /^\/\/ Three\.js /.test(code), isOutside = isLibrary(stack[0] ?? '');
  if (!isThree && !isOutside) return null;
  const frame = isOutside ? stack.find(line => /:\d+:\d+\)?$/.test(line) && !isLibrary(line)) : undefined; // in a bundle the library's frames are those of the author's file
  const sizes = `[${size.join(', ')}]`.replace(/(, 1)+\]$/, ']');
  return { frame, advice: isThree ? `three.js writes this shader: compute(COUNT, ${sizes}) where its node is made`
    : `a library writes this shader and counts its groups: give the size ${sizes} to it` };
};
// Returns the changes in the author's files for the best size of a pipeline: [{ kind, file, line, column, from, to, text, before, row, advice }].
H.changes = async (id, best, progress) => {
  const record = H.pipelines[id], { description, analysis } = record;
  progress(`${analysis.entry}: finding its source`);
  await loadAll();
  const list = [], file = H.shaderFile(record.code, analysis.entry);
  const library = file ? null : H.libraryOf(record.code, description.callStack, best.size), caller = library?.frame && await H.place(library.frame);
  if (library) return [change('library', caller || { name: record.label || 'the shader', line: 1 }, { advice: library.advice }, '')];
  if (file) file.line = rowOf(file.text, file.offset);
  if (best.edits.length && file) for (const edit of H.shaderEdits(record.code, best.edits, file)) list.push(change('shader', file, edit, '@workgroup_size'));
  else for (const edit of best.edits) list.push({ kind: 'shader', file: record.label || 'the shader', line: rowOf(record.code, edit.from),
    advice: `write ${edit.text} for "${record.code.slice(edit.from, edit.to)}"`, before: '' });
  const shared = H.sharedBy(record, best.edits);
  if (shared) list.push({ kind: 'shader', file: file?.name ?? 'the shader', line: file?.line ?? 0, advice: shared, before: '' });
  return [...list, ...await constantChanges(record, best), ...await callChanges(record, description, analysis.size, best)];
};
// Returns a unified diff of the changes of pipelines, [[change]], and the number of pipelines that it leaves out, since a
// change is an advice or contradicts an earlier one: half of the changes would break the page.
H.patch = pipelines => {
  const byFile = new Map(), isSame = (a, b) => a.from === b.from && a.to === b.to, overlaps = (a, b) => isSame(a, b) || (a.from < b.to && b.from < a.to);
  let omitted = 0;
  for (const changes of pipelines) {
    const earlier = one => [...byFile.get(one.file) ?? [], ...changes.filter(e => e.file === one.file)];
    const contradicts = one => earlier(one).some(e => overlaps(e, one) && !(isSame(e, one) && e.text === one.text && e.kind === one.kind));
    if (changes.some(one => one.advice || !files.has(one.file) || contradicts(one))) { omitted++; continue; }
    for (const one of changes) {
      const list = byFile.get(one.file) ?? byFile.set(one.file, []).get(one.file), known = list.find(e => isSame(e, one));
      if (!known) list.push({ ...one });
      else if (one.names) known.names = [...new Set([...known.names, ...one.names])];
    }
  }
  let diff = '';
  for (const [name, edits] of byFile) diff += H.diff(name, files.get(name), edits.map(e => e.names ? { ...e, text: H.usesText(e) } : e));
  return { diff, omitted };
};
// Returns the unified diff of edits; each keeps the number of lines, or inserts a line before a row.
H.diff = (name, text, edits) => {
  const a = text.split('\n'), b = H.rewritten(text, edits.filter(e => !e.isLine)).split('\n'), inserted = new Map();
  for (const e of edits) if (e.isLine) inserted.set(rowOf(text, e.from) - 1, e.text);
  const changed = a.map((line, i) => line !== b[i] || inserted.has(i) ? i : -1).filter(i => i >= 0);
  let out = `--- a/${name}\n+++ b/${name}\n`, added = 0;
  for (let i = 0; i < changed.length;) {
    let last = i, body = '', count = 0;
    while (last + 1 < changed.length && changed[last + 1] - changed[last] <= 6) last++;
    const from = Math.max(0, changed[i] - 3), end = text.endsWith('\n') ? a.length - 1 : a.length, to = Math.min(end, changed[last] + 4);
    const put = (sign, list, row) => { body += sign + list[row] + (row === a.length - 1 ? '\n\\ No newline at end of file\n' : '\n'); };
    for (let row = from; row < to; row++) {
      if (inserted.has(row)) { body += `+${inserted.get(row)}\n`; count++; }
      if (a[row] === b[row]) { put(' ', a, row); continue; }
      let rows = row;
      while (rows < to && a[rows] !== b[rows] && (rows === row || !inserted.has(rows))) rows++;
      for (let k = row; k < rows; k++) put('-', a, k);
      for (let k = row; k < rows; k++) put('+', b, k);
      row = rows - 1;
    }
    out += `@@ -${from + 1},${to - from} +${from + 1 + added},${to - from + count} @@\n${body}`;
    added += count;
    i = last + 1;
  }
  return out;
};
Object.assign(H, { files, loadAll, change, callChanges });
})(globalThis.__heddle);
