/* ctest: devices drivers shaders */
/* The runtime through its public face, the same on every device: buffers, copies, events, graphs,
 * launches with every kind of argument, and what each mistake of a caller is answered with. */
#include "fixture.h"

TestSuite(runtime, .init = here_open, .fini = here_close);

static hed_error error;

/* ---- a kernel with every kind of argument: out[i] = a * in[i] + shift.x * i + shift.y + sum of
 * the group's local copy of in ---- */

typedef struct shift {
    float x, y;
    int32_t extra[2];
} shift;

static const char mix_text[] =
    "typedef struct { float x, y; int extra[2]; } shift;\n"
    "__kernel void mixture(__global float *restrict out, __global const float *restrict "
    "in, float a, uint n, shift s,\n"
    "                  HED_LOCAL(float, first), HED_LOCAL(float, second))\n"
    "{\n"
    "    HED_LOCAL_USE(float, first);\n"
    "    HED_LOCAL_USE(float, second);\n"
    "    uint i = (uint)get_global_id(0), l = (uint)get_local_id(0);\n"
    "    first[l] = i < n ? in[i] : 0.0f;\n"
    "    second[l] = (float)s.extra[1];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint o = l ^ 1u;\n"
    "    if (i < n) out[i] = a * in[i] + s.x * (float)i + s.y + (i / 2u * 2u + 1u < n ? "
    "first[o] : 0.0f) + second[o] + OFFSET;\n"
    "}\n";

static const char mix_glsl[] =
    "#version 450\n"
    "layout(local_size_x_id = 5) in;\n"
    "layout(constant_id = 5) const uint WG = 32;\n"
    "struct shift { float x, y; int extra[2]; };\n"
    "layout(std430, binding = 3) writeonly buffer Out { float values[]; } result;\n"
    "layout(std430, binding = 4) readonly buffer In { float values[]; } source;\n"
    "layout(push_constant) uniform Values { float a; uint n; layout(offset = 8) shift s; };\n"
    "shared float first[WG], second[WG];\n"
    "void main()\n"
    "{\n"
    "    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;\n"
    "    first[l] = i < n ? source.values[i] : 0.0;\n"
    "    second[l] = float(s.extra[1]);\n"
    "    barrier();\n"
    "    uint o = l ^ 1u;\n"
    "    if (i < n) result.values[i] = a * source.values[i] + s.x * float(i) + s.y +\n"
    "        (i / 2u * 2u + 1u < n ? first[o] : 0.0) + second[o] + OFFSET;\n"
    "}\n";

static void mix_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *out = call->arguments[0];
    const float *in = call->arguments[1], a = *(const float *)call->arguments[2];
    uint32_t n = *(const uint32_t *)call->arguments[3];
    const shift *s = call->arguments[4];
    for (uint64_t i = begin; i < end; i++) {
        float other = i / 2 * 2 + 1 < n ? in[i ^ 1] : 0.0f;
        out[i] = a * in[i] + s->x * (float)i + s->y + other + (float)s->extra[1] + 0.5f;
    }
}

static void mix_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *g)
{
    uint32_t group = (uint32_t)hed_config_get(def, config, "WG");
    g->dimensions = 1;
    g->global[0] = (uint64_t)problem->sizes[0];
    g->group[0] = group;
    g->local_bytes[5] = g->local_bytes[6] = group * sizeof(float);
    g->native_items = (uint64_t)problem->sizes[0];
}

static const hed_source mix_source = {"mix.cl", mix_text, 0},
                        mix_shader = {"mix.comp", mix_glsl, 0};
static const hed_kernel_text mix_texts[] = {{HED_GLSL, NULL, &mix_shader, 1}};
static const hed_argument_def mix_arguments[] = {
    {.name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "in", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "a", .kind = HED_SCALAR, .type = HED_FLOAT},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "s", .kind = HED_STRUCT, .size = sizeof(shift)},
    {.name = "first", .kind = HED_LOCAL, .type = HED_FLOAT},
    {.name = "second", .kind = HED_LOCAL, .type = HED_FLOAT},
};
static const int64_t group_sizes[] = {16, 64, 128};
static const hed_parameter_def mix_parameters[] = {
    {.name = "WG", .values = group_sizes, .count = 3, .value = 64}};
