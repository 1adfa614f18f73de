/* ctest: devices long alone */
/* Many lives in one process: nothing of ours stays, and the process grows no more than its driver
 * makes it grow, which is measured with as many cycles of raw driver calls. 100 lives, or 1000 with
 * HEDDLE_TEST_FULL set. The fake drivers, which count every object, have a soak of their own in
 * fake_driver_test.c. */
#include "cycle.h"

#include <malloc.h>

#include "backends/cuda/cuda_api.h"
#include "backends/opencl/opencl_api.h"

static hed_error error;

/* Memory of the process, bytes, without what the heaps of all threads keep of what was freed: how
 * much that is depends on which thread of a driver did what. */
static int64_t resident(void)
{
    long pages = 0;
    malloc_trim(0);
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%*s %ld", &pages) == 1);
    fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

/* ---- the raw driver: a context, a stream, a buffer, and the kernel of a life in both its
 * configurations ---- */

typedef struct raw {
    hed_device *device;
    hed_driver_handles native;
    const char *backend;
    hed_kernel *kernels[2]; /* where the OpenCL programs come from */
    unsigned char *code[2];
    size_t code_bytes[2];
} raw;

#define CL(name) (*(cl.name = (__typeof__(cl.name))hed_device_symbol(r->device, #name)))

static void take_code(raw *r, int index)
{
    enum { CL_KERNEL_PROGRAM = 0x1194 };
    hed_cl_api cl;
    cl_program program;
    size_t *size = &r->code_bytes[index];
    CHECK_EQ(CL(clGetKernelInfo)(hed_kernel_describe(r->kernels[index]).handle, CL_KERNEL_PROGRAM,
                 sizeof program, &program, NULL),
        0);
    CHECK_EQ(CL(clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL), 0);
    r->code[index] = malloc(*size);
    CHECK_EQ(CL(clGetProgramInfo)(
                 program, CL_PROGRAM_BINARIES, sizeof r->code[index], &r->code[index], NULL),
        0);
}

static raw raw_open(hed_device *device)
{
    raw r = {.device = device, .backend = hed_device_describe(device).backend};
    hed_kernel_options options = hed_default_kernel_options();
    options.defines = cycle_own_defines;
    options.define_count = 1;
    if (!strcmp(r.backend, "host")) return r;
    OK(hed_device_handles(device, &r.native, &error));
    for (int i = 0; i < 2; i++) {
        const hed_config config = {1, {cycle_groups[i]}};
        options.config = &config;
        OK(hed_kernel_create(device, &cycle_def, &options, &r.kernels[i], &error));
        if (!strcmp(r.backend, "opencl")) take_code(&r, i);
    }
    return r;
}

static void raw_close(raw *r)
{
    for (int i = 0; i < 2; i++) {
        hed_kernel_destroy(r->kernels[i]);
        free(r->code[i]);
    }
}

static void raw_opencl(const raw *r)
{
    const intptr_t properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)r->native.platform, 0};
    cl_device_id id = r->native.device;
    hed_cl_api cl;
    cl_context context = CL(clCreateContext)(properties, 1, &id, NULL, NULL, NULL);
    cl_command_queue queue = CL(clCreateCommandQueue)(context, id, 0, NULL);
    cl_mem memory = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, CYCLE_WHOLE, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        const unsigned char *code = r->code[i];
        cl_program program =
            CL(clCreateProgramWithBinary)(context, 1, &id, &r->code_bytes[i], &code, NULL, NULL);
        CHECK_EQ(CL(clBuildProgram)(program, 1, &id, "", NULL, NULL), 0);
        cl_kernel kernel = CL(clCreateKernel)(program, "cycle", NULL);
        const size_t group = (size_t)cycle_groups[i], items = (CYCLE_N + group - 1) / group * group;
        const float a = 2.0f;
        const uint32_t n = CYCLE_N;
        CL(clSetKernelArg)
        (kernel, 0, sizeof memory, &memory);
        CL(clSetKernelArg)
        (kernel, 1, sizeof memory, &memory);
        CL(clSetKernelArg)
        (kernel, 2, sizeof a, &a);
        CL(clSetKernelArg)
        (kernel, 3, sizeof n, &n);
        CL(clSetKernelArg)
        (kernel, 4, sizeof cycle_moved, &cycle_moved);
        CL(clSetKernelArg)
        (kernel, 5, group * sizeof(float), NULL);
        CHECK_EQ(
            CL(clEnqueueNDRangeKernel)(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), 0);
        CHECK_EQ(CL(clFinish)(queue), 0);
        CL(clReleaseKernel)
        (kernel);
        CL(clReleaseProgram)
        (program);
    }
    CL(clReleaseMemObject)
    (memory);
    CL(clReleaseCommandQueue)
    (queue);
    CL(clReleaseContext)
    (context);
}

#define CU(name, symbol) (*(cu.name = (__typeof__(cu.name))hed_device_symbol(r->device, symbol)))

