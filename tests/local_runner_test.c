/* ctest: devices */
/* The runner in this process: what becomes of candidates that are right, and of those that are
 * wrong in each way; and how results are compared. */
#include <sys/wait.h>

#include "runner_testing.h"
#include "measure/check.h"

static void open_runner(runner_test *t, void (*describe)(runner_test *t))
{
    t->on = test_open(NULL);
    describe(t);
    OK(hed_runner_create_local(&t->def, &t->runner, &error));
}

static void close_runner(runner_test *t)
{
    hed_runner_destroy(t->runner);
    test_close(&t->on);
}

Test(local_runner, a_right_candidate_is_timed)
{
    runner_test t = {0};
    double values[20];
    hed_trial trial;
    open_runner(&t, describe_scale);
    trial = try_in(t.runner, 3, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    CHECK(trial.error >= 0 && trial.error < 1e-5, "error %g", trial.error);
    EXPECT_EQ(((hed_local_runner *)t.runner)->has_held, false, "a reference alone holds no clock");
    OK(t.runner->kind->time(t.runner, 3, 20, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    EXPECT_EQ(((hed_local_runner *)t.runner)->has_held, true);
    for (int i = 0; i < 20; i++)
        CHECK(values[i] > 0 && values[i] < 1, "run %d: %g s", i, values[i]);
    bool device_time = hed_device_describe(t.on.device).capabilities & HED_CAN_DEVICE_TIME;
    CHECK_EQ(t.runner->device_time, device_time);
    close_runner(&t);
}

Test(local_runner, every_way_to_be_wrong_is_found)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    find_every_fault(t.runner);
    close_runner(&t);
}

Test(local_runner, what_is_changed_in_place_is_restored)
{
    runner_test t = {0};
    open_runner(&t, describe_advance);
    run_in_place(t.runner);
    close_runner(&t);
}

Test(local_runner, cold_runs_and_impossible_times)
{
    runner_test t = {0};
    t.on = test_open(NULL);
    describe_scale(&t);
    time_cold_and_refuse(&t, hed_runner_create_local);
    test_close(&t.on);
}

/* An hour back with each look. */
static uint64_t steps_back(void *user)
{
    uint64_t *now = user;
    return *now -= 3600000000000u;
}

/* What becomes of such runs is said by the measuring policy, which repeats them. */
Test(local_runner, a_clock_that_steps_back_condemns_nobody)
{
    runner_test t = {0};
    uint64_t now = UINT64_MAX / 2;
    double values[8];
    hed_context_def def = hed_default_context_def();
    def.clock = (hed_clock){.now = steps_back, .user = &now};
    t.on = test_open(&def);
    describe_scale(&t);
    t.def.floor_seconds = 1e-12;
    t.def.timeout_seconds = 0; /* none: limits are kept by this clock */
    OK(hed_runner_create_local(&t.def, &t.runner, &error));
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    OK(t.runner->kind->time(t.runner, 0, 8, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    for (int i = 0; i < 8; i++)
        CHECK((values[i] > 0) == t.runner->device_time, "run %d: %g s", i, values[i]);
    hed_runner_destroy(t.runner);
    test_close(&t.on);
}

Test(local_runner, what_does_not_compile_is_told)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 0, 64, NO_C);
    if (hed_device_describe(t.on.device).capabilities & HED_CAN_SOURCE)
        expect(&trial, HED_OUTCOME_BUILD, "error");
    close_runner(&t);
}

Test(local_runner, what_is_asked_for_ahead_is_handed_back)
{
    runner_test t = {0};
    hed_config config;
    hed_trial trial;
    open_runner(&t, describe_scale);
    CHECK_NOT(t.runner->kind->built(t.runner, 0, &config, &trial));
    for (int64_t round = 0; round < 2; round++) {
        for (int64_t i = 0; i < 40; i++) {
            hed_config asked = config_of(i, RIGHT);
            OK(t.runner->kind->build_ahead(t.runner, &asked, &error));
        }
        for (int64_t i = 0; i < 40; i++) {
            CHECK(t.runner->kind->built(t.runner, 0, &config, &trial));
            CHECK_EQ(config.values[0], i);
        }
        CHECK_NOT(t.runner->kind->built(t.runner, 0, &config, &trial));
    }
    close_runner(&t);
}

Test(local_runner, an_argument_without_content_is_an_error)
{
    runner_test t = {0};
    t.on = test_open(NULL);
    describe_scale(&t);
    t.arguments[2].data = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_runner_create_local(&t.def, &t.runner, &error));
    test_close(&t.on);
}

Test(local_runner, energy_is_unsupported_where_there_is_no_counter)
{
    runner_test t = {0};
    t.on = test_open(NULL);
    describe_scale(&t);
    t.def.objective = HED_OBJECTIVE_ENERGY;
    bool cuda = strcmp(hed_device_describe(t.on.device).backend, "cuda") == 0;
    if (!cuda) FAILS(HED_ERROR_UNSUPPORTED, hed_runner_create_local(&t.def, &t.runner, &error));
    test_close(&t.on);
}

/* A candidate that hangs in this process is reported and leaves a runner of no use; the process can
 * still be left. */
static int hang(void)
{
    runner_test t = {0};
    hed_trial trial;
    open_runner(&t, describe_scale);
    t.def.timeout_seconds = 1;
    hed_runner_destroy(t.runner);
    OK(hed_runner_create_local(&t.def, &t.runner, &error));
    hed_config loops = config_of(64, LOOPS);
    if (t.runner->kind->prepare(t.runner, 0, &loops, &trial, &error) ||
        trial.outcome != HED_OUTCOME_HUNG)
        return 1;
    if (t.runner->kind->prepare(t.runner, 0, &loops, &trial, &error) != HED_ERROR_LOST) return 2;
    hed_runner_destroy(t.runner);
    return 0;
}

Test(local_runner, a_hang_is_reported)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    if (!wanted || !strstr(wanted, "Portable"))
        test_skip("host cannot be interrupted; a GPU would stay busy");
    pid_t child = fork(); /* before a driver is loaded */
    if (child == 0) _exit(hang());
    int result = 0;
    CHECK_EQ(waitpid(child, &result, 0), child);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0, "ended with %x", (unsigned)result);
}

