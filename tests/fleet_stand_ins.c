/* A search on stand-ins of 1, 2, 4 and 8 devices, each of which takes 20 ms for a candidate: the time that the search, the
 * queue and the final rounds cost when devices, drivers and compilers cost nothing.
 *
 *     ninja fleet_stand_ins && ./tests/fleet_stand_ins */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tune/tuning_state.h"
#include "workers/worker.h"

enum { MOST_DEVICES = 8, EVALUATIONS = 200, CANDIDATE_MS = 20, PARAMETERS = 6 };

typedef struct stand_in {
    hed_runner runner;
    double seconds[HED_RUNNER_SLOTS]; /* time of a run of each slot */
} stand_in;

static hed_device *devices[MOST_DEVICES];
static stand_in stand_ins[MOST_DEVICES];

/* ---- a device ---- */

/* Smooth in the logarithms of the parameters, with its minimum of 0.2 ms inside. */
static double run_seconds(const hed_config *config)
{
    double distance = 0;
    for (uint32_t i = 0; i < PARAMETERS; i++)
        distance += fabs(log2((double)config->values[i]) - (i + 4) / 3);
    return 2e-4 * (1 + 0.2 * distance);
}

static hed_status stand_in_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    const struct timespec candidate = {.tv_nsec = CANDIDATE_MS * 1000000L};
    (void)error;
    nanosleep(&candidate, NULL);
    ((stand_in *)runner)->seconds[slot] = run_seconds(config);
    *trial = (hed_trial){.error = NAN};
    return HED_OK;
}

static hed_status stand_in_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    const double seconds = ((stand_in *)runner)->seconds[slot];
    const struct timespec all = {.tv_nsec = (long)(runs * seconds * 1e9)};
    (void)error;
    nanosleep(&all, NULL);
    for (uint32_t i = 0; i < runs; i++) values[i] = seconds * (1 + 1e-3 * rand() / RAND_MAX);
    *trial = (hed_trial){.error = NAN};
    return HED_OK;
}

static void stand_in_destroy(hed_runner *runner) { (void)runner; }

static const hed_runner_kind STAND_IN = {
    .destroy = stand_in_destroy, .prepare = stand_in_prepare, .time = stand_in_time};

static hed_status stand_in_open(const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    uint32_t index = 0;
    (void)error;
    while (devices[index] != def->device) index++;
    stand_ins[index].runner.kind = &STAND_IN;
    *runner = &stand_ins[index].runner;
    return HED_OK;
}

static bool cannot_restart(const hed_device *device)
{
    (void)device;
    return false;
}

/* ---- a tuning ---- */

static double tune_on(uint32_t count, const hed_space *space, hed_error *error)
{
    static const hed_fleet_kind kind = {.open = stand_in_open, .can_restart = cannot_restart};
    hed_tune_def def = hed_default_tune_def();
    def.evaluations = EVALUATIONS;
    def.seed = 1;
    def.keep = false;
    hed_runner_def runner_def = {.device = devices[0]};
    hed_tuning t = {.device = devices[0], .def = &def, .space = space, .warm = true, .fleet = true};
    hed_tune_result *result = NULL;
    double began = hed_worker_now();
    if (!hed_tuning_open(&t, error) &&
        !hed_fleet_create(&runner_def, devices, count, &kind, &t.runner, error)) {
        t.builders = t.runner->builders;
        t.default_config = hed_space_at(space, 0);
        t.has_default = true;
        hed_tuning_run(&t, &result, error);
    }
    hed_tuning_close(&t);
    hed_runner_destroy(t.runner);
    hed_tune_result_free(result);
    return hed_worker_now() - began;
}

int main(void)
{
    static const int64_t values[] = {1, 2, 4, 8, 16};
    static const char *const names[PARAMETERS] = {"A", "B", "C", "D", "E", "F"};
    static const hed_device_info info = {
        .id = "stand-in", .backend = "stand-in", .max_group = 64, .type = HED_DEVICE_GPU};
    hed_parameter_def parameters[PARAMETERS];
    hed_error error = {0};
    hed_context *context = NULL;
    hed_space *space = NULL;
    for (uint32_t i = 0; i < PARAMETERS; i++)
        parameters[i] = (hed_parameter_def){.name = names[i],
            .values = values,
            .count = sizeof values / sizeof *values,
            .value = 1};
    const hed_space_def def = {.parameters = parameters, .parameter_count = PARAMETERS};
    hed_context_def context_def = hed_default_context_def();
    context_def.database = "";
    hed_context_create(&context_def, &context, &error);
    hed_space_create(&def, &space, &error);
    for (uint32_t i = 0; i < MOST_DEVICES && !hed_failed(&error); i++)
        hed_device_create_described(context, &info, &devices[i], &error);
    double alone = 0;
    for (uint32_t count = 1; count <= MOST_DEVICES && !hed_failed(&error); count *= 2) {
        double seconds = tune_on(count, space, &error);
        if (count == 1) alone = seconds;
        printf("%u: %.2f s, %.2f times as fast as one\n", count, seconds, alone / seconds);
    }
    if (hed_failed(&error)) fprintf(stderr, "%s\n", error.text);
    return hed_failed(&error);
}
