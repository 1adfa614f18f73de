/* Writer of Wavefront OBJ: vertices, texture coordinates and normals in order, polygons
 * unchanged, materials and groups before the same faces as in the file that was read. */
#include "files/mesh_file.h"
#include "heddle/author.h"

/* Writes the spans that begin at face `face`, from span `next` on; returns the next span. */
static uint32_t put_spans(cloth_text *text, const hed_cloth_mesh_span *spans, uint32_t count,
    uint32_t next, uint32_t face, const char *key)
{
    for (; next < count && spans[next].first_face <= face; next++) {
        cloth_text_words(text, spans[next].object ? "o" : key);
        cloth_text_words(text, " ");
        cloth_text_words(text, spans[next].name);
        cloth_text_words(text, "\n");
    }
    return next;
}

static void put_corner(cloth_text *text, uint32_t vertex, uint32_t texture, uint32_t normal)
{
    cloth_text_put(text, " ", 1);
    cloth_text_integer(text, (uint64_t)vertex + 1);
    if (texture != CLOTH_NO_INDEX || normal != CLOTH_NO_INDEX) cloth_text_put(text, "/", 1);
    if (texture != CLOTH_NO_INDEX) cloth_text_integer(text, (uint64_t)texture + 1);
    if (normal != CLOTH_NO_INDEX) {
        cloth_text_put(text, "/", 1);
        cloth_text_integer(text, (uint64_t)normal + 1);
    }
}

/* Writes the faces. `own_normals`: corners have normals of the mesh; else each corner has its
 * vertex's normal. */
static void put_faces(cloth_text *text, const hed_cloth_mesh *mesh, bool own_normals)
{
    uint32_t material = 0, group = 0;
    for (uint32_t face = 0; face <= mesh->face_count; face++) {
        group = put_spans(text, mesh->groups, mesh->group_count, group, face, "g");
        material = put_spans(text, mesh->materials, mesh->material_count, material, face, "usemtl");
        if (face == mesh->face_count) return;
        cloth_text_put(text, "f", 1);
        for (uint32_t corner = mesh->face_at[face]; corner < mesh->face_at[face + 1]; corner++) {
            uint32_t normal = !own_normals           ? mesh->corners[corner]
                              : mesh->corner_normals ? mesh->corner_normals[corner]
                                                     : CLOTH_NO_INDEX;
            put_corner(text, mesh->corners[corner],
                mesh->corner_textures ? mesh->corner_textures[corner] : CLOTH_NO_INDEX, normal);
        }
        cloth_text_put(text, "\n", 1);
    }
}

static void put_vertices(cloth_text *text, const hed_cloth_mesh *mesh, const float *positions)
{
    /* colours have an opacity only if a vertex has one: most readers take three numbers */
    uint32_t channels = mesh->vertex_colours ? 3 : 0;
    for (size_t i = 0; channels == 3 && i < mesh->vertex_count; i++)
        if (mesh->vertex_colours[4 * i + 3] != 1) channels = 4;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        float row[7] = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
        for (uint32_t c = 0; c < channels; c++) row[3 + c] = mesh->vertex_colours[4 * i + c];
        cloth_text_put(text, "v", 1);
        cloth_text_row(text, row, 3 + channels);
    }
}

hed_status hed_cloth_mesh_save_obj(const hed_cloth_mesh *mesh, const char *path,
    const float *positions, const float *normals, hed_error *error)
{
    HED_REQUIRE(path, mesh);
    if (!positions) positions = mesh->positions;
    cloth_text *text;
    hed_status status = cloth_mesh_require_finite(path, positions, mesh->vertex_count, error);
    if (status || (status = cloth_text_open(path, &text, error))) return status;
    if (mesh->material_library) {
        cloth_text_words(text, "mtllib ");
        cloth_text_words(text, mesh->material_library);
        cloth_text_words(text, "\n");
    }
    put_vertices(text, mesh, positions);
    for (size_t i = 0; i < mesh->texture_count; i++) {
        cloth_text_words(text, "vt");
        cloth_text_row(text, mesh->textures + 2 * i, 2);
    }
    const float *written = normals ? normals : mesh->normals;
    uint32_t normal_count = normals ? mesh->vertex_count : mesh->normal_count;
    for (size_t i = 0; i < normal_count; i++) {
        cloth_text_words(text, "vn");
        cloth_text_row(text, written + 3 * i, 3);
    }
    put_faces(text, mesh, !normals);
    return cloth_text_close(text, error);
}
