/* ctest: devices */
/* Limits and rates hold for every kind of controller, for a robot already in motion, for controls
 * that are switched off, after a failure and between two solves. */
#include <math.h>

#include "model/controller.h"
#include "mppi_make.h"

TestSuite(mppi_limits, .init = here_open, .fini = here_close);

static const char *const kinds[] = {"mppi", "tube", "rmppi"};
static const hed_mppi_setting goal[] = {{"goal.x", 5}};

static hed_mppi_def drive_def(int kind)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = hed_mppi_term_find("goal");
    def.term_count = 1;
    def.settings = goal;
    def.setting_count = 1;
    def.kind = (hed_mppi_kind)kind;
    def.samples = 128;
    def.steps = 20;
    def.lambda = 0.1f;
    def.nominal_threshold = -1e30f;
    def.value_threshold = 1e30f;
    def.candidates = 3;
    def.candidate_samples = 16;
    def.math = HED_MATH_STRICT;
    return def;
}

/* Change that a control may make after `before`. */
static void expect_reach(
    const hed_mppi_def *def, const float *u, const float *before, const char *where, int step)
{
    for (uint32_t i = 0; i < 2; i++) {
        float up = def->rate[i] * def->dt,
              down = def->deceleration[i] > 0 ? def->deceleration[i] * def->dt : up;
        float low = before[i] - (before[i] > 0 ? down : up),
              high = before[i] + (before[i] < 0 ? down : up);
        EXPECT(u[i] >= low - 1e-6f && u[i] <= high + 1e-6f, "%s, step %d, control %u: %g after %g",
            where, step, i, (double)u[i], (double)before[i]);
        EXPECT(u[i] >= def->minimum[i] && u[i] <= def->maximum[i], "%s, step %d, control %u: %g",
            where, step, i, (double)u[i]);
    }
}

/* The plant is thrown off its path, so that feedback wants more than the rates allow. */
Test(mppi_limits, rates_hold_for_every_kind, .timeout = 240)
{
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        hed_mppi_def def = drive_def(kind);
        def.rate[0] = 0.3f;
        def.rate[1] = 2;
        def.deceleration[0] = 1;
        hed_mppi *c = make(&def);
        hed_error error = {0};
        const hed_mppi_def *full = hed_mppi_describe(c).def;
        float x[5] = {0, 0, 0, 0.3f, 0}, u[2], between[2], before[2] = {0.3f, 0};
        for (int step = 0; step < 25; step++) {
            OK(hed_mppi_solve(c, x, u, NULL, &error));
            expect_reach(full, u, before, kinds[kind], step);
            for (float s = 0; s < 0.05f; s += 0.01f) {
                float thrown[5] = {x[0], x[1] + 1, x[2] + 1, x[3], x[4]};
                hed_mppi_control_at(c, 0, s, thrown, between);
                for (int i = 0; i < 2; i++)
                    EXPECT_LE(fabsf(between[i] - u[i]), (i ? 2 : 1) * s + 1e-6f);
            }
            memcpy(before, u, sizeof u);
            mppi_step(c, x, u);
            x[1] += 0.2f * sinf((float)step);
            x[2] += 0.5f * cosf((float)step);
            hed_mppi_shift(c, 1);
        }
        hed_mppi_destroy(c);
    }
}

/* Rollouts of all samples keep the rates, too: RMPPI's real system in particular. */
Test(mppi_limits, plans_keep_rates)
{
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        hed_mppi_def def = drive_def(kind);
        def.rate[0] = 0.3f;
        def.rate[1] = 2;
        def.smooth = false;
        hed_mppi *c = make(&def);
        hed_error error = {0};
        float x[5] = {0}, u[2];
        for (int step = 0; step < 4; step++) {
            OK(hed_mppi_solve(c, x, u, NULL, &error));
            const float *mean = c->mean, *past = c->pasts + (c->past - 1) * 2;
            for (uint32_t j = 0; j < 2 * c->def.steps; j++) {
                float before = j < 2 ? past[j] : mean[j - 2];
                EXPECT_LE(fabsf(mean[j] - before), (j % 2 ? 2 : 0.3f) * 0.05f + 1e-5f, "%s, %u",
                    kinds[kind], j);
            }
            x[1] += 0.3f; /* away from the nominal state */
            hed_mppi_shift(c, 1);
        }
        hed_mppi_destroy(c);
    }
}

Test(mppi_limits, a_robot_in_motion_is_not_torn)
{
    hed_mppi_def def = drive_def(0);
    def.rate[0] = 0.3f;
    hed_mppi *c = make(&def);
    hed_error error = {0};
    float x[5] = {0, 0, 0, 0.5f, 0}, u[2], real[2] = {0.2f, NAN};
    OK(hed_mppi_solve(c, x, u, NULL, &error));
    EXPECT_GE(u[0], 0.5f - 0.3f * 0.05f - 1e-6f); /* the measured speed is its history */
    hed_mppi_shift(c, 1);
    hed_mppi_set_applied(c, real); /* somebody else has braked */
    OK(hed_mppi_solve(c, x, u, NULL, &error));
    EXPECT_LE(fabsf(u[0] - 0.2f), 0.3f * 0.05f + 1e-6f);
    real[0] = 0.1f;
    hed_mppi_set_applied(c, real); /* before the shift, too */
    hed_mppi_shift(c, 1);
    OK(hed_mppi_solve(c, x, u, NULL, &error));
    EXPECT_LE(fabsf(u[0] - 0.1f), 0.3f * 0.05f + 1e-6f);
    hed_mppi_destroy(c);
}

