/* Nav2's controller: creation, and a cycle from pose and costmap to the command. */
#include "nav2/nav2_device.h"

#include <inttypes.h>
#include <math.h>

/* ---- creation ---- */

/* Factor of the speeds by the speed limit. */
static double controller_ratio(const hed_nav2 *n)
{
    double whole = n->speed_limit_is_percentage ? 100 : n->settings.control.vx_max;
    double ratio = n->speed_limit / whole;
    return n->speed_limit > 0 && isfinite(ratio) ? ratio : 1;
}

void nav2_set_axes(hed_nav2 *n)
{
    const nav2_control *c = &n->settings.control;
    const double r = controller_ratio(n);
    const struct {
        double low, high, slower, faster, sigma, delay;
    } axes[NAV2_AXES] = {
        {c->vx_min * r, c->vx_max * r, c->ax_min, c->ax_max, c->vx_std, c->model_delay_vx},
        {-c->vy_max * r, c->vy_max * r, c->ay_min, c->ay_max, c->vy_std, c->model_delay_vy},
        {-c->wz_max * r, c->wz_max * r, -c->az_max, c->az_max, c->wz_std, c->model_delay_wz}};
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        a->used = i != NAV2_VY || n->settings.model == HED_NAV2_OMNI;
        a->low = axes[i].low;
        a->high = axes[i].high;
        a->slower = axes[i].slower;
        a->faster = axes[i].faster;
        a->sigma = axes[i].sigma;
        double delay = floor(axes[i].delay / c->model_dt + 0.5);
        a->delay = delay < NAV2_MOST_DELAY ? (uint32_t)delay : NAV2_MOST_DELAY;
    }
}

static void *controller_new(hed_nav2 *n, uint64_t count, size_t size, hed_error *error)
{
    return hed_arena_new(&n->arena, count, size, error);
}

static hed_status controller_allocate(hed_nav2 *n, hed_error *error)
{
    uint64_t lanes = (uint64_t)n->tiles * NAV2_LANES, floats = lanes * n->steps;
    uint64_t tile = (uint64_t)n->steps * NAV2_LANES;
    bool clamp =
        n->settings.control.clamp_raw_controls != 0 || n->settings.release == HED_NAV2_JAZZY;
    for (int i = 0; i < NAV2_AXES; i++) {
        if (!n->axes[i].used) continue;
        n->axes[i].plan = controller_new(n, n->steps, sizeof(float), error);
        n->axes[i].mean = controller_new(n, 4 * n->steps + 16, sizeof(double), error);
        n->axes[i].before = controller_new(n, n->steps, sizeof(float), error);
        n->noise[i] = controller_new(n, floats, sizeof(float), error);
        n->velocity[i] = controller_new(n, tile, sizeof(float), error);
        if (clamp) n->deviation[i] = controller_new(n, floats, sizeof(float), error);
    }
    float **arrays[] = {&n->x, &n->y, &n->yaw},
          **rows[] = {&n->cost, &n->weight, &n->raw, &n->repulsion};
    for (size_t i = 0; i < HED_COUNT(arrays); i++)
        *arrays[i] = controller_new(n, floats, sizeof(float), error);
    for (size_t i = 0; i < HED_COUNT(rows); i++)
        *rows[i] = controller_new(n, lanes, sizeof(float), error);
    n->checked = controller_new(n, lanes, sizeof *n->checked, error);
    n->generators = controller_new(n, 4 * lanes, sizeof *n->generators, error);
    n->cycle.align.first = controller_new(n, NAV2_MOST_ALIGN_CELLS, sizeof(int32_t), error);
    n->plan_poses = controller_new(n, n->steps, sizeof *n->plan_poses, error);
    return hed_failed(error) ? error->status : HED_OK;
}

