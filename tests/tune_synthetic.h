/* A tuning that never happened, as large as one likes: for tests of what shows results. Times
 * follow a smooth law of the parameters of the canonical convolution, with noise; a share of the
 * evaluations fails in every way there is. */
#ifndef HED_TESTS_TUNE_SYNTHETIC_H
#define HED_TESTS_TUNE_SYNTHETIC_H

#include "heddle/canonical.h"
#include "heddle/tune_file.h"
#include "tunefile/report/report_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct synthetic_tuning {
    hed_tune_result result;
    hed_tune_report_def def;
    hed_device_info device;
} synthetic_tuning;

static inline double synthetic_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Seconds of a configuration, by distance from an optimum on the logarithm of each parameter. */
static inline double synthetic_seconds(const hed_config *config)
{
    static const double optimum[] = {32, 4, 2, 6, 1, 1, 0},
                        weight[] = {0.35, 0.12, 0.2, 0.25, 0.5, 0.15, 0.05};
    double sum = 0;
    for (uint32_t p = 0; p < config->count; p++) {
        double distance = log2((double)config->values[p] + 1) - log2(optimum[p] + 1);
        sum += weight[p] * distance * distance;
    }
    return 1.25e-3 * exp(0.6 * sum);
}

static inline void synthetic_evaluate(hed_evaluation *evaluation, double best, uint64_t *state)
{
    static const char *const texts[HED_OUTCOME_COUNT] = {
        [HED_OUTCOME_INVALID] = "70144 bytes of local memory, the device has 49152",
        [HED_OUTCOME_BUILD] =
            "blur.cl:12:5: error: use of undeclared identifier 'tile' in <kernel> & \"more\"",
        [HED_OUTCOME_LAUNCH] = "clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES (-5)",
        [HED_OUTCOME_WRONG] =
            "argument out, element 4711: found 0.25, expected 0.5, tolerance 1e-05",
        [HED_OUTCOME_CRASHED] = "the worker ended with signal 11 (Segmentation fault)",
        [HED_OUTCOME_HUNG] = "not done after 10 s",
        [HED_OUTCOME_IMPOSSIBLE] = "0 s; 67 million pixels take at least 0.08 ms"};
    double dice = synthetic_random(state),
           seconds = synthetic_seconds(&evaluation->config) * (1 + 0.01 * synthetic_random(state));
    evaluation->outcome = HED_OUTCOME_MEASURED;
    if (dice < 0.08)
        evaluation->outcome =
            (hed_outcome)(HED_OUTCOME_INVALID +
                          (uint32_t)(dice / 0.08 * (HED_OUTCOME_COUNT - HED_OUTCOME_INVALID)));
    else if (seconds > 1.5 * best) evaluation->outcome = HED_OUTCOME_DROPPED;
    bool worked = evaluation->outcome <= HED_OUTCOME_DROPPED;
    evaluation->runs = evaluation->outcome == HED_OUTCOME_DROPPED ? 3 : 25;
    evaluation->seconds = worked ? seconds : NAN;
    evaluation->low = worked ? seconds * (1 - 0.004 * synthetic_random(state)) : NAN;
    evaluation->high = worked ? seconds * (1 + 0.004 * synthetic_random(state)) : NAN;
    evaluation->error = worked ? 1e-7 : NAN;
    if (!worked)
        snprintf(evaluation->text, sizeof evaluation->text, "%s", texts[evaluation->outcome]);
}

/* Joules of each second configuration that works: the power falls as the time grows. */
static inline void synthetic_energy(synthetic_tuning *t)
{
    hed_tune_result *r = &t->result;
    double best = r->evaluations[r->best].seconds;
    for (uint32_t i = 0; i < r->count; i++) {
        hed_evaluation *e = &r->evaluations[i];
        bool is_measured = i % 2 == 0 || i == r->best;
        if (hed_report_has_value(e) && is_measured)
            e->second = e->seconds * (100 + 600 * pow(best / e->seconds, 2.5) + 40 * sin(i));
    }
}

