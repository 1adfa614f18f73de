/* Spaces: against brute force over random constraints and conditions, the errors, and what building
 * a large one costs. */
#include "testing.h"

#include <inttypes.h>
#include <math.h>

#include "search/search_state.h"

static hed_error error;

/* ---- against brute force ---- */

enum { PARAMETERS = 6, MOST_VALUES = 5, RULES = 5 };

/* A random space: values, a few constraints as text and as what they mean, and a condition. */
typedef struct puzzle {
    hed_parameter_def parameters[PARAMETERS];
    int64_t values[PARAMETERS][MOST_VALUES];
    uint32_t count;
    char texts[RULES][64];
    const char *constraints[RULES];
    uint32_t constraint_count;
    uint32_t of[RULES][2]; /* parameters of each constraint */
    int64_t limit[RULES];
    char when[64];
    hed_condition condition;
    bool conditional;
    uint32_t guarded, guard;
    hed_random random;
} puzzle;

static const char *const NAMES[PARAMETERS] = {"a", "b", "c", "d", "e", "f"};

static uint32_t below(puzzle *p, uint32_t count)
{
    return (uint32_t)hed_random_below(&p->random, count);
}

static void make_puzzle(puzzle *p, uint64_t seed)
{
    *p = (puzzle){.random = hed_random_seed(seed)};
    p->count = 1 + below(p, PARAMETERS);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t count = 1 + below(p, MOST_VALUES);
        for (uint32_t v = 0; v < count; v++) p->values[i][v] = (int64_t)(v * 3 + below(p, 3)) - 2;
        p->parameters[i] = (hed_parameter_def){.name = NAMES[i], .values = p->values[i],
            .count = count, .value = p->values[i][below(p, count)]};
    }
    p->constraint_count = below(p, RULES);
    for (uint32_t i = 0; i < p->constraint_count; i++) {
        p->of[i][0] = below(p, p->count);
        p->of[i][1] = below(p, p->count);
        p->limit[i] = (int64_t)below(p, 16) + 2;
        snprintf(p->texts[i], sizeof p->texts[i], "%s * %s + shift <= %" PRId64, NAMES[p->of[i][0]],
            NAMES[p->of[i][1]], p->limit[i]);
        p->constraints[i] = p->texts[i];
    }
    p->conditional = p->count > 1 && below(p, 2);
    p->guard = below(p, p->count);
    p->guarded = (p->guard + 1) % p->count;
    snprintf(p->when, sizeof p->when, "%s > 2", NAMES[p->guard]);
    p->condition = (hed_condition){NAMES[p->guarded], p->when};
}

enum { SHIFT = 3 };

static bool allowed(const puzzle *p, const hed_config *config)
{
    const int64_t *v = config->values;
    for (uint32_t i = 0; i < p->constraint_count; i++)
        if (v[p->of[i][0]] * v[p->of[i][1]] + SHIFT > p->limit[i]) return false;
    return !p->conditional || v[p->guard] > 2 || v[p->guarded] == p->parameters[p->guarded].value;
}

/* What no expression says, in half of the puzzles. */
static bool odd_sum(void *user, const hed_config *config)
{
    int64_t sum = 0;
    (void)user;
    for (uint32_t i = 0; i < config->count; i++) sum += config->values[i];
    return sum & 1;
}

static hed_config product_at(const puzzle *p, uint64_t index)
{
    hed_config config = {.count = p->count};
    for (uint32_t i = p->count; i-- > 0;) {
        config.values[i] = p->parameters[i].values[index % p->parameters[i].count];
        index /= p->parameters[i].count;
    }
    return config;
}

static hed_space *build(const puzzle *p, bool accepting, const hed_allocator *allocator)
{
    hed_constant shift = {"shift", SHIFT};
    hed_space_def def = {.allocator = allocator, .parameters = p->parameters,
        .parameter_count = p->count, .constraints = p->constraints};
    def.constraint_count = p->constraint_count;
    def.conditions = &p->condition;
    def.condition_count = p->conditional;
    def.constants = &shift;
    def.constant_count = 1;
    def.accept = accepting ? odd_sum : NULL;
    hed_space *space;
    OK(hed_space_create(&def, &space, &error));
    return space;
}

