/* Hyper-parameters by the data: the maximum of their posterior density. */
#ifndef HED_SEARCH_FIT_H
#define HED_SEARCH_FIT_H

#include "search/covariance.h"

enum {
    HED_FIT_POINTS = 120 /* at most */
};

/* A fit under way: Rprop (Riedmiller, Braun 1993) on the logarithm of the posterior, one step at a
 * time. */
typedef struct hed_fit {
    hed_covariance *covariance;                           /* whose hyper-parameters are moved */
    uint32_t count;                                       /* points */
    uint32_t steps;                                       /* still to go */
    uint8_t *rows;                                        /* (count x parameter_count) */
    double *values;                                       /* (count) */
    double *matrices[3];                                  /* (count x count) scratch */
    double *pair_weights;                                 /* as the covariance's tables: scratch */
    double stride[HED_MAX_HYPERS], slope[HED_MAX_HYPERS]; /* of the last step */
    double best_density, best[HED_MAX_HYPERS];
} hed_fit;

/* Memory for fits of covariances over one space. false: none. */
bool hed_fit_create(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit);
void hed_fit_destroy(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit);
/* Begins a fit of `covariance`, from where its hyper-parameters are, to the points that the caller
 * has put into rows, values and count. */
void hed_fit_begin(hed_fit *fit, hed_covariance *covariance);
/* One step; after the last one the covariance has the best hyper-parameters seen, and its tables.
 * Costs about `count` cubed multiplications. false: it was the last. */
bool hed_fit_step(hed_fit *fit);

#endif
