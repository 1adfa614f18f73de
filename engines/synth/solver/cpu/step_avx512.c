/* The step compiled for AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")
#endif
#define SYNTH_VECTOR 16
#define SYNTH_STEP synth_step_avx512
#include "solver/cpu/step.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
