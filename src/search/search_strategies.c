/* Model-based search. After some spread samples (or the sources' best configurations), three models
 * of the times take turns; each proposes the point with the largest expected improvement (Jones,
 * Schonlau, Welch 1998), times the probability that the point works. Three, because no single
 * transformation of the times and no single smoothness suits every kernel.
 *
 * Fitting a model and adding all observations to it again takes milliseconds, so this work is
 * distributed over several asks, during which the previous model answers. */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "search/model.h"
#include "search/search_state.h"

enum {
    MODELS = 3,
    OPENING = 4,             /* spread samples */
    OPENING_OF_SOURCE = 2,   /* points of each source, if there are sources */
    OPENING_OF_SOURCES = 10, /* points of all sources */
    NEIGHBOURS = 128,        /* points examined in one step of a climb */
    /* climbs, which start from the best of the pool and of the incumbent's neighbours */
    CLIMBS = 1
};
/* multiplications of a pending fit per ask: about a millisecond */
static const double EFFORT = 3e6;

struct hed_auto_search {
    hed_model_sources sources;
    hed_model models[MODELS];
    hed_model_work work;
    hed_block block;              /* block of a climb */
    float (*whitened)[HED_BLOCK]; /* (HED_MODEL_ROWS) memory of the block */
};

static size_t strategy_whitened_size(void) { return HED_MODEL_ROWS * sizeof(float[HED_BLOCK]); }

bool hed_search_create_auto(hed_search *search, const hed_search_def *def)
{
    static const struct {
        hed_shape shape;
        hed_transform transform;
        bool ignores_failures; /* the optimum may be next to failing configurations */
        /* uses no sources, which may come from a different kind of device and mislead */
        bool cold;
    } KINDS[MODELS] = {{HED_SHAPE_GAUSSIAN, HED_TRANSFORM_GAP, false, false},
        {HED_SHAPE_EXPONENTIAL, HED_TRANSFORM_LOGARITHM, false, false},
        {HED_SHAPE_MATERN, HED_TRANSFORM_RECIPROCAL, true, true}};
    hed_auto_search *state = search->models = hed_allocate(&search->allocator, sizeof *state);
    if (!state || !hed_sources_create(search, def, &state->sources)) return false;
    for (uint32_t i = 0; i < MODELS; i++) {
        state->models[i].transform = KINDS[i].transform;
        state->models[i].ignores_failures = KINDS[i].ignores_failures;
        state->models[i].trend_count = KINDS[i].cold ? 0 : state->sources.count;
        if (!hed_covariance_create(&search->allocator, search->space, search->scales,
                KINDS[i].shape, &state->models[i].covariance))
            return false;
    }
    state->whitened = hed_allocate(&search->allocator, strategy_whitened_size());
    return state->whitened &&
           hed_fit_create(&search->allocator, &state->models[0].covariance, &state->work.fit);
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

/* Best point so far and its merit. */
typedef struct winner {
    uint64_t point;
    double merit;
} winner;

static void look_at_block(
    const hed_search *search, const hed_block *block, const hed_posterior *posterior, winner *best)
{
    static const double DOUBT = 0.2; /* votes for working that every point starts with */
    for (uint32_t q = 0; q < block->count; q++) {
        if (hed_search_seen(search, block->points[q]) != UINT32_MAX) continue;
        /* the best time is 0 under every transformation */
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
    hed_search *search, const hed_posterior *posterior, const hed_place *row, winner *best)
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
            uint8_t cells[HED_MAX_PARAMETERS];
            float trends[HED_MOST_TRENDS];
            hed_search_cells(search, points[i], NULL, cells);
            hed_sources_trends(&state->sources, parameters, cells, trends);
            hed_block_add(block, posterior, points[i], cells, trends);
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
        hed_place row[HED_MAX_PARAMETERS];
        double before = best.merit;
        hed_space_row(search->space, best.point, row);
        look_at_neighbours(search, posterior, row, &best);
        if (best.merit == before) break;
    }
    return best.merit > 0 ? best.point : hed_search_fresh_point(search);
}

/* ---- proposals ---- */

static bool open_with(hed_search *search, uint64_t *point)
{
    hed_model_sources *sources = &search->models->sources;
    uint32_t limit = OPENING_OF_SOURCE * sources->count < OPENING_OF_SOURCES
                         ? OPENING_OF_SOURCE * sources->count
                         : OPENING_OF_SOURCES;
    if (search->count < limit && hed_sources_open(search, sources, point)) return true;
    if (search->valid >= 2 && (search->count >= OPENING || sources->count > 0)) return false;
    *point = hed_search_spread(search);
    return true;
}

/* Continues the pending fit, or begins one that is due. Returns false if memory is short. */
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
    /* the first fit must be completed at once */
    double effort = model->current.planned == 0 ? INFINITY : EFFORT;
    return !work->model || hed_model_advance(search, &state->sources, work, effort);
}

hed_status hed_search_ask_auto(hed_search *search, uint64_t *point, hed_error *error)
{
    if (open_with(search, point)) return HED_OK;
    hed_model *model = &search->models->models[search->count % MODELS];
    if (!get_on(search, model))
        return HED_OUT_OF_MEMORY(error, "a model of %u evaluations", search->count);
    hed_model_follow(search, &search->models->sources, model);
    *point = acquire(search, &model->current.posterior);
    return HED_OK;
}

/* Local search: spread samples, then first-improvement hill climbing over configurations that
 * differ in one parameter. From the top of a hill the search continues at a random point. */

enum { SPREAD_SAMPLES = 15 };

/* Start of the climb: the best observation since it began, at first the best of the table. */
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

