/* HED_CLOTH_SOLVER_CPU on the host: its figures, then its numbers against the double reference in
 * the same order, against the colours by what a user sees, and for any count of threads to the
 * bit. */
#include "testing.h"

#include "cloth_meshes.h"
#include "kernels/kernels.h"
#include "kernels/particle.h"
#include "solver/native.h"
#include "solver/strict_order.h"

static hed_error error;

typedef struct native_cloth {
    hed_context *context;
    hed_device *device;
    hed_cloth *cloth;
} native_cloth;

static hed_cloth *make(hed_device *device, const hed_cloth_garment_def *garments, uint32_t count,
    const hed_cloth_def *change)
{
    hed_cloth_def def = change ? *change : hed_default_cloth_def();
    if (!change) def.solver = HED_CLOTH_SOLVER_CPU, def.substeps = 5;
    def.garments = garments;
    def.garment_count = count;
    hed_cloth *cloth;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    return cloth;
}

static native_cloth open_host(void)
{
    native_cloth c = {0};
    OK(hed_context_create(NULL, &c.context, &error));
    OK(hed_device_find(c.context, "host", &c.device, &error));
    return c;
}

static void step(hed_cloth *cloth, uint32_t frames)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    for (uint32_t i = 0; i < frames; i++) OK(hed_cloth_step(cloth, &frame, &error));
}

static float *positions_of(hed_cloth *cloth)
{
    float *positions = calloc(hed_cloth_vertex_count(cloth), 3 * sizeof *positions);
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    return positions;
}

/* ---- figures ---- */

/* Every constraint with a free end once, no free particle twice in a step, levels one apart at
 * most. */
static void check_figures(const cloth_garment *garment, const cloth_figures *figures)
{
    uint32_t *order = calloc(garment->constraint_count + 1, sizeof *order),
             *seen = calloc(garment->particle_count, sizeof *seen), stamp = 0;
    uint8_t *done = calloc(garment->constraint_count + 1, 1);
    uint32_t count = cloth_figures_order(figures, order), expected = 0;
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        const hed_cloth_constraint *c = garment->constraints + k;
        expected += garment->positions[c->a][3] > 0.0f || garment->positions[c->b][3] > 0.0f;
    }
    for (uint32_t k = 0; k < count; k++) {
        CHECK_LT(order[k], garment->constraint_count);
        CHECK(!done[order[k]], "constraint %u is there twice", order[k]);
        done[order[k]] = 1;
    }
    CHECK_GE(count, expected);
    for (int shape = 0; shape < CLOTH_SHAPE_COUNT; shape++)
        for (uint32_t s = 0; s < figures->steps[shape]; s++) {
            stamp++;
            for (uint32_t k = 0; k < figures->count; k++) {
                const cloth_found *figure = figures->figures + k;
                if (figure->shape != (cloth_shape)shape || figure->step != s) continue;
                for (uint32_t v = 0; v < cloth_shape_particles(figure->shape); v++) {
                    uint32_t i = figure->particle[v];
                    CHECK_LE(
                        abs((int)figures->level[i] - (int)figures->level[figure->particle[0]]), 1);
                    if (!(garment->positions[i][3] > 0.0f)) continue;
                    CHECK_NE(
                        seen[i], stamp, "particle %u is twice in step %u of shape %d", i, s, shape);
                    seen[i] = stamp;
                }
            }
        }
    free(order), free(seen), free(done);
}

/* Edges of a figure join the particles that its place says. */
static void check_edges(const cloth_garment *garment, const cloth_figures *figures)
{
    static const uint32_t ends[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};
    for (uint32_t k = 0; k < figures->count; k++)
        for (uint32_t e = 0; e < cloth_shape_constraints(figures->figures[k].shape); e++) {
            const hed_cloth_constraint *c =
                garment->constraints + figures->figures[k].constraint[e];
            uint32_t a = figures->figures[k].particle[ends[e][0]],
                     b = figures->figures[k].particle[ends[e][1]];
            CHECK((c->a == a && c->b == b) || (c->a == b && c->b == a), "figure %u, constraint %u",
                k, e);
        }
}