static void check_against_brute_force(const puzzle *p, bool accepting, uint64_t seed)
{
    hed_space *space = build(p, accepting, NULL);
    uint64_t product = 1, expected = 0, count = hed_space_count(space);
    for (uint32_t i = 0; i < p->count; i++) product *= p->parameters[i].count;
    for (uint64_t i = 0; i < product; i++) {
        hed_config config = product_at(p, i);
        bool in = allowed(p, &config) && (!accepting || odd_sum(NULL, &config));
        uint64_t found = hed_space_find(space, &config);
        expected += in;
        CHECK((found != UINT64_MAX) == in,
            "puzzle %" PRIu64 ", configuration %" PRIu64 ": found %" PRIu64, seed, i, found);
        if (!in) continue;
        hed_config same = hed_space_at(space, found);
        CHECK(found < count && same.count == config.count, "puzzle %" PRIu64, seed);
        CHECK_BYTES(same.values, config.values, config.count * sizeof *config.values);
    }
    CHECK(count == expected, "puzzle %" PRIu64 ": %" PRIu64 " points, expected %" PRIu64, seed,
        count, expected);
    hed_space_destroy(space);
}

Test(space, is_what_brute_force_finds)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        puzzle p;
        make_puzzle(&p, seed);
        check_against_brute_force(&p, false, seed);
        check_against_brute_force(&p, true, seed);
    }
}

/* As many values as a list may have: all are found, in a range as in a shuffled list. */
Test(space, of_65535_values)
{
    enum { MOST = 65535 };
    int64_t *values = calloc(MOST + 1, sizeof *values), tiles[] = {1, 2, 4};
    const char *const constraint = "SIZE * TILE <= 65535";
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        for (int64_t i = 0; i <= MOST; i++) values[i] = shuffled ? (i * 40503 & 65535) + 1 : i + 1;
        hed_parameter_def parameters[] = {{"SIZE", values, MOST, values[0], NULL},
            {"TILE", tiles, 3, 1, NULL}};
        hed_space_def def = {.parameters = parameters, .parameter_count = 2,
            .constraints = &constraint, .constraint_count = 1};
        hed_space *space;
        OK(hed_space_create(&def, &space, &error));
        uint64_t count = 0;
        for (int64_t i = 0; i < MOST; i++)
            for (int t = 0; t < 3; t++) count += values[i] * tiles[t] <= 65535;
        CHECK_EQ(hed_space_count(space), count);
        for (uint64_t i = 0; i < count; i += shuffled ? 997 : 89) {
            hed_config config = hed_space_at(space, i);
            CHECK(config.values[0] * config.values[1] <= 65535);
            CHECK_EQ(hed_space_find(space, &config), i);
        }
        hed_space_destroy(space);
        parameters[0].count++;
        FAILS(HED_ERROR_ARGUMENT, hed_space_create(&def, &space, &error));
        CHECK(
            strstr(error.text, "\"SIZE\" has 65536 values; expected 1 to 65535"), "%s", error.text);
        parameters[0].count--;
        values[MOST - 1] = values[7];
        FAILS(HED_ERROR_ARGUMENT, hed_space_create(&def, &space, &error));
        CHECK(strstr(error.text, "\"SIZE\" has the value"), "%s", error.text);
    }
    free(values);
}

Test(space, of_no_parameters_has_one_point_or_none)
{
    const char *constraint = "limit > 3";
    for (double limit = 2; limit < 6; limit += 2) {
        hed_constant constant = {"limit", limit};
        hed_space_def def = {.constraints = &constraint, .constraint_count = 1,
            .constants = &constant, .constant_count = 1};
        hed_space *space;
        OK(hed_space_create(&def, &space, &error));
        CHECK(hed_space_count(space) == (limit > 3));
        CHECK(hed_space_find(space, &(hed_config){0}) == (limit > 3 ? 0 : UINT64_MAX));
        hed_space_destroy(space);
    }
}

