/* Tension over whole garments for the solvers that launch a kernel for each set: lattices before
 * the constraints of a substep, lines of grids and the lattices of pins after them. */
#ifndef CLOTH_TENSION_H
#define CLOTH_TENSION_H

#include "solver/cooperative.h"

typedef struct cloth_tension cloth_tension;

/* Makes the tables and kernels; `*tension` is NULL if no garment has lattices or lines of tension.
 * Errors: LIMIT, MEMORY, DEVICE_MEMORY, BUILD, DRIVER. */
hed_status cloth_tension_create(hed_cloth *cloth, cloth_tension **tension, hed_error *error);
void cloth_tension_destroy(hed_cloth *cloth, cloth_tension *tension);
uint64_t cloth_tension_bytes(const cloth_tension *tension);
/* Arrays and sizes for a kernel that has whole garments (patch_arguments.h). */
typedef struct cloth_tension_view {
    hed_buffer *tasks, *sources, *samples, *from, *shares, *chains, *edges, *units, *links, *pulls,
        *pulled;
    const uint32_t *task_at; /* (5) cloth_patch_launch.tasks; NULL: no tension */
    uint32_t turns;          /* value of CLOTH_PLACES */
    bool gives;
} cloth_tension_view;
cloth_tension_view cloth_tension_describe(const hed_cloth *cloth, const cloth_tension *tension);
/* True if a garment of the cloth has lattices, or tension along lines. */
bool cloth_has_tension(const hed_cloth *cloth);
/* Lengths of all chains, for a solver that gathers launches. */
const uint32_t *cloth_tension_lengths(const cloth_tension *tension);
/* Lattices of each stage. */
const cloth_lattices *cloth_tension_lattices(const cloth_tension *tension, uint32_t *stages);
/* True if there are lattices over whole garments; at pins. */
bool cloth_tension_has_lattices(const cloth_tension *tension);
bool cloth_tension_has_pins(const cloth_tension *tension);
/* Returns the launches of a substep. */
uint32_t cloth_tension_launches(const cloth_tension *tension);
/* Before the constraints of a substep: enqueues the lattices, whose edges turn (cloth_chain_axis()) unless
 * the cloth is `touched`, and the particles that follow them, in `particles`. `steps`: buffer of
 * cloth_step. */
hed_status cloth_tension_solve_lattices(hed_cloth *cloth, const cloth_tension *tension,
    bool touched, hed_buffer *steps, uint32_t substep, hed_error *error);
hed_status cloth_tension_follow(
    hed_cloth *cloth, const cloth_tension *tension, hed_buffer *particles, hed_error *error);
/* After the constraints: enqueues half sweeps [from, to) of `passes` sweeps of tension along lines, warp and
 * weft by turns, and the lattices at pins with the particles that follow them; limits of the stretch
 * that contacts leave. */
hed_status cloth_tension_solve_lines(hed_cloth *cloth, const cloth_tension *tension,
    uint32_t passes, uint32_t from, uint32_t to, hed_buffer *steps, uint32_t substep,
    hed_error *error);
hed_status cloth_tension_solve_pins(hed_cloth *cloth, const cloth_tension *tension,
    hed_buffer *steps, uint32_t substep, hed_error *error);
hed_status cloth_tension_limit(hed_cloth *cloth, const cloth_tension *tension, hed_buffer *steps,
    uint32_t substep, hed_error *error);

#endif
