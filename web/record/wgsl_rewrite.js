// Texts of a compute shader with another group size.
(H => {
'use strict';
const { textOf, wholeOf } = H.wgsl;
function replace(code, edits) {
  for (const e of [...edits].sort((a, b) => b.from - a.from)) code = code.slice(0, e.from) + e.text + code.slice(e.to);
  return code;
}
const suffixOf = s => /[iu]$/.exec(s)?.[0] ?? '';
const tokenSpan = token => ({ from: token.at, to: token.at + token.s.length });
const rangeSpan = (t, [from, to]) => ({ from: t[from].at, to: tokenSpan(t[to - 1]).to });
const numberEdit = (token, n) => ({ ...tokenSpan(token), text: token.kind === 'number' ? n + suffixOf(token.s) : n + 'u' });

// Returns the text of a free shader with the size [x, y, z]: the attribute and the tokens that are
// linked with it; null: the size cannot be written.
H.rewriteFree = (a, size) => {
  const { t, args } = a;
  if (!args.length || size.some((n, c) => n !== a.size[c] && (a.fixed.has(c) || n < 1))) return null;
  const span = { from: t[args[0][0]].at, to: rangeSpan(t, args[args.length - 1]).to };
  const written = size[2] === 1 && args.length < 3 ? (size[1] === 1 && args.length < 2 ? size.slice(0, 1) : size.slice(0, 2)) : size;
  const edits = [{ ...span, text: written.join(', ') }, ...a.linked.map(l => numberEdit(t[l.token], size[l.c]))];
  return { code: replace(a.code, edits), constants: a.constants };
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
  const v = a.module.values[name], id = v.attributes.find(x => x.name === 'id');
  if (v.kind === 'override')
    return [{ name: 'override ' + name, offered: true, code: a.code, constants: { ...a.constants, [id ? textOf(a.t, id.args[0]) : name]: to } }];
  const span = rangeSpan(a.t, v.value);
  return [{ name: 'const ' + name, offered: true, code: replace(a.code, [{ ...span, text: to + suffixOf(a.code.slice(span.from, span.to)) }]),
    constants: a.constants }];
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
  const text = (name, edits) => ({ name, offered: false, code: replace(a.code, edits), constants: a.constants });
  return [...derived.length > equal.length ? [text('derived literals', derived)] : [], ...equal.length > head ? [text('equal literals', equal)] : []];
}
})(globalThis.__heddle);
