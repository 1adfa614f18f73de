/* The critics of Nav2, each a function of whole futures: NAV2_SCORE computes the costs of a tile,
 * NAV2_GATE decides once a cycle for all futures where the row of nav2_parameters.h names OWN.
 * Bodies are always inlined, into one copy for each instruction set. */
#ifndef HED_NAV2_CRITICS_H
#define HED_NAV2_CRITICS_H

#include "kernels/words.h"
#include "nav2/nav2_cycle.h"

#include "heddle/author.h"

#define NAV2_EACH_LANE for (int l = 0; l < NAV2_LANES; l++)

/* ---- distances that gates compare ---- */

/* Returns the distance left: along the pruned path (1.5), or straight to the goal. */
static inline double nav2_left(const nav2_cycle *c)
{
    if (c->settings->release == HED_NAV2_LYRICAL) return c->path.length;
    return nav2_length(c->goal.x - c->pose.x, c->goal.y - c->pose.y);
}
static inline bool nav2_is_near(const nav2_cycle *c, double threshold)
{
    bool lyrical = c->settings->release == HED_NAV2_LYRICAL;
    return lyrical ? nav2_left(c) <= threshold : nav2_left(c) < threshold;
}
static inline bool nav2_is_far(const nav2_cycle *c, double threshold)
{
    bool lyrical = c->settings->release == HED_NAV2_LYRICAL;
    return lyrical ? nav2_left(c) >= threshold : !nav2_is_near(c, threshold);
}
/* Returns the point of the path `offset` points beyond the furthest one reached. */
static inline uint32_t nav2_target(const nav2_cycle *c, double offset)
{
    uint32_t at = c->furthest + (uint32_t)offset, last = c->path.count - 1;
    return at < last ? at : last;
}

/* ---- arithmetic over lanes ---- */

/* Returns the values of a step, (NAV2_LANES) of (steps x NAV2_LANES). A 32-bit index of step and
 * lane could wrap, so that the compiler would load each lane alone. */
static inline const float *nav2_step(const float *values, uint32_t step)
{
    return values + (size_t)step * NAV2_LANES;
}
/* Square root where infinities and denormals do not matter. */
static inline float nav2_sqrt(float x) { return sqrtf(x); }

/* value := (weight value)^power */
static inline __attribute__((always_inline)) void nav2_weigh(
    float *value, double weight, double power)
{
    NAV2_EACH_LANE value[l] *= (float)weight;
    if (power <= 1) return;
    float base[NAV2_LANES];
    memcpy(base, value, sizeof base);
    for (int n = 1; n < (int)power; n++) NAV2_EACH_LANE value[l] *= base[l];
}

#define NAV2_SCORE(name) \
    static inline __attribute__((always_inline)) void score_##name( \
        const nav2_cycle *c, const nav2_##name *p, nav2_tile *tile, float *value)
#define NAV2_GATE(name) static inline bool gate_##name(nav2_cycle *c, const nav2_##name *p)

/* ---- velocities ---- */

/* dt times the sum of the excess over the limits of speed and the turning radius. */
NAV2_SCORE(ConstraintCritic)
{
    const nav2_settings *s = c->settings;
    bool lyrical = s->release == HED_NAV2_LYRICAL;
    float high = (float)s->control.vx_max, low = (float)s->control.vx_min;
    float side = (float)s->control.vy_max, radius = (float)s->min_turning_r;
    if (!lyrical) { /* one bound for the speed of every model */
        low = copysignf(sqrtf(low * low + side * side), low);
        high = sqrtf(high * high + side * side);
    }
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t t = 0; t < tile->steps; t++) {
        const float *vx = tile->vx + t * NAV2_LANES, *wz = tile->wz + t * NAV2_LANES;
        const float *vy = tile->vy ? tile->vy + t * NAV2_LANES : NULL;
        float speed[NAV2_LANES];
        memcpy(speed, vx, sizeof speed);
        if (vy && !lyrical)
            NAV2_EACH_LANE speed[l] =
                hed_flip(nav2_sqrt(vx[l] * vx[l] + vy[l] * vy[l]), hed_as_uint(vx[l]));
        NAV2_EACH_LANE value[l] += mppi_max(speed[l] - high, 0.0f) + mppi_max(low - speed[l], 0.0f);
        if (vy && lyrical) NAV2_EACH_LANE value[l] += mppi_max(mppi_abs(vy[l]) - side, 0.0f);
        if (s->model == HED_NAV2_ACKERMANN)
            NAV2_EACH_LANE value[l] +=
                mppi_max(radius - mppi_abs(vx[l]) / mppi_max(mppi_abs(wz[l]), 1e-6f), 0.0f);
    }
    NAV2_EACH_LANE value[l] *= (float)s->control.model_dt;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

