/* ctest: devices=pocl,cuda long */
/* The runner in worker processes: candidates that crash, hang, lie or are wrong cost one evaluation
 * and nothing else; workers that are killed, missing or no workers at all; and nothing is left
 * behind. */
#include <signal.h>
#include <sys/wait.h>

#include "core/objects.h"
#include "folder.h"
#include "runner_testing.h"
#include "workers/worker.h"

/* The program with all tests runs these on host too. */
static void open_folder(void)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    if (!wanted || !wanted[0] || !strcmp(wanted, "host"))
        test_skip("host runs the program's own functions, which no worker has");
    folder_make();
}

TestSuite(worker, .init = open_folder, .fini = folder_remove);

static worker_client *client_of(const runner_test *t) { return (worker_client *)t->runner; }

static void open_runner(runner_test *t, void (*describe)(runner_test *t))
{
    t->on = test_open(NULL);
    describe(t);
    OK(hed_runner_create_worker(&t->def, &t->runner, &error));
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *open_files = opendir("/proc/self/fd");
    while (readdir(open_files)) count++;
    closedir(open_files);
    return count;
}

/* Nothing is left of a runner: no process, no folder. */
static void close_runner(runner_test *t)
{
    char cache[64];
    strcpy(cache, client_of(t)->own_cache);
    hed_runner_destroy(t->runner);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a process is left");
    CHECK(!cache[0] || access(cache, F_OK) != 0, "%s is left", cache);
    test_close(&t->on);
}

static void time_slot(runner_test *t, uint32_t slot)
{
    double values[70];
    hed_trial trial;
    OK(t->runner->kind->time(t->runner, slot, 70, values, &trial, &error));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    for (int i = 0; i < 70; i++)
        CHECK(values[i] > 0 && values[i] < 1, "run %d: %g s", i, values[i]);
}

Test(worker, a_right_candidate_is_timed)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 3, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    CHECK(trial.error >= 0 && trial.error < 1e-5, "error %g", trial.error);
    time_slot(&t, 3);
    CHECK(t.runner->device_time);
    close_runner(&t);
}

Test(worker, every_way_to_be_wrong_is_found)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    find_every_fault(t.runner);
    hed_trial trial = try_in(t.runner, 0, 64, NO_C);
    expect(&trial, HED_OUTCOME_BUILD, "error");
    CHECK_EQ(client_of(&t)->measurer.life, 1, "none of this costs a worker");
    close_runner(&t);
}

Test(worker, what_is_changed_in_place_is_restored)
{
    runner_test t = {0};
    open_runner(&t, describe_advance);
    run_in_place(t.runner);
    close_runner(&t);
}

Test(worker, cold_runs_and_impossible_times)
{
    runner_test t = {0};
    t.on = test_open(NULL);
    describe_scale(&t);
    time_cold_and_refuse(&t, hed_runner_create_worker);
    test_close(&t.on);
}

/* ---- candidates that take their process with them ---- */

Test(worker, candidates_that_crash_or_hang_cost_themselves_alone)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    trial = try_in(t.runner, 1, 64, SEGFAULTS);
    expect(&trial, HED_OUTCOME_CRASHED, "");
    FAILS(HED_ERROR_ARGUMENT, t.runner->kind->time(t.runner, 1, 1, &(double){0}, &trial, &error));
    time_slot(&t, 0); /* in a new worker */
    client_of(&t)->def.timeout_seconds = 0.5;
    trial = try_in(t.runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_HUNG, "");
    client_of(&t)->def.timeout_seconds = 10;
    time_slot(&t, 0);
    CHECK_EQ(client_of(&t)->measurer.life, 3);
    close_runner(&t);
}

static uint64_t stands_still(void *user)
{
    (void)user;
    return 1;
}

Test(worker, a_hang_is_noticed_whatever_the_programs_clock_says)
{
    runner_test t = {0};
    hed_context_def def = hed_default_context_def();
    def.clock = (hed_clock){.now = stands_still};
    t.on = test_open(&def);
    describe_scale(&t);
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    client_of(&t)->def.timeout_seconds = 0.5;
    trial = try_in(t.runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_HUNG, "");
    close_runner(&t);
}

/* Whatever a driver makes of an array in local memory that no device has, the tuning goes on. */
Test(worker, local_memory_that_a_candidate_lies_about)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 1, 64, LIES_OF_LOCAL);
    CHECK_NE(trial.outcome, HED_OUTCOME_MEASURED);
    test_note(
        "an array of 1 GiB in local memory: %s: %s", hed_outcome_name(trial.outcome), trial.text);
    trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    close_runner(&t);
}

/* ---- building ahead ---- */

