/* Tune files as the command line opens them; key of a kernel, determined by storing one in a temporary
 * database. */
#include "cli/common/kernel_key.h"

#include "heddle/author.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

hed_status cli_tune_file_open(const hed_arguments *arguments, const char *path,
    const hed_device_info *device, const char *const additions[], hed_tune_file **file, hed_error *error)
{
    const char *settings[64];
    hed_tune_text_def def = {
        .name = path, .entry = hed_text_of(arguments, "entry"), .settings = settings};
    while (def.setting_count < HED_COUNT(settings) &&
           (settings[def.setting_count] = hed_text_at(arguments, "set", def.setting_count)))
        def.setting_count++;
    for (uint32_t i = 0; additions && additions[i] && def.setting_count < HED_COUNT(settings); i++)
        settings[def.setting_count++] = additions[i];
    return hed_tune_file_parse(&def, device, file, error);
}

hed_status cli_kernel_key(hed_device *device, const hed_kernel_def *kernel, const hed_tune_def *def,
    hed_status (*take)(void *, const hed_database_entry *, hed_error *), void *user,
    hed_error *error)
{
    char folder[] = P_tmpdir "/heddle-key-XXXXXX", path[64];
    hed_database *database = NULL;
    hed_config config = hed_config_default(kernel);
    hed_kernel_options options = hed_default_kernel_options();
    const hed_record_filter filter = {.kinds = HED_RECORD_KEY};
    options.config = &config;
    options.problem = def->problem;
    options.math = def->math;
    if (!mkdtemp(folder))
        return hed_fail(error, HED_ERROR_IO, "cannot make a folder as %s", folder);
    snprintf(path, sizeof path, "%s/a.db", folder);
    hed_database_open(hed_device_context(device), path, false, &database, error);
    hed_database_keep(database, device, kernel, &options, 1, error);
    hed_database_each(database, &filter, take, user, error);
    hed_database_close(database);
    unlink(path);
    rmdir(folder);
    return error->status;
}
