/* Scene files: opening, the model, the terms, and the controller's options. */
#include "files/scene_parts.h"

#include "support/file.h"
#include "support/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const hed_source hed_mppi_scene_files[]; /* generated from scene.schema.json */

const char *hed_mppi_scene_schema(void) { return hed_mppi_scene_files[0].text; }

/* ---- the keys ---- */

#define KEYS(name, ...) static const char *const name[] = {__VA_ARGS__, NULL}
KEYS(keys_scene, "$schema", "description", "model", "parameters", "terms", "tables", "map",
    "obstacles", "path", "controls", "start", "controller", "run");
KEYS(keys_model, "source", "states", "controls", "parameters", "tables", "pose", "angles", "dt");
KEYS(keys_pose, "x", "y", "heading", "speed", "turn", "vx", "vy");
KEYS(keys_term, "term", "source", "weight", "when", "parameters", "tables");

/* Numeric options of the controller: member of the definition and valid range. */
typedef enum option_kind { WHOLE, REAL, SWITCH } option_kind;
typedef struct scene_option {
    const char *key;
    option_kind kind;
    size_t offset;
    double low, high;
} scene_option;
#define OPTION(member, kind, low, high) \
    { \
#member, kind, offsetof(hed_mppi_def, member), low, high \
    }
static const scene_option scene_options[] = {
    OPTION(samples, WHOLE, 1, 1 << 24),
    OPTION(steps, WHOLE, 1, HED_MPPI_MAX_STEPS),
    OPTION(dt, REAL, 1e-9, 1e9),
    OPTION(iterations, WHOLE, 1, 1000),
    OPTION(blocks, WHOLE, 1, 64),
    OPTION(lambda, REAL, 1e-30, 1e30),
    OPTION(alpha, REAL, 0, 1),
    OPTION(elite, REAL, 1e-9, 1),
    OPTION(tsallis_r, REAL, 1.0001, 1e6),
    OPTION(tsallis_threshold, REAL, 1e-30, 1e30),
    OPTION(ess_target, REAL, 0, 1e9),
    OPTION(crash_cost, REAL, 0, 3e38),
    OPTION(offset_decay, REAL, 0, 1),
    OPTION(log_sigma, REAL, 0, 10),
    OPTION(knots, WHOLE, 2, HED_MPPI_MAX_STEPS),
    OPTION(kernel_width, REAL, 1e-6, 1e6),
    OPTION(pure_noise, REAL, 0, 1),
    OPTION(keep_plan, SWITCH, 0, 1),
    OPTION(committed, WHOLE, 0, HED_MPPI_MAX_STEPS),
    OPTION(delay, WHOLE, 0, HED_MPPI_MAX_DELAY),
    OPTION(smooth, SWITCH, 0, 1),
    OPTION(smooth_weight, REAL, 0, 1e30),
    OPTION(rollouts, WHOLE, 1, HED_MPPI_MAX_ROLLOUTS),
    OPTION(risk_level, REAL, 0, 1),
    OPTION(nominal_threshold, REAL, -1e30, 1e30),
    OPTION(value_threshold, REAL, -1e30, 1e30),
    OPTION(candidates, WHOLE, 3, 1024),
    OPTION(candidate_samples, WHOLE, 1, 1 << 20),
};

/* Words of the controller's enumerations, in the order of the enumerators. */
KEYS(words_kind, "mppi", "tube", "rmppi");
KEYS(words_scale, "mean", "sum");
KEYS(words_sampler, "gaussian", "coloured", "log_normal", "spline", "support_points");
KEYS(words_update, "exponential", "elite", "tsallis");
KEYS(words_tail, "hold", "zero");
KEYS(words_risk, "expected", "value_at_risk", "conditional_value_at_risk");
KEYS(words_when, "running", "terminal", "always");

