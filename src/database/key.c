/* Keys of the database: the properties that determine a measurement, as texts. Configurations and
 * problems are stored as "NAME=value NAME=value", so that a parameter keeps its old results if
 * values are added or reordered. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core/program.h"
#include "database/database_file.h"

/* ---- the source's hash ---- */

static hed_hash hash_number(hed_hash hash, uint64_t number)
{
    return hed_hash_bytes(hash, &number, sizeof number);
}

static hed_hash hash_parameters(hed_hash hash, const hed_parameter_def *parameters, uint32_t count)
{
    hash = hash_number(hash, count);
    for (uint32_t i = 0; i < count; i++) hash = hed_hash_text(hash, parameters[i].name);
    return hash;
}

static hed_hash hash_description(hed_hash hash, const hed_device *device, const hed_kernel_def *def)
{
    hash = hed_hash_text(hash, def->entry ? def->entry : def->name);
    hash = hash_number(hash, hed_kernel_text_for(device, def).language);
    hash = hash_number(hash, def->argument_count);
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        hash = hash_number(hash, argument->kind);
        hash = hash_number(hash, argument->type);
        hash = hash_number(hash, argument->kind == HED_STRUCT ? argument->size : 0);
        if (argument->symbol) hash = hed_hash_text(hash, argument->name);
    }
    for (uint32_t i = 0; i < def->option_count; i++) hash = hed_hash_text(hash, def->options[i]);
    return hash_parameters(hash, def->parameters, def->parameter_count);
}

/* Hashes the texts that would be compiled now, including replacements in HEDDLE_KERNEL_DIR. */
static bool hash_texts(hed_hash *hash, hed_device *device, const hed_kernel_def *def, hed_math math,
    const hed_define *defines, uint32_t define_count)
{
    hed_build_text text;
    hed_config config = hed_config_default(def);
    bool read = hed_build_text_make(
                    &text, device, def, math, &config, defines, define_count, 0, NULL) == HED_OK;
    /* the parameters' own defines come first and are excluded, since they are tuned */
    for (uint32_t i = def->parameter_count; read && i < text.build.define_count; i++) {
        *hash = hed_hash_text(*hash, text.build.defines[i].name);
        *hash = hed_hash_text(*hash, text.build.defines[i].value);
    }
    for (uint32_t i = 0; read && i < text.build.source_count; i++)
        *hash = text.build.language == HED_SPIRV
                    ? hed_hash_bytes(*hash, text.build.sources[i].text, text.build.sources[i].size)
                    : hed_hash_code(*hash, text.build.sources[i].text, text.build.sources[i].size);
    hed_build_text_free(&text);
    return read;
}

/* Describes the compiler. On devices without a compiler, code comes with the library, so the
 * library's version is used. */
static void describe_compiler(
    hed_device *device, const hed_kernel_def *kernel, char *text, size_t size)
{
    char digits[33];
    if (!device->backend->build) {
        snprintf(text, size, "heddle %s", HED_VERSION_TEXT);
        return;
    }
    const hed_build build = {
        .device = device, .def = kernel, .language = hed_kernel_text_for(device, kernel).language};
    hed_hash_format(hed_hash_text(hed_hash_start(),
                        device->backend->prelude ? device->backend->prelude(&build) : ""),
        digits);
    snprintf(text, size, "%s prelude %.16s", device->build_key, digits);
}

void hed_tune_key_of_kernel(hed_device *device, const hed_kernel_def *kernel, hed_math math,
    const hed_define *defines, uint32_t define_count, const hed_problem *problem,
    hed_objective objective, hed_tune_key *key)
{
    *key = (hed_tune_key){.kernel = kernel->name,
        .device = &device->info,
        .math = math,
        .objective = objective,
        .dimension_count = kernel->dimension_count,
        .dimensions = kernel->dimensions,
        .parameters = kernel->parameters,
        .parameter_count = kernel->parameter_count};
    if (problem) key->problem = *problem;
    describe_compiler(device, kernel, key->compiler, sizeof key->compiler);
    hed_hash hash = hash_description(hed_hash_start(), device, kernel);
    if (hash_texts(&hash, device, kernel, math, defines, define_count))
        hed_hash_format(hash, key->source);
}

