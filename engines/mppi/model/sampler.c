/* Noise correlated in time, as a matrix times independent normal numbers: the noise of control i
 * is e_t = sigma sum_m A_i[t][m] n_m. Any Gaussian sampler is such a matrix, so devices need one
 * kernel and no Fourier transform:
 *
 *   coloured  power spectrum 1/f^exponent (Timmer and König 1995) of a process of period 2 T: A
 *             is the Cholesky factor of the covariance of its first T values
 *   spline    A's columns are the natural cubic splines through one knot each
 *   support   A = K(t, t_m) K(t_m, t_m)^-1 with Gaussian radial basis functions (KMPPI) */
#include <math.h>

#include "model/controller.h"
#include "support/strict_math.h"

/* Replaces a symmetric, positive semidefinite matrix (n x n) by its lower Cholesky factor;
 * columns of vanishing pivots become zero. */
static void factor_semidefinite(double *a, uint32_t n)
{
    double largest = 0;
    for (uint32_t i = 0; i < n; i++) largest = fmax(largest, a[(uint64_t)i * n + i]);
    for (uint32_t j = 0; j < n; j++) {
        double *row = a + (uint64_t)j * n, pivot = row[j];
        for (uint32_t k = 0; k < j; k++) pivot -= row[k] * row[k];
        bool vanishes = !(pivot > 1e-12 * largest);
        row[j] = vanishes ? 0 : sqrt(pivot);
        for (uint32_t i = j + 1; i < n; i++) {
            double *row_i = a + (uint64_t)i * n, s = row_i[j];
            for (uint32_t k = 0; k < j; k++) s -= row_i[k] * row[k];
            row_i[j] = vanishes ? 0 : s / row[j];
        }
        for (uint32_t k = j + 1; k < n; k++) row[k] = 0;
    }
}

/* Computes the covariance (T x T) of the coloured process, minus its value at the first free
 * step times decay^t. */
static void coloured_covariance(const hed_mppi_def *def, double exponent, double *r, double *out)
{
    const double pi = 3.14159265358979323846;
    uint32_t steps = def->steps, length = 2 * steps;
    for (uint32_t lag = 0; lag < steps; lag++) {
        r[lag] = 0;
        for (uint32_t j = 0; j <= steps; j++) { /* s_j^2 cos; s_0 = s_1 */
            double s = hed_strict_pow(fmax((double)j, 1) / length, -exponent);
            double weight = j == 0 || j == steps ? 0.25 : 1;
            r[lag] += weight * s * hed_strict_cos(2 * pi * j * lag / length);
        }
    }
    for (uint32_t lag = steps; lag-- > 0;) r[lag] /= r[0]; /* variance 1, exactly */
    double decay = def->offset_decay;
    uint32_t from = def->committed < steps ? def->committed : steps - 1;
    for (uint32_t t = 0; t < steps; t++)
        for (uint32_t s = 0; s < steps; s++) {
            double c = r[t > s ? t - s : s - t];
            if (decay > 0) {
                double dt = hed_strict_pow(decay, t > from ? t - from : 0);
                double ds = hed_strict_pow(decay, s > from ? s - from : 0);
                c += dt * ds * r[0] - ds * r[t > from ? t - from : from - t] -
                     dt * r[s > from ? s - from : from - s];
            }
            out[(uint64_t)t * steps + s] = c;
        }
}

/* Computes second derivatives of the natural cubic spline through values (n) at 0, 1, ... (n <=
 * 256). */
static void spline_curvature(const double *values, uint32_t n, double *second)
{
    double diagonal[256], right[256];
    second[0] = second[n - 1] = 0;
    for (uint32_t i = 1; i + 1 < n; i++) { /* Thomas's algorithm: 1 4 1 */
        double below = i > 1 ? 1 / diagonal[i - 1] : 0;
        diagonal[i] = 4 - below;
        right[i] = 6 * (values[i - 1] - 2 * values[i] + values[i + 1]) -
                   (i > 1 ? below * right[i - 1] : 0);
    }
    for (uint32_t i = n - 1; i-- > 1;) second[i] = (right[i] - second[i + 1]) / diagonal[i];
}

static void fill_splines(float *a, uint32_t steps, uint32_t knots)
{
    double values[256], second[256];
    for (uint32_t m = 0; m < knots; m++) {
        for (uint32_t k = 0; k < knots; k++) values[k] = k == m;
        spline_curvature(values, knots, second);
        for (uint32_t t = 0; t < steps; t++) {
            double at = steps > 1 ? (double)t * (knots - 1) / (steps - 1) : 0;
            uint32_t k = (uint32_t)at < knots - 2 ? (uint32_t)at : knots - 2;
            double b = at - k, c = 1 - b;
            a[t * knots + m] =
                (float)(c * values[k] + b * values[k + 1] +
                        ((c * c * c - c) * second[k] + (b * b * b - b) * second[k + 1]) / 6);
        }
    }
}

