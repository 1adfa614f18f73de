/* Tuning somewhere else: a device that is described and not opened, and a runner that the caller
 * brings, here one that works its times out. */
#include "folder.h"

#include <math.h>

#include "heddle/runner.h"
#include "tunefile/report/report_numbers.h"

static hed_error error;
static hed_context *context;

static void described_open(void)
{
    folder_make();
    hed_context_def def = hed_default_context_def();
    def.database = in_folder("tuning.db");
    OK(hed_context_create(&def, &context, &error));
}

static void described_close(void)
{
    hed_context_destroy(context);
    folder_remove();
}

TestSuite(described, .init = described_open, .fini = described_close);

/* ---- the kernel: groups of WG x 1 over n items; SPLIT doubles the work ---- */

enum { ITEMS = 1000, LIMIT = 256 };

static const int64_t groups[] = {16, 32, 64, 128, 256, 512}, splits[] = {1, 2};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = 6, .value = 16},
    {.name = "SPLIT", .values = splits, .count = 2, .value = 1}};
static const hed_argument_def arguments[] = {
    {.name = "y", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE}};
static const hed_source source = {"scale.wgsl", "override WG: u32 = 16;", 0};
static const char *const dimensions[] = {"n"};

static void scale_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    *geometry = (hed_geometry){.dimensions = 1,
        .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)config->values[0]}};
}

static hed_kernel_def kernel_of(hed_language language)
{
    return (hed_kernel_def){.name = "scale",
        .sources = &source,
        .source_count = 1,
        .language = language,
        .arguments = arguments,
        .argument_count = 1,
        .parameters = parameters,
        .parameter_count = 2,
        .dimensions = dimensions,
        .dimension_count = 1,
        .geometry = scale_geometry};
}

/* ---- the device ---- */

static hed_device *device_of(const char *driver)
{
    hed_device *device;
    const hed_device_info info = {.id = "far",
        .backend = "far",
        .platform = "a machine",
        .name = "a GPU far away",
        .vendor = "nobody",
        .driver = driver,
        .type = HED_DEVICE_GPU,
        .architecture = 7,
        .max_group = LIMIT,
        .max_group_size = {LIMIT, LIMIT, 64},
        .local_bytes = 16384,
        .capabilities = HED_CAN_WGSL};
    OK(hed_device_create_described(context, &info, &device, &error));
    return device;
}

/* ---- the runner ---- */

typedef struct far_runner {
    hed_runner runner;
    hed_runner_def def;
    hed_config slots[HED_RUNNER_SLOTS], ahead[64];
    uint32_t ahead_count;
    struct far *far;
} far_runner;

/* What was seen of all runners of a tuning, and what they are told to do. */
typedef struct far {
    uint32_t opened, destroyed, prepared, announced, over_limits;
    uint32_t builders;
    int64_t wrong;     /* WG of a candidate with wrong results; 0: none */
    hed_status breaks; /* the third time this is the answer to time() */
    uint32_t timed;
    uint32_t noise;
    uint32_t energies; /* values that were joules */
} far;

static const hed_trial FINE = {.outcome = HED_OUTCOME_MEASURED, .error = 0, .build_seconds = 0.01};

static void far_destroy(hed_runner *runner)
{
    ((far_runner *)runner)->far->destroyed++;
    free(runner);
}

static hed_status far_build_ahead(hed_runner *runner, const hed_config *config, hed_error *e)
{
    (void)e;
    far_runner *r = (far_runner *)runner;
    CHECK_LT(r->ahead_count, 64u);
    r->ahead[r->ahead_count++] = *config;
    return HED_OK;
}

static bool far_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    (void)seconds;
    far_runner *r = (far_runner *)runner;
    if (!r->ahead_count) return false;
    *config = r->ahead[--r->ahead_count];
    *trial = FINE;
    return true;
}

static hed_status far_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *e)
{
    (void)e;
    far_runner *r = (far_runner *)runner;
    const uint32_t *expected = r->def.arguments[0].expected;
    *trial = FINE;
    r->far->prepared++;
    r->far->over_limits += config->values[0] > LIMIT;
    r->slots[slot] = *config;
    if (config->values[0] == r->far->wrong || (expected && expected[5] != 5)) {
        trial->outcome = HED_OUTCOME_WRONG;
        snprintf(trial->text, sizeof trial->text, "y[5] is wrong");
    }
    return HED_OK;
}