static const hed_define mix_defines[] = {{"OFFSET", "0.5f"}};
static const char *const mix_dimensions[] = {"n"};
static const hed_kernel_def mix = {
    .name = "mixture",
    .sources = &mix_source,
    .source_count = 1,
    .texts = mix_texts,
    .text_count = 1,
    .arguments = mix_arguments,
    .argument_count = 7,
    .parameters = mix_parameters,
    .parameter_count = 1,
    .defines = mix_defines,
    .define_count = 1,
    .dimensions = mix_dimensions,
    .dimension_count = 1,
    .max_threads = "WG",
    .geometry = mix_geometry,
    .range = mix_range,
};

enum { N = 1001 };
static float in[N], out[N];
static const shift moved = {0.25f, -3.0f, {7, 9}};

static void fill_input(void)
{
    for (int i = 0; i < N; i++) {
        in[i] = (float)((i * 37) % 101) * 0.125f - 3.0f;
        out[i] = -1e30f;
    }
}

static float expected(int i, float a)
{
    float other = i / 2 * 2 + 1 < N ? in[i ^ 1] : 0.0f;
    return a * in[i] + moved.x * (float)i + moved.y + other + 9.0f + 0.5f;
}

static hed_buffer *make_buffer(hed_device *device, uint64_t size)
{
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(size);
    OK(hed_buffer_create(device, &def, &buffer, &error));
    return buffer;
}

typedef struct mix_run {
    hed_kernel *kernel;
    hed_buffer *out, *in;
    hed_problem problem;
} mix_run;

static void arguments_of(const mix_run *m, float a, hed_argument arguments[7])
{
    arguments[0] = hed_buffer_argument(m->out);
    arguments[1] = hed_buffer_argument(m->in);
    arguments[2] = hed_float_argument(a);
    arguments[3] = hed_uint_argument(N);
    arguments[4] = hed_struct_argument(&moved, sizeof moved);
    arguments[5] = hed_local_argument();
    arguments[6] = hed_local_argument();
}

static mix_run open_mix(const hed_kernel_options *options)
{
    mix_run m = {.problem = hed_problem_1d(N)};
    fill_input();
    OK(hed_kernel_create(here.device, &mix, options, &m.kernel, &error));
    m.out = make_buffer(here.device, sizeof out);
    m.in = make_buffer(here.device, sizeof in);
    OK(hed_write(here.stream, m.in, 0, in, sizeof in, &error));
    OK(hed_write(here.stream, m.out, 0, out, sizeof out, &error));
    return m;
}

static void close_mix(mix_run *m)
{
    hed_kernel_destroy(m->kernel);
    hed_buffer_destroy(m->out);
    hed_buffer_destroy(m->in);
}

static void check_result(mix_run *m, float a)
{
    memset(out, 0, sizeof out);
    OK(hed_read(here.stream, out, m->out, 0, sizeof out, &error));
    OK(hed_stream_wait(here.stream, &error));
    for (int i = 0; i < N; i++) {
        float want = expected(i, a);
        CHECK_NEAR(
            out[i], want, 1e-4f, "out[%d] is %g instead of %g", i, (double)out[i], (double)want);
    }
}

/* ---- launches ---- */

Test(runtime, every_kind_of_argument_in_every_configuration)
{
    for (int k = 0; k < 3; k++) {
        hed_config config = {1, {group_sizes[k]}};
        hed_kernel_options options = hed_default_kernel_options();
        hed_argument arguments[7];
        hed_config_origin configured;
        options.config = &config;
        mix_run m = open_mix(&options);
        arguments_of(&m, 2.0f, arguments);
        OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
        check_result(&m, 2.0f);
        CHECK_EQ(hed_kernel_config(m.kernel, &configured).values[0], group_sizes[k]);
        CHECK_EQ(configured, HED_ORIGIN_GIVEN);
        close_mix(&m);
    }
}

Test(runtime, a_launch_says_how_it_was_configured)
{
    hed_config_origin configured;
    mix_run m = open_mix(NULL);
    CHECK_EQ(hed_kernel_config(m.kernel, &configured).values[0], 64);
    CHECK_EQ(configured, HED_ORIGIN_DEFAULT);
    CHECK_TEXT(hed_config_origin_name(configured), "default");
    close_mix(&m);
}