hed_status hed_nav2_create(const hed_nav2_config *config, uint64_t seed, bool detour,
    hed_nav2 **controller, hed_error *error)
{
    HED_REQUIRE(config, controller);
    *controller = NULL;
    hed_error local_error = {0};
    if (!error) error = &local_error;
    const nav2_settings *s = &config->settings;
    double period = 1 / s->server.controller_frequency, dt = s->control.model_dt;
    if (period > dt + 1e-6)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "controller_frequency is %g Hz, a period of %g s; expected at most model_dt, %g s (ControllerException "
            "in Nav2). Lower model_dt or raise the frequency", s->server.controller_frequency, period, dt);
    hed_nav2 *n = hed_new(NULL, 1, sizeof *n, error);
    if (!n) return error->status;
    n->arena.owner = "a controller of Nav2's kind";
    n->settings = *s;
    n->detour = detour;
    n->period = period;
    n->shifting = fabs(period - dt) < 1e-6;
    n->seed = seed;
    n->steps = (uint32_t)s->control.time_steps;
    n->samples = (uint32_t)s->control.batch_size;
    n->tiles = (uint32_t)hed_ceil_divide(n->samples, NAV2_LANES);
    nav2_set_frame(&n->route, (hed_nav2_pose){0});
    nav2_set_axes(n);
    if (controller_allocate(n, error) != HED_OK) {
        hed_nav2_destroy(n);
        return error->status;
    }
    nav2_seed(n, seed);
    nav2_draw(n);
    *controller = n;
    return HED_OK;
}

void hed_nav2_destroy(hed_nav2 *n)
{
    if (!n) return;
    nav2_device_destroy(n->device);
    hed_delete(NULL, n->route.poses, n->route.capacity, sizeof *n->route.poses);
    hed_delete(NULL, n->route.left, n->route.capacity, sizeof *n->route.left);
    hed_delete(NULL, n->cycle.path.x, (uint64_t)n->path_capacity * 8, sizeof(float));
    hed_delete(NULL, n->knowledge, n->knowledge_capacity, 1);
    hed_arena_free(&n->arena);
    hed_delete(NULL, n, 1, sizeof *n);
}

hed_status hed_nav2_use_device(hed_nav2 *controller, hed_device *device, hed_error *error)
{
    HED_REQUIRE(controller);
    hed_error local_error = {0};
    if (!error) error = &local_error;
    nav2_device *created = NULL;
    bool computes = device && strcmp(hed_device_describe(device).backend, "host") != 0;
    if (computes && nav2_device_create(controller, device, &created, error) != HED_OK) {
        nav2_device_destroy(created);
        return error->status;
    }
    nav2_device_destroy(controller->device);
    controller->device = created;
    controller->accelerator = computes ? device : NULL;
    return HED_OK;
}

/* ---- state between cycles ---- */

void hed_nav2_reset(hed_nav2 *n)
{
    if (!n) return;
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        memset(a->plan, 0, n->steps * sizeof *a->plan);
        memset(a->history, 0, sizeof a->history);
        memset(a->commands, 0, sizeof a->commands);
        a->last = 0;
    }
    nav2_draw(n);
    nav2_device_take_noise(n->device);
}

void hed_nav2_set_speed_limit(hed_nav2 *n, double value, bool percentage)
{
    if (!n) return;
    n->speed_limit = value > 0 && isfinite(value) ? value : 0;
    n->speed_limit_is_percentage = percentage;
    nav2_set_axes(n);
}

/* Makes room for the pruned path. Errors: MEMORY. */
static hed_status controller_reserve_path(hed_nav2 *n, uint32_t count, hed_error *error)
{
    if (count <= n->path_capacity) return HED_OK;
    float *memory = hed_new(NULL, (uint64_t)count * 8, sizeof *memory, error);
    if (!memory) return HED_OUT_OF_MEMORY(error, "a path of %u poses", count);
    nav2_path *p = &n->cycle.path;
    hed_delete(NULL, p->x, (uint64_t)n->path_capacity * 8, sizeof *memory);
    n->path_capacity = count;
    p->x = memory;
    p->y = memory + count;
    p->yaw = memory + 2 * (size_t)count;
    p->lengths = memory + 3 * (size_t)count;
    p->valid = memory + 4 * (size_t)count;
    n->cycle.align.middle = memory + 5 * (size_t)count; /* (2 left_count + 8) */
    p->reach = memory + 7 * (size_t)count;
    return HED_OK;
}

