/* Texts in GLSL as programs have them: lines that only a loader knows, texts that a program joins or completes, resources
 * of OpenGL alone, and what is refused with its place. */
#include "folder.h"
#include "heddle/shader.h"
#include "heddle/tune_file.h"
#include "testing.h"

#include <sys/stat.h>

static hed_error error;

static const hed_device_info device = {.id = "vulkan:0",
    .backend = "vulkan",
    .type = HED_DEVICE_GPU,
    .lane_width = 32,
    .max_group = 256,
    .max_group_size = {256, 64, 64},
    .local_bytes = 16384,
    .max_buffer_bytes = 1 << 30};

TestSuite(glsl_plain, .init = folder_make, .fini = folder_remove);

static hed_tune_file *open_text(const char *name, const char *text)
{
    hed_tune_file *file = NULL;
    const char *path = in_folder(name);
    write_file(path, text, strlen(text));
    error = (hed_error){0};
    if (hed_tune_file_open(path, &device, &file, &error) == HED_ERROR_IO) test_skip("%s", error.text);
    return file;
}

static void check_opens(const char *name, const char *text)
{
    hed_tune_file *file = open_text(name, text);
    CHECK_NOT_NULL(file, "%s: %s\n%s", name, error.text, error.log);
    hed_tune_file_close(file);
}

static void check_refused(const char *name, const char *text, const char *words)
{
    CHECK_NULL(open_text(name, text));
    CHECK(strstr(error.text, words), "%s\ninstead of %s", error.text, words);
}

/* The text is read as with a comment, which the notes show; with it written there as well. */
static void check_mended(const char *name, const char *text, const char *comment)
{
    char mended[2048];
    hed_tune_file *file = open_text(name, text);
    CHECK_NOT_NULL(file, "%s: %s\n%s", name, error.text, error.log);
    const char *note = hed_tune_file_apply(file, NULL);
    CHECK(note && strstr(note, comment), "%s\ninstead of %s", note, comment);
    hed_tune_file_close(file);
    snprintf(mended, sizeof mended, "%s\n%s", comment, text);
    check_opens(name, mended);
}

#define BUFFER "layout(std430, binding = 0) buffer B { float b[]; };\n"
#define HEAD "#version 450\nlayout(local_size_x = 64) in;\n" BUFFER

/* `#insert` and Godot's `res://` name files of the program's folders. */
Test(glsl_plain, lines_of_loaders)
{
    static const char part[] = "float twice(float x) { return 2.0 * x; }\n",
                      body[] = "void main() { b[gl_GlobalInvocationID.x] = twice(1.0); }\n";
    static const char *const lines[] = {"#insert part", "#insert part.glsl", "#import <part>",
        "#include part", "#include \"res://shaders/part.glsl\"", "#pragma include \"part\"",
        "AppInclude(shaders/part.glsl)", "#include \"Shaders/Part.GLSL\""};
    CHECK(!mkdir(in_folder("shaders"), 0700));
    write_file(in_folder("shaders/part.glsl"), part, sizeof part - 1);
    for (size_t i = 0; i < HED_COUNT(lines); i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD "%s\n%s%s", lines[i], i < 2 ? lines[i] : "", i < 2 ? "\n" : "");
        strcat(text, body);
        check_opens("shaders/own.comp", text);
    }
}

/* Numbers as drivers take them, 2f, and types of HLSL that a program defines. */
Test(glsl_plain, leniences_of_drivers)
{
    hed_tune_file *file = open_text("own.comp", HEAD "/* 3f */\n#define E 1e+5f + 0x1f + 1.5f + b2f.x\n"
                                                "void main() { vec2 b2f = vec2(2f); b[gl_GlobalInvocationID.x] = E/3f; }\n");
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const char *made = hed_tune_file_kernel(file)->sources[0].text;
    CHECK(strstr(made, "/* 3f */") && strstr(made, "1e+5f + 0x1f + 1.5f + b2f.x") &&
              strstr(made, "vec2(2.0f)") && strstr(made, "E/3.0f"),
        "%s", made);
    hed_tune_file_close(file);
    check_mended("own.comp",
        HEAD "struct P { float3 at; };\nvoid main() { P p = P(float3(1.0)); b[gl_GlobalInvocationID.x] = p.at.y; }\n",
        "/* heddle {\"defines\": {\"float3\": \"vec3\"}} */");
}

