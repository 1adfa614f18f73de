/* ctest: devices */
/* Structures of a solve: measured when a controller is created, read, and replaced later. A choice
 * changes no bit in strict mode, and none at all on the processor. */
#include <string.h>

#include "mppi_make.h"

TestSuite(mppi_measure, .init = here_open, .fini = here_close);

static bool is_host(void) { return strcmp(hed_device_describe(here.device).backend, "host") == 0; }

static hed_mppi_def drive_def(void)
{
    static hed_mppi_term terms[2];
    static const hed_mppi_setting goal[] = {{"goal.x", 3}, {"speed.wanted", 0.3f}};
    hed_mppi_def def = hed_default_mppi_def();
    terms[0] = *hed_mppi_term_find("goal");
    terms[1] = *hed_mppi_term_find("speed");
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = terms;
    def.term_count = 2;
    def.settings = goal;
    def.setting_count = 2;
    def.samples = 200;
    def.steps = 12;
    def.lambda = 0.1f;
    def.math = HED_MATH_STRICT;
    return def;
}

/* Solves in a closed loop; returns the hash of the last solve. */
static uint64_t drive(hed_mppi *c, float *x, int solves)
{
    hed_error error = {0};
    for (int i = 0; i < solves; i++) {
        OK(hed_mppi_solve(c, x, NULL, NULL, &error));
        memcpy(x, hed_mppi_states(c, 0) + 5, 5 * sizeof *x);
        hed_mppi_shift(c, 1);
    }
    return hed_mppi_hash(c);
}

/* Choices of this device: parameters that are valid in strict mode. */
static const char *const host_choices[] = {
    "THREADS=1 SPLIT=no", "THREADS=1 SPLIT=yes", "THREADS=2 SPLIT=1 GROUP=64", ""};
static const char *const device_choices[] = {
    "GROUP=64 STORE=global", "NOISE=fused UNROLL=2", "", "THREADS=1"};

Test(mppi_measure, a_choice_changes_no_bit, .timeout = 240)
{
    const char *const *choices = is_host() ? host_choices : device_choices;
    for (int kind = 0; kind < (is_host() ? HED_MPPI_KIND_COUNT : 1);
         kind++) { /* texts take seconds */
        hed_mppi_def def = drive_def();
        def.kind = (hed_mppi_kind)kind;
        def.candidates = 3;
        def.candidate_samples = 32;
        def.rate[0] = 2;
        float x[5] = {0}, y[5] = {0};
        hed_mppi *rule = make(&def), *forced = make(&def);
        hed_error error = {0};
        for (size_t i = 0; i < HED_COUNT(host_choices); i++) {
            /* in the middle of a loop, whose plan and history go on */
            OK(hed_mppi_set_choice(forced, HED_MPPI_SOLVER_AUTO, choices[i], &error));
            EXPECT_EQ(drive(rule, x, 2), drive(forced, y, 2), "%d: %s", kind, choices[i]);
        }
        hed_mppi_destroy(rule);
        hed_mppi_destroy(forced);
    }
}

Test(mppi_measure, measuring_changes_no_bit, .timeout = 240)
{
    for (int kind = 0; kind < (is_host() ? HED_MPPI_KIND_COUNT : 1);
         kind++) { /* texts take seconds */
        hed_mppi_def def = drive_def();
        def.kind = (hed_mppi_kind)kind;
        def.candidates = 3;
        def.candidate_samples = 32;
        def.alpha = 0.5f;
        float x[5] = {0}, y[5] = {0};
        hed_mppi *rule = make(&def);
        def.measure = true;
        hed_mppi *measured = make(&def);
        EXPECT_EQ(drive(rule, x, 3), drive(measured, y, 3), "%d", kind);
        /* the choice that was found can be given to another controller */
        const hed_mppi_info found = hed_mppi_describe(measured);
        def.measure = false;
        def.choice = found.choice;
        def.solver = found.solver;
        hed_mppi *again = make(&def);
        EXPECT_TEXT(hed_mppi_describe(again).choice, found.choice);
        EXPECT_EQ(hed_mppi_describe(again).solver, found.solver);
        EXPECT_EQ(hed_mppi_describe(again).origin, HED_ORIGIN_GIVEN);
        hed_mppi_destroy(again);
        hed_mppi_destroy(measured);
        hed_mppi_destroy(rule);
    }
}

