/* ctest: devices */
/* The solvers of devices against the processor: the same answer in fast mode, whatever the
 * structure, and the same bits in strict mode. On `host` itself there is nothing to compare. */
#include "fixture.h"
#include "folder.h"
#include "heddle/author.h"
#include "heddle/mppi.h"

#include <math.h>

TestSuite(mppi_device, .init = here_open, .fini = here_close);
TestSuite(mppi_tune, .init = folder_make, .fini = folder_remove);

/* ---- what is controlled ---- */

/* Three controls, so that steps and quads of normal numbers do not end together; a table that
 * costs. */
static const char ARM[] =
    "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)\n"
    "{\n"
    "    for (int i = 0; i < 3; i++) x[i] += dt * (u[i] - P(drag) * x[i]);\n"
    "}\n";
static void arm_step(float *x, const float *u, float dt, const hed_mppi_world *world)
{
    for (int i = 0; i < 3; i++) x[i] += dt * (u[i] - world->parameters[0] * x[i]);
}
static const hed_mppi_parameter arm_parameters[] = {{"drag", 0.1f, "1/s", 0}};
static const hed_mppi_model arm = {.name = "arm",
    .states = 3,
    .controls = 3,
    .text = ARM,
    .file = "arm.h",
    .step = arm_step,
    .parameters = arm_parameters,
    .parameter_count = 1,
    .pose_x = -1,
    .pose_y = -1,
    .pose_heading = -1,
    .speed = -1,
    .sigma = {1, 0.5f, 2},
    .dt = 0.05f};

static const char LIFTED[] =
    "MPPI_FUNCTION float term_lifted(const float *x, const float *u, int t, MPPI_WORLD w)\n"
    "{\n"
    "    float cost = 0.0f;\n"
    "    for (int i = 0; i < 3; i++) {\n"
    "        float d = x[i] - TABLE(levels)[t % TABLE_COUNT(levels)];\n"
    "        cost += d * d;\n"
    "    }\n"
    "    return cost;\n"
    "}\n";
static float lifted_cost(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    float cost = 0;
    for (int i = 0; i < 3; i++) {
        float d = x[i] - world->tables[0][(uint32_t)t % world->table_counts[0]];
        cost += d * d;
    }
    (void)u;
    return cost;
}
static const char *const lifted_tables[] = {"levels"};
static const hed_mppi_term lifted = {.name = "lifted",
    .text = LIFTED,
    .file = "lifted.h",
    .cost = lifted_cost,
    .tables = lifted_tables,
    .table_count = 1,
    .weight = 3,
    .when = HED_MPPI_ALWAYS};
static const float levels[] = {1, 2, -1, 0.5f, 3};
static const hed_mppi_table tables[] = {{"levels", levels, 5, 8, false}};

static hed_mppi_def arm_def(uint32_t samples, uint32_t steps)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = &arm;
    def.terms = &lifted;
    def.term_count = 1;
    def.tables = tables;
    def.table_count = 1;
    def.samples = samples;
    def.steps = steps;
    def.lambda = 2;
    return def;
}

static hed_mppi_def cartpole_def(uint32_t samples, uint32_t steps)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("cartpole");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.samples = samples;
    def.steps = steps;
    def.lambda = 1;
    return def;
}

/* ---- comparing ---- */

enum { MOST = 8192 };

typedef struct outcome {
    float controls[MOST];
    hed_mppi_stats stats;
    uint64_t hash;
} outcome;

