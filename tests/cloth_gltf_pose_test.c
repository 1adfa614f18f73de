/* Poses of glTF files: tracks of all three interpolations and skins against the product of their
 * matrices, the shipped figure against the point cache that was made beside it, and what is
 * refused. */
#include "testing.h"

#include <math.h>

#include "folder.h"
#include "heddle/cloth_scene.h"
#include "files/mesh_file.h"

static hed_error error;

TestSuite(cloth_gltf_pose, .init = folder_make, .fini = folder_remove);

/* Data of one file: where each array begins, in bytes. */
static const float data[] = {
    /* 0: positions of a triangle */ 0, 1, 0, 0.5f, 2, 0, 0, 3, 0.25f,
    /* 36: weights */ 1, 0, 0, 0, 0.25f, 0.75f, 0, 0, 0, 2, 0, 0,
    /* 84: inverse binds: the second joint is at y = 1, the first at 0 */
    1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, /* */
    1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1,
    /* 212: times 0, 1, 3 */ 0, 1, 3,
    /* 224: rotations about z by 0, 90 and, the long way, -90 degrees */
    0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f, 0, 0, 0.70710678f, -0.70710678f,
    /* 272: places, for STEP */ 0, 0, 0, 1, 2, 3, 4, 5, 6,
    /* 308: scales with tangents, for CUBICSPLINE */
    0, 0, 0, 1, 1, 1, 2, 0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, -1, 0, 0, 3, 1, 1, 0, 0, 0,
    /* 416: joints, bytes */ 0, 0, 0};
static const unsigned char joints[] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};

/* A skin of two joints, of which the first is turned and moved, the second scaled; and, where
 * `beside`, a node without a skin below the first joint. */
static const char *document(const char *change, const char *into)
{
    static char text[8192],
        plain[] =
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],\"nodes\":["
            "{\"children\":[1,3]},{\"translation\":[0,1,0]},{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]},"
            "{\"name\":\"beside\",\"mesh\":1,\"scale\":[2,2,2]}],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]},"
            "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{},{\"POSITION\":6}]}]}],"
            "\"skins\":[{\"joints\":[0,1],\"inverseBindMatrices\":3}],"
            "\"animations\":[{\"name\":\"a\",\"channels\":["
            "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
            "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}},"
            "{\"sampler\":2,\"target\":{\"node\":1,\"path\":\"scale\"}}],\"samplers\":["
            "{\"input\":4,\"output\":5},{\"input\":4,\"output\":6,\"interpolation\":\"STEP\"},"
            "{\"input\":4,\"output\":7,\"interpolation\":\"CUBICSPLINE\"},{\"input\":4,\"output\":8}]},"
            "{\"name\":\"still\",\"channels\":[],\"samplers\":[]}],"
            "\"accessors\":["
            "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
            "{\"bufferView\":0,\"byteOffset\":416,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
            "{\"bufferView\":0,\"byteOffset\":36,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
            "{\"bufferView\":0,\"byteOffset\":84,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
            "{\"bufferView\":0,\"byteOffset\":212,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
            "{\"bufferView\":0,\"byteOffset\":224,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
            "{\"bufferView\":0,\"byteOffset\":272,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
            "{\"bufferView\":0,\"byteOffset\":308,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\"},"
            "{\"bufferView\":0,\"byteOffset\":308,\"componentType\":5126,\"count\":6,\"type\":\"SCALAR\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":428}],"
            "\"buffers\":[{\"byteLength\":428,\"uri\":\"a.bin\"}]}";
    const char *at = change ? strstr(plain, change) : NULL;
    CHECK(!change || at, "%s", change);
    if (!at) return plain;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plain), plain, into, at + strlen(change));
    return text;
}

