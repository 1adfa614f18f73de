/* ctest: devices long */
/* Tuning as a whole: the fastest is found, the wrong never wins, what is measured is kept and
 * recalled, ties change nothing. Pipelines with made-up times stand for devices of known noise;
 * tiny kernels run on the device under test. */
#include "core/objects.h"
#include "folder.h"
#include "runner_testing.h"

#include "database/keyed_results.h"

TestSuite(tune, .init = folder_make, .fini = folder_remove);

static hed_context_def context_def(void)
{
    hed_context_def def = hed_default_context_def();
    def.cache_dir = in_folder("cache");
    def.database = in_folder("tuning.db");
    return def;
}

static test_device open_in_folder(void)
{
    hed_context_def def = context_def();
    return test_open(&def);
}

static const hed_evaluation *winner_of(const hed_tune_result *result)
{
    CHECK_LT(result->best, result->count, "nothing has won");
    return &result->evaluations[result->best];
}

static const hed_evaluation *find(const hed_tune_result *result, int64_t first, int64_t second)
{
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *e = &result->evaluations[i];
        if (e->config.values[0] == first && (e->config.count < 2 || e->config.values[1] == second))
            return e;
    }
    return NULL;
}

static uint32_t count_of(const hed_tune_result *result, hed_outcome outcome)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < result->count; i++) count += result->evaluations[i].outcome == outcome;
    return count;
}

/* ---- a pipeline whose times are made up ---- */

typedef struct made_up {
    double (*seconds)(const hed_config *config);
    double noise;
    uint64_t random;
    hed_config prepared;
    /* runs from there on take twice as long; 0: none */
    uint32_t prepares, runs, checks, stop_after, slower_at;
    uint32_t stop_after_prepares;
    double slowing; /* growth of all times per candidate, as a share of the first */
    int64_t wrong, unbuildable, unrunnable; /* values of A; -1: none */
} made_up;

static double uniform(made_up *m)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return ((double)(m->random >> 11) + 0.5) / 9007199254740992.0;
}

static hed_status prepare_made_up(void *user, const hed_config *config, hed_error *why)
{
    made_up *m = user;
    m->prepared = *config;
    m->prepares++;
    if (config->values[0] != m->unbuildable) return HED_OK;
    *why = (hed_error){.status = HED_ERROR_BUILD, .text = "made up: does not build"};
    return HED_ERROR_BUILD;
}

static hed_status run_made_up(void *user, double *value, hed_error *why)
{
    made_up *m = user;
    double normal = sqrt(-2 * log(uniform(m))) * cos(6.283185307179586 * uniform(m));
    *value = m->seconds(&m->prepared) * (1 + m->noise * normal);
    if (m->slower_at && m->runs < m->slower_at + 40) *value *= 2;
    *value *= 1 + m->slowing * m->prepares;
    m->runs++;
    if (m->prepared.values[0] != m->unrunnable) return HED_OK;
    *why = (hed_error){.status = HED_ERROR_DRIVER, .text = "made up: does not run"};
    return HED_ERROR_DRIVER;
}

static hed_status check_made_up(void *user, hed_error *why)
{
    made_up *m = user;
    m->checks++;
    if (m->prepared.values[0] != m->wrong) return HED_OK;
    *why = (hed_error){.status = HED_ERROR_ARGUMENT, .text = "made up: wrong"};
    return HED_ERROR_ARGUMENT;
}

/* The device turns half as fast when the final rounds begin, and does better again in the middle of
 * them. */
static void slow_down(void *user, const hed_tune_progress *progress)
{
    made_up *m = user;
    if (strcmp(progress->stage, "final rounds") == 0 && m->slower_at == 0) m->slower_at = m->runs;
}

static bool stop_made_up(void *user)
{
    made_up *m = user;
    return (m->stop_after && m->runs >= m->stop_after) ||
           (m->stop_after_prepares && m->prepares >= m->stop_after_prepares);
}

static const int64_t a_values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, b_values[] = {0, 1, 2, 3};
static const hed_parameter_def made_up_parameters[] = {
    {.name = "A", .values = a_values, .count = 10, .value = 4},
    {.name = "B", .values = b_values, .count = 4, .value = 1}};
static const char *const made_up_dimensions[] = {"n"};
static const hed_problem hundred = {1, {100}};

static made_up made_up_of(
    double (*seconds)(const hed_config *config), double noise, uint64_t random)
{
    return (made_up){.seconds = seconds, .noise = noise, .random = random, .wrong = -1,
        .unbuildable = -1, .unrunnable = -1};
}

static hed_pipeline_def pipeline_of(made_up *m)
{
    return (hed_pipeline_def){.name = "made up", .parameters = made_up_parameters,
        .parameter_count = 2, .dimensions = made_up_dimensions, .dimension_count = 1,
        .prepare = prepare_made_up, .run = run_made_up, .check = check_made_up, .user = m};
}

static hed_tune_result *tune_made_up(hed_device *device, made_up *m, hed_tune_def *def)
{
    hed_tune_result *result;
    hed_pipeline_def pipeline = pipeline_of(m);
    def->problem = &hundred;
    def->stop = stop_made_up;
    def->user = m;
    OK(hed_tune_pipeline(device, &pipeline, def, &result, &error));
    return result;
}

static double flat(const hed_config *config)
{
    (void)config;
    return 1e-3;
}

static double valley(const hed_config *config)
{
    double a = (double)config->values[0] - 7, b = (double)config->values[1] - 2;
    return 1e-3 * (1 + 0.05 * a * a + 0.1 * b * b);
}

static double steps(const hed_config *config)
{
    return config->values[0] == 2 && config->values[1] == 3 ? 0.97e-3 : 1e-3;
}

Test(tune, ten_tunings_of_equals_have_one_winner)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        test_device t = open_in_folder();
        made_up m = made_up_of(flat, 0.01, seed * 77);
        hed_tune_def def = hed_default_tune_def();
        def.seed = seed;
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        const hed_evaluation *winner = winner_of(result);
        CHECK(winner->config.values[0] == 4 && winner->config.values[1] == 1,
            "seed %llu: A=%lld B=%lld", (unsigned long long)seed,
            (long long)winner->config.values[0], (long long)winner->config.values[1]);
        CHECK(result->ties > 0 && fabs(result->gain - 1) < 0.01);
        CHECK_EQ(result->kept_stored, seed > 1);
        hed_tune_result_free(result);
        test_close(&t);
    }
}

