/* Solvers of one launch in strict mode: HED_CLOTH_SOLVER_COOPERATIVE (one group where there is no barrier
 * over the grid), PATCHES and GARMENTS have the bits of HED_CLOTH_SOLVER_COLOURS, here and on host; on PoCL, whose
 * compiler takes long, those on host, and of two fabrics each scene has one, unless HEDDLE_TEST_FULL is set. */
/* ctest: devices */
#include "cloth_lattice_sheets.h"
#include "cloth_result.h"

/* Skips the suite on host, after checking that the refusal names the solver to use. */
static void open(void)
{
    here_open();
    if (strcmp(hed_device_describe(here.device).backend, "host") != 0) return;
    test_mesh grid = test_grid(4, 4);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &grid.def;
    def.garment_count = 1;
    def.math = HED_MATH_STRICT;
    def.solver = HED_CLOTH_SOLVER_COOPERATIVE;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "\"colours\""), "%s", error.text);
    test_mesh_free(&grid);
    here_close();
    test_skip("host has no such solvers");
}

TestSuite(cloth_one_launch, .init = open, .fini = here_close);

enum { FRAMES = 12, MOST_PARTICLES = 2400 };

/* Surroundings of a scene: a ball that rises, a driver that sways, wind in gusts. */
typedef struct scene {
    const hed_cloth_garment_def *garments;
    uint32_t count, substeps;
    bool ball, driver, wind;
} scene;

static void move(const scene *s, hed_cloth *cloth)
{
    static float driver[3 * MOST_PARTICLES], normals[3 * MOST_PARTICLES];
    const hed_cloth_garment_def *garment = s->garments;
    for (uint32_t k = 0; k < FRAMES; k++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        const hed_cloth_collider colliders[2] = {{.shape = HED_CLOTH_SPHERE,
                                                     .a = {0.2f, -0.4f + 0.02f * (float)k, 0.1f},
                                                     .radius = {0.3f},
                                                     .friction = 0.3f},
            {.shape = HED_CLOTH_PLANE, .a = {0, -0.5f, 0}, .b = {0, 1, 0}, .friction = 0.5f}};
        for (uint32_t i = 0; s->driver && i < hed_cloth_particle_count(cloth); i++) {
            memcpy(driver + 3 * i, garment->positions + 3 * (i % garment->particle_count), 12);
            driver[3 * i] += 0.01f * (float)(k % 7);
            driver[3 * i + 1] += 0.02f * (float)k;
            normals[3 * i + 1] = 1;
        }
        if (s->ball) frame.colliders = colliders, frame.collider_count = 2;
        if (s->driver) frame.driver_positions = driver, frame.driver_normals = normals;
        if (s->wind) frame.wind[0] = 4, frame.gust = 0.5f;
        frame.frames = 1 + k % 2;
        OK(hed_cloth_step(cloth, &frame, &error));
    }
}

static cloth_result result_by(hed_device *device, hed_cloth_solver solver, const scene *s)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = s->garments;
    def.garment_count = s->count;
    def.substeps = s->substeps;
    def.math = HED_MATH_STRICT;
    def.solver = solver;
    def.max_colliders = s->ball ? 2 : 0;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    CHECK_EQ(hed_cloth_describe(cloth).solver, solver);
    CHECK_LE(hed_cloth_particle_count(cloth), MOST_PARTICLES);
    move(s, cloth);
    cloth_result r = result_of(cloth);
    hed_cloth_destroy(cloth);
    return r;
}

static void expect_the_bits_of_colours_by(hed_cloth_solver solver, const scene *s)
{
    uint32_t particles = 0;
    for (uint32_t g = 0; g < s->count; g++)
        particles += s->garments[g].particle_count * s->garments[g].copies;
    cloth_result found = result_by(here.device, solver, s),
                 on_host = result_by(host_device(), HED_CLOTH_SOLVER_COLOURS, s);
    expect_equal(&found, &on_host, particles);
    if (!layout_compiles_long(&here)) {
        cloth_result colours = result_by(here.device, HED_CLOTH_SOLVER_COLOURS, s);
        expect_equal(&found, &colours, particles);
        result_free(&colours);
    }
    EXPECT_GT(found.quality.kinetic_energy, 1e-4);
    result_free(&found);
    result_free(&on_host);
}

