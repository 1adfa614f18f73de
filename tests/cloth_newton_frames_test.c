/* ctest: devices long */
/* HED_CLOTH_SOLVER_NEWTON: whole frames of meshes against many substeps of
 * HED_CLOTH_SOLVER_COLOURS and against theory, what keeps energy and momentum, pins that move,
 * bodies, what the solver refuses, and the rule that chooses it. */
#include "fixture.h"

#include "cloth_meshes.h"

TestSuite(cloth_newton_frames, .init = here_open, .fini = here_close);

enum { SIDE = 24, PARTICLES = SIDE * SIDE, MANY = 120 };
static hed_error error;

/* An irregular mesh of 2 m x 2 m of a fabric, flat, held by two corners. */
static test_mesh sheet_of(uint32_t side, const char *fabric)
{
    test_mesh mesh = test_irregular(side, 5, 0.3f);
    const hed_cloth_fabric *of = hed_cloth_fabric_named(fabric);
    float mass = of->density * 4.0f / (float)mesh.def.particle_count;
    for (uint32_t i = 0; i < mesh.def.particle_count; i++) {
        mesh.positions[3 * i + 1] = 0;
        if (mesh.inverse_masses[i] > 0) mesh.inverse_masses[i] = 1 / mass;
    }
    mesh.def.warp_axis[0] = 1;
    mesh.def.fabric = of;
    mesh.def.damping = 0.65f;
    mesh.def.drag = mesh.def.lift = 0;
    return mesh;
}

static void release(test_mesh *mesh)
{
    float mass = 0;
    for (uint32_t i = 0; i < mesh->def.particle_count; i++)
        mass = fmaxf(mass, mesh->inverse_masses[i]);
    for (uint32_t i = 0; i < mesh->def.particle_count; i++) mesh->inverse_masses[i] = mass;
}

static hed_cloth_def def_of(const hed_cloth_garment_def *garment, hed_cloth_solver solver)
{
    hed_cloth_def def = hed_default_cloth_def();
    def.garments = garment;
    def.garment_count = 1;
    def.solver = solver;
    def.substeps = solver == HED_CLOTH_SOLVER_NEWTON ? 4 : MANY;
    def.max_colliders = 0;
    return def;
}

/* Results of a run: positions, and the maxima over all frames. */
typedef struct frames_run {
    float *places;
    double p99, worst, rise;
} frames_run;

static double energy_at(const hed_cloth_garment_def *garment, const float *places, double kinetic)
{
    for (uint32_t i = 0; i < garment->particle_count; i++)
        if (garment->inverse_masses[i] > 0)
            kinetic += 9.81 * (double)places[3 * i + 1] / garment->inverse_masses[i];
    return kinetic;
}

/* Runs frames; frame k has the driver `drive(k)` makes, if there is one. */
static frames_run run_frames(const hed_cloth_def *def, hed_cloth_frame frame, uint32_t frames,
    void (*drive)(const hed_cloth_garment_def *garment, uint32_t frame, float *targets))
{
    const hed_cloth_garment_def *garment = def->garments;
    uint32_t n = garment->particle_count;
    frames_run run = {.places = calloc(n, 12), .rise = -INFINITY};
    float *targets = calloc(n, 12);
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, def, &cloth, &error));
    double start = energy_at(garment, garment->positions, 0);
    for (uint32_t k = 0; k < frames; k++) {
        hed_cloth_metrics quality;
        if (drive) drive(garment, k, targets), frame.driver_positions = targets;
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        OK(hed_cloth_read(cloth, run.places, NULL, NULL, &error));
        run.p99 = fmax(run.p99, quality.stretch_p99);
        run.worst = fmax(run.worst, quality.worst_stretch);
        run.rise = fmax(run.rise, energy_at(garment, run.places, quality.kinetic_energy) - start);
    }
    hed_cloth_destroy(cloth);
    free(targets);
    return run;
}

static double rms_between(const float *a, const float *b, uint32_t particles)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * particles; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum / particles);
}

