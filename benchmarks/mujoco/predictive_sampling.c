/* Predictive sampling over a model of MuJoCo's (Howell et al. 2022, arXiv 2212.00541): the peer of `heddle mppi run FILE.xml`.
 *
 *   predictive_sampling run MODEL SEED STEPS SAMPLES   a closed loop; prints CSV as Heddle's --csv: step, time, state, control
 *   predictive_sampling cost MODEL CSV                 mean of the sensors' costs over the states of such a CSV, cost of the last
 *
 * A plan is a cubic Hermite spline through knots, with slopes by finite differences. A solve shifts the knots in time, adds normal
 * noise to those of all samples except the first, and keeps the best sample. OMP_NUM_THREADS sets the number of threads. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KNOTS = 32, MAX_CONTROLS = 32, MAX_STATES = 128, MAX_SENSORS = 64, MAX_THREADS = 256 };

typedef struct plan {
    double time, gap; /* time of the first knot, time between two knots, s */
    double knots[MAX_KNOTS][MAX_CONTROLS];
} plan;

static const mjModel *model;
static mjData *data_of[MAX_THREADS];
static const double *targets[MAX_SENSORS]; /* values without cost; NULL: zeros */
static int states, substeps; /* positions, velocities and activations; simulation steps in a step */
static int steps, knots;     /* of the horizon */
static double dt, exploration; /* step, s; sigma of the noise, by half of each ctrlrange */

static void fail(const char *text)
{
    fprintf(stderr, "predictive_sampling: %s\n", text);
    exit(1);
}

/* ---- the model ---- */

static const double *numeric(const char *name, const double *missing)
{
    int index = mj_name2id(model, mjOBJ_NUMERIC, name);
    return index < 0 ? missing : model->numeric_data + model->numeric_adr[index];
}

static double number(const char *name, double missing) { return *numeric(name, &missing); }

/* Loads a model and the options that its file has by mujoco_mpc's names; defaults are those of Heddle. */
static void open_model(const char *path)
{
    char text[512] = "";
    model = mj_loadXML(path, NULL, text, sizeof text);
    if (!model) fail(text);
    substeps = (int)fmax(1, nearbyint(number("agent_timestep", 0.01) / model->opt.timestep));
    dt = substeps * model->opt.timestep;
    steps = (int)fmax(2, nearbyint(number("agent_horizon", 0.5) / dt));
    knots = (int)number("sampling_spline_points", 6);
    exploration = number("sampling_exploration", 0.25);
    states = model->nq + model->nv + model->na;
    if (knots < 2 || knots > MAX_KNOTS || model->nu > MAX_CONTROLS) fail("too many knots or controls");
    if (states > MAX_STATES || model->nsensor > MAX_SENSORS) fail("too many states or sensors");
    for (int i = 0; i < model->nu; i++)
        if (!model->actuator_ctrllimited[i]) fail("an actuator has no ctrlrange");
    for (int i = 0; i < model->nsensor; i++) {
        double norm = model->sensor_user[i * model->nuser_sensor];
        if (norm != 0 && norm != 2) fail("a sensor has another norm than 0 and 2");
        snprintf(text, sizeof text, "%s_target", mj_id2name(model, mjOBJ_SENSOR, i));
        targets[i] = numeric(text, NULL);
    }
}

/* Begins a simulation from a state. */
static void set_state(mjData *data, const double *state)
{
    mj_resetData(model, data);
    mju_copy(data->qpos, state, model->nq);
    mju_copy(data->qvel, state + model->nq, model->nv);
    mju_copy(data->act, state + model->nq + model->nv, model->na);
}

static void get_state(const mjData *data, double *state)
{
    mju_copy(state, data->qpos, model->nq);
    mju_copy(state + model->nq, data->qvel, model->nv);
    mju_copy(state + model->nq + model->nv, data->act, model->na);
}

/* Computes the sum of weight * norm(value - target) over the sensors with user="NORM WEIGHT LOW HIGH P Q". */
static double cost_of(const mjData *data)
{
    double sum = 0;
    for (int i = 0; i < model->nsensor; i++) {
        const double *user = model->sensor_user + i * model->nuser_sensor;
        const double *value = data->sensordata + model->sensor_adr[i];
        double squares = 0;
        for (int k = 0; k < model->sensor_dim[i]; k++)
            squares += pow(value[k] - (targets[i] ? targets[i][k] : 0), 2);
        sum +=
            user[1] * (user[0] == 0 ? 0.5 * squares : sqrt(squares + user[4] * user[4]) - user[4]);
    }
    return sum;
}

/* ---- plans ---- */

/* Returns the slope at a knot, by the time between two knots. */
static double slope(const plan *p, int knot, int control)
{
    int before = knot > 0 ? knot - 1 : knot, after = knot < knots - 1 ? knot + 1 : knot;
    return (p->knots[after][control] - p->knots[before][control]) / (after - before);
}

