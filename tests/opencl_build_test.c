/* ctest: drivers */
/* Building for OpenCL: defines, texts that do not fit their description, binaries, strict bits,
 * what is known of a kernel, and places in build logs. */
#include <math.h>

#include "core/program.h"
#include "opencl_testing.h"

Test(opencl_build, defines_may_hold_blanks_quotes_and_lines)
{
    static const char text[] =
        "__constant char words[] = WORDS;\n"
        "__kernel void defined(__global int *x, int add)\n"
        "{\n    x[get_global_id(0)] = (int)sizeof words + (words[3] == '\"') + SUM + add EMPTY;\n}\n";
    const hed_source source = {"a \"strange\\name\".cl", text, 0};
    const hed_define defines[] = {
        {"WORDS", "\"ab \\\"c\""}, {"SUM", "(1 +\n  20 * (2 + 3))"}, {"EMPTY", ""}};
    const hed_kernel_def defined = {.name = "defined", .sources = &source, .source_count = 1,
        .arguments = twice_arguments, .argument_count = 2, .defines = defines, .define_count = 3};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &defined);
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    launch_twice(t.stream, kernel, x, 1000);
    check_all(t.stream, x, 6 + 1 + 101 + 1000);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(x);
    close_test(&t);
}

/* The driver's program of a kernel of `twice` with one more define, which is destroyed at once. */
static void *program_of(const opencl_test *t, hed_buffer *x, int define)
{
    char value[16];
    snprintf(value, sizeof value, "%d", define);
    const hed_define defines[] = {{"NUMBER", value}};
    hed_kernel_def def = twice;
    def.defines = defines;
    def.define_count = 1;
    hed_kernel *kernel = make_kernel(t->device, &def);
    launch_twice(t->stream, kernel, x, define);
    void *program = kernel->active->program.impl;
    hed_kernel_destroy(kernel);
    return program;
}

Test(opencl_build, kernels_of_one_text_share_a_program)
{
    opencl_test t = open_test(NULL);
    if (!is_pocl(&t)) test_skip("drivers with binaries load a program for each kernel");
    hed_buffer *x = make_buffer(t.device, N * sizeof(int32_t));
    void *first = program_of(&t, x, 1), *again = program_of(&t, x, 1),
         *other = program_of(&t, x, 2);
    CHECK(first == again && first != other);
    hed_buffer_destroy(x);
    close_test(&t);
}

Test(opencl_build, a_text_that_is_not_the_description_is_refused)
{
    const hed_argument_def three[] = {twice_arguments[0], twice_arguments[1],
        {.name = "more", .kind = HED_SCALAR, .type = HED_INT32}};
    const hed_argument_def wide[] = {
        twice_arguments[0], {.name = "add", .kind = HED_SCALAR, .type = HED_DOUBLE}};
    opencl_test t = open_test(NULL);
    hed_kernel_def def = twice;
    hed_kernel *kernel;
    def.arguments = three;
    def.argument_count = 3;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(t.device, &def, NULL, &kernel, &error));
    def = twice;
    def.entry = "thrice";
    for (int i = 0; i < 2; i++) { /* the second time a cache could be in the way */
        FAILS(HED_ERROR_BUILD, hed_kernel_create(t.device, &def, NULL, &kernel, &error));
        CHECK(strstr(error.text, "thrice"));
    }
    def = twice;
    def.arguments = wide;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(t.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"add\""), "the error does not name the argument: %s", error.text);
    close_test(&t);
}

Test(opencl_build, a_binary_the_driver_refuses_is_a_matter_of_format)
{
    opencl_test t = open_test(NULL);
    const hed_backend *backend = t.device->backend;
    hed_config config = {0};
    hed_build_text text;
    hed_binary binary = {0}, bad = {0};
    OK(hed_build_text_make(&text, t.device, &twice, HED_MATH_FAST, &config, NULL, 0, 0, &error));
    OK(backend->build(&text.build, &binary, &error));
    hed_program program = {.device = t.device, .def = &twice, .config = config};
    OK(backend->program_load(&program, &text.build, &binary, &error));
    backend->program_unload(&program);
    bad.size = binary.size ? binary.size : 64;
    bad.bytes = malloc(bad.size);
    for (size_t i = 0; i < bad.size; i++)
        ((unsigned char *)bad.bytes)[i] = (unsigned char)(i * 37 + 11);
    FAILS(HED_ERROR_FORMAT, backend->program_load(&program, &text.build, &bad, &error));
    free(bad.bytes);
    hed_allocator allocator = hed_default_allocator();
    hed_release(&allocator, binary.bytes, binary.size);
    hed_release(&allocator, binary.log, binary.log_size);
    hed_build_text_free(&text);
    close_test(&t);
}

