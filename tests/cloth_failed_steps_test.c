/* ctest: devices */
/* Steps of a cloth in which an allocation fails, whichever it is: later steps succeed. */
#include "cloth_sheet.h"

/* Makes four steps, the last one without a failure. Returns the number of steps that failed. */
static uint32_t steps(hed_cloth *cloth, sheet *s, test_allocator *counted, int64_t failing)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    uint32_t failures = 0;
    frame.driver_positions = s->positions;
    frame.driver_normals = s->normals;
    counted->calls = 0;
    counted->fail_at = failing;
    for (int f = 0; f < 4; f++) {
        hed_error failure = {0};
        failures += hed_cloth_step(cloth, &frame, &failure) != HED_OK;
        failures += !failure.status && hed_cloth_wait(cloth, &failure) != HED_OK;
        CHECK(!failure.status || failure.status == HED_ERROR_MEMORY ||
                  failure.status == HED_ERROR_DEVICE_MEMORY,
            "allocation %lld: %s", (long long)failing, failure.text);
    }
    counted->fail_at = 0;
    return failures;
}

Test(cloth_failed_steps, are_followed_by_good_ones)
{
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    sheet s = sheet_make(5);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    uint32_t failures = 1, all = 0;
    int64_t n = 0;
    for (bool done = false; !done && n < 2000; n++) {
        hed_cloth *cloth = make(&t, &def);
        failures = steps(cloth, &s, &counted, n); /* 0: none fails, kernels are built */
        done = n > 0 && counted.calls < n;
        all += failures;
        EXPECT(steps(cloth, &s, &counted, 0) == 0, "allocation %lld fails later steps", (long long)n);
        hed_cloth_destroy(cloth);
    }
    CHECK(failures == 0 && n < 2000, "%u failures at %lld", failures, (long long)n);
    test_note("%lld allocations, %u failed steps", (long long)n, all);
    if (strcmp(hed_device_describe(t.device).backend, "host") != 0) CHECK_GT(all, 3);
    sheet_free(&s);
    test_close(&t);
}
