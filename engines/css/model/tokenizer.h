/* Tokens of CSS Syntax 3. A token is a slice of the text; css_decode() and css_keyword() decode the
 * escapes in its name. */
#ifndef HED_CSS_TOKENIZER_H
#define HED_CSS_TOKENIZER_H

#include "names.h"

typedef enum css_token_type {
    CSS_END,
    CSS_IDENT,
    CSS_FUNCTION,
    CSS_AT,
    CSS_HASH,
    CSS_STRING,
    CSS_BAD_STRING,
    CSS_URL,
    CSS_BAD_URL,
    CSS_DELIM, /* the byte at `begin` */
    CSS_NUMBER,
    CSS_PERCENTAGE,
    CSS_DIMENSION,
    CSS_SPACE,
    CSS_CDO,
    CSS_CDC,
    CSS_COLON,
    CSS_SEMICOLON,
    CSS_COMMA,
    CSS_OPEN_SQUARE,
    CSS_CLOSE_SQUARE,
    CSS_OPEN_ROUND,
    CSS_CLOSE_ROUND,
    CSS_OPEN_CURLY,
    CSS_CLOSE_CURLY
} css_token_type;

typedef struct css_token {
    uint8_t type;        /* css_token_type */
    bool plain;          /* the name has no escapes: it is the slice */
    bool identifier;     /* HASH: the name is an identifier, so it may be an id */
    bool integer;        /* NUMBER, DIMENSION: without point and exponent */
    uint32_t begin, end; /* bytes of the text */
    /* slice of the name: without `#`, `@`, `(`, quotes, url(); unit of a DIMENSION */
    uint32_t name, name_end;
} css_token;

typedef struct css_tokenizer {
    const char *text;
    uint32_t at, end; /* rest of the slice, which ends between tokens; text[end] is readable */
} css_tokenizer;

/* The next token; comments are skipped. Linear time, no memory. */
css_token css_next(css_tokenizer *tokenizer);
/* Writes the name of a token to `out`, with escapes, U+0000 and invalid UTF-8 decoded; at most 3
 * bytes for each byte of the slice. Returns the number of bytes. */
size_t css_decode(const char *text, const css_token *token, char *out);
/* Writes the decoded name in ASCII lower case, zero-terminated; "" if it is longer than `size` -
 * 1. */
void css_keyword(const char *text, const css_token *token, char *out, size_t size);
/* True if the name of a token is `word`, which is in lower case; ASCII case is ignored. */
bool css_is(const char *text, const css_token *token, const char *word);
/* Value of NUMBER, PERCENTAGE, DIMENSION. */
double css_number(const char *text, const css_token *token);

static inline bool css_is_delim(const char *text, const css_token *token, char c)
{
    return token->type == CSS_DELIM && text[token->begin] == c;
}

/* Type of the bracket that closes the one that a token opens; 0: the token opens no bracket. */
static inline uint8_t css_closer(const css_token *token)
{
    switch (token->type) {
    case CSS_FUNCTION:
    case CSS_OPEN_ROUND: return CSS_CLOSE_ROUND;
    case CSS_OPEN_SQUARE: return CSS_CLOSE_SQUARE;
    case CSS_OPEN_CURLY: return CSS_CLOSE_CURLY;
    default: return 0;
    }
}

#endif