Test(worker, candidates_are_built_ahead)
{
    static const hed_outcome wanted[FAULT_COUNT] = {
        [NO_C] = HED_OUTCOME_BUILD, [TOO_MUCH_LOCAL] = HED_OUTCOME_INVALID};
    runner_test t = {0};
    hed_context_def without_cache = hed_default_context_def();
    hed_config config;
    hed_trial trial;
    bool seen[FAULT_COUNT] = {false};
    without_cache.cache_dir = "";
    t.on = test_open(&without_cache);
    describe_scale(&t);
    t.def.builders = 2;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    CHECK_NOT(t.runner->kind->built(t.runner, 10, &config, &trial), "nothing was asked for");
    const enum fault asked[] = {RIGHT, NO_C, TOO_MUCH_LOCAL};
    for (size_t i = 0; i < 3; i++) {
        config = config_of(32, asked[i]);
        OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
        expect(&trial, wanted[config.values[1]], "");
        CHECK(config.values[0] == 32 && !seen[config.values[1]]);
        seen[config.values[1]] = true;
    }
    trial = try_in(t.runner, 0, 32, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    CHECK_EQ(trial.build_seconds, 0, "it was built ahead");
    CHECK(trial.resources.from_cache);
    close_runner(&t);
}

/* A driver that compiles in the first launch (PoCL) has it in a builder: faults of a launch are found
 * there, and the measuring worker, which never runs them, keeps its life. */
Test(worker, builders_launch_where_the_driver_compiles_then)
{
    runner_test t = {0};
    hed_config config;
    hed_trial trial;
    const enum fault faults[] = {RIGHT, WRONG_VALUE, SEGFAULTS, LOOPS};
    t.on = test_open(NULL);
    describe_scale(&t);
    t.def.builders = 1;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    bool launches = t.on.device->info.type == HED_DEVICE_CPU;
    const hed_outcome outcomes[] = {
        HED_OUTCOME_MEASURED, HED_OUTCOME_WRONG, HED_OUTCOME_CRASHED, HED_OUTCOME_HUNG};
    CHECK_EQ(client_of(&t)->launches_ahead, launches);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        config = config_of(64, faults[i]);
        client_of(&t)->def.timeout_seconds = faults[i] == LOOPS ? 0.5 : 20;
        OK(t.runner->kind->build_ahead(t.runner, &config, &error));
        CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
        expect(&trial, launches ? outcomes[i] : HED_OUTCOME_MEASURED, "");
    }
    if (launches) CHECK_EQ(client_of(&t)->builders[0].process.life, 2, "one ended by a crash, one by a hang");
    CHECK_EQ(client_of(&t)->measurer.life, 1);
    close_runner(&t);
}

/* While there are no expected outputs, and the time limit is long: what passes in a builder then is compared later, and a
 * run that has no end gets the limit that the reference has shown. */
Test(worker, builders_begin_before_the_reference)
{
    runner_test t = {0};
    hed_config config;
    hed_trial trial;
    t.on = test_open(NULL);
    describe_scale(&t);
    t.def.builders = 1;
    t.def.timeout_seconds = 1000;
    t.arguments[1].expected = NULL;
    OK(hed_runner_create_builders(&t.def, &t.runner, &error));
    const enum fault asked[] = {WRONG_VALUE, RIGHT};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        config = config_of(64, asked[i]);
        OK(t.runner->kind->build_ahead(t.runner, &config, &error));
        CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
        expect(&trial, HED_OUTCOME_MEASURED, "");
    }
    CHECK_EQ(client_of(&t)->measurer.life, 0, "nothing is measured yet");
    config = config_of(64, LOOPS);
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    bool launches = client_of(&t)->launches_ahead;
    while (launches && client_of(&t)->builders[0].task != HED_TASK_CHECK)
        CHECK_NOT(t.runner->kind->built(t.runner, 0.1, &config, &trial));
    t.arguments[1].expected = t.expected;
    t.def.timeout_seconds = 2;
    OK(hed_runner_open_measurer(t.runner, &t.def, &error));
    trial = try_in(t.runner, 0, 64, WRONG_VALUE);
    expect(&trial, HED_OUTCOME_WRONG, "y[7]");
    trial = try_in(t.runner, 1, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
    expect(&trial, launches ? HED_OUTCOME_HUNG : HED_OUTCOME_MEASURED, "");
    close_runner(&t);
}

Test(worker, a_builder_that_is_killed_is_no_fault_of_the_candidate)
{
    runner_test t = {0};
    hed_context_def without_cache = hed_default_context_def();
    hed_config config = config_of(32, RIGHT);
    hed_trial trial;
    without_cache.cache_dir = "";
    t.on = test_open(&without_cache);
    describe_scale(&t);
    t.def.builders = 1;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    kill(client_of(&t)->builders[0].process.pid, SIGKILL);
    CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
    expect(&trial, HED_OUTCOME_MEASURED, "");
    close_runner(&t);
}

/* ---- workers that are killed, stopped, missing ---- */

