/* Encodings of texts, as the Encoding Standard of WHATWG names and defines them: iso-8859-1 is
 * windows-1252, for instance. Single-byte encodings and UTF-16 are decoded by tables, whatever the
 * locale; the multi-byte ones of East Asia by iconv(). */
#ifndef HED_SUPPORT_ENCODING_H
#define HED_SUPPORT_ENCODING_H

#include "heddle/base.h"

typedef struct hed_encoding {
    const char *name;
    /* (128) characters of the bytes from 0x80; 0: unassigned; NULL: multi-byte */
    const uint16_t *table;
    const char *iconv;  /* name for iconv(); NULL: another decoder */
    const char *labels; /* labels in lower case, with a space before and after each */
} hed_encoding;

/* All encodings, UTF-8 first; the last one has no name. */
extern const hed_encoding hed_encodings[];

/* Finds an encoding by a label such as "latin1", in any case, with white space around; NULL: an
 * unknown label. */
const hed_encoding *hed_encoding_find(const char *label, size_t length);
/* Returns the encoding of a byte-order mark, and the length of the mark; NULL: no mark. */
const hed_encoding *hed_encoding_of_mark(const char *bytes, size_t length, size_t *mark);
bool hed_has_encoding_mark(const char *bytes, size_t length);
bool hed_encoding_is_utf16(const hed_encoding *encoding);
bool hed_is_utf8(const char *bytes, size_t length);
/* Writes a character in UTF-8, at most 4 bytes; returns the position after it. */
char *hed_put_utf8(char *to, uint32_t code);

/* Replaces a text of malloc() by the same text in UTF-8 with a zero after it. `name`: the file, for
 * messages. A byte without a character becomes U+FFFD. Errors: MEMORY, UNSUPPORTED (iconv() lacks
 * the encoding). */
hed_status hed_encoding_decode(
    const hed_encoding *encoding, const char *name, char **text, size_t *length, hed_error *error);
/* Replaces a text of malloc() in UTF-8 by the same text in an encoding; a character that the
 * encoding lacks becomes "?". Errors: as hed_encoding_decode(). */
hed_status hed_encoding_encode(
    const hed_encoding *encoding, const char *name, char **text, size_t *length, hed_error *error);

#endif
