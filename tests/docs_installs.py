#!/usr/bin/env python3
"""No file names an installation of Heddle that is not ours: until a registry holds a name of ours, lines that install take a file, an overlay
or a folder. A package of the name `heddle` on PyPI is a stranger's."""
import os, re, sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LEFT_OUT = {'.git', 'build', '__pycache__', 'third_party'}
TEXTS = ('.md', '.py', '.sh', '.c', '.h', '.cmake', '.txt', '.json', '.toml', '.html', '.js', '.in', '.yml', '.yaml', '.1', '.cff')
INSTALLERS = re.compile(r'\b(?:pip3?|pipx|uv|conda|mamba|apt|apt-get|aptitude|dnf|yum|zypper|apk|pacman|brew|snap|flatpak|npm|yarn|cargo|conan|vcpkg|spack|'
                        r'docker|podman)\b[^|;&\n`]*?\s(?:install|add|pull|run|get|download|-S)\b([^|;&\n`]*)')
PACKAGE = re.compile(r'(?:lib|python3?-)?heddle[\w.-]*(?:\[\w+\])?(?:[=<>~@/][\w.=-]*)?')
ADDRESSES = re.compile(r'(?:pypi\.org/(?:project|simple)|anaconda\.org|conan\.io/center|crates\.io|npmjs\.com|hub\.docker\.com)\S*heddle')


def strangers(line):
    """Packages that a line takes from a registry under a name that is not ours."""
    found = ADDRESSES.findall(line)
    for rest in INSTALLERS.findall(line):
        if '--overlay-ports' in rest:
            continue
        words = [w.strip('\'"`()<>,:').rstrip('.)') for w in re.split(r'[\s#]', rest)]
        found += [w for w in words if PACKAGE.fullmatch(w) and not w.endswith(('.whl', '.deb'))]
    return found


def check_itself():
    for line in ('pip install heddle', "pip install 'heddle[cuda]'", 'python -m pip install heddle-gpu==0.1', 'apt install heddle', 'sudo apt-get install libheddle-dev',
                 'conan install heddle/0.1.0', 'vcpkg install heddle', 'see https://pypi.org/project/heddle/', '(pip install heddle).', 'docker pull heddle'):
        assert strangers(line), line
    for line in ('pip install build/wheel/dist/heddle_gpu-*.whl', 'apt install ./build/deb/*heddle*0.1.0*.deb', 'vcpkg install heddle --overlay-ports=packaging/vcpkg',
                 'apt install libmicrohttpd12; `heddle doctor` looks for it', 'conan create packaging/conan', 'pip install "$(ls build/wheel/dist/heddle_gpu-*.whl)[cuda]"'):
        assert not strangers(line), line


def main():
    check_itself()
    wrong, count = [], 0
    for at, folders, names in os.walk(TOP):
        folders[:] = [f for f in folders if f not in LEFT_OUT and not os.path.exists(os.path.join(at, f, 'CMakeCache.txt'))]
        for name in names:
            path = os.path.join(at, name)
            if path == os.path.abspath(__file__) or not (name.endswith(TEXTS) or name == 'dev' or '/debian' in at):
                continue
            count += 1
            with open(path, encoding='utf-8', errors='replace') as file:
                for number, line in enumerate(file, 1):
                    wrong += [f'{os.path.relpath(path, TOP)}:{number}: {line.strip()[:150]}: "{p}" is no package of ours' for p in strangers(line)]
    print('\n'.join(wrong) or f'{count} files name no installation that is not ours')
    return 1 if wrong or count < 300 else 0


if __name__ == '__main__':
    sys.exit(main())
