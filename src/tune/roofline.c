/* The two measured ceilings of the roofline model (Williams, Waterman and Patterson 2009): copy
 * bandwidth, and multiply-adds on registers alone. */
#include "tune/tuning_state.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "heddle/launch.h"

static const char bandwidth_name[] = "copy bytes/s",
                  arithmetic_name[] = "multiply-add operations/s";

enum {
    REPEATS = 5,
    LANES = 8,  /* floats per vector of the native version */
    CHAINS = 8, /* independent multiply-adds per work item */
    GROUP = 256,
    ITEMS_OF_UNIT = 2048, /* work items per compute unit */
    FIRST_ROUNDS = 64,
    MOST_ROUNDS = 1 << 20
};

/* s; a run of multiply-adds this long makes the start-up cost negligible */
static const double long_enough = 5e-3;

/* ---- multiply-adds ---- */

static const char multiply_add_text[] =
    "__kernel void hed_multiply_adds(__global float *out, uint rounds, float a, float b)\n"
    "{\n"
    "    uint i = get_global_id(0);\n"
    "    float x0 = i, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;\n"
    "    for (uint round = 0; round < rounds; round++) {\n"
    "        x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;\n"
    "        x4 = x4 * a + b; x5 = x5 * a + b; x6 = x6 * a + b; x7 = x7 * a + b;\n"
    "    }\n"
    "    out[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));\n"
    "}\n";

static const hed_source source = {
    "multiply_adds.cl", multiply_add_text, sizeof multiply_add_text - 1};

typedef float vector __attribute__((vector_size(4 * LANES)));

/* Item i computes elements 8 i to 8 i + 7, one in each lane. */
static inline __attribute__((always_inline)) void native_body(
    const hed_native_call *call, uint64_t begin, uint64_t end, bool fuse)
{
    float *out = call->arguments[0], a = *(float *)call->arguments[2],
          b = *(float *)call->arguments[3];
    uint32_t rounds = *(uint32_t *)call->arguments[1];
    for (uint64_t i = begin; i < end; i++) {
        vector x[CHAINS], sum = {0};
        for (int chain = 0; chain < CHAINS; chain++)
            for (int lane = 0; lane < LANES; lane++)
                x[chain][lane] = (float)(i * LANES) + (float)(lane + chain);
        for (uint32_t round = 0; round < rounds; round++) {
#pragma GCC unroll 8
            for (int chain = 0; chain < CHAINS; chain++)
                for (int lane = 0; lane < LANES; lane++)
                    x[chain][lane] =
                        fuse ? __builtin_fmaf(x[chain][lane], a, b) : x[chain][lane] * a + b;
        }
        for (int chain = 0; chain < CHAINS; chain++) sum += x[chain];
        memcpy(out + i * LANES, &sum, sizeof sum);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void native_fused(
    const hed_native_call *call, uint64_t begin, uint64_t end)
{
    native_body(call, begin, end, true);
}
#endif

static void roofline_native(const hed_native_call *call, uint64_t begin, uint64_t end)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        native_fused(call, begin, end);
        return;
    }
#endif
    native_body(call, begin, end, false);
}

static void roofline_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *layout)
{
    (void)def;
    (void)config;
    layout->dimensions = 1;
    layout->global[0] = (uint64_t)problem->sizes[0];
    layout->group[0] = GROUP;
    layout->native_items = (uint64_t)problem->sizes[0] / LANES;
}

static const hed_argument_def arguments[] = {
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE},
    {.name = "rounds", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "a", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "b", .kind = HED_SCALAR, .type = HED_FLOAT},
};
static const char *const dimensions[] = {"items"};

static const hed_kernel_def multiply_adds = {
    .name = "hed_multiply_adds",
    .summary = "independent chains of multiply-adds in registers",
    .sources = &source,
    .source_count = 1,
    .arguments = arguments,
    .argument_count = sizeof arguments / sizeof arguments[0],
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = roofline_geometry,
    .range = roofline_native,
};

/* ---- measuring ---- */

/* Time of the single step since the last call. */
static hed_status take_time(hed_stream *stream, double *seconds, hed_error *error)
{
    hed_step_time time = {0};
    uint32_t count;
    hed_stream_read_times(stream, &time, 1, &count, error);
    *seconds = time.seconds;
    return error->status;
}

static hed_status time_rounds(hed_stream *stream, hed_kernel *kernel, hed_buffer *out,
    const hed_problem *problem, uint32_t rounds, double *seconds, hed_error *error)
{
    hed_launch(stream, kernel, problem, HED_ARGS(out, rounds, 0.999f, 0.5f), error);
    return take_time(stream, seconds, error);
}

