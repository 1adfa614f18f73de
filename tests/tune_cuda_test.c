/* Kernels as people write them for CUDA, from the tune file to what NVRTC makes of it: templates,
 * names in namespaces, __constant__ symbols, the toolkit's headers, folders, options, parameters
 * that are texts; the T1 files in tests/t1, one of each kind that is published; and OpenCL texts
 * with all vector types. Nothing runs: what compiles is looked into. Skipped without NVRTC. */
#include "folder.h"
#include "testing.h"

#include <sys/stat.h>

#include "backends/cuda/nvrtc.h"
#include "core/program.h"
#include "heddle/tune_file.h"

static hed_error error;
static const hed_device_info DEVICE = {.id = "cuda:0",
    .backend = "cuda",
    .max_group = 1024,
    .max_group_size = {1024, 1024, 64},
    .local_bytes = 232448,
    .max_buffer_bytes = (uint64_t)1 << 30,
    .architecture = 90};

TestSuite(tune_cuda, .init = folder_make, .fini = folder_remove);

static void write_text(const char *name, const char *text)
{
    write_file(in_folder(name), text, strlen(text));
}

/* ---- one file ---- */

typedef struct compiled {
    hed_allocator allocator;
    hed_nvrtc *nvrtc;
    hed_binary binary;
} compiled;

static compiled open_compiler(const char *cuda_home)
{
    compiled c = {.allocator = hed_default_allocator()};
    char reason[256] = "";
    CHECK_EQ(hed_nvrtc_open(
                 &c.allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &c.nvrtc, reason, sizeof reason),
        HED_OK);
    if (!c.nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    hed_nvrtc_find_headers(c.nvrtc, cuda_home);
    return c;
}

static void forget(compiled *c)
{
    hed_release(&c->allocator, c->binary.bytes, c->binary.size);
    hed_release(&c->allocator, c->binary.log, c->binary.log_size);
    c->binary = (hed_binary){0};
}

static void close_compiler(compiled *c)
{
    forget(c);
    hed_nvrtc_close(c->nvrtc);
}

/* What hed_build_text_make() gives, without a device. */
static hed_status compile(compiled *c, const hed_kernel_def *def, const hed_config *config)
{
    hed_define defines[HED_MAX_PARAMETERS + 32];
    char values[HED_MAX_PARAMETERS][24];
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        snprintf(values[i], sizeof values[i], "%lld", (long long)config->values[i]);
        defines[count++] = (hed_define){def->parameters[i].name, values[i]};
    }
    CHECK(def->define_count <= 32);
    for (uint32_t i = 0; i < def->define_count; i++) defines[count++] = def->defines[i];
    hed_build build = {.def = def,
        .language = def->language,
        .entry = def->entry,
        .defines = defines,
        .define_count = count,
        .sources = def->sources,
        .source_count = def->source_count,
        .max_threads = hed_config_max_threads(def, config)};
    forget(c);
    error = (hed_error){0};
    return hed_nvrtc_compile(c->nvrtc, "compute_90", &build, &c->binary, &error);
}

static bool in_ptx(const compiled *c, const char *words)
{
    return strstr(c->binary.bytes, words) != NULL;
}

static hed_tune_file *loaded(const char *path)
{
    hed_tune_file *spec;
    error = (hed_error){0};
    OK(hed_tune_file_open(path, &DEVICE, &spec, &error));
    return spec;
}

/* A tune file around one text, and its kernel in its default configuration. */
static hed_status compile_text(
    compiled *c, const char *name, const char *text, const char *kernel, const char *more)
{
    char file[2048];
    write_text(name, text);
    snprintf(file, sizeof file,
        "{\"kernel\": \"%s\", \"source\": \"%s\", \"problem\": {\"n\": 1024}, \"group\": [64], %s \"arguments\": "
        "[{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": \"n\"}]}",
        kernel, name, more);
    write_text("k.json", file);
    hed_tune_file *spec = loaded(in_folder("k.json"));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_config config = hed_config_default(def);
    hed_status status = compile(c, def, &config);
    hed_tune_file_close(spec);
    return status;
}

