/* Grammar of the values of properties: tables that generate.py makes from definitions in the value
 * definition syntax (Values 4, section 2). */
#ifndef HED_CSS_GRAMMAR_H
#define HED_CSS_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#define CSS_NO_WORD UINT16_MAX
#define CSS_NO_NODE UINT32_MAX

/* Kinds of nodes, in the order of generate.py. `a` and `b` are members of css_grammar_node. */
typedef enum css_grammar_kind {
    CSS_GRAMMAR_WORD,     /* keyword or sign: word a */
    CSS_GRAMMAR_TYPE,     /* terminal: css_value_type a, range b; a name: excluded words b */
    CSS_GRAMMAR_RULE,     /* reference: rule a */
    CSS_GRAMMAR_BLOCK,    /* function or [ ]: word a, with the bracket; contents: node b */
    CSS_GRAMMAR_SEQUENCE, /* juxtaposition of the children a to a + b - 1 */
    CSS_GRAMMAR_ALL,      /* &&: all children in any order */
    CSS_GRAMMAR_SOME,     /* SOME (||): at least one child, in any order */
    CSS_GRAMMAR_ONE,      /* |: one child */
    CSS_GRAMMAR_REPEAT    /* node a as often as bound b allows */
} css_grammar_kind;

/* Terminals, in the order of generate.py. */
typedef enum css_value_type {
    CSS_VALUE_CUSTOM_IDENT,
    CSS_VALUE_DASHED_IDENT,
    CSS_VALUE_IDENT,
    CSS_VALUE_STRING,
    CSS_VALUE_TAG, /* string of four characters */
    CSS_VALUE_URL,
    CSS_VALUE_HEX_COLOR,
    CSS_VALUE_ZERO,
    CSS_VALUE_ANYTHING, /* <declaration-value>: the rest, which may be empty */
    CSS_VALUE_SUM,      /* <calc-sum> of calc-size(): lengths, percentages and `size` */
    CSS_VALUE_INTEGER,
    CSS_VALUE_NUMBER,
    CSS_VALUE_PERCENTAGE,
    CSS_VALUE_LENGTH,
    CSS_VALUE_ANGLE,
    CSS_VALUE_TIME,
    CSS_VALUE_FREQUENCY,
    CSS_VALUE_RESOLUTION,
    CSS_VALUE_FLEX,
    CSS_VALUE_LENGTH_PERCENTAGE,
    CSS_VALUE_ANGLE_PERCENTAGE,
    CSS_VALUE_TIME_PERCENTAGE,
    CSS_VALUE_NUMBER_PERCENTAGE,
    CSS_VALUE_TYPES
} css_value_type;

typedef struct css_grammar_node {
    uint8_t kind; /* css_grammar_kind */
    bool empty;   /* true: it matches nothing at all, too */
    uint16_t a, b;
} css_grammar_node;

/* Rule or property. */
typedef struct css_grammar_name {
    const char *name;
    uint16_t node;
    bool has_title; /* rule: messages name it, not its contents */
} css_grammar_name;

typedef struct css_grammar_range {
    double low, high;
} css_grammar_range;

typedef struct css_grammar_bound {
    uint16_t low, high; /* numbers of repetitions; high 0: no limit */
    bool commas;        /* true: commas between the repetitions */
} css_grammar_bound;

typedef struct css_grammar {
    const char *const *words; /* (word_count) sorted by bytes; functions end with "(" */
    const css_grammar_node *nodes;
    const uint16_t *children;
    const css_grammar_name *rules;
    const css_grammar_range *ranges;
    const css_grammar_bound *bounds;
    const char *const
        *excluded; /* lists of words, separated by spaces, that are no <custom-ident> */
    const css_grammar_name *properties; /* (property_count) sorted by bytes */
    uint32_t word_count, property_count;
} css_grammar;
extern const css_grammar css_values_grammar;

/* Number of a word in lower case, or CSS_NO_WORD. */
uint16_t css_grammar_word(const char *word);
/* Node of a property's value, or CSS_NO_NODE. */
uint32_t css_grammar_property(const char *name);

#endif
