/* ctest: devices full=pocl */
/* Cloth between two parts of a body that leave it less room than its thickness, from the start or
 * from a frame on: it is pressed, crosses neither of them, and is not thrown. */
#include "cloth_contacts.h"
#include "cloth_judge.h"

static hed_error error;

enum { SIDE = 25, PARTICLES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
enum { CLOSES = 5, OPENS = 15, FRAMES = 40 };

/* Two flat bodies, one over the other, and a sheet between them. */
typedef struct cleft {
    sheet s;
    ball bodies[2]; /* the lower, the upper */
    dressed d;
    uint32_t triangles[TRIANGLES][3];
    float positions[PARTICLES][3]; /* before the last frame */
    double fastest;                /* m, longest vertical motion of a particle in the last frame */
} cleft;

/* `gap`: between the bodies, m; `height`: of the sheet over the middle, m. */
static cleft *cleft_make(hed_device *device, float gap, float height, hed_cloth_self_collision self)
{
    cleft *c = calloc(1, sizeof *c);
    for (int i = 0; i < 2; i++) {
        ball *body = &c->bodies[i];
        *body = ball_make(24, 48);
        ball_put(body, 0, (i ? 0.5f : -0.5f) * (0.1f + gap), 0, 0.05f);
        for (uint32_t v = 0; v < body->vertex_count; v++)
            for (int k = 0; k < 3; k += 2) body->positions[v][k] *= 3;
    }
    c->s = sheet_make(SIDE, 0.12f);
    sheet_put(&c->s, height, 0);
    c->s.def.thickness = 0.005f;
    c->s.def.self_collision = self;
    for (uint32_t q = 0; q < TRIANGLES / 2; q++) {
        const uint32_t *v = c->s.quads[q];
        memcpy(c->triangles[2 * q], v, sizeof c->triangles[0]);
        memcpy(c->triangles[2 * q + 1], (uint32_t[]){v[0], v[2], v[3]}, sizeof c->triangles[0]);
    }
    hed_cloth_def def = dressed_def(&c->s.def, 1);
    def.substeps = 10;
    c->d = dressed_make(device, &def);
    return c;
}

static void cleft_free(cleft *c)
{
    dressed_free(&c->d);
    sheet_free(&c->s);
    for (int i = 0; i < 2; i++) ball_free(&c->bodies[i]);
    free(c);
}

/* Steps a frame, in which the lower body rises by `lower` and the upper one sinks by `upper`, m.
 * Returns the triangles that cross at its end. */
static uint64_t cleft_step(cleft *c, float lower, float upper)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_check_surface surfaces[3] = {
        {PARTICLES, TRIANGLES, c->d.positions[0], c->triangles[0], false}};
    hed_cloth_mesh_collider meshes[2];
    for (int i = 0; i < 2; i++) {
        ball *body = &c->bodies[i];
        for (uint32_t v = 0; v < body->vertex_count; v++)
            body->positions[v][1] += i ? -upper : lower;
        meshes[i] = ball_collider(body, 0.5f);
        surfaces[i + 1] = (hed_cloth_check_surface){
            body->vertex_count, body->triangle_count, body->positions[0], body->triangles[0], true};
    }
    frame.meshes = meshes;
    frame.mesh_count = 2;
    frame.gravity[1] = 0;
    memcpy(c->positions, c->d.positions, sizeof c->positions);
    dressed_step(&c->d, &frame);
    c->fastest = 0;
    for (uint32_t i = 0; i < PARTICLES; i++)
        c->fastest = fmax(c->fastest, fabs((double)c->d.positions[i][1] - c->positions[i][1]));
    hed_cloth_crossings found;
    OK(hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = surfaces, .surface_count = 3}, &found, &error));
    uint64_t count = found.pair_count;
    hed_cloth_crossings_free(&found);
    return count;
}

/* A sheet of 5 mm thickness in 3 mm lies still: neither body pushes it into the other. */
Test(cloth_clefts, cloth_lies_in_a_narrow_cleft, .timeout = 300)
{
    test_device t = test_open(NULL);
    cleft *c = cleft_make(t.device, 0.003f, 0.0006f, HED_CLOTH_SELF_TRIANGLES);
    double fastest = 0;
    for (int f = 0; f < 30; f++) {
        EXPECT_EQ(cleft_step(c, 0, 0), 0, "frame %d", f);
        if (f > 15) fastest = fmax(fastest, c->fastest);
    }
    hed_cloth_metrics q = dressed_measure(&c->d);
    printf("in a cleft: %g m in a frame at most, stretch %g\n", fastest, q.worst_stretch);
    EXPECT(fastest < 5e-4 && q.worst_stretch < 0.05, "%g m, stretch %g", fastest, q.worst_stretch);
    EXPECT_EQ(q.body_pressed, 0);
    cleft_free(c);
    test_close(&t);
}

/* The cleft closes to 3 mm within a frame: from both sides or from one, at up to 1.2 m/s, with the
 * sheet in the middle or near one side. */
