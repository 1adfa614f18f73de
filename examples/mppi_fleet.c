/* A fleet: 64 robots on two wheels drive to 64 goals, each with a map of its own, by one solve. */
#include <heddle/heddle.h>
#include <heddle/mppi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROBOTS = 64, CELLS = 40, SIZE = 8 + CELLS * CELLS };

static float distance(float x, float y) { return sqrtf(x * x + y * y); }

/* A room of 4 x 4 m with a post where robot i must not drive. */
static void draw_room(float *grid, int i)
{
    const float head[8] = {
        CELLS, CELLS, -2, -2, 10}; /* cells, first centre, cells for each metre */
    memcpy(grid, head, sizeof head);
    for (int k = 0; k < CELLS * CELLS; k++) {
        float x = -2 + 0.1f * (float)(k % CELLS), y = -2 + 0.1f * (float)(k / CELLS);
        float post_x = 0.7f * cosf(0.1f * (float)i + 0.4f),
              post_y = 0.7f * sinf(0.1f * (float)i + 0.4f);
        grid[8 + k] = distance(x - post_x, y - post_y) < 0.2f ? 1 : 0;
    }
}

int main(void)
{
    static float grid[SIZE], x[ROBOTS][5], u[ROBOTS][2];
    hed_error error = {0};
    hed_session on = {0};
    hed_mppi *fleet = NULL;
    hed_mppi_term terms[] = {*hed_mppi_term_find("goal"), *hed_mppi_term_find("costmap")};
    hed_mppi_table map = {"costmap", grid, SIZE, 0, true}; /* each robot's own */
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("differential_drive");
    def.terms = terms;
    def.term_count = 2;
    def.tables = &map;
    def.table_count = 1;
    def.count = ROBOTS;
    def.samples = 256;
    def.steps = 40;
    def.dt = 0.05f;
    def.lambda = 0.05f;
    def.sigma[0] = 0.2f;
    def.sigma[1] = 0.8f;
    hed_open(&on, &error);
    hed_mppi_create(on.device, &def, &fleet, &error);
    uint32_t goal_x = hed_mppi_parameter_find(fleet, "goal.x"), goal_y = goal_x + 1;
    for (uint32_t i = 0; i < ROBOTS && !hed_failed(&error); i++) {
        draw_room(grid, (int)i);
        hed_mppi_set_table(fleet, i, "costmap", grid, SIZE, &error);
        x[i][2] = 0.1f * (float)i; /* heading, towards its goal */
        hed_mppi_set_parameter(fleet, i, goal_x, 1.4f * cosf(0.1f * (float)i));
        hed_mppi_set_parameter(fleet, i, goal_y, 1.4f * sinf(0.1f * (float)i));
    }
    for (int step = 0; step < 160 && !hed_failed(&error); step++) { /* 8 s */
        hed_mppi_solve(fleet, x[0], u[0], NULL, &error);
        for (uint32_t i = 0; i < ROBOTS; i++) /* simulates the robots */
            memcpy(x[i], hed_mppi_states(fleet, i) + 5, sizeof x[i]);
        hed_mppi_shift(fleet, 1);
    }
    int there = 0;
    for (int i = 0; i < ROBOTS; i++)
        there += distance(x[i][0] - 1.4f * cosf(0.1f * (float)i),
                     x[i][1] - 1.4f * sinf(0.1f * (float)i)) < 0.2f;
    if (hed_failed(&error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    else printf("%s: %d of %d robots are at their goals\n", on.name, there, ROBOTS);
    hed_mppi_destroy(fleet);
    hed_close(&on);
    return hed_failed(&error);
}