/* Computes A = K(t, t_m) K^-1 by Gauss-Jordan elimination with a small ridge; knots <= 256. */
static void fill_support(float *a, uint32_t steps, uint32_t knots, double width, double *k)
{
    uint32_t n = knots, row = 2 * n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            double d = ((double)i - j) / width;
            k[i * row + j] = hed_strict_exp(-d * d / 2) + (i == j ? 1e-6 : 0);
            k[i * row + n + j] = i == j;
        }
    for (uint32_t p = 0; p < n; p++) { /* symmetric and positive definite: no pivoting */
        double inverse = 1 / k[p * row + p];
        for (uint32_t j = 0; j < row; j++) k[p * row + j] *= inverse;
        for (uint32_t i = 0; i < n; i++) {
            double f = k[i * row + p];
            for (uint32_t j = 0; i != p && j < row; j++) k[i * row + j] -= f * k[p * row + j];
        }
    }
    for (uint32_t t = 0; t < steps; t++)
        for (uint32_t m = 0; m < n; m++) {
            double sum = 0, at = steps > 1 ? (double)t * (n - 1) / (steps - 1) : 0;
            for (uint32_t j = 0; j < n; j++) {
                double d = (at - j) / width;
                sum += hed_strict_exp(-d * d / 2) * k[j * row + n + m];
            }
            a[t * n + m] = (float)sum;
        }
}

/* Scales the rows of A (T x knots): every step has variance 1, between the knots, too. */
static void scale_rows(float *a, uint32_t steps, uint32_t knots)
{
    for (uint32_t t = 0; t < steps; t++, a += knots) {
        double square = 0;
        for (uint32_t m = 0; m < knots; m++) square += (double)a[m] * a[m];
        for (uint32_t m = 0; m < knots && square > 0; m++) a[m] = (float)(a[m] / sqrt(square));
    }
}

/* Computes the inverse of sigma^2 A A' over time (T x T), for the importance correction; adds a
 * ridge if A has fewer columns than T. */
static void fill_time_precision(
    const float *a, uint32_t steps, uint32_t columns, double *work, float *out)
{
    uint32_t n = steps;
    double *l = work, *y = work + (uint64_t)n * n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double s = i == j ? 1e-4 : 0;
            for (uint32_t m = 0; m < columns; m++)
                s += (double)a[(uint64_t)i * columns + m] * a[(uint64_t)j * columns + m];
            l[(uint64_t)i * n + j] = l[(uint64_t)j * n + i] = s;
        }
    factor_semidefinite(l, n);
    for (uint32_t column = 0; column < n; column++) {
        for (uint32_t i = 0; i < n; i++) {
            double s = i == column;
            for (uint32_t k = 0; k < i; k++) s -= l[(uint64_t)i * n + k] * y[k];
            y[i] = s / l[(uint64_t)i * n + i];
        }
        for (uint32_t i = n; i-- > 0;) {
            double s = y[i];
            for (uint32_t k = i + 1; k < n; k++) s -= l[(uint64_t)k * n + i] * y[k];
            y[i] = s / l[(uint64_t)i * n + i];
            out[(uint64_t)i * n + column] = (float)y[i];
        }
    }
}

hed_status mppi_make_sampler(hed_mppi *controller, hed_error *error)
{
    const hed_mppi_def *def = &controller->def;
    uint64_t steps = def->steps, nu = controller->model.controls;
    bool coloured = def->sampler == HED_MPPI_COLOURED;
    bool points = def->sampler == HED_MPPI_SPLINE || def->sampler == HED_MPPI_SUPPORT_POINTS;
    if (!coloured && !points) return hed_failed(error) ? error->status : HED_OK;
    if (points && (def->knots < 2 || def->knots > 256 || def->knots > steps))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: knots is %u: 2 to 256, and at most steps (%u), are expected", def->knots,
            def->steps);
    if (points && !(def->kernel_width > 0 && def->kernel_width < 1e6f))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "mppi: kernel_width is %g: a number above 0 is expected", (double)def->kernel_width);
    for (uint32_t i = 0; coloured && i < nu; i++)
        if (!(def->exponent[i] >= 0 && def->exponent[i] <= 4))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "mppi: exponent of control %u is %g: 0 (white) to 4 is expected", i,
                (double)def->exponent[i]);
    uint64_t columns = coloured ? steps : def->knots;
    hed_arena work = {.allocator = controller->arena.allocator, .owner = "a controller"};
    controller->mix_columns = (uint32_t)columns;
    controller->mix = hed_arena_new(&controller->arena, nu * steps * columns, sizeof(float), error);
    if (def->alpha < 1)
        controller->time_precision =
            hed_arena_new(&controller->arena, nu * steps * steps, sizeof(float), error);
    uint64_t scratch = steps * (steps + 1) + 2 * columns * columns;
    double *space = hed_arena_new(&work, scratch, sizeof *space, error);
    for (uint32_t i = 0; i < nu && !hed_failed(error); i++) {
        float *a = controller->mix + i * steps * columns;
        if (coloured) {
            coloured_covariance(def, def->exponent[i], space + steps * steps, space);
            factor_semidefinite(space, def->steps);
            for (uint64_t n = 0; n < steps * steps; n++) a[n] = (float)space[n];
        } else if (def->sampler == HED_MPPI_SPLINE) {
            fill_splines(a, def->steps, def->knots);
        } else {
            fill_support(a, def->steps, def->knots, def->kernel_width, space);
        }
        if (points) scale_rows(a, def->steps, def->knots);
        if (controller->time_precision)
            fill_time_precision(a, def->steps, (uint32_t)columns, space,
                controller->time_precision + i * steps * steps);
    }
    hed_arena_free(&work);
    return hed_failed(error) ? error->status : HED_OK;
}
