/* ctest: devices=vulkan shaders */
/* What is Vulkan's own: shaders that are over a limit, do not fit their description, or never end;
 * a program's own VkDevice; and which language a device takes. */
#include <unistd.h>

#include "fixture.h"
#include "heddle/shader.h"
#include "heddle/tuning.h"

static void open_vulkan(void)
{
    here_open();
    if (strcmp(hed_device_describe(here.device).backend, "vulkan"))
        test_skip("the device under test is no Vulkan device");
}

TestSuite(vulkan, .init = open_vulkan, .fini = here_close);

static hed_error error;

/* out[i] = SCALE * in[i], in groups of WG */
static const char scale_text[] = "#version 450\n"
                                 "layout(local_size_x_id = 0) in;\n"
                                 "layout(constant_id = 0) const uint WG = 64;\n"
                                 "layout(constant_id = 1) const int SCALE = 2;\n"
                                 "layout(constant_id = 2) const uint SHARED = 1;\n"
                                 "layout(constant_id = 3) const bool ENDLESS = false;\n"
                                 "shared float part[SHARED];\n"
                                 "layout(binding = 0) readonly buffer Source { float source[]; };\n"
                                 "layout(binding = 1) buffer Result { float result[]; };\n"
                                 "layout(push_constant) uniform Size { uint n; };\n"
                                 "void main()\n"
                                 "{\n"
                                 "    part[gl_LocalInvocationIndex % SHARED] = 0.0;\n"
                                 "    uint i = gl_GlobalInvocationID.x;\n"
                                 "    while (ENDLESS && result[0] != -1.0) result[0] += 1.0;\n"
                                 "    if (i < n) result[i] = float(SCALE) * source[i];\n"
                                 "}\n";

static const hed_source scale_source = {"scale.comp", scale_text, 0};
static const hed_argument_def scale_arguments[] = {
    {.name = "source", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "result", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32}};
static const int64_t groups[] = {32, 64, 2048}, scales[] = {2, 3}, sizes[] = {1, 1 << 24},
                     switches[] = {0, 1};
static const hed_parameter_def scale_parameters[] = {
    {.name = "WG", .values = groups, .count = 3, .value = 64},
    {.name = "SCALE", .values = scales, .count = 2, .value = 2},
    {.name = "SHARED", .values = sizes, .count = 2, .value = 1},
    {.name = "ENDLESS", .values = switches, .count = 2, .value = 0}};
static const char *const dimensions[] = {"n"};

static void scale_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    /* many: llvmpipe leaves a loop after 65,536 rounds */
    uint64_t items =
        (uint64_t)problem->sizes[0] * (hed_config_get(def, config, "ENDLESS") ? 4000 : 1);
    *geometry = (hed_geometry){
        .dimensions = 1, .global = {items}, .group = {(uint32_t)hed_config_get(def, config, "WG")}};
}

static const hed_kernel_def scale = {.name = "scale",
    .language = HED_GLSL,
    .sources = &scale_source,
    .source_count = 1,
    .arguments = scale_arguments,
    .argument_count = 3,
    .parameters = scale_parameters,
    .parameter_count = 4,
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = scale_geometry};

enum { N = 1000, BYTES = 4 * N };

static hed_buffer *buffer_of(hed_device *device)
{
    hed_buffer *made;
    const hed_buffer_def def = hed_default_buffer_def(BYTES);
    OK(hed_buffer_create(device, &def, &made, &error));
    return made;
}

/* Runs `def` in a configuration on a device, and gives the factor that it has multiplied by. */
static float factor_of(hed_device *device, const hed_kernel_def *def, const hed_config *config)
{
    const hed_problem problem = hed_problem_1d(N);
    hed_kernel_options options = hed_default_kernel_options();
    hed_buffer *in = buffer_of(device), *out = buffer_of(device);
    hed_stream *stream;
    hed_kernel *kernel;
    float values[N];
    options.config = config;
    for (int i = 0; i < N; i++) values[i] = (float)i;
    OK(hed_stream_create(device, NULL, &stream, &error));
    OK(hed_kernel_create(device, def, &options, &kernel, &error));
    OK(hed_write(stream, in, 0, values, BYTES, &error));
    OK(hed_launch(stream, kernel, &problem, HED_ARGS(in, out, (unsigned)N), &error));
    OK(hed_read(stream, values, out, 0, BYTES, &error));
    OK(hed_stream_wait(stream, &error));
    for (int i = 0; i < N; i++) CHECK_EQ(values[i], values[1] * (float)i, "element %d", i);
    hed_kernel_destroy(kernel);
    hed_stream_destroy(stream);
    hed_buffer_destroy(in);
    hed_buffer_destroy(out);
    return values[1];
}

