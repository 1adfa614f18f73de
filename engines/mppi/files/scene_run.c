/* States and controls of a scene by name, and its run: the number of steps, and the differences
 * between the plant and the controller's model. */
#include "files/mppi_scene_parts.h"

#include "heddle/author.h"
#include "support/strict_math.h"

#include <math.h>
#include <string.h>

void mppi_scene_read_states(mppi_scene_reader *reader, hed_json_node node, float *values)
{
    const hed_mppi_model *m = &reader->scene->model;
    double numbers[HED_MPPI_MAX_STATES] = {0};
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        hed_json_numbers(node, numbers, m->states, -3e38, 3e38);
        for (uint32_t i = 0; i < m->states; i++) values[i] = (float)numbers[i];
        return;
    }
    for (hed_json_node item = hed_json_next(node, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(item) != HED_JSON_NOTHING;
         item = hed_json_next(node, item.key)) {
        uint32_t i =
            mppi_scene_find_name(reader, item, "state", m->state_names, m->states, item.key);
        if (i < m->states) values[i] = (float)hed_json_number(item, -3e38, 3e38);
    }
}

void mppi_scene_read_start(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_read_states(user, node, at);
}

/* ---- controls ---- */

/* Noise and limits of one control. */
typedef struct control_limits {
    float sigma, minimum, maximum, rate, deceleration;
} control_limits;

static const hed_field control_rows[] = {
    {"sigma", "standard deviation of the noise; the model's by default", HED_AS_NUMBER(control_limits, sigma, 0, HED_FIELD_ANY, NULL)},
    {"minimum", "lower limit; the model's by default", HED_AS_NUMBER(control_limits, minimum, -HED_FIELD_ANY, HED_FIELD_ANY, NULL)},
    {"maximum", "upper limit; the model's by default", HED_AS_NUMBER(control_limits, maximum, -HED_FIELD_ANY, HED_FIELD_ANY, NULL)},
    {"rate", "maximum change in a second; 0: no limit", HED_AS_NUMBER(control_limits, rate, 0, HED_FIELD_ANY, NULL)},
    {"deceleration", "maximum change towards 0 in a second; 0: as rate", HED_AS_NUMBER(control_limits, deceleration, 0, HED_FIELD_ANY, NULL)},
    {0},
};
const hed_fields mppi_control_fields = {"control", NULL, .rows = control_rows};

void mppi_scene_read_controls(const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    hed_mppi_def *def = &scene->def;
    memcpy(def->sigma, scene->model.sigma, sizeof def->sigma);
    memcpy(def->minimum, scene->model.minimum, sizeof def->minimum);
    memcpy(def->maximum, scene->model.maximum, sizeof def->maximum);
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        hed_fields_only(&mppi_control_fields, node);
        uint32_t i = mppi_scene_find_name(
            reader, node, "control", scene->model.control_names, scene->model.controls, node.key);
        if (i == scene->model.controls) return;
        control_limits limits = {def->sigma[i], def->minimum[i], def->maximum[i], 0, 0};
        hed_fields_read(&mppi_control_fields, node, &limits, reader);
        def->sigma[i] = limits.sigma;
        def->minimum[i] = limits.minimum;
        def->maximum[i] = limits.maximum;
        def->rate[i] = limits.rate;
        def->deceleration[i] = limits.deceleration;
        bool has_limits = hed_json_has(node, "minimum") || hed_json_has(node, "maximum");
        if (has_limits) def->limits_given |= 1u << i;
    }
}

/* ---- the plant ---- */

/* Reads the plant's parameters, which the controller does not see. */
static void run_read_parameters(const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_plant *plant = at;
    const hed_mppi_model *m = &reader->scene->model;
    const char *names[HED_MPPI_MAX_PARAMETERS];
    hed_mppi_setting *settings = mppi_scene_new(reader, HED_MPPI_MAX_PARAMETERS, sizeof *settings);
    uint32_t count = 0, numbers = 0;
    for (uint32_t i = 0; i < m->parameter_count; i++)
        if (m->parameters[i].length == 0) names[numbers++] = m->parameters[i].name;
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        uint32_t i = mppi_scene_find_name(reader, node, "parameter", names, numbers, node.key);
        if (i < numbers)
            settings[count++] =
                (hed_mppi_setting){names[i], (float)hed_json_number(node, -3e38, 3e38)};
    }
    plant->settings = settings;
    plant->setting_count = count;
}

static void run_read_change(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_read_states(user, node, ((hed_mppi_push *)at)->change);
}

