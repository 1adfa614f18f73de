/* Facts that reach Nav2's controller while it runs: a path in a frame of its own, a path that is pruned
 * already, the costmap's footprint, parameters; and parameters by name. */
#include <math.h>
#include <stdlib.h>

#include "testing.h"
#include "nav2/nav2_controller.h"

static hed_error error;

enum { SIDE = 120 };
static uint8_t cells[SIDE * SIDE]; /* 6 x 6 m, free but for a wall at the right */
static const hed_nav2_grid grid = {SIDE, SIDE, 0.05, 0, 0, cells};

static hed_nav2_config *open_config(const char *name)
{
    char path[96];
    hed_nav2_config *config;
    snprintf(path, sizeof path, "data/mppi/nav2/%s.yaml", name);
    OK(hed_nav2_config_read(path, &config, &error));
    OK(hed_nav2_config_set(config, "batch_size", "512", &error));
    for (int y = 0; y < SIDE; y++) cells[y * SIDE + SIDE - 1] = 254;
    return config;
}

/* Checks a refusal, and clears it. */
static void refused(hed_status expected, hed_status status, const char *text)
{
    CHECK_EQ(status, expected, "%s", error.text);
    CHECK(strstr(error.text, text), "found \"%s\"; expected \"%s\"", error.text, text);
    hed_error_clear(&error);
}

/* A curve of 100 poses from (0.5, 1), 4 m long. */
static void make_path(hed_nav2_pose *poses)
{
    for (int i = 0; i < 100; i++) {
        double s = 0.04 * i;
        poses[i] = (hed_nav2_pose){0.5 + s, 1 + 0.3 * s * s / 4, atan(0.15 * s)};
    }
}

static hed_nav2_pose moved(hed_nav2_pose p, hed_nav2_velocity v)
{
    p.yaw += 0.05 * v.wz;
    p.x += 0.05 * v.vx * cos(p.yaw);
    p.y += 0.05 * v.vx * sin(p.yaw);
    return p;
}

/* A drive of some cycles. */
typedef struct live_drive {
    hed_nav2 *controller;
    hed_nav2_pose pose;
    hed_nav2_velocity speed;
    hed_nav2_result result;
} live_drive;

static void go(live_drive *d, int cycles)
{
    for (int i = 0; i < cycles; i++) {
        OK(hed_nav2_compute(d->controller, d->pose, d->speed, &grid, &d->result, &error));
        CHECK_EQ(d->result.outcome, HED_NAV2_VALID, "cycle %d", i);
        d->speed = d->result.command;
        d->pose = moved(d->pose, d->speed);
    }
}

static live_drive begin(const hed_nav2_config *config)
{
    live_drive d = {.pose = {0.5, 1, 0}};
    hed_nav2_pose poses[100];
    make_path(poses);
    OK(hed_nav2_create(config, 1, true, &d.controller, &error));
    OK(hed_nav2_set_path(d.controller, poses, 100, &error));
    return d;
}

Test(mppi_nav2_live, a_path_in_another_frame)
{
    static const char *const files[] = {"nav2_params", "nav2_params_jazzy"};
    for (int f = 0; f < 2; f++) {
        hed_nav2_config *config = open_config(files[f]);
        live_drive plain = begin(config), turned = begin(config);
        const hed_nav2_pose frame = {3, -2, 0.7}; /* of the path, in the costmap's frame */
        hed_nav2_pose poses[100];
        make_path(poses);
        for (int i = 0; i < 100; i++) {
            double x = poses[i].x - frame.x, y = poses[i].y - frame.y;
            poses[i] = (hed_nav2_pose){x * cos(frame.yaw) + y * sin(frame.yaw),
                y * cos(frame.yaw) - x * sin(frame.yaw), poses[i].yaw - frame.yaw};
        }
        OK(hed_nav2_set_path(turned.controller, poses, 100, &error));
        OK(hed_nav2_set_frame(turned.controller, frame, &error));
        for (int i = 0; i < 40; i++) {
            turned.pose = plain.pose;
            turned.speed = plain.speed;
            go(&turned, 1);
            go(&plain, 1);
            EXPECT_NEAR(turned.result.path_length, plain.result.path_length, 1e-9, "cycle %d", i);
            EXPECT_NEAR(turned.result.command.vx, plain.result.command.vx, 0.01, "cycle %d", i);
        }
        CHECK_GT(plain.pose.x, 0.9, "%s", "the robot moves");
        refused(HED_ERROR_ARGUMENT,
            hed_nav2_set_frame(plain.controller, (hed_nav2_pose){NAN, 0, 0}, &error),
            "the frame of the path is not finite");
        hed_nav2_destroy(plain.controller);
        hed_nav2_destroy(turned.controller);
        hed_nav2_config_free(config);
    }
}

