/* Export of a shader's tuned configurations as a JavaScript module. */
#ifndef HED_CLI_MODULE_H
#define HED_CLI_MODULE_H

#include "heddle/database.h"

/* Writes the module. `shader`: path of the tuned text, or of its tune file, which defines the group
 * size of each configuration. `count`: number of configurations written. Errors: IO, FORMAT,
 * MEMORY, ARGUMENT (no browser has measured it). */
hed_status cli_module_write(hed_database *database, const char *shader, const char *path,
    uint32_t *count, hed_error *error);

#endif