Test(worker, a_worker_killed_while_idle_is_started_again)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    siginfo_t end;
    kill(client_of(&t)->measurer.pid, SIGSEGV);
    CHECK_EQ(waitid(P_PID, (id_t)client_of(&t)->measurer.pid, &end, WEXITED | WNOWAIT), 0);
    time_slot(&t, 0);
    kill(client_of(&t)->measurer.pid, SIGKILL);
    trial = try_in(t.runner, 1, 32, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    close_runner(&t);
}

/* Asked again and again while a worker is waited for: the third time it kills the worker, and
 * leaves the next one little time. */
static bool kill_the_first(void *user)
{
    static int asked;
    worker_client *client = user;
    if (++asked == 3) {
        client->def.timeout_seconds = 0.5;
        kill(client->measurer.pid, SIGKILL);
    }
    return false;
}

Test(worker, a_candidate_whose_worker_is_killed_gets_another_chance)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    client_of(&t)->def.timeout_seconds = 100;
    client_of(&t)->def.idle = kill_the_first;
    client_of(&t)->def.user = client_of(&t);
    trial = try_in(t.runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_HUNG, "");
    CHECK_EQ(client_of(&t)->measurer.life, 2, "the second chance was in a worker of its own");
    close_runner(&t);
}

/* Without a worker that can be started, building ahead hands everything back, and measuring says
 * what is missing. */
Test(worker, a_worker_program_that_goes_away)
{
    runner_test t = {0};
    hed_context_def def = hed_default_context_def();
    hed_config config = config_of(64, RIGHT), built;
    hed_trial trial;
    char program[96];
    snprintf(program, sizeof program, "%s/worker", folder);
    def.worker = program;
    t.on = test_open(NULL);
    CHECK_EQ(symlink(t.on.device->settings->worker, program), 0);
    test_close(&t.on);
    t.on = test_open(&def);
    describe_scale(&t);
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    CHECK_EQ(remove(program), 0);
    for (int i = 0; i < 3; i++) OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    for (int i = 0; i < 3; i++) {
        CHECK(t.runner->kind->built(t.runner, 100, &built, &trial));
        expect(&trial, HED_OUTCOME_MEASURED, "");
    }
    trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    trial = try_in(t.runner, 1, 64, SEGFAULTS);
    expect(&trial, HED_OUTCOME_CRASHED, "");
    FAILS(HED_ERROR_IO, t.runner->kind->prepare(t.runner, 0, &config, &trial, &error));
    close_runner(&t);
}

static bool stop_now(void *user)
{
    ++*(int *)user;
    return true;
}

Test(worker, waiting_can_be_stopped)
{
    runner_test t = {0};
    int asked = 0;
    open_runner(&t, describe_scale);
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    client_of(&t)->def.idle = stop_now;
    client_of(&t)->def.user = &asked;
    trial = try_in(t.runner, 1, 64, LOOPS);
    expect(&trial, HED_OUTCOME_DROPPED, "stopped");
    CHECK_EQ(asked, 1);
    client_of(&t)->def.idle = NULL;
    time_slot(&t, 0);
    close_runner(&t);
}

Test(worker, a_terminal_interrupts_the_parent_alone)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    pid_t worker = client_of(&t)->measurer.pid;
    CHECK_EQ(getpgid(worker), worker);
    close_runner(&t);
}

static int open_and_die(int to)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    pid_t worker = client_of(&t)->measurer.pid;
    return write(to, &worker, sizeof worker) == sizeof worker ? 0 : 1;
}

