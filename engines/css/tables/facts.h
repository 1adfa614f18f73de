/* Facts: predicates of attributes, ids and languages that are true. Each distinct attribute or
 * language is evaluated once, so that neither bind nor pass reads a text. */
#ifndef HED_CSS_FACTS_H
#define HED_CSS_FACTS_H

#include "tables/compile.h"

/* Entry of a key's list of predicates. */
typedef struct css_fact_entry {
    uint32_t predicate, next; /* next entry; CSS_NONE: none */
} css_fact_entry;

typedef struct css_facts {
    hed_arena *arena;
    const css_compiled *compiled;
    uint8_t *roles; /* (names) roles in which predicates test a name: bits of enum facts_role */
    uint32_t names;
    uint32_t id;             /* the name "id" */
    css_interner keys;       /* css_fact_key */
    css_list first;          /* (keys) first entry */
    css_fact_entry *entries; /* (entry_count), 2 (predicates) at most */
    uint32_t entry_count;
    css_interner pairs;     /* distinct attributes */
    css_list pair_set;      /* (pairs) set of the predicates that are true */
    css_interner sets;      /* sets of predicates; 0: the empty set */
    css_interner languages; /* names of languages */
    css_list language_set;  /* (languages) set of the predicates that are true */
    css_list language_predicates, scratch;
} css_facts;

hed_status css_facts_make(css_facts *facts, hed_arena *arena, const css_compiled *compiled,
    const hed_css_names *names, hed_error *error);
/* Set of the predicates that an attribute makes true, including predicates of its element's id. */
uint32_t css_attribute_facts(css_facts *facts, const hed_css_document *document, uint32_t element,
    const css_attribute *attribute, hed_error *error);
/* Set of the predicates that a language makes true. */
uint32_t css_language_facts(
    css_facts *facts, const hed_css_names *names, uint32_t language, hed_error *error);

#endif
