/* Selectors and rules as the parser leaves them: arrays with indices, one set for each sheet. A
 * selector list is a range of complex selectors; a complex selector is a range of compounds from left
 * to right; a compound is a range of simple selectors. Lists inside of selectors lie before the
 * selector that holds them, are nested at most CSS_NESTING deep, and may be shared: `&` is the list of
 * the rule around. :has() may stand inside of another one, by `&` and by what :focus-within means. */
#ifndef HED_CSS_SELECTOR_H
#define HED_CSS_SELECTOR_H

#include "layers.h"
#include "names.h"

typedef enum css_kind {
    CSS_TYPE, /* name: as written; lower: ASCII lower case, which HTML elements are compared with */
    CSS_UNIVERSAL, /* of a namespace, where name_space says so */
    CSS_ID,
    CSS_CLASS,
    CSS_ATTRIBUTE, /* name, operator, value, letter case */
    CSS_FLAG,      /* bits of document.h, all of which are set (CSS_RTL: see negated) */
    CSS_STATE,     /* bits of hed_css_state, one of which is set */
    CSS_NTH,       /* position kind, a n + b; `of` a list, or none */
    CSS_LANG,      /* a list of language ranges: names, from `value` on in css_selectors.words */
    CSS_IS,        /* :is(), :where(), and the `&` of nesting */
    CSS_NOT,
    CSS_HAS,  /* a list of relative selectors: the first compound has a combinator in front */
    CSS_NEVER /* valid, and matches nothing here: :host, :horizontal, :is() */
} css_kind;

/* Deepest nesting of lists; a rule with more is HED_CSS_UNSUPPORTED. */
enum { CSS_NESTING = 64 };

typedef enum css_operator {
    CSS_PRESENT,
    CSS_EQUALS,   /* = */
    CSS_WORD,     /* ~= */
    CSS_DASH,     /* |= */
    CSS_PREFIX,   /* ^= */
    CSS_SUFFIX,   /* $= */
    CSS_SUBSTRING /* *= */
} css_operator;

/* Letter case of an attribute's value. */
typedef enum css_letter_case {
    CSS_AS_DOCUMENT, /* an attribute of HTML's list: insensitive in HTML elements alone */
    CSS_INSENSITIVE,
    CSS_SENSITIVE
} css_letter_case;

typedef struct css_simple {
    uint8_t kind;      /* css_kind */
    uint8_t operation; /* ATTRIBUTE: css_operator; NTH: CSS_CHILD ... */
    uint8_t letter_case;
    bool negated; /* FLAG, STATE: the bits are not set (:enabled is a flag of its own) */
    /* TYPE, UNIVERSAL: CSS_NONE any namespace; else 0 none, or 1 + hed_css_namespace. ATTRIBUTE:
     * CSS_NONE any; else as in css_attribute, or 4: another one */
    uint32_t name_space;
    uint32_t name, lower; /* TYPE, ID, CLASS, ATTRIBUTE: names, as written and in lower case */
    uint32_t value;       /* ATTRIBUTE: name of the value; LANG: first word, `count` of them */
    int32_t a, b;         /* NTH */
    uint32_t bits;        /* FLAG, STATE */
    uint32_t list, count; /* IS, NOT, HAS, NTH of: first complex selector, and how many */
} css_simple;

typedef struct css_compound {
    uint32_t first, count;   /* simple selectors */
    char combinator;         /* to the compound on the left: ' ' '>' '+' '~'; 0: the first */
    uint32_t pseudo_element; /* name; CSS_NONE: none */
} css_compound;

typedef struct css_complex {
    uint32_t first, count; /* compounds, left to right */
    uint32_t specificity;  /* a << 20 | b << 10 | c */
    uint32_t begin, end;   /* bytes of the text */
    bool shadow;           /* about shadow trees: not matched */
    bool state;            /* of a list of its own, not in brackets: as in hed_css_rule */
} css_complex;

/* One declaration of a rule. */
typedef struct css_declaration {
    uint32_t property; /* name, lower case but for custom properties */
    const char *value;
    uint32_t value_length;
    bool important;
} css_declaration;

typedef struct css_rule {
    hed_css_rule info;
    uint32_t list, count; /* complex selectors; of HED_CSS_VALID alone */
    uint32_t layer;       /* number in the sheet's layers */
    uint32_t condition;   /* 1 + the innermost one; 0: none */
    uint32_t first_declaration, declaration_count;
} css_rule;

/* What rules are under: @media, @supports, @import with a condition, as written. */
typedef struct css_condition {
    uint32_t around; /* as css_rule's */
    const char *text;
    size_t length;
} css_condition;

/* Arrays of a sheet. */
enum {
    CSS_RULES,
    CSS_COMPLEXES,
    CSS_COMPOUNDS,
    CSS_SIMPLES,
    CSS_DECLARATIONS,
    CSS_WORDS,
    CSS_PARTS,
    CSS_CONDITIONS,
    CSS_STORES
};

struct hed_css_sheet {
    hed_allocator allocator;
    hed_arena arena;
    hed_css_names *names;
    hed_css_sheet_def def;
    css_rule *rules; /* (rule_count) in source order */
    uint32_t rule_count;
    /* shared by all rules */
    css_complex *complexes;
    css_compound *compounds;
    css_simple *simples;
    css_declaration *declarations;
    uint32_t *words;
    uint32_t complex_count, compound_count, simple_count, declaration_count, word_count;
    struct css_array { /* what they lie in */
        void *items;
        size_t size; /* of an item */
        uint32_t count, capacity;
    } store[CSS_STORES];
    css_layers layers;
    /* what is not a style rule, for `unused` */
    struct css_part {
        hed_css_part info;
        uint32_t name;    /* CSS_NONE: none */
        const char *text; /* that its bytes are counted in */
    } * parts;
    uint32_t part_count;
};

/* Reads declarations up to the end of a text, such as a style attribute, and hands each over; its value
 * is a slice of the text, which ends with a zero behind `length`. Gives false where memory runs out. */
bool css_read_declarations(hed_css_names *names, const char *text, size_t length,
    void (*each)(void *user, const css_declaration *declaration), void *user);

/* Whether an attribute's value fits: ATTRIBUTE's operator and value; insensitive: regardless of ASCII
 * case. */
bool css_value_fits(css_operator operation, const char *wanted, size_t wanted_length,
    const char *value, size_t length, bool insensitive);
/* Whether a language fits a range of :lang(): extended filtering of RFC 4647. */
bool css_language_fits(const char *range, size_t range_length, const char *language, size_t length);

/* ---- naive.c: the meaning of selectors, right to left with backtracking, for tests ---- */

struct hed_css_document;
bool css_naive_match(const hed_css_sheet *sheet, const struct hed_css_document *document,
    uint32_t complex, uint32_t element);

#endif
