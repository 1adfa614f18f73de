/* A choice for web pages: what the database knows of a shader, as a JavaScript module. */
#ifndef HED_CLI_MODULE_H
#define HED_CLI_MODULE_H

#include "heddle/database.h"

/* Writes the module. `shader`: the text that was tuned, or its tune file, which says how large a
 * group each configuration has. `count`: configurations in it. Errors: IO, FORMAT, MEMORY,
 * ARGUMENT (nothing is known of it in browsers). */
hed_status cli_module_write(hed_database *database, const char *shader, const char *path,
    uint32_t *count, hed_error *error);

#endif
