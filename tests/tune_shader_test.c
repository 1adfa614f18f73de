/* Shaders of Vulkan as tune files: what their text says, what the comment says, and what is
 * missing. */
#include "folder.h"
#include "heddle/shader.h"
#include "heddle/tune_file.h"
#include "testing.h"

#include <sys/stat.h>

static hed_error error;

static const char blur[] =
    "#version 450\n"
    "/* heddle {\"problem\": {\"width\": 64, \"height\": 32}, \"parameters\": {\"PER_ITEM\": [1, 2]},\n"
    "   \"groups\": [\"ceil_div(width, WG_X * PER_ITEM)\", \"ceil_div(height, WG_Y)\"]} */\n"
    "layout(local_size_x_id = 0, local_size_y_id = 1) in;\n"
    "layout(constant_id = 0) const int WG_X = 24;\n"
    "layout(constant_id = 1) const int WG_Y = 8;\n"
    "layout(constant_id = 2) const int PER_ITEM = 2;\n"
    "layout(constant_id = 3) const bool TILED = false;\n"
    "layout(constant_id = 4) const int RADIUS = 3;\n"
    "shared float tile[TILED ? WG_X * WG_Y * RADIUS : 1];\n"
    "layout(std430, binding = 0) readonly buffer Source { float source[]; };\n"
    "layout(std430, binding = 1) writeonly buffer Result { uint result[]; };\n"
    "layout(push_constant) uniform Size { int width; uint height; };\n"
    "void main()\n"
    "{\n"
    "    tile[0] = source[width * PER_ITEM];\n"
    "    result[height] = uint(tile[0]);\n"
    "}\n";

static const hed_device_info device = {.id = "vulkan:0",
    .backend = "vulkan",
    .type = HED_DEVICE_GPU,
    .max_group = 256,
    .max_group_size = {256, 64, 64},
    .local_bytes = 16384,
    .max_buffer_bytes = 1 << 30};

TestSuite(tune_shader, .init = folder_make, .fini = folder_remove);

static hed_tune_file *open_on(
    const hed_device_info *on, const char *name, const void *bytes, size_t size)
{
    hed_tune_file *file = NULL;
    const char *path = in_folder(name);
    write_file(path, bytes, size);
    error = (hed_error){0};
    if (hed_tune_file_open(path, on, &file, &error) == HED_ERROR_IO) test_skip("%s", error.text);
    return file;
}

static hed_tune_file *open_bytes(const char *name, const void *bytes, size_t size)
{
    return open_on(&device, name, bytes, size);
}

static void check_values(const hed_parameter_def *parameter, const char *name,
    const int64_t *values, uint32_t count, int64_t value)
{
    CHECK_TEXT(parameter->name, name);
    CHECK_EQ(parameter->count, count, "%s", name);
    CHECK_BYTES(parameter->values, values, count * sizeof *values, "%s", name);
    CHECK_EQ(parameter->value, value, "%s", name);
}

static void check_blur(const hed_tune_file *file, hed_language language)
{
    static const int64_t wide[] = {1, 2, 4, 8, 16, 24, 32, 64, 128, 256},
                         high[] = {1, 2, 4, 8, 16, 32, 64}, few[] = {1, 2}, both[] = {0, 1};
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    CHECK_TEXT(kernel->name, "blur");
    CHECK_TEXT(kernel->entry, "main");
    CHECK_EQ(kernel->language, language);
    CHECK_EQ(kernel->parameter_count, 4); /* RADIUS keeps its value */
    check_values(&kernel->parameters[0], "PER_ITEM", few, 2, 2);
    check_values(&kernel->parameters[1], "WG_X", wide, 10, 24);
    check_values(&kernel->parameters[2], "WG_Y", high, 7, 8);
    check_values(&kernel->parameters[3], "TILED", both, 2, 0);
    CHECK_EQ(kernel->argument_count, 4);
    static const struct {
        const char *name;
        hed_argument_kind kind;
        hed_type type;
        hed_access access;
    } expected[] = {{"source", HED_BUFFER, HED_FLOAT, HED_READ},
        {"result", HED_BUFFER, HED_UINT32, HED_WRITE}, {"width", HED_SCALAR, HED_INT32, HED_READ},
        {"height", HED_SCALAR, HED_UINT32, HED_READ}};
    for (int i = 0; i < 4; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        CHECK_TEXT(argument->name, expected[i].name);
        CHECK(argument->kind == expected[i].kind && argument->type == expected[i].type &&
                  argument->access == expected[i].access,
            "%s", argument->name);
    }
    CHECK_EQ(kernel->constraint_count, 1);
    CHECK(strstr(kernel->constraints[0], "WG_X") && strstr(kernel->constraints[0], "local_bytes"),
        "%s", kernel->constraints[0]);
    const hed_problem problem = hed_problem_2d(64, 32);
    const hed_config config = {4, {2, 16, 4, 1}};
    hed_geometry geometry = {0};
    kernel->geometry(kernel, &config, &problem, &geometry);
    CHECK(geometry.dimensions == 2 && geometry.group[0] == 16 && geometry.group[1] == 4 &&
          geometry.global[0] == 32 && geometry.global[1] == 32);
}

