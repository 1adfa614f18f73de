/* libFuzzer harness for the reader of WGSL: any text is read or refused with a place, every
 * expression in what was read is translated, and the comment of any text is looked for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/wgsl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool keeps_first(void *user, const char *name)
{
    const hed_wgsl *wgsl = user;
    return wgsl->override_count && strcmp(wgsl->overrides[0].name, name) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* with nothing behind it: what reads too far is seen */
    char *text = malloc(size ? size : 1);
    if (!text) return 0;
    memcpy(text, data, size);
    hed_wgsl *wgsl = NULL;
    hed_error error = {0};
    hed_wgsl_span comment = hed_wgsl_comment(text, size);
    if (comment.size && (comment.at < text || comment.at + comment.size > text + size)) abort();
    if (hed_wgsl_read("fuzz.wgsl", text, size, NULL, &wgsl, &error)) {
        if (wgsl || !error.text[0]) abort();
    } else {
        for (uint32_t i = 0; i < wgsl->override_count; i++)
            hed_wgsl_expression(wgsl, wgsl->overrides[i].value, keeps_first, wgsl);
        for (uint32_t i = 0; i < wgsl->group_count; i++)
            hed_wgsl_expression(wgsl, wgsl->group[i], keeps_first, wgsl);
        for (uint32_t i = 0; i < wgsl->member_count; i++)
            if (wgsl->members[i].binding >= wgsl->binding_count) abort();
    }
    hed_wgsl_free(wgsl);
    free(text);
    return 0;
}
