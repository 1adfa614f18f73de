/* Kernel Tuner's T1 files: the auto-tuning community's description of a kernel and its space
 * (Kernel Tuner 1.4 and KTT 2.2 read it, too). What they leave to defaults is as Kernel Tuner has
 * it: with a ProblemSize, the groups are its parts divided by the product of GridDivX, ..., else by
 * block_size_x, ...; without one, KTT's GlobalSize counts groups or work items by GlobalSizeType.
 * Keys that tell a tuner how to search are left to the command line, but for the budget. */
#include "tunefile/spec_t1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const DIMENSION_NAMES[3] = {"ProblemSize_0", "ProblemSize_1", "ProblemSize_2"};
static const char *const AXES[3] = {"X", "Y", "Z"};

/* ---- expressions ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* `max(name)` at `text`: the extreme of a parameter's values; gives how long it is, 0 if it is
 * something else. */
static size_t read_extreme(const hed_spec_kernel *kernel, const char *text, int64_t *value)
{
    char name[64], end = 0;
    int length = 0;
    bool max = strncmp(text, "max(", 4) == 0;
    if (!max && strncmp(text, "min(", 4) != 0) return 0;
    if (sscanf(text + 4, " %63[A-Za-z0-9_] %c%n", name, &end, &length) != 2 || end != ')') return 0;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        if (strcmp(parameter->name, name) != 0) continue;
        *value = parameter->values[0];
        for (uint32_t j = 1; j < parameter->count; j++)
            if (max ? parameter->values[j] > *value : parameter->values[j] < *value)
                *value = parameter->values[j];
        return 4 + (size_t)length;
    }
    return 0;
}

const char *hed_t1_rewrite(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    /* min(x), six characters, may become a number of 20 */
    size_t room = strlen(text) * 8 + 1, used = 0;
    char *result = hed_spec_allocate(reader, room, node);
    for (const char *at = text; result && *at;) {
        int64_t value;
        unsigned index;
        int length = 0;
        bool begins = at == text || !is_letter(at[-1]);
        if (begins && sscanf(at, "ProblemSize [ %1u ]%n", &index, &length) == 1 && length > 0) {
            used += (size_t)snprintf(result + used, room - used, "ProblemSize_%u", index);
        } else if (begins && (length = (int)read_extreme(&reader->spec->kernel, at, &value)) > 0) {
            used += (size_t)snprintf(result + used, room - used, "%lld", (long long)value);
        } else {
            result[used++] = *at;
            length = 1;
        }
        at += length;
    }
    return result ? result : "";
}

const char *hed_t1_text(hed_spec_reader *reader, hed_json_node node)
{
    if (hed_json_kind_of(node) == HED_JSON_NUMBER)
        return hed_spec_text(reader, node, "%.17g", hed_json_number(node, -1e300, 1e300));
    return hed_t1_rewrite(reader, node, hed_json_string(node));
}

hed_json_node hed_t1_optional(hed_json_node object, const char *key)
{
    hed_json_node none = {.json = object.json},
                  node = hed_json_has(object, key) ? hed_json_member(object, key) : none;
    return hed_json_kind_of(node) == HED_JSON_NULL ? none : node;
}

/* ---- the space ---- */

static void read_problem(hed_spec_reader *reader, hed_json_node node)
{
    hed_tune_file *spec = reader->spec;
    bool list = hed_json_kind_of(node) == HED_JSON_ARRAY;
    size_t count = list ? hed_json_count(node) : 1;
    if (count < 1 || count > 3) {
        hed_spec_fail(reader, HED_ERROR_FORMAT, node, "expected 1 to 3 sizes, found %zu", count);
        return;
    }
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++) {
        spec->dimensions[i] = DIMENSION_NAMES[i];
        spec->problem.sizes[i] =
            hed_json_integer(list ? hed_json_item(node, i) : node, 1, INT64_C(1) << 53);
        spec->problem.count = (uint32_t)i + 1;
    }
}

/* What is not among the values (files do that) is the first of them. */
static void set_default(hed_json_node node, hed_parameter_def *parameter)
{
    if (hed_json_kind_of(node) == HED_JSON_ARRAY && hed_json_count(node) == 1)
        node = hed_json_item(node, 0);
    bool text = hed_json_kind_of(node) == HED_JSON_STRING;
    if (!text && hed_json_kind_of(node) != HED_JSON_NUMBER) return;
    const char *label = text ? hed_json_string(node) : "";
    double number = text ? 0 : hed_json_number(node, -1e300, 1e300);
    for (uint32_t i = 0; i < parameter->count; i++)
        if (text ? parameter->labels && strcmp(parameter->labels[i], label) == 0
                 : !parameter->labels && (double)parameter->values[i] == number)
            parameter->value = parameter->values[i];
}

