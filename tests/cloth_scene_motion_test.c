/* Scene files: what is fed at which time: keys, sequences, bodies that garments hang on, pins,
 * colliders. */
#include "cloth_scenes.h"

TestSuite(cloth_scene_motion, .init = folder_make, .fini = folder_remove);

/* ---- what moves ---- */

/* Where the driver is behind a frame of 60 a second. */
static const float *driven_at(hed_cloth_scene *scene, double seconds)
{
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, (uint32_t)lround(seconds * 60) - 1, 60, &frame, &error));
    return frame.driver_positions;
}

Test(cloth_scene_motion, keys_and_spin)
{
    write_text("m.obj", SQUARE);
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"motion\": {\"centre\": [1, 0, 0], "
                   "\"keys\": [{\"time\": 1}, {\"time\": 2, \"axis\": \"z\", "
                   "\"degrees\": 450, \"move\": [0, 0, 2]}, {\"time\": 3, \"axis\": \"x\", "
                   "\"degrees\": 90, \"move\": [0, 0, 2]}], \"loop\": true}}"));
    point_is(driven_at(scene, 1), 0, 0, 0, 1e-6, "first key");
    point_is(driven_at(scene, 1.2), 1, 0, 0.4, 2, "on the way");
    point_is(
        &driven_at(scene, 2)[0], 1, -1, 2, 1e-5, "second key: a turn and a quarter around x = 1");
    point_is(&driven_at(scene, 1.4)[0], 2, 0, 0.8, 1e-5, "half a turn on the way");
    point_is(&driven_at(scene, 3.4)[0], 2, 0, 0.8, 1e-5, "and again: the loop is two seconds long");
    const float *p = driven_at(scene, 2.5);
    near(sqrt((p[0] - 1) * (p[0] - 1) + p[1] * p[1] + (p[2] - 2) * (p[2] - 2)), 1, 1e-5,
        "from one axis to another it stays rigid");
    hed_cloth_scene_close(scene);
    scene = parsed(
        ONE("\"mesh\": \"m.obj\", "
            "\"driver\": {\"motion\": {\"keys\": [{\"time\": 0, \"axis\": \"z\", \"degrees\": "
            "90}, {\"time\": 1, \"axis\": \"z\", \"degrees\": 270}]}}"));
    point_is(&driven_at(scene, 0.5)[3], -1, 0, 0, 1e-5, "half way from a quarter to three");
    hed_cloth_scene_close(scene);
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"motion\": {\"spin\": {\"axis\": \"y\", "
                       "\"degrees_per_second\": 90}}}"));
    point_is(&driven_at(scene, 3)[3], 0, 0, 1, 1e-5, "three quarters");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, sequences_of_both_kinds)
{
    write_text("m.obj", SQUARE);
    write_cache("m.pc2");
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"m.pc2\"}}"));
    near(driven_at(scene, 1.0 / 60)[0], 0.5, 1e-6, "the file says: a sample for two frames");
    near(driven_at(scene, 1)[0], 2, 1e-6, "it stays at its end");
    hed_cloth_scene_close(scene);
    scene = parsed(ONE(
        "\"mesh\": \"m.obj\", \"transform\": {\"scale\": 10}, \"driver\": {\"sequence\": {\"file\": "
        "\"m.pc2\", \"rate\": 10, \"loop\": true}}"));
    near(driven_at(scene, 0.15)[0], 15, 1e-4, "between two samples, placed");
    near(driven_at(scene, 0.25)[0], 10, 1e-4, "from the last one back to the first");
    near(driven_at(scene, 0.45)[0], 15, 1e-4, "the second time");
    hed_cloth_scene_close(scene);
    write_text("w_07.obj", SQUARE);
    write_text("w_08.obj", "v 0 5 0\nv 1 5 0\nv 1 6 0\nv 0 6 0\nf 1 2 3\n");
    scene = parsed(ONE(
        "\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"w_##.obj\", \"first\": 7, "
        "\"last\": 8, \"rate\": 1}}"));
    near(driven_at(scene, 0.5)[1], 2.5, 1e-5, "files");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, welded_garment_is_driven_by_its_vertices)
{
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    write_text("w_1.obj", "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 0 1\nv 1 1 1\nv 0 1 9\nf 1 2 3\n");
    write_text("w_2.obj", "v 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 0 2\nv 1 1 2\nv 0 1 7\nf 1 2 3\n");
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"w_#.obj\", "
                   "\"last\": 2, \"rate\": 1}}"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0, 0, 2, 1e-6, "first particle");
    point_is(&p[9], 0, 1, 7, 1e-6, "last particle: vertex 5");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, garment_begins_where_its_driver_is)
{
    write_text("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    write_text("w_1.obj", "v 0 0 1\nv 1 0 1\nv 1 1 2\nv 0 1 2\nf 1 2 3\nf 1 3 4\n");
    write_text("w_2.obj", "v 0 0 3\nv 1 0 3\nv 1 1 4\nv 0 1 4\nf 1 2 3\nf 1 3 4\n");
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"w_#.obj\", "
                   "\"last\": 2, \"rate\": 1}}"));
    float start[12];
    hed_cloth_scene_start(scene, start);
    point_is(&start[0], 0, 0, 1, 1e-6, "the first pose");
    point_is(&start[6], 1, 1, 2, 1e-6, "the first pose");
    hed_cloth_garment_def garment = hed_cloth_scene_def(scene).garments[0];
    CHECK(garment.rest_positions);
    point_is(&garment.rest_positions[6], 1, 1, 0, 0, "the rest shape is the mesh's");
    hed_cloth_scene_close(scene);
    /* a driver that begins at the mesh changes nothing */
    scene = parsed(ONE("\"mesh\": \"m.obj\", \"driver\": {}"));
    CHECK_NULL(hed_cloth_scene_def(scene).garments[0].rest_positions);
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, pictures_show_cloth)
{
    /* colours by turns; a wall before the camera, and one behind the cloth */
    hed_cloth_scene *scene = parsed(
        "{\"garments\": [{" GRID "}, {" GRID "}, {" GRID ", \"colour\": [0, 1, 0]}], \"camera\": "
        "{\"eye\": [0, 0, 9], \"target\": [0, 0, 0]}, \"colliders\": [{\"plane\": {\"point\": "
        "[0, 0, 3], \"normal\": \"-z\"}}, {\"plane\": {\"point\": [0, 0, -3], \"normal\": \"z\"}}]}");
    float rgb[3][3];
    for (uint32_t g = 0; g < 3; g++) hed_cloth_scene_colour(scene, g, rgb[g]);
    CHECK(memcmp(rgb[0], rgb[1], sizeof rgb[0]) != 0, "two garments of one colour");
    CHECK(rgb[2][0] == 0 && rgb[2][1] == 1);
    CHECK_EQ(hed_cloth_scene_prop_count(scene), 2);
    CHECK_EQ(hed_cloth_scene_prop(scene, 0).triangle_count, 0, "seen from behind");
    CHECK_EQ(hed_cloth_scene_prop(scene, 1).triangle_count, 2, "seen from its front");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, garment_hangs_on_a_body)
{
    /* A body that is a square, and a smaller square over it; the body turns, and moves up by its
     * sequence. */
    write_text("body.obj", "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nf 1 2 3\nf 1 3 4\n");
    write_text("m.obj", "v 0 0 0.5\nv 1 0 0.5\nv 1 1 0.5\nf 1 2 3\n");
    hed_cloth_scene *scene =
        parsed(ONE("\"mesh\": \"m.obj\", \"backstop_distance\": 0, \"driver\": {\"mesh\": "
                   "\"body.obj\", \"motion\": {\"keys\": [{\"time\": 0}, "
                   "{\"time\": 1, \"axis\": \"y\", \"degrees\": 90}]}}"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0.5, 0, 0, 1e-5, "half a metre over the middle");
    point_is(&p[3], 0.5, 0, -1, 1e-5, "and at its edge");
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 59, 60, &frame, &error));
    point_is(&frame.driver_normals[3], 1, 0, 0, 1e-5, "the body's normal");
    hed_cloth_scene_close(scene);
}

