#!/usr/bin/env python3
"""python3 cases.py HEDDLE FILE [--browser]: small cases of rules that `heddle css unused` keeps or removes.

FILE has cases of this form:

    == name
    !quirks                 (optional: a page without a doctype)
    !config { ... }         (optional: further options of a configuration of PurgeCSS)
    HTML of the page
    --
    + rule that a reader of the page can make apply
    ~ rule that stays, although the reader below does not see it apply
    - rule that nothing on the page uses
    * the same, but PurgeCSS keeps it, as its names are on the page
    a line without a mark is a part of the sheet that is not judged
    -- name.css             (a further sheet, for @import)

A rule without braces is a selector. `{}` becomes a block of a declaration `--rN`, and `@@` the declaration alone; N is
the line's own. Without --browser the rules of the output are compared with the marks. With --browser Chromium decides:
the rules marked with + are those that apply to some element after a reader has pointed, clicked, typed and resized."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ORACLE = pathlib.Path(__file__).parent.parent / 'css_oracle'
PSEUDOS = ['', '::before', '::after', '::marker', '::first-line', '::first-letter', '::selection', '::backdrop', '::placeholder', '::details-content',
           '::file-selector-button', '::view-transition', '::-webkit-scrollbar']
LOOK = '''(() => {
    const found = new Set(), all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const look = () => {
        for (const e of all(document)) for (const p of %s) {
            const style = getComputedStyle(e, p || undefined);
            for (let i = 1; i <= %d; i++) if (style.getPropertyValue('--r' + i)) found.add(i);
        }
    };
    const moves = document.getAnimations().filter(a => a instanceof CSSAnimation);
    look();
    for (const part of moves.length ? [0, 0.99] : []) { // `to` alone applies in the second half, whenever the reader looks
        for (const a of moves) {
            const {delay, duration} = a.effect.getTiming();
            a.pause();
            a.currentTime = delay + part * duration;
        }
        look();
    }
    return [...found];
})()'''
# Places where a reader types, and the texts.
TYPED = {'email': ['ada@example.org', 'x'], 'url': ['https://example.org/', 'x'], 'number': ['3', '7777777']}
SET = {'date': ['2026-11-28', '1900-01-01'], 'month': ['2026-11', '1900-01'], 'week': ['2026-W40', '1900-W01'], 'time': ['12:30', '00:00'],
       'datetime-local': ['2026-11-28T12:30', '1900-01-01T00:00'], 'color': ['#123456', '#000000'], 'range': ['1', '1000000']}
STATES = ['hover', 'focus', 'focus-visible', 'focus-within', 'active', 'target', 'visited']


class Case:
    def __init__(self, name, lines):
        self.name, self.page, self.sheets, self.marks = name, '', {'s.css': ''}, {}
        self.doctype, self.config, sheet = '<!doctype html>', None, None
        for line in lines:
            if line.startswith('-- ') and sheet:
                sheet = line[3:].strip()
                self.sheets[sheet] = ''
            elif line == '--' and not sheet:
                sheet = 's.css'
            elif line == '!quirks' and not sheet:
                self.doctype = ''
            elif line.startswith('!config ') and not sheet:
                self.config = line[len('!config {'):-1]
            elif not sheet:
                self.page += line + '\n'
            else:
                self.rule(sheet, line)

    def rule(self, sheet, line):
        mark = line[:2] if line[:2] in ('+ ', '~ ', '- ', '* ') else ''
        text = line[len(mark):]
        if mark:
            number = len(self.marks) + 1
            self.marks[number] = (mark[0], text)
            if '{}' not in text and '@@' not in text:
                text += '{}'
            text = text.replace('{}', f'{{--r{number}:1}}').replace('@@', f'--r{number}:1')
        self.sheets[sheet] += text + '\n'

    def write(self, folder):
        folder.mkdir()
        for name, text in self.sheets.items():
            if name == 's.css': # custom properties that are used, so that no group becomes empty without them
                text += ':root{content:' + ''.join(f'var(--r{number})' for number in self.marks) + '}\n'
            (folder / name).write_text(text)
        if self.config:
            (folder / 'purgecss.config.js').write_text(f"module.exports = {{ content: ['p.html'], css: ['s.css'], {self.config} }}")
        (folder / 'p.html').write_text(f'{self.doctype}<link rel=stylesheet href=s.css><meta charset=utf-8>{self.page}')
        return folder / 'p.html'


def read_cases(path):
    parts = re.split(r'^== (.*)\n', path.read_text(), flags=re.M)
    return [Case(name, text.rstrip('\n').split('\n')) for name, text in zip(parts[1::2], parts[2::2])]


def kept_rules(heddle, page):
    """Numbers of the rules in the reduced sheets of a page."""
    out = page.parent / 'out'
    config = page.parent / 'purgecss.config.js'
    what = ['--config', config] if config.exists() else [page]
    subprocess.run([heddle, 'css', 'unused', *what, '--out', f'{out}/', '--quiet'], check=True, cwd=page.parent, capture_output=True)
    return set(map(int, re.findall(r'--r(\d+):', ''.join(path.read_text() for path in out.rglob('*.css')))))


class Reader:
    """Rules that apply while a reader uses a page."""

    def __init__(self, tab, script):
        self.tab, self.script = tab, script + """
            document.addEventListener('submit', e => {
                if (e.submitter?.formMethod !== 'dialog' && e.target.method !== 'dialog') e.preventDefault();
            });"""
        tab.call('Emulation.setScriptExecutionDisabled', value=False) # for the listener; the pages have no scripts

    def look(self):
        self.seen.update(self.tab.evaluate(LOOK % (json.dumps(PSEUDOS), self.count)))

    def resize(self):
        for width, media in [(480, ''), (1280, 'print'), (1280, '')]:
            self.tab.call('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1, mobile=False)
            for scheme in ['light', 'dark']:
                self.tab.call('Emulation.setEmulatedMedia', media=media, features=[{'name': 'prefers-color-scheme', 'value': scheme}])
                self.look()

    def point(self):
        self.tab.call('DOM.enable')
        self.tab.call('CSS.enable')
        for node in self.tab.call('DOM.getFlattenedDocument', depth=-1, pierce=True)['nodes']:
            if node['nodeType'] == 1:
                try:
                    self.tab.call('CSS.forcePseudoState', nodeId=node['nodeId'], forcedPseudoClasses=STATES)
                except ValueError:
                    pass # elements of the browser itself
        self.look()
        self.tab.call('CSS.disable')

    def key(self, name, code, text=None):
        event = {'key': name, 'code': name, 'windowsVirtualKeyCode': code} | ({'text': text} if text else {})
        self.tab.call('Input.dispatchKeyEvent', type='keyDown', **event)
        self.tab.call('Input.dispatchKeyEvent', type='keyUp', **event)
        self.look()

    def type(self, text_number):
        tab = self.tab
        for field in tab.evaluate('reader.fields()'):
            kind, index = field['type'], field['index']
            if kind in SET:
                tab.evaluate(f"reader.set({index}, '{SET[kind][text_number]}')")
                self.look()
            elif tab.evaluate(f'reader.focus({index})'):
                tab.call('Input.insertText', text=TYPED.get(kind, ['Ada Lovelace', 'שלום'])[text_number])
                self.look()
                tab.evaluate('reader.blur()')
                self.look()

    def edit(self):
        """Empties the fields; in editable elements a new paragraph, and words in bold, are typed first."""
        tab = self.tab
        for field in tab.evaluate('reader.fields()'):
            if field['type'] in SET or not tab.evaluate(f"reader.focus({field['index']})"):
                continue
            for step in ['', 'Enter', 'x', 'Backspace', 'all']:
                if step == 'Enter':
                    self.key('Enter', 13, '\r')
                elif step == 'Backspace':
                    self.key('Backspace', 8)
                elif step == 'all':
                    tab.evaluate("document.execCommand('selectAll')")
                    self.key('Backspace', 8)
                elif step:
                    tab.call('Input.insertText', text=step)
                self.look()
            tab.evaluate('reader.blur()')
            self.look()

    def use(self, page, count):
        tab, self.seen, self.count = self.tab, set(), count
        tab.go(page.as_uri())
        tab.evaluate(self.script)
        tab.evaluate(f'for (let i = 1; i <= {count}; i++) CSS.registerProperty({{name: "--r" + i, syntax: "*", inherits: false}})')
        self.resize()
        self.point()
        for kind in ['boxes', 'details', 'selects']:
            for turn in range(min(tab.evaluate(f"reader.count('{kind}')"), 4)):
                tab.evaluate(f"reader.use('{kind}', {turn})")
                self.look()
        self.type(0)
        self.type(1)
        self.edit()
        for turn in range(min(tab.evaluate("reader.count('buttons')"), 4)):
            tab.evaluate(f"reader.use('buttons', {turn})")
            self.look()
            tab.evaluate("document.querySelector('dialog[open] [method=dialog] button')?.click()")
            self.look()
            self.key('Escape', 27)
        return self.seen


def judge(cases, folder, heddle):
    """Differences of the command's output from the marks."""
    wrong = 0
    for number, case in enumerate(cases):
        kept = kept_rules(heddle, case.write(folder / str(number)))
        for rule, (mark, text) in case.marks.items():
            if (rule in kept) != (mark in '+~'):
                wrong += 1
                print(f"{case.name}: {text}: {'stays; it should go' if rule in kept else 'removed; it should stay'}")
    return wrong


