/* Hash table of places: linear probing, power-of-two capacity. */
#include "model/table.h"

#include <string.h>

uint32_t synth_hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return hash;
}

uint32_t synth_hash_pair(uint32_t a, uint32_t b)
{
    /* The finalizer of SplitMix64: every bit of both reaches every bit. */
    uint64_t x = (uint64_t)a << 32 | b;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x ^ x >> 31);
}

static void insert(synth_table *table, uint64_t slot)
{
    uint32_t at = (uint32_t)(slot >> 32) & (table->capacity - 1);
    while (table->slots[at]) at = (at + 1) & (table->capacity - 1);
    table->slots[at] = slot;
}

static bool grow(synth_table *table, const hed_allocator *allocator)
{
    synth_table larger = {
        .capacity = table->capacity ? 2 * table->capacity : 16, .count = table->count};
    size_t size = larger.capacity * sizeof *larger.slots;
    larger.slots = allocator->allocate(allocator->user, size, sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0, size);
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i]) insert(&larger, table->slots[i]);
    synth_table_free(table, allocator);
    *table = larger;
    return true;
}

bool synth_table_put(
    synth_table *table, const hed_allocator *allocator, uint32_t hash, uint32_t place)
{
    if (2 * (uint64_t)table->count >= table->capacity &&
        (table->capacity == 1u << 31 || !grow(table, allocator)))
        return false;
    insert(table, (uint64_t)hash << 32 | (place + 1));
    table->count++;
    return true;
}

uint32_t synth_table_next(const synth_table *table, uint32_t hash, uint32_t *probe)
{
    while (table->capacity) {
        uint64_t slot = table->slots[(hash + (*probe)++) & (table->capacity - 1)];
        if (!slot) break;
        if (slot >> 32 == hash) return (uint32_t)slot - 1;
    }
    return SYNTH_NO_PLACE;
}

void synth_table_clear(synth_table *table)
{
    if (table->slots) memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void synth_table_free(synth_table *table, const hed_allocator *allocator)
{
    if (table->slots)
        allocator->release(allocator->user, table->slots, table->capacity * sizeof *table->slots);
    *table = (synth_table){0};
}