/* Of a text with parts, `-- NAME`, the first compute shader. */
Test(glsl_plain, parts_with_names)
{
    check_opens("own.glsl", "-- Vertex\nvoid main() { gl_Position = vec4(0); }\n-- First\n" HEAD
                            "void main() { b[gl_GlobalInvocationID.x] = 1.0; }\n-- Second\n" HEAD "void main() { wrong(); }\n");
}

/* What is missing after the text was read with what is found beside it is said with the comment. */
Test(glsl_plain, failures_after_a_remedy)
{
    static const char type[] = "#define LANE float\n";
    write_file(in_folder("lane.glsl"), type, sizeof type - 1);
    check_refused("own.comp", HEAD "void main() { LANE x = 1.0; b[0] = x; wrong(x); }\n",
        "/* heddle {\"source\": [\"own.comp\", \"lane.glsl\"]} */, which says what the text alone lacks");
}

/* A comment of the user's own is not changed: the failure is that of the text with it. */
Test(glsl_plain, comments_that_lack_a_file)
{
    static const char type[] = "#define LANE float\n";
    write_file(in_folder("lane.glsl"), type, sizeof type - 1);
    check_refused("own.comp",
        "/* heddle {\"source\": [\"own.comp\"]} */\n" HEAD "void main() { LANE x = 1.0; b[0] = x; }\n",
        "names that it uses, and its program joins them. Write as the first line /* heddle {\"source\": [\"own.comp\", \"lane.glsl\"]} */");
    CHECK(!strstr(error.text, "which says what the text alone lacks"), "%s", error.text);
}

Test(glsl_plain, endings_of_files)
{
    static const char *const names[] = {"a.comp", "a.comp.glsl", "a.compute", "a.cs", "a.csh"};
    for (size_t i = 0; i < HED_COUNT(names); i++)
        check_opens(names[i], HEAD "void main() { b[gl_GlobalInvocationID.x] = 1.0; }\n");
}

/* A uniform of a struct is a block of its own; a counter is a number in a buffer. */
Test(glsl_plain, uniforms_of_opengl_alone)
{
    hed_tune_file *file = open_text("own.comp",
        "#version 430\nlayout(local_size_x = 8) in;\n"
        "struct Lamp { vec3 place;\n float power; };\nuniform float gain;\n"
        "uniform Lamp\n  lamp;\nuniform Lamp lamps[3];\n" BUFFER
        "layout(binding = 0, offset = 4) uniform atomic_uint found;\n"
        "layout(std430, binding = 1) writeonly buffer L { uint list[]; };\n"
        "void main() {\n"
        "  uint i = gl_GlobalInvocationID.x;\n"
        "  if (b[i] * gain > lamp.power + lamps[i % 3u].power) list[atomicCounterIncrement(found)] = i;\n"
        "  else if (atomicCounter(found) > 8u) atomicCounterDecrement(found);\n}\n");
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    CHECK_EQ(kernel->argument_count, 6, "b, list, the counter, and three blocks");
    CHECK(strstr(kernel->sources[0].text, "list[atomicAdd(found, 1u)]"));
    CHECK(strstr(kernel->sources[0].text, "(atomicAdd(found, 0xffffffffu) - 1u)"));
    CHECK(strstr(kernel->sources[0].text, "uint(found) > 8u"));
    hed_tune_file_close(file);
    check_opens("double.comp", "#version 430\nlayout(local_size_x = 8) in;\nuniform double step;\nuniform dvec2 origin;\n" BUFFER
                               "void main() { b[gl_GlobalInvocationID.x] *= float(step * origin.y); }\n");
    /* lines keep their numbers */
    check_refused("own.comp",
        "#version 430\nlayout(local_size_x = 8) in;\nstruct A { float x; };\nuniform A\n\n a;\n" BUFFER
        "void main() { b[0] = a.x + nothing(); }\n",
        "own.comp:8: ");
}

