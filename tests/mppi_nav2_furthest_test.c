/* The furthest point that futures reach on dense, crossing and repeating paths, against a plain
 * search over all points, tile after tile, for both rules. */
#include <math.h>
#include <stdlib.h>

#include "testing.h"
#include "nav2/nav2_cycle.h"

enum { POINTS = 1200, TILES = 6 };

static uint32_t state = 1;
static float uniform(float low, float high)
{
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

/* A path in memory of its own: loops, with some points twice. */
static void make_path(nav2_path *p, uint32_t count)
{
    static float memory[6][POINTS];
    *p = (nav2_path){count, memory[0], memory[1], memory[2], memory[3], memory[4], memory[5], 0};
    float turn = uniform(-2, 2), step = uniform(0.5f, 4) / (float)count, yaw = 0, x = 0, y = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool repeats = uniform(0, 1) < 0.1f;
        if (!repeats) yaw += turn * step * 4;
        if (i && !repeats) x += step * cosf(yaw), y += step * sinf(yaw);
        p->x[i] = x;
        p->y[i] = y;
        p->lengths[i] = i ? p->lengths[i - 1] + (repeats ? 0 : step) : 0;
        p->valid[i] = 1;
    }
    nav2_measure_blocks(p);
}

/* The nearest point of [from, count), the first of equals, before the path is longer than `arc`. */
static uint32_t plain(const nav2_path *p, uint32_t from, float x, float y, float arc)
{
    uint32_t nearest = from;
    float best = INFINITY;
    for (uint32_t j = from; j < p->count; j++) {
        if (j > from && !(p->lengths[j - 1] < arc)) break;
        float dx = x - p->x[j], dy = y - p->y[j], d = dx * dx + dy * dy;
        if (d < best) best = d, nearest = j;
    }
    return nearest;
}

/* Squares of the distances from an end to two points, to allow for another rounding of equals. */
static bool is_tie(const nav2_path *p, uint32_t a, uint32_t b, float x, float y)
{
    double da = nav2_length((double)(x - p->x[a]), (double)(y - p->y[a]));
    double db = nav2_length((double)(x - p->x[b]), (double)(y - p->y[b]));
    return fabs(da - db) < 1e-6;
}

static void compare(hed_nav2_release release, uint32_t count)
{
    nav2_settings settings = {.release = release};
    nav2_cycle cycle = {.settings = &settings};
    make_path(&cycle.path, count);
    const nav2_path *p = &cycle.path;
    uint32_t found = 0, expected = 0;
    bool has_tie = false;
    for (int tile = 0; tile < TILES; tile++) {
        float x[NAV2_LANES], y[NAV2_LANES], arc[NAV2_LANES];
        for (int l = 0; l < NAV2_LANES; l++) {
            uint32_t at = (uint32_t)uniform(0, (float)count);
            x[l] = p->x[at] + uniform(-0.3f, 0.3f);
            y[l] = p->y[at] + uniform(-0.3f, 0.3f);
            arc[l] = uniform(0, p->lengths[count - 1] * 1.2f);
        }
        nav2_tile t = {.steps = 1, .lanes = tile == 2 ? 7 : NAV2_LANES, .x = x, .y = y};
        found = nav2_furthest_tile(&cycle, &t, arc, found);
        for (uint32_t l = 0; l < t.lanes; l++) {
            bool lyrical = release == HED_NAV2_LYRICAL;
            uint32_t n = plain(p, lyrical ? 0 : expected, x[l], y[l], lyrical ? arc[l] : 1e30f);
            uint32_t before = expected;
            if (n > expected) expected = n;
            has_tie = has_tie || (found != expected && is_tie(p, found, n, x[l], y[l])) ||
                      (before != expected && is_tie(p, before, expected, x[l], y[l]));
        }
        if (has_tie) return;
        CHECK_EQ(found, expected, "release %d, %u points, tile %d", release, count, tile);
    }
}

Test(mppi_nav2_furthest, equals_a_plain_search)
{
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 33, 200, POINTS};
    for (int round = 0; round < 40; round++)
        for (size_t i = 0; i < HED_COUNT(counts); i++)
            for (int release = 0; release < 2; release++)
                compare((hed_nav2_release)release, counts[i]);
}
