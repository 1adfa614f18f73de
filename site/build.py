#!/usr/bin/python3
"""The documentation site, build/site: `./dev site`. Handbook (docs/, by mkdocs), C reference (include/heddle, by doxygen, under api/), every
picture and sound of the demo (build/demo), and one search over all of it. Links stay as they are in the repository: each page or file of it
that a page links to has a place on the site.

Run by Debian's python3 (/usr/bin), whose mkdocs it uses."""
import html, json, os, pathlib, re, shutil, subprocess, sys, xml.etree.ElementTree

TOP = pathlib.Path(__file__).resolve().parent.parent
STAGE, SITE, DEMO = TOP / 'build/site-source', TOP / 'build/site', TOP / 'build/demo'
sys.path.insert(0, str(TOP / 'tests'))
from docs_links import LINK, headings, outside_code # noqa: E402
import live_files, reference # noqa: E402

# Pages outside docs/, and the sections of the navigation; a page of docs/ that none names goes to the section of its first word.
PAGES = {'README.md': 'overview.md', 'docs/README.md': 'index.md', 'ARCHITECTURE.md': 'architecture.md', 'CONTRIBUTING.md': 'contributing.md',
         'CHANGELOG.md': 'changes.md', 'SECURITY.md': 'reporting.md', 'data/README.md': 'data.md', 'benchmarks/README.md': 'benchmarks.md'}
SECTIONS = {'Start': ['overview', 'install', 'demo'], 'Tuner': ['tuning', 'tune-file', 'capture', 'database', 'shaders', 'shaders-native', 'shader-gallery'],
            'Cloth': ['cloth', 'blender', 'cloth-scene', 'cloth-solvers', 'cloth-contact'], 'Synth': ['synth', 'plugins', 'instrument-file'], 'MPPI': ['mppi', 'mppi-scene', 'mppi-mujoco'], 'CSS': ['css', 'css-build-tools'],
            'Python': ['python'], 'JavaScript': ['wasm'], 'C': ['packing', 'performance', 'api/index'],
            'Project': ['status', 'architecture', 'contributing', 'benchmarks', 'changes', 'reporting', 'data', 'style', 'glossary']}
LANGUAGES = {'.c': 'c', '.h': 'c', '.cl': 'c', '.clh': 'c', '.json': 'json', '.sh': 'sh', '.py': 'python', '.js': 'js', '.wgsl': 'text', '.comp': 'c', '.txt': 'text', '.in': 'text',
             '.frag': 'c', '.vert': 'c', '.cmake': 'cmake'}
SHOWN = 100_000 # bytes: longer files are linked as they are


def doxygen():
    """The C reference, with a first page that lists the headers; its tags, for the search."""
    rows = []
    for header in sorted((TOP / 'include/heddle').glob('*.h')):
        brief = re.search(r'@file \S+\s*\*?\s*(.*?)(?:\.\s|\.\n|\*/)', header.read_text(), re.S)
        words = re.sub(r'\s*\n \*\s*', ' ', brief[1]) if brief else ''
        rows.append(f'| @ref {header.name} "heddle/{header.name}" | {words} |')
    main = STAGE.parent / 'site-headers.md'
    main.write_text('# Headers {#mainpage}\n\nWhat most programs need is heddle/heddle.h; each engine has headers of its own.\n\n| header | what |\n|---|---|\n' + '\n'.join(rows) + '\n')
    tags = STAGE.parent / 'site-heddle.tag'
    settings = (TOP / 'Doxyfile').read_text() + f'''
INPUT += {main}
FILE_PATTERNS += *.md
OUTPUT_DIRECTORY = {STAGE}
HTML_OUTPUT = api
GENERATE_TAGFILE = {tags}
STRIP_FROM_PATH += {STAGE.parent}
{reference.SETTINGS}'''
    done = subprocess.run(['doxygen', '-'], input=settings, text=True, cwd=TOP, capture_output=True)
    if done.returncode or not (STAGE / 'api/index.html').exists():
        sys.exit('site: doxygen: ' + done.stderr)
    entries = []
    for member in xml.etree.ElementTree.parse(tags).getroot().iterfind(".//compound[@kind='file']/member"):
        if member.findtext('anchor'):
            where = f"api/{member.findtext('anchorfile')}#{member.findtext('anchor')}"
            entries.append({'title': member.findtext('name'), 'text': f"{member.findtext('type') or ''} {member.findtext('name')}{member.findtext('arglist') or ''}", 'location': where})
    return entries


