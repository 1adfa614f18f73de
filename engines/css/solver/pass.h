/* All elements of a forest matched against a bound sheet: see the head of kernels/tables.h. */
#ifndef HED_CSS_PASS_H
#define HED_CSS_PASS_H

#include "solver/bind.h"

/* Hash table of 64-bit keys, each with two words: open addressing, at most half full. */
typedef struct css_map {
    struct css_map_slot {
        uint64_t key; /* UINT64_MAX: free */
        uint32_t value, next;
    } * slots;
    uint32_t shift, count; /* 64 - log2 of the slots */
} css_map;

/* Greatest number of a compound's acts that are copied to signatures. Acts of a larger compound are
 * looked up by the bits of the parent's state. */
enum { CSS_MANY_ACTS = 64 };

typedef struct css_signature {
    uint32_t kind;                          /* element kind */
    uint32_t first_large, large_count;      /* compounds of more than CSS_MANY_ACTS acts */
    uint32_t first_transition, transitions; /* acts of the other compounds */
    uint32_t first_acceptance, acceptances; /* ... sorted by final */
    uint32_t first_dependency_word;         /* row of dependencies; CSS_NONE: absent */
} css_signature;

/* A class: its signature, its state for children, and its list of rules. */
typedef struct css_class {
    uint32_t signature, state;
} css_class;

typedef struct css_pass {
    const css_forest *forest;
    css_bound *bound;
    hed_arena *arena;
    uint32_t dependency_words, early_words; /* words of a row of dependencies; of early bits */
    css_map signature_of;                   /* (element kind, dynamic bits) -> signature */
    css_map class_of;     /* (state, signature) -> class and its state for children */
    css_interner wide;    /* dynamic bits of element kinds that have more than 32 */
    css_interner states;  /* bits that are set, ascending; state 0: the empty set */
    uint32_t *state_bits; /* a state as a bit set; clear between uses */
    CSS_ARRAY(css_signature) signature;
    css_list base;        /* (element kinds) signature of a kind without dynamic bits; CSS_NONE */
    css_list kind_sweeps; /* (element kinds) bits of the sweeps that have to visit its elements */
    uint32_t used_sweeps; /* bits of all sweeps that have something to do */
    CSS_ARRAY(css_act) acts;
    css_list dependency_rows, large, list, found;
    css_list bits; /* work space for dynamic bits */
    css_list row;  /* work space for the dependencies of an element; an empty row follows */
    /* results: for each class css_class and CSR offsets; for each entry of a list the rule and its
     * final */
    uint32_t *element_class;
    CSS_ARRAY(css_class) class;
    css_list class_begin, rules, finals;
    /* rows of dependencies by level, for sweeps: see pass.c */
    uint32_t *previous_sibling, *earlier_siblings, *ancestors, *counts, *early;
    uint32_t rows;
} css_pass;

/* Rows of dependencies of the elements around one. Forwards, "previous" and "earlier" are in
 * document order; backwards they are in reverse order, so they mean the next and all later
 * siblings. */
typedef struct css_around {
    const uint32_t *previous_sibling;
    const uint32_t *earlier_siblings; /* OR of the siblings' rows */
    const uint32_t *counts;           /* (slots) number of earlier siblings that satisfy each */
    const uint32_t *parent;           /* forwards */
    const uint32_t *ancestors;        /* forwards: OR of their rows */
    const uint32_t *children;         /* backwards: OR of their rows */
    const uint32_t *descendants;      /* backwards: OR of their rows */
} css_around;

/* Allocates from `arena`; `element_class` (elements) is owned by the caller. */
hed_status css_pass_make(css_pass *pass, hed_arena *arena, const css_forest *forest,
    css_bound *bound, uint32_t *element_class, hed_error *error);
/* Matches all elements. */
hed_status css_pass_run(css_pass *pass, hed_error *error);

/* ---- for changes (change.c) ---- */

/* Writes the dynamic bits of an element to pass->bits. */
void css_find_bits(css_pass *pass, const hed_css_document *document, uint32_t element,
    const css_bound_kind *kind, const uint32_t *early, const css_around *around);
/* Visits an element in a sweep before the pass: writes the dynamic bits known so far to pass->bits,
 * the early bits that this sweep evaluates to `early`, and the dependencies that the element
 * satisfies to pass->row. */
void css_sweep_element(css_pass *pass, const hed_css_document *document, uint32_t element,
    uint32_t kind, uint32_t sweep, uint32_t *early, const css_around *around);
/* Signature of an element kind, with pass->bits if it has dynamic predicates. */
uint32_t css_signature_of(css_pass *pass, uint32_t kind, hed_error *error);
/* Class of an element of a signature whose parent has a state. */
uint32_t css_class_of(css_pass *pass, uint32_t parent_state, uint32_t signature, hed_error *error);
/* Makes room for the element kinds that were bound since. */
bool css_pass_extend(css_pass *pass, hed_error *error);

#endif
