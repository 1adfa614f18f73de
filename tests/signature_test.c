/* ctest: devices */
/* The types of a kernel's parameters against its description: what is found in the text, what is
 * left to the compiler, and what a device refuses at creation. */
#include "fixture.h"

#include "backends/cuda/mangled.h"
#include "base/signature.h"

static hed_error error;

TestSuite(signature, .init = here_open, .fini = here_close);

enum { ARGUMENTS = 4 };
static const hed_argument_def arguments[ARGUMENTS] = {
    HED_IN(float, in), HED_OUT(float, out), HED_VALUE(uint, n), HED_VALUE(float, a)};

/* The result for a text whose description has the arguments above. */
static hed_status check_text(const char *text, hed_language language, const char *entry)
{
    const hed_kernel_def def = {
        .name = "scale", .arguments = arguments, .argument_count = ARGUMENTS};
    const hed_source sources[] = {{"helpers.cl", "typedef unsigned int word;\n", 0}, {"scale.cl", text, 0}};
    const hed_define defines[] = {{"REAL", "float"}, {"WG", "64"}};
    const hed_signature signature = {.def = &def,
        .language = language,
        .entry = entry,
        .defines = defines,
        .define_count = HED_COUNT(defines),
        .sources = sources,
        .source_count = HED_COUNT(sources)};
    error = (hed_error){0};
    return hed_signature_check(&signature, &error);
}

static const struct {
    const char *text, *entry; /* entry NULL: "scale" */
    hed_language language;
} RIGHT[] = {
    {.text = "__kernel void scale(__global const float *in, __global float *out, uint n, float a) {}"},
    {.text = "kernel void scale(global float *restrict in, global float*out, const unsigned int n, const float a) {}"},
    {.text = "__kernel void scale(__global float4 *in, __global float in2[], unsigned n, float a) {}"},
    {.text = "HED_GROUP_OF(WG, 1, 1) __kernel void scale(__global REAL *in, __global REAL *out, word n, REAL a) {}"},
    {.text = "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void scale(\n    __global float *in, // the first\n"
     "    __global float *out, /* float n, */ int n, float a) {}"},
    {.text = "__kernel void scale(__global uint2 *in, __global double *out, uint n, float a) {}"},
    {.text = "#define BUFFER __global float *\n__kernel void scale(BUFFER in, BUFFER out, uint n, float a) {}"},
    {.text = "#define ALL __global float *in, __global float *out, uint n, float a\n__kernel void scale(ALL) {}"},
    {.text = "#define P(T, name) __global T *name\n__kernel void scale(P(float, in), P(float, out), uint n, float a) {}"},
    {.text = "#ifdef X\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
     "__kernel void scale(__global real *in, __global real *out, uint n, real a) {}"},
    {.text = "__kernel void scale(__global float *in, __global float *out,\n#ifdef X\n float n, float a\n#else\n uint n, float a\n#endif\n) {}"},
    {.text = "#ifdef X\n__kernel void scale(__global float *in, __global float *out, float n, float a) {}\n#else\n"
     "__kernel void scale(__global float *in, __global float *out, uint n, float a) {}\n#endif"},
    {.text = "void scale2(float n); /* __kernel void scale(float n) */ const char *s = \"__kernel void scale(float n)\";"},
    {.text = "__kernel void scale(__global float *in, __global float *out, size_t n, half2x a) {}"},
    {.text = "extern \"C\" __global__ void scale(const float *__restrict__ in, float *out, const uint32_t n, float a) {}",
        NULL, HED_CUDA_C},
    {.text = "namespace ns { template <typename T, int W> __global__ void scale(const T *in, T *out, unsigned n, T a) {} }",
        "ns::scale<float, WG>", HED_CUDA_C},
    {.text = "__global__ void scale(float *in, vec<float, 4> *out, std::uint32_t n, const real &a) {}", NULL, HED_CUDA_C},
};

Test(signature, what_is_right_or_unknown_passes)
{
    for (size_t i = 0; i < HED_COUNT(RIGHT); i++) {
        hed_status status =
            check_text(RIGHT[i].text, RIGHT[i].language, RIGHT[i].entry ? RIGHT[i].entry : "scale");
        EXPECT_EQ(status, HED_OK, "%s: %s", RIGHT[i].text, error.text);
    }
}

