/* The model's covariance: how alike the times of two configurations are.
 *
 *     k(x, y) = product over the parameters j of (1 + w_j R_j(x_j, y_j)) / (1 + w_j)
 *     R_j     = shape(|u - u'| / l_j) exp(-m_j |v - v'|) (1 - d_j)   for two different values, 1
 *             for equal ones
 *
 * u is the value's place on its scale, v its number of factors 2. Multiplied out, this is the ANOVA
 * kernel of Durrande, Ginsbourger, Roustant and Carraro (2013): effects of one parameter, of pairs,
 * of triples, ... A parameter with w = 0 has no effect; one with d near 1 has an effect that says
 * nothing about neighbouring values. Since cells are few, each R_j is a table.
 */
#ifndef HED_SEARCH_COVARIANCE_H
#define HED_SEARCH_COVARIANCE_H

#include "search/space_rows.h"

typedef enum hed_shape {
    HED_SHAPE_EXPONENTIAL,
    HED_SHAPE_MATERN, /* 3/2 */
    HED_SHAPE_GAUSSIAN
} hed_shape;

/* Hyper-parameters of parameter j, stored at HED_HYPER_COUNT * j + index; all are logarithms
 * (roughness: log-odds) with a normal prior. The last one of the array is the logarithm of the
 * noise's fraction of the variance. */
typedef enum hed_hyper {
    HED_HYPER_WEIGHT,
    HED_HYPER_LENGTH,
    HED_HYPER_TWOS,
    HED_HYPER_ROUGHNESS,
    HED_HYPER_COUNT
} hed_hyper;

enum { HED_MAX_HYPERS = HED_HYPER_COUNT * HED_MAX_PARAMETERS + 1 };

typedef struct hed_covariance {
    const hed_value_scale *scales; /* (parameter_count) */
    uint32_t parameter_count;
    hed_shape shape;
    double hypers[HED_MAX_HYPERS]; /* (hed_hyper_count()) */
    /* (count x count) correlations of each parameter's cells */
    float *tables;
    size_t offsets[HED_MAX_PARAMETERS + 1]; /* offset of each parameter's table */
} hed_covariance;

/* Initialises a covariance at the means of its priors. Returns false if memory is short. */
bool hed_covariance_create(const hed_allocator *allocator, const hed_space *space,
    const hed_value_scale *scales, hed_shape shape, hed_covariance *covariance);
/* Frees a covariance; a zeroed one is allowed. */
void hed_covariance_destroy(const hed_allocator *allocator, hed_covariance *covariance);
/* Copies hyper-parameters and tables; both must be over the same space. */
void hed_covariance_copy(hed_covariance *to, const hed_covariance *from);

uint32_t hed_hyper_count(const hed_covariance *covariance);
/* Normal prior of hyper-parameter `index`: mean and standard deviation. */
void hed_hyper_prior(
    const hed_covariance *covariance, uint32_t index, double *mean, double *deviation);
/* Variance of the noise / variance of the process. */
double hed_covariance_noise(const hed_covariance *covariance);
/* Recomputes the tables from the hyper-parameters. */
void hed_covariance_update(hed_covariance *covariance);
/* Adds the gradient of sum G_j(a, b) log k_j(a, b) to `gradient` (hed_hyper_count()). `weights`: G,
 * laid out as the tables. */
void hed_covariance_gradient(
    const hed_covariance *covariance, const double *weights, double *gradient);

/* Table of parameter j. */
static inline const float *hed_covariance_table(const hed_covariance *covariance, uint32_t j)
{
    return covariance->tables + covariance->offsets[j];
}

/* k(x, y) of two points, given by their cells. */
static inline double hed_covariance_value(
    const hed_covariance *covariance, const uint8_t *x, const uint8_t *y)
{
    double product = 1;
    for (uint32_t j = 0; j < covariance->parameter_count; j++)
        product *= hed_covariance_table(covariance, j)[x[j] * covariance->scales[j].count + y[j]];
    return product;
}

/* Fit of the hyper-parameters to data: maximum of their posterior density. */

enum {
    HED_FIT_POINTS = 120 /* maximum number of points */
};

/* State of a fit: Rprop (Riedmiller, Braun 1993) on the logarithm of the posterior, one step at a
 * time. */
typedef struct hed_fit {
    /* covariance whose hyper-parameters are fitted */
    hed_covariance *covariance;
    uint32_t count;      /* number of points */
    uint32_t steps;      /* remaining steps */
    uint8_t *rows;       /* (count x parameter_count) cells */
    double *values;      /* (count) */
    double *matrices[3]; /* (count x count) scratch */
    /* scratch, laid out as the covariance's tables */
    double *pair_weights;
    double stride[HED_MAX_HYPERS], slope[HED_MAX_HYPERS]; /* stride and gradient of the last step */
    double best_density, best[HED_MAX_HYPERS];
} hed_fit;

/* Allocates memory for fits of covariances over one space. Returns false if memory is short. */
bool hed_fit_create(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit);
void hed_fit_destroy(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit);
/* Begins a fit of `covariance` from its present hyper-parameters to the points that the caller has
 * stored in rows, values and count. */
void hed_fit_begin(hed_fit *fit, hed_covariance *covariance);
/* Runs one step, about `count` cubed multiplications. The last one sets the best hyper-parameters
 * found and updates the tables. Returns false after the last step. */
bool hed_fit_step(hed_fit *fit);

#endif