Test(tune, three_percent_win)
{
    uint32_t won = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_device t = open_in_folder();
        made_up m = made_up_of(steps, 0.01, seed * 991);
        hed_tune_def def = hed_default_tune_def();
        def.keep = false;
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        won += winner_of(result)->config.values[0] == 2 && winner_of(result)->config.values[1] == 3;
        hed_tune_result_free(result);
        test_close(&t);
    }
    CHECK_GE(won, 19, "%u of 20", won);
}

Test(tune, a_pipeline_is_tuned_and_resolved)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(valley, 0.01, 5);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_def def = hed_default_tune_def();
    hed_config config;
    hed_config_origin configured;
    m.wrong = 8;
    m.unbuildable = 9;
    m.unrunnable = 0;
    OK(hed_pipeline_resolve(t.device, &pipeline, &hundred, &config, &configured, &error));
    CHECK(configured == HED_ORIGIN_DEFAULT && config.values[0] == 4 && config.values[1] == 1);
    hed_tune_result *result = tune_made_up(t.device, &m, &def);
    CHECK(result->end == HED_TUNE_EXHAUSTED && result->count == 40 && result->space == 40,
        "%s after %u of %llu", hed_tune_end_name(result->end), result->count,
        (unsigned long long)result->space);
    CHECK(winner_of(result)->config.values[0] == 7 && winner_of(result)->config.values[1] == 2);
    CHECK(fabs(result->gain - 1.55) < 0.05 && fabs(winner_of(result)->seconds / 1e-3 - 1) < 0.02,
        "gain %g", result->gain);
    CHECK(count_of(result, HED_OUTCOME_WRONG) == 4 && count_of(result, HED_OUTCOME_BUILD) == 4 &&
          count_of(result, HED_OUTCOME_LAUNCH) == 4);
    CHECK(result->in_process && result->in_process_reason[0] &&
          result->default_index < result->count);
    CHECK(result->importance[0] > 0 && result->importance[1] > 0);
    hed_tune_result_free(result);
    OK(hed_pipeline_resolve(t.device, &pipeline, &hundred, &config, &configured, &error));
    CHECK(configured == HED_ORIGIN_EXACT && config.values[0] == 7 && config.values[1] == 2);
    hed_problem other = hed_problem_1d(120);
    OK(hed_pipeline_resolve(t.device, &pipeline, &other, &config, &configured, &error));
    CHECK(configured == HED_ORIGIN_NEAR_SIZE && config.values[0] == 7);
    pipeline.version = "2";
    OK(hed_pipeline_resolve(t.device, &pipeline, &hundred, &config, &configured, &error));
    CHECK_EQ(configured, HED_ORIGIN_DEFAULT, "another version is another pipeline");
    test_close(&t);
}

/* A pipeline with builders: one configuration of its queue ends at each call of built(). */
typedef struct built_ahead {
    made_up m; /* the first member: user data of the functions of made_up */
    hed_config queue[64];
    uint32_t begin, end, missed; /* missed: prepared, but not compiled before */
    bool compiled[10][4];
} built_ahead;

static hed_status build_made_up(void *user, const hed_config *config, hed_error *why)
{
    built_ahead *b = user;
    (void)why;
    CHECK_LT(b->end, 64u);
    b->queue[b->end++] = *config;
    return HED_OK;
}

static bool built_made_up(void *user, double seconds, hed_config *config)
{
    built_ahead *b = user;
    (void)seconds;
    if (b->begin == b->end) return false;
    *config = b->queue[b->begin++];
    b->compiled[config->values[0]][config->values[1]] = true;
    return true;
}

static hed_status prepare_built(void *user, const hed_config *config, hed_error *why)
{
    built_ahead *b = user;
    b->missed += !b->compiled[config->values[0]][config->values[1]];
    b->compiled[config->values[0]][config->values[1]] = true;
    return prepare_made_up(user, config, why);
}

Test(tune, a_pipeline_compiles_ahead)
{
    test_device t = open_in_folder();
    built_ahead b = {.m = made_up_of(valley, 0.01, 5)};
    hed_pipeline_def pipeline = pipeline_of(&b.m);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result;
    def.problem = &hundred;
    pipeline.builders = 3;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    pipeline.build_ahead = build_made_up;
    pipeline.built = built_made_up;
    pipeline.prepare = prepare_built;
    OK(hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    CHECK(result->end == HED_TUNE_EXHAUSTED && result->count == 40, "%u", result->count);
    CHECK(winner_of(result)->config.values[0] == 7 && winner_of(result)->config.values[1] == 2);
    CHECK_LE(b.missed, 1u, "the default alone is not compiled ahead");
    CHECK_EQ(b.begin, b.end);
    hed_tune_result_free(result);
    test_close(&t);
}

Test(tune, what_was_chosen_stays_before_the_default)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(valley, 0.01, 11);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result_free(tune_made_up(t.device, &m, &def));
    m.seconds = flat;
    hed_tune_result *result = tune_made_up(t.device, &m, &def);
    CHECK(result->kept_stored && winner_of(result)->config.values[0] == 7 &&
          winner_of(result)->config.values[1] == 2);
    hed_tune_result_free(result);
    test_close(&t);
}

/* What was compared with nothing is no choice; where there is no more to compare, it is. */
Test(tune, a_winner_of_two_is_not_kept)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(valley, 0.001, 5);
    hed_tune_def def = hed_default_tune_def();
    for (uint32_t evaluations = 1; evaluations <= 3; evaluations++) {
        def.evaluations = evaluations;
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        CHECK_EQ(result->stored_index, result->count, "a tuning of %u was kept", evaluations - 1);
        CHECK_EQ(result->kept, evaluations == 3, "%u", evaluations);
        CHECK_EQ(strstr(result->not_kept_reason, "fewer than three") != NULL, evaluations < 3);
        hed_tune_result_free(result);
    }
    def.keep = false;
    hed_tune_result *result = tune_made_up(t.device, &m, &def);
    CHECK(!result->kept && strcmp(result->not_kept_reason, "not asked for") == 0);
    hed_tune_result_free(result);
    test_close(&t);
}

/* Nothing that was measured while the device was faster stands beside the winner as faster than
 * it. */
Test(tune, the_winner_is_not_slower_than_the_rest_by_another_pace)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        test_device t = open_in_folder();
        made_up m = made_up_of(valley, 0.005, seed);
        hed_tune_def def = hed_default_tune_def();
        def.progress = slow_down;
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        const hed_evaluation *winner = winner_of(result);
        CHECK_GT(m.slower_at, 0u);
        for (uint32_t i = 0; i < result->count; i++) {
            const hed_evaluation *e = &result->evaluations[i];
            double high = e->high / e->drift * winner->drift;
            CHECK(i == result->best || !isfinite(high) || high >= winner->low * 0.99,
                "%u: %g to the winner's %g, seed %u", i, high, winner->low, (unsigned)seed);
        }
        hed_tune_result_free(result);
        test_close(&t);
    }
}

