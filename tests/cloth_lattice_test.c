/* Lattices: the stretch, drape and energy of a sheet with few substeps, on the device under test;
 * the stiffness of cloth that gives; refusals. */
#include "testing.h"

#include "cloth_meshes.h"

static hed_error error;

/* Rigid in tension, soft in shear: the sheet that hangs and drapes in heddle cloth bench. Poisson's
 * ratio couples warp and weft by the stiffness of shear, as springs on the diagonals would. */
static const hed_cloth_fabric sheet_fabric = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f};

static test_mesh sheet_of(uint32_t n, const hed_cloth_fabric *fabric, bool lattices)
{
    test_mesh mesh = test_grid(n, n);
    float step = 2.0f / (float)(n - 1), mass = fabric->density * step * step;
    for (uint32_t i = 0; i < n * n; i++)
        if (mesh.inverse_masses[i] > 0) mesh.inverse_masses[i] = 1 / mass;
    mesh.def.fabric = fabric;
    mesh.def.damping = 0.65f;
    mesh.def.lattices = lattices;
    return mesh;
}

typedef struct hanging {
    double p99, worst, rise; /* maxima over all frames; J above the start */
    double lowest;           /* m, at the end */
    float *positions;        /* at the end */
} hanging;

static double energy_of(
    const test_mesh *mesh, const float *positions, const hed_cloth_metrics *quality)
{
    double energy = quality->kinetic_energy;
    for (uint32_t i = 0; i < mesh->def.particle_count; i++)
        if (mesh->inverse_masses[i] > 0)
            energy += 9.81 * (double)positions[3 * i + 1] / mesh->inverse_masses[i];
    return energy;
}

static hanging hang(const test_device *t, const test_mesh *mesh, const hed_cloth_def *how,
    const hed_cloth_frame *moment, uint32_t frames)
{
    hed_cloth_def def = *how;
    hed_cloth *cloth;
    hanging found = {.rise = -1e9};
    found.positions = calloc(mesh->def.particle_count, 3 * sizeof(float));
    def.garments = &mesh->def;
    def.garment_count = 1;
    OK(hed_cloth_create(t->device, &def, &cloth, &error));
    for (uint32_t i = 0; i < frames; i++) {
        hed_cloth_metrics quality;
        OK(hed_cloth_step(cloth, moment, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        OK(hed_cloth_read(cloth, found.positions, NULL, NULL, &error));
        found.p99 = fmax(found.p99, quality.stretch_p99);
        found.worst = fmax(found.worst, quality.worst_stretch);
        found.rise = fmax(found.rise, energy_of(mesh, found.positions, &quality));
        found.lowest = quality.low[1];
    }
    hed_cloth_destroy(cloth);
    return found;
}

static double rms_between(const hanging *a, const hanging *b, uint32_t particles)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * particles; i++)
        sum += ((double)a->positions[i] - b->positions[i]) *
               ((double)a->positions[i] - b->positions[i]);
    return sqrt(sum / particles);
}

/* Four substeps with lattices hold what twelve without do not, in every frame. */
Test(cloth_lattice, a_sheet_by_two_corners_keeps_its_length)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    test_mesh with = sheet_of(64, &sheet_fabric, true),
              without = sheet_of(64, &sheet_fabric, false);
    def.substeps = 4;
    hanging few = hang(&t, &with, &def, &moment, 30);
    def.substeps = 24;
    hanging many = hang(&t, &with, &def, &moment, 30);
    def.substeps = 12;
    hanging plain = hang(&t, &without, &def, &moment, 15);
    EXPECT_LT(few.p99, 0.02);
    EXPECT_LT(few.worst, 0.05);
    EXPECT_LT(few.rise, 1e-4, "energy rose by %g J", few.rise);
    EXPECT_LT(rms_between(&few, &many, 64 * 64), 0.04);
    EXPECT_GT(plain.worst, 0.3, "the sheet without lattices stretches by %g", plain.worst);
    free(few.positions), free(many.positions), free(plain.positions);
    test_mesh_free(&with), test_mesh_free(&without);
    test_close(&t);
}

