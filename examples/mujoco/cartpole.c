/* MPPI swings up a pole on a cart simulated by MuJoCo, and holds it against a push. The model of
 * the controller is simpler (models/cartpole.h: the pole's mass at a point, no friction).
 *
 *  mujoco_cartpole [FILM.png]
 *
 * Exits with 0 if the pole is upright at the end. */
#include "film.h"

#include <heddle/heddle.h>
#include <heddle/mppi.h>
#include <math.h>
#include <stdio.h>

enum { SOLVES = 500, PUSH = 330, PICTURES = 10 };
#define PI 3.14159265f

static const hed_mppi_setting settings[] = {{"cart", 1}, {"pole", 0.2f}, {"length", 0.6f},
    {"quadratic.goal.theta", PI}, {"quadratic.state.x", 2}, {"quadratic.state.velocity", 0.5f},
    {"quadratic.state.theta", 10}, {"quadratic.state.rate", 0.1f},
    {"quadratic.control.force", 0.01f}};

static hed_mppi_def cartpole_def(void)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("cartpole");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = sizeof settings / sizeof *settings;
    def.samples = 2048;
    def.steps = 100;
    def.dt = 0.02f;
    def.lambda = 4;
    def.sigma[0] = 5;
    def.committed = 0; /* immediate feedback */
    def.delay = 1;     /* about the motor's lag */
    def.minimum[0] = -10;
    def.maximum[0] = 10;
    return def;
}

/* Computes the planned positions of the pole's tip, in the world. */
static void tips(const hed_mppi *controller, float length, float (*tip)[3])
{
    const hed_mppi_def *def = hed_mppi_describe(controller).def;
    for (uint32_t t = 0; t < def->steps; t++) {
        const float *x = hed_mppi_states(controller, 0) + 4 * t;
        tip[t][0] = x[0] + length * sinf(x[2]);
        tip[t][1] = -0.13f;
        tip[t][2] = -length * cosf(x[2]);
    }
}

int main(int count, char **arguments)
{
    char words[1000] = "";
    hed_error error = {0};
    hed_session on = {0};
    hed_mppi *controller = NULL;
    hed_mppi_stats stats = {0};
    film *reel = NULL;
    float x[4], u[1], tip[HED_MPPI_MAX_STEPS][3];
    uint64_t slowest = 0;
    int upright = 0; /* consecutive solves */

    mjModel *plant = mj_loadXML(MJCF "/cartpole.xml", NULL, words, sizeof words);
    if (!plant) {
        fprintf(stderr, "%s\n", words);
        return 1;
    }
    mjData *data = mj_makeData(plant);
    mj_forward(plant, data);
    const int pole = mj_name2id(plant, mjOBJ_BODY, "pole");
    const hed_mppi_def def = cartpole_def();
    const int substeps = (int)lround(def.dt / plant->opt.timestep);
    hed_open(&on, &error);
    hed_mppi_create(on.device, &def, &controller, &error);
    if (count > 1) reel = film_open(plant, PICTURES, &error);
    for (int solve = 0; solve < SOLVES && !hed_failed(&error); solve++) {
        x[0] = (float)data->qpos[0];
        x[1] = (float)data->qvel[0];
        x[2] = (float)data->qpos[1];
        x[3] = (float)data->qvel[1];
        hed_mppi_solve(controller, x, u, &stats, &error);
        if (hed_failed(&error)) break;
        if (solve % (SOLVES / PICTURES) == SOLVES / PICTURES / 4 && reel) {
            const bool pushed = solve >= PUSH && solve < PUSH + SOLVES / PICTURES;
            snprintf(words, sizeof words, "%.1f s%s", data->time, pushed ? ", pushed" : "");
            tips(controller, 0.9f, tip);
            film_take(reel, plant, data, words, tip[0], def.steps, 0);
        }
        data->ctrl[0] = u[0];
        data->xfrc_applied[6 * pole] =
            solve >= PUSH && solve < PUSH + 5 ? 1.5 : 0; /* N, for 0.1 s */
        for (int i = 0; i < substeps; i++) mj_step(plant, data);
        hed_mppi_shift(controller, 1);
        slowest = stats.solve_ns > slowest ? stats.solve_ns : slowest;
        upright = fabs(data->qpos[1] - PI) < 0.1 ? upright + 1 : 0;
    }
    if (reel && !hed_failed(&error)) film_save(reel, arguments[1], &error);
    if (hed_failed(&error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    else
        printf("%s: upright for %.1f s, cart at %.2f m, slowest solve %.2f ms\n", on.name,
            upright * (double)def.dt, data->qpos[0], (double)slowest * 1e-6);
    film_close(reel);
    hed_mppi_destroy(controller);
    hed_close(&on);
    mj_deleteData(data);
    mj_deleteModel(plant);
    return upright < 50;
}
