/* Contact with lethal cells: exact overlap of discs and polygons with cells, and Nav2's controller,
 * which looks at the cell below the robot's centre, kept off them. */
#include "nav2_routes.h"

#include "nav2/nav2_controller.h"

enum { SIDE = 80 };
static hed_error error;

/* A lethal cell in the middle: from 2.00 to 2.05 m both ways. */
static uint8_t middle_cells[SIDE * SIDE];
static const hed_nav2_grid middle_grid = {SIDE, SIDE, 0.05, 0, 0, middle_cells};

static hed_nav2_config *config_with(const char *footprint)
{
    char text[600];
    hed_nav2_config *config;
    snprintf(text, sizeof text,
        "controller_server: {ros__parameters: {FollowPath: {plugin: 'nav2_mppi_controller::MPPIController', "
        "motion_model: DiffDrive, prune_distance: 1.7, batch_size: 600, time_steps: 40, model_dt: 0.05, "
        "critics: [PathFollowCritic, PathAlignCritic, GoalCritic]}}}\n"
        "local_costmap: {local_costmap: {ros__parameters: {width: 4, height: 4, %s}}}\n", footprint);
    OK(hed_nav2_config_parse(text, strlen(text), "guard.yaml", &config, &error));
    middle_cells[40 * SIDE + 40] = 254;
    return config;
}

static bool touches(const hed_nav2_config *config, double x, double y, double yaw)
{
    return hed_nav2_touches(config, &middle_grid, (hed_nav2_pose){x, y, yaw});
}

Test(mppi_nav2_guard, a_disc_overlaps_by_its_radius)
{
    hed_nav2_config *config = config_with("robot_radius: 0.22");
    for (int i = 0; i < 64; i++) {
        /* towards the cell's upper right corner, and towards its right edge */
        double angle = 0.5 * M_PI * i / 64, near_radius = 0.2199, far_radius = 0.2201;
        double c = cos(angle), s = sin(angle), up = 2 + 0.05 * i / 64;
        EXPECT(touches(config, 2.05 + near_radius * c, 2.05 + near_radius * s, angle), "%d", i);
        EXPECT(!touches(config, 2.05 + far_radius * c, 2.05 + far_radius * s, angle), "%d", i);
        EXPECT(touches(config, 2.05 + near_radius, up, angle), "%d", i);
        EXPECT(!touches(config, 2.05 + far_radius, up, angle), "%d", i);
    }
    EXPECT(touches(config, 2.025, 2.025, 0), "above the cell");
    EXPECT(touches(config, -0.3, 2, 0), "off the map");
    hed_nav2_config_free(config);
}

Test(mppi_nav2_guard, a_polygon_overlaps_by_its_area)
{
    /* an L: the cell in its notch is clear, although it is within the hull */
    hed_nav2_config *config = config_with(
        "footprint: '[[0.4, 0.2], [0.4, -0.4], [-0.4, -0.4], [-0.4, 0.4], [0, 0.4], [0, 0.2]]'");
    EXPECT(touches(config, 2.2, 2.1, 0), "below the area, away from every edge");
    EXPECT(!touches(config, 1.8, 1.74, 0), "in the notch");
    EXPECT(touches(config, 1.8, 1.81, 0), "over the notch's lower edge");
    EXPECT(touches(config, 1.61, 2.1, 0), "below the right edge");
    EXPECT(!touches(config, 1.59, 2.1, 0), "beyond the right edge");
    EXPECT(touches(config, 2.1, 1.61, M_PI / 2), "turned: below the right edge");
    EXPECT(!touches(config, 2.1, 1.59, M_PI / 2), "turned: beyond the right edge");
    hed_nav2_config_free(config);
}

