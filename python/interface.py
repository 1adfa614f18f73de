#!/usr/bin/env python3
"""What Python needs of the public headers, made from the headers themselves when Heddle is built, so that it cannot fall behind them:

    interface.py symbols INCLUDE OUT.c      C source of libheddle-symbols: the headers' inline functions, and the sizes of structs
    interface.py module INCLUDE OUT-FOLDER  _interface.py (cffi's precompiled declarations, ABI mode), functions.pyi

The C preprocessor resolves macros; what is left is cut into declarations here. math.h and tree.h are texts for kernels and left out."""
import keyword, os, re, subprocess, sys

LEFT_OUT = {'math', 'tree'}


class Function:
    def __init__(self, name, header, result, parameters, inline):
        self.name, self.header, self.result, self.parameters, self.inline = name, header, result, parameters, inline

    @property
    def prototype(self):
        return f'{self.result} {self.name}({self.parameters});'

    @property
    def names(self):
        """Of the parameters, in order."""
        if self.parameters == 'void':
            return []
        pointers = [re.search(r'\(\s*\*\s*(\w+)\s*\)', p) for p in split(self.parameters)]  # to functions
        return [f.group(1) if f else re.findall(r'\w+', re.sub(r'\[.*?\]', '', p))[-1] for f, p in zip(pointers, split(self.parameters))]


def split(text):
    """At commas outside of brackets."""
    parts, depth = [''], 0
    for c in text:
        depth += (c in '([{') - (c in ')]}')
        if c == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def headers(include):
    found = sorted(f[:-2] for f in os.listdir(os.path.join(include, 'heddle')) if f.endswith('.h'))
    return [h for h in found if h not in LEFT_OUT and h != 'mppi_words']


def preprocess(include):
    """(header, line) of every line that the public headers come to."""
    compiler = os.environ.get('CC', 'cc').split()
    text = ''.join(f'#include <heddle/{h}.h>\n' for h in headers(include))
    command = compiler + ['-E', '-std=c17', '-I' + include, '-D__attribute__(x)=', '-x', 'c', '-']
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(command)}:\n{done.stderr}')
    header = None
    for line in done.stdout.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            path = re.search(r'/heddle/(\w+)\.h$', mark.group(1))
            header = path.group(1) if path and path.group(1) not in LEFT_OUT else None
        elif header:
            yield header, line


def declarations(include):
    """(header, text) of every declaration at the top level, functions with their bodies."""
    piece, depth, header = '', 0, None
    for where, line in preprocess(include):
        for c in line + '\n':
            if not piece.strip():
                header = where
            piece += c
            depth += (c == '{') - (c == '}')
            body = re.match(r'\s*static inline\b', piece)
            if depth == 0 and (c == ';' or c == '}' and body):
                yield header, ' '.join(piece.split())
                piece = ''


class Interface:
    """Everything that the headers declare."""

    def __init__(self, include):
        self.types, self.functions, self.structs = [], [], []
        for header, text in declarations(include):
            if text == ';' or text.startswith(('_Static_assert', 'static const')):
                continue
            text = re.sub(r'\b_Bool\b', 'bool', text)
            text = re.sub(r'\b(\d+)[uU]\b', r'\1', text)  # cffi reads 1 << 0, not 1u << 0
            plain = re.match(r'(?:extern |static inline )?([\w *]+?)\b(hed_\w+)\s*\((.*)\)\s*(?:;|\{.*)$', text)
            if text.startswith(('typedef', 'struct', 'enum', 'union')) and not (plain and '{' not in text.split('(')[0]
                                                                                and not text.startswith(('typedef', 'enum'))):
                self.types.append(text)
                named = re.match(r'(?:typedef )?struct (hed_\w+) \{', text)
                if named:
                    self.structs.append(named.group(1))
            elif plain:
                inline = text.startswith('static inline')
                parameters = text[plain.start(3):closing(text, plain.start(3))].strip()
                self.functions.append(Function(plain.group(2), header, plain.group(1).strip().replace('static inline ', ''), parameters, inline))
            else:
                sys.exit(f'interface.py does not understand what heddle/{header}.h declares: {text[:200]}')

    @property
    def text(self):
        return '\n'.join(self.types + [f.prototype for f in self.functions]) + '\n' + SIZES


SIZES = '''typedef struct hed_symbols_size { const char *name; size_t bytes; } hed_symbols_size;
const hed_symbols_size *hed_symbols_sizes(void);
const char *hed_symbols_version(void);'''


