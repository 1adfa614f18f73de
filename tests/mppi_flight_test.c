/* ctest: devices */
/* A quadrotor that hovers: MPPI-Generic's own test of its flight (2,048 samples of 150 steps of
 * 0.01 s, lambda 4, alpha 0.9), on every device. */
#include <math.h>
#include <stdlib.h>

#include "fixture.h"
#include "heddle/mppi.h"

TestSuite(mppi_flight, .init = here_open, .fini = here_close);

/* From the ground to 1 m, then there: outside 0.15 m for less than a tenth of 3,000 steps, or of the
 * first 400 unless HEDDLE_TEST_FULL is set, 113 of which are on the way. PoCL, which is slow, sees
 * 140. */
Test(mppi_flight, hovers, .timeout = 600)
{
    static const hed_mppi_setting settings[] = {{"quadratic.goal.z", 1}, {"quadratic.state.x", 250},
        {"quadratic.state.y", 250}, {"quadratic.state.z", 250}, {"quadratic.state.vx", 15},
        {"quadratic.state.vy", 15}, {"quadratic.state.vz", 15}, {"quadratic.state.roll", 15},
        {"quadratic.state.pitch", 15}, {"quadratic.state.yaw", 15}};
    const char *backend = hed_device_describe(here.device).backend;
    bool slow = strcmp(backend, "host") != 0 && strcmp(backend, "cuda") != 0;
    bool full = strcmp(backend, "cuda") == 0 || getenv("HEDDLE_TEST_FULL");
    int steps = slow ? 140 : full ? 3000 : 400, outside = 0;
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("quadrotor");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = HED_COUNT(settings);
    def.samples = 2048;
    def.steps = 150;
    def.dt = 0.01f;
    def.lambda = 4;
    def.alpha = 0.9f;
    def.sigma[0] = 2;
    for (int i = 1; i < 4; i++) def.sigma[i] = 0.01f;
    hed_error error = {0};
    hed_mppi *c;
    float x[12] = {0}, u[4];
    OK(hed_mppi_create(here.device, &def, &c, &error));
    for (int step = 0; step < steps; step++) {
        hed_mppi_stats stats;
        OK(hed_mppi_solve(c, x, u, &stats, &error));
        CHECK_EQ(stats.outcome, HED_MPPI_SOLVED, "step %d", step);
        memcpy(x, hed_mppi_states(c, 0) + 12, sizeof x); /* the model is the plant */
        hed_mppi_shift(c, 1);
        outside += sqrtf(x[0] * x[0] + x[1] * x[1] + (x[2] - 1) * (x[2] - 1)) > 0.15f;
    }
    EXPECT_LT(outside, slow ? 125 : full ? 300 : 150, "of %d steps; it ends at %g, %g, %g", steps, (double)x[0],
        (double)x[1], (double)x[2]);
    hed_mppi_destroy(c);
}