/* Compares few substeps of Newton's method with many of colours. */
static void check_frames(const hed_cloth_garment_def *garment, hed_cloth_frame frame,
    uint32_t frames, double most_rms,
    void (*drive)(const hed_cloth_garment_def *garment, uint32_t frame, float *targets))
{
    hed_cloth_def few = def_of(garment, HED_CLOTH_SOLVER_NEWTON),
                  many = def_of(garment, HED_CLOTH_SOLVER_COLOURS);
    frames_run found = run_frames(&few, frame, frames, drive),
               expected = run_frames(&many, frame, frames, drive);
    double rms = rms_between(found.places, expected.places, garment->particle_count);
    printf("p99 %.2f %% of %.2f, worst %.1f %% of %.1f, %.2f cm apart, energy %.2g J of %.2g\n",
        100 * found.p99, 100 * expected.p99, 100 * found.worst, 100 * expected.worst, 100 * rms,
        found.rise, expected.rise);
    EXPECT_LT(rms, most_rms);
    EXPECT_LT(found.p99, 1.1 * expected.p99 + 1e-3);
    EXPECT_LT(found.worst, 1.1 * expected.worst + 1e-2);
    if (!drive) EXPECT_LT(found.rise, 1e-3, "energy never is above the start");
    free(found.places);
    free(expected.places);
}

Test(cloth_newton_frames, a_sheet_hangs_as_with_many_substeps, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "cotton");
    check_frames(&mesh.def, hed_default_cloth_frame(), 30, 0.02, NULL);
    test_mesh_free(&mesh);
}

/* A knit, a stiff leather, and a denim whose weft is a fifth as stiff as its warp, which runs
 * across. */
Test(cloth_newton_frames, fabrics_of_each_kind, .timeout = 300)
{
    static const char *const fabrics[] = {"interlock", "leather", "denim"};
    for (size_t k = 0; k < HED_COUNT(fabrics); k++) {
        test_mesh mesh = sheet_of(SIDE, fabrics[k]);
        mesh.def.warp_axis[0] = k == 2 ? 0 : 1;
        mesh.def.warp_axis[2] = k == 2 ? 1 : 0;
        printf("%s: ", fabrics[k]);
        check_frames(&mesh.def, hed_default_cloth_frame(), 20, 0.02, NULL);
        test_mesh_free(&mesh);
    }
}

/* Wind at the chosen substeps: strains stay those of many, and energy is no more than the wind
 * gives. */
Test(cloth_newton_frames, a_sheet_in_the_wind, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "silk");
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_def few = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON),
                  many = def_of(&mesh.def, HED_CLOTH_SOLVER_COLOURS);
    mesh.def.drag = 1;
    mesh.def.lift = 0.5f;
    frame.wind[0] = 2, frame.wind[2] = 8;
    few.substeps = 0;
    frames_run found = run_frames(&few, frame, 40, NULL),
               expected = run_frames(&many, frame, 40, NULL);
    double rms = rms_between(found.places, expected.places, PARTICLES);
    printf("p99 %.2f %% of %.2f, worst %.1f %% of %.1f, %.2f cm apart, energy %.2g J of %.2g\n",
        100 * found.p99, 100 * expected.p99, 100 * found.worst, 100 * expected.worst, 100 * rms,
        found.rise, expected.rise);
    EXPECT_LT(rms, 0.1);
    EXPECT_LT(found.p99, 1.2 * expected.p99);
    EXPECT_LT(found.worst, 1.3 * expected.worst);
    EXPECT_LT(found.rise, 1.2 * expected.rise);
    free(found.places);
    free(expected.places);
    test_mesh_free(&mesh);
}

/* Corners that move up and towards each other within half a second. */
static void move_corners(const hed_cloth_garment_def *garment, uint32_t frame, float *targets)
{
    float part = fminf((float)(frame + 1) / 30.0f, 1.0f);
    memcpy(targets, garment->positions, 12 * (size_t)garment->particle_count);
    for (uint32_t i = 0; i < garment->particle_count; i++) {
        targets[3 * i] *= 1 - 0.4f * part;
        targets[3 * i + 1] += 0.5f * part;
    }
}

Test(cloth_newton_frames, pins_move, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "cotton");
    mesh.def.driven = true;
    check_frames(&mesh.def, hed_default_cloth_frame(), 30, 0.03, move_corners);
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    frames_run run = run_frames(&def, hed_default_cloth_frame(), 30, move_corners);
    float targets[3 * PARTICLES];
    move_corners(&mesh.def, 29, targets);
    for (uint32_t i = 0; i < PARTICLES; i++)
        for (uint32_t k = 3 * i; k < 3 * i + 3 && !(mesh.inverse_masses[i] > 0); k++)
            EXPECT_NEAR(run.places[k], targets[k], 1e-6);
    free(run.places);
    test_mesh_free(&mesh);
}

