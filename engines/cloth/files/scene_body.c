/* Mesh files of scenes, and bodies: meshes that move by a sequence or rigidly, as colliders or
 * as drivers of garments. */
#include "files/cloth_scene_parts.h"
#include "files/gltf.h"
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

/* Reports the warning of a mesh file. A mesh with a sequence needs no advice to use one. */
static void warn_of_mesh(cloth_scene_reader *reader, char *warning, bool has_sequence)
{
    char *rest = has_sequence ? strstr(warning, CLOTH_GLTF_AT_REST) : NULL;
    if (rest && rest[-1] == ':') return; /* no other part is in the warning */
    if (rest) rest[-1] = 0;
    cloth_scene_warn(reader, "%s", warning);
}

const hed_cloth_mesh *cloth_scene_read_mesh(cloth_scene_reader *reader, hed_json_node object)
{
    hed_json_node file = hed_json_member(object, "mesh");
    bool mend = cloth_scene_boolean(object, "mend", false) || reader->options->mend;
    const char *path = cloth_scene_path(reader, file);
    hed_cloth_mesh mesh = {0};
    hed_error error = {0};
    if (!cloth_scene_fine(reader)) return NULL;
    hed_cloth_mesh_read(path, &mesh, &error);
    if (cloth_scene_failed(file, &error)) return NULL;
    if (mesh.warning) warn_of_mesh(reader, mesh.warning, hed_json_has(object, "sequence"));
    make_sound(reader, file, path, &mesh, mend);
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

void cloth_body_make_jumps(cloth_scene_reader *reader, hed_json_node node, cloth_body *body)
{
    if (body->sequence.teleport_count)
        body->before =
            cloth_scene_allocate(reader, node, body->vertex_count, 3 * sizeof *body->before);
}

cloth_body *cloth_scene_read_body(cloth_scene_reader *reader, hed_json_node object, bool normals)
{
    hed_json_node file = hed_json_member(object, "mesh");
    double matrix[12];
    const hed_cloth_mesh *mesh = cloth_scene_read_mesh(reader, object);
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
    cloth_body_make_jumps(reader, object, body);
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
