/* Scene files: opening, the model, the terms, and the controller's options. */
#include "files/mppi_scene_parts.h"

#include "support/file.h"
#include "support/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source hed_mppi_scene_files[]; /* generated from scene.schema.json */

const char *hed_mppi_scene_schema(void) { return hed_mppi_scene_files[0].text; }

/* ---- lists of names, texts, parameters that a text of one's own has ---- */

/* Reads names: an array of texts, and their number as the second member. */
static void scene_read_names(const hed_field *field, hed_json_node array, void *at, void *user)
{
    size_t length = hed_field_length(field, array);
    const char **names = mppi_scene_new(user, length, sizeof *names);
    for (size_t i = 0; names && i < length; i++) {
        hed_json_node item = hed_json_item(array, i);
        names[i] = mppi_scene_text(user, hed_json_string(item));
        if (mppi_scene_fine(user) && (!names[i][0] || strlen(names[i]) > 48))
            hed_json_reject(
                item, "found a name of %zu characters, expected 1 to 48", strlen(names[i]));
    }
    *(uint32_t *)hed_field_second(field, at) = mppi_scene_fine(user) ? (uint32_t)length : 0;
    *(const char *const **)at = names;
}

/* Reads the text of a file; the second member is the file's name. */
static void scene_read_source(const hed_field *field, hed_json_node node, void *at, void *user)
{
    const char *path = mppi_scene_path(user, node);
    char *text = NULL;
    size_t size;
    hed_error error = {0};
    if (mppi_scene_fine(user)) hed_file_read(path, 1 << 20, &text, &size, &error);
    mppi_scene_keep(user, &error);
    if (!mppi_scene_fine(user)) return;
    if (memchr(text, 0, size)) hed_json_reject(node, "%s is no text: it holds a zero byte", path);
    *(const char **)at = mppi_scene_text(user, text);
    *(const char **)hed_field_second(field, at) = mppi_scene_text(user, hed_json_string(node));
    free(text);
}

/* Reads parameters of a user's text: "mass": 2, or "gains": [1, 2, 3]. Elements that differ from
 * the first become settings when the values are read. */
static void scene_read_declared(const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    uint32_t *count = hed_field_second(field, at);
    hed_mppi_parameter *parameters =
        mppi_scene_new(reader, HED_MPPI_MAX_PARAMETERS, sizeof *parameters);
    *count = 0;
    for (hed_json_node node = hed_json_next(object, NULL);
         parameters && mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        if (*count == HED_MPPI_MAX_PARAMETERS) {
            hed_json_reject(node, "expected at most %d parameters", HED_MPPI_MAX_PARAMETERS);
            break;
        }
        hed_mppi_parameter *p = &parameters[(*count)++];
        p->name = mppi_scene_text(reader, node.key);
        if (hed_json_kind_of(node) == HED_JSON_ARRAY) {
            p->length = (int32_t)hed_json_count(node);
            if (p->length < 1 || p->length > HED_MPPI_MAX_PARAMETERS)
                hed_json_reject(node, "expected 1 to %d numbers", HED_MPPI_MAX_PARAMETERS);
        } else p->value = (float)hed_json_number(node, -3e38, 3e38);
    }
    *(const hed_mppi_parameter **)at = parameters;
}

/* ---- values of parameters ---- */

/* Joins two names by a dot; if `first` is empty, returns `second`. */
static const char *scene_join(mppi_scene_reader *reader, const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 2;
    char *name = mppi_scene_new(reader, size, 1);
    if (name) snprintf(name, size, "%s%s%s", first, *first ? "." : "", second);
    return name ? name : "";
}

static void scene_set(
    mppi_scene_reader *reader, hed_json_node node, const char *prefix, const char *name)
{
    hed_mppi_scene *scene = reader->scene;
    float value = (float)hed_json_number(node, -3e38, 3e38);
    name = scene_join(reader, prefix, name);
    if (!mppi_scene_fine(reader)) return;
    if (scene->def.setting_count == HED_MPPI_MAX_PARAMETERS)
        hed_json_reject(node, "expected at most %d values of parameters", HED_MPPI_MAX_PARAMETERS);
    else scene->settings[scene->def.setting_count++] = (hed_mppi_setting){name, value};
}

