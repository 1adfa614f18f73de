/* Colouring: constraints in independent sets. Edge colouring, greedy in the given order, then
 * balance; constraints of several particles greedily.
 *
 * At least as many colours as constraints at one particle (the degree D) are needed; greedy
 * colouring takes at most 2 D - 1, in mesh order nearly D. Balance moves each constraint to the
 * least used of the existing colours that is free at both ends: tails of one or two constraints
 * cost as much as a full set. Locked particles make no conflict. */
#include "model/garment.h"

#include <string.h>

enum { LOW_COLOURS = 64 }; /* bits of a mask */

typedef struct colouring {
    cloth_garment *garment;
    uint32_t constraints;
    uint32_t *colour; /* (constraints) */
    uint64_t *masks;  /* (particles) low colours taken at each particle */
    uint64_t *used;   /* (colour_limit) constraints of each colour */
    /* (particles + 1) constraints at each free particle, if colours may exceed LOW_COLOURS; else
     * NULL */
    uint32_t *around_at;
    uint32_t *around; /* (2 x constraints) */
    uint32_t *stamp;  /* (colour_limit) 1 + the last constraint that found the colour taken */
    uint32_t colour_limit, colour_count;
    hed_arena scratch;
} colouring;

static bool colouring_is_free(const cloth_garment *garment, uint32_t particle)
{
    return garment->positions[particle][3] > 0.0f;
}

hed_status cloth_count_degree(cloth_garment *garment, uint32_t number, hed_error *error)
{
    uint32_t *count =
        hed_new(&garment->arena.allocator, garment->particle_count, sizeof *count, error);
    if (!count) return HED_ERROR_MEMORY;
    for (uint32_t k = 0; k < cloth_kept_constraints(garment); k++) {
        count[garment->constraints[k].a]++;
        count[garment->constraints[k].b]++;
    }
    uint32_t busiest = 0;
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (colouring_is_free(garment, i) &&
            count[i] > count[busiest] * colouring_is_free(garment, busiest))
            busiest = i;
    garment->degree = colouring_is_free(garment, busiest) ? count[busiest] : 0;
    hed_delete(&garment->arena.allocator, count, garment->particle_count, sizeof *count);
    if (garment->degree <= CLOTH_DEGREE_LIMIT) return HED_OK;
    return hed_fail(error, HED_ERROR_LIMIT,
        "Garment %u (%s): particle %u has %u constraints; at most %d can be served (split it, or lock it).",
        number, garment->name, busiest, garment->degree, CLOTH_DEGREE_LIMIT);
}

hed_status cloth_garment_around(const cloth_garment *garment, bool free_only, hed_arena *arena,
    uint32_t **first, uint32_t **around, hed_error *error)
{
    uint64_t particles = garment->particle_count, constraints = garment->constraint_count;
    uint32_t *at = *first = hed_arena_new(arena, particles + 1, sizeof *at, error);
    *around = hed_arena_new(arena, 2 * constraints, sizeof **around, error);
    if (arena->failed) return HED_ERROR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < constraints; k++) {
            const uint32_t ends[2] = {garment->constraints[k].a, garment->constraints[k].b};
            for (int e = 0; e < 2; e++) {
                if (free_only && !colouring_is_free(garment, ends[e])) continue;
                if (pass) (*around)[at[ends[e]]++] = k;
                else at[ends[e] + 1]++;
            }
        }
        for (uint32_t i = 0; !pass && i < particles; i++) at[i + 1] += at[i];
    }
    memmove(at + 1, at, particles * sizeof *at);
    at[0] = 0;
    return HED_OK;
}

/* Finds the first colour from LOW_COLOURS on that no earlier constraint at either end has. */
static uint32_t first_high(colouring *work, uint32_t constraint)
{
    const hed_cloth_constraint *c = work->garment->constraints + constraint;
    const uint32_t ends[2] = {c->a, c->b};
    for (int e = 0; e < 2; e++)
        for (uint32_t q = work->around_at[ends[e]];
             q < work->around_at[ends[e] + 1] && work->around[q] < constraint; q++)
            work->stamp[work->colour[work->around[q]]] = constraint + 1;
    uint32_t colour = LOW_COLOURS;
    while (work->stamp[colour] == constraint + 1) colour++;
    return colour;
}

static uint64_t taken(const colouring *work, uint32_t constraint)
{
    const hed_cloth_constraint *c = work->garment->constraints + constraint;
    return work->masks[c->a] | work->masks[c->b];
}

/* Marks a low colour at the free ends, or removes the mark. */
static void colouring_mark(colouring *work, uint32_t constraint, uint32_t colour)
{
    const hed_cloth_constraint *c = work->garment->constraints + constraint;
    uint64_t bit = (uint64_t)1 << colour;
    if (colouring_is_free(work->garment, c->a)) work->masks[c->a] ^= bit;
    if (colouring_is_free(work->garment, c->b)) work->masks[c->b] ^= bit;
}

