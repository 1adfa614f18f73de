/* What a shader says of itself: GLSL is compiled, and its module read; modules that are damaged are
 * refused. */
#include "heddle/shader.h"
#include "shader/glsl.h"
#include "testing.h"

static hed_error error;
static hed_allocator allocator;

static const char blur[] =
    "// layout(constant_id = 9) const int NONE = 1;\n"
    "#version 450\n"
    "layout(local_size_x_id = 0, local_size_y_id = 1) in;\n"
    "layout(constant_id = 0) const int WG_X = 16;\n"
    "layout( constant_id=1 ) const uint WG_Y = 8;\n"
    "layout(constant_id = 2) const bool TILED = true;\n"
    "layout(constant_id = 5) const float SCALE = 2.0;\n"
    "const int WIDE = WG_X * 2 + 16;\n"
    "shared float tile[TILED ? WIDE * 3 : 1];\n"
    "shared uvec2 pair;\n"
    "layout(std430, binding = 4) writeonly buffer Result { vec4 result[]; };\n"
    "layout(std430, binding = 1) readonly buffer Source { float source[]; };\n"
    "layout(std430, binding = 2) buffer Both { int first; int both[]; } named;\n"
    "layout(push_constant) uniform Size { int width; float gain; uint height; };\n"
    "void main()\n"
    "{\n"
    "    tile[gl_LocalInvocationIndex % 2] = source[0];\n"
    "    pair = uvec2(width, height);\n"
    "    barrier();\n"
    "    result[VALUE] = vec4(tile[0] * gain * SCALE + float(pair.x) + float(named.both[0]));\n"
    "}\n";

static void *compile(const char *text, size_t *size)
{
    const hed_source source = {"blur.comp", text, 0};
    const hed_define defines[] = {{"VALUE", "3"}, {"WG_X", "99"}};
    const hed_glsl_def def = {.name = "blur",
        .sources = &source,
        .source_count = 1,
        .defines = defines,
        .define_count = 2,
        .allocator = hed_default_allocator()};
    void *words = NULL;
    allocator = hed_default_allocator();
    error = (hed_error){0};
    if (hed_shader_compile_glsl(&def, &words, size, &error) == HED_ERROR_IO)
        test_skip("%s", error.text);
    CHECK(!error.status, "%s\n%s", error.text, error.log);
    return words;
}

static void release(void *words, size_t size)
{
    allocator.release(allocator.user, words, size + 1);
}

static const hed_shader_constant *constant_of(const hed_shader *shader, const char *name)
{
    for (uint32_t i = 0; i < shader->constant_count; i++)
        if (!strcmp(shader->constants[i].name, name)) return &shader->constants[i];
    FAIL("no constant %s", name);
    return NULL;
}

Test(shader, the_compiler_is_the_one_that_the_environment_names)
{
    const hed_source source = {"blur.comp", blur, 0};
    const hed_glsl_def def = {
        .name = "blur", .sources = &source, .source_count = 1, .allocator = hed_default_allocator()};
    void *words;
    size_t size;
    error = (hed_error){0};
    setenv("HEDDLE_GLSL_COMPILER", "/none/glslc", 1);
    FAILS(HED_ERROR_IO, hed_shader_compile_glsl(&def, &words, &size, &error));
    CHECK(strstr(error.text, "/none/glslc"), "%s", error.text);
}

