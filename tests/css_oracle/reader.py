#!/usr/bin/env python3
"""python3 reader.py HEDDLE PAGE|FOLDER...: pages with sheets that `heddle css unused --out` has reduced, in a browser.

Each page is reduced alone and opened twice, with its own sheets and with the reduced ones. Then a reader ticks each box,
opens each details element, selects each option, types valid and invalid text, presses each button of a dialog or popover,
and points at everything. After each step the computed styles of all elements and pseudo-elements have to be equal, at 480 and
1,280 pixels and in print. Prints the differences and a sum; exits with 77 where there is no browser."""
import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

from devtools import Browser, Tab, find_browser

SCRIPT = (pathlib.Path(__file__).parent / 'reader.js').read_text()
MEDIA = [(480, ''), (1280, ''), (1280, 'print')]
# What is typed into a field of a type: texts that are valid, and texts that are not.
TYPED = {'email': ['ada@example.org', 'ada@'], 'url': ['https://example.org/', 'example'], 'number': ['3', '7777777'], 'tel': ['+44 20', '?']}
SET = {'date': ['2026-11-28', '1900-01-01'], 'month': ['2026-11', '1900-01'], 'week': ['2026-W40', '1900-W01'], 'time': ['12:30', '00:00'],
       'datetime-local': ['2026-11-28T12:30', '1900-01-01T00:00'], 'color': ['#123456', '#000000'], 'range': ['1', '1000000']}
MOST_TURNS = 4


class ReducedTab(Tab):
    """A tab whose sheets are replaced: `sheets` has their texts by path."""

    def __init__(self, browser):
        super().__init__(browser)
        self.sheets = {}
        self.call('Fetch.enable', patterns=[{'urlPattern': '*', 'resourceType': 'Stylesheet'}])

    def event(self, message):
        if message.get('method') != 'Fetch.requestPaused':
            return
        request = message['params']['requestId']
        path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(message['params']['request']['url']).path))
        text = self.sheets.get(path.resolve())
        if text is None:
            self.browser.send('Fetch.continueRequest', self.session, requestId=request)
        else:
            self.browser.send('Fetch.fulfillRequest', self.session, requestId=request, responseCode=200,
                              responseHeaders=[{'name': 'Content-Type', 'value': 'text/css'}], body=base64.b64encode(text).decode())


