/* Runners on the fake CUDA and OpenCL drivers: the devices' ways of keeping time, and what becomes
 * of a candidate, and of the runner, when a driver's call fails, the context is poisoned, or the
 * work is never done. */
#include <sys/wait.h>

#include "backends/cuda/cuda_api.h"
#include "cycle.h"
#include "fakes.h"
#include "folder.h"
#include "measure/race.h"

TestSuite(runner_fake, .init = folder_make, .fini = folder_remove);

static hed_error error;

typedef struct fake_runner {
    hed_context *context;
    hed_device *device;
    hed_runner *runner;
    fake_control *fake;
    const char *driver; /* of CUDA, in place of the usual fake */
    hed_problem problem;
    hed_runner_argument arguments[6];
    hed_runner_def def;
    float in[CYCLE_N], expected[CYCLE_N], a;
    uint32_t n;
} fake_runner;

static void open_context(fake_runner *t, const char *backend, const char *selector)
{
    hed_context_def def = fakes_def(backend);
    if (t->driver) def.cuda_library = t->driver;
    t->fake = fakes_load(t->driver ? t->driver : fakes_path(backend));
    fakes_reset(t->fake);
    OK(hed_context_create(&def, &t->context, &error));
    OK(hed_device_find(t->context, selector, &t->device, &error));
    t->a = 2;
    t->n = CYCLE_N;
    for (int i = 0; i < CYCLE_N; i++) {
        t->in[i] = (float)i;
        t->expected[i] = t->a * t->in[i] + cycle_moved.x * (float)i + cycle_moved.y + 9.0f + 123.0f;
    }
    t->problem = hed_problem_1d(CYCLE_N);
    t->arguments[0] =
        (hed_runner_argument){.bytes = CYCLE_BYTES, .expected = t->expected, .tolerance = 1e-5};
    t->arguments[1] = (hed_runner_argument){.data = t->in, .bytes = CYCLE_BYTES};
    t->arguments[2] = (hed_runner_argument){.data = &t->a, .bytes = sizeof t->a};
    t->arguments[3] = (hed_runner_argument){.data = &t->n, .bytes = sizeof t->n};
    t->arguments[4] = (hed_runner_argument){.data = &cycle_moved, .bytes = sizeof cycle_moved};
    t->def = (hed_runner_def){.device = t->device,
        .kernel = &cycle_def,
        .problem = &t->problem,
        .arguments = t->arguments,
        .timeout_seconds = 0.2};
}

static void close_context(fake_runner *t)
{
    hed_context_destroy(t->context);
    CHECK_EQ(fakes_alive(t->fake), 0, "%lld objects are left", (long long)fakes_alive(t->fake));
    CHECK_EQ(t->fake->misuses, 0, "%s was given nonsense", t->fake->misused);
}

static hed_trial try_slot(fake_runner *t)
{
    hed_trial trial;
    hed_config config = {1, {64}};
    OK(t->runner->kind->prepare(t->runner, 0, &config, &trial, &error));
    return trial;
}

static void time_well(fake_runner *t)
{
    double values[20];
    hed_trial trial = try_slot(t);
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    OK(t->runner->kind->time(t->runner, 0, 20, values, &trial, &error));
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    for (int i = 0; i < 20; i++)
        CHECK(values[i] > 0 && values[i] < 0.1, "run %d: %g s", i, values[i]);
    CHECK(t->runner->device_time);
}

Test(runner_fake, times_between_marks)
{
    for (int cold = 0; cold < 2; cold++) {
        fake_runner t = {0};
        open_context(&t, "cuda", "cuda:0");
        t.def.cold_cache = cold;
        OK(hed_runner_create_local(&t.def, &t.runner, &error));
        time_well(&t);
        hed_runner_destroy(t.runner);
        close_context(&t);
    }
}

static hed_status time_of(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *why)
{
    return ((fake_runner *)user)
        ->runner->kind->time(((fake_runner *)user)->runner, slot, runs, values, trial, why);
}