static void read_parameter(
    hed_spec_reader *reader, hed_json_node node, hed_parameter_def *parameter)
{
    hed_json_node name = hed_json_member(node, "Name"), values = hed_json_member(node, "Values");
    hed_t1_values *list = hed_spec_allocate(reader, sizeof *list, node);
    parameter->name = hed_json_string(name);
    if (hed_spec_fine(reader) && !hed_spec_is_name(parameter->name))
        hed_spec_fail(reader, HED_ERROR_FORMAT, name, "expected a name of letters, digits and _");
    for (uint32_t i = 0; i < reader->spec->kernel.def.parameter_count; i++)
        if (strcmp(reader->spec->kernel.parameters[i].name, parameter->name) == 0)
            hed_spec_fail(reader, HED_ERROR_FORMAT, name, "there are two parameters of this name");
    if (!list || !hed_spec_fine(reader)) return;
    hed_t1_read_values(reader, values, list);
    parameter->values = list->numbers;
    parameter->count = list->count;
    parameter->value = list->numbers[0];
    parameter->labels = list->labels[0] ? list->labels : NULL;
    set_default(hed_t1_optional(node, "Default"), parameter);
}

static void read_space(hed_spec_reader *reader, hed_json_node space, hed_spec_kernel *kernel)
{
    hed_json_node list = hed_json_member(space, "TuningParameters");
    size_t count = hed_json_count(list);
    if (count > HED_MAX_PARAMETERS)
        hed_spec_fail(reader, HED_ERROR_FORMAT, list, "%zu parameters; a kernel has at most %d",
            count, HED_MAX_PARAMETERS);
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++) {
        read_parameter(reader, hed_json_item(list, i), &kernel->parameters[i]);
        kernel->def.parameter_count++;
    }
    if (!hed_spec_fine(reader)) return;
    hed_spec_set_scope(reader, kernel);
    hed_json_node conditions = hed_t1_optional(space, "Conditions");
    count = hed_json_kind_of(conditions) == HED_JSON_NOTHING ? 0 : hed_json_count(conditions);
    const char **texts = hed_spec_allocate(reader, count * sizeof *texts, space);
    for (size_t i = 0; i < count && texts; i++) {
        hed_json_node expression = hed_json_member(hed_json_item(conditions, i), "Expression");
        texts[i] = hed_t1_rewrite(reader, expression, hed_json_string(expression));
        hed_spec_expression_of(reader, kernel, expression, texts[i]);
    }
    kernel->def.constraints = texts;
    kernel->def.constraint_count = (uint32_t)count;
}

/* ---- the launch ---- */

/* Text of one size of LocalSize or GlobalSize; "1" where it is left out. */
static const char *size_text(hed_spec_reader *reader, hed_json_node sizes, uint32_t axis)
{
    hed_json_node node =
        axis == 0 ? hed_json_member(sizes, AXES[0]) : hed_t1_optional(sizes, AXES[axis]);
    return hed_json_kind_of(node) == HED_JSON_NOTHING ? "1" : hed_t1_text(reader, node);
}

static bool has_parameter(const hed_spec_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, name) == 0) return true;
    return false;
}

/* Groups along an axis: the problem's size over the product of its divisors. */
static const char *divided(
    hed_spec_reader *reader, hed_json_node specification, hed_spec_kernel *kernel, uint32_t axis)
{
    char key[16], block[16];
    snprintf(key, sizeof key, "GridDiv%s", AXES[axis]);
    snprintf(block, sizeof block, "block_size_%c", "xyz"[axis]);
    if (axis >= reader->spec->problem.count) return "1";
    hed_json_node list = hed_t1_optional(specification, key);
    size_t count = hed_json_kind_of(list) == HED_JSON_NOTHING ? 0 : hed_json_count(list);
    const char *product =
        count == 0 && has_parameter(kernel, block) ? hed_spec_text(reader, list, "%s", block) : "1";
    for (size_t i = 0; i < count; i++)
        product = hed_spec_text(
            reader, list, "%s * (%s)", product, hed_t1_text(reader, hed_json_item(list, i)));
    return hed_spec_text(reader, list, "ceil_div(%s, %s)", DIMENSION_NAMES[axis], product);
}

static void read_launch(
    hed_spec_reader *reader, hed_json_node specification, hed_spec_kernel *kernel)
{
    static const char *const types[] = {"OpenCL", "CUDA", NULL};
    hed_json_node local = hed_json_member(specification, "LocalSize"),
                  type = hed_t1_optional(specification, "GlobalSizeType");
    bool by_problem = reader->spec->problem.count > 0;
    hed_json_node global = by_problem ? local : hed_json_member(specification, "GlobalSize");
    const char *group[3], *sizes[3];
    kernel->counts_groups = by_problem || (hed_json_kind_of(type) == HED_JSON_NOTHING
                                                  ? kernel->def.language == HED_CUDA_C
                                                  : hed_json_choice(type, types) == 1);
    kernel->dimensions = 1;
    for (uint32_t i = 0; i < 3; i++) {
        group[i] = size_text(reader, local, i);
        sizes[i] =
            by_problem ? divided(reader, specification, kernel, i) : size_text(reader, global, i);
        if (strcmp(group[i], "1") != 0 || strcmp(sizes[i], "1") != 0) kernel->dimensions = i + 1;
    }
    for (uint32_t i = 0; i < kernel->dimensions && hed_spec_fine(reader); i++) {
        kernel->group[i] = hed_spec_expression_of(reader, kernel, local, group[i]);
        kernel->global[i] =
            hed_spec_expression_of(reader, kernel, by_problem ? specification : global, sizes[i]);
    }
    if (hed_spec_fine(reader)) hed_spec_finish_kernel(reader, kernel, group);
}

