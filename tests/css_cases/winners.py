#!/usr/bin/env python3
"""python3 winners.py HEDDLE FILE [--browser]: which rule wins on an element, as `heddle css explain` has it.

FILE has cases of this form:

    == name
    !quirks                   (optional: a page without a doctype)
    !html HTML of the page    (optional; otherwise PAGE below)
    sheet: {} is a block of a declaration of --w with the number of the block, from 1, and {!} an important one
    -- name.css               (a further sheet, for @import)
    > value of --w on the element #t, which may be in a shadow tree; 0: no rule sets it

With --browser Chromium decides instead of the command."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ORACLE = pathlib.Path(__file__).parent.parent / 'css_oracle'
COMPUTED = '''(() => {
    const find = root => root.getElementById('t') ?? [...root.querySelectorAll('*')].map(e => e.shadowRoot && find(e.shadowRoot)).find(e => e);
    return getComputedStyle(find(document)).getPropertyValue('--w');
})()'''
PAGE = '<div class=o><p id=t class="a b" title=x>1</p><p class=s id=s2></p></div>'


class Case:
    def __init__(self, name, lines):
        self.name, self.page, self.doctype, self.sheets, self.blocks = name, PAGE, '<!doctype html>', {'s.css': ''}, 0
        sheet = 's.css'
        for line in lines:
            if line == '!quirks':
                self.doctype = ''
            elif line.startswith('!html '):
                self.page = line[6:]
            elif line.startswith('-- '):
                sheet = line[3:]
                self.sheets[sheet] = ''
            elif line.startswith('> '):
                self.winner = int(line[2:])
            else:
                self.sheets[sheet] += re.sub(r'\{(!?)\}', self.block, line) + '\n'

    def block(self, match):
        self.blocks += 1
        return '{--w:%d%s}' % (self.blocks, '!important' if match.group(1) else '')

    def write(self, folder):
        folder.mkdir()
        for name, text in self.sheets.items():
            (folder / name).write_text(text)
        (folder / 'p.html').write_text(f'{self.doctype}<link rel=stylesheet href=s.css><body>{self.page}')
        return folder / 'p.html'


def explained(heddle, page):
    """The winning value of --w on #t by the command."""
    text = subprocess.run([heddle, 'css', 'explain', page, '#t', '--json'], check=True, capture_output=True, text=True).stdout
    values = [row['value'] for row in json.loads(text) if row['result'] == 'wins' and row['property'] == '--w' and not row['pseudo_element']]
    return next((int(value) for value in values if value.isdigit()), 0) # after `revert-layer`, the value that it leads to


def computed(tab, page):
    """The value of --w on #t in a browser."""
    tab.go(page.as_uri())
    tab.evaluate('CSS.registerProperty({name: "--w", syntax: "<integer>", inherits: false, initialValue: "0"})')
    return int(tab.evaluate(COMPUTED))


def main():
    heddle, path, by_browser = sys.argv[1], pathlib.Path(sys.argv[2]), '--browser' in sys.argv
    parts = re.split(r'^== (.*)\n', path.read_text(), flags=re.M)
    cases = [Case(name, text.rstrip('\n').split('\n')) for name, text in zip(parts[1::2], parts[2::2])]
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        pages = [case.write(pathlib.Path(work) / str(number)) for number, case in enumerate(cases)]
        if by_browser:
            sys.path.insert(0, str(ORACLE))
            from devtools import Browser, Tab, find_browser
            if not find_browser():
                print('skipped: no chromium (Debian: chromium)')
                return 77
            with Browser(find_browser()) as browser:
                tab = Tab(browser)
                tab.call('Emulation.setDeviceMetricsOverride', width=1920, height=1080, deviceScaleFactor=1, mobile=False)
                found = [computed(tab, page) for page in pages]
        else:
            found = [explained(heddle, page) for page in pages]
    for case, value in zip(cases, found):
        if value != case.winner:
            wrong += 1
            print(f"{case.name}: {value} wins; it should be {case.winner}")
    print(f'{len(cases)} cases, {wrong} wrong')
    return 1 if wrong or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