static void write_document(const char *change, const char *into)
{
    unsigned char bytes[sizeof data];
    memcpy(bytes, data, sizeof data);
    memcpy(bytes + 416, joints, sizeof joints);
    write_file(in_folder("a.bin"), bytes, sizeof bytes);
    const char *text = document(change, into);
    write_file(in_folder("a.gltf"), text, strlen(text));
}

/* Where the first joint takes a point at a time: turned about z, then moved. */
static void first_joint(double time, const double p[3], double to[3])
{
    /* From 90 degrees to -90 by the shorter arc, which is through 180, since the quaternion is of
     * -90 + 360; its sign does not count. */
    double angle = time <= 1 ? 90 * time : 90 + 90 * (time - 1), a = angle * acos(-1.0) / 180;
    double step = time >= 3 ? 4 : time >= 1 ? 1 : 0;
    to[0] = cos(a) * p[0] - sin(a) * p[1] + step;
    to[1] = sin(a) * p[0] + cos(a) * p[1] + (step > 0 ? step + 1 : 0);
    to[2] = p[2] + (step > 0 ? step + 2 : 0);
}

/* The second one's scale along x, by the spline of the specification's appendix C. */
static double scale_at(double time)
{
    double from = time < 1 ? 0 : 1, span = time < 1 ? 1 : 2, t = (time - from) / span;
    double a = time < 1 ? 1 : 2, out = time < 1 ? 2 : 0, b = time < 1 ? 2 : 3,
           in = time < 1 ? 0 : -1;
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a + span * (t3 - 2 * t2 + t) * out + (-2 * t3 + 3 * t2) * b +
           span * (t3 - t2) * in;
}

Test(cloth_gltf_pose, tracks_and_skins)
{
    hed_cloth_pc2_data samples;
    write_document(NULL, NULL);
    OK(hed_cloth_gltf_sample(in_folder("a.gltf"), "a", 8, &samples, &error));
    CHECK_EQ(samples.vertex_count, 6);
    CHECK_EQ(samples.frame_count, 25);
    CHECK_EQ(samples.sampling, 1.0f);
    for (uint32_t s = 0; s < 25; s++) {
        double time = s / 8.0, scale = scale_at(time);
        static const double weights[3] = {0, 0.75, 1}; /* of the second joint */
        for (int v = 0; v < 3; v++) {
            const float *rest = data + 3 * v;
            double p[3] = {rest[0], rest[1], rest[2]}, q[3] = {scale * p[0], p[1], p[2]},
                   twice[3] = {2 * p[0], 2 * p[1], 2 * p[2]}, first[3], second[3], beside[3];
            first_joint(time, p, first);
            first_joint(time, q, second);
            first_joint(time, twice, beside);
            /* nodes in the scene's order: the one below the joint comes first */
            const float *found = samples.positions + 18 * s + 3 * v;
            for (int k = 0; k < 3; k++) {
                EXPECT_NEAR(found[k], beside[k], 2e-6, "%g s, a vertex without a skin", time);
                EXPECT_NEAR(found[9 + k], first[k] + weights[v] * (second[k] - first[k]), 2e-6,
                    "%g s, vertex %d, coordinate %d", time, v, k);
            }
        }
    }
    hed_cloth_pc2_free(&samples);
    /* a rate that does not fit its length, and no animation */
    OK(hed_cloth_gltf_sample(in_folder("a.gltf"), NULL, 1.5, &samples, &error));
    CHECK_EQ(samples.frame_count, 5); /* 4.5 steps: 4 */
    hed_cloth_pc2_free(&samples);
    OK(hed_cloth_gltf_sample(in_folder("a.gltf"), "still", 60, &samples, &error));
    CHECK_EQ(samples.frame_count, 1);
    EXPECT_NEAR(samples.positions[10], 1.0, 1e-7);
    hed_cloth_pc2_free(&samples);
}

/* Puts `into` in the place of `from` in a text of 8192 bytes. */
static void replace(char *text, const char *from, const char *into)
{
    char *at = strstr(text, from), rest[8192];
    CHECK(at, "%s", from);
    snprintf(rest, sizeof rest, "%s", at + strlen(from));
    snprintf(at, 8192 - (size_t)(at - text), "%s%s", into, rest);
}

