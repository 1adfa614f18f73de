/** @file database.h
 *  The tuning database: every measurement, and the choice made for each key. A key is the kernel's text, its parameters' names, the device, driver and
 *  compiler, problem size, types, math mode and objective.
 *
 *  Two databases answer: the user's, $XDG_DATA_HOME/heddle/tuning.db, over a read-only one that is installed with Heddle. A database that is damaged, locked,
 *  from a newer version or not writable never stops a launch: it is logged once, and the default is taken.
 */
#ifndef HEDDLE_DATABASE_H
#define HEDDLE_DATABASE_H

#include "heddle/kernel.h"

HED_BEGIN

typedef struct hed_database hed_database;

/** Opens (and makes, or migrates) a database. `path` NULL: the user's own. A damaged file is set aside as NAME.damaged-N, with a warning in the log, and a new one is begun.
 *  Thread class: any. Errors: IO (folder, permissions, full disk), FORMAT (from a newer Heddle), MEMORY. */
HED_API hed_status hed_database_open(hed_context *context, const char *path, bool read_only, hed_database **database, hed_error *error);
/** NULL is allowed. Thread class: owner. */
HED_API void hed_database_close(hed_database *database);
/** The context's own, opened at the first call; NULL where there is none that works. Thread class: any. */
HED_API hed_database *hed_context_database(hed_context *context);
/** Where it lies. Lives as long as the database. Thread class: any. */
HED_API const char *hed_database_path(const hed_database *database);

HED_END

#endif