/* Closed loop over `rounds`, the model as the plant. */
static void solve(hed_device *device, const hed_mppi_def *def, int rounds, outcome *out)
{
    hed_error error = {0};
    hed_mppi *c;
    hed_mppi_stats stats[4];
    float x[4 * HED_MPPI_MAX_STATES] = {0};
    uint32_t nx = def->model->states, size = def->steps * def->model->controls;
    CHECK(size <= MOST && def->count <= 4);
    for (uint32_t i = 0; i < def->count * nx; i++) x[i] = 0.1f * (float)(i % 7);
    OK(hed_mppi_create(device, def, &c, &error));
    for (int n = 0; n < rounds; n++) {
        OK(hed_mppi_solve(c, x, NULL, stats, &error));
        for (uint32_t i = 0; i < def->count; i++)
            memcpy(x + i * nx, hed_mppi_states(c, i) + nx, nx * sizeof *x);
        if (n + 1 < rounds) hed_mppi_shift(c, 1);
    }
    memcpy(out->controls, hed_mppi_controls(c, def->count - 1), size * sizeof(float));
    out->stats = stats[def->count - 1];
    out->hash = hed_mppi_hash(c);
    hed_mppi_destroy(c);
}

static hed_device *the_host(void)
{
    hed_error error = {0};
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    return host;
}

static bool is_host(void) { return !strcmp(hed_device_describe(here.device).backend, "host"); }

/* Those that this device has: launches everywhere, the others with packets. */
static uint32_t solvers_here(hed_mppi_solver solvers[3])
{
    uint64_t packets = HED_CAN_PACKETS | HED_CAN_MAPPED | HED_CAN_LANES;
    if (is_host()) return 0;
    solvers[0] = HED_MPPI_SOLVER_LAUNCHES;
    if ((hed_device_describe(here.device).capabilities & packets) != packets) return 1;
    solvers[1] = HED_MPPI_SOLVER_PACKETS;
    solvers[2] = HED_MPPI_SOLVER_RESIDENT;
    return 3;
}

static void compare_with(hed_mppi_def def, hed_mppi_solver solver, const char *choice,
    const outcome *wanted, const char *what)
{
    static outcome found;
    bool strict = def.math == HED_MATH_STRICT;
    uint32_t size = def.steps * def.model->controls;
    double difference = 0, norm = 0;
    def.solver = solver;
    def.choice = choice;
    solve(here.device, &def, strict ? 3 : 1, &found);
    for (uint32_t j = 0; j < size; j++) {
        difference += pow((double)found.controls[j] - wanted->controls[j], 2);
        norm += pow((double)wanted->controls[j], 2);
    }
    if (strict) {
        EXPECT_EQ(found.hash, wanted->hash, "%s, solver %d", what, (int)solver);
        return;
    }
    EXPECT_LT(sqrt(difference), 1e-3 * sqrt(norm) + 1e-6, "%s, solver %d, choice %s", what,
        (int)solver, choice ? choice : "by the rules");
    EXPECT_NEAR(found.stats.free_energy, wanted->stats.free_energy,
        1e-4f * fabsf(wanted->stats.free_energy) + 1e-4f, "%s, solver %d", what, (int)solver);
    EXPECT_NEAR(found.stats.crashed, wanted->stats.crashed, 1e-6f, "%s", what);
}

/* Every solver of this device, in one mode. */
static void compare_math(hed_mppi_def def, hed_math math, const char *what)
{
    static outcome wanted;
    hed_mppi_solver solvers[3];
    uint32_t count = solvers_here(solvers);
    if (!count) return;
    def.math = math;
    solve(the_host(), &def, math == HED_MATH_STRICT ? 3 : 1, &wanted);
    for (uint32_t i = 0; i < count; i++) {
        bool array = def.sampler != HED_MPPI_GAUSSIAN || def.covariance;
        bool two = def.kind == HED_MPPI_ROBUST || def.update != HED_MPPI_EXPONENTIAL;
        if (array && solvers[i] == HED_MPPI_SOLVER_RESIDENT) continue;
        if (two && solvers[i] != HED_MPPI_SOLVER_LAUNCHES) continue;
        compare_with(def, solvers[i], NULL, &wanted, what);
    }
}

