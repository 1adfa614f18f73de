/* World of a scene: tables, the map, moving obstacles, and the path. */
#include "files/mppi_scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORLD_FAR 1e6 /* m */

void mppi_scene_read_tables(const hed_field *field, hed_json_node object, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_error error = {0};
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        float *values = NULL;
        uint32_t count = 0;
        if (hed_json_kind_of(node) == HED_JSON_STRING) {
            float *read = NULL;
            const char *path = mppi_scene_path(reader, node);
            if (mppi_scene_fine(reader)) hed_mppi_npy_read(path, &read, &count, &error);
            mppi_scene_keep(reader, &error);
            values = mppi_scene_new(reader, count, sizeof *values);
            if (values && count) memcpy(values, read, count * sizeof *values);
            free(read);
        } else {
            count = (uint32_t)hed_json_count(node);
            values = mppi_scene_new(reader, count, sizeof *values);
            for (uint32_t i = 0; values && i < count; i++)
                values[i] = (float)hed_json_number(hed_json_item(node, i), -3e38, 3e38);
        }
        if (mppi_scene_fine(reader) && count == 0)
            hed_json_reject(node, "expected the name of an npy file, or numbers; found none");
        mppi_scene_add_table(reader, node, node.key, values, count);
    }
}

/* ---- the map ---- */

static void world_read_file(const hed_field *field, hed_json_node node, void *at, void *user)
{
    *(const char **)at = mppi_scene_path(user, node);
}

typedef struct map_options {
    const char *yaml;
    float occupied, unknown;
} map_options;

static const map_options map_defaults = {.occupied = 0.65f};
static const hed_field map_rows[] = {
    {"yaml", "YAML of a ROS map server, with a PGM or PNG in the same folder", HED_AS_OTHER("file", world_read_file), .required = true},
    {"occupied", "minimum value of a cell that is an obstacle, for distances", HED_AS_NUMBER(map_options, occupied, 1e-6, 1, NULL)},
    {"unknown", "value of unknown cells; 0: free", HED_AS_NUMBER(map_options, unknown, 0, 1, NULL)},
    {0},
};
const hed_fields mppi_map_fields = {
    "map", "map for the terms costmap and clearance", .rows = map_rows, .defaults = &map_defaults};

static uint32_t world_use_map(mppi_scene_reader *reader, hed_json_node node, hed_mppi_map *map,
    float unknown, float occupied, hed_mppi_table *tables)
{
    uint64_t cells = (uint64_t)map->width * map->height, size = cells + HED_MPPI_GRID_HEAD;
    uint32_t count = 0;
    hed_error error = {0};
    for (uint64_t i = 0; i < cells; i++)
        if (map->values[i] < 0) map->values[i] = unknown;
    bool costs = mppi_scene_reads(reader->scene, "costmap");
    bool distances = mppi_scene_reads(reader->scene, "distance");
    if (!costs && !distances)
        hed_json_reject(node, "no term of this scene reads a map: costmap and clearance do");
    if (costs) {
        float *table = mppi_scene_new(reader, size, sizeof *table);
        if (table) hed_mppi_map_table(map, map->values, table);
        tables[count++] = (hed_mppi_table){.name = "costmap", .values = table, .count = (uint32_t)size};
    }
    if (distances) {
        float *outside = malloc(cells * sizeof *outside);
        float *table = mppi_scene_new(reader, size, sizeof *table);
        if (!outside && mppi_scene_fine(reader)) HED_OUT_OF_MEMORY(&error, "the map");
        if (table && outside && hed_mppi_map_distances(map, occupied, outside, &error) == HED_OK)
            hed_mppi_map_table(map, outside, table);
        mppi_scene_keep(reader, &error);
        free(outside);
        tables[count++] = (hed_mppi_table){.name = "distance", .values = table, .count = (uint32_t)size};
    }
    return count;
}

uint32_t mppi_scene_map_tables(
    mppi_scene_reader *reader, hed_json_node node, hed_mppi_table tables[2])
{
    uint32_t count = 0;
    hed_mppi_map map = {0};
    map_options options = map_defaults;
    hed_error error = {0};
    hed_fields_read(&mppi_map_fields, node, &options, reader);
    if (mppi_scene_fine(reader)) hed_mppi_map_read(options.yaml, &map, &error);
    mppi_scene_keep(reader, &error);
    if (mppi_scene_fine(reader))
        count = world_use_map(reader, node, &map, options.unknown, options.occupied, tables);
    hed_mppi_map_free(&map);
    return count;
}

