/* ctest: devices=pocl */
/* PoCL's traps: what it does that no program expects, each with the test that we do not step into
 * it. Elsewhere are
 *
 *   arguments in local memory that abort the process    also runtime:
 *   shapes_over_a_limit_are_refused_before_the_driver
 *   answers about kernels that are false                opencl_build:
 *   answers_that_are_known_to_be_false_are_unknown
 *   handlers of signals, taken with the devices         opencl: the_programs_signal_handlers_stay
 *   a division by zero that is a signal                 opencl:
 *   division_of_integers_by_zero_in_a_kernel_is_harmless
 *   a kernel out of bounds that ends the process        worker:
 *   candidates_that_crash_or_hang_cost_themselves_alone
 *   large arrays in local memory that the text hides    worker:
 *   local_memory_that_a_candidate_lies_about
 *   NULL as the size of a group, which is slow          runtime:
 *   one_to_three_dimensions_of_any_size_with_a_chosen_group */
#include "folder.h"
#include "opencl_testing.h"
#include "measure/runners.h"

#include <signal.h>

static opencl_test open_pocl(const hed_context_def *def)
{
    opencl_test t = open_test(def);
    if (!is_pocl(&t)) {
        close_test(&t);
        test_skip("the device is not PoCL's");
    }
    return t;
}

static void run_twice(const opencl_test *t, const hed_kernel_def *def)
{
    hed_kernel *kernel = make_kernel(t->device, def);
    hed_buffer *x = make_buffer(t->device, N * sizeof(int32_t));
    int32_t values[N];
    for (int i = 0; i < N; i++) values[i] = 21;
    OK(hed_write(t->stream, x, 0, values, sizeof values, &error));
    launch_twice(t->stream, kernel, x, 0);
    check_all(t->stream, x, 42);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
}

/* ---- compiling ---- */

static int generic_versions;

static int count_generic(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    if (type == FTW_D && strcmp(path + at->base, "0-0-0") == 0) generic_versions++;
    return 0;
}

/* Whoever asks PoCL for a program's binary has it compile each kernel once more, for groups of any
 * size. */
Test(pocl_traps, a_kernel_is_compiled_for_the_groups_of_its_launches_alone, .init = folder_make,
    .fini = folder_remove)
{
    CHECK_EQ(setenv("POCL_CACHE_DIR", in_folder("pocl"), 1), 0);
    hed_context_def def = hed_default_context_def();
    def.cache_dir = in_folder("heddle");
    for (int round = 0; round < 2; round++) { /* from text, then from the cache */
        opencl_test t = open_pocl(&def);
        run_twice(&t, &twice);
        close_test(&t);
    }
    generic_versions = 0;
    CHECK_EQ(
        nftw(in_folder("pocl"), count_generic, 16, FTW_PHYS), 0, "PoCL has compiled nothing there");
    CHECK_EQ(generic_versions, 0);
}

/* ---- limits ---- */

static const hed_argument_def room_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE},
    {.name = "room", .kind = HED_LOCAL, .type = HED_INT32},
    {.name = "last", .kind = HED_SCALAR, .type = HED_UINT32}};
static const hed_source room_source = {"room.cl",
    "__kernel void room(__global int *x, HED_LOCAL(int, room), uint last)\n{\n"
    "    HED_LOCAL_USE(int, room);\n    uint i = (uint)get_local_id(0);\n"
    "    room[i == 0 ? last : i - 1] = x[i];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x[i] = room[i == 0 ? last : i - 1] + 1;\n}\n",
    0};
static const hed_kernel_def room_def = {.name = "room",
    .sources = &room_source,
    .source_count = 1,
    .arguments = room_arguments,
    .argument_count = 3};

/* "Local" memory is the processor's cache: another size on each machine. All of it can be had; a
 * word more would end the process in the driver's thread. */
