#!/usr/bin/env python3
"""Writes entities.c: the named character references of HTML, from Python's list of them (html.entities).

    python3 entities.py > entities.c
"""
import html.entities

LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
BARE, HIGH = 0x40, 0x80  # html_entity_bits in entities.h
PLANE = 0x10000

references = html.entities.html5
names = sorted(name[:-1] for name in references if name.endswith(';'))
text, codes, seconds, first = [], [], [], {}
previous = ''
for index, name in enumerate(names):
    value = references[name + ';']
    assert references.get(name, value) == value
    if name[0] != previous[:1]:
        previous, first[name[0]] = '', (sum(map(len, text)), index)
    common = 0
    while common < min(len(name), len(previous)) and name[common] == previous[common]:
        common += 1
    code = ord(value[0])
    bits = common | (BARE if name in references else 0) | (HIGH if code >= PLANE else 0)
    suffix = name[common:].encode()
    assert common < BARE and code < 2 * PLANE and suffix
    text.append(bytes([bits]) + suffix[:-1] + bytes([suffix[-1] | 0x80]))
    codes.append(code % PLANE)
    if len(value) > 1:
        seconds.append((index, ord(value[1])))
    previous = name
assert sorted(first) == sorted(LETTERS) and all(len(references[name + ';']) < 3 for name in names)
assert all(name.rstrip(";") in names for name in references)


def rows(items):
    """Items in lines of up to 100 columns."""
    line = '   '
    for item in items:
        if len(line) + len(item) > 98:
            print(line)
            line = '   '
        line += f' {item},'
    print(line)


print('''/* Named character references (HTML Living Standard, "Named character references"), made by
 * entities.py. */
#include "entities.h"

/* clang-format off */
const uint8_t html_entity_names[] = {''')
joined = b''.join(text)
assert len(joined) < PLANE
rows(str(byte) for byte in joined)
print('};\n\nconst html_entity_group html_entity_groups[] = {')
rows('{%d, %d}' % first[letter] for letter in LETTERS)
print(f'    {{{len(joined)}, {len(names)}}}\n}};\n\nconst uint16_t html_entity_codes[] = {{')
rows(str(code) for code in codes)
print('};\n\nconst html_entity_second html_entity_seconds[] = {')
rows('{%d, %d}' % second for second in seconds)
print('    {UINT16_MAX, 0}\n};\n/* clang-format on */')
