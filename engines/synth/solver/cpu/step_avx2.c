/* The step compiled for AVX2. */
#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SYNTH_VECTOR 8
#define SYNTH_STEP synth_step_avx2
#include "solver/cpu/step.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
