/* libFuzzer harness for the check of cloth: whatever the positions and triangles, a refusal that
 * says something, or the same pairs in whatever order the triangles come. Build with
 * -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/cloth_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    float positions[3 * MOST];
    uint32_t triangles[2][3 * MOST];
    if (size < 2) return 0;
    uint32_t vertices = data[0] % MOST + 1, count = data[1] % MOST;
    data += 2;
    size -= 2;
    if (size < 12 * vertices + 3 * count) return 0;
    memcpy(positions, data, 12 * vertices);
    for (uint32_t i = 0; i < 3 * count; i++)
        triangles[0][i] = data[12 * vertices + i] % (vertices + 1); /* one too many may be named */
    for (uint32_t t = 0; t < count; t++)
        memcpy(triangles[1] + 3 * t, triangles[0] + 3 * (count - 1 - t), 12);
    uint64_t pairs[2] = {0};
    hed_status status[2];
    for (int turn = 0; turn < 2; turn++) {
        hed_cloth_check_surface surface = {vertices, count, positions, triangles[turn], false};
        hed_cloth_check_def def = {.surfaces = &surface, .surface_count = 1};
        hed_cloth_crossings found;
        hed_error error = {0};
        status[turn] = hed_cloth_check(&def, &found, &error);
        if (status[turn] != HED_OK && (status[turn] != HED_ERROR_ARGUMENT || !error.text[0]))
            abort();
        pairs[turn] = found.count[HED_CLOTH_CROSSES_ITSELF];
        if (status[turn] == HED_OK && pairs[turn] != found.pair_count) abort();
        hed_cloth_crossings_free(&found);
    }
    if (status[0] != status[1] || pairs[0] != pairs[1]) abort();
    return 0;
}