class Judge:
    """The original page and the reduced one, side by side."""

    def __init__(self, browser):
        self.tabs = [Tab(browser), ReducedTab(browser)]
        self.call('Animation.enable')
        self.call('Animation.setPlaybackRate', playbackRate=0) # none ends before it is looked at
        self.elements = self.comparisons = self.different = 0
        self.step = self.place = ''

    def open(self, page, sheets):
        self.tabs[1].sheets = sheets
        texts = page.read_text(errors='replace') + ''.join(path.read_text(errors='replace') for path in sheets)
        texts = ' '.join(set(re.findall(r':[a-z-]+', texts)))
        for tab in self.tabs:
            tab.go(page.as_uri())
            tab.evaluate(SCRIPT)
            tab.evaluate(f'reader.expect({json.dumps(texts)})')

    def do(self, text):
        return [tab.evaluate(text) for tab in self.tabs][0]

    def call(self, method, **parameters):
        for tab in self.tabs:
            tab.call(method, **parameters)

    def report(self, page, width, media, index):
        original, reduced = [tab.evaluate(f'reader.difference({index})') for tab in self.tabs]
        if original and reduced and original['path'] == reduced['path']:
            what = [f"{p}: {v} became {reduced['style'].get(p)}" for p, v in original['style'].items() if reduced['style'].get(p) != v]
        else:
            what = [f"{reduced and reduced['path']} in its place"]
        print(f"{page}: {self.step}, {width} {media or 'screen'}: {original and original['path']}: " + '; '.join(what[:3]))

    def compare(self, page, step):
        """Counts and prints the elements that differ; True if there is none."""
        self.step, differs = step, False
        for width, media in MEDIA:
            self.call('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1, mobile=False)
            self.call('Emulation.setEmulatedMedia', media=media)
            hashes = [tab.evaluate('reader.hashes()') for tab in self.tabs]
            wrong = [i for i in range(max(map(len, hashes))) if hashes[0][i:i + 1] != hashes[1][i:i + 1]]
            self.comparisons += len(hashes[0])
            self.different += len(wrong)
            for index in wrong[:2]:
                self.report(page, width, media, index)
            differs = differs or bool(wrong)
        return not differs

    def type(self, page, number):
        for field in self.do('reader.fields()'):
            kind = field['type']
            if kind in SET:
                self.do(f"reader.set({field['index']}, '{SET[kind][number]}')")
                continue
            text = TYPED.get(kind, ['Ada Lovelace', 'x'])[number]
            if self.do(f"reader.focus({field['index']})"):
                self.call('Input.insertText', text=text)
                self.do('reader.blur()')
            else: # out of sight
                self.do(f"reader.set({field['index']}, '{text}')")
        return self.compare(page, f"{self.place}{['valid', 'invalid'][number]} text")

    def force(self, page, *states):
        """The pointer, or the focus, on every element."""
        for tab in self.tabs:
            tab.call('DOM.enable')
            tab.call('CSS.enable')
            for node in tab.call('DOM.getFlattenedDocument', depth=-1, pierce=True)['nodes']:
                if node['nodeType'] == 1:
                    attributes = node.get('attributes', [])[::2]
                    named = 'id' in attributes or (node['localName'] == 'a' and 'name' in attributes) # else no address leads to it
                    forced = [state for state in states if state != 'target' or named]
                    try:
                        tab.call('CSS.forcePseudoState', nodeId=node['nodeId'], forcedPseudoClasses=forced)
                    except ValueError:
                        pass # elements of the browser itself
        equal = self.compare(page, ', '.join(states))
        self.call('CSS.disable')
        return equal

    def use(self, page):
        """All steps; a step is not done after a difference, which would repeat in it."""
        self.elements += self.do("document.querySelectorAll('*').length")
        if not self.compare(page, 'untouched'):
            return
        self.force(page, 'hover', 'focus', 'focus-visible', 'focus-within', 'active', 'target', 'visited')
        for kind in ['boxes', 'details', 'selects']:
            for turn in range(min(self.do(f"reader.count('{kind}')"), MOST_TURNS)):
                self.do(f"reader.use('{kind}', {turn})")
                if not self.compare(page, f'{kind}, turn {turn + 1}'):
                    return
        fields = self.do('reader.fields().length')
        if fields and not (self.type(page, 0) and self.type(page, 1)):
            return
        for turn in range(min(self.do("reader.count('buttons')"), MOST_TURNS)):
            self.do(f"reader.use('buttons', {turn})")
            self.place = f'button {turn + 1}, '
            if not self.compare(page, f'button {turn + 1}') or (fields and not (self.type(page, 0) and self.type(page, 1))):
                break
            self.do('reader.close()')
        self.place = ''


def sheets_of(folder, page):
    """The reduced sheets below a folder by the paths of the originals."""
    written = [path for path in folder.rglob('*') if path.is_file()]
    for root in page.parents:
        if all((root / path.relative_to(folder)).exists() for path in written):
            return {(root / path.relative_to(folder)).resolve(): path.read_bytes() for path in written}
    raise ValueError(f'{page}: {written[0]} is no sheet of it')


def main():
    heddle, names = sys.argv[1], sys.argv[2:]
    path = find_browser()
    if not path:
        print('skipped: no chromium (Debian: chromium)')
        return 77
    pages = [page.resolve() for name in map(pathlib.Path, names) for page in (sorted(name.rglob('*.html')) if name.is_dir() else [name])]
    before = after = failed = 0
    with Browser(path) as browser, tempfile.TemporaryDirectory() as work:
        judge = Judge(browser)
        for number, page in enumerate(pages):
            out = pathlib.Path(work) / str(number)
            result = subprocess.run([heddle, 'css', 'unused', page, '--out', f'{out}/'], capture_output=True, text=True)
            if result.returncode:
                print(f'{page}: exit {result.returncode}: {result.stderr}')
                failed += 1
                continue
            sheets, old = sheets_of(out, page), (judge.elements, judge.different)
            sizes = sum(path.stat().st_size for path in sheets), sum(map(len, sheets.values()))
            before, after = before + sizes[0], after + sizes[1]
            judge.open(page, sheets)
            judge.use(page)
            print(f'{page}: {judge.elements - old[0]} elements, {judge.different - old[1]} different, {sizes[0]} bytes became {sizes[1]}', flush=True)
    print(f'{len(pages)} pages, {judge.elements} elements, {judge.comparisons} styles, {judge.different} different, {before} bytes became {after}')
    return 1 if judge.different or failed or not judge.elements else 0


if __name__ == '__main__':
    sys.exit(main())
