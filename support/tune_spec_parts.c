/* What the two readers of tune files share: memory, complaints, expressions, texts, and the layout of a launch. */
#include "support/tune_spec_parts.h"

#include "support/errors.h"
#include "support/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_SOURCE = 16 << 20 };

/* ---- complaints ---- */

void hed_spec_fail(hed_spec_reader *reader, hed_status status, hed_json_node node, const char *format, ...)
{
    if (!hed_spec_fine(reader)) return;
    char words[HED_ERROR_TEXT / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    hed_json_reject(node, "%s", words);
    reader->status = status;
}

bool hed_spec_fine(const hed_spec_reader *reader) { return hed_json_status(reader->spec->json, NULL) == HED_OK; }

/* ---- memory ---- */

/* One piece that the spec owns. */
struct hed_spec_block {
    struct hed_spec_block *next;
    void *pointer;
    bool expression; /* else memory of the C library's */
};

/* Gives a piece to the spec, or back where there is no memory to remember it. */
static bool own(hed_spec_reader *reader, void *pointer, bool expression, hed_json_node node)
{
    struct hed_spec_block *block = malloc(sizeof *block);
    if (block) {
        *block = (struct hed_spec_block){reader->spec->blocks, pointer, expression};
        reader->spec->blocks = block;
        return true;
    }
    hed_spec_fail(reader, HED_ERROR_MEMORY, node, "out of memory");
    if (expression) hed_expression_destroy(pointer);
    else free(pointer);
    return false;
}

void hed_spec_free_blocks(hed_tune_spec *spec)
{
    while (spec->blocks) {
        struct hed_spec_block *block = spec->blocks;
        spec->blocks = block->next;
        if (block->expression) hed_expression_destroy(block->pointer);
        else free(block->pointer);
        free(block);
    }
}

void *hed_spec_allocate(hed_spec_reader *reader, size_t size, hed_json_node node)
{
    size_t rounded = (size + 63) & ~(size_t)63;
    void *memory = rounded >= size ? aligned_alloc(64, rounded ? rounded : 64) : NULL;
    if (!memory) {
        hed_spec_fail(reader, HED_ERROR_MEMORY, node, "out of memory for %zu bytes", size);
        return NULL;
    }
    memset(memory, 0, rounded ? rounded : 64);
    return own(reader, memory, false, node) ? memory : NULL;
}

const char *hed_spec_text(hed_spec_reader *reader, hed_json_node node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? hed_spec_allocate(reader, (size_t)length + 1, node) : NULL;
    if (!text) return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- names and expressions ---- */

bool hed_spec_is_name(const char *text)
{
    static const char *const taken[] = {"and", "or", "not", "in", "if", "else", "true", "false", "True", "False"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(text, taken[i]) == 0) return false;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return text[0] && strspn(text, letters) == strlen(text) && !(text[0] >= '0' && text[0] <= '9');
}

void hed_spec_set_scope(hed_spec_reader *reader, hed_spec_kernel *kernel)
{
    hed_constant constants[HED_DEVICE_CONSTANTS];
    hed_device_constants(reader->device, constants);
    uint32_t slot = 0;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) kernel->names[slot++] = kernel->parameters[i].name;
    for (uint32_t i = 0; i < reader->spec->problem.count; i++) kernel->names[slot++] = reader->spec->dimensions[i];
    for (uint32_t i = 0; i < HED_DEVICE_CONSTANTS; i++) {
        kernel->names[slot++] = constants[i].name;
        kernel->constants[i] = constants[i].value;
    }
}

/* The values of all slots. */
static void set_values(const hed_spec_kernel *kernel, const hed_config *config, const hed_problem *problem,
                       double *values)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) *values++ = (double)config->values[i];
    for (uint32_t i = 0; i < kernel->def.dimension_count; i++) *values++ = (double)problem->sizes[i];
    memcpy(values, kernel->constants, sizeof kernel->constants);
}

static hed_expression *compile(hed_spec_reader *reader, const hed_expression_names *names, hed_json_node node,
                               const char *text)
{
    hed_expression *expression;
    hed_error error;
    if (!hed_spec_fine(reader)) return NULL;
    hed_status status = hed_expression_create(NULL, text, names, &expression, &error);
    if (status == HED_OK) return own(reader, expression, true, node) ? expression : NULL;
    hed_spec_fail(reader, status == HED_ERROR_MEMORY ? status : HED_ERROR_FORMAT, node, "%s", error.text);
    return NULL;
}

