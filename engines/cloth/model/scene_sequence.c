/* Mesh sequences: a PC2 point cache, or numbered mesh files such as walk_####.obj. */
#include "model/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100000 };

static void read_cache(cloth_scene_reader *reader, hed_json_node node, const char *path,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence)
{
    hed_cloth_pc2_data data = {0};
    hed_error error = {0};
    hed_status status = hed_cloth_pc2_read(path, &data, &error);
    if (status != HED_OK) {
        cloth_scene_reject(reader, status, node, "%s", error.text);
        return;
    }
    if (data.vertex_count != vertex_count || data.frame_count == 0)
        cloth_scene_reject(reader, HED_ERROR_FORMAT, node,
            "%s has %u vertices in %u samples; the "
            "mesh has %u vertices",
            path, data.vertex_count, data.frame_count, vertex_count);
    float *samples = cloth_scene_allocate(
        reader, node, (uint64_t)data.frame_count * vertex_count, 3 * sizeof *samples);
    for (uint32_t s = 0; samples && s < data.frame_count; s++) {
        float *to = samples + 3 * (size_t)s * vertex_count;
        cloth_scene_place(matrix, data.positions + 3 * (size_t)s * vertex_count, to, vertex_count);
        if (!cloth_scene_check_near(reader, node, path, to, vertex_count)) break;
    }
    if (sequence->rate == 0)
        sequence->rate = reader->scene->rate / (data.sampling > 0 ? (double)data.sampling : 1.0);
    sequence->samples = samples;
    sequence->sample_count = samples ? data.frame_count : 0;
    hed_cloth_pc2_free(&data);
}

/* "a/walk_####.obj" and 7: "a/walk_0007.obj". */
static const char *numbered(
    cloth_scene_reader *reader, hed_json_node node, const char *pattern, uint32_t number)
{
    const char *first = strchr(pattern, '#');
    int digits = (int)strspn(first, "#");
    return cloth_scene_text(reader, node, "%.*s%0*u%s", (int)(first - pattern), pattern, digits,
        number, first + digits);
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
        const char *path = numbered(reader, node, pattern, first + s);
        hed_status status = hed_cloth_mesh_read(path, &mesh, &error);
        if (status != HED_OK) {
            cloth_scene_reject(reader, status, node, "%s", error.text);
        } else if (mesh.vertex_count != vertex_count) {
            cloth_scene_reject(reader, HED_ERROR_FORMAT, node,
                "%s has %u vertices; the mesh has %u", path, mesh.vertex_count, vertex_count);
        } else {
            /* the others are like it */
            if (mesh.warning && s == 0) cloth_scene_warn(reader, "%s", mesh.warning);
            cloth_scene_place(matrix, mesh.positions, to, vertex_count);
            cloth_scene_check_near(reader, node, path, to, vertex_count);
        }
        hed_cloth_mesh_free(&mesh);
    }
    if (sequence->rate == 0) sequence->rate = reader->scene->rate;
    sequence->samples = samples;
    sequence->sample_count = samples ? count : 0;
}

void cloth_scene_read_sequence(cloth_scene_reader *reader, hed_json_node node,
    uint32_t vertex_count, const double matrix[12], cloth_sequence *sequence)
{
    hed_json_only(node, cloth_keys_sequence);
    hed_json_node file = hed_json_member(node, "file");
    const char *path = cloth_scene_path(reader, file);
    sequence->rate = cloth_scene_number(node, "rate", 0, 1e-3, 1e5);
    sequence->loop = cloth_scene_boolean(node, "loop", false);
    if (!cloth_scene_fine(reader)) return;
    if (strchr(path, '#')) {
        read_files(reader, node, path, vertex_count, matrix, sequence);
    } else if (hed_json_has(node, "first") || hed_json_has(node, "last")) {
        cloth_scene_reject(reader, HED_ERROR_FORMAT, file,
            "\"first\" and \"last\" count files; expected a "
            "name with #### for the number");
    } else {
        read_cache(reader, file, path, vertex_count, matrix, sequence);
    }
}

void cloth_sequence_at(
    const cloth_sequence *sequence, uint32_t vertex_count, double time, float *positions)
{
    double place = time * sequence->rate, count = sequence->sample_count;
    if (sequence->loop) place = fmod(place, count); /* behind the last sample comes the first one */
    double low = floor(fmin(place, count - 1));
    uint32_t last = sequence->sample_count - 1, a = (uint32_t)low;
    uint32_t b = a < last ? a + 1 : sequence->loop ? 0 : a;
    float part = (float)(fmin(place, sequence->loop ? count : count - 1) - low);
    const float *from = sequence->samples + 3 * (size_t)a * vertex_count,
                *to = sequence->samples + 3 * (size_t)b * vertex_count;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        positions[i] = from[i] + part * (to[i] - from[i]);
}
