/* Local search: spread samples, then first-improvement hill climbing over configurations that
 * differ in one parameter. Where a hill is climbed to its top, the next one begins at a random
 * point.
 */
#include <math.h>

#include "search/search.h"

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
