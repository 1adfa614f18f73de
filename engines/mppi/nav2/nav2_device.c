/* Nav2's controller on a device: kernels, buffers, and the frame of a cycle. One graph has the
 * copies and the launches of a solve; it is recorded again if a frame grows. */
#include "nav2/nav2_device.h"

#include "nav2/nav2_critics.h"

#include <stdio.h>

extern const char hed_mppi_words_h[], hed_mppi_order_h[], hed_mppi_nav2_frame_h[],
    hed_mppi_nav2_words_h[], hed_mppi_nav2_costmap_h[], hed_mppi_nav2_gates_h[],
    hed_mppi_nav2_roll_cl[], hed_mppi_nav2_sequence_cl[], hed_mppi_nav2_reach_cl[],
    hed_mppi_nav2_mean_cl[];

#define SAME_CRITIC(kernel, host) \
    _Static_assert((int)NAV2_AT_##kernel == (int)NAV2_##host, "nav2_frame.h: " #kernel)
SAME_CRITIC(CONSTRAINT, ConstraintCritic);
SAME_CRITIC(COST, CostCritic);
SAME_CRITIC(GOAL, GoalCritic);
SAME_CRITIC(GOAL_ANGLE, GoalAngleCritic);
SAME_CRITIC(OBSTACLES, ObstaclesCritic);
SAME_CRITIC(ALIGN, PathAlignCritic);
SAME_CRITIC(ANGLE, PathAngleCritic);
SAME_CRITIC(FOLLOW, PathFollowCritic);
SAME_CRITIC(FORWARD, PreferForwardCritic);
SAME_CRITIC(TWIRLING, TwirlingCritic);
SAME_CRITIC(DEADBAND, VelocityDeadbandCritic);
_Static_assert((int)NAV2_AT_COUNT == (int)NAV2_CRITIC_COUNT, "nav2_frame.h: critics");
_Static_assert((int)NAV2_TILE == (int)NAV2_LANES, "nav2_frame.h: lanes");

enum { DEVICE_ROLL, DEVICE_SEQUENCE, DEVICE_REACH, DEVICE_MEAN };
enum {
    DEVICE_INPUTS,
    DEVICE_NOISE,
    DEVICE_FUTURES,
    DEVICE_DEVIATIONS,
    DEVICE_FACTS,
    DEVICE_SLOTS,
    DEVICE_ANSWERS,
    DEVICE_BUFFERS
};
enum {
    DEVICE_MOST_TEAM = 8,
    DEVICE_SUMS = 8 /* SUMS of nav2_roll.cl */,
    DEVICE_BLOCK_WORDS = 4096
};

/* axis of the host for each axis of the frame */
static const int device_axes[NAV2_FRAME_AXES] = {NAV2_VX, NAV2_WZ, NAV2_VY};

struct nav2_device {
    hed_device *device;
    hed_stream *stream;
    hed_kernel_def defs[NAV2_DEVICE_KERNELS];
    hed_source sources[NAV2_DEVICE_KERNELS][NAV2_DEVICE_SOURCES];
    hed_kernel *kernels[NAV2_DEVICE_KERNELS]; /* DEVICE_SEQUENCE: NULL for release 1.5 */
    hed_geometry geometries[NAV2_DEVICE_KERNELS];
    hed_buffer *buffers[DEVICE_BUFFERS];
    hed_buffer *staging[2]; /* inputs and answers on the host */
    hed_graph *graph;       /* NULL: to be recorded */
    uint32_t axes, team;
    uint64_t capacity; /* words of the inputs */
    uint32_t *inputs;  /* (capacity) a frame, then its arrays */
    uint32_t *answers; /* (axes x steps + NAV2_ANSWER_WORDS) */
    uint32_t used;     /* words of the frame in hand */
    uint32_t round;    /* number of the noise */
    bool has_noise;    /* the kept noise is on the device */
    bool fetched;      /* the host's arrays have the futures of the last solve */
    double sums[NAV2_CRITIC_COUNT];
};

/* ---- creation ---- */

static const hed_argument_def roll_arguments[] = {HED_IN(uint, inputs), HED_IN(float, noise),
    HED_INOUT(float, futures), HED_OUT(float, deviation), HED_OUT(float, facts),
    HED_OUT(uint, slots), HED_ARRAY(float, block)};
static const hed_argument_def sequence_arguments[] = {
    HED_IN(uint, inputs), HED_IN(float, futures), HED_INOUT(uint, slots)};
static const hed_argument_def reach_arguments[] = {HED_IN(uint, inputs), HED_IN(float, futures),
    HED_INOUT(float, facts), HED_INOUT(uint, slots), HED_ARRAY(float, block)};
static const hed_argument_def mean_arguments[] = {HED_IN(uint, inputs), HED_IN(float, deviation),
    HED_IN(float, facts), HED_IN(uint, slots), HED_OUT(uint, answers)};

typedef struct device_kernel {
    const char *name, *summary, *file, *text;
    const hed_argument_def *arguments;
    uint32_t argument_count;
} device_kernel;
#define DEVICE_KERNEL(name, summary) \
    {"nav2_" #name, summary, "nav2_" #name ".cl", hed_mppi_nav2_##name##_cl, name##_arguments, \
        HED_COUNT(name##_arguments)}
static const device_kernel device_kernels[NAV2_DEVICE_KERNELS] = {
    DEVICE_KERNEL(roll, "futures of Nav2's controller, and critics of one future"),
    DEVICE_KERNEL(sequence, "the furthest point of releases 1.3 and 1.4"),
    DEVICE_KERNEL(reach, "critics that depend on the furthest point"),
    DEVICE_KERNEL(mean, "weighted sums of the futures")};

/* Bytes of local memory of the kernels with a block. */
static uint64_t device_block(const nav2_device *d, const hed_nav2 *n, uint32_t kernel)
{
    uint64_t group = (uint64_t)NAV2_TILE * d->team, steps = n->steps < 4 ? 4 : n->steps;
    uint64_t rolled = (3ull + d->axes) * n->steps * NAV2_TILE;
    if (kernel == DEVICE_ROLL)
        return 4 * (rolled + DEVICE_SUMS * group + NAV2_AT_COUNT * NAV2_TILE);
    return 4 * (2 * group + steps * NAV2_TILE);
}

void nav2_device_define(uint32_t index, hed_source *sources, hed_kernel_def *def)
{
    const device_kernel *of = &device_kernels[index];
    const hed_source texts[NAV2_DEVICE_SOURCES] = {{"words.h", hed_mppi_words_h, 0},
        {"order.h", hed_mppi_order_h, 0}, {"nav2_frame.h", hed_mppi_nav2_frame_h, 0},
        {"nav2_words.h", hed_mppi_nav2_words_h, 0}, {"nav2_costmap.h", hed_mppi_nav2_costmap_h, 0},
        {"nav2_gates.h", hed_mppi_nav2_gates_h, 0}, {of->file, of->text, 0}};
    memcpy(sources, texts, sizeof texts);
    *def = (hed_kernel_def){.name = of->name,
        .summary = of->summary,
        .sources = sources,
        .source_count = NAV2_DEVICE_SOURCES,
        .arguments = of->arguments,
        .argument_count = of->argument_count,
        .min_groups = 1};
}

static hed_status device_kernel_create(nav2_device *d, uint32_t k, hed_error *error)
{
    nav2_device_define(k, d->sources[k], &d->defs[k]);
    if (d->team == DEVICE_MOST_TEAM) d->defs[k].max_threads = "256";
    char sideways[16], team[16];
    snprintf(sideways, sizeof sideways, "%u", d->axes - 2);
    snprintf(team, sizeof team, "%u", d->team);
    hed_kernel_options options = hed_default_kernel_options();
    options.defines = (const hed_define[]){{"SIDEWAYS", sideways}, {"NAV2_TEAM", team}};
    options.define_count = 2;
    return hed_kernel_create(d->device, &d->defs[k], &options, &d->kernels[k], error);
}

static hed_status device_buffer(
    nav2_device *d, hed_buffer **buffer, hed_memory memory, uint64_t words, hed_error *error)
{
    hed_buffer_def def = hed_default_buffer_def(4 * words);
    def.memory = memory;
    return hed_buffer_create(d->device, &def, buffer, error);
}

/* Makes room for the words of a frame. Errors: MEMORY, DRIVER. */
static hed_status device_reserve(nav2_device *d, uint64_t words, hed_error *error)
{
    if (words <= d->capacity) return HED_OK;
    hed_graph_destroy(d->graph);
    hed_buffer_destroy(d->buffers[DEVICE_INPUTS]);
    hed_buffer_destroy(d->staging[0]);
    d->graph = NULL;
    d->buffers[DEVICE_INPUTS] = d->staging[0] = NULL;
    d->capacity = 0;
    words = hed_round_up(words, DEVICE_BLOCK_WORDS);
    device_buffer(d, &d->buffers[DEVICE_INPUTS], HED_MEMORY_DEVICE, words, error);
    device_buffer(d, &d->staging[0], HED_MEMORY_PINNED, words, error);
    if (hed_failed(error)) return error->status;
    d->capacity = words;
    d->inputs = hed_buffer_describe(d->staging[0]).host;
    memset(d->inputs, 0, 4 * words);
    return HED_OK;
}

static hed_status device_allocate(nav2_device *d, const hed_nav2 *n, hed_error *error)
{
    uint64_t lanes = (uint64_t)n->tiles * NAV2_TILE, futures = lanes * n->steps;
    uint64_t answers = (uint64_t)d->axes * n->steps + NAV2_ANSWER_WORDS;
    const uint64_t words[DEVICE_BUFFERS] = {[DEVICE_NOISE] = d->axes * futures,
        [DEVICE_FUTURES] = (3ull + d->axes) * futures,
        [DEVICE_DEVIATIONS] = d->axes * futures,
        [DEVICE_FACTS] = NAV2_FACT_ARRAYS * lanes,
        [DEVICE_SLOTS] = (uint64_t)n->tiles * NAV2_SLOT_WORDS,
        [DEVICE_ANSWERS] = answers};
    for (uint32_t i = DEVICE_NOISE; i < DEVICE_BUFFERS; i++)
        device_buffer(d, &d->buffers[i], HED_MEMORY_DEVICE, words[i], error);
    device_buffer(d, &d->staging[1], HED_MEMORY_PINNED, answers, error);
    if (hed_failed(error)) return error->status;
    d->answers = hed_buffer_describe(d->staging[1]).host;
    return device_reserve(d, DEVICE_BLOCK_WORDS, error);
}

hed_status nav2_device_create(
    hed_nav2 *n, hed_device *device, nav2_device **created, hed_error *error)
{
    nav2_device *d = hed_new(NULL, 1, sizeof *d, error);
    if (!d) return error->status;
    *created = d;
    hed_device_info info = hed_device_describe(device);
    d->device = device;
    d->axes = n->axes[NAV2_VY].used ? 3 : 2;
    d->team = info.max_group / NAV2_TILE < DEVICE_MOST_TEAM ? info.max_group / NAV2_TILE
                                                            : DEVICE_MOST_TEAM;
    while (d->team & (d->team - 1)) d->team--; /* reductions are by halves */
    uint64_t local = device_block(d, n, DEVICE_ROLL);
    if (!d->team || local > info.local_bytes)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: time_steps of %u take %llu bytes of local memory and groups of at least 32; the device has %llu and %u. "
            "Lower time_steps or use the processor", info.name, n->steps, (unsigned long long)local,
            (unsigned long long)info.local_bytes, info.max_group);
    for (uint32_t k = 0; k < NAV2_DEVICE_KERNELS && !hed_failed(error); k++) {
        uint64_t groups = k == DEVICE_MEAN       ? (uint64_t)d->axes * n->steps + 1
                          : k == DEVICE_SEQUENCE ? 1
                                                 : n->tiles;
        hed_geometry_1d(&d->geometries[k], groups, NAV2_TILE * d->team, 0, 0);
        if (k == DEVICE_SEQUENCE && n->settings.release == HED_NAV2_LYRICAL) continue;
        if (k == DEVICE_ROLL || k == DEVICE_REACH)
            d->geometries[k].local_bytes[device_kernels[k].argument_count - 1] =
                device_block(d, n, k);
        device_kernel_create(d, k, error);
    }
    hed_stream_create(device, NULL, &d->stream, error);
    if (hed_failed(error)) return error->status;
    return device_allocate(d, n, error);
}

void nav2_device_destroy(nav2_device *d)
{
    if (!d) return;
    if (d->stream) hed_stream_wait(d->stream, NULL);
    hed_graph_destroy(d->graph);
    for (uint32_t k = 0; k < NAV2_DEVICE_KERNELS; k++) hed_kernel_destroy(d->kernels[k]);
    for (uint32_t i = 0; i < DEVICE_BUFFERS; i++) hed_buffer_destroy(d->buffers[i]);
    for (uint32_t i = 0; i < 2; i++) hed_buffer_destroy(d->staging[i]);
    hed_stream_destroy(d->stream);
    hed_delete(NULL, d, 1, sizeof *d);
}

void nav2_device_take_noise(nav2_device *d)
{
    if (d) d->has_noise = false;
}

/* ---- the frame of a cycle ---- */

static nav2_frame *device_frame(nav2_device *d) { return (nav2_frame *)(void *)d->inputs; }

/* Reserves `count` words of the frame's arrays, and sets their offset. */
static uint32_t *device_words(nav2_device *d, uint32_t count, uint32_t *offset)
{
    *offset = d->used;
    d->used += count;
    return d->inputs + *offset;
}
static void device_floats(nav2_device *d, const float *from, uint32_t count, uint32_t *offset)
{
    memcpy(device_words(d, count, offset), from, count * sizeof *from);
}

/* Largest distance that a future can get from the robot, m: controls are at most the plan's plus
 * the largest noise, and velocities at most these or the start speed. */
static double device_range(const hed_nav2 *n)
{
    static const double MOST_NORMAL = 5.7; /* sqrt(2 ln 2^23), of mppi_normal_pair() */
    double square = 0, dt = n->settings.control.model_dt;
    for (int i = 0; i < NAV2_WZ; i++) {
        const nav2_axis *a = &n->axes[i];
        double plan = 0, highest = fabs(a->start);
        if (!a->used) continue;
        for (uint32_t t = 0; t < n->steps; t++) plan = fmax(plan, fabs((double)a->plan[t]));
        for (uint32_t k = 0; k < a->delay; k++) highest = fmax(highest, fabs(a->commands[k]));
        highest = fmax(highest, plan + MOST_NORMAL * a->sigma);
        square += highest * highest;
    }
    return sqrt(square) * dt * n->steps;
}

/* Window of columns or rows that futures can touch. */
static void device_window(double centre, double range, double low, double resolution, uint32_t size,
    uint32_t *first, uint32_t *count)
{
    double from = floor((centre - range - low) / resolution) - 1;
    double to = ceil((centre + range - low) / resolution) + 1;
    from = from < 0 ? 0 : from > size ? size : from;
    to = to < from ? from : to > size ? size : to;
    *first = (uint32_t)from;
    *count = (uint32_t)(to - from);
}

static void device_take_grid(nav2_device *d, const hed_nav2 *n, nav2_frame *f)
{
    const hed_nav2_grid *g = n->cycle.grid;
    f->width = g->width;
    f->height = g->height;
    f->left = (float)g->x;
    f->low = (float)g->y;
    f->per_metre = 1.0f / (float)g->resolution;
    uint32_t row_words = (f->columns + 3) / 4;
    uint32_t *to = device_words(d, row_words * f->rows, &f->cells);
    for (uint32_t row = 0; row < f->rows; row++)
        memcpy(to + (size_t)row * row_words,
            g->cells + (size_t)(f->first_row + row) * g->width + f->first_column, f->columns);
}

static void device_take_axes(nav2_device *d, const hed_nav2 *n, nav2_frame *f)
{
    const nav2_settings *s = &n->settings;
    const nav2_VelocityDeadbandCritic *bands = &s->VelocityDeadbandCritic;
    const double deadbands[NAV2_AXES] = {
        bands->deadband_vx, bands->deadband_vy, bands->deadband_wz};
    float dt = (float)s->control.model_dt;
    for (uint32_t axis = 0; axis < d->axes; axis++) {
        int i = device_axes[axis];
        const nav2_axis *a = &n->axes[i];
        nav2_frame_axis *to = &f->axes[axis];
        double square = a->sigma * a->sigma;
        *to = (nav2_frame_axis){.start = (float)a->start,
            .slower = dt * (float)a->slower,
            .faster = dt * (float)a->faster,
            .sigma = (float)a->sigma,
            .gain = square > 0 ? (float)(s->control.gamma / square) : 0,
            .deadband = fabsf((float)deadbands[i]),
            .turns = i == NAV2_WZ,
            .delay = a->delay};
        device_floats(d, a->plan, n->steps, &to->plan);
        float *commands = (float *)device_words(d, a->delay, &to->commands);
        for (uint32_t k = 0; k < a->delay; k++) commands[k] = (float)a->commands[k];
    }
}

static void device_take_path(nav2_device *d, const nav2_path *p, nav2_frame *f)
{
    f->points = p->count;
    device_floats(d, p->x, p->count, &f->path_x);
    device_floats(d, p->y, p->count, &f->path_y);
    device_floats(d, p->yaw, p->count, &f->path_yaw);
    device_floats(d, p->lengths, p->count, &f->lengths);
    device_floats(d, p->valid, p->count, &f->valid);
    float *blocked = (float *)device_words(d, p->count + 1, &f->blocked);
    float *middle = (float *)device_words(d, p->count, &f->middle);
    blocked[0] = 0;
    for (uint32_t j = 0; j < p->count; j++) {
        blocked[j + 1] = blocked[j] + (p->valid[j] == 0 ? 1.0f : 0.0f);
        middle[j] = j + 1 < p->count ? 0.5f * (p->lengths[j] + p->lengths[j + 1]) : 1e30f;
    }
}

/* Active critics; of NAV2_REACHED as far as the distance decides. */
static uint32_t device_active(const nav2_cycle *c)
{
    const nav2_settings *s = c->settings;
    uint32_t active = c->active;
#define DEVICE_REACHED(name, ...) \
    if ((s->critics >> NAV2_##name & 1) && nav2_is_far(c, s->name.threshold_to_consider)) \
        active |= 1u << NAV2_##name;
    if (c->path.count) {
        DEVICE_REACHED(PathAlignCritic)
        DEVICE_REACHED(PathAngleCritic)
    }
    if (c->path.count >= 2) DEVICE_REACHED(PathFollowCritic)
    return active;
}

static void device_take_limits(const nav2_cycle *c, nav2_frame *f)
{
    const nav2_settings *s = c->settings;
    float side = (float)s->control.vy_max, low = (float)s->control.vx_min,
          high = (float)s->control.vx_max;
    if (!f->lyrical) { /* one bound for the speed of every model */
        low = copysignf(sqrtf(low * low + side * side), low);
        high = sqrtf(high * high + side * side);
    }
    f->vx_high = high;
    f->vx_low = low;
    f->vy_high = side;
    f->radius = s->model == HED_NAV2_ACKERMANN ? (float)s->min_turning_r : 0;
#define DEVICE_CRITIC(weight_, name) \
    {.weight = (float)s->name.weight_, .power = (uint32_t)s->name.cost_power}
    const nav2_frame_critic critics[NAV2_AT_COUNT] = {
        [NAV2_AT_CONSTRAINT] = DEVICE_CRITIC(cost_weight, ConstraintCritic),
        [NAV2_AT_COST] = DEVICE_CRITIC(cost_weight, CostCritic),
        [NAV2_AT_GOAL] = DEVICE_CRITIC(cost_weight, GoalCritic),
        [NAV2_AT_GOAL_ANGLE] = DEVICE_CRITIC(cost_weight, GoalAngleCritic),
        [NAV2_AT_OBSTACLES] = DEVICE_CRITIC(repulsion_weight, ObstaclesCritic),
        [NAV2_AT_ALIGN] = DEVICE_CRITIC(cost_weight, PathAlignCritic),
        [NAV2_AT_ANGLE] = DEVICE_CRITIC(cost_weight, PathAngleCritic),
        [NAV2_AT_FOLLOW] = DEVICE_CRITIC(cost_weight, PathFollowCritic),
        [NAV2_AT_FORWARD] = DEVICE_CRITIC(cost_weight, PreferForwardCritic),
        [NAV2_AT_TWIRLING] = DEVICE_CRITIC(cost_weight, TwirlingCritic),
        [NAV2_AT_DEADBAND] = DEVICE_CRITIC(cost_weight, VelocityDeadbandCritic)};
    memcpy(f->critics, critics, sizeof critics);
    f->symmetric = s->GoalAngleCritic.symmetric_yaw_tolerance != 0;
    f->follow_offset = (uint32_t)s->PathFollowCritic.offset_from_furthest;
    f->angle_offset = (uint32_t)s->PathAngleCritic.offset_from_furthest;
    f->angle_mode = (uint32_t)nav2_angle_mode(c, &s->PathAngleCritic);
    f->angle_gate = (float)s->PathAngleCritic.max_angle_to_furthest;
    f->align_offset = (uint32_t)s->PathAlignCritic.offset_from_furthest;
    f->align_step = (uint32_t)s->PathAlignCritic.trajectory_point_step;
    f->align_turns = s->PathAlignCritic.use_path_orientations != 0;
    f->align_ratio = (float)s->PathAlignCritic.max_path_occupancy_ratio;
}

static void device_take_obstacles(
    nav2_device *d, const nav2_cycle *c, uint32_t steps, nav2_frame *f)
{
    const nav2_settings *s = c->settings;
    const nav2_CostCritic *cost = &s->CostCritic;
    const nav2_ObstaclesCritic *obstacles = &s->ObstaclesCritic;
    f->tracks_unknown = s->costmap.track_unknown_space != 0;
    f->cost_step = (uint32_t)cost->trajectory_point_step;
    f->cost_poses = f->lyrical ? (steps - 1) / f->cost_step + 1 : steps / f->cost_step;
    f->cost_footprint = cost->consider_footprint != 0;
    f->near_cost = (float)cost->near_collision_cost;
    f->critical = (float)cost->critical_cost;
    f->cost_collision = (float)cost->collision_cost;
    f->cost_factor = nav2_left(c) < cost->near_goal_distance ? 0 : 1;
    f->cost_outline = c->cost_outline;
    f->obstacles_footprint = obstacles->consider_footprint != 0;
    f->margin = (float)obstacles->collision_margin_distance;
    f->reach = (float)s->inflation.inflation_radius;
    f->gap_scale = 1.0f / (float)s->inflation.cost_scaling_factor;
    f->inscribed = (float)s->inscribed;
    f->raw_weight = (float)obstacles->critical_weight;
    f->repulsion_weight = (float)obstacles->repulsion_weight;
    f->repulsion_factor = nav2_left(c) < obstacles->near_goal_distance ? 0 : 1;
    f->obstacles_collision = (float)obstacles->collision_cost;
    f->obstacles_outline = c->obstacles_outline;
    device_floats(d, c->gaps, 256, &f->gaps);
    f->vertices = s->vertices;
    float *footprint = (float *)device_words(d, 2 * s->vertices, &f->footprint);
    for (uint32_t i = 0; i < 2 * s->vertices; i++) footprint[i] = (float)s->footprint[i / 2][i % 2];
}

/* Writes the frame of the cycle. Errors: MEMORY, DRIVER. */
static hed_status device_fill(hed_nav2 *n, bool draw, hed_error *error)
{
    nav2_device *d = n->device;
    nav2_cycle *c = &n->cycle;
    const nav2_settings *s = &n->settings;
    const hed_nav2_grid *g = c->grid;
    nav2_frame frame = {0}, *f = &frame;
    double range = device_range(n) + 2 * s->circumscribed + g->resolution;
    device_window(c->pose.x, range, g->x, g->resolution, g->width, &f->first_column, &f->columns);
    device_window(c->pose.y, range, g->y, g->resolution, g->height, &f->first_row, &f->rows);
    uint64_t cells = (uint64_t)(f->columns + 3) / 4 * f->rows;
    uint64_t words = hed_ceil_divide(sizeof *f, 4) +
                     NAV2_FRAME_AXES * (n->steps + NAV2_MOST_DELAY) + 8ull * (c->path.count + 1) +
                     256 + 2 * NAV2_MOST_VERTICES + cells;
    if (device_reserve(d, words, error) != HED_OK) return error->status;
    d->used = (uint32_t)hed_ceil_divide(sizeof *f, 4);
    hed_nav2_pose goal = nav2_goal_pose(c);
    f->samples = n->samples;
    f->tiles = n->tiles;
    f->steps = n->steps;
    f->lyrical = s->release == HED_NAV2_LYRICAL;
    f->draws = draw;
    f->clamps = s->control.clamp_raw_controls != 0 || !f->lyrical;
    f->round = draw ? ++d->round : d->round;
    f->seed_low = (uint32_t)n->seed;
    f->seed_high = (uint32_t)(n->seed >> 32);
    f->active = device_active(c);
    f->dt = (float)s->control.model_dt;
    f->inverse = (float)(1 / s->control.temperature);
    f->x = (float)c->pose.x;
    f->y = (float)c->pose.y;
    f->yaw = (float)c->pose.yaw;
    f->goal_x = (float)goal.x;
    f->goal_y = (float)goal.y;
    f->goal_yaw = (float)goal.yaw;
    device_take_axes(d, n, f);
    device_take_limits(c, f);
    device_take_path(d, &c->path, f);
    device_take_obstacles(d, c, n->steps, f);
    device_take_grid(d, n, f);
    *device_frame(d) = *f;
    return HED_OK;
}

/* ---- a solve ---- */

/* Records the copies and launches of a solve. Settings decide for good where deviations are. */
static hed_status device_record(nav2_device *d, hed_error *error)
{
    const nav2_frame *f = device_frame(d);
    hed_buffer **b = d->buffers;
    hed_buffer *deviations = b[f->draws || f->clamps ? DEVICE_DEVIATIONS : DEVICE_NOISE];
    hed_graph_begin(d->stream, error);
    hed_write(d->stream, b[DEVICE_INPUTS], 0, d->inputs, 4 * d->capacity, error);
    hed_launch_over(d->stream, d->kernels[DEVICE_ROLL], &d->geometries[DEVICE_ROLL],
        HED_ARGS(b[DEVICE_INPUTS], b[DEVICE_NOISE], b[DEVICE_FUTURES], b[DEVICE_DEVIATIONS],
            b[DEVICE_FACTS], b[DEVICE_SLOTS], hed_local_argument()), error);
    if (d->kernels[DEVICE_SEQUENCE])
        hed_launch_over(d->stream, d->kernels[DEVICE_SEQUENCE], &d->geometries[DEVICE_SEQUENCE],
            HED_ARGS(b[DEVICE_INPUTS], b[DEVICE_FUTURES], b[DEVICE_SLOTS]), error);
    hed_launch_over(d->stream, d->kernels[DEVICE_REACH], &d->geometries[DEVICE_REACH],
        HED_ARGS(b[DEVICE_INPUTS], b[DEVICE_FUTURES], b[DEVICE_FACTS], b[DEVICE_SLOTS],
            hed_local_argument()), error);
    hed_launch_over(d->stream, d->kernels[DEVICE_MEAN], &d->geometries[DEVICE_MEAN],
        HED_ARGS(b[DEVICE_INPUTS], deviations, b[DEVICE_FACTS], b[DEVICE_SLOTS], b[DEVICE_ANSWERS]),
        error);
    hed_read(d->stream, d->answers, b[DEVICE_ANSWERS], 0,
        hed_buffer_describe(b[DEVICE_ANSWERS]).size, error);
    return hed_graph_end(d->stream, &d->graph, error);
}

static float device_float(const uint32_t *word) { return hed_as_float(*word); }

/* Runs the frame, and reads its answer. */
static hed_status device_run(hed_nav2 *n, nav2_solution *solution, hed_error *error)
{
    nav2_device *d = n->device;
    if (!d->graph && device_record(d, error) != HED_OK) return error->status;
    hed_graph_replay(d->graph, d->stream, error);
    if (hed_stream_wait(d->stream, error) != HED_OK) return error->status;
    d->fetched = false;
    const uint32_t *a = d->answers + (size_t)d->axes * n->steps;
    float weights = device_float(&a[NAV2_ANSWER_WEIGHTS]),
          lowest = device_float(&a[NAV2_ANSWER_LEAST]);
    uint32_t of_cost = a[NAV2_ANSWER_HITS], of_obstacles = a[NAV2_ANSWER_HITS + 1];
    n->cycle.furthest = a[NAV2_ANSWER_FURTHEST];
    n->cycle.active = a[NAV2_ANSWER_ACTIVE];
    for (uint32_t i = 0; i < NAV2_CRITIC_COUNT; i++)
        d->sums[i] = (double)device_float(&a[NAV2_ANSWER_SUMS + i]);
    *solution = (nav2_solution){.collided = of_cost > of_obstacles ? of_cost : of_obstacles,
        .lowest = weights > 0 ? lowest : INFINITY,
        .effective = weights * weights / device_float(&a[NAV2_ANSWER_SQUARES]),
        .sums = d->sums};
    return HED_OK;
}

hed_status nav2_device_solve(hed_nav2 *n, bool draw, nav2_solution *solution, hed_error *error)
{
    nav2_device *d = n->device;
    n->cycle.furthest = 0;
    nav2_gates(&n->cycle, NAV2_ROLLED);
    if (device_fill(n, draw, error) != HED_OK) return error->status;
    bool sends = !draw && !d->has_noise; /* the kept noise of the host */
    uint64_t futures = 4ull * n->tiles * NAV2_TILE * n->steps;
    for (uint32_t axis = 0; axis < d->axes && sends; axis++)
        hed_write(d->stream, d->buffers[DEVICE_NOISE], axis * futures, n->noise[device_axes[axis]],
            futures, error);
    if (sends && hed_stream_wait(d->stream, error) != HED_OK) return error->status;
    d->has_noise = d->has_noise || sends;
    return device_run(n, solution, error);
}

hed_status nav2_device_score_given(
    hed_nav2 *n, const nav2_tile *tile, float *cost, nav2_solution *solution, hed_error *error)
{
    nav2_device *d = n->device;
    const float *arrays[] = {tile->x, tile->y, tile->yaw, tile->vx, tile->wz, tile->vy};
    uint64_t size = 4ull * n->steps * NAV2_TILE;
    n->cycle.furthest = 0;
    nav2_gates(&n->cycle, NAV2_ROLLED);
    if (device_fill(n, false, error) != HED_OK) return error->status;
    device_frame(d)->scores = 1;
    for (uint32_t i = 0; i < 3 + d->axes; i++)
        hed_write(
            d->stream, d->buffers[DEVICE_FUTURES], i * size * n->tiles, arrays[i], size, error);
    if (device_run(n, solution, error) != HED_OK) return error->status;
    hed_read(d->stream, cost, d->buffers[DEVICE_FACTS], 0, NAV2_TILE * sizeof *cost, error);
    return hed_stream_wait(d->stream, error);
}

hed_status nav2_device_fetch(const hed_nav2 *n, hed_error *error)
{
    nav2_device *d = n->device;
    if (d->fetched) return HED_OK;
    const nav2_frame *f = device_frame(d);
    uint64_t lanes = 4ull * n->tiles * NAV2_TILE, futures = lanes * n->steps;
    float *poses[] = {n->x, n->y, n->yaw};
    for (uint32_t i = 0; i < 3; i++)
        hed_read(d->stream, poses[i], d->buffers[DEVICE_FUTURES], i * futures, futures, error);
    hed_read(d->stream, n->cost, d->buffers[DEVICE_FACTS], 0, lanes, error);
    for (uint32_t axis = 0; axis < d->axes && (f->draws || f->clamps); axis++) {
        int i = device_axes[axis];
        hed_read(d->stream, f->clamps ? n->deviation[i] : n->noise[i],
            d->buffers[DEVICE_DEVIATIONS], axis * futures, futures, error);
    }
    d->fetched = true;
    return hed_stream_wait(d->stream, error);
}

void nav2_device_add_mean(hed_nav2 *n, int axis)
{
    const nav2_device *d = n->device;
    const uint32_t *a = d->answers, *facts = a + (size_t)d->axes * n->steps;
    uint32_t at = axis == NAV2_VX ? NAV2_FRAME_VX : axis == NAV2_WZ ? NAV2_FRAME_WZ : NAV2_FRAME_VY;
    double weights = (double)device_float(&facts[NAV2_ANSWER_WEIGHTS]);
    for (uint32_t t = 0; t < n->steps; t++) {
        float *plan = &n->axes[axis].plan[t];
        *plan = (float)((double)*plan + (double)device_float(&a[at * n->steps + t]) / weights);
    }
}
