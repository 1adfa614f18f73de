/* Files installed with Heddle in share/heddle, by name: scenes, instruments, songs, tune files, a
 * small site, examples. */
#ifndef HED_CLI_COMMON_DATA_H
#define HED_CLI_COMMON_DATA_H

#include "cli/common/options.h"

#include <limits.h>

/* Files with one suffix in one folder of the data. */
typedef struct cli_data_kind {
    const char *folder;
    const char *ending; /* suffix; "": any */
    const char *title;  /* plural noun, for lists and messages */
    const char *line;   /* example command line with NAME as a placeholder; NULL: no example */
    bool takes_folders; /* the folder itself is one of the names */
    bool keeps_ending;  /* lists show names with their suffix */
    bool takes_input;   /* "-" is standard input */
} cli_data_kind;

/* Kinds in the order of lists; ends with an entry whose folder is NULL. */
extern const cli_data_kind cli_data_kinds[];

/* Names of installed files, as hed_option.names. A name without a slash that is not a file in the
 * folder, with or without the suffix, refers to an installed file. A name without a dot must be one
 * of the two. */
extern const hed_names cli_data_scenes, cli_data_meshes, cli_data_instruments, cli_data_songs,
    cli_data_tune_files, cli_data_pages, cli_data_sheets;

/* Writes the path of the data folder: share/heddle of the prefix or build folder of the running
 * command. Returns false if the folder does not exist. */
bool cli_data_folder(char path[PATH_MAX]);
/* Writes the path of the installed file of a kind. Returns false if it does not exist. */
bool cli_data_path(const cli_data_kind *kind, const char *name, char path[PATH_MAX]);
/* Calls `add` for each name of a kind, in order. */
void cli_data_list(const cli_data_kind *kind, hed_name_function *add, void *user);
/* The kind with this folder and suffix, which must exist. */
const cli_data_kind *cli_data_kind_of(const char *folder, const char *ending);

#endif
