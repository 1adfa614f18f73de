/* Square sheets for tests of hed_cloth, and a show with everything that moves them. */
#ifndef HED_TESTS_CLOTH_SHEET_H
#define HED_TESTS_CLOTH_SHEET_H

#include "testing.h"

#include "solver/host.h"

#include <math.h>

#undef fabs /* double here: words.h has the float of kernels */
#undef sqrt

static hed_error error;

/* ---- sheets ---- */

typedef struct sheet {
    uint32_t n;
    float *positions, *inverse_masses, *max_distance, *backstop, *normals;
    uint32_t *quads;
    hed_cloth_garment_def garment;
} sheet;

/* n x n particles over 2 m, level at a height of 1 m, held at two corners. */
static inline sheet sheet_make(uint32_t n)
{
    sheet s = {.n = n, .garment = hed_default_cloth_garment_def()};
    s.positions = malloc(12 * n * n);
    s.normals = malloc(12 * n * n);
    s.inverse_masses = malloc(4 * n * n);
    s.max_distance = malloc(4 * n * n);
    s.backstop = malloc(4 * n * n);
    s.quads = malloc(16 * (n - 1) * (n - 1));
    for (uint32_t i = 0; i < n * n; i++) {
        s.positions[3 * i] = 2.0f * (float)(i % n) / (float)(n - 1) - 1.0f;
        s.positions[3 * i + 1] = 1.0f;
        s.positions[3 * i + 2] = 2.0f * (float)(i / n) / (float)(n - 1) - 1.0f;
        s.normals[3 * i] = s.normals[3 * i + 2] = 0.0f;
        s.normals[3 * i + 1] = 1.0f;
        s.inverse_masses[i] = i == 0 || i == n - 1 ? 0.0f : (float)(n * n) / 0.8f;
        s.max_distance[i] = 0.05f + 0.002f * (float)(i % 17);
        s.backstop[i] = -0.02f;
    }
    for (uint32_t q = 0; q < (n - 1) * (n - 1); q++) {
        uint32_t at = q / (n - 1) * n + q % (n - 1);
        const uint32_t corners[4] = {at, at + n, at + n + 1, at + 1};
        memcpy(s.quads + 4 * q, corners, sizeof corners);
    }
    s.garment.name = "sheet";
    s.garment.particle_count = n * n;
    s.garment.positions = s.positions;
    s.garment.inverse_masses = s.inverse_masses;
    s.garment.quad_count = (n - 1) * (n - 1);
    s.garment.quads = s.quads;
    s.garment.grid_width = s.garment.grid_height = n;
    return s;
}

static inline void sheet_free(sheet *s)
{
    float *arrays[] = {s->positions, s->inverse_masses, s->max_distance, s->backstop, s->normals};
    for (int i = 0; i < 5; i++) free(arrays[i]);
    free(s->quads);
}

/* Everything at once: a driver with balls and backstops, tethers, air, compliance. */
static inline void sheet_dress(sheet *s)
{
    s->garment.driven = true;
    s->garment.max_distance = s->max_distance;
    s->garment.backstop_distance = s->backstop;
    s->garment.tethers = true;
    s->garment.drag = 0.8f;
    s->garment.lift = 0.3f;
    s->garment.vertical_damping = 0.05f;
    s->garment.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.9f, 1.0f, 1e-3f};
}

static inline hed_cloth_def def_of(const sheet *s)
{
    hed_cloth_def def = hed_default_cloth_def();
    def.substeps = 5;
    def.garments = &s->garment;
    def.garment_count = 1;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    return def;
}

static inline hed_cloth *make(const test_device *t, const hed_cloth_def *def)
{
    hed_cloth *cloth;
    OK(hed_cloth_create(t->device, def, &cloth, &error));
    return cloth;
}

static inline uint64_t hash_of(hed_cloth *cloth)
{
    hed_cloth_metrics quality;
    OK(hed_cloth_wait(cloth, &error));
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    CHECK(quality.not_finite == 0);
    return quality.hash;
}

static inline float *read_positions(hed_cloth *cloth)
{
    float *positions = malloc(12 * hed_cloth_vertex_count(cloth));
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    return positions;
}

static inline double largest_difference(const float *a, const float *b, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)a[i] - b[i]) <= largest)) largest = fabs((double)a[i] - b[i]);
    return largest;
}

/* Frame `index` of a show with everything: a driver that sways, wind in gusts, a sphere that rises
 * and a floor. */
static inline void full_frame(hed_cloth *cloth, const sheet *s, uint32_t index)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider colliders[2] = {
        {.shape = HED_CLOTH_PLANE, .a = {0, 0.2f, 0}, .b = {0, 1, 0}, .friction = 0.5f},
        {.shape = HED_CLOTH_SPHERE, .a = {0.1f, 0.5f, 0}, .radius = {0.3f}, .friction = 0.2f}};
    uint32_t count = s->garment.particle_count * s->garment.copies;
    float *driver = malloc(12 * count), *normals = malloc(12 * count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(driver + 3 * i, s->positions + 3 * (i % s->garment.particle_count), 12);
        memcpy(normals + 3 * i, s->normals + 3 * (i % s->garment.particle_count), 12);
        driver[3 * i] += 0.01f * (float)(index % 20);
        driver[3 * i + 1] += 0.005f * (float)(index % 7);
    }
    colliders[1].a[1] += 0.01f * (float)index;
    frame.wind[0] = 4.0f;
    frame.wind[2] = 1.0f;
    frame.gust = 0.5f;
    frame.driver_positions = s->garment.driven ? driver : NULL;
    frame.driver_normals = s->garment.driven ? normals : NULL;
    frame.colliders = colliders;
    frame.collider_count = 2;
    OK(hed_cloth_step(cloth, &frame, &error));
    free(driver); /* copied already, whatever the device is doing */
    free(normals);
}

#endif
