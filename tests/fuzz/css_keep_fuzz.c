/* libFuzzer harness for patterns of --keep: the text up to the first zero byte is a pattern, the
 * rest a name. A pattern is refused with a message or kept, and a name of its own kind either fits
 * or not. */
#include "cli/css/keep.h"
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
    hed_error error = {0};
    hed_status status = css_keeps_add(&keeps, "--keep", text, &error);
    must(status == HED_OK || error.text[0]);
    must(status != HED_OK || keeps.count == 1);
    for (const char *kind = ".#e[kf-/"; *kind && status == HED_OK; kind++) {
        const css_keep *keep = css_keeps_find(&keeps, CSS_KEEP_SELECTOR, *kind, name, name);
        must(!keep || (keep == keeps.items && keep->fitted && strchr(keep->kinds, *kind)));
    }
    css_keeps_free(&keeps);
    /* as a regular expression of a configuration, in any case */
    error = (hed_error){0};
    if (css_keeps_add_as(&keeps, "safelist", CSS_KEEP_NAME, ".#e[", text, "i", &error) == HED_OK)
        css_keeps_find(&keeps, CSS_KEEP_NAME, '.', name, NULL);
    css_keeps_free(&keeps);
    return 0;
}