/* Writes b.glb as Blender does: a body with a skin and shape keys, whose animations are two, after one of a
 * lamp. `keys`: name of the animation of the keys; `more`: further animations, each after a comma. */
static void write_body(const char *keys, const char *more)
{
    char text[8192], animation[1024];
    unsigned char glb[8192 + sizeof data + 64] = {0};
    snprintf(text, sizeof text, "%s", document(NULL, NULL));
    replace(text, "\"nodes\":[0,2]}]", "\"nodes\":[0,2,4]}]");
    replace(text, "\"scale\":[2,2,2]}]", "\"scale\":[2,2,2]},{\"name\":\"lamp\"}]");
    replace(text, "\"mesh\":0,\"skin\"", "\"name\":\"body\",\"mesh\":0,\"skin\"");
    replace(text, "\"WEIGHTS_0\":2}}]", "\"WEIGHTS_0\":2},\"targets\":[{},{\"POSITION\":6}]}]");
    replace(text, "{\"name\":\"a\"",
        "{\"name\":\"lamp\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":4,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":4,\"output\":6}]},{\"name\":\"a\"");
    snprintf(animation, sizeof animation,
        "{\"name\":\"%s\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":"
        "\"weights\"}}],\"samplers\":[{\"input\":4,\"output\":8}]}%s",
        keys, more);
    replace(text, "{\"name\":\"still\",\"channels\":[],\"samplers\":[]}", animation);
    replace(text, ",\"uri\":\"a.bin\"", "");
    while (strlen(text) % 4) strcat(text, " ");
    const uint32_t length = (uint32_t)strlen(text), bin = (sizeof data + 3) / 4 * 4,
                   head[5] = {0x46546c67, 2, 12 + 8 + length + 8 + bin, length, 0x4e4f534a},
                   middle[2] = {bin, 0x004e4942};
    memcpy(glb, head, 20);
    memcpy(glb + 20, text, length);
    memcpy(glb + 20 + length, middle, 8);
    memcpy(glb + 28 + length, data, sizeof data);
    memcpy(glb + 28 + length + 416, joints, sizeof joints);
    write_file(in_folder("b.glb"), glb, 28 + length + bin);
}

/* Compares the samples of the body with the motion of its bones and of its keys. */
static void body_moves(const char *animation, bool has_bones, bool has_keys)
{
    static const double weights[3] = {0, 0.75, 1}; /* of the second joint */
    hed_cloth_pc2_data samples;
    char path[512];
    snprintf(path, sizeof path, "%s#body", in_folder("b.glb"));
    OK(hed_cloth_gltf_sample(path, animation, 2, &samples, &error));
    const char *name = animation ? animation : "any";
    CHECK_EQ(samples.frame_count, has_bones || has_keys ? 7 : 1);
    for (uint32_t s = 0; s < samples.frame_count; s++) {
        double time = s / 2.0,
               key = !has_keys  ? 0
                     : time < 1 ? time
                                : 1,
               scale = has_bones ? scale_at(time) : 1;
        for (int v = 0; v < 3; v++) {
            double p[3], q[3], first[3], second[3];
            for (int k = 0; k < 3; k++) p[k] = data[3 * v + k] + key * (double)data[68 + 3 * v + k];
            memcpy(q, p, sizeof q);
            q[0] *= scale;
            first_joint(has_bones ? time : 0, p, first);
            first_joint(has_bones ? time : 0, q, second);
            for (int k = 0; k < 3; k++)
                EXPECT_NEAR(samples.positions[9 * s + 3 * v + k],
                    first[k] + weights[v] * (second[k] - first[k]), 4e-6, "%s, %g s", name, time);
        }
    }
    hed_cloth_pc2_free(&samples);
}

