/* The tables of a plan: local numbers, packets, pairs and figures of each patch, and the order of
 * all of it together. */
#include "plan/parts.h"

#include <stdlib.h>

/* Where particles are, seen from a patch. */
typedef struct numbers {
    uint32_t *local; /* (particle_count) place in its own patch */
    uint32_t *ghost; /* (particle_count) place in the patch at work, where it is a ghost there */
    uint32_t *slot;  /* (particle_count) its packet, or CLOTH_NONE */
} numbers;

static uint32_t local_number(
    const cloth_planner *planner, const numbers *n, uint32_t patch, uint32_t particle)
{
    return planner->part[particle] == patch ? n->local[particle] : n->ghost[particle];
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void most(uint32_t *most_so_far, uint32_t value)
{
    if (value > *most_so_far) *most_so_far = value;
}

/* ---- who owns, sends and reads what ---- */

/* Own particles in the garment's order, those that others read first. */
static void number_own(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    for (uint32_t p = 0; p < plan->patch_count; p++)
        plan->patches[p] =
            (cloth_patch){.own_at = planner->own_at[p], .ghost_at = planner->ghosts_at[p]};
    for (uint32_t i = 0; i < plan->particle_count; i++) n->slot[i] = CLOTH_NONE;
    for (uint32_t k = 0; k < planner->ghosts.count; k++) n->slot[planner->ghosts.items[k]] = 0;
    for (uint32_t sent = 1; sent < 2; sent--) {
        for (uint32_t i = 0; i < plan->particle_count; i++) {
            cloth_patch *patch = &plan->patches[planner->part[i]];
            if ((n->slot[i] != CLOTH_NONE) != (sent == 1)) continue;
            n->local[i] = patch->own_count;
            plan->own[patch->own_at + patch->own_count++] = i;
            patch->send_count += sent;
        }
    }
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        cloth_patch *patch = &plan->patches[p];
        patch->send_at = plan->slot_count;
        plan->slot_count += patch->send_count;
        for (uint32_t i = 0; i < patch->send_count; i++)
            n->slot[plan->own[patch->own_at + i]] = patch->send_at + i;
    }
}

static hed_status number_ghosts(cloth_planner *planner, const numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint32_t *particle = cloth_plan_temporary(planner, plan->slot_count, sizeof *particle);
    if (!particle) return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < plan->particle_count; i++)
        if (n->slot[i] != CLOTH_NONE) particle[n->slot[i]] = i;
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        cloth_patch *patch = &plan->patches[p];
        patch->ghost_count = planner->ghosts_at[p + 1] - planner->ghosts_at[p];
        uint32_t *slots = plan->ghost_slot + patch->ghost_at;
        for (uint32_t k = 0; k < patch->ghost_count; k++)
            slots[k] = n->slot[planner->ghosts.items[patch->ghost_at + k]];
        qsort(slots, patch->ghost_count, sizeof *slots, by_value);
        for (uint32_t k = 0; k < patch->ghost_count; k++)
            plan->ghosts[patch->ghost_at + k] = particle[slots[k]];
        most(&plan->most_own, patch->own_count);
        most(&plan->most_ghosts, patch->ghost_count);
        most(&plan->most_local, patch->own_count + patch->ghost_count);
    }
    return HED_OK;
}

/* ---- pairs ---- */

/* Constraints that each patch alone does, outside figures, patch by patch. */
static uint32_t *sort_by_home(cloth_planner *planner, uint32_t *at)
{
    uint32_t constraints = planner->garment->constraint_count, patches = planner->plan->patch_count;
    uint32_t *sorted = cloth_plan_temporary(planner, constraints, sizeof *sorted);
    if (!sorted) return NULL;
    for (uint32_t k = 0; k < constraints; k++)
        if (planner->home[k] != CLOTH_NONE && !planner->in_figure[k]) at[planner->home[k] + 1]++;
    for (uint32_t p = 0; p < patches; p++) at[p + 1] += at[p];
    for (uint32_t k = 0; k < constraints; k++)
        if (planner->home[k] != CLOTH_NONE && !planner->in_figure[k])
            sorted[at[planner->home[k]]++] = k;
    for (uint32_t p = patches; p > 0; p--) at[p] = at[p - 1];
    at[0] = 0;
    return sorted;
}