/* Items that take places in a list by an atomic operation come in any order; those that only count do not. */
Test(glsl_plain, lists_in_any_order)
{
    static const char head[] =
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
        "layout(binding = 1) buffer C { uint count; };\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n  ";
    static const struct {
        const char *code;
        hed_compare compare;
    } rows[] = {{"b[atomicAdd(count, 1u)] = i;\n}\n", HED_COMPARE_SORTED},
        {"uint place = atomicExchange(count, i);\n  if (place < 9u) b[place] = i;\n}\n", HED_COMPARE_SORTED},
        {"b[i] = i;\n  atomicAdd(count, 1u);\n}\n", HED_COMPARE_EACH}};
    for (size_t i = 0; i < HED_COUNT(rows); i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", head, rows[i].code);
        hed_tune_file *file = open_text("list.comp", text);
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        CHECK_EQ(
            hed_tune_file_kernel(file)->arguments[0].compare, rows[i].compare, "%s", rows[i].code);
        hed_tune_file_close(file);
    }
}

/* A simulation's 30 parameters and 4 buffers are more than a kernel's arguments: the numbers are one of them. */
Test(glsl_plain, more_push_constants_than_arguments)
{
    char text[2048] = "#version 450\nlayout(local_size_x = 64) in;\nlayout(push_constant) uniform P {\n";
    for (int i = 0; i < 30; i++) snprintf(text + strlen(text), 32, "float m%d;\n", i);
    strcat(text, "} p;\n");
    for (int i = 0; i < 4; i++)
        snprintf(text + strlen(text), 96, "layout(binding = %d) buffer B%d { float b%d[]; };\n", i, i, i);
    strcat(text, "void main() { uint i = gl_GlobalInvocationID.x; b0[i] = b1[i] + b2[i] * p.m29 + b3[i] * p.m0; }\n");
    hed_tune_file *file = open_text("own.comp", text);
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    CHECK_EQ(kernel->argument_count, 5);
    CHECK_EQ(kernel->arguments[4].kind, HED_STRUCT);
    CHECK_EQ(kernel->arguments[4].size, 120);
    hed_tune_file_close(file);
}

/* Operations that SPIR-V has since 1.5, and types that drivers take without a line of the text. */
Test(glsl_plain, newer_and_wider_than_the_text_says)
{
    check_opens("own.comp",
        "#version 450\n#extension GL_KHR_shader_subgroup_ballot : enable\nlayout(local_size_x = 64) in;\n" BUFFER
        "void main() { uint i = gl_GlobalInvocationID.x; b[i] = subgroupBroadcast(b[i], gl_SubgroupInvocationID / 2u); }\n");
    check_opens("own.comp",
        "#version 450\n#extension GL_EXT_shader_8bit_storage : enable\nlayout(local_size_x = 64) in;\n" BUFFER
        "layout(std430, binding = 1) readonly buffer Q { uint8_t q[]; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x; uint8_t x = q[i] + q[i + 1u]; b[i] = float(uint(x)); }\n");
}

