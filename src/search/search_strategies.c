/* The model-based search: after some spread samples (or what other devices found best), three
 * models of the times take turns, and each asks for the point where it expects the largest
 * improvement (Jones, Schonlau, Welch 1998), times the probability that the point works at all.
 * Three, because no transformation of the times and no smoothness is right for every kernel.
 *
 * Fitting a model and working all observations into it again takes milliseconds, so it is spread
 * over several asks, in which the former model goes on.
 */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "search/model.h"
#include "search/search.h"

enum {
    MODELS = 3,
    OPENING = 8,             /* spread samples */
    OPENING_OF_SOURCE = 2,   /* with sources: so many of each, */
    OPENING_OF_SOURCES = 10, /* and of all */
    NEIGHBOURS = 128,        /* looked at in one step of a climb */
    CLIMBS = 1               /* from the best of the pool and the incumbent's neighbours */
};
/* multiplications that an ask spends on a fit under way: about a millisecond */
static const double EFFORT = 3e6;

struct hed_auto_search {
    hed_model_sources sources;
    hed_model models[MODELS];
    hed_model_work work;
    hed_block block;              /* of a climb */
    float (*whitened)[HED_BLOCK]; /* (HED_MODEL_ROWS) its own */
};

static size_t strategy_whitened_size(void) { return HED_MODEL_ROWS * sizeof(float[HED_BLOCK]); }

bool hed_search_create_auto(hed_search *search, const hed_search_def *def)
{
    static const struct {
        hed_shape shape;
        hed_transform transform;
        bool ignores_failures; /* the best may be at the edge of what works */
        /* knows nothing of sources, which may be of another kind of device and mislead */
        bool cold;
    } KINDS[MODELS] = {{HED_SHAPE_GAUSSIAN, HED_TRANSFORM_GAP, false, false},
        {HED_SHAPE_EXPONENTIAL, HED_TRANSFORM_LOGARITHM, false, false},
        {HED_SHAPE_MATERN, HED_TRANSFORM_RECIPROCAL, true, true}};
    hed_auto_search *made = search->models = hed_allocate(&search->allocator, sizeof *made);
    if (!made || !hed_sources_create(search, def, &made->sources)) return false;
    for (uint32_t i = 0; i < MODELS; i++) {
        made->models[i].transform = KINDS[i].transform;
        made->models[i].ignores_failures = KINDS[i].ignores_failures;
        made->models[i].trend_count = KINDS[i].cold ? 0 : made->sources.count;
        if (!hed_covariance_create(&search->allocator, search->space, search->scales,
                KINDS[i].shape, &made->models[i].covariance))
            return false;
    }
    made->whitened = hed_allocate(&search->allocator, strategy_whitened_size());
    return made->whitened &&
           hed_fit_create(&search->allocator, &made->models[0].covariance, &made->work.fit);
}

void hed_search_destroy_auto(hed_search *search)
{
    hed_auto_search *state = search->models;
    if (!state) return;
    hed_fit_destroy(&search->allocator, &state->models[0].covariance, &state->work.fit);
    for (uint32_t i = 0; i < MODELS; i++) hed_model_destroy(&search->allocator, &state->models[i]);
    hed_sources_destroy(search, &state->sources);
    hed_release(&search->allocator, state->whitened, strategy_whitened_size());
    hed_release(&search->allocator, state, sizeof *state);
    search->models = NULL;
}

/* ---- acquisition ---- */

/* The best point so far, and what is expected of it. */
typedef struct winner {
    uint64_t point;
    double merit;
} winner;

static void look_at_block(
    const hed_search *search, const hed_block *block, const hed_posterior *posterior, winner *best)
{
    static const double DOUBT = 0.2; /* votes for working that every point begins with */
    for (uint32_t q = 0; q < block->count; q++) {
        if (hed_search_seen(search, block->points[q]) != UINT32_MAX) continue;
        /* The best time is 0 in every transformation. */
        double gain = -hed_block_mean(block, posterior, q),
               deviation = hed_block_deviation(block, posterior, q), z = gain / deviation,
               density = exp(-0.5 * z * z) * 0.3989422804014327;
        double merit = gain * 0.5 * erfc(-z * 0.7071067811865476) + deviation * density;
        double working = (double)block->working[q] + DOUBT;
        merit *= working / (working + (double)block->failed[q]);
        if (merit > best->merit) *best = (winner){block->points[q], merit};
    }
}

static void look_at_neighbours(
    hed_search *search, const hed_posterior *posterior, const uint8_t *row, winner *best)
{
    hed_auto_search *state = search->models;
    uint64_t points[NEIGHBOURS];
    uint32_t count = hed_search_fresh_neighbours(search, row, points, NEIGHBOURS),
             parameters = search->space->parameter_count;
    for (uint32_t begin = 0; begin < count; begin += HED_BLOCK) {
        hed_block *block = &state->block;
        block->count = block->rows = 0;
        block->whitened = state->whitened;
        for (uint32_t i = begin; i < count && i < begin + HED_BLOCK; i++) {
            uint8_t near[HED_MAX_PARAMETERS];
            float trends[HED_MOST_TRENDS];
            hed_space_row(search->space, points[i], near);
            hed_sources_trends(&state->sources, parameters, near, trends);
            hed_block_add(block, posterior, points[i], near, trends);
        }
        hed_block_follow(block, posterior);
        look_at_block(search, block, posterior, best);
    }
}