static const struct {
    const char *text, *words[2];
    hed_language language;
} WRONG[] = {
    {.text = "__kernel void scale(__global float *in, __global float *out, float n, float a) {}",
        .words = {"\"float n\"", "\"n\" is uint32"}},
    {.text = "__kernel void scale(__global float *in, __global float *out, uint n, uint a) {}",
        .words = {"\"uint a\"", "\"a\" is float"}},
    {.text = "__kernel void scale(__global float *in, __global float *out, ulong n, float a) {}",
        .words = {"\"ulong n\"", "\"n\" is uint32"}},
    {.text = "__kernel void scale(__global float *in, __global float *out, uint n, REAL *a) {}",
        .words = {"\"REAL *a\"", "\"a\" is float"}},
    {.text = "__kernel void scale(float in, __global float *out, uint n, float a) {}",
        .words = {"\"float in\"", "\"in\" is buffer of float"}},
    {.text = "__kernel void scale(__global float *in, __global float *out, uint2 n, float a) {}",
        .words = {"\"uint2 n\"", "\"n\" is uint32"}},
    {.text = "#define number float\n__kernel void scale(__global float *in, __global float *out, number n, float a) {}",
        .words = {"\"number n\"", "\"n\" is uint32"}},
    {.text = "typedef unsigned long int large;\n__kernel void scale(__global float *in, __global float *out, large n, float a) {}",
        .words = {"\"large n\"", "\"n\" is uint32"}},
    {.text = "__kernel void scale(__global float *in, __global float *out, uint n) {}", .words = {"takes 3", "and 4"}},
    {.text = "extern \"C\" __global__ void scale(const float *in, float *out, double n, float a) {}",
        .words = {"\"double n\"", "\"n\" is uint32"}, HED_CUDA_C},
};

Test(signature, what_is_wrong_is_named)
{
    for (size_t i = 0; i < HED_COUNT(WRONG); i++) {
        hed_status status = check_text(WRONG[i].text, WRONG[i].language, "scale");
        EXPECT_EQ(status, HED_ERROR_ARGUMENT, "%s", WRONG[i].text);
        for (int w = 0; w < 2; w++)
            EXPECT(strstr(error.text, WRONG[i].words[w]), "%s: %s", WRONG[i].words[w], error.text);
    }
}

Test(signature, local_arrays_and_structs)
{
    static const hed_argument_def some[] = {
        HED_ARRAY(float, tile), HED_VALUE_STRUCT(float[4], box), HED_VALUE_STRUCT(float[4], plane)};
    const hed_kernel_def def = {.name = "f", .arguments = some, .argument_count = HED_COUNT(some)};
    static const struct {
        const char *text;
        hed_status status;
    } cases[] = {{"__kernel void f(HED_LOCAL(float, tile), struct box box, float4 plane) {}", HED_OK},
        {"__kernel void f(__local float *tile, const box_t box, plane_t plane) {}", HED_OK},
        {"__kernel void f(float tile, struct box box, float4 plane) {}", HED_ERROR_ARGUMENT},
        {"__kernel void f(__local float *tile, __global struct box *box, float4 plane) {}", HED_ERROR_ARGUMENT},
        {"__kernel void f(__local float *tile, struct box box, float2 plane) {}", HED_ERROR_ARGUMENT}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const hed_source source = {"f.cl", cases[i].text, 0};
        const hed_signature signature = {
            .def = &def, .entry = "f", .sources = &source, .source_count = 1};
        error = (hed_error){0};
        EXPECT_EQ(hed_signature_check(&signature, &error), cases[i].status, "%s: %s", cases[i].text,
            error.text);
    }
}

