/* Sign of an orientation; see orient.h. */
#include "model/orient.h"

#include <math.h>

/* Sum without error: doubles that do not overlap, the largest last (Shewchuk, theorem 10). */
typedef struct expansion {
    double part[200]; /* 6 triple products of differences of two parts: at most 192 */
    int count;
} expansion;

static void expansion_add(expansion *sum, double value)
{
    int count = 0;
    for (int i = 0; i < sum->count; i++) {
        double part = sum->part[i], total = value + part, virtual_part = total - value;
        double rounding = (value - (total - virtual_part)) + (part - virtual_part);
        if (rounding != 0) sum->part[count++] = rounding;
        value = total;
    }
    if (value != 0 || count == 0) sum->part[count++] = value;
    sum->count = count;
}

/* Adds a product of three numbers, whose four parts are exact. */
static void expansion_add_product(expansion *sum, double a, double b, double c)
{
    if (a == 0 || b == 0 || c == 0) return;
    double high = a * b, low = fma(a, b, -high);
    double outer = high * c, inner = low * c;
    expansion_add(sum, fma(low, c, -inner));
    expansion_add(sum, inner);
    expansion_add(sum, fma(high, c, -outer));
    expansion_add(sum, outer);
}

/* Computes a - b as two doubles. */
static void exact_difference(double a, double b, double parts[2])
{
    double total = a - b, virtual_b = a - total;
    parts[0] = total;
    parts[1] = (a - (total + virtual_b)) + (virtual_b - b);
}

static int orient_exactly(
    const double a[3], const double b[3], const double c[3], const double d[3])
{
    static const int order[6][3] = {
        {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    const double *corner[3] = {a, b, c};
    double way[3][3][2];
    expansion sum = {.count = 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) exact_difference(corner[i][k], d[k], way[i][k]);
    for (int term = 0; term < 6; term++)
        for (int part = 0; part < 8; part++) {
            double x = way[0][order[term][0]][part & 1], y = way[1][order[term][1]][part >> 1 & 1],
                   z = way[2][order[term][2]][part >> 2];
            expansion_add_product(&sum, term < 3 ? x : -x, y, z);
        }
    double largest = sum.count ? sum.part[sum.count - 1] : 0;
    return (largest > 0) - (largest < 0);
}

int cloth_orient(
    const double a[3], const double b[3], const double c[3], const double d[3], uint64_t *exact)
{
    static const double bound = (7 + 56 * 0x1p-53) * 0x1p-53;
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = a[k] - d[k];
        v[k] = b[k] - d[k];
        w[k] = c[k] - d[k];
    }
    double vw = v[0] * w[1], wv = w[0] * v[1], wu = w[0] * u[1], uw = u[0] * w[1], uv = u[0] * v[1],
           vu = v[0] * u[1];
    double value = u[2] * (vw - wv) + v[2] * (wu - uw) + w[2] * (uv - vu);
    double size = (fabs(vw) + fabs(wv)) * fabs(u[2]) + (fabs(wu) + fabs(uw)) * fabs(v[2]) +
                  (fabs(uv) + fabs(vu)) * fabs(w[2]);
    if (fabs(value) > bound * size) return value > 0 ? 1 : -1;
    if (size == 0) return 0;
    ++*exact;
    return orient_exactly(a, b, c, d);
}
