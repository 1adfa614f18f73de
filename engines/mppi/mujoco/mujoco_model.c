/* Models of MuJoCo's as dynamics: the description of the model, and its simulation by threads. */
#include "mujoco/mujoco_model.h"

#include "heddle/author.h"
#include "mujoco/mujoco_cost.h"
#include "mujoco/mujoco_library.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MUJOCO_THREADS = 1024 };

struct mppi_mujoco {
    hed_arena arena;
    const mujoco_calls *calls;
    const char *path;
    void *model;                /* mjModel */
    void *data[MUJOCO_THREADS]; /* mjData of each thread, made by its first simulation */
    mujoco_sizes sizes;
    int substeps;
    hed_mppi_model description;
    mujoco_costs costs;
};

/* ---- simulating ---- */

/* Calls of MuJoCo's that may end in a fatal error return here with false. */
static bool simulate(mppi_mujoco *m, uint32_t thread, mujoco_roll *roll)
{
    mujoco_exit exit;
    volatile bool is_stable = false; /* changed between setjmp() and longjmp() */
    if (!setjmp(exit.place)) {
        mujoco_library_catch(&exit);
        if (!m->data[thread]) m->data[thread] = m->calls->make(m->model);
        is_stable = m->data[thread] && m->calls->roll_once(m->model, m->data[thread], roll);
    }
    mujoco_library_catch(NULL);
    return is_stable;
}

static bool mujoco_simulate(const hed_mppi_roll *roll, const hed_mppi_world *world)
{
    mppi_mujoco *m = (mppi_mujoco *)(uintptr_t)world->user;
    if (roll->thread >= MUJOCO_THREADS) return false;
    mujoco_roll simulation = {.x = roll->x,
        .controls = roll->controls,
        .steps = (int)roll->steps,
        .substeps = m->substeps,
        .states = roll->states,
        .cost = m->costs.count ? mujoco_costs_sum : NULL,
        .user = &m->costs};
    bool is_stable = simulate(m, roll->thread, &simulation);
    *roll->cost = (float)simulation.total;
    return is_stable;
}

/* ---- names ---- */

/* Returns a name of the file, or WORD and the index. */
static const char *mujoco_named(
    mppi_mujoco *m, int kind, int index, const char *word, hed_error *error)
{
    char text[64];
    const char *name = m->calls->name(m->model, kind, index);
    if (!name || !name[0]) {
        snprintf(text, sizeof text, "%s%d", word, index);
        name = text;
    }
    return hed_arena_text(&m->arena, name, error);
}

static const char *mujoco_join(
    mppi_mujoco *m, const char *joint, const char *part, hed_error *error)
{
    size_t size = strlen(joint) + strlen(part) + 2;
    char *name = hed_arena_new(&m->arena, size, 1, error);
    if (name) snprintf(name, size, "%s%s%s", joint, part[0] ? "_" : "", part);
    return name;
}

/* Names the states of a joint: positions by the joint, velocities with an ending. */
static void mujoco_name_joint(mppi_mujoco *m, int index, const char **names, hed_error *error)
{
    static const char *const positions[4][7] = {
        {"x", "y", "z", "qw", "qx", "qy", "qz"}, {"qw", "qx", "qy", "qz"}, {""}, {""}};
    static const char *const velocities[4][6] = {
        {"vx", "vy", "vz", "wx", "wy", "wz"}, {"wx", "wy", "wz"}, {"velocity"}, {"velocity"}};
    mujoco_joint joint;
    m->calls->joint_at(m->model, index, &joint);
    const char *name = mujoco_named(m, MUJOCO_JOINT, index, "joint", error);
    for (int i = 0; name && i < 7 && positions[joint.type][i]; i++)
        names[joint.position + i] = mujoco_join(m, name, positions[joint.type][i], error);
    for (int i = 0; name && i < 6 && velocities[joint.type][i]; i++)
        names[m->sizes.nq + joint.velocity + i] =
            mujoco_join(m, name, velocities[joint.type][i], error);
}

/* ---- the description ---- */

