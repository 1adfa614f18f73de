/* libFuzzer harness for OBJ: whatever the bytes, an error that says something, or a mesh that can
 * be inspected, mended, welded and written in every format. Build with -DHEDDLE_FUZZ=ON. */
#include "cloth_mesh_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hed_cloth_mesh mesh;
    hed_error error = {0};
    judge(hed_cloth_mesh_parse_obj((const char *)data, size, "fuzz.obj", &mesh, &error), &mesh, &error);
    return 0;
}
