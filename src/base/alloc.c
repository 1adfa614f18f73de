/* Sized allocation through a caller's allocator, and arenas: chunks that are freed together. */
#include "base/alloc.h"

#include "heddle/author.h"

#include <assert.h>
#include <inttypes.h>

enum {
    ALIGNMENT = 64,
    FIRST_CHUNK = 1 << 12, /* bytes; each further chunk doubles the size, up to the largest */
    LARGEST_CHUNK = 4 << 20
};

static void *allocate_raw(const hed_allocator *allocator, size_t size)
{
    hed_allocator library = hed_default_allocator();
    const hed_allocator *source = allocator && allocator->allocate ? allocator : &library;
    void *memory = source->allocate(source->user, size, ALIGNMENT);
    assert((uintptr_t)memory % ALIGNMENT == 0);
    return memory;
}

void *hed_allocate(const hed_allocator *allocator, size_t size)
{
    size = size > 0 ? size : 1;
    void *memory = allocate_raw(allocator, size);
    return memory ? memset(memory, 0, size) : NULL;
}

void hed_release(const hed_allocator *allocator, void *memory, size_t size)
{
    hed_delete(allocator, memory, 1, size);
}

char *hed_copy_text(const hed_allocator *allocator, const char *text)
{
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = hed_allocate(allocator, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void hed_release_text(const hed_allocator *allocator, char *text)
{
    if (text) hed_release(allocator, text, strlen(text) + 1);
}

/* ---- elements ---- */

void *hed_new(const hed_allocator *allocator, uint64_t count, size_t size, hed_error *error)
{
    if (hed_failed(error)) return NULL;
    void *memory = NULL;
    if (size == 0 || count <= SIZE_MAX / size)
        memory = hed_allocate(allocator, (size_t)(count ? count : 1) * size);
    if (!memory) HED_OUT_OF_MEMORY(error, "%" PRIu64 " x %zu bytes", count, size);
    return memory;
}

/* ---- arenas ---- */

struct hed_arena_chunk {
    struct hed_arena_chunk *next; /* the newest chunk with free space is first */
    size_t size, used;            /* bytes, including this header */
};

void *hed_arena_new(hed_arena *arena, uint64_t count, size_t size, hed_error *error)
{
    const bool is_set = arena;
    if (hed_require(error, __func__, "arena", &is_set, 1)) return NULL;
    count = count ? count : 1;
    size_t bytes = 0; /* rounded up, so that the next object is aligned; 0: too large */
    if (size == 0 || count <= (SIZE_MAX / 2) / size)
        bytes = (size_t)hed_round_up(size ? count * size : 1, ALIGNMENT);
    struct hed_arena_chunk *chunk = arena->chunks;
    if (bytes && !arena->failed && (!chunk || chunk->size - chunk->used < bytes)) {
        size_t whole = chunk ? 2 * chunk->size : FIRST_CHUNK;
        whole = whole < LARGEST_CHUNK ? whole : LARGEST_CHUNK;
        /* needs a chunk of its own, inserted after the first */
        bool alone = bytes > whole - ALIGNMENT;
        whole = alone ? bytes + ALIGNMENT : whole;
        struct hed_arena_chunk *new_chunk = allocate_raw(&arena->allocator, whole);
        if (new_chunk) {
            *new_chunk = (struct hed_arena_chunk){.size = whole, .used = ALIGNMENT};
            struct hed_arena_chunk **at = alone && chunk ? &chunk->next : &arena->chunks;
            new_chunk->next = *at;
            *at = new_chunk;
        }
        chunk = new_chunk;
    }
    if (!bytes || !chunk || arena->failed) {
        arena->failed = true;
        const char *owner = arena->owner ? arena->owner : "", *blank = arena->owner ? " for " : "";
        hed_fail(error, HED_ERROR_MEMORY, "out of memory%s%s: %" PRIu64 " x %zu bytes", blank,
            owner, count, size);
        return NULL;
    }
    void *memory = (char *)chunk + chunk->used;
    chunk->used += bytes;
    return memset(memory, 0, bytes);
}

void hed_arena_free(hed_arena *arena)
{
    if (!arena) return;
    hed_allocator allocator = arena->allocator;
    struct hed_arena_chunk *chunk = arena->chunks;
    arena->chunks = NULL;
    arena->failed = false;
    while (chunk) {
        struct hed_arena_chunk *next = chunk->next;
        hed_release(&allocator, chunk, chunk->size);
        chunk = next;
    }
}
