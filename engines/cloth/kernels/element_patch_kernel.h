/* Kernel of the elements of fabrics in patches. */
#ifndef CLOTH_ELEMENT_PATCH_KERNEL_H
#define CLOTH_ELEMENT_PATCH_KERNEL_H

#include "kernels/kernels.h"

#include "kernels/element_patch.h"

extern const char hed_cloth_element_patch_h[], hed_cloth_element_patch_group_h[],
    hed_cloth_element_patch_cl[];
extern const hed_kernel_def cloth_element_patches_def;

/* First uint4 or word of each table of the sample's patches, which have 30 uint4 each. */
cloth_patched cloth_sample_patched(uint patches);

#endif
