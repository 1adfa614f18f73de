/* Neighbours of each particle, the patch of each constraint, and the lists of a planner. */
#include "tables/parts.h"

#include <string.h>

bool cloth_list_push(cloth_planner *planner, cloth_list *list, uint32_t value)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 1024;
        uint32_t *items = cloth_plan_new(planner, capacity, sizeof *items);
        if (!items) return false;
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = value;
    return true;
}

hed_status cloth_graph_create(
    cloth_graph *graph, const cloth_garment *garment, hed_arena *arena, hed_error *error)
{
    uint64_t particles = garment->particle_count, constraints = garment->constraint_count;
    graph->neighbour = hed_arena_new(arena, 2 * constraints, sizeof(uint32_t), error);
    if (!graph->neighbour ||
        cloth_garment_around(garment, false, arena, &graph->at, &graph->constraint, error))
        return HED_ERROR_MEMORY;
    for (uint32_t i = 0; i < particles; i++)
        for (uint32_t q = graph->at[i]; q < graph->at[i + 1]; q++)
            graph->neighbour[q] = cloth_other_end(garment->constraints + graph->constraint[q], i);
    return HED_OK;
}

/* Fills sum_home and `inside`. A sum of locked particles alone, which does nothing, belongs to
 * some patch. */
static void find_homes_of_sums(cloth_planner *planner)
{
    const cloth_sums *sums = &planner->sums;
    uint32_t patches = planner->plan->patch_count, *at = planner->inside_at;
    planner->plan->boundary_sums = 0;
    memset(at, 0, (patches + 1) * sizeof *at);
    for (uint32_t k = 0; k < sums->count; k++) {
        const uint32_t *particle = sums->items + (size_t)sums->words * k;
        uint32_t home = planner->part[particle[0]];
        bool has_patch = false;
        for (uint32_t v = 0; v < sums->particles && home != CLOTH_NONE; v++) {
            if (cloth_is_locked(planner->garment, particle[v])) continue;
            home = has_patch && planner->part[particle[v]] != home ? CLOTH_NONE
                                                                   : planner->part[particle[v]];
            has_patch = true;
        }
        planner->sum_home[k] = home;
        if (home == CLOTH_NONE) planner->plan->boundary_sums++;
        else at[home + 1]++;
    }
    for (uint32_t p = 0; p < patches; p++) at[p + 1] += at[p];
    for (uint32_t k = 0; k < sums->count; k++)
        if (planner->sum_home[k] != CLOTH_NONE) planner->inside[at[planner->sum_home[k]]++] = k;
    memmove(at + 1, at, patches * sizeof *at);
    at[0] = 0;
}

/* Fills `home`. A constraint with a locked end changes one particle: that particle's patch does
 * it, and no other patch needs it. */
void cloth_plan_find_homes(cloth_planner *planner)
{
    const cloth_garment *garment = planner->garment;
    planner->plan->boundary = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
        if (planner->part[a] == planner->part[b]) planner->home[k] = planner->part[a];
        else if (cloth_is_locked(garment, b)) planner->home[k] = planner->part[a];
        else if (cloth_is_locked(garment, a)) planner->home[k] = planner->part[b];
        else planner->home[k] = CLOTH_NONE;
        if (planner->home[k] == CLOTH_NONE) planner->plan->boundary++;
        planner->step[k] = CLOTH_NO_STEP;
    }
    find_homes_of_sums(planner);
}
