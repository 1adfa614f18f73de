/* Sample data of the kernels of collisions, by the arguments' names: what the kernels before them
 * would have made. */
#ifndef CLOTH_CONTACT_SAMPLE_H
#define CLOTH_CONTACT_SAMPLE_H

#include "kernels/contact_kernels.h"

uint64_t cloth_contact_sample_bytes(const hed_kernel_def *def, const hed_config *config,
    const hed_problem *problem, uint32_t argument);
void cloth_contact_sample_fill(const hed_kernel_def *def, const hed_problem *problem,
    uint32_t argument, void *data, uint64_t bytes, uint64_t seed);

#endif
