/* Meshes: freeing, and grids. */
#include "model/mesh.h"

#include <stdlib.h>

static void free_spans(hed_cloth_mesh_span *spans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) free(spans[i].name);
    free(spans);
}

void hed_cloth_mesh_free(hed_cloth_mesh *mesh)
{
    if (!mesh) return;
    free(mesh->positions);
    free(mesh->vertex_colours);
    free(mesh->face_at);
    free(mesh->corners);
    free(mesh->textures);
    free(mesh->normals);
    free(mesh->corner_textures);
    free(mesh->corner_normals);
    free_spans(mesh->materials, mesh->material_count);
    free_spans(mesh->groups, mesh->group_count);
    free(mesh->material_library);
    free(mesh->warning);
    *mesh = (hed_cloth_mesh){0};
}

/* ---- grids ---- */

uint32_t cloth_mesh_cell_of(const uint32_t *corners, uint32_t width)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < 4; i++)
        if (corners[i] < corners[first]) first = i;
    uint32_t at = corners[first], next = corners[(first + 1) & 3],
             across = corners[(first + 2) & 3], last = corners[(first + 3) & 3];
    bool around = (next == at + 1 && last == at + width) || (next == at + width && last == at + 1);
    if (!around || across != at + width + 1 || at % width == width - 1) return CLOTH_NO_INDEX;
    return at / width * (width - 1) + at % width;
}

bool hed_cloth_mesh_is_grid(const hed_cloth_mesh *mesh, uint32_t *width, uint32_t *height)
{
    if (!mesh || !width || !height) return false;
    *width = *height = 0;
    if (mesh->face_count == 0 || mesh->face_at[1] != 4) return false;
    uint32_t low = CLOTH_NO_INDEX, high = 0;
    for (int i = 0; i < 4; i++) {
        if (mesh->corners[i] < low) low = mesh->corners[i];
        if (mesh->corners[i] > high) high = mesh->corners[i];
    }
    if (high - low < 3) return false;

    /* the only grid that can contain the first face */
    uint32_t w = high - low - 1, h = mesh->vertex_count / w;
    if (h < 2 || (uint64_t)w * h != mesh->vertex_count ||
        (uint64_t)(w - 1) * (h - 1) != mesh->face_count)
        return false;
    /* a grid counts as any other mesh if memory ran out */
    uint8_t *is_filled = calloc(mesh->face_count, 1);
    bool grid = is_filled != NULL;
    for (uint32_t face = 0; grid && face < mesh->face_count; face++) {
        uint32_t cell = mesh->face_at[face + 1] - mesh->face_at[face] == 4
                            ? cloth_mesh_cell_of(mesh->corners + mesh->face_at[face], w)
                            : CLOTH_NO_INDEX;
        grid = cell < mesh->face_count && !is_filled[cell];
        if (grid) is_filled[cell] = 1;
    }
    free(is_filled);
    if (grid) {
        *width = w;
        *height = h;
    }
    return grid;
}
