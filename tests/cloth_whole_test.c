/* A whole garment for each group: against the double reference in the same order, copies and mixed
 * garments against each alone, what surrounds a cloth against the solver of colours, choices
 * against each other, and what is refused. */
/* ctest: devices long */
#include "cloth_layouts.h"

/* A device without the solver says so, and then there is nothing to test. */
static void open(void)
{
    here_open();
    layout_needed(HED_CLOTH_SOLVER_GARMENTS);
}

TestSuite(cloth_whole, .init = open, .fini = here_close);

Test(cloth_whole, follows_the_reference)
{
    test_mesh grid = test_grid(24, 17), irregular = test_irregular(16, 7, 0.5f);
    layout_against_reference(&here, HED_CLOTH_SOLVER_GARMENTS, &grid.def, NULL, 0, 1);
    layout_against_reference(&here, HED_CLOTH_SOLVER_GARMENTS, &irregular.def, NULL, 0, 1);
    test_mesh_free(&grid);
    test_mesh_free(&irregular);
}

/* Bending constraints of a grid, elements of triangles that run anywhere; both and copies together
 * as each alone, whose origin is another. */
Test(cloth_whole, fabrics)
{
    test_mesh meshes[2] = {test_grid(19, 14), test_irregular(14, 7, 0.5f)};
    hed_cloth_garment_def garments[2];
    for (int m = 0; m < 2; m++) {
        meshes[m].def.fabric = hed_cloth_fabric_named("leather");
        layout_against_reference(&here, HED_CLOTH_SOLVER_GARMENTS, &meshes[m].def, NULL, 0, 1);
        garments[m] = meshes[m].def;
        garments[m].copies = 2;
    }
    hed_cloth *together = layout_cloth(&here, HED_CLOTH_SOLVER_GARMENTS, garments, 2, 0, 1);
    layout_move(together, 2, 5);
    float *all = layout_positions(together);
    for (uint32_t g = 0; g < 2; g++) {
        hed_cloth *alone = layout_cloth(&here, HED_CLOTH_SOLVER_GARMENTS, &meshes[g].def, 1, 0, 1);
        uint32_t first, vertex, count = meshes[g].def.particle_count;
        layout_move(alone, 2, 5);
        float *one = layout_positions(alone);
        hed_cloth_garment_range(together, g, &first, &vertex);
        for (uint32_t copy = 0; copy < 2; copy++)
            EXPECT_LT(layout_difference(all + 3 * (first + copy * count), one, count), 2e-5,
                "garment %u, copy %u", g, copy);
        free(one);
        hed_cloth_destroy(alone);
    }
    free(all);
    hed_cloth_destroy(together);
    for (int m = 0; m < 2; m++) test_mesh_free(meshes + m);
}

/* The smallest grids of a fabric with a launch a colour: some have lines in one direction alone. */
Test(cloth_whole, lines_of_narrow_grids)
{
    for (int k = 0; k < 3; k++) {
        test_mesh mesh = test_grid(k == 1 ? 9 : 2, k == 0 ? 9 : 2);
        mesh.def.fabric = hed_cloth_fabric_named("leather");
        hed_cloth *cloth = layout_cloth(&here, HED_CLOTH_SOLVER_COLOURS, &mesh.def, 1, 0, 1);
        layout_move(cloth, 1, 3);
        hed_cloth_destroy(cloth);
        test_mesh_free(&mesh);
    }
}

Test(cloth_whole, ranges_compliance_iterations)
{
    layout_materials_against_reference(HED_CLOTH_SOLVER_GARMENTS, 14, NULL);
    test_mesh mesh = test_irregular(14, 3, 0.5f);
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++)
        mesh.def.family_material[f] = (hed_cloth_material){1.0f, 1.0f, 1e-5f * (float)f};
    layout_against_reference(&here, HED_CLOTH_SOLVER_GARMENTS, &mesh.def, NULL, 0, 1);
    test_mesh_free(&mesh);
}

