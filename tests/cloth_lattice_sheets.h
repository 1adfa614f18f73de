/* For tests of solvers with lattices: sheets and meshes against HED_CLOTH_SOLVER_COLOURS. */
#ifndef HED_TESTS_CLOTH_LATTICE_SHEETS_H
#define HED_TESTS_CLOTH_LATTICE_SHEETS_H

#include "cloth_strips.h" /* before the words of kernels */

#include "cloth_layouts.h"

static const hed_cloth_fabric rigid = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f};

static inline void make_lattices(test_mesh *mesh, const hed_cloth_fabric *fabric)
{
    float mass = fabric->density * 4.0f / (float)mesh->def.particle_count;
    for (uint32_t i = 0; i < mesh->def.particle_count; i++)
        if (mesh->inverse_masses[i] > 0) mesh->inverse_masses[i] = 1 / mass;
    /* only flat parts of meshes have lattices */
    for (uint32_t i = 0; i < mesh->def.particle_count && mesh->def.triangle_count; i++)
        mesh->positions[3 * i + 1] = 0;
    mesh->def.warp_axis[0] = 1;
    mesh->def.fabric = fabric;
    mesh->def.damping = 0.65f;
    mesh->def.lattices = true;
}

/* Positions after some frames, with a ball that rises if `touched`. */
static inline float *moved(hed_math math, hed_cloth_solver solver,
    const hed_cloth_garment_def *garments, uint32_t count, bool touched, hed_cloth_metrics *quality)
{
    hed_cloth *cloth = layout_cloth_in(math, &here, solver, garments, count, 0, 1, touched, 0);
    CHECK_GT(hed_cloth_describe(cloth).lattices, 0);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider ball = {.shape = HED_CLOTH_SPHERE, .radius = {0.3f, 0.3f}, .friction = 0.3f};
    if (touched) frame.colliders = &ball, frame.collider_count = 1;
    for (uint32_t k = 0; k < 10; k++) {
        ball.a[1] = -0.35f + 0.01f * (float)k;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    OK(hed_cloth_evaluate(cloth, quality, &error));
    float *positions = layout_positions(cloth);
    hed_cloth_destroy(cloth);
    return positions;
}

/* Compares positions and lengths of two runs, and releases the positions. */
static inline void check_near(float *found, float *expected, const hed_cloth_metrics quality[2],
    const hed_cloth_garment_def *garments, uint32_t count)
{
    uint32_t particles = 0;
    double sum = 0;
    for (uint32_t g = 0; g < count; g++)
        particles += garments[g].particle_count * (garments[g].copies ? garments[g].copies : 1);
    for (uint32_t i = 0; i < 3 * particles; i++)
        sum += ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
    EXPECT_LT(sqrt(sum / particles), 5e-3);
    EXPECT_NEAR(quality[0].stretch_p99, quality[1].stretch_p99, 5e-3);
    EXPECT_LT(quality[0].worst_stretch, 1.2 * quality[1].worst_stretch + 5e-3);
    free(found), free(expected);
}

/* A solver against colours, in fast mode. */
static inline void check_against_colours(
    hed_cloth_solver solver, const hed_cloth_garment_def *garments, uint32_t count, bool touched)
{
    hed_cloth_metrics quality[2];
    float *found = moved(HED_MATH_FAST, solver, garments, count, touched, &quality[0]),
          *expected =
              moved(HED_MATH_FAST, HED_CLOTH_SOLVER_COLOURS, garments, count, touched, &quality[1]);
    check_near(found, expected, quality, garments, count);
}

/* A sheet with two corners and a pin in it, twice, and another one of a fabric that gives. */
static inline void check_sheets(hed_cloth_solver solver, bool touched)
{
    test_mesh sheet = test_grid(20, 20), knit = test_grid(17, 12);
    make_lattices(&sheet, &rigid);
    make_lattices(&knit, hed_cloth_fabric_named("interlock"));
    sheet.inverse_masses[20 * 11 + 8] = 0;
    hed_cloth_garment_def garments[2] = {sheet.def, knit.def};
    garments[0].copies = 2;
    check_against_colours(solver, garments, 2, touched);
    test_mesh_free(&sheet), test_mesh_free(&knit);
}

/* One sheet that hangs by two corners and a pin. Its finest lattice has chains of 19 edges, and its
 * lines are longer than a warp is wide. */
static inline void check_large_sheet(
    hed_cloth_solver solver, const hed_cloth_fabric *fabric, bool touched)
{
    test_mesh sheet = test_grid(150, 140);
    make_lattices(&sheet, fabric);
    sheet.inverse_masses[150 * 61 + 80] = 0;
    check_against_colours(solver, &sheet.def, 1, touched);
    test_mesh_free(&sheet);
}

static inline void check_mesh(hed_cloth_solver solver)
{
    test_mesh mesh = test_irregular(20, 7, 0.3f);
    make_lattices(&mesh, hed_cloth_fabric_named("cotton"));
    check_against_colours(solver, &mesh.def, 1, false);
    test_mesh_free(&mesh);
}

#endif
