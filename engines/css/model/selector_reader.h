/* The reader of selectors: tokens, simple selectors, nested lists. */
#ifndef HED_CSS_SELECTOR_READER_H
#define HED_CSS_SELECTOR_READER_H

#include "parser.h"

/* Modes of reading a list: bits. */
enum {
    CSS_LIST_INSIDE = 1,    /* argument of a function: no pseudo-elements */
    CSS_LIST_FORGIVING = 2, /* invalid selectors are dropped */
    CSS_LIST_RELATIVE = 4,  /* selectors may begin with a combinator: :has() */
    CSS_LIST_IN_HAS = 8,    /* :has() is invalid */
    CSS_LIST_COMPOUND = 16, /* no combinators */
    CSS_LIST_SINGLE = 64,   /* no commas */
    CSS_LIST_FREE = 128,    /* the default namespace does not apply to subjects */
    CSS_LIST_BEHIND = 32,   /* argument of a function after a pseudo-element: only states of that */
    CSS_LIST_PART = 256,    /* CSS_LIST_BEHIND, after ::part(): its pseudo-classes */
    CSS_LIST_SHADOW = 512   /* argument of :host() or ::slotted(): compounds alone, no :has() */
};

typedef struct css_reader {
    css_parser *p;
    css_tokenizer t;
    css_token now; /* the current token */
    const css_parent *parent;
    css_list *out;
    uint32_t depth;       /* number of enclosing lists */
    uint32_t specificity; /* specificity of the current complex selector */
    bool nesting;         /* the selector has a `&` */
    bool scoped;          /* the selector has the root of a scope */
    bool shadow;          /* the selector is about shadow trees */
    bool inside;          /* selector of shadow trees other than ::part() */
    bool backed;          /* the pseudo-element may have pseudo-elements */
    bool slotted;         /* the pseudo-element is ::slotted(): only some may follow */
    bool part;            /* the pseudo-element is ::part(): most pseudo-classes may follow */
    bool transition;      /* the pseudo-element may be an only child */
    bool too_deep;
} css_reader;

/* Complex selectors of a list. */
typedef struct css_range {
    uint32_t list, count, specificity;
    bool scoped; /* a selector has the root of a scope */
} css_range;

enum { CSS_SPECIFICITY_ID = 1 << 20, CSS_SPECIFICITY_CLASS = 1 << 10, CSS_SPECIFICITY_TYPE = 1 };

/* A sum of specificities; each of its three numbers stays below 1024. */
uint32_t css_specificity_sum(uint32_t x, uint32_t y);

/* Set the reason for which a selector is invalid, unless it has one: a message, or "expected
 * EXPECTED" with the current token. Return false. */
__attribute__((format(printf, 2, 3))) bool css_selector_fails(
    css_reader *r, const char *format, ...);
bool css_selector_expects(css_reader *r, const char *expected);

/* Reads the next token. */
static inline void css_advance(css_reader *r)
{
    css_pass(r->p, &r->now);
    r->now = css_next(&r->t);
}

/* Skips white space. True: there was some. */
static inline bool css_skip_space(css_reader *r)
{
    bool has_space = r->now.type == CSS_SPACE;
    while (r->now.type == CSS_SPACE) r->now = css_next(&r->t);
    return has_space;
}

static inline bool css_at_delim(const css_reader *r, char c)
{
    return css_is_delim(r->p->text, &r->now, c);
}

/* Adds a simple selector to the current compound; NULL: out of memory. */
css_simple *css_push_simple(css_reader *r, css_kind kind, uint32_t specificity);
/* Adds the root of the scope to the current compound; false: out of memory. */
bool css_push_scope(css_reader *r, uint32_t specificity);
/* Reads a list up to its end or the closing bracket. `mode`: CSS_LIST_INSIDE ... */
bool css_read_list(css_reader *r, unsigned mode, css_range *range);

/* ---- selector_pseudo.c ---- */

/* Reads a pseudo-class or pseudo-element; the current token is the colon. */
bool css_read_pseudo(css_reader *r, unsigned mode, css_compound *compound);

#endif
