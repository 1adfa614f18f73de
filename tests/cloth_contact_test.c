/* ctest: devices full=pocl long */
/* Balls around particles: a sheet folded on itself, one dropped over another, a stack, and two that
 * meet at speed come to rest without a pair of triangles that cross, without a pop, and with the
 * same bits on every device. */
#include "fixture.h"

#include "cloth_contacts.h"

#include "heddle/cloth_check.h"
#include "contact/contact_kernels.h"

static hed_error error;

TestSuite(cloth_contact, .init = here_open, .fini = here_close);

static const hed_cloth_collider ground = {
    .shape = HED_CLOTH_PLANE, .b = {0.0f, 1.0f, 0.0f}, .friction = 0.5f};
static const hed_cloth_collider ball_on_ground[] = {
    {.shape = HED_CLOTH_PLANE, .b = {0.0f, 1.0f, 0.0f}, .friction = 0.5f},
    {.shape = HED_CLOTH_SPHERE, .a = {0.0f, 0.15f, 0.0f}, .radius = {0.1f}, .friction = 0.5f},
};

/* Triangles of `count` sheets of one size, one behind another, that cross. */
static uint32_t crossings(const dressed *d, const sheet *s, uint32_t count)
{
    uint32_t cells = (s->n - 1) * (s->n - 1), t = 0;
    uint32_t(*triangles)[3] = calloc(2 * cells * count, sizeof *triangles);
    for (uint32_t i = 0; i < cells * count; i++) {
        uint32_t first = i / cells * s->n * s->n;
        const uint32_t *q = s->quads[i % cells];
        memcpy(triangles[t++], (uint32_t[]){first + q[0], first + q[1], first + q[2]}, 12);
        memcpy(triangles[t++], (uint32_t[]){first + q[0], first + q[2], first + q[3]}, 12);
    }
    hed_cloth_check_surface surface = {
        s->n * s->n * count, t, &d->positions[0][0], &triangles[0][0], false};
    hed_cloth_crossings found;
    OK(hed_cloth_check(
        &(hed_cloth_check_def){.surfaces = &surface, .surface_count = 1}, &found, &error));
    uint32_t pairs = found.pair_count;
    hed_cloth_crossings_free(&found);
    free(triangles);
    return pairs;
}

/* ---- what comes to rest ---- */

typedef struct outcome {
    uint32_t crossing;  /* at rest */
    double peak, still; /* J: most while it moved; at rest */
    double moved;       /* m: farthest in the last frame */
    float low, high;    /* m */
} outcome;

static outcome come_to_rest(hed_device *device, hed_cloth_garment_def *garments, uint32_t count,
    const sheet *s, const hed_cloth_collider *colliders, uint32_t collider_count, uint32_t substeps,
    uint32_t frames, bool self)
{
    for (uint32_t i = 0; i < count; i++)
        garments[i].self_collision = self ? HED_CLOTH_SELF_BALLS : HED_CLOTH_SELF_NONE;
    hed_cloth_def def = dressed_def(garments, count);
    def.substeps = substeps;
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = colliders;
    frame.collider_count = collider_count;
    outcome o = {0};
    float(*last)[3] = calloc(d.particles, sizeof *last);
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(last, d.positions, d.particles * sizeof *last);
        dressed_step(&d, &frame);
        hed_cloth_metrics q = dressed_measure(&d);
        if (q.kinetic_energy > o.peak) o.peak = q.kinetic_energy;
        o.still = q.kinetic_energy;
        o.low = (float)q.low[1];
        o.high = (float)q.high[1];
    }
    for (uint32_t i = 0; i < d.particles; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) square += pow((double)d.positions[i][k] - last[i][k], 2);
        if (sqrt(square) > o.moved) o.moved = sqrt(square);
    }
    o.crossing = crossings(&d, s, count);
    printf("crossing %u, peak %.2e J, still %.2e J, moved %.2e m, y %.4f to %.4f\n", o.crossing,
        o.peak, o.still, o.moved, o.low, o.high);
    free(last);
    dressed_free(&d);
    return o;
}

