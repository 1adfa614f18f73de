/* A function that is handed an error already set does nothing and returns its status. The calls are
 * made from the public headers (sticky.awk), the engines' included; every other argument is NULL or
 * 0, so a function that looks at one of them first ends this program. */
#include "testing.h"

#include "headers_all.h"

static hed_error error, before;

#define CALL(name, arguments) \
    CHECK(name arguments == HED_ERROR_TIMEOUT, #name " forgets the error that it was handed"); \
    CHECK(memcmp(&error, &before, sizeof error) == 0, #name " changes the error"); \
    calls++;

Test(sticky, a_call_with_an_error_set_does_nothing)
{
    int calls = 0;
    before = error = (hed_error){HED_ERROR_TIMEOUT, "the first error", "its log"};
#include "sticky_calls.h"
    CHECK(calls > 120, "only %d functions were found in the headers", calls);
}

Test(sticky, a_cleared_error_can_be_used_again)
{
    hed_device *device = NULL;
    test_device t = test_open(NULL);
    FAILS(HED_ERROR_NO_DEVICE, hed_device_find(t.context, "no such device", &device, &error));
    CHECK(hed_failed(&error));
    CHECK(hed_device_find(t.context, "host", &device, &error) == HED_ERROR_NO_DEVICE);
    CHECK(!device, "a call with an error set did something");
    hed_error_clear(&error);
    CHECK(!hed_failed(&error) && !hed_failed(NULL));
    CHECK(hed_device_find(t.context, "host", &device, &error) == HED_OK && device);
    test_close(&t);
}

static void check_list(const hed_argument *a, uint32_t count)
{
    CHECK_EQ(count, 8);
    CHECK(a[0].kind == HED_BUFFER && a[7].kind == HED_LOCAL);
    CHECK(a[1].type == HED_INT32 && a[1].value.i32 == -1);
    CHECK(a[2].type == HED_UINT32 && a[2].value.u32 == 2);
    CHECK(a[3].type == HED_INT64 && a[3].value.i64 == 3);
    CHECK(a[4].type == HED_UINT64 && a[4].value.u64 == 4);
    CHECK(a[5].type == HED_FLOAT && a[5].value.f32 == 2.5f);
    CHECK(a[6].type == HED_DOUBLE && a[6].value.f64 == 5.0);
}

static void check_count(const hed_argument *a, uint32_t count, uint32_t expected)
{
    CHECK_EQ(count, expected);
    for (uint32_t i = 0; i < count; i++) CHECK_EQ(a[i].value.i32, (int32_t)i);
}

/* headers_cxx.cpp does the same in C++. */
Test(sticky, arguments_by_value)
{
    hed_buffer *const buffer = NULL;
    const float number = 2.5f;
    const uint32_t two = 2;
    check_list(
        HED_ARGS(buffer, -1, two, (int64_t)3, (uint64_t)4, number, 5.0, hed_local_argument()));
    check_count(HED_ARGS(0), 1);
    check_count(HED_ARGS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31),
        32);
}
