/* ctest: devices */
/* Garments far from each other in one cloth are as precise as alone: each has an origin of its own,
 * for colliders, meshes, thin features, drivers, wind, teleports and saved states. */
#include "cloth_checks.h"
#include "solver/host.h"
#include "fixture.h"

TestSuite(cloth_apart, .init = here_open, .fini = here_close);

#undef fabs

enum { N = 13, COUNT = N * N };

/* Place of the second garment, 200 m from the first: a float there has steps of 7.6e-6 to 1.5e-5 m. */
static const float there[3] = {120, -96, 128};

/* A program's cloth of garments [first, first + count) of two equal ones: 0 here, 1 there. */
typedef struct pair {
    test_mesh mesh[2];
    hed_cloth_garment_def garments[2];
    hed_cloth_def def;
    hed_cloth_wind_grid grid;
    float driver[2 * 3 * COUNT], max_distance[COUNT];
    hed_cloth_collider colliders[5];
    hed_cloth_mesh_collider body;
    hed_cloth_fan fans[2];
    float corners[6][3];
    uint32_t first;
} pair;

static float offset(uint32_t garment, uint32_t axis) { return garment ? there[axis] : 0; }

static void pair_make(pair *p, const variant *v, uint32_t first, uint32_t count)
{
    *p = (pair){.first = first};
    p->def = hed_default_cloth_def();
    for (uint32_t g = 0; g < 2; g++) {
        p->mesh[g] = test_grid(N, N);
        for (uint32_t i = 0; i < COUNT; i++) { /* multiples of 1/16 m, exact there too */
            p->mesh[g].positions[3 * i] = offset(g, 0) + (float)(i % N) / 16;
            p->mesh[g].positions[3 * i + 1] = offset(g, 1);
            p->mesh[g].positions[3 * i + 2] = offset(g, 2) + (float)(i / N) / 16;
        }
        p->garments[g] = p->mesh[g].def;
    }
    p->def.garments = p->garments + first;
    p->def.garment_count = count;
    p->def.substeps = 10;
    p->def.patches = count;
    p->def.solver = v->solver;
    p->def.math = v->math;
}

static void pair_free(pair *p)
{
    for (int g = 0; g < 2; g++) test_mesh_free(&p->mesh[g]);
}

/* NULL where the solver is not valid on the device. */
static hed_cloth *pair_create(const test_device *t, const pair *p)
{
    hed_cloth *cloth = NULL;
    error = (hed_error){0};
    hed_status status = hed_cloth_create(t->device, &p->def, &cloth, &error);
    CHECK(status == HED_OK || status == HED_ERROR_UNSUPPORTED, "%s", error.text);
    return cloth;
}

/* Multiples of 2^-12 m, which a float holds there, too. */
static float on_grid(double x) { return (float)(rint(x * 4096) / 4096); }

/* Drivers, air and contact with everything for both garments. */
static void pair_surround(pair *p)
{
    static const uint32_t faces[2][3] = {{0, 2, 1}, {3, 5, 4}};
    for (uint32_t i = 0; i < COUNT; i++) p->max_distance[i] = i < N ? 0.0f : i % 5 ? 4.0f : 0.25f;
    for (uint32_t g = 0; g < 2; g++) {
        p->garments[g].driven = p->garments[g].tethers = true;
        p->garments[g].max_distance = p->max_distance;
        p->garments[g].drag = 0.5f;
        p->garments[g].lift = 0.25f;
        p->garments[g].thickness = 0.03125f;
    }
    p->def.max_fans = 2;
    p->def.max_collider_triangles = 2;
    p->body = (hed_cloth_mesh_collider){6, 2, p->corners[0], faces[0], 0.3f, NULL};
}

/* Surroundings at a frame, those of each garment the same but for the place. */
static hed_cloth_frame pair_frame(pair *p, uint32_t index)
{
    static const float corners[3][3] = {{-1, -0.5f, -1}, {2, -0.5f, -1}, {0.5f, -0.5f, 2}};
    hed_cloth_frame frame = hed_default_cloth_frame();
    const float step = (float)index / 256;
    for (uint32_t g = 0; g < 2; g++) {
        const float x = offset(g, 0), y = offset(g, 1), z = offset(g, 2);
        p->colliders[2 * g] = (hed_cloth_collider){
            HED_CLOTH_SPHERE, {x + 0.25f + step, y - 0.25f, z + 0.5f}, {0}, {0.125f, 0}, 0.5f};
        p->colliders[2 * g + 1] =
            (hed_cloth_collider){HED_CLOTH_CAPSULE, {x + 0.5f, y - 0.25f + step, z - 1},
                {x + 0.625f, y - 0.25f, z + 2}, {0.001953125f, 0.001953125f}, 0.25f};
        p->fans[g] = (hed_cloth_fan){{x - 1, y, z + 0.5f}, {1, 0, 0}, 8, 0.5f, 0.25f};
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t k = 0; k < 3; k++)
                p->corners[3 * g + c][k] = corners[c][k] + offset(g, k) + (k == 1 ? step : 0);
    }
    p->colliders[4] = (hed_cloth_collider){
        HED_CLOTH_PLANE, {there[0], there[1] - 0.75f, there[2]}, {0, 1, 0}, {0}, 0.5f};
    for (uint32_t i = 0; i < 3 * COUNT * p->def.garment_count; i++) {
        const float *from = p->mesh[p->first + i / (3 * COUNT)].positions;
        p->driver[i] = on_grid(from[i % (3 * COUNT)] + (i % 3 == 0 ? step : 0.0));
    }
    frame.driver_positions = p->driver;
    frame.colliders = p->colliders;
    frame.collider_count = 5;
    frame.meshes = &p->body;
    frame.mesh_count = 1;
    frame.fans = p->fans;
    frame.fan_count = 2;
    frame.wind[2] = 2;
    frame.gust = 0.5f;
    return frame;
}

