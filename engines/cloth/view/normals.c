/* Normals of vertices. */
#include "normals.h"

#include "space.h"

#include <string.h>

void cloth_make_normals(const float *positions, uint32_t vertex_count, const uint32_t *triangles,
    uint32_t triangle_count, float *normals)
{
    memset(normals, 0, 3 * (size_t)vertex_count * sizeof *normals);
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *corners = triangles + 3 * t;
        const float *a = positions + 3 * (size_t)corners[0];
        float ab[3], ac[3], cross[3];
        cloth_along(positions + 3 * (size_t)corners[1], -1, a, ab);
        cloth_along(positions + 3 * (size_t)corners[2], -1, a, ac);
        cloth_cross(ab, ac, cross);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) normals[3 * (size_t)corners[c] + (size_t)k] += cross[k];
    }
}