/* All keys of the controller: those of `scene_options`, then the others. */
KEYS(keys_controller, "samples", "steps", "dt", "iterations", "blocks", "lambda", "alpha", "elite",
    "tsallis_r", "tsallis_threshold", "ess_target", "crash_cost", "offset_decay", "log_sigma",
    "knots", "kernel_width", "pure_noise", "keep_plan", "committed", "delay", "smooth",
    "smooth_weight", "rollouts", "risk_level", "nominal_threshold", "value_threshold", "candidates",
    "candidate_samples", "kind", "scale", "sampler", "update", "tail", "risk", "seed",
    "deadline_ms", "exponent", "covariance", "disturbance", "track_state", "track_control",
    "track_final");

const mppi_scene_keys mppi_scene_key_lists[] = {
    {"", keys_scene},
    {"model", keys_model},
    {"pose", keys_pose},
    {"term", keys_term},
    {"control", mppi_scene_keys_control},
    {"map", mppi_scene_keys_map},
    {"obstacle", mppi_scene_keys_obstacle},
    {"path", mppi_scene_keys_path},
    {"controller", keys_controller},
    {"run", mppi_scene_keys_run},
    {"plant", mppi_scene_keys_plant},
    {"push", mppi_scene_keys_push},
    {NULL, NULL},
};

/* ---- functions common to the parts ---- */

bool mppi_scene_fine(const mppi_scene_reader *reader)
{
    return !hed_failed(&reader->error) && hed_json_status(reader->json, NULL) == HED_OK;
}

void *mppi_scene_new(mppi_scene_reader *reader, uint64_t count, size_t size)
{
    if (!mppi_scene_fine(reader)) return NULL;
    return hed_arena_new(&reader->scene->arena, count ? count : 1, size, &reader->error);
}

const char *mppi_scene_text(mppi_scene_reader *reader, const char *text)
{
    char *copy = mppi_scene_fine(reader)
                     ? hed_arena_text(&reader->scene->arena, text, &reader->error)
                     : NULL;
    return copy ? copy : "";
}

const char *mppi_scene_path(mppi_scene_reader *reader, hed_json_node node)
{
    const char *file = hed_json_string(node);
    if (!mppi_scene_fine(reader)) return "";
    if (!file[0]) hed_json_reject(node, "expected the name of a file, found \"\"");
    if (file[0] == '/' || !reader->folder[0]) return mppi_scene_text(reader, file);
    size_t size = strlen(reader->folder) + strlen(file) + 2;
    char *path = mppi_scene_new(reader, size, 1);
    if (path) snprintf(path, size, "%s/%s", reader->folder, file);
    return path ? path : "";
}

double mppi_scene_number(
    hed_json_node object, const char *key, double otherwise, double low, double high)
{
    return hed_json_has(object, key) ? hed_json_number(hed_json_member(object, key), low, high)
                                     : otherwise;
}

bool mppi_scene_boolean(hed_json_node object, const char *key, bool otherwise)
{
    return hed_json_has(object, key) ? hed_json_boolean(hed_json_member(object, key)) : otherwise;
}

void mppi_scene_add_table(mppi_scene_reader *reader, hed_json_node place, const char *name,
    const float *values, uint64_t count)
{
    hed_mppi_scene *scene = reader->scene;
    name = mppi_scene_text(reader, name);
    if (!mppi_scene_fine(reader)) return;
    for (uint32_t i = 0; i < scene->def.table_count; i++)
        if (strcmp(scene->tables[i].name, name) == 0)
            hed_json_reject(place, "there is already a table \"%s\"", name);
    if (scene->def.table_count == HED_MPPI_MAX_TABLES)
        hed_json_reject(place, "expected at most %d tables", HED_MPPI_MAX_TABLES);
    if (count > MPPI_SCENE_TABLE)
        hed_json_reject(place, "a table of %llu numbers: at most %d are read",
            (unsigned long long)count, MPPI_SCENE_TABLE);
    if (mppi_scene_fine(reader))
        scene->tables[scene->def.table_count++] =
            (hed_mppi_table){name, values, (uint32_t)count, (uint32_t)count};
}

