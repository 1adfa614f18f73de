/* Nav2's controller against numbers of an independent transcription in double precision
 * (tests/golden/mppi_nav2.json): inflation, furthest point, every critic in both releases, whole
 * steps of the solver, path handler; and the two routes of data/mppi/nav2 in a closed loop. */
#include <math.h>
#include <stdlib.h>

#include "nav2_cases.h"
#include "nav2_routes.h"

static hed_error error;

TestSuite(mppi_nav2, .init = cases_open, .fini = cases_close);

/* ---- the furthest point and the inflation ---- */

Test(mppi_nav2, furthest_points)
{
    for (size_t i = 0; i < case_count(); i++) {
        nav2_case c;
        case_open(&c, i);
        for (int release = 0; release < 2; release++) {
            c.config.settings.release = (hed_nav2_release)release;
            EXPECT_EQ(nav2_furthest_tile(&c.cycle, &c.tile, c.arc, 0), c.furthest[release], "case %zu", i);
        }
        case_close(&c);
    }
}

Test(mppi_nav2, inflated_cells)
{
    for (size_t i = 0; i < case_count(); i++) {
        nav2_case c;
        case_open(&c, i);
        hed_json_node map = member(c.node, "map");
        size_t cells = (size_t)c.grid.width * c.grid.height;
        float *values = calloc(cells, sizeof *values);
        uint8_t *found = malloc(cells);
        static const char *const kinds[] = {"obstacles", "unknown"};
        for (int kind = 0; kind < 2; kind++) {
            hed_json_node list = member(map, kinds[kind]);
            for (size_t n = 0; n < hed_json_count(list); n++) {
                double box[4];
                hed_json_numbers(hed_json_item(list, n), box, 4, 0, 1e6);
                for (uint32_t y = (uint32_t)box[1]; y < box[3]; y++)
                    for (uint32_t x = (uint32_t)box[0]; x < box[2]; x++)
                        values[y * c.grid.width + x] = kind == 0 ? 1 : -1;
            }
        }
        const hed_mppi_map occupied = {
            c.grid.width, c.grid.height, c.grid.resolution, 0, 0, values};
        OK(hed_nav2_inflate(&c.config, &occupied, found, &error));
        EXPECT_BYTES(found, c.cells, cells, "case %zu", i);
        free(found);
        free(values);
        case_close(&c);
    }
}

/* ---- the critics ---- */

/* Computes the costs of a row, and compares; returns the largest relative difference. */
static double critic_compare(nav2_case *c, hed_json_node row, hed_nav2_release release)
{
    hed_json_node expected = member(row, "expected"), of = member(expected, release ? "lyrical" : "jazzy");
    if (hed_json_kind_of(of) == HED_JSON_STRING) of = member(expected, "lyrical");
    nav2_settings *s = &c->config.settings;
    s->release = release;
    int index = critic_set(s, row);
    memset(c->cost, 0, sizeof c->cost);
    c->tile.collided[0] = c->tile.collided[1] = 0;
    c->cycle.furthest = c->furthest[release];
    nav2_gates(&c->cycle, NAV2_ROLLED);
    nav2_gates(&c->cycle, NAV2_REACHED);
    const char *name = nav2_critic_blocks[index].name;
    EXPECT_EQ(c->cycle.active != 0, hed_json_boolean(member(of, "active")), "%s", name);
    if (!c->cycle.active) return 0;
    nav2_score_tile(&c->cycle, &c->tile, NAV2_ROLLED);
    nav2_score_tile(&c->cycle, &c->tile, NAV2_REACHED);
    if (index == NAV2_ObstaclesCritic)
        nav2_finish_obstacles(&c->cycle, c->raw, c->repulsion, c->tile.lanes, c->cost);
    uint32_t hits = c->tile.collided[index == NAV2_ObstaclesCritic];
    EXPECT_EQ(hits == c->tile.lanes, hed_json_boolean(member(of, "all_collide")), "%s", name);
    hed_json_node costs = member(of, "costs");
    double largest = 0;
    for (uint32_t l = 0; l < c->tile.lanes; l++) {
        double value = number_at(costs, l),
               off = fabs((double)c->cost[l] - value) / fmax(1, fabs(value));
        EXPECT_LE(off, 1e-5, "%s of future %u: %.9g for %.9g", name, l, (double)c->cost[l], value);
        if (off > largest) largest = off;
    }
    return largest;
}

