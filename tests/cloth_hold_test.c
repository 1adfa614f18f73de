/* ctest: devices full=pocl */
/* Particles that a program holds: hed_cloth_set_max_distance(). */
#include "cloth_sheet.h"

/* A held particle is at its driver, a released one falls as if it had never been held. */
Test(cloth_hold, a_held_particle_follows_its_driver)
{
    enum { EACH = 64, HELD = 27 };
    test_device t = test_open(NULL);
    sheet s = sheet_make(8);
    s.garment.driven = true;
    hed_cloth_def def = def_of(&s);
    hed_cloth *cloth = make(&t, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    float driver[3 * EACH];
    memcpy(driver, s.positions, sizeof driver);
    frame.driver_positions = driver;
    OK(hed_cloth_set_max_distance(cloth, HELD, 0.0f, &error));
    for (int i = 0; i < 20; i++) {
        driver[3 * HELD + 2] += 0.005f;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    float *a = read_positions(cloth);
    CHECK(largest_difference(driver + 3 * HELD, a + 3 * HELD, 3) < 1e-3, "%g %g %g", a[3 * HELD],
        a[3 * HELD + 1], a[3 * HELD + 2]);
    free(a);
    OK(hed_cloth_set_max_distance(cloth, HELD, INFINITY, &error));
    for (int i = 0; i < 20; i++) OK(hed_cloth_step(cloth, &frame, &error));
    a = read_positions(cloth);
    CHECK(largest_difference(driver + 3 * HELD, a + 3 * HELD, 3) > 0.02);
    free(a);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_max_distance(cloth, EACH, 0.0f, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_max_distance(cloth, 0, -1.0f, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_max_distance(cloth, 0, NAN, &error));
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_max_distance(NULL, 0, 0.0f, &error));
    hed_cloth_destroy(cloth);
    s.garment.driven = false;
    cloth = make(&t, &def);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_set_max_distance(cloth, 0, 0.0f, &error));
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}
