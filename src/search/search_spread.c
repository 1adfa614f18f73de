/* Spread samples, which begin a search: a maximin design (Johnson, Moore, Ylvisaker 1990), built
 * point by point from random candidates. Two things are known of kernels before any is run: the
 * ends of their parameters are where they run out of something, and powers of two divide the sizes
 * of problems, memory and warps. So the first point is a central one of powers of two.
 */
#include <math.h>

#include "search/search.h"

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

/* A parameter that differs at all counts half. */
static double distance(const hed_search *search, const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < search->space->parameter_count; i++)
        if (a[i] != b[i])
            sum += 0.5 + 0.5 * (double)hed_value_distance(&search->scales[i], a[i], b[i]);
    return sum;
}

static double nearest(const hed_search *search, const uint8_t *row)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < search->count; i++)
        least = fmin(least, distance(search, row, search->observations[i].row));
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
