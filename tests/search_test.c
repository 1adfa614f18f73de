/* Searches: nothing asked twice, every space exhausted, seeds that reproduce, failures, answers out
 * of order, memory that runs out, and on a space made here that the default is far better than
 * chance. */
#include "testing.h"

#include <inttypes.h>
#include <math.h>

#include "cli/tune/recorded.h"
#include "search/search_state.h"

static hed_error error;

/* ---- a space of its own ---- */

static const int64_t GROUPS[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256},
                     TILES[] = {1, 2, 3, 4, 6, 8}, DEPTHS[] = {4, 8, 16, 32}, WIDTHS[] = {1, 2, 4},
                     FLAGS[] = {0, 1}, MODES[] = {0, 1, 2};
static const char *const LABELS[] = {"rows", "columns", "blocks"};
#define LIST(values) values, sizeof values / sizeof *values
static const hed_parameter_def PARAMETERS[] = {
    {"GROUP", LIST(GROUPS), 8, NULL},
    {"TILE", LIST(TILES), 1, NULL},
    {"DEPTH", LIST(DEPTHS), 4, NULL},
    {"WIDTH", LIST(WIDTHS), 1, NULL},
    {"CACHED", LIST(FLAGS), 0, NULL},
    {"MODE", LIST(MODES), 0, LABELS},
};
enum { COUNT = sizeof PARAMETERS / sizeof *PARAMETERS };

/* 2,880 points, or with `most` parameters of the first so many. */
static hed_space *make_space(uint32_t count)
{
    static const char *const constraint = "GROUP * TILE <= 512";
    hed_space_def def = {.parameters = PARAMETERS,
        .parameter_count = count,
        .constraints = &constraint,
        .constraint_count = count > 1};
    hed_space *space;
    OK(hed_space_create(&def, &space, &error));
    return space;
}

/* A time with one best region, interactions, and roughness. CACHED with a large tile does not
 * work. */
static double time_of(const hed_config *config)
{
    const int64_t *v = config->values;
    double group = log2((double)v[0] / 64), tile = log2((double)v[1] / 3),
           depth = log2((double)v[2] / 16), width = log2((double)v[3] / 2);
    double rough =
        0.02 * (double)((v[0] * 7 + v[1] * 13 + v[2] * 29 + v[3] * 31 + v[4] * 3 + v[5]) % 11);
    if (v[4] && v[1] >= 6) return NAN;
    return 1 + 0.3 * group * group + 0.2 * tile * tile + 0.1 * depth * depth +
           0.15 * width * width + 0.2 * group * tile + (v[4] ? -0.2 : 0.1) * depth +
           (v[5] == 1 ? 0 : 0.3) + rough + (v[0] % 32 ? 0.4 : 0) + 1;
}

static hed_search *make_search(
    const hed_space *space, hed_strategy strategy, uint64_t seed, const hed_allocator *allocator)
{
    hed_search_def def = {
        .allocator = allocator, .space = space, .strategy = strategy, .seed = seed};
    hed_search *search;
    OK(hed_search_create(&def, &search, &error));
    return search;
}

/* ---- what holds for every strategy ---- */

/* Asks until nothing is left, with `open` questions at once, answering the oldest. */
static void exhaust(const hed_space *space, hed_strategy strategy, uint32_t open,
    double (*answer)(const hed_config *))
{
    uint64_t count = hed_space_count(space);
    hed_search *search = make_search(space, strategy, 3, NULL);
    hed_config *asked = calloc(count + 1, sizeof *asked);
    bool *seen = calloc(count + 1, sizeof *seen);
    double least = INFINITY, best = NAN;
    uint64_t next = 0, told = 0;
    for (; told < count; told++) {
        for (; next < count && next < told + open; next++) {
            OK(hed_search_ask(search, &asked[next], &error));
            uint64_t point = hed_space_find(space, &asked[next]);
            CHECK(point < count && !seen[point], "%s: point %" PRIu64 " was asked again",
                hed_strategy_name(strategy), point);
            seen[point] = true;
        }
        double value = answer(&asked[told]);
        least = fmin(least, value);
        OK(hed_search_tell(search, &asked[told], value, &error));
    }
    ANSWERS(HED_ERROR_BOUNDS, hed_search_ask(search, &asked[count], &error));
    CHECK(hed_search_best(search, &asked[count], &best) == !isinf(least) &&
          (isinf(least) || best == least));
    hed_search_destroy(search);
    free(asked);
    free(seen);
}