/* 64 is best, and a split costs half as much again; a tenth of a percent of noise. */
static double far_seconds(far_runner *r, uint32_t slot)
{
    const hed_config *config = &r->slots[slot];
    double off = fabs(log2((double)config->values[0] / 64));
    r->far->noise = r->far->noise * 1664525 + 1013904223;
    double seconds = 1e-3 * (1 + off) * (config->values[1] == 2 ? 1.5 : 1) *
                     (1 + 1e-3 * r->far->noise / UINT32_MAX);
    bool is_energy = r->def.objective == HED_OBJECTIVE_ENERGY;
    r->far->energies += is_energy;
    /* a split has a third of the power */
    return !is_energy ? seconds : 300 * seconds / (config->values[1] == 2 ? 3 : 1);
}

static hed_status far_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *e)
{
    far_runner *r = (far_runner *)runner;
    *trial = FINE;
    for (uint32_t i = 0; i < runs; i++) values[i] = far_seconds(r, slot);
    if (r->far->breaks && ++r->far->timed == 3)
        return hed_fail(e, r->far->breaks, "the line to far is cut");
    return HED_OK;
}

static hed_status far_output(hed_runner *runner, uint32_t slot, uint32_t argument, uint32_t pattern,
    void *data, hed_trial *trial, hed_error *e)
{
    (void)slot, (void)e, (void)pattern;
    far_runner *r = (far_runner *)runner;
    CHECK_EQ(r->def.arguments[argument].bytes, sizeof(uint32_t) * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) ((uint32_t *)data)[i] = i;
    *trial = FINE;
    return HED_OK;
}

static hed_status far_announce(
    hed_runner *runner, const uint32_t *slots, const uint32_t *runs, uint32_t count, hed_error *e)
{
    (void)e;
    far_runner *r = (far_runner *)runner;
    r->far->announced++;
    for (uint32_t i = 0; i < count; i++) CHECK(slots[i] < HED_RUNNER_SLOTS && runs[i] > 0);
    return HED_OK;
}

static const hed_runner_kind FAR = {.destroy = far_destroy,
    .build_ahead = far_build_ahead,
    .built = far_built,
    .prepare = far_prepare,
    .time = far_time,
    .output = far_output,
    .announce = far_announce};

static hed_status far_open(void *user, const hed_runner_def *def, hed_runner **runner, hed_error *e)
{
    far *seen = user;
    far_runner *made = calloc(1, sizeof *made);
    if (!made) return hed_fail(e, HED_ERROR_MEMORY, "no memory");
    made->runner = (hed_runner){.kind = &FAR, .builders = seen->builders, .device_time = true};
    made->def = *def;
    made->far = seen;
    seen->opened++;
    *runner = &made->runner;
    return HED_OK;
}

static hed_tune_def far_def(far *seen, const hed_problem *problem, const hed_tune_argument *given)
{
    hed_tune_def def = hed_default_tune_def();
    def.problem = problem;
    def.arguments = given;
    def.strategy = HED_SEARCH_EXHAUSTIVE;
    def.open_runner = far_open;
    def.runner_user = seen;
    return def;
}

static const hed_problem PROBLEM = {1, {ITEMS}};
static const hed_tune_argument GIVEN = {.bytes = sizeof(uint32_t) * ITEMS};

/* ---- tests ---- */