/* A sheet for which no bodies are announced has a step of second order: with two substeps it hangs as with
 * many, where one with bodies lags. */
Test(cloth_lattice, a_sheet_that_touches_nothing_needs_two_substeps)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    bool on_host = strcmp(hed_device_describe(t.device).backend, "host") == 0;
    const uint32_t sides[] = {32, 64, 128};
    for (size_t k = 0; k < (on_host ? HED_COUNT(sides) : 1); k++)
        for (hed_math math = HED_MATH_FAST; math <= HED_MATH_STRICT; math++) {
            test_mesh sheet = sheet_of(sides[k], &sheet_fabric, true);
            uint32_t particles = sides[k] * sides[k];
            def.math = math;
            def.max_colliders = 0;
            def.substeps = 2;
            hanging second = hang(&t, &sheet, &def, &moment, 30);
            def.substeps = 24;
            hanging many = hang(&t, &sheet, &def, &moment, 30);
            def.max_colliders = 1;
            def.substeps = 2;
            hanging first = hang(&t, &sheet, &def, &moment, 30);
            EXPECT_LT(second.p99, 0.02, "%u x %u", sides[k], sides[k]);
            EXPECT_LT(second.worst, 0.05, "%u x %u", sides[k], sides[k]);
            EXPECT_LT(
                second.rise, 1e-4, "%u x %u: energy rose by %g J", sides[k], sides[k], second.rise);
            double far = rms_between(&second, &many, particles),
                   first_far = rms_between(&first, &many, particles);
            EXPECT_LT(far, 0.8 * first_far, "%u x %u: %g m from many substeps", sides[k], sides[k],
                first_far);
            free(second.positions), free(many.positions), free(first.positions);
            test_mesh_free(&sheet);
        }
    test_close(&t);
}

/* Steps a cloth through 0.3 s. `time`: s since the start. */
static void fall(hed_cloth *cloth, double *time)
{
    hed_cloth_frame moment = hed_default_cloth_frame();
    for (double end = *time + 0.3; *time < end - 1e-6; *time += moment.seconds)
        OK(hed_cloth_step(cloth, &moment, &error));
}

/* Mean height of a cloth, m. */
static double height_of(hed_cloth *cloth, float *positions, uint32_t particles)
{
    double sum = 0;
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    for (uint32_t i = 0; i < particles; i++) sum += positions[3 * i + 1];
    return sum / particles;
}

/* A sheet falls as fast as everything, with any number of substeps, and goes on so in a cloth that has air and
 * therefore a step of first order, and back. Each change may lose or gain what gravity adds in 0.4 substeps. */
Test(cloth_lattice, a_sheet_falls_freely)
{
    enum { SIDE = 20, PARTICLES = SIDE * SIDE };
    test_device t = test_open(NULL);
    test_mesh sheet = sheet_of(SIDE, &sheet_fabric, true);
    float positions[3 * PARTICLES];
    for (uint32_t i = 0; i < PARTICLES; i++)
        sheet.inverse_masses[i] = sheet.inverse_masses[PARTICLES / 2];
    sheet.def.damping = 0;
    for (uint32_t substeps = 1; substeps < 20; substeps += 6) {
        hed_cloth_def def = hed_default_cloth_def();
        hed_cloth *cloths[2];
        double time = 0;
        def.garments = &sheet.def;
        def.garment_count = 1;
        def.substeps = substeps;
        def.max_colliders = 0;
        for (int airy = 0; airy < 2; airy++) {
            sheet.def.drag = airy ? 1e-9f : 0;
            OK(hed_cloth_create(t.device, &def, &cloths[airy], &error));
        }
        double begin = height_of(cloths[0], positions, PARTICLES);
        for (int turn = 0; turn < 3; turn++) {
            if (turn) OK(hed_cloth_continue(cloths[turn % 2], cloths[1 - turn % 2], &error));
            fall(cloths[turn % 2], &time);
            double fell = begin - height_of(cloths[turn % 2], positions, PARTICLES);
            double most = 1e-3 * fell + turn * 0.3 * 0.4 * 9.81 / 60 / substeps;
            EXPECT_NEAR(fell, 4.905 * time * time, most, "%u substeps, turn %d", substeps, turn);
        }
        for (int airy = 0; airy < 2; airy++) hed_cloth_destroy(cloths[airy]);
    }
    test_mesh_free(&sheet);
    test_close(&t);
}

