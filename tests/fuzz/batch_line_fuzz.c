/* Lines of a batch's journal and of its workers: taken apart, and put together again as they were. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[BATCH_LINE], again[BATCH_LINE];
    static const char *fields[BATCH_FIELDS], *back[BATCH_FIELDS];
    size_t length;
    if (size >= BATCH_LINE / 2) return 0;
    memcpy(line, data, size);
    line[size] = 0;
    uint32_t count = batch_line_take(line, fields);
    if (!count || !batch_line_put(again, &length, fields, count)) return 0;
    again[length - 1] = 0;
    if (memchr(again, '\n', length - 1) || batch_line_take(again, back) != count) abort();
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(fields[i], back[i]) != 0) abort();
    return 0;
}