Test(tune, going_on_measures_nothing_twice)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(valley, 0.01, 6);
    hed_tune_def def = hed_default_tune_def();
    def.evaluations = 15;
    hed_tune_result *first = tune_made_up(t.device, &m, &def);
    CHECK(first->count == 15 && first->end == HED_TUNE_EVALUATIONS);
    def.evaluations = 0;
    def.patience = 1000;
    def.resume = true;
    hed_tune_result *second = tune_made_up(t.device, &m, &def);
    uint32_t recalled = 0;
    CHECK(second->count == 40 && second->end == HED_TUNE_EXHAUSTED, "%u", second->count);
    for (uint32_t i = 0; i < second->count; i++) {
        const hed_config *config = &second->evaluations[i].config;
        recalled += second->evaluations[i].recalled;
        CHECK_EQ(second->evaluations[i].recalled,
            find(first, config->values[0], config->values[1]) != NULL);
    }
    CHECK(recalled == 15 && winner_of(second)->config.values[0] == 7 &&
          winner_of(second)->config.values[1] == 2);
    uint32_t runs = m.runs;
    hed_tune_result *third = tune_made_up(t.device, &m, &def);
    CHECK(third->count == 40 && m.runs == runs, "all is known: %u runs", m.runs - runs);
    CHECK(third->kept_stored && third->best == third->stored_index);
    hed_tune_result_free(first);
    hed_tune_result_free(second);
    hed_tune_result_free(third);
    test_close(&t);
}

Test(tune, stopping_keeps_what_there_is)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(valley, 0.01, 7);
    hed_tune_def def = hed_default_tune_def();
    m.stop_after = 200;
    hed_tune_result *first = tune_made_up(t.device, &m, &def);
    CHECK(first->end == HED_TUNE_STOPPED && first->count > 3 && first->count < 40, "%u",
        first->count);
    winner_of(first);
    m.stop_after = 0;
    def.resume = true;
    hed_tune_result *second = tune_made_up(t.device, &m, &def);
    for (uint32_t i = 0; i < first->count; i++) {
        const hed_config *config = &first->evaluations[i].config;
        CHECK(find(second, config->values[0], config->values[1])->recalled, "evaluation %u is lost",
            i);
    }
    hed_tune_result_free(first);
    hed_tune_result_free(second);
    m.stop_after = 1;
    m.runs = 1;
    def.resume = false;
    hed_tune_result *none = tune_made_up(t.device, &m, &def);
    CHECK(none->end == HED_TUNE_STOPPED && none->count == 0 && none->best == 0,
        "stopped before the first");
    EXPECT_TEXT(none->not_kept_reason, "no configuration was tried");
    hed_tune_result_free(none);
    test_close(&t);
}

/* Ends of their own. */
Test(tune, a_stopped_search_on_a_slowing_device_keeps_a_measured_winner)
{
    uint32_t dropped = 0;
    for (uint32_t seed = 0; seed < 120; seed++) {
        test_device t = open_in_folder();
        made_up m = made_up_of(valley, 0.01, seed);
        hed_tune_def def = hed_default_tune_def();
        def.seed = seed;
        m.stop_after_prepares = 4 + seed % 12;
        m.slowing = 0.3;
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        if (result->best < result->count) {
            CHECK(winner_of(result)->outcome == HED_OUTCOME_MEASURED, "stopped at candidate %u: %s",
                m.stop_after_prepares, hed_outcome_name(winner_of(result)->outcome));
            CHECK(result->kept || count_of(result, HED_OUTCOME_MEASURED) < 3, "%s",
                result->not_kept_reason);
        }
        dropped += count_of(result, HED_OUTCOME_DROPPED);
        hed_tune_result_free(result);
        test_close(&t);
    }
    CHECK_GT(dropped, 0u);
}

static bool stop_never(void *user)
{
    (void)user;
    return false;
}

Test(tune, patience_and_time)
{
    test_device t = open_in_folder();
    made_up m = made_up_of(flat, 0.001, 8);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result;
    def.patience = 6;
    def.problem = &hundred;
    def.stop = stop_never;
    OK(hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    CHECK(result->end == HED_TUNE_NO_GAIN && result->count >= 6 && result->count <= 10,
        "%s after %u", hed_tune_end_name(result->end), result->count);
    hed_tune_result_free(result);
    def.patience = 0;
    def.limit_seconds = 1e-9;
    OK(hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    CHECK(result->end == HED_TUNE_SECONDS && result->count >= 1 && result->best < result->count,
        "the default is tried: %u", result->count);
    hed_tune_result_free(result);
    def.limit_seconds = 0;
    def.objective = HED_OBJECTIVE_ENERGY;
    FAILS(HED_ERROR_UNSUPPORTED, hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    def.objective = HED_OBJECTIVE_TIME;
    def.problem = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    CHECK_NULL(result);
    test_close(&t);
}

Test(tune, nothing_works)
{
    static const char *const only[] = {"A == 9"};
    test_device t = open_in_folder();
    made_up m = made_up_of(flat, 0.001, 8);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result;
    pipeline.constraints = only;
    pipeline.constraint_count = 1;
    m.unbuildable = 9;
    def.problem = &hundred;
    FAILS(HED_ERROR_BUILD, hed_tune_pipeline(t.device, &pipeline, &def, &result, &error));
    CHECK(strstr(error.text, "made up: does not build"), "%s", error.text);
    test_close(&t);
}

/* ---- kernels on the device under test ---- */

/* y = 2 x, after LOOPS rounds of work for nothing: with 20 of them it is the fastest that is right.
 * LOOPS 0 is faster, and wrong. */
static const char loops_text[] =
    "__kernel void loops(__global const float *x, __global float *y, uint n)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    float waste = x[i];\n"
    "    for (int k = 0; k < LOOPS; k++) waste = waste * 0.999f + 0.001f;\n"
    "    y[i] = LOOPS == 0 ? 0.0f : 2.0f * x[i] + (waste > 1e9f ? 1.0f : 0.0f);\n"
    "}\n";
static const hed_source loops_source = {"loops.cl", loops_text, 0};
static const hed_argument_def loops_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "n", .kind = HED_SCALAR, .type = HED_UINT32}};
static const int64_t loops_groups[] = {32, 64}, loops_values[] = {0, 20, 8000, 16000};
static const hed_parameter_def loops_parameters[] = {
    {.name = "WG", .values = loops_groups, .count = 2, .value = 64},
    {.name = "LOOPS", .values = loops_values, .count = 4, .value = 8000}};

static void loops_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *x = call->arguments[0];
    float *y = call->arguments[1];
    int64_t loops = call->config->values[1];
    for (uint64_t i = begin; i < end; i++) {
        float waste = x[i];
        for (int64_t k = 0; k < loops; k++) waste = waste * 0.999f + 0.001f;
        y[i] = loops == 0 ? 0 : 2 * x[i] + (waste > 1e9f ? 1.0f : 0.0f);
    }
}