Test(glsl_plain, texts_that_a_program_joins)
{
    static const char shapes[] = "struct Disc { Point at; float radius; };\n",
                      points[] = "struct Point { float x, y; };\n",
                      other[] = "#version 450\nstruct Disc { int wrong; };\nvoid main() { }\n",
                      text[] = "#version 430\n#extension GL_KHR_shader_subgroup_basic : enable\n\n"
                               "layout(local_size_x = 64) in;\n"
                               "layout(std430, binding = 0) buffer D { Disc discs[]; };\n"
                               "void main() { discs[gl_GlobalInvocationID.x].radius = 1.0; }\n";
    write_file(in_folder("shapes.glsl"), shapes, sizeof shapes - 1);
    write_file(in_folder("points.glsl"), points, sizeof points - 1);
    write_file(in_folder("other.comp"), other, sizeof other - 1);
    check_mended("own.comp", text,
        "/* heddle {\"source\": [\"own.comp\", \"points.glsl\", \"shapes.glsl\"]} */");
    char wrong[512];
    snprintf(wrong, sizeof wrong, "/* heddle {\"source\": [\"own.comp\", \"points.glsl\", \"shapes.glsl\"]} */\n%s", text);
    memcpy(strstr(wrong, "discs[gl"), "disks", 5);
    check_refused("own.comp", wrong, "own.comp:7: "); /* not moved by the inserted texts */
}

/* A text beside it defines the types of each of its formats in a branch: which one, its program says. */
Test(glsl_plain, types_that_a_program_chooses)
{
    static const char types[] = "layout(binding = 7) readonly buffer P { int other[]; };\nconst uint[1] grid = {1u};\n#if defined(DATA_PAIR)\n#define A_TYPE uvec2\n#endif\n"
                                "#if defined(DATA_F16)\n#define A_TYPE float16_t\n#endif\n";
    write_file(in_folder("types.glsl"), types, sizeof types - 1);
    check_mended("own.comp",
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) readonly buffer A { A_TYPE a[]; };\n"
        "layout(binding = 1) buffer D { D_TYPE d[]; };\nlayout(binding = 2) readonly buffer V { A_TYPE_VEC4 v[]; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x; d[i] = D_TYPE(a[i] + v[i].x); }\n",
        "/* heddle {\"defines\": {\"A_TYPE\": \"float\", \"D_TYPE\": \"float\", \"A_TYPE_VEC4\": \"vec4\"}} */");
}

/* A program builds many kernels of one text by macros: those that open a branch with a missing name are found, the one in
 * the file's name before the first; names whose presence the text tests need not be there. */
Test(glsl_plain, kernels_that_a_program_builds)
{
    static const char text[] =
        "#version 450\nlayout(local_size_x = 64) in;\n"
        "#if defined(KIND_A_F32) || defined(KIND_A_F64)\n#if WIDE == 4\n#define KIND vec4\n#else\n#define KIND float\n"
        "#define KIND_PACKED vec4\n#endif\n#elif defined(KIND_A_Q8_0)\n#define KIND uint\n#endif\n"
        "layout(binding = 0) buffer B { KIND b[]; };\n"
        "#if defined(KIND_PACKED)\nlayout(binding = 0) buffer P { KIND_PACKED packed_b[]; };\n#endif\n"
        "#ifdef PAIR_TYPEV2\nlayout(binding = 1) buffer C { PAIR_TYPEV2 pairs[]; };\n#endif\n"
        "void main() { uint i = gl_GlobalInvocationID.x; b[i] += KIND(pairs[i].x); }\n";
    check_mended("scale.comp", text, "/* heddle {\"defines\": {\"KIND_A_F32\": 1, \"PAIR_TYPEV2\": \"vec2\"}} */");
    check_mended("scale_q8_0.comp", text, "/* heddle {\"defines\": {\"KIND_A_Q8_0\": 1, \"PAIR_TYPEV2\": \"vec2\"}} */");
    hed_tune_file *file = open_text("scale.comp", text);
    const char *note = hed_tune_file_apply(file, NULL);
    CHECK(strstr(note, "its program defines one of KIND_A_F32, KIND_A_Q8_0"), "%s", note);
    hed_tune_file_close(file);
    /* a condition that the macros meet in part */
    check_mended("part.comp",
        "#version 450\nlayout(local_size_x = 64) in;\n#define WIDE 1\n#if defined(KIND_B) && defined(LONG_B)\n#define KIND float\n#endif\n"
        "layout(binding = 0) buffer B { KIND b[]; };\nvoid main() { b[gl_GlobalInvocationID.x] += 1.0; }\n",
        "/* heddle {\"defines\": {\"KIND_B\": 1, \"LONG_B\": 1}} */");
}

