/* Nav2's controller with other motion models, on whole routes: sideways drives of an omnidirectional
 * robot, turning radii, reversing at cusps of the path, and failures. */
#include "nav2_routes.h"

#include "support/file.h"

/* Replaces the first occurrence of a text, which must be there. */
static char *replaced(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from), *result = NULL;
    CHECK(at, "no \"%s\" in the file", from);
    size_t size = strlen(text) + strlen(to) + 1;
    result = malloc(size);
    snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return result;
}

/* Reads data/mppi/nav2/FILE.yaml with replacements, pairs up to a NULL. */
static hed_nav2_config *config_of(const char *file, const char *const *pairs)
{
    char path[128], *text;
    size_t size;
    hed_error error = {0};
    hed_nav2_config *config;
    snprintf(path, sizeof path, "data/mppi/nav2/%s.yaml", file);
    OK(hed_file_read(path, 1 << 20, &text, &size, &error));
    for (; pairs && *pairs; pairs += 2) text = replaced(text, pairs[0], pairs[1]);
    OK(hed_nav2_config_parse(text, strlen(text), path, &config, &error));
    free(text);
    return config;
}

static hed_nav2_config *lyrical_of(const char *model, const char *const *pairs)
{
    char plugin[64];
    snprintf(plugin, sizeof plugin, "mppi::%sMotionModel\", min_turning_r: 0.4", model);
    const char *all[16] = {"mppi::DiffDriveMotionModel\"", plugin};
    for (size_t i = 0; pairs && pairs[i] && i < 13; i++) all[i + 2] = pairs[i];
    return config_of("nav2_params", all);
}

/* A drive, with extremes of its commands. */
typedef struct model_drive {
    bool arrived, touched;
    double seconds, sideways,
        radius;               /* m; radius: least |vx| / |wz| of all values of all plans, m */
    double reversed, forward; /* lengths driven in both directions, m */
    hed_nav2_pose turn;       /* at the first reversing */
    uint32_t failures;
    hed_nav2_pose end;
} model_drive;

static model_drive model_go(const hed_nav2_config *config, const hed_nav2_grid *grid,
    hed_nav2_pose start, const hed_nav2_pose *path, uint32_t count, double limit)
{
    model_drive d = {.end = start, .radius = INFINITY};
    hed_nav2_config_info info = hed_nav2_config_describe(config);
    hed_error error = {0};
    hed_nav2 *n;
    OK(hed_nav2_create(config, 1, true, &n, &error));
    OK(hed_nav2_set_path(n, path, count, &error));
    hed_nav2_velocity speed = {0};
    hed_nav2_pose goal = path[count - 1];
    for (uint32_t step = 0; !d.arrived && step * info.period < limit; step++) {
        hed_nav2_result result;
        OK(hed_nav2_compute(n, d.end, speed, grid, &result, &error));
        speed = result.command;
        for (uint32_t t = 0; t < n->steps; t++) {
            double turn = fabs((double)n->axes[NAV2_WZ].plan[t]);
            double radius = fabs((double)n->axes[NAV2_VX].plan[t]) / turn;
            if (turn > 1e-6 && radius < d.radius) d.radius = radius;
        }
        d.failures += result.outcome != HED_NAV2_VALID;
        d.sideways = fmax(d.sideways, fabs(speed.vy));
        if (d.reversed < 0.1) d.turn = d.end;
        *(speed.vx < 0 ? &d.reversed : &d.forward) += fabs(speed.vx) * info.period;
        d.end = drive_move(d.end, speed, info.period);
        d.seconds += info.period;
        d.touched = d.touched || hed_nav2_touches(config, grid, d.end);
        d.arrived = result.path_length <= info.goal_path_length &&
                    nav2_length(goal.x - d.end.x, goal.y - d.end.y) <= info.goal_distance &&
                    fabs(remainder(goal.yaw - d.end.yaw, 2 * M_PI)) <= info.goal_angle;
    }
    hed_nav2_destroy(n);
    return d;
}

