/* Cut: the patch of each particle, by recursive bisection (Berger and Bokhari 1987; Simon 1991).
 * Each bisection tries several orders of the particles and every cut position in them:
 *
 *   orders     along each axis of the rest shape (columns and rows of a grid); component by
 *              component if the piece has several; by distance along the cloth if a cut along an
 *              axis would leave a half disconnected, as with the front and the back of a shirt
 *              that overlap at rest;
 *   positions  1/3 to 2/3 of the patches on one side, within a few percent of a patch.
 *
 * The best position cuts the fewest constraints. That makes straight seams on grids, whose
 * boundary constraints need the fewest steps, since a cut with a corner in it cuts more.
 * Constraints near a tether seam (where neighbours hang from anchors far apart) count several
 * times: a cut along such a seam ruins the purpose of tethers, to limit the stretch of a large
 * sheet. A cut across it cannot be avoided and costs the same everywhere.
 *
 * METIS 5.1 in its place gives the same numbers of steps and 0.97 to 1.01 times the boundary
 * constraints, is out of balance by 3 % instead of 1 %, takes about as long as the whole plan
 * does here, and cuts along tether seams: not clearly better, so not taken. */
#include "tables/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    AXES = 3,
    KEY_LEVELS = 1 << 20, /* coordinates closer than this fraction of a piece's extent are equal */
    CONSTRAINT_WEIGHT = 16,
    SEAM_WEIGHT = 128, /* extra weight of a constraint on a tether seam */
    /* maximum distance from a tether seam, columns, where constraints have an extra weight */
    SEAM_REACH = 8
};

/* Cost of a cut = (weight of the constraints cut + 1) x (1 + cost_of_imbalance x imbalance +
 * cost_of_ratio x distance from the middle). */
static const double cost_of_imbalance = 10.0, cost_of_ratio = 0.2;
/* smallest extent of an axis that is tried, / longest extent */
static const float least_extent = 0.3f;
static const double most_imbalance = 0.03; /* largest imbalance by one cut, / size of a patch */

typedef struct place {
    double cost;
    uint32_t position, left; /* particles and patches before the cut */
} place;

typedef struct cutter {
    cloth_planner *planner;
    uint32_t *order;       /* (particle_count) plan->own: each piece is a range of it */
    uint32_t *trial;       /* (particle_count) */
    uint32_t *best;        /* (particle_count) order of the best cut so far */
    uint32_t *key, *moved; /* (particle_count) for sorting */
    uint32_t *rank;        /* (particle_count) position of each particle in the trial */
    uint32_t *queue;       /* (particle_count) */
    uint32_t *label;       /* (particle_count) component, or distance */
    /* (particle_count + 1) weight of the constraints that a cut before each position cuts */
    int64_t *profile;
    /* (particle_count) SEAM_REACH: on a tether seam, less with the distance; 0: far from any */
    uint8_t *seam;
    uint32_t begin, end, patches; /* the piece that is cut */
} cutter;

/* True if the particle is in the piece: a rank is a position in the whole array, and each piece
 * is a range of that array. */
static bool in_piece(const cutter *c, uint32_t particle)
{
    return c->rank[particle] >= c->begin && c->rank[particle] < c->end;
}

static void set_ranks(cutter *c)
{
    for (uint32_t k = c->begin; k < c->end; k++) c->rank[c->trial[k]] = k;
}

/* ---- tether seams ---- */

/* True if the anchors of two neighbours are so far apart that tethers pull them in different
 * directions. */
