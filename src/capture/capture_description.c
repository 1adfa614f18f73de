/* Serialisation of a launch's description, for captures and workers' jobs. Each put function has a
 * get function in the same order. Values read are checked, since a file may come from anywhere. A
 * text is stored as its length including the zero, then its bytes; texts read point into the
 * file. */
#include <inttypes.h>
#include <string.h>

#include "heddle/author.h"
#include "capture/capture_file.h"

/* kinds of a symbol struct and of a buffer with an image in the file */
enum { SYMBOL = HED_LOCAL + 1, IMAGE };

/* ---- writing ---- */

void hed_put_u32(hed_text *to, uint32_t value) { hed_text_add_bytes(to, &value, sizeof value); }
void hed_put_u64(hed_text *to, uint64_t value) { hed_text_add_bytes(to, &value, sizeof value); }
void hed_put_double(hed_text *to, double value) { hed_text_add_bytes(to, &value, sizeof value); }

/* Writes a text; NULL becomes length 0, without a zero. */
void hed_put_text(hed_text *to, const char *text)
{
    uint32_t size = text ? (uint32_t)strlen(text) + 1 : 0;
    hed_put_u32(to, size);
    if (size) hed_text_add_bytes(to, text, size);
}

void hed_put_defines(hed_text *to, const hed_define *defines, uint32_t count)
{
    hed_put_u32(to, count);
    for (uint32_t i = 0; i < count; i++) {
        hed_put_text(to, defines[i].name);
        hed_put_text(to, defines[i].value);
    }
}

static void put_image(hed_text *to, const hed_texels *image)
{
    hed_put_u32(to, image->format);
    hed_put_u32(to, image->shape);
    hed_put_u32(to, image->width);
    hed_put_u32(to, image->height);
    hed_put_u32(to, image->layers);
    hed_put_u32(to, image->row_bytes);
}

static void put_lists(hed_text *to, const hed_capture_launched *launched)
{
    const hed_kernel_def *def = &launched->def;
    hed_put_u32(to, def->source_count);
    for (uint32_t i = 0; i < def->source_count; i++) {
        const hed_source *source = &def->sources[i];
        hed_put_text(to, source->name);
        hed_put_u64(to, source->size + 1);
        hed_text_add_bytes(to, source->text, source->size);
        hed_text_add_bytes(to, "", 1);
    }
    hed_put_u32(to, def->argument_count);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        hed_put_text(to, argument->name);
        hed_put_u32(to, argument->symbol         ? SYMBOL
                        : argument->image.format ? IMAGE
                                                 : argument->kind);
        hed_put_u32(to, argument->type);
        hed_put_u32(to, argument->access);
        hed_put_u64(to, argument->size);
        hed_put_double(to, argument->tolerance);
        hed_put_u64(to, launched->bytes[i]);
        if (argument->image.format) put_image(to, &argument->image);
    }
    hed_put_u32(to, def->parameter_count);
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        const hed_parameter_def *parameter = &def->parameters[i];
        hed_put_text(to, parameter->name);
        hed_put_u64(to, (uint64_t)parameter->value);
        hed_put_u32(to, parameter->count);
        hed_put_u32(to, parameter->labels != NULL);
        for (uint32_t j = 0; j < parameter->count; j++) {
            hed_put_u64(to, (uint64_t)parameter->values[j]);
            if (parameter->labels) hed_put_text(to, parameter->labels[j]);
        }
    }
    hed_put_u32(to, def->constraint_count);
    for (uint32_t i = 0; i < def->constraint_count; i++) hed_put_text(to, def->constraints[i]);
    hed_put_u32(to, def->condition_count);
    for (uint32_t i = 0; i < def->condition_count; i++) {
        hed_put_text(to, def->conditions[i].parameter);
        hed_put_text(to, def->conditions[i].when);
    }
    hed_put_defines(to, def->defines, def->define_count);
    hed_put_u32(to, def->dimension_count);
    for (uint32_t i = 0; i < def->dimension_count; i++) {
        hed_put_text(to, def->dimensions[i]);
        hed_put_u64(to, (uint64_t)launched->problem.sizes[i]);
    }
}