static void compare(hed_mppi_def def, const char *what)
{
    compare_math(def, HED_MATH_FAST, what);
    compare_math(def, HED_MATH_STRICT, what);
}

/* ---- tests ---- */

/* One step, few samples, and a plan that costs exactly nothing: sample 0 has no noise. */
Test(mppi_device, least_cost_of_zero, .timeout = 300)
{
    static const uint32_t samples[] = {1, 7, 32, 33};
    for (uint32_t i = 0; i < HED_COUNT(samples); i++) {
        static const float state[HED_MPPI_MAX_STATES];
        hed_mppi_def def = cartpole_def(samples[i], 1);
        hed_mppi_solver solvers[3];
        uint32_t count = solvers_here(solvers);
        def.committed = 0;
        def.tail = HED_MPPI_ZERO;
        for (int math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++)
            for (uint32_t n = 0; n < count || (n == 0 && is_host()); n++) {
                hed_error error = {0};
                hed_mppi *c;
                hed_mppi_stats stats;
                def.math = (hed_math)math;
                def.solver = is_host() ? HED_MPPI_SOLVER_AUTO : solvers[n];
                OK(hed_mppi_create(here.device, &def, &c, &error));
                OK(hed_mppi_solve(c, state, NULL, &stats, &error));
                EXPECT_EQ(stats.outcome, HED_MPPI_SOLVED, "N %u, math %d, solver %d", samples[i],
                    math, (int)def.solver);
                EXPECT_NEAR(stats.baseline, 0.0f, 0.0f);
                EXPECT_GE(stats.normalizer * (float)samples[i], 1.0f);
                hed_mppi_destroy(c);
            }
        compare_math(cartpole_def(samples[i], 2), HED_MATH_STRICT, "few samples");
    }
}

Test(mppi_device, plain, .timeout = 300)
{
    hed_mppi_def def = cartpole_def(1001, 37);
    compare(def, "cartpole, N 1001, T 37");
    def = cartpole_def(5000, 4); /* more than one tile a chain */
    compare_math(def, HED_MATH_STRICT, "cartpole, N 5000, T 4");
    def = arm_def(333, 21);
    compare(def, "three controls and a table");
}

Test(mppi_device, what_a_definition_adds, .timeout = 300)
{
    hed_mppi_def def = cartpole_def(500, 21);
    def.alpha = 0.5f;
    def.rate[0] = 20;
    def.delay = 3;
    def.committed = 2;
    def.minimum[0] = -3;
    def.maximum[0] = 4;
    def.crash_cost = 1.5f;
    def.scale = HED_MPPI_SUM;
    def.lambda = 20;
    def.smooth_weight = 0.1f;
    compare(def, "importance, rates, delay");
    def = arm_def(200, 19);
    float factors[57];
    for (int i = 0; i < 57; i++) factors[i] = 1.0f + 0.02f * (float)i;
    def.sigma_steps = factors;
    def.pure_noise = 0.3f;
    def.keep_plan = false;
    compare(def, "sigma by steps, pure noise");
    def = arm_def(100, 11);
    def.count = 3;
    compare(def, "a fleet of three");
}

Test(mppi_device, samplers, .timeout = 300)
{
    static const float covariance[] = {1, 0.3f, 0, 0.3f, 0.5f, 0.1f, 0, 0.1f, 2};
    hed_mppi_def def = arm_def(100, 13);
    def.covariance = covariance;
    compare(def, "covariance");
    def = arm_def(100, 13);
    def.sampler = HED_MPPI_COLOURED;
    def.exponent[0] = 1;
    def.exponent[1] = 2;
    compare_math(def, HED_MATH_STRICT, "coloured");
    def.sampler = HED_MPPI_LOG_NORMAL;
    compare_math(def, HED_MATH_STRICT, "log-normal");
    def.sampler = HED_MPPI_SPLINE;
    def.knots = 4;
    compare_math(def, HED_MATH_FAST, "splines");
}