static const hed_field push_rows[] = {
    {"at", "time from the start of the run", HED_AS_NUMBER(hed_mppi_push, seconds, 0, 1e9, "s"), .required = true},
    {"change", "addition to the states", HED_AS_OTHER("states", run_read_change), .required = true},
    {0},
};
const hed_fields mppi_push_fields = {"push", NULL, .rows = push_rows};

static void run_read_pushes(const hed_field *field, hed_json_node array, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_plant *plant = at;
    size_t count = hed_field_length(field, array);
    hed_mppi_push *pushes = mppi_scene_new(reader, count, sizeof *pushes);
    for (size_t i = 0; i < count && mppi_scene_fine(reader); i++)
        hed_fields_read(&mppi_push_fields, hed_json_item(array, i), &pushes[i], reader);
    plant->pushes = pushes;
    plant->push_count = (uint32_t)count;
}

static void run_read_disturbance(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_plant *plant = at;
    mppi_scene_read_states(reader, node, plant->disturbance);
    for (uint32_t i = 0; i < reader->scene->model.states && mppi_scene_fine(reader); i++)
        if (plant->disturbance[i] < 0)
            hed_json_reject(node, "expected standard deviations, at least 0; found %g",
                (double)plant->disturbance[i]);
}

static const hed_field plant_rows[] = {
    {"parameters", "parameters of the plant's model that differ from the controller's", HED_AS_OTHER("values", run_read_parameters)},
    {"disturbance", "standard deviation of the normal noise that is added to the states in a second", HED_AS_OTHER("deviations", run_read_disturbance)},
    {"pushes", "sudden changes of the states", HED_AS_LIST(&mppi_push_fields, 0, MPPI_SCENE_PUSHES, run_read_pushes)},
    {"seed", "seed of the noise", HED_AS_INTEGER(hed_mppi_plant, seed, 0, INT64_MAX)},
    {0},
};
const hed_fields mppi_plant_fields = {"plant",
    "differences between the plant of the closed loop and the model that the controller has",
    .rows = plant_rows};

static const hed_field run_rows[] = {
    {"steps", "number of steps of the closed loop", HED_AS_INTEGER(hed_mppi_scene, run_steps, 1, 1000000000), .required = true},
    {"plant", NULL, HED_AS_OBJECT(hed_mppi_scene, plant, &mppi_plant_fields)},
    {0},
};
const hed_fields mppi_run_fields = {"run", "closed loop of controller and plant", .rows = run_rows};

/* ---- queries ---- */

hed_mppi_def hed_mppi_scene_def(const hed_mppi_scene *scene)
{
    if (!scene) return (hed_mppi_def){0};
    return scene->def;
}
const float *hed_mppi_scene_start(const hed_mppi_scene *scene)
{
    if (!scene) return NULL;
    return scene->starts ? scene->starts : scene->start;
}
uint32_t hed_mppi_scene_run_steps(const hed_mppi_scene *scene)
{
    if (!scene) return 0;
    return scene->run_steps;
}
hed_mppi_plant hed_mppi_scene_plant(const hed_mppi_scene *scene)
{
    if (!scene) return (hed_mppi_plant){0};
    return scene->plant;
}

/* Returns a normal number of step `step` for a state (Box and Muller 1958). */
static double plant_normal(const hed_mppi_plant *plant, uint32_t step, uint32_t state)
{
    enum { OF_STREAM = 32 }; /* states of a stream; not the limit, which may grow */
    uint32_t stream = 1 + state / OF_STREAM;
    uint64_t at = 2 * ((uint64_t)step * OF_STREAM + state % OF_STREAM);
    double a = (hed_sample_word(plant->seed, stream, at) + 1.0) * 0x1p-32;
    double b = hed_sample_word(plant->seed, stream, at + 1) * 0x1p-32;
    return sqrt(-2 * hed_strict_log(a)) * hed_strict_cos(6.283185307179586 * b);
}

void hed_mppi_plant_disturb(
    const hed_mppi_plant *plant, uint32_t states, double dt, uint32_t step, float *x)
{
    if (!plant || !x) return;
    for (uint32_t i = 0; i < states && i < HED_MPPI_MAX_STATES; i++)
        if (plant->disturbance[i] > 0)
            x[i] +=
                (float)((double)plant->disturbance[i] * sqrt(dt) * plant_normal(plant, step, i));
    for (uint32_t n = 0; n < plant->push_count; n++) {
        const hed_mppi_push *push = &plant->pushes[n];
        bool is_due = push->seconds >= step * dt && push->seconds < (step + 1) * dt;
        for (uint32_t i = 0; is_due && i < states; i++) x[i] += push->change[i];
    }
}
