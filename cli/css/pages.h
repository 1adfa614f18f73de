/* Pages that a command line names: HTML files, and folders of them. */
#ifndef HED_CLI_CSS_PAGES_H
#define HED_CLI_CSS_PAGES_H

#include "cli/common/command.h"

/* A text in memory; NULL: a file. */
typedef struct css_page_text {
    char *bytes;
    size_t length;
} css_page_text;

typedef struct css_page_list {
    char **paths;         /* names of texts in memory, too */
    css_page_text *texts; /* (text_room) */
    uint32_t count, room, text_room;
} css_page_list;

/* Lists the files of a positional; a folder contributes the files in it and below it that end in
 * .html or .htm, in the order of their names; links to folders are not followed. The caller frees
 * the list even after an error, with css_page_list_free(). Errors: ARGUMENT (a folder without a
 * page), IO, MEMORY. */
hed_status css_page_list_open(
    css_page_list *list, const hed_arguments *arguments, const char *positional, hed_error *error);
/* Lists the files of a folder and below it that `takes`, in the order of their names; hidden files
 * and folders of packages (node_modules) are skipped. Errors: IO, LIMIT, MEMORY. */
hed_status css_page_list_folder(
    css_page_list *list, const char *folder, bool (*takes)(const char *path), hed_error *error);
/* True if a name ends in .html or .htm. */
bool css_page_ending(const char *name);
/* Adds a path. Errors: MEMORY. */
hed_status css_page_list_add(css_page_list *list, const char *path, hed_error *error);
/* Adds a copy of a text in memory. Errors: MEMORY. */
hed_status css_page_list_add_text(
    css_page_list *list, const char *name, const char *text, size_t length, hed_error *error);
/* Adds a file, or "-": the text on standard input. Errors: IO, LIMIT, MEMORY. */
hed_status css_page_list_add_input(css_page_list *list, const char *path, hed_error *error);
/* Text of an item; its bytes are NULL for a file. */
css_page_text css_page_list_text(const css_page_list *list, uint32_t index);
/* Adds a page, "-", or the pages of a folder. Errors: ARGUMENT (a folder without a page), IO, LIMIT,
 * MEMORY. */
hed_status css_page_list_take(css_page_list *list, const char *path, hed_error *error);
void css_page_list_free(css_page_list *list);

#endif