/* Weights that need the costs of all samples first. */
Test(mppi_device, updates, .timeout = 300)
{
    for (int update = HED_MPPI_ELITE; update <= HED_MPPI_TSALLIS; update++) {
        const char *what = update == HED_MPPI_ELITE ? "elite" : "Tsallis";
        hed_mppi_def def = arm_def(700, 13);
        def.update = (hed_mppi_update)update;
        def.elite = 0.07f;
        def.tsallis_r = 1.7f;
        def.tsallis_threshold = 5;
        def.lambda = 1;
        compare(def, what);
        if (update != HED_MPPI_ELITE) continue;
        def.rate[1] = 5; /* controls depend on those before */
        def.alpha = 0.5f;
        def.crash_cost = 20;
        def.count = 2;
        def.kind = HED_MPPI_TUBE;
        compare_math(def, HED_MATH_STRICT, what);
        def = cartpole_def(5000, 5);
        def.update = (hed_mppi_update)update;
        compare_math(def, HED_MATH_STRICT, what);
    }
}

/* Several disturbed rollouts of a sample, and what becomes of their costs. */
Test(mppi_device, risk, .timeout = 300)
{
    static const char *const names[] = {"expected", "value at risk", "conditional value at risk"};
    for (int risk = 0; risk < 3; risk++) {
        hed_mppi_def def = arm_def(90, 8);
        def.rollouts = risk ? 7 : 32;
        def.disturbance[0] = 0.5f;
        def.disturbance[2] = 2;
        def.risk = (hed_mppi_risk)risk;
        def.risk_level = 0.8f;
        compare_math(def, HED_MATH_STRICT, names[risk]);
        if (risk == 2) compare_math(def, HED_MATH_FAST, names[risk]);
    }
    hed_mppi_def def = cartpole_def(200, 9);
    def.disturbance[1] = 1;
    compare_math(def, HED_MATH_STRICT, "disturbed, one rollout");
    def.rollouts = 3;
    def.alpha = 0.3f;
    def.delay = 2;
    def.rate[0] = 30;
    def.smooth_weight = 0.2f;
    def.update = HED_MPPI_ELITE;
    compare_math(def, HED_MATH_STRICT, "all of it together");
}

/* Both systems in a sample, with feedback; three rounds: the candidates are chosen in the
 * second. */
Test(mppi_device, robust, .timeout = 300)
{
    hed_mppi_def def = cartpole_def(600, 15);
    def.kind = HED_MPPI_ROBUST;
    def.candidate_samples = 40;
    def.value_threshold = 300;
    for (int i = 0; i < 4; i++) def.track_state[i] = def.track_final[i] = 3;
    compare_math(def, HED_MATH_STRICT, "cartpole");
    def = arm_def(333, 11);
    def.kind = HED_MPPI_ROBUST;
    def.count = 2;
    def.candidates = 3;
    def.candidate_samples = 50;
    def.value_threshold = 12;
    def.alpha = 0.5f;
    def.delay = 2;
    def.rate[0] = 8;
    def.disturbance[1] = 1; /* of candidates alone */
    for (int i = 0; i < 3; i++) def.track_state[i] = def.track_final[i] = 2;
    compare(def, "a fleet with delay, rates and importance");
    def.delay = 0;
    def.sampler = HED_MPPI_COLOURED;
    def.exponent[0] = 1;
    compare_math(def, HED_MATH_STRICT, "coloured noise, candidates of fewer samples");
}

