/* Patches of the elements of fabrics, for the kernel `cloth_element_patches`. */
#ifndef CLOTH_SOLVER_ELEMENT_PATCHES_H
#define CLOTH_SOLVER_ELEMENT_PATCHES_H

#include "kernels/element_patch_kernel.h"
#include "solver/host.h"

/* Tables of all garments and copies, as the kernel reads them; `patches` is 0 if no
 * garment has elements, or a particle has too many. */
typedef struct cloth_element_patches {
    uint32_t patches;
    cloth_patched tables;
    uint4 *words;              /* (word_rows) in `scratch` */
    uint64_t word_rows, pulls; /* `pulls`: multipliers */
} cloth_element_patches;

/* Makes the patches. Errors: MEMORY. */
hed_status cloth_element_patches_make(
    const hed_cloth *cloth, hed_arena *scratch, cloth_element_patches *patches, hed_error *error);

#endif
