/* What the tests share: a context with the device under test, which is chosen by HEDDLE_DEVICE, an
 * allocator that counts and fails on request, and checks that print the error's text. */
#ifndef HED_TESTS_TESTING_H
#define HED_TESTS_TESTING_H

#include "test.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/realtime.h"
#include "heddle/tuning.h"

/* `call` uses `&error` of the caller, must succeed and must leave no error behind. */
#define OK(call) \
    do { \
        error.status = HED_OK; \
        hed_status ok_status = (call); \
        CHECK(ok_status == HED_OK, "%s: %s: %s\n%s", #call, hed_status_name(ok_status), \
            error.text, error.log); \
        CHECK(error.status == HED_OK, "%s: succeeded and left an error: %s", #call, error.text); \
    } while (0)

/* `call` must end in exactly this status. */
#define FAILS(expected_status, call) \
    do { \
        error = (hed_error){0}; \
        hed_status fails_status = (call); \
        CHECK(fails_status == (expected_status), "%s: %s instead of %s: %s", #call, \
            hed_status_name(fails_status), hed_status_name(expected_status), error.text); \
        CHECK(error.status == (expected_status) && error.text[0], "%s: the error says nothing", \
            #call); \
    } while (0)

/* `call` must answer with this status, which is no failure: nothing is written to `error`. */
#define ANSWERS(expected_status, call) \
    do { \
        error = (hed_error){0}; \
        hed_status answer_status = (call); \
        CHECK(answer_status == (expected_status) && !error.status && !error.text[0], \
            "%s: %s instead of %s: %s", #call, hed_status_name(answer_status), \
            hed_status_name(expected_status), error.text); \
    } while (0)

typedef struct test_device {
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
} test_device;

/* Opens the device of HEDDLE_DEVICE ("host" where it is unset); skips the test where it is not on
 * this machine, or fails it where HEDDLE_REQUIRE_DEVICES names its backend. */
static inline test_device test_open(const hed_context_def *def)
{
    hed_error error = {0};
    test_device t = {0};
    const char *wanted = getenv("HEDDLE_DEVICE"), *required = getenv("HEDDLE_REQUIRE_DEVICES");
    if (!wanted || !wanted[0]) wanted = "host";
    OK(hed_context_create(def, &t.context, &error));
    if (hed_device_find(t.context, wanted, &t.device, &error)) {
        hed_context_destroy(t.context);
        CHECK(!required || !strstr(wanted, required), "device \"%s\" is required: %s", wanted,
            error.text);
        test_skip("no device \"%s\": %s", wanted, error.text);
    }
    OK(hed_stream_create(t.device, NULL, &t.stream, &error));
    return t;
}

static inline void test_close(test_device *t)
{
    hed_stream_destroy(t->stream);
    hed_context_destroy(t->context);
    *t = (test_device){0};
}

/* ---- an allocator that counts, and fails once at its n-th call ---- */

typedef struct test_allocator {
    _Atomic int64_t calls, live, bytes;
    int64_t fail_at; /* 1: the first call fails; 0: none does */
} test_allocator;

static inline void *test_allocate(void *user, size_t size, size_t alignment)
{
    test_allocator *t = user;
    if (++t->calls == t->fail_at) return NULL;
    void *pointer = aligned_alloc(alignment < 16 ? 16 : alignment, (size + 63) / 64 * 64);
    if (pointer) {
        memset(pointer, 0xa5, size); /* nobody may rely on zeros */
        t->live++;
        t->bytes += (int64_t)size;
    }
    return pointer;
}

static inline void test_release(void *user, void *pointer, size_t size)
{
    test_allocator *t = user;
    t->live--;
    t->bytes -= (int64_t)size;
    memset(pointer, 0x5a, size); /* a wrong size or a use after release shows at once */
    free(pointer);
}

static inline hed_allocator test_allocator_of(test_allocator *t)
{
    return (hed_allocator){t, test_allocate, test_release};
}

#endif
