/* The description in a capture, both ways. Each put has its get in the same order; what a get finds
 * is checked, since the file may come from anywhere. A text is its length with its zero, then its
 * bytes: whoever reads points into the file. */
#include "tune/capture.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

enum { SYMBOL = HED_LOCAL + 1 /* in the file, the kind of a struct that is a symbol */ };

/* ---- putting ---- */

static void put_u32(hed_text *to, uint32_t value) { hed_text_add_bytes(to, &value, sizeof value); }
static void put_u64(hed_text *to, uint64_t value) { hed_text_add_bytes(to, &value, sizeof value); }
static void put_i64(hed_text *to, int64_t value) { hed_text_add_bytes(to, &value, sizeof value); }
static void put_double(hed_text *to, double value) { hed_text_add_bytes(to, &value, sizeof value); }

/* NULL is a text of length 0, without a zero. */
static void put_text(hed_text *to, const char *text)
{
    uint32_t size = text ? (uint32_t)strlen(text) + 1 : 0;
    put_u32(to, size);
    if (size) hed_text_add_bytes(to, text, size);
}

static void put_source(hed_text *to, const hed_source *source)
{
    put_text(to, source->name);
    put_u64(to, source->size + 1);
    hed_text_add_bytes(to, source->text, source->size);
    hed_text_add_bytes(to, "", 1);
}

static void put_argument(hed_text *to, const hed_argument_def *argument, uint64_t bytes)
{
    put_text(to, argument->name);
    put_u32(to, argument->symbol ? SYMBOL : argument->kind);
    put_u32(to, argument->type);
    put_u32(to, argument->access);
    put_u64(to, argument->size);
    put_double(to, argument->tolerance);
    put_u64(to, bytes);
}

static void put_parameter(hed_text *to, const hed_parameter_def *parameter)
{
    put_text(to, parameter->name);
    put_i64(to, parameter->value);
    put_u32(to, parameter->count);
    put_u32(to, parameter->labels != NULL);
    for (uint32_t i = 0; i < parameter->count; i++) {
        put_i64(to, parameter->values[i]);
        if (parameter->labels) put_text(to, parameter->labels[i]);
    }
}

static void put_lists(hed_text *to, const hed_capture_launched *launched)
{
    const hed_kernel_def *def = &launched->def;
    put_u32(to, def->source_count);
    for (uint32_t i = 0; i < def->source_count; i++) put_source(to, &def->sources[i]);
    put_u32(to, def->argument_count);
    for (uint32_t i = 0; i < def->argument_count; i++)
        put_argument(to, &def->arguments[i], launched->bytes[i]);
    put_u32(to, def->parameter_count);
    for (uint32_t i = 0; i < def->parameter_count; i++) put_parameter(to, &def->parameters[i]);
    put_u32(to, def->constraint_count);
    for (uint32_t i = 0; i < def->constraint_count; i++) put_text(to, def->constraints[i]);
    put_u32(to, def->condition_count);
    for (uint32_t i = 0; i < def->condition_count; i++) {
        put_text(to, def->conditions[i].parameter);
        put_text(to, def->conditions[i].when);
    }
    put_u32(to, def->define_count);
    for (uint32_t i = 0; i < def->define_count; i++) {
        put_text(to, def->defines[i].name);
        put_text(to, def->defines[i].value);
    }
    put_u32(to, def->dimension_count);
    for (uint32_t i = 0; i < def->dimension_count; i++) {
        put_text(to, def->dimensions[i]);
        put_i64(to, launched->problem.sizes[i]);
    }
}

static void put_info(hed_text *to, const hed_capture_launched *launched)
{
    const hed_capture_info *info = &launched->info;
    put_text(to, info->version);
    put_text(to, info->device);
    put_text(to, info->name);
    put_text(to, info->driver);
    put_u32(to, info->configured);
    put_u32(to, info->checked);
    for (uint32_t i = 0; i < launched->def.parameter_count; i++)
        put_i64(to, info->config.values[i]);
    put_u32(to, launched->has_work);
    put_double(to, launched->work.bytes);
    put_double(to, launched->work.operations);
    put_double(to, launched->work.items);
}

