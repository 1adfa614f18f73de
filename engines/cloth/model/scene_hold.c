/* Holding a garment to a driver's surface: each particle hangs on the place of the body at rest
 * that is nearest to it, in the frame of that triangle, and goes where the triangle goes. Nearest
 * point of a triangle: Ericson, Real- Time Collision Detection, 2005, section 5.1.5. */
#include "model/scene_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A triangle by its bounding sphere. */
typedef struct ball {
    float centre[3], radius;
    uint32_t triangle;
} ball;

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void subtract(const float *a, const float *b, float *difference)
{
    for (int k = 0; k < 3; k++) difference[k] = a[k] - b[k];
}

static int by_x(const void *left, const void *right)
{
    const ball *a = left, *b = right;
    if (a->centre[0] != b->centre[0]) return a->centre[0] < b->centre[0] ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static void set_weights(float *weight, float a, float b, float c)
{
    weight[0] = a;
    weight[1] = b;
    weight[2] = c;
}

/* Weights of the corners at the triangle's nearest point. */
static void nearest_weights(
    const float *p, const float *a, const float *b, const float *c, float weight[3])
{
    float ab[3], ac[3], ap[3], bp[3], cp[3];
    subtract(b, a, ab);
    subtract(c, a, ac);
    subtract(p, a, ap);
    subtract(p, b, bp);
    subtract(p, c, cp);
    float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
          d6 = dot(ac, cp);
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

static void weighted(
    const float *positions, const uint32_t *corner, const float weight[3], float *point)
{
    for (int k = 0; k < 3; k++)
        point[k] = weight[0] * positions[3 * (size_t)corner[0] + k] +
                   weight[1] * positions[3 * (size_t)corner[1] + k] +
                   weight[2] * positions[3 * (size_t)corner[2] + k];
}

/* A right-handed frame on a triangle: along its first edge, its normal, across both. */
static void frame_of(const float *positions, const uint32_t *corner, float frame[3][3])
{
    float e[3], f[3];
    subtract(&positions[3 * (size_t)corner[1]], &positions[3 * (size_t)corner[0]], e);
    subtract(&positions[3 * (size_t)corner[2]], &positions[3 * (size_t)corner[0]], f);
    const float n[3] = {
        e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    float el = sqrtf(dot(e, e)), nl = sqrtf(dot(n, n));
    for (int k = 0; k < 3; k++) {
        frame[0][k] = el > 0 ? e[k] / el : k == 0;
        frame[1][k] = nl > 0 ? n[k] / nl : k == 1;
    }
    const float *x = frame[0], *y = frame[1];
    const float z[3] = {
        x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
    memcpy(frame[2], z, sizeof z);
}

static ball *make_balls(
    cloth_scene_reader *reader, hed_json_node node, const cloth_body *body, float *largest)
{
    ball *balls = cloth_scene_allocate(reader, node, body->triangle_count, sizeof *balls);
    *largest = 0;
    for (uint32_t t = 0; balls && t < body->triangle_count; t++) {
        const uint32_t *corner = &body->triangles[3 * (size_t)t];
        weighted(
            body->rest, corner, (const float[3]){1.0f / 3, 1.0f / 3, 1.0f / 3}, balls[t].centre);
        for (int c = 0; c < 3; c++) {
            float away[3];
            subtract(&body->rest[3 * (size_t)corner[c]], balls[t].centre, away);
            balls[t].radius = fmaxf(balls[t].radius, sqrtf(dot(away, away)));
        }
        balls[t].triangle = t;
        *largest = fmaxf(*largest, balls[t].radius);
    }
    if (balls) qsort(balls, body->triangle_count, sizeof *balls, by_x);
    return balls;
}

/* Looks at one triangle; keeps it if it is nearer than `*best`. */
static void try_triangle(const cloth_body *body, const ball *candidate, const float *point,
    float *best, cloth_hold *hold)
{
    float away[3], weight[3], place[3];
    const uint32_t *corner = &body->triangles[3 * (size_t)candidate->triangle];
    subtract(point, candidate->centre, away);
    if (sqrtf(dot(away, away)) - candidate->radius >= *best) return;
    nearest_weights(point, &body->rest[3 * (size_t)corner[0]], &body->rest[3 * (size_t)corner[1]],
        &body->rest[3 * (size_t)corner[2]], weight);
    weighted(body->rest, corner, weight, place);
    subtract(point, place, away);
    float distance = sqrtf(dot(away, away));
    if (distance >= *best) return;
    *best = distance;
    hold->triangle = candidate->triangle;
    memcpy(hold->weight, weight, sizeof weight);
    float frame[3][3];
    frame_of(body->rest, corner, frame);
    for (int k = 0; k < 3; k++) hold->offset[k] = dot(frame[k], away);
}

const cloth_hold *cloth_body_hold(cloth_scene_reader *reader, hed_json_node node,
    const cloth_body *body, const float *points, uint32_t count)
{
    float largest;
    const ball *balls = make_balls(reader, node, body, &largest);
    cloth_hold *holds = cloth_scene_allocate(reader, node, count, sizeof *holds);
    if (!balls || !holds) return NULL;
    uint32_t last = body->triangle_count, middle = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *point = &points[3 * (size_t)i];
        float best = INFINITY;
        /* From the point's own x outwards to both sides, until nothing further out can be
         * nearer. */
        uint32_t low = 0, high = last;
        while (low < high) {
            middle = low + (high - low) / 2;
            if (balls[middle].centre[0] < point[0]) low = middle + 1;
            else high = middle;
        }
        for (uint32_t up = low, down = low;;) {
            bool more = up < last && balls[up].centre[0] - point[0] - largest < best;
            bool less = down > 0 && point[0] - balls[down - 1].centre[0] - largest < best;
            if (!more && !less) break;
            if (more) try_triangle(body, &balls[up++], point, &best, &holds[i]);
            if (less) try_triangle(body, &balls[--down], point, &best, &holds[i]);
        }
    }
    return holds;
}

void cloth_body_follow(
    const cloth_body *body, const cloth_hold *hold, float point[3], float normal[3])
{
    const uint32_t *corner = &body->triangles[3 * (size_t)hold->triangle];
    float frame[3][3];
    weighted(body->now, corner, hold->weight, point);
    frame_of(body->now, corner, frame);
    for (int k = 0; k < 3; k++)
        point[k] += hold->offset[0] * frame[0][k] + hold->offset[1] * frame[1][k] +
                    hold->offset[2] * frame[2][k];
    if (!normal) return;
    weighted(body->normals, corner, hold->weight, normal);
    float length = sqrtf(dot(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] = length > 0 ? normal[k] / length : frame[1][k];
}