static bool is_seam(const cloth_garment *garment, uint32_t a, uint32_t b)
{
    uint32_t p = garment->tether_anchor[a], q = garment->tether_anchor[b];
    if (p == q || p == CLOTH_NONE || q == CLOTH_NONE) return false;
    const float *x = garment->rest[garment->anchors[p]], *y = garment->rest[garment->anchors[q]];
    float distance = sqrtf((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                           (x[2] - y[2]) * (x[2] - y[2]));
    return distance > 0.25f * fminf(garment->tether_length[a], garment->tether_length[b]);
}

/* Fills c->seam, breadth first from the seams along edges of the mesh, as far as half a patch. */
static void find_tether_seams(cutter *c)
{
    const cloth_planner *planner = c->planner;
    const cloth_garment *garment = planner->garment;
    uint32_t count = 0, reach = (uint32_t)(0.5 * sqrt((double)garment->particle_count /
                                                      planner->plan->patch_count));
    if (garment->anchor_count < 2) return;
    reach = reach < 2 ? 2 : reach > SEAM_REACH ? SEAM_REACH : reach;
    for (uint32_t k = 0; k < planner->edges->constraint_count; k++) {
        uint32_t ends[2] = {garment->constraints[k].a, garment->constraints[k].b};
        if (garment->families[k] != HED_CLOTH_STRUCTURAL || !is_seam(garment, ends[0], ends[1]))
            continue;
        for (uint32_t e = 0; e < 2; e++) {
            if (c->seam[ends[e]]) continue;
            c->seam[ends[e]] = (uint8_t)reach;
            c->queue[count++] = ends[e];
        }
    }
    for (uint32_t head = 0; head < count; head++) {
        uint32_t particle = c->queue[head];
        for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++) {
            uint32_t k = planner->graph.constraint[q], neighbour = planner->graph.neighbour[q];
            if (garment->families[k] != HED_CLOTH_STRUCTURAL || c->seam[neighbour] ||
                c->seam[particle] == 1)
                continue;
            c->seam[neighbour] = c->seam[particle] - 1;
            c->queue[count++] = neighbour;
        }
    }
    for (uint32_t k = 0; k < count; k++)
        c->seam[c->queue[k]] = (uint8_t)(c->seam[c->queue[k]] * SEAM_REACH / reach);
}

/* ---- orders ---- */

/* Sorts the trial by c->key, whose keys are below 2^24; the sort is stable. */
static void sort_trial(cutter *c)
{
    uint32_t count = c->end - c->begin, *trial = c->trial + c->begin, *key = c->key, *to = c->queue,
             *to_key = c->moved;
    for (uint32_t shift = 0; shift < 24; shift += 8) {
        uint32_t at[257] = {0};
        for (uint32_t k = 0; k < count; k++) at[(key[k] >> shift & 255) + 1]++;
        for (uint32_t b = 0; b < 256; b++) at[b + 1] += at[b];
        for (uint32_t k = 0; k < count; k++) {
            uint32_t slot = at[key[k] >> shift & 255]++;
            to[slot] = trial[k];
            to_key[slot] = key[k];
        }
        memcpy(trial, to, count * sizeof *trial);
        memcpy(key, to_key, count * sizeof *key);
    }
}

static float coordinate(const cloth_garment *garment, uint32_t particle, uint32_t axis)
{
    if (!garment->grid_width) return garment->rest[particle][axis];
    return (float)(axis == 0   ? particle % garment->grid_width
                   : axis == 1 ? particle / garment->grid_width
                               : 0);
}

/* Returns the piece's extent along an axis. */
static float find_extent(const cutter *c, uint32_t axis, float *low)
{
    float high = -FLT_MAX;
    *low = FLT_MAX;
    for (uint32_t k = c->begin; k < c->end; k++) {
        float x = coordinate(c->planner->garment, c->order[k], axis);
        *low = fminf(*low, x);
        high = fmaxf(high, x);
    }
    return high - *low;
}

static void order_along(cutter *c, uint32_t axis)
{
    float low, extent = find_extent(c, axis, &low);
    float scale = extent > 0.0f ? (KEY_LEVELS - 1) / extent : 0.0f;
    for (uint32_t k = c->begin; k < c->end; k++) {
        c->trial[k] = c->order[k];
        c->key[k - c->begin] =
            (uint32_t)((coordinate(c->planner->garment, c->order[k], axis) - low) * scale + 0.5f);
    }
    sort_trial(c);
}

