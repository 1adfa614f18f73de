/* Texts in WGSL that a browser refuses for their words alone (2021, native wgpu), lines and placeholders of templates, and
 * files that a text includes by paths of its program. */
#include "browser_gpu.h"
#include "folder.h"

#include "heddle/tune_file.h"

static hed_error error;

TestSuite(wgsl_dialect, .init = folder_make, .fini = folder_remove);

static hed_tune_file *open_text(const char *name, const char *text)
{
    hed_tune_file *file = NULL;
    error = (hed_error){0};
    write_file(in_folder(name), text, strlen(text));
    hed_tune_file_open(in_folder(name), &GPU, &file, &error);
    return file;
}

/* Checks that a text is read, that the browser's copy has and lacks words (NULL: none), and that the notes have `note`. */
static void check_code(const char *text, const char *has, const char *lacks, const char *note)
{
    hed_tune_file *file = open_text("text.wgsl", text);
    CHECK_NOT_NULL(file, "%s: %s", text, error.text);
    const char *code = hed_tune_file_kernel(file)->sources[0].text,
               *notes = hed_tune_file_apply(file, NULL);
    CHECK(strstr(code, has), "%s\ninstead of %s", code, has);
    CHECK(!lacks || !strstr(code, lacks), "%s\nwith %s", code, lacks);
    CHECK(!note || (notes && strstr(notes, note)), "%s\ninstead of %s", notes ? notes : "", note);
    hed_tune_file_close(file);
}

#define BODY \
    "(@builtin(global_invocation_id) id: vec3u) { let i = id.x; data[i] = data[i] * SCALE; }\n"
#define DATA "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n"

Test(wgsl_dialect, words_of_2021)
{
    check_code("let SCALE = 2.0;\n" DATA "@stage(compute) @workgroup_size(64) fn f" BODY,
        "const SCALE = 2.0;\n" DATA "@compute @workgroup_size(", "@stage",
        "WGSL of 2021, from line 1 on");
    check_code(
        "const SCALE = 2.0;\n[[block]] struct Data { [[size(16)]] n: u32; values: [[stride(4)]] array<f32>; };\n"
        "[[group(0), binding(0)]] var<storage, read_write> all: Data;\n"
        "[[stage(compute), workgroup_size(64)]]\n"
        "fn f([[builtin(global_invocation_id)]] id: vec3<u32>) {\n"
        "  let i = id.x; if (i < all.n) { all.values[i] = all.values[i] * SCALE; }\n}\n",
        " struct Data { @size(16)  n: u32, values:  array<f32>, };\n@group(0) @binding(0)  var",
        "[[", "from line 2 on");
    /* an index within an index, a local `let`, and semicolons outside of structs stay */
    check_code("const SCALE = 2.0; struct Pair { a: f32, b: f32 };\n" DATA
               "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
               "  let i = vec2u(id.x, 0); data[i[0]] = f32(i[i[1]]) * SCALE;\n}\n",
        "struct Pair { a: f32, b: f32 };\n" DATA, "const i", NULL);
}

Test(wgsl_dialect, variables_of_native_wgpu)
{
    check_code("struct Push { scale: f32 }\n" DATA
               "var<push_constant> push: Push; // push_constant\n"
               "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
               "  data[id.x] = data[id.x] * push.scale;\n}\n",
        "@group(0) @binding(1) var<uniform> push: Push; // push_constant", NULL,
        "line 3 is a variable of native wgpu");
    check_code(DATA "var< immediate > SCALE: f32;\n@compute @workgroup_size(64) fn f" BODY,
        "@group(0) @binding(1) var<uniform> SCALE: f32;", "immediate",
        "in a browser it is a uniform");
}

Test(wgsl_dialect, files_by_paths_of_the_program)
{
    static const char item[] = "const SCALE = 2.0;\n";
    static const char *const lines[] = {"#include scale.wgsl", "#include 'scale.wgsl';",
        "#include \"@app/shaders/scale.wgsl\";", "#include <app/scale.wgsl>",
        "{% include 'scale.wgsl' %}"};
    char text[512];
    write_file(in_folder("scale.wgsl"), item, sizeof item - 1);
    for (size_t i = 0; i < HED_COUNT(lines); i++) {
        snprintf(
            text, sizeof text, "%s\n%s", lines[i], DATA "@compute @workgroup_size(64) fn f" BODY);
        check_code(text, "\nconst SCALE = 2.0;", "include", NULL);
    }
    CHECK_NULL(open_text("text.wgsl",
        "#include \"app/other.wgsl\"\n" DATA "@compute @workgroup_size(64) fn f" BODY));
    CHECK(strstr(error.text, "includes \"app/other.wgsl\", which is not there"), "%s", error.text);
    /* a declaration that the program marks */
    check_code("#dynamic " DATA "const SCALE = 2.0;\n@compute @workgroup_size(64) fn f" BODY,
        DATA "const", "#", NULL);
    CHECK_NULL(
        open_text("text.wgsl", "#dynamic data\n" DATA "@compute @workgroup_size(64) fn f" BODY));
    CHECK(strstr(error.text, "\"#dynamic\" is a line of the program"), "%s", error.text);
}