/* Reads one parameter: a number; for an array a list, or an object with the names of states or
 * controls. A number for an array applies to every element. */
static void scene_read_parameter(
    mppi_scene_reader *reader, hed_json_node node, const char *prefix, const hed_mppi_parameter *p)
{
    const hed_mppi_model *m = &reader->scene->model;
    bool states = p->length == HED_MPPI_EACH_STATE, is_array = p->length < 0;
    uint32_t length = is_array ? states ? m->states : m->controls : (uint32_t)p->length;
    const char *const *names = is_array ? states ? m->state_names : m->control_names : NULL;
    hed_json_kind kind = hed_json_kind_of(node);
    if (length == 0) {
        scene_set(reader, node, prefix, p->name);
        return;
    }
    if (kind == HED_JSON_ARRAY && hed_json_count(node) != length) {
        hed_json_reject(node, "expected %u numbers, found %zu", length, hed_json_count(node));
        return;
    }
    hed_json_node item = kind == HED_JSON_OBJECT ? hed_json_next(node, NULL) : node;
    for (uint32_t i = 0; mppi_scene_fine(reader) && (kind == HED_JSON_OBJECT || i < length); i++) {
        char number[16];
        uint32_t element = i;
        if (kind == HED_JSON_OBJECT) {
            if (hed_json_kind_of(item) == HED_JSON_NOTHING) return;
            if (!names) {
                hed_json_reject(node, "expected a number or %u of them, found an object", length);
                return;
            }
            element = mppi_scene_find_name(
                reader, item, states ? "state" : "control", names, length, item.key);
            if (element == length) return;
        } else if (kind == HED_JSON_ARRAY) item = hed_json_item(node, i);
        snprintf(number, sizeof number, "%u", element);
        const char *name = scene_join(reader, p->name, names ? names[element] : number);
        scene_set(reader, item, prefix, name);
        if (kind == HED_JSON_OBJECT) item = hed_json_next(node, item.key);
    }
}

static void scene_read_parameters(mppi_scene_reader *reader, hed_json_node object,
    const char *prefix, const hed_mppi_parameter *parameters, uint32_t count)
{
    const char *names[HED_MPPI_MAX_PARAMETERS];
    for (uint32_t i = 0; i < count; i++) names[i] = parameters[i].name;
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        uint32_t i = mppi_scene_find_name(reader, node, "parameter", names, count, node.key);
        if (i < count) scene_read_parameter(reader, node, prefix, &parameters[i]);
    }
}

/* ---- the model ---- */

/* Reads the name of a state; stores its index. */
static void scene_read_state(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    const hed_mppi_model *m = &reader->scene->model;
    uint32_t state = mppi_scene_find_name(
        reader, node, "state", m->state_names, m->states, hed_json_string(node));
    *(int32_t *)at = state < m->states ? (int32_t)state : -1;
}

#define STATE(member) HED_MEMBER(hed_mppi_model, member), HED_AS_OTHER("state", scene_read_state)
static const hed_field pose_rows[] = {
    {"x", "position", STATE(pose_x)},
    {"y", "position", STATE(pose_y)},
    {"heading", "direction, rad", STATE(pose_heading)},
    {"speed", "speed forwards", STATE(speed)},
    {"turn", "rate of the heading", STATE(turn)},
    {"vx", "velocity along x", STATE(velocity_x)},
    {"vy", "velocity along y", STATE(velocity_y)},
    {0},
};
static const hed_fields pose_fields = {
    "pose", "states with a meaning, for the terms that depend on it", .rows = pose_rows};

static void scene_read_angles(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_mppi_model *m = at;
    size_t count = hed_field_length(field, node);
    for (size_t i = 0; i < count && mppi_scene_fine(user); i++) {
        int32_t state;
        scene_read_state(field, hed_json_item(node, i), &state, user);
        if (state >= 32) hed_json_reject(hed_json_item(node, i), "expected one of the first 32 states");
        else if (state >= 0) m->angles |= 1u << state;
    }
}

