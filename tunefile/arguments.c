/* The arguments of Heddle's own tune files: kinds, types, sizes and contents. */
#include "tunefile/spec.h"

#include "heddle/shader.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* ---- contents ---- */

static void argument_read_rule(hed_json_node node, hed_generator *rule)
{
    hed_spec_rule values = {.seed = rule->seed};
    hed_fields_read(&hed_spec_fill_fields, node, &values, NULL);
    rule->kind = hed_fields_which(&hed_spec_fill_fields, node);
    rule->first = values.pair[0];
    rule->second = values.pair[1];
    rule->seed = values.seed;
}

static void argument_fill(
    hed_spec_reader *reader, hed_json_node node, hed_type type, hed_tune_argument *argument)
{
    hed_generator rule = {.kind = HED_GENERATE_CONSTANT};
    if (hed_json_kind_of(node) == HED_JSON_STRING) {
        static const char *const words[] = {"zeros", NULL};
        hed_json_choice(node, words);
    } else {
        argument_read_rule(node, &rule);
    }
    const char *wrong = hed_spec_fine(reader) ? hed_generator_wrong(&rule, type) : NULL;
    if (wrong)
        hed_json_reject(
            node, "an array of type \"%s\" cannot be filled so: %s", hed_spec_types[type], wrong);
    void *data = hed_spec_fine(reader) ? hed_spec_allocate(reader, argument->bytes, node) : NULL;
    if (!data) return;
    hed_generate(&rule, type, data, argument->bytes / hed_type_bytes(type));
    argument->data = data;
}

/* Fills an argument without specified content, with values that reveal a wrong result. */
static void argument_fill_usual(hed_spec_reader *reader, hed_json_node node,
    const hed_argument_def *def, hed_tune_argument *argument)
{
    const hed_generator real = {.kind = HED_GENERATE_UNIFORM, .second = 1},
                        whole = {.kind = HED_GENERATE_INTEGERS, .second = 255};
    void *data = hed_spec_fine(reader) ? hed_spec_allocate(reader, argument->bytes, node) : NULL;
    if (!data) return;
    hed_generate(def->type == HED_FLOAT ? &real : &whole, def->type, data,
        argument->bytes / hed_type_bytes(def->type));
    argument->data = data;
}

/* Reads the number of elements, an expression. A buffer is the same for all configurations: a size
 * that depends on parameters is evaluated to its maximum. */
static void argument_read_size(
    hed_spec_reader *reader, hed_json_node node, hed_type type, hed_tune_argument *argument)
{
    hed_spec_kernel *kernel = &reader->spec->kernel;
    uint32_t index = (uint32_t)(argument - reader->spec->arguments);
    hed_expression *size = hed_spec_expression(reader, kernel, node);
    double count = 0;
    if (size && hed_spec_uses_parameters(kernel, size)) {
        kernel->local[index] = size;
        kernel->local_bytes[index] = hed_type_bytes(type);
        count = hed_spec_largest(reader, node, kernel, size);
    } else if (size) {
        count = hed_json_kind_of(node) == HED_JSON_NUMBER
                    ? hed_json_number(node, -DBL_MAX, DBL_MAX)
                    : hed_spec_number_of(reader, node, hed_json_string(node));
    }
    hed_spec_size(reader, node, count, hed_type_bytes(type), &argument->bytes);
}

static void argument_read_content(hed_spec_reader *reader, hed_json_node node,
    const hed_argument_def *def, hed_tune_argument *argument, const hed_spec_given *given)
{
    bool from_file = hed_json_has(node, "file"), by_rule = hed_json_has(node, "fill");
    if (def->access == HED_WRITE && (from_file || by_rule))
        hed_json_reject(node, "a buffer that is only written has no first content; write "
                              "\"access\": \"read_write\" if it has");
    if (def->access != HED_WRITE && from_file == by_rule && (from_file || !given))
        hed_json_reject(
            node, "expected either \"fill\" or \"file\", the content before the kernel runs");
    if (hed_json_has(node, "size"))
        argument_read_size(reader, hed_json_member(node, "size"), def->type, argument);
    else if (!from_file && given)
        hed_spec_size(reader, node, given->elements, hed_type_bytes(def->type), &argument->bytes);
    else if (!from_file) hed_json_member(node, "size");
    if (by_rule && hed_spec_fine(reader))
        argument_fill(reader, hed_json_member(node, "fill"), def->type, argument);
    else if (!from_file && given && def->access != HED_WRITE)
        argument_fill_usual(reader, node, def, argument);
    if (!from_file || !hed_spec_fine(reader)) return;
    uint64_t bytes;
    hed_json_node file = hed_json_member(node, "file");
    argument->data = hed_spec_read_data(reader, file, hed_json_string(file), def->type, &bytes);
    if (argument->bytes == 0) argument->bytes = bytes - bytes % hed_type_bytes(def->type);
    hed_spec_check_bytes(reader, file, hed_json_string(file), bytes, argument->bytes);
}

