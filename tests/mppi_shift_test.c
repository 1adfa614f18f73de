/* Shifts by a part of a step: the plan, its history, nominal states and rates, against closed forms. */
#include <math.h>

#include "model/controller.h"
#include "mppi_make.h"

TestSuite(mppi_shift, .init = here_open, .fini = here_close);

enum { STEPS = 12 };

static hed_mppi_def drive_def(int kind)
{
    static const hed_mppi_setting goal[] = {{"goal.x", 5}, {"goal.y", 2}};
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = hed_mppi_term_find("goal");
    def.term_count = 1;
    def.settings = goal;
    def.setting_count = 2;
    def.kind = (hed_mppi_kind)kind;
    def.samples = 128;
    def.steps = STEPS;
    def.dt = 0.05f;
    def.lambda = 0.1f;
    def.nominal_threshold = -1e30f;
    def.value_threshold = 1e30f;
    def.candidates = 3;
    def.candidate_samples = 16;
    return def;
}

/* A plan that is linear in time within limits of 0.5, or has no pattern. */
static void fill_plan(float *plan, bool linear)
{
    for (int t = 0; t < STEPS; t++)
        for (int i = 0; i < 2; i++)
            plan[2 * t + i] = linear ? 0.1f * (float)(i + 1) + 0.01f * (float)t
                                     : 0.2f * sinf(5 * (float)(t * t) + (float)i);
}

Test(mppi_shift, a_linear_plan_is_read_at_a_later_time)
{
    hed_mppi_def def = drive_def(0);
    hed_mppi *c = make(&def);
    float plan[2 * STEPS];
    fill_plan(plan, true);
    hed_mppi_reset(c, plan);
    for (int third = 1; third <= 4; third++) {
        hed_mppi_shift_seconds(c, (double)def.dt / 3);
        const float *u = hed_mppi_controls(c, 0);
        for (int t = 0; t + 2 < STEPS; t++)
            for (int i = 0; i < 2; i++)
                EXPECT_LE(fabsf(u[2 * t + i] - (plan[2 * t + i] + 0.01f * (float)third / 3)), 1e-6f,
                    "%d thirds, step %d", third, t);
    }
    hed_mppi_destroy(c);
}

/* For any plan, several shifts are one by their sum; whole ones give the bits of whole steps. */
Test(mppi_shift, several_shifts_are_one)
{
    static const double parts[][4] = {
        {1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.25, 0.75, 1}, {2.0 / 3, 2.0 / 3}, {0.1, 0, 2.4}, {40}};
    for (int smooth = 0; smooth < 2; smooth++) {
        hed_mppi_def def = drive_def(0);
        def.smooth_weight = smooth ? 0.1f : 0;
        def.tail = smooth ? HED_MPPI_ZERO : HED_MPPI_HOLD;
        hed_mppi *several = make(&def), *one = make(&def);
        hed_error error = {0};
        const float x[5] = {0};
        for (size_t n = 0; n < HED_COUNT(parts); n++) {
            double all = 0;
            hed_mppi_reset(several, NULL);
            hed_mppi_reset(one, NULL);
            OK(hed_mppi_solve(several, x, NULL, NULL, &error));
            OK(hed_mppi_solve(one, x, NULL, NULL, &error));
            for (int i = 0; i < 4; all += parts[n][i++])
                hed_mppi_shift_seconds(several, parts[n][i] * (double)def.dt);
            if (fabs(all - round(all)) < 1e-9) hed_mppi_shift(one, (uint32_t)round(all));
            else hed_mppi_shift_seconds(one, all * (double)def.dt);
            for (int j = 0; j < 2 * STEPS; j++)
                EXPECT_LE(fabsf(several->plan[j] - one->plan[j]), 1e-6f, "%zu, %d", n, j);
            for (int j = 0; j < 4; j++)
                EXPECT_LE(fabsf(several->pasts[j] - one->pasts[j]), 1e-6f, "past, %zu, %d", n, j);
            for (int j = 0; smooth && j < 2 * STEPS; j++)
                EXPECT_LE(fabsf(several->drive[j] - one->drive[j]), 1e-6f, "drive, %zu, %d", n, j);
            EXPECT_LE(fabsf(several->shift.since - one->shift.since), 1e-6f);
        }
        hed_mppi_destroy(several);
        hed_mppi_destroy(one);
    }
}

Test(mppi_shift, the_history_is_shifted_with_the_plan)
{
    hed_mppi_def def = drive_def(0);
    hed_mppi *c = make(&def);
    hed_error error = {0};
    const float x[5] = {0}, measured[2] = {0.07f, -0.3f};
    float before[4], plan[2 * STEPS], first[2];
    OK(hed_mppi_solve(c, x, first, NULL, &error));
    hed_mppi_shift(c, 1);
    OK(hed_mppi_solve(c, x, first, NULL, &error));
    memcpy(before, c->pasts, sizeof before);
    memcpy(plan, c->plan, sizeof plan);
    hed_mppi_shift_seconds(c, 0.25 * (double)def.dt);
    for (int i = 0; i < 2; i++) {
        EXPECT_LE(fabsf(c->pasts[i] - (0.75f * before[i] + 0.25f * before[2 + i])), 1e-6f);
        EXPECT_LE(fabsf(c->pasts[2 + i] - (0.75f * before[2 + i] + 0.25f * first[i])), 1e-6f);
        EXPECT_EQ(c->shift.controls[i], first[i], "the control that was applied is still held");
    }
    EXPECT_LE(fabsf(c->shift.since - 0.25f), 1e-6f);
    hed_mppi_shift_seconds(c, (double)def.dt);
    for (int i = 0; i < 2; i++)
        EXPECT_EQ(c->shift.controls[i], plan[2 + i], "now it is the plan's next one");
    hed_mppi_set_applied(c, measured);
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(c->shift.controls[i], measured[i]);
        EXPECT_EQ(c->pasts[2 + i], measured[i]);
    }
    memcpy(plan, c->plan, sizeof plan);
    hed_mppi_shift_seconds(c, NAN);
    hed_mppi_shift_seconds(c, -1);
    hed_mppi_shift_seconds(c, 0);
    hed_mppi_shift(c, 0);
    hed_mppi_shift_seconds(NULL, 1);
    EXPECT(memcmp(plan, c->plan, sizeof plan) == 0, "no time, no shift");
    hed_mppi_destroy(c);
}

