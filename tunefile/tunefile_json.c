/* Heddle's own tune files (docs/tune-file.md): kernel, space, launch and reference. Arguments are
 * in arguments.c. */
#include "tunefile/spec.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- problem and parameters ---- */

/* Checks a name. Names become macros of the text and words of expressions, so each has one
 * meaning. */
static void json_check_name(hed_spec_reader *reader, hed_json_node member)
{
    hed_tune_file *spec = reader->spec;
    if (!hed_spec_fine(reader)) return;
    if (!hed_spec_is_name(member.key))
        hed_json_reject(
            member, "expected a name of letters, digits and _, which is no word of expressions");
    hed_constant constants[HED_DEVICE_CONSTANTS];
    hed_device_constants(reader->device, constants);
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++)
        if (strcmp(constants[i].name, member.key) == 0)
            hed_json_reject(member, "this is the name of a device limit; choose another");
    for (uint32_t i = 0; i < spec->problem.count; i++)
        if (strcmp(spec->dimensions[i], member.key) == 0)
            hed_json_reject(member, "this is the name of a problem size, too; choose another");
}

static void json_read_problem(hed_spec_reader *reader, hed_json_node object)
{
    hed_tune_file *spec = reader->spec;
    HED_SPEC_EACH(at, object)
    {
        json_check_name(reader, at);
        if (spec->problem.count == HED_MAX_DIMENSIONS)
            hed_json_reject(at, "a problem has at most %d sizes", HED_MAX_DIMENSIONS);
        double setting;
        bool is_set = hed_spec_setting(reader, at.key, &setting);
        int64_t size = is_set ? (int64_t)setting : hed_json_integer(at, 1, INT64_C(1) << 53);
        if (!hed_spec_fine(reader)) return;
        spec->dimensions[spec->problem.count] = at.key;
        spec->problem.sizes[spec->problem.count++] = size;
    }
}

/* Values in the order of the file, before they become the parameter's. */
typedef struct value_list {
    int64_t *values;
    uint32_t count;
    bool unordered; /* some value is not above the one before it */
} value_list;

static bool list_add_value(
    hed_spec_reader *reader, hed_json_node node, value_list *list, int64_t value)
{
    list->unordered = list->unordered || (list->count && value <= list->values[list->count - 1]);
    for (uint32_t i = 0; i < list->count && list->unordered; i++)
        if (list->values[i] == value) hed_json_reject(node, "%" PRId64 " is there twice", value);
    if (list->count == HED_SPEC_VALUES)
        hed_json_reject(node, "a parameter has at most %d values", HED_SPEC_VALUES);
    list->values = hed_spec_grow(reader, list->values, list->count, sizeof *list->values, node);
    if (!hed_spec_fine(reader)) return false;
    list->values[list->count++] = value;
    return true;
}

/* True if a list has a number with a fraction: its values are texts of the kernel then. */
static bool has_fraction(hed_json_node array)
{
    for (size_t i = 0; i < hed_json_count(array); i++) {
        hed_json_node item = hed_json_item(array, i);
        double number = hed_json_kind_of(item) == HED_JSON_NUMBER
                            ? hed_json_number(item, -HUGE_VAL, HUGE_VAL)
                            : 0;
        if (number != floor(number)) return true;
    }
    return false;
}

static const char **list_fractions(hed_spec_reader *reader, hed_json_node array, value_list *list)
{
    size_t count = hed_json_count(array);
    const char **labels = hed_spec_allocate(reader, count * sizeof *labels, array);
    for (size_t i = 0; i < count && labels; i++) {
        hed_json_node item = hed_json_item(array, i);
        labels[i] = hed_spec_fraction_text(reader, item, hed_json_number(item, -1e300, 1e300));
        for (size_t j = 0; j < i && hed_spec_fine(reader); j++)
            if (strcmp(labels[j], labels[i]) == 0)
                hed_json_reject(item, "%s is there twice", labels[i]);
        if (!list_add_value(reader, item, list, (int64_t)i)) return NULL;
    }
    return labels;
}