/* Fills one patch's pairs from two lists of constraints, step by step. */
static void fill_pairs(cloth_planner *planner, const numbers *n, uint32_t patch, uint32_t begin,
    const uint32_t *const lists[2], const uint32_t counts[2])
{
    cloth_plan *plan = planner->plan;
    uint32_t *at = plan->pair_at + (uint64_t)patch * (plan->pair_steps + 1);
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t k = 0; k < counts[l]; k++) at[planner->step[lists[l][k]] + 1]++;
    at[0] = begin;
    for (uint32_t s = 0; s < plan->pair_steps; s++) {
        most(&plan->most_pairs, at[s + 1]);
        if (s < plan->boundary_steps) most(&plan->most_boundary_pairs, at[s + 1]);
        at[s + 1] += at[s];
    }
    for (uint32_t l = 0; l < 2; l++) {
        for (uint32_t k = 0; k < counts[l]; k++) {
            uint32_t constraint = lists[l][k];
            const hed_cloth_constraint *c = &planner->garment->constraints[constraint];
            plan->pairs[at[planner->step[constraint]]++] =
                (cloth_pair){(uint16_t)local_number(planner, n, patch, c->a),
                    (uint16_t)local_number(planner, n, patch, c->b), constraint};
        }
    }
    for (uint32_t s = plan->pair_steps; s > 0; s--) at[s] = at[s - 1];
    at[0] = begin;
}

static hed_status make_pairs(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint32_t *home_at = cloth_plan_temporary(planner, plan->patch_count + 1ull, sizeof *home_at);
    uint32_t *inside = home_at ? sort_by_home(planner, home_at) : NULL;
    if (!inside) return HED_ERROR_MEMORY;
    plan->pair_count = home_at[plan->patch_count] + planner->redone.count;
    plan->pairs =
        cloth_allocate(&plan->allocator, plan->pair_count, sizeof *plan->pairs, planner->error);
    if (!plan->pairs) return HED_ERROR_MEMORY;
    uint32_t begin = 0;
    for (uint32_t p = 0; p < plan->patch_count; p++) {
        const cloth_patch *patch = &plan->patches[p];
        for (uint32_t k = 0; k < patch->ghost_count; k++)
            n->ghost[plan->ghosts[patch->ghost_at + k]] = patch->own_count + k;
        const uint32_t *const lists[2] = {
            planner->redone.items + planner->redone_at[p], inside + home_at[p]};
        const uint32_t counts[2] = {
            planner->redone_at[p + 1] - planner->redone_at[p], home_at[p + 1] - home_at[p]};
        fill_pairs(planner, n, p, begin, lists, counts);
        begin += counts[0] + counts[1];
    }
    plan->redone = plan->boundary ? (double)planner->redone.count / (double)plan->boundary : 0.0;
    return HED_OK;
}

/* ---- figures ---- */

static void make_figures(cloth_planner *planner, const numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint32_t steps = plan->figure_steps, *at = plan->figure_at;
    for (uint32_t k = 0; k < planner->found_count; k++)
        at[planner->part[planner->found[k].particle[0]] * (uint64_t)(steps + 1) +
            planner->found[k].step]++;
    uint32_t sum = 0;
    for (uint64_t k = 0; k < (uint64_t)plan->patch_count * (steps + 1); k++) {
        most(&plan->most_figures, at[k]);
        uint32_t count = at[k];
        at[k] = sum;
        sum += count;
    }
    for (uint32_t k = 0; k < planner->found_count; k++) {
        const cloth_found *found = &planner->found[k];
        uint32_t *next =
            &at[planner->part[found->particle[0]] * (uint64_t)(steps + 1) + found->step];
        cloth_figure *figure = &plan->figures[(*next)++];
        for (uint32_t v = 0; v < 4; v++)
            figure->particle[v] = (uint16_t)n->local[found->particle[v]];
        for (uint32_t e = 0; e < 6; e++) figure->constraint[e] = found->constraint[e];
    }
    /* Each entry has gone on to its end, which is where the next one begins. */
    for (uint64_t k = (uint64_t)plan->patch_count * (steps + 1); k-- > 1;) at[k] = at[k - 1];
    at[0] = 0;
}

/* ---- the order ---- */

/* Pairs by counting their steps, then the matchings of each figure step. `at`: (pair_steps + 1 + 3
 * x figure_steps) zeros. */
