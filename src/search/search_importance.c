/* How much each parameter matters: its total effect (Jansen 1999), the mean square of what the time
 * changes by when this parameter alone is drawn anew, of the logarithm of the time as a Gaussian
 * process knows it. Interactions count for each parameter that is in them; the shares are made to
 * sum to 1.
 */
#include <math.h>

#include "base/alloc.h"
#include "search/fit.h"
#include "search/posterior.h"
#include "search/search.h"

enum {
    LEAST_VALUES = 8, /* fewer say nothing */
    SAMPLES = 256
};

typedef struct importance {
    const hed_search *search;
    hed_covariance covariance;
    hed_fit fit;
    hed_posterior posterior;
    hed_block block;
    float (*whitened)[HED_BLOCK]; /* (HED_FIT_POINTS) the block's */
    hed_random random;
} importance;

/* Fits to all that works, or to as much of it as a fit takes, evenly from first to last. */
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
            work->fit.rows[(size_t)work->fit.count * width + j] = observation->row[j];
        work->fit.values[work->fit.count++] = log(observation->value);
    }
    hed_fit_begin(&work->fit, &work->covariance);
    while (hed_fit_step(&work->fit))
        ;
}

static bool build(importance *work)
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

/* A random row, and that row with each parameter drawn anew: their squared differences are
 * added. */
static void sample(importance *work, double *shares)
{
    const hed_space *space = work->search->space;
    uint8_t row[HED_MAX_PARAMETERS], other[HED_MAX_PARAMETERS];
    hed_space_row(space, hed_random_below(&work->random, space->count), row);
    hed_space_row(space, hed_random_below(&work->random, space->count), other);
    work->block = (hed_block){.whitened = work->whitened};
    hed_block_add(&work->block, &work->posterior, 0, row, NULL);
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        uint8_t kept = row[j];
        row[j] = other[j];
        hed_block_add(&work->block, &work->posterior, 0, row, NULL);
        row[j] = kept;
    }
    hed_block_follow(&work->block, &work->posterior);
    double before = hed_block_mean(&work->block, &work->posterior, 0);
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        double change = hed_block_mean(&work->block, &work->posterior, j + 1) - before;
        shares[j] += change * change;
    }
}

_Static_assert((int)HED_MAX_PARAMETERS < (int)HED_BLOCK, "a row and its changes fit a block");

static void release(importance *work)
{
    const hed_allocator *allocator = &work->search->allocator;
    hed_posterior_destroy(&work->posterior);
    hed_fit_destroy(allocator, &work->covariance, &work->fit);
    hed_covariance_destroy(allocator, &work->covariance);
    hed_release(allocator, work->whitened, sizeof(float[HED_FIT_POINTS][HED_BLOCK]));
}

void hed_search_importance(const hed_search *search, double *shares)
{
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
        if (build(&work))
            for (uint32_t i = 0; i < SAMPLES; i++) sample(&work, shares);
    }
    release(&work);
    for (uint32_t j = 0; j < space->parameter_count; j++) sum += shares[j];
    for (uint32_t j = 0; j < space->parameter_count && sum > 0; j++) shares[j] /= sum;
}