void hed_capture_pack(hed_text *to, const hed_capture_launched *launched)
{
    const hed_kernel_def *def = &launched->def;
    put_text(to, def->name);
    put_text(to, def->summary);
    put_text(to, def->entry);
    put_u32(to, def->language);
    put_u32(to, launched->math);
    put_u64(to, def->needs);
    put_text(to, def->max_threads);
    put_u32(to, def->min_groups);
    put_u32(to, def->may_spill);
    put_u32(to, def->metric);
    put_text(to, def->metric_unit);
    put_lists(to, launched);
    put_info(to, launched);
    /* At the end and only where there are some, so that earlier versions of Heddle read all other
     * captures. */
    if (def->option_count) put_u32(to, def->option_count);
    for (uint32_t i = 0; i < def->option_count; i++) put_text(to, def->options[i]);
}

/* ---- getting ---- */

typedef struct reader {
    const char *path;
    const unsigned char *bytes;
    uint64_t size, at, base;
    hed_error *error;
    hed_status status; /* the first failure; everything after it is 0 and "" */
} reader;

static void wrong(reader *r, uint64_t at, const char *what, uint64_t found, const char *expected)
{
    if (r->status) return;
    r->status =
        hed_fail(r->error, HED_ERROR_FORMAT, "%s: byte %" PRIu64 ": %s is %" PRIu64 ", expected %s",
            r->path, r->base + at, what, found, expected);
}

static const unsigned char *take(reader *r, uint64_t size, const char *what)
{
    if (r->status) return NULL;
    if (size > r->size - r->at) {
        r->status = hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %" PRIu64 ": %s of %" PRIu64 " bytes, and the section has %" PRIu64 " left",
            r->path, r->base + r->at, what, size, r->size - r->at);
        return NULL;
    }
    const unsigned char *at = r->bytes + r->at;
    r->at += size;
    return at;
}