static void list_given(hed_spec_reader *reader, hed_json_node array, value_list *list)
{
    for (size_t i = 0; i < hed_json_count(array); i++) {
        hed_json_node item = hed_json_item(array, i);
        if (hed_json_kind_of(item) == HED_JSON_STRING)
            hed_json_reject(item, "expected a whole number; names go into {\"choices\": [...]}, "
                                  "texts that stand in the "
                                  "kernel as they are into {\"texts\": [...]}");
        if (!list_add_value(
                reader, item, list, hed_json_integer(item, -(INT64_C(1) << 53), INT64_C(1) << 53)))
            return;
    }
}

static void list_range(hed_spec_reader *reader, hed_json_node array, value_list *list)
{
    size_t count = hed_json_count(array);
    const int64_t limit = INT64_C(1) << 53;
    if (count != 2 && count != 3)
        hed_json_reject(
            array, "expected [first, last] or [first, last, step], found %zu elements", count);
    int64_t first = hed_json_integer(hed_json_item(array, 0), -limit, limit),
            last = hed_json_integer(hed_json_item(array, 1), first, limit);
    int64_t step = count == 3 ? hed_json_integer(hed_json_item(array, 2), 1, limit) : 1;
    for (int64_t value = first; hed_spec_fine(reader) && value <= last; value += step)
        list_add_value(reader, array, list, value);
}

static void list_powers(hed_spec_reader *reader, hed_json_node array, value_list *list)
{
    size_t count = hed_json_count(array);
    if (count != 2) hed_json_reject(array, "expected [first, last], found %zu elements", count);
    int64_t ends[2] = {1, 1};
    for (size_t i = 0; i < 2; i++) {
        hed_json_node item = hed_json_item(array, i);
        ends[i] = hed_json_integer(item, ends[0], INT64_C(1) << 52);
        if (hed_spec_fine(reader) && (ends[i] & (ends[i] - 1)) != 0)
            hed_json_reject(item, "expected a power of two, found %" PRId64, ends[i]);
    }
    for (int64_t value = ends[0]; hed_spec_fine(reader) && value <= ends[1]; value *= 2)
        list_add_value(reader, array, list, value);
}

static const char **json_read_choices(
    hed_spec_reader *reader, hed_json_node array, value_list *list)
{
    size_t count = hed_json_count(array);
    const char **labels = hed_spec_allocate(reader, count * sizeof *labels, array);
    for (size_t i = 0; i < count && labels; i++) {
        hed_json_node item = hed_json_item(array, i);
        const char *label = hed_json_string(item);
        for (size_t j = 0; j < i; j++)
            if (strcmp(labels[j], label) == 0)
                hed_json_reject(item, "\"%s\" is there twice", label);
        if (!label[0]) hed_json_reject(item, "expected a name, found \"\"");
        if (!list_add_value(reader, item, list, (int64_t)i)) return NULL;
        labels[i] = label;
    }
    return labels;
}

/* Reads a parameter; `is_text` is true if its macro is its text. */
static void json_read_parameter(
    hed_spec_reader *reader, hed_json_node node, hed_parameter_def *parameter, bool *is_text)
{
    value_list list = {.count = 0};
    const char **labels = NULL;
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        *is_text = has_fraction(node);
        if (*is_text) labels = list_fractions(reader, node, &list);
        else list_given(reader, node, &list);
    } else {
        hed_fields_only(&hed_spec_parameter_fields, node);
        uint32_t way = hed_fields_which(&hed_spec_parameter_fields, node);
        hed_json_node rule = hed_json_member(node, hed_spec_parameter_fields.one_of[way]);
        *is_text = way == HED_SPEC_TEXTS;
        if (!hed_spec_fine(reader)) return;
        if (way == HED_SPEC_RANGE) list_range(reader, rule, &list);
        else if (way == HED_SPEC_POWERS) list_powers(reader, rule, &list);
        else labels = json_read_choices(reader, rule, &list);
    }
    if (hed_spec_fine(reader) && list.count == 0)
        hed_json_reject(node, "a parameter needs at least one value");
    if (!hed_spec_fine(reader)) return;
    *parameter = (hed_parameter_def){.name = node.key,
        .values = list.values,
        .count = list.count,
        .value = list.values[0],
        .labels = labels};
}

