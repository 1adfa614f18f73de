/* Files of meshes: OBJ as it was read, PLY, GLB, and what assimp reads. */
#include "cloth_mesh_testing.h"

#include <sys/stat.h>

TestSuite(cloth_mesh_files, .init = folder_make, .fini = folder_remove);

/* ---- helpers ---- */

/* A file whole, with a zero behind it. */
static char *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK_NOT_NULL(file);
    char *bytes = malloc(1 << 20);
    CHECK_NOT_NULL(bytes);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

/* ---- writing OBJ ---- */

Test(cloth_mesh_files, obj_survives_a_round_trip)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = parse(everything), again;
    OK(hed_cloth_mesh_save_obj(&mesh, in_folder("a.obj"), NULL, NULL, &error));
    OK(hed_cloth_mesh_read(in_folder("a.obj"), &again, &error));
    expect_same(&mesh, &again);
    hed_cloth_mesh_free(&again);
    mesh.vertex_colours[7] = 0.5f; /* opacity too */
    OK(hed_cloth_mesh_save_obj(&mesh, in_folder("b.obj"), NULL, NULL, &error));
    OK(hed_cloth_mesh_read(in_folder("b.obj"), &again, &error));
    expect_same(&mesh, &again);
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_files, every_float_survives_text)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = make_grid(100, 100), again;
    uint32_t state = 1;
    for (uint32_t i = 0; i < 3 * mesh.vertex_count; i++) {
        do {
            state = state * 1664525u + 1013904223u;
            uint32_t bits = state ^ state >> 15;
            /* the sizes that meshes have */
            if (i % 2) bits = (bits & 0x807fffffu) | (100 + (state >> 8) % 50) << 23;
            memcpy(&mesh.positions[i], &bits, sizeof bits);
        } while (!isfinite(mesh.positions[i]));
    }
    mesh.positions[0] = -0.0f;
    OK(hed_cloth_mesh_save_obj(&mesh, in_folder("a.obj"), NULL, NULL, &error));
    OK(hed_cloth_mesh_read(in_folder("a.obj"), &again, &error));
    expect_same(&mesh, &again);
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_files, other_positions_and_normals_are_written)
{
    hed_error error = {0};
    hed_cloth_mesh mesh =
                       parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\n"),
                   again;
    float positions[9] = {5, 6, 7, 8, 9, 10, 11, 12, 13}, normals[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    OK(hed_cloth_mesh_save_obj(&mesh, in_folder("a.obj"), positions, normals, &error));
    OK(hed_cloth_mesh_read(in_folder("a.obj"), &again, &error));
    CHECK(same_floats(again.positions, positions, 9));
    CHECK(same_floats(again.normals, normals, 9));
    CHECK(same_words(again.corner_normals, mesh.corners, 3));
    CHECK(same_words(again.corner_textures, mesh.corner_textures, 3));
    hed_cloth_mesh_free(&again);
    positions[4] = NAN;
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_obj(&mesh, in_folder("a.obj"), positions, NULL, &error));
    CHECK(strstr(error.text, "coordinate y of vertex 2"), "%s", error.text);
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_ply(&mesh, in_folder("a.ply"), positions, NULL, &error));
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_glb(&mesh, in_folder("a.glb"), NULL, positions, NULL, &error));
    FAILS(HED_ERROR_IO, hed_cloth_mesh_save_obj(&mesh, "/dev/full", NULL, NULL, &error));
    FAILS(HED_ERROR_IO,
        hed_cloth_mesh_save_ply(&mesh, in_folder("no/such/folder.ply"), NULL, NULL, &error));
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_files, a_million_vertices)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = make_grid(1000, 1000), again;
    uint64_t start = hed_now();
    OK(hed_cloth_mesh_save_obj(&mesh, in_folder("a.obj"), NULL, NULL, &error));
    uint64_t written = hed_now();
    OK(hed_cloth_mesh_read(in_folder("a.obj"), &again, &error));
    uint64_t read = hed_now();
    expect_same(&mesh, &again);
    hed_cloth_mesh_check check;
    OK(hed_cloth_mesh_inspect(&mesh, &check, &error));
    uint64_t inspected = hed_now();
    uint32_t count, *particle_of = malloc(mesh.vertex_count * sizeof *particle_of);
    CHECK_NOT_NULL(particle_of);
    OK(hed_cloth_mesh_weld(&mesh, 1e-5f, particle_of, &count, &error));
    CHECK_EQ(count, mesh.vertex_count);
    test_note(
        "a million vertices: written in %.2f s, read in %.2f s, inspected in %.2f s, welded in %.2f s",
        1e-9 * (double)(written - start), 1e-9 * (double)(read - written),
        1e-9 * (double)(inspected - read), 1e-9 * (double)(hed_now() - inspected));
    free(particle_of);
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh_files, a_pipe_is_named_and_not_waited_for, .timeout = 60)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data data;
    hed_cloth_pc2 *cache;
    static const char *const names[] = {"p.obj", "p.ply", "p.stl", "p.glb", "p.fbx", "p"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(mkfifo(in_folder(names[i]), 0600) == 0);
        hed_error_clear(&error);
        hed_status status = hed_cloth_mesh_read(in_folder(names[i]), &mesh, &error);
        bool needs_assimp = strcmp(names[i], "p.fbx") == 0;
        CHECK((needs_assimp && status == HED_ERROR_UNSUPPORTED) ||
                  (status == HED_ERROR_IO && strstr(error.text, "is a pipe")),
            "%s", error.text);
    }
    FAILS(HED_ERROR_IO, hed_cloth_pc2_read(in_folder("p"), &data, &error));
    CHECK(strstr(error.text, "is a pipe"), "%s", error.text);
    FAILS(HED_ERROR_IO, hed_cloth_pc2_create(in_folder("p"), 3, 0, 1, &cache, &error));
    CHECK(strstr(error.text, "is a pipe"), "%s", error.text);
}

