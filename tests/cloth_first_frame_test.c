/* ctest: devices full=pocl */
/* Colliders that move in their first frame: with their positions at its beginning nothing passes a
 * curtain, as a simple collider, as a mesh, in a moving frame of reference, and from a scene file. */
#include "fixture.h"

#include "cloth_contacts.h"

#include "heddle/cloth_scene.h"

static hed_error error;

TestSuite(cloth_first_frame, .init = here_open, .fini = here_close);

/* A ball of 4 cm, 5 cm above a level curtain that nothing holds; 40 m/s downwards, 1/60 s. */
enum { SIDE = 17, MIDDLE = SIDE * SIDE / 2 };
static const float radius = 0.04f, before = 0.09f, fallen = -0.5766667f;

static sheet curtain(void)
{
    sheet s = sheet_make(SIDE, 0.4f);
    s.def.thickness = 0.005f;
    return s;
}

/* Checks that the ball took the middle of the curtain along. */
static void is_caught(const dressed *d, const char *name)
{
    double lowest = 0.0;
    for (uint32_t i = 0; i < d->particles; i++) lowest = fmin(lowest, d->positions[i][1]);
    printf("%s: lowest particle at %.3f m, ball at %.3f m\n", name, lowest, fallen);
    EXPECT(d->positions[MIDDLE][1] < fallen, "%s: the middle was passed at height %g", name,
        d->positions[MIDDLE][1]);
    EXPECT(lowest < fallen, "%s: the curtain was not taken along: %g m", name, lowest);
}

static dressed curtain_cloth(sheet *s, uint32_t substeps)
{
    *s = curtain();
    hed_cloth_def def = dressed_def(&s->def, 1);
    def.substeps = substeps;
    return dressed_make(here.device, &def);
}

Test(cloth_first_frame, a_simple_collider_begins_where_it_is)
{
    for (int i = 0; i < 4; i++) {
        bool capsule = i & 1, is_single = i & 2;
        sheet s;
        dressed d = curtain_cloth(&s, is_single ? 1 : 8);
        float reach = capsule ? 0.01f : 0.0f;
        hed_cloth_collider start = {.shape = capsule ? HED_CLOTH_CAPSULE : HED_CLOTH_SPHERE,
            .a = {-reach, before, 0.0f},
            .b = {reach, before, 0.0f},
            .radius = {radius, radius},
            .friction = 0.5f};
        hed_cloth_collider end = start;
        end.a[1] = end.b[1] = fallen;
        hed_cloth_frame frame = hed_default_cloth_frame();
        frame.colliders = &end;
        frame.collider_starts = &start;
        frame.collider_count = 1;
        dressed_step(&d, &frame);
        is_caught(&d, capsule ? "capsule" : "sphere");
        dressed_free(&d);
        sheet_free(&s);
    }
}

Test(cloth_first_frame, a_mesh_begins_where_it_is)
{
    sheet s;
    dressed d = curtain_cloth(&s, 8);
    ball start = ball_make(8, 12), end = ball_make(8, 12);
    ball_put(&start, 0.0f, before, 0.0f, radius);
    ball_put(&end, 0.0f, fallen, 0.0f, radius);
    hed_cloth_mesh_collider mesh = ball_collider(&end, 0.3f);
    mesh.start_positions = start.positions[0];
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    dressed_step(&d, &frame);
    is_caught(&d, "mesh");
    dressed_free(&d);
    sheet_free(&s);
    ball_free(&start);
    ball_free(&end);
}

/* A frame of reference that moves by 10 m takes the start along, as it takes former positions. */
Test(cloth_first_frame, a_start_moves_with_the_frame_of_reference)
{
    static const float motion[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1};
    for (int mesh = 0; mesh < 2; mesh++) {
        sheet s;
        dressed d = curtain_cloth(&s, 8);
        ball start = ball_make(8, 12), end = ball_make(8, 12);
        ball_put(&start, 0.0f, before, 0.0f, radius);
        ball_put(&end, 10.0f, fallen, 0.0f, radius);
        hed_cloth_mesh_collider body = ball_collider(&end, 0.3f);
        body.start_positions = start.positions[0];
        hed_cloth_collider from = {.shape = HED_CLOTH_SPHERE,
            .a = {0.0f, before, 0.0f},
            .radius = {radius},
            .friction = 0.5f};
        hed_cloth_collider to = from;
        to.a[0] = 10.0f;
        to.a[1] = fallen;
        hed_cloth_frame frame = hed_default_cloth_frame();
        frame.motion = motion;
        frame.meshes = &body;
        frame.mesh_count = mesh ? 1 : 0;
        frame.colliders = &to;
        frame.collider_starts = &from;
        frame.collider_count = mesh ? 0 : 1;
        dressed_step(&d, &frame);
        is_caught(&d, mesh ? "mesh in a moving frame" : "sphere in a moving frame");
        dressed_free(&d);
        sheet_free(&s);
        ball_free(&start);
        ball_free(&end);
    }
}

