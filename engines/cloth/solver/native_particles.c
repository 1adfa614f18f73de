/* Phases of single particles with tethers, a driver, air, colliders: the functions of
 * kernels/particle.h, compiled a second time for processors with fused multiply-add, without which
 * fma() is a call. Both versions give the same bits, because fma() rounds once in both. */
#include "solver/native.h"

#include "kernels/particle.h"

#define BODY static inline __attribute__((always_inline)) void

BODY integrate(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        cloth_integrate_one(i, arrays->integrate, cloth_blown(i, arrays->integrate.air, *step));
}

BODY act(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) cloth_drive_one(i, arrays->drive, *step);
}

#if defined(__x86_64__)
#define CLONES(name, body) \
    __attribute__((target("avx2,fma"), flatten)) static void name##_fused( \
        const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        body(arrays, step, begin, end); \
    } \
    void name(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            name##_fused(arrays, step, begin, end); \
        else body(arrays, step, begin, end); \
    }
#else
#define CLONES(name, body) \
    void name(const cloth_arrays *arrays, const cloth_step *step, uint32_t begin, uint32_t end) \
    { \
        body(arrays, step, begin, end); \
    }
#endif
CLONES(cloth_native_integrate, integrate)
CLONES(cloth_native_act, act)
