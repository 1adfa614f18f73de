/* States and controls of a scene by name, and its run: the number of steps, and the differences
 * between the plant and the controller's model. */
#include "files/scene_parts.h"

#include <string.h>

const char *const mppi_scene_keys_control[] = {"sigma", "minimum", "maximum", "rate", NULL};
const char *const mppi_scene_keys_run[] = {"steps", "plant", NULL};
const char *const mppi_scene_keys_plant[] = {"parameters", "disturbance", "pushes", "seed", NULL};
const char *const mppi_scene_keys_push[] = {"at", "change", NULL};

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

void mppi_scene_read_controls(mppi_scene_reader *reader, hed_json_node object)
{
    hed_mppi_scene *scene = reader->scene;
    hed_mppi_def *def = &scene->def;
    memcpy(def->sigma, scene->model.sigma, sizeof def->sigma);
    memcpy(def->minimum, scene->model.minimum, sizeof def->minimum);
    memcpy(def->maximum, scene->model.maximum, sizeof def->maximum);
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        hed_json_only(node, mppi_scene_keys_control);
        uint32_t i = mppi_scene_find_name(
            reader, node, "control", scene->model.control_names, scene->model.controls, node.key);
        if (i == scene->model.controls) return;
        def->sigma[i] = (float)mppi_scene_number(node, "sigma", (double)def->sigma[i], 0, 3e38);
        def->minimum[i] =
            (float)mppi_scene_number(node, "minimum", (double)def->minimum[i], -3e38, 3e38);
        def->maximum[i] =
            (float)mppi_scene_number(node, "maximum", (double)def->maximum[i], -3e38, 3e38);
        def->rate[i] = (float)mppi_scene_number(node, "rate", 0, 0, 3e38);
    }
}

/* Reads the plant's parameters, which the controller does not see. */
static void run_read_parameters(mppi_scene_reader *reader, hed_json_node object)
{
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
    reader->scene->plant.settings = settings;
    reader->scene->plant.setting_count = count;
}

static void run_read_pushes(mppi_scene_reader *reader, hed_json_node array)
{
    uint32_t count = (uint32_t)hed_json_count(array);
    if (count > MPPI_SCENE_PUSHES)
        hed_json_reject(array, "expected at most %d pushes, found %u", MPPI_SCENE_PUSHES, count);
    hed_mppi_push *pushes = mppi_scene_new(reader, count, sizeof *pushes);
    for (uint32_t i = 0; i < count && mppi_scene_fine(reader); i++) {
        hed_json_node node = hed_json_item(array, i);
        hed_json_only(node, mppi_scene_keys_push);
        pushes[i].seconds = hed_json_number(hed_json_member(node, "at"), 0, 1e9);
        mppi_scene_read_states(reader, hed_json_member(node, "change"), pushes[i].change);
    }
    reader->scene->plant.pushes = pushes;
    reader->scene->plant.push_count = count;
}

void mppi_scene_read_run(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_scene *scene = reader->scene;
    hed_json_only(node, mppi_scene_keys_run);
    scene->run_steps = (uint32_t)hed_json_integer(hed_json_member(node, "steps"), 1, 1000000000);
    if (!hed_json_has(node, "plant")) return;
    hed_json_node plant = hed_json_member(node, "plant");
    hed_json_only(plant, mppi_scene_keys_plant);
    if (hed_json_has(plant, "parameters"))
        run_read_parameters(reader, hed_json_member(plant, "parameters"));
    if (hed_json_has(plant, "pushes")) run_read_pushes(reader, hed_json_member(plant, "pushes"));
    if (hed_json_has(plant, "seed"))
        scene->plant.seed =
            (uint64_t)hed_json_integer(hed_json_member(plant, "seed"), 0, INT64_MAX);
    if (!hed_json_has(plant, "disturbance")) return;
    hed_json_node disturbance = hed_json_member(plant, "disturbance");
    mppi_scene_read_states(reader, disturbance, scene->plant.disturbance);
    for (uint32_t i = 0; i < scene->model.states && mppi_scene_fine(reader); i++)
        if (scene->plant.disturbance[i] < 0)
            hed_json_reject(disturbance, "expected standard deviations, at least 0; found %g",
                (double)scene->plant.disturbance[i]);
}

hed_mppi_def hed_mppi_scene_def(const hed_mppi_scene *scene)
{
    if (!scene) return (hed_mppi_def){0};
    return scene->def;
}
const float *hed_mppi_scene_start(const hed_mppi_scene *scene)
{
    if (!scene) return NULL;
    return scene->start;
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