/* A fold on the ground, dropped from `height`; thickness in spacings. */
static void check_fold(uint32_t n, float thickness, uint32_t frames)
{
    sheet s = sheet_make(n, 0.5f);
    s.def.thickness = thickness * s.spacing;
    sheet_fold(&s, 0.15f, 2.5f * s.def.thickness);
    outcome o = come_to_rest(here.device, &s.def, 1, &s, &ground, 1, 5, frames, true);
    double mass = 0.2 * n * n * s.spacing * s.spacing;
    EXPECT(o.crossing == 0, "%u pairs of triangles cross", o.crossing);
    EXPECT(o.peak < 1.05 * mass * 9.81 * (0.15 + 2.5 * s.def.thickness),
        "a pop: %g J, more than the fall gives", o.peak);
    EXPECT(o.still < 2e-3 * o.peak && o.moved < 0.05 * s.spacing, "not at rest: %g J, %g m a frame",
        o.still, o.moved);
    EXPECT(o.low > 0.97f * s.def.thickness && o.high > 1.8f * s.def.thickness,
        "the layers lie from %g to %g m", o.low, o.high);
    sheet_free(&s);
}

Test(cloth_contact, a_fold_comes_to_rest) { check_fold(21, 1.0f, 100); }
Test(cloth_contact, a_fold_of_a_finer_mesh) { check_fold(25, 2.0f, 100); }

/* Without self-collision the same sheets do cross: the test above can fail. */
Test(cloth_contact, without_it_layers_cross)
{
    sheet s = sheet_make(17, 0.4f), other = sheet_make(17, 0.4f);
    sheet_put(&s, 0.3f, 0.0f);
    sheet_put(&other, 0.4f, 0.4f);
    outcome o = come_to_rest(here.device, (hed_cloth_garment_def[]){s.def, other.def}, 2, &s,
        ball_on_ground, 2, 5, 60, false);
    EXPECT(o.crossing > 50, "%u", o.crossing);
    sheet_free(&s);
    sheet_free(&other);
}

Test(cloth_contact, a_sheet_over_another_over_a_ball)
{
    sheet s = sheet_make(17, 0.4f), other = sheet_make(17, 0.4f);
    sheet_put(&s, 0.3f, 0.0f);
    sheet_put(&other, 0.4f, 0.4f);
    outcome o = come_to_rest(here.device, (hed_cloth_garment_def[]){s.def, other.def}, 2, &s,
        ball_on_ground, 2, 10, 100, true);
    EXPECT(o.crossing == 0, "%u pairs of triangles cross", o.crossing);
    EXPECT(o.still < 0.02 * o.peak && o.moved < 0.3 * s.spacing,
        "not at rest: %g of %g J, %g m a frame", o.still, o.peak, o.moved);
    EXPECT(o.high > 0.25f + 1.8f * s.spacing, "the upper one lies at %g m", o.high);
    sheet_free(&s);
    sheet_free(&other);
}

Test(cloth_contact, a_stack_of_three)
{
    sheet s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = sheet_make(13, 0.3f);
        sheet_put(&s[i], 0.1f + 0.1f * (float)i, 0.3f * (float)i);
    }
    outcome o = come_to_rest(here.device, (hed_cloth_garment_def[]){s[0].def, s[1].def, s[2].def},
        3, &s[0], &ground, 1, 5, 90, true);
    EXPECT(o.crossing == 0, "%u pairs of triangles cross", o.crossing);
    EXPECT(o.still < 0.01 * o.peak && o.moved < 0.1 * s[0].spacing,
        "not at rest: %g of %g J, %g m a frame", o.still, o.peak, o.moved);
    EXPECT(o.low > 0.97f * s[0].spacing && o.high > 2.7f * s[0].spacing,
        "the layers lie from %g to %g m", o.low, o.high);
    for (int i = 0; i < 3; i++) sheet_free(&s[i]);
}

/* ---- contacts themselves ---- */

/* Two sheets fly at each other without gravity: they stop, and neither bounce nor pass. */
static void check_meeting(float speed)
{
    sheet s = sheet_make(9, 0.16f), other = sheet_make(9, 0.16f);
    sheet_put(&s, 0.0f, 0.0f);
    sheet_put(&other, 0.1f, 0.2f);
    hed_cloth_garment_def garments[] = {s.def, other.def};
    garments[0].self_collision = garments[1].self_collision = HED_CLOTH_SELF_BALLS;
    garments[0].damping = garments[1].damping = 0.0f;
    hed_cloth_def def = dressed_def(garments, 2);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    /* Speed by gravity in one first frame, of which the upper one is then turned about. */
    frame.gravity[1] = speed * 60.0f;
    dressed_step(&d, &frame);
    static const float mirror_about_x[16] = {1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0.16f, 0, 1};
    OK(hed_cloth_teleport(d.cloth, 1, mirror_about_x, &error));
    frame.gravity[1] = 0.0f;
    double energy = dressed_measure(&d).kinetic_energy, most = energy, last = energy;
    for (int f = 0; f < 20; f++) {
        dressed_step(&d, &frame);
        last = dressed_measure(&d).kinetic_energy;
        if (last > most) most = last;
    }
    double lower = 0.0, upper = 0.0;
    for (uint32_t i = 0; i < 81; i++) {
        lower += d.positions[i][1] / 81.0;
        upper += d.positions[81 + i][1] / 81.0;
    }
    printf("speed %g: %.3e J, most %.3e, last %.3e; at %.4f and %.4f m\n", speed, energy, most,
        last, lower, upper);
    EXPECT(most <= 1.001 * energy, "energy rose from %g to %g J", energy, most);
    EXPECT(last < 0.1 * energy, "they bounced: %g of %g J", last, energy);
    EXPECT(upper - lower > 0.8 * s.spacing, "the upper one is %g m above the lower one",
        upper - lower);
    EXPECT(crossings(&d, &s, 2) == 0);
    dressed_free(&d);
    sheet_free(&s);
    sheet_free(&other);
}

