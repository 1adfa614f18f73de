/* What is read of a shader in WGSL, and tune files of shaders. */
#include "folder.h"

#include "heddle/runner.h"
#include "heddle/tune_file.h"
#include "support/file.h"
#include "support/wgsl.h"

static hed_error error;

TestSuite(wgsl, .init = folder_make, .fini = folder_remove);

static hed_wgsl *read_text(const char *text)
{
    hed_wgsl *wgsl;
    OK(hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &wgsl, &error));
    return wgsl;
}

static bool keeps_wg(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "WG") == 0;
}

#define MAIN "@compute @workgroup_size(WG, 2) fn f() { y[0] = x[0]; }\n"
#define BUFFERS \
    "@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;\n" \
    "@binding(0) @group(2) var<storage, read_write> y: array<u32>;\n"

Test(wgsl, declarations)
{
    hed_wgsl *w = read_text(
        "// a /* comment */\n/* nested /* in */ one */ enable f16; alias Row = array<f32, 8>;\n"
        "override WG: u32 = 0x40u; @id(3) override SCALE = 1.5; override ON: bool = true;\n"
        "override TWICE = WG * 2u; override NEEDED: i32;\n"
        "struct Pair { at: vec2f, n: u32, } struct Sizes { pair: Pair, z: i32 };\n"
        "@group(1) @binding(4) var<uniform> sizes: Sizes;\n"
        "var<workgroup> tile: array<Row, WG>; var<private> p: i32 = -1;\n" BUFFERS MAIN);
    CHECK_EQ(w->override_count, 5u);
    EXPECT_TEXT(w->overrides[0].name, "WG");
    EXPECT(w->overrides[0].plain && w->overrides[0].number == 64);
    EXPECT(w->overrides[1].plain && w->overrides[1].type == HED_WGSL_F32);
    EXPECT(w->overrides[2].plain && w->overrides[2].number == 1 &&
           w->overrides[2].type == HED_WGSL_BOOL);
    EXPECT(!w->overrides[3].plain && w->overrides[3].value.size);
    EXPECT(!w->overrides[4].plain && !w->overrides[4].value.size);
    CHECK_EQ(w->binding_count, 3u);
    EXPECT(w->bindings[0].uniform && w->bindings[0].group == 1 && w->bindings[0].binding == 4);
    EXPECT_EQ(
        w->bindings[0].bytes, 24u, "vec2, u32, padded to 16, then the next to a multiple of 8");
    CHECK_EQ(w->member_count, 4u);
    EXPECT_TEXT(w->members[1].name, "at.y");
    EXPECT_EQ(w->members[2].offset, 8u);
    EXPECT_EQ(w->members[3].offset, 16u);
    EXPECT(
        w->bindings[1].per_element == 4 && w->bindings[1].stride == 16 && !w->bindings[1].writable);
    EXPECT(w->bindings[2].group == 2 && w->bindings[2].writable && w->bindings[2].only_written);
    EXPECT_TEXT(w->entry, "f");
    CHECK_EQ(w->group_count, 2u);
    EXPECT_EQ(w->group[1].size, 1u);
    const char *bytes = hed_wgsl_expression(
        w, (hed_wgsl_span){w->group_bytes, strlen(w->group_bytes)}, keeps_wg, NULL);
    CHECK_NOT_NULL(bytes);
    EXPECT(strstr(bytes, "32") && strstr(bytes, "WG"), "%s", bytes);
    hed_wgsl_free(w);
}

