/* What is special to the OpenCL backend: a program's own context, queue and buffers; handles and functions read out; signal
 * handlers and answers of drivers that are not true; build options and binaries; steps that hang or fail. Runs on the
 * device of HEDDLE_DEVICE if that is an OpenCL device, else on the first one. */
#include "testing.h"

#include <math.h>
#include <signal.h>
#include <time.h>

#include "backends/opencl/opencl.h"
#include "core/program.h"

static hed_error error;

enum {
    CL_CONTEXT_REFERENCE_COUNT = 0x1080,
    CL_QUEUE_REFERENCE_COUNT = 0x1092,
    CL_MEM_REFERENCE_COUNT = 0x1105,
    CL_KERNEL_FUNCTION_NAME = 0x1190
};

/* ---- a device, and the driver's functions as a program has them ---- */

typedef struct opencl_test {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_cl_api cl;
} opencl_test;

static hed_device *find_opencl(hed_context *context)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    hed_device *device = NULL;
    if (wanted && !hed_device_find(context, wanted, &device, &error) &&
        !strcmp(hed_device_get_info(device)->backend, "opencl"))
        return device;
    return hed_device_find(context, "opencl", &device, &error) ? NULL : device;
}

static opencl_test open_test(const hed_context_def *def)
{
    opencl_test t = {0};
    const char *required = getenv("HEDDLE_REQUIRE_DEVICES");
    OK(hed_context_create(def, &t.context, &error));
    t.device = find_opencl(t.context);
    if (!t.device) {
        hed_context_destroy(t.context);
        cr_assert(!required || !strstr(required, "opencl"), "an OpenCL device is required: %s", error.text);
        cr_skip_test("no OpenCL device: %s", error.text);
    }
    OK(hed_stream_create(t.device, NULL, &t.stream, &error));
#define LOAD(result, name, parameters) *(void **)&t.cl.name = hed_device_symbol(t.device, #name);
    HED_CL_FUNCTIONS(LOAD)
#undef LOAD
    return t;
}

static void close_test(opencl_test *t)
{
    hed_stream_destroy(t->stream);
    hed_context_destroy(t->context);
}

static bool is_pocl(const opencl_test *t)
{
    return !strcmp(hed_device_get_info(t->device)->platform, "Portable Computing Language");
}

/* PoCL's "basic" device and Oclgrind have no threads of their own. */
static bool is_threadless(const opencl_test *t) { return opencl_of(t->device)->threadless; }

static hed_buffer *make_buffer(hed_device *device, uint64_t size)
{
    hed_buffer_def def = hed_default_buffer_def(size);
    hed_buffer *buffer;
    OK(hed_buffer_create(device, &def, &buffer, &error));
    return buffer;
}

/* ---- a kernel: x[i] = x[i] * 2 + add ---- */

static const hed_argument_def twice_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_INT32, .access = HED_READ_WRITE},
    {.name = "add", .kind = HED_SCALAR, .type = HED_INT32}};
static const hed_source twice_source = {"twice.cl",
                                        "__kernel void twice(__global int *x, int add)\n{\n    uint i = "
                                        "(uint)get_global_id(0);\n    x[i] = x[i] * 2 + add;\n}\n",
                                        0};
static const hed_kernel_def twice = {
    .name = "twice", .sources = &twice_source, .source_count = 1, .arguments = twice_arguments, .argument_count = 2};
enum { N = 256 };

static hed_kernel *make_kernel(hed_device *device, const hed_kernel_def *def)
{
    hed_kernel *kernel;
    OK(hed_kernel_create(device, def, NULL, &kernel, &error));
    return kernel;
}

static void launch_twice(hed_stream *stream, hed_kernel *kernel, hed_buffer *x, int32_t add)
{
    const hed_geometry g = {.dimensions = 1, .global = {N}, .group = {32}};
    const hed_argument arguments[] = {hed_buffer_argument(x), hed_int_argument(add)};
    OK(hed_launch_over(stream, kernel, &g, arguments, 2, &error));
}

static void check_all(hed_stream *stream, hed_buffer *x, int32_t want)
{
    int32_t values[N] = {0};
    OK(hed_read(stream, values, x, 0, sizeof values, &error));
    OK(hed_stream_wait(stream, &error));
    for (int i = 0; i < N; i++) cr_assert_eq(values[i], want, "x[%d] is %d instead of %d", i, values[i], want);
}

