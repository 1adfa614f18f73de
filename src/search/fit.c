/* Fit of the hyper-parameters: maximum of the marginal likelihood of a Gaussian process (Rasmussen,
 * Williams 2006, chapter 5), with a constant mean and the amplitude at their optimum, times the
 * priors.
 *
 * Loops over matrices run along rows without sums over them, so that compilers may vectorise them
 * with identical results for any vector width. */
#include "search/covariance.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum {
    FEW_POINTS = 100, /* fits of fewer points take STEPS steps, others FEW_STEPS */
    STEPS = 12,
    FEW_STEPS = 5
};
static const double LEAST_VARIANCE = 1e-12, NO_DENSITY = -INFINITY;

bool hed_fit_create(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit)
{
    *fit = (hed_fit){0};
    fit->rows = hed_allocate(allocator, (size_t)HED_FIT_POINTS * like->parameter_count);
    fit->values = hed_allocate(allocator, HED_FIT_POINTS * sizeof *fit->values);
    fit->pair_weights =
        hed_allocate(allocator, like->offsets[like->parameter_count] * sizeof *fit->pair_weights);
    bool allocated = fit->rows && fit->values && fit->pair_weights;
    for (int i = 0; i < 3; i++) {
        fit->matrices[i] = hed_allocate(allocator, sizeof(double[HED_FIT_POINTS][HED_FIT_POINTS]));
        allocated = allocated && fit->matrices[i];
    }
    if (!allocated) hed_fit_destroy(allocator, like, fit);
    return allocated;
}

void hed_fit_destroy(const hed_allocator *allocator, const hed_covariance *like, hed_fit *fit)
{
    hed_release(allocator, fit->rows, (size_t)HED_FIT_POINTS * like->parameter_count);
    hed_release(allocator, fit->values, HED_FIT_POINTS * sizeof *fit->values);
    hed_release(allocator, fit->pair_weights,
        like->offsets[like->parameter_count] * sizeof *fit->pair_weights);
    for (int i = 0; i < 3; i++)
        hed_release(allocator, fit->matrices[i], sizeof(double[HED_FIT_POINTS][HED_FIT_POINTS]));
    *fit = (hed_fit){0};
}

/* ---- matrices (n x n), row by row ---- */

/* Upper Cholesky factor U of a symmetric matrix, U' U = A, replaces its upper half. Returns false
 * if A is not positive definite. */
static bool factorize(double *matrix, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        double *pivot = matrix + (size_t)k * n;
        if (!(pivot[k] > LEAST_VARIANCE)) return false;
        double scale = 1 / sqrt(pivot[k]);
        for (uint32_t j = k; j < n; j++) pivot[j] *= scale;
        for (uint32_t i = k + 1; i < n; i++) {
            double *row = matrix + (size_t)i * n, share = pivot[i];
            for (uint32_t j = i; j < n; j++) row[j] -= share * pivot[j];
        }
    }
    return true;
}

/* Lower half of L^-1 for L = U'. */
static void invert(const double *upper, double *inverse, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = inverse + (size_t)i * n, scale = 1 / upper[(size_t)i * n + i];
        memset(row, 0, n * sizeof *row);
        for (uint32_t k = 0; k < i; k++) {
            const double *previous = inverse + (size_t)k * n;
            double share = upper[(size_t)k * n + i] * scale;
            for (uint32_t j = 0; j <= k; j++) row[j] -= share * previous[j];
        }
        row[i] = scale;
    }
}

/* Lower half of A^-1 = L^-1' L^-1. */
static void square(const double *inverse, double *product, uint32_t n)
{
    memset(product, 0, (size_t)n * n * sizeof *product);
    for (uint32_t k = 0; k < n; k++) {
        const double *row = inverse + (size_t)k * n;
        for (uint32_t i = 0; i <= k; i++) {
            double *into = product + (size_t)i * n, share = row[i];
            for (uint32_t j = 0; j <= i; j++) into[j] += share * row[j];
        }
    }
}

/* ---- the density ---- */

/* Covariances without noise into `plain` (both halves), with noise into `noisy`. */
static void fit_fill(const hed_fit *fit, double *plain, double *noisy)
{
    uint32_t n = fit->count, width = fit->covariance->parameter_count;
    double noise = hed_covariance_noise(fit->covariance);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b <= a; b++) {
            double value = hed_covariance_value(
                fit->covariance, fit->rows + (size_t)a * width, fit->rows + (size_t)b * width);
            plain[a * n + b] = plain[b * n + a] = value;
            noisy[a * n + b] = noisy[b * n + a] = value + (a == b ? noise : 0);
        }
}

/* Whitened residuals z = L^-1 (y - mean), then alpha = A^-1 (y - mean). Returns the variance of the
 * process. */
static double fit_whiten(const hed_fit *fit, const double *inverse, double *alpha)
{
    uint32_t n = fit->count;
    double z[HED_FIT_POINTS], ones[HED_FIT_POINTS], of_ones = 0, of_both = 0, square_sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        z[i] = ones[i] = 0;
        for (uint32_t j = 0; j <= i; j++) {
            z[i] += inverse[i * n + j] * fit->values[j];
            ones[i] += inverse[i * n + j];
        }
        of_both += z[i] * ones[i];
        of_ones += ones[i] * ones[i];
    }
    memset(alpha, 0, n * sizeof *alpha);
    for (uint32_t i = 0; i < n; i++) {
        z[i] -= of_both / of_ones * ones[i];
        square_sum += z[i] * z[i];
        for (uint32_t j = 0; j <= i; j++) alpha[j] += inverse[i * n + j] * z[i];
    }
    return (square_sum + 1e-6) / n;
}