/* ---- given points ---- */

static const int64_t SIZES[] = {8, 16, 32}, FLAGS[] = {0, 1};
static const hed_parameter_def PAIR[] = {{.name = "size", .values = SIZES, .count = 3, .value = 8},
    {.name = "flag", .values = FLAGS, .count = 2, .value = 0}};

Test(space, of_given_points_keeps_their_order)
{
    static const int64_t values[][2] = {{32, 0}, {8, 1}, {16, 1}, {8, 0}};
    hed_space *space;
    OK(hed_space_create_list(NULL, PAIR, 2, values[0], 4, &space, &error));
    CHECK(hed_space_count(space) == 4);
    for (uint32_t i = 0; i < 4; i++) {
        hed_config config = hed_space_at(space, i);
        CHECK_BYTES(config.values, values[i], sizeof values[i]);
        CHECK(hed_space_find(space, &config) == i);
    }
    CHECK(hed_space_find(space, &(hed_config){2, {32, 1}}) == UINT64_MAX);
    CHECK(hed_space_find(space, &(hed_config){2, {9, 1}}) == UINT64_MAX);
    CHECK(hed_space_find(space, &(hed_config){1, {8}}) == UINT64_MAX);
    hed_space_destroy(space);
    static const int64_t twice[][2] = {{32, 0}, {8, 1}, {32, 0}}, unknown[][2] = {{32, 2}};
    FAILS(HED_ERROR_ARGUMENT, hed_space_create_list(NULL, PAIR, 2, twice[0], 3, &space, &error));
    CHECK_TEXT(error.text, "points 0 and 2 are the same");
    FAILS(HED_ERROR_ARGUMENT, hed_space_create_list(NULL, PAIR, 2, unknown[0], 1, &space, &error));
    CHECK_TEXT(error.text, "point 0: \"flag\" has no value 2");
    OK(hed_space_create_list(NULL, PAIR, 2, NULL, 0, &space, &error));
    CHECK(hed_space_count(space) == 0 &&
          hed_space_find(space, &(hed_config){2, {8, 0}}) == UINT64_MAX);
    hed_space_destroy(space);
}

/* ---- errors ---- */

static void refuse(hed_space_def def, hed_status status, const char *words)
{
    hed_space *space = (hed_space *)&error;
    FAILS(status, hed_space_create(&def, &space, &error));
    CHECK(strstr(error.text, words) && !space, "%s", error.text);
}

Test(space, errors_say_what_is_wrong)
{
    static const int64_t twice[] = {1, 2, 1};
    hed_parameter_def bad = {.name = "bad", .values = twice, .count = 3},
                      unnamed = {.values = SIZES, .count = 3};
    hed_parameter_def none = {.name = "none", .values = SIZES, .count = 0};
    refuse((hed_space_def){.parameters = &bad, .parameter_count = 1}, HED_ERROR_ARGUMENT,
        "\"bad\" has the value 1 twice");
    refuse((hed_space_def){.parameters = &unnamed, .parameter_count = 1}, HED_ERROR_ARGUMENT,
        "parameter 0 has no name");
    refuse((hed_space_def){.parameters = &none, .parameter_count = 1}, HED_ERROR_ARGUMENT,
        "has 0 values");
    const char *unknown = "size < wide", *broken = "size <";
    refuse((hed_space_def){.parameters = PAIR,
               .parameter_count = 2, .constraints = &unknown, .constraint_count = 1},
        HED_ERROR_ARGUMENT, "wide");
    refuse((hed_space_def){.parameters = PAIR,
               .parameter_count = 2, .constraints = &broken, .constraint_count = 1},
        HED_ERROR_FORMAT, "");
    hed_condition own = {"flag", "flag == 1"}, other = {"flak", "size > 8"};
    refuse(
        (hed_space_def){
            .parameters = PAIR, .parameter_count = 2, .conditions = &own, .condition_count = 1},
        HED_ERROR_ARGUMENT, "other parameters only");
    refuse(
        (hed_space_def){
            .parameters = PAIR, .parameter_count = 2, .conditions = &other, .condition_count = 1},
        HED_ERROR_ARGUMENT, "\"flak\"");
}

