/* libFuzzer harness for modules of SPIR-V and texts in GLSL: whatever they say, an error that says
 * something, or a shader whose parts are within their bounds. Build with -DHEDDLE_FUZZ=ON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/shader.h"
#include "shader/glsl.h"

static void rewrite(const char *text, size_t size, bool es)
{
    const hed_source source = {"a.comp", size ? text : "", size};
    const hed_define values[] = {{"WG", "16"}, {"A", "-1"}};
    const hed_glsl_def def = {.name = "a",
        .sources = &source,
        .source_count = 1,
        .defines = values,
        .define_count = 2,
        .allocator = hed_default_allocator()};
    hed_error error = {0};
    hed_glsl_opengl opengl;
    if (hed_glsl_for_opengl(&def, es, &opengl, &error) && !error.text[0]) abort();
    if (opengl.binding_count > HED_SHADER_BINDINGS) abort();
    hed_text_free(&opengl.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hed_shader_value values[] = {{0, 8}, {1, 0}, {2, -1}};
    hed_allocator allocator = hed_default_allocator();
    hed_error error = {0};
    hed_shader shader;
    hed_shader_constant constants[HED_SHADER_CONSTANTS];
    hed_status status =
        hed_shader_read_spirv(data, size, "main", values, 3, &allocator, &shader, &error);
    if (status == HED_OK) {
        if (shader.constant_count > HED_SHADER_CONSTANTS || !shader.group[0] ||
            strlen(shader.local_text) >= HED_SHADER_TEXT)
            abort();
        for (int i = 0; i < 3; i++)
            if (shader.group_constant[i] >= (int32_t)shader.constant_count) abort();
    } else if (!error.text[0]) {
        abort();
    }
    rewrite((const char *)data, size, size & 1);
    hed_shader_glsl_constants((const char *)data, size, constants, HED_SHADER_CONSTANTS);
    return 0;
}
