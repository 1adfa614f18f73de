/* Model of a search's times: a Gaussian process whose hyper-parameters are fitted again each time
 * the number of observations has grown by a third. Its size is bounded: the best observations and a
 * random sample of the rest. */
#include "search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "search/covariance.h"
#include "search/posterior.h"
#include "search/search_state.h"

enum {
    KEPT_BEST = 200, /* number of best observations kept in a model */
    KEEP_ALL = 384,  /* number of all observations kept when a model is rebuilt */
    POOL_BLOCKS = 32,
    LEAST_POOL_BLOCKS = 12,
    /* the pool shrinks with more rows, so that the cost of rebuilding it stays constant */
    FULL_POOL_ROWS = 200
};
static const double LEAST_GAP = 0.02, MOST_GAP = 1;
/* growth of the observations until the next fit; prior of the sum of all trends' factors */
static const double GROWTH = 1.3, TREND_MEAN = 0.5, TREND_DEVIATION = 0.5;

/* ---- the modelled function ---- */

double hed_model_value(const hed_search *search, const hed_model *model, double gap, double value)
{
    double ratio = value / search->observations[search->best].value;
    switch (model->transform) {
    case HED_TRANSFORM_GAP: return (ratio - 1) / (ratio - 1 + gap);
    case HED_TRANSFORM_LOGARITHM: return log(ratio);
    default: return 1 - 1 / ratio;
    }
}

/* Gap of the median above the best, relative to the best; bounded below by noise and above for a
 * best time far below all others. */
static double gap_of(const hed_search *search, const double *sorted)
{
    return fmin(fmax(sorted[search->valid / 2] / sorted[0] - 1, LEAST_GAP), MOST_GAP);
}

static int model_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted values of the observations that work; NULL if memory is short. Release `valid` of them. */
static double *sorted_values(const hed_search *search)
{
    double *values = hed_allocate(&search->allocator, search->valid * sizeof *values);
    uint32_t count = 0;
    for (uint32_t i = 0; values && i < search->count; i++)
        if (!isnan(search->observations[i].value)) values[count++] = search->observations[i].value;
    if (values) qsort(values, count, sizeof *values, model_compare);
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

/* Selects a view's observations: all, or the best, the pending, and a random sample of the rest. */
static void plan(hed_search *search, const double *sorted, hed_model_view *view)
{
    bool is_small = search->count <= KEEP_ALL;
    double threshold = search->valid > KEPT_BEST ? sorted[KEPT_BEST] : INFINITY;
    uint32_t certain = search->pending + (search->valid < KEPT_BEST ? search->valid : KEPT_BEST);
    double quota = certain < KEEP_ALL ? KEEP_ALL - certain : 0,
           left = search->count > certain ? search->count - certain : 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const hed_observation *observation = &search->observations[i];
        bool take = is_small || observation->pending || observation->value < threshold;
        if (!take) {
            take = hed_random_unit(&search->random) * left < quota;
            quota -= take;
            left--;
        }
        if (take && view->planned < view->posterior.capacity)
            view->observations[view->planned++] = i;
    }
    view->considered = search->count;
}

/* Fills the pool with a small space completely; else with the sources' points and random points. */
static void fill_pool(
    hed_search *search, const hed_model_sources *sources, hed_posterior *posterior)
{
    uint64_t points = (uint64_t)posterior->block_count * HED_BLOCK, count = search->space->count;
    for (uint64_t i = 0; i < points && i < count; i++) {
        uint64_t point = count <= points ? i : hed_sources_point(sources, i);
        if (point == UINT64_MAX) point = hed_random_below(&search->random, count);
        uint8_t cells[HED_MAX_PARAMETERS];
        float trends[HED_MOST_TRENDS];
        if (hed_search_seen(search, point) != UINT32_MAX) continue;
        hed_search_cells(search, point, NULL, cells);
        hed_sources_trends(sources, search->space->parameter_count, cells, trends);
        hed_block_add(&posterior->blocks[i / HED_BLOCK], posterior, point, cells, trends);
    }
}

