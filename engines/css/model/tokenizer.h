/* Tokens of CSS Syntax 3. A token is a slice of the text; what is escaped in it is decoded where its
 * name is asked for. */
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
    bool plain;          /* its name is the slice, byte by byte */
    bool identifier;     /* HASH: its name is an identifier, so it may be an id */
    bool integer;        /* NUMBER, DIMENSION: without a point and an exponent */
    uint32_t begin, end; /* bytes of the text */
    /* its name: without `#`, `@`, `(`, quotes, url(); the unit of DIMENSION */
    uint32_t name, name_end;
} css_token;

typedef struct css_tokenizer {
    const char *text;
    uint32_t at, end; /* a slice, which may end between any two tokens; text[end] can be read */
} css_tokenizer;

/* The next token; comments are passed over. Linear time, no memory. */
css_token css_next(css_tokenizer *tokenizer);
/* Writes the name of a token with escapes, U+0000 and damaged UTF-8 decoded to `out`, which has room
 * for 3 bytes for each of the slice; gives the bytes written. */
size_t css_decode(const char *text, const css_token *token, char *out);
/* The same in ASCII lower case into a small buffer, with a final zero; "" where it is too long. */
void css_keyword(const char *text, const css_token *token, char *out, size_t size);
/* Whether its name is this one, in lower case, regardless of ASCII case. */
bool css_is(const char *text, const css_token *token, const char *word);
/* Value of NUMBER, PERCENTAGE, DIMENSION. */
double css_number(const char *text, const css_token *token);

static inline bool css_is_delim(const char *text, const css_token *token, char c)
{
    return token->type == CSS_DELIM && text[token->begin] == c;
}

/* The bracket that closes what a token opens; 0: it opens nothing. */
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
