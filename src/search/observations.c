/* Table of all points that were asked or told, and the points that were neither. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "search/search_state.h"

enum {
    FIRST_CAPACITY = 64,
    RANDOM_TRIES = 64 /* random attempts before unobserved points are searched in order */
};

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

bool hed_search_reserve(hed_search *search)
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

hed_observation *hed_search_add(hed_search *search, uint64_t point)
{
    search->slots[search_slot_of(search, point)] = search->count + 1;
    hed_observation *observation = &search->observations[search->count++];
    *observation = (hed_observation){.point = point, .value = NAN, .pending = true};
    hed_search_cells(search, point, observation->row, observation->cells);
    search->pending++;
    return observation;
}

void hed_search_cells(const hed_search *search, uint64_t point, hed_place *row, uint8_t *cells)
{
    hed_place own[HED_MAX_PARAMETERS];
    hed_place *places = row ? row : own;
    hed_space_row(search->space, point, places);
    hed_value_cells(search->scales, search->space->parameter_count, places, cells);
}

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
    hed_search *search, const hed_place *row, uint64_t *points, uint32_t limit)
{
    enum { NEAREST = 32 };
    const hed_space *space = search->space;
    hed_place neighbour[HED_MAX_PARAMETERS];
    uint64_t candidates = 0;
    memcpy(neighbour, row, space->parameter_count * sizeof *row);
    for (uint32_t i = 0; i < space->parameter_count; i++) {
        uint32_t count = space->parameters[i].count, stride = count / HED_MAX_CELLS + 1;
        if (count <= HED_MAX_CELLS) stride = 1;
        uint32_t first = stride > 1 ? (uint32_t)hed_random_below(&search->random, stride) : 0;
        for (uint32_t place = 0; place < count; place++) {
            uint32_t centre = row[i];
            bool is_near = place < centre + NEAREST && centre < place + NEAREST;
            if (place == centre || !(is_near || place % stride == first)) continue;
            neighbour[i] = (hed_place)place;
            uint64_t point = hed_space_find_row(space, neighbour);
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
