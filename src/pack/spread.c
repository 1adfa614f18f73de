/* Packing without contiguity: at most k types in a row, for the least k. Vose's construction of
 * alias tables (IEEE Transactions on Software Engineering 17, 1991) is the case k = 2.
 *
 * m types with S entities fit into b rows of L lanes, k types in each, if S <= b L and m <= (k - 1)
 * b + 1: of the types in order of size take the first k neighbours that suffice for a row, fill a
 * row with them and split the last. This removes k - 1 types and a row, so the condition remains
 * true. If no k neighbours suffice, any k types fit a row.
 *
 * The condition is also necessary, unless types fall into groups with rows of their own, each of
 * which has its own "+ 1" (finding such groups is strongly NP-hard). k is never below m / b, so
 * this is the least k if m <= b + 1, and otherwise at most one above it. To gain that one, groups
 * of a single row are tried: k whole types that nearly fill it.
 *
 * Each kind of row takes all full rows of a type, or the last of a type, or all spare rows (until
 * the number of types that end exceeds the number of rows): at most 3 kinds per type, and 4
 * parts. */
#include "pack/plan.h"

#include <string.h>

/* Unassigned rest: types in order of size, and the remaining rows. */
typedef struct remainder {
    const pack_problem *problem;
    pack_plan *plan;
    uint32_t limit; /* maximum number of types in a row: k */
    uint32_t types, rows, entities;
    uint32_t type[HED_PACK_MAX_TYPES], count[HED_PACK_MAX_TYPES];
} remainder;

static void pack_insert(remainder *r, uint32_t type, uint32_t count)
{
    uint32_t i = r->types++;
    for (; i > 0 && r->count[i - 1] > count; i--) {
        r->type[i] = r->type[i - 1];
        r->count[i] = r->count[i - 1];
    }
    r->type[i] = type;
    r->count[i] = count;
}

static void pack_erase(remainder *r, uint32_t from, uint32_t number)
{
    uint32_t tail = r->types - from - number;
    memmove(r->type + from, r->type + from + number, tail * sizeof r->type[0]);
    memmove(r->count + from, r->count + from + number, tail * sizeof r->count[0]);
    r->types -= number;
}

/* True if this many types and entities fit into this many rows, by the condition above. */
static bool pack_possible(const remainder *r, uint32_t types, uint32_t entities, uint32_t rows)
{
    return entities <= (uint64_t)rows * r->problem->lanes &&
           types <= (uint64_t)(r->limit - 1) * rows + 1;
}

/* Gives the largest type rows of its own, as many as can be spared, so that rows of k types remain
 * the exception. */
static bool pack_take_alone(remainder *r)
{
    uint32_t lanes = r->problem->lanes, last = r->types - 1, type = r->type[last],
             count = r->count[last];
    if (count < lanes) {
        if (!pack_possible(r, last, r->entities - count, r->rows - 1)) return false;
        pack_begin_kind(r->plan, 1);
        pack_add_part(r->plan, r->problem, type, count);
        r->types--;
        r->rows--;
        r->entities -= count;
        return true;
    }
    uint32_t needed = (last + r->limit - 2) / (r->limit - 1), repeat = count / lanes;
    if (r->rows <= needed) return false;
    if (repeat > r->rows - needed) repeat = r->rows - needed;
    pack_begin_kind(r->plan, repeat);
    pack_add_part(r->plan, r->problem, type, lanes);
    r->types--;
    r->rows -= repeat;
    r->entities -= repeat * lanes;
    if (count > repeat * lanes) pack_insert(r, type, count - repeat * lanes);
    return true;
}

/* Fills one row from the types at `from` and after it, until it is full or has `most` types. */
static void pack_take_neighbours(remainder *r, uint32_t from)
{
    uint32_t room = r->problem->lanes, i = from;
    pack_begin_kind(r->plan, 1);
    for (; room > 0 && i < r->types && i - from < r->limit; i++) {
        uint32_t count = r->count[i] < room ? r->count[i] : room;
        pack_add_part(r->plan, r->problem, r->type[i], count);
        r->count[i] -= count;
        room -= count;
    }
    r->rows--;
    r->entities -= r->problem->lanes - room;
    uint32_t split = r->type[i - 1], left = r->count[i - 1];
    pack_erase(r, from, i - from);
    if (left > 0) pack_insert(r, split, left);
}