static void json_read_parameters(
    hed_spec_reader *reader, hed_json_node object, hed_spec_kernel *kernel)
{
    HED_SPEC_EACH(at, object)
    {
        json_check_name(reader, at);
        if (kernel->def.parameter_count == HED_MAX_PARAMETERS)
            hed_json_reject(at, "a kernel has at most %d parameters", HED_MAX_PARAMETERS);
        if (!hed_spec_fine(reader)) return;
        bool is_text = false;
        json_read_parameter(reader, at, &kernel->parameters[kernel->def.parameter_count], &is_text);
        if (is_text && hed_json_kind_of(at) == HED_JSON_ARRAY)
            kernel->fractions |= UINT32_C(1) << kernel->def.parameter_count;
        if (is_text) kernel->texts |= UINT32_C(1) << kernel->def.parameter_count;
        kernel->def.parameter_count++;
    }
}

static hed_parameter_def *json_find_parameter(hed_json_node member, hed_spec_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, member.key) == 0) return &kernel->parameters[i];
    hed_json_reject(member, "there is no parameter of this name");
    return NULL;
}

static void json_read_defaults(
    hed_spec_reader *reader, hed_json_node object, hed_spec_kernel *kernel)
{
    HED_SPEC_EACH(at, object)
    {
        hed_parameter_def *parameter =
            hed_spec_fine(reader) ? json_find_parameter(at, kernel) : NULL;
        if (!parameter) return;
        bool is_string = hed_json_kind_of(at) == HED_JSON_STRING, is_found = false,
             is_fraction =
                 parameter->labels && kernel->fractions >> (parameter - kernel->parameters) & 1,
             named = parameter->labels && (is_string || is_fraction);
        const char *label =
            !named      ? ""
            : is_string ? hed_json_string(at)
                        : hed_spec_fraction_text(reader, at, hed_json_number(at, -1e300, 1e300));
        int64_t value = named ? 0 : hed_json_integer(at, INT64_MIN, INT64_MAX);
        for (uint32_t i = 0; i < parameter->count && !is_found; i++) {
            is_found =
                named ? strcmp(parameter->labels[i], label) == 0 : parameter->values[i] == value;
            if (is_found) parameter->value = parameter->values[i];
        }
        if (!is_found) hed_json_reject(at, "this is not among the parameter's values");
    }
}

/* ---- rules ---- */

static void json_read_constraints(
    hed_spec_reader *reader, hed_json_node array, hed_spec_kernel *kernel)
{
    size_t count = hed_json_count(array);
    const char **texts = hed_spec_allocate(reader, count * sizeof *texts, array);
    for (size_t i = 0; i < count && texts; i++) {
        hed_json_node item = hed_json_item(array, i);
        texts[i] = hed_json_string(item);
        hed_spec_expression_of(reader, kernel, item, texts[i]);
    }
    kernel->def.constraints = texts;
    kernel->def.constraint_count = (uint32_t)count;
}

static void json_read_conditions(
    hed_spec_reader *reader, hed_json_node object, hed_spec_kernel *kernel)
{
    hed_condition *conditions =
        hed_spec_allocate(reader, HED_MAX_PARAMETERS * sizeof *conditions, object);
    uint32_t count = 0;
    for (hed_json_node at = hed_json_next(object, NULL); at.key && conditions;
         at = hed_json_next(object, at.key)) {
        const hed_parameter_def *parameter =
            hed_spec_fine(reader) ? json_find_parameter(at, kernel) : NULL;
        if (!parameter) return;
        conditions[count++] = (hed_condition){at.key, hed_json_string(at)};
        const hed_expression *condition = hed_spec_expression(reader, kernel, at);
        if (condition && hed_expression_uses(condition, (uint32_t)(parameter - kernel->parameters)))
            hed_json_reject(at, "whether %s matters cannot depend on itself", at.key);
    }
    kernel->def.conditions = conditions;
    kernel->def.condition_count = count;
}

/* ---- texts ---- */

/* Counts the texts of a member that is one text or a list. */
static size_t json_count_words(hed_json_node node)
{
    return hed_json_kind_of(node) == HED_JSON_ARRAY ? hed_json_count(node) : 1;
}
static hed_json_node json_word_at(hed_json_node node, size_t index)
{
    return hed_json_kind_of(node) == HED_JSON_ARRAY ? hed_json_item(node, index) : node;
}