static uint64_t acquire(hed_search *search, const hed_posterior *posterior)
{
    winner best = {0, -1};
    for (uint32_t i = 0; i < posterior->block_count; i++)
        look_at_block(search, &posterior->blocks[i], posterior, &best);
    look_at_neighbours(search, posterior, search->observations[search->best].row, &best);
    for (uint32_t i = 0; i < CLIMBS && best.merit > 0; i++) {
        uint8_t row[HED_MAX_PARAMETERS];
        double before = best.merit;
        hed_space_row(search->space, best.point, row);
        look_at_neighbours(search, posterior, row, &best);
        if (best.merit == before) break;
    }
    return best.merit > 0 ? best.point : hed_search_fresh_point(search);
}

/* ---- asking ---- */

static bool open_with(hed_search *search, uint64_t *point)
{
    hed_model_sources *sources = &search->models->sources;
    uint32_t most = OPENING_OF_SOURCE * sources->count < OPENING_OF_SOURCES
                        ? OPENING_OF_SOURCE * sources->count
                        : OPENING_OF_SOURCES;
    if (search->count < most && hed_sources_open(search, sources, point)) return true;
    if (search->valid >= 2 && (search->count >= OPENING || sources->count > 0)) return false;
    *point = hed_search_spread(search);
    return true;
}

/* Continues the fit under way, or begins one that is due. false: no memory. */
static bool get_on(hed_search *search, hed_model *model)
{
    hed_auto_search *state = search->models;
    hed_model_work *work = &state->work;
    if (model->current.planned == 0 && work->model && work->model != model &&
        !hed_model_advance(search, &state->sources, work, INFINITY))
        return false;
    if (!work->model && hed_model_is_old(search, model) &&
        !hed_model_begin(search, &state->sources, model, work))
        return false;
    /* the first time it cannot wait */
    double effort = model->current.planned == 0 ? INFINITY : EFFORT;
    return !work->model || hed_model_advance(search, &state->sources, work, effort);
}

hed_status hed_search_ask_auto(hed_search *search, uint64_t *point, hed_error *error)
{
    if (open_with(search, point)) return HED_OK;
    hed_model *model = &search->models->models[search->count % MODELS];
    if (!get_on(search, model))
        return hed_fail(
            error, HED_ERROR_MEMORY, "no memory for a model of %u evaluations", search->count);
    hed_model_follow(search, &search->models->sources, model);
    *point = acquire(search, &model->current.posterior);
    return HED_OK;
}

/* Local search: spread samples, then first-improvement hill climbing over configurations that
 * differ in one parameter. Where a hill is climbed to its top, the next one begins at a random
 * point.
 */

enum { SPREAD_SAMPLES = 15 };

/* The best of what came since the climb began; the table's best at first. */
static uint32_t climber(hed_search *search)
{
    uint32_t from = search->climb_from;
    for (uint32_t i = search->climb_since; i < search->count; i++) {
        double value = search->observations[i].value;
        if (!isnan(value) && (from == UINT32_MAX || value < search->observations[from].value))
            from = i;
    }
    return search->climb_from = from;
}

uint64_t hed_search_ask_local(hed_search *search)
{
    uint64_t point;
    if (search->count < SPREAD_SAMPLES || search->valid == 0) return hed_search_spread(search);
    uint32_t from = climber(search);
    if (from != UINT32_MAX &&
        hed_search_fresh_neighbours(search, search->observations[from].row, &point, 1) > 0)
        return point;
    search->climb_from = UINT32_MAX;
    search->climb_since = search->count;
    return hed_search_fresh_point(search);
}

/* Spread samples, which begin a search: a maximin design (Johnson, Moore, Ylvisaker 1990), built
 * point by point from random candidates. Two things are known of kernels before any is run: the
 * ends of their parameters are where they run out of something, and powers of two divide the sizes
 * of problems, memory and warps. So the first point is a central one of powers of two.
 */

enum {
    CENTRE_CANDIDATES = 512,
    SPREAD_CANDIDATES = 1000,
    SPREAD_LIMIT = 32 /* observations above which any point is as good, and this would take long */
};

static double off_centre(const hed_search *search, const uint8_t *row)
{
    static const double UNEVEN = 0.3; /* more than from the middle to an end */
    double sum = 0;
    for (uint32_t i = 0; i < search->space->parameter_count; i++) {
        uint32_t count = search->scales[i].count;
        sum += search->scales[i].uneven[row[i]] ? UNEVEN : 0;
        if (count < 3 || search->scales[i].unordered) continue; /* has no middle */
        double from_middle = (double)row[i] / (count - 1) - 0.5;
        sum += from_middle * from_middle;
    }
    return sum;
}

static double nearest(const hed_search *search, const uint8_t *row)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < search->count; i++) {
        const uint8_t *other = search->observations[i].row;
        double sum = 0; /* a parameter that differs at all counts half */
        for (uint32_t j = 0; j < search->space->parameter_count; j++)
            if (row[j] != other[j])
                sum += 0.5 + 0.5 * (double)hed_value_distance(&search->scales[j], row[j], other[j]);
        least = fmin(least, sum);
    }
    return least;
}

uint64_t hed_search_spread(hed_search *search)
{
    uint8_t row[HED_MAX_PARAMETERS];
    uint64_t best = hed_search_fresh_point(search);
    double best_merit = -INFINITY;
    if (search->count > SPREAD_LIMIT) return best;
    for (uint32_t i = 0; i < (search->count == 0 ? CENTRE_CANDIDATES : SPREAD_CANDIDATES); i++) {
        uint64_t point = hed_search_fresh_point(search);
        hed_space_row(search->space, point, row);
        double merit = search->count == 0 ? -off_centre(search, row) : nearest(search, row);
        merit += 1e-3 * hed_random_unit(&search->random); /* ties */
        if (merit > best_merit) {
            best_merit = merit;
            best = point;
        }
    }
    return best;
}