/* Hardware counters: the winner waits for memory, the default for local memory, whose banks conflict. */
static inline void synthetic_counters(synthetic_tuning *t)
{
    hed_tune_result *r = &t->result;
    r->has_counters = true;
    r->counters = (hed_counters){.occupancy = 0.61,
        .bytes_read = 1.0738e9,
        .bytes_written = 536.9e6,
        .cache_hits = 0.031,
        .memory_busy = 0.884,
        .units_busy = 0.21,
        .conflicts = 0,
        .issues = 0.05,
        .waits = {[HED_WAIT_MEMORY] = 0.6,
            [HED_WAIT_RESULT] = 0.2,
            [HED_WAIT_TURN] = 0.1,
            [HED_WAIT_CODE] = 0.05}};
    r->default_counters = r->counters;
    r->default_counters.conflicts = 0.97;
    r->default_counters.bytes_read = 999.4;
    r->default_counters.waits[HED_WAIT_LOCAL] = 0.6;
    r->default_counters.waits[HED_WAIT_MEMORY] = 0;
}

/* `count` evaluations of distinct random points, the first of them the default. Freed with
 * synthetic_free(). */
static inline synthetic_tuning synthetic_make(uint32_t count, uint64_t seed)
{
    synthetic_tuning t = {0};
    const hed_kernel_def *kernel = hed_canonical_find("convolution");
    hed_tune_result *r = &t.result;
    uint64_t total = hed_config_count(kernel), stride = total / (count + 1) | 1;
    double best = INFINITY;
    r->evaluations = calloc(count, sizeof *r->evaluations);
    r->count = count;
    for (uint32_t i = 0; i < count; i++) {
        hed_evaluation *evaluation = &r->evaluations[i];
        evaluation->config =
            i == 0 ? hed_config_default(kernel) : hed_config_at(kernel, i * stride % total);
        synthetic_evaluate(evaluation, best, &seed);
        evaluation->drift = 1;
        if (i == 0)
            evaluation->outcome = HED_OUTCOME_MEASURED,
            evaluation->seconds = synthetic_seconds(&evaluation->config);
        if (evaluation->outcome == HED_OUTCOME_MEASURED && evaluation->seconds < best) {
            best = evaluation->seconds;
            r->best = i;
        }
    }
    r->default_index = 0;
    r->stored_index = count;
    uint32_t order[3]; /* the winner and two that tie with it */
    r->ties = hed_report_top(r, order, 3) - 1;
    for (uint32_t i = 1; i <= r->ties; i++) r->evaluations[order[i]].tied = true;
    r->gain = r->evaluations[0].seconds / best;
    r->space = 18744;
    r->end = HED_TUNE_EVALUATIONS;
    r->reference = HED_REFERENCE_NATIVE;
    r->device_time = true;
    r->in_process_reason = "";
    r->drift = 0.004;
    r->seconds = 41.3;
    r->work = (hed_work){.bytes = 8.0 * 8192 * 8192,
        .operations = 2.0 * 17 * 17 * 8192 * 8192,
        .items = 8192.0 * 8192};
    r->bandwidth = 4.1e12;
    r->arithmetic = 6.0e13;
    r->share = r->work.operations / r->arithmetic / best;
    memcpy(r->importance, (const double[]){0.34, 0.06, 0.14, 0.28, 0.13, 0.042, 0.008},
        7 * sizeof(double));
    r->problem = kernel->sample.benchmark;
    t.device = (hed_device_info){.id = "cuda:0",
        .backend = "cuda",
        .platform = "NVIDIA CUDA",
        .name = "Synthetic <GPU> & Co",
        .vendor = "none",
        .driver = "1.0",
        .compute_units = 132,
        .lane_width = 32,
        .max_group = 1024,
        .local_bytes = 232448,
        .memory_bytes = 150000000000,
        .cache_bytes = 62914560};
    t.def = (hed_tune_report_def){.kernel = kernel,
        .settings = "auto, 7000 evaluations, seed 1",
        .origin = "heddle:convolution",
        .database = "/home/user/.local/share/heddle/tuning.db",
        .date = "2026-11-21 14:03"};
    return t;
}

