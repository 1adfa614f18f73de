#!/usr/bin/env python3
"""versions.py: every file that names Heddle's version names that of CMakeLists.txt, and no file names the address heddle@ of example.org."""
import pathlib, re, subprocess, sys

TOP = pathlib.Path(__file__).resolve().parent.parent
VERSION = re.search(r'^project\(heddle VERSION ([0-9.]+)', (TOP / 'CMakeLists.txt').read_text(), re.M)[1]
PLACES = {
    'CHANGELOG.md': r'^## (?:Unreleased: )?([0-9.]+)',
    'CITATION.cff': r'^version: (.*)$',
    'include/heddle/base.h': r'#define HED_VERSION_TEXT "(.*)"',
    'debian/changelog': r'\Aheddle \(([^-)]*)-',
    'packaging/vcpkg/heddle/vcpkg.json': r'"version": "(.*?)"',
    'blender/heddle_cloth/blender_manifest.toml': r'^version = "(.*)"',
    'node/package.json': r'"version": "(.*?)"',
    'wasm/package/package.json': r'"version": "(.*?)"',
    'docs/install.md': r'heddle-([0-9.]+)-linux',
    'docs/blender.md': r'heddle_cloth-([0-9.]+)\.zip',
}
wrong = []
for name, pattern in PLACES.items():
    found = re.search(pattern, (TOP / name).read_text(), re.M)
    if not found or found[1] != VERSION:
        wrong.append(f'{name}: version is {found[1] if found else "not there"}; expected {VERSION}, as in CMakeLists.txt')
address = '@'.join(('heddle', 'example.org'))
grep = subprocess.run(['git', 'grep', '-lF', address], cwd=TOP, capture_output=True, text=True)
wrong += [f'{name}: names the address {address}, which nobody reads' for name in grep.stdout.split()]
for line in wrong:
    print('FAILED:', line)
print(f'version {VERSION}: {len(PLACES)} places, {len(wrong)} faults')
sys.exit(bool(wrong))
