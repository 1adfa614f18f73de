/* ctest: devices */
/* Characters that jump: cloth goes along with pins, drivers, sequences and carriers, and its motion
 * afterwards is that of cloth which was never moved. */
#include "cloth_scenes.h"

#include "fixture.h"

enum { SIDE = 9, COUNT = SIDE * SIDE };

static void jump_init(void)
{
    folder_make();
    here_open();
}
static void jump_fini(void)
{
    here_close();
    folder_remove();
}
TestSuite(cloth_jump, .init = jump_init, .fini = jump_fini);

/* Positions after `frames` frames; `jumped`: counts frames with teleports. */
static void simulated(const char *text, uint32_t frames, float *positions, uint32_t *jumped)
{
    hed_cloth_scene *scene = parsed(text);
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK_EQ(hed_cloth_vertex_count(cloth), COUNT);
    *jumped = 0;
    for (uint32_t f = 0; f < frames; f++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(scene, f, 60, &frame, &error));
        *jumped += frame.teleports != NULL;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    hed_cloth_destroy(cloth);
    hed_cloth_scene_close(scene);
}

/* Compares cloth that jumped by a quarter turn about z and `move` with cloth that stayed. */
static void turned_equally(const float *jumped, const float *stayed, const double move[3])
{
    double worst = 0;
    for (int i = 0; i < COUNT; i++) {
        const float *p = stayed + 3 * i, *q = jumped + 3 * i;
        const double to[3] = {-p[1] + move[0], p[0] + move[1], p[2] + move[2]};
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(to[k] - q[k]));
    }
    EXPECT_LT(worst, 1e-3, "m, the farthest particle");
}

#define SHEET \
    "\"grid\": {\"width\": 9, \"height\": 9, \"size\": [0.8, 0.8], \"axes\": [\"x\", \"y\"]}"
#define SCENE(head, garment) \
    "{\"substeps\": 8, \"up\": \"z\", " head "\"garments\": [{" SHEET \
    ", \"tethers\": true" garment "}]}"
#define BAR ", \"pins\": [{\"box\": {\"low\": [-1, -0.01, -1], \"high\": [1, 0.01, 1]}"
#define JUMP \
    "{\"keys\": [{\"time\": 0}, {\"time\": 0.5, \"axis\": \"z\", \"degrees\": 90, " \
    "\"move\": [30, -20, 5], \"teleport\": true}]}"
static const double away[3] = {30, -20, 5};

Test(cloth_jump, pins_take_cloth_along, .timeout = 300)
{
    float jumped[3 * COUNT], stayed[3 * COUNT], dragged[3 * COUNT];
    uint32_t jumps;
    simulated(SCENE("", BAR "}]"), 45, stayed, &jumps);
    EXPECT_EQ(jumps, 0);
    simulated(SCENE("", BAR ", \"motion\": " JUMP "}]"), 45, jumped, &jumps);
    EXPECT_EQ(jumps, 1);
    turned_equally(jumped, stayed, away);
    /* the control: without the flag the pins drag it over the 36 m */
    simulated(SCENE("", BAR ", \"motion\": {\"keys\": [{\"time\": 0.4834}, {\"time\": 0.5, "
                            "\"axis\": \"z\", \"degrees\": 90, \"move\": [30, -20, 5]}]}}]"),
        45, dragged, &jumps);
    double off = 0;
    for (int i = 0; i < 3 * COUNT; i++) off = fmax(off, fabs(dragged[i] - jumped[i]));
    EXPECT_GT(off, 0.05);
}

/* A carrier of which the garment feels everything: after the jump it has not been thrown. */
Test(cloth_jump, carrier_takes_cloth_along, .timeout = 300)
{
    float jumped[3 * COUNT], stayed[3 * COUNT];
    uint32_t jumps;
    simulated(SCENE("", BAR "}]"), 45, stayed, &jumps);
    simulated(SCENE("\"carrier\": " JUMP ", ",
                  ", \"inertia\": {\"linear\": 1, \"angular\": 1}" BAR ", \"motion\": " JUMP "}]"),
        45, jumped, &jumps);
    EXPECT_EQ(jumps, 1);
    turned_equally(jumped, stayed, away);
}