static uint64_t loops_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument)
{
    (void)def, (void)config, (void)argument;
    return 4 * (uint64_t)problem->sizes[0];
}

static void loops_fill(const hed_kernel_def *def, const hed_problem *problem, uint32_t argument,
    void *data, uint64_t bytes, uint64_t seed)
{
    (void)def;
    if (argument == 2) {
        *(uint32_t *)data = (uint32_t)problem->sizes[0];
        return;
    }
    for (uint64_t i = 0; i < bytes / 4; i++) ((float *)data)[i] = (float)((i + seed) % 17) / 16;
}

static void loops_work(
    const hed_kernel_def *def, const hed_config *config, const hed_problem *problem, hed_work *work)
{
    (void)def, (void)config;
    *work = (hed_work){.bytes = 8.0 * (double)problem->sizes[0],
        .operations = 16000.0 * (double)problem->sizes[0]};
}

static const hed_kernel_def loops = {.name = "loops", .sources = &loops_source, .source_count = 1,
    .arguments = loops_arguments, .argument_count = 3, .parameters = loops_parameters,
    .parameter_count = 2, .dimensions = scale_dimensions, .dimension_count = 1,
    .geometry = step_geometry, .range = loops_range,
    .sample = {.benchmark = {1, {1 << 14}}, .bytes = loops_bytes, .fill = loops_fill}};

static hed_tune_result *tune(
    hed_device *device, const hed_kernel_def *kernel, const hed_tune_def *def)
{
    hed_tune_result *result;
    OK(hed_tune_kernel(device, kernel, def, &result, &error));
    return result;
}

Test(tune, the_fastest_that_is_right_wins)
{
    test_device t = open_in_folder();
    bool text = hed_device_describe(t.device).capabilities & HED_CAN_SOURCE;
    hed_problem problem = hed_problem_1d(1 << 10);
    hed_tune_def def = hed_default_tune_def();
    def.problem = &problem;
    hed_tune_result *result = tune(t.device, &loops, &def);
    CHECK(result->count == 8 && result->end == HED_TUNE_EXHAUSTED && result->space == 8, "%u",
        result->count);
    CHECK_EQ(winner_of(result)->config.values[1], 20);
    CHECK(result->gain > 2, "gain %g", result->gain);
    CHECK_EQ(count_of(result, HED_OUTCOME_WRONG), 2);
    CHECK(result->reference == HED_REFERENCE_NATIVE && winner_of(result)->error < 1e-5 &&
          find(result, 32, 0)->error > 0.1);
    CHECK_EQ(result->in_process, !text, "%s", result->in_process_reason);
    CHECK(result->problem.count == 1 && result->problem.sizes[0] == 1 << 10);
    int64_t group = winner_of(result)->config.values[0];
    hed_tune_result_free(result);

    hed_kernel_options options = hed_default_kernel_options();
    hed_kernel *kernel;
    hed_config_origin configured;
    options.problem = &problem;
    OK(hed_kernel_create(t.device, &loops, &options, &kernel, &error));
    hed_config config = hed_kernel_config(kernel, &configured);
    CHECK(configured == HED_ORIGIN_EXACT && config.values[0] == group && config.values[1] == 20,
        "launches take it: %s", hed_config_origin_name(configured));
    hed_kernel_destroy(kernel);

    def.resume = true;
    result = tune(t.device, &loops, &def);
    for (uint32_t i = 0; i < result->count; i++)
        CHECK(result->evaluations[i].recalled, "%u is measured again", i);
    CHECK(result->kept_stored && winner_of(result)->config.values[0] == group);
    hed_tune_result_free(result);
    test_close(&t);
}

Test(tune, what_changes_its_input_is_given_it_again)
{
    test_device t = open_in_folder();
    hed_problem problem = hed_problem_1d(1024);
    int32_t before[1024], after[1024];
    hed_tune_argument argument = {.data = before, .bytes = sizeof before, .expected = after};
    hed_tune_def def = hed_default_tune_def();
    for (int32_t i = 0; i < 1024; i++) before[i] = i, after[i] = i + 1;
    def.problem = &problem;
    def.arguments = &argument;
    hed_tune_result *result = tune(t.device, &advance, &def);
    CHECK(result->count == 2 && count_of(result, HED_OUTCOME_WRONG) == 0 &&
          winner_of(result)->runs > 3);
    hed_tune_result_free(result);
    argument.expected_bytes = sizeof after - sizeof *after;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &advance, &def, &result, &error));
    CHECK(strstr(error.text, "\"x\" has 4096 bytes, and expected_bytes is 4092"), "%s", error.text);
    argument.expected_bytes = sizeof after;
    after[1000]++;
    FAILS(HED_ERROR_BUILD, hed_tune_kernel(t.device, &advance, &def, &result, &error));
    CHECK(strstr(error.text, "wrong"), "%s", error.text);
    argument.expected = NULL;
    def.reference = HED_REFERENCE_DEFAULT;
    result = tune(t.device, &advance, &def);
    CHECK(result->reference == HED_REFERENCE_DEFAULT && winner_of(result)->error == 0);
    hed_tune_result_free(result);
    def.reference = HED_REFERENCE_NONE;
    result = tune(t.device, &advance, &def);
    CHECK(result->reference == HED_REFERENCE_NONE && isnan(winner_of(result)->error));
    hed_tune_result_free(result);
    test_close(&t);
}

/* Of five elements of y four are written; of every other x the index goes into `list`, in the order
 * in which items come, counted by `count`; and where x < 0, nothing of y is. HOLE 1 writes element
 * 19 of y as 0, HOLE 2 leaves element 20 as it is, HOLE 3 puts an index too many into the list. */
static const char holes_text[] =
    "__kernel void holes(__global const float *x, __global float *y, __global uint *list, __global uint *count)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0), at = i / 4 * 5 + i % 4;\n"
    "    if (x[i] >= 0.0f && !(HOLE == 2 && at == 20)) y[at] = x[i];\n"
    "    if (HOLE == 1 && i == 0) y[19] = 0.0f;\n"
    "    if (i % 2 == 0 || (HOLE == 3 && i == 1)) list[hed_count(count)] = i;\n"
    "}\n";