Test(cloth_gltf_pose, animations_of_one_body_play_together)
{
    /* another clip: keys for which there are some already, and a node that rests otherwise */
    static const char *const clip =
        ",{\"name\":\"jump\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
        "\"translation\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"weights\"}}],"
        "\"samplers\":[{\"input\":4,\"output\":6},{\"input\":4,\"output\":8}]}";
    hed_cloth_pc2_data samples;
    write_body("keys", clip);
    body_moves(NULL, true, true);
    body_moves("a", true, false);
    body_moves("keys", false, true);
    body_moves("lamp", false, false);
    write_body("a", clip);
    body_moves("a", true, true);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_gltf_sample(in_folder("b.glb"), "b", 1, &samples, &error));
    EXPECT(strstr(error.text, "found \"lamp\", \"a\", \"a\", \"jump\""), "%s", error.text);
    hed_error_clear(&error);
}

/* Weights of two morph targets: 0 0, 0 1, 1 1 at 0, 1 and 3 s. The first target moves nothing. */
Test(cloth_gltf_pose, morph_targets_and_named_nodes)
{
    static const char *const scale = "{\"sampler\":2,\"target\":{\"node\":1,\"path\":\"scale\"}}]",
                             *const weights =
                                 "{\"sampler\":3,\"target\":{\"node\":3,\"path\":\"weights\"}}]";
    hed_cloth_pc2_data samples;
    write_document(scale, weights);
    char path[512];
    snprintf(path, sizeof path, "%s#beside", in_folder("a.gltf"));
    OK(hed_cloth_gltf_sample(path, "a", 2, &samples, &error));
    CHECK_EQ(samples.vertex_count, 3);
    CHECK_EQ(samples.frame_count, 7);
    for (uint32_t s = 0; s < 7; s++) {
        double time = s / 2.0, weight = time < 1 ? time : 1, moved[3], p[3];
        for (int v = 0; v < 3; v++) {
            for (int k = 0; k < 3; k++)
                p[k] = 2 * (data[3 * v + k] + weight * (double)data[68 + 3 * v + k]);
            first_joint(time, p, moved);
            for (int k = 0; k < 3; k++)
                EXPECT_NEAR(samples.positions[9 * s + 3 * v + k], moved[k], 4e-6, "%g s", time);
        }
    }
    hed_cloth_pc2_free(&samples);

    /* a mesh has the weights of its node */
    hed_cloth_mesh mesh;
    write_document("\"mesh\":1,\"scale\"", "\"mesh\":1,\"weights\":[7,0.5],\"scale\"");
    OK(hed_cloth_mesh_read(path, &mesh, &error));
    CHECK_EQ(mesh.vertex_count, 3);
    EXPECT_NEAR(mesh.positions[7], 2 * (3 + 0.5 * 5), 1e-6);
    hed_cloth_mesh_free(&mesh);

    snprintf(path, sizeof path, "%s#nobody", in_folder("a.gltf"));
    FAILS(HED_ERROR_FORMAT, hed_cloth_mesh_read(path, &mesh, &error));
    EXPECT(
        strstr(error.text, "no node is called \"nobody\"; those with a mesh are \"\", \"beside\""),
        "%s", error.text);
    snprintf(path, sizeof path, "%s#x", in_folder("absent.glb"));
    FAILS(HED_ERROR_IO, hed_cloth_mesh_read(path, &mesh, &error));
    hed_error_clear(&error);
}