/* How near a triangle comes to a point, from the points of a lattice on it. */
static double lattice_distance(const float *p, const float *a, const float *b, const float *c)
{
    enum { LATTICE = 12 };
    double least = 1e9;
    for (int i = 0; i <= LATTICE; i++)
        for (int j = 0; i + j <= LATTICE; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) {
                double at = (a[k] * i + b[k] * j + c[k] * (LATTICE - i - j)) / LATTICE - p[k];
                square += at * at;
            }
            least = fmin(least, square);
        }
    return sqrt(least);
}

Test(cloth_scene_motion, nearest_place_of_a_body)
{
    /* A bumpy sheet, and a far larger triangle, whose middle is far from what it is nearest to. */
    FILE *file = fopen(in_folder("body.obj"), "w");
    for (int j = 0; j <= 20; j++)
        for (int i = 0; i <= 20; i++)
            fprintf(file, "v %g %g %g\n", i * 0.1, j * 0.1, 0.3 * sin(i * 0.7) * cos(j * 0.5));
    fprintf(file, "v 3 0 1.2\nv 90 0 1.2\nv 3 90 1.2\nf 442 443 444\n");
    for (int j = 0; j < 20; j++)
        for (int i = 0; i < 20; i++) {
            int a = j * 21 + i + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + 22, a, a + 22, a + 21);
        }
    fclose(file);
    hed_cloth_scene *scene =
        parsed(ONE("\"grid\": {\"width\": 9, \"height\": 9, \"size\": [5, 3], "
                   "\"origin\": [-1, -0.5, 0.4]}, \"driver\": {\"mesh\": \"body.obj\"}"));
    const float *driven = driven_at(scene, 1),
                *start = hed_cloth_scene_def(scene).garments->positions;
    const cloth_body *body = scene->garments[0].driver;
    for (int i = 0; i < 81; i++) {
        const cloth_hold *hold = &scene->garments[0].holds[i];
        const float *off = hold->offset;
        double least = 1e9, found = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        for (uint32_t t = 0; t < body->triangle_count; t++) {
            const uint32_t *v = &body->triangles[3 * t];
            least = fmin(least, lattice_distance(&start[3 * i], &body->rest[3 * v[0]],
                                    &body->rest[3 * v[1]], &body->rest[3 * v[2]]));
        }
        EXPECT(found <= least + 1e-5, "particle %d hangs %g away; there is a place %g away", i,
            found, least);
        for (int k = 0; k < 3; k++)
            near(driven[3 * i + k], start[3 * i + k], 4e-6, "a body at rest moves nothing");
    }
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, pins_move_by_themselves_or_stay)
{
    hed_cloth_scene *scene =
        parsed(ONE(GRID ", \"driver\": {\"motion\": {\"keys\": [{\"time\": 0}, {\"time\": "
                        "1, \"move\": [0, 0, 4]}]}}, "
                        "\"pins\": [{\"vertices\": [0], \"follow\": "
                        "false}, {\"vertices\": [1]}, "
                        "{\"vertices\": [2], \"motion\": "
                        "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 7, 0]}]}}]"));
    const float *p = driven_at(scene, 1);
    point_is(&p[0], 0, 0, 0, 1e-6, "stays");
    point_is(&p[3], 1, 0, 4, 1e-6, "follows the driver");
    point_is(&p[6], 2, 7, 0, 1e-6, "moves by itself");
    point_is(&p[9], 0, 1, 4, 1e-6, "a free one's place");
    hed_cloth_scene_close(scene);
}