Test(mppi_measure, without_time_the_rules_decide)
{
    hed_mppi_def def = drive_def();
    hed_mppi *rule = make(&def);
    def.measure = true;
    def.measure_ns = 1;
    hed_mppi *hurried = make(&def);
    EXPECT_TEXT(hed_mppi_describe(hurried).choice, hed_mppi_describe(rule).choice);
    EXPECT(!hed_mppi_describe(hurried).measured);
    def.measure_ns = 1000000000;
    def.choice = is_host() ? "THREADS=1" : "GROUP=64";
    hed_mppi *given = make(&def);
    EXPECT(!hed_mppi_describe(given).measured, "a given choice is not measured");
    EXPECT_EQ(hed_mppi_describe(given).origin, HED_ORIGIN_GIVEN);
    hed_mppi_destroy(given);
    hed_mppi_destroy(hurried);
    hed_mppi_destroy(rule);
}

Test(mppi_measure, a_wrong_choice_leaves_the_former_one, .timeout = 120)
{
    static const char *const wrong[] = {"GROUPS=64", "SPLIT=maybe", "SPLIT", "UNROLL=3 ="};
    hed_mppi_def def = drive_def();
    hed_mppi *rule = make(&def), *c = make(&def);
    hed_error error = {0};
    float x[5] = {0}, y[5] = {0};
    char long_text[200] = {0};
    const hed_mppi_info before = hed_mppi_describe(c);
    memset(long_text, 'A', sizeof long_text - 1);
    for (size_t i = 0; i < HED_COUNT(wrong); i++)
        FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_choice(c, HED_MPPI_SOLVER_AUTO, wrong[i], &error));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_choice(c, HED_MPPI_SOLVER_AUTO, long_text, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_choice(c, (hed_mppi_solver)77, NULL, &error));
    hed_mppi_solver other = is_host() ? HED_MPPI_SOLVER_LAUNCHES : HED_MPPI_SOLVER_CPU;
    FAILS(HED_ERROR_UNSUPPORTED, hed_mppi_set_choice(c, other, NULL, &error));
    EXPECT_TEXT(hed_mppi_describe(c).choice, before.choice);
    EXPECT_EQ(hed_mppi_describe(c).solver, before.solver);
    EXPECT_NULL(hed_mppi_describe(c).def->choice);
    EXPECT_EQ(drive(rule, x, 2), drive(c, y, 2));
    hed_mppi_destroy(rule);
    hed_mppi_destroy(c);
}

/* Traces and posted tables go on after a change of structure, and so do several devices. */
Test(mppi_measure, several_devices_change_together, .timeout = 120)
{
    hed_mppi_def def = drive_def();
    def.other_devices = &here.device;
    def.other_device_count = 1;
    def.blocks = 2;
    def.samples = 1024;
    hed_mppi *rule = make(&def);
    def.measure = true;
    hed_mppi *c = make(&def);
    hed_error error = {0};
    float x[5] = {0}, y[5] = {0}, costs[4], expected[4];
    EXPECT_EQ(drive(rule, x, 2), drive(c, y, 2));
    OK(hed_mppi_set_choice(c, HED_MPPI_SOLVER_AUTO, is_host() ? "SPLIT=yes" : "GROUP=64", &error));
    OK(hed_mppi_trace(c, 0, 4, true, NULL, costs, &error));
    OK(hed_mppi_trace(rule, 0, 4, true, NULL, expected, &error));
    for (int i = 0; i < 4; i++) EXPECT_EQ(costs[i], expected[i]);
    EXPECT_EQ(drive(rule, x, 2), drive(c, y, 2));
    hed_mppi_destroy(rule);
    hed_mppi_destroy(c);
}
