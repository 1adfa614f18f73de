/* A compiled sheet and a forest as arrays of words, for a device's kernels. */
#ifndef HED_CSS_DEVICE_TABLES_H
#define HED_CSS_DEVICE_TABLES_H

#include "tables/compile.h"
#include "tables/forest.h"

#include "kernels/matching.h"

/* Properties of a sheet and a forest that the solver uses, in addition to css_fixed. */
typedef struct css_device_facts {
    bool counts_from_end; /* some predicate is a CSS_P_COUNT_FROM_END */
    uint32_t most_siblings;
} css_device_facts;

/* The next ancestors of an element, from the parent on; CSS_NONE after the root. A uint4 of the
 * kernels. */
enum { CSS_ANCESTORS = 4 };
typedef struct css_ancestors {
    uint32_t ancestor[CSS_ANCESTORS];
} css_ancestors;

/* Appends the sheet and the element kinds to `words`; writes the offset of each array, and all
 * lengths, to `fixed`. Errors: MEMORY, LIMIT. */
hed_status css_pack_tables(css_fixed *fixed, css_list *words, hed_arena *arena,
    const css_compiled *compiled, const css_forest *forest, css_device_facts *facts,
    hed_error *error);
/* Appends the arrays over elements to the empty list `words`; *ancestors: (elements). Errors:
 * MEMORY, LIMIT. */
hed_status css_pack_elements(css_fixed *fixed, css_list *words, css_ancestors **ancestors,
    hed_arena *arena, const css_forest *forest, css_device_facts *facts, hed_error *error);

#endif
