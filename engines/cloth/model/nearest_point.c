#include "model/nearest_point.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_x(const void *left, const void *right)
{
    const cloth_triangle_ball *a = left, *b = right;
    if (a->centre[0] != b->centre[0]) return a->centre[0] < b->centre[0] ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

void cloth_search_sort(cloth_search *search)
{
    static const float middle[3] = {1.0f / 3, 1.0f / 3, 1.0f / 3};
    search->largest = 0;
    for (uint32_t t = 0; t < search->triangle_count; t++) {
        const uint32_t *corner = &search->triangles[3 * (size_t)t];
        cloth_triangle_ball *ball = &search->balls[t];
        *ball = (cloth_triangle_ball){.triangle = t};
        cloth_weighted3(search->positions, corner, middle, ball->centre);
        for (int c = 0; c < 3; c++) {
            float away[3];
            cloth_subtract3(&search->positions[3 * (size_t)corner[c]], ball->centre, away);
            ball->radius = fmaxf(ball->radius, sqrtf(cloth_dot3(away, away)));
        }
        search->largest = fmaxf(search->largest, ball->radius);
    }
    qsort(search->balls, search->triangle_count, sizeof *search->balls, by_x);
}

static void set_weights(float *weight, float a, float b, float c)
{
    weight[0] = a;
    weight[1] = b;
    weight[2] = c;
}

/* Computes the weights of the corners at the triangle's nearest point. */
static void nearest_weights(
    const float *p, const float *a, const float *b, const float *c, float weight[3])
{
    float ab[3], ac[3], ap[3], bp[3], cp[3];
    cloth_subtract3(b, a, ab);
    cloth_subtract3(c, a, ac);
    cloth_subtract3(p, a, ap);
    cloth_subtract3(p, b, bp);
    cloth_subtract3(p, c, cp);
    float d1 = cloth_dot3(ab, ap), d2 = cloth_dot3(ac, ap), d3 = cloth_dot3(ab, bp),
          d4 = cloth_dot3(ac, bp), d5 = cloth_dot3(ab, cp), d6 = cloth_dot3(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2,
          sum = va + vb + vc;
    if (d1 <= 0 && d2 <= 0) set_weights(weight, 1, 0, 0);
    else if (d3 >= 0 && d4 <= d3) set_weights(weight, 0, 1, 0);
    else if (d6 >= 0 && d5 <= d6) set_weights(weight, 0, 0, 1);
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        set_weights(weight, 1 - d1 / (d1 - d3), d1 / (d1 - d3), 0);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        set_weights(weight, 1 - d2 / (d2 - d6), 0, d2 / (d2 - d6));
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        float w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        set_weights(weight, 0, 1 - w, w);
    } else if (sum > 0) set_weights(weight, va / sum, vb / sum, vc / sum);
    else set_weights(weight, 1, 0, 0); /* a triangle without area */
}

static bool is_facing(const float *a, const float *b, const float *c, const float *direction)
{
    float ab[3], ac[3], normal[3];
    cloth_subtract3(b, a, ab);
    cloth_subtract3(c, a, ac);
    for (int k = 0; k < 3; k++)
        normal[k] = ab[(k + 1) % 3] * ac[(k + 2) % 3] - ab[(k + 2) % 3] * ac[(k + 1) % 3];
    float cosine = cloth_dot3(normal, direction);
    return cosine > 0 &&
           2 * cosine * cosine >= cloth_dot3(normal, normal) * cloth_dot3(direction, direction);
}

/* Tests one triangle; keeps it if it is nearer than the triangle found before. */
static void try_triangle(
    const cloth_search *search, uint32_t triangle, const float *point, cloth_nearest *nearest)
{
    const uint32_t *corner = &search->triangles[3 * (size_t)triangle];
    const float *positions = search->positions;
    float weight[3], place[3], offset[3];
    nearest_weights(point, &positions[3 * (size_t)corner[0]], &positions[3 * (size_t)corner[1]],
        &positions[3 * (size_t)corner[2]], weight);
    cloth_weighted3(positions, corner, weight, place);
    cloth_subtract3(point, place, offset);
    float distance = sqrtf(cloth_dot3(offset, offset));
    if (distance >= nearest->distance) return;
    if (nearest->facing &&
        !is_facing(&positions[3 * (size_t)corner[0]], &positions[3 * (size_t)corner[1]],
            &positions[3 * (size_t)corner[2]], nearest->facing))
        return;
    nearest->triangle = triangle;
    nearest->distance = distance;
    memcpy(nearest->weight, weight, sizeof weight);
    memcpy(nearest->away, offset, sizeof offset);
}

static void try_ball(const cloth_search *search, const cloth_triangle_ball *ball,
    const float *point, cloth_nearest *nearest)
{
    float offset[3];
    cloth_subtract3(point, ball->centre, offset);
    if (sqrtf(cloth_dot3(offset, offset)) - ball->radius < nearest->distance)
        try_triangle(search, ball->triangle, point, nearest);
}

void cloth_search_nearest(const cloth_search *search, const float *point, cloth_nearest *nearest)
{
    const cloth_triangle_ball *balls = search->balls;
    uint32_t low = 0, high = search->triangle_count, last = high;
    try_triangle(search, nearest->triangle, point, nearest);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (balls[middle].centre[0] < point[0]) low = middle + 1;
        else high = middle;
    }
    for (uint32_t up = low, down = low;;) {
        bool grows_up =
            up < last && balls[up].centre[0] - point[0] - search->largest < nearest->distance;
        bool grows_down =
            down > 0 && point[0] - balls[down - 1].centre[0] - search->largest < nearest->distance;
        if (!grows_up && !grows_down) break;
        if (grows_up) try_ball(search, &balls[up++], point, nearest);
        if (grows_down) try_ball(search, &balls[--down], point, nearest);
    }
}
