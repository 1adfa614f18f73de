/* ctest: devices full=pocl */
/* Cloth that recovers: from a ball of 200 m/s, and from a submission that failed halfway. */
#include "fixture.h"

#include "cloth_contacts.h"
#include "contact/contact_host.h"

TestSuite(cloth_recover, .init = here_open, .fini = here_close);

enum { SIDE = 17, HIT = 40, REST = 60, LAST = 10 };

/* A sheet on its first row swings down, and a ball flies past it in a frame; then nothing is near. */
Test(cloth_recover, a_curtain_rests_after_a_ball_of_200_m_per_s, .timeout = 300)
{
    sheet s = sheet_make(SIDE, 1.0f);
    for (uint32_t i = 0; i < SIDE; i++) s.inverse_masses[i] = 0.0f;
    s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    s.def.thickness = 0.004f;
    s.def.damping = 0.5f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 12;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider to = {.shape = HED_CLOTH_SPHERE, .radius = {0.1f, 0.1f}, .friction = 0.3f},
                       from;
    frame.colliders = &to;
    frame.collider_starts = &from;
    frame.collider_count = 1;
    to.a[0] = 0.03f;
    to.a[1] = -0.4f;
    uint64_t cut = 0, most = 0;
    double p99 = 0, worst = 0;
    for (int f = 0; f < HIT + REST; f++) {
        from = to;
        from.a[2] = -2.5f + 200.0f / 60 * (float)(f > HIT ? f - HIT : 0);
        to.a[2] = -2.5f + 200.0f / 60 * (float)(f >= HIT ? f - HIT + 1 : 0);
        dressed_step(&d, &frame);
        if (f != HIT && f < HIT + REST - LAST - 1) continue;
        hed_cloth_metrics q = dressed_measure(&d);
        if (f == HIT) EXPECT_GT(q.worst_stretch, 1, "the ball drags the curtain");
        if (f == HIT + REST - LAST - 1) cut = q.contact_cut;
        if (f < HIT + REST - LAST) continue;
        p99 = fmax(p99, q.stretch_p99);
        worst = fmax(worst, q.worst_stretch);
        most = q.contact_cut - cut;
    }
    printf("at rest: stretch %.3f (p99), %.3f, %llu vertices cut in %d frames\n", p99, worst,
        (unsigned long long)most, LAST);
    EXPECT_LT(p99, 0.05);
    EXPECT_LT(worst, 0.2);
    EXPECT_EQ(most, 0);
    dressed_free(&d);
    sheet_free(&s);
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