/* Without a comment the problem is invented. */
static void check_invented(const hed_tune_file *file)
{
    CHECK_NOT_NULL(file, "%s", error.text);
    CHECK_TEXT(hed_tune_file_kernel(file)->dimensions[0], "width");
    CHECK(strstr(hed_tune_file_apply(file, NULL), "\"problem\": {\"width\": 512, \"height\": 512}"));
}

Test(tune_shader, glsl_is_its_own_description)
{
    hed_tune_file *file = open_bytes("blur.comp", blur, strlen(blur));
    check_blur(file, HED_GLSL);
    hed_tune_file_close(file);
}

/* Numbers outside of blocks, a group of macros: OpenGL's, and not Vulkan's. What is wrong with a
 * text of Vulkan is said of that. */
Test(tune_shader, a_text_of_opengl)
{
    static const char text[] =
        "#version 430\n"
        "/* heddle {\"problem\": {\"n\": 64}, \"parameters\": {\"WG\": [8, 16]}, \"group\": [\"WG\"],\n"
        "  \"arguments\": [{\"name\": \"scale\", \"value\": 3}]} */\n"
        "layout(local_size_x = WG) in;\n"
        "layout(std430, binding = 0) buffer Result { float result[]; };\n"
        "uniform uint n;\n"
        "uniform float scale;\n"
        "void main() { if (gl_GlobalInvocationID.x < n) result[0] += scale; }\n";
    static const char wrong[] = "#version 450\n/* heddle {\"problem\": {\"n\": 64}} */\n"
                                "layout(local_size_x = 8) in;\n"
                                "layout(push_constant) uniform Size { uint n; };\n"
                                "void main() { nonsense(n); }\n";
    hed_device_info opengl = device;
    opengl.id = "gl:0";
    opengl.backend = "gl";
    hed_tune_file *file = open_on(&opengl, "own.comp", text, sizeof text - 1);
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    CHECK_EQ(kernel->argument_count, 3);
    CHECK_TEXT(kernel->arguments[1].name, "n");
    CHECK_TEXT(kernel->arguments[2].name, "scale");
    CHECK_EQ(kernel->arguments[2].type, HED_FLOAT);
    hed_tune_file_close(file);
    /* on Vulkan its numbers become one block */
    file = open_bytes("own.comp", text, sizeof text - 1);
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    CHECK_EQ(hed_tune_file_kernel(file)->argument_count, 2);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(file, &tune);
    CHECK_EQ(((const uint32_t *)tune.arguments[1].data)[0], 64u);
    CHECK_EQ(((const float *)tune.arguments[1].data)[1], 3.0f);
    hed_tune_file_close(file);
    CHECK_NULL(open_on(&opengl, "wrong.comp", wrong, sizeof wrong - 1));
    CHECK(strstr(error.text, "nonsense") && !strstr(error.text, "push_constant"), "%s", error.text);
}

/* Returns the index of an argument; the number of arguments: there is none of this name. */
static uint32_t argument_of(const hed_tune_file *file, const char *name)
{
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    uint32_t i = 0;
    while (i < kernel->argument_count && strcmp(kernel->arguments[i].name, name) != 0) i++;
    return i;
}

/* Uniforms of several numbers, with values at the start and over several lines; numbers that OpenGL
 * counts for each kind apart; a layout that only its drivers know. */
Test(tune_shader, resources_of_opengl)
{
    static const char text[] =
        "#version 430 core\n"
        "layout(local_size_x = 8, local_size_y = 8) in;\n"
        "layout(rgba32f, binding = 0) uniform image2D drawn;\n"
        "layout(binding = 0) uniform sampler2D photo;\n"
        "uniform sampler2D other;\n"
        "uniform vec2 u_Dimensions;\n"
        "uniform float gain = 2.0, gamma;\n"
        "layout(location = 3) uniform mat3\n  turn;\n"
        "uniform float weights[3];\n"
        "struct Cell { float x; };\n"
        "layout(shared, binding = 0) buffer Data { Cell cells[]; };\n"
        "float first(in float x) { return x; }\n"
        "void main() {\n"
        "  ivec2 p = ivec2(gl_GlobalInvocationID.xy);\n"
        "  vec4 c = texelFetch(photo, p, 0) + texelFetch(other, p, 0) + u_Dimensions.x;\n"
        "  imageStore(drawn, p, vec4(turn * c.rgb * gain * weights[1], first(gamma)) + cells[0].x);\n"
        "}\n";
    static const char *const names[] = {"drawn", "photo", "other", "Data"};
    hed_device_info opengl = device;
    opengl.id = "gl:0";
    opengl.backend = "gl";
    for (int i = 0; i < 2; i++) {
        hed_tune_file *file = open_on(i ? &opengl : &device, "own.comp", text, sizeof text - 1);
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        CHECK_EQ(hed_tune_file_kernel(file)->argument_count, 5);
        for (size_t k = 0; k < HED_COUNT(names); k++)
            CHECK(argument_of(file, names[k]) < 5 || k == 3, "%s", names[k]);
        const char *note = hed_tune_file_apply(file, NULL);
        CHECK(strstr(note, "\"u_Dimensions.x\"") && strstr(note, "\"gamma\"") && strstr(note, "\"turn[2].z\""), "%s", note);
        CHECK(strstr(hed_tune_file_kernel(file)->sources[0].text, "\nvoid main"));
        hed_tune_file_close(file);
    }
}

