/* Which springs of an instrument are bands. */
#include "solver/cpu/bands.h"

#include "program/memory.h"

#include <stdlib.h>

typedef struct pair {
    uint32_t distance, lower;
} pair;

static int compare(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->lower < y->lower ? -1 : x->lower > y->lower;
}

synth_list synth_springs_of(const synth_program *program, uint32_t body)
{
    const synth_layout *layout = &program->layout;
    synth_at at = {.store = program->image};
    synth_list list =
        synth_list_of(&at, layout->type[SYNTH_BODY].list, layout->type[SYNTH_BODY].count, body);
    if (synth_parameter(layout, &at, SYNTH_BODY, BODY_P_WEIGHT, body) == 0.0f) list.length = 0;
    return list;
}

/* One for each spring between free bodies and one for each between a free body and an anchor. */
static uint32_t list_pairs(const synth_program *program, pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t body = 0; body < program->layout.type[SYNTH_BODY].count; body++) {
        synth_list list = synth_springs_of(program, body);
        for (uint32_t i = 0; i < list.length; i++) {
            uint32_t other = program->image[list.first + i * SYNTH_SPRING_WORDS * list.stride];
            /* it lists this spring, too */
            if (other < body && synth_springs_of(program, other).length > 0) continue;
            pairs[count++] =
                (pair){other > body ? other - body : body - other, other > body ? body : other};
        }
    }
    return count;
}

/* Takes `count` pairs of one distance for a band where at least half of its bodies have a spring,
 * and none has two. */
static void consider(const pair *pairs, uint32_t count, synth_bands *bands)
{
    synth_band band = {
        .distance = pairs[0].distance, .low = pairs[0].lower, .high = pairs[count - 1].lower};
    uint32_t span = band.high - band.low + 1;
    if (span < SYNTH_LANES || count < span / 2 || bands->count == SYNTH_MOST_BANDS) return;
    for (uint32_t i = 1; i < count; i++) {
        if (pairs[i].lower == pairs[i - 1].lower) return;
    }
    band.force = bands->forces + SYNTH_LANES;
    band.part = bands->parts;
    bands->forces += span + 2 * SYNTH_LANES;
    bands->parts += synth_part_count(&band);
    bands->at[bands->count++] = band;
}

hed_status synth_find_bands(const hed_allocator *allocator, const synth_program *program,
    synth_bands *bands, hed_error *error)
{
    uint32_t springs = program->layout.type[SYNTH_SPRING].count;
    *bands = (synth_bands){.count = 0};
    pair *pairs = synth_new(allocator, springs, sizeof *pairs);
    if (!pairs) return synth_fail(error, HED_ERROR_MEMORY, "no memory to sort %u springs", springs);
    uint32_t count = list_pairs(program, pairs);
    qsort(pairs, count, sizeof *pairs, compare);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && pairs[end].distance == pairs[begin].distance; end++) {}
        consider(pairs + begin, end - begin, bands);
    }
    synth_release(allocator, pairs, springs, sizeof *pairs);
    return HED_OK;
}

uint32_t synth_band_of(const synth_bands *bands, uint32_t body, uint32_t other)
{
    uint32_t lower = body < other ? body : other, distance = (body < other ? other : body) - lower;
    for (uint32_t i = 0; i < bands->count; i++) {
        const synth_band *band = &bands->at[i];
        if (band->distance == distance && lower >= band->low && lower <= band->high) return i;
    }
    return SYNTH_EMPTY;
}

uint32_t synth_part_begin(const synth_band *band, uint32_t part)
{
    uint32_t begin = band->low + part * SYNTH_LANES, last = band->high + 1 - SYNTH_LANES;
    return begin < last ? begin : last;
}