Test(mppi_nav2, critics)
{
    double largest = 0;
    uint32_t rows = 0;
    for (size_t i = 0; i < case_count(); i++) {
        nav2_case c;
        case_open(&c, i);
        hed_json_node critics = member(c.node, "critics");
        for (size_t k = 0; k < hed_json_count(critics); k++)
            for (int release = 0; release < 2; release++, rows++)
                largest = fmax(largest,
                    critic_compare(&c, hed_json_item(critics, k), (hed_nav2_release)release));
        case_close(&c);
    }
    CHECK_EQ(rows, 144, "%s", "rows of all cases");
    CHECK_LT(largest, 1e-5, "%s", "largest difference");
}

/* ---- whole steps ---- */

/* A controller with the settings of a step. */
static hed_nav2 *step_open(hed_json_node node)
{
    hed_nav2_config config = {0};
    nav2_settings *s = &config.settings;
    nav2_settings_default(s);
    s->model = (hed_nav2_model)hed_json_choice(member(node, "model"), MODELS);
    s->min_turning_r = number(node, "min_turning_r");
    hed_json_node settings = member(node, "settings"), limits = member(settings, "limits");
    s->server.controller_frequency = number(settings, "controller_frequency");
    for (size_t i = 0; i < nav2_control_block.count; i++) {
        const nav2_row *row = &nav2_control_block.rows[i];
        hed_json_node of = hed_json_has(limits, row->name) ? limits : settings;
        if (!hed_json_has(of, row->name)) continue;
        *nav2_member(s, &nav2_control_block, i) = row->kind == NAV2_FLAG
                                                      ? hed_json_boolean(member(of, row->name))
                                                      : number(of, row->name);
    }
    hed_nav2 *n;
    OK(hed_nav2_create(&config, 1, false, &n, &error));
    n->cycle.settings = &n->settings;
    hed_json_node pose = member(node, "pose"), limit = member(node, "speed_limit");
    n->cycle.pose = (hed_nav2_pose){number_at(pose, 0), number_at(pose, 1), number_at(pose, 2)};
    if (hed_json_kind_of(limit) == HED_JSON_OBJECT)
        hed_nav2_set_speed_limit(n, number(limit, "value"), hed_json_boolean(member(limit, "percentage")));
    return n;
}

static const char *const AXES[] = {"vx", "vy", "wz"};

static void step_take_state(hed_nav2 *n, hed_json_node node)
{
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        a->last = number(member(node, "last_command"), AXES[i]);
        for (uint32_t t = 0; t < n->steps; t++)
            a->plan[t] = (float)number_at(member(member(node, "plan"), AXES[i]), t);
        hed_json_numbers(member(member(node, "filter_history"), AXES[i]), a->history, 4, -10, 10);
        hed_json_node sent = member(node, "command_history");
        if (hed_json_kind_of(sent) == HED_JSON_OBJECT)
            hed_json_numbers(member(sent, AXES[i]), a->commands, a->delay, -10, 10);
        for (uint32_t l = 0; l < n->samples; l++)
            for (uint32_t t = 0; t < n->steps; t++)
                n->noise[i][t * NAV2_LANES + l] =
                    (float)number_at(hed_json_item(member(member(node, "noise"), AXES[i]), l), t);
    }
}

