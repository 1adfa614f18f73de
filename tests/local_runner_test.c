/* ctest: devices
 * The runner in this process: what becomes of candidates that are right, and of those that are wrong in each way. */
#include "runner_testing.h"

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
    cr_assert(trial.error >= 0 && trial.error < 1e-5, "error %g", trial.error);
    OK(hed_runner_time(t.runner, 3, 20, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    for (int i = 0; i < 20; i++) cr_assert(values[i] > 0 && values[i] < 1, "run %d: %g s", i, values[i]);
    bool device_time = hed_device_get_info(t.on.device)->capabilities & HED_CAN_DEVICE_TIME;
    cr_assert_eq(hed_runner_device_time(t.runner), device_time);
    close_runner(&t);
}

Test(local_runner, every_way_to_be_wrong_is_found)
{
    static const struct {
        enum fault fault;
        const char *words;
    } faults[] = {{WRONG_VALUE, "y[7]"}, {WRITES_NOTHING, "y["}, {BEHIND_ITS_END, "y was written 0 bytes behind its end"},
                  {CHANGES_INPUT, "x is only read, and its byte 1"}, {NOT_A_NUMBER, "y[9] is nan"}, {HALF_WRITTEN, "y["}};
    runner_test t = {0};
    open_runner(&t, describe_scale);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        hed_trial trial = try_in(t.runner, 0, 64, RIGHT); /* leaves the right answer behind */
        expect(&trial, HED_OUTCOME_MEASURED, "");
        trial = try_in(t.runner, 1, 64, faults[i].fault);
        expect(&trial, HED_OUTCOME_WRONG, faults[i].words);
        FAILS(HED_ERROR_ARGUMENT, hed_runner_time(t.runner, 1, 1, &(double){0}, &trial, &error));
    }
    close_runner(&t);
}
