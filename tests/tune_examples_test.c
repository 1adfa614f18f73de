/* ctest: devices */
/* The examples of tune files, as a user has them: each is loaded, its space built, and
 * configurations from all over it run on the device under test against results made here. The one
 * in CUDA C is compiled by NVRTC where that is installed. */
#include "testing.h"

#include <math.h>
#include <unistd.h>

#include "backends/cuda/nvrtc.h"
#include "core/program.h"
#include "cli/common/sample.h"
#include "heddle/tune_file.h"

static hed_error error;

enum { TRIED = 5 }; /* configurations of each */

typedef struct example {
    test_device device;
    hed_tune_file *spec;
    const hed_kernel_def *def;
    hed_tune_def tune;
    hed_space *space;
} example;

static example open_example(const char *path)
{
    example e = {.device = test_open(NULL), .tune = hed_default_tune_def()};
    const hed_device_info info = hed_device_describe(e.device.device);
    OK(hed_tune_file_open(path, &info, &e.spec, &error));
    e.def = hed_tune_file_kernel(e.spec);
    hed_tune_file_apply(e.spec, &e.tune);
    if (!(info.capabilities & HED_CAN_SOURCE)) test_skip("%s compiles nothing", info.id);
    OK(hed_space_create_for_kernel(
        e.device.device, e.def, e.tune.problem, e.tune.math, &e.space, &error));
    CHECK(hed_space_count(e.space) > 0);
    return e;
}

static void close_example(example *e)
{
    hed_space_destroy(e->space);
    hed_tune_file_close(e->spec);
    test_close(&e->device);
}

/* Runs one configuration; what it leaves in argument `output`, of as many floats as that has,
 * released by the caller. */
static float *run(example *e, const hed_config *config, uint32_t output)
{
    hed_sample sample = {.def = e->def, .problem = *e->tune.problem};
    hed_placed placed;
    hed_kernel *kernel;
    hed_kernel_options options = hed_default_kernel_options();
    char text[256];
    hed_config_format(e->def, config, text, sizeof text);
    for (uint32_t i = 0; i < e->def->argument_count; i++) {
        sample.data[i] = (void *)(uintptr_t)e->tune.arguments[i].data;
        sample.bytes[i] = e->tune.arguments[i].bytes;
    }
    options.config = config;
    options.problem = e->tune.problem;
    hed_status status = hed_kernel_create(e->device.device, e->def, &options, &kernel, &error);
    CHECK(status == HED_OK, "[%s]: %s\n%s", text, error.text, error.log);
    OK(hed_sample_place(&sample, e->device.stream, 0, 0xff, &placed, &error));
    OK(hed_launch(e->device.stream, kernel, e->tune.problem, placed.arguments,
        e->def->argument_count, &error));
    float *found = malloc(sample.bytes[output]);
    OK(hed_read(e->device.stream, found, placed.buffers[output], 0, sample.bytes[output], &error));
    OK(hed_stream_wait(e->device.stream, &error));
    hed_placed_free(&placed);
    hed_kernel_destroy(kernel);
    return found;
}

static void check_configurations(
    example *e, uint32_t output, const float *expected, double tolerance)
{
    uint64_t points = hed_space_count(e->space),
             count = e->tune.arguments[output].bytes / sizeof *expected;
    for (uint64_t i = 0; i < TRIED; i++) {
        hed_config config = hed_space_at(e->space, i * (points - 1) / (TRIED - 1));
        float *found = run(e, &config, output);
        char text[256];
        hed_config_format(e->def, &config, text, sizeof text);
        for (uint64_t k = 0; k < count; k++)
            CHECK(fabs((double)found[k] - expected[k]) <= tolerance * fmax(1, fabs(expected[k])),
                "[%s]: element %llu is %g, not %g", text, (unsigned long long)k, found[k],
                expected[k]);
        free(found);
    }
}

Test(tune_examples, blur)
{
    example e = open_example("examples/tune/blur.json");
    const int width = (int)e.tune.problem->sizes[0], height = (int)e.tune.problem->sizes[1];
    const float *in = e.tune.arguments[0].data, *weights = e.tune.arguments[1].data;
    float *expected = calloc((size_t)width * height, sizeof *expected);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int v = -2; v <= 2; v++)
                for (int u = -2; u <= 2; u++) {
                    int from_x = x + u < 0 ? 0 : x + u >= width ? width - 1 : x + u;
                    int from_y = y + v < 0 ? 0 : y + v >= height ? height - 1 : y + v;
                    expected[y * width + x] +=
                        weights[(v + 2) * 5 + u + 2] * in[from_y * width + from_x];
                }
    check_configurations(&e, 2, expected, 1e-5);
    for (uint64_t i = 0; i < hed_space_count(e.space); i++) {
        hed_config config = hed_space_at(e.space, i);
        CHECK(hed_config_get(e.def, &config, "VARIANT") == 1 ||
                  hed_config_get(e.def, &config, "PAD") == 0,
            "a condition holds");
    }
    free(expected);
    close_example(&e);
}

