/* ctest: devices */
/* Goals, references, paths and obstacles that change with time, on every device: costs along a
 * known plan against formulas in plain C. */
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "heddle/mppi.h"
#include "heddle/mppi_scene.h"

TestSuite(mppi_timed, .init = here_open, .fini = here_close);

enum { STEPS = 10 };
static const float dt = 0.1f;

/* A point that is moved by its velocity; the rest of the state is what terms may read. */
static hed_mppi_def point_def(const hed_mppi_term *terms, uint32_t count)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = terms;
    def.term_count = count;
    def.samples = 64;
    def.steps = STEPS;
    def.dt = dt;
    def.scale = HED_MPPI_SUM;
    def.math = HED_MATH_STRICT;
    return def;
}

static hed_mppi *make(const hed_mppi_def *def)
{
    hed_mppi *c = NULL;
    hed_error error = {0};
    OK(hed_mppi_create(here.device, def, &c, &error));
    return c;
}

/* Solves from x; returns the cost and states (T + 1 x 5) of sample 0, the plan that was sampled. */
static float cost_of_plan(hed_mppi *c, const float *x, float *states)
{
    hed_error error = {0};
    float cost;
    OK(hed_mppi_solve(c, x, NULL, NULL, &error));
    OK(hed_mppi_trace(c, 0, 1, false, states, &cost, &error));
    return cost;
}

static const float start[5] = {0.2f, -0.1f, 0.4f, 0.3f, 0.2f};
static const double moments[] = {0.15, 0.45, 2};
static const float goals_x[] = {1, 3, -2}, goals_y[] = {0, 2, 2}, headings[] = {3, -3, 0};

/* The timeline in double precision. */
static double line(const float *values, double time, bool angle)
{
    if (time <= moments[0]) return values[0];
    if (time >= moments[2]) return values[2];
    int i = time < moments[1] ? 0 : 1;
    double change = (double)values[i + 1] - values[i];
    if (angle) change = remainder(change, 6.283185307179586);
    return values[i] + (time - moments[i]) / (moments[i + 1] - moments[i]) * change;
}

Test(mppi_timed, a_goal_moves, .timeout = 120)
{
    hed_mppi_term terms[2] = {*hed_mppi_term_find("goal"), *hed_mppi_term_find("goal_angle")};
    const hed_mppi_timeline lines[] = {{"goal.x", moments, goals_x, 3, 0, false},
        {"goal.y", moments, goals_y, 3, 0, false}, {"goal_angle.x", moments, goals_x, 3, 0, false},
        {"goal_angle.angle", moments, headings, 3, 0, true}};
    const hed_mppi_setting within[] = {{"goal_angle.within", 5}};
    hed_mppi_def def = point_def(terms, 2);
    def.timelines = lines;
    def.timeline_count = 4;
    def.settings = within;
    def.setting_count = 1;
    hed_mppi *c = make(&def);
    for (int later = 0; later < 4; later++) {
        float states[5 * (STEPS + 1)], cost = cost_of_plan(c, start, states);
        double expected = 0, clock = hed_mppi_time(c);
        for (int t = 0; t < STEPS; t++) {
            const float *x = states + 5 * (t + 1);
            double time = clock + (t + 1) * (double)dt, gx = line(goals_x, time, false);
            /* hypot() would need glibc 2.35 */
            double along = x[0] - gx, across = x[1] - line(goals_y, time, false);
            double away = sqrt(along * along + across * across);
            double near = fmax(1 - sqrt(along * along + (double)x[1] * x[1]) / 5, 0);
            double off = fabs(remainder(x[2] - line(headings, time, true), 6.283185307179586));
            expected += away + 3.141592653589793 - near * (3.141592653589793 - off);
        }
        EXPECT_LE(fabs(cost - expected), 1e-4 * expected, "at %g s: %g for %g", clock, (double)cost,
            expected);
        if (later == 0) hed_mppi_shift(c, 2);
        if (later == 1) hed_mppi_shift_seconds(c, 0.037);
        if (later == 2) hed_mppi_set_time(c, 1.9);
    }
    EXPECT_LE(fabs(hed_mppi_time(c) - 1.9), 1e-12);
    hed_mppi_reset(c, NULL);
    EXPECT_EQ(hed_mppi_time(c), 0);
    hed_mppi_destroy(c);
}