/* A model without a C function: its trajectory, and that it diverges, come from the device. */
Test(mppi_device, a_text_alone, .timeout = 300)
{
    static const char FAR[] = "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, "
                              "MPPI_WORLD w)\n{\n    x[0] = 1e30f * (x[0] + 1e9f * u[0]);\n}\n";
    static const char FREE[] =
        "MPPI_FUNCTION float term_free(const float *x, const float *u, int t, "
        "MPPI_WORLD w)\n{\n    return u[0];\n}\n";
    static outcome wanted;
    hed_mppi_solver solvers[3];
    uint32_t count = solvers_here(solvers);
    if (!count) return;
    hed_mppi_model model = arm, far = arm;
    hed_mppi_term term = lifted, free_term = {.name = "free", .text = FREE, .weight = 1};
    hed_mppi_def def = arm_def(120, 9);
    def.count = 2;
    def.delay = 2;
    def.math = HED_MATH_STRICT;
    solve(the_host(), &def, 3, &wanted);
    model.step = NULL;
    term.cost = NULL;
    def.model = &model;
    def.terms = &term;
    for (uint32_t i = 0; i < count; i++) compare_with(def, solvers[i], NULL, &wanted, "text alone");
    far.step = NULL;
    far.text = FAR;
    def = arm_def(64, 5);
    def.model = &far;
    def.terms = &free_term;
    for (uint32_t i = 0; i < count; i++) {
        const float x[3] = {1, 0, 0};
        hed_error error = {0};
        hed_mppi_stats stats;
        hed_mppi *c;
        def.solver = solvers[i];
        OK(hed_mppi_create(here.device, &def, &c, &error));
        OK(hed_mppi_solve(c, x, NULL, &stats, &error));
        EXPECT_EQ(stats.outcome, HED_MPPI_DIVERGED, "solver %d", (int)solvers[i]);
        EXPECT_EQ(hed_mppi_states(c, 0)[3], 1e30f * (1 + 1e9f * hed_mppi_controls(c, 0)[0]));
        hed_mppi_shift(c, 1);
        EXPECT_EQ(hed_mppi_controls(c, 0)[1], 0.0f, "the plan is forgotten");
        hed_mppi_destroy(c);
    }
}

/* All structures of tile.h, and sizes that do not divide each other. */
Test(mppi_device, structures, .timeout = 600)
{
    static const char *const choices[] = {"GROUP=64 SAMPLES=64 NOISE=1",
        "GROUP=128 SAMPLES=32 NOISE=0", "GROUP=128 SAMPLES=32 SPLIT=1 NOISE=0",
        "GROUP=64 SAMPLES=16 STORE=1 NOISE=1", "GROUP=64 SAMPLES=32 STORE=2 NOISE=0",
        "GROUP=64 SAMPLES=32 STORE=2 NOISE=1", "GROUP=416 SAMPLES=128 NOISE=0 UNROLL=1 MERGERS=1",
        "GROUP=128 SAMPLES=8 NOISE=0 MERGERS=8"};
    static outcome wanted;
    hed_mppi_solver solvers[3];
    uint32_t count = solvers_here(solvers);
    if (!count) return;
    hed_mppi_def def = arm_def(301, 9);
    solve(the_host(), &def, 1, &wanted);
    for (uint32_t i = 0; i < count; i++)
        for (size_t n = 0; n < HED_COUNT(choices); n++)
            compare_with(def, solvers[i], choices[n], &wanted, def.model->name);
}

/* Layers that a team of items shares out: the same bits, however many they are. */
Test(mppi_device, teams, .timeout = 600)
{
    static const char *const choices[] = {
        NULL, "TEAM=4 GROUP=128 SAMPLES=32 UNROLL=1", "TEAM=16 GROUP=512 SAMPLES=32 UNROLL=1"};
    static float weights[1412];
    static const hed_mppi_table network[] = {
        {.name = "network", .values = weights, .count = HED_COUNT(weights)}};
    static outcome wanted;
    bool lanes = hed_device_describe(here.device).capabilities & HED_CAN_LANES;
    if (is_host()) return;
    for (int i = 0; i < 1412; i++) weights[i] = 0.5f * sinf(7.3f * (float)i);
    hed_mppi_def def = cartpole_def(201, 9);
    def.model = hed_mppi_model_find("network");
    def.tables = network;
    def.table_count = 1;
    def.minimum[0] = def.minimum[1] = -1;
    def.maximum[0] = def.maximum[1] = 1;
    def.math = HED_MATH_STRICT;
    solve(the_host(), &def, 3, &wanted);
    for (size_t n = 0; n < (lanes ? HED_COUNT(choices) : 1); n++)
        compare_with(def, HED_MPPI_SOLVER_LAUNCHES, choices[n], &wanted, "a network");
    if (lanes) compare_with(def, HED_MPPI_SOLVER_PACKETS, NULL, &wanted, "a network");
    def.math = HED_MATH_FAST;
    solve(the_host(), &def, 1, &wanted);
    compare_with(def, HED_MPPI_SOLVER_LAUNCHES, NULL, &wanted, "a network");
}

