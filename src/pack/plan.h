/* Structures shared by the packing methods: the problem without its empty types, and a plan, the
 * rows before they are assigned to warps. A row is the work of a warp at one time, `lanes` lanes;
 * with more entities than lanes a warp has several rows. */
#ifndef HED_PACK_PLAN_H
#define HED_PACK_PLAN_H

#include "heddle/pack.h"

enum {
    /* maximum number of kinds of rows; each method explains its bound */
    PACK_KINDS = 3 * HED_PACK_MAX_TYPES,
    PACK_PARTS = 4 * HED_PACK_MAX_TYPES
};

/* Types with at least one entity, in their order. */
typedef struct pack_problem {
    uint32_t types, lanes, warps;
    /* available rows: `warps`, times the rounds that this number of entities needs */
    uint32_t rows;
    uint32_t total;                    /* entities */
    uint32_t type[HED_PACK_MAX_TYPES]; /* index of each type in the definition */
    uint32_t count[HED_PACK_MAX_TYPES];
    uint32_t full[HED_PACK_MAX_TYPES], rest[HED_PACK_MAX_TYPES]; /* count = full x lanes + rest */
    double cost[HED_PACK_MAX_TYPES];
} pack_problem;

/* Entities of one type in a row; the next row of that kind has the following `count`. */
typedef struct pack_part {
    uint32_t type; /* index in the problem */
    uint32_t first, count;
} pack_part;

/* `repeat` rows with equal numbers of each type. */
typedef struct pack_kind {
    uint32_t first_part, parts, repeat;
    double cost;
} pack_kind;

/* Rows, in an order in which each type's entities are numbered consecutively: even a million rows
 * form only a few kinds. */
typedef struct pack_plan {
    uint32_t kinds, parts, rows;
    uint32_t next[HED_PACK_MAX_TYPES]; /* first entity of each type that has no row yet */
    /* order of the kinds in a warp: most expensive first, equal ones in plan order */
    uint8_t order[PACK_KINDS];
    pack_kind kind[PACK_KINDS];
    pack_part part[PACK_PARTS];
} pack_plan;

/* Construction of a plan: start, then for each kind its rows and its parts, finally the order. */
void pack_start(pack_plan *plan);
void pack_begin_kind(pack_plan *plan, uint32_t repeat);
void pack_add_part(pack_plan *plan, const pack_problem *problem, uint32_t type, uint32_t count);
void pack_finish(pack_plan *plan);
uint32_t pack_occupancy(const pack_plan *plan); /* maximum number of types in a row */

/* Destination of pieces; pieces beyond `capacity` are only counted. */
typedef struct pack_output {
    hed_pack_piece *pieces;
    uint32_t capacity, count;
} pack_output;

static inline void pack_write(pack_output *output, hed_pack_piece piece)
{
    if (output->count < output->capacity) output->pieces[output->count] = piece;
    output->count++;
}

/* ---- runs.c: types in order, cut into runs; each run begins a new row and has no gaps ---- */

void pack_greedy(const pack_problem *problem, pack_plan *plan, uint32_t *iterations);
void pack_exact(const pack_problem *problem, pack_plan *plan);
/* Returns false, without a plan, if the most expensive row costs at least `bound`. */
bool pack_exact_cost(const pack_problem *problem, double bound, pack_plan *plan);
/* Lower bound on the maximum number of types in a row, over all layouts in order. */
uint32_t pack_occupancy_bound(const pack_problem *problem);

/* ---- spread.c ---- */

void pack_spread(const pack_problem *problem, pack_plan *plan);
/* One type per row. */
void pack_rows(const pack_problem *problem, pack_plan *plan);

/* ---- pack.c: pieces without a plan ---- */

void pack_naive(const pack_problem *problem, pack_output *output, hed_pack_layout *layout);

/* ---- place.c: assignment of rows to warps ---- */

/* Number of rows of each kind per warp, and each warp's total cost. */
typedef struct pack_placing {
    uint32_t rows[HED_PACK_MAX_WARPS][PACK_KINDS];
    double load[HED_PACK_MAX_WARPS];
} pack_placing;

/* Assigns row i to warp i if there are no more rows than warps; else each row to the least loaded
 * warp, most expensive rows first. */
void pack_place(const pack_problem *problem, const pack_plan *plan, pack_placing *placing);
/* Assigns the rows of a plan of pack_rows() to the least loaded warps, or by the exact layout by
 * cost if that is better. */
void pack_place_lists(const pack_problem *problem, const pack_plan *plan, pack_placing *placing);
double pack_highest_load(const pack_problem *problem, const pack_placing *placing);

#endif