hed_expression *hed_spec_expression_of(hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node,
                                       const char *text)
{
    hed_expression_names names = {kernel->names,
                                  kernel->def.parameter_count + reader->spec->problem.count + HED_DEVICE_CONSTANTS,
                                  kernel->parameters, kernel->def.parameter_count};
    return compile(reader, &names, node, text);
}

hed_expression *hed_spec_expression(hed_spec_reader *reader, const hed_spec_kernel *kernel, hed_json_node node)
{
    if (hed_json_kind_of(node) != HED_JSON_NUMBER)
        return hed_spec_expression_of(reader, kernel, node, hed_json_string(node));
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", hed_json_number(node, -1e300, 1e300));
    return hed_spec_expression_of(reader, kernel, node, digits);
}

double hed_spec_number_of(hed_spec_reader *reader, hed_json_node node, const char *text)
{
    hed_tune_spec *spec = reader->spec;
    hed_spec_kernel plain = {.def.dimension_count = spec->problem.count};
    hed_spec_set_scope(reader, &plain);
    hed_expression *expression = hed_spec_expression_of(reader, &plain, node, text);
    double values[HED_MAX_DIMENSIONS + HED_DEVICE_CONSTANTS];
    if (!expression) return 0;
    set_values(&plain, NULL, &spec->problem, values);
    double value = hed_expression_value(expression, values);
    if (isfinite(value)) return value;
    hed_spec_fail(reader, HED_ERROR_FORMAT, node, "\"%s\" has no value here: it divides by zero, or is too large",
                  text);
    return 0;
}

/* ---- texts ---- */

/* `file` in the spec's folder, or so many folders further up. */
static const char *beside(hed_spec_reader *reader, hed_json_node node, const char *file, int up)
{
    const char *slash = strrchr(reader->path, '/');
    static const char *const above[] = {"", "../"};
    if (file[0] == '/' || (!slash && !up)) return file;
    return hed_spec_text(reader, node, "%.*s%s%s", slash ? (int)(slash + 1 - reader->path) : 0, reader->path,
                         above[up], file);
}

bool hed_spec_read_file(hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above,
                        size_t limit, char **bytes, size_t *size)
{
    hed_error error;
    const char *path = beside(reader, node, file, 0);
    if (folders_above > 0 && access(path, F_OK) != 0 && access(beside(reader, node, file, 1), F_OK) == 0)
        path = beside(reader, node, file, 1);
    if (!hed_spec_fine(reader)) return false;
    hed_status status = hed_file_read(path, limit, bytes, size, &error);
    if (status == HED_OK) return own(reader, *bytes, false, node);
    hed_spec_fail(reader, status, node, "%s", error.text);
    return false;
}

bool hed_spec_read_source(hed_spec_reader *reader, hed_json_node node, const char *file, int folders_above,
                          hed_source *source)
{
    char *text = NULL;
    size_t size = 0;
    if (!hed_spec_read_file(reader, node, file, folders_above, LONGEST_SOURCE, &text, &size)) return false;
    *source = (hed_source){.name = file, .text = text, .size = size};
    return true;
}

/* ---- launches ---- */

/* A count of at least 1, rounded up; `wrong` where there is none. */
static uint64_t count_of(const hed_expression *expression, const double *values, bool round_up, uint64_t wrong)
{
    double value = hed_expression_value(expression, values);
    if (!(value > 0 && value < 0x1p63) || (!round_up && value != floor(value))) return wrong;
    return (uint64_t)ceil(value);
}

