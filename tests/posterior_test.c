/* The Gaussian process under the search: mean and variance against a dense solution, observations
 * that come, change and fail, and the covariance's gradient against differences. */
#include "testing.h"

#include <math.h>

#include "search/covariance.h"
#include "search/posterior.h"
#include "search/search_state.h"

enum { ROWS = 24, POINTS = 40, TREND = 1 };

static const int64_t SIZES[] = {8, 16, 24, 32, 48, 64}, TILES[] = {1, 2, 4}, MODES[] = {0, 1, 2};
static const char *const LABELS[] = {"a", "b", "c"};
static const hed_parameter_def PARAMETERS[] = {
    {"SIZE", SIZES, 6, 8, NULL}, {"TILE", TILES, 3, 1, NULL}, {"MODE", MODES, 3, 0, LABELS}};

/* A space with a covariance away from its priors, a posterior, and a block of points. */
typedef struct scene {
    hed_allocator allocator;
    hed_space *space;
    hed_value_scale *scales;
    hed_covariance covariance;
    hed_posterior posterior;
    hed_random random;
    uint8_t rows[ROWS + POINTS][HED_MAX_PARAMETERS];
    float trends[ROWS + POINTS][HED_MOST_TRENDS];
    hed_row_kind kinds[ROWS];
    double values[ROWS];
} scene;

static void open_scene(scene *s, hed_shape shape, bool ignores_failures)
{
    hed_error error = {0};
    *s = (scene){.allocator = hed_default_allocator(), .random = hed_random_seed(7)};
    hed_space_def def = {.parameters = PARAMETERS, .parameter_count = 3};
    OK(hed_space_create(&def, &s->space, &error));
    s->scales = hed_value_scales_create(&s->allocator, s->space);
    CHECK(hed_covariance_create(&s->allocator, s->space, s->scales, shape, &s->covariance));
    for (uint32_t i = 0; i < hed_hyper_count(&s->covariance); i++)
        s->covariance.hypers[i] += hed_random_unit(&s->random) - 0.5;
    hed_covariance_update(&s->covariance);
    CHECK(hed_posterior_create(&s->allocator, s->space, &s->covariance, ROWS, 2, &s->posterior));
    s->posterior.ignores_failures = ignores_failures;
    s->posterior.trend_count = TREND;
    s->posterior.trend_mean = 0.4;
    s->posterior.trend_variance = 0.3;
    for (uint32_t i = 0; i < ROWS + POINTS; i++) {
        for (uint32_t j = 0; j < 3; j++)
            s->rows[i][j] = (uint8_t)hed_random_below(&s->random, PARAMETERS[j].count);
        s->trends[i][0] = (float)hed_random_unit(&s->random);
    }
    for (uint32_t i = 0; i < POINTS; i++)
        hed_block_add(&s->posterior.blocks[i / HED_BLOCK], &s->posterior, i, s->rows[ROWS + i],
            s->trends[ROWS + i]);
}

static void close_scene(scene *s)
{
    hed_posterior_destroy(&s->posterior);
    hed_covariance_destroy(&s->allocator, &s->covariance);
    hed_value_scales_destroy(&s->allocator, s->space, s->scales);
    hed_space_destroy(s->space);
}

static double between(const scene *s, uint32_t a, uint32_t b)
{
    return hed_covariance_value(&s->covariance, s->rows[a], s->rows[b]) +
           s->posterior.trend_variance * (double)s->trends[a][0] * (double)s->trends[b][0];
}

/* Solves a symmetric system by elimination; `matrix` (n x n) and `right` are used up. */
static void solve(double *matrix, double *right, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) {
            double share = matrix[i * n + k] / matrix[k * n + k];
            for (uint32_t j = k; j < n; j++) matrix[i * n + j] -= share * matrix[k * n + j];
            right[i] -= share * right[k];
        }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) right[k] -= matrix[k * n + j] * right[j];
        right[k] /= matrix[k * n + k];
    }
}

/* K^-1 v over the rows with a value, or over all of the process. */
static uint32_t system_of(const scene *s, bool only_values, double *matrix, uint32_t *which)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        bool in = s->kinds[i] == HED_ROW_VALUE || (!only_values && !s->posterior.left_out[i]);
        if (in) which[n++] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            matrix[i * n + j] = between(s, which[i], which[j]) + (i == j ? s->posterior.noise : 0);
    return n;
}

/* Mean and variance of every point by dense algebra: believed values leave the mean as the known
 * ones make it. */
static void check(scene *s, bool order_matters)
{
    double matrix[ROWS * ROWS], weights[ROWS];
    uint32_t which[ROWS];
    hed_posterior_settle(&s->posterior);
    for (uint32_t p = 0; p < POINTS; p++) {
        const hed_block *block = &s->posterior.blocks[p / HED_BLOCK];
        uint32_t at = p % HED_BLOCK, point = ROWS + p, n = system_of(s, false, matrix, which);
        double variance = between(s, point, point), working = 0, failed = 0;
        for (uint32_t i = 0; i < n; i++) weights[i] = between(s, point, which[i]);
        solve(matrix, weights, n);
        for (uint32_t i = 0; i < n; i++) variance -= weights[i] * between(s, point, which[i]);
        double expected = sqrt(s->posterior.variance * variance),
               found = hed_block_deviation(block, &s->posterior, at);
        CHECK(fabs(found - expected) < 1e-4 * (1 + expected), "point %u: deviation %g, expected %g",
            p, found, expected);
        for (uint32_t i = 0; i < ROWS; i++) {
            double vote = pow(hed_covariance_value(&s->covariance, s->rows[point], s->rows[i]), 4);
            working += s->kinds[i] == HED_ROW_VALUE ? vote : 0;
            failed += s->kinds[i] == HED_ROW_FAILED ? vote : 0;
        }
        CHECK(fabs((double)block->working[at] - working) < 1e-4 &&
              fabs((double)block->failed[at] - failed) < 1e-4);
        if (order_matters) continue; /* a belief is what was known when it came */
        n = system_of(s, true, matrix, which);
        double mean = s->posterior.mean + s->posterior.trend_mean * (double)s->trends[point][0];
        for (uint32_t i = 0; i < n; i++) weights[i] = between(s, point, which[i]);
        solve(matrix, weights, n);
        for (uint32_t i = 0; i < n; i++) {
            double trend = s->posterior.trend_mean * (double)s->trends[which[i]][0];
            mean += weights[i] * (s->values[which[i]] - trend - s->posterior.mean);
        }
        found = hed_block_mean(block, &s->posterior, at);
        CHECK(fabs(found - mean) < 1e-3, "point %u: mean %g, expected %g", p, found, mean);
    }
}