static const hed_source holes_sources[] = {
    {"count.cl",
        "uint hed_count(__global uint *at) { return atomic_inc((volatile __global uint *)at); }\n",
        0},
    {"holes.cl", holes_text, 0}};
static const hed_argument_def holes_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "list", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WRITE,
        .compare = HED_COMPARE_SORTED},
    {.name = "count", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_READ_WRITE}};
static const int64_t holes_values[] = {0, 1, 2, 3};
static const hed_parameter_def holes_parameters[] = {
    {.name = "WG", .values = group_values, .count = 2, .value = 64},
    {.name = "HOLE", .values = holes_values, .count = 4, .value = 0}};

static void holes_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *x = call->arguments[0];
    float *y = call->arguments[1];
    uint32_t *list = call->arguments[2], *count = call->arguments[3];
    int64_t hole = call->config->values[1];
    for (uint64_t i = begin; i < end; i++) {
        uint64_t at = i / 4 * 5 + i % 4;
        if (x[i] >= 0 && !(hole == 2 && at == 20)) y[at] = x[i];
        if (hole == 1 && i == 0) y[19] = 0;
        if (i % 2 == 0 || (hole == 3 && i == 1))
            list[__atomic_fetch_add(count, 1, __ATOMIC_RELAXED)] = (uint32_t)i;
    }
}

static const hed_kernel_def holes = {.name = "holes", .sources = holes_sources, .source_count = 2,
    .arguments = holes_arguments, .argument_count = 4, .parameters = holes_parameters,
    .parameter_count = 2, .dimensions = scale_dimensions, .dimension_count = 1,
    .geometry = step_geometry, .range = holes_range};

static void expect_wrong(const hed_tune_result *result, int64_t hole, const char *words)
{
    for (uint32_t i = 0; i < 2; i++) {
        const hed_evaluation *e = find(result, group_values[i], hole);
        CHECK(e && e->outcome == HED_OUTCOME_WRONG && strstr(e->text, words),
            "WG %d, HOLE %d: %s: %s", (int)group_values[i], (int)hole,
            e ? hed_outcome_name(e->outcome) : "not tried", e ? e->text : "");
    }
}

static void tune_holes(hed_device *device, hed_reference reference)
{
    enum { N = 4096 };
    static float x[N];
    static const uint32_t zero;
    hed_problem problem = hed_problem_1d(N);
    hed_tune_argument given[] = {{.data = x, .bytes = sizeof x}, {.bytes = sizeof x / 4 * 5},
        {.bytes = sizeof(uint32_t) * N}, {.data = &zero, .bytes = sizeof zero}};
    hed_tune_def def = hed_default_tune_def();
    for (uint32_t i = 0; i < N; i++) x[i] = (float)(i % 4) - 1;
    x[16] = 0; /* goes to 20 */
    def.problem = &problem;
    def.arguments = given;
    def.reference = reference;
    hed_tune_result *result = tune(device, &holes, &def);
    CHECK_EQ(result->reference, reference);
    CHECK_EQ(result->elements, 5 * N / 4 + N + 1);
    CHECK_EQ(result->unwritten, N / 4 + (N / 4 - 1) + N / 2); /* of y twice, and of the list */
    CHECK_EQ(result->count, 8);
    for (uint32_t i = 0; i < 2; i++) {
        const hed_evaluation *e = find(result, group_values[i], 0);
        CHECK(e && (e->outcome == HED_OUTCOME_MEASURED || e->outcome == HED_OUTCOME_DROPPED),
            "WG %d: %s", (int)group_values[i], e ? e->text : "not tried");
    }
    expect_wrong(result, 1, "writes element 19 of y, which the reference does not write");
    expect_wrong(result, 2, "does not write element 20 of y, which the reference writes");
    expect_wrong(result, 3, "list has 2049 elements, expected 2048");
    hed_tune_result_free(result);
}

Test(tune, elements_that_the_reference_does_not_write_are_left_out)
{
    test_device t = open_in_folder();
    tune_holes(t.device, HED_REFERENCE_DEFAULT);
    tune_holes(t.device, HED_REFERENCE_NATIVE);
    test_close(&t);
}

/* The first element counts the runs, as a race might; FAULT 1 writes a wrong element beside it. */
static const char unsteady_text[] =
    "__kernel void unsteady(__global const float *x, __global float *y, __global uint *runs)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    y[i] = i ? x[i] + (FAULT == 1 && i == 5 ? 1.0f : 0.0f) : (float)++runs[0];\n"
    "}\n";
static const hed_source unsteady_source = {"unsteady.cl", unsteady_text, 0};
static const hed_argument_def unsteady_arguments[] = {
    {.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ},
    {.name = "y", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE, .tolerance = 1e-5},
    {.name = "runs", .kind = HED_BUFFER, .type = HED_UINT32, .access = HED_WORKSPACE}};
static const hed_parameter_def unsteady_parameters[] = {
    {.name = "WG", .values = group_values, .count = 2, .value = 64},
    {.name = "FAULT", .values = holes_values, .count = 2, .value = 0}};

static void unsteady_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *x = call->arguments[0];
    float *y = call->arguments[1];
    uint32_t *runs = call->arguments[2];
    bool fault = call->config->values[1] == 1;
    for (uint64_t i = begin; i < end; i++)
        y[i] = i ? x[i] + (fault && i == 5 ? 1.0f : 0.0f) : (float)++runs[0];
}

static const hed_kernel_def unsteady = {.name = "unsteady", .sources = &unsteady_source,
    .source_count = 1, .arguments = unsteady_arguments, .argument_count = 3,
    .parameters = unsteady_parameters, .parameter_count = 2, .dimensions = scale_dimensions,
    .dimension_count = 1, .geometry = step_geometry, .range = unsteady_range};

static void tune_unsteady(hed_device *device, hed_reference reference)
{
    enum { N = 4096 };
    static const float x[N];
    hed_problem problem = hed_problem_1d(N);
    hed_tune_argument given[] = {{.data = x, .bytes = sizeof x}, {.bytes = sizeof x}, {.bytes = 4}};
    hed_tune_def def = hed_default_tune_def();
    def.problem = &problem;
    def.arguments = given;
    def.reference = reference;
    hed_tune_result *result = tune(device, &unsteady, &def);
    CHECK(result->elements == N && result->unsteady == 1 && result->unwritten == 0, "%d, %d, %d",
        (int)result->elements, (int)result->unsteady, (int)result->unwritten);
    CHECK(result->best < result->count && result->evaluations[result->best].config.values[1] == 0);
    expect_wrong(result, 1, "y[5] is 1, expected 0");
    hed_tune_result_free(result);
}