Test(glsl_plain, placeholders_of_a_program)
{
    check_opens("own.comp",
        "#version 450\n#extension GL_EXT_control_flow_attributes : enable\nlayout(local_size_x = 64) in;\n" BUFFER
        "void main() { [[unroll]] for (int i = 0; i < 4; i++) b[gl_GlobalInvocationID.x] += 1.0; }\n");
    check_mended("own.comp",
        "#version 450\nlayout(local_size_x = {{ GROUP_X }}) in;\nlayout(binding = [[PLACE]]) buffer B { float b[]; };\n"
        "void main() { b[gl_GlobalInvocationID.x] = ${SCALE} * @GAIN@; }\n",
        "/* heddle {\"defines\": {\"GROUP_X\": 8, \"PLACE\": 0, \"SCALE\": 1, \"GAIN\": 1}} */");
}

/* A header that C shares has a branch of its own. */
Test(glsl_plain, headers_shared_with_c)
{
    check_mended("own.comp",
        "#version 450\n#ifndef SHARED_H\n#define SHARED_H\n#ifdef IN_SHADER\n#define REAL float\n#else\n"
        "typedef float REAL;\n#endif\n#endif\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer B { REAL b[]; };\nvoid main() { b[gl_GlobalInvocationID.x] = 1.0; }\n",
        "/* heddle {\"defines\": {\"IN_SHADER\": 1}} */");
    check_mended("own.comp",
        "#version 450\n#ifndef IN_SHADER\ntypedef float vec2[2];\n#endif\n"
        "layout(local_size_x = 64) in;\n" BUFFER "void main() { b[gl_GlobalInvocationID.x] = 1.0; }\n",
        "/* heddle {\"defines\": {\"IN_SHADER\": 1}} */");
}

/* Names of bindings get numbers that the text leaves free, a name of two sizes is a side, and names of branches count if
 * the branch is open. */
Test(glsl_plain, names_with_their_places)
{
    check_mended("own.comp",
        "#version 450\nlayout(local_size_x = SIDE, local_size_y = SIDE) in;\n" BUFFER
        "layout(binding = BIND_A) buffer A { float a[]; };\nlayout(binding = BIND_C) buffer C { float c[]; };\n"
        "#ifdef NEVER\nint x = HIDDEN;\n#else\nfloat scale = OPEN_SCALE;\n#endif\n"
        "void main() { b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.y] * c[0] * scale; }\n",
        "/* heddle {\"defines\": {\"SIDE\": 16, \"BIND_A\": 1, \"BIND_C\": 2, \"OPEN_SCALE\": 1}} */");
}

Test(glsl_plain, refusals_have_places)
{
    check_refused("own.comp",
        "#version 460\n#extension GL_EXT_buffer_reference_uvec2 : require\nlayout(local_size_x = 64) in;\n"
        "layout(buffer_reference, std430) buffer Out { float b[]; };\n"
        "layout(push_constant) uniform P { uvec2 address; } p;\n"
        "void main() { Out(p.address).b[gl_GlobalInvocationID.x] = 1.0; }\n",
        "buffer_reference in line 4");
    check_refused("own.comp",
        "#version 460\n#extension GL_EXT_ray_query : require\nlayout(local_size_x = 64) in;\n" BUFFER
        "layout(binding = 1) uniform accelerationStructureEXT scene;\n"
        "void main() { rayQueryEXT q; rayQueryInitializeEXT(q, scene, 0, 255, vec3(0), 0.0, vec3(1), 9.0);\n"
        "  b[gl_GlobalInvocationID.x] = rayQueryProceedEXT(q) ? 1.0 : 0.0; }\n",
        "an acceleration structure, of ray tracing");
    CHECK(strstr(error.text, "\"scene\" is declared in line 5"), "%s", error.text);
}

