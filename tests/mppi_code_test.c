/* Texts of users on the processor: compiled by the machine's C compiler into lanes with the bits of
 * Heddle's own models, kept in the cache, with messages that name the text's own lines. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "heddle/cache.h"
#include "heddle/code.h"
#include "heddle/mppi.h"

static hed_context *context;
static hed_device *host;

static void code_open(void)
{
    char path[4096];
    hed_error error = {0};
    hed_context_def def = hed_default_context_def();
    if (!hed_code_compiler(path, sizeof path)) test_skip("no C compiler");
    folder_make();
    def.cache_dir = folder;
    def.opencl_library = def.cuda_library = def.vulkan_library = "";
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "host", &host, &error));
}

static void code_close(void)
{
    hed_context_destroy(context);
    context = NULL;
    folder_remove();
}

TestSuite(mppi_code, .init = code_open, .fini = code_close);

/* A controller over a model, with terms that use all states, and poses where there are some. */
static hed_mppi_def model_def(const hed_mppi_model *model, hed_mppi_term *terms)
{
    static float network[1412];
    static const hed_mppi_table tables[] = {{"network", network, 1412, 1412, false}};
    hed_mppi_def def = hed_default_mppi_def();
    for (uint32_t i = 0; i < 1412; i++) network[i] = 0.01f * (float)(i % 37) - 0.2f;
    def.model = model;
    def.terms = terms;
    terms[def.term_count++] = *hed_mppi_term_find("quadratic");
    if (model->pose_x >= 0) terms[def.term_count++] = *hed_mppi_term_find("goal");
    if (model->speed >= 0) terms[def.term_count++] = *hed_mppi_term_find("speed");
    def.tables = tables;
    def.table_count = model->table_count;
    def.samples = 256;
    def.steps = 30;
    def.math = HED_MATH_STRICT;
    return def;
}

static uint64_t solve_hash(const hed_mppi_def *def)
{
    hed_mppi *c = NULL;
    hed_error error = {0};
    OK(hed_mppi_create(host, def, &c, &error));
    for (int i = 0; i < 3; i++) {
        OK(hed_mppi_solve(c, def->model->start, NULL, NULL, &error));
        hed_mppi_shift(c, 1);
    }
    uint64_t hash = hed_mppi_hash(c);
    hed_mppi_destroy(c);
    return hash;
}

/* Removes the C functions, so that the texts are compiled. */
static void make_own(hed_mppi_model *model, hed_mppi_term *terms, uint32_t count)
{
    model->step = NULL;
    model->lanes = NULL;
    for (uint32_t k = 0; k < count; k++) terms[k].cost = NULL;
}

/* True if the text of a model is tried: a compilation takes more than a second. A pose with terms, three
 * angles; the other texts with HEDDLE_TEST_FULL=1. */
static bool is_tried(const hed_mppi_model *model)
{
    return getenv("HEDDLE_TEST_FULL") || !strcmp(model->name, "differential_drive") ||
           !strcmp(model->name, "quadrotor");
}

Test(mppi_code, own_texts_have_the_bits_of_shipped_models, .timeout = 600)
{
    for (uint32_t i = 0; hed_mppi_model_at(i); i++) {
        if (!is_tried(hed_mppi_model_at(i))) continue;
        hed_mppi_term terms[4];
        hed_mppi_def def = model_def(hed_mppi_model_at(i), terms);
        uint64_t shipped = solve_hash(&def);
        hed_mppi_model own = *def.model;
        make_own(&own, terms, def.term_count);
        def.model = &own;
        EXPECT_EQ(solve_hash(&def), shipped, "%s", own.name);
    }
}

Test(mppi_code, an_own_term_goes_with_a_shipped_model, .timeout = 240)
{
    hed_mppi_term terms[4];
    hed_mppi_def def = model_def(hed_mppi_model_find("differential_drive"), terms);
    uint64_t shipped = solve_hash(&def);
    terms[1].cost = NULL;
    EXPECT_EQ(solve_hash(&def), shipped, "the goal's text");
}

Test(mppi_code, feedback_of_own_texts_is_the_shipped_one, .timeout = 240)
{
    for (int kind = HED_MPPI_TUBE; kind <= HED_MPPI_ROBUST; kind++) {
        hed_mppi_term terms[4];
        hed_mppi_def def = model_def(hed_mppi_model_find("cartpole"), terms);
        def.kind = (hed_mppi_kind)kind;
        def.nominal_threshold = 100;
        def.value_threshold = 1e6f;
        def.candidates = 3;
        def.candidate_samples = 32;
        uint64_t shipped = solve_hash(&def);
        hed_mppi_model own = *def.model;
        make_own(&own, terms, def.term_count);
        def.model = &own;
        EXPECT_EQ(solve_hash(&def), shipped, "kind %d", kind);
    }
}