/* Reads the texts, after the macros of parameters that are texts. */
static void json_read_sources(hed_spec_reader *reader, hed_json_node node,
    const char *const *folders, hed_spec_kernel *kernel)
{
    size_t count = json_count_words(node);
    if (count == 0) hed_json_reject(node, "expected at least one file");
    hed_source *sources = hed_spec_allocate(reader, (count + 1) * sizeof *sources, node);
    const char *texts = hed_spec_define_texts(reader, node, kernel, kernel->texts);
    if (sources && texts[0])
        sources[kernel->def.source_count++] = (hed_source){.name = "parameters", .text = texts};
    for (size_t i = 0; i < count && sources; i++) {
        hed_json_node item = json_word_at(node, i);
        hed_source *source = &sources[kernel->def.source_count++];
        if (hed_spec_read_source(reader, item, hed_json_string(item), 0, folders, source) &&
            kernel == &reader->spec->kernel)
            hed_spec_refuse_defined(reader, item, kernel, source);
    }
    kernel->def.sources = sources;
}

static void json_read_folders(hed_spec_reader *reader, hed_json_node node, const char **folders)
{
    size_t count = hed_json_kind_of(node) == HED_JSON_NOTHING ? 0 : json_count_words(node);
    if (count > HED_SPEC_FOLDERS) hed_json_reject(node, "at most %d folders", HED_SPEC_FOLDERS);
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++) {
        hed_json_node item = json_word_at(node, i);
        folders[i] = hed_spec_path(reader, item, hed_json_string(item), 0);
        if (hed_spec_fine(reader) && access(folders[i], X_OK) != 0)
            hed_json_fail(item, HED_ERROR_IO, "the folder %s cannot be entered", folders[i]);
    }
}

static void json_read_defines(
    hed_spec_reader *reader, hed_json_node object, hed_spec_kernel *kernel)
{
    uint32_t count = 0;
    HED_SPEC_EACH(at, object) count++;
    hed_define *defines = hed_spec_allocate(reader, count * sizeof *defines, object);
    for (hed_json_node at = hed_json_next(object, NULL); at.key && defines;
         at = hed_json_next(object, at.key)) {
        json_check_name(reader, at);
        const char *value =
            hed_json_kind_of(at) == HED_JSON_NUMBER
                ? hed_spec_text(reader, at, "%.17g", hed_json_number(at, -1e300, 1e300))
                : hed_json_string(at);
        defines[kernel->def.define_count++] = (hed_define){at.key, value};
    }
    kernel->def.defines = defines;
}

/* ---- launches ---- */

/* Returns a member of the reference if it has one, else of the whole; missing if neither has it. */
static hed_json_node json_pick(hed_json_node object, hed_json_node whole, const char *key)
{
    if (hed_json_has(object, key)) return hed_json_member(object, key);
    return hed_json_has(whole, key) ? hed_json_member(whole, key)
                                    : (hed_json_node){.json = whole.json};
}

/* Returns one size of a group as text, if it is one word that a launch bound may name. */
static const char *json_plain_size(hed_spec_reader *reader, hed_json_node node)
{
    if (!hed_spec_fine(reader)) return NULL;
    return hed_json_kind_of(node) == HED_JSON_STRING
               ? hed_json_string(node)
               : hed_spec_text(reader, node, "%g", hed_json_number(node, 1, 1e9));
}

/* Reads the group from the shader. Trailing sizes of 1 that no other list has are left out: many
 * shaders declare @workgroup_size(64, 1, 1). A launch of an invented problem has the dimensions of
 * the ids that the shader uses; sizes beyond the group's are 1. */
static void json_read_shader_group(hed_spec_reader *reader, hed_json_node object,
    hed_json_node whole, hed_spec_kernel *kernel, const char *plain[3])
{
    static const char *const keys[] = {"groups", "global"};
    const hed_wgsl *shader = reader->shader;
    size_t list_count = reader->spec->problem.count;
    bool has_list = false;
    for (int i = 0; i < 2; i++) {
        hed_json_node sizes = json_pick(object, whole, keys[i]);
        if (hed_json_kind_of(sizes) != HED_JSON_ARRAY) continue;
        list_count = hed_json_count(sizes);
        has_list = true;
    }
    kernel->dimensions = shader->group_count;
    while (kernel->dimensions > 1 && kernel->dimensions > list_count &&
           shader->sizes[kernel->dimensions - 1] == 1)
        kernel->dimensions--;
    if (!has_list && !hed_json_has(whole, "problem") && list_count > kernel->dimensions)
        kernel->dimensions = (uint32_t)list_count;
    for (uint32_t i = 0; i < kernel->dimensions && hed_spec_fine(reader); i++) {
        plain[i] = i < shader->group_count ? hed_spec_shader_group(reader, whole, kernel, i) : "1";
        kernel->group[i] = hed_spec_expression_of(reader, kernel, whole, plain[i]);
    }
}

