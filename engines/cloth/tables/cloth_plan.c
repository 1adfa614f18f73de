/* Plan of a garment, assembled from its stages: plan.h defines a plan, parts.h the order of the
 * stages. */
#include "tables/parts.h"

#include <string.h>

/* ---- what surrounds each particle ---- */

static hed_status allocate_planner(cloth_planner *planner)
{
    uint64_t particles = planner->garment->particle_count,
             constraints = planner->edges->constraint_count;
    uint64_t patches = planner->plan->patch_count;
    planner->part = cloth_plan_new(planner, particles, sizeof(uint32_t));
    planner->home = cloth_plan_new(planner, constraints, sizeof(uint32_t));
    planner->step = cloth_plan_new(planner, constraints, sizeof(uint16_t));
    planner->in_figure = cloth_plan_new(planner, constraints, sizeof(uint8_t));
    planner->own_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->size = cloth_plan_new(planner, patches, sizeof(uint32_t));
    planner->moved = cloth_plan_new(planner, particles, sizeof(uint8_t));
    planner->redone_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->ghosts_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->sum_colour = cloth_plan_new(planner, planner->sums.count, sizeof(uint16_t));
    planner->sum_home = cloth_plan_new(planner, planner->sums.count, sizeof(uint32_t));
    planner->inside = cloth_plan_new(planner, planner->sums.count, sizeof(uint32_t));
    planner->inside_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->redone_sums_at = cloth_plan_new(planner, patches + 1, sizeof(uint32_t));
    planner->plan->own =
        hed_arena_new(&planner->plan->arena, particles, sizeof(uint32_t), planner->error);
    if (planner->plan->arena.failed || planner->arena.failed) return HED_ERROR_MEMORY;
    for (uint64_t k = planner->garment->constraint_count; k < constraints; k++)
        planner->home[k] = CLOTH_NONE; /* a loose edge */
    for (uint16_t colour = 0; colour < planner->sums.colours; colour++)
        for (uint32_t k = planner->sums.at[colour]; k < planner->sums.at[colour + 1]; k++)
            planner->sum_colour[k] = colour;
    return cloth_graph_create(&planner->graph, planner->edges, &planner->arena, planner->error);
}

static hed_status plan_make(cloth_planner *planner)
{
    hed_error *error = planner->error;
    if (allocate_planner(planner) || cloth_plan_cut(planner)) return error->status;
    cloth_plan_find_homes(planner);
    if (planner->plan->def.kind == CLOTH_PLAN_FIGURES && cloth_plan_find_figures(planner))
        return error->status;
    if (cloth_plan_schedule(planner) || cloth_plan_make_mutual(planner)) return error->status;
    return cloth_plan_tables(planner);
}

hed_status cloth_plan_create(
    const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **result, hed_error *error)
{
    hed_error local_error = {0};
    if (!error) error = &local_error;
    *result = NULL;
    if (def->patches < 1 || def->patches > garment->particle_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "garment \"%s\": %u patches of %u particles; there can be 1 to as many as particles",
            garment->name, def->patches, garment->particle_count);
    hed_arena arena = {.allocator = garment->arena.allocator, .owner = "a plan of patches"};
    cloth_plan *plan = hed_arena_new(&arena, 1, sizeof *plan, error);
    if (!plan) return HED_ERROR_MEMORY;
    plan->arena = arena;
    plan->def = *def;
    plan->patch_count = def->patches;
    plan->particle_count = garment->particle_count;
    cloth_garment trimmed = *garment;
    trimmed.constraint_count = plan->constraint_count = cloth_kept_constraints(garment);
    cloth_planner planner = {.garment = &trimmed,
        .edges = garment,
        .sums = cloth_sums_of(garment),
        .plan = plan,
        .error = error,
        .arena = {.allocator = garment->arena.allocator, .owner = "planning patches"}};
    hed_status status = plan_make(&planner);
    hed_arena_free(&planner.arena);
    if (status) cloth_plan_destroy(plan);
    else *result = plan;
    return status;
}

void cloth_plan_destroy(cloth_plan *plan)
{
    if (plan) hed_arena_free(&plan->arena);
}
