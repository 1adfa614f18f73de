/* Substeps of frames with fast bodies, where the engine chooses them: bodies near cloth have more, bodies far
 * from it and those that move along with a driver do not. */
#include "testing.h"

#include "cloth_meshes.h"

static hed_error error;

static const hed_cloth_fabric sheet_fabric = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f};

enum { SIDE = 21, PARTICLES = SIDE * SIDE };

/* A sheet of 2 m around the origin with 0.1 m between particles, and a body that moves. */
typedef struct moved_body {
    test_mesh sheet;
    hed_cloth *cloth;
    hed_cloth_frame frame;
    hed_cloth_collider body, start;
    float targets[PARTICLES][3], limits[PARTICLES];
} moved_body;

typedef struct moved_def {
    hed_cloth_shape shape;
    uint32_t substeps, triangles;
    bool is_driven, is_free;
} moved_def;

static moved_body *moved_body_make(hed_device *device, moved_def how)
{
    moved_body *m = calloc(1, sizeof *m);
    hed_cloth_def def = hed_default_cloth_def();
    m->sheet = test_grid(SIDE, SIDE);
    m->frame = hed_default_cloth_frame();
    m->sheet.def.fabric = &sheet_fabric;
    m->sheet.def.damping = 0.65f;
    for (uint32_t i = 0; i < PARTICLES; i++)
        if (how.is_free || m->sheet.inverse_masses[i] > 0)
            m->sheet.inverse_masses[i] = 1 / (sheet_fabric.density * 0.01f);
    memcpy(m->targets, m->sheet.positions, sizeof m->targets);
    m->sheet.def.driven = how.is_driven;
    m->sheet.def.max_distance = how.is_driven ? m->limits : NULL;
    m->body = (hed_cloth_collider){
        .shape = how.shape, .a = {0, -2.5f, 0}, .b = {0, 1, 0}, .radius = {0.1f, 0.1f}};
    def.garments = &m->sheet.def;
    def.garment_count = 1;
    def.substeps = how.substeps;
    def.max_collider_triangles = how.triangles;
    OK(hed_cloth_create(device, &def, &m->cloth, &error));
    return m;
}

/* Steps a frame. Returns the most substeps so far. */
static uint32_t moved_body_frame(moved_body *m)
{
    OK(hed_cloth_step(m->cloth, &m->frame, &error));
    return hed_cloth_describe(m->cloth).most_substeps;
}

/* Moves the body along x by `x` and along y by `y`, m, in a frame. Returns the most substeps so far. */
static uint32_t moved_body_step(moved_body *m, float x, float y)
{
    m->start = m->body;
    m->body.a[0] += x;
    m->body.a[1] += y;
    if (m->body.shape == HED_CLOTH_CAPSULE) m->body.b[0] += x, m->body.b[1] += y;
    m->frame.colliders = &m->body;
    m->frame.collider_starts = &m->start;
    m->frame.collider_count = 1;
    return moved_body_frame(m);
}

/* Moves the driver along x. */
static void moved_body_drive(moved_body *m, float x)
{
    for (uint32_t i = 0; i < PARTICLES; i++) m->targets[i][0] += x;
    m->frame.driver_positions = m->targets[0];
}

static void moved_body_free(moved_body *m)
{
    hed_cloth_destroy(m->cloth);
    test_mesh_free(&m->sheet);
    free(m);
}

/* A body moves by at most a tenth of an edge in a substep. After it the substeps fall by a sixteenth from
 * frame to frame, also after a saved state. */