class Stage:
    """Puts pages and what they link to into STAGE; `todo` is what has been linked to and has no place there yet."""

    def __init__(self):
        self.places, self.todo = dict(PAGES), []
        for page in sorted((TOP / 'docs').glob('*.md')):
            self.places.setdefault(f'docs/{page.name}', page.name)
        for page in list(self.places):
            self.page(page)
        while self.todo:
            self.file(self.todo.pop())

    def place(self, path):
        """Where a file or folder of the repository is on the site."""
        if path not in self.places:
            if path == 'include/heddle':
                return 'api/index.md'
            if path.startswith('include/heddle/') and path.endswith('.h'):
                return 'api/' + path.split('/')[-1].replace('_', '__').replace('.h', '_8h.html')
            source = TOP / path
            if path.startswith('docs/'):
                self.places[path] = path[5:]
            elif (source / 'README.md').exists():
                return self.place(f'{path}/README.md')
            elif source.is_dir():
                self.places[path] = f'source/{path}/index.md'
            elif source.suffix == '.md':
                self.places[path] = f'source/{path}'
            elif source.suffix in LANGUAGES and source.stat().st_size < SHOWN:
                self.places[path] = f'source/{path}.md'
            else:
                self.places[path] = f'source/{path}'
            self.todo.append(path)
        return self.places[path]

    def page(self, path):
        text, place = (TOP / path).read_text(), self.places[path]

        def link(match):
            target = match['target']
            if re.match(r'[a-z]+:|#|/', target):
                return match[0]
            file, _, anchor = target.partition('#')
            there = os.path.normpath(os.path.join(os.path.dirname(path), file))
            to = os.path.relpath(self.place(there), os.path.dirname(place) or '.')
            return match[0].replace(f'({target}', f'({to}' + (f'#{anchor}' if anchor else ''))

        # Headings keep the anchors that they have on a forge; a list may follow a line of text at once.
        marks = iter(headings(text))
        heading = lambda line: f'{line[0].rstrip()} {{#{next(marks)}}}'
        text = outside_code(text, lambda part: re.sub(r'^#{1,6} .*$', heading, LINK.sub(link, part), flags=re.M))
        text = re.sub(r'^(```[a-z]+) .*$', r'\1', text, flags=re.M) # names of files behind a block's language are for tests
        if place == 'index.md' and (STAGE / 'demo.md').exists():
            text = text.replace('What it looks and sounds like:', '[What it looks and sounds like](demo.md):')
        self.write(place, text)

    def file(self, path):
        source, place = TOP / path, self.places[path]
        if source.is_dir():
            names = sorted(subprocess.run(['git', 'ls-files', '--', '.'], cwd=source, capture_output=True, text=True, check=True).stdout.split())
            lines = [f'- [{name}]({os.path.relpath(self.place(os.path.join(path, name)), os.path.dirname(place))})' for name in names if '/' not in name]
            self.write(place, f'# {path}\n\n' + '\n'.join(lines) + '\n')
        elif place.endswith('.md') and source.suffix == '.md':
            self.page(path)
        elif place.endswith('.md'):
            fence = '`' * 8
            self.write(place, f'# {path}\n\n{fence}{LANGUAGES[source.suffix]}\n{source.read_text(errors="replace")}\n{fence}\n')
        else:
            (STAGE / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, STAGE / place)
            if source.suffix == '.html': # with what it loads
                for beside in source.parent.iterdir():
                    if beside.is_file(): shutil.copyfile(beside, (STAGE / place).parent / beside.name)

    def write(self, place, text):
        (STAGE / place).parent.mkdir(parents=True, exist_ok=True)
        (STAGE / place).write_text(text)


def gallery():
    """The page of `./dev demo`, copied as it is with its files, which all lie beside it."""
    shutil.copytree(DEMO, STAGE / 'demo', ignore=lambda folder, names: [n for n in names if n.endswith(('.pc2', '.state'))])
    page = (STAGE / 'demo' / 'index.html').read_text()
    (STAGE / 'demo' / 'index.html').write_text(re.sub(r'; <a href="[^"]*\.pc2">.*?(?=</figcaption>)', '', page))
    (STAGE / 'demo.md').write_text('# What it looks and sounds like {#demo}\n\n'
        '[Each engine on one page](demo/index.html): a flag that turns under the mouse, a harp to hear, a tuning, a car among others. '
        '`heddle demo` makes it on your own machine in half a minute.\n')


