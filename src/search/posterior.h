/* Gaussian process conditioned on observations: mean and variance at many points at once, one
 * observation at a time (Rasmussen, Williams 2006, algorithm 2.1, with the Cholesky factor extended
 * row by row).
 *
 * Points are stored in blocks. A block has its whitened covariances with the observations, so that
 * a further observation costs each point as many multiplications as there are observations. An
 * observation without a value (pending, or failed) takes the value expected at its point: it lowers
 * the variance around it and does not change the mean. In addition, observations vote on the
 * probability that nearby points work.
 *
 * The mean may follow known functions of the point, the trends: each trend has a factor with a
 * normal prior, which is a further term of the covariance. */
#ifndef HED_SEARCH_POSTERIOR_H
#define HED_SEARCH_POSTERIOR_H

#include "search/covariance.h"

enum {
    HED_BLOCK = 32, /* points of a block */
    HED_MOST_TRENDS = 8
};

typedef enum hed_row_kind { HED_ROW_VALUE, HED_ROW_PENDING, HED_ROW_FAILED } hed_row_kind;

/* Points and their predictions. */
typedef struct hed_block {
    uint32_t count; /* number of points; the unused columns of the arrays are copies of a point */
    uint32_t rows;  /* observations taken into account */
    uint64_t points[HED_BLOCK];
    uint8_t places[HED_MAX_PARAMETERS][HED_BLOCK];
    float trends[HED_MOST_TRENDS][HED_BLOCK];
    float variance[HED_BLOCK];  /* variance / the process's variance */
    float of_values[HED_BLOCK]; /* mean predicted from the values, for a process of mean 0 */
    /* fraction of the process's mean that the observations explain */
    float of_ones[HED_BLOCK];
    float working[HED_BLOCK];     /* sum of k^4 over observations that work */
    float failed[HED_BLOCK];      /* sum of k^4 over observations that failed */
    float (*whitened)[HED_BLOCK]; /* (posterior's capacity) L^-1 k */
} hed_block;

typedef struct hed_posterior {
    hed_allocator allocator;
    hed_covariance covariance;
    double noise;
    /* observations that have failed when they are added do not enter the process */
    bool ignores_failures;
    uint32_t trend_count;
    /* prior of a trend's factor: mean; variance / the process's variance */
    double trend_mean, trend_variance;
    uint32_t count, capacity; /* observations */
    /* index of the first observation whose value has changed since the last settle */
    uint32_t changed;
    uint8_t *rows;  /* (capacity x parameter_count) cells */
    float *trends;  /* (capacity x HED_MOST_TRENDS) */
    uint8_t *kinds; /* (capacity) hed_row_kind */
    bool *left_out; /* (capacity) true: does not enter the process */
    double *values; /* (capacity) */
    /* (capacity x capacity) lower Cholesky factor L, row by row */
    double *factor;
    /* (capacity) L^-1 (values - trend), L^-1 1; 0 for an observation without a value */
    double *of_values, *of_ones;
    double mean, variance; /* the process's mean and variance */
    /* (block_count) the pool: points whose predictions are kept up to date */
    hed_block *blocks;
    uint32_t block_count;
    /* (block_count x capacity) memory of the blocks' whitened covariances */
    float (*whitened)[HED_BLOCK];
} hed_posterior;

/* Creates a posterior without observations and with empty blocks. The covariance is copied. Returns
 * false if memory is short. */
bool hed_posterior_create(const hed_allocator *allocator, const hed_space *space,
    const hed_covariance *covariance, uint32_t capacity, uint32_t block_count,
    hed_posterior *posterior);
/* Frees a posterior; a zeroed one is allowed. */
void hed_posterior_destroy(hed_posterior *posterior);

/* Adds an observation; count must be below capacity. `trends` (trend_count). */
void hed_posterior_add(hed_posterior *posterior, const uint8_t *row, const float *trends,
    hed_row_kind kind, double value);
/* Changes the kind and value of observation `index`, if they differ. */
void hed_posterior_set(hed_posterior *posterior, uint32_t index, hed_row_kind kind, double value);
/* Updates mean, variance and the pool after observations were added or changed. */
void hed_posterior_settle(hed_posterior *posterior);

/* Adds a point to a block that has no observations yet and fewer than HED_BLOCK points. */
void hed_block_add(hed_block *block, const hed_posterior *posterior, uint64_t point,
    const uint8_t *row, const float *trends);
/* Updates a block outside the pool from a settled posterior. `whitened` must have the posterior's
 * capacity. */
void hed_block_follow(hed_block *block, const hed_posterior *posterior);
/* Predicted value of a block's point, and its standard deviation. */
double hed_block_mean(const hed_block *block, const hed_posterior *posterior, uint32_t index);
double hed_block_deviation(const hed_block *block, const hed_posterior *posterior, uint32_t index);

#endif