/* Returns the elements of a dimension that a group covers, as text: a product of sizes of the
 * group, or a constant where groups are rows, tiles or tasks that do not follow the size. */
static const char *json_shader_stride(
    hed_spec_reader *reader, hed_json_node whole, const char *group[3], uint32_t dimension)
{
    const hed_wgsl *shader = reader->shader;
    const hed_wgsl_stride *stride = &shader->strides[dimension];
    bool follows = stride->powers[0] || stride->powers[1] || stride->powers[2];
    uint32_t constant = stride->number > 1 ? stride->number : shader->sizes[dimension];
    if (!follows)
        return shader->counts_groups[dimension] && constant
                   ? hed_spec_text(reader, whole, "%u", constant)
                   : group[dimension];
    const char *text = "";
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < stride->powers[i]; k++)
            text = hed_spec_text(
                reader, whole, "%s%s%s", text, text[0] ? " * " : "", group[i] ? group[i] : "1");
    return stride->number > 1 ? hed_spec_text(reader, whole, "%s * %u", text, stride->number)
                              : text;
}

/* Counts the groups of a launch of an invented problem by the elements that a group covers, if
 * these are not its own size; one group if no id of the shader differs between groups. */
static void json_count_shader_groups(
    hed_spec_reader *reader, hed_json_node whole, hed_spec_kernel *kernel, const char *group[3])
{
    for (uint32_t i = 0; i < kernel->dimensions && hed_spec_fine(reader); i++) {
        bool is_one = reader->shader->is_one_group;
        const char *stride = json_shader_stride(reader, whole, group, i);
        kernel->counts_groups = kernel->counts_groups || is_one || strcmp(stride, group[i]) != 0;
        if (!is_one) hed_spec_shader_cover(reader, whole, kernel, i, stride);
        reader->groups[i] = is_one ? "1"
                                   : hed_spec_text(reader, whole, "ceil_div(%s, %s)",
                                         reader->spec->dimensions[i], stride);
    }
    for (uint32_t i = 0; i < kernel->dimensions && kernel->counts_groups && hed_spec_fine(reader);
         i++)
        kernel->global[i] = hed_spec_expression_of(reader, kernel, whole, reader->groups[i]);
    if (!kernel->counts_groups) memset(reader->groups, 0, sizeof reader->groups);
}

static void json_read_sizes(
    hed_spec_reader *reader, hed_json_node array, hed_spec_kernel *kernel, hed_expression *sizes[3])
{
    for (uint32_t i = 0; i < kernel->dimensions; i++)
        sizes[i] = hed_spec_expression(reader, kernel, hed_json_item(array, i));
}

static uint32_t json_count_sizes(hed_spec_reader *reader, hed_json_node array)
{
    size_t count = hed_json_count(array);
    if (hed_spec_fine(reader) && (count < 1 || count > 3))
        hed_json_reject(array, "expected 1 to 3 sizes, found %zu", count);
    return hed_spec_fine(reader) ? (uint32_t)count : 0;
}

/* Reads the work items: specified, as groups, or the problem's own sizes. */
static void json_read_global(
    hed_spec_reader *reader, hed_json_node object, hed_json_node whole, hed_spec_kernel *kernel)
{
    hed_json_node from =
        hed_json_has(object, "global") || hed_json_has(object, "groups") ? object : whole;
    kernel->counts_groups = hed_json_has(from, "groups");
    if (kernel->counts_groups && hed_json_has(from, "global"))
        hed_json_reject(from, "\"global\" and \"groups\" say the same in two ways; give one");
    if (kernel->counts_groups || hed_json_has(from, "global")) {
        hed_json_node sizes = hed_json_member(from, kernel->counts_groups ? "groups" : "global");
        if (hed_spec_fine(reader) && json_count_sizes(reader, sizes) != kernel->dimensions)
            hed_json_reject(
                sizes, "expected as many sizes as \"group\" has: %u", kernel->dimensions);
        json_read_sizes(reader, sizes, kernel, kernel->global);
        return;
    }
    if (hed_spec_fine(reader) && reader->spec->problem.count < kernel->dimensions)
        hed_json_reject(whole, "\"global\" is missing: the problem has %u sizes, the group %u",
            reader->spec->problem.count, kernel->dimensions);
    for (uint32_t i = 0; i < kernel->dimensions && hed_spec_fine(reader); i++)
        kernel->global[i] =
            hed_spec_expression_of(reader, kernel, whole, reader->spec->dimensions[i]);
}

