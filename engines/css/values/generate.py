"""Makes the grammar of CSS values (grammar.inc) from definitions in the value definition syntax (Values 4, section 2):

    python3 generate.py /usr/share/nodejs/mdn-data/css

The definitions are those of MDN's data (Debian's package node-mdn-data, CC0) and of additions.txt, which replaces what MDN's data
lack or have otherwise than today's browsers. The build uses the generated file alone."""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
TYPES = ['custom-ident', 'dashed-ident', 'ident', 'string', 'opentype-tag', 'url', 'hex-color', 'zero', 'declaration-value', 'calc-sum', 'integer', 'number',
         'percentage', 'length', 'angle', 'time', 'frequency', 'resolution', 'flex', 'length-percentage', 'angle-percentage',
         'time-percentage', 'number-percentage']
# Rules that messages name: data types of the specifications
SHOWN = ['color', 'image', 'position', 'easing-function', 'line-style', 'basic-shape', 'filter-function', 'transform-function', 'bg-position',
         'blend-mode', 'track-size', 'grid-line', 'family-name', 'counter', 'line-names', 'named-color', 'system-color']
KINDS = ['WORD', 'TYPE', 'RULE', 'BLOCK', 'SEQUENCE', 'ALL', 'SOME', 'ONE', 'REPEAT']
TOKEN = re.compile(r"\s+|<[^>]*>|'[^']*'|\|\||&&|\{\d+(?:,\d*)?\}|[-@]*[A-Za-z0-9_][-A-Za-z0-9_]*\(?|-[-A-Za-z]+\(?|.", re.S)


def definitions(folder):
    """Syntaxes and properties by name, and the names that additions.txt adds to MDN's."""
    syntaxes = {name: row['syntax'] for name, row in json.loads((folder / 'syntaxes.json').read_text()).items()}
    properties = {name: row['syntax'] for name, row in json.loads((folder / 'properties.json').read_text()).items()}
    known = []
    text = re.sub(r'\n[ \t]+', ' ', (HERE / 'additions.txt').read_text())
    for line in text.split('\n'):
        if not line.strip() or line.startswith('#'):
            continue
        names, _, syntax = line.partition(' = ')
        for name in names.split(' '):
            if name.startswith('<'):
                syntaxes[name[1:-1]] = syntax
                continue
            known.append(name)
            if syntax:
                properties[name] = syntax.replace('*', name.removeprefix('-webkit-')) if syntax == "<'*'>" else syntax
    return syntaxes, properties, known


class Grammar:
    def __init__(self, syntaxes, properties):
        self.syntaxes, self.properties = syntaxes, properties
        self.nodes, self.index, self.rules, self.roots = [], {}, {}, {}
        self.ranges, self.bounds, self.words, self.excluded = [(None, None)], [], set(), ['']

    def node(self, kind, *value):
        key = (kind, *value)
        if key not in self.index:
            self.index[key] = len(self.nodes)
            self.nodes.append(key)
        return self.index[key]

    def rule(self, name):
        """Node of a reference; its syntax is read once."""
        if name not in self.rules:
            self.rules[name] = None
            syntax = self.properties[name[1:-1]] if name[0] == "'" else self.syntaxes[name]
            self.rules[name] = Reader(self, syntax, name).whole()
        return self.node('RULE', name)

    def property(self, name):
        self.roots[name] = Reader(self, self.properties[name], name).whole()


