/* libFuzzer harness for what a page of a browser says: who it is, and its answers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/web.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hed_page page;
    static hed_page_answer answer;
    hed_error error = {0};
    if (!hed_page_read((const char *)data, size, &page, &error) && !page.error[0] &&
        !page.max_group)
        abort();
    error = (hed_error){0};
    if (hed_page_answer_read((const char *)data, size, &answer, &error)) {
        if (!error.text[0]) abort();
        return 0;
    }
    if (answer.count > HED_WEB_BATCH) abort();
    for (uint32_t i = 0; i < answer.count; i++) {
        const hed_page_trial *trial = &answer.trials[i];
        if (trial->count > HED_WEB_SAMPLES || memchr(trial->text, 0, sizeof trial->text) == NULL)
            abort();
        for (uint32_t j = 0; j < trial->count; j++)
            if (!isfinite(trial->samples[j])) abort();
    }
    return 0;
}
