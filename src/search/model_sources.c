/* What other devices and sizes found best: their configurations open a search, and a value that is
 * frequent among them lowers the expected time of all configurations that have it. All their times
 * as data would do harm: the landscape of another device is hard to unlearn.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "search/model.h"

/* spread over a parameter's values, since the best of a source are few */
static const double PSEUDO_COUNT = 2;

static size_t dislike_size(const hed_search *search)
{
    return (size_t)search->space->parameter_count * HED_MAX_VALUES * sizeof(float);
}

/* dislike = -log of the value's share, moved and scaled so that the sum over the parameters is 0 at
 * least and 1 at most. */
static void count_values(const hed_space *space, hed_model_source *source)
{
    double range = 0;
    for (uint32_t j = 0; j < space->parameter_count; j++) {
        uint32_t values = space->parameters[j].count;
        double counts[HED_MAX_VALUES], most = 0, least = INFINITY;
        for (uint32_t v = 0; v < values; v++) counts[v] = PSEUDO_COUNT / values;
        for (uint32_t i = 0; i < source->count; i++) {
            uint8_t row[HED_MAX_PARAMETERS];
            hed_space_row(space, source->points[i], row);
            counts[row[j]]++;
        }
        for (uint32_t v = 0; v < values; v++) {
            most = fmax(most, counts[v]);
            least = fmin(least, counts[v]);
        }
        for (uint32_t v = 0; v < values; v++)
            source->dislike[j * HED_MAX_VALUES + v] = (float)log(most / counts[v]);
        range += log(most / least);
    }
    for (uint32_t i = 0; i < space->parameter_count * HED_MAX_VALUES && range > 0; i++)
        source->dislike[i] /= (float)range;
}

bool hed_sources_create(
    const hed_search *search, const hed_search_def *def, hed_model_sources *sources)
{
    for (uint32_t s = 0; s < def->source_count && sources->count < HED_MOST_TRENDS; s++) {
        const hed_search_source *given = &def->sources[s];
        hed_model_source *source = &sources->items[sources->count++];
        source->capacity = given->count;
        source->points = hed_allocate(&search->allocator, given->count * sizeof *source->points);
        source->dislike = hed_allocate(&search->allocator, dislike_size(search));
        if (!source->points || !source->dislike) return false;
        for (uint32_t i = 0; i < given->count; i++) {
            uint64_t point = hed_space_find(search->space, &given->configs[i]);
            if (point != UINT64_MAX) source->points[source->count++] = point;
        }
        count_values(search->space, source);
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
    const hed_model_sources *sources, uint32_t parameter_count, const uint8_t *row, float *trends)
{
    for (uint32_t s = 0; s < sources->count; s++) {
        trends[s] = 0;
        for (uint32_t j = 0; j < parameter_count; j++)
            trends[s] += sources->items[s].dislike[j * HED_MAX_VALUES + row[j]];
    }
}