Test(cloth_native, figures_hold_every_constraint_once)
{
    test_mesh meshes[] = {test_grid(33, 20), test_grid(5, 1), test_grid(2, 9),
        test_irregular(30, 5, 0.5f), test_fan(150), test_sleeve(24, 10, 1.0f)};
    hed_allocator allocator = hed_default_allocator();
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        cloth_garment *garment;
        cloth_figures *figures;
        OK(cloth_garment_create(&allocator, &meshes[m].def, 0, &garment, &error));
        OK(cloth_figures_create(garment, &figures, &error));
        check_figures(garment, figures);
        check_edges(garment, figures);
        uint32_t in_fours = 0;
        for (uint32_t k = 0; k < figures->count; k++)
            if (figures->figures[k].shape != CLOTH_SHAPE_PAIR)
                in_fours += cloth_shape_constraints(figures->figures[k].shape);
        if (m == 0)
            EXPECT_GT(in_fours, garment->constraint_count * 3 / 4, "%u of %u", in_fours,
                garment->constraint_count);
        if (m == 0) EXPECT_EQ(figures->steps[CLOTH_SHAPE_COMPLETE], 2);
        if (m == 3)
            EXPECT_GT(in_fours, garment->constraint_count / 3, "%u of %u", in_fours,
                garment->constraint_count);
        cloth_figures_destroy(figures);
        cloth_garment_destroy(garment);
        test_mesh_free(meshes + m);
    }
}

/* ---- numbers ---- */

/* The farthest a position is from the double reference in the native order, after `frames`
 * frames. */
static double off_reference(const hed_cloth_garment_def *def, uint32_t iterations, uint32_t frames)
{
    native_cloth c = open_host();
    hed_cloth_def how = hed_default_cloth_def();
    how.substeps = 5;
    how.solver = HED_CLOTH_SOLVER_CPU;
    how.iterations = iterations;
    c.cloth = make(c.device, def, 1, &how);
    step(c.cloth, frames);
    float *found = positions_of(c.cloth);
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    cloth_figures *figures;
    OK(cloth_garment_create(&allocator, def, 0, &garment, &error));
    OK(cloth_figures_create(garment, &figures, &error));
    uint32_t *order = calloc(garment->constraint_count + 1, sizeof *order);
    cloth_reference_def reference = {.substeps = how.substeps,
        .iterations = iterations,
        .seconds = 1.0 / 60.0,
        .gravity = {0.0, -9.81, 0.0},
        .lines = true,
        .up = 1};
    reference.order = (cloth_order){order, cloth_figures_order(figures, order), false};
    uint32_t numbers = 3 * garment->particle_count;
    double *positions = calloc(numbers, sizeof *positions),
           *previous = calloc(numbers, sizeof *previous), last_dt = 0.0, off = 0.0, moved = 0.0;
    for (uint32_t i = 0; i < numbers; i++)
        positions[i] = previous[i] = garment->positions[i / 3][i % 3];
    OK(cloth_reference_frames(garment, &reference, frames, positions, previous, NULL, &last_dt));
    for (uint32_t i = 0; i < numbers; i++) {
        off = fmax(off, fabs(positions[i] - found[i]));
        moved = fmax(moved, fabs(positions[i] - garment->positions[i / 3][i % 3]));
    }
    EXPECT_GT(moved, 0.02, "it only moved by %g m", moved);
    free(found), free(order), free(positions), free(previous);
    cloth_figures_destroy(figures);
    cloth_garment_destroy(garment);
    hed_cloth_destroy(c.cloth);
    hed_context_destroy(c.context);
    return off;
}

