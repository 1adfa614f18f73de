/* Launches of the solver of colours, gathered as tasks of one launch: of a whole substep
 * (HED_CLOTH_SOLVER_COOPERATIVE), or of its lattices. While a list is gathered, cloth_run() appends to it
 * instead of launching. */
#ifndef CLOTH_SOLVER_COOPERATIVE_H
#define CLOTH_SOLVER_COOPERATIVE_H

#include "kernels/cooperative_kernel.h"
#include "solver/host.h"

HED_VIEW_LAUNCH(cloth_cooperative_arrays, CLOTH_COOPERATIVE)

/* Lattices that are solved at once: places, shares and chains. `count` of them are alike, one after
 * another in each of these arrays and in both directions of the chains; else it is 1. `at_particles`: each
 * place is a particle, and each particle follows its place alone. */
typedef struct cloth_lattices {
    uint32_t places, place_count, shares, share_count, chains, chain_end, count;
    bool at_particles;
} cloth_lattices;

/* Lengths of lines and chains, by their numbers in the tables, or NULL; first line of each set; the
 * lattices of each stage. `line_at` NULL: the list has no particles' lines, but lattices alone. */
typedef struct cloth_lengths {
    const uint32_t *lines, *chains, *line_at;
    const cloth_lattices *lattices;
    uint32_t stages;
} cloth_lengths;

typedef struct cloth_cooperative cloth_cooperative;

/* Rows of the longest line of a grid, or edges of the longest chain of a lattice or of tension. */
uint32_t cloth_longest_line(const hed_cloth *cloth, bool chains);
/* True if the kernel supports the cloth; else writes the reason. */
bool cloth_cooperative_valid(const hed_cloth *cloth, char *reason, size_t size);
hed_status cloth_cooperative_create(
    hed_cloth *cloth, cloth_lengths lengths, cloth_cooperative **cooperative, hed_error *error);
void cloth_cooperative_destroy(hed_cloth *cloth, cloth_cooperative *cooperative);
uint64_t cloth_cooperative_bytes(const cloth_cooperative *cooperative);
uint32_t cloth_cooperative_groups(const cloth_cooperative *cooperative);

/* True if one launch may have the lattices of a cloth whose other tasks are launches. */
bool cloth_lattices_fit(const hed_cloth *cloth, const cloth_lattices *lattices, uint32_t stages);

/* Gathers the tasks of a substep: begin, then launches, then end, which makes the kernel. */
void cloth_cooperative_begin(hed_cloth *cloth, cloth_cooperative *cooperative);
hed_status cloth_cooperative_end(
    hed_cloth *cloth, cloth_cooperative *cooperative, hed_error *error);
/* Appends a launch. */
hed_status cloth_gather(hed_cloth *cloth, cloth_kernel kernel, uint64_t size,
    const hed_argument *arguments, hed_error *error);
/* Enqueues `substeps` substeps from substep `first` on. */
hed_status cloth_cooperative_run(hed_cloth *cloth, cloth_cooperative *cooperative,
    const cloth_cooperative_arrays *arrays, uint32_t first, uint32_t substeps, hed_error *error);

#endif