static double no_time(void *user)
{
    (void)user;
    return 0;
}

/* In the fake OpenCL a launch starts and ends in the same moment: no candidate may win by that. One
 * such run is no reason to refuse it; that they all are is. */
Test(runner_fake, times_that_are_zero_are_refused)
{
    fake_runner t = {0};
    hed_race race = {.def = {.user = &t, .time = time_of, .now = no_time}};
    double values[8];
    uint32_t done;
    open_context(&t, "opencl", "opencl:0:0");
    OK(hed_runner_create_local(&t.def, &t.runner, &error));
    hed_trial trial = try_slot(&t);
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    OK(t.runner->kind->time(t.runner, 0, 1, values, &trial, &error));
    CHECK(trial.outcome == HED_OUTCOME_MEASURED && values[0] == 0, "%s", trial.text);
    OK(hed_race_take(&race, 0, 8, values, &done, &trial, &error));
    CHECK(trial.outcome == HED_OUTCOME_IMPOSSIBLE && strstr(trial.text, "took 0 s"), "%s",
        trial.text);
    hed_runner_destroy(t.runner);
    close_context(&t);
}

/* The real path to a GPU, but for the GPU: the worker program loads the fake driver. */
Test(runner_fake, a_worker_on_cuda)
{
    fake_runner t = {0};
    hed_config config = {1, {32}}, built;
    hed_trial trial;
    open_context(&t, "cuda", "cuda:0");
    t.def.timeout_seconds = 10;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    CHECK(t.runner->kind->built(t.runner, 60, &built, &trial));
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    OK(t.runner->kind->prepare(t.runner, 0, &config, &trial, &error));
    CHECK(trial.outcome == HED_OUTCOME_MEASURED && trial.resources.from_cache, "%s", trial.text);
    time_well(&t);
    hed_runner_destroy(t.runner);
    close_context(&t);
}

/* Drivers of several GPUs take seconds to start: a process that only compiles does without. */
Test(runner_fake, builders_load_no_driver)
{
    char bytes[1 << 16];
    size_t count;
    fake_runner t = {.driver = in_folder("libfake.so")};
    hed_config config = {1, {32}}, built;
    hed_trial trial;
    FILE *from = fopen(fakes_path("cuda"), "rb"), *to = fopen(t.driver, "wb");
    CHECK(from && to);
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        CHECK_EQ(fwrite(bytes, 1, count, to), count);
    fclose(from);
    CHECK_EQ(fclose(to), 0);
    open_context(&t, "cuda", "cuda:0");
    t.def.timeout_seconds = 10;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error)); /* the measuring worker has it */
    CHECK_EQ(remove(t.driver), 0);
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    CHECK(t.runner->kind->built(t.runner, 60, &built, &trial));
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    OK(t.runner->kind->prepare(t.runner, 0, &config, &trial, &error));
    CHECK(trial.outcome == HED_OUTCOME_MEASURED && trial.resources.from_cache,
        "compiled by the measuring worker: %s", trial.text);
    time_well(&t);
    hed_runner_destroy(t.runner);
    close_context(&t);
}

Test(runner_fake, a_poisoned_context_ends_the_runner)
{
    fake_runner t = {0};
    double value;
    hed_trial trial;
    open_context(&t, "cuda", "cuda:0");
    OK(hed_runner_create_local(&t.def, &t.runner, &error));
    time_well(&t);
    t.fake->fail_from = t.fake->calls + 1;
    t.fake->code = CUDA_ERROR_ILLEGAL_ADDRESS;
    OK(t.runner->kind->time(t.runner, 0, 1, &value, &trial, &error));
    CHECK_EQ(trial.outcome, HED_OUTCOME_CRASHED, "%s", trial.text);
    FAILS(HED_ERROR_LOST, t.runner->kind->time(t.runner, 0, 1, &value, &trial, &error));
    CHECK(strstr(error.text, "poisoned"));
    hed_runner_destroy(t.runner);
    hed_context_destroy(t.context);
    CHECK_EQ(t.fake->misuses, 0, "%s was given nonsense", t.fake->misused);
}

