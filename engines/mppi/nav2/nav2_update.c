/* The plan of Nav2's controller: speeds at its start, weighted mean of the futures, Savitzky-Golay
 * filter with memory, limits, the control that is sent. */
#include "nav2/nav2_device.h"

#include "catalogue/mppi_native.h"

#include <math.h>

/* ---- the start ---- */

void nav2_start(hed_nav2 *n, hed_nav2_velocity speed)
{
    const nav2_server *server = &n->settings.server;
    const double measured[NAV2_AXES] = {
        fabs(speed.vx) >= server->min_x_velocity_threshold ? speed.vx : 0,
        fabs(speed.vy) >= server->min_y_velocity_threshold ? speed.vy : 0,
        fabs(speed.wz) >= server->min_theta_velocity_threshold ? speed.wz : 0};
    bool lyrical = n->settings.release == HED_NAV2_LYRICAL,
         open = n->settings.control.open_loop != 0;
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        double low = measured[i] + n->period * a->slower,
               high = measured[i] + n->period * a->faster;
        double last = a->last < low ? low : a->last > high ? high : a->last;
        a->start = open ? a->last : lyrical ? last : measured[i];
        if (!a->used || !lyrical) continue;
        double first = nav2_accelerate(a, i == NAV2_WZ, a->start, (double)a->plan[0], n->period);
        a->plan[0] = (float)(n->shifting ? a->start : first);
    }
}

/* ---- the mean ---- */

/* Adds the weighted deviations of a tile to sums (steps x 8): sum k has lanes k, k + 8, k + 16, k +
 * 24. */
HED_NATIVE_BODY add_body(const float *deviation, const float *weight, uint32_t steps, float *sums)
{
    for (uint32_t t = 0; t < steps; t++, deviation += NAV2_LANES, sums += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += weight[k] * deviation[k] + weight[8 + k] * deviation[8 + k] +
                       (weight[16 + k] * deviation[16 + k] + weight[24 + k] * deviation[24 + k]);
}
MPPI_CLONES(static, add_lanes, add_body,
    (const float *deviation, const float *weight, uint32_t steps, float *sums),
    (deviation, weight, steps, sums))

static void update_mean(hed_nav2 *n, int i, bool clamped)
{
    static const float NEGLIGIBLE = 1e-11f; /* all futures together: below the plan's rounding */
    nav2_axis *a = &n->axes[i];
    const float *from = clamped ? n->deviation[i] : n->noise[i];
    float *sums = (float *)a->mean; /* (steps x 8), until they are added below */
    memset(sums, 0, (size_t)n->steps * 8 * sizeof *sums);
    for (uint32_t tile = 0; tile < n->tiles; tile++) {
        const float *weight = n->weight + (size_t)tile * NAV2_LANES;
        bool is_weighted = false;
        for (int l = 0; l < NAV2_LANES; l++) is_weighted = is_weighted || weight[l] > NEGLIGIBLE;
        if (is_weighted)
            add_lanes(from + (size_t)tile * n->steps * NAV2_LANES, weight, n->steps, sums);
    }
    for (uint32_t t = 0; t < n->steps; t++) {
        double sum = 0;
        for (int k = 0; k < 8; k++) sum += (double)sums[8 * t + (uint32_t)k];
        a->plan[t] = (float)((double)a->plan[t] + sum);
    }
}

/* ---- the filter ---- */

/* Savitzky and Golay 1964: nine values, a parabola or a line. */
static void update_filter(hed_nav2 *n, nav2_axis *a)
{
    static const double parabola[] = {-21, 14, 39, 54, 59, 54, 39, 14, -21};
    uint32_t steps = n->steps;
    if (steps < 21) return;
    double *padded = a->mean;
    bool line = n->settings.control.sgf_order == 1 && n->settings.release == HED_NAV2_LYRICAL;
    for (int k = 0; k < NAV2_HALF_FILTER; k++) padded[k] = a->history[k];
    for (uint32_t t = 0; t < steps + NAV2_HALF_FILTER; t++)
        padded[NAV2_HALF_FILTER + t] = (double)a->plan[t < steps ? t : steps - 1];
    for (uint32_t t = 0; t + 1 < steps; t++) {
        double sum = 0;
        for (uint32_t k = 0; k < 9; k++)
            sum += padded[t + k] * (line ? 1 / 9.0 : parabola[k] / 231);
        a->plan[t] = (float)sum;
    }
    for (int k = 0; k + 1 < NAV2_HALF_FILTER; k++) a->history[k] = a->history[k + 1];
    a->history[NAV2_HALF_FILTER - 1] = (double)a->plan[n->shifting ? 1 : 0];
}

/* ---- limits ---- */

static void update_radius(hed_nav2 *n)
{
    double radius = n->settings.min_turning_r;
    if (n->settings.model != HED_NAV2_ACKERMANN || radius <= 0) return;
    for (uint32_t t = 0; t < n->steps; t++) {
        double limit = fabs((double)n->axes[NAV2_VX].plan[t]) / radius;
        double wz = (double)n->axes[NAV2_WZ].plan[t];
        n->axes[NAV2_WZ].plan[t] = (float)(wz > limit ? limit : wz < -limit ? -limit : wz);
    }
}

static void update_limits(hed_nav2 *n)
{
    bool lyrical = n->settings.release == HED_NAV2_LYRICAL;
    double dt = n->settings.control.model_dt;
    update_radius(n);
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        if (lyrical && n->shifting) a->plan[0] = (float)a->start;
        double before = a->start;
        for (uint32_t t = 0; t < n->steps; t++) {
            double v = (double)a->plan[t];
            v = v < a->low ? a->low : v > a->high ? a->high : v;
            /* 1.3 and 1.4 leave the first value free inside the box */
            if (lyrical || t > 0)
                v = nav2_accelerate(a, i == NAV2_WZ, before, v, t == 0 ? n->period : dt);
            a->plan[t] = (float)v;
            before = v;
        }
    }
    update_radius(n);
}