#define NAMES(type, member, counter, least, most) \
    HED_MEMBER(type, member), .kind = HED_FIELD_LIST, .form = "label", .low = (least), \
        .high = (most), .read = scene_read_names, .second = offsetof(type, counter)
#define SOURCE(type) \
    HED_MEMBER(type, text), HED_AS_OTHER("file", scene_read_source), .second = offsetof(type, file)
#define PARAMETERS(type, function) \
    HED_MEMBER(type, parameters), HED_AS_OTHER("parameters", function), \
        .second = offsetof(type, parameter_count)
static const hed_field model_rows[] = {
    {"source", "file with the text of model_step()", SOURCE(hed_mppi_model), .required = true},
    {"states", "names of the states, in the order of x", NAMES(hed_mppi_model, state_names, states, 1, HED_MPPI_MAX_STATES), .required = true},
    {"controls", "names of the controls, in the order of u",
        NAMES(hed_mppi_model, control_names, controls, 1, HED_MPPI_MAX_CONTROLS), .required = true},
    {"parameters", "parameters of the text, with their values", PARAMETERS(hed_mppi_model, scene_read_declared)},
    {"tables", "tables that the text reads", NAMES(hed_mppi_model, tables, table_count, 0, HED_MPPI_MAX_TABLES)},
    {"dt", "length of a step", HED_AS_NUMBER(hed_mppi_model, dt, 1e-9, 1e9, "s")},
    {"pose", NULL, HED_AS_PART(&pose_fields, NULL)},
    {"angles", "states that are angles", .kind = HED_FIELD_LIST, .form = "label",
        .high = HED_MPPI_MAX_STATES, .read = scene_read_angles},
    {0},
};
static const hed_mppi_model model_defaults = {.dt = 0.02f, .pose_x = -1, .pose_y = -1,
    .pose_heading = -1, .speed = -1, .turn = -1, .velocity_x = -1, .velocity_y = -1};
static const hed_fields model_fields = {"model", "model of your own", .rows = model_rows, .defaults = &model_defaults};

static void scene_read_model(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    if (hed_json_kind_of(node) == HED_JSON_OBJECT && hed_json_has(node, "mujoco")) {
        mppi_scene_read_mujoco(reader, node);
    } else if (hed_json_kind_of(node) == HED_JSON_OBJECT) {
        hed_mppi_model *m = &scene->model;
        *m = model_defaults;
        hed_fields_read(&model_fields, node, m, reader);
        m->name = m->file;
        if (mppi_scene_fine(reader) && hed_json_has(node, "parameters"))
            scene_read_parameters(
                reader, hed_json_member(node, "parameters"), "", m->parameters, m->parameter_count);
    } else {
        const char *names[64] = {NULL}, *typed = hed_json_string(node);
        for (uint32_t i = 0; i < 63 && hed_mppi_model_at(i); i++)
            names[i] = hed_mppi_model_at(i)->name;
        const hed_mppi_model *built_in = hed_mppi_model_find(typed);
        if (built_in) scene->model = *built_in;
        else if (mppi_scene_fine(reader)) mppi_scene_refuse_name(node, "model", names, typed);
    }
    memcpy(scene->start, scene->model.start, sizeof scene->start);
}

static void scene_read_model_values(
    const hed_field *field, hed_json_node node, void *at, void *user)
{
    const hed_mppi_model *m = &((hed_mppi_scene *)at)->model;
    scene_read_parameters(user, node, "", m->parameters, m->parameter_count);
}

/* ---- the terms ---- */

/* Begins a term of the user's own, whose name is part of a function's. */
static void scene_own_term(
    mppi_scene_reader *reader, hed_json_node name, const char *typed, hed_mppi_term *term)
{
    *term = (hed_mppi_term){.name = mppi_scene_text(reader, typed), .weight = 1};
    for (const char *c = typed; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '_')
            hed_json_reject(
                name, "expected a name of a-z, 0-9 and _: it stands for NAME in term_NAME()");
}

