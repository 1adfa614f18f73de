/* Model-predictive control for JavaScript: the controller of a scene, and its plant. */
#include "exports.h"

#include <heddle/author.h>
#include <heddle/mppi.h>
#include <heddle/mppi_scene.h>

#include <math.h>

typedef struct pilot {
    hed_mppi_scene *scene;
    hed_mppi *controller;
    const hed_mppi_def *def;
    float state[HED_MPPI_MAX_STATES], control[HED_MPPI_MAX_CONTROLS];
    hed_mppi_stats stats;
    uint32_t step_count; /* steps of the plant so far */
    /* the plant: the model with the controller's parameters and tables */
    float parameters[HED_MPPI_MAX_PARAMETERS];
    const float *tables[HED_MPPI_MAX_TABLES];
    uint32_t table_counts[HED_MPPI_MAX_TABLES];
    float pipe[HED_MPPI_MAX_DELAY + 1][HED_MPPI_MAX_CONTROLS]; /* controls that are delayed */
    float *traced, *costs; /* futures of the last hedw_mppi_trace() */
} pilot;

EXPORT void hedw_mppi_close(pilot *p)
{
    if (!p) return;
    hed_mppi_destroy(p->controller);
    hed_mppi_scene_close(p->scene);
    free(p->traced);
    free(p->costs);
    free(p);
}

/* Opens a scene file, JSON of `size` bytes; JavaScript has given its files. `kind` negative,
 * `samples` and `steps` 0, `seed` negative: the file's. */
EXPORT pilot *hedw_mppi_open(const char *json, uint32_t size, const char *folder, bool strict,
    int32_t kind, uint32_t samples, uint32_t steps, double seed)
{
    pilot *p = module_allocate(1, sizeof *p);
    hed_device *device = module_device();
    if (!p || !device) return NULL;
    hed_mppi_scene_parse(json, size, "scene", folder, &p->scene, &module_error);
    if (!module_error.status) {
        hed_mppi_def def = hed_mppi_scene_def(p->scene);
        if (kind >= 0) def.kind = (hed_mppi_kind)kind;
        if (samples) def.samples = samples;
        if (steps) def.steps = steps;
        if (seed >= 0) def.seed = (uint64_t)seed;
        def.math = strict ? HED_MATH_STRICT : HED_MATH_FAST;
        if (def.count > 1)
            hed_fail(&module_error, HED_ERROR_UNSUPPORTED,
                "the scene has a fleet of %u robots; a controller here has one", def.count);
        else hed_mppi_create(device, &def, &p->controller, &module_error);
    }
    if (!module_error.status) {
        p->def = hed_mppi_describe(p->controller).def;
        memcpy(p->state, hed_mppi_scene_start(p->scene), p->def->model->states * sizeof(float));
        for (uint32_t i = 0; i < p->def->model->table_count; i++)
            for (uint32_t j = 0; j < p->def->table_count; j++)
                if (!strcmp(p->def->model->tables[i], p->def->tables[j].name)) {
                    p->tables[i] = p->def->tables[j].values;
                    p->table_counts[i] = p->def->tables[j].count;
                }
        return p;
    }
    hedw_mppi_close(p);
    return NULL;
}

/* ---- control ---- */

/* Computes the controls to apply in the present state: obstacles and path of the scene at its time,
 * then a solve. */
EXPORT bool hedw_mppi_solve(pilot *p)
{
    const hed_mppi_table *tables;
    uint32_t count =
        hed_mppi_scene_tables(p->scene, p->step_count * (double)p->def->dt, p->state, &tables);
    for (uint32_t i = 0; i < count; i++)
        if (hed_mppi_post_table(
                p->controller, tables[i].name, tables[i].values, tables[i].count, &module_error))
            return false;
    return !hed_mppi_solve(p->controller, p->state, p->control, &p->stats, &module_error);
}

/* Moves the state by one step of the model under the control, and shifts the plan. */
EXPORT bool hedw_mppi_advance(pilot *p)
{
    const hed_mppi_model *model = p->def->model;
    if (!model->step) {
        hed_fail(&module_error, HED_ERROR_UNSUPPORTED,
            "model %s has no step of its own; set the state of your plant", model->name);
        return false;
    }
    const hed_mppi_plant plant = hed_mppi_scene_plant(p->scene);
    for (uint32_t i = 0; hed_mppi_parameter_at(p->controller, i, &p->parameters[i]); i++) {}
    for (uint32_t i = 0; i < plant.setting_count; i++) {
        uint32_t index = hed_mppi_parameter_find(p->controller, plant.settings[i].name);
        if (index < HED_MPPI_MAX_PARAMETERS) p->parameters[index] = plant.settings[i].value;
    }
    memcpy(p->pipe[p->def->delay], p->control, model->controls * sizeof(float));
    const hed_mppi_world world = {.parameters = p->parameters,
        .tables = p->tables,
        .table_counts = p->table_counts,
        .dt = p->def->dt,
        .steps = p->def->steps,
        .model = model,
        .user = model->user};
    model->step(p->state, p->pipe[0], p->def->dt, &world);
    memmove(p->pipe[0], p->pipe[1], p->def->delay * sizeof p->pipe[0]);
    hed_mppi_plant_disturb(&plant, model->states, (double)p->def->dt, p->step_count++, p->state);
    hed_mppi_shift(p->controller, 1);
    return true;
}

