/* See encoding.h. */
#include "support/encoding.h"

#include "heddle/author.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

/* ---- names ---- */

const hed_encoding *hed_encoding_find(const char *label, size_t length)
{
    char padded[64] = " ";
    while (length && strchr("\t\n\f\r ", *label)) label++, length--;
    while (length && strchr("\t\n\f\r ", label[length - 1])) length--;
    if (!length || length + 3 > sizeof padded) return NULL;
    for (size_t i = 0; i < length; i++) {
        char c = label[i];
        if (c == ' ') return NULL;
        padded[1 + i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    padded[1 + length] = ' ';
    for (const hed_encoding *e = hed_encodings; e->name; e++)
        if (strstr(e->labels, padded)) return e;
    return NULL;
}

/* Label of the encoding of a byte-order mark, and the length of the mark; NULL: no mark. */
static const char *label_of_mark(const char *bytes, size_t length, size_t *mark)
{
    static const struct {
        const char *bytes, *label;
    } marks[] = {{"\357\273\277", "utf-8"}, {"\377\376", "utf-16le"}, {"\376\377", "utf-16be"}};
    for (size_t i = 0; i < HED_COUNT(marks); i++) {
        *mark = strlen(marks[i].bytes);
        if (length >= *mark && memcmp(bytes, marks[i].bytes, *mark) == 0) return marks[i].label;
    }
    *mark = 0;
    return NULL;
}

bool hed_has_encoding_mark(const char *bytes, size_t length)
{
    size_t mark;
    return label_of_mark(bytes, length, &mark) != NULL;
}

const hed_encoding *hed_encoding_of_mark(const char *bytes, size_t length, size_t *mark)
{
    const char *label = label_of_mark(bytes, length, mark);
    return label ? hed_encoding_find(label, strlen(label)) : NULL;
}

bool hed_encoding_is_utf16(const hed_encoding *encoding)
{
    return encoding == &hed_encodings[1] || encoding == &hed_encodings[2];
}

/* ---- UTF-8 ---- */

char *hed_put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) *to++ = (char)code;
    else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Reads a character of UTF-8 and moves past it; U+FFFD for damaged bytes, one at a time. */
static uint32_t take_code(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *c = *at;
    uint32_t first = *c++, code = first, low = 0x80;
    int trailing = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    *at = c;
    if (first > 0xf4 || trailing < 0 || end - c < trailing) return REPLACEMENT;
    if (trailing) code &= 0x3fu >> trailing;
    if (trailing > 1) low = trailing == 2 ? 0x800 : 0x10000;
    for (int i = 0; i < trailing; i++, c++) {
        if ((*c & 0xc0) != 0x80) return REPLACEMENT;
        code = code << 6 | (*c & 0x3fu);
    }
    if (trailing && (code < low || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
        return REPLACEMENT;
    *at = c;
    return code;
}

bool hed_is_utf8(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes, *end = at + length;
    while (at < end) {
        const unsigned char *from = at;
        uint64_t eight;
        if (end - at >= 8 && (memcpy(&eight, at, 8), !(eight & 0x8080808080808080u))) at += 8;
        else if (take_code(&at, end) == REPLACEMENT && at - from == 1) return false;
    }
    return true;
}

/* ---- decoding ---- */

/* Returns the end of the text written to `to`, which has room for 3 bytes for each byte. */
static char *decode_single(
    const uint16_t *table, const unsigned char *at, const unsigned char *end, char *to)
{
    for (; at < end; at++) {
        uint32_t code = *at < 0x80 ? *at : table[*at - 0x80];
        to = hed_put_utf8(to, code || !*at ? code : REPLACEMENT);
    }
    return to;
}

/* Decodes UTF-16, as decode_single() decodes bytes. */
static char *decode_utf16(bool big, const unsigned char *at, const unsigned char *end, char *to)
{
    for (; end - at >= 2; at += 2) {
        uint32_t unit = big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
        if (unit >= 0xd800 && unit < 0xdc00 && end - at >= 4) {
            uint32_t low = big ? (uint32_t)at[2] << 8 | at[3] : (uint32_t)at[3] << 8 | at[2];
            if (low >= 0xdc00 && low < 0xe000) {
                unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
                at += 2;
            }
        }
        to = hed_put_utf8(to, unit >= 0xd800 && unit < 0xe000 ? REPLACEMENT : unit);
    }
    return at < end ? hed_put_utf8(to, REPLACEMENT) : to;
}

/* Converts all bytes; a byte that does not fit is replaced. The caller frees *to. */
static hed_status convert_all(const hed_encoding *encoding, bool decodes, const char *name,
    char *from, size_t length, char **to, size_t *size, hed_error *error)
{
    iconv_t converter =
        decodes ? iconv_open("UTF-8", encoding->iconv) : iconv_open(encoding->iconv, "UTF-8");
    if (converter == (iconv_t)-1)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: its encoding is %s, which iconv() of this machine lacks; expected UTF-8", name,
            encoding->name);
    size_t capacity = 4 * length + 64, left = capacity;
    char *out = *to = malloc(capacity + 1);
    while (out && length) {
        if (iconv(converter, &from, &length, &out, &left) != (size_t)-1 || !length) break;
        if (errno == E2BIG || left < 8) break; /* not reached: 4 bytes for each byte suffice */
        from++;
        length--;
        char *after = decodes ? hed_put_utf8(out, REPLACEMENT) : hed_put_utf8(out, '?');
        left -= (size_t)(after - out);
        out = after;
    }
    if (out) iconv(converter, NULL, NULL, &out, &left);
    iconv_close(converter);
    if (!*to) return HED_OUT_OF_MEMORY(error, "the text of %s", name);
    *size = (size_t)(out - *to);
    return HED_OK;
}

hed_status hed_encoding_decode(
    const hed_encoding *encoding, const char *name, char **text, size_t *length, hed_error *error)
{
    const unsigned char *from = (const unsigned char *)*text, *end = from + *length;
    char *decoded = NULL;
    size_t size = 0;
    if (encoding == hed_encodings) return HED_OK;
    if (encoding->iconv) {
        if (convert_all(encoding, true, name, *text, *length, &decoded, &size, error))
            return error->status;
    } else {
        decoded = malloc(3 * *length + 4);
        if (!decoded) return HED_OUT_OF_MEMORY(error, "the text of %s", name);
        char *stop = encoding->table
                         ? decode_single(encoding->table, from, end, decoded)
                         : decode_utf16(encoding == &hed_encodings[2], from, end, decoded);
        size = (size_t)(stop - decoded);
    }
    decoded[size] = 0;
    free(*text);
    *text = decoded;
    *length = size;
    return HED_OK;
}

/* ---- encoding ---- */

static char *encode_single(
    const uint16_t *table, const unsigned char *at, const unsigned char *end, char *to)
{
    while (at < end) {
        uint32_t code = take_code(&at, end), byte = 0;
        while (code >= 0x80 && byte < 128 && table[byte] != code) byte++;
        *to++ = code < 0x80 ? (char)code : byte < 128 ? (char)(0x80 + byte) : '?';
    }
    return to;
}

static char *encode_utf16(bool big, const unsigned char *at, const unsigned char *end, char *to)
{
    while (at < end) {
        uint32_t code = take_code(&at, end), units[2] = {code, 0};
        int count = code >= 0x10000 ? 2 : 1;
        if (count == 2) {
            units[0] = 0xd800 + ((code - 0x10000) >> 10);
            units[1] = 0xdc00 + (code & 0x3ff);
        }
        for (int i = 0; i < count; i++) {
            *to++ = (char)(big ? units[i] >> 8 : units[i] & 0xff);
            *to++ = (char)(big ? units[i] & 0xff : units[i] >> 8);
        }
    }
    return to;
}

hed_status hed_encoding_encode(
    const hed_encoding *encoding, const char *name, char **text, size_t *length, hed_error *error)
{
    const unsigned char *from = (const unsigned char *)*text, *end = from + *length;
    char *encoded = NULL;
    size_t size = 0;
    if (encoding == hed_encodings) return HED_OK;
    if (encoding->iconv) {
        if (convert_all(encoding, false, name, *text, *length, &encoded, &size, error))
            return error->status;
    } else {
        encoded = malloc(2 * *length + 4);
        if (!encoded) return HED_OUT_OF_MEMORY(error, "the text of %s", name);
        char *stop = encoding->table
                         ? encode_single(encoding->table, from, end, encoded)
                         : encode_utf16(encoding == &hed_encodings[2], from, end, encoded);
        size = (size_t)(stop - encoded);
    }
    encoded[size] = 0;
    free(*text);
    *text = encoded;
    *length = size;
    return HED_OK;
}
