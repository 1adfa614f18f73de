/* Plant of `heddle mppi run`: the model itself, or a model with other parameters and
 * disturbances. */
#include "subcommands.h"

#include "heddle/author.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static hed_status plant_refuse(const char *option, const char *text, const char *form,
    const hed_mppi_model *model, hed_error *error)
{
    char states[512] = "", name[16];
    size_t used = 0;
    for (uint32_t i = 0; i < model->states && used < sizeof states; i++)
        used += (size_t)snprintf(states + used, sizeof states - used, "%s%s", i ? ", " : "",
            cli_mppi_state_name(model, i, name));
    return hed_fail(error, HED_ERROR_ARGUMENT, "--%s %s: expected %s; states of %s: %s", option,
        text, form, model->name, states);
}

/* Parses STATE=NUMBER; returns the number of states if it is invalid. */
static uint32_t plant_state(const hed_mppi_model *model, const char *text, double *value)
{
    const char *equals = strchr(text, '=');
    char *end = NULL, name[16];
    if (equals) *value = strtod(equals + 1, &end);
    if (!equals || end == equals + 1 || *end || !isfinite(*value)) return model->states;
    for (uint32_t i = 0; i < model->states; i++) {
        const char *state_name = cli_mppi_state_name(model, i, name);
        if (strlen(state_name) == (size_t)(equals - text) &&
            !strncmp(state_name, text, strlen(state_name)))
            return i;
    }
    return model->states;
}

static hed_status plant_set(
    cli_mppi_plant *p, const char *name, size_t length, float value, hed_error *error)
{
    for (uint32_t i = 0; i < p->own_count; i++)
        if (strlen(p->names[i]) == length && !strncmp(p->names[i], name, length)) {
            p->parameters[i] = value;
            return HED_OK;
        }
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "--plant %.*s: model %s has no such parameter; \"heddle mppi models %s\" lists them",
        (int)length, name, p->model->name, p->model->name);
}

static hed_status plant_take_parameter(cli_mppi_plant *p, const char *text, hed_error *error)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    float value = equals ? strtof(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "--plant %s: expected NAME=VALUE with a number, such as mass=1.2", text);
    return plant_set(p, text, (size_t)(equals - text), value, error);
}

static hed_status plant_take_push(cli_mppi_plant *p, const char *text, hed_error *error)
{
    char *end;
    double seconds = strtod(text, &end), change;
    uint32_t state =
        end != text && *end == ':' ? plant_state(p->model, end + 1, &change) : p->model->states;
    if (state == p->model->states || !(seconds >= 0 && seconds <= 1e9))
        return plant_refuse(
            "push", text, "SECONDS:STATE=CHANGE, such as 2.5:x=0.3", p->model, error);
    if (p->push_count == CLI_MPPI_MOST_PUSHES)
        return hed_fail(error, HED_ERROR_LIMIT, "--push: at most %d pushes", CLI_MPPI_MOST_PUSHES);
    p->pushes[p->push_count] = (hed_mppi_push){.seconds = seconds};
    p->pushes[p->push_count++].change[state] = (float)change;
    return HED_OK;
}

/* ---- opening ---- */

/* Collects the arguments of the model's C function: the controller's parameters, of which the
 * model's are the first, and the tables that the model names. */
static void plant_take_model(cli_mppi_plant *p, const hed_mppi *controller)
{
    hed_mppi_info info = hed_mppi_describe(controller);
    const hed_mppi_def *def = info.def;
    const char *const *terms = p->names;
    for (uint32_t i = 0; i < info.parameter_count; i++)
        p->names[i] = hed_mppi_parameter_at(controller, i, &p->parameters[i]);
    for (; p->own_count < info.parameter_count; p->own_count++) {
        /* the parameters of the first term follow the model's */
        size_t length = strlen(def->terms[0].name);
        const char *name = terms[p->own_count];
        if (!strncmp(name, def->terms[0].name, length) && name[length] == '.') break;
    }
    for (uint32_t i = 0; i < def->model->table_count; i++)
        for (uint32_t j = 0; j < def->table_count; j++)
            if (!strcmp(def->model->tables[i], def->tables[j].name)) {
                p->tables[i] = def->tables[j].values;
                p->table_counts[i] = def->tables[j].count;
            }
}

/* Applies the differences of a robot of a fleet: parameters and tables of the model, and the seed. */
static void plant_take_robot(cli_mppi_plant *p, const hed_mppi_robot *robot)
{
    hed_error is_of_term = {0};
    for (uint32_t i = 0; i < robot->setting_count; i++)
        plant_set(p, robot->settings[i].name, strlen(robot->settings[i].name),
            robot->settings[i].value, &is_of_term);
    for (uint32_t i = 0; i < p->model->table_count; i++)
        for (uint32_t j = 0; j < robot->table_count; j++)
            if (!strcmp(p->model->tables[i], robot->tables[j].name)) {
                p->tables[i] = robot->tables[j].values;
                p->table_counts[i] = robot->tables[j].count;
            }
    p->seed += p->robot;
}

