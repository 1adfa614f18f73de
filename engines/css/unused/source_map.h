/* Source maps (ECMA-426, revision 3): the map of a sheet rewritten for the reduced sheet. */
#ifndef HED_CSS_SOURCE_MAP_H
#define HED_CSS_SOURCE_MAP_H

#include "reduce.h"

/* Address of a sheet's map, in the last comment that names one. */
typedef struct css_map_address {
    size_t begin, end; /* the comment */
    size_t url, url_end;
} css_map_address;
bool css_map_find(const char *text, size_t length, css_map_address *address);

/* Returns the map of a reduced sheet as JSON, in memory of `arena`; arguments as
 * hed_css_unused_map(). Errors: FORMAT, MEMORY. */
const char *css_map_reduce(hed_arena *arena, const css_file *file, const css_reduction *reduction,
    const hed_css_map_def *def, size_t *length, hed_error *error);

#endif
