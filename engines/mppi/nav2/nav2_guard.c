/* Keeps the robot itself off lethal cells. A plan along which it would touch one is computed again
 * from the futures that do not; a command after which it could not stop clear is replaced by
 * braking. Braking was clear a cycle before, so no command leads into a cell that does not move. */
#include "nav2/nav2_device.h"

#include <math.h>

void nav2_guard_begin(hed_nav2 *n)
{
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        memcpy(a->before, a->plan, n->steps * sizeof *a->plan);
        memcpy(a->history_before, a->history, sizeof a->history);
    }
}

static void guard_restore(hed_nav2 *n)
{
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        memcpy(a->plan, a->before, n->steps * sizeof *a->plan);
        memcpy(a->history, a->history_before, sizeof a->history);
    }
}

/* True if the robot overlaps a lethal cell at a pose. */
static bool guard_overlaps(const hed_nav2 *n, hed_nav2_pose pose)
{
    return nav2_overlaps(&n->settings, n->cycle.grid, pose);
}

bool nav2_guard_step(const hed_nav2 *n, hed_nav2_pose *pose, const double *v)
{
    enum { PARTS = 2 };
    double dt = n->period / PARTS, half = 0.5 * dt * v[NAV2_WZ];
    double length = fabs(half) < 1e-9 ? dt : dt * sin(half) / half;
    for (int k = 0; k < PARTS; k++) {
        double c = cos(pose->yaw + half), s = sin(pose->yaw + half);
        pose->x += length * (v[NAV2_VX] * c - v[NAV2_VY] * s);
        pose->y += length * (v[NAV2_VX] * s + v[NAV2_VY] * c);
        pose->yaw += 2 * half;
        if (guard_overlaps(n, *pose)) return false;
    }
    return true;
}

/* Brakes by a cycle; true while something moves. */
static bool guard_brake(const hed_nav2 *n, double *v)
{
    bool moves = false;
    for (int i = 0; i < NAV2_AXES; i++) {
        v[i] = nav2_accelerate(&n->axes[i], i == NAV2_WZ, v[i], 0, n->period);
        moves = moves || fabs(v[i]) > 1e-6;
    }
    return moves;
}

/* True if the robot can follow the plan, for a time at least, and then stop clear. */
static bool guard_is_clear(const hed_nav2 *n, double seconds)
{
    enum { MOST_BRAKING = 2000 };
    hed_nav2_pose pose = n->cycle.pose;
    uint32_t first = n->shifting ? 1 : 0, end = first + (uint32_t)ceil(seconds / n->period);
    double v[NAV2_AXES] = {0};
    if (end > n->steps) end = n->steps;
    for (uint32_t t = first; t == first || t < end; t++) {
        for (int i = 0; i < NAV2_AXES; i++)
            if (n->axes[i].used) v[i] = (double)n->axes[i].plan[t];
        if (!nav2_guard_step(n, &pose, v)) return false;
    }
    for (int k = 0; k < MOST_BRAKING && guard_brake(n, v); k++)
        if (!nav2_guard_step(n, &pose, v)) return false;
    return true;
}

/* Knowledge of a cell that the guard keeps for a cycle: futures pass through the same few. */
enum { GUARD_UNKNOWN, GUARD_CLEAR, GUARD_NEAR };

/* True if the robot overlaps a lethal cell, its centre being in `cell`; most cells are clear of
 * any. */
static bool guard_is_hit(hed_nav2 *n, size_t cell, hed_nav2_pose pose)
{
    const hed_nav2_grid *g = n->cycle.grid;
    uint8_t *fact = &n->knowledge[cell];
    if (*fact == GUARD_UNKNOWN) {
        double x = g->x + ((double)(cell % g->width) + 0.5) * g->resolution;
        double y = g->y + ((double)(cell / g->width) + 0.5) * g->resolution;
        double radius = n->settings.outline_radius + 0.71 * g->resolution; /* half a diagonal */
        *fact = nav2_disc_overlaps(g, x, y, radius) ? GUARD_NEAR : GUARD_CLEAR;
    }
    return *fact == GUARD_NEAR && guard_overlaps(n, pose);
}

/* True if a future overlaps a lethal cell in its first steps, every other one. */
static bool guard_touches(hed_nav2 *n, uint32_t sample, uint32_t steps)
{
    enum { STRIDE = 2 };
    size_t at = (size_t)(sample / NAV2_LANES) * n->steps * NAV2_LANES + sample % NAV2_LANES;
    const hed_nav2_grid *g = n->cycle.grid;
    for (uint32_t t = 0; t < steps; t += STRIDE, at += STRIDE * NAV2_LANES) {
        hed_nav2_pose pose = {(double)n->x[at], (double)n->y[at], (double)n->yaw[at]};
        double x = (pose.x - g->x) / g->resolution, y = (pose.y - g->y) / g->resolution;
        if (!(x >= 0 && y >= 0 && x < g->width && y < g->height)) continue;
        if (guard_is_hit(n, (size_t)y * g->width + (size_t)x, pose)) return true;
    }
    return false;
}

/* Weighs the futures that overlap no lethal cell alone; false if every future overlaps one. Only
 * futures that count are looked at, until each of them is clear. */
static bool guard_weigh(hed_nav2 *n, uint32_t steps)
{
    static const float NEGLIGIBLE = 1e-6f;
    float effective;
    bool *checked = n->checked;
    if (n->device && nav2_device_fetch(n, NULL) != HED_OK) return false;
    n->reweighed = true;
    memset(checked, 0, n->samples * sizeof *checked);
    memset(n->knowledge, GUARD_UNKNOWN, (size_t)n->cycle.grid->width * n->cycle.grid->height);
    for (bool changed = true; changed;) {
        changed = false;
        if (!isfinite(nav2_weigh_futures(n, &effective))) return false;
        for (uint32_t i = 0; i < n->samples; i++) {
            if (checked[i] || n->weight[i] < NEGLIGIBLE) continue;
            checked[i] = true;
            if (!guard_touches(n, i, steps)) continue;
            n->cost[i] = INFINITY;
            changed = true;
        }
    }
    return true;
}

/* The plan becomes braking from the start speeds. */
static void guard_stop(hed_nav2 *n)
{
    double v[NAV2_AXES];
    for (int i = 0; i < NAV2_AXES; i++) v[i] = n->axes[i].used ? n->axes[i].start : 0;
    for (uint32_t t = 0; t < n->steps; t++) {
        if (t > 0 || !n->shifting) guard_brake(n, v);
        for (int i = 0; i < NAV2_AXES; i++)
            if (n->axes[i].used) n->axes[i].plan[t] = (float)v[i];
    }
}

bool nav2_guard_end(hed_nav2 *n)
{
    const double seconds = n->settings.validator.collision_lookahead_time;
    /* a robot in contact moves as Nav2 does, or it would never get off */
    if (guard_is_clear(n, seconds) || guard_overlaps(n, n->cycle.pose)) return false;
    double steps = ceil(seconds / n->settings.control.model_dt);
    if (guard_weigh(n, steps < n->steps ? (uint32_t)steps : n->steps)) {
        guard_restore(n);
        nav2_update(n);
    }
    if (!guard_is_clear(n, 0)) guard_stop(n);
    return true;
}