def live():
    """The pages in which an engine runs, and a button on the handbook's page of each; none before `./dev wasm`."""
    package = TOP / 'build/wasm/package'
    if not package.exists():
        print('   without live pages: ./dev wasm builds the engines for them')
        return
    place = STAGE / 'live'
    live_files.copy(place, package)
    instruments = sorted((TOP / 'data/instruments').glob('*.json'))
    for file in instruments:
        shutil.copyfile(file, place / 'instruments' / file.name)
        phrase = TOP / 'data/music/phrases' / f'{file.stem}.mid'
        if phrase.exists():
            shutil.copyfile(phrase, place / 'instruments' / phrase.name)
    names = ['vibes'] + [f.stem for f in instruments if f.stem not in ('vibes', 'million')]
    (place / 'instruments/list.json').write_text(json.dumps(names))
    command = next(TOP.glob('build/*/cli/heddle'))
    (place / 'schema.json').write_text(subprocess.run([command, 'synth', 'check', '--schema'], text=True, capture_output=True, check=True).stdout)
    for name in ('synth', 'cloth', 'css', 'mppi'):
        page = STAGE / f'{name}.md'
        heading, text = page.read_text().split('\n', 1)
        page.write_text(f'{heading}\n\n<p><button data-live="live/{name}.html">Try it here</button></p>\n{text}')


def navigation():
    def title(page):
        if page == 'api/index.md':
            return 'Every function'
        if page == 'overview.md':
            return 'Overview'
        return re.sub(r' \{#.*|`', '', re.search(r'^# (.*)$', (STAGE / page).read_text(), re.M)[1])

    pages = {page.name for page in STAGE.glob('*.md')} - {'index.md'}
    sections = {name: [p + '.md' for p in wanted if (STAGE / (p + '.md')).exists()] for name, wanted in SECTIONS.items()}
    named = {page for wanted in sections.values() for page in wanted}
    for page in sorted(pages - named):
        home = next((name for name, wanted in sections.items() if wanted and wanted[0][:-3] in (page.split('-')[0], page[:-3])), 'Project')
        sections[home].append(page)
    return [{'Home': 'index.md'}] + [{name: [{title(page): page} for page in wanted]} for name, wanted in sections.items() if wanted]


def search_index(functions):
    """The sections of the pages and the functions, as a script: what is read from a disk cannot be fetched."""
    entries = json.loads((SITE / 'search/search_index.json').read_text())['docs']
    entries = [{'title': html.unescape(e['title']), 'text': html.unescape(e['text']), 'location': e['location']} for e in entries if not e['location'].startswith(('source/', 'api/'))]
    (SITE / 'search/index.js').write_text('const search_index = ' + json.dumps(functions + entries, ensure_ascii=False, separators=(',', ':')) + '\n')
    for name in ('search_index.json', 'lunr.js', 'main.js', 'worker.js'):
        (SITE / 'search' / name).unlink(missing_ok=True)
    return len(entries)


def main():
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    functions = doxygen()
    headers = reference.take(STAGE / 'api')
    if list(DEMO.glob('*.items')):
        gallery()
    Stage()
    live()
    config = STAGE.parent / 'site.yml'
    config.write_text(json.dumps({'INHERIT': str(TOP / 'site/mkdocs.yml'), 'docs_dir': str(STAGE), 'site_dir': str(SITE), 'nav': navigation(),
                                  'theme': {'name': None, 'custom_dir': str(TOP / 'site/theme')}}, indent=1))
    done = subprocess.run([sys.executable, '-m', 'mkdocs', 'build', '--clean', '--config-file', str(config)], text=True, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit('site: mkdocs failed:\n' + '\n'.join(line for line in done.stderr.split('\n') if not line.startswith('INFO')))
    reference.write(SITE / 'api', headers)
    sections = search_index(functions)
    pages = len(list(SITE.rglob('*.html')))
    size = sum(f.stat().st_size for f in SITE.rglob('*') if f.is_file())
    print(f'   {pages} pages, {sections} sections and {len(functions)} names of C in the search, {size / 1e6:.0f} MB: {SITE}/index.html')


main()