class Reader:
    """A recursive descent over one syntax."""

    def __init__(self, grammar, syntax, name):
        self.g, self.name, self.syntax = grammar, name, syntax
        self.tokens = [t for t in TOKEN.findall(syntax) if not t.isspace()]
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def fail(self, what):
        sys.exit(f'{self.name}: {what} at {self.tokens[self.at:self.at + 5]} of: {self.syntax}')

    def whole(self):
        node = self.level(0)
        return node if self.peek() is None else self.fail('rest')

    def level(self, depth):
        """Alternatives (0), || (1), && (2) or juxtaposition (3)."""
        sign, kind = [('|', 'ONE'), ('||', 'SOME'), ('&&', 'ALL'), (None, 'SEQUENCE')][depth]
        parts = []
        while True:
            parts.append(self.level(depth + 1) if depth < 3 else self.term())
            if sign:
                if self.peek() != sign:
                    break
                self.at += 1
            elif self.peek() in (None, '|', '||', '&&', ']', ')', "']'"):
                break
        if len(parts) == 1:
            return parts[0]
        if kind == 'ONE':
            parts = self.with_percentages(parts)
        return self.g.node(kind, *parts)

    def with_percentages(self, parts):
        """<length> | <percentage> of one range is <length-percentage>, which takes calc() of both."""
        rows = [self.g.nodes[p] for p in parts]
        for base in ('length', 'angle', 'time', 'number'):
            found = [(i, r) for i, r in enumerate(rows) if r[0] == 'TYPE' and r[1] in (base, 'percentage')]
            if len(found) == 2 and found[0][1][1] != found[1][1][1] and found[0][1][2] == found[1][1][2]:
                parts = [p for i, p in enumerate(parts) if i != found[1][0]]
                parts[found[0][0]] = self.g.node('TYPE', base + '-percentage', found[0][1][2])
                break
        return list(dict.fromkeys(parts))

    def term(self):
        token = self.peek()
        self.at += 1
        if token == '[':
            node = self.level(0)
            self.expect(']')
        elif token == "'['":
            node = self.block('[', "']'")
        elif token[0] == '<':
            node = self.reference(token[1:-1].strip())
        elif token.endswith('('):
            node = self.block(token.lower(), ')')
        elif token[0] == "'":
            node = self.word(token[1:-1])
        elif re.match(r'[-@A-Za-z0-9_,/]', token):
            node = self.word(token.lower())
        else:
            self.at -= 1
            self.fail('no term')
        return self.repeated(node)

    def expect(self, token):
        if self.peek() != token:
            self.fail(f'no {token}')
        self.at += 1

    def word(self, text):
        self.g.words.add(text)
        return self.g.node('WORD', text)

    def block(self, name, closer):
        self.g.words.add(name)
        child = self.g.node('SEQUENCE') if self.peek() == closer else self.level(0)
        self.expect(closer)
        return self.g.node('BLOCK', name, child)

    def reference(self, text):
        name, _, limits = text.partition(' ')
        if limits.startswith('!'):
            words = limits[1:].replace(',', ' ')
            if words not in self.g.excluded:
                self.g.excluded.append(words)
            return self.g.node('TYPE', name, self.g.excluded.index(words))
        limit = re.fullmatch(r'\[(-?[\d.]+|-∞),(-?[\d.]+|∞)\]', limits) if limits else None
        if limits and not limit:
            self.fail('range')
        numbers = tuple(None if n.endswith('∞') else float(n) for n in limit.groups()) if limit else (None, None)
        if name in TYPES:
            if numbers not in self.g.ranges:
                self.g.ranges.append(numbers)
            return self.g.node('TYPE', name, self.g.ranges.index(numbers))
        return self.g.rule(name)

    def repeated(self, node):
        while self.peek() and (self.peek() in '?*+#!' or self.peek()[0] == '{'):
            token = self.peek()
            self.at += 1
            if token == '!':
                continue  # [ a? b? ]!: one value at least, which a value as a whole has
            low, high, comma = {'?': (0, 1, 0), '*': (0, 0, 0), '+': (1, 0, 0), '#': (1, 0, 1)}.get(token, (0, 0, 0))
            if token == '#' and self.peek() and self.peek()[0] == '{':
                token = self.peek()
                self.at += 1
            if token[0] == '{':
                low, _, high = token[1:-1].partition(',')
                high = low if ',' not in token else high or 0
            bound = (int(low), int(high), comma)
            if bound not in self.g.bounds:
                self.g.bounds.append(bound)
            node = self.g.node('REPEAT', node, self.g.bounds.index(bound))
        return node


