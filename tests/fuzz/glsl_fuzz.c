/* libFuzzer harness for the readers of GLSL: constants, translation to OpenGL, sizes of the group,
 * and names that the program declares. Whatever the text, a result whose places are in the text. */
#include "fuzz.h"

#include "heddle/shader.h"
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

/* Closed branches become empty lines, and a remedy has an end. */
static void choose_pass(hed_spec_reader *reader, hed_json_node node, const hed_source *source)
{
    static const hed_define value = {"WG_X", "16"};
    static const char *const logs[] = {"Missing entry point", "'#error'"};
    const hed_kernel_def def = {.defines = &value, .define_count = 1};
    hed_source open = *source;
    size_t lines = 0;
    for (size_t i = 0; i < source->size; i++) lines += source->text[i] == '\n';
    hed_spec_drop_closed_branches(reader, node, &def, &open);
    must(open.size <= source->size && strlen(open.text) == open.size);
    for (size_t i = 0; i < open.size; i++) lines -= open.text[i] == '\n';
    must(lines == 0);
    for (int i = 0; i < 2; i++)
        must(
            strlen(hed_spec_glsl_passes_hint(reader, node, &def, source->text, logs[i])) < 1 << 16);
}

/* Texts that are rewritten keep their end, and all of their lines but for inserted ones. */
static void rewrite(hed_spec_reader *reader, hed_json_node node, const hed_source *source)
{
    hed_source changed = *source;
    hed_spec_name_placeholders(reader, node, &changed);
    must(changed.size <= source->size && strlen(changed.text) == changed.size);
    hed_spec_put_prelude(reader, node, &changed);
    must(strlen(changed.text) == changed.size);
    hed_spec_put_extensions(reader, node, &changed);
    must(strlen(changed.text) == changed.size);
    hed_spec_complete_literals(reader, node, &changed);
    must(strlen(changed.text) == changed.size);
    hed_spec_free_constants(reader, node, &changed);
    must(strlen(changed.text) == changed.size);
    for (int i = 0; i < 2; i++) {
        changed = *source;
        bool is_changed = hed_spec_from_opengl(reader, node, i, &changed);
        must(is_changed == (changed.text != source->text) && strlen(changed.text) == changed.size);
    }
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
    spec.note = NULL;
    static const hed_device_info device = {.id = "vulkan:0",
        .backend = "vulkan",
        .lane_width = 8,
        .capabilities = (uint64_t)(8 | 16) << HED_SUBGROUP_WIDTHS};
    hed_spec_reader reader = {.spec = &spec, .path = "fuzz.comp", .device = &device};
    const hed_json_node root = hed_json_root(json);
    hed_spec_name_glsl_sizes(&reader, root, &rewritten, &sizes);
    must(sizes.dimensions <= 3);
    must(strlen(hed_spec_glsl_names_hint(
             &reader, root, source->text, source->text, "'A' : undeclared identifier")) < 4096);
    for (uint32_t i = 0; i < sizes.dimensions; i++) must(sizes.names[i] && sizes.values[i]);
    choose_pass(&reader, root, source);
    rewrite(&reader, root, source);
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
