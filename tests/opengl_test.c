/* ctest: devices=gl shaders */
/* What is OpenGL's own: texts of Vulkan in its words, texts of its own, what is refused by name,
 * and that the context of the calling thread stays as it was. */
#include <dlfcn.h>
#include <pthread.h>

#include "fixture.h"
#include "shader/glsl.h"

static void open_gl(void)
{
    here_open();
    if (strcmp(hed_device_describe(here.device).backend, "gl"))
        test_skip("the device under test is no OpenGL device");
}

TestSuite(opengl, .init = open_gl, .fini = here_close);

static _Thread_local hed_error error; /* tests with threads share no error */

enum { N = 1000, BYTES = 4 * N };

/* result[i] = SCALE * source[i] + offset, as Vulkan writes it */
static const char vulkan_text[] =
    "#version 450\n"
    "#extension GL_EXT_control_flow_attributes : require\n"
    "layout(local_size_x_id = 0) in;\n"
    "layout(constant_id = 0) const uint WG = 64u;\n"
    "layout(constant_id = 1) const int SCALE = 2;\n"
    "layout(constant_id = 2) const bool TWICE = false;\n"
    "layout(set = 0, binding = 1) readonly restrict buffer Source { float source[]; };\n"
    "layout(set = 0, binding = 0) buffer Result { float values[]; } result;\n"
    "layout(push_constant) uniform Scalars { layout(offset = 4) uint n; float offset; } p;\n"
    "void main()\n"
    "{\n"
    "    uint i = gl_GlobalInvocationID.x;\n"
    "    float sum = 0.0;\n"
    "    [[unroll]] for (int j = 0; j < SCALE; j++) sum += source[i];\n"
    "    if (i < p.n) result.values[i] = (TWICE ? 2.0 : 1.0) * sum + p.offset;\n"
    "}\n";
/* the same as OpenGL's programs have it; `unused` is not among the driver's uniforms */
static const char own_text[] =
    "#version 430\n"
    "layout(local_size_x = WG) in;\n"
    "readonly buffer Source { float source[]; };\n"
    "buffer Result { float values[]; } result;\n"
    "uniform uint n;\n"
    "uniform float offset;\n"
    "void main()\n"
    "{\n"
    "    uint i = gl_GlobalInvocationID.x;\n"
    "    if (i < n) result.values[i] = float(SCALE * (1 + TWICE)) * source[i] + offset;\n"
    "}\n";

static hed_source text = {"scale.comp", vulkan_text, 0};
static const hed_argument_def scale_arguments[] = {
    {.name = "source", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "result", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32},
    {.name = "offset", .kind = HED_SCALAR, .type = HED_FLOAT}};
static const int64_t groups[] = {32, 64}, scales[] = {2, 3}, switches[] = {0, 1};
static const hed_parameter_def scale_parameters[] = {
    {.name = "WG", .values = groups, .count = 2, .value = 64},
    {.name = "SCALE", .values = scales, .count = 2, .value = 2},
    {.name = "TWICE", .values = switches, .count = 2, .value = 0}};
static const char *const dimensions[] = {"n"};

static void scale_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    *geometry = (hed_geometry){.dimensions = 1,
        .global = {(uint64_t)problem->sizes[0]},
        .group = {(uint32_t)hed_config_get(def, config, "WG")}};
}

static const hed_kernel_def scale = {.name = "scale",
    .language = HED_GLSL,
    .sources = &text,
    .source_count = 1,
    .arguments = scale_arguments,
    .argument_count = 4,
    .parameters = scale_parameters,
    .parameter_count = 3,
    .dimensions = dimensions,
    .dimension_count = 1,
    .geometry = scale_geometry};

static hed_buffer *buffer_of(void)
{
    hed_buffer *made;
    const hed_buffer_def def = hed_default_buffer_def(BYTES);
    OK(hed_buffer_create(here.device, &def, &made, &error));
    return made;
}

