/* Files that are no pages and no sheets, known by their first bytes (WHATWG MIME Sniffing, section
 * 6): the specifications would make a page of damaged characters of them, in which every search is
 * in vain. */
#include "foreign.h"

hed_status css_refuse_foreign(
    const char *bytes, size_t length, const char *file, const char *expected, hed_error *error)
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
            return hed_fail(error, HED_ERROR_FORMAT, "%s: this is %s: expected %s in UTF-8", file,
                signatures[i].name, expected);
    }
    return HED_OK;
}
