/* A model of a search's times: a Gaussian process whose hyper-parameters are fitted again each time
 * that the number of observations has grown by a third. What a model holds is bounded: the best,
 * and a random choice of the others.
 */
#include "search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
    KEPT_BEST = 200, /* of more than KEPT observations, */
    KEPT = 384,      /* when a model is rebuilt */
    POOL_BLOCKS = 32,
    LEAST_POOL_BLOCKS = 12,
    FULL_POOL_ROWS = 200 /* the pool shrinks above, so that rebuilding it keeps its cost */
};
static const double LEAST_GAP = 0.02, MOST_GAP = 1;
/* of the sum over the sources */
static const double GROWTH = 1.3, TREND_MEAN = 0.5, TREND_DEVIATION = 0.5;

/* ---- what is modelled ---- */

static double best_value(const hed_search *search)
{
    return search->observations[search->best].value;
}

double hed_model_value(const hed_search *search, const hed_model *model, double gap, double value)
{
    double ratio = value / best_value(search);
    switch (model->transform) {
    case HED_TRANSFORM_GAP: return (ratio - 1) / (ratio - 1 + gap);
    case HED_TRANSFORM_LOGARITHM: return log(ratio);
    default: return 1 - 1 / ratio;
    }
}

/* How far the median lies above the best, between what is noise and where the best is out of all
 * proportion. */
static double gap_of(const hed_search *search, const double *sorted)
{
    return fmin(fmax(sorted[search->valid / 2] / sorted[0] - 1, LEAST_GAP), MOST_GAP);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values that work, in order; NULL: no memory. Released with the number of those that work. */
static double *sorted_values(const hed_search *search)
{
    double *values = hed_allocate(&search->allocator, search->valid * sizeof *values);
    uint32_t count = 0;
    for (uint32_t i = 0; values && i < search->count; i++)
        if (!isnan(search->observations[i].value)) values[count++] = search->observations[i].value;
    if (values) qsort(values, count, sizeof *values, compare);
    return values;
}

/* ---- views ---- */

static void release_view(const hed_allocator *allocator, hed_model_view *view)
{
    hed_release(
        allocator, view->observations, view->posterior.capacity * sizeof *view->observations);
    hed_posterior_destroy(&view->posterior);
    *view = (hed_model_view){0};
}

void hed_model_destroy(const hed_allocator *allocator, hed_model *model)
{
    release_view(allocator, &model->current);
    release_view(allocator, &model->next);
    hed_covariance_destroy(allocator, &model->covariance);
}

/* Which observations a view begins with: all, or the best ones, those that are pending, and some of
 * the others. */
static void plan(hed_search *search, const double *sorted, hed_model_view *view)
{
    bool all = search->count <= KEPT;
    double threshold = search->valid > KEPT_BEST ? sorted[KEPT_BEST] : INFINITY;
    uint32_t certain = search->pending + (search->valid < KEPT_BEST ? search->valid : KEPT_BEST);
    double wanted = certain < KEPT ? KEPT - certain : 0,
           left = search->count > certain ? search->count - certain : 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const hed_observation *observation = &search->observations[i];
        bool take = all || observation->pending || observation->value < threshold;
        if (!take) {
            take = hed_random_unit(&search->random) * left < wanted;
            wanted -= take;
            left--;
        }
        if (take && view->planned < view->posterior.capacity)
            view->observations[view->planned++] = i;
    }
    view->taken = search->count;
}

/* All of a small space; else what the sources have, and random points. */
static void fill_pool(
    hed_search *search, const hed_model_sources *sources, hed_posterior *posterior)
{
    uint64_t points = (uint64_t)posterior->block_count * HED_BLOCK, count = search->space->count;
    for (uint64_t i = 0; i < points && i < count; i++) {
        uint64_t point = count <= points ? i : hed_sources_point(sources, i);
        if (point == UINT64_MAX) point = hed_random_below(&search->random, count);
        uint8_t row[HED_MAX_PARAMETERS];
        float trends[HED_MOST_TRENDS];
        if (hed_search_seen(search, point) != UINT32_MAX) continue;
        hed_space_row(search->space, point, row);
        hed_sources_trends(sources, search->space->parameter_count, row, trends);
        hed_block_add(&posterior->blocks[i / HED_BLOCK], posterior, point, row, trends);
    }
}

