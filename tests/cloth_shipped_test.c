/* Scenes that come with Heddle, run as they are: no pair of triangles crosses in any of their first
 * frames. cloth_shipped_whole_test.c runs them to the end. */
#include "cloth_judge.h"

static void begin_of(const char *name, uint32_t frames)
{
    test_device t = test_open(NULL);
    judged_run(t.device, name, frames, 1e-3);
    test_close(&t);
}

Test(cloth_shipped, shirts, .timeout = 300) { begin_of("shirts", 3); }
Test(cloth_shipped, garment, .timeout = 300) { begin_of("garment", 30); }
Test(cloth_shipped, runner, .timeout = 300) { begin_of("runner", 20); }
Test(cloth_shipped, folded, .timeout = 300) { begin_of("folded", 5); }
Test(cloth_shipped, corner, .timeout = 300) { begin_of("corner", 20); }
Test(cloth_shipped, cape, .timeout = 300) { begin_of("cape", 24); }
Test(cloth_shipped, sewn, .timeout = 300) { begin_of("sewn", 12); }