Test(tune, elements_that_differ_from_run_to_run_are_left_out)
{
    test_device t = open_in_folder();
    tune_unsteady(t.device, HED_REFERENCE_DEFAULT);
    tune_unsteady(t.device, HED_REFERENCE_NATIVE);
    test_close(&t);
}

/* Three of four elements differ from run to run; `runs` has an element for each. */
static const char mostly_unsteady_text[] =
    "__kernel void unsteady(__global const float *x, __global float *y, __global uint *runs)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    y[i] = i % 4 ? (float)++runs[i] : x[i];\n"
    "}\n";
static const hed_source mostly_unsteady_source = {"unsteady.cl", mostly_unsteady_text, 0};

static void mostly_unsteady_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *x = call->arguments[0];
    float *y = call->arguments[1];
    uint32_t *runs = call->arguments[2];
    for (uint64_t i = begin; i < end; i++) y[i] = i % 4 ? (float)++runs[i] : x[i];
}

/* A winner is kept for launches only if half of the output was compared, or by the caller's word. */
static void tune_mostly_unsteady(hed_device *device, hed_reference reference, bool is_kept)
{
    enum { N = 4096 };
    static const float x[N];
    hed_problem problem = hed_problem_1d(N);
    hed_kernel_def kernel = unsteady;
    hed_tune_argument given[] = {
        {.data = x, .bytes = sizeof x}, {.bytes = sizeof x}, {.bytes = sizeof x}};
    hed_tune_def def = hed_default_tune_def();
    kernel.sources = &mostly_unsteady_source;
    kernel.range = mostly_unsteady_range;
    def.problem = &problem;
    def.arguments = given;
    def.reference = reference;
    hed_tune_result *result = tune(device, &kernel, &def);
    CHECK(result->kept == is_kept, "%s", result->not_kept_reason);
    CHECK(is_kept || strstr(result->not_kept_reason, "not proven"), "%s", result->not_kept_reason);
    CHECK(result->unsteady == (is_kept ? 0 : N / 4 * 3), "%d", (int)result->unsteady);
    hed_tune_result_free(result);
}

Test(tune, a_winner_that_is_mostly_not_compared_is_not_kept)
{
    test_device t = open_in_folder();
    tune_mostly_unsteady(t.device, HED_REFERENCE_NATIVE, false);
    tune_mostly_unsteady(t.device, HED_REFERENCE_NONE, true);
    test_close(&t);
}

/* A large output is compared, and a small one differs from run to run. */
static const char small_unsteady_text[] =
    "__kernel void unsteady(__global const float *x, __global float *y, __global uint *runs,\n"
    "    __global float *z)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    y[i] = x[i];\n"
    "    if (i < 64) z[i] = (float)++runs[i];\n"
    "}\n";
static const hed_source small_unsteady_source = {"unsteady.cl", small_unsteady_text, 0};

static void small_unsteady_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    const float *x = call->arguments[0];
    float *y = call->arguments[1], *z = call->arguments[3];
    uint32_t *runs = call->arguments[2];
    for (uint64_t i = begin; i < end; i++) {
        y[i] = x[i];
        if (i < 64) z[i] = (float)++runs[i];
    }
}

Test(tune, each_output_has_to_be_compared_mostly)
{
    enum { N = 4096, SMALL = 64 };
    static const float x[N];
    hed_problem problem = hed_problem_1d(N);
    test_device t = open_in_folder();
    const hed_argument_def arguments[] = {unsteady_arguments[0], unsteady_arguments[1],
        unsteady_arguments[2],
        {.name = "z", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_WRITE}};
    hed_kernel_def kernel = unsteady;
    hed_tune_argument given[] = {{.data = x, .bytes = sizeof x}, {.bytes = sizeof x},
        {.bytes = sizeof x}, {.bytes = SMALL * sizeof *x}};
    hed_tune_def def = hed_default_tune_def();
    kernel.sources = &small_unsteady_source;
    kernel.arguments = arguments;
    kernel.argument_count = 4;
    kernel.range = small_unsteady_range;
    def.problem = &problem;
    def.arguments = given;
    def.reference = HED_REFERENCE_DEFAULT;
    hed_tune_result *result = tune(t.device, &kernel, &def);
    CHECK(result->elements == N + SMALL && result->unsteady == SMALL, "%d, %d",
        (int)result->elements, (int)result->unsteady);
    CHECK(!result->kept && strstr(result->not_kept_reason, "not proven"), "%s",
        result->not_kept_reason);
    hed_tune_result_free(result);
    test_close(&t);
}

Test(tune, a_reference_that_is_never_alike_is_refused)
{
    test_device t = open_in_folder();
    hed_problem problem = hed_problem_1d(64);
    float x[64] = {0};
    hed_argument_def arguments[3] = {
        unsteady_arguments[0], unsteady_arguments[1], unsteady_arguments[2]};
    hed_tune_argument given[] = {{.data = x, .bytes = sizeof x}, {.bytes = sizeof x}, {.bytes = 4}};
    hed_kernel_def sum = unsteady;
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result;
    arguments[1].compare = HED_COMPARE_SUM;
    sum.arguments = arguments;
    def.problem = &problem;
    def.arguments = given;
    def.reference = HED_REFERENCE_DEFAULT;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &sum, &def, &result, &error));
    CHECK(strstr(error.text, "differ from run to run in each of the 64 elements"), "%s", error.text);
    test_close(&t);
}

static void idle_range(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    (void)call, (void)begin, (void)end;
}

Test(tune, a_reference_that_writes_nothing_is_refused)
{
    test_device t = open_in_folder();
    hed_problem problem = hed_problem_1d(64);
    float x[64];
    uint32_t n = 0;
    hed_tune_argument given[] = {
        {.data = x, .bytes = sizeof x}, {.bytes = sizeof x}, {.data = &n, .bytes = sizeof n}};
    hed_tune_def def = hed_default_tune_def();
    hed_tune_result *result;
    for (int i = 0; i < 64; i++) x[i] = 1;
    def.problem = &problem;
    def.arguments = given;
    def.reference = HED_REFERENCE_DEFAULT;
    hed_kernel_def idle = loops;
    idle.range = idle_range; /* as the text does for n = 0 */
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &idle, &def, &result, &error));
    CHECK(strstr(error.text, "writes none of its 64 elements"), "%s", error.text);
    test_close(&t);
}

