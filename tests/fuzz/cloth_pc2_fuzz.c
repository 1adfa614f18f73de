/* libFuzzer harness for point caches: whatever the bytes, an error that says something, or frames
 * that are all there. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>

#include "engines/cloth/files/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_cloth_pc2_data cache;
    hed_error error = {0};
    hed_status status = cloth_pc2_parse("fuzz.pc2", data, size, &cache, &error);
    if (status == HED_OK) {
        size_t floats = (size_t)cache.frame_count * cache.vertex_count * 3;
        if (cache.vertex_count == 0 || 32 + floats * sizeof(float) > size) abort();
        volatile float sum = 0;
        for (size_t i = 0; i < floats; i++) sum = sum + cache.positions[i];
    } else if (status != HED_ERROR_FORMAT || !error.text[0] || cache.positions) {
        abort();
    }
    hed_cloth_pc2_free(&cache);
    return 0;
}
