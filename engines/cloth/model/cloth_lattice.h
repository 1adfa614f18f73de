/* Parts that lattices of grids and of meshes have in common. */
#ifndef CLOTH_LATTICE_PARTS_H
#define CLOTH_LATTICE_PARTS_H

#include "model/garment.h"

enum {
    CLOTH_LATTICE_COARSER = 2,  /* strides of two lattices, the coarser / the finer */
    CLOTH_LATTICE_CELLS = 8,    /* maximum number of cells along a side of the coarsest lattice */
    CLOTH_TURNING_LATTICES = 2, /* coarsest lattices of a sheet that remembers, whose edges turn */
    CLOTH_LATTICE_SWEEPS = 4,
    CLOTH_LATTICE_SOFTEN = 4 /* cloth_chains.soften */
};

/* Computes the inverse mass of the cloth around each place. The place nearest to a locked particle
 * is held. `shares`: parts of particles in places. Errors: MEMORY. */
hed_status cloth_lattice_weigh(const cloth_garment *garment, cloth_lattice *lattice,
    const cloth_share *shares, uint32_t share_count, hed_arena *scratch, hed_error *error);
/* Mean length of the structural constraints, m; 0: there are no such constraints. */
double cloth_mean_edge(const cloth_garment *garment);
/* Makes the lattices of a mesh (lattice_mesh.c). Errors: MEMORY. */
hed_status cloth_make_mesh_lattices(
    cloth_garment *garment, const hed_cloth_garment_def *def, hed_error *error);

#endif
