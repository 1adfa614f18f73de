/* Models of MuJoCo's in scenes: the file, the start, the costs of sensors. */
#include "files/mppi_scene_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sensors ---- */

static void sensor_read_target(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_sensor_cost *cost = at;
    (void)field, (void)user;
    if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
        size_t count = hed_json_count(node);
        if (count < 1 || count > MPPI_MUJOCO_VALUES) {
            hed_json_reject(node, "expected 1 to %d numbers, found %zu", MPPI_MUJOCO_VALUES, count);
            return;
        }
        hed_json_numbers(node, cost->target, count, -1e30, 1e30);
        cost->target_count = (uint32_t)count;
    } else {
        cost->target[0] = hed_json_number(node, -1e30, 1e30);
        cost->target_count = 1;
    }
}

static const char *const norm_words[] = {"value", "quadratic", "l22", "l2", "cosh", "power",
    "smooth_abs", "smooth_abs2", "rectify", NULL};
static const hed_field sensor_rows[] = {
    {"weight", "factor of the cost", HED_AS_NUMBER(mppi_sensor_cost, weight, -1e30, 1e30, NULL), .required = true},
    {"norm", "function of the value less the target", HED_AS_CHOICE(mppi_sensor_cost, norm, norm_words)},
    {"p", "first parameter of the norm", HED_AS_NUMBER(mppi_sensor_cost, p, 0, 1e30, NULL)},
    {"q", "second parameter of the norm", HED_AS_NUMBER(mppi_sensor_cost, q, 0, 1e30, NULL)},
    {"target", "value without cost", .kind = HED_FIELD_OTHER, .form = "number_or_numbers", .size = 1, .read = sensor_read_target},
    {0},
};
static const mppi_sensor_cost sensor_defaults = {
    .norm = MPPI_NORM_QUADRATIC, .weight = 1, .p = 0.1, .q = 2};
const hed_fields mppi_sensor_fields = {"sensor", "cost of a sensor: weight times a norm", .rows = sensor_rows, .defaults = &sensor_defaults};

static void scene_read_sensors(mppi_scene_reader *reader, hed_json_node object)
{
    const char *names[256];
    uint32_t count = 0;
    for (const char *name;
         count < 255 && (name = mppi_mujoco_sensor(reader->scene->mujoco, count));)
        names[count++] = name;
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        hed_error error = {0};
        mppi_sensor_cost cost = sensor_defaults;
        cost.sensor = node.key;
        if (mppi_scene_find_name(reader, node, "sensor", names, count, node.key) == count) return;
        hed_fields_read(&mppi_sensor_fields, node, &cost, reader);
        if (!mppi_scene_fine(reader)) return;
        if (mppi_mujoco_add_cost(reader->scene->mujoco, &cost, &error))
            hed_json_reject(node, "%s", error.text);
    }
}

/* ---- the model ---- */

typedef struct mujoco_request {
    const char *path, *keyframe;
    double dt;
} mujoco_request;

static void mujoco_read_path(const hed_field *field, hed_json_node node, void *at, void *user)
{
    (void)field;
    *(const char **)at = mppi_scene_path(user, node);
}

static const hed_field mujoco_rows[] = {
    {"mujoco", "file of MJCF or URDF", HED_MEMBER(mujoco_request, path),
        HED_AS_OTHER("file", mujoco_read_path), .required = true},
    {"keyframe", "name of the keyframe at which it starts; \"home\" or the first by default",
        HED_MEMBER(mujoco_request, keyframe), .kind = HED_FIELD_TEXT},
    {"dt",
        "length of a step, rounded to steps of the simulation; the file's agent_timestep, else 0.01 by default",
        HED_AS_NUMBER(mujoco_request, dt, 1e-9, 1e9, "s")},
    {"sensors", "costs of sensors, in addition to those in the file", .kind = HED_FIELD_OTHER,
        .form = "sensors"},
    {0},
};
const hed_fields mppi_mujoco_fields = {"mujoco", "model of MuJoCo's, simulated on the processor", .rows = mujoco_rows};

void mppi_scene_read_mujoco(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_scene *scene = reader->scene;
    mujoco_request request = {0};
    hed_error error = {0};
    hed_fields_read(&mppi_mujoco_fields, node, &request, reader);
    if (!mppi_scene_fine(reader)) return;
    mppi_mujoco_open(request.path, request.keyframe, request.dt, &scene->mujoco, &error);
    mppi_scene_keep(reader, &error);
    if (!mppi_scene_fine(reader)) return;
    scene->model = *mppi_mujoco_model(scene->mujoco);
    mppi_mujoco_options(scene->mujoco, &scene->def);
    if (hed_json_has(node, "sensors")) scene_read_sensors(reader, hed_json_member(node, "sensors"));
}

/* ---- a file alone ---- */

bool mppi_scene_is_mujoco(const char *path)
{
    static const char *const endings[] = {".xml", ".mjcf", ".urdf"};
    size_t length = strlen(path);
    bool is = false;
    for (size_t i = 0; i < HED_COUNT(endings); i++) {
        size_t size = strlen(endings[i]);
        is = is || (length > size && strcmp(path + length - size, endings[i]) == 0);
    }
    return is;
}

char *mppi_scene_of_mujoco(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *text = malloc(2 * strlen(name) + 64), *to = text;
    if (!text) return NULL;
    to = stpcpy(to, "{\"model\": {\"mujoco\": \"");
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\') *to++ = '\\';
        *to++ = *c;
    }
    stpcpy(to, "\"}}");
    return text;
}