Test(cloth_fast_bodies, fast_bodies_have_more_substeps)
{
    test_device t = test_open(NULL);
    for (int shape = HED_CLOTH_PLANE; shape <= HED_CLOTH_CAPSULE; shape++) {
        moved_body *m = moved_body_make(t.device, (moved_def){.shape = (hed_cloth_shape)shape});
        EXPECT_EQ(hed_cloth_describe(m->cloth).most_substeps, 0, "no frame yet");
        EXPECT_EQ(moved_body_step(m, 0, 0.07f), 8, "slow, shape %d", shape);
        EXPECT_EQ(moved_body_step(m, 0.3f, 0), shape == HED_CLOTH_PLANE ? 8 : 31,
            "a plane that slides along itself moves nothing; shape %d", shape);
        EXPECT_EQ(moved_body_step(m, 0, 0.4f), 41, "shape %d", shape);
        EXPECT_EQ(moved_body_step(m, 0, 4), 64, "no more than these; shape %d", shape);
        moved_body_free(m);
    }
    moved_body *given = moved_body_make(
                   t.device, (moved_def){.shape = HED_CLOTH_SPHERE, .substeps = 12}),
               *m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE}),
               *loaded = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE});
    EXPECT_EQ(moved_body_step(given, 0, 1), 12, "given substeps stay");
    moved_body_step(m, 0, 0.475f);
    uint8_t *state = malloc(hed_cloth_save_size(m->cloth));
    OK(hed_cloth_save(m->cloth, state, &error));
    OK(hed_cloth_load(loaded->cloth, state, hed_cloth_save_size(m->cloth), &error));
    loaded->body = m->body;
    EXPECT_EQ(moved_body_step(loaded, 0, 0), 48 - 3, "calming down after a saved state");
    moved_body *later = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE});
    m->frame.seconds = 0.25f;
    EXPECT_EQ(moved_body_step(m, 0, 40), 960, "as many a second in a longer frame");
    OK(hed_cloth_save(m->cloth, state, &error));
    OK(hed_cloth_load(later->cloth, state, hed_cloth_save_size(m->cloth), &error));
    later->body = m->body;
    EXPECT_EQ(moved_body_step(later, 0, 0), 64, "a short frame after a long one");
    moved_body_free(later);
    free(state);
    moved_body_free(given), moved_body_free(m), moved_body_free(loaded);
    test_close(&t);
}

/* A frame without colliders acts as one that passes them where they are: a frame of reference that moves
 * fast past them has more substeps. */
Test(cloth_fast_bodies, bodies_that_a_frame_does_not_pass_are_as_fast)
{
    test_device t = test_open(NULL);
    const float past[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0, 1};
    uint64_t hash[2];
    for (int is_passed = 0; is_passed < 2; is_passed++) {
        moved_body *m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE});
        hed_cloth_metrics metrics;
        moved_body_step(m, 0, 0);
        m->frame.motion = past;
        m->frame.collider_starts = NULL;
        if (!is_passed) m->frame.colliders = NULL, m->frame.collider_count = 0;
        OK(hed_cloth_step(m->cloth, &m->frame, &error));
        EXPECT_EQ(hed_cloth_describe(m->cloth).most_substeps, 50, "passed: %d", is_passed);
        OK(hed_cloth_evaluate(m->cloth, &metrics, &error));
        hash[is_passed] = metrics.hash;
        moved_body_free(m);
    }
    EXPECT(hash[0] == hash[1], "%s", "expected equal results");
    test_close(&t);
}

/* A body that is far from the cloth changes nothing; one that arrives, or that the cloth is moved to, does. */
Test(cloth_fast_bodies, far_bodies_change_nothing)
{
    test_device t = test_open(NULL);
    for (int shape = HED_CLOTH_PLANE; shape <= HED_CLOTH_CAPSULE; shape++) {
        moved_body *m = moved_body_make(t.device, (moved_def){.shape = (hed_cloth_shape)shape}),
                   *jumped =
                       moved_body_make(t.device, (moved_def){.shape = (hed_cloth_shape)shape});
        float far[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -20, 0, 1};
        m->body.a[1] = jumped->body.a[1] = -20;
        if (shape == HED_CLOTH_CAPSULE) m->body.b[1] = jumped->body.b[1] = -21;
        EXPECT_EQ(moved_body_step(m, 0, 1), 8, "far, shape %d", shape);
        EXPECT_EQ(moved_body_step(m, 1, 0), 8, "far, shape %d", shape);
        EXPECT_EQ(moved_body_step(m, 0, 18), 64, "arrives, shape %d", shape);
        jumped->frame.teleports = far;
        EXPECT_EQ(moved_body_step(jumped, 0, 0.405f), 41, "the cloth jumps to it, shape %d", shape);
        moved_body_free(m), moved_body_free(jumped);
    }
    moved_body *led = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE});
    float motion[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 20, 0, 0, 1};
    led->frame.motion = motion;
    led->body.a[0] = 20;
    led->start.a[0] = 0;
    EXPECT_EQ(moved_body_step(led, 0, 0.4f), 64, "it moves against the frame of reference");
    moved_body_free(led);
    test_close(&t);
}