static void colour_greedily(colouring *work)
{
    for (uint32_t k = 0; k < work->constraints; k++) {
        uint64_t free = ~taken(work, k);
        uint32_t colour = free ? (uint32_t)__builtin_ctzll(free) : first_high(work, k);
        if (colour < LOW_COLOURS) colouring_mark(work, k, colour);
        work->colour[k] = colour;
        work->used[colour]++;
        if (colour >= work->colour_count) work->colour_count = colour + 1;
    }
}

/* Balances the low colours. Constraints with a high colour stay: they are the few around a hub. */
static void balance(colouring *work)
{
    uint64_t palette =
        work->colour_count >= LOW_COLOURS ? ~(uint64_t)0 : ((uint64_t)1 << work->colour_count) - 1;
    for (uint32_t k = 0; k < work->constraints; k++) {
        uint32_t colour = work->colour[k], best = colour;
        if (colour >= LOW_COLOURS) continue;
        for (uint64_t free = palette & ~taken(work, k); free; free &= free - 1) {
            uint32_t candidate = (uint32_t)__builtin_ctzll(free);
            if (work->used[candidate] + 1 < work->used[best] + (best != colour)) best = candidate;
        }
        if (best == colour) continue;
        colouring_mark(work, k, colour);
        colouring_mark(work, k, best);
        work->used[colour]--;
        work->used[best]++;
        work->colour[k] = best;
    }
}

/* Orders the colours: a colour with more edges comes later, as a sweep should end on edges.
 * `place`: (2 x colours) new number of each colour, then scratch. */
static void order_colours(const colouring *work, uint32_t *place, double *softness)
{
    const cloth_garment *garment = work->garment;
    for (uint32_t k = 0; k < work->constraints; k++)
        softness[work->colour[k]] += garment->families[k];
    for (uint32_t c = 0; c < work->colour_count; c++) softness[c] /= (double)work->used[c];
    uint32_t *order = place + work->colour_count;
    for (uint32_t c = 0; c < work->colour_count; c++) {
        uint32_t at = c;
        for (; at && softness[order[at - 1]] < softness[c]; at--) order[at] = order[at - 1];
        order[at] = c;
    }
    for (uint32_t c = 0; c < work->colour_count; c++) place[order[c]] = c;
}

/* Sorts constraint numbers by (colour, lower particle): two stable counting sorts, into `from`,
 * then `to`. */
static void sort_numbers(
    const colouring *work, const uint32_t *place, uint32_t *from, uint32_t *to, uint32_t *low_at)
{
    const cloth_garment *garment = work->garment;
    for (uint32_t k = 0; k < work->constraints; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        low_at[(c->a < c->b ? c->a : c->b) + 1]++;
    }
    for (uint32_t i = 0; i < garment->particle_count; i++) low_at[i + 1] += low_at[i];
    for (uint32_t k = 0; k < work->constraints; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        from[low_at[c->a < c->b ? c->a : c->b]++] = k;
    }
    uint32_t *at = garment->colour_at;
    for (uint32_t c = 0; c < work->colour_count; c++) at[place[c] + 1] = (uint32_t)work->used[c];
    for (uint32_t c = 0; c < work->colour_count; c++) at[c + 1] += at[c];
    for (uint32_t q = 0; q < work->constraints; q++)
        to[at[place[work->colour[from[q]]]]++] = from[q];
    memmove(at + 1, at, work->colour_count * sizeof *at);
    at[0] = 0;
}

static hed_status sort_by_colour(colouring *work, hed_error *error)
{
    cloth_garment *garment = work->garment;
    hed_arena *scratch = &work->scratch;
    uint32_t colours = work->colour_count, count = work->constraints;
    garment->colour_count = colours;
    garment->colour_at =
        hed_arena_new(&garment->arena, (uint64_t)colours + 1, sizeof *garment->colour_at, error);
    uint32_t *place = hed_arena_new(scratch, 2 * (uint64_t)colours, sizeof *place, error);
    double *softness = hed_arena_new(scratch, colours, sizeof *softness, error);
    uint32_t *numbers = hed_arena_new(scratch, 2 * (uint64_t)count, sizeof *numbers, error);
    uint32_t *low_at =
        hed_arena_new(scratch, (uint64_t)garment->particle_count + 1, sizeof *low_at, error);
    hed_cloth_constraint *constraints = hed_arena_new(scratch, count, sizeof *constraints, error);
    uint8_t *families = hed_arena_new(scratch, count, sizeof *families, error);
    if (!garment->colour_at || scratch->failed) return HED_ERROR_MEMORY;
    order_colours(work, place, softness);
    sort_numbers(work, place, numbers, numbers + count, low_at);
    for (uint32_t q = 0; q < count; q++) {
        constraints[q] = garment->constraints[numbers[count + q]];
        families[q] = garment->families[numbers[count + q]];
    }
    memcpy(garment->constraints, constraints, count * sizeof *constraints);
    memcpy(garment->families, families, count * sizeof *families);
    return HED_OK;
}