/* A scene whose ball flies from the first moment on. */
Test(cloth_first_frame, a_scene_begins_at_time_0)
{
    static const char text[] =
        "{\"substeps\": 8, \"garments\": [{\"grid\": {\"width\": 17, \"height\": 17, \"size\": "
        "[0.4, 0.4], \"axes\": [\"x\", \"z\"], \"origin\": [-0.2, 0, -0.2]}, \"thickness\": 0.005}], "
        "\"colliders\": [{\"sphere\": {\"centre\": [0, 0.09, 0], \"radius\": 0.04}, \"motion\": {\"keys\": [{\"time\": 0}, "
        "{\"time\": 1, \"move\": [0, -40, 0]}]}}]}";
    hed_cloth_scene *scene;
    OK(hed_cloth_scene_parse(text, sizeof text - 1, "s.json", ".", NULL, &scene, &error));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    def.math = HED_MATH_STRICT;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 0, 60, &frame, &error));
    CHECK(frame.collider_starts && frame.collider_starts[0].a[1] == before);
    dressed_step(&d, &frame);
    is_caught(&d, "scene");
    OK(hed_cloth_scene_frame(scene, 1, 60, &frame, &error));
    CHECK(!frame.collider_starts, "later frames begin where the last one ended");
    dressed_free(&d);
    hed_cloth_scene_close(scene);
}

/* Positions are read in metres before the first frame, and then in the unit of the frame's transform. */
Test(cloth_first_frame, positions_of_a_scene_in_centimetres)
{
    static const char text[] =
        "{\"unit\": \"cm\", \"substeps\": 4, \"garments\": [{\"grid\": {\"width\": 3, \"height\": 3, \"size\": "
        "[10, 20]}, \"pins\": [{\"vertices\": [0, 1, 2, 3, 4, 5, 6, 7, 8]}]}]}";
    hed_cloth_scene *scene;
    hed_cloth_frame frame;
    float start[27], at[27];
    OK(hed_cloth_scene_parse(text, sizeof text - 1, "s.json", ".", NULL, &scene, &error));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_scene_start(scene, start);
    for (uint32_t read = 0; read < 3; read++) {
        const float units_of_a_metre = read == 1 ? 100 : 1;
        OK(hed_cloth_scene_frame(scene, read, 60, &frame, &error));
        if (read == 2) frame.transform = NULL;
        if (read) dressed_step(&d, &frame);
        OK(hed_cloth_read(d.cloth, at, NULL, NULL, &error));
        for (uint32_t i = 0; i < 27; i++)
            CHECK_NEAR(at[i], start[i] * units_of_a_metre / 100, 1e-4);
    }
    dressed_free(&d);
    hed_cloth_scene_close(scene);
}

Test(cloth_first_frame, wrong_starts_are_refused)
{
    sheet s;
    dressed d = curtain_cloth(&s, 1);
    const hed_cloth_collider sphere = {.shape = HED_CLOTH_SPHERE, .radius = {radius}},
                             plane = {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}},
                             nowhere = {.shape = HED_CLOTH_SPHERE, .a = {NAN}, .radius = {radius}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &sphere;
    frame.collider_starts = &plane;
    frame.collider_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    frame.collider_starts = &nowhere;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    ball b = ball_make(4, 4);
    hed_cloth_mesh_collider mesh = ball_collider(&b, 0.3f);
    float starts[3 * (2 + 3 * 4)] = {[5] = INFINITY};
    mesh.start_positions = starts;
    frame.collider_count = 0;
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    ball_free(&b);
    dressed_free(&d);
    sheet_free(&s);
}