/* Weight of each pair of values in the gradient of the likelihood: (alpha alpha' / variance - A^-1)
 * K, summed over the pairs of points with these values. Returns the derivative with respect to the
 * logarithm of the noise. */
static double weigh_pairs(hed_fit *fit, const double *plain, const double *precision,
    const double *alpha, double variance)
{
    const hed_covariance *covariance = fit->covariance;
    uint32_t n = fit->count, width = covariance->parameter_count;
    double noise = hed_covariance_noise(covariance), of_noise = 0;
    memset(fit->pair_weights, 0, covariance->offsets[width] * sizeof *fit->pair_weights);
    for (uint32_t a = 0; a < n; a++) {
        const uint8_t *row = fit->rows + (size_t)a * width;
        of_noise += 0.5 * noise * (alpha[a] * alpha[a] / variance - precision[a * n + a]);
        for (uint32_t b = 0; b < a; b++) {
            const uint8_t *second = fit->rows + (size_t)b * width;
            double weight =
                (alpha[a] * alpha[b] / variance - precision[a * n + b]) * plain[a * n + b];
            for (uint32_t j = 0; j < width; j++)
                fit->pair_weights[covariance->offsets[j] + row[j] * covariance->scales[j].count +
                                  second[j]] += weight;
        }
    }
    return of_noise;
}

/* Logarithm of the posterior density at the covariance's hyper-parameters, up to a constant, and
 * its gradient. */
static double density(hed_fit *fit, double *gradient)
{
    const hed_covariance *covariance = fit->covariance;
    uint32_t n = fit->count, hypers = hed_hyper_count(covariance);
    double *plain = fit->matrices[0], *factor = fit->matrices[1], *inverse = fit->matrices[2],
           alpha[HED_FIT_POINTS];
    memset(gradient, 0, hypers * sizeof *gradient);
    fit_fill(fit, plain, factor);
    if (!factorize(factor, n)) return NO_DENSITY;
    invert(factor, inverse, n);
    double variance = fit_whiten(fit, inverse, alpha), value = -0.5 * n * log(variance);
    for (uint32_t i = 0; i < n; i++) value -= log(factor[i * n + i]);
    square(inverse, factor, n);
    gradient[hypers - 1] = weigh_pairs(fit, plain, factor, alpha, variance);
    hed_covariance_gradient(covariance, fit->pair_weights, gradient);
    for (uint32_t i = 0; i < hypers; i++) {
        double mean, deviation;
        hed_hyper_prior(covariance, i, &mean, &deviation);
        double off = (covariance->hypers[i] - mean) / deviation;
        value -= 0.5 * off * off;
        gradient[i] -= off / deviation;
    }
    return value;
}

/* ---- the search for its maximum ---- */

static const double FIRST_STRIDE = 0.25, LONGEST_STRIDE = 1,
                    FARTHEST = 3.5; /* FARTHEST: in standard deviations of the prior */

void hed_fit_begin(hed_fit *fit, hed_covariance *covariance)
{
    fit->covariance = covariance;
    fit->steps = fit->count < FEW_POINTS ? STEPS : FEW_STEPS;
    fit->best_density = NO_DENSITY;
    memcpy(fit->best, covariance->hypers, sizeof fit->best);
    for (uint32_t i = 0; i < HED_MAX_HYPERS; i++) {
        fit->stride[i] = FIRST_STRIDE;
        fit->slope[i] = 0;
    }
}

static void move(hed_fit *fit, double *gradient)
{
    hed_covariance *covariance = fit->covariance;
    for (uint32_t i = 0; i < hed_hyper_count(covariance); i++) {
        double turn = gradient[i] * fit->slope[i], mean, deviation;
        if (turn > 0) fit->stride[i] = fmin(fit->stride[i] * 1.4, LONGEST_STRIDE);
        if (turn < 0) {
            fit->stride[i] *= 0.5;
            gradient[i] = 0;
        }
        hed_hyper_prior(covariance, i, &mean, &deviation);
        double to = covariance->hypers[i] + (gradient[i] > 0      ? fit->stride[i]
                                                : gradient[i] < 0 ? -fit->stride[i]
                                                                  : 0);
        covariance->hypers[i] =
            fmin(fmax(to, mean - FARTHEST * deviation), mean + FARTHEST * deviation);
        fit->slope[i] = gradient[i];
    }
}

bool hed_fit_step(hed_fit *fit)
{
    double gradient[HED_MAX_HYPERS], value = density(fit, gradient);
    if (value > fit->best_density) {
        fit->best_density = value;
        memcpy(fit->best, fit->covariance->hypers, sizeof fit->best);
    }
    if (--fit->steps == 0) {
        memcpy(fit->covariance->hypers, fit->best, sizeof fit->best);
    } else if (value == NO_DENSITY) {
        memcpy(fit->covariance->hypers, fit->best, sizeof fit->best);
        for (uint32_t i = 0; i < HED_MAX_HYPERS; i++) fit->stride[i] *= 0.3;
    } else {
        move(fit, gradient);
    }
    hed_covariance_update(fit->covariance);
    return fit->steps > 0;
}
