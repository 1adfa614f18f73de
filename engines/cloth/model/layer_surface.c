/* Sides of a surface under garments; see layer_surface.h. The normal of the nearest face, edge or
 * corner decides the side of a point (angle-weighted: Baerentzen and Aanaes, Signed Distance
 * Computation Using the Angle Weighted Pseudonormal, 2005). */
#include "model/layer_surface.h"

#include "support/strict_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* maximum distance to a part of a surface that faces as the cloth does, / that to the nearest one */
static const float OPPOSITE = 4;

/* ---- sides of a surface ---- */

static void corner_place(const layer_surface *surface, uint32_t corner, float place[3])
{
    memcpy(place, &surface->search.positions[3 * (size_t)surface->search.triangles[corner]],
        3 * sizeof *place);
}

/* Edge by the positions of its ends (sides of a texture's seam are one surface), and the
 * triangle and corner opposite to it. */
typedef struct layer_edge {
    float ends[2][3]; /* sorted by position */
    uint32_t triangle, corner;
} layer_edge;

/* Corner by its position. */
typedef struct layer_corner {
    float place[3];
    uint32_t triangle, corner;
} layer_corner;

static int compare_vectors(const float *a, const float *b, int count)
{
    for (int k = 0; k < count; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Compares triangles at one position by number: so sums over them have the same bits with every
 * qsort(). */
static int compare_in_triangles(uint32_t a, uint32_t corner_a, uint32_t b, uint32_t corner_b)
{
    if (a != b) return a < b ? -1 : 1;
    return (corner_a > corner_b) - (corner_a < corner_b);
}

static int compare_layer_edges(const void *left, const void *right)
{
    const layer_edge *a = left, *b = right;
    int ends = compare_vectors(a->ends[0], b->ends[0], 6);
    return ends ? ends : compare_in_triangles(a->triangle, a->corner, b->triangle, b->corner);
}

static int compare_layer_corners(const void *left, const void *right)
{
    const layer_corner *a = left, *b = right;
    int place = compare_vectors(a->place, b->place, 3);
    return place ? place : compare_in_triangles(a->triangle, a->corner, b->triangle, b->corner);
}

void layer_scale_to_one(float v[3])
{
    float length = sqrtf(cloth_dot3(v, v));
    for (int k = 0; k < 3; k++) v[k] = length > 0 ? v[k] / length : 0;
}

/* Computes the face's normal; returns the angle of a corner. */
static float side_of_face(layer_surface *surface, uint32_t triangle, uint32_t corner)
{
    float p[3][3], e[3], f[3], *n = surface->normals[triangle][0];
    for (uint32_t c = 0; c < 3; c++) corner_place(surface, 3 * triangle + (corner + c) % 3, p[c]);
    cloth_subtract3(p[1], p[0], e);
    cloth_subtract3(p[2], p[0], f);
    n[0] = e[1] * f[2] - e[2] * f[1];
    n[1] = e[2] * f[0] - e[0] * f[2];
    n[2] = e[0] * f[1] - e[1] * f[0];
    float angle = (float)hed_strict_atan2(sqrtf(cloth_dot3(n, n)), cloth_dot3(e, f));
    layer_scale_to_one(n);
    return angle;
}

/* Sets the normals of edges: of all edges at one position the sum of the faces' normals, or 0 at
 * a border. */
static void sides_of_edges(layer_surface *surface, layer_edge *edges, uint32_t count)
{
    qsort(edges, count, sizeof *edges, compare_layer_edges);
    for (uint32_t first = 0, last; first < count; first = last) {
        float sum[3] = {0};
        for (last = first;
             last < count && !compare_vectors(edges[first].ends[0], edges[last].ends[0], 6); last++)
            for (int k = 0; k < 3; k++) sum[k] += surface->normals[edges[last].triangle][0][k];
        bool border = last - first == 1;
        for (uint32_t i = first; i < last; i++)
            for (int k = 0; k < 3; k++)
                surface->normals[edges[i].triangle][1 + edges[i].corner][k] = border ? 0 : sum[k];
    }
}

static void sides_of_corners(
    layer_surface *surface, layer_corner *corners, const float *angles, uint32_t count)
{
    qsort(corners, count, sizeof *corners, compare_layer_corners);
    for (uint32_t first = 0, last; first < count; first = last) {
        float sum[3] = {0};
        bool border = false;
        for (last = first;
             last < count && !compare_vectors(corners[first].place, corners[last].place, 3);
             last++) {
            const layer_corner *c = &corners[last];
            float(*sides)[3] = surface->normals[c->triangle];
            for (int k = 0; k < 3; k++) sum[k] += angles[3 * c->triangle + c->corner] * sides[0][k];
            /* the two edges that meet in the corner */
            for (uint32_t step = 1; step < 3; step++) {
                const float *edge = sides[1 + (c->corner + step) % 3];
                border |= cloth_dot3(edge, edge) == 0;
            }
        }
        for (uint32_t i = first; i < last; i++)
            for (int k = 0; k < 3; k++)
                surface->normals[corners[i].triangle][4 + corners[i].corner][k] =
                    border ? 0 : sum[k];
    }
}

static void set_bounds(layer_surface *surface)
{
    for (uint32_t corner = 0; corner < 3 * surface->seen.triangle_count; corner++) {
        float place[3];
        corner_place(surface, corner, place);
        for (int k = 0; k < 3; k++) {
            surface->low[k] = corner ? fminf(surface->low[k], place[k]) : place[k];
            surface->high[k] = corner ? fmaxf(surface->high[k], place[k]) : place[k];
        }
    }
}

hed_status layer_surface_open(layer_surface *surface, hed_arena *arena, hed_error *error)
{
    uint32_t count = surface->seen.triangle_count;
    surface->search = (cloth_search){.positions = surface->seen.positions,
        .triangles = surface->seen.triangles,
        .triangle_count = count,
        .balls = hed_arena_new(arena, count, sizeof *surface->search.balls, error)};
    surface->normals = hed_arena_new(arena, count, sizeof *surface->normals, error);
    hed_arena scratch = {.owner = arena->owner};
    layer_edge *edges = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *edges, error);
    layer_corner *corners = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *corners, error);
    float *angles = hed_arena_new(&scratch, 3 * (uint64_t)count, sizeof *angles, error);
    for (uint32_t i = 0; !error->status && i < 3 * count; i++) {
        uint32_t triangle = i / 3, corner = i % 3;
        angles[i] = side_of_face(surface, triangle, corner);
        corners[i].triangle = edges[i].triangle = triangle;
        corners[i].corner = edges[i].corner = corner;
        corner_place(surface, i, corners[i].place);
        for (uint32_t end = 0; end < 2; end++)
            corner_place(surface, 3 * triangle + (corner + 1 + end) % 3, edges[i].ends[end]);
        float turned[3];
        if (compare_vectors(edges[i].ends[0], edges[i].ends[1], 3) > 0) {
            memcpy(turned, edges[i].ends[0], sizeof turned);
            memcpy(edges[i].ends[0], edges[i].ends[1], sizeof turned);
            memcpy(edges[i].ends[1], turned, sizeof turned);
        }
    }
    if (!error->status) {
        set_bounds(surface);
        sides_of_edges(surface, edges, 3 * count);
        sides_of_corners(surface, corners, angles, 3 * count);
        cloth_search_sort(&surface->search);
    }
    hed_arena_free(&scratch);
    return error->status;
}

