/* Vectors of the rest shape, in double. */
#ifndef CLOTH_PLANE_H
#define CLOTH_PLANE_H

/* Computes a - b. */
static inline void cloth_between(const float *a, const float *b, double way[3])
{
    for (int k = 0; k < 3; k++) way[k] = (double)a[k] - b[k];
}

/* Computes the inner product. */
static inline double cloth_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Computes a x b. */
static inline void cloth_cross(const double a[3], const double b[3], double product[3])
{
    for (int k = 0; k < 3; k++)
        product[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

#endif