Test(mppi_limits, limits_of_zero_switch_a_control_off)
{
    hed_mppi_def def = drive_def(0);
    hed_error error = {0};
    float x[5] = {0}, u[2];
    def.limits_given = 2;
    def.sigma[0] = 0.2f;
    def.alpha = 0;
    hed_mppi *c = make(&def);
    OK(hed_mppi_solve(c, x, u, NULL, &error));
    for (uint32_t t = 0; t < 20; t++) EXPECT_EQ(hed_mppi_controls(c, 0)[2 * t + 1], 0);
    hed_mppi_destroy(c);
    def.limits_given = 0; /* sigma 0 alone: within the model's limits, and never sampled */
    c = make(&def);
    EXPECT_EQ(hed_mppi_describe(c).def->maximum[1], 1.9f);
    OK(hed_mppi_solve(c, x, u, NULL, &error));
    EXPECT_GT(hed_mppi_controls(c, 0)[2 * 10], 0.0f);
    for (uint32_t t = 0; t < 20; t++) EXPECT_EQ(hed_mppi_controls(c, 0)[2 * t + 1], 0);
    hed_mppi_destroy(c);
}

/* A failure empties the plan; the actuators still only follow at their rates. */
Test(mppi_limits, rates_hold_through_failures)
{
    if (strcmp(hed_device_describe(here.device).backend, "host")) return;
    static const hed_mppi_setting lethal[] = {{"barrier.low.x", 1}, {"barrier.high.x", 2}};
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        hed_mppi_def def = drive_def(kind);
        def.terms = hed_mppi_term_find("barrier");
        def.settings = lethal;
        def.setting_count = 2;
        def.rate[0] = def.rate[1] = 0.3f;
        hed_mppi *c = make(&def);
        hed_error error = {0};
        hed_mppi_stats stats;
        float x[5] = {1.5f, 0, 0, 0.4f, 0}, u[2], before[2] = {0.4f, 0};
        for (int step = 0; step < 12; step++) {
            x[0] = step % 4 == 3 ? -100 : 1.5f;
            OK(hed_mppi_solve(c, x, u, &stats, &error));
            if (step % 4 == 3) EXPECT_EQ(stats.outcome, HED_MPPI_ALL_CRASHED, "%s", kinds[kind]);
            expect_reach(hed_mppi_describe(c).def, u, before, kinds[kind], step);
            memcpy(before, u, sizeof u);
            hed_mppi_shift(c, 1);
        }
        hed_mppi_destroy(c);
    }
}

/* ---- equal costs at a limit ---- */

static void stay(float *x, const float *u, float dt, const hed_mppi_world *world)
{
    (void)x, (void)u, (void)dt, (void)world;
}
static float nothing(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    (void)x, (void)u, (void)t, (void)world;
    return 0;
}

/* Plan of the last step after `solves`, from 1, the upper limit, at equal costs; `sigma` times the limit. */
static float drift(float sigma, float alpha, uint32_t samples, int solves)
{
    const hed_mppi_model model = {.name = "still",
        .states = 1,
        .controls = 1,
        .step = stay,
        .pose_x = -1,
        .pose_y = -1,
        .pose_heading = -1,
        .speed = -1,
        .turn = -1,
        .velocity_x = -1,
        .velocity_y = -1};
    const hed_mppi_term term = {.name = "nothing", .cost = nothing, .weight = 1};
    hed_mppi_def def = hed_default_mppi_def();
    hed_error error = {0};
    float x[1] = {0}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    def.model = &model;
    def.terms = &term;
    def.term_count = 1;
    def.samples = samples;
    def.steps = 8;
    def.dt = 0.1f;
    def.pure_noise = 0;
    def.committed = 0;
    def.smooth = false;
    def.alpha = alpha;
    def.sigma[0] = sigma;
    def.minimum[0] = -1;
    def.maximum[0] = 1;
    hed_mppi *c = make(&def);
    hed_mppi_reset(c, ones);
    for (int n = 0; n < solves; n++) OK(hed_mppi_solve(c, x, NULL, NULL, &error));
    float u = hed_mppi_controls(c, 0)[7];
    hed_mppi_destroy(c);
    return u;
}

/* docs/mppi.md, "Samplers": the mean of clipped samples, without importance correction 0.4 sigma from the limit
 * after one solve; with it the prior's mean, as far as the samples reach. */
Test(mppi_limits, a_plan_at_a_limit_drifts_as_documented)
{
    if (strcmp(hed_device_describe(here.device).backend, "host")) return;
    static const float sigmas[] = {0.05f, 0.18f, 0.5f};
    for (size_t i = 0; i < HED_COUNT(sigmas); i++)
        EXPECT_NEAR(drift(sigmas[i], 1, 4096, 1), 1 - 0.39894f * sigmas[i], 0.02f * sigmas[i]);
    EXPECT_NEAR(drift(0.18f, 1, 4096, 10), 0.763f, 0.01f);
    EXPECT_NEAR(drift(0.5f, 1, 4096, 10), 0.344f, 0.02f);
    EXPECT_NEAR(drift(0.18f, 0.95f, 4096, 10), 0.536f, 0.02f);
    EXPECT_NEAR(drift(0.18f, 0, 4096, 10), 0, 0.02f);
}