static bool scene_text_reads(const char *const *tables, uint32_t count, const char *table)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(tables[i], table) == 0) return true;
    return false;
}

bool mppi_scene_reads(const hed_mppi_scene *scene, const char *table)
{
    bool reads = scene_text_reads(scene->model.tables, scene->model.table_count, table);
    for (uint32_t i = 0; i < scene->def.term_count; i++)
        reads =
            reads || scene_text_reads(scene->terms[i].tables, scene->terms[i].table_count, table);
    return reads;
}

/* ---- lists of names, texts, parameters that a text of one's own has ---- */

static const char *const *scene_read_names(
    mppi_scene_reader *reader, hed_json_node array, size_t low, size_t high, uint32_t *count)
{
    size_t length = hed_json_count(array);
    if (mppi_scene_fine(reader) && (length < low || length > high))
        hed_json_reject(array, "expected %zu to %zu names, found %zu", low, high, length);
    const char **names = mppi_scene_new(reader, length, sizeof *names);
    for (size_t i = 0; names && i < length; i++) {
        hed_json_node item = hed_json_item(array, i);
        names[i] = mppi_scene_text(reader, hed_json_string(item));
        if (mppi_scene_fine(reader) && (!names[i][0] || strlen(names[i]) > 48))
            hed_json_reject(
                item, "found a name of %zu characters, expected 1 to 48", strlen(names[i]));
    }
    *count = mppi_scene_fine(reader) ? (uint32_t)length : 0;
    return names;
}

static const char *scene_read_source(mppi_scene_reader *reader, hed_json_node node)
{
    const char *path = mppi_scene_path(reader, node);
    char *text = NULL;
    size_t size;
    if (!mppi_scene_fine(reader) ||
        hed_file_read(path, 1 << 20, &text, &size, &reader->error) != HED_OK)
        return NULL;
    if (memchr(text, 0, size)) hed_json_reject(node, "%s is no text: it holds a zero byte", path);
    const char *copy = mppi_scene_text(reader, text);
    free(text);
    return copy;
}

/* Reads parameters of a user's text: "mass": 2, or "gains": [1, 2, 3]. Elements that differ from
 * the first become settings when the values are read. */
static const hed_mppi_parameter *scene_read_declared(
    mppi_scene_reader *reader, hed_json_node object, uint32_t *count)
{
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
    return parameters;
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

/* Rejects a name, with a list of names for "did you mean". */
static void scene_refuse_name(
    hed_json_node node, const char *subject, const char *const *names, const char *typed)
{
    const char *suggestion = hed_nearest(typed, names);
    hed_json_reject(node, "there is no %s \"%s\"%s%s%s", subject, typed,
        suggestion ? "; did you mean \"" : "", suggestion ? suggestion : "", suggestion ? "\"?" : "");
}

uint32_t mppi_scene_find_name(mppi_scene_reader *reader, hed_json_node node, const char *subject,
    const char *const *names, uint32_t count, const char *typed)
{
    if (!mppi_scene_fine(reader)) return count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], typed) == 0) return i;
    const char *list[HED_MPPI_MAX_PARAMETERS + 1] = {NULL};
    for (uint32_t i = 0; i < count && i < HED_MPPI_MAX_PARAMETERS; i++) list[i] = names[i];
    scene_refuse_name(node, subject, list, typed);
    return count;
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

/* Returns the index of the state named under `key`; -1: no such key. */
static int32_t scene_read_state(mppi_scene_reader *reader, hed_json_node pose, const char *key)
{
    const hed_mppi_model *m = &reader->scene->model;
    if (!hed_json_has(pose, key)) return -1;
    hed_json_node node = hed_json_member(pose, key);
    uint32_t state = mppi_scene_find_name(
        reader, node, "state", m->state_names, m->states, hed_json_string(node));
    return state < m->states ? (int32_t)state : -1;
}