#define COMPILES(...) \
    do { \
        hed_status status_ = compile_text(__VA_ARGS__); \
        CHECK(status_ == HED_OK, "%s\n%s", error.text, error.log); \
    } while (0)

/* ---- names ---- */

Test(tune_cuda, names_of_cpp)
{
    static const char text[] =
        "namespace ns { template <typename T, int N> __global__ void scale(float *y) { y[threadIdx.x] = (T)N; } }\n"
        "__global__ void plain(float *y) { y[0] = 1; }\n"
        "__global__ void both(float *y) { y[0] = 2; }\n"
        "__global__ void both(int *y) { y[0] = 3; }\n"
        "extern \"C\" __global__ void c(float *y) { y[0] = 4; }\n";
    static const struct {
        const char *kernel, *more, *lowered;
    } cases[] = {
        {"plain", "", "_Z5plainPf"},
        {"c", "", "c"},
        {"ns::scale<float, 3>", "", "_ZN2ns5scaleIfLi3EEEvPf"},
        {"ns::scale<real,COUNT>",
            "\"parameters\": {\"real\": {\"texts\": [\"double\", \"float\"]}, \"COUNT\": [7]},",
            "_ZN2ns5scaleIdLi7EEEvPf"},
    };
    compiled c = open_compiler(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64];
        COMPILES(&c, "f.cu", text, cases[i].kernel, cases[i].more);
        CHECK(hed_nvrtc_lowered(c.binary.log, cases[i].kernel, name, sizeof name), "%s",
            c.binary.log);
        EXPECT_TEXT(name, cases[i].lowered);
        EXPECT(in_ptx(&c, name));
        EXPECT(!hed_nvrtc_lowered(c.binary.log, cases[i].kernel, name, 1), "no room");
        EXPECT(!hed_nvrtc_lowered(c.binary.log, "other", name, sizeof name));
    }
    CHECK(!hed_nvrtc_lowered(NULL, "c", (char[8]){0}, 8) &&
          !hed_nvrtc_lowered("name c = cut", "c", (char[8]){0}, 8));
    FAILS(HED_ERROR_BUILD, compile_text(&c, "f.cu", text, "none", ""));
    EXPECT(strstr(error.text, "the text has no kernel or symbol that \"none\" names alone"), "%s",
        error.text);
    FAILS(HED_ERROR_BUILD, compile_text(&c, "f.cu", text, "ns::scale", ""));
    EXPECT(strstr(error.text, "a template needs its arguments"), "%s", error.text);
    close_compiler(&c);
}

/* The name in the database and in reports is the plain one. */
Test(tune_cuda, name_of_a_template)
{
    write_text("f.cu", "");
    write_text("k.json",
        "{\"kernel\": \"ns :: scale <float, 4>\", \"source\": \"f.cu\", \"group\": [1], \"global\": [1], \"arguments\": "
        "[{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": 1}]}");
    hed_tune_file *spec = loaded(in_folder("k.json"));
    EXPECT_TEXT(hed_tune_file_kernel(spec)->name, "scale");
    EXPECT_TEXT(hed_tune_file_kernel(spec)->entry, "ns :: scale <float, 4>");
    hed_tune_file_close(spec);
}

/* ---- headers ---- */

static const char with_headers[] = "#include <cuda_fp16.h>\n"
                                   "#include <cooperative_groups.h>\n"
                                   "#include <cub/block/block_reduce.cuh>\n"
                                   "template <int B> __global__ void sum(float *y)\n"
                                   "{\n"
                                   "    typedef cub::BlockReduce<float, B> reduce;\n"
                                   "    __shared__ typename reduce::TempStorage storage;\n"
                                   "    const half h = __float2half(y[threadIdx.x]);\n"
                                   "    const float s = reduce(storage).Sum(__half2float(h));\n"
                                   "    cooperative_groups::this_thread_block().sync();\n"
                                   "    if (threadIdx.x == 0) y[blockIdx.x] = s;\n"
                                   "}\n";