Test(cloth_native, follows_the_reference_in_its_own_order)
{
    test_mesh meshes[] = {test_grid(48, 48), test_grid(13, 40), test_irregular(32, 5, 0.5f),
        test_fan(100), test_sleeve(40, 20, 1.0f)};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++)
        for (uint32_t iterations = 1; iterations < 4; iterations += 2) {
            /* A cone and a sleeve buckle soon, and then rounding decides where to. */
            double off = off_reference(&meshes[m].def, iterations, m >= 3 ? 4 : 10);
            EXPECT_LT(off, 1e-4, "mesh %zu, %u iterations: %.3g m", m, iterations, off);
        }
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) test_mesh_free(meshes + m);
}

Test(cloth_native, follows_it_with_fabrics)
{
    test_mesh meshes[] = {
        test_grid(30, 40), test_irregular(32, 5, 0.3f), test_sleeve(24, 20, 1.0f)};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        uint32_t particles = meshes[m].def.particle_count;
        float *map = malloc(particles * sizeof *map);
        for (uint32_t i = 0; i < particles; i++) map[i] = 0.5f + (float)(i % 7) / 3;
        hed_cloth_fabric fabric = *hed_cloth_fabric_named("leather");
        if (m == 0) fabric.bend_warp = 10, fabric.bend_weft = 5; /* which a step of 7 cm feels */
        meshes[m].def.fabric = &fabric;
        meshes[m].def.stretch_scale = meshes[m].def.bend_scale = map;
        double off = off_reference(&meshes[m].def, 1, 6);
        EXPECT_LT(off, m < 2 ? 1e-5 : 1e-4, "mesh %zu: %.3g m", m, off);
        free(map);
        test_mesh_free(meshes + m);
    }
}

/* Lattices, lines of tension and those of pins, rigid, with ranges and with compliance. */
Test(cloth_native, follows_it_with_lattices)
{
    test_mesh meshes[] = {
        test_grid(48, 48), test_grid(13, 40), test_grid(70, 33), test_grid(40, 30)};
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        meshes[m].def.lattices = true;
        if (m == 2)
            meshes[m].def.family_material[HED_CLOTH_STRUCTURAL] =
                (hed_cloth_material){0.9f, 1.01f, 0.0f};
        if (m == 3) {
            meshes[m].def.fabric = hed_cloth_fabric_named("interlock");
            for (uint32_t i = 0; i < meshes[m].def.particle_count; i++)
                meshes[m].inverse_masses[i] *= 1000.0f;
        }
        double off = off_reference(&meshes[m].def, 1, 6);
        /* an edge at its limit is in the system or not by rounding */
        EXPECT_LT(off, m == 2 ? 5e-3 : 1e-3, "mesh %zu: %.3g m", m, off);
        test_mesh_free(meshes + m);
    }
}

Test(cloth_native, follows_it_with_ranges_compliance_masses_and_tethers)
{
    test_mesh mesh = test_irregular(32, 8, 0.5f);
    mesh.def.family_material[HED_CLOTH_STRUCTURAL] = (hed_cloth_material){0.9f, 1.02f, 0.0f};
    mesh.def.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.7f, 1.1f, 1e-4f};
    double off = off_reference(&mesh.def, 1, 15);
    EXPECT_LT(off, 5e-5, "%.3g m", off);
    for (uint32_t i = 0; i < 100; i++) mesh.inverse_masses[7 * i] = i % 3 ? 20.0f : 0.0f;
    mesh.def.tethers = true;
    off = off_reference(&mesh.def, 1, 15);
    EXPECT_LT(off, 5e-5, "with tethers and locked ones: %.3g m", off);
    test_mesh_free(&mesh);
}

