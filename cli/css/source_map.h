/* Source maps (ECMA-426, revision 3): the map of a sheet rewritten for what is left of it. */
#ifndef HED_CLI_CSS_SOURCE_MAP_H
#define HED_CLI_CSS_SOURCE_MAP_H

#include "cli/css/reduce.h"

/* The address of a sheet's map: the last comment that names one. */
typedef struct css_map_address {
    size_t begin, end; /* the comment */
    size_t url, url_end;
} css_map_address;
bool css_map_find(const char *text, size_t length, css_map_address *address);

/* The comment that names the map of `path`, which holds the sheet without its cuts; the map is written
 * beside it (`path`.map), or into the comment where it was there before. free() it. NULL: there is no map
 * that can be rewritten, which is said on stderr, or an error (IO of the map that is written, MEMORY). */
char *css_map_write(const css_file *file, const css_map_address *address, const css_cut *cuts,
    uint32_t cut_count, const char *path, hed_error *error);

#endif