/* The module's declarations stand in any order, and its structs say where their members lie. */
Test(wgsl, any_order_and_any_layout)
{
    hed_wgsl *w = read_text(
        "@group(0) @binding(3) var<uniform> sizes: Sizes;\n"
        "@group(0) @binding(4) var<storage, read> rows: array<Row>;\n"
        "var<workgroup> tile: array<Number, COUNT * 2>;\n"
        "struct Sizes { n: Number, @align(32) low: Inner, @size(TWICE * 4) high: u32, z: f32 }\n"
        "struct Inner { x: Number, @size(12) y: i32, }\n"
        "struct Row { values: array<Number, TWICE>, last: u32 }\n"
        "alias Number = u32; const TWICE = 2 * COUNT; const COUNT: u32 = 3u;\n"
        "override WG = 8;\n" BUFFERS MAIN);
    static const uint32_t offsets[] = {0, 32, 36, 48, 72};
    CHECK_EQ(w->member_count, 5u);
    for (uint32_t i = 0; i < 5; i++) EXPECT_EQ(w->members[i].offset, offsets[i], "%u", i);
    EXPECT_EQ(w->bindings[0].bytes, 96u, "76, up to a multiple of 32");
    EXPECT_EQ(w->bindings[1].stride, 28u);
    EXPECT_TEXT(w->group_bytes, "(24)");
    hed_wgsl_free(w);
}

Test(wgsl, what_is_read_is_not_only_written)
{
    static const char *const bodies[] = {"y[0] += x[0];", "let a = y[0];", "y[y[0]] = 1;",
        "atomicAdd(&y[0], 1u);", "if (y[0] == 1) { }"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s@compute @workgroup_size(1) fn f() { y[1] = 2u; %s }",
            BUFFERS, bodies[i]);
        hed_wgsl *w = read_text(text);
        EXPECT(!w->bindings[1].only_written, "%s", bodies[i]);
        hed_wgsl_free(w);
    }
}

Test(wgsl, expressions)
{
    static const struct {
        const char *text, *words; /* NULL: not understood */
    } cases[] = {{"WG / 2u + u32(ON)", "WG // 2 +  ( (1 ) ) "},
        {"select(1u, WG * 3u, ON)", "((WG * 3 ) if ((1 ) ) else (1 )) "},
        {"max(WG, N)", "max ( WG , (7 ) ) "}, {"WG << 2u", "WG * 2 ** 2 "}, {"WG >> 2u", NULL},
        {"own(WG)", NULL}, {"WG * 1.5", NULL}, {"SELF", NULL}, {"", ""}};
    hed_wgsl *w = read_text(
        "override WG: u32 = 4; override ON = true; const N = 7u; override SELF = SELF;\n" BUFFERS
            MAIN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words = hed_wgsl_expression(
            w, (hed_wgsl_span){cases[i].text, strlen(cases[i].text)}, keeps_wg, NULL);
        if (cases[i].words) EXPECT_TEXT(words ? words : "nothing", cases[i].words);
        else EXPECT_NULL(words, "%s", cases[i].text);
    }
    hed_wgsl_free(w);
}

