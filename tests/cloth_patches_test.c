/* Patches that exchange their rims: against the double reference in the plan's order, one frame a
 * submission against many, choices against each other, several garments and copies, what surrounds
 * a cloth, and choices' texts. On CUDA the exchange goes by packets inside one launch, elsewhere by
 * a launch for each exchange; a packet that is not there when it should be ends in an error. PoCL, whose compiler
 * takes long, gets half of the choices and scenes, unless HEDDLE_TEST_FULL is set. */
/* ctest: devices long */
#include "cloth_strips.h" /* before the words of kernels */

#include "cloth_layouts.h"

/* A device without the solver says so, and then there is nothing to test. */
static void open(void)
{
    here_open();
    layout_needed(HED_CLOTH_SOLVER_PATCHES);
}

TestSuite(cloth_patches, .init = open, .fini = here_close);

static bool has_packets(const test_device *t)
{
    return hed_device_describe(t->device).capabilities & HED_CAN_PACKETS;
}

Test(cloth_patches, follow_the_reference)
{
    static const cloth_patch_choice choices[] = {
        {.kind = CLOTH_PLAN_JOINT, .patches = 9, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_JOINT,
            .patches = 7,
            .early_steps = 3,
            .step_limit = 40,
            .queue = 2,
            .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .patches = 6, .threads = 64, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .patches = 1, .threads = 128, .queue = 1, .held = 0},
    };
    test_mesh grid = test_grid(26, 26), irregular = test_irregular(20, 7, 0.5f);
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
        for (size_t m = 0; m < 2; m++) {
            if (layout_compiles_long(&here) && m != k % 2) continue;
            layout_against_reference(
                &here, HED_CLOTH_SOLVER_PATCHES, m ? &irregular.def : &grid.def, &choices[k], 0, 1);
        }
    test_mesh_free(&grid);
    test_mesh_free(&irregular);
}

/* Bending constraints of a grid, some of whose particles are locked, and elements of triangles that
 * run anywhere: between patches first, then inside. */
Test(cloth_patches, fabrics)
{
    static const cloth_patch_choice choices[] = {
        {.kind = CLOTH_PLAN_JOINT, .patches = 7, .early_steps = 3, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .patches = 6, .threads = 64, .queue = 2, .held = 0},
    };
    /* as stiff against bending as to matter as much as its springs */
    const hed_cloth_fabric stiff = {500, 400, 100, 2, 1, 0, 0.2f};
    test_mesh meshes[2] = {test_grid(23, 18), test_irregular(18, 7, 0.5f)};
    for (uint32_t i = 0; i < 23 * 18; i++)
        if (i % 37 == 5) meshes[0].inverse_masses[i] = 0.0f;
    for (int m = 0; m < 2; m++) {
        meshes[m].def.fabric = &stiff;
        for (size_t k = 0; k < HED_COUNT(choices); k++)
            if (!layout_compiles_long(&here) || k == (size_t)m)
                layout_against_reference(
                    &here, HED_CLOTH_SOLVER_PATCHES, &meshes[m].def, &choices[k], 0, 1);
        hed_cloth_def def = hed_default_cloth_def();
        hed_cloth *cloth;
        def.garments = &meshes[m].def;
        def.garment_count = 1;
        def.solver = HED_CLOTH_SOLVER_PATCHES;
        def.iterations = 2;
        FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
        CHECK(strstr(error.text, "a multiplier for each"), "%s", error.text);
    }
    for (int m = 0; m < 2; m++) test_mesh_free(meshes + m);
}

/* A clamped strip hangs as the elastica does and one that is pulled gives as force / stiffness, of
 * a grid and of triangles, in five patches: as cloth_stiffness_test.c has it for other solvers. */
Test(cloth_patches, strips_follow_theory)
{
    const double bending = DENSITY * 9.81 * LENGTH * LENGTH * LENGTH / 2, tension = 20;
    for (int k = 0; k < 4; k += layout_compiles_long(&here) ? 3 : 1) {
        bool drawn = k % 2;
        test_mesh mesh = k < 2 ? strip_of(8, false) : irregular_strip(8, 0.1f, 5);
        hed_cloth_fabric fabrics[2] = {
            {1e4f, 1e4f, 1e3f, (float)bending, (float)bending / 10, 0, 0},
            {(float)tension, (float)tension / 2, 1, 0, 0, 0, 0}};
        mesh.def.fabric = fabrics + drawn;
        hed_cloth_stiffness stiffness;
        double tip[3];
        settle(here.device, &mesh, HED_CLOTH_SOLVER_PATCHES, drawn ? 80 : 160,
            drawn ? (float[3]){20, 0, 0} : (float[3]){0, -9.81f, 0}, 60, tip, &stiffness);
        double found = drawn ? tip[0] / LENGTH - 1 : -tip[1],
               right = drawn ? DENSITY * 20 * LENGTH / (2 * tension)
                             : elastica(DENSITY * 9.81, bending, LENGTH);
        EXPECT_NEAR(found / right, 1, 0.05, "%s, %s: %g for %g", k < 2 ? "grid" : "triangles",
            drawn ? "pulled" : "bent", found, right);
        test_note("%s, %s: %.4f of what theory says", k < 2 ? "grid" : "triangles",
            drawn ? "pulled" : "bent", found / right);
        test_mesh_free(&mesh);
    }
}