/* In CUDA C the last local argument is the launch's shared memory, which no parameter declares. */
Test(signature, dynamic_shared_memory_in_cuda_c)
{
    static const hed_argument_def some[] = {HED_OUT(float, out), HED_ARRAY(float, tile)};
    const hed_kernel_def def = {.name = "f", .arguments = some, .argument_count = HED_COUNT(some)};
    static const struct {
        const char *text;
        hed_language language;
        hed_status status;
    } cases[] = {
        {"extern __shared__ float tile[];\ntemplate <typename T> __global__ void f(T *out) {}", HED_CUDA_C, HED_OK},
        {"__global__ void f(float *out, float *tile) {}", HED_CUDA_C, HED_ERROR_ARGUMENT},
        {"__global__ void f(float *out, int n, int m) {}", HED_CUDA_C, HED_ERROR_ARGUMENT},
        {"__kernel void f(__global float *out) {}", HED_OPENCL_C, HED_ERROR_ARGUMENT}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const hed_source source = {"f.cu", cases[i].text, 0};
        const hed_signature signature = {.def = &def,
            .language = cases[i].language,
            .entry = "f",
            .sources = &source,
            .source_count = 1};
        error = (hed_error){0};
        EXPECT_EQ(hed_signature_check(&signature, &error), cases[i].status, "%s: %s", cases[i].text,
            error.text);
    }
}

Test(signature, types_in_mangled_names)
{
    static const struct {
        const char *name, *words[4];
    } names[] = {{"_Z5scalePKfPfjf", {"float *", "float *", "uint", "float"}},
        {"_ZN2ns5scaleIfLi256EEEvPKT_PS1_jS1_", {"", "", "uint", ""}},
        {"_Z5scaleIfLi12EEvPKfPT_md", {"float *", "", "ulong", "double"}},
        {"_Z1fP6float45uint26params", {"float4 *", "uint2", "params"}},
        {"_Z1fPN2ns6paramsERKiv", {"", ""}}, {"_Z1fv", {NULL}}, {"scale", {NULL}}, {"_Z", {NULL}},
        {"_Z99x", {NULL}}, {"_ZN2ns", {NULL}}, {"_Z1fP", {NULL}}};
    for (size_t i = 0; i < HED_COUNT(names); i++) {
        hed_mangled mangled = hed_mangled_open(names[i].name);
        char words[64];
        for (int p = 0; p < 4 && names[i].words[p]; p++) {
            CHECK(hed_mangled_next(&mangled, words, sizeof words), "%s: %d", names[i].name, p);
            CHECK_TEXT(words, names[i].words[p], "%s: %d", names[i].name, p);
        }
    }
    hed_mangled last = hed_mangled_open("_Z1fv");
    char words[64];
    CHECK(!hed_mangled_next(&last, words, sizeof words));
}

/* What compilers say of a parameter, where the text has it in words that only they know. */
static hed_status create(const char *text)
{
    const hed_kernel_def def = {.name = "scale",
        HED_SOURCES({"scale.cl", text, 0}),
        .arguments = arguments,
        .argument_count = ARGUMENTS};
    hed_kernel *kernel = NULL;
    error = (hed_error){0};
    hed_status status = hed_kernel_create(here.device, &def, NULL, &kernel, &error);
    hed_kernel_destroy(kernel);
    return status;
}

Test(signature, a_device_refuses_at_creation, .timeout = 120)
{
    const char *backend = hed_device_describe(here.device).backend;
    if (strcmp(backend, "host") == 0) test_skip("native code has no text");
    const char *wrong = "__kernel void scale(__global float *in, __global float *out, float n, float a) { out[0] = in[0] * n * a; }";
    const char *right = "__kernel void scale(__global float *in, __global float *out, uint n, float a) { out[0] = in[0] * n * a; }";
    CHECK_EQ(create(wrong), HED_ERROR_ARGUMENT, "%s", error.text);
    CHECK(strstr(error.text, "\"float") && strstr(error.text, "\"n\"") &&
              strstr(error.text, "uint32"),
        "%s", error.text);
    CHECK_EQ(create(right), HED_OK, "%s", error.text);
    if (strcmp(backend, "opencl")) return;
    CHECK_EQ(create("#ifdef NEVER\n#define COUNT uint\n#else\n#define COUNT float\n#endif\n"
                    "__kernel void scale(__global float *in, __global float *out, COUNT n, float a) { out[0] = in[0] * n * a; }"),
        HED_ERROR_ARGUMENT, "%s", error.text);
}