/* A loop of 30 Hz on steps of 0.05 s: no control leaves the reach of the one before it. */
Test(mppi_shift, rates_hold_over_the_period, .timeout = 240)
{
    for (int kind = 0; kind < HED_MPPI_KIND_COUNT; kind++) {
        hed_mppi_def def = drive_def(kind);
        def.rate[0] = 0.6f;
        def.rate[1] = 2;
        def.deceleration[0] = 1.5f;
        hed_mppi *c = make(&def);
        hed_error error = {0};
        const float period = 1.0f / 30, x_start[5] = {0, 0, 0, 0.3f, 0};
        float x[5], u[2], before[2] = {0.3f, 0}, since = 0.05f;
        memcpy(x, x_start, sizeof x);
        for (int cycle = 0; cycle < 40; cycle++) {
            OK(hed_mppi_solve(c, x, u, NULL, &error));
            for (int i = 0; i < 2; i++) {
                float up = since * def.rate[i], down = i ? up : since * def.deceleration[0];
                float low = before[i] - (before[i] > 0 ? down : up),
                      high = before[i] + (before[i] < 0 ? down : up);
                EXPECT(u[i] >= low - 1e-6f && u[i] <= high + 1e-6f, "%d, cycle %d: %g after %g",
                    kind, cycle, (double)u[i], (double)before[i]);
            }
            memcpy(before, u, sizeof u);
            since = period;
            const hed_mppi_world world = mppi_model_world(c, 0);
            c->model.step(x, u, period, &world);
            x[1] += 0.1f * sinf((float)cycle);
            hed_mppi_shift_seconds(c, (double)period);
        }
        hed_mppi_destroy(c);
    }
}

/* The nominal state is between the states of two steps, an angle by the shorter turn. */
Test(mppi_shift, nominal_states_are_interpolated)
{
    hed_mppi_def def = drive_def(HED_MPPI_TUBE);
    hed_mppi *c = make(&def);
    hed_error error = {0};
    const float x[5] = {0, 0, 3.13f, 0.2f, 0.5f};
    OK(hed_mppi_solve(c, x, NULL, NULL, &error));
    float *states = c->states + (STEPS + 1) * 5;
    states[5 + 2] = 3.14f; /* as a model would write them that wraps its heading */
    states[10 + 2] = -3.13318531f;
    hed_mppi_shift_seconds(c, 1.5 * (double)def.dt);
    EXPECT_LE(fabsf(c->state[5] - 0.5f * (states[5] + states[10])), 1e-6f);
    EXPECT_LE(fabsf(c->state[5 + 2] - 3.145f), 1e-5f, "%g", (double)c->state[5 + 2]);
    EXPECT_LE(fabsf(c->stride[0] - 1.5f), 1e-6f);
    hed_mppi_destroy(c);
}

/* A loop of 30 Hz comes as far as one of 20 Hz. */
Test(mppi_shift, a_fast_loop_drives_as_a_slow_one, .timeout = 120)
{
    float end[2][5];
    for (int fast = 0; fast < 2; fast++) {
        hed_mppi_def def = drive_def(0);
        def.samples = 512;
        def.steps = 30;
        hed_mppi *c = make(&def);
        hed_error error = {0};
        const float period = fast ? 1.0f / 30 : 0.05f;
        float *x = end[fast], u[2];
        memset(x, 0, sizeof end[fast]);
        for (int cycle = 0; cycle < (fast ? 300 : 200); cycle++) { /* 10 s */
            OK(hed_mppi_solve(c, x, u, NULL, &error));
            const hed_mppi_world world = mppi_model_world(c, 0);
            c->model.step(x, u, period, &world);
            hed_mppi_shift_seconds(c, (double)period);
        }
        hed_mppi_destroy(c);
    }
    float away[2];
    for (int fast = 0; fast < 2; fast++) { /* hypotf() would need glibc 2.35 */
        float along = end[fast][0] - 5, across = end[fast][1] - 2;
        away[fast] = sqrtf(along * along + across * across);
    }
    EXPECT_LE(
        away[1], away[0] + 0.1f, "%g m and %g m from the goal", (double)away[0], (double)away[1]);
}

/* One and a half steps of four: the end is that of the plan, or zero. */
Test(mppi_shift, ends_of_a_plan)
{
    static hed_mppi c;
    static const float plan[4] = {1, 2, 3, 4}, lasts[4] = {2.5f, 3.5f, 4, 4},
                       zeros[4] = {2.5f, 3.5f, 2, 0};
    float found[4];
    c.model.controls = 1;
    c.def.steps = 4;
    mppi_shift_plan(&c, plan, 1, 0.5f, false, found);
    EXPECT_BYTES(found, lasts, sizeof found);
    mppi_shift_plan(&c, plan, 1, 0.5f, true, found);
    EXPECT_BYTES(found, zeros, sizeof found);
    mppi_shift_plan(&c, plan, 9, 0.5f, false, found);
    for (int t = 0; t < 4; t++) EXPECT_EQ(found[t], 0.0f, "%d: beyond the plan", t);
}
