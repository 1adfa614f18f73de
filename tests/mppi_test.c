/* ctest: devices=host */
/* Model-predictive path integral control against closed forms: the checks of the literature. */
#include <math.h>

#include "fixture.h"
#include "heddle/mppi.h"

TestSuite(mppi, .init = here_open, .fini = here_close);

/* ---- a scalar whose next state is its control: everything is known ---- */

static void scalar_step(float *x, const float *u, float dt, const hed_mppi_world *world)
{
    (void)dt, (void)world;
    x[0] = u[0];
}

static float scalar_cost(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    (void)u, (void)t, (void)world;
    return (x[0] - 3) * (x[0] - 3);
}

static const hed_mppi_model scalar = {.name = "scalar",
    .states = 1,
    .controls = 1,
    .text = "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)\n"
            "{\n"
            "    x[0] = u[0];\n"
            "}\n",
    .step = scalar_step,
    .pose_x = -1,
    .pose_y = -1,
    .pose_heading = -1,
    .speed = -1,
    .sigma = {1},
    .dt = 1};
static const hed_mppi_term parabola = {.name = "parabola",
    .text =
        "MPPI_FUNCTION float term_parabola(const float *x, const float *u, int t, MPPI_WORLD w)\n"
        "{\n"
        "    return mppi_square(x[0] - 3.0f);\n"
        "}\n",
    .cost = scalar_cost,
    .weight = 1};

static hed_mppi_def scalar_def(uint32_t samples)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = &scalar;
    def.terms = &parabola;
    def.term_count = 1;
    def.samples = samples;
    def.steps = 1;
    def.lambda = 0.5f;
    def.scale = HED_MPPI_SUM;
    def.pure_noise = 0;
    def.keep_plan = false;
    def.committed = 0;
    return def;
}

/* With v ~ N(u, 1) and J = (v - 3)^2 the update is (u / s^2 + c g / l) / (1 / s^2 + c / l), c = 2,
 * g = 3, l = 0.5: 2.4 from u = 0. From u = 1.5 it is 2.4 with the importance correction, as that
 * makes the result independent of u, 2.7 without, and 3.0 with its sign wrong. Free energy:
 * l/2 ln(1 + c s^2 / l) + c g^2 / (2 (1 + c s^2 / l)) = 2.2024. */
Test(mppi, gaussian_quadratic_closed_form, .timeout = 240)
{
    const struct {
        float u, alpha, wanted;
    } cases[] = {{0, 0, 2.4f}, {1.5f, 0, 2.4f}, {1.5f, 1, 2.7f}};
    for (int i = 0; i < 3; i++) {
        float mean = 0, energy = 0;
        for (uint64_t seed = 1; seed <= 4; seed++) {
            hed_mppi_def def = scalar_def(1 << 20);
            def.alpha = cases[i].alpha;
            def.seed = seed;
            hed_mppi *controller;
            hed_error error = {0};
            hed_mppi_stats stats;
            float x = 0, u;
            OK(hed_mppi_create(here.device, &def, &controller, &error));
            hed_mppi_reset(controller, &cases[i].u);
            OK(hed_mppi_solve(controller, &x, &u, &stats, &error));
            mean += u / 4;
            energy += stats.free_energy / 4;
            hed_mppi_destroy(controller);
        }
        EXPECT_NEAR(mean, cases[i].wanted, 0.005f, "u %g alpha %g", cases[i].u, cases[i].alpha);
        if (cases[i].alpha == 0) EXPECT_NEAR(energy, 2.2024f, 0.005f);
    }
}

/* ---- the cartpole's swing-up: MPPI-Generic's own test ---- */

/* Weights [100, 10, 200, 20] to [-20, 0, pi, 0], Euler steps of 0.01 s, sigma 5, lambda 0.25 of the
 * mean: after 1,000 steps the baseline is below 1, upright and in place. */
Test(mppi, cartpole_swings_up, .timeout = 240)
{
    static const hed_mppi_setting settings[] = {{"quadratic.state.x", 100},
        {"quadratic.state.velocity", 10}, {"quadratic.state.theta", 200},
        {"quadratic.state.rate", 20}, {"quadratic.goal.x", -20},
        {"quadratic.goal.theta", 3.14159265f}, {"quadratic.control.force", 0}};
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("cartpole");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = HED_COUNT(settings);
    def.samples = 2048;
    def.dt = 0.01f;
    def.lambda = 0.25f;
    def.sigma[0] = 5;
    def.minimum[0] = -3e38f;
    def.maximum[0] = 3e38f;
    hed_mppi *controller;
    hed_error error = {0};
    hed_mppi_stats stats;
    OK(hed_mppi_create(here.device, &def, &controller, &error));
    float x[4] = {0}, u;
    for (int step = 0; step < 1000; step++) {
        OK(hed_mppi_solve(controller, x, &u, &stats, &error));
        CHECK_EQ(stats.outcome, HED_MPPI_SOLVED);
        memcpy(x, hed_mppi_states(controller, 0) + 4, sizeof x); /* the model is the plant */
        hed_mppi_shift(controller, 1);
    }
    EXPECT_LT(stats.baseline, 1.0f);
    EXPECT_NEAR(x[2], 3.14159265f, 0.02f, "angle");
    EXPECT_NEAR(x[0], -20.0f, 0.05f, "position");
    hed_mppi_destroy(controller);
}

