// Reader of WGSL for the rules of group sizes: tokens, declarations, values of constant expressions
// and layouts of types. Statements are looked at as tokens; there is no full parser.
(H => {
'use strict';
const RULE = /\/\/[^\n]*|\/\*|[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*|0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?[iufh]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?|<<=|->|&&|\|\||<<|[<>=!]=|\+\+|--|[-+*\/%&|^]=|[^\s]/g;

// Returns [{ s, at, kind }]. ">>" is two tokens, since it also closes templates; comments nest.
function tokenize(code) {
  const tokens = [], rule = new RegExp(RULE);
  for (let match; (match = rule.exec(code));) {
    const [s] = match;
    if (s.startsWith('//')) continue;
    if (s === '/*') {
      let depth = 1, i = rule.lastIndex;
      for (; depth && i < code.length; i++)
        if (code.startsWith('/*', i)) { depth++; i++; } else if (code.startsWith('*/', i)) { depth--; i++; }
      rule.lastIndex = i;
      continue;
    }
    tokens.push({ s, at: match.index, kind: /^[A-Za-z_\u0080-\uffff]/.test(s) ? 'name' : /^\.?\d/.test(s) ? 'number' : 'sign' });
  }
  return tokens;
}
const lineOf = (code, at) => code.slice(0, at).split('\n').length;
const isOpen = s => s === '(' || s === '[' || s === '{', isShut = s => s === ')' || s === ']' || s === '}';
// Returns the index of the token that closes tokens[i].
function closeOf(tokens, i) {
  for (let depth = 0; i < tokens.length; i++) {
    if (isOpen(tokens[i].s)) depth++;
    else if (isShut(tokens[i].s) && --depth === 0) return i;
  }
  throw new Error('brackets are not balanced');
}
// Splits tokens [from, to) at a sign outside all brackets; for a comma, templates count as brackets.
function split(tokens, from, to, sign = ',') {
  const parts = [], opensTemplate = i => sign === ',' && tokens[i].s === '<' &&
    /^(array|vec\d|mat\dx\d|ptr|atomic|texture_\w+|bitcast)$/.test(tokens[i - 1]?.s);
  let depth = 0, start = from;
  for (let i = from; i < to; i++) {
    const { s } = tokens[i];
    if (isOpen(s) || opensTemplate(i)) depth++;
    else if (isShut(s) || (s === '>' && sign === ',' && depth)) depth--;
    else if (s === sign && depth === 0) { parts.push([start, i]); start = i + 1; }
  }
  if (start < to) parts.push([start, to]);
  return parts;
}
const textOf = (tokens, [from, to]) => tokens.slice(from, to).map(t => t.s).join(' ');

class Module {
  constructor(code) {
    Object.assign(this, { code, tokens: tokenize(code), functions: {}, values: {}, variables: {}, structs: {}, aliases: {}, spans: new Map() });
    const { tokens } = this;
    for (let i = 0, attributes = [], begin = -1; i < tokens.length;) {
      const { s } = tokens[i];
      if (begin < 0) begin = i;
      if (s === '@') {
        const [one, next] = this.attribute(i);
        attributes.push(one);
        i = next;
        continue;
      }
      if (s === 'fn') i = this.addFunction(i, attributes);
      else if (s === 'struct') i = this.addStruct(i);
      else if (/^(const|override|let|var|alias|enable|requires|diagnostic|const_assert)$/.test(s)) i = this.addValue(i, attributes);
      else { i++; begin = -1; continue; }
      this.spans.set(this.declared, [begin, i]);
      attributes = [];
      begin = -1;
    }
  }
  // Reads the attribute at '@': [attribute, index after it].
  attribute(i) {
    const { tokens } = this, one = { name: tokens[i + 1]?.s, args: [] };
    if (tokens[i + 2]?.s !== '(') return [one, i + 2];
    const end = closeOf(tokens, i + 2);
    one.args = split(tokens, i + 3, end);
    return [one, end + 1];
  }
  members(from, to) {
    return split(this.tokens, from, to).map(([a, b]) => {
      const attributes = [];
      while (this.tokens[a]?.s === '@') {
        const [one, next] = this.attribute(a);
        attributes.push(one);
        a = next;
      }
      return { name: this.tokens[a]?.s, attributes, type: [a + 2, b] };
    }).filter(m => m.name);
  }
  addFunction(i, attributes) {
    const { tokens } = this, end = closeOf(tokens, i + 2);
    let body = end + 1;
    while (body < tokens.length && tokens[body].s !== '{') body++;
    const last = closeOf(tokens, body), name = tokens[i + 1].s;
    this.declared = name;
    this.functions[name] = { name, attributes, parameters: this.members(i + 3, end), body: [body + 1, last], at: tokens[i].at };
    return last + 1;
  }
  addStruct(i) {
    const end = closeOf(this.tokens, i + 2);
    this.declared = this.tokens[i + 1].s;
    this.structs[this.declared] = this.members(i + 3, end);
    return end + 1;
  }
  // Returns the first token outside brackets at or after i with one of the texts, at most `end`.
  find(i, end, signs) {
    for (let depth = 0; i < end; i++) {
      const { s } = this.tokens[i];
      if (depth === 0 && signs.includes(s)) break;
      if (isOpen(s)) depth++;
      else if (isShut(s)) depth--;
    }
    return i;
  }
  addValue(i, attributes) {
    const { tokens } = this, kind = tokens[i].s, end = this.find(i, tokens.length, [';']);
    let k = i + 1, space = '', access = '';
    if (kind === 'var' && tokens[k]?.s === '<') {
      space = tokens[k + 1].s;
      if (tokens[k + 2].s === ',') access = tokens[k + 3].s;
      while (tokens[k].s !== '>') k++;
      k++;
    }
    const name = this.declared = tokens[k]?.s, equal = this.find(k + 1, end, ['=']);
    const found = { name, kind, space, access, attributes, token: k, type: tokens[k + 1]?.s === ':' ? [k + 2, equal] : null,
      value: equal < end ? [equal + 1, end] : null };
    if (kind === 'var') this.variables[name] = found;
    else if (kind === 'alias') this.aliases[name] = found.value;
    else if (kind === 'const' || kind === 'override') this.values[name] = found;
    return end + 1;
  }
  // Returns the names of the declarations that a function depends on, its own included.
  dependencies(name) {
    const { tokens, spans } = this, seen = new Set([name]);
    for (const one of seen) // grows
      for (let [i, end] = spans.get(one); i < end; i++)
        if (tokens[i].kind === 'name' && tokens[i - 1]?.s !== '.' && spans.has(tokens[i].s)) seen.add(tokens[i].s);
    return seen;
  }
  // Returns the value that a name of the module has, with the constants that the page gave; NaN: unknown.
  named(name, constants) {
    const known = this.values[name];
    if (!known) return NaN;
    const id = known.attributes.find(a => a.name === 'id');
    const given = constants[name] ?? (id && constants[textOf(this.tokens, id.args[0])]);
    if (known.kind === 'override' && given !== undefined) return Number(given);
    return known.value ? this.value(known.value, constants) : NaN;
  }
  // Evaluates tokens [from, to) as an expression of numbers, constants and overrides; NaN: unknown.
  // `lookup(i)` (optional) returns { value, last } for other names.
  value([from, to], constants = {}, lookup = null) {
    let out = '';
    for (let i = from; i < to; i++) {
      const { s, kind } = this.tokens[i];
      if (kind === 'number') out += `(${wholeOf(s) ?? parseFloat(s)})`;
      else if (s === 'u32' || s === 'i32') out += 'Math.trunc';
      else if (/^(min|max|ceil|floor)$/.test(s)) out += 'Math.' + s;
      else if (kind === 'name') {
        const got = this.values[s] ? { value: this.named(s, constants), last: i } : lookup?.(i);
        if (!got || Number.isNaN(got.value)) return NaN;
        out += `(${got.value})`;
        i = got.last;
      } else if (/^([-+*\/%(),>]|<<)$/.test(s)) out += s + (s === '/' ? ' ' : '');
      else return NaN;
    }
    return H.arithmetic(out);
  }
}
// Returns a text with edits, [{ from, to, text }].
H.rewritten = (text, edits) => [...edits].sort((a, b) => b.from - a.from).reduce((out, e) => out.slice(0, e.from) + e.text + out.slice(e.to), text);
// Returns the whole number of a literal; undefined: another literal.
function wholeOf(s) {
  const match = /^(0[xX][0-9a-fA-F]+|\d+)[iu]?$/.exec(s);
  return match ? Number(match[1]) : undefined;
}
// Evaluates JavaScript's arithmetic of numbers, + - * / % << >>, Math.trunc, min, max, ceil and floor, without eval(), which
// a page's policy may forbid. Divisions of whole numbers are rounded down at the end.
H.arithmetic = text => {
  const tokens = text.match(/Math\.\w+|[\d.]+(?:e[+-]?\d+)?|NaN|<<|>>|[-+*\/%(),]/g) ?? [];
  let i = 0;
  const list = () => {
    const values = [sum()];
    while (tokens[i] === ',') { i++; values.push(sum()); }
    i++; // ')'
    return values;
  };
  const unary = () => {
    const t = tokens[i++];
    if (t === '-') return -unary();
    if (t === '+') return unary();
    if (t === '(') return list()[0];
    if (t?.startsWith('Math.')) { i++; return Math[t.slice(5)]?.(...list()) ?? NaN; }
    return t === undefined ? NaN : Number(t);
  };
  const product = () => {
    let left = unary();
    for (let t; (t = tokens[i]) === '*' || t === '/' || t === '%';) {
      i++;
      const right = unary();
      left = t === '*' ? left * right : t === '/' ? left / right : left % right;
    }
    return left;
  };
  const added = () => {
    let left = product();
    for (let t; (t = tokens[i]) === '+' || t === '-';) { i++; left = t === '+' ? left + product() : left - product(); }
    return left;
  };
  const sum = () => {
    let left = added();
    for (let t; (t = tokens[i]) === '<<' || t === '>>';) { i++; left = t === '<<' ? left * 2 ** added() : Math.floor(left / 2 ** added()); }
    return left;
  };
  const value = sum();
  return i < tokens.length ? NaN : Math.trunc(value);
};

/* ---- layouts of types, for the members that guards read ---- */

const BYTES = { f32: 4, i32: 4, u32: 4, f16: 2, bool: 4 }, LETTERS = { f: 'f32', i: 'i32', u: 'u32', h: 'f16' };
const up = (n, to) => Math.ceil(n / to) * to;
function vectorLayout(match, next) {
  const scalar = match[2] ? LETTERS[match[2]] : next ?? 'f32', bytes = BYTES[scalar], width = +match[1];
  return { size: width * bytes, align: (width === 3 ? 4 : width) * bytes, scalar, width };
}
function structLayout(module, members, constants) {
  const out = {};
  let at = 0, align = 1;
  for (const member of members) {
    const one = { ...layoutOf(module, member.type, constants) };
    for (const a of member.attributes)
      if (a.name === 'align' || a.name === 'size') one[a.name] = module.value(a.args[0], constants);
    at = up(at, one.align);
    out[member.name] = { ...one, offset: at };
    at += one.size;
    align = Math.max(align, one.align);
  }
  return { size: up(at, align), align, members: out };
}
// Returns { size, align, scalar, width, stride, runtime, members } of the type in tokens [from, to).
function layoutOf(module, [from, to], constants) {
  const { tokens } = module, { s } = tokens[from];
  if (module.aliases[s]) return layoutOf(module, module.aliases[s], constants);
  if (BYTES[s]) return { size: BYTES[s], align: BYTES[s], scalar: s };
  if (s === 'atomic') return layoutOf(module, [from + 2, to - 1], constants);
  const vector = /^vec([234])([fiuh])?$/.exec(s), matrix = /^mat([234])x([234])([fh])?$/.exec(s);
  if (vector) return vectorLayout(vector, tokens[from + 2]?.s);
  if (matrix) {
    const bytes = matrix[3] === 'h' || tokens[from + 2]?.s === 'f16' ? 2 : 4, align = (matrix[2] === '3' ? 4 : +matrix[2]) * bytes;
    return { size: matrix[1] * align, align };
  }
  if (s === 'array') {
    let end = to - 1;
    while (tokens[end].s !== '>') end--;
    const [item, count] = split(tokens, from + 2, end), one = layoutOf(module, item, constants), stride = up(one.size, one.align);
    return { size: count ? stride * module.value(count, constants) : stride, align: one.align, stride, runtime: !count };
  }
  return module.structs[s] ? structLayout(module, module.structs[s], constants) : { size: NaN, align: 4 };
}
// Returns the array without a length of a variable's type, { offset, stride }; undefined: none.
function runtimeArray(module, variable, constants) {
  const layout = variable.type && layoutOf(module, variable.type, constants);
  if (layout?.runtime) return { offset: 0, stride: layout.stride };
  return Object.values(layout?.members ?? {}).find(m => m.runtime);
}
H.wgsl = { Module, tokenize, lineOf, closeOf, split, textOf, wholeOf, layoutOf, runtimeArray };
})(globalThis.__heddle ??= {});
