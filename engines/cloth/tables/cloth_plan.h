/* Plan of a garment: a division into patches, one for each group of a device, and the order in
 * which each patch does its constraints.
 *
 * Boundary constraints (between free particles of different patches) come in matchings of their
 * own, before all other constraints of their particles. A patch redoes every boundary constraint
 * that its own particles depend on (closure), so one exchange of positions a substep is enough
 * and the sweep is still true Gauss-Seidel: `order`. `docs/cloth-solvers.md` explains the method
 * and has the figures. Plain C; no device.
 *
 * Guarantees to a kernel:
 *   - Local numbers: a patch's own particles first, then its ghosts, in the order of `own` and
 *     `ghosts`.
 *   - The first send_count own particles are the particles that other patches read; particle i
 *     of these has packet send_at + i. Ghosts are sorted by packet.
 *   - A packet is sent once a substep, when its particle has been integrated and tethered and no
 *     constraint has been done. All packets are read before step early_steps begins; earlier
 *     steps touch no ghost, and no own particle of the boundary.
 *   - If p reads from q, q reads from p. So no patch is two substeps ahead of a patch that it
 *     reads from, and two buffers in turn are enough.
 *   - In a step of a patch no free particle occurs twice. A locked particle may: it does not
 *     move in a sweep, and must not be written in it. A locked particle is owned, sent and read
 *     like any other (its driver may move it from substep to substep).
 *   - Each step of a patch ends with a barrier. Pair steps come first, then figure steps: rings,
 *     then complete figures.
 *   - A fabric's sum (a bending constraint or an element) is a boundary sum if two patches own
 *     free particles of it. Boundary sums come before the pair steps, colour by colour; sums
 *     inside a patch come after pair step boundary_steps - 1. No pair inside a patch comes
 *     before the sums inside, and early_steps is 0.
 *   - With one patch there are no ghosts, packets and boundary constraints. */
#ifndef CLOTH_PLAN_H
#define CLOTH_PLAN_H

#include "tables/figures.h"

typedef enum cloth_plan_kind {
    /* pairs alone: boundary matchings first, inner pairs as soon as their ends have no boundary
     * constraint left */
    CLOTH_PLAN_JOINT,
    /* constraints outside figures as in CLOTH_PLAN_JOINT, then figures of four particles: rings
     * of four constraints, complete graphs of six */
    CLOTH_PLAN_FIGURES
} cloth_plan_kind;

typedef struct cloth_plan_def {
    cloth_plan_kind kind;
    uint32_t patches; /* 1: a garment for each group, nothing to exchange */
    /* maximum of pairs of a patch in a step, redone pairs included (redone pairs alone may
     * exceed it); 0: no limit */
    uint32_t step_limit;
    /* number of first steps that touch no particle of the boundary: work while packets travel */
    uint32_t early_steps;
} cloth_plan_def;

typedef struct cloth_patch {
    uint32_t own_count, own_at; /* particles that this patch owns: count, start in `own` */
    /* particles of other patches that this patch reads: count, start in `ghosts` */
    uint32_t ghost_count, ghost_at;
    /* the first send_count own particles are sent: packets from send_at */
    uint32_t send_count, send_at;
} cloth_patch;

typedef struct cloth_pair {
    uint16_t a, b; /* local: own first, then ghosts */
    uint32_t constraint;
} cloth_pair;

/* Four particles with the constraints 01 23 | 02 13 and, in a complete figure, 03 12: matchings,
 * done in this order, the longest first in a complete figure. A ring has the first four
 * constraints; its last two entries are UINT32_MAX. */
typedef struct cloth_figure {
    uint16_t particle[4]; /* local numbers of own particles */
    uint32_t constraint[6];
} cloth_figure;

/* maximum of particles of a patch, ghosts included: local numbers fit 14 bits */
enum { CLOTH_PLAN_MOST_LOCAL = 16384 };

typedef struct cloth_plan {
    hed_arena arena; /* memory of the plan and of all its arrays */
    cloth_plan_def def;
    uint32_t particle_count, constraint_count; /* counts of the garment, loose edges excluded */
    uint32_t patch_count, pair_steps;
    /* pair steps [early_steps, boundary_steps) may have boundary constraints; 0: the plan has no
     * boundary constraints */
    uint32_t boundary_steps;
    uint32_t figure_steps;
    cloth_patch *patches; /* (patch_count) */
    uint32_t *own;        /* (particle_count) particles of the garment, patch by patch */
    uint32_t ghost_total;
    uint32_t *ghosts;     /* (ghost_total) particles */
    uint32_t *ghost_slot; /* (ghost_total) packet of each ghost */
    uint32_t slot_count;  /* packets of an exchange */
    /* (patch_count x (pair_steps + 1)) first pair of patch p in step s:
     * pair_at[p * (pair_steps + 1) + s]; the step ends at the next entry */
    uint32_t *pair_at;
    cloth_pair *pairs; /* (pair_count) */
    uint32_t pair_count;
    /* (patch_count x (figure_steps + 1)) first figure of a patch in a step, as pair_at */
    uint32_t *figure_at;
    cloth_shape *figure_shape; /* (figure_steps) rings come before complete figures */
    cloth_figure *figures;     /* (figure_count) */
    uint32_t figure_count;
    uint32_t sum_colours;
    /* (patch_count x (2 x sum_colours + 1)) first sum of a patch in a step, as pair_at: boundary
     * sums by colour, then inner sums by colour */
    uint32_t *sum_at;
    uint32_t *sums; /* (sum_count) numbers of bending constraints or elements */
    uint32_t sum_count;
    /* the sweep of all patches together, as the reference needs it (cloth_order.sums) */
    uint32_t *order; /* (order_count) */
    uint32_t order_count;
    /* (pair_steps + 1) start of each pair step in `order`; only of a plan without sums */
    uint32_t *step_at;
    /* maxima over patches (particles), and over patches and steps (pairs, figures): for reports
     * and for the choice of a kernel */
    uint32_t most_own, most_ghosts, most_local;
    uint32_t most_pairs, most_boundary_pairs; /* the second: in the first boundary_steps */
    uint32_t most_figures;
    uint64_t boundary, boundary_sums; /* numbers of boundary constraints and of boundary sums */
    /* boundary constraints done by all patches / boundary constraints */
    double redone;
} cloth_plan;

/* Makes a plan; the same input gives the same plan. Errors: ARGUMENT (patches), LIMIT (a patch
 * with more than CLOTH_PLAN_MOST_LOCAL local particles; more than 1,024 pair steps), MEMORY. */
hed_status cloth_plan_create(
    const cloth_garment *garment, const cloth_plan_def *def, cloth_plan **plan, hed_error *error);
void cloth_plan_destroy(cloth_plan *plan);

/* Orders the entries of each step so that eight neighbouring lanes hit eight different 16-byte
 * banks of local memory; turns pairs and figures round where that helps, which changes no bit of
 * their results. Returns the mean number of passes / the smallest possible number (1: no
 * conflicts); 0 if memory ran out, and then the plan is unchanged. */
double cloth_plan_pack_banks(cloth_plan *plan);

#endif
