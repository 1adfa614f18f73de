/* Sequences of meshes: a PC2 point cache, an Alembic cache, numbered mesh files such as
 * walk_####.obj, or an animation of a glTF file. */
#include "files/cloth_scene_parts.h"
#include "files/gltf.h"
#include "support/strict_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100000 };

/* True for files whose samples have times of their own. */
static bool is_timed(const char *path) { return cloth_gltf_is(path) || cloth_path_ends(path, ".abc"); }

/* Reads a cache, or an animation of a glTF file. */
static void read_samples(cloth_scene_reader *reader, hed_json_node sequence, const char *path,
    double rate, hed_cloth_pc2_data *data)
{
    hed_error error = {0};
    const char *animation = hed_json_has(sequence, "animation")
                                ? hed_json_string(hed_json_member(sequence, "animation"))
                                : NULL;
    if (cloth_gltf_is(path)) hed_cloth_gltf_sample(path, animation, rate, data, &error);
    else if (animation)
        hed_json_reject(hed_json_member(sequence, "animation"),
            "%s has no animations: expected a .glb or .gltf file", path);
    else if (cloth_path_ends(path, ".abc")) hed_cloth_alembic_sample(path, rate, data, &error);
    else hed_cloth_pc2_read(path, data, &error);
    cloth_scene_failed(hed_json_member(sequence, "file"), &error);
    if (cloth_scene_fine(reader)) return;
    hed_cloth_pc2_free(data);
}

static void scene_motion_read_cache(cloth_scene_reader *reader, hed_json_node object,
    const char *path, uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence)
{
    hed_cloth_pc2_data data = {0};
    hed_json_node node = hed_json_member(object, "file");
    double rate = sequence->rate > 0 ? sequence->rate : reader->scene->rate;
    read_samples(reader, object, path, rate, &data);
    if (!cloth_scene_fine(reader)) return;
    /* The last sample of a looped animation is its first one; its samples are `rate` /
     * `sampling` a second. */
    if (is_timed(path) && sequence->loop && data.frame_count > 1) data.frame_count--;
    if (is_timed(path)) sequence->rate = rate / (double)data.sampling;
    if (data.vertex_count != vertex_count || data.frame_count == 0)
        hed_json_reject(node,
            "%s has %u vertices in %u samples; the "
            "mesh has %u vertices",
            path, data.vertex_count, data.frame_count, vertex_count);
    float *samples = cloth_scene_allocate(
        reader, node, (uint64_t)data.frame_count * vertex_count, 3 * sizeof *samples);
    for (uint32_t s = 0; samples && s < data.frame_count; s++) {
        float *to = samples + 3 * (size_t)s * vertex_count;
        cloth_scene_place(matrix, data.positions + 3 * (size_t)s * vertex_count, to, vertex_count);
        char sample[300];
        snprintf(sample, sizeof sample, "%.256s, sample %u", path, s);
        if (!cloth_scene_check_near(node, sample, to, vertex_count)) break;
    }
    if (sequence->rate == 0)
        sequence->rate = reader->scene->rate / (data.sampling > 0 ? (double)data.sampling : 1.0);
    sequence->samples = samples;
    sequence->sample_count = samples ? data.frame_count : 0;
    hed_cloth_pc2_free(&data);
}

static void read_files(cloth_scene_reader *reader, hed_json_node node, const char *pattern,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence)
{
    uint32_t first = cloth_scene_integer(node, "first", 1, 0, MOST_FILES);
    uint32_t last = (uint32_t)hed_json_integer(hed_json_member(node, "last"), first, MOST_FILES);
    if (!cloth_scene_fine(reader)) return;
    uint32_t count = last - first + 1;
    float *samples =
        cloth_scene_allocate(reader, node, (uint64_t)count * vertex_count, 3 * sizeof *samples);
    for (uint32_t s = 0; samples && s < count && cloth_scene_fine(reader); s++) {
        hed_cloth_mesh mesh = {0};
        hed_error error = {0};
        float *to = samples + 3 * (size_t)s * vertex_count;
        const char *mark = strchr(pattern, '#');
        int digits = (int)strspn(mark, "#");
        const char *path =
            cloth_scene_text(reader, node, "%.*s%0*u%s", (int)(mark - pattern), pattern, digits,
                first + s, mark + digits); /* "a/walk_####.obj" and 7: "a/walk_0007.obj" */
        hed_cloth_mesh_read(path, &mesh, &error);
        if (cloth_scene_failed(node, &error)) break;
        if (mesh.vertex_count != vertex_count) {
            hed_json_reject(
                node, "%s has %u vertices; the mesh has %u", path, mesh.vertex_count, vertex_count);
        } else {
            /* the other files would give the same warning */
            if (mesh.warning && s == 0) cloth_scene_warn(reader, "%s", mesh.warning);
            cloth_scene_place(matrix, mesh.positions, to, vertex_count);
            cloth_scene_check_near(node, path, to, vertex_count);
        }
        hed_cloth_mesh_free(&mesh);
    }
    if (sequence->rate == 0) sequence->rate = reader->scene->rate;
    sequence->samples = samples;
    sequence->sample_count = samples ? count : 0;
}