/* What a hung device still uses is not given back, on purpose: in a process of its own. */
static int hang(void)
{
    fake_runner t = {0};
    hed_trial trial;
    hed_config config = {1, {64}};
    open_context(&t, "cuda", "cuda:0");
    OK(hed_runner_create_local(&t.def, &t.runner, &error));
    t.fake->hangs = true;
    trial = try_slot(&t);
    if (trial.outcome != HED_OUTCOME_HUNG) return 1;
    if (t.runner->kind->prepare(t.runner, 0, &config, &trial, &error) != HED_ERROR_LOST) return 2;
    hed_runner_destroy(t.runner);
    return fakes_alive(t.fake) > 0 && t.fake->misuses == 0 ? 0 : 3;
}

Test(runner_fake, work_that_is_never_done)
{
    int result = 0;
    pid_t child = fork();
    if (child == 0) _exit(hang());
    CHECK_EQ(waitpid(child, &result, 0), child);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0, "ended with %x", (unsigned)result);
}

/* ---- whole tunings whose driver is slow, or never done ---- */

typedef struct slow_driver {
    fake_control *fake;
    uint64_t now, seconds; /* how long work takes; passed as the clock has it */
} slow_driver;

/* A second passes with every look at the clock while the driver is asked whether it is done. */
static uint64_t slow_clock(void *user)
{
    slow_driver *driver = user;
    driver->now += driver->fake->hangs ? 1000000000 : 1000;
    if (driver->fake->hangs && driver->seconds && --driver->seconds == 0)
        driver->fake->hangs = false;
    return driver->now;
}

static hed_status tune_slowly(const char *backend, const char *platform, slow_driver *driver,
    hed_tune_def *tune, hed_tune_result **result)
{
    fake_runner t = {0};
    hed_context_def def = fakes_def(backend);
    hed_tune_argument arguments[6] = {{0}};
    driver->fake = fakes_load(fakes_path(backend));
    fakes_reset(driver->fake);
    driver->fake->platform = platform;
    driver->fake->hangs = driver->seconds > 0;
    def.clock = (hed_clock){driver, slow_clock};
    OK(hed_context_create(&def, &t.context, &error));
    OK(hed_device_find(t.context, backend, &t.device, &error));
    t.a = 2;
    t.n = CYCLE_N;
    t.problem = hed_problem_1d(CYCLE_N);
    arguments[0].bytes = arguments[1].bytes = CYCLE_BYTES;
    arguments[1].data = t.in;
    arguments[2].data = &t.a;
    arguments[3].data = &t.n;
    arguments[4].data = &cycle_moved;
    tune->problem = &t.problem;
    tune->arguments = arguments;
    tune->isolation = HED_ISOLATION_NONE;
    tune->reference = HED_REFERENCE_NONE;
    tune->keep = false;
    return hed_tune_kernel(t.device, &cycle_def, tune, result, &error);
}

/* Nothing is known of the first candidate's time: it has 120 s. In the fake OpenCL a run takes no
 * time, so that none works in the end. */
Test(runner_fake, a_slow_first_run_has_not_hung)
{
    static const uint64_t seconds[] = {100, 200};
    for (int i = 0; i < 2; i++) {
        pid_t child = fork(); /* a device that hangs is not given back */
        if (child == 0) {
            slow_driver driver = {.seconds = seconds[i]};
            hed_tune_def tune = hed_default_tune_def();
            hed_tune_result *result = NULL;
            hed_status status = tune_slowly("opencl", "Fake platform", &driver, &tune, &result);
            _exit(status != HED_ERROR_BUILD                             ? 1
                  : !strstr(error.text, i == 0 ? "impossible" : "hung") ? 2
                                                                        : 0);
        }
        int ended = 0;
        CHECK_EQ(waitpid(child, &ended, 0), child);
        CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%d s: ended with %x", (int)seconds[i],
            (unsigned)ended);
    }
}

