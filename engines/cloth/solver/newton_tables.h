/* Tables of a cloth's meshes for Newton's method. */
#ifndef CLOTH_SOLVER_NEWTON_TABLES_H
#define CLOTH_SOLVER_NEWTON_TABLES_H

#include "solver/element_patches.h"

#include "kernels/newton_patch.h"

/* `patches` is 0 if a cloth has no tables: a particle without elements, too many patches, or a
 * patch beyond a limit of newton_patch.h. */
typedef struct cloth_newton_tables {
    uint32_t patches;
    uint32_t *words; /* (word_count) in `scratch`: records of the patches, then their arrays */
    uint64_t word_count;
    /* (patches x (1 + patches)) in `scratch`: masses of the patches that are free, kg, then
     * stiffnesses between each two, N/m: numbers for all three coordinates */
    double *coarse;
} cloth_newton_tables;

/* Makes the tables from the patches of elements. Errors: MEMORY. */
hed_status cloth_newton_tables_make(const hed_cloth *cloth, const cloth_element_patches *elements,
    hed_arena *scratch, cloth_newton_tables *tables, hed_error *error);
/* Inverts mass + stiffness / `give` of cloth_newton_tables.coarse into `rows`,
 * CLOTH_NEWTON_PATCHES squared. `give`: 1 / dt^2; `matrix`: (patches x patches) for its use. */
void cloth_newton_invert(
    const double *coarse, uint32_t patches, double give, double *matrix, float *rows);

#endif
