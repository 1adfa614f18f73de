#!/usr/bin/env python3
"""data_licences.py: data/README.md names each file of data/ once, with its origin, and no file that is not there."""
import collections, pathlib, re, sys

DATA = pathlib.Path(__file__).resolve().parent.parent / 'data'
rows = [line.split('|')[1:-1] for line in (DATA / 'README.md').read_text().splitlines() if line.startswith('| `')]
named = collections.Counter(name for row in rows for name in re.findall(r'`([^`]+)`', row[0]))
files = {str(path.relative_to(DATA)) for path in DATA.rglob('*') if path.is_file() and path.name != 'README.md' and '__pycache__' not in path.parts}
wrong = [f'{name}: data/README.md does not name it' for name in sorted(files - set(named))]
wrong += [f'{name}: data/README.md names it, and it is not there' for name in sorted(set(named) - files)]
wrong += [f'{name}: named {count} times in data/README.md' for name, count in sorted(named.items()) if count > 1]
wrong += [f'{row[0].strip()}: no origin in data/README.md' for row in rows if not row[2].strip()]
for line in wrong:
    print('FAILED:', line)
print(f'{len(files)} files of data, {len(wrong)} faults')
sys.exit(bool(wrong) or not files)
