/* Files that are no text, by their first bytes (WHATWG MIME Sniffing, sections 6 and 7). */
#ifndef HED_SUPPORT_BINARY_H
#define HED_SUPPORT_BINARY_H

#include "heddle/base.h"

/* Kind of a file that its signature marks as a picture, an archive or UTF-16, as "a PNG picture";
 * NULL: no such signature. */
const char *hed_foreign_kind(const char *bytes, size_t length);
/* Fails with FORMAT if a text has such a signature, or a binary data byte among its first 1,445
 * bytes. U+0000 is accepted, as HTML and CSS replace it, and so is any byte after a byte-order mark
 * or an HTML tag at the beginning. `expected`: "HTML" ... */
hed_status hed_refuse_binary(
    const char *name, const char *bytes, size_t length, const char *expected, hed_error *error);

#endif
