#!/usr/bin/env python3
"""The wheel of the Python package: one file for every Python from 3.9 on.

    wheel.py PREFIX OUT-FOLDER

PREFIX is an installed Heddle with the package in it (the folder of the portable build). Libraries, worker, command, headers and data go into the
package. Each library gets a name that no other has (libheddle.k3f.so), since a program may hold another Heddle, or another SQLite, and the
loader takes what has the right name for the right one; the new names are as long as the old ones and are written over them. The wheel's tag
says the glibc that the files really need, by the versions of their symbols. The standard library alone is needed, and no network."""
import base64, hashlib, os, re, stat, struct, sys, time, zipfile

SYSTEM = re.compile(r'(libc|libm|libpthread|libdl|librt)\.so\.\d+$|ld-linux')
MACHINES = {62: 'x86_64', 183: 'aarch64'}
DISTRIBUTION = 'heddle_gpu'  # heddle-gpu as files have it: the name `heddle` on PyPI is a stranger's
LEFT_OUT = re.compile(r'share/heddle/(tests|web)/|__pycache__')


class Elf:
    """What of a 64-bit little-endian ELF file says which libraries and symbols it needs."""

    def __init__(self, path):
        self.path = path
        self.data = bytearray(open(path, 'rb').read())
        if self.data[:6] != b'\x7fELF\x02\x01':
            sys.exit(f'{path}: expected a 64-bit little-endian ELF file')
        self.machine = MACHINES.get(self.number('<H', 18), 'unknown')
        at, size, count = self.number('<Q', 40), self.number('<H', 58), self.number('<H', 60)
        self.sections = [struct.unpack_from('<IIQQQQIIQQ', self.data, at + size * i) for i in range(count)]
        self.dynamic = [s for s in self.sections if s[1] == 6]  # SHT_DYNAMIC
        self.texts = self.sections[self.dynamic[0][6]] if self.dynamic else None

    def number(self, kind, at):
        return struct.unpack_from(kind, self.data, at)[0]

    def text(self, offset):
        start = self.texts[4] + offset
        return self.data[start:self.data.index(0, start)].decode()

    def tags(self, which):
        """Texts of the dynamic section: 1 NEEDED, 14 SONAME."""
        found = []
        for section in self.dynamic:
            for at in range(section[4], section[4] + section[5], 16):
                tag, value = struct.unpack_from('<qQ', self.data, at)
                if tag == which:
                    found.append(self.text(value))
        return found

    def versions(self):
        """Names such as GLIBC_2.34 that the file needs."""
        found = set()
        for section in self.sections:
            if section[1] != 0x6ffffffe:  # SHT_GNU_verneed
                continue
            at = section[4]
            while True:
                _, count, _, first, following = struct.unpack_from('<HHIII', self.data, at)
                entry = at + first
                for _ in range(count):
                    _, _, _, name, after = struct.unpack_from('<IHHII', self.data, entry)
                    found.add(self.text(name))
                    entry += after
                if not following:
                    break
                at += following
        return found

    def rename(self, names):
        """Writes new names of libraries over the old ones."""
        begin, size = self.texts[4], self.texts[5]
        for old, new in names.items():
            table = bytes(self.data[begin:begin + size])
            for found in re.finditer(b'(?<=\\0)' + re.escape(old.encode()) + b'(?=\\0)', table):
                self.data[begin + found.start():begin + found.end()] = new.encode()


def private(soname, hash):
    """A name of the same length that ends in .so: libheddle.so.0.1 becomes libheddle.k3f.so."""
    stem, tail = soname.split('.so', 1)
    return f'{stem}.{hash[:len(tail) - 1]}.so' if len(tail) > 1 else soname


def collect(prefix):
    """Files of the package: name in the wheel -> path."""
    files = {}
    for folder, inside in (('lib/python3/dist-packages/heddle', 'heddle'), ('share/heddle', 'heddle/share/heddle'), ('include', 'heddle/include'),
                           ('libexec', 'heddle/libexec')):
        for at, _, names in os.walk(os.path.join(prefix, folder)):
            for name in names:
                path = os.path.join(at, name)
                files[f'{inside}/{os.path.relpath(path, os.path.join(prefix, folder))}'] = path
    files['heddle/bin/heddle'] = os.path.join(prefix, 'bin/heddle')
    files = {name: path for name, path in files.items() if not LEFT_OUT.search(name)}
    if 'heddle/_interface.py' not in files:
        sys.exit(f'{prefix} has no Python package: it is built where Python has cffi (Debian: apt install python3-cffi)')
    return files


