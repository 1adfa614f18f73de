/* Source maps of reduced sheets, read and written beside the sheets. */
#ifndef HED_CLI_CSS_MAP_FILE_H
#define HED_CLI_CSS_MAP_FILE_H

#include "cli/css/files.h"

/* Writes the map of `path`, the file of a reduced sheet: to `path`.map, or into its address if the
 * old map was in the address. Returns the address of the map; the caller frees it with free().
 * NULL: no map that can be rewritten, which is reported on stderr, or an error (IO, MEMORY). */
char *css_map_write(const css_files *files, uint32_t file, const char *path, hed_error *error);

#endif