static double never_works(const hed_config *config)
{
    (void)config;
    return NAN;
}

static double all_the_same(const hed_config *config)
{
    (void)config;
    return 2.5;
}

Test(search, asks_every_point_once)
{
    for (uint32_t parameters = 1; parameters <= 4; parameters += 3) {
        hed_space *space = make_space(parameters);
        for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++)
            for (uint32_t open = 1; open <= 16; open += 15) {
                if (parameters == 4 && strategy == HED_SEARCH_AUTO && open == 16)
                    continue; /* seconds, and the shorter one has shown it */
                exhaust(space, strategy, open, parameters == 1 ? all_the_same : time_of);
                exhaust(space, strategy, open, never_works);
            }
        hed_space_destroy(space);
    }
}

Test(search, of_one_point)
{
    static const int64_t one[] = {7};
    static const hed_parameter_def only = {"ONLY", LIST(one), 7, NULL};
    hed_space *space;
    OK(hed_space_create_list(NULL, &only, 1, one, 1, &space, &error));
    for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++)
        exhaust(space, strategy, 1, all_the_same);
    hed_space_destroy(space);
}

Test(search, of_an_empty_space_is_refused)
{
    hed_space *space;
    hed_search *search;
    OK(hed_space_create_list(NULL, PARAMETERS, COUNT, NULL, 0, &space, &error));
    FAILS(
        HED_ERROR_ARGUMENT, hed_search_create(&(hed_search_def){.space = space}, &search, &error));
    hed_space_destroy(space);
}

Test(search, same_seed_same_questions)
{
    hed_space *space = make_space(COUNT);
    for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++) {
        hed_search *a = make_search(space, strategy, 5, NULL),
                   *b = make_search(space, strategy, 5, NULL),
                   *c = make_search(space, strategy, 6, NULL);
        uint32_t differing = 0;
        for (uint32_t i = 0; i < 60; i++) {
            hed_config x, y, z;
            OK(hed_search_ask(a, &x, &error));
            OK(hed_search_ask(b, &y, &error));
            OK(hed_search_ask(c, &z, &error));
            CHECK_BYTES(x.values, y.values, sizeof(int64_t[COUNT]), "%s, question %u",
                hed_strategy_name(strategy), i);
            differing += memcmp(x.values, z.values, sizeof(int64_t[COUNT])) != 0;
            OK(hed_search_tell(a, &x, time_of(&x), &error));
            OK(hed_search_tell(b, &y, time_of(&y), &error));
            OK(hed_search_tell(c, &z, time_of(&z), &error));
        }
        CHECK((differing > 0) == (strategy != HED_SEARCH_EXHAUSTIVE), "%s",
            hed_strategy_name(strategy));
        hed_search_destroy(a);
        hed_search_destroy(b);
        hed_search_destroy(c);
    }
    hed_space_destroy(space);
}

Test(search, random_is_even)
{
    enum { RUNS = 4000, POINTS = 10 };
    uint32_t first[POINTS] = {0}, last[POINTS] = {0};
    hed_space *space = make_space(1);
    for (uint32_t run = 0; run < RUNS; run++) {
        hed_search *search = make_search(space, HED_SEARCH_RANDOM, run, NULL);
        for (uint32_t i = 0; i < POINTS; i++) {
            hed_config config;
            OK(hed_search_ask(search, &config, &error));
            first[hed_space_find(space, &config)] += i == 0;
            last[hed_space_find(space, &config)] += i == POINTS - 1;
        }
        hed_search_destroy(search);
    }
    for (uint32_t i = 0; i < POINTS; i++) /* 400 expected, a deviation of 19 */
        CHECK(first[i] > 300 && first[i] < 500 && last[i] > 300 && last[i] < 500,
            "point %u: %u first, %u last", i, first[i], last[i]);
    hed_space_destroy(space);
}

