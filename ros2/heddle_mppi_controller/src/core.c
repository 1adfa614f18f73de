/* The controller plugin without ROS: Nav2's controller of heddle-mppi between the threads of a
 * node. Changes from other threads wait under a lock until the next cycle begins. */
#include "heddle_mppi_controller/core.h"

#include <heddle/heddle.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORE_MOST_CORNERS = 64, CORE_MOST_CHANGES = 64 };

struct mppi_core {
    char name[96];
    hed_nav2 *controller;
    hed_context *context; /* of the device; NULL: the processor alone */
    hed_nav2_grid grid;   /* cells: a copy */
    uint8_t *cells;
    size_t cell_capacity;
    double corners[CORE_MOST_CORNERS][2];
    hed_nav2_surroundings surroundings;

    pthread_mutex_t lock; /* guards the following members */
    hed_nav2_config *config;
    bool config_changed, path_changed, limit_changed, reset;
    hed_nav2_pose *path; /* (path_count) */
    uint32_t path_count;
    double limit;
    bool limit_is_percentage;
};

/* ---- creation ---- */

/* True for a value that names an MPPI controller: its own name replaces all of them. */
static bool core_names_controller(const mppi_core_value *value)
{
    const char *dot = strrchr(value->key, '.');
    if (!dot || (strcmp(dot, ".plugin") != 0 && strcmp(dot, ".primary_controller") != 0))
        return false;
    return strstr(value->text, "mppi_controller") || strstr(value->text, "MPPIController");
}

static hed_status core_fail(hed_error *error, hed_status status, const char *text)
{
    if (error) {
        error->status = status;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return status;
}

/* Returns the text of parameter NAME.KEY; NULL: it is not given. */
static const char *core_text(
    const char *name, const char *key, const mppi_core_value *values, size_t count)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(values[i].key, name, length) == 0 && values[i].key[length] == '.' &&
            strcmp(values[i].key + length + 1, key) == 0)
            return values[i].text;
    return NULL;
}

/* True for a parameter of this plugin, of which Nav2's file knows nothing. */
static bool core_is_own(const char *name, const mppi_core_value *value)
{
    return core_text(name, "detour", value, 1) || core_text(name, "device", value, 1);
}

/* Returns a parameter file of the values; NULL without memory. Release it with free(). */
static char *core_compose(
    const char *name, const mppi_core_value *values, size_t count, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (!stream) return NULL;
    fprintf(stream, "controller_server:\n  ros__parameters:\n");
    fprintf(stream, "    %s.plugin: heddle_mppi_controller::Controller\n", name);
    for (size_t i = 0; i < count; i++)
        if (!core_names_controller(&values[i]) && !core_is_own(name, &values[i]))
            fprintf(stream, "    \"%s\": %s\n", values[i].key, values[i].text);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}

/* Moves the controller to the device of parameter NAME.device: an id, part of a name, or "best"; "",
 * "host" or no such parameter: the processor. Errors: NO_DEVICE, as hed_nav2_use_device(). */
static hed_status core_use_device(mppi_core *c, const char *text, hed_error *error)
{
    char id[128] = "";
    hed_device *device;
    if (text) sscanf(text, text[0] == '"' ? "\"%127[^\"]" : "%127s", id);
    if (!id[0] || strcmp(id, "\"\"") == 0 || strcmp(id, "host") == 0) return HED_OK;
    hed_status status = hed_context_create(NULL, &c->context, error);
    if (status == HED_OK)
        status = hed_device_find(c->context, strcmp(id, "best") ? id : NULL, &device, error);
    return status == HED_OK ? hed_nav2_use_device(c->controller, device, error) : status;
}

static void core_free(mppi_core *core)
{
    hed_nav2_destroy(core->controller);
    hed_context_destroy(core->context);
    hed_nav2_config_free(core->config);
    free(core->path);
    free(core->cells);
    free(core);
}

hed_status mppi_core_create(const char *name, const mppi_core_value *values, size_t count,
    double search_distance, mppi_core **core, hed_error *error)
{
    *core = NULL;
    mppi_core *c = calloc(1, sizeof *c);
    size_t size;
    char *text = c ? core_compose(name, values, count, &size) : NULL, distance[32];
    hed_status status =
        text ? hed_nav2_config_parse(text, size, NULL, &c->config, error)
             : core_fail(error, HED_ERROR_MEMORY, "out of memory for the controller's parameters");
    free(text);
    snprintf(distance, sizeof distance, "%.17g", search_distance);
    if (status == HED_OK && !core_text(name, "max_robot_pose_search_dist", values, count))
        status = hed_nav2_config_set(c->config, "max_robot_pose_search_dist", distance, error);
    const char *detour = core_text(name, "detour", values, count);
    if (status == HED_OK)
        status = hed_nav2_create(
            c->config, 1, !detour || strcmp(detour, "false"), &c->controller, error);
    if (status == HED_OK)
        status = core_use_device(c, core_text(name, "device", values, count), error);
    if (status != HED_OK) {
        if (c) core_free(c);
        return status;
    }
    snprintf(c->name, sizeof c->name, "%s", name);
    pthread_mutex_init(&c->lock, NULL);
    *core = c;
    return HED_OK;
}