/* The matrix comes from the vertices of the sequence, whichever of them the garment follows. */
Test(cloth_jump, sequence_takes_cloth_along, .timeout = 300)
{
    float jumped[3 * COUNT], stayed[3 * COUNT], sample[3 * COUNT];
    uint32_t jumps;
    simulated(SCENE("", BAR "}], \"driver\": {}"), 45, stayed, &jumps);
    hed_cloth_pc2 *cache;
    OK(hed_cloth_pc2_create(in_folder("jump.pc2"), COUNT, 0, 1, &cache, &error));
    for (int s = 0; s < 50; s++) {
        for (int i = 0; i < COUNT; i++) {
            float x = 0.1f * (float)(i % SIDE), y = 0.1f * (float)(i / SIDE);
            const float before[3] = {x, y, 0}, after[3] = {-y + 30, x - 20, 5};
            memcpy(sample + 3 * i, s < 30 ? before : after, 12);
        }
        OK(hed_cloth_pc2_add(cache, sample, &error));
    }
    OK(hed_cloth_pc2_close(cache, &error));
    simulated(SCENE("", BAR "}], \"driver\": {\"sequence\": {\"file\": \"jump.pc2\", \"rate\": 60, "
                            "\"teleports\": [0.5]}}"),
        45, jumped, &jumps);
    EXPECT_EQ(jumps, 1);
    turned_equally(jumped, stayed, away);
}

Test(cloth_jump, key_waits_for_its_time)
{
    hed_cloth_scene *scene = parsed(
        "{\"garments\": [{" GRID "}], \"colliders\": [{\"sphere\": {\"centre\": [0, 0, 0], "
        "\"radius\": 1}, \"motion\": {\"loop\": true, \"keys\": [{\"time\": 0, \"teleport\": true}, "
        "{\"time\": 0.5, \"move\": [1, 0, 0]}, {\"time\": 0.5, \"move\": [9, 0, 0], \"teleport\": "
        "true}, {\"time\": 1, \"move\": [10, 0, 0]}]}}]}");
    static const struct {
        uint32_t frame;
        double from, to; /* x of the centre, m; `from` < 0: as the frame before left it */
    } cases[] = {{28, -1, 58.0 / 60}, {29, 9, 9}, {30, -1, 9 + 1.0 / 30}, {58, -1, 9 + 58.0 / 60},
        {59, 0, 0}, {60, -1, 1.0 / 30}, {89, 9, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(scene, cases[i].frame, 60, &frame, &error));
        EXPECT_NEAR(frame.colliders[0].a[0], cases[i].to, 1e-6, "frame %u", cases[i].frame);
        EXPECT(!frame.collider_starts == (cases[i].from < 0), "frame %u", cases[i].frame);
        if (frame.collider_starts)
            EXPECT_NEAR(
                frame.collider_starts[0].a[0], cases[i].from, 1e-6, "frame %u", cases[i].frame);
    }
    hed_cloth_scene_close(scene);
}

/* A mesh that jumps is where it arrives from the frame's beginning on; from a key to the next it begins
 * where the frame before left it. */
Test(cloth_jump, meshes_arrive_at_once)
{
    write_text("m.obj", SQUARE);
    hed_cloth_scene *scene = parsed(
        "{\"garments\": [{" GRID "}], \"colliders\": [{\"mesh\": \"m.obj\", \"motion\": {\"keys\": "
        "[{\"time\": 0}, {\"time\": 0.5, \"move\": [1, 0, 0]}, {\"time\": 0.5, \"move\": [9, 0, 0], "
        "\"teleport\": true}, {\"time\": 1, \"move\": [10, 0, 0]}]}}]}");
    static const struct {
        uint32_t frame;
        double to; /* x of the first vertex, m */
        bool has_start, jumps;
    } cases[] = {{0, 1.0 / 30, true, false}, {28, 58.0 / 60, false, false}, {29, 9, true, true},
        {30, 9 + 1.0 / 30, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(scene, cases[i].frame, 60, &frame, &error));
        CHECK_EQ(frame.mesh_count, 1);
        const float *start = frame.meshes[0].start_positions;
        EXPECT_NEAR(frame.meshes[0].positions[0], cases[i].to, 1e-6, "frame %u", cases[i].frame);
        EXPECT(!start == !cases[i].has_start, "frame %u", cases[i].frame);
        if (start)
            EXPECT_NEAR(start[0], cases[i].jumps ? cases[i].to : 0, 1e-6, "frame %u", cases[i].frame);
    }
    hed_cloth_scene_close(scene);
}

Test(cloth_jump, wrong_input_is_refused)
{
    static const float mirror[16] = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2};
    refuse(HED_ERROR_FORMAT,
        ONE(GRID ", \"driver\": {\"motion\": {\"keys\": [{\"time\": 1}, {\"time\": 0.5, "
                 "\"teleport\": true}]}}"),
        "does not come after the key before");
    write_text("m.obj", SQUARE);
    write_cache("m.pc2");
    refuse(HED_ERROR_FORMAT,
        ONE("\"mesh\": \"m.obj\", \"driver\": {\"sequence\": {\"file\": \"m.pc2\", \"teleports\": "
            "[1, 1]}}"),
        "teleports[1]: time 1 does not come after");
    hed_cloth_scene *scene = parsed(ONE(GRID));
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.teleports = mirror;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(cloth, &frame, &error));
    EXPECT(strstr(error.text, "teleports"), "%s", error.text);
    hed_cloth_destroy(cloth);
    hed_cloth_scene_close(scene);
}