void mppi_scene_read_map(const hed_field *field, hed_json_node node, void *at, void *user)
{
    hed_mppi_table tables[2];
    uint32_t count = mppi_scene_map_tables(user, node, tables);
    for (uint32_t i = 0; i < count; i++)
        mppi_scene_add_table(user, node, tables[i].name, tables[i].values, tables[i].count);
}

/* ---- lines through points ---- */

/* Makes the table of a path through `points`; `first` receives the first point. */
static float *world_read_line(mppi_scene_reader *reader, const hed_field *field,
    hed_json_node points, bool closed, uint32_t *segments, float first[2])
{
    size_t count = hed_field_length(field, points);
    float *read = mppi_scene_new(reader, count, 2 * sizeof *read);
    float *table = mppi_scene_new(reader, count, HED_MPPI_PATH_SEGMENT * sizeof *table);
    for (size_t i = 0; table && i < count; i++) {
        double point[2] = {0, 0};
        hed_json_numbers(hed_json_item(points, i), point, 2, -WORLD_FAR, WORLD_FAR);
        read[2 * i] = (float)point[0];
        read[2 * i + 1] = (float)point[1];
    }
    if (!mppi_scene_fine(reader) || !table) return NULL;
    *segments = hed_mppi_path_table(read, (uint32_t)count, closed, table) / HED_MPPI_PATH_SEGMENT;
    memcpy(first, read, 2 * sizeof *first);
    return table;
}

/* ---- obstacles ---- */

/* Reads the points of an obstacle that moves by times. */
static void world_read_timed_points(
    const hed_field *field, hed_json_node points, mppi_scene_obstacle *o, mppi_scene_reader *reader)
{
    size_t count = hed_field_length(field, points);
    float *read = mppi_scene_new(reader, count, 2 * sizeof *read);
    if (mppi_scene_fine(reader) && (count != o->moments || o->closed || o->speed > 0))
        hed_json_reject(points, "found %zu points for %u times, expected as many of each, and neither "
                                "speed nor closed",
            count, o->moments);
    for (size_t i = 0; read && i < count; i++) {
        double point[2] = {0, 0};
        hed_json_numbers(hed_json_item(points, i), point, 2, -WORLD_FAR, WORLD_FAR);
        read[2 * i] = (float)point[0];
        read[2 * i + 1] = (float)point[1];
    }
    o->points = read;
}

static void world_read_obstacle_line(
    const hed_field *field, hed_json_node points, void *at, void *user)
{
    mppi_scene_obstacle *o = at;
    if (o->times) world_read_timed_points(field, points, o, user);
    else o->path = world_read_line(user, field, points, o->closed, &o->segments, o->at);
}

static const hed_field obstacle_rows[] = {
    {"radius", "radius of the disc", HED_AS_NUMBER(mppi_scene_obstacle, radius, 0, WORLD_FAR, "m"), .required = true},
    {"speed", "speed along the line", HED_AS_NUMBER(mppi_scene_obstacle, speed, 0, 1e4, "m/s")},
    {"closed", "return from the last point to the first, and repeat; otherwise stop at the last",
        HED_AS_BOOLEAN(mppi_scene_obstacle, closed)},
    {"times",
        "times at the points, from the start of the run on, instead of a speed; between two of them the disc moves evenly",
        HED_AS_VECTOR(mppi_scene_obstacle, times, 0, -1e9, 1e9, "s"), .read = mppi_scene_read_times,
        .second = offsetof(mppi_scene_obstacle, moments)},
    {"points", "position, or points of the line that the disc moves along, m",
        .kind = HED_FIELD_LIST, .form = "point", .low = 1, .high = MPPI_SCENE_POINTS,
        .read = world_read_obstacle_line, .required = true},
    {0},
};
static const mppi_scene_obstacle obstacle_defaults = {0};
const hed_fields mppi_obstacle_fields = {"obstacle", "disc for the term obstacles",
    .rows = obstacle_rows, .defaults = &obstacle_defaults};