static void tune_finds_the_best(uint32_t builders)
{
    far seen = {.builders = builders, .wrong = 32};
    hed_device *device = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    hed_tune_def def = far_def(&seen, &PROBLEM, &GIVEN);
    hed_tune_result *r;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_EQ(r->space, 10u);
    CHECK_EQ(r->count, 10u);
    CHECK_LT(r->best, r->count);
    EXPECT_EQ(r->evaluations[r->best].config.values[0], 64);
    EXPECT_EQ(r->evaluations[r->best].config.values[1], 1);
    EXPECT_NEAR(r->gain, 3, 0.1);
    EXPECT(r->kept && !r->in_process && r->device_time);
    EXPECT_EQ((int)r->reference, (int)HED_REFERENCE_DEFAULT);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < r->count; i++) wrong += r->evaluations[i].outcome == HED_OUTCOME_WRONG;
    EXPECT_EQ(wrong, 2u);
    EXPECT_EQ(seen.over_limits, 0u);
    EXPECT_EQ(seen.opened, 2u, "one for the reference, one for the tuning");
    EXPECT_EQ(seen.destroyed, 2u);
    EXPECT_GT(seen.announced, 0u);
    hed_tune_result_free(r);
    hed_device_release(device);
}

/* After the search by time the energy of each configuration that works is measured, and stored beside
 * the times; with the energy first, the most sparing one wins. */
Test(described, time_and_energy)
{
    far seen = {.wrong = 32};
    hed_device *device = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    hed_tune_def def = far_def(&seen, &PROBLEM, &GIVEN);
    hed_tune_result *r;
    def.two_objectives = true;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_EQ(r->count, 10u);
    CHECK_EQ(seen.energies, 8u, "one for each that works");
    CHECK_EQ(seen.opened, seen.destroyed);
    EXPECT_EQ(r->evaluations[r->best].config.values[1], 1, "the first objective decides");
    for (uint32_t i = 0; i < r->count; i++) {
        const hed_evaluation *e = &r->evaluations[i];
        if (e->outcome == HED_OUTCOME_WRONG) EXPECT(e->second == 0);
        else EXPECT_NEAR(e->second / e->seconds, e->config.values[1] == 2 ? 100 : 300, 1);
    }
    uint32_t front[8], count = hed_report_both(r, front, 8);
    CHECK_EQ(count, 2u);
    EXPECT_EQ(r->evaluations[front[1]].config.values[0], 64);
    EXPECT_EQ(r->evaluations[front[1]].config.values[1], 2);
    hed_tune_result_free(r);

    def.resume = true;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    EXPECT_EQ(seen.energies, 8u, "all are known");
    EXPECT_EQ(hed_report_both(r, front, 8), 2u);
    hed_tune_result_free(r);

    def.objective = HED_OBJECTIVE_ENERGY;
    seen.energies = 0;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_LT(r->best, r->count);
    EXPECT_EQ(r->evaluations[r->best].config.values[1], 2, "a split takes less energy");
    count = hed_report_both(r, front, 8);
    CHECK_EQ(count, 2u);
    EXPECT_EQ(r->evaluations[front[1]].config.values[1], 1);
    EXPECT_NEAR(r->evaluations[front[1]].second, 1e-3, 1e-5);
    hed_tune_result_free(r);

    def.resume = false;
    def.limit_seconds = 1e-3; /* no time for energies: three in any case */
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    uint32_t measured = hed_report_both_count(r);
    EXPECT(measured >= 1 && measured <= 3, "%u", measured);
    hed_tune_result_free(r);
    def.objective = HED_OBJECTIVE_METRIC;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(device, &kernel, &def, &r, &error));
    hed_device_release(device);
}

/* Ten times the group, less the time: falls as the time grows, and is best for a large group. */
static double group_value(
    const hed_tune_metric *metric, const hed_config *config, double seconds, double joules)
{
    (void)joules;
    double sign = *(const double *)metric->user;
    return sign * (10 * (double)config->values[0] - 1e3 * seconds);
}