static void put_info(hed_text *to, const hed_capture_launched *launched)
{
    const hed_capture_info *info = &launched->info;
    hed_put_text(to, info->version);
    hed_put_text(to, info->device);
    hed_put_text(to, info->name);
    hed_put_text(to, info->driver);
    hed_put_u32(to, info->configured);
    hed_put_u32(to, info->checked);
    for (uint32_t i = 0; i < launched->def.parameter_count; i++)
        hed_put_u64(to, (uint64_t)info->config.values[i]);
    hed_put_u32(to, launched->has_work);
    hed_put_double(to, launched->work.bytes);
    hed_put_double(to, launched->work.operations);
    hed_put_double(to, launched->work.items);
}

void hed_capture_pack(hed_text *to, const hed_capture_launched *launched)
{
    const hed_kernel_def *def = &launched->def;
    hed_put_text(to, def->name);
    hed_put_text(to, def->summary);
    hed_put_text(to, def->entry);
    hed_put_u32(to, def->language);
    hed_put_u32(to, launched->math);
    hed_put_u64(to, def->needs);
    hed_put_text(to, def->max_threads);
    hed_put_u32(to, def->min_groups);
    hed_put_u32(to, def->may_spill);
    hed_put_u32(to, def->metric);
    hed_put_text(to, def->metric_unit);
    put_lists(to, launched);
    put_info(to, launched);
    /* Options come last, and only if there are any: earlier versions of Heddle can then read all
     * other captures. */
    if (def->option_count) hed_put_u32(to, def->option_count);
    for (uint32_t i = 0; i < def->option_count; i++) hed_put_text(to, def->options[i]);
}

/* ---- reading ---- */

static void description_wrong(
    hed_description_reader *r, uint64_t at, const char *name, uint64_t actual, const char *expected)
{
    if (r->status) return;
    r->status =
        hed_fail(r->error, HED_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s is %" PRIu64 ", expected %s",
            r->path, r->base + at, name, actual, expected);
}

/* Rejects a value that is invalid in a capture; a job's values come from its own program and are
 * not checked. */
static void wrong_value(
    hed_description_reader *r, uint64_t at, const char *name, uint64_t actual, const char *expected)
{
    if (!r->is_internal) description_wrong(r, at, name, actual, expected);
}

static const unsigned char *description_take(
    hed_description_reader *r, uint64_t size, const char *name)
{
    if (r->status) return NULL;
    if (size > r->size - r->at) {
        r->status = hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %" PRIu64 ": %s of %" PRIu64 " bytes, and the section has %" PRIu64 " left",
            r->path, r->base + r->at, name, size, r->size - r->at);
        return NULL;
    }
    const unsigned char *at = r->bytes + r->at;
    r->at += size;
    return at;
}

static void get_number(hed_description_reader *r, void *value, size_t size, const char *name)
{
    const unsigned char *at = description_take(r, size, name);
    if (at) memcpy(value, at, size);
}

uint32_t hed_get_u32(hed_description_reader *r, const char *name)
{
    uint32_t value = 0;
    get_number(r, &value, sizeof value, name);
    return value;
}

uint64_t hed_get_u64(hed_description_reader *r, const char *name)
{
    uint64_t value = 0;
    get_number(r, &value, sizeof value, name);
    return value;
}

/* Reads a tolerance or an amount: never negative, never NaN. */
double hed_get_double(hed_description_reader *r, const char *name)
{
    double value = 0;
    get_number(r, &value, sizeof value, name);
    if (value >= 0 || r->is_internal) return value;
    if (!r->status)
        r->status = hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %" PRIu64 ": %s is %g, expected at least 0", r->path,
            r->base + r->at - sizeof value, name, value);
    return 0;
}

uint32_t hed_get_below(
    hed_description_reader *r, uint32_t limit, const char *name, const char *expected)
{
    uint64_t at = r->at;
    uint32_t value = hed_get_u32(r, name);
    if (value < limit) return value;
    description_wrong(r, at, name, value, expected);
    return 0;
}