/* ---- answers ---- */

Test(search, answers_that_nobody_asked_for)
{
    hed_space *space = make_space(COUNT);
    for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++) {
        hed_search *search = make_search(space, strategy, 1, NULL);
        hed_config config, best;
        double value;
        CHECK(!hed_search_best(search, &best, &value));
        for (uint64_t i = 0; i < 1500; i++) { /* more than a model holds */
            config = hed_space_at(space, i);
            OK(hed_search_tell(search, &config, time_of(&config), &error));
        }
        for (uint32_t i = 0; i < 40; i++) {
            OK(hed_search_ask(search, &config, &error));
            CHECK(hed_space_find(space, &config) >= 1500, "%s asks for what was told",
                hed_strategy_name(strategy));
            OK(hed_search_tell(search, &config, time_of(&config), &error));
        }
        hed_search_destroy(search);
    }
    hed_space_destroy(space);
}

Test(search, telling_again_replaces)
{
    hed_space *space = make_space(COUNT);
    hed_search *search = make_search(space, HED_SEARCH_AUTO, 1, NULL);
    hed_config config[30], best;
    double value;
    for (uint32_t i = 0; i < 30; i++) {
        OK(hed_search_ask(search, &config[i], &error));
        OK(hed_search_tell(search, &config[i], 10 + i, &error));
    }
    OK(hed_search_tell(search, &config[0], 100, &error));
    CHECK(hed_search_best(search, &best, &value) && value == 11 &&
          best.values[0] == config[1].values[0]);
    OK(hed_search_tell(search, &config[1], NAN, &error));
    CHECK(hed_search_best(search, &best, &value) && value == 12);
    OK(hed_search_tell(search, &config[1], 1, &error));
    CHECK(hed_search_best(search, &best, &value) && value == 1);
    OK(hed_search_ask(search, &best, &error)); /* the model takes it all in */
    for (uint32_t i = 0; i < 30; i++) OK(hed_search_tell(search, &config[i], NAN, &error));
    CHECK(!hed_search_best(search, &best, &value));
    OK(hed_search_ask(search, &best, &error));
    hed_search_destroy(search);
    hed_space_destroy(space);
}

