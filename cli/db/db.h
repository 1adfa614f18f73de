/* What the files of heddle db share. */
#ifndef HED_CLI_DB_H
#define HED_CLI_DB_H

#include "cli/common/command.h"
#include "heddle/database.h"

extern const hed_command cli_db_list;
extern const hed_command cli_db_show;

/* Opens the context and the database that the options name. `*database` is NULL, and OK, where
 * one's own is to be read and is not there yet: nothing was tuned. Close both, after a failure
 * too. */
hed_status cli_open_database(const hed_arguments *arguments, cli_session *session, bool write,
    hed_database **database, hed_error *error);
/* What --kernel and --device name. The command must have both. */
hed_record_filter cli_record_filter(const hed_arguments *arguments, uint32_t kinds);

#endif
