/* Pages that a thread reads and matches together: one table of names, one copy of
 * the sheets and one matcher. A batch reads the search and changes nothing of it. */
#ifndef HED_CSS_PAGE_BATCH_H
#define HED_CSS_PAGE_BATCH_H

#include "survey.h"

/* Use of a selector on a page. */
typedef struct css_hit {
    uint32_t rule;     /* number in all files */
    uint32_t elements; /* number of elements that match */
    uint32_t first;    /* the first one */
    bool untouched;    /* one matches without a change by a reader */
} css_hit;

typedef struct css_batch css_batch;

/* A page of a batch. */
typedef struct css_batch_page {
    const css_batch *batch;
    uint32_t number;            /* number in the definition */
    uint32_t use;               /* number in hed_css_unused.pages */
    hed_css_document *document; /* NULL without an error: the page is left out */
    uint32_t elements, possible;
    css_links links;
    uint32_t first_hit, hit_count;
    uint32_t rules; /* number of rules with a selector that matches */
    hed_error error;
} css_batch_page;

struct css_batch {
    const hed_css_unused *unused;
    hed_css_names *names;
    css_batch_page **pages; /* (page_room) pages with a document, in order */
    uint32_t count, page_room;
    uint32_t elements;
    css_name_set styles, page_names; /* sets as in hed_css_unused */
    css_hit *hits;
    uint32_t hit_count, hit_room;
    hed_error error;
};

/* Opens page `page->number`; page->error receives an error. */
void css_batch_open(css_batch *batch, css_batch_page *page);
/* Matches the pages against the sheets that are linked to them. */
void css_batch_match(css_batch *batch);
/* Empties a batch. */
void css_batch_clear(css_batch *batch);

#endif