/* ---- a program that has a context, a queue and a buffer ---- */

typedef struct own {
    hed_native_device native;
    cl_context context;
    cl_command_queue queue;
    cl_mem memory;
} own;

static own make_own(const opencl_test *t, cl_bitfield queue_properties)
{
    own o = {0};
    cl_int code = CL_SUCCESS;
    int32_t zeros[N] = {0};
    OK(hed_device_native(t->device, &o.native, &error));
    cr_assert(o.native.platform && o.native.device && o.native.context);
    cl_device_id id = o.native.device;
    o.native.context = o.context = t->cl.clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    o.queue = t->cl.clCreateCommandQueue(o.context, id, queue_properties, &code);
    o.memory = t->cl.clCreateBuffer(o.context, CL_MEM_READ_WRITE, sizeof zeros, NULL, &code);
    cr_assert(o.context && o.queue && o.memory);
    cr_assert_eq(t->cl.clEnqueueWriteBuffer(o.queue, o.memory, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL),
                 CL_SUCCESS);
    return o;
}

typedef struct references {
    cl_uint context, queue, memory;
} references;

static references count_references(const opencl_test *t, const own *o)
{
    references r = {0};
    t->cl.clGetContextInfo(o->context, CL_CONTEXT_REFERENCE_COUNT, sizeof r.context, &r.context, NULL);
    t->cl.clGetCommandQueueInfo(o->queue, CL_QUEUE_REFERENCE_COUNT, sizeof r.queue, &r.queue, NULL);
    t->cl.clGetMemObjectInfo(o->memory, CL_MEM_REFERENCE_COUNT, sizeof r.memory, &r.memory, NULL);
    return r;
}

static void free_own(const opencl_test *t, own *o)
{
    t->cl.clReleaseMemObject(o->memory);
    t->cl.clReleaseCommandQueue(o->queue);
    t->cl.clReleaseContext(o->context);
}

static hed_stream *adopt_queue(hed_device *device, cl_command_queue queue)
{
    const hed_stream_def def = {.native = queue, .use_native = true};
    hed_stream *stream;
    OK(hed_stream_create(device, &def, &stream, &error));
    return stream;
}

Test(opencl, adopted_context_queue_and_buffer_stay_the_programs)
{
    opencl_test t = open_test(NULL);
    own o = make_own(&t, 0);
    references before = count_references(&t, &o);
    hed_device *device;
    hed_buffer *x;
    OK(hed_device_adopt(t.context, "opencl", &o.native, &device, &error));
    cr_assert_str_eq(hed_device_get_info(device)->id, hed_device_get_info(t.device)->id);
    cr_assert_eq(hed_device_count(t.context) > 0 && hed_device_at(t.context, 0) != device, 1);
    hed_stream *stream = adopt_queue(device, o.queue);
    const hed_buffer_def def = {
        .memory = HED_MEMORY_NATIVE, .size = N * sizeof(int32_t), .native = (uintptr_t)o.memory};
    OK(hed_buffer_create(device, &def, &x, &error));
    cr_assert_eq(hed_buffer_native(x), (uintptr_t)o.memory);
    cr_assert_eq(hed_stream_native(stream), (void *)o.queue);
    hed_kernel *kernel = make_kernel(device, &twice);
    launch_twice(stream, kernel, x, 5);
    launch_twice(stream, kernel, x, 1);
    OK(hed_device_wait(device, &error));

    int32_t values[N];
    cr_assert_eq(t.cl.clEnqueueReadBuffer(o.queue, o.memory, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
                 CL_SUCCESS);
    for (int i = 0; i < N; i++) cr_assert_eq(values[i], 11);

    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    hed_stream_destroy(stream);
    hed_device_release(device);
    references after = count_references(&t, &o);
    cr_assert_eq(after.context, before.context);
    cr_assert_eq(after.queue, before.queue);
    cr_assert_eq(after.memory, before.memory);
    free_own(&t, &o);
    close_test(&t);
}

Test(opencl, what_cannot_be_adopted_is_refused)
{
    opencl_test t = open_test(NULL);
    own o = make_own(&t, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), plain = make_own(&t, 0);
    references before = count_references(&t, &o);
    hed_native_device without = o.native;
    hed_device *device, *other;
    hed_stream *stream;
    hed_buffer *buffer;
    without.device = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(t.context, "opencl", &without, &device, &error));
    OK(hed_device_adopt(t.context, "opencl", &o.native, &device, &error));
    OK(hed_device_adopt(t.context, "opencl", &plain.native, &other, &error));
    hed_stream_def def = {.native = o.queue, .use_native = true};
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error)); /* out of order */
    def.native = plain.queue;
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error)); /* of another context */
    def.native = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_stream_create(device, &def, &stream, &error));
    def = (hed_stream_def){.native = plain.queue, .use_native = true, .timed_steps = 4};
    FAILS(HED_ERROR_UNSUPPORTED, hed_stream_create(other, &def, &stream, &error)); /* keeps no times */
    hed_buffer_def memory = {.memory = HED_MEMORY_NATIVE, .size = 16, .native = (uintptr_t)plain.memory};
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_create(device, &memory, &buffer, &error)); /* of another context */
    memory.native = (uintptr_t)o.memory;
    memory.size = N * sizeof(int32_t) + 1;
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create(device, &memory, &buffer, &error));
    hed_device_release(device);
    hed_device_release(other);
    references after = count_references(&t, &o);
    cr_assert_eq(after.context, before.context);
    cr_assert_eq(after.memory, before.memory);
    free_own(&t, &o);
    free_own(&t, &plain);
    close_test(&t);
}

