/* Compiling for CUDA without a device: every word of the prelude on every architecture, the options
 * of strict and fast mode, launch bounds, ptxas' report, messages with the user's own lines.
 * Skipped where NVRTC is not installed. */
#include "backends/cuda/nvrtc.h"

#include "prelude_words.h"
#include "testing.h"
#include "heddle/author.h"

static hed_error error;

/* ---- one build ---- */

static hed_nvrtc *open_nvrtc(const hed_allocator *allocator)
{
    char reason[256] = "";
    hed_nvrtc *nvrtc = NULL;
    CHECK_EQ(
        hed_nvrtc_open(allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    return nvrtc;
}

/* A description of one text, and its build. */
typedef struct job {
    hed_source sources[2];
    hed_kernel_def def;
    hed_build build;
    hed_binary binary;
    hed_allocator allocator;
    hed_nvrtc *nvrtc;
} job;

static void start(job *j, const char *entry, const char *text, hed_math math)
{
    *j = (job){.allocator = hed_default_allocator()};
    j->nvrtc = open_nvrtc(&j->allocator);
    j->sources[0] = (hed_source){"user.cl", text, 0};
    j->def = (hed_kernel_def){.name = entry, .sources = j->sources, .source_count = 1};
    j->build = (hed_build){
        .def = &j->def, .entry = entry, .math = math, .sources = j->sources, .source_count = 1};
}

static void forget(job *j)
{
    hed_release(&j->allocator, j->binary.bytes, j->binary.size);
    hed_release(&j->allocator, j->binary.log, j->binary.log_size);
    j->binary = (hed_binary){0};
}

static hed_status compile(job *j, const char *target)
{
    forget(j);
    error = (hed_error){0};
    return hed_nvrtc_compile(j->nvrtc, target, &j->build, &j->binary, &error);
}

static void end(job *j)
{
    forget(j);
    hed_nvrtc_close(j->nvrtc);
}

static hed_kernel_resources resources_of(const job *j)
{
    hed_kernel_resources r = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
    hed_nvrtc_read_log(j->binary.log, j->build.entry, &r);
    return r;
}

static bool in_ptx(const job *j, const char *words)
{
    return strstr(j->binary.bytes, words) != NULL;
}

/* ---- the vocabulary ---- */

static const uint32_t architectures[] = {75, 80, 90};
enum { ARCHITECTURES = 3 };

static void check_words(const char *entry, const char *text, hed_math math)
{
    job j;
    start(&j, entry, text, math);
    for (int i = 0; i < ARCHITECTURES; i++) {
        char target[HED_NVRTC_TARGET];
        CHECK(hed_nvrtc_target(j.nvrtc, architectures[i], target));
        if (strncmp(target, "sm_", 3) != 0) continue; /* an NVRTC older than the architecture */
        OK(compile(&j, target));
        CHECK(j.binary.log && !strstr(j.binary.log, "warning") && !strstr(j.binary.log, "error"),
            "%s: %s", target, j.binary.log);
        CHECK(memcmp(j.binary.bytes, "\177ELF", 4) == 0, "%s: not a cubin", target);
        hed_kernel_resources r = resources_of(&j);
        CHECK(r.registers > 0 && r.spill_bytes == 0, "%s: %lld registers, %lld bytes spilled\n%s",
            target, (long long)r.registers, (long long)r.spill_bytes, j.binary.log);
    }
    end(&j);
}

Test(nvrtc, every_word_compiles_without_a_warning)
{
    check_words("words", words_text, HED_MATH_FAST);
}
Test(nvrtc, every_word_compiles_in_strict_mode)
{
    check_words("words", words_text, HED_MATH_STRICT);
}
Test(nvrtc, the_words_of_the_capabilities_compile)
{
    check_words("beyond", capability_text, HED_MATH_FAST);
}
Test(nvrtc, the_words_of_the_capabilities_compile_in_strict_mode)
{
    check_words("beyond", capability_text, HED_MATH_STRICT);
}

/* The text fails where a capability is not what it should be. */
Test(nvrtc, an_architecture_has_what_it_should)
{
    static const char text[] =
        "#if !HED_HAS_FP16 || !HED_HAS_FP64 || !HED_HAS_STRICT || !HED_HAS_LANES || !HED_HAS_NAMED_BARRIERS\n"
        "#error common\n"
        "#endif\n"
        "#if !HED_HAS_COOPERATIVE || !HED_HAS_GRID_BARRIER || !HED_HAS_MAPPED || !HED_HAS_GLOBAL_ATOMICS\n"
        "#error ordered\n"
        "#endif\n"
        "#if HED_HAS_PACKETS != WANT_PACKETS || HED_HAS_RESIDENT != WANT_PACKETS\n"
        "#error packets\n"
        "#endif\n"
        "#if HED_HAS_CLUSTERS != WANT_CLUSTERS\n"
        "#error clusters\n"
        "#endif\n"
        "__kernel void f(__global float3 *x) { HED_LOCAL_ARRAY(float, a, sizeof(float3) == 16 ? 1 : -1); x[0].x = a[0]; }\n";
    job j;
    start(&j, "f", text, HED_MATH_FAST);
    const char *packets = hed_nvrtc_version(j.nvrtc) >= 12030 ? "1" : "0";
    hed_define defines[] = {{"WANT_PACKETS", packets}, {"WANT_CLUSTERS", "0"}};
    j.build.defines = defines;
    j.build.define_count = 2;
    OK(compile(&j, "sm_75"));
    OK(compile(&j, "sm_80"));
    char target[HED_NVRTC_TARGET];
    CHECK(hed_nvrtc_target(j.nvrtc, 90, target));
    if (strcmp(target, "sm_90") == 0) {
        FAILS(HED_ERROR_BUILD, compile(&j, target));
        CHECK(strstr(error.log, "clusters"), "%s", error.log);
        defines[1].value = "1";
        OK(compile(&j, target));
    }
    end(&j);
}

/* ---- options ---- */

static const char arithmetic_text[] = "__kernel void f(__global float *x)\n"
                                      "{\n"
                                      "    uint i = (uint)get_global_id(0);\n"
                                      "    x[i] = x[i] * x[i + 1] + sqrt(x[i + 2]) / x[i + 3];\n"
                                      "}\n";

Test(nvrtc, fast_mode_contracts_and_approximates)
{
    job j;
    start(&j, "f", arithmetic_text, HED_MATH_FAST);
    OK(compile(&j, "compute_75"));
    CHECK(in_ptx(&j, ".version") && in_ptx(&j, ".entry f("));
    CHECK(((const char *)j.binary.bytes)[j.binary.size - 1] == 0, "PTX ends with its zero");
    CHECK(in_ptx(&j, "fma.rn.ftz.f32") && in_ptx(&j, "div.full.ftz.f32") &&
              in_ptx(&j, "sqrt.approx.ftz.f32"),
        "%s", (char *)j.binary.bytes);
    end(&j);
}

Test(nvrtc, strict_mode_rounds_every_operation)
{
    job j;
    start(&j, "f", arithmetic_text, HED_MATH_STRICT);
    OK(compile(&j, "compute_75"));
    CHECK(!in_ptx(&j, "fma.") && !in_ptx(&j, ".ftz") && !in_ptx(&j, ".approx"), "%s",
        (char *)j.binary.bytes);
    CHECK(in_ptx(&j, "mul.f32") || in_ptx(&j, "mul.rn.f32"));
    CHECK(in_ptx(&j, "add.f32") || in_ptx(&j, "add.rn.f32"));
    CHECK(in_ptx(&j, "div.rn.f32") && in_ptx(&j, "sqrt.rn.f32"));
    end(&j);
}

/* NVRTC's own cache of cubins once gave the fast code to whoever asked for strict: see the option
 * --no-cache. */
Test(nvrtc, a_strict_cubin_does_not_depend_on_what_was_compiled_before)
{
    job before, fast, after;
    start(&before, "f", arithmetic_text, HED_MATH_STRICT);
    start(&fast, "f", arithmetic_text, HED_MATH_FAST);
    start(&after, "f", arithmetic_text, HED_MATH_STRICT);
    OK(compile(&before, "sm_80"));
    OK(compile(&fast, "sm_80"));
    OK(compile(&after, "sm_80"));
    CHECK(before.binary.size == after.binary.size &&
          memcmp(before.binary.bytes, after.binary.bytes, after.binary.size) == 0);
    CHECK(before.binary.size != fast.binary.size ||
          memcmp(before.binary.bytes, fast.binary.bytes, fast.binary.size) != 0);
    end(&before);
    end(&fast);
    end(&after);
}

Test(nvrtc, launch_bounds_reach_the_compiler)
{
    job j;
    start(&j, "f", arithmetic_text, HED_MATH_FAST);
    j.build.max_threads = 96;
    j.build.min_groups = 3;
    OK(compile(&j, "compute_75"));
    CHECK(in_ptx(&j, ".maxntid 96") && in_ptx(&j, ".minnctapersm 3"), "%s", (char *)j.binary.bytes);
    j.build.min_groups = 0;
    OK(compile(&j, "compute_75"));
    CHECK(in_ptx(&j, ".maxntid 96") && !in_ptx(&j, ".minnctapersm"));
    end(&j);
}

Test(nvrtc, the_options_are_the_same_text_for_every_version)
{
    job j;
    char strict[512], fast[512], few[16];
    start(&j, "f", arithmetic_text, HED_MATH_STRICT);
    OK(hed_nvrtc_options(&j.build, strict, sizeof strict));
    j.build.math = HED_MATH_FAST;
    j.build.max_threads = 64;
    OK(hed_nvrtc_options(&j.build, fast, sizeof fast));
    CHECK_TEXT(strict,
        "--std=c++17 --device-as-default-execution-space --fmad=false --ftz=false --prec-div=true --prec-sqrt=true -DHED_STRICT=1");
    CHECK(
        strstr(fast,
            "--fmad=true --ftz=true --prec-div=false --prec-sqrt=false -DHED_STRICT=0 -DHED_MAX_THREADS=64"),
        "%s", fast);
    CHECK_EQ(hed_nvrtc_options(&j.build, few, sizeof few), HED_ERROR_LIMIT);
    end(&j);
}

Test(nvrtc, a_target_is_chosen_for_every_device)
{
    job j;
    char target[HED_NVRTC_TARGET];
    start(&j, "f", arithmetic_text, HED_MATH_FAST);
    CHECK(hed_nvrtc_target(j.nvrtc, 80, target));
    CHECK_TEXT(target, "sm_80");
    CHECK(hed_nvrtc_target(j.nvrtc, 999, target), "a device newer than NVRTC");
    CHECK(strncmp(target, "compute_", 8) == 0 && atoi(target + 8) >= 80, "%s", target);
    OK(compile(&j, target));
    CHECK(in_ptx(&j, ".target"));
    CHECK(!hed_nvrtc_target(j.nvrtc, 10, target), "a device older than any NVRTC");
    end(&j);
}

/* ---- registers, stack, spills ---- */

static const char heavy_text[] =
    "__kernel void heavy(__global float *x, uint n)\n"
    "{\n"
    "    float a[64];\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    for (int k = 0; k < 64; k++) a[k] = x[i + (uint)k * n];\n"
    "    for (uint s = 0; s < n; s++)\n"
    "        for (int k = 0; k < 64; k++) a[k] = a[k] * a[(k + 7) & 63] + a[(k + 13) & 63];\n"
    "    for (int k = 0; k < 64; k++) x[i + (uint)k * n] = a[k];\n"
    "}\n"
    "__kernel void light(__global float *x) { x[0] = 1.0f; }\n"
    "__kernel void indexed(__global float *x, __global const int *at)\n"
    "{\n"
    "    float a[40];\n"
    "    for (int k = 0; k < 40; k++) a[k] = x[k];\n"
    "    for (int k = 0; k < 40; k++) a[at[k]] += 1.0f;\n"
    "    x[0] = a[at[0]];\n"
    "}\n";

Test(nvrtc, a_planted_spill_is_found)
{
    job j;
    start(&j, "heavy", heavy_text, HED_MATH_FAST);
    j.build.max_threads = 128;
    OK(compile(&j, "sm_80"));
    hed_kernel_resources r = resources_of(&j);
    CHECK(r.registers > 64 && r.registers <= 255 && r.spill_bytes == 0 && r.stack_bytes == 0, "%s",
        j.binary.log);
    j.build.max_registers = 32;
    OK(compile(&j, "sm_80"));
    r = resources_of(&j);
    CHECK(r.registers > 0 && r.registers <= 32 && r.spill_bytes > 0 && r.stack_bytes > 0, "%s",
        j.binary.log);
    j.build.entry = "light";
    r = resources_of(&j);
    CHECK(r.registers > 0 && r.registers < 32 && r.spill_bytes == 0 && r.stack_bytes == 0,
        "another kernel's spills: %s", j.binary.log);
    j.build.entry = "indexed";
    r = resources_of(&j);
    CHECK(r.spill_bytes == 0 && r.stack_bytes >= 160, "a stack frame without spills: %s",
        j.binary.log);
    end(&j);
}

/* A limit that would leave no room for a full group is lowered to one that does. */
Test(nvrtc, a_limit_on_registers_leaves_room_for_the_group)
{
    job j;
    start(&j, "heavy", heavy_text, HED_MATH_FAST);
    j.build.max_threads = 1024;
    j.build.max_registers = 200;
    OK(compile(&j, "sm_80"));
    CHECK(resources_of(&j).registers <= 64, "%s", j.binary.log);
    end(&j);
}

Test(nvrtc, the_report_is_read_as_each_version_writes_it)
{
    static const char log[] =
        "a.cl(3): warning #177-D: variable \"registers\" was declared but never referenced\n"
        "ptxas info    : 0 bytes gmem, 16 bytes cmem[3]\n"
        "ptxas info    : Compiling entry function 'ab' for 'sm_80'\n"
        "ptxas info    : Function properties for ab\n"
        "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
        "ptxas info    : Used 28 registers, 256 bytes smem, 380 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
        "ptxas info    : Function properties for helper\n"
        "    40 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n"
        "ptxas info    : Function properties for a\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers";
    hed_kernel_resources r = {.registers = -1, .spill_bytes = -1, .stack_bytes = -1};
    hed_nvrtc_read_log(log, "b", &r);
    CHECK(r.registers == -1 && r.spill_bytes == -1 && r.stack_bytes == -1,
        "a part of a name is no name");
    hed_nvrtc_read_log(log, "ab", &r);
    CHECK(r.registers == 28 && r.spill_bytes == 16 && r.stack_bytes == 8);
    hed_nvrtc_read_log(log, "a", &r);
    CHECK(r.registers == 255 && r.spill_bytes == 0 && r.stack_bytes == 0);
    hed_nvrtc_read_log(NULL, "a", &r);
    hed_nvrtc_read_log("", "a", &r);
    CHECK(r.registers == 255);
}

/* ---- messages ---- */

Test(nvrtc, an_error_names_the_users_file_and_line)
{
    job j;
    start(&j, "f", "/* a */\nfloat twice(float x) { return 2 * x; }\n", HED_MATH_FAST);
    j.sources[1] = (hed_source){"folder/second \"file\".cl",
        "\n\n__kernel void f(__global float *x) { x[0] = twice(x[1]) + missing; }\n", 0};
    j.build.source_count = 2;
    FAILS(HED_ERROR_BUILD, compile(&j, "sm_80"));
    CHECK(strstr(error.log, "second") && strstr(error.log, "(3): error") &&
              strstr(error.log, "missing"),
        "%s", error.log);
    CHECK(strstr(error.text, "sm_80") && strstr(error.text, "(3): error") &&
              strstr(error.text, "missing"),
        "%s", error.text);
    CHECK(!j.binary.bytes && !j.binary.log, "nothing is handed out on failure");
    j.sources[0].text = "__kernel void f(__global float *x)\n{\n    x[0] = clamp(x);\n}\n";
    j.build.source_count = 1;
    FAILS(HED_ERROR_BUILD, compile(&j, "sm_80"));
    CHECK(strstr(error.log, "user.cl(3): error"), "a word of the prelude used wrongly: %s",
        error.log);
    end(&j);
}

Test(nvrtc, defines_reach_the_text)
{
    hed_define defines[] = {
        {"WG", "64"}, {"STEP", "(x + 1.0f) * 2.0f"}, {"NAME", "scale"}, {"EMPTY", ""}};
    job j;
    start(&j, "scale",
        "#if WG != 64\n#error WG\n#endif\n__kernel void NAME(__global float *o EMPTY) { float x = o[0]; o[1] = STEP; }\n",
        HED_MATH_FAST);
    j.build.defines = defines;
    j.build.define_count = 4;
    OK(compile(&j, "compute_80"));
    CHECK(in_ptx(&j, ".entry scale("));
    defines[1].value = "x\n+ 1.0f";
    OK(compile(&j, "compute_80"));
    end(&j);
}

/* Headers of the host's compiler, alone and beside CUDA's own. */
Test(nvrtc, cuda_c_includes_what_nvcc_finds)
{
    static const char *const headers[] = {"stdint.h", "stdio.h", "assert.h", "math.h", "cstdint",
        "cmath", "cfloat", "climits", "string.h", "stdlib.h", "cuda.h", "cuda_runtime.h",
        "iostream", "cublas_v2.h", "cublasLt.h", "cudnn.h", "nccl.h", "omp.h",
        "cuda_profiler_api.h", "type_traits"};
    static const char *const toolkit[] = {
        "cuda/std/cstdint", "cuda/std/cmath", "cuda_fp16.h", "cub/cub.cuh", "cooperative_groups.h"};
    char text[4096] = "";
    job j;
    start(&j, "f", text, HED_MATH_FAST);
    j.def.language = j.build.language = HED_CUDA_C;
    for (size_t with = 0; with < 2; with++) {
        int used = 0;
        hed_nvrtc_find_headers(j.nvrtc, NULL);
        if (with && !hed_nvrtc_headers(j.nvrtc)[0]) break; /* no toolkit here */
        for (size_t i = 0; i < HED_COUNT(headers); i++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "#include <%s>\n", headers[i]);
        for (size_t i = 0; with && i < HED_COUNT(toolkit); i++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "#include <%s>\n", toolkit[i]);
        snprintf(text + used, sizeof text - (size_t)used,
            "extern \"C\" __global__ void f(float *x)\n"
            "{\n"
            "    uint32_t n = UINT_MAX;\n"
            "    int64_t m = (int64_t)n + INT32_MAX;\n%s"
            "    assert(n > 3);\n"
            "    printf(\"%%d\\n\", (int)threadIdx.x);\n"
            "    x[0] = sqrtf(FLT_MAX) + (float)M_PI + std::abs(x[1]) + (float)m + INFINITY;\n"
            "}\n",
            with ? "    __nv_bfloat16 b = x[2];\n"
                   "    m += std::is_same<__nv_bfloat16, float>::value + (int)(float)b;\n"
                 : "");
        OK(compile(&j, "sm_80"));
    }
    end(&j);
}

Test(nvrtc, cuda_c_comes_without_the_prelude)
{
    job j;
    start(&j, "f", "extern \"C\" __global__ void f(float *x) { x[threadIdx.x] = N; }\n",
        HED_MATH_FAST);
    hed_define define = {"N", "3"};
    j.def.language = j.build.language = HED_CUDA_C;
    j.build.defines = &define;
    j.build.define_count = 1;
    CHECK_TEXT(hed_nvrtc_prelude(&j.build), hed_standard_version);
    OK(compile(&j, "sm_80"));
    j.sources[0].text = "extern \"C\" __global__ void f(float *x) { x[get_global_id(0)] = N; }\n";
    FAILS(HED_ERROR_BUILD, compile(&j, "sm_80"));
    end(&j);
}

/* ---- what may go wrong ---- */

Test(nvrtc, a_library_that_is_not_there_is_explained)
{
    hed_allocator allocator = hed_default_allocator();
    hed_nvrtc *nvrtc;
    char reason[256] = "";
    CHECK_EQ(hed_nvrtc_open(&allocator, "/nowhere/libnvrtc.so", 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    CHECK(!nvrtc && strstr(reason, "/nowhere/libnvrtc.so"), "%s", reason);
    CHECK_EQ(hed_nvrtc_open(&allocator, "", 0, &nvrtc, reason, sizeof reason), HED_OK);
    CHECK(!nvrtc && reason[0]);
    CHECK_EQ(hed_nvrtc_open(&allocator, "libm.so.6", 0, &nvrtc, reason, sizeof reason), HED_OK);
    CHECK(!nvrtc && strstr(reason, "nvrtcVersion"), "%s", reason);
    hed_nvrtc_close(NULL);
}

/* Every allocation fails once: a status or a success, and nothing stays behind. */
Test(nvrtc, no_memory_is_a_status)
{
    test_allocator counter = {0};
    hed_allocator allocator = {&counter, test_allocate, test_release};
    hed_nvrtc_close(open_nvrtc(&allocator)); /* or skipped here */
    job j;
    start(&j, "f", arithmetic_text, HED_MATH_FAST);
    hed_define define = {"N", "3"};
    j.build.defines = &define;
    j.build.define_count = 1;
    bool done = false;
    for (int64_t n = 1; !done; n++) {
        hed_binary binary = {0};
        hed_nvrtc *nvrtc = NULL;
        char reason[256];
        counter.calls = 0;
        counter.fail_at = n;
        hed_status status = hed_nvrtc_open(
            &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason);
        hed_error_clear(&error);
        if (!status && nvrtc)
            status = hed_nvrtc_compile(nvrtc, "compute_80", &j.build, &binary, &error);
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY, "allocation %lld: %s", (long long)n,
            hed_status_name(status));
        done = counter.calls < n;
        CHECK(done ? !status && binary.bytes : status || !nvrtc,
            "allocation %lld failed and nobody noticed", (long long)n);
        hed_release(&allocator, binary.bytes, binary.size);
        hed_release(&allocator, binary.log, binary.log_size);
        hed_nvrtc_close(nvrtc);
        CHECK_EQ(counter.live, 0, "allocation %lld: %lld blocks stay", (long long)n,
            (long long)counter.live);
        if (done) CHECK_GT(n, 3);
    }
    end(&j);
}
