/* Configuration files of `heddle css unused`: heddle-css.json, and configurations of PurgeCSS. */
#ifndef HED_CLI_CSS_CONFIG_H
#define HED_CLI_CSS_CONFIG_H

#include "cli/css/settings.h"
#include "support/fields.h"

/* Name of the file that is read from the working folder without --config. */
#define CSS_CONFIG_NAME "heddle-css.json"

extern const hed_fields css_config_fields; /* keys of the file (css_config_keys.c) */

/* Adds the settings of a file to the command line, which is stronger. Errors: IO, FORMAT,
 * ARGUMENT, LIMIT, MEMORY, UNSUPPORTED (a regular expression). */
hed_status css_config_read(css_settings *settings, const char *path, hed_error *error);

/* Adds the settings of a text, as of a file of this name. Errors: as css_config_read(). */
hed_status css_config_read_text(
    css_settings *settings, const char *path, const char *text, size_t length, hed_error *error);

/* Adds pages, or files with words, by a pattern of paths below a folder: of HTML files the pages;
 * templates and other files as words. Errors: as css_config_read(). */
hed_status css_config_content(css_settings *settings, const char *folder, const char *pattern,
    const css_page_list *skipped, hed_error *error);
/* Adds the settings of a configuration of PurgeCSS, the text of the file `path`. Errors: as
 * css_config_read(). */
hed_status css_purgecss_read(
    css_settings *settings, const char *path, const char *text, size_t length, hed_error *error);

#endif
