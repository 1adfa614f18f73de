/* libFuzzer harness for glTF: whatever the bytes, an error that says something, or a mesh that can
 * be inspected, mended, welded and written in every format, and whose poses can be sampled. Build
 * with -DHEDDLE_FUZZ=ON. */
#include "cloth_mesh_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_cloth_mesh mesh;
    hed_error error = {0};
    judge(
        cloth_gltf_parse("fuzz.glb", (const char *)data, size, NULL, &mesh, &error), &mesh, &error);
    hed_cloth_pc2_data samples;
    hed_error_clear(&error);
    hed_status status =
        cloth_gltf_sample("fuzz.glb", (const char *)data, size, NULL, NULL, 5, &samples, &error);
    bool named = status == HED_ERROR_FORMAT || status == HED_ERROR_LIMIT;
    if (status == HED_OK ? !samples.positions : !named || !error.text[0] || samples.positions)
        abort();
    hed_cloth_pc2_free(&samples);
    return 0;
}
