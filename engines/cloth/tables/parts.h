/* Planner: data and functions common to the stages of planning. cloth_plan.c calls the stages in this
 * order: cut (cut.c), figures (figures.c), schedule (schedule.c, with the closure of cloth_plan.c),
 * tables (tables.c). */
#ifndef CLOTH_PLAN_PARTS_H
#define CLOTH_PLAN_PARTS_H

#include "tables/cloth_plan.h"

#define CLOTH_NO_STEP UINT16_MAX

/* List that grows; its memory belongs to the planner. */
typedef struct cloth_list {
    uint32_t *items;
    uint32_t count, capacity;
} cloth_list;

/* Constraints and neighbours of each particle. */
typedef struct cloth_graph {
    uint32_t *at;         /* (particle_count + 1) first entry of each particle */
    uint32_t *constraint; /* (2 x constraint_count) constraints of each particle, ascending */
    uint32_t *neighbour;  /* (2 x constraint_count) the other end of each of these constraints */
} cloth_graph;

typedef struct cloth_planner {
    const cloth_garment *garment; /* the garment without its loose edges, which no solver uses */
    /* the garment with its loose edges: its graph, along which it is cut */
    const cloth_garment *edges;
    cloth_plan *plan;
    hed_error *error;
    hed_arena arena; /* temporary memory */
    cloth_graph graph;
    uint32_t *part;   /* (particle_count) patch of each particle */
    uint32_t *own_at; /* (patch_count + 1) start of each patch in plan->own */
    uint32_t *size;   /* (patch_count) particles of each patch */
    uint8_t *moved;   /* (particle_count) 1: the particle has left the patch of its cut */
    /* (constraint_count) the only patch that does the constraint; CLOTH_NONE: a boundary
     * constraint */
    uint32_t *home;
    /* (constraint_count) pair step of each constraint; CLOTH_NO_STEP: not yet scheduled, or in a
     * figure */
    uint16_t *step;
    uint8_t *in_figure;   /* (constraint_count) */
    cloth_sums sums;      /* sums of the fabric */
    uint16_t *sum_colour; /* (sums.count) */
    /* (sums.count) the only patch that does the sum; CLOTH_NONE: a boundary sum */
    uint32_t *sum_home;
    /* (sums.count - boundary) sums that one patch alone does, patch by patch */
    uint32_t *inside;
    uint32_t *inside_at;      /* (patch_count + 1) start of each patch in `inside` */
    cloth_list redone_sums;   /* boundary sums that each patch does, the last colour first */
    uint32_t *redone_sums_at; /* (patch_count + 1) start of each patch in redone_sums */
    cloth_found *found;       /* (found_count) figures */
    uint32_t found_count;
    struct cloth_closure *closure; /* memory of the closure, cloth_plan.c */
    cloth_list redone;             /* boundary constraints that each patch does */
    uint32_t *redone_at;           /* (patch_count + 1) start of each patch in redone */
    cloth_list ghosts;             /* particles that each patch needs from other patches */
    uint32_t *ghosts_at;           /* (patch_count + 1) start of each patch in ghosts */
} cloth_planner;

/* ---- memory ---- */

/* Allocates zeroed memory that lives until the plan is complete; NULL with an error if memory
 * ran out. */
static inline void *cloth_plan_new(cloth_planner *planner, uint64_t count, size_t size)
{
    return hed_arena_new(&planner->arena, count, size, planner->error);
}

/* Appends a value; false if memory ran out (graph.c). */
bool cloth_list_push(cloth_planner *planner, cloth_list *list, uint32_t value);

/* ---- the parts ---- */

/* graph.c: fills the graph, in memory of `arena`. */
hed_status cloth_graph_create(
    cloth_graph *graph, const cloth_garment *garment, hed_arena *arena, hed_error *error);

/* cut.c: fills part, own_at, size and plan->own. */
hed_status cloth_plan_cut(cloth_planner *planner);
/* cut.c: moves single particles after the cuts, so that few constraints of any particle are
 * between patches. */
hed_status cloth_plan_round_corners(cloth_planner *planner);
/* cut.c: moves `centre` or one of its neighbours to an adjacent patch, chosen to spread the
 * boundary constraints best. */
void cloth_plan_ease(cloth_planner *planner, uint32_t centre);
/* cut.c: fills own_at and plan->own from part, ascending. */
void cloth_plan_list_own(cloth_planner *planner);
/* graph.c: fills home, and counts the boundary constraints, from part. */
void cloth_plan_find_homes(cloth_planner *planner);
/* figures.c, for CLOTH_PLAN_FIGURES: fills found, in_figure, and the plan's figure_steps and
 * figure_shape. */
hed_status cloth_plan_find_figures(cloth_planner *planner);
/* schedule.c: assigns a step to every constraint outside figures; fills redone and ghosts. */
hed_status cloth_plan_schedule(cloth_planner *planner);
/* closure.c: finds the constraints that each patch redoes and the ghosts that it needs, from the
 * steps of the boundary constraints. */
hed_status cloth_plan_close(cloth_planner *planner);
/* closure.c: adds ghosts until every patch reads from each patch that reads from it. */
hed_status cloth_plan_make_mutual(cloth_planner *planner);
/* tables.c: fills local numbers, packets, pairs, figures, order, and the maxima for reports. */
hed_status cloth_plan_tables(cloth_planner *planner);

static inline bool cloth_is_locked(const cloth_garment *garment, uint32_t particle)
{
    return !(garment->positions[particle][3] > 0.0f);
}

static inline uint32_t cloth_other_end(const hed_cloth_constraint *constraint, uint32_t particle)
{
    return constraint->a == particle ? constraint->b : constraint->a;
}

/* Random numbers that are equal on every machine: xorshift64*, Vigna (2016). */
static inline uint32_t cloth_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

#endif