Test(opencl, handles_and_functions_can_be_read_out)
{
    opencl_test t = open_test(NULL);
    hed_buffer *x = make_buffer(t.device, 777);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    size_t size = 0;
    char name[64] = "";
    cr_assert_eq(t.cl.clGetMemObjectInfo((cl_mem)hed_buffer_native(x), CL_MEM_SIZE, sizeof size, &size, NULL),
                 CL_SUCCESS);
    cr_assert_eq(size, 777);
    cr_assert_eq(t.cl.clGetKernelInfo(hed_kernel_native(kernel), CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL),
                 CL_SUCCESS);
    cr_assert_str_eq(name, "twice");
    cr_assert_eq(t.cl.clFinish(hed_stream_native(t.stream)), CL_SUCCESS);
    cr_assert_not_null(hed_device_symbol(t.device, "clEnqueueNDRangeKernel"));
    cr_assert_null(hed_device_symbol(t.device, "clNoSuchFunction"));
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* ---- the library ---- */

static hed_backend_report report_with(const char *library, hed_context **context)
{
    hed_context_def def = hed_default_context_def();
    def.opencl_library = library;
    OK(hed_context_create(&def, context, &error));
    for (uint32_t i = 0; i < hed_backend_count(*context); i++)
        if (!strcmp(hed_backend_at(*context, i).name, "opencl")) return hed_backend_at(*context, i);
    cr_assert_fail("no backend \"opencl\"");
    return (hed_backend_report){0};
}

Test(opencl, a_library_that_is_missing_or_wrong_is_said_and_no_failure)
{
    static const struct {
        const char *library, *reason;
        hed_backend_state state;
    } cases[] = {{"", "not wanted", HED_BACKEND_ABSENT},
                 {"libno-such-library.so.1", "libno-such-library.so.1", HED_BACKEND_ABSENT},
                 {"libm.so.6", "clGetPlatformIDs", HED_BACKEND_FAILED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hed_context *context;
        hed_backend_report report = report_with(cases[i].library, &context);
        cr_assert_eq(report.state, cases[i].state);
        cr_assert_eq(report.devices, 0);
        cr_assert(strstr(report.reason, cases[i].reason), "\"%s\" does not say \"%s\"", report.reason,
                  cases[i].reason);
        cr_assert(report.remedy[0]);
        hed_context_destroy(context);
    }
}

/* ---- signals ---- */

static void own_handler(int number) { (void)number; }

Test(opencl, the_programs_signal_handlers_stay)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGUSR1, SIGSEGV,
                                  SIGUSR2, SIGTERM, SIGPIPE, SIGXCPU, SIGXFSZ, SIGSYS, SIGCHLD, SIGALRM};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    struct sigaction before[COUNT], now;
    hed_context_def def = hed_default_context_def();
    def.cache_dir = ""; /* so that the compiler runs */
    for (int i = 0; i < COUNT; i += 2) signal(numbers[i], own_handler);
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], NULL, &before[i]);
    opencl_test t = open_test(&def);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    launch_twice(t.stream, kernel, x, 0);
    OK(hed_stream_wait(t.stream, &error));
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &now);
        cr_assert(now.sa_handler == before[i].sa_handler, "the driver's handler of signal %d was left in place",
                  numbers[i]);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, division_of_integers_by_zero_in_a_kernel_is_harmless)
{
    static const hed_source source = {
        "divide.cl", "__kernel void divide_all(__global int *x, int by) { x[get_global_id(0)] /= by; }\n", 0};
    struct sigaction now;
    sigaction(SIGFPE, NULL, &now);
    if (now.sa_handler != SIG_DFL)
        cr_skip_test("the program has its own handler of SIGFPE, which stays (a sanitizer's?)");
    const hed_kernel_def divide = {.name = "divide_all",
                                   .sources = &source,
                                   .source_count = 1,
                                   .arguments = twice_arguments,
                                   .argument_count = 2};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &divide);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    int32_t values[N];
    for (int i = 0; i < N; i++) values[i] = 6;
    OK(hed_write(t.stream, x, 0, values, sizeof values, &error));
    launch_twice(t.stream, kernel, x, 0);
    OK(hed_write(t.stream, x, 0, values, sizeof values, &error));
    launch_twice(t.stream, kernel, x, 2);
    check_all(t.stream, x, 3);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* ---- building ---- */

