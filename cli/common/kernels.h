/* All kernels that come with Heddle: the canonical ones, then those of the engines. */
#ifndef HED_CLI_COMMON_KERNELS_H
#define HED_CLI_COMMON_KERNELS_H

#include "heddle/kernel.h"

uint32_t cli_kernel_count(void);
const hed_kernel_def *cli_kernel_at(uint32_t index);
/* NULL: there is none of this name. */
const hed_kernel_def *cli_kernel_find(const char *name);

#endif
