/* Shaders as people write them, without a word for Heddle (tests/web/plain): the parameters, the
 * problem, the launch, and the places where the size of the group is written. */
#include "browser_gpu.h"
#include "folder.h"

#include "heddle/runner.h"
#include "heddle/shader.h"
#include "heddle/tune_file.h"
#include "support/file.h"
#include "support/wgsl.h"

#include <sys/stat.h>

static hed_error error;

TestSuite(wgsl_plain, .init = folder_make, .fini = folder_remove);

static const char *plain_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "tests/web/plain/%s.wgsl", name);
    return path;
}

static hed_tune_file *open_plain(const char *name, const char *entry)
{
    hed_tune_file *file = NULL;
    const hed_tune_text_def def = {.name = plain_path(name), .entry = entry};
    error = (hed_error){0};
    CHECK(!hed_tune_file_parse(&def, &GPU, &file, &error), "%s: %s", name, error.text);
    return file;
}

/* One row for each text: names of its parameters, sizes of its problem, dimensions of its launch,
 * and the lines that the size is written to. */
static const struct {
    const char *name, *entry, *parameters, *problem;
    uint32_t dimensions, arguments;
    const char *lines, *together;
} texts[] = {
    {"scale", NULL, "WG_X", "n", 1, 4, "6", NULL},
    {"invert", NULL, "WG_X WG_Y", "width height", 2, 4, "5 5", NULL},
    {"bodies", NULL, "TILE", "n", 1, 3, "1", "shared_positions"},
    {"reduce", NULL, "WG_X", "n", 1, 2, "3 5 10", "part"},
    {"histogram", NULL, "WG_X", "n", 1, 2, "4", NULL},
    {"compact", NULL, "WG_X", "n", 1, 3, "5", NULL},
    {"life", NULL, "blockSize", "width height", 2, 3, "", NULL},
    {"blur", NULL, "WG_X WG_Y", "width height", 2, 2, "5 5", NULL},
    {"tonemap", NULL, "WG_X WG_Y", "width height", 2, 2, "4 4 6 6", NULL},
    {"particles", NULL, "WG_X", "n", 1, 7, "7", NULL},
    {"transform", NULL, "WG_X", "n", 1, 3, "6", NULL},
    {"weights", NULL, "WG_X", "n", 1, 3, "6", NULL},
    {"scene", NULL, "WG_X", "n", 1, 1, "11", NULL},
    {"fluid", NULL, "WG_X", "n", 1, 1, "6", NULL},
    {"linked", NULL, "WG_X", "n", 1, 1, "3 5", NULL},
    {"folded", NULL, "WG_X", "n", 1, 2, "5", NULL},
    {"volume", NULL, "WG_X WG_Y WG_Z", "width height depth", 3, 6, "6 6 6", NULL},
    {"header", NULL, "WG_X", "n", 1, 1, "4", NULL},
    {"sized", NULL, "WG", "n", 1, 1, "", NULL},
    {"transpose", NULL, "WG_X", "width height", 2, 4, "5 5 7 7 9 10 13 14", "tile"},
    {"rows", NULL, "WIDTH", "n", 1, 2, "1", "l"},
    {"blocks", NULL, "WG", "n", 1, 4, "", "group"},
    {"stages", "fill", "WG_X", "n", 1, 1, "5", NULL},
    {"matrix", NULL, "WG_X WG_Y", "width height", 2, 4, "8 8", NULL},
    {"patches", NULL, "GROUP_X", "width height", 2, 6, "", "group"},
    {"pairs", NULL, "WG_X", "n", 1, 3, "5", NULL},
};

static void add_word(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

static void check_places(
    const char *name, const char *entry, const char *lines, const char *together)
{
    char *text, found[256] = "", line[16];
    size_t size;
    hed_wgsl *wgsl;
    OK(hed_file_read(plain_path(name), 1 << 20, &text, &size, &error));
    OK(hed_wgsl_read(name, text, size, entry, &wgsl, &error));
    hed_wgsl_name_sizes(wgsl, &error);
    for (uint32_t i = 0; i < wgsl->edit_count; i++) {
        snprintf(line, sizeof line, "%u", wgsl->edits[i].line);
        add_word(found, sizeof found, line);
    }
    CHECK(strcmp(found, lines) == 0, "%s: lines %s instead of %s", name, found, lines);
    CHECK(!wgsl->together == !together && (!together || !strcmp(wgsl->together, together)),
        "%s: together by %s", name, wgsl->together ? wgsl->together : "nothing");
    hed_wgsl_free(wgsl);
    free(text);
}

Test(wgsl_plain, every_text_is_its_own_description)
{
    for (size_t i = 0; i < HED_COUNT(texts); i++) {
        char parameters[256] = "", problem[256] = "";
        hed_tune_file *file = open_plain(texts[i].name, texts[i].entry);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        hed_tune_def tune = hed_default_tune_def();
        const char *note = hed_tune_file_apply(file, &tune);
        for (uint32_t j = 0; j < def->parameter_count; j++)
            add_word(parameters, sizeof parameters, def->parameters[j].name);
        for (uint32_t j = 0; j < def->dimension_count; j++)
            add_word(problem, sizeof problem, def->dimensions[j]);
        CHECK(!strcmp(parameters, texts[i].parameters), "%s: %s", texts[i].name, parameters);
        CHECK(!strcmp(problem, texts[i].problem), "%s: %s", texts[i].name, problem);
        CHECK(note && strstr(note, "\"problem\""), "%s: %s", texts[i].name, note ? note : "no note");
        CHECK_EQ(def->argument_count, texts[i].arguments, "%s", texts[i].name);
        hed_geometry geometry = {0};
        hed_config config = hed_config_default(def);
        def->geometry(def, &config, tune.problem, &geometry);
        CHECK_EQ(geometry.dimensions, texts[i].dimensions, "%s", texts[i].name);
        check_places(texts[i].name, texts[i].entry, texts[i].lines, texts[i].together);
        hed_tune_file_close(file);
    }
}

static const float *uniform_of(const char *name, const char *argument, hed_tune_file **file)
{
    hed_tune_def tune = hed_default_tune_def();
    *file = open_plain(name, NULL);
    const hed_kernel_def *def = hed_tune_file_kernel(*file);
    hed_tune_file_apply(*file, &tune);
    for (uint32_t i = 0; i < def->argument_count; i++)
        if (strcmp(def->arguments[i].name, argument) == 0) return tune.arguments[i].data;
    CHECK(false, "%s has no argument %s", name, argument);
    return NULL;
}

/* A number of blocks follows the size of the group. */
Test(wgsl_plain, numbers_that_depend_on_parameters)
{
    hed_tune_file *file = open_plain("blocks", NULL);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = hed_default_tune_def();
    const char *note = hed_tune_file_apply(file, &tune);
    hed_config config = hed_config_default(def);
    CHECK(note && strstr(note, "{\"name\": \"block_count\", \"value\": \"ceil_div(n, WG)\"}"), "%s",
        note);
    CHECK_TEXT(def->arguments[2].name, "n");
    CHECK(!def->arguments[2].by_config);
    CHECK_TEXT(def->arguments[3].name, "block_count");
    CHECK(def->arguments[3].by_config && *(const uint32_t *)tune.arguments[3].data == 65536 / 64);
    for (uint32_t i = 0; i < def->parameters[0].count; i++) {
        hed_geometry geometry = {0};
        config.values[0] = def->parameters[0].values[i];
        def->geometry(def, &config, tune.problem, &geometry);
        CHECK_EQ(geometry.local_bytes[3], 65536 / (uint64_t)config.values[0]);
    }
    hed_tune_file_close(file);
}

/* A number for each group is its size, or a count of one item where items do not work together; never a number of groups. */
Test(wgsl_plain, numbers_for_each)
{
    static const struct {
        const char *name, *alone, *together;
    } cases[] = {{"numOfVertexPerWorkgroup", "1", "\"WG_X\""}, {"elements_per_block", "1", "\"WG_X\""},
        {"perBlock", "1", "\"WG_X\""}, {"count_per_group", "1", "\"WG_X\""}, {"tilesPerGroup", "1", "\"WG_X\""},
        {"threadsPerGroup", "\"WG_X\"", "\"WG_X\""}, {"itemsPerThread", "1", "1"}, {"num_per_invocation", "1", "1"},
        {"max_per_cell", "4", "4"}, {"blocks_per_row", "\"ceil_div(n, WG_X)\"", "\"ceil_div(n, WG_X)\""},
        {"blockCount", "\"ceil_div(n, WG_X)\"", "\"ceil_div(n, WG_X)\""}, {"personCount", "65536", "65536"}};
    for (size_t i = 0; i < 2 * HED_COUNT(cases); i++) {
        char text[1024], line[128];
        bool is_together = i % 2;
        hed_tune_text_def def = {.name = in_folder("each.wgsl")};
        hed_tune_file *file = NULL;
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@group(0) @binding(1) var<uniform> %s: u32;\n"
            "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) w: vec3u) {\n"
            "  x[id.x] += %s * %s;\n}\n", cases[i / 2].name, cases[i / 2].name, is_together ? "w.x" : "id.x");
        write_file(def.name, text, strlen(text));
        OK(hed_tune_file_parse(&def, &GPU, &file, &error));
        hed_tune_def tune = hed_default_tune_def();
        const char *note = hed_tune_file_apply(file, &tune);
        snprintf(line, sizeof line, "\"%s\", \"value\": %s}", cases[i / 2].name,
            is_together ? cases[i / 2].together : cases[i / 2].alone);
        EXPECT(strstr(note, line), "%s: %s", line, note);
        hed_tune_file_close(file);
    }
}

