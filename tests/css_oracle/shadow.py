#!/usr/bin/env python3
"""python3 shadow.py HEDDLE [SEED [PAGES]]: random pages with shadow trees by `heddle css match` and by a browser.

As in cascade.py each rule declares --w with its own number, and getComputedStyle() says which rule wins. The pages have
declarative shadow roots in shadow roots, named slots, parts and exported parts; each tree has sheets of its own with :host,
:host(), :host-context(), ::slotted() and ::part(), layers, importance, style attributes, revert and revert-layer.
Exits with 77 where there is no browser."""
import html
import importlib.util
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

spec = importlib.util.spec_from_file_location('cascade', pathlib.Path(__file__).with_name('cascade.py'))
cascade = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cascade)

COMPOUNDS = ['p', '.a', '.b', 'x-a', 'x-b', '*', '[slot]', '.a.b', ':not(.a)', ':is(p, .b)', ':first-child', 'p:last-child', ':where(.a)']
OUTER = ['.a', 'p', 'div p', '.a > .b', '*', '.a + *', ':root', 'body .b', '#i', ':not(.b) > p', 'x-a > *', 'x-b .a', ':has(> .a)']
INNER = ['.a', 'p', 'div > p', '* > p', ':not(.b) > *', ':not(.zz) p', 'slot', 'x-b', 'slot[name]', ':root', '* ~ .a', '.a:nth-child(2)', '[part]', 'p:only-child', '#i']
LAYERS = ['', '', '', '@layer a', '@layer b', '@layer']


def pick(*parts):
    return ''.join(random.choice(part) if isinstance(part, list) else part for part in parts)


def host():
    return random.choice([':host', ':host', f':host({random.choice(COMPOUNDS)})', f':host-context({random.choice(COMPOUNDS + ["body", "div"])})',
                          f':host:not(:host({random.choice(COMPOUNDS)}))', f':is(:host, {random.choice(INNER)})', ':host:has(p)', ':host:is(.a, :host)'])


def inner_selector():
    kind = random.random()
    if kind < .3:
        return host() + random.choice(['', '', '', '::before', f' {random.choice(INNER)}', f' > {random.choice(INNER)}', f':not(.a)'])
    if kind < .55:
        slot = random.choice(['', '', 'slot', 'slot[name]', '.a ', 'div > slot', ':host > slot', f'{host()} '])
        return f'{slot}::slotted({random.choice(COMPOUNDS)})' + random.choice(['', '', '', '::after'])
    return part_selector(True) if kind < .7 else random.choice(INNER)


def part_selector(inside=False):
    before = random.choice(['', 'x-a', 'x-b', '.a', '* > x-a', 'div x-b', ':not(.b)'] + inside * [':host', ':host(.a)'])
    names = random.choice(['k', 'm', 'n', 'k m', 'e'])
    return f'{before}::part({names})' + random.choice(['', '', '', '::before', ':not(:hover)', ':hover', ':dir(ltr)'])


class Page:
    """A random page; rules are numbered as the command numbers them, tree by tree."""

    def __init__(self):
        self.rules, self.trees = 0, []
        self.body = self.contents(0, 14)
        head = ''.join(f'<style>\n{self.sheet(False)}\n</style>' for _ in range(random.randint(1, 2)))
        for tree in self.trees: # grows: the trees inside of a tree come after all others
            tree['html'] = self.contents(tree['depth'], 8)
        text = '<!doctype html>' + head + '<body>' + self.body
        for tree in self.trees:
            sheets = ''.join(f'<style>\n{self.sheet(True)}\n</style>' for _ in range(random.randint(1, 2)))
            tree['html'] = sheets + tree['html']
        for number in reversed(range(len(self.trees))):
            tree = self.trees[number]
            shadow = f"<template shadowrootmode={tree['mode']}>{tree['html']}</template>"
            text = text.replace(f'@{number}@', shadow)
            for outer in self.trees:
                outer['html'] = outer['html'].replace(f'@{number}@', shadow)
        self.html = text

    def contents(self, depth, count):
        text = ''
        for _ in range(count):
            tags = ['p', 'div', 'x-a', 'x-b', 'span'] + (['slot', 'slot'] if depth else [])
            tag = random.choice(tags)
            attributes = pick([' class=a', " class='a b'", ' class=b', ''], [' slot=s', '', '', ''], [' id=i'] + 9 * [''])
            if tag == 'slot':
                attributes += random.choice(['', ' name=s', ' name=t'])
            if depth:
                attributes += random.choice(['', ' part=k', " part='k m'", ' part=m'])
                if tag in ('x-a', 'x-b'):
                    attributes += random.choice(['', ' exportparts=k', " exportparts='k: n, m'", " exportparts='m: e'"])
            if random.random() < .12:
                value = random.choice([cascade.STYLE, cascade.STYLE, 'revert', 'revert-layer'])
                attributes += f" style='--w: {value}{random.choice([' !important', '', ''])}'"
            text += f'<{tag}{attributes}>'
            if tag in ('x-a', 'x-b') and depth < 3 and len(self.trees) < 12 and random.random() < .7:
                text += f'@{len(self.trees)}@'
                self.trees.append({'depth': depth + 1, 'mode': random.choice(['open', 'open', 'closed'])})
                if random.random() < .7: # children for its slots
                    text += ''.join(f"<div{pick([' class=a', '', ' class=b'], [' slot=s', '', ''])}></div>" for _ in range(random.randint(1, 3)))
                    text += f'</{tag}>'
                    continue
            if tag in ('p', 'slot') or random.random() < .6:
                text += f'</{tag}>'
        return text

    def declarations(self):
        value = random.choice(8 * [self.rules] + ['revert', 'revert-layer'])
        self.rules += 1
        return f"--w: {value}{random.choice([' !important', '', '', ''])};"

    def sheet(self, inside):
        rules = []
        for _ in range(random.randint(3, 9)):
            selectors = []
            for _ in range(random.randint(1, 2)):
                selectors.append(inner_selector() if inside else random.choice([random.choice(OUTER), random.choice(OUTER), part_selector()]))
            text = f"{', '.join(selectors)} {{ {self.declarations()}"
            if random.random() < .2 and '::' not in text:
                text += f" & {random.choice(['.b', 'p', '> .a'])} {{ {self.declarations()} }}"
            layer = random.choice(LAYERS)
            rules.append(f'{layer} {{ {text} }} }}' if layer else text + ' }')
        return '\n'.join(rules)