static void drop_on_ball(const test_device *t, uint32_t n, uint32_t substeps, uint32_t frames)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_collider ball = {
        .shape = HED_CLOTH_SPHERE, .a = {0, -0.42f, 0}, .radius = {0.4f, 0.4f}, .friction = 0.4f};
    test_mesh with = sheet_of(n, &sheet_fabric, true);
    for (uint32_t i = 0; i < n * n; i++)
        if (!(with.inverse_masses[i] > 0)) with.inverse_masses[i] = with.inverse_masses[2 * n + 2];
    moment.colliders = &ball;
    moment.collider_count = 1;
    def.substeps = substeps;
    hanging draped = hang(t, &with, &def, &moment, frames);
    EXPECT_LT(draped.p99, 0.02, "%u x %u", n, n);
    EXPECT_LT(draped.worst, 0.05, "%u x %u", n, n);
    EXPECT_LT(draped.rise, 1e-3, "%u x %u: energy rose by %g J", n, n, draped.rise);
    EXPECT_LT(draped.lowest, -0.6, "%u x %u", n, n);
    free(draped.positions);
    test_mesh_free(&with);
}

/* The border hits the ball from below after half a second, at 4 m/s. */
Test(cloth_lattice, a_sheet_over_a_ball_keeps_its_length)
{
    test_device t = test_open(NULL);
    bool on_host = strcmp(hed_device_describe(t.device).backend, "host") == 0;
    drop_on_ball(&t, on_host ? 64 : 48, 8, 40);
    if (getenv("HEDDLE_TEST_FULL") || on_host) drop_on_ball(&t, 128, 6, 40);
    if (on_host)
        drop_on_ball(
            &t, 255, 9, 30); /* 8 %, were its edges shortened as often as those of 64 x 64 */
    if (getenv("HEDDLE_TEST_FULL")) drop_on_ball(&t, 255, 10, 60);
    test_close(&t);
}

/* A panel whose upper row is locked and whose lower one is pulled sideways by gravity turns by the angle
 * weight / (2 x width x shear) in the mean, also where a body is near: the sweeps over the cells together have the
 * requested stiffness, neither less nor more. */
Test(cloth_lattice, sweeps_over_the_cells_have_the_requested_stiffness)
{
    test_device t = test_open(NULL);
    const uint32_t n = 33;
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_collider plane = {.shape = HED_CLOTH_PLANE, .a = {0, -9, 0}, .b = {0, 1, 0}};
    test_mesh sheet = sheet_of(n, &sheet_fabric, true);
    for (uint32_t i = 0; i < n; i++) sheet.inverse_masses[i] = 0;
    sheet.def.damping = 0.99f;
    memcpy(moment.gravity, (float[]){2, 0, 0}, sizeof moment.gravity);
    moment.colliders = &plane;
    moment.collider_count = 1;
    def.substeps = 8;
    hanging turned = hang(&t, &sheet, &def, &moment, 180);
    const float *corner = turned.positions + 3 * (n * n - n);
    double expected = (double)sheet_fabric.density * 2 * 2 * 2 / (2 * (double)sheet_fabric.shear),
           found = (double)(corner[0] - sheet.positions[3 * (n * n - n)]);
    EXPECT_NEAR(found, expected, 0.05 * expected);
    free(turned.positions);
    test_mesh_free(&sheet);
    test_close(&t);
}