/* ---- what goes wrong ---- */

static float crash_cost(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    (void)u, (void)t, (void)world;
    return x[0] > 0 ? NAN : (x[0] + 3) * (x[0] + 3);
}
static float infinite_cost(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    (void)u, (void)t, (void)x, (void)world;
    return INFINITY;
}

Test(mppi, crashed_samples_have_no_weight)
{
    static const hed_mppi_term crash = {.name = "crash",
        .text = "MPPI_FUNCTION float term_crash(const float *x, const float *u, int t, "
                "MPPI_WORLD w)\n"
                "{\n"
                "    return x[0] > 0.0f ? NAN : mppi_square(x[0] + 3.0f);\n"
                "}\n",
        .cost = crash_cost,
        .weight = 1};
    hed_mppi_def def = scalar_def(1 << 16);
    def.terms = &crash;
    hed_mppi *controller;
    hed_error error = {0};
    hed_mppi_stats stats;
    float x = 0, u;
    OK(hed_mppi_create(here.device, &def, &controller, &error));
    OK(hed_mppi_solve(controller, &x, &u, &stats, &error));
    EXPECT_EQ(stats.outcome, HED_MPPI_SOLVED);
    EXPECT_NEAR(stats.crashed, 0.5f, 0.01f);
    EXPECT_LT(u, -2.0f);
    hed_mppi_destroy(controller);
}

Test(mppi, all_crashed_keeps_the_plan_and_resets_the_next)
{
    static const hed_mppi_term infinite = {.name = "infinite",
        .text = "MPPI_FUNCTION float term_infinite(const float *x, const float *u, int t, "
                "MPPI_WORLD w)\n"
                "{\n"
                "    return INFINITY;\n"
                "}\n",
        .cost = infinite_cost,
        .weight = 1};
    hed_mppi_def def = scalar_def(4096);
    float plan[20], x = 0, u;
    def.terms = &infinite;
    def.steps = 20;
    for (int i = 0; i < 20; i++) plan[i] = 1.5f;
    hed_mppi *controller;
    hed_error error = {0};
    hed_mppi_stats stats;
    OK(hed_mppi_create(here.device, &def, &controller, &error));
    hed_mppi_reset(controller, plan);
    OK(hed_mppi_solve(controller, &x, &u, &stats, &error));
    EXPECT_EQ(stats.outcome, HED_MPPI_ALL_CRASHED);
    EXPECT_EQ(stats.crashed, 1.0f);
    EXPECT_EQ(u, 1.5f);
    hed_mppi_shift(controller, 1);
    EXPECT_EQ(hed_mppi_controls(controller, 0)[0], 0.0f);
    hed_mppi_destroy(controller);
}

Test(mppi, wrong_definitions_are_named)
{
    hed_error error = {0};
    hed_mppi *controller;
    hed_mppi_def def = scalar_def(64);
#define REFUSED(change, word) \
    do { \
        def = scalar_def(64); \
        change; \
        FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &controller, &error)); \
        EXPECT(strstr(error.text, word), "%s", error.text); \
    } while (0)
    hed_mppi_model silent = scalar;
    silent.sigma[0] = 0;
    REFUSED(def.model = NULL, "model");
    REFUSED(def.model = &silent, "sigma");
    REFUSED(def.sigma[0] = -1, "sigma");
    REFUSED(def.dt = -0.1f, "dt");
    REFUSED(def.dt = NAN, "dt");
    REFUSED(def.steps = 0, "steps");
    REFUSED(def.samples = 0, "samples");
    REFUSED(def.lambda = 0, "lambda");
    REFUSED(def.alpha = 2, "alpha");
    REFUSED(def.rate[0] = -1, "rate");
    REFUSED((def.minimum[0] = 1, def.maximum[0] = -1), "minimum");
    static const hed_mppi_setting none = {"parabola.height", 1};
    REFUSED((def.settings = &none, def.setting_count = 1), "parabola.height");
    def = scalar_def(64);
    OK(hed_mppi_create(here.device, &def, &controller, &error));
    float x = NAN;
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_solve(controller, &x, NULL, NULL, &error));
    hed_mppi_destroy(controller);
}

/* ---- limits ---- */

Test(mppi, limits_and_rates_hold)
{
    hed_mppi_def def = scalar_def(4096);
    def.steps = 30;
    def.dt = 0.1f;
    def.minimum[0] = -0.5f;
    def.maximum[0] = 1;
    def.rate[0] = 2;
    hed_mppi *controller;
    hed_error error = {0};
    OK(hed_mppi_create(here.device, &def, &controller, &error));
    float x = 0, u, before = 0;
    for (int step = 0; step < 20; step++) {
        OK(hed_mppi_solve(controller, &x, &u, NULL, &error));
        const float *plan = hed_mppi_controls(controller, 0);
        for (int t = 0; t < 30; t++) {
            float last = t ? plan[t - 1] : before;
            CHECK_LE(plan[t], 1.0f);
            CHECK_GE(plan[t], -0.5f);
            CHECK_LE(fabsf(plan[t] - last), 0.2f * 1.00001f, "step %d of solve %d", t, step);
        }
        before = u;
        hed_mppi_shift(controller, 1);
    }
    EXPECT_GT(u, 0.8f, "it wants 3 and gets near the limit");
    hed_mppi_destroy(controller);
}
