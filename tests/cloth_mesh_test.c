/* Meshes for cloth: reading OBJ, looking for faults, mending, welding, grids. Writing, and other
 * formats: cloth_mesh_files_test.c. */
#include <locale.h>

#include "cloth_mesh_testing.h"

/* ---- reading OBJ ---- */

/* Parsing ends in FORMAT, with these words in its text. */
static void refuse(const char *text, const char *words)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_parse_obj(text, strlen(text), "test.obj", &mesh, &error));
    CHECK(strstr(error.text, words), "\"%s\" is not in \"%s\"", words, error.text);
    CHECK_NULL(mesh.positions, "a mesh that could not be read has to be empty");
}

Test(cloth_mesh, every_spelling_of_obj)
{
    hed_cloth_mesh mesh = parse(everything);
    static const float positions[] = {
        0, 0, 0, 1.5f, .25f, -0.0f, 1, 1, 1, 0, 1, 5, -1, .1f, .2f, .1f, .2f, .3f};
    static const float colours[] = {
        1, 0, 0, 1, 1, 1, 1, 1, .25f, .5f, .75f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 0, 1, 2, 3, 4}, none = UINT32_MAX;
    const uint32_t textures[] = {0, 1, 2, none, none, 2, none, none, none, none, none};
    const uint32_t normals[] = {0, 0, 1, none, 1, none, none, none, none, none, none};
    CHECK_EQ(mesh.vertex_count, 6);
    CHECK(same_floats(mesh.positions, positions, 18));
    CHECK(same_floats(mesh.vertex_colours, colours, 24));
    CHECK_EQ(mesh.face_count, 3);
    CHECK_EQ(mesh.face_at[3], 11);
    CHECK(same_words(mesh.corners, corners, 11));
    CHECK(same_words(mesh.corner_textures, textures, 11));
    CHECK(same_words(mesh.corner_normals, normals, 11));
    CHECK_EQ(mesh.texture_count, 3);
    CHECK_EQ(mesh.normal_count, 2);
    CHECK_TEXT(mesh.material_library, "cloth of gold.mtl");
    CHECK_EQ(mesh.material_count, 2);
    CHECK_TEXT(mesh.materials[1].name, "blue and white");
    CHECK_EQ(mesh.materials[1].first_face, 2);
    CHECK_EQ(mesh.group_count, 3);
    CHECK_TEXT(mesh.groups[0].name, "the shirt");
    CHECK(mesh.groups[0].object && !mesh.groups[1].object);
    CHECK_EQ(mesh.groups[1].first_face, 1);
    CHECK_EQ(mesh.groups[2].first_face, 3);
    hed_cloth_mesh_free(&mesh);
    CHECK_NULL(mesh.positions);
}