Test(vulkan, constants_are_parameters)
{
    const hed_config configs[] = {{4, {64, 2, 1, 0}}, {4, {32, 3, 1, 0}}};
    CHECK_EQ(factor_of(here.device, &scale, NULL), 2);
    CHECK_EQ(factor_of(here.device, &scale, &configs[0]), 2);
    CHECK_EQ(factor_of(here.device, &scale, &configs[1]), 3);
}

Test(vulkan, spirv_at_any_address)
{
    const hed_glsl_def glsl = {.name = "scale",
        .sources = &scale_source,
        .source_count = 1,
        .allocator = hed_default_allocator()};
    void *words;
    size_t size;
    OK(hed_shader_compile_glsl(&glsl, &words, &size, &error));
    char *odd = malloc(size + 1);
    memcpy(odd + 1, words, size);
    const hed_source source = {"scale.spv", odd + 1, size};
    hed_kernel_def def = scale;
    def.language = HED_SPIRV;
    def.sources = &source;
    const hed_config config = {4, {32, 3, 1, 0}};
    CHECK_EQ(factor_of(here.device, &def, &config), 3);
    /* a parameter that the module does not have */
    hed_parameter_def parameters[4];
    memcpy(parameters, scale_parameters, sizeof parameters);
    parameters[1].name = "FACTOR";
    def.parameters = parameters;
    hed_kernel *kernel;
    FAILS(HED_ERROR_BUILD, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"FACTOR\"") && strstr(error.text, "SCALE (id 1)"), "%s", error.text);
    glsl.allocator.release(glsl.allocator.user, words, size + 1);
    free(odd);
}

Test(vulkan, over_a_limit_is_refused_before_the_driver)
{
    const hed_config configs[] = {{4, {2048, 2, 1, 0}}, {4, {64, 2, 1 << 24, 0}}};
    static const char *const words[] = {"2048 x 1 x 1", "67108864 bytes of shared memory"};
    hed_kernel_options options = hed_default_kernel_options();
    for (int i = 0; i < 2; i++) {
        hed_kernel *kernel;
        options.config = &configs[i];
        FAILS(HED_ERROR_LIMIT, hed_kernel_create(here.device, &scale, &options, &kernel, &error));
        CHECK(strstr(error.text, words[i]), "%s", error.text);
    }
}