Test(mppi_nav2_live, a_path_that_is_pruned_already)
{
    hed_nav2_config *config = open_config("nav2_params");
    live_drive own = begin(config), given = begin(config);
    hed_nav2_pose poses[100];
    make_path(poses);
    for (int i = 0; i < 40; i++) {
        go(&own, 1);
        uint32_t count;
        const hed_nav2_pose *pruned = hed_nav2_path(own.controller, &count);
        OK(hed_nav2_set_pruned_path(given.controller, pruned, count, poses[99], &error));
        go(&given, 1);
        CHECK_EQ(given.result.command.vx, own.result.command.vx, "cycle %d", i);
        CHECK_EQ(given.result.command.wz, own.result.command.wz, "cycle %d", i);
        CHECK_NEAR(given.result.path_length, own.result.path_length, 1e-12, "cycle %d", i);
    }
    refused(HED_ERROR_ARGUMENT,
        hed_nav2_set_pruned_path(given.controller, poses, 0, poses[0], &error),
        "the path has 0 poses");
    hed_nav2_destroy(own.controller);
    hed_nav2_destroy(given.controller);
    hed_nav2_config_free(config);
}

Test(mppi_nav2_live, parameters_change_and_the_plan_stays)
{
    hed_nav2_config *config = open_config("nav2_params");
    live_drive d = begin(config);
    hed_nav2_set_speed_limit(d.controller, 60, true);
    go(&d, 40);
    CHECK_NEAR(d.speed.vx, 0.3, 0.02, "%s", "60 per cent of 0.5 m/s");
    OK(hed_nav2_config_set(config, "batch_size", "700", &error));
    OK(hed_nav2_config_set(config, "time_steps", "40", &error));
    OK(hed_nav2_adopt(d.controller, config, &error));
    uint32_t samples, steps;
    hed_nav2_sizes(d.controller, &samples, &steps);
    CHECK_EQ(samples, 700, "%s", "futures");
    CHECK_EQ(steps, 40, "%s", "steps");
    go(&d, 1);
    CHECK_GT(d.speed.vx, 0.25, "%s", "neither plan nor last command is lost");
    go(&d, 10);
    CHECK_LT(d.speed.vx, 0.301, "%s", "nor the speed limit");
    hed_nav2_set_speed_limit(d.controller, 0.1, false);
    go(&d, 10);
    CHECK_NEAR(d.speed.vx, 0.1, 0.01, "%s", "m/s");
    OK(hed_nav2_config_set(config, "controller_frequency", "10", &error));
    refused(HED_ERROR_ARGUMENT, hed_nav2_adopt(d.controller, config, &error), "controller_frequency is 10 Hz");
    go(&d, 1);
    hed_nav2_destroy(d.controller);
    hed_nav2_config_free(config);
}

/* A path handler has cut a pruned path already: its cusp is no end; of another path it is. */
Test(mppi_nav2_live, parameters_change_and_a_pruned_path_stays_whole)
{
    hed_nav2_config *config = open_config("nav2_params");
    OK(hed_nav2_config_set(config, "enforce_path_inversion", "true", &error));
    live_drive d = begin(config);
    hed_nav2_pose poses[100];
    for (int i = 0; i < 100; i++)
        poses[i] = (hed_nav2_pose){0.5 + 0.04 * (i < 50 ? i : 100 - i), 1, 0};
    for (int pruned = 0; pruned < 2; pruned++) {
        OK(pruned ? hed_nav2_set_pruned_path(d.controller, poses, 100, poses[99], &error)
                  : hed_nav2_set_path(d.controller, poses, 100, &error));
        OK(hed_nav2_adopt(d.controller, config, &error));
        EXPECT_EQ(d.controller->route.end, pruned ? 100 : 51);
        EXPECT_EQ(d.controller->route.is_last, pruned);
    }
    hed_nav2_destroy(d.controller);
    hed_nav2_config_free(config);
}

/* Commands that are on their way to the wheels stay the same; with another delay all are the last. */
Test(mppi_nav2_live, parameters_change_and_late_commands_stay)
{
    hed_nav2_config *config = open_config("nav2_params");
    OK(hed_nav2_config_set(config, "model_delay_vx", "0.2", &error));
    live_drive d = begin(config);
    const nav2_axis *axis = &d.controller->axes[NAV2_VX];
    double before[NAV2_MOST_DELAY];
    go(&d, 6); /* the robot still accelerates */
    uint32_t delay = axis->delay;
    CHECK(delay > 2 && axis->commands[0] < axis->commands[delay - 1], "%u", delay);
    memcpy(before, axis->commands, sizeof before);
    OK(hed_nav2_adopt(d.controller, config, &error));
    EXPECT_BYTES(axis->commands, before, delay * sizeof *before);
    OK(hed_nav2_config_set(config, "model_delay_vx", "0.4", &error));
    OK(hed_nav2_adopt(d.controller, config, &error));
    CHECK_GT(axis->delay, delay);
    for (uint32_t k = 0; k < axis->delay; k++) EXPECT_EQ(axis->commands[k], axis->last, "%u", k);
    hed_nav2_destroy(d.controller);
    hed_nav2_config_free(config);
}