Test(search, wrong_answers_are_refused)
{
    hed_space *space = make_space(COUNT);
    hed_search *search = make_search(space, HED_SEARCH_AUTO, 1, NULL);
    hed_config config = hed_space_at(space, 0),
               outside = {.count = COUNT, .values = {256, 8, 4, 1, 0, 0}};
    FAILS(HED_ERROR_ARGUMENT, hed_search_tell(search, &config, 0, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_search_tell(search, &config, -1, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_search_tell(search, &config, INFINITY, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_search_tell(search, &outside, 1, &error));
    hed_search_destroy(search);
    hed_space_destroy(space);
}

/* ---- sources ---- */

Test(search, sources_come_first)
{
    hed_space *space = make_space(COUNT);
    hed_config good[3] = {{COUNT, {64, 3, 16, 2, 1, 1}}, {COUNT, {256, 8, 4, 1, 0, 0}},
        {COUNT, {32, 4, 16, 2, 1, 1}}}; /* the second is none of the space */
    hed_search_source sources[9];
    for (uint32_t i = 0; i < 9; i++) sources[i] = (hed_search_source){good, i == 0 ? 3 : 0};
    hed_search_def def = {.space = space, .sources = sources, .source_count = 9};
    hed_search *search;
    OK(hed_search_create(&def, &search, &error));
    for (uint32_t i = 0; i < 40; i++) {
        hed_config config;
        OK(hed_search_ask(search, &config, &error));
        if (i < 2) CHECK_BYTES(config.values, good[2 * i].values, sizeof(int64_t[COUNT]));
        OK(hed_search_tell(search, &config, time_of(&config), &error));
    }
    hed_search_destroy(search);
    hed_space_destroy(space);
}

/* ---- importance ---- */

static double only_two_matter(const hed_config *config)
{
    return 1 + fabs(log2((double)config->values[0] / 64)) + 0.2 * (double)config->values[4];
}

Test(search, importance_tells_what_matters)
{
    hed_space *space = make_space(COUNT);
    for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++) {
        hed_search *search = make_search(space, strategy, 2, NULL);
        double shares[COUNT], sum = 0;
        hed_search_importance(search, shares);
        for (uint32_t i = 0; i < COUNT; i++) CHECK(shares[i] == 0);
        for (uint32_t i = 0; i < (strategy == HED_SEARCH_EXHAUSTIVE ? 2500 : 150); i++) {
            hed_config config;
            OK(hed_search_ask(search, &config, &error));
            OK(hed_search_tell(search, &config, only_two_matter(&config), &error));
        }
        hed_search_importance(search, shares);
        for (uint32_t i = 0; i < COUNT; i++) sum += shares[i];
        CHECK(fabs(sum - 1) < 1e-9 && shares[0] > 0.7 && shares[4] > 0.002, "%s: %g, %g of %g",
            hed_strategy_name(strategy), shares[0], shares[4], sum);
        CHECK(shares[1] + shares[2] + shares[3] + shares[5] < 0.15, "%s: %g %g %g %g",
            hed_strategy_name(strategy), shares[1], shares[2], shares[3], shares[5]);
        hed_search_destroy(search);
    }
    hed_space_destroy(space);
}

/* ---- memory that runs out ---- */

/* The n-th allocation fails, and the search goes on: what was refused is asked again. Counts the
 * refusals. */
static uint32_t live(const hed_space *space, test_allocator *state, uint32_t evaluations)
{
    hed_allocator allocator = test_allocator_of(state);
    hed_config good = {COUNT, {64, 3, 16, 2, 1, 1}};
    hed_search_source source = {&good, 1};
    hed_search_def def = {
        .allocator = &allocator, .space = space, .sources = &source, .source_count = 1};
    hed_search *search;
    hed_status status = hed_search_create(&def, &search, &error);
    CHECK(status == HED_OK || (status == HED_ERROR_MEMORY && error.text[0] && !search));
    uint32_t refused = status != HED_OK;
    double shares[COUNT];
    for (uint32_t i = 0; search && i < evaluations; i++) {
        hed_config config;
        hed_error_clear(&error);
        status = hed_search_ask(search, &config, &error);
        if (status != HED_OK) {
            CHECK(status == HED_ERROR_MEMORY && error.text[0] && ++refused <= 1, "%s", error.text);
            continue;
        }
        OK(hed_search_tell(search, &config, time_of(&config), &error));
    }
    if (search) hed_search_importance(search, shares);
    hed_search_destroy(search);
    CHECK(state->live == 0 && state->bytes == 0, "%" PRId64 " allocations are left",
        (int64_t)state->live);
    return refused;
}

Test(search, each_allocation_failing)
{
    hed_space *space = make_space(COUNT);
    test_allocator state = {0};
    uint32_t refused = live(space, &state, 40);
    CHECK_EQ(refused, 0);
    for (int64_t n = 1, calls = state.calls; n <= calls; n++) {
        state = (test_allocator){.fail_at = n};
        refused += live(space, &state, 40);
    }
    CHECK_GT(refused, 20);
    hed_space_destroy(space);
}

/* ---- quality ---- */

/* Every configuration of the space with its time, as a file would have it. */
static void record(hed_recorded_space *recorded)
{
    hed_space *space = make_space(COUNT);
    *recorded = (hed_recorded_space){
        .name = strdup("test"), .space = space, .count = hed_space_count(space)};
    recorded->times = calloc(recorded->count, sizeof *recorded->times);
    for (uint64_t i = 0; i < recorded->count; i++) {
        hed_config config = hed_space_at(space, i);
        recorded->times[i] = time_of(&config);
    }
}

static double score_of(
    const hed_recorded_space *recorded, hed_strategy strategy, uint32_t open, double noise)
{
    enum { SEEDS = 5 };
    hed_replay_scale scale;
    double mean[HED_REPLAY_MOST] = {0}, best[HED_REPLAY_MOST], seconds[HED_REPLAY_MOST];
    OK(hed_replay_measure(recorded, &scale, &error));
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        hed_replay_def def = {
            recorded, &scale, strategy, seed, NULL, 0, scale.budget, open, noise, NULL};
        OK(hed_replay_run(&def, best, seconds, &error));
        for (uint32_t i = 0; i < scale.budget; i++) mean[i] += best[i] / SEEDS;
    }
    return hed_replay_score(&scale, mean);
}

Test(search, auto_is_far_better_than_chance)
{
    hed_recorded_space recorded;
    record(&recorded);
    double by_chance = score_of(&recorded, HED_SEARCH_RANDOM, 1, 0),
           local = score_of(&recorded, HED_SEARCH_LOCAL, 1, 0);
    double alone = score_of(&recorded, HED_SEARCH_AUTO, 1, 0),
           many = score_of(&recorded, HED_SEARCH_AUTO, 16, 0);
    double noisy = score_of(&recorded, HED_SEARCH_AUTO, 1, 0.03);
    test_note(
        "random %.3f, local %.3f, auto %.3f, with 16 questions open %.3f, with 3 %% noise %.3f",
        by_chance, local, alone, many, noisy);
    CHECK(by_chance > -0.4 && by_chance < 0.4, "random %g", by_chance);
    CHECK(local > by_chance, "local %g, random %g", local, by_chance);
    CHECK(alone > 0.7 && many > 0.4 && noisy > 0.6, "auto %g, with 16 open %g, with noise %g",
        alone, many, noisy);
    hed_recorded_space_free(&recorded);
}

/* A parameter of 65,535 values: the models group them, and questions stay quick. Multiples of 32 near
 * 4,096 are the best. */
Test(search, many_values)
{
    enum { MOST = 65535, QUESTIONS = 120 };
    int64_t *values = calloc(MOST, sizeof *values);
    for (int64_t i = 0; i < MOST; i++) values[i] = i + 1;
    const hed_parameter_def parameters[] = {
        {"SIZE", values, MOST, 1, NULL}, {"TILE", LIST(TILES), 1, NULL}};
    hed_space_def def = {.parameters = parameters, .parameter_count = 2};
    hed_space *space;
    OK(hed_space_create(&def, &space, &error));
    for (hed_strategy strategy = 0; strategy < HED_STRATEGY_COUNT; strategy++) {
        hed_search *search = make_search(space, strategy, 4, NULL);
        hed_config config;
        double least = INFINITY;
        for (uint32_t i = 0; i < QUESTIONS; i++) {
            OK(hed_search_ask(search, &config, &error));
            double away = log2((double)config.values[0] / 4096),
                   tile = log2((double)config.values[1] / 3),
                   time = 1 + 0.1 * away * away + 0.2 * tile * tile +
                          (config.values[0] % 32 ? 0.3 : 0);
            least = fmin(least, time);
            OK(hed_search_tell(search, &config, time, &error));
        }
        test_note("%s: %.3f", hed_strategy_name(strategy), least);
        CHECK(strategy != HED_SEARCH_AUTO || least < 1.05, "%s: %g", hed_strategy_name(strategy),
            least);
        hed_search_destroy(search);
    }
    hed_space_destroy(space);
    free(values);
}

/* The first questions are no corners of the space: those are the slowest of this one. */
Test(search, few_evaluations_are_better_than_chance)
{
    enum { SEEDS = 60, FEW = 10 };
    hed_recorded_space recorded;
    hed_replay_scale scale;
    double mean[FEW] = {0}, best[FEW], seconds[FEW];
    record(&recorded);
    for (uint64_t i = 0; i < recorded.count; i++) {
        hed_config config = hed_space_at(recorded.space, i);
        double away = 0; /* of the parameters' middles */
        for (uint32_t j = 0; j < COUNT; j++) {
            uint32_t place = 0, count = PARAMETERS[j].count;
            while (PARAMETERS[j].values[place] != config.values[j]) place++;
            if (count > 2) away += fabs((double)place / (count - 1) - 0.8);
        }
        recorded.times[i] = exp(3 * away);
    }
    OK(hed_replay_measure(&recorded, &scale, &error));
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        hed_replay_def def = {&recorded, &scale, HED_SEARCH_AUTO, seed, NULL, 0, FEW, 1, 0, NULL};
        OK(hed_replay_run(&def, best, seconds, &error));
        for (uint32_t i = 0; i < FEW; i++) mean[i] += best[i] / SEEDS;
    }
    for (uint32_t i = 0; i < FEW && i < scale.budget; i++)
        EXPECT(hed_replay_gain(&scale, i + 1, mean[i]) > 0.4, "after %u: %g", i + 1,
            hed_replay_gain(&scale, i + 1, mean[i]));
    hed_recorded_space_free(&recorded);
}