/* Noise from outside, then another; all samples out; a table that changes. */
Test(mppi_device, changes, .timeout = 300)
{
    static float noise[2][7 * 3 * 64];
    hed_mppi_solver solvers[3];
    uint32_t count = solvers_here(solvers);
    hed_device *devices[4] = {the_host()};
    uint64_t hashes[4] = {0};
    for (int n = 0; n < 2; n++)
        for (uint32_t i = 0; i < HED_COUNT(noise[0]); i++)
            noise[n][i] = sinf((float)i * (n ? 0.7f : 1.3f));
    for (uint32_t i = 0; i <= count; i++) {
        const float x[3] = {0.1f, -0.2f, 0.3f}, others[] = {4, -2, 1, 0, 0, 2, 7};
        bool given = i == 0 || solvers[i - 1] != HED_MPPI_SOLVER_RESIDENT;
        hed_mppi_def def = arm_def(64, 7);
        hed_error error = {0};
        hed_mppi *c;
        def.math = HED_MATH_STRICT;
        def.sampler = HED_MPPI_GIVEN;
        if (!given) continue;
        if (i) devices[i] = here.device, def.solver = solvers[i - 1];
        OK(hed_mppi_create(devices[i], &def, &c, &error));
        for (int n = 0; n < 2; n++) {
            OK(hed_mppi_set_noise(c, noise[n], &error));
            OK(hed_mppi_solve(c, x, NULL, NULL, &error));
            hashes[i] = hashes[i] * 31 + hed_mppi_hash(c);
            OK(hed_mppi_post_table(c, "levels", others, 7, &error));
        }
        hed_mppi_destroy(c);
        EXPECT_EQ(hashes[i], hashes[0], "solver %d", i ? (int)solvers[i - 1] : 0);
    }
}

/* Trajectories for display: the same bits as the processor's, the first samples and the best. */
Test(mppi_device, traces, .timeout = 300)
{
    enum { SHOWN = 5, STEPS = 9 };
    static float states[2][SHOWN * (STEPS + 1) * 3], costs[2][SHOWN];
    if (is_host()) return;
    for (int best = 0; best < 2; best++) {
        for (int n = 0; n < 2; n++) {
            const float x[3] = {0.1f, -0.2f, 0.3f};
            hed_mppi_def def = arm_def(150, STEPS);
            hed_error error = {0};
            hed_mppi *c;
            def.math = HED_MATH_STRICT;
            def.alpha = 0.5f;
            def.rate[1] = 5;
            OK(hed_mppi_create(n ? here.device : the_host(), &def, &c, &error));
            OK(hed_mppi_solve(c, x, NULL, NULL, &error));
            OK(hed_mppi_trace(c, 0, SHOWN, best, states[n], costs[n], &error));
            OK(hed_mppi_solve(c, x, NULL, NULL, &error)); /* nothing is in its way */
            hed_mppi_destroy(c);
        }
        EXPECT_BYTES(states[1], states[0], sizeof states[0], "best %d", best);
        EXPECT_BYTES(costs[1], costs[0], sizeof costs[0], "best %d", best);
    }
}