Test(opencl, defines_may_hold_blanks_quotes_and_lines)
{
    static const char text[] =
        "__constant char words[] = WORDS;\n"
        "__kernel void defined(__global int *x, int add)\n"
        "{\n    x[get_global_id(0)] = (int)sizeof words + (words[3] == '\"') + SUM + add EMPTY;\n}\n";
    const hed_source source = {"a \"strange\\name\".cl", text, 0};
    const hed_define defines[] = {{"WORDS", "\"ab \\\"c\""}, {"SUM", "(1 +\n  20 * (2 + 3))"}, {"EMPTY", ""}};
    const hed_kernel_def defined = {.name = "defined",
                                    .sources = &source,
                                    .source_count = 1,
                                    .arguments = twice_arguments,
                                    .argument_count = 2,
                                    .defines = defines,
                                    .define_count = 3};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &defined);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    launch_twice(t.stream, kernel, x, 1000);
    check_all(t.stream, x, 6 + 1 + 101 + 1000);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, a_text_that_is_not_the_description_is_refused)
{
    const hed_argument_def three[] = {
        twice_arguments[0], twice_arguments[1], {.name = "more", .kind = HED_SCALAR, .type = HED_INT32}};
    const hed_argument_def wide[] = {twice_arguments[0], {.name = "add", .kind = HED_SCALAR, .type = HED_DOUBLE}};
    const hed_geometry g = {.dimensions = 1, .global = {N}, .group = {32}};
    opencl_test t = open_test(NULL);
    hed_kernel_def def = twice;
    hed_kernel *kernel;
    def.arguments = three;
    def.argument_count = 3;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(t.device, &def, NULL, &kernel, &error));
    def = twice;
    def.entry = "thrice";
    for (int i = 0; i < 2; i++) { /* the second time a cache could be in the way */
        FAILS(HED_ERROR_BUILD, hed_kernel_create(t.device, &def, NULL, &kernel, &error));
        cr_assert(strstr(error.text, "thrice"));
    }
    def = twice;
    def.arguments = wide;
    kernel = make_kernel(t.device, &def);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    const hed_argument arguments[] = {hed_buffer_argument(x), hed_double_argument(1)};
    FAILS(HED_ERROR_ARGUMENT, hed_launch_over(t.stream, kernel, &g, arguments, 2, &error));
    cr_assert(strstr(error.text, "\"add\""), "the error does not name the argument: %s", error.text);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, a_binary_the_driver_refuses_is_a_matter_of_format)
{
    opencl_test t = open_test(NULL);
    const hed_backend *backend = t.device->backend;
    hed_config config = {0};
    hed_build_text text;
    hed_binary binary = {0}, bad = {0};
    OK(hed_build_text_make(&text, t.device, &twice, HED_MATH_FAST, &config, NULL, 0, 0, &error));
    OK(backend->build(&text.build, &binary, &error));
    hed_program program = {.device = t.device, .def = &twice, .config = config};
    OK(backend->program_load(&program, &text.build, &binary, &error));
    backend->program_unload(&program);
    bad.size = binary.size ? binary.size : 64;
    bad.bytes = malloc(bad.size);
    for (size_t i = 0; i < bad.size; i++) ((unsigned char *)bad.bytes)[i] = (unsigned char)(i * 37 + 11);
    FAILS(HED_ERROR_FORMAT, backend->program_load(&program, &text.build, &bad, &error));
    free(bad.bytes);
    hed_allocator allocator = hed_default_allocator();
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_build_text_free(&text);
    close_test(&t);
}

