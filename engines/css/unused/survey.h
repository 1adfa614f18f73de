/* Survey of the selectors that the pages of a site use: number of elements and pages, and the first
 * element. Pages are read and matched in batches (page_batch.h), so that the largest batches bound the
 * memory; each page is matched against the sheets that are linked to it. */
#ifndef HED_CSS_SURVEY_H
#define HED_CSS_SURVEY_H

#include "heddle/author.h"
#include "heddle/css_unused.h"
#include "keep.h"
#include "text_words.h"

/* A sheet. Selectors and parts are numbered after those of the sheets before. */
typedef struct css_file {
    const char *name, *text; /* the arena's */
    size_t length;
    bool judged;
    hed_css_sheet *sheet;                          /* each selector of a list is a rule */
    uint32_t first_rule, rules, first_part, parts; /* first: number in all sheets */
    uint32_t pages;                                /* number of pages that have it */
    bool in_shadow_tree;                           /* a page has it in a shadow tree */
    bool in_any_tree; /* a page may have it in trees that scripts make */
} css_file;

/* Use of a selector. */
typedef struct css_use {
    uint64_t elements;
    uint32_t pages;
    uint32_t page, line; /* position of the first element */
    const char *element; /* first element, such as "div#main"; the arena's */
    bool untouched;      /* an element matches without a change by a reader */
} css_use;

/* Reasons for which a selector stays without an element; absent: NULL, false. */
typedef struct css_reason {
    const css_keep *keep;
    const css_word *word;
    const char *markup; /* name of a text with Markdown that makes such elements */
    bool comment;       /* a comment in the sheet keeps it */
    bool blocked;       /* removed, although elements match */
} css_reason;

/* Sheets of a page, each in one of its trees. */
typedef struct css_links {
    struct css_link {
        uint32_t file, tree; /* tree: as in hed_css_tree_sheet */
    } * items;
    uint32_t count, room;
} css_links;

/* Distinct texts. */
typedef struct css_name_set {
    hed_css_names *names; /* NULL: no text is collected */
    uint32_t count;
    bool incomplete; /* memory ran out for a text */
} css_name_set;

/* Bytes of a sheet that are removed, and the rules and parts of the sheet (reduce.h). */
typedef struct css_reduction {
    hed_css_unused_item *items; /* sorted by position, outer items first */
    uint32_t count;
    struct css_cut *cuts; /* ascending, disjoint */
    uint32_t cut_count, cut_room;
    size_t bytes; /* removed */
} css_reduction;

struct hed_css_unused {
    hed_css_unused_def def;
    hed_arena arena; /* memory that lives as long as the search */
    const hed_allocator *allocator;
    hed_css_names *names; /* names of `files` */
    css_file *files;
    uint32_t file_count, file_room;
    uint32_t rules, parts;           /* totals of the files */
    css_links *linking;              /* links of the page of a call of `link`; NULL: no call */
    hed_css_page_use *pages;         /* (page_count) */
    uint32_t page_count, page_total; /* pages read; pages given */
    css_use *uses;                   /* (rules) */
    uint32_t use_room;
    css_reason *reasons; /* (rules) */
    bool *used;          /* (parts) */
    bool names_unknown;  /* a sheet of the pages was not read, which may use any name */
    bool has_run;
    css_keeps keeps;
    css_words words;
    css_name_set page_names;   /* names of the pages' elements, for words */
    css_name_set styles;       /* texts of style attributes */
    css_reduction *reductions; /* (files) after the run */
};

/* Reads and matches the pages; ends early without an error if `progress` returns false. */
hed_status css_survey_pages(hed_css_unused *unused, hed_error *error);
/* Finds the parts that remaining rules use, and counts the rules that one page alone uses. */
hed_status css_survey_follow(hed_css_unused *unused, hed_error *error);
/* Judgement on a selector of a file, by its number in the file. */
hed_css_reason css_judgement(const hed_css_unused *unused, const css_file *file, uint32_t rule);

/* Adds a text to a set. */
void css_name_set_add(css_name_set *set, const char *text, size_t length);
/* Adds the texts of another set. */
void css_name_set_join(css_name_set *set, const css_name_set *added);

/* Enlarges an array of hed_new() that `count` elements fill. Returns the old array and an error if
 * memory runs out. */
void *css_grow(const hed_allocator *allocator, void *array, uint32_t *room, uint32_t count,
    size_t size, hed_error *error);

#endif