/* Cloth that fell is where it is, not where it began; a body may carry it along. */
Test(cloth_fast_bodies, cloth_is_found_where_it_moved)
{
    test_device t = test_open(NULL);
    moved_body *m =
        moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE, .is_free = true});
    hed_cloth_metrics quality;
    for (int f = 0; f < 90; f++) moved_body_frame(m);
    OK(hed_cloth_evaluate(m->cloth, &quality, &error));
    m->body.a[1] = (float)quality.low[1] - 0.5f;
    EXPECT_EQ(moved_body_step(m, 0.405f, 0), 41, "fell by %g m", -quality.low[1]);
    moved_body_free(m);
    for (int frames = 80; frames < 100;
         frames += 3) { /* at 18 to 21 m/s, 6 m since it may have been seen */
        m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE, .is_free = true});
        m->frame.gravity[1] = -20;
        for (int f = 0; f < frames; f++) moved_body_frame(m);
        OK(hed_cloth_evaluate(m->cloth, &quality, &error));
        m->body.a[1] = (float)quality.low[1] - 0.5f;
        EXPECT_EQ(moved_body_step(m, 0.405f, 0), 41, "fell by %g m", -quality.low[1]);
        moved_body_free(m);
    }
    for (int frames = 80; frames < 100; frames += 3) { /* the world is turned while it falls */
        const float turn[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE, .is_free = true});
        m->frame.gravity[1] = -20;
        for (int f = 0; f < frames; f++) moved_body_frame(m);
        m->frame.gravity[0] = -20, m->frame.gravity[1] = 0;
        m->frame.motion = turn;
        moved_body_frame(m);
        m->frame.motion = NULL;
        OK(hed_cloth_evaluate(m->cloth, &quality, &error));
        m->body.a[0] = (float)quality.low[0] - 0.5f, m->body.a[1] = 0;
        EXPECT_EQ(moved_body_step(m, 0, 0.405f), 41, "turned after %d frames", frames);
        moved_body_free(m);
    }
    m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE});
    m->body.a[1] = 40;
    EXPECT_EQ(moved_body_step(m, 0, 2), 64, "cloth may ride on a body that came from it");
    moved_body_free(m);
    test_close(&t);
}

/* A garment of two that touch each other jumps, in each frame around one whose positions are copied to the
 * host: a body beside its new place is near, one beside its old place is not. */
Test(cloth_fast_bodies, a_garment_that_jumps_while_its_place_is_copied)
{
    test_device t = test_open(NULL);
    test_mesh sheets[2] = {test_grid(SIDE, SIDE), test_grid(SIDE, SIDE)};
    hed_cloth_garment_def garments[2];
    for (int g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < PARTICLES; i++) sheets[g].positions[3 * i] += 40.0f * (float)g;
        sheets[g].def.fabric = &sheet_fabric;
        sheets[g].def.self_collision = HED_CLOTH_SELF_BALLS;
        sheets[g].def.thickness = 0.01f;
        garments[g] = sheets[g].def;
    }
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = 2;
    float jump[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0,
        1, 0, 0, -30, 0, 1};
    for (int jumps_at = 14; jumps_at < 20; jumps_at++)
        for (int is_near = 0; is_near < 2; is_near++) {
            hed_cloth *cloth;
            hed_cloth_collider body = {.shape = HED_CLOTH_SPHERE,
                                   .a = {40, is_near ? -30.5f : -0.5f, 0},
                                   .radius = {0.1f}},
                               start = body;
            hed_cloth_frame frame = hed_default_cloth_frame();
            frame.colliders = &body;
            frame.collider_starts = &start;
            frame.collider_count = 1;
            frame.gravity[1] = 0;
            OK(hed_cloth_create(t.device, &def, &cloth, &error));
            for (int f = 0; f < jumps_at + 6; f++) {
                frame.teleports = f == jumps_at ? jump : NULL;
                OK(hed_cloth_step(cloth, &frame, &error));
            }
            uint32_t slow = hed_cloth_describe(cloth).most_substeps;
            body.a[0] += 0.405f;
            OK(hed_cloth_step(cloth, &frame, &error));
            EXPECT_EQ(hed_cloth_describe(cloth).most_substeps, is_near ? 41 : slow,
                "it jumps in frame %d", jumps_at);
            hed_cloth_destroy(cloth);
        }
    for (int g = 0; g < 2; g++) test_mesh_free(&sheets[g]);
    test_close(&t);
}

