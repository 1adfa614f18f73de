/* Futures of Nav2's controller: noise, velocities that lag the controls by a step and obey the
 * accelerations, and poses; 32 side by side. */
#include "nav2/nav2_controller.h"

#include "catalogue/mppi_native.h"
#include "kernels/words.h"

#include <math.h>

#define ROLL_EACH_LANE for (int l = 0; l < NAV2_LANES; l++)

/* One axis of a tile while it is rolled out. */
typedef struct roll_axis {
    const float *plan, *noise; /* (steps), (steps x NAV2_LANES) */
    float *velocity,
        *deviation; /* (steps x NAV2_LANES); deviation NULL: controls are not clamped */
    float start, slower, faster, gain; /* gain: gamma / sigma^2 */
    bool turns;                        /* true: one acceleration for both directions */
} roll_axis;

/* The next words of 32 generators (xoshiro128++, Blackman and Vigna 2021); state: (4 x NAV2_LANES).
 * Half the cost of Philox, which fills the states: a noise that is drawn in every cycle is a third
 * of a solve. */
static inline __attribute__((always_inline)) void roll_words(uint32_t *state, uint32_t *words)
{
    uint32_t *a = state, *b = a + NAV2_LANES, *c = b + NAV2_LANES, *d = c + NAV2_LANES;
    ROLL_EACH_LANE {
        uint32_t sum = a[l] + d[l], shifted = b[l] << 9;
        words[l] = (sum << 7 | sum >> 25) + a[l];
        c[l] ^= a[l];
        d[l] ^= b[l];
        b[l] ^= c[l];
        a[l] ^= d[l];
        c[l] ^= shifted;
        d[l] = d[l] << 11 | d[l] >> 21;
    }
}

/* Draws numbers of a tile: noise of one axis or two, (steps x NAV2_LANES), times sigma. */
HED_NATIVE_BODY draw_body(
    uint32_t *state, uint32_t steps, float *a, float *b, float sigma_a, float sigma_b)
{
    uint32_t local[4 * NAV2_LANES], first[NAV2_LANES], second[NAV2_LANES];
    memcpy(local, state, sizeof local);
    for (uint32_t t = 0; t < steps; t += b ? 1 : 2) {
        float x[NAV2_LANES], y[NAV2_LANES];
        roll_words(local, first);
        roll_words(local, second);
        ROLL_EACH_LANE mppi_normal_pair(first[l], second[l], &x[l], &y[l]);
        float *row = a + (size_t)t * NAV2_LANES, *after = t + 1 < steps ? row + NAV2_LANES : NULL;
        float *target = b ? b + (size_t)t * NAV2_LANES : after;
        ROLL_EACH_LANE row[l] = sigma_a * x[l];
        if (target) ROLL_EACH_LANE target[l] = sigma_b * y[l];
    }
    memcpy(state, local, sizeof local);
}
MPPI_CLONES(static, draw_lanes, draw_body,
    (uint32_t *state, uint32_t steps, float *a, float *b, float sigma_a, float sigma_b),
    (state, steps, a, b, sigma_a, sigma_b))

static void draw_tile(hed_nav2 *n, uint32_t tile)
{
    size_t at = (size_t)tile * n->steps * NAV2_LANES;
    uint32_t *state = n->generators + (size_t)tile * 4 * NAV2_LANES;
    const float vx = (float)n->axes[NAV2_VX].sigma, vy = (float)n->axes[NAV2_VY].sigma;
    draw_lanes(state, n->steps, n->noise[NAV2_VX] + at, n->noise[NAV2_WZ] + at, vx,
        (float)n->axes[NAV2_WZ].sigma);
    if (n->axes[NAV2_VY].used) draw_lanes(state, n->steps, n->noise[NAV2_VY] + at, NULL, vy, vy);
}

void nav2_seed(hed_nav2 *n, uint64_t seed)
{
    for (uint32_t i = 0; i < n->tiles * NAV2_LANES; i++) {
        mppi_words words = mppi_philox(i, 0, 0, 0, (uint32_t)seed, (uint32_t)(seed >> 32));
        uint32_t *state =
            n->generators + (size_t)(i / NAV2_LANES) * 4 * NAV2_LANES + i % NAV2_LANES;
        for (int k = 0; k < 4; k++) state[k * NAV2_LANES] = words.w[k];
    }
}

