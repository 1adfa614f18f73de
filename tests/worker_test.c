/* ctest: devices=pocl,cuda timeout=300
 * The runner in worker processes: candidates that crash, hang, lie or are wrong cost one evaluation and nothing else. */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "folder.h"
#include "runner_testing.h"
#include "tune/worker_client.h"

TestSuite(worker, .init = folder_make, .fini = folder_remove);

static void open_runner(runner_test *t, void (*describe)(runner_test *t))
{
    t->on = test_open(NULL);
    describe(t);
    OK(hed_runner_create_worker(&t->def, &t->runner, &error));
}

/* Nothing may be left of a runner: no process, no descriptor. */
static int count_descriptors(void)
{
    int count = 0;
    DIR *open_files = opendir("/proc/self/fd");
    while (readdir(open_files)) count++;
    closedir(open_files);
    return count;
}

static void close_runner(runner_test *t)
{
    hed_runner_destroy(t->runner);
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0, "a process is left");
    test_close(&t->on);
}

static void time_slot(runner_test *t, uint32_t slot)
{
    double values[70];
    hed_trial trial;
    OK(hed_runner_time(t->runner, slot, 70, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    for (int i = 0; i < 70; i++) cr_assert(values[i] > 0 && values[i] < 1, "run %d: %g s", i, values[i]);
}

Test(worker, a_right_candidate_is_timed)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 3, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    cr_assert(trial.error >= 0 && trial.error < 1e-5, "error %g", trial.error);
    time_slot(&t, 3);
    cr_assert(hed_runner_device_time(t.runner));
    close_runner(&t);
}

Test(worker, candidates_that_crash_and_hang_cost_themselves_alone)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    t.def.timeout_seconds = 10;
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    trial = try_in(t.runner, 1, 64, SEGFAULTS);
    expect(&trial, HED_OUTCOME_CRASHED, "");
    time_slot(&t, 0);
    trial = try_in(t.runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_HUNG, "");
    time_slot(&t, 0);
    close_runner(&t);
}
