/* Representation of a space.
 *
 * Parameters with a common constraint are tied into one component, which lists its valid
 * combinations; a space is the product of its components. A point's index is a number in the mixed
 * radix of their lengths, with the first component as the most significant digit. A configuration
 * is represented by its row: for each parameter the index of its value in the parameter's list. */
#ifndef HED_SEARCH_SPACE_ROWS_H
#define HED_SEARCH_SPACE_ROWS_H

#include "heddle/space.h"

enum {
    HED_MAX_VALUES = 65535, /* maximum number of values of a parameter: an index fits a place */
    HED_MAX_CELLS = 255     /* maximum number of cells of a parameter: an index fits a byte */
};

/* Index of a value in its parameter's list. */
typedef uint16_t hed_place;

/* List of combinations of some parameters. */
typedef struct hed_component {
    /* (width) indices of the parameters, in the order of a combination's columns */
    uint8_t parameters[HED_MAX_PARAMETERS];
    uint32_t width;
    hed_place *rows; /* (count x width) */
    uint64_t count;  /* combinations */
    uint64_t capacity;
    /* (count) rows in lexicographic order; NULL: `rows` is in that order */
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

/* Creates a space of these parameters without components, for the constructors. Errors: ARGUMENT,
 * MEMORY. */
hed_status hed_space_begin(const hed_allocator *allocator, const hed_parameter_def *parameters,
    uint32_t parameter_count, hed_space **space, hed_error *error);
/* Adds a combination (width). Returns false if memory is short. */
bool hed_component_add(hed_space *space, hed_component *component, const hed_place *row);
/* Shrinks a finished component's list to its length; keeps it as it is if memory is short. */
void hed_component_trim(hed_space *space, hed_component *component);
/* Fills the components from a definition's constraints and conditions. Errors: ARGUMENT, FORMAT,
 * MEMORY, LIMIT. */
hed_status hed_space_build(hed_space *space, const hed_space_def *def, hed_error *error);

/* Index of a parameter's value; its count if it has no such value. */
uint32_t hed_parameter_place(const hed_parameter_def *parameter, int64_t value);
/* Writes the row (parameter_count) of point `index`. */
void hed_space_row(const hed_space *space, uint64_t index, hed_place *row);
/* The point with this row; UINT64_MAX if the space lacks it. */
uint64_t hed_space_find_row(const hed_space *space, const hed_place *row);

/* Scales of parameters, for distances between configurations and for the model's covariance. The
 * values of a parameter are its cells; if there are more than HED_MAX_CELLS values, a cell holds
 * several neighbouring ones, which the model does not distinguish. */

/* Scale of one parameter. */
typedef struct hed_value_scale {
    uint32_t count;       /* cells */
    uint32_t value_count; /* values */
    /* (value_count) cell of each value; NULL: each value is a cell */
    uint8_t *cells;
    bool unordered; /* named choices: any two are equally distant */
    bool has_twos;  /* `twos` adds information to the position */
    /* three or more positive sizes; false for switches and for numbers of choices from 0 on */
    bool has_middle;
    bool sizes_group; /* size of the group, by its name: block_size_x, WG, LOCAL_Y */
    float middle;     /* position of the first question, 0 to 1 */
    bool is_work;     /* the next two questions have less and more of it */
    /* doublings from the smallest to the largest tile; 0: no tile by its name */
    double tile_doublings;
    /* seldom the best: not a power of two, although other values are, so it seldom divides a
     * problem's size; or a factor of unrolling, although the value 0 leaves the factor to the
     * compiler */
    bool doubtful[HED_MAX_CELLS];
    /* 0 to 1, by the logarithm of the value; by its index if a value is not positive */
    float position[HED_MAX_CELLS];
    /* factors 2 of the value, at most 7: multiples of a warp's width become neighbours */
    uint8_t twos[HED_MAX_CELLS];
} hed_value_scale;

/* Creates a scale for each parameter of a space; NULL if memory is short. */
hed_value_scale *hed_value_scales_create(const hed_allocator *allocator, const hed_space *space);
void hed_value_scales_destroy(
    const hed_allocator *allocator, const hed_space *space, hed_value_scale *scales);

/* Writes the cells (parameter_count) of a row. */
void hed_value_cells(
    const hed_value_scale *scales, uint32_t parameter_count, const hed_place *row, uint8_t *cells);

/* Distance of two cells: 0 to 1. */
static inline float hed_value_distance(const hed_value_scale *scale, uint32_t a, uint32_t b)
{
    if (scale->unordered) return a != b;
    float difference = scale->position[a] - scale->position[b];
    return difference < 0 ? -difference : difference;
}

#endif
