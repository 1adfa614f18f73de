/* Writing modes of elements, and the pairs of logical and physical properties that they make one
 * (Logical Properties 1, section 4). */
#ifndef HED_CSS_WRITING_H
#define HED_CSS_WRITING_H

#include "solver/cascade.h"

/* Number of a writing mode: 2 * flow + 1 if the direction is right to left; flow: css_flow. */
enum { CSS_WRITING_MODES = 10 };

/* Writes the physical property of a logical longhand in a mode, such as "margin-left" for
 * "margin-inline-start"; false: it is another property. */
bool css_physical_of(const char *logical, unsigned mode, char physical[64]);
/* A logical longhand and the physical one that is one with it in a mode. */
typedef struct css_logical_pair {
    const char *logical;
    char physical[64];
} css_logical_pair;
enum { CSS_MOST_LOGICAL = 64 };
/* Writes the logical longhands with their pairs in a mode; returns their number, at most
 * CSS_MOST_LOGICAL. */
uint32_t css_logical_pairs(unsigned mode, css_logical_pair *pairs);
/* Writes the mode of each element by the cascade of `writing-mode` and `direction`, the dir
 * attributes, and inheritance. modes: (elements). Errors: MEMORY, LIMIT. */
hed_status css_find_modes(const hed_css_matcher *matcher, uint8_t *modes, hed_error *error);

#endif