/* Evaluates the spline within the limits. Before its first knot and after its last, the plan is constant. */
static void control_at(const plan *p, double time, double *control)
{
    double at = fmin(fmax((time - p->time) / p->gap, 0), knots - 1);
    int k = at < knots - 2 ? (int)at : knots - 2;
    double t = at - k, u = 1 - t;
    for (int i = 0; i < model->nu; i++) {
        const double *range = model->actuator_ctrlrange + 2 * i;
        double value = u * u * ((1 + 2 * t) * p->knots[k][i] + t * slope(p, k, i)) +
                       t * t * ((1 + 2 * u) * p->knots[k + 1][i] - u * slope(p, k + 1, i));
        control[i] = fmin(fmax(value, range[0]), range[1]);
    }
}

/* Returns the plan with knots from `time` on. */
static plan shifted(const plan *p, double time)
{
    plan next = {.time = time, .gap = (steps - 1) * dt / (knots - 1)};
    for (int k = 0; k < knots; k++) control_at(p, time + k * next.gap, next.knots[k]);
    return next;
}

/* Returns a uniform number in (0, 1): splitmix64. */
static double uniform(uint64_t *random)
{
    uint64_t z = *random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static void add_noise(plan *p, uint64_t random)
{
    for (int k = 0; k < knots; k++) {
        for (int i = 0; i < model->nu; i++) {
            const double *range = model->actuator_ctrlrange + 2 * i;
            double radius = sqrt(-2 * log(uniform(&random)));
            double normal = radius * cos(6.283185307179586 * uniform(&random));
            double value = p->knots[k][i] + 0.5 * exploration * (range[1] - range[0]) * normal;
            p->knots[k][i] = fmin(fmax(value, range[0]), range[1]);
        }
    }
}

/* Simulates a step of the controller. Returns false after a warning of an unstable state. */
static bool advance(mjData *data)
{
    const mjWarningStat *w = data->warning;
    for (int n = 0; n < substeps; n++) mj_step(model, data);
    return !(w[mjWARN_BADQPOS].number + w[mjWARN_BADQVEL].number + w[mjWARN_BADQACC].number);
}

static double cost_of_plan(const plan *p, const double *state, mjData *data)
{
    double sum = 0;
    set_state(data, state);
    for (int t = 0; t < steps; t++) {
        control_at(p, p->time + t * dt, data->ctrl);
        if (!advance(data)) return INFINITY;
        sum += cost_of(data);
    }
    return isfinite(sum) ? sum : INFINITY;
}

/* ---- the commands ---- */

/* Returns the best of `samples` plans near p. */
static plan solve(const plan *p, const double *state, int samples, uint64_t seed)
{
    plan best = *p;
    double least = INFINITY, chosen = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < samples; i++) {
        plan candidate = *p;
        if (i > 0) add_noise(&candidate, (seed * 1000003u + (uint64_t)i) * 0xd1342543de82ef95u);
        double cost = cost_of_plan(&candidate, state, data_of[omp_get_thread_num()]);
#pragma omp critical
        if (cost < least || (cost == least && i < chosen)) {
            best = candidate;
            least = cost;
            chosen = i;
        }
    }
    return best;
}

static void run(uint64_t seed, int count, int samples)
{
    double state[MAX_STATES + MAX_CONTROLS], *control = state + states; /* as in a row */
    mjData *plant = mj_makeData(model);
    if (omp_get_max_threads() > MAX_THREADS) fail("too many threads");
    for (int i = 0; i < omp_get_max_threads(); i++) data_of[i] = mj_makeData(model);
    if (model->nkey) mj_resetDataKeyframe(model, plant, 0);
    get_state(plant, state);
    plan p = {.gap = 1};
    puts("step,time,states and controls");
    for (int step = 0; step < count; step++) {
        plan start = shifted(&p, step * dt);
        p = solve(&start, state, samples, (seed << 32) + (uint64_t)step);
        control_at(&p, step * dt, control);
        printf("%d,%.9g", step, step * dt);
        for (int i = 0; i < states + model->nu; i++) printf(",%.17g", state[i]);
        puts("");
        set_state(plant, state);
        mju_copy(plant->ctrl, control, model->nu);
        if (!advance(plant)) fail("the simulation became unstable");
        get_state(plant, state);
    }
}

static void print_cost(const char *path)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    mjData *data = mj_makeData(model);
    double count = 0, sum = 0, cost = 0;
    if (!file || !fgets(line, sizeof line, file)) fail("the CSV cannot be read");
    while (fgets(line, sizeof line, file)) {
        double row[2 + MAX_STATES + MAX_CONTROLS];
        char *at = line;
        for (int i = 0; i < 2 + states + model->nu; i++, at += *at == ',') row[i] = strtod(at, &at);
        set_state(data, row + 2);
        mju_copy(data->ctrl, row + 2 + states, model->nu);
        mj_forward(model, data);
        sum += cost = cost_of(data);
        count++;
    }
    printf("%.6f %.6f %g\n", sum / count, cost, count);
}

int main(int count, char **words)
{
    bool is_run = count == 6 && !strcmp(words[1], "run");
    if (!is_run && (count != 4 || strcmp(words[1], "cost")))
        fail("usage: run MODEL SEED STEPS SAMPLES, or cost MODEL CSV");
    open_model(words[2]);
    if (is_run) run(strtoull(words[3], NULL, 10), atoi(words[4]), atoi(words[5]));
    else print_cost(words[3]);
}
