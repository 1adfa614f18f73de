/* ctest: devices full=pocl long */
/* Cloth that never crosses cloth: sheets that fold, fall over a ball and into a corner, and a cape
 * that is led at 6 m/s have no pair of triangles that cross in any frame, near the world's origin
 * and 1 km from it; hardly a vertex is cut; nothing is slowed; the same bits on every device. */
#include "cloth_watch.h"

static hed_error error;

TestSuite(cloth_pairs, .init = here_open, .fini = here_close);

Test(cloth_pairs, a_fold_on_a_ball) { fold_on_ball(17, 40, NULL); }
Test(cloth_pairs, a_fold_a_kilometre_away) { fold_on_ball(13, 30, (double[]){1000, 10, -700}); }
Test(cloth_pairs, into_a_corner_of_two_walls) { into_a_corner(17, 40); }

/* Three sheets over each other on a ball: garments against garments. */
Test(cloth_pairs, three_layers_on_a_ball)
{
    const hed_cloth_collider bodies[] = {pairs_ground,
        {.shape = HED_CLOTH_SPHERE, .a = {0, 0.15f, 0}, .radius = {0.1f}, .friction = 0.5f}};
    sheet sheets[3];
    for (int i = 0; i < 3; i++) {
        sheets[i] = pairs_sheet(11, 0.4f, NULL);
        sheet_put(&sheets[i], 0.28f + 0.03f * (float)i, 0.4f * (float)i);
    }
    fall("three layers", sheets, 3, bodies, 2, 40, NULL);
    for (int i = 0; i < 3; i++) sheet_free(&sheets[i]);
}

static const float cape_here[3] = {0, 0, 0}, cape_high[3] = {0, 10, 0};

/* Nothing is slowed until the cloth touches itself. */
Test(cloth_pairs, a_cape_led_at_six_metres_a_second)
{
    double with = cape(17, 50, 12, cape_jerk, HED_CLOTH_SELF_TRIANGLES, 12, cape_here, 1e-3),
           without = cape(17, 12, 12, cape_jerk, HED_CLOTH_SELF_NONE, 12, cape_here, 1e-3);
    EXPECT(without > 5.0, "the cape without contact goes %g m/s", without);
    EXPECT(fabs(with / without - 1.0) < 0.03, "%g m/s with contact, %g without", with, without);
}

Test(cloth_pairs, a_cape_at_ten_metres)
{
    cape(13, 40, 12, cape_jerk, HED_CLOTH_SELF_TRIANGLES, 0, cape_high, 1e-3);
}

/* Layers meet at 10 m/s and push each other apart: hardly a vertex is cut. */
Test(cloth_pairs, a_cape_of_33_that_stops)
{
    cape(33, 40, 12, cape_run, HED_CLOTH_SELF_TRIANGLES, 0, cape_high, 1e-3);
}

/* Crowded cloth separates before it collapses: with one average for both sides of a pair 0.09 % were
 * cut. */
Test(cloth_pairs, a_cape_stopped_with_12_g_and_6_substeps)
{
    cape(32, 44, 6, cape_jerk, HED_CLOTH_SELF_TRIANGLES, 0, cape_high, 2e-4);
}

/* Falls as without contact: 4.9 m in a second. */
Test(cloth_pairs, nothing_caps_the_speed)
{
    sheet s = pairs_sheet(7, 0.3f, NULL);
    s.def.damping = 0.0f;
    hed_cloth_def def = pairs_def(&s.def, 1);
    def.substeps = 5;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 60; f++) dressed_step(&d, &frame);
    EXPECT(fabs(d.positions[24][1] + 0.5 * 9.81) < 0.06, "fell to %g m", d.positions[24][1]);
    dressed_free(&d);
    sheet_free(&s);
}

/* Two sheets that begin within each other, as near as rounding: frozen vertices stay, and no substep
 * takes all iterations for vertices that cannot move. */
