/* Bodies of triangles, and a judge of cloth against them in double precision: an edge of one that
 * passes through a triangle of the other. */
#ifndef HED_TESTS_CLOTH_BODIES_H
#define HED_TESTS_CLOTH_BODIES_H

#include "cloth_contacts.h"

enum { BODY_VERTICES = 4096, BODY_TRIANGLES = 8192 };

typedef struct body {
    uint32_t vertex_count, triangle_count;
    float (*positions)[3], (*before)[3];
    uint32_t (*triangles)[3];
} body;

static inline body body_make(void)
{
    body b = {0};
    b.positions = calloc(BODY_VERTICES, sizeof *b.positions);
    b.before = calloc(BODY_VERTICES, sizeof *b.before);
    b.triangles = calloc(BODY_TRIANGLES, sizeof *b.triangles);
    return b;
}

static inline void body_free(body *b)
{
    free(b->positions);
    free(b->before);
    free(b->triangles);
}

static inline uint32_t body_vertex(body *b, double x, double y, double z)
{
    float *at = b->positions[b->vertex_count];
    at[0] = (float)x;
    at[1] = (float)y;
    at[2] = (float)z;
    return b->vertex_count++;
}

static inline void body_triangle(body *b, uint32_t i, uint32_t j, uint32_t k)
{
    memcpy(b->triangles[b->triangle_count++], (uint32_t[]){i, j, k}, 12);
}

static inline void body_quad(body *b, uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    body_triangle(b, i, j, k);
    body_triangle(b, i, k, l);
}

/* Two vectors across a direction, which with it are right-handed. */
static inline void across(const double d[3], double u[3], double v[3])
{
    double length = 0, least = fabs(d[0]) < 0.6 * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double axis[3] = {least, 1 - least, 0};
    for (int k = 0; k < 3; k++)
        u[k] = d[(k + 1) % 3] * axis[(k + 2) % 3] - d[(k + 2) % 3] * axis[(k + 1) % 3];
    for (int k = 0; k < 3; k++) length += u[k] * u[k];
    for (int k = 0; k < 3; k++) u[k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        v[k] = d[(k + 1) % 3] * u[(k + 2) % 3] - d[(k + 2) % 3] * u[(k + 1) % 3];
    length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] /= length;
}

/* A closed frustum from a to b with radii ra and rb, whose corners are on the circles; radius 0 is a
 * tip. */
static inline void body_frustum(
    body *b, const double from[3], double ra, const double to[3], double rb, uint32_t sides)
{
    double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, u[3], v[3];
    across(d, u, v);
    uint32_t first[2], centre[2];
    for (int end = 0; end < 2; end++) {
        const double *c = end ? to : from;
        double radius = end ? rb : ra;
        centre[end] = body_vertex(b, c[0], c[1], c[2]);
        first[end] = b->vertex_count;
        for (uint32_t i = 0; i < sides && radius > 0; i++) {
            double turn = 2 * M_PI * i / sides, x = radius * cos(turn), y = radius * sin(turn);
            body_vertex(b, c[0] + x * u[0] + y * v[0], c[1] + x * u[1] + y * v[1],
                c[2] + x * u[2] + y * v[2]);
        }
    }
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t next = (i + 1) % sides;
        uint32_t a = first[0] + i, a1 = first[0] + next, c = first[1] + i, c1 = first[1] + next;
        if (ra > 0) body_triangle(b, centre[0], a1, a);
        if (rb > 0) body_triangle(b, centre[1], c, c1);
        if (ra > 0 && rb > 0) body_quad(b, a, a1, c1, c);
        else if (ra > 0) body_triangle(b, a, a1, centre[1]);
        else body_triangle(b, centre[0], c1, c);
    }
}

