/* ctest: devices full=pocl long */
/* hed_cloth under abuse: numbers at their limits and beyond, broken positions, refusals, memory
 * that runs out. */
#include "cloth_sheet.h"

Test(cloth_abuse, a_driver_that_jumps_leaves_everything_finite)
{
    test_device t = test_open(NULL);
    sheet s = sheet_make(16);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&t, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    float driver[768];
    hed_cloth_metrics quality;
    frame.driver_positions = driver;
    for (int i = 0; i < 20; i++) {
        memcpy(driver, s.positions, sizeof driver);
        for (int k = 0; k < 768; k++) driver[k] += i % 2 ? 10.0f : 0.0f;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    OK(hed_cloth_wait(cloth, &error));
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    CHECK(quality.not_finite == 0 && quality.high[0] < 50.0 && quality.low[0] > -50.0, "%g to %g",
        quality.low[0], quality.high[0]);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}

Test(cloth_abuse, values_at_their_limits_leave_everything_finite)
{
    test_device t = test_open(NULL);
    sheet s = sheet_make(8);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    def.iterations = 2;
    hed_cloth *cloth = make(&t, &def);
    static const float signs[4] = {1.0f, -1.0f, 0.0f, 1.0f};
    static const double lengths[4] = {1e-6, 10.0, 1.0 / 60.0, 1e-3};
    for (int i = 0; i < 24; i++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .a = {1e6f * signs[i % 3], 0, 0},
            .radius = {1e6f}, .friction = 100.0f};
        frame.seconds = lengths[i % 4];
        for (int k = 0; k < 3; k++) {
            frame.gravity[k] = 1e4f * signs[(i + k) % 4];
            frame.wind[k] = 1e3f * signs[(i / 2 + k) % 4];
        }
        frame.gust = 1.0f;
        frame.colliders = &ball;
        frame.collider_count = 1;
        OK(hed_cloth_step(cloth, &frame, &error));
        hed_cloth_metrics quality;
        OK(hed_cloth_wait(cloth, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        CHECK(quality.not_finite == 0, "frame %d", i);
    }
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}

Test(cloth_abuse, a_broken_position_is_told_and_undone)
{
    static const float broken[4] = {0, NAN, 0, 1};
    test_device t = test_open(NULL);
    sheet s = sheet_make(8);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&t, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int i = 0; i < 40; i++) OK(hed_cloth_step(cloth, &frame, &error));
    uint64_t good = hash_of(cloth); /* waits, so this is a state to go back to */
    for (int i = 0; i < 3; i++) OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_write(
        hed_cloth_stream(cloth), cloth->buffers.position, 16 * 37, broken, sizeof broken, &error));
    OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
    OK(hed_cloth_step(cloth, &frame, &error));
    float vertices[64][4];
    OK(hed_read(hed_cloth_stream(cloth), vertices, hed_cloth_vertex_buffer(cloth), 0,
        sizeof vertices, &error));
    OK(hed_stream_wait(hed_cloth_stream(cloth), &error));
    for (int i = 0; i < 64; i++)
        CHECK(isfinite(vertices[i][0]) && isfinite(vertices[i][1]) && isfinite(vertices[i][2]));
    FAILS(HED_ERROR_FORMAT, hed_cloth_wait(cloth, &error));
    CHECK(strstr(error.text, "sheet") && strstr(error.text, "frame 40"), "%s", error.text);
    CHECK(hash_of(cloth) == good, "not the state of frame 40");
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}

#define REFUSES(status, change) \
    do { \
        hed_cloth_frame frame = hed_default_cloth_frame(); \
        hed_cloth_collider collider = { \
            .shape = HED_CLOTH_CAPSULE, .b = {0, 1, 0}, .radius = {0.1f, 0.1f}}; \
        float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, driver[75] = {0}; \
        (void)collider, (void)matrix, (void)driver; \
        change; \
        FAILS(status, hed_cloth_step(cloth, &frame, &error)); \
    } while (0)