Test(mppi_nav2_live, the_footprint_of_the_costmap)
{
    hed_nav2_config *config = open_config("nav2_params");
    OK(hed_nav2_config_set(config, "CostCritic.consider_footprint", "true", &error));
    live_drive d = begin(config);
    /* a lethal bar ahead at the side: beside a narrow robot, within a wide one */
    memset(cells, 0, sizeof cells);
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++)
            if (y >= 28 && y < 30) cells[y * SIDE + x] = x > 14 ? 254 : 0;
    const double narrow[4][2] = {{0.1, 0.1}, {-0.1, 0.1}, {-0.1, -0.1}, {0.1, -0.1}};
    const double wide[4][2] = {{0.1, 0.8}, {-0.1, 0.8}, {-0.1, -0.8}, {0.1, -0.8}};
    hed_nav2_surroundings around = {.corners = narrow, .corner_count = 4, .inflation_radius = 0.3,
        .cost_scaling_factor = 3, .goal_distance = -1};
    /* the cell below the centre decides if the outline is checked */
    for (int i = 0; i < SIDE * SIDE; i++)
        if (cells[i] == 0) cells[i] = 200;
    d.pose.x = 1.5;
    OK(hed_nav2_set_surroundings(d.controller, &around, &error));
    OK(hed_nav2_compute(d.controller, d.pose, d.speed, &grid, &d.result, &error));
    EXPECT_LT(d.result.colliding, 0.99f, "%s", "a narrow robot");
    around.corners = wide;
    OK(hed_nav2_set_surroundings(d.controller, &around, &error));
    OK(hed_nav2_compute(d.controller, d.pose, d.speed, &grid, &d.result, &error));
    EXPECT_EQ(d.result.outcome, HED_NAV2_ALL_COLLIDE, "%s", "a wide robot");
    around.corner_count = 2;
    refused(HED_ERROR_ARGUMENT, hed_nav2_set_surroundings(d.controller, &around, &error), "the footprint has 2 corners");
    memset(cells, 0, sizeof cells);
    hed_nav2_destroy(d.controller);
    hed_nav2_config_free(config);
}

Test(mppi_nav2_live, parameters_by_name)
{
    hed_nav2_config *config = open_config("nav2_params");
    hed_nav2_parameter p;
    uint32_t count = 0;
    bool has_weight = false;
    for (; hed_nav2_config_parameter(config, count, &p); count++) {
        if (strcmp(p.name, "CostCritic.cost_weight") != 0) continue;
        has_weight = true;
        EXPECT_EQ(p.kind, HED_NAV2_NUMBER, "%s", p.name);
        EXPECT_EQ(p.value, 3.81, "%s", p.name);
    }
    CHECK(has_weight && count > 70, "%u parameters", count);
    /* a critic that is switched off and on again */
    live_drive d = begin(config);
    go(&d, 1);
    uint32_t critics = 0, without = 0;
    while (hed_nav2_critic_at(d.controller, critics)) critics++;
    OK(hed_nav2_config_set(config, "PathAlignCritic.enabled", "false", &error));
    OK(hed_nav2_adopt(d.controller, config, &error));
    go(&d, 1);
    while (hed_nav2_critic_at(d.controller, without)) without++;
    EXPECT_EQ(without, critics - 1, "%s", "one critic less");
    OK(hed_nav2_config_set(config, "PathAlignCritic.enabled", "true", &error));
    refused(HED_ERROR_ARGUMENT, hed_nav2_config_set(config, "vx_min", "0.6", &error), "vx_min would be 0.6; expected at most vx_max, 0.5");
    OK(hed_nav2_config_set(config, "vx_min", "-0.2", &error));
    OK(hed_nav2_config_set(config, "ax_min", "2", &error)); /* as Nav2: negative in any case */
    OK(hed_nav2_config_set(config, "prune_distance", "1.5", &error));
    hed_nav2_destroy(d.controller);
    hed_nav2_config_free(config);
}

