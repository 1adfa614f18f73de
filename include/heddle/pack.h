/** @file pack.h
 *  Packing: entities of several types laid out over warps so that the lanes of a warp do the same
 *  thing.
 *
 *  A warp whose lanes hold entities of k types runs k branches one after another. What a warp does
 *  at once is a row of at most `lanes` entities; where there are more entities than lanes in all,
 *  warps run several rows. Methods:
 *    GREEDY      types in their given order, each one run; runs are merged from left to right,
 *                allowing one more type a row each time nothing fits (the five steps of the Anukari
 *                devlog, "The new warp alignment
 *                optimizer")
 *    EXACT       the least number of types in the fullest row, for that order (dynamic programme
 *                over runs)
 *    EXACT_COST  the least cost of the most expensive row, for that order
 *    SPREAD      without contiguity: at most k types a row, for the least k (Vose's alias
 *                construction). Proven least where there are at most rows + 1 types; else at most
 *                one more, and never more than EXACT
 *    ROWS        each warp walks a list of rows, a row holding entities of one type; rows go to the
 *                least loaded warp, the most expensive first (Graham 1969). Never costs more than
 *                EXACT_COST
 *
 *  With more entities than lanes all methods but NAIVE give rows to warps as ROWS does.
 *  docs/packing.md has the theory.
 */
#ifndef HEDDLE_PACK_H
#define HEDDLE_PACK_H

#include "heddle/base.h"

HED_BEGIN

/** Limits of a hed_pack_def. */
enum {
    HED_PACK_MAX_TYPES = 32,
    HED_PACK_MAX_WARPS = 64,
    HED_PACK_MAX_LANES = 128,
    HED_PACK_MAX_ENTITIES = 0x7fffffff /**< of all types together */
};

/** How to lay out. */
typedef enum hed_pack_method {
    /** the entities as they come: types interleaved in turn. What the others are compared with */
    HED_PACK_NAIVE,
    HED_PACK_GREEDY,
    HED_PACK_EXACT,
    HED_PACK_EXACT_COST,
    HED_PACK_SPREAD,
    HED_PACK_ROWS,
    HED_PACK_METHOD_COUNT
} hed_pack_method;

/** "greedy", "exact-cost", ... Thread class: rt */
static inline const char *hed_pack_method_name(hed_pack_method method)
{
    static const char *const names[] = {"naive", "greedy", "exact", "exact-cost", "spread", "rows"};
    return (uint32_t)method < HED_PACK_METHOD_COUNT ? names[method] : "unknown";
}

/** The entities to lay out, and how. */
typedef struct hed_pack_def {
    const uint32_t *counts; /**< (types) entities of each type; 0 is allowed */
    const float *costs;     /**< (types) time of a row for one type, > 0; NULL: all 1 */
    uint32_t types;         /**< 1 to HED_PACK_MAX_TYPES */
    uint32_t warps;         /**< 1 to HED_PACK_MAX_WARPS */
    uint32_t lanes;         /**< of a warp, 1 to HED_PACK_MAX_LANES */
    hed_pack_method method;
} hed_pack_def;

/** A stretch of lanes with entities of one type, consecutive: `first`, first + 1, ... */
typedef struct hed_pack_piece {
    uint32_t type, first, count;
    uint32_t warp; /**< that runs it */
    uint32_t row;  /**< of the warp's rows, from 0 */
    uint32_t lane; /**< its first */
} hed_pack_piece;

/** A layout. */
typedef struct hed_pack_layout {
    /** needed; more than fitted into `pieces` where it is above `capacity` */
    uint32_t piece_count;
    /** most rows of a warp; 1 unless there are more entities than lanes, or ROWS */
    uint32_t rows;
    uint32_t warps_used;
    uint32_t max_occupancy; /**< most distinct types of a row; for ROWS, of a warp's list */
    double max_cost;        /**< of a warp: the sum over its rows of the costs of the types in it */
    uint32_t iterations;    /**< GREEDY: how often the allowance was raised, plus one; else 0 */
} hed_pack_layout;

/** Lays entities out. Writes the pieces in order of warp, row and lane into `pieces` (capacity).
 *  Allocates nothing, does not recurse, needs less than 100 KiB of stack. Its time grows with the
 *  number of pieces. Thread class: rt. Errors: ARGUMENT (types, warps, lanes or method out of
 *  range, more than HED_PACK_MAX_ENTITIES, a cost that is not positive and finite), BOUNDS
 *  (`capacity` is too small: piece_count says what is needed; hed_pack_capacity() is always
 *  enough). */
HED_API hed_status hed_pack(
    const hed_pack_def *def, hed_pack_piece *pieces, uint32_t capacity, hed_pack_layout *layout);
/** A number of pieces that is always enough; 0 for a definition that hed_pack() refuses. Thread
 *  class: rt. */
HED_API uint32_t hed_pack_capacity(const hed_pack_def *def);

HED_END

#endif