/* Matrices, arrays, sizes and numbers of uniforms. */
Test(wgsl_plain, numbers_of_uniforms)
{
    hed_tune_file *file;
    const float *camera = uniform_of("transform", "camera", &file);
    EXPECT(camera[0] == 1 && camera[5] == 1 && camera[1] == 0, "the view is the identity");
    EXPECT(camera[16] == 1 && camera[21] == 1 && camera[24] == 0, "columns of three have a gap");
    EXPECT_EQ(camera[28], 0.5f);
    hed_tune_file_close(file);
    const float *weights = uniform_of("weights", "filter_", &file);
    EXPECT(weights[0] == 0.5f && weights[35] == 0.5f);
    EXPECT_EQ(((const uint32_t *)weights)[37], 65536u);
    hed_tune_file_close(file);
    const uint32_t *dims = (const uint32_t *)(const void *)uniform_of("volume", "dims.z", &file);
    EXPECT_EQ(*dims, 64u);
    hed_tune_file_close(file);
}

/* Sizes that random numbers would make useless: before an array, in a buffer of sizes, of a patch, of
 * groups, and items of a group that an override repeats. */
Test(wgsl_plain, sizes_by_their_names)
{
    hed_tune_file *file;
    const float *left = uniform_of("matrix", "left", &file);
    EXPECT(left[0] == 512 && left[1] == 512 && left[2] < 1, "%g x %g", left[0], left[1]);
    hed_tune_file_close(file);
    const uint32_t *shape = (const uint32_t *)(const void *)uniform_of("matrix", "left_shape", &file);
    EXPECT(shape[0] == 512 && shape[1] == 512 && shape[2] == 1, "%u x %u", shape[0], shape[1]);
    hed_tune_file_close(file);
    const uint32_t *patch = (const uint32_t *)(const void *)uniform_of("patches", "patchSize", &file);
    EXPECT_EQ(*patch, 4u);
    hed_tune_def tune = hed_default_tune_def();
    const char *note = hed_tune_file_apply(file, &tune);
    EXPECT(strstr(note, "\"numWorkgroupsX\", \"value\": \"ceil_div(width, GROUP_X)\""), "%s", note);
    EXPECT(strstr(note, "THREADS_PER_GROUP=64"), "%s", note);
    hed_tune_file_close(file);
}

/* Floats that count, by their name or since the text converts them to whole numbers, are sizes. */
Test(wgsl_plain, floats_that_count)
{
    static const char text[] =
        "struct P { instanceCount: f32, maxAnimations: f32, maxSpeed: f32, grid: vec2<f32> }\n"
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
        "@group(0) @binding(1) var<uniform> p: P;\n"
        "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  if (id.x < u32(p.maxAnimations) && id.x < i32( p.grid.x )) { x[id.x] = p.maxSpeed * p.instanceCount; }\n}\n";
    const hed_tune_text_def def = {.name = in_folder("count.wgsl")};
    hed_tune_file *file = NULL;
    write_file(def.name, text, strlen(text));
    OK(hed_tune_file_parse(&def, &GPU, &file, &error));
    hed_tune_def tune = hed_default_tune_def();
    const char *note = hed_tune_file_apply(file, &tune);
    EXPECT(strstr(note, "\"instanceCount\", \"value\": 65536"), "%s", note);
    EXPECT(strstr(note, "\"maxAnimations\", \"value\": 65536"), "%s", note);
    EXPECT(strstr(note, "\"maxSpeed\", \"value\": 0.5"), "%s", note);
    EXPECT(strstr(note, "\"grid.x\", \"value\": 65536"), "%s", note);
    EXPECT(strstr(note, "\"grid.y\", \"value\": 256"), "%s", note);
    hed_tune_file_close(file);
}

/* A text without a result names the array that another text declares, or the entry point. */
Test(wgsl_plain, texts_without_a_result)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"@compute @workgroup_size(1) fn swap(@builtin(global_invocation_id) id: vec3<u32>) {\n"
         "  let t = boids[id.x]; boids[id.x] = boids[0]; boids[0] = t;\n}\n",
            "[\"text.wgsl\", \"FILE\"]} */, and a FILE with the program's declarations of boids ("},
        {"@compute @workgroup_size(8, 8) fn tone(@builtin(global_invocation_id) id: vec3<u32>) {\n"
         "  let a = vec4(2.51f, 0.03, 1., 1.); textureStore(outputTex, id.xy, a * textureLoad(\n    inputTex, id.xy, 0));\n}\n",
            "declarations of outputTex, inputTex ("},
        {"@group(0) @binding(0) var<storage, read> data: array<f32>;\n"
         "@compute @workgroup_size(1) fn look() { let one = data[0]; }\n",
            "\"look\" writes no buffer"}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        const hed_tune_text_def def = {.name = in_folder("text.wgsl")};
        hed_tune_file *file = NULL;
        write_file(def.name, cases[i].text, strlen(cases[i].text));
        error = (hed_error){0};
        FAILS(HED_ERROR_FORMAT, hed_tune_file_parse(&def, &GPU, &file, &error));
        EXPECT(strstr(error.text, cases[i].message), "%s", error.text);
    }
}

Test(wgsl_plain, settings_of_the_caller)
{
    static const char *const good[] = {"n=100", "factor=3"}, *const bad[] = {"m=3"};
    hed_tune_file *file = NULL;
    hed_tune_text_def def = {.name = plain_path("scale"), .settings = good, .setting_count = 2};
    hed_tune_def tune = hed_default_tune_def();
    OK(hed_tune_file_parse(&def, &GPU, &file, &error));
    hed_tune_file_apply(file, &tune);
    EXPECT_EQ(tune.problem->sizes[0], 100);
    EXPECT_EQ(tune.arguments[0].bytes, 400u);
    EXPECT_EQ(*(const uint32_t *)tune.arguments[2].data, 100u);
    EXPECT_EQ(*(const float *)tune.arguments[3].data, 3.0f);
    /* a number of the caller that is no size of the problem tells results apart */
    CHECK_TEXT(hed_tune_file_kernel(file)->name, "main factor=3");
    CHECK_TEXT(hed_tune_file_kernel(file)->entry, "main");
    hed_tune_file_close(file);
    def.settings = bad;
    def.setting_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_file_parse(&def, &GPU, &file, &error));
    EXPECT(strstr(error.text, "\"m=3\"") && strstr(error.text, "n, n, factor"), "%s", error.text);
}

/* Numbers of a comment and of a tune file tell results apart as well, unless they are those that would be
 * invented. */
