/* Strips that hang from a clamp or are pulled, and what theory says of them, for tests of
 * stiffness. */
#ifndef HED_TESTS_CLOTH_STRIPS_H
#define HED_TESTS_CLOTH_STRIPS_H

#include <math.h>

#include "testing.h"

#include "cloth_meshes.h"

/* ---- theory ---- */

/* How far the tip of a level strip hangs down that is clamped at one end: angle'' = -weight (length
 * - s) cos(angle) / bending, no moment at the tip; by shooting for the curvature at the clamp. */
static inline double elastica(double weight, double bending, double length)
{
    double low = 0, high = 40, drop = 0;
    for (int shot = 0; shot < 50; shot++) {
        double curvature = 0.5 * (low + high) / length, angle = 0, ds = length / 2000;
        drop = 0;
        for (int i = 0; i < 2000; i++) {
            double middle = angle + 0.5 * ds * curvature,
                   less = weight / bending * (length - (i + 0.5) * ds) * cos(middle) * ds;
            drop += sin(middle) * ds;
            angle += ds * (curvature - 0.5 * less);
            curvature -= less;
        }
        *(curvature > 0 ? &high : &low) = 0.5 * (low + high);
    }
    return drop;
}

/* ---- strips ---- */

#define LENGTH 0.1
#define WIDTH 0.025
#define DENSITY 0.2

/* A level strip of so many cells along x, the particles up to x = 0 held. `turned`: its rows go
 * across, so that it is bent along the weft. */
static inline test_mesh strip_of(uint32_t cells, bool turned)
{
    double step = LENGTH / cells;
    uint32_t along = cells + 2, across = (uint32_t)(WIDTH / step + 0.5) + 1;
    test_mesh mesh = test_mesh_of(along * across, 0);
    for (uint32_t k = 0; k < along * across; k++) {
        uint32_t i = turned ? k / across : k % along, j = turned ? k % across : k / along;
        double share = (i + 1 == along ? 0.5 : 1) * (j == 0 || j + 1 == across ? 0.5 : 1);
        mesh.positions[3 * k] = (float)((i - 1.0) * step);
        mesh.positions[3 * k + 2] = (float)(j * WIDTH / (across - 1));
        mesh.inverse_masses[k] =
            i < 2 ? 0 : (float)(1 / (DENSITY * step * WIDTH / (across - 1) * share));
    }
    mesh.def.grid_width = turned ? across : along;
    mesh.def.grid_height = turned ? along : across;
    mesh.def.damping = 0.9999f;
    return mesh;
}

/* The mean place of the particles that were farthest along x, after `frames` of rest. */
static inline void settle(hed_device *device, const test_mesh *mesh, hed_cloth_solver solver,
    uint32_t substeps, const float gravity[3], int frames, double tip[3],
    hed_cloth_stiffness *stiffness)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth;
    hed_error error = {0};
    def.garments = &mesh->def;
    def.garment_count = 1;
    def.substeps = substeps;
    def.solver = solver;
    if (solver == HED_CLOTH_SOLVER_PATCHES) def.patches = 5;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    CHECK(hed_cloth_stiffness_of(cloth, 0, frame.seconds, stiffness));
    memcpy(frame.gravity, gravity, sizeof frame.gravity);
    frame.frames = (uint32_t)frames;
    OK(hed_cloth_step(cloth, &frame, &error));
    uint32_t count = mesh->def.particle_count, found = 0;
    float *places = malloc(12 * (size_t)count);
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    memset(tip, 0, 3 * sizeof *tip);
    for (uint32_t i = 0; i < count; i++) {
        if (mesh->positions[3 * i] < LENGTH * 0.9999) continue;
        found++;
        for (int k = 0; k < 3; k++) tip[k] += places[3 * i + (uint32_t)k];
    }
    for (int k = 0; k < 3; k++) tip[k] /= found;
    free(places);
    hed_cloth_destroy(cloth);
}

/* The same strip as triangles: cells cut along random diagonals, particles moved by up to `jitter`
 * of a cell, those at the clamp and at the ends along their side alone; masses by the triangles'
 * areas. */
static inline test_mesh irregular_strip(uint32_t cells, float jitter, uint32_t seed)
{
    test_mesh grid = strip_of(cells, false);
    uint32_t along = grid.def.grid_width, across = grid.def.grid_height;
    test_mesh mesh = test_mesh_of(along * across, 2 * (along - 1) * (across - 1));
    float step = (float)(LENGTH / cells);
    for (uint32_t k = 0; k < along * across; k++) {
        uint32_t i = k % along, j = k / along;
        memcpy(mesh.positions + 3 * k, grid.positions + 3 * k, 3 * sizeof(float));
        if (i > 1 && i + 1 < along)
            mesh.positions[3 * k] += jitter * step * (2 * test_random(&seed) - 1);
        if (j > 0 && j + 1 < across)
            mesh.positions[3 * k + 2] += jitter * step * (2 * test_random(&seed) - 1);
        mesh.inverse_masses[k] = 0;
    }
    uint32_t *corner = mesh.triangles;
    for (uint32_t k = 0; k < along * (across - 1); k++) {
        uint32_t a = k, b = k + 1, c = k + along, d = k + along + 1;
        const uint32_t cuts[2][6] = {{a, d, b, a, c, d}, {a, c, b, b, c, d}};
        if (k % along + 1 == along) continue;
        memcpy(corner, cuts[test_random(&seed) < 0.5f], sizeof cuts[0]);
        corner += 6;
    }
    for (uint32_t t = 0; t < mesh.def.triangle_count; t++) {
        const uint32_t *v = mesh.triangles + 3 * t;
        const float *a = mesh.positions + 3 * v[0], *b = mesh.positions + 3 * v[1],
                    *c = mesh.positions + 3 * v[2];
        float twice = fabsf((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]));
        for (int k = 0; k < 3; k++) mesh.inverse_masses[v[k]] += (float)DENSITY * twice / 6;
    }
    for (uint32_t k = 0; k < along * across; k++)
        mesh.inverse_masses[k] = k % along < 2 ? 0 : 1 / mesh.inverse_masses[k];
    mesh.def.damping = 0.9999f;
    mesh.def.warp_axis[0] = 1;
    test_mesh_free(&grid);
    return mesh;
}

#endif