/* Materials of each constraint its own: octets are then hardly filled, and still right. */
Test(cloth_native, many_materials)
{
    test_mesh mesh = test_grid(24, 24);
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    hed_cloth_constraint *own = calloc(garment->constraint_count, sizeof *own);
    hed_cloth_material materials[97];
    for (uint32_t m = 0; m < 97; m++)
        materials[m] = (hed_cloth_material){
            1.0f - 0.001f * (float)m, 1.0f + 0.001f * (float)(m % 7), 1e-6f * (float)(m % 5)};
    for (uint32_t k = 0; k < garment->constraint_count; k++) {
        own[k] = garment->constraints[k];
        own[k].material = k * 31 % 97;
    }
    mesh.def.constraints = own;
    mesh.def.constraint_count = garment->constraint_count;
    mesh.def.materials = materials;
    mesh.def.material_count = 97;
    double off = off_reference(&mesh.def, 1, 15);
    EXPECT_LT(off, 5e-5, "%.3g m", off);
    free(own);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* What a pack makes of its particles is the same in every version, up to rounding. */
Test(cloth_native, versions_agree)
{
    test_mesh mesh = test_irregular(20, 6, 0.5f);
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    mesh.def.family_material[HED_CLOTH_BEND] = (hed_cloth_material){0.5f, 0.9f + 0.1f, 1e-3f};
    for (uint32_t i = 0; i < 200; i++) mesh.inverse_masses[i] = 1.0f; /* some packs are even */
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    uint32_t first[2] = {0, garment->particle_count};
    hed_cloth cloth = {
        .allocator = allocator, .garment_count = 1, .garments = &garment, .first_particle = first};
    cloth_native_tables *tables;
    OK(cloth_native_tables_create(&cloth, &tables, &error));
    const cloth_limits limits[3] = {{.low = 1.0f, .high = 1.0f}, {.low = 1.0f, .high = 1.0f},
        {.low = 0.5f, .high = 1.0f, .give = 0.3f}};
    float(*expected)[4] = aligned_alloc(64, 400 * sizeof *expected),
    (*found)[4] = aligned_alloc(64, 400 * sizeof *found);
    for (uint32_t v = 0; cloth_native_functions_at(v); v++) {
        for (uint32_t i = 0; i < 400; i++)
            for (int axis = 0; axis < 4; axis++)
                found[i][axis] =
                    garment->positions[i][axis] * (axis < 3 ? 1.0f + 0.01f * (float)(i % 9) : 1.0f);
        for (uint32_t c = 0; c < tables->step_count * tables->band_count; c++)
            cloth_native_functions_at(v)->packs(found, tables->packs + c, limits);
        for (uint32_t i = 0; v && i < 400; i++)
            for (int axis = 0; axis < 4; axis++)
                CHECK_NEAR(found[i][axis], expected[i][axis], 2e-6, "%s",
                    cloth_native_functions_at(v)->name);
        memcpy(expected, found, 400 * sizeof *found);
    }
    free(expected), free(found);
    cloth_native_tables_destroy(tables);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

/* Sweeps over strains too, which move the particles and keep multipliers. */
Test(cloth_native, versions_sweep_alike)
{
    enum { COUNT = 400 };
    test_mesh mesh = test_irregular(20, 6, 0.3f);
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    for (uint32_t i = 0; i < COUNT; i++) mesh.positions[3 * i + 1] = 0;
    mesh.def.fabric = hed_cloth_fabric_named("cotton");
    mesh.def.lattices = true;
    OK(cloth_garment_create(&allocator, &mesh.def, 0, &garment, &error));
    uint32_t first[2] = {0, garment->particle_count};
    hed_cloth cloth = {
        .allocator = allocator, .garment_count = 1, .garments = &garment, .first_particle = first};
    cloth_native_tables *tables;
    OK(cloth_native_tables_create(&cloth, &tables, &error));
    const cloth_limits limits[3] = {{1, 1, 0, 1e4f, 0}, {1, 1, 0, 1e4f, 0}, {1, 1, 0, 1e4f, 0}};
    float(*expected)[4] = aligned_alloc(64, COUNT * sizeof *expected),
    (*found)[4] = aligned_alloc(64, COUNT * sizeof *found);
    for (uint32_t v = 0; cloth_native_functions_at(v); v++) {
        const cloth_native_functions *of = cloth_native_functions_at(v);
        double moved = 0;
        for (uint32_t i = 0; i < COUNT; i++)
            for (int axis = 0; axis < 4; axis++)
                found[i][axis] =
                    garment->positions[i][axis] * (axis < 3 ? 1.0f + 0.01f * (float)(i % 9) : 1.0f);
        for (uint32_t sweep = 0; sweep < 3; sweep++)
            for (uint32_t c = 0; c < tables->step_count * tables->band_count; c++)
                if (sweep) of->sweep(found, tables->packs + c, 1e4f, sweep);
                else of->packs(found, tables->packs + c, limits);
        for (uint32_t i = 0; i < COUNT; i++)
            moved += fabs((double)found[i][0] - garment->positions[i][0]);
        EXPECT_LT(0.01, moved);
        for (uint32_t i = 0; v && i < COUNT; i++)
            for (int axis = 0; axis < 4; axis++)
                CHECK_NEAR(found[i][axis], expected[i][axis], 1e-5, "%s", of->name);
        memcpy(expected, found, COUNT * sizeof *found);
    }
    free(expected), free(found);
    cloth_native_tables_destroy(tables);
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}

static hed_cloth_metrics quality_of(hed_device *device, const hed_cloth_garment_def *garments,
    uint32_t count, hed_cloth_solver solver, uint32_t threads, uint32_t frames)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_metrics quality;
    def.solver = solver;
    def.threads = threads;
    def.substeps = 20;
    hed_cloth *cloth = make(device, garments, count, &def);
    step(cloth, frames);
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    hed_cloth_destroy(cloth);
    return quality;
}

Test(cloth_native, looks_like_the_colours)
{
    test_mesh mesh = test_grid(24, 24);
    mesh.def.tethers = true;
    native_cloth c = open_host();
    hed_cloth_metrics native = quality_of(c.device, &mesh.def, 1, HED_CLOTH_SOLVER_CPU, 1, 90);
    hed_cloth_metrics colours = quality_of(c.device, &mesh.def, 1, HED_CLOTH_SOLVER_COLOURS, 1, 90);
    EXPECT_LT(native.worst_stretch, 2.0 * colours.worst_stretch + 0.01,
        "stretch %g, the colours %g", native.worst_stretch, colours.worst_stretch);
    EXPECT_LT(fabs(native.residual - colours.residual), 0.3 * colours.residual,
        "residual %g, the colours %g", native.residual, colours.residual);
    EXPECT_LT(fabs(native.kinetic_energy - colours.kinetic_energy),
        0.2 * colours.kinetic_energy + 0.05, "energy %g J, the colours %g J", native.kinetic_energy,
        colours.kinetic_energy);
    for (int axis = 0; axis < 3; axis++) {
        EXPECT_LT(fabs(native.low[axis] - colours.low[axis]), 0.1, "axis %d", axis);
        EXPECT_LT(fabs(native.high[axis] - colours.high[axis]), 0.1, "axis %d", axis);
    }
    hed_context_destroy(c.context);
    test_mesh_free(&mesh);
}

/* Deep trapezoids for two threads, a barrier for each phase for many, more threads than bands: the
 * same bits. */
Test(cloth_native, threads_do_not_change_a_bit)
{
    test_mesh meshes[3] = {test_grid(96, 130), test_irregular(40, 3, 0.5f), test_fan(60)};
    hed_cloth_garment_def garments[3] = {meshes[0].def, meshes[1].def, meshes[2].def};
    garments[1].copies = 3;
    garments[2].tethers = true;
    garments[2].copies = 2;
    meshes[2].inverse_masses[0] = 0.0f;
    native_cloth c = open_host();
    for (uint32_t set = 0; set < 3; set++) {
        const hed_cloth_garment_def *first = set == 2 ? garments : garments + set;
        uint32_t count = set == 2 ? 3 : 1;
        uint64_t expected = quality_of(c.device, first, count, HED_CLOTH_SOLVER_CPU, 1, 4).hash;
        static const uint32_t threads[] = {2, 3, 7, 40};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            uint64_t hash =
                quality_of(c.device, first, count, HED_CLOTH_SOLVER_CPU, threads[t], 4).hash;
            EXPECT_EQ(hash, expected, "set %u, %u threads", set, threads[t]);
        }
    }
    hed_context_destroy(c.context);
    for (int m = 0; m < 3; m++) test_mesh_free(meshes + m);
}