Test(runtime, wrong_arguments_are_refused_before_the_driver)
{
    mix_run m = open_mix(NULL);
    hed_argument good[7], bad[7];
    arguments_of(&m, 1.0f, good);
    FAILS(HED_ERROR_ARGUMENT, hed_launch(here.stream, m.kernel, &m.problem, good, 6, &error));
    const hed_argument wrong[] = {hed_float_argument(1), hed_buffer_argument(NULL),
        hed_double_argument(1), hed_int_argument(1), hed_struct_argument(&moved, 4),
        hed_buffer_argument(m.in), hed_uint_argument(1)};
    for (int i = 0; i < 7; i++) {
        memcpy(bad, good, sizeof bad);
        bad[i] = wrong[i];
        FAILS(HED_ERROR_ARGUMENT, hed_launch(here.stream, m.kernel, &m.problem, bad, 7, &error));
        CHECK(strstr(error.text, mix_arguments[i].name), "the error does not name argument %s: %s",
            mix_arguments[i].name, error.text);
    }
    hed_problem zero = hed_problem_1d(0), flat = hed_problem_2d(4, 4);
    FAILS(HED_ERROR_ARGUMENT, hed_launch(here.stream, m.kernel, &zero, good, 7, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_launch(here.stream, m.kernel, &flat, good, 7, &error));
    close_mix(&m);
}

Test(runtime, shapes_over_a_limit_are_refused_before_the_driver)
{
    mix_run m = open_mix(NULL);
    const hed_device_info info = hed_device_describe(here.device);
    hed_argument arguments[7];
    arguments_of(&m, 1.0f, arguments);
    hed_geometry g = {.dimensions = 1, .global = {N}, .group = {64}};
    g.local_bytes[5] = g.local_bytes[6] = 64 * sizeof(float);
    hed_geometry bad = g;
    bad.group[0] = info.max_group * 2;
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad = g;
    bad.group[0] = 65; /* over the launch bound WG = 64 */
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad = g;
    bad.local_bytes[5] = info.local_bytes + 1;
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad.local_bytes[5] = UINT64_MAX - 8;
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad.local_bytes[5] = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad = g;
    bad.global[0] = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad = g;
    bad.dimensions = 4;
    FAILS(HED_ERROR_ARGUMENT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    bad = g;
    bad.global[0] = UINT64_MAX;
    FAILS(HED_ERROR_LIMIT, hed_launch_over(here.stream, m.kernel, &bad, arguments, 7, &error));
    /* and the device still works */
    OK(hed_launch_over(here.stream, m.kernel, &g, arguments, 7, &error));
    check_result(&m, 1.0f);
    close_mix(&m);
}

/* A kernel that shows the shape it runs in. */
static void shape_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    uint32_t *seen = call->arguments[0];
    const hed_geometry *g = call->geometry;
    uint32_t w = *(const uint32_t *)call->arguments[1], h = *(const uint32_t *)call->arguments[2],
             d = *(const uint32_t *)call->arguments[3];
    for (uint64_t i = begin; i < end; i++) {
        uint64_t x = i % w, y = i / w % h, z = i / w / h;
        if (z < d) seen[i] = (uint32_t)(x + 1000 * y + 1000000 * z + (g->dimensions > 3));
    }
}

Test(runtime, one_to_three_dimensions_of_any_size_with_a_chosen_group)
{
    static const char text[] =
        "__kernel void shape(__global uint *seen, uint w, uint h, uint d)\n"
        "{\n"
        "    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), z = (uint)get_global_id(2);\n"
        "    if (x < w && y < h && z < d) seen[(z * h + y) * w + x] = x + 1000u * y + 1000000u * z;\n"
        "}\n";
    static const char glsl[] =
        "layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;\n"
        "layout(binding = 0) buffer Seen { uint seen[]; };\n"
        "layout(push_constant) uniform Size { uint w, h, d; };\n"
        "void main()\n"
        "{\n"
        "    uvec3 at = gl_GlobalInvocationID;\n"
        "    if (at.x < w && at.y < h && at.z < d)\n"
        "        seen[(at.z * h + at.y) * w + at.x] = at.x + 1000u * at.y + 1000000u * at.z;\n"
        "}\n";
    const hed_source source = {"shape.cl", text, 0}, shader = {"shape.comp", glsl, 0};
    const hed_kernel_text other = {HED_GLSL, NULL, &shader, 1};
    const hed_argument_def shape_arguments[] = {
        {.name = "seen", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE},
        {.name = "w", .kind = HED_SCALAR, .type = HED_UINT32},
        {.name = "h", .kind = HED_SCALAR, .type = HED_UINT32},
        {.name = "d", .kind = HED_SCALAR, .type = HED_UINT32}};
    const hed_kernel_def shape = {.name = "shape",
        .sources = &source,
        .source_count = 1,
        .texts = &other,
        .text_count = 1,
        .arguments = shape_arguments,
        .argument_count = 4,
        .range = shape_range};
    static const uint32_t sizes[][3] = {
        {1, 1, 1}, {777, 1, 1}, {31, 17, 1}, {7, 5, 11}, {1, 300, 1}, {2, 3, 200}};
    enum { MOST = 1200 };
    uint32_t seen[MOST];
    hed_kernel *kernel;
    hed_buffer *buffer = make_buffer(here.device, sizeof seen);
    OK(hed_kernel_create(here.device, &shape, NULL, &kernel, &error));
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint32_t w = sizes[k][0], h = sizes[k][1], d = sizes[k][2];
        hed_geometry g = {.dimensions = d > 1   ? 3
                                        : h > 1 ? 2
                                                : 1,
            .global = {w, h, d},
            .native_items = (uint64_t)w * h * d};
        const hed_argument arguments[] = {hed_buffer_argument(buffer), hed_uint_argument(w),
            hed_uint_argument(h), hed_uint_argument(d)};
        OK(hed_launch_over(here.stream, kernel, &g, arguments, 4, &error));
        OK(hed_read(here.stream, seen, buffer, 0, sizeof(uint32_t) * w * h * d, &error));
        OK(hed_stream_wait(here.stream, &error));
        for (uint32_t i = 0; i < w * h * d; i++)
            CHECK_EQ(seen[i], i % w + 1000 * (i / w % h) + 1000000 * (i / w / h),
                "element %u of %u x %u x %u", i, w, h, d);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffer);
}

