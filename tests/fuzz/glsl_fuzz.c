/* libFuzzer harness for the readers of GLSL: constants, translation to OpenGL, sizes of the group,
 * and names that the program declares. Whatever the text, a result whose places are in the text. */
#include "fuzz.h"

#include "shader/glsl.h"
#include "tunefile/spec.h"

/* Every constant is a place of the text, and both readers find the same number. */
static void read_constants(const char *text, size_t size)
{
    enum { MOST = 64 };
    hed_shader_constant constants[MOST];
    hed_glsl_scanner s = {text, text + size, text, ""};
    hed_glsl_constant constant;
    uint32_t count = 0;
    while (hed_glsl_next_constant(&s, &constant)) {
        must(constant.name >= text && constant.name + constant.length <= text + size);
        count++;
    }
    must(hed_shader_glsl_constants(text, size, constants, MOST) == (count < MOST ? count : MOST));
}

static void translate(const hed_source *source, bool es)
{
    const hed_define value = {"WG_X", "16"};
    const hed_glsl_def def = {.name = "fuzz",
        .sources = source,
        .source_count = 1,
        .defines = &value,
        .define_count = 1,
        .allocator = hed_default_allocator()};
    hed_glsl_opengl opengl = {.binding_count = 0};
    hed_error error = {0};
    if (hed_glsl_for_opengl(&def, es, &opengl, &error)) must(error.text[0]);
    else must(opengl.text.bytes && opengl.binding_count <= HED_SHADER_BINDINGS);
    hed_text_free(&opengl.text);
}

static void name_sizes(const hed_source *source)
{
    hed_error error = {0};
    hed_json *json = NULL;
    static hed_tune_file spec;
    static hed_spec_sizes sizes;
    hed_source rewritten = *source;
    must(hed_json_parse("fuzz", "{}", 2, &json, &error) == HED_OK);
    spec.json = json;
    hed_spec_reader reader = {.spec = &spec, .path = "fuzz.comp"};
    hed_spec_name_glsl_sizes(&reader, hed_json_root(json), &rewritten, &sizes);
    must(sizes.dimensions <= 3 &&
         strlen(hed_spec_glsl_names_hint(&reader, hed_json_root(json), source->text)) < 4096);
    for (uint32_t i = 0; i < sizes.dimensions; i++) must(sizes.names[i] && sizes.values[i]);
    hed_arena_free(&spec.arena);
    hed_json_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 4096 };
    if (size > LONGEST || memchr(data, 0, size)) return 0;
    char *text = fuzz_copy(data, size);
    const hed_source source = {.name = "fuzz.comp", .text = text, .size = size};
    read_constants(text, size);
    if (size) {
        translate(&source, false);
        translate(&source, true);
        name_sizes(&source);
    }
    free(text);
    return 0;
}
