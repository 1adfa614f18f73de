/* Single particles that change their patch after the cuts. Where two cuts meet a column apart, a
 * particle is left with most of its constraints outside its patch. All these constraints come
 * before all others of it and of its neighbours, so this particle decides the number of steps of
 * the whole plan. Straight seams stay as they are. */
#include "tables/parts.h"

#include <float.h>
#include <string.h>

enum { PASSES = 4, ROUNDS = 4 };

static uint32_t patch_across(const cloth_planner *planner, uint32_t q)
{
    return planner->part[planner->graph.neighbour[q]];
}

static void corners_move(cloth_planner *planner, uint32_t particle, uint32_t patch)
{
    planner->size[planner->part[particle]]--;
    planner->size[patch]++;
    planner->part[particle] = patch;
}

/* ---- corners that a shorter cut does without ---- */

/* Finds the patch, other than its own, that most of a particle's constraints lead to, the number
 * of constraints that lead there (`pull_count`) and that stay inside (`inside_count`). `count`:
 * (patch_count) zeros, and zeros again on return. */
static uint32_t find_pull(const cloth_planner *planner, uint32_t *count, uint32_t particle,
    uint32_t *pull_count, uint32_t *inside_count)
{
    uint32_t begin = planner->graph.at[particle], end = planner->graph.at[particle + 1],
             home = planner->part[particle], best = home;
    *pull_count = 0;
    for (uint32_t q = begin; q < end; q++) {
        uint32_t patch = patch_across(planner, q);
        if (++count[patch] <= *pull_count || patch == home) continue;
        *pull_count = count[patch];
        best = patch;
    }
    *inside_count = count[home];
    for (uint32_t q = begin; q < end; q++) count[patch_across(planner, q)] = 0;
    return best;
}

/* Moves particles to the patch of most of their constraints: Fiduccia and Mattheyses (1982),
 * without their moves uphill. */
static void shorten_cuts(cloth_planner *planner, uint32_t *count)
{
    bool moved = true;
    for (uint32_t pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
            uint32_t pull_count, inside_count,
                to = find_pull(planner, count, i, &pull_count, &inside_count);
            if (pull_count <= inside_count || planner->size[planner->part[i]] == 1) continue;
            corners_move(planner, i, to);
            moved = true;
        }
    }
}

/* ---- crowded places ---- */

static uint32_t count_outside(const cloth_planner *planner, uint32_t particle)
{
    uint32_t count = 0;
    for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++)
        count += patch_across(planner, q) != planner->part[particle];
    return count;
}

/* Difficulty of scheduling the boundary constraints around a particle: the sum of the fourth
 * powers of the counts, so that a large count at one particle dominates. */
static int64_t crowding(const cloth_planner *planner, uint32_t particle)
{
    int64_t outside_count = count_outside(planner, particle),
            sum = outside_count * outside_count * outside_count * outside_count;
    for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++) {
        int64_t count = count_outside(planner, planner->graph.neighbour[q]);
        sum += count * count * count * count;
    }
    return sum;
}

typedef struct corners_choice {
    int64_t gain;
    uint32_t particle, patch;
} corners_choice;

/* Finds the best patch for a particle among the patches that it has constraints with. */
static void try_moves(cloth_planner *planner, uint32_t particle, corners_choice *best)
{
    uint32_t patch_before = planner->part[particle];
    /* Each particle moves once, so that moves do not cycle. A particle of a figure does not
     * move, as a figure is inside one patch. */
    if (planner->moved[particle] || planner->size[patch_before] == 1) return;
    for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++)
        if (planner->in_figure[planner->graph.constraint[q]]) return;
    int64_t crowding_before = crowding(planner, particle);
    for (uint32_t q = planner->graph.at[particle]; q < planner->graph.at[particle + 1]; q++) {
        uint32_t patch = patch_across(planner, q);
        if (patch == patch_before) continue;
        planner->part[particle] = patch;
        int64_t gain = crowding_before - crowding(planner, particle);
        planner->part[particle] = patch_before;
        if (gain > best->gain) *best = (corners_choice){gain, particle, patch};
    }
}

void cloth_plan_ease(cloth_planner *planner, uint32_t centre)
{
    corners_choice best = {.gain = INT64_MIN, .particle = CLOTH_NONE};
    try_moves(planner, centre, &best);
    for (uint32_t q = planner->graph.at[centre]; q < planner->graph.at[centre + 1]; q++)
        try_moves(planner, planner->graph.neighbour[q], &best);
    if (best.particle == CLOTH_NONE) return;
    corners_move(planner, best.particle, best.patch);
    planner->moved[best.particle] = 1;
}

/* ---- all ---- */

void cloth_plan_list_own(cloth_planner *planner)
{
    uint32_t patches = planner->plan->patch_count, *at = planner->own_at;
    at[0] = 0;
    for (uint32_t p = 0; p < patches; p++) at[p + 1] = at[p] + planner->size[p];
    for (uint32_t i = 0; i < planner->garment->particle_count; i++)
        planner->plan->own[at[planner->part[i]]++] = i;
    for (uint32_t p = patches; p > 0; p--) at[p] = at[p - 1];
    at[0] = 0;
}

hed_status cloth_plan_round_corners(cloth_planner *planner)
{
    uint32_t particles = planner->garment->particle_count;
    uint32_t *count = cloth_plan_new(planner, planner->plan->patch_count, sizeof *count);
    if (!count) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) planner->size[planner->part[i]]++;
    shorten_cuts(planner, count);
    bool crowded = true;
    for (uint32_t round = 0; round < ROUNDS && crowded; round++) {
        crowded = false;
        for (uint32_t i = 0; i < particles; i++) {
            if (3 * count_outside(planner, i) <=
                2 * (planner->graph.at[i + 1] - planner->graph.at[i]))
                continue;
            cloth_plan_ease(planner, i);
            crowded = true;
        }
    }
    cloth_plan_list_own(planner);
    return HED_OK;
}
