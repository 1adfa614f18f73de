/* ctest: devices */
/* Nav2's critics on a device: the numbers of tests/golden/mppi_nav2.json, cycles against the
 * processor with one noise, noise of the device's own, changes while it runs, and time_steps beyond
 * its local memory. */
#include "nav2_cases.h"
#include "nav2_routes.h"
#include "nav2/nav2_device.h"

static hed_error error;

static test_device here;

static void device_open(void)
{
    here = test_open(NULL);
    cases_open();
}
static void device_close(void)
{
    cases_close();
    test_close(&here);
}
TestSuite(mppi_nav2_device, .init = device_open, .fini = device_close);

/* True if there is a device to compute on; on `host` nothing differs from the processor. */
static bool has_device(void) { return strcmp(hed_device_describe(here.device).backend, "host") != 0; }

/* A controller on the device for the futures of a case. */
static hed_nav2 *case_controller(nav2_case *c, hed_nav2_release release)
{
    nav2_settings *s = &c->config.settings;
    s->release = release;
    s->control.batch_size = c->tile.lanes;
    hed_nav2 *n;
    OK(hed_nav2_create(&c->config, 1, false, &n, &error));
    OK(hed_nav2_use_device(n, here.device, &error));
    return n;
}

/* Computes the costs of a row on the device, and compares; returns the largest relative difference.
 */
static double row_compare(nav2_case *c, hed_nav2 *n, hed_json_node row, hed_nav2_release release)
{
    hed_json_node expected = member(row, "expected"), of = member(expected, release ? "lyrical" : "jazzy");
    if (hed_json_kind_of(of) == HED_JSON_STRING) of = member(expected, "lyrical");
    int index = critic_set(&c->config.settings, row);
    const char *name = nav2_critic_blocks[index].name;
    n->settings = c->config.settings;
    n->cycle = c->cycle;
    n->cycle.settings = &n->settings;
    float costs[NAV2_LANES];
    nav2_solution found;
    OK(nav2_device_score_given(n, &c->tile, costs, &found, &error));
    uint32_t furthest = n->cycle.furthest, active = n->cycle.active;
    n->cycle = (nav2_cycle){0}; /* path and tables are the case's */
    EXPECT_EQ(furthest, c->furthest[release], "%s: furthest point", name);
    EXPECT_EQ(active != 0, hed_json_boolean(member(of, "active")), "%s", name);
    if (!active) return 0;
    EXPECT_EQ(found.collided == c->tile.lanes, hed_json_boolean(member(of, "all_collide")), "%s", name);
    hed_json_node list = member(of, "costs");
    double largest = 0, sum = 0;
    for (uint32_t l = 0; l < c->tile.lanes; l++) {
        double value = number_at(list, l),
               off = fabs((double)costs[l] - value) / fmax(1, fabs(value));
        EXPECT_LE(off, 1e-5, "%s of future %u: %.9g for %.9g", name, l, (double)costs[l], value);
        largest = fmax(largest, off);
        sum += value;
    }
    EXPECT_NEAR(found.sums[index], sum, 1e-5 * fmax(1, sum), "sum of %s", name);
    return largest;
}

Test(mppi_nav2_device, critics)
{
    double largest = 0;
    uint32_t rows = 0;
    for (size_t i = 0; i < case_count() && has_device(); i++) {
        nav2_case c;
        case_open(&c, i);
        hed_json_node critics = member(c.node, "critics");
        for (int release = 0; release < 2; release++) {
            hed_nav2 *n = case_controller(&c, (hed_nav2_release)release);
            for (size_t k = 0; k < hed_json_count(critics); k++, rows++)
                largest = fmax(largest,
                    row_compare(&c, n, hed_json_item(critics, k), (hed_nav2_release)release));
            hed_nav2_destroy(n);
        }
        case_close(&c);
    }
    printf("%u rows, largest difference %.3g\n", rows, largest);
    if (has_device()) CHECK_EQ(rows, 144, "%s", "rows of all cases");
}

/* ---- cycles ---- */

/* Changes of a parameter file, as NAME and VALUE. */
typedef struct device_change {
    const char *key, *value;
} device_change;

static void world_set(nav2_world *w, const device_change *changes)
{
    for (; changes->key; changes++)
        OK(hed_nav2_config_set(w->config, changes->key, changes->value, &error));
}

