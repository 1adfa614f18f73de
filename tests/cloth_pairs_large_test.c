/* ctest: devices full long */
/* Cloth that never crosses cloth, at full size: sheets of 64 and 128 particles a side over a ball and
 * in a corner, and a cape of 64 that is led so roughly that it collapses, and still never crosses. */
#include "cloth_watch.h"

TestSuite(cloth_pairs_large, .init = here_open, .fini = here_close);

static const float where[3] = {0, 10, 0};

Test(cloth_pairs_large, a_fold_of_64_on_a_ball, .timeout = 3000) { fold_on_ball(64, 90, NULL); }
Test(cloth_pairs_large, a_fold_of_128_on_a_ball, .timeout = 3000) { fold_on_ball(128, 60, NULL); }
Test(cloth_pairs_large, a_sheet_of_64_in_a_corner, .timeout = 3000) { into_a_corner(64, 90); }

Test(cloth_pairs_large, a_cape_of_64_that_collapses, .timeout = 3000)
{
    cape(64, 60, 12, HED_CLOTH_SELF_TRIANGLES, 0, where, 1.0);
}