Test(mppi_code, the_cache_keeps_the_code, .timeout = 240)
{
    hed_mppi_term terms[4];
    hed_error error = {0};
    hed_cache_info info;
    hed_mppi_def def = model_def(hed_mppi_model_find("cartpole"), terms);
    hed_mppi_model own = *def.model;
    make_own(&own, terms, def.term_count);
    def.model = &own;
    uint64_t first = solve_hash(&def);
    OK(hed_cache_measure(context, &info, &error));
    CHECK_EQ(info.entries, 1u, "entries");
    CHECK_EQ(info.foreign + info.damaged, 0u, "foreign or damaged");
    uint64_t second = solve_hash(&def);
    CHECK_EQ(second, first, "hash");
    OK(hed_cache_measure(context, &info, &error));
    CHECK_EQ(info.entries, 1u, "entries");
    /* an entry that others may write is compiled again instead of loaded */
    char command[128];
    snprintf(command, sizeof command, "chmod 666 '%s'/*.hedk", folder);
    CHECK_EQ(system(command), 0, "%s", command);
    OK(hed_cache_measure(context, &info, &error));
    CHECK_EQ(info.foreign, 1u, "foreign");
    CHECK_EQ(solve_hash(&def), first, "hash");
    OK(hed_cache_measure(context, &info, &error));
    CHECK_EQ(info.foreign, 0u, "foreign");
    CHECK_EQ(info.entries, 1u, "entries");
}

/* ---- messages ---- */

static void refuse(const char *text, const char *term_text, const char *message)
{
    static const hed_mppi_parameter drag = {.name = "drag", .value = 1};
    hed_mppi_model model = {.name = "mine.h", .file = "mine.h", .text = text, .states = 2, .controls = 1,
        .dt = 0.02f, .sigma = {1}, .pose_x = -1, .pose_y = -1, .pose_heading = -1, .speed = -1,
        .turn = -1, .velocity_x = -1, .velocity_y = -1, .parameters = &drag, .parameter_count = 1};
    hed_mppi_term term = {.name = "far", .file = "far.h", .text = term_text, .weight = 1};
    hed_mppi_def def = hed_default_mppi_def();
    hed_error error = {0};
    hed_mppi *c = NULL;
    def.model = &model;
    def.terms = &term;
    def.term_count = 1;
    EXPECT_EQ(hed_mppi_create(host, &def, &c, &error), HED_ERROR_BUILD, "%s", message);
    EXPECT(strstr(error.text, message), "found \"%s\", expected \"%s\"", error.text, message);
    EXPECT_NULL(c);
}

#define STEP "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)\n"
#define FAR "MPPI_FUNCTION float term_far(const float *x, const float *u, int t, MPPI_WORLD w)\n"
static const char good[] = STEP "{\n    x[0] += dt * x[1];\n    x[1] += dt * (u[0] - P(drag) * x[1]);\n}\n";
static const char far_text[] = FAR "{\n    return x[0] * x[0];\n}\n";

Test(mppi_code, messages_name_the_users_line, .timeout = 240)
{
    refuse(STEP "{\n    x[0] += dt * sinus(x[1]);\n}\n", far_text, "mine.h:3:");
    refuse(STEP "{\n    x[0] += dt * x[1]\n    x[1] += u[0];\n}\n", far_text, "mine.h:3:");
    refuse(STEP "{\n    x[0] += dt * P(drga);\n}\n", far_text, "mine.h:3:");
    refuse(STEP "{\n    x[0] += dt * x[1];\n", far_text, "mine.h:2: a brace or comment has no counterpart");
    refuse(STEP "{\n    /* } */ x[0] += dt;\n}}\n", far_text, "mine.h:4: a brace or comment has no");
    refuse(STEP "{\n    /* x[0] += dt;\n}\n", far_text, "mine.h:3: a brace or comment has no");
    refuse("MPPI_FUNCTION void modle_step(float *x, const float *u, float dt, MPPI_WORLD w)\n{\n}\n",
        far_text, "mine.h: there is no function model_step()");
    refuse(good, FAR "{\n    return pow(x[0], 2);\n}\n", "far.h:3:");
    refuse(good, "MPPI_FUNCTION float term_fra(const float *x, const float *u, int t, MPPI_WORLD w)\n{\n    return 0;\n}\n",
        "far.h: there is no function term_far()");
}

Test(mppi_code, a_machine_without_a_compiler_is_told_what_to_install, .timeout = 60)
{
    hed_mppi_term terms[4];
    hed_error error = {0};
    hed_mppi *c = NULL;
    char path[256];
    hed_mppi_def def = model_def(hed_mppi_model_find("cartpole"), terms);
    hed_mppi_model own = *def.model;
    make_own(&own, terms, def.term_count);
    def.model = &own;
    setenv("PATH", folder, 1);
    unsetenv("CC");
    CHECK(!hed_code_compiler(path, sizeof path));
    CHECK_EQ(hed_mppi_create(host, &def, &c, &error), HED_ERROR_UNSUPPORTED, "%s", error.text);
    CHECK(strstr(error.text, "apt install gcc"), "%s", error.text);
    hed_error_clear(&error);
    setenv("CC", "no-such-compiler -O2", 1);
    CHECK_EQ(hed_mppi_create(host, &def, &c, &error), HED_ERROR_UNSUPPORTED, "%s", error.text);
    CHECK(strstr(error.text, "$CC is \"no-such-compiler\""), "%s", error.text);
}