/* ---- the text ---- */

static void add_source(
    hed_spec_kernel *kernel, hed_source *sources, const char *name, const char *text)
{
    if (text[0]) sources[kernel->def.source_count++] = (hed_source){.name = name, .text = text};
}

/* Files for HIP and CUDA alike are found under both names. */
static const char *kernel_file(hed_spec_reader *reader, hed_json_node node)
{
    const char *file = hed_json_string(node);
    size_t length = strlen(file);
    bool hip = length > 4 && strcmp(file + length - 4, ".hip") == 0;
    if (!hip || access(hed_spec_path(reader, node, file, 1), F_OK) == 0) return file;
    const char *plain = hed_spec_text(reader, node, "%.*s", (int)length - 4, file);
    return access(hed_spec_path(reader, node, plain, 1), F_OK) == 0 ? plain : file;
}

/* HIP's texts are those of CUDA, as far as NVRTC takes them. A parameter of texts is a macro of its
 * text, as in Kernel Tuner. */
static void read_text(hed_spec_reader *reader, hed_json_node specification, hed_spec_kernel *kernel,
    const char *const *folders)
{
    hed_json_node file = hed_json_member(specification, "KernelFile");
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (kernel->parameters[i].labels) kernel->texts |= UINT32_C(1) << i;
    hed_source source = {.text = ""},
               *sources = hed_spec_allocate(reader, 2 * sizeof *sources, specification);
    if (!sources || !hed_spec_fine(reader) ||
        !hed_spec_read_source(reader, file, kernel_file(reader, file), 1, folders, &source))
        return;
    kernel->def.sources = sources;
    add_source(kernel, sources, "parameters",
        hed_spec_define_texts(reader, specification, kernel, kernel->texts));
    sources[kernel->def.source_count++] = source;
}

static void read_language(
    hed_spec_reader *reader, hed_json_node specification, hed_spec_kernel *kernel)
{
    static const char *const languages[] = {"OpenCL", "CUDA", "HIP", NULL};
    hed_json_node name = hed_json_member(specification, "KernelName");
    kernel->def.language =
        hed_json_choice(hed_json_member(specification, "Language"), languages) == 0 ? HED_OPENCL_C
                                                                                    : HED_CUDA_C;
    hed_spec_set_entry(reader, name, kernel, hed_json_string(name));
}

static void read_options(hed_spec_reader *reader, hed_json_node specification,
    hed_spec_kernel *kernel, const char **folders)
{
    /* texts ask whether they are being tuned */
    static const hed_define tuned = {"kernel_tuner", "1"};
    kernel->def.defines = &tuned;
    kernel->def.define_count = 1;
    hed_spec_read_options(
        reader, hed_t1_optional(specification, "CompilerOptions"), kernel, folders);
}

/* ---- the whole ---- */

static void read_budget(hed_spec_reader *reader, hed_json_node list)
{
    for (size_t i = 0; i < hed_json_count(list); i++) {
        hed_json_node item = hed_json_item(list, i);
        const char *type = hed_json_string(hed_json_member(item, "Type"));
        double value = hed_json_number(hed_json_member(item, "BudgetValue"), 0, 4e9);
        if (strcmp(type, "ConfigurationCount") == 0) reader->spec->evaluations = (uint32_t)value;
        else if (strcmp(type, "TuningDuration") == 0) reader->spec->limit_seconds = value;
    }
}

void hed_spec_read_t1(hed_spec_reader *reader, hed_json_node root)
{
    hed_json_node space = hed_json_member(root, "ConfigurationSpace"),
                  specification = hed_json_member(root, "KernelSpecification");
    hed_spec_kernel *kernel = &reader->spec->kernel;
    hed_json_node problem = hed_t1_optional(specification, "ProblemSize"),
                  budget = hed_t1_optional(root, "Budget");
    if (hed_json_kind_of(problem) != HED_JSON_NOTHING) read_problem(reader, problem);
    read_space(reader, space, kernel);
    if (!hed_spec_fine(reader)) return;
    const char *folders[2 * HED_SPEC_VALUES + 1] = {NULL};
    read_language(reader, specification, kernel);
    read_options(reader, specification, kernel, folders);
    read_text(reader, specification, kernel, folders);
    read_launch(reader, specification, kernel);
    if (hed_json_kind_of(budget) != HED_JSON_NOTHING) read_budget(reader, budget);
    if (hed_spec_fine(reader)) hed_t1_read_arguments(reader, specification);
}