Test(shader, constants_and_group)
{
    size_t size;
    void *words = compile(blur, &size);
    hed_shader s;
    OK(hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
    CHECK_EQ(s.constant_count, 4); /* one for each id, though local_size_x_id makes a second */
    CHECK_EQ(constant_of(&s, "WG_X")->value, 16);
    CHECK_EQ(constant_of(&s, "WG_Y")->type, HED_UINT32);
    CHECK_EQ(constant_of(&s, "TILED")->value, 1);
    CHECK_EQ(constant_of(&s, "TILED")->type, HED_BYTES);
    CHECK_EQ(constant_of(&s, "SCALE")->id, 5);
    CHECK_EQ(constant_of(&s, "SCALE")->value, 2);
    CHECK_TEXT(s.constants[s.group_constant[0]].name, "WG_X");
    CHECK_TEXT(s.constants[s.group_constant[1]].name, "WG_Y");
    CHECK_EQ(s.group_constant[2], -1);
    CHECK_EQ(s.group[2], 1);
    CHECK_EQ(s.local_bytes, (16 * 2 + 16) * 3 * 4 + 16);
    CHECK(strstr(s.local_text, "WG_X") && strstr(s.local_text, "select("), "%s", s.local_text);
    const hed_shader_value values[] = {{0, 32}, {1, 4}, {2, 0}};
    OK(hed_shader_read_spirv(words, size, "main", values, 3, &allocator, &s, &error));
    CHECK(s.group[0] == 32 && s.group[1] == 4);
    CHECK_EQ(s.local_bytes, 32); /* four bytes and eight, each to a multiple of 16 */
    release(words, size);
}

/* Lengths by gl_WorkGroupSize, whose components are taken out of a vector of constants. */
Test(shader, shared_lengths_by_the_group)
{
    size_t size;
    void *words = compile(
        "#version 450\nlayout(local_size_x_id = 0, local_size_y = 2) in;\n"
        "layout(constant_id = 1) const int TOP = 3;\n"
        "shared float values[gl_WorkGroupSize.x]; shared int top[int(gl_WorkGroupSize.y) * TOP + int(gl_WorkGroupSize.x)];\n"
        "layout(binding = 0) buffer Out { float result[]; };\n"
        "void main() { values[gl_LocalInvocationIndex] = 1.0; top[0] = 1; result[0] = values[0] + float(top[0]); }\n",
        &size);
    const hed_shader_value values[] = {{0, 64}, {1, 5}};
    hed_shader s;
    OK(hed_shader_read_spirv(words, size, "main", values, 2, &allocator, &s, &error));
    CHECK_EQ(s.local_bytes, 64 * 4 + (2 * 5 + 64 + 2) / 4 * 4 * 4);
    CHECK(strstr(s.local_text, "constant_0 * 4") && strstr(s.local_text, "TOP"), "%s", s.local_text);
    release(words, size);
}

/* Two variables with one set and binding. */
Test(shader, variables_of_one_binding)
{
    static const char head[] = "#version 450\nlayout(local_size_x = 1) in;\n"
                               "layout(set = 1, binding = 0) buffer Plain { uint plain[]; };\n"
                               "layout(set = 1, binding = 1) uniform sampler other;\n"
                               "layout(set = 1, binding = 2) uniform texture2D map;\n";
    static const struct {
        const char *text;
        uint32_t bindings;
        int32_t resource; /* of the binding that two variables share; -1: not checked */
        uint32_t index;
    } cases[] = {{"layout(set = 1, binding = 0) readonly buffer Pairs { uvec2 pairs[]; };\n"
                  "void main() { plain[0] = pairs[1].x; }\n",
                     3, HED_SHADER_BUFFER, 0},
        {"layout(set = 1, binding = 0, r32f) uniform image2D drawn;\n"
         "void main() { plain[0] = uint(imageLoad(drawn, ivec2(0)).x); }\n",
            4, -1, 0},
        {"layout(set = 1, binding = 0) uniform Numbers { uint number; };\n"
         "void main() { plain[0] = number; }\n",
            4, -1, 0},
        {"layout(set = 1, binding = 0, r32f) uniform image2D drawn;\nvoid main() { plain[0] = 1; }\n", 3, HED_SHADER_BUFFER, 0},
        {"layout(set = 1, binding = 0, r32f) uniform image2D drawn;\n"
         "void main() { imageStore(drawn, ivec2(0), vec4(1)); }\n",
            3, HED_SHADER_STORAGE_IMAGE, 0},
        {"layout(set = 1, binding = 2) uniform sampler own;\n"
         "void main() { plain[0] = uint(texture(sampler2D(map, own), vec2(0)).x); }\n",
            3, HED_SHADER_SAMPLED, 2},
        {"layout(set = 1, binding = 1) uniform texture3D volume;\n"
         "void main() { plain[0] = uint(texture(sampler3D(volume, other), vec3(0)).x); }\n",
            3, HED_SHADER_SAMPLED, 1},
        {"layout(set = 1, binding = 2) uniform texture3D volume;\n"
         "void main() { plain[0] = uint(texelFetch(sampler3D(volume, other), ivec3(0), 0).x + texelFetch(sampler2D(map, other), ivec2(0), 0).x); }\n",
            4, -1, 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[1024];
        size_t size;
        hed_shader s;
        snprintf(text, sizeof text, "%s%s", head, cases[i].text);
        void *words = compile(text, &size);
        OK(hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
        CHECK_EQ(s.binding_count, cases[i].bindings, "%s", cases[i].text);
        if (cases[i].resource >= 0)
            CHECK_EQ(
                (int)s.bindings[cases[i].index].resource, cases[i].resource, "%s", cases[i].text);
        release(words, size);
    }
}

Test(shader, buffers_and_scalars)
{
    size_t size;
    void *words = compile(blur, &size);
    hed_shader s;
    OK(hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
    CHECK_EQ(s.binding_count, 3);
    static const struct {
        const char *name;
        uint32_t binding;
        hed_access access;
        hed_type type;
        uint32_t components;
    } expected[] = {{"source", 1, HED_READ, HED_FLOAT, 1},
        {"named", 2, HED_READ_WRITE, HED_INT32, 1}, {"result", 4, HED_WRITE, HED_FLOAT, 4}};
    for (int i = 0; i < 3; i++) {
        const hed_shader_binding *b = &s.bindings[i];
        EXPECT_TEXT(b->name, expected[i].name);
        EXPECT(b->binding == expected[i].binding && b->access == expected[i].access &&
                   b->type == expected[i].type && b->components == expected[i].components,
            "%s: binding %u, access %d, type %d", b->name, b->binding, b->access, b->type);
    }
    CHECK_EQ(s.member_count, 3);
    CHECK_TEXT(s.members[1].name, "gain");
    CHECK(s.members[1].type == HED_FLOAT && s.members[1].offset == 4 && s.member_bytes == 12);
    release(words, size);
}

Test(shader, what_has_no_argument_is_refused_by_name)
{
    static const char *const texts[] = {
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 3, r32f) uniform image2D photo[2];\n"
        "void main() { imageStore(photo[1], ivec2(0), vec4(VALUE)); }\n",
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 3) uniform sampler2DMS photo;\n"
        "layout(binding = 1) buffer Out { float o; };\n"
        "void main() { o = texelFetch(photo, ivec2(VALUE), 0).x; }\n",
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 3) buffer Out { float o; } photo[2];\n"
        "void main() { photo[1].o = float(VALUE); }\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t size;
        void *words = compile(texts[i], &size);
        hed_shader s;
        FAILS(HED_ERROR_UNSUPPORTED,
            hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
        EXPECT(strstr(error.text, "photo") && strstr(error.text, "binding 3"), "%s", error.text);
        release(words, size);
    }
}

Test(shader, images_have_shape_format_and_access)
{
    size_t size;
    void *words = compile(
        "#version 450\nlayout(local_size_x = 1) in;\n"
        "layout(set = 1, binding = 3, r32f) uniform image3D volume;\n"
        "layout(binding = 2) uniform writeonly uimage2DArray layers;\n"
        "layout(binding = 1) uniform samplerCube sky;\n"
        "layout(binding = 4) uniform texture2D photo;\n"
        "layout(binding = 5) uniform sampler linear;\n"
        "void main()\n"
        "{\n"
        "    vec4 v = textureLod(sky, vec3(1), 0.0) + texture(sampler2D(photo, linear), vec2(0));\n"
        "    imageStore(volume, ivec3(0), v + imageLoad(volume, ivec3(1)));\n"
        "    imageStore(layers, ivec3(0), uvec4(VALUE));\n"
        "}\n",
        &size);
    static const struct {
        const char *name;
        hed_shader_resource resource;
        hed_image_format format;
        hed_image_shape shape;
        hed_access access;
    } expected[] = {{"sky", HED_SHADER_SAMPLED, HED_IMAGE_NONE, HED_IMAGE_CUBE, HED_READ},
        {"layers", HED_SHADER_STORAGE_IMAGE, HED_IMAGE_NONE, HED_IMAGE_2D_ARRAY, HED_WRITE},
        {"photo", HED_SHADER_TEXTURE, HED_IMAGE_NONE, HED_IMAGE_2D, HED_READ},
        {"linear", HED_SHADER_SAMPLER, HED_IMAGE_NONE, HED_IMAGE_1D, HED_READ},
        {"volume", HED_SHADER_STORAGE_IMAGE, HED_IMAGE_R32F, HED_IMAGE_3D, HED_READ_WRITE}};
    hed_shader s;
    OK(hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
    CHECK_EQ(s.binding_count, 5);
    for (int i = 0; i < 5; i++) {
        const hed_shader_binding *b = &s.bindings[i];
        EXPECT_TEXT(b->name, expected[i].name);
        EXPECT(b->resource == expected[i].resource && b->format == expected[i].format &&
                   b->shape == expected[i].shape && b->access == expected[i].access,
            "%s: resource %d, format %d, shape %d, access %d", b->name, (int)b->resource,
            (int)b->format, (int)b->shape, (int)b->access);
    }
    release(words, size);
}

Test(shader, a_module_without_names)
{
    enum { HEADER = 5, OP_NAME = 5, OP_MEMBER_NAME = 6, OP_MODULE_PROCESSED = 330 };
    size_t size;
    uint32_t *words = compile("#version 450\nlayout(local_size_x = 1) in;\n"
                              "layout(set = 1, binding = 3) buffer B { float b[]; };\n"
                              "layout(push_constant) uniform P { uint n; float gain; };\n"
                              "void main() { b[n] = gain + float(VALUE); }\n",
        &size);
    for (size_t at = HEADER; at < size / 4; at += words[at] >> 16) {
        uint32_t opcode = words[at] & 0xffff;
        if (opcode == OP_NAME || opcode == OP_MEMBER_NAME)
            words[at] = (words[at] & 0xffff0000) | OP_MODULE_PROCESSED;
    }
    hed_shader s;
    OK(hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error));
    CHECK_EQ(s.binding_count, 1);
    EXPECT_TEXT(s.bindings[0].name, "binding_1_3");
    CHECK_EQ(s.member_count, 2);
    EXPECT_TEXT(s.members[0].name, "push_0");
    EXPECT_TEXT(s.members[1].name, "push_4");
    release(words, size);
}

/* Each word of a module in turn becomes another: an error, or a shader, and nothing else. */
Test(shader, damaged_modules)
{
    size_t size;
    uint32_t *words = compile(blur, &size);
    hed_shader s;
    static const uint32_t others[] = {0, 1, 0xffffffff, 0x00010000};
    uint32_t refused = 0;
    for (size_t i = 0; i < size / 4; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            uint32_t kept = words[i];
            words[i] = others[j];
            error = (hed_error){0};
            if (hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error)) {
                CHECK(error.text[0], "word %zu", i);
                refused++;
            }
            words[i] = kept;
        }
    CHECK(refused > size / 8, "%u of %zu words matter", refused, size / 4);
    for (size_t cut = 0; cut < size; cut += 4) {
        error = (hed_error){0};
        hed_shader_read_spirv(words, cut, "main", NULL, 0, &allocator, &s, &error);
    }
    FAILS(HED_ERROR_FORMAT,
        hed_shader_read_spirv(words, size - 2, "main", NULL, 0, &allocator, &s, &error));
    FAILS(HED_ERROR_FORMAT,
        hed_shader_read_spirv(words, size, "other", NULL, 0, &allocator, &s, &error));
    CHECK(strstr(error.text, "\"other\""), "%s", error.text);
    FAILS(HED_ERROR_FORMAT,
        hed_shader_read_spirv("no module", 9, "main", NULL, 0, &allocator, &s, &error));
    release(words, size);
}

Test(shader, constants_of_a_text)
{
    hed_shader_constant found[8];
    CHECK_EQ(hed_shader_glsl_constants(blur, strlen(blur), found, 8), 4);
    CHECK_TEXT(found[1].name, "WG_Y");
    CHECK(found[1].id == 1 && found[1].type == HED_UINT32);
    CHECK_EQ(hed_shader_glsl_constants(blur, strlen(blur), found, 2), 2);
    CHECK_EQ(hed_shader_glsl_constants("layout(constant_id = ", 21, found, 8), 0);
    static const char values[] = "layout(constant_id = 3) const int A = -7;\n"
                                 "layout(constant_id = 4) const uint B = 0x10u;\n"
                                 "layout(constant_id = 5) const bool C = true;\n"
                                 "layout(constant_id = 6) const float D = 2.5;\n";
    CHECK_EQ(hed_shader_glsl_constants(values, sizeof values - 1, found, 8), 4);
    CHECK(
        found[0].value == -7 && found[1].value == 16 && found[2].value == 1 && found[3].value == 2);
}

/* ---- limits: each is taken, and one more is refused with its number ---- */

/* Assembles a text for OpenGL, with a value for each of two constants. */
static hed_status for_opengl(
    const char *text, const hed_define *defines, uint32_t count, char **written)
{
    const hed_source source = {"limits.comp", text, 0};
    const hed_glsl_def def = {.name = "limits",
        .sources = &source,
        .source_count = 1,
        .defines = defines,
        .define_count = count,
        .allocator = hed_default_allocator()};
    hed_glsl_opengl opengl;
    error = (hed_error){0};
    hed_status status = hed_glsl_for_opengl(&def, false, &opengl, &error);
    *written = status ? NULL : strdup(opengl.text.bytes);
    hed_text_free(&opengl.text);
    return status;
}

static const char two_constants[] = "#version 450\nlayout(local_size_x = 1) in;\n"
                                    "layout(constant_id = 0) const int %s1 = 1;\n"
                                    "layout(constant_id = 1) const int %s2 = 2;\n"
                                    "layout(binding = 0) buffer %s { int %s[]; };\n"
                                    "void main() { %s[VALUE] = %s1 + %s2; }\n";

/* A name of `length` characters; of two constants it is the part that they share. */
static const char *name_of(size_t length)
{
    static char name[256];
    memset(name, 'n', length);
    name[length] = 0;
    return name;
}

static char *text_of(const char *constant, const char *block, const char *member)
{
    char *text;
    CHECK(asprintf(&text, two_constants, constant, constant, block, member, member, constant,
              constant) > 0);
    return text;
}

static void names_for_opengl(size_t length)
{
    char *constant = strdup(name_of(length - 1)), one[300], two[300], *written;
    snprintf(one, sizeof one, "%s1", constant);
    snprintf(two, sizeof two, "%s2", constant);
    const hed_define defines[] = {{one, "30"}, {two, "50"}};
    char *texts[] = {text_of(constant, "B", "b"), text_of("c", name_of(length), "b"),
        text_of("c", "B", name_of(length))};
    for (int i = 0; i < 3; i++) {
        hed_status status = for_opengl(texts[i], defines, 2, &written);
        if (length < HED_SHADER_NAME) {
            CHECK(!status && written, "%d: %s", i, error.text);
            CHECK(i || (strstr(written, "int(30)") && strstr(written, "int(50)")), "%s", written);
        } else {
            CHECK_EQ(status, HED_ERROR_LIMIT, "text %d", i);
            CHECK(strstr(error.text, "64 characters; expected at most 63"), "%s", error.text);
        }
        free(written);
        free(texts[i]);
    }
    free(constant);
}

Test(shader, names_of_63_characters_for_opengl_and_one_more)
{
    names_for_opengl(63);
    names_for_opengl(64);
}

Test(shader, names_of_63_characters_of_spirv_and_one_more)
{
    for (size_t length = 63; length <= 64; length++) {
        char *constant = strdup(name_of(length - 1));
        char *texts[] = {text_of(constant, "B", "b"), text_of("c", name_of(length), "b"),
            text_of("c", "B", name_of(length))};
        for (int i = 0; i < 3; i++) {
            size_t size;
            hed_shader s;
            void *words = compile(texts[i], &size);
            hed_status status =
                hed_shader_read_spirv(words, size, "main", NULL, 0, &allocator, &s, &error);
            CHECK_EQ(status, length < 64 ? HED_OK : HED_ERROR_LIMIT, "text %d, %zu: %s", i, length,
                error.text);
            CHECK(!status || strstr(error.text, "64 characters; expected at most 63"), "%s",
                error.text);
            release(words, size);
            free(texts[i]);
        }
        free(constant);
    }
}

/* A macro of the name of a constant is left out, and no other one whatever they share. */
Test(shader, macros_and_constants_of_long_names)
{
    char *text, *written, macro[300];
    snprintf(macro, sizeof macro, "%s_", name_of(62));
    CHECK(asprintf(
              &text, "#version 450\nlayout(constant_id = 0) const int %s = 1;\n", name_of(62)) > 0);
    const hed_define defines[] = {{macro, "3"}};
    hed_shader_constant found[2];
    CHECK_EQ(for_opengl(text, defines, 1, &written), HED_OK, "%s", error.text);
    CHECK(strstr(written, "#define") && strstr(written, macro), "%s", written);
    CHECK_EQ(hed_shader_glsl_constants(text, strlen(text), found, 2), 1u);
    CHECK_TEXT(found[0].name, name_of(62));
    free(written);
    free(text);
    CHECK(asprintf(&text, "layout(constant_id = 0) const int %s = 1;\n", name_of(64)) > 0);
    CHECK_EQ(hed_shader_glsl_constants(text, strlen(text), found, 2), 1u);
    CHECK_TEXT(found[0].name, "");
    free(text);
}

Test(shader, a_layout_of_16_items_and_one_more)
{
    for (int items = 16; items <= 17; items++) {
        char text[1024] = "#version 450\nlayout(local_size_x_id = 0", *written;
        for (int i = 1; i < items; i++)
            sprintf(text + strlen(text), ", %s_%02d = 100", name_of(20), i);
        strcat(text, ") in;\nlayout(constant_id = 0) const int WG = 32;\n");
        hed_status status = for_opengl(text, NULL, 0, &written);
        if (items == 16) {
            CHECK_EQ(status, HED_OK, "%s", error.text);
            CHECK(strstr(written, "local_size_x = 32") && strstr(written, "_15 = 100"), "%s", written);
        } else {
            CHECK_EQ(status, HED_ERROR_LIMIT);
            CHECK(strstr(error.text, "17 items; expected at most 16"), "%s", error.text);
        }
        free(written);
    }
    char *text, *written;
    for (size_t length = 63; length <= 64; length++) {
        CHECK(asprintf(&text, "#version 450\nlayout(offset = %s) in;\n", name_of(length)) > 0);
        CHECK_EQ(for_opengl(text, NULL, 0, &written), length < 64 ? HED_OK : HED_ERROR_LIMIT, "%s",
            error.text);
        CHECK(length < 64 ? strstr(written, name_of(63)) : strstr(error.text, "at most 63"), "%s",
            error.text);
        free(written);
        free(text);
    }
}

Test(shader, constants_64_and_one_more)
{
    for (int count = 64; count <= 65; count++) {
        char text[8192] = "#version 450\n", *written;
        for (int i = 0; i < count; i++)
            sprintf(text + strlen(text), "layout(constant_id = %d) const int C%d = 1;\n", i, i);
        hed_status status = for_opengl(text, &(hed_define){"C63", "7"}, 1, &written);
        CHECK_EQ(status, count == 64 ? HED_OK : HED_ERROR_LIMIT, "%s", error.text);
        if (status) CHECK(strstr(error.text, "65 specialization constants"), "%s", error.text);
        else CHECK(strstr(written, "int(7)"), "%s", written);
        free(written);
    }
}

/* A value of any length takes its constant's place. */
Test(shader, long_values_of_constants)
{
    char value[600], *written;
    snprintf(value, sizeof value, "(1 + %0500d)", 2);
    static const char text[] = "#version 450\nlayout(constant_id = 0) const int C = 1;\n";
    CHECK_EQ(for_opengl(text, &(hed_define){"C", value}, 1, &written), HED_OK, "%s", error.text);
    CHECK(strstr(written, value), "%s", written);
    free(written);
}

Test(shader, options_32_and_one_more)
{
    const char *options[33];
    const hed_source source = {"blur.comp", "#version 450\nvoid main() { }\n", 0};
    hed_glsl_def def = {.name = "blur",
        .sources = &source,
        .source_count = 1,
        .options = options,
        .allocator = hed_default_allocator()};
    void *words;
    size_t size;
    for (int i = 0; i < 33; i++) options[i] = "-DA=1";
    def.option_count = 33;
    FAILS(HED_ERROR_LIMIT, hed_shader_compile_glsl(&def, &words, &size, &error));
    CHECK(strstr(error.text, "33 options") && strstr(error.text, "at most 32"), "%s", error.text);
    def.option_count = 32;
    error = (hed_error){0};
    if (hed_shader_compile_glsl(&def, &words, &size, &error) == HED_ERROR_IO)
        test_skip("%s", error.text);
    CHECK(!error.status, "%s %s", error.text, error.log);
    allocator = hed_default_allocator();
    release(words, size);
}
