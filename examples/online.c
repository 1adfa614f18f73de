/* A program that gets faster while it works: the slow default of a kernel gives way to what online
 * tuning finds, and every result on the way is right. */
#include <heddle/heddle.h>
#include <math.h>
#include <stdio.h>

enum { N = 1 << 16 };

static const char text[] =
    "__kernel void smooth(__global const float *restrict in, __global float *restrict out)\n"
    "{\n"
    "    for (int k = 0; k < ITEMS; k++) {\n"
    "        int i = (int)get_global_id(0) * ITEMS + k;\n"
    "        float sum = 0.0f;\n"
    "        for (int j = i - 8; j <= i + 8; j++) sum += in[j < 0 ? 0 : j > 65535 ? 65535 : j];\n"
    "        out[i] = sum / 17.0f;\n"
    "    }\n"
    "}\n";

/* The same work in C, for machines without a GPU. */
static void smooth(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *in = call->arguments[0];
    float *out = call->arguments[1];
    for (uint64_t i = begin; i < end; i++) {
        float sum = 0;
        for (int64_t j = (int64_t)i - 8; j <= (int64_t)i + 8; j++)
            sum += in[j < 0 ? 0 : j > N - 1 ? N - 1 : j];
        out[i] = sum / 17;
    }
}

static void geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    int64_t items = hed_config_get(def, config, "ITEMS");
    g->dimensions = 1;
    g->global[0] = (uint64_t)(problem->sizes[0] / items);
    g->group[0] = (uint32_t)hed_config_get(def, config, "WG");
    g->native_items = (uint64_t)problem->sizes[0];
    g->native_grain = (uint64_t)(items * 4096); /* what a thread takes at once */
}

static const hed_source source = {"smooth.cl", text, 0};
static const hed_argument_def arguments[] = {
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5}};
static const int64_t groups[] = {1, 16, 128}, items[] = {1, 4};
static const hed_parameter_def parameters[] = {
    {.name = "WG", .values = groups, .count = 3, .value = 1},
    {.name = "ITEMS", .values = items, .count = 2, .value = 1}};
static const char *const dimensions[] = {"n"};
static const hed_kernel_def def = {.name = "smooth", .sources = &source, .source_count = 1,
    .arguments = arguments, .argument_count = 2, .parameters = parameters, .parameter_count = 2,
    .dimensions = dimensions, .dimension_count = 1, .geometry = geometry, .range = smooth};
static float in[N], out[N];

typedef struct job {
    hed_stream *stream;
    hed_kernel *kernel;
    hed_online *online;
    hed_buffer *in, *out;
} job;

static hed_status start(job *j, hed_device *device, hed_error *error)
{
    hed_online_def how = hed_default_online_def();
    hed_buffer_def size = hed_default_buffer_def(sizeof in);
    how.share = 0.3; /* of the time: a program that runs for longer does with less */
    hed_status status = hed_stream_create(device, NULL, &j->stream, error);
    if (!status) status = hed_buffer_create(device, &size, &j->in, error);
    if (!status) status = hed_buffer_create(device, &size, &j->out, error);
    if (!status) status = hed_kernel_create(device, &def, NULL, &j->kernel, error);
    if (!status) status = hed_online_create(j->kernel, &how, &j->online, error);
    return status ? status : hed_write(j->stream, j->in, 0, in, sizeof in, error);
}

static hed_status work(job *j, hed_error *error)
{
    hed_problem problem = hed_problem_1d(N);
    hed_argument given[] = {hed_buffer_argument(j->in), hed_buffer_argument(j->out)};
    hed_status status = hed_online_launch(j->online, j->stream, &problem, given, 2, error);
    if (!status) status = hed_read(j->stream, out, j->out, 0, sizeof out, error);
    return status ? status : hed_stream_wait(j->stream, error);
}

static void stop(job *j)
{
    hed_online_destroy(j->online);
    hed_kernel_destroy(j->kernel);
    hed_buffer_destroy(j->in);
    hed_buffer_destroy(j->out);
    hed_stream_destroy(j->stream);
}

int main(void)
{
    hed_context *context;
    hed_device *device;
    hed_error error = {0};
    hed_online_report report = {0};
    char config[64];
    job j = {0};
    for (int i = 0; i < N; i++) in[i] = sinf((float)i);
    if (hed_context_create(NULL, &context, &error) ||
        hed_device_find(context, NULL, &device, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    hed_status status = start(&j, device, &error);
    for (int i = 0; !status && !report.resting && i < 20000; i++) {
        status = work(&j, &error);
        report = hed_online_read(j.online);
    }
    if (status) fprintf(stderr, "%s\n%s", error.text, error.log);
    hed_config_format(&def, &report.config, config, sizeof config);
    printf("%s: %llu launches of %.1f us, then of %.1f us with [%s]; %llu configurations tried\n",
        hed_device_describe(device)->name, (unsigned long long)report.launches,
        report.first_seconds * 1e6, report.best_seconds * 1e6, config,
        (unsigned long long)report.candidates);
    stop(&j);
    hed_context_destroy(context);
    return status != HED_OK;
}
