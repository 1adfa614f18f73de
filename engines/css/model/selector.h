/* Selectors and rules of a sheet: arrays linked by indices. A selector list is a range of complex
 * selectors; a complex selector is a range of compounds from left to right; a compound is a range
 * of simple selectors. A list inside of a selector is stored before that selector, is nested at
 * most CSS_NESTING deep, and may be shared: `&` is the list of the enclosing rule. :has() may be
 * nested by `&` and by :focus-within, which contains a :has(). */
#ifndef HED_CSS_SELECTOR_H
#define HED_CSS_SELECTOR_H

#include "layers.h"
#include "names.h"

typedef enum css_kind {
    CSS_TYPE,      /* name: as written; lower: in ASCII lower case, for HTML elements */
    CSS_UNIVERSAL, /* element of any namespace, or of name_space */
    CSS_ID,
    CSS_CLASS,
    CSS_ATTRIBUTE, /* name, operator, value, letter case */
    CSS_FLAG,      /* flags of document.h, all of them set (CSS_RTL: see negated) */
    CSS_STATE,     /* bits of hed_css_state, one of them set */
    CSS_NTH,       /* kind of position, a n + b, and the list after `of` */
    CSS_LANG,      /* language ranges: names, from `value` on in the sheet's `words` */
    CSS_IS,        /* :is(), :where(), and the `&` of nesting */
    CSS_NOT,
    CSS_HAS,   /* relative selectors: the first compound has a combinator */
    CSS_SCOPE, /* the root of the scope of an @scope */
    /* shadow trees, which solver/plain.c matches */
    CSS_HOST,        /* operation: css_host_kind, and its list */
    CSS_HAS_SLOTTED, /* slot to which something is assigned */
    CSS_SLOTTED,     /* ::slotted(): the list; in its compound the slot's selectors */
    CSS_PART, /* ::part(): names in the sheet's `words`; before it in the compound the selectors of the
               * host, after it selectors of the part */
    CSS_NEVER /* valid, but never matches: :horizontal, :is() */
} css_kind;

/* :host, :host(), :host-context(). */
typedef enum css_host_kind { CSS_HOST_ANY, CSS_HOST_LIST, CSS_HOST_CONTEXT } css_host_kind;

/* Greatest nesting depth of lists; a rule with deeper ones is HED_CSS_UNSUPPORTED. */
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
    CSS_AS_DOCUMENT, /* attribute in HTML's list: insensitive only in HTML elements */
    CSS_INSENSITIVE,
    CSS_SENSITIVE
} css_letter_case;

typedef struct css_simple {
    uint8_t kind;      /* css_kind */
    uint8_t operation; /* ATTRIBUTE: css_operator; NTH: CSS_CHILD ... */
    uint8_t letter_case;
    bool negated; /* FLAG, STATE: the bits are not set (:enabled is a flag of its own) */
    bool scoped;  /* SCOPE, or a list of it contains one */
    /* TYPE, ATTRIBUTE: outside of HTML elements too the name is compared without ASCII case, as some
     * browsers do */
    bool any_case;
    /* TYPE, UNIVERSAL: 0 no namespace, 1 + hed_css_namespace; CSS_NONE: any. ATTRIBUTE: as in
     * css_attribute, or 4 an unknown namespace; CSS_NONE: any */
    uint32_t name_space;
    uint32_t name, lower; /* TYPE, ID, CLASS, ATTRIBUTE: names, as written and in lower case */
    uint32_t value; /* ATTRIBUTE: name of the value; LANG, PART: first word, `count` of them */
    int32_t a, b;   /* NTH */
    uint32_t bits;  /* FLAG, STATE */
    /* FLAG, ATTRIBUTE: flag of the elements on which a reader can make it hold, or fail; or 0 */
    uint32_t may_hold, may_fail;
    uint32_t list,
        count; /* IS, NOT, HAS, NTH, HOST, SLOTTED: first complex selector, number of them */
    bool counts_changes; /* NTH: the matches of the list depend on states or changes by a reader */
} css_simple;

typedef struct css_compound {
    uint32_t first, count; /* simple selectors */
    char combinator;       /* relation to the compound on the left: ' ' '>' '+' '~'; 0: the first */
    uint32_t pseudo_element; /* name, except "slotted" and "part", or CSS_NONE */
    uint8_t shadow;          /* CSS_SLOTTED or CSS_PART if it has such a selector; else 0 */
} css_compound;