/* Returns a numeric of the file, or a default. */
static double mujoco_number(const mppi_mujoco *m, const char *name, double missing)
{
    int count = 0, index = m->calls->find(m->model, MUJOCO_NUMERIC, name);
    const double *values = index >= 0 ? m->calls->numeric(m->model, index, &count) : NULL;
    return values && count > 0 && isfinite(values[0]) ? values[0] : missing;
}

/* Describes limits and noise of the controls. */
static void mujoco_describe_controls(mppi_mujoco *m, const char **names, hed_error *error)
{
    double exploration = mujoco_number(m, "sampling_exploration", 0.25);
    for (int i = 0; i < m->sizes.nu; i++) {
        mujoco_actuator actuator;
        m->calls->actuator_at(m->model, i, &actuator);
        names[i] = mujoco_named(m, MUJOCO_ACTUATOR, i, "actuator", error);
        double half = actuator.limited ? 0.5 * (actuator.high - actuator.low) : 1;
        m->description.sigma[i] = (float)(exploration * (half > 0 ? half : 1));
        if (!actuator.limited) continue;
        m->description.minimum[i] = (float)actuator.low;
        m->description.maximum[i] = (float)actuator.high;
    }
}

/* Sets the start: a keyframe by name, "home", the first one, or the model's default. */
static hed_status mujoco_take_start(mppi_mujoco *m, const char *keyframe, hed_error *error)
{
    double start[HED_MPPI_MAX_STATES];
    int key = m->calls->find(m->model, MUJOCO_KEY, keyframe ? keyframe : "home");
    if (keyframe && key < 0)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: there is no keyframe \"%s\" among its %d; expected the name of a <key>", m->path,
            keyframe, m->sizes.keys);
    if (key < 0 && m->sizes.keys) key = 0;
    m->calls->start(m->model, key, start);
    for (uint32_t i = 0; i < m->description.states; i++) m->description.start[i] = (float)start[i];
    return HED_OK;
}

static hed_status mujoco_describe(mppi_mujoco *m, const char *keyframe, double dt, hed_error *error)
{
    const mujoco_sizes *n = &m->sizes;
    int states = n->nq + n->nv + n->na;
    if (n->nu < 1)
        return hed_fail(error, HED_ERROR_FORMAT,
            "%s: the model has no actuators; expected at least one in <actuator>", m->path);
    if (states < 1 || states > HED_MPPI_MAX_STATES || n->nu > HED_MPPI_MAX_CONTROLS)
        return hed_fail(error, HED_ERROR_LIMIT,
            "%s: the model has %d states (positions, velocities, activations) and %d actuators; "
            "expected 1 to %d and 1 to %d",
            m->path, states, n->nu, HED_MPPI_MAX_STATES, HED_MPPI_MAX_CONTROLS);
    const char **names = hed_arena_new(&m->arena, (uint64_t)states, sizeof *names, error);
    const char **controls = hed_arena_new(&m->arena, (uint64_t)n->nu, sizeof *controls, error);
    if (hed_failed(error)) return error->status;
    for (int i = 0; i < n->joints; i++) mujoco_name_joint(m, i, names, error);
    for (int i = 0; i < n->na; i++) {
        char text[32];
        snprintf(text, sizeof text, "activation%d", i);
        names[n->nq + n->nv + i] = hed_arena_text(&m->arena, text, error);
    }
    const char *slash = strrchr(m->path, '/');
    if (dt == 0) dt = mujoco_number(m, "agent_timestep", 0.01);
    m->substeps = (int)fmax(1, nearbyint(dt / n->timestep));
    m->description = (hed_mppi_model){.name = slash ? slash + 1 : m->path,
        .summary = "a model of MuJoCo's",
        .states = (uint32_t)states,
        .controls = (uint32_t)n->nu,
        .state_names = names,
        .control_names = controls,
        .roll = mujoco_simulate,
        .pose_x = -1,
        .pose_y = -1,
        .pose_heading = -1,
        .speed = -1,
        .turn = -1,
        .velocity_x = -1,
        .velocity_y = -1,
        .dt = (float)(m->substeps * n->timestep),
        .user = m};
    mujoco_describe_controls(m, controls, error);
    return hed_failed(error) ? error->status : mujoco_take_start(m, keyframe, error);
}

/* ---- opening ---- */

