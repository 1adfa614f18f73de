/* Lists of words that grow, and numbers for sequences of words: equal sequences have the same number. */
#ifndef HED_CSS_LISTS_H
#define HED_CSS_LISTS_H

#include "model/document.h"

/* Words in an arena; memory that a list has grown out of is freed with the arena. */
typedef struct css_list {
    uint32_t *items;
    uint32_t count, room;
} css_list;

/* Makes room for `more` words behind the last one, and for some where there was none at all; false where
 * memory runs out. */
bool css_list_grow(css_list *list, hed_arena *arena, uint32_t more, hed_error *error);

static inline bool css_list_room(css_list *list, hed_arena *arena, uint32_t more, hed_error *error)
{
    bool room = list->items && list->room - list->count >= more;
    return room || css_list_grow(list, arena, more, error);
}

static inline void css_push(css_list *list, hed_arena *arena, uint32_t word, hed_error *error)
{
    if (css_list_room(list, arena, 1, error)) list->items[list->count++] = word;
}

/* Sequences of words by number: number k is words[begin[k]] up to words[begin[k + 1]]. */
typedef struct css_interner {
    css_list begin, words;
    uint32_t *slots;  /* 1 + number; 0: free */
    uint32_t *hashes; /* (room of numbers) */
    uint32_t mask, hash_room;
} css_interner;

bool css_interner_make(css_interner *interner, hed_arena *arena, hed_error *error);
/* Number of a sequence, which is added where it is new; the numbers count up. CSS_NONE where memory
 * runs out. */
uint32_t css_intern(css_interner *interner, hed_arena *arena, const uint32_t *words, uint32_t count,
    hed_error *error);
static inline uint32_t css_interned(const css_interner *interner)
{
    return interner->begin.count - 1;
}

static inline uint64_t css_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

#endif
