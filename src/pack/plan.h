/* What the methods of packing share: the problem without its empty types, and a plan: which rows
 * there are, before it is said which warp runs them. A row is what a warp does at once,
 * `lanes` lanes. With more entities than lanes a warp has several. */
#ifndef HED_PACK_PLAN_H
#define HED_PACK_PLAN_H

#include "heddle/pack.h"

enum {
    PACK_KINDS = 3 * HED_PACK_MAX_TYPES, /* of rows; each method says why it needs no more */
    PACK_PARTS = 4 * HED_PACK_MAX_TYPES
};

/* The types that have entities, in their order. */
typedef struct pack_problem {
    uint32_t types, lanes, warps;
    /* that may be used: `warps`, times the rounds that so many entities need */
    uint32_t rows;
    uint32_t total;                    /* entities */
    uint32_t type[HED_PACK_MAX_TYPES]; /* number in the definition */
    uint32_t count[HED_PACK_MAX_TYPES];
    uint32_t full[HED_PACK_MAX_TYPES], rest[HED_PACK_MAX_TYPES]; /* count = full x lanes + rest */
    double cost[HED_PACK_MAX_TYPES];
} pack_problem;

/* Entities of one type in a row; in the next row of that kind, the `count` that follow. */
typedef struct pack_part {
    uint32_t type; /* of the problem */
    uint32_t first, count;
} pack_part;

/* `repeat` rows that are alike but for their entities. */
typedef struct pack_kind {
    uint32_t first_part, parts, repeat;
    double cost;
} pack_kind;

/* Rows in an order in which each type's entities are numbered one behind another: a million are a
 * few kinds. */
typedef struct pack_plan {
    uint32_t kinds, parts, rows;
    uint32_t next[HED_PACK_MAX_TYPES]; /* first entity of the type that has no row yet */
    /* of the kinds in a warp: most expensive first, equal ones as they come */
    uint8_t order[PACK_KINDS];
    pack_kind kind[PACK_KINDS];
    pack_part part[PACK_PARTS];
} pack_plan;

/* Empty; then rows of a kind, and what they consist of; in the end the order. */
void pack_start(pack_plan *plan);
void pack_begin_kind(pack_plan *plan, uint32_t repeat);
void pack_add_part(pack_plan *plan, const pack_problem *problem, uint32_t type, uint32_t count);
void pack_finish(pack_plan *plan);
uint32_t pack_occupancy(const pack_plan *plan); /* most types of a row */

/* Where pieces go: what is beyond `capacity` is counted only. */
typedef struct pack_output {
    hed_pack_piece *pieces;
    uint32_t capacity, count;
} pack_output;

static inline void pack_write(pack_output *output, hed_pack_piece piece)
{
    if (output->count < output->capacity) output->pieces[output->count] = piece;
    output->count++;
}

/* ---- runs.c: types in order, cut into runs; each begins with a row of its own and is packed tight
 * ---- */

void pack_greedy(const pack_problem *problem, pack_plan *plan, uint32_t *iterations);
void pack_exact(const pack_problem *problem, pack_plan *plan);
/* False, and no plan, where the most expensive row costs no less than `below`. */
bool pack_exact_cost(const pack_problem *problem, double below, pack_plan *plan);
/* A number of types that some row has in every layout in order: never above the least possible. */
uint32_t pack_occupancy_bound(const pack_problem *problem);

/* ---- spread.c ---- */

void pack_spread(const pack_problem *problem, pack_plan *plan);
/* One type a row. */
void pack_rows(const pack_problem *problem, pack_plan *plan);

/* ---- pack.c: no plan, pieces at once ---- */

void pack_naive(const pack_problem *problem, pack_output *output, hed_pack_layout *layout);

/* ---- place.c: which warp runs which row ---- */

/* How many rows of each kind each warp has, and what that costs it. */
typedef struct pack_placing {
    uint32_t rows[HED_PACK_MAX_WARPS][PACK_KINDS];
    double load[HED_PACK_MAX_WARPS];
} pack_placing;

/* Row i on warp i where there are no more rows than warps; else each row to the least loaded warp,
 * most expensive first. */
void pack_place(const pack_problem *problem, const pack_plan *plan, pack_placing *placing);
/* For a plan of pack_rows(): the latter in any case, or the rows of the exact layout by cost where
 * that is better. */
void pack_place_lists(const pack_problem *problem, const pack_plan *plan, pack_placing *placing);
double pack_highest_load(const pack_problem *problem, const pack_placing *placing);

#endif