Test(cloth_scene_motion, colliders_move)
{
    write_text("body.obj", SQUARE);
    write_cache("body.pc2");
    hed_cloth_scene *scene =
        parsed("{\"garments\": [{" GRID "}], \"colliders\": ["
               "{\"mesh\": \"body.obj\", \"transform\": {\"move\": [0, 0, 1]}, \"sequence\": "
               "{\"file\": \"body.pc2\", \"rate\": 1}, \"motion\": {\"spin\": {\"axis\": "
               "\"z\", \"degrees_per_second\": 90}}},"
               "{\"plane\": {\"point\": [0, -1, 0], \"normal\": [0, 3, 0]}, \"motion\": "
               "{\"keys\": [{\"time\": 0}, {\"time\": 1, \"axis\": \"x\", \"degrees\": 90}]}},"
               "{\"capsule\": {\"from\": [0, 0, 0], \"to\": [2, 0, 0], \"radius\": [0.5, 1]}, "
               "\"motion\": {\"keys\": [{\"time\": 0}, {\"time\": 2, \"move\": [0, 1, 0]}]}}]}");
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 59, 60, &frame, &error));
    CHECK(frame.mesh_count == 1 && frame.collider_count == 2 &&
          hed_cloth_scene_def(scene).max_collider_triangles == 2);
    point_is(frame.meshes[0].positions, 0, 1, 1, 1e-5, "sample 1, then a quarter turn");
    EXPECT(frame.meshes[0].triangle_count == 2 && frame.meshes[0].vertex_count == 4);
    point_is(frame.colliders[0].b, 0, 0, 1, 1e-6, "the plane's normal");
    point_is(frame.colliders[0].a, 0, 0, -1, 1e-6, "the plane's point");
    point_is(frame.colliders[1].b, 2, 0.5, 0, 1e-6, "the capsule");
    EXPECT(frame.colliders[1].radius[0] == 0.5f && frame.colliders[1].radius[1] == 1.0f);
    /* the plane faces up at the start: it is the ground */
    EXPECT(hed_cloth_scene_prop_count(scene) == 2);
    point_is(hed_cloth_scene_prop(scene, 0).positions, 0, 1, 1, 1e-5, "what is shown of the body");
    hed_cloth_scene_close(scene);
}