/* Reads the launch bound without blanks, because the library compares it word by word. */
static const char *json_read_max_threads(
    hed_spec_reader *reader, hed_json_node node, const hed_spec_kernel *kernel)
{
    if (hed_json_kind_of(node) == HED_JSON_NOTHING) return NULL;
    const char *text = json_plain_size(reader, node);
    char *plain = text ? hed_spec_allocate(reader, strlen(text) + 1, node) : NULL;
    char word[64] = "";
    for (size_t used = 0, length = 0; plain; text++) {
        if (*text == ' ') continue;
        if ((*text == '*' || !*text) && !hed_spec_is_factor(kernel, word))
            hed_json_reject(
                node, "expected parameters and numbers with * between them, found \"%s\"", word);
        if (!*text) break;
        length = *text == '*' ? 0 : length + 1 < sizeof word ? length + 1 : length;
        if (length > 0) word[length - 1] = *text;
        word[length] = 0;
        plain[used++] = *text;
    }
    return plain;
}

/* Reads the language: its name, or the extension of the shader with the comment, or of the last
 * file. */
static hed_language json_read_language(
    hed_spec_reader *reader, hed_json_node object, hed_json_node whole)
{
    hed_json_node language = json_pick(object, whole, "language"),
                  source = json_pick(object, whole, "source");
    if (hed_json_kind_of(language) != HED_JSON_NOTHING)
        return (hed_language)hed_json_choice(language, hed_spec_languages);
    bool has_source = hed_json_kind_of(source) != HED_JSON_NOTHING;
    size_t count = has_source ? json_count_words(source) : 0;
    const char *last =
        hed_spec_fine(reader) && count > 0 ? hed_json_string(json_word_at(source, count - 1)) : "";
    hed_language detected;
    bool shader = hed_spec_is_shader_file(reader->is_shader ? reader->path : last, &detected);
    return shader ? detected : hed_spec_is_cuda_file(last) ? HED_CUDA_C : HED_OPENCL_C;
}

/* Opens the text of a shader, of the whole or of a reference that has its own. */
static void json_open_shader(
    hed_spec_reader *reader, hed_json_node object, hed_json_node whole, hed_spec_kernel *kernel)
{
    hed_json_node entry = json_pick(object, whole, "kernel"),
                  source = json_pick(object, whole, "source");
    bool has_source = hed_json_kind_of(source) != HED_JSON_NOTHING,
         named = hed_json_kind_of(entry) != HED_JSON_NOTHING;
    hed_source *text = hed_spec_allocate(reader, sizeof *text, whole);
    const char *folders[2 * HED_SPEC_FOLDERS + 1] = {NULL};
    hed_json_node defines = json_pick(object, whole, "defines");
    if (kernel->def.language == HED_GLSL && hed_spec_fine(reader)) {
        if (hed_json_kind_of(defines) != HED_JSON_NOTHING)
            json_read_defines(reader, defines, kernel);
        json_read_folders(reader, json_pick(object, whole, "include"), folders);
    }
    if (has_source && json_count_words(source) != 1 && kernel->def.language == HED_SPIRV)
        hed_json_reject(source, "a module is one file");
    if (!hed_spec_fine(reader) || !text) return;
    if (!has_source && !reader->is_shader) hed_json_member(whole, "source");
    hed_spec_read_shader(reader, has_source ? source : whole, kernel,
        has_source ? hed_json_string(json_word_at(source, 0)) : NULL,
        named ? hed_json_string(entry) : NULL, folders, text);
    kernel->def.sources = text;
    kernel->def.source_count = 1;
}