Test(opencl, strict_bits_are_those_of_c_compiled_now_and_from_a_binary)
{
    static const char text[] =
        "__kernel void bits(__global const float *in, __global float *out)\n"
        "{\n    uint i = (uint)get_global_id(0);\n    float a = in[i], b = in[i + 1], c = in[i + 2];\n"
        "    out[4 * i] = a * b + c;\n    out[4 * i + 1] = a / b;\n    out[4 * i + 2] = sqrt(a);\n    out[4 * i + 3] "
        "= a * b * 1e-30f * 1e-12f;\n}\n";
    static const hed_argument_def arguments[] = {
        {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT},
        {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE}};
    const hed_source source = {"bits.cl", text, 0};
    const hed_kernel_def bits = {
        .name = "bits", .sources = &source, .source_count = 1, .arguments = arguments, .argument_count = 2};
    enum { COUNT = 4096 };
    static float in[COUNT + 2], out[4 * COUNT];
    opencl_test t = open_test(NULL);
    hed_buffer *from = make_buffer(t.device, sizeof in), *to = make_buffer(t.device, sizeof out);
    const hed_argument given[] = {hed_buffer_argument(from), hed_buffer_argument(to)};
    const hed_geometry g = {.dimensions = 1, .global = {COUNT}, .group = {64}};
    uint32_t state = 1;
    for (int i = 0; i < COUNT + 2; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = (float)(state >> 8) * 0x1p-20f + 0.001f;
    }
    OK(hed_write(t.stream, from, 0, in, sizeof in, &error));
    for (int round = 0; round < 2; round++) {
        hed_kernel_options options = hed_default_kernel_options();
        hed_kernel_resources resources;
        hed_kernel *kernel;
        options.math = HED_MATH_STRICT;
        OK(hed_kernel_create(t.device, &bits, &options, &kernel, &error));
        OK(hed_kernel_get_resources(kernel, &resources, &error));
        cr_assert(round == 0 || resources.from_cache || !hed_context_cache_dir(t.context)[0]);
        OK(hed_launch_over(t.stream, kernel, &g, given, 2, &error));
        OK(hed_read(t.stream, out, to, 0, sizeof out, &error));
        OK(hed_stream_wait(t.stream, &error));
        hed_kernel_destroy(kernel);
        for (int i = 0; i < COUNT; i++) {
            const float a = in[i], b = in[i + 1], c = in[i + 2];
            const float want[4] = {a * b + c, a / b, sqrtf(a), a * b * 1e-30f * 1e-12f};
            cr_assert(!memcmp(want, out + 4 * i, sizeof want), "item %d: %a %a %a %a instead of %a %a %a %a", i,
                      (double)out[4 * i], (double)out[4 * i + 1], (double)out[4 * i + 2], (double)out[4 * i + 3],
                      (double)want[0], (double)want[1], (double)want[2], (double)want[3]);
        }
    }
    hed_buffer_destroy(from);
    hed_buffer_destroy(to);
    close_test(&t);
}

Test(opencl, answers_that_are_known_to_be_false_are_unknown)
{
    static const char text[] =
        "__kernel void table(__global int *x, int add)\n"
        "{\n    HED_LOCAL_ARRAY(int, shared, 300);\n    uint l = (uint)get_local_id(0);\n    shared[l] = x[l];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    x[l] = shared[299u - l] + add;\n}\n";
    const hed_source source = {"table.cl", text, 0};
    const hed_kernel_def table = {
        .name = "table", .sources = &source, .source_count = 1, .arguments = twice_arguments, .argument_count = 2};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &table);
    hed_kernel_resources r;
    int64_t groups = 0;
    OK(hed_kernel_get_resources(kernel, &r, &error));
    cr_assert(r.local_bytes == -1 || r.local_bytes >= 1200, "%lld bytes of local memory", (long long)r.local_bytes);
    if (is_pocl(&t)) cr_assert(r.registers == -1 && r.stack_bytes == -1 && r.spill_bytes == -1 && r.lane_width == -1);
    cr_assert_gt(r.max_group, 0);
    OK(hed_kernel_resident_groups(kernel, 64, 0, &groups, &error));
    cr_assert_eq(groups, -1);
    hed_kernel_destroy(kernel);
    close_test(&t);
}