/* ---- a cycle ---- */

/* Copies the pruned path into arrays, with lengths and validity. Errors: MEMORY. */
static hed_status cycle_take_path(hed_nav2 *n, hed_error *error)
{
    const nav2_route *r = &n->route;
    hed_status status = controller_reserve_path(n, r->left_count + 8, error);
    if (status != HED_OK) return status;
    nav2_path *p = &n->cycle.path;
    double length = 0;
    p->count = r->left_count;
    for (uint32_t i = 0; i < p->count; i++) {
        const hed_nav2_pose *pose = &r->left[i];
        if (i) length += nav2_length(pose->x - r->left[i - 1].x, pose->y - r->left[i - 1].y);
        p->x[i] = (float)pose->x;
        p->y[i] = (float)pose->y;
        p->yaw[i] = (float)pose->yaw;
        p->lengths[i] = (float)length;
        int cost = nav2_cell(n->cycle.grid, p->x[i], p->y[i], 254);
        bool unknown_hits = n->settings.costmap.track_unknown_space == 0;
        p->valid[i] = cost < 253 || (cost == 255 && !unknown_hits) ? 1.0f : 0.0f;
    }
    if (p->count) p->valid[p->count - 1] = 1;
    nav2_measure_blocks(p);
    return HED_OK;
}

/* Makes room for the guard's knowledge of the cells. Errors: MEMORY. */
static hed_status cycle_reserve_cells(hed_nav2 *n, hed_error *error)
{
    uint64_t count = (uint64_t)n->cycle.grid->width * n->cycle.grid->height;
    if (!n->detour || count <= n->knowledge_capacity) return HED_OK;
    uint8_t *cells = hed_new(NULL, count, 1, error);
    if (!cells) return HED_OUT_OF_MEMORY(error, "a costmap of %" PRIu64 " cells", count);
    hed_delete(NULL, n->knowledge, n->knowledge_capacity, 1);
    n->knowledge = cells;
    n->knowledge_capacity = count;
    return HED_OK;
}

static nav2_tile cycle_tile(const hed_nav2 *n, uint32_t tile)
{
    size_t lanes = (size_t)tile * NAV2_LANES, at = lanes * n->steps;
    uint32_t left = n->samples - tile * NAV2_LANES;
    return (nav2_tile){.steps = n->steps,
        .lanes = left < NAV2_LANES ? left : NAV2_LANES,
        .x = n->x + at,
        .y = n->y + at,
        .yaw = n->yaw + at,
        .vx = n->velocity[NAV2_VX],
        .vy = n->axes[NAV2_VY].used ? n->velocity[NAV2_VY] : NULL,
        .wz = n->velocity[NAV2_WZ],
        .cost = n->cost + lanes,
        .raw = n->raw + lanes,
        .repulsion = n->repulsion + lanes};
}

/* Lists the critics with the means of their costs. */
static void cycle_list_critics(hed_nav2 *n, const double *sums)
{
    static const char *const names[] = {
#define CRITIC_NAME(name, parameters, ...) #name,
        NAV2_CRITICS(CRITIC_NAME)};
    n->critic_count = 0;
    for (uint32_t i = 0; i < NAV2_CRITIC_COUNT; i++)
        if (n->settings.critics >> i & 1)
            n->critics[n->critic_count++] =
                (hed_nav2_critic){names[i], n->cycle.active >> i & 1, sums[i] / n->samples};
}