static void step_compare(const hed_nav2 *n, hed_json_node expected, const float *costs)
{
    for (uint32_t l = 0; l < n->samples; l++) {
        EXPECT_NEAR((double)costs[l], number_at(member(expected, "costs"), l), 1e-5, "cost of future %u", l);
        EXPECT_NEAR((double)n->weight[l], number_at(member(expected, "weights"), l), 1e-5, "weight %u", l);
        for (uint32_t t = 0; t < n->steps; t++) {
            size_t at = (size_t)t * NAV2_LANES + l;
            EXPECT_NEAR((double)n->x[at], number_at(hed_json_item(member(expected, "x"), l), t),
                1e-5, "x %u %u", l, t);
            EXPECT_NEAR((double)n->y[at], number_at(hed_json_item(member(expected, "y"), l), t),
                1e-5, "y %u %u", l, t);
            EXPECT_NEAR((double)n->yaw[at], number_at(hed_json_item(member(expected, "yaw"), l), t),
                1e-5, "yaw %u %u", l, t);
        }
    }
    for (int i = 0; i < NAV2_AXES; i++) {
        if (!n->axes[i].used) continue;
        for (uint32_t t = 0; t < n->steps; t++)
            EXPECT_NEAR((double)n->axes[i].plan[t],
                number_at(member(member(expected, "plan"), AXES[i]), t), 1e-5, "%s %u of the plan",
                AXES[i], t);
        EXPECT_NEAR(n->axes[i].start, number(member(expected, "speed"), AXES[i]), 1e-5,
            "start of %s", AXES[i]);
        for (size_t k = 0; k < 4; k++)
            EXPECT_NEAR(n->axes[i].history[k],
                number_at(member(member(expected, "filter_history"), AXES[i]), k), 1e-5,
                "history of %s", AXES[i]);
    }
}

Test(mppi_nav2, whole_steps)
{
    hed_json_node steps = member(hed_json_root(cases), "steps");
    for (size_t k = 0; k < hed_json_count(steps); k++) {
        hed_json_node node = hed_json_item(steps, k), expected = member(node, "expected");
        hed_json_node measured = member(node, "measured");
        hed_nav2 *n = step_open(node);
        step_take_state(n, node);
        float arc[NAV2_LANES], effective;
        double vy = n->axes[NAV2_VY].used ? number(measured, "vy") : 0;
        nav2_start(n, (hed_nav2_velocity){number(measured, "vx"), vy, number(measured, "wz")});
        nav2_roll_tile(n, 0, false, arc);
        for (uint32_t l = 0; l < n->samples; l++)
            n->cost[l] += (float)number_at(member(node, "costs"), l);
        nav2_weigh_futures(n, &effective);
        nav2_update(n);
        step_compare(n, expected, n->cost);
        hed_nav2_velocity sent = nav2_send(n);
        const double values[] = {sent.vx, sent.vy, sent.wz};
        for (int i = 0; i < NAV2_AXES; i++)
            if (n->axes[i].used)
                EXPECT_NEAR(values[i], number(member(expected, "command"), AXES[i]), 1e-5, "%s sent", AXES[i]);
        hed_nav2_destroy(n);
    }
}

/* ---- the path handler ---- */

Test(mppi_nav2, pruned_paths)
{
    static const uint8_t cells[400 * 400] = {0};
    const hed_nav2_grid grid = {400, 400, 0.1, -20, -20, cells};
    hed_json_node list = member(hed_json_root(cases), "path_handler");
    for (size_t k = 0; k < hed_json_count(list); k++) {
        hed_json_node node = hed_json_item(list, k), expected = member(node, "expected");
        hed_json_node parameters = member(node, "parameters"), path = member(node, "path"), at = member(node, "pose");
        const char *name = hed_json_string(member(node, "name"));
        hed_nav2_config config = {0};
        nav2_settings_default(&config.settings);
        config.settings.control.batch_size = 8;
        config.settings.path.prune_distance = number(parameters, "prune_distance");
        config.settings.path.max_robot_pose_search_dist = number(parameters, "max_robot_pose_search_dist");
        config.settings.path.enforce_path_inversion = hed_json_has(parameters, "enforce_path_inversion");
        hed_nav2 *n;
        OK(hed_nav2_create(&config, 1, false, &n, &error));
        hed_nav2_pose poses[64];
        uint32_t count = (uint32_t)hed_json_count(path);
        for (uint32_t i = 0; i < count; i++) {
            hed_json_node pose = hed_json_item(path, i);
            poses[i] = (hed_nav2_pose){number_at(pose, 0), number_at(pose, 1), number_at(pose, 2)};
        }
        OK(hed_nav2_set_path(n, poses, count, &error));
        uint32_t end = n->route.end;
        EXPECT_EQ(n->route.is_last ? 0 : end, (uint32_t)number(expected, "cut_at"), "%s", name);
        CHECK(nav2_prune(
            n, &grid, (hed_nav2_pose){number_at(at, 0), number_at(at, 1), number_at(at, 2)}));
        EXPECT_EQ(n->route.first, (uint32_t)number(expected, "first"), "%s", name);
        EXPECT_EQ(n->route.left_count, (uint32_t)number(expected, "points"), "%s", name);
        EXPECT_NEAR(n->cycle.path.length, number(expected, "length"), 1e-5, "%s", name);
        EXPECT_EQ(n->route.end != end, hed_json_boolean(member(expected, "next_part")), "%s", name);
        hed_nav2_destroy(n);
    }
}

