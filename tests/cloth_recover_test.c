/* ctest: devices full=pocl */
/* Cloth that recovers: from balls of up to 200 m/s, and from a submission that failed halfway. */
#include "fixture.h"

#include "cloth_contacts.h"
#include "contact/contact_host.h"

TestSuite(cloth_recover, .init = here_open, .fini = here_close);

enum { SIDE = 17, SWING = 8, REST = 60, LAST = 5 };

typedef struct hit {
    float speed, x, y; /* of the ball, m/s; where it meets the curtain, m */
    bool lattices;
} hit;

/* State of the cloth in its last frames. */
typedef struct recovery {
    double p99, worst;
    uint64_t cut;
    uint32_t pairs; /* most in a frame */
} recovery;

/* A sheet on its first row is hit by a ball that flies on; after REST frames nothing is near. */
static recovery curtain_after(hit by)
{
    sheet s = sheet_make(SIDE, 1.0f);
    for (uint32_t i = 0; i < SIDE; i++) s.inverse_masses[i] = 0.0f;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        s.positions[i][1] = -0.5f - s.positions[i][2];
        s.positions[i][2] = 0.0f;
    }
    s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    s.def.lattices = by.lattices;
    s.def.thickness = 0.004f;
    s.def.damping = 0.5f;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = &s.def;
    def.garment_count = 1;
    def.substeps = 12;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider to = {.shape = HED_CLOTH_SPHERE, .radius = {0.1f, 0.1f}, .friction = 0.3f},
                       from;
    frame.colliders = &to;
    frame.collider_starts = &from;
    frame.collider_count = 1;
    to.a[0] = by.x;
    to.a[1] = by.y;
    recovery after = {0};
    uint64_t cut = 0;
    for (int f = 0; f < SWING + REST + LAST; f++) {
        from = to;
        from.a[2] = -1.2f + by.speed / 60 * (float)(f > SWING ? f - SWING : 0);
        to.a[2] = -1.2f + by.speed / 60 * (float)(f >= SWING ? f - SWING + 1 : 0);
        dressed_step(&d, &frame);
        if (f < SWING + REST - 1) continue;
        hed_cloth_metrics q = dressed_measure(&d);
        if (f == SWING + REST - 1) cut = q.contact_cut;
        after.p99 = fmax(after.p99, q.stretch_p99);
        after.worst = fmax(after.worst, q.worst_stretch);
        after.cut = q.contact_cut - cut;
        if (q.contact_pairs > after.pairs) after.pairs = q.contact_pairs;
    }
    dressed_free(&d);
    sheet_free(&s);
    return after;
}

/* A ball that hits squarely stretched the curtain over 50 m of its path, and tangled it. */
Test(cloth_recover, a_curtain_rests_after_any_hit, .timeout = 600)
{
    /* the first five, unless HEDDLE_TEST_FULL is set: 2 s each */
    const hit hits[] = {{200, 0.0f, -0.5f, true}, {200, 0.4f, -0.5f, false},
        {40, 0.0f, -0.5f, true}, {100, 0.5f, -0.5f, true}, {200, 0.0f, -0.97f, true},
        {200, 0.03f, -0.4f, true}, {200, 0.4f, -0.5f, true}, {200, 0.5f, -0.5f, true},
        {10, 0.4f, -0.5f, true}, {100, 0.03f, -0.4f, true}};
    size_t count = getenv("HEDDLE_TEST_FULL") ? HED_COUNT(hits) : 5;
    for (size_t k = 0; k < count; k++) {
        hit by = hits[k];
        recovery after = curtain_after(by);
        printf("%g m/s at %g, %g: stretch %.4f (p99), %.4f; %llu vertices cut, %u pairs\n",
            (double)by.speed, (double)by.x, (double)by.y, after.p99, after.worst,
            (unsigned long long)after.cut, after.pairs);
        bool gate = strcmp(hed_device_describe(here.device).backend, "host") == 0;
        /* known (docs/cloth-contact.md): on other devices one hit of 200 m/s leaves some edges too
         * long, held by pairs on the wrong side */
        EXPECT_LT(after.worst, !gate ? 0.6 : by.lattices ? 0.05 : 0.1);
        if (!gate) continue;
        EXPECT_LT(after.p99, by.lattices ? 0.02 : 0.04);
        EXPECT_EQ(after.cut, 0);
        EXPECT_LT(after.pairs, 50); /* 15: a fold that friction holds; a tangle has hundreds */
    }
}