/* Rolls all futures out, then scores them; returns the largest number of collisions of a critic. */
static uint32_t cycle_score(hed_nav2 *n, bool draw)
{
    nav2_cycle *c = &n->cycle;
    float arc[NAV2_LANES];
    double sums[NAV2_CRITIC_COUNT] = {0};
    uint32_t collided[2] = {0};
    c->furthest = 0;
    nav2_gates(c, NAV2_ROLLED);
    for (uint32_t t = 0; t < n->tiles; t++) {
        nav2_roll_tile(n, t, draw, arc);
        nav2_tile tile = cycle_tile(n, t);
        nav2_score_tile(c, &tile, NAV2_ROLLED);
        c->furthest = nav2_furthest_tile(c, &tile, arc, c->furthest);
        for (int i = 0; i < 2; i++) collided[i] += tile.collided[i];
        for (int i = 0; i < NAV2_CRITIC_COUNT; i++) sums[i] += tile.sums[i];
    }
    nav2_gates(c, NAV2_REACHED);
    for (uint32_t t = 0; t < n->tiles; t++) {
        nav2_tile tile = cycle_tile(n, t);
        nav2_score_tile(c, &tile, NAV2_REACHED);
        for (int i = 0; i < NAV2_CRITIC_COUNT; i++) sums[i] += tile.sums[i];
    }
    if (c->active >> NAV2_ObstaclesCritic & 1)
        sums[NAV2_ObstaclesCritic] =
            nav2_finish_obstacles(c, n->raw, n->repulsion, n->samples, n->cost);
    cycle_list_critics(n, sums);
    return collided[0] > collided[1] ? collided[0] : collided[1];
}

/* True if the plan's first poses are clear of lethal cells. */
static bool cycle_is_valid(hed_nav2 *n)
{
    if (n->settings.release != HED_NAV2_LYRICAL) return true;
    const nav2_validator *v = &n->settings.validator;
    double checked_steps = floor(v->collision_lookahead_time / n->settings.control.model_dt);
    nav2_integrate_plan(n);
    for (uint32_t t = 0; t < n->steps && t < checked_steps; t++) {
        const hed_nav2_pose *p = &n->plan_poses[t];
        int cost = nav2_cell(n->cycle.grid, (float)p->x, (float)p->y, 0);
        if (v->consider_footprint != 0 && cost >= 1)
            cost =
                nav2_outline_cost(&n->settings, n->cycle.grid, p->x, p->y, p->yaw) == 254 ? 254 : 0;
        if (cost == 253 || cost == 254) return false;
    }
    return true;
}

/* Computes and weighs all futures, on the device if there is one. `hits`: the largest number of
 * collisions of a critic. Errors: MEMORY, DRIVER. */
static hed_status cycle_compute(
    hed_nav2 *n, hed_nav2_result *result, uint32_t *hits, hed_error *error)
{
    bool draw = n->settings.control.regenerate_noises != 0;
    n->reweighed = false;
    if (n->device) {
        nav2_solution solution;
        if (nav2_device_solve(n, draw, &solution, error) != HED_OK) return error->status;
        *hits = solution.collided;
        result->cost = solution.lowest;
        result->effective = solution.effective;
        cycle_list_critics(n, solution.sums);
        return HED_OK;
    }
    *hits = cycle_score(n, draw);
    if (*hits < n->samples) result->cost = nav2_weigh_futures(n, &result->effective);
    return HED_OK;
}

/* One attempt: all iterations, then the validator. Errors: as cycle_compute(). */
static hed_nav2_outcome cycle_attempt(
    hed_nav2 *n, hed_nav2_velocity speed, hed_nav2_result *result, hed_error *error)
{
    nav2_start(n, speed);
    for (uint32_t i = 0; i < (uint32_t)n->settings.control.iteration_count; i++) {
        uint32_t hits = 0;
        if (cycle_compute(n, result, &hits, error) != HED_OK) return HED_NAV2_ALL_COLLIDE;
        result->colliding = (float)hits / (float)n->samples;
        result->furthest = n->cycle.furthest;
        if (hits == n->samples) return HED_NAV2_ALL_COLLIDE;
        if (!isfinite(result->cost)) return HED_NAV2_ALL_COLLIDE;
        if (n->detour) nav2_guard_begin(n);
        nav2_update(n);
    }
    result->guarded = n->detour && nav2_guard_end(n);
    return cycle_is_valid(n) ? HED_NAV2_VALID : HED_NAV2_PLAN_COLLIDES;
}

