/* What the fuzzers of mesh formats do with what was read: it can be inspected, mended, welded and
 * written in every format. */
#ifndef CLOTH_MESH_FUZZ_H
#define CLOTH_MESH_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

#include "engines/cloth/files/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every corner of what was read names something that is there. */
static inline void expect_inside(const hed_cloth_mesh *mesh)
{
    if (mesh->face_at[0] != 0) abort();
    for (uint32_t face = 0; face < mesh->face_count; face++)
        if (mesh->face_at[face + 1] < mesh->face_at[face] + 3) abort();
    for (uint32_t corner = 0; corner < mesh->face_at[mesh->face_count]; corner++) {
        if (mesh->corners[corner] >= mesh->vertex_count) abort();
        if (mesh->corner_textures && mesh->corner_textures[corner] != UINT32_MAX &&
            mesh->corner_textures[corner] >= mesh->texture_count)
            abort();
        if (mesh->corner_normals && mesh->corner_normals[corner] != UINT32_MAX &&
            mesh->corner_normals[corner] >= mesh->normal_count)
            abort();
    }
}

static inline void use(hed_cloth_mesh *mesh)
{
    hed_error error = {0};
    hed_cloth_mesh_check check;
    uint32_t removed, width, height, count,
        *particle_of = malloc(mesh->vertex_count * sizeof *particle_of);
    expect_inside(mesh);
    if (!particle_of || hed_cloth_mesh_weld(mesh, 0.1f, particle_of, &count, &error) != HED_OK ||
        count == 0 || count > mesh->vertex_count)
        abort();
    free(particle_of);
    hed_cloth_mesh_is_grid(mesh, &width, &height);
    if (hed_cloth_mesh_save_obj(mesh, "/dev/null", NULL, NULL, &error) != HED_OK) abort();
    if (hed_cloth_mesh_save_ply(mesh, "/dev/null", NULL, NULL, &error) != HED_OK) abort();
    if (mesh->face_count > 0 &&
        hed_cloth_mesh_save_glb(mesh, "/dev/null", NULL, NULL, NULL, &error) != HED_OK)
        abort();
    if (hed_cloth_mesh_mend(mesh, &removed, &error) != HED_OK) abort();
    expect_inside(mesh);
    if (hed_cloth_mesh_inspect(mesh, &check, &error) != HED_OK) abort();
    if (mesh->face_count && hed_cloth_mesh_require_sound("mended", mesh, &error) != HED_OK) abort();
}

/* What a parser gave. */
static inline void judge(hed_status status, hed_cloth_mesh *mesh, const hed_error *error)
{
    if (status == HED_OK) use(mesh);
    else if (status != HED_ERROR_FORMAT || !error->text[0] || mesh->positions) abort();
    hed_cloth_mesh_free(mesh);
}

#endif
