/* Parameters of a solve's structure, and choices as texts: "GROUP=256 NOISE=fused" on a device,
 * "THREADS=4 SPLIT=yes" on the processor. */
#include <stdlib.h>
#include <string.h>

#include "solver/mppi_layout.h"

#define UP_TO_1024 64, 128, 256, 416, 512, 1024
const hed_parameter_def mppi_tile_parameters[TILE_PARAMETERS] = {
    [TILE_GROUP] = HED_PARAMETER(GROUP, 256, 32, UP_TO_1024),
    [TILE_SAMPLES] = HED_PARAMETER(SAMPLES, 32, 8, 16, 32, 64, 128, 256, 512),
    [TILE_NOISE] = HED_CHOICE(NOISE, 0, "phase", "fused", "ahead"),
    [TILE_SPLIT] = HED_SWITCH(SPLIT, 0),
    [TILE_STORE] = HED_CHOICE(STORE, 0, "local", "again", "global"),
    [TILE_UNROLL] = HED_PARAMETER(UNROLL, 10, 1, 2, 5, 10, 25, 50),
    [TILE_MERGERS] = HED_PARAMETER(MERGERS, 4, 1, 2, 4, 8),
    [TILE_TEAM] = HED_PARAMETER(TEAM, 1, 1, 2, 4, 8, 16, 32),
};

static const hed_parameter_def cpu_parameters[CPU_PARAMETERS] = {
    [CPU_THREADS] = {.name = "THREADS", .value = 1}, /* no list: any number */
    [CPU_SPLIT] = HED_CHOICE(SPLIT, 0, "no", "yes"),
};

const hed_kernel_def *mppi_choice_parameters(hed_mppi_solver solver)
{
    static const hed_kernel_def host = {.name = "host",
                                    .parameters = cpu_parameters,
                                    .parameter_count = CPU_PARAMETERS},
                                tile = {.name = "tile",
                                    .parameters = mppi_tile_parameters,
                                    .parameter_count = TILE_PARAMETERS};
    return solver == HED_MPPI_SOLVER_CPU ? &host : &tile;
}

/* Returns the index of the parameter whose name is the first `length` characters of a text. */
static uint32_t find_parameter(const hed_kernel_def *list, const char *name, size_t length)
{
    uint32_t i = 0;
    for (; i < list->parameter_count; i++)
        if (strlen(list->parameters[i].name) == length &&
            strncmp(list->parameters[i].name, name, length) == 0)
            break;
    return i;
}

/* Finds a parameter's value among its labels or numbers. False: there is no such value. */
static bool find_value(const hed_parameter_def *p, const char *text, size_t length, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    bool is_number = length && end == text + length;
    for (uint32_t i = 0; p->labels && i < p->count; i++)
        if (strlen(p->labels[i]) == length && strncmp(p->labels[i], text, length) == 0) {
            *value = p->values[i];
            return true;
        }
    for (uint32_t i = 0; i < p->count; i++)
        if (is_number && p->values[i] == *value) return true;
    return is_number && p->count == 0 && *value >= 1;
}

hed_status mppi_take_choice(
    const char *choice, const hed_kernel_def *list, hed_config *config, hed_error *error)
{
    const hed_kernel_def *tile = mppi_choice_parameters(HED_MPPI_SOLVER_LAUNCHES),
                         *host = mppi_choice_parameters(HED_MPPI_SOLVER_CPU);
    while (choice && *choice) {
        size_t name = strcspn(choice, "="), word = strcspn(choice, " ");
        uint32_t index = find_parameter(list, choice, name);
        const hed_kernel_def *counterpart = list == tile ? host : tile;
        bool is_known = find_parameter(counterpart, choice, name) < counterpart->parameter_count;
        if (name >= word || (index == list->parameter_count && !is_known))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: choice \"%.*s\": expected a parameter and its value, as \"GROUP=256 "
                "SAMPLES=16\"",
                (int)word, choice);
        const hed_parameter_def *p = &list->parameters[index];
        int64_t value;
        if (index < list->parameter_count &&
            !find_value(p, choice + name + 1, word - name - 1, &value))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: choice \"%.*s\": no such value; the smallest is %lld, the largest %lld",
                (int)word, choice, (long long)(p->count ? p->values[0] : 1),
                (long long)(p->count ? p->values[p->count - 1] : INT32_MAX));
        if (index < list->parameter_count) config->values[index] = value;
        choice += word;
        choice += strspn(choice, " ");
    }
    return HED_OK;
}