static uint8_t free_cells[160 * 160];
static const hed_nav2_grid free_grid = {160, 160, 0.05, 0, 0, free_cells};

/* ---- omnidirectional ---- */

/* With noise drawn in each cycle an independent program in double precision, written from the
 * formulas, takes 17.05 to 17.15 s. Nav2's own five runs with its one kept noise, which is the same at
 * every start, took 19.15 to 19.95; the program's and Heddle's take 16.4 to 18.2 with kept ones. */
Test(mppi_nav2_models, omni_takes_the_time_of_the_formulas)
{
    static const char *const twirls[] = {"PathAngleCritic, PreferForwardCritic]", "PathAngleCritic, TwirlingCritic]",
        "min_y_velocity_threshold: 0.5", "min_y_velocity_threshold: 0.001", NULL};
    nav2_world w;
    world_open(&w, "nav2_params", "pillars", NULL);
    hed_nav2_config *config = lyrical_of("Omni", twirls);
    model_drive d = model_go(config, &w.grid, (hed_nav2_pose){0.5, 0.5, 0}, w.path, w.count, 60);
    EXPECT(d.arrived && !d.touched && d.failures == 0, "arrived %d, touched %d", d.arrived, d.touched);
    EXPECT_NEAR(d.seconds, 17.1, 0.02 * 17.1, "%s", "time");
    EXPECT_GT(d.sideways, 0.1, "%s", "speed sideways");
    hed_nav2_config_free(config);
    world_close(&w);
}

/* A path across the heading, all poses turned alike: the robot strafes. */
Test(mppi_nav2_models, omni_strafes)
{
    static const char *const twirls[] = {"PathAngleCritic, PreferForwardCritic]", "TwirlingCritic]",
        "min_y_velocity_threshold: 0.5", "min_y_velocity_threshold: 0.001", NULL};
    hed_nav2_pose path[81];
    for (int i = 0; i < 81; i++) path[i] = (hed_nav2_pose){3, 2 + 0.05 * i, 0};
    hed_nav2_config *config = lyrical_of("Omni", twirls);
    model_drive d = model_go(config, &free_grid, path[0], path, 81, 40);
    EXPECT(d.arrived && d.failures == 0, "arrived %d at %.2f %.2f", d.arrived, d.end.x, d.end.y);
    EXPECT_GT(d.sideways, 0.4, "%s", "speed sideways");
    EXPECT_LT(fabs(d.end.yaw), 0.25, "%s", "heading");
    hed_nav2_config_free(config);
}

/* ---- cars ---- */

Test(mppi_nav2_models, ackermann_keeps_its_radius)
{
    static const char *const maps[] = {"pillars", "doorway"};
    const hed_nav2_pose starts[] = {{0.5, 0.5, 0}, {0.6, 0.6, 1.2}};
    hed_nav2_config *config = lyrical_of("Ackermann", NULL);
    for (int m = 0; m < 2; m++) {
        nav2_world w;
        world_open(&w, "nav2_params", maps[m], NULL);
        model_drive d = model_go(config, &w.grid, starts[m], w.path, w.count, 90);
        EXPECT(d.arrived && !d.touched, "%s: arrived %d, touched %d, at %.2f %.2f", maps[m],
            d.arrived, d.touched, d.end.x, d.end.y);
        EXPECT_GE(d.radius, 0.4 * (1 - 1e-5), "%s: turning radius of all plans", maps[m]);
        world_close(&w);
    }
    hed_nav2_config_free(config);
}

/* A turn in three moves: forward, back in an arc, forward; headings are the robot's. */
static uint32_t three_moves(hed_nav2_pose *path)
{
    uint32_t count = 0;
    hed_nav2_pose p = {2, 3, 0};
    const double curvatures[] = {0.6, -0.6, 0.6}, signs[] = {1, -1, 1};
    for (int leg = 0; leg < 3; leg++)
        for (int i = 0; i < 32; i++) {
            path[count++] = p;
            p.yaw += 0.05 * curvatures[leg] * signs[leg];
            p.x += 0.05 * signs[leg] * cos(p.yaw);
            p.y += 0.05 * signs[leg] * sin(p.yaw);
        }
    return count;
}