/* Strict bits follow the plan of a garment: who has one, and its number of patches, decide on them. */
Test(cloth_native, strict_order_is_a_plan_of_the_garment)
{
    native_cloth c = open_host();
    hed_cloth_def strict = hed_default_cloth_def();
    test_mesh mesh = test_irregular(12, 3, 0.3f), sheet = test_grid(12, 12);
    strict.math = HED_MATH_STRICT;
    c.cloth = make(c.device, &sheet.def, 1, &strict);
    EXPECT(!cloth_is_planned(c.cloth, c.cloth->garments[0]), "several devices may cut a sheet");
    hed_cloth_destroy(c.cloth);
    c.cloth = make(c.device, &mesh.def, 1, &strict);
    cloth_garment garment = *c.cloth->garments[0];
    EXPECT(cloth_is_planned(c.cloth, &garment));
    c.cloth->def.iterations = 2;
    EXPECT(!cloth_is_planned(c.cloth, &garment), "two iterations");
    c.cloth->def.iterations = 1;
    c.cloth->def.math = HED_MATH_FAST;
    EXPECT(!cloth_is_planned(c.cloth, &garment), "fast");
    c.cloth->def.math = HED_MATH_STRICT;
    garment.lattice_count = 1;
    EXPECT(!cloth_is_planned(c.cloth, &garment), "lattices");
    garment.lattice_count = 0;
    garment.line_rows = 1;
    EXPECT(!cloth_is_planned(c.cloth, &garment), "lines");
    garment.line_rows = 0;
    static const uint32_t patches[][2] = {
        {2048, 1}, {2049, 5}, {2560, 5}, {65536, 128}, {65537, 0}};
    for (size_t i = 0; i < HED_COUNT(patches); i++) {
        garment.particle_count = patches[i][0];
        EXPECT_EQ(cloth_is_planned(c.cloth, &garment), patches[i][1] > 0);
        if (patches[i][1]) EXPECT_EQ(cloth_strict_plan(&garment).patches, patches[i][1]);
    }
    hed_cloth_destroy(c.cloth);
    hed_context_destroy(c.context);
    test_mesh_free(&mesh), test_mesh_free(&sheet);
}