static void argument_read_buffer(hed_spec_reader *reader, hed_json_node node,
    const hed_spec_argument *values, hed_argument_def *def, hed_tune_argument *argument,
    const hed_spec_given *given)
{
    def->access = values->access;
    def->compare = values->compare;
    argument_read_content(reader, node, def, argument, given);
    if (def->access != HED_READ)
        def->tolerance =
            hed_json_has(node, "tolerance")                        ? values->tolerance
            : reader->has_halves && def->type == HED_FLOAT ? HED_SPEC_HALF_TOLERANCE
                                                                   : hed_spec_tolerance(def->type);
    else if (hed_json_has(node, "tolerance") || hed_json_has(node, "expected") ||
             hed_json_has(node, "compare"))
        hed_json_reject(node,
            "a buffer that is only read has neither \"expected\" nor \"compare\" nor "
            "\"tolerance\"");
    bool hangs = reader->spec->kernel.local[argument - reader->spec->arguments] != NULL;
    if (hangs && def->access != HED_READ && def->compare == HED_COMPARE_EACH)
        hed_json_reject(hed_json_member(node, "size"),
            "an output whose size depends on parameters cannot be compared element by element: "
            "write \"compare\": "
            "\"sum\" or \"sorted\"");
    if (!hed_spec_fine(reader) || !hed_json_has(node, "expected")) return;
    uint64_t bytes;
    hed_json_node file = hed_json_member(node, "expected");
    argument->expected = hed_spec_read_data(reader, file, hed_json_string(file), def->type, &bytes);
    argument->expected_bytes = bytes;
    if (def->compare == HED_COMPARE_EACH)
        hed_spec_check_bytes(reader, file, hed_json_string(file), bytes, argument->bytes);
}

static void argument_read_struct(
    hed_spec_reader *reader, hed_json_node node, hed_argument_def *def, hed_tune_argument *argument)
{
    hed_json_node file = hed_json_member(node, "file");
    argument->data =
        hed_spec_read_data(reader, file, hed_json_string(file), HED_BYTES, &argument->bytes);
    def->size = argument->bytes;
    if (hed_spec_fine(reader) && def->size > HED_MAX_STRUCT_BYTES)
        hed_json_reject(file, "a struct of %zu bytes; at most %d", def->size, HED_MAX_STRUCT_BYTES);
}

/* Takes the value of a scalar, an expression; one that depends on parameters is evaluated for each
 * configuration. */
static void argument_take_value(hed_spec_reader *reader, hed_json_node node, hed_argument_def *def,
    hed_tune_argument *argument, const char *text)
{
    hed_spec_kernel *kernel = &reader->spec->kernel;
    hed_expression *value = hed_spec_expression_of(reader, kernel, node, text);
    if (!value) return;
    if (!hed_spec_uses_parameters(kernel, value)) {
        double real = hed_spec_number_of(reader, node, text);
        argument->data = hed_spec_scalar(reader, node, def->type, real);
        return;
    }
    kernel->local[argument - reader->spec->arguments] = value;
    def->by_config = true;
    argument->data =
        hed_spec_scalar(reader, node, def->type, hed_spec_usual_value(reader, kernel, value));
}

/* Reads a scalar. 64-bit integers in the JSON are not converted to double. `usual`: an expression
 * for a missing value; NULL: the value is required. */
