/* ctest: devices */
/* Deadlines: what was computed before a deadline counts, on host and devices; and a thread may read
 * the plan during a solve. */
#include <math.h>

#include "fixture.h"
#include "heddle/author.h"
#include "engines/mppi/model/controller.h"

#include <pthread.h>
#include <stdatomic.h>

TestSuite(mppi_deadlines, .init = here_open, .fini = here_close);

static hed_mppi *make(
    uint32_t samples, uint64_t deadline, hed_mppi_kind kind, hed_mppi_update update)
{
    static const hed_mppi_setting goal[] = {{"goal.x", 5}};
    hed_mppi_def def = hed_default_mppi_def();
    hed_mppi *c = NULL;
    hed_error error = {0};
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = hed_mppi_term_find("goal");
    def.term_count = 1;
    def.settings = goal;
    def.setting_count = 1;
    def.samples = samples;
    def.kind = kind;
    def.update = update;
    def.lambda = 0.05f;
    def.deadline_ns = deadline;
    if (strcmp(hed_device_describe(here.device).backend, "host")) def.math = HED_MATH_STRICT;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    return c;
}

/* Far fewer samples than asked for fit into the time, and they make a plan. */
static void solve_in_time(hed_mppi_kind kind, hed_mppi_update update)
{
    hed_mppi *c = make(1 << 18, 5000000, kind, update);
    hed_error error = {0};
    float x[5] = {0}, u[2];
    hed_mppi_stats stats;
    uint64_t longest = 0;
    for (int step = 0; step < 10; step++) {
        OK(hed_mppi_solve(c, x, u, &stats, &error));
        EXPECT_GT(stats.samples, 0u);
        EXPECT_EQ(stats.outcome == HED_MPPI_DEADLINE, stats.samples < 1u << 18);
        EXPECT(isfinite(stats.free_energy) && stats.normalizer <= 1.0001f, "%g %g",
            (double)stats.free_energy, (double)stats.normalizer);
        if (stats.solve_ns > longest) longest = stats.solve_ns;
        hed_mppi_shift(c, 1);
    }
    EXPECT_GT(hed_mppi_controls(c, 0)[2 * 10], 0.0f); /* towards the goal: no empty plan */
    printf("kind %d, update %d: %u samples, longest %.2f ms of 5\n", (int)kind, (int)update,
        stats.samples, 1e-6 * (double)longest);
    hed_mppi_destroy(c);
}

Test(mppi_deadlines, what_was_computed_counts, .timeout = 240)
{
    if (!strcmp(hed_device_describe(here.device).backend, "cuda")) return; /* all fit in time */
    solve_in_time(HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL);
    solve_in_time(HED_MPPI_TUBE, HED_MPPI_EXPONENTIAL);
    solve_in_time(HED_MPPI_ROBUST, HED_MPPI_EXPONENTIAL);
    solve_in_time(HED_MPPI_PLAIN, HED_MPPI_ELITE);
    solve_in_time(HED_MPPI_PLAIN, HED_MPPI_TSALLIS);
}

/* On a device a cut round is a round of its first samples: a controller of as many samples and
 * without a deadline computes the same plan. On host threads roll others out. */
Test(mppi_deadlines, a_cut_round_is_a_smaller_one, .timeout = 240)
{
    if (strcmp(hed_device_describe(here.device).backend, "opencl")) return;
    for (int update = HED_MPPI_EXPONENTIAL; update <= HED_MPPI_TSALLIS; update++) {
        hed_error error = {0};
        float x[5] = {0}, u[2], whole[2 * 100];
        hed_mppi_stats stats, other;
        hed_mppi *c = make(1 << 18, 5000000, HED_MPPI_PLAIN, (hed_mppi_update)update);
        OK(hed_mppi_solve(c, x, u, &stats, &error));
        CHECK_LT(stats.samples, 1u << 18);
        memcpy(whole, hed_mppi_controls(c, 0), sizeof whole);
        hed_mppi_destroy(c);
        c = make(stats.samples, 0, HED_MPPI_PLAIN, (hed_mppi_update)update);
        OK(hed_mppi_solve(c, x, u, &other, &error));
        EXPECT_EQ(other.samples, stats.samples);
        EXPECT_NEAR(other.baseline, stats.baseline, 0.0f, "update %d", update);
        EXPECT_NEAR(other.ess, stats.ess, 1e-3f * other.ess, "update %d", update);
        for (int j = 0; j < 2 * 100; j++)
            EXPECT_NEAR(
                hed_mppi_controls(c, 0)[j], whole[j], 1e-4f, "update %d, scalar %d", update, j);
        hed_mppi_destroy(c);
    }
}

