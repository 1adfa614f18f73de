/* The judge of cloth: signs against integers, pairs against all pairs, shapes against closed forms,
 * and the shipped scenes, which start without a crossing. */
#include "cloth_judge.h"

#include "model/orient.h"

#include <math.h>

static hed_error error;

static uint32_t check_state = 1;
static uint32_t check_random(void)
{
    check_state ^= check_state << 13;
    check_state ^= check_state >> 17;
    return check_state ^= check_state << 5;
}
static float check_uniform(void) { return (float)(check_random() >> 8) * 0x1p-24f; }

/* ---- signs ---- */

/* Corners on a lattice of 2^20, where 128 bits hold the determinant. */
static int sign_of_integers(const double p[4][3])
{
    __int128 u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (__int128)p[0][k] - (__int128)p[3][k];
        v[k] = (__int128)p[1][k] - (__int128)p[3][k];
        w[k] = (__int128)p[2][k] - (__int128)p[3][k];
    }
    __int128 value = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
                     u[2] * (v[0] * w[1] - v[1] * w[0]);
    return (value > 0) - (value < 0);
}

/* Any four points, and four that are in one plane or next to it. A scale by a power of two, or a
 * shift that keeps all bits, changes no sign. */
Test(cloth_check, signs_are_those_of_integers)
{
    uint64_t exact = 0;
    int counts[3] = {0};
    for (int trial = 0; trial < 20000; trial++) {
        double p[4][3], moved[4][3];
        for (int i = 0; i < 9; i++) p[i / 3][i % 3] = (double)(check_random() >> 4);
        int a = (int)(check_random() % 7) - 3, b = (int)(check_random() % 7) - 3;
        for (int k = 0; k < 3; k++) {
            p[3][k] = trial % 2 ? p[0][k] + a * (p[1][k] - p[0][k]) + b * (p[2][k] - p[0][k])
                                : (double)(check_random() >> 4);
            for (int i = 0; i < 4; i++) moved[i][k] = 0x1p-40 * (p[i][k] + 0x1p40);
        }
        if (trial % 4 == 1) p[3][trial % 3] += 1, moved[3][trial % 3] += 0x1p-40;
        int sign = cloth_orient(p[0], p[1], p[2], p[3], &exact);
        CHECK_EQ(sign, sign_of_integers(p), "trial %d", trial);
        CHECK_EQ(sign, cloth_orient(moved[0], moved[1], moved[2], moved[3], &exact));
        CHECK_EQ(sign, -cloth_orient(p[1], p[0], p[2], p[3], &exact));
        CHECK_EQ(sign, -cloth_orient(p[3], p[1], p[2], p[0], &exact));
        counts[sign + 1]++;
    }
    EXPECT(counts[0] > 5000 && counts[1] > 2000 && counts[2] > 5000 && exact > 5000);
}

/* Where differences are no doubles: a point near the origin and one far away, and the plane x = y
 * through both. The last bit of the third point decides. */
Test(cloth_check, signs_beyond_doubles)
{
    uint64_t exact = 0;
    double a[3] = {1e30, 1e30, 0}, b[3] = {0, 0, 1e30}, c[3] = {0, 0, 0};
    for (int step = -1; step <= 1; step++) {
        double d[3] = {0x1p-60, 0x1p-60 * (1 + step * 0x1p-52), 0};
        CHECK_EQ(cloth_orient(a, b, c, d, &exact), step);
        CHECK_EQ(cloth_orient(a, d, c, b, &exact), -step);
    }
    CHECK_EQ(exact, 6);
}

/* ---- pairs ---- */

static uint64_t check_pairs(const float (*places)[3], uint32_t count,
    const uint32_t (*triangles)[3], uint32_t triangle_count)
{
    hed_cloth_check_surface surface = {
        count, triangle_count, &places[0][0], &triangles[0][0], false};
    hed_cloth_check_def def = {.surfaces = &surface, .surface_count = 1};
    hed_cloth_crossings found;
    OK(hed_cloth_check(&def, &found, &error));
    uint64_t pairs = found.count[HED_CLOTH_CROSSES_ITSELF];
    CHECK_EQ(pairs, found.pair_count);
    hed_cloth_crossings_free(&found);
    CHECK_NULL(found.pairs);
    return pairs;
}

