/* Search by ask and tell: the table of all points asked or told, random numbers, and the strategies
 * that need only the table. The local and the model-based strategies are in search_strategies.c. */
#include "search/search.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

enum {
    FIRST_CAPACITY = 64,
    RANDOM_TRIES = 64 /* random attempts before unobserved points are searched in order */
};

/* ---- the table ---- */

static uint32_t search_slot_of(const hed_search *search, uint64_t point)
{
    uint64_t mixed = (point ^ point >> 32) * 0xd6e8feb86659fd93u;
    uint32_t slot = (uint32_t)(mixed >> 32) & (search->slot_count - 1);
    while (search->slots[slot] && search->observations[search->slots[slot] - 1].point != point)
        slot = (slot + 1) & (search->slot_count - 1);
    return slot;
}

uint32_t hed_search_seen(const hed_search *search, uint64_t point)
{
    return search->slots[search_slot_of(search, point)] - 1;
}

/* Reserves space for one more observation, with at most half of the slots used. Returns false if
 * memory is short; the table is then unchanged. */
static bool search_reserve(hed_search *search)
{
    if (search->count < search->capacity) return true;
    uint32_t capacity = search->capacity ? search->capacity * 2 : FIRST_CAPACITY,
             slot_count = capacity * 2;
    hed_observation *observations =
        hed_allocate(&search->allocator, capacity * sizeof *observations);
    uint32_t *slots = hed_allocate(&search->allocator, slot_count * sizeof *slots);
    if (!observations || !slots) {
        hed_release(&search->allocator, observations, capacity * sizeof *observations);
        hed_release(&search->allocator, slots, slot_count * sizeof *slots);
        return false;
    }
    if (search->count > 0)
        memcpy(observations, search->observations, search->count * sizeof *observations);
    hed_release(&search->allocator, search->observations, search->capacity * sizeof *observations);
    hed_release(&search->allocator, search->slots, search->slot_count * sizeof *slots);
    search->observations = observations;
    search->slots = slots;
    search->capacity = capacity;
    search->slot_count = slot_count;
    for (uint32_t i = 0; i < search->count; i++)
        slots[search_slot_of(search, observations[i].point)] = i + 1;
    return true;
}

/* Adds a pending observation to reserved space. */
static hed_observation *search_add(hed_search *search, uint64_t point)
{
    search->slots[search_slot_of(search, point)] = search->count + 1;
    hed_observation *observation = &search->observations[search->count++];
    *observation = (hed_observation){.point = point, .value = NAN, .pending = true};
    hed_space_row(search->space, point, observation->row);
    search->pending++;
    return observation;
}

/* ---- unobserved points ---- */

uint64_t hed_search_fresh_point(hed_search *search)
{
    uint64_t point = 0;
    for (uint32_t i = 0; i < RANDOM_TRIES; i++) {
        point = hed_random_below(&search->random, search->space->count);
        if (hed_search_seen(search, point) == UINT32_MAX) return point;
    }
    while (hed_search_seen(search, point) != UINT32_MAX)
        point = point + 1 < search->space->count ? point + 1 : 0;
    return point;
}

uint32_t hed_search_fresh_neighbours(
    hed_search *search, const uint8_t *row, uint64_t *points, uint32_t limit)
{
    const hed_space *space = search->space;
    uint8_t neighbour[HED_MAX_PARAMETERS];
    uint64_t candidates = 0;
    memcpy(neighbour, row, space->parameter_count);
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        for (uint32_t place = 0; place < space->parameters[i].count; place++) {
            neighbour[i] = (uint8_t)place;
            uint64_t point = place == row[i] ? UINT64_MAX : hed_space_find_row(space, neighbour);
            if (point == UINT64_MAX || hed_search_seen(search, point) != UINT32_MAX) continue;
            candidates++;
            uint64_t at = candidates <= limit ? candidates - 1
                                              : hed_random_below(&search->random,
                                                    candidates); /* reservoir sampling */
            if (at < limit) points[at] = point;
        }
        neighbour[i] = row[i];
    }
    return candidates < limit ? (uint32_t)candidates : limit;
}

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
    if (!search_reserve(instance) || !instance->scales ||
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
    if (!search_reserve(search))
        return HED_OUT_OF_MEMORY(error, "more than %u evaluations", search->count);
    hed_status status = search_choose(search, &point, error);
    if (status != HED_OK) return status;
    search_add(search, point);
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
    if (at == UINT32_MAX && !search_reserve(search))
        return HED_OUT_OF_MEMORY(error, "more than %u evaluations", search->count);
    hed_observation *observation =
        at == UINT32_MAX ? search_add(search, point) : &search->observations[at];
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

/* Random numbers of a search: a counter with SplitMix64's increment and a mixer of two
 * multiplications. */

static uint64_t next(hed_random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return mixed ^ mixed >> 32;
}

hed_random hed_random_seed(uint64_t seed)
{
    hed_random random = {seed};
    random.state = next(&random); /* one step separates neighbouring seeds */
    return random;
}

double hed_random_unit(hed_random *random) { return (double)(next(random) >> 11) * 0x1p-53; }

uint64_t hed_random_below(hed_random *random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)next(random) * count >> 64);
}