hed_status cli_mppi_plant_open(const hed_arguments *a, const cli_mppi_subject *subject,
    const hed_mppi *controller, uint32_t robot, cli_mppi_plant *p, hed_error *error)
{
    const hed_mppi_robot own = hed_mppi_scene_robot(subject->scene, robot);
    hed_mppi_plant scene = hed_mppi_scene_plant(subject->scene);
    const char *text;
    double sigma;
    p->def = hed_mppi_describe(controller).def;
    p->model = p->def->model;
    p->robot = robot;
    p->seed = hed_given(a, "seed") ? (uint64_t)hed_integer_of(a, "seed") : scene.seed;
    memcpy(p->disturbance, scene.disturbance, sizeof p->disturbance);
    for (uint32_t i = 0; i < scene.push_count && i < CLI_MPPI_MOST_PUSHES; i++)
        p->pushes[p->push_count++] = scene.pushes[i];
    plant_take_model(p, controller);
    plant_take_robot(p, &own);
    for (uint32_t i = 0; i < scene.setting_count && !hed_failed(error); i++)
        plant_set(p, scene.settings[i].name, strlen(scene.settings[i].name),
            scene.settings[i].value, error);
    p->differs = scene.setting_count > 0;
    for (uint32_t i = 0; (text = hed_text_at(a, "plant", i)) && !hed_failed(error); i++) {
        plant_take_parameter(p, text, error);
        p->differs = true;
    }
    for (uint32_t i = 0; (text = hed_text_at(a, "disturb", i)) && !hed_failed(error); i++) {
        uint32_t state = plant_state(p->model, text, &sigma);
        if (state == p->model->states || sigma < 0)
            plant_refuse("disturb", text, "STATE=SIGMA, at least 0", p->model, error);
        else p->disturbance[state] = (float)sigma;
    }
    for (uint32_t i = 0; (text = hed_text_at(a, "push", i)) && !hed_failed(error); i++)
        plant_take_push(p, text, error);
    if (!hed_failed(error) && p->differs && !p->model->step)
        hed_fail(error, HED_ERROR_UNSUPPORTED,
            "model %s is a text alone, so its plant is what the controller computes: it can be "
            "pushed and disturbed, and have no other parameters",
            p->model->name);
    return hed_failed(error) ? error->status : HED_OK;
}

/* ---- moving ---- */

/* Moves x by one step of a model that is simulated as a whole; an unstable step is NaN. */
static void plant_simulate(cli_mppi_plant *p, float *x, const float *u)
{
    const hed_mppi_model *model = p->model;
    float next[HED_MPPI_MAX_STATES], cost;
    const hed_mppi_world world = {
        .dt = p->def->dt, .steps = 1, .model = model, .user = model->user};
    memcpy(p->pipe[p->def->delay], u, model->controls * sizeof *u);
    const hed_mppi_roll roll = {
        .x = x, .controls = p->pipe[0], .steps = 1, .states = next, .cost = &cost};
    bool is_stable = model->roll(&roll, &world);
    for (uint32_t i = 0; i < model->states; i++) x[i] = is_stable ? next[i] : NAN;
    memmove(p->pipe[0], p->pipe[1], p->def->delay * sizeof p->pipe[0]);
}

void cli_mppi_plant_step(
    cli_mppi_plant *p, const hed_mppi *controller, uint32_t step, float *x, const float *u)
{
    const hed_mppi_model *model = p->model;
    if (model->roll) {
        plant_simulate(p, x, u);
    } else if (!model->step) {
        memcpy(x, hed_mppi_states(controller, p->robot) + model->states, model->states * sizeof *x);
    } else {
        memcpy(p->pipe[p->def->delay], u, model->controls * sizeof *u);
        const hed_mppi_world world = {.parameters = p->parameters,
            .tables = p->tables,
            .table_counts = p->table_counts,
            .dt = p->def->dt,
            .steps = p->def->steps,
            .model = model,
            .user = model->user};
        model->step(x, p->pipe[0], p->def->dt, &world);
        memmove(p->pipe[0], p->pipe[1], p->def->delay * sizeof p->pipe[0]);
    }
    hed_mppi_plant disturbances = {
        .pushes = p->pushes, .push_count = p->push_count, .seed = p->seed};
    memcpy(disturbances.disturbance, p->disturbance, sizeof p->disturbance);
    hed_mppi_plant_disturb(&disturbances, p->model->states, (double)p->def->dt, step, x);
}