/* Loads the file. The path is added to MuJoCo's messages, and their lines become one. */
static hed_status mujoco_load(mppi_mujoco *m, hed_error *error)
{
    char message[512] = "";
    if (access(m->path, R_OK) != 0)
        return hed_fail(error, HED_ERROR_IO, "cannot open %s: %s", m->path, strerror(errno));
    mujoco_exit exit = {.text = ""};
    if (!setjmp(exit.place)) {
        mujoco_library_catch(&exit);
        m->model = m->calls->load(m->path, message, sizeof message);
    }
    mujoco_library_catch(NULL);
    if (exit.text[0]) snprintf(message, sizeof message, "%s", exit.text);
    for (char *end = message; *(end += strcspn(end, "\r\n"));) *end = ' ';
    if (!m->model)
        return hed_fail(
            error, HED_ERROR_FORMAT, "%s: MuJoCo does not load it: %s", m->path, message);
    m->calls->describe(m->model, &m->sizes);
    return HED_OK;
}

hed_status mppi_mujoco_open(
    const char *path, const char *keyframe, double dt, mppi_mujoco **mujoco, hed_error *error)
{
    const mujoco_calls *calls;
    *mujoco = NULL;
    if (mujoco_library_open(&calls, error)) return error->status;
    mppi_mujoco *m = calloc(1, sizeof *m);
    if (!m) return HED_OUT_OF_MEMORY(error, "%s", path);
    m->arena.owner = "a model of MuJoCo's";
    m->calls = calls;
    m->path = hed_arena_text(&m->arena, path, error);
    if (!hed_failed(error)) mujoco_load(m, error);
    if (!hed_failed(error)) mujoco_describe(m, keyframe, dt, error);
    if (!hed_failed(error))
        mujoco_costs_open(&m->costs, calls, m->model, &m->sizes, m->path, error);
    if (hed_failed(error)) mppi_mujoco_close(m);
    else *mujoco = m;
    return hed_failed(error) ? error->status : HED_OK;
}

void mppi_mujoco_close(mppi_mujoco *m)
{
    if (!m) return;
    for (int i = 0; i < MUJOCO_THREADS; i++)
        if (m->data[i]) m->calls->free_data(m->data[i]);
    if (m->model) m->calls->free_model(m->model);
    hed_arena_free(&m->arena);
    free(m);
}

const hed_mppi_model *mppi_mujoco_model(const mppi_mujoco *mujoco) { return &mujoco->description; }

hed_status mppi_mujoco_add_cost(mppi_mujoco *mujoco, const mppi_sensor_cost *cost, hed_error *error)
{
    int sensor = mujoco->calls->find(mujoco->model, MUJOCO_SENSOR, cost->sensor);
    if (sensor < 0)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: there is no sensor \"%s\" among its %d",
            mujoco->path, cost->sensor, mujoco->sizes.sensors);
    return mujoco_costs_add(&mujoco->costs, sensor, cost, error);
}

uint32_t mppi_mujoco_cost_count(const mppi_mujoco *mujoco) { return mujoco->costs.count; }

const char *mppi_mujoco_sensor(const mppi_mujoco *mujoco, uint32_t index)
{
    if (index >= (uint32_t)mujoco->sizes.sensors) return NULL;
    const char *name = mujoco->calls->name(mujoco->model, MUJOCO_SENSOR, (int)index);
    return name ? name : "";
}

void mppi_mujoco_options(const mppi_mujoco *m, hed_mppi_def *def)
{
    double dt = (double)m->description.dt, horizon = mujoco_number(m, "agent_horizon", 0.5);
    def->steps = (uint32_t)fmin(fmax(2, nearbyint(horizon / dt)), HED_MPPI_MAX_STEPS);
    def->samples = (uint32_t)fmin(fmax(1, mujoco_number(m, "sampling_trajectories", 64)), 1e6);
    def->knots = (uint32_t)fmin(fmax(2, mujoco_number(m, "sampling_spline_points", 6)), def->steps);
    def->sampler = HED_MPPI_SPLINE;
    def->pure_noise = 0;
    def->committed = 0;
    def->smooth = false;
    def->ess_target = 0.1f * (float)def->samples;
}
