/* Meshes of garments that tear: each corner of a face is a vertex, in the order in which
 * hed_cloth_garment_def.tear has them, so that a point cache of this mesh shows tears. */
#include "files/cloth_scene_parts.h"

#include <stdlib.h>
#include <string.h>

/* Copies a corner of a face as the next vertex and corner of another mesh. */
static void add_split_corner(const hed_cloth_mesh *from, uint32_t corner, hed_cloth_mesh *to,
    const cloth_scene_garment *garment, uint32_t *particle_of)
{
    uint32_t at = to->vertex_count++, vertex = from->corners[corner];
    memcpy(to->positions + 3 * (size_t)at, from->positions + 3 * (size_t)vertex,
        3 * sizeof *to->positions);
    if (to->vertex_colours)
        memcpy(to->vertex_colours + 4 * (size_t)at, from->vertex_colours + 4 * (size_t)vertex,
            4 * sizeof *to->vertex_colours);
    to->corners[at] = at;
    if (to->corner_textures) to->corner_textures[at] = from->corner_textures[corner];
    particle_of[at] = garment->particle_of[vertex];
}

/* Fills the faces: polygons but quads, cut from their first corner, then quads. */
static void split_faces(const hed_cloth_mesh *from, hed_cloth_mesh *to,
    const cloth_scene_garment *garment, uint32_t *particle_of)
{
    for (int quads = 0; quads < 2; quads++)
        for (uint32_t f = 0; f < from->face_count; f++) {
            uint32_t first = from->face_at[f], count = from->face_at[f + 1] - first;
            if ((count == 4) != (quads != 0)) continue;
            for (uint32_t c = 1; c + 1 < count; c += quads ? count : 1) {
                add_split_corner(from, first, to, garment, particle_of);
                for (uint32_t k = c; k < (quads ? count : c + 2); k++)
                    add_split_corner(from, first + k, to, garment, particle_of);
                to->face_at[++to->face_count] = to->vertex_count;
            }
        }
}

void cloth_scene_split_faces(
    cloth_scene_reader *reader, hed_json_node node, cloth_scene_garment *result)
{
    const hed_cloth_mesh *from = result->mesh;
    hed_cloth_garment_def *def = &result->def;
    if (!cloth_scene_fine(reader) || !(def->tear > 0)) return;
    size_t faces = (size_t)def->triangle_count + def->quad_count,
           corners = 3 * (size_t)def->triangle_count + 4 * (size_t)def->quad_count;
    uint32_t *particle_of = cloth_scene_allocate(reader, node, corners, sizeof *particle_of);
    uint32_t *first_vertex =
        cloth_scene_allocate(reader, node, def->particle_count, sizeof *first_vertex);
    hed_cloth_mesh mesh = {.texture_count = from->texture_count};
    size_t textures = 2 * (size_t)from->texture_count;
    mesh.positions = malloc(3 * corners * sizeof *mesh.positions);
    mesh.corners = malloc(corners * sizeof *mesh.corners);
    mesh.face_at = calloc(faces + 1, sizeof *mesh.face_at);
    if (from->vertex_colours) mesh.vertex_colours = malloc(4 * corners * sizeof *mesh.positions);
    if (textures && from->corner_textures) {
        mesh.textures = malloc(textures * sizeof *mesh.textures);
        mesh.corner_textures = malloc(corners * sizeof *mesh.corner_textures);
        if (mesh.textures) memcpy(mesh.textures, from->textures, textures * sizeof *mesh.textures);
    }
    bool is_whole =
        mesh.positions && mesh.corners && mesh.face_at && particle_of && first_vertex &&
        (!from->vertex_colours || mesh.vertex_colours) &&
        (!(textures && from->corner_textures) || (mesh.textures && mesh.corner_textures));
    if (is_whole) {
        split_faces(from, &mesh, result, particle_of);
        for (uint32_t i = mesh.vertex_count; i-- > 0;) first_vertex[particle_of[i]] = i;
        result->particle_of = def->vertex_particle = particle_of;
        result->first_vertex = first_vertex;
        def->vertex_count = mesh.vertex_count;
        def->grid_width = def->grid_height = 0;
        result->mesh = cloth_scene_own_mesh(reader, node, &mesh);
    } else {
        hed_cloth_mesh_free(&mesh);
        hed_json_fail(node, HED_ERROR_MEMORY, "out of memory");
    }
}