/* Two launches with different scalars, each checked in every element. */
static void check_factor(const hed_config *config, float factor)
{
    const hed_problem problem = hed_problem_1d(N);
    hed_kernel_options options = hed_default_kernel_options();
    hed_buffer *in = buffer_of(), *out = buffer_of();
    hed_kernel *kernel;
    float values[N], got[N];
    options.config = config;
    for (int i = 0; i < N; i++) values[i] = (float)i;
    OK(hed_kernel_create(here.device, &scale, &options, &kernel, &error));
    OK(hed_write(here.stream, in, 0, values, BYTES, &error));
    for (int turn = 0; turn < 2; turn++) {
        float offset = 0.5f + (float)turn;
        OK(hed_launch(
            here.stream, kernel, &problem, HED_ARGS(in, out, (unsigned)N, offset), &error));
        OK(hed_read(here.stream, got, out, 0, BYTES, &error));
        OK(hed_stream_wait(here.stream, &error));
        for (int i = 0; i < N; i++)
            CHECK_EQ(got[i], factor * (float)i + offset, "element %d of turn %d", i, turn);
    }
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(in);
    hed_buffer_destroy(out);
}

Test(opengl, constants_and_push_constants_of_vulkan)
{
    const hed_config configs[] = {{3, {64, 2, 1}}, {3, {32, 3, 0}}};
    text.text = vulkan_text;
    check_factor(NULL, 2);
    check_factor(&configs[0], 4);
    check_factor(&configs[1], 3);
}

Test(opengl, macros_and_uniforms_of_its_own)
{
    const hed_config configs[] = {{3, {64, 2, 1}}, {3, {32, 3, 0}}};
    text.text = own_text;
    check_factor(NULL, 2);
    check_factor(&configs[0], 4);
    check_factor(&configs[1], 3);
}

/* A kernel whose text has `part` instead of the line with "Result" of the first. */
static void refuse(hed_status status, const char *part, const char *said)
{
    static char whole[4096];
    hed_kernel *kernel;
    snprintf(whole, sizeof whole,
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 1) readonly buffer Source { float source[]; };\n%s\n"
        "layout(push_constant) uniform Scalars { uint n; float offset; };\n"
        "void main() { use(); }\n",
        part);
    text.text = whole;
    FAILS(status, hed_kernel_create(here.device, &scale, NULL, &kernel, &error));
    CHECK(strstr(error.text, said), "%s", error.text);
}

#define RESULT "layout(binding = 0) buffer Result { float result[]; };\n"
#define USE "void use() { result[0] = source[0] + offset + float(n); }"

Test(opengl, what_has_no_argument_is_refused_by_name)
{
    refuse(HED_ERROR_UNSUPPORTED,
        RESULT "layout(binding = 2, rgba8) uniform writeonly image2DMS picture;\n" USE,
        "\"picture\" is a image2DMS");
    refuse(HED_ERROR_UNSUPPORTED, RESULT "uniform texture2D photo;\n" USE, "\"photo\"");
    refuse(HED_ERROR_ARGUMENT,
        RESULT "uniform sampler2D photo;\n"
               "void use() { result[0] = source[0] + texelFetch(photo, ivec2(0), 0).x; }",
        "has 3 buffers, the description 2");
    refuse(HED_ERROR_UNSUPPORTED,
        "layout(binding = 0) buffer Result { float result[]; } many[2];\n"
        "void use() { many[0].result[0] = source[0]; }",
        "\"many\" is an array");
    refuse(HED_ERROR_ARGUMENT,
        RESULT "layout(binding = 2) buffer More { float more[]; };\n"
               "void use() { result[0] = source[0] + more[0]; }",
        "has 3 buffers, the description 2");
    refuse(HED_ERROR_BUILD, RESULT "void use() { result[0] = nonsense; }", "does not compile");
    CHECK(strstr(error.log, "scale.comp:5:") && strstr(error.log, "nonsense"), "%s", error.log);
}

Test(opengl, a_description_fits_its_shader)
{
    hed_argument_def arguments[4];
    hed_kernel_def def = scale;
    hed_kernel *kernel;
    text.text = vulkan_text;
    memcpy(arguments, scale_arguments, sizeof arguments);
    def.arguments = arguments;
    arguments[2].type = HED_INT64;
    FAILS(HED_ERROR_ARGUMENT, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "\"n\" has 8 bytes"), "%s", error.text);
    def.language = HED_OPENCL_C;
    FAILS(HED_ERROR_UNSUPPORTED, hed_kernel_create(here.device, &def, NULL, &kernel, &error));
    CHECK(strstr(error.text, "is written in OpenCL C") && strstr(error.text, "GLSL"), "%s",
        error.text);
}