static void argument_read_scalar(hed_spec_reader *reader, hed_json_node node, hed_argument_def *def,
    hed_tune_argument *argument, const char *usual)
{
    argument->bytes = hed_type_bytes(def->type);
    if (usual && !hed_json_has(node, "value")) {
        argument_take_value(reader, node, def, argument, usual);
        return;
    }
    hed_json_node value = hed_json_member(node, "value");
    bool number = hed_json_kind_of(value) == HED_JSON_NUMBER;
    if (number && (def->type == HED_INT64 || def->type == HED_UINT64)) {
        int64_t *memory = hed_spec_allocate(reader, sizeof *memory, value);
        if (memory)
            *memory = hed_json_integer(value, def->type == HED_INT64 ? INT64_MIN : 0, INT64_MAX);
        argument->data = memory;
    } else if (number) {
        argument->data =
            hed_spec_scalar(reader, value, def->type, hed_json_number(value, -DBL_MAX, DBL_MAX));
    } else {
        argument_take_value(reader, value, def, argument, hed_json_string(value));
    }
}

/* Reads a symbol, a variable of the text: filled like a buffer, or with one number. */
static void argument_read_symbol(
    hed_spec_reader *reader, hed_json_node node, hed_argument_def *def, hed_tune_argument *argument)
{
    if (reader->spec->kernel.def.language != HED_CUDA_C)
        hed_json_reject(
            node, "symbols are variables of a text in CUDA C; in OpenCL C they are arguments");
    if (hed_json_has(node, "value")) argument_read_scalar(reader, node, def, argument, NULL);
    else argument_read_content(reader, node, def, argument, NULL);
    if (hed_spec_fine(reader) && reader->spec->kernel.local[argument - reader->spec->arguments])
        hed_json_reject(node, "size and value of a symbol cannot depend on parameters");
    if (hed_spec_fine(reader)) hed_spec_make_symbol(reader, node, def, argument);
}

/* ---- one argument ---- */

static void argument_read(hed_spec_reader *reader, hed_json_node node, uint32_t index)
{
    hed_tune_file *spec = reader->spec;
    hed_argument_def *def = &spec->argument_defs[index];
    hed_tune_argument *argument = &spec->arguments[index];
    hed_spec_argument values = {.kind = hed_json_has(node, "value") ? HED_SCALAR : HED_BUFFER};
    hed_fields_read(&hed_spec_argument_fields, node, &values, reader);
    def->name = values.name;
    for (uint32_t i = 0; i < index; i++)
        if (hed_spec_fine(reader) && strcmp(spec->argument_defs[i].name, def->name) == 0)
            hed_json_reject(node, "there are two arguments called \"%s\"", def->name);
    def->kind = values.kind == HED_SPEC_SYMBOL ? HED_STRUCT : (hed_argument_kind)values.kind;
    def->type = values.type;
    if (values.kind != HED_STRUCT) hed_json_member(node, "type");
    if (hed_spec_fine(reader) && def->kind == HED_SCALAR && def->type == HED_BYTES)
        hed_json_reject(node, "a scalar needs a type of a number");
    if (!hed_spec_fine(reader)) return;
    switch (values.kind) {
    case HED_BUFFER: argument_read_buffer(reader, node, &values, def, argument, NULL); break;
    case HED_SCALAR: argument_read_scalar(reader, node, def, argument, NULL); break;
    case HED_STRUCT: argument_read_struct(reader, node, def, argument); break;
    case HED_SPEC_SYMBOL: argument_read_symbol(reader, node, def, argument); break;
    default: hed_json_member(node, "size"); /* an expression: hed_spec_read_local_sizes() */
    }
}

void hed_spec_read_local_sizes(hed_spec_reader *reader, hed_json_node list, hed_spec_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->def.argument_count && hed_spec_fine(reader); i++) {
        /* Sizes of a reference's results, and its numbers, depend on its own parameters. */
        bool is_scalar = reader->spec->argument_defs[i].kind == HED_SCALAR,
             hangs = reader->spec->kernel.local[i] &&
                     (reader->spec->argument_defs[i].kind == HED_BUFFER || is_scalar);
        if (reader->spec->argument_defs[i].kind != HED_LOCAL &&
            !(hangs && kernel != &reader->spec->kernel))
            continue;
        hed_json_node node = hed_json_item(list, i);
        kernel->local[i] = hed_spec_expression(
            reader, kernel, hed_json_member(node, is_scalar ? "value" : "size"));
        kernel->local_bytes[i] = hed_type_bytes(reader->spec->argument_defs[i].type);
        /* CUDA C has no pointers to local memory among its arguments: there is one block, declared
         * `extern __shared__`. The driver ignores values of a launch beyond the kernel's own
         * arguments. */
        if (!hangs && kernel->def.language == HED_CUDA_C && i + 1 < kernel->def.argument_count)
            hed_json_reject(node,
                "in CUDA C the local array is the launch's dynamic shared memory, not an argument "
                "of the kernel: list one, after all others");
    }
}

