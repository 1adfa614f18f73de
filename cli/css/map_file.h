/* Source maps of reduced sheets, read and written beside the sheets. */
#ifndef HED_CLI_CSS_MAP_FILE_H
#define HED_CLI_CSS_MAP_FILE_H

#include "cli/css/files.h"

/* Makes the map of `path`, the file of a reduced sheet, from the map of the sheet. *inside: true if
 * the map is in the sheet's address. Returns a text of the search. NULL: no map that can be
 * rewritten, which is reported on stderr, or an error (MEMORY). */
const char *css_map_make(const css_files *files, uint32_t file, const char *path, bool *inside,
    size_t *length, hed_error *error);
/* Address that contains a map; the caller frees it with free(). NULL: out of memory. */
char *css_map_address(const char *map, size_t length);
/* Writes the map of `path`, the file of a reduced sheet: to `path`.map, or into its address if the
 * old map was in the address. Returns the address of the map; the caller frees it with free().
 * NULL: no map that can be rewritten, which is reported on stderr, or an error (IO, MEMORY). */
char *css_map_write(const css_files *files, uint32_t file, const char *path, hed_error *error);

#endif
