#!/usr/bin/env python3
"""What clang-format does not see: words to avoid (cmake/words.txt) in comments, messages and documents; how the code is cut:
small statics that are called once, and names of statics that several files have; circles of files that use each other inside a
room, and names that several files have; and the size of the product.

    cmake/lint.py [words|statics|rooms|size|all]      a figure above its limit is listed and fails; `list` after it lists all
"""
import collections, json, os, re, subprocess, sys

LIMITS = {'words': 0, 'once': 7, 'shared': 5, 'wide': 1,  # all but the words in per cent
          'core functions': 163, 'chains': 50,
          'circles': 4, 'largest circle': 3, 'shared file names': 4, 'public header names': 0}
PRODUCT = ('include', 'src', 'support', 'tunefile', 'engines', 'cli', 'worker', 'wasm')
ENGINES = ('canonical', 'cloth', 'synth', 'mppi', 'css', 'shader')
C = ('.c', '.h', '.cl', '.clh')

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], capture_output=True, text=True).stdout
files = [f for f in listed.split('\n') if os.path.isfile(f)]
text = {f: open(f, errors='replace').read() for f in files if f.endswith(C + ('.md',))}
lists = 'list' in sys.argv[2:]


def judge(name, figure, found, unit):
    bad = figure > LIMITS[name]
    if bad or lists:
        for line in found:
            print(line)
    print(f'{"FAILED " if bad else ""}{name}: {figure:.4g}{unit}, at most {LIMITS[name]}')
    return bad


