/* A ring of records between one writing and one reading thread, after Lamport (1977), with each
 * side's last view of the other's position stored with its own position (Lee, Bu and Chandranmenon
 * 2010, MCRingBuffer): the other side's cache line is read only when the ring looks full or
 * empty. */
#include "heddle/ring.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum { LINE = 64 };

struct hed_ring {
    hed_allocator allocator;
    size_t bytes; /* size of the whole ring as allocated, bytes */
    uint32_t record_bytes, capacity, mask;
    /* Positions count records for ever and wrap at 2^32; capacity is a power of two of at most
     * 2^31. */
    _Alignas(LINE) atomic_uint_least32_t written; /* stored by the writer */
    uint32_t read_seen;                           /* the writer's last view of `read` */
    _Alignas(LINE) atomic_uint_least32_t read;    /* stored by the reader */
    uint32_t written_seen;                        /* the reader's last view of `written` */
    _Alignas(LINE) unsigned char records[];
};

hed_status hed_ring_create(const hed_allocator *allocator, uint32_t record_bytes, uint32_t capacity,
    hed_ring **ring, hed_error *error)
{
    HED_REQUIRE(ring);
    assert(ring);
    *ring = NULL;
    if (record_bytes == 0 || capacity == 0 || capacity > UINT32_C(1) << 31)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "a ring of %u records of %u bytes: expected at least one byte and 1 to 2147483648 records",
            capacity, record_bytes);
    uint32_t rounded = 1;
    while (rounded < capacity) rounded *= 2;
    size_t bytes = sizeof(hed_ring) + (size_t)rounded * record_bytes;
    hed_ring *new_ring = hed_allocate(allocator, bytes);
    if (!new_ring)
        return HED_OUT_OF_MEMORY(error, "a ring of %u records of %u bytes", rounded, record_bytes);
    new_ring->allocator = allocator ? *allocator : hed_default_allocator();
    new_ring->bytes = bytes;
    new_ring->record_bytes = record_bytes;
    new_ring->capacity = rounded;
    new_ring->mask = rounded - 1;
    *ring = new_ring;
    return HED_OK;
}

void hed_ring_destroy(hed_ring *ring)
{
    if (ring) {
        hed_allocator allocator = ring->allocator;
        hed_release(&allocator, ring, ring->bytes);
    }
}

bool hed_ring_push(hed_ring *ring, const void *record)
{
    if (!ring || !record) return false;
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    if (written - ring->read_seen == ring->capacity) {
        ring->read_seen = atomic_load_explicit(&ring->read, memory_order_acquire);
        if (written - ring->read_seen == ring->capacity) return false;
    }
    memcpy(ring->records + (size_t)(written & ring->mask) * ring->record_bytes, record,
        ring->record_bytes);
    atomic_store_explicit(&ring->written, written + 1, memory_order_release);
    return true;
}

bool hed_ring_pop(hed_ring *ring, void *record)
{
    if (!ring || !record) return false;
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    if (read == ring->written_seen) {
        ring->written_seen = atomic_load_explicit(&ring->written, memory_order_acquire);
        if (read == ring->written_seen) return false;
    }
    memcpy(record, ring->records + (size_t)(read & ring->mask) * ring->record_bytes,
        ring->record_bytes);
    atomic_store_explicit(&ring->read, read + 1, memory_order_release);
    return true;
}

uint32_t hed_ring_count(const hed_ring *ring)
{
    if (!ring) return 0;
    uint32_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    uint32_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    /* The two loads are not simultaneous: a third thread may see both positions move in between, so
     * the count is limited to the capacity. */
    uint32_t count = written - read;
    return count < ring->capacity ? count : ring->capacity;
}
