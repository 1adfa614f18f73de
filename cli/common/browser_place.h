/* Browsers' programs on this machine, and private folders that each can read. */
#ifndef HED_CLI_COMMON_BROWSER_PLACE_H
#define HED_CLI_COMMON_BROWSER_PLACE_H

#include "heddle/base.h"

#include <limits.h>

/* Names and usual paths of Chromium and its kin, and of Firefox; NULL at the end. */
extern const char *const cli_chromiums[], *const cli_firefoxes[];

/* Finds the first of `names` (NULL-terminated) that is a program, on PATH or by its path, and
 * writes its path to `program` (PATH_MAX). Returns false if there is no such program. */
bool cli_browser_find(const char *const *names, char *program);
/* Creates a private folder that a browser can read, and writes its path to `folder` (PATH_MAX).
 * `program`: path of the browser; NULL: the user's default browser. Errors: IO (with the path). */
hed_status cli_browser_make_folder(const char *program, char *folder, hed_error *error);
/* Removes a folder and its files. */
void cli_browser_remove_folder(const char *folder);

#endif
