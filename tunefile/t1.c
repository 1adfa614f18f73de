/* Kernel Tuner's T1 files: the auto-tuning community's description of a kernel and its space
 * (Kernel Tuner 1.4 and KTT 2.2 read it, too). Omitted values have Kernel Tuner's defaults: with a
 * ProblemSize, the number of groups is each of its sizes divided by the product of GridDivX, ...,
 * else by block_size_x, ...; without one, KTT's GlobalSize counts groups or work items, as
 * GlobalSizeType specifies. Keys that configure a tuner's search are ignored in favour of the
 * command line, except the budget. */
#include "tunefile/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const DIMENSION_NAMES[3] = {"ProblemSize_0", "ProblemSize_1", "ProblemSize_2"};
static const char *const AXES[3] = {"X", "Y", "Z"};

/* ---- expressions ---- */

/* ---- the values of a parameter: a list in Python's syntax ----
 *
 *     [1, 2, 4]   ["float", "float4"]   range(1, 9)   list(range(32, 1025, 32))   [1] + [2, 3]
 *     [2**i for i in range(6) if i != 3]
 *
 * Elements are expressions (heddle/space.h); in a comprehension they may use its variable. */

/* Whole numbers, or texts, which are numbered in their order. */
typedef struct t1_values {
    int64_t *numbers;
    const char **labels; /* NULL: numbers */
    uint32_t count;
    bool unordered;     /* some value is not above the one before it */
    bool has_fractions; /* the texts are of numbers */
} t1_values;

enum { DEEPEST = 8 }; /* lists within lists */

typedef struct list_reader {
    hed_spec_reader *reader;
    hed_json_node node; /* node of the list */
    uint32_t depth;
} list_reader;

/* A range of the text. */
typedef struct stretch {
    const char *from, *to;
} stretch;

static void list_complain(list_reader *r, stretch at, const char *expected)
{
    int length = at.to - at.from > 60 ? 60 : (int)(at.to - at.from);
    hed_json_reject(r->node, "expected %s, found \"%.*s\"", expected, length, at.from);
}

/* ---- text ---- */

static stretch stretch_trim(stretch s)
{
    while (s.from < s.to && strchr(" \t\n\r", *s.from)) s.from++;
    while (s.from < s.to && strchr(" \t\n\r", s.to[-1])) s.to--;
    return s;
}

/* Finds the first occurrence of `word` outside of brackets and quotes; the end if it does not
 * occur. A word of letters must not touch other letters. */
static const char *stretch_find(stretch s, const char *word)
{
    size_t length = strlen(word);
    int inside = 0;
    char quote = 0;
    for (const char *at = s.from; at < s.to; at++) {
        if (quote) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            bool fits = (size_t)(s.to - at) >= length && memcmp(at, word, length) == 0;
            bool alone = !hed_t1_is_letter(word[0]) ||
                         ((at == s.from || !hed_t1_is_letter(at[-1])) &&
                             (at + length == s.to || !hed_t1_is_letter(at[length])));
            if (inside == 0 && fits && alone) return at;
            inside += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        }
    }
    return s.to;
}

/* Cuts out the text between `open` and a closing bracket at the very end; false if the text has
 * another form. */
static bool stretch_inside(stretch s, const char *open, char close, stretch *inner)
{
    size_t length = strlen(open);
    if ((size_t)(s.to - s.from) <= length || memcmp(s.from, open, length) != 0 || s.to[-1] != close)
        return false;
    *inner = stretch_trim((stretch){s.from + length, s.to - 1});
    return true;
}

/* ---- elements ---- */

static double list_evaluate(list_reader *r, stretch s, const char *variable, double value)
{
    const char *text = hed_spec_text(r->reader, r->node, "%.*s", (int)(s.to - s.from), s.from);
    hed_expression_names names = {.names = &variable, .count = variable ? 1 : 0};
    hed_expression *expression = hed_spec_compile(r->reader, NULL, &names, r->node, text);
    if (!expression) return 0;
    double result = hed_expression_value(expression, &value);
    hed_expression_destroy(expression);
    return result;
}