/* Variance of a trend's factor over the process's own, which is about that of the values. */
static double trend_variance(
    const hed_search *search, const hed_model *model, const hed_model_view *view)
{
    double sum = 0, square = 0, deviation = TREND_DEVIATION / model->trend_count;
    for (uint32_t i = 0; i < search->count; i++)
        if (!isnan(search->observations[i].value)) {
            double value = hed_model_value(search, model, view->gap, search->observations[i].value);
            sum += value;
            square += value * value;
        }
    double variance = (square - sum * sum / search->valid) / search->valid;
    return deviation * deviation / fmax(variance, 1e-6);
}

/* The next view, with all its memory and nothing in it yet. */
static bool create_view(
    hed_search *search, const hed_model_sources *sources, hed_model *model, const double *sorted)
{
    hed_model_view *view = &model->next;
    uint32_t rows = search->count < KEPT ? search->count : KEPT, capacity = rows + rows / 3 + 64,
             blocks = POOL_BLOCKS;
    if (capacity > HED_MODEL_ROWS) capacity = HED_MODEL_ROWS;
    if (rows > FULL_POOL_ROWS) blocks = POOL_BLOCKS * FULL_POOL_ROWS / rows * FULL_POOL_ROWS / rows;
    if (blocks < LEAST_POOL_BLOCKS) blocks = LEAST_POOL_BLOCKS;
    view->observations = hed_allocate(&search->allocator, capacity * sizeof *view->observations);
    if (!hed_posterior_create(&search->allocator, search->space, &model->covariance, capacity,
            blocks, &view->posterior)) {
        hed_release(&search->allocator, view->observations, capacity * sizeof *view->observations);
        *view = (hed_model_view){0};
        return false;
    }
    if (!view->observations) {
        release_view(&search->allocator, view);
        return false;
    }
    view->gap = gap_of(search, sorted);
    view->posterior.ignores_failures = model->ignores_failures;
    view->posterior.trend_count = model->trend_count;
    if (model->trend_count > 0) {
        view->posterior.trend_mean = TREND_MEAN / model->trend_count;
        view->posterior.trend_variance = trend_variance(search, model, view);
    }
    plan(search, sorted, view);
    fill_pool(search, sources, &view->posterior);
    return true;
}

static hed_row_kind state_of(const hed_search *search, const hed_model *model,
    const hed_model_view *view, uint32_t index, double *value)
{
    const hed_observation *observation = &search->observations[view->observations[index]];
    *value = isnan(observation->value)
                 ? 0
                 : hed_model_value(search, model, view->gap, observation->value);
    return observation->pending        ? HED_ROW_PENDING
           : isnan(observation->value) ? HED_ROW_FAILED
                                       : HED_ROW_VALUE;
}

static void add_observation(const hed_search *search, const hed_model_sources *sources,
    const hed_model *model, hed_model_view *view)
{
    uint32_t index = view->posterior.count;
    const uint8_t *row = search->observations[view->observations[index]].row;
    float trends[HED_MOST_TRENDS];
    double value;
    hed_row_kind kind = state_of(search, model, view, index, &value);
    hed_sources_trends(sources, search->space->parameter_count, row, trends);
    hed_posterior_add(&view->posterior, row, trends, kind, value);
}

