/* Files by patterns of paths, as configurations have them: * ? [abc] {a,b} and **, which stands for
 * any folders. */
#ifndef HED_CLI_CSS_GLOB_H
#define HED_CLI_CSS_GLOB_H

#include "cli/css/pages.h"

/* Lists the files and, for a path without a pattern, the folder that a pattern names, below
 * `folder` unless it is absolute; sorted. Files that one of `skipped` fits are left out. No file is
 * no error. Errors: LIMIT, MEMORY. */
hed_status css_glob_find(css_page_list *list, const char *folder, const char *pattern,
    const css_page_list *skipped, hed_error *error);

#endif