Test(cloth_contact, slow_sheets_stop_each_other) { check_meeting(0.3f); }
Test(cloth_contact, fast_sheets_stop_each_other) { check_meeting(3.0f); }

/* A sheet on another that is tilted: it stays where friction is above the slope, and slides where
 * it is below. */
static double slide(hed_device *device, float friction)
{
    sheet lower = sheet_make(17, 0.4f), upper = sheet_make(7, 0.15f);
    sheet_put(&upper, 1.05f * lower.spacing, 0.0f);
    for (uint32_t i = 0; i < 17 * 17; i++) lower.inverse_masses[i] = 0.0f;
    hed_cloth_garment_def garments[] = {lower.def, upper.def};
    for (int i = 0; i < 2; i++) {
        garments[i].self_collision = HED_CLOTH_SELF_BALLS;
        garments[i].friction = friction;
        garments[i].thickness = 1.5f * lower.spacing;
    }
    sheet_put(&upper, 1.2f * lower.spacing, 0.0f);
    hed_cloth_def def = dressed_def(garments, 2);
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[0] = -9.81f * sinf(0.2f);
    frame.gravity[1] = -9.81f * cosf(0.2f);
    dressed_step(&d, &frame);
    double from = d.positions[17 * 17 + 24][0];
    for (int f = 0; f < 20; f++) dressed_step(&d, &frame);
    double way = from - d.positions[17 * 17 + 24][0];
    for (uint32_t i = 0; i < 17 * 17; i++)
        CHECK(memcmp(d.positions[i], lower.positions[i], sizeof d.positions[i]) == 0,
            "locked particle %u moved", i);
    dressed_free(&d);
    sheet_free(&lower);
    sheet_free(&upper);
    return way;
}

Test(cloth_contact, friction_between_cloths)
{
    double sticks = slide(here.device, 0.8f), slides = slide(here.device, 0.0f);
    printf("slope of 0.2: %g m at friction 0.8, %g m without\n", sticks, slides);
    EXPECT(fabs(sticks) < 0.004, "it slid by %g m", sticks);
    EXPECT(slides > 0.03, "it stuck: %g m", slides);
}

/* Copies of a garment start in one place in their rest shape, but are different bodies. */
Test(cloth_contact, copies_are_different_bodies)
{
    sheet s = sheet_make(9, 0.16f);
    s.def.copies = 2;
    s.def.self_collision = HED_CLOTH_SELF_BALLS;
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    static const float up[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0, 1};
    OK(hed_cloth_teleport(d.cloth, 0, up, &error));
    for (int f = 0; f < 30; f++) dressed_step(&d, &frame);
    double apart = 0.0;
    for (uint32_t i = 0; i < 81; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += pow((double)d.positions[i][k] - d.positions[81 + i][k], 2);
        apart += sqrt(square) / 81.0;
    }
    EXPECT(apart > 0.8 * s.spacing, "copies that start in one place are %g m apart", apart);
    EXPECT(dressed_measure(&d).kinetic_energy <
               0.5 * 2 * 81 * 0.2 * s.spacing * s.spacing * 9.81 * 9.81 * 0.25 * 1.1,
        "they were thrown");
    dressed_free(&d);
    sheet_free(&s);
}

/* What is near at rest is no contact: a sheet whose balls overlap hangs to the bit as it does
 * without collisions. */
static uint64_t hanging(hed_device *device, float thickness)
{
    sheet s = sheet_make(9, 0.16f);
    s.inverse_masses[0] = s.inverse_masses[8] = 0.0f;
    s.def.self_collision = HED_CLOTH_SELF_BALLS;
    s.def.thickness = thickness * s.spacing;
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 4; f++) dressed_step(&d, &frame);
    uint64_t hash = dressed_measure(&d).hash;
    dressed_free(&d);
    sheet_free(&s);
    return hash;
}