Test(wgsl_plain, numbers_of_files)
{
    static const struct {
        const char *arguments, *name;
    } cases[] = {{"{\"name\": \"factor\", \"value\": 3}", "main factor=3"},
        {"{\"name\": \"factor\", \"value\": 0.1}", "main factor=0.1"},
        {"{\"name\": \"factor\", \"value\": 0.5}", "main"},
        {"{\"name\": \"factor\", \"value\": \"2 * 2\"}", "main factor=4"},
        {"{\"name\": \"factor\", \"value\": \"n / 2\"}", "main"}};
    char *text = NULL;
    size_t size = 0;
    OK(hed_file_read(plain_path("scale"), 1 << 16, &text, &size, &error));
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char whole[4096];
        hed_tune_file *file = NULL;
        int length = snprintf(whole, sizeof whole, "/* heddle {\"arguments\": [%s]} */\n%s",
            cases[i].arguments, text);
        write_file(in_folder("scale.wgsl"), whole, (size_t)length);
        OK(hed_tune_file_open(in_folder("scale.wgsl"), &GPU, &file, &error));
        CHECK_TEXT(hed_tune_file_kernel(file)->name, cases[i].name);
        CHECK_TEXT(hed_tune_file_kernel(file)->entry, "main");
        hed_tune_file_close(file);
    }
    free(text);
}

/* Loops over group memory follow the size, groups that take several elements of an item are fewer, and one result of each group
 * is named with the comparison that fits a sum. */
Test(wgsl_plain, reductions)
{
    static const struct {
        const char *start, *loop, *result; /* statements of a group of 256 */
        const char *edits;                 /* h: half, d: double, l: less one, s: size */
        uint32_t items;
        bool is_by_group;
    } cases[] = {
        {"s[l.x] = x[w.x * 256u + l.x];", "for (var k = 128u; k > 0u; k >>= 1u)", "y[w.x] = s[0];", "ssh", 1, true},
        {"s[l.x] = x[w.x * 512u + l.x];", "for (var k = 1u; k < 256u; k *= 2u)", "y[w.x] = s[255];", "sdsl", 2, true},
        {"s[l.x] = x[w.x * 256u * 4u + l.x];", "if (l.x < 128u)", "y[0] = s[0];", "ssh", 4, false},
        {"s[l.x] = x[l.x + (2u * 256u) * w.x];", "for (var k = 64u; k > 0u; k >>= 1u)", "y[7] = s[w.x];", "ss", 2, false}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[2048], found[32] = "";
        hed_wgsl *wgsl;
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
            "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\nvar<workgroup> s: array<u32, 1024>;\n"
            "@compute @workgroup_size(256) fn main(@builtin(workgroup_id) w: vec3u, "
            "@builtin(local_invocation_id) l: vec3u) { %s\n %s { s[l.x] += s[l.x + k]; workgroupBarrier(); }\n %s }",
            cases[i].start, cases[i].loop, cases[i].result);
        OK(hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &wgsl, &error));
        hed_wgsl_name_sizes(wgsl, &error);
        for (uint32_t k = 0; k < wgsl->edit_count && k < sizeof found - 1; k++) {
            const hed_wgsl_edit *edit = &wgsl->edits[k];
            found[k] = edit->is_half ? 'h' : edit->is_double ? 'd' : edit->is_less_one ? 'l' : 's';
        }
        EXPECT_TEXT(found, cases[i].edits, "%s", text);
        EXPECT_EQ(wgsl->strides[0].number, cases[i].items, "%s", text);
        EXPECT_EQ(wgsl->strides[0].powers[0], 1u, "%s", text);
        EXPECT_EQ(!!wgsl->by_group, cases[i].is_by_group, "%s", text);
        hed_wgsl_free(wgsl);
    }
}

/* The number of groups follows a size that becomes a parameter, by whatever names and in whatever form the text multiplies
 * the group's id; where it does not, the launch keeps the number of its tiles. */
Test(wgsl_plain, the_number_of_groups)
{
    static const struct {
        const char *module, *size, *body; /* declarations, sizes of the group, statements */
        const char *groups;               /* in the note; NULL: the items by the size */
    } cases[] = {                         /* vectors */
        {"", "16, 16", "let p = vec2<i32>(w.xy) * vec2(16) + vec2<i32>(l.xy); put(p.x, p.y);",
            NULL},
        {"", "16, 8", "let p = w.xy * vec2u(16, 8) + l.xy; put(p.x, p.y);", NULL},
        {"", "8, 8", "let p = 8u * w.xy + l.xy; put(p.x, p.y);", NULL},
        {"", "8, 8", "let base = w.xy; let p = base * 32u + l.xy * 4u; put(p.x, p.y);",
            "\"ceil_div(width, 32)\", \"ceil_div(height, 32)\""},
        {"", "8, 8, 1", "let p = w * vec3u(8, 8, 1) + l; put(p.x, p.y);", NULL},
        /* constants that are equal to the size, and offsets of rows */
        {"const BM: u32 = 32u;\nconst BN = 32u;\nconst K: u32 = 4096u;", "32, 32",
            "put(w.x * BN + l.x, w.y * BM * K + l.y * K);", NULL},
        {"const T = 16u;\nconst TWO = 2u * T;", "T, T", "put(w.x * TWO + l.x, TWO * w.y + l.y);",
            "\"ceil_div(width, T * 2)\", \"ceil_div(height, T * 2)\""},
        /* a tile of its own */
        {"const BM = 64u;\nconst BN = 32u;", "256", "put(w.x * BM + l.x % 8u, (w.y * BN) + l.x / 8u);",
            "\"ceil_div(width, 64)\", \"ceil_div(height, 32)\""},
        {"", "256", "let tile = 64u; let row = w.y; put(w.x * tile + l.x % 64u, row * 4u + l.x / 64u);",
            "\"ceil_div(width, 64)\", \"ceil_div(height, 4)\""},
        /* the size of the other dimension */
        {"", "32, 8", "put(w.x * 32u + l.x, w.y * 32u + l.y);",
            "\"ceil_div(width, WG_X)\", \"ceil_div(height, WG_X)\""},
        /* names that `let` gives */
        {"", "64", "let group = w.x; let first = group * 64u * 4u; put(first + l.x, 0u);",
            "\"ceil_div(n, WG_X * 4)\""},
        {"", "64", "let first = i32(w.x) * 128; put(u32(first) + l.x, l.x);", "\"ceil_div(n, WG_X * 2)\""},
        /* rows */
        {"", "64", "put(w.x + s[l.x], 0u);", "\"ceil_div(n, 64)\""}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\nvar<workgroup> s: array<u32, 64>;\n%s\n"
            "fn put(x: u32, z: u32) { y[x + 512u * z] = 1u; }\n"
            "@compute @workgroup_size(%s) fn main(@builtin(global_invocation_id) g: vec3u, "
            "@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u) { %s s[0] = 1u; }",
            cases[i].module, cases[i].size, cases[i].body);
        write_file(in_folder("groups.wgsl"), text, strlen(text));
        hed_tune_file *file = NULL;
        OK(hed_tune_file_open(in_folder("groups.wgsl"), &GPU, &file, &error));
        hed_tune_def tune = hed_default_tune_def();
        const char *note = hed_tune_file_apply(file, &tune),
                   *groups = note ? strstr(note, "\"groups\": [") : NULL;
        if (!cases[i].groups) EXPECT_NULL(groups, "%s: %s", cases[i].body, note);
        else
            EXPECT(groups && !strncmp(groups + 11, cases[i].groups, strlen(cases[i].groups)),
                "%s: %s", cases[i].body, note);
        hed_tune_file_close(file);
    }
}

