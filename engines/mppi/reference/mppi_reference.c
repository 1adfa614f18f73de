/* One round of MPPI in double precision: Williams et al. (T-RO 2018), in the order of the
 * formulas. Only the normal numbers are floats: they are part of the definition. */
#include "reference/reference.h"
#include "support/strict_math.h"

#include <math.h>

#include "kernels/words.h"
#include "kernels/order.h"

/* Solves A x = b for a symmetric, positive definite A (n x n), in place, by Gauss elimination
 * without pivoting. */
static void solve_definite(double *a, double *b, uint32_t n)
{
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = p + 1; i < n; i++) {
            double f = a[i * n + p] / a[p * n + p];
            for (uint32_t j = p; j < n; j++) a[i * n + j] -= f * a[p * n + j];
            b[i] -= f * b[p];
        }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* Computes the lower Cholesky factor of the covariance of the controls, or of the identity. */
static void covariance_factor(const hed_mppi_def *def, uint32_t nu, double *factor)
{
    for (uint32_t i = 0; i < nu; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double s = def->covariance ? def->covariance[i * nu + j] : i == j;
            for (uint32_t k = 0; k < j; k++) s -= factor[i * nu + k] * factor[j * nu + k];
            factor[i * nu + j] = i == j ? sqrt(s) : s / factor[j * nu + j];
        }
}

/* Returns normal number n of a sample. */
static double normal_number(const hed_mppi *c, uint32_t sample, uint32_t n, uint32_t stream)
{
    float normal[4];
    mppi_normals(sample, n / 4, c->round, stream, (uint32_t)c->def.seed,
        (uint32_t)(c->def.seed >> 32), normal);
    return (double)normal[n % 4];
}

/* Computes the noise (T x nu) of a sample. */
static void sample_noise(const hed_mppi *c, uint32_t sample, const double *factor, double *noise)
{
    const hed_mppi_def *def = &c->def;
    uint32_t nu = c->model.controls;
    double s = def->log_sigma;
    for (uint32_t t = 0; t < def->steps; t++) {
        double independent[HED_MPPI_MAX_CONTROLS];
        for (uint32_t i = 0; i < nu; i++) {
            uint32_t j = t * nu + i, columns = c->mix_columns;
            double e = 0;
            if (def->sampler == HED_MPPI_GIVEN) e = c->noise[(uint64_t)j * def->samples + sample];
            else if (!c->mix) e = normal_number(c, sample, j, 0);
            for (uint32_t m = 0; c->mix && m < columns; m++)
                e += c->mix[((uint64_t)i * def->steps + t) * columns + m] *
                     normal_number(c, sample, m * nu + i, 0);
            if (def->sampler == HED_MPPI_LOG_NORMAL)
                e *= hed_strict_exp(s * normal_number(c, sample, j, MPPI_SECOND_STREAM) - s * s);
            independent[i] = e;
        }
        for (uint32_t i = 0; i < nu; i++) {
            double e = 0, sigma = def->covariance ? 1 : def->sigma[i];
            for (uint32_t k = 0; k <= i; k++) e += factor[i * nu + k] * independent[k];
            if (def->sampler == HED_MPPI_GIVEN) e = independent[i], sigma = 1;
            else if (def->sigma_steps) sigma *= def->sigma_steps[t * nu + i];
            bool is_fixed = t < def->committed || (def->keep_plan && sample == 0);
            noise[t * nu + i] = is_fixed ? 0 : sigma * e;
        }
    }
}

/* Computes g = lambda (1 - alpha) Sigma^-1 u, (T x nu): Sigma is over the controls of a step, or
 * for samplers correlated in time over the steps of a control. `a`: (T x T + nu x nu), `b`: (T +
 * nu) */
