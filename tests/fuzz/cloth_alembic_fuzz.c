/* libFuzzer harness for Alembic caches: whatever the bytes, an error that says something, or a mesh that can be
 * inspected, mended, welded and written in every format, and whose samples can be read. Build with -DHEDDLE_FUZZ=ON. */
#include "cloth_mesh_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_cloth_mesh mesh;
    hed_error error = {0};
    judge(cloth_alembic_parse((const char *)data, size, "fuzz.abc", &mesh, &error), &mesh, &error);
    hed_cloth_pc2_data samples;
    hed_error_clear(&error);
    hed_status status = cloth_alembic_sample("fuzz.abc", (const char *)data, size, 5, &samples, &error);
    bool named = status == HED_ERROR_FORMAT || status == HED_ERROR_LIMIT;
    if (status == HED_OK ? !samples.positions : !named || !error.text[0] || samples.positions)
        abort();
    hed_cloth_pc2_free(&samples);
    return 0;
}