def words():
    patterns = []
    for line in open('cmake/words.txt'):
        if line.strip() and not line.startswith('#'):
            pattern, better = line.rstrip('\n').split('\t')
            patterns.append((re.compile(pattern, re.I), better))
    found = []
    for name, content in text.items():
        if name.startswith(PRODUCT + ('docs', 'examples')) or '/' not in name and name not in ('CONTRIBUTING.md', 'CHANGELOG.md'):
            # Of C, what is read: comments and strings. A string that goes into a driver's or a format's hands may say `color`.
            # So may a page's examples in a web page's languages and in Python.
            prose = re.sub(r'^```(?:css|html|js|python)\n.*?^```$', lambda m: re.sub(r'\S', ' ', m.group()), content, flags=re.M | re.S)
            spots = [(0, prose)] if name.endswith('.md') else [(m.start(), m.group()) for m in re.finditer(
                r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', content, re.S)]
            for start, spot in spots:
                for pattern, better in patterns:
                    for m in pattern.finditer(spot):
                        if spot[0] == '"' and name.startswith('engines/css/') and m.group().lower() in ('color', 'colors', 'center', 'behavior'):
                            continue # names of CSS itself
                        line = content.count('\n', 0, start + m.start()) + 1
                        found.append(f'{name}:{line}: "{m.group()}": {better}')
    return judge('words', len(found), found, '')


def statics():
    product = [f for f in text if f.startswith(PRODUCT) and f.endswith(C)]
    tags = subprocess.run(['ctags', '--languages=C', '--langmap=C:.c.h.cl.clh', '--kinds-C=f', '--fields=+nefS',
                           '--output-format=json', '-f', '-'] + product, capture_output=True, text=True).stdout
    bare = {f: re.sub(r'//[^\n]*', '', re.sub(r'/\*.*?\*/', '', text[f], flags=re.S)) for f in product}
    homes, once, total = collections.defaultdict(list), [], 0
    for tag in map(json.loads, tags.splitlines()):
        name, path, line = tag['name'], tag['path'], tag['line']
        if name.isupper():  # a macro before a function's body
            continue
        if not tag.get('file') and not re.search(r'\bstatic\b', text[path].split('\n')[line - 1]):
            continue
        total += 1
        homes[name].append(path)
        prototypes = len(re.findall(r'^static[^;={}()]*\b%s\s*\([^;{}]*\)\s*;' % name, bare[path], re.M))
        calls = len(re.findall(r'\b%s\s*\(' % name, bare[path])) - 1 - prototypes
        uses = len(re.findall(r'\b%s\b' % name, bare[path])) - 1 - prototypes
        length = tag.get('end', line) - line + 1
        if calls == uses == 1 and length <= 10 and path.endswith(('.c', '.cl')):
            once.append(f'{path}:{line}: {name}() has {length} lines and one call')
    several = {n: sorted(set(h)) for n, h in homes.items() if len(set(h)) > 1}
    shared = [f'{name}() is a static of {len(h)} files: {" ".join(h)}' for name, h in sorted(several.items())]
    count = sum(len(homes[n]) for n in several)
    bad = judge('once', 100 * len(once) / max(1, total), once, ' % of the statics')
    return judge('shared', 100 * count / max(1, total), shared, ' % of the statics') or bad


def find_circles(nodes, edges):
    """Strongly connected components of two nodes and more (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            circle = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in nodes:
        if node not in index:
            visit(node)
    return found


def rooms():
    product = sorted(f for f in text if f.startswith(PRODUCT) and f.endswith(C))
    sources = [f for f in product if f.endswith('.c')]
    # A symbol that the objects of a room take from each other begins with its library's prefix: hed_, cloth_, css_, ...
    tags = subprocess.run(['ctags', '--languages=C', '--kinds-C=fv', '--fields=+fS', '--output-format=json', '-f', '-'] + sources,
                          capture_output=True, text=True).stdout
    home = collections.defaultdict(dict)
    for tag in map(json.loads, tags.splitlines()):
        if not tag.get('file') and re.match('[a-z]+_', tag['name']):
            home[os.path.dirname(tag['path'])][tag['name']] = tag['path']
    used = {f: set(re.findall(r'\w+', re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', ' ', text[f], flags=re.S))) for f in sources}
    found, largest = [], 0
    for room, symbols in sorted(home.items()):
        inside = [f for f in sources if os.path.dirname(f) == room]
        edges = {f: {symbols[name] for name in used[f] if name in symbols} - {f} for f in inside}
        for circle in find_circles(inside, edges):
            largest = max(largest, len(circle))
            found.append(f'{room}: circle of {len(circle)}: ' + ' '.join(map(os.path.basename, circle)))
    names = collections.defaultdict(list)
    for f in product:
        names[os.path.basename(f)].append(os.path.dirname(f))
    several = {n: where for n, where in names.items() if len(where) > 1}
    shared = [f'{n} is a file of {len(where)} rooms: {" ".join(where)}' for n, where in sorted(several.items())]
    public = [line for line in shared if re.match(r'\w+\.h ', line) and ' include/heddle' in line]
    checks = [('circles', len(found), found, ''), ('largest circle', largest, found, ' files'),
              ('shared file names', sum(map(len, several.values())), shared, ' files'), ('public header names', len(public), public, '')]
    return any([judge(*check) for check in checks])


def size():
    product = {f: text[f] for f in text if f.startswith(PRODUCT) and f.endswith(C)}
    places = [(f'{f}:{number}', line) for f, t in product.items() for number, line in enumerate(t.split('\n'), 1)]
    wide = [place for place, line in places if len(line) > 100]
    # Calls do nothing once an error is set (heddle/base.h), so a list of calls and one check at the end says the same.
    chains = [place for place, line in places if 'if (!status) status =' in line]
    core = [place for place, line in places if line.startswith('HED_API') and place.startswith('include/')
            and not os.path.basename(place).startswith(ENGINES)]
    print(f'product: {len(product)} files, {sum(t.count(chr(10)) for t in product.values())} lines')
    checks = [('wide', 100 * len(wide) / len(places), wide, ' % of the lines'),
              ('chains', len(chains), chains, ''), ('core functions', len(core), core, '')]
    return any([judge(*check) for check in checks])


what = sys.argv[1] if len(sys.argv) > 1 else 'all'
failed = [check() for name, check in (('words', words), ('statics', statics), ('rooms', rooms), ('size', size)) if what in (name, 'all')]
sys.exit(any(failed))