def nullable_of(g):
    """True for each node that matches nothing; a comma does at an end of its level, which the matcher knows."""
    empty = [False] * len(g.nodes)
    while True:
        before = list(empty)
        for i, (kind, *rest) in enumerate(g.nodes):
            if kind in ('SEQUENCE', 'ALL'):
                empty[i] = all(empty[c] for c in rest)
            elif kind in ('ONE', 'SOME'):
                empty[i] = any(empty[c] for c in rest)
            elif kind == 'RULE':
                empty[i] = empty[g.rules[rest[0]]]
            elif kind == 'REPEAT':
                empty[i] = empty[rest[0]] or g.bounds[rest[1]][0] == 0
            elif kind == 'TYPE':
                empty[i] = rest[0] == 'declaration-value'
        if empty == before:
            return empty


def lines(items, width=116):
    out, line = [], '   '
    for item in items:
        if len(line) + len(item) + 2 > width:
            out.append(line)
            line = '   '
        line += ' ' + item + ','
    return out + [line]


def write(g, version):
    words = sorted(g.words, key=lambda w: w.encode())
    number = {word: i for i, word in enumerate(words)}
    rules = {name: i for i, name in enumerate(sorted(g.rules))}
    children, rows = [], []
    empty = nullable_of(g)
    for i, (kind, *rest) in enumerate(g.nodes):
        if kind == 'WORD':
            a, b = number[rest[0]], 0
        elif kind == 'TYPE':
            a, b = TYPES.index(rest[0]), rest[1]
        elif kind == 'RULE':
            a, b = rules[rest[0]], 0
        elif kind == 'BLOCK':
            a, b = number[rest[0]], rest[1]
        elif kind == 'REPEAT':
            a, b = rest
        else:
            a, b = len(children), len(rest)
            children += rest
        rows.append(f'{{{KINDS.index(kind)}, {int(empty[i])}, {a}, {b}}}')
    text = ['/* Generated by generate.py from the data of MDN (node-mdn-data ' + version + ', CC0-1.0) and additions.txt.',
            ' * Do not edit. */', 'static const char *const grammar_words[] = {']
    text += lines(f'"{word}"' for word in words) + ['};', 'static const css_grammar_node grammar_nodes[] = {']
    text += lines(rows) + ['};', 'static const uint16_t grammar_children[] = {']
    text += lines(str(child) for child in children) + ['};', 'static const css_grammar_name grammar_rules[] = {']
    text += lines(f'{{"{name}", {g.rules[name]}, {int(name in SHOWN)}}}' for name in rules) + ['};', 'static const css_grammar_range grammar_ranges[] = {']
    number_text = lambda n, infinite: infinite if n is None else repr(n)
    text += lines(f'{{{number_text(low, "-1e300")}, {number_text(high, "1e300")}}}' for low, high in g.ranges)
    text += ['};', 'static const char *const grammar_excluded[] = {'] + lines(f'"{words}"' for words in g.excluded)
    text += ['};', 'static const css_grammar_bound grammar_bounds[] = {']
    text += lines(f'{{{low}, {high}, {comma}}}' for low, high, comma in g.bounds)
    text += ['};', 'static const css_grammar_name grammar_properties[] = {']
    text += lines(f'{{"{name}", {g.roots[name]}, 0}}' for name in sorted(g.roots)) + ['};', '']
    (HERE / 'grammar.inc').write_text('\n'.join(text))
    print(f'{len(g.roots)} properties, {len(rules)} rules, {len(g.nodes)} nodes, {len(words)} words, {len(children)} children')


def main():
    folder = pathlib.Path(sys.argv[1])
    package = folder.parent / 'package.json'
    version = json.loads(package.read_text())['version'] if package.is_file() else 'of unknown version'
    syntaxes, properties, known = definitions(folder)
    g = Grammar(syntaxes, properties)
    for name in known:
        g.property(name)
    write(g, version)


main()
