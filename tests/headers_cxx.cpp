/* A C++ program that takes in every public header and calls through it: the headers compile as C++,
 * and the names link. */
#include <cstdio>
#include <cstring>

#include "headers_all.h" /* made by the build: one #include for each file in include/heddle */

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
    bool ok = hed_device_find(context, "host", &device, &error) == HED_OK &&
              argument.value.f32 == 1.5f &&
              std::strcmp(hed_version_text(), HED_VERSION_TEXT) == 0 && hed_canonical_count() > 0;
    std::printf(
        "%s on %s\n", hed_version_text(), ok ? hed_device_describe(device)->name : "nothing");
    hed_context_destroy(context);
    return ok ? 0 : 1;
}