/* A number of groups is the launched one, also where the launch does not follow the size: results would follow it instead. */
Test(wgsl_plain, numbers_of_groups_as_launched)
{
    static const struct {
        const char *group, *first, *value; /* a parameter; element of an item; value of the count */
    } cases[] = {{"@builtin(workgroup_id) w: vec3u, ", "w.x * 64u + l.x", "\"ceil_div(n, WG_X)\""},
        {"@builtin(workgroup_id) w: vec3u, ", "w.x * 256u + l.x", "\"ceil_div(n, 256)\""},
        {"@builtin(workgroup_id) w: vec3u, ", "w.x + s[l.x]", "\"ceil_div(n, 64)\""},
        {"", "l.x", "\"ceil_div(n, 64)\""}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[1024], line[128];
        const char *name = in_folder("launched.wgsl");
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\nvar<workgroup> s: array<u32, 64>;\n"
            "@group(0) @binding(1) var<uniform> numGroups: u32;\n"
            "@compute @workgroup_size(64) fn main(%s@builtin(local_invocation_id) l: vec3u) {\n"
            "  let at = %s; s[0] = 1u; if (at < numGroups) { y[at] = 1u; }\n}\n",
            cases[i].group, cases[i].first);
        write_file(name, text, strlen(text));
        hed_tune_file *file = NULL;
        OK(hed_tune_file_open(name, &GPU, &file, &error));
        hed_tune_def tune = hed_default_tune_def();
        const char *note = hed_tune_file_apply(file, &tune);
        snprintf(line, sizeof line, "\"numGroups\", \"value\": %s}", cases[i].value);
        EXPECT(note && strstr(note, line), "%s: %s", line, note);
        hed_tune_file_close(file);
    }
}

/* The width of subgroups is a parameter where the browser lets a shader set it and has several; a text with a width of its
 * own has none. No id differs between groups, so that one is launched. */
Test(wgsl_plain, widths_of_subgroups_and_one_group)
{
    static const struct {
        const char *head, *listed;
        uint32_t widths,
            values; /* sum of the browser's widths; values of the parameter, 0: no parameter */
    } cases[] = {{"enable subgroups;", "", 8 | 16 | 32, 4}, {"enable subgroups;", "", 0, 0},
        {"", "", 8 | 16, 0}, {"enable subgroups; enable subgroup_size_control;", "", 8 | 16, 0},
        {"enable subgroups;", "\"parameters\": {\"HED_SUBGROUP_SIZE\": [0, 4]}", 0, 2}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[1024];
        hed_device_info on = GPU;
        on.capabilities |= HED_CAN_LANES | (uint64_t)cases[i].widths << HED_SUBGROUP_WIDTHS;
        snprintf(text, sizeof text,
            "/* heddle {%s} */ %s\n@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
            "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) { y[l] = 1u; }",
            cases[i].listed, cases[i].head);
        write_file(in_folder("width.wgsl"), text, strlen(text));
        hed_tune_file *file = NULL;
        OK(hed_tune_file_open(in_folder("width.wgsl"), &on, &file, &error));
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        hed_tune_def tune = hed_default_tune_def();
        const char *note = hed_tune_file_apply(file, &tune);
        EXPECT(strstr(note, "\"groups\": [\"1\"]"), "%s", note);
        uint32_t place = 0;
        while (
            place < def->parameter_count && strcmp(def->parameters[place].name, HED_SUBGROUP_SIZE))
            place++;
        EXPECT_EQ(place<def->parameter_count, cases[i].values> 0, "%s", text);
        if (place < def->parameter_count) {
            EXPECT_EQ(def->parameters[place].count, cases[i].values);
            EXPECT_EQ(def->parameters[place].value, 0);
        }
        hed_tune_file_close(file);
    }
}

/* Elements that items read where others may write them: an index that is read and not written, of a buffer that is written. */
Test(wgsl_plain, elements_that_others_write)
{
    static const struct {
        const char *body;
        uint32_t read, write; /* lines; 0: none */
    } cases[] = {{"y[i] = y[i] + x[i + 1u];", 0, 0}, {"y[i] += x[k]; y[i].x *= 2.0;", 0, 0},
        {"let a = y[ k ]; let b = y[i]; y[i] = a; y[k] = b;", 0, 0}, {"y[i] = y[i + 1u];", 5, 5},
        {"var sum = vec2f();\nfor (var k = 0u; k < 9u; k++) {\n sum += y[k].xy * x[k]; }\n\ny[i].y = sum.x;", 7, 9},
        {"y[i].x -= h(k);", 4, 5}, {"z.rows[i] = z.rows[i / 2u];", 5, 5}, {"z.rows[i][1] = z.rows[i][2];", 0, 0},
        {"if (y[k].x == 2.0) { x2 = 1.0; }", 0, 0}, {"atomicAdd(&c[i], 1u); c2 = atomicLoad(&c[k]);", 0, 0}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[2048];
        hed_wgsl *wgsl;
        snprintf(text, sizeof text,
            "struct Rows { count: u32, rows: array<vec4f> } @group(0) @binding(0) var<storage, read_write> z: Rows;\n"
            "@group(0) @binding(1) var<storage, read_write> y: array<vec2f>; @group(0) @binding(2) var<storage> x: array<f32>;\n"
            "@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>; var<private> x2: f32; var<private> c2: u32;\n"
            "fn h(k: u32) -> f32 { return y[k].x; }\n%s%s }\n",
            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { let i = g.x; let k = i ^ 1u; ",
            cases[i].body);
        OK(hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &wgsl, &error));
        EXPECT_EQ(wgsl->race != NULL, cases[i].read > 0, "%s: %s", cases[i].body, wgsl->race);
        EXPECT_EQ(wgsl->race_line, cases[i].read, "%s", cases[i].body);
        EXPECT_EQ(wgsl->race_write_line, cases[i].write, "%s", cases[i].body);
        hed_wgsl_free(wgsl);
    }
}

/* Constants that refer to each other twice each: 2^24 factors are not followed. */
Test(wgsl_plain, factors_of_factors_end)
{
    char text[4096] = "const a0 = 1u;\n", line[160];
    for (int i = 1; i <= 24; i++) {
        snprintf(line, sizeof line, "const a%d = a%d * a%d;\n", i, i - 1, i - 1);
        strcat(text, line);
    }
    strcat(text, "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                 "@compute @workgroup_size(64) fn f(@builtin(workgroup_id) w: vec3u) { y[w.x * a24] = 1u; }\n");
    hed_wgsl *wgsl;
    OK(hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &wgsl, &error));
    EXPECT_EQ(wgsl->strides[0].number, 0u);
    hed_wgsl_free(wgsl);
}

/* Groups end where an invented problem does, since a text without a guard writes into the next row otherwise. A size of the
 * caller that is no power of two has no such limit. */
Test(wgsl_plain, groups_that_end_with_the_problem)
{
    static const struct {
        const char *sizes, *setting;
        int64_t width;
        const char *constraints; /* all of them */
    } cases[] = {{"8, 8", NULL, 64, "width % (WG_X) == 0; height % (WG_Y) == 0; "},
        {"256, 1", NULL, 256, "width % (WG_X) == 0; height % (WG_Y) == 0; "},
        {"96, 1", NULL, 96, "width % (WG_X) == 0; height % (WG_Y) == 0; "},
        {"8, 8", "width=1024", 1024, "width % (WG_X) == 0; height % (WG_Y) == 0; "},
        {"8, 8", "width=120", 120, "height % (WG_Y) == 0; "}};
    hed_device_info processor = GPU;
    processor.type = HED_DEVICE_CPU;
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[1024], found[256] = "";
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
            "@compute @workgroup_size(%s) fn main(@builtin(global_invocation_id) g: vec3u) { y[g.y * 64 + g.x] = 1u; }",
            cases[i].sizes);
        write_file(in_folder("ends.wgsl"), text, strlen(text));
        hed_tune_file *file = NULL;
        const hed_tune_text_def def = {.name = in_folder("ends.wgsl"),
            .settings = &cases[i].setting,
            .setting_count = cases[i].setting != NULL};
        OK(hed_tune_file_parse(&def, &processor, &file, &error));
        const hed_kernel_def *kernel = hed_tune_file_kernel(file);
        hed_tune_def tune = hed_default_tune_def();
        hed_tune_file_apply(file, &tune);
        for (uint32_t k = 0; k < kernel->constraint_count; k++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s; ",
                kernel->constraints[k]);
        EXPECT_TEXT(found, cases[i].constraints, "%s %s", cases[i].sizes, cases[i].setting);
        EXPECT_EQ(tune.problem->sizes[0], cases[i].width, "%s", cases[i].sizes);
        hed_tune_file_close(file);
    }
}