const char *hed_get_text(hed_description_reader *r, const char *name)
{
    uint32_t size = hed_get_u32(r, name);
    uint64_t at = r->at;
    const char *text = size ? (const char *)description_take(r, size, name) : NULL;
    if (!text || memchr(text, 0, size) == text + size - 1) return text;
    description_wrong(r, at, "the length of a text", strnlen(text, size), "one less than its size");
    return NULL;
}

const char *hed_get_word(hed_description_reader *r, const char *name)
{
    uint64_t at = r->at;
    const char *text = hed_get_text(r, name);
    if (text && (text[0] || r->is_internal)) return text;
    description_wrong(r, at, name, 0, "a text");
    return "";
}

/* Reads the number of a list's entries and allocates them. Each entry takes at least `entry_bytes`
 * bytes of the file, which bounds the number before the allocation. */
static void *get_list(hed_description_reader *r, uint32_t *count, uint32_t limit,
    uint32_t entry_bytes, size_t size, const char *name, const char *expected)
{
    uint64_t at = r->at;
    *count = hed_get_below(r, limit + 1, name, expected);
    if (*count > (r->size - r->at) / entry_bytes)
        description_wrong(r, at, name, *count, "no more than the section holds");
    void *list = r->status ? NULL : hed_arena_new(r->arena, *count, size, r->error);
    if (!list) *count = 0;
    if (!list && !r->status) r->status = HED_ERROR_MEMORY;
    return list;
}

static void get_image(hed_description_reader *r, hed_texels *image)
{
    image->format = hed_get_below(r, HED_IMAGE_FORMATS, "the format of an image", "1 to 39");
    image->shape = hed_get_below(r, HED_IMAGE_SHAPES, "the shape of an image", "0 to 5");
    image->width = hed_get_u32(r, "the width of an image");
    image->height = hed_get_u32(r, "the height of an image");
    image->layers = hed_get_u32(r, "the layers of an image");
    image->row_bytes = hed_get_u32(r, "the bytes of a row");
}

static void get_argument(hed_description_reader *r, hed_argument_def *argument, uint64_t *bytes)
{
    argument->name = hed_get_word(r, "the name of an argument");
    uint32_t kind = hed_get_below(r, IMAGE + 1, "the kind of an argument", "0 to 5");
    argument->symbol = kind == SYMBOL;
    argument->kind = argument->symbol ? HED_STRUCT
                     : kind == IMAGE  ? HED_BUFFER
                                      : (hed_argument_kind)kind;
    argument->type = hed_get_below(r, HED_TYPE_COUNT, "the type of an argument", "0 to 6");
    argument->access = hed_get_below(r, HED_WORKSPACE + 1, "the access to a buffer", "0 to 3");
    uint64_t at = r->at;
    argument->size = hed_get_u64(r, "the size of a struct");
    if (argument->kind == HED_STRUCT &&
        (argument->size == 0 || argument->size > HED_MAX_STRUCT_BYTES) && !argument->symbol)
        wrong_value(r, at, "the size of a struct", argument->size, "1 to 4096");
    if (argument->symbol && (argument->size == 0 || argument->size > HED_MAX_SYMBOL_BYTES))
        wrong_value(r, at, "the size of a symbol", argument->size, "1 to 1048576");
    argument->tolerance = hed_get_double(r, "a tolerance");
    at = r->at;
    *bytes = hed_get_u64(r, "the bytes of an argument");
    if ((argument->kind == HED_BUFFER) != (*bytes > 0))
        wrong_value(
            r, at, "the bytes of an argument", *bytes, "some for a buffer, none for anything else");
    if (kind == IMAGE) get_image(r, &argument->image);
}

static bool has_value(const hed_parameter_def *parameter, int64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (parameter->values[i] == value) return true;
    return false;
}

