/* What the readers of a sheet share: the arrays that grow, the text at hand, and the readers of
 * selectors and of conditions. */
#ifndef HED_CSS_PARSER_H
#define HED_CSS_PARSER_H

#include "document.h"
#include "selector.h"
#include "tokenizer.h"

/* A prefix of \@namespace. */
typedef struct css_prefix {
    uint32_t prefix;     /* name; CSS_NONE: the default */
    uint32_t name_space; /* of types: 1 + hed_css_namespace, or 0 */
    uint32_t attributes; /* of attributes: as in css_attribute */
} css_prefix;

/* The selector list that `&` stands for; no rule is around where `count` is CSS_NONE. */
typedef struct css_parent {
    uint32_t list, count, specificity, depth;
    bool state;
} css_parent;

typedef struct css_parser {
    hed_css_sheet *sheet;
    hed_css_names *names;
    hed_css_medium medium;
    bool failed; /* memory ran out, or, `limit`, there is too much of something */
    bool limit;
    const char *text; /* at hand */
    /* while a selector or a rule is read: what is not complete yet */
    struct css_array complexes, compounds, simples, declarations, prefixes;
    struct css_array brackets; /* uint8_t: closers of what is open */
    struct css_array scratch;  /* decoded text */
} css_parser;

/* Room for `more` items at the end, which count at once; NULL where memory runs out (`failed`). */
void *css_push(struct css_array *array, uint32_t more, size_t size, css_parser *parser);
/* Copies items from `first` on to the end of `from`, of which there may be none. */
static inline void css_copy_tail(
    void *to, const struct css_array *from, uint32_t first, size_t size)
{
    size_t count = from->count - first;
    if (count) memcpy(to, (const char *)from->items + first * size, count * size);
}
/* Number of a token's name; 0 where memory runs out (`failed`). */
uint32_t css_token_name(css_parser *parser, const css_token *token);
/* Keeps `brackets`: to be called where a token is passed. */
void css_pass(css_parser *parser, const css_token *token);
/* Whether a token closes what was opened last. */
static inline bool css_closes(const css_parser *parser, const css_token *token)
{
    const struct css_array *open = &parser->brackets;
    return open->count && ((const uint8_t *)open->items)[open->count - 1] == token->type;
}

static inline css_token css_next_solid(css_tokenizer *tokenizer) /* no white space */
{
    css_token token;
    do token = css_next(tokenizer);
    while (token.type == CSS_SPACE);
    return token;
}

void css_free_array(const hed_allocator *allocator, struct css_array *array);
void css_free_parser(css_parser *parser);

/* What a prelude, a declaration and a nested rule have in common. */
typedef struct css_item {
    uint32_t begin, end; /* without outer space */
    uint8_t stop;        /* token behind it, which is passed; a closing bracket is not */
    bool word;           /* begins with a name and a colon */
    bool custom;         /* a name of two dashes */
    bool bad;            /* none of the values that a declaration may have */
    bool important;
    css_token name;
    uint32_t value, value_end;
} css_item;
/* From token `first` to what ends it; `semicolon` and `curly`: whether these do, outside of brackets. */
css_item css_scan_item(
    css_parser *parser, css_tokenizer *tokenizer, css_token first, bool semicolon, bool curly);
/* Behind an opening curly bracket that was passed: to behind the one that closes it. */
void css_skip_block(css_parser *parser, css_tokenizer *tokenizer);
bool css_make_declaration(css_parser *parser, const css_item *item, css_declaration *declaration);

/* A selector list that was read. */
typedef struct css_list {
    uint32_t list, count, specificity, depth;
    bool state, pseudo_element;
    bool unsupported; /* each selector is about shadow trees; or nested too deep */
    char reason[160]; /* why it is none, or unsupported */
} css_list;
/* Reads the selector list in text[begin, end). False: it is none, or memory ran out. */
bool css_read_selectors(
    css_parser *parser, uint32_t begin, uint32_t end, const css_parent *parent, css_list *list);
/* Whether it is one selector, for \@supports; keeps nothing. */
bool css_is_selector(css_parser *parser, uint32_t begin, uint32_t end);

/* Whether a list of media queries in text[begin, end) holds. */
bool css_media_holds(css_parser *parser, uint32_t begin, uint32_t end);
/* Whether a condition of \@supports holds; `bare`: a declaration without parentheses is one, as in
 * \@import. */
bool css_supports_holds(css_parser *parser, uint32_t begin, uint32_t end, bool bare);

#endif
