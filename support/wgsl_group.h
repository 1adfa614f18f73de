/* Shared declarations of the rules for the group's size: wgsl_group.c finds its uses and its places
 * in the text, wgsl_stride.c the distance between groups. */
#ifndef HED_SUPPORT_WGSL_GROUP_H
#define HED_SUPPORT_WGSL_GROUP_H

#include "support/wgsl_parse.h"

enum { MOST_BUILTINS = 16, MOST_SUMS = 64, MOST_STEPS = 4096, DEEPEST_TYPE = 16 };

typedef enum group_builtin {
    GLOBAL_ID,
    LOCAL_ID,
    LOCAL_INDEX,
    GROUP_ID,
    GROUP_COUNT,
    OTHER_BUILTIN
} group_builtin;

/* A built-in value of the entry point: NAME, or NAME.MEMBER of a struct. */
typedef struct builtin_name {
    group_builtin value;
    wgsl_token name, member;
} builtin_name;

/* Tokens [from, to) that are global_invocation_id of a dimension; `size`: the token of the size. */
typedef struct group_sum {
    uint32_t from, to, size, dimension;
} group_sum;

/* An id of the group, or components of it, under any name. */
typedef struct group_lanes {
    uint32_t dimensions[3], count;
} group_lanes;

typedef struct group_reader {
    struct hed_wgsl_parse *r;
    wgsl_token *tokens;
    uint32_t count;
    builtin_name builtins[MOST_BUILTINS];
    uint32_t builtin_count;
    uint32_t from, to; /* tokens of the entry point's body */
    group_sum sums[MOST_SUMS];
    uint32_t sum_count;
    bool uses_global[3], uses_group[3], is_fixed[3];
    bool has_literal; /* a size is a plain number, and so are other numbers that follow it */
    wgsl_token aliases[MOST_BUILTINS]; /* names that `let` gives to ids of the group */
    group_lanes alias_lanes[MOST_BUILTINS];
    uint32_t alias_count;
    uint32_t steps; /* factors that were read: constants may refer to each other many times */
} group_reader;

static inline wgsl_token token_at(const group_reader *g, uint32_t i)
{
    return i < g->count ? g->tokens[i] : (wgsl_token){g->r->end, 0};
}
static inline bool is_at(const group_reader *g, uint32_t i, const char *word)
{
    return wgsl_token_is(token_at(g, i), word);
}
static inline bool same_token(wgsl_token a, wgsl_token b)
{
    return a.size && a.size == b.size && !memcmp(a.at, b.at, a.size);
}
static inline bool starts_with(wgsl_token t, const char *word)
{
    return t.size > strlen(word) && !memcmp(t.at, word, strlen(word));
}

/* Returns the first token at or after a position of the text. */
uint32_t hed_wgsl_token_from(const group_reader *g, const char *at);
/* Finds the built-in value whose name begins at token `i`; `*next` is the token after it. */
const builtin_name *hed_wgsl_builtin_at(const group_reader *g, uint32_t i, uint32_t *next);
/* Returns the dimension of .x, .y, .z or [0], [1], [2] at token `i`; 3: not a component. */
uint32_t hed_wgsl_component_at(const group_reader *g, uint32_t i, uint32_t *next);
/* Returns the constant that names size `c`; NULL: the size is no name. */
const wgsl_named *hed_wgsl_constant_of(const group_reader *g, uint32_t c);

#endif
