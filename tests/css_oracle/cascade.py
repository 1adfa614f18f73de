#!/usr/bin/env python3
"""python3 cascade.py HEDDLE [SEED [PAGES]]: random cascades by `heddle css match` and by a browser.

Each rule of a random page declares --w, a custom property that is registered as an integer and not
inherited, with its own number as the value, so what getComputedStyle() says is the rule that wins: origins
aside, layers, importance, specificity, scopes, conditions, nesting, style attributes, revert and revert-layer.
Exits with 77 where there is no browser."""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SELECTORS = ['p', '.a', '.b', '#i', 'div p', 'p.a.b', 'p::before', 'body > .a', ':is(#i, .b)', ':where(.a)', '*',
             'p:first-child', 'span .b', '#i.a', 'p:not(.a)', ':has(p)', 'div > *', '[style]']
LAYERS = ['a', 'b', 'a.x', 'b.y.z', 'c', '']
GROUPS = ['@media print', '@media screen', '@supports (display: grid)', '@supports (nope: x)', '@layer', '@layer', '@layer']
SCOPES = ['(.a)', '(p)', '(div) to (.b)', '(.a, .b) to (:scope > span)', '(:has(p)) to (> .a)', '(body)', '(div .a) to (p, .b)', '(:not(.a))', '(span) to (:scope span)']
SCOPED = [':scope', '&', ':scope > p', '> .a', '& .b', ':scope .a', '+ p', ':scope:not(p) *', ':not(:scope)', 'span :scope p', ':is(:scope, p)', ':scope:has(> p)',
          'p:nth-child(2 of :scope > *)', ':where(:scope) .b', 'div:has(:scope)']
STYLE = 10 ** 6 # value of style attributes


class Page:
    """A random page; rules are numbered as the command numbers them."""

    def __init__(self):
        self.rules = 0
        sheets = ['\n'.join(self.block(0) for _ in range(random.randint(3, 8))) for _ in range(random.randint(1, 3))]
        body = ''
        for _ in range(30):
            tag = random.choice(['p', 'span', 'div'])
            style = ''
            if random.random() < .25:
                value = random.choice([STYLE, STYLE, 'revert', 'revert-layer'])
                style = f" style='--w: {value}{random.choice([' !important', '', ''])}'"
            classes, name = random.choice(['a', 'b', 'a b', '']), random.choice([' id=i'] + 8 * [''])
            body += f"<{tag} class='{classes}'{name}{style}>"
            if tag == 'p' or random.random() < .5:
                body += f'</{tag}>'
        self.html = '<!doctype html>' + ''.join(f'<style>\n{s}\n</style>' for s in sheets) + '<body>' + body

    def declarations(self):
        value = random.choice(6 * [self.rules] + ['revert', 'revert-layer'])
        self.rules += 1
        text = f"--w: {value}{random.choice([' !important', '', '', ''])};"
        return text if random.random() < .8 or 'important' in text else f'--w: 7; {text}'

    def block(self, depth, scoped=False):
        kind = random.random()
        if .4 < kind < .55 and depth < 3:
            text = f'@scope {random.choice(SCOPES)} {{\n'
            if random.random() < .3:
                text += self.declarations() + '\n'
            return text + '\n'.join(self.block(depth + 1, True) for _ in range(random.randint(1, 3))) + '\n}'
        if kind < .1:
            return '@layer ' + ', '.join(random.sample(['a', 'b', 'a.x', 'c', 'b.y'], random.randint(1, 3))) + ';'
        if kind < .45 and depth < 3:
            group = random.choice(GROUPS)
            if group == '@layer':
                group += ' ' + random.choice(LAYERS)
            return group + ' {\n' + '\n'.join(self.block(depth + 1, scoped) for _ in range(random.randint(1, 3))) + '\n}'
        known = SELECTORS + 2 * SCOPED if scoped else SELECTORS
        selectors = ', '.join(random.choice(known) for _ in range(random.randint(1, 3)))
        text = f'{selectors} {{ {self.declarations()}'
        # A parent that is a pseudo-element counts for the specificity of `&` in Nesting 1, and not in Chromium 156.
        if random.random() < .2 and '::' not in selectors:
            text += f" & {random.choice(['.b', 'p', '> .a'])} {{ {self.declarations()} }}"
            if random.random() < .6:
                text += f' {self.declarations()}'
        if random.random() < .2: # declarations that are nested match what the rule around them matches, `::before` too
            text += f" {random.choice(['@media print', '@media screen', '@layer b'])} {{ {self.declarations()} }}"
            if random.random() < .6:
                text += f' {self.declarations()}'
        return text + ' }'


SCRIPT = '''
const out = [];
for (const page of pages) {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const d = frame.contentDocument, registered = d.createElement('style');
    d.open(); d.write(page); d.close();
    registered.textContent = '@property --w { syntax: "<integer>"; inherits: false; initial-value: -1 }';
    d.head.append(registered);
    const elements = [...d.querySelectorAll('*')].filter(e => e !== registered);
    out.push(elements.map(e => frame.contentWindow.getComputedStyle(e).getPropertyValue('--w')).join(' '));
    frame.remove();
}
document.body.textContent = '@@' + out.join('\\n') + '@@';
'''


def ask_browser(browser, pages, work):
    script = 'const pages = ' + json.dumps([p.html for p in pages]).replace('</', '<\\/') + ';' + SCRIPT
    (work / 'ask.html').write_text(f'<!doctype html><meta charset=utf-8><body><script>{script}</script>')
    answer = subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={work}/profile',
                             '--proxy-server=127.0.0.1:9', '--dump-dom', f'file://{work}/ask.html'],
                            capture_output=True, text=True, check=True).stdout
    return [line.split() for line in answer.split('@@')[1].split('\n')]


def ask_heddle(heddle, page, work):
    (work / 'page.html').write_text(page.html)
    lines = subprocess.run([heddle, 'css', 'match', f'{work}/page.html', '--property=--w', '--tsv'],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    words = {'-': '-1', 'style': str(STYLE)}
    return [words.get(line.split('\t')[1], line.split('\t')[1]) for line in lines]


def main():
    heddle, seed, count = sys.argv[1], *[int(word) for word in (sys.argv[2:] + ['1', '60'][len(sys.argv) - 2:])]
    browser = next(filter(None, map(shutil.which, ['chromium', 'chromium-browser', 'google-chrome'])), None)
    if not browser:
        print('skipped: no chromium (Debian: chromium)')
        return 77
    random.seed(seed)
    pages = [Page() for _ in range(count)]
    elements = different = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for number, (page, expected) in enumerate(zip(pages, ask_browser(browser, pages, work))):
            found = ask_heddle(heddle, page, work)
            elements += len(expected)
            wrong = [e for e, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
            different += len(wrong) + abs(len(found) - len(expected))
            if wrong or len(found) != len(expected):
                print(f'seed {seed}, page {number}: {len(found)} elements, {len(expected)} in the browser')
                for e in wrong[:3]:
                    print(f'  element {e}: {found[e]}, in the browser {expected[e]}')
                print(page.html)
    print(f'{elements} elements of {count} pages, {different} different')
    return 1 if different or not elements else 0


if __name__ == '__main__':
    sys.exit(main())
