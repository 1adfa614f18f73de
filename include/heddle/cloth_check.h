/** @file cloth_check.h
 *  Exact detection of triangles of cloth that cross each other or a body. Part of heddle-cloth.
 *  Thread class of everything here: any.
 *
 *  Two triangles cross if an edge of one has its ends strictly on both sides of the other and
 *  passes through it. An edge that has a corner in common with a triangle (the same vertex, or
 *  another at the same position, as at a seam) meets it there alone, so triangles with an edge in
 *  common never cross, and those with a corner in common may. Touching is not crossing: neither an
 *  end on a face, nor two triangles in one plane. The signs are those of exact numbers (Shewchuk,
 *  Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997). */
#ifndef HEDDLE_CLOTH_CHECK_H
#define HEDDLE_CLOTH_CHECK_H

#include "heddle/cloth.h"

HED_BEGIN

/** Triangles of a garment or a body at one moment. */
typedef struct hed_cloth_check_surface {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /**< (vertex_count x 3), in any unit */
    const uint32_t *triangles; /**< (triangle_count x 3) vertices */
    bool body;                 /**< true: not cloth; bodies are not checked against themselves */
} hed_cloth_check_surface;

/** Input of a check. Start from {0}. */
typedef struct hed_cloth_check_def {
    const hed_cloth_check_surface *surfaces; /**< (surface_count) */
    uint32_t surface_count;
    /** (shape_count) planes, spheres and capsules that cloth may not enter, in the unit of the
     *  surfaces; their friction is not used */
    const hed_cloth_collider *shapes;
    uint32_t shape_count;
    bool only_bodies; /**< true: cloth is not checked against cloth, but bodies and shapes alone */
} hed_cloth_check_def;

/** Kind of a crossing. */
typedef enum hed_cloth_crossing_kind {
    HED_CLOTH_CROSSES_ITSELF, /**< two triangles of one garment */
    HED_CLOTH_CROSSES_CLOTH,  /**< triangles of two garments */
    HED_CLOTH_CROSSES_BODY,   /**< triangles of a garment and of a body */
    /** a triangle is inside a shape by more than rounding: eight float steps of the largest
     *  coordinate */
    HED_CLOTH_CROSSES_SHAPE,
    HED_CLOTH_CROSSING_KIND_COUNT
} hed_cloth_crossing_kind;

/** Returns a phrase for a kind, such as "of two garments". */
HED_API const char *hed_cloth_crossing_kind_name(hed_cloth_crossing_kind kind);

/** A pair that crosses. */
typedef struct hed_cloth_crossing {
    hed_cloth_crossing_kind kind;
    /** indices of the surfaces; the second one may be the index of a shape */
    uint32_t surface[2];
    uint32_t triangle[2]; /**< indices within the surfaces; the second one of a shape is 0 */
    double place[3];      /**< centre of the intersection, or the deepest point */
    double depth;         /**< depth inside a shape; else 0 */
} hed_cloth_crossing;

/** Maximum number of listed pairs; all pairs are counted. */
enum { HED_CLOTH_MOST_CROSSINGS = 1 << 20 };

/** Result of a check. */
typedef struct hed_cloth_crossings {
    uint64_t count[HED_CLOTH_CROSSING_KIND_COUNT];
    hed_cloth_crossing *pairs; /**< (pair_count) sorted by kind, surfaces, triangles */
    uint32_t pair_count;
    double deepest; /**< maximum depth inside a shape */
    uint64_t tests; /**< number of pairs of triangles with overlapping boxes */
    uint64_t exact; /**< number of signs that needed exact arithmetic */
} hed_cloth_crossings;

/** Finds all pairs that cross. Time is about n log n for n triangles, few of which are near each
 *  other.
 *  Errors: ARGUMENT (an index out of bounds, a position that is not finite: the text names surface
 *  and vertex), LIMIT (over 2^31 triangles), MEMORY. */
HED_API hed_status hed_cloth_check(
    const hed_cloth_check_def *def, hed_cloth_crossings *found, hed_error *error);
/** Frees the pairs and clears the result. */
HED_API void hed_cloth_crossings_free(hed_cloth_crossings *found);

HED_END

#endif
