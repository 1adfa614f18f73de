/* Weights of a mesh's constraints round one particle, so that together they have the energy of a
 * fabric: non-negative least squares by coordinate descent (Franc, Hlavac and Navara, Sequential
 * Coordinate-wise Algorithm for the Non-negative Least Squares Problem, 2005). Candidates that are
 * the same to the fit share one weight, so that what is symmetric stays so. */
#include "model/garment.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 400 };
#define SAME 1e-4       /* relative distance of rows that count as one */
#define NEGLIGIBLE 0.01 /* share of the largest, of a weight that is left out */

static double row_product(const double a[CLOTH_FIT_TERMS], const double b[CLOTH_FIT_TERMS])
{
    double sum = 0;
    for (int t = 0; t < CLOTH_FIT_TERMS; t++) sum += a[t] * b[t];
    return sum;
}

/* The first row that is the same as row k. */
static uint32_t first_alike(double (*rows)[CLOTH_FIT_TERMS], uint32_t k)
{
    uint32_t first = 0;
    for (; first < k; first++) {
        double apart[CLOTH_FIT_TERMS];
        for (int t = 0; t < CLOTH_FIT_TERMS; t++) apart[t] = rows[k][t] - rows[first][t];
        if (row_product(apart, apart) < SAME * SAME * row_product(rows[k], rows[k])) break;
    }
    return first;
}

void cloth_fit(uint32_t count, double (*rows)[CLOTH_FIT_TERMS],
    const double target[CLOTH_FIT_TERMS], double *weights)
{
    double left[CLOTH_FIT_TERMS], square[CLOTH_FIT_MOST], alike[CLOTH_FIT_MOST] = {0}, largest = 0;
    uint32_t first[CLOTH_FIT_MOST];
    memcpy(left, target, sizeof left);
    for (uint32_t k = 0; k < count; k++) {
        first[k] = first_alike(rows, k);
        alike[first[k]]++;
        weights[k] = 0;
        square[k] = row_product(rows[k], rows[k]);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (!(square[k] > 0) || first[k] != k) continue;
            double step = row_product(rows[k], left) / (alike[k] * square[k]),
                   more = fmax(0, weights[k] + step) - weights[k];
            for (int t = 0; t < CLOTH_FIT_TERMS; t++) left[t] -= alike[k] * more * rows[k][t];
            weights[k] += more;
            change = fmax(change, more * more * square[k]);
        }
        if (change <= 1e-14 * row_product(target, target)) break;
    }
    for (uint32_t k = 0; k < count; k++) {
        weights[k] = weights[first[k]];
        largest = fmax(largest, weights[k] * sqrt(square[k]));
    }
    for (uint32_t k = 0; k < count; k++)
        if (weights[k] * sqrt(square[k]) < NEGLIGIBLE * largest) weights[k] = 0;
}

/* ---- surroundings ---- */

static void subtract(const float *a, const float *b, double way[3])
{
    for (int k = 0; k < 3; k++) way[k] = (double)a[k] - b[k];
}

static double inner(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void outer(const double a[3], const double b[3], double product[3])
{
    for (int k = 0; k < 3; k++)
        product[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The sum of the triangles' normals, twice their area long. */
static double find_normal(const cloth_garment *garment, uint32_t particle, double normal[3])
{
    double area = 0;
    memset(normal, 0, 3 * sizeof *normal);
    for (uint32_t q = garment->incident_at[particle]; q < garment->incident_at[particle + 1]; q++) {
        const uint32_t *v = garment->triangles[garment->incident[q]];
        double a[3], b[3], n[3];
        subtract(garment->rest[v[1]], garment->rest[v[0]], a);
        subtract(garment->rest[v[2]], garment->rest[v[0]], b);
        outer(a, b, n);
        for (int k = 0; k < 3; k++) normal[k] += n[k];
        area += sqrt(inner(n, n)) / 6;
    }
    return area;
}

/* `axis` in the plane of a unit normal, of length 1; where it stands on the plane, another one. */
static void find_warp(const float *axis, const double normal[3], double warp[3])
{
    static const double others[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    double asked[3] = {axis[0], axis[1], axis[2]}, size = sqrt(inner(asked, asked));
    for (int k = size > 0 ? -1 : 0; k < 3; k++) {
        double along = 0, square = 0;
        for (int j = 0; j < 3; j++) warp[j] = k < 0 ? asked[j] / size : others[k][j];
        along = inner(warp, normal);
        for (int j = 0; j < 3; j++) warp[j] -= along * normal[j];
        square = inner(warp, warp);
        if (square < 0.01) continue;
        for (int j = 0; j < 3; j++) warp[j] /= sqrt(square);
        return;
    }
}

void cloth_ring_make(const cloth_garment *garment, const float warp_axis[3], uint32_t particle,
    const uint32_t *around_at, const uint32_t *around, cloth_ring *ring)
{
    double normal[3], warp[3], weft[3];
    ring->count = 0;
    ring->area = find_normal(garment, particle, normal);
    double size = sqrt(inner(normal, normal));
    if (!(size > 0)) return;
    for (int k = 0; k < 3; k++) normal[k] /= size;
    find_warp(warp_axis, normal, warp);
    outer(normal, warp, weft);
    for (uint32_t q = around_at[particle];
         q < around_at[particle + 1] && ring->count < CLOTH_FIT_MOST; q++) {
        const hed_cloth_constraint *c = garment->constraints + around[q];
        uint32_t other = c->a == particle ? c->b : c->a;
        double way[3];
        subtract(garment->rest[other], garment->rest[particle], way);
        double u = inner(way, warp), v = inner(way, weft), flat = sqrt(u * u + v * v);
        if (!(flat > 0)) continue;
        double longer = sqrt(inner(way, way)) / flat;
        ring->constraint[ring->count] = around[q];
        ring->neighbour[ring->count] = other;
        ring->at[ring->count][0] = u * longer;
        ring->at[ring->count++][1] = v * longer;
    }
}

bool cloth_ring_is_woven(const cloth_ring *ring)
{
    uint32_t along[2] = {0};
    for (uint32_t k = 0; k < ring->count; k++)
        for (int axis = 0; axis < 2; axis++)
            along[axis] += fabs(ring->at[k][!axis]) < 0.1 * fabs(ring->at[k][axis]);
    return along[0] && along[1] && along[0] + along[1] > 2;
}

void cloth_triangle_corners(
    const cloth_garment *garment, const float warp_axis[3], uint32_t triangle, double at[3][2])
{
    const uint32_t *v = garment->triangles[triangle];
    double way[3][3] = {{0}}, normal[3], warp[3] = {0}, weft[3];
    for (int k = 1; k < 3; k++) subtract(garment->rest[v[k]], garment->rest[v[0]], way[k]);
    outer(way[1], way[2], normal);
    double size = sqrt(inner(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] /= size > 0 ? size : 1;
    find_warp(warp_axis, normal, warp);
    outer(normal, warp, weft);
    for (int k = 0; k < 3; k++) {
        at[k][0] = inner(way[k], warp);
        at[k][1] = inner(way[k], weft);
    }
}

double cloth_painted(const float *map, const uint32_t *particles, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; map && k < count; k++) sum += map[particles[k]];
    return map ? sum / count : 1;
}