static void importance(const hed_mppi *c, double *a, double *b, double *g)
{
    const hed_mppi_def *def = &c->def;
    uint32_t nu = c->model.controls, steps = def->steps, columns = c->mix_columns;
    double scale = c->lambda[0] * (1 - (double)def->alpha);
    for (uint32_t t = 0; t < steps && !c->mix; t++) {
        for (uint32_t i = 0; i < nu; i++) {
            b[i] = c->plan[t * nu + i];
            for (uint32_t j = 0; j < nu; j++)
                a[i * nu + j] = def->covariance ? def->covariance[i * nu + j]
                                : i == j        ? (double)def->sigma[i] * def->sigma[i]
                                                : 0;
        }
        solve_definite(a, b, nu);
        for (uint32_t i = 0; i < nu; i++) g[t * nu + i] = scale * b[i];
    }
    for (uint32_t i = 0; i < nu && c->mix; i++) {
        const float *mix = c->mix + (uint64_t)i * steps * columns;
        for (uint32_t t = 0; t < steps; t++) {
            b[t] = c->plan[t * nu + i];
            for (uint32_t s = 0; s < steps; s++) {
                a[t * steps + s] = t == s ? 1e-4 : 0; /* ridge as in fill_time_precision() */
                for (uint32_t m = 0; m < columns; m++)
                    a[t * steps + s] += (double)mix[t * columns + m] * mix[s * columns + m];
            }
        }
        solve_definite(a, b, steps);
        for (uint32_t t = 0; t < steps; t++)
            g[t * nu + i] = scale * b[t] / ((double)def->sigma[i] * def->sigma[i]);
    }
    for (uint32_t j = 0; j < steps * nu && def->sigma_steps; j++)
        g[j] /= (double)def->sigma_steps[j] * def->sigma_steps[j];
}

/* Returns control i of step t of a sequence; before the sequence, the applied controls. */
static double control_at(const hed_mppi *c, const double *v, int64_t t, uint32_t i)
{
    uint32_t nu = c->model.controls;
    if (t < 0) return c->pasts[((int64_t)c->past + t) * nu + i];
    return v[(t < c->def.steps ? t : c->def.steps - 1) * nu + i];
}

/* Clamps to limits, then to rates from the previous control on. */
static void keep_limits(const hed_mppi *c, double *v)
{
    const hed_mppi_def *def = &c->def;
    uint32_t nu = c->model.controls;
    for (uint32_t t = 0; t < def->steps; t++)
        for (uint32_t i = 0; i < nu; i++) {
            double *u = &v[t * nu + i], before = control_at(c, v, (int64_t)t - 1, i);
            double reach = (double)def->rate[i] * def->dt, brake = reach;
            if (def->deceleration[i] > 0) brake = (double)def->deceleration[i] * def->dt;
            double fall = before > 0 ? brake : reach, rise = before < 0 ? brake : reach;
            *u = fmin(fmax(*u, def->minimum[i]), def->maximum[i]);
            if (reach > 0) *u = fmin(fmax(*u, before - fall), before + rise);
        }
}

static double roll_cost(const mppi_reference *reference, const float *start, const double *v)
{
    const hed_mppi *c = reference->controller;
    uint32_t nu = c->model.controls, steps = c->def.steps;
    double x[HED_MPPI_MAX_STATES], u[HED_MPPI_MAX_CONTROLS], cost = 0;
    for (uint32_t i = 0; i < c->model.states; i++) x[i] = start[i];
    for (uint32_t t = 0; t < steps; t++) {
        for (uint32_t i = 0; i < nu; i++) u[i] = control_at(c, v, (int64_t)t - c->def.delay, i);
        reference->step(x, u, c->def.dt, nu);
        cost += reference->running(x, v + t * nu, t, nu);
    }
    cost += reference->terminal(x, nu);
    return c->def.scale == HED_MPPI_MEAN ? cost / steps : cost;
}

/* Smooths by a Savitzky-Golay filter over 5 steps, with two applied controls before the plan and
 * its last one repeated. */
