/* ctest: devices */
/* Argument lists written once (heddle/view.h): struct, parameters, description, unpacking in C and
 * launch of one list belong together, on every device and through NVRTC. */
#include "fixture.h"

#include "heddle/view.h"

#include "base/signature.h"
#include "nvrtc_testing.h"

static hed_error error;

TestSuite(view, .init = here_open, .fini = here_close);

/* ---- a kernel with a row of every kind ---- */

typedef struct scaling {
    float factor, offset;
} scaling;

#define ARRAYS(FIRST, NEXT) FIRST(IN, float, in) NEXT(SHARED_IN, uint32_t, order)
#define SCALE(FIRST, NEXT) \
    ARRAYS(FIRST, NEXT) \
    NEXT(OUT, float, out) \
    NEXT(INOUT, float, sum) \
    NEXT(SHARED_OUT, float, copy) NEXT(SHARED, float, twice) NEXT(SCRATCH, uint32_t, state) \
        NEXT(STRUCT, scaling, scale) NEXT(VALUE, uint32_t, n) NEXT(LOCAL, float, tile)
HED_VIEW(scale_view, SCALE)
HED_VIEW_LAUNCH(scale_launch, SCALE)

#define WORDS "typedef uint uint32_t;\ntypedef struct scaling { float factor, offset; } scaling;\n"
#define BODY \
    "HED_VIEW(scale_view, SCALE)\n" \
    "static inline float scaled(uint i, scale_view view)\n" \
    "{\n" \
    "    return fma(view.in[view.order[i]], view.scale.factor, view.scale.offset);\n" \
    "}\n" \
    "__kernel void scale(HED_VIEW_PARAMETERS(SCALE))\n" \
    "{\n" \
    "    HED_VIEW_HERE(scale_view, view, SCALE);\n" \
    "    uint item = (uint)get_local_id(0), i = (uint)get_global_id(0);\n" \
    "    view.tile[item] = i < view.n ? scaled(i, view) : 0.0f;\n" \
    "    barrier(CLK_LOCAL_MEM_FENCE);\n" \
    "    if (i >= view.n) return;\n" \
    "    view.out[i] = view.tile[item];\n" \
    "    view.sum[i] += view.tile[item];\n" \
    "    view.copy[i] = view.twice[i] = view.tile[item];\n" \
    "    view.twice[i] *= 2.0f;\n" \
    "    view.state[0] = 1;\n" \
    "}\n"

/* The list as a text of this file has it, and as a file of its own would. */
static const char text_of_list[] = HED_VIEW_TEXT(SCALE);
static const char list_in_lines[] =
    "/* A list within a list. */\n"
    "#define ARRAYS(FIRST, NEXT) \\\n"
    "    FIRST(IN, float, in) \\\n"
    "    NEXT(SHARED_IN, uint32_t, order) /* indices */\n"
    "#define SCALE(FIRST, NEXT) ARRAYS(FIRST, NEXT) NEXT(OUT, float, out) NEXT(INOUT, float, sum) \\\n"
    "    NEXT(SHARED_OUT, float, copy) NEXT(SHARED, float, twice) NEXT(SCRATCH, uint32_t, state) \\\n"
    "    NEXT(STRUCT, scaling, scale) NEXT(VALUE, uint32_t, n) NEXT(LOCAL, float, tile)\n";

HED_NATIVE_BODY scale_body(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const scale_view view = scale_view_of(call->arguments);
    CHECK_NULL(view.tile);
    CHECK_GE(view.n, end);
    for (uint64_t i = begin; i < end; i++) {
        float scaled = fmaf(view.in[view.order[i]], view.scale.factor, view.scale.offset);
        view.out[i] = view.copy[i] = scaled;
        view.sum[i] += scaled;
        view.twice[i] = 2.0f * scaled;
    }
    if (begin == 0) view.state[0] = 1;
}
HED_NATIVE_CLONES(scale_native, scale_body)

enum { GROUP = 32, ITEMS = 100 };

static void scale_geometry(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, hed_geometry *geometry)
{
    uint64_t items = hed_problem_items(problem);
    hed_geometry_1d(geometry, hed_ceil_divide(items, GROUP), GROUP, items, 1);
    geometry->local_bytes[HED_ROW(scale_view, tile)] = GROUP * sizeof(float);
}

static const hed_source sources[] = {
    {"words.h", WORDS, 0}, {"list.h", text_of_list, 0}, {"scale.cl", BODY, 0}};
static const hed_kernel_def scale_def = {
    .name = "scale",
    .sources = sources,
    .source_count = HED_COUNT(sources),
    HED_ARGUMENTS(HED_VIEW_ARGUMENTS(SCALE), [HED_ROW(scale_view, out)].tolerance = 1e-6,
        [HED_ROW(scale_view, order)].count = "2*n"),
    HED_DIMENSIONS("n"),
    .geometry = scale_geometry,
    .range = scale_native,
    HED_DEFAULT_SAMPLE,
};