static void scene_read_term_parameters(
    const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    if (reader->own_term) scene_read_declared(field, node, at, user);
    if (mppi_scene_fine(reader))
        scene_read_parameters(reader, node, reader->term, *(const hed_mppi_parameter **)at,
            *(uint32_t *)hed_field_second(field, at));
}

static const char *const words_when[] = {"running", "terminal", "always", NULL};
static const hed_field term_rows[] = {
    {"term", "name of one of Heddle's terms, or of your own", .kind = HED_FIELD_TEXT, .required = true},
    {"source", "file with the text of term_NAME(), for a term of your own", SOURCE(hed_mppi_term)},
    {"weight", "factor of the cost; the term's by default", HED_AS_NUMBER(hed_mppi_term, weight, -1e30, 1e30, NULL)},
    {"when", "steps whose cost counts: each, the last one, or both", HED_AS_CHOICE(hed_mppi_term, when, words_when)},
    {"parameters", "parameters of the term", PARAMETERS(hed_mppi_term, scene_read_term_parameters)},
    {"tables", "tables that a text of your own reads", NAMES(hed_mppi_term, tables, table_count, 0, HED_MPPI_MAX_TABLES)},
    {0},
};
static const hed_fields term_fields = {"term", NULL, .rows = term_rows};

static void scene_read_term(mppi_scene_reader *reader, hed_json_node node, hed_mppi_term *term)
{
    hed_fields_only(&term_fields, node);
    hed_json_node name = hed_json_member(node, "term");
    const char *typed = hed_json_string(name);
    const hed_mppi_term *known_term = hed_mppi_term_find(typed);
    reader->own_term = hed_json_has(node, "source");
    if (reader->own_term) {
        scene_own_term(reader, name, typed, term);
    } else if (known_term) {
        *term = *known_term;
        if (hed_json_has(node, "tables"))
            hed_json_reject(node, "tables are for a term with a source of its own");
    } else if (mppi_scene_fine(reader)) {
        const char *names[64] = {NULL};
        for (uint32_t i = 0; i < 63 && hed_mppi_term_at(i); i++)
            names[i] = hed_mppi_term_at(i)->name;
        mppi_scene_refuse_name(name, "term", names, typed);
    }
    reader->term = typed;
    hed_fields_read(&term_fields, node, term, reader);
}

static void scene_read_terms(const hed_field *field, hed_json_node array, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    size_t count = hed_field_length(field, array);
    for (size_t i = 0; mppi_scene_fine(reader) && i < count; i++) {
        hed_json_node node = hed_json_item(array, i);
        scene_read_term(reader, node, &scene->terms[i]);
        for (size_t k = 0; k < i && mppi_scene_fine(reader); k++)
            if (strcmp(scene->terms[k].name, scene->terms[i].name) == 0)
                hed_json_reject(node, "there is already a term \"%s\"", scene->terms[k].name);
        scene->def.term_count = (uint32_t)i + 1;
    }
}

/* ---- the whole ---- */