/* ---- heights ---- */

/* Returns the normal of the face, edge or corner at a nearest point. */
static const float *nearest_normal(const layer_surface *surface, const cloth_nearest *nearest)
{
    uint32_t zeros = 0, zero = 0, last_corner = 0;
    for (uint32_t c = 0; c < 3; c++) {
        if (nearest->weight[c] > 0) {
            last_corner = c;
        } else {
            zero = c;
            zeros++;
        }
    }
    return surface->normals[nearest->triangle][zeros == 0   ? 0
                                               : zeros == 1 ? 1 + zero
                                                            : 4 + last_corner];
}

float layer_surface_room(const layer_surface *surface, const float *point, uint32_t guess,
    float height, const float out[3], float clearance)
{
    float place[3];
    cloth_nearest nearest = {.triangle = guess, .distance = 0.99f * clearance};
    for (int k = 0; k < 3; k++) place[k] = point[k] + (clearance - height) * out[k];
    cloth_search_nearest(&surface->search, place, &nearest);
    float gap = clearance - cloth_dot3(nearest.away, out);
    bool faces = nearest.distance < 0.99f * clearance &&
                 cloth_dot3(surface->normals[nearest.triangle][0], out) < -0.5f;
    return faces ? fminf(clearance, fmaxf(gap, 0) / 3) : clearance;
}

bool layer_surface_height(const layer_surface *surface, const float *point, const float *facing,
    uint32_t *guess, float *height, float out[3])
{
    cloth_nearest nearest = {.triangle = *guess, .distance = INFINITY};
    cloth_search_nearest(&surface->search, point, &nearest);
    *guess = nearest.triangle;
    const float *normal = nearest_normal(surface, &nearest);
    bool within = cloth_dot3(normal, nearest.away) < 0;
    if (within && facing && cloth_dot3(normal, facing) < 0) {
        cloth_nearest opposite = {.triangle = nearest.triangle,
            .facing = facing,
            .distance = OPPOSITE * nearest.distance + surface->search.largest};
        float farthest = opposite.distance;
        cloth_search_nearest(&surface->search, point, &opposite);
        bool exists = opposite.distance < farthest &&
                      cloth_dot3(nearest_normal(surface, &opposite), opposite.away) < 0;
        if (exists) nearest = opposite;
        normal = nearest_normal(surface, &nearest);
    }
    if (cloth_dot3(normal, normal) == 0) return false;
    *height = within ? -nearest.distance : nearest.distance;
    /* rounding decides the direction on the surface */
    bool on = nearest.distance < 0.01f * surface->search.largest;
    memcpy(out, on ? normal : nearest.away, 3 * sizeof *out);
    layer_scale_to_one(out);
    for (int k = 0; k < 3 && within && !on; k++) out[k] = -out[k];
    return true;
}