SCRIPT = '''
const trees = root => {
    const found = [...root.querySelectorAll('*')].filter(e => e.localName !== 'style' || e.textContent.indexOf('@property') < 0);
    for (let i = 0; i < found.length; i++)
        if (found[i].shadowRoot && found[i].nodeType === 1) found.push(found[i].shadowRoot, ...found[i].shadowRoot.querySelectorAll('*'));
    return found;
};
onload = () => {
    const winner = (frame, e) => e.nodeType === 1 ? frame.contentWindow.getComputedStyle(e).getPropertyValue('--w') || '?' : '-1';
    const out = [...document.querySelectorAll('iframe')].map(frame => trees(frame.contentDocument).map(e => winner(frame, e)).join(' '));
    document.body.textContent = '@@' + out.join('\\n') + '@@';
};
'''
REGISTERED = '<style>@property --w { syntax: "<integer>"; inherits: false; initial-value: -1 }</style>'


def ask_browser(browser, pages, work):
    """Values of --w of the elements of each page, tree by tree; closed roots are open for the browser."""
    frames = ''
    for page in pages:
        source = page.html.replace('shadowrootmode=closed', 'shadowrootmode=open') + REGISTERED
        frames += f'<iframe srcdoc="{html.escape(source)}"></iframe>'
    (work / 'ask.html').write_text(f'<!doctype html><meta charset=utf-8><body>{frames}<script>{SCRIPT}</script>')
    answer = subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={work}/profile',
                             '--proxy-server=127.0.0.1:9', '--dump-dom', f'file://{work}/ask.html'],
                            capture_output=True, text=True, check=True).stdout
    return [line.split() for line in answer.split('@@')[1].split('\n')]


def main():
    heddle, seed, count = sys.argv[1], *[int(word) for word in (sys.argv[2:] + ['1', '60'][len(sys.argv) - 2:])]
    browser = next(filter(None, map(shutil.which, ['chromium', 'chromium-browser', 'google-chrome'])), None)
    if not browser:
        print('skipped: no chromium (Debian: chromium)')
        return 77
    random.seed(seed)
    pages = [Page() for _ in range(count)]
    elements = different = trees = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for number, (page, expected) in enumerate(zip(pages, ask_browser(browser, pages, work))):
            found = cascade.ask_heddle(heddle, page, work)
            elements += len(expected)
            trees += len(page.trees)
            # elements without a slot have no computed style
            wrong = [e for e, pair in enumerate(zip(found, expected)) if pair[0] != pair[1] and pair[1] != '?']
            different += len(wrong) + abs(len(found) - len(expected))
            if wrong or len(found) != len(expected):
                print(f'seed {seed}, page {number}: {len(found)} elements, {len(expected)} in the browser')
                for e in wrong[:3]:
                    print(f'  element {e}: {found[e]}, in the browser {expected[e]}')
                if different < 40:
                    print(page.html)
    print(f'{elements} elements of {count} pages with {trees} shadow trees, {different} different')
    return 1 if different or not elements else 0


if __name__ == '__main__':
    sys.exit(main())