void hed_tune_key_add(hed_tune_key *key, const hed_tune_metric *metric)
{
    if (!key->source[0]) return;
    hed_hash hash = hed_hash_text(hed_hash_text(hed_hash_start(), key->source), metric->name);
    hash = hed_hash_text(hash, metric->text ? metric->text : "");
    hed_hash_format(hed_hash_text(hash, metric->maximized ? "max" : "min"), key->source);
}

void hed_tune_key_of_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_objective objective, hed_tune_key *key)
{
    *key = (hed_tune_key){.kernel = pipeline->name,
        .device = &device->info,
        .objective = objective,
        .dimension_count = pipeline->dimension_count,
        .dimensions = pipeline->dimensions,
        .parameters = pipeline->parameters,
        .parameter_count = pipeline->parameter_count};
    if (problem) key->problem = *problem;
    /* a pipeline's kernels use the device's compiler and various preludes, for which the library's
     * version is substituted */
    snprintf(
        key->compiler, sizeof key->compiler, "%s heddle %s", device->build_key, HED_VERSION_TEXT);
    /* a version may contain source texts, whose comments do not count */
    const char *version = pipeline->version ? pipeline->version : "";
    hed_hash hash =
        hed_hash_code(hed_hash_text(hed_hash_start(), "pipeline"), version, strlen(version));
    hed_hash_format(
        hash_parameters(hash, pipeline->parameters, pipeline->parameter_count), key->source);
}

/* ---- names and values as text ---- */

static void write_word(hed_text *text, const char *word)
{
    for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
        bool plain = *c > ' ' && *c != 0x7f && *c != '%' && *c != '=';
        hed_text_add(text, plain ? "%c" : "%%%02X", *c);
    }
}

/* True if the `size` bytes at `text` are the encoded form of `word`. */
static bool is_word(const char *text, size_t size, const char *word)
{
    size_t at = 0;
    for (const unsigned char *c = (const unsigned char *)word; *c; c++) {
        char written[4];
        bool plain = *c > ' ' && *c != 0x7f && *c != '%' && *c != '=';
        int length = snprintf(written, sizeof written, plain ? "%c" : "%%%02X", *c);
        if (size - at < (size_t)length || memcmp(text + at, written, (size_t)length)) return false;
        at += (size_t)length;
    }
    return at == size;
}

/* Next "NAME=value" of a text; false at its end. An item without '=' has the value NULL. */
typedef struct word_pair {
    const char *name, *value;
    size_t name_size, value_size;
} word_pair;

static bool next_pair(const char **text, word_pair *pair)
{
    *text += strspn(*text, " ");
    size_t size = strcspn(*text, " ");
    if (!size) return false;
    const char *equals = memchr(*text, '=', size);
    pair->name = *text;
    pair->name_size = equals ? (size_t)(equals - *text) : size;
    pair->value = equals ? equals + 1 : NULL;
    pair->value_size = equals ? size - pair->name_size - 1 : 0;
    *text += size;
    return true;
}

static bool key_read_number(const word_pair *pair, int64_t *number)
{
    char digits[24], *end;
    if (!pair->value || !pair->value_size || pair->value_size >= sizeof digits) return false;
    memcpy(digits, pair->value, pair->value_size);
    digits[pair->value_size] = 0;
    *number = strtoll(digits, &end, 10);
    return *end == 0 && !isspace((unsigned char)digits[0]);
}

/* ---- configurations ---- */

void hed_config_write(
    hed_text *text, const hed_parameter_def *parameters, uint32_t count, const hed_config *config)
{
    for (uint32_t i = 0; i < count; i++) {
        const hed_parameter_def *parameter = &parameters[i];
        const char *label = NULL;
        for (uint32_t j = 0; parameter->labels && j < parameter->count; j++)
            if (parameter->values[j] == config->values[i]) label = parameter->labels[j];
        if (i) hed_text_add(text, " ");
        write_word(text, parameter->name);
        hed_text_add(text, "=");
        if (label) write_word(text, label);
        else hed_text_add(text, "%" PRId64, config->values[i]);
    }
}