/* Sizes of items that do not work together are specialization constants: one compiled module serves all. */
Test(glsl_plain, one_module_for_all_sizes)
{
    static const struct {
        const char *body, *words;
    } cases[] = {{"b[gl_GlobalInvocationID.x + 64u * gl_GlobalInvocationID.y] = 1.0;",
                     "\nlayout(constant_id = 1900) const uint WG_X = 16u; layout(constant_id = 1901) const uint WG_Y = 4u; "
                     "layout(local_size_x_id = 1900, local_size_y_id = 1901) in;\n"},
        {"b[gl_WorkGroupID.x * 16u + gl_LocalInvocationID.x] = 1.0;",
            "layout(local_size_x = WG_X, local_size_y = WG_Y) in;\n"}};
    static const int64_t wide[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text,
            "#version 450\nlayout(local_size_x = 16, local_size_y = 4) in;\n" BUFFER "void main() { %s }\n",
            cases[i].body);
        hed_tune_file *file = open_text("own.comp", text);
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        const hed_kernel_def *kernel = hed_tune_file_kernel(file);
        CHECK(strstr(kernel->sources[0].text, cases[i].words), "%s", kernel->sources[0].text);
        CHECK_EQ(kernel->parameter_count, 2);
        CHECK_TEXT(kernel->parameters[0].name, "WG_X");
        CHECK_EQ(kernel->parameters[0].count, HED_COUNT(wide));
        CHECK_BYTES(kernel->parameters[0].values, wide, sizeof wide);
        CHECK_EQ(kernel->parameters[0].value, 16);
        hed_tune_file_close(file);
    }
}

/* Sizes in brackets, through names, as products, and in layouts of their own. */
Test(glsl_plain, forms_of_sizes)
{
    static const struct {
        const char *head, *body;
        uint32_t parameters;
        int64_t value;
    } cases[] = {{"#define GROUP (32)\nlayout(local_size_x = GROUP) in;\n", "", 1, 32},
        {"#define BASE 32\n#define GROUP BASE\nlayout(local_size_x = GROUP, local_size_y = 1) in;\n", "", 1, 32},
        {"const uint SIDE = 4;\nlayout(local_size_x = SIDE * SIDE * 2) in;\n", "", 1, 32},
        {"layout(local_size_x = 32) in;\nlayout(local_size_y = 8) in;\n", "", 2, 32},
        /* a factor of the size has other uses where items work together */
        {"#define SIDE 8\nlayout(local_size_x = SIDE * SIDE) in;\nshared float s[SIDE];\n", "s[gl_LocalInvocationIndex % 8u] = 1.0; ", 0, 0},
        /* branches choose the size */
        {"#ifdef WIDE\nlayout(local_size_x = 64) in;\n#else\nlayout(local_size_x = 32) in;\n#endif\n", "", 1, 32}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof text, "#version 450\n%s" BUFFER "void main() { %sb[gl_GlobalInvocationID.x] = 1.0; }\n",
            cases[i].head, cases[i].body);
        hed_tune_file *file = open_text("own.comp", text);
        CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
        const hed_kernel_def *kernel = hed_tune_file_kernel(file);
        CHECK_EQ(kernel->parameter_count, cases[i].parameters, "case %zu", i);
        if (cases[i].parameters) CHECK_EQ(kernel->parameters[0].value, cases[i].value, "case %zu", i);
        hed_tune_file_close(file);
    }
}

