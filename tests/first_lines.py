#!/usr/bin/env python3
"""The first lines of the documents, as a script that runs them where Heddle is installed.

    first_lines.py [--without KIND]... >SCRIPT    then, with the installed command on PATH: sh SCRIPT

They are the lines in the table of docs/README.md, and the first line of a shell block of README.md and of each page of docs/ that one of the two
links to, as a user who has installed Heddle reads them: lines that build or install from a checkout are passed over. The script runs each
line in an empty folder. It needs a shell alone, so it also runs in a system without Python.

KIND is what a line needs beyond Heddle: cc (a C compiler and the development files), pip (the wheel in the file that the variable WHEEL names),
compiler (an OpenCL or CUDA device), vulkan, browser, host (no more than the installed tree). A line of a kind that is left out is named."""
import pathlib, re, shlex, sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r'\]\(([^()\s#]+\.md)(?:#[^()]*)?\)')
CHECKOUT = re.compile(r'(sudo |\./dev |cmake |conan |vcpkg |git |npm )')
KINDS = ('cc', 'pip', 'compiler', 'vulkan', 'browser')

HEAD = '''#!/bin/sh
# Made by tests/first_lines.py.
failed=0 count=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home" XDG_CACHE_HOME="$scratch/cache" XDG_DATA_HOME="$scratch/data"
mkdir "$HOME"
run() { # PAGES LINE
    count=$((count + 1))
    mkdir "$scratch/$count"
    case $2 in "pip "*) mkdir -p "$scratch/$count/build/wheel/dist" && cp "$WHEEL" "$scratch/$count/" && cp "$WHEEL" "$scratch/$count/build/wheel/dist/" ;; esac
    if (cd "$scratch/$count" && sh -c "$2") >"$scratch/out" 2>&1 </dev/null; then
        echo "ran: $2"
    else
        echo "FAILED: exit code $?: $1: $2"
        tail -n 20 "$scratch/out" | sed 's/^/    /'
        failed=1
    fi
}
'''


def shell_line(page):
    """The first line that an installed user types, without its comment and its prompt."""
    text = page.read_text()
    for language, block in re.findall(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S):
        for line in block.splitlines():
            prompt = line.startswith('$ ')
            if not line.strip() or line.startswith('#') or not (language == 'sh' or prompt):
                continue
            line = re.sub(r'\s+# .*$', '', line.removeprefix('$ ')).strip()
            if not CHECKOUT.match(line):
                return line
    return None


def pages():
    found = {TOP / 'README.md', TOP / 'docs/README.md'}
    for page in list(found):
        for target in LINK.findall(page.read_text()):
            there = (page.parent / target).resolve()
            if there.parent == TOP / 'docs':
                found.add(there)
    return sorted(found)


def lines():
    """Each line once, with the pages that begin with it."""
    found = {}
    for row in (TOP / 'docs/README.md').read_text().splitlines():
        cells = row.split('|')
        line = re.fullmatch(r' `([^`]+)` ', cells[3]) if len(cells) == 5 else None
        if line:
            found.setdefault(line[1], []).append('docs/README.md')
    for page in pages():
        line = shell_line(page)
        if line:
            found.setdefault(line, []).append(str(page.relative_to(TOP)))
    return found


def kind(line):
    if line.startswith('cc '):
        return 'cc'
    if line.startswith('pip ') or line.startswith('python'):
        return 'pip'
    if '.wgsl' in line:
        return 'browser'
    if '.comp' in line or 'vulkan' in line:
        return 'vulkan'
    if line.startswith('heddle tune blur'):
        return 'compiler'
    return 'host'


def main():
    without = [value for option, value in zip(sys.argv[1:], sys.argv[2:]) if option == '--without']
    if len(without) * 2 != len(sys.argv) - 1 or set(without) - set(KINDS):
        sys.exit(f'first_lines.py: expected --without KIND, one of {", ".join(KINDS)} ({" ".join(sys.argv[1:])} was given)')
    found = lines()
    if len(found) < 12:
        sys.exit(f'first_lines.py: found {len(found)} lines; expected at least 12')
    script = [HEAD]
    for line, where in found.items():
        if kind(line) in without:
            script.append(f'echo {shlex.quote(f"left out ({kind(line)}): {line}")}')
        else:
            script.append(f'run {shlex.quote(", ".join(where))} {shlex.quote(line)}')
    script.append('echo "$count first lines, failed: $failed"\nexit $failed')
    print('\n'.join(script))


main()
