/* Kernel of Newton's method for the strains of a mesh. */
#ifndef CLOTH_NEWTON_KERNEL_H
#define CLOTH_NEWTON_KERNEL_H

#include "kernels/element_patch_kernel.h"
#include "kernels/newton_patch.h"

#include "kernels/newton.h"

extern const hed_kernel_def cloth_newton_def;       /* a launch for each leg */
extern const hed_kernel_def cloth_newton_joint_def; /* all legs in one launch */

#endif