/* ---- comparing ---- */

static hed_check compare_floats(
    const float *found, const float *expected, size_t count, double tolerance)
{
    const hed_argument_def argument = {
        .name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE};
    hed_check check = {0};
    hed_check_output(&check, &argument, 0, found, expected, count * sizeof *found, tolerance);
    return check;
}

Test(local_runner, floats_are_compared_by_tolerance)
{
    static const struct {
        float found, expected;
        double tolerance;
        bool good;
    } cases[] = {{1, 1, 0, true}, {1.5f, 1, 0.5, true}, {1.5f, 1, 0.49, false},
        {150, 100, 0.5, true}, {151, 100, 0.5, false}, {NAN, NAN, 0, true}, {-NAN, NAN, 0, true},
        {-NAN, NAN, 1, true}, {NAN, NAN, 1, true}, {NAN, 0, 1e30, false}, {0, NAN, 1e30, false},
        {0.0f, -0.0f, 0, false}, {0.0f, -0.0f, 1e-9, true}, {INFINITY, INFINITY, 0, true},
        {INFINITY, 1, 1e30, false}, {1, INFINITY, 0.5, false}, {INFINITY, -INFINITY, 1e30, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float found[2000] = {0}, expected[2000] = {0};
        found[1500] = cases[i].found;
        expected[1500] = cases[i].expected;
        hed_check check = compare_floats(found, expected, 2000, cases[i].tolerance);
        CHECK_EQ(check.wrong, !cases[i].good, "%g, expected %g, tolerance %g",
            (double)cases[i].found, (double)cases[i].expected, cases[i].tolerance);
        CHECK(cases[i].good || strstr(check.text, "y[1500]"), "%s", check.text);
    }
}

Test(local_runner, the_largest_error_is_kept_and_the_first_wrong_element_told)
{
    float found[] = {1, 1.001f, 1.01f, 5, 9}, expected[] = {1, 1, 1, 1, 1};
    hed_check check = compare_floats(found, expected, 3, 0.1);
    CHECK(!check.wrong && check.error > 0.0099 && check.error < 0.0101, "error %g", check.error);
    check = compare_floats(found, expected, 5, 0.1);
    CHECK(check.wrong && check.error == 8 && strstr(check.text, "y[3] is 5, expected 1"), "%s, %g",
        check.text, check.error);
}

enum { MARKED = 3000 };

/* Every third element is left as `pattern`. */
static void leave_holes(float *values, uint32_t pattern)
{
    for (int i = 0; i < MARKED; i++) {
        values[i] = (float)i;
        if (i % 3 == 2) memset(&values[i], hed_runner_pattern(pattern), sizeof values[i]);
    }
}

Test(local_runner, unwritten_elements_are_found_and_must_stay)
{
    static float first[MARKED], second[MARKED];
    uint8_t marks[(MARKED + 3) / 4] = {0};
    uint64_t unwritten = 0, unsteady = 0;
    const hed_argument_def argument = {
        .name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE};
    leave_holes(first, 0);
    leave_holes(second, 1);
    hed_check_runs runs = {&argument, first, second, sizeof first, 1, true, 0.1};
    CHECK(!hed_check_mark(&runs, marks, &unwritten, &unsteady));
    CHECK(unwritten == MARKED / 3 && unsteady == 0);
    for (int i = 0; i < MARKED; i++)
        CHECK_EQ(marks[i / 4] >> 2 * (i % 4) & 3, i % 3 == 2 ? HED_ELEMENT_UNWRITTEN : 0, "%d", i);
    hed_check check = {0};
    for (int piece = 0; piece < 2; piece++) /* as a large output is compared */
        hed_check_partial(&check, &argument, (uint64_t)piece * 4 * 1500, second + piece * 1500,
            first + piece * 1500, marks, hed_runner_pattern(1), 4 * 1500, 0.1);
    CHECK(!check.wrong && check.compared && check.error == 0, "%s, %g", check.text, check.error);
    second[2999] = 0;
    hed_check_partial(&check, &argument, 6000, second + 1500, first + 1500, marks,
        hed_runner_pattern(1), 6000, 0.1);
    CHECK(check.wrong &&
              strstr(check.text, "writes element 2999 of y, which the reference does not write"),
        "%s", check.text);
    check = (hed_check){0};
    leave_holes(second, 1);
    memset(&second[0], hed_runner_pattern(1), sizeof second[0]); /* expected: 0 */
    hed_check_partial(
        &check, &argument, 0, second, first, marks, hed_runner_pattern(1), sizeof second, 0.1);
    CHECK(check.wrong && strstr(check.text, "does not write element 0 of y, which the reference writes"), "%s", check.text);
    CHECK_EQ(hed_check_drop_marked(HED_FLOAT, first, sizeof first, marks), 4 * MARKED / 3 * 2);
    leave_holes(second, 1);
    CHECK_EQ(hed_check_drop_pattern(HED_FLOAT, second, sizeof second, hed_runner_pattern(1)),
        4 * MARKED / 3 * 2);
    CHECK_BYTES(first, second, 4 * MARKED / 3 * 2);
}

/* Passes if the device has compared all of `found` as an argument's content, and it is right. */
static bool device_passes(runner_test *t, hed_check_device *device, hed_stream *stream,
    uint32_t index, const void *found, hed_check *check)
{
    const hed_buffer_def def = hed_default_buffer_def(t->arguments[index].bytes);
    hed_buffer *buffer = NULL;
    OK(hed_buffer_create(t->on.device, &def, &buffer, &error));
    OK(hed_write(stream, buffer, 0, found, def.size, &error));
    bool passes = hed_check_device_passes(device, index, buffer, check);
    OK(hed_stream_wait(stream, &error));
    hed_buffer_destroy(buffer);
    return passes;
}

/* Whatever the device cannot prove to be right is left to the host. */
Test(local_runner, a_device_compares_large_contents)
{
    static float found[ITEMS];
    runner_test t = {0};
    hed_stream *stream = NULL;
    t.on = test_open(NULL);
    describe_scale(&t);
    OK(hed_stream_create(t.on.device, NULL, &stream, &error));
    hed_check_device *device = hed_check_device_create(&t.def, stream);
    bool compiles = strcmp(hed_device_describe(t.on.device).backend, "host") != 0;
    CHECK_EQ(device != NULL, compiles);
    hed_check check = {0};
    CHECK_EQ(device_passes(&t, device, stream, 1, t.expected, &check), compiles);
    CHECK(check.error <= 0, "error %g", check.error);
    CHECK_EQ(device_passes(&t, device, stream, 0, t.x, &check), compiles);
    memcpy(found, t.expected, sizeof found);
    found[ITEMS - 1] *= 1 + 5e-6f;
    CHECK_EQ(device_passes(&t, device, stream, 1, found, &check), compiles);
    CHECK(!compiles || (check.error > 4e-6 && check.error < 6e-6), "error %g", check.error);
    static const float wrong[] = {2e-5f, -1e30f, INFINITY, NAN};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memcpy(found, t.expected, sizeof found);
        found[7 * i] += wrong[i] * fmaxf(1, fabsf(found[7 * i]));
        CHECK(!device_passes(&t, device, stream, 1, found, &check), "%g", (double)wrong[i]);
    }
    memcpy(found, t.x, sizeof found);
    found[ITEMS / 2] += 1e-6f; /* an input has no tolerance */
    CHECK(!device_passes(&t, device, stream, 0, found, &check), "a changed input passes");
    hed_check_device_destroy(device);
    /* elements that the reference does not write, and small contents */
    static const uint8_t marks[ITEMS / 4] = {1};
    t.arguments[1].marks = marks;
    device = hed_check_device_create(&t.def, stream);
    CHECK(!device_passes(&t, device, stream, 1, t.expected, &check), "marks are skipped");
    hed_check_device_destroy(device);
    t.arguments[0].bytes = t.arguments[1].bytes = 1000 * sizeof(float);
    CHECK(!hed_check_device_create(&t.def, stream), "small contents are compared on the device");
    hed_stream_destroy(stream);
    test_close(&t.on);
}