/* ---- arguments of a shader ---- */

/* Finds the list's entry of a name; missing if there is no such entry. */
static hed_json_node find_entry(hed_spec_reader *reader, hed_json_node list, const char *name)
{
    bool listed = hed_json_kind_of(list) != HED_JSON_NOTHING;
    for (size_t i = 0; listed && hed_spec_fine(reader) && i < hed_json_count(list); i++) {
        hed_json_node item = hed_json_item(list, i);
        if (strcmp(hed_json_string(hed_json_member(item, "name")), name) == 0) return item;
    }
    return (hed_json_node){.json = list.json};
}

static const hed_spec_given *find_given(
    const hed_spec_given *given, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(given[i].name, name) == 0) return &given[i];
    return NULL;
}

/* Returns the image of a texture that a backend of Vulkan or OpenGL creates. */
static hed_texels image_of(const hed_tune_file *spec, const hed_wgsl_binding *binding)
{
    static const char *const shapes[] = {"1d", "2d", "2d-array", "3d", "cube", "cube-array"};
    hed_wgsl_texture t;
    hed_wgsl_texture_size(binding, spec->problem.sizes, spec->problem.count, &t);
    hed_texels image = {
        .width = t.width, .height = t.height, .layers = t.layers, .row_bytes = t.row_bytes};
    for (int i = 0; i < HED_IMAGE_FORMATS; i++)
        if (strcmp(hed_image_format_name((hed_image_format)i, NULL), binding->format) == 0)
            image.format = (hed_image_format)i;
    for (int i = 0; i < HED_IMAGE_SHAPES; i++)
        if (strcmp(shapes[i], binding->shape) == 0) image.shape = (hed_image_shape)i;
    return image;
}

/* Reads all push constants from a file. */
static void read_push_file(hed_spec_reader *reader, hed_json_node node, hed_tune_argument *argument)
{
    uint64_t bytes = 0;
    hed_json_node file = hed_json_member(node, "file");
    argument->data = hed_spec_read_data(reader, file, hed_json_string(file), HED_BYTES, &bytes);
    hed_spec_check_bytes(reader, file, hed_json_string(file), bytes, argument->bytes);
}

static void argument_read_given(hed_spec_reader *reader, hed_json_node root, hed_json_node list,
    const hed_spec_given *given, uint32_t index)
{
    hed_argument_def *def = &reader->spec->argument_defs[index];
    hed_tune_argument *argument = &reader->spec->arguments[index];
    hed_json_node node = find_entry(reader, list, given->name);
    bool listed = hed_json_kind_of(node) != HED_JSON_NOTHING;
    hed_spec_argument values = {.kind = given->kind, .type = given->type, .access = given->access,
        .compare = given->compare};
    if (!hed_spec_fine(reader)) return;
    if (listed) hed_fields_read(&hed_spec_argument_fields, node, &values, reader);
    *def = (hed_argument_def){
        .name = given->name, .kind = given->kind, .type = values.type, .access = given->access};
    if (given->binding && given->binding->resource && reader->spec->kernel.def.language != HED_WGSL)
        def->image = image_of(reader->spec, given->binding);
    if (hed_spec_fine(reader) && values.kind != given->kind)
        hed_json_reject(hed_json_member(node, "kind"), "the shader has it as another kind");
    if (hed_spec_fine(reader) && def->type != given->type && given->type != HED_BYTES)
        hed_json_reject(node, "the shader has it as \"%s\"", hed_spec_types[given->type]);
    if (!hed_spec_fine(reader)) return;
    if (!listed) node = root; /* the root has no key of an argument */
    double setting;
    if (given->kind == HED_SCALAR) argument_read_scalar(reader, node, def, argument, given->value);
    if (given->kind == HED_SCALAR && hed_spec_setting(reader, given->name, &setting)) {
        argument->data = hed_spec_scalar(reader, node, def->type, setting);
        def->by_config = false;
        reader->spec->kernel.local[index] = NULL;
    }
    if (given->kind == HED_BUFFER)
        argument_read_buffer(reader, node, &values, def, argument, given);
    if (given->kind == HED_STRUCT) {
        def->size = argument->bytes = reader->push_bytes;
        if (listed && hed_json_has(node, "file")) read_push_file(reader, node, argument);
        else hed_spec_invent_content(reader, list, *given, argument);
    }
    bool is_specified = hed_json_has(node, "fill") || hed_json_has(node, "file");
    if (given->kind == HED_BUFFER && !is_specified && def->access != HED_WRITE &&
        hed_spec_fine(reader))
        hed_spec_invent_content(reader, list, *given, argument);
}

