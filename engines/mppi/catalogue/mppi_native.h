/* Heddle's own models and terms for the processor: MPPI_LANES samples at a time. */
#ifndef HED_MPPI_NATIVE_H
#define HED_MPPI_NATIVE_H

#include "heddle/author.h"
#include "heddle/mppi.h"
#include "kernels/words.h"
#include "catalogue/list.h"
#include "catalogue/sample_lanes.h"

/* HED_CLONES() for functions over lanes, with a third copy for AVX-512, on processors since 2019
 * (Ice Lake, Zen 4): earlier ones lower their clock for AVX-512. All copies compute the same
 * bits. */
#if defined(__GNUC__) && defined(__x86_64__)
#if defined(__clang__)
#define MPPI_AVX512 "avx512f,avx512vl,avx512dq,avx512bw"
#else
#define MPPI_AVX512 "avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512"
#endif
#define MPPI_CLONES(linkage, name, body, parameters, arguments) \
    __attribute__((target(MPPI_AVX512), flatten)) static void name##_avx512 parameters \
    { \
        body arguments; \
    } \
    HED_CLONES(static, name##_narrow, body, parameters, arguments) \
    linkage void name parameters \
    { \
        if (mppi_has_avx512()) name##_avx512 arguments; \
        else name##_narrow arguments; \
    }
static inline bool mppi_has_avx512(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2");
}
#else
#define MPPI_CLONES HED_CLONES
#endif

/* Steps lanes. x: (nx x MPPI_LANES), u: (nu x MPPI_LANES). */
typedef void mppi_step_lanes(float *x, const float *u, const mppi_lanes_world *world);
/* Steps one state under `steps` controls, (steps x nu), into states + nx and on, from `states`
 * (steps + 1 x nx). One call for all steps, since each call chooses an instruction set. */
typedef void mppi_roll_steps(
    float *states, const float *u, uint32_t steps, float dt, const hed_mppi_world *world);
/* cost: (MPPI_LANES) += weight * term. */
typedef void mppi_cost_lanes(const float *x, const float *u, int32_t t, float weight,
    const mppi_lanes_world *world, float *cost);

/* A model's functions; `terms` in the order of hed_mppi_term_at(), or NULL. */
struct mppi_native_model {
    mppi_step_lanes *step;
    mppi_roll_steps *roll;
    mppi_cost_lanes *const *terms;
};

/* Sets of the states that are angles: constants in the lanes of their models. */
enum {
    MPPI_ANGLES_cartpole = 0,
    MPPI_ANGLES_double_integrator = 0,
    MPPI_ANGLES_pendulum = 0,
    MPPI_ANGLES_dubins = 1 << 2,
    MPPI_ANGLES_differential_drive = 1 << 2,
    MPPI_ANGLES_bicycle = 1 << 2,
    MPPI_ANGLES_quadrotor = 7 << 6,
    MPPI_ANGLES_network = 1 << 2
};

/* Functions of each text of list.h; descriptions call the first two `step` and `cost`. */
#define STEP_FUNCTION(name, ...) \
    hed_mppi_step_function mppi_step_##name; \
    extern const struct mppi_native_model mppi_lanes_##name;
#define COST_FUNCTION(name, ...) hed_mppi_cost_function mppi_cost_##name;
MPPI_MODELS(STEP_FUNCTION, , )
MPPI_TERMS(COST_FUNCTION, , , , )
#undef STEP_FUNCTION
#undef COST_FUNCTION

#endif