static void hang_after_the_first(void *user, const hed_tune_progress *progress)
{
    slow_driver *driver = user;
    if (progress->done == 1) driver->fake->hangs = true;
}

/* A candidate that hangs in this process ends the tuning; what was measured before is handed
 * over. */
static int hang_second(void)
{
    slow_driver driver = {0};
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_result *result = NULL;
    tune.progress = hang_after_the_first;
    tune.user = &driver;
    if (tune_slowly("cuda", NULL, &driver, &tune, &result)) return 1;
    if (result->end != HED_TUNE_LOST || strcmp(hed_tune_end_name(result->end), "lost") != 0)
        return 2;
    if (result->count != 2 || result->best != 0) return 3;
    if (result->evaluations[0].outcome != HED_OUTCOME_MEASURED) return 4;
    return result->evaluations[1].outcome == HED_OUTCOME_HUNG && !result->kept ? 0 : 5;
}

Test(runner_fake, what_was_measured_before_a_hang_is_there)
{
    int result = 0;
    pid_t child = fork();
    if (child == 0) _exit(hang_second());
    CHECK_EQ(waitpid(child, &result, 0), child);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0, "ended with %x", (unsigned)result);
}

static hed_status live(fake_runner *t, hed_trial *trial)
{
    double values[3];
    hed_config config = {1, {64}};
    *trial = (hed_trial){0};
    hed_status status = hed_runner_create_local(&t->def, &t->runner, &error);
    if (status) return status;
    status = t->runner->kind->prepare(t->runner, 0, &config, trial, &error);
    if (!status && !trial->outcome)
        status = t->runner->kind->time(t->runner, 0, 3, values, trial, &error);
    hed_runner_destroy(t->runner);
    return status;
}

/* A call that gives an object back, or without which CUDA gives none back: where it fails, the
 * object stays. */
static bool gives_back(const char *call)
{
    static const char *const words[] = {"Release", "Destroy", "Free", "Unload", "cuCtx", "Finish"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        found = found || strstr(call, words[i]);
    return found;
}

/* Each call of a driver fails in turn: a status or an outcome with words, and nothing is left. */
static void fail_each_call(const char *backend, const char *selector, int code)
{
    fake_runner t = {0};
    hed_trial trial;
    open_context(&t, backend, selector);
    OK(live(&t, &trial));
    int64_t held = fakes_alive(t.fake), n = 0;
    do {
        t.fake->calls = t.fake->failures = 0;
        t.fake->failed[0] = 0;
        t.fake->code = code;
        t.fake->fail_call = ++n;
        error = (hed_error){0};
        hed_status status = live(&t, &trial);
        t.fake->fail_call = 0;
        CHECK(!status || error.text[0], "%s failing: no words", t.fake->failed);
        CHECK(!trial.outcome || trial.text[0], "%s failing: %s without words", t.fake->failed,
            hed_outcome_name(trial.outcome));
        int64_t left = fakes_alive(t.fake) - held;
        CHECK(left == 0 || (left <= 2 && gives_back(t.fake->failed)),
            "%s failing: %lld objects are left", t.fake->failed, (long long)left);
        held += left;
    } while (t.fake->failures);
    CHECK(n > 40, "%lld calls only", (long long)n);
    CHECK_EQ(t.fake->misuses, 0, "%s was given nonsense", t.fake->misused);
    hed_context_destroy(t.context);
}

Test(runner_fake, each_call_of_cuda_failing) { fail_each_call("cuda", "cuda:0", 999); }
Test(runner_fake, each_call_of_opencl_failing) { fail_each_call("opencl", "opencl:0:1", -9999); }
