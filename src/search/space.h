/* How a space is kept, and what the search asks of it.
 *
 * Parameters that share a constraint are tied into one component, which lists its valid
 * combinations; a space is the product of its components, and a point's index is a number in the
 * mixed radix of their lengths, the first component being the most significant digit. A
 * configuration is handled as its row: for each parameter the place of the value among the
 * parameter's values.
 */
#ifndef HED_SEARCH_SPACE_H
#define HED_SEARCH_SPACE_H

#include "heddle/space.h"

enum { HED_MAX_VALUES = 255 }; /* of one parameter: a place among them fits a byte */

/* A list of combinations of some parameters. */
typedef struct hed_component {
    /* (width) which ones, in the order of a combination's columns */
    uint8_t parameters[HED_MAX_PARAMETERS];
    uint32_t width;
    uint8_t *rows;  /* (count x width) places of values */
    uint64_t count; /* combinations */
    uint64_t capacity;
    /* (count) rows in lexicographic order; NULL: they are in that order already */
    uint32_t *sorted;
} hed_component;

struct hed_space {
    hed_allocator allocator;
    const hed_parameter_def *parameters; /* (parameter_count) */
    uint32_t parameter_count;
    hed_component components[HED_MAX_PARAMETERS];
    uint32_t component_count;
    uint64_t count;
};

/* A space of these parameters without components, for the constructors. Errors: ARGUMENT,
 * MEMORY. */
hed_status hed_space_begin(const hed_allocator *allocator, const hed_parameter_def *parameters,
    uint32_t parameter_count, hed_space **space, hed_error *error);
/* Adds a combination (width bytes). false: no memory. */
bool hed_component_add(hed_space *space, hed_component *component, const uint8_t *row);
/* Gives back what a finished component's list has too much; keeps it where there is no memory for
 * that. */
void hed_component_trim(hed_space *space, hed_component *component);
/* Fills the components from the constraints and conditions of a definition (space_build.c). Errors:
 * ARGUMENT, FORMAT, MEMORY, LIMIT. */
hed_status hed_space_build(hed_space *space, const hed_space_def *def, hed_error *error);

/* Place of a parameter's value; its count where it has no such value. */
uint32_t hed_parameter_place(const hed_parameter_def *parameter, int64_t value);
/* The row (parameter_count) of point `index`. */
void hed_space_row(const hed_space *space, uint64_t index, uint8_t *row);
/* The point with this row; UINT64_MAX where it is none of the space. */
uint64_t hed_space_find_row(const hed_space *space, const uint8_t *row);

/* How far apart the values of a parameter are, for distances between configurations and for the
 * model's covariance. */

/* The values of one parameter. */
typedef struct hed_value_scale {
    uint32_t count;
    bool unordered; /* named choices: any two are equally far apart */
    bool has_twos;  /* `twos` tells something that the position does not */
    /* no power of two, where others are: seldom divides a problem's size */
    bool uneven[HED_MAX_VALUES];
    /* 0 to 1 by the value's logarithm; by its place where a value is not positive */
    float position[HED_MAX_VALUES];
    /* factors 2 of the value, at most 7: multiples of a warp's width become neighbours */
    uint8_t twos[HED_MAX_VALUES];
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
