#!/usr/bin/env python3
"""Counts sentences without a subject in the product's comments and names, room by room.

    cmake/prose.py               one row per room, and its ceilings (cmake/prose.tsv); a figure above its ceiling fails
    cmake/prose.py list ROOM...  places behind the figures of the rooms (prefixes of paths: engines/cloth/model, include)
    cmake/prose.py lower         writes each figure that has fallen below its ceiling as the new ceiling

Figures of a room: comments; openings: those that begin with neither noun nor verb, %; what: this word, per 1,000 words; blurred: twelve
words that replace a term, per 1,000 words; names: declared names that are adverbs, pronouns or participles, %; ghosts: files and
functions that a comment names and the tree lacks; docstrings: public functions whose docstring does not begin with a verb ("Reads ...",
"True if ..."), has no "Errors:" although the function can fail, or no "Thread class:" where its header has none for all.

docs/style.md explains the rules, and how to find, mend and lower what is counted here.
"""
import collections, json, os, re, subprocess, sys

ROOMS = ('include', 'src', 'support', 'tunefile', 'engines', 'cli', 'worker', 'web', 'mpi', 'wasm')
C = ('.c', '.h', '.cl', '.clh')
FIGURES = ('openings', 'what', 'blurred', 'names', 'ghosts', 'docstrings')
COUNTS = ('ghosts', 'docstrings')  # of places; the others are percentages or per 1,000 words
OPENINGS = set('''what whether how where which why of that those it its they them their such both others in so from as for with by to on
    at without behind and or but none nothing something else own likewise up out over between among around only never also too there then
    here off into onto through per within'''.split())
BLURRED = set('what none those behind whether way stand share goes lie ask beside'.split())
NAMES = set('''what own made given kept gone wanted asked taken found near some above below its one two three apart fresh more less most least
    may must behind beside ahead away along both other others else another same such many few all each every any none these those this
    that here there where when how which whose who why now then once again ever yet still also only just so too very well far said told
    sent shown seen meant left_over cut put went come came lost won brought thrown drawn known held'''.split())
OUTSIDE = {'cuda_fp16.h', 'input.cl', 'b.c', 'blur.cl', 'smooth.h', 'stdin.cl'}  # files of others, and examples
SYSTEM = re.compile(r'^(cl|cu|vk|gl|egl|nvrtc|sqlite3|json|png|MPI_|MHD_|pthread_|__|mj|dl|tolower|attr$|get_|atomic_|mad|native_|vload|vstore|wgpu)')

os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], capture_output=True, text=True).stdout
tree = [f for f in listed.split('\n') if os.path.isfile(f)]
text = {f: open(f, errors='replace').read() for f in tree if f.endswith(C + ('.py', '.js', '.sh', '.cpp', '.hpp'))}
product = [f for f in text if f.endswith(C) and f.startswith(tuple(r + '/' for r in ROOMS))]
COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|/\*(.*?)\*/|//([^\n]*(?:\n[ \t]*//[^\n]*)*)', re.S)


def room_of(path):
    parts = os.path.dirname(path).split('/')
    return '/'.join(parts[:3 if parts[0] == 'engines' else 2])


def comments(content):
    """Yields (offset, text) of each comment that is a sentence: two words at least, no line of `/* ---- subject ---- */`."""
    for match in COMMENT.finditer(content):
        body = match.group(1) if match.group(1) is not None else match.group(2)
        if body is not None and not body.strip().startswith('----') and len(re.findall(r"[A-Za-z']+", body)) > 1:
            yield match.start(), re.sub(r'\s*\n[\s*/]*', ' ', body).strip(' *')


PUBLIC = re.compile(r'^HED_API\s+([^;{}()]*?)(\w+)\s*\(((?:[^;{}])*?)\)\s*(?:HED_PRINTF\([^)]*\))?;(?:[ \t]*/\*\*<(.*?)\*/)?', re.M | re.S)
VERB = re.compile(r'(?:True if|(?!(?:Thus|This|As|Its|Bytes|Frames|Steps|Errors|Names|Elements|Positions|Times|Points)\b)[A-Z][a-z]+s(?: and [a-z]+s)?)\b')


def docstrings(content):
    """Yields (offset, fault) for each public function whose docstring breaks a rule of docs/style.md."""
    blocks = {match.end(): match.group() for match in re.finditer(r'/\*\*(?!<).*?\*/', content, re.S)}
    common = re.search(r'Thread[\s*]+class[\s*]+of', next(iter(blocks.values()), ''))
    for match in PUBLIC.finditer(content):
        result, name, parameters, trailing = match.groups()
        before = len(content[:match.start()].rstrip())
        body = re.sub(r'\s*\n[\s*]*', ' ', trailing or blocks.get(before, '/**')[3:]).strip(' */')
        if not VERB.match(body):
            yield match.start(), f'{name}() begins with "{" ".join(body.split()[:6])}"; expected a verb and its object'
        if (result.strip() == 'hed_status' or 'hed_error *' in parameters) and 'Errors:' not in body:
            yield match.start(), f'{name}() has no "Errors: ..."'
        if not common and 'Thread class' not in body:
            yield match.start(), f'{name}() has no "Thread class: ..."'


