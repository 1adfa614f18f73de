/* Drives of Nav2's controller on the maps of data/mppi/nav2, in a closed loop. */
#ifndef HED_TESTS_NAV2_ROUTES_H
#define HED_TESTS_NAV2_ROUTES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "testing.h"
#include "heddle/mppi_nav2.h"
#include "nav2/nav2_controller.h"

typedef struct nav2_drive {
    double seconds,
        gap; /* gap: least distance of the outline's circle from obstacles, from the cells, m */
    bool arrived, touched;
    uint32_t detours, failures, guarded;
    hed_nav2_pose end;
} nav2_drive;

static inline uint32_t read_path(const char *path, hed_nav2_pose *poses, uint32_t capacity)
{
    uint32_t count = 0;
    FILE *file = fopen(path, "r");
    CHECK(file, "%s", path);
    char line[128];
    while (fgets(line, sizeof line, file) && count < capacity) {
        hed_nav2_pose *p = &poses[count];
        count += sscanf(line, "%lf,%lf,%lf", &p->x, &p->y, &p->yaw) == 3;
    }
    fclose(file);
    return count;
}

static inline hed_nav2_pose drive_move(hed_nav2_pose p, hed_nav2_velocity v, double dt)
{
    /* an exact unicycle; sideways along the mean heading */
    double yaw = p.yaw + 0.5 * dt * v.wz,
           arc = fabs(v.wz * dt) < 1e-9 ? dt : 2 * sin(0.5 * v.wz * dt) / v.wz;
    p.x += arc * (v.vx * cos(yaw) - v.vy * sin(yaw));
    p.y += arc * (v.vx * sin(yaw) + v.vy * cos(yaw));
    p.yaw += dt * v.wz;
    return p;
}

static inline nav2_drive drive(const hed_nav2_config *config, const hed_nav2_grid *grid,
    hed_nav2_pose start, const hed_nav2_pose *path, uint32_t count, bool detour, double limit)
{
    nav2_drive d = {.gap = 9, .end = start};
    hed_error error = {0};
    hed_nav2_config_info info = hed_nav2_config_describe(config);
    hed_nav2 *n;
    OK(hed_nav2_create(config, 1, detour, &n, &error));
    OK(hed_nav2_set_path(n, path, count, &error));
    hed_nav2_velocity speed = {0};
    const hed_nav2_pose goal = path[count - 1];
    for (uint32_t step = 0; !d.arrived && step * info.period < limit; step++) {
        hed_nav2_result result;
        OK(hed_nav2_compute(n, d.end, speed, grid, &result, &error));
        speed = result.command;
        d.failures += result.outcome != HED_NAV2_VALID;
        d.detours += result.detour;
        d.guarded += result.guarded;
        d.end = drive_move(d.end, speed, info.period);
        d.seconds += info.period;
        int cost = nav2_cell(grid, (float)d.end.x, (float)d.end.y, 255);
        d.gap = fmin(d.gap, cost ? log(252.0 / cost) / 3 : 9);
        d.touched = d.touched || hed_nav2_touches(config, grid, d.end);
        d.arrived = result.path_length <= info.goal_path_length &&
                    nav2_length(goal.x - d.end.x, goal.y - d.end.y) <= info.goal_distance &&
                    fabs(remainder(goal.yaw - d.end.yaw, 2 * M_PI)) <= info.goal_angle;
    }
    hed_nav2_destroy(n);
    return d;
}

typedef struct nav2_world {
    hed_nav2_config *config;
    hed_mppi_map map;
    hed_nav2_grid grid;
    uint8_t *cells;
    hed_nav2_pose path[512];
    uint32_t count;
} nav2_world;

/* Opens a map of data/mppi/nav2 with its path; `disc`: an obstacle (x, y, radius) of which the path
 * does not know. */
static inline void world_open(nav2_world *w, const char *file, const char *name, const double *disc)
{
    char path[128];
    hed_error error = {0};
    snprintf(path, sizeof path, "data/mppi/nav2/%s.yaml", file);
    OK(hed_nav2_config_read(path, &w->config, &error));
    snprintf(path, sizeof path, "data/mppi/nav2/%s.yaml", name);
    OK(hed_mppi_map_read(path, &w->map, &error));
    snprintf(path, sizeof path, "data/mppi/nav2/%s_path.csv", name);
    w->count = read_path(path, w->path, 512);
    for (uint32_t y = 0; disc && y < w->map.height; y++)
        for (uint32_t x = 0; x < w->map.width; x++)
            if (nav2_length(w->map.x + (x + 0.5) * w->map.resolution - disc[0],
                    w->map.y + (y + 0.5) * w->map.resolution - disc[1]) <= disc[2])
                w->map.values[y * w->map.width + x] = 1;
    w->cells = malloc((size_t)w->map.width * w->map.height);
    OK(hed_nav2_inflate(w->config, &w->map, w->cells, &error));
    w->grid = (hed_nav2_grid){
        w->map.width, w->map.height, w->map.resolution, w->map.x, w->map.y, w->cells};
}
static inline void world_close(nav2_world *w)
{
    free(w->cells);
    hed_mppi_map_free(&w->map);
    hed_nav2_config_free(w->config);
}

#endif