Test(cloth_check, what_crosses_and_what_touches)
{
    static const float flat[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    static const struct {
        const char *what;
        float other[3][3];
        uint32_t corner; /* of the other one that is vertex 0; 3: none */
        uint64_t pairs;
    } cases[] = {
        {"through the middle", {{0.2f, -1, 0.2f}, {0.3f, 1, 0.2f}, {0.2f, 1, 0.4f}}, 3, 1},
        {"beside", {{5, 0, 5}, {5, 0, 6}, {0.2f, 1, 0.4f}}, 3, 0},
        {"from the corner, up", {{0, 0, 0}, {0.2f, 1, 0.2f}, {0.3f, 1, 0.1f}}, 0, 0},
        {"from the corner, through", {{0, 0, 0}, {0.3f, 1, 0.3f}, {0.3f, -1, 0.3f}}, 0, 1},
        {"a corner at the same place, through", {{0, 0, 0}, {0.3f, 1, 0.3f}, {0.3f, -1, 0.3f}}, 3, 1},
        {"its corner on the face", {{0.25f, 0, 0.25f}, {0.3f, 1, 0.3f}, {0.2f, 1, 0.3f}}, 3, 0},
        {"its edge on the face", {{0.25f, 0, 0.25f}, {0.3f, 0, 0.3f}, {0.2f, 1, 0.3f}}, 3, 0},
        {"in one plane", {{0.25f, 0, 0.25f}, {2, 0, 0.3f}, {0.2f, 0, 2}}, 3, 0},
        {"an edge exactly through an edge", {{0.5f, -1, 0}, {0.5f, 1, 0}, {0.5f, 0, -3}}, 3, 1},
        {"a hair beside that edge", {{0.5f, -1, -1e-30f}, {0.5f, 1, -1e-30f}, {0.5f, 0, -3}}, 3, 0},
        {"a hair inside", {{0.5f, -1, 1e-30f}, {0.5f, 1, 1e-30f}, {0.5f, 0, -3}}, 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 6; turn++) { /* whatever the order of corners and triangles */
            float places[6][3];
            uint32_t triangles[2][3] = {{0, 1, 2}};
            memcpy(places, flat, sizeof flat);
            memcpy(places + 3, cases[i].other, sizeof cases[i].other);
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t corner = turn < 3 ? (c + (uint32_t)turn) % 3 : (uint32_t)(turn - c) % 3;
                triangles[1][c] = corner == cases[i].corner ? 0 : 3 + corner;
            }
            if (turn & 1) {
                uint32_t first[3];
                memcpy(first, triangles[0], sizeof first);
                memcpy(triangles[0], triangles[1], sizeof first);
                memcpy(triangles[1], first, sizeof first);
            }
            CHECK_EQ(check_pairs((const float(*)[3])places, 6, (const uint32_t(*)[3])triangles, 2),
                cases[i].pairs, "%s", cases[i].what);
        }
}

/* Whether triangles cross, in plain doubles, edge by edge. */
static bool cross_plainly(const float *const a[3], const float *const b[3])
{
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < 3; i++) {
            const float *const *edge = turn ? a : b, *const *face = turn ? b : a;
            double p[5][3];
            uint64_t exact;
            for (int k = 0; k < 15; k++)
                p[k / 3][k % 3] = (double)(k < 9 ? face[k / 3] : edge[(k / 3 - 3 + i) % 3])[k % 3];
            int up = cloth_orient(p[0], p[1], p[2], p[3], &exact),
                down = cloth_orient(p[0], p[1], p[2], p[4], &exact), sum = 0;
            for (int k = 0; k < 3; k++)
                sum += cloth_orient(p[3], p[4], p[k], p[(k + 1) % 3], &exact);
            if (up * down < 0 && (sum == 3 || sum == -3)) return true;
        }
    return false;
}

enum { CLOTHS = 3, EACH = 150 };

/* Two garments and a body of single triangles, and one that lies far away; and the same moved,
 * mirrored and in another order. */
