/* The sheets of a site, each file once however many pages name it, and each text of a style element.
 * Imported ones are sheets of their own. Their selectors and parts are numbered on from sheet to sheet
 * in the order in which they were found. */
#ifndef HED_CLI_CSS_FILES_H
#define HED_CLI_CSS_FILES_H

#include "heddle/author.h"
#include "heddle/css.h"

typedef struct css_file {
    char *name;     /* as the command line or the first page names it */
    char *identity; /* real path; NULL: the text of a style element */
    char *text;
    size_t length;
    bool judged; /* false: read for the names that it uses */
    uint32_t *imports, import_count;
    hed_css_sheet *sheet;                          /* its lists split */
    uint32_t first_rule, rules, first_part, parts; /* numbers among those of all sheets */
    uint32_t pages;                                /* that name it */
} css_file;

typedef struct css_files {
    hed_css_names *names;
    css_file *items;
    uint32_t count, room;
    uint32_t rules, parts;  /* of all */
    const char *out_folder; /* folder of the reduced sheets; NULL: none */
    char **missing;         /* files that are not on the disk */
    uint32_t missing_count, missing_room;
} css_files;

hed_status css_files_open(css_files *files, hed_error *error);
void css_files_close(css_files *files);
/* Number of the sheet in file `path`, which is read with those that it imports where it is new;
 * HED_CSS_NONE where it cannot be (IO; ARGUMENT: an output would replace it). */
uint32_t css_files_add(css_files *files, const char *path, bool judged, hed_error *error);
/* Path of the reduced sheet `name` in the folder `folder`. Errors: LIMIT. */
hed_status css_files_out(
    const char *folder, const char *name, char *path, size_t size, hed_error *error);
/* Number of what `from` calls `url`: a file beside it or, with a slash in front, in a folder above. Where
 * there is none it is noted as missing, said once on stderr, and the number is HED_CSS_NONE. */
uint32_t css_files_find(
    css_files *files, const char *from, const char *url, bool judged, hed_error *error);
/* Number of the text of style element `index` of a page. */
uint32_t css_files_add_text(css_files *files, const char *page, uint32_t index, const char *text,
    size_t length, bool judged, hed_error *error);

/* A larger array where `count` elements fill it; where memory runs out the old one, and the error. */
void *css_more(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error);

#endif