static uint32_t get_u32(reader *r, const char *what)
{
    uint32_t value = 0;
    const unsigned char *at = take(r, sizeof value, what);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t get_u64(reader *r, const char *what)
{
    uint64_t value = 0;
    const unsigned char *at = take(r, sizeof value, what);
    if (at) memcpy(&value, at, sizeof value);
    return value;
}

static int64_t get_i64(reader *r, const char *what) { return (int64_t)get_u64(r, what); }

/* Tolerances and amounts: never negative, never NaN. */
static double get_double(reader *r, const char *what)
{
    double value = 0;
    const unsigned char *at = take(r, sizeof value, what);
    if (at) memcpy(&value, at, sizeof value);
    if (value >= 0) return value;
    if (!r->status)
        r->status = hed_fail(r->error, HED_ERROR_FORMAT,
            "%s: byte %" PRIu64 ": %s is %g, expected at least 0", r->path,
            r->base + r->at - sizeof value, what, value);
    return 0;
}

static uint32_t get_below(reader *r, uint32_t limit, const char *what, const char *expected)
{
    uint64_t at = r->at;
    uint32_t value = get_u32(r, what);
    if (value < limit) return value;
    wrong(r, at, what, value, expected);
    return 0;
}

/* May be NULL where nothing was put. */
static const char *get_text(reader *r, const char *what)
{
    uint32_t size = get_u32(r, what);
    uint64_t at = r->at;
    const char *text = size ? (const char *)take(r, size, what) : NULL;
    if (!text || memchr(text, 0, size) == text + size - 1) return text;
    wrong(r, at, "the length of a text", strnlen(text, size), "one less than its size");
    return NULL;
}

static const char *get_word(reader *r, const char *what)
{
    uint64_t at = r->at;
    const char *text = get_text(r, what);
    if (text && text[0]) return text;
    wrong(r, at, what, 0, "a text");
    return "";
}

static void get_source(reader *r, hed_source *source)
{
    source->name = get_word(r, "the name of a source");
    uint64_t at = r->at, size = get_u64(r, "the size of a source");
    if (size == 0) wrong(r, at, "the size of a source", 0, "at least its zero");
    const char *text = (const char *)take(r, size, "a source");
    if (text && text[size - 1] != 0)
        wrong(r, r->at - 1, "the end of a source", (unsigned char)text[size - 1], "0");
    source->text = r->status ? "" : text;
    source->size = r->status ? 0 : size - 1;
}

static void get_argument(reader *r, hed_argument_def *argument, uint64_t *bytes)
{
    argument->name = get_word(r, "the name of an argument");
    uint32_t kind = get_below(r, SYMBOL + 1, "the kind of an argument", "0 to 4");
    argument->symbol = kind == SYMBOL;
    argument->kind = argument->symbol ? HED_STRUCT : (hed_argument_kind)kind;
    argument->type = get_below(r, HED_TYPE_COUNT, "the type of an argument", "0 to 6");
    argument->access = get_below(r, HED_WORKSPACE + 1, "the access to a buffer", "0 to 3");
    uint64_t at = r->at;
    argument->size = get_u64(r, "the size of a struct");
    if (argument->kind == HED_STRUCT &&
        (argument->size == 0 || argument->size > HED_MAX_STRUCT_BYTES) && !argument->symbol)
        wrong(r, at, "the size of a struct", argument->size, "1 to 4096");
    if (argument->symbol && (argument->size == 0 || argument->size > HED_MAX_SYMBOL_BYTES))
        wrong(r, at, "the size of a symbol", argument->size, "1 to 1048576");
    argument->tolerance = get_double(r, "a tolerance");
    at = r->at;
    *bytes = get_u64(r, "the bytes of an argument");
    if ((argument->kind == HED_BUFFER) != (*bytes > 0))
        wrong(
            r, at, "the bytes of an argument", *bytes, "some for a buffer, none for anything else");
}

static bool has_value(const hed_parameter_def *parameter, int64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (parameter->values[i] == value) return true;
    return false;
}

static void get_parameter(
    reader *r, hed_parameter_def *parameter, int64_t *values, const char **labels)
{
    parameter->name = get_word(r, "the name of a parameter");
    uint64_t at = r->at;
    parameter->value = get_i64(r, "the default of a parameter");
    parameter->count = get_below(r, HED_CAPTURE_VALUES + 1, "the number of values", "1 to 255");
    bool labelled = get_below(r, 2, "whether there are labels", "0 or 1");
    parameter->values = values;
    parameter->labels = labelled ? labels : NULL;
    for (uint32_t i = 0; i < parameter->count && !r->status; i++) {
        uint64_t place = r->at;
        values[i] = get_i64(r, "a value");
        if (has_value(parameter, values[i], i))
            wrong(r, place, "a value", (uint64_t)values[i], "one that is not there yet");
        if (labelled) labels[i] = get_word(r, "a label");
    }
    if (!has_value(parameter, parameter->value, parameter->count))
        wrong(r, at, "the default of a parameter", (uint64_t)parameter->value, "one of its values");
}

static uint32_t get_count(reader *r, const char *what)
{
    return get_below(r, HED_CAPTURE_LIST + 1, what, "at most 256");
}

static void get_words(reader *r, hed_kernel_def *def, hed_capture_lists *lists)
{
    def->constraint_count = get_count(r, "the number of constraints");
    for (uint32_t i = 0; i < def->constraint_count; i++)
        lists->constraints[i] = get_word(r, "a constraint");
    def->condition_count = get_count(r, "the number of conditions");
    for (uint32_t i = 0; i < def->condition_count; i++) {
        lists->conditions[i].parameter = get_word(r, "the parameter of a condition");
        lists->conditions[i].when = get_word(r, "a condition");
    }
    def->define_count = get_count(r, "the number of defines");
    for (uint32_t i = 0; i < def->define_count; i++) {
        lists->defines[i].name = get_word(r, "the name of a define");
        const char *value = get_text(r, "the value of a define");
        lists->defines[i].value = value ? value : "";
    }
}

static void get_lists(reader *r, hed_capture_launched *launched, hed_capture_lists *lists)
{
    hed_kernel_def *def = &launched->def;
    def->source_count = get_count(r, "the number of sources");
    for (uint32_t i = 0; i < def->source_count; i++) get_source(r, &lists->sources[i]);
    def->argument_count =
        get_below(r, HED_MAX_ARGUMENTS + 1, "the number of arguments", "at most 32");
    for (uint32_t i = 0; i < def->argument_count; i++)
        get_argument(r, &lists->arguments[i], &launched->bytes[i]);
    def->parameter_count =
        get_below(r, HED_MAX_PARAMETERS + 1, "the number of parameters", "at most 24");
    for (uint32_t i = 0; i < def->parameter_count; i++)
        get_parameter(r, &lists->parameters[i], lists->values[i], lists->labels[i]);
    get_words(r, def, lists);
    def->dimension_count =
        get_below(r, HED_MAX_DIMENSIONS + 1, "the number of dimensions", "at most 8");
    launched->problem.count = def->dimension_count;
    for (uint32_t i = 0; i < def->dimension_count; i++) {
        lists->dimensions[i] = get_word(r, "the name of a dimension");
        uint64_t at = r->at;
        launched->problem.sizes[i] = get_i64(r, "a size");
        if (launched->problem.sizes[i] < 1)
            wrong(r, at, "a size", (uint64_t)launched->problem.sizes[i], "1 to 2^63 - 1");
    }
    def->sources = lists->sources;
    def->arguments = lists->arguments;
    def->parameters = lists->parameters;
    def->constraints = lists->constraints;
    def->conditions = lists->conditions;
    def->defines = lists->defines;
    def->dimensions = lists->dimensions;
}

static void get_info(reader *r, hed_capture_launched *launched)
{
    hed_capture_info *info = &launched->info;
    const hed_kernel_def *def = &launched->def;
    info->version = get_word(r, "the version of Heddle");
    info->device = get_word(r, "the id of the device");
    info->name = get_word(r, "the name of the device");
    info->driver = get_text(r, "the driver");
    if (!info->driver) info->driver = "";
    info->configured =
        get_below(r, HED_CONFIGURED_DEFAULT + 1, "where the configuration came from", "0 to 6");
    info->checked = get_below(r, 2, "whether outputs are there", "0 or 1");
    info->config.count = def->parameter_count;
    for (uint32_t i = 0; i < def->parameter_count && !r->status; i++) {
        uint64_t at = r->at;
        info->config.values[i] = get_i64(r, "a value of the configuration");
        if (!r->status &&
            !has_value(&def->parameters[i], info->config.values[i], def->parameters[i].count))
            wrong(r, at, "a value of the configuration", (uint64_t)info->config.values[i],
                "one of the parameter's");
    }
    launched->has_work = get_below(r, 2, "whether the work is known", "0 or 1");
    launched->work.bytes = get_double(r, "the bytes of a launch");
    launched->work.operations = get_double(r, "the operations of a launch");
    launched->work.items = get_double(r, "the items of a launch");
}

hed_status hed_capture_unpack(const char *path, const unsigned char *bytes, uint64_t size,
    uint64_t base, hed_capture_launched *launched, hed_capture_lists *lists, hed_error *error)
{
    reader r = {.path = path, .bytes = bytes, .size = size, .base = base, .error = error};
    hed_kernel_def *def = &launched->def;
    def->name = get_word(&r, "the name of the kernel");
    def->summary = get_text(&r, "the summary");
    def->entry = get_text(&r, "the entry point");
    def->language = get_below(&r, HED_CUDA_C + 1, "the language", "0 or 1");
    launched->math = get_below(&r, HED_MATH_STRICT + 1, "the math mode", "0 or 1");
    def->needs = get_u64(&r, "the needs");
    def->max_threads = get_text(&r, "the launch bound");
    def->min_groups = get_u32(&r, "the smallest number of groups");
    def->may_spill = get_below(&r, 2, "whether a spill is accepted", "0 or 1");
    def->metric = get_below(&r, HED_METRIC_ITEMS + 1, "the metric", "0 to 2");
    def->metric_unit = get_text(&r, "the metric's unit");
    get_lists(&r, launched, lists);
    get_info(&r, launched);
    if (r.at < size && !r.status)
        def->option_count = get_count(&r, "the number of compiler options");
    for (uint32_t i = 0; i < def->option_count; i++)
        lists->options[i] = get_word(&r, "a compiler option");
    def->options = lists->options;
    if (r.at != size) wrong(&r, r.at, "what is left of the section", size - r.at, "nothing");
    return r.status;
}