static void scene_read_own_model(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_model *m = &reader->scene->model;
    hed_json_only(node, keys_model);
    hed_json_node source = hed_json_member(node, "source");
    m->text = scene_read_source(reader, source);
    m->name = m->file = mppi_scene_text(reader, hed_json_string(source));
    m->state_names = scene_read_names(
        reader, hed_json_member(node, "states"), 1, HED_MPPI_MAX_STATES, &m->states);
    m->control_names = scene_read_names(
        reader, hed_json_member(node, "controls"), 1, HED_MPPI_MAX_CONTROLS, &m->controls);
    if (hed_json_has(node, "parameters"))
        m->parameters =
            scene_read_declared(reader, hed_json_member(node, "parameters"), &m->parameter_count);
    if (hed_json_has(node, "tables"))
        m->tables = scene_read_names(
            reader, hed_json_member(node, "tables"), 0, HED_MPPI_MAX_TABLES, &m->table_count);
    m->dt = (float)mppi_scene_number(node, "dt", 0.02, 1e-9, 1e9);
    m->pose_x = m->pose_y = m->pose_heading = m->speed = m->turn = -1;
    m->velocity_x = m->velocity_y = -1;
    if (hed_json_has(node, "pose")) {
        hed_json_node pose = hed_json_member(node, "pose");
        hed_json_only(pose, keys_pose);
        int32_t *const places[] = {&m->pose_x, &m->pose_y, &m->pose_heading, &m->speed, &m->turn,
            &m->velocity_x, &m->velocity_y};
        for (int i = 0; keys_pose[i]; i++)
            *places[i] = scene_read_state(reader, pose, keys_pose[i]);
    }
    hed_json_node angles = node;
    size_t count = 0;
    if (hed_json_has(node, "angles")) {
        angles = hed_json_member(node, "angles");
        count = hed_json_count(angles);
    }
    for (size_t i = 0; i < count && mppi_scene_fine(reader); i++) {
        hed_json_node item = hed_json_item(angles, i);
        uint32_t state = mppi_scene_find_name(
            reader, item, "state", m->state_names, m->states, hed_json_string(item));
        if (state < m->states) m->angles |= 1u << state;
    }
    if (mppi_scene_fine(reader) && hed_json_has(node, "parameters"))
        scene_read_parameters(
            reader, hed_json_member(node, "parameters"), "", m->parameters, m->parameter_count);
}

static void scene_read_model(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_scene *scene = reader->scene;
    if (hed_json_kind_of(node) == HED_JSON_OBJECT) {
        scene_read_own_model(reader, node);
    } else {
        const char *names[64] = {NULL}, *typed = hed_json_string(node);
        for (uint32_t i = 0; i < 63 && hed_mppi_model_at(i); i++)
            names[i] = hed_mppi_model_at(i)->name;
        const hed_mppi_model *built_in = hed_mppi_model_find(typed);
        if (built_in) scene->model = *built_in;
        else if (mppi_scene_fine(reader)) scene_refuse_name(node, "model", names, typed);
    }
    memcpy(scene->start, scene->model.start, sizeof scene->start);
}

/* ---- the terms ---- */