static void measure_arithmetic(hed_stream *stream, hed_kernel *kernel, hed_buffer *out,
    const hed_problem *problem, double *rate, hed_error *error)
{
    uint32_t rounds = FIRST_ROUNDS;
    double seconds;
    /* discarded, since it may compile */
    time_rounds(stream, kernel, out, problem, rounds, &seconds, error);
    do {
        rounds *= 2;
        time_rounds(stream, kernel, out, problem, rounds, &seconds, error);
    } while (!hed_failed(error) && seconds < long_enough && rounds < MOST_ROUNDS);
    for (int i = 0; i < REPEATS; i++) {
        if (time_rounds(stream, kernel, out, problem, rounds, &seconds, error)) return;
        double reached = 2.0 * CHAINS * rounds * (double)problem->sizes[0] / seconds;
        if (isfinite(reached)) *rate = fmax(*rate, reached);
    }
}

static void find_arithmetic(hed_device *device, hed_stream *stream, double *rate, hed_error *error)
{
    uint32_t units = hed_device_describe(device).compute_units;
    hed_problem problem = hed_problem_1d((int64_t)(units ? units : 1) * ITEMS_OF_UNIT);
    hed_buffer_def def = hed_default_buffer_def((uint64_t)problem.sizes[0] * sizeof(float));
    hed_buffer *out = NULL;
    hed_kernel *kernel = NULL;
    hed_buffer_create(device, &def, &out, error);
    hed_kernel_create(device, &multiply_adds, NULL, &kernel, error);
    measure_arithmetic(stream, kernel, out, &problem, rate, error);
    hed_stream_wait(stream, NULL);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(out);
}

static void find_bandwidth(hed_device *device, hed_stream *stream, double *rate, hed_error *error)
{
    const hed_device_info info = hed_device_describe(device);
    const uint64_t mebi = (uint64_t)1 << 20;
    /* well above the last-level cache */
    uint64_t bytes = 8 * info.cache_bytes, limit = 256 * mebi;
    if (bytes < 64 * mebi) bytes = 64 * mebi;
    /* Vulkan does not report the cache size */
    if (!info.cache_bytes && info.type == HED_DEVICE_GPU) bytes = limit;
    if (bytes > limit) bytes = limit;
    if (info.memory_bytes && bytes > info.memory_bytes / 8) bytes = info.memory_bytes / 8;
    if (info.max_buffer_bytes && bytes > info.max_buffer_bytes) bytes = info.max_buffer_bytes;
    hed_buffer_def def = hed_default_buffer_def(bytes);
    hed_buffer *from = NULL, *to = NULL;
    const unsigned char byte = 1;
    double seconds;
    hed_buffer_create(device, &def, &from, error);
    hed_buffer_create(device, &def, &to, error);
    hed_fill(stream, from, 0, def.size, &byte, 1, error);
    take_time(stream, &seconds, error);
    /* the first copy touches memory that is not mapped yet */
    for (int i = 0; i < REPEATS; i++) {
        hed_copy(stream, to, 0, from, 0, def.size, error);
        if (take_time(stream, &seconds, error)) break;
        double reached = 2.0 * (double)def.size / seconds;
        if (isfinite(reached)) *rate = fmax(*rate, reached);
    }
    hed_stream_wait(stream, NULL);
    hed_buffer_destroy(from);
    hed_buffer_destroy(to);
}

/* ---- cached ceilings of a device ---- */

typedef void find_function(hed_device *device, hed_stream *stream, double *rate, hed_error *error);

static double fact(hed_device *device, hed_database *database, const char *name, hed_stream *stream,
    find_function *find)
{
    const hed_device_info info = hed_device_describe(device);
    hed_logger logger = hed_context_describe(hed_device_context(device)).logger;
    double rate = 0;
    hed_error error = {0};
    if (database && hed_database_get_fact(database, &info, name, &rate)) return rate;
    if (!stream) return 0;
    find(device, stream, &rate, &error);
    if (hed_failed(&error)) {
        hed_log_message(&logger, HED_LOG_INFO, "%s: %s: not known: %s", info.id, name, error.text);
        return 0;
    }
    if (database && rate > 0 && hed_database_put_fact(database, &info, name, rate, &error))
        hed_log_message(
            &logger, HED_LOG_WARNING, "%s: %s could not be kept: %s", info.id, name, error.text);
    return rate;
}

hed_roofline hed_roofline_of(hed_device *device, hed_database *database, bool measure)
{
    hed_stream *stream = NULL;
    hed_stream_def def = hed_default_stream_def();
    def.timed_steps = 1;
    if (measure && hed_stream_create(device, &def, &stream, NULL)) stream = NULL;
    hed_roofline roofline = {fact(device, database, bandwidth_name, stream, find_bandwidth),
        fact(device, database, arithmetic_name, stream, find_arithmetic)};
    hed_stream_destroy(stream);
    return roofline;
}
