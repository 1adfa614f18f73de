/* Pages and sheets that the words of a command line name, and a matcher over them. */
#ifndef HED_CLI_CSS_SITE_H
#define HED_CLI_CSS_SITE_H

#include "cli/common/command.h"
#include "cli/css/pages.h"
#include "heddle/author.h"
#include "heddle/css.h"

enum { MOST_SHEETS = 1024 };

#define SITE_OPTION_SHEETS \
    { \
        .name = "css", .kind = HED_OPTION_FILE, .names = &cli_data_sheets, .value = "FILE", \
        .repeated = true, .own = true, .help = "a style sheet, instead of the pages' own" \
    }

typedef struct site {
    hed_device *device; /* that rules are matched on, set before site_open(); NULL: the processor */
    bool split;         /* each selector of a list is a rule, set before site_open() */
    hed_css_names *names;
    hed_css_document **pages;
    uint32_t page_count, page_room;
    hed_css_sheet *sheets[MOST_SHEETS];
    char *files[MOST_SHEETS]; /* names of the sheets */
    uint32_t sheet_count;
    char **texts; /* that pages and sheets are made from */
    uint32_t text_count, text_room;
    struct site_import {
        uint32_t sheet; /* that imports it */
        char *file;
    } * imports; /* in the order in which their texts were given */
    uint32_t import_count, import_room;
    css_page_list page_files;
    const char *page_file; /* of the first page */
    hed_css_matcher *matcher;
    char folder[PATH_MAX]; /* folder of the sheet that is being read, for @import */
} site;

/* Pages and sheets of the command line by the names of their options; without a sheet the pages' own.
 * site_close() in any case. */
hed_status site_open(site *s, const hed_arguments *arguments, const char *pages, const char *sheets,
    bool states_possible, hed_error *error);
void site_close(site *s);
/* A file's text, which lives as long as the site. */
char *site_read(site *s, const char *path, size_t *length, hed_error *error);
/* Rule `rule` of all sheets together. */
hed_css_rule site_rule(const site *s, uint32_t rule, uint32_t *sheet);
/* Number of a sheet's first rule. */
uint32_t site_first_rule(const site *s, uint32_t sheet);
/* Name of the file that text `source` of a sheet (hed_css_rule) is from. */
const char *site_file(const site *s, uint32_t sheet, uint32_t source);

/* `path` beside the file `from`; what follows ? or # is no part of a file's name. False: it is no file
 * (http:, data:), or the joined name is longer than `size`. */
bool css_beside(const char *from, const char *path, char *joined, size_t size);
/* `path` as seen from the folder of the file `from`, which need not exist yet; 3 * PATH_MAX
 * bytes hold every such path. */
void css_relative(const char *from, const char *path, char *relative, size_t size);
/* A selector on one line, released with free(); NULL: out of memory. */
char *css_selector_line(const hed_css_rule *rule);
/* A selector on one line, cut to `size`. */
void css_one_line(const hed_css_rule *rule, char *text, size_t size);

#endif
