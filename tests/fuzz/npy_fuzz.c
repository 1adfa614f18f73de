/* libFuzzer harness for NumPy's files: whatever the bytes, an error that says something, or
 * elements that are all there. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>

#include "tunefile/tunefile_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t bytes[HED_TYPE_COUNT] = {1, 4, 4, 8, 8, 4, 8};
    hed_npy npy;
    hed_error error = {0};
    hed_status status = hed_npy_parse("fuzz.npy", data, size, &npy, &error);
    if (status == HED_OK) {
        uint64_t count = 1;
        for (uint32_t i = 0; i < npy.dimensions; i++) count *= npy.shape[i];
        if (count != npy.count || npy.offset + npy.count * bytes[npy.type] != size) abort();
    } else if (status != HED_ERROR_FORMAT || !error.text[0]) {
        abort();
    }
    return 0;
}