static void expect_the_bits_of_colours(const scene *s)
{
    expect_the_bits_of_colours_by(HED_CLOTH_SOLVER_COOPERATIVE, s);
}

/* A sheet of one grid, whose lattices and lines have multipliers or not. */
static void expect_of_sheet(const hed_cloth_fabric *fabric, bool ball)
{
    test_mesh grid = test_grid(40, 33);
    make_lattices(&grid, fabric);
    grid.inverse_masses[40 * 15 + 8] = 0;
    expect_the_bits_of_colours(&(scene){&grid.def, 1, 4, .ball = ball});
    test_mesh_free(&grid);
}

Test(cloth_one_launch, a_sheet_that_hangs)
{
    expect_of_sheet(&rigid, false);
    if (!layout_compiles_long(&here)) expect_of_sheet(hed_cloth_fabric_named("interlock"), false);
}

Test(cloth_one_launch, a_sheet_over_a_ball)
{
    if (!layout_compiles_long(&here)) expect_of_sheet(&rigid, true);
    expect_of_sheet(hed_cloth_fabric_named("interlock"), true);
}

/* Pins follow the driver, others are held near it; the air blows, and the fabric is painted. */
Test(cloth_one_launch, a_sheet_whose_pins_move)
{
    test_mesh grid = test_grid(30, 21);
    const uint32_t count = grid.def.particle_count;
    float *distance = malloc(count * sizeof *distance), *stretch = malloc(count * sizeof *stretch),
          *bend = malloc(count * sizeof *bend);
    make_lattices(&grid, hed_cloth_fabric_named("cotton"));
    for (uint32_t i = 0; i < count; i++) {
        distance[i] = i < 30 ? 0 : i % 9 ? INFINITY : 0.1f;
        stretch[i] = 0.2f + 0.1f * (float)(i % 13);
        bend[i] = 0.5f + 0.1f * (float)(i % 17);
    }
    grid.def.driven = true;
    grid.def.max_distance = distance;
    grid.def.stretch_scale = stretch;
    grid.def.bend_scale = bend;
    grid.def.drag = grid.def.lift = 0.4f;
    expect_the_bits_of_colours(
        &(scene){&grid.def, 1, 3, .ball = true, .driver = true, .wind = true});
    test_mesh_free(&grid);
    free(distance), free(stretch), free(bend);
}

/* Panels of triangles: a hole in one, and a fabric painted on it; distances alone without a fabric. */
Test(cloth_one_launch, meshes)
{
    test_mesh mesh = test_irregular(22, 7, 0.3f);
    float *stretch = malloc(mesh.def.particle_count * sizeof *stretch);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < mesh.def.triangle_count; t++) {
        const float *corner = mesh.positions + 3 * mesh.triangles[3 * t];
        if (corner[0] * corner[0] + corner[2] * corner[2] < 0.1f) continue;
        memmove(mesh.triangles + 3 * kept++, mesh.triangles + 3 * t, 3 * sizeof *mesh.triangles);
    }
    CHECK_LT(kept, mesh.def.triangle_count);
    mesh.def.triangle_count = kept;
    for (uint32_t i = 0; i < mesh.def.particle_count; i++)
        stretch[i] = 0.5f + 0.1f * (float)(i % 7);
    expect_the_bits_of_colours(&(scene){&mesh.def, 1, 6, .ball = true});
    make_lattices(&mesh, hed_cloth_fabric_named("cotton"));
    mesh.def.stretch_scale = stretch;
    expect_the_bits_of_colours(&(scene){&mesh.def, 1, 4, .wind = true});
    test_mesh_free(&mesh);
    free(stretch);
}

