/* ctest: devices */
/* Reference and time limits of a tuning whose default configuration does not work. */
#include "core/objects.h"
#include "folder.h"
#include "runner_testing.h"

TestSuite(tune_reference, .init = folder_make, .fini = folder_remove);

static test_device open_in_folder(void)
{
    hed_context_def def = hed_default_context_def();
    def.cache_dir = in_folder("cache");
    def.database = in_folder("tuning.db");
    return test_open(&def);
}

/* A kernel whose default has `fault`, with the configurations of `constraint`; `arguments` (5). */
static hed_kernel_def faulty(
    enum fault fault, const char *const *constraint, hed_parameter_def parameters[2])
{
    hed_kernel_def kernel = scale;
    memcpy(parameters, scale_parameters, sizeof scale_parameters);
    parameters[1].value = fault;
    kernel.parameters = parameters;
    kernel.constraints = constraint;
    kernel.constraint_count = 1;
    kernel.range = NULL;
    return kernel;
}

static void give(const runner_test *t, hed_tune_argument arguments[5])
{
    arguments[0] = (hed_tune_argument){.data = t->x, .bytes = sizeof t->x};
    arguments[1] = (hed_tune_argument){.bytes = sizeof t->x};
    arguments[2] = (hed_tune_argument){.data = &t->factor};
    arguments[3] = (hed_tune_argument){.data = &t->n};
    arguments[4] = (hed_tune_argument){0};
}

static const hed_evaluation *with_fault(const hed_tune_result *result, enum fault fault)
{
    for (uint32_t i = 0; i < result->count; i++)
        if (result->evaluations[i].config.values[1] == fault) return &result->evaluations[i];
    return NULL;
}

