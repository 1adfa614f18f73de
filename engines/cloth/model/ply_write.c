/* Writing PLY, binary little-endian: vertices with a colour each, faces as they are. For looking at
 * diagnostic colours: texture coordinates, normals, materials and groups are OBJ's and GLB's.
 * Format: G. Turk, The PLY Polygon File Format (1994). */
#include "model/mesh.h"

#include "heddle/author.h"

#include <stdlib.h>
#include <string.h>

static uint32_t largest_face(const hed_cloth_mesh *mesh)
{
    uint32_t largest = 0;
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t count = mesh->face_at[face + 1] - mesh->face_at[face];
        if (count > largest) largest = count;
    }
    return largest;
}

static void put_head(cloth_text *text, const hed_cloth_mesh *mesh, bool coloured, bool wide)
{
    cloth_text_words(text, "ply\nformat binary_little_endian 1.0\nelement vertex ");
    cloth_text_integer(text, mesh->vertex_count);
    cloth_text_words(text, "\nproperty float x\nproperty float y\nproperty float z\n");
    if (coloured)
        cloth_text_words(text,
            "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n");
    cloth_text_words(text, "element face ");
    cloth_text_integer(text, mesh->face_count);
    cloth_text_words(text, wide ? "\nproperty list uint uint vertex_indices\n"
                                : "\nproperty list uchar uint vertex_indices\n");
    cloth_text_words(text, "end_header\n");
}

static void put_vertex(cloth_text *text, const hed_cloth_mesh *mesh, const float *positions,
    const uint8_t *colours, size_t vertex)
{
    uint8_t colour[4];
    cloth_text_put(text, (const char *)(positions + 3 * vertex), 3 * sizeof(float));
    if (colours) memcpy(colour, colours + 4 * vertex, sizeof colour);
    else if (mesh->vertex_colours)
        for (size_t c = 0; c < 4; c++)
            colour[c] = (uint8_t)(mesh->vertex_colours[4 * vertex + c] * 255 + 0.5f);
    if (colours || mesh->vertex_colours) cloth_text_put(text, (const char *)colour, sizeof colour);
}

hed_status hed_cloth_mesh_write_ply(const char *path, const hed_cloth_mesh *mesh, const float *positions,
    const uint8_t *colours, hed_error *error)
{
    if (hed_failed(error)) return error->status;
    if (!positions) positions = mesh->positions;
    hed_status status = cloth_mesh_require_finite(path, positions, mesh->vertex_count, error);
    if (status != HED_OK) return status;
    cloth_text *text = malloc(sizeof *text);
    if (!text)
        return hed_fail(error, HED_ERROR_MEMORY, "out of memory while writing %s", path);
    text->used = 0;
    status = hed_file_writer_open(path, &text->writer, error);
    if (status != HED_OK) {
        free(text);
        return status;
    }
    bool wide = largest_face(mesh) > UINT8_MAX;
    put_head(text, mesh, colours || mesh->vertex_colours, wide);
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
        put_vertex(text, mesh, positions, colours, vertex);
    for (uint32_t face = 0; face < mesh->face_count; face++) {
        uint32_t first = mesh->face_at[face], count = mesh->face_at[face + 1] - first;
        cloth_text_put(text, (const char *)&count,
            wide ? sizeof count : 1); /* little-endian: the lowest byte comes first */
        cloth_text_put(text, (const char *)(mesh->corners + first), count * sizeof *mesh->corners);
    }
    cloth_text_flush(text);
    status = hed_file_writer_commit(text->writer, error);
    free(text);
    return status;
}
