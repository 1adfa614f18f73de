// Rules of a compute shader's group size: parts that depend on the size, the guard that ends the
// items, and the bindings in use.
//
// kind 'free': each item depends on its global id and the bindings alone, so the size decides only
// which ids run. 'together': items use group memory, barriers, subgroups, or their place in the
// group. 'single': one item a group. 'refused': the size is unknown.
(H => {
'use strict';
const { Module, lineOf, closeOf, split, textOf, wholeOf, layoutOf, runtimeArray } = H.wgsl;
const OF_GROUP = /^(local_invocation_id|local_invocation_index|workgroup_id|num_workgroups|subgroup_size|subgroup_invocation_id|subgroup_id|num_subgroups|workgroup_index|global_invocation_index)$/;
const OF_GROUP_CALL = /^(workgroupBarrier|storageBarrier|textureBarrier|workgroupUniformLoad|subgroup\w+|quad(Broadcast|Swap)\w*)$/;
const OLD_VALUE = /^atomic(Add|Sub|Max|Min|And|Or|Xor|Exchange|CompareExchangeWeak)$/;
const ASSIGNMENT = /^(([-+*\/%&|^]|<<)?=|\+\+|--)$/;

class Analysis {
  constructor(code, entry, constants) {
    Object.assign(this, { module: new Module(code), code, constants, size: [1, 1, 1], how: [], reasons: [], linked: [], sums: [], shared: [],
      fixed: new Set(), exactOnly: false, guards: [], writable: [], readable: [], orderDependent: 0, uses: new Map(), reached: new Set() });
    this.t = this.module.tokens;
    const computes = Object.values(this.module.functions).filter(f => f.attributes.some(a => a.name === 'compute'));
    this.main = entry ? this.module.functions[entry] : computes.length === 1 ? computes[0] : null;
    if (!this.main) throw new Error(`no compute entry point "${entry}" in the text`);
    this.entry = this.main.name;
    this.readSize();
    this.walk(this.main);
    this.readBindings();
    if (this.size.some(Number.isNaN)) { this.kind = 'refused'; this.reasons.push('@workgroup_size is not a number that is known'); return; }
    this.readBuiltins();
    this.link();
    this.findOtherUses();
    this.readGuards();
    this.reasons = [...new Set(this.reasons)];
    this.kind = this.reasons.length ? 'together' : 'free';
    if (this.kind === 'together' && this.size.every(n => n === 1)) this.kind = 'single';
  }
  readSize() {
    this.args = (this.main.attributes.find(a => a.name === 'workgroup_size') ?? { args: [] }).args;
    this.args.forEach((range, i) => {
      const one = range[1] - range[0] === 1 ? this.t[range[0]] : null, known = one && this.module.values[one.s];
      this.size[i] = this.module.value(range, this.constants);
      this.how[i] = one?.kind === 'number' ? 'literal' : known ? known.kind : 'expression';
    });
  }
  // Notes the names that a function uses, and all functions that it calls.
  walk(f) {
    if (this.reached.has(f.name)) return;
    this.reached.add(f.name);
    for (let i = f.body[0]; i < f.body[1]; i++) {
      if (this.t[i].kind !== 'name' || this.t[i - 1].s === '.') continue;
      const { s } = this.t[i], called = this.module.functions[s];
      if (!this.uses.has(s)) this.uses.set(s, []);
      this.uses.get(s).push(i);
      if (called && this.t[i + 1]?.s === '(') this.walk(called);
    }
  }
  readBindings() {
    for (const v of Object.values(this.module.variables)) {
      const group = v.attributes.find(a => a.name === 'group'), binding = v.attributes.find(a => a.name === 'binding');
      if (!group || !binding || !this.uses.has(v.name)) continue;
      const number = a => this.module.value(a.args[0], this.constants), type = textOf(this.t, v.type ?? [0, 0]);
      v.where = number(group) + '.' + number(binding);
      this.readable.push(v.where);
      if ((v.space === 'storage' && v.access === 'read_write') || (/^texture_storage/.test(type) && /write/.test(type))) this.writable.push(v.where);
    }
  }
  // Notes the names of built-in values: parameters, and members of structs of parameters.
  readBuiltins() {
    this.named = new Map();
    const note = (name, member) => {
      const b = member.attributes.find(a => a.name === 'builtin');
      if (b) this.named.set(name, textOf(this.t, b.args[0]));
      return !!b;
    };
    for (const p of this.main.parameters)
      if (!note(p.name, p)) for (const m of this.module.structs[this.t[p.type[0]]?.s] ?? []) note(p.name + '.' + m.name, m);
  }
  // Returns [built-in value, index after it] of the name at i; null: another name.
  builtinAt(i) {
    const { t } = this;
    if (t[i]?.kind !== 'name' || t[i - 1]?.s === '.') return null;
    if (this.named.has(t[i].s)) return [this.named.get(t[i].s), i + 1];
    const member = t[i + 1]?.s === '.' && t[i].s + '.' + t[i + 2]?.s;
    return member && this.named.has(member) ? [this.named.get(member), i + 3] : null;
  }
  // Returns the number of the component that is selected at i, as in ".x" or "[0]"; -1: none.
  componentAt(i) {
    const { t } = this;
    if (t[i]?.s === '.' && /^[xyz]$/.test(t[i + 1]?.s)) return 'xyz'.indexOf(t[i + 1].s);
    return t[i]?.s === '[' && /^[012]u?$/.test(t[i + 1]?.s) ? parseInt(t[i + 1].s) : -1;
  }
  afterComponent(i) { return this.t[i].s === '[' ? i + 3 : i + 2; }
  isSize(i, c) {
    const { t, args } = this;
    if (!t[i]) return false;
    if (t[i].kind === 'number') return wholeOf(t[i].s) === this.size[c];
    return !!args[c] && args[c][1] - args[c][0] === 1 && t[args[c][0]].s === t[i].s && t[i - 1]?.s !== '.';
  }
  // Returns [token of the size, index after it] for 64, WG or u32(WG); null: another expression.
  sizeAt(i, c) {
    const { t } = this, cast = /^[ui]32$/.test(t[i]?.s) && t[i + 1]?.s === '(' && t[i + 3]?.s === ')';
    if (cast && this.isSize(i + 2, c)) return [i + 2, i + 4];
    return this.isSize(i, c) ? [i, i + 1] : null;
  }
  // Reads built-in value * size, or size * built-in value, with brackets around it: { which, c, size, from, to }.
  productAt(from) {
    const { t } = this;
    let i = from, open = 0, found = null;
    while (t[i]?.s === '(') { open++; i++; }
    const first = this.builtinAt(i), c = first ? this.componentAt(first[1]) : -1;
    if (c >= 0) {
      const times = this.afterComponent(first[1]), size = t[times]?.s === '*' && this.sizeAt(times + 1, c);
      if (size) found = { which: first[0], c, size: size[0], from, to: size[1] };
    } else for (let k = 0; k < 3 && !found; k++) {
      const size = this.sizeAt(i, k), second = size && t[size[1]]?.s === '*' && this.builtinAt(size[1] + 1);
      if (second && this.componentAt(second[1]) === k)
        found = { which: second[0], c: k, size: size[0], from, to: this.afterComponent(second[1]) };
    }
    if (!found) return null;
    while (open && t[found.to]?.s === ')') { open--; found.to++; }
    return open ? null : found;
  }
  // Returns the index after local_invocation_id.c, or local_invocation_index of a line of items; -1: another expression.
  localAt(i, c) {
    const b = this.builtinAt(i);
    if (!b) return -1;
    if (b[0] === 'local_invocation_id' && this.componentAt(b[1]) === c) return this.afterComponent(b[1]);
    if (b[0] !== 'local_invocation_index' || !this.size.every((n, k) => k === c || n === 1)) return -1;
    for (let k = 0; k < 3; k++) if (k !== c) this.fixed.add(k);
    return b[1];
  }
  // Finds workgroup_id.c * size + local_invocation_id.c, which is global_invocation_id.c, and
  // num_workgroups.c * size, the number of items.
  link() {
    const { t, main } = this;
    this.known = new Set();
    const mark = (from, to) => { for (let k = from; k < to; k++) this.known.add(k); };
    for (let i = main.body[0]; i < main.body[1]; i++) {
      const p = t[i - 1]?.s !== '.' && this.productAt(i);
      if (!p) continue;
      if (p.which === 'num_workgroups') {
        if (/^[\/%]$/.test(t[p.from - 1]?.s)) continue;
        mark(p.from, p.to);
        this.linked.push({ token: p.size, c: p.c });
        this.exactOnly = true;
        i = p.to - 1;
      }
      if (p.which !== 'workgroup_id') continue;
      let from = i, to = t[p.to]?.s === '+' ? this.localAt(p.to + 1, p.c) : -1;
      if (to < 0 && t[i - 1]?.s === '+')
        for (const back of [3, 5, 1])
          if (i - 1 - back >= main.body[0] && this.localAt(i - 1 - back, p.c) === i - 1) { from = i - 1 - back; to = p.to; }
      if (to < 0 || /^[*\/%]$/.test(t[to]?.s) || /^[-*\/%]$/.test(t[from - 1]?.s)) continue;
      mark(from, to);
      this.sums.push({ from, to, c: p.c });
      this.linked.push({ token: p.size, c: p.c });
      i = to - 1;
    }
  }
  findOtherUses() {
    const { t, main } = this;
    for (let i = main.body[0]; i < main.body[1]; i++) {
      const b = this.builtinAt(i);
      if (!b || this.known.has(i) || !OF_GROUP.test(b[0])) continue;
      const c = this.componentAt(b[1]);
      if (c >= 0 && this.size[c] === 1 && /^(local_invocation_id|workgroup_id|num_workgroups)$/.test(b[0])) this.fixed.add(c);
      else this.reasons.push(`${b[0]} in line ${lineOf(this.code, t[i].at)}`);
    }
    this.findWholeInputs();
    for (const [name, where] of this.uses) {
      if (OF_GROUP_CALL.test(name)) this.reasons.push(`${name}() in line ${lineOf(this.code, t[where[0]].at)}`);
      const v = this.module.variables[name];
      if (v?.space === 'workgroup') { this.reasons.push(`group memory "${name}"`); this.shared.push(v); }
      if (!OLD_VALUE.test(name)) continue;
      for (const i of where) if (t[i + 1]?.s === '(' && ![';', '{', '}'].includes(t[i - 1].s)) this.orderDependent = lineOf(this.code, t[i].at);
    }
  }
  // A struct of built-in values that is passed on as a whole may have its group ids read elsewhere.
  findWholeInputs() {
    for (const p of this.main.parameters) {
      const ids = [...this.named].filter(([name, which]) => name.startsWith(p.name + '.') && OF_GROUP.test(which));
      const whole = (this.uses.get(p.name) ?? []).find(i => this.t[i + 1]?.s !== '.');
      if (ids.length && whole !== undefined) this.reasons.push(`"${p.name}" is passed on in line ${lineOf(this.code, this.t[whole].at)}`);
    }
  }

  /* ---- guards: the first statements that end items beyond a limit ---- */

  // Returns [components, index after] of an expression that is global_invocation_id or a part of it.
  idAt(i) {
    const { t } = this, sum = this.sums.find(s => s.from === i);
    if (sum) return [[sum.c], sum.to];
    if (/^([ui]32|vec[23][ui])$/.test(t[i]?.s)) {
      const inner = t[i + 1]?.s === '(' && this.idAt(i + 2);
      return inner && t[inner[1]]?.s === ')' ? [inner[0], inner[1] + 1] : null;
    }
    const b = this.builtinAt(i);
    let list = null, next = i + 1;
    if (b?.[0] === 'global_invocation_id') { list = [0, 1, 2]; next = b[1]; }
    else if (this.aliases.has(t[i]?.s) && t[i - 1]?.s !== '.') list = this.aliases.get(t[i].s);
    if (!list) return null;
    if (t[next]?.s === '.' && /^[xyz]+$/.test(t[next + 1]?.s)) return [[...t[next + 1].s].map(c => list['xyz'.indexOf(c)]), next + 2];
    return [list, next];
  }
  // Reads a condition of a guard, at whose truth items end (`ends`) or go on.
  conditions(from, to, ends) {
    const { t } = this, isAll = i => /^(all|any)$/.test(t[i]?.s);
    return split(t, from, to, ends ? '||' : '&&').map(([p, q]) => {
      while (t[p].s === '(' && closeOf(t, p) === q - 1) { p++; q--; }
      let isEnd = ends;
      if (t[p].s === '!' && isAll(p + 1)) { isEnd = !ends; p++; if (t[p].s !== (ends ? 'all' : 'any')) return null; }
      else if (isAll(p) && t[p].s !== (ends ? 'any' : 'all')) return null;
      if (isAll(p) && t[p + 1].s === '(' && closeOf(t, p + 1) === q - 1) { p += 2; q--; }
      const id = this.idAt(p), sign = id && t[id[1]]?.s;
      if (!id || !(isEnd ? ['>=', '>'] : ['<', '<=']).includes(sign)) return null;
      return { components: id[0], limit: [id[1] + 1, q], plus: sign === '>' || sign === '<=' ? 1 : 0 };
    }).filter(Boolean);
  }
  addAlias(i, end) {
    const { t } = this, equal = this.module.find(i, end, ['=']), id = this.idAt(equal + 1);
    const changes = k => k !== i + 1 && (ASSIGNMENT.test(t[k + 1]?.s) || (t[k + 1]?.s === '>' && t[k + 2]?.s === '>='));
    if (!id || id[1] !== end) return;
    if (t[i].s !== 'var' || !this.uses.get(t[i + 1].s)?.some(changes)) this.aliases.set(t[i + 1].s, id[0]);
  }
  readGuards() {
    const { t, main } = this;
    this.aliases = new Map();
    for (let i = main.body[0]; i < main.body[1];) {
      let end = this.statementEnd(i);
      if (/^(let|var|const)$/.test(t[i].s)) this.addAlias(i, end);
      else if (t[i].s === 'if') {
        let open = i + 1;
        while (t[open].s !== '{') open = t[open].s === '(' ? closeOf(t, open) + 1 : open + 1;
        const shut = closeOf(t, open);
        let p = i + 1, q = open;
        if (t[p].s === '(' && closeOf(t, p) === q - 1) { p++; q--; }
        const isReturn = textOf(t, [open + 1, shut]).replace(/ /g, '') === 'return;';
        const list = isReturn ? this.conditions(p, q, true)
          : shut === main.body[1] - 1 && t[shut + 1]?.s !== 'else' ? this.conditions(p, q, false) : [];
        this.guards.push(...list);
        if (!isReturn || !list.length) break;
        end = shut;
      } else if (t[i].s !== '_') break;
      i = end + 1;
    }
  }
  statementEnd(i) {
    for (let depth = 0; i < this.main.body[1]; i++) {
      const { s } = this.t[i];
      if (s === '(' || s === '[' || s === '{') depth++;
      else if (s === ')' || s === ']' || s === '}') depth--;
      if (depth === 0 && (s === ';' || s === '}')) break;
    }
    return i;
  }

  /* ---- limits of the guards in a recorded state ---- */

  // Returns the number of items that the guards let through in x, y and z; NaN: no guard, or its limit is
  // unknown. `peeked`: binding -> { size, bytes } as recorded.
  limits(peeked) {
    const found = [NaN, NaN, NaN];
    for (const guard of this.guards)
      guard.components.forEach((c, k) => {
        const n = new Limit(this, peeked, k).value(guard.limit) + guard.plus;
        if (!(found[c] <= n)) found[c] = n;
      });
    return found;
  }
  // True if the text leaves no item out: without a branch, a clamp or a remainder an item beyond the end of an array writes there.
  get isOpen() {
    const words = ['if', 'for', 'while', 'loop', 'switch', 'select', 'min', 'clamp'].some(name => this.uses.has(name));
    const bodies = [...this.reached].map(name => this.module.functions[name].body);
    return !words && !bodies.some(([from, to]) => this.t.slice(from, to).some(token => /^[%&]$/.test(token.s)));
  }
  // Returns the last elements of written arrays that are shorter than the launch, binding -> [from, to) in bytes: items
  // beyond the end write there, in any order.
  tails(peeked, items) {
    const out = {};
    for (const v of Object.values(this.module.variables)) {
      const known = this.writable.includes(v.where) && peeked[v.where];
      const array = known && typeof known.size === 'number' && runtimeArray(this.module, v, this.constants);
      if (!array) continue;
      const length = Math.floor((known.size - array.offset) / array.stride);
      if (items > length) out[v.where] = [array.offset + (length - 1) * array.stride, array.offset + length * array.stride];
    }
    return out;
  }
}

// Value of a guard's limit: numbers, constants, members of uniforms, array lengths, sizes of textures.
class Limit {
  constructor(analysis, peeked, k) { Object.assign(this, { a: analysis, t: analysis.t, module: analysis.module, peeked, k, depth: 0 }); }
  value(range) { return this.module.value(range, this.a.constants, i => this.lookup(i)); }
  known(v) { return v?.where && this.peeked[v.where]; }
  // Returns the index of the component that is read after token i, and the last token of it.
  pick(i, width) {
    const { t } = this, letter = t[i + 1]?.s === '.' && t[i + 2]?.s;
    if (!width || !letter) return { pick: width ? this.k : 0, last: i };
    return { pick: letter.length === 1 ? 'xyzwrgba'.indexOf(letter) % 4 : this.k, last: i + 2 };
  }
  lookup(i) {
    const { t } = this, { s } = t[i];
    if (s === 'arrayLength' && t[i + 2]?.s === '&') return this.arrayLength(i);
    if (s === 'textureDimensions') return this.dimensions(i);
    if (/^vec[23](u|i|f)?$/.test(s) && t[i + 1]?.s === '(') {
      const end = closeOf(t, i + 1), parts = split(t, i + 2, end);
      return { value: this.value(parts[parts.length === 1 ? 0 : this.k]), last: end };
    }
    return this.member(i) ?? this.local(i);
  }
  arrayLength(i) {
    const { t } = this, v = this.module.variables[t[i + 3].s], known = this.known(v), end = closeOf(t, i + 1);
    let member = runtimeArray(this.module, v ?? {}, this.a.constants);
    if (!known || !member) return null;
    return { value: Math.floor((known.size - member.offset) / member.stride), last: end };
  }
  dimensions(i) {
    const { t } = this, known = this.known(this.module.variables[t[i + 2]?.s]), end = closeOf(t, i + 1);
    if (!known || split(t, i + 2, end).length > 1) return null;
    const { pick, last } = this.pick(end, 3);
    return { value: known.size[pick], last };
  }
  // A member of a uniform or a read-only buffer; one that the shader writes may change before the guard.
  member(i) {
    const { t } = this, v = this.module.variables[t[i].s], known = this.known(v);
    if (!known?.bytes || this.a.writable.includes(v.where)) return null;
    let layout = layoutOf(this.module, v.type, this.a.constants), last = i, offset = 0;
    while (t[last + 1]?.s === '.' && layout.members?.[t[last + 2]?.s]) {
      layout = layout.members[t[last + 2].s];
      offset += layout.offset;
      last += 2;
    }
    if (!layout.scalar) return null;
    const picked = this.pick(last, layout.width), at = offset + picked.pick * 4, data = new DataView(Uint8Array.from(known.bytes).buffer);
    if (at + 4 > data.byteLength) return null;
    return { value: layout.scalar === 'f32' ? data.getFloat32(at, true) : data.getUint32(at, true), last: picked.last };
  }
  // A `let` before the guard.
  local(i) {
    const { t } = this;
    if (++this.depth > 16) return null;
    for (let j = i - 1; j > this.a.main.body[0]; j--) {
      if (!/^(let|const)$/.test(t[j - 1].s) || t[j].s !== t[i].s) continue;
      const equal = this.module.find(j, i, ['=']), end = this.module.find(equal, i, [';']);
      const letter = t[i + 1]?.s === '.' && /^[xyz]$/.test(t[i + 2]?.s) ? t[i + 2].s : '';
      const inner = letter ? Object.assign(new Limit(this.a, this.peeked, 'xyz'.indexOf(letter)), { depth: this.depth }) : this;
      return { value: inner.value([equal + 1, end]), last: letter ? i + 2 : i };
    }
    return null;
  }
}
H.analyse = (code, entry, constants = {}) => new Analysis(code, entry, constants);
})(globalThis.__heddle);