/* A middle group of 4 x 4 items is too small on every device: names of group sizes say so before any measurement. */
Test(search, first_questions_have_usual_groups)
{
    static const int64_t SIZES[] = {1, 2, 4, 8, 16};
    const char *const names[2][2] = {{"LOCAL_X", "LOCAL_Y"}, {"ROWS", "COLUMNS"}};
    for (int named = 0; named < 2; named++) {
        const hed_parameter_def parameters[] = {
            {names[named][0], LIST(SIZES), 1, NULL}, {names[named][1], LIST(SIZES), 1, NULL}};
        hed_space_def def = {.parameters = parameters, .parameter_count = 2};
        hed_space *space;
        uint32_t usual = 0;
        OK(hed_space_create(&def, &space, &error));
        for (uint64_t seed = 1; seed <= 20; seed++) {
            hed_search *search = make_search(space, HED_SEARCH_AUTO, seed, NULL);
            hed_config config;
            OK(hed_search_ask(search, &config, &error));
            usual += config.values[0] * config.values[1] >= 64;
            hed_search_destroy(search);
        }
        CHECK_EQ(usual, named == 0 ? 20u : 0u);
        hed_space_destroy(space);
    }
}

/* Three central questions of a space of two parameters. */
static void ask_central(const hed_parameter_def *parameters, uint64_t seed, hed_config *configs)
{
    hed_space_def def = {.parameters = parameters, .parameter_count = 2};
    hed_space *space;
    OK(hed_space_create(&def, &space, &error));
    hed_search *search = make_search(space, HED_SEARCH_AUTO, seed, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        OK(hed_search_ask(search, &configs[i], &error));
        OK(hed_search_tell(search, &configs[i], 1, &error));
    }
    hed_search_destroy(search);
    hed_space_destroy(space);
}

