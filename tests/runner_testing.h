/* What the tests of runners share: a kernel y = factor * x + 1 whose parameter FAULT chooses what
 * is wrong with it, and one that changes its buffer in place. Both have native versions, so that
 * the runner in this process is tested on `host` too. */
#ifndef HED_TESTS_RUNNER_TESTING_H
#define HED_TESTS_RUNNER_TESTING_H

#include <math.h>
#include <unistd.h>

#include "testing.h"
#include "measure/runners.h"

static hed_error error;

enum { ITEMS = 1 << 16 }; /* a GPU compares contents of this size itself */

enum fault {
    RIGHT,
    WRONG_VALUE, /* one element */
    WRITES_NOTHING,
    BEHIND_ITS_END,
    CHANGES_INPUT,
    NOT_A_NUMBER,
    NO_C, /* does not compile */
    LOOPS,
    SEGFAULTS,
    HALF_WRITTEN,
    TOO_MUCH_LOCAL, /* and says so in its geometry */
    LIES_OF_LOCAL,  /* an array in its text that no driver is asked about before */
    BEFORE_ITS_BEGINNING,
    FAR_BEHIND_ITS_END,
    FAULT_COUNT
};

static const char scale_text[] =
    "__kernel void scale(__global float *x, __global float *y, float factor, uint n, HED_LOCAL(float, scratch))\n"
    "{\n"
    "    HED_LOCAL_USE(float, scratch);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "#if FAULT == 6\n"
    "    this is no C;\n"
    "#endif\n"
    "#if FAULT == 11\n"
    "    HED_LOCAL_ARRAY(float, large, 1 << 28);\n"
    "    for (uint j = get_local_id(0); j < 1 << 28; j += 4096) large[j] = x[0];\n"
    "    if (large[n] == 5.0f) return;\n"
    "#endif\n"
    "    scratch[get_local_id(0) % 16] = 1.0f;\n"
    "    if (i >= n) return;\n"
    "    float right = factor * x[i] + 1.0f;\n"
    "    if (FAULT == 1 && i == 7) right += 0.5f;\n"
    "    if (FAULT == 5 && i == 9) right = NAN;\n"
    "    if (FAULT == 7 && i == 0) { volatile __global float *v = y; while (v[0] != 12345.0f) v[1] = 1.0f; }\n"
    "    if (FAULT == 8) { volatile __global float *v = y; v[(ulong)1 << 40] = 1.0f; }\n"
    "    if (FAULT != 2 && !(FAULT == 9 && i % 2)) y[i] = right;\n"
    "    if (FAULT == 3 && i == 0) y[n] = 0.0f;\n"
    "    if (FAULT == 12 && i == 0) y[-1] = 0.0f;\n"
    "    if (FAULT == 13 && i == 0) y[n + 1000] = 0.0f;\n"
    "    if (FAULT == 4 && i == 3) x[i] = right;\n"
    "}\n";

static const hed_source scale_source = {"scale.cl", scale_text, 0};
static const hed_argument_def scale_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "factor", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "scratch", .kind = HED_LOCAL, .type = HED_FLOAT}};
static const int64_t group_values[] = {32, 64};
static const int64_t fault_values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
static const hed_parameter_def scale_parameters[] = {
    {.name = "WG", .values = group_values, .count = 2, .value = 64},
    {.name = "FAULT", .values = fault_values, .count = FAULT_COUNT, .value = 0}};
static const char *const scale_dimensions[] = {"n"};

static void scale_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    geometry->dimensions = 1;
    geometry->global[0] = (uint64_t)problem->sizes[0];
    geometry->group[0] = (uint32_t)config->values[0];
    bool large = hed_config_get(def, config, "FAULT") == TOO_MUCH_LOCAL;
    geometry->local_bytes[4] = large ? (uint64_t)1 << 40 : 64;
}