static const hed_field scene_rows[] = {
    {"$schema", "schema, for editors", .kind = HED_FIELD_TEXT},
    {"description", "text for readers", .kind = HED_FIELD_TEXT},
    {"model", "system to control", HED_AS_OTHER("model_or_name", scene_read_model), .required = true},
    {"parameters", "parameters of the model", HED_AS_OTHER("parameters", scene_read_model_values)},
    {"terms", "sum of the cost; may be missing if sensors of a model of MuJoCo's have costs", HED_AS_LIST(&term_fields, 1, HED_MPPI_MAX_TERMS, scene_read_terms)},
    {"controls", "noise and limits of controls", HED_AS_OTHER("controls", mppi_scene_read_controls)},
    {"start", "states at the start; missing ones are the model's", HED_MEMBER(hed_mppi_scene, start), HED_AS_OTHER("states", mppi_scene_read_start)},
    {"controller", NULL, HED_AS_OBJECT(hed_mppi_scene, def, &mppi_controller_fields)},
    {"run", NULL, HED_AS_PART(&mppi_run_fields, NULL)},
    {"tables", "tables of numbers, for texts that read them", HED_AS_OTHER("tables", mppi_scene_read_tables)},
    {"map", NULL, HED_AS_PART(&mppi_map_fields, mppi_scene_read_map)},
    {"obstacles", "discs that move",
        HED_AS_LIST(&mppi_obstacle_fields, 1, MPPI_SCENE_OBSTACLES, mppi_scene_read_obstacles)},
    {"path", NULL, HED_AS_PART(&mppi_path_fields, mppi_scene_read_path)},
    {"timelines", "parameters of terms that change with time, such as goal.x", HED_AS_OTHER("timelines", mppi_scene_read_timelines)},
    {"robots", "robots of a fleet, which one solve controls, instead of one robot",
        HED_AS_LIST(&mppi_robot_fields, 1, MPPI_SCENE_ROBOTS, mppi_scene_read_robots)},
    {0},
};
static const hed_fields scene_fields = {"", NULL, .rows = scene_rows};

static const hed_fields *const scene_tables[] = {&scene_fields, &model_fields, &pose_fields,
    &mppi_mujoco_fields, &mppi_sensor_fields, &term_fields, &mppi_control_fields, &mppi_map_fields,
    &mppi_obstacle_fields, &mppi_path_fields, &mppi_timeline_fields, &mppi_robot_fields,
    &mppi_controller_fields, &mppi_run_fields, &mppi_plant_fields, &mppi_push_fields, NULL};

#define NUMBERS "{'type': 'array', 'items': {'type': 'number'}}"
#define NUMBERS_BY_NAME "{'type': 'object', 'additionalProperties': {'type': 'number'}}"
static const hed_form scene_forms[] = {
    {"file", "name of a file, relative to this one", "'type': 'string', 'minLength': 1"},
    {"label", "texts of 1 to 48 bytes", "'type': 'string', 'minLength': 1, 'maxLength': 48"},
    {"state", "name of a state", "'type': 'string'"},
    {"point", "points [x, y] within 1000 km of the origin, m", "'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'type': 'number', 'minimum': -1000000, 'maximum': 1000000}"},
    {"states", "numbers of all states in order, or object of numbers by the names of states", "'anyOf': [" NUMBERS ", " NUMBERS_BY_NAME "]"},
    {"deviations", "as states; at least 0", "'anyOf': [{'type': 'array', 'items': {'type': 'number', 'minimum': 0}}, {'type': 'object', 'additionalProperties': {'type': 'number', 'minimum': 0}}]"},
    {"values", "object of numbers by the names of parameters", "'type': 'object', 'additionalProperties': {'type': 'number'}"},
    {"parameters", "object by the names of parameters: a number; for an array a number (of every element), a list, or an object by the names of states or controls", "'type': 'object', 'additionalProperties': {'anyOf': [{'type': 'number'}, " NUMBERS ", " NUMBERS_BY_NAME "]}"},
    {"model_or_name", "name of one of Heddle's models, or `model`, or `mujoco`", "'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/model'}, {'$ref': '#/$defs/mujoco'}]"},
    {"number_or_numbers", "number, or list of numbers", "'anyOf': [{'type': 'number'}, {'type': 'array', 'minItems': 1, 'maxItems': 32, 'items': {'type': 'number'}}]"},
    {"sensors", "object of `sensor` by the names of sensors", "'type': 'object', 'additionalProperties': {'$ref': '#/$defs/sensor'}"},
    {"controls", "object of `control` by the names of controls", "'type': 'object', 'additionalProperties': {'$ref': '#/$defs/control'}"},
    {"timelines", "object of `timeline` by the names of parameters: TERM.PARAMETER or TERM.PARAMETER.STATE", "'type': 'object', 'additionalProperties': {'$ref': '#/$defs/timeline'}"},
    {"tables", "object by the names of tables: a list of numbers, or the name of an npy file", "'type': 'object', 'additionalProperties': {'anyOf': [{'type': 'string', 'minLength': 1}, {'type': 'array', 'minItems': 1, 'items': {'type': 'number'}}]}"},
    {0},
};

