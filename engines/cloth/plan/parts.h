/* What the parts of planning share. plan.c calls them in this order: cut (cut.c), figures
 * (figures.c), schedule (schedule.c, with the closure of plan.c), tables (tables.c). */
#ifndef CLOTH_PLAN_PARTS_H
#define CLOTH_PLAN_PARTS_H

#include "plan/plan.h"

#define CLOTH_NO_STEP UINT16_MAX

/* A list that grows; its memory is the planner's. */
typedef struct cloth_list {
    uint32_t *items;
    uint32_t count, capacity;
} cloth_list;

/* What surrounds each particle. */
typedef struct cloth_graph {
    uint32_t *at;         /* (particle_count + 1) */
    uint32_t *constraint; /* (2 x constraint_count) of each particle, ascending */
    uint32_t *neighbour;  /* (2 x constraint_count) the other end of each of these */
} cloth_graph;

typedef struct cloth_planner {
    const cloth_garment *garment; /* without its loose edges, which no solver looks at */
    const cloth_garment *edges;   /* with these: the graph, along which it is cut */
    cloth_plan *plan;
    hed_error *error;
    hed_arena arena; /* temporary memory */
    cloth_graph graph;
    uint32_t *part;   /* (particle_count) its patch */
    uint32_t *own_at; /* (patch_count + 1) where each patch begins in plan->own */
    uint32_t *size;   /* (patch_count) particles of each */
    uint8_t *moved;   /* (particle_count) has left the patch of its cut */
    /* (constraint_count) the patch that alone does it; CLOTH_NONE: a boundary constraint */
    uint32_t *home;
    /* (constraint_count) its pair step; CLOTH_NO_STEP: none yet, or in a figure */
    uint16_t *step;
    uint8_t *in_figure;   /* (constraint_count) */
    cloth_sums sums;      /* the fabric's */
    uint16_t *sum_colour; /* (sums.count) */
    uint32_t *sum_home;   /* (sums.count) as `home` */
    uint32_t *inside;    /* (sums.count - boundary) those that a patch alone does, patch by patch */
    uint32_t *inside_at; /* (patch_count + 1) */
    cloth_list redone_sums;   /* sums between patches that each patch does, the last colour first */
    uint32_t *redone_sums_at; /* (patch_count + 1) */
    cloth_found *found;       /* (found_count) figures */
    uint32_t found_count;
    struct cloth_closure *closure; /* plan.c's memory */
    cloth_list redone;             /* boundary constraints that each patch does */
    uint32_t *redone_at;           /* (patch_count + 1) in redone */
    cloth_list ghosts;             /* particles that each patch needs of others */
    uint32_t *ghosts_at;           /* (patch_count + 1) in ghosts */
} cloth_planner;

/* ---- memory ---- */

/* Zeroed, until the plan is made; NULL after a complaint. */
static inline void *cloth_plan_new(cloth_planner *planner, uint64_t count, size_t size)
{
    return hed_arena_new(&planner->arena, count, size, planner->error);
}

/* False when memory ran out. */
bool cloth_list_push(cloth_planner *planner, cloth_list *list, uint32_t value);

/* ---- the parts ---- */

/* plan.c: in memory of `arena`. */
hed_status cloth_graph_create(
    cloth_graph *graph, const cloth_garment *garment, hed_arena *arena, hed_error *error);

/* cut.c: fills part, and with cut.c own_at, size and plan->own. */
hed_status cloth_plan_cut(cloth_planner *planner);
/* cut.c: moves single particles after the cuts, so that few constraints at any one of them
 * are between patches. */
hed_status cloth_plan_round_corners(cloth_planner *planner);
/* cut.c: moves one particle at or beside `centre` to a patch beside it, where that spreads
 * the boundary constraints best. */
void cloth_plan_ease(cloth_planner *planner, uint32_t centre);
/* cut.c: own_at and plan->own from part, ascending. */
void cloth_plan_list_own(cloth_planner *planner);
/* plan.c: home and the number of boundary constraints from part. */
void cloth_plan_find_homes(cloth_planner *planner);
/* figures.c, for CLOTH_PLAN_FIGURES: fills found, in_figure, and the plan's figure_steps and
 * figure_shape. */
hed_status cloth_plan_find_figures(cloth_planner *planner);
/* schedule.c: gives every constraint outside figures its step; redone and ghosts with it. */
hed_status cloth_plan_schedule(cloth_planner *planner);
/* plan.c: from the steps of the boundary constraints, what each patch redoes and needs. */
hed_status cloth_plan_close(cloth_planner *planner);
/* plan.c: adds ghosts until a patch that is read from reads too. */
hed_status cloth_plan_make_mutual(cloth_planner *planner);
/* tables.c: local numbers, packets, pairs, figures, order, and the counts for reports. */
hed_status cloth_plan_tables(cloth_planner *planner);

static inline bool cloth_is_locked(const cloth_garment *garment, uint32_t particle)
{
    return !(garment->positions[particle][3] > 0.0f);
}

static inline uint32_t cloth_other_end(const hed_cloth_constraint *constraint, uint32_t particle)
{
    return constraint->a == particle ? constraint->b : constraint->a;
}

/* The same numbers everywhere: xorshift64*, Vigna (2016). */
static inline uint32_t cloth_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

#endif
