/* The sheets of a site: files, each once however many pages name it, and texts of style elements.
 * An imported sheet is a sheet like any other. Each is a sheet of the same number of a search for
 * unused rules. */
#ifndef HED_CLI_CSS_FILES_H
#define HED_CLI_CSS_FILES_H

#include "cli/css/address.h"
#include "cli/css/read.h"
#include "heddle/author.h"
#include "heddle/css_unused.h"

/* The page or sheet that names a sheet. */
typedef struct css_namer {
    css_origin origin;
    const hed_encoding *encoding; /* encoding of the namer */
    bool judged;                  /* false: the sheet is read for the names that it uses */
} css_namer;

typedef struct css_file {
    char *name;                   /* name in the command line or on the first page */
    char *identity;               /* real path; NULL: the text of a style element */
    const hed_encoding *encoding; /* encoding of the file */
    const char *mark;             /* byte-order mark of the file; "": absent */
    char *from, *base;            /* origin of its addresses */
    bool judged;                  /* false: read for the names that it uses */
    bool given;                   /* a text in memory that is a sheet of its own */
    uint32_t *imports, import_count;
    char **urls; /* addresses of its imports; freed as soon as they are found */
    uint32_t url_count, url_room, found_count;
    uint32_t importer; /* sheet whose imports are being found; HED_CSS_NONE: no other */
} css_file;

typedef struct css_files {
    hed_css_unused *search;
    css_file *items;
    uint32_t count, room;
    char *root; /* folder that contains all pages and sheets, with a slash; see css_files_out() */
    char **missing; /* files that are not on the disk */
    uint32_t missing_count, missing_room;
    bool finds_imports; /* css_files_find() adds a sheet without its imports, which follow */
} css_files;

void css_files_close(css_files *files);
/* Number of the sheet in file `path`; a new sheet is read with its imports. `fallback`: its
 * encoding unless it declares one; NULL: UTF-8. HED_CSS_NONE with an error: IO; ARGUMENT (an output
 * would replace the file). */
uint32_t css_files_add(css_files *files, const char *path, const hed_encoding *fallback,
    bool judged, hed_error *error);
/* Number of the sheet of an item of a list: a file, or a text in memory. HED_CSS_NONE with an error:
 * as css_files_add(). */
uint32_t css_files_add_given(
    css_files *files, const css_page_list *list, uint32_t index, hed_error *error);
/* True if a sheet has a reduced sheet: it is judged, and no text of a style element. */
bool css_file_is_reduced(const css_file *file);
/* Number of the sheet that a page or a sheet names by an address. A missing file is listed and
 * reported once on stderr; its number is HED_CSS_NONE. */
uint32_t css_files_find(
    css_files *files, const css_namer *namer, const char *address, hed_error *error);
/* Number of the text of style element `index` of a page. */
uint32_t css_files_add_text(css_files *files, const css_namer *page, uint32_t index,
    const char *text, size_t length, hed_error *error);

/* Links a sheet and its imports to a tree of the page of a call of hed_css_unused_def.link;
 * HED_CSS_NONE as `tree`: all trees. */
hed_status css_files_link(css_files *files, uint32_t file, uint32_t tree, hed_error *error);

/* Number of the sheets that are files and are judged: each of them has a reduced sheet. */
uint32_t css_files_count(const css_files *files);
/* Widens the root of the reduced sheets to the folder of a page or a sheet. Errors: MEMORY, IO. */
hed_status css_files_root(css_files *files, const char *path, hed_error *error);
/* Path of a reduced sheet in the folder `folder`: its path from the root. Errors: LIMIT. */
hed_status css_files_out(const css_files *files, const css_file *file, const char *folder,
    char *path, size_t size, hed_error *error);
/* Refuses a folder for the reduced sheets of which one would replace a file that was read. Errors:
 * ARGUMENT, LIMIT. */
hed_status css_files_check_out(const css_files *files, const char *folder, hed_error *error);

/* Enlarges an array that `count` elements fill. Returns the old array and an error if memory runs
 * out. */
void *css_more(void *array, uint32_t *room, uint32_t count, size_t size, hed_error *error);

#endif