/* A sheet twice, one of a fabric that gives, and one that has no fabric. */
Test(cloth_one_launch, several_garments)
{
    test_mesh grid = test_grid(20, 20), knit = test_grid(17, 12), plain = test_grid(9, 9);
    make_lattices(&grid, &rigid);
    make_lattices(&knit, hed_cloth_fabric_named("interlock"));
    grid.inverse_masses[20 * 11 + 8] = 0;
    hed_cloth_garment_def garments[3] = {grid.def, knit.def, plain.def};
    garments[0].copies = 2;
    expect_the_bits_of_colours(&(scene){garments, 3, 4, .ball = true});
    test_mesh_free(&grid), test_mesh_free(&knit), test_mesh_free(&plain);
}

/* Pins near each other, whose lattices have particles in common: the first lattice and the second one of
 * either side are tasks of different groups, which have to meet. */
Test(cloth_one_launch, pins_near_each_other)
{
    static const uint32_t pins[][2] = {{17, 0}, {17, 33}, {19, 33}, {22, 0}}; /* row, column */
    test_mesh grid = test_grid(34, 42);
    make_lattices(&grid, &rigid);
    for (size_t k = 0; k < HED_COUNT(pins); k++)
        grid.inverse_masses[34 * pins[k][0] + pins[k][1]] = 0;
    grid.inverse_masses[0] = grid.inverse_masses[33] = grid.inverse_masses[34];
    expect_the_bits_of_colours(&(scene){&grid.def, 1, 4, .ball = true});
    test_mesh_free(&grid);
}

/* ---- patches: garments whose order is that of a plan ---- */

/* Ranges of lengths and compliance, pins; `mesh`: a grid with tethers, or triangles. */
static void expect_of_patches(hed_cloth_solver solver, test_mesh *mesh, scene s)
{
    hed_cloth_garment_def *garment = &mesh->def;
    garment->family_material[1] = (hed_cloth_material){0.9f, 1, 0};
    garment->family_material[2] = (hed_cloth_material){0.7f, 1.01f, 1e-3f};
    garment->drag = garment->lift = 0.6f;
    garment->driven = s.driver;
    for (uint32_t i = 0; i < 20; i++) mesh->inverse_masses[i] = 0;
    s.garments = garment;
    s.count = 1;
    s.substeps = 6;
    expect_the_bits_of_colours_by(solver, &s);
}

Test(cloth_one_launch, garments_by_group)
{
    test_mesh grid = test_grid(32, 21), mesh = test_irregular(20, 7, 0.3f);
    grid.def.tethers = true;
    grid.def.copies = 3;
    mesh.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    expect_of_patches(HED_CLOTH_SOLVER_GARMENTS, &grid, (scene){.ball = true, .wind = true});
    expect_of_patches(HED_CLOTH_SOLVER_GARMENTS, &mesh, (scene){.ball = true, .driver = true});
    test_mesh_free(&grid), test_mesh_free(&mesh);
}

Test(cloth_one_launch, garments_in_patches)
{
    test_mesh grid = test_grid(60, 40), mesh = test_irregular(47, 7, 0.3f);
    grid.def.tethers = true;
    expect_of_patches(
        HED_CLOTH_SOLVER_PATCHES, &grid, (scene){.ball = true, .driver = true, .wind = true});
    expect_of_patches(HED_CLOTH_SOLVER_PATCHES, &mesh, (scene){.wind = true});
    test_mesh_free(&grid), test_mesh_free(&mesh);
}

/* A fabric's order is that of the colours, which the message names. */
Test(cloth_one_launch, patches_of_a_fabric_are_refused)
{
    test_mesh grid = test_grid(9, 9);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    grid.def.fabric = hed_cloth_fabric_named("cotton");
    def.garments = &grid.def;
    def.garment_count = 1;
    def.math = HED_MATH_STRICT;
    def.solver = HED_CLOTH_SOLVER_PATCHES;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "\"colours\""), "%s", error.text);
    test_mesh_free(&grid);
}