/* Turns the whole numbers of a list into texts, as a number with a fraction follows. */
static void values_to_texts(list_reader *r, t1_values *values)
{
    for (uint32_t i = 0; i < values->count && !values->labels[i]; i++) {
        values->labels[i] = hed_spec_fraction_text(r->reader, r->node, (double)values->numbers[i]);
        values->numbers[i] = i;
    }
    values->has_fractions = true;
}

static void values_add(list_reader *r, t1_values *values, int64_t value, const char *label)
{
    bool mixed = values->count > 0 && !label != !values->labels[0];
    if (mixed) hed_json_reject(r->node, "expected numbers or texts, found both");
    bool above = !label && values->count && value > values->numbers[values->count - 1];
    values->unordered = values->unordered || (values->count && !above);
    for (uint32_t i = 0; i < values->count && !mixed && values->unordered; i++)
        if (label ? strcmp(values->labels[i], label) == 0 : values->numbers[i] == value)
            return; /* Python's lists may contain a value twice; a space does not */
    if (values->count == HED_SPEC_VALUES)
        hed_json_reject(r->node, "a parameter has at most %d values", HED_SPEC_VALUES);
    values->numbers =
        hed_spec_grow(r->reader, values->numbers, values->count, sizeof *values->numbers, r->node);
    values->labels =
        hed_spec_grow(r->reader, values->labels, values->count, sizeof *values->labels, r->node);
    if (!hed_spec_fine(r->reader)) return;
    values->numbers[values->count] = label ? values->count : value;
    values->labels[values->count++] = label;
}

static void list_add_number(list_reader *r, t1_values *values, stretch s, double number)
{
    bool is_whole = number == floor(number);
    if (!(fabs(number) <= 0x1p53)) {
        list_complain(r, s, "numbers, or texts in quotes");
    } else if (is_whole && !values->has_fractions) {
        values_add(r, values, (int64_t)number, NULL);
    } else {
        bool has_texts = values->count && values->labels[0] && !values->has_fractions;
        if (!has_texts) values_to_texts(r, values);
        values_add(r, values, 0, hed_spec_fraction_text(r->reader, r->node, number));
    }
}

static void list_add_element(
    list_reader *r, t1_values *values, stretch s, const char *variable, double value)
{
    stretch text;
    char quote = s.from < s.to ? *s.from : 0;
    bool quoted = (quote == '"' || quote == '\'') &&
                  stretch_inside(s, (char[]){quote, 0}, quote, &text) &&
                  !memchr(text.from, quote, (size_t)(text.to - text.from));
    if (quoted)
        values_add(r, values, 0,
            hed_spec_text(r->reader, r->node, "%.*s", (int)(text.to - text.from), text.from));
    else {
        list_add_number(r, values, s, list_evaluate(r, s, variable, value));
    }
}

/* ---- lists ---- */

static void list_read_sum(list_reader *r, stretch s, t1_values *values);

static void list_read_range(list_reader *r, stretch s, t1_values *values)
{
    double numbers[3] = {0, 0, 1};
    uint32_t count = 0;
    stretch rest = s;
    for (bool has_size = true; has_size && count < 3; count++) {
        const char *comma = stretch_find(rest, ",");
        numbers[count] = list_evaluate(r, stretch_trim((stretch){rest.from, comma}), NULL, 0);
        has_size = comma < rest.to;
        rest.from = has_size ? comma + 1 : rest.to;
    }
    double first = count > 1 ? numbers[0] : 0, end = count > 1 ? numbers[1] : numbers[0],
           step = numbers[2];
    if (rest.from < rest.to || !(step != 0) || isnan(first) || isnan(end))
        list_complain(r, s, "range(end), range(first, end) or range(first, end, step)");
    for (double value = first; hed_spec_fine(r->reader) && (step > 0 ? value < end : value > end);
         value += step)
        list_add_number(r, values, s, value);
}