/* Parts of several stages in one text, as engines write them. */
Test(tune_shader, parts_of_stages)
{
    static const char *const heads[] = {"#shader", "#type"};
    for (size_t i = 0; i < HED_COUNT(heads); i++) {
        char text[512];
        snprintf(text, sizeof text,
            "%s vertex\n#version 450\nvoid main() { gl_Position = vec4(0); }\n%s compute\n#version 450\n"
            "layout(local_size_x = 8) in;\nlayout(binding = 0) buffer B { float b[]; };\n"
            "void main() { b[gl_GlobalInvocationID.x] = 1; }\n%s fragment\n#version 450\nno text\n",
            heads[i], heads[i], heads[i]);
        hed_tune_file *file = open_bytes("stages.glsl", text, strlen(text));
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        hed_tune_file_close(file);
    }
}

/* A header of a program declares more than a shader may have, and arrays of resources, all unused. */
Test(tune_shader, unused_resources_of_a_header)
{
    char text[4096] = "#version 450\n#extension GL_EXT_nonuniform_qualifier : enable\nlayout(local_size_x = 8) in;\n"
                      "layout(set = 1, binding = 0) uniform sampler2D all_textures[];\n";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "layout(binding = %d) buffer B%d { float b%d[]; };\n", i, i, i);
    strcat(text, "void main() { b7[gl_GlobalInvocationID.x] = b39[gl_GlobalInvocationID.x]; }\n");
    hed_tune_file *file = open_bytes("header.comp", text, strlen(text));
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    CHECK_EQ(hed_tune_file_kernel(file)->argument_count, 2);
    hed_tune_file_close(file);
}

/* A macro that only some branches define is the program's; a folder of included files is found. */
Test(tune_shader, names_of_a_program)
{
    static const char types[] = "#if !defined(TYPES)\n#define TYPES\n#define LENGTH 4\n"
                                "#if defined(DATA_A)\n#if WIDE\n#define A_TYPE vec4\n#else\n#define A_TYPE float\n#endif\n#endif\n"
                                "#ifdef WIDE\n#define COUNT 4\n#else\n#define COUNT 1\n#endif\n#endif\n";
    static const char text[] = "#version 450\n#include \"types.glsl\"\nlayout(local_size_x = 8) in;\n"
                               "#ifdef OTHER\nlayout(binding = 0) buffer B { OTHER_TYPE b[]; };\n#endif\n"
                               "layout(binding = 0) buffer D { A_TYPE d[]; };\n"
                               "void main() { d[gl_GlobalInvocationID.x] += A_TYPE(LENGTH * COUNT); }\n";
    char path[600], wrapped[1024];
    snprintf(path, sizeof path, "%s", in_folder("common"));
    mkdir(path, 0755);
    strcat(path, "/types.glsl");
    write_file(path, types, sizeof types - 1);
    snprintf(path, sizeof path, "%s", in_folder("shaders"));
    mkdir(path, 0755);
    for (int i = 0; i < 2; i++) { /* folders that the reader finds, and that the user names */
        snprintf(wrapped, sizeof wrapped, "%s%s", i ? "/* heddle {\"include\": [\"../common\"]} */\n" : "", text);
        hed_tune_file *file = open_bytes("shaders/own.comp", wrapped, strlen(wrapped));
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        const char *note = hed_tune_file_apply(file, NULL);
        CHECK(strstr(note, i ? "/* heddle {\"defines\": {\"DATA_A\": 1}} */"
                             : "/* heddle {\"include\": [\"../common\"], \"defines\": {\"DATA_A\": 1}} */"),
            "%s", note);
        hed_tune_file_close(file);
    }
}

/* Compiled with the source inside, SPIR-V keeps the comment; else a tune file names it. */
Test(tune_shader, spirv_and_a_tune_file)
{
    static const char json[] =
        "{\"source\": \"blur.spv\", \"problem\": {\"width\": 64, \"height\": 32},"
        " \"parameters\": {\"PER_ITEM\": [1, 2]},"
        " \"groups\": [\"ceil_div(width, WG_X * PER_ITEM)\", \"ceil_div(height, WG_Y)\"]}";
    static const char *const with_source[] = {"-gVS"};
    const hed_source source = {"blur.comp", blur, 0};
    hed_glsl_def glsl = {.name = "blur",
        .compiler = "glslangValidator",
        .sources = &source,
        .source_count = 1,
        .allocator = hed_default_allocator()};
    for (uint32_t inside = 0; inside < 2; inside++) {
        void *words;
        size_t size;
        glsl.options = with_source;
        glsl.option_count = inside;
        if (hed_shader_compile_glsl(&glsl, &words, &size, &error) == HED_ERROR_IO)
            test_skip("%s", error.text);
        hed_tune_file *file = open_bytes("blur.spv", words, size);
        if (inside) check_blur(file, HED_SPIRV);
        else check_invented(file);
        hed_tune_file_close(file);
        file = open_bytes("blur.json", json, strlen(json));
        check_blur(file, HED_SPIRV);
        hed_tune_file_close(file);
        glsl.allocator.release(glsl.allocator.user, words, size + 1);
    }
}