/* Variance of a trend's factor / the process's variance, which is close to that of the values. */
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

/* Allocates the next view, without observations. */
static bool create_view(
    hed_search *search, const hed_model_sources *sources, hed_model *model, const double *sorted)
{
    hed_model_view *view = &model->next;
    uint32_t rows = search->count < KEEP_ALL ? search->count : KEEP_ALL,
             capacity = rows + rows / 3 + 64, blocks = POOL_BLOCKS;
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
    const uint8_t *cells = search->observations[view->observations[index]].cells;
    float trends[HED_MOST_TRENDS];
    double value;
    hed_row_kind kind = state_of(search, model, view, index, &value);
    hed_sources_trends(sources, search->space->parameter_count, cells, trends);
    hed_posterior_add(&view->posterior, cells, trends, kind, value);
}

void hed_model_follow(const hed_search *search, const hed_model_sources *sources, hed_model *model)
{
    hed_model_view *view = &model->current;
    while (view->considered < search->count && view->planned < view->posterior.capacity)
        view->observations[view->planned++] = view->considered++;
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
    bool full = model->current.considered < search->count &&
                model->current.planned == model->current.posterior.capacity;
    return model->fitted == 0 || full || search->valid >= GROWTH * model->fitted;
}

/* Selects the points of a fit: all that work, or the best third and a random sample of the rest. */
static void choose_points(hed_search *search, const hed_model_sources *sources,
    const hed_model *model, const double *sorted, hed_fit *fit)
{
    uint32_t width = search->space->parameter_count, third = HED_FIT_POINTS / 3;
    bool is_small = search->valid <= HED_FIT_POINTS;
    double gap = gap_of(search, sorted), threshold = is_small ? INFINITY : sorted[third];
    double quota = HED_FIT_POINTS - third, left = search->valid - third;
    fit->count = 0;
    for (uint32_t i = 0; i < search->count && fit->count < HED_FIT_POINTS; i++) {
        const hed_observation *observation = &search->observations[i];
        if (isnan(observation->value)) continue;
        if (!(observation->value < threshold)) {
            bool take = hed_random_unit(&search->random) * left < quota;
            quota -= take;
            left--;
            if (!take) continue;
        }
        float trends[HED_MOST_TRENDS];
        double value = hed_model_value(search, model, gap, observation->value);
        hed_sources_trends(sources, width, observation->cells, trends);
        for (uint32_t t = 0; t < model->trend_count; t++)
            value -= TREND_MEAN / model->trend_count * (double)trends[t];
        memcpy(fit->rows + (size_t)fit->count * width, observation->cells, width);
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
        bool created = sorted && create_view(search, sources, model, sorted);
        hed_release(&search->allocator, sorted, search->valid * sizeof *sorted);
        if (!created) {
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
        release_view(&search->allocator, &model->current);
        model->current = model->next;
        model->next = (hed_model_view){0};
        work->model = NULL;
    }
    return true;
}

/* Sources: the best configurations on other devices and sizes open a search, and a value that is
 * frequent among them lowers the expected time of all configurations with it. Their times do not
 * enter as data: another device's landscape is hard to unlearn. */

/* distributed over a parameter's values, since a source has few configurations */
static const double PSEUDO_COUNT = 2;

static size_t dislike_size(const hed_search *search)
{
    return (size_t)search->space->parameter_count * HED_MAX_CELLS * sizeof(float);
}

/* dislike = -log of the value's frequency, shifted and scaled so that the sum over the parameters
 * is in [0, 1]. */
static void model_count_values(const hed_search *search, hed_model_source *source)
{
    const hed_space *space = search->space;
    double range = 0;
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        uint32_t values = search->scales[j].count;
        double counts[HED_MAX_CELLS], maximum = 0, minimum = INFINITY;
        for (uint32_t v = 0; v < values; v++) counts[v] = PSEUDO_COUNT / values;
        for (uint32_t i = 0; i < source->count; i++) {
            uint8_t cells[HED_MAX_PARAMETERS];
            hed_search_cells(search, source->points[i], NULL, cells);
            counts[cells[j]]++;
        }
        for (uint32_t v = 0; v < values; v++) {
            maximum = fmax(maximum, counts[v]);
            minimum = fmin(minimum, counts[v]);
        }
        for (uint32_t v = 0; v < values; v++)
            source->dislike[j * HED_MAX_CELLS + v] = (float)log(maximum / counts[v]);
        range += log(maximum / minimum);
    }
    for (uint32_t i = 0; i < space->parameter_count * HED_MAX_CELLS && range > 0; i++)
        source->dislike[i] /= (float)range;
}

