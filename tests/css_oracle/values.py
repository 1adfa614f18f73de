"""python3 values.py HEDDLE [SEED [COUNT]]: random values of properties, valid and spoiled, which headless Chromium judges by
CSS.supports() and Heddle by @supports in a sheet. Values come from Heddle's own grammar (engines/css/values/grammar.inc) and are spoiled
by tokens that are removed, repeated, exchanged or replaced. Differences of known kinds (DISPUTED) are counted apart; more than one of a
thousand others fails."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

GRAMMAR = pathlib.Path(__file__).parents[2] / 'engines/css/values/grammar.inc'
WORD, TYPE, RULE, BLOCK, SEQUENCE, ALL, SOME, ONE, REPEAT = range(9)
SAMPLES = {
    0: ['foo', 'a', 'Bar'], 1: ['--a', '--b'], 2: ['foo'], 3: ['"s"', "'t u'"], 4: ['"wght"', '"kern"'], 5: ['url(x.png)', 'url("y")'],
    6: ['#fff', '#12345678', '#abcd'], 7: ['0', '0.0', '-0'], 8: ['x', ''], 9: ['#a'], 10: ['1', '2', '0', '-3', '+4', 'calc(1 + 2)'],
    11: ['1', '0.5', '-2', '1e2', '.5', 'calc(2 * 3)', 'sin(30deg)', 'max(1, 2)', 'calc(1px / 2px)'], 12: ['10%', '-5%', '0%', 'calc(1% + 2%)'],
    13: ['1px', '0', '-2em', '.5rem', '3vw', 'calc(1px + 2em)', 'min(1px, 2em)', 'round(1.5px, 1px)', '2dvh', '1cqw'],
    14: ['1deg', '-.5turn', '100grad', 'calc(1deg * 2)', 'atan2(1, 2)'], 15: ['1s', '200ms', '-1s', 'calc(1s / 2)'], 16: ['1hz', '2kHz'],
    17: ['1x', '96dpi', '2dppx'], 18: ['1fr', '2.5fr'], 19: ['1px', '10%', '0', '-1em', 'calc(1px + 2%)', 'clamp(1px, 2%, 3em)', 'calc(-1px)'],
    20: ['1deg', '10%', 'calc(1deg + 1%)'], 21: ['1s', '1%'], 22: ['1', '10%', '-1', 'calc(1 * 2)'],
}
EXTRA = ['1px', '10%', '0', '1', '-1px', 'auto', 'none', 'red', '1deg', '1s', '/', ',', 'foo', '"s"', 'inherit', 'rgb(1, 2)', 'calc(1px + 1)',
         'center', 'url(x)', '#12', '1fr', 'span', 'to', 'calc(1px+1px)', '10', '1pxx', 'var(--a)', 'solid', '(', ')', '!', '+']
# Kinds of differences that stay, with the reason
DISPUTED = [
    ('overflow-clip-margin', r'.*', 'takes negative lengths and refuses calc()'),
    ('contain-intrinsic-size', r'.*', 'takes a last `auto` without a length'),
    ('grid|grid-template|grid-template-areas', r'.*["\'].*["\'].*', 'requires rows of one length and rectangular areas'),
    ('.*', r'.*(path\().*', 'reads the path'),
    ('.*', r'.*cubic-bezier\(.*(sin|calc|max|round|min)\(.*', 'computes the result, and refuses it outside of 0 to 1'),
    ('.*color', r'rgba\([^)]*, -[^)]*\).+\)', 'reads a negative alpha up to the last bracket'),
    ('dynamic-range-limit', r'.*-mix.*', 'requires sums of percentages'),
    ('(.*rule(-width|-color|-style)?|.*-trigger)', r'(.*,|,.*|.*, ,.*)', 'takes a comma without a value'),
    ('.*-trigger', r'.*', 'requires different names; a draft'),
    ('grid-(row|column|area).*', r'.*(sin|calc|max|round|min|atan2)\(.*', 'computes the result, and refuses 0'),
]


class Grammar:
    def __init__(self):
        text = GRAMMAR.read_text()

        def part(name):
            return text.split(f'grammar_{name}[] = {{')[1].split('};')[0]
        self.words = re.findall(r'"([^"]*)"', part('words'))
        self.nodes = [tuple(map(int, row)) for row in re.findall(r'\{(\d+), (\d+), (\d+), (\d+)\}', part('nodes'))]
        self.children = [int(n) for n in re.findall(r'\d+', part('children'))]
        self.rules = [int(n) for n in re.findall(r'", (\d+), \d\}', part('rules'))]
        self.bounds = [tuple(map(int, row)) for row in re.findall(r'\{(\d+), (\d+), (\d+)\}', part('bounds'))]
        self.properties = [(name, int(n)) for name, n in re.findall(r'\{"([^"]+)", (\d+), \d\}', part('properties'))]

    def sample(self, node, depth=0):
        """Tokens of one value of a node."""
        kind, _, a, b = self.nodes[node]
        parts = self.children[a:a + b] if SEQUENCE <= kind <= ONE else []
        if kind == WORD:
            return [self.words[a]]
        if kind == TYPE:
            return [random.choice(SAMPLES[a])]
        if kind == RULE:
            return self.sample(self.rules[a], depth + 1) if depth < 14 else ['red']
        if kind == BLOCK:
            inside = self.sample(b, depth + 1)
            return [self.words[a] + ' '.join(inside) + (']' if self.words[a] == '[' else ')')]
        if kind == REPEAT:
            low, high, comma = self.bounds[b]
            count = random.randint(low, min(high or low + 3, low + 3)) if random.random() < .6 else max(low, min(1, high or 1))
            out = []
            for i in range(count):
                out += ([','] if comma and i else []) + self.sample(a, depth + 1)
            return out
        if kind == ONE:
            return self.sample(random.choice(parts), depth + 1)
        if kind == SOME:
            parts = random.sample(parts, random.randint(1, min(3, len(parts))))
        if kind in (ALL, SOME):
            random.shuffle(parts)
        return [token for part in parts for token in self.sample(part, depth + 1)]


def spoil(tokens):
    tokens = list(tokens)
    for _ in range(random.choice([1, 1, 2])):
        at = random.randrange(len(tokens)) if tokens else 0
        choice = random.randrange(5)
        if choice == 0 and tokens:
            del tokens[at]
        elif choice == 1 and tokens:
            tokens.insert(at, tokens[at])
        elif choice == 2 and tokens:
            other = random.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif choice == 3 and tokens:
            tokens[at] = random.choice(EXTRA)
        else:
            tokens.insert(at, random.choice(EXTRA))
    return tokens


def balanced(value):
    """True for values that a sheet may contain: brackets and quotes in pairs."""
    text = re.sub(r'"[^"]*"|\'[^\']*\'', '', value)
    depth = 0
    for c in text:
        depth += (c in '([') - (c in ')]')
        if depth < 0 or c in '"\'{};':
            return False
    return depth == 0


def ask_browser(browser, rows, work):
    script = 'const rows = ' + json.dumps(rows).replace('</', '<\\/') + \
        ";document.body.textContent = '@@' + rows.map(r => +CSS.supports(r[0], r[1])).join('') + '@@'"
    (work / 'ask.html').write_text(f'<!doctype html><meta charset=utf-8><body><script>{script}</script>')
    answer = subprocess.run([browser, '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={work}/profile',
                             '--proxy-server=127.0.0.1:9', '--dump-dom', f'file://{work}/ask.html'],
                            capture_output=True, text=True, check=True).stdout
    return answer.split('@@')[1]


def ask_heddle(heddle, rows, work):
    """One element for each row, which gets --w if @supports holds."""
    (work / 'page.html').write_text('<!doctype html><body>' + ''.join(f'<p id=e{i}>' for i in range(len(rows))))
    (work / 'sheet.css').write_text('\n'.join(f'@supports ({p}: {v}) {{ #e{i} {{ --w: 1 }} }}' for i, (p, v) in enumerate(rows)))
    lines = subprocess.run([heddle, 'css', 'match', f'{work}/page.html', f'{work}/sheet.css', '--property=--w', '--tsv'],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    return ''.join('0' if line.endswith('-') else '1' for line in lines[-len(rows):])


def main():
    heddle, seed, count = sys.argv[1], *[int(word) for word in (sys.argv[2:] + ['1', '10000'][len(sys.argv) - 2:])]
    browser = next(filter(None, map(shutil.which, ['chromium', 'chromium-browser', 'google-chrome'])), None)
    if not browser:
        print('skipped: no chromium (Debian: chromium)')
        return 77
    random.seed(seed)
    grammar, rows = Grammar(), []
    while len(rows) < count:
        name, node = random.choice(grammar.properties)
        tokens = grammar.sample(node)
        if random.random() < .5:
            tokens = spoil(tokens)
        value = ' '.join(tokens)
        if value.strip() and len(value) < 1000 and balanced(value):
            rows.append((name, value))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        expected, found = ask_browser(browser, rows, work), ask_heddle(heddle, rows, work)
    disputed, wrong = 0, []
    for row, browser_says, we_say in zip(rows, expected, found):
        if browser_says == we_say:
            continue
        if any(re.fullmatch(name, row[0]) and re.fullmatch(value, row[1]) for name, value, _ in DISPUTED):
            disputed += 1
        else:
            wrong.append((browser_says, *row))
    for browser_says, name, value in wrong:
        print(f'Chromium {"takes" if browser_says == "1" else "refuses"} {name}: {value}')
    print(f'{count} values, {expected.count("1")} valid in the browser: {len(wrong)} differ, {disputed} disputed')
    return 1 if len(wrong) > count // 1000 or len(found) != count or len(expected) != count else 0


if __name__ == '__main__':
    sys.exit(main())
