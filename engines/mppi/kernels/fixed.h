/* What a controller's kernels are given once, by value. One text for OpenCL C, CUDA and C; words.h
 * stands before it. */
#ifndef MPPI_FIXED_H
#define MPPI_FIXED_H

enum { MPPI_MOST_CONTROLS = 8 }; /* HED_MPPI_MAX_CONTROLS */

typedef struct mppi_fixed {
    uint samples; /* N */
    uint pure;    /* first sample whose mean is 0 */
    uint still;   /* control scalars that no sample disturbs */
    uint keep;    /* 1: sample 0 has no noise */
    uint streams; /* controllers: system s has the noise of controller s % streams */
    uint seed_low, seed_high;
    uint watch;              /* resident: polls without work after which the kernel leaves */
    float dt, scale, crash;  /* s; factor of the summed cost; cost that counts as crashed */
    float smooth, log_sigma; /* weight on squared differences of controls; LOG_NORMAL */
    float sigma[MPPI_MOST_CONTROLS], low[MPPI_MOST_CONTROLS], high[MPPI_MOST_CONTROLS];
    float reach[MPPI_MOST_CONTROLS]; /* largest change in a step; 0: any */
} mppi_fixed;

#endif