/* ---- building ---- */

Test(runtime, a_build_error_has_the_users_line_numbers)
{
    static const char first[] = "float helper(float x);\nfloat helper(float x) { return x; }\n";
    static const char second[] =
        "\n__kernel void broken(__global float *out)\n{\n    out[0] = no_such_thing;\n}\n";
    static const char first_glsl[] =
        "/* a shader */\n#version 450\nfloat helper(float x) { return x; }\n";
    static const char second_glsl[] =
        "layout(local_size_x = 1) in;\nvoid main()\n{\n    float x = no_such_thing;\n}\n";
    const hed_source sources[] = {{"first.cl", first, 0}, {"second.cl", second, 0}};
    const hed_source shaders[] = {{"first.comp", first_glsl, 0}, {"second.comp", second_glsl, 0}};
    const hed_kernel_text other = {HED_GLSL, NULL, shaders, 2};
    const hed_argument_def argument = {
        .name = "out", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE};
    const hed_kernel_def broken = {.name = "broken",
        .sources = sources,
        .source_count = 2,
        .texts = &other,
        .text_count = 1,
        .arguments = &argument,
        .argument_count = 1};
    hed_kernel *kernel;
    if (!(hed_device_describe(here.device).capabilities & HED_CAN_SOURCE)) {
        FAILS(
            HED_ERROR_UNSUPPORTED, hed_kernel_create(here.device, &broken, NULL, &kernel, &error));
        CHECK(strstr(error.text, "native"), "the error does not say why: %s", error.text);
    } else {
        FAILS(HED_ERROR_BUILD, hed_kernel_create(here.device, &broken, NULL, &kernel, &error));
        CHECK(strstr(error.log, "second.c"), "the log does not name the file: %s", error.log);
        CHECK(strstr(error.log, ":4:") || strstr(error.log, "(4)"),
            "the log does not name line 4: %s", error.log);
        CHECK(
            strstr(error.log, "no_such_thing"), "the log does not name the mistake: %s", error.log);
    }
    CHECK_NULL(kernel);
}

Test(runtime, a_kernel_is_rebuilt_and_swapped_in_the_background)
{
    hed_config config = {1, {16}};
    hed_kernel_options options = hed_default_kernel_options();
    hed_argument arguments[7];
    mix_run m = open_mix(NULL);
    arguments_of(&m, 3.0f, arguments);
    options.config = &config;
    options.background = true;
    OK(hed_kernel_reconfigure(m.kernel, &options, &error));
    hed_status status;
    int launches = 0;
    do {
        OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
        OK(hed_stream_wait(here.stream, &error));
        launches++;
        status = hed_kernel_ready(m.kernel, &error);
    } while (status == HED_ERROR_NOT_READY);
    OK(status);
    CHECK_EQ(hed_kernel_config(m.kernel, NULL).values[0], 16);
    OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
    check_result(&m, 3.0f);
    config.values[0] = 17;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_reconfigure(m.kernel, &options, &error));
    CHECK_EQ(
        hed_kernel_config(m.kernel, NULL).values[0], 16, "a failed wish changed the configuration");
    close_mix(&m);
}