static void make_order(cloth_planner *planner, uint32_t *at)
{
    cloth_plan *plan = planner->plan;
    uint32_t *figure_at = at + plan->pair_steps + 1,
             places = plan->pair_steps + 3 * plan->figure_steps;
    for (uint32_t k = 0; k < plan->constraint_count; k++)
        if (!planner->in_figure[k]) at[planner->step[k] + 1]++;
    for (uint32_t k = 0; k < planner->found_count; k++)
        for (uint32_t h = 0; h < planner->found[k].kind / 2; h++)
            figure_at[3 * planner->found[k].step + h] += 2;
    for (uint32_t k = 0; k < places; k++) at[k + 1] += at[k];
    for (uint32_t k = 0; k < plan->constraint_count; k++)
        if (!planner->in_figure[k]) plan->order[at[planner->step[k]]++] = k;
    figure_at--; /* a matching begins where the one before it ends */
    for (uint32_t k = 0; k < planner->found_count; k++) {
        for (uint32_t h = 0; h < planner->found[k].kind / 2; h++) {
            plan->order[figure_at[3 * planner->found[k].step + h]++] =
                planner->found[k].constraint[2 * h];
            plan->order[figure_at[3 * planner->found[k].step + h]++] =
                planner->found[k].constraint[2 * h + 1];
        }
    }
}

static hed_status allocate_tables(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint64_t patches = plan->patch_count, particles = plan->particle_count;
    const hed_allocator *allocator = &plan->allocator;
    plan->ghost_total = planner->ghosts.count;
    plan->figure_count = planner->found_count;
    plan->patches = cloth_allocate(allocator, patches, sizeof *plan->patches, planner->error);
    if (!plan->patches) return HED_ERROR_MEMORY;
    plan->ghosts =
        cloth_allocate(allocator, plan->ghost_total, sizeof *plan->ghosts, planner->error);
    if (!plan->ghosts) return HED_ERROR_MEMORY;
    plan->ghost_slot =
        cloth_allocate(allocator, plan->ghost_total, sizeof *plan->ghost_slot, planner->error);
    if (!plan->ghost_slot) return HED_ERROR_MEMORY;
    plan->pair_at = cloth_allocate(
        allocator, patches * (plan->pair_steps + 1), sizeof *plan->pair_at, planner->error);
    if (!plan->pair_at) return HED_ERROR_MEMORY;
    plan->figure_at = cloth_allocate(
        allocator, patches * (plan->figure_steps + 1), sizeof *plan->figure_at, planner->error);
    if (!plan->figure_at) return HED_ERROR_MEMORY;
    plan->figures =
        cloth_allocate(allocator, plan->figure_count, sizeof *plan->figures, planner->error);
    if (!plan->figures) return HED_ERROR_MEMORY;
    plan->order =
        cloth_allocate(allocator, plan->constraint_count, sizeof *plan->order, planner->error);
    if (!plan->order) return HED_ERROR_MEMORY;
    n->local = cloth_plan_temporary(planner, particles, sizeof *n->local);
    n->ghost = cloth_plan_temporary(planner, particles, sizeof *n->ghost);
    n->slot = cloth_plan_temporary(planner, particles, sizeof *n->slot);
    return n->local && n->ghost && n->slot ? HED_OK : HED_ERROR_MEMORY;
}

hed_status cloth_plan_tables(cloth_planner *planner)
{
    cloth_plan *plan = planner->plan;
    numbers n = {0};
    hed_status status = allocate_tables(planner, &n);
    if (status) return status;
    number_own(planner, &n);
    if ((status = number_ghosts(planner, &n))) return status;
    if (plan->most_local > CLOTH_PLAN_MOST_LOCAL)
        return cloth_fail(planner->error, HED_ERROR_LIMIT,
            "garment \"%s\": one of %u patches has %u particles with those that it needs of others, and %u are "
            "possible: use more patches, or the colours structure",
            planner->garment->name, plan->patch_count, plan->most_local, CLOTH_PLAN_MOST_LOCAL);
    if ((status = make_pairs(planner, &n))) return status;
    make_figures(planner, &n);
    uint32_t *order_at = cloth_plan_temporary(
        planner, plan->pair_steps + 3ull * plan->figure_steps + 1, sizeof *order_at);
    if (!order_at) return HED_ERROR_MEMORY;
    make_order(planner, order_at);
    return HED_OK;
}
