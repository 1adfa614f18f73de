#!/usr/bin/env python3
"""Writes entities.c: the named character references of HTML, from Python's list of them (html.entities).

    python3 entities.py > entities.c
"""
import html.entities
import unicodedata


def literal(text):
    """A text in a C string: characters that show as themselves, others by their bytes."""
    return ''.join(c if c.isascii() and c.isprintable() and c not in '"\\\\?' or unicodedata.category(c)[0] in 'LS' and c.isprintable()
                   else ''.join(f'\\{byte:03o}' for byte in c.encode()) for c in text)


print('''/* Named character references (HTML Living Standard, "Named character references"), made by
 * entities.py: sorted by name, by bytes. The text holds each name and, after it, its value in
 * UTF-8; an entry has the position in the text and both lengths. */
#include "entities.h"

/* clang-format off */
const char html_entity_text[] =''')
text, entries, line = b'', [], ''
for name, value in sorted(html.entities.html5.items(), key=lambda item: item[0].encode()):
    value = value.encode()
    entries.append((len(text), len(name), len(value)))
    text += name.encode() + value
    piece = name + literal(value.decode())
    if len(line) + len(piece) > 92:
        print(f'    "{line}"')
        line = ''
    line += piece
print(f'    "{line}";\n\nconst html_entity html_entities[HTML_ENTITIES] = {{')
line = ''
for entry in entries:
    piece = '{%d, %d, %d},' % entry
    if len(line) + len(piece) > 94:
        print('    ' + line)
        line = ''
    line += piece
print('    ' + line + '\n};\n/* clang-format on */')
assert len(entries) == 2231 and len(text) < 65536