/* The first of several entry points is read; the notes name all of them, and the option. */
Test(wgsl_plain, several_entry_points)
{
    hed_tune_file *file = NULL;
    error = (hed_error){0};
    OK(hed_tune_file_open(plain_path("stages"), &GPU, &file, &error));
    const char *note = hed_tune_file_apply(file, NULL);
    EXPECT_TEXT(hed_tune_file_kernel(file)->name, "clear");
    EXPECT(strstr(note, "its entry points are clear, fill: --entry NAME"), "%s", note);
    hed_tune_file_close(file);
}

/* A number is a global id of a dimension only where nothing binds tighter, and only with the
 * group's own size. */
Test(wgsl_plain, sums_that_are_global_ids)
{
    static const struct {
        const char *body;
        bool is_free;
    } cases[] = {{"let i = w.x * 64u + l.x; y[i] = 1u;", true},
        {"let i = (w.x * 64u) + l.x; y[i] = 1u;", true},
        {"let i = l.x + w.x * 64; y[i] = 1u;", true}, {"let i = 64u * w.x + li; y[i] = 1u;", true},
        {"let i = 2u * (w.x * 64u + l.x); y[i] = 1u;", true},
        {"let i = w.x * u32(64) + l.x; y[i] = 1u;", true},
        {"let i = w.x * 32u + l.x; y[i] = 1u;", false},
        {"let i = 2u * w.x * 64u + l.x; y[i] = 1u;", false},
        {"let i = 9u - w.x * 64u + l.x; y[i] = 1u;", false},
        {"let i = w.x * 64u + l.x * 2u; y[i] = 1u;", false},
        {"let i = (w.x << 6u) + l.x; y[i] = 1u;", false},
        {"let i = w.x * 64u % 7u + l.x; y[i] = 1u;", false}, {"y[f(w)] = 1u;", false},
        {"y[g.x] = w.y;", true}, {"y[g.x] = 1u; storageBarrier();", false},
        {"y[g.x] = subgroupAdd(1u);", false}, {"h(); y[g.x] = 1u;", false},
        {"/* workgroupBarrier(); /* nested */ */ y[g.x] = 1u; // l.x\n", true},
        {"let q = w; y[q.x] = 1u;", false}, {"let i = w.x * 64u + l.x; y[i] = l.x;", false}};
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        char text[2048];
        hed_wgsl *wgsl;
        snprintf(text, sizeof text,
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
            "var<workgroup> s: array<u32, 64>;\nfn unused() { s[0] = 1u; }\n"
            "fn f(a: vec3u) -> u32 { return a.x; }\nfn h() { workgroupBarrier(); }\n"
            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u, "
            "@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_id) l: vec3u, "
            "@builtin(local_invocation_index) li: u32) { %s }",
            cases[i].body);
        OK(hed_wgsl_read("a.wgsl", text, strlen(text), NULL, &wgsl, &error));
        EXPECT(!wgsl->together == cases[i].is_free, "%s: %s", cases[i].body,
            wgsl->together ? wgsl->together : "free");
        hed_wgsl_free(wgsl);
    }
}

static hed_tune_file *open_text(const char *name, const char *text)
{
    hed_tune_file *file = NULL;
    error = (hed_error){0};
    write_file(in_folder(name), text, strlen(text));
    hed_tune_file_open(in_folder(name), &GPU, &file, &error);
    return file;
}

/* Returns the notes of a text that is read with what it alone lacks; "": it is refused. */
static const char *note_of(const char *name, const char *text)
{
    static char note[4096];
    hed_tune_file *file = open_text(name, text);
    const char *found = hed_tune_file_apply(file, NULL);
    snprintf(note, sizeof note, "%s", found ? found : "");
    hed_tune_file_close(file);
    return note;
}

static const char scaled[] =
    "@group(0) @binding(0) var<storage, read_write> data: array<Item>;\n"
    "@compute @workgroup_size({WG}) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
    "  // {comment}\n"
    "  if (id.x < arrayLength(&data)) { data[id.x].x *= ${FACTOR} + {{ FACTOR }}; }\n"
    "}\n";

