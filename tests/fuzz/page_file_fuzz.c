/* libFuzzer harness for recordings of pages: the reader says FORMAT or OK, whatever the bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "cli/tune/page_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_error error = {0};
    hed_status status = page_file_check("page.hrec", (const char *)data, size, &error);
    if (status != HED_OK && status != HED_ERROR_FORMAT) abort();
    return 0;
}