void hed_model_follow(const hed_search *search, const hed_model_sources *sources, hed_model *model)
{
    hed_model_view *view = &model->current;
    while (view->taken < search->count && view->planned < view->posterior.capacity)
        view->observations[view->planned++] = view->taken++;
    while (view->posterior.count < view->planned) add_observation(search, sources, model, view);
    for (uint32_t i = 0; i < view->planned; i++) {
        double value;
        hed_row_kind kind = state_of(search, model, view, i, &value);
        hed_posterior_set(&view->posterior, i, kind, value);
    }
    hed_posterior_settle(&view->posterior);
}

/* ---- fitting and rebuilding ---- */

bool hed_model_is_old(const hed_search *search, const hed_model *model)
{
    bool full = model->current.taken < search->count &&
                model->current.planned == model->current.posterior.capacity;
    return model->fitted == 0 || full || search->valid >= GROWTH * model->fitted;
}

/* The points of a fit: all that work, or the best third and some of the others. */
static void choose_points(hed_search *search, const hed_model_sources *sources,
    const hed_model *model, const double *sorted, hed_fit *fit)
{
    uint32_t width = search->space->parameter_count, third = HED_FIT_POINTS / 3;
    bool all = search->valid <= HED_FIT_POINTS;
    double gap = gap_of(search, sorted), threshold = all ? INFINITY : sorted[third];
    double wanted = HED_FIT_POINTS - third, left = search->valid - third;
    fit->count = 0;
    for (uint32_t i = 0; i < search->count && fit->count < HED_FIT_POINTS; i++) {
        const hed_observation *observation = &search->observations[i];
        if (isnan(observation->value)) continue;
        if (!(observation->value < threshold)) {
            bool take = hed_random_unit(&search->random) * left < wanted;
            wanted -= take;
            left--;
            if (!take) continue;
        }
        float trends[HED_MOST_TRENDS];
        double value = hed_model_value(search, model, gap, observation->value);
        hed_sources_trends(sources, width, observation->row, trends);
        for (uint32_t t = 0; t < model->trend_count; t++)
            value -= TREND_MEAN / model->trend_count * (double)trends[t];
        memcpy(fit->rows + (size_t)fit->count * width, observation->row, width);
        fit->values[fit->count++] = value;
    }
}

bool hed_model_begin(
    hed_search *search, const hed_model_sources *sources, hed_model *model, hed_model_work *work)
{
    double *sorted = sorted_values(search);
    if (!sorted) return false;
    choose_points(search, sources, model, sorted, &work->fit);
    hed_release(&search->allocator, sorted, search->valid * sizeof *sorted);
    hed_fit_begin(&work->fit, &model->covariance);
    work->model = model;
    work->fitting = true;
    model->fitted = search->valid;
    return true;
}

static void replace_current(hed_search *search, hed_model *model)
{
    release_view(&search->allocator, &model->current);
    model->current = model->next;
    model->next = (hed_model_view){0};
}

bool hed_model_advance(
    hed_search *search, const hed_model_sources *sources, hed_model_work *work, double effort)
{
    hed_model *model = work->model;
    hed_model_view *view = &model->next;
    while (work->fitting && effort > 0) {
        effort -= pow(work->fit.count, 3);
        work->fitting = hed_fit_step(&work->fit);
        if (work->fitting) continue;
        double *sorted = sorted_values(search);
        bool made = sorted && create_view(search, sources, model, sorted);
        hed_release(&search->allocator, sorted, search->valid * sizeof *sorted);
        if (!made) {
            work->model = NULL;
            return false;
        }
    }
    while (!work->fitting && effort > 0 && view->posterior.count < view->planned) {
        uint32_t n = view->posterior.count, points = view->posterior.block_count * HED_BLOCK;
        effort -= (double)n * n + (double)points * (n + 4 * search->space->parameter_count);
        add_observation(search, sources, model, view);
        hed_posterior_settle(&view->posterior);
    }
    if (!work->fitting && view->posterior.count == view->planned) {
        replace_current(search, model);
        work->model = NULL;
    }
    return true;
}
