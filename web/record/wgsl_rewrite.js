// Texts of a compute shader with another group size.
(H => {
'use strict';
const { textOf, wholeOf } = H.wgsl;
const suffixOf = s => /[iu]$/.exec(s)?.[0] ?? '';
const tokenSpan = token => ({ from: token.at, to: token.at + token.s.length });
const rangeSpan = (t, [from, to]) => ({ from: t[from].at, to: tokenSpan(t[to - 1]).to });
const numberEdit = (token, n) => ({ ...tokenSpan(token), text: token.kind === 'number' ? n + suffixOf(token.s) : n + 'u' });

// True if each use of a constant's name is the size or linked with it, so that its declaration may change.
function isOnlySize(a, name) {
  const sizes = new Set(a.linked.map(l => l.token));
  for (const [from, to] of a.args) for (let i = from; i < to; i++) sizes.add(i);
  return a.t.every((token, i) => token.s !== name || sizes.has(i) || i === a.module.values[name].token || a.t[i - 1]?.s === '.');
}
// Returns the constants whose declarations get a new value, name -> value.
function declarations(a, size) {
  const out = new Map(), values = new Map();
  a.args.forEach(([from, to], c) => {
    const name = to - from === 1 && a.module.values[a.t[from].s] ? a.t[from].s : '';
    if (name) values.set(name, (values.get(name) ?? new Set()).add(size[c]));
  });
  for (const [name, set] of values) if (set.size === 1 && isOnlySize(a, name)) out.set(name, [...set][0]);
  return out;
}
function declare(a, name, value, edits, constants) {
  const v = a.module.values[name], id = v.attributes.find(x => x.name === 'id');
  if (v.kind === 'override') constants[id ? textOf(a.t, id.args[0]) : name] = value;
  else {
    const span = rangeSpan(a.t, v.value);
    edits.push({ ...span, text: value + suffixOf(a.code.slice(span.from, span.to)) });
  }
}
const textWith = (a, edits, constants = a.constants) => ({ code: H.rewritten(a.code, edits), constants, edits });

// Returns an entry point of `entries`, or of a render pipeline, on which edits of a text for another one have an effect; '': none.
H.otherUser = (a, edits, entries) => {
  const { module, t } = a, isOther = f => f !== a.main &&
    f.attributes.some(x => /^(vertex|fragment)$/.test(x.name) || (x.name === 'compute' && entries.includes(f.name)));
  const covers = (name, at) => {
    const [from, to] = module.spans.get(name);
    return at >= t[from].at && at < tokenSpan(t[to - 1]).to;
  };
  return Object.values(module.functions).filter(isOther).find(f => {
    const names = [...module.dependencies(f.name)];
    return edits.some(e => names.some(name => covers(name, e.from)));
  })?.name ?? '';
};

// Returns the text of a free shader with the size [x, y, z]: declarations that are sizes alone, else the
// attribute and the tokens that are linked with it; null: the size cannot be written.
H.rewriteFree = (a, size) => {
  const { t, args } = a, edits = [], constants = { ...a.constants };
  if (size.some((n, c) => n !== a.size[c] && (a.fixed.has(c) || n < 1 || c >= args.length))) return null;
  const names = declarations(a, size);
  for (const [name, value] of names) if (value !== a.module.named(name, a.constants)) declare(a, name, value, edits, constants);
  args.forEach((range, c) => {
    if (size[c] === a.size[c] || (range[1] - range[0] === 1 && names.has(t[range[0]].s))) return;
    const span = rangeSpan(t, range);
    edits.push({ ...span, text: size[c] + (a.how[c] === 'literal' ? suffixOf(t[range[0]].s) : '') });
  });
  for (const { token, c } of a.linked) if (size[c] !== a.size[c] && !names.has(t[token].s)) edits.push(numberEdit(t[token], size[c]));
  return textWith(a, edits, constants);
};

// Returns texts of a shader whose items work together, as hypotheses that only a comparison can
// confirm: [{ name, offered, code, constants }]. A text with literals alone is never offered.
H.rewriteTogether = (a, size) => {
  const changed = a.size.map((n, c) => [n, size[c], c]).filter(([n, m]) => n !== m);
  const isUniform = changed.every(([n, m]) => n === changed[0][0] && m === changed[0][1]);
  if (!changed.length || (!isUniform && changed.length !== 1)) return [];
  const how = new Set(changed.map(([, , c]) => a.how[c])), names = new Set(changed.map(([, , c]) => textOf(a.t, a.args[c] ?? [0, 0])));
  if (how.size !== 1) return [];
  if (how.has('literal')) return byLiterals(a, size, changed[0]);
  return how.has('expression') || names.size !== 1 ? [] : byName(a, [...names][0], changed[0][1]);
};
function byName(a, name, to) {
  const edits = [], constants = { ...a.constants };
  declare(a, name, to, edits, constants);
  return [{ name: a.module.values[name].kind + ' ' + name, offered: true, ...textWith(a, edits, constants) }];
}
function byLiterals(a, size, [from, to]) {
  const { t } = a, product = list => list.reduce((x, y) => x * y, 1), total = product(a.size), totalTo = product(size);
  const equal = a.args.map((r, c) => ({ ...rangeSpan(t, r), text: String(size[c]) })), derived = [...equal], head = equal.length;
  const scan = ([p, q], isShared) => {
    for (let i = p; i < q; i++) {
      const n = t[i].kind === 'number' ? wholeOf(t[i].s) : undefined;
      if (n === undefined) continue;
      const same = n === from ? to : n === total ? totalTo : isShared && n % from === 0 ? n / from * to : 0;
      const near = n <= 2 ? 0 : n === from - 1 ? to - 1 : n === from / 2 ? to / 2 : n === from * 2 ? to * 2 : 0;
      if (same) { equal.push(numberEdit(t[i], same)); derived.push(numberEdit(t[i], same)); }
      else if (near) derived.push(numberEdit(t[i], near));
    }
  };
  for (const name of a.reached) scan(a.module.functions[name].body, false);
  for (const v of a.shared) if (v.type) scan(v.type, true);
  for (const v of Object.values(a.module.values)) if (v.value) scan(v.value, false);
  const text = (name, edits) => ({ name, offered: false, ...textWith(a, edits) });
  return [...derived.length > equal.length ? [text('derived literals', derived)] : [], ...equal.length > head ? [text('equal literals', equal)] : []];
}
})(globalThis.__heddle);
