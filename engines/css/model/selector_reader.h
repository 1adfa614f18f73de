/* What the readers of selectors share: tokens, simple selectors that are pushed, lists inside of lists. */
#ifndef HED_CSS_SELECTOR_READER_H
#define HED_CSS_SELECTOR_READER_H

#include "parser.h"

/* How a list is read. */
enum {
    CSS_LIST_INSIDE = 1,    /* of a function: no pseudo-elements */
    CSS_LIST_FORGIVING = 2, /* a selector that is none is left out */
    CSS_LIST_RELATIVE = 4,  /* begins with a combinator: :has() */
    CSS_LIST_IN_HAS = 8,    /* :has() is none here */
    CSS_LIST_COMPOUND = 16, /* no combinators */
    CSS_LIST_SINGLE = 64,   /* no commas */
    CSS_LIST_FREE = 128,    /* the default namespace is not for subjects */
    CSS_LIST_BEHIND = 32    /* of a function behind a pseudo-element: states of that alone */
};

typedef struct css_reader {
    css_parser *p;
    css_tokenizer t;
    css_token now; /* the token at hand */
    const css_parent *parent;
    css_list *out;
    uint32_t depth;       /* lists around */
    uint32_t specificity; /* of the complex selector at hand */
    bool nesting;         /* it has a `&` */
    bool shadow;          /* it is about shadow trees */
    bool backed;          /* its pseudo-element may have pseudo-elements */
    bool transition;      /* its pseudo-element may be an only child */
    bool too_deep;
} css_reader;

/* Complex selectors of a list that was read. */
typedef struct css_range {
    uint32_t list, count, specificity;
} css_range;

enum { CSS_SPECIFICITY_ID = 1 << 20, CSS_SPECIFICITY_CLASS = 1 << 10, CSS_SPECIFICITY_TYPE = 1 };

/* A sum of specificities; each of its three numbers stays below 1024. */
uint32_t css_specificity_sum(uint32_t x, uint32_t y);

/* Why a selector is none, of which the first reason is kept: in words, or `what` was expected in place of
 * the token at hand. Both give false. */
__attribute__((format(printf, 2, 3))) bool css_selector_fails(
    css_reader *r, const char *format, ...);
bool css_selector_expects(css_reader *r, const char *what);

/* Passes the token at hand. */
static inline void css_advance(css_reader *r)
{
    css_pass(r->p, &r->now);
    r->now = css_next(&r->t);
}

/* Gives whether there was any. */
static inline bool css_skip_space(css_reader *r)
{
    bool any = r->now.type == CSS_SPACE;
    while (r->now.type == CSS_SPACE) r->now = css_next(&r->t);
    return any;
}

static inline bool css_at_delim(const css_reader *r, char c)
{
    return css_is_delim(r->p->text, &r->now, c);
}

/* Adds a simple selector to the compound that is read; NULL where memory runs out. */
css_simple *css_push_simple(css_reader *r, css_kind kind, uint32_t specificity);
/* Reads a list up to its end or to the bracket that closes it; CSS_LIST_INSIDE ... */
bool css_read_list(css_reader *r, unsigned mode, css_range *range);

/* ---- selector_pseudo.c ---- */

/* Reads what begins with the colon at hand. */
bool css_read_pseudo(css_reader *r, unsigned mode, css_compound *compound);

#endif
