/* How far apart the values of a parameter are, for distances between configurations and for the
 * model's covariance.
 */
#ifndef HED_SEARCH_SCALE_H
#define HED_SEARCH_SCALE_H

#include "search/space.h"

/* The values of one parameter. */
typedef struct hed_value_scale {
    uint32_t count;
    bool unordered; /* named choices: any two are equally far apart */
    bool has_twos;  /* `twos` tells something that the position does not */
    /* no power of two, where others are: seldom divides a problem's size */
    bool uneven[HED_MAX_VALUES];
    /* 0 to 1 by the value's logarithm; by its place where a value is not positive */
    float position[HED_MAX_VALUES];
    uint8_t twos
        [HED_MAX_VALUES]; /* factors 2 of the value, at most 7: multiples of a warp's width become neighbours */
} hed_value_scale;

/* One for each parameter of a space; NULL: no memory. */
hed_value_scale *hed_value_scales_create(const hed_allocator *allocator, const hed_space *space);
void hed_value_scales_destroy(
    const hed_allocator *allocator, const hed_space *space, hed_value_scale *scales);

/* Between two values, by place: 0 to 1. */
static inline float hed_value_distance(const hed_value_scale *scale, uint32_t a, uint32_t b)
{
    if (scale->unordered) return a != b;
    float difference = scale->position[a] - scale->position[b];
    return difference < 0 ? -difference : difference;
}

#endif
