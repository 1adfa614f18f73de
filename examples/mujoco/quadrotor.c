/* MPPI flies a quadrotor through waypoints in MuJoCo, and a gust pushes it aside on the way. The
 * controller's model (models/quadrotor.h) is a rigid body with immediate thrust and torques; the
 * plant has rotors with a lag and limits, another mass, and air.
 *
 *  mujoco_quadrotor [FILM.png]
 *
 * Exits with 0 if every waypoint was reached. */
#include "film.h"

#include <heddle/heddle.h>
#include <heddle/mppi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOLVES = 320, GUST = 140, PICTURES = 10, WAYPOINTS = 4 };

static const float waypoints[WAYPOINTS][3] = {
    {0, 0, 1.5f}, {2, 0, 1.5f}, {2, 1.5f, 2.2f}, {0, 0, 1}};
static const double REACHED = 0.15; /* m */
static const double MODEL_MASS = 1, G = 9.81;
static const double ARM = 0.17,
                    YAW = 0.02; /* m: of the rotors; torque about the axis for a thrust */

static const hed_mppi_setting settings[] = {{"quadratic.state.x", 10}, {"quadratic.state.y", 10},
    {"quadratic.state.z", 20}, {"quadratic.state.vx", 1.5f}, {"quadratic.state.vy", 1.5f},
    {"quadratic.state.vz", 1.5f}, {"quadratic.state.roll", 2}, {"quadratic.state.pitch", 2},
    {"quadratic.state.yaw", 4}, {"quadratic.state.p", 0.1f}, {"quadratic.state.q", 0.1f},
    {"quadratic.state.r", 0.1f}};

static hed_mppi_def quadrotor_def(void)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = hed_mppi_model_find("quadrotor");
    def.terms = hed_mppi_term_find("quadratic");
    def.term_count = 1;
    def.settings = settings;
    def.setting_count = sizeof settings / sizeof *settings;
    def.samples = 2048;
    def.steps = 60;
    def.dt = 0.02f;
    def.lambda = 1;
    def.sampler = HED_MPPI_COLOURED; /* rotors follow slow changes */
    def.pure_noise = 0.05f;
    for (int i = 0; i < 4; i++) {
        def.exponent[i] = 1;
        def.sigma[i] = i == 0 ? 2.0f : i == 3 ? 0.02f : 0.06f;
        def.maximum[i] = i == 0 ? 8.0f : i == 3 ? 0.06f : 0.25f;
        def.minimum[i] = -def.maximum[i];
    }
    return def;
}

/* Reads the model's state (12) from the plant's: its quaternion as yaw, then pitch, then roll. */
static void read_state(const mjData *data, float *x)
{
    const double *q = data->qpos + 3;
    for (int i = 0; i < 3; i++) {
        x[i] = (float)data->qpos[i];
        x[3 + i] = (float)data->qvel[i];
        x[9 + i] = (float)data->qvel[3 + i]; /* of a free joint: about the body's axes */
    }
    x[6] = (float)atan2(2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    x[7] = (float)asin(fmax(-1, fmin(1, 2 * (q[0] * q[2] - q[3] * q[1]))));
    x[8] = (float)atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
}

/* Computes the thrusts of the four rotors (front left, rear left, rear right, front right) for a
 * control; the plant's actuators apply their limits. */
static void mix(const float *u, double *rotor)
{
    const double thrust = MODEL_MASS * G + u[0];
    static const int roll[4] = {1, 1, -1, -1}, pitch[4] = {-1, 1, 1, -1}, yaw[4] = {1, -1, 1, -1};
    for (int i = 0; i < 4; i++)
        rotor[i] =
            (thrust + roll[i] * u[1] / ARM + pitch[i] * u[2] / ARM + yaw[i] * u[3] / YAW) / 4;
}

/* Sets the next waypoint, from the next solve on. */
static void go_to(hed_mppi *controller, const float *point)
{
    static const char *const names[3] = {
        "quadratic.goal.x", "quadratic.goal.y", "quadratic.goal.z"};
    for (int i = 0; i < 3; i++)
        hed_mppi_post(controller, hed_mppi_parameter_find(controller, names[i]), point[i]);
}

static double distance(const mjData *data, const float *point)
{
    double x = data->qpos[0] - point[0], y = data->qpos[1] - point[1], z = data->qpos[2] - point[2];
    return sqrt(x * x + y * y + z * z);
}

int main(int count, char **arguments)
{
    char words[1000] = "";
    hed_error error = {0};
    hed_session on = {0};
    hed_mppi *controller = NULL;
    hed_mppi_stats stats = {0};
    film *reel = NULL;
    float x[12], u[4], shown[1 + HED_MPPI_MAX_STEPS][3];
    uint64_t slowest = 0;
    int next = 0;

    mjModel *plant = mj_loadXML(MJCF "/quadrotor.xml", NULL, words, sizeof words);
    if (!plant) {
        fprintf(stderr, "%s\n", words);
        return 1;
    }
    mjData *data = mj_makeData(plant);
    mj_forward(plant, data);
    const int frame = mj_name2id(plant, mjOBJ_BODY, "frame");
    const hed_mppi_def def = quadrotor_def();
    const int substeps = (int)lround(def.dt / plant->opt.timestep);
    hed_open(&on, &error);
    hed_mppi_create(on.device, &def, &controller, &error);
    if (count > 1) reel = film_open(plant, PICTURES, &error);
    if (controller) go_to(controller, waypoints[0]);
    for (int solve = 0; solve < SOLVES && !hed_failed(&error); solve++) {
        read_state(data, x);
        hed_mppi_solve(controller, x, u, &stats, &error);
        if (hed_failed(&error)) break;
        if (solve % (SOLVES / PICTURES) == 0 && reel) {
            const bool gust = solve >= GUST && solve < GUST + SOLVES / PICTURES;
            snprintf(words, sizeof words, "%.1f s%s", data->time, gust ? ", gust" : "");
            memcpy(shown[0], waypoints[next < WAYPOINTS ? next : WAYPOINTS - 1], sizeof *shown);
            for (uint32_t t = 0; t < def.steps; t++)
                memcpy(shown[1 + t], hed_mppi_states(controller, 0) + 12 * t, sizeof *shown);
            film_take(reel, plant, data, words, shown[0], 1 + def.steps, 1);
        }
        mix(u, data->ctrl);
        data->xfrc_applied[6 * frame + 1] = solve >= GUST && solve < GUST + 25 ? 4 : 0; /* N */
        for (int i = 0; i < substeps; i++) mj_step(plant, data);
        hed_mppi_shift(controller, 1);
        slowest = stats.solve_ns > slowest ? stats.solve_ns : slowest;
        if (next < WAYPOINTS && distance(data, waypoints[next]) < REACHED) {
            printf("waypoint %d after %.2f s\n", next + 1, data->time);
            if (++next < WAYPOINTS) go_to(controller, waypoints[next]);
        }
    }
    if (reel && !hed_failed(&error)) film_save(reel, arguments[1], &error);
    if (hed_failed(&error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    else
        printf("%s: %d of %d waypoints, in the end %.2f m from the last, slowest solve %.2f ms\n",
            on.name, next, WAYPOINTS, distance(data, waypoints[WAYPOINTS - 1]),
            (double)slowest * 1e-6);
    film_close(reel);
    hed_mppi_destroy(controller);
    hed_close(&on);
    mj_deleteData(data);
    mj_deleteModel(plant);
    return next < WAYPOINTS;
}