Test(cloth_abuse, a_bad_frame_is_refused_whole)
{
    test_device t = test_open(NULL);
    sheet s = sheet_make(5);
    s.garment.driven = true;
    hed_cloth_def def = def_of(&s);
    def.max_colliders = 2;
    hed_cloth *cloth = make(&t, &def);
    uint64_t before = hash_of(cloth);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(cloth, NULL, &error));
    REFUSES(HED_ERROR_ARGUMENT, frame.seconds = 0.0);
    REFUSES(HED_ERROR_ARGUMENT, frame.seconds = NAN);
    REFUSES(HED_ERROR_ARGUMENT, frame.seconds = 11.0);
    REFUSES(HED_ERROR_ARGUMENT, frame.frames = 0);
    REFUSES(HED_ERROR_ARGUMENT, frame.gravity[1] = NAN);
    REFUSES(HED_ERROR_ARGUMENT, frame.gravity[2] = INFINITY);
    REFUSES(HED_ERROR_ARGUMENT, frame.wind[0] = 1001.0f);
    REFUSES(HED_ERROR_ARGUMENT, frame.gust = 1.5f);
    REFUSES(HED_ERROR_ARGUMENT, frame.gust = NAN);
    REFUSES(HED_ERROR_ARGUMENT, (matrix[12] = NAN, frame.transform = matrix));
    REFUSES(HED_ERROR_ARGUMENT, (matrix[15] = 0, frame.transform = matrix));
    REFUSES(HED_ERROR_ARGUMENT, (matrix[0] = 2, frame.motion = matrix));
    REFUSES(HED_ERROR_ARGUMENT, (driver[40] = NAN, frame.driver_positions = driver));
    REFUSES(HED_ERROR_ARGUMENT, (driver[74] = 2e6f, frame.driver_positions = driver));
    REFUSES(HED_ERROR_ARGUMENT, (driver[3] = 1.5f, frame.driver_normals = driver));
    REFUSES(HED_ERROR_ARGUMENT, frame.collider_count = 1);
    REFUSES(HED_ERROR_LIMIT, (frame.colliders = &collider, frame.collider_count = 3));
    REFUSES(HED_ERROR_ARGUMENT,
        (collider.a[2] = NAN, frame.colliders = &collider, frame.collider_count = 1));
    REFUSES(HED_ERROR_ARGUMENT,
        (collider.radius[1] = -1, frame.colliders = &collider, frame.collider_count = 1));
    REFUSES(HED_ERROR_ARGUMENT,
        (collider.friction = NAN, frame.colliders = &collider, frame.collider_count = 1));
    REFUSES(HED_ERROR_ARGUMENT, (collider.shape = (hed_cloth_shape)7, frame.colliders = &collider,
                                    frame.collider_count = 1));
    REFUSES(HED_ERROR_ARGUMENT, (collider.shape = HED_CLOTH_PLANE, collider.b[1] = 2,
                                    frame.colliders = &collider, frame.collider_count = 1));
    REFUSES(HED_ERROR_ARGUMENT, frame.mesh_count = 1);
    CHECK(hash_of(cloth) == before, "a refused frame moved the cloth");
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}

#define REFUSES_DEF(change) \
    do { \
        hed_cloth_def def = def_of(&s); \
        hed_cloth *none; \
        change; \
        FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(t.device, &def, &none, &error)); \
        CHECK_NULL(none); \
    } while (0)

Test(cloth_abuse, a_bad_definition_is_refused)
{
    test_device t = test_open(NULL);
    sheet s = sheet_make(5);
    REFUSES_DEF(def.garments = NULL);
    REFUSES_DEF(def.garment_count = 0);
    REFUSES_DEF(def.substeps = 1001);
    REFUSES_DEF(def.iterations = 101);
    REFUSES_DEF(def.up = 3);
    REFUSES_DEF(def.solver = HED_CLOTH_SOLVER_COUNT);
    REFUSES_DEF(def.set_width = 6);
    REFUSES_DEF(def.set_width = 2048);
    REFUSES_DEF(s.positions[7] = NAN);
    CHECK(strstr(error.text, "sheet"), "which garment? %s", error.text);
    sheet_free(&s);
    test_close(&t);
}

/* Whichever allocation fails: an error that says so, and nothing is left behind. */
Test(cloth_abuse, memory_that_runs_out_is_told)
{
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    sheet s = sheet_make(5);
    sheet_dress(&s);
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&t, &def); /* kernels are built and cached by now */
    full_frame(cloth, &s, 0);
    hed_cloth_destroy(cloth);
    int64_t live = counted.live;
    uint32_t failures = 0;
    bool done = false;
    for (int64_t n = 1; n < 4000 && !done; n += n < 60 ? 1 : 7) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        counted.calls = 0;
        counted.fail_at = n;
        hed_error_clear(&error);
        hed_status status = hed_cloth_create(t.device, &def, &cloth, &error);
        if (!status) status = hed_cloth_step(cloth, &frame, &error);
        if (!status) status = hed_cloth_wait(cloth, &error);
        done = counted.calls < n;
        counted.fail_at = 0;
        failures += status != HED_OK;
        bool told = (status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY) &&
                    error.text[0]; /* on host the same memory */
        CHECK(status == HED_OK || told, "allocation %lld: %s: %s", (long long)n,
            hed_status_name(status), error.text);
        if (cloth) hed_cloth_destroy(cloth);
        CHECK(counted.live == live, "allocation %lld: %lld left behind", (long long)n,
            (long long)(counted.live - live));
    }
    CHECK(done && failures > 20, "%u failures", failures);
    sheet_free(&s);
    test_close(&t);
}