Test(pocl_traps, all_local_memory_and_not_a_byte_more)
{
    enum { CL_DEVICE_LOCAL_MEM_SIZE_WORD = 0x1023 };
    opencl_test t = open_pocl(NULL);
    const hed_device_info info = hed_device_describe(t.device);
    hed_driver_handles native;
    uint64_t told = 0;
    OK(hed_device_handles(t.device, &native, &error));
    CHECK_EQ(t.cl.clGetDeviceInfo(
                 native.device, CL_DEVICE_LOCAL_MEM_SIZE_WORD, sizeof told, &told, NULL),
        0);
    CHECK_EQ(info.local_bytes, told, "not what the driver says");
    hed_kernel *kernel = make_kernel(t.device, &room_def);
    hed_buffer *x = make_buffer(t.device, 16 * sizeof(int32_t));
    uint64_t words = told / 4;
    hed_geometry g = {.dimensions = 1, .global = {16}, .group = {16}};
    hed_argument arguments[] = {
        hed_buffer_argument(x), hed_local_argument(), hed_uint_argument((uint32_t)words - 1)};
    for (int round = 0; round < 3; round++) {
        int32_t values[16] = {0};
        OK(hed_write(t.stream, x, 0, values, sizeof values, &error));
        g.local_bytes[1] = 4 * (words + 1);
        FAILS(HED_ERROR_LIMIT, hed_launch_over(t.stream, kernel, &g, arguments, 3, &error));
        g.local_bytes[1] = 4 * words;
        OK(hed_launch_over(t.stream, kernel, &g, arguments, 3, &error));
        OK(hed_read(t.stream, values, x, 0, sizeof values, &error));
        OK(hed_stream_wait(t.stream, &error));
        for (int i = 0; i < 16; i++) CHECK_EQ(values[i], 1);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* Bad sizes of groups are an answer of the driver's, no end of the process, where a program reaches
 * the driver. Through us they do not get there: sizes are rounded up to whole groups, or
 * refused. */
Test(pocl_traps, bad_sizes_of_groups_are_answers)
{
    static const hed_source fixed_source = {"fixed.cl",
        "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void fixed(__global int *x, int add)\n{\n"
        "    x[get_global_id(0)] += add;\n}\n",
        0};
    static const hed_kernel_def fixed = {.name = "fixed",
        .sources = &fixed_source,
        .source_count = 1,
        .arguments = twice_arguments,
        .argument_count = 2};
    opencl_test t = open_pocl(NULL);
    const hed_device_info info = hed_device_describe(t.device);
    hed_kernel *kernel = make_kernel(t.device, &twice), *only_eight = make_kernel(t.device, &fixed);
    hed_buffer *x = make_buffer(t.device, 1024 * sizeof(int32_t));
    const hed_argument arguments[] = {hed_buffer_argument(x), hed_int_argument(0)};
    hed_geometry g = {.dimensions = 1, .global = {1000}, .group = {7}};
    OK(hed_launch_over(t.stream, kernel, &g, arguments, 2, &error)); /* 1001 items */
    OK(hed_stream_wait(t.stream, &error));
    g.group[0] = info.max_group + 1;
    FAILS(HED_ERROR_LIMIT, hed_launch_over(t.stream, kernel, &g, arguments, 2, &error));
    g = (hed_geometry){.dimensions = 1, .global = {1024}, .group = {32}};
    FAILS(HED_ERROR_LIMIT, hed_launch_over(t.stream, only_eight, &g, arguments, 2, &error));
    g.group[0] = 8;
    OK(hed_launch_over(t.stream, only_eight, &g, arguments, 2, &error));
    OK(hed_stream_wait(t.stream, &error));
    const size_t bad[][2] = {{1024, (size_t)info.max_group + 1}, {1000, 7}};
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(
            t.cl.clEnqueueNDRangeKernel(hed_stream_handle(t.stream),
                hed_kernel_describe(kernel).handle, 1, NULL, &bad[i][0], &bad[i][1], 0, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE, "group of %zu of %zu", bad[i][1], bad[i][0]);
    run_twice(&t, &twice);
    hed_kernel_destroy(kernel);
    hed_kernel_destroy(only_eight);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* No sub-groups, no packets, nothing resident: a capability that is claimed and is not there would
 * be a crash. */
Test(pocl_traps, what_it_lacks_is_not_claimed)
{
    opencl_test t = open_pocl(NULL);
    const hed_device_info info = hed_device_describe(t.device);
    const uint64_t lacking = HED_CAN_LANES | HED_CAN_NAMED_BARRIERS | HED_CAN_COOPERATIVE |
                             HED_CAN_GRID_BARRIER | HED_CAN_PACKETS | HED_CAN_CLUSTERS |
                             HED_CAN_RESIDENT | HED_CAN_GRAPHS | HED_CAN_CUDA_C;
    unsigned long long claimed = info.capabilities & lacking;
    EXPECT_EQ(claimed, 0, "claimed: %#llx", claimed);
    EXPECT_EQ(info.type, HED_DEVICE_CPU);
    close_test(&t);
}

/* ---- signals ---- */

static void own_handler(int number) { (void)number; }

/* Told to leave SIGFPE alone, it takes the handlers when it first builds instead of with the
 * devices. */
Test(pocl_traps, handlers_stay_when_they_are_taken_by_the_first_build)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGFPE, SIGUSR1, SIGSEGV, SIGTERM};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    struct sigaction before[COUNT], now;
    hed_context_def def = hed_default_context_def();
    def.cache_dir = "";
    setenv("POCL_SIGFPE_HANDLER", "0", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1); /* the compiler runs */
    for (int i = 0; i < COUNT; i += 2) signal(numbers[i], own_handler);
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], NULL, &before[i]);
    opencl_test t = open_pocl(&def);
    run_twice(&t, &twice);
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &now);
        EXPECT(now.sa_handler == before[i].sa_handler, "the handler of signal %d is another one",
            numbers[i]);
    }
    close_test(&t);
}

/* ---- folders ---- */