void mppi_scene_read_obstacles(const hed_field *field, hed_json_node array, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    size_t count = hed_field_length(field, array);
    mppi_scene_obstacle *obstacles = mppi_scene_new(reader, count, sizeof *obstacles);
    for (size_t i = 0; obstacles && i < count; i++)
        hed_fields_read(&mppi_obstacle_fields, hed_json_item(array, i), &obstacles[i], reader);
    if (mppi_scene_fine(reader) && !mppi_scene_reads(scene, "obstacles"))
        hed_json_reject(array, "no term of this scene reads obstacles: the term obstacles does");
    scene->obstacle_count = (uint32_t)count;
    scene->obstacles = obstacles;
    uint64_t size = 4 + 4 * (uint64_t)count * (scene->def.steps + 1);
    scene->obstacle_table = mppi_scene_new(reader, size, sizeof(float));
    mppi_scene_add_table(reader, array, "obstacles", scene->obstacle_table, size);
}

/* Computes the position of an obstacle after `seconds`. */
static void world_move(const mppi_scene_obstacle *o, double seconds, float *x, float *y)
{
    if (o->times) {
        uint32_t k = 0;
        while (k + 1 < o->moments && o->times[k + 1] <= seconds) k++;
        const float *p = o->points + 2 * (size_t)k, *next = k + 1 < o->moments ? p + 2 : p;
        double span = next == p ? 1 : o->times[k + 1] - o->times[k];
        float f = (float)fmin(fmax((seconds - o->times[k]) / span, 0), 1);
        *x = p[0] + f * (next[0] - p[0]);
        *y = p[1] + f * (next[1] - p[1]);
        return;
    }
    *x = o->at[0];
    *y = o->at[1];
    if (o->segments == 0) return;
    /* the first segment contains the path's length */
    double length = o->path[5], distance = o->speed * seconds;
    distance = o->closed ? fmod(distance, length) : fmin(distance, length);
    uint32_t i = 0;
    const float *s = o->path;
    for (; i + 1 < o->segments && distance > s[6]; i++, s += HED_MPPI_PATH_SEGMENT)
        distance -= s[6];
    double share = fmin(distance / s[6], 1);
    *x = (float)(s[0] + share * s[2]);
    *y = (float)(s[1] + share * s[3]);
}

static void world_show_obstacles(hed_mppi_scene *scene, double seconds)
{
    float *table = scene->obstacle_table;
    uint32_t moments = scene->def.steps + 1, n = scene->obstacle_count;
    double dt = scene->def.dt != 0 ? scene->def.dt : scene->model.dt;
    table[0] = (float)n;
    table[1] = (float)moments;
    table[2] = (float)(1 / dt);
    for (uint32_t k = 0; k < moments; k++)
        for (uint32_t i = 0; i < n; i++) {
            float *at = table + 4 + 4 * ((size_t)k * n + i);
            world_move(&scene->obstacles[i], seconds + k * dt, &at[0], &at[1]);
            at[2] = scene->obstacles[i].radius;
        }
}

/* ---- the path ---- */

typedef struct path_options {
    float first[2], *line;
    uint32_t segments;
    bool closed;
    double window; /* length, m; 0: the whole path */
} path_options;

static void world_read_path_line(const hed_field *field, hed_json_node points, void *at, void *user)
{
    path_options *o = at;
    o->line = world_read_line(user, field, points, o->closed, &o->segments, o->first);
}

static const hed_field path_rows[] = {
    {"closed", "true: the last point is connected with the first",
        HED_AS_BOOLEAN(path_options, closed)},
    {"points", "points of the path, m", .kind = HED_FIELD_LIST, .form = "point", .low = 2,
        .high = MPPI_SCENE_POINTS, .read = world_read_path_line, .required = true},
    {"ahead", "length of the part that terms see at once; 0: the whole path",
        HED_AS_NUMBER(path_options, window, 0, WORLD_FAR, "m")},
    {0},
};
static const path_options path_defaults = {0};
const hed_fields mppi_path_fields = {"path",
    "path for the terms path_align, path_angle and path_follow", .rows = path_rows, .defaults = &path_defaults};