static void smooth(const hed_mppi *c, const double *mean, double *plan)
{
    static const double filter[5] = {-3, 12, 17, 12, -3};
    uint32_t nu = c->model.controls, steps = c->def.steps;
    for (uint32_t j = 0; j < steps * nu; j++) {
        plan[j] = c->def.smooth && steps >= 5 ? 0 : mean[j];
        for (int k = 0; k < 5 && c->def.smooth && steps >= 5; k++)
            plan[j] += filter[k] / 35 * control_at(c, mean, (int64_t)(j / nu) + k - 2, j % nu);
    }
}

/* Returns the weight of a sample with finite cost, before normalisation. */
static double weigh(
    const hed_mppi *c, const double *total, uint32_t sample, double minimum, double lambda)
{
    double excess = total[sample] - minimum, share = 1 - excess / c->def.tsallis_threshold;
    uint32_t elite = (uint32_t)(c->def.elite * (float)c->def.samples), better = 0;
    if (c->def.update == HED_MPPI_EXPONENTIAL) return hed_strict_exp(-excess / lambda);
    if (c->def.update == HED_MPPI_TSALLIS)
        return share > 0 ? hed_strict_pow(share, 1 / ((double)c->def.tsallis_r - 1)) : 0;
    for (uint32_t k = 0; k < c->def.samples; k++) better += total[k] < total[sample];
    return better < (elite ? elite : 1);
}

uint64_t mppi_reference_work(const hed_mppi *c)
{
    uint64_t steps = c->def.steps, nu = c->model.controls, n = c->def.samples;
    return steps * steps + 2 * nu * nu + steps + nu + steps * nu + n * steps * nu + n;
}

void mppi_reference_round(
    const mppi_reference *reference, const float *x, double *work, mppi_reference_answer *answer)
{
    const hed_mppi *c = reference->controller;
    const hed_mppi_def *def = &c->def;
    uint32_t nu = c->model.controls, n = def->samples;
    uint64_t steps = def->steps, size = steps * nu;
    uint32_t pure = n - (uint32_t)(def->pure_noise * (float)n);
    double *matrix = work, *vector = matrix + steps * steps + nu * nu, *g = vector + steps + nu;
    double *factor = g + size, *v = factor + nu * nu, *total = v + n * size;
    double lambda = c->lambda[0];
    if (def->alpha < 1) importance(c, matrix, vector, g);
    covariance_factor(def, nu, factor);
    answer->baseline = INFINITY;
    answer->crashed = 0;
    for (uint32_t k = 0; k < n; k++) {
        double *own = v + k * size, ratio = 0, change = 0;
        sample_noise(c, k, factor, own);
        for (uint32_t j = 0; j < size; j++) {
            own[j] += k < pure ? c->plan[j] : 0;
            if (def->alpha < 1 && k < pure) ratio += g[j] * (own[j] - c->plan[j] / 2.0);
        }
        keep_limits(c, own);
        for (uint32_t j = 0; j < size; j++) {
            double step = own[j] - control_at(c, own, (int64_t)(j / nu) - 1, j % nu);
            change += step * step;
        }
        answer->costs[k] = roll_cost(reference, x, own);
        double scale = def->scale == HED_MPPI_MEAN ? 1.0 / def->steps : 1;
        total[k] = answer->costs[k] + ratio + def->smooth_weight * scale * change;
        if (!(total[k] < def->crash_cost)) answer->crashed += 1.0 / n;
        if (total[k] < answer->baseline) answer->baseline = total[k];
    }
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < n; k++) {
        double w = total[k] < 1e30 ? weigh(c, total, k, answer->baseline, lambda) : 0;
        answer->weights[k] = w;
        sum += w;
        squares += w * w;
    }
    for (uint32_t j = 0; j < size; j++) {
        answer->mean[j] = 0;
        for (uint32_t k = 0; k < n; k++)
            answer->mean[j] += answer->weights[k] / sum * v[k * size + j];
    }
    for (uint32_t k = 0; k < n; k++) answer->weights[k] /= sum;
    smooth(c, answer->mean, answer->plan);
    keep_limits(c, answer->plan);
    answer->normalizer = sum / n;
    answer->free_energy = answer->baseline - lambda * hed_strict_log(answer->normalizer);
    answer->ess = sum * sum / squares;
}
