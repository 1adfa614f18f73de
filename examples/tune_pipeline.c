/* tune_pipeline: a choice between two structures, made by measurement. A signal passes through a
 * curve and is then smoothed over its neighbours: as two kernels with an intermediate buffer, or as
 * one that applies the curve again for each neighbour. The faster one depends on the device
 * (HEDDLE_DEVICE); the choice is stored in the database. */
#include <heddle/tuning.h>
#include <math.h>
#include <stdio.h>

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

#define KERNEL(function) \
    { \
        .name = #function, HED_SOURCES({#function ".cl", function##_text, 0}), \
        HED_DEFINES({"COUNT", "1048576"}, {"REACH", "4"}), \
        HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, out)), .range = function \
    }
static const hed_kernel_def curve_def = KERNEL(curve), smooth_def = KERNEL(smooth),
                            both_def = KERNEL(both);

/* ---- the pipeline ---- */

typedef struct signal_path {
    hed_session on;
    hed_buffer *in, *between, *out;
    hed_kernel *first, *second; /* second kernel: NULL if one kernel does it all */
    uint32_t group;
} signal_path;

static float samples[COUNT], result[COUNT];

static hed_status prepare(void *user, const hed_config *config, hed_error *error)
{
    signal_path *p = user;
    bool fused = config->values[STRUCTURE] == 1;
    hed_kernel_destroy(p->first);
    hed_kernel_destroy(p->second);
    p->first = p->second = NULL;
    p->group = (uint32_t)config->values[GROUP];
    hed_kernel_create(p->on.device, fused ? &both_def : &curve_def, NULL, &p->first, error);
    if (!fused) hed_kernel_create(p->on.device, &smooth_def, NULL, &p->second, error);
    return error->status;
}

/* Runs the pipeline once. `value` stays NAN, so this call is timed. */
static hed_status run(void *user, double *value, hed_error *error)
{
    signal_path *p = user;
    hed_geometry g = {.dimensions = 1, .global = {COUNT}, .group = {p->group}};
    hed_buffer *first_out = p->second ? p->between : p->out;
    (void)value;
    hed_launch_over(p->on.stream, p->first, &g, HED_ARGS(p->in, first_out), error);
    if (p->second)
        hed_launch_over(p->on.stream, p->second, &g, HED_ARGS(p->between, p->out), error);
    return hed_stream_wait(p->on.stream, error);
}

static hed_status check(void *user, hed_error *error)
{
    signal_path *p = user;
    hed_read(p->on.stream, result, p->out, 0, sizeof result, error);
    hed_stream_wait(p->on.stream, error);
    for (int64_t i = 0; i < COUNT && !hed_failed(error); i += 97) {
        float expected = smooth_at(samples, i, true);
        if (fabsf(result[i] - expected) > 1e-5f)
            hed_fail(error, HED_ERROR_ARGUMENT, "sample %lld is %g, expected %g", (long long)i,
                (double)result[i], (double)expected);
    }
    return error->status;
}

int main(void)
{
    const hed_parameter_def parameters[] = {
        HED_CHOICE(STRUCTURE, 0, "split", "fused"), HED_PARAMETER(GROUP, 128, 32, 64, 128, 256)};
    signal_path p = {0};
    hed_pipeline_def pipeline = {.name = "curve-and-smooth",
        .version = "1",
        .parameters = parameters,
        .parameter_count = 2,
        .prepare = prepare,
        .run = run,
        .check = check,
        .user = &p};
    hed_buffer_def size = hed_default_buffer_def(sizeof samples);
    hed_buffer **buffers[] = {&p.in, &p.between, &p.out};
    hed_tune_result *tuned = NULL;
    hed_config config;
    hed_error error = {0};
    for (int i = 0; i < COUNT; i++) samples[i] = 8 * sinf((float)i * 0.01f);
    hed_open(&p.on, &error);
    for (int i = 0; i < 3; i++) hed_buffer_create(p.on.device, &size, buffers[i], &error);
    hed_write(p.on.stream, p.in, 0, samples, sizeof samples, &error);
    hed_tune_pipeline(p.on.device, &pipeline, NULL, &tuned, &error);
    /* as later runs of a program do */
    hed_pipeline_resolve(p.on.device, &pipeline, NULL, &config, NULL, &error);
    if (hed_failed(&error)) {
        fprintf(stderr, "tune_pipeline: %s\n%s", error.text, error.log);
    } else {
        printf("%s:\n", p.on.name);
        for (uint32_t i = 0; i < tuned->count; i++) {
            const hed_evaluation *e = &tuned->evaluations[i];
            printf("%s %s, groups of %-4d %9.1f us%s\n", i == tuned->best ? "->" : "  ",
                e->config.values[STRUCTURE] ? "fused" : "split", (int)e->config.values[GROUP],
                1e6 * e->seconds, e->text);
        }
        printf("chosen: %s\n", parameters[STRUCTURE].labels[config.values[STRUCTURE]]);
    }
    hed_tune_result_free(tuned);
    hed_kernel_destroy(p.first);
    hed_kernel_destroy(p.second);
    for (int i = 0; i < 3; i++) hed_buffer_destroy(*buffers[i]);
    hed_close(&p.on);
    return hed_failed(&error);
}