Test(cloth_mesh, faces_may_come_before_their_vertices)
{
    hed_cloth_mesh mesh = parse("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    CHECK_EQ(mesh.corners[2], 2);
    hed_cloth_mesh_free(&mesh);
}

/* ARCSim writes ny and nv beside v; other programs have words of their own, too. */
Test(cloth_mesh, obj_skips_words_that_it_does_not_know_and_says_so)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    static const char text[] =
        "# ARCSim\nv 0 0 0\nny 0 0 0.5\nnv 0 0 1\nv 1 0 0\nny 1 0 0\nnv 0 0 1 \\\n 5\nv 1 1 0\nmy_word\nf 1 2 3\n";
    OK(hed_cloth_mesh_parse_obj(text, sizeof text - 1, "shirt.obj", &mesh, &error));
    CHECK(mesh.vertex_count == 3 && mesh.face_count == 1 && mesh.positions[3] == 1);
    CHECK_TEXT(mesh.warning,
        "shirt.obj: 5 lines skipped, from line 3 on, whose words are not OBJ's: ny nv my_word");
    hed_cloth_mesh_free(&mesh);
    char many[2000] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
    /* more than are named */
    for (int i = 0; i < 100; i++) sprintf(many + strlen(many), "word%d\n", i);
    OK(hed_cloth_mesh_parse_obj(many, strlen(many), "x.obj", &mesh, &error));
    CHECK(strstr(mesh.warning, "100 lines") && strstr(mesh.warning, "word0 word1") &&
          !strstr(mesh.warning, "word99"));
    const char *rest = strstr(mesh.warning, " ...");
    CHECK(rest && rest[4] == 0, "%s", mesh.warning);
    hed_cloth_mesh_free(&mesh);
    char word[200];
    sprintf(word, "%s%0100d\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nny 1\n", "long", 0);
    OK(hed_cloth_mesh_parse_obj(word, strlen(word), "x.obj", &mesh, &error));
    CHECK(strstr(mesh.warning, "long0000") && strstr(mesh.warning, "0 ..."), "%s", mesh.warning);
    hed_cloth_mesh_free(&mesh);
    OK(hed_cloth_mesh_parse_obj(many, 32, "x.obj", &mesh, &error));
    CHECK_NULL(mesh.warning);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh, refusals_name_file_line_what_was_found_and_expected)
{
    refuse("", "no vertex");
    refuse("f 1 2 3\n", "test.obj:1: found vertex 3, expected at most 0");
    refuse("v 1 2 3\nv 1 2\n", "test.obj:2: found the end of the line, expected x y z");
    refuse("v 1 2 3 4 5\n", "test.obj:1: found the end of the line, expected x y z");
    refuse("v 1 2 3 0 0 0 1 5\n", "found \"5\"");
    refuse("# a\nv 1 2 nan\n", "test.obj:2: found \"nan\", expected a finite number");
    refuse("v 1 2 1e39\n", "found \"1e39\", expected a finite number");
    refuse("v 1 2 3,5\n", "found \"3,5\", expected a number");
    refuse("v 1 2 0x10\n", "expected a number");
    refuse("v 1 2 3 0.5 2 0.5\n", "found 2 in a vertex's colour, expected 0 to 1");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\n\n\nf 1 2 \\\n 4\n",
        "test.obj:7: found vertex 4, expected at most 3");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 0\n", "found \"0\"");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 -4\n", "found vertex -4");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 99999999999999999999\n",
        "expected the number of a vertex");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2\n", "at least 3 corners");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3/\n", "expected the number of a texture coordinate");
    refuse(
        "v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1/1 2 3\n", "found texture coordinate 1, expected at most 0");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1//7 2 3\n", "found normal 7");
    refuse("v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1/1/1/1 2 3\n", "expected a corner");
    refuse("v 0 0 0\nvn 1 2\n", "expected x y z");
    refuse("v 0 0 0\nvt\n", "expected u");
    refuse("v 0 0 0\n-hello\n", "test.obj:2: found \"-hello\", expected v, vt");
    refuse("# a\nhello 1 2\nworld\n",
        "test.obj:2: found \"hello world\" and no vertex at all, expected v, vt");
    refuse("v 0 0 0\nsurf 0 1\n", "curves and surfaces are not read");
    refuse("ply\nformat ascii 1.0\n", "test.obj:1: found \"ply format\" and no vertex");
    hed_error error = {0};
    hed_cloth_mesh mesh;
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_parse_obj("v 0 0 0\0 1", 10, "zero.obj", &mesh, &error));
    FAILS(HED_ERROR_IO, hed_cloth_mesh_read("/nowhere/at/all.obj", &mesh, &error));
    hed_error_clear(&error);
    /* A build without assimp says so, and does not look for the file. */
    hed_status status = hed_cloth_mesh_read("/nowhere/at/all.ply", &mesh, &error);
    CHECK(status == HED_ERROR_IO || status == HED_ERROR_UNSUPPORTED);
}

/* Numbers are read to the nearest float, in any locale and however many digits they have. */
Test(cloth_mesh, numbers_are_correctly_rounded)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is there */
    static const char *const numbers[] = {"0.1", "16777217", "16777217.0000000000001",
        "0.30000001192092896", "1.00000017881393432617187499", "1.00000017881393432617187500",
        "1.00000017881393432617187501", "3.4028235e38", "1.17549435e-38", "1e-45", "0.7e-45",
        "9007199254740993e-10", "123456789012345678901234567890e-25",
        "0.000000000000000000000000000000000000000000000001", "8388608.5", "8388609.5", "1e-60",
        "4.9E-5"};
    static const float expected[] = {0x1.99999ap-4f, 0x1p24f, 0x1.000002p24f, 0x1.333334p-2f,
        0x1.000002p0f, 0x1.000004p0f, 0x1.000004p0f, 0x1.fffffep127f, 0x1p-126f, 0x1p-149f, 0,
        0x1.b7cdfep19f, 0x1.81cd6ep13f, 0, 0x1p23f, 0x1.000004p23f, 0, 0x1.9b0ab2p-15f};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[200];
        snprintf(text, sizeof text, "v %s 0 -%s\n", numbers[i], numbers[i]);
        hed_cloth_mesh mesh = parse(text);
        CHECK(mesh.positions[0] == expected[i] && mesh.positions[2] == -expected[i],
            "%s: %a instead of %a", numbers[i], (double)mesh.positions[0], (double)expected[i]);
        hed_cloth_mesh_free(&mesh);
    }
}