Test(cloth_check, as_many_as_all_pairs)
{
    static float places[CLOTHS][3 * EACH][3];
    static uint32_t order[3 * EACH];
    hed_cloth_check_surface surfaces[CLOTHS];
    uint64_t expected[HED_CLOTH_CROSSING_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < 3 * EACH; i++) order[i] = i;
    for (int s = 0; s < CLOTHS; s++) {
        for (int t = 0; t < EACH; t++)
            for (int k = 0; k < 3; k++) {
                float middle = t == 7 ? 1e4f : check_uniform();
                for (int c = 0; c < 3; c++)
                    places[s][3 * t + c][k] = middle + 0.3f * check_uniform();
            }
        surfaces[s] = (hed_cloth_check_surface){3 * EACH, EACH, &places[s][0][0], order, s == 1};
    }
    for (uint32_t i = 0; i < CLOTHS * EACH; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t s = i / EACH, o = j / EACH;
            const float *a[3], *b[3];
            for (uint32_t c = 0; c < 3; c++) {
                a[c] = places[s][3 * (i % EACH) + c];
                b[c] = places[o][3 * (j % EACH) + c];
            }
            if ((s == 1 && o == 1) || !cross_plainly(a, b)) continue;
            expected[s == o             ? HED_CLOTH_CROSSES_ITSELF
                     : s == 1 || o == 1 ? HED_CLOTH_CROSSES_BODY
                                        : HED_CLOTH_CROSSES_CLOTH]++;
        }
    for (int change = 0; change < 3; change++) {
        hed_cloth_crossings found;
        hed_cloth_check_def def = {.surfaces = surfaces, .surface_count = CLOTHS};
        OK(hed_cloth_check(&def, &found, &error));
        for (int kind = 0; kind < HED_CLOTH_CROSSES_SHAPE; kind++) {
            EXPECT_EQ(found.count[kind], expected[kind], "change %d, pairs %s", change,
                hed_cloth_crossing_kind_name((hed_cloth_crossing_kind)kind));
            EXPECT_GT(expected[kind], 50);
        }
        for (uint32_t i = 0; i < found.pair_count; i++) { /* places lie in both boxes */
            const hed_cloth_crossing *pair = &found.pairs[i];
            EXPECT(pair->kind != HED_CLOTH_CROSSES_BODY || pair->surface[1] == 1);
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 3; k++) {
                    const hed_cloth_check_surface *surface = &surfaces[pair->surface[side]];
                    double low = 1e30, high = -1e30;
                    for (uint32_t c = 0; c < 3; c++) {
                        uint32_t vertex = surface->triangles[3 * pair->triangle[side] + c];
                        double place = (double)surface->positions[3 * vertex + (uint32_t)k];
                        low = fmin(low, place);
                        high = fmax(high, place);
                    }
                    CHECK(pair->place[k] > low - 1e-6 && pair->place[k] < high + 1e-6);
                }
        }
        hed_cloth_crossings_free(&found);
        def.only_bodies = true;
        OK(hed_cloth_check(&def, &found, &error));
        EXPECT_EQ(found.count[HED_CLOTH_CROSSES_BODY], expected[HED_CLOTH_CROSSES_BODY]);
        EXPECT_EQ(found.pair_count, found.count[HED_CLOTH_CROSSES_BODY]);
        hed_cloth_crossings_free(&found);
        for (int s = 0; s < CLOTHS; s++)
            for (int i = 0; i < 3 * EACH; i++) {
                float *p = places[s][i], x = p[0];
                p[0] = -4 * p[1]; /* no bit is lost */
                p[1] = 4 * p[2];
                p[2] = 4 * x;
            }
        for (uint32_t i = 0; i < 3; i++) { /* the first triangle goes last */
            uint32_t first = order[i];
            order[i] = order[3 * EACH - 3 + i];
            order[3 * EACH - 3 + i] = first;
        }
    }
}

/* ---- shapes ---- */

static hed_cloth_crossings against(const hed_cloth_collider *shape, const float *triangle)
{
    static const uint32_t corners[] = {0, 1, 2};
    hed_cloth_check_surface surface = {3, 1, triangle, corners, false};
    hed_cloth_check_def def = {
        .surfaces = &surface, .surface_count = 1, .shapes = shape, .shape_count = 1};
    hed_cloth_crossings found;
    OK(hed_cloth_check(&def, &found, &error));
    return found;
}

/* A triangle over the origin in the plane y = 0: the deepest point of what reaches through is
 * known. */
