/* Files that are installed with Heddle, share/heddle, by their names: scenes, instruments, songs,
 * tune files, a small site, examples. */
#ifndef HED_CLI_COMMON_DATA_H
#define HED_CLI_COMMON_DATA_H

#include "cli/common/options.h"

#include <limits.h>

/* Files of one folder of the data that have one ending. */
typedef struct cli_data_kind {
    const char *folder;
    const char *ending; /* "": any */
    const char *title;  /* plural noun, for lists and messages */
    const char *line;   /* command line that takes one, with NAME for it; NULL: none */
    bool takes_folders; /* the folder as a whole is one of the names */
    bool keeps_ending;  /* lists have names with their endings */
} cli_data_kind;

/* Kinds in the order of lists; ends with one without a folder. */
extern const cli_data_kind cli_data_kinds[];

/* As hed_option.names: a name without a slash that is no file of the folder, with the ending
 * or without, is that of an installed file. A name without a dot has to be one of the two. */
extern const hed_names cli_data_scenes, cli_data_meshes, cli_data_instruments, cli_data_songs,
    cli_data_tune_files, cli_data_pages, cli_data_sheets;

/* Writes the path of the data folder: share/heddle of the prefix or build folder that the running
 * command is in. False: there is none. */
bool cli_data_folder(char path[PATH_MAX]);
/* Writes the path of the installed file of a kind. False: there is none. */
bool cli_data_path(const cli_data_kind *kind, const char *name, char path[PATH_MAX]);
/* Calls `add` for each name of a kind, in order. */
void cli_data_list(const cli_data_kind *kind, hed_name_function *add, void *user);
/* The kind of this folder and ending; it must exist. */
const cli_data_kind *cli_data_kind_of(const char *folder, const char *ending);

#endif