/* Whatever remains of a file: a mesh or an error in words. */
Test(cloth_mesh, an_obj_file_cut_anywhere_is_a_mesh_or_an_error)
{
    for (size_t size = 0; size < sizeof everything; size++) {
        hed_error error = {0};
        hed_cloth_mesh mesh;
        char *copy = malloc(size + 1); /* so that a read beyond the end is seen by a sanitizer */
        CHECK_NOT_NULL(copy);
        memcpy(copy, everything, size);
        hed_error_clear(&error);
        hed_status status = hed_cloth_mesh_parse_obj(copy, size, "cut.obj", &mesh, &error);
        CHECK(status == HED_OK || (status == HED_ERROR_FORMAT && strstr(error.text, "cut.obj")),
            "%zu bytes: %s", size, error.text);
        free(copy);
        hed_cloth_mesh_free(&mesh);
    }
}

/* ---- faults ---- */

static hed_cloth_mesh_check inspect(const hed_cloth_mesh *mesh)
{
    hed_error error = {0};
    hed_cloth_mesh_check check;
    OK(hed_cloth_mesh_inspect(mesh, &check, &error));
    return check;
}

/* Only this fault, so often and first there. */
static void expect_fault(
    const hed_cloth_mesh *mesh, hed_cloth_mesh_fault fault, uint32_t count, uint32_t first)
{
    hed_cloth_mesh_check check = inspect(mesh);
    for (int i = 0; i < HED_CLOTH_MESH_FAULT_COUNT; i++) {
        uint32_t wanted = i == (int)fault ? count : 0;
        CHECK_EQ(check.count[i], wanted, "%u x %s instead of %u", check.count[i],
            hed_cloth_mesh_fault_name((hed_cloth_mesh_fault)i), wanted);
    }
    if (count)
        CHECK_EQ(check.first[fault], first, "%s: first at %u instead of %u",
            hed_cloth_mesh_fault_name(fault), check.first[fault], first);
}

static void expect_unsound(const hed_cloth_mesh *mesh, const char *words)
{
    hed_error error = {0};
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_require_sound("test.obj", mesh, &error));
    CHECK(strstr(error.text, words), "\"%s\" is not in \"%s\"", words, error.text);
}

Test(cloth_mesh, each_fault_is_found_at_its_place)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = parse(SQUARE "f 1 2 3\nf 1 3 4\n");
    expect_fault(&mesh, HED_CLOTH_MESH_FAULT_COUNT, 0, 0);
    OK(hed_cloth_mesh_require_sound("test.obj", &mesh, &error));

    mesh.positions[7] = INFINITY;
    expect_fault(&mesh, HED_CLOTH_MESH_NOT_FINITE, 1, 2);
    expect_unsound(&mesh, "vertex 3 (counted from 1)");
    mesh.positions[7] = NAN;
    expect_fault(&mesh, HED_CLOTH_MESH_NOT_FINITE, 1, 2);
    mesh.positions[7] = 1;

    mesh.corners[4] = 4;
    hed_cloth_mesh_check check = inspect(&mesh);
    CHECK_EQ(check.count[HED_CLOTH_MESH_BAD_INDEX], 1);
    CHECK_EQ(check.first[HED_CLOTH_MESH_BAD_INDEX], 1);
    expect_unsound(&mesh, "face 2 of vertices 1, 5, 4");
    uint32_t removed;
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_mend(&mesh, &removed, &error));
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "f 1 2 3\nf 1 3 4\nf 3 3 4\n");
    expect_fault(&mesh, HED_CLOTH_MESH_DEGENERATE_FACE, 1, 2);
    expect_unsound(&mesh, "face 3 of vertices 3, 3, 4");
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "v 2 2 0\nf 1 2 3\nf 1 5 3\nf 1 3 4\n"); /* three in a line */
    check = inspect(&mesh);
    CHECK_EQ(check.count[HED_CLOTH_MESH_DEGENERATE_FACE], 1);
    CHECK_EQ(check.first[HED_CLOTH_MESH_DEGENERATE_FACE], 1);
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "f 1 2 3\nf 1 3 4\nf 3 2 1\n"); /* the other way round is the same face */
    expect_fault(&mesh, HED_CLOTH_MESH_DUPLICATE_FACE, 1, 2);
    expect_unsound(&mesh, "face 3 of vertices 3, 2, 1");
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "v 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 3 5\n");
    expect_fault(&mesh, HED_CLOTH_MESH_NON_MANIFOLD_EDGE, 1, 0);
    OK(hed_cloth_mesh_require_sound("test.obj", &mesh, &error)); /* a fin */
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "f 1 2 3\nf 1 4 3\n");
    expect_fault(&mesh, HED_CLOTH_MESH_INCONSISTENT_WINDING, 1, 0);
    OK(hed_cloth_mesh_require_sound("test.obj", &mesh, &error));
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE "f 1 2 3\n");
    expect_fault(&mesh, HED_CLOTH_MESH_LOOSE_VERTEX, 1, 3);
    OK(hed_cloth_mesh_require_sound("test.obj", &mesh, &error));
    hed_cloth_mesh_free(&mesh);

    mesh = parse(SQUARE);
    expect_unsound(&mesh, "no face");
    hed_cloth_mesh_free(&mesh);
}