Test(cloth_contact, near_at_rest_is_no_contact)
{
    uint64_t without = hanging(here.device, 0.0f), with = hanging(here.device, 1.0f),
             more = hanging(here.device, 2.0f);
    EXPECT(without == with && with == more, "%016llx %016llx %016llx", (unsigned long long)without,
        (unsigned long long)with, (unsigned long long)more);
}

/* Two sheets that begin half a thickness apart, without gravity, come apart and are not thrown. */
Test(cloth_contact, too_near_at_the_start_does_not_pop)
{
    sheet s = sheet_make(9, 0.16f), other = sheet_make(9, 0.16f);
    sheet_put(&other, 0.5f * s.spacing, 0.2f);
    hed_cloth_garment_def garments[] = {s.def, other.def};
    garments[0].self_collision = garments[1].self_collision = HED_CLOTH_SELF_BALLS;
    hed_cloth_def def = dressed_def(garments, 2);
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    double mass = 2 * 81 * 0.2 * s.spacing * s.spacing, fastest = 0.0, apart = 0.0;
    for (int f = 0; f < 20; f++) {
        dressed_step(&d, &frame);
        double speed = sqrt(2.0 * dressed_measure(&d).kinetic_energy / mass);
        if (speed > fastest) fastest = speed;
    }
    for (uint32_t i = 0; i < 81; i++) apart += (d.positions[81 + i][1] - d.positions[i][1]) / 81.0;
    printf("apart %.4f m, at most %.4f m/s\n", apart, fastest);
    EXPECT(apart > 0.8 * s.spacing, "%g m apart", apart);
    EXPECT(fastest < 0.1, "%g m/s", fastest);
    EXPECT(crossings(&d, &s, 2) == 0);
    dressed_free(&d);
    sheet_free(&s);
    sheet_free(&other);
}

/* ---- determinism and memory ---- */

/* In whatever order particles came into their bucket, they leave it in order of their numbers. */
Test(cloth_contact, a_bucket_is_put_in_order)
{
    enum { COUNT = 7 };
    float4 position[COUNT] = {{0}}, previous[COUNT] = {{0}}, sorted[2 * COUNT];
    uint starts[CLOTH_SELF_TILE + 1] = {0}, totals[2] = {0, COUNT}, rows[COUNT],
                                  slots[COUNT] = {4, 0, 6, 3, 1, 5, 2};
    uint2 entries[COUNT] = {{0}};
    cloth_self self = cloth_self_pass(COUNT, 1.0f, 1.0f);
    for (uint32_t i = 1; i <= CLOTH_SELF_TILE; i++)
        starts[i] = i == CLOTH_SELF_TILE ? 0 : COUNT; /* all are in bucket 0 */
    for (uint32_t i = 0; i < COUNT; i++) position[i] = (float4){(float)i, 0.0f, 0.0f, 1.0f};
    const cloth_self_order_view view = {
        position, previous, starts, totals, entries, slots, sorted, rows, self};
    for (uint32_t slot = 0; slot < COUNT; slot++) cloth_self_order_one(slot, view);
    for (uint32_t i = 0; i < COUNT; i++)
        EXPECT(as_uint(sorted[2 * i].w) == i && sorted[2 * i].x == (float)i, "place %u", i);
}

/* A grip moves with the garments; its particle draws it along from CONTACT_GRIP of the thickness on, and takes a new one
 * where it went twice as far. */
Test(cloth_contact, a_particle_draws_its_grip_along)
{
    const contact_params params = {.min_thickness = 0.01f};
    const float4 x = {1.0f, 2.0f, 3.0f, 0.0f}, shift = {0.25f, -0.5f, 0.125f, 0.0f};
    static const float off[] = {0.0f, 0.001f, 0.0014f, 0.0016f, 0.0029f, 0.0031f, 0.5f},
                       left[] = {0.0f, 0.001f, 0.0014f, 0.0015f, 0.0015f, 0.0f, 0.0f};
    for (size_t k = 0; k < HED_COUNT(off); k++) {
        float4 grip = {x.x, x.y - off[k], x.z, 0.0f};
        contact_draw_grip(0, x, shift, params, &grip);
        EXPECT_NEAR(grip.x, x.x + shift.x, 1e-6);
        EXPECT_NEAR(grip.y, x.y + shift.y - left[k], 1e-6, "%g m away", (double)off[k]);
        EXPECT_NEAR(grip.z, x.z + shift.z, 1e-6);
    }
}

