/** @file pack.h
 *  Packing: entities of several types are assigned to the lanes of warps so that the lanes of a
 *  warp do the same work.
 *
 *  A warp whose lanes have entities of k types runs k branches one after another. A row is a set of
 *  at most `lanes` entities that a warp processes at once; if there are more entities than lanes in
 *  all, warps process several rows. Methods:
 *   GREEDY      types in their given order, each one run; runs are merged from left to right, and
 *               the allowed number of types in a row rises by one each time nothing fits (the five
 *               steps of the Anukari devlog, "The new warp alignment optimizer")
 *   EXACT       the minimum number of types in the fullest row, for that order (dynamic programme
 *               over runs)
 *   EXACT_COST  the minimum cost of the most expensive row, for that order
 *   SPREAD      without contiguity: at most k types in a row, for the smallest k (Vose's alias
 *               construction). Proven minimal with at most rows + 1 types; else at most one more,
 *               and never more than EXACT
 *   ROWS        each warp processes a list of rows, each with entities of one type; rows go to the
 *               warp with the least load, the most expensive row first (Graham 1969). Never costs
 *               more than EXACT_COST
 *
 *  With more entities than lanes, all methods except NAIVE assign rows to warps as ROWS does.
 *  docs/packing.md has the theory. */
#ifndef HEDDLE_PACK_H
#define HEDDLE_PACK_H

#include "heddle/base.h"

HED_BEGIN

/** Limits of a hed_pack_def. */
enum {
    HED_PACK_MAX_TYPES = 32,
    HED_PACK_MAX_WARPS = 64,
    HED_PACK_MAX_LANES = 128,
    HED_PACK_MAX_ENTITIES = 0x7fffffff /**< entities of all types together */
};

/** Method of the layout. */
typedef enum hed_pack_method {
    /** the entities in turn, types interleaved: the baseline of comparisons */
    HED_PACK_NAIVE,
    HED_PACK_GREEDY,
    HED_PACK_EXACT,
    HED_PACK_EXACT_COST,
    HED_PACK_SPREAD,
    HED_PACK_ROWS,
    HED_PACK_METHOD_COUNT
} hed_pack_method;

/** Returns the name of a method: "greedy", "exact-cost", ... Thread class: rt. */
static inline const char *hed_pack_method_name(hed_pack_method method)
{
    static const char *const names[] = {"naive", "greedy", "exact", "exact-cost", "spread", "rows"};
    return (uint32_t)method < HED_PACK_METHOD_COUNT ? names[method] : "unknown";
}

/** Entities to lay out, and the method. */
typedef struct hed_pack_def {
    const uint32_t *counts; /**< (types) entities of each type; 0 is allowed */
    const float *costs;     /**< (types) time of a row for one type, > 0; NULL: all 1 */
    uint32_t types;         /**< 1 to HED_PACK_MAX_TYPES */
    uint32_t warps;         /**< 1 to HED_PACK_MAX_WARPS */
    uint32_t lanes;         /**< lanes of a warp, 1 to HED_PACK_MAX_LANES */
    hed_pack_method method;
} hed_pack_def;

/** Consecutive lanes with consecutive entities of one type: `first`, first + 1, ... */
typedef struct hed_pack_piece {
    uint32_t type, first, count;
    uint32_t warp; /**< warp of the piece */
    uint32_t row;  /**< row of the warp, from 0 */
    uint32_t lane; /**< first lane */
} hed_pack_piece;

/** A layout. */
typedef struct hed_pack_layout {
    /** number of pieces; those beyond `capacity` were not written */
    uint32_t piece_count;
    /** maximum number of rows of a warp; 1 unless there are more entities than lanes, or with
     *  ROWS */
    uint32_t rows;
    uint32_t warps_used;
    /** maximum number of distinct types in a row; with ROWS, in a warp's list */
    uint32_t max_occupancy;
    /** maximum cost of a warp: the sum over its rows of the costs of their types */
    double max_cost;
    /** GREEDY: number of times that the allowance was raised, plus one; else 0 */
    uint32_t iterations;
} hed_pack_layout;

/** Lays entities out and writes the pieces in order of warp, row and lane into `pieces` (capacity).
 *  Allocates nothing, does not recurse, needs less than 100 KiB of stack. Its time grows with the
 *  number of pieces.
 *  Thread class: rt. Errors: ARGUMENT (types, warps, lanes or method out of range, more than
 *  HED_PACK_MAX_ENTITIES, a cost that is not positive and finite), BOUNDS (`capacity` is too small:
 *  piece_count is the number needed; hed_pack_capacity() is always enough). */
HED_API hed_status hed_pack(
    const hed_pack_def *def, hed_pack_piece *pieces, uint32_t capacity, hed_pack_layout *layout);
/** Returns a capacity that is always enough; 0 for a definition that hed_pack() rejects.
 *  Thread class: rt. */
HED_API uint32_t hed_pack_capacity(const hed_pack_def *def);

HED_END

#endif