/* Copies have the bits of one alone, and so has a garment among others. */
Test(cloth_whole, copies_and_garments)
{
    test_mesh meshes[3] = {test_grid(20, 20), test_grid(9, 13), test_grid(2, 3)};
    /* Around one middle, so that all have the origin of each alone. */
    for (uint32_t i = 0; i < 9 * 13; i++) meshes[1].positions[3 * i + 2] -= 0.5f;
    for (uint32_t i = 0; i < 2 * 3; i++) meshes[2].positions[3 * i + 2] -= 1.0f;
    hed_cloth_garment_def garments[3] = {meshes[0].def, meshes[1].def, meshes[2].def};
    garments[1].copies = 3;
    hed_cloth *together = layout_cloth(&here, HED_CLOTH_SOLVER_GARMENTS, garments, 3, 0, 1);
    cloth_patch_choice choice = cloth_patch_default(together, HED_CLOTH_SOLVER_GARMENTS);
    layout_move(together, 1, 20);
    float *all = layout_positions(together);
    for (uint32_t g = 0; g < 3; g++) {
        hed_cloth *alone = layout_cloth(&here, HED_CLOTH_SOLVER_GARMENTS, &meshes[g].def, 1, 0, 1);
        uint32_t first, vertex, count = meshes[g].def.particle_count;
        OK(cloth_patch_rebuild(alone, &choice, &error));
        layout_move(alone, 20, 1);
        float *one = layout_positions(alone);
        hed_cloth_garment_range(together, g, &first, &vertex);
        for (uint32_t copy = 0; copy < garments[g].copies; copy++)
            EXPECT_BYTES(all + 3 * (first + copy * count), one, 3 * count * sizeof *one,
                "garment %u, copy %u", g, copy);
        free(one);
        hed_cloth_destroy(alone);
    }
    free(all);
    hed_cloth_destroy(together);
    for (uint32_t g = 0; g < 3; g++) test_mesh_free(&meshes[g]);
}

/* Threads, how far ahead the table is fetched, and where previous positions are kept change no
 * bit. */
Test(cloth_whole, choices_agree)
{
    static const cloth_patch_choice choices[] = {
        {.kind = CLOTH_PLAN_FIGURES, .threads = 32, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .threads = 64, .queue = 1, .held = 0},
        {.kind = CLOTH_PLAN_FIGURES, .threads = 128, .queue = 3, .held = 1},
        {.kind = CLOTH_PLAN_FIGURES, .threads = 512, .queue = 4, .held = UINT32_MAX},
    };
    test_mesh mesh = test_irregular(14, 5, 0.4f);
    float *first = NULL;
    for (size_t k = 0; k < HED_COUNT(choices); k += layout_compiles_long(&here) ? 2 : 1) {
        hed_cloth *cloth = layout_cloth(&here, HED_CLOTH_SOLVER_GARMENTS, &mesh.def, 1, 0, 1);
        OK(cloth_patch_rebuild(cloth, &choices[k], &error));
        layout_move(cloth, 1, 10);
        float *found = layout_positions(cloth);
        if (!first) first = found;
        else {
            EXPECT_BYTES(found, first, 3 * mesh.def.particle_count * sizeof *found,
                "choice %zu: %g m off", k,
                layout_difference(found, first, mesh.def.particle_count));
            free(found);
        }
        hed_cloth_destroy(cloth);
    }
    free(first);
    cloth_patch_choice joint = {.kind = CLOTH_PLAN_JOINT, .queue = 2, .held = UINT32_MAX};
    layout_against_reference(&here, HED_CLOTH_SOLVER_GARMENTS, &mesh.def, &joint, 0, 1);
    test_mesh_free(&mesh);
}

/* One by one and all together. */
Test(cloth_whole, surroundings)
{
    static const uint32_t whats[] = {
        BUSY_ALL, BUSY_AIR | BUSY_COLLIDERS, BUSY_TETHERS, BUSY_DRIVER | BUSY_TETHERS};
    busy_against_colours(HED_CLOTH_SOLVER_GARMENTS, 12, 0, whats,
        layout_compiles_long(&here) ? 2 : HED_COUNT(whats));
}

Test(cloth_whole, refuses)
{
    test_mesh large = test_grid(130, 127), small = test_grid(4, 4);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.solver = HED_CLOTH_SOLVER_GARMENTS;
    def.garment_count = 1;
    def.garments = &large.def;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "16384") || strstr(error.text, "local memory"), "%s", error.text);
    def.garments = &small.def;
    def.math = HED_MATH_STRICT;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "strict"), "%s", error.text);
    def.math = HED_MATH_FAST;
    def.iterations = 2;
    small.def.family_material[HED_CLOTH_STRUCTURAL].compliance = 1e-4f;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "iteration"), "%s", error.text);
    test_mesh_free(&large);
    test_mesh_free(&small);
}
