#!/usr/bin/env python3
"""docs/python-reference.md, made from the docstrings of the package: python/reference.py > docs/python-reference.md. A test compares the two."""
import ast, pathlib, re

HERE = pathlib.Path(__file__).resolve().parent / 'heddle'
#: Sections: title, prefix of names, file, and public names in their order.
SECTIONS = [
    ('Tuner', 'heddle.', '_tuner.py', ['tune_kernel', 'tune_file', 'tune_kernel_T1', 'TuneResult']),
    ('Kernels', 'heddle.', '_kernel.py', ['Kernel']),
    ('Kernels in Python', 'heddle.', '_autotune.py', ['autotune', 'Autotuned']),
    ("Kernel Tuner's interface", 'heddle.kernel_tuner.', 'kernel_tuner.py', ['tune_kernel', 'run_kernel']),
    ('Cloth', 'heddle.', '_cloth.py', ['Cloth', 'Sphere', 'Capsule', 'Plane', 'Mesh', 'read_mesh']),
    ('Synth', 'heddle.', '_synth.py', ['Synth', 'Sound', 'write_wav']),
    ('Control', 'heddle.mppi.', 'mppi.py', ['MPPI', 'Term', 'models', 'terms']),
    ('Style sheets', 'heddle.css.', 'css.py', ['Sheet', 'Document', 'Match', 'Names']),
    ('Devices and arrays', 'heddle.', '_devices.py', ['device', 'devices', 'default_context', 'asarray', 'empty', 'Context', 'Device', 'Array', 'Stream']),
    ('Errors, and the C library', 'heddle.', '_library.py', ['Error', 'ArgumentError', 'FileError', 'UnsupportedError', 'OutOfMemoryError', 'Object',
                                                             'data', 'command']),
]

#: Classes whose objects other functions give.
GIVEN = {'TuneResult', 'Device', 'Array', 'Document', 'Error', 'ArgumentError', 'FileError', 'UnsupportedError', 'OutOfMemoryError', 'Object'}


def signature(function):
    """Its arguments without self and types."""
    a, words = function.args, []
    plain = a.posonlyargs + a.args
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    for argument, default in zip(plain, defaults):
        if argument.arg not in ('self', 'cls'):
            words.append(argument.arg + (f'={ast.unparse(default)}' if default else ''))
    if a.vararg:
        words.append('*' + a.vararg.arg)
    elif a.kwonlyargs:
        words.append('*')
    words += [x.arg + (f'={ast.unparse(d)}' if d else '') for x, d in zip(a.kwonlyargs, a.kw_defaults)]
    return f'({", ".join(words + (["**" + a.kwarg.arg] if a.kwarg else []))})'


def prose(node):
    """A docstring as Markdown: lines of a name, two blanks and what it is become a list."""
    lines, out = (ast.get_docstring(node) or '').split('\n'), []
    for line in lines:
        row = re.match(r'(\*{0,2}\w\S*(?: \w+| \.\.\.|, \S+)*)  +(\S.*)', line)
        if row:
            if out and out[-1] and not out[-1].startswith('- '):
                out.append('')
            out.append(f'- `{row.group(1)}`: {row.group(2)}')
        elif line.startswith(' ') and out:
            out[-1] += ' ' + line.strip()
        else:
            if line and out and out[-1].startswith('- '):
                out.append('')
            out.append(line)
    return '\n'.join(out)


def documented(node):
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith('_') and ast.get_docstring(node)


def function(prefix, node):
    return [f'### {prefix}{node.name}\n', f'`{node.name}{signature(node)}`\n', prose(node) + '\n']


def members(node):
    """Methods and properties of a class as a list."""
    lines = []
    for m in node.body:
        if isinstance(m, ast.AnnAssign) and any(ast.unparse(d) == 'dataclasses.dataclass' for d in node.decorator_list):
            default = f' = {ast.unparse(m.value)}' if m.value and 'field(' not in ast.unparse(m.value) else ''
            lines.append(f'- `{m.target.id}{default}`')
        elif isinstance(m, ast.FunctionDef) and m.name == '__len__' and ast.get_docstring(m):
            lines.append(f'- `len()`: {inline(m)}')
        elif isinstance(m, ast.FunctionDef) and m.name == '__call__':
            lines.append(f'- `{node.name.lower()}{signature(m)}`: {inline(m)}')
        elif documented(m):
            kinds = [ast.unparse(d) for d in m.decorator_list]
            name = m.name if 'property' in kinds else m.name + signature(m)
            lines.append(f'- `{node.name + "." if "classmethod" in kinds else ""}{name}`: {inline(m)}')
    return lines


def inline(node):
    return re.sub(r'\.?\n+- ', '; ', prose(node)).replace('\n', ' ').strip()


def main():
    out = ['# Python: reference\n', 'Everything public of the package `heddle`, from its docstrings; [Heddle from Python](python.md) has examples.\n']
    for title, prefix, file, names in SECTIONS:
        tree = {n.name: n for n in ast.parse((HERE / file).read_text()).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        out.append(f'## {title}\n')
        for name in names:
            node = tree[name]
            if isinstance(node, ast.FunctionDef):
                out += function(prefix, node)
                continue
            out.append(f'### {prefix}{name}\n')
            make = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == '__init__'), None)
            if make and name not in GIVEN:
                out.append(f'`{name}{signature(make)}`\n')
            out.append(prose(node) + '\n')
            lines = members(node)
            out += ['\n'.join(lines) + '\n'] if lines else []
    return '\n'.join(out)


if __name__ == '__main__':
    print(main(), end='')