/* Two sheets that touch each other, 10 m apart at first, and a body far from both or near the second. Later the
 * frames are as after a saved state, whenever it was saved. */
Test(cloth_fast_bodies, each_garment_of_several_has_its_box)
{
    enum { SAVED = 17, LAST = 30 };
    test_device t = test_open(NULL);
    test_mesh sheets[2] = {test_grid(SIDE, SIDE), test_grid(SIDE, SIDE)};
    hed_cloth_garment_def garments[2];
    for (int g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < PARTICLES; i++) {
            sheets[g].positions[3 * i] += 10.0f * (float)g;
            sheets[g].inverse_masses[i] = 1 / (sheet_fabric.density * 0.01f);
        }
        sheets[g].def.fabric = &sheet_fabric;
        sheets[g].def.self_collision = HED_CLOTH_SELF_BALLS;
        sheets[g].def.thickness = 0.01f;
        garments[g] = sheets[g].def;
    }
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = 2;
    for (int near = 0; near < 2; near++) {
        hed_cloth *cloth, *loaded;
        hed_cloth_metrics metrics, metrics_loaded;
        hed_cloth_collider body = {.shape = HED_CLOTH_SPHERE, .radius = {0.1f}},
                           start = {.shape = HED_CLOTH_SPHERE, .radius = {0.1f}};
        hed_cloth_frame frame = hed_default_cloth_frame();
        OK(hed_cloth_create(t.device, &def, &cloth, &error));
        OK(hed_cloth_create(t.device, &def, &loaded, &error));
        uint64_t size = hed_cloth_save_size(cloth);
        uint8_t *state = malloc(size);
        frame.colliders = &body;
        frame.collider_starts = &start;
        frame.collider_count = 1;
        frame.gravity[1] = -40;
        for (int f = 0; f < LAST; f++) {
            start.a[0] = 10;
            start.a[2] = near ? 0 : 6;
            start.a[1] = near ? -20.0f * (float)(f * f) / 3600 : 0;
            memcpy(body.a, start.a, sizeof body.a);
            body.a[1] -= f % 3 ? 0.305f : 0.605f;
            if (f == SAVED) OK(hed_cloth_save(cloth, state, &error));
            if (f == SAVED) OK(hed_cloth_load(loaded, state, size, &error));
            OK(hed_cloth_step(cloth, &frame, &error));
            if (f >= SAVED) OK(hed_cloth_step(loaded, &frame, &error));
        }
        OK(hed_cloth_evaluate(cloth, &metrics, &error));
        OK(hed_cloth_evaluate(loaded, &metrics_loaded, &error));
        EXPECT(metrics.hash == metrics_loaded.hash, "near: %d", near);
        const hed_cloth_info info = hed_cloth_describe(cloth);
        EXPECT_EQ(info.most_substeps, near ? 61 : info.substeps, "near: %d", near);
        EXPECT_EQ(hed_cloth_describe(loaded).most_substeps, info.most_substeps, "near: %d", near);
        free(state);
        hed_cloth_destroy(cloth), hed_cloth_destroy(loaded);
    }
    test_mesh_free(&sheets[0]), test_mesh_free(&sheets[1]);
    test_close(&t);
}