Test(opengl, host_memory_that_kernels_reach_is_refused)
{
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(BYTES);
    def.memory = HED_MEMORY_MAPPED;
    FAILS(HED_ERROR_UNSUPPORTED, hed_buffer_create(here.device, &def, &buffer, &error));
    CHECK(strstr(error.text, "HED_MEMORY_PINNED"), "%s", error.text);
}

/* ---- threads ---- */

static void *thread_run(void *user)
{
    const float *factor = user;
    const hed_config config = {3, {64, (int64_t)*factor, 0}};
    for (int i = 0; i < 5; i++) check_factor(&config, *factor);
    return NULL;
}

Test(opengl, several_threads_share_the_context, .timeout = 120)
{
    float factors[2] = {2, 3};
    pthread_t threads[2];
    text.text = vulkan_text;
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, thread_run, &factors[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

Test(opengl, a_programs_own_context_stays_current)
{
    void *(*display)(unsigned, void *, const intptr_t *) = (void *(*)(unsigned, void *,
        const intptr_t *))hed_device_symbol(here.device, "eglGetPlatformDisplay");
    if (!display) test_skip("eglGetProcAddress does not know EGL's own functions");
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *(*current)(void) = (void *(*)(void))dlsym(library, "eglGetCurrentContext");
    unsigned (*bind)(unsigned) = (unsigned (*)(unsigned))dlsym(library, "eglBindAPI");
    void *(*create)(void *, void *, void *, const int *) =
        (void *(*)(void *, void *, void *, const int *))dlsym(library, "eglCreateContext");
    unsigned (*make)(void *, void *, void *, void *) =
        (unsigned (*)(void *, void *, void *, void *))dlsym(library, "eglMakeCurrent");
    int (*start)(void *, int *, int *) =
        (int (*)(void *, int *, int *))dlsym(library, "eglInitialize");
    static const int attributes[] = {0x3098, 4, 0x30fb, 3, 0x3038};
    void *mine = display(0x31dd, NULL, NULL);
    CHECK(start(mine, NULL, NULL) && bind(0x30a2));
    void *context = create(mine, NULL, NULL, attributes);
    CHECK(context && make(mine, NULL, NULL, context));
    text.text = vulkan_text;
    check_factor(NULL, 2);
    CHECK_EQ(current(), context);
    make(mine, NULL, NULL, NULL);
}

/* ---- the text ---- */

static void check_text(const char *from, bool es, const char *const *has, const char *const *lacks)
{
    const hed_source source = {"a.comp", from, 0};
    const hed_define value = {"WG", "16"};
    const hed_glsl_def def = {.name = "a",
        .sources = &source,
        .source_count = 1,
        .defines = &value,
        .define_count = 1,
        .allocator = hed_default_allocator()};
    hed_glsl_opengl opengl;
    OK(hed_glsl_for_opengl(&def, es, &opengl, &error));
    for (; *has; has++)
        EXPECT(strstr(opengl.text.bytes, *has), "no %s in %s", *has, opengl.text.bytes);
    for (; *lacks; lacks++)
        EXPECT(!strstr(opengl.text.bytes, *lacks), "%s in %s", *lacks, opengl.text.bytes);
    hed_text_free(&opengl.text);
}

Test(opengl, texts_are_rewritten)
{
    static const char *const has[] = {"layout(local_size_x = 16, local_size_y = 1) in;",
        "const uint WG = uint(16);", "const int KEPT = 7;", "layout(std430, binding = 3) buffer A",
        "layout(binding = 0) buffer B", "layout(std140, binding = 1) uniform P", NULL};
    static const char *const lacks[] = {"constant_id", "set = 0", "push_constant", "offset", NULL};
    check_text("#version 450\n"
               "layout(local_size_x_id = 4, local_size_y_id = 9) in;\n"
               "layout(constant_id = 4) const uint WG = 8;\n"
               "layout(constant_id = 5) const int KEPT = 7;\n"
               "layout(std430, set = 0, binding = 3) buffer A { int a[]; };\n"
               "buffer B { int b[]; } other;\n"
               "layout(std140, binding = 0) uniform U { int u; };\n"
               "layout(push_constant, std430) uniform P { layout(offset = 8) int x; };\n"
               "void main() {}\n",
        false, has, lacks);
    static const char *const es[] = {"#version 310 es", "precision highp float", NULL},
                             *const desktop[] = {"#version 450", NULL};
    check_text("#version 450\nvoid main() {}\n", true, es, desktop);
}