/* A pipeline with the width of a subgroup that the device has; another one is refused by name. */
/* Sets and bindings on which drivers crash, in SPIR-V, which may have any. */
Test(vulkan, bindings_that_no_driver_takes)
{
    static const char text[] = "#version 450\nlayout(local_size_x = 1) in;\n"
                               "layout(binding = 0) buffer First { float first[]; };\n"
                               "layout(binding = 1) buffer Second { float second[]; };\n"
                               "layout(binding = 2, r32f) uniform image2D drawn;\n"
                               "void main() { first[0] = second[0] + imageLoad(drawn, ivec2(0)).x; }\n";
    static const struct {
        uint32_t binding, decoration, value; /* decoration of the variable with the binding */
        const char *words;
    } cases[] = {{2, 33, 1, "\"second\" and \"drawn\" have binding 1 of set 0"},
        {1, 33, 70000, "binding 70000"}, {1, 33, UINT32_MAX, "binding 4294967295"},
        {1, 34, 8, "set 8"}, {1, 34, UINT32_MAX, "set 4294967295"}};
    hed_argument_def arguments[3] = {
        {.name = "first", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
        {.name = "second", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
        {.name = "drawn", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE}};
    arguments[2].image = (hed_texels){.format = HED_IMAGE_R32F,
        .shape = HED_IMAGE_2D,
        .width = 4,
        .height = 4,
        .layers = 1,
        .row_bytes = 16};
    const hed_source glsl_source = {"two.comp", text, 0};
    const hed_glsl_def glsl = {.name = "two",
        .sources = &glsl_source,
        .source_count = 1,
        .allocator = hed_default_allocator()};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        void *words;
        size_t size;
        OK(hed_shader_compile_glsl(&glsl, &words, &size, &error));
        uint32_t *module = words, variable = 0;
        for (size_t at = 5; at < size / 4; at += module[at] >> 16) /* OpDecorate of its binding */
            if (module[at] == (4u << 16 | 71) && module[at + 2] == 33 &&
                module[at + 3] == cases[i].binding)
                variable = module[at + 1];
        for (size_t at = 5; at < size / 4; at += module[at] >> 16)
            if (module[at] == (4u << 16 | 71) && module[at + 1] == variable &&
                module[at + 2] == cases[i].decoration)
                module[at + 3] = cases[i].value;
        const hed_source source = {"two.spv", words, size};
        const hed_kernel_def def = {.name = "two",
            .entry = "main",
            .language = HED_SPIRV,
            .sources = &source,
            .source_count = 1,
            .arguments = arguments,
            .argument_count = 3,
            .dimensions = dimensions,
            .dimension_count = 1};
        hed_kernel *kernel;
        FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
        CHECK(strstr(error.text, cases[i].words), "%s", error.text);
        glsl.allocator.release(glsl.allocator.user, words, size + 1);
    }
}

Test(vulkan, widths_of_subgroups)
{
    static const int64_t widths[] = {0, 1, 4, 8, 16, 32, 64, 128};
    const uint32_t usual = hed_device_describe(here.device).lane_width;
    hed_parameter_def parameters[5];
    memcpy(parameters, scale_parameters, sizeof scale_parameters);
    parameters[4] = (hed_parameter_def){
        .name = HED_SUBGROUP_SIZE, .values = widths, .count = HED_COUNT(widths), .value = 0};
    hed_kernel_def def = scale;
    def.parameters = parameters;
    def.parameter_count = 5;
    for (size_t i = 0; i < HED_COUNT(widths); i++) {
        const hed_config config = {5, {64, 3, 1, 0, widths[i]}};
        hed_kernel_options options = hed_default_kernel_options();
        hed_kernel *kernel;
        options.config = &config;
        if (!widths[i] || widths[i] == usual) {
            CHECK_EQ(factor_of(here.device, &def, &config), 3, "%d", (int)widths[i]);
        } else if (hed_kernel_create(here.device, &def, &options, &kernel, &error)) {
            CHECK_EQ(error.status, HED_ERROR_LIMIT);
            CHECK(strstr(error.text, HED_SUBGROUP_SIZE) && strstr(error.text, "power of two"), "%s", error.text);
            hed_error_clear(&error);
        } else {
            hed_kernel_destroy(kernel);
            CHECK(widths[i] > 1, "a subgroup of one lane");
        }
    }
}

Test(vulkan, a_launch_has_the_group_of_the_shader)
{
    hed_kernel *kernel;
    hed_buffer *in = buffer_of(here.device), *out = buffer_of(here.device);
    hed_geometry geometry = {.dimensions = 1, .global = {N}, .group = {128}};
    OK(hed_kernel_create(here.device, &scale, NULL, &kernel, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_launch_over(here.stream, kernel, &geometry, HED_ARGS(in, out, (unsigned)N), &error));
    CHECK(strstr(error.text, "128 x 1 x 1") && strstr(error.text, "64 x 1 x 1"), "%s", error.text);
    geometry.group[0] = 0; /* chosen: the shader's */
    OK(hed_launch_over(here.stream, kernel, &geometry, HED_ARGS(in, out, (unsigned)N), &error));
    OK(hed_stream_wait(here.stream, &error));
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(in);
    hed_buffer_destroy(out);
}

Test(vulkan, a_description_fits_its_shader)
{
    hed_argument_def arguments[4];
    memcpy(arguments, scale_arguments, sizeof scale_arguments);
    hed_kernel_def def = scale;
    hed_kernel *kernel;
    def.arguments = arguments;
    arguments[2].type = HED_INT64;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"n\" has 8 bytes"), "%s", error.text);
    arguments[2] = (hed_argument_def){.name = "more", .kind = HED_BUFFER, .type = HED_FLOAT};
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"more\""), "%s", error.text);
    def.argument_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "the shader has 2 buffers"), "%s", error.text);
}