/* ELEMENT for NAME in LIST [if CONDITION] */
static void list_read_comprehension(list_reader *r, stretch s, const char *loop, t1_values *values)
{
    stretch element = stretch_trim((stretch){s.from, loop}), rest = {loop + 3, s.to};
    const char *in = stretch_find(rest, "in"), *condition = stretch_find((stretch){in, s.to}, "if");
    stretch variable = stretch_trim((stretch){rest.from, in});
    const char *name = hed_spec_text(
        r->reader, r->node, "%.*s", (int)(variable.to - variable.from), variable.from);
    t1_values *over = hed_spec_allocate(r->reader, sizeof *over, r->node);
    if (in == rest.to || !hed_spec_is_name(name)) list_complain(r, s, "[x for name in list]");
    if (!over || !hed_spec_fine(r->reader)) return;
    list_read_sum(r, (stretch){in + 2, condition}, over);
    for (uint32_t i = 0; i < over->count && hed_spec_fine(r->reader); i++) {
        double value = (double)over->numbers[i];
        if (condition == s.to ||
            list_evaluate(r, stretch_trim((stretch){condition + 2, s.to}), name, value) != 0)
            list_add_element(r, values, element, name, value);
    }
}

static void list_read_elements(list_reader *r, stretch s, t1_values *values)
{
    const char *loop = stretch_find(s, "for");
    if (loop < s.to) {
        list_read_comprehension(r, s, loop, values);
        return;
    }
    for (stretch rest = s;
         hed_spec_fine(r->reader) && stretch_trim(rest).from < stretch_trim(rest).to;) {
        const char *comma = stretch_find(rest, ",");
        list_add_element(r, values, stretch_trim((stretch){rest.from, comma}), NULL, 0);
        rest.from = comma < rest.to ? comma + 1 : rest.to;
    }
}

static void list_read_one(list_reader *r, stretch s, t1_values *values)
{
    stretch inner;
    if (r->depth++ == DEEPEST) list_complain(r, s, "lists nested less deeply");
    else if (stretch_inside(s, "list(", ')', &inner)) list_read_sum(r, inner, values);
    else if (stretch_inside(s, "range(", ')', &inner)) list_read_range(r, inner, values);
    else if (stretch_inside(s, "[", ']', &inner) || stretch_inside(s, "(", ')', &inner))
        list_read_elements(r, inner, values);
    else list_complain(r, s, "a list as [1, 2], range(1, 9) or [2**i for i in range(6)]");
    r->depth--;
}

static void list_read_sum(list_reader *r, stretch s, t1_values *values)
{
    for (stretch rest = stretch_trim(s); hed_spec_fine(r->reader);) {
        const char *plus = stretch_find(rest, "+");
        list_read_one(r, stretch_trim((stretch){rest.from, plus}), values);
        if (plus == rest.to) return;
        rest.from = plus + 1;
    }
}

static void t1_read_values(hed_spec_reader *reader, hed_json_node node, t1_values *values)
{
    list_reader r = {.reader = reader, .node = node};
    const char *empty = "";
    const stretch nowhere = {empty, empty}; /* the list has no text */
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        for (size_t i = 0; i < hed_json_count(node) && hed_spec_fine(reader); i++) {
            r.node = hed_json_item(node, i);
            if (hed_json_kind_of(r.node) == HED_JSON_STRING)
                values_add(&r, values, 0, hed_json_string(r.node));
            else list_add_number(&r, values, nowhere, hed_json_number(r.node, -0x1p53, 0x1p53));
        }
    } else {
        const char *text = hed_json_string(node);
        list_read_sum(&r, (stretch){text, text + strlen(text)}, values);
    }
    if (hed_spec_fine(reader) && values->count == 0)
        hed_json_reject(node, "a parameter needs at least one value");
}

/* ---- the space ---- */

static void t1_read_problem(hed_spec_reader *reader, hed_json_node node)
{
    hed_tune_file *spec = reader->spec;
    bool list = hed_json_kind_of(node) == HED_JSON_ARRAY;
    size_t count = list ? hed_json_count(node) : 1;
    if (count < 1 || count > 3) {
        hed_json_reject(node, "expected 1 to 3 sizes, found %zu", count);
        return;
    }
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++) {
        spec->dimensions[i] = DIMENSION_NAMES[i];
        spec->problem.sizes[i] =
            hed_json_integer(list ? hed_json_item(node, i) : node, 1, INT64_C(1) << 53);
        spec->problem.count = (uint32_t)i + 1;
    }
}

/* Sets the default; a value that is not listed (files have such) is replaced by the first one
 * listed. */