/* Spread samples, which begin a search. Properties of kernels are known before any measurement:
 * resources run out at the ends of the parameters' ranges; powers of two divide problem sizes,
 * memory and warps; groups of fewer than 64 items, or of more than 512, are rarely the best, and
 * names tell which parameters size them. The first sample is therefore a central one of powers of
 * two. Names also tell numbers of groups, tiles, and factors of unrolling, of which 0 leaves the
 * factor to the compiler.
 *
 * Kernels differ most in the best amount of work per item (tiles, vector widths, unrolled steps),
 * and the times of neighbouring amounts are similar. Samples 2 and 3 have little and much work, in
 * random order: a kernel for which sample 2 is wrong would be worse than chance until sample 3.
 * Further samples are a maximin design (Johnson, Moore, Ylvisaker 1990), built point by point from
 * random candidates. */

enum {
    CENTRAL_SAMPLES = 3, /* middle, little work, much work */
    CENTRAL_CANDIDATES = 512,
    /* few: the farthest of many are the corners of the space, which are worse than chance */
    SPREAD_CANDIDATES = 16,
    /* observations above which any point is equally good, and a spread point takes long */
    SPREAD_LIMIT = 32
};

/* Sum over the parameters of the squared distance from a position on the parameter's range, 0 to 1:
 * its middle, moved by `work` (0: little, 0.5: as it is, 1: much) where it is work. Two or more
 * tiles are one amount: an item computes the product of their sizes, for which its registers have
 * to suffice. */
static double off_centre(const hed_search *search, const uint8_t *cells, double work)
{
    static const double DOUBTFUL = 0.3; /* above the distance from the middle to an end */
    /* results of an item, in doublings: at most in the middle; range from no work to all work;
     * weight of one */
    static const double MOST_MIDDLE = 3, MOST_RANGE = 5, DOUBLING = 0.25;
    double sum = 0, tile_distance = 0, results = 0, result_range = 0;
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < search->space->parameter_count; i++) {
        const hed_value_scale *scale = &search->scales[i];
        sum += scale->doubtful[cells[i]] ? DOUBTFUL : 0;
        if (!scale->has_middle) continue;
        double goal = (double)scale->middle + (scale->is_work ? work - 0.5 : 0),
               distance = (double)cells[i] / (scale->count - 1) - fmax(0, fmin(1, goal));
        bool is_tile = scale->tile_doublings > 0;
        *(is_tile ? &tile_distance : &sum) += distance * distance;
        tiles += is_tile;
        results += (double)scale->position[cells[i]] * scale->tile_doublings;
        result_range += scale->tile_doublings;
    }
    if (tiles > 1) {
        double goal =
            fmin(MOST_MIDDLE, 0.5 * result_range) + (work - 0.5) * fmin(MOST_RANGE, result_range);
        tile_distance = DOUBLING * DOUBLING * (results - goal) * (results - goal);
    }
    return sum + tile_distance;
}

/* Doublings by which the group is smaller or larger than nearly every good one, on any device. */
static double unusual_group(const hed_search *search, const hed_place *row)
{
    static const double SMALLEST = 6, LARGEST = 9; /* logarithms of 64 and 512 items */
    double items = 0;
    bool is_known = false;
    for (uint32_t i = 0; i < search->space->parameter_count; i++) {
        int64_t value = search->space->parameters[i].values[row[i]];
        if (!search->scales[i].sizes_group || value < 1) continue;
        is_known = true;
        items += log2((double)value);
    }
    return is_known ? fmax(0, fmax(SMALLEST - items, items - LARGEST)) : 0;
}

static double nearest(const hed_search *search, const hed_place *row, const uint8_t *cells)
{
    double nearest_distance = INFINITY;
    for (uint32_t i = 0; i < search->count; i++) {
        const hed_observation *measured = &search->observations[i];
        double sum = 0; /* any difference of a parameter counts at least half */
        for (uint32_t j = 0; j < search->space->parameter_count; j++)
            if (row[j] != measured->row[j])
                sum += 0.5 + 0.5 * (double)hed_value_distance(
                                       &search->scales[j], cells[j], measured->cells[j]);
        nearest_distance = fmin(nearest_distance, sum);
    }
    return nearest_distance;
}

uint64_t hed_search_spread(hed_search *search)
{
    /* positions of an item's work on the ranges of the parameters */
    static const double MIDDLE = 0.5, LITTLE = 0.2, MUCH = 0.8;
    /* loss of merit per doubling of a group beyond the usual sizes */
    static const double UNUSUAL_CENTRAL = 0.3, UNUSUAL = 0.15;
    hed_place row[HED_MAX_PARAMETERS];
    uint8_t cells[HED_MAX_PARAMETERS];
    uint64_t best = hed_search_fresh_point(search);
    double best_merit = -INFINITY;
    if (search->count > SPREAD_LIMIT) return best;
    if (search->spread_count == 0)
        search->begins_with_little = hed_random_unit(&search->random) < 0.5;
    uint32_t number = search->spread_count++;
    bool is_central = number < CENTRAL_SAMPLES;
    double work = number == 0                                   ? MIDDLE
                  : (number == 1) == search->begins_with_little ? LITTLE
                                                                : MUCH;
    uint32_t candidates = is_central ? CENTRAL_CANDIDATES : SPREAD_CANDIDATES;
    for (uint32_t i = 0; i < candidates; i++) {
        uint64_t point = hed_search_fresh_point(search);
        hed_search_cells(search, point, row, cells);
        double unusual = unusual_group(search, row),
               merit = is_central ? -off_centre(search, cells, work) - UNUSUAL_CENTRAL * unusual
                                  : nearest(search, row, cells) - UNUSUAL * unusual;
        merit += 1e-3 * hed_random_unit(&search->random); /* breaks ties */
        if (merit > best_merit) {
            best_merit = merit;
            best = point;
        }
    }
    return best;
}
