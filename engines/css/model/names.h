/* Names: every tag, id, class, attribute name and value as a number. */
#ifndef HED_CSS_NAMES_H
#define HED_CSS_NAMES_H

#include "heddle/author.h"
#include "heddle/css.h"

struct hed_css_names {
    hed_allocator allocator;
    hed_arena arena;
    struct css_name {
        const char *text;
        uint32_t length, hash, next; /* next of the same bucket */
        uint32_t lower;              /* the same name in ASCII lower case; itself where it is */
    } *names;
    uint32_t count, capacity;
    uint32_t *buckets; /* (bucket_count) */
    uint32_t bucket_count;
};

/* Name number of `text` where it is there already. */
uint32_t css_name_find(const hed_css_names *names, const char *text, size_t length);
/* Its ASCII lower case. */
uint32_t css_name_lower(hed_css_names *names, uint32_t name);

#endif