/* ---- the description ---- */

Test(view, a_description_has_the_rows_in_order)
{
    static const hed_argument_def expected[] = {HED_IN(float, in),
        HED_IN(uint, order, .count = "2*n"), HED_OUT(float, out, .tolerance = 1e-6),
        HED_INOUT(float, sum), HED_OUT(float, copy), HED_INOUT(float, twice),
        HED_SCRATCH(uint, state), HED_VALUE_STRUCT(scaling, scale), HED_VALUE(uint, n),
        HED_ARRAY(float, tile)};
    CHECK_EQ(scale_def.argument_count, HED_COUNT(expected));
    for (uint32_t i = 0; i < scale_def.argument_count; i++) {
        const hed_argument_def *made = &scale_def.arguments[i], *as = &expected[i];
        EXPECT_TEXT(made->name, as->name);
        EXPECT_EQ(made->kind, as->kind, "%s", as->name);
        EXPECT_EQ(made->type, as->type, "%s", as->name);
        EXPECT_EQ(made->access, as->access, "%s", as->name);
        EXPECT_EQ(made->tolerance, as->tolerance, "%s", as->name);
        EXPECT(!made->count == !as->count, "%s", as->name);
    }
    EXPECT_EQ(HED_ROW(scale_view, in), 0);
    EXPECT_EQ(HED_ROW(scale_view, tile), HED_COUNT(expected) - 1);
}

Test(view, elements_of_vectors_count_whole)
{
    typedef struct float4 {
        float x, y, z, w;
    } float4;
#define TWO(FIRST, NEXT) FIRST(IN, float4, one_each) NEXT(IN, float4, two_each)
    const hed_kernel_def def = {
        HED_ARGUMENTS(HED_VIEW_ARGUMENTS(TWO), [1].count = "2*n"), HED_DIMENSIONS("n")};
    const hed_problem problem = hed_problem_1d(10);
    const hed_config config = {0};
    CHECK_EQ(def.arguments[0].type, HED_FLOAT);
    CHECK_EQ(hed_default_sample_bytes(&def, &config, &problem, 0), 160);
    CHECK_EQ(hed_default_sample_bytes(&def, &config, &problem, 1), 320);
}

/* ---- the description against the parameters in the text ---- */

static hed_status check_text(const hed_kernel_def *def, const char *list, const char *body)
{
    const hed_source texts[] = {{"words.h", WORDS, 0}, {"list.h", list, 0}, {"scale.cl", body, 0}};
    const hed_signature signature = {
        .def = def, .entry = "scale", .sources = texts, .source_count = HED_COUNT(texts)};
    error = (hed_error){0};
    return hed_signature_check(&signature, &error);
}

Test(view, a_description_fits_the_text_of_its_list)
{
    CHECK_EQ(check_text(&scale_def, text_of_list, BODY), HED_OK, "%s", error.text);
    CHECK_EQ(check_text(&scale_def, list_in_lines, BODY), HED_OK, "%s", error.text);
}

/* Each row in turn gets another kind of argument, then another name. */
Test(view, another_description_is_found_in_every_row)
{
    for (uint32_t i = 0; i < scale_def.argument_count; i++) {
        hed_argument_def rows[HED_MAX_ARGUMENTS];
        memcpy(rows, scale_def.arguments, scale_def.argument_count * sizeof *rows);
        hed_kernel_def def = scale_def;
        def.arguments = rows;
        rows[i].kind = rows[i].kind == HED_SCALAR ? HED_BUFFER : HED_SCALAR;
        hed_status expected = scale_def.arguments[i].kind == HED_STRUCT
                                  ? HED_OK /* only a compiler knows the type */
                                  : HED_ERROR_ARGUMENT;
        EXPECT_EQ(check_text(&def, list_in_lines, BODY), expected, "%s", rows[i].name);
        EXPECT(!expected || strstr(error.text, rows[i].name), "%s", error.text);
        rows[i] = scale_def.arguments[i];
        rows[i].name = "another";
        EXPECT_EQ(check_text(&def, list_in_lines, BODY), HED_ERROR_ARGUMENT, "%u", i);
        EXPECT(strstr(error.text, "\"another\"") && strstr(error.text, scale_def.arguments[i].name),
            "%s", error.text);
    }
    hed_kernel_def fewer = scale_def;
    fewer.argument_count--;
    EXPECT_EQ(check_text(&fewer, list_in_lines, BODY), HED_ERROR_ARGUMENT);
}