Test(tune, the_size_is_chosen)
{
    test_device t = open_in_folder();
    hed_kernel_def large = loops;
    hed_tune_def def = hed_default_tune_def();
    large.sample.benchmark = hed_problem_1d((int64_t)1 << 34);
    large.work = loops_work;
    def.evaluations = 2;
    def.reference = HED_REFERENCE_NONE;
    hed_tune_result *result = tune(t.device, &large, &def);
    int64_t size = result->problem.sizes[0];
    CHECK(size >= 1 << 6 && size < (int64_t)1 << 32 && (size & (size - 1)) == 0, "%lld",
        (long long)size);
    CHECK(winner_of(result)->seconds < 1, "%g s", winner_of(result)->seconds);
    CHECK(
        result->bandwidth > 0 && result->arithmetic > 0 && result->share > 0 && result->share < 64,
        "%g bytes/s, %g operations/s, %g", result->bandwidth, result->arithmetic, result->share);
    hed_tune_result_free(result);
    test_close(&t);
}

Test(tune, what_is_missing_is_said)
{
    test_device t = open_in_folder();
    hed_kernel_def bare = loops;
    hed_tune_def def = hed_default_tune_def();
    hed_tune_argument arguments[3] = {0};
    hed_tune_result *result;
    bare.sample = (hed_sample_def){0};
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &bare, &def, &result, &error));
    def.problem = &hundred;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &bare, &def, &result, &error));
    def.arguments = arguments;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &bare, &def, &result, &error));
    CHECK(strstr(error.text, "\"x\""), "%s", error.text);
    def.problem = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &loops, &def, &result, &error));
    def.arguments = NULL;
    def.objective = HED_OBJECTIVE_METRIC;
    FAILS(HED_ERROR_ARGUMENT, hed_tune_kernel(t.device, &loops, &def, &result, &error));
    CHECK_NULL(result);
    test_close(&t);
}

/* ---- candidates that go wrong ---- */

typedef struct watch {
    uint32_t calls, evaluations, most_building;
    double best, default_seconds;
    char stages[64];
} watch;

static void watch_progress(void *user, const hed_tune_progress *progress)
{
    watch *w = user;
    w->calls++;
    w->evaluations += progress->last != NULL;
    if (progress->building > w->most_building) w->most_building = progress->building;
    if (progress->best) w->best = progress->best->seconds;
    w->default_seconds = progress->default_seconds;
    if (!strstr(w->stages, progress->stage)) strcat(strcat(w->stages, progress->stage), ";");
    CHECK(progress->done <= progress->total && progress->failed <= progress->done &&
          progress->total == progress->space);
}

Test(tune, candidates_that_go_wrong_cost_one_evaluation)
{
    runner_test t = {.on = open_in_folder()};
    if (!(hed_device_describe(t.on.device).capabilities & HED_CAN_SOURCE))
        test_skip("candidates of native code are harmless, or end the program");
    describe_scale(&t);
    hed_tune_argument arguments[5] = {{.data = t.x, .bytes = sizeof t.x},
        {.bytes = sizeof t.x, .expected = t.expected}, {.data = &t.factor}, {.data = &t.n}};
    watch w = {0};
    hed_tune_def def = hed_default_tune_def();
    def.problem = &t.problem;
    def.arguments = arguments;
    def.timeout_seconds = 1;
    def.isolation = HED_ISOLATION_WORKER;
    def.progress = watch_progress;
    def.user = &w;
    hed_kernel_def few = scale;
    static const char *const run[] = {"WG == 64 and FAULT in (0, 1)"},
                             *const some[] = {"WG == 64 and FAULT in (0, 1, 6, 7, 8)"};
    few.constraint_count = 1;
    /* fill the driver's cache: then a hang takes 2 s, without 10 to compile in */
    if (t.on.device->compiles_at_launch) {
        few.constraints = run;
        hed_tune_result_free(tune(t.on.device, &few, &def));
        t.on.device->compiles_at_launch = false;
        def.timeout_seconds = 2;
        w = (watch){0};
    }
    few.constraints = some;
    hed_tune_result *result = tune(t.on.device, &few, &def);
    CHECK(!result->in_process && result->count == 5, "%u in %s", result->count,
        result->in_process_reason);
    CHECK_EQ(winner_of(result)->config.values[1], RIGHT);
    CHECK_EQ(find(result, 64, WRONG_VALUE)->outcome, HED_OUTCOME_WRONG);
    CHECK_EQ(find(result, 64, NO_C)->outcome, HED_OUTCOME_BUILD);
    CHECK_EQ(find(result, 64, LOOPS)->outcome, HED_OUTCOME_HUNG);
    CHECK_EQ(find(result, 64, SEGFAULTS)->outcome, HED_OUTCOME_CRASHED);
    for (uint32_t i = 0; i < result->count; i++)
        CHECK((result->evaluations[i].text[0] != 0) ==
              (result->evaluations[i].outcome > HED_OUTCOME_DROPPED));
    CHECK(w.evaluations == 5 && w.most_building > 0 && w.best > 0 && w.default_seconds > 0);
    CHECK_TEXT(w.stages, "starting;searching;final rounds;");
    hed_tune_result_free(result);
    result = tune(t.on.device, &few, &def);
    CHECK(result->count == 3 && result->end == HED_TUNE_EXHAUSTED,
        "what crashed and hung is not tried again: %u", result->count);
    hed_tune_result_free(result);
    test_close(&t.on);
}

static bool stop_after_half_a_second(void *user)
{
    uint64_t *started = user;
    return hed_now() - *started > 500000000u;
}

Test(tune, a_candidate_that_hangs_can_be_stopped)
{
    runner_test t = {.on = open_in_folder()};
    if (!(hed_device_describe(t.on.device).capabilities & HED_CAN_SOURCE))
        test_skip("native code that hangs ends the program");
    describe_scale(&t);
    hed_tune_argument arguments[5] = {{.data = t.x, .bytes = sizeof t.x},
        {.bytes = sizeof t.x, .expected = t.expected}, {.data = &t.factor}, {.data = &t.n}};
    static const char *const hangs[] = {"FAULT == 7"};
    hed_kernel_def stuck = scale;
    stuck.constraints = hangs;
    stuck.constraint_count = 1;
    uint64_t started = hed_now();
    hed_tune_def def = hed_default_tune_def();
    def.problem = &t.problem;
    def.arguments = arguments;
    def.timeout_seconds = 1000;
    def.isolation = HED_ISOLATION_WORKER;
    def.stop = stop_after_half_a_second;
    def.user = &started;
    hed_tune_result *result = tune(t.on.device, &stuck, &def);
    CHECK(result->end == HED_TUNE_STOPPED && result->count == 0 && result->best == 0, "%s, %u",
        hed_tune_end_name(result->end), result->count);
    hed_tune_result_free(result);
    test_close(&t.on);
}

