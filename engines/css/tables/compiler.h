/* The compiler of sheets: its state and its stacks, for compile.c (paths, tables) and
 * compile_compound.c (compounds). */
#ifndef HED_CSS_COMPILER_H
#define HED_CSS_COMPILER_H

#include "tables/compile.h"

#define CSS_NOWHERE (CSS_NONE - 1) /* instead of a compound: one that never holds */

/* Interpretation of :hover and other states. */
typedef enum css_states_mode {
    CSS_STATES_GIVEN,   /* states of the document */
    CSS_STATES_GRANTED, /* true */
    CSS_STATES_DENIED,  /* false: inside of a :not() whose surroundings assume true */
    CSS_STATES_MODES
} css_states_mode;

/* Path of prefixes: its last compound, and the node required before that. */
typedef struct css_path {
    uint32_t compound;
    uint32_t required; /* CSS_NONE: none */
    uint32_t in_parent;
} css_path;

/* Accepting state before sorting. */
typedef struct css_path_end {
    uint32_t rule, specificity, complex;
    css_path path;
} css_path_end;

/* Row and value of a CSR array. */
typedef struct css_pair {
    uint32_t row, value;
} css_pair;

typedef CSS_ARRAY(css_pair) css_pairs;

/* Evaluation order of a compound or dependency. */
typedef struct css_order {
    uint32_t sweep; /* sweep of the processor: the first after which it is known */
    uint32_t stage; /* stage of a device */
} css_order;

typedef struct css_compiler {
    css_compiled *out;
    hed_arena *arena, work;
    hed_error *error;
    const hed_css_sheet *sheet;
    bool quirks;
    bool shadow;             /* documents have shadow roots */
    bool edited;             /* elements can have CSS_EDITED */
    const bool *without;     /* (rules of all sheets) or NULL */
    css_interner identities; /* identities of predicates */
    css_interner keys, nodes;
    css_pairs key_pairs;                 /* key, predicate */
    CSS_ARRAY(css_order) compound_order; /* (C) */
    css_list dependency_sweep;           /* (D) css_order.sweep of its compounds, the greatest */
    css_list scratch;                    /* stack of literals */
    css_list ids;                        /* stack of compounds */
    CSS_ARRAY(css_path) paths;           /* stack */
    uint32_t *memo[CSS_STATES_MODES];    /* (complexes of the sheet) 1 + compound; 0: unknown */
    uint8_t *path_counts;                /* (complexes) paths of a complex selector; 0: unknown */
    CSS_ARRAY(css_path_end) path_ends;
} css_compiler;

/* Pops the clauses from `base` on; returns the number of their compound, or CSS_NOWHERE. */
uint32_t css_compound_of(css_compiler *c, uint32_t base);
/* Literals of a compound, and their number. */
const uint32_t *css_compound_literals(const css_compiler *c, uint32_t compound, uint32_t *count);
/* Pushes a clause of one literal. */
void css_push_literal(css_compiler *c, uint32_t literal);
/* Pushes the clauses of a compound. */
void css_push_compound(css_compiler *c, uint32_t compound);
/* Pushes the clauses of a compound selector, without simple selector `skip`. False: it never
 * holds. */
bool css_push_compound_selector(
    css_compiler *c, const css_compound *compound, uint32_t skip, css_states_mode mode);
/* The compound, on the last element of a complex selector, that is equivalent to the whole
 * selector; CSS_NOWHERE: it never holds. */
uint32_t css_local_compound(css_compiler *c, uint32_t complex, css_states_mode mode);
/* Pops compounds ids[base ...]; returns the predicate "one of them holds on an element in
 * `relation`". */
uint32_t css_relation_predicate(css_compiler *c, uint32_t relation, uint32_t base);
/* Rank of a clause for finding its compound by a bucket: 0, the best, to 3; 4: unusable. */
uint32_t css_clause_rank(const css_compiler *c, const uint32_t *clause, uint32_t count);

/* Position after the clause that begins at `at`. */
static inline uint32_t css_clause_end(const uint32_t *literals, uint32_t at)
{
    while (!(literals[at] & CSS_LAST_OF_CLAUSE)) at++;
    return at + 1;
}

#endif