/* The guard's step against 20,000 small ones: along a circle exactly, sideways to a part's mean heading. */
Test(mppi_nav2_guard, a_step_is_that_of_the_robot)
{
    static const double velocities[][NAV2_AXES] = {
        {0.5, 0, 0}, {0.5, 0, 1.9}, {-0.3, 0, -1.5}, {0.2, 0.3, 0}, {0.3, -0.2, 0.8}, {0, 0, 2}};
    static uint8_t free_cells[SIDE * SIDE];
    const hed_nav2_grid free_grid = {SIDE, SIDE, 0.05, 0, 0, free_cells};
    enum { PARTS = 20000 };
    hed_nav2_config *config = config_with("robot_radius: 0.22");
    const hed_nav2_pose path[] = {{1, 1, 0}, {2, 1, 0}};
    hed_nav2 *n;
    hed_nav2_result result;
    OK(hed_nav2_create(config, 1, true, &n, &error));
    OK(hed_nav2_set_path(n, path, 2, &error));
    OK(hed_nav2_compute(n, path[0], (hed_nav2_velocity){0}, &free_grid, &result, &error));
    for (size_t k = 0; k < HED_COUNT(velocities); k++) {
        const double *v = velocities[k], dt = n->period / PARTS;
        hed_nav2_pose found = {2, 2, 0.7}, exact = found;
        EXPECT(nav2_guard_step(n, &found, v), "%zu: nothing is near", k);
        for (int i = 0; i < PARTS; i++) {
            double yaw = exact.yaw + 0.5 * dt * v[NAV2_WZ];
            exact.x += dt * (v[NAV2_VX] * cos(yaw) - v[NAV2_VY] * sin(yaw));
            exact.y += dt * (v[NAV2_VX] * sin(yaw) + v[NAV2_VY] * cos(yaw));
            exact.yaw += dt * v[NAV2_WZ];
        }
        EXPECT_NEAR(found.x, exact.x, 1e-9, "%zu", k);
        EXPECT_NEAR(found.y, exact.y, 1e-9, "%zu", k);
        EXPECT_NEAR(found.yaw, exact.yaw, 1e-9, "%zu", k);
    }
    hed_nav2_destroy(n);
    hed_nav2_config_free(config);
}

/* A random goal at which release 1.3 touches the door's corner by 4 mm and, with other noise, cannot move
 * on; at most 40 mm are possible with these cells. */
Test(mppi_nav2_guard, a_corner_is_not_touched)
{
    nav2_world w;
    world_open(&w, "nav2_params_jazzy", "doorway", NULL);
    hed_nav2_pose start = {0.6, 0.6, 1.2}, goal = {3.08311, 1.7754, 0}, *path;
    uint32_t count;
    OK(hed_nav2_find_path(&w.grid, start, goal, &path, &count, &error));
    nav2_drive plain = drive(w.config, &w.grid, start, path, count, false, 30);
    nav2_drive kept = drive(w.config, &w.grid, start, path, count, true, 30);
    EXPECT(plain.touched, "without the guard the corner is touched, as by Nav2");
    EXPECT(kept.arrived && !kept.touched && kept.failures == 0,
        "arrived %d, touched %d, %u failures", kept.arrived, kept.touched, kept.failures);
    EXPECT_GT(kept.guarded, 0, "%s", "cycles in which the plan touched");
    free(path);
    world_close(&w);
}

/* A path over a lethal cell and no critic that sees it: only the guard keeps the robot off. */
Test(mppi_nav2_guard, critics_that_see_nothing)
{
    static const char *const footprints[] = {"robot_radius: 0.22",
        "footprint: '[[0.35, 0.15], [0.35, -0.15], [-0.25, -0.15], [-0.25, 0.15]]'"};
    hed_nav2_pose path[60];
    for (int i = 0; i < 60; i++) path[i] = (hed_nav2_pose){0.8 + 0.04 * i, 2.02, 0};
    for (int f = 0; f < 2; f++) {
        hed_nav2_config *config = config_with(footprints[f]);
        hed_nav2 *n;
        OK(hed_nav2_create(config, 1, true, &n, &error));
        OK(hed_nav2_set_path(n, path, 60, &error));
        hed_nav2_pose pose = path[0];
        hed_nav2_velocity speed = {0};
        bool touched = false;
        double nearest = 9;
        for (int step = 0; step < 160; step++) {
            hed_nav2_result result;
            OK(hed_nav2_compute(n, pose, speed, &middle_grid, &result, &error));
            speed = result.command;
            pose = drive_move(pose, speed, 0.05);
            touched = touched || hed_nav2_touches(config, &middle_grid, pose);
            nearest = fmin(nearest, nav2_length(pose.x - 2.025, pose.y - 2.025));
        }
        EXPECT(!touched && nearest < 0.6, "%s: touched %d, nearest %.3f m", footprints[f], touched, nearest);
        hed_nav2_destroy(n);
        hed_nav2_config_free(config);
    }
}