Test(runtime, resources_are_true_or_unknown)
{
    mix_run m = open_mix(NULL);
    hed_kernel_resources r;
    int64_t groups;
    OK(hed_kernel_measure_resources(m.kernel, &r, &error));
    CHECK(r.registers == -1 || r.registers > 0);
    CHECK(r.max_group == -1 || r.max_group >= 64);
    CHECK(r.spill_bytes == -1 || r.spill_bytes == 0);
    OK(hed_kernel_resident_groups(m.kernel, 64, 512, &groups, &error));
    CHECK(groups == -1 || groups > 0);
    FAILS(HED_ERROR_LIMIT, hed_kernel_resident_groups(m.kernel, 0, 0, &groups, &error));
    close_mix(&m);
}

/* ---- buffers and copies ---- */

static void check_memory(hed_memory memory)
{
    enum { SIZE = 4096 };
    unsigned char bytes[SIZE], back[SIZE];
    void *own = aligned_alloc(4096, SIZE);
    hed_buffer *buffer, *device = make_buffer(here.device, SIZE);
    hed_buffer_def def = {.memory = memory, .size = SIZE, .host = own};
    for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * 7 + 3);
    hed_status status = hed_buffer_create(here.device, &def, &buffer, &error);
    if (status != HED_ERROR_UNSUPPORTED) {
        OK(status);
        if (memory == HED_MEMORY_PINNED || memory == HED_MEMORY_MAPPED)
            CHECK_NOT_NULL(hed_buffer_describe(buffer).host);
        OK(hed_write(here.stream, buffer, 0, bytes, SIZE, &error));
        OK(hed_copy(here.stream, device, 64, buffer, 0, SIZE - 64, &error));
        OK(hed_copy(here.stream, buffer, 1, device, 64, 100, &error));
        OK(hed_read(here.stream, back, buffer, 0, SIZE, &error));
        OK(hed_stream_wait(here.stream, &error));
        memmove(bytes + 1, bytes, 100);
        CHECK_BYTES(back, bytes, SIZE);
        hed_buffer_destroy(buffer);
    }
    hed_buffer_destroy(device);
    free(own);
}

Test(runtime, every_kind_of_memory_copies)
{
    check_memory(HED_MEMORY_DEVICE);
    check_memory(HED_MEMORY_PINNED);
    check_memory(HED_MEMORY_MAPPED);
    check_memory(HED_MEMORY_CALLER);
}

