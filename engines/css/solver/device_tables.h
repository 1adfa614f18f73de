/* A compiled sheet and a forest as the words that a device's kernels read. */
#ifndef HED_CSS_DEVICE_TABLES_H
#define HED_CSS_DEVICE_TABLES_H

#include "solver/compile.h"
#include "solver/forest.h"

#include "kernels/matching.h"

/* What the solver has to know beside css_fixed. */
typedef struct css_shape_of_sheet {
    bool counts_from_end; /* some COUNT does */
    uint32_t most_siblings;
} css_shape_of_sheet;

/* The sheet and the shapes, in `words`; where each array begins, and how many there are of all, in
 * `fixed`. Errors: MEMORY, LIMIT. */
hed_status css_pack_tables(css_fixed *fixed, css_list *words, hed_arena *arena,
    const css_compiled *compiled, const css_forest *forest, css_shape_of_sheet *facts,
    hed_error *error);
/* The elements, in `words`; four ancestors of each, from its parent on, in `ancestors`. */
hed_status css_pack_elements(css_fixed *fixed, css_list *words, uint32_t **ancestors,
    hed_arena *arena, const css_forest *forest, css_shape_of_sheet *facts, hed_error *error);

#endif
