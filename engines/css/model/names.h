/* Names: every tag, id, class, attribute name and value as a number. */
#ifndef HED_CSS_NAMES_H
#define HED_CSS_NAMES_H

#include "heddle/author.h"
#include "heddle/css.h"

struct hed_css_names {
    hed_allocator allocator;
    struct css_name {
        const char *text;            /* with a final zero */
        uint32_t length, hash, next; /* next of the same bucket */
        /* the same name in ASCII lower case, itself where it is; CSS_NONE: not asked for yet, see
         * css_name_lower() */
        uint32_t lower;
    } * names;
    uint32_t count, capacity;
    uint32_t *buckets; /* (bucket_count), a power of two */
    uint32_t bucket_count;
    uint64_t seed; /* of the hash */
    struct css_name_block {
        struct css_name_block *next;
        size_t size; /* with this head */
    } * blocks;      /* of texts */
    char *open;      /* room in the latest common block */
    size_t left;     /* bytes of it */
};

/* Name number of `text` where it is there already, else HED_CSS_NONE. */
uint32_t css_name_find(const hed_css_names *names, const char *text, size_t length);
/* Its ASCII lower case; HED_CSS_NONE where memory runs out. */
uint32_t css_name_lower(hed_css_names *names, uint32_t name);

/* Whether a list with spaces between its words has this one. */
static inline bool css_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; length && (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static inline char css_ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c; }

#endif
