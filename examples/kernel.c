/* One complete kernel, written with heddle/author.h: its text, its native version, its description.
 * Launcher, tuner, conformance test and benchmark read nothing else. This program runs its sample
 * on a device and through the native version, and compares the results. */
#include <heddle/author.h>
#include <heddle/heddle.h>
#include <heddle/view.h>
#include <math.h>
#include <stdio.h>

/* Arguments of the kernel, the one list of them: text, native version, description and launch are
 * made from it (heddle/view.h). */
#define SMOOTH(FIRST, NEXT) \
    FIRST(IN, float, in) NEXT(OUT, float, out) NEXT(VALUE, float, weight) NEXT(VALUE, uint32_t, n)
HED_VIEW(smooth_view, SMOOTH)
HED_VIEW_LAUNCH(smooth_launch, SMOOTH)

/* OpenCL C 1.2 and the words of src/prelude/heddle.clh. In an engine this is a file of its own,
 * such as smooth.cl, that its CMakeLists.txt embeds, and the list is in a header that both
 * include. */
static const char list[] = "typedef uint uint32_t;\n" HED_VIEW_TEXT(SMOOTH);
static const char text[] =
    "#ifndef WG\n#define WG 64\n#endif\n"
    "#ifndef ITEMS\n#define ITEMS 1\n#endif\n"
    "__kernel void smooth(HED_VIEW_PARAMETERS(SMOOTH))\n"
    "{\n"
    "    uint i = get_group_id(0) * (WG * ITEMS) + get_local_id(0);\n"
    "    for (uint item = 0; item < ITEMS && i < n; item++, i += WG) {\n"
    "        uint left = i > 0 ? i - 1 : 0, right = i + 1 < n ? i + 1 : i;\n"
    "        out[i] = fma(weight, 0.5f * (in[left] + in[right]), (1.0f - weight) * in[i]);\n"
    "    }\n"
    "}\n";

/* The kernel of `host`, and the reference of every other device. */
HED_NATIVE_BODY smooth_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const smooth_view view = smooth_view_of(call->arguments);
    const float *in = view.in, weight = view.weight;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t left = i > 0 ? i - 1 : 0, right = i + 1 < view.n ? i + 1 : i;
        view.out[i] = fmaf(weight, 0.5f * (in[left] + in[right]), (1.0f - weight) * in[i]);
    }
}
HED_NATIVE_CLONES(smooth_native, smooth_body)

/* Computes the minimum work of a launch; the bytes come from the table of arguments. */
static void smooth_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    hed_default_work(def, config, problem, work);
    work->operations = 5.0 * work->items;
}

const hed_kernel_def smooth = {
    .name = "smooth",
    .summary = "moves n values towards the mean of their neighbours",
    HED_SOURCES({"smooth.h", list, 0}, {"smooth.cl", text, 0}),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SMOOTH), [HED_ROW(smooth_view, out)].tolerance = 1e-6),
    HED_PARAMETERS(HED_PARAMETER(WG, 256, 64, 128, 256, 512), HED_PARAMETER(ITEMS, 2, 1, 2, 4)),
    .native_ignores = HED_ALL_PARAMETERS, HED_DIMENSIONS("n"), .max_threads = "WG",
    .geometry = hed_default_geometry, .range = smooth_native, .work = smooth_work,
    .metric = HED_METRIC_BYTES,
    HED_PROBLEMS(HED_PROBLEM(1), HED_PROBLEM(31), HED_PROBLEM(65537)),
    .sample.benchmark = HED_PROBLEM(1 << 27), HED_DEFAULT_SAMPLE,
};

int main(void)
{
    enum { MOST = 1000 };
    static float in[MOST], out[MOST], expected[MOST];
    uint32_t n = MOST;
    float weight = 0.25f;
    hed_problem problem = hed_problem_1d(n);
    hed_sample_floats(in, n, 1, 0);
    void *native[] = {in, expected, &weight, &n};
    smooth.range(&(hed_native_call){.def = &smooth, .arguments = native}, 0, n);

    hed_context *context = NULL;
    hed_device *device = NULL;
    hed_stream *stream = NULL;
    hed_kernel *kernel = NULL;
    hed_buffer *buffers[2] = {0};
    hed_buffer_def size = hed_default_buffer_def(sizeof in);
    hed_error error = {0};
    if (hed_context_create(NULL, &context, &error) ||
        hed_device_find(context, NULL, &device, &error) ||
        hed_stream_create(device, NULL, &stream, &error) ||
        hed_buffer_create(device, &size, &buffers[0], &error) ||
        hed_buffer_create(device, &size, &buffers[1], &error) ||
        hed_kernel_create(device, &smooth, NULL, &kernel, &error)) {
        fprintf(stderr, "%s\n%s", error.text, error.log);
        return 1;
    }
    if (hed_write(stream, buffers[0], 0, in, sizeof in, &error) ||
        hed_launch(stream, kernel, &problem,
            HED_VIEW_ARGS(
                smooth_launch, .in = buffers[0], .out = buffers[1], .weight = weight, .n = n),
            &error) ||
        hed_read(stream, out, buffers[1], 0, sizeof out, &error) ||
        hed_stream_wait(stream, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    uint32_t same = 0;
    for (uint32_t i = 0; i < n; i++) same += fabsf(out[i] - expected[i]) <= 1e-6f;
    printf("%s: %u of %u as in C\n", hed_device_describe(device).name, same, n);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffers[1]);
    hed_buffer_destroy(buffers[0]);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    return same == n ? 0 : 1;
}
