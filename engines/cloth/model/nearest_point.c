#include "model/nearest_point.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* True if a precedes b along an axis; equal centres are ordered by number. */
static bool precedes(const cloth_triangle_ball *a, const cloth_triangle_ball *b, int axis)
{
    if (a->centre[axis] != b->centre[axis]) return a->centre[axis] < b->centre[axis];
    return a->triangle < b->triangle;
}

/* Moves the first `half` balls along an axis to the front, and the next ball after them (Hoare's
 * selection). */
static void halve(cloth_triangle_ball *balls, uint32_t count, uint32_t half, int axis)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        cloth_triangle_ball pivot = balls[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;;) {
            while (precedes(&balls[i], &pivot, axis)) i++;
            while (precedes(&pivot, &balls[j], axis)) j--;
            if (i >= j) break;
            cloth_triangle_ball other = balls[i];
            balls[i++] = balls[j];
            balls[j--] = other;
        }
        if (half <= j) high = j;
        else low = j + 1;
    }
}

/* Orders the balls of a subtree. */
static void order_subtree(cloth_triangle_ball *balls, uint32_t count)
{
    float low[3], high[3], longest = 0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        float first = INFINITY, last = -INFINITY;
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            float at = balls[i].centre[k], radius = balls[i].radius;
            first = fminf(first, at);
            last = fmaxf(last, at);
            low[k] = fminf(low[k], at - radius);
            high[k] = fmaxf(high[k], at + radius);
        }
        if (last - first > longest) {
            longest = last - first;
            axis = k;
        }
    }
    uint32_t half = count / 2;
    halve(balls, count, half, axis);
    memcpy(balls[half].low, low, sizeof low);
    memcpy(balls[half].high, high, sizeof high);
    if (half > 0) order_subtree(balls, half);
    if (count - half > 1) order_subtree(balls + half + 1, count - half - 1);
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
    order_subtree(search->balls, search->triangle_count);
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

/* Tests one triangle; keeps it if it is nearer than the triangle found before. Of two triangles at
 * the same distance, as at their common edge, it keeps that with the smaller number. */
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
    if (distance > nearest->distance) return;
    if (distance == nearest->distance && triangle >= nearest->triangle) return;
    if (nearest->facing &&
        !is_facing(&positions[3 * (size_t)corner[0]], &positions[3 * (size_t)corner[1]],
            &positions[3 * (size_t)corner[2]], nearest->facing))
        return;
    nearest->triangle = triangle;
    nearest->distance = distance;
    memcpy(nearest->weight, weight, sizeof weight);
    memcpy(nearest->away, offset, sizeof offset);
}

/* Distance of a point from the box of a subtree; 0 inside. */
static float away_from(const cloth_triangle_ball *balls, uint32_t count, const float *point)
{
    if (count == 0) return INFINITY;
    const cloth_triangle_ball *node = &balls[count / 2];
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float away = fmaxf(fmaxf(node->low[k] - point[k], point[k] - node->high[k]), 0);
        square += away * away;
    }
    return sqrtf(square);
}

static void search_subtree(const cloth_search *search, const cloth_triangle_ball *balls,
    uint32_t count, const float *point, cloth_nearest *nearest)
{
    if (count == 0) return;
    uint32_t half = count / 2, rest = count - half - 1;
    float offset[3];
    cloth_subtract3(point, balls[half].centre, offset);
    float before = away_from(balls, half, point), after = away_from(balls + half + 1, rest, point);
    if (sqrtf(cloth_dot3(offset, offset)) - balls[half].radius <= nearest->distance)
        try_triangle(search, balls[half].triangle, point, nearest);
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 0) == (before <= after)) {
            if (before <= nearest->distance) search_subtree(search, balls, half, point, nearest);
        } else if (after <= nearest->distance) {
            search_subtree(search, balls + half + 1, rest, point, nearest);
        }
}

void cloth_search_nearest(const cloth_search *search, const float *point, cloth_nearest *nearest)
{
    try_triangle(search, nearest->triangle, point, nearest);
    search_subtree(search, search->balls, search->triangle_count, point, nearest);
}
