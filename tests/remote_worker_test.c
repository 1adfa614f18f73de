/* ctest: devices=pocl,cuda long */
/* A real worker at the other end of a command: candidates that are wrong, crash or hang there, and
 * workers that are killed. */
#include <sched.h>
#include <signal.h>

#include "core/objects.h"
#include "folder.h"
#include "runner_testing.h"
#include "workers/fleet.h"
#include "workers/remote_device.h"

static void open_folder(void)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    if (!wanted || !wanted[0] || !strcmp(wanted, "host"))
        test_skip("host runs the program's own functions, which no worker has");
    folder_make();
}

TestSuite(remote_worker, .init = open_folder, .fini = folder_remove);

/* The far end has a cache of its own; `before` is put in front of its command. */
static hed_device *open_worker(const test_device *on, const char *before)
{
    char command[1024];
    hed_device *device;
    snprintf(command, sizeof command, "%s XDG_CACHE_HOME='%s' exec '%s' --device '%s'", before,
        folder, on->device->settings->worker, hed_device_describe(on->device).id);
    const hed_remote_def def = {.command = command, .patience_seconds = 20};
    OK(hed_device_create_remote(on->context, &def, &device, &error));
    return device;
}

Test(remote_worker, candidates_are_judged_there)
{
    runner_test t = {.on = test_open(NULL)};
    double values[70];
    hed_trial trial;
    hed_config config, built;
    hed_device *device = open_worker(&t.on, "");
    const char *name = hed_device_describe(device).name;
    CHECK_TEXT(name, hed_device_describe(t.on.device).name);
    describe_scale(&t);
    t.def.device = device;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    CHECK(t.runner->builders > 0);
    config = config_of(32, RIGHT);
    OK(t.runner->kind->build_ahead(t.runner, &config, &error));
    bool there = false;
    for (int i = 0; i < 600 && !there; i++)
        there = t.runner->kind->built(t.runner, 0.1, &built, &trial);
    CHECK(there && built.values[0] == 32 && !trial.outcome, "%s", trial.text);
    trial = try_in(t.runner, 0, 64, WRONG_VALUE);
    expect(&trial, HED_OUTCOME_WRONG, "y[7]");
    trial = try_in(t.runner, 0, 64, SEGFAULTS);
    expect(&trial, HED_OUTCOME_CRASHED, "");
    trial = try_in(t.runner, 1, 64, RIGHT);
    expect(&trial, HED_OUTCOME_MEASURED, "");
    OK(t.runner->kind->time(t.runner, 1, 70, values, &trial, &error));
    for (int i = 0; i < 70; i++) CHECK(values[i] > 0 && values[i] < 1);
    float found[ITEMS];
    OK(t.runner->kind->output(t.runner, 1, 1, 0, found, &trial, &error));
    CHECK_BYTES(found, t.expected, sizeof found);
    hed_runner_destroy(t.runner);
    hed_device_release(device);
    test_close(&t.on);
}

/* The processors that this process and its children run on. */
static void bind_to(const cpu_set_t *set) { CHECK_EQ(sched_setaffinity(0, sizeof *set, set), 0); }

static uint32_t builders_wanted[2], opens;

static hed_status note_builders(const hed_runner_def *def, hed_runner **runner, hed_error *why)
{
    (void)runner;
    builders_wanted[opens++ % 2] = def->builders;
    return hed_fail(why, HED_ERROR_IO, "made up: does not open");
}

static bool no_restart(const hed_device *device)
{
    (void)device;
    return false;
}

/* The leader may have one processor, and the far end 64. */
Test(remote_worker, builders_are_as_many_as_the_far_end_has_processors)
{
    runner_test t = {.on = test_open(NULL)};
    cpu_set_t all, one;
    uint32_t first = 0;
    CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    uint32_t processors = (uint32_t)CPU_COUNT(&all), most = processors < 64 ? processors : 64;
    hed_device *devices[2] = {open_worker(&t.on, "")};
    bind_to(&one);
    devices[1] = open_worker(&t.on, "");
    describe_scale(&t);
    for (uint32_t i = 0; i < 2; i++) { /* by a leader of one processor */
        t.def.device = devices[i];
        OK(hed_runner_create_worker(&t.def, &t.runner, &error));
        CHECK_EQ(t.runner->builders, i ? 1 : most);
        hed_runner_destroy(t.runner);
    }
    bind_to(&all);
    const hed_fleet_kind kind = {note_builders, no_restart, NULL};
    FAILS(HED_ERROR_IO, hed_fleet_create(&t.def, devices, 2, &kind, &t.runner, &error));
    CHECK(opens == 2 && !builders_wanted[0] && !builders_wanted[1], "the far end decides");
    hed_error_clear(&error);
    t.def.device = devices[0]; /* both are on one machine, as the fleet has told them */
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    CHECK_EQ(t.runner->builders, most > 1 ? processors / 2 : 1);
    hed_runner_destroy(t.runner);
    for (uint32_t i = 0; i < 2; i++) hed_device_release(devices[i]);
    test_close(&t.on);
}

Test(remote_worker, one_that_is_killed_is_lost)
{
    char file[128], text[32] = "";
    runner_test t = {.on = test_open(NULL)};
    hed_trial trial;
    hed_config config = config_of(64, RIGHT);
    snprintf(file, sizeof file, "echo $$ > %s;", in_folder("pid"));
    hed_device *device = open_worker(&t.on, file);
    describe_scale(&t);
    t.def.device = device;
    OK(hed_runner_create_worker(&t.def, &t.runner, &error));
    FILE *pid = fopen(in_folder("pid"), "r");
    CHECK(pid && fgets(text, sizeof text, pid));
    fclose(pid);
    CHECK_EQ(kill(atoi(text), SIGKILL), 0);
    FAILS(HED_ERROR_LOST, t.runner->kind->prepare(t.runner, 0, &config, &trial, &error));
    CHECK(strstr(error.text, "SIGKILL"), "%s", error.text);
    error = (hed_error){0};
    hed_runner_destroy(t.runner);
    hed_device_release(device);
    test_close(&t.on);
}