hed_status cloth_colour_constraints(cloth_garment *garment, uint32_t number, hed_error *error)
{
    hed_status status = cloth_count_degree(garment, number, error);
    if (status) return status;
    /* Locked ends make no conflict, so at most D - 1 other constraints block colours at each
     * end: 2 D - 1 colours are always enough. */
    colouring work = {.garment = garment,
        .constraints = cloth_kept_constraints(garment),
        .colour_limit = 2 * garment->degree + LOW_COLOURS + 1};
    work.scratch = (hed_arena){.allocator = garment->arena.allocator, .owner = "colours of cloth"};
    work.colour = hed_arena_new(&work.scratch, work.constraints, sizeof *work.colour, error);
    work.masks = hed_arena_new(&work.scratch, garment->particle_count, sizeof *work.masks, error);
    work.used = hed_arena_new(&work.scratch, work.colour_limit, sizeof *work.used, error);
    work.stamp = hed_arena_new(&work.scratch, work.colour_limit, sizeof *work.stamp, error);
    if (work.scratch.failed) status = HED_ERROR_MEMORY;
    if (!status && 2 * garment->degree > LOW_COLOURS)
        status = cloth_garment_around(
            garment, true, &work.scratch, &work.around_at, &work.around, error);
    if (!status) {
        colour_greedily(&work);
        balance(&work);
        status = sort_by_colour(&work, error);
    }
    hed_arena_free(&work.scratch);
    return status;
}

/* ---- constraints of several particles ---- */

enum { COLOURS_AT_ONCE = 64, NO_COLOUR = UINT16_MAX };

static const uint32_t *particles_of(const void *items, uint32_t k, size_t size)
{
    return (const uint32_t *)((const char *)items + k * size);
}

/* Assigns to each item the first colour that no free particle of it has yet; items for which 64
 * colours are too few wait for the next 64. Returns the number of colours. */
static uint32_t colour_items(const cloth_garment *garment, const void *items, uint32_t count,
    size_t size, uint32_t width, uint16_t *colour, uint64_t *taken_by)
{
    uint32_t colours = 0;
    memset(colour, 0xff, count * sizeof *colour);
    for (uint32_t first = 0, left = count; left; first += COLOURS_AT_ONCE) {
        memset(taken_by, 0, garment->particle_count * sizeof *taken_by);
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t *particle = particles_of(items, k, size);
            uint64_t mask = 0;
            if (colour[k] != NO_COLOUR) continue;
            for (uint32_t v = 0; v < width; v++)
                if (colouring_is_free(garment, particle[v])) mask |= taken_by[particle[v]];
            if (mask == UINT64_MAX) continue;
            uint32_t bit = (uint32_t)__builtin_ctzll(~mask);
            for (uint32_t v = 0; v < width; v++) taken_by[particle[v]] |= (uint64_t)1 << bit;
            colour[k] = (uint16_t)(first + bit);
            if (first + bit >= colours) colours = first + bit + 1;
            left--;
        }
    }
    return colours;
}

hed_status cloth_colour_items(cloth_garment *garment, const void *items, uint32_t count,
    size_t size, uint32_t width, void **sorted, uint32_t *colours, uint32_t **at, hed_error *error)
{
    hed_arena scratch = {.allocator = garment->arena.allocator, .owner = "colours of cloth"};
    uint16_t *colour = hed_arena_new(&scratch, count, sizeof *colour, error);
    uint64_t *taken_by = hed_arena_new(&scratch, garment->particle_count, sizeof *taken_by, error);
    if (!scratch.failed)
        *colours = colour_items(garment, items, count, size, width, colour, taken_by);
    *sorted = hed_arena_new(&garment->arena, count, size, error);
    uint32_t *first = *at =
        hed_arena_new(&garment->arena, (uint64_t)*colours + 1, sizeof *first, error);
    hed_status status = scratch.failed || !*sorted || !first ? HED_ERROR_MEMORY : HED_OK;
    if (!status) {
        for (uint32_t k = 0; k < count; k++) first[colour[k] + 1]++;
        for (uint32_t c = 0; c < *colours; c++) first[c + 1] += first[c];
        for (uint32_t k = 0; k < count; k++)
            memcpy((char *)*sorted + first[colour[k]]++ * size, particles_of(items, k, size), size);
        memmove(first + 1, first, *colours * sizeof *first);
        first[0] = 0;
    }
    hed_arena_free(&scratch);
    return status;
}
