/* All descriptions of the engine's kernels: what conformance, tuning, benchmarks and the kernel cache go through. */
#include "kernels/kernels.h"

uint32_t hed_synth_kernel_count(void) { return 0; }

const hed_kernel_def *hed_synth_kernel_at(uint32_t index)
{
    (void)index;
    return NULL;
}