static bool never(void *user, const hed_config *config)
{
    (void)config;
    ++*(uint64_t *)user;
    return false;
}

/* Limits are there so that a careless definition ends in words instead of hours. */
Test(space, too_large_for_accept_says_what_to_do)
{
    int64_t values[24];
    hed_parameter_def parameters[8];
    uint64_t asked = 0;
    for (uint32_t i = 0; i < 24; i++) values[i] = i;
    for (uint32_t i = 0; i < 8; i++)
        parameters[i] =
            (hed_parameter_def){.name = NAMES[i % PARAMETERS], .values = values, .count = 24};
    hed_space_def def = {
        .parameters = parameters, .parameter_count = 8, .accept = never, .user = &asked};
    refuse(def, HED_ERROR_LIMIT, "write what it checks as constraints");
    CHECK(asked == 0);
    def.accept = NULL; /* as a product it takes no more than its values */
    hed_space *space;
    OK(hed_space_create(&def, &space, &error));
    CHECK(hed_space_count(space) == 110075314176u);
    hed_space_destroy(space);
}

/* ---- a kernel's space ---- */

static void do_nothing(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    (void)call, (void)begin, (void)end;
}

static bool no_flag_on_eight(
    const hed_kernel_def *def, const hed_config *config, const hed_device_info *device, bool strict)
{
    (void)device;
    return !strict &&
           !(hed_config_get(def, config, "size") == 8 && hed_config_get(def, config, "flag"));
}