/* Positions of garment `shown` of `count` from `first` on, after the frames, less its place: as exact
 * as they are on the device. */
static float *pair_run(const test_device *t, const variant *v, uint32_t first, uint32_t count,
    uint32_t shown, bool is_surrounded, uint32_t frames)
{
    pair *p = calloc(1, sizeof *p);
    float back[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -offset(shown, 0), -offset(shown, 1),
        -offset(shown, 2), 1},
          *found = NULL;
    pair_make(p, v, first, count);
    if (is_surrounded) pair_surround(p);
    hed_cloth *cloth = pair_create(t, p);
    for (uint32_t i = 0; i < frames && cloth; i++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        if (is_surrounded) frame = pair_frame(p, i);
        frame.transform = back;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    if (cloth) {
        float *all = positions_of(cloth);
        found = malloc(3 * COUNT * sizeof *found);
        memcpy(found, all + 3 * (size_t)COUNT * (shown - first), 3 * COUNT * sizeof *found);
        free(all);
    }
    hed_cloth_destroy(cloth);
    pair_free(p);
    free(p);
    return found;
}

/* A processor under OpenCL compiles for seconds: it tries one solver. */
static bool is_left_out(const variant *v)
{
    return strcmp(hed_device_describe(here.device).backend, "host") != 0 && v != &variants[0] &&
           hed_device_describe(here.device).type == HED_DEVICE_CPU;
}

/* Compares each garment of both with itself alone at its place. Returns the farthest that one alone
 * is from the other, m. */
static double expect_alone(const variant *v, bool is_surrounded, uint32_t frames)
{
    float *alone[2] = {NULL};
    double moved = 0, between = 0;
    for (uint32_t g = 0; g < 2; g++) {
        double farthest = 0;
        float *beside = NULL;
        alone[g] = pair_run(&here, v, g, 1, g, is_surrounded, frames);
        if (alone[g]) beside = pair_run(&here, v, 0, 2, g, is_surrounded, frames);
        for (uint32_t i = 0; i < 3 * COUNT && beside; i++) {
            farthest = fmax(farthest, fabs((double)beside[i] - alone[g][i]));
            moved = fmax(moved, i % 3 == 1 ? fabs((double)beside[i]) : 0);
            between = fmax(between, fabs((double)alone[0][i] - alone[g][i]));
        }
        EXPECT(farthest == 0, "%s, garment %u%s: %.3g m from one alone", v->name, g,
            is_surrounded ? ", surrounded" : "", farthest);
        free(beside);
    }
    if (alone[0]) EXPECT_GT(moved, 0.05, "nothing has moved");
    for (int g = 0; g < 2; g++) free(alone[g]);
    return between;
}

Test(cloth_apart, sheets_200_m_apart_hang_as_one_alone_does)
{
    for (const variant *v = variants; v->name; v++)
        if (!is_left_out(v)) EXPECT_EQ(expect_alone(v, false, 60), 0, "%s: here and there", v->name);
}

Test(cloth_apart, everything_around_them_is_as_exact)
{
    for (const variant *v = variants; v->name; v++)
        if (!is_left_out(v)) expect_alone(v, true, 24);
}

/* ---- origins that part, follow and are saved ---- */

/* Falling garments of the first solver, which start `distance` m from each other, at 20 m/s. */
static hed_cloth *falling(pair *p, float distance, float speed, bool touches)
{
    pair_make(p, &variants[0], 0, 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        p->mesh[1].positions[3 * i] = p->mesh[0].positions[3 * i] + distance;
        for (int k = 1; k < 3; k++)
            p->mesh[1].positions[3 * i + (uint32_t)k] = p->mesh[0].positions[3 * i + (uint32_t)k];
    }
    for (int g = 0; g < 2; g++) {
        p->mesh[g].inverse_masses[0] = p->mesh[g].inverse_masses[N - 1] = 1;
        p->garments[g].velocity[0] = g ? speed : -speed;
        p->garments[g].self_collision = touches ? HED_CLOTH_SELF_TRIANGLES : HED_CLOTH_SELF_NONE;
    }
    hed_cloth *cloth = pair_create(&here, p);
    CHECK_NOT_NULL(cloth);
    return cloth;
}

static uint64_t hash_after(hed_cloth *cloth, uint32_t frames)
{
    hed_cloth_metrics quality;
    step(cloth, 1.0 / 60, -9.81, frames);
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    return quality.hash;
}

/* Farthest of a garment's origins from the middle of its positions, m. */
static double farthest_origin(hed_cloth *cloth)
{
    float *found = positions_of(cloth);
    double off = 0;
    for (uint32_t g = 0; g < 2; g++)
        for (uint32_t k = 0; k < 3; k++)
            off =
                fmax(off, fabs(found[3 * (g * COUNT + COUNT / 2) + k] - cloth->homes[g].origin[k]));
    free(found);
    return off;
}

/* At 20 m/s each they are 8 m from the middle after 24 frames; a look is as old as 16 + 3 submissions
 * at most, and origins follow at the look after. Saved in any frame, they go on to the bit. */
Test(cloth_apart, garments_that_fly_apart_get_their_own_origins_and_are_saved)
{
    pair p, q;
    hed_cloth *cloth = falling(&p, 0, 20, false), *other = falling(&q, 0, 20, false);
    CHECK(!cloth->is_apart, "both start in the same place");
    for (uint32_t i = 0; i < 80; i++) {
        uint64_t size = hed_cloth_save_size(cloth);
        void *state = malloc(size);
        OK(hed_cloth_save(cloth, state, &error));
        if (i % 3 == 0) {
            OK(hed_cloth_load(other, state, size, &error));
            CHECK_EQ(hash_after(other, 40), (hash_after(cloth, 40)), "saved in frame %u", i);
            OK(hed_cloth_load(cloth, state, size, &error));
        }
        free(state);
        step(cloth, 1.0 / 60, -9.81, 1);
    }
    CHECK(cloth->is_apart, "26 m from the middle");
    EXPECT_LT(farthest_origin(cloth), 14, "%g m", farthest_origin(cloth));
    OK(hed_cloth_reset(cloth, &error));
    CHECK(!cloth->is_apart, "a reset ends it");
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(other);
    pair_free(&p);
    pair_free(&q);
}

/* A garment that jumps takes its origin along, and what is read is where it went. A broken state goes
 * back to the origins of the good one. */
Test(cloth_apart, a_teleported_garment_takes_its_origin_along)
{
    pair p;
    hed_cloth *cloth = falling(&p, 2, 0, false);
    const float jump[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 500, 0, -250, 1};
    step(cloth, 1.0 / 60, -9.81, 5);
    float *before = positions_of(cloth);
    OK(hed_cloth_teleport(cloth, 1, jump, &error));
    CHECK(cloth->is_apart, "500 m from the other");
    EXPECT_LT(farthest_origin(cloth), 2, "%g m", farthest_origin(cloth));
    float *after = positions_of(cloth);
    for (uint32_t i = 0; i < 3 * 2 * COUNT; i++) {
        const double expected = before[i] + (i < 3 * COUNT ? 0 : jump[12 + i % 3]);
        CHECK_NEAR(after[i], expected, i < 3 * COUNT ? 0.0 : 3.1e-5, "number %u", i);
    }
    const float4 lost = {NAN, NAN, NAN, 1};
    OK(hed_write(cloth->stream, cloth->buffers.position, 0, &lost, sizeof lost, &error));
    step(cloth, 1.0 / 60, -9.81, 1);
    FAILS(HED_ERROR_FORMAT, hed_cloth_wait(cloth, &error));
    CHECK(!cloth->is_apart, "the good state is that of the start");
    float *good = positions_of(cloth);
    for (uint32_t i = 0; i < 3 * 2 * COUNT; i++)
        CHECK_NEAR(good[i], p.mesh[i / (3 * COUNT)].positions[i % (3 * COUNT)], 1e-6);
    free(before);
    free(after);
    free(good);
    hed_cloth_destroy(cloth);
    pair_free(&p);
}

/* Contact compares positions of any two garments: they share an origin, and so does a state of
 * garments that did not. */
Test(cloth_apart, garments_in_contact_share_an_origin)
{
    pair p, q;
    hed_cloth *cloth = falling(&p, 100, 0, false), *touching = falling(&q, 100, 0, true);
    CHECK(cloth->is_apart && !touching->is_apart);
    step(cloth, 1.0 / 60, -9.81, 5);
    float *before = positions_of(cloth);
    OK(hed_cloth_continue(touching, cloth, &error));
    CHECK(!touching->is_apart);
    float *after = positions_of(touching);
    for (uint32_t i = 0; i < 3 * 2 * COUNT; i++)
        CHECK_NEAR(after[i], before[i], 7.7e-6, "number %u", i);
    step(touching, 1.0 / 60, -9.81, 1);
    OK(hed_cloth_continue(cloth, touching, &error));
    CHECK(!cloth->is_apart, "until the next look");
    step(cloth, 1.0 / 60, -9.81, 24);
    CHECK(cloth->is_apart);
    free(before);
    free(after);
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(touching);
    pair_free(&p);
    pair_free(&q);
}
