/* Kernel of all substeps of a submission in one launch. */
#ifndef CLOTH_COOPERATIVE_KERNEL_H
#define CLOTH_COOPERATIVE_KERNEL_H

#include "kernels/chain_kernels.h"
#include "kernels/element_patch_kernel.h"

#include "kernels/cooperative_tasks.h"

enum { CLOTH_COOPERATIVE_WG };
enum { CLOTH_CLUSTER = 8 }; /* maximum groups of a cluster on every device that has clusters */

extern const hed_kernel_def cloth_cooperative_def; /* resident groups */
extern const hed_kernel_def cloth_cooperative_cluster_def;
extern const hed_kernel_def cloth_cooperative_group_def; /* one group */

#endif