static void t1_set_default(
    hed_spec_reader *reader, hed_json_node node, hed_parameter_def *parameter)
{
    if (hed_json_kind_of(node) == HED_JSON_ARRAY && hed_json_count(node) == 1)
        node = hed_json_item(node, 0);
    bool is_string = hed_json_kind_of(node) == HED_JSON_STRING;
    if (!is_string && hed_json_kind_of(node) != HED_JSON_NUMBER) return;
    double number = is_string ? 0 : hed_json_number(node, -1e300, 1e300);
    bool text = is_string || parameter->labels;
    const char *label =
        is_string ? hed_json_string(node) : hed_spec_fraction_text(reader, node, number);
    for (uint32_t i = 0; i < parameter->count; i++)
        if (text ? parameter->labels && strcmp(parameter->labels[i], label) == 0
                 : !parameter->labels && (double)parameter->values[i] == number)
            parameter->value = parameter->values[i];
}

static void t1_read_parameter(
    hed_spec_reader *reader, hed_json_node node, hed_parameter_def *parameter)
{
    hed_json_node name = hed_json_member(node, "Name"), values = hed_json_member(node, "Values");
    t1_values *list = hed_spec_allocate(reader, sizeof *list, node);
    parameter->name = hed_json_string(name);
    if (hed_spec_fine(reader) && !hed_spec_is_name(parameter->name))
        hed_json_reject(name, "expected a name of letters, digits and _");
    for (uint32_t i = 0; i < reader->spec->kernel.def.parameter_count; i++)
        if (strcmp(reader->spec->kernel.parameters[i].name, parameter->name) == 0)
            hed_json_reject(name, "there are two parameters of this name");
    if (!list || !hed_spec_fine(reader)) return;
    t1_read_values(reader, values, list);
    if (!hed_spec_fine(reader)) return;
    parameter->values = list->numbers;
    parameter->count = list->count;
    parameter->value = list->numbers[0];
    parameter->labels = list->labels[0] ? list->labels : NULL;
    t1_set_default(reader, hed_t1_optional(node, "Default"), parameter);
}

static void t1_read_space(hed_spec_reader *reader, hed_json_node space, hed_spec_kernel *kernel)
{
    hed_json_node list = hed_json_member(space, "TuningParameters");
    size_t count = hed_json_count(list);
    if (count > HED_MAX_PARAMETERS)
        hed_json_reject(list, "%zu parameters; a kernel has at most %d", count, HED_MAX_PARAMETERS);
    for (size_t i = 0; i < count && hed_spec_fine(reader); i++) {
        t1_read_parameter(reader, hed_json_item(list, i), &kernel->parameters[i]);
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

/* Returns the text of one size of LocalSize or GlobalSize; "1" if it is omitted. */
static const char *t1_size_text(hed_spec_reader *reader, hed_json_node sizes, uint32_t axis)
{
    hed_json_node node =
        axis == 0 ? hed_json_member(sizes, AXES[0]) : hed_t1_optional(sizes, AXES[axis]);
    return hed_json_kind_of(node) == HED_JSON_NOTHING ? "1" : hed_t1_text(reader, node);
}

/* Returns the groups along an axis: the problem's size over the product of its divisors. */
static const char *t1_divided(
    hed_spec_reader *reader, hed_json_node specification, hed_spec_kernel *kernel, uint32_t axis)
{
    char key[16], block[16];
    snprintf(key, sizeof key, "GridDiv%s", AXES[axis]);
    snprintf(block, sizeof block, "block_size_%c", "xyz"[axis]);
    if (axis >= reader->spec->problem.count) return "1";
    hed_json_node list = hed_t1_optional(specification, key);
    size_t count = hed_json_kind_of(list) == HED_JSON_NOTHING ? 0 : hed_json_count(list);
    const char *product = "1";
    for (uint32_t i = 0; count == 0 && i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, block) == 0) product = kernel->parameters[i].name;
    for (size_t i = 0; i < count; i++)
        product = hed_spec_text(
            reader, list, "%s * (%s)", product, hed_t1_text(reader, hed_json_item(list, i)));
    return hed_spec_text(reader, list, "ceil_div(%s, %s)", DIMENSION_NAMES[axis], product);
}

static void t1_read_launch(
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
        group[i] = t1_size_text(reader, local, i);
        sizes[i] = by_problem ? t1_divided(reader, specification, kernel, i)
                              : t1_size_text(reader, global, i);
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

/* Reads the text. HIP's texts are read as CUDA's, as far as NVRTC accepts them. A parameter of
 * texts is a macro of its text, as in Kernel Tuner. */
static void t1_read_text(hed_spec_reader *reader, hed_json_node specification,
    hed_spec_kernel *kernel, const char *const *folders)
{
    hed_json_node file = hed_json_member(specification, "KernelFile");
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (kernel->parameters[i].labels) kernel->texts |= UINT32_C(1) << i;
    hed_source source = {.text = ""},
               *sources = hed_spec_allocate(reader, 2 * sizeof *sources, specification);
    /* A text for HIP and CUDA may have either extension. */
    const char *name = hed_json_string(file);
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".hip") == 0 &&
        access(hed_spec_path(reader, file, name, 1), F_OK) != 0) {
        const char *plain = hed_spec_text(reader, file, "%.*s", (int)length - 4, name);
        if (access(hed_spec_path(reader, file, plain, 1), F_OK) == 0) name = plain;
    }
    if (!sources || !hed_spec_fine(reader) ||
        !hed_spec_read_source(reader, file, name, 1, folders, &source))
        return;
    hed_spec_refuse_defined(reader, file, kernel, &source);
    if (kernel->def.language == HED_CUDA_C) hed_spec_drop_host_code(reader, file, &source);
    kernel->def.sources = sources;
    const char *texts = hed_spec_define_texts(reader, specification, kernel, kernel->texts);
    if (texts[0])
        sources[kernel->def.source_count++] = (hed_source){.name = "parameters", .text = texts};
    sources[kernel->def.source_count++] = source;
}

