/* What the tests of the OpenCL backend share: the device of HEDDLE_DEVICE if that is an OpenCL
 * device, else the first one; the driver's functions as a program has them; and a small kernel. */
#ifndef HED_TESTS_OPENCL_TESTING_H
#define HED_TESTS_OPENCL_TESTING_H

#include "backends/opencl/opencl.h"
#include "testing.h"

static hed_error error;

typedef struct opencl_test {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_cl_api cl;
} opencl_test;

static inline hed_device *find_opencl(hed_context *context)
{
    const char *wanted = getenv("HEDDLE_DEVICE");
    hed_device *device = NULL;
    if (wanted && !hed_device_find(context, wanted, &device, &error) &&
        !strcmp(hed_device_describe(device).backend, "opencl"))
        return device;
    return hed_device_find(context, "opencl", &device, &error) ? NULL : device;
}

static inline opencl_test open_test(const hed_context_def *def)
{
    opencl_test t = {0};
    const char *required = getenv("HEDDLE_REQUIRE_DEVICES");
    OK(hed_context_create(def, &t.context, &error));
    t.device = find_opencl(t.context);
    if (!t.device) {
        hed_context_destroy(t.context);
        CHECK(!required || !strstr(required, "opencl"), "an OpenCL device is required: %s",
            error.text);
        test_skip("no OpenCL device: %s", error.text);
    }
    OK(hed_stream_create(t.device, NULL, &t.stream, &error));
#define LOAD(result, name, parameters) *(void **)&t.cl.name = hed_device_symbol(t.device, #name);
    HED_CL_FUNCTIONS(LOAD)
#undef LOAD
    return t;
}

static inline void close_test(opencl_test *t)
{
    hed_stream_destroy(t->stream);
    hed_context_destroy(t->context);
}

static inline bool is_pocl(const opencl_test *t)
{
    return !strcmp(hed_device_describe(t->device).platform, "Portable Computing Language");
}

/* PoCL's "basic" device and Oclgrind have no threads of their own. */
static inline bool is_threadless(const opencl_test *t)
{
    return hed_opencl_of(t->device)->threadless;
}

static inline hed_buffer *make_buffer(hed_device *device, uint64_t size)
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
static const hed_kernel_def twice = {.name = "twice", .sources = &twice_source, .source_count = 1,
    .arguments = twice_arguments, .argument_count = 2};
enum { N = 256 };

static inline hed_kernel *make_kernel(hed_device *device, const hed_kernel_def *def)
{
    hed_kernel *kernel;
    OK(hed_kernel_create(device, def, NULL, &kernel, &error));
    return kernel;
}

static inline void launch_twice(hed_stream *stream, hed_kernel *kernel, hed_buffer *x, int32_t add)
{
    const hed_geometry g = {.dimensions = 1, .global = {N}, .group = {32}};
    const hed_argument arguments[] = {hed_buffer_argument(x), hed_int_argument(add)};
    OK(hed_launch_over(stream, kernel, &g, arguments, 2, &error));
}

static inline void check_all(hed_stream *stream, hed_buffer *x, int32_t want)
{
    int32_t values[N] = {0};
    OK(hed_read(stream, values, x, 0, sizeof values, &error));
    OK(hed_stream_wait(stream, &error));
    for (int i = 0; i < N; i++)
        CHECK_EQ(values[i], want, "x[%d] is %d instead of %d", i, values[i], want);
}

#endif
