/* Alembic caches: written frames read back to the bit, turned so that y is up; a file of Blender's, whose transforms
 * and points move by closed forms; broken files are named, and read nothing behind their end. */
#include "cloth_mesh_testing.h"

#include <unistd.h>

#include "files/mesh_file.h"
#include "heddle/cloth_scene.h"

TestSuite(cloth_alembic, .init = folder_make, .fini = folder_remove);

static const char shape[] = "o cloth\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0.5\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.25\n"
                            "f 1/1 2/2 3/3 4/4\nf 2/5 5/2 3/4\n";

enum { VERTICES = 5, FRAMES = 3 };

static void make_frames(float *frames)
{
    for (uint32_t i = 0; i < 3 * VERTICES * FRAMES; i++)
        frames[i] = 0.1f * (float)(i * i % 17) - 0.3f;
}

/* Returns x, y, z as a file has them of positions whose vertical axis is `up`. */
static void turned(const float *from, uint32_t up, float *to)
{
    static const int axes[3][3] = {{2, 0, 1}, {0, 1, 2}, {0, 2, 1}};
    for (int k = 0; k < 3; k++) to[k] = from[axes[up][k]];
    if (up == 2) to[2] = -to[2];
}

/* True if the file has the box of a frame, low and high corner in doubles, by which programs place the mesh. */
static bool has_box(const char *path, const float *positions)
{
    double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    static unsigned char bytes[1 << 14];
    for (int i = 0; i < 3 * VERTICES; i++) {
        box[i % 3] = fmin(box[i % 3], (double)positions[i]);
        box[3 + i % 3] = fmax(box[3 + i % 3], (double)positions[i]);
    }
    FILE *file = fopen(path, "rb");
    CHECK_NOT_NULL(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK_LT(size, sizeof bytes);
    bool is_found = false;
    for (size_t at = 0; at + sizeof box <= size && !is_found; at++)
        is_found = memcmp(bytes + at, box, sizeof box) == 0;
    return is_found;
}

Test(cloth_alembic, frames_survive_a_round_trip)
{
    float frames[3 * VERTICES * FRAMES], expected[3 * VERTICES * FRAMES];
    hed_cloth_mesh mesh = parse(shape), again;
    hed_error error = {0};
    make_frames(frames);
    for (uint32_t up = 0; up < 3; up++)
        for (uint32_t count = 1; count <= FRAMES; count++) {
            hed_cloth_stage stage = {"a/b=c", 25, 0.01, up};
            hed_cloth_pc2_data samples;
            const char *path = in_folder("f.abc");
            OK(hed_cloth_mesh_save_alembic_frames(&mesh, path, &stage, frames, count, &error));
            for (uint32_t i = 0; i < VERTICES * count; i++)
                turned(frames + 3 * i, up, expected + 3 * i);
            for (uint32_t frame = 0; frame < count; frame++)
                EXPECT(has_box(path, expected + 3 * VERTICES * frame), "frame %u, up %u", frame, up);
            OK(hed_cloth_mesh_read(path, &again, &error));
            CHECK_EQ(again.vertex_count, VERTICES);
            CHECK(same_floats(again.positions, expected, 3 * VERTICES));
            CHECK_EQ(again.face_count, 2);
            CHECK(same_words(again.face_at, mesh.face_at, 3));
            CHECK(same_words(again.corners, mesh.corners, 7));
            CHECK(same_words(again.corner_textures, mesh.corner_textures, 7));
            CHECK(same_floats(again.textures, mesh.textures, 10));
            CHECK_EQ(again.group_count, 1);
            CHECK_TEXT(again.groups[0].name, "a_b_c");
            hed_cloth_mesh_free(&again);
            OK(hed_cloth_alembic_sample(path, 50, &samples, &error));
            CHECK_EQ(samples.frame_count, count);
            CHECK(same_floats(samples.positions, expected, (size_t)3 * VERTICES * count));
            CHECK(fabsf(samples.sampling - (count > 1 ? 2.0f : 1.0f)) < 1e-6f);
            hed_cloth_pc2_free(&samples);
        }
    hed_cloth_mesh_free(&mesh);
}

Test(cloth_alembic, wrong_arguments_write_nothing)
{
    float frames[3 * VERTICES * FRAMES];
    hed_cloth_mesh mesh = parse(shape);
    hed_error error = {0};
    make_frames(frames);
    const char *path = in_folder("none.abc");
    const hed_cloth_stage wrong[] = {
        {"a", 0, 1, 1}, {"a", 25, 0, 1}, {"a", 25, 1, 3}, {"a", NAN, 1, 1}, {NULL, 25, 1, 1}};
    for (size_t i = 0; i < HED_COUNT(wrong); i++)
        FAILS(HED_ERROR_ARGUMENT,
            hed_cloth_mesh_save_alembic_frames(&mesh, path, &wrong[i], frames, 1, &error));
    const hed_cloth_stage right = {"a", 25, 1, 1};
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_alembic_frames(&mesh, path, &right, frames, 0, &error));
    frames[7] = NAN;
    FAILS(HED_ERROR_ARGUMENT,
        hed_cloth_mesh_save_alembic_frames(&mesh, path, &right, frames, 1, &error));
    CHECK(access(path, F_OK) != 0);
    hed_cloth_mesh_free(&mesh);
}

