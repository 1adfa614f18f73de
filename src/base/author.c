/* The usual geometry, work and sample data of a kernel, from its description's tables. */
#include "heddle/author.h"

#include <assert.h>
#include <stdlib.h>

static bool word_is(const char *word, size_t length, const char *name)
{
    return strncmp(name, word, length) == 0 && !name[length];
}

/* Returns a dimension's size, the value of a parameter or a define, or a number. */
static uint64_t factor_value(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, const char *word, size_t length)
{
    for (uint32_t i = 0; i < def->dimension_count; i++)
        if (word_is(word, length, def->dimensions[i])) return (uint64_t)problem->sizes[i];
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (word_is(word, length, def->parameters[i].name)) return (uint64_t)config->values[i];
    for (uint32_t i = 0; i < def->define_count; i++)
        if (word_is(word, length, def->defines[i].name))
            return strtoull(def->defines[i].value, NULL, 10);
    /* A factor that is not a number must name a dimension, a parameter or a define */
    assert(length > 0 && word[0] >= '0' && word[0] <= '9');
    return strtoull(word, NULL, 10);
}

/* Returns the value of parameter `name`; 1 if there is no such parameter. */
static uint64_t factor_named(const hed_kernel_def *def, const hed_config *config, const char *name)
{
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (strcmp(def->parameters[i].name, name) == 0) return (uint64_t)config->values[i];
    return 1;
}

void hed_default_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    if (!def || !config || !problem || !geometry) return;
    uint64_t items = hed_problem_items(problem), group = factor_named(def, config, "WG");
    uint64_t per_item = factor_named(def, config, "VEC") * factor_named(def, config, "ITEMS");
    hed_geometry_1d(
        geometry, hed_ceil_divide(items, group * per_item), (int64_t)group, items, 1 << 16);
}

void hed_default_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    if (!def || !config || !problem || !work) return;
    *work = (hed_work){.items = (double)hed_problem_items(problem)};
    for (uint32_t i = 0; i < def->argument_count; i++) {
        const hed_argument_def *argument = &def->arguments[i];
        if (argument->kind != HED_BUFFER || argument->access == HED_WORKSPACE) continue;
        double times = argument->access == HED_READ_WRITE ? 2.0 : 1.0;
        work->bytes += times * (double)def->sample.bytes(def, config, problem, i);
    }
}

uint64_t hed_default_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    if (!def || !config || !problem) return 0;
    const hed_argument_def *a = &def->arguments[argument];
    if (a->kind != HED_BUFFER) return 0;
    uint64_t elements = 1;
    if (!a->count) elements = hed_problem_items(problem);
    else
        for (const char *word = a->count, *sign = "*";; word = sign + 1) {
            size_t length = strcspn(word, "*/");
            uint64_t value = factor_value(def, config, problem, word, length);
            elements = *sign == '*' ? elements * value : hed_ceil_divide(elements, value);
            sign = word + length;
            if (!*sign) break;
        }
    return elements * (a->size ? a->size : hed_type_size(a->type));
}

void hed_default_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed)
{
    if (!def || !problem || !data) return;
    const hed_argument_def *a = &def->arguments[argument];
    uint64_t count = a->kind == HED_BUFFER ? bytes / hed_type_size(a->type) : 1;
    for (uint32_t i = 0; a->kind == HED_SCALAR && i < def->dimension_count; i++) {
        if (strcmp(def->dimensions[i], a->name) != 0) continue;
        int64_t size = problem->sizes[i];
        if (a->type == HED_FLOAT) *(float *)data = (float)size;
        else if (a->type == HED_DOUBLE) *(double *)data = (double)size;
        else if (hed_type_size(a->type) == 8) *(int64_t *)data = size;
        else *(int32_t *)data = (int32_t)size;
        return;
    }
    if (a->kind == HED_STRUCT || a->kind == HED_LOCAL) return;
    if (a->type == HED_FLOAT) hed_sample_floats(data, count, seed, argument);
    else if (a->type == HED_DOUBLE)
        for (uint64_t i = 0; i < count; i++)
            ((double *)data)[i] = hed_sample_word(seed, argument, i) / 2147483648.0 - 1.0;
    else hed_sample_words(data, count * hed_type_size(a->type) / 4, seed, argument);
}
