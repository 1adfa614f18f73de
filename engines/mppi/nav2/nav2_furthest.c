/* The furthest point of the path that a future reaches: the stage between rollouts and critics. */
#include "nav2/nav2_critics.h"

#include "catalogue/mppi_native.h"
#include "heddle/author.h"

/* 1.5: the nearest point to the last pose, within the length of the future. */
HED_NATIVE_BODY furthest_body(const nav2_cycle *c, const nav2_tile *tile, const float *arc,
    uint32_t so_far, uint32_t *furthest)
{
    const float *x = tile->x + (tile->steps - 1) * NAV2_LANES;
    const float *y = tile->y + (tile->steps - 1) * NAV2_LANES;
    float best[NAV2_LANES], longest = 0;
    int32_t at[NAV2_LANES];
    NAV2_EACH_LANE {
        best[l] = mppi_square(x[l] - c->path.x[0]) + mppi_square(y[l] - c->path.y[0]);
        at[l] = 0;
    }
    for (uint32_t l = 0; l < tile->lanes; l++) longest = mppi_max(longest, arc[l]);
    for (uint32_t j = 1; j < c->path.count && c->path.lengths[j - 1] < longest; j++) {
        float px = c->path.x[j], py = c->path.y[j], before = c->path.lengths[j - 1];
        NAV2_EACH_LANE {
            float d = mppi_square(x[l] - px) + mppi_square(y[l] - py);
            int nearer = (int)(d < best[l]) & (int)(before < arc[l]);
            best[l] = mppi_select(nearer, d, best[l]);
            at[l] = nearer ? (int32_t)j : at[l];
        }
    }
    *furthest = so_far;
    for (uint32_t l = 0; l < tile->lanes; l++)
        if ((uint32_t)at[l] > *furthest) *furthest = (uint32_t)at[l];
}
MPPI_CLONES(static, furthest_lanes, furthest_body,
    (const nav2_cycle *c, const nav2_tile *tile, const float *arc, uint32_t so_far,
        uint32_t *furthest),
    (c, tile, arc, so_far, furthest))

/* 1.3 and 1.4: each future searches from the furthest point so far. */
static uint32_t furthest_sequential(const nav2_cycle *c, const nav2_tile *tile, uint32_t so_far)
{
    size_t last = (size_t)(tile->steps - 1) * NAV2_LANES;
    for (uint32_t l = 0; l < tile->lanes; l++) {
        float best = 1e30f;
        uint32_t nearest = so_far;
        for (uint32_t j = so_far; j < c->path.count; j++) {
            float d = mppi_square(tile->x[last + l] - c->path.x[j]) +
                      mppi_square(tile->y[last + l] - c->path.y[j]);
            if (d < best) best = d, nearest = j;
        }
        so_far = nearest;
    }
    return so_far;
}

uint32_t nav2_furthest_tile(
    const nav2_cycle *c, const nav2_tile *tile, const float *arc, uint32_t so_far)
{
    if (c->settings->release != HED_NAV2_LYRICAL) return furthest_sequential(c, tile, so_far);
    furthest_lanes(c, tile, arc, so_far, &so_far);
    return so_far;
}
