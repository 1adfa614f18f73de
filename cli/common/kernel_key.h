/* Identity of a kernel in the tuning database: its text, problem, device and compiler, since many
 * shaders have one name. */
#ifndef HED_CLI_KERNEL_KEY_H
#define HED_CLI_KERNEL_KEY_H

#include "heddle/database.h"
#include "heddle/tune.h"
#include "heddle/tune_file.h"
#include "cli/common/options.h"

/* Opens a tune file or a shader with the settings of the command line: --entry, --set. `additions`:
 * further settings as those of --set, up to a NULL; NULL: there are none. */
hed_status cli_tune_file_open(const hed_arguments *arguments, const char *path,
    const hed_device_info *device, const char *const additions[], hed_tune_file **file,
    hed_error *error);

/* Calls `take` with the key that a tuning of `kernel` with the math mode and problem of `def` has.
 * The entry's texts live until `take` returns. Errors: IO, MEMORY, and the errors of `take`. */
hed_status cli_kernel_key(hed_device *device, const hed_kernel_def *kernel, const hed_tune_def *def,
    hed_status (*take)(void *, const hed_database_entry *, hed_error *), void *user,
    hed_error *error);

#endif
