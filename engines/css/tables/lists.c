/* See lists.h. */
#include "tables/lists.h"

#include <string.h>

void *css_array_grow(void *items, uint32_t count, uint32_t *room, size_t size, hed_arena *arena,
    uint32_t additional, hed_error *error)
{
    uint64_t capacity = 2ull * *room, minimum = (uint64_t)count + additional;
    if (capacity < minimum) capacity = minimum;
    if (capacity < 64) capacity = 64;
    if (capacity > UINT32_MAX / 2) {
        hed_fail(error, HED_ERROR_LIMIT, "css: more than 2^31 entries in a table of a match");
        return items;
    }
    void *larger = hed_arena_new(arena, capacity, size, error);
    if (!larger) return items;
    if (count) memcpy(larger, items, count * size);
    *room = (uint32_t)capacity;
    return larger;
}

bool css_interner_make(css_interner *t, hed_arena *arena, hed_error *error)
{
    *t = (css_interner){.mask = 255, .hash_room = 128};
    t->slots = hed_arena_new(arena, t->mask + 1, sizeof *t->slots, error);
    t->hashes = hed_arena_new(arena, t->hash_room, sizeof *t->hashes, error);
    css_push(&t->begin, arena, 0, error);
    return !hed_failed(error);
}

/* Doubles the room; at most half of the slots are used. */
static bool interner_grow(css_interner *t, hed_arena *arena, hed_error *error)
{
    uint32_t count = css_interned(t), mask = 2 * t->mask + 1;
    uint32_t *slots = hed_arena_new(arena, (uint64_t)mask + 1, sizeof *slots, error);
    uint32_t *hashes = hed_arena_new(arena, 2ull * t->hash_room, sizeof *hashes, error);
    if (!slots || !hashes) return false;
    memcpy(hashes, t->hashes, count * sizeof *hashes);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = hashes[i] & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    t->slots = slots;
    t->hashes = hashes;
    t->mask = mask;
    t->hash_room *= 2;
    return true;
}

uint32_t css_intern(
    css_interner *t, hed_arena *arena, const uint32_t *words, uint32_t count, hed_error *error)
{
    if (hed_failed(error)) return CSS_NONE;
    uint64_t mixed = count;
    for (uint32_t i = 0; i < count; i++) mixed = css_mix(mixed, words[i]);
    uint32_t hash = (uint32_t)(mixed >> 20), at = hash & t->mask, number = css_interned(t);
    for (; t->slots[at]; at = (at + 1) & t->mask) {
        uint32_t candidate = t->slots[at] - 1, first = t->begin.items[candidate];
        if (t->hashes[candidate] == hash && t->begin.items[candidate + 1] - first == count &&
            (!count || !memcmp(t->words.items + first, words, count * sizeof *words)))
            return candidate;
    }
    if (!css_list_room(&t->words, arena, count, error) ||
        !css_list_room(&t->begin, arena, 1, error))
        return CSS_NONE;
    if (count) memcpy(t->words.items + t->words.count, words, count * sizeof *words);
    t->words.count += count;
    t->begin.items[t->begin.count++] = t->words.count;
    t->hashes[number] = hash;
    t->slots[at] = number + 1;
    if (2 * (number + 1) > t->mask && !interner_grow(t, arena, error)) return CSS_NONE;
    return number;
}
