/* ctest: devices */
/* Fleets whose controllers have goals, maps, parameters and references of their own: one solve of all
 * has the bits of solves one by one. */
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "heddle/mppi.h"

TestSuite(mppi_fleet, .init = here_open, .fini = here_close);

enum { COUNT = 5, CELLS = 8 + 36 };

static const double moments[] = {0, 1};

static hed_mppi_def fleet_def(const hed_mppi_term *terms, uint32_t count, const float *grid)
{
    static hed_mppi_table table;
    static const float speeds[] = {0, 0};
    static const hed_mppi_timeline line = {"speed.wanted", moments, speeds, 2, 0, false};
    table = (hed_mppi_table){"costmap", grid, CELLS, 0, true};
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = terms;
    def.term_count = 3;
    def.tables = &table;
    def.table_count = 1;
    def.timelines = &line;
    def.timeline_count = 1;
    def.count = count;
    def.samples = 96;
    def.steps = 8;
    def.lambda = 0.2f;
    def.pure_noise = 0;
    def.math = HED_MATH_STRICT;
    return def;
}

/* The map, goal, lag and speeds of robot i. */
static void fill_map(float *grid, int i)
{
    const float head[8] = {6, 6, -1, -1, 2};
    memcpy(grid, head, sizeof head);
    for (int k = 0; k < 36; k++) grid[8 + k] = 0.01f * (float)((7 * k * (i + 1)) % 50);
}

static void give(hed_mppi *c, uint32_t index, int i)
{
    hed_error error = {0};
    float grid[CELLS];
    const float speeds[] = {0.1f * (float)i, 0.2f};
    fill_map(grid, i);
    OK(hed_mppi_set_table(c, index, "costmap", grid, CELLS, &error));
    OK(hed_mppi_set_timeline(c, index, "speed.wanted", moments, speeds, 2, &error));
    EXPECT(hed_mppi_set_parameter(
        c, index, hed_mppi_parameter_find(c, "goal.x"), 1 - 0.5f * (float)i));
    EXPECT(hed_mppi_set_parameter(c, index, hed_mppi_parameter_find(c, "lag"), 0.1f * (float)i));
}

static void start_of(float *x, int i)
{
    const float start[5] = {0.1f * (float)i, 0.2f, 0.3f * (float)i, 0.1f, 0};
    memcpy(x, start, sizeof start);
}

/* A fleet draws other noise for each controller, so robots are compared with themselves: in a fleet
 * in which all controllers are given robot i's, controller i is robot i's in the mixed fleet. */
static void compare(hed_mppi_kind kind)
{
    hed_mppi_term terms[3] = {
        *hed_mppi_term_find("goal"), *hed_mppi_term_find("speed"), *hed_mppi_term_find("costmap")};
    float grid[CELLS], x[5 * COUNT], same[5 * COUNT];
    fill_map(grid, 0);
    hed_mppi_def def = fleet_def(terms, COUNT, grid);
    def.kind = kind;
    def.candidates = 3;
    def.candidate_samples = 16;
    hed_error error = {0};
    hed_mppi *mixed = NULL, *alike = NULL;
    hed_mppi_stats stats[COUNT], expected[COUNT];
    OK(hed_mppi_create(here.device, &def, &mixed, &error));
    OK(hed_mppi_create(here.device, &def, &alike, &error));
    for (int i = 0; i < COUNT; i++) give(mixed, (uint32_t)i, i);
    for (int i = 0; i < COUNT; i++) start_of(x + 5 * i, i);
    float plans[COUNT][16], costs[COUNT];
    for (int solve = 0; solve < 2; solve++) {
        OK(hed_mppi_solve(mixed, x, NULL, stats, &error));
        hed_mppi_shift(mixed, 1);
    }
    for (int i = 0; i < COUNT; i++) {
        memcpy(plans[i], hed_mppi_controls(mixed, (uint32_t)i), sizeof plans[i]);
        if (kind == HED_MPPI_PLAIN)
            OK(hed_mppi_trace(mixed, (uint32_t)i, 1, true, NULL, &costs[i], &error));
    }
    for (int i = 0; i < COUNT; i++) {
        hed_mppi_reset(alike, NULL);
        give(alike, HED_MPPI_ALL, i);
        for (int n = 0; n < COUNT; n++) start_of(same + 5 * n, i);
        for (int solve = 0; solve < 2; solve++) {
            OK(hed_mppi_solve(alike, same, NULL, expected, &error));
            hed_mppi_shift(alike, 1);
        }
        EXPECT(memcmp(plans[i], hed_mppi_controls(alike, (uint32_t)i), sizeof plans[i]) == 0,
            "kind %d, robot %d", kind, i);
        EXPECT_EQ(stats[i].baseline, expected[i].baseline);
        float cost = 0;
        if (kind == HED_MPPI_PLAIN)
            OK(hed_mppi_trace(alike, (uint32_t)i, 1, true, NULL, &cost, &error));
        if (kind == HED_MPPI_PLAIN) EXPECT_EQ(cost, costs[i]);
    }
    EXPECT(stats[0].baseline != stats[1].baseline);
    hed_mppi_destroy(mixed);
    hed_mppi_destroy(alike);
}

Test(mppi_fleet, each_has_its_own_goal_map_and_model, .timeout = 240)
{
    bool host = strcmp(hed_device_describe(here.device).backend, "host") == 0;
    compare(HED_MPPI_PLAIN);
    if (host) compare(HED_MPPI_TUBE); /* texts take seconds on a device */
    if (host) compare(HED_MPPI_ROBUST);
}

Test(mppi_fleet, wrong_changes_are_refused)
{
    hed_mppi_term terms[3] = {
        *hed_mppi_term_find("goal"), *hed_mppi_term_find("speed"), *hed_mppi_term_find("costmap")};
    float grid[CELLS];
    fill_map(grid, 0);
    hed_mppi_def def = fleet_def(terms, 2, grid);
    hed_mppi_table shared = {"costmap", grid, CELLS, 0, false};
    hed_error error = {0};
    hed_mppi *c = NULL;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    EXPECT(!hed_mppi_set_parameter(c, 2, 0, 1));
    EXPECT(!hed_mppi_set_parameter(c, 0, 1000, 1));
    EXPECT(!hed_mppi_set_parameter(c, 0, 0, NAN));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_table(c, 2, "costmap", grid, CELLS, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_table(c, 0, "costmaps", grid, CELLS, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_table(c, 0, "costmap", grid, CELLS + 1, &error));
    hed_mppi_destroy(c);
    def.tables = &shared;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_mppi_set_table(c, 1, "costmap", grid, CELLS, &error));
    OK(hed_mppi_set_table(c, HED_MPPI_ALL, "costmap", grid, CELLS, &error));
    hed_mppi_destroy(c);
}