/* Reads the launch of a shader; its text specifies the values that the JSON omits. */
static void json_read_shader(
    hed_spec_reader *reader, hed_json_node object, hed_json_node whole, hed_spec_kernel *kernel)
{
    static const char *const not_of_shaders[] = {"options", "max_threads", "include", "defines"};
    size_t refused = kernel->def.language == HED_GLSL   ? 2
                     : kernel->def.language == HED_WGSL ? 3
                                                        : HED_COUNT(not_of_shaders);
    const char *plain[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < refused; i++)
        if (hed_json_has(object, not_of_shaders[i]))
            hed_json_reject(hed_json_member(object, not_of_shaders[i]),
                "a shader has no macros and no options of a compiler: it has overrides, or "
                "specialization constants");
    if (object.value != whole.value) json_open_shader(reader, object, whole, kernel);
    if (!hed_spec_fine(reader)) return;
    const char *entry = hed_spec_text(reader, whole, "%s", reader->shader->entry);
    hed_spec_set_entry(reader, whole, kernel, entry);
    if (kernel->def.language != HED_WGSL && strcmp(entry, "main") == 0) {
        /* an entry point called main: the file's name without extension */
        const char *path = kernel->def.sources[0].name, *slash = strrchr(path, '/'),
                   *name = slash ? slash + 1 : path;
        kernel->def.name = hed_spec_text(reader, whole, "%.*s", (int)strcspn(name, "."), name);
    }
    hed_json_node group = json_pick(object, whole, "group");
    if (hed_json_kind_of(group) == HED_JSON_NOTHING) {
        json_read_shader_group(reader, object, whole, kernel, plain);
    } else {
        kernel->dimensions = json_count_sizes(reader, group);
        json_read_sizes(reader, group, kernel, kernel->group);
        for (uint32_t i = 0; i < kernel->dimensions; i++)
            plain[i] = json_plain_size(reader, hed_json_item(group, i));
    }
    if (!hed_json_has(whole, "problem") && plain[0] && !hed_json_has(whole, "groups") &&
        !hed_json_has(whole, "global"))
        json_count_shader_groups(reader, whole, kernel, plain);
    if (!kernel->counts_groups) json_read_global(reader, object, whole, kernel);
    if (hed_spec_fine(reader)) hed_spec_shader_memory(reader, whole, kernel);
    if (hed_spec_fine(reader)) hed_spec_finish_kernel(reader, kernel, plain);
}

/* Reads the launch of the kernel or of its reference. `object` is the reference's object, or the
 * whole document for the kernel. */
static void json_read_launch(
    hed_spec_reader *reader, hed_json_node object, hed_json_node whole, hed_spec_kernel *kernel)
{
    hed_json_node entry = json_pick(object, whole, "kernel"),
                  source = json_pick(object, whole, "source");
    const char *folders[2 * HED_SPEC_FOLDERS + 1] = {NULL};
    kernel->def.language = json_read_language(reader, object, whole);
    if (kernel->def.language >= HED_WGSL) {
        json_read_shader(reader, object, whole, kernel);
        return;
    }
    hed_spec_set_entry(reader, entry, kernel, hed_json_string(entry));
    hed_json_node defines = json_pick(object, whole, "defines");
    if (hed_json_kind_of(defines) != HED_JSON_NOTHING) json_read_defines(reader, defines, kernel);
    json_read_folders(reader, json_pick(object, whole, "include"), folders);
    hed_spec_read_options(reader, json_pick(object, whole, "options"), kernel, folders);
    json_read_sources(reader, source, folders, kernel);
    hed_spec_define_labels(reader, kernel, object);

    hed_json_node group = json_pick(object, whole, "group");
    kernel->dimensions = json_count_sizes(reader, group);
    json_read_sizes(reader, group, kernel, kernel->group);
    json_read_global(reader, object, whole, kernel);
    kernel->def.max_threads =
        json_read_max_threads(reader, json_pick(object, object, "max_threads"), kernel);
    const char *plain[3] = {NULL, NULL, NULL};
    for (uint32_t i = 0; i < kernel->dimensions; i++)
        plain[i] = json_plain_size(reader, hed_json_item(group, i));
    if (hed_spec_fine(reader)) hed_spec_finish_kernel(reader, kernel, plain);
}

/* ---- the reference ---- */

/* Reads fixed values: a name and a number each. */
static void json_read_fixed(hed_spec_reader *reader, hed_json_node object, hed_spec_kernel *kernel)
{
    kernel->def.parameter_count = 0;
    kernel->texts = 0;
    HED_SPEC_EACH(at, object)
    {
        json_check_name(reader, at);
        if (kernel->def.parameter_count == HED_MAX_PARAMETERS)
            hed_json_reject(at, "a kernel has at most %d parameters", HED_MAX_PARAMETERS);
        int64_t *value = hed_spec_allocate(reader, sizeof *value, at);
        if (!value) return;
        *value = hed_json_integer(at, -(INT64_C(1) << 53), INT64_C(1) << 53);
        kernel->parameters[kernel->def.parameter_count++] =
            (hed_parameter_def){.name = at.key, .values = value, .count = 1, .value = *value};
    }
}