def judge_by_browser(cases, folder):
    """Differences of Chromium from the marks; None: no browser."""
    sys.path.insert(0, str(ORACLE))
    from devtools import Browser, Tab, find_browser
    if not find_browser():
        return None
    wrong = 0
    with Browser(find_browser()) as browser:
        tab = Tab(browser)
        reader = Reader(tab, (ORACLE / 'reader.js').read_text())
        for number, case in enumerate(cases):
            seen = reader.use(case.write(folder / str(number)), len(case.marks))
            for rule, (mark, text) in case.marks.items():
                blocked = case.config and mark == '-' # a blocklist removes rules that apply
                if (rule in seen) != (mark == '+') and not blocked:
                    wrong += 1
                    print(f"{case.name}: {text}: {'applies' if rule in seen else 'never applies'}; it is marked {mark}")
    return wrong


def main():
    heddle, path, by_browser = sys.argv[1], pathlib.Path(sys.argv[2]), '--browser' in sys.argv
    cases = read_cases(path)
    with tempfile.TemporaryDirectory() as work:
        wrong = judge_by_browser(cases, pathlib.Path(work)) if by_browser else judge(cases, pathlib.Path(work), heddle)
    if wrong is None:
        print('skipped: no chromium (Debian: chromium)')
        return 77
    marks = [mark for case in cases for mark, _ in case.marks.values()]
    print(f"{len(cases)} cases, {len(marks)} rules ({marks.count('-') + marks.count('*')} unused, of which PurgeCSS keeps {marks.count('*')}), {wrong} wrong")
    return 1 if wrong or not marks else 0


if __name__ == '__main__':
    sys.exit(main())