/* ---- momentum and energy ---- */

static void centre_of(const float *places, uint32_t particles, double centre[3])
{
    memset(centre, 0, 3 * sizeof *centre);
    for (uint32_t i = 0; i < 3 * particles; i++) centre[i % 3] += (double)places[i] / particles;
}

/* A sheet that nothing holds and that begins stretched, sheared and folded keeps its momentum
 * exactly, although the iterations do not solve the system: its middle stays or falls as a stone
 * does. */
Test(cloth_newton_frames, a_stretched_sheet_falls_freely, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "cotton");
    release(&mesh);
    mesh.def.damping = 0;
    float *start = calloc(PARTICLES, 12);
    double from[3], to[3];
    for (uint32_t i = 0; i < PARTICLES; i++) {
        float x = mesh.positions[3 * i], z = mesh.positions[3 * i + 2];
        start[3 * i] = x + 0.05f * x * x;
        start[3 * i + 1] = 0.1f * sinf(3 * x + z);
        start[3 * i + 2] = 1.04f * z + 0.03f * x;
    }
    mesh.def.rest_positions = mesh.positions;
    mesh.def.positions = start;
    for (int falls = 0; falls < 2; falls++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
        if (!falls) frame.gravity[1] = 0;
        frames_run run = run_frames(&def, frame, 30, NULL);
        centre_of(start, PARTICLES, from);
        centre_of(run.places, PARTICLES, to);
        EXPECT_NEAR(to[0], from[0], 1e-4);
        EXPECT_NEAR(to[1] - from[1], falls ? -9.81 * 0.5 * 0.5 / 2 : 0, falls ? 0.02 : 1e-4);
        EXPECT_NEAR(to[2], from[2], 1e-4);
        EXPECT_LT(run.p99, 0.1, "it contracts");
        free(run.places);
    }
    free(start);
    test_mesh_free(&mesh);
}

/* A sheet that is thrown spinning flies on, and loses no more than the energy that implicit steps
 * take. */
Test(cloth_newton_frames, a_start_in_motion, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "cotton");
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth;
    release(&mesh);
    mesh.def.damping = 0;
    mesh.def.velocity[0] = 2;
    mesh.def.angular_velocity[1] = 1;
    frame.gravity[1] = 0;
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    float *places = calloc(PARTICLES, 12);
    double first[3], last[3], kinetic = 0;
    centre_of(mesh.positions, PARTICLES, first);
    for (int k = 0; k < 30; k++) {
        hed_cloth_metrics quality;
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        if (k) EXPECT_LT(quality.kinetic_energy, kinetic * (1 + 1e-4));
        kinetic = quality.kinetic_energy;
    }
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    centre_of(places, PARTICLES, last);
    double mass = (double)mesh.def.fabric->density * 4;
    EXPECT_NEAR(last[0] - first[0], 1, 1e-3);
    EXPECT_NEAR(last[2] - first[2], 0, 1e-3);
    EXPECT_GT(kinetic, 0.5 * mass * 4, "it still moves at 2 m/s");
    hed_cloth_destroy(cloth);
    free(places);
    test_mesh_free(&mesh);
}

/* ---- bodies ---- */

Test(cloth_newton_frames, a_ball_holds_a_sheet, .timeout = 300)
{
    const hed_cloth_collider ball = {
        .shape = HED_CLOTH_SPHERE, .a = {0, -0.42f, 0}, .radius = {0.4f, 0.4f}, .friction = 0.4f};
    test_mesh mesh = sheet_of(SIDE, "cotton");
    hed_cloth_frame frame = hed_default_cloth_frame();
    release(&mesh);
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    def.substeps = 8;
    def.max_colliders = frame.collider_count = 1;
    frame.colliders = &ball;
    frames_run run = run_frames(&def, frame, 40, NULL);
    double highest = -INFINITY;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        const float *p = run.places + 3 * i, y = p[1] + 0.42f;
        CHECK_GT(sqrtf(p[0] * p[0] + y * y + p[2] * p[2]), 0.4f - 1e-4f, "particle %u", i);
        highest = fmax(highest, (double)p[1]);
    }
    EXPECT_GT(highest, -0.05, "the sheet lies on the ball");
    EXPECT_LT(run.p99, 0.1);
    EXPECT_LT(run.rise, 1e-3);
    free(run.places);
    test_mesh_free(&mesh);
}

