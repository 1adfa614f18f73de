/* Data in JavaScript: the object that a configuration file exports, read without running it. Of
 * expressions, a few that configurations have are understood: strings that are joined, path.join(),
 * __dirname, RegExp(), constants of the file, spread arrays. All others are values of their own
 * kind, so that a reader can name them. JSON is such data, too. */
#ifndef HED_CLI_CSS_LITERAL_H
#define HED_CLI_CSS_LITERAL_H

#include "heddle/author.h"
#include "heddle/css.h"

typedef enum css_literal_kind {
    CSS_LITERAL_CODE, /* an expression that is not understood; `text`: its beginning */
    CSS_LITERAL_NULL, /* null, undefined */
    CSS_LITERAL_BOOLEAN,
    CSS_LITERAL_NUMBER,
    CSS_LITERAL_STRING,
    CSS_LITERAL_PATTERN, /* a regular expression; `text`: its source, `flags` */
    CSS_LITERAL_ARRAY,
    CSS_LITERAL_OBJECT
} css_literal_kind;

/* A value. Values of a file are in one array; a member or an item is linked by `next`. */
typedef struct css_literal {
    css_literal_kind kind;
    uint32_t line;        /* from 1 */
    const char *key;      /* name of a member of an object; NULL: an item */
    const char *text;     /* STRING, PATTERN, CODE; its zero ends it */
    const char *flags;    /* PATTERN */
    double number;        /* NUMBER, BOOLEAN */
    uint32_t first, next; /* first item or member, next sibling; absent: HED_CSS_NONE */
} css_literal;

typedef struct css_literals {
    css_literal *items;
    uint32_t count, room, root;
    char **texts; /* memory of texts */
    uint32_t text_count, text_room;
} css_literals;

/* Reads the object that a file exports: module.exports = ..., export default ..., the only object
 * of JSON, or the argument of the first call of `call` (as "purgecss"; NULL: no call). `folder`:
 * value of __dirname. Errors: FORMAT (no such object; file, line and the text found), LIMIT,
 * MEMORY. */
hed_status css_literals_read(css_literals *literals, const char *file, const char *text,
    size_t length, const char *folder, const char *call, hed_error *error);
void css_literals_free(css_literals *literals);

/* Member of an object; NULL: absent, or no object. */
const css_literal *css_literal_member(
    const css_literals *literals, const css_literal *object, const char *key);
/* First item of an array or object, and the item after one; NULL: the end. */
const css_literal *css_literal_first(const css_literals *literals, const css_literal *list);
const css_literal *css_literal_next(const css_literals *literals, const css_literal *item);

#endif