static bool key_read_value(
    const hed_parameter_def *parameter, const word_pair *pair, int64_t *value)
{
    for (uint32_t i = 0; parameter->labels && pair->value && i < parameter->count; i++)
        if (is_word(pair->value, pair->value_size, parameter->labels[i])) {
            *value = parameter->values[i];
            return true;
        }
    if (!key_read_number(pair, value)) return false;
    for (uint32_t i = 0; i < parameter->count; i++)
        if (parameter->values[i] == *value) return true;
    return false;
}

bool hed_config_read(const char *text, const hed_parameter_def *parameters, uint32_t count,
    bool partly, hed_config *config)
{
    bool named[HED_MAX_PARAMETERS] = {false};
    uint32_t matched = 0;
    word_pair pair;
    *config = (hed_config){.count = count};
    for (uint32_t i = 0; i < count; i++) config->values[i] = parameters[i].value;
    while (next_pair(&text, &pair)) {
        uint32_t i = 0;
        while (i < count && !is_word(pair.name, pair.name_size, parameters[i].name)) i++;
        if (i == count && partly) continue;
        if (i == count || named[i] || !key_read_value(&parameters[i], &pair, &config->values[i]))
            return false;
        named[i] = true;
        matched++;
    }
    return partly || matched == count;
}

/* ---- problems ---- */

void hed_problem_write(hed_text *text, const char *const *dimensions, const hed_problem *problem)
{
    for (uint32_t i = 0; i < problem->count; i++) {
        if (i) hed_text_add(text, " ");
        write_word(text, dimensions[i]);
        hed_text_add(text, "=%" PRId64, problem->sizes[i]);
    }
}

bool hed_problem_read(
    const char *text, const char *const *dimensions, uint32_t count, hed_problem *problem)
{
    word_pair pair;
    *problem = (hed_problem){0};
    while (next_pair(&text, &pair)) {
        uint32_t i = problem->count;
        if (i >= count || !is_word(pair.name, pair.name_size, dimensions[i]) ||
            !key_read_number(&pair, &problem->sizes[i]) || problem->sizes[i] < 1)
            return false;
        problem->count++;
    }
    return problem->count == 0 || problem->count == count;
}

/* ---- conversion to records ---- */

const char *hed_math_word(hed_math math) { return math == HED_MATH_STRICT ? "strict" : "fast"; }

const char *hed_objective_word(hed_objective objective)
{
    return objective == HED_OBJECTIVE_TIME     ? "time"
           : objective == HED_OBJECTIVE_ENERGY ? "energy"
                                               : "metric";
}

const char *hed_device_type_word(hed_device_type type)
{
    return type == HED_DEVICE_CPU ? "cpu" : type == HED_DEVICE_GPU ? "gpu" : "other";
}

hed_device_type hed_device_type_read(const char *word)
{
    return strcmp(word, "cpu") == 0   ? HED_DEVICE_CPU
           : strcmp(word, "gpu") == 0 ? HED_DEVICE_GPU
                                      : HED_DEVICE_OTHER;
}

void hed_entry_take_device(const hed_device_info *device, hed_database_entry *record)
{
    record->backend = device->backend;
    record->platform = device->platform ? device->platform : "";
    record->device = device->name ? device->name : "";
    record->vendor = device->vendor ? device->vendor : "";
    record->type = device->type;
    record->architecture = device->architecture;
    record->compute_units = device->compute_units;
}

void hed_key_describe(const hed_tune_key *key, const hed_text *problem, hed_database_entry *record)
{
    hed_entry_take_device(key->device, record);
    record->kernel = key->kernel;
    record->source = key->source;
    record->math = hed_math_word(key->math);
    record->objective = hed_objective_word(key->objective);
    record->driver = key->device->driver ? key->device->driver : "";
    record->compiler = key->compiler;
    record->problem = problem->bytes ? problem->bytes : "";
}