static const char included[] =
    "\n\n#version 450\n"
    "#extension GL_GOOGLE_include_directive : enable\n"
    "/* heddle {\"problem\": {\"n\": 64}, \"defines\": {\"SCALE\": \"2.0\", \"TYPE\": \"float\"},\n"
    "   \"include\": \"parts\"} */\n"
    "#include \"group.glsl\"\n"
    "layout(binding = 0) readonly buffer Source { TYPE source[]; };\n"
    "layout(binding = 1) writeonly buffer Result { TYPE result[]; };\n"
    "void main() { result[gl_GlobalInvocationID.x] = scaled(source[gl_GlobalInvocationID.x])%s; }\n";

/* Blank lines before #version, a file that is included from a folder, and macros. */
Test(tune_shader, includes_and_defines)
{
    char text[2048];
    static const char group[] = "layout(local_size_x_id = 0) in;\n"
                                "layout(constant_id = 0) const int WG_X = 32;\n"
                                "TYPE scaled(TYPE x) { return SCALE * x; }\n";
    CHECK(!mkdir(in_folder("parts"), 0700));
    write_file(in_folder("parts/group.glsl"), group, sizeof group - 1);
    snprintf(text, sizeof text, included, "");
    hed_tune_file *file = open_bytes("scale.comp", text, strlen(text));
    CHECK(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK(def->parameter_count == 1 && def->parameters[0].value == 32);
    CHECK(def->define_count == 2 && !strcmp(def->defines[0].name, "SCALE"));
    hed_tune_file_close(file);
    /* lines of a loader, which inserts a file once */
    snprintf(text, sizeof text, "#version 450\n#define SCALE 2.0\n#define TYPE float\n%s%s%s", "#pragma include ./parts/group;\n",
        "#pragma include ./parts/group.glsl; // again\n", strstr(included, "layout(binding = 0)"));
    memcpy(strstr(text, "%s"), "  ", 2);
    file = open_bytes("scale.comp", text, strlen(text));
    CHECK(file, "%s", error.text);
    hed_tune_file_close(file);
    snprintf(text, sizeof text, included, " + missing[0]");
    CHECK_NULL(open_bytes("scale.comp", text, strlen(text)));
    CHECK(strstr(error.text, "scale.comp:10: "), "%s", error.text);
    write_file(in_folder("parts/group.glsl"), "layout(local_size_x = 1) in;\nint x = y[0];\n", 44);
    CHECK_NULL(open_bytes("scale.comp", text, strlen(text)));
    CHECK(strstr(error.text, "parts/group.glsl:2: "), "%s", error.text);
}

/* OpenGL numbers images and buffers apart; a text with sets is Vulkan's, which does not. */
Test(tune_shader, two_kinds_of_one_binding)
{
    static const char text[] = "#version 450\nlayout(local_size_x = 8) in;\nint offset = 1;\n"
                               "layout(%sbinding = 1, r32f) uniform image2D drawn;\n"
                               "layout(%sbinding = 1) buffer Data { float data[]; };\n"
                               "void main() { data[gl_GlobalInvocationID.x] = imageLoad(drawn, ivec2(offset)).x; }\n";
    char words[1024];
    snprintf(words, sizeof words, text, "set = 2, ", "set = 2, ");
    CHECK_NULL(open_bytes("draw.comp", words, strlen(words)));
    CHECK_EQ(error.status, HED_ERROR_UNSUPPORTED);
    CHECK(strstr(error.text, "binding 1 of set 2") && strstr(error.text, "\"drawn\" in line 4"),
        "%s", error.text);
    hed_device_info opengl = device;
    opengl.backend = "gl";
    snprintf(words, sizeof words, text, "", "");
    for (int i = 0; i < 2; i++) {
        hed_tune_file *file = open_on(i ? &opengl : &device, "draw.comp", words, strlen(words));
        CHECK(file, "%s\n%s", error.text, error.log);
        CHECK_EQ(hed_tune_file_kernel(file)->argument_count, 2);
        hed_tune_file_close(file);
    }
}

/* Passes of one text, between which its program chooses by a macro. */
Test(tune_shader, passes_of_one_text)
{
    static const char text[] = "#version 450\nlayout(binding = 0) buffer A { float a[]; };\n"
                               "#ifdef PASS_SEED\nlayout(local_size_x = 256) in;\n"
                               "void main() { a[gl_GlobalInvocationID.x] = 1.0; }\n#endif\n"
                               "#if STAGE == 2 && !defined(NONE)\nlayout(local_size_x = 16, local_size_y = 4) in;\n"
                               "void main() { a[gl_GlobalInvocationID.x + 64 * gl_GlobalInvocationID.y] = 2.0; }\n#endif\n";
    static const char *const comments[] = {"{\"defines\": {\"PASS_SEED\": 1}}", "{\"defines\": {\"STAGE\": 2}}"};
    char words[1024];
    CHECK_NULL(open_bytes("passes.comp", text, sizeof text - 1));
    for (int i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "/* heddle %s */ for line %d", comments[i], i ? 9 : 5);
        CHECK(strstr(error.text, words), "%s", error.text);
    }
    CHECK(!strstr(error.text, "NONE"), "%s", error.text);
    for (uint32_t i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "/* heddle %s */\n%s", comments[i], text);
        hed_tune_file *file = open_bytes("passes.comp", words, strlen(words));
        CHECK(file, "%s\n%s", error.text, error.log);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        CHECK_EQ(def->parameter_count, i + 1);
        CHECK_EQ(def->parameters[0].value, i ? 16 : 256);
        hed_tune_file_close(file);
    }
    static const char choice[] = "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer A { float a[]; };\n"
                                 "#if defined(FLOAT)\n#define T float\n#elif defined(HALF)\n#define T float\n#else\n"
                                 "#error the program chooses a type\n#endif\n"
                                 "void main() { T x = a[0]; a[gl_GlobalInvocationID.x] = x; }\n",
                      wrong[] = "/* heddle {\"defines\": {\"RUN\": 1}} */\n#version 450\n#ifdef RUN\nlayout(local_size_x = 8) in;\n"
                                "void main() { y = 1; }\n#endif\n",
                      part[] = "#version 450\nlayout(binding = 0) buffer A { float a[]; };\nfloat twice(float x) { return 2.0 * x; }\n";
    hed_tune_file *chosen = open_bytes("choice.comp", choice, sizeof choice - 1);
    CHECK(chosen && strstr(hed_tune_file_apply(chosen, NULL), "{\"defines\": {\"FLOAT\": 1, \"HALF\": 1}}"), "%s", error.text);
    hed_tune_file_close(chosen);
    CHECK_NULL(open_bytes("wrong.comp", wrong, sizeof wrong - 1));
    CHECK(!strstr(error.text, "chooses") && strstr(error.text, "wrong.comp:5: "), "%s", error.text);
    CHECK_NULL(open_bytes("part.comp", part, sizeof part - 1));
    CHECK(strstr(error.text, "the text has no main()"), "%s", error.text);
}

