/* tune_pipeline: a choice between two structures, made by measurement. A signal goes through a
 * curve and is then smoothed over its neighbours: as two kernels, with what lies between in memory,
 * or as one that goes through the curve again for each neighbour. Which is faster depends on the
 * device (HEDDLE_DEVICE); the choice is kept in the database. */
#include <heddle/heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    COUNT = 1 << 20, /* samples */
    REACH = 4,       /* neighbours on each side */
};
enum {
    STRUCTURE,
    GROUP, /* parameters */
};

/* ---- the kernels: text, and the same in C ---- */

static const char curve_text[] =
    "__kernel void curve(__global const float *in, __global float *out)\n"
    "{\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < COUNT) out[i] = in[i] / (1.0f + fabs(in[i]));\n"
    "}\n";
static const char smooth_text[] =
    "__kernel void smooth(__global const float *in, __global float *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float sum = 0.0f;\n"
    "    for (int k = -REACH; k <= REACH; k++) sum += in[clamp(i + k, 0, COUNT - 1)];\n"
    "    if (i < COUNT) out[i] = sum / (2 * REACH + 1);\n"
    "}\n";
static const char both_text[] =
    "__kernel void both(__global const float *in, __global float *out)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float sum = 0.0f;\n"
    "    for (int k = -REACH; k <= REACH; k++) {\n"
    "        float v = in[clamp(i + k, 0, COUNT - 1)];\n"
    "        sum += v / (1.0f + fabs(v));\n"
    "    }\n"
    "    if (i < COUNT) out[i] = sum / (2 * REACH + 1);\n"
    "}\n";

static float curve_of(float v) { return v / (1.0f + fabsf(v)); }

static float smooth_at(const float *in, int64_t i, bool through_curve)
{
    float sum = 0;
    for (int64_t k = i - REACH; k <= i + REACH; k++) {
        int64_t from = k < COUNT ? k : COUNT - 1;
        float v = in[from > 0 ? from : 0];
        sum += through_curve ? curve_of(v) : v;
    }
    return sum / (2 * REACH + 1);
}

static void curve(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0];
    for (float *out = call->arguments[1]; begin < end; begin++) out[begin] = curve_of(in[begin]);
}

static void smooth(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (float *out = call->arguments[1]; begin < end; begin++)
        out[begin] = smooth_at(call->arguments[0], (int64_t)begin, false);
}

static void both(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (float *out = call->arguments[1]; begin < end; begin++)
        out[begin] = smooth_at(call->arguments[0], (int64_t)begin, true);
}

static const hed_define defines[] = {{"COUNT", "1048576"}, {"REACH", "4"}};
static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE}};
#define KERNEL(function) \
    { \
        .name = #function, .sources = &(const hed_source){#function ".cl", function##_text, 0}, \
        .source_count = 1, .defines = defines, .define_count = 2, .arguments = arguments, \
        .argument_count = 2, .range = function \
    }
static const hed_kernel_def curve_def = KERNEL(curve), smooth_def = KERNEL(smooth),
                            both_def = KERNEL(both);

/* ---- the pipeline ---- */

typedef struct signal_path {
    hed_device *device;
    hed_stream *stream;
    hed_buffer *in, *between, *out;
    hed_kernel *first, *second; /* second: NULL where one kernel does it all */
    uint32_t group;
    float *samples, *result;
} signal_path;

static hed_status prepare(void *user, const hed_config *config, hed_error *error)
{
    signal_path *p = user;
    bool fused = config->values[STRUCTURE] == 1;
    hed_kernel_destroy(p->first);
    hed_kernel_destroy(p->second);
    p->first = p->second = NULL;
    p->group = (uint32_t)config->values[GROUP];
    hed_status status =
        hed_kernel_create(p->device, fused ? &both_def : &curve_def, NULL, &p->first, error);
    return status || fused ? status
                           : hed_kernel_create(p->device, &smooth_def, NULL, &p->second, error);
}

static hed_status launch(
    signal_path *p, hed_kernel *kernel, hed_buffer *from, hed_buffer *to, hed_error *error)
{
    const hed_argument given[] = {hed_buffer_argument(from), hed_buffer_argument(to)};
    hed_geometry geometry = {.dimensions = 1, .global = {COUNT}, .group = {p->group}};
    return hed_launch_over(p->stream, kernel, &geometry, given, 2, error);
}