void mppi_core_destroy(mppi_core *core)
{
    if (!core) return;
    pthread_mutex_destroy(&core->lock);
    core_free(core);
}

const hed_nav2_config *mppi_core_config(const mppi_core *core) { return core->config; }
hed_nav2 *mppi_core_controller(mppi_core *core) { return core->controller; }

/* Returns the part of a full name after the controller's; NULL for other names. */
static const char *core_own_key(const mppi_core *core, const char *key)
{
    size_t length = strlen(core->name);
    return strncmp(key, core->name, length) == 0 && key[length] == '.' ? key + length + 1 : NULL;
}

/* True for a remark that concerns this controller's user. */
static bool core_warns(const mppi_core *core, const hed_nav2_remark *remark)
{
    const char *key = core_own_key(core, remark->key);
    bool is_general = !strchr(remark->key, '.') && strcmp(remark->key, "local_costmap") != 0;
    return (key || is_general) && remark->treatment == HED_NAV2_UNKNOWN;
}

bool mppi_core_warning(const mppi_core *core, uint32_t index, char *text, size_t size)
{
    const hed_nav2_remark *remark;
    for (uint32_t i = 0; (remark = hed_nav2_config_remark(core->config, i)); i++) {
        if (!core_warns(core, remark) || index-- > 0) continue;
        snprintf(text, size, "%s: %s: %s", remark->key, remark->value, remark->text);
        return true;
    }
    return false;
}

/* ---- any thread ---- */

/* Writes the value of a parameter as text; false without such a parameter. */
static bool core_value_of(const mppi_core *core, const char *key, char *text, size_t size)
{
    hed_nav2_parameter p;
    for (uint32_t i = 0; hed_nav2_config_parameter(core->config, i, &p); i++) {
        if (strcmp(p.name, key) != 0) continue;
        if (p.kind == HED_NAV2_FLAG) snprintf(text, size, "%s", p.value != 0 ? "true" : "false");
        else snprintf(text, size, "%.17g", p.value);
        return true;
    }
    return false;
}

hed_status mppi_core_change(
    mppi_core *core, const mppi_core_value *changes, size_t count, hed_error *error)
{
    char before[CORE_MOST_CHANGES][32];
    size_t changed = 0;
    hed_status status = HED_OK;
    if (count > CORE_MOST_CHANGES)
        return core_fail(error, HED_ERROR_ARGUMENT, "more than 64 parameters in one change");
    pthread_mutex_lock(&core->lock);
    for (; changed < count && status == HED_OK; changed++) {
        const char *key = core_own_key(core, changes[changed].key);
        if (!key || !core_value_of(core, key, before[changed], sizeof before[changed]))
            status = core_fail(
                error, HED_ERROR_ARGUMENT, "the controller has no such parameter to change");
        else status = hed_nav2_config_set(core->config, key, changes[changed].text, error);
    }
    if (status != HED_OK)
        for (size_t i = changed - 1; i-- > 0;)
            hed_nav2_config_set(core->config, core_own_key(core, changes[i].key), before[i], NULL);
    else core->config_changed = true;
    pthread_mutex_unlock(&core->lock);
    return status;
}

hed_status mppi_core_set_path(
    mppi_core *core, const hed_nav2_pose *poses, uint32_t count, hed_error *error)
{
    hed_nav2_pose *path = malloc((count + (size_t)1) * sizeof *path);
    if (!path) return core_fail(error, HED_ERROR_MEMORY, "out of memory for a path");
    if (count) memcpy(path, poses, count * sizeof *path);
    pthread_mutex_lock(&core->lock);
    hed_nav2_pose *before = core->path;
    core->path = path;
    core->path_count = count;
    core->path_changed = true;
    pthread_mutex_unlock(&core->lock);
    free(before);
    return HED_OK;
}

void mppi_core_set_speed_limit(mppi_core *core, double value, bool percentage)
{
    pthread_mutex_lock(&core->lock);
    core->limit = value;
    core->limit_is_percentage = percentage;
    core->limit_changed = true;
    pthread_mutex_unlock(&core->lock);
}

void mppi_core_reset(mppi_core *core)
{
    pthread_mutex_lock(&core->lock);
    core->reset = true;
    pthread_mutex_unlock(&core->lock);
}

/* ---- a cycle ---- */

