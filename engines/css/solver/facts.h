/* What strings say: predicates of attributes, ids and languages, evaluated once for each distinct one, so
 * that neither bind nor pass reads a text. */
#ifndef HED_CSS_FACTS_H
#define HED_CSS_FACTS_H

#include "solver/compile.h"

typedef struct css_facts {
    hed_arena *arena;
    const css_compiled *compiled;
    /* (names) whether a name is asked for: bits of enum facts_asked */
    uint8_t *asked;
    uint32_t names;
    uint32_t id;            /* the name "id" */
    css_interner keys;      /* of predicates: what is asked, name */
    css_list first, next;   /* (keys) first predicate of a key; (predicates) next of the same key */
    css_interner pairs;     /* distinct attributes */
    css_list pair_set;      /* (pairs) the set of predicates that are true on it */
    css_interner sets;      /* 0: the empty one */
    css_interner languages; /* name of the language */
    css_list language_set;
    css_list language_predicates, scratch;
} css_facts;

hed_status css_facts_make(css_facts *facts, hed_arena *arena, const css_compiled *compiled,
    const hed_css_names *names, hed_error *error);
/* The set of predicates that an attribute makes true, its element's id among them. */
uint32_t css_attribute_facts(css_facts *facts, const hed_css_document *document, uint32_t element,
    const css_attribute *attribute, hed_error *error);
/* The set that a language makes true. */
uint32_t css_language_facts(
    css_facts *facts, const hed_css_names *names, uint32_t language, hed_error *error);

#endif