Test(tune_cuda, headers_of_the_toolkit, .timeout = 240)
{
    compiled c = open_compiler(getenv("CUDA_HOME"));
    if (!hed_nvrtc_headers(c.nvrtc)[0]) {
        close_compiler(&c);
        test_skip("no CUDA toolkit beside NVRTC on this machine");
    }
    COMPILES(&c, "f.cu", with_headers, "sum<64>", "");
    CHECK(in_ptx(&c, "shfl.sync"));
    close_compiler(&c);
}

/* A folder that is no toolkit is passed over; one that is, is taken first. */
Test(tune_cuda, cuda_home)
{
    compiled c = open_compiler(folder);
    CHECK(strncmp(hed_nvrtc_headers(c.nvrtc), folder, strlen(folder)) != 0);
    CHECK(mkdir(in_folder("include"), 0700) == 0);
    write_text("include/cuda_fp16.h", "#define FOUND 5\n");
    hed_nvrtc_find_headers(c.nvrtc, folder);
    CHECK(strncmp(hed_nvrtc_headers(c.nvrtc), folder, strlen(folder)) == 0);
    COMPILES(&c, "f.cu", "#include <cuda_fp16.h>\n__global__ void f(float *y) { y[0] = FOUND; }\n",
        "f", "");
    FAILS(HED_ERROR_BUILD,
        compile_text(&c, "f.cu",
            "#include <cooperative_groups.h>\n__global__ void f(float *y) {}\n", "f", ""));
    EXPECT(strstr(error.text, "cooperative_groups.h") &&
               strstr(error.text, "nvidia-cuda-runtime") && strstr(error.text, "CUDA_HOME") &&
               strstr(error.text, folder),
        "%s", error.text);
    FAILS(
        HED_ERROR_BUILD, compile_text(&c, "f.cu",
                             "#include <cub/cub.cuh>\n__global__ void f(float *y) {}\n", "f", ""));
    EXPECT(strstr(error.text, "nvidia-cuda-cccl"), "%s", error.text);
    FAILS(HED_ERROR_BUILD,
        compile_text(&c, "f.cu", "#include \"mine.h\"\n__global__ void f(float *y) {}\n", "f", ""));
    EXPECT(strstr(error.text, "\"mine.h\" is not a header of CUDA's: in a tune file \"include\""),
        "%s", error.text);
    remove(in_folder("include/cuda_fp16.h"));
    rmdir(in_folder("include"));
    close_compiler(&c);
}

/* ---- folders and options ---- */