/* The definition with its pointers; `t` must stay where it is. */
static inline const hed_tune_report_def *synthetic_def(synthetic_tuning *t)
{
    t->def.result = &t->result;
    t->def.device = &t->device;
    return &t->def;
}

/* Texts from outside in every place, as bad as they come; kernel and parameters live as long as
 * `t`. */
static inline void synthetic_hostile(
    synthetic_tuning *t, hed_kernel_def *kernel, hed_parameter_def *parameters)
{
    *kernel = *t->def.kernel;
    memcpy(parameters, kernel->parameters, kernel->parameter_count * sizeof *parameters);
    static const char *const labels[] = {"</script><b>", "on"};
    parameters[0].name = "A<b>\"&'";
    parameters[4].labels = labels;
    kernel->parameters = parameters;
    kernel->name = "</title><script>alert(1)</script>";
    kernel->summary = "bad \x80 utf-8 \xed\xa0\x80 and \x01 control, good \xc3\xa9";
    t->def.kernel = kernel;
    t->def.origin = "<img src=x>";
    t->def.settings = "<i>";
    t->result.in_process = true;
    t->result.in_process_reason = "<u>";
    t->result.evaluations[5].outcome = HED_OUTCOME_BUILD;
    snprintf(t->result.evaluations[5].text, sizeof t->result.evaluations[5].text,
        "vector<int> & </pre>");
}

enum { SYNTHETIC_STRANGE = 5 };

/* One strange thing after another, each on top of those before. */
static inline void synthetic_strange(synthetic_tuning *t, int step)
{
    static const hed_kernel_def bare = {.name = "bare"};
    hed_tune_result *r = &t->result;
    if (step == 0) r->work = (hed_work){0};
    if (step == 1) { /* nothing worked */
        for (uint32_t i = 0; i < r->count; i++)
            r->evaluations[i] = (hed_evaluation){.config = r->evaluations[i].config,
                .outcome = HED_OUTCOME_BUILD,
                .seconds = NAN,
                .drift = 1};
        r->best = r->default_index = r->count;
        r->share = r->gain = NAN;
    }
    if (step == 2) r->best = r->default_index = r->stored_index = r->count = 0;
    if (step == 3) r->drift = NAN;
    if (step == 4) t->def = (hed_tune_report_def){.kernel = &bare};
}

/* Two parameters of 250 values each, one evaluation for each cell. `kernel` and `parameters` (2)
 * live as long as `t`. */
static inline void synthetic_wide(
    synthetic_tuning *t, hed_kernel_def *kernel, hed_parameter_def *parameters)
{
    static int64_t values[250];
    for (int i = 0; i < 250; i++) values[i] = i;
    parameters[0] = (hed_parameter_def){"A", values, 250, 0, NULL};
    parameters[1] = (hed_parameter_def){"B", values, 250, 0, NULL};
    *kernel = (hed_kernel_def){.name = "wide", .parameters = parameters, .parameter_count = 2};
    for (uint32_t i = 0; i < t->result.count; i++)
        t->result.evaluations[i].config = (hed_config){2, {i % 250, i / 250}};
    t->def.kernel = kernel;
}

static inline void synthetic_free(synthetic_tuning *t) { free(t->result.evaluations); }

/* On three devices, of which one was lost and one has come back. */
static inline void synthetic_devices(synthetic_tuning *t)
{
    t->result.device_count = 3;
    t->result.devices[0] =
        (hed_tune_on){.device = "cuda:0", .done = 20, .failed = 3, .drift = 1, .seconds = 1.00e-3};
    t->result.devices[1] = (hed_tune_on){.device = "node7:cuda:1",
        .done = 21,
        .drift = 1.02,
        .seconds = NAN,
        .lost = true,
        .losses = 2,
        .why = "it said: <no route>"};
    t->result.devices[2] = (hed_tune_on){
        .device = "node8:cuda:0", .done = 19, .drift = 0.99, .seconds = 1.03e-3, .losses = 1};
}

#endif
