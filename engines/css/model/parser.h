/* The parser of sheets: growing arrays, the text being read, and the readers of items, selectors
 * and conditions. */
#ifndef HED_CSS_PARSER_H
#define HED_CSS_PARSER_H

#include "document.h"
#include "selector.h"
#include "tokenizer.h"

/* Prefix that \@namespace declares. */
typedef struct css_prefix {
    uint32_t prefix;     /* name; CSS_NONE: the default */
    uint32_t name_space; /* types: 1 + hed_css_namespace, or 0 */
    uint32_t attributes; /* attributes: as in css_attribute */
} css_prefix;

/* Selector list that `&` represents. `count` CSS_NONE: no enclosing rule. */
typedef struct css_parent {
    uint32_t list, count, specificity, depth;
    bool state, changes, shadow, inside;
    uint32_t scope; /* see css_rule: `&` is its root if there is no rule inside of the scope */
} css_parent;

typedef struct css_parser {
    hed_css_sheet *sheet;
    hed_css_names *names;
    hed_css_medium medium;
    bool failed; /* memory ran out; with `limit`: an array is too long */
    bool limit;
    const char *text; /* the text being read */
    /* parts of the selector or rule that is being read */
    struct css_array complexes, compounds, simples, declarations, prefixes;
    struct css_array brackets; /* uint8_t: closing tokens of the open brackets */
    struct css_array scratch;  /* decoded text */
} css_parser;

/* Appends `more` uninitialized items; returns the first. NULL: out of memory (`failed`). */
void *css_push(struct css_array *array, uint32_t more, size_t size, css_parser *parser);
/* Copies the items of `from` from `first` on; the range may be empty. */
static inline void css_copy_tail(
    void *to, const struct css_array *from, uint32_t first, size_t size)
{
    size_t count = from->count - first;
    if (count) memcpy(to, (const char *)from->items + first * size, count * size);
}
/* Number of a token's name; 0: out of memory (`failed`). */
uint32_t css_token_name(css_parser *parser, const css_token *token);
/* Updates `brackets` for a token that has been read. */
void css_pass(css_parser *parser, const css_token *token);
/* True if a token closes the innermost open bracket. */
static inline bool css_closes(const css_parser *parser, const css_token *token)
{
    const struct css_array *open = &parser->brackets;
    return open->count && ((const uint8_t *)open->items)[open->count - 1] == token->type;
}

/* The next token that is not white space. */
static inline css_token css_next_solid(css_tokenizer *tokenizer)
{
    css_token token;
    do token = css_next(tokenizer);
    while (token.type == CSS_SPACE);
    return token;
}

void css_free_array(const hed_allocator *allocator, struct css_array *array);
void css_free_parser(css_parser *parser);

/* A prelude, a declaration or a nested rule. */
typedef struct css_item {
    uint32_t begin, end; /* range without outer white space */
    uint8_t stop; /* type of the next token; it has been read unless it is a closing bracket */
    bool word;    /* item begins with a name and a colon */
    bool custom;  /* name begins with two dashes */
    bool bad;     /* not valid as a declaration */
    bool important;
    css_token name;
    uint32_t value, value_end;
} css_item;
/* Reads an item from token `first` on. `semicolon`, `curly`: true if this token ends it, outside of
 * brackets. */
css_item css_scan_item(
    css_parser *parser, css_tokenizer *tokenizer, css_token first, bool semicolon, bool curly);
/* Skips a block whose opening curly bracket has been read, including the closing one. */
void css_skip_block(css_parser *parser, css_tokenizer *tokenizer);
bool css_make_declaration(css_parser *parser, const css_item *item, css_declaration *declaration);

/* Result of reading a selector list. */
typedef struct css_list {
    uint32_t list, count, specificity, depth;
    bool state, pseudo_element;
    bool other_browser; /* a selector has the prefix of another browser */
    bool changes;        /* depends on states, or on changes that a reader can make */
    bool shadow, inside; /* some selector is about shadow trees: see hed_css_rule */
    bool unsupported;    /* the nesting is too deep */
    char reason[160];    /* reason if invalid or unsupported */
} css_list;
/* Reads the selector list in text[begin, end). False: invalid, or out of memory. */
bool css_read_selectors(
    css_parser *parser, uint32_t begin, uint32_t end, const css_parent *parent, css_list *list);
/* Adds a complex selector that matches the root of a scope; returns its number, CSS_NONE: out of
 * memory. */
uint32_t css_push_scope_root(css_parser *parser);
/* True if text[begin, end) is one selector, for \@supports; stores nothing. */
bool css_is_selector(css_parser *parser, uint32_t begin, uint32_t end);

/* True if the list of media queries in text[begin, end) holds. */
bool css_media_holds(css_parser *parser, uint32_t begin, uint32_t end);
/* True if the condition of an \@container holds for the containers of the medium. */
bool css_container_holds(css_parser *parser, uint32_t begin, uint32_t end);
/* True if a condition of \@supports holds. `bare`: it may be a declaration without parentheses, as
 * in \@import. */
bool css_supports_holds(css_parser *parser, uint32_t begin, uint32_t end, bool bare);

#endif
