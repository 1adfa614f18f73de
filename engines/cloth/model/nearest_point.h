/* Nearest point of a surface: a k-d tree of its triangles. The triangle in the middle of a range is
 * its node, the halves before and after the node are its subtrees. Nearest point of a triangle:
 * Ericson, Real-Time Collision Detection, 2005, section 5.1.5. */
#ifndef CLOTH_NEAREST_H
#define CLOTH_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* Sphere around a triangle, and the box around the spheres of its subtree. */
typedef struct cloth_triangle_ball {
    float centre[3], radius;
    float low[3], high[3];
    uint32_t triangle;
} cloth_triangle_ball;

typedef struct cloth_search {
    const float *positions;     /* (vertices x 3) */
    const uint32_t *triangles;  /* (triangle_count x 3) vertices */
    uint32_t triangle_count;    /* triangles, at least 1 */
    cloth_triangle_ball *balls; /* (triangle_count) capacity; filled by cloth_search_sort() */
    float largest;              /* largest radius */
} cloth_search;

typedef struct cloth_nearest {
    uint32_t triangle; /* first a guess, then the result */
    const float
        *facing; /* limit to triangles whose normals are within 45 degrees of it; NULL: no limit */
    float weight[3]; /* weights of the triangle's corners */
    float away[3];   /* displacement from the nearest point to the given point */
    /* first the maximum distance: farther triangles are not found; then the result */
    float distance;
} cloth_nearest;

/* Prepares the search; call it again after positions have changed. */
void cloth_search_sort(cloth_search *search);
void cloth_search_nearest(const cloth_search *search, const float *point, cloth_nearest *nearest);

static inline float cloth_dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cloth_subtract3(const float *a, const float *b, float *difference)
{
    for (int k = 0; k < 3; k++) difference[k] = a[k] - b[k];
}

/* Computes a point on a triangle. */
static inline void cloth_weighted3(
    const float *positions, const uint32_t *corner, const float weight[3], float *point)
{
    for (int k = 0; k < 3; k++)
        point[k] = weight[0] * positions[3 * (size_t)corner[0] + k] +
                   weight[1] * positions[3 * (size_t)corner[1] + k] +
                   weight[2] * positions[3 * (size_t)corner[2] + k];
}

#endif
