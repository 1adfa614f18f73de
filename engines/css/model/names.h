/* Table of names: numbers for tags, ids, classes, attribute names and values. */
#ifndef HED_CSS_NAMES_H
#define HED_CSS_NAMES_H

#include "heddle/author.h"
#include "heddle/css.h"

struct hed_css_names {
    hed_allocator allocator;
    struct css_name {
        const char *text;            /* zero-terminated */
        uint32_t length, hash, next; /* next: next name of the bucket */
        /* the name in ASCII lower case, which may be the name itself; CSS_NONE: not yet found, see
         * css_name_lower() */
        uint32_t lower;
    } * names;
    uint32_t count, capacity;
    uint32_t *buckets; /* (bucket_count), a power of two */
    uint32_t bucket_count;
    uint64_t seed; /* seed of the hash function */
    struct css_name_block {
        struct css_name_block *next;
        size_t size; /* including this header */
    } * blocks;      /* memory of the texts */
    char *open;      /* free space in the newest common block */
    size_t left;     /* bytes of free space */
};

/* Asserts that a list of rows is sorted by name, by bytes, without repetitions, for bsearch(): the
 * argument is the list's macro, applied to CSS_NEXT. clang prints the comparison that fails;
 * tests/tables.py names the row. */
#define CSS_ASSERT_SORTED(...) \
    _Static_assert(__builtin_strcmp("" __VA_ARGS__, "\377") < 0, "a row is not in its place")
#define CSS_NEXT(name, ...) , name) < 0 && __builtin_strcmp(name

/* Number of a name; HED_CSS_NONE: the table does not have it. */
uint32_t css_name_find(const hed_css_names *names, const char *text, size_t length);
/* Number of a name in ASCII lower case; HED_CSS_NONE: out of memory. */
uint32_t css_name_lower(hed_css_names *names, uint32_t name);

/* True if a list of words, separated by spaces, contains a word. */
static inline bool css_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; length && (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static inline char css_ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c; }

#endif
