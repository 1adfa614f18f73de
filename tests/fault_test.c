/* ctest: devices */
/* Every allocation of a create-launch-destroy cycle failing, on the device under test: a clean
 * status, nothing left, and the process goes on. The fake drivers go through the same in
 * fake_driver_test.c. And processes that fill one cold cache together, with the device's own
 * compiler. */
#include "cycle.h"
#include "folder.h"

#include <sys/wait.h>

static hed_error error;

TestSuite(fault, .init = folder_make, .fini = folder_remove);

static const char *selector(void)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    return wanted && wanted[0] ? wanted : "host";
}

static void live(
    const hed_context_def *given, test_allocator *state, hed_status *status, const char *what)
{
    hed_context_def def = *given;
    def.allocator = test_allocator_of(state);
    error = (hed_error){0};
    *status = cycle_run(&def, selector(), NULL, &error);
    CHECK(*status == HED_OK || (error.status == *status && error.text[0]),
        "%s: the error does not say why", what);
    CHECK(state->live == 0 && state->bytes == 0, "%s (%s): %lld allocations of ours are left", what,
        error.text, (long long)state->live);
}

/* Lets allocation n fail in a life of its own, for every n up to the last one. Few are done
 * without: those for a log, for reading an entry of the cache, which is then compiled, and for
 * looking into the tuning databases, without which the default is taken. A context is held all the
 * while, since CUDA's primary context takes a good part of a second to make. */
static void fail_each_allocation(const hed_context_def *def)
{
    enum { DONE_WITHOUT = 32 };
    test_allocator state = {0};
    hed_status status;
    int64_t n = 0, without = 0;
    test_device held = test_open(NULL);
    live(def, &state, &status, "without faults");
    CHECK_EQ(status, HED_OK, "without faults: %s\n%s", error.text, error.log);
    do {
        char what[64];
        state = (test_allocator){.fail_at = ++n};
        snprintf(what, sizeof what, "allocation %lld failing", (long long)n);
        live(def, &state, &status, what);
        bool memory = status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY;
        CHECK(memory || status == HED_OK, "%s: %s: %s", what, hed_status_name(status), error.text);
        without += status == HED_OK && state.calls >= n;
    } while (state.calls >= n);
    CHECK(n > 40 && without <= DONE_WITHOUT, "%lld allocations in a life, %lld done without",
        (long long)n - 1, (long long)without);
    CHECK_EQ(status, HED_OK, "the process does not go on: %s", error.text);
    test_close(&held);
}

Test(fault, each_allocation_failing)
{
    hed_context_def def = hed_default_context_def();
    def.cache_dir = in_folder("cache");
    fail_each_allocation(&def);
}

Test(fault, each_allocation_failing_while_everything_is_compiled)
{
    hed_context_def def = hed_default_context_def();
    def.cache_dir = "";
    fail_each_allocation(&def);
}

Test(fault, each_allocation_failing_while_kernels_are_read_from_files)
{
    hed_context_def def = hed_default_context_def();
    def.cache_dir = in_folder("cache");
    def.kernel_dir = folder;
    write_file(in_folder(cycle_sources[1].name), cycle_text, strlen(cycle_text));
    fail_each_allocation(&def);
}

/* ---- one cache, several processes ---- */

static int live_in_a_process(const hed_context_def *def)
{
    for (int i = 0; i < 3; i++)
        if (cycle_run(def, selector(), NULL, &error)) {
            fprintf(stderr, "%s\n%s\n", error.text, error.log);
            return 1;
        }
    return 0;
}

Test(fault, processes_fill_a_cold_cache_together)
{
    enum { PROCESSES = 2 };
    hed_context_def def = hed_default_context_def();
    hed_context *context;
    hed_device *device;
    hed_cache_info report;
    pid_t children[PROCESSES];
    int start[2];
    char go[PROCESSES] = {0};
    def.cache_dir = in_folder("cache");
    CHECK_EQ(pipe(start), 0);
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork(); /* before a driver is loaded: drivers do not stand a fork */
        if (children[p] == 0) _exit(read(start[0], go, 1) == 1 ? live_in_a_process(&def) : 9);
    }
    CHECK_EQ(write(start[1], go, PROCESSES), PROCESSES);
    for (int p = 0; p < PROCESSES; p++) {
        int result;
        CHECK_EQ(waitpid(children[p], &result, 0), children[p]);
        bool fine = WIFEXITED(result) && WEXITSTATUS(result) == 0;
        CHECK(fine, "process %d ended with %x", p, (unsigned)result);
    }
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, selector(), &device, &error));
    OK(hed_cache_measure(context, &report, &error));
    bool compiles = hed_device_describe(device).capabilities & HED_CAN_SOURCE;
    uint64_t kernels = compiles ? 2 : 0; /* one for each configuration */
    CHECK(report.entries == kernels && report.damaged == 0, "%llu entries, %llu damaged",
        (unsigned long long)report.entries, (unsigned long long)report.damaged);
    hed_context_destroy(context);
}
