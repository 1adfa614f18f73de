#!/usr/bin/env python3
"""Links of the documentation, without a network.

    docs_links.py                every link in *.md, docs/ and benchmarks/ leads to a file that git has, and to a heading in it
    docs_links.py --site FOLDER  every link, picture, sound, script and style of the built site leads to a file of it, and to an
                                 anchor in it; nothing is loaded from elsewhere, no page names the folder that it was built in, and the C
                                 reference has the theme of the other pages
"""
import collections, html.parser, os, pathlib, re, subprocess, sys, urllib.parse

LINK = re.compile(r'!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^()\s]+)\)')
FENCE = re.compile(r'^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$\n?', re.M | re.S)


def outside_code(text, change):
    """`change` of everything outside of fenced blocks and of code in a line."""
    parts = re.split(r'(^(?:```+|~~~+)[^\n]*\n.*?^(?:```+|~~~+)[ \t]*$\n?)', text, flags=re.M | re.S)
    return ''.join(part if index % 2 else change(part) for index, part in enumerate(parts))


def headings(text):
    """The anchors of a page's headings, in order, by the rule of forges: lower case, punctuation dropped, a hyphen for each space."""
    seen, anchors = collections.Counter(), []
    for line in re.findall(r'^#{1,6} (.*)$', FENCE.sub('', text), re.M):
        words = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', line.strip().rstrip('#').strip())
        anchor = re.sub(r'[^\w\- ]', '', words.replace('`', '').lower()).replace(' ', '-')
        anchors.append(f'{anchor}-{seen[anchor]}' if seen[anchor] else anchor)
        seen[anchor] += 1
    return anchors


def check_pages():
    listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], capture_output=True, text=True).stdout.split('\n')
    known = set(listed) | {str(parent) for name in listed for parent in pathlib.PurePath(name).parents}
    count, found = 0, []
    for page in sorted(name for name in listed if re.match(r'([^/]+|docs/[^/]+|benchmarks/.*)\.md$', name) and os.path.isfile(name)):
        text = open(page).read()
        for match in LINK.finditer(FENCE.sub('', text)):
            target = match['target']
            if re.match(r'[a-z]+:', target):
                continue
            count += 1
            file, _, anchor = target.partition('#')
            there = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            if there not in known:
                found.append(f'{page}: ({target}): {there} is not in the repository')
            elif anchor and there.endswith('.md') and anchor not in headings(open(there).read()):
                found.append(f'{page}: ({target}): {there} has no heading #{anchor}')
    return count, found


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for key in ('id', 'name'):
            if attributes.get(key):
                self.anchors.add(attributes[key])
        for key in ('href', 'src'):
            if attributes.get(key):
                (self.links if tag in ('a', 'area') else self.loaded).append(attributes[key])


def check_site(folder):
    pages, count, found = {}, 0, []
    built_in = str(pathlib.Path(folder).resolve().parent)
    for path in sorted(pathlib.Path(folder).rglob('*.html')):
        pages[path.resolve()] = page = Page()
        text = path.read_text(errors='replace')
        page.feed(text)
        if built_in in text:
            found.append(f'{path}: names {built_in}, a folder of the machine that built the site')
        if path.parent.name == 'api' and '../style.css' not in page.loaded:
            found.append(f"{path}: a page of the C reference that is not in the site's theme")
    for path, page in pages.items():
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme == 'file':
                found.append(f'{path}: {target} is a file of the machine that built the site')
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme not in ('data', 'javascript'):
                    found.append(f'{path}: loads {target} from elsewhere')
                continue
            count += 1
            there = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not there.is_relative_to(pathlib.Path(folder).resolve()):
                found.append(f'{path}: {target}: {there} is outside the site')
            elif not there.is_file():
                found.append(f'{path}: {target}: {there} is not there')
            elif anchor and there in pages and anchor not in pages[there].anchors:
                found.append(f'{path}: {target}: no anchor #{anchor}')
    return count, found


def main():
    count, found = check_site(sys.argv[2]) if sys.argv[1:2] == ['--site'] else check_pages()
    for line in found:
        print('FAILED:', line)
    print(f'{count} links, {len(found)} broken')
    sys.exit(bool(found) or not count)


if __name__ == '__main__':
    main()
