/* Reader of values in JavaScript, shared by literal.c (values) and literal_file.c (files). */
#ifndef HED_CLI_CSS_LITERAL_READER_H
#define HED_CLI_CSS_LITERAL_READER_H

#include "cli/css/literal.h"

enum { CSS_LITERAL_LOOKUPS = 1000 };

typedef struct css_literal_reader {
    css_literals *out;
    const char *file, *folder, *text;
    size_t at, end;
    uint32_t depth, lookups;
    size_t counted; /* position up to which lines are counted */
    uint32_t line;
    hed_error *error;
} css_literal_reader;

/* Reads the value at the position; HED_CSS_NONE with an error: LIMIT, MEMORY. */
uint32_t css_literal_read(css_literal_reader *r);
/* Reads the expression from `from` on as code. */
uint32_t css_literal_code(css_literal_reader *r, size_t from);
/* Adds a value, and appends it to a list; *last: the last item of the list. */
uint32_t css_literal_add(css_literal_reader *r, css_literal_kind kind);
void css_literal_append(css_literal_reader *r, uint32_t list, uint32_t *last, uint32_t value);
/* Copies a text, which the values own. */
const char *css_literal_text(css_literal_reader *r, const char *text, size_t length);

/* Byte at the position; 0: the end. */
char css_literal_peek(const css_literal_reader *r);
bool css_literal_word(char c);
bool css_literal_is(const css_literal_reader *r, const char *word);
/* Move past white space and comments, a character, a regular expression, a string. */
void css_literal_space(css_literal_reader *r);
bool css_literal_take(css_literal_reader *r, char c);
void css_literal_skip_pattern(css_literal_reader *r);
void css_literal_skip_quoted(css_literal_reader *r);

#endif