static void scene_read_term(mppi_scene_reader *reader, hed_json_node node, hed_mppi_term *term)
{
    hed_json_only(node, keys_term);
    hed_json_node name = hed_json_member(node, "term");
    const char *typed = hed_json_string(name);
    bool has_source = hed_json_has(node, "source"), has_parameters = hed_json_has(node, "parameters");
    if (has_source) {
        *term = (hed_mppi_term){.name = mppi_scene_text(reader, typed), .weight = 1};
        for (const char *c = typed; *c; c++)
            if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '_')
                hed_json_reject(name, "expected a name of a-z, 0-9 and _: it stands for NAME in "
                                      "term_NAME()");
        term->text = scene_read_source(reader, hed_json_member(node, "source"));
        term->file = mppi_scene_text(reader, hed_json_string(hed_json_member(node, "source")));
        if (has_parameters)
            term->parameters = scene_read_declared(
                reader, hed_json_member(node, "parameters"), &term->parameter_count);
        if (hed_json_has(node, "tables"))
            term->tables = scene_read_names(reader, hed_json_member(node, "tables"), 0,
                HED_MPPI_MAX_TABLES, &term->table_count);
    } else {
        const char *names[64] = {NULL};
        for (uint32_t i = 0; i < 63 && hed_mppi_term_at(i); i++)
            names[i] = hed_mppi_term_at(i)->name;
        const hed_mppi_term *known_term = hed_mppi_term_find(typed);
        if (known_term) *term = *known_term;
        else if (mppi_scene_fine(reader)) scene_refuse_name(name, "term", names, typed);
        if (hed_json_has(node, "tables"))
            hed_json_reject(node, "tables are for a term with a source of its own");
    }
    term->weight = (float)mppi_scene_number(node, "weight", (double)term->weight, -1e30, 1e30);
    if (hed_json_has(node, "when"))
        term->when = (hed_mppi_when)hed_json_choice(hed_json_member(node, "when"), words_when);
    if (has_parameters && mppi_scene_fine(reader))
        scene_read_parameters(reader, hed_json_member(node, "parameters"), term->name,
            term->parameters, term->parameter_count);
}

static void scene_read_terms(mppi_scene_reader *reader, hed_json_node array)
{
    hed_mppi_scene *scene = reader->scene;
    size_t count = hed_json_count(array);
    if (mppi_scene_fine(reader) && (count == 0 || count > HED_MPPI_MAX_TERMS))
        hed_json_reject(array, "expected 1 to %d terms, found %zu", HED_MPPI_MAX_TERMS, count);
    for (size_t i = 0; mppi_scene_fine(reader) && i < count; i++) {
        hed_json_node node = hed_json_item(array, i);
        scene_read_term(reader, node, &scene->terms[i]);
        for (size_t k = 0; k < i && mppi_scene_fine(reader); k++)
            if (strcmp(scene->terms[k].name, scene->terms[i].name) == 0)
                hed_json_reject(node, "there is already a term \"%s\"", scene->terms[k].name);
        scene->def.term_count = (uint32_t)i + 1;
    }
}

/* ---- the controller ---- */

static void scene_read_floats(mppi_scene_reader *reader, hed_json_node object, const char *key,
    float *values, uint32_t count, double low)
{
    double read[HED_MPPI_MAX_CONTROLS * HED_MPPI_MAX_CONTROLS] = {0};
    if (!hed_json_has(object, key) || !mppi_scene_fine(reader)) return;
    hed_json_numbers(hed_json_member(object, key), read, count, low, 3e38);
    for (uint32_t i = 0; i < count; i++) values[i] = (float)read[i];
}

static uint32_t scene_choice(
    hed_json_node object, const char *key, uint32_t otherwise, const char *const *words)
{
    return hed_json_has(object, key) ? hed_json_choice(hed_json_member(object, key), words)
                                     : otherwise;
}