static void get_parameter(hed_description_reader *r, hed_parameter_def *parameter)
{
    parameter->name = hed_get_word(r, "the name of a parameter");
    uint64_t at = r->at;
    parameter->value = (int64_t)hed_get_u64(r, "the default of a parameter");
    int64_t *values = get_list(r, &parameter->count, HED_CAPTURE_VALUES, 8, sizeof *values,
        "the number of values", "1 to 65535");
    bool labelled = hed_get_below(r, 2, "the flag for labels", "0 or 1");
    const char **labels =
        labelled ? hed_arena_new(r->arena, parameter->count, sizeof *labels, r->error) : NULL;
    if (labelled && !labels && !r->status) r->status = HED_ERROR_MEMORY;
    parameter->values = values;
    parameter->labels = labels;
    bool ascending = true; /* an ascending list needs no search for equal values */
    for (uint32_t i = 0; i < parameter->count && !r->status; i++) {
        uint64_t place = r->at;
        values[i] = (int64_t)hed_get_u64(r, "a value");
        ascending = ascending && (i == 0 || values[i] > values[i - 1]);
        if (!ascending && has_value(parameter, values[i], i))
            wrong_value(
                r, place, "a value", (uint64_t)values[i], "one that differs from those before it");
        if (labels) labels[i] = hed_get_word(r, "a label");
    }
    if (!has_value(parameter, parameter->value, parameter->count))
        wrong_value(
            r, at, "the default of a parameter", (uint64_t)parameter->value, "one of its values");
}

hed_define *hed_get_defines(hed_description_reader *r, uint32_t *count)
{
    hed_define *defines = get_list(
        r, count, r->list_limit, 8, sizeof *defines, "the number of defines", "at most 256");
    for (uint32_t i = 0; i < *count; i++) {
        defines[i].name = hed_get_word(r, "the name of a define");
        const char *value = hed_get_text(r, "the value of a define");
        defines[i].value = value ? value : "";
    }
    return defines;
}

static const char *const *get_words(hed_description_reader *r, uint32_t *count, uint32_t limit,
    const char *counted, const char *expected, const char *name)
{
    const char **words = get_list(r, count, limit, 4, sizeof *words, counted, expected);
    for (uint32_t i = 0; i < *count; i++) words[i] = hed_get_word(r, name);
    return words;
}

static void get_sources(hed_description_reader *r, hed_kernel_def *def)
{
    hed_source *sources = get_list(r, &def->source_count, r->list_limit, 12, sizeof *sources,
        "the number of sources", "at most 256");
    def->sources = sources;
    for (uint32_t i = 0; i < def->source_count; i++) {
        sources[i].name = hed_get_word(r, "the name of a source");
        uint64_t at = r->at, size = hed_get_u64(r, "the size of a source");
        if (size == 0) description_wrong(r, at, "the size of a source", 0, "at least its zero");
        const char *text = (const char *)description_take(r, size, "a source");
        if (text && text[size - 1] != 0)
            description_wrong(
                r, r->at - 1, "the end of a source", (unsigned char)text[size - 1], "0");
        sources[i].text = r->status ? "" : text;
        sources[i].size = r->status ? 0 : size - 1;
    }
}