static void move_to(const char *home)
{
    if (home) setenv("HOME", home, 1);
    else unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_DATA_HOME");
    unsetenv("POCL_CACHE_DIR");
}

static void run_in_home(const char *home)
{
    move_to(home);
    opencl_test t = open_pocl(NULL);
    run_twice(&t, &twice);
    close_test(&t);
}

TestSuite(pocl_folders, .init = folder_make, .fini = folder_remove);

/* Without a home it writes to /tmp/pocl, whatever TMPDIR says; we keep nothing. */
Test(pocl_folders, no_home) { run_in_home(NULL); }

/* A home that is not there is made by it; so what follows must not depend on whether it is. */
Test(pocl_folders, a_home_that_is_missing) { run_in_home(in_folder("not/yet")); }

/* A home where no folder can be made: it lists no device then, which is no failure of a context. */
Test(pocl_folders, a_home_that_is_a_file)
{
    hed_context *context;
    const char *path = in_folder("file");
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
    move_to(path);
    OK(hed_context_create(NULL, &context, &error));
    for (uint32_t i = 0; i < hed_context_describe(context).backends; i++) {
        hed_backend_info report = hed_backend_at(context, i);
        EXPECT(report.devices || report.reason[0], "%s has no device and does not say why",
            report.name);
    }
    hed_context_destroy(context);
}

/* ---- time ---- */

static void one_dimension(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    (void)def;
    geometry->dimensions = 1;
    geometry->global[0] = (uint64_t)problem->sizes[0];
    geometry->group[0] = (uint32_t)config->values[0];
}

/* Compiling is done at the first run with a size of group: a hundred times as long as a run. The
 * runner's times begin after one. The kernel counts its own launches. */
Test(pocl_traps, the_first_run_is_thrown_away)
{
    static const hed_source source = {"count.cl",
        "__kernel void count(__global int *launches, __global int *out)\n{\n    if (get_global_id(0) == 0)\n"
        "        out[0] = ++launches[0];\n}\n",
        0};
    static const hed_argument_def described[] = {
        {.name = "launches", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_WORKSPACE},
        {.name = "out", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_WRITE}};
    static const int64_t groups[] = {32};
    static const hed_parameter_def group = {"WG", groups, 1, 32, NULL};
    static const char *const dimensions[] = {"n"};
    static const hed_kernel_def def = {.name = "count",
        .sources = &source,
        .source_count = 1,
        .arguments = described,
        .argument_count = 2,
        .parameters = &group,
        .parameter_count = 1,
        .dimensions = dimensions,
        .dimension_count = 1,
        .geometry = one_dimension};
    enum { RUNS = 3 };
    opencl_test t = open_pocl(NULL);
    const int32_t zero = 0;
    const hed_runner_argument contents[] = {{.data = &zero, .bytes = 4}, {.bytes = 4}};
    hed_problem problem = hed_problem_1d(32);
    hed_runner_def wanted = {.device = t.device,
        .kernel = &def,
        .problem = &problem,
        .arguments = contents,
        .timeout_seconds = 60};
    hed_config config = hed_config_default(&def);
    hed_runner *runner;
    hed_trial trial;
    double seconds[RUNS];
    int32_t launches = 0;
    OK(hed_runner_create_local(&wanted, &runner, &error));
    OK(runner->kind->prepare(runner, 0, &config, &trial, &error));
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED, "%s", trial.text);
    OK(runner->kind->output(runner, 0, 1, 0, &launches, &trial, &error));
    CHECK_GE(launches, 2,
        "none but the one asked for: the first timed run would have been the first of all");
    OK(runner->kind->time(runner, 0, RUNS, seconds, &trial, &error));
    OK(runner->kind->output(runner, 0, 1, 0, &launches, &trial, &error));
    CHECK_GE(launches, 2 + RUNS + 1);
    hed_runner_destroy(runner);
    close_test(&t);
}

/* Its events count nanoseconds of the host's clock: never more than has passed, never less than
 * nothing. */
Test(pocl_traps, event_times_are_within_the_hosts)
{
    opencl_test t = open_pocl(NULL);
    hed_stream_def def = hed_default_stream_def();
    hed_stream *timed;
    hed_step_time times[8];
    uint32_t count;
    def.timed_steps = 8;
    OK(hed_stream_create(t.device, &def, &timed, &error));
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    uint64_t start = hed_now();
    for (int i = 0; i < 8; i++) launch_twice(timed, kernel, x, 0);
    OK(hed_stream_wait(timed, &error));
    double passed = 1e-9 * (double)(hed_now() - start), sum = 0;
    OK(hed_stream_read_times(timed, times, 8, &count, &error));
    CHECK_EQ(count, 8);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT(times[i].seconds >= 0, "step %u took %g s", i, times[i].seconds);
        sum += times[i].seconds;
    }
    EXPECT(sum <= passed, "%g s in all of %g", sum, passed);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    hed_stream_destroy(timed);
    close_test(&t);
}