/* Computes cycles along a route on both, from the processor's poses and plan. */
static void cycles_compare(const char *file, const device_change *changes)
{
    nav2_world w;
    world_open(&w, file, "pillars", NULL);
    world_set(&w, (const device_change[]){{"regenerate_noises", "false"}, {"batch_size", "200"}, {NULL, NULL}});
    world_set(&w, changes);
    hed_nav2 *controllers[2];
    hed_nav2_pose pose = {0.5, 0.5, 0};
    hed_nav2_velocity speed = {0};
    hed_nav2_result results[2];
    for (int k = 0; k < 2; k++) {
        OK(hed_nav2_create(w.config, 1, true, &controllers[k], &error));
        OK(hed_nav2_set_path(controllers[k], w.path, w.count, &error));
    }
    hed_nav2 *host = controllers[0], *n = controllers[1];
    OK(hed_nav2_use_device(n, here.device, &error));
    double off = 0;
    for (int step = 0; step < 20; step++) {
        for (int axis = 0; axis < NAV2_AXES; axis++) {
            nav2_axis *to = &n->axes[axis];
            const nav2_axis *from = &host->axes[axis];
            if (!to->used) continue;
            memcpy(to->plan, from->plan, n->steps * sizeof *to->plan);
            memcpy(to->history, from->history, sizeof to->history);
            memcpy(to->commands, from->commands, sizeof to->commands);
            to->last = from->last;
        }
        for (int k = 0; k < 2; k++)
            OK(hed_nav2_compute(controllers[k], pose, speed, &w.grid, &results[k], &error));
        CHECK_EQ(results[1].outcome, results[0].outcome, "step %d", step);
        CHECK_EQ(results[1].furthest, results[0].furthest, "step %d", step);
        CHECK_NEAR(results[1].colliding, results[0].colliding, 1e-6, "step %d", step);
        double cost = (double)results[0].cost;
        CHECK_NEAR((double)results[1].cost, cost, 2e-5 * fmax(1, cost), "step %d", step);
        hed_nav2_velocity a = results[0].command, b = results[1].command;
        off = fmax(off, fmax(fmax(fabs(a.vx - b.vx), fabs(a.vy - b.vy)), fabs(a.wz - b.wz)));
        CHECK_LE(off, 2e-4, "step %d: command %g %g %g for %g %g %g", step, b.vx, b.vy, b.wz, a.vx, a.vy, a.wz);
        for (uint32_t i = 0; hed_nav2_critic_at(host, i); i++) {
            const hed_nav2_critic *x = hed_nav2_critic_at(host, i), *y = hed_nav2_critic_at(n, i);
            EXPECT_EQ(x->active, y->active, "step %d: %s", step, x->name);
            EXPECT_NEAR(y->mean, x->mean, 1e-4 * fmax(1, x->mean), "step %d: %s", step, x->name);
        }
        float positions[2][2 * 128];
        CHECK_LE(n->steps, 128, "%u", n->steps);
        for (int k = 0; k < 2; k++) hed_nav2_future(controllers[k], 199, positions[k]);
        for (uint32_t t = 0; t < 2 * n->steps; t++)
            EXPECT_NEAR((double)positions[1][t], (double)positions[0][t], 2e-5, "step %d, %u", step, t);
        speed = a;
        pose = drive_move(pose, speed, w.config->settings.control.model_dt);
    }
    printf("%s: largest difference of a command %.3g\n", file, off);
    for (int k = 0; k < 2; k++) hed_nav2_destroy(controllers[k]);
    world_close(&w);
}

Test(mppi_nav2_device, cycles)
{
    if (has_device()) cycles_compare("nav2_params", (const device_change[]){{NULL, NULL}});
}
Test(mppi_nav2_device, cycles_with_delays_and_clamps)
{
    if (has_device())
        cycles_compare("nav2_params",
            (const device_change[]){{"clamp_raw_controls", "true"}, {"model_delay_vx", "0.15"},
                {"iteration_count", "2"}, {"PathAlignCritic.use_path_orientations", "true"}, {NULL, NULL}});
}
Test(mppi_nav2_device, cycles_of_release_1_3)
{
    if (has_device()) cycles_compare("nav2_params_jazzy", (const device_change[]){{NULL, NULL}});
}

/* ---- noise, changes, limits ---- */

/* A controller on the device at the start of pillars. */
static hed_nav2 *pillars_controller(const nav2_world *w, bool on_device)
{
    hed_nav2 *n;
    OK(hed_nav2_create(w->config, 1, true, &n, &error));
    if (on_device) OK(hed_nav2_use_device(n, here.device, &error));
    OK(hed_nav2_set_path(n, w->path, w->count, &error));
    return n;
}
static hed_nav2_result pillars_compute(const nav2_world *w, hed_nav2 *n)
{
    hed_nav2_result result;
    OK(hed_nav2_compute(
        n, (hed_nav2_pose){0.5, 0.5, 0}, (hed_nav2_velocity){0}, &w->grid, &result, &error));
    return result;
}

