/* Search by ask and tell, and the strategies that need only the table of points. The local and the
 * model-based strategies are in search_strategies.c. */
#include "search/search_state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* ---- creation and destruction ---- */

hed_status hed_search_create(const hed_search_def *def, hed_search **search, hed_error *error)
{
    HED_REQUIRE(def, search);
    *search = NULL;
    if (hed_space_count(def->space) == 0)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "the space is empty: no configuration satisfies its constraints");
    if ((unsigned)def->strategy >= HED_STRATEGY_COUNT)
        return hed_fail(error, HED_ERROR_ARGUMENT, "strategy is %d; expected below %d",
            (int)def->strategy, HED_STRATEGY_COUNT);
    hed_allocator allocator = def->allocator ? *def->allocator : hed_default_allocator();
    hed_search *instance = hed_allocate(&allocator, sizeof *instance);
    if (!instance) return HED_OUT_OF_MEMORY(error, "a search");
    *instance = (hed_search){.allocator = allocator,
        .space = def->space,
        .strategy = def->strategy,
        .random = hed_random_seed(def->seed),
        .climb_from = UINT32_MAX};
    instance->scales = hed_value_scales_create(&allocator, def->space);
    if (!hed_search_reserve(instance) || !instance->scales ||
        (def->strategy == HED_SEARCH_AUTO && !hed_search_create_auto(instance, def))) {
        hed_search_destroy(instance);
        return HED_OUT_OF_MEMORY(error, "a search over %" PRIu64 " points", def->space->count);
    }
    *search = instance;
    return HED_OK;
}

void hed_search_destroy(hed_search *search)
{
    if (!search) return;
    hed_allocator allocator = search->allocator;
    hed_search_destroy_auto(search);
    hed_value_scales_destroy(&allocator, search->space, search->scales);
    hed_release(&allocator, search->observations, search->capacity * sizeof *search->observations);
    hed_release(&allocator, search->slots, search->slot_count * sizeof *search->slots);
    hed_release(&allocator, search, sizeof *search);
}

static hed_status search_choose(hed_search *search, uint64_t *point, hed_error *error)
{
    switch (search->strategy) {
    case HED_SEARCH_EXHAUSTIVE:
        while (hed_search_seen(search, search->next) != UINT32_MAX) search->next++;
        *point = search->next;
        return HED_OK;
    case HED_SEARCH_LOCAL: *point = hed_search_ask_local(search); return HED_OK;
    case HED_SEARCH_AUTO: return hed_search_ask_auto(search, point, error);
    default: *point = hed_search_fresh_point(search); return HED_OK;
    }
}

hed_status hed_search_ask(hed_search *search, hed_config *config, hed_error *error)
{
    HED_REQUIRE(search, config);
    uint64_t point;
    if (search->count == search->space->count)
        return HED_ERROR_BOUNDS; /* end of the space: not reported in `error` */
    if (!hed_search_reserve(search))
        return HED_OUT_OF_MEMORY(error, "more than %u evaluations", search->count);
    hed_status status = search_choose(search, &point, error);
    if (status != HED_OK) return status;
    hed_search_add(search, point);
    *config = hed_space_at(search->space, point);
    return HED_OK;
}

static void find_best(hed_search *search)
{
    search->valid = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        double value = search->observations[i].value;
        if (isnan(value)) continue;
        if (search->valid++ == 0 || value < search->observations[search->best].value)
            search->best = i;
    }
}

hed_status hed_search_tell(
    hed_search *search, const hed_config *config, double value, hed_error *error)
{
    HED_REQUIRE(search, config);
    uint64_t point = hed_space_find(search->space, config);
    if (point == UINT64_MAX)
        return hed_fail(error, HED_ERROR_ARGUMENT, "the configuration is not in the space");
    if (value <= 0 || isinf(value))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "value is %g; expected a positive number, or NAN for a configuration that does not work", value);
    uint32_t at = hed_search_seen(search, point);
    if (at == UINT32_MAX && !hed_search_reserve(search))
        return HED_OUT_OF_MEMORY(error, "more than %u evaluations", search->count);
    hed_observation *observation =
        at == UINT32_MAX ? hed_search_add(search, point) : &search->observations[at];
    bool replaced = !isnan(observation->value);
    search->pending -= observation->pending;
    observation->pending = false;
    observation->value = value;
    if (replaced) {
        find_best(search);
    } else if (!isnan(value)) {
        if (search->valid++ == 0 || value < search->observations[search->best].value)
            search->best = (uint32_t)(observation - search->observations);
    }
    return HED_OK;
}

bool hed_search_best(const hed_search *search, hed_config *config, double *value)
{
    if (!search || !config || !value) return false;
    if (search->valid == 0) return false;
    const hed_observation *best = &search->observations[search->best];
    *config = hed_space_at(search->space, best->point);
    *value = best->value;
    return true;
}
