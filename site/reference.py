"""The C reference in the site's own theme: doxygen's pages, of which the contents alone are kept, inside a page that mkdocs has made."""
import re

TITLE, CONTENT = 'REFERENCE-TITLE', 'REFERENCE-CONTENT'
SETTINGS = '''
SEARCHENGINE = NO
DISABLE_INDEX = YES
GENERATE_TREEVIEW = NO
HTML_TIMESTAMP = NO
WARN_AS_ERROR = NO
'''
# Lists that repeat what the page of headers has, or that need doxygen's scripts and pictures.
LEFT_OUT = re.compile(r'(dir_[0-9a-f]+|annotated|classes|files|globals|site-headers_8md|index)\.html')
NAMES = '''<p>All names: <a href="globals_func.html">functions</a>, <a href="globals_type.html">types</a>, <a href="globals_eval.html">enumerators</a>,
<a href="globals_defs.html">macros</a>.</p>'''
TITLES = {'globals_func.html': 'Functions', 'globals_type.html': 'Types', 'globals_enum.html': 'Enumerations', 'globals_eval.html': 'Enumerators',
          'globals_defs.html': 'Macros'}


def contents(page):
    """The title and the contents of a page of doxygen's; its links to other parts of the page come first."""
    text = page.read_text()
    inside = re.search(r'<div class="contents">(.*)</div><!-- contents -->', text, re.S)
    title = re.search(r'<div class="title">(.*?)</div>', text, re.S)
    summary = re.search(r'<div class="summary">(.*?)</div>', text, re.S)
    words = re.sub(r'<[^>]*>', '', title[1]).strip() if title else ''
    header = re.fullmatch(r'(\S+\.h) (?:File Reference|Source File|File)', words)
    words = f'heddle/{header[1]}' if header else words.removesuffix(' Reference')
    parts = f'<p class="parts">{summary[1]}</p>' if summary else ''
    return TITLES.get(page.name, words), parts + inside[1]


def take(folder):
    """The contents of doxygen's first page, whose place one of mkdocs' pages takes."""
    _, inside = contents(folder / 'index.html')
    (folder / 'index.html').unlink()
    (folder / 'index.md').write_text(f'# {TITLE}\n\n{CONTENT}\n')
    return NAMES + inside


def write(folder, first):
    """Writes doxygen's pages in `folder` of the built site again, in the theme; `first` is what take() returned."""
    template = (folder / 'index.html').read_text()

    def render(page, title, inside):
        text = re.sub(r'<title>.*?</title>', lambda _: f'<title>{title} - Heddle</title>', template, count=1, flags=re.S)
        text = text.replace(f'<p>{CONTENT}</p>', f'<div class="reference">{inside}</div>').replace(TITLE, title)
        page.write_text(text)

    for page in sorted(folder.iterdir()):
        if page.suffix != '.html' or LEFT_OUT.fullmatch(page.name):
            if page.name != 'index.html':
                page.unlink() if page.is_file() else None
        else:
            render(page, *contents(page))
    render(folder / 'index.html', 'C headers', first)