/* Constraints over the problem and the device, and what valid() says besides. */
Test(space, of_a_kernel)
{
    static const char *const dimensions[] = {"n"};
    const char *constraints[] = {"n % size == 0 and size <= max_group", "local_bytes >= 0"};
    hed_kernel_def def = {
        .name = "test", .parameters = PAIR, .parameter_count = 2, .range = do_nothing};
    def.constraints = constraints;
    def.constraint_count = 2;
    def.dimensions = dimensions;
    def.dimension_count = 1;
    def.valid = no_flag_on_eight;
    hed_context *context;
    hed_device *device;
    hed_space *space;
    OK(hed_context_create(NULL, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    hed_problem problem = hed_problem_1d(48), flat = hed_problem_2d(1, 1);
    OK(hed_space_create_for_kernel(device, &def, &problem, HED_MATH_FAST, &space, &error));
    CHECK(hed_space_count(space) == 3); /* 8 and 16 divide 48; 8 goes without the flag */
    CHECK(hed_space_find(space, &(hed_config){2, {16, 1}}) != UINT64_MAX);
    CHECK(hed_space_find(space, &(hed_config){2, {8, 1}}) == UINT64_MAX);
    hed_space_destroy(space);
    OK(hed_space_create_for_kernel(device, &def, &problem, HED_MATH_STRICT, &space, &error));
    CHECK(hed_space_count(space) == 0);
    hed_space_destroy(space);
    FAILS(HED_ERROR_ARGUMENT,
        hed_space_create_for_kernel(device, &def, &flat, HED_MATH_FAST, &space, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_space_create_for_kernel(device, &def, NULL, HED_MATH_FAST, &space, &error));
    hed_context_destroy(context);
}

/* What the native function does not read keeps its default, or the value of the first configuration
 * that is valid. */
Test(space, of_a_kernel_on_host_has_what_native_code_reads)
{
    static const char *const dimensions[] = {"n"};
    const char *constraints[] = {"n % size == 0"};
    hed_kernel_def def = {
        .name = "test", .parameters = PAIR, .parameter_count = 2, .range = do_nothing};
    def.constraints = constraints;
    def.constraint_count = 1;
    def.dimensions = dimensions;
    def.dimension_count = 1;
    hed_context *context;
    hed_device *device;
    OK(hed_context_create(NULL, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    const struct {
        int64_t n;
        uint32_t ignores;
        uint64_t count;
        int64_t size; /* of all points; 0: any */
    } cases[] = {{48, 0, 4, 0}, {48, 1, 2, 8}, {48, 2, 2, 0}, {48, HED_ALL_PARAMETERS, 1, 8},
        {20, HED_ALL_PARAMETERS, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_problem problem = hed_problem_1d(cases[i].n);
        hed_space *space;
        def.native_ignores = cases[i].ignores;
        OK(hed_space_create_for_kernel(device, &def, &problem, HED_MATH_FAST, &space, &error));
        EXPECT_EQ(hed_space_count(space), cases[i].count, "case %zu: %llu points", i,
            (unsigned long long)hed_space_count(space));
        for (uint64_t point = 0; point < hed_space_count(space) && cases[i].size; point++)
            EXPECT_EQ(hed_space_at(space, point).values[0], cases[i].size);
        hed_space_destroy(space);
    }
    /* The default, 8, is never valid. */
    constraints[0] = "size == 16";
    hed_problem problem = hed_problem_1d(48);
    hed_space *space;
    def.native_ignores = 1;
    OK(hed_space_create_for_kernel(device, &def, &problem, HED_MATH_FAST, &space, &error));
    EXPECT_EQ(hed_space_count(space), 2);
    EXPECT_EQ(hed_space_at(space, 0).values[0], 16);
    hed_space_destroy(space);
    hed_context_destroy(context);
}

/* ---- the largest space that is in use ---- */

/* CLBlast's matrix multiplication, as its tuner describes it: 663,552 points before the
 * constraints. */
static const int64_t TILES[] = {16, 32, 64, 128}, DEPTHS[] = {16, 32}, GROUPS[] = {8, 16, 32},
                     TWO[] = {2}, WIDTHS[] = {1, 2, 4, 8};
#define PARAMETER(word, list, first) \
    { \
        .name = word, .values = list, .count = sizeof list / sizeof *list, .value = first \
    }
static const hed_parameter_def GEMM[] = {PARAMETER("MWG", TILES, 16), PARAMETER("NWG", TILES, 16),
    PARAMETER("KWG", DEPTHS, 16), PARAMETER("MDIMC", GROUPS, 8), PARAMETER("NDIMC", GROUPS, 8),
    PARAMETER("MDIMA", GROUPS, 8), PARAMETER("NDIMB", GROUPS, 8), PARAMETER("KWI", TWO, 2),
    PARAMETER("VWM", WIDTHS, 1), PARAMETER("VWN", WIDTHS, 1), PARAMETER("STRM", FLAGS, 0),
    PARAMETER("STRN", FLAGS, 0), PARAMETER("SA", FLAGS, 0), PARAMETER("SB", FLAGS, 0)};
static const char *const GEMM_RULES[] = {"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0",
    "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0",
    "KWG % (MDIMC * NDIMC / MDIMA) == 0", "KWG % (MDIMC * NDIMC / NDIMB) == 0",
    "(SA * KWG * MWG + SB * KWG * NWG) * 4 <= local_bytes"};

static bool gemm_allows(const int64_t *v, int64_t local_bytes)
{
    int64_t m = v[0], n = v[1], k = v[2], mc = v[3], nc = v[4], ma = v[5], nb = v[6], vm = v[8],
            vn = v[9];
    return k % v[7] == 0 && m % (mc * vm) == 0 && n % (nc * vn) == 0 && m % (ma * vm) == 0 &&
           n % (nb * vn) == 0 && (k * ma) % (mc * nc) == 0 && (k * nb) % (mc * nc) == 0 &&
           (v[12] * k * m + v[13] * k * n) * 4 <= local_bytes;
}

/* An allocator that knows how much was held at most. */
typedef struct peak {
    test_allocator inner;
    int64_t most;
} peak;

static void *allocate_peak(void *user, size_t size, size_t alignment)
{
    peak *p = user;
    void *pointer = test_allocate(&p->inner, size, alignment);
    if (p->inner.bytes > p->most) p->most = p->inner.bytes;
    return pointer;
}

static void release_peak(void *user, void *pointer, size_t size)
{
    test_release(&((peak *)user)->inner, pointer, size);
}

Test(space, of_a_large_kernel_fits_little_memory)
{
    enum { COUNT = sizeof GEMM / sizeof *GEMM };
    peak held = {0};
    hed_allocator allocator = {&held, allocate_peak, release_peak};
    hed_constant local = {"local_bytes", 16384};
    hed_space_def def = {.allocator = &allocator, .parameters = GEMM, .parameter_count = COUNT,
        .constraints = GEMM_RULES};
    def.constraint_count = sizeof GEMM_RULES / sizeof *GEMM_RULES;
    def.constants = &local;
    def.constant_count = 1;
    hed_space *space;
    uint64_t began = hed_now();
    OK(hed_space_create(&def, &space, &error));
    double seconds = (double)(hed_now() - began) * 1e-9;
    uint64_t points = 1, expected = 0;
    for (uint32_t i = 0; i < COUNT; i++) points *= GEMM[i].count;
    CHECK(points == 663552);
    for (uint64_t i = 0; i < points; i++) {
        hed_config config = {.count = COUNT};
        uint64_t rest = i;
        for (uint32_t j = COUNT; j-- > 0; rest /= GEMM[j].count)
            config.values[j] = GEMM[j].values[rest % GEMM[j].count];
        bool in = gemm_allows(config.values, 16384);
        expected += in;
        if (i % 97 == 0) CHECK((hed_space_find(space, &config) != UINT64_MAX) == in);
    }
    CHECK(hed_space_count(space) == expected, "%" PRIu64 " points, expected %" PRIu64,
        hed_space_count(space), expected);
    CHECK(held.most < 64 << 20, "%" PRId64 " bytes at once", held.most);
    test_note("%" PRIu64 " points in %.1f ms, %.1f MB at most", expected, 1e3 * seconds,
        (double)held.most * 1e-6);
    hed_space_destroy(space);
    CHECK(held.inner.live == 0 && held.inner.bytes == 0);
}

/* ---- memory that runs out ---- */

Test(space, each_allocation_failing_leaves_nothing)
{
    puzzle p;
    make_puzzle(&p, 15);
    test_allocator state = {0};
    hed_allocator allocator = test_allocator_of(&state);
    hed_space_destroy(build(&p, true, &allocator));
    CHECK(state.live == 0 && state.bytes == 0);
    uint32_t refused = 0;
    for (int64_t n = 1, calls = state.calls; n <= calls; n++) {
        hed_constant shift = {"shift", SHIFT};
        hed_space_def def = {.allocator = &allocator, .parameters = p.parameters,
            .parameter_count = p.count, .constraints = p.constraints};
        def.constraint_count = p.constraint_count;
        def.constants = &shift;
        def.constant_count = 1;
        def.accept = odd_sum;
        state = (test_allocator){.fail_at = n};
        hed_space *space;
        hed_error_clear(&error);
        hed_status status = hed_space_create(&def, &space, &error);
        CHECK(status == HED_ERROR_MEMORY || (status == HED_OK && state.calls >= n),
            "allocation %" PRId64 ": %s", n, hed_status_name(status));
        refused += status != HED_OK;
        hed_space_destroy(space);
        CHECK(state.live == 0 && state.bytes == 0, "allocation %" PRId64 ": %" PRId64 " left", n,
            (int64_t)state.live);
    }
    CHECK_GT(refused, 5);
}