/* Substeps that the engine chooses: the fewest that pass the gate of heddle cloth bench (2 hung; 5, 6, 8
 * over a ball, at 64, 128 and 255), and a margin. */
Test(cloth_lattice, substeps_are_chosen_by_the_mesh_and_the_contact)
{
    test_device t = test_open(NULL);
    bool on_host = strcmp(hed_device_describe(t.device).backend, "host") == 0;
    const uint32_t sides[] = {32, 64, 128, 255}, hung[] = {3, 3, 3, 3}, touched[] = {8, 8, 9, 10},
                   meshed[] = {16, 16, 18, 20}, layered[] = {10, 10, 15, 20},
                   *const expected[] = {hung, touched, meshed, layered};
    for (size_t k = 0; k < (on_host ? HED_COUNT(sides) : 1); k++)
        for (uint32_t touches = 0; touches < HED_COUNT(expected); touches++) {
            test_mesh sheet = sheet_of(sides[k], &sheet_fabric, true);
            hed_cloth_def def = hed_default_cloth_def();
            hed_cloth *cloth;
            def.garments = &sheet.def;
            def.garment_count = 1;
            def.substeps = 0;
            def.max_colliders = touches == 1;
            def.max_collider_triangles = touches == 2;
            if (touches == 3) sheet.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
            if (touches == 3) sheet.def.thickness = 0.003f;
            OK(hed_cloth_create(t.device, &def, &cloth, &error));
            EXPECT_EQ(hed_cloth_describe(cloth).substeps, expected[touches][k], "%u x %u", sides[k],
                sides[k]);
            hed_cloth_destroy(cloth);
            test_mesh_free(&sheet);
        }
    test_close(&t);
}

static uint32_t chosen_substeps(
    hed_device *device, const hed_cloth_garment_def *garment, uint32_t colliders, float seconds)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = garment;
    def.garment_count = 1;
    def.max_colliders = colliders;
    def.frame_seconds = seconds;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    uint32_t substeps = hed_cloth_describe(cloth).substeps;
    hed_cloth_destroy(cloth);
    return substeps;
}

/* A closed box with sides of 5 cm. */
static test_mesh box_of_cloth(void)
{
    static const uint32_t quads[6][4] = {
        {0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    test_mesh box = test_mesh_of(8, 12);
    for (uint32_t i = 0; i < 24; i++) box.positions[i] = (i / 3 >> i % 3 & 1) ? 0.05f : 0.0f;
    for (uint32_t i = 0; i < 8; i++) box.inverse_masses[i] = 2000;
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = 0; k < 3; k++)
            box.triangles[3 * i + k] = quads[i / 2][k == 0 ? 0 : k + i % 2];
    return box;
}

/* Longer frames have more substeps, shorter ones fewer; a mesh that bodies may carry has more than one
 * that hangs, and one with pressure more than the least. */
Test(cloth_lattice, substeps_are_chosen_by_the_frame_and_the_load)
{
    test_device t = test_open(NULL);
    test_mesh sheet = sheet_of(32, &sheet_fabric, true), mesh = test_irregular(12, 3, 0.3f),
              box = box_of_cloth();
    EXPECT_EQ(chosen_substeps(t.device, &sheet.def, 0, 0), 3);
    EXPECT_EQ(chosen_substeps(t.device, &sheet.def, 0, 1 / 60.0f), 3);
    EXPECT_EQ(chosen_substeps(t.device, &sheet.def, 0, 1 / 24.0f), 8);
    EXPECT_EQ(chosen_substeps(t.device, &sheet.def, 0, 1 / 120.0f), 2);
    sheet.def.drag = 0.1f;
    EXPECT_EQ(chosen_substeps(t.device, &sheet.def, 0, 0), 6);
    uint32_t hung = chosen_substeps(t.device, &mesh.def, 0, 0),
             carried = chosen_substeps(t.device, &mesh.def, 1, 0);
    EXPECT(hung < carried, "%u and %u", hung, carried);
    uint32_t limp = chosen_substeps(t.device, &box.def, 0, 0);
    box.def.pressure = 2000;
    uint32_t filled = chosen_substeps(t.device, &box.def, 0, 0);
    EXPECT(limp < filled, "%u and %u", limp, filled);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &sheet.def;
    def.garment_count = 1;
    def.frame_seconds = 1.5f;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(t.device, &def, &cloth, &error));
    test_mesh_free(&box);
    test_mesh_free(&mesh);
    test_mesh_free(&sheet);
    test_close(&t);
}