static void close_within_a_frame(hed_cloth_self_collision self)
{
    static const float closings[] = {0.004f, 0.006f, 0.009f, 0.02f}, heights[] = {0.0006f, -0.003f};
    test_device t = test_open(NULL);
    for (size_t i = 0; i < HED_COUNT(closings) * HED_COUNT(heights) * 3; i++) {
        float by = closings[i % 4], height = heights[i / 4 % 2], upper = 0.5f * (float)(i / 8) * by;
        double fastest = 0;
        /* skip sheets that begin within a body */
        if (0.5f * (0.003f + by) - fabsf(height) < 0.001f) continue;
        cleft *c = cleft_make(t.device, 0.003f + by, height, self);
        for (int f = 0; f < FRAMES; f++) {
            bool closes = f == CLOSES;
            EXPECT_EQ(cleft_step(c, closes ? by - upper : 0, closes ? upper : 0), 0,
                "closes by %g m, %g of them the upper body, sheet at %g: frame %d", by, upper,
                height, f);
            if (f > CLOSES + 20) fastest = fmax(fastest, c->fastest);
        }
        hed_cloth_metrics q = dressed_measure(&c->d);
        printf("closes by %g m, %g above: %g m in a frame at the end, stretch %g, %llu pressed\n",
            by, upper, fastest, q.worst_stretch, (unsigned long long)q.body_pressed);
        EXPECT(
            fastest < 2e-3 && q.worst_stretch < 0.02, "%g m, stretch %g", fastest, q.worst_stretch);
        EXPECT_EQ(q.body_pressed, 0);
        cleft_free(c);
    }
    test_close(&t);
}

Test(cloth_clefts, a_cleft_closes_within_a_frame, .timeout = 600)
{
    close_within_a_frame(HED_CLOTH_SELF_TRIANGLES);
}

/* Without contact between cloth all substeps of a frame are a few calls of the solver. */
Test(cloth_clefts, a_cleft_closes_on_cloth_without_contact, .timeout = 600)
{
    close_within_a_frame(HED_CLOTH_SELF_NONE);
}

/* Bodies that go into each other leave no room: the cloth is pressed, which is counted, and it is
 * neither thrown nor stretched; where they open again it crosses neither. */
Test(cloth_clefts, bodies_that_leave_no_room, .timeout = 300)
{
    test_device t = test_open(NULL);
    cleft *c = cleft_make(t.device, 0.009f, 0.0006f, HED_CLOTH_SELF_TRIANGLES);
    double fastest = 0, stretch = 0;
    uint64_t crossings = 0;
    for (int f = 0; f < FRAMES; f++) {
        float by = f == CLOSES ? 0.0055f : f == OPENS ? -0.0055f : 0;
        crossings = cleft_step(c, by, by);
        hed_cloth_metrics q = dressed_measure(&c->d);
        fastest = fmax(fastest, c->fastest);
        stretch = fmax(stretch, q.worst_stretch);
        if (f < CLOSES) EXPECT_EQ(q.body_pressed, 0);
        else EXPECT_GT(q.body_pressed, 0);
        if (f < CLOSES || f > OPENS + 10) EXPECT_EQ(crossings, 0, "frame %d", f);
    }
    printf("no room: %g m in a frame at most, stretch %g\n", fastest, stretch);
    EXPECT(fastest < 0.003 && stretch < 0.03, "%g m, stretch %g", fastest, stretch);
    OK(hed_cloth_reset(c->d.cloth, &error));
    EXPECT_EQ(dressed_measure(&c->d).body_pressed, 0);
    cleft_free(c);
    test_close(&t);
}

/* A cloth that is given the state of cloth within two bodies continues to the bit, whether it has seen
 * the bodies or not. */
Test(cloth_clefts, states_carry_the_middle, .timeout = 300)
{
    test_device t = test_open(NULL);
    enum { SAVED = CLOSES + 3, LAST = SAVED + 4 };
    cleft *c = cleft_make(t.device, 0.009f, 0.0006f, HED_CLOTH_SELF_TRIANGLES),
          *other = cleft_make(t.device, 0.009f, 0.0006f, HED_CLOTH_SELF_TRIANGLES);
    uint64_t size = 0, hash = 0;
    void *state = NULL;
    for (int f = 0; f < LAST; f++) {
        float by = f == CLOSES ? 0.0055f : 0;
        if (f == SAVED) {
            size = hed_cloth_save_size(c->d.cloth);
            state = malloc(size);
            OK(hed_cloth_save(c->d.cloth, state, &error));
        }
        cleft_step(c, by, by);
    }
    hash = dressed_measure(&c->d).hash;
    for (int i = 0; i < 2; i++)
        memcpy(other->bodies[i].positions, c->bodies[i].positions,
            c->bodies[i].vertex_count * sizeof *c->bodies[i].positions);
    cleft *again[] = {other, c};
    for (int i = 0; i < 2; i++) {
        OK(hed_cloth_load(again[i]->d.cloth, state, size, &error));
        for (int f = SAVED; f < LAST; f++) cleft_step(again[i], 0, 0);
        EXPECT_EQ(dressed_measure(&again[i]->d).hash, hash, "%s", i ? "the same" : "another");
    }
    free(state);
    cleft_free(c);
    cleft_free(other);
    test_close(&t);
}
