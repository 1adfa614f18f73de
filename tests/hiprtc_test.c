/* Compiling for HIP without a device: every name of the prelude for each family of AMD's devices, in
 * fast and strict mode, texts in HIP C, and messages with the user's own lines. Skipped where hipRTC is
 * not installed. Nothing here runs: no AMD device has. */
#include "backends/cuda/nvrtc.h"

#include "core/build_cache.h"
#include "core/objects.h"
#include "heddle/author.h"
#include "prelude_words.h"
#include "testing.h"

static hed_error error;

/* devices of 64 lanes and of 32 */
static const char *const targets[] = {"gfx90a:sramecc+:xnack-", "gfx1030"};

typedef struct job {
    hed_source source;
    hed_kernel_def def;
    hed_build build;
    hed_binary binary;
    hed_allocator allocator;
    hed_nvrtc *hiprtc;
} job;

static void start(job *j, const char *entry, const char *text, hed_language language)
{
    char reason[256] = "";
    *j = (job){.allocator = hed_default_allocator(), .source = {"user.cl", text, 0}};
    CHECK_EQ(hed_hiprtc_open(
                 &j->allocator, getenv("HEDDLE_HIP_LIBRARY"), &j->hiprtc, reason, sizeof reason),
        HED_OK);
    if (!j->hiprtc) test_skip("no hipRTC on this machine: %s", reason);
    j->def = (hed_kernel_def){
        .name = entry, .sources = &j->source, .source_count = 1, .language = language};
    j->build = (hed_build){.def = &j->def, .entry = entry, .language = language,
        .math = HED_MATH_FAST, .sources = &j->source, .source_count = 1};
}

static hed_status compile(job *j, const char *target)
{
    hed_binary_free(&(hed_settings){.allocator = j->allocator}, &j->binary);
    j->binary = (hed_binary){0};
    error = (hed_error){0};
    return hed_nvrtc_compile(j->hiprtc, target, &j->build, &j->binary, &error);
}

static void end(job *j)
{
    hed_binary_free(&(hed_settings){.allocator = j->allocator}, &j->binary);
    hed_nvrtc_close(j->hiprtc);
}

static void check_words(const char *entry, const char *text, hed_math math)
{
    job j;
    start(&j, entry, text, HED_OPENCL_C);
    j.build.math = math;
    for (size_t i = 0; i < HED_COUNT(targets); i++) {
        CHECK_EQ(compile(&j, targets[i]), HED_OK, "%s\n%s", error.text, error.log);
        CHECK(!j.binary.log || !strstr(j.binary.log, "warning"), "%s: %s", targets[i], j.binary.log);
        CHECK(j.binary.size > 64 && memcmp(j.binary.bytes, "\177ELF", 4) == 0,
            "%s: not a code object", targets[i]);
    }
    end(&j);
}

Test(hiprtc, every_word_compiles) { check_words("words", words_text, HED_MATH_FAST); }
Test(hiprtc, every_word_compiles_in_strict_mode) { check_words("words", words_text, HED_MATH_STRICT); }
Test(hiprtc, the_words_of_the_capabilities_compile)
{
    check_words("beyond", capability_text, HED_MATH_FAST);
}
Test(hiprtc, the_words_of_the_capabilities_compile_in_strict_mode)
{
    check_words("beyond", capability_text, HED_MATH_STRICT);
}

Test(hiprtc, a_text_of_opencl_has_its_vectors)
{
    static const char text[] =
        "__kernel void f(__global float4 *x, __global const uchar4 *y)\n"
        "{\n"
        "    float8 v;\n"
        "    v.lo = x[0];\n"
        "    v.hi = x[1];\n"
        "    x[2] = v.lo * native_sin(v.s3) + convert_float4(y[0]) + select(v.hi, v.lo, v.lo < v.hi);\n"
        "}\n";
    static const hed_define define = {"HED_OPENCL_TEXT", "1"};
    job j;
    start(&j, "f", text, HED_OPENCL_C);
    j.build.defines = &define;
    j.build.define_count = 1;
    CHECK_EQ(compile(&j, "gfx1030"), HED_OK, "%s\n%s", error.text, error.log);
    end(&j);
}

/* A text as hipcc takes it: a template, headers of HIP and of C, a helper without __device__. */
Test(hiprtc, hip_c_has_its_names)
{
    static const char text[] =
        "#include <hip/hip_runtime.h>\n"
        "#include <stdint.h>\n"
        "#include <math.h>\n"
        "__constant__ float weights[4];\n"
        "static float twice(float x) { return 2 * x; }\n"
        "template <typename T, int N> __global__ void scale(T *x, uint32_t n)\n"
        "{\n"
        "    __shared__ T tile[N];\n"
        "    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    tile[threadIdx.x] = i < n ? x[i] : T(0);\n"
        "    __syncthreads();\n"
        "    if (i < n) x[i] = twice(tile[N - 1 - threadIdx.x]) * weights[i & 3] + sqrtf(__shfl_xor(x[i], 1));\n"
        "}\n";
    static const hed_argument_def arguments[] = {{.name = "weights", .symbol = true, .size = 16}};
    job j;
    char name[256];
    start(&j, "scale<float, 64>", text, HED_CUDA_C);
    j.def.arguments = arguments;
    j.def.argument_count = 1;
    CHECK_EQ(compile(&j, "gfx90a"), HED_OK, "%s\n%s", error.text, error.log);
    CHECK(hed_nvrtc_lowered(j.binary.log, "scale<float, 64>", name, sizeof name), "%s", j.binary.log);
    CHECK_TEXT(name, "_Z5scaleIfLi64EEvPT_j");
    CHECK(hed_nvrtc_lowered(j.binary.log, "&weights", name, sizeof name), "%s", j.binary.log);
    CHECK_TEXT(name, "weights");
    end(&j);
}

Test(hiprtc, an_error_names_the_users_file_and_line)
{
    static const char text[] = "__kernel void f(__global float *x)\n"
                               "{\n"
                               "    x[0] = NO_SUCH_THING;\n"
                               "}\n";
    job j;
    start(&j, "f", text, HED_OPENCL_C);
    FAILS(HED_ERROR_BUILD, compile(&j, "gfx1030"));
    CHECK(strstr(error.text, "hipRTC") && strstr(error.text, "user.cl:3:12"), "%s", error.text);
    end(&j);
}

Test(hiprtc, modes_and_launch_bounds_change_the_options)
{
    hed_kernel_def def = {.name = "f"};
    hed_build build = {.def = &def, .math = HED_MATH_STRICT};
    char strict[512], fast[512];
    OK(hed_hiprtc_options(&build, strict, sizeof strict));
    build.math = HED_MATH_FAST;
    build.max_threads = 64;
    OK(hed_hiprtc_options(&build, fast, sizeof fast));
    CHECK(strstr(strict, "-ffp-contract=off") && strstr(strict, "-DHED_STRICT=1"), "%s", strict);
    CHECK(strstr(fast, "-ffp-contract=fast") && strstr(fast, "-DHED_MAX_THREADS=64"), "%s", fast);
}

Test(hiprtc, a_library_that_is_not_there_is_explained)
{
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *hiprtc;
    char reason[256];
    OK(hed_hiprtc_open(&allocator, "libm.so.6", &hiprtc, reason, sizeof reason));
    if (hiprtc) test_skip("hipRTC is a library of its own here");
    CHECK(reason[0], "no reason");
}