void nav2_draw(hed_nav2 *n)
{
    for (uint32_t tile = 0; tile < n->tiles; tile++) draw_tile(n, tile);
}

/* v_0 = start, v_t = acc(v_{t-1}, u_{t-1} + noise_{t-1}); the cost of gamma is summed in the same
 * loop. */
static inline __attribute__((always_inline)) void roll_velocities(
    const roll_axis *a, uint32_t steps, float dt, float *cost)
{
    float v[NAV2_LANES], sum[NAV2_LANES] = {0};
    float slower = dt * a->slower, faster = dt * a->faster;
    ROLL_EACH_LANE v[l] = a->start;
    for (uint32_t t = 0; t < steps; t++) {
        const float *noise = a->noise + t * NAV2_LANES;
        float *velocity = a->velocity + t * NAV2_LANES, plan = a->plan[t], next[NAV2_LANES];
        ROLL_EACH_LANE velocity[l] = v[l];
        ROLL_EACH_LANE {
            float c = plan + noise[l];
            int forward = a->turns ? 1 : (int)(v[l] > 0.0f);
            float low = v[l] + mppi_select(forward, slower, -faster);
            float high = v[l] + mppi_select(forward, faster, -slower);
            next[l] = mppi_min(mppi_max(c, low), high);
        }
        if (a->deviation && t + 1 < steps) {
            float *deviation = a->deviation + t * NAV2_LANES;
            ROLL_EACH_LANE deviation[l] = next[l] - plan;
            ROLL_EACH_LANE sum[l] = hed_fma(plan, deviation[l], sum[l]);
        } else {
            if (a->deviation) memcpy(a->deviation + t * NAV2_LANES, noise, sizeof v);
            ROLL_EACH_LANE sum[l] = hed_fma(plan, noise[l], sum[l]);
        }
        memcpy(v, next, sizeof v);
    }
    ROLL_EACH_LANE cost[l] = hed_fma(a->gain, sum[l], cost[l]);
}

/* Velocities that arrive late: v_t := v_{t-o+1}, after the commands in transit. */
static inline __attribute__((always_inline)) void roll_delay(
    float *velocity, const nav2_axis *axis, uint32_t steps)
{
    uint32_t o = axis->delay;
    for (uint32_t t = steps; t-- > o;)
        memcpy(velocity + t * NAV2_LANES, velocity + (t - o + 1) * NAV2_LANES,
            NAV2_LANES * sizeof(float));
    for (uint32_t t = 1; t < o && t < steps; t++)
        ROLL_EACH_LANE velocity[(size_t)t * NAV2_LANES + (size_t)l] = (float)axis->commands[t];
}

HED_NATIVE_BODY poses_body(const hed_nav2 *n, size_t at, float *arc)
{
    const float *vx = n->velocity[NAV2_VX], *wz = n->velocity[NAV2_WZ];
    const float *vy = n->axes[NAV2_VY].used ? n->velocity[NAV2_VY] : NULL;
    float dt = (float)n->settings.control.model_dt;
    float x[NAV2_LANES], y[NAV2_LANES], yaw[NAV2_LANES], sine[NAV2_LANES], cosine[NAV2_LANES];
    ROLL_EACH_LANE {
        x[l] = (float)n->cycle.pose.x;
        y[l] = (float)n->cycle.pose.y;
        yaw[l] = (float)n->cycle.pose.yaw;
        mppi_sin_cos(yaw[l], &sine[l], &cosine[l]);
        arc[l] = 0;
    }
    for (uint32_t t = 0; t < n->steps; t++, at += NAV2_LANES, vx += NAV2_LANES, wz += NAV2_LANES) {
        float dx[NAV2_LANES], dy[NAV2_LANES];
        ROLL_EACH_LANE {
            dx[l] = dt * (vx[l] * cosine[l]);
            dy[l] = dt * (vx[l] * sine[l]);
        }
        if (vy) {
            ROLL_EACH_LANE {
                dx[l] -= dt * (vy[l] * sine[l]);
                dy[l] += dt * (vy[l] * cosine[l]);
            }
            vy += NAV2_LANES;
        }
        float counts_length = t > 0 ? 1.0f : 0.0f; /* lengths begin at the first pose */
        ROLL_EACH_LANE {
            x[l] += dx[l];
            y[l] += dy[l];
            yaw[l] = hed_fma(dt, wz[l], yaw[l]);
            arc[l] += counts_length * sqrtf(dx[l] * dx[l] + dy[l] * dy[l]);
            mppi_sin_cos(yaw[l], &sine[l], &cosine[l]);
        }
        memcpy(n->x + at, x, sizeof x);
        memcpy(n->y + at, y, sizeof y);
        memcpy(n->yaw + at, yaw, sizeof yaw);
    }
}

