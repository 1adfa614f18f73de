/* ctest: devices full=pocl */
/* Explanation of contact: two triangles at a known distance, of which one is led through the other,
 * and cloth that falls on cloth. */
#include "fixture.h"

#include "heddle/cloth_contact.h"

#include <math.h>

static hed_error error;

TestSuite(cloth_explain, .init = here_open, .fini = here_close);

/* Height of the tip over the floor, m; thickness; motion of the tip in a substep. */
static const float gap = 0.01f, thickness = 0.02f, fall = 0.03f;

enum { FLOOR = 0, TIP = 3 }; /* first vertices: the floor has three */

static const uint32_t one_triangle[3] = {0, 1, 2};
static const float locked[3] = {0, 0, 0}, close_to_driver[3] = {0, 0, 0};
static const float floor_places[9] = {-1, 0, -1, 0, 0, 1, 1, 0, -1};

/* A triangle on its tip, `height` over the floor. */
static void put_tip(float *places, float height)
{
    const float tip[9] = {0, height, 0, 0.1f, height + 0.3f, 0.1f, 0.1f, height + 0.3f, -0.1f};
    memcpy(places, tip, sizeof tip);
}

static hed_cloth_garment_def triangle_of(const float *places)
{
    hed_cloth_garment_def garment = hed_default_cloth_garment_def();
    garment.particle_count = 3;
    garment.positions = places;
    garment.triangle_count = 1;
    garment.triangles = one_triangle;
    garment.inverse_masses = locked;
    garment.thickness = thickness;
    garment.self_collision = HED_CLOTH_SELF_TRIANGLES;
    return garment;
}

/* The floor, and a tip over it, which a driver leads; or without a driver, if it has a speed down,
 * m/s. */
static hed_cloth *make_triangles(float height, float speed)
{
    float tip[9];
    put_tip(tip, height);
    hed_cloth_garment_def garments[2] = {triangle_of(floor_places), triangle_of(tip)};
    garments[1].driven = speed == 0;
    garments[1].max_distance = speed == 0 ? close_to_driver : NULL;
    garments[1].velocity[1] = -speed;
    if (speed > 0) garments[1].inverse_masses = NULL;
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = 2;
    def.substeps = 1;
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    return cloth;
}

/* Runs a frame without gravity. */
static void step(hed_cloth *cloth, const float *driver, double seconds)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.seconds = seconds;
    frame.driver_positions = driver;
    frame.gravity[1] = 0;
    OK(hed_cloth_step(cloth, &frame, &error));
    OK(hed_cloth_wait(cloth, &error));
}

/* Leads the tip to a height in one frame. */
static void lead_tip(hed_cloth *cloth, float height)
{
    float places[18] = {0};
    put_tip(places + 9, height);
    step(cloth, places, 1.0 / 60);
}

/* Limit of a vertex in an iteration; NULL: none. */
static const hed_cloth_contact_limit *limit_of(
    const hed_cloth *cloth, int32_t vertex, uint32_t iteration, hed_cloth_limit_reason reason)
{
    uint32_t count;
    const hed_cloth_contact_limit *limits = hed_cloth_contact_limits(cloth, &count);
    for (uint32_t i = 0; i < count; i++)
        if (limits[i].vertex == vertex && limits[i].iteration == iteration &&
            limits[i].reason == reason)
            return limits + i;
    return NULL;
}

static void check_pair(const hed_cloth_contact_limit *limit)
{
    CHECK(!limit->edges);
    CHECK_EQ(limit->pair[0], TIP);
    for (int i = 1; i < 4; i++) CHECK_EQ(limit->pair[i], FLOOR + i - 1);
}

static float height_of_tip(hed_cloth *cloth)
{
    float places[18];
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    return places[3 * TIP + 1];
}