/* An animation of nodes above the mesh moves the mesh, also where no animation is named. */
Test(cloth_gltf_pose, nodes_above_a_mesh_move_it)
{
    hed_cloth_pc2_data samples;
    char path[512];
    write_document(NULL, NULL);
    snprintf(path, sizeof path, "%s#beside", in_folder("a.gltf"));
    OK(hed_cloth_gltf_sample(path, NULL, 2, &samples, &error));
    CHECK_EQ(samples.frame_count, 7);
    for (uint32_t s = 0; s < 7; s++)
        for (int v = 0; v < 3; v++) {
            double moved[3], p[3];
            for (int k = 0; k < 3; k++) p[k] = 2 * (double)data[3 * v + k];
            first_joint(s / 2.0, p, moved);
            for (int k = 0; k < 3; k++)
                EXPECT_NEAR(samples.positions[9 * s + 3 * v + k], moved[k], 4e-6, "sample %u", s);
        }
    hed_cloth_pc2_free(&samples);
}

/* walk.pc2 was made from the same bones, with all of their weights; the file has the four
 * largest. */
Test(cloth_gltf_pose, the_shipped_figure_walks)
{
    hed_cloth_pc2_data samples, cache;
    OK(hed_cloth_gltf_sample("data/scenes/walker.glb", "walk", 20, &samples, &error));
    OK(hed_cloth_pc2_read("data/scenes/walk.pc2", &cache, &error));
    CHECK_EQ(samples.vertex_count, cache.vertex_count);
    CHECK_EQ(samples.frame_count, cache.frame_count + 1); /* the end is the start */
    double most = 0, ends = 0;
    for (size_t i = 0; i < 3 * (size_t)cache.vertex_count * cache.frame_count; i++)
        most = fmax(most, fabs((double)samples.positions[i] - cache.positions[i]));
    for (size_t i = 0; i < 3 * (size_t)cache.vertex_count; i++)
        ends = fmax(ends, fabs((double)samples.positions[i] -
                               samples.positions[3 * (size_t)cache.vertex_count * 40 + i]));
    printf("%.3g m off the point cache\n", most);
    EXPECT_LT(most, 0.002);
    EXPECT_LT(ends, 1e-5);
    hed_cloth_pc2_free(&samples);
    hed_cloth_pc2_free(&cache);
}

/* In a scene, as a collider and as a driver. */
static void count_advice(void *user, const char *text)
{
    *(int *)user += strstr(text, "skins and animations act in a \"sequence\" alone") != NULL;
}

/* The advice to use a sequence is for meshes without one. */
Test(cloth_gltf_pose, drives_and_collides)
{
    static const char text[] =
        "{\"garments\": [{\"mesh\": \"data/scenes/dress.obj\", \"driver\": {\"mesh\": "
        "\"data/scenes/walker.glb\", \"sequence\": {\"file\": \"data/scenes/walker.glb\", \"loop\": true}}}],"
        "\"colliders\": [{\"mesh\": \"data/scenes/walker.glb\", \"sequence\": {\"file\": "
        "\"data/scenes/walker.glb\", \"animation\": \"walk\", \"loop\": true, \"rate\": 20}}]}";
    hed_cloth_scene *scene;
    hed_cloth_frame frame;
    hed_cloth_pc2_data cache;
    int advices = 0;
    const hed_cloth_scene_options options = {.warn = count_advice, .user = &advices};
    static const char still[] =
        "{\"garments\": [{\"grid\": {\"width\": 2, \"height\": 2, \"size\": [1, 1]}}], \"colliders\": [{\"mesh\": \"data/scenes/walker.glb\"}]}";
    OK(hed_cloth_scene_parse(still, sizeof still - 1, "s.json", "", &options, &scene, &error));
    CHECK_EQ(advices, 1);
    hed_cloth_scene_close(scene);
    OK(hed_cloth_scene_parse(text, sizeof text - 1, "s.json", "", &options, &scene, &error));
    CHECK_EQ(advices, 1);
    OK(hed_cloth_pc2_read("data/scenes/walk.pc2", &cache, &error));
    for (uint32_t turn = 0; turn < 2; turn++) { /* 0.5 s: sample 10; and after a whole turn */
        OK(hed_cloth_scene_frame(scene, 29 + 120 * turn, 60, &frame, &error));
        CHECK_EQ(frame.mesh_count, 1);
        CHECK_EQ(frame.meshes[0].vertex_count, cache.vertex_count);
        for (size_t i = 0; i < 3 * (size_t)cache.vertex_count; i++)
            CHECK_NEAR(frame.meshes[0].positions[i],
                cache.positions[30 * (size_t)cache.vertex_count + i], 0.002);
    }
    hed_cloth_pc2_free(&cache);
    hed_cloth_scene_close(scene);
}

