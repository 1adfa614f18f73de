/* Pages and sheets that a command line names, and a matcher of them. */
#ifndef HED_CLI_CSS_SITE_H
#define HED_CLI_CSS_SITE_H

#include "cli/common/command.h"
#include "cli/css/address.h"
#include "cli/css/pages.h"
#include "cli/css/read.h"
#include "heddle/author.h"
#include "heddle/css_unused.h"

enum { MOST_SHEETS = 1024 };

#define SITE_OPTION_SHEETS \
    { \
        .name = "css", .kind = HED_OPTION_FILE, .names = &cli_data_sheets, .value = "FILE", \
        .repeated = true, .own = true, .help = "a style sheet, instead of the pages' own" \
    }

/* Positionals PAGE and SHEET. */
#define SITE_POSITIONALS \
    {.name = "PAGE", .kind = HED_OPTION_FILE, .names = &cli_data_pages, .required = true, \
        .help = "an HTML file"}, \
    { \
        .name = "SHEET", .kind = HED_OPTION_FILE, .names = &cli_data_sheets, .repeated = true, \
        .help = "style sheets" \
    }

/* Options of the medium. */
#define SITE_OPTIONS_MEDIUM \
    {.name = "width", .kind = HED_OPTION_NUMBER, .value = "PIXELS", .own = true, .fallback = "1920", \
        .low = 0, .high = 1e6, .help = "width of the viewport, for @media"}, \
        {.name = "height", .kind = HED_OPTION_NUMBER, .value = "PIXELS", .own = true, \
            .fallback = "1080", .low = 0, .high = 1e6, .help = "height of the viewport"}, \
        FLAG("dark", "the user prefers dark pages"), FLAG("print", "the medium is print, not screen"), \
        FLAG("reduced-motion", "the user prefers reduced motion"), \
    { \
        .name = "container", .kind = HED_OPTION_TEXT, .value = "[NAME=]WIDTHxHEIGHT", \
        .repeated = true, .own = true, \
        .help = "size of the containers of a name, or of queries without one, for @container" \
    }

enum { MOST_CONTAINERS = 64 };

typedef struct site {
    hed_device *device; /* device of the matcher, set before site_open(); NULL: the processor */
    bool split;         /* set before site_open(); true: each selector of a list is a rule */
    bool has_medium; /* set before site_open(); true: the command has the options of the medium */
    hed_css_medium medium;
    hed_css_container containers[MOST_CONTAINERS];
    char container_names[MOST_CONTAINERS][64];
    hed_css_names *names;
    bool names_are_kept; /* the process keeps them and sheets (sheet_cache.h) */
    hed_css_document **pages;
    const hed_encoding **encodings; /* (page_count) */
    uint32_t page_count, page_room, encoding_room;
    hed_css_sheet *sheets[MOST_SHEETS];
    bool is_kept[MOST_SHEETS]; /* sheets that the process keeps */
    char *files[MOST_SHEETS];  /* names of the sheets */
    const char
        *styles[MOST_SHEETS]; /* texts of style elements in shadow trees; NULL: other sheets */
    uint32_t sheet_count;
    char **texts; /* texts of pages and sheets */
    uint32_t text_count, text_room;
    hed_css_tree_sheet *trees; /* trees of the sheets that pages name */
    uint32_t tree_count, tree_room;
    struct site_import {
        uint32_t sheet; /* the importing sheet */
        char *file;
    } * imports; /* sorted by hed_css_rule.source */
    uint32_t import_count, import_room;
    css_page_list page_files;
    const char *page_file; /* path of the first page */
    bool states_possible;  /* see hed_css_matcher_def */
    hed_css_matcher *matcher;
    /* the sheet that is being read, for @import: its file, its base, the encoding of its page, and
     * true if it has imports */
    char folder[PATH_MAX];
    const char *base;
    const hed_encoding *encoding;
    bool has_imports;
} site;

/* Reads the pages and sheets of the positionals or options with these names, and matches them;
 * without a sheet, the sheets that the pages name. The caller calls site_close() even after an
 * error. */
hed_status site_open(site *s, const hed_arguments *arguments, const char *pages, const char *sheets,
    bool states_possible, hed_error *error);
void site_close(site *s);
/* Rule by its number in all sheets; *sheet: its sheet. */
hed_css_rule site_rule(const site *s, uint32_t rule, uint32_t *sheet);
/* Number of a sheet's first rule in all sheets. */
uint32_t site_first_rule(const site *s, uint32_t sheet);
/* Name of the file of text `source` (hed_css_rule) of a sheet. */
const char *site_file(const site *s, uint32_t sheet, uint32_t source);

/* Selector on one line; the caller frees it with free(). NULL: out of memory. */
char *css_selector_line(const hed_css_rule *rule);

#endif