/* Tunes with a default that has `fault`; RIGHT becomes the reference. */
static void tune_without_default(const runner_test *t, enum fault fault,
    const char *const *constraint, hed_outcome outcome, double timeout_seconds)
{
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    const hed_kernel_def kernel = faulty(fault, constraint, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(t, arguments);
    def.problem = &t->problem;
    def.arguments = arguments;
    def.timeout_seconds = timeout_seconds;
    OK(hed_tune_kernel(t->on.device, &kernel, &def, &result, &error));
    CHECK_LT(result->best, result->count);
    CHECK_EQ(result->evaluations[result->best].config.values[1], RIGHT);
    CHECK_EQ(result->reference_config.values[1], RIGHT, "%s", result->reference_reason);
    CHECK(strstr(result->reference_reason, hed_outcome_name(outcome)) == result->reference_reason,
        "%s", result->reference_reason);
    CHECK_EQ(with_fault(result, fault)->outcome, outcome);
    hed_tune_result_free(result);
}

static runner_test open_text_device(void)
{
    runner_test t = {.on = open_in_folder()};
    if (!(hed_device_describe(t.on.device).capabilities & HED_CAN_SOURCE))
        test_skip("native code has no faults of texts");
    describe_scale(&t);
    return t;
}

/* The text that hangs is in one configuration, and its driver gets no time to compile: the texts that work
 * are in the driver's cache then, and a hang would cost 10 s of a processor. */
Test(tune_reference, another_configuration_takes_the_place_of_a_default_that_fails, .timeout = 240)
{
    static const char *const builds[] = {"FAULT in (0, 6)"}, *const crashes[] = {"FAULT in (0, 8)"},
                             *const hangs[] = {"FAULT == 0 or (FAULT == 7 and WG == 64)"};
    runner_test t = open_text_device();
    tune_without_default(&t, NO_C, builds, HED_OUTCOME_BUILD, 0);
    tune_without_default(&t, SEGFAULTS, crashes, HED_OUTCOME_CRASHED, 0);
    t.on.device->compiles_at_launch = false;
    tune_without_default(&t, LOOPS, hangs, HED_OUTCOME_HUNG, 2);
    test_close(&t.on);
}

Test(tune_reference, a_default_that_works_is_the_reference)
{
    static const char *const builds[] = {"FAULT in (0, 6)"};
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    runner_test t = open_text_device();
    const hed_kernel_def kernel = faulty(RIGHT, builds, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(&t, arguments);
    def.problem = &t.problem;
    def.arguments = arguments;
    OK(hed_tune_kernel(t.on.device, &kernel, &def, &result, &error));
    CHECK_TEXT(result->reference_reason, "");
    CHECK(result->reference_config.values[0] == 64 && result->reference_config.values[1] == RIGHT);
    hed_tune_result_free(result);
    test_close(&t.on);
}

Test(tune_reference, a_text_that_never_compiles_is_reported_once)
{
    static const char *const never[] = {"FAULT == 6"};
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    runner_test t = open_text_device();
    const hed_kernel_def kernel = faulty(NO_C, never, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(&t, arguments);
    def.problem = &t.problem;
    def.arguments = arguments;
    FAILS(HED_ERROR_BUILD, hed_tune_kernel(t.on.device, &kernel, &def, &result, &error));
    CHECK(strstr(error.text, "in the default configuration WG=64 FAULT=6") &&
              strstr(error.text, "and 1 other failed too"),
        "%s", error.text);
    test_close(&t.on);
}

/* A description whose arrays are too small is the likely cause, so the message says it. */
Test(tune_reference, a_text_that_always_crashes_is_reported_with_the_remedy)
{
    static const char *const crashes[] = {"FAULT == 8 and WG == 64"};
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    runner_test t = open_text_device();
    const hed_kernel_def kernel = faulty(SEGFAULTS, crashes, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(&t, arguments);
    def.problem = &t.problem;
    def.arguments = arguments;
    FAILS(HED_ERROR_DRIVER, hed_tune_kernel(t.on.device, &kernel, &def, &result, &error));
    CHECK(strstr(error.text, "fewer elements than the kernel reaches: correct its size"), "%s",
        error.text);
    test_close(&t.on);
}

/* Where each builder opens the device, the reference has it first: a driver makes contexts that are requested at once one after the
 * other. The first worker that is started waits before it begins; none may begin before it. */
Test(tune_reference, opens_the_device_before_builders_that_open_it)
{
    static const char *const rights[] = {"FAULT == 0"};
    char text[3 * PATH_MAX], order[64] = "";
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    hed_context_def context = hed_default_context_def();
    runner_test t = open_text_device();
    if (strcmp(hed_device_describe(t.on.device).backend, "opencl") != 0)
        test_skip("other builders need no context of a GPU");
    snprintf(text, sizeof text,
        "#!/bin/sh\nif mkdir '%s/first' 2>/dev/null; then sleep 0.5; echo first; else echo next; fi >>'%s/order'\nexec '%s' \"$@\"\n",
        folder, folder, t.on.device->settings->worker);
    test_close(&t.on);
    write_file(in_folder("worker"), text, strlen(text));
    CHECK_EQ(chmod(in_folder("worker"), 0755), 0);
    context.worker = in_folder("worker");
    t.on = test_open(&context);
    t.on.device->info.type = HED_DEVICE_GPU;
    describe_scale(&t);
    const hed_kernel_def kernel = faulty(RIGHT, rights, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(&t, arguments);
    def.problem = &t.problem;
    def.arguments = arguments;
    def.builders = 2;
    OK(hed_tune_kernel(t.on.device, &kernel, &def, &result, &error));
    EXPECT(result->count > 1, "%u configurations", result->count);
    hed_tune_result_free(result);
    test_close(&t.on);
    FILE *file = fopen(in_folder("order"), "r");
    CHECK_NOT_NULL(file);
    CHECK_NOT_NULL(fgets(order, sizeof order, file));
    EXPECT_TEXT(order, "first\n");
    CHECK_NOT_NULL(fgets(order, sizeof order, file), "no builder began");
    fclose(file);
}

/* A clock of which each look takes 10 s. */
static uint64_t slow_clock(void *user)
{
    uint64_t *nanoseconds = user;
    return *nanoseconds += 10000000000;
}

/* Each of 32 others may compile for two minutes. */
Test(tune_reference, no_other_configuration_is_tried_when_the_time_is_up)
{
    static const char *const builds[] = {"FAULT in (0, 6)"};
    uint64_t nanoseconds = 0;
    hed_parameter_def parameters[2];
    hed_tune_argument arguments[5];
    hed_tune_result *result;
    hed_context_def context = hed_default_context_def();
    context.cache_dir = in_folder("cache");
    context.database = in_folder("tuning.db");
    context.clock = (hed_clock){.now = slow_clock, .user = &nanoseconds};
    runner_test t = {.on = test_open(&context)};
    if (!(hed_device_describe(t.on.device).capabilities & HED_CAN_SOURCE))
        test_skip("native code has no faults of texts");
    describe_scale(&t);
    const hed_kernel_def kernel = faulty(NO_C, builds, parameters);
    hed_tune_def def = hed_default_tune_def();
    give(&t, arguments);
    def.problem = &t.problem;
    def.arguments = arguments;
    def.limit_seconds = 5;
    FAILS(HED_ERROR_BUILD, hed_tune_kernel(t.on.device, &kernel, &def, &result, &error));
    CHECK(strstr(error.text, "in the default configuration WG=64 FAULT=6") && !strstr(error.text, "failed too"), "%s", error.text);
    test_close(&t.on);
}

/* The limit of a run falls to a multiple of the first run that works. */
Test(tune_reference, an_endless_loop_ends_at_a_multiple_of_the_first_run)
{
    runner_test t = open_text_device();
    hed_runner *runner;
    t.def.timeout_seconds = 10000;
    t.def.least_timeout_seconds = 0.2;
    OK(hed_runner_create_worker(&t.def, &runner, &error));
    hed_trial trial = try_in(runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    trial = try_in(runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_HUNG, "not done in time");
    trial = try_in(runner, 2, 32, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    hed_runner_destroy(runner);
    test_close(&t.on);
}

/* Sizes of the group that the text forbids, and arrays of the text that the device has no memory
 * for, are left out by name. PoCL reports neither before it runs. */
Test(tune_reference, limits_of_the_text_are_named)
{
    static const hed_source required = {"required.cl",
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void advance(__global int *x)\n"
        "{\n    x[get_global_id(0)] += 1 + 0 * WG;\n}\n", 0};
    runner_test t = open_text_device();
    hed_runner *runner;
    if (strcmp(hed_device_describe(t.on.device).backend, "opencl") != 0)
        test_skip("words of OpenCL");
    OK(hed_runner_create_worker(&t.def, &runner, &error));
    hed_trial trial = try_in(runner, 0, 64, LIES_OF_LOCAL);
    expect(&trial, HED_OUTCOME_INVALID, "local memory");
    hed_runner_destroy(runner);
    describe_advance(&t);
    hed_kernel_def kernel = advance;
    kernel.sources = &required;
    t.def.kernel = &kernel;
    OK(hed_runner_create_worker(&t.def, &runner, &error));
    hed_config config = {.count = 1, .values = {64}};
    OK(runner->kind->prepare(runner, 0, &config, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    config.values[0] = 32;
    OK(runner->kind->prepare(runner, 0, &config, &trial, &error));
    expect(&trial, HED_OUTCOME_INVALID,
        "group is 32 x 1 x 1; its text requires 64 x 1 x 1 (reqd_work_group_size)");
    hed_runner_destroy(runner);
    test_close(&t.on);
}
