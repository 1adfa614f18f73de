/** @file canonical.h
 *  The canonical kernels: copy, saxpy, transpose, reduction, prefix sum, 2-D convolution, n-body and matrix multiply.
 *  They are the first users of the runtime, targets for tuning, and ready to use. A library of its own: heddle-canonical.
 */
#ifndef HEDDLE_CANONICAL_H
#define HEDDLE_CANONICAL_H

#include "heddle/kernel.h"

HED_BEGIN

/** Number of canonical kernels. Thread class: any. */
HED_API uint32_t hed_canonical_count(void);
/** Description `index` < hed_canonical_count(). Thread class: any. */
HED_API const hed_kernel_def *hed_canonical_at(uint32_t index);
/** Description by name, such as "convolution"; NULL if there is none. Thread class: any. */
HED_API const hed_kernel_def *hed_canonical_find(const char *name);

HED_END

#endif
