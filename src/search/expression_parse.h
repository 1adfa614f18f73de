/* What the two halves of the parser share: the words of an expression's text (expression_token.c),
 * and what is made of them (expression_parse.c). */
#ifndef HED_SEARCH_EXPRESSION_PARSE_H
#define HED_SEARCH_EXPRESSION_PARSE_H

#include "search/expression.h"

typedef enum hed_token_kind {
    HED_TOKEN_END,
    HED_TOKEN_NUMBER,
    HED_TOKEN_NAME,
    HED_TOKEN_LABEL,
    HED_TOKEN_SIGN
} hed_token_kind;

typedef struct hed_token {
    hed_token_kind kind;
    const char *text; /* of a label: without its quotes */
    size_t size;
    double number;
} hed_token;

typedef struct hed_parser {
    const hed_expression_names *names;
    const char *text;
    hed_token now; /* the one that was not taken yet */
    const char *next;
    /* room for as many as the text has characters: no construct takes more */
    hed_instruction *program;
    uint32_t count;
    uint32_t waiting; /* values on the stack when the program so far has run */
    uint32_t depth;
    hed_status status; /* of the first complaint: from then on there are no more tokens */
    hed_error *error;
} hed_parser;

/* The first complaint counts. The text goes into the message, from its beginning where it is short,
 * else from near `at`. */
void hed_parse_complain(hed_parser *p, hed_status status, const char *at, const char *words);
/* Complains that the token that stands there is not what was expected. */
void hed_parse_expected(hed_parser *p, const char *what);
/* Goes to the next token. */
void hed_parse_advance(hed_parser *p);
/* Whether a token is this word or sign. */
bool hed_token_is(const hed_token *t, const char *word);
/* Takes the next token if it is this word. */
bool hed_parse_take(hed_parser *p, const char *word);
/* Takes it, or complains that `what` was expected. */
void hed_parse_need(hed_parser *p, const char *word, const char *what);

#endif