/* Labels the connected components of the piece, in the trial's order, and returns their count. */
static uint32_t find_components(cutter *c)
{
    const uint32_t *at = c->planner->graph.at;
    uint32_t components = 0;
    for (uint32_t k = c->begin; k < c->end; k++) c->label[c->trial[k]] = CLOTH_NONE;
    for (uint32_t k = c->begin; k < c->end; k++) {
        if (c->label[c->trial[k]] != CLOTH_NONE) continue;
        uint32_t count = 0;
        c->label[c->queue[count++] = c->trial[k]] = components;
        for (uint32_t head = 0; head < count; head++) {
            for (uint32_t q = at[c->queue[head]]; q < at[c->queue[head] + 1]; q++) {
                uint32_t neighbour = c->planner->graph.neighbour[q];
                if (!in_piece(c, neighbour) || c->label[neighbour] != CLOTH_NONE) continue;
                c->label[c->queue[count++] = neighbour] = components;
            }
        }
        components++;
    }
    return components;
}

/* Sorts the trial by label. Labels from 2^24 on count as 2^24 - 1: pieces of one or two
 * particles each. */
static void order_by_label(cutter *c)
{
    for (uint32_t k = c->begin; k < c->end; k++) {
        uint32_t label = c->label[c->trial[k]];
        c->key[k - c->begin] = label < 1u << 24 ? label : (1u << 24) - 1;
    }
    sort_trial(c);
}

/* Labels each particle with its distance from one particle, in constraints. Returns the farthest
 * particle. */
static uint32_t find_distances(cutter *c, uint32_t from)
{
    const uint32_t *at = c->planner->graph.at;
    uint32_t count = 0;
    for (uint32_t k = c->begin; k < c->end; k++) c->label[c->trial[k]] = CLOTH_NONE;
    c->label[c->queue[count++] = from] = 0;
    for (uint32_t head = 0; head < count; head++) {
        uint32_t particle = c->queue[head];
        for (uint32_t q = at[particle]; q < at[particle + 1]; q++) {
            uint32_t neighbour = c->planner->graph.neighbour[q];
            if (!in_piece(c, neighbour) || c->label[neighbour] != CLOTH_NONE) continue;
            c->label[c->queue[count++] = neighbour] = c->label[particle] + 1;
        }
    }
    return c->queue[count - 1];
}

/* Sums the weight of the constraints that a cut before each position of the trial cuts. */
static void find_profile(cutter *c)
{
    const uint32_t *at = c->planner->graph.at;
    set_ranks(c);
    for (uint32_t k = c->begin; k <= c->end; k++) c->profile[k] = 0;
    for (uint32_t k = c->begin; k < c->end; k++) {
        uint32_t particle = c->trial[k];
        for (uint32_t q = at[particle]; q < at[particle + 1]; q++) {
            uint32_t neighbour = c->planner->graph.neighbour[q];
            if (c->rank[neighbour] <= k || c->rank[neighbour] >= c->end) continue;
            int64_t seam =
                c->seam[particle] > c->seam[neighbour] ? c->seam[particle] : c->seam[neighbour];
            int64_t w = CONSTRAINT_WEIGHT + SEAM_WEIGHT * seam / SEAM_REACH;
            c->profile[k + 1] += w;
            c->profile[c->rank[neighbour] + 1] -= w;
        }
    }
    for (uint32_t k = c->begin + 1; k <= c->end; k++) c->profile[k] += c->profile[k - 1];
}

/* Makes the trial the best order if it has a cheaper cut than the best so far. */
static void try_order(cutter *c, place *best)
{
    uint32_t count = c->end - c->begin;
    double size = (double)count / c->patches;
    bool better = false;
    find_profile(c);
    for (uint32_t left = (c->patches + 2) / 3; left <= c->patches - (c->patches + 2) / 3; left++) {
        double target = size * left,
               smaller = size * (2 * left < c->patches ? left : c->patches - left);
        double off = fabs((double)left / c->patches - 0.5),
               reach = fmax(most_imbalance * smaller, 1.0);
        int64_t first = (int64_t)ceil(target - reach), last = (int64_t)floor(target + reach);
        if (first < left) first = left;
        if (last > (int64_t)count - (c->patches - left))
            last = (int64_t)count - (c->patches - left);
        for (int64_t k = first; k <= last; k++) {
            double imbalance = fabs((double)k - target) / smaller;
            double cost = (double)(c->profile[c->begin + k] + 1) *
                          (1.0 + cost_of_imbalance * imbalance + cost_of_ratio * off);
            if (cost >= best->cost) continue;
            *best = (place){cost, (uint32_t)k, left};
            better = true;
        }
    }
    if (better) memcpy(c->best + c->begin, c->trial + c->begin, count * sizeof *c->best);
}