HED_NATIVE_BODY roll_body(hed_nav2 *n, uint32_t tile, float *arc)
{
    size_t at = (size_t)tile * n->steps * NAV2_LANES;
    const nav2_settings *s = &n->settings;
    bool clamp = s->control.clamp_raw_controls != 0 || s->release == HED_NAV2_JAZZY;
    float cost[NAV2_LANES] = {0};
    for (int i = 0; i < NAV2_AXES; i++) {
        const nav2_axis *axis = &n->axes[i];
        if (!axis->used) continue;
        double square = axis->sigma * axis->sigma;
        const roll_axis a = {.plan = axis->plan, .noise = n->noise[i] + at,
            .velocity = n->velocity[i], .deviation = clamp ? n->deviation[i] + at : NULL,
            .start = (float)axis->start, .slower = (float)axis->slower,
            .faster = (float)axis->faster, .turns = i == NAV2_WZ,
            .gain = square > 0 ? (float)(s->control.gamma / square) : 0};
        roll_velocities(&a, n->steps, (float)s->control.model_dt, cost);
        if (axis->delay > 1) roll_delay(n->velocity[i], axis, n->steps);
    }
    memcpy(n->cost + (size_t)tile * NAV2_LANES, cost, sizeof cost);
    poses_body(n, at, arc);
}
MPPI_CLONES(static, roll_lanes, roll_body, (hed_nav2 *n, uint32_t tile, float *arc), (n, tile, arc))

void nav2_roll_tile(hed_nav2 *n, uint32_t tile, bool draw, float *arc)
{
    if (draw) draw_tile(n, tile);
    roll_lanes(n, tile, arc);
}

/* ---- the weighted mean ---- */

HED_NATIVE_BODY weigh_body(const float *cost, float smallest, float scale, float *weight)
{
    ROLL_EACH_LANE weight[l] = hed_exp((cost[l] - smallest) * scale);
}
MPPI_CLONES(static, weigh_lanes, weigh_body,
    (const float *cost, float smallest, float scale, float *weight),
    (cost, smallest, scale, weight))

float nav2_weigh_futures(hed_nav2 *n, float *effective)
{
    float smallest = INFINITY, scale = -1.0f / (float)n->settings.control.temperature;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n->samples; i++)
        if (n->cost[i] < smallest) smallest = n->cost[i];
    if (!isfinite(smallest)) return INFINITY;
    for (uint32_t tile = 0; tile < n->tiles; tile++)
        weigh_lanes(n->cost + tile * NAV2_LANES, smallest, scale, n->weight + tile * NAV2_LANES);
    for (uint32_t i = 0; i < n->tiles * NAV2_LANES; i++) {
        bool counts = i < n->samples && n->cost[i] < INFINITY;
        if (!counts) n->weight[i] = 0;
        sum += (double)n->weight[i];
        squares += (double)n->weight[i] * (double)n->weight[i];
    }
    for (uint32_t i = 0; i < n->tiles * NAV2_LANES; i++)
        n->weight[i] = (float)((double)n->weight[i] / sum);
    *effective = (float)(sum * sum / squares);
    return smallest;
}
