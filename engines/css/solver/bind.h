/* A compiled sheet bound to the element kinds of a forest: see the head of kernels/tables.h. */
#ifndef HED_CSS_BIND_H
#define HED_CSS_BIND_H

#include "tables/forest.h"

/* Evaluation of a dynamic predicate in the pass. */
enum css_evaluation {
    CSS_BY_POSITION,
    CSS_BY_PARENT, /* value of a dependency; this and the next three are in the order of css_relation */
    CSS_BY_ANCESTOR,
    CSS_BY_PREVIOUS,
    CSS_BY_EARLIER,
    CSS_BY_COUNT,
    CSS_BY_SWEEP /* early bit, which a sweep before the pass has set */
};

/* A dynamic predicate of an element kind. */
typedef struct css_dynamic {
    uint32_t predicate;
    uint32_t by;     /* enum css_evaluation */
    uint32_t source; /* POSITION: axis; SWEEP: slot of the early bit; else slot of the dependency */
    uint32_t a, b;   /* POSITION, COUNT: a n + b */
    uint32_t sweep;  /* SWEEP: the sweep that evaluates it */
    uint64_t first_positions; /* POSITION: bit k: true at position k + 1 */
} css_dynamic;

/* A dependency as the pass reads it. */
typedef struct css_dependency {
    bool is_read;    /* a possible predicate reads it */
    uint32_t sweeps; /* bits of the sweeps that read it (css_sweep_bit()); CSS_THE_PASS: the pass */
    uint32_t slot;   /* bit in rows of dependencies; CSS_NONE: no dynamic predicate reads it */
} css_dependency;

typedef struct css_bound {
    const css_compiled *compiled;
    hed_arena *arena;
    uint32_t inherited_bits,
        bits;                 /* bits of a state: the inherited bits, which come first; all bits */
    bool *possible;           /* (P) true or undecided on some kind */
    bool *compound_possible;  /* (C) some element may match it */
    bool *live;               /* (C) possible, with acts or a dependency that is read */
    uint32_t *node_uses;      /* (N) enum css_node_use, of nodes and finals that can occur */
    css_node_bits *node_bits; /* (N) */
    css_act_counts *act_counts;     /* (C) */
    css_act *transition;            /* transitions of compound c from css_first_transition() on */
    css_act *acceptance;            /* acceptances of compound c from compound_final_begin[c] on */
    css_dependency *dependency;     /* (D) */
    CSS_ARRAY(css_bound_kind) kind; /* (element kinds) */
    css_list certain, residual;
    CSS_ARRAY(css_candidate) candidate;
    CSS_ARRAY(css_candidate) candidate_dependency;
    CSS_ARRAY(css_dynamic) dynamic;
    uint32_t dependency_reads;         /* bits set in css_dependency.sweeps */
    uint32_t slots;                    /* slots of dependencies */
    uint32_t *early_slot, early_slots; /* (P) slot if a sweep evaluates the predicate; CSS_NONE */
    uint32_t sweeps;                   /* before the pass */
    bool counts;                       /* some dynamic predicate counts */
    bool looks_up;                     /* some dynamic predicate reads the parent or an ancestor */
    /* work space */
    uint32_t *status;         /* (P / 16 + 1) */
    uint32_t *dynamic_number; /* (P) index in `dynamic` */
    css_list hit, hit_begin;  /* CSR (element kinds): predicates that are true */
} css_bound;

enum { CSS_THE_PASS = 31 }; /* bit in css_dependency.sweeps */

/* Bit of a sweep before the pass, in masks of sweeps; all sweeps from 30 on have bit 30. */
static inline uint32_t css_sweep_bit(uint32_t sweep) { return sweep < 30 ? sweep : 30; }

/* Allocates a binding from `arena`. */
hed_status css_bound_make(
    css_bound *bound, hed_arena *arena, const css_compiled *compiled, hed_error *error);
/* Binds all element kinds. */
hed_status css_bind(css_bound *bound, const css_forest *forest, hed_error *error);
/* Binds the element kinds that were added since. False: a predicate is true on them that was not
 * possible, or they have the first dynamic predicate of some form; css_bind() has to be called
 * again. */
bool css_bind_more(css_bound *bound, const css_forest *forest, hed_error *error);

#endif