bool hed_sources_create(
    const hed_search *search, const hed_search_def *def, hed_model_sources *sources)
{
    for (uint32_t s = 0; s < def->source_count && sources->count < HED_MOST_TRENDS; s++) {
        const hed_search_source *definition = &def->sources[s];
        hed_model_source *source = &sources->items[sources->count++];
        source->capacity = definition->count;
        source->points =
            hed_allocate(&search->allocator, definition->count * sizeof *source->points);
        source->dislike = hed_allocate(&search->allocator, dislike_size(search));
        if (!source->points || !source->dislike) return false;
        for (uint32_t i = 0; i < definition->count; i++) {
            uint64_t point = hed_space_find(search->space, &definition->configs[i]);
            if (point != UINT64_MAX) source->points[source->count++] = point;
        }
        model_count_values(search, source);
    }
    return true;
}

void hed_sources_destroy(const hed_search *search, hed_model_sources *sources)
{
    for (uint32_t s = 0; s < sources->count; s++) {
        hed_release(&search->allocator, sources->items[s].points,
            sources->items[s].capacity * sizeof *sources->items[s].points);
        hed_release(&search->allocator, sources->items[s].dislike, dislike_size(search));
    }
    *sources = (hed_model_sources){0};
}

bool hed_sources_open(const hed_search *search, hed_model_sources *sources, uint64_t *point)
{
    for (uint32_t tried = 0; tried < sources->count; tried++) {
        hed_model_source *source = &sources->items[sources->turn++ % sources->count];
        while (source->next < source->count) {
            *point = source->points[source->next++];
            if (hed_search_seen(search, *point) == UINT32_MAX) return true;
        }
    }
    return false;
}

uint64_t hed_sources_point(const hed_model_sources *sources, uint64_t index)
{
    for (uint32_t s = 0; s < sources->count; s++) {
        if (index < sources->items[s].count) return sources->items[s].points[index];
        index -= sources->items[s].count;
    }
    return UINT64_MAX;
}

void hed_sources_trends(
    const hed_model_sources *sources, uint32_t parameter_count, const uint8_t *cells, float *trends)
{
    for (uint32_t s = 0; s < sources->count; s++) {
        trends[s] = 0;
        for (uint32_t j = 0; j < parameter_count; j++)
            trends[s] += sources->items[s].dislike[j * HED_MAX_CELLS + cells[j]];
    }
}

/* Importance of each parameter: its total effect (Jansen 1999), the mean square change of the
 * logarithm of the time, as a Gaussian process predicts it, if this parameter alone is drawn again.
 * Interactions count for each of their parameters; the results are normalised to a sum of 1. */

enum {
    LEAST_VALUES = 8, /* minimum number of observations */
    SAMPLES = 256
};

typedef struct importance {
    const hed_search *search;
    hed_covariance covariance;
    hed_fit fit;
    hed_posterior posterior;
    hed_block block;
    float (*whitened)[HED_BLOCK]; /* (HED_FIT_POINTS) memory of the block */
    hed_random random;
} importance;

