/* A bad parameter for one solve does not outlive it; horizons of one step; RMPPI reports that no
 * candidate met its threshold; collisions of all futures. */
#include <math.h>

#include "model/controller.h"
#include "mppi_make.h"

TestSuite(mppi_recovery, .init = here_open, .fini = here_close);

static hed_mppi_def quadratic_def(const char *model, int kind)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find(model);
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.kind = (hed_mppi_kind)kind;
    def.samples = 64;
    def.steps = 10;
    def.candidates = 3;
    def.candidate_samples = 16;
    return def;
}

/* Sets a parameter for one solve; returns the number of solves, up to 3 T, after which the
 * controller does not solve. */
static uint32_t solves_to_recover(hed_mppi *c, uint32_t parameter, float broken, float right)
{
    hed_error error = {0};
    hed_mppi_stats stats;
    const hed_mppi_model *model = hed_mppi_describe(c).def->model;
    float x[HED_MPPI_MAX_STATES], u[HED_MPPI_MAX_CONTROLS];
    uint32_t last = 0, steps = hed_mppi_describe(c).def->steps;
    memcpy(x, model->start, sizeof x);
    for (uint32_t n = 0; n < 3 + 3 * steps; n++) {
        if (n == 3) CHECK(hed_mppi_post(c, parameter, broken));
        if (n == 4) CHECK(hed_mppi_post(c, parameter, right));
        OK(hed_mppi_solve(c, x, u, &stats, &error));
        for (uint32_t i = 0; i < model->controls; i++)
            EXPECT(fabsf(u[i]) < 1e30f, "%s: %g", model->name, (double)u[i]);
        if (n > 3 && stats.outcome != HED_MPPI_SOLVED) last = n - 3;
        bool far = false;
        mppi_step(c, x, u);
        for (uint32_t i = 0; i < model->states; i++) far = far || !(fabsf(x[i]) < 1e3f);
        if (far) memcpy(x, model->start, sizeof x);
        hed_mppi_shift(c, 1);
    }
    return last;
}

Test(mppi_recovery, one_bad_parameter_does_not_stay, .timeout = 240)
{
    static const char *const models[] = {"cartpole", "pendulum", "bicycle", "quadrotor"};
    static const float broken[] = {0, -1, 1e-30f, 1e30f, 3e38f};
    for (size_t m = 0; m < HED_COUNT(models); m++)
        for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
            hed_mppi_def def = quadratic_def(models[m], kind);
            for (uint32_t p = 0; p < def.model->parameter_count; p++)
                for (size_t b = 0; b < HED_COUNT(broken); b++) {
                    hed_mppi *c = make(&def);
                    float right;
                    hed_mppi_parameter_at(c, p, &right);
                    EXPECT_LE(solves_to_recover(c, p, broken[b], right), def.steps,
                        "%s, kind %d, parameter %u, %g", models[m], kind, p, (double)broken[b]);
                    hed_mppi_destroy(c);
                }
        }
}

Test(mppi_recovery, a_horizon_of_one_step_is_sampled)
{
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        static const hed_mppi_setting goal[] = {{"quadratic.goal.vx", 5}};
        hed_mppi_def def = quadratic_def("double_integrator", kind);
        hed_error error = {0};
        float x[4] = {0}, u[2], between[2];
        def.settings = goal;
        def.setting_count = 1;
        def.steps = 1;
        def.lambda = 0.01f;
        def.pure_noise = 0;
        hed_mppi *c = make(&def);
        for (int n = 0; n < 20; n++) {
            OK(hed_mppi_solve(c, x, u, NULL, &error));
            hed_mppi_shift(c, 1);
        }
        EXPECT_GT(u[0], 1.0f, "kind %d", kind);
        hed_mppi_control_at(c, 0, 0.01f, x, between);
        EXPECT(isfinite(between[0]), "%g", (double)between[0]);
        hed_mppi_destroy(c);
    }
}

Test(mppi_recovery, a_threshold_that_nobody_meets_is_reported)
{
    for (int met = 0; met < 2; met++) {
        hed_mppi_def def = quadratic_def("double_integrator", HED_MPPI_ROBUST);
        hed_error error = {0};
        hed_mppi_stats stats;
        float x[4] = {3, 0, 0, 0};
        def.value_threshold = met ? 1e20f : -1e20f;
        hed_mppi *c = make(&def);
        OK(hed_mppi_solve(c, x, NULL, &stats, &error));
        EXPECT(!stats.over_threshold, "there was no candidate yet");
        hed_mppi_shift(c, 1);
        OK(hed_mppi_solve(c, x, NULL, &stats, &error));
        EXPECT_EQ(stats.over_threshold, !met);
        hed_mppi_destroy(c);
    }
}

/* A robot amid a wall: all futures are in collision, unless the scene gives that a finite cost. */
Test(mppi_recovery, collisions_of_all_futures_are_a_failure)
{
    static const float wall[8 + 9] = {3, 3, -5, -5, 0.2f, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const float near[8 + 9] = {3, 3, -5, -5, 0.2f};
    static const float discs[8] = {1, 1, 1, 0, 0, 0, 5, 0};
    static const char *const names[] = {"costmap", "clearance", "obstacles", "barrier"};
    for (size_t k = 0; k < HED_COUNT(names); k++)
        for (int finite = 0; finite < 2; finite++) {
            char crash[32];
            snprintf(crash, sizeof crash, "%s.crash", names[k]);
            const hed_mppi_setting settings[] = {
                {crash, finite ? 1000 : 0}, {"barrier.low.x", 100}, {"barrier.high.x", 101}};
            const hed_mppi_table tables[] = {{.name = "costmap", .values = wall, .count = 17},
                {.name = "distance", .values = near, .count = 17},
                {.name = "obstacles", .values = discs, .count = 8}};
            hed_mppi_def def = quadratic_def("differential_drive", HED_MPPI_PLAIN);
            hed_error error = {0};
            hed_mppi_stats stats;
            float x[5] = {0};
            def.terms = hed_mppi_term_find(names[k]);
            def.tables = tables;
            def.table_count = 3;
            def.settings = settings;
            def.setting_count = k == 3 ? 3 : 1;
            hed_mppi *c = make(&def);
            OK(hed_mppi_solve(c, x, NULL, &stats, &error));
            EXPECT_EQ(
                stats.outcome, finite ? HED_MPPI_SOLVED : HED_MPPI_ALL_CRASHED, "%s", names[k]);
            EXPECT_EQ(stats.crashed, finite ? 0.0f : 1.0f, "%s", names[k]);
            hed_mppi_destroy(c);
        }
}
