/* The furthest point of the path that a future reaches: the stage between rollouts and critics.
 * The search for the nearest point skips blocks of points that are too far away, so that a path
 * with many points costs little more than one with few. */
#include "nav2/nav2_critics.h"

#include "catalogue/mppi_native.h"
#include "heddle/author.h"

void nav2_measure_blocks(nav2_path *p)
{
    for (uint32_t first = 0; first < p->count; first += NAV2_BLOCK) {
        float square = 0;
        for (uint32_t j = first; j < p->count && j < first + NAV2_BLOCK; j++)
            square = mppi_max(
                square, mppi_square(p->x[j] - p->x[first]) + mppi_square(p->y[j] - p->y[first]));
        p->reach[first / NAV2_BLOCK] = mppi_sqrt(square);
    }
}

/* Ends of a tile's futures, and the points nearest to them so far. */
typedef struct furthest_search {
    const float *x, *y,
        *arc;               /* (NAV2_LANES) arc: a point counts if the path is shorter before it */
    float best[NAV2_LANES]; /* squares of distances, m^2 */
    int32_t at[NAV2_LANES];
} furthest_search;

/* Compares with point j; `before`: length of the path up to point j - 1. Of equals the first. */
static inline __attribute__((always_inline)) void furthest_try(
    furthest_search *s, const nav2_path *p, uint32_t j, float before)
{
    float px = p->x[j], py = p->y[j];
    NAV2_EACH_LANE {
        float d = mppi_square(s->x[l] - px) + mppi_square(s->y[l] - py);
        int is_first = (int)(d == s->best[l]) & (int)((int32_t)j < s->at[l]);
        int nearer = ((int)(d < s->best[l]) | is_first) & (int)(before < s->arc[l]);
        s->best[l] = mppi_select(nearer, d, s->best[l]);
        s->at[l] = nearer ? (int32_t)j : s->at[l];
    }
}

/* True if a point of the block that begins at j can be nearer than the best of a lane. */
static inline __attribute__((always_inline)) int furthest_can(
    const furthest_search *s, const nav2_path *p, uint32_t j, const float *distance)
{
    float px = p->x[j], py = p->y[j], reach = p->reach[j / NAV2_BLOCK];
    int32_t can[NAV2_LANES], possible = 0;
    NAV2_EACH_LANE {
        float d = mppi_square(s->x[l] - px) + mppi_square(s->y[l] - py);
        float bound = distance[l] + reach;
        can[l] = (int)(d <= bound * bound);
    }
    NAV2_EACH_LANE possible |= can[l];
    return possible;
}

/* Returns the first point beyond `from` that no future reaches. */
static inline __attribute__((always_inline)) uint32_t furthest_end(
    const nav2_path *p, uint32_t from, float longest)
{
    uint32_t low = from + 1, high = p->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->lengths[middle - 1] < longest) low = middle + 1;
        else high = middle;
    }
    return low < p->count ? low : p->count;
}

/* The nearest point of [from, count) of each lane, within its arc; `from` always
 * counts. */
HED_NATIVE_BODY nearest_body(const nav2_path *p, furthest_search *s, uint32_t from)
{
    static const float SLACK = 1.00001f; /* above the rounding of distances */
    float longest = 0, distance[NAV2_LANES];
    float px = p->x[from], py = p->y[from];
    NAV2_EACH_LANE {
        s->best[l] = mppi_square(s->x[l] - px) + mppi_square(s->y[l] - py);
        s->at[l] = (int32_t)from;
        longest = mppi_max(longest, s->arc[l]);
    }
    uint32_t end = furthest_end(p, from, longest);
    uint32_t aligned = (from + NAV2_BLOCK) / NAV2_BLOCK * NAV2_BLOCK; /* begin of a block */
    for (uint32_t j = from + 1; j < aligned && j < end; j++)
        furthest_try(s, p, j, p->lengths[j - 1]);
    for (uint32_t j = aligned; j < end; j += NAV2_BLOCK) furthest_try(s, p, j, p->lengths[j - 1]);
    NAV2_EACH_LANE distance[l] = mppi_sqrt(s->best[l]) * SLACK + 1e-6f;
    for (uint32_t first = aligned; first < end; first += NAV2_BLOCK) {
        if (!furthest_can(s, p, first, distance)) continue;
        for (uint32_t j = first + 1; j < first + NAV2_BLOCK && j < end; j++)
            furthest_try(s, p, j, p->lengths[j - 1]);
    }
}
MPPI_CLONES(static, nearest_lanes, nearest_body,
    (const nav2_path *p, furthest_search *s, uint32_t from), (p, s, from))

/* Returns the furthest point of the search. */
static uint32_t furthest_found(const nav2_tile *tile, const furthest_search *s)
{
    uint32_t furthest = 0;
    for (uint32_t l = 0; l < tile->lanes; l++)
        if ((uint32_t)s->at[l] > furthest) furthest = (uint32_t)s->at[l];
    return furthest;
}

/* 1.5: the nearest point to the last pose, within the length of the future. Only futures that end
 * nearer to a point beyond the furthest one so far are compared with the whole path. */
static uint32_t furthest_within(
    const nav2_cycle *c, const nav2_tile *tile, furthest_search *s, uint32_t so_far)
{
    nearest_lanes(&c->path, s, so_far);
    if (so_far == 0 || furthest_found(tile, s) == so_far) return furthest_found(tile, s);
    nearest_lanes(&c->path, s, 0);
    uint32_t furthest = furthest_found(tile, s);
    return furthest > so_far ? furthest : so_far;
}

/* 1.3 and 1.4: each future searches from the furthest point so far, whatever its length. A point
 * that the tile's search finds at or beyond this point is the one of the future's own search. */
static uint32_t furthest_sequential(
    const nav2_cycle *c, const nav2_tile *tile, furthest_search *s, uint32_t so_far)
{
    float unlimited[NAV2_LANES];
    NAV2_EACH_LANE unlimited[l] = 1e30f;
    s->arc = unlimited;
    nearest_lanes(&c->path, s, so_far);
    for (uint32_t l = 0; l < tile->lanes; l++) {
        if ((uint32_t)s->at[l] < so_far) nearest_lanes(&c->path, s, so_far);
        so_far = (uint32_t)s->at[l];
    }
    return so_far;
}

uint32_t nav2_furthest_tile(
    const nav2_cycle *c, const nav2_tile *tile, const float *arc, uint32_t so_far)
{
    size_t last = (size_t)(tile->steps - 1) * NAV2_LANES;
    furthest_search s = {.x = tile->x + last, .y = tile->y + last, .arc = arc};
    if (c->settings->release != HED_NAV2_LYRICAL) return furthest_sequential(c, tile, &s, so_far);
    return furthest_within(c, tile, &s, so_far);
}