/* A metric of the time is what is optimized, and its values are positive. */
Test(described, a_metric)
{
    far seen = {0};
    hed_device *device = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    hed_tune_def def = far_def(&seen, &PROBLEM, &GIVEN);
    double sign = 1;
    const hed_tune_metric metric = {
        .name = "size", .text = "10 * WG - 1e3 * time", .value = group_value, .maximized = true, .user = &sign};
    hed_tune_result *r;
    def.objective = HED_OBJECTIVE_METRIC;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(device, &kernel, &def, &r, &error));
    error = (hed_error){0};
    def.metric = def.metrics = &metric;
    def.metric_count = 1;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_LT(r->best, r->count);
    const hed_evaluation *best = &r->evaluations[r->best];
    EXPECT_EQ(best->config.values[0], 256);
    EXPECT_EQ(best->config.values[1], 1);
    EXPECT_NEAR(best->second, 3e-3, 1e-5, "its time");
    EXPECT_NEAR(1 / best->seconds, 2557, 0.1);
    EXPECT_NEAR(hed_report_objective(&metric, best->seconds), 2557, 0.1);
    EXPECT_NEAR(r->gain, 2557 / 157.0, 0.1);
    EXPECT_EQ((int)r->end, (int)HED_TUNE_EXHAUSTED);
    hed_tune_result_free(r);
    def.resume = true; /* its values are kept, and those of another metric are none of it */
    uint32_t whole = seen.prepared;
    seen.prepared = 0;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_LT(seen.prepared + 8, whole, "most are recalled");
    hed_tune_result_free(r);
    hed_tune_metric renamed = metric;
    renamed.text = "another";
    def.metric = def.metrics = &renamed;
    seen.prepared = 0;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_EQ(seen.prepared, whole);
    hed_tune_result_free(r);
    sign = -1;
    renamed.text = "negative";
    FAILS(HED_ERROR_BUILD, hed_tune_kernel(device, &kernel, &def, &r, &error));
    EXPECT(strstr(error.text, "size is -") && strstr(error.text, "expected a positive number"), "%s", error.text);
    error = (hed_error){0};
    renamed.uses_energy = true;
    FAILS(HED_ERROR_UNSUPPORTED, hed_tune_kernel(device, &kernel, &def, &r, &error));
    hed_device_release(device);
}

Test(described, a_runner_of_the_callers) { tune_finds_the_best(0); }
Test(described, compiling_ahead) { tune_finds_the_best(3); }

/* Under another driver, and on another device of the architecture, the choice is still known. */
Test(described, its_choice_is_kept)
{
    tune_finds_the_best(0);
    hed_device *same = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    far seen = {0};
    hed_tune_def def = far_def(&seen, &PROBLEM, &GIVEN);
    def.resume = true;
    hed_tune_result *r;
    OK(hed_tune_kernel(same, &kernel, &def, &r, &error));
    CHECK_LT(r->stored_index, r->count);
    EXPECT(r->kept_stored);
    EXPECT_EQ(r->evaluations[r->stored_index].config.values[0], 64);
    hed_tune_result_free(r);
    hed_device_release(same);
}

static uint32_t resume_far(hed_device *device, const hed_tune_argument *given, uint32_t *recalled)
{
    far seen = {.wrong = 0}; /* nothing is wrong any more */
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    hed_tune_def def = far_def(&seen, &PROBLEM, given);
    hed_tune_result *r;
    uint32_t wrong = 0;
    def.resume = true;
    OK(hed_tune_kernel(device, &kernel, &def, &r, &error));
    CHECK_EQ(r->count, 10u);
    *recalled = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        wrong += r->evaluations[i].outcome == HED_OUTCOME_WRONG;
        *recalled += r->evaluations[i].recalled;
    }
    hed_tune_result_free(r);
    return wrong;
}

/* A wrong result stays wrong for the same expected output, and is tried again for another. */
Test(described, wrong_is_recalled_for_the_same_judge_alone)
{
    static uint32_t expected[ITEMS];
    tune_finds_the_best(0); /* with two wrong */
    hed_device *same = device_of("1.0");
    uint32_t recalled;
    EXPECT_EQ(resume_far(same, &GIVEN, &recalled), 2u);
    EXPECT_EQ(recalled, 10u);
    hed_tune_argument other = GIVEN;
    other.expected = expected;
    for (uint32_t i = 0; i < ITEMS; i++) expected[i] = i;
    EXPECT_EQ(resume_far(same, &other, &recalled), 2u, "the content is what counts");
    expected[6] = 7;
    EXPECT_EQ(resume_far(same, &other, &recalled), 0u);
    EXPECT_EQ(recalled, 8u, "times are known whatever the judge");
    hed_device_release(same);
}

