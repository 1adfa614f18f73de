/* A C++ program that takes in every public header and calls through it: the headers compile as C++,
 * and the names link. */
#include <cstdio>
#include <cstring>

#include "headers_all.h" /* made by the build: one #include for each file in include/heddle */

/* HED_ARGS() in C++: every type, and what is made already. */
static bool takes(const hed_argument *a, uint32_t count)
{
    return count == 8 && a[0].kind == HED_BUFFER && a[1].type == HED_INT32 &&
           a[1].value.i32 == -1 && a[2].type == HED_UINT32 && a[3].type == HED_INT64 &&
           a[4].type == HED_UINT64 && a[5].type == HED_FLOAT && a[5].value.f32 == 2.5f &&
           a[6].type == HED_DOUBLE && a[7].kind == HED_LOCAL;
}

int main()
{
    hed_error error = {};
    hed_context *context = nullptr;
    hed_context_def def = hed_default_context_def();
    def.cuda_library = "";
    def.opencl_library = "";
    def.cache_dir = "";
    if (hed_context_create(&def, &context, &error) != HED_OK) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    hed_device *device = nullptr;
    hed_argument argument = hed_float_argument(1.5f);
    hed_buffer *none = nullptr;
    const float number = 2.5f;
    bool ok =
        takes(HED_ARGS(none, -1, 2u, int64_t{3}, uint64_t{4}, number, 5.0, hed_local_argument())) &&
        hed_device_find(context, "host", &device, &error) == HED_OK && argument.value.f32 == 1.5f &&
        std::strcmp(hed_version_text(), HED_VERSION_TEXT) == 0 && hed_canonical_count() > 0;
    std::printf(
        "%s on %s\n", hed_version_text(), ok ? hed_device_describe(device).name : "nothing");
    hed_context_destroy(context);
    return ok ? 0 : 1;
}