Test(tune_cuda, includes_are_put_in_place)
{
    compiled c = open_compiler(NULL);
    CHECK(mkdir(in_folder("deep"), 0700) == 0 && mkdir(in_folder("other"), 0700) == 0);
    write_text("deep/a.h",
        "#pragma once\n#include \"b.h\"\n#include <c.h>\nstatic const int A = B + C;\n");
    write_text("deep/b.h", "#ifndef B\n#include \"a.h\"\n#define B 1\n#endif\n");
    write_text("other/c.h", "/* #include \"nowhere.h\"\n*/\n#define C 2 // \"\n");
    write_text("wrong.h", "\nint wrong = nothing;\n");
    COMPILES(&c, "f.cu",
        "#include \"deep/a.h\"\n  #  include \"deep/a.h\"\n// #include \"nowhere.h\"\n"
        "__global__ void f(float *y) { y[0] = A; static_assert(A == 3 && D == 4, \"\"); }\n",
        "f", "\"include\": \"other\", \"options\": [\"-DD=4\", \"-std=c++14\"],");
    COMPILES(&c, "f.cu", "#include <a.h>\n__global__ void f(float *y) { y[0] = A; }\n", "f",
        "\"options\": [\"-Ideep\", \"-Iother\", \"--maxrregcount=32\"],");
    /* What is included in either branch of #if is there in both, and once. */
    write_text("deep/common.h", "// common\n  #  pragma once\nconstexpr int COMMON = 6;\n");
    write_text(
        "deep/one.h", "#pragma once\n#include \"common.h\"\nconstexpr int V_OF = COMMON + 1;\n");
    write_text(
        "deep/two.h", "#pragma once\n#include \"common.h\"\nconstexpr int V_OF = COMMON + 2;\n");
    static const char branches[] =
        "#if V == 1\n#include \"deep/one.h\"\n#else\n#include \"deep/two.h\"\n#endif\n#include \"deep/common.h\"\n"
        "__global__ void f(float *y) { static_assert(V_OF == COMMON + V && __LINE__ == 7, \"\"); y[0] = 1; }\n";
    COMPILES(&c, "f.cu", branches, "f", "\"options\": [\"-DV=1\"],");
    COMPILES(&c, "f.cu", branches, "f", "\"options\": [\"-DV=2\"],");
    COMPILES(&c, "f.cu",
        "#include \"deep/common.h\" /* helpers\n#include \"nowhere.h\"\n*/\n"
        "__global__ void f(float *y) { static_assert(COMMON == 6 && __LINE__ == 4, \"\"); y[0] = 1; }\n",
        "f", "");
    /* Without a growth by the number of ways that lead to a file. */
    for (int i = 1; i < 30; i++) {
        char file[32], text[128];
        snprintf(file, sizeof file, "deep/n%d.h", i);
        snprintf(text, sizeof text,
            "#pragma once\n\n#include \"n%d.h\"\n#include \"n%d.h\"\nconstexpr int N%d = 1;\n",
            i + 1, i + 2, i);
        write_text(file, text);
    }
    write_text("deep/n30.h", "#pragma once\n");
    write_text("deep/n31.h", "#pragma once\n");
    COMPILES(&c, "f.cu",
        "#if 1\n#include \"deep/n1.h\"\n#endif\n__global__ void f(float *y) { y[0] = N1 + N29; }\n",
        "f", "");
    /* Two files that include each other by ever longer paths. */
    write_text("deep/a.h", "#include \"../other/c.h\"\n");
    write_text("other/c.h", "#include \"../deep/a.h\"\n");
    write_text("f.cu", "#include \"deep/a.h\"\n__global__ void f(float *y) { y[0] = 1; }\n");
    hed_tune_file *none;
    FAILS(HED_ERROR_FORMAT, hed_tune_file_open(in_folder("k.json"), &DEVICE, &none, &error));
    EXPECT(strstr(error.text, "32 files deep") &&
               strstr(error.text, "/other/../deep/a.h includes ...") &&
               strstr(error.text, "/other/c.h: do files include each other"),
        "%s", error.text);
    write_text("k.json",
        "{\"kernel\": \"f\", \"source\": \"f.cu\", \"problem\": {\"n\": 1024}, \"group\": [64], \"options\": [\"-std=c++20\"], "
        "\"arguments\": [{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": \"n\"}]}");
    FAILS(HED_ERROR_UNSUPPORTED, hed_tune_file_open(in_folder("k.json"), &DEVICE, &none, &error));
    EXPECT(strstr(error.text, "\"-std=c++20\": Heddle compiles C++17"), "%s", error.text);
    FAILS(HED_ERROR_BUILD,
        compile_text(&c, "f.cu",
            "int first;\n#include \"wrong.h\"\n__global__ void f(float *y) { none(); }\n", "f",
            ""));
    EXPECT(strstr(error.log, "wrong.h(2): error") && strstr(error.log, "f.cu(3): error"),
        "each file has its own lines: %s", error.log);
    static const char *const files[] = {"deep/a.h", "deep/b.h", "other/c.h", "wrong.h",
        "deep/common.h", "deep/one.h", "deep/two.h"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(in_folder(files[i]));
    for (int i = 1; i < 32; i++) {
        char file[32];
        snprintf(file, sizeof file, "deep/n%d.h", i);
        remove(in_folder(file));
    }
    rmdir(in_folder("deep"));
    rmdir(in_folder("other"));
    close_compiler(&c);
}

/* ---- symbols ---- */

Test(tune_cuda, symbols)
{
    compiled c = open_compiler(NULL);
    write_text("f.cu",
        "namespace shape { __constant__ float corners[3]; }\nstatic __constant__ int count;\n__device__ float scale;\n"
        "__global__ void f(float *y) { y[threadIdx.x] = shape::corners[threadIdx.x % count] * scale; }\n");
    write_text("k.json",
        "{\"kernel\": \"f\", \"source\": \"f.cu\", \"problem\": {\"n\": 1024}, \"group\": [64], \"arguments\": ["
        "{\"name\": \"shape::corners\", \"kind\": \"symbol\", \"type\": \"float\", \"size\": 3, \"fill\": {\"sequence\": [1, 1]}},"
        "{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": \"n\"},"
        "{\"name\": \"count\", \"kind\": \"symbol\", \"type\": \"int\", \"value\": \"n / 512 + 1\"},"
        "{\"name\": \"scale\", \"kind\": \"symbol\", \"type\": \"float\", \"value\": 0.5}]}");
    hed_tune_file *spec = loaded(in_folder("k.json"));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK(def->argument_count == 4 && def->arguments[0].kind == HED_STRUCT &&
          def->arguments[0].symbol && def->arguments[0].size == 12 && !def->arguments[1].symbol &&
          def->arguments[2].size == 4);
    CHECK(((const float *)tune.arguments[0].data)[2] == 3 &&
          *(const int *)tune.arguments[2].data == 3 &&
          *(const float *)tune.arguments[3].data == 0.5f);
    OK(hed_tune_file_set_content(spec, &DEVICE, "shape::corners", "5:6", &error));
    hed_tune_file_apply(spec, &tune);
    CHECK(((const float *)tune.arguments[0].data)[1] >= 5 &&
          ((const float *)tune.arguments[0].data)[1] < 6);
    hed_config config = hed_config_default(def);
    OK(compile(&c, def, &config));
    char name[64];
    CHECK(hed_nvrtc_lowered(c.binary.log, "&shape::corners", name, sizeof name) &&
          strcmp(name, "_ZN5shape7cornersE") == 0);
    CHECK(hed_nvrtc_lowered(c.binary.log, "&count", name, sizeof name) && in_ptx(&c, name));
    CHECK(
        hed_nvrtc_lowered(c.binary.log, "&scale", name, sizeof name) && strcmp(name, "scale") == 0);
    hed_tune_file_close(spec);
    close_compiler(&c);
}

/* ---- published T1 files ---- */

/* Compiles first, middle and last configuration, and gives the spec. */
static hed_tune_file *check_t1(
    compiled *c, const char *path, const char *input, const char *content)
{
    hed_tune_file *spec = loaded(path);
    if (input) OK(hed_tune_file_set_content(spec, &DEVICE, input, content, &error));
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    uint64_t count = hed_config_count(def);
    for (uint64_t i = 0; i < 3; i++) {
        hed_config config = hed_config_at(def, i * (count - 1) / 2);
        hed_status status = compile(c, def, &config);
        CHECK(status == HED_OK, "%s: %s\n%s", path, error.text, error.log);
    }
    return spec;
}

Test(tune_cuda, t1_with_a_constant_symbol)
{
    compiled c = open_compiler(NULL);
    hed_tune_file *spec = check_t1(&c, "tests/t1/filter.json", NULL, NULL);
    CHECK(hed_tune_file_kernel(spec)->arguments[2].symbol &&
          hed_tune_file_kernel(spec)->arguments[2].size == 140);
    hed_tune_file_close(spec);
    close_compiler(&c);
}

/* The text is found in the folder above, under its name for HIP; the size of the symbol that the
 * file has wrong comes with the input. */
Test(tune_cuda, t1_for_hip_with_a_wrong_size)
{
    compiled c = open_compiler(NULL);
    float delays[64];
    for (int i = 0; i < 64; i++) delays[i] = (float)i / 64;
    write_file(in_folder("delays.raw"), (const char *)delays, sizeof delays);
    hed_tune_file *spec = check_t1(&c, "tests/t1/delays.json", "delays", in_folder("delays.raw"));
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    CHECK(hed_tune_file_kernel(spec)->arguments[2].size == sizeof delays &&
          tune.arguments[2].bytes == sizeof delays &&
          memcmp(tune.arguments[2].data, delays, sizeof delays) == 0);
    FAILS(HED_ERROR_ARGUMENT, hed_tune_file_set_content(spec, &DEVICE, "dalays", "1:2", &error));
    CHECK(strstr(error.text, "there is no argument \"dalays\""), "%s", error.text);
    hed_tune_file_close(spec);
    close_compiler(&c);
}

Test(tune_cuda, t1_with_a_symbol_in_a_namespace_and_a_template)
{
    compiled c = open_compiler(NULL);
    hed_tune_file *spec = check_t1(&c, "tests/t1/polygon.json", NULL, NULL);
    CHECK_TEXT(hed_tune_file_kernel(spec)->name, "inside");
    hed_tune_file_close(spec);
    close_compiler(&c);
}

Test(tune_cuda, t1_without_an_output)
{
    compiled c = open_compiler(NULL);
    if (!hed_nvrtc_headers(c.nvrtc)[0]) {
        close_compiler(&c);
        test_skip("no CUDA toolkit beside NVRTC on this machine");
    }
    hed_tune_file *spec = check_t1(&c, "tests/t1/product.json", NULL, NULL);
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    CHECK(strstr(hed_tune_file_apply(spec, NULL), "marks no output"));
    for (int i = 0; i < 3; i++)
        CHECK(def->arguments[i].access == HED_READ_WRITE && def->arguments[i].tolerance == 1e-4);
    CHECK_TEXT(def->parameters[2].labels[2], "float4");
    hed_tune_file_close(spec);
    close_compiler(&c);
}

Test(tune_cuda, t1_with_a_parameter_that_is_none)
{
    hed_tune_file *spec;
    FAILS(HED_ERROR_FORMAT, hed_tune_file_open("tests/t1/unknown.json", &DEVICE, &spec, &error));
    CHECK(strstr(error.text, "Conditions[0].Expression") &&
              strstr(error.text, "there is no \"MAX_THREADS\"") &&
              strstr(error.text, "unknown.json:9:"),
        "%s", error.text);
}

Test(tune_cuda, t1_with_inputs_of_a_range)
{
    compiled c = open_compiler(NULL);
    hed_tune_file *spec = check_t1(&c, "tests/t1/heat.json", "before", "300:330");
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(spec, &tune);
    const float *before = tune.arguments[1].data;
    float low = 1e9f, high = 0;
    for (int i = 0; i < 512 * 512; i++) {
        low = before[i] < low ? before[i] : low;
        high = before[i] > high ? before[i] : high;
    }
    CHECK(low >= 300 && low < 301 && high > 329 && high <= 330, "%g to %g", low, high);
    static const char *const wrong[][2] = {
        {"before", "330:300"}, {"conduction", "0:1"}, {"after", "0:1"}, {"before", "nofile.npy"}};
    for (size_t i = 0; i < 4; i++) {
        hed_tune_file *again = loaded("tests/t1/heat.json");
        hed_error_clear(&error);
        EXPECT(
            hed_tune_file_set_content(again, &DEVICE, wrong[i][0], wrong[i][1], &error) != HED_OK &&
                error.text[0],
            "%s", wrong[i][1]);
        hed_tune_file_close(again);
    }
    hed_tune_file_close(spec);
    close_compiler(&c);
}