Test(described, an_error_of_the_runner_ends_it)
{
    far seen = {.breaks = HED_ERROR_IO};
    hed_device *device = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL);
    hed_tune_def def = far_def(&seen, &PROBLEM, &GIVEN);
    hed_tune_result *r = NULL;
    FAILS(HED_ERROR_IO, hed_tune_kernel(device, &kernel, &def, &r, &error));
    EXPECT(strstr(error.text, "the line to far is cut") && !r);
    EXPECT_EQ(seen.opened, seen.destroyed);
    hed_device_release(device);
}

Test(described, nothing_runs_on_it_here)
{
    hed_device *device = device_of("1.0");
    hed_kernel_def kernel = kernel_of(HED_WGSL), plain = kernel_of(HED_OPENCL_C);
    hed_stream *stream;
    hed_kernel *made;
    hed_buffer *buffer;
    hed_driver_handles handles;
    hed_tune_result *r;
    uint64_t bytes;
    hed_tune_def def = far_def(&(far){0}, &PROBLEM, &GIVEN);
    FAILS(HED_ERROR_UNSUPPORTED, hed_stream_create(device, NULL, &stream, &error));
    EXPECT(strstr(error.text, "described and not opened"));
    FAILS(HED_ERROR_UNSUPPORTED,
        hed_buffer_create(device, &(hed_buffer_def){.size = 64}, &buffer, &error));
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(device, &kernel, NULL, &made, &error));
    FAILS(HED_ERROR_UNSUPPORTED, hed_device_memory(device, &bytes, &bytes, &error));
    FAILS(HED_ERROR_UNSUPPORTED, hed_device_handles(device, &handles, &error));
    EXPECT_NULL(hed_device_symbol(device, "cuLaunchKernel"));
    def.open_runner = NULL;
    FAILS(HED_ERROR_UNSUPPORTED, hed_tune_kernel(device, &kernel, &def, &r, &error));
    def = far_def(&(far){0}, &PROBLEM, &GIVEN);
    FAILS(HED_ERROR_UNSUPPORTED, hed_tune_kernel(device, &plain, &def, &r, &error));
    EXPECT(strstr(error.text, "is written in OpenCL C") && strstr(error.text, "takes WGSL"), "%s",
        error.text);
    def.isolation = HED_ISOLATION_WORKER;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(device, &kernel, &def, &r, &error));
    hed_device_release(device);
}

Test(described, a_device_without_texts)
{
    hed_device *device;
    const hed_device_info info = {0};
    OK(hed_device_create_described(context, &info, &device, &error));
    const hed_device_info made = hed_device_describe(device);
    EXPECT_TEXT(made.id, "");
    EXPECT_TEXT(made.driver, "");
    hed_device_release(device);
}

Test(described, without_memory)
{
    test_allocator counts = {0};
    hed_context_def def = hed_default_context_def();
    hed_context *own;
    def.allocator = test_allocator_of(&counts);
    def.database = "";
    OK(hed_context_create(&def, &own, &error));
    hed_device *device;
    const hed_device_info info = {.id = "far"};
    counts.fail_at = counts.calls + 1;
    FAILS(HED_ERROR_MEMORY, hed_device_create_described(own, &info, &device, &error));
    hed_context_destroy(own);
    EXPECT_EQ(counts.live, 0);
}

/* Texts are part of keys: none is cut. */
Test(described, texts_of_255_bytes_and_one_more)
{
    char long_text[257] = "";
    memset(long_text, 'n', 255);
    for (int i = 0; i < 5; i++) {
        hed_device *device = NULL;
        hed_device_info info = {.id = "far", .backend = "far", .max_group = 64};
        const char **texts[] = {&info.id, &info.platform, &info.name, &info.vendor, &info.driver};
        long_text[255] = 0;
        *texts[i] = long_text;
        OK(hed_device_create_described(context, &info, &device, &error));
        const hed_device_info made = hed_device_describe(device);
        const char *const kept[] = {made.id, made.platform, made.name, made.vendor, made.driver};
        CHECK_TEXT(kept[i], long_text);
        hed_device_release(device);
        long_text[255] = 'n';
        FAILS(HED_ERROR_LIMIT, hed_device_create_described(context, &info, &device, &error));
        CHECK(strstr(error.text, "256 bytes; expected at most 255"), "%s", error.text);
        error = (hed_error){0};
    }
}
