/* The ring: order, full and empty, arguments, and two threads at once (run under TSan too). */
#include "heddle/ring.h"

#include "testing.h"

#include <pthread.h>
#include <sched.h>

Test(ring, is_first_in_first_out_round_and_round)
{
    hed_ring *ring = NULL;
    CHECK_EQ(hed_ring_create(NULL, sizeof(uint32_t), 4, &ring, NULL), HED_OK);
    uint32_t pushed = 0, popped = 0, value;
    for (unsigned round = 0; round < 50; round++) {
        unsigned count = round % 5;
        for (unsigned index = 0; index < count; index++, pushed++) {
            CHECK(hed_ring_push(ring, &pushed));
        }
        CHECK_EQ(hed_ring_count(ring), count);
        for (unsigned index = 0; index < count; index++, popped++) {
            CHECK(hed_ring_pop(ring, &value));
            CHECK_EQ(value, popped);
        }
        CHECK_NOT(hed_ring_pop(ring, &value), "round %u: popped from an empty ring", round);
    }
    hed_ring_destroy(ring);
}

Test(ring, holds_at_least_what_was_asked_and_refuses_more)
{
    const uint32_t asked[] = {1, 2, 3, 5, 64, 100};
    for (size_t index = 0; index < sizeof asked / sizeof asked[0]; index++) {
        hed_ring *ring = NULL;
        CHECK_EQ(hed_ring_create(NULL, 1, asked[index], &ring, NULL), HED_OK);
        uint32_t held = 0;
        unsigned char record = 0;
        while (held <= 256 && hed_ring_push(ring, &record)) {
            held++;
            record++;
        }
        CHECK(held >= asked[index] && held < 2 * asked[index], "asked for %u, holds %u",
            asked[index], held);
        CHECK_EQ(hed_ring_count(ring), held);
        /* The record that was refused has not overwritten one. */
        for (uint32_t expected = 0; expected < held; expected++) {
            CHECK(hed_ring_pop(ring, &record));
            CHECK_EQ(record, expected);
        }
        hed_ring_destroy(ring);
    }
}

Test(ring, keeps_records_of_any_size_whole)
{
    for (uint32_t bytes = 1; bytes < 100; bytes += 7) {
        hed_ring *ring = NULL;
        unsigned char in[100], out[101];
        CHECK_EQ(hed_ring_create(NULL, bytes, 3, &ring, NULL), HED_OK);
        for (int round = 0; round < 10; round++) {
            memset(in, 17 * round + 1, sizeof in);
            memset(out, 0xee, sizeof out);
            CHECK(hed_ring_push(ring, in));
            CHECK(hed_ring_pop(ring, out));
            CHECK_EQ(memcmp(in, out, bytes), 0);
            CHECK_EQ(out[bytes], 0xee, "wrote behind the record");
        }
        hed_ring_destroy(ring);
    }
}

Test(ring, refuses_wrong_arguments)
{
    const uint32_t wrong[][2] = {{0, 8}, {8, 0}, {8, (UINT32_C(1) << 31) + 1}};
    for (size_t index = 0; index < 3; index++) {
        hed_ring *ring = (hed_ring *)&ring;
        hed_error error = {0};
        CHECK_EQ(hed_ring_create(NULL, wrong[index][0], wrong[index][1], &ring, &error),
            HED_ERROR_ARGUMENT);
        CHECK_NULL(ring);
        CHECK_EQ(error.status, HED_ERROR_ARGUMENT);
        CHECK_NOT_NULL(strstr(error.text, "ring"));
    }
    hed_ring_destroy(NULL);
}

Test(ring, fails_cleanly_without_memory)
{
    test_allocator state = {.fail_at = 1};
    hed_allocator allocator = test_allocator_of(&state);
    hed_ring *ring = NULL;
    hed_error error = {0};
    CHECK_EQ(hed_ring_create(&allocator, 8, 8, &ring, &error), HED_ERROR_MEMORY);
    CHECK_NULL(ring);
    CHECK(state.live == 0 && state.bytes == 0);
    error = (hed_error){0};
    CHECK_EQ(hed_ring_create(&allocator, 8, 8, &ring, &error), HED_OK);
    allocator = (hed_allocator){0}; /* the ring keeps a copy */
    hed_ring_destroy(ring);
    CHECK(state.live == 0 && state.bytes == 0);
}

enum { RECORDS = 100000 };

typedef struct record {
    uint64_t number, square, negated;
} record;

static void *write_records(void *argument)
{
    hed_ring *ring = argument;
    for (uint64_t number = 0; number < RECORDS; number++) {
        record next = {number, number * number, ~number};
        while (!hed_ring_push(ring, &next)) {
            sched_yield();
        }
    }
    return NULL;
}

Test(ring, passes_whole_records_between_threads, .timeout = 60)
{
    hed_ring *ring = NULL;
    CHECK_EQ(hed_ring_create(NULL, sizeof(record), 64, &ring, NULL), HED_OK);
    pthread_t writer;
    CHECK_EQ(pthread_create(&writer, NULL, write_records, ring), 0);
    for (uint64_t number = 0; number < RECORDS; number++) {
        record got;
        CHECK_LE(hed_ring_count(ring), 64u);
        while (!hed_ring_pop(ring, &got)) {
            sched_yield();
        }
        CHECK(got.number == number && got.square == number * number && got.negated == ~number,
            "record %llu is torn or out of order", (unsigned long long)number);
    }
    pthread_join(writer, NULL);
    CHECK_EQ(hed_ring_count(ring), 0u);
    hed_ring_destroy(ring);
}