/* Runs of a reference whose elements 0 and 3 differ from run to run; element 1 does by less than the
 * tolerance, and element 2 is written in some runs. */
Test(local_runner, elements_that_differ_from_run_to_run_are_left_out)
{
    enum { N = 8, RUNS = 3 };
    static float first[N], other[N];
    uint8_t marks[2] = {0};
    uint64_t unwritten = 0, unsteady = 0;
    const hed_argument_def argument = {
        .name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE};
    for (uint32_t run = 0; run < RUNS; run++) {
        float *to = run ? other : first;
        for (uint32_t i = 0; i < N; i++) to[i] = (float)i;
        to[0] = (float)run / 2; /* 0, 0.5, 1 */
        to[1] += (float)run / 50;
        if (run < 2) memset(&to[2], hed_runner_pattern(run), sizeof *to);
        to[3] += run == 2;
        memset(&to[4], hed_runner_pattern(run), sizeof *to);
        hed_check_runs runs = {&argument, first, other, sizeof first, run, true, 0.1};
        if (run) CHECK(hed_check_mark(&runs, marks, &unwritten, &unsteady), "run %u", run);
    }
    CHECK(unwritten == 1 && unsteady == 3, "%d, %d", (int)unwritten, (int)unsteady);
    hed_check check = {0};
    other[0] = other[2] = other[3] = 99;
    memset(&other[4], hed_runner_pattern(1), sizeof *other);
    hed_check_partial(
        &check, &argument, 0, other, first, marks, hed_runner_pattern(1), sizeof other, 0.1);
    CHECK(!check.wrong, "%s", check.text);
    other[5] = 99;
    hed_check_partial(
        &check, &argument, 0, other, first, marks, hed_runner_pattern(1), sizeof other, 0.1);
    CHECK(check.wrong && strstr(check.text, "y[5] is 99, expected 5"), "%s", check.text);
}

Test(local_runner, whole_numbers_beyond_doubles_are_compared)
{
    const hed_argument_def argument = {
        .name = "y", .kind = HED_BUFFER, .type = HED_UINT64, .access = HED_WRITE};
    const uint64_t found[] = {UINT64_MAX, 1}, expected[] = {UINT64_MAX - 1, 1};
    hed_check check = {0};
    hed_check_output(&check, &argument, 16, found, expected, sizeof found, 0);
    CHECK(check.wrong && check.error > 0 && strstr(check.text, "y[2] is 18446744073709551615"),
        "%s", check.text);
}