def libraries(prefix, programs):
    """Heddle's libraries and what these and the programs need, by soname; everything else has to be the C library's."""
    folder, found = os.path.join(prefix, 'lib'), {}
    waiting = [Elf(p) for p in programs]
    waiting += [Elf(os.path.join(folder, n)) for n in sorted(os.listdir(folder)) if re.fullmatch(r'libheddle[\w-]*\.so\.\d+\.\d+', n)]
    while waiting:
        elf = waiting.pop()
        for soname in elf.tags(14):
            found[soname] = elf
        for name in elf.tags(1):
            if SYSTEM.match(name) or name in found:
                continue
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                sys.exit(f'{elf.path} needs {name}, which is not in {folder}: is {prefix} the portable build?')
            waiting.append(Elf(path))
    for soname, elf in found.items():  # a library from elsewhere finds what lies beside it only if that was loaded before
        for name in elf.tags(1):
            if name not in found or elf.tags(29):  # RUNPATH
                continue
            for user in found.values():
                if soname in user.tags(1) and name not in user.tags(1):
                    sys.exit(f'{user.path} needs {soname}, which needs {name} and has no run path: {user.path} has to name both')
    return found


def glibc(elves):
    """The glibc that all of them run with, as (2, 34)."""
    highest = (2, 17)
    for elf in elves:
        for version in elf.versions():
            number = re.fullmatch(r'GLIBC_(\d+)\.(\d+)(?:\.\d+)?', version)
            if number:
                highest = max(highest, (int(number.group(1)), int(number.group(2))))
            elif version.split('_')[0] in ('GLIBCXX', 'CXXABI', 'GCC'):
                sys.exit(f'{elf.path} needs {version}: a wheel may only need the C library')
    return highest


METADATA = '''Metadata-Version: 2.1
Name: heddle-gpu
Version: {version}
Summary: Tuning of GPU kernels, cloth, a synthesizer of masses and springs, model-predictive control, and CSS over whole documents
License: MIT
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: cffi>=1.12
Provides-Extra: cuda
Requires-Dist: nvidia-cuda-nvrtc-cu12; extra == "cuda"
Description-Content-Type: text/markdown

{description}'''


def main(prefix, out):
    files = collect(prefix)
    programs = ['heddle/bin/heddle', 'heddle/libexec/heddle/heddle-worker']
    found = libraries(prefix, [files[p] for p in programs])
    elves = list(found.values()) + [Elf(files[p]) for p in programs]
    machines = {e.machine for e in elves}
    if len(machines) != 1:
        sys.exit(f'{prefix} holds programs of {" and ".join(sorted(machines))}')
    content = {name: open(path, 'rb').read() for name, path in files.items()}
    digest = hashlib.sha256(b''.join(bytes(e.data) for _, e in sorted(found.items()))).digest()
    hash = base64.b32encode(digest).decode().lower()
    names = {soname: private(soname, hash) for soname in found}
    for soname, elf in found.items():
        elf.rename(names)
        content[f'heddle/lib/{names[soname]}'] = bytes(elf.data)
    for program in programs:
        elf = Elf(files[program])
        elf.rename(names)
        content[program] = bytes(elf.data)

    version = re.search(rb"^VERSION = '([^']+)'", content['heddle/_interface.py'], re.M).group(1).decode()
    tag = 'py3-none-manylinux_{}_{}_{}'.format(*glibc(elves), machines.pop())
    info = f'{DISTRIBUTION}-{version}.dist-info'
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    description = open(os.path.join(here, 'docs', 'python.md')).read()
    content[f'{info}/METADATA'] = METADATA.format(version=version, description=description).encode()
    content[f'{info}/WHEEL'] = f'Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n'.encode()
    content[f'{info}/entry_points.txt'] = b'[console_scripts]\nheddle = heddle.__main__:main\n'
    content[f'{info}/licenses/LICENSE'] = open(os.path.join(here, 'LICENSE'), 'rb').read()
    for at, _, listed in os.walk(os.path.join(prefix, 'share', 'doc')):
        if os.path.basename(at) == 'licences':
            content.update({f'{info}/licenses/{n}': open(os.path.join(at, n), 'rb').read() for n in listed})

    os.makedirs(out, exist_ok=True)
    wheel = os.path.join(out, f'{DISTRIBUTION}-{version}-{tag}.whl')
    pack(wheel, content, f'{info}/RECORD')
    for library in sorted(n for n in content if n.startswith('heddle/lib/')):
        print(f'   {len(content[library]) / 1e6:6.2f} MB {library}')
    print(f'{wheel}: {os.path.getsize(wheel) / 1e6:.1f} MB, {sum(map(len, content.values())) / 1e6:.1f} MB unpacked')


def pack(wheel, content, record):
    """A zip that is the same to the bit whenever it is made, with the list of its files."""
    hashed = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
    lines = [f'{name},sha256={hashed(data)},{len(data)}' for name, data in sorted(content.items())] + [f'{record},,']
    date = time.gmtime(int(os.environ.get('SOURCE_DATE_EPOCH', 315532800)))[:6]
    with zipfile.ZipFile(wheel + '.part', 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data in [*sorted(content.items()), (record, ('\n'.join(lines) + '\n').encode())]:
            entry = zipfile.ZipInfo(name, date)
            runs = name.startswith(('heddle/lib/', 'heddle/bin/', 'heddle/libexec/'))
            entry.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, data)
    os.replace(wheel + '.part', wheel)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