/* A number of groups is no size of a group: few groups leave most of the device idle, and few streams do not overlap.
 * Zero leaves a factor of unrolling to the compiler. Tiles multiply: the middles of two, 4 x 4, exceed the registers of
 * old devices. The items of a group share its tile of a matrix: the middles, 32 x 32 for 16 x 16 items, leave 4 results
 * to an item. Four floats are one load. */
Test(search, first_questions_follow_names)
{
    static const int64_t SIZES[] = {32, 64, 128, 256, 512, 1024},
                         NUMBERS[] = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
                         FACTORS[] = {0, 1, 2, 4, 8, 16}, EIGHT[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const hed_parameter_def groups[] = {
        {"TBX", LIST(SIZES), 32, NULL}, {"num_blocks", LIST(NUMBERS), 32, NULL}};
    const hed_parameter_def unrolled[] = {{"WORK_GROUP_SIZE_X", LIST(SIZES), 32, NULL},
        {"INNER_UNROLL_FACTOR", LIST(FACTORS), 0, NULL}};
    const hed_parameter_def tiles[] = {
        {"tile_size_x", LIST(EIGHT), 1, NULL}, {"tile_size_y", LIST(EIGHT), 1, NULL}};
    static const int64_t STREAMS[] = {1, 2, 4, 8, 16, 32}, SIDES[] = {16, 32, 64, 128},
                         LOADS[] = {1, 2, 4, 8};
    const hed_parameter_def streams[] = {
        {"BLOCK_DIM", LIST(SIZES), 32, NULL}, {"num_streams", LIST(STREAMS), 1, NULL}};
    const char *const sides[3][2] = {{"MWG", "NWG"}, {"BM", "BN"}, {"BLOCK_SIZE_M", "BLOCK_SIZE_N"}};
    const hed_parameter_def widths[] = {{"VWM", LIST(LOADS), 1, NULL}, {"VECTOR", LIST(LOADS), 1, NULL}};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        hed_config configs[3];
        ask_central(groups, seed, configs);
        for (uint32_t i = 0; i < 3; i++)
            EXPECT(configs[i].values[0] >= 64 && configs[i].values[0] <= 512 &&
                       configs[i].values[1] >= 1024,
                "%d groups of %d", (int)configs[i].values[1], (int)configs[i].values[0]);
        ask_central(unrolled, seed, configs);
        for (uint32_t i = 0; i < 3; i++)
            EXPECT(configs[i].values[1] == 0, "unrolled by %d", (int)configs[i].values[1]);
        ask_central(tiles, seed, configs);
        EXPECT(configs[0].values[0] * configs[0].values[1] == 8, "%d x %d results",
            (int)configs[0].values[0], (int)configs[0].values[1]);
        ask_central(streams, seed, configs); /* BLOCK_DIM is no side of a matrix */
        for (uint32_t i = 0; i < 3; i++)
            EXPECT(configs[i].values[0] >= 64 && configs[i].values[0] <= 512 &&
                       configs[i].values[1] >= 8,
                "%d items, %d streams", (int)configs[i].values[0], (int)configs[i].values[1]);
        for (uint32_t i = 0; i < 3; i++) {
            const hed_parameter_def shared[] = {
                {sides[i][0], LIST(SIDES), 16, NULL}, {sides[i][1], LIST(SIDES), 16, NULL}};
            ask_central(shared, seed, configs);
            EXPECT(configs[0].values[0] == 64 && configs[0].values[1] == 64, "%s %d, %s %d",
                sides[i][0], (int)configs[0].values[0], sides[i][1], (int)configs[0].values[1]);
        }
        ask_central(widths, seed, configs);
        EXPECT(configs[0].values[0] == 4 && configs[0].values[1] == 4, "vectors of %d and %d",
            (int)configs[0].values[0], (int)configs[0].values[1]);
    }
}