Test(mppi_nav2_models, cusps_are_driven)
{
    static const char *const models[] = {"Ackermann", "DiffDrive"};
    static const char *const reverses[] = {"enforce_path_inversion: false",
        "enforce_path_inversion: true", "PathAngleCritic, PreferForwardCritic]", "PathAngleCritic]",
        "max_angle_to_furthest: 1.0, mode: 0", "max_angle_to_furthest: 1.0, mode: 2", NULL};
    hed_nav2_pose path[128];
    uint32_t count = three_moves(path);
    for (int m = 0; m < 2; m++) {
        hed_nav2_config *config = lyrical_of(models[m], reverses);
        model_drive d = model_go(config, &free_grid, path[0], path, count, 60);
        EXPECT(d.arrived && d.failures == 0, "%s: arrived %d at %.2f %.2f", models[m], d.arrived, d.end.x, d.end.y);
        EXPECT_NEAR(d.reversed, 1.6, 0.5, "%s: length of the second move", models[m]);
        double off = nav2_length(d.turn.x - path[31].x, d.turn.y - path[31].y);
        EXPECT_LT(off, 0.35, "%s: reversed at %.2f %.2f", models[m], d.turn.x, d.turn.y);
        hed_nav2_config_free(config);
    }
}

/* ---- failures ---- */

/* All futures collide: retries as many as the limit, no control, and a plan that begins at zero. */
Test(mppi_nav2_models, failures_reset_the_plan)
{
    static const char *const limits[] = {"0", "1", "3"};
    static uint8_t lethal[160 * 160];
    hed_nav2_pose path[81];
    hed_error error = {0};
    for (int i = 0; i < 81; i++) path[i] = (hed_nav2_pose){2 + 0.05 * i, 3, 0};
    memset(lethal, 254, sizeof lethal);
    hed_nav2_grid blocked = free_grid;
    blocked.cells = lethal;
    for (uint32_t k = 0; k < HED_COUNT(limits); k++) {
        hed_nav2_config *config = config_of("nav2_params", NULL);
        OK(hed_nav2_config_set(config, "retry_attempt_limit", limits[k], &error));
        hed_nav2 *n;
        hed_nav2_result r;
        hed_nav2_velocity speed = {0};
        OK(hed_nav2_create(config, 1, true, &n, &error));
        OK(hed_nav2_set_path(n, path, 81, &error));
        for (int i = 0; i < 10; i++) {
            OK(hed_nav2_compute(n, path[0], speed, &free_grid, &r, &error));
            speed = r.command;
        }
        EXPECT_GT(speed.vx, 0.3, "%s", "under way");
        OK(hed_nav2_compute(n, path[0], speed, &blocked, &r, &error));
        EXPECT_EQ(r.outcome, HED_NAV2_ALL_COLLIDE, "limit %s", limits[k]);
        EXPECT_EQ(r.retries, (uint32_t)atoi(limits[k]), "limit %s", limits[k]);
        EXPECT(r.command.vx == 0 && r.command.wz == 0 && r.colliding == 1, "limit %s", limits[k]);
        for (int i = 0; i < NAV2_AXES; i++)
            for (uint32_t t = 0; n->axes[i].used && t < n->steps; t++)
                EXPECT(n->axes[i].plan[t] == 0 && n->axes[i].last == 0, "axis %d, step %u", i, t);
        OK(hed_nav2_compute(n, path[0], (hed_nav2_velocity){0}, &free_grid, &r, &error));
        EXPECT(r.outcome == HED_NAV2_VALID && fabs(r.command.vx) <= 0.15 + 1e-6, "%g m/s, from rest", r.command.vx);
        hed_nav2_destroy(n);
        hed_nav2_config_free(config);
    }
}