Test(wgsl, refusals)
{
    static const struct {
        const char *text, *words;
        hed_status status;
    } cases[] = {{"", "has no compute entry point", HED_ERROR_FORMAT},
        {"hello", "a.wgsl:1:1: expected a declaration", HED_ERROR_FORMAT},
        {"\n  override : u32;", "a.wgsl:2:12: expected the name of an override", HED_ERROR_FORMAT},
        {"override WG: u32 = ;", "expected an expression", HED_ERROR_FORMAT},
        {"override WG: u32 = 3", "expected the end of an expression", HED_ERROR_FORMAT},
        {"struct S { a: Unknown }", "a.wgsl:1:15: expected a type, found \"Unknown\"",
            HED_ERROR_FORMAT},
        {"struct A { b: B } struct B { a: array<A, 2> }",
            "a.wgsl:1:39: expected a type that does not contain itself", HED_ERROR_FORMAT},
        {"alias A = B; alias B = A;", "expected types nested less deep", HED_ERROR_FORMAT},
        {"@group(0) @binding(0) var t: texture_external;\n"
         "@compute @workgroup_size(1) fn f() { let a = textureLoad(t, vec2u()); }",
            "texture \"t\" is multisampled, external", HED_ERROR_UNSUPPORTED},
        {"struct S { @align(12) a: u32 }", "a.wgsl:1:13: expected a power of two",
            HED_ERROR_FORMAT},
        {"struct S { @size(4) a: vec2f }", "expected a @size that the type fits in",
            HED_ERROR_FORMAT},
        {"override N = 4; struct S { a: array<u32, N> }", "an array with a constant length",
            HED_ERROR_UNSUPPORTED},
        {"var<storage> x: array<f32>;", "expected @group and @binding", HED_ERROR_FORMAT},
        {"@compute @workgroup_size(1) fn f() {} @compute @workgroup_size(1) fn g() {}",
            "found 2 compute entry points (f, g); expected one", HED_ERROR_FORMAT},
        {"@compute fn f() {}", "expected @workgroup_size", HED_ERROR_FORMAT},
        {"fn f() { {", "expected the end of these brackets", HED_ERROR_FORMAT},
        {"var<push_constant> p: u32;",
            "a.wgsl:1:5: expected an address space of browsers, such as `@group(1) @binding(0) var<uniform>`",
            HED_ERROR_UNSUPPORTED},
        {"enable f16;\nenable wgpu_ray_query;",
            "a.wgsl:2:8: expected extensions of browsers (f16, subgroups)", HED_ERROR_UNSUPPORTED},
        {"@group(2000) @binding(0) var<uniform> u: u32;", "a number from 0 to 1000",
            HED_ERROR_FORMAT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_wgsl *w = NULL;
        FAILS(cases[i].status,
            hed_wgsl_read("a.wgsl", cases[i].text, strlen(cases[i].text), NULL, &w, &error));
        EXPECT(
            strstr(error.text, cases[i].words), "%s is refused with %s", cases[i].text, error.text);
        EXPECT_NULL(w);
    }
}

Test(wgsl, the_comment)
{
    static const struct {
        const char *text, *json;
    } cases[] = {{"/* heddle {\"a\": 1} */", "{\"a\": 1}"}, {"/* other */ /*heddle{}*/ fn", "{}"},
        {"// /* heddle {} */\n", ""}, {"/* heddle {}", ""}, {"/* heddles */", ""}, {"", ""},
        {"/* heddle {\n}\n tail */", "{\n}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        hed_wgsl_span span = hed_wgsl_comment(cases[i].text, strlen(cases[i].text));
        snprintf(text, sizeof text, "%.*s", (int)span.size, span.size ? span.at : "");
        EXPECT_TEXT(text, cases[i].json);
    }
}

/* ---- tune files ---- */

static const hed_device_info GPU = {.id = "browser",
    .backend = "browser",
    .name = "a GPU",
    .max_group = 256,
    .max_group_size = {256, 128, 64},
    .local_bytes = 4096,
    .max_buffer_bytes = 1 << 28,
    .capabilities = HED_CAN_WGSL};

static hed_tune_file *open_text(const char *name, const char *text)
{
    hed_tune_file *file;
    OK(hed_file_write(in_folder(name), text, strlen(text), &error));
    OK(hed_tune_file_open(in_folder(name), &GPU, &file, &error));
    return file;
}

#define SHADER \
    "override WG: u32 = 48; override TILE: bool = false; override FIXED: u32 = 3;\n" \
    "var<workgroup> tile: array<f32, WG * FIXED * 16>;\n" \
    "struct S { n: u32, scale: f32 } @group(0) @binding(2) var<uniform> s: S;\n" BUFFERS MAIN

Test(wgsl, a_shader_is_its_own_description)
{
    hed_tune_file *file =
        open_text("a.wgsl", "/* heddle {\"problem\": {\"n\": 100}, \"global\": [\"n\", 1],\n"
                            "  \"arguments\": [{\"name\": \"scale\", \"value\": 2}]} */\n" SHADER);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(file, &tune);
    EXPECT_EQ((int)def->language, (int)HED_WGSL);
    EXPECT_TEXT(def->name, "f scale=2");
    CHECK_EQ(def->parameter_count, 2u, "FIXED is no size of the group and no bool");
    EXPECT_EQ(def->parameters[0].count, 10u, "powers of two to 256, and 48");
    EXPECT_EQ(def->parameters[0].value, 48);
    EXPECT_EQ(def->parameters[1].count, 2u);
    EXPECT_TEXT(def->max_threads, "WG*2");
    CHECK_EQ(def->constraint_count, 1u);
    CHECK_EQ(def->argument_count, 4u);
    EXPECT(tune.arguments[0].bytes == 1600 && tune.arguments[0].data, "vec4 of floats");
    EXPECT_EQ((int)def->arguments[1].access, (int)HED_WRITE);
    EXPECT_TEXT(def->arguments[2].name, "n");
    EXPECT_EQ(*(const uint32_t *)tune.arguments[2].data, 100u);
    EXPECT_EQ(*(const float *)tune.arguments[3].data, 2);
    hed_context *context;
    hed_device *device;
    hed_space *space;
    OK(hed_context_create(NULL, &context, &error));
    OK(hed_device_create_described(context, &GPU, &device, &error));
    OK(hed_space_create_for_kernel(device, def, tune.problem, tune.math, &space, &error));
    EXPECT_EQ(hed_space_count(space), 10u, "1, 2, 4, 8 and 16 have room for their tile");
    hed_space_destroy(space);
    hed_device_release(device);
    hed_context_destroy(context);
    hed_tune_file_close(file);
}

/* Of several entry points, one: with the buffers and the group memory that it uses, itself or in
 * functions that it calls. */
Test(wgsl, one_of_several_entry_points)
{
    static const char text[] =
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> sums: array<f32>;\n"
        "@group(0) @binding(2) var<uniform> scale: f32;\n"
        "@group(0) @binding(3) var<uniform> count: u32;\n"
        "var<workgroup> part: array<f32, 64>;\n"
        "fn put(i: u32, v: f32) { data[i] = v; }\n"
        "@compute @workgroup_size(64) fn clear(@builtin(global_invocation_id) id: vec3u) {\n"
        "  if (id.x < count) { put(id.x, 0.0); } }\n"
        "@compute @workgroup_size(64) fn reduce(@builtin(local_invocation_index) i: u32) {\n"
        "  part[i] = data[i] * scale; workgroupBarrier(); sums[0] = part[0]; }\n";
    hed_wgsl *w;
    OK(hed_wgsl_read("a.wgsl", text, sizeof text - 1, "clear", &w, &error));
    CHECK_EQ(w->binding_count, 2u);
    EXPECT_TEXT(w->bindings[0].name, "data");
    EXPECT(w->bindings[0].only_written, "by a function that is called");
    EXPECT_TEXT(w->bindings[1].name, "count");
    CHECK_EQ(w->member_count, 1u);
    EXPECT(w->members[0].binding == 1 && !strcmp(w->members[0].name, "count"));
    EXPECT_TEXT(w->group_bytes, "");
    hed_wgsl_free(w);
    OK(hed_wgsl_read("a.wgsl", text, sizeof text - 1, "reduce", &w, &error));
    CHECK_EQ(w->binding_count, 3u);
    EXPECT(!w->bindings[0].only_written && w->bindings[1].only_written);
    EXPECT_EQ(w->members[0].binding, 2u);
    EXPECT_TEXT(w->group_bytes, "(256)");
    hed_wgsl_free(w);
}

/* As people write them: sizes of 1 at the end, and particles as structs of floats. */
Test(wgsl, sizes_of_one_and_structs_of_floats)
{
    hed_tune_file *file =
        open_text("b.wgsl", "/* heddle {\"problem\": {\"count\": 100}} */\n"
                            "struct Body { position: vec3<f32>, mass: f32, velocity: vec4<f32> }\n"
                            "struct Mixed { index: u32, weight: f32 }\n"
                            "override WG: u32 = 32;\n"
                            "@group(0) @binding(0) var<storage, read> before: array<Body>;\n"
                            "@group(0) @binding(1) var<storage, read_write> after: array<Body>;\n"
                            "@group(0) @binding(2) var<storage, read_write> pairs: array<Mixed>;\n"
                            "@group(0) @binding(3) var<uniform> count: u32;\n"
                            "@compute @workgroup_size(WG, 1, 1) fn move_bodies() {\n"
                            "  after[0] = before[0]; pairs[0] = Mixed(count, 1.0);\n}\n");
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = hed_default_tune_def();
    hed_tune_file_apply(file, &tune);
    EXPECT_EQ((int)def->arguments[0].type, (int)HED_FLOAT);
    EXPECT(tune.arguments[0].bytes == 3200 && tune.arguments[0].data, "eight floats each");
    EXPECT_EQ(tune.arguments[1].bytes, 3200u);
    EXPECT_EQ((int)def->arguments[2].type, (int)HED_BYTES);
    EXPECT_EQ(tune.arguments[2].bytes, 800u);
    hed_geometry geometry;
    hed_config config = hed_config_default(def);
    def->geometry(def, &config, tune.problem, &geometry);
    EXPECT_EQ(geometry.dimensions, 1u);
    EXPECT(geometry.group[0] == 32 && geometry.global[0] >= 100);
    hed_tune_file_close(file);
}

Test(wgsl, a_tune_file_of_a_shader)
{
    OK(hed_file_write(in_folder("s.wgsl"), SHADER, strlen(SHADER), &error));
    hed_tune_file *file = open_text("a.json",
        "{\"source\": \"s.wgsl\", \"problem\": {\"n\": 64}, \"parameters\": {\"WG\": [8, 16], \"FIXED\": [1, 3]},"
        "\"defaults\": {\"WG\": 16}, \"group\": [\"WG\", 2], \"groups\": [\"ceil_div(n, WG)\", 1],"
        "\"arguments\": [{\"name\": \"scale\", \"value\": 2}, {\"name\": \"y\", \"access\": \"read_write\", \"fill\": \"zeros\"}],"
        "\"reference\": {\"parameters\": {\"WG\": 8, \"FIXED\": 1}}}");
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK_EQ(def->parameter_count, 3u);
    EXPECT_EQ(def->parameters[0].value, 16);
    EXPECT_EQ(def->parameters[1].value, 3, "the shader's own");
    EXPECT_EQ((int)def->arguments[1].access, (int)HED_READ_WRITE);
    hed_tune_file_close(file);
}

/* A device that cannot do what a shader enables says so before a browser is asked. */
Test(wgsl, what_a_device_lacks)
{
    static const char text[] = "enable %s;\n/* heddle {\"problem\": {\"n\": 8}} */\n"
                               "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
                               "@compute @workgroup_size(8) fn f() { y[0] = 1.0; }\n";
    static const struct {
        const char *feature;
        uint64_t capability;
    } cases[] = {{"f16", HED_CAN_FP16}, {"subgroups", HED_CAN_LANES}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[512], words[64];
        hed_device_info able = GPU;
        hed_tune_file *file = NULL;
        int size = snprintf(whole, sizeof whole, text, cases[i].feature);
        snprintf(words, sizeof words, "enables %s, which browser", cases[i].feature);
        OK(hed_file_write(in_folder("h.wgsl"), whole, (size_t)size, &error));
        FAILS(HED_ERROR_UNSUPPORTED, hed_tune_file_open(in_folder("h.wgsl"), &GPU, &file, &error));
        EXPECT(strstr(error.text, words), "%s", error.text);
        able.capabilities |= cases[i].capability;
        OK(hed_tune_file_open(in_folder("h.wgsl"), &able, &file, &error));
        hed_tune_file_close(file);
    }
}

Test(wgsl, refused_tune_files)
{
    static const struct {
        const char *json, *words;
    } cases[] = {{"{\"problem\": {\"n\": 8}}", "the problem has 1 sizes, the group 2"},
        {"{\"problem\": {\"n\": 8, \"m\": 2}, \"parameters\": {\"NO\": [1]}}",
            "\"NO\" is no override"},
        {"{\"problem\": {\"n\": 8, \"WG\": 2}}", "\"WG\" is an override and a size of the problem"},
        {"{\"problem\": {\"n\": 8, \"m\": 2}, \"defines\": {\"A\": 1}}", "the text has no name and no placeholder \"A\""},
        {"{\"problem\": {\"n\": 8, \"m\": 2}, \"arguments\": [{\"name\": \"q\", \"value\": 2}]}",
            "of this name; it has x, y, n, scale"},
        {"{\"problem\": {\"n\": 8, \"m\": 2}, \"zzz\": 1}", "zzz: unknown key"},
        {"{\"problem\": }", "a.wgsl:2:14: not JSON"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        hed_tune_file *file = NULL;
        int size = snprintf(text, sizeof text, "/* heddle\n %s */\n%s", cases[i].json, SHADER);
        OK(hed_file_write(in_folder("a.wgsl"), text, (size_t)size, &error));
        error = (hed_error){0};
        hed_status status = hed_tune_file_open(in_folder("a.wgsl"), &GPU, &file, &error);
        CHECK(status == HED_ERROR_FORMAT, "%s: %s", cases[i].json, error.text);
        EXPECT(
            strstr(error.text, cases[i].words), "%s is refused with %s", cases[i].json, error.text);
    }
}

static bool keeps_long(void *user, const char *name) { return strcmp(name, user) == 0; }

/* Names of overrides and members, and sizes of arrays, are as long as the text has them. */
Test(wgsl, long_names_and_sizes)
{
    enum { LONG = 300, TERMS = 1500 };
    char name[LONG + 2], other[LONG + 2], size[4 * TERMS + 8] = "1", *text;
    memset(name, 'n', LONG);
    memcpy(other, name, LONG);
    strcpy(name + LONG, "1");
    strcpy(other + LONG, "2");
    for (int i = 0; i < TERMS; i++) strcpy(size + 1 + 4 * i, " + 1");
    CHECK(asprintf(&text,
              "override %s: u32 = 4; override %s: u32 = 8; override WG: u32 = 1;\n"
              "struct Sizes { %s: u32, %s: vec2u }\n"
              "@group(1) @binding(0) var<uniform> sizes: Sizes;\n"
              "var<workgroup> tile: array<u32, WG * (%s)>;\n" BUFFERS MAIN,
              name, other, name, other, size) > 0);
    hed_wgsl *w = read_text(text);
    CHECK_EQ(w->member_count, 3u);
    CHECK_TEXT(w->members[0].name, name);
    CHECK(strncmp(w->members[2].name, other, LONG + 1) == 0 &&
              strcmp(w->members[2].name + LONG + 1, ".y") == 0,
        "%s", w->members[2].name);
    hed_wgsl_span second = {strstr(text, other), LONG + 1};
    const char *kept = hed_wgsl_expression(w, second, keeps_long, other);
    CHECK(kept && strncmp(kept, other, LONG + 1) == 0, "%s", kept ? kept : "none");
    kept = hed_wgsl_expression(w, second, keeps_long, name);
    CHECK(kept && strstr(kept, "8"), "%s", kept ? kept : "none");
    hed_wgsl_free(w);
    free(text);
    /* the size of the array is known, though its expression is long: no member of a struct */
    CHECK(asprintf(&text,
              "override WG: u32 = 1; struct S { a: array<array<u32, WG>, WG * (%s)> }\n" BUFFERS MAIN,
              size) > 0);
    hed_wgsl *none;
    error = (hed_error){0};
    FAILS(HED_ERROR_UNSUPPORTED, hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &none, &error));
    CHECK(strstr(error.text, "an array with a constant length"), "%s", error.text);
    free(text);
}

/* A size that no group has is not read as a number. */
Test(wgsl, sizes_out_of_range)
{
    static const char *const sizes[] = {"-8", "5000000000", "0"};
    for (size_t i = 0; i < HED_COUNT(sizes); i++) {
        char text[256];
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
            "@compute @workgroup_size(%s, 4) fn f(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1.0; }\n",
            sizes[i]);
        hed_wgsl *wgsl = NULL;
        hed_error fault = {0};
        CHECK_EQ((int)hed_wgsl_read("f.wgsl", text, strlen(text), NULL, &wgsl, &fault), (int)HED_OK,
            "%s", fault.text);
        CHECK(wgsl->sizes[0] == 0 && wgsl->sizes[1] == 4, "%s: %u x %u", sizes[i], wgsl->sizes[0],
            wgsl->sizes[1]);
        hed_wgsl_free(wgsl);
    }
}