Test(wgsl_dialect, conditions_of_templates)
{
    static const char text[] =
        "/* heddle {\"defines\": {\"bits\": 12}} */\n"
        "{%- if bits > 10 and not (bits == 11 or wide) -%}\nconst SCALE = 2.0;\n{% elif wide %}\nconst SCALE = 3.0;\n"
        "{% else %}\nconst SCALE = 4.0;\n{% endif %}\n" DATA
        "@compute @workgroup_size(64) fn f" BODY;
    char other[sizeof text];
    check_code(text, "const SCALE = 2.0;", "SCALE = 3.0", NULL);
    strcpy(other, text);
    memcpy(strstr(other, "12"), "11", 2);
    check_code(other, "const SCALE = 4.0;", "SCALE = 2.0", NULL);
    CHECK_NULL(open_text(
        "text.wgsl", "{% for i in rows %}\n" DATA "@compute @workgroup_size(64) fn f" BODY));
    CHECK(strstr(error.text, "\"{% for\" is a line of the program"), "%s", error.text);
}

/* Constants that a program puts before its text: their numbers have the type of sizes where a variable takes its own from
 * them, and names in small letters that only take part in arithmetic are found too. */
Test(wgsl_dialect, types_of_guesses)
{
    static const char
        text[] = DATA
        "@compute @workgroup_size({wg_size}) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let step = wg_size * rows;\n  data[id.x + step - key_size] = f32(id.x % {wg_size}u);\n}\n",
        plain[] = DATA
        "@compute @workgroup_size(WG_SIZE) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let i = id.x * WG_SIZE;\n  data[i] = 2.0;\n}\n";
    check_code(text, "const wg_size = 64u;", NULL, "\"key_size\": 64");
    check_code(text, "const rows = 1u;", NULL, "\"rows\": 1");
    check_code(plain, "const WG_SIZE = 64;", NULL, NULL);
}

/* The comment of a message names a FILE of the program, which is not there when it is pasted as it is. */
Test(wgsl_dialect, a_file_that_is_not_there)
{
    CHECK_NULL(open_text("text.wgsl", "/* heddle {\"source\": [\"text.wgsl\", \"FILE\"]} */\n" DATA
                                      "@compute @workgroup_size(64) fn f" BODY));
    CHECK(strstr(error.text, "source[1]: cannot open ") && strstr(error.text, "/FILE: "), "%s",
        error.text);
}

static hed_tune_file *open_on(uint64_t capabilities, const char *text)
{
    hed_device_info on = GPU;
    hed_tune_file *file = NULL;
    on.capabilities |= capabilities;
    error = (hed_error){0};
    write_file(in_folder("half.wgsl"), text, strlen(text));
    hed_tune_file_open(in_folder("half.wgsl"), &on, &file, &error);
    return file;
}

/* A device without f16: the message has the comment with which the text is of f32. */
Test(wgsl_dialect, f32_in_the_place_of_f16)
{
    static const char text[] =
        "enable f16, subgroups; enable f16;\nstruct Row { x: array<vec4<f16>, 2> }\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<f16>;\nvar<private> row: Row;\n"
        "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let a = vec4h(0.5h, 1h, 2.0h, 1e-3h).x + mat2x2h()[0].x; // 1h\n  data[id.x] = a * subgroupAdd(f16(1.0));\n}\n",
                      comment[] = "/* heddle {\"defines\": {\"f16\": \"f32\"}} */\n";
    char whole[sizeof text + sizeof comment];
    CHECK_NULL(open_on(HED_CAN_LANES, text));
    CHECK(strstr(error.text, "--browser firefox") &&
              strstr(error.text, "/* heddle {\"defines\": {\"f16\": \"f32\"}} */"),
        "%s", error.text);
    snprintf(whole, sizeof whole, "%s%s", comment, text);
    hed_tune_file *file = open_on(HED_CAN_LANES, whole);
    CHECK_NOT_NULL(file, "%s", error.text);
    const char *code = hed_tune_file_kernel(file)->sources[0].text;
    CHECK(strstr(code, "\nenable subgroups; \nstruct Row { x: array<vec4<f32>, 2> }") &&
              strstr(code, "vec4f(0.5f, 1f, 2.0f, 1e-3f).x + mat2x2f()[0].x; // 1h") &&
              strstr(code, "(f32(1.0))"),
        "%s", code);
    hed_tune_file_close(file);
}