Test(cloth_patches, ranges_compliance_iterations)
{
    static const cloth_patch_choice choices[] = {
        {.kind = CLOTH_PLAN_JOINT, .patches = 6, .early_steps = 2, .queue = 2, .held = UINT32_MAX},
        {.kind = CLOTH_PLAN_FIGURES, .patches = 5, .threads = 64, .queue = 2, .held = UINT32_MAX},
    };
    for (size_t k = layout_compiles_long(&here); k < HED_COUNT(choices); k++)
        layout_materials_against_reference(HED_CLOTH_SOLVER_PATCHES, 18, &choices[k]);
}

/* Threads, registers and how frames are submitted change no bit. */
Test(cloth_patches, bits_stay)
{
    static const uint32_t threads[] = {0, 128, 192, 256};
    test_mesh mesh = test_irregular(24, 11, 0.4f);
    for (cloth_plan_kind kind = CLOTH_PLAN_JOINT; kind <= CLOTH_PLAN_FIGURES; kind++) {
        float *first = NULL;
        for (uint32_t k = 0; k < 4; k += layout_compiles_long(&here) ? 3 : 1)
            for (uint32_t frames = 1; frames <= 30; frames += 29) {
                cloth_patch_choice choice = {.kind = kind,
                    .patches = 8,
                    .threads = threads[k],
                    .queue = 1 + k % 2,
                    .held = kind == CLOTH_PLAN_FIGURES && k == 3 ? 0 : UINT32_MAX};
                hed_cloth *cloth =
                    layout_cloth(&here, HED_CLOTH_SOLVER_PATCHES, &mesh.def, 1, 0, 1);
                OK(cloth_patch_rebuild(cloth, &choice, &error));
                layout_move(cloth, 30 / frames, frames);
                float *found = layout_positions(cloth);
                if (!first) first = found;
                else {
                    EXPECT_BYTES(found, first, 3 * mesh.def.particle_count * sizeof *found,
                        "kind %d, %u threads, %u frames: %g m off", kind, threads[k], frames,
                        layout_difference(found, first, mesh.def.particle_count));
                    free(found);
                }
                hed_cloth_destroy(cloth);
                if (!has_packets(&here) && k > 1) break; /* the same launches */
            }
        free(first);
    }
    test_mesh_free(&mesh);
}

/* Each copy has the bits of one alone in as many patches. `fabric`: of the grid. */
static void compare_copies(const hed_cloth_fabric *fabric)
{
    test_mesh meshes[2] = {test_grid(20, 20), test_irregular(20, 9, 0.3f)};
    meshes[0].def.fabric = fabric;
    hed_cloth_garment_def garments[2] = {meshes[0].def, meshes[1].def};
    garments[0].copies = 2;
    hed_cloth *together = layout_cloth(&here, HED_CLOTH_SOLVER_PATCHES, garments, 2, 12, 1);
    cloth_patch_choice choice = {
        .kind = CLOTH_PLAN_FIGURES, .patches = 12, .threads = 64, .queue = 2, .held = UINT32_MAX};
    OK(cloth_patch_rebuild(together, &choice, &error));
    hed_cloth_info report;
    report = hed_cloth_describe(together);
    EXPECT_EQ(report.patches, 4);
    EXPECT_GT(report.boundary, 0);
    EXPECT(strstr(report.choice, "figures, 64 threads, 12 patches"), "%s", report.choice);
    layout_move(together, 4, 5);
    float *all = layout_positions(together);
    choice.patches = 4;
    for (uint32_t g = 0; g < 2; g++) {
        hed_cloth *alone = layout_cloth(&here, HED_CLOTH_SOLVER_PATCHES, &meshes[g].def, 1, 4, 1);
        OK(cloth_patch_rebuild(alone, &choice, &error));
        layout_move(alone, 2, 10);
        float *one = layout_positions(alone);
        uint32_t first, vertex;
        hed_cloth_garment_range(together, g, &first, &vertex);
        for (uint32_t copy = 0; copy < garments[g].copies; copy++) {
            double off = layout_difference(all + 3 * (first + 400 * copy), one, 400);
            /* alone, a grid has shapes, and another cloth no compliance */
            EXPECT_LT(off, 2e-5, "garment %u, copy %u: %g m", g, copy, off);
        }
        free(one);
        hed_cloth_destroy(alone);
    }
    EXPECT_BYTES(all, all + 1200, 1200 * sizeof *all, "two copies");
    free(all);
    hed_cloth_destroy(together);
    for (uint32_t g = 0; g < 2; g++) test_mesh_free(&meshes[g]);
}

