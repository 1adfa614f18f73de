/* Data for a picture of a scene, in addition to the garments: props and the camera, in the
 * scene's unit. */
#include "files/cloth_scene_parts.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bounds ---- */

static void add_points(const float *points, uint32_t count, double low[3], double high[3])
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], points[3 * i + k]);
            high[k] = fmax(high[k], points[3 * i + k]);
        }
}

void cloth_scene_bounds(const hed_cloth_scene *scene, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (uint32_t g = 0; g < scene->garment_count; g++)
        add_points(
            scene->garments[g].def.positions, scene->garments[g].def.particle_count, low, high);
}

/* ---- props ---- */

void cloth_scene_show(hed_cloth_scene *scene, double time)
{
    for (uint32_t i = 0; i < scene->obstacle_count; i++) {
        cloth_obstacle *obstacle = &scene->obstacles[i];
        cloth_body *shown = &obstacle->shown;
        if (!shown->vertex_count) continue;
        /* a mesh has no motion of its own here: its body has moved already */
        cloth_pose pose = cloth_motion_at(&obstacle->motion, time);
        cloth_pose_apply(&pose, shown->rest, shown->now, shown->vertex_count);
        for (size_t k = 0; k < 3 * (size_t)shown->vertex_count; k++)
            shown->now[k] = (float)(shown->now[k] / scene->unit);
    }
}

uint32_t hed_cloth_scene_prop_count(const hed_cloth_scene *scene)
{
    if (!scene) return 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->obstacle_count; i++)
        count += scene->obstacles[i].shown.vertex_count > 0;
    return count;
}

/* True if the camera is on the back of a plane, whose drawn square would hide the cloth. */
static bool is_from_behind(const hed_cloth_scene *scene, const cloth_obstacle *obstacle)
{
    if (obstacle->kind != CLOTH_OBSTACLE_PLANE) return false;
    const float *points[] = {obstacle->shown.rest, obstacle->shown.now};
    double side[2] = {0};
    for (int i = 0; i < 2; i++) {
        const float *p = points[i];
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            double normal = ((double)p[3 + a] - p[a]) * ((double)p[6 + b] - p[b]) -
                            ((double)p[3 + b] - p[b]) * ((double)p[6 + a] - p[a]);
            side[i] += normal * (i ? (double)scene->camera.eye[k] - p[k] : obstacle->simple.b[k]);
        }
    }
    return side[0] * side[1] < 0;
}

hed_cloth_prop hed_cloth_scene_prop(const hed_cloth_scene *scene, uint32_t index)
{
    if (!scene) return (hed_cloth_prop){0};
    const cloth_obstacle *obstacle = scene->obstacles;
    while (!obstacle->shown.vertex_count || index-- > 0) obstacle++;
    const cloth_body *shown = &obstacle->shown;
    hed_cloth_prop prop = {
        .name = obstacle->name, .positions = shown->now, .triangles = shown->triangles};
    prop.vertex_count = shown->vertex_count;
    prop.triangle_count = is_from_behind(scene, obstacle) ? 0 : shown->triangle_count;
    memcpy(prop.colour, obstacle->colour, sizeof prop.colour);
    return prop;
}

/* ---- camera ---- */

/* Makes a camera that sees everything from the front, a little from the right and from above. */
static hed_cloth_camera fit_camera(const hed_cloth_scene *scene)
{
    hed_cloth_camera camera = {.field_of_view = 35, .width = 1280, .height = 720};
    double low[3], high[3], radius = 0;
    uint32_t up = scene->def.up, right = (up + 2) % 3, front = (up + 1) % 3;
    cloth_scene_bounds(scene, low, high);
    for (uint32_t i = 0; i < scene->obstacle_count; i++) {
        const cloth_obstacle *obstacle = &scene->obstacles[i];
        if (obstacle->kind != CLOTH_OBSTACLE_PLANE)
            add_points(obstacle->shown.rest, obstacle->shown.vertex_count, low, high);
    }
    for (int k = 0; k < 3; k++) radius += (high[k] - low[k]) * (high[k] - low[k]) / 4;
    radius = fmax(sqrt(radius), 1e-3);
    /* y up: x is right and z front; z up: x is right and -y front. */
    double distance = 1.05 * radius / hed_strict_sin(camera.field_of_view / 2 * 3.14159265 / 180),
           aside = up == 2 ? -1 : 1;
    if (up == 2) {
        right = 0;
        front = 1;
    }
    for (uint32_t k = 0; k < 3; k++) {
        double component = k == up ? 0.35 : k == right ? 0.45 : k == front ? 0.82 * aside : 0;
        camera.target[k] = (float)((low[k] + high[k]) / 2 / scene->unit);
        camera.eye[k] = (float)(camera.target[k] + component * distance / scene->unit);
    }
    camera.up[up] = 1;
    return camera;
}

/* True if a view has a direction, and its up is another direction. */
static bool can_look(const hed_cloth_camera *c)
{
    double way[3], cross = 0, length = 0, up = 0;
    for (int k = 0; k < 3; k++) way[k] = (double)c->target[k] - c->eye[k];
    for (int k = 0; k < 3; k++) {
        double part = way[(k + 1) % 3] * c->up[(k + 2) % 3] - way[(k + 2) % 3] * c->up[(k + 1) % 3];
        cross += part * part;
        length += way[k] * way[k];
        up += (double)c->up[k] * c->up[k];
    }
    return cross > 1e-8 * length * up;
}

static const hed_field camera_rows[] = {
    {"eye", "position of the camera", CLOTH_PLACE(hed_cloth_camera, eye)},
    {"target", "point in the middle of the picture", CLOTH_PLACE(hed_cloth_camera, target)},
    {"up", "direction upwards in the picture", CLOTH_DIRECTION(hed_cloth_camera, up)},
    {"field_of_view", "vertical angle of view; 35 by default", HED_AS_NUMBER(hed_cloth_camera, field_of_view, 1, 150, "degrees")},
    {"width", "width of the picture, pixels; 1280 by default", HED_AS_INTEGER(hed_cloth_camera, width, 16, 8192)},
    {"height", "height of the picture, pixels; 720 by default", HED_AS_INTEGER(hed_cloth_camera, height, 16, 8192)},
    {0},
};
const hed_fields cloth_camera_fields = {
    "camera", "view of pictures; by default one that shows everything at the start", .rows = camera_rows};

void cloth_scene_read_camera(cloth_scene_reader *reader, hed_json_node root)
{
    hed_cloth_scene *scene = reader->scene;
    if (!cloth_scene_fine(reader)) return;
    scene->camera = fit_camera(scene);
    if (!hed_json_has(root, "camera")) return;
    hed_cloth_camera *camera = &scene->camera;
    hed_json_node node = hed_json_member(root, "camera");
    hed_fields_read(&cloth_camera_fields, node, camera, reader);
    if (cloth_scene_fine(reader) && !can_look(camera))
        hed_json_reject(node, "eye, target and up lie on one line");
}