/* ---- PLY and GLB ---- */

Test(cloth_mesh_files, ply_has_positions_colours_and_faces)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = parse(SQUARE "v 0.5 2 0.1\nf 1 2 3 4\nf 4 3 5\n"), again;
    static const uint8_t colours[] = {
        255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 51, 102, 153, 204, 0, 0, 0, 255};
    OK(hed_cloth_mesh_save_ply(&mesh, in_folder("a.ply"), NULL, colours, &error));
    size_t size;
    char *bytes = file_bytes(in_folder("a.ply"), &size), *data = strstr(bytes, "end_header\n") + 11;
    CHECK_EQ(size, (size_t)(data - bytes) + 5 * 16 + 17 + 13);
    CHECK_EQ(memcmp(data, mesh.positions, 12), 0);
    CHECK_EQ(memcmp(data + 12, colours, 4), 0);
    CHECK_EQ(data[80], 4);
    CHECK_EQ(data[97], 3);
    free(bytes);
    OK(hed_cloth_mesh_read(in_folder("a.ply"), &again, &error));
    CHECK_EQ(again.vertex_count, 5);
    CHECK(same_floats(again.positions, mesh.positions, 15), "vertex order has to stay");
    CHECK(same_words(again.face_at, mesh.face_at, 3));
    CHECK(same_words(again.corners, mesh.corners, 7));
    for (int i = 0; i < 20; i++) CHECK_NEAR(again.vertex_colours[i], colours[i] / 255.0f, 1e-6);
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

static uint32_t word_at(const char *bytes, size_t offset)
{
    uint32_t word;
    memcpy(&word, bytes + offset, sizeof word);
    return word;
}

/* The container as chapter 4 of the specification has it. */
static void expect_glb(const char *bytes, size_t size)
{
    CHECK(size >= 28 && memcmp(bytes, "glTF", 4) == 0);
    CHECK_EQ(word_at(bytes, 4), 2);
    CHECK_EQ(word_at(bytes, 8), size);
    uint32_t json = word_at(bytes, 12);
    CHECK(json % 4 == 0 && memcmp(bytes + 16, "JSON", 4) == 0);
    CHECK(bytes[20] == '{' && strchr("} ", bytes[19 + json]));
    uint32_t binary = word_at(bytes, 20 + json);
    CHECK(binary % 4 == 0 && memcmp(bytes + 24 + json, "BIN", 4) == 0);
    CHECK_EQ(28 + json + binary, size);
}

