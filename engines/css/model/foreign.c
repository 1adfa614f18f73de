/* Files that are no pages and no sheets, known by their first bytes (WHATWG MIME Sniffing, section
 * 6): the specifications would make a page of damaged characters of them, in which every search is
 * in vain. */
#include "foreign.h"

#include "support/binary.h"

hed_status css_refuse_foreign(
    const char *bytes, size_t length, const char *file, const char *expected, hed_error *error)
{
    const char *kind = hed_foreign_kind(bytes, length);
    if (kind)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: this is %s: expected %s in UTF-8", file, kind, expected);
    return HED_OK;
}
