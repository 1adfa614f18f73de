/* All descriptions of the engine's kernels: what conformance, tuning, benchmarks and the kernel
 * cache go through. */
#include "solver/group/kernels.h"

static const hed_kernel_def *const kernels[] = {
    &synth_group_def,
    &synth_global_def,
};

uint32_t hed_synth_kernel_count(void) { return SYNTH_COUNT(kernels); }

const hed_kernel_def *hed_synth_kernel_at(uint32_t index)
{
    return index < SYNTH_COUNT(kernels) ? kernels[index] : NULL;
}