Test(vulkan, other_languages_are_refused)
{
    hed_kernel_def def = scale;
    hed_kernel *kernel;
    def.language = HED_OPENCL_C;
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "is written in OpenCL C") && strstr(error.text, "GLSL and SPIR-V"),
        "%s", error.text);
    const hed_kernel_text other = {HED_GLSL, NULL, &scale_source, 1};
    def.texts = &other;
    def.text_count = 1;
    CHECK_EQ(factor_of(here.device, &def, NULL), 2);
}

Test(vulkan, a_programs_own_device)
{
    hed_driver_handles handles;
    hed_device *adopted;
    OK(hed_device_handles(here.device, &handles, &error));
    CHECK(handles.platform && handles.device && handles.context && handles.queue);
    OK(hed_device_adopt(here.context, "vulkan", &handles, &adopted, &error));
    CHECK_TEXT(hed_device_describe(adopted).id, hed_device_describe(here.device).id);
    CHECK_EQ(factor_of(adopted, &scale, NULL), 2);
    hed_stream *stream; /* in a queue of the program's */
    const hed_stream_def def = {.use_handle = true, .handle = handles.queue};
    OK(hed_stream_create(adopted, &def, &stream, &error));
    CHECK_EQ(hed_stream_handle(stream), handles.queue);
    hed_stream_destroy(stream);
    hed_device_release(adopted);
    handles.queue = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_device_adopt(here.context, "vulkan", &handles, &adopted, &error));
}

static const hed_evaluation *evaluation_of(
    const hed_tune_result *result, int64_t scaled, int64_t endless)
{
    for (uint32_t i = 0; i < result->count; i++) {
        const int64_t *values = result->evaluations[i].config.values;
        if (values[1] == scaled && values[3] == endless) return &result->evaluations[i];
    }
    FAIL("not tried: %lld, %lld", (long long)scaled, (long long)endless);
    return NULL;
}

/* In a worker, which is ended: the reference has a factor of 2, so 3 is wrong; and a shader that
 * never ends costs its time-out. */
Test(vulkan, candidates_that_go_wrong, .timeout = 300)
{
    static const char *const constraints[] = {
        "WG == 64", "SHARED == 1", "ENDLESS == 0 or SCALE == 2"}; /* one hang costs 12 s */
    static float in[N], right[N];
    static const uint32_t n = N;
    hed_kernel_def def = scale;
    hed_tune_result *result;
    hed_tune_def tune = hed_default_tune_def();
    const hed_problem problem = hed_problem_1d(N);
    for (int i = 0; i < N; i++) in[i] = (float)(i + 1), right[i] = 2 * in[i];
    const hed_tune_argument arguments[] = {{.data = in, .bytes = BYTES},
        {.data = in, .bytes = BYTES, .expected = right}, {.data = &n, .bytes = sizeof n}};
    def.constraints = constraints;
    def.constraint_count = HED_COUNT(constraints);
    tune.problem = &problem;
    tune.arguments = arguments;
    tune.isolation = HED_ISOLATION_WORKER;
    tune.strategy = HED_SEARCH_EXHAUSTIVE;
    tune.timeout_seconds = 2;
    tune.keep = false;
    OK(hed_tune_kernel(here.device, &def, &tune, &result, &error));
    CHECK_EQ(result->count, 3);
    EXPECT_EQ(evaluation_of(result, 2, 0)->outcome, HED_OUTCOME_MEASURED);
    EXPECT_EQ(evaluation_of(result, 3, 0)->outcome, HED_OUTCOME_WRONG);
    EXPECT_EQ(evaluation_of(result, 2, 1)->outcome, HED_OUTCOME_HUNG, "%s",
        evaluation_of(result, 2, 1)->text);
    hed_tune_result_free(result);
}
