/* Shared declarations of the WGSL reader: wgsl.c reads declarations, wgsl_expression.c tokens and
 * expressions, wgsl_uses.c the uses of variables in functions. */
#ifndef HED_SUPPORT_WGSL_PARSE_H
#define HED_SUPPORT_WGSL_PARSE_H

#include "support/wgsl.h"

#include <ctype.h>
#include <string.h>

enum { DEEPEST = 32, LONGEST_EXPRESSION = 4096, MOST_NAMED = 256, MOST_FUNCTIONS = 256 };

/* A word, number or sign of the text; size 0: the end. */
typedef hed_wgsl_span wgsl_token;

typedef struct wgsl_type {
    hed_wgsl_scalar scalar;
    /* number of scalars of a vector or matrix; 0: a struct or an array */
    uint32_t scalars;
    uint32_t size, align;      /* bytes; size 0: depends on overrides, or is unbounded */
    const char *bytes;         /* size as an expression; NULL: unbounded */
    struct wgsl_type *element; /* element type of an array; NULL: not an array */
    struct wgsl_struct *members;
} wgsl_type;

typedef struct wgsl_struct {
    const char *name, *from; /* name; text after the name */
    bool being_read, members_read;
    struct {
        const char *name;
        wgsl_type type;
        uint32_t offset;
    } members[HED_WGSL_MOST];
    uint32_t count;
    wgsl_type type;
} wgsl_struct;

/* `const NAME = value` and `alias NAME = type`. */
typedef struct wgsl_named {
    const char *name;
    hed_wgsl_span value;
    bool alias;
} wgsl_named;

/* Attributes before a declaration. */
typedef struct wgsl_attributes {
    uint32_t group, binding;
    uint32_t align, bytes; /* @align and @size of a member; 0: its type's */
    bool bound, compute;
    hed_wgsl_span size[3];
    uint32_t size_count;
} wgsl_attributes;

/* Name and body of a function. */
typedef struct wgsl_function {
    const char *name, *from, *to;
    bool reached; /* called from the entry point */
} wgsl_function;

/* A variable in group memory; `bytes` is its type's size as an expression. */
typedef struct wgsl_array {
    const char *name, *bytes;
} wgsl_array;

struct hed_wgsl_parse {
    const char *file, *text, *end;
    const char *entry_name; /* requested entry point; NULL: the only one */
    wgsl_token token;
    hed_wgsl *out;
    wgsl_struct *structs[HED_WGSL_MOST];
    uint32_t struct_count;
    wgsl_named named[MOST_NAMED];
    uint32_t named_count;
    wgsl_function functions[MOST_FUNCTIONS];
    wgsl_array arrays[HED_WGSL_MOST];
    uint32_t function_count, array_count;
    uint32_t depth, entries;
    uint32_t computes;    /* number of compute entry points in the text */
    const char *variable; /* being declared; NULL: no variable yet */
    hed_error *error;
};

/* Returns the first token at or after `at`; skips blanks and comments. */
wgsl_token hed_wgsl_token(const char *at, const char *end);
static inline wgsl_token wgsl_token_after(const struct hed_wgsl_parse *r, wgsl_token t)
{
    return hed_wgsl_token(t.at + t.size, r->end);
}
/* Copies a text; the copy lives as long as the object; "" if memory ran out. */
const char *hed_wgsl_keep(struct hed_wgsl_parse *r, const char *text, size_t size);
/* Finds the buffers and group memory that the entry point uses, and how; if the module has other
 * entry points, unused ones are dropped. */
void hed_wgsl_find_uses(struct hed_wgsl_parse *r);
/* Reads a span that is a number, or true or false; false: it is neither. */
bool hed_wgsl_number(hed_wgsl_span span, double *number);
/* Finds the constant or alias of a name; NULL: not found. */
const wgsl_named *hed_wgsl_find_named(const struct hed_wgsl_parse *parse, wgsl_token name);

static inline bool wgsl_is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}
static inline bool wgsl_token_is(wgsl_token t, const char *word)
{
    return t.size == strlen(word) && !memcmp(t.at, word, t.size);
}
static inline bool wgsl_is_name(wgsl_token t)
{
    return t.size && wgsl_is_letter(*t.at) && !isdigit((unsigned char)*t.at);
}

#endif