/* A type of the items' own numbers is a parameter on a device with f16, and results may then differ more. */
Test(wgsl_dialect, bits_of_a_type)
{
    static const char body[] =
        "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
        "  data[id.x] = f32(real(data[id.x]) * real(0.5));\n}\n";
    static const struct {
        const char *head, *note;
        uint64_t capabilities;
        uint32_t count;
    } cases[] = {{"alias real = f32;\n" DATA, "the type real in line 1 is a parameter, 32 for f32",
                     HED_CAN_FP16, 2},
        {"alias real = f32;\n" DATA, NULL, 0, 1},
        {"enable f16; alias real = f16;\n" DATA, "the type real in line 1 is a parameter",
            HED_CAN_FP16, 2},
        {"alias real = f32; alias pair = vec2<real>; struct Item { x: array<pair, 2> }\n"
         "@group(0) @binding(1) var<storage> items: array<Item>;\n" DATA,
            "the type real is no parameter: items has elements of it", HED_CAN_FP16, 1},
        {"alias real = f32; var<workgroup> part: array<real, 64>; var<private> own: real;\n" DATA,
            "is a parameter", HED_CAN_FP16, 2}};
    char text[1024];
    for (size_t i = 0; i < HED_COUNT(cases); i++) {
        snprintf(text, sizeof text, "%s%s", cases[i].head, body);
        hed_tune_file *file = open_on(cases[i].capabilities, text);
        CHECK_NOT_NULL(file, "%s: %s", text, error.text);
        const hed_kernel_def *def = hed_tune_file_kernel(file);
        const char *note = hed_tune_file_apply(file, NULL);
        CHECK_EQ(def->parameter_count, cases[i].count);
        CHECK(!cases[i].note || strstr(note, cases[i].note), "%s\ninstead of %s", note,
            cases[i].note);
        CHECK(cases[i].note || !strstr(note, "the type real"), "%s", note);
        bool is_parameter = cases[i].count == 2;
        CHECK(def->arguments[0].tolerance == (is_parameter ? 1e-2 : def->arguments[0].tolerance),
            "%g", def->arguments[0].tolerance);
        if (is_parameter) {
            const hed_parameter_def *real = &def->parameters[1];
            CHECK(!strcmp(real->name, "real") && real->count == 2 && real->values[0] == 16 &&
                  real->values[1] == 32 && real->value == (i == 2 ? 16 : 32));
        } else {
            CHECK(def->arguments[0].tolerance < 1e-3, "%g", def->arguments[0].tolerance);
        }
        hed_tune_file_close(file);
    }
}

/* The comment of invented numbers is read as it is printed, however many there are. */
Test(wgsl_dialect, a_comment_of_many_numbers)
{
    static const char text[] = "struct Params { view: mat4x4<f32>, model: mat4x4<f32>, light: mat4x4<f32>, rate: f32 }\n" DATA
                               "@group(0) @binding(1) var<uniform> params: Params;\n"
                               "@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3u) {\n"
                               "  data[id.x] = params.view[0].x * params.rate + params.model[1].y * params.light[2].z;\n}\n";
    hed_tune_file *file = open_text("text.wgsl", text);
    CHECK_NOT_NULL(file, "%s", error.text);
    const char *note = hed_tune_file_apply(file, NULL), *from = strstr(note, "/* heddle {"), *end = from ? strstr(from, "*/") : NULL;
    CHECK(end && strstr(end, "(and 25 further numbers that it leaves out)"), "%s", note);
    char whole[8192];
    snprintf(whole, sizeof whole, "%.*s*/\n%s", (int)(end - from), from, text);
    hed_tune_file_close(file);
    file = open_text("text.wgsl", whole);
    CHECK_NOT_NULL(file, "%s: %s", whole, error.text);
    hed_tune_file_close(file);
}
