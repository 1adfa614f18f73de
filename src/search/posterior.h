/* A Gaussian process conditioned on observations: mean and variance at many points at once, one
 * observation after another (Rasmussen, Williams 2006, algorithm 2.1, with the Cholesky factor
 * extended row by row).
 *
 * Points are kept in blocks. A block holds its whitened covariances with the observations, so that
 * one more observation costs each point as many multiplications as there are observations. An
 * observation without a value (pending, or it does not work) takes the value that is expected
 * there: it lowers the variance around it and leaves the mean as it is. Besides, observations vote
 * on whether the points around them work.
 *
 * The mean may follow known functions of the point, the trends: each has a factor with a normal
 * prior, which is one more term of the covariance.
 */
#ifndef HED_SEARCH_POSTERIOR_H
#define HED_SEARCH_POSTERIOR_H

#include "search/covariance.h"

enum {
    HED_BLOCK = 32, /* points of a block */
    HED_MOST_TRENDS = 8
};

typedef enum hed_row_kind { HED_ROW_VALUE, HED_ROW_PENDING, HED_ROW_FAILED } hed_row_kind;

/* Points, and what is known of them. */
typedef struct hed_block {
    uint32_t count; /* points; the rest of the arrays is a copy of some point */
    uint32_t rows;  /* observations taken into account */
    uint64_t points[HED_BLOCK];
    uint8_t places[HED_MAX_PARAMETERS][HED_BLOCK];
    float trends[HED_MOST_TRENDS][HED_BLOCK];
    float variance[HED_BLOCK];  /* over the process's own */
    float of_values[HED_BLOCK]; /* mean of the values, were the process's mean 0; */
    /* and how much of the process's mean the observations take away */
    float of_ones[HED_BLOCK];
    float working[HED_BLOCK];     /* sums of k^4 over observations that work, */
    float failed[HED_BLOCK];      /* and over those that do not */
    float (*whitened)[HED_BLOCK]; /* (posterior's capacity) L^-1 k */
} hed_block;

typedef struct hed_posterior {
    hed_allocator allocator;
    hed_covariance covariance;
    double noise;
    /* those that do not work when they are added have no part in the process */
    bool ignores_failures;
    uint32_t trend_count;
    /* of a trend's factor; the variance is over the process's own */
    double trend_mean, trend_variance;
    uint32_t count, capacity; /* observations */
    /* the first one whose value is newer than what was computed of it */
    uint32_t changed;
    uint8_t *rows;  /* (capacity x parameter_count) */
    float *trends;  /* (capacity x HED_MOST_TRENDS) */
    uint8_t *kinds; /* (capacity) hed_row_kind */
    bool *left_out; /* (capacity) has no part in the process */
    double *values; /* (capacity) */
    /* (capacity x capacity) lower Cholesky factor L, row by row */
    double *factor;
    /* (capacity) L^-1 (values - trend), L^-1 1; 0 where there is no value */
    double *of_values, *of_ones;
    double mean, variance; /* of the process */
    hed_block *blocks;     /* (block_count) the pool: points that are kept up to date */
    uint32_t block_count;
    float (*whitened)[HED_BLOCK]; /* (block_count x capacity) of the blocks */
} hed_posterior;

/* Without observations; blocks are empty. The covariance is copied. false: no memory. */
bool hed_posterior_create(const hed_allocator *allocator, const hed_space *space,
    const hed_covariance *covariance, uint32_t capacity, uint32_t block_count,
    hed_posterior *posterior);
/* Zeroed ones are allowed. */
void hed_posterior_destroy(hed_posterior *posterior);

/* Adds an observation; there must be room. `trends` (trend_count). */
void hed_posterior_add(hed_posterior *posterior, const uint8_t *row, const float *trends,
    hed_row_kind kind, double value);
/* Changes observation `index`; does nothing where it is so already. */
void hed_posterior_set(hed_posterior *posterior, uint32_t index, hed_row_kind kind, double value);
/* Brings mean, variance and the pool up to date with all that was added and set. */
void hed_posterior_settle(hed_posterior *posterior);

/* Adds a point to a block that no observation is in yet; there must be room. */
void hed_block_add(hed_block *block, const hed_posterior *posterior, uint64_t point,
    const uint8_t *row, const float *trends);
/* Brings a block that is not of the pool up to date with a settled posterior. `whitened` must hold
 * its capacity. */
void hed_block_follow(hed_block *block, const hed_posterior *posterior);
/* Expected value of a block's point, and its standard deviation. */
double hed_block_mean(const hed_block *block, const hed_posterior *posterior, uint32_t index);
double hed_block_deviation(const hed_block *block, const hed_posterior *posterior, uint32_t index);

#endif