/* Tries orders along axes and, if the piece has several components, component by component. */
static place find_cut(cutter *c, bool connected)
{
    place best = {.cost = DBL_MAX};
    float extent[AXES], longest = 0.0f, low;
    uint32_t axis = 0;
    for (uint32_t a = 0; a < AXES; a++) {
        extent[a] = find_extent(c, a, &low);
        if (extent[a] > longest) longest = extent[axis = a];
    }
    for (uint32_t a = 0; a < AXES; a++) {
        if (a != axis && extent[a] < least_extent * longest) continue;
        order_along(c, a);
        try_order(c, &best);
    }
    if (connected) return best;
    order_along(c, axis);
    set_ranks(c);
    find_components(c);
    order_by_label(c);
    try_order(c, &best);
    return best;
}

static void set_piece(cutter *c, uint32_t begin, uint32_t end, uint32_t patches)
{
    c->begin = begin;
    c->end = end;
    c->patches = patches;
}

/* Applies the best order; `connected`: true for each side of its cut that is connected. */
static void take_best(cutter *c, uint32_t middle, bool connected[2])
{
    uint32_t begin = c->begin, end = c->end;
    memcpy(c->order + begin, c->best + begin, (end - begin) * sizeof *c->order);
    memcpy(c->trial + begin, c->best + begin, (end - begin) * sizeof *c->trial);
    set_ranks(c);
    for (uint32_t side = 0; side < 2; side++) {
        set_piece(c, side ? middle : begin, side ? end : middle, c->patches);
        connected[side] = find_components(c) == 1;
    }
    set_piece(c, begin, end, c->patches);
}

static void cut_piece(
    cutter *c, uint32_t begin, uint32_t end, uint32_t patch, uint32_t patches, bool connected)
{
    if (patches == 1) {
        for (uint32_t k = begin; k < end; k++) c->planner->part[c->order[k]] = patch;
        return;
    }
    set_piece(c, begin, end, patches);
    bool sides[2];
    place cut = find_cut(c, connected);
    take_best(c, begin + cut.position, sides);
    if (connected && !(sides[0] && sides[1])) {
        /* a piece that overlaps itself: order along the cloth from one of its ends */
        memcpy(c->trial + begin, c->order + begin, (end - begin) * sizeof *c->trial);
        set_ranks(c);
        find_distances(c, find_distances(c, c->trial[begin]));
        order_by_label(c);
        try_order(c, &cut);
        take_best(c, begin + cut.position, sides);
    }
    uint32_t middle = begin + cut.position;
    cut_piece(c, begin, middle, patch, cut.left, sides[0]);
    cut_piece(c, middle, end, patch + cut.left, patches - cut.left, sides[1]);
}

hed_status cloth_plan_cut(cloth_planner *planner)
{
    uint64_t particles = planner->garment->particle_count;
    cutter c = {.planner = planner, .order = planner->plan->own};
    c.trial = cloth_plan_new(planner, particles, sizeof *c.trial);
    c.best = cloth_plan_new(planner, particles, sizeof *c.best);
    c.key = cloth_plan_new(planner, particles, sizeof *c.key);
    c.moved = cloth_plan_new(planner, particles, sizeof *c.moved);
    c.rank = cloth_plan_new(planner, particles, sizeof *c.rank);
    c.queue = cloth_plan_new(planner, particles, sizeof *c.queue);
    c.label = cloth_plan_new(planner, particles, sizeof *c.label);
    c.profile = cloth_plan_new(planner, particles + 1, sizeof *c.profile);
    c.seam = cloth_plan_new(planner, particles, sizeof *c.seam);
    if (planner->arena.failed) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) c.order[i] = c.trial[i] = c.rank[i] = i;
    find_tether_seams(&c);
    set_piece(&c, 0, (uint32_t)particles, planner->plan->patch_count);
    cut_piece(&c, 0, (uint32_t)particles, 0, planner->plan->patch_count, find_components(&c) == 1);
    return cloth_plan_round_corners(planner);
}