static void get_lists(hed_description_reader *r, hed_capture_launched *launched)
{
    hed_kernel_def *def = &launched->def;
    get_sources(r, def);
    hed_argument_def *arguments = get_list(r, &def->argument_count, HED_MAX_ARGUMENTS, 40,
        sizeof *arguments, "the number of arguments", "at most 32");
    def->arguments = arguments;
    for (uint32_t i = 0; i < def->argument_count; i++)
        get_argument(r, &arguments[i], &launched->bytes[i]);
    hed_parameter_def *parameters = get_list(r, &def->parameter_count, HED_MAX_PARAMETERS, 20,
        sizeof *parameters, "the number of parameters", "at most 24");
    def->parameters = parameters;
    for (uint32_t i = 0; i < def->parameter_count; i++) get_parameter(r, &parameters[i]);
    def->constraints = get_words(r, &def->constraint_count, r->list_limit,
        "the number of constraints", "at most 256", "a constraint");
    hed_condition *conditions = get_list(r, &def->condition_count, r->list_limit, 8,
        sizeof *conditions, "the number of conditions", "at most 256");
    def->conditions = conditions;
    for (uint32_t i = 0; i < def->condition_count; i++) {
        conditions[i].parameter = hed_get_word(r, "the parameter of a condition");
        conditions[i].when = hed_get_word(r, "a condition");
    }
    def->defines = hed_get_defines(r, &def->define_count);
    const char **dimensions = get_list(r, &def->dimension_count, HED_MAX_DIMENSIONS, 12,
        sizeof *dimensions, "the number of dimensions", "at most 8");
    def->dimensions = dimensions;
    launched->problem.count = def->dimension_count;
    for (uint32_t i = 0; i < def->dimension_count; i++) {
        dimensions[i] = hed_get_word(r, "the name of a dimension");
        uint64_t at = r->at;
        launched->problem.sizes[i] = (int64_t)hed_get_u64(r, "a size");
        if (launched->problem.sizes[i] < 1)
            wrong_value(r, at, "a size", (uint64_t)launched->problem.sizes[i], "1 to 2^63 - 1");
    }
}

static void get_info(hed_description_reader *r, hed_capture_launched *launched)
{
    hed_capture_info *info = &launched->info;
    const hed_kernel_def *def = &launched->def;
    info->version = hed_get_word(r, "the version of Heddle");
    info->device = hed_get_word(r, "the id of the device");
    info->name = hed_get_word(r, "the name of the device");
    info->driver = hed_get_text(r, "the driver");
    if (!info->driver) info->driver = "";
    info->configured =
        hed_get_below(r, HED_ORIGIN_DEFAULT + 1, "where the configuration came from", "0 to 6");
    info->checked = hed_get_below(r, 2, "the flag for outputs", "0 or 1");
    info->config.count = def->parameter_count;
    for (uint32_t i = 0; i < def->parameter_count && !r->status; i++) {
        uint64_t at = r->at;
        info->config.values[i] = (int64_t)hed_get_u64(r, "a value of the configuration");
        if (!r->status &&
            !has_value(&def->parameters[i], info->config.values[i], def->parameters[i].count))
            wrong_value(r, at, "a value of the configuration", (uint64_t)info->config.values[i],
                "one of the parameter's");
    }
    launched->has_work = hed_get_below(r, 2, "the flag for known work", "0 or 1");
    launched->work.bytes = hed_get_double(r, "the bytes of a launch");
    launched->work.operations = hed_get_double(r, "the operations of a launch");
    launched->work.items = hed_get_double(r, "the items of a launch");
}

hed_status hed_capture_unpack(hed_description_reader *r, hed_capture_launched *launched)
{
    hed_kernel_def *def = &launched->def;
    def->name = hed_get_word(r, "the name of the kernel");
    def->summary = hed_get_text(r, "the summary");
    def->entry = hed_get_text(r, "the entry point");
    def->language = hed_get_below(r, HED_LANGUAGE_COUNT, "the language", "0 to 4");
    launched->math = hed_get_below(r, HED_MATH_STRICT + 1, "the math mode", "0 or 1");
    def->needs = hed_get_u64(r, "the needs");
    def->max_threads = hed_get_text(r, "the launch bound");
    def->min_groups = hed_get_u32(r, "the smallest number of groups");
    def->may_spill = hed_get_below(r, 2, "the flag for accepted spills", "0 or 1");
    def->metric = hed_get_below(r, HED_METRIC_ITEMS + 1, "the metric", "0 to 2");
    def->metric_unit = hed_get_text(r, "the metric's unit");
    get_lists(r, launched);
    get_info(r, launched);
    if (r->at < r->size && !r->status)
        def->options = get_words(r, &def->option_count, r->list_limit,
            "the number of compiler options", "at most 256", "a compiler option");
    if (r->at != r->size)
        description_wrong(r, r->at, "the rest of the section", r->size - r->at, "nothing");
    return r->status;
}
