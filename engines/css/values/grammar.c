/* See grammar.h. */
#include "values/grammar.h"

#include <stdlib.h>

#include "model/properties.h"
#include "values/grammar.inc"

const css_grammar css_values_grammar = {
    .words = grammar_words,
    .nodes = grammar_nodes,
    .children = grammar_children,
    .rules = grammar_rules,
    .ranges = grammar_ranges,
    .bounds = grammar_bounds,
    .excluded = grammar_excluded,
    .properties = grammar_properties,
    .word_count = HED_COUNT(grammar_words),
    .property_count = HED_COUNT(grammar_properties),
};

static int compare_word(const void *word, const void *entry)
{
    return strcmp(word, *(const char *const *)entry);
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const css_grammar_name *)entry)->name);
}

uint16_t css_grammar_word(const char *word)
{
    const char *const *row =
        bsearch(word, grammar_words, HED_COUNT(grammar_words), sizeof *grammar_words, compare_word);
    return row ? (uint16_t)(row - grammar_words) : CSS_NO_WORD;
}

static const css_grammar_name *find_property(const char *name)
{
    return bsearch(name, grammar_properties, HED_COUNT(grammar_properties),
        sizeof *grammar_properties, compare_name);
}

uint32_t css_grammar_property(const char *name)
{
    const css_grammar_name *row = find_property(name);
    return row ? row->node : CSS_NO_NODE;
}

bool css_property_known(const char *name)
{
    if (name[0] == '-' && name[1] == '-') return true;
    return find_property(name) != NULL;
}

const char *css_property_at(uint32_t index)
{
    return index < HED_COUNT(grammar_properties) ? grammar_properties[index].name : NULL;
}
