/* One round of MPPI in double precision, written for reading: what any solver has to give, for the
 * same noise. The tests compare with it. */
#ifndef HED_MPPI_REFERENCE_H
#define HED_MPPI_REFERENCE_H

#include "model/controller.h"

/* Model and cost of a controller once more, in double. */
typedef struct mppi_reference {
    const hed_mppi *controller; /* PLAIN; its definition, and the matrices of sampler.c */
    void (*step)(double *x, const double *u, double dt, uint32_t controls);
    double (*running)(const double *x, const double *u, uint32_t t, uint32_t controls);
    double (*terminal)(const double *x, uint32_t controls);
} mppi_reference;

/* What a round gives; the arrays belong to the caller. */
typedef struct mppi_reference_answer {
    double *costs;   /* (N) of the rollouts: without importance term and smooth_weight's */
    double *weights; /* (N) their sum is 1 */
    double *mean;    /* (T x nu) weighted mean of the sampled controls */
    double *plan;    /* (T x nu) the mean, smoothed, within limits and rates */
    double baseline, free_energy, normalizer, ess, crashed;
} mppi_reference_answer;

/* The round that the first controller of a fleet would do next from state x (nx). `work`: at least
 * mppi_reference_work() doubles. */
void mppi_reference_round(
    const mppi_reference *reference, const float *x, double *work, mppi_reference_answer *answer);
uint64_t mppi_reference_work(const hed_mppi *controller);

#endif