/* A tenth of the gap stays, at least 40 um: in each iteration the tip gets the rest of it. */
Test(cloth_explain, a_plane_divides_the_gap_of_two_triangles, .timeout = 60)
{
    hed_cloth *cloth = make_triangles(gap, 0);
    OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error));
    lead_tip(cloth, gap - fall);
    const float kept[] = {1e-3f, 1e-4f, 4e-5f};
    float before = gap;
    for (uint32_t iteration = 0; iteration < 3; iteration++) {
        const hed_cloth_contact_limit *limit =
            limit_of(cloth, TIP, iteration, HED_CLOTH_LIMIT_PLANE);
        CHECK(limit, "iteration %u", iteration);
        check_pair(limit);
        float way = before - (gap - fall), allowed = before - kept[iteration];
        CHECK_NEAR(limit->gap, before, 1e-7);
        CHECK_NEAR(limit->requested, way, 1e-7);
        CHECK_NEAR(limit->allowed, allowed, 1e-7);
        CHECK_NEAR(limit->fraction, allowed / way, 1e-5);
        CHECK(limit->continues);
        before = kept[iteration];
    }
    const hed_cloth_contact_limit *last = limit_of(cloth, TIP, 8, HED_CLOTH_LIMIT_PLANE);
    CHECK(last);
    CHECK(!last->continues);
    CHECK_NEAR(height_of_tip(cloth), 4e-5, 1e-7);
    hed_cloth_destroy(cloth);
}

Test(cloth_explain, a_gap_that_floats_do_not_resolve_is_frozen, .timeout = 60)
{
    hed_cloth *cloth = make_triangles(4e-6f, 0);
    OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error));
    lead_tip(cloth, -fall);
    const hed_cloth_contact_limit *limit = limit_of(cloth, TIP, 0, HED_CLOTH_LIMIT_ROUNDING);
    CHECK(limit);
    check_pair(limit);
    CHECK_NEAR(limit->gap, 4e-6, 1e-9);
    CHECK_EQ(limit->fraction, 0.0f);
    CHECK(!limit->continues);
    hed_cloth_destroy(cloth);
}

/* In a long substep contacts part what is nearer than the thickness by more than a tenth of it, the
 * distance that the list covers around a vertex at rest. */
Test(cloth_explain, pushes_end_at_the_cover_of_the_list, .timeout = 60)
{
    hed_cloth *cloth = make_triangles(gap, 0.0001f);
    OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error));
    step(cloth, NULL, 0.05);
    const hed_cloth_contact_limit *limit = limit_of(cloth, TIP, 0, HED_CLOTH_LIMIT_COVER);
    CHECK(limit);
    CHECK_EQ(limit->pair[0], HED_CLOTH_EXPLAIN_NONE);
    CHECK_NEAR(limit->allowed, 0.98 * 0.1 * thickness, 1e-7);
    CHECK_EQ(limit->fraction, 1.0f);
    hed_cloth_destroy(cloth);
}

/* One vertex: the pair that pushes it, although nothing limits its motion. */
Test(cloth_explain, a_vertex_has_the_pairs_near_it, .timeout = 60)
{
    hed_cloth *cloth = make_triangles(gap, 0.001f);
    OK(hed_cloth_explain_contact(cloth, TIP, &error));
    step(cloth, NULL, 1.0 / 60);
    const hed_cloth_contact_limit *limit = limit_of(cloth, TIP, 0, HED_CLOTH_LIMIT_PUSH);
    CHECK(limit);
    check_pair(limit);
    CHECK_NEAR(limit->gap, gap, 1e-7);
    CHECK_EQ(limit->fraction, 1.0f);
    OK(hed_cloth_explain_contact(cloth, FLOOR, &error));
    step(cloth, NULL, 1.0 / 60);
    uint32_t count;
    const hed_cloth_contact_limit *limits = hed_cloth_contact_limits(cloth, &count);
    for (uint32_t i = 0; i < count; i++) CHECK_EQ(limits[i].vertex, FLOOR);
    hed_cloth_destroy(cloth);
}

/* ---- sheets ---- */

enum { N = 10, SHEETS = 3 };

static float places[SHEETS][3 * N * N], driver[SHEETS][3 * N * N];
static const float all_locked[N * N];

/* Sheets of 10 x 10 over each other, 1 cm apart as their particles are. The lowest one is locked, a
 * driver leads the highest one. */