/* A reference trajectory of a state, with a weight that fades; one element brings its whole array. */
Test(mppi_timed, a_reference_of_states, .timeout = 120)
{
    hed_mppi_term terms[1] = {*hed_mppi_term_find("quadratic")};
    const hed_mppi_timeline lines[] = {{"quadratic.goal.y", moments, goals_y, 3, 5, false},
        {"quadratic.weight", moments, goals_x, 3, 0, false}};
    const hed_mppi_setting settings[] = {{"quadratic.goal.x", 0.5f}, {"quadratic.state.heading", 2}};
    hed_mppi_def def = point_def(terms, 1);
    def.timelines = lines;
    def.timeline_count = 2;
    def.settings = settings;
    def.setting_count = 2;
    terms[0].when = HED_MPPI_ALWAYS;
    hed_mppi *c = make(&def);
    hed_error error = {0};
    const double other_moments[] = {0, 1}, wrong[] = {1, 1};
    const float other[] = {5, 6};
    for (int round = 0; round < 2; round++) {
        float states[5 * (STEPS + 1)], cost = cost_of_plan(c, start, states);
        double expected = 0;
        for (int t = 0; t <= STEPS; t++) { /* the last step counts twice */
            int step = t < STEPS ? t + 1 : STEPS;
            const float *x = states + 5 * step;
            double time = step * (double)dt, goal = round ? 5 + time : line(goals_y, time, false);
            double sum = pow(x[0] - 0.5, 2) + pow(x[1] - goal, 2) + 2.0 * x[2] * x[2] +
                         x[3] * x[3] + x[4] * x[4];
            expected += line(goals_x, time, false) * sum;
        }
        EXPECT_LE(fabs(cost - expected), 1e-4 * fabs(expected), "%g for %g", (double)cost, expected);
        OK(hed_mppi_set_timeline(
            c, HED_MPPI_ALL, "quadratic.goal.y", other_moments, other, 2, &error));
    }
    FAILS(HED_ERROR_ARGUMENT,
        hed_mppi_set_timeline(c, 0, "quadratic.goal.y", wrong, other, 2, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_mppi_set_timeline(c, 1, "quadratic.goal.y", other_moments, other, 2, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_mppi_set_timeline(c, 0, "quadratic.goal.x", other_moments, other, 2, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_mppi_set_timeline(c, 0, "quadratic.weight", other_moments, other, 6, &error));
    hed_mppi_destroy(c);
}

/* Paths, maps and discs move as a whole. A plan relative to them has the cost that it has when
 * everything stands still. */
Test(mppi_timed, paths_maps_and_obstacles_move, .timeout = 120)
{
    static const char *const names[] = {
        "path_align", "path_angle", "path_follow", "costmap", "clearance", "obstacles"};
    enum { NAMES = HED_COUNT(names) };
    static const char *const axes[] = {"x", "y"};
    const float points[] = {-1, 0, 2, 0.5f, 3, 3}, discs[] = {1, 1, 10, 0, 0.9f, 0.4f, 0.1f, 0};
    float path[3 * HED_MPPI_PATH_SEGMENT], grid[8 + 400] = {0};
    grid[0] = grid[1] = 20;
    grid[2] = grid[3] = -2;
    grid[4] = 4;
    for (int i = 0; i < 400; i++)
        grid[8 + i] = 0.3f + 0.02f * (float)(i % 20) + 0.01f * (float)(i / 20);
    hed_mppi_term terms[NAMES];
    hed_mppi_timeline lines[2 * NAMES];
    char texts[2 * NAMES][32];
    const double times[] = {0, 10};
    const float away[2][2] = {{0.5f, 0.5f}, {-1, -1}};
    for (int i = 0; i < NAMES; i++) {
        terms[i] = *hed_mppi_term_find(names[i]);
        terms[i].when = HED_MPPI_RUNNING;
        for (int k = 0; k < 2; k++) {
            snprintf(texts[2 * i + k], 32, "%s.%s", names[i], axes[k]);
            lines[2 * i + k] = (hed_mppi_timeline){texts[2 * i + k], times, away[k], 2, 0, false};
        }
    }
    const hed_mppi_table tables[] = {
        {"path", path, hed_mppi_path_table(points, 3, false, path), 0, false},
        {"costmap", grid, 408, 0, false}, {"distance", grid, 408, 0, false},
        {"obstacles", discs, 8, 0, false}};
    const hed_mppi_setting settings[] = {{"costmap.lethal", 100}, {"clearance.crash", 50},
        {"obstacles.crash", 50}, {"obstacles.margin", 2}, {"path_follow.left", 1.5f}};
    hed_mppi_def def = point_def(terms, NAMES);
    def.tables = tables;
    def.table_count = 4;
    def.settings = settings;
    def.setting_count = 5;
    hed_mppi *still = make(&def);
    def.timelines = lines;
    def.timeline_count = 2 * NAMES;
    hed_mppi *moving = make(&def);
    const float there[5] = {start[0] + 0.5f, start[1] - 1, start[2], start[3], start[4]};
    float states[5 * (STEPS + 1)];
    float a = cost_of_plan(still, start, states), b = cost_of_plan(moving, there, states);
    EXPECT(a > 1 && fabsf(a - b) <= 1e-4f * a, "%g and %g", (double)a, (double)b);
    /* they move away: the offset is what counts, not the time */
    const double later[] = {0, 1};
    const float far[] = {0.5f, 40};
    hed_error error = {0};
    OK(hed_mppi_set_timeline(moving, 0, "path_align.x", later, far, 2, &error));
    EXPECT(cost_of_plan(moving, there, states) > a + 20);
    hed_mppi_destroy(still);
    hed_mppi_destroy(moving);
}

Test(mppi_timed, a_wrong_timeline_is_refused)
{
    const struct {
        hed_mppi_timeline line;
        const char *message;
    } wrong[] = {{{"goal.z", moments, goals_x, 3, 0, false}, "goal.z"},
        {{"lag", moments, goals_x, 3, 0, false}, "no term has this parameter"},
        {{"goal.x", moments, goals_x, 0, 0, false}, "has no moment"},
        {{"goal.x", (const double[]){1, 0}, goals_x, 2, 0, false}, "ascend"},
        {{"goal.x", (const double[]){0, NAN}, goals_x, 2, 0, false}, "finite"}};
    for (size_t i = 0; i < HED_COUNT(wrong); i++) {
        hed_mppi_def def = point_def(hed_mppi_term_find("goal"), 1);
        hed_error error = {0};
        hed_mppi *c = NULL;
        def.timelines = &wrong[i].line;
        def.timeline_count = 1;
        FAILS(HED_ERROR_ARGUMENT, hed_mppi_create(here.device, &def, &c, &error));
        EXPECT(strstr(error.text, wrong[i].message), "%s", error.text);
        EXPECT_NULL(c);
    }
}