/* A knit gives as without lattices: they hold no force that the lines hold already. */
Test(cloth_lattice, a_knit_keeps_its_stiffness)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_fabric *knit = hed_cloth_fabric_named("interlock");
    test_mesh with = sheet_of(33, knit, true), without = sheet_of(33, knit, false);
    for (uint32_t i = 0; i < 33; i++) with.inverse_masses[i] = without.inverse_masses[i] = 0;
    def.substeps = 10;
    hanging lattices = hang(&t, &with, &def, &moment, 40);
    def.substeps = 60;
    hanging plain = hang(&t, &without, &def, &moment, 40);
    EXPECT_NEAR(lattices.lowest, plain.lowest, 0.03);
    EXPECT_NEAR(lattices.p99, plain.p99, 0.1 * plain.p99);
    free(lattices.positions), free(plain.positions);
    test_mesh_free(&with), test_mesh_free(&without);
    test_close(&t);
}

/* Where cloth may touch something lines are solved several times, and stretch is limited. Neither
 * makes a fabric stiffer: a plane below it, which it does not touch, changes nothing. */
Test(cloth_lattice, a_fabric_near_a_body_keeps_its_stiffness)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_collider plane = {
        .shape = HED_CLOTH_PLANE, .a = {0, -9, 0}, .b = {0, 1, 0}, .friction = 0.4f};
    test_mesh mesh = sheet_of(33, hed_cloth_fabric_named("interlock"), true);
    def.substeps = 12;
    hanging alone = hang(&t, &mesh, &def, &moment, 30);
    moment.colliders = &plane;
    moment.collider_count = 1;
    hanging near_body = hang(&t, &mesh, &def, &moment, 30);
    EXPECT_GT(alone.p99, 0.1, "the fabric does not give: %g", alone.p99);
    EXPECT_NEAR(near_body.p99, alone.p99, 0.03 * alone.p99);
    EXPECT_LT(rms_between(&near_body, &alone, 33 * 33), 0.02);
    free(alone.positions), free(near_body.positions);
    test_mesh_free(&mesh);
    test_close(&t);
}

/* A flat sheet of random triangles with a hole, which a lattice's edges leave out. */
static test_mesh random_sheet(uint32_t n, const hed_cloth_fabric *fabric, bool lattices)
{
    test_mesh mesh = test_mesh_of(n * n, 2 * (n - 1) * (n - 1));
    static const float warp[3] = {1, 0, 0};
    float step = 2.0f / (float)(n - 1), mass = fabric->density * step * step;
    uint32_t seed = 5, count = 0;
    for (uint32_t i = 0; i < n * n; i++) {
        uint32_t x = i % n, y = i / n;
        float jitter = x > 0 && y > 0 && x + 1 < n && y + 1 < n ? 0.25f * step : 0;
        mesh.positions[3 * i] = (float)x * step + jitter * (2 * test_random(&seed) - 1);
        mesh.positions[3 * i + 2] = (float)y * step + jitter * (2 * test_random(&seed) - 1);
        mesh.inverse_masses[i] = y == 0 && (x == 0 || x + 1 == n) ? 0 : 1 / mass;
    }
    for (uint32_t y = 0; y + 1 < n; y++)
        for (uint32_t x = 0; x + 1 < n; x++) {
            uint32_t a = y * n + x, side = test_random(&seed) < 0.5f ? 0 : 1;
            const uint32_t both[2][6] = {{a, a + n, a + 1, a + 1, a + n, a + n + 1},
                {a, a + n, a + n + 1, a, a + n + 1, a + 1}};
            bool hole = x > n / 2 && x < n / 2 + 6 && y > n / 2 && y < n / 2 + 6;
            if (!hole) memcpy(mesh.triangles + 6 * count++, both[side], sizeof *both);
        }
    mesh.def.triangle_count = 2 * count;
    mesh.def.fabric = fabric;
    mesh.def.damping = 0.65f;
    mesh.def.lattices = lattices;
    memcpy(mesh.def.warp_axis, warp, sizeof warp);
    return mesh;
}

