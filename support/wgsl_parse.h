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
    uint32_t scalars, rows; /* `rows`: scalars of a column */
    bool is_atomic;
    hed_wgsl_resource resource;
    const char *shape, *sample, *format, *access; /* texture: as in hed_wgsl_binding */
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
    uint32_t align, bytes;      /* @align and @size of a member; 0: its type's */
    bool bound, compute, stage; /* `stage`: an entry point of any kind */
    hed_wgsl_span size[3];
    uint32_t size_count;
} wgsl_attributes;

/* Name and body of a function. */
typedef struct wgsl_function {
    const char *name, *parameters, *from, *to; /* `parameters`: text after the name */
    bool reached;                              /* called from the entry point */
} wgsl_function;

/* A variable in group memory; `bytes` is its type's size as an expression. */
typedef struct wgsl_array {
    const char *name, *bytes;
    const char *from, *to; /* text of the declaration */
} wgsl_array;

/* A growing list of numbers. */
typedef struct wgsl_fields {
    hed_wgsl_member *at;
    uint32_t count;
    bool is_indexed; /* inside of an array: names begin with that of the array */
} wgsl_fields;

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
    uint32_t computes;          /* number of compute entry points in the text */
    uint32_t stages;            /* number of entry points of all kinds */
    char entries_list[256];     /* names of the compute entry points, for messages */
    const char *variable;       /* being declared; NULL: no variable yet */
    struct group_reader *group; /* state of wgsl_group.c */
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
/* ---- the reader's steps (wgsl_expression.c) ---- */

uint32_t hed_wgsl_line(const struct hed_wgsl_parse *r, const char *at);
/* Records an error at a token: WORDS, found "TOKEN". */
void hed_wgsl_reject(struct hed_wgsl_parse *r, wgsl_token t, const char *words);
void hed_wgsl_reject_as(
    struct hed_wgsl_parse *r, hed_status status, wgsl_token t, const char *words);
void hed_wgsl_advance(struct hed_wgsl_parse *r);
/* Skips the token if it is this word; else returns false. */
bool hed_wgsl_accept(struct hed_wgsl_parse *r, const char *word);
void hed_wgsl_expect(struct hed_wgsl_parse *r, const char *word);
const char *hed_wgsl_read_name(struct hed_wgsl_parse *r, const char *expected);
/* Reads an expression up to one of `ends` outside of brackets; `ends` are single characters. */
hed_wgsl_span hed_wgsl_read_expression(struct hed_wgsl_parse *r, const char *ends);
/* Evaluates an expression of numbers and constants; false: not constant, or not a number. */
bool hed_wgsl_evaluate(const struct hed_wgsl_parse *r, hed_wgsl_span span, double *number);

/* ---- types (wgsl_types.c) ---- */

wgsl_type hed_wgsl_read_type(struct hed_wgsl_parse *r);
void hed_wgsl_read_attributes(struct hed_wgsl_parse *r, wgsl_attributes *attributes);
wgsl_struct *hed_wgsl_find_struct(const struct hed_wgsl_parse *r, wgsl_token t);
/* Reads the members of a struct from { to }. */
void hed_wgsl_read_members(struct hed_wgsl_parse *r, wgsl_struct *s);
uint32_t hed_wgsl_round(uint32_t value, uint32_t step);
/* Adds the numbers of a type to a list. */
void hed_wgsl_list_numbers(struct hed_wgsl_parse *r, wgsl_fields *list, const char *name,
    const wgsl_type *type, uint32_t offset);
/* True if a type consists of numbers and vectors of 32 bits. */
bool hed_wgsl_is_plain(const wgsl_type *type);
/* True if a type consists of one kind of numbers, all of 32 bits, whatever the gaps between
 * them. */
bool hed_wgsl_is_of_one_kind(const wgsl_type *type, hed_wgsl_scalar *kind);

/* ---- uses (wgsl_uses.c), the group (wgsl_group.c) ---- */

/* Finds the effect of the group's size on the results. */
void hed_wgsl_find_group(struct hed_wgsl_parse *r);
/* Finds the elements from one group to the next in each dimension, and a buffer with one element
 * for each group; after hed_wgsl_find_group(). */
void hed_wgsl_find_strides(struct hed_wgsl_parse *r);
/* A place of a name in a function that is reached, and the token before it. */
typedef struct wgsl_use {
    uint32_t function;
    wgsl_token before, token;
} wgsl_use;
/* Finds the next place of a name; an object of zeros is before the first one. */
bool hed_wgsl_next_use(const struct hed_wgsl_parse *r, const char *name, wgsl_use *use);
/* Finds the buffers and group memory that the entry point uses, and how; if the module has other
 * entry points, unused ones are dropped. */
void hed_wgsl_find_uses(struct hed_wgsl_parse *r);
/* Finds a buffer that items read where other items may write. */
void hed_wgsl_find_race(struct hed_wgsl_parse *r);
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
