#!/usr/bin/env python3
"""python3 purgecss.py HEDDLE PURGECSS [--cases FILE...] [PAGE...]: `heddle css unused` and PurgeCSS on the same pages and sheets.

PURGECSS is a module of PurgeCSS for node. Cases are those of tests/css_cases, where Chromium says which rules apply to some element while
a reader uses the page; rules of a case that are gone then are false removals. PAGEs are opened with the sheets of each tool by reader.py,
which ticks, opens, selects, types and points; elements whose computed styles differ from the original's are false removals too. Prints
bytes and counts of both. Scripts are off. Run by hand: PurgeCSS is no package of Debian's."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from devtools import Browser, find_browser
from reader import Judge, sheets_of

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / 'css_cases'))
from cases import kept_rules, read_cases # noqa: E402


def purge(module, page, sheets, config=None):
    """Texts that PurgeCSS leaves of sheets, and seconds."""
    job = {'content': [page.read_text(errors='replace')], 'css': [text.decode(errors='replace') for text in sheets.values()],
           'config': str(config) if config else None}
    begin = time.monotonic()
    result = subprocess.run(['node', HERE / 'purgecss.js', module], input=json.dumps(job), capture_output=True, text=True)
    if result.returncode:
        raise ValueError(next((line for line in result.stderr.split('\n') if 'Error' in line), result.stderr))
    return dict(zip(sheets, (text.encode() for text in json.loads(result.stdout)))), time.monotonic() - begin


def reduce(heddle, page, folder):
    """Sheets that Heddle leaves of a page's, and seconds."""
    begin = time.monotonic()
    subprocess.run([heddle, 'css', 'unused', page, '--out', f'{folder}/', '--quiet'], check=True, capture_output=True)
    seconds = time.monotonic() - begin
    return {sheet: text for sheet, text in sheets_of(folder, page).items() if sheet.suffix == '.css'}, seconds # without source maps


def judge_cases(heddle, module, path, work):
    """Counts of a file of cases by tool: rules that apply and are gone, rules that may apply and are gone, unused rules that stay."""
    wrong = {'heddle': [0, 0, 0], 'purgecss': [0, 0, 0]}
    cases, refused = read_cases(path), []
    for number, case in enumerate(cases):
        page = case.write(work / f'{path.stem}{number}')
        sheets = {sheet: sheet.read_bytes() for sheet in page.parent.glob('*.css')}
        config = page.parent / 'purgecss.config.js'
        try:
            texts, _ = purge(module, page, sheets, config if config.exists() else None)
        except ValueError as error:
            refused.append(case)
            print(f'{case.name}: PurgeCSS fails, and the case does not count: {error}')
            continue
        numbers = {'heddle': kept_rules(heddle, page), 'purgecss': set(map(int, re.findall(rb'--r(\d+):', b''.join(texts.values()))))}
        for rule, (mark, text) in case.marks.items():
            for tool, kept in numbers.items():
                if (rule in kept) != (mark in '+~'):
                    wrong[tool]['+~'.find(mark)] += 1
                    if mark == '+' and '--list' in sys.argv:
                        print(f'{case.name}: {tool} removed {text}')
    marks = [mark for case in cases if case not in refused for mark, _ in case.marks.values()]
    print(f"{path.name}: {len(cases) - len(refused)} cases, {marks.count('+')} rules apply, {marks.count('~')} may apply, {len(marks) - marks.count('+') - marks.count('~')} do not")
    for tool, (applied, possible, unused) in wrong.items():
        print(f'  {tool}: {applied} of the first are gone, {possible} of the second; {unused} of the last stay')


def judge_page(judge, heddle, module, page, work):
    out, seconds_heddle = reduce(heddle, page, work)
    originals = {path: path.read_bytes() for path in out}
    try:
        purged, seconds_purgecss = purge(module, page, originals)
    except ValueError as error:
        print(f'{page}: PurgeCSS fails, and the page does not count: {error}')
        return
    row = [page.name, str(sum(map(len, originals.values())))]
    for sheets, seconds in [(out, seconds_heddle), (purged, seconds_purgecss)]:
        before = judge.different
        judge.open(page, sheets)
        judge.use(page)
        row += [str(sum(map(len, sheets.values()))), str(judge.different - before), f'{seconds:.2f}']
    print('\t'.join(row), flush=True)


def main():
    heddle, module, *names = sys.argv[1:]
    cases = [pathlib.Path(name) for name in names if name.endswith('.txt')]
    pages = [pathlib.Path(name).resolve() for name in names if name.endswith('.html')]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work).resolve()
        for path in cases:
            judge_cases(heddle, module, path, work)
        if not pages:
            return
        print('page\tbytes\theddle\tdifferent\ts\tpurgecss\tdifferent\ts')
        with Browser(find_browser()) as browser:
            judge = Judge(browser)
            for number, page in enumerate(pages):
                judge_page(judge, heddle, module, page, work / f'page{number}')


if __name__ == '__main__':
    main()