/* Kernels differ most in the best work per item: the second and third questions try little and much of it, in either
 * order. A parameter with the value 0 has no middle: its numbers are choices. */
Test(search, first_questions_have_little_and_much_work)
{
    enum { SEEDS = 40, CHOICES = 5, CENTRAL = 3 };
    static const int64_t METHODS[CHOICES] = {0, 1, 2, 3, 4}, STEPS[] = {1, 2, 4, 8, 16, 32};
    const hed_parameter_def parameters[] = {{"METHOD", LIST(METHODS), 0, NULL},
        {"ROWS", LIST(STEPS), 1, NULL}, {"COLUMNS", LIST(STEPS), 1, NULL}};
    hed_space_def def = {.parameters = parameters, .parameter_count = 3};
    hed_space *space;
    uint32_t choices[CHOICES] = {0}, ascending = 0;
    OK(hed_space_create(&def, &space, &error));
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        hed_search *search = make_search(space, HED_SEARCH_AUTO, seed, NULL);
        int64_t work[CENTRAL];
        for (uint32_t i = 0; i < CENTRAL; i++) {
            hed_config config;
            OK(hed_search_ask(search, &config, &error));
            OK(hed_search_tell(search, &config, 1, &error));
            work[i] = config.values[1] * config.values[2];
            if (i == 0) choices[config.values[0]]++;
        }
        ascending += work[1] < work[2];
        CHECK(fmin(work[1], work[2]) < work[0] && work[0] < fmax(work[1], work[2]),
            "seed %u: %d, then %d and %d", (unsigned)seed, (int)work[0], (int)work[1], (int)work[2]);
        hed_search_destroy(search);
    }
    EXPECT(ascending > 0 && ascending < SEEDS, "%u of %u begin with little", ascending, (unsigned)SEEDS);
    for (uint32_t i = 0; i < CHOICES; i++) EXPECT(choices[i] > 0, "choice %u is never the first", i);
    hed_space_destroy(space);
}