EXPORT float *hedw_mppi_state(pilot *p) { return p->state; }
EXPORT float *hedw_mppi_control(pilot *p) { return p->control; }
EXPORT const float *hedw_mppi_plan(pilot *p) { return hed_mppi_controls(p->controller, 0); }
EXPORT const float *hedw_mppi_path(pilot *p) { return hed_mppi_states(p->controller, 0); }
EXPORT void hedw_mppi_shift(pilot *p, uint32_t steps) { hed_mppi_shift(p->controller, steps); }
EXPORT double hedw_mppi_seconds(pilot *p) { return p->step_count * (double)p->def->dt; }

/* Forgets plan and history and returns to the scene's start. */
EXPORT void hedw_mppi_reset(pilot *p)
{
    hed_mppi_reset(p->controller, NULL);
    memcpy(p->state, hed_mppi_scene_start(p->scene), p->def->model->states * sizeof(float));
    memset(p->pipe, 0, sizeof p->pipe);
    p->step_count = 0;
}

/* Simulates the `count` best samples of the last solve again: (count x T + 1 x nx); NULL: error. */
EXPORT float *hedw_mppi_trace(pilot *p, uint32_t count)
{
    free(p->traced);
    free(p->costs);
    p->traced = module_allocate(
        (size_t)count * (p->def->steps + 1) * p->def->model->states, sizeof *p->traced);
    p->costs = module_allocate(count, sizeof *p->costs);
    if (module_error.status ||
        hed_mppi_trace(p->controller, 0, count, true, p->traced, p->costs, &module_error))
        return NULL;
    return p->traced;
}
EXPORT float *hedw_mppi_costs(pilot *p) { return p->costs; }

/* ---- parameters and tables ---- */

/* Name of a parameter; NULL: after the last. */
EXPORT const char *hedw_mppi_parameter_name(pilot *p, uint32_t index)
{
    return hed_mppi_parameter_at(p->controller, index, NULL);
}
EXPORT float hedw_mppi_parameter(pilot *p, uint32_t index)
{
    float value = NAN;
    hed_mppi_parameter_at(p->controller, index, &value);
    return value;
}

EXPORT bool hedw_mppi_set_parameter(pilot *p, uint32_t index, float value)
{
    if (hed_mppi_set_parameter(p->controller, 0, index, value)) return true;
    hed_fail(&module_error, HED_ERROR_ARGUMENT, "parameter %u: value is %g; expected a finite number", index, value);
    return false;
}

/* Replaces the content of a table: obstacles that a program moves, a map. */
EXPORT bool hedw_mppi_set_table(pilot *p, const char *name, const float *values, uint32_t count)
{
    return !hed_mppi_set_table(p->controller, HED_MPPI_ALL, name, values, count, &module_error);
}

/* ---- information ---- */

/* Numbers of the definition and the last solve, in the order of `INFO` in package/mppi.js; hash:
 * low and high word. */
EXPORT double *hedw_mppi_info(pilot *p)
{
    static double numbers[10];
    const uint64_t hash = hed_mppi_hash(p->controller);
    const double values[] = {p->def->model->states, p->def->model->controls, p->def->steps,
        p->def->samples, p->def->dt, hed_mppi_scene_run_steps(p->scene), p->stats.baseline,
        p->stats.ess, (uint32_t)hash, (uint32_t)(hash >> 32)};
    _Static_assert(sizeof values == sizeof numbers, "a number for each value");
    memcpy(numbers, values, sizeof numbers);
    return numbers;
}

EXPORT const char *hedw_mppi_model(pilot *p) { return p->def->model->name; }
EXPORT const char *hedw_mppi_state_name(pilot *p, uint32_t index)
{
    const char *const *names = p->def->model->state_names;
    return names && names[index] ? names[index] : "";
}
EXPORT const char *hedw_mppi_control_name(pilot *p, uint32_t index)
{
    const char *const *names = p->def->model->control_names;
    return names && names[index] ? names[index] : "";
}