void mppi_scene_read_path(const hed_field *field, hed_json_node node, void *at, void *user)
{
    mppi_scene_reader *reader = user;
    hed_mppi_scene *scene = at;
    path_options options = path_defaults;
    hed_fields_read(&mppi_path_fields, node, &options, reader);
    scene->path = options.line;
    scene->path_segments = options.segments;
    scene->path_closed = options.closed;
    double longest = 0;
    if (!mppi_scene_fine(reader)) return;
    if (scene->path_segments == 0) hed_json_reject(node, "all points of the path coincide");
    if (!mppi_scene_reads(scene, "path"))
        hed_json_reject(node, "no term of this scene reads a path: path_align, path_angle and "
                              "path_follow do");
    /* largest number of segments in a run of this length */
    scene->window = scene->path_segments;
    for (uint32_t i = 0; options.window > 0 && i < scene->path_segments; i++) {
        uint32_t segments = 0;
        double length = 0;
        while (length < options.window && segments < scene->path_segments)
            length += scene->path[HED_MPPI_PATH_SEGMENT *
                                      (size_t)((i + segments++) % scene->path_segments) +
                                  6];
        if (segments > longest) longest = segments;
    }
    if (longest > 0) scene->window = (uint32_t)longest;
    uint64_t size = (uint64_t)scene->window * HED_MPPI_PATH_SEGMENT;
    scene->path_table = mppi_scene_new(reader, size, sizeof(float));
    mppi_scene_add_table(reader, node, "path", scene->path_table, size);
}

/* Returns the squared distance of a position from segment `i`. */
static double world_from_segment(const hed_mppi_scene *scene, uint32_t i, const float *at)
{
    const float *s = scene->path + HED_MPPI_PATH_SEGMENT * (size_t)i;
    double dx = (double)at[0] - s[0], dy = (double)at[1] - s[1];
    double share = fmin(fmax((dx * s[2] + dy * s[3]) * s[4], 0), 1);
    dx -= share * s[2];
    dy -= share * s[3];
    return dx * dx + dy * dy;
}

/* Writes the window of the path that begins at the segment nearest to the state. The first
 * search covers the whole path, later ones only the window, so that a path may cross itself.
 * Returns the number of floats in the table. */
static uint32_t world_show_path(hed_mppi_scene *scene, const float *x)
{
    const hed_mppi_model *m = &scene->model;
    uint32_t all = scene->path_segments, reach = scene->place == UINT32_MAX ? all : scene->window;
    uint32_t begin = scene->place == UINT32_MAX ? 0 : scene->place, best = begin;
    double nearest = INFINITY;
    for (uint32_t k = 0; m->pose_x >= 0 && k < reach; k++) {
        uint32_t i = begin + k;
        if (i >= all && !scene->path_closed) break;
        const float at[2] = {x[m->pose_x], x[m->pose_y]};
        double square = world_from_segment(scene, i % all, at);
        if (square < nearest) {
            nearest = square;
            best = i % all;
        }
    }
    scene->place = best;
    uint32_t count = scene->path_closed || all - best > scene->window ? scene->window : all - best;
    for (uint32_t k = 0; k < count; k++)
        memcpy(scene->path_table + HED_MPPI_PATH_SEGMENT * (size_t)k,
            scene->path + HED_MPPI_PATH_SEGMENT * (size_t)((best + k) % all),
            HED_MPPI_PATH_SEGMENT * sizeof(float));
    float ahead = 0;
    for (uint32_t k = count; k-- > 0;) {
        float *s = scene->path_table + HED_MPPI_PATH_SEGMENT * (size_t)k;
        s[5] = ahead += s[6];
    }
    return count * HED_MPPI_PATH_SEGMENT;
}

/* ---- all of it ---- */

void mppi_scene_start_world(mppi_scene_reader *reader)
{
    hed_mppi_scene *scene = reader->scene;
    const hed_mppi_table *live;
    uint32_t count = hed_mppi_scene_tables(scene, 0, scene->start, &live);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < scene->def.table_count; k++)
            if (strcmp(live[i].name, scene->tables[k].name) == 0) {
                scene->tables[k].capacity = scene->tables[k].count;
                scene->tables[k].count = live[i].count;
            }
}

uint32_t hed_mppi_scene_tables(
    hed_mppi_scene *scene, double seconds, const float *x, const hed_mppi_table **tables)
{
    if (!scene || !x || !tables) return 0;
    uint32_t count = 0;
    if (scene->path_table) {
        uint32_t size = world_show_path(scene, x);
        scene->live[count++] = (hed_mppi_table){"path", scene->path_table, size, 0, false};
    }
    if (scene->obstacle_table) {
        world_show_obstacles(scene, seconds);
        uint32_t size = 4 + 4 * scene->obstacle_count * (scene->def.steps + 1);
        scene->live[count++] = (hed_mppi_table){"obstacles", scene->obstacle_table, size, 0, false};
    }
    *tables = scene->live;
    return count;
}