/* Blender's tests/alembic/moved.abc: a quad and a triangle, half as large and 1 m along x of a carrier, which turns by
 * 45 degrees about the vertical axis and rises by 1 m in each of two frames, while vertex i rises by i / 2 in its own
 * lengths; and another triangle at rest. 24 frames a second, from 1 / 24 s on. */
static void expect_moved(const float *positions, int frame)
{
    static const float at[5][2] = {{0, 0}, {2, 0}, {2, 4}, {0, 4}, {4, 0}};
    float angle = (float)(M_PI / 4) * (float)frame;
    for (int v = 0; v < 5; v++) {
        float x = 1 + at[v][0] / 2, y = at[v][1] / 2;
        const float expected[3] = {x * cosf(angle) - y * sinf(angle),
            (float)frame + 0.25f * (float)(frame * v), -(x * sinf(angle) + y * cosf(angle))};
        for (int k = 0; k < 3; k++)
            EXPECT(fabsf(positions[3 * v + k] - expected[k]) < 2e-6f, "frame %d, vertex %d, axis %d: %g, expected %g",
                frame, v, k, (double)positions[3 * v + k], (double)expected[k]);
    }
}

Test(cloth_alembic, transforms_of_blender_move_the_points)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data samples;
    OK(hed_cloth_mesh_read("tests/alembic/moved.abc#patch", &mesh, &error));
    CHECK_EQ(mesh.vertex_count, 5);
    expect_moved(mesh.positions, 0);
    CHECK_EQ(mesh.face_count, 2);
    static const uint32_t corners[] = {0, 1, 2, 3, 1, 4, 2};
    CHECK(same_words(mesh.corners, corners, 7));
    CHECK(mesh.corner_textures);
    for (int k = 0; mesh.corner_textures && k < 7; k++) {
        static const float u[] = {0, 0.5f, 0.5f, 0, 1}, w[] = {0, 0, 1, 1, 0};
        const float *uv = mesh.textures + 2 * (size_t)mesh.corner_textures[k];
        CHECK(uv[0] == u[corners[k]] && uv[1] == w[corners[k]]);
    }
    hed_cloth_mesh_free(&mesh);
    OK(hed_cloth_alembic_sample("tests/alembic/moved.abc#carrier", 24, &samples, &error));
    CHECK_EQ(samples.vertex_count, 5);
    CHECK_EQ(samples.frame_count, 3);
    CHECK(fabsf(samples.sampling - 1) < 1e-6f);
    for (int frame = 0; frame < 3; frame++)
        expect_moved(samples.positions + 15 * (size_t)frame, frame);
    hed_cloth_pc2_free(&samples);
    OK(hed_cloth_mesh_read("tests/alembic/moved.abc", &mesh, &error)); /* both meshes */
    CHECK_EQ(mesh.vertex_count, 8);
    CHECK_EQ(mesh.group_count, 2);
    hed_cloth_mesh_free(&mesh);
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_read("tests/alembic/moved.abc#nobody", &mesh, &error));
    EXPECT(strstr(error.text, "nobody"), "%s", error.text);
}

/* Blender's tests/alembic/shutter.abc: a triangle at 0.1 t^2 along x after t frames of 1 / 24 s, with samples for the
 * opening and the closing of a shutter, at 0, 0.5, ... 3.5. Uneven samples are read at the times of the requested
 * rate, between two samples on the line of both, the last one at the end. */
Test(cloth_alembic, a_shutter_moves_no_frame)
{
    static const float rates[] = {24, 48, 30}, steps[] = {1, 0.5f, 0.8f};
    static const uint32_t counts[] = {5, 8, 6};
    hed_error error = {0};
    for (int k = 0; k < 3; k++) {
        hed_cloth_pc2_data samples;
        OK(hed_cloth_alembic_sample("tests/alembic/shutter.abc", (double)rates[k], &samples, &error));
        CHECK_EQ(samples.frame_count, counts[k]);
        EXPECT(samples.sampling == 1, "%g", (double)samples.sampling);
        for (uint32_t i = 0; i < samples.frame_count; i++) {
            float t = fminf(steps[k] * (float)i, 3.5f), x = samples.positions[9 * (size_t)i],
                  from = floorf(2 * t + 1e-4f) / 2, to = from + 0.5f, part = (t - from) / 0.5f,
                  expected = 0.1f * (from * from * (1 - part) + to * to * part);
            EXPECT_NEAR(x, expected, 2e-6, "sample %u at %g a second", i, (double)rates[k]);
        }
        hed_cloth_pc2_free(&samples);
    }
}

