/* Robots of a scene: a fleet that one solve controls, each with its own start, parameters and map. */
#include "files/mppi_scene_parts.h"

#include <string.h>

/* ---- reading ---- */

typedef struct robot_options {
    float start[HED_MPPI_MAX_STATES];
    hed_mppi_robot robot;
} robot_options;

static void robot_read_parameters(
    const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_robot *robot = &((robot_options *)at)->robot;
    uint32_t count = 0;
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key))
        count++;
    hed_mppi_setting *settings = mppi_scene_new(reader, count, sizeof *settings);
    hed_json_node node = {0};
    for (uint32_t i = 0; settings && i < count; i++) {
        node = hed_json_next(object, i ? node.key : NULL);
        settings[i] = (hed_mppi_setting){
            mppi_scene_text(reader, node.key), (float)hed_json_number(node, -3e38, 3e38)};
    }
    robot->settings = settings;
    robot->setting_count = settings ? count : 0;
}

static void robot_read_map(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_mppi_robot *robot = &((robot_options *)at)->robot;
    hed_mppi_table *tables = mppi_scene_new(user, 2, sizeof *tables);
    if (tables) robot->table_count = mppi_scene_map_tables(user, node, tables);
    robot->tables = tables;
}

static const hed_field robot_rows[] = {
    {"start", "states at the start; missing ones are the scene's", HED_MEMBER(robot_options, start),
        HED_AS_OTHER("states", mppi_scene_read_start)},
    {"parameters",
        "parameters that differ from the scene's: goal.x or goal.weight of a term, mass of the model",
        HED_AS_OTHER("values", robot_read_parameters)},
    {"map", NULL, HED_AS_PART(&mppi_map_fields, robot_read_map)},
    {0},
};
const hed_fields mppi_robot_fields = {
    "robot", "robot of a fleet, with its differences from the scene", .rows = robot_rows};

/* Finds the table of a robot's map among the scene's, or adds it. NULL: error. */
static hed_mppi_table *robot_table(
    mppi_scene_reader *reader, hed_json_node node, const hed_mppi_table *content)
{
    hed_mppi_scene *scene = reader->scene;
    for (uint32_t i = 0; i < scene->def.table_count; i++)
        if (strcmp(scene->tables[i].name, content->name) == 0) return &scene->tables[i];
    mppi_scene_add_table(reader, node, content->name, content->values, content->count);
    return mppi_scene_fine(reader) ? &scene->tables[scene->def.table_count - 1] : NULL;
}

/* Makes the tables of the robots' maps tables of each controller's own, as long as the longest. */
static void robots_share_tables(mppi_scene_reader *reader, hed_json_node array)
{
    hed_mppi_scene *scene = reader->scene;
    bool has_map = hed_json_has(hed_json_root(reader->json), "map");
    for (uint32_t i = 0; i < scene->robot_count; i++) {
        const hed_mppi_robot *robot = &scene->robots[i];
        hed_json_node node = hed_json_item(array, i);
        bool lacks = !robot->table_count && scene->robots[0].table_count;
        bool is_new = robot->table_count && !scene->robots[0].table_count;
        if (!has_map && (lacks || is_new))
            hed_json_reject(node, "expected a map for each robot, or one of the scene for those without");
        for (uint32_t k = 0; k < robot->table_count && mppi_scene_fine(reader); k++) {
            hed_mppi_table *table = robot_table(reader, node, &robot->tables[k]);
            if (!table) return;
            table->per_controller = true;
            if (table->capacity < robot->tables[k].count) table->capacity = robot->tables[k].count;
        }
    }
}

void mppi_scene_read_robots(const hed_field *field, hed_json_node array, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    size_t count = hed_field_length(field, array);
    uint32_t states = scene->model.states;
    scene->robots = mppi_scene_new(reader, count, sizeof *scene->robots);
    scene->starts = mppi_scene_new(reader, count * states, sizeof *scene->starts);
    if (scene->path_table)
        hed_json_reject(array, "found robots and a path, which one robot alone can follow");
    for (size_t i = 0; i < count && mppi_scene_fine(reader); i++) {
        robot_options options = {0};
        memcpy(options.start, scene->start, sizeof options.start);
        hed_fields_read(&mppi_robot_fields, hed_json_item(array, i), &options, reader);
        scene->robots[i] = options.robot;
        memcpy(scene->starts + i * states, options.start, states * sizeof(float));
    }
    if (!mppi_scene_fine(reader)) return;
    scene->robot_count = (uint32_t)count;
    robots_share_tables(reader, array);
}

/* ---- use ---- */

hed_mppi_robot hed_mppi_scene_robot(const hed_mppi_scene *scene, uint32_t index)
{
    if (!scene || index >= scene->robot_count) return (hed_mppi_robot){0};
    return scene->robots[index];
}