Test(cloth_pairs, frozen_vertices_end_the_iterations)
{
    sheet sheets[2] = {pairs_sheet(13, 0.3f, NULL), pairs_sheet(13, 0.3f, NULL)};
    for (int g = 0; g < 2; g++) {
        sheet_put(&sheets[g], 0.0f, 0.0f);
        for (uint32_t i = 0; i < 13; i++) sheets[g].inverse_masses[g ? i : 168 - i] = 0.0f;
    }
    for (uint32_t i = 0; i < 169; i++) {
        sheets[1].positions[i][0] += 0.003f;
        sheets[1].positions[i][1] += (i % 13 < 3 ? 3e-6f : 0.02f) * (float)((7 * i) % 5);
    }
    const hed_cloth_garment_def garments[] = {sheets[0].def, sheets[1].def};
    hed_cloth_def def = pairs_def(garments, 2);
    def.substeps = 12;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 30; f++) dressed_step(&d, &frame);
    hed_cloth_metrics q = dressed_measure(&d);
    double legs = (double)q.contact_legs / q.contact_substeps;
    printf("%.2f iterations a substep, %.2f vertices cut\n", legs,
        (double)q.contact_cut / q.contact_substeps);
    EXPECT_GT((double)q.contact_cut / q.contact_substeps, 1, "nothing is frozen");
    EXPECT_LT(legs, 4);
    dressed_free(&d);
    for (int i = 0; i < 2; i++) sheet_free(&sheets[i]);
}

/* ---- places that are read a kilometre from zero ---- */

static float read_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

/* How often what is read somewhere up to 1 km from zero crosses, rounded as floats of the world
 * are. `d` has the places themselves, from near. */
static uint32_t read_crossing(const dressed *d, const watch *w, uint32_t *state)
{
    enum { PLACES = 8 };
    float(*world)[3] = calloc(d->particles, sizeof *world);
    uint32_t crossing = 0;
    for (int place = 0; place < PLACES; place++) {
        for (int k = 0; k < 3; k++) {
            float away = 750.0f + 245.0f * read_random(state);
            for (uint32_t i = 0; i < d->particles; i++) world[i][k] = d->positions[i][k] + away;
        }
        hed_cloth_check_surface surface = {
            d->particles, w->count, world[0], w->triangles[0], false};
        hed_cloth_crossings found;
        OK(hed_cloth_check(
            &(hed_cloth_check_def){.surfaces = &surface, .surface_count = 1}, &found, &error));
        crossing += found.pair_count > 0;
        hed_cloth_crossings_free(&found);
    }
    free(world);
    return crossing;
}

/* Sheets of 4 mm triangles, 1 mm thick, thrown through each other into a corner, so that layers
 * come as near as they may: 30 % are cut in a substep. */
Test(cloth_pairs, what_is_read_a_kilometre_away)
{
    enum { SHEETS = 3, N = 9, TRIES = 3, FRAMES = 24 };
    const float away[3] = {1000, 1000, -1000};
    hed_cloth_collider bodies[] = {pairs_ground,
        {.shape = HED_CLOTH_PLANE, .b = {1.0f, 0.0f, 0.0f}, .a = {-0.03f, 0, 0}, .friction = 0.3f},
        {.shape = HED_CLOTH_PLANE, .b = {0.0f, 0.0f, 1.0f}, .a = {0, 0, -0.03f}, .friction = 0.3f}};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) bodies[c].a[k] += away[k];
    hed_cloth_frame frame = hed_default_cloth_frame();
    const float near[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -away[0], -away[1], -away[2], 1};
    frame.colliders = bodies;
    frame.collider_count = 3;
    frame.transform = near;
    uint32_t state = 3, crossing = 0, looks = 0;
    for (int try = 0; try < TRIES; try++) {
        sheet sheets[SHEETS];
        hed_cloth_garment_def garments[SHEETS];
        watch w = {0};
        for (int g = 0; g < SHEETS; g++) {
            sheets[g] = pairs_sheet(N, 0.004f * (N - 1), NULL);
            sheet_put(&sheets[g], 0.03f + 0.02f * (float)g, 3.0f * read_random(&state));
            for (uint32_t i = 0; i < N * N; i++)
                for (int k = 0; k < 3; k++) sheets[g].positions[i][k] += away[k];
            garments[g] = sheets[g].def;
            garments[g].thickness = 0.001f;
            for (int k = 0; k < 3; k++) {
                garments[g].velocity[k] =
                    3.0f * read_random(&state) - (k == 1 ? 1.5f * (float)(g - 1) : 0.0f);
                garments[g].angular_velocity[k] = 10.0f * read_random(&state);
            }
            watch_quads(&w, (uint32_t)g * N * N, sheets[g].quads[0], sheets[g].def.quad_count);
        }
        hed_cloth_def def = pairs_def(garments, SHEETS);
        def.substeps = 2;
        dressed d = dressed_make(here.device, &def);
        for (int f = 0; f < FRAMES; f++, looks++) {
            dressed_step(&d, &frame);
            watch_look(&w, &d);
            crossing += read_crossing(&d, &w, &state);
        }
        EXPECT_EQ(w.crossing, 0);
        hed_cloth_metrics q = dressed_measure(&d);
        EXPECT(q.contact_legs > q.contact_substeps, "nothing was cut");
        dressed_free(&d);
        watch_free(&w);
        for (int g = 0; g < SHEETS; g++) sheet_free(&sheets[g]);
    }
    printf("%u of %u samples cross as they are read\n", crossing, 8 * looks);
    EXPECT_EQ(crossing, 0);
}

