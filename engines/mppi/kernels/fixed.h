/* Constants of a controller's kernels, passed by value. One text for OpenCL C, CUDA and C;
 * words.h precedes it. */
#ifndef MPPI_FIXED_H
#define MPPI_FIXED_H

enum { MPPI_MOST_CONTROLS = 8, MPPI_MOST_STATES = 32 }; /* HED_MPPI_MAX_... */

typedef struct mppi_fixed {
    uint samples; /* N */
    uint row;     /* floats of a scalar in the array of noise, from sample `begin` on */
    uint begin;   /* first sample of this device's blocks */
    uint block;   /* samples of a block */
    uint pure;    /* first sample whose mean is 0 */
    uint still;   /* number of leading control scalars without noise */
    uint keep;    /* 1: sample 0 has no noise */
    uint streams; /* controllers: system s has the noise of controller s % streams */
    uint seed_low, seed_high;
    uint watch;              /* resident: polls without work after which the kernel leaves */
    float dt, scale, crash;  /* s; factor of the summed cost; cost that counts as crashed */
    float smooth, log_sigma; /* weight of squared differences of controls; LOG_NORMAL */
    float sigma[MPPI_MOST_CONTROLS], low[MPPI_MOST_CONTROLS], high[MPPI_MOST_CONTROLS];
    /* largest change in a step, and towards 0; unlimited: 1e38. A branch for controls without
     * limits ends PoCL 6.0 over LLVM 18: its instcombine reaches no fixpoint */
    float reach[MPPI_MOST_CONTROLS], brake[MPPI_MOST_CONTROLS];
    float gamma, power;            /* TSALLIS: threshold, 1 / (r - 1) */
    float value_threshold;         /* ROBUST */
    float risk_share;              /* 1 / number of rollouts that the risk averages */
    float shake[MPPI_MOST_STATES]; /* standard deviation of a state's disturbance in a step */
} mppi_fixed;

#endif
