/* A plan: how a garment is cut into patches, one for each group of a device, and in which order each patch does its constraints.
 *
 * Boundary constraints (between patches) come in steps of their own matchings. A patch redoes every boundary constraint that its own
 * particles depend on (closure), so one exchange of positions a substep is enough and the sweep is still true Gauss-Seidel.
 * `docs/cloth.md` has the measurements behind this. Plain C; no device. */
#ifndef CLOTH_PLAN_H
#define CLOTH_PLAN_H

#include "model/garment.h"

typedef enum cloth_plan_kind {
    CLOTH_PLAN_JOINT,  /* one list schedule of pairs: boundary matchings first, interior ones as soon as their ends have no boundary left */
    CLOTH_PLAN_FIGURES /* boundary pairs, interior pairs, then figures of four particles: rings of four, complete graphs of six */
} cloth_plan_kind;

typedef struct cloth_plan_def {
    cloth_plan_kind kind;
    uint32_t patches; /* 1: a whole garment a group, nothing to exchange */
    uint32_t step_limit; /* JOINT: interior constraints of a patch in a step at most; 0: no limit */
    uint32_t early_steps; /* JOINT: first steps that touch nothing of the boundary: work while packets travel */
} cloth_plan_def;

typedef struct cloth_patch {
    uint32_t own_count, own_at;     /* particles that are this patch's, in `own` */
    uint32_t ghost_count, ghost_at; /* others' particles that it needs, in `ghosts` */
    uint32_t send_count, send_at;   /* its first own particles are sent: packet send_at + i */
} cloth_patch;

typedef struct cloth_pair {
    uint16_t a, b; /* local: own first, then ghosts */
    uint32_t constraint;
} cloth_pair;

enum { CLOTH_RING = 4, CLOTH_COMPLETE = 6 }; /* constraints of a figure */

/* Edges 01 23 | 02 13 | and of a complete one 03 12: the three matchings, done in this order. */
typedef struct cloth_figure {
    uint16_t particle[4];
    uint32_t constraint[6];
} cloth_figure;

enum { CLOTH_PLAN_MOST_LOCAL = 16384 }; /* particles of a patch with its ghosts: local numbers fit 14 bits */

typedef struct cloth_plan {
    hed_allocator allocator;
    cloth_plan_def def;
    uint32_t particle_count, constraint_count; /* the garment's */
    uint32_t patch_count, pair_steps, boundary_steps, figure_steps;
    cloth_patch *patches; /* (patch_count) */
    uint32_t *own;        /* (particle_count) particles of the garment, patch by patch */
    uint32_t ghost_total;
    uint32_t *ghosts;     /* (ghost_total) particles */
    uint32_t *ghost_slot; /* (ghost_total) the packet each comes in */
    uint32_t slot_count;  /* packets of an exchange */
    uint32_t *pair_at;    /* (patch_count x (pair_steps + 1)) patch p, step s: pairs [pair_at[p*(pair_steps+1)+s], ...+s+1]) */
    cloth_pair *pairs;
    uint32_t pair_count;
    uint32_t *figure_at;   /* (patch_count x (figure_steps + 1)) */
    uint32_t *figure_kind; /* (figure_steps) CLOTH_RING or CLOTH_COMPLETE */
    cloth_figure *figures;
    uint32_t figure_count;
    /* the sweep that all patches together make: for the reference */
    uint32_t *order; /* (constraint_count) */
    /* for reports and for choosing a kernel */
    uint32_t most_own, most_ghosts, most_local, most_pairs, most_boundary_pairs, most_figures;
    uint64_t boundary; /* constraints between patches */
    double redone;     /* boundary constraints done, over those there are */
} cloth_plan;

/* Errors: ARGUMENT, LIMIT (a patch with more than 16,384 local particles), MEMORY. */
hed_status cloth_plan_create(const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **plan, hed_error *error);
void cloth_plan_destroy(cloth_plan *plan);

/* Orders the entries of each step so that eight neighbouring lanes hit eight different 16-byte banks of local memory. Gives the mean number of
 * passes over the least possible (1: no conflicts). */
double cloth_plan_pack_banks(cloth_plan *plan);

#endif
