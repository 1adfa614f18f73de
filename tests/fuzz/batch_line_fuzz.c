/* Lines of a batch's journal and of its workers: split, and put together again as they were. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/batch/batch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static batch_fields fields, back;
    size_t length;
    char *line = malloc(size + 1);
    if (!line) return 0;
    memcpy(line, data, size);
    line[size] = 0;
    char *again = batch_line_take(line, &fields)
                      ? batch_line_make(fields.items, fields.count, &length)
                      : NULL;
    if (again) {
        again[length - 1] = 0;
        if (memchr(again, '\n', length - 1) || !batch_line_take(again, &back)) abort();
        if (back.count != fields.count) abort();
        for (uint32_t i = 0; i < fields.count; i++)
            if (strcmp(fields.items[i], back.items[i]) != 0) abort();
    }
    free(again);
    free(line);
    return 0;
}
