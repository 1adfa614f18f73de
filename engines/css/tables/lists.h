/* Growing arrays, and an interner of word sequences: equal sequences have the same number. */
#ifndef HED_CSS_LISTS_H
#define HED_CSS_LISTS_H

#include "model/document.h"

/* Growing array in an arena. Memory that the array has outgrown is freed with the arena. */
#define CSS_ARRAY(type) \
    struct { \
        type *items; \
        uint32_t count, room; \
    }

typedef CSS_ARRAY(uint32_t) css_list;

/* Moves `count` items of `size` bytes to an array with room for `more` further ones, but at least
 * 64. Returns `items`, and leaves *room, where memory runs out. */
void *css_array_grow(void *items, uint32_t count, uint32_t *room, size_t size, hed_arena *arena,
    uint32_t more, hed_error *error);

#define CSS_HAS_ROOM(array, more) ((array)->items && (array)->room - (array)->count >= (more))

/* True if the array has, or gets, room for `more` items after the last one, and for some if it had
 * none; false: out of memory. */
#define CSS_ROOM(array, arena, more, error) \
    (CSS_HAS_ROOM(array, more) || \
        ((array)->items = css_array_grow((array)->items, (array)->count, &(array)->room, \
             sizeof *(array)->items, arena, more, error), \
            CSS_HAS_ROOM(array, more)))

/* Appends an item, the last argument, which may be a compound literal. */
#define CSS_PUSH(array, arena, error, ...) \
    do { \
        if (CSS_ROOM(array, arena, 1, error)) (array)->items[(array)->count++] = __VA_ARGS__; \
    } while (0)

static inline bool css_list_room(css_list *list, hed_arena *arena, uint32_t more, hed_error *error)
{
    return CSS_ROOM(list, arena, more, error);
}

static inline void css_push(css_list *list, hed_arena *arena, uint32_t word, hed_error *error)
{
    CSS_PUSH(list, arena, error, word);
}

/* A struct of 32-bit members as the words and count that css_intern() takes. */
#define CSS_WORDS(object) (const uint32_t *)&(object), sizeof(object) / sizeof(uint32_t)

/* Sequences of words by number. */
typedef struct css_interner {
    css_list begin, words; /* CSR */
    uint32_t *slots;       /* hash table: 1 + number; 0: free */
    uint32_t *hashes;      /* (hash_room) of each number */
    uint32_t mask, hash_room;
} css_interner;

/* Positions [begin, end) of a sequence in an array of words. */
typedef struct css_span {
    uint32_t begin, end;
} css_span;

bool css_interner_make(css_interner *interner, hed_arena *arena, hed_error *error);
/* Number of a sequence. A new sequence gets the next number, from 0 on. CSS_NONE: out of memory. */
uint32_t css_intern(css_interner *interner, hed_arena *arena, const uint32_t *words, uint32_t count,
    hed_error *error);

/* Number of sequences. */
static inline uint32_t css_interned(const css_interner *interner)
{
    return interner->begin.count - 1;
}

/* Row of CSR offsets. */
static inline css_span css_row(const uint32_t *begin, uint32_t row)
{
    return (css_span){begin[row], begin[row + 1]};
}

/* Sequence `number` in interner->words. */
static inline css_span css_sequence(const css_interner *interner, uint32_t number)
{
    return css_row(interner->begin.items, number);
}

static inline uint64_t css_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}

#endif