hed_status mppi_core_take_costmap(
    mppi_core *core, const mppi_core_costmap *costmap, hed_error *error)
{
    const hed_nav2_grid *grid = &costmap->grid;
    const hed_nav2_surroundings *from = &costmap->surroundings;
    size_t size = (size_t)grid->width * grid->height;
    if (from->corner_count > CORE_MOST_CORNERS)
        return core_fail(error, HED_ERROR_ARGUMENT, "the footprint has more than 64 corners");
    if (size > core->cell_capacity) {
        uint8_t *cells = malloc(size);
        if (!cells) return core_fail(error, HED_ERROR_MEMORY, "out of memory for the costmap");
        free(core->cells);
        core->cells = cells;
        core->cell_capacity = size;
    }
    core->grid = *grid;
    core->grid.cells = core->cells;
    if (size) memcpy(core->cells, grid->cells, size);
    core->surroundings = *from;
    if (from->corner_count)
        memcpy(core->corners, from->corners, from->corner_count * sizeof *core->corners);
    core->surroundings.corners = (const double(*)[2])core->corners;
    return HED_OK;
}

/* Applies the changes that other threads have left. */
static hed_status core_apply(mppi_core *c, const mppi_core_cycle *cycle, hed_error *error)
{
    hed_status status = HED_OK;
    pthread_mutex_lock(&c->lock);
    if (c->config_changed) status = hed_nav2_adopt(c->controller, c->config, error);
    c->config_changed = false;
    if (c->limit_changed) hed_nav2_set_speed_limit(c->controller, c->limit, c->limit_is_percentage);
    c->limit_changed = false;
    if (c->reset) hed_nav2_reset(c->controller);
    c->reset = false;
    bool takes_path = c->path_changed && c->path_count && !cycle->pruned;
    if (status == HED_OK && takes_path) {
        status = hed_nav2_set_path(c->controller, c->path, c->path_count, error);
        c->path_changed = status != HED_OK; /* a path that is refused is refused in each cycle */
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}

static mppi_core_outcome core_outcome(const hed_nav2_result *r, hed_error *error)
{
    char text[160];
    switch (r->outcome) {
    case HED_NAV2_VALID: return MPPI_CORE_VALID;
    case HED_NAV2_ALL_COLLIDE:
        snprintf(text, sizeof text, "every future collides, after %u retries", r->retries);
        core_fail(error, HED_ERROR_ARGUMENT, text);
        return MPPI_CORE_NO_VALID_CONTROL;
    case HED_NAV2_PLAN_COLLIDES:
        snprintf(text, sizeof text, "the plan collides, after %u retries", r->retries);
        core_fail(error, HED_ERROR_ARGUMENT, text);
        return MPPI_CORE_NO_VALID_CONTROL;
    case HED_NAV2_NO_PATH: break;
    }
    core_fail(error, HED_ERROR_ARGUMENT, "no pose of the path is left on the costmap");
    return MPPI_CORE_INVALID_PATH;
}

/* Sets the path of the cycle and its frame. */
static mppi_core_outcome core_set_path(mppi_core *c, const mppi_core_cycle *cycle, hed_error *error)
{
    pthread_mutex_lock(&c->lock);
    bool is_empty = cycle->pruned ? cycle->pruned_count == 0 : c->path_count == 0;
    pthread_mutex_unlock(&c->lock);
    if (is_empty) {
        core_fail(error, HED_ERROR_ARGUMENT, "the path has no poses");
        return MPPI_CORE_INVALID_PATH;
    }
    hed_status status = cycle->pruned ? hed_nav2_set_pruned_path(c->controller, cycle->pruned,
                                            cycle->pruned_count, cycle->goal, error)
                                      : hed_nav2_set_frame(c->controller, cycle->frame, error);
    return status == HED_OK ? MPPI_CORE_VALID : MPPI_CORE_INVALID_PATH;
}

mppi_core_outcome mppi_core_compute(
    mppi_core *core, const mppi_core_cycle *cycle, hed_nav2_velocity *command, hed_error *error)
{
    hed_nav2_result result;
    *command = (hed_nav2_velocity){0};
    hed_status status = core_apply(core, cycle, error);
    if (status == HED_ERROR_ARGUMENT && core->path_changed) return MPPI_CORE_INVALID_PATH;
    if (status != HED_OK) return MPPI_CORE_FAILED;
    mppi_core_outcome outcome = core_set_path(core, cycle, error);
    if (outcome != MPPI_CORE_VALID) return outcome;
    if (hed_nav2_set_surroundings(core->controller, &core->surroundings, error) != HED_OK ||
        hed_nav2_compute(
            core->controller, cycle->pose, cycle->speed, &core->grid, &result, error) != HED_OK)
        return MPPI_CORE_FAILED;
    *command = result.command;
    return core_outcome(&result, error);
}
