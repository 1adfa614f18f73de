/* See binary.h. */
#include "support/binary.h"

#include <string.h>
#include <strings.h>

#include "heddle/author.h"
#include "support/encoding.h"

enum { HEADER_BYTES = 1445 };

const char *hed_foreign_kind(const char *bytes, size_t length)
{
    static const struct {
        const char *bytes, *name;
    } signatures[] = {{"\211PNG\r\n\032\n", "a PNG picture"}, {"\377\330\377", "a JPEG picture"},
        {"GIF87a", "a GIF picture"}, {"GIF89a", "a GIF picture"}, {"%PDF-", "a PDF document"},
        {"PK\003\004", "a ZIP archive"}, {"\037\213\b", "a gzip file"}, {"\177ELF", "a program"},
        {"\377\376", "text in UTF-16"}, {"\376\377", "text in UTF-16"}};
    for (size_t i = 0; i < HED_COUNT(signatures); i++) {
        size_t size = strlen(signatures[i].bytes);
        if (length >= size && memcmp(bytes, signatures[i].bytes, size) == 0)
            return signatures[i].name;
    }
    return NULL;
}

/* True if a text begins with a tag that makes it HTML, whatever follows. */
static bool begins_with_tag(const char *bytes, size_t length)
{
    static const char *const tags[] = {"<!doctype html", "<html", "<head", "<script", "<iframe",
        "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body", "<br", "<p"};
    size_t at = 0;
    while (at < length && strchr(" \t\n\f\r", bytes[at] ? bytes[at] : 'x')) at++;
    bytes += at;
    length -= at;
    for (size_t i = 0; i < HED_COUNT(tags); i++) {
        size_t size = strlen(tags[i]);
        if (length > size && strncasecmp(bytes, tags[i], size) == 0 &&
            (bytes[size] == ' ' || bytes[size] == '>'))
            return true;
    }
    return (length >= 4 && memcmp(bytes, "<!--", 4) == 0) ||
           (length >= 5 && memcmp(bytes, "<?xml", 5) == 0);
}

hed_status hed_refuse_binary(
    const char *name, const char *bytes, size_t length, const char *expected, hed_error *error)
{
    size_t header = length < HEADER_BYTES ? length : HEADER_BYTES;
    if (hed_has_encoding_mark(bytes, length)) return HED_OK;
    const char *kind = hed_foreign_kind(bytes, length);
    if (kind)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: this is %s: expected %s in UTF-8", name, kind, expected);
    if (begins_with_tag(bytes, length)) return HED_OK;
    for (size_t i = 0; i < header; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c > 0 && c < ' ' && !strchr("\t\n\f\r\033", c))
            return hed_fail(error, HED_ERROR_FORMAT,
                "%s: file is binary (byte 0x%02x at offset %zu); expected %s", name, c, i, expected);
    }
    return HED_OK;
}
