/* The nearest triangle by the tree (model/nearest_point.h) against a search of all triangles: the
 * same triangle, also where several are at the same distance. */
#include "testing.h"

#include "model/nearest_point.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 24, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

typedef struct surface {
    float positions[3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    cloth_triangle_ball balls[TRIANGLES];
    cloth_search search;
} surface;

/* From 0 to 1. */
static float uniform(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) * 0x1p-24f;
}

/* A flat sheet of unit cells with two triangles each; `loose`: triangles anywhere, some of them
 * without area. */
static surface *surface_of(bool loose)
{
    uint32_t state = 1, count = 0;
    surface *s = calloc(1, sizeof *s);
    CHECK(s);
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t k = 0; k < 3; k++)
            s->positions[3 * i + k] = loose    ? SIDE * uniform(&state)
                                      : k == 0 ? (float)(i % (SIDE + 1))
                                      : k == 1 ? (float)(i / (SIDE + 1))
                                               : 0.0f;
    for (uint32_t cell = 0; cell < SIDE * SIDE; cell++) {
        uint32_t a = cell / SIDE * (SIDE + 1) + cell % SIDE, b = a + 1, c = a + SIDE + 1, d = c + 1;
        const uint32_t corners[6] = {a, b, loose && cell % 7 == 0 ? a : d, a, d, c};
        for (uint32_t k = 0; k < 6; k++) s->triangles[count++] = corners[k];
    }
    s->search = (cloth_search){.positions = s->positions,
        .triangles = s->triangles,
        .triangle_count = TRIANGLES,
        .balls = s->balls};
    cloth_search_sort(&s->search);
    return s;
}

/* The nearest of all triangles: each one alone, in a search of its own. */
static cloth_nearest by_all(const surface *s, const float *point, const float *facing)
{
    cloth_nearest best = {.distance = INFINITY, .triangle = TRIANGLES};
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        cloth_triangle_ball ball;
        cloth_search one = {.positions = s->positions,
            .triangles = s->triangles + 3 * (size_t)t,
            .triangle_count = 1,
            .balls = &ball};
        cloth_nearest found = {.distance = INFINITY, .facing = facing};
        cloth_search_sort(&one);
        cloth_search_nearest(&one, point, &found);
        if (found.distance < best.distance) {
            best = found;
            best.triangle = t;
        }
    }
    return best;
}

static void compare(bool loose, bool limited)
{
    static const float up[3] = {0, 0, 1};
    surface *s = surface_of(loose);
    uint32_t state = 7, ties = 0;
    for (uint32_t i = 0; i < 400; i++) {
        float point[3], step = i % 2 && !loose ? 1.0f : 0.0f;
        for (uint32_t k = 0; k < 3; k++) {
            point[k] = (SIDE + 4) * uniform(&state) - 2;
            if (step > 0) point[k] = floorf(point[k]); /* above a corner: six triangles are tied */
        }
        const float *facing = limited ? up : NULL;
        cloth_nearest all = by_all(s, point, facing);
        cloth_nearest found = {.triangle = TRIANGLES - 1 - i % TRIANGLES, .distance = INFINITY};
        found.facing = facing;
        cloth_search_nearest(&s->search, point, &found);
        CHECK_EQ(found.triangle, all.triangle, "point %u, %g and %g away", i,
            (double)found.distance, (double)all.distance);
        CHECK_EQ(found.distance, all.distance);
        ties += step > 0;
        cloth_nearest near = {.distance = 0.5f * all.distance, .triangle = all.triangle};
        near.facing = facing;
        float limit = near.distance;
        cloth_search_nearest(&s->search, point, &near);
        CHECK_EQ(near.distance, limit, "a triangle beyond the limit is found");
    }
    CHECK_EQ(ties, loose ? 0 : 200);
    free(s);
}

Test(cloth_nearest, of_equal_distances_the_first) { compare(false, false); }
Test(cloth_nearest, of_triangles_anywhere) { compare(true, false); }
Test(cloth_nearest, that_faces_a_direction) { compare(true, true); }