Test(cloth_lattice, a_mesh_with_a_hole_stretches_less)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_fabric *cotton = hed_cloth_fabric_named("cotton");
    test_mesh with = random_sheet(40, cotton, true), without = random_sheet(40, cotton, false);
    def.substeps = 6;
    hanging lattices = hang(&t, &with, &def, &moment, 15);
    hanging plain = hang(&t, &without, &def, &moment, 15);
    EXPECT_LT(lattices.p99, 0.7 * plain.p99);
    EXPECT_LT(lattices.worst, 0.7 * plain.worst);
    EXPECT_LT(lattices.rise, 1e-3, "energy rose by %g J", lattices.rise);
    free(lattices.positions), free(plain.positions);
    test_mesh_free(&with), test_mesh_free(&without);
    test_close(&t);
}

/* Elements are swept several times in a substep, with multipliers: a knit on irregular triangles gives
 * with few substeps as with many, and cotton is no softer. */
static void check_mesh_stretch(hed_cloth_solver solver, const char *fabric, double near)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_fabric *of = hed_cloth_fabric_named(fabric);
    test_mesh with = random_sheet(24, of, true), without = random_sheet(24, of, false);
    for (uint32_t i = 0; i < 24; i++) with.inverse_masses[i] = without.inverse_masses[i] = 0;
    def.solver = solver;
    def.substeps = 6;
    hanging swept = hang(&t, &with, &def, &moment, 30);
    def.substeps = 100;
    hanging plain = hang(&t, &without, &def, &moment, 30);
    EXPECT_NEAR(swept.p99, plain.p99, near * plain.p99, "%s", fabric);
    EXPECT_NEAR(swept.lowest, plain.lowest, 0.02, "%s", fabric);
    EXPECT_LT(swept.rise, 1e-3, "energy rose by %g J", swept.rise);
    free(swept.positions), free(plain.positions);
    test_mesh_free(&with), test_mesh_free(&without);
    test_close(&t);
}

Test(cloth_lattice, a_mesh_gives_as_its_fabric)
{
    check_mesh_stretch(HED_CLOTH_SOLVER_AUTO, "interlock", 0.1);
    check_mesh_stretch(HED_CLOTH_SOLVER_AUTO, "cotton", 0.3);
    check_mesh_stretch(HED_CLOTH_SOLVER_COLOURS, "interlock", 0.1);
}

/* A mesh that hangs by two corners stretches with the chosen substeps as with many, within the tenth that the
 * gate allows. Where bodies may carry it, its sweeps replace substeps. */
