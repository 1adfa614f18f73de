/* What compile.c and compile_compound.c share: the compiler of sheets, and the compounds that it makes. */
#ifndef HED_CSS_COMPILER_H
#define HED_CSS_COMPILER_H

#include "solver/compile.h"

#define CSS_NOWHERE (CSS_NONE - 1) /* in place of a compound: it holds nowhere */

/* What :hover and the like mean. */
typedef enum css_states_mode {
    CSS_STATES_GIVEN,   /* what the document holds */
    CSS_STATES_GRANTED, /* they hold */
    CSS_STATES_DENIED,  /* they do not: inside of :not(), where they are granted around */
    CSS_STATES_MODES
} css_states_mode;

typedef struct css_compiler {
    css_compiled *out;
    hed_arena *arena, work;
    hed_error *error;
    const hed_css_sheet *sheet;
    bool quirks;
    const bool *without;     /* (rules of all sheets) or NULL */
    css_interner identities; /* of predicates */
    css_interner keys, nodes;
    css_list key_pairs;    /* key, predicate */
    css_list ready, stage; /* (C) sweep in which a compound is known at the latest; its stage */
    css_list feed_ready;   /* (F) */
    css_list scratch, ids, paths;     /* stacks: literals, compounds, (compound, need, child) */
    uint32_t *memo[CSS_STATES_MODES]; /* (complexes of the sheet) 1 + compound */
    uint8_t *ways;                    /* (complexes) paths of a complex selector; 0: unknown */
    struct css_final_item {
        uint32_t rule, specificity, complex, compound, need, child;
    } * finals;
    uint32_t final_count, final_room, source_room;
} css_compiler;

/* Number of the compound of the clauses from `base` on, which come off the stack; or CSS_NOWHERE. */
uint32_t css_compound_of(css_compiler *c, uint32_t base);
/* Literals of a compound, and how many. */
const uint32_t *css_compound_literals(const css_compiler *c, uint32_t compound, uint32_t *count);
/* Pushes a clause of one literal. */
void css_push_literal(css_compiler *c, uint32_t literal);
/* Pushes the clauses of a compound. */
void css_push_compound(css_compiler *c, uint32_t compound);
/* Pushes the clauses of a compound selector but for simple selector `skip`. False: it holds nowhere. */
bool css_push_compound_selector(
    css_compiler *c, const css_compound *compound, uint32_t skip, css_states_mode mode);
/* Predicate of compounds ids[base ...], which come off the stack: one of them holds where `relation` says. */
uint32_t css_relation_predicate(css_compiler *c, uint32_t relation, uint32_t base);
/* How good a clause is to find a compound by: least is best; 4: not at all. */
uint32_t css_clause_rank(const css_compiler *c, const uint32_t *clause, uint32_t count);

static inline uint32_t css_clause_end(const uint32_t *literals, uint32_t at)
{
    while (!(literals[at] & CSS_LAST_OF_CLAUSE)) at++;
    return at + 1;
}

#endif