static hed_cloth *make_sheets(float cloth_thickness)
{
    static uint32_t quads[4 * (N - 1) * (N - 1)];
    hed_cloth_garment_def garments[SHEETS];
    for (uint32_t q = 0; q < (N - 1) * (N - 1); q++) {
        uint32_t at = q / (N - 1) * N + q % (N - 1);
        const uint32_t corners[4] = {at, at + N, at + N + 1, at + 1};
        memcpy(quads + 4 * q, corners, sizeof corners);
    }
    for (uint32_t s = 0; s < SHEETS; s++) {
        for (uint32_t i = 0; i < N * N; i++) {
            places[s][3 * i] = 0.01f * (float)(i % N) + 0.002f * (float)s;
            places[s][3 * i + 1] = 0.01f * (float)s;
            places[s][3 * i + 2] = 0.01f * (float)(i / N);
        }
        garments[s] = hed_default_cloth_garment_def();
        garments[s].particle_count = N * N;
        garments[s].positions = places[s];
        garments[s].quad_count = (N - 1) * (N - 1);
        garments[s].quads = quads;
        garments[s].thickness = cloth_thickness;
        garments[s].self_collision = HED_CLOTH_SELF_TRIANGLES;
        if (s == 0 || s == SHEETS - 1) garments[s].inverse_masses = all_locked;
        garments[s].driven = s == SHEETS - 1;
        garments[s].max_distance = garments[s].driven ? all_locked : NULL;
    }
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garments;
    def.garment_count = SHEETS;
    def.substeps = 2;
    def.math = HED_MATH_STRICT;
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    return cloth;
}

/* Presses the sheets together by a centimetre. */
static void press(hed_cloth *cloth, int frame)
{
    for (uint32_t i = 0; i < 3 * N * N; i++)
        driver[SHEETS - 1][i] =
            places[SHEETS - 1][i] - (i % 3 == 1 ? 0.01f * (float)(frame + 1) : 0);
    step(cloth, driver[0], 1.0 / 60);
}

Test(cloth_explain, a_full_list_freezes_every_vertex, .timeout = 60)
{
    hed_cloth *cloth = make_sheets(0.1f);
    OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error));
    press(cloth, 0);
    const hed_cloth_contact_limit *limit =
        limit_of(cloth, HED_CLOTH_EXPLAIN_NONE, 0, HED_CLOTH_LIMIT_CAPACITY);
    CHECK(limit);
    CHECK_EQ(limit->fraction, 0.0f);
    hed_cloth_destroy(cloth);
}

/* As many vertices as the counter of the device has, and the same bits with and without. */
Test(cloth_explain, counts_agree_and_no_bit_changes, .timeout = 120)
{
    hed_cloth_metrics metrics[2];
    uint64_t limited = 0, found[HED_CLOTH_LIMIT_REASON_COUNT] = {0};
    for (int explained = 0; explained < 2; explained++) {
        hed_cloth *cloth = make_sheets(0.008f);
        for (int f = 0; f < 6; f++) {
            /* from the third frame on: the device may have run the first ones in one launch each */
            if (explained && f == 2)
                OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_ALL, &error));
            if (f == 5) OK(hed_cloth_explain_contact(cloth, HED_CLOTH_EXPLAIN_NONE, &error));
            OK(hed_cloth_evaluate(cloth, &metrics[explained], &error));
            uint64_t before = metrics[explained].contact_cut;
            press(cloth, f);
            OK(hed_cloth_evaluate(cloth, &metrics[explained], &error));
            uint32_t count;
            const hed_cloth_contact_limit *limits = hed_cloth_contact_limits(cloth, &count);
            if (!explained || f < 2 || f == 5) continue;
            limited = 0;
            for (uint32_t i = 0; i < count; i++) {
                found[limits[i].reason]++;
                limited +=
                    limits[i].vertex >= 0 && limits[i].fraction < 1.0f && !limits[i].continues;
            }
            EXPECT_EQ(limited, metrics[explained].contact_cut - before, "frame %d", f);
        }
        hed_cloth_destroy(cloth);
    }
    EXPECT_EQ(metrics[0].hash, metrics[1].hash);
    EXPECT_EQ(metrics[0].contact_cut, metrics[1].contact_cut);
    EXPECT(found[HED_CLOTH_LIMIT_PLANE] > 0);
}

/* ---- faults ---- */

Test(cloth_explain, refuses_without_contact_and_an_unknown_vertex, .timeout = 60)
{
    hed_cloth *cloth = make_triangles(gap, 0);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_explain_contact(cloth, 6, &error));
    CHECK(strstr(error.text, "vertex is 6; expected"), "%s", error.text);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_explain_contact(cloth, -3, &error));
    error = (hed_error){0};
    uint32_t count = 1;
    CHECK_NULL(hed_cloth_contact_limits(cloth, &count));
    CHECK_EQ(count, 0u);
    hed_cloth_destroy(cloth);
}