static void scale_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *x = call->arguments[0], *y = call->arguments[1];
    int64_t fault = call->config->values[1];
    float factor;
    uint32_t n;
    memcpy(&factor, call->arguments[2], sizeof factor);
    memcpy(&n, call->arguments[3], sizeof n);
    for (uint64_t i = begin; i < end && i < n; i++) {
        float right = factor * x[i] + 1;
        if (fault == WRONG_VALUE && i == 7) right += 0.5f;
        if (fault == NOT_A_NUMBER && i == 9) right = NAN;
        if (fault != WRITES_NOTHING && !(fault == HALF_WRITTEN && i % 2)) y[i] = right;
        if (fault == BEHIND_ITS_END && i == 0) y[n] = 0;
        if (fault == BEFORE_ITS_BEGINNING && i == 0) y[-1] = 0;
        if (fault == FAR_BEHIND_ITS_END && i == 0) y[n + 1000] = 0;
        if (fault == CHANGES_INPUT && i == 3) x[i] = right;
    }
}

static const hed_kernel_def scale = {.name = "scale",
    .sources = &scale_source,
    .source_count = 1,
    .arguments = scale_arguments,
    .argument_count = 5,
    .parameters = scale_parameters,
    .parameter_count = 2,
    .dimensions = scale_dimensions,
    .dimension_count = 1,
    .geometry = scale_geometry,
    .range = scale_range};

/* ---- in place: x += 1 ---- */

static const hed_source step_source = {"step.cl",
    "__kernel void advance(__global int *x)\n{\n    x[get_global_id(0)] += 1 + 0 * WG;\n}\n", 0};
static const hed_argument_def step_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE}};

static void step_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    geometry->dimensions = 1;
    geometry->global[0] = (uint64_t)problem->sizes[0];
    geometry->group[0] = (uint32_t)config->values[0];
}

static void step_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    int32_t *x = call->arguments[0];
    for (uint64_t i = begin; i < end; i++) x[i]++;
}

static const hed_kernel_def advance = {.name = "advance",
    .sources = &step_source,
    .source_count = 1,
    .arguments = step_arguments,
    .argument_count = 1,
    .parameters = scale_parameters,
    .parameter_count = 1,
    .dimensions = scale_dimensions,
    .dimension_count = 1,
    .geometry = step_geometry,
    .range = step_range};

/* ---- a runner of either kernel ---- */

typedef hed_status create_runner(const hed_runner_def *def, hed_runner **runner, hed_error *why);

typedef struct runner_test {
    test_device on;
    hed_runner *runner;
    hed_problem problem;
    hed_runner_def def;
    hed_runner_argument arguments[5];
    float x[ITEMS], expected[ITEMS], factor;
    uint32_t n;
    int32_t before[1024], after[1024];
} runner_test;

static inline void describe_scale(runner_test *t)
{
    t->factor = 3;
    t->n = ITEMS;
    for (int i = 0; i < ITEMS; i++) {
        t->x[i] = (float)(i % 13) - 5;
        t->expected[i] = t->factor * t->x[i] + 1;
    }
    t->problem = hed_problem_1d(ITEMS);
    t->arguments[0] = (hed_runner_argument){.data = t->x, .bytes = sizeof t->x};
    t->arguments[1] =
        (hed_runner_argument){.bytes = sizeof t->x, .expected = t->expected, .tolerance = 1e-5};
    t->arguments[2] = (hed_runner_argument){.data = &t->factor, .bytes = sizeof t->factor};
    t->arguments[3] = (hed_runner_argument){.data = &t->n, .bytes = sizeof t->n};
    t->def = (hed_runner_def){.device = t->on.device,
        .kernel = &scale,
        .problem = &t->problem,
        .arguments = t->arguments,
        .timeout_seconds = 10};
}

static inline void describe_advance(runner_test *t)
{
    for (int i = 0; i < 1024; i++) t->before[i] = i, t->after[i] = i + 1;
    t->problem = hed_problem_1d(1024);
    t->arguments[0] =
        (hed_runner_argument){.data = t->before, .bytes = sizeof t->before, .expected = t->after};
    t->def = (hed_runner_def){.device = t->on.device,
        .kernel = &advance,
        .problem = &t->problem,
        .arguments = t->arguments,
        .timeout_seconds = 10};
}