static void scene_read_controller(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_scene *scene = reader->scene;
    hed_mppi_def *def = &scene->def;
    uint32_t nx = scene->model.states, nu = scene->model.controls;
    hed_json_only(node, keys_controller);
    for (size_t i = 0; i < HED_COUNT(scene_options); i++) {
        const scene_option *o = &scene_options[i];
        void *member = (char *)def + o->offset;
        if (!hed_json_has(node, o->key)) continue;
        hed_json_node value = hed_json_member(node, o->key);
        if (o->kind == SWITCH) *(bool *)member = hed_json_boolean(value);
        else if (o->kind == REAL) *(float *)member = (float)hed_json_number(value, o->low, o->high);
        else
            *(uint32_t *)member =
                (uint32_t)hed_json_integer(value, (int64_t)o->low, (int64_t)o->high);
    }
    def->kind = (hed_mppi_kind)scene_choice(node, "kind", def->kind, words_kind);
    def->scale = (hed_mppi_scale)scene_choice(node, "scale", def->scale, words_scale);
    def->sampler = (hed_mppi_sampler)scene_choice(node, "sampler", def->sampler, words_sampler);
    def->update = (hed_mppi_update)scene_choice(node, "update", def->update, words_update);
    def->tail = (hed_mppi_tail)scene_choice(node, "tail", def->tail, words_tail);
    def->risk = (hed_mppi_risk)scene_choice(node, "risk", def->risk, words_risk);
    if (hed_json_has(node, "seed"))
        def->seed = (uint64_t)hed_json_integer(hed_json_member(node, "seed"), 0, INT64_MAX);
    def->deadline_ns = (uint64_t)(1e6 * mppi_scene_number(node, "deadline_ms", 0, 0, 1e6));
    scene_read_floats(reader, node, "exponent", def->exponent, nu, 0);
    scene_read_floats(reader, node, "disturbance", def->disturbance, nx, 0);
    scene_read_floats(reader, node, "track_state", def->track_state, nx, 0);
    scene_read_floats(reader, node, "track_control", def->track_control, nu, 0);
    scene_read_floats(reader, node, "track_final", def->track_final, nx, 0);
    if (hed_json_has(node, "covariance")) {
        float *covariance = mppi_scene_new(reader, nu * nu, sizeof *covariance);
        scene_read_floats(reader, node, "covariance", covariance, nu * nu, -3e38);
        def->covariance = covariance;
    }
}

/* ---- the whole ---- */

static void scene_read(mppi_scene_reader *reader)
{
    hed_mppi_scene *scene = reader->scene;
    hed_json_node root = hed_json_root(reader->json);
    scene->def = hed_default_mppi_def();
    hed_json_only(root, keys_scene);
    if (hed_json_has(root, "$schema")) hed_json_string(hed_json_member(root, "$schema"));
    if (hed_json_has(root, "description")) hed_json_string(hed_json_member(root, "description"));
    scene_read_model(reader, hed_json_member(root, "model"));
    if (!mppi_scene_fine(reader)) return;
    if (hed_json_has(root, "parameters"))
        scene_read_parameters(reader, hed_json_member(root, "parameters"), "",
            scene->model.parameters, scene->model.parameter_count);
    scene_read_terms(reader, hed_json_member(root, "terms"));
    if (hed_json_has(root, "controls"))
        mppi_scene_read_controls(reader, hed_json_member(root, "controls"));
    if (hed_json_has(root, "start"))
        mppi_scene_read_states(reader, hed_json_member(root, "start"), scene->start);
    if (hed_json_has(root, "controller"))
        scene_read_controller(reader, hed_json_member(root, "controller"));
    if (hed_json_has(root, "run")) mppi_scene_read_run(reader, hed_json_member(root, "run"));
    if (mppi_scene_fine(reader)) mppi_scene_read_world(reader, root);
    scene->def.model = &scene->model;
    scene->def.terms = scene->terms;
    scene->def.tables = scene->tables;
    scene->def.settings = scene->settings;
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
        status = reader.error.status;
        if (status != HED_OK) hed_fail(error, status, "%s", reader.error.text);
        else status = hed_json_status(json, error);
    }
    hed_json_free(json);
    if (status == HED_OK) *scene = created;
    else hed_mppi_scene_close(created);
    return status;
}

hed_status hed_mppi_scene_open(const char *path, hed_mppi_scene **scene, hed_error *error)
{
    HED_REQUIRE(path, scene);
    *scene = NULL;
    hed_json *json;
    hed_status status = hed_json_read(path, &json, error);
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
    hed_arena_free(&scene->arena);
    free(scene);
}