/* A thin body far away, whose contact follows each substep, leaves the cloth over another body as it is:
 * positions are those without the thin body, to the bit. */
Test(cloth_newton_frames, a_thin_body_far_away, .timeout = 300)
{
    const hed_cloth_collider bodies[] = {
        {.shape = HED_CLOTH_SPHERE, .a = {0, -4.02f, 0}, .radius = {4, 4}, .friction = 0.4f},
        {.shape = HED_CLOTH_SPHERE, .a = {50, 0, 0}, .radius = {0.005f, 0.005f}, .friction = 0.4f}};
    test_mesh mesh = sheet_of(SIDE, "cotton");
    float *places[2];
    release(&mesh);
    for (uint32_t k = 0; k < 2; k++) {
        hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
        hed_cloth_frame frame = hed_default_cloth_frame();
        def.max_colliders = 2;
        frame.collider_count = 1 + k;
        frame.colliders = bodies;
        places[k] = run_frames(&def, frame, 20, NULL).places;
    }
    EXPECT_EQ(memcmp(places[0], places[1], sizeof(float[3 * PARTICLES])), 0, "%g m apart",
        rms_between(places[0], places[1], PARTICLES));
    free(places[0]);
    free(places[1]);
    test_mesh_free(&mesh);
}

/* Mean speed along x in the last frame and the acceleration along x in the 20 frames before, of a sheet on a plane below
 * it, inclined by gravity of 9.81 m/s^2 that leans by `angle`. */
typedef struct slide {
    double speed, acceleration;
} slide;

static slide slide_on(bool is_mesh, float angle, uint32_t substeps)
{
    enum { FRAMES = 50, MEASURED = 20 };
    static const float corners[] = {-9, -0.01f, -9, 9, -0.01f, -9, 9, -0.01f, 9, -9, -0.01f, 9};
    static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    const hed_cloth_collider plane = {
        .shape = HED_CLOTH_PLANE, .a = {0, -0.01f, 0}, .b = {0, 1, 0}, .friction = 0.4f};
    const hed_cloth_mesh_collider mesh_plane = {.vertex_count = 4,
        .triangle_count = 2,
        .positions = corners,
        .triangles = triangles,
        .friction = 0.4f};
    test_mesh mesh = sheet_of(SIDE, "cotton");
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth;
    double places[FRAMES] = {0};
    release(&mesh);
    mesh.def.damping = 0;
    mesh.def.friction = 0.4f;
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    def.substeps = substeps;
    def.max_colliders = frame.collider_count = !is_mesh;
    def.max_collider_triangles = is_mesh ? 2 : 0;
    frame.mesh_count = is_mesh;
    frame.colliders = &plane;
    frame.meshes = &mesh_plane;
    frame.gravity[0] = 9.81f * sinf(angle);
    frame.gravity[1] = -9.81f * cosf(angle);
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    float *at = calloc(PARTICLES, 12);
    for (int k = 0; k < FRAMES; k++) {
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_read(cloth, at, NULL, NULL, &error));
        for (int i = 0; i < PARTICLES; i++) places[k] += (double)at[3 * i] / PARTICLES;
    }
    double last = places[FRAMES - 1] - places[FRAMES - 2],
           first = places[FRAMES - MEASURED - 1] - places[FRAMES - MEASURED - 2];
    hed_cloth_destroy(cloth);
    free(at);
    test_mesh_free(&mesh);
    return (slide){60 * last, 3600 * (last - first) / MEASURED};
}

/* Friction acts on what the solution moves, too: Coulomb's law with as few substeps as the solver has. */
Test(cloth_newton_frames, slides_as_friction_allows, .timeout = 300)
{
    for (int is_mesh = 0; is_mesh < 2; is_mesh++) {
        slide below = slide_on(is_mesh, 0.3f, 4), above = slide_on(is_mesh, 0.6f, 4);
        double expected = 9.81 * (sin(0.6) - 0.4 * cos(0.6));
        printf("%s: %.2g m/s below the angle of friction, %.3f m/s^2 of %.3f above it\n",
            is_mesh ? "mesh" : "plane", below.speed, above.acceleration, expected);
        EXPECT_LT(fabs(below.speed), 1e-3);
        EXPECT_LT(fabs(above.acceleration - expected), 0.03 * expected);
    }
}

