/* Single particles that change their patch after the cuts. Where two cuts meet a column apart, a
 * particle is left with most of its constraints outside its patch; since all of those come before
 * all others of it and of its neighbours, it decides how many steps the whole plan has. Straight
 * seams stay as they are. */
#include "plan/parts.h"

enum { PASSES = 4, ROUNDS = 4 };

static uint32_t patch_across(const cloth_planner *planner, uint32_t q)
{
    return planner->part[planner->neighbour[q]];
}

static void move(cloth_planner *planner, uint32_t particle, uint32_t patch)
{
    planner->size[planner->part[particle]]--;
    planner->size[patch]++;
    planner->part[particle] = patch;
}

/* ---- corners that a shorter cut does without ---- */

/* The patch, other than its own, that most of a particle's constraints lead to, and how many lead
 * there and how many stay. `count`: (patch_count) zeros, and again when this returns. */
static uint32_t find_pull(const cloth_planner *planner, uint32_t *count, uint32_t particle,
    uint32_t *there, uint32_t *here)
{
    uint32_t begin = planner->incident_at[particle], end = planner->incident_at[particle + 1],
             own = planner->part[particle], best = own;
    *there = 0;
    for (uint32_t q = begin; q < end; q++) {
        uint32_t patch = patch_across(planner, q);
        if (++count[patch] <= *there || patch == own) continue;
        *there = count[patch];
        best = patch;
    }
    *here = count[own];
    for (uint32_t q = begin; q < end; q++) count[patch_across(planner, q)] = 0;
    return best;
}

/* Fiduccia and Mattheyses (1982), without their moves uphill. */
static void shorten_cuts(cloth_planner *planner, uint32_t *count)
{
    bool moved = true;
    for (uint32_t pass = 0; pass < PASSES && moved; pass++) {
        moved = false;
        for (uint32_t i = 0; i < planner->garment->particle_count; i++) {
            uint32_t there, here, to = find_pull(planner, count, i, &there, &here);
            if (there <= here || planner->size[planner->part[i]] == 1) continue;
            move(planner, i, to);
            moved = true;
        }
    }
}

/* ---- crowded places ---- */

static uint32_t count_outside(const cloth_planner *planner, uint32_t particle)
{
    uint32_t count = 0;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++)
        count += patch_across(planner, q) != planner->part[particle];
    return count;
}

/* How hard the boundary constraints around a particle are to put in steps: the most at one particle
 * count by far the most. */
static int64_t crowding(const cloth_planner *planner, uint32_t particle)
{
    int64_t here = count_outside(planner, particle), sum = here * here * here * here;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++) {
        int64_t count = count_outside(planner, planner->neighbour[q]);
        sum += count * count * count * count;
    }
    return sum;
}

/* Each particle moves once, so that they do not go round in circles; and none that is in a figure,
 * which is inside one patch. */
static bool may_move(const cloth_planner *planner, uint32_t particle)
{
    if (planner->moved[particle] || planner->size[planner->part[particle]] == 1) return false;
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++)
        if (planner->in_figure[planner->incident[q]]) return false;
    return true;
}

typedef struct choice {
    int64_t gain;
    uint32_t particle, patch;
} choice;

/* The best patch for a particle among those that it has constraints with. */
static void try_moves(cloth_planner *planner, uint32_t particle, choice *best)
{
    if (!may_move(planner, particle)) return;
    uint32_t own = planner->part[particle];
    int64_t now = crowding(planner, particle);
    for (uint32_t q = planner->incident_at[particle]; q < planner->incident_at[particle + 1]; q++) {
        uint32_t patch = patch_across(planner, q);
        if (patch == own) continue;
        planner->part[particle] = patch;
        int64_t gain = now - crowding(planner, particle);
        planner->part[particle] = own;
        if (gain > best->gain) *best = (choice){gain, particle, patch};
    }
}

void cloth_plan_ease(cloth_planner *planner, uint32_t centre)
{
    choice best = {.gain = INT64_MIN, .particle = CLOTH_NONE};
    try_moves(planner, centre, &best);
    for (uint32_t q = planner->incident_at[centre]; q < planner->incident_at[centre + 1]; q++)
        try_moves(planner, planner->neighbour[q], &best);
    if (best.particle == CLOTH_NONE) return;
    move(planner, best.particle, best.patch);
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
    uint32_t *count = cloth_plan_temporary(planner, planner->plan->patch_count, sizeof *count);
    if (!count) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++) planner->size[planner->part[i]]++;
    shorten_cuts(planner, count);
    bool crowded = true;
    for (uint32_t round = 0; round < ROUNDS && crowded; round++) {
        crowded = false;
        for (uint32_t i = 0; i < particles; i++) {
            if (3 * count_outside(planner, i) <=
                2 * (planner->incident_at[i + 1] - planner->incident_at[i]))
                continue;
            cloth_plan_ease(planner, i);
            crowded = true;
        }
    }
    cloth_plan_list_own(planner);
    return HED_OK;
}
