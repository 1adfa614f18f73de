/* Gains of the tracking feedback do not depend on how far from the origin a robot is: within 1 % of
 * those at the origin, and there of the Riccati recursion in double precision. */
#include <math.h>

#include "fixture.h"
#include "heddle/mppi.h"
#include "model/controller.h"

TestSuite(mppi_gains, .init = here_open, .fini = here_close);

enum { STEPS = 30 };

static hed_mppi *make(const hed_mppi_model *model)
{
    static float network[1412];
    static const hed_mppi_table tables[] = {{.name = "network", .values = network, .count = 1412}};
    hed_mppi_def def = hed_default_mppi_def();
    hed_mppi *c = NULL;
    hed_error error = {0};
    for (int i = 0; i < 1412; i++) network[i] = 0.1f * sinf((float)(i * i % 97));
    def.model = model;
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.tables = tables;
    def.table_count = model->table_count ? 1 : 0;
    def.kind = HED_MPPI_TUBE;
    def.steps = STEPS;
    def.samples = 32;
    OK(hed_mppi_create(here.device, &def, &c, &error));
    return c;
}

/* Gains along a trajectory that begins `far` from the origin. */
static void gains_at(const hed_mppi_model *model, float far, float *gains)
{
    static float states[(STEPS + 1) * HED_MPPI_MAX_STATES];
    static float controls[STEPS * HED_MPPI_MAX_CONTROLS];
    hed_mppi *c = make(model);
    uint32_t nx = model->states, nu = model->controls;
    for (uint32_t i = 0; i < nx; i++) states[i] = 0.2f + 0.05f * (float)i;
    if (model->pose_x >= 0) states[model->pose_x] += far;
    if (model->pose_y >= 0) states[model->pose_y] -= 0.7f * far;
    if (!strcmp(model->name, "cartpole")) states[0] += far;
    if (!strcmp(model->name, "quadrotor")) states[2] += far;
    if (model->speed >= 0) states[model->speed] = 2;
    for (uint32_t j = 0; j < STEPS * nu; j++)
        controls[j] = 0.3f * model->sigma[j % nu] * sinf(0.3f * (float)j);
    for (uint32_t t = 0; t < STEPS; t++) {
        memcpy(states + (t + 1) * nx, states + t * nx, nx * sizeof *states);
        mppi_step(c, states + (t + 1) * nx, controls + t * nu);
    }
    CHECK(mppi_track(c, states, states, controls, 1, gains));
    hed_mppi_destroy(c);
}

Test(mppi_gains, are_the_same_far_away, .timeout = 240)
{
    static float near[STEPS * 8 * 32], far[STEPS * 8 * 32];
    const hed_mppi_model *model;
    for (uint32_t m = 0; (model = hed_mppi_model_at(m)); m++) {
        gains_at(model, 0, near);
        for (float distance = 100; distance < 2e4f; distance *= 10) {
            double difference = 0, largest = 0;
            gains_at(model, distance, far);
            for (uint32_t j = 0; j < STEPS * model->controls * model->states; j++) {
                largest = fmax(largest, fabs((double)near[j]));
                difference = fmax(difference, fabs((double)far[j] - near[j]));
            }
            EXPECT_LT(difference, 0.01 * largest, "%s at %g m", model->name, (double)distance);
        }
    }
}

/* The double integrator: the discrete Riccati recursion of one axis in double precision. */
Test(mppi_gains, are_those_of_the_riccati_recursion)
{
    static float gains[STEPS * 2 * 4];
    const hed_mppi_model *model = hed_mppi_model_find("double_integrator");
    for (int place = 0; place < 3; place++) {
        const double dt = 0.02f;
        double p[2][2] = {{1, 0}, {0, 1}}, k[2] = {0};
        gains_at(model, place == 0 ? 0 : place == 1 ? 100 : 10000, gains);
        for (int t = STEPS - 1; t >= 0; t--) { /* x' = x + dt v (v before or after the change) */
            double b0 = 0, b1 = dt;
            float x[4] = {0, 0, 0, 0}, u[2] = {1, 0};
            hed_mppi_world world = {.dt = model->dt, .model = model};
            model->step(x, u, model->dt, &world);
            b0 = (double)x[0];
            double pb0 = p[0][0] * b0 + p[0][1] * b1, pb1 = p[1][0] * b0 + p[1][1] * b1;
            double pa[2][2] = {
                {p[0][0], p[0][0] * dt + p[0][1]}, {p[1][0], p[1][0] * dt + p[1][1]}};
            double q = dt + b0 * pb0 + b1 * pb1;
            double s[2] = {b0 * pa[0][0] + b1 * pa[1][0], b0 * pa[0][1] + b1 * pa[1][1]}, n[2][2];
            for (int j = 0; j < 2; j++) k[j] = -s[j] / q;
            n[0][0] = dt + pa[0][0];
            n[0][1] = pa[0][1];
            n[1][0] = dt * pa[0][0] + pa[1][0];
            n[1][1] = dt + dt * pa[0][1] + pa[1][1];
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) p[i][j] = n[i][j] + s[i] * k[j];
            for (int j = 0; j < 2; j++)
                EXPECT_NEAR(gains[t * 8 + 2 * j], k[j], 0.01 * fabs(k[j]) + 1e-5, "step %d", t);
        }
    }
}
