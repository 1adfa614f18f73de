/* The sheets of a site: files, each once however many pages name it, and texts of style elements.
 * An imported sheet is a sheet like any other. Selectors and parts of a sheet are numbered after
 * those of the sheets before, in the order in which sheets are read. */
#ifndef HED_CLI_CSS_FILES_H
#define HED_CLI_CSS_FILES_H

#include "heddle/author.h"
#include "heddle/css.h"

typedef struct css_file {
    char *name;     /* name in the command line or on the first page */
    char *identity; /* real path; NULL: the text of a style element */
    char *text;
    size_t length;
    bool judged; /* false: read for the names that it uses */
    uint32_t *imports, import_count;
    hed_css_sheet *sheet;                          /* each selector of a list is a rule */
    uint32_t first_rule, rules, first_part, parts; /* first: number in all sheets */
    uint32_t pages;                                /* number of pages that name it */
} css_file;

typedef struct css_files {
    hed_css_names *names;
    css_file *items;
    uint32_t count, room;
    uint32_t rules, parts;  /* totals */
    const char *out_folder; /* folder for the reduced sheets; NULL: not written */
    char **missing;         /* files that are not on the disk */
    uint32_t missing_count, missing_room;
} css_files;

hed_status css_files_open(css_files *files, hed_error *error);
void css_files_close(css_files *files);
/* Number of the sheet in file `path`; a new sheet is read with its imports. HED_CSS_NONE with an
 * error: IO; ARGUMENT (an output would replace the file). */
uint32_t css_files_add(css_files *files, const char *path, bool judged, hed_error *error);
/* Path of the reduced sheet `name` in the folder `folder`. Errors: LIMIT. */
hed_status css_files_out(
    const char *folder, const char *name, char *path, size_t size, hed_error *error);
/* Number of the sheet that `from` names `url`: a file in the folder of `from` or, if `url` begins
 * with a slash, in a folder above. A missing file is listed and reported once on stderr; its number
 * is HED_CSS_NONE. */
uint32_t css_files_find(
    css_files *files, const char *from, const char *url, bool judged, hed_error *error);
/* Number of the text of style element `index` of a page. */
uint32_t css_files_add_text(css_files *files, const char *page, uint32_t index, const char *text,
    size_t length, bool judged, hed_error *error);

/* Enlarges an array that `count` elements fill. Returns the old array and an error if memory runs
 * out. */
void *css_more(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error);

#endif