NAV2_SCORE(PreferForwardCritic)
{
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t t = 0; t < tile->steps; t++) {
        const float *vx = nav2_step(tile->vx, t);
        NAV2_EACH_LANE value[l] += mppi_max(-vx[l], 0.0f);
    }
    NAV2_EACH_LANE value[l] *= (float)c->settings->control.model_dt;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

NAV2_GATE(TwirlingCritic)
{
    (void)p;
    return nav2_is_far(c, c->settings->goal.xy_goal_tolerance);
}
NAV2_SCORE(TwirlingCritic)
{
    (void)c;
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t t = 0; t < tile->steps; t++) {
        const float *wz = nav2_step(tile->wz, t);
        NAV2_EACH_LANE value[l] += mppi_abs(wz[l]);
    }
    NAV2_EACH_LANE value[l] /= (float)tile->steps;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* dt times the sum of the speed that is missing to the smallest one that moves the robot. */
NAV2_SCORE(VelocityDeadbandCritic)
{
    const float *axes[3] = {tile->vx, tile->vy, tile->wz};
    const double bands[3] = {p->deadband_vx, p->deadband_vy, p->deadband_wz};
    NAV2_EACH_LANE value[l] = 0;
    for (int axis = 0; axis < 3; axis++) {
        float band = fabsf((float)bands[axis]);
        for (uint32_t t = 0; axes[axis] && t < tile->steps; t++) {
            const float *v = nav2_step(axes[axis], t);
            NAV2_EACH_LANE value[l] += mppi_max(band - mppi_abs(v[l]), 0.0f);
        }
    }
    NAV2_EACH_LANE value[l] *= (float)c->settings->control.model_dt;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* ---- the goal ---- */

/* Returns the pose that GoalCritic and GoalAngleCritic measure to. */
static inline hed_nav2_pose nav2_goal_pose(const nav2_cycle *c)
{
    uint32_t last = c->path.count - 1;
    if (c->settings->release != HED_NAV2_LYRICAL || !c->path.count) return c->goal;
    return (hed_nav2_pose){
        (double)c->path.x[last], (double)c->path.y[last], (double)c->path.yaw[last]};
}

NAV2_SCORE(GoalCritic)
{
    hed_nav2_pose goal = nav2_goal_pose(c);
    float goal_x = (float)goal.x, goal_y = (float)goal.y;
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t t = 0; t < tile->steps; t++) {
        const float *x = nav2_step(tile->x, t), *y = nav2_step(tile->y, t);
        NAV2_EACH_LANE value[l] +=
            nav2_sqrt(mppi_square(x[l] - goal_x) + mppi_square(y[l] - goal_y));
    }
    NAV2_EACH_LANE value[l] /= (float)tile->steps;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

NAV2_SCORE(GoalAngleCritic)
{
    float goal_yaw = (float)nav2_goal_pose(c).yaw;
    /* symmetry: pi - d is the distance to yaw + pi */
    float symmetric = p->symmetric_yaw_tolerance != 0 ? 3.14159274f : 1e30f;
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t t = 0; t < tile->steps; t++) {
        const float *yaw = nav2_step(tile->yaw, t);
        NAV2_EACH_LANE {
            float d = mppi_abs(mppi_wrap(goal_yaw - yaw[l]));
            value[l] += mppi_min(d, symmetric - d);
        }
    }
    NAV2_EACH_LANE value[l] /= (float)tile->steps;
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* ---- the path ---- */

NAV2_GATE(PathFollowCritic)
{
    if (c->path.count < 2 || !nav2_is_far(c, p->threshold_to_consider)) return false;
    uint32_t i = nav2_target(c, p->offset_from_furthest);
    /* the target moves on past points in collision; the last point has no validity */
    while (i + 2 < c->path.count && c->path.valid[i] == 0) i++;
    c->follow = i;
    return true;
}
NAV2_SCORE(PathFollowCritic)
{
    const float *x = tile->x + (tile->steps - 1) * NAV2_LANES;
    const float *y = tile->y + (tile->steps - 1) * NAV2_LANES;
    float px = c->path.x[c->follow], py = c->path.y[c->follow];
    NAV2_EACH_LANE value[l] = nav2_sqrt(mppi_square(x[l] - px) + mppi_square(y[l] - py));
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* Returns the mode in use: a robot that cannot reverse has no preference to ignore. */
static inline int nav2_angle_mode(const nav2_cycle *c, const nav2_PathAngleCritic *p)
{
    return p->mode == 1 && fabs(c->settings->control.vx_min) < 1e-6 ? 0 : (int)p->mode;
}
NAV2_GATE(PathAngleCritic)
{
    if (!c->path.count || !nav2_is_far(c, p->threshold_to_consider)) return false;
    uint32_t i = c->angle = nav2_target(c, p->offset_from_furthest);
    double bearing = atan2((double)c->path.y[i] - c->pose.y, (double)c->path.x[i] - c->pose.x);
    int mode = nav2_angle_mode(c, p);
    if (mode == 2 && cos(bearing - (double)c->path.yaw[i]) < 0) bearing += M_PI;
    double angle = fabs(remainder(bearing - c->pose.yaw, 2 * M_PI));
    if (mode == 1 && M_PI - angle < angle) angle = M_PI - angle;
    return angle >= p->max_angle_to_furthest;
}
NAV2_SCORE(PathAngleCritic)
{
    const float *x = tile->x + (tile->steps - 1) * NAV2_LANES;
    const float *y = tile->y + (tile->steps - 1) * NAV2_LANES;
    const float *yaw = tile->yaw + (tile->steps - 1) * NAV2_LANES;
    float px = c->path.x[c->angle], py = c->path.y[c->angle], pyaw = c->path.yaw[c->angle];
    int mode = nav2_angle_mode(c, p);
    NAV2_EACH_LANE {
        float bearing = mppi_atan2(py - y[l], px - x[l]);
        float deviation = mppi_abs(mppi_wrap(bearing - (mode == 2 ? pyaw : yaw[l])));
        bearing += mode != 0 && deviation >= 1.57079637f ? 3.14159274f : 0.0f;
        value[l] = mppi_abs(mppi_wrap(bearing - yaw[l]));
    }
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* Prepares the table from which a travelled length gives the nearest point of 0..F-1. */
static inline void nav2_prepare_align(nav2_cycle *c)
{
    nav2_align *a = &c->align;
    uint32_t points = c->furthest;
    float gap = 1e30f, last = 0;
    for (uint32_t j = 1; j < points; j++) {
        float m = 0.5f * (c->path.lengths[j - 1] + c->path.lengths[j]);
        if (m > last && m - last < gap) gap = m - last;
        a->middle[j - 1] = last = m;
    }
    float cells = ceilf(last / (0.5f * gap)) + 2;
    a->cells = points < 2                          ? 1
               : cells < NAV2_MOST_ALIGN_CELLS - 1 ? (uint32_t)cells
                                                   : NAV2_MOST_ALIGN_CELLS;
    a->per_cell = points < 2 ? 0 : (float)(a->cells - 1) / (last + 1e-6f);
    a->steps = 0;
    for (uint32_t cell = 0, j = 0; cell < a->cells; cell++) {
        a->first[cell] = (int32_t)j;
        uint32_t before = j;
        while (j + 1 < points && (uint32_t)(a->middle[j] * a->per_cell) <= cell) j++;
        if (j - before > a->steps) a->steps = j - before;
    }
    for (uint32_t k = 0; k <= a->steps; k++) a->middle[(points ? points - 1 : 0) + k] = 1e30f;
}
NAV2_GATE(PathAlignCritic)
{
    uint32_t furthest = c->furthest, invalid = 0;
    if (!nav2_is_far(c, p->threshold_to_consider) || furthest < p->offset_from_furthest ||
        furthest == 0)
        return false;
    for (uint32_t i = 0; i < furthest; i++) {
        invalid += c->path.valid[i] == 0;
        if (invalid > 2 && (float)invalid / (float)furthest > (float)p->max_path_occupancy_ratio)
            return false;
    }
    nav2_prepare_align(c);
    return true;
}
NAV2_SCORE(PathAlignCritic)
{
    const nav2_align *a = &c->align;
    const float *middle = a->middle, *path_x = c->path.x, *path_y = c->path.y;
    const float *path_yaw = c->path.yaw, *valid = c->path.valid;
    const int32_t *first = a->first;
    float last_cell = (float)(a->cells - 1), per_cell = a->per_cell;
    float arc[NAV2_LANES] = {0}, counted[NAV2_LANES] = {0};
    uint32_t stride = (uint32_t)p->trajectory_point_step * NAV2_LANES;
    bool turns = p->use_path_orientations != 0;
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t at = stride; at < tile->steps * NAV2_LANES; at += stride) {
        const float *x = tile->x + at, *y = tile->y + at, *yaw = tile->yaw + at;
        /* look-ups are loops of their own, so that the compiler makes SIMD code of the others */
        int32_t point[NAV2_LANES];
        float px[NAV2_LANES], py[NAV2_LANES], ok[NAV2_LANES], dyaw[NAV2_LANES] = {0};
        NAV2_EACH_LANE arc[l] += nav2_sqrt(
            mppi_square(x[l] - x[l - (int)stride]) + mppi_square(y[l] - y[l - (int)stride]));
        NAV2_EACH_LANE point[l] = (int32_t)mppi_min(arc[l] * per_cell, last_cell);
        NAV2_EACH_LANE point[l] = first[point[l]];
        for (uint32_t k = 0; k < a->steps; k++) {
            float from[NAV2_LANES];
            NAV2_EACH_LANE from[l] = middle[point[l]];
            NAV2_EACH_LANE point[l] += (int32_t)(from[l] <= arc[l]);
        }
        NAV2_EACH_LANE {
            px[l] = path_x[point[l]];
            py[l] = path_y[point[l]];
            ok[l] = valid[point[l]];
        }
        for (int l = 0; turns && l < NAV2_LANES; l++)
            dyaw[l] = mppi_wrap(path_yaw[point[l]] - yaw[l]);
        NAV2_EACH_LANE {
            float square = mppi_square(px[l] - x[l]) + mppi_square(py[l] - y[l]);
            value[l] += ok[l] * nav2_sqrt(square + dyaw[l] * dyaw[l]);
            counted[l] += ok[l];
        }
    }
    NAV2_EACH_LANE value[l] /= mppi_max(counted[l], 1.0f);
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

/* ---- obstacles ---- */

/* Costs of the cells below the poses of step t; 255 off the map, where `inside` is 0. */
static inline __attribute__((always_inline)) void nav2_costs_at(
    const nav2_cycle *c, const nav2_tile *tile, uint32_t t, float *cost, int32_t *inside)
{
    const hed_nav2_grid *grid = c->grid;
    const float *x = tile->x + t * NAV2_LANES, *y = tile->y + t * NAV2_LANES;
    float per_metre = 1.0f / (float)grid->resolution, left = (float)grid->x, low = (float)grid->y;
    float width = (float)grid->width, height = (float)grid->height;
    const uint8_t *cells = grid->cells;
    int32_t cell[NAV2_LANES], row_length = (int32_t)grid->width;
    NAV2_EACH_LANE {
        float across = (x[l] - left) * per_metre, up = (y[l] - low) * per_metre;
        inside[l] =
            (int)(across >= 0.0f) & (int)(up >= 0.0f) & (int)(across < width) & (int)(up < height);
        cell[l] = (int32_t)mppi_select(inside[l], up, 0.0f) * row_length +
                  (int32_t)mppi_select(inside[l], across, 0.0f);
    }
    int32_t value[NAV2_LANES];
    NAV2_EACH_LANE value[l] = cells[cell[l]];
    NAV2_EACH_LANE cost[l] = mppi_select(inside[l], (float)value[l], 255.0f);
}
/* Returns the cost of the outline of lane l at step t. */
static inline float nav2_outline_of(const nav2_cycle *c, const nav2_tile *tile, uint32_t t, int l)
{
    size_t at = (size_t)t * NAV2_LANES + (size_t)l;
    return (float)nav2_outline_cost(
        c->settings, c->grid, (double)tile->x[at], (double)tile->y[at], (double)tile->yaw[at]);
}
/* True if a cost is a collision. */
static inline int nav2_collides(const nav2_settings *s, float cost, bool footprint)
{
    return (int)(cost == 254.0f) | ((int)(cost == 253.0f) & (int)!footprint) |
           ((int)(cost == 255.0f) & (int)(s->costmap.track_unknown_space == 0));
}
static inline uint32_t nav2_count(const float *alive, uint32_t lanes)
{
    uint32_t dead = 0;
    for (uint32_t l = 0; l < lanes; l++) dead += alive[l] == 0;
    return dead;
}

NAV2_GATE(CostCritic)
{
    double outline = nav2_inflated_cost(c->settings, c->settings->circumscribed);
    if (c->settings->inflation.inflation_radius < c->settings->circumscribed) outline = 0;
    c->cost_outline = (float)outline;
    (void)p;
    return true;
}
NAV2_SCORE(CostCritic)
{
    bool footprint = p->consider_footprint != 0, near_goal = nav2_left(c) < p->near_goal_distance;
    bool lyrical = c->settings->release == HED_NAV2_LYRICAL;
    float near_cost = (float)p->near_collision_cost, critical = (float)p->critical_cost;
    uint32_t step = (uint32_t)p->trajectory_point_step;
    uint32_t poses = lyrical ? (tile->steps - 1) / step + 1 : tile->steps / step;
    float alive[NAV2_LANES], factor = near_goal ? 0.0f : 1.0f;
    NAV2_EACH_LANE alive[l] = 1;
    NAV2_EACH_LANE value[l] = 0;
    for (uint32_t n = 0; n < poses; n++) {
        float cost[NAV2_LANES], collision[NAV2_LANES];
        int32_t inside[NAV2_LANES];
        nav2_costs_at(c, tile, n * step, cost, inside);
        memcpy(collision, cost, sizeof collision);
        /* the outline decides on collisions, the cell of the centre on costs */
        for (int l = 0; footprint && l < NAV2_LANES; l++)
            if (alive[l] > 0 && cost[l] >= 1 && cost[l] >= c->cost_outline)
                collision[l] = nav2_outline_of(c, tile, n * step, l);
        NAV2_EACH_LANE {
            int hit = nav2_collides(c->settings, collision[l], footprint);
            float extra = mppi_select((int)(cost[l] >= near_cost), critical, cost[l] * factor);
            /* the critical cost is not for free cells, even if near_collision_cost is 0 */
            extra = mppi_select((int)(cost[l] < 1.0f), 0.0f, extra);
            value[l] += alive[l] * mppi_select(hit, 0.0f, extra);
            alive[l] = mppi_select(hit, 0.0f, alive[l]);
        }
    }
    NAV2_EACH_LANE value[l] =
        mppi_select((int)(alive[l] == 0.0f), (float)p->collision_cost, value[l]) * (1.0f / 254.0f) /
        (float)poses;
    tile->collided[0] += nav2_count(alive, tile->lanes);
    nav2_weigh(value, p->cost_weight, p->cost_power);
}

NAV2_GATE(ObstaclesCritic)
{
    (void)p;
    c->obstacles_outline = (float)nav2_inflated_cost(c->settings, c->settings->circumscribed);
    for (int cost = 0; cost < 256; cost++)
        c->gaps[cost] = (float)log(253.0 / (cost > 1 ? cost : 1));
    return true;
}
/* Leaves both parts in the tile: the repulsion is relative to the smallest of all futures. */
NAV2_SCORE(ObstaclesCritic)
{
    const nav2_settings *s = c->settings;
    bool footprint = p->consider_footprint != 0, near_goal = nav2_left(c) < p->near_goal_distance;
    float margin = (float)p->collision_margin_distance,
          reach = (float)s->inflation.inflation_radius;
    float scale = 1.0f / (float)s->inflation.cost_scaling_factor;
    float alive[NAV2_LANES], raw[NAV2_LANES] = {0}, repulsion[NAV2_LANES] = {0};
    const float *gaps = c->gaps;
    NAV2_EACH_LANE alive[l] = 1;
    for (uint32_t t = 0; t < tile->steps; t++) {
        float cost[NAV2_LANES], extra[NAV2_LANES] = {0}; /* extra: gap within the footprint */
        int32_t inside[NAV2_LANES];
        nav2_costs_at(c, tile, t, cost, inside);
        for (int l = 0; footprint && l < NAV2_LANES; l++) {
            if (!inside[l] || alive[l] == 0 || cost[l] < 1 || cost[l] < c->obstacles_outline)
                continue;
            cost[l] = nav2_outline_of(c, tile, t, l);
            extra[l] = (float)s->inscribed;
        }
        NAV2_EACH_LANE {
            int hit = nav2_collides(s, cost[l], footprint), open = (int)(cost[l] < 1.0f);
            float gap = scale * gaps[(int)cost[l]] + extra[l];
            float counts = mppi_select(hit | open, 0.0f, alive[l]);
            raw[l] += counts * mppi_max(margin - gap, 0.0f);
            repulsion[l] += counts * (near_goal ? 0.0f : reach - gap);
            alive[l] = mppi_select(hit, 0.0f, alive[l]);
        }
    }
    NAV2_EACH_LANE tile->raw[l] =
        mppi_select((int)(alive[l] == 0.0f), (float)p->collision_cost, raw[l]);
    NAV2_EACH_LANE tile->repulsion[l] = repulsion[l];
    NAV2_EACH_LANE value[l] = 0;
    tile->collided[1] += nav2_count(alive, tile->lanes);
}

#endif
