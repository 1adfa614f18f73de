/* A program that gets faster while it works: online tuning replaces the slow default of a kernel,
 * and every result meanwhile is right. */
#include <heddle/tuning.h>
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
    hed_geometry_1d(g, (uint64_t)(problem->sizes[0] / items / hed_config_get(def, config, "WG")),
        hed_config_get(def, config, "WG"), (uint64_t)problem->sizes[0], (uint64_t)items * 4096);
}

static const hed_kernel_def def = {.name = "smooth",
    HED_SOURCES({"smooth.cl", text, 0}),
    HED_ARGUMENTS(HED_IN(float, in), HED_OUT(float, out, .tolerance = 1e-5)),
    HED_PARAMETERS(HED_PARAMETER(WG, 1, 1, 16, 128), HED_PARAMETER(ITEMS, 1, 1, 4)),
    HED_DIMENSIONS("n"),
    .geometry = geometry,
    .range = smooth};

int main(void)
{
    static float in[N], out[N];
    char config[64];
    hed_error error = {0};
    hed_session on = {0};
    hed_kernel *kernel = NULL;
    hed_online *online = NULL;
    hed_buffer *from = NULL, *to = NULL;
    hed_online_info report = {0};
    hed_online_def how = hed_default_online_def();
    hed_buffer_def size = hed_default_buffer_def(sizeof in);
    hed_problem problem = hed_problem_1d(N);
    how.share = 0.3; /* fraction of the time; a program that runs for longer needs less */
    for (int i = 0; i < N; i++) in[i] = sinf((float)i);
    hed_open(&on, &error);
    hed_buffer_create(on.device, &size, &from, &error);
    hed_buffer_create(on.device, &size, &to, &error);
    hed_kernel_create(on.device, &def, NULL, &kernel, &error);
    hed_online_create(kernel, &how, &online, &error);
    hed_write(on.stream, from, 0, in, sizeof in, &error);
    for (int i = 0; !hed_failed(&error) && !report.resting && i < 20000; i++) {
        hed_online_launch(online, on.stream, &problem, HED_ARGS(from, to), &error);
        hed_read(on.stream, out, to, 0, sizeof out, &error);
        hed_stream_wait(on.stream, &error);
        report = hed_online_describe(online);
    }
    if (hed_failed(&error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    hed_config_format(&def, &report.config, config, sizeof config);
    printf("%s: %llu launches of %.1f us, then of %.1f us with [%s]; %llu configurations tried\n",
        on.name, (unsigned long long)report.launches, report.first_seconds * 1e6,
        report.best_seconds * 1e6, config, (unsigned long long)report.candidates);
    hed_online_destroy(online);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(from);
    hed_buffer_destroy(to);
    hed_close(&on);
    return hed_failed(&error);
}
