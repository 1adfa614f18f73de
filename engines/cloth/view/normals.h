/* Normals of vertices from the triangles around them. */
#ifndef CLOTH_NORMALS_H
#define CLOTH_NORMALS_H

#include "heddle/base.h"

/* The sum of the triangles' cross products, which weighs them by area, not brought to length 1 (the
 * shader does that). `normals` (vertex_count x 3). Indices must be below vertex_count. */
void cloth_make_normals(const float *positions, uint32_t vertex_count, const uint32_t *triangles,
    uint32_t triangle_count, float *normals);

#endif
