/* Mesh files of scenes, and bodies: meshes that move by a sequence or rigidly, as colliders or
 * as drivers of garments. */
#include "files/scene_parts.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- mesh files ---- */

hed_cloth_mesh *cloth_scene_own_mesh(
    cloth_scene_reader *reader, hed_json_node node, hed_cloth_mesh *mesh)
{
    hed_cloth_scene *scene = reader->scene;
    hed_cloth_mesh *owned = cloth_scene_allocate(reader, node, 1, sizeof *owned);
    hed_cloth_mesh **list =
        owned ? realloc(scene->meshes, (scene->mesh_count + 1) * sizeof(hed_cloth_mesh *)) : NULL;
    if (!list) {
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory");
        hed_cloth_mesh_free(mesh);
        return NULL;
    }
    *owned = *mesh;
    *mesh = (hed_cloth_mesh){0};
    scene->meshes = list;
    scene->meshes[scene->mesh_count++] = owned;
    return owned;
}

/* Checks a mesh; repairs it if that is requested and safe, else records an error. */
static void make_sound(cloth_scene_reader *reader, hed_json_node node, const char *path,
    hed_cloth_mesh *mesh, bool mend)
{
    hed_error error = {0};
    hed_status status = hed_cloth_mesh_require_sound(path, mesh, &error);
    if (status == HED_OK) return;
    if (status == HED_ERROR_FORMAT && mend) {
        uint32_t removed = 0;
        hed_error first = error;
        hed_error_clear(&error);
        status = hed_cloth_mesh_mend(mesh, &removed, &error);
        if (status == HED_OK) status = hed_cloth_mesh_require_sound(path, mesh, &error);
        if (status == HED_OK)
            cloth_scene_warn(reader, "%s: mended: %u faces taken away; the first fault was: %s",
                path, removed, first.text);
    } else if (status == HED_ERROR_FORMAT) {
        hed_json_fail(node, status,
            "%s; \"mend\": true (or --mend) takes such faces away "
            "where that is safe",
            error.text);
        return;
    }
    if (status != HED_OK) hed_json_fail(node, status, "%s", error.text);
}

const hed_cloth_mesh *cloth_scene_read_mesh(
    cloth_scene_reader *reader, hed_json_node file, bool mend)
{
    const char *path = cloth_scene_path(reader, file);
    hed_cloth_mesh mesh = {0};
    hed_error error = {0};
    if (!cloth_scene_fine(reader)) return NULL;
    hed_cloth_mesh_read(path, &mesh, &error);
    if (cloth_scene_failed(file, &error)) return NULL;
    if (mesh.warning) cloth_scene_warn(reader, "%s", mesh.warning);
    make_sound(reader, file, path, &mesh, mend || reader->options->mend);
    if (cloth_scene_fine(reader) && (mesh.vertex_count == 0 || mesh.face_count == 0))
        hed_json_reject(file, "%s has no faces", path);
    return cloth_scene_own_mesh(reader, file, &mesh);
}

const uint32_t *cloth_scene_triangles(cloth_scene_reader *reader, hed_json_node node,
    const hed_cloth_mesh *mesh, const uint32_t *particle_of, bool without_quads, uint32_t *count)
{
    uint64_t total = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t corners = mesh->face_at[f + 1] - mesh->face_at[f];
        if (!(without_quads && corners == 4)) total += corners - 2;
    }
    uint32_t *triangles = cloth_scene_allocate(reader, node, total, 3 * sizeof *triangles),
             *next = triangles;
    if (!triangles) return NULL;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        const uint32_t *face = mesh->corners + mesh->face_at[f];
        uint32_t corners = mesh->face_at[f + 1] - mesh->face_at[f];
        if (without_quads && corners == 4) continue;
        for (uint32_t c = 1; c + 1 < corners; c++) {
            const uint32_t corner[3] = {face[0], face[c], face[c + 1]};
            for (int k = 0; k < 3; k++) *next++ = particle_of ? particle_of[corner[k]] : corner[k];
        }
    }
    *count = (uint32_t)total;
    return triangles;
}

/* ---- bodies ---- */

