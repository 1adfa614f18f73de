/* Local memory of plain OpenCL C in the prelude's words: what is rewritten, letter for letter, what
 * stays as it is, and that NVRTC takes the result. That OpenCL still does: tune_examples_test.c. */
#include "folder.h"
#include "testing.h"

#include "backends/cuda/nvrtc.h"
#include "core/program.h"
#include "heddle/tune_file.h"

static hed_error error;
static const hed_device_info DEVICE = {.id = "cuda:0", .backend = "cuda", .max_group = 1024};

TestSuite(tune_local, .init = folder_make, .fini = folder_remove);

static hed_tune_file *load(const char *text)
{
    static const char file[] =
        "{\"kernel\": \"f\", \"source\": \"f.cl\", \"problem\": {\"n\": 64}, \"group\": [32], \"arguments\": ["
        "{\"name\": \"y\", \"type\": \"float\", \"access\": \"write\", \"size\": 64},"
        "{\"name\": \"a\", \"kind\": \"local\", \"type\": \"float\", \"size\": 32}]}";
    hed_tune_file *spec;
    write_file(in_folder("f.cl"), text, strlen(text));
    write_file(in_folder("f.json"), file, strlen(file));
    OK(hed_tune_file_open(in_folder("f.json"), &DEVICE, &spec, &error));
    return spec;
}

static void check(const char *text, const char *expected)
{
    hed_tune_file *spec = load(text);
    EXPECT_TEXT(hed_tune_file_kernel(spec)->sources[0].text, expected,
        "%s\nbecomes   %s\nand not   %s", text, hed_tune_file_kernel(spec)->sources[0].text,
        expected);
    hed_tune_file_close(spec);
}

Test(tune_local, parameters)
{
    check("__kernel void f(__global float *y, __local float *a) {\n y[0] = a[0];\n}\n",
        "__kernel void f(__global float *y, HED_LOCAL(float, a)) { HED_LOCAL_USE(float, a);\n y[0] = a[0];\n}\n");
    check(
        "kernel void f(local int * restrict a, int n, __local volatile const unsigned int *b)\n{ }",
        "__kernel void f(HED_LOCAL(int, a), int n, HED_LOCAL(unsigned int, b))\n{ HED_LOCAL_USE(int, a); "
        "HED_LOCAL_USE(unsigned int, b); }");
    check(
        "__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void f(__local struct pair /* two */ *a) {}",
        "__kernel HED_GROUP_OF(8, 4, 1) void f(HED_LOCAL(struct pair, a)) { "
        "HED_LOCAL_USE(struct pair, a);}");
    check("__kernel void g(__global int *x) {}\n__kernel void f(\n  __local float4 *a\n) {}",
        "__kernel void g(__global int *x) {}\n__kernel void f(\n  HED_LOCAL(float4, a\n)) { HED_LOCAL_USE(float4, "
        "a);}");
    check("__kernel void f(__local\nunsigned // of bits\nint *\na) {}",
        "__kernel void f(HED_LOCAL(unsigned int, a\n\n\n)) { HED_LOCAL_USE(unsigned int, a);}");
}

Test(tune_local, arrays)
{
    check("__kernel void f() { __local float a[64]; a[0] = 1; }",
        "__kernel void f() { HED_LOCAL_ARRAY(float, a, 64); a[0] = 1; }");
    check("__kernel void f() {\n  int i = 0;\n  __local float4 a[T + 1][(2 * W)];\n}",
        "__kernel void f() {\n  int i = 0;\n  HED_LOCAL_ARRAY(float4, a, T + 1][(2 * W));\n}");
    check("__kernel void f() { __local\n int a\n [3]\n [4]; }",
        "__kernel void f() { HED_LOCAL_ARRAY(int, a\n\n, 3]\n [4); }");
}

Test(tune_local, what_stays)
{
    static const char *const texts[] = {
        "/* __kernel void f(__local float *a) {} */ __kernel void f() {}",
        "// __local float a[3];\n__kernel void f() { /* { */ }",
        "#define A __local float a[3];\\\n __local float b[3];\n__kernel void f() {}",
        "__kernel void f(HED_LOCAL(float, a)) { HED_LOCAL_USE(float, a); HED_LOCAL_ARRAY(int, b, 3); }",
        "void helper(__local float *a) { __local float *b = a; locals = 3; locals[0] = 4; }",
        "__kernel void f() { __local float a[2], b[2]; __local float c; __local int d[2] = {1, 2}; }",
        "__kernel void f(__local float **a, __local LOCAL) { int localize = 1; g(\"__local float a[3];\", '{', '\\''); }",
        "__kernel void f(__local float *a",
        "__kernel",
        "__local",
        "/* no end",
        "\"no end",
        "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check(texts[i], texts[i]);
}

Test(tune_local, cuda_takes_it)
{
    static const char text[] = "__kernel void f(__global float *y, __local float *restrict a)\n"
                               "{\n"
                               "    __local float table[32][33];\n"
                               "    int i = get_local_id(0);\n"
                               "    a[i] = table[i][0] = i;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    y[get_global_id(0)] = a[31 - i] + table[31 - i][0];\n"
                               "}\n";
    hed_allocator allocator = hed_default_allocator();
    hed_tune_file *spec = load(text);
    const hed_kernel_def *def = hed_tune_file_kernel(spec);
    hed_nvrtc *nvrtc = NULL;
    hed_binary binary = {0};
    char reason[256];
    hed_build build = {.def = def, .entry = "f", .sources = def->sources, .source_count = 1};
    CHECK_EQ(hed_nvrtc_open(
                 &allocator, getenv("HEDDLE_NVRTC_LIBRARY"), 0, &nvrtc, reason, sizeof reason),
        HED_OK);
    if (!nvrtc) test_skip("no NVRTC on this machine: %s", reason);
    OK(hed_nvrtc_compile(nvrtc, "compute_90", &build, &binary, &error));
    CHECK(strstr(binary.bytes, ".shared") && !strstr(binary.bytes, ".local "),
        "both arrays lie in shared memory");
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_nvrtc_close(nvrtc);
    hed_tune_file_close(spec);
}