/* Garments of which the last ones have a common box, in a row 10 m apart, and a fast body near one of them. */
Test(cloth_fast_bodies, bodies_near_any_of_many_garments_count)
{
    enum { GARMENTS = 20, ROW = 5 };
    static const int near[] = {0, 14, 15, 16, GARMENTS - 1};
    test_device t = test_open(NULL);
    test_mesh sheets[GARMENTS];
    hed_cloth_garment_def garments[GARMENTS];
    for (int g = 0; g < GARMENTS; g++) {
        sheets[g] = test_grid(ROW, ROW);
        for (uint32_t i = 0; i < ROW * ROW; i++) sheets[g].positions[3 * i] += 10.0f * (float)g;
        sheets[g].def.fabric = &sheet_fabric;
        garments[g] = sheets[g].def;
    }
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = GARMENTS;
    for (size_t k = 0; k < HED_COUNT(near); k++) {
        hed_cloth *cloth;
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_cloth_collider body = {.shape = HED_CLOTH_SPHERE,
                               .a = {10.0f * (float)near[k], -1.5f, 0},
                               .radius = {0.1f}},
                           start = body;
        start.a[2] = 2.1f;
        frame.colliders = &body;
        frame.collider_starts = &start;
        frame.collider_count = 1;
        OK(hed_cloth_create(t.device, &def, &cloth, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        const hed_cloth_info info = hed_cloth_describe(cloth);
        EXPECT_GT(info.most_substeps, info.substeps, "garment %d", near[k]);
        hed_cloth_destroy(cloth);
    }
    for (int g = 0; g < GARMENTS; g++) test_mesh_free(&sheets[g]);
    test_close(&t);
}

/* One garment of two is moved between frames: a body at its new place is near, one at its old place far. */
Test(cloth_fast_bodies, a_garment_is_found_where_it_was_moved)
{
    test_device t = test_open(NULL);
    test_mesh sheets[2] = {test_grid(SIDE, SIDE), test_grid(SIDE, SIDE)};
    /* a quarter of a turn around y, then 50 m along x: of the garment at x = 10 to 50, 0, -10 */
    const float moved[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 50, 0, 0, 1};
    hed_cloth_garment_def garments[2];
    for (int g = 0; g < 2; g++) {
        for (uint32_t i = 0; i < PARTICLES; i++) sheets[g].positions[3 * i] += 10.0f * (float)g;
        sheets[g].def.fabric = &sheet_fabric;
        garments[g] = sheets[g].def;
    }
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = 2;
    for (int is_new = 0; is_new < 2; is_new++) {
        hed_cloth *cloth;
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_cloth_collider body = {.shape = HED_CLOTH_SPHERE,
                               .a = {is_new ? 50 : 10, -1.5f, is_new ? -10 : 0},
                               .radius = {0.1f}},
                           start = body;
        start.a[1] -= 0.405f;
        frame.colliders = &body;
        frame.collider_starts = &start;
        frame.collider_count = 1;
        OK(hed_cloth_create(t.device, &def, &cloth, &error));
        OK(hed_cloth_teleport(cloth, 1, moved, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
        const hed_cloth_info info = hed_cloth_describe(cloth);
        EXPECT_EQ(info.most_substeps, is_new ? 41 : info.substeps, "new place: %d", is_new);
        hed_cloth_destroy(cloth);
    }
    test_mesh_free(&sheets[0]), test_mesh_free(&sheets[1]);
    test_close(&t);
}

/* Of a mesh the triangles near cloth count: a character far below with a hand at the cloth. */
Test(cloth_fast_bodies, near_triangles_of_a_mesh_count)
{
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    test_device t = test_open(NULL);
    for (int near = 0; near < 3; near++) {
        moved_body *m =
            moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_SPHERE, .triangles = 2});
        float start[6][3] = {{0, -2, 0}, {1, -2, 0}, {0, -2, 1}, {0, -20, 0}, {1, -20, 0},
            {0, -20, 1}},
              end[6][3];
        if (near == 2) start[4][1] = 20; /* a large triangle through the cloth, its corners far */
        memcpy(end, start, sizeof end);
        for (int v = near ? 0 : 3; v < (near == 1 ? 3 : 6); v++)
            end[v][0] += near == 2 && v < 3 ? 0 : 0.4f;
        hed_cloth_mesh_collider mesh = {.positions = end[0],
            .start_positions = start[0],
            .vertex_count = 6,
            .triangles = triangles[0],
            .triangle_count = 2};
        m->frame.meshes = &mesh;
        m->frame.mesh_count = 1;
        EXPECT_EQ(moved_body_frame(m), near ? 41 : 16, "case %d", near);
        moved_body_free(m);
    }
    test_close(&t);
}

/* Motion is relative to the driver's: bodies that move along with it have no more substeps, a ball at a cape
 * that rests has, and so has one that rests beside a cape that moves. */
Test(cloth_fast_bodies, bodies_move_relative_to_the_driver)
{
    const moved_def how = {.shape = HED_CLOTH_SPHERE, .is_driven = true};
    test_device t = test_open(NULL);
    moved_body *m = moved_body_make(t.device, how), *loaded = moved_body_make(t.device, how);
    moved_body_drive(m, 0);
    moved_body_step(m, 0, 0);
    uint32_t slow = hed_cloth_describe(m->cloth).substeps;
    for (int f = 0; f < 40; f++) {
        moved_body_drive(m, 0.5f);
        EXPECT_EQ(moved_body_step(m, 0.5f, 0), slow, "along with the driver, frame %d", f);
    }
    uint8_t *state = malloc(hed_cloth_save_size(m->cloth));
    OK(hed_cloth_save(m->cloth, state, &error));
    OK(hed_cloth_load(loaded->cloth, state, hed_cloth_save_size(m->cloth), &error));
    memcpy(loaded->targets, m->targets, sizeof m->targets);
    loaded->body = m->body;
    moved_body_drive(loaded, 0.405f);
    EXPECT_EQ(moved_body_step(loaded, 0, 0), 41, "the driver moves, after a saved state");
    moved_body_drive(m, 0);
    EXPECT_EQ(moved_body_step(m, 0.305f, 0), 31, "the ball moves");
    m->frame.driver_positions = NULL;
    EXPECT_EQ(
        moved_body_step(m, 0.405f, 0), 41, "the ball moves beside a driver without new targets");
    free(state);
    moved_body_free(m), moved_body_free(loaded);

    /* a driver leaves the place where its cloth was last seen in one frame, together with a ball 3 m below it */
    m = moved_body_make(t.device, how);
    m->body.a[1] = -3;
    moved_body_drive(m, 0);
    moved_body_step(m, 0, 0);
    moved_body_drive(m, 30);
    EXPECT_EQ(moved_body_step(m, 30, 0), slow, "the ball moves along with the driver");
    moved_body_drive(m, 0);
    EXPECT_EQ(moved_body_step(m, 0.405f, 0), 41, "the ball moves below the driver");
    moved_body_free(m);

    /* a floor under a driver that walks */
    m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_PLANE, .is_driven = true});
    moved_body_drive(m, 0);
    moved_body_step(m, 0, 0);
    moved_body_drive(m, 0.5f);
    EXPECT_EQ(moved_body_step(m, 0, 0), slow, "the driver moves along a plane");
    moved_body_free(m);

    /* a wall that is pushed along */
    m = moved_body_make(t.device, (moved_def){.shape = HED_CLOTH_PLANE, .is_driven = true});
    m->body.a[0] = -2;
    m->body.b[0] = 1, m->body.b[1] = 0;
    moved_body_drive(m, 0);
    moved_body_step(m, 0, 0);
    moved_body_drive(m, 0.5f);
    EXPECT_EQ(moved_body_step(m, 0.5f, 0), slow, "a plane moves along with the driver");
    EXPECT_EQ(moved_body_step(m, 0.405f, 0), 41, "the plane moves");
    moved_body_free(m);

    /* the driver's first targets after a teleport, 100 m away */
    const float away[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 100, 0, 0, 1};
    m = moved_body_make(t.device, how);
    moved_body_drive(m, 0);
    moved_body_step(m, 0, 0);
    m->body.a[0] = 100;
    m->frame.driver_positions = NULL;
    m->frame.teleports = away;
    EXPECT_EQ(moved_body_step(m, 0, 0), slow, "the teleport");
    m->frame.teleports = NULL;
    moved_body_drive(m, 100);
    EXPECT_EQ(moved_body_step(m, 0, 0), slow, "the frame after a teleport");
    moved_body_free(m);
    test_close(&t);
}
