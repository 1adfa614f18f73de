/* ctest: devices=cuda */
/* What is special to the CUDA backend on a real device: a program's own context, stream and memory;
 * handles and functions read out; resources that the driver tells; errors that lose the device.
 * Skipped on every other device. */
#include "testing.h"

static hed_error error;

typedef int (*cu_create)(void **context, unsigned flags, int device);
typedef int (*cu_one)(void *object);
typedef int (*cu_current)(void **context);
typedef int (*cu_stream)(void **stream, unsigned flags);
typedef int (*cu_allocate)(uint64_t *address, size_t size);
typedef int (*cu_free)(uint64_t address);
typedef int (*cu_get)(void *to, uint64_t from, size_t size);

/* The device under test, or a skip. */
static test_device open_cuda(void)
{
    test_device t = test_open(NULL);
    if (strcmp(hed_device_describe(t.device).backend, "cuda") != 0) {
        test_close(&t);
        test_skip("the device under test is no CUDA device");
    }
    return t;
}

static void *symbol(hed_device *device, const char *name)
{
    void *function = hed_device_symbol(device, name);
    CHECK_NOT_NULL(function, "libcuda has no %s", name);
    return function;
}

static const char add_text[] = "__kernel void add(__global float *x, float a, uint n) { uint i = "
                               "(uint)get_global_id(0); if (i < n) x[i] += a; }\n";
static const hed_source add_source = {"add.cl", add_text, 0};
static const hed_argument_def add_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    {.name = "a", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32}};
static const hed_kernel_def add = {.name = "add", .sources = &add_source, .source_count = 1,
    .arguments = add_arguments, .argument_count = 3};

enum { N = 1000 };

static void run_add(hed_stream *stream, hed_kernel *kernel, hed_buffer *x)
{
    const hed_argument arguments[] = {
        hed_buffer_argument(x), hed_float_argument(2.5f), hed_uint_argument(N)};
    OK(hed_launch_over(
        stream, kernel, &(hed_geometry){.dimensions = 1, .global = {N}}, arguments, 3, &error));
}

/* A context of the program's own; cuCtxCreate has other parameters from CUDA 13 on, where _v2 stays
 * as it was. */
static void *own_context(hed_device *device)
{
    void *context = NULL;
    cu_create create = (cu_create)symbol(device, "cuCtxCreate_v2");
    CHECK_EQ(create(&context, 0, 0), 0);
    return context;
}

Test(cuda, a_programs_own_context_stream_and_memory)
{
    test_device t = open_cuda();
    void *context = own_context(t.device), *stream = NULL, *current = NULL;
    uint64_t address = 0;
    float back[N];
    CHECK_EQ(((cu_stream)symbol(t.device, "cuStreamCreate"))(&stream, 1), 0);
    CHECK_EQ(((cu_allocate)symbol(t.device, "cuMemAlloc_v2"))(&address, sizeof back), 0);

    hed_device *device;
    hed_stream *wrapped;
    hed_buffer *x;
    hed_kernel *kernel;
    hed_driver_handles read;
    OK(hed_device_adopt(
        t.context, "cuda", &(hed_driver_handles){.context = context}, &device, &error));
    OK(hed_device_handles(device, &read, &error));
    CHECK_EQ(read.context, context);
    hed_stream_def stream_def = {.handle = stream, .use_handle = true};
    hed_buffer_def buffer_def = {
        .memory = HED_MEMORY_ADOPTED, .size = sizeof back, .handle = (uintptr_t)address};
    OK(hed_stream_create(device, &stream_def, &wrapped, &error));
    OK(hed_buffer_create(device, &buffer_def, &x, &error));
    OK(hed_kernel_create(device, &add, NULL, &kernel, &error));
    CHECK_EQ(hed_stream_handle(wrapped), stream);
    CHECK_EQ(hed_buffer_describe(x).handle, (uintptr_t)address);
    CHECK_NOT_NULL(hed_kernel_describe(kernel).handle);
    OK(hed_fill(wrapped, x, 0, sizeof back, &(float){1.0f}, 4, &error));
    run_add(wrapped, kernel, x);
    OK(hed_stream_wait(wrapped, &error));
    CHECK_EQ(((cu_current)symbol(t.device, "cuCtxGetCurrent"))(&current), 0);
    CHECK_EQ(current, context, "the program's current context was changed");
    CHECK_EQ(((cu_get)symbol(t.device, "cuMemcpyDtoH_v2"))(back, address, sizeof back), 0);
    for (int i = 0; i < N; i++) CHECK_EQ(back[i], 3.5f, "element %d is %g", i, (double)back[i]);

    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    hed_stream_destroy(wrapped);
    hed_device_release(device);
    /* What was the program's still is, and works. */
    CHECK_EQ(((cu_free)symbol(t.device, "cuMemFree_v2"))(address), 0);
    CHECK_EQ(((cu_one)symbol(t.device, "cuStreamDestroy_v2"))(stream), 0);
    CHECK_EQ(((cu_one)symbol(t.device, "cuCtxDestroy_v2"))(context), 0);
    test_close(&t);
}

