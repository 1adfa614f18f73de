/* Source maps (ECMA-426, revision 3): the map of a sheet rewritten for the reduced sheet. */
#ifndef HED_CLI_CSS_SOURCE_MAP_H
#define HED_CLI_CSS_SOURCE_MAP_H

#include "cli/css/reduce.h"

/* Address of a sheet's map, in the last comment that names one. */
typedef struct css_map_address {
    size_t begin, end; /* the comment */
    size_t url, url_end;
} css_map_address;
bool css_map_find(const char *text, size_t length, css_map_address *address);

/* Writes the map of `path`, the file of the reduced sheet: to `path`.map, or into the comment if
 * the old map was in the comment. Returns the comment that names the map; the caller frees it with
 * free(). NULL: no map that can be rewritten, which is reported on stderr, or an error (IO,
 * MEMORY). */
char *css_map_write(const css_file *file, const css_map_address *address, const css_cut *cuts,
    uint32_t cut_count, const char *path, hed_error *error);

#endif
