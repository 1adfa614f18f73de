/** @file pack.h
 *  Who sits in which lane: entities of several types laid out over warps so that lanes of a warp do the same thing.
 *
 *  A warp whose lanes hold entities of k types runs k branches one after another. Methods (notes on each in src/pack):
 *    GREEDY  types in their given order, each one run; runs are merged from left to right, allowing one more type a warp
 *            each time nothing fits (the five steps of the Anukari devlog, "The new warp alignment optimizer")
 *    EXACT   the true minimax for that order, by number of types or by cost (dynamic programme over runs)
 *    SPREAD  without contiguity: at most k types a warp, for the least k that is possible (Vose's alias construction)
 *    ROWS    each warp walks a list of rows, a row holding at most `lanes` entities of one type; rows go to the least loaded
 *            warp, dearest first (Graham 1969). No limit on the number of entities.
 */
#ifndef HEDDLE_PACK_H
#define HEDDLE_PACK_H

#include "heddle/base.h"

HED_BEGIN

enum {
    HED_PACK_MAX_TYPES = 32,
    HED_PACK_MAX_WARPS = 64,
    HED_PACK_MAX_LANES = 128,
    HED_PACK_MAX_ENTITIES = 0x7fffffff /**< of all types together */
};

/** How to lay out. */
typedef enum hed_pack_method {
    HED_PACK_NAIVE, /**< the entities as they come: types interleaved in turn. What the others are compared with */
    HED_PACK_GREEDY,
    HED_PACK_EXACT,
    HED_PACK_EXACT_COST,
    HED_PACK_SPREAD,
    HED_PACK_ROWS,
    HED_PACK_METHOD_COUNT
} hed_pack_method;

HED_API const char *hed_pack_method_name(hed_pack_method method); /**< "greedy", ... Thread class: rt */

/** What is to be laid out. */
typedef struct hed_pack_def {
    const uint32_t *counts; /**< (types) entities of each type; 0 is allowed */
    const float *costs;     /**< (types) time of a warp for one type; NULL: all 1 */
    uint32_t types;         /**< 1 to HED_PACK_MAX_TYPES */
    uint32_t warps;         /**< 1 to HED_PACK_MAX_WARPS */
    uint32_t lanes;         /**< of a warp, 1 to 128 */
    hed_pack_method method;
} hed_pack_def;

/** A stretch of lanes with entities of one type, one behind another: `first`, first + 1, ... */
typedef struct hed_pack_piece {
    uint32_t type, first, count;
    uint32_t warp; /**< that runs it */
    uint32_t row;  /**< of the warp's rows, from 0 */
    uint32_t lane; /**< its first */
} hed_pack_piece;

/** A layout. */
typedef struct hed_pack_layout {
    uint32_t piece_count;   /**< needed; more than fitted into `pieces` where it is above `capacity` */
    uint32_t rows;          /**< most rows of a warp; 1 unless there are more entities than lanes, or ROWS */
    uint32_t warps_used;
    uint32_t max_occupancy; /**< distinct types of a warp; for ROWS, in its list */
    double max_cost;        /**< dearest warp: sum over its rows of the costs of the types in it */
    uint32_t iterations;    /**< GREEDY: how often the allowance was raised, plus one */
} hed_pack_layout;

/** Lays entities out. Writes the pieces in order of warp, row and lane into `pieces` (capacity). Allocates nothing. Thread class: rt.
 *  Errors: ARGUMENT (a count of types, warps or lanes out of range, a cost that is not positive), BOUNDS (`capacity` is too small: piece_count says
 *  what is needed; hed_pack_capacity() is always enough). */
HED_API hed_status hed_pack(const hed_pack_def *def, hed_pack_piece *pieces, uint32_t capacity, hed_pack_layout *layout);
/** A number of pieces that is always enough. Thread class: rt. */
HED_API uint32_t hed_pack_capacity(const hed_pack_def *def);

HED_END

#endif