static void raw_cuda(const raw *r)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\n ret;\n}\n";
    CUdevice id = (CUdevice)(intptr_t)r->native.device;
    CUcontext context;
    CUstream stream;
    CUdeviceptr memory;
    CUmodule module;
    CUfunction function;
    hed_cuda_api cu;
    CHECK_EQ(CU(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")(&context, id), 0);
    CHECK_EQ(CU(cuCtxSetCurrent, "cuCtxSetCurrent")(context), 0);
    CHECK_EQ(CU(cuStreamCreateWithPriority, "cuStreamCreateWithPriority")(
                 &stream, CU_STREAM_NON_BLOCKING, 0),
        0);
    CHECK_EQ(CU(cuMemAlloc, "cuMemAlloc_v2")(&memory, CYCLE_WHOLE), 0);
    CHECK_EQ(CU(cuModuleLoadDataEx, "cuModuleLoadDataEx")(&module, text, 0, NULL, NULL), 0);
    CHECK_EQ(CU(cuModuleGetFunction, "cuModuleGetFunction")(&function, module, "f"), 0);
    CHECK_EQ(
        CU(cuLaunchKernel, "cuLaunchKernel")(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL),
        0);
    CHECK_EQ(CU(cuStreamSynchronize, "cuStreamSynchronize")(stream), 0);
    CU(cuModuleUnload, "cuModuleUnload")
    (module);
    CU(cuMemFree, "cuMemFree_v2")
    (memory);
    CU(cuStreamDestroy, "cuStreamDestroy_v2")
    (stream);
    CU(cuCtxSetCurrent, "cuCtxSetCurrent")
    (NULL);
    CU(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")
    (id);
}

/* ---- growth ---- */

static void raw_cycles(const raw *r, int count)
{
    for (int i = 0; i < count; i++) {
        if (!strcmp(r->backend, "opencl")) raw_opencl(r);
        if (!strcmp(r->backend, "cuda")) raw_cuda(r);
    }
}

static void lives(const hed_context_def *def, const char *selector, int count)
{
    for (int i = 0; i < count; i++) OK(cycle_run(def, selector, NULL, &error));
}

enum { DEVICE_SLACK = 8 << 20, MOST_ROUNDS = 6 };

/* Free memory of a CUDA device, bytes; 0 elsewhere. All processes that use the device share it, so
 * another one that starts during a round is in the difference; only a fall in every round is a loss
 * of the lives. */
static int64_t device_free(const raw *r)
{
    uint64_t free_bytes = 0, total;
    if (!strcmp(r->backend, "cuda")) OK(hed_device_memory(r->device, &free_bytes, &total, &error));
    return (int64_t)free_bytes;
}

/* A round of lives makes the process grow by no more than as many cycles of raw driver calls before
 * it, and a slack: caches and SQLite's pages settle in the heaps (measured: 0.4 to 0.7 MiB in the
 * first 100 lives, 0.3 MiB in the next), and PoCL keeps 1.6 KiB of a life, but 0.8 KiB of a cycle.
 * A loss in every life is in every round, so that the first round within the slack ends the test,
 * and those before it were settling. Found are losses from 9 KiB a life on (in 1000 lives 2 KiB)
 * that test_allocator does not see: a kernel (2 MiB) or a buffer (2.5 KiB, ten in a life) not given
 * back to PoCL, what is mapped, what is allocated around the context's allocator. The fake drivers
 * find the rest. */
static bool round_within_slack(const raw *r, const hed_context_def *def, int count)
{
    const int64_t start = resident(), device_start = device_free(r);
    raw_cycles(r, count);
    const int64_t middle = resident(), driver = middle - start;
    lives(def, hed_device_describe(r->device).id, count);
    const int64_t ours = resident() - middle, device_lost = device_start - device_free(r);
    printf("%d lives: the process grew by %lld KiB, with raw driver calls by %lld KiB; the device's "
           "free memory fell by %lld KiB\n",
        count, (long long)ours >> 10, (long long)driver >> 10, (long long)device_lost >> 10);
    if (device_lost > DEVICE_SLACK) return false;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true; /* they keep what is freed */
#else
    return ours <= (driver > 0 ? driver : 0) + (768 << 10) + count * 1024;
#endif
}

/* A context is held all the while: without it CUDA's primary context, which takes a good part of a
 * second to make, would be made anew for each life; every object of a life still comes and goes. */
Test(soak, many_lives_leave_nothing)
{
    const int count = getenv("HEDDLE_TEST_FULL") ? 1000 : 100;
    test_device held = test_open(NULL);
    const char *selector = hed_device_describe(held.device).id;
    test_allocator state = {0};
    hed_context_def def = hed_default_context_def();
    def.allocator = test_allocator_of(&state);
    raw r = raw_open(held.device);
    raw_cycles(&r, count / 5);
    lives(&def, selector, count / 5);
    int round = 1;
    while (!round_within_slack(&r, &def, count))
        CHECK_LT(round++, MOST_ROUNDS,
            "the process grows, or the device's memory shrinks, in each round of %d lives", count);
    CHECK(state.live == 0 && state.bytes == 0, "%lld allocations of ours are left",
        (long long)state.live);
    raw_close(&r);
    test_close(&held);
}
