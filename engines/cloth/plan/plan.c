/* A plan, from its parts: see plan.h for what it is and parts.h for the order of the parts. */
#include "plan/parts.h"

#include <string.h>

/* ---- temporary memory ---- */

struct cloth_block {
    struct cloth_block *next;
    uint64_t size; /* bytes, this header included */
};

enum { BLOCK_HEADER = 64 };

void *cloth_plan_temporary(cloth_planner *planner, uint64_t count, size_t size)
{
    const hed_allocator *allocator = &planner->plan->allocator;
    uint64_t bytes = count * size + BLOCK_HEADER;
    struct cloth_block *block = hed_new(allocator, bytes, 1, planner->error);
    if (!block) return NULL;
    block->size = bytes;
    block->next = planner->blocks;
    planner->blocks = block;
    return (char *)block + BLOCK_HEADER;
}

static void release_temporaries(cloth_planner *planner)
{
    while (planner->blocks) {
        struct cloth_block *block = planner->blocks;
        planner->blocks = block->next;
        hed_delete(&planner->plan->allocator, block, block->size, 1);
    }
}

bool cloth_list_push(cloth_planner *planner, cloth_list *list, uint32_t value)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 1024;
        uint32_t *items = cloth_plan_temporary(planner, capacity, sizeof *items);
        if (!items) return false;
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = value;
    return true;
}

/* ---- what surrounds each particle ---- */

static void find_incident(cloth_planner *planner)
{
    const cloth_garment *garment = planner->garment;
    uint32_t *at = planner->incident_at;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        at[garment->constraints[k].a + 1]++;
        at[garment->constraints[k].b + 1]++;
    }
    for (uint32_t i = 0; i < garment->particle_count; i++) at[i + 1] += at[i];
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        uint32_t a = garment->constraints[k].a, b = garment->constraints[k].b;
        planner->incident[at[a]] = planner->incident[at[b]] = k;
        planner->neighbour[at[a]++] = b;
        planner->neighbour[at[b]++] = a;
    }
    for (uint32_t i = garment->particle_count; i > 0; i--) at[i] = at[i - 1];
    at[0] = 0;
}

/* A constraint with a locked end changes one particle: that one's patch does it, and nobody else
 * needs to. */
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
}

static hed_status allocate_planner(cloth_planner *planner)
{
    uint64_t particles = planner->garment->particle_count,
             constraints = planner->garment->constraint_count;
    uint64_t patches = planner->plan->patch_count;
    bool there =
        (planner->incident_at = cloth_plan_temporary(planner, particles + 1, sizeof(uint32_t))) &&
        (planner->incident = cloth_plan_temporary(planner, 2 * constraints, sizeof(uint32_t))) &&
        (planner->neighbour = cloth_plan_temporary(planner, 2 * constraints, sizeof(uint32_t))) &&
        (planner->part = cloth_plan_temporary(planner, particles, sizeof(uint32_t))) &&
        (planner->home = cloth_plan_temporary(planner, constraints, sizeof(uint32_t))) &&
        (planner->step = cloth_plan_temporary(planner, constraints, sizeof(uint16_t))) &&
        (planner->in_figure = cloth_plan_temporary(planner, constraints, sizeof(uint8_t))) &&
        (planner->own_at = cloth_plan_temporary(planner, patches + 1, sizeof(uint32_t))) &&
        (planner->size = cloth_plan_temporary(planner, patches, sizeof(uint32_t))) &&
        (planner->moved = cloth_plan_temporary(planner, particles, sizeof(uint8_t))) &&
        (planner->redone_at = cloth_plan_temporary(planner, patches + 1, sizeof(uint32_t))) &&
        (planner->ghosts_at = cloth_plan_temporary(planner, patches + 1, sizeof(uint32_t))) &&
        (planner->plan->own = hed_new(
             &planner->plan->allocator, particles, sizeof(uint32_t), planner->error));
    return there ? HED_OK : HED_ERROR_MEMORY;
}

static hed_status make(cloth_planner *planner)
{
    hed_status status = allocate_planner(planner);
    if (status) return status;
    find_incident(planner);
    if ((status = cloth_plan_cut(planner))) return status;
    cloth_plan_find_homes(planner);
    if (planner->plan->def.kind == CLOTH_PLAN_FIGURES &&
        (status = cloth_plan_find_figures(planner)))
        return status;
    if ((status = cloth_plan_schedule(planner))) return status;
    if ((status = cloth_plan_make_mutual(planner))) return status;
    return cloth_plan_tables(planner);
}

hed_status cloth_plan_create(
    const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **made, hed_error *error)
{
    *made = NULL;
    if (def->patches < 1 || def->patches > garment->particle_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "garment \"%s\": %u patches of %u particles; there can be 1 to as many as particles",
            garment->name, def->patches, garment->particle_count);
    cloth_plan *plan = hed_new(&garment->allocator, 1, sizeof *plan, error);
    if (!plan) return HED_ERROR_MEMORY;
    plan->allocator = garment->allocator;
    plan->def = *def;
    plan->patch_count = def->patches;
    plan->particle_count = garment->particle_count;
    plan->constraint_count = garment->constraint_count;
    cloth_planner planner = {.garment = garment, .plan = plan, .error = error};
    hed_status status = make(&planner);
    release_temporaries(&planner);
    if (status) cloth_plan_destroy(plan);
    else *made = plan;
    return status;
}

void cloth_plan_destroy(cloth_plan *plan)
{
    if (!plan) return;
    hed_allocator allocator = plan->allocator;
    uint64_t patches = plan->patch_count;
    hed_delete(&allocator, plan->patches, patches, sizeof *plan->patches);
    hed_delete(&allocator, plan->own, plan->particle_count, sizeof *plan->own);
    hed_delete(&allocator, plan->ghosts, plan->ghost_total, sizeof *plan->ghosts);
    hed_delete(&allocator, plan->ghost_slot, plan->ghost_total, sizeof *plan->ghost_slot);
    hed_delete(
        &allocator, plan->pair_at, patches * (plan->pair_steps + 1), sizeof *plan->pair_at);
    hed_delete(&allocator, plan->pairs, plan->pair_count, sizeof *plan->pairs);
    hed_delete(
        &allocator, plan->figure_at, patches * (plan->figure_steps + 1), sizeof *plan->figure_at);
    hed_delete(&allocator, plan->figure_kind, plan->figure_steps, sizeof *plan->figure_kind);
    hed_delete(&allocator, plan->figures, plan->figure_count, sizeof *plan->figures);
    hed_delete(&allocator, plan->order, plan->constraint_count, sizeof *plan->order);
    hed_delete(&allocator, plan, 1, sizeof *plan);
}
