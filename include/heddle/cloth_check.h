/** @file cloth_check.h
 *  Which triangles of cloth pass through each other or through bodies, decided exactly. Part of
 *  heddle-cloth. Thread class of everything here: any.
 *
 *  Two triangles cross where an edge of one has its ends strictly on both sides of the other and
 *  passes through it. An edge that has a corner in common with a triangle (the same vertex, or
 *  another at the same place, as at a seam) meets it there alone, so triangles with an edge in
 *  common never cross, and those with a corner in common may. Touching is not crossing: not an end
 *  on a face, and not two triangles in one plane. The signs are those of exact numbers (Shewchuk,
 *  Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997).
 */
#ifndef HEDDLE_CLOTH_CHECK_H
#define HEDDLE_CLOTH_CHECK_H

#include "heddle/cloth.h"

HED_BEGIN

/** Triangles at one moment: a garment, or a body. */
typedef struct hed_cloth_check_surface {
    uint32_t vertex_count, triangle_count;
    const float *positions;    /**< (vertex_count x 3), in any unit */
    const uint32_t *triangles; /**< (triangle_count x 3) vertices */
    bool body;                 /**< not cloth: bodies are not checked against themselves */
} hed_cloth_check_surface;

/** What is checked together. Start from {0}. */
typedef struct hed_cloth_check_def {
    const hed_cloth_check_surface *surfaces; /**< (surface_count) */
    uint32_t surface_count;
    /** (shape_count) planes, spheres and capsules that cloth may not reach into, in the unit of the
     *  surfaces; their friction is not used */
    const hed_cloth_collider *shapes;
    uint32_t shape_count;
} hed_cloth_check_def;

/** Between what. */
typedef enum hed_cloth_crossing_kind {
    HED_CLOTH_CROSSES_ITSELF, /**< two triangles of one garment */
    HED_CLOTH_CROSSES_CLOTH,  /**< of two garments */
    HED_CLOTH_CROSSES_BODY,   /**< of a garment and of a body's surface */
    /** a triangle reaches into a shape by more than rounding: eight float steps of the largest
     *  coordinate */
    HED_CLOTH_CROSSES_SHAPE,
    HED_CLOTH_CROSSING_KIND_COUNT
} hed_cloth_crossing_kind;

/** A phrase for it, such as "of two garments". */
HED_API const char *hed_cloth_crossing_kind_name(hed_cloth_crossing_kind kind);

/** A pair that crosses. */
typedef struct hed_cloth_crossing {
    hed_cloth_crossing_kind kind;
    /** the second one of a shape is its number among the shapes */
    uint32_t surface[2];
    uint32_t triangle[2]; /**< within its surface; the second one of a shape is 0 */
    double place[3];      /**< where: the middle of the passages, or the deepest point */
    double depth;         /**< in a shape; else 0 */
} hed_cloth_crossing;

/** Most pairs that hed_cloth_crossings lists; all are counted. */
enum { HED_CLOTH_MOST_CROSSINGS = 1 << 20 };

/** What was found. */
typedef struct hed_cloth_crossings {
    uint64_t count[HED_CLOTH_CROSSING_KIND_COUNT];
    hed_cloth_crossing *pairs; /**< (pair_count) by kind, surfaces, triangles */
    uint32_t pair_count;
    double deepest; /**< in a shape */
    uint64_t tests; /**< pairs of triangles with overlapping boxes */
    uint64_t exact; /**< signs that doubles left open */
} hed_cloth_crossings;

/** Looks for all pairs that cross; n triangles take some n log n time where few are near each
 *  other. Errors: ARGUMENT (an index out of bounds, a position that is not finite: the text names
 *  surface and vertex), LIMIT (over 2^31 triangles), MEMORY. */
HED_API hed_status hed_cloth_check(
    const hed_cloth_check_def *def, hed_cloth_crossings *found, hed_error *error);
/** Frees the list and sets it to nothing. */
HED_API void hed_cloth_crossings_free(hed_cloth_crossings *found);

HED_END

#endif