Test(mppi_nav2_live, values_without_a_file)
{
    static const char text[] = "controller_server:\n  ros__parameters:\n    FollowPath.plugin: heddle_mppi_controller::Controller\n"
                               "    FollowPath.vx_max: fast\n";
    hed_nav2_config *config;
    FAILS(HED_ERROR_FORMAT, hed_nav2_config_parse(text, sizeof text - 1, NULL, &config, &error));
    CHECK_TEXT(error.text, "FollowPath.vx_max: expected a number, found \"fast\"", "%s", "no place");
    CHECK(strncmp(error.text, "FollowPath.vx_max", 17) == 0, "%s", error.text);
}

/* Drives from a pose along a path; returns the closest distance to its end. */
static double closest(hed_nav2_config *config, const hed_nav2_grid *on, hed_nav2_pose start,
    const hed_nav2_pose *poses, uint32_t count, int cycles)
{
    live_drive d = {.pose = start};
    double closest_distance = INFINITY;
    OK(hed_nav2_create(config, 1, false, &d.controller, &error));
    OK(hed_nav2_set_path(d.controller, poses, count, &error));
    for (int i = 0; i < cycles; i++) {
        OK(hed_nav2_compute(d.controller, d.pose, d.speed, on, &d.result, &error));
        CHECK_EQ(d.result.outcome, HED_NAV2_VALID, "cycle %d", i);
        d.speed = d.result.command;
        d.pose = moved(d.pose, d.speed);
        double x = poses[count - 1].x - d.pose.x, y = poses[count - 1].y - d.pose.y;
        closest_distance = fmin(closest_distance, sqrt(x * x + y * y));
    }
    hed_nav2_destroy(d.controller);
    return closest_distance;
}

Test(mppi_nav2_live, corner_cases_of_paths)
{
    static const char *const files[] = {"nav2_params", "nav2_params_jazzy"};
    for (int f = 0; f < 2; f++) {
        hed_nav2_config *config = open_config(files[f]);
        const hed_nav2_pose one[] = {{1.5, 1, 0}}, same[] = {{1.5, 1, 0}, {1.5, 1, 0}, {1.5, 1, 0}};
        const hed_nav2_pose behind[] = {
            {1.4, 1, M_PI}, {1.2, 1, M_PI}, {1, 1, M_PI}, {0.6, 1, M_PI}};
        hed_nav2_pose backwards[40];
        for (int i = 0; i < 40; i++) backwards[i] = (hed_nav2_pose){2 - 0.05 * i, 1, 0};
        hed_nav2_pose start = {1, 1, 0};
        EXPECT_LT(closest(config, &grid, start, one, 1, 120), 0.2, "%s: a path of one pose", files[f]);
        EXPECT_LT(closest(config, &grid, start, same, 3, 120), 0.2, "%s: three equal poses", files[f]);
        EXPECT_LT(closest(config, &grid, (hed_nav2_pose){1.5, 1, 0}, behind, 4, 300), 0.3,
            "%s: a goal behind the robot", files[f]);
        EXPECT_LT(closest(config, &grid, (hed_nav2_pose){2, 1, 0}, backwards, 40, 600), 0.3,
            "%s: a path driven in reverse", files[f]);
        hed_nav2_config_free(config);
    }
}

Test(mppi_nav2_live, corner_cases_of_maps)
{
    static uint8_t odd[53 * 47];
    const hed_nav2_grid map = {53, 47, 0.0731, -0.4, 0.13, odd};
    const hed_nav2_pose path[] = {{0.6, 1, 0}, {1, 1, 0}, {1.5, 1.05, 0.1}, {2, 1.1, 0.1}};
    hed_nav2_config *config = open_config("nav2_params");
    EXPECT_LT(closest(config, &map, path[0], path, 4, 200), 0.2, "%s", "a map of odd resolution");
    /* a corridor of unknown cells: no obstacle where unknown space is tracked, else a collision */
    memset(odd, 255, sizeof odd);
    for (int tracks = 0; tracks < 2; tracks++) {
        live_drive d = {.pose = path[0]};
        const double box[4][2] = {{0.1, 0.1}, {-0.1, 0.1}, {-0.1, -0.1}, {0.1, -0.1}};
        OK(hed_nav2_create(config, 1, true, &d.controller, &error));
        OK(hed_nav2_set_path(d.controller, path, 4, &error));
        OK(hed_nav2_set_surroundings(
            d.controller, &(hed_nav2_surroundings){box, 4, true, 0.5, 3, tracks, 0.25}, &error));
        OK(hed_nav2_compute(d.controller, d.pose, d.speed, &map, &d.result, &error));
        EXPECT_EQ(d.result.outcome, tracks ? HED_NAV2_VALID : HED_NAV2_ALL_COLLIDE, "%d", tracks);
        hed_nav2_destroy(d.controller);
    }
    hed_nav2_config_free(config);
}
