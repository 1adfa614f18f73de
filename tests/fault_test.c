/* ctest: devices timeout=300
 * Every allocation of a create-launch-destroy cycle failing, on the device under test: a clean status,
 * nothing left, and the process goes on. The fake drivers go through the same in fake_driver_test.c. */
#include "cycle.h"

#include "base/alloc.h"
#include "base/path.h"

static hed_error error;

static const char *selector(void)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    return wanted && wanted[0] ? wanted : "host";
}

static void live(const hed_context_def *given, test_allocator *state, hed_status *status, const char *what)
{
    hed_context_def def = *given;
    def.allocator = test_allocator_of(state);
    error = (hed_error){0};
    *status = cycle_run(&def, selector(), NULL, &error);
    cr_assert(*status == HED_OK || (error.status == *status && error.text[0]),
              "%s: the error does not say why", what);
    cr_assert(state->live == 0 && state->bytes == 0, "%s (%s): %lld allocations of ours are left", what,
              error.text, (long long)state->live);
}

/* Lets allocation n fail in a life of its own, for every n up to the last one. */
static void fail_each_allocation(const hed_context_def *def)
{
    test_allocator state = {0};
    hed_status status;
    int64_t n = 0;
    live(def, &state, &status, "without faults");
    cr_assert_eq(status, HED_OK, "without faults: %s\n%s", error.text, error.log);
    do {
        char what[64];
        state = (test_allocator){.fail_at = ++n};
        snprintf(what, sizeof what, "allocation %lld failing", (long long)n);
        live(def, &state, &status, what);
        bool memory = status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY;
        cr_assert(memory || status == HED_OK, "%s: %s: %s", what, hed_status_name(status),
                  error.text); /* OK: what can be done without */
    } while (state.calls >= n);
    cr_assert(n > 40, "only %lld allocations in a life", (long long)n);
    cr_assert_eq(status, HED_OK, "the process does not go on: %s", error.text);
}

Test(fault, each_allocation_failing)
{
    hed_context_def def = hed_default_context_def();
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
    char folder[] = "/tmp/heddle-fault-XXXXXX", path[HED_PATH_MAX];
    const void *parts[] = {cycle_text};
    const size_t sizes[] = {strlen(cycle_text)};
    hed_context_def def = hed_default_context_def();
    cr_assert_not_null(mkdtemp(folder));
    cr_assert(hed_path_join(path, folder, cycle_sources[1].name));
    OK(hed_path_write(path, parts, sizes, 1, &error));
    def.kernel_dir = folder;
    fail_each_allocation(&def);
    unlink(path);
    rmdir(folder);
}
