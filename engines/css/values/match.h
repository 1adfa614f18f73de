/* A value as tokens, and the state of its match with the grammar. */
#ifndef HED_CSS_VALUE_MATCH_H
#define HED_CSS_VALUE_MATCH_H

#include "model/tokenizer.h"
#include "values/grammar.h"

/* Limits: a value beyond one of them counts as valid. */
enum {
    CSS_VALUE_TOKENS = 1000,
    CSS_VALUE_STEPS = 100000, /* nodes visited */
    CSS_VALUE_DEPTH = 200,    /* nodes inside of each other */
    CSS_VALUE_SETS = 4096     /* words of the sets of positions in use */
};

/* Token of a value, without white space. */
typedef struct css_value_token {
    css_token token;
    uint16_t word;  /* number in the grammar's words, a function's with "("; or CSS_NO_WORD */
    uint16_t after; /* index of the next token on the same level: after the block that it opens */
} css_value_token;

enum { CSS_FAULT_NODES = 64 };

/* Position at which the match of an invalid value got stuck, and the components that the grammar
 * had there. */
typedef struct css_value_stop {
    uint32_t at;                     /* token, the greatest at which a node failed */
    uint16_t nodes[CSS_FAULT_NODES]; /* (count) nodes that failed there, each once */
    uint32_t count;
    bool end;   /* the value, or its block, could have ended there */
    bool comma; /* a comma could have continued a list there */
} css_value_stop;

typedef struct css_value {
    const char *text;
    css_value_token tokens[CSS_VALUE_TOKENS + 1]; /* (count), and one of type CSS_END */
    uint32_t count;
    bool quirks;
    bool anchors, anchor_sizes; /* the property takes anchor(); anchor-size() */
    /* the block that is being matched: tokens begin to end - 1 */
    uint32_t begin, end;
    uint32_t set_words; /* words of a set of positions: bit i is token begin + i */
    const char
        *channels; /* words that are numbers in the block, as of a relative colour; "": no word */
    uint64_t sets[CSS_VALUE_SETS];
    uint32_t sets_used, steps, depth;
    bool exhausted;       /* a limit was reached */
    css_value_stop *stop; /* NULL: not recorded */
} css_value;

/* Token after the number, dimension or mathematical function at token `at`, if it is of a numeric
 * type and in a range; CSS_NO_NODE: it is not. */
uint32_t css_value_numeric(
    const css_value *value, css_value_type type, const css_grammar_range *range, uint32_t at);
/* Token after the sum at token `at`, a second argument of calc-size(); CSS_NO_NODE: there is no
 * sum. */
uint32_t css_value_sum(const css_value *value, uint32_t at);
/* True if the whole value matches a node. */
bool css_value_matches(css_value *value, uint32_t node);

#endif
