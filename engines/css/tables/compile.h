/* Sheets compiled into the tables of kernels/tables.h: predicates, compounds, prefixes, accepting
 * states, dependencies. */
#ifndef HED_CSS_COMPILE_H
#define HED_CSS_COMPILE_H

#include "model/selector.h"
#include "tables/lists.h"

#include "kernels/tables.h"

/* Selector that a predicate of kind CSS_P_FACT evaluates. */
typedef struct css_fact_source {
    const hed_css_sheet *sheet;
    const css_simple *simple; /* ATTRIBUTE or LANG */
} css_fact_source;

/* Evaluation of a dynamic predicate on the processor. */
typedef struct css_schedule {
    uint32_t sweep; /* the sweep that evaluates a RELATION or COUNT; even: forwards */
    bool early;     /* `sweep` runs before the pass, as a later sweep reads the result */
} css_schedule;

/* A compiled sheet: the tables, the arrays that grow while sheets are compiled, and lengths. */
typedef struct css_compiled {
    css_tables tables; /* valid after css_compile() */
    uint32_t rules, keys, finals;
    CSS_ARRAY(css_predicate) predicate;
    CSS_ARRAY(css_schedule) schedule;  /* (predicates) */
    CSS_ARRAY(css_fact_source) source; /* (predicates) of CSS_P_FACT */
    CSS_ARRAY(css_node) node;
    css_list always, universal, dependency_stage;
    css_interner compound;   /* literals */
    css_interner dependency; /* compounds */
} css_compiled;

static inline uint32_t css_compounds(const css_compiled *c) { return css_interned(&c->compound); }
static inline uint32_t css_dependencies(const css_compiled *c)
{
    return css_interned(&c->dependency);
}

typedef enum css_compile_options {
    CSS_COMPILE_QUIRKS = 1,   /* some document is in quirks mode */
    CSS_COMPILE_POSSIBLE = 2, /* states that documents do not hold are assumed to be true */
    CSS_COMPILE_EDITED = 4,   /* some element is CSS_EDITED, which matters if states are possible */
    CSS_COMPILE_SHADOW = 8    /* some document has shadow roots, which no compound matches */
} css_compile_options;

/* Compiles sheets; rules are numbered over all sheets. All memory is of `arena`. `without`: (rules)
 * true for rules to skip, or NULL. `options`: bits of css_compile_options. */
hed_status css_compile(css_compiled *compiled, hed_arena *arena, hed_css_sheet *const *sheets,
    uint32_t sheet_count, const bool *without, unsigned options, hed_error *error);

#endif
