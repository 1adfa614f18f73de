#!/usr/bin/env python3
"""Makes the calls of null_walk_test.c from the declarations of the public headers, when the tests are built:

    null_walk.py INCLUDE OPTIONAL OUT.inc

Each pointer parameter of each function is NULL in a call of its own, unless OPTIONAL (null_optional.txt) lists the parameter.
All other pointers lead to memory that may not be touched: a function has to look at its pointers before it looks behind them."""
import os, re, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'python'))
import interface

VARIADIC = {'hed_fail'}  # compilers check its format


def read_optional(path, functions):
    """{function: parameters that may be NULL}; a line about nothing that is declared ends the build."""
    names = {f.name: f.names for f in functions if f.name not in VARIADIC}
    optional = {}
    for number, line in enumerate(open(path), 1):
        if line.startswith('#') or not line.strip():
            continue
        function, _, rest = line.partition(':')
        parameters, bar, meaning = rest.partition('|')
        unknown = [p for p in parameters.split() if p not in names.get(function, [])]
        if unknown or not bar or not meaning.strip():
            sys.exit(f'{path}:{number}: expected "FUNCTION: PARAMETERS | MEANING" of the public headers, found {line.strip()!r}')
        optional[function] = parameters.split()
    return optional


def is_pointer(parameter):
    return '*' in parameter or '[' in parameter


def is_error(parameter):
    return parameter.replace(' ', '') == 'hed_error*error'


def argument(function, name, parameter, null, optional, structs):
    """The C text of one argument; `null` is the name of the parameter that is NULL in this call."""
    if is_error(parameter):
        return 'error'
    if is_pointer(parameter):
        if name == null or name == 'user' or name in optional.get(function.name, []):
            return 'NULL'
        if '(*' in parameter:
            return '(' + re.sub(r'\(\*\s*\w+\)', '(*)', parameter, count=1) + ')(uintptr_t)guard'
        return 'guard'
    kind = parameter.rsplit(' ', 1)[0].replace('const ', '').replace('struct ', '').strip()
    return f'({kind}){{0}}' if kind in structs else '1'


def calls(include, path):
    found = interface.Interface(include)
    optional = read_optional(path, found.functions)
    structs = set(found.structs)
    for text in found.types:
        named = re.match(r'typedef struct \w* ?\{.*\} (\w+);$', text)
        if named:
            structs.add(named.group(1))
    for function in found.functions:
        if function.name in VARIADIC:
            continue
        parameters = interface.split(function.parameters)
        for name, parameter in zip(function.names, parameters):
            if not is_pointer(parameter) or is_error(parameter) or name == 'user':
                continue
            if name in optional.get(function.name, []):
                continue
            arguments = [argument(function, n, p, name, optional, structs) for n, p in zip(function.names, parameters)]
            status = function.result == 'hed_status' and not re.search(r'_(destroy|close|free|release)$', function.name)
            yield function, name, arguments, status, any(is_error(p) for p in parameters)


def main():
    include, path, out = sys.argv[1:]
    lines, table = ['/* Made by null_walk.py. */'], []
    for h in interface.headers(include):
        lines.append(f'#include <heddle/{h}.h>')
    for i, (function, name, arguments, status, error) in enumerate(calls(include, path)):
        call = f'{function.name}({", ".join(arguments)})'
        body = f'return (int){call};' if status else f'(void){call}; return 0;' if function.result != 'void' else f'{call}; return 0;'
        lines.append(f'static int call_{i}(void *guard, hed_error *error) {{ (void)guard; (void)error; {body} }}')
        table.append(f'    {{"{function.name}", "{name}", call_{i}, {str(status).lower()}, {str(status and error).lower()}}},')
    lines += ['static const null_call null_calls[] = {'] + table + ['};']
    with open(out, 'w') as file:
        file.write('\n'.join(lines) + '\n')


main()
