/* Sheets compiled into the tables of kernels/tables.h: predicates, compounds, prefixes, finals, feeds. */
#ifndef HED_CSS_COMPILE_H
#define HED_CSS_COMPILE_H

#include "model/selector.h"
#include "solver/lists.h"

#include "kernels/tables.h"

/* Where a predicate of kind CSS_P_FACT comes from. */
typedef struct css_fact_source {
    const hed_css_sheet *sheet;
    const css_simple *simple; /* ATTRIBUTE or LANG */
} css_fact_source;

typedef struct css_compiled {
    uint32_t rules;
    css_list predicate; /* CSS_P_WORDS each */
    uint32_t predicates;
    css_fact_source *source; /* (predicates) of CSS_P_FACT */
    uint32_t *key_slot, key_mask, keys;
    uint32_t *key_begin, *key_predicate;
    css_list always;
    css_interner compound; /* literal_begin, literal */
    uint32_t *bucket_begin, *bucket;
    css_list universal;
    css_list node; /* 4 words each */
    css_list final;
    uint32_t *inner_begin, *inner, *final_begin, *compound_final;
    css_interner feed; /* feed_begin, feed_compound */
    uint32_t *fed_begin, *fed;
    css_list feed_stage;
    /* of the processor: the sweep in which a RELATION or COUNT is found (even: forwards), and whether it
     * must be before the pass, as a later sweep reads it */
    css_list sweep, early;
} css_compiled;

static inline uint32_t css_compounds(const css_compiled *c) { return css_interned(&c->compound); }
static inline uint32_t css_feeds(const css_compiled *c) { return css_interned(&c->feed); }
static inline uint32_t css_nodes(const css_compiled *c) { return c->node.count / 4; }
static inline uint32_t css_finals(const css_compiled *c) { return c->final.count / 4; }

/* Compiles sheets, whose rules are numbered on; all memory is of `arena`. `without`: rules that take no
 * part, or NULL. `quirks`: some document is in
 * quirks mode. `possible`: states that documents do not hold are taken for granted. */
hed_status css_compile(css_compiled *compiled, hed_arena *arena, hed_css_sheet *const *sheets,
    uint32_t sheet_count, const bool *without, bool quirks, bool possible, hed_error *error);

#endif
