/* The shortest controller: swings up a pole on a cart and holds it, 20 m to the left. */
#include <heddle/heddle.h>
#include <heddle/mppi.h>
#include <stdio.h>
#include <string.h>

static const hed_mppi_setting settings[] = {{"quadratic.goal.x", -20},
    {"quadratic.goal.theta", 3.14159265f}, {"quadratic.state.x", 100},
    {"quadratic.state.velocity", 10}, {"quadratic.state.theta", 200}, {"quadratic.state.rate", 20}};

int main(void)
{
    hed_error error = {0};
    hed_session on = {0};
    hed_mppi *controller = NULL;
    hed_mppi_stats stats = {0};
    float x[4] = {0}, u[1];

    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("cartpole");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = sizeof settings / sizeof *settings;
    def.samples = 2048;
    def.lambda = 0.25f;
    def.dt = 0.01f;
    hed_open(&on, &error); /* after an error, the next calls do nothing */
    hed_mppi_create(on.device, &def, &controller, &error);
    for (int step = 0; step < 1000 && !hed_failed(&error); step++) {
        hed_mppi_solve(controller, x, u, &stats, &error);        /* u: force of the motor */
        memcpy(x, hed_mppi_states(controller, 0) + 4, sizeof x); /* simulates the cart */
        hed_mppi_shift(controller, 1);
    }
    if (hed_failed(&error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    else printf("%s: cost %.3g, %s\n", on.name, stats.baseline, x[2] > 3 && x[2] < 3.3f ? "upright" : "down");
    hed_mppi_destroy(controller);
    hed_close(&on);
    return hed_failed(&error);
}