Test(tune_examples, scale_of_t1)
{
    example e = open_example("examples/tune/scale.t1.json");
    CHECK(e.tune.evaluations == 60 && e.tune.arguments[0].expected &&
          e.def->arguments[0].tolerance == 1e-6);
    check_configurations(&e, 0, e.tune.arguments[0].expected, 1e-6);
    close_example(&e);
}

/* Plain OpenCL C has pointers to local memory in the parameter list. */
Test(tune_examples, plain_opencl_with_local_memory)
{
    static const char text[] = "__kernel void f(__global float *y, __local float *tile, int n)\n"
                               "{\n"
                               "    const int i = get_global_id(0), j = get_local_id(0);\n"
                               "    tile[j] = i < n ? i : 0;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    if (i < n) y[i] = tile[j ^ 1];\n"
                               "}\n";
    static const char file[] =
        "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 4096}, "
        "\"parameters\": {\"WG\": [32, 64, 128]},"
        "\"group\": [\"WG\"], \"arguments\": [{\"name\": \"y\", \"type\": \"float\", "
        "\"access\": \"write\", \"size\": \"n\"},"
        "{\"name\": \"tile\", \"kind\": \"local\", \"type\": \"float\", \"size\": \"WG\"},"
        "{\"name\": \"n\", \"type\": \"int\", \"value\": \"n\"}]}";
    char folder[] = "/tmp/heddle-test-XXXXXX", path[64], source[64];
    CHECK_NOT_NULL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.json", folder);
    snprintf(source, sizeof source, "%s/f.cl", folder);
    FILE *f = fopen(path, "w");
    fputs(file, f);
    fclose(f);
    f = fopen(source, "w");
    fputs(text, f);
    fclose(f);
    example e = open_example(path);
    float expected[4096];
    for (int i = 0; i < 4096; i++) expected[i] = (float)(i ^ 1);
    check_configurations(&e, 0, expected, 0);
    close_example(&e);
    remove(path);
    remove(source);
    rmdir(folder);
}

/* ---- CUDA C ---- */

static void compile(hed_nvrtc *nvrtc, const hed_kernel_def *def, const hed_config *config)
{
    hed_allocator allocator = hed_default_allocator();
    hed_define defines[HED_MAX_PARAMETERS];
    char values[HED_MAX_PARAMETERS][24];
    hed_binary binary = {0};
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        snprintf(values[i], sizeof values[i], "%lld", (long long)config->values[i]);
        defines[i] = (hed_define){def->parameters[i].name, values[i]};
    }
    hed_build build = {.def = def,
        .entry = def->entry,
        .defines = defines,
        .define_count = def->parameter_count,
        .sources = def->sources,
        .source_count = def->source_count,
        .max_threads = hed_config_max_threads(def, config)};
    OK(hed_nvrtc_compile(nvrtc, "compute_90", &build, &binary, &error));
    CHECK(strstr(binary.bytes, def->entry), "the kernel is in the PTX under its own name");
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
}

Test(tune_examples, transpose_in_cuda_c)
{
    static const hed_device_info device = {
        .id = "cuda:0", .max_group = 1024, .local_bytes = 232448, .architecture = 90};
    hed_allocator allocator = hed_default_allocator();
    hed_tune_file *spec;
    hed_nvrtc *nvrtc = NULL;
    char reason[256];
    OK(hed_tune_file_open("examples/tune/transpose.json", &device, &spec, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK(def->language == HED_CUDA_C && tune.reference == HED_REFERENCE_KERNEL);
    CHECK_EQ(hed_nvrtc_open(
                 &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    hed_config config = hed_config_default(def), other = hed_config_default(tune.reference_kernel);
    compile(nvrtc, def, &config);
    compile(nvrtc, tune.reference_kernel, &other);
    hed_nvrtc_close(nvrtc);
    hed_tune_file_close(spec);
}