static const hed_cloth_collider BALL = {
    .shape = HED_CLOTH_SPHERE, .a = {0, -0.42f, 0}, .radius = {0.4f, 0.4f}, .friction = 0.4f};

/* Runs frames of a light mesh that falls on the ball; `substeps` 0: the engine chooses them. */
static frames_run run_on_ball(uint32_t substeps, uint32_t frames)
{
    static const hed_cloth_fabric light = {2000, 1500, 40, 1e-5f, 1e-5f, 0.15f, 0};
    test_mesh mesh = sheet_of(64, "cotton");
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    mesh.def.fabric = &light;
    for (uint32_t i = 0; i < mesh.def.particle_count; i++)
        mesh.inverse_masses[i] = (float)mesh.def.particle_count / (4 * light.density);
    def.substeps = substeps;
    def.max_colliders = frame.collider_count = 1;
    frame.colliders = &BALL;
    frames_run run = run_frames(&def, frame, frames, NULL);
    test_mesh_free(&mesh);
    return run;
}

/* The solution moves what a body holds along its surface, so a ball stretches the sheet as little
 * with few substeps as with many. With bodies after the solution alone the worst edge is 1.2 times
 * as long. */
Test(cloth_newton_frames, bodies_are_part_of_the_solution, .timeout = 300)
{
    frames_run found = run_on_ball(4, 17), expected = run_on_ball(30, 17);
    printf("p99 %.2f %% of %.2f, worst %.1f %% of %.1f\n", 100 * found.p99, 100 * expected.p99,
        100 * found.worst, 100 * expected.worst);
    EXPECT_LT(found.p99, 1.1 * expected.p99);
    EXPECT_LT(found.worst, 1.1 * expected.worst);
    free(found.places);
    free(expected.places);
}

/* Folds that swing over a body need more substeps than cloth that touches nothing. */
Test(cloth_newton_frames, chosen_substeps_over_a_ball, .timeout = 300)
{
    frames_run found = run_on_ball(0, 40), expected = run_on_ball(16, 40);
    printf("p99 %.2f %% of %.2f, worst %.1f %% of %.1f\n", 100 * found.p99, 100 * expected.p99,
        100 * found.worst, 100 * expected.worst);
    EXPECT_LT(found.p99, 1.15 * expected.p99);
    EXPECT_LT(found.worst, 1.5 * expected.worst);
    free(found.places);
    free(expected.places);
}

/* ---- modes, refusals, the rule ---- */

/* In strict mode each device has the bits of host. */
Test(cloth_newton_frames, strict_mode_has_one_result, .timeout = 300)
{
    test_mesh mesh = sheet_of(SIDE, "cotton");
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    test_device kept = here;
    def.math = HED_MATH_STRICT;
    frames_run found = run_frames(&def, hed_default_cloth_frame(), 5, NULL);
    OK(hed_device_find(here.context, "host", &here.device, &error));
    frames_run expected = run_frames(&def, hed_default_cloth_frame(), 5, NULL);
    here = kept;
    EXPECT_BYTES(found.places, expected.places, 12 * (size_t)PARTICLES);
    free(found.places);
    free(expected.places);
    test_mesh_free(&mesh);
}

static void check_refused(const hed_cloth_def *def, const char *reason)
{
    hed_cloth *cloth = NULL;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, def, &cloth, &error));
    CHECK(strstr(error.text, reason) && strstr(error.text, "newton"), "%s", error.text);
    hed_error_clear(&error);
}