Test(cloth_patches, copies_and_garments)
{
    if (!layout_compiles_long(&here)) compare_copies(NULL);
    compare_copies(hed_cloth_fabric_named("wool"));
}

Test(cloth_patches, surroundings)
{
    static const uint32_t whats[] = {
        BUSY_ALL, BUSY_DRIVER | BUSY_TETHERS, BUSY_AIR | BUSY_COLLIDERS};
    busy_against_colours(
        HED_CLOTH_SOLVER_PATCHES, 14, 5, whats, layout_compiles_long(&here) ? 2 : HED_COUNT(whats));
}

/* A choice that does not fit changes nothing. */
Test(cloth_patches, rebuilding_that_fails)
{
    test_mesh mesh = test_grid(160, 160);
    hed_cloth *cloth = layout_cloth(&here, HED_CLOTH_SOLVER_PATCHES, &mesh.def, 1, 20, 1);
    cloth_patch_choice one = cloth_patch_default(cloth, HED_CLOTH_SOLVER_PATCHES);
    one.patches = 1;
    FAILS(HED_ERROR_LIMIT, cloth_patch_rebuild(cloth, &one, &error));
    layout_move(cloth, 1, 1);
    OK(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
}

/* Makes the first patch number its exchanges otherwise. */
static void disturb(hed_cloth *cloth, uint32_t by)
{
    uint32_t number;
    OK(hed_read(cloth->stream, &number, cloth_patch_packets(cloth), 0, sizeof number, &error));
    OK(hed_stream_wait(cloth->stream, &error));
    number += by;
    OK(hed_write(cloth->stream, cloth_patch_packets(cloth), 0, &number, sizeof number, &error));
    OK(hed_stream_wait(cloth->stream, &error));
}

/* Without the number of its exchange a packet is none: the frame fails, says so, and the next one
 * goes on from the last good state. */
Test(cloth_patches, packets_that_do_not_come)
{
    test_mesh mesh = test_grid(20, 20);
    hed_cloth *cloth = layout_cloth(&here, HED_CLOTH_SOLVER_PATCHES, &mesh.def, 1, 4, 1);
    layout_move(cloth, 2, 1);
    OK(hed_cloth_wait(cloth, &error));
    disturb(cloth, 1);
    layout_move(cloth, 1, 1);
    FAILS(HED_ERROR_DRIVER, hed_cloth_wait(cloth, &error));
    CHECK(strstr(error.text, "in vain"), "%s", error.text);
    disturb(cloth, (uint32_t)-1);
    layout_move(cloth, 2, 1);
    OK(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
}

/* Memory that runs out anywhere in the making leaves nothing behind. */
Test(cloth_patches, memory_runs_out)
{
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    test_mesh mesh = test_grid(12, 12);
    mesh.def.tethers = true;
    mesh.def.fabric = hed_cloth_fabric_named("wool");
    hed_cloth *cloth = layout_cloth(&t, HED_CLOTH_SOLVER_PATCHES, &mesh.def, 1, 3, 1);
    cloth_patch_choice choice = {
        .kind = CLOTH_PLAN_FIGURES, .patches = 3, .threads = 64, .queue = 1, .held = UINT32_MAX};
    OK(cloth_patch_rebuild(cloth, &choice, &error));
    int64_t live = counted.live;
    uint32_t failures = 0;
    for (int64_t n = 1;; n++) {
        counted.fail_at = counted.calls + n;
        hed_error_clear(&error);
        hed_status status = cloth_patch_rebuild(cloth, &choice, &error);
        bool reached = counted.calls >= counted.fail_at;
        counted.fail_at = 0;
        if (!reached) break;
        failures += status != HED_OK;
        CHECK(
            !status || status == HED_ERROR_MEMORY, "allocation %lld: %s", (long long)n, error.text);
        hed_error_clear(&error);
        OK(hed_stream_wait(cloth->stream, &error)); /* what is under way holds memory, too */
        CHECK_EQ(counted.live, live, "allocation %lld leaks", (long long)n);
    }
    CHECK_GT(failures, 30);
    layout_move(cloth, 1, 1);
    OK(hed_cloth_wait(cloth, &error));
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
    test_close(&t);
}