/* ---- steps ---- */

typedef struct call_log {
    _Atomic int begun, ended;
    _Atomic bool released; /* lets slow_call() end */
} call_log;

/* Takes 20 ms, and until it is released. */
static void slow_call(void *user)
{
    call_log *log = user;
    log->begun++;
    do nanosleep(&(struct timespec){0, 20000000}, NULL);
    while (!log->released);
    log->ended++;
}

static void copy_count(void *user)
{
    call_log *log = user;
    log->begun = log->ended;
}

Test(opencl, a_host_function_holds_what_comes_after_it)
{
    opencl_test t = open_test(NULL);
    const hed_stream_def timed = {.timed_steps = 8};
    hed_stream *stream;
    hed_step_time times[8];
    uint32_t count;
    call_log first = {0}, second = {.released = true};
    first.released = is_threadless(&t);
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    int32_t zero = 0;
    OK(hed_stream_create(t.device, &timed, &stream, &error));
    OK(hed_fill(stream, x, 0, N * sizeof(int32_t), &zero, 4, &error));
    launch_twice(stream, kernel, x, 1);
    OK(hed_call(stream, slow_call, &first, &error));
    OK(hed_call(stream, copy_count, &first, &error)); /* sees the first one ended */
    launch_twice(stream, kernel, x, 1);
    if (!first.released)
        FAILS(HED_ERROR_TIMEOUT, hed_stream_wait_for(stream, 50000000, &error)); /* the launch waits too */
    if (!first.released) cr_assert_eq(first.ended, 0);
    first.released = true;
    OK(hed_stream_times(stream, times, 8, &count, &error));
    cr_assert_eq(first.begun, 1);
    cr_assert_eq(first.ended, 1);
    cr_assert_eq(count, 5);
    cr_assert_eq(times[2].kind, HED_STEP_CALL);
    cr_assert_geq(times[2].seconds, 0.02, "a sleep of 20 ms took %g s", times[2].seconds);
    check_all(stream, x, 3);
    OK(hed_call(stream, slow_call, &second, &error));
    hed_stream_destroy(stream); /* waits for it and leaves nothing behind */
    cr_assert_eq(second.ended, 1);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl, many_host_functions_and_streams_end)
{
    opencl_test t = open_test(NULL);
    call_log log = {.ended = 7};
    for (int i = 0; i < 100; i++) {
        hed_stream *stream;
        OK(hed_stream_create(t.device, NULL, &stream, &error));
        OK(hed_call(stream, copy_count, &log, &error));
        OK(hed_call(stream, copy_count, &log, &error));
        if (i & 1) OK(hed_stream_wait(stream, &error));
        hed_stream_destroy(stream);
        cr_assert_eq(log.begun, 7);
        log.begun = 0;
    }
    close_test(&t);
}

/* A queue of the program's in which a user event holds everything up. */
typedef struct held {
    opencl_test t;
    own o;
    hed_device *device;
    hed_stream *stream, *other;
    cl_event gate;
} held;

static held make_held(void)
{
    held h = {.t = open_test(NULL)};
    if (is_threadless(&h.t))
        cr_skip_test("this driver runs everything in the calling thread, which would wait for itself");
    cl_int code = CL_SUCCESS;
    h.o = make_own(&h.t, 0);
    OK(hed_device_adopt(h.t.context, "opencl", &h.o.native, &h.device, &error));
    h.stream = adopt_queue(h.device, h.o.queue);
    OK(hed_stream_create(h.device, NULL, &h.other, &error));
    h.gate = h.t.cl.clCreateUserEvent(h.o.context, &code);
    cr_assert_eq(h.t.cl.clEnqueueBarrierWithWaitList(h.o.queue, 1, &h.gate, NULL), CL_SUCCESS);
    return h;
}

static void close_held(held *h)
{
    hed_stream_destroy(h->stream);
    hed_stream_destroy(h->other);
    h->t.cl.clReleaseEvent(h->gate);
    hed_device_release(h->device);
    free_own(&h->t, &h->o);
    close_test(&h->t);
}