Test(runtime, ranges_outside_a_buffer_are_refused)
{
    hed_buffer *buffer = make_buffer(here.device, 100), *other = make_buffer(here.device, 100),
               *part;
    char bytes[200] = {0};
    void *pointer;
    FAILS(HED_ERROR_BOUNDS, hed_write(here.stream, buffer, 1, bytes, 100, &error));
    FAILS(HED_ERROR_BOUNDS, hed_read(here.stream, bytes, buffer, 101, 0, &error));
    FAILS(HED_ERROR_BOUNDS, hed_read(here.stream, bytes, buffer, UINT64_MAX, 2, &error));
    FAILS(HED_ERROR_BOUNDS, hed_copy(here.stream, buffer, 50, other, 0, 51, &error));
    FAILS(HED_ERROR_BOUNDS, hed_copy(here.stream, buffer, 10, buffer, 0, 50, &error));
    FAILS(HED_ERROR_BOUNDS, hed_map(here.stream, buffer, 0, 0, &pointer, &error));
    FAILS(HED_ERROR_BOUNDS, hed_fill(here.stream, buffer, 96, 8, "\0\0\0\0", 4, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(here.stream, buffer, 2, 8, "\0\0\0\0", 4, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_fill(here.stream, buffer, 0, 9, "\0\0\0", 3, &error));
    FAILS(HED_ERROR_BOUNDS, hed_buffer_create_sub(buffer, 0, 101, &part, &error));
    hed_buffer_destroy(buffer);
    hed_buffer_destroy(other);
}

Test(runtime, fills_with_every_pattern)
{
    hed_buffer *buffer = make_buffer(here.device, 4096);
    unsigned char pattern[16], back[4096];
    for (int i = 0; i < 16; i++) pattern[i] = (unsigned char)(0x11 * i + 1);
    for (uint32_t size = 1; size <= 16; size *= 2) {
        OK(hed_fill(here.stream, buffer, 0, 4096, "\xEE", 1, &error));
        OK(hed_fill(here.stream, buffer, 64, 2048, pattern, size, &error));
        OK(hed_read(here.stream, back, buffer, 0, sizeof back, &error));
        OK(hed_stream_wait(here.stream, &error));
        for (int i = 0; i < 4096; i++)
            CHECK_EQ(back[i], i >= 64 && i < 2112 ? pattern[(uint32_t)(i - 64) % size] : 0xEE,
                "byte %d with a pattern of %u", i, size);
    }
    hed_buffer_destroy(buffer);
}

Test(runtime, map_shows_and_changes_a_buffer)
{
    hed_buffer *buffer = make_buffer(here.device, 1024);
    unsigned char back[1024];
    void *pointer;
    OK(hed_fill(here.stream, buffer, 0, 1024, "\x42", 1, &error));
    OK(hed_map(here.stream, buffer, 256, 512, &pointer, &error));
    for (int i = 0; i < 512; i++) CHECK_EQ(((unsigned char *)pointer)[i], 0x42);
    memset(pointer, 0x17, 512);
    OK(hed_unmap(here.stream, buffer, pointer, &error));
    OK(hed_read(here.stream, back, buffer, 0, 1024, &error));
    OK(hed_stream_wait(here.stream, &error));
    for (int i = 0; i < 1024; i++)
        CHECK_EQ(back[i], i >= 256 && i < 768 ? 0x17 : 0x42, "byte %d", i);
    FAILS(HED_ERROR_ARGUMENT, hed_unmap(here.stream, buffer, back, &error));
    hed_buffer_destroy(buffer);
}

Test(runtime, a_part_is_a_window_on_its_whole)
{
    mix_run m = open_mix(NULL);
    uint32_t alignment = hed_device_describe(here.device).buffer_alignment;
    hed_buffer *whole = make_buffer(here.device, alignment * 4 + sizeof out), *part, *nested;
    hed_argument arguments[7];
    OK(hed_buffer_create_sub(whole, alignment * 4, sizeof out, &part, &error));
    arguments_of(&m, 1.5f, arguments);
    arguments[0] = hed_buffer_argument(part);
    OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
    OK(hed_copy(here.stream, m.out, 0, whole, alignment * 4, sizeof out, &error));
    check_result(&m, 1.5f);
    FAILS(HED_ERROR_BOUNDS, hed_copy(here.stream, part, 0, whole, alignment * 4, 64, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_create_sub(part, 0, 4, &nested, &error));
    if (alignment > 1)
        FAILS(HED_ERROR_ARGUMENT, hed_buffer_create_sub(whole, 1, 4, &nested, &error));
    hed_buffer_destroy(part);
    hed_buffer_destroy(whole);
    close_mix(&m);
}

Test(runtime, out_of_memory_names_what_was_asked)
{
    hed_buffer *buffer = NULL;
    hed_buffer_def def = hed_default_buffer_def((uint64_t)1 << 60);
    error = (hed_error){0};
    hed_status status = hed_buffer_create(here.device, &def, &buffer, &error);
    CHECK(status == HED_ERROR_DEVICE_MEMORY || status == HED_ERROR_LIMIT, "%s",
        hed_status_name(status));
    CHECK(strstr(error.text, "1152921504606846976"), "the text does not name the size: %s",
        error.text);
    CHECK_NULL(buffer);
    def.size = 0;
    FAILS(HED_ERROR_ARGUMENT, hed_buffer_create(here.device, &def, &buffer, &error));
}

/* ---- events, calls, times ---- */

static void count_up(void *user) { ++*(_Atomic int *)user; }

Test(runtime, events_order_streams_and_calls_run_in_turn)
{
    mix_run m = open_mix(NULL);
    hed_stream *second;
    hed_event *event, *end;
    hed_argument arguments[7];
    _Atomic int calls = 0;
    double seconds = -1;
    OK(hed_stream_create(here.device, NULL, &second, &error));
    OK(hed_event_create(here.device, true, &event, &error));
    OK(hed_event_create(here.device, true, &end, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_stream_wait_event(second, event, &error));
    arguments_of(&m, 4.0f, arguments);
    OK(hed_call(here.stream, count_up, &calls, &error));
    OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
    OK(hed_call(here.stream, count_up, &calls, &error));
    OK(hed_event_record(event, here.stream, &error));
    OK(hed_stream_wait_event(second, event, &error));
    OK(hed_read(second, out, m.out, 0, sizeof out, &error));
    OK(hed_call(second, count_up, &calls, &error));
    OK(hed_event_record(end, second, &error));
    OK(hed_stream_wait(second, &error));
    CHECK_EQ(calls, 3);
    for (int i = 0; i < N; i++) CHECK_NEAR(out[i], expected(i, 4.0f), 1e-4f);
    OK(hed_event_wait(event, 1000000000, &error));
    OK(hed_event_wait(end, UINT64_MAX, &error));
    OK(hed_event_elapsed(event, end, &seconds, &error));
    hed_event *plain;
    OK(hed_event_create(here.device, false, &plain, &error));
    OK(hed_event_record(plain, here.stream, &error));
    OK(hed_event_wait(plain, UINT64_MAX, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_event_elapsed(event, plain, &seconds, &error));
    hed_event_destroy(plain);
    CHECK(seconds >= 0 && seconds < 100, "%g s between two events", seconds);
    OK(hed_stream_wait_for(here.stream, 1000000000, &error));
    hed_event_destroy(event);
    hed_event_destroy(end);
    hed_stream_destroy(second);
    close_mix(&m);
}

Test(runtime, a_timed_stream_keeps_the_last_steps)
{
    mix_run m = open_mix(NULL);
    hed_stream_def def = hed_default_stream_def();
    hed_stream *timed;
    hed_step_time times[8];
    hed_argument arguments[7];
    uint32_t count;
    FAILS(HED_ERROR_ARGUMENT, hed_stream_read_times(here.stream, times, 8, &count, &error));
    OK(hed_stream_wait(here.stream, &error));
    def.timed_steps = 3;
    OK(hed_stream_create(here.device, &def, &timed, &error));
    arguments_of(&m, 1.0f, arguments);
    for (int i = 0; i < 3; i++) OK(hed_fill(timed, m.out, 0, 4, "\0", 1, &error));
    OK(hed_write(timed, m.in, 0, in, sizeof in, &error));
    OK(hed_launch(timed, m.kernel, &m.problem, arguments, 7, &error));
    OK(hed_read(timed, out, m.out, 0, sizeof out, &error));
    OK(hed_stream_read_times(timed, times, 8, &count, &error));
    CHECK_EQ(count, 3);
    CHECK_EQ(times[0].kind, HED_STEP_WRITE);
    CHECK_EQ(times[1].kind, HED_STEP_LAUNCH);
    CHECK_TEXT(times[1].name, "mixture");
    CHECK_EQ(times[2].kind, HED_STEP_READ);
    for (int i = 0; i < 3; i++)
        CHECK(times[i].seconds >= 0 && times[i].seconds < 10, "step %d took %g s", i,
            times[i].seconds);
    OK(hed_stream_read_times(timed, times, 8, &count, &error));
    CHECK_EQ(count, 0);
    hed_stream_destroy(timed);
    close_mix(&m);
}

/* ---- graphs ---- */

Test(runtime, a_graph_replays_and_takes_new_arguments)
{
    mix_run m = open_mix(NULL);
    hed_graph *graph, *none;
    hed_argument arguments[7];
    _Atomic int calls = 0;
    hed_buffer *third = make_buffer(here.device, sizeof out);
    arguments_of(&m, 2.0f, arguments);
    shift temporary = moved; /* a struct must live until the launch returns, no longer */
    arguments[4] = hed_struct_argument(&temporary, sizeof temporary);
    arguments[0] = hed_buffer_argument(third);
    OK(hed_graph_begin(here.stream, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_graph_begin(here.stream, &error));
    OK(hed_write(here.stream, m.in, 0, in, sizeof in, &error));
    OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
    OK(hed_call(here.stream, count_up, &calls, &error));
    OK(hed_copy(here.stream, m.out, 0, third, 0, sizeof out, &error));
    OK(hed_fill(here.stream, third, 0, sizeof out, "\xff", 1, &error));
    OK(hed_graph_end(here.stream, &graph, &error));
    memset(&temporary, 0, sizeof temporary);
    CHECK_EQ(hed_graph_step_count(graph), 5);
    CHECK_EQ(calls, 0, "a recorded step ran");
    for (int k = 0; k < 3; k++) {
        OK(hed_graph_replay(graph, here.stream, &error));
        check_result(&m, 2.0f);
    }
    CHECK_EQ(calls, 3);
    arguments[4] = hed_struct_argument(&moved, sizeof moved);
    arguments[2] = hed_float_argument(-1.0f);
    OK(hed_graph_update(graph, 1, arguments, 7, &error));
    in[0] = 12.0f; /* the recorded write reads the caller's memory anew */
    OK(hed_graph_replay(graph, here.stream, &error));
    check_result(&m, -1.0f);
    FAILS(HED_ERROR_ARGUMENT, hed_graph_update(graph, 0, arguments, 7, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_graph_update(graph, 5, arguments, 7, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_graph_end(here.stream, &none, &error));

    /* A list of calls of which one fails, with one check at the end: nothing is being recorded. */
    OK(hed_graph_begin(here.stream, &error));
    hed_launch(here.stream, m.kernel, &m.problem, arguments, 6, &error);
    CHECK(hed_graph_end(here.stream, &none, &error) == HED_ERROR_ARGUMENT && !none);
    OK(hed_graph_replay(graph, here.stream, &error));
    OK(hed_stream_wait(here.stream, &error)); /* it counts in `calls` */
    hed_graph_destroy(graph);
    hed_buffer_destroy(third);
    close_mix(&m);
}

Test(runtime, a_graph_outlives_the_configuration_it_recorded)
{
    mix_run m = open_mix(NULL);
    hed_graph *graph;
    hed_argument arguments[7];
    hed_config config = {1, {128}};
    hed_kernel_options options = hed_default_kernel_options();
    options.config = &config;
    arguments_of(&m, 2.0f, arguments);
    OK(hed_graph_begin(here.stream, &error));
    OK(hed_launch(here.stream, m.kernel, &m.problem, arguments, 7, &error));
    OK(hed_graph_end(here.stream, &graph, &error));
    OK(hed_kernel_reconfigure(m.kernel, &options, &error));
    OK(hed_stream_wait(here.stream, &error));
    hed_kernel_destroy(m.kernel);
    m.kernel = NULL;
    OK(hed_graph_replay(graph, here.stream, &error));
    check_result(&m, 2.0f);
    hed_graph_destroy(graph);
    close_mix(&m);
}

/* ---- several devices ---- */

enum { SHARED = 777777 };

static void exchange(hed_device *other)
{
    hed_stream *other_stream;
    hed_event *event;
    const char *id = hed_device_describe(other).id;
    unsigned char *bytes = malloc(SHARED), *back = calloc(1, SHARED);
    for (int i = 0; i < SHARED; i++) bytes[i] = (unsigned char)(i * 13 + i / 1000);
    OK(hed_stream_create(other, NULL, &other_stream, &error));
    OK(hed_event_create(here.device, false, &event, &error));
    hed_buffer *ours = make_buffer(here.device, SHARED), *theirs = make_buffer(other, SHARED);
    OK(hed_write(here.stream, ours, 0, bytes, SHARED, &error));
    OK(hed_copy(here.stream, theirs, 0, ours, 0, SHARED, &error));
    OK(hed_event_record(event, here.stream, &error));
    OK(hed_stream_wait_event(other_stream, event, &error));
    OK(hed_fill(other_stream, theirs, 0, 7, "\x01", 1, &error));
    OK(hed_stream_wait(other_stream, &error));
    OK(hed_copy(here.stream, ours, 0, theirs, 0, SHARED, &error));
    OK(hed_read(here.stream, back, ours, 0, SHARED, &error));
    OK(hed_stream_wait(here.stream, &error));
    memset(bytes, 1, 7);
    CHECK_BYTES(back, bytes, SHARED, "to %s and back", id);
    if (other != here.device)
        FAILS(HED_ERROR_ARGUMENT, hed_write(here.stream, theirs, 0, bytes, 1, &error));
    hed_buffer_destroy(ours);
    hed_buffer_destroy(theirs);
    hed_event_destroy(event);
    hed_stream_destroy(other_stream);
    free(bytes);
    free(back);
}

Test(runtime, copies_and_events_between_this_device_and_every_other)
{
    for (uint32_t i = 0; i < hed_context_describe(here.context).devices; i++)
        exchange(hed_device_at(here.context, i));
    test_device second = test_open(NULL); /* the same one in another context: as another device */
    exchange(second.device);
    test_close(&second);
}

/* ---- devices ---- */

Test(runtime, devices_are_found_by_id_name_and_best)
{
    hed_device *found;
    OK(hed_device_find(here.context, hed_device_describe(here.device).id, &found, &error));
    CHECK_EQ(found, here.device);
    OK(hed_device_find(here.context, "best", &found, &error));
    CHECK_EQ(found, hed_device_at(here.context, 0));
    FAILS(HED_ERROR_NO_DEVICE, hed_device_find(here.context, "no such device", &found, &error));
    CHECK(strstr(error.text, "host"), "the error does not list what there is: %s", error.text);
    const hed_device_info info = hed_device_describe(here.device);
    CHECK(info.max_group > 0 && info.local_bytes > 0);
    uint64_t free_bytes, total;
    OK(hed_device_memory(here.device, &free_bytes, &total, &error));
    CHECK(free_bytes <= total);
    /* OpenGL knows neither; extensions of NVIDIA's do, and Heddle counts for software */
    if (strcmp(info.backend, "gl") != 0)
        CHECK(info.compute_units > 0 && info.memory_bytes > 0 && total > 0);
    OK(hed_device_wait(here.device, &error));
}