void nav2_update(hed_nav2 *n)
{
    bool lyrical = n->settings.release == HED_NAV2_LYRICAL;
    bool clamped = n->settings.control.clamp_raw_controls != 0 || !lyrical;
    for (int i = 0; i < NAV2_AXES; i++)
        if (n->axes[i].used && n->device && !n->reweighed) nav2_device_add_mean(n, i);
        else if (n->axes[i].used) update_mean(n, i, clamped);
    if (!lyrical) update_limits(n);
    for (int i = 0; i < NAV2_AXES; i++)
        if (n->axes[i].used) update_filter(n, &n->axes[i]);
    if (lyrical) update_limits(n);
}

hed_nav2_velocity nav2_send(hed_nav2 *n)
{
    double command[NAV2_AXES] = {0};
    for (int i = 0; i < NAV2_AXES; i++) {
        nav2_axis *a = &n->axes[i];
        if (!a->used) continue;
        a->last = command[i] = (double)a->plan[n->shifting ? 1 : 0];
        for (uint32_t k = 0; k + 1 < a->delay; k++) a->commands[k] = a->commands[k + 1];
        if (a->delay) a->commands[a->delay - 1] = a->last;
        if (n->shifting) memmove(a->plan, a->plan + 1, (n->steps - 1) * sizeof *a->plan);
    }
    return (hed_nav2_velocity){command[NAV2_VX], command[NAV2_VY], command[NAV2_WZ]};
}

void nav2_integrate_plan(hed_nav2 *n)
{
    hed_nav2_pose pose = n->cycle.pose;
    double dt = n->settings.control.model_dt;
    for (uint32_t t = 0; t < n->steps; t++) {
        double vx = (double)n->axes[NAV2_VX].plan[t], c = cos(pose.yaw), s = sin(pose.yaw);
        double vy = n->axes[NAV2_VY].used ? (double)n->axes[NAV2_VY].plan[t] : 0;
        pose.x += dt * (vx * c - vy * s);
        pose.y += dt * (vx * s + vy * c);
        pose.yaw += dt * (double)n->axes[NAV2_WZ].plan[t];
        n->plan_poses[t] = pose;
    }
}
