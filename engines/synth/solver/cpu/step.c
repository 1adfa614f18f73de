/* The step compiled for every processor, and the choice of the widest vectors that this
 * processor supports. */
#define SYNTH_VECTOR 4
#define SYNTH_STEP synth_step_plain
#include "solver/cpu/step.h"

void synth_cpu_step(const synth_step *step)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        synth_step_avx512(step);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        synth_step_avx2(step);
        return;
    }
#endif
    synth_step_plain(step);
}
