/* ctest: devices full long */
/* Cloth that never crosses cloth, at full size: sheets of 64 and 128 particles a side over a ball
 * and in a corner, capes of 64 and 128 that are led at 6 m/s and stop, and one of 64 that is
 * stopped with 12 g and led back. */
#include "cloth_watch.h"

TestSuite(cloth_pairs_large, .init = here_open, .fini = here_close);

static const float where[3] = {0, 10, 0};

Test(cloth_pairs_large, a_fold_of_64_on_a_ball, .timeout = 3000) { fold_on_ball(64, 90, NULL); }
Test(cloth_pairs_large, a_fold_of_128_on_a_ball, .timeout = 3000) { fold_on_ball(128, 60, NULL); }
Test(cloth_pairs_large, a_sheet_of_64_in_a_corner, .timeout = 3000) { into_a_corner(64, 90); }

Test(cloth_pairs_large, a_cape_of_64_that_stops, .timeout = 3000)
{
    cape(64, 60, 12, cape_run, HED_CLOTH_SELF_TRIANGLES, 0, where, 1e-3);
}

Test(cloth_pairs_large, a_cape_of_128_that_stops, .timeout = 3000)
{
    cape(128, 60, 30, cape_run, HED_CLOTH_SELF_TRIANGLES, 0, where, 1e-3);
}

Test(cloth_pairs_large, a_cape_of_64_stopped_with_12_g, .timeout = 3000)
{
    cape(64, 60, 12, cape_jerk, HED_CLOTH_SELF_TRIANGLES, 0, where, 1e-3);
}