/* What makes no sense becomes a size that no device allows, which hed_kernel_valid() then says. */
static void lay_out(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
                    hed_geometry *geometry)
{
    const hed_spec_kernel *kernel = def->user;
    double values[sizeof kernel->names / sizeof *kernel->names];
    set_values(kernel, config, problem, values);
    geometry->dimensions = kernel->dimensions;
    for (uint32_t i = 0; i < kernel->dimensions; i++) {
        uint64_t group = count_of(kernel->group[i], values, false, UINT32_MAX),
                 global = count_of(kernel->global[i], values, true, 0);
        geometry->group[i] = group < UINT32_MAX ? (uint32_t)group : UINT32_MAX;
        if (!kernel->counts_groups) geometry->global[i] = global;
        else if (__builtin_mul_overflow(global, geometry->group[i], &geometry->global[i])) geometry->global[i] = 0;
    }
    for (uint32_t i = 0; i < def->argument_count; i++) {
        if (!kernel->local[i]) continue;
        /* An array of no elements stands for one that this configuration does not use; drivers refuse 0 bytes. */
        double elements = hed_expression_value(kernel->local[i], values);
        uint64_t count = elements == 0 ? 1 : count_of(kernel->local[i], values, true, 0);
        if (count == 0 || __builtin_mul_overflow(count, kernel->local_bytes[i], &geometry->local_bytes[i]))
            geometry->local_bytes[i] = UINT64_MAX / 2;
    }
}

static void count_work(const hed_kernel_def *def, const hed_config *config, const hed_problem *problem,
                       hed_work *work)
{
    const hed_spec_kernel *kernel = def->user;
    double values[sizeof kernel->names / sizeof *kernel->names];
    set_values(kernel, config, problem, values);
    *work = (hed_work){0};
    if (kernel->bytes) work->bytes = hed_expression_value(kernel->bytes, values);
    if (kernel->operations) work->operations = hed_expression_value(kernel->operations, values);
}

bool hed_spec_is_factor(const hed_spec_kernel *kernel, const char *text)
{
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        if (strcmp(kernel->parameters[i].name, text) == 0) return true;
    return text[0] >= '1' && text[0] <= '9' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

void hed_spec_finish_kernel(hed_spec_reader *reader, hed_spec_kernel *kernel, const char *const group[3])
{
    hed_kernel_def *def = &kernel->def;
    hed_json_node root = hed_json_root(reader->spec->json);
    def->user = kernel;
    def->parameters = kernel->parameters;
    def->arguments = reader->spec->argument_defs;
    def->dimensions = reader->spec->dimensions;
    def->dimension_count = reader->spec->problem.count;
    def->geometry = lay_out;
    hed_source *sources = hed_spec_allocate(reader, def->source_count * sizeof *sources, root);
    for (uint32_t i = 0; i < def->source_count && sources; i++) {
        sources[i] = def->sources[i];
        if (def->language == HED_OPENCL_C) hed_spec_use_local_words(reader, root, &sources[i]);
    }
    def->sources = sources;
    if (kernel->bytes || kernel->operations) def->work = count_work;
    def->metric = kernel->operations ? HED_METRIC_OPERATIONS : HED_METRIC_BYTES;
    bool simple = !def->max_threads;
    for (uint32_t i = 0; i < kernel->dimensions; i++)
        simple = simple && group[i] && hed_spec_is_factor(kernel, group[i]);
    if (simple)
        def->max_threads = hed_spec_text(reader, root, "%s%s%s%s%s", group[0], kernel->dimensions > 1 ? "*" : "",
                                         kernel->dimensions > 1 ? group[1] : "", kernel->dimensions > 2 ? "*" : "",
                                         kernel->dimensions > 2 ? group[2] : "");
}

void hed_spec_define_labels(hed_spec_reader *reader, hed_spec_kernel *kernel, hed_json_node node)
{
    size_t count = kernel->def.define_count;
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++)
        count += kernel->parameters[i].labels ? kernel->parameters[i].count : 0;
    hed_define *defines = hed_spec_allocate(reader, count * sizeof *defines, node);
    if (!defines) return;
    if (kernel->def.define_count > 0)
        memcpy(defines, kernel->def.defines, kernel->def.define_count * sizeof *defines);
    for (uint32_t i = 0; i < kernel->def.parameter_count; i++) {
        const hed_parameter_def *parameter = &kernel->parameters[i];
        for (uint32_t j = 0; parameter->labels && j < parameter->count; j++) {
            const char *name = hed_spec_text(reader, node, "%s_%s", parameter->name, parameter->labels[j]);
            const char *value = hed_spec_text(reader, node, "%lld", (long long)parameter->values[j]);
            if (hed_spec_is_name(name)) defines[kernel->def.define_count++] = (hed_define){name, value};
        }
    }
    kernel->def.defines = defines;
}