/* A slow body holds cloth however long it becomes: only fast ones let it pass. */
Test(cloth_recover, a_slow_ball_carries_overstretched_cloth)
{
    sheet s = sheet_make(SIDE, 1.0f);
    sheet_put(&s, 0.0f, 0.0f);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        if (i / SIDE % (SIDE - 1) == 0 || i % SIDE % (SIDE - 1) == 0) s.inverse_masses[i] = 0.0f;
    s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    s.def.thickness = 0.004f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 8;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider sphere = {
        .shape = HED_CLOTH_SPHERE, .radius = {0.3f, 0.3f}, .friction = 1.0f};
    double worst = 0.0;
    sphere.a[1] = 0.31f;
    frame.colliders = &sphere;
    frame.collider_count = 1;
    for (int f = 0; f < 9; f++) {
        sphere.a[1] -= 5.0f / 60;
        dressed_step(&d, &frame);
        worst = fmax(worst, dressed_measure(&d).worst_stretch);
    }
    EXPECT_GT(worst, 1.0, "overstretched");
    float lowest = 0.0f;
    for (uint32_t i = 0; i < d.particles; i++) lowest = fminf(lowest, d.positions[i][1]);
    EXPECT_LT(lowest, sphere.a[1] - 0.3f, "the ball is on the cloth");
    dressed_free(&d);
    sheet_free(&s);
}

/* A driver draws a sheet through a fixed one for a second: planes limit its vertices in each substep,
 * but none is stretched, so nothing releases them. */
Test(cloth_recover, cloth_that_is_not_tangled_is_never_released)
{
    enum { N = 5, PARTICLES = N * N };
    sheet sheets[2];
    hed_cloth_garment_def garments[2];
    float radii[PARTICLES] = {0}, drivers[2 * PARTICLES][3];
    for (int k = 0; k < 2; k++) {
        sheets[k] = sheet_make(N, k ? 0.1f : 0.15f);
        sheet_put(&sheets[k], 0.006f * (float)k, 0.3f * (float)k);
        sheets[k].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        sheets[k].def.thickness = 0.004f;
        for (uint32_t i = 0; i < PARTICLES && !k; i++) sheets[k].inverse_masses[i] = 0.0f;
        garments[k] = sheets[k].def;
    }
    garments[1].driven = true;
    garments[1].max_distance = radii;
    hed_cloth_def def = dressed_def(garments, 2);
    def.substeps = 12;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.driver_positions = drivers[0];
    for (int f = 0; f < 56; f++) {
        for (uint32_t i = 0; i < 2 * PARTICLES; i++)
            memcpy(drivers[i], sheets[i / PARTICLES].positions[i % PARTICLES], sizeof drivers[i]);
        for (uint32_t i = PARTICLES; i < 2 * PARTICLES; i++)
            drivers[i][1] -= 0.002f * (float)(f < 10 ? f : 10);
        dressed_step(&d, &frame);
    }
    const hed_cloth_metrics after = dressed_measure(&d);
    EXPECT_GT(after.contact_cut, (uint64_t)240 * PARTICLES / 2, "vertices are limited for long");
    EXPECT_LT(after.worst_stretch, 0.5, "nothing is tangled");
    uint32_t below = 0;
    for (uint32_t i = PARTICLES; i < 2 * PARTICLES; i++) below += d.positions[i][1] <= 0.0f;
    EXPECT_EQ(below, 0, "the sheet is above");
    dressed_free(&d);
    for (int k = 0; k < 2; k++) sheet_free(&sheets[k]);
}

/* A driver's error ends a submission between two stages of contact: pushes of that substep are left
 * in memory, and the next submission moves no particle by them. */
Test(cloth_recover, nothing_is_left_of_a_submission_that_failed)
{
    float(*right)[3] = NULL;
    for (int failed = 0; failed < 2; failed++) {
        sheet s = sheet_make(SIDE, 1.0f);
        sheet_fold(&s, 0.2f, 0.02f);
        s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        s.def.thickness = 0.01f;
        hed_cloth_def def = dressed_def(&s.def, 1);
        dressed d = dressed_make(here.device, &def);
        hed_cloth_frame frame = hed_default_cloth_frame();
        dressed_step(&d, &frame);
        if (failed) {
            hed_error error = {0};
            cloth_pairing *p = d.cloth->contacts->pairing;
            OK(cloth_pairs_prepare(d.cloth, p, &error)); /* and no end */
            OK(hed_fill(d.cloth->stream, p->b.sums, 0, hed_buffer_describe(p->b.sums).size,
                &(uint32_t){1 << 18}, 4, &error));
        }
        for (int f = 0; f < 3; f++) dressed_step(&d, &frame);
        if (failed)
            EXPECT_EQ(memcmp(right, d.positions, d.particles * sizeof *right), 0, "bits differ");
        else {
            right = malloc(d.particles * sizeof *right);
            memcpy(right, d.positions, d.particles * sizeof *right);
        }
        dressed_free(&d);
        sheet_free(&s);
    }
    free(right);
}
