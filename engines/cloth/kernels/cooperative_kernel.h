/* Kernel of all substeps of a submission in one launch. */
#ifndef CLOTH_COOPERATIVE_KERNEL_H
#define CLOTH_COOPERATIVE_KERNEL_H

#include "kernels/chain_kernels.h"

#include "kernels/cooperative_tasks.h"

enum { CLOTH_COOPERATIVE_WG };

extern const hed_kernel_def cloth_cooperative_def;       /* resident groups */
extern const hed_kernel_def cloth_cooperative_group_def; /* one group */

#endif
