/* Changes of a forest that has been matched: the sweeps visit the elements that a change touches
 * again, and further elements that depend on rows that have changed. */
#ifndef HED_CSS_CHANGE_H
#define HED_CSS_CHANGE_H

#include "solver/pass.h"

/* Rows of dependencies of all elements in one sweep; "earlier" as in css_around. */
typedef struct css_rows {
    uint32_t *own;              /* dependencies that the element satisfies */
    uint32_t *earlier_siblings; /* rows of all earlier siblings, combined by OR */
    /* forwards: rows of all ancestors, combined by OR; backwards: of the element, all later
     * siblings, and their descendants */
    uint32_t *ancestors;
    uint32_t *counts; /* (slots) number of earlier siblings that satisfy each dependency */
} css_rows;

typedef struct css_changer {
    css_pass *pass;
    hed_arena *arena;
    uint32_t sweeps; /* including the pass, the last one, forwards */
    css_rows *rows;  /* (sweeps) */
    uint8_t *ready;  /* (documents) 1: its rows are filled */
    uint8_t *queued; /* (elements) bit 0: in the heap; bit 1: in `dirty` */
    css_list heap;
    css_list dirty;           /* elements to visit in each sweep */
    css_list work;            /* an empty row, two rows, counts, early bits */
    css_list changed, before; /* elements of the forest, and the class of each before the change */
} css_changer;

/* Allocates a changer; the rows of a document are filled before its first change. */
hed_status css_changer_make(
    css_changer *changer, hed_arena *arena, css_pass *pass, hed_error *error);
/* Fills the rows of a document, which must not have been changed since the match. */
hed_status css_changer_prepare(css_changer *changer, uint32_t document, hed_error *error);
/* Marks an element of a document, by its number there, whose kind or position has changed. */
void css_changer_touch(css_changer *changer, uint32_t document, uint32_t element, hed_error *error);
/* Visits the touched elements and the elements that depend on them. */
hed_status css_changer_run(css_changer *changer, uint32_t document, hed_error *error);
/* Swaps the data of elements [low, middle) and [middle, high) of a document. `work`:
 * css_changer_move_words() words. */
void css_changer_move(css_changer *changer, uint32_t document, uint32_t low, uint32_t middle,
    uint32_t high, uint32_t *work);
uint64_t css_changer_move_words(const css_changer *changer, uint32_t elements);

#endif