/* Fits all observations that work, or an even selection of HED_FIT_POINTS. */
static void fit_all(importance *work)
{
    const hed_search *search = work->search;
    uint32_t width = search->space->parameter_count,
             count = search->valid < HED_FIT_POINTS ? search->valid : HED_FIT_POINTS, number = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const hed_observation *observation = &search->observations[i];
        if (isnan(observation->value) ||
            (uint64_t)number++ * count / search->valid < work->fit.count)
            continue;
        for (uint32_t j = 0; j < width; j++)
            work->fit.rows[(size_t)work->fit.count * width + j] = observation->cells[j];
        work->fit.values[work->fit.count++] = log(observation->value);
    }
    hed_fit_begin(&work->fit, &work->covariance);
    while (hed_fit_step(&work->fit))
        ;
}

static bool model_build(importance *work)
{
    const hed_search *search = work->search;
    uint32_t width = search->space->parameter_count;
    if (!hed_posterior_create(&search->allocator, search->space, &work->covariance, work->fit.count,
            0, &work->posterior))
        return false;
    for (uint32_t i = 0; i < work->fit.count; i++)
        hed_posterior_add(&work->posterior, work->fit.rows + (size_t)i * width, NULL, HED_ROW_VALUE,
            work->fit.values[i]);
    hed_posterior_settle(&work->posterior);
    return true;
}

/* Draws a random row, and variants with one parameter drawn again; adds their squared
 * differences. */
static void sample(importance *work, double *shares)
{
    const hed_space *space = work->search->space;
    uint8_t row[HED_MAX_PARAMETERS], variant[HED_MAX_PARAMETERS];
    hed_search_cells(work->search, hed_random_below(&work->random, space->count), NULL, row);
    hed_search_cells(work->search, hed_random_below(&work->random, space->count), NULL, variant);
    work->block = (hed_block){.whitened = work->whitened};
    hed_block_add(&work->block, &work->posterior, 0, row, NULL);
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        uint8_t original = row[j];
        row[j] = variant[j];
        hed_block_add(&work->block, &work->posterior, 0, row, NULL);
        row[j] = original;
    }
    hed_block_follow(&work->block, &work->posterior);
    double before = hed_block_mean(&work->block, &work->posterior, 0);
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        double change = hed_block_mean(&work->block, &work->posterior, j + 1) - before;
        shares[j] += change * change;
    }
}

_Static_assert((int)HED_MAX_PARAMETERS < (int)HED_BLOCK, "a row and its changes fit a block");

void hed_search_importance(const hed_search *search, double *shares)
{
    if (!search || !shares) return;
    const hed_space *space = search->space;
    importance work = {.search = search, .random = hed_random_seed(search->count)};
    double sum = 0;
    for (uint32_t j = 0; j < space->parameter_count; j++) shares[j] = 0;
    if (search->valid < LEAST_VALUES) return;
    work.whitened = hed_allocate(&search->allocator, sizeof(float[HED_FIT_POINTS][HED_BLOCK]));
    if (work.whitened &&
        hed_covariance_create(
            &search->allocator, space, search->scales, HED_SHAPE_MATERN, &work.covariance) &&
        hed_fit_create(&search->allocator, &work.covariance, &work.fit)) {
        fit_all(&work);
        if (model_build(&work))
            for (uint32_t i = 0; i < SAMPLES; i++) sample(&work, shares);
    }
    hed_posterior_destroy(&work.posterior);
    hed_fit_destroy(&search->allocator, &work.covariance, &work.fit);
    hed_covariance_destroy(&search->allocator, &work.covariance);
    hed_release(&search->allocator, work.whitened, sizeof(float[HED_FIT_POINTS][HED_BLOCK]));
    for (uint32_t j = 0; j < space->parameter_count; j++) sum += shares[j];
    for (uint32_t j = 0; j < space->parameter_count && sum > 0; j++) shares[j] /= sum;
}