def closing(text, start):
    """Where the bracket closes that opened before `start`."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == '(') - (text[i] == ')')
        if depth == 0:
            return i
    return len(text)


def symbols(include, out):
    """The source of libheddle-symbols."""
    found = Interface(include)
    inline = [f for f in found.functions if f.inline]
    lines = ['/* Made by python/interface.py: inline functions of the public headers as symbols, for languages that load libraries. */']
    lines += [f'#define {f.name} inline_{f.name}' for f in inline]
    lines += [f'#include <heddle/{h}.h>' for h in headers(include)]
    lines += [re.sub(r'^(const)', r'HED_API \1', SIZES, flags=re.M)]
    for f in inline:
        back = '' if f.result == 'void' else 'return '
        lines += [f'#undef {f.name}', f'HED_API {f.prototype}',
                  f'{f.result} {f.name}({f.parameters}) {{ {back}inline_{f.name}({", ".join(f.names)}); }}']
    lines += ['static const hed_symbols_size sizes[] = {'] + [f'    {{"{s}", sizeof(struct {s})}},' for s in found.structs]
    lines += ['    {0, 0}};', 'const hed_symbols_size *hed_symbols_sizes(void) { return sizes; }',
              'const char *hed_symbols_version(void) { return HED_VERSION_TEXT; }']
    write(out, '\n'.join(lines) + '\n')


def library_of(header, libraries):
    """The longest library whose name a header begins with: synth_live.h is of heddle-synth-live, synth_file.h of heddle-synth."""
    if header == 'tune_file':
        return 'heddle-tunefile'
    words = header.split('_')
    for n in range(len(words), 0, -1):
        name = 'heddle-' + '-'.join(words[:n])
        if name in libraries:
            return name
    return 'heddle'


LIBRARIES = ['heddle', 'heddle-symbols', 'heddle-tunefile', 'heddle-canonical', 'heddle-cloth', 'heddle-synth', 'heddle-synth-live',
             'heddle-mppi', 'heddle-css', 'heddle-web']


def stub(found):
    """Types of the C functions, for checkers: numbers and cdata."""
    lines = ['"""The public C functions, as `heddle.C.hed_...`. Made by python/interface.py."""', 'from typing import Any', '', 'class Functions:']
    kinds = {'bool': 'bool', 'void': 'None', 'double': 'float', 'float': 'float', 'size_t': 'int', 'int': 'int', 'hed_status': 'int'}
    for f in found.functions:
        kind = kinds.get(f.result, 'int' if re.fullmatch(r'u?int\d+_t', f.result) else 'Any')
        names = ["*arguments: Any"] if '...' in f.parameters else [n + '_' * keyword.iskeyword(n) for n in f.names]
        lines.append(f'    def {f.name}({", ".join(["self"] + [n if n[0] == "*" else f"{n}: Any" for n in names])}) -> {kind}: ...')
    lines += ['    def hed_symbols_sizes(self) -> Any: ...', '    def hed_symbols_version(self) -> Any: ...']
    enumerators = [e for t in found.types if 'enum' in t.split('{')[0] for e in re.findall(r'\b(HED_\w+)\b', t)]
    lines += [f'    {e}: int' for e in dict.fromkeys(enumerators)]
    return '\n'.join(lines) + '\n'


def module(include, folder):
    import cffi
    found = Interface(include)
    ffi = cffi.FFI()
    ffi.cdef(found.text)
    ffi.set_source('heddle._interface', None)
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, '_interface.py')
    ffi.emit_python_code(out + '.part')
    version = re.search(r'HED_VERSION_TEXT "([^"]*)"', open(os.path.join(include, 'heddle', 'base.h')).read()).group(1)
    where = {f.name: 'heddle-symbols' if f.inline else library_of(f.header, LIBRARIES) for f in found.functions}
    where.update(hed_symbols_sizes='heddle-symbols', hed_symbols_version='heddle-symbols')
    with open(out + '.part', 'a') as file:
        file.write(f'\nVERSION = {version!r}\nLIBRARY_OF = {where!r}\n'
                   f'SIZES = { {s: ffi.sizeof("struct " + s) for s in found.structs}!r}\n')
    os.replace(out + '.part', out)
    write(os.path.join(folder, 'functions.pyi'), stub(found))


def write(path, text):
    part = path if os.path.exists(path) and not os.path.isfile(path) else path + '.part' # a device is no name for a new file
    with open(part, 'w') as file:
        file.write(text)
    if part != path:
        os.replace(part, path)


if __name__ == '__main__':
    {'symbols': symbols, 'module': module}[sys.argv[1]](*sys.argv[2:])
