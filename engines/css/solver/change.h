/* Changes of a forest that has been matched: elements that a change touches are visited again, in the
 * order of the sweeps, and so are those whose surroundings differ then. */
#ifndef HED_CSS_CHANGE_H
#define HED_CSS_CHANGE_H

#include "solver/pass.h"

typedef struct css_changer {
    css_pass *pass;
    hed_arena *arena;
    uint32_t sweeps; /* the pass is the last one, forwards */
    /* for each sweep and element: what it feeds; what siblings before it feed (behind it, backwards);
     * what all ancestors feed (backwards: what it, its descendants and siblings behind it with theirs
     * feed); how many siblings before feed */
    struct css_rows {
        uint32_t *feeds, *some, *above, *counts;
    } * rows;
    uint8_t *ready;  /* (documents) rows are filled */
    uint8_t *queued; /* (elements) 1: in the heap, 2: to visit in each sweep */
    css_list heap, dirty, work;
    css_list changed, before; /* elements of the forest, and the class that each had */
} css_changer;

/* Room; the rows of a document are filled when it first changes. */
hed_status css_changer_make(
    css_changer *changer, hed_arena *arena, css_pass *pass, hed_error *error);
/* Fills the rows of a document, which must not have been changed since the match. */
hed_status css_changer_prepare(css_changer *changer, uint32_t document, hed_error *error);
/* An element of a document, by its number there, has another shape or another place. */
void css_changer_touch(css_changer *changer, uint32_t document, uint32_t element, hed_error *error);
/* Visits what was touched, and all that depends on it. */
hed_status css_changer_run(css_changer *changer, uint32_t document, hed_error *error);
/* Elements [low, middle) and [middle, high) of a document have changed places. `work` has room for
 * css_changer_move_words() words. */
void css_changer_move(css_changer *changer, uint32_t document, uint32_t low, uint32_t middle,
    uint32_t high, uint32_t *work);
uint64_t css_changer_move_words(const css_changer *changer, uint32_t elements);

#endif