Test(opencl_build, strict_bits_are_those_of_c_compiled_now_and_from_a_binary)
{
    static const char text[] =
        "__kernel void bits(__global const float *in, __global float *out)\n"
        "{\n    uint i = (uint)get_global_id(0);\n    float a = in[i], b = in[i + 1], c = in[i + 2];\n"
        "    out[4 * i] = a * b + c;\n    out[4 * i + 1] = a / b;\n    out[4 * i + 2] = sqrt(a);\n    out[4 * i + 3] "
        "= a * b * 1e-30f * 1e-12f;\n}\n";
    static const hed_argument_def arguments[] = {
        {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT},
        {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE}};
    const hed_source source = {"bits.cl", text, 0};
    const hed_kernel_def bits = {.name = "bits", .sources = &source, .source_count = 1,
        .arguments = arguments, .argument_count = 2};
    enum { COUNT = 4096 };
    static float in[COUNT + 2], out[4 * COUNT];
    opencl_test t = open_test(NULL);
    hed_buffer *from = make_buffer(t.device, sizeof in), *to = make_buffer(t.device, sizeof out);
    const hed_argument given[] = {hed_buffer_argument(from), hed_buffer_argument(to)};
    const hed_geometry g = {.dimensions = 1, .global = {COUNT}, .group = {64}};
    uint32_t state = 1;
    for (int i = 0; i < COUNT + 2; i++) {
        state = state * 1664525u + 1013904223u;
        in[i] = (float)(state >> 8) * 0x1p-20f + 0.001f;
    }
    OK(hed_write(t.stream, from, 0, in, sizeof in, &error));
    for (int round = 0; round < 2; round++) {
        hed_kernel_options options = hed_default_kernel_options();
        hed_kernel_resources resources;
        hed_kernel *kernel;
        options.math = HED_MATH_STRICT;
        OK(hed_kernel_create(t.device, &bits, &options, &kernel, &error));
        OK(hed_kernel_measure_resources(kernel, &resources, &error));
        CHECK(round == 0 || resources.from_cache || !hed_context_describe(t.context).cache_dir[0]);
        OK(hed_launch_over(t.stream, kernel, &g, given, 2, &error));
        OK(hed_read(t.stream, out, to, 0, sizeof out, &error));
        OK(hed_stream_wait(t.stream, &error));
        hed_kernel_destroy(kernel);
        for (int i = 0; i < COUNT; i++) {
            const float a = in[i], b = in[i + 1], c = in[i + 2];
            const float want[4] = {a * b + c, a / b, sqrtf(a), a * b * 1e-30f * 1e-12f};
            CHECK(!memcmp(want, out + 4 * i, sizeof want),
                "item %d: %a %a %a %a instead of %a %a %a %a", i, (double)out[4 * i],
                (double)out[4 * i + 1], (double)out[4 * i + 2], (double)out[4 * i + 3],
                (double)want[0], (double)want[1], (double)want[2], (double)want[3]);
        }
    }
    hed_buffer_destroy(from);
    hed_buffer_destroy(to);
    close_test(&t);
}

Test(opencl_build, answers_that_are_known_to_be_false_are_unknown)
{
    static const char text[] =
        "__kernel void table(__global int *x, int add)\n"
        "{\n    HED_LOCAL_ARRAY(int, shared, 300);\n    uint l = (uint)get_local_id(0);\n    shared[l] = x[l];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    x[l] = shared[299u - l] + add;\n}\n";
    const hed_source source = {"table.cl", text, 0};
    const hed_kernel_def table = {.name = "table", .sources = &source, .source_count = 1,
        .arguments = twice_arguments, .argument_count = 2};
    opencl_test t = open_test(NULL);
    hed_kernel *kernel = make_kernel(t.device, &table);
    hed_kernel_resources r;
    int64_t groups = 0;
    OK(hed_kernel_measure_resources(kernel, &r, &error));
    CHECK(r.local_bytes == -1 || r.local_bytes >= 1200, "%lld bytes of local memory",
        (long long)r.local_bytes);
    if (is_pocl(&t))
        CHECK(
            r.registers == -1 && r.stack_bytes == -1 && r.spill_bytes == -1 && r.lane_width == -1);
    CHECK_GT(r.max_group, 0);
    OK(hed_kernel_resident_groups(kernel, 64, 0, &groups, &error));
    CHECK_EQ(groups, -1);
    hed_kernel_destroy(kernel);
    close_test(&t);
}

/* ---- build logs that count the whole text's lines, as NVIDIA's do ---- */

Test(opencl_build, places_of_the_whole_text_become_the_users_own)
{
    static const char text[] =
        "#define A 1\n\n#line 1 \"heddle.clh\"\nx\n\n#line 1 \"second.cl\"\n\n__kernel\n{\n wrong;\n}\n";
    hed_allocator allocator = hed_default_allocator();
    hed_text placed = {.allocator = &allocator};
    hed_opencl_place_log(
        text, "<kernel>:", "<kernel>:10:5: error: wrong\n ^\n<kernel>:4:1: <kernel>:x", &placed);
    CHECK_TEXT(placed.bytes, "second.cl:4:5: error: wrong\n ^\nheddle.clh:1:1: <kernel>:x");
    hed_text_free(&placed);
}