static uint64_t fold_hash(hed_device *device)
{
    sheet s = sheet_make(15, 0.3f);
    s.def.self_collision = HED_CLOTH_SELF_BALLS;
    sheet_fold(&s, 0.05f, 2.0f * s.spacing);
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = ball_on_ground;
    frame.collider_count = 2;
    for (int f = 0; f < 25; f++) dressed_step(&d, &frame);
    uint64_t hash = dressed_measure(&d).hash;
    dressed_free(&d);
    sheet_free(&s);
    return hash;
}

Test(cloth_contact, same_bits_as_on_the_host)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    uint64_t own = fold_hash(here.device), there = fold_hash(host);
    EXPECT(own == there, "%016llx, on the host %016llx", (unsigned long long)own,
        (unsigned long long)there);
}

/* ---- features of bodies ---- */

static float random_part(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

static float4 random_place(uint32_t *seed, float size, float4 from)
{
    float4 at = from;
    at.x += size * (2 * random_part(seed) - 1);
    at.y += size * (2 * random_part(seed) - 1);
    at.z += size * (2 * random_part(seed) - 1);
    return at;
}

/* Pairs that the boxes of a triangle and a feature leave out are pairs that the whole test leaves out,
 * near the origin and 3 m away, at rest and fast. */
Test(cloth_contact, features_that_are_far_touch_nothing)
{
    uint32_t seed = 3, far = 0, near = 0, wrong = 0;
    for (uint32_t n = 0; n < 100000; n++) {
        float4 origin = {n % 2 ? 3.0f : 0.0f, n % 2 ? -2.0f : 0.0f, 0.0f, 1.0f};
        float radius = n % 3 ? 0.0f : 0.004f, fast = n % 5 ? 0.002f : 0.08f,
              thickness = 0.001f + 0.004f * random_part(&seed);
        float4 body = random_place(&seed, 0.03f, origin);
        feature_sides x, y;
        feature_touch touch;
        x.a = random_place(&seed, 0.01f, origin), y.a = random_place(&seed, fast, x.a);
        x.b = random_place(&seed, 0.01f, origin), y.b = random_place(&seed, fast, x.b);
        x.c = random_place(&seed, 0.01f, origin), y.c = random_place(&seed, fast, x.c);
        body.w = radius;
        x.axis.a = random_place(&seed, 0.015f, body),
        y.axis.a = random_place(&seed, fast, x.axis.a);
        x.axis.b = random_place(&seed, 0.015f, body),
        y.axis.b = random_place(&seed, fast, x.axis.b);
        uint found = 0;
        for (uint k = 0; k < 3; k++) {
            feature_sides u = x, v = y;
            u.a = k == 0 ? x.a : k == 1 ? x.b : x.c, v.a = k == 0 ? y.a : k == 1 ? y.b : y.c;
            u.b = k == 0 ? x.b : k == 1 ? x.c : x.a, v.b = k == 0 ? y.b : k == 1 ? y.c : y.a;
            found |= feature_test(u, v, FEATURE_EDGE, thickness, (float4){0}, 1.0f, &touch);
        }
        found |= feature_test(x, y, 0u, thickness, (float4){0}, 1.0f, &touch);
        found |= feature_test(x, y, FEATURE_END_B, thickness, (float4){0}, 1.0f, &touch);
        bool is_far = feature_is_far(x, y, thickness);
        far += is_far;
        near += found;
        wrong += is_far && found;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(far, 25000);
    EXPECT_GT(near, 10000);
}

/* All of it in one place, where each particle has all others as candidates: it ends, and all stay
 * finite. */
Test(cloth_contact, a_crowd_in_one_place)
{
    sheet s = sheet_make(24, 0.4f);
    for (uint32_t i = 0; i < 576; i++)
        for (int k = 0; k < 3; k++) s.positions[i][k] = 0.25f + (float)(i * 7919u % 1000u) * 1e-9f;
    s.def.self_collision = HED_CLOTH_SELF_BALLS;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 2;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (int f = 0; f < 3; f++) dressed_step(&d, &frame);
    dressed_measure(&d);
    dressed_free(&d);
    sheet_free(&s);
}

Test(cloth_contact, every_allocation_may_fail)
{
    sheet s = sheet_make(5, 0.1f);
    s.def.self_collision = HED_CLOTH_SELF_BALLS;
    hed_cloth_def def = dressed_def(&s.def, 1);
    dressed_starves(&def);
    sheet_free(&s);
}