/* A constant that is a size and 0, and a size of the group without a constant: their program sets them. */
Test(tune_shader, constants_that_only_the_program_sets)
{
    static const char text[] = "#version 450\nlayout(local_size_x_id = 0) in;\n"
                               "layout(constant_id = 1) const int N = 0;\nlayout(constant_id = 2) const int MODE = 0;\n"
                               "layout(constant_id = 3) const int taken = 7;\nshared float s[gl_WorkGroupSize.x];\n"
                               "layout(binding = 0) buffer A { float a[]; };\n"
                               "void main() { s[gl_LocalInvocationIndex] = 1.0; barrier(); int i = int(gl_GlobalInvocationID.x);\n"
                               "    if (i < N + MODE) a[i] = s[0] * float(taken); }\n";
    hed_tune_file *file = open_bytes("scan.comp", text, sizeof text - 1);
    CHECK(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK_EQ(def->parameter_count, 1);
    CHECK_TEXT(def->parameters[0].name, "constant_0");
    CHECK_EQ(def->parameters[0].value, 64);
    CHECK_EQ(def->define_count, 1);
    CHECK_TEXT(def->defines[0].name, "N");
    CHECK_TEXT(def->defines[0].value, "65536");
    const char *note = hed_tune_file_apply(file, NULL);
    CHECK(strstr(note, "--set N=65536"), "%s", note);
    hed_tune_file_close(file);
}

/* The width of subgroups: that of the device in the text, and a parameter where there are several. */
Test(tune_shader, widths_of_subgroups)
{
    static const char head[] = "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                               "layout(local_size_x = 64) in;\nlayout(binding = 0) buffer A { uint a[]; };\n",
                      body[] = "void main() { uint i = gl_GlobalInvocationID.x; a[i] = subgroupAdd(a[i]); }\n";
    static const struct {
        const char *declared, *found; /* found in the text afterwards */
        uint32_t widths;              /* sum of the widths that the device has */
        int64_t first, usual;         /* values of the parameter; first -1: no parameter */
    } cases[] = {{"#define WARP_SIZE 32\nshared uint s[64 / WARP_SIZE];\n", "#define WARP_SIZE 16\n", 0, -1, 0},
        {"#define WARP_SIZE 32\nshared uint s[64 / WARP_SIZE];\n", "#define WARP_SIZE HED_SUBGROUP_SIZE\n", 8 | 16 | 32, 8, 16},
        {"layout(constant_id = 1) const uint subgroup_size = 32;\n", "subgroup_size = (16);", 0, -1, 0},
        {"const uint kLog2WarpWidth = 5;\n", "kLog2WarpWidth = 5;", 8 | 16 | 32, 0, 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        hed_device_info on = device;
        char text[1024];
        on.lane_width = 16;
        on.capabilities |= (uint64_t)cases[i].widths << HED_SUBGROUP_WIDTHS;
        snprintf(text, sizeof text, "%s%s%s", head, cases[i].declared, body);
        hed_tune_file *file = open_on(&on, "widths.comp", text, strlen(text));
        CHECK(file, "%s\n%s", error.text, error.log);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        CHECK(strstr(def->sources[0].text, cases[i].found), "%s", def->sources[0].text);
        CHECK_EQ(def->parameter_count, cases[i].first < 0 ? 1 : 2);
        if (cases[i].first >= 0) {
            CHECK_TEXT(def->parameters[1].name, HED_SUBGROUP_SIZE);
            CHECK_EQ(def->parameters[1].values[0], cases[i].first);
            CHECK_EQ(def->parameters[1].value, cases[i].usual);
            CHECK_EQ(def->parameters[1].count, cases[i].first ? 3 : 4);
        }
        hed_tune_file_close(file);
    }
}

/* A shader that reads no id by which groups differ is launched with one. */
Test(tune_shader, one_group)
{
    static const char text[] = "#version 450\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer A { uint a[]; };\n"
                               "layout(push_constant) uniform P { uint count; };\n"
                               "void main() { for (uint i = gl_LocalInvocationIndex; i < count; i += gl_WorkGroupSize.x) a[i] = %s; }\n";
    for (int i = 0; i < 2; i++) {
        char words[512];
        hed_geometry geometry;
        snprintf(words, sizeof words, text, i ? "gl_WorkGroupID.x" : "7");
        hed_tune_file *file = open_bytes("one.comp", words, strlen(words));
        CHECK(file, "%s\n%s", error.text, error.log);
        hed_tune_def tune = {0};
        const char *note = hed_tune_file_apply(file, &tune);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        const hed_config config = {1, {64}};
        def->geometry(def, &config, tune.problem, &geometry);
        CHECK_EQ(geometry.global[0], i ? 65536 : 64);
        CHECK((strstr(note, "\"groups\": [\"1\"]") != NULL) == !i, "%s", note);
        hed_tune_file_close(file);
    }
}

/* A text in GLSL as people write it: its group in numbers, a macro and a constant. */
Test(tune_shader, sizes_of_the_text_are_parameters)
{
    static const char head[] = "\xef\xbb\xbf#[compute]\n#version 450\n",
                      buffers[] = "layout(binding = 0) buffer A { float a[]; };\n";
    static const struct {
        const char *layout, *body;
        uint32_t parameters;
        int64_t x, y;
        const char *text; /* found in the text afterwards */
    } cases[] = {
        {"layout(local_size_x = 64) in;\n", "void main() { a[gl_GlobalInvocationID.x] = 64.0 + 64; }\n", 1, 64, 0, "64.0 + 64"},
        {"layout(local_size_x = 8, local_size_y = 4, local_size_z = 1) in;\n",
            "void main() { a[gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 64] = 1.0; }\n", 2, 8, 4, "* 64]"},
        {"#define BLOCK 32u // items\nlayout(local_size_x = BLOCK) in;\nshared float s[BLOCK];\n",
            "void main() { s[gl_LocalInvocationIndex] = 1.0; barrier(); a[gl_WorkGroupID.x * BLOCK + gl_LocalInvocationIndex] = s[0]; }\n",
            1, 32, 0, "#define BLOCK uint(WG_X)"},
        {"const uint SIZE = 16;\nlayout(local_size_x = SIZE, local_size_y = SIZE) in;\n",
            "void main() { a[gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * SIZE] = 1.0; }\n", 1, 16, 0, "SIZE = (WG_X);"},
        {"layout(local_size_x = 16, local_size_y = 16) in;\nshared float s[256];\n",
            "void main() { s[gl_LocalInvocationIndex] = 1.0; barrier(); a[gl_WorkGroupID.x * 16u + gl_LocalInvocationID.x + gl_WorkGroupID.y] = s[0]; }\n",
            1, 16, 0, "s[(WG_X * WG_X)]"},
        {"layout(local_size_x = 1) in;\n", "int WG_X = 3; void main() { a[WG_X] = 1.0; }\n", 1, 1, 0, "HED_WG_X"},
        {"layout(local_size_x = 2 + 4) in;\n", "void main() { a[gl_GlobalInvocationID.x] = 1.0; }\n", 0, 0, 0, "2 + 4"}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s%s", head, buffers, cases[i].layout, cases[i].body);
        hed_tune_file *file = open_bytes("sizes.comp", text, strlen(text));
        CHECK(file, "%s\n%s", error.text, error.log);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        CHECK_EQ(def->parameter_count, cases[i].parameters, "%s", cases[i].layout);
        CHECK(memmem(
                  def->sources[0].text, def->sources[0].size, cases[i].text, strlen(cases[i].text)),
            "%.*s", (int)def->sources[0].size, def->sources[0].text);
        if (cases[i].parameters) CHECK_EQ(def->parameters[0].value, cases[i].x);
        if (cases[i].parameters > 1) CHECK_EQ(def->parameters[1].value, cases[i].y);
        hed_tune_file_close(file);
    }
}

static void check_float(const unsigned char *bytes, uint32_t offset, float value)
{
    float found;
    memcpy(&found, bytes + offset, sizeof found);
    CHECK_EQ(found, value, "byte %u", offset);
}

/* Uniform blocks and push constants of any type: their numbers have names and the offsets of std140
 * and std430. */
Test(tune_shader, blocks_are_opened_into_numbers)
{
    static const char text[] =
        "#version 450\n/* heddle {\"problem\": {\"n\": 64}, \"arguments\": [{\"name\": \"dt\", \"value\": 3},\n"
        "  {\"name\": \"box.y\", \"value\": 5}, {\"name\": \"lights[1].power\", \"value\": 7}, {\"name\": \"view[2].y\", \"value\": 9}]} */\n"
        "layout(local_size_x = 8) in;\n"
        "struct Light { vec3 at; float power; };\n"
        "struct Body { vec4 at; vec2 v; uint kind; };\n"
        "layout(binding = 0) uniform Scene { float dt; Light lights[2]; float weights[3]; } scene;\n"
        "layout(push_constant) uniform Push { mat3 view; vec2 box; uint count; };\n"
        "layout(binding = 1) buffer Bodies { Body bodies[]; };\n"
        "void main() { if (gl_GlobalInvocationID.x < count) bodies[gl_GlobalInvocationID.x].at *= scene.dt * box.x * view[0][0] * scene.lights[0].power * scene.weights[1]; }\n";
    hed_tune_file *file = open_bytes("scene.comp", text, sizeof text - 1);
    CHECK(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = {0};
    hed_tune_file_apply(file, &tune);
    const hed_tune_argument *arguments = tune.arguments;
    CHECK_EQ(def->argument_count, 3);
    CHECK_TEXT(def->arguments[0].name, "bodies");
    CHECK_TEXT(def->arguments[1].name, "scene");
    CHECK_EQ(arguments[0].bytes, 64u * 32);
    check_float(arguments[1].data, 0, 3);
    check_float(arguments[1].data, 16 + 16 + 12, 7);
    CHECK_EQ(def->arguments[2].kind, HED_STRUCT);
    CHECK_EQ(def->arguments[2].size, 60u);
    check_float(arguments[2].data, 32 + 4, 9);
    check_float(arguments[2].data, 48 + 4, 5);
    hed_tune_file_close(file);
}

Test(tune_shader, images_are_filled_and_compared)
{
    static const char text[] =
        "#version 450\n/* heddle {\"problem\": {\"width\": 40, \"height\": 30}} */\n"
        "layout(local_size_x = 8, local_size_y = 8) in;\n"
        "layout(binding = 0) uniform sampler2D photo;\n"
        "layout(binding = 1, rgba16f) uniform writeonly image2D picture;\n"
        "layout(set = 1, binding = 0, r32ui) uniform uimage2D counts;\n"
        "void main()\n{\n    ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
        "    imageStore(picture, at, texelFetch(photo, at, 0));\n"
        "    imageAtomicAdd(counts, at, 1u);\n}\n";
    hed_tune_file *file = open_bytes("blur.comp", text, sizeof text - 1);
    CHECK(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = {0};
    hed_tune_file_apply(file, &tune);
    static const struct {
        const char *name;
        hed_image_format format;
        hed_access access;
        uint32_t row;
    } expected[] = {{"photo", HED_IMAGE_RGBA8, HED_READ, 256},
        {"picture", HED_IMAGE_RGBA16F, HED_WRITE, 512},
        {"counts", HED_IMAGE_R32UI, HED_READ_WRITE, 256}};
    CHECK_EQ(def->argument_count, 3);
    for (int i = 0; i < 3; i++) {
        const hed_argument_def *a = &def->arguments[i];
        EXPECT_TEXT(a->name, expected[i].name);
        EXPECT(a->image.format == expected[i].format && a->image.shape == HED_IMAGE_2D &&
                   a->image.width == 40 && a->image.height == 30 &&
                   a->image.row_bytes == expected[i].row && a->access == expected[i].access,
            "%s: format %d, shape %d, %u x %u, rows of %u bytes", a->name, (int)a->image.format,
            (int)a->image.shape, a->image.width, a->image.height, a->image.row_bytes);
        CHECK_EQ(tune.arguments[i].bytes, 30u * expected[i].row);
    }
    CHECK(tune.arguments[0].data && tune.arguments[2].data);
    hed_tune_file_close(file);
}

Test(tune_shader, what_is_wrong_is_said)
{
    static const struct {
        const char *text, *words; /* a comment is in the notes: the text is read with it */
    } cases[] = {{"#version 450\nlayout(local_size_x = 1) in;\nvoid main() { no_such_thing(); }\n",
                     "blur.comp:3"},
        {"#version 450\n#extension GL_GOOGLE_include_directive : enable\n#include \"no/such.h\"\n"
         "layout(local_size_x = 1) in;\nvoid main() { }\n",
            "included files are not found: \"no/such.h\". Name their folders"},
        {"#version 450\nlayout(local_size_x = GROUP) in; // NOT_THIS\n#define TWICE 2\n"
         "layout(binding = 0) buffer B { A_TYPE b[]; };\n"
         "void main() { b[gl_GlobalInvocationID.x] = A_TYPE(TWICE * LIMIT); }\n",
            "/* heddle {\"defines\": {\"GROUP\": 64, \"A_TYPE\": \"float\", \"LIMIT\": 1}} */"},
        {"#version 450\n#define RESULT(ID, NAME) \\\n  layout(binding = ID) \\\r\n  buffer NAME\nlayout(local_size_x = GROUP) in;\n"
         "RESULT(0, B) { float b[]; };\nvoid main() { b[gl_GlobalInvocationID.x] = 1.0; }\n",
            "/* heddle {\"defines\": {\"GROUP\": 64}} */"},
        {"#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, r32f) uniform image2DMS photo;\n"
         "void main() { imageStore(photo, ivec2(0), 0, vec4(1)); }\n",
            "\"photo\""},
        {"#version 450\n/* heddle {\"problem\": {\"n\": 8}} */\nlayout(local_size_x = 1) in;\n"
         "layout(push_constant) uniform P { double at; };\n"
         "layout(binding = 0) buffer B { float b[]; };\nvoid main() { b[0] = float(at); }\n",
            "push constant \"at\" has 8 bytes"},
        {"#version 450\n/* heddle {\"problem\": {\"n\": 8}, \"defines\": {\"SIDE\": 3}} */\nlayout(local_size_x = 1) in;\n"
         "layout(binding = 0) buffer B { float b[]; };\nvoid main() { b[0] = 1.0; }\n", "the text does not have \"SIDE\""},
        {"#version 450\n/* heddle {\"problem\": {\"n\": 8}} */\nlayout(local_size_x = 1) in;\n"
         "layout(binding = 0) readonly buffer B { float b[]; };\n"
         "shared float s;\nvoid main() { s = b[0]; }\n",
            "writes no buffer"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_tune_file *file = open_bytes("blur.comp", cases[i].text, strlen(cases[i].text));
        CHECK_EQ(file != NULL, !strncmp(cases[i].words, "/* heddle", 9), "%s", error.text);
        const char *said = file ? hed_tune_file_apply(file, NULL) : error.text;
        CHECK(strstr(said, cases[i].words), "%s\ninstead of %s", said, cases[i].words);
        hed_tune_file_close(file);
    }
}

/* One parameter more than a kernel may have, and one more than macros are kept of. */
Test(tune_shader, too_many_parameters_are_counted)
{
    for (int count = 25; count <= 49; count += 24) {
        char text[4096] = "#version 450\n/* heddle {\"problem\": {\"n\": 8}, \"parameters\": {";
        for (int i = 0; i < count; i++)
            sprintf(text + strlen(text), "%s\"P%d\": [1, 2]", i ? ", " : "", i);
        strcat(text, "}} */\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { int b[]; };\n"
                     "void main() { b[0] = 0");
        for (int i = 0; i < count; i++) sprintf(text + strlen(text), " + P%d", i);
        strcat(text, "; }\n");
        CHECK_NULL(open_bytes("many.comp", text, strlen(text)));
        CHECK(strstr(error.text, "a kernel has at most 24"), "%s\n%s", error.text, error.log);
        CHECK(count == 25 || strstr(error.text, "49 parameters"), "%s", error.text);
    }
}

/* A comment with a choice of its own: what the text lacks apart from it is added to it. A buffer whose elements are a place
 * has whole numbers, and a type that only its values name is a type. */
Test(tune_shader, defines_added_to_those_of_a_comment)
{
    static const char text[] =
        "/* heddle {\"defines\": {\"HALVES\": 1}, \"problem\": {\"n\": 64}} */\n#version 450\n"
        "#ifdef HALVES\n#define FACTOR TO_TYPE(0.5)\n#endif\n#define TO_TYPE X_TYPE\n"
        "layout(local_size_x = 64) in;\nlayout(binding = 0) readonly buffer Rows { ROW_TYPE rows[]; };\n"
        "layout(binding = 1) buffer Data { Y_TYPE data[]; };\n"
        "void main() { uint row = rows[gl_GlobalInvocationID.x]; data[row] = data[row] * FACTOR; }\n";
    hed_tune_file *file = open_bytes("rows.comp", text, sizeof text - 1);
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const char *note = hed_tune_file_apply(file, NULL);
    CHECK(strstr(note, "\"ROW_TYPE\": \"uint\"") && strstr(note, "\"X_TYPE\": \"float\"") &&
              strstr(note, "\"Y_TYPE\": \"float\"") &&
              strstr(note, ", in addition to the \"defines\" of its own comment") &&
              !strstr(note, "\"HALVES\""),
        "%s", note);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    bool has_own = false;
    for (uint32_t i = 0; i < def->define_count; i++)
        has_own = has_own || !strcmp(def->defines[i].name, "HALVES");
    CHECK(has_own && def->define_count == 4);
    hed_tune_file_close(file);
}