/* A text that a program puts together: placeholders, and a type of another file. */
Test(wgsl_plain, texts_that_a_program_joins)
{
    char text[1024];
    CHECK_NULL(open_text("scale.wgsl", scaled));
    CHECK(strstr(error.text, "/* heddle {\"defines\": {\"WG\": 64, \"FACTOR\": 1}} */"),
        "%s", error.text);
    snprintf(text, sizeof text, "/* heddle {\"defines\": {\"WG\": 32, \"FACTOR\": \"2.5\"}} */ %s", scaled);
    CHECK_NULL(open_text("scale.wgsl", text));
    CHECK(strstr(error.text, "found \"Item\"") && strstr(error.text, "[\"scale.wgsl\", \"FILE\"]"), "%s", error.text);
    static const char types[] = "struct Item { x: f32 }\n";
    write_file(in_folder("types.wgsl"), types, sizeof types - 1);
    const char *note = note_of("scale.wgsl", text);
    CHECK(strstr(note, "[\"scale.wgsl\", \"types.wgsl\"]"), "%s %s", note, error.text);
    snprintf(text, sizeof text,
        "/* heddle {\"source\": [\"scale.wgsl\", \"types.wgsl\"], \"defines\": {\"WG\": 32, \"FACTOR\": \"2.5\"}} */ %s", scaled);
    hed_tune_file *file = open_text("scale.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK(def->parameter_count == 1 && def->parameters[0].value == 32 && def->define_count == 0);
    CHECK(strstr(def->sources[0].text, "*= 2.5 + 2.5;") && strstr(def->sources[0].text, "// {comment}"));
    hed_tune_file_close(file);
}

/* A placeholder's name is no constant of the text where a declaration takes its value, or where it is an address space. */
Test(wgsl_plain, names_of_placeholders)
{
    static const char *const cases[] = {"const WG: u32 = $[WG];\n%s@workgroup_size(WG)", "const WG: u32 = ${WG};\n%s@workgroup_size(WG)",
        "var<workgroup> s: array<u32, $workgroup$>;\n%s@workgroup_size($workgroup$)"};
    for (size_t i = 0; i < 2 * HED_COUNT(cases); i++) {
        char text[1024], rest[256];
        const char *name = i / 2 == 2 ? "workgroup" : "WG";
        int used = i % 2 ? snprintf(text, sizeof text, "/* heddle {\"defines\": {\"%s\": 64}} */\n", name) : 0;
        snprintf(text + used, sizeof text - (size_t)used, cases[i / 2],
            "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n@compute ");
        snprintf(rest, sizeof rest, " fn f(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1u; }\n");
        strcat(text, rest);
        hed_tune_file *file = open_text("names.wgsl", text);
        CHECK_NOT_NULL(file, "%s: %s", text, error.text);
        const char *note = hed_tune_file_apply(file, NULL);
        if (!(i % 2))
            CHECK(note && strstr(note, "are guesses") && strstr(note, name) && strstr(note, "\": 64}} */"), "%s", note);
        const char *code = hed_tune_file_kernel(file)->sources[0].text;
        CHECK(!strstr(code, "$") && !strstr(code, i / 2 == 2 ? "const " : "\nconst WG = "), "%s", code);
        hed_tune_file_close(file);
    }
}

/* Lines of a preprocessor: constants, branches and included files, with the first text's lines. */
Test(wgsl_plain, lines_of_a_preprocessor)
{
    static const char lines[] =
        "/* heddle {\"defines\": {\"HALF\": 2, \"VALUE\": \"f32\"}} */\n"
        "#include \"item.wgsl\"\n"
        "{% include \"item.wgsl\" %}\n"
        "#define WG 32\n"
        "#define SCALED(x) x\n"
        "#if HALF == 2 && !defined(QUARTER)\n"
        "#define FACTOR VALUE(0.5)\n"
        "#elif HALF == 4\n"
        "#define FACTOR VALUE(0.25)\n"
        "#else\n"
        "#ifdef NEVER\n"
        "#endif\n"
        "}\n"
        "#endif\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<Item>; // WG\n"
        "@compute @workgroup_size(WG) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
        "  if (id.x < arrayLength(&data)) { data[id.x].x *= FACTOR; }\n"
        "}\n";
    static const char item[] = "struct Item { x: VALUE }\n";
    char text[sizeof lines];
    CHECK_NULL(open_text("scale.wgsl", lines));
    CHECK(strstr(error.text, "includes \"item.wgsl\", which is not there"), "%s", error.text);
    write_file(in_folder("item.wgsl"), item, sizeof item - 1);
    CHECK_NULL(open_text("scale.wgsl", lines));
    CHECK(strstr(error.text, "the macro \"SCALED\" has arguments"), "%s", error.text);
    static const char endless[] = "#define A A A\n@compute @workgroup_size(A) fn f() { }\n";
    CHECK_NULL(open_text("scale.wgsl", endless));
    CHECK(strstr(error.text, "the text with its macros replaced has over 4 MiB"), "%s", error.text);
    memcpy(text, lines, sizeof lines);
    memcpy(strstr(text, "SCALED(x)"), "SCALED /*", 9);
    hed_tune_file *file = open_text("scale.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    const char *source = def->sources[0].text;
    CHECK(def->parameter_count == 1 && def->parameters[0].value == 32);
    CHECK(strstr(source, "*= f32(0.5);") && strstr(source, "struct Item { x: f32 }") && strstr(source, "// WG"),
        "%s", source);
    CHECK(!strstr(source, "0.25") && !strchr(source, '#') && !strstr(source, "{%"), "%s", source);
    hed_tune_file_close(file);
}

/* Files that a line `use FILE.wgsl;` names, with the mark of the byte order that some editors put in front of each. */
Test(wgsl_plain, files_that_a_text_uses)
{
    static const char lines[] = "\xef\xbb\xbf"
                                "use item.wgsl;\n"
                                "@group(0) @binding(0) var<storage, read_write> data: array<Item>;\n"
                                "@compute @workgroup_size(32) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
                                "  if (id.x < arrayLength(&data)) { data[id.x].x *= 2.0; }\n"
                                "}\n";
    static const char item[] = "\xef\xbb\xbf" "struct Item { x: f32 }\n";
    CHECK_NULL(open_text("scale.wgsl", lines));
    CHECK(strstr(error.text, "includes \"item.wgsl\", which is not there"), "%s", error.text);
    write_file(in_folder("item.wgsl"), item, sizeof item - 1);
    char listed[sizeof lines + 80];
    snprintf(listed, sizeof listed, "/* heddle {\"source\": [\"scale.wgsl\", \"item.wgsl\"]} */ %s",
        strstr(lines, "@group"));
    for (int i = 0; i < 2; i++) {
        hed_tune_file *file = open_text("scale.wgsl", i ? listed : lines);
        CHECK_NOT_NULL(file, "%s", error.text);
        const char *source = hed_tune_file_kernel(file)->sources[0].text;
        CHECK(strstr(source, "struct Item") && !strstr(source, "\xef\xbb\xbf") && !strstr(source, "use "), "%s", source);
        hed_tune_file_close(file);
    }
}

/* Names that only the program declares: one message with the files near the text that have them, and guesses
 * for the rest. */
Test(wgsl_plain, names_that_a_text_does_not_declare)
{
    static const char lines[] =
        "@group(0) @binding(0) var<storage, read_write> data: array<IN_TYPE>;\n"
        "var<private> SEED = 1u;\n"
        "@compute @workgroup_size(WG_SIZE) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
        "  var total = IN_TYPE(0);\n"
        "  for (var i = 0u; i < NUM_BANKS; i++) { total += data[id.x] * Half(1).x * IN_TYPE(SEED + LIMIT); }\n"
        "  data[id.x] = total;\n"
        "}\n"
        "fn half_of(h: Half) -> f32 { return h.x; }\n";
    static const char near[] = "struct Half { x: f32 }\nconst LIMIT = 3u;\n";
    char text[1024];
    write_file(in_folder("near.wgsl"), near, sizeof near - 1);
    const char *note = note_of("scale.wgsl", lines);
    CHECK(strstr(note, "/* heddle {\"source\": [\"scale.wgsl\", \"near.wgsl\"], \"defines\": "
                       "{\"IN_TYPE\": \"f32\", \"WG_SIZE\": 64, \"NUM_BANKS\": 32}} */"),
        "%s %s", note, error.text);
    const char *comment = strstr(note, "/* heddle {\"source");
    snprintf(text, sizeof text, "%.*s %s", (int)(strstr(comment, "*/") + 2 - comment), comment, lines);
    hed_tune_file *file = open_text("scale.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK(def->parameter_count == 1 && def->parameters[0].value == 64 &&
          def->arguments[0].type == HED_FLOAT);
    hed_tune_file_close(file);

    /* several entry points and types of the program are in the same message */
    snprintf(text, sizeof text, "%s@compute @workgroup_size(SIDE, SIDE) fn next() { data[0] = LIMIT; }\nfn g(c: Chunk, d: Chunk) {}\n", lines);
    CHECK_NULL(open_text("scale.wgsl", text));
    CHECK(strstr(error.text, "\"SIDE\": 8}, \"kernel\": \"scale\"} */") && strstr(error.text, "its entry points are scale, next;") &&
              strstr(error.text, "no file near it declares the types Chunk ("),
        "%s", error.text);
}

/* Functions and variables that a file near the text declares, names in comments, and placeholders beside several
 * entry points. */
Test(wgsl_plain, functions_that_a_text_does_not_declare)
{
    static const char lines[] =
        "// const DEGREE: u32 = 3;\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
        "@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let at = id.x;\n"
        "  data[at] = max(blend(data[at], f32(at)), settings.gain);\n"
        "}\n";
    static const char near[] = "/* fn other(x: f32) */ fn blend(a: f32, b: f32) -> f32 { return mix(a, b, 0.5); }\n",
                      shared[] = "struct Settings { gain: f32 }\n@group(0) @binding(1) var<uniform> settings: Settings;\n",
                      placeholders[] =
                          "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
                          "@compute @workgroup_size(#{WINDOW_SIZE}) fn flip() { data[0] += 1.0; }\n"
                          "@compute @workgroup_size(#{WINDOW_SIZE}) fn flop() { data[0] += 2.0; }\n";
    char text[1024];
    write_file(in_folder("near.wgsl"), near, sizeof near - 1);
    write_file(in_folder("settings.wgsl"), shared, sizeof shared - 1);
    const char *note = note_of("scale.wgsl", lines);
    CHECK(strstr(note, "/* heddle {\"source\": [\"scale.wgsl\", \"near.wgsl\", \"settings.wgsl\"]} */"), "%s %s", note, error.text);
    snprintf(text, sizeof text, "/* heddle {\"source\": [\"scale.wgsl\", \"near.wgsl\", \"settings.wgsl\"]} */ %s", lines);
    hed_tune_file *file = open_text("scale.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    hed_tune_file_close(file);
    snprintf(text, sizeof text, "%s fn all(x: f32) -> f32 { return x * DEGREE; }\n", lines);
    note = note_of("scale.wgsl", text);
    CHECK(strstr(note, "\"defines\": {\"DEGREE\": 1}}"), "%s %s", note, error.text);
    note = note_of("scale.wgsl", placeholders);
    CHECK(strstr(note, "{\"defines\": {\"WINDOW_SIZE\": 64}, \"kernel\": \"flip\"} */") &&
              strstr(note, "its entry points are flip, flop:"),
        "%s %s", note, error.text);
    snprintf(text, sizeof text, "/* heddle {\"defines\": {\"WINDOW_SIZE\": 64}, \"kernel\": \"flip\"} */ %s", placeholders);
    file = open_text("scale.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    hed_tune_file_close(file);
}

/* Names that a program puts in front: types of HLSL, and variables of which no file is known. One message has all. */
Test(wgsl_plain, names_that_a_program_puts_in_front)
{
    static const char lines[] =
        "fn flip(state: ptr<function, uint>, p: float) -> bool { return float(*state) <= p; }\n"
        "@compute @workgroup_size(16, 16)\n"
        "fn blank(@builtin(global_invocation_id) id: uint3) { textureStore(screen, int2(id.xy), float4(0.,0.,0.,1.)); }\n"
        "@compute @workgroup_size(16, 16)\n"
        "fn image(@builtin(global_invocation_id) id: uint3) {\n"
        "  var seed = id.x + time.frame; let c = textureLoad(channel0, int2(id.xy), 0) * table[id.x];\n"
        "  if (flip(&seed, .25)) { textureStore(screen, int2(id.xy), c); }\n}\n";
    static const char program[] =
        "struct Time { frame: u32 }\n@group(0) @binding(0) var screen: texture_storage_2d<rgba8unorm, write>;\n"
        "@group(0) @binding(1) var channel0: texture_2d<f32>;\n@group(0) @binding(2) var<uniform> time: Time;\n"
        "@group(0) @binding(3) var<storage, read> table: array<vec4<f32>>;\n";
    char text[2048];
    CHECK_NULL(open_text("front.wgsl", lines));
    CHECK(
        strstr(error.text,
            "/* heddle {\"source\": [\"front.wgsl\", \"FILE\"], \"defines\": {\"uint\": \"u32\", \"float\": \"f32\", "
            "\"uint3\": \"vec3<u32>\", \"int2\": \"vec2<i32>\", \"float4\": \"vec4<f32>\"}, \"kernel\": \"blank\"} */"),
        "%s", error.text);
    CHECK(strstr(error.text, "declarations of screen, time, channel0, table") &&
              strstr(error.text, "its entry points are blank, image"),
        "%s", error.text);
    const char *comment = strstr(error.text, "/* heddle"), *name = strstr(comment, "FILE");
    snprintf(text, sizeof text, "%.*sp.wgsl%.*s %s", (int)(name - comment), comment,
        (int)(strstr(comment, "*/") - name - 2), name + 4, lines);
    write_file(in_folder("p.wgsl"), program, sizeof program - 1);
    hed_tune_file *file = open_text("front.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    CHECK_TEXT(hed_tune_file_kernel(file)->name, "blank");
    hed_tune_file_close(file);
    /* names of WGSL alone are no reason */
    file = open_text("plain.wgsl",
        "@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;\n"
        "fn add(p: ptr<storage, atomic<u32>, read_write>, int: u32) { atomicAdd(p, int); }\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "  var local = array<vec2f, 2>(vec2f(1.), vec2f()); local[0].x += 1.f; add(&data[id.x], pack4xU8(vec4u(u32(local[0].x))));\n}\n");
    CHECK_NOT_NULL(file, "%s", error.text);
    hed_tune_file_close(file);
}

/* Types and formats of textures that a program puts in, and lines that import a file. */
Test(wgsl_plain, formats_that_a_program_puts_in)
{
    static const char lines[] = "@import \"grid.wgsl\";\nimport 'grid.wgsl'\n"
        "@group(0) @binding(0) var from_: texture_3d<min16float>;\n"
        "@group(0) @binding(1) var to: texture_storage_3d<target_format, write>;\n"
        "@group(0) @binding(2) var both: texture_storage_2d<COUNTER, read_write>;\n"
        "@compute @workgroup_size(4, 4, 4) fn copy(@builtin(global_invocation_id) id: vec3u) {\n"
        "  if (id.x < EDGE) { textureStore(to, id, textureLoad(from_, id, 0)); }\n}\n",
                      grid[] = "const EDGE: u32 = 3u;\n";
    char text[2048];
    write_file(in_folder("grid.wgsl"), grid, sizeof grid - 1);
    const char *note = note_of("copy.wgsl", lines), *comment = strstr(note, "/* heddle {\"defines\": {");
    CHECK(comment && strstr(comment, "\"min16float\": \"f32\"") && strstr(comment, "\"target_format\": \"rgba16float\"") &&
              strstr(comment, "\"COUNTER\": \"r32float\"") && !strstr(comment, "EDGE"),
        "%s", error.text);
    snprintf(text, sizeof text, "%.*s\n%s", (int)(strstr(comment, "*/") + 2 - comment), comment, lines);
    hed_tune_file *file = open_text("copy.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    hed_tune_file_close(file);
}

/* Of several files that declare a name, one that the text mentions is taken, and none that declares a name again or has it within
 * a function alone. Imports of WESL stay as comments; names that WGSL does not allow are replaced by their values. */
Test(wgsl_plain, files_that_a_text_mentions)
{
    static const char lines[] =
        "import package::field::{twice, LIMIT};\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
        "@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) {\n"
        "  data[id.x] = twice(max(f32(id.x), LIMIT)) + f32(__STEPS__);\n}\n";
    static const char *const files[][2] = {
        {"a.wgsl", "const LIMIT: f32 = 1.0;\nfn other() -> f32 { return 1.0; }\n"},
        {"b.wgsl", "fn second(x: f32) -> f32 { var max = x; return max; }\n"},
        {"field.wgsl", "fn twice(x: f32) -> f32 { return 2.0 * x; }\nconst LIMIT: f32 = 2.0;\n"},
        {"z.wgsl", "const LIMIT: f32 = 1.0;\nfn twice(x: f32) -> f32 { return 2.0 * x; }\n"}};
    char text[2048];
    for (size_t i = 0; i < HED_COUNT(files); i++)
        write_file(in_folder(files[i][0]), files[i][1], strlen(files[i][1]));
    const char *note = note_of("fill.wgsl", lines);
    const char *comment = strstr(note, "/* heddle {\"source\": [\"fill.wgsl\", \"field.wgsl\"], \"defines\": {\"__STEPS__\": 1}} */");
    CHECK_NOT_NULL(comment, "%s %s", note, error.text);
    snprintf(text, sizeof text, "%.*s\n%s", (int)(strstr(comment, "*/") + 2 - comment), comment, lines);
    hed_tune_file *file = open_text("fill.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    const char *made = hed_tune_file_kernel(file)->sources[0].text;
    CHECK(strstr(made, "// import package") && strstr(made, "+ f32(1);") && !strstr(made, "__STEPS__ ="), "%s", made);
    hed_tune_file_close(file);
}

/* A file of the same name in another folder, a name that is a whole statement, and the length of an array. */
Test(wgsl_plain, names_by_their_places)
{
    static const char lines[] =
        "@group(0) @binding(0) var<storage, read_write> data: array<Field>;\n"
        "var<workgroup> part: array<atomic<u32>, mem_words>;\n@group(0) @binding(1) var to: texture_storage_2d_array<rgba8unorm, write>;\n"
        "@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) {\n"
        "  var x = 1u;\n  UPDATE\n  data[id.x].x = x + atomicLoad(&part[0]);\n  textureStore(to, id.xy, 0, vec4f());\n}\n",
                      field[] = "struct Field { x: u32 }\n";
    CHECK_EQ(mkdir(in_folder("other"), 0700), 0);
    write_file(in_folder("other/placed.wgsl"), field, sizeof field - 1);
    hed_tune_file *file = open_text("placed.wgsl", lines);
    CHECK_NOT_NULL(file, "%s", error.text);
    const char *note = hed_tune_file_apply(file, NULL),
               *made = hed_tune_file_kernel(file)->sources[0].text;
    CHECK(strstr(note,
              "/* heddle {\"source\": [\"placed.wgsl\", \"other/placed.wgsl\"], \"defines\": "
              "{\"mem_words\": 256, \"UPDATE\": \"\"}} */"),
        "%s", note);
    CHECK(!strstr(made, "UPDATE") && strstr(made, "struct Field"), "%s", made);
    hed_tune_file_close(file);
}

/* Padding has the height's name, and is none; a window's step of one element. */
Test(wgsl_plain, numbers_of_a_convolution)
{
    static const char lines[] =
        "struct P { in_h: u32, pad_h: u32, stride_w: u32, dilation_h: u32, row_stride: u32, batch_idx: u32 }\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
        "@group(0) @binding(1) var<uniform> p: P;\n"
        "@compute @workgroup_size(8, 8) fn fill(@builtin(global_invocation_id) id: vec3u) {\n"
        "  data[id.x + id.y * p.in_h] = p.pad_h + p.stride_w + p.dilation_h + p.row_stride + p.batch_idx;\n}\n";
    const char *note = note_of("window.wgsl", lines);
    CHECK(strstr(note, "\"pad_h\", \"value\": 0}, {\"name\": \"stride_w\", \"value\": 1}, {\"name\": \"dilation_h\", \"value\": 1}") &&
              strstr(note, "\"batch_idx\", \"value\": 0}") && !strstr(note, "\"in_h\", \"value\": 1}"),
        "%s %s", note, error.text);
}

/* A text that a source file in C++ includes as a raw string. */
Test(wgsl_plain, texts_within_a_raw_string)
{
    static const char *const ends[][2] = {{"R\"(", ")\""}, {"// a comment\n/* and another */ R\"wgsl(\n", ")wgsl\";\n"}};
    for (size_t i = 0; i < HED_COUNT(ends); i++) {
        char text[1024];
        snprintf(text, sizeof text,
            "%s@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
            "@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) { data[id.x] = f32(id.x); }\n%s",
            ends[i][0], ends[i][1]);
        hed_tune_file *file = open_text("raw.wgsl", text);
        CHECK_NOT_NULL(file, "%s", error.text);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        CHECK(def->parameter_count == 1 && !strstr(def->sources[0].text, "R\"") &&
                  !strstr(def->sources[0].text, "\";"),
            "%s", def->sources[0].text);
        hed_tune_file_close(file);
    }
}

/* One message has placeholders of files that are joined too, all files of a long list, and functions that no file has. */
Test(wgsl_plain, one_message_for_joined_texts)
{
    enum { FILES = 14 };
    char text[2048] = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
                      "@compute @workgroup_size(64) fn sum(@builtin(global_invocation_id) id: vec3u) {\n  var v = shade(data[id.x]);\n",
         name[64], part[256], expected[1024] = "\"source\": [\"sum.wgsl\"";
    CHECK_EQ(mkdir(in_folder("parts_of_the_program"), 0700), 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "parts_of_the_program/part_number_%02d.wgsl", i);
        /* words that no file has: each is searched once */
        snprintf(part, sizeof part, "fn part_%d(x: f32) -> f32 { let y = vec4<f32>(f32(x)); return y.x + f32(%s); }\n", i,
            i == 3 ? "${strength}" : "1");
        write_file(in_folder(name), part, strlen(part));
        snprintf(part, sizeof part, "  v += part_%d(v);\n", i);
        strcat(text, part);
        snprintf(part, sizeof part, ", \"%s\"", name);
        strcat(expected, part);
    }
    strcat(text, "  data[id.x] = v;\n}\n");
    strcat(expected, ", \"FILE\"], \"defines\": {\"strength\": 1}} */");
    CHECK_NULL(open_text("sum.wgsl", text));
    CHECK(strstr(error.text, expected) && strstr(error.text, "a FILE with the program's declarations of shade"),
        "%s", error.text);
}

/* Buffers have as many elements as the indices of an item need. */
Test(wgsl_plain, several_elements_of_an_item)
{
    static const uint64_t bytes[] = {4, 8 * 2, 4 * 3};
    hed_tune_file *file = open_plain("pairs", NULL);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_file_apply(file, &def);
    for (uint32_t i = 0; i < HED_COUNT(bytes); i++)
        CHECK(def.arguments[i].bytes == bytes[i] * 65536, "%u: %llu", i,
            (unsigned long long)def.arguments[i].bytes);
    hed_tune_file_close(file);
}

/* A bool is tuned if its name is a way to compute, since the other value of one that chooses the result would be wrong. */
Test(wgsl_plain, bools_that_choose_the_result_keep_their_value)
{
    hed_tune_file *file = open_text("flags.wgsl",
        "override NV21: bool = false; override useShared: bool = false; override LOOKUP: bool;\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
        "@compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) {\n"
        "  data[id.x] = select(1.0, 2.0, NV21 || LOOKUP || useShared);\n}\n");
    CHECK_NOT_NULL(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    hed_tune_def tune = hed_default_tune_def();
    const char *note = hed_tune_file_apply(file, &tune);
    CHECK_EQ(def->parameter_count, 2u);
    CHECK_TEXT(def->parameters[0].name, "useShared");
    CHECK_EQ(def->define_count, 1u);
    CHECK_TEXT(def->defines[0].value, "1");
    CHECK(strstr(note, "the value stays of NV21, LOOKUP; if the result does not depend on it, tune it by /* heddle "
                       "{\"parameters\": {\"NV21\": [0, 1]}} */"),
        "%s", note);
    hed_tune_file_close(file);
}

/* An override without a value that is a size of the group begins with a usual one, and of two bindings
 * at one place the unused one counts not. */
Test(wgsl_plain, sizes_without_a_value)
{
    hed_tune_file *file = open_text("fill.wgsl",
        "override X: u32; override Y: u32;\n"
        "@group(0) @binding(0) var<uniform> other: vec4f;\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"
        "@compute @workgroup_size(X, Y) fn fill(@builtin(global_invocation_id) id: vec3u) { data[id.x + 64 * id.y] = 1.0; }\n");
    CHECK_NOT_NULL(file, "%s", error.text);
    const hed_kernel_def *def = hed_tune_file_kernel(file);
    CHECK(def->parameter_count == 2 && def->parameters[0].value == 8 &&
          def->parameters[1].value == 8);
    CHECK_EQ(def->argument_count, 1);
    hed_tune_file_close(file);
}

/* Native programs take mixed operators without parentheses, with the precedence of C. Browsers refuse such texts. */
Test(wgsl_plain, mixed_operators_get_parentheses)
{
    static const char head[] =
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
        "@compute @workgroup_size(64) fn mix(@builtin(global_invocation_id) id: vec3<u32>) {\n  let x = id.x; var y = 2u;\n  ";
    static const struct {
        const char *text, *expected; /* NULL: unchanged */
    } rows[] = {{"data[x] = x * 3u ^ y * 5u;", "data[x] = (x * 3u) ^ (y * 5u);"},
        {"data[x] = x >> vec2<u32>(3u, y).x & 1u | y << 2u;",
            "data[x] = ((x >> vec2<u32>(3u, y).x) & 1u) | (y << 2u);"},
        {"data[x + 1u << 2u] = u32(x < 4u && y < 2u || x == 9u);",
            "data[(x + 1u) << 2u] = u32((x < 4u && y < 2u) || x == 9u);"},
        {"if x & 1u == y { return; }", "if x & (1u == y) { return; }"},
        {"y <<= x & 3u + 1u; data[x] = y - /* a & b + c */ 1u;",
            "y <<= x & (3u + 1u); data[x] = y - /* a & b + c */ 1u;"},
        {"data[x] = min(x & y - 1u, max(y, 0xffu & x ^ y)) % -1i;", "data[x] = min(x & (y - 1u), max(y, (0xffu & x) ^ y)) % -1i;"},
        {"data[x] = x * 3u + y * 2u - x / 4u; y += 1u; y++; data[1] = x & y & 3u;", NULL},
        {"data[x] = select(0u, u32(1e-5 < f32(x + y) && !(x == y) && x << 2u < y), true || y > x);", NULL},
        {"var t: array<array<u32, 3>, 2>; let p = &t; (*p)[x][1] = ~y; data[x] = t[0][x & 1u];", NULL}};
    char text[1024], expected[1024];
    for (size_t i = 0; i < HED_COUNT(rows); i++) {
        const char *after = rows[i].expected ? rows[i].expected : rows[i].text;
        snprintf(text, sizeof text, "%s%s\n}\n", head, rows[i].text);
        snprintf(expected, sizeof expected, "%s\n}\n", after);
        hed_tune_file *file = open_text("mix.wgsl", text);
        CHECK_NOT_NULL(file, "%s: %s", rows[i].text, error.text);
        const hed_kernel_def *kernel = hed_tune_file_kernel(file);
        const char *note = hed_tune_file_apply(file, NULL);
        CHECK(strstr(kernel->sources[0].text, expected), "%s\ninstead of %s", kernel->sources[0].text, expected);
        CHECK(!rows[i].expected == !(note && strstr(note, "parentheses are added around mixed operators, from line 4 on")),
            "%s: %s", rows[i].text, note ? note : "no note");
        hed_tune_file_close(file);
    }
}