Test(opencl, a_stream_that_hangs_is_a_time_out_and_can_be_waited_for_again)
{
    held h = make_held();
    hed_event *event;
    bool done = true;
    OK(hed_event_create(h.device, true, &event, &error));
    OK(hed_event_record(event, h.stream, &error));
    OK(hed_stream_wait_event(h.other, event, &error));
    FAILS(HED_ERROR_TIMEOUT, hed_stream_wait_for(h.stream, 20000000, &error));
    FAILS(HED_ERROR_TIMEOUT, hed_stream_wait_for(h.other, 5000000, &error));
    FAILS(HED_ERROR_TIMEOUT, hed_event_wait(event, 5000000, &error));
    OK(h.device->backend->stream_done(h.stream, &done, &error));
    cr_assert_not(done);
    cr_assert_eq(h.t.cl.clSetUserEventStatus(h.gate, CL_COMPLETE), CL_SUCCESS);
    OK(hed_stream_wait_for(h.stream, 10000000000, &error));
    OK(hed_stream_wait_for(h.other, 10000000000, &error));
    OK(hed_event_wait(event, 10000000000, &error));
    hed_event_destroy(event);
    close_held(&h);
}

Test(opencl, work_that_failed_is_a_lost_device)
{
    held h = make_held();
    if (is_pocl(&h.t)) cr_skip_test("PoCL aborts the process when a user event fails");
    hed_event *event;
    OK(hed_event_create(h.device, true, &event, &error));
    OK(hed_event_record(event, h.stream, &error));
    cr_assert_eq(h.t.cl.clSetUserEventStatus(h.gate, -5), CL_SUCCESS);
    FAILS(HED_ERROR_LOST, hed_event_wait(event, 10000000000, &error));
    FAILS(HED_ERROR_LOST, hed_event_wait(event, UINT64_MAX, &error));
    hed_event_destroy(event);
    close_held(&h);
}

/* ---- memory ---- */

Test(opencl, mapped_memory_is_the_same_memory_or_unsupported)
{
    opencl_test t = open_test(NULL);
    const hed_buffer_def def = {.memory = HED_MEMORY_MAPPED, .size = N * sizeof(int32_t)};
    hed_kernel *kernel = make_kernel(t.device, &twice);
    hed_buffer *x;
    hed_status status = hed_buffer_create(t.device, &def, &x, &error);
    if (status == HED_ERROR_UNSUPPORTED) {
        cr_assert(strstr(error.text, "mapped"), "the error does not name the capability: %s", error.text);
    } else {
        OK(status);
        int32_t *seen = hed_buffer_host(x);
        void *mapped;
        for (int i = 0; i < N; i++) seen[i] = i;
        launch_twice(t.stream, kernel, x, 1);
        OK(hed_stream_wait(t.stream, &error));
        for (int i = 0; i < N; i++) cr_assert_eq(seen[i], 2 * i + 1);
        OK(hed_map(t.stream, x, 16, 32, &mapped, &error));
        cr_assert_eq(mapped, (void *)(seen + 4));
        OK(hed_unmap(t.stream, x, mapped, &error));
        hed_buffer_destroy(x);
    }
    hed_kernel_destroy(kernel);
    close_test(&t);
}

Test(opencl, unmapping_what_is_not_mapped_is_refused)
{
    opencl_test t = open_test(NULL);
    hed_buffer *x = make_buffer(t.device, 4096);
    void *pointer;
    int elsewhere;
    OK(hed_map(t.stream, x, 64, 128, &pointer, &error));
    if (opencl_platform_of(t.device) != OPENCL_OCLGRIND) /* which does not look */
        FAILS(HED_ERROR_ARGUMENT, hed_unmap(t.stream, x, &elsewhere, &error));
    OK(hed_unmap(t.stream, x, pointer, &error));
    OK(hed_stream_wait(t.stream, &error));
    hed_buffer_destroy(x);
    close_test(&t);
}

/* ---- build logs that count the whole text's lines, as NVIDIA's do ---- */

Test(opencl, places_of_the_whole_text_become_the_users_own)
{
    static const char text[] =
        "#define A 1\n\n#line 1 \"heddle.clh\"\nx\n\n#line 1 \"second.cl\"\n\n__kernel\n{\n wrong;\n}\n";
    hed_allocator allocator = hed_default_allocator();
    hed_text placed = {.allocator = &allocator};
    opencl_place_log(text, "<kernel>:", "<kernel>:10:5: error: wrong\n ^\n<kernel>:4:1: <kernel>:x", &placed);
    cr_assert_str_eq(placed.bytes, "second.cl:4:5: error: wrong\n ^\nheddle.clh:1:1: <kernel>:x");
    hed_text_free(&placed);
}
