/* One round of MPPI in double precision, written for reading: the reference result of all
 * solvers for the same noise. The tests compare with it. */
#ifndef HED_MPPI_REFERENCE_H
#define HED_MPPI_REFERENCE_H

#include "model/controller.h"

/* Model and cost of a controller in double precision. */
typedef struct mppi_reference {
    /* PLAIN; source of the definition and of the matrices of sampler.c */
    const hed_mppi *controller;
    void (*step)(double *x, const double *u, double dt, uint32_t controls);
    double (*running)(const double *x, const double *u, uint32_t t, uint32_t controls);
    double (*terminal)(const double *x, uint32_t controls);
} mppi_reference;

/* Results of a round; the arrays belong to the caller. */
typedef struct mppi_reference_answer {
    /* (N) of the rollouts, without the importance term and the cost of smooth_weight */
    double *costs;
    double *weights; /* (N) normalised: the sum is 1 */
    double *mean;    /* (T x nu) weighted mean of the sampled controls */
    double *plan;    /* (T x nu) the mean, smoothed, within limits and rates */
    double baseline, free_energy, normalizer, ess, crashed;
} mppi_reference_answer;

/* Computes the next round of a fleet's first controller from state x (nx). `work`: at least
 * mppi_reference_work() doubles. */
void mppi_reference_round(
    const mppi_reference *reference, const float *x, double *work, mppi_reference_answer *answer);
uint64_t mppi_reference_work(const hed_mppi *controller);

#endif