/* Noise that the device draws has the standard deviations of the file, and differs in each cycle. */
Test(mppi_nav2_device, noise_of_its_own)
{
    nav2_world w;
    if (!has_device()) return;
    world_open(&w, "nav2_params", "pillars", NULL);
    world_set(&w, (const device_change[]){{"regenerate_noises", "true"}, {"batch_size", "2000"}, {NULL, NULL}});
    hed_nav2 *n = pillars_controller(&w, true);
    float first = 0;
    for (int cycle = 0; cycle < 2; cycle++) {
        EXPECT_EQ(pillars_compute(&w, n).outcome, HED_NAV2_VALID);
        OK(nav2_device_fetch(n, &error));
        EXPECT_NE(n->noise[NAV2_VX][0], first, "cycle %d", cycle);
        first = n->noise[NAV2_VX][0];
        for (int axis = 0; axis < NAV2_AXES; axis += NAV2_WZ) {
            double sum = 0, squares = 0, count = n->samples * n->steps, sigma = n->axes[axis].sigma;
            for (uint32_t i = 0; i < n->samples; i++)
                for (uint32_t t = 0; t < n->steps; t++) {
                    size_t at =
                        ((size_t)(i / NAV2_LANES) * n->steps + t) * NAV2_LANES + i % NAV2_LANES;
                    double x = (double)n->noise[axis][at];
                    sum += x;
                    squares += x * x;
                }
            EXPECT_NEAR(sum / count, 0, 0.02 * sigma, "mean of axis %d", axis);
            EXPECT_NEAR(sqrt(squares / count), sigma, 0.02 * sigma, "deviation of axis %d", axis);
        }
    }
    hed_nav2_destroy(n);
    world_close(&w);
}

/* A reset draws other kept noise, and adopted parameters are the device's too. */
Test(mppi_nav2_device, changes_while_it_runs)
{
    nav2_world w;
    if (!has_device()) return;
    world_open(&w, "nav2_params", "pillars", NULL);
    world_set(&w, (const device_change[]){{"regenerate_noises", "false"}, {"batch_size", "200"}, {NULL, NULL}});
    hed_nav2 *both[2] = {pillars_controller(&w, false), pillars_controller(&w, true)};
    hed_nav2_result results[2];
    for (int change = 0; change < 3; change++) {
        if (change == 2) world_set(&w, (const device_change[]){{"batch_size", "300"}, {"time_steps", "40"}, {NULL, NULL}});
        for (int k = 0; k < 2; k++) {
            if (change == 1) hed_nav2_reset(both[k]);
            if (change == 2) OK(hed_nav2_adopt(both[k], w.config, &error));
            results[k] = pillars_compute(&w, both[k]);
        }
        CHECK(both[1]->device, "change %d", change);
        EXPECT_NEAR(results[1].command.vx, results[0].command.vx, 1e-4, "change %d", change);
        EXPECT_NEAR(results[1].command.wz, results[0].command.wz, 1e-4, "change %d", change);
        EXPECT_NEAR((double)results[1].cost, (double)results[0].cost, 1e-3, "change %d", change);
    }
    OK(hed_nav2_use_device(both[1], NULL, &error));
    EXPECT(!both[1]->device);
    EXPECT_EQ(pillars_compute(&w, both[1]).outcome, HED_NAV2_VALID);
    for (int k = 0; k < 2; k++) hed_nav2_destroy(both[k]);
    world_close(&w);
}

Test(mppi_nav2_device, steps_beyond_local_memory)
{
    nav2_world w;
    if (!has_device()) return;
    world_open(&w, "nav2_params", "pillars", NULL);
    world_set(&w, (const device_change[]){{"time_steps", "1024"}, {"batch_size", "32"}, {NULL, NULL}});
    hed_nav2 *n = pillars_controller(&w, false);
    bool fits =
        4ull * 5 * 1024 * NAV2_LANES + 12288 <= hed_device_describe(here.device).local_bytes;
    hed_status status = hed_nav2_use_device(n, here.device, &error);
    EXPECT_EQ(status, fits ? HED_OK : HED_ERROR_LIMIT, "%s", error.text);
    hed_error_clear(&error);
    EXPECT_EQ(pillars_compute(&w, n).outcome, HED_NAV2_VALID);
    hed_nav2_destroy(n);
    world_close(&w);
}