/* Leaves `value` alone: then the time of this call is what counts. */
static hed_status run(void *user, double *value, hed_error *error)
{
    signal_path *p = user;
    (void)value;
    hed_status status = launch(p, p->first, p->in, p->second ? p->between : p->out, error);
    if (!status && p->second) status = launch(p, p->second, p->between, p->out, error);
    return status ? status : hed_stream_wait(p->stream, error);
}

static hed_status check(void *user, hed_error *error)
{
    signal_path *p = user;
    hed_status status = hed_read(p->stream, p->result, p->out, 0, COUNT * sizeof(float), error);
    if (!status) status = hed_stream_wait(p->stream, error);
    for (int64_t i = 0; i < COUNT && !status; i += 97) {
        float expected = smooth_at(p->samples, i, true);
        if (fabsf(p->result[i] - expected) <= 1e-5f) continue;
        *error = (hed_error){.status = HED_ERROR_ARGUMENT};
        snprintf(error->text, sizeof error->text, "sample %lld is %g, expected %g", (long long)i,
            (double)p->result[i], (double)expected);
        return HED_ERROR_ARGUMENT;
    }
    return status;
}

/* ---- */

static hed_status open_path(signal_path *p, hed_context **context, hed_error *error)
{
    hed_buffer_def size = hed_default_buffer_def(COUNT * sizeof(float));
    hed_status status = hed_context_create(NULL, context, error);
    if (!status) status = hed_device_find(*context, NULL, &p->device, error);
    if (!status) status = hed_stream_create(p->device, NULL, &p->stream, error);
    if (!status) status = hed_buffer_create(p->device, &size, &p->in, error);
    if (!status) status = hed_buffer_create(p->device, &size, &p->between, error);
    if (!status) status = hed_buffer_create(p->device, &size, &p->out, error);
    for (int i = 0; i < COUNT; i++) p->samples[i] = 8 * sinf((float)i * 0.01f);
    return status ? status
                  : hed_write(p->stream, p->in, 0, p->samples, COUNT * sizeof(float), error);
}

static void report(const signal_path *p, const hed_tune_result *result)
{
    printf("%s:\n", hed_device_describe(p->device)->name);
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *e = &result->evaluations[i];
        printf("%s %s, groups of %-4d %9.1f us%s\n", i == result->best ? "->" : "  ",
            e->config.values[STRUCTURE] ? "fused" : "split", (int)e->config.values[GROUP],
            1e6 * e->seconds, e->text);
    }
}

int main(void)
{
    static const int64_t structures[] = {0, 1}, groups[] = {32, 64, 128, 256};
    static const char *const names[] = {"split", "fused"};
    const hed_parameter_def parameters[] = {
        {.name = "STRUCTURE", .values = structures, .count = 2, .value = 0, .labels = names},
        {.name = "GROUP", .values = groups, .count = 4, .value = 128}};
    signal_path p = {
        .samples = malloc(COUNT * sizeof(float)), .result = malloc(COUNT * sizeof(float))};
    hed_pipeline_def pipeline = {.name = "curve-and-smooth", .version = "1",
        .parameters = parameters, .parameter_count = 2, .prepare = prepare, .run = run,
        .check = check, .user = &p};
    hed_context *context = NULL;
    hed_tune_result *result = NULL;
    hed_config config;
    hed_error error = {.text = "out of memory"};
    hed_status status = p.samples && p.result ? open_path(&p, &context, &error) : HED_ERROR_MEMORY;
    if (!status) status = hed_tune_pipeline(p.device, &pipeline, NULL, &result, &error);
    if (!status) {
        report(&p, result);
        status = hed_pipeline_resolve(
            p.device, &pipeline, NULL, &config, NULL, &error); /* what later runs of a program do */
    }
    if (!status) printf("chosen: %s\n", names[config.values[STRUCTURE]]);
    else fprintf(stderr, "tune_pipeline: %s\n%s", error.text, error.log);
    hed_tune_result_free(result);
    hed_kernel_destroy(p.first);
    hed_kernel_destroy(p.second);
    hed_buffer_destroy(p.in);
    hed_buffer_destroy(p.between);
    hed_buffer_destroy(p.out);
    hed_stream_destroy(p.stream);
    hed_context_destroy(context);
    free(p.samples);
    free(p.result);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
