/* Tables of a cloth's meshes for Newton's method. */
#ifndef CLOTH_SOLVER_NEWTON_TABLES_H
#define CLOTH_SOLVER_NEWTON_TABLES_H

#include "solver/element_patches.h"

#include "kernels/newton_patch.h"

/* `patches` is 0 if a cloth has no tables: a particle without elements, too many patches, or a patch beyond a
 * limit of newton_patch.h. */
typedef struct cloth_newton_tables {
    uint32_t patches,
        band; /* `band`: maximum distance between the numbers of two neighbours, at least 1 */
    uint32_t *words; /* (word_count) in `scratch`: records of the patches, then their arrays */
    uint64_t word_count;
} cloth_newton_tables;

/* Makes the tables from the patches of elements. Errors: MEMORY. */
hed_status cloth_newton_tables_make(const hed_cloth *cloth, const cloth_element_patches *elements,
    hed_arena *scratch, cloth_newton_tables *tables, hed_error *error);

#endif