/* An octagon twice, from another corner: the path for large faces. */
Test(cloth_mesh, large_duplicates_are_found)
{
    hed_cloth_mesh mesh = parse(
        "v 2 0 0\nv 1.4 1.4 0\nv 0 2 0\nv -1.4 1.4 0\nv -2 0 0\nv -1.4 -1.4 0\nv 0 -2 0\nv 1.4 -1.4 0\nv 1.8 -0.8 0\n"
        "f 1 2 3 4 5 6 7 8 9\nf 5 6 7 8 9 1 2 3 4\n");
    expect_fault(&mesh, HED_CLOTH_MESH_DUPLICATE_FACE, 1, 1);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh, mending_leaves_a_sound_mesh_with_all_its_vertices)
{
    hed_error error = {0};
    uint32_t removed;
    hed_cloth_mesh mesh =
        parse(SQUARE "v 0 0 1\nv 9 9 9\nvt 0 0\nvt 1 0\n"
                     "usemtl a\nf 1 1 2\nusemtl b\nf 1/1 2/2 3/1\nf 1/1 3/1 3/1 4/2\ng x\nf 4 3 "
                     "1\nusemtl c\nf 1 3 5\nf 1 2/2 5\n");
    OK(hed_cloth_mesh_mend(&mesh, &removed, &error));
    /* degenerate, duplicate (of the quad that is a triangle); the third at an edge stays */
    CHECK_EQ(removed, 2);
    CHECK_EQ(mesh.face_count, 4);
    CHECK_EQ(mesh.vertex_count, 6);
    static const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 0, 2, 4, 0, 1, 4},
                          textures[] = {0, 1, 0, 0, 0, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                              UINT32_MAX, 1, UINT32_MAX};
    CHECK(same_words(mesh.corners, corners, 12));
    CHECK(same_words(mesh.corner_textures, textures, 12));
    CHECK_EQ(mesh.materials[0].first_face, 0);
    CHECK_EQ(mesh.materials[1].first_face, 0);
    CHECK_EQ(mesh.materials[2].first_face, 2);
    CHECK_EQ(mesh.groups[0].first_face, 2);
    OK(hed_cloth_mesh_require_sound("test.obj", &mesh, &error));
    OK(hed_cloth_mesh_mend(&mesh, &removed, &error));
    CHECK_EQ(removed, 0);
    hed_cloth_mesh_free(&mesh);
}

/* ---- welding and grids ---- */