Test(cloth_mesh_files, glb_is_a_valid_container_and_reads_back)
{
    hed_error error = {0};
    /* Vertex 3 has two texture coordinates; the second quad's inner corner asks for the other
     * diagonal. */
    hed_cloth_mesh
        mesh = parse(SQUARE
            "v 3 0 0\nv 1.5 0.2 0\nvt 0 0\nvt 1 0\nvt 0.5 0.25\n"
            "usemtl \"red\" \\ \xff \xc3\xa4\nf 1/1 2/2 3/3 4/1\nusemtl blue\nf 3/2 2/2 5/1 6/1\n"),
        again;
    float normals[18];
    for (int i = 0; i < 18; i++) normals[i] = i % 3 == 2 ? 2.0f : 0;
    OK(hed_cloth_mesh_save_glb(&mesh, in_folder("a.glb"), NULL, NULL, normals, &error));
    size_t size;
    char *bytes = file_bytes(in_folder("a.glb"), &size);
    expect_glb(bytes, size);
    CHECK(
        memmem(bytes, size, "\"\\\"red\\\" \\\\ ? \xc3\xa4\"", 17), "names have to be valid JSON");
    size_t materials = 0;
    for (const char *at = bytes;
         (at = memmem(at, size - (size_t)(at - bytes), "\"doubleSided\":true", 18)); at++)
        materials++;
    CHECK_EQ(materials, 3, "both materials, and the one of faces without");
    CHECK(memmem(bytes, size, "\"min\":[0,0,0],\"max\":[3,1,0]", 27));
    free(bytes);
    OK(hed_cloth_mesh_read(in_folder("a.glb"), &again, &error));
    CHECK_EQ(again.face_count, 4);
    CHECK_EQ(again.material_count, 2);
    CHECK_TEXT(again.materials[1].name, "blue");
    CHECK_EQ(again.materials[1].first_face, 2);
    CHECK(again.corner_normals && again.corner_textures);
    double area = 0;
    for (uint32_t face = 0; face < 4; face++) {
        const uint32_t *c = again.corners + 3 * face;
        const float *p = again.positions + 3 * c[0], *q = again.positions + 3 * c[1],
                    *r = again.positions + 3 * c[2];
        double twice = ((double)q[0] - p[0]) * ((double)r[1] - p[1]) -
                       ((double)q[1] - p[1]) * ((double)r[0] - p[0]);
        CHECK(twice > 0, "triangle %u is folded over", face);
        area += twice / 2;
    }
    CHECK_NEAR(area, 1 + 0.45, 1e-6);
    for (uint32_t corner = 0; corner < 12; corner++) {
        const float *n = again.normals + 3 * again.corner_normals[corner],
                    *t = again.textures + 2 * again.corner_textures[corner];
        const float *p = again.positions + 3 * again.corners[corner];
        CHECK(n[0] == 0 && n[1] == 0 && n[2] == 1, "normals have to be of length 1");
        if (p[0] == 1 && p[1] == 1)
            CHECK(corner < 6 ? t[0] == 0.5f && fabsf(t[1] - 0.25f) < 1e-6f : t[0] == 1);
    }
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
    mesh = parse(SQUARE);
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_glb(&mesh, in_folder("b.glb"), NULL, NULL, NULL, &error));
    hed_cloth_mesh_free(&mesh);
}

/* A vertex that all faces agree on keeps its number. */
Test(cloth_mesh_files, glb_keeps_the_order_of_vertices)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = make_grid(5, 4), again;
    OK(hed_cloth_mesh_save_glb(&mesh, in_folder("a.glb"), NULL, NULL, NULL, &error));
    size_t size;
    char *bytes = file_bytes(in_folder("a.glb"), &size);
    CHECK(memmem(bytes, size, "\"material\":0", 12) &&
              memmem(bytes, size, "\"doubleSided\":true", 18),
        "cloth has no back side");
    free(bytes);
    OK(hed_cloth_mesh_read(in_folder("a.glb"), &again, &error));
    CHECK_EQ(again.vertex_count, mesh.vertex_count);
    CHECK(same_floats(again.positions, mesh.positions, 3 * mesh.vertex_count));
    hed_cloth_mesh_free(&again);
    hed_cloth_mesh_free(&mesh);
}

/* ---- formats by name ---- */

Test(cloth_mesh_files, formats_by_ending_or_by_content)
{
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n9 0 0\n1 0 0\n1 1 0\n0 1 0\n4 3 2 1 0\n";
    static const char stl[] =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    hed_error error = {0};
    hed_cloth_mesh mesh;
    write_file(in_folder("a.PLY"), ply, sizeof ply - 1);
    write_file(in_folder("a"), ply, sizeof ply - 1);
    write_file(in_folder("b.stl"), stl, sizeof stl - 1);
    write_file(in_folder("b"), stl, sizeof stl - 1);
    write_file(in_folder("c.txt"), "v 0 0 0\n", 8);
    write_file(in_folder("d.fbx"), "nothing", 7);
    /* what says nothing about itself is OBJ */
    OK(hed_cloth_mesh_read(in_folder("c.txt"), &mesh, &error));
    hed_cloth_mesh_free(&mesh);
    static const char *const names[] = {"a.PLY", "a"}, *const facets[] = {"b.stl", "b"};
    for (int i = 0; i < 2; i++) {
        OK(hed_cloth_mesh_read(in_folder(names[i]), &mesh, &error));
        CHECK(mesh.vertex_count == 4 && mesh.face_count == 1 && mesh.positions[0] == 9 &&
              mesh.corners[0] == 3);
        hed_cloth_mesh_free(&mesh);
        OK(hed_cloth_mesh_read(in_folder(facets[i]), &mesh, &error));
        CHECK(mesh.vertex_count == 3 && mesh.face_count == 1 && mesh.positions[3] == 1);
        hed_cloth_mesh_free(&mesh);
    }
    hed_status status = hed_cloth_mesh_read(in_folder("d.fbx"), &mesh, &error);
    CHECK(status == HED_ERROR_FORMAT || (status == HED_ERROR_UNSUPPORTED &&
                                            strstr(error.text, "reads OBJ, PLY, STL and glTF") &&
                                            strstr(error.text, "libassimp-dev")),
        "%s", error.text);
}