const hed_document mppi_scene_document = {"Heddle mppi scene",
    "A system, the cost of its motion, and the controller: heddle mppi run FILE. Units are those of the model "
    "and its terms (heddle mppi models lists them). Names of files are relative to this one.",
    scene_tables, scene_forms};

static void scene_read(mppi_scene_reader *reader)
{
    hed_mppi_scene *scene = reader->scene;
    scene->def = hed_default_mppi_def();
    scene->place = UINT32_MAX;
    hed_fields_read(&scene_fields, hed_json_root(reader->json), scene, reader);
    bool has_cost =
        scene->def.term_count || (scene->mujoco && mppi_mujoco_cost_count(scene->mujoco));
    if (mppi_scene_fine(reader) && !has_cost)
        hed_json_reject(hed_json_root(reader->json), "%s",
            scene->mujoco ? "there is no cost: no sensor has user=\"NORM WEIGHT\"; expected one, or a scene with "
                            "\"terms\" or \"sensors\" (docs/mppi-mujoco.md)"
                          : "\"terms\" is missing");
    if (mppi_scene_fine(reader)) mppi_scene_start_world(reader);
    scene->def.model = &scene->model;
    scene->def.terms = scene->terms;
    scene->def.tables = scene->tables;
    scene->def.settings = scene->settings;
    scene->def.timelines = scene->timelines;
    if (scene->robot_count) scene->def.count = scene->robot_count;
}

/* Builds a scene from a document and frees the document. */
static hed_status scene_load(
    hed_json *json, const char *name, const char *folder, hed_mppi_scene **scene, hed_error *error)
{
    hed_mppi_scene *created = calloc(1, sizeof *created);
    mppi_scene_reader reader = {.scene = created, .json = json, .folder = folder};
    hed_status status = HED_ERROR_MEMORY;
    if (!created) {
        hed_fail(error, status, "out of memory for %s", name);
    } else {
        created->arena.owner = "scene";
        scene_read(&reader);
        status = hed_json_status(json, error);
    }
    hed_json_free(json);
    if (status == HED_OK) *scene = created;
    else hed_mppi_scene_close(created);
    return status;
}

/* Reads a scene's document; a file of MuJoCo's is the whole scene. */
static hed_status scene_read_file(const char *path, hed_json **json, hed_error *error)
{
    if (!mppi_scene_is_mujoco(path)) return hed_json_read(path, json, error);
    char *text = mppi_scene_of_mujoco(path);
    hed_status status = text ? hed_json_parse(path, text, strlen(text), json, error)
                             : HED_OUT_OF_MEMORY(error, "%s", path);
    free(text);
    return status;
}

hed_status hed_mppi_scene_open(const char *path, hed_mppi_scene **scene, hed_error *error)
{
    HED_REQUIRE(path, scene);
    *scene = NULL;
    hed_json *json;
    hed_status status = scene_read_file(path, &json, error);
    if (status != HED_OK) return status;
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash ? (size_t)(slash - path) + (slash == path) : 0);
    if (!folder) {
        hed_json_free(json);
        return HED_OUT_OF_MEMORY(error, "%s", path);
    }
    status = scene_load(json, path, folder, scene, error);
    free(folder);
    return status;
}

hed_status hed_mppi_scene_parse(const char *text, size_t size, const char *name, const char *folder,
    hed_mppi_scene **scene, hed_error *error)
{
    HED_REQUIRE(name, text || !size, folder, scene);
    *scene = NULL;
    hed_json *json;
    hed_status status = hed_json_parse(name, text, size, &json, error);
    return status == HED_OK ? scene_load(json, name, folder, scene, error) : status;
}

void hed_mppi_scene_close(hed_mppi_scene *scene)
{
    if (!scene) return;
    mppi_mujoco_close(scene->mujoco);
    hed_arena_free(&scene->arena);
    free(scene);
}
