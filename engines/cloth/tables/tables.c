/* Tables of a plan: local numbers, packets, pairs and figures of each patch, and the order of
 * the sweep of all patches. */
#include "tables/parts.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of particles, as the current patch sees them. */
typedef struct numbers {
    uint32_t *local; /* (particle_count) position in its own patch */
    uint32_t *ghost; /* (particle_count) position in the current patch, if it is a ghost there */
    uint32_t *slot;  /* (particle_count) packet of the particle, or CLOTH_NONE */
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

static void tables_most(uint32_t *most_so_far, uint32_t value)
{
    if (value > *most_so_far) *most_so_far = value;
}

/* ---- who owns, sends and reads what ---- */

/* Numbers own particles in the garment's order, particles that other patches read first. */
static void number_own(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    for (uint32_t p = 0; p < plan->patch_count; p++)
        plan->patches[p] =
            (cloth_patch){.own_at = planner->own_at[p], .ghost_at = planner->ghosts_at[p]};
    for (uint32_t i = 0; i < plan->particle_count; i++) n->slot[i] = CLOTH_NONE;
    for (uint32_t k = 0; k < planner->ghosts.count; k++) n->slot[planner->ghosts.items[k]] = 0;
    for (uint32_t is_sent = 1; is_sent < 2; is_sent--) {
        for (uint32_t i = 0; i < plan->particle_count; i++) {
            cloth_patch *patch = &plan->patches[planner->part[i]];
            if ((n->slot[i] != CLOTH_NONE) != (is_sent == 1)) continue;
            n->local[i] = patch->own_count;
            plan->own[patch->own_at + patch->own_count++] = i;
            patch->send_count += is_sent;
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
    uint32_t *particle = cloth_plan_new(planner, plan->slot_count, sizeof *particle);
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
        tables_most(&plan->most_own, patch->own_count);
        tables_most(&plan->most_ghosts, patch->ghost_count);
        tables_most(&plan->most_local, patch->own_count + patch->ghost_count);
    }
    return HED_OK;
}

/* ---- pairs ---- */

/* Lists constraints that one patch alone does, outside figures, patch by patch. */
static uint32_t *tables_sort_by_home(cloth_planner *planner, uint32_t *at)
{
    uint32_t constraints = planner->garment->constraint_count, patches = planner->plan->patch_count;
    uint32_t *sorted = cloth_plan_new(planner, constraints, sizeof *sorted);
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
static void tables_fill_pairs(cloth_planner *planner, const numbers *n, uint32_t patch,
    uint32_t begin, const uint32_t *const lists[2], const uint32_t counts[2])
{
    cloth_plan *plan = planner->plan;
    uint32_t *at = plan->pair_at + (uint64_t)patch * (plan->pair_steps + 1);
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t k = 0; k < counts[l]; k++) at[planner->step[lists[l][k]] + 1]++;
    at[0] = begin;
    for (uint32_t s = 0; s < plan->pair_steps; s++) {
        tables_most(&plan->most_pairs, at[s + 1]);
        if (s < plan->boundary_steps) tables_most(&plan->most_boundary_pairs, at[s + 1]);
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

static hed_status tables_make_pairs(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint32_t *home_at = cloth_plan_new(planner, plan->patch_count + 1ull, sizeof *home_at);
    uint32_t *inside = home_at ? tables_sort_by_home(planner, home_at) : NULL;
    if (!inside) return HED_ERROR_MEMORY;
    plan->pair_count = home_at[plan->patch_count] + planner->redone.count;
    plan->pairs =
        hed_arena_new(&plan->arena, plan->pair_count, sizeof *plan->pairs, planner->error);
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
        tables_fill_pairs(planner, n, p, begin, lists, counts);
        begin += counts[0] + counts[1];
    }
    plan->redone = plan->boundary ? (double)planner->redone.count / (double)plan->boundary : 0.0;
    return HED_OK;
}

/* ---- figures ---- */

static void tables_make_figures(cloth_planner *planner, const numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint32_t steps = plan->figure_steps, *at = plan->figure_at;
    for (uint32_t k = 0; k < planner->found_count; k++)
        at[planner->part[planner->found[k].particle[0]] * (uint64_t)(steps + 1) +
            planner->found[k].step]++;
    uint32_t sum = 0;
    for (uint64_t k = 0; k < (uint64_t)plan->patch_count * (steps + 1); k++) {
        tables_most(&plan->most_figures, at[k]);
        uint32_t count = at[k];
        at[k] = sum;
        sum += count;
    }
    for (uint32_t k = 0; k < planner->found_count; k++) {
        const cloth_found *source = &planner->found[k];
        uint32_t *next =
            &at[planner->part[source->particle[0]] * (uint64_t)(steps + 1) + source->step];
        cloth_figure *figure = &plan->figures[(*next)++];
        for (uint32_t v = 0; v < 4; v++)
            figure->particle[v] = (uint16_t)n->local[source->particle[v]];
        for (uint32_t e = 0; e < 6; e++) figure->constraint[e] = source->constraint[e];
    }
    /* Each entry has advanced to its end, which is the start of the next. */
    for (uint64_t k = (uint64_t)plan->patch_count * (steps + 1); k-- > 1;) at[k] = at[k - 1];
    at[0] = 0;
}

/* ---- a fabric's sums ---- */

/* Fills plan->sums of each patch, colour by colour: boundary sums that the patch does, then its
 * inner sums. */
static hed_status tables_make_sums(cloth_planner *planner)
{
    cloth_plan *plan = planner->plan;
    uint32_t colours = planner->sums.colours, steps = 2 * colours;
    const uint16_t *colour = planner->sum_colour;
    plan->sum_colours = colours;
    plan->sum_count = planner->redone_sums.count + planner->inside_at[plan->patch_count];
    plan->sum_at = hed_arena_new(
        &plan->arena, plan->patch_count * (steps + 1ull), sizeof *plan->sum_at, planner->error);
    plan->sums = hed_arena_new(&plan->arena, plan->sum_count, sizeof *plan->sums, planner->error);
    if (!plan->sum_at || !plan->sums) return HED_ERROR_MEMORY;
    for (uint32_t p = 0, begin = 0; p < plan->patch_count; p++) {
        uint32_t *at = plan->sum_at + (uint64_t)p * (steps + 1);
        at[0] = begin;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t k = planner->redone_sums_at[p]; k < planner->redone_sums_at[p + 1]; k++) {
                uint32_t sum = planner->redone_sums.items[k];
                if (pass) plan->sums[at[colour[sum]]++] = sum;
                else at[colour[sum] + 1]++;
            }
            for (uint32_t k = planner->inside_at[p]; k < planner->inside_at[p + 1]; k++) {
                uint32_t sum = planner->inside[k];
                if (pass) plan->sums[at[colours + colour[sum]]++] = sum;
                else at[colours + colour[sum] + 1]++;
            }
            for (uint32_t s = 0; s < steps && !pass; s++) at[s + 1] += at[s];
        }
        for (uint32_t s = steps; s > 0; s--) at[s] = at[s - 1];
        at[0] = begin;
        begin = at[steps];
    }
    return HED_OK;
}

/* ---- the order ---- */

/* Fills plan->order: pairs by counting their steps, then the matchings of each figure step.
 * `at`: (pair_steps + 1 + 3 x figure_steps) zeros. */
static void make_order(cloth_planner *planner, uint32_t *at)
{
    cloth_plan *plan = planner->plan;
    uint32_t *figure_at = at + plan->pair_steps + 1,
             places = plan->pair_steps + 3 * plan->figure_steps;
    for (uint32_t k = 0; k < plan->constraint_count; k++)
        if (!planner->in_figure[k]) at[planner->step[k] + 1]++;
    for (uint32_t k = 0; k < planner->found_count; k++)
        for (uint32_t h = 0; h < cloth_shape_constraints(planner->found[k].shape) / 2; h++)
            figure_at[3 * planner->found[k].step + h] += 2;
    /* boundary sums first, inner sums before the first inner pairs */
    uint32_t between = 0, boundary = (uint32_t)plan->boundary_sums,
             inside = planner->sums.count - boundary, first = planner->edges->constraint_count;
    at[0] = boundary;
    at[plan->boundary_steps] += inside;
    for (uint32_t k = 0; k < places; k++) at[k + 1] += at[k];
    memcpy(plan->step_at, at, (plan->pair_steps + 1) * sizeof *at);
    inside = at[plan->boundary_steps] - inside;
    for (uint32_t k = 0; k < planner->sums.count; k++)
        plan->order[planner->sum_home[k] == CLOTH_NONE ? between++ : inside++] = first + k;
    for (uint32_t k = 0; k < plan->constraint_count; k++)
        if (!planner->in_figure[k]) plan->order[at[planner->step[k]]++] = k;
    figure_at--; /* a matching begins at the end of the matching before it */
    for (uint32_t k = 0; k < planner->found_count; k++) {
        for (uint32_t h = 0; h < cloth_shape_constraints(planner->found[k].shape) / 2; h++) {
            plan->order[figure_at[3 * planner->found[k].step + h]++] =
                planner->found[k].constraint[2 * h];
            plan->order[figure_at[3 * planner->found[k].step + h]++] =
                planner->found[k].constraint[2 * h + 1];
        }
    }
}

static hed_status tables_allocate(cloth_planner *planner, numbers *n)
{
    cloth_plan *plan = planner->plan;
    uint64_t patches = plan->patch_count, particles = plan->particle_count;
    hed_arena *arena = &plan->arena;
    plan->ghost_total = planner->ghosts.count;
    plan->figure_count = planner->found_count;
    plan->patches = hed_arena_new(arena, patches, sizeof *plan->patches, planner->error);
    plan->ghosts = hed_arena_new(arena, plan->ghost_total, sizeof *plan->ghosts, planner->error);
    plan->ghost_slot =
        hed_arena_new(arena, plan->ghost_total, sizeof *plan->ghost_slot, planner->error);
    plan->pair_at = hed_arena_new(
        arena, patches * (plan->pair_steps + 1), sizeof *plan->pair_at, planner->error);
    plan->figure_at = hed_arena_new(
        arena, patches * (plan->figure_steps + 1), sizeof *plan->figure_at, planner->error);
    plan->figures = hed_arena_new(arena, plan->figure_count, sizeof *plan->figures, planner->error);
    plan->order_count = plan->constraint_count + planner->sums.count;
    plan->order = hed_arena_new(arena, plan->order_count, sizeof *plan->order, planner->error);
    plan->step_at =
        hed_arena_new(arena, plan->pair_steps + 1ull, sizeof *plan->step_at, planner->error);
    n->local = cloth_plan_new(planner, particles, sizeof *n->local);
    n->ghost = cloth_plan_new(planner, particles, sizeof *n->ghost);
    n->slot = cloth_plan_new(planner, particles, sizeof *n->slot);
    return arena->failed || planner->arena.failed ? HED_ERROR_MEMORY : HED_OK;
}

hed_status cloth_plan_tables(cloth_planner *planner)
{
    cloth_plan *plan = planner->plan;
    numbers n = {0};
    hed_status status = tables_allocate(planner, &n);
    if (status) return status;
    number_own(planner, &n);
    if ((status = number_ghosts(planner, &n))) return status;
    if (plan->most_local > CLOTH_PLAN_MOST_LOCAL)
        return hed_fail(planner->error, HED_ERROR_LIMIT,
            "garment \"%s\": one of %u patches has %u particles with those that it needs of others, and %u are "
            "possible: use more patches, or the colours solver",
            planner->garment->name, plan->patch_count, plan->most_local, CLOTH_PLAN_MOST_LOCAL);
    if ((status = tables_make_pairs(planner, &n)) || (status = tables_make_sums(planner)))
        return status;
    tables_make_figures(planner, &n);
    uint32_t *order_at =
        cloth_plan_new(planner, plan->pair_steps + 3ull * plan->figure_steps + 1, sizeof *order_at);
    if (!order_at) return HED_ERROR_MEMORY;
    make_order(planner, order_at);
    return HED_OK;
}
