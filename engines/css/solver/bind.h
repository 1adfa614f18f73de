/* A compiled sheet bound to the shapes of a forest: see the head of kernels/tables.h. */
#ifndef HED_CSS_BIND_H
#define HED_CSS_BIND_H

#include "solver/forest.h"

/* How an ask of a shape is answered: the first of its words. */
enum css_answer {
    CSS_BY_POSITION, /* position, a, b */
    CSS_BY_PARENT =
        CSS_POSITIONS + 1, /* slot of the feed; these four in the order of css_relation */
    CSS_BY_ANCESTOR,
    CSS_BY_PREVIOUS,
    CSS_BY_EARLIER,
    CSS_BY_COUNT, /* slot, a, b */
    CSS_BY_SWEEP, /* slot of the early bit */
    CSS_ANSWER_WORDS = 6
};

typedef struct css_bound {
    const css_compiled *compiled;
    hed_arena *arena;
    uint32_t d_bits, bits;              /* of a state */
    uint32_t *possible;                 /* (P) */
    uint32_t *compound_possible, *live; /* (C) */
    uint32_t *node_uses; /* (N) as in node, of what can occur; before that: 4 reached */
    uint32_t *node_bit, *act_count, *inner_act, *final_act;
    uint32_t *feed_read; /* (F) some possible predicate reads it */
    css_list bound, certain, candidate, residual, ask, feeding;
    css_list answer; /* of each ask, CSS_ANSWER_WORDS each */
    uint32_t *feed_sweeps,
        feed_reads; /* (F) bits of the sweeps that read it, 31: the pass; bits set */
    uint32_t *feed_slot, feed_slots;   /* (F) of what asks read; CSS_NONE */
    uint32_t *early_slot, early_slots; /* (P) of asks that a sweep answers */
    uint32_t sweeps;                   /* before the pass */
    bool counts, up; /* some ask counts; some ask is about the parent or an ancestor */
    /* of the work */
    uint32_t *status, *ask_number; /* (P / 16) (P) */
    css_list hit, hit_begin;
} css_bound;

/* The bit of a sweep before the pass, in masks of sweeps: the last one is shared by all beyond. */
static inline uint32_t css_sweep_bit(uint32_t sweep) { return sweep < 30 ? sweep : 30; }

/* Room for binding; memory from `arena`. */
hed_status css_bound_make(
    css_bound *bound, hed_arena *arena, const css_compiled *compiled, hed_error *error);
/* Binds all shapes. */
hed_status css_bind(css_bound *bound, const css_forest *forest, hed_error *error);
/* Binds the shapes that are new since then; false: they have what no shape had, or ask what none asked,
 * and all must be bound anew. */
bool css_bind_more(css_bound *bound, const css_forest *forest, hed_error *error);

#endif