typedef struct css_complex {
    uint32_t first, count; /* compounds, left to right */
    uint32_t specificity;  /* a << 20 | b << 10 | c */
    uint32_t begin, end;   /* bytes of the text */
    bool shadow;           /* selector of shadow trees: solver/plain.c matches it alone */
    bool state;            /* see hed_css_rule; only in the list of a rule */
    bool inside, changes;  /* see hed_css_rule */
} css_complex;

/* One declaration of a rule. */
typedef struct css_declaration {
    uint32_t property; /* name; in lower case except of custom properties */
    const char *value;
    uint32_t value_length;
    bool important;
} css_declaration;

typedef struct css_rule {
    hed_css_rule info;
    uint32_t list, count; /* complex selectors, if HED_CSS_VALID */
    uint32_t layer;       /* number in the sheet's layers */
    uint32_t condition;   /* 1 + number of the innermost condition, or 0 */
    uint32_t scope;       /* 1 + number of the innermost scope, or 0 */
    uint32_t first_declaration, declaration_count;
    bool other_browser; /* a selector of its list has the prefix of another browser */
} css_rule;

/* Condition of rules: @media, @supports, @import with a condition, as written. */
typedef struct css_condition {
    uint32_t around; /* enclosing condition, as in css_rule */
    const char *text;
    size_t length;
    bool holds;
} css_condition;

/* An @scope: its roots are the elements that `roots` matches in the scope around it, and the parts
 * of the tree below an element that `limits` matches are outside of it. */
typedef struct css_scope {
    uint32_t around; /* enclosing scope, as in css_rule */
    bool implicit;   /* true: no `roots`; the root is scope_root of the sheet's definition */
    uint32_t roots, root_count, limits, limit_count; /* complex selectors */
    uint32_t self; /* complex selector that matches the root alone, for bare declarations */
} css_scope;

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
    CSS_SCOPES,
    CSS_STORES
};

struct hed_css_sheet {
    hed_allocator allocator;
    hed_arena arena;
    hed_css_names *names;
    hed_css_sheet_def def;
    css_rule *rules; /* (rule_count) in source order */
    uint32_t rule_count;
    /* arrays of all rules */
    css_complex *complexes;
    css_compound *compounds;
    css_simple *simples;
    css_declaration *declarations;
    css_scope *scopes;
    uint32_t *words;
    uint32_t scope_count, complex_count, compound_count, simple_count, declaration_count,
        word_count;
    struct css_array { /* memory of these arrays */
        void *items;
        size_t size; /* bytes of an item */
        uint32_t count, capacity;
    } store[CSS_STORES];
    css_layers layers;
    /* parts other than style rules, for `unused` */
    struct css_part {
        hed_css_part info;
        uint32_t name;    /* name, or CSS_NONE */
        const char *text; /* text to which info.begin and info.end refer */
    } * parts;
    uint32_t part_count;
};

/* Reads the declarations of a text, such as a style attribute, and calls `each` with each of them;
 * a value is a slice of the text, and text[length] must be 0. False: out of memory. */
bool css_read_declarations(hed_css_names *names, const char *text, size_t length,
    void (*each)(void *user, const css_declaration *declaration), void *user);

/* True if an attribute's value fits the operator and operand of an attribute selector.
 * `insensitive`: ASCII case is ignored. */
bool css_value_fits(css_operator operation, const char *operand, size_t operand_length,
    const char *value, size_t length, bool insensitive);
/* True if a language fits a range of :lang(): extended filtering of RFC 4647. */
bool css_language_fits(const char *range, size_t range_length, const char *language, size_t length);

/* ---- naive.c: reference matcher for tests, right to left with backtracking ---- */

struct hed_css_document;
bool css_naive_match(const hed_css_sheet *sheet, const struct hed_css_document *document,
    uint32_t complex, uint32_t element);
/* The same of any selector of a rule, which may be in an @scope. */
bool css_naive_rule(const hed_css_sheet *sheet, const struct hed_css_document *document,
    const css_rule *rule, uint32_t element);

#endif