/* A cloth has as many threads as it has work for, no more than the context allows, and always those
 * that it is told. */
Test(cloth_native, threads_by_size)
{
    static const struct {
        uint32_t host, width, height, told;
        const char *expected;
    } cases[] = {
        {4, 61, 41, 0, " 1 thread"}, /* data/scenes/flag.json */
        {4, 61, 41, 2, " 2 threads"},
        {4, 100, 100, 0, " 2 threads"},
        {4, 255, 255, 0, " 4 threads"},
        {1, 255, 255, 0, " 1 thread"},
        {1, 61, 41, 3, " 3 threads"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hed_context_def context = hed_default_context_def();
        hed_cloth_def def = hed_default_cloth_def();
        native_cloth c;
        test_mesh mesh = test_grid(cases[k].width, cases[k].height);
        context.host_threads = cases[k].host;
        def.threads = cases[k].told;
        OK(hed_context_create(&context, &c.context, &error));
        OK(hed_device_find(c.context, "host", &c.device, &error));
        c.cloth = make(c.device, &mesh.def, 1, &def);
        hed_cloth_info report;
        report = hed_cloth_describe(c.cloth);
        const char *found = strrchr(report.choice, ',');
        EXPECT(
            found && strcmp(found + 1, cases[k].expected) == 0, "case %zu: %s", k, report.choice);
        hed_cloth_destroy(c.cloth);
        hed_context_destroy(c.context);
        test_mesh_free(&mesh);
    }
}

/* Driver, colliders and wind act on particles by the formulas of every solver: where the
 * constraints have nothing to do, the same bits as the colours have. */
Test(cloth_native, surroundings_are_those_of_the_colours)
{
    test_mesh mesh = test_grid(20, 20);
    float reach[400], normals[1200], driver[1200];
    for (uint32_t i = 0; i < 400; i++) {
        reach[i] = i % 5 ? 0.1f : 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            driver[3 * i + axis] = mesh.positions[3 * i + axis] + (axis == 1 ? 0.2f : 0.0f);
            normals[3 * i + axis] = axis == 1 ? 1.0f : 0.0f;
        }
    }
    mesh.def.driven = true;
    mesh.def.max_distance = reach;
    mesh.def.drag = 1.0f;
    mesh.def.thickness = 0.1f; /* the ball acts on vertices alone */
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++)
        mesh.def.family_material[f] = (hed_cloth_material){0.0f, 100.0f, 0.0f};
    native_cloth c = open_host();
    float *found[2];
    for (int k = 0; k < 2; k++) {
        hed_cloth_def def = hed_default_cloth_def();
        def.substeps = 5;
        def.solver = k ? HED_CLOTH_SOLVER_CPU : HED_CLOTH_SOLVER_COLOURS;
        c.cloth = make(c.device, &mesh.def, 1, &def);
        hed_cloth_frame frame = hed_default_cloth_frame();
        const hed_cloth_collider ball = {
            HED_CLOTH_SPHERE, {0.3f, 0.1f, 0.1f}, {0.0f}, {0.25f, 0.0f}, 0.5f};
        frame.driver_positions = driver;
        frame.driver_normals = normals;
        frame.colliders = &ball;
        frame.collider_count = 1;
        frame.wind[0] = 3.0f;
        for (int i = 0; i < 10; i++) OK(hed_cloth_step(c.cloth, &frame, &error));
        found[k] = positions_of(c.cloth);
        hed_cloth_destroy(c.cloth);
    }
    EXPECT_BYTES(found[0], found[1], 1200 * sizeof(float));
    EXPECT_NE(found[0][4], mesh.positions[4], "it moved");
    free(found[0]), free(found[1]);
    hed_context_destroy(c.context);
    test_mesh_free(&mesh);
}

