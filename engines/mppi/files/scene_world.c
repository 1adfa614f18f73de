/* World of a scene: tables, the map, moving obstacles, and the path. */
#include "files/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const mppi_scene_keys_map[] = {"yaml", "occupied", "unknown", NULL};
const char *const mppi_scene_keys_obstacle[] = {"radius", "points", "speed", "closed", NULL};
const char *const mppi_scene_keys_path[] = {"points", "closed", "ahead", NULL};

static const double world_far = 1e6; /* m */

static void world_read_tables(mppi_scene_reader *reader, hed_json_node object)
{
    for (hed_json_node node = hed_json_next(object, NULL);
         mppi_scene_fine(reader) && hed_json_kind_of(node) != HED_JSON_NOTHING;
         node = hed_json_next(object, node.key)) {
        float *values = NULL;
        uint32_t count = 0;
        if (hed_json_kind_of(node) == HED_JSON_STRING) {
            float *read = NULL;
            const char *path = mppi_scene_path(reader, node);
            if (mppi_scene_fine(reader)) hed_mppi_npy_read(path, &read, &count, &reader->error);
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

static void world_use_map(mppi_scene_reader *reader, hed_json_node node, hed_mppi_map *map)
{
    uint64_t cells = (uint64_t)map->width * map->height, size = cells + HED_MPPI_GRID_HEAD;
    float occupied = (float)mppi_scene_number(node, "occupied", 0.65, 1e-6, 1);
    float unknown = (float)mppi_scene_number(node, "unknown", 0, 0, 1);
    for (uint64_t i = 0; i < cells; i++)
        if (map->values[i] < 0) map->values[i] = unknown;
    bool costs = mppi_scene_reads(reader->scene, "costmap");
    bool distances = mppi_scene_reads(reader->scene, "distance");
    if (!costs && !distances)
        hed_json_reject(node, "no term of this scene reads a map: costmap and clearance do");
    if (costs) {
        float *table = mppi_scene_new(reader, size, sizeof *table);
        if (table) hed_mppi_map_table(map, map->values, table);
        mppi_scene_add_table(reader, node, "costmap", table, size);
    }
    if (distances) {
        float *outside = malloc(cells * sizeof *outside);
        float *table = mppi_scene_new(reader, size, sizeof *table);
        if (!outside && mppi_scene_fine(reader)) HED_OUT_OF_MEMORY(&reader->error, "the map");
        if (table && outside &&
            hed_mppi_map_distances(map, occupied, outside, &reader->error) == HED_OK)
            hed_mppi_map_table(map, outside, table);
        free(outside);
        mppi_scene_add_table(reader, node, "distance", table, size);
    }
}

static void world_read_map(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_map map = {0};
    hed_json_only(node, mppi_scene_keys_map);
    const char *path = mppi_scene_path(reader, hed_json_member(node, "yaml"));
    if (mppi_scene_fine(reader)) hed_mppi_map_read(path, &map, &reader->error);
    if (mppi_scene_fine(reader)) world_use_map(reader, node, &map);
    hed_mppi_map_free(&map);
}

/* ---- lines through points ---- */

/* Makes the table of a path through `points`; `first` receives the first point. */
static float *world_read_line(mppi_scene_reader *reader, hed_json_node points, size_t min_points,
    bool closed, uint32_t *segments, float first[2])
{
    size_t count = hed_json_count(points);
    if (mppi_scene_fine(reader) && (count < min_points || count > MPPI_SCENE_POINTS))
        hed_json_reject(
            points, "expected %zu to %d points, found %zu", min_points, MPPI_SCENE_POINTS, count);
    float *read = mppi_scene_new(reader, count, 2 * sizeof *read);
    float *table = mppi_scene_new(reader, count, HED_MPPI_PATH_SEGMENT * sizeof *table);
    for (size_t i = 0; table && i < count; i++) {
        double point[2] = {0, 0};
        hed_json_numbers(hed_json_item(points, i), point, 2, -world_far, world_far);
        read[2 * i] = (float)point[0];
        read[2 * i + 1] = (float)point[1];
    }
    if (!mppi_scene_fine(reader) || !table) return NULL;
    *segments = hed_mppi_path_table(read, (uint32_t)count, closed, table) / HED_MPPI_PATH_SEGMENT;
    memcpy(first, read, 2 * sizeof *first);
    return table;
}

/* ---- obstacles ---- */

static void world_read_obstacles(mppi_scene_reader *reader, hed_json_node array)
{
    hed_mppi_scene *scene = reader->scene;
    size_t count = hed_json_count(array);
    if (mppi_scene_fine(reader) && (count == 0 || count > MPPI_SCENE_OBSTACLES))
        hed_json_reject(
            array, "expected 1 to %d obstacles, found %zu", MPPI_SCENE_OBSTACLES, count);
    mppi_scene_obstacle *obstacles = mppi_scene_new(reader, count, sizeof *obstacles);
    for (size_t i = 0; obstacles && i < count; i++) {
        mppi_scene_obstacle *o = &obstacles[i];
        hed_json_node node = hed_json_item(array, i);
        hed_json_only(node, mppi_scene_keys_obstacle);
        o->radius = (float)hed_json_number(hed_json_member(node, "radius"), 0, world_far);
        o->speed = (float)mppi_scene_number(node, "speed", 0, 0, 1e4);
        o->closed = mppi_scene_boolean(node, "closed", false);
        o->path = world_read_line(
            reader, hed_json_member(node, "points"), 1, o->closed, &o->segments, o->at);
    }
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

static void world_read_path(mppi_scene_reader *reader, hed_json_node node)
{
    hed_mppi_scene *scene = reader->scene;
    float first[2];
    hed_json_only(node, mppi_scene_keys_path);
    scene->path_closed = mppi_scene_boolean(node, "closed", false);
    scene->path = world_read_line(reader, hed_json_member(node, "points"), 2, scene->path_closed,
        &scene->path_segments, first);
    double ahead = mppi_scene_number(node, "ahead", 0, 0, world_far), longest = 0;
    if (!mppi_scene_fine(reader)) return;
    if (scene->path_segments == 0) hed_json_reject(node, "all points of the path coincide");
    if (!mppi_scene_reads(scene, "path"))
        hed_json_reject(node, "no term of this scene reads a path: path_align, path_angle and "
                              "path_follow do");
    /* largest number of segments in a run of length `ahead` */
    scene->window = scene->path_segments;
    for (uint32_t i = 0; ahead > 0 && i < scene->path_segments; i++) {
        uint32_t segments = 0;
        double length = 0;
        while (length < ahead && segments < scene->path_segments)
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

void mppi_scene_read_world(mppi_scene_reader *reader, hed_json_node root)
{
    hed_mppi_scene *scene = reader->scene;
    scene->place = UINT32_MAX;
    if (hed_json_has(root, "tables")) world_read_tables(reader, hed_json_member(root, "tables"));
    if (hed_json_has(root, "map")) world_read_map(reader, hed_json_member(root, "map"));
    if (hed_json_has(root, "obstacles"))
        world_read_obstacles(reader, hed_json_member(root, "obstacles"));
    if (hed_json_has(root, "path")) world_read_path(reader, hed_json_member(root, "path"));
    if (!mppi_scene_fine(reader)) return;
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
        scene->live[count++] = (hed_mppi_table){"path", scene->path_table, size, 0};
    }
    if (scene->obstacle_table) {
        world_show_obstacles(scene, seconds);
        uint32_t size = 4 + 4 * scene->obstacle_count * (scene->def.steps + 1);
        scene->live[count++] = (hed_mppi_table){"obstacles", scene->obstacle_table, size, 0};
    }
    *tables = scene->live;
    return count;
}