Test(cloth_newton_frames, refuses_what_it_cannot_do)
{
    test_mesh mesh = sheet_of(8, "cotton"), grid = test_grid(8, 8), fan = test_fan(600),
              ball = test_mesh_of(4, 4);
    static const uint32_t sides[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    memcpy(ball.triangles, sides, sizeof sides);
    for (uint32_t i = 1; i < 4; i++) ball.positions[3 * i + i - 1] = 1;
    hed_cloth_garment_def garment = mesh.def;
    hed_cloth_def def = def_of(&garment, HED_CLOTH_SOLVER_NEWTON);
    def.iterations = 2;
    check_refused(&def, "iteration");
    def.iterations = 1;
    garment.self_collision = HED_CLOTH_SELF_TRIANGLES;
    check_refused(&def, "itself");
    garment = mesh.def, garment.tethers = true;
    check_refused(&def, "tethers");
    garment = ball.def, garment.fabric = mesh.def.fabric, garment.pressure = 10;
    check_refused(&def, "pressure");
    garment = mesh.def, garment.tear = 0.2f;
    check_refused(&def, "tears");
    garment = mesh.def, garment.fabric = NULL;
    check_refused(&def, "fabric");
    garment = grid.def, garment.fabric = mesh.def.fabric;
    check_refused(&def, "mesh");
    garment = fan.def, garment.fabric = mesh.def.fabric;
    check_refused(&def, "too many");
    test_mesh_free(&mesh), test_mesh_free(&grid), test_mesh_free(&fan);
    test_mesh_free(&ball);
}

/* Fails at each allocation in turn. */
Test(cloth_newton_frames, out_of_memory, .timeout = 300)
{
    test_mesh mesh = sheet_of(8, "cotton");
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    test_allocator counted = {0};
    hed_context_def context_def = hed_default_context_def();
    hed_context *context;
    hed_device *device;
    uint32_t refused = 0;
    context_def.allocator = test_allocator_of(&counted);
    OK(hed_context_create(&context_def, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    for (bool ends = false; !ends;) {
        hed_cloth *cloth = NULL;
        counted.calls = 0;
        counted.fail_at = (int64_t)refused + 1;
        hed_status status = hed_cloth_create(device, &def, &cloth, &error);
        ends = !status;
        CHECK(!status || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY, "%s",
            error.text);
        refused += status != HED_OK;
        hed_error_clear(&error);
        hed_cloth_destroy(cloth);
    }
    CHECK_GT(refused, 20);
    hed_context_destroy(context);
    EXPECT_EQ(counted.live, 0);
    test_mesh_free(&mesh);
}

static hed_cloth_solver chosen_for(hed_cloth_def def, uint32_t *substeps)
{
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    hed_cloth_info info = hed_cloth_describe(cloth);
    if (substeps) *substeps = info.substeps;
    hed_cloth_destroy(cloth);
    return info.solver;
}

/* Without `substeps` a mesh that hangs by two corners stretches hardly more than with many of
 * them, whichever solver has it. */
Test(cloth_newton_frames, chosen_substeps_hold_a_mesh_by_its_corners, .timeout = 300)
{
    test_mesh mesh = sheet_of(40, "cotton");
    hed_cloth_def chosen = def_of(&mesh.def, HED_CLOTH_SOLVER_AUTO),
                  many = def_of(&mesh.def, HED_CLOTH_SOLVER_COLOURS);
    chosen.substeps = 0;
    frames_run found = run_frames(&chosen, hed_default_cloth_frame(), 20, NULL),
               expected = run_frames(&many, hed_default_cloth_frame(), 20, NULL);
    printf("p99 %.2f %% of %.2f\n", 100 * found.p99, 100 * expected.p99);
    EXPECT_LT(found.p99, 1.3 * expected.p99);
    EXPECT_LT(found.worst, 1.5 * expected.worst);
    free(found.places);
    free(expected.places);
    test_mesh_free(&mesh);
}

/* Strains have their whole stiffness with any substeps, so the engine chooses them by bending, 90
 * % of it. */
Test(cloth_newton_frames, substeps_are_chosen_by_bending, .timeout = 300)
{
    uint32_t substeps[2];
    for (int k = 0; k < 2; k++) {
        test_mesh mesh = sheet_of(k ? 170 : 20, "denim");
        hed_cloth_stiffness stiffness = {.part = 0};
        hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
        hed_cloth *cloth;
        def.substeps = 0;
        OK(hed_cloth_create(here.device, &def, &cloth, &error));
        CHECK(hed_cloth_stiffness_of(cloth, 0, 1.0 / 60, &stiffness));
        EXPECT(stiffness.given.warp == stiffness.asked.warp);
        EXPECT(stiffness.given.shear == stiffness.asked.shear);
        EXPECT_LT(stiffness.given.bend_warp, stiffness.asked.bend_warp);
        EXPECT_GT(stiffness.part, 0.9 - 1e-6);
        substeps[k] = hed_cloth_describe(cloth).substeps;
        hed_cloth_destroy(cloth);
        test_mesh_free(&mesh);
    }
    EXPECT_EQ(substeps[0], 4);
    EXPECT_GT(substeps[1], 5, "bending of a finer mesh needs more");
}

/* Nothing but the state of the cloth lives from one frame to the next. `balls`: number of bodies below
 * the sheet, 0 or 1. */
static void check_saved_state(uint32_t balls)
{
    const hed_cloth_collider ball = {
        .shape = HED_CLOTH_SPHERE, .a = {0, -0.42f, 0}, .radius = {0.4f, 0.4f}, .friction = 0.4f};
    test_mesh mesh = sheet_of(SIDE, "cotton");
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_NEWTON);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth, *other;
    def.max_colliders = frame.collider_count = balls;
    frame.colliders = &ball;
    float *places = calloc(PARTICLES, 12), *continued = calloc(PARTICLES, 12);
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    OK(hed_cloth_create(here.device, &def, &other, &error));
    for (int k = 0; k < 16; k++) {
        OK(hed_cloth_step(cloth, &frame, &error));
        if (k == 9) {
            uint64_t size = hed_cloth_save_size(cloth);
            void *state = malloc(size);
            OK(hed_cloth_save(cloth, state, &error));
            OK(hed_cloth_load(other, state, size, &error));
            free(state);
        }
        if (k > 9) OK(hed_cloth_step(other, &frame, &error));
    }
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    OK(hed_cloth_read(other, continued, NULL, NULL, &error));
    EXPECT_BYTES(continued, places, 12 * (size_t)PARTICLES);
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(other);
    free(places);
    free(continued);
    test_mesh_free(&mesh);
}

Test(cloth_newton_frames, a_saved_state_continues_with_the_same_bits, .timeout = 300)
{
    check_saved_state(0);
    check_saved_state(1);
}

/* By rule, large meshes without mesh bodies, in fast mode, on a device whose groups can meet. */
Test(cloth_newton_frames, the_rule, .timeout = 300)
{
    const hed_cloth_solver newton = HED_CLOTH_SOLVER_NEWTON;
    bool meets = hed_device_describe(here.device).capabilities & HED_CAN_GRID_BARRIER;
    test_mesh mesh = sheet_of(70, "cotton"), small = sheet_of(20, "cotton");
    uint32_t substeps = 0;
    hed_cloth_def def = def_of(&mesh.def, HED_CLOTH_SOLVER_AUTO);
    def.substeps = 0;
    EXPECT_EQ(chosen_for(def, &substeps) == newton, meets);
    if (meets) EXPECT_LT(substeps, 7);
    def.substeps = 5;
    EXPECT_EQ(chosen_for(def, NULL) == newton, meets);
    def.substeps = 40;
    EXPECT(chosen_for(def, NULL) != newton);
    def.substeps = 5;
    def.max_collider_triangles = 12;
    EXPECT(chosen_for(def, NULL) != newton);
    def.max_collider_triangles = 0;
    def.max_colliders = 1;
    EXPECT_EQ(chosen_for(def, NULL) == newton, meets);
    def.substeps = 0;
    EXPECT_EQ(chosen_for(def, &substeps) == newton, meets);
    if (meets) EXPECT(substeps > 10 && substeps < 13, "%u substeps over bodies", substeps);
    def.substeps = 5;
    def.max_colliders = 0;
    mesh.def.driven = true;
    EXPECT_EQ(chosen_for(def, NULL) == newton, meets);
    float *limits = calloc(mesh.def.particle_count, sizeof *limits);
    mesh.def.max_distance = limits;
    EXPECT(chosen_for(def, NULL) != newton);
    free(limits);
    mesh.def.driven = false;
    mesh.def.max_distance = NULL;
    def.math = HED_MATH_STRICT;
    EXPECT(chosen_for(def, NULL) != newton);
    def.math = HED_MATH_FAST;
    def.garments = &small.def;
    EXPECT(chosen_for(def, NULL) != newton);
    test_mesh_free(&mesh), test_mesh_free(&small);
}