static void read_teleports(const hed_field *field, hed_json_node list, void *at, void *user)
{
    cloth_sequence *sequence = at;
    size_t count = hed_json_count(list);
    double *times = cloth_scene_allocate(user, list, count, sizeof *times);
    for (size_t i = 0; times && i < count && cloth_scene_fine(user); i++) {
        times[i] = hed_json_number(hed_json_item(list, i), 0, CLOTH_SCENE_MUCH);
        if (i && times[i] <= times[i - 1])
            hed_json_reject(hed_json_item(list, i),
                "time %g does not come after the one before, at %g", times[i], times[i - 1]);
    }
    sequence->teleports = times;
    sequence->teleport_count = times ? (uint32_t)count : 0;
}

static const hed_field sequence_rows[] = {
    {"file", "point cache (.pc2), Alembic cache (.abc), numbered meshes as walk_####.obj, or a glTF file (.glb, .gltf) whose skeleton moves the mesh in it", .kind = HED_FIELD_TEXT, .required = true},
    {"animation", "name of an animation of a glTF file; by default all that move the mesh", .kind = HED_FIELD_TEXT},
    {"first", "number of the first file; 1 by default", .kind = HED_FIELD_INTEGER, .high = MOST_FILES},
    {"last", "number of the last file", .kind = HED_FIELD_INTEGER, .high = MOST_FILES},
    {"rate", "samples in a second; the scene's rate by default", HED_AS_NUMBER(cloth_sequence, rate, 1e-3, 1e5, NULL)},
    {"loop", "true: the first sample follows the last one; otherwise the last one stays", HED_AS_BOOLEAN(cloth_sequence, loop)},
    {"teleports", "times of jumps between two samples; cloth jumps along, and keeps its motion", HED_AS_OTHER("times", read_teleports)},
    {0},
};
const hed_fields cloth_sequence_fields = {
    "sequence", "positions over time, in the order of the mesh's vertices", .rows = sequence_rows};

void cloth_scene_read_sequence(cloth_scene_reader *reader, hed_json_node node,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence)
{
    hed_fields_read(&cloth_sequence_fields, node, sequence, reader);
    hed_json_node file = hed_json_member(node, "file");
    const char *path = cloth_scene_path(reader, file);
    if (!cloth_scene_fine(reader)) return;
    if (strchr(path, '#') && !cloth_node_in(path)) {
        read_files(reader, node, path, vertex_count, matrix, sequence);
    } else if (hed_json_has(node, "first") || hed_json_has(node, "last")) {
        hed_json_reject(file, "\"first\" and \"last\" count files; expected a "
                              "name with #### for the number");
    } else {
        scene_motion_read_cache(reader, node, path, vertex_count, matrix, sequence);
    }
}

void cloth_sequence_at(
    const cloth_sequence *sequence, uint32_t vertex_count, double time, float *positions)
{
    double place = time * sequence->rate, count = sequence->sample_count;
    /* after the last sample follows the first one */
    if (sequence->loop) place = fmod(place, count);
    double low = floor(fmin(place, count - 1));
    uint32_t last = sequence->sample_count - 1, a = (uint32_t)low;
    uint32_t b = a < last ? a + 1 : sequence->loop ? 0 : a;
    float part = (float)(fmin(place, sequence->loop ? count : count - 1) - low);
    for (uint32_t i = 0; i < sequence->teleport_count; i++) {
        double jump = sequence->teleports[i] * sequence->rate;
        if (sequence->loop) jump = fmod(jump, count);
        if (jump > low && jump <= low + 1)
            part = place >= jump - CLOTH_JUMP_SLACK * sequence->rate ? 1.0f : 0.0f;
    }
    const float *from = sequence->samples + 3 * (size_t)a * vertex_count,
                *to = sequence->samples + 3 * (size_t)b * vertex_count;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        positions[i] = from[i] + part * (to[i] - from[i]);
}