/* Index of the first `most` neighbours that suffice for a row; else of the last ones. */
static uint32_t pack_first_enough(const remainder *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->types; i++) {
        sum += r->count[i];
        if (i + 1 < r->limit) continue;
        uint32_t begin = i + 1 - r->limit;
        if (sum >= r->problem->lanes) return begin;
        sum -= r->count[begin];
    }
    return r->types > r->limit ? r->types - r->limit : 0;
}

/* Fills a row with `most` whole types that leave few lanes empty: the largest neighbours that fit,
 * then each, smallest first, is replaced by the largest type that fits. Returns false if the types
 * are too large, or if the rest would not fit. */
static bool pack_take_group(remainder *r)
{
    uint32_t lanes = r->problem->lanes, begin = 0;
    uint64_t sum = 0;
    if (r->types < r->limit || r->rows == 0) return false;
    for (uint32_t i = 0; i < r->limit; i++) sum += r->count[i];
    if (sum > lanes) return false;
    for (;
         begin + r->limit < r->types && sum - r->count[begin] + r->count[begin + r->limit] <= lanes;
         begin++)
        sum += r->count[begin + r->limit] - r->count[begin];
    uint32_t chosen[HED_PACK_MAX_TYPES], end = r->types;
    for (uint32_t i = 0; i < r->limit; i++) {
        chosen[i] = begin + i;
        for (uint32_t candidate = end; candidate-- > begin + r->limit;) {
            if (sum - r->count[begin + i] + r->count[candidate] > lanes) continue;
            sum += r->count[candidate] - r->count[begin + i];
            chosen[i] = end = candidate;
            break;
        }
    }
    if (r->entities - sum > (uint64_t)(r->rows - 1) * lanes) return false;
    pack_begin_kind(r->plan, 1);
    for (uint32_t i = 0; i < r->limit; i++)
        pack_add_part(r->plan, r->problem, r->type[chosen[i]], r->count[chosen[i]]);
    for (uint32_t i = 0; i < r->limit; i++) r->count[chosen[i]] = 0;
    for (uint32_t i = r->types; i-- > 0;)
        if (r->count[i] == 0) pack_erase(r, i, 1);
    r->rows--;
    r->entities -= (uint32_t)sum;
    return true;
}

static bool pack_try_spread(const pack_problem *p, uint32_t limit, pack_plan *plan)
{
    remainder r = {
        .problem = p, .plan = plan, .limit = limit, .rows = p->rows, .entities = p->total};
    pack_start(plan);
    for (uint32_t type = 0; type < p->types; type++) pack_insert(&r, type, p->count[type]);
    while (!pack_possible(&r, r.types, r.entities, r.rows))
        if (!pack_take_group(&r)) return false;
    while (r.types > 0)
        if (!pack_take_alone(&r)) pack_take_neighbours(&r, pack_first_enough(&r));
    return true;
}

void pack_spread(const pack_problem *p, pack_plan *plan)
{
    uint32_t alone = 0;
    for (uint32_t type = 0; type < p->types; type++) alone += p->full[type] + (p->rest[type] > 0);
    if (alone <= p->rows) {
        pack_rows(p, plan);
        return;
    }
    uint32_t minimum = p->types > p->rows ? (p->types + p->rows - 1) / p->rows : 2;
    if (pack_try_spread(p, minimum, plan)) return;
    pack_start(plan);
    pack_exact(p, plan); /* fallback, so that the result is never worse than exact */
    if (pack_occupancy(plan) > minimum) pack_try_spread(p, minimum + 1, plan);
}

/* ---- row lists ---- */

/* Rows of a single type: no divergence, and the order of rows is irrelevant. */

void pack_rows(const pack_problem *p, pack_plan *plan)
{
    for (uint32_t type = 0; type < p->types; type++) {
        if (p->full[type] > 0) {
            pack_begin_kind(plan, p->full[type]);
            pack_add_part(plan, p, type, p->lanes);
        }
        if (p->rest[type] > 0) {
            pack_begin_kind(plan, 1);
            pack_add_part(plan, p, type, p->rest[type]);
        }
    }
}
