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
