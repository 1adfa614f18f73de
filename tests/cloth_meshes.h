/* Sheets and meshes for tests of the cloth: the arrays and a definition that points at them. */
#ifndef HED_TESTS_CLOTH_MESHES_H
#define HED_TESTS_CLOTH_MESHES_H

#include <math.h>
#include <stdlib.h>

#include "heddle/cloth.h"

typedef struct test_mesh {
    hed_cloth_garment_def def;
    float *positions, *inverse_masses;
    uint32_t *triangles;
} test_mesh;

static inline void test_mesh_free(test_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->inverse_masses);
    free(mesh->triangles);
}

static inline test_mesh test_mesh_of(uint32_t particles, uint32_t triangles)
{
    test_mesh mesh = {.def = hed_default_cloth_garment_def(),
        .positions = calloc(particles, 3 * sizeof(float)),
        .inverse_masses = calloc(particles, sizeof(float)),
        .triangles = calloc(triangles ? triangles : 1, 3 * sizeof(uint32_t))};
    mesh.def.particle_count = particles;
    mesh.def.positions = mesh.positions;
    mesh.def.inverse_masses = mesh.inverse_masses;
    mesh.def.triangle_count = triangles;
    mesh.def.triangles = triangles ? mesh.triangles : NULL;
    for (uint32_t i = 0; i < particles; i++) mesh.inverse_masses[i] = 1.0f;
    return mesh;
}

/* A grid in the xz plane, 2 m wide, its first two corners locked. */
static inline test_mesh test_grid(uint32_t width, uint32_t height)
{
    test_mesh mesh = test_mesh_of(width * height, 0);
    float step = 2.0f / (float)(width > 1 ? width - 1 : 1);
    for (uint32_t i = 0; i < width * height; i++) {
        mesh.positions[3 * i] = (float)(i % width) * step - 1.0f;
        mesh.positions[3 * i + 2] = (float)(i / width) * step - 1.0f;
    }
    mesh.inverse_masses[0] = mesh.inverse_masses[width - 1] = 0.0f;
    mesh.def.grid_width = width;
    mesh.def.grid_height = height;
    return mesh;
}

static inline float test_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

/* n x n particles, numbered at random, jittered by `jitter` of a cell in the plane and a fifth of
 * that out of it; cells cut along random diagonals; inverse masses from 0.5 to 1.5, two corners
 * locked. */
static inline test_mesh test_irregular(uint32_t n, uint32_t seed, float jitter)
{
    test_mesh mesh = test_mesh_of(n * n, 2 * (n - 1) * (n - 1));
    uint32_t *id = calloc(n * n, sizeof *id), *corner = mesh.triangles;
    for (uint32_t k = 0; k < n * n; k++) id[k] = k;
    for (uint32_t k = n * n; k > 1; k--) {
        uint32_t other = (uint32_t)(test_random(&seed) * (float)k), kept = id[k - 1];
        id[k - 1] = id[other];
        id[other] = kept;
    }
    float step = 2.0f / (float)(n - 1);
    for (uint32_t k = 0; k < n * n; k++) {
        float *p = mesh.positions + 3 * id[k];
        p[0] = ((float)(k % n) + jitter * (test_random(&seed) - 0.5f)) * step - 1.0f;
        p[1] = 0.2f * jitter * step * test_random(&seed);
        p[2] = ((float)(k / n) + jitter * (test_random(&seed) - 0.5f)) * step - 1.0f;
        mesh.inverse_masses[id[k]] = 0.5f + test_random(&seed);
    }
    for (uint32_t k = 0; k < n * n; k++) {
        if (k % n == n - 1 || k / n == n - 1) continue;
        uint32_t a = id[k], b = id[k + 1], c = id[k + n], d = id[k + n + 1];
        const uint32_t cuts[2][6] = {{a, d, b, a, c, d}, {a, c, b, b, c, d}};
        memcpy(corner, cuts[test_random(&seed) < 0.5f], sizeof cuts[0]);
        corner += 6;
    }
    mesh.inverse_masses[id[0]] = mesh.inverse_masses[id[n - 1]] = 0.0f;
    free(id);
    return mesh;
}

/* A hub in the middle of `count` triangles, slightly of a cone. */
static inline test_mesh test_fan(uint32_t count)
{
    test_mesh mesh = test_mesh_of(count + 1, count);
    for (uint32_t k = 0; k < count; k++) {
        float angle = 6.2831853f * (float)k / (float)count;
        float *p = mesh.positions + 3 * (k + 1);
        p[0] = cosf(angle), p[1] = 0.1f, p[2] = sinf(angle);
        uint32_t *corner = mesh.triangles + 3 * k;
        corner[0] = 0, corner[1] = 1 + (k + 1) % count, corner[2] = 1 + k;
    }
    return mesh;
}

/* A sleeve of radius 1 m and `height` m around y, as triangles; particle row * around + column. The
 * first one is locked. */
static inline test_mesh test_sleeve(uint32_t around, uint32_t rows, float height)
{
    test_mesh mesh = test_mesh_of(around * rows, 2 * around * (rows - 1));
    uint32_t *corner = mesh.triangles;
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < around; x++) {
            float angle = 6.2831853f * (float)x / (float)around;
            float *p = mesh.positions + 3 * (y * around + x);
            p[0] = cosf(angle), p[1] = height * (float)y / (float)(rows - 1), p[2] = sinf(angle);
            if (y + 1 == rows) continue;
            uint32_t a = y * around + x, b = y * around + (x + 1) % around;
            const uint32_t cut[6] = {a, a + around, b, b, a + around, b + around};
            memcpy(corner, cut, sizeof cut);
            corner += 6;
        }
    mesh.inverse_masses[0] = 0.0f;
    return mesh;
}

#endif