/* ---- other things ---- */

/* Two layers that fly together, and one at rest: the same bits on every device. */
static uint64_t fold_bits(hed_device *device, float away)
{
    hed_cloth_collider bodies[] = {pairs_ground,
        {.shape = HED_CLOTH_SPHERE, .a = {0, 0.1f, 0.1f}, .radius = {0.1f}, .friction = 0.5f}};
    sheet s = pairs_sheet(13, 0.4f, NULL);
    sheet_fold(&s, 0.22f, 0.03f);
    for (int k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < 169; i++) s.positions[i][k] += away;
        for (int c = 0; c < 2; c++) bodies[c].a[k] += away;
    }
    hed_cloth_def def = pairs_def(&s.def, 1);
    def.substeps = 6;
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = bodies;
    frame.collider_count = 2;
    for (int f = 0; f < 24; f++) dressed_step(&d, &frame);
    hed_cloth_metrics q = dressed_measure(&d);
    EXPECT(q.contact_pairs > 0, "nothing touches");
    dressed_free(&d);
    sheet_free(&s);
    return q.hash;
}

/* A state that is loaded goes on to the same bits, and contact begins to count with it. */
Test(cloth_pairs, a_loaded_state_counts_anew)
{
    sheet s = pairs_sheet(13, 0.4f, NULL);
    sheet_fold(&s, 0.22f, 0.03f);
    hed_cloth_def def = pairs_def(&s.def, 1);
    def.substeps = 6;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &pairs_ground;
    frame.collider_count = 1;
    for (int f = 0; f < 18; f++) dressed_step(&d, &frame);
    void *state = malloc(hed_cloth_save_size(d.cloth));
    CHECK(state);
    OK(hed_cloth_save(d.cloth, state, &error));
    uint64_t hashes[2];
    for (int turn = 0; turn < 2; turn++) {
        if (turn) OK(hed_cloth_load(d.cloth, state, hed_cloth_save_size(d.cloth), &error));
        for (int f = 0; f < 4; f++) dressed_step(&d, &frame);
        hed_cloth_metrics q = dressed_measure(&d);
        EXPECT(q.contact_pairs > 0, "nothing touches");
        CHECK_EQ(q.contact_substeps, turn ? 24 : 22 * 6);
        hashes[turn] = q.hash;
    }
    EXPECT(hashes[0] == hashes[1], "%016llx, loaded %016llx", (unsigned long long)hashes[0],
        (unsigned long long)hashes[1]);
    free(state);
    dressed_free(&d);
    sheet_free(&s);
}

Test(cloth_pairs, same_bits_as_on_the_host)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    for (float away = 0.0f; away <= 1000.0f; away += 1000.0f) {
        uint64_t own = fold_bits(here.device, away), there = fold_bits(host, away);
        EXPECT(own == there, "%g m away %016llx, on the host %016llx", away,
            (unsigned long long)own, (unsigned long long)there);
    }
}

