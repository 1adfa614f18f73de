/* Templates, scripts and other texts of --words, in memory. */
#ifndef HED_CLI_CSS_WORD_FILES_H
#define HED_CLI_CSS_WORD_FILES_H

#include "heddle/css_unused.h"

typedef struct css_word_files {
    hed_css_text *texts; /* names and texts are the list's */
    uint32_t count, room;
} css_word_files;

/* Reads a file, or the templates, scripts, pages and texts with markup in a folder and below it.
 * Errors: IO, ARGUMENT (a folder without such files), FORMAT (binary), LIMIT, MEMORY. */
hed_status css_word_files_add(css_word_files *words, const char *path, hed_error *error);
/* Adds a text itself. Errors: MEMORY. */
hed_status css_word_files_add_text(
    css_word_files *words, const char *label, const char *text, hed_error *error);
void css_word_files_free(css_word_files *words);

#endif