Test(cloth_mesh, vertices_that_lie_together_become_one_particle)
{
    hed_error error = {0};
    hed_cloth_mesh mesh = parse(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.00001 0 0\nv 0 1.00001 0\nv 1 1 0\nv -0 0 0\nf 1 2 3\nf 4 6 5\n");
    uint32_t particle_of[7], count;
    static const uint32_t within[] = {0, 1, 2, 1, 2, 3, 0}, exactly[] = {0, 1, 2, 3, 4, 5, 0};
    OK(hed_cloth_mesh_weld(&mesh, 1e-4f, particle_of, &count, &error));
    CHECK_EQ(count, 4);
    CHECK(same_words(particle_of, within, 7));
    OK(hed_cloth_mesh_weld(&mesh, 0, particle_of, &count, &error));
    CHECK_EQ(count, 6);
    CHECK(same_words(particle_of, exactly, 7));
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh, corners_of_one_face_are_never_welded)
{
    hed_error error = {0};
    uint32_t particle_of[6], count;
    hed_cloth_mesh mesh =
        parse("v 0 0 0\nv 0.001 0 0\nv 0 1 0\nv 0.0005 0 0\nv 2 0 0\nv 2 1 0\nf 1 2 3\nf 4 5 6\n");
    static const uint32_t expected[] = {0, 1, 2, 0, 3, 4};
    OK(hed_cloth_mesh_weld(&mesh, 0.01f, particle_of, &count, &error));
    CHECK(same_words(particle_of, expected, 6));
    hed_cloth_mesh_free(&mesh);
    /* Not even through a third vertex that is welded to one of them. */
    mesh = parse(
        "v 0 0 0\nv 0.001 0 0\nv 0 1 0\nv 2 0 0\nv 0.0015 0 0\nv 2 1 0\nf 1 4 6\nf 1 2 3\nf 5 2 3\n");
    OK(hed_cloth_mesh_weld(&mesh, 0.01f, particle_of, &count, &error));
    CHECK(particle_of[0] != particle_of[1] && particle_of[1] != particle_of[4]);
    hed_cloth_mesh_free(&mesh);
}

/* The grid finds what comparing all pairs finds, across the borders of its cells too. */
Test(cloth_mesh, welding_agrees_with_comparing_all_pairs)
{
    enum { COUNT = 600 };
    hed_error error = {0};
    hed_cloth_mesh mesh = {.vertex_count = COUNT, .positions = malloc(COUNT * 3 * sizeof(float))};
    uint32_t particle_of[COUNT], first_of[COUNT], count, expected = 0, state = 7;
    for (int i = 0; i < 3 * COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        mesh.positions[i] = (float)(state >> 8) * 0x1p-24f - 0.5f;
    }
    const float distance = 0.07f;
    OK(hed_cloth_mesh_weld(&mesh, distance, particle_of, &count, &error));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t particle = 0;
        for (; particle < expected; particle++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                double way = (double)mesh.positions[3 * i + (uint32_t)axis] -
                             mesh.positions[3 * first_of[particle] + (uint32_t)axis];
                square += way * way;
            }
            if (square <= (double)distance * distance) break;
        }
        if (particle == expected) first_of[expected++] = i;
        CHECK_EQ(particle_of[i], particle, "vertex %u: particle %u instead of %u", i,
            particle_of[i], particle);
    }
    CHECK(count == expected && count < COUNT);
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh, grids_are_recognised)
{
    uint32_t width, height;
    hed_cloth_mesh mesh = make_grid(7, 4);
    CHECK(hed_cloth_mesh_is_grid(&mesh, &width, &height));
    CHECK(width == 7 && height == 4);
    uint32_t turned[] = {mesh.corners[2], mesh.corners[1], mesh.corners[0],
        mesh.corners[3]}; /* other way round, other corner */
    memcpy(mesh.corners, turned, sizeof turned);
    CHECK(hed_cloth_mesh_is_grid(&mesh, &width, &height));
    memcpy(mesh.corners + 4, turned, sizeof turned); /* a cell twice, another not at all */
    CHECK(!hed_cloth_mesh_is_grid(&mesh, &width, &height));
    CHECK(width == 0 && height == 0);
    hed_cloth_mesh_free(&mesh);
    mesh = make_grid(2, 2);
    CHECK(hed_cloth_mesh_is_grid(&mesh, &width, &height) && width == 2 && height == 2);
    hed_cloth_mesh_free(&mesh);
    mesh = parse(SQUARE "f 1 2 3 4\n"); /* around, not row after row */
    CHECK(!hed_cloth_mesh_is_grid(&mesh, &width, &height));
    hed_cloth_mesh_free(&mesh);
    mesh = parse(SQUARE "f 1 2 3\nf 1 3 4\n");
    CHECK(!hed_cloth_mesh_is_grid(&mesh, &width, &height));
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_mesh, names_of_faults)
{
    for (int i = 0; i < HED_CLOTH_MESH_FAULT_COUNT; i++)
        CHECK(strlen(hed_cloth_mesh_fault_name((hed_cloth_mesh_fault)i)) > 8);
    CHECK_TEXT(hed_cloth_mesh_fault_name((hed_cloth_mesh_fault)99), "unknown fault");
}
