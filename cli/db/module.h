/* Export of a shader's tuned configurations as a JavaScript module. */
#ifndef HED_CLI_MODULE_H
#define HED_CLI_MODULE_H

#include "heddle/database.h"
#include "cli/common/options.h"

/* Writes the module. The option --shader is the path of the tuned text, or of its tune file, which
 * defines the group size of each configuration. The options --entry and --set repeat the tuning's.
 * `count`: number of configurations written. Errors: IO, FORMAT, MEMORY, ARGUMENT (no browser has
 * measured it). */
hed_status cli_module_write(const hed_arguments *arguments, hed_database *database,
    const char *path, uint32_t *count, hed_error *error);

#endif