Test(cloth_lattice, a_mesh_has_the_substeps_that_its_sweeps_need)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    const hed_cloth_fabric gives = {2000.0f, 1500.0f, 40.0f, 1e-5f, 1e-5f, 0.15f, 0.0f};
    test_mesh with = random_sheet(48, &gives, true), without = random_sheet(48, &gives, false);
    def.max_colliders = 0;
    hanging chosen = hang(&t, &with, &def, &moment, 30);
    def.substeps = 200;
    hanging many = hang(&t, &with, &def, &moment, 30);
    EXPECT_LT(chosen.p99, 1.1 * many.p99);
    EXPECT_LT(chosen.worst, 1.1 * many.worst);
    EXPECT_LT(rms_between(&chosen, &many, 48 * 48), 0.04);
    uint32_t hung = chosen_substeps(t.device, &with.def, 0, 0),
             carried = chosen_substeps(t.device, &with.def, 1, 0),
             unswept = chosen_substeps(t.device, &without.def, 1, 0);
    EXPECT(hung < carried && 2 * carried < unswept, "%u, %u and %u", hung, carried, unswept);
    free(chosen.positions), free(many.positions);
    test_mesh_free(&with), test_mesh_free(&without);
    test_close(&t);
}

/* A sheet and a mesh in one cloth: the mesh's patches write its own particles alone. */
Test(cloth_lattice, a_sheet_beside_a_mesh_does_as_alone)
{
    enum { SHEET = 33, MESH = 24, FRAMES = 10 };
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    test_mesh sheet = sheet_of(SHEET, &sheet_fabric, true),
              mesh = random_sheet(MESH, hed_cloth_fabric_named("cotton"), true);
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    def.substeps = 6;
    hanging alone[2] = {
        hang(&t, &sheet, &def, &moment, FRAMES), hang(&t, &mesh, &def, &moment, FRAMES)};
    const hed_cloth_garment_def garments[2] = {sheet.def, mesh.def};
    float *positions = calloc(SHEET * SHEET + MESH * MESH, 3 * sizeof *positions);
    hed_cloth *cloth;
    def.garments = garments;
    def.garment_count = 2;
    OK(hed_cloth_create(t.device, &def, &cloth, &error));
    for (uint32_t i = 0; i < FRAMES; i++) OK(hed_cloth_step(cloth, &moment, &error));
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    const hanging together[2] = {
        {.positions = positions}, {.positions = positions + 3 * SHEET * SHEET}};
    EXPECT_LT(rms_between(alone, together, SHEET * SHEET), 1e-3);
    EXPECT_LT(rms_between(alone + 1, together + 1, MESH * MESH), 5e-3);
    hed_cloth_destroy(cloth);
    free(alone[0].positions), free(alone[1].positions), free(positions);
    test_mesh_free(&sheet), test_mesh_free(&mesh);
    test_close(&t);
}

/* Pins in the middle and near each other, whose windows overlap, and two copies. */
Test(cloth_lattice, colours_do_as_cpu)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame moment = hed_default_cloth_frame();
    test_mesh mesh = sheet_of(48, &sheet_fabric, true);
    const uint32_t pins[] = {48 * 20 + 11, 48 * 20 + 21, 48 * 40 + 30};
    for (size_t k = 0; k < HED_COUNT(pins); k++) mesh.inverse_masses[pins[k]] = 0;
    def.solver = HED_CLOTH_SOLVER_COLOURS;
    hanging colours = hang(&t, &mesh, &def, &moment, 10);
    def.solver = HED_CLOTH_SOLVER_AUTO;
    hanging other = hang(&t, &mesh, &def, &moment, 10);
    EXPECT_LT(rms_between(&colours, &other, 48 * 48), 5e-3);
    free(colours.positions), free(other.positions);
    test_mesh_free(&mesh);
    test_close(&t);
}

Test(cloth_lattice, several_iterations_are_refused)
{
    test_device t = test_open(NULL);
    hed_cloth_def def = hed_default_cloth_def();
    test_mesh mesh = sheet_of(8, &sheet_fabric, true);
    hed_cloth *cloth;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.iterations = 2;
    EXPECT_EQ(hed_cloth_create(t.device, &def, &cloth, &error), HED_ERROR_ARGUMENT);
    EXPECT(strstr(error.text, "1 iteration") != NULL, "%s", error.text);
    hed_error_clear(&error);
    test_mesh_free(&mesh);
    test_close(&t);
}