/* Pairs are divided among the threads of the host, of which 32 push at the same time. */
Test(cloth_pairs, threads_do_not_change_a_bit)
{
    uint64_t expected = fold_bits(here.device, 0.0f);
    static const uint32_t threads[] = {1, 2, 3, 5, 40};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        hed_context_def def = hed_default_context_def();
        hed_context *context;
        hed_device *host;
        def.host_threads = threads[k];
        OK(hed_context_create(&def, &context, &error));
        OK(hed_device_find(context, "host", &host, &error));
        uint64_t hash = fold_bits(host, 0.0f);
        EXPECT(hash == expected, "%u threads %016llx, expected %016llx", threads[k],
            (unsigned long long)hash, (unsigned long long)expected);
        hed_context_destroy(context);
    }
}

/* What is near along the cloth is no contact: a sheet hangs to the bit as it does without. */
static uint64_t hang(hed_cloth_self_collision self, float thickness)
{
    sheet s = sheet_make(9, 0.16f);
    s.inverse_masses[0] = s.inverse_masses[8] = 0.0f;
    s.def.self_collision = self;
    s.def.thickness = thickness * s.spacing;
    hed_cloth_def def = pairs_def(&s.def, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 4; f++) dressed_step(&d, &frame);
    uint64_t hash = dressed_measure(&d).hash;
    dressed_free(&d);
    sheet_free(&s);
    return hash;
}

Test(cloth_pairs, near_along_the_cloth_is_no_contact)
{
    uint64_t without = hang(HED_CLOTH_SELF_NONE, 0.2f);
    EXPECT_EQ(hang(HED_CLOTH_SELF_TRIANGLES, 0.2f), without);
    EXPECT_EQ(hang(HED_CLOTH_SELF_TRIANGLES, 2.0f), without);
}

/* Layers through each other at the start stay so, are not thrown, and do not explode. */
Test(cloth_pairs, a_start_that_crosses_does_not_explode)
{
    sheet s = pairs_sheet(9, 0.16f, NULL), other = pairs_sheet(9, 0.16f, NULL);
    for (uint32_t i = 0; i < 81; i++) {
        other.positions[i][0] = 0.3f * s.rest[i][0];
        other.positions[i][1] = s.rest[i][0] + 1e-3f * s.rest[i][2];
        other.positions[i][2] = s.rest[i][2] + 0.003f;
    }
    hed_cloth_garment_def garments[] = {s.def, other.def};
    hed_cloth_def def = pairs_def(garments, 2);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    double most = 0.0;
    for (int f = 0; f < 20; f++) {
        dressed_step(&d, &frame);
        double energy = dressed_measure(&d).kinetic_energy;
        if (energy > most) most = energy;
    }
    double mass = 2 * 81 * 0.2 * s.spacing * s.spacing;
    printf("at most %.3f m/s\n", sqrt(2.0 * most / mass));
    EXPECT(sqrt(2.0 * most / mass) < 1.5, "thrown at %g m/s", sqrt(2.0 * most / mass));
    dressed_free(&d);
    sheet_free(&s);
    sheet_free(&other);
}

/* All in one place: more pairs than there is room for, so all stand; it ends and is reported. */
Test(cloth_pairs, a_crowd_in_one_place)
{
    sheet s = pairs_sheet(20, 0.4f, NULL);
    for (uint32_t i = 0; i < 400; i++)
        for (int k = 0; k < 3; k++) s.positions[i][k] = 0.25f + (float)(i * 7919u % 1000u) * 1e-9f;
    hed_cloth_def def = pairs_def(&s.def, 1);
    def.substeps = 2;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 2; f++) dressed_step(&d, &frame);
    hed_cloth_metrics q = dressed_measure(&d);
    EXPECT_EQ(q.contact_still, 4);
    dressed_free(&d);
    sheet_free(&s);
}

Test(cloth_pairs, every_allocation_may_fail)
{
    sheet s = pairs_sheet(5, 0.1f, NULL);
    hed_cloth_def def = pairs_def(&s.def, 1);
    dressed_starves(&def);
    sheet_free(&s);
}
