/* libFuzzer harness for patterns of --keep: the text up to the first zero byte is a pattern, the
 * rest a name. A pattern is refused with a message or kept, and a name of its own kind either fits
 * or not. */
#include "engines/css/unused/keep.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096] = "", name[4096] = "";
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size, rest = zero ? size - length - 1 : 0;
    if (length >= sizeof text || rest >= sizeof name) return 0;
    memcpy(text, data, length);
    if (rest) memcpy(name, zero + 1, rest);
    css_keeps keeps = {0};
    hed_arena arena = {0};
    hed_error error = {0};
    hed_css_keep def = {.pattern = text, .origin = "--keep"};
    hed_status status = css_keeps_read(&keeps, &arena, &def, 1, &error);
    must(status == HED_OK || error.text[0]);
    must(status != HED_OK || keeps.count == 1);
    for (const char *kind = ".#e[kf-/"; *kind && status == HED_OK; kind++) {
        const css_keep *keep = css_keeps_find(&keeps, HED_CSS_KEEP_SELECTOR, *kind, name, name);
        must(!keep || (keep == keeps.items && keep->fitted && strchr(keep->kinds, *kind)));
    }
    /* as a regular expression of a configuration, in any case */
    keeps = (css_keeps){0};
    error = (hed_error){0};
    def = (hed_css_keep){text, "safelist", HED_CSS_KEEP_NAME, ".#e[", "i"};
    if (css_keeps_read(&keeps, &arena, &def, 1, &error) == HED_OK)
        css_keeps_find(&keeps, HED_CSS_KEEP_NAME, '.', name, NULL);
    hed_arena_free(&arena);
    return 0;
}