/* ---- the whole document ---- */

void hed_spec_read_t1(hed_spec_reader *reader, hed_json_node root)
{
    hed_json_node space = hed_json_member(root, "ConfigurationSpace"),
                  specification = hed_json_member(root, "KernelSpecification");
    hed_spec_kernel *kernel = &reader->spec->kernel;
    hed_json_node problem = hed_t1_optional(specification, "ProblemSize"),
                  budget = hed_t1_optional(root, "Budget");
    if (hed_json_kind_of(problem) != HED_JSON_NOTHING) t1_read_problem(reader, problem);
    t1_read_space(reader, space, kernel);
    if (!hed_spec_fine(reader)) return;
    const char *folders[2 * HED_SPEC_FOLDERS + 1] = {NULL};
    static const char *const languages[] = {"OpenCL", "CUDA", "HIP", NULL};
    hed_json_node name = hed_json_member(specification, "KernelName"),
                  language = hed_json_member(specification, "Language");
    kernel->def.language = hed_json_choice(language, languages) == 0 ? HED_OPENCL_C : HED_CUDA_C;
    hed_spec_set_entry(reader, name, kernel, hed_json_string(name));
    /* texts check for this macro to detect tuning */
    static const hed_define tuned = {"kernel_tuner", "1"};
    kernel->def.defines = &tuned;
    kernel->def.define_count = 1;
    hed_spec_read_options(
        reader, hed_t1_optional(specification, "CompilerOptions"), kernel, folders);
    t1_read_text(reader, specification, kernel, folders);
    t1_read_launch(reader, specification, kernel);
    bool limited = hed_json_kind_of(budget) != HED_JSON_NOTHING;
    bool is_list = hed_json_kind_of(budget) == HED_JSON_ARRAY; /* BAT has the object alone */
    for (size_t i = 0; limited && i < (is_list ? hed_json_count(budget) : 1); i++) {
        hed_json_node item = is_list ? hed_json_item(budget, i) : budget;
        const char *type = hed_json_string(hed_json_member(item, "Type"));
        double value = hed_json_number(hed_json_member(item, "BudgetValue"), 0, 4e9);
        if (strcmp(type, "ConfigurationCount") == 0) reader->spec->evaluations = (uint32_t)value;
        else if (strcmp(type, "TuningDuration") == 0) reader->spec->limit_seconds = value;
    }
    if (hed_spec_fine(reader)) hed_t1_read_arguments(reader, specification);
}