static inline void body_box(body *b, const double low[3], const double high[3])
{
    static const uint32_t faces[6][4] = {
        {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = b->vertex_count;
    for (uint32_t i = 0; i < 8; i++)
        body_vertex(
            b, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    for (int f = 0; f < 6; f++)
        body_quad(
            b, first + faces[f][0], first + faces[f][1], first + faces[f][2], first + faces[f][3]);
}

/* A torus whose axis is y. */
static inline void body_ring(body *b, const double centre[3], double radius, double thin)
{
    enum { AROUND = 32, SIDES = 8 };
    uint32_t first = b->vertex_count;
    for (uint32_t i = 0; i < AROUND; i++)
        for (uint32_t j = 0; j < SIDES; j++) {
            double turn = 2 * M_PI * i / AROUND, tilt = 2 * M_PI * j / SIDES,
                   r = radius + thin * cos(tilt);
            body_vertex(b, centre[0] + r * cos(turn), centre[1] + thin * sin(tilt),
                centre[2] + r * sin(turn));
        }
    for (uint32_t i = 0; i < AROUND; i++)
        for (uint32_t j = 0; j < SIDES; j++) {
            uint32_t i1 = (i + 1) % AROUND, j1 = (j + 1) % SIDES;
            body_quad(b, first + i * SIDES + j, first + i * SIDES + j1, first + i1 * SIDES + j1,
                first + i1 * SIDES + j);
        }
}

/* A bowl that is open above, with walls of 3 mm and a sharp rim. */
static inline void body_bowl(body *b, const double centre[3], double radius)
{
    enum { AROUND = 32, DOWN = 8 };
    uint32_t first[2];
    for (int inner = 0; inner < 2; inner++) {
        double r = radius - 0.003 * inner;
        first[inner] = b->vertex_count;
        for (uint32_t d = 0; d < DOWN; d++)
            for (uint32_t i = 0; i < AROUND; i++) {
                double down = 0.5 * M_PI * d / DOWN, turn = 2 * M_PI * i / AROUND;
                body_vertex(b, centre[0] + r * cos(down) * cos(turn), centre[1] - r * sin(down),
                    centre[2] + r * cos(down) * sin(turn));
            }
        uint32_t bottom = body_vertex(b, centre[0], centre[1] - r, centre[2]);
        for (uint32_t i = 0; i < AROUND; i++) {
            uint32_t i1 = (i + 1) % AROUND, at = first[inner];
            for (uint32_t d = 0; d + 1 < DOWN; d++) {
                uint32_t p = at + d * AROUND, q = p + AROUND;
                if (inner) body_quad(b, p + i, q + i, q + i1, p + i1);
                else body_quad(b, p + i, p + i1, q + i1, q + i);
            }
            at += (DOWN - 1) * AROUND;
            if (inner) body_triangle(b, at + i, bottom, at + i1);
            else body_triangle(b, at + i, at + i1, bottom);
        }
    }
    for (uint32_t i = 0; i < AROUND; i++) {
        uint32_t i1 = (i + 1) % AROUND;
        body_quad(b, first[0] + i, first[1] + i, first[1] + i1, first[0] + i1);
    }
}

static inline void body_move(body *b, double x, double y, double z)
{
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        b->positions[v][0] += (float)x;
        b->positions[v][1] += (float)y;
        b->positions[v][2] += (float)z;
    }
}

static inline hed_cloth_mesh_collider body_collider(const body *b)
{
    return (hed_cloth_mesh_collider){
        b->vertex_count, b->triangle_count, b->positions[0], b->triangles[0], 0.3f, NULL};
}

/* ---- the judge ---- */

/* Six volumes of the tetrahedron a b c d. */
static inline double judge_volume(const float *a, const float *b, const float *c, const float *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k];
        v[k] = (double)c[k] - a[k];
        w[k] = (double)d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static inline bool judge_pierces(
    const float *p, const float *q, const float *a, const float *b, const float *c)
{
    if ((judge_volume(a, b, c, p) > 0) == (judge_volume(a, b, c, q) > 0)) return false;
    bool side = judge_volume(p, q, a, b) > 0;
    return (judge_volume(p, q, b, c) > 0) == side && (judge_volume(p, q, c, a) > 0) == side;
}

static inline void judge_box(float (*at)[3], const uint32_t t[3], float low[3], float high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = fminf(at[t[0]][k], fminf(at[t[1]][k], at[t[2]][k]));
        high[k] = fmaxf(at[t[0]][k], fmaxf(at[t[1]][k], at[t[2]][k]));
    }
}

/* Number of pairs of triangles of a sheet and of a body that pass through each other. */
static inline uint32_t judge_count(const sheet *s, float (*cloth)[3], const body *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * s->def.quad_count; i++) {
        const uint32_t *q = s->quads[i / 2];
        const uint32_t t[3] = {q[0], q[1 + i % 2], q[2 + i % 2]};
        float low[3], high[3], body_low[3], body_high[3];
        judge_box(cloth, t, low, high);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            const uint32_t *o = b->triangles[j];
            bool apart = false, crosses = false;
            judge_box(b->positions, o, body_low, body_high);
            for (int k = 0; k < 3; k++) apart |= low[k] > body_high[k] || body_low[k] > high[k];
            for (int k = 0; k < 3 && !apart; k++) {
                crosses |= judge_pierces(cloth[t[k]], cloth[t[(k + 1) % 3]], b->positions[o[0]],
                    b->positions[o[1]], b->positions[o[2]]);
                crosses |= judge_pierces(b->positions[o[k]], b->positions[o[(k + 1) % 3]],
                    cloth[t[0]], cloth[t[1]], cloth[t[2]]);
            }
            count += crosses;
        }
    }
    return count;
}

#endif