cloth_body *cloth_scene_read_body(cloth_scene_reader *reader, hed_json_node object, bool normals)
{
    hed_json_node file = hed_json_member(object, "mesh");
    double matrix[12];
    const hed_cloth_mesh *mesh =
        cloth_scene_read_mesh(reader, file, cloth_scene_boolean(object, "mend", false));
    cloth_scene_read_transform(reader, object, matrix);
    cloth_body *body = cloth_scene_allocate(reader, object, 1, sizeof *body);
    if (!mesh || !body) return NULL;
    float *rest = cloth_scene_allocate(reader, file, mesh->vertex_count, 3 * sizeof *rest);
    body->now = cloth_scene_allocate(reader, file, mesh->vertex_count, 3 * sizeof *body->now);
    if (normals)
        body->normals =
            cloth_scene_allocate(reader, file, mesh->vertex_count, 3 * sizeof *body->normals);
    body->triangles = cloth_scene_triangles(reader, file, mesh, NULL, false, &body->triangle_count);
    body->vertex_count = mesh->vertex_count;
    body->rest = rest;
    if (!cloth_scene_fine(reader)) return NULL;
    cloth_scene_place(matrix, mesh->positions, rest, mesh->vertex_count);
    cloth_scene_check_near(object, hed_json_string(file), rest, mesh->vertex_count);
    if (hed_json_has(object, "sequence"))
        cloth_scene_read_sequence(reader, hed_json_member(object, "sequence"), mesh->vertex_count,
            matrix, &body->sequence);
    if (hed_json_has(object, "motion"))
        cloth_scene_read_motion(reader, hed_json_member(object, "motion"), &body->motion);
    if (!cloth_scene_fine(reader)) return NULL;
    cloth_body_move(body, 0);
    return body;
}

/* Computes vertex normals, each triangle weighted by its area. */
static void find_normals(cloth_body *body)
{
    const float *p = body->now;
    memset(body->normals, 0, (size_t)body->vertex_count * 3 * sizeof *body->normals);
    for (uint32_t t = 0; t < body->triangle_count; t++) {
        const uint32_t *v = &body->triangles[3 * (size_t)t];
        float e[3], f[3];
        for (int k = 0; k < 3; k++) {
            e[k] = p[3 * (size_t)v[1] + k] - p[3 * (size_t)v[0] + k];
            f[k] = p[3 * (size_t)v[2] + k] - p[3 * (size_t)v[0] + k];
        }
        const float n[3] = {
            e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) body->normals[3 * (size_t)v[c] + k] += n[k];
    }
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        float *n = &body->normals[3 * (size_t)i];
        double length = sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]);
        if (length > 0)
            for (int k = 0; k < 3; k++) n[k] = (float)(n[k] / length);
        else n[1] = 1; /* a vertex without area gets an arbitrary normal */
    }
}

void cloth_body_move(cloth_body *body, double time)
{
    const float *from = body->rest;
    if (body->sequence.sample_count) {
        cloth_sequence_at(&body->sequence, body->vertex_count, time, body->now);
        from = body->now;
    }
    if (!cloth_motion_is_still(&body->motion)) {
        cloth_pose pose = cloth_motion_at(&body->motion, time);
        cloth_pose_apply(&pose, from, body->now, body->vertex_count);
    } else if (from != body->now) {
        memcpy(body->now, from, (size_t)body->vertex_count * 3 * sizeof *from);
    }
    if (body->normals) find_normals(body);
}

/* Data for a picture of a scene, in addition to the garments: props and the camera, in the
 * scene's unit. */

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

hed_cloth_prop hed_cloth_scene_prop(const hed_cloth_scene *scene, uint32_t index)
{
    if (!scene) return (hed_cloth_prop){0};
    const cloth_obstacle *obstacle = scene->obstacles;
    while (!obstacle->shown.vertex_count || index-- > 0) obstacle++;
    const cloth_body *shown = &obstacle->shown;
    hed_cloth_prop prop = {
        .name = obstacle->name, .positions = shown->now, .triangles = shown->triangles};
    prop.vertex_count = shown->vertex_count;
    prop.triangle_count = shown->triangle_count;
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
    "camera", "view of pictures; by default one that shows everything", .rows = camera_rows};

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