Test(view, parameters_follow_a_list)
{
    hed_kernel_def def = scale_def;
    hed_argument_def rows[HED_MAX_ARGUMENTS];
    memcpy(rows, scale_def.arguments, scale_def.argument_count * sizeof *rows);
    rows[def.argument_count++] = (hed_argument_def)HED_VALUE(float, more);
    def.arguments = rows;
    static const char body[] = "__kernel void scale(HED_VIEW_PARAMETERS(SCALE), float more) {}";
    CHECK_EQ(check_text(&def, list_in_lines, body), HED_OK, "%s", error.text);
    rows[def.argument_count - 1].type = HED_UINT32;
    CHECK_EQ(check_text(&def, list_in_lines, body), HED_ERROR_ARGUMENT);
}

/* Lists that only a preprocessor can read are left to the compiler. */
Test(view, unknown_lists_pass)
{
    static const char *const lists[] = {"", "#define SCALE(FIRST, NEXT) OTHER(FIRST, NEXT)\n",
        "#define SCALE(FIRST, NEXT) FIRST(INPUT, float, in)\n",
        "#define SCALE(FIRST, NEXT) FIRST(IN, float)\n",
        "#define SCALE(FIRST, NEXT) SCALE(FIRST, NEXT)\n", "#define SCALE(FIRST, NEXT) , FIRST\n",
        "#define SCALE ARRAYS\n", "#define SCALE(\n"};
    for (size_t i = 0; i < HED_COUNT(lists); i++)
        EXPECT_EQ(check_text(&scale_def, lists[i], BODY), HED_OK, "%s: %s", lists[i], error.text);
}

/* ---- the kernel ---- */

static hed_buffer *filled(const void *content, size_t size)
{
    hed_buffer *buffer = NULL;
    hed_buffer_def def = hed_default_buffer_def(size);
    OK(hed_buffer_create(here.device, &def, &buffer, &error));
    if (content) OK(hed_write(here.stream, buffer, 0, content, size, &error));
    return buffer;
}

Test(view, a_launch_from_the_struct_reaches_every_argument, .timeout = 120)
{
    float in[ITEMS], sum[ITEMS], found[4][ITEMS];
    uint32_t order[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = (float)i, sum[i] = 1000.0f * (float)i, order[i] = ITEMS - 1 - i;
    const scale_launch with = {.in = filled(in, sizeof in),
        .order = filled(order, sizeof order),
        .out = filled(NULL, sizeof in),
        .sum = filled(sum, sizeof sum),
        .copy = filled(NULL, sizeof in),
        .twice = filled(NULL, sizeof in),
        .state = filled(NULL, 4),
        .scale = {.factor = 3.0f, .offset = 0.5f},
        .n = ITEMS};
    hed_buffer *const results[] = {with.out, with.sum, with.copy, with.twice};
    hed_kernel *kernel;
    OK(hed_kernel_create(here.device, &scale_def, NULL, &kernel, &error));
    const hed_problem problem = hed_problem_1d(ITEMS);
    OK(hed_launch(here.stream, kernel, &problem, HED_VIEW_ARGS_FROM(scale_launch, &with), &error));
    OK(hed_launch(here.stream, kernel, &problem,
        HED_VIEW_ARGS(scale_launch, .in = with.in, .order = with.order, .out = with.out,
            .sum = with.sum, .copy = with.copy, .twice = with.twice, .state = with.state,
            .scale = {.factor = 3.0f, .offset = 0.5f}, .n = ITEMS),
        &error));
    for (int i = 0; i < 4; i++)
        OK(hed_read(here.stream, found[i], results[i], 0, sizeof found[i], &error));
    OK(hed_stream_wait(here.stream, &error));
    for (uint32_t i = 0; i < ITEMS; i++) {
        float scaled = 3.0f * (float)(ITEMS - 1 - i) + 0.5f;
        CHECK_EQ(found[0][i], scaled, "%u", i);
        CHECK_EQ(found[1][i], 1000.0f * (float)i + 2.0f * scaled, "%u", i);
        CHECK_EQ(found[2][i], scaled, "%u", i);
        CHECK_EQ(found[3][i], 2.0f * scaled, "%u", i);
    }
    hed_kernel_destroy(kernel);
    hed_buffer *const all[] = {
        with.in, with.order, with.out, with.sum, with.copy, with.twice, with.state};
    for (size_t i = 0; i < HED_COUNT(all); i++) hed_buffer_destroy(all[i]);
}

Test(view_nvrtc, a_list_compiles, .timeout = 120)
{
    const char *const targets[] = {"sm_75", "sm_90"};
    for (size_t i = 0; i < HED_COUNT(targets); i++) {
        hed_kernel_resources r = resources_of((hed_build){.def = &scale_def}, "scale", targets[i]);
        EXPECT_EQ(r.spill_bytes, 0);
        EXPECT_EQ(r.stack_bytes, 0);
    }
}