/* Far beyond the speed limit: no particle goes farther than it may, none is lost. */
Test(cloth_native, nothing_flies_away)
{
    test_mesh mesh = test_grid(10, 10);
    native_cloth c = open_host();
    c.cloth = make(c.device, &mesh.def, 1, NULL);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = -1e4f;
    frame.seconds = 1.0;
    OK(hed_cloth_step(c.cloth, &frame, &error));
    hed_cloth_metrics quality;
    OK(hed_cloth_evaluate(c.cloth, &quality, &error));
    EXPECT_EQ(quality.not_finite, 0);
    hed_cloth_destroy(c.cloth);
    hed_context_destroy(c.context);
    test_mesh_free(&mesh);
}

Test(cloth_native, says_where_it_is_not_valid)
{
    test_mesh mesh = test_grid(6, 6);
    native_cloth c = open_host();
    hed_cloth_def def = hed_default_cloth_def();
    def.solver = HED_CLOTH_SOLVER_CPU;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.math = HED_MATH_STRICT;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(c.device, &def, &c.cloth, &error));
    def.math = HED_MATH_FAST;
    def.iterations = 2;
    mesh.def.family_material[0].compliance = 1e-5f;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(c.device, &def, &c.cloth, &error));
    EXPECT(strstr(error.text, "compliance"), "%s", error.text);
    hed_context_destroy(c.context);
    test_mesh_free(&mesh);
}

/* ---- colliders ---- */

enum { ACTED = 203, ACTED_COLLIDERS = 20 };

