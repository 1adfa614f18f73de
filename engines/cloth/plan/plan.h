/* A plan: how a garment is cut into patches, one for each group of a device, and in which order
 * each patch does its constraints.
 *
 * Boundary constraints (between free particles of different patches) come in matchings of their
 * own, before all other constraints of their particles. A patch redoes every boundary constraint
 * that its own particles depend on (closure), so one exchange of positions a substep is enough and
 * the sweep is still true Gauss-Seidel: `order`. `docs/cloth-solvers.md` explains it and has the
 * figures. Plain C; no device.
 *
 * What a kernel may rely on:
 *   - Local numbers: a patch's own particles first, then its ghosts, in the order of `own` and
 *     `ghosts`.
 *   - The first send_count own particles are those that other patches read; the i-th one's packet is
 *     send_at + i. Ghosts
 *     are sorted by packet.
 *   - Packets are sent once a substep, when a particle has been integrated and tethered and no
 *     constraint has been
 *     done. All of them are read before step early_steps begins; earlier steps touch no ghost, and
 *     no own particle of the boundary.
 *   - If p reads from q, q reads from p. So no patch is two substeps ahead of one that it reads from,
 *     and two buffers
 *     in turn are enough.
 *   - In a step of a patch no free particle occurs twice. Locked ones do: they do not move in a
 *     sweep, and must not
 *     be written in it. A locked particle is owned, sent and read like any other (its driver may
 *     move it from substep to substep).
 *   - Each step of a patch ends with a barrier. Pair steps come first, then figure steps: rings,
 *     then complete ones.
 *   - A fabric's sums (bending constraints or elements) are between patches, too, where two patches
 *     have free particles of theirs. Those come before the pair steps, colour by colour; those inside
 *     a patch after pair step boundary_steps - 1. No pair inside a patch comes before these, and
 *     early_steps is 0.
 *   - With one patch there are no ghosts, packets and boundary constraints. */
#ifndef CLOTH_PLAN_H
#define CLOTH_PLAN_H

#include "plan/figures.h"

typedef enum cloth_plan_kind {
    /* pairs alone: boundary matchings first, inner ones as soon as their ends have no boundary left
     * */
    CLOTH_PLAN_JOINT,
    CLOTH_PLAN_FIGURES /* the same for what is in no figure, then figures of four particles: rings of four, complete graphs of six */
} cloth_plan_kind;

typedef struct cloth_plan_def {
    cloth_plan_kind kind;
    uint32_t patches; /* 1: a whole garment a group, nothing to exchange */
    /* pairs of a patch in a step at most, redone ones among them (which alone may be more); 0: no
     * limit */
    uint32_t step_limit;
    /* first steps that touch nothing of the boundary: work while packets travel */
    uint32_t early_steps;
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

/* Edges 01 23 | 02 13 | and of a complete one 03 12: matchings, done in this order, of a complete
 * figure the longest first. Constraints of a ring are the first four; the other two are
 * UINT32_MAX. */
typedef struct cloth_figure {
    uint16_t particle[4]; /* local, own ones */
    uint32_t constraint[6];
} cloth_figure;

/* particles of a patch with its ghosts: local numbers fit 14 bits */
enum { CLOTH_PLAN_MOST_LOCAL = 16384 };

typedef struct cloth_plan {
    hed_arena arena; /* the plan's own and all that it points to */
    cloth_plan_def def;
    uint32_t particle_count, constraint_count; /* the garment's, without loose edges */
    uint32_t patch_count, pair_steps;
    /* pair steps [early_steps, boundary_steps) may have boundary constraints; 0: there are none */
    uint32_t boundary_steps;
    uint32_t figure_steps;
    cloth_patch *patches; /* (patch_count) */
    uint32_t *own;        /* (particle_count) particles of the garment, patch by patch */
    uint32_t ghost_total;
    uint32_t *ghosts;     /* (ghost_total) particles */
    uint32_t *ghost_slot; /* (ghost_total) the packet each comes in */
    uint32_t slot_count;  /* packets of an exchange */
    /* (patch_count x (pair_steps + 1)) patch p, step s: from pair_at[p * (pair_steps + 1) + s] to
     * the next */
    uint32_t *pair_at;
    cloth_pair *pairs; /* (pair_count) */
    uint32_t pair_count;
    uint32_t *figure_at;       /* (patch_count x (figure_steps + 1)), as pair_at */
    cloth_shape *figure_shape; /* (figure_steps) rings come before complete ones */
    cloth_figure *figures;     /* (figure_count) */
    uint32_t figure_count;
    uint32_t sum_colours;
    /* (patch_count x (2 x sum_colours + 1)), as pair_at: between patches by colour, then inside */
    uint32_t *sum_at;
    uint32_t *sums; /* (sum_count) numbers of bending constraints or elements */
    uint32_t sum_count;
    /* the sweep that all patches together make: for the reference (cloth_order.sums) */
    uint32_t *order; /* (order_count) */
    uint32_t order_count;
    /* for reports and for choosing a kernel: the most of any patch, or of any patch in a step */
    uint32_t most_own, most_ghosts, most_local;
    uint32_t most_pairs, most_boundary_pairs; /* the second: in the first boundary_steps */
    uint32_t most_figures;
    uint64_t boundary, boundary_sums; /* constraints and sums between patches */
    double redone;                    /* boundary constraints done, over those there are */
} cloth_plan;

/* The same input gives the same plan. Errors: ARGUMENT (patches), LIMIT (a patch with more than
 * CLOTH_PLAN_MOST_LOCAL local particles; more than 1,024 pair steps), MEMORY. */
hed_status cloth_plan_create(
    const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **plan, hed_error *error);
void cloth_plan_destroy(cloth_plan *plan);

/* Orders the entries of each step so that eight neighbouring lanes hit eight different 16-byte
 * banks of local memory; turns pairs and figures round where that helps, which changes no bit of
 * what they do. Gives the mean number of passes over the least possible (1: no conflicts); 0 when
 * there was no memory for it, and then all is as it was. */
double cloth_plan_pack_banks(cloth_plan *plan);

#endif