Test(cloth_check, depth_in_shapes)
{
    static const float triangle[] = {-1, 0, -1, 2, 0, -1, -1, 0, 2};
    static const struct {
        const char *what;
        hed_cloth_collider shape;
        double depth; /* 0: it does not reach in */
    } cases[] = {
        {"a plane above", {.shape = HED_CLOTH_PLANE, .a = {0, 0.25f, 0}, .b = {0, 1, 0}}, 0.25},
        {"a plane below", {.shape = HED_CLOTH_PLANE, .a = {0, -0.25f, 0}, .b = {0, 1, 0}}, 0},
        {"a plane that touches", {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}}, 0},
        {"a ball under the middle",
            {.shape = HED_CLOTH_SPHERE, .a = {0, -0.5f, 0}, .radius = {0.75f}}, 0.25},
        {"a ball that touches", {.shape = HED_CLOTH_SPHERE, .a = {0, -0.5f, 0}, .radius = {0.5f}}, 0},
        {"a ball beside a corner",
            {.shape = HED_CLOTH_SPHERE, .a = {3, 0, -1}, .radius = {1.25f}}, 0.25},
        {"a capsule along it",
            {.shape = HED_CLOTH_CAPSULE, .a = {-1, -1, 0}, .b = {1, -1, 0}, .radius = {1.5f, 1.5f}},
            0.5},
        {"its end",
            {.shape = HED_CLOTH_CAPSULE, .a = {0, -1, 0}, .b = {0, -3, 0}, .radius = {1.25f, 1}},
            0.25},
        {"a tapered one, whose thick end is away",
            {.shape = HED_CLOTH_CAPSULE, .a = {0, -0.5f, 0}, .b = {0, -4, 0}, .radius = {0.25f, 1}},
            0},
        /* balls of 0.5 + t / 2 at depth 1 and t along x: the one at the end */
        {"a tapered one below",
            {.shape = HED_CLOTH_CAPSULE,
                .a = {-1, -1, 0},
                .b = {0, -1, 0},
                .radius = {0.5f, 1.25f}},
            0.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hed_cloth_crossings found = against(&cases[i].shape, triangle);
        EXPECT_EQ(found.count[HED_CLOTH_CROSSES_SHAPE], cases[i].depth > 0, "%s", cases[i].what);
        EXPECT_NEAR(found.deepest, cases[i].depth, 1e-7, "%s", cases[i].what);
        hed_cloth_crossings_free(&found);
    }
}

/* A tapered capsule against points all over a triangle. */
Test(cloth_check, depth_in_any_capsule)
{
    for (int trial = 0; trial < 40; trial++) {
        float t[9];
        hed_cloth_collider capsule = {.shape = HED_CLOTH_CAPSULE};
        for (int k = 0; k < 9; k++) t[k] = check_uniform();
        for (int k = 0; k < 3; k++) {
            capsule.a[k] = check_uniform();
            capsule.b[k] = check_uniform();
        }
        capsule.radius[0] = 0.3f * check_uniform();
        capsule.radius[1] = 0.3f * check_uniform();
        double least = 1e30;
        for (int i = 0; i < 100; i++)
            for (int j = 0; j < 100 - i; j++)
                for (int s = 0; s <= 50; s++) {
                    double square = 0, share = s / 50.0, u = i / 99.0, v = j / 99.0;
                    for (int k = 0; k < 3; k++)
                        square += pow(t[k] + u * (t[3 + k] - t[k]) + v * (t[6 + k] - t[k]) -
                                          capsule.a[k] - share * (capsule.b[k] - capsule.a[k]), 2);
                    least = fmin(least, sqrt(square) - capsule.radius[0] -
                                            share * (capsule.radius[1] - capsule.radius[0]));
                }
        hed_cloth_crossings found = against(&capsule, t);
        EXPECT_NEAR(found.deepest, fmax(-least, 0), 0.02, "trial %d", trial);
        EXPECT_GE(found.deepest, fmax(-least, 0) - 1e-6, "trial %d", trial);
        hed_cloth_crossings_free(&found);
    }
}

/* ---- bad input, and nothing ---- */

Test(cloth_check, what_is_refused)
{
    float places[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t triangles[] = {0, 1, 2, 2, 1, 3};
    hed_cloth_check_surface surface = {3, 2, places, triangles, false};
    hed_cloth_check_def def = {.surfaces = &surface, .surface_count = 1};
    hed_cloth_crossings found;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_check(&def, &found, &error));
    CHECK(strstr(error.text, "surface 0, triangle 1: vertex 3, and there are 3"), "%s", error.text);
    triangles[5] = 0;
    places[4] = NAN;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_check(&def, &found, &error));
    CHECK(strstr(error.text, "surface 0, vertex 1: coordinate y is nan"), "%s", error.text);
    places[4] = 0;
    OK(hed_cloth_check(&def, &found, &error)); /* the same triangle twice */
    CHECK_EQ(found.pair_count, 0);
    hed_cloth_crossings_free(&found);
    OK(hed_cloth_check(&(hed_cloth_check_def){0}, &found, &error));
    CHECK_EQ(found.tests, 0);
    hed_cloth_crossings_free(&found);
}

/* ---- the shipped scenes ---- */

/* No scene begins with cloth that crosses itself, or with cloth in a body. */
Test(cloth_check, scenes_start_well)
{
    static const char *const names[] = {"flag", "curtain", "folded", "garment", "tablecloth",
        "wardrobe", "thrown", "sewn", "cushion", "runner", "fabrics", "shirts", "corner"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        judged j = judged_open(names[i]);
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(j.scene, 0, 1e12, &frame, &error));
        judged_look(&j, &frame, 0);
        EXPECT_GT(j.tests, 1000);
        judged_close(&j);
    }
}