static inline hed_config config_of(int64_t group, enum fault fault)
{
    return (hed_config){.count = 2, .values = {group, fault}};
}

/* Prepares slot 0 and gives what became of it. */
static inline hed_trial try_in(hed_runner *runner, uint32_t slot, int64_t group, enum fault fault)
{
    hed_trial trial;
    hed_config config = config_of(group, fault);
    OK(runner->kind->prepare(runner, slot, &config, &trial, &error));
    return trial;
}

static inline void expect(const hed_trial *trial, hed_outcome outcome, const char *words)
{
    CHECK_EQ(trial->outcome, outcome, "%s instead of %s: %s", hed_outcome_name(trial->outcome),
        hed_outcome_name(outcome), trial->text);
    CHECK(strstr(trial->text, words), "no \"%s\" in \"%s\"", words, trial->text);
}

/* Each fault after a candidate that was right and has left the right answer behind. */
static inline void find_every_fault(hed_runner *runner)
{
    static const struct {
        enum fault fault;
        const char *words;
    } faults[] = {{WRONG_VALUE, "y[7]"}, {WRITES_NOTHING, "does not write element 0 of y"},
        {BEHIND_ITS_END, "y was written 0 bytes behind its end"},
        {BEFORE_ITS_BEGINNING, "y was written 4 bytes before its beginning"},
        {FAR_BEHIND_ITS_END, "y was written 4000 bytes behind its end"},
        {CHANGES_INPUT, "x is only read, and its byte 1"}, {NOT_A_NUMBER, "y[9] is nan"},
        {HALF_WRITTEN, "does not write element 1 of y"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        hed_trial trial = try_in(runner, 0, 64, RIGHT);
        expect(&trial, HED_OUTCOME_MEASURED, "");
        trial = try_in(runner, 1, 64, faults[i].fault);
        expect(&trial, HED_OUTCOME_WRONG, faults[i].words);
        FAILS(HED_ERROR_ARGUMENT, runner->kind->time(runner, 1, 1, &(double){0}, &trial, &error));
    }
    hed_trial trial = try_in(runner, 1, 64, TOO_MUCH_LOCAL);
    expect(&trial, HED_OUTCOME_INVALID, "local memory");
    hed_config none = config_of(48, RIGHT);
    OK(runner->kind->prepare(runner, 1, &none, &trial, &error));
    expect(&trial, HED_OUTCOME_INVALID, "WG=48");
}

/* However often it runs, what is changed in place begins with its first content. */
static inline void run_in_place(hed_runner *runner)
{
    int32_t found[1024];
    double values[9];
    hed_trial trial;
    hed_config config = {.count = 1, .values = {64}};
    for (int again = 0; again < 2; again++) {
        OK(runner->kind->prepare(runner, 0, &config, &trial, &error));
        expect(&trial, HED_OUTCOME_MEASURED, "");
        OK(runner->kind->time(runner, 0, 9, values, &trial, &error));
        expect(&trial, HED_OUTCOME_MEASURED, "");
        OK(runner->kind->output(runner, 0, 0, 0, found, &trial, &error));
        for (int i = 0; i < 1024; i++) CHECK_EQ(found[i], i + 1, "x[%d] is %d", i, found[i]);
    }
}

/* With the cache emptied before each run; and a time that is faster than the device. */
static inline void time_cold_and_refuse(runner_test *t, create_runner *create)
{
    double values[3];
    t->def.cold_cache = true;
    t->def.floor_seconds = 1e-12;
    OK(create(&t->def, &t->runner, &error));
    hed_trial trial = try_in(t->runner, 0, 64, RIGHT);
    OK(t->runner->kind->time(t->runner, 0, 1, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    hed_runner_destroy(t->runner);
    t->def.cold_cache = false;
    t->def.floor_seconds = 1e3;
    OK(create(&t->def, &t->runner, &error));
    trial = try_in(t->runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    OK(t->runner->kind->time(t->runner, 0, 3, values, &trial, &error));
    expect(&trial, HED_OUTCOME_IMPOSSIBLE, "expected at least");
    hed_runner_destroy(t->runner);
}

#endif