/* Prunes the path and, if it is blocked, leads it around. Errors: MEMORY. */
static bool cycle_follow(hed_nav2 *n, hed_nav2_result *result, hed_error *error)
{
    const hed_nav2_grid *grid = n->cycle.grid;
    if (!nav2_prune(n, grid, n->cycle.pose)) return false;
    if (n->detour && nav2_lead_around(n, grid, error)) {
        result->detour = true;
        return nav2_prune(n, grid, n->cycle.pose);
    }
    return true;
}

hed_status hed_nav2_compute(hed_nav2 *controller, hed_nav2_pose pose, hed_nav2_velocity speed,
    const hed_nav2_grid *grid, hed_nav2_result *result, hed_error *error)
{
    HED_REQUIRE(controller, grid, result);
    *result = (hed_nav2_result){0};
    hed_error local_error = {0};
    if (!error) error = &local_error;
    if (!isfinite(pose.x + pose.y + pose.yaw + speed.vx + speed.vy + speed.wz))
        return hed_fail(error, HED_ERROR_ARGUMENT, "pose or speed is not finite");
    if (!controller->route.count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "no path: hed_nav2_set_path() comes first");
    if (!grid->width || !grid->height || (uint64_t)grid->width * grid->height > INT32_MAX ||
        !grid->cells || !(grid->resolution > 0))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the costmap has %u x %u cells; expected 1 to 2^31", grid->width, grid->height);
    pose.yaw = remainder(pose.yaw, 2 * M_PI);
    controller->cycle.settings = &controller->settings;
    controller->cycle.grid = grid;
    controller->cycle.pose = pose;
    controller->cycle.goal = nav2_to_costmap(&controller->route, controller->route.goal);
    result->outcome = HED_NAV2_NO_PATH;
    bool follows = cycle_follow(controller, result, error);
    if (!hed_failed(error) && follows) cycle_take_path(controller, error);
    if (!hed_failed(error)) cycle_reserve_cells(controller, error);
    if (hed_failed(error)) return error->status;
    if (!follows) return HED_OK;
    result->path_length = controller->cycle.path.length;
    uint32_t limit = (uint32_t)controller->settings.control.retry_attempt_limit;
    for (;; result->retries++) {
        result->outcome = cycle_attempt(controller, speed, result, error);
        if (hed_failed(error)) return error->status;
        if (result->outcome == HED_NAV2_VALID) break;
        hed_nav2_reset(controller);
        if (result->retries == limit) return HED_OK;
    }
    result->command = nav2_send(controller);
    return HED_OK;
}

/* ---- display ---- */

const hed_nav2_critic *hed_nav2_critic_at(const hed_nav2 *n, uint32_t index)
{
    return n && index < n->critic_count ? &n->critics[index] : NULL;
}

void hed_nav2_sizes(const hed_nav2 *n, uint32_t *samples, uint32_t *steps)
{
    if (samples) *samples = n ? n->samples : 0;
    if (steps) *steps = n ? n->steps : 0;
}

const hed_nav2_pose *hed_nav2_plan(hed_nav2 *n)
{
    if (!n) return NULL;
    nav2_integrate_plan(n);
    return n->plan_poses;
}

const hed_nav2_pose *hed_nav2_path(const hed_nav2 *n, uint32_t *count)
{
    if (count) *count = n ? n->route.left_count : 0;
    return n ? n->route.left : NULL;
}

float hed_nav2_future(const hed_nav2 *n, uint32_t sample, float *positions)
{
    if (!n || !positions || sample >= n->samples) return 0;
    if (n->device && nav2_device_fetch(n, NULL) != HED_OK) return 0;
    size_t at = (size_t)(sample / NAV2_LANES) * n->steps * NAV2_LANES + sample % NAV2_LANES;
    for (uint32_t t = 0; t < n->steps; t++, at += NAV2_LANES) {
        positions[2 * t] = n->x[at];
        positions[2 * t + 1] = n->y[at];
    }
    return n->cost[sample];
}