static void json_read_reference(hed_spec_reader *reader, hed_json_node root)
{
    static const char *const words[] = {"default", "none", NULL};
    hed_tune_file *spec = reader->spec;
    hed_spec_kernel *reference = &spec->other;
    hed_json_node node = hed_json_member(root, "reference");
    if (hed_json_kind_of(node) == HED_JSON_STRING) {
        spec->reference =
            hed_json_choice(node, words) == 1 ? HED_REFERENCE_NONE : HED_REFERENCE_DEFAULT;
        return;
    }
    hed_fields_only(&hed_spec_reference_fields, node);
    spec->reference = HED_REFERENCE_KERNEL;
    memcpy(reference->parameters, spec->kernel.parameters, sizeof reference->parameters);
    reference->def.parameter_count = spec->kernel.def.parameter_count;
    reference->texts = spec->kernel.texts;
    if (hed_json_has(node, "parameters"))
        json_read_fixed(reader, hed_json_member(node, "parameters"), reference);
    hed_spec_set_scope(reader, reference);
    reference->def.argument_count = spec->kernel.def.argument_count;
    json_read_launch(reader, node, root, reference);
    if (!reader->shader)
        hed_spec_read_local_sizes(reader, hed_json_member(root, "arguments"), reference);
}

/* ---- the whole document ---- */

void hed_spec_read_json(hed_spec_reader *reader, hed_json_node root)
{
    static const char *const needed[] = {"kernel", "source", "group", "arguments"};
    hed_spec_kernel *kernel = &reader->spec->kernel;
    hed_fields_only(&hed_spec_root_fields, root);
    kernel->def.language = json_read_language(reader, root, root);
    bool shader = kernel->def.language >= HED_WGSL;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !shader; i++)
        hed_json_member(root, needed[i]);
    if (shader && hed_spec_fine(reader)) json_open_shader(reader, root, root, kernel);
    if (hed_json_has(root, "problem")) json_read_problem(reader, hed_json_member(root, "problem"));
    else if (reader->shader && hed_spec_fine(reader)) hed_spec_invent_problem(reader, root);
    if (hed_json_has(root, "parameters"))
        json_read_parameters(reader, hed_json_member(root, "parameters"), kernel);
    if (shader && hed_spec_fine(reader)) hed_spec_shader_parameters(reader, root, kernel);
    if (hed_json_has(root, "defaults"))
        json_read_defaults(reader, hed_json_member(root, "defaults"), kernel);
    if (!hed_spec_fine(reader)) return;
    hed_spec_set_scope(reader, kernel);
    if (hed_json_has(root, "constraints"))
        json_read_constraints(reader, hed_json_member(root, "constraints"), kernel);
    if (hed_json_has(root, "conditions"))
        json_read_conditions(reader, hed_json_member(root, "conditions"), kernel);
    hed_json_node work = json_pick(root, root, "work");
    if (hed_json_kind_of(work) != HED_JSON_NOTHING) {
        hed_fields_only(&hed_spec_work_fields, work);
        if (hed_json_has(work, "bytes"))
            kernel->bytes = hed_spec_expression(reader, kernel, hed_json_member(work, "bytes"));
        if (hed_json_has(work, "operations"))
            kernel->operations =
                hed_spec_expression(reader, kernel, hed_json_member(work, "operations"));
    }
    if (hed_json_has(root, "math"))
        hed_field_read_value(hed_fields_find(&hed_spec_root_fields, "math"),
            hed_json_member(root, "math"), &reader->spec->math, reader);
    json_read_launch(reader, root, root, kernel);
    if (hed_spec_fine(reader)) hed_spec_read_arguments(reader, root);
    if (hed_spec_fine(reader) && reader->shader) hed_spec_note_inventions(reader, root);
    if (hed_spec_fine(reader)) hed_spec_read_metrics(reader, root);
    if (hed_json_has(root, "reference")) json_read_reference(reader, root);
}