Test(worker, a_worker_ends_with_its_parent)
{
    int ends[2];
    pid_t worker = 0;
    CHECK_EQ(pipe(ends), 0);
    pid_t parent = fork(); /* before a driver is loaded */
    if (parent == 0) _exit(open_and_die(ends[1]));
    close(ends[1]);
    CHECK_EQ(waitpid(parent, NULL, 0), parent);
    if (read(ends[0], &worker, sizeof worker) != sizeof worker) test_skip("no device");
    for (int i = 0; i < 6000 && kill(worker, 0) == 0; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    CHECK_NE(kill(worker, 0), 0, "the worker lives on");
    close(ends[0]);
}

/* A program in the worker's place. */
static void try_program(const char *program, hed_status status, const char *words)
{
    runner_test t = {0};
    hed_context_def def = hed_default_context_def();
    def.worker = program;
    t.on = test_open(&def);
    describe_scale(&t);
    int before = count_descriptors();
    FAILS(status, hed_runner_create_worker(&t.def, &t.runner, &error));
    CHECK(strstr(error.text, words), "no \"%s\" in: %s", words, error.text);
    CHECK_EQ(count_descriptors(), before);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a process is left");
    test_close(&t.on);
}

static const char *script(const char *text)
{
    const char *path = in_folder("script");
    write_file(path, text, strlen(text));
    CHECK_EQ(chmod(path, 0755), 0);
    return path;
}

Test(worker, programs_that_are_no_worker)
{
    try_program("/nowhere/heddle-worker", HED_ERROR_IO, "/nowhere/heddle-worker");
    try_program("", HED_ERROR_IO, "HEDDLE_WORKER");
    try_program("/bin/true", HED_ERROR_LOST, "exit code 0");
    try_program(script("#!/bin/sh\necho one; echo last words >&2; exit 3\n"), HED_ERROR_LOST,
        "exit code 3: last words");
    try_program(
        script("#!/bin/sh\necho garbage >&3; exec sleep 1000\n"), HED_ERROR_LOST, "invalid reply");
    try_program(script("no program\n"), HED_ERROR_IO, "cannot start");
}

Test(worker, kernels_that_cannot_leave_their_process)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_runner_def def = t.def;
    hed_kernel_def textless = scale;
    hed_runner *none;
    OK(hed_device_find(t.on.context, "host", &def.device, &error));
    FAILS(HED_ERROR_UNSUPPORTED, hed_runner_create_worker(&def, &none, &error));
    def = t.def;
    def.kernel = &textless;
    textless.source_count = 0;
    FAILS(HED_ERROR_UNSUPPORTED, hed_runner_create_worker(&def, &none, &error));
    def = t.def;
    def.objective = HED_OBJECTIVE_ENERGY;
    bool cuda = strcmp(hed_device_describe(t.on.device).backend, "cuda") == 0;
    if (!cuda) FAILS(HED_ERROR_UNSUPPORTED, hed_runner_create_worker(&def, &none, &error));
    close_runner(&t);
}

/* ---- what goes along ---- */

Test(worker, texts_are_read_from_files_by_the_parent)
{
    runner_test t = {0};
    hed_source file = {.name = in_folder("scale.cl")};
    hed_kernel_def from_file = scale;
    from_file.sources = &file;
    t.on = test_open(NULL);
    describe_scale(&t);
    t.def.kernel = &from_file;
    FAILS(HED_ERROR_IO, hed_runner_create_worker(&t.def, &t.runner, &error));
    write_file(file.name, scale_text, strlen(scale_text));
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    remove(file.name);
    hed_trial trial = try_in(t.runner, 0, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    close_runner(&t);
}

Test(worker, nothing_is_left_open)
{
    runner_test t = {0};
    open_runner(&t, describe_scale);
    hed_runner_destroy(t.runner);
    int before = count_descriptors();
    for (int i = 0; i < 3; i++) {
        OK(hed_runner_create_worker(&t.def, &t.runner, &error));
        hed_config config = config_of(64, RIGHT);
        hed_trial trial;
        OK(t.runner->kind->build_ahead(t.runner, &config, &error));
        CHECK(t.runner->kind->built(t.runner, 100, &config, &trial));
        trial = try_in(t.runner, 0, 64, RIGHT);
        if (i == 1) kill(client_of(&t)->measurer.pid, SIGKILL);
        if (i == 2) trial = try_in(t.runner, 1, 64, SEGFAULTS);
        hed_runner_destroy(t.runner);
        CHECK_EQ(count_descriptors(), before);
    }
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a process is left");
    test_close(&t.on);
}

static hed_status live(const runner_test *t)
{
    hed_runner *runner;
    double values[3];
    hed_trial trial;
    hed_config config = config_of(64, RIGHT), built;
    hed_status status = hed_runner_create_worker(&t->def, &runner, &error);
    if (status) return status;
    status = runner->kind->build_ahead(runner, &config, &error);
    if (!status && !runner->kind->built(runner, 100, &built, &trial)) abort();
    if (!status) status = runner->kind->prepare(runner, 0, &config, &trial, &error);
    if (!status) status = runner->kind->time(runner, 0, 3, values, &trial, &error);
    hed_runner_destroy(runner);
    return status;
}

Test(worker, each_allocation_of_the_parent_failing)
{
    runner_test t = {0};
    test_allocator state = {0};
    hed_context_def def = hed_default_context_def();
    def.allocator = test_allocator_of(&state);
    t.on = test_open(&def);
    describe_scale(&t);
    OK(live(&t));
    int64_t held = state.live, count = state.calls;
    OK(live(&t));
    count = state.calls - count;
    for (int64_t n = 1; n <= count; n++) {
        state.fail_at = state.calls + n;
        error = (hed_error){0};
        hed_status status = live(&t);
        CHECK_EQ(
            status, HED_ERROR_MEMORY, "allocation %d of %d: %s", (int)n, (int)count, error.text);
        CHECK_EQ(state.live, held, "allocation %d of %d: %s: something is left", (int)n, (int)count,
            error.text);
    }
    state.fail_at = 0;
    test_close(&t.on);
}
