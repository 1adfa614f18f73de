/* What the descriptions of the kernels share: the way a native function is compiled for more than
 * one instruction set, and sample data. */
#ifndef CLOTH_KERNELS_H
#define CLOTH_KERNELS_H

#include "solver/solver.h"

#include "kernels/particle.h"

#include <string.h>

#define CLOTH_COUNT(array) (sizeof(array) / sizeof *(array))

static inline uint64_t cloth_ceil_divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* Floats in [low, high), element by element the same for the same seed and argument. */
void cloth_sample_floats(
    float *values, uint64_t count, uint64_t seed, uint32_t argument, float low, float high);
/* Particles within 1 m of the origin, every seventh (3, 10, 17, ...) locked; where they were a
 * little before, in eight garments; what those are made of; and what drives them: each with another
 * set of limits, some with none, some not driven. */
enum { CLOTH_SAMPLE_GARMENTS = 8 };
void cloth_sample_positions(float4 *positions, uint64_t count, uint64_t seed);
void cloth_sample_previous(float4 *previous, uint64_t count, uint64_t seed);
void cloth_sample_garments(float4 *garments);
void cloth_sample_driver_map(float4 *map, uint64_t count, uint64_t seed);
/* A view of so many vertices, each of some particle, with normals and colours: turned and
 * shifted. */
void cloth_sample_view(cloth_view *view, uint64_t vertices);
/* A substep with everything on that `flags` say. */
cloth_step cloth_sample_step(uint32_t particles, uint32_t flags);

/* The first texts of each kernel here. */
#define CLOTH_SHARED_SOURCES \
    {"physics.h", hed_cloth_physics_h, 0}, {"collide.h", hed_cloth_collide_h, 0}, \
    { \
        "particle.h", hed_cloth_particle_h, 0 \
    }

/* ---- the four versions of the slides: scalar or vector, task or data-parallel ---- */

enum { CLOTH_WG, CLOTH_VECTOR, CLOTH_TASK, CLOTH_VERSION_PARAMETERS };
enum { CLOTH_STRANDS = 32 }; /* the value of TASK beside 0 and 1 */
extern const hed_parameter_def cloth_version_parameters[CLOTH_VERSION_PARAMETERS];
extern const hed_condition cloth_version_conditions[1];
/* The launch of `count` elements; TASK strands, or an item for each one or each four. */
void cloth_version_geometry(const hed_config *config, uint64_t count, hed_geometry *layout);
/* An item for each of `count` elements in groups of the first parameter. */
void cloth_plain_geometry(const hed_config *config, uint64_t count, hed_geometry *layout);

/* Makes `name`, a hed_native_range_function, from `body`, a CLOTH_NATIVE_BODY function of the same
 * type: compiled once for the baseline and, on x86-64, once more for AVX2 with fused multiply-add,
 * without which fma() is a call. Same bits: fma() is fma() in both. */
#define CLOTH_NATIVE_BODY static inline __attribute__((always_inline)) void
#if defined(__x86_64__)
#define CLOTH_NATIVE_CLONES(name, body) \
    __attribute__((target("avx2,fma"), flatten)) static void name##_avx2( \
        const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        body(call, begin, end); \
    } \
    static void name(const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) \
            name##_avx2(call, begin, end); \
        else body(call, begin, end); \
    }
#else
#define CLOTH_NATIVE_CLONES(name, body) \
    static void name(const hed_native_call *call, uint64_t begin, uint64_t end) \
    { \
        body(call, begin, end); \
    }
#endif

#endif