static void refused(hed_status status, const char *change, const char *into, const char *words)
{
    hed_cloth_pc2_data samples;
    write_document(change, into);
    hed_error_clear(&error);
    hed_status found = hed_cloth_gltf_sample(in_folder("a.gltf"), "a", 30, &samples, &error);
    EXPECT_EQ(found, status, "%s: %s", into, error.text);
    EXPECT(strstr(error.text, words), "%s\nis refused with   %s\ninstead of        %s", into,
        error.text, words);
    EXPECT_NULL(samples.positions);
    hed_error_clear(&error);
}

Test(cloth_gltf_pose, what_is_broken_is_named)
{
    refused(HED_ERROR_ARGUMENT, "\"name\":\"a\"", "\"name\":\"b\"",
        "no animation \"a\"; found \"b\", \"still\"");
    refused(HED_ERROR_FORMAT, "\"children\":[1,3]", "\"children\":[1,1]", "node 1 is there twice");
    refused(HED_ERROR_FORMAT, "\"joints\":[0,1]", "\"joints\":[0]", "has joint 1, but there are 1");
    refused(HED_ERROR_FORMAT, "\"joints\":[0,1]", "\"joints\":[0,7]", "7");
    refused(HED_ERROR_FORMAT, "\"joints\":[0,1]", "\"joints\":[0,1,2]", "2 matrices for 3 joints");
    refused(HED_ERROR_FORMAT, "\"inverseBindMatrices\":3", "\"inverseBindMatrices\":2",
        "expected MAT4");
    refused(HED_ERROR_FORMAT, "\"output\":5}", "\"output\":6}", "expected VEC4");
    refused(HED_ERROR_FORMAT, "\"output\":7,", "\"output\":6,", "3 values for 3 times, expected 9");
    refused(HED_ERROR_FORMAT, "\"sampler\":2", "\"sampler\":4", "found sampler 4, but there are 4");
    refused(HED_ERROR_FORMAT, "\"path\":\"scale\"", "\"path\":\"size\"", "size");
    refused(HED_ERROR_FORMAT, "\"STEP\"", "\"SMOOTH\"", "SMOOTH");
    refused(HED_ERROR_FORMAT, "\"byteOffset\":212", "\"byteOffset\":216",
        "expected later and later ones");
    refused(HED_ERROR_FORMAT, "{\"translation\":[0,1,0]}",
        "{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}", "node 1 has a matrix");
    hed_cloth_pc2_data samples;
    write_document(NULL, NULL);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_gltf_sample(in_folder("a.gltf"), "a", 0, &samples, &error));
    FAILS(HED_ERROR_IO, hed_cloth_gltf_sample(in_folder("b.gltf"), "a", 1, &samples, &error));
}

/* A file that is cut anywhere. */
Test(cloth_gltf_pose, cut_files)
{
    char *bytes;
    size_t size;
    OK(hed_file_read("data/scenes/walker.glb", 1 << 24, &bytes, &size, &error));
    for (size_t cut = 0; cut < size; cut += cut < 4000 ? 97 : 7919) {
        hed_cloth_pc2_data samples;
        char *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        hed_error_clear(&error);
        CHECK_EQ(cloth_gltf_sample("cut.glb", part, cut, NULL, NULL, 30, &samples, &error),
            HED_ERROR_FORMAT, "cut to %zu bytes", cut);
        CHECK_NULL(samples.positions);
        free(part);
    }
    hed_error_clear(&error);
    free(bytes);
}