def measure():
    count, found = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    bare = {f: COMMENT.sub(lambda m: m.group() if m.group()[0] in '"\'' else ' ', t) for f, t in text.items()}
    called = set(re.findall(r'\b([A-Za-z_]\w*)\s*\(', '\n'.join(bare.values()))) | set(
        re.findall(r'\b(?:define|def|function)\s+(\w+)', '\n'.join(text.values())))
    bases = {os.path.basename(f) for f in tree}
    for path in product:
        room, content = room_of(path), text[path]

        def note(figure, offset, words):
            count[room][figure] += 1
            found[room].append((path, content.count('\n', 0, offset) + 1, figure, words))
        for offset, body in comments(content):
            words = re.findall(r"[A-Za-z']+", body.lower())
            count[room]['comments'] += 1
            count[room]['words'] += len(words)
            if words[0] in OPENINGS and re.match(r'\W*[A-Za-z]', body):
                note('openings', offset, body)
            for word in words:
                if word == 'what':
                    count[room]['what'] += 1
                if word in BLURRED:
                    note('blurred', offset, f'"{word}": {body}')
            for name in re.findall(r'(?<![\w<*./-])[\w./-]*?([\w-]+\.(?:c|h|cl|md|py|js|sh))\b(?![\w(]|-\w)', body):
                if name not in bases and not re.match(r'[A-Z_]+\.', name) and name not in OUTSIDE:
                    note('ghosts', offset, f'{name} is not in the tree: {body}')
            for name in re.findall(r'(?<![\w`])([A-Za-z]\w{3,})\(\)', body):
                if name not in called and not SYSTEM.match(name) and not path.startswith('src/prelude/'):
                    note('ghosts', offset, f'{name}() is not in the tree: {body}')
        for offset, fault in docstrings(content) if path.startswith('include/') else ():
            note('docstrings', offset, fault)
    tags = subprocess.run(['ctags', '--languages=C', '--langmap=C:.c.h.cl.clh', '--kinds-C=defglmstuvz', '--fields=+ne',
                           '--output-format=json', '-f', '-'] + product, capture_output=True, text=True).stdout
    for tag in map(json.loads, tags.splitlines()):
        room = room_of(tag['path'])
        count[room]['declared'] += 1
        if tag['name'].lower() in NAMES:
            count[room]['names'] += 1
            found[room].append((tag['path'], tag['line'], 'names', tag['name']))
    return count, found


def figures(c):
    words = max(1, c['words'])
    return {'openings': 100 * c['openings'] / max(1, c['comments']), 'what': 1000 * c['what'] / words,
            'blurred': 1000 * c['blurred'] / words, 'names': 100 * c['names'] / max(1, c['declared']), **{f: c[f] for f in COUNTS}}


def main():
    count, found = measure()
    if sys.argv[1:2] == ['list']:
        for room in sorted(found):
            for path, line, figure, words in sorted(set(found[room])):
                if path.startswith(tuple(sys.argv[2:]) or ''):
                    print(f'{path}:{line}: {figure}: {words}')
        return 0
    ceilings = {}
    if os.path.exists('cmake/prose.tsv'):
        for line in open('cmake/prose.tsv'):
            room, *limits = line.split('\t')
            ceilings[room] = dict(zip(FIGURES, map(float, limits)))
    total, bad, rows = collections.Counter(), 0, []
    print(f'{"room":28}{"comments":>9}' + ''.join(f'{f:>11}' for f in FIGURES))
    for room in sorted(count):
        now, limit = figures(count[room]), {**dict.fromkeys(FIGURES, 0.0), **ceilings.get(room, {})}
        # A comment more or less moves a percentage a little: that alone is no failure.
        above = [f for f in FIGURES if now[f] > limit[f] * 1.02 + (0 if f in COUNTS else 0.05)]
        print(f'{room:28}{count[room]["comments"]:9}' + ''.join(f'{now[f]:11.2f}' for f in FIGURES) +
              ''.join(f'  FAILED: {f} above {limit[f]:g}' for f in above))
        bad += len(above)
        rows.append((room, [min(now[f], limit[f]) if room in ceilings else now[f] for f in FIGURES]))
        total.update(count[room])
    print(f'{"all":28}{total["comments"]:9}' + ''.join(f'{figures(total)[f]:11.2f}' for f in FIGURES))
    if sys.argv[1:2] == ['lower']:
        with open('cmake/prose.tsv', 'w') as out:
            for room, limits in rows:
                out.write(room + ''.join(f'\t{limit:.2f}'.replace('.00', '') for limit in limits) + '\n')
        return 0
    return bad > 0


try:
    sys.exit(main())
except BrokenPipeError:  # `| head`
    sys.exit(1)
