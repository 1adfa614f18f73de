/* All elements of a forest matched against a bound sheet: see the head of kernels/tables.h. */
#ifndef HED_CSS_PASS_H
#define HED_CSS_PASS_H

#include "solver/bind.h"

/* 64-bit keys, each with two words: open addressing, at most half full. */
typedef struct css_map {
    struct css_map_slot {
        uint64_t key; /* UINT64_MAX: free */
        uint32_t value, next;
    } * slots;
    uint32_t shift, count; /* 64 - log2 of the slots */
} css_map;

/* A compound with more acts than this is looked up in by the bits that a state has. */
enum { CSS_MANY_ACTS = 64 };

typedef struct css_signature {
    uint32_t shape;
    uint32_t many, many_count;   /* compounds with many acts, whose acts are not among these: */
    uint32_t inner, inner_count; /* acts of two words */
    uint32_t final, final_count; /* sorted by final */
    uint32_t feeds;              /* first of its feed words; CSS_NONE: it feeds nothing */
} css_signature;

typedef struct css_pass {
    const css_forest *forest;
    css_bound *bound;
    hed_arena *arena;
    uint32_t feed_words, early_words; /* of feeds; of early bits */
    css_map signature_of;             /* (shape, bits) -> signature */
    css_map class_of;                 /* (state, signature) -> class and its state for children */
    css_interner wide;                /* bits of shapes with more than 32 asks */
    css_interner states;              /* the bits that are set, ascending; 0: none */
    uint32_t *above_bits;             /* room for a state as bits */
    css_signature *signatures;
    uint32_t signature_count, signature_room;
    css_list base;         /* (shapes) signature of a shape without asks; CSS_NONE */
    css_list shape_sweeps; /* (shapes) bits of the sweeps that have something to do for it */
    uint32_t used;         /* all of them */
    css_list acts, feeds, many, list, found;
    css_list bits; /* room for varying bits */
    css_list feed; /* room for the feeds of an element; behind them empty rows */
    /* results: for each class its signature and state; for each entry of a list the rule and its final */
    uint32_t *element_class;
    css_list class_begin, class_signature, class_state, rules, finals;
    /* of sweeps: rows of feed words by level, see pass.c */
    uint32_t *near, *some, *above, *counts, *early;
    uint32_t rows;
} css_pass;

/* Feed words of what stands around an element, as a sweep forwards or backwards knows them. */
typedef struct css_around {
    const uint32_t *near;               /* the sibling visited before */
    const uint32_t *some;               /* all siblings visited before, together */
    const uint32_t *counts;             /* how many of them feed, for each feed */
    const uint32_t *parent;             /* forwards */
    const uint32_t *above;              /* forwards: all ancestors */
    const uint32_t *some_child, *below; /* backwards: all children; all descendants */
} css_around;

/* Makes room; memory from `arena`, `element_class` (elements) is the caller's. */
hed_status css_pass_make(css_pass *pass, hed_arena *arena, const css_forest *forest,
    css_bound *bound, uint32_t *element_class, hed_error *error);
/* Matches all elements. */
hed_status css_pass_run(css_pass *pass, hed_error *error);

/* ---- for changes (change.c) ---- */

/* The varying bits of an element, `level` and place aside: into pass->bits. */
void css_find_bits(css_pass *pass, const hed_css_document *document, uint32_t element,
    const uint32_t *bound, const uint32_t *early, const css_around *around);
/* The same as far as they are known in a sweep before the pass; early bits that this sweep finds are
 * set. Then the element's feeds, into pass->feed. */
void css_sweep_element(css_pass *pass, const hed_css_document *document, uint32_t element,
    const uint32_t *bound, uint32_t sweep, uint32_t *early, const css_around *around);
/* The signature of a shape, with pass->bits where it has asks. */
uint32_t css_signature_of(css_pass *pass, uint32_t shape, hed_error *error);
/* Class of an element below a parent of a state. */
uint32_t css_class_of(css_pass *pass, uint32_t parent_state, uint32_t signature, hed_error *error);
/* Room for what shapes bound since then ask. */
bool css_pass_extend(css_pass *pass, hed_error *error);

#endif