/* ---- routes of Nav2, in a closed loop ---- */

static void route_takes(const char *name, hed_nav2_pose start, double seconds)
{
    nav2_world w;
    world_open(&w, "nav2_params", name, NULL);
    nav2_drive d = drive(w.config, &w.grid, start, w.path, w.count, true, 60);
    printf("%s: %.2f s for %.2f, gap %.3f m, %u detours\n", name, d.seconds, seconds, d.gap, d.detours);
    EXPECT(d.arrived && !d.touched && d.failures == 0, "%s: arrived %d, touched %d, %u failures", name, d.arrived, d.touched, d.failures);
    EXPECT_NEAR(d.seconds, seconds, 0.05 * seconds, "%s", name);
    world_close(&w);
}

Test(mppi_nav2, doorway) { route_takes("doorway", (hed_nav2_pose){0.6, 0.6, 1.2}, 28.32); }
Test(mppi_nav2, pillars) { route_takes("pillars", (hed_nav2_pose){0.5, 0.5, 0}, 18.45); }

/* Heddle's own path between the same poses: a corner of the grid would cost three seconds. */
Test(mppi_nav2, doorway_by_a_goal_alone)
{
    nav2_world w;
    world_open(&w, "nav2_params", "doorway", NULL);
    const hed_nav2_pose start = {0.6, 0.6, 1.2};
    hed_nav2_pose *path, goal = w.path[w.count - 1];
    uint32_t count;
    OK(hed_nav2_find_path(&w.grid, start, goal, &path, &count, &error));
    path[count - 1].yaw = goal.yaw;
    nav2_drive d = drive(w.config, &w.grid, start, path, count, true, 60);
    EXPECT(d.arrived && !d.touched && d.failures == 0);
    EXPECT_NEAR(d.seconds, 28.32, 0.05 * 28.32);
    free(path);
    world_close(&w);
}

/* With both releases: a path with a corner at the detour's ends would hold up 1.3 and 1.4. */
Test(mppi_nav2, a_disc_on_the_path)
{
    static const char *const files[] = {"nav2_params", "nav2_params_jazzy"};
    for (int f = 0; f < 2; f++) {
        nav2_world w;
        world_open(&w, files[f], "pillars", (const double[]){3.68, 1.73, 0.2});
        nav2_drive d =
            drive(w.config, &w.grid, (hed_nav2_pose){0.5, 0.5, 0}, w.path, w.count, true, 40);
        printf("%s: disc: %.2f s, gap %.3f m, %u detours, at %.2f %.2f\n", files[f], d.seconds,
            d.gap, d.detours, d.end.x, d.end.y);
        EXPECT(d.arrived && !d.touched && d.detours > 0, "%s: arrived %d, touched %d", files[f],
            d.arrived, d.touched);
        if (f == 0) {
            d = drive(w.config, &w.grid, (hed_nav2_pose){0.5, 0.5, 0}, w.path, w.count, false, 60);
            EXPECT(!d.arrived && !d.touched, "as Nav2 it rests in front of the disc");
        }
        world_close(&w);
    }
}