/* centred.abc, of Blender: a triangle at 0.1 t^2 along x, t frames of 1 / 24 s after frame 1, with samples for a shutter: a quarter
 * of a frame before each of the frames 1 to 4, and at it. Frame 1 is the start, and the mesh is that of the start; the first sample would
 * delay all by a quarter. */
Test(cloth_alembic, a_shutter_around_its_frames_moves_no_frame)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data samples;
    OK(hed_cloth_alembic_sample("tests/alembic/centred.abc", 24, &samples, &error));
    CHECK_EQ(samples.frame_count, 4);
    for (uint32_t i = 0; i < samples.frame_count; i++)
        EXPECT_NEAR(samples.positions[9 * (size_t)i], 0.1f * (float)(i * i), 2e-6, "sample %u", i);
    OK(hed_cloth_mesh_read("tests/alembic/centred.abc", &mesh, &error));
    CHECK(same_floats(mesh.positions, samples.positions, 9));
    hed_cloth_mesh_free(&mesh);
    hed_cloth_pc2_free(&samples);
}

/* A body's mesh and motion are one file; its times are those of the file. */
Test(cloth_alembic, a_body_moves_in_a_scene)
{
    static const char scene_text[] =
        "{\"garments\": [{\"grid\": {\"width\": 3, \"height\": 3, \"size\": [1, 1], \"origin\": [20, 0, 0]}}],"
        "\"colliders\": [{\"mesh\": \"tests/alembic/moved.abc#patch\", \"sequence\": {\"file\": \"tests/alembic/moved.abc#patch\"}}]}";
    hed_error error = {0};
    hed_cloth_scene *scene;
    hed_cloth_frame frame;
    OK(hed_cloth_scene_parse(scene_text, sizeof scene_text - 1, "s.json", "", NULL, &scene, &error));
    for (uint32_t i = 0; i < 2; i++) {
        OK(hed_cloth_scene_frame(scene, i, 24, &frame, &error));
        CHECK_EQ(frame.mesh_count, 1);
        CHECK_EQ(frame.meshes[0].vertex_count, 5);
        expect_moved(frame.meshes[0].positions, (int)i + 1);
    }
    hed_cloth_scene_close(scene);
}

Test(cloth_alembic, broken_files_are_named)
{
    hed_error error = {0};
    hed_cloth_mesh mesh;
    hed_cloth_pc2_data samples;
    char *file, text[] = "\x89HDF and more of it, for 24";
    size_t size;
    FAILS(HED_ERROR_FORMAT, cloth_alembic_parse(text, sizeof text - 1, "old.abc", &mesh, &error));
    EXPECT(strstr(error.text, "HDF5"), "%s", error.text);
    OK(hed_file_read("tests/alembic/moved.abc", 1 << 20, &file, &size, &error));
    char *copy = malloc(size);
    memcpy(copy, file, size);
    copy[5] = 0;
    FAILS(HED_ERROR_FORMAT, cloth_alembic_parse(copy, size, "open.abc", &mesh, &error));
    EXPECT(strstr(error.text, "did not close it"), "%s", error.text);
    free(copy);
    /* cut anywhere: the root group lies at the end */
    for (size_t length = 0; length < size; length += 7) {
        char *cut = malloc(length + 1);
        memcpy(cut, file, length);
        FAILS(HED_ERROR_FORMAT, cloth_alembic_parse(cut, length, "cut.abc", &mesh, &error));
        free(cut);
    }
    /* one byte wrong: an error with a text, or a mesh */
    for (size_t i = 8; i < size; i++) {
        char kept = file[i];
        file[i] = (char)(kept ^ (i % 3 ? 0x8c : 0x07));
        hed_error_clear(&error);
        hed_status status = cloth_alembic_parse(file, size, "bent.abc", &mesh, &error);
        CHECK(status == HED_OK ? mesh.positions && !error.text[0]
                               : status == HED_ERROR_FORMAT && error.text[0] && !mesh.positions,
            "byte %zu: %s", i, error.text);
        hed_cloth_mesh_free(&mesh);
        hed_error_clear(&error);
        status = cloth_alembic_sample("bent.abc", file, size, 24, &samples, &error);
        CHECK(status == HED_OK ? samples.positions && !error.text[0]
                               : status == HED_ERROR_FORMAT && error.text[0] && !samples.positions,
            "byte %zu: %s", i, error.text);
        hed_cloth_pc2_free(&samples);
        file[i] = kept;
    }
    FAILS(HED_ERROR_ARGUMENT, cloth_alembic_sample("a.abc", file, size, 0, &samples, &error));
    free(file);
}