Test(mppi_deadlines, a_deadline_that_is_far_changes_no_bits, .timeout = 240)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        hed_mppi *c = make(256, i ? 100000000000u : 0, HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL);
        hed_error error = {0};
        hed_mppi_stats stats;
        float x[5] = {0}, u[2];
        for (int step = 0; step < 3; step++) {
            OK(hed_mppi_solve(c, x, u, &stats, &error));
            EXPECT_EQ(stats.outcome, HED_MPPI_SOLVED);
            EXPECT_EQ(stats.samples, 256u);
            hed_mppi_shift(c, 1);
        }
        hash[i] = hed_mppi_hash(c);
        hed_mppi_destroy(c);
    }
    EXPECT_EQ(hash[0], hash[1]);
}

/* The reserve is learnt as TCP learns its timer: the last sample of a solve that was cut, not the end of
 * its rounds, begins the work after it; a solve that was interrupted counts twice the reserve at most;
 * a fifth of the time is for samples in any case. */
Test(mppi_deadlines, the_reserve_is_learnt)
{
    enum { BEGIN = 1000, DEADLINE = 5000000, RESERVE = 700000, LAST = BEGIN + DEADLINE - RESERVE };
    if (strcmp(hed_device_describe(here.device).backend, "host")) return;
    hed_mppi *c = make(64, DEADLINE, HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL);
    c->after_ns = 400000;
    c->deviation_ns = 100000;
    CHECK_EQ(mppi_last_samples(c, BEGIN), LAST);
    c->is_cut = false;
    mppi_learn_reserve(c, BEGIN, LAST + 400000, LAST + 500000);
    CHECK_EQ(c->after_ns, 400000, "a solve with time left says nothing");
    c->is_cut = true;
    mppi_learn_reserve(c, BEGIN, LAST + 400000, LAST + 500000);
    CHECK_NEAR(c->after_ns, 400000 + 100000 / 8.0, 1e-6);
    CHECK_NEAR(c->deviation_ns, 100000, 1e-6);
    mppi_learn_reserve(c, BEGIN, LAST, LAST + 100000000);
    CHECK_NEAR(c->after_ns, 412500 + (2 * 712500 - 412500) / 8.0, 1e-6);
    c->after_ns = 2 * DEADLINE;
    CHECK_EQ(mppi_last_samples(c, BEGIN), BEGIN + DEADLINE / 5);
    hed_mppi_destroy(c);
}

/* ---- another thread reads ---- */

typedef struct reading {
    hed_mppi *controller;
    atomic_bool stop;
    uint64_t reads, torn;
} reading;

/* Controls of one plan: the two are set to the same number by every reset. */
static void *read_plan(void *user)
{
    reading *r = user;
    float u[2];
    while (!atomic_load(&r->stop)) {
        hed_mppi_control_at(r->controller, 0, 0.1f, NULL, u);
        r->torn += u[0] != u[1];
        r->reads++;
    }
    return NULL;
}

Test(mppi_deadlines, plans_are_published_whole)
{
    if (strcmp(hed_device_describe(here.device).backend, "host")) return;
    reading r = {.controller = make(64, 0, HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL)};
    static float controls[200];
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, read_plan, &r));
    for (int n = 0; n < 20000; n++) {
        for (int j = 0; j < 200; j++) controls[j] = 0.0001f * (float)(n % 3000);
        hed_mppi_reset(r.controller, controls);
    }
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    EXPECT_EQ(r.torn, 0u, "of %llu", (unsigned long long)r.reads);
    hed_mppi_destroy(r.controller);
}

/* The time of hed_mppi_control_at() is since the state of the solve: a shift does not move it. */
Test(mppi_deadlines, a_shift_does_not_move_the_time)
{
    hed_mppi *c = make(64, 0, HED_MPPI_PLAIN, HED_MPPI_EXPONENTIAL);
    hed_error error = {0};
    float x[5] = {0}, before[2], after[2];
    OK(hed_mppi_solve(c, x, NULL, NULL, &error));
    hed_mppi_control_at(c, 0, 0.33f, x, before);
    hed_mppi_shift(c, 1);
    hed_mppi_control_at(c, 0, 0.33f, x, after);
    EXPECT(before[0] == after[0] && before[1] == after[1], "%g %g", (double)before[0],
        (double)after[0]);
    hed_mppi_destroy(c);
}