/* The compiler's message names the user's file and counts its lines. */
Test(mppi_device, a_wrong_text_is_named, .timeout = 120)
{
    static const char wrong[] = "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, "
                                "MPPI_WORLD w)\n{\n    x[0] += dt * spede;\n}\n";
    hed_mppi_model model = arm;
    hed_mppi_def def = arm_def(64, 7);
    hed_error error = {0};
    hed_mppi *c = NULL;
    model.text = wrong;
    model.file = "wrong.h";
    def.model = &model;
    if (is_host()) return;
    FAILS(HED_ERROR_BUILD, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.log, "wrong.h") && strstr(error.log, "3") && strstr(error.log, "spede"),
        "%s\n%s", error.text, error.log);
    EXPECT_NULL(c);
    /* without its function, in the user's words on every device */
    model.text = "MPPI_FUNCTION void model_stp(float *x, const float *u, float dt, MPPI_WORLD w) {}\n";
    model.step = NULL;
    FAILS(HED_ERROR_BUILD, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.text, "wrong.h: there is no function model_step()"), "%s", error.text);
    hed_mppi_term term = lifted;
    term.text = "MPPI_FUNCTION float term_lift(const float *x) { return x[0]; }\n";
    term.file = "lift.h";
    def.model = &arm;
    def.terms = &term;
    FAILS(HED_ERROR_BUILD, hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(strstr(error.text, "lift.h: there is no function term_lifted()"), "%s", error.text);
    EXPECT_NULL(c);
}

Test(mppi_device, a_wrong_choice_is_refused)
{
    static const char *const choices[] = {
        "GROUPS=64", "GROUP=63", "GROUP", "SAMPLES=512 GROUP=64", "STORE=1 NOISE=0"};
    if (is_host()) return;
    for (size_t i = 0; i < HED_COUNT(choices); i++) {
        hed_mppi_def def = cartpole_def(64, 7);
        hed_error error = {0};
        hed_mppi *c = NULL;
        def.choice = choices[i];
        FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &c, &error));
        EXPECT_NULL(c);
    }
}

/* What was measured is what a controller takes from then on; another text is another problem, but
 * for its comments. */
Test(mppi_tune, what_was_measured_is_taken, .timeout = 300)
{
    hed_error error = {0};
    hed_context_def with = hed_default_context_def();
    with.database = in_folder("tuning.db");
    test_device t = test_open(&with);
    hed_mppi_def def = cartpole_def(256, 10);
    hed_tune_def how = hed_default_tune_def();
    hed_tune_result *result = NULL;
    hed_mppi *c;
    how.evaluations = 8;
    if (strcmp(hed_device_describe(t.device).backend, "host") == 0) {
        FAILS(HED_ERROR_UNSUPPORTED, hed_mppi_tune(t.device, &def, &how, &result, &error));
        test_close(&t);
        return;
    }
    OK(hed_mppi_tune(t.device, &def, &how, &result, &error));
    CHECK_LT(result->best, result->count, "nothing worked");
    static char text[1 << 16];
    hed_mppi_model commented = *def.model;
    snprintf(text, sizeof text, "/* a remark */\n%s", commented.text);
    commented.text = text;
    for (int other = 0; other < 3; other++) {
        if (other == 1) def.model = &commented;
        if (other == 2) def.delay = 3;
        OK(hed_mppi_create(t.device, &def, &c, &error));
        EXPECT_EQ(hed_mppi_describe(c).origin, other == 2 ? HED_ORIGIN_DEFAULT : HED_ORIGIN_EXACT,
            "%d", other);
        hed_mppi_destroy(c);
    }
    hed_tune_result_free(result);
    def.math = HED_MATH_STRICT;
    FAILS(HED_ERROR_UNSUPPORTED, hed_mppi_tune(t.device, &def, &how, &result, &error));
    test_close(&t);
}
