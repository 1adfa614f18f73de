/* Configurations and problems: plain values aligned with a description's parameters and
 * dimensions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/objects.h"

uint32_t hed_kernel_ignores(const hed_kernel_def *def, const hed_device *device)
{
    if (!def || !device) return 0;
    return device->backend->build ? 0 : def->native_ignores;
}

void hed_config_format(const hed_kernel_def *def, const hed_config *config, char *text, size_t size)
{
    if (!def || !config || (!text && size)) return;
    size_t used = 0;
    if (size) text[0] = 0;
    for (uint32_t i = 0; i < def->parameter_count && used < size; i++) {
        const hed_parameter_def *parameter = &def->parameters[i];
        const char *label = NULL, *blank = i ? " " : "";
        for (uint32_t v = 0; parameter->labels && v < parameter->count && !label; v++)
            if (parameter->values[v] == config->values[i]) label = parameter->labels[v];
        int n = label ? snprintf(text + used, size - used, "%s%s=%s", blank, parameter->name, label)
                      : snprintf(text + used, size - used, "%s%s=%" PRId64, blank, parameter->name,
                            config->values[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* Returns one factor of a launch bound: a parameter's value, or a number. */
static uint64_t bound_factor(
    const hed_kernel_def *def, const hed_config *config, const char *word, size_t length)
{
    for (uint32_t i = 0; i < def->parameter_count; i++)
        if (strlen(def->parameters[i].name) == length &&
            memcmp(def->parameters[i].name, word, length) == 0)
            return (uint64_t)config->values[i];
    return strtoul(word, NULL, 10);
}

uint32_t hed_config_max_threads(const hed_kernel_def *def, const hed_config *config)
{
    if (!def->max_threads) return 0;
    uint64_t product = 1;
    for (const char *word = def->max_threads; *word;) {
        size_t length = strcspn(word, "*");
        product *= bound_factor(def, config, word, length);
        word += length + (word[length] == '*');
    }
    return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}
