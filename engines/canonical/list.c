/* The list of the canonical kernels. */
#include <string.h>

#include "canonical_kernels.h"

static const hed_kernel_def *const kernels[] = {
    &hed_copy_def,
    &hed_saxpy_def,
    &hed_transpose_def,
    &hed_reduction_def,
    &hed_scan_tree_def,
    &hed_scan_def,
    &hed_scan_single_def,
    &hed_convolution_def,
    &hed_nbody_def,
    &hed_matmul_def,
};

uint32_t hed_canonical_count(void) { return HED_COUNT(kernels); }

const hed_kernel_def *hed_canonical_at(uint32_t index) { return kernels[index]; }

const hed_kernel_def *hed_canonical_find(const char *name)
{
    for (uint32_t i = 0; i < HED_COUNT(kernels); i++)
        if (strcmp(kernels[i]->name, name) == 0) return kernels[i];
    return NULL;
}
