/* The order of bodies for vectors (native_bodies.h) and warps. Where springs mostly go from each
 * body to the one equally far on, bodies stay in the instrument's order, for bands. Else windows of
 * them are sorted by how many springs they have, so that the lanes of a slice end together:
 * SELL-C-sigma (Kreutzer et al., "A unified sparse matrix data format", SIAM J. Sci. Comput. 36,
 * 2014). Sums go by the lists of springs, so the order of bodies changes no bit. */
#include "program/parts.h"

#include <stdlib.h>

enum {
    WINDOW = 1024,    /* bodies: what is near stays near */
    MOST_SORTED = 64, /* more springs than that count as that many */
    BAND = 16,        /* springs of one distance that make a band */
};

static uint32_t index_of(const hed_synth_instrument *in, hed_synth_entity body)
{
    return synth_find(in, body)->index;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Whether nine in ten springs go as far as many others do: where fewer do, rows of bands would not
 * be full. */
static bool is_regular(const hed_synth_instrument *in, uint32_t *distances)
{
    uint32_t count = in->counts[HED_SYNTH_SPRING], regular = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = index_of(in, in->springs[i].from), to = index_of(in, in->springs[i].to);
        distances[i] = from < to ? to - from : from - to;
    }
    qsort(distances, count, sizeof *distances, compare);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && distances[end] == distances[begin]; end++) {}
        if (end - begin >= BAND) regular += end - begin;
    }
    return 10 * (uint64_t)regular >= 9 * (uint64_t)count;
}

/* Springs that each body sums up: none where it is anchored. */
static void count_springs(const hed_synth_instrument *in, uint32_t *counts)
{
    for (uint32_t i = 0; i < in->counts[HED_SYNTH_SPRING]; i++) {
        uint32_t ends[2] = {index_of(in, in->springs[i].from), index_of(in, in->springs[i].to)};
        for (int k = 0; k < 2; k++)
            if (!in->bodies[ends[k]].anchored && counts[ends[k]] < MOST_SORTED) counts[ends[k]]++;
    }
}

/* Those with most springs first; among equals, in their order. */
static void sort_window(const uint32_t *counts, uint32_t begin, uint32_t end, uint32_t *order)
{
    uint32_t at = begin;
    for (uint32_t springs = MOST_SORTED + 1; springs-- > 0;)
        for (uint32_t i = begin; i < end; i++)
            if (counts[i] == springs) order[at++] = i;
}

hed_status synth_order_bodies(const hed_allocator *allocator, const hed_synth_instrument *in,
    uint32_t *order, hed_error *error)
{
    uint32_t bodies = in->counts[HED_SYNTH_BODY], springs = in->counts[HED_SYNTH_SPRING];
    uint32_t *counts = synth_new(allocator, bodies, sizeof *counts),
             *distances = synth_new(allocator, springs, sizeof *distances);
    hed_status status = HED_OK;
    if (!counts || !distances) {
        status = synth_fail(error, HED_ERROR_MEMORY, "no memory to order %u bodies", bodies);
    } else {
        bool sorted = !is_regular(in, distances);
        count_springs(in, counts);
        for (uint32_t i = 0; i < bodies; i++) order[i] = i;
        for (uint32_t begin = 0; sorted && begin < bodies; begin += WINDOW)
            sort_window(counts, begin, bodies - begin < WINDOW ? bodies : begin + WINDOW, order);
    }
    synth_release(allocator, counts, bodies, sizeof *counts);
    synth_release(allocator, distances, springs, sizeof *distances);
    return status;
}