/* Rejects a name that is not one of the shader's arguments. */
static void shader_reject_name(
    hed_json_node name, const hed_spec_given given[HED_MAX_ARGUMENTS], uint32_t count)
{
    char names[512] = "none";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof names; i++)
        used += (size_t)snprintf(
            names + used, sizeof names - used, "%s%s", i ? ", " : "", given[i].name);
    hed_json_reject(
        name, "the shader has no buffer and no number of a uniform of this name; it has %s", names);
}

/* True if a uniform that is one argument has a number of this name. */
static bool is_packed_number(const hed_wgsl *shader, const char *name)
{
    for (uint32_t i = 0; i < shader->member_count; i++)
        if (strcmp(shader->members[i].name, name) == 0) return true;
    return false;
}

/* Refuses an entry point without a result: nothing would show if a configuration is right. */
static void shader_reject_unwritten(hed_spec_reader *reader, hed_json_node root)
{
    const char *entry = reader->shader->entry;
    hed_json_reject(root,
        "\"%s\" writes no buffer, so there is no result to compare; expected a "
        "`var<storage, read_write>` or a storage texture that it writes",
        entry ? entry : "main");
}

static void shader_read_arguments(hed_spec_reader *reader, hed_json_node root, hed_json_node list)
{
    hed_spec_given given[HED_MAX_ARGUMENTS];
    uint32_t count = hed_spec_shader_arguments(reader, root, given);
    bool written = false, listed = hed_json_kind_of(list) != HED_JSON_NOTHING;
    for (size_t i = 0; listed && hed_spec_fine(reader) && i < hed_json_count(list); i++) {
        hed_json_node name = hed_json_member(hed_json_item(list, i), "name");
        bool is_known = find_given(given, count, hed_json_string(name)) ||
                        is_packed_number(reader->shader, hed_json_string(name));
        if (!is_known && hed_spec_fine(reader)) shader_reject_name(name, given, count);
    }
    for (uint32_t i = 0; i < count && hed_spec_fine(reader); i++) {
        argument_read_given(reader, root, list, &given[i], i);
        written = written || (given[i].kind == HED_BUFFER &&
                                 reader->spec->argument_defs[i].access != HED_READ);
    }
    if (hed_spec_fine(reader) && !written) shader_reject_unwritten(reader, root);
    reader->spec->kernel.def.argument_count = count;
}

void hed_spec_read_arguments(hed_spec_reader *reader, hed_json_node root)
{
    hed_json_node list = hed_json_has(root, "arguments") || !reader->shader
                             ? hed_json_member(root, "arguments")
                             : (hed_json_node){.json = root.json};
    if (reader->shader) {
        shader_read_arguments(reader, root, list);
        return;
    }
    size_t count = hed_json_count(list);
    bool written = false;
    if (count > HED_MAX_ARGUMENTS)
        hed_json_reject(list,
            "%zu arguments; a kernel has at most %d. Pass numbers together as a struct", count,
            HED_MAX_ARGUMENTS);
    for (uint32_t i = 0; i < count && hed_spec_fine(reader); i++) {
        argument_read(reader, hed_json_item(list, i), i);
        written = written || (reader->spec->argument_defs[i].kind == HED_BUFFER &&
                                 reader->spec->argument_defs[i].access != HED_READ);
    }
    if (hed_spec_fine(reader) && !written)
        hed_json_reject(list,
            "no argument is written: give the outputs \"access\": \"write\" or \"read_write\"");
    reader->spec->argument_list = list;
    reader->spec->kernel.def.argument_count = (uint32_t)count;
    hed_spec_read_local_sizes(reader, list, &reader->spec->kernel);
}
