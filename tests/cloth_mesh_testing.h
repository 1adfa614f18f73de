/* What the tests of meshes share: a mesh from text, a grid, arrays compared. */
#ifndef HED_TESTS_CLOTH_MESH_TESTING_H
#define HED_TESTS_CLOTH_MESH_TESTING_H

#include <math.h>

#include "folder.h"
#include "heddle/cloth_mesh.h"

static inline hed_cloth_mesh parse(const char *text)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    OK(hed_cloth_mesh_parse_obj(text, strlen(text), "test.obj", &mesh, &error));
    return mesh;
}

/* A grid of quads, row after row. */
static inline hed_cloth_mesh make_grid(uint32_t width, uint32_t height)
{
    hed_cloth_mesh mesh = {
        .vertex_count = width * height, .face_count = (width - 1) * (height - 1)};
    mesh.positions = malloc(mesh.vertex_count * 3 * sizeof(float));
    mesh.face_at = malloc((mesh.face_count + 1) * sizeof(uint32_t));
    mesh.corners = malloc(mesh.face_count * 4 * sizeof(uint32_t));
    CHECK(mesh.positions && mesh.face_at && mesh.corners);
    for (uint32_t i = 0; i < mesh.vertex_count; i++) {
        mesh.positions[3 * i] = 0.01f * (float)(i % width);
        mesh.positions[3 * i + 1] = 0.001f * sinf((float)i);
        mesh.positions[3 * i + 2] = 0.01f * (float)(i / width);
    }
    mesh.face_at[0] = 0;
    for (uint32_t face = 0; face < mesh.face_count; face++) {
        uint32_t at = face / (width - 1) * width + face % (width - 1),
                 *corners = mesh.corners + 4 * face;
        corners[0] = at;
        corners[1] = at + 1;
        corners[2] = at + width + 1;
        corners[3] = at + width;
        mesh.face_at[face + 1] = 4 * (face + 1);
    }
    return mesh;
}

static inline bool same_words(const uint32_t *a, const uint32_t *b, size_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

static inline bool same_floats(const float *a, const float *b, size_t count)
{
    return (!a && !b) || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

static inline void expect_spans(
    const hed_cloth_mesh_span *a, uint32_t a_count, const hed_cloth_mesh_span *b, uint32_t b_count)
{
    CHECK_EQ(a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++) {
        CHECK_TEXT(a[i].name, b[i].name);
        CHECK_EQ(a[i].first_face, b[i].first_face);
        CHECK_EQ(a[i].object, b[i].object);
    }
}

/* The same mesh to the bit. */
static inline void expect_same(const hed_cloth_mesh *a, const hed_cloth_mesh *b)
{
    uint32_t corners = a->face_count ? a->face_at[a->face_count] : 0;
    CHECK_EQ(a->vertex_count, b->vertex_count);
    CHECK_EQ(a->face_count, b->face_count);
    CHECK_EQ(a->texture_count, b->texture_count);
    CHECK_EQ(a->normal_count, b->normal_count);
    CHECK(same_floats(a->positions, b->positions, 3 * (size_t)a->vertex_count), "positions differ");
    CHECK(same_floats(a->vertex_colours, b->vertex_colours, 4 * (size_t)a->vertex_count),
        "colours differ");
    CHECK(same_words(a->face_at, b->face_at, a->face_count + 1u), "faces differ");
    CHECK(same_words(a->corners, b->corners, corners), "corners differ");
    CHECK(same_words(a->corner_textures, b->corner_textures, corners), "texture corners differ");
    CHECK(same_words(a->corner_normals, b->corner_normals, corners), "normal corners differ");
    CHECK(same_floats(a->textures, b->textures, 2 * (size_t)a->texture_count),
        "texture coordinates differ");
    CHECK(same_floats(a->normals, b->normals, 3 * (size_t)a->normal_count), "normals differ");
    expect_spans(a->materials, a->material_count, b->materials, b->material_count);
    expect_spans(a->groups, a->group_count, b->groups, b->group_count);
    CHECK_EQ(!a->material_library, !b->material_library);
    if (a->material_library) CHECK_TEXT(a->material_library, b->material_library);
}

/* Everything that an OBJ file may have, in every spelling. */
static const char everything[] = "\xef\xbb\xbf# a comment\r\n"
                                 "mtllib cloth of gold.mtl\r\n"
                                 "o the shirt\r\n"
                                 "v 0 0 0 1 0 0 \r\n"
                                 "v\t1.5 .25 -0 # behind a line\n"
                                 "v 1e0 1E+0 +1 0.25 0.5 0.75\r"
                                 "\n"
                                 "  v 0 1 5.\n"
                                 "v -1 \\\r\n   0.1 \\\n 0.2\n"
                                 "v 0.1 0.2 0.3 1\n"
                                 "vt 0\nvt 0.5 0.25\nvt 1 1 0\n"
                                 "vn 0 0 1\nvn 0 1 0\n"
                                 "s off\nusemtl red\n"
                                 "f 1/1/1 2/2/1 3/3/2\n"
                                 "g sleeve left\n"
                                 "f 1 3//2 4/-1\n"
                                 "usemtl blue and white\n"
                                 "f -6 -5 -4 -3 -2\n"
                                 "l 1 2\ng\n";

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

#endif