/* ---- where it is kept ---- */

Test(tune, a_database_of_ones_own)
{
    test_device t = open_in_folder();
    hed_database *own;
    made_up m = made_up_of(valley, 0.01, 10);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_def def = hed_default_tune_def();
    hed_config config;
    hed_config_origin configured;
    OK(hed_database_open(t.context, in_folder("own.db"), false, &own, &error));
    def.database = own;
    for (int i = 0; i < 2; i++) {
        hed_tune_result *result = tune_made_up(t.device, &m, &def);
        CHECK_EQ(result->kept_stored, i == 1, "the second finds the first's choice");
        hed_tune_result_free(result);
    }
    OK(hed_pipeline_resolve(t.device, &pipeline, &hundred, &config, &configured, &error));
    CHECK_EQ(configured, HED_ORIGIN_DEFAULT, "the context's has nothing of it");
    hed_database_close(own);
    test_close(&t);
}

/* ---- a clock that steps back ---- */

/* Goes on while something is run, and by 100 ns with each look; every eleventh finds it 3 s
 * back. */
static uint64_t stepping_now;
static uint64_t stepping_clock(void *user)
{
    uint64_t *calls = user;
    stepping_now += ++*calls % 11 ? 100 : -(uint64_t)3000000000;
    return stepping_now;
}

static hed_status run_timed_by_host(void *user, double *value, hed_error *why)
{
    (void)why, (void)value;
    made_up *m = user;
    stepping_now += m->prepared.values[0] == 3 ? 20000 : 60000;
    return HED_OK;
}

typedef struct disk_reader {
    made_up made_up; /* first: the pipeline's user is the tuning's */
    test_device on;
    uint32_t told;
} disk_reader;

/* What is told is on disk already: another handle reads it from there. */
static void read_what_is_told(void *user, const hed_tune_progress *progress)
{
    disk_reader *r = user;
    hed_tune_key key;
    hed_database *database;
    hed_evaluation *found;
    uint32_t count;
    hed_pipeline_def pipeline = pipeline_of(&r->made_up);
    if (!progress->last) return;
    r->told++;
    hed_tune_key_of_pipeline(r->on.device, &pipeline, &hundred, HED_OBJECTIVE_TIME, &key);
    OK(hed_database_open(r->on.context, in_folder("tuning.db"), true, &database, &error));
    OK(hed_database_history(database, &key, &found, &count, &error));
    CHECK_LT(progress->done - 1, count, "told before it was kept");
    hed_allocator allocator = hed_context_describe(r->on.context).allocator;
    hed_release(&allocator, found, count * sizeof *found);
    hed_database_close(database);
}

Test(tune, what_is_told_is_kept)
{
    disk_reader r = {.made_up = made_up_of(valley, 0.01, 12), .on = open_in_folder()};
    hed_tune_def def = hed_default_tune_def();
    def.progress = read_what_is_told;
    def.evaluations = 20;
    hed_tune_result *result = tune_made_up(r.on.device, &r.made_up, &def);
    CHECK_EQ(r.told, result->count, "all were told");
    hed_tune_result_free(result);
    test_close(&r.on);
}

Test(tune, a_clock_that_steps_back)
{
    hed_context_def def = context_def();
    uint64_t calls = 0;
    stepping_now = UINT64_MAX / 2;
    def.clock = (hed_clock){&calls, stepping_clock};
    test_device t = test_open(&def);
    made_up m = made_up_of(flat, 0, 1);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_def tuning = hed_default_tune_def();
    hed_tune_result *result;
    pipeline.run = run_timed_by_host;
    tuning.problem = &hundred;
    OK(hed_tune_pipeline(t.device, &pipeline, &tuning, &result, &error));
    CHECK_EQ(winner_of(result)->config.values[0], 3);
    for (uint32_t i = 0; i < result->count; i++) {
        const hed_evaluation *e = &result->evaluations[i];
        if (e->runs >= 3)
            CHECK(e->low > 15e-6 && e->seconds < 1 && e->at >= 0, "%g to %g s, %g", e->low, e->high,
                e->seconds);
    }
    hed_tune_result_free(result);
    test_close(&t);
}

/* ---- memory ---- */

/* A life of one context: what is tuned, with the n-th allocation failing. */
static hed_status tune_with_failure(int64_t n, bool kernel, test_allocator *state)
{
    static const hed_problem thousand = {1, {1024}};
    static int32_t before[1024];
    hed_context_def def = context_def();
    made_up m = made_up_of(valley, 0.01, 9);
    hed_pipeline_def pipeline = pipeline_of(&m);
    hed_tune_argument argument = {.data = before, .bytes = sizeof before};
    hed_tune_def tuning = hed_default_tune_def();
    hed_tune_result *result = NULL;
    hed_context *context;
    hed_device *device;
    *state = (test_allocator){.fail_at = 0};
    def.allocator = test_allocator_of(state);
    if (!kernel) def.database = "";
    tuning.problem = kernel ? &thousand : &hundred;
    tuning.arguments = kernel ? &argument : NULL;
    tuning.evaluations = 12;
    OK(hed_context_create(&def, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    state->calls = 0;
    state->fail_at = n;
    hed_status status = kernel ? hed_tune_kernel(device, &advance, &tuning, &result, &error)
                               : hed_tune_pipeline(device, &pipeline, &tuning, &result, &error);
    CHECK((status == HED_OK) == (result != NULL) && (status == HED_OK || error.text[0]),
        "allocation %lld: %s", (long long)n, hed_status_name(status));
    hed_tune_result_free(result);
    hed_context_destroy(context);
    CHECK(state->live == 0 && state->bytes == 0, "allocation %lld: %lld left", (long long)n,
        (long long)state->live);
    return status;
}

static void fail_each_allocation(bool kernel)
{
    test_allocator state;
    hed_status status;
    int64_t n = 0, refused = 0;
    do {
        status = tune_with_failure(++n, kernel, &state);
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY,
            "allocation %lld: %s: %s", (long long)n, hed_status_name(status), error.text);
        refused += status != HED_OK;
    } while (state.calls >= n);
    CHECK(status == HED_OK && refused > 5, "%lld of %lld", (long long)refused, (long long)n);
}

Test(tune, each_allocation_of_a_pipeline_failing) { fail_each_allocation(false); }

Test(tune, each_allocation_of_a_kernel_failing) { fail_each_allocation(true); }