/* Spheres, capsules and a plane that move, some of them fast. */
static void make_colliders(float4 *colliders)
{
    for (uint32_t k = 0; k < ACTED_COLLIDERS; k++) {
        float v[12], shape = k == 3 ? 0.0f : (float)(1 + k % 2);
        cloth_sample_floats(v, 12, k, 7, -1.0f, 1.0f);
        float4 *words = colliders + CLOTH_COLLIDER_WORDS * k, a = {v[0], v[1], v[2], 0.15f},
               b = {v[3], v[4], v[5], 0.1f};
        if (k == 3) a.y = -0.8f, b = (float4){0.1f, 1.0f, 0.0f, 0.0f};
        words[0] = words[2] = a;
        words[1] = words[3] = b;
        words[2].x += 0.1f * v[6];
        words[2].y += 0.1f * v[7];
        words[4] = (float4){shape, 0.5f, (float)(k % 5 == 0), 0.0f};
    }
}

/* Colliders move particles in lanes as they move one after another, with the same bits: particles of
 * several garments, held ones and overstretched ones, and more colliders than stay posed. */
Test(cloth_native, particles_in_lanes_collide_as_one_by_one)
{
    static float4 before[ACTED], start[ACTED], lanes[ACTED], one_by_one[ACTED],
        garments[CLOTH_GARMENT_WORDS * CLOTH_SAMPLE_GARMENTS],
        colliders[CLOTH_COLLIDER_WORDS * ACTED_COLLIDERS];
    uint32_t moved = 0;
    cloth_sample_garments(garments);
    make_colliders(colliders);
    for (uint32_t i = 0; i < ACTED; i++) {
        float v[6];
        cloth_sample_floats(v, 6, i, 9, -1.0f, 1.0f);
        float motion = i % 3 ? 0.02f : 0.8f, garment = (float)(i / 37 % CLOTH_SAMPLE_GARMENTS);
        start[i] = (float4){v[0], v[1], v[2], i % 11 ? 2.0f : 0.0f};
        before[i] = (float4){v[0] + motion * v[3], v[1] + motion * v[4], v[2] + motion * v[5],
            garment + (i % 7 ? 0.0f : CLOTH_OVERSTRETCHED)};
    }
    memcpy(lanes, start, sizeof start);
    memcpy(one_by_one, start, sizeof start);
    const cloth_step step = {.from = 0.25f, .to = 0.5f, .colliders = ACTED_COLLIDERS};
    cloth_arrays arrays = {
        .drive = {
            .position = lanes, .previous = before, .garments = garments, .colliders = colliders}};
    cloth_native_act(&arrays, &step, 0, ACTED);
    arrays.drive.position = one_by_one;
    for (uint32_t i = 0; i < ACTED; i++) {
        cloth_drive_one(i, arrays.drive, step);
        moved += memcmp(&one_by_one[i], &start[i], sizeof *start) != 0;
    }
    EXPECT_BYTES(lanes, one_by_one, sizeof lanes, "particles in lanes");
    EXPECT(moved > ACTED / 8 && moved < ACTED, "%u particles moved", moved);
}

/* The n-th allocation of the tables fails, for every n. */
Test(cloth_native, memory_may_run_out_anywhere)
{
    test_mesh mesh = test_irregular(6, 4, 0.5f);
    hed_allocator plain = hed_default_allocator();
    cloth_garment *garment;
    OK(cloth_garment_create(&plain, &mesh.def, 0, &garment, &error));
    uint32_t first[2] = {0, garment->particle_count};
    for (int64_t n = 1;; n++) {
        test_allocator counting = {.fail_at = n};
        hed_cloth cloth = {.allocator = test_allocator_of(&counting),
            .garment_count = 1,
            .garments = &garment,
            .first_particle = first};
        cloth_native_tables *tables = NULL;
        garment->arena.allocator = cloth.allocator;
        hed_error_clear(&error);
        hed_status status = cloth_native_tables_create(&cloth, &tables, &error);
        garment->arena.allocator = plain;
        cloth_native_tables_destroy(tables);
        CHECK_EQ(counting.live, 0);
        CHECK_EQ(counting.bytes, 0);
        if (!status) {
            EXPECT_GT(n, 5);
            break;
        }
        CHECK_EQ(status, HED_ERROR_MEMORY);
    }
    cloth_garment_destroy(garment);
    test_mesh_free(&mesh);
}