static void add(scene *s, uint32_t i, hed_row_kind kind)
{
    s->kinds[i] = kind;
    s->values[i] = sin(3.0 * i) + s->rows[i][0];
    hed_posterior_add(&s->posterior, s->rows[i], s->trends[i], kind, s->values[i]);
}

static void set(scene *s, uint32_t i, hed_row_kind kind, double value)
{
    s->kinds[i] = kind;
    s->values[i] = value;
    hed_posterior_set(&s->posterior, i, kind, value);
}

Test(posterior, is_the_dense_solution)
{
    for (hed_shape shape = HED_SHAPE_EXPONENTIAL; shape <= HED_SHAPE_GAUSSIAN; shape++)
        for (int ignores = 0; ignores < 2; ignores++) {
            scene s;
            open_scene(&s, shape, ignores);
            for (uint32_t i = 0; i < ROWS; i++) {
                add(&s, i, i % 6 == 5 && ignores ? HED_ROW_FAILED : HED_ROW_VALUE);
                if (i % 4 == 0)
                    hed_posterior_settle(&s.posterior); /* bit by bit is the same as at once */
            }
            check(&s, false);
            set(&s, 3, HED_ROW_VALUE, 17);
            check(&s, false);
            close_scene(&s);
        }
}

Test(posterior, takes_answers_late_and_changed)
{
    scene s;
    open_scene(&s, HED_SHAPE_MATERN, false);
    for (uint32_t i = 0; i < ROWS; i++) add(&s, i, i >= ROWS - 8 ? HED_ROW_PENDING : HED_ROW_VALUE);
    check(&s, false); /* what is pending came last, so that all was known */
    for (uint32_t i = ROWS; i-- > ROWS - 8;) {
        set(&s, i, i % 3 ? HED_ROW_VALUE : HED_ROW_FAILED, i);
        check(&s, true);
    }
    for (uint32_t i = 0; i < ROWS; i++) set(&s, i, HED_ROW_VALUE, 0.1 * i);
    check(&s, false);
    close_scene(&s);
}

Test(posterior, gradient_is_the_difference)
{
    for (hed_shape shape = HED_SHAPE_EXPONENTIAL; shape <= HED_SHAPE_GAUSSIAN; shape++) {
        scene s;
        open_scene(&s, shape, false);
        size_t size = s.covariance.offsets[3];
        double *weights = calloc(size, sizeof *weights), gradient[HED_MAX_HYPERS] = {0};
        for (size_t i = 0; i < size; i++) weights[i] = hed_random_unit(&s.random);
        hed_covariance_gradient(&s.covariance, weights, gradient);
        for (uint32_t h = 0; h + 1 < hed_hyper_count(&s.covariance); h++) {
            double sums[2] = {0}, step = 1e-2;
            for (int side = 0; side < 2; side++) {
                double kept = s.covariance.hypers[h];
                s.covariance.hypers[h] += side ? step : -step;
                hed_covariance_update(&s.covariance);
                for (size_t i = 0; i < size; i++)
                    sums[side] += weights[i] * log((double)s.covariance.tables[i]);
                s.covariance.hypers[h] = kept;
            }
            double slope = (sums[1] - sums[0]) / (2 * step);
            CHECK(fabs(slope - gradient[h]) < 1e-3 * (1 + fabs(slope)),
                "shape %d, hyper-parameter %u: %g, by difference %g", (int)shape, h, gradient[h],
                slope);
        }
        free(weights);
        close_scene(&s);
    }
}

/* A fit finds out which parameter matters. */
Test(posterior, fit_tells_parameters_apart)
{
    scene s;
    hed_fit fit;
    open_scene(&s, HED_SHAPE_MATERN, false);
    CHECK(hed_fit_create(&s.allocator, &s.covariance, &fit));
    for (uint32_t i = 0; i < 50; i++) {
        for (uint32_t j = 0; j < 3; j++) fit.rows[i * 3 + j] = s.rows[i][j];
        fit.values[fit.count++] = s.rows[i][1] + 0.01 * sin(5.0 * i);
    }
    hed_fit_begin(&fit, &s.covariance);
    while (hed_fit_step(&fit))
        ;
    const double *hypers = s.covariance.hypers;
    CHECK(hypers[HED_HYPER_COUNT + HED_HYPER_WEIGHT] > hypers[HED_HYPER_WEIGHT] + 1);
    CHECK(hypers[HED_HYPER_COUNT + HED_HYPER_WEIGHT] >
          hypers[2 * HED_HYPER_COUNT + HED_HYPER_WEIGHT] + 1);
    hed_fit_destroy(&s.allocator, &s.covariance, &fit);
    close_scene(&s);
}