Test(cuda, another_current_context_does_not_matter_and_comes_back)
{
    test_device t = open_cuda();
    hed_kernel *kernel;
    hed_buffer *x;
    hed_buffer_def def = hed_default_buffer_def(4 * N);
    void *current = NULL;
    OK(hed_kernel_create(t.device, &add, NULL, &kernel, &error));
    void *context = own_context(t.device); /* current from here */
    OK(hed_buffer_create(t.device, &def, &x, &error));
    OK(hed_fill(t.stream, x, 0, 4 * N, "\0", 1, &error));
    run_add(t.stream, kernel, x);
    OK(hed_stream_wait(t.stream, &error));
    CHECK_EQ(((cu_current)symbol(t.device, "cuCtxGetCurrent"))(&current), 0);
    CHECK_EQ(current, context);
    hed_buffer_destroy(x);
    CHECK_EQ(((cu_one)symbol(t.device, "cuCtxDestroy_v2"))(context), 0);
    hed_kernel_destroy(kernel);
    test_close(&t);
}

Test(cuda, the_driver_tells_registers_and_residency)
{
    test_device t = open_cuda();
    hed_kernel *kernel;
    hed_kernel_resources r;
    int64_t groups;
    OK(hed_kernel_create(t.device, &add, NULL, &kernel, &error));
    OK(hed_kernel_measure_resources(kernel, &r, &error));
    CHECK(r.registers > 0 && r.registers < 64, "%lld registers", (long long)r.registers);
    CHECK_EQ(r.spill_bytes, 0);
    CHECK_EQ(r.stack_bytes, 0);
    CHECK_EQ(r.local_bytes, 0);
    CHECK_EQ(r.max_group, 1024);
    OK(hed_kernel_resident_groups(kernel, 1024, 0, &groups, &error));
    CHECK_EQ(groups % hed_device_describe(t.device).compute_units, 0);
    CHECK(groups >= hed_device_describe(t.device).compute_units);
    int64_t fewer;
    OK(hed_kernel_resident_groups(
        kernel, 1024, hed_device_describe(t.device).local_bytes, &fewer, &error));
    CHECK_EQ(fewer, hed_device_describe(t.device).compute_units,
        "all local memory leaves one group a multiprocessor");
    hed_kernel_destroy(kernel);
    test_close(&t);
}

Test(cuda, a_kernel_that_writes_outside_memory_loses_the_device)
{
    static const char text[] =
        "__kernel void stray(__global float *x) { x[(size_t)1 << 40] = 1.0f; }\n";
    const hed_source source = {"stray.cl", text, 0};
    const hed_argument_def argument = {
        .name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE};
    const hed_kernel_def stray = {.name = "stray", .sources = &source, .source_count = 1,
        .arguments = &argument, .argument_count = 1};
    test_device t = open_cuda();
    hed_kernel *kernel;
    hed_buffer *x;
    hed_buffer_def def = hed_default_buffer_def(4);
    OK(hed_kernel_create(t.device, &stray, NULL, &kernel, &error));
    OK(hed_buffer_create(t.device, &def, &x, &error));
    OK(hed_launch_over(t.stream, kernel,
        &(hed_geometry){.dimensions = 1, .global = {1}, .group = {1}},
        (hed_argument[]){hed_buffer_argument(x)}, 1, &error));
    FAILS(HED_ERROR_LOST, hed_stream_wait(t.stream, &error));
    FAILS(HED_ERROR_LOST, hed_stream_wait_for(t.stream, 1000000000, &error));
    FAILS(HED_ERROR_LOST, hed_fill(t.stream, x, 0, 4, "\0", 1, &error));
    hed_buffer_destroy(x); /* nothing of ours is left behind, and nothing crashes */
    hed_kernel_destroy(kernel);
    test_close(&t);
}

Test(cuda, kernels_compiled_ahead_run_where_there_is_no_compiler)
{
    test_device t = open_cuda();
    char folder[] = "/tmp/heddle-ahead-XXXXXX";
    CHECK_NOT_NULL(mkdtemp(folder));
    OK(hed_cache_ship(t.context, &add, NULL, folder, &error));
    hed_context_def def = hed_default_context_def();
    def.ptx_dir = folder;
    def.cache_dir = "";
    def.nvrtc_library = "";
    test_device without = test_open(&def);
    CHECK_NOT(hed_device_describe(without.device).capabilities & HED_CAN_SOURCE);
    hed_kernel *kernel;
    hed_buffer *x;
    hed_buffer_def buffer_def = hed_default_buffer_def(4 * N);
    float back[N];
    OK(hed_kernel_create(without.device, &add, NULL, &kernel, &error));
    OK(hed_buffer_create(without.device, &buffer_def, &x, &error));
    OK(hed_fill(without.stream, x, 0, 4 * N, "\0", 1, &error));
    run_add(without.stream, kernel, x);
    OK(hed_read(without.stream, back, x, 0, sizeof back, &error));
    OK(hed_stream_wait(without.stream, &error));
    for (int i = 0; i < N; i++) CHECK_EQ(back[i], 2.5f);
    hed_kernel *strict;
    hed_kernel_options options = {.math = HED_MATH_STRICT};
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(without.device, &add, &options, &strict,
                                     &error)); /* this one was not shipped */
    hed_buffer_destroy(x);
    hed_kernel_destroy(kernel);
    test_close(&without);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_EQ(system(command), 0);
    test_close(&t);
}