/* A line that Godot replaces, and names and a group that ncnn puts before each text. */
Test(glsl_plain, preludes_of_engines)
{
    check_opens("own.glsl",
        "#[compute]\n\n#version 450\n\n#VERSION_DEFINES\n\nlayout(local_size_x = 64) in;\n" BUFFER
        "void main() { b[gl_GlobalInvocationID.x] = 1.0; }\n");
    hed_tune_file *file = open_text("scale.comp",
        "#version 450\n#if NCNN_fp16_storage\n// halves\n#extension GL_EXT_shader_16bit_storage: require\n#endif\n\n"
        "layout (constant_id = 0) const int w = 0;\nlayout (constant_id = 1) const int h = 0;\n"
        "layout (binding = 0) readonly buffer bottom { sfp bottom_data[]; };\n"
        "layout (binding = 1) writeonly buffer top { sfpvec4 top_data[]; };\n"
        "layout (push_constant) uniform parameter { int w; int h; } p;\n"
        "void main()\n{\n  int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y);\n"
        "  if (x >= psc(w) || y >= psc(h)) return;\n  int i = y * psc(w) + x;\n"
        "  afpvec4 v = afpvec4(buffer_ld1(bottom_data, i)) * afp(0.5f);\n  buffer_st4(top_data, i, v);\n}\n");
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const hed_kernel_def *kernel = hed_tune_file_kernel(file);
    CHECK_EQ(kernel->parameter_count, 2);
    CHECK_EQ(kernel->parameters[0].value, 8);
    CHECK(strstr(hed_tune_file_apply(file, NULL), "names of ncnn are defined"));
    hed_tune_file_close(file);
    check_refused("scale.comp",
        "#version 450\n#if NCNN_fp16_storage\n#extension GL_EXT_shader_16bit_storage: require\n#endif\n"
        "layout (binding = 0) buffer top { sfp top_data[]; };\n"
        "void main() { buffer_st1(top_data, gl_GlobalInvocationID.x, nothing()); }\n",
        "scale.comp:6: ");
    /* a word that nothing defines is in the line that the error quotes */
    check_refused("bytes.comp",
        "#version 450\n\nlayout (binding = 0) buffer top { sfp top_data[]; };\n"
        "  layout (binding = 1) buffer low { sint8vec4 low_data[]; };\n"
        "void main() { top_data[0] = sfp(0.5f); }\n",
        " in: layout (binding = 1) buffer low { sint8vec4 low_data[]; };\n");
    /* a text of its own names is left alone */
    check_refused("own.comp", HEAD "void main() { b[0] = psc(1.0); }\n", "'psc'");
}

/* Constants that begin with uniforms, which drivers of OpenGL take: they become variables, and no other constant does. */
Test(glsl_plain, constants_that_begin_with_uniforms)
{
    hed_tune_file *file = open_text("tiles.comp",
        "#version 450\nuniform uint groups;\nlayout(binding = 1) uniform Block { uint rows; } block;\n"
        "const uint WIDTH = groups;\nconst uvec2 SIZE[1] = uvec2[](uvec2(WIDTH, 2)); // const\nconst uint FIXED = 4;\n"
        "const uint ROWS = block.rows;\n"
        "layout(local_size_x = 64) in;\nlayout(binding = 0) buffer Data { uint data[]; };\n"
        "uint twice(const uint x) { const uint y = x; return y * groups; }\n"
        "void main() { data[gl_GlobalInvocationID.x] = twice(SIZE[0].x) + FIXED + ROWS; }\n");
    CHECK_NOT_NULL(file, "%s\n%s", error.text, error.log);
    const char *text = hed_tune_file_kernel(file)->sources[0].text;
    CHECK(strstr(text, "\n      uint WIDTH") && strstr(text, "\n      uvec2 SIZE") && strstr(text, "\n      uint ROWS"),
        "%s", text);
    CHECK(strstr(text, "\nconst uint FIXED") && strstr(text, "(const uint x) { const uint y") && strstr(text, "// const"),
        "%s", text);
    hed_tune_file_close(file);
}
