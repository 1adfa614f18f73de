/* ctest: devices full=pocl long */
/* Edges and faces of cloth against thin bodies: lines, rims, tips, fingers, at any phase of the mesh
 * and speed. The judge is a program of its own, in double precision. */
#include "fixture.h"

#include "cloth_bodies.h"

TestSuite(cloth_bodies, .init = here_open, .fini = here_close);

enum { SIDE = 25, FRAMES = 45, FAST_FRAMES = 2, RISING = 22, SWEPT_FRAMES = 30, SWUNG_FRAMES = 60 };

/* A scene: a sheet of 0.48 m that falls on a body. */
typedef struct scene {
    const char *name;
    sheet s;
    body b; /* what the judge sees, and the collider if `is_mesh` */
    hed_cloth_collider colliders[4];
    uint32_t collider_count;
    bool is_mesh;
    double velocity[3]; /* of the body, m/s */
    uint32_t ridge;     /* first of two vertices that rise in the first RISING frames; 0: none do */
    uint32_t moving;    /* frames in which the body moves; 0: all */
    bool is_chosen;     /* substeps are left to the engine */
} scene;

static scene scene_make(const char *name, float height, float turn)
{
    scene c = {.name = name, .s = sheet_make(SIDE, 0.48f), .b = body_make()};
    sheet_put(&c.s, height, turn);
    c.s.def.thickness = 0.005f;
    c.s.def.friction = 0.3f;
    return c;
}

static void scene_free(scene *c)
{
    sheet_free(&c->s);
    body_free(&c->b);
}

/* A capsule, for the judge a prism within it. */
static void scene_capsule(scene *c, const double from[3], const double to[3], double radius)
{
    hed_cloth_collider *capsule = &c->colliders[c->collider_count++];
    *capsule = (hed_cloth_collider){
        .shape = HED_CLOTH_CAPSULE, .radius = {(float)radius, (float)radius}, .friction = 0.3f};
    for (int k = 0; k < 3; k++) {
        capsule->a[k] = (float)from[k];
        capsule->b[k] = (float)to[k];
    }
    body_frustum(&c->b, from, radius, to, radius, 8);
}

/* Makes it a curtain in the xy plane, which hangs at its first row. */
static void scene_hang(scene *c)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        float *at = c->s.positions[i];
        at[0] = c->s.rest[i][0];
        at[1] = -c->s.rest[i][2];
        at[2] = 0.0f;
        if (i < SIDE) c->s.inverse_masses[i] = 0.0f;
    }
}

/* True if the device has a solver for the scene. */
static bool scene_fits(const scene *c, hed_cloth_solver solver, hed_math math)
{
    hed_cloth_def def = dressed_def(&c->s.def, 1);
    hed_cloth *cloth = NULL;
    hed_error error = {0};
    def.solver = solver;
    def.math = math;
    bool fits = hed_cloth_create(here.device, &def, &cloth, &error) == HED_OK;
    hed_cloth_destroy(cloth);
    if (!fits) printf("%s\n", error.text);
    return fits;
}

/* Runs the scene, and returns the number of frames that cross; `hash`: of the end. */
static uint32_t scene_run(scene *c, hed_device *device, hed_cloth_solver solver, hed_math math,
    uint32_t frames, uint64_t *hash)
{
    hed_cloth_def def = dressed_def(&c->s.def, 1);
    def.solver = solver;
    def.math = math;
    def.substeps = c->is_chosen ? 0 : 12;
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_mesh_collider mesh = body_collider(&c->b);
    hed_cloth_collider starts[4];
    uint32_t most = 0, crossed = 0;
    mesh.start_positions = c->b.before[0];
    frame.colliders = c->colliders;
    frame.collider_starts = starts;
    frame.collider_count = c->collider_count;
    if (c->is_mesh) frame.meshes = &mesh, frame.mesh_count = 1;
    for (uint32_t f = 0; f < frames; f++) {
        double dt = c->moving && f >= c->moving ? 0 : frame.seconds;
        memcpy(c->b.before, c->b.positions, c->b.vertex_count * sizeof *c->b.before);
        memcpy(starts, c->colliders, sizeof starts);
        body_move(&c->b, dt * c->velocity[0], dt * c->velocity[1], dt * c->velocity[2]);
        for (uint32_t k = 0; k < 2 && c->ridge && f < RISING; k++)
            c->b.positions[c->ridge + k][1] += 0.01f;
        for (uint32_t i = 0; i < c->collider_count; i++)
            for (int k = 0; k < 3; k++) {
                c->colliders[i].a[k] += (float)(dt * c->velocity[k]);
                c->colliders[i].b[k] += (float)(dt * c->velocity[k]);
            }
        dressed_step(&d, &frame);
        uint32_t count = judge_count(&c->s, d.positions, &c->b);
        crossed += count > 0;
        if (count > most) most = count;
    }
    hed_cloth_metrics q = dressed_measure(&d);
    float lowest = 1e9f, highest = -1e9f;
    for (uint32_t i = 0; i < d.particles; i++) {
        lowest = fminf(lowest, d.positions[i][1]);
        highest = fmaxf(highest, d.positions[i][1]);
    }
    printf("%s: %u of %u frames cross, %u pairs at most; height %.3f to %.3f, stretch %.3f (p99), "
           "%.3f; %u pairs, %u pressed\n",
        c->name, crossed, frames, most, lowest, highest, q.stretch_p99, q.worst_stretch,
        (unsigned)q.body_pairs_most, (unsigned)q.body_pressed);
    /* at 40 m/s a pair may be, which is told */
    EXPECT_LE(q.body_pressed, frames == FAST_FRAMES ? 8 : 0, "%s", c->name);
    const hed_cloth_info info = hed_cloth_describe(d.cloth);
    bool is_fast = c->is_chosen && fabs(c->velocity[2]) > 3;
    EXPECT((info.most_substeps > info.substeps) == is_fast, "%s: %u substeps, %u at most", c->name,
        info.substeps, info.most_substeps);
    /* at most 0.010 on a processor */
    if (c->is_chosen) EXPECT_LT(q.stretch_p99, 0.02, "%s", c->name);
    if (hash) *hash = q.hash;
    dressed_free(&d);
    return crossed;
}

static void scene_judge(scene *c)
{
    EXPECT_EQ(scene_run(c, here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, FRAMES, NULL), 0,
        "%s", c->name);
    scene_free(c);
}

Test(cloth_bodies, a_sheet_hangs_over_a_clothes_line_at_any_phase, .timeout = 300)
{
    for (int phase = 0; phase < 4; phase++) {
        char name[32];
        snprintf(name, sizeof name, "line, phase %d", phase);
        scene c = scene_make(name, 0.02f, 0.13f * (float)phase);
        double z = 0.005 * phase;
        scene_capsule(&c, (double[]){-0.5, 0, z}, (double[]){0.5, 0, z}, 0.0015);
        scene_judge(&c);
    }
}

Test(cloth_bodies, a_line_of_triangles_holds_a_sheet, .timeout = 300)
{
    scene c = scene_make("line of triangles", 0.02f, 0.1f);
    body_frustum(&c.b, (double[]){-0.5, 0, 0.007}, 0.0015, (double[]){0.5, 0, 0.007}, 0.0015, 6);
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, a_bowl, .timeout = 300)
{
    scene c = scene_make("bowl", 0.03f, 0.2f);
    body_bowl(&c.b, (double[]){0.01, 0, 0.013}, 0.13);
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, a_cone, .timeout = 300)
{
    scene c = scene_make("cone", 0.03f, 0.2f);
    body_frustum(&c.b, (double[]){0.007, -0.3, 0.003}, 0.1, (double[]){0.007, 0, 0.003}, 0, 24);
    c.is_mesh = true;
    scene_judge(&c);
}

/* The sides of a cone are thin near its tip, wherever the tip meets the mesh. */
Test(cloth_bodies, a_steep_cone_at_any_phase, .timeout = 300)
{
    for (int phase = 0; phase < 3; phase++) {
        double x = 0.005 * phase - 0.003, z = 0.003 * phase - 0.002;
        scene c = scene_make("steep cone", 0.05f, 0.1f * (float)phase);
        c.s.def.fabric = hed_cloth_fabric_named("cotton");
        body_frustum(&c.b, (double[]){x, -0.5, z}, 0.2, (double[]){x, 0, z}, 0, 32);
        c.is_mesh = true;
        c.is_chosen = true;
        scene_judge(&c);
    }
}

Test(cloth_bodies, a_ring, .timeout = 300)
{
    scene c = scene_make("ring", 0.03f, 0.2f);
    body_ring(&c.b, (double[]){0.007, 0, 0.003}, 0.1, 0.003);
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, a_sword, .timeout = 300)
{
    scene c = scene_make("sword", 0.05f, 0.2f);
    body_box(&c.b, (double[]){-0.4, -0.02, -0.001}, (double[]){0.2, 0.02, 0.001});
    body_box(&c.b, (double[]){-0.2, -0.02, -0.06}, (double[]){-0.19, 0.02, 0.06});
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, fingers, .timeout = 300)
{
    scene c = scene_make("fingers", 0.03f, 0.2f);
    for (int i = -2; i <= 2; i++) {
        double x = 0.03 * i + 0.004;
        body_frustum(
            &c.b, (double[]){x, -0.1, 0.003}, 0.008, (double[]){1.2 * x, 0, 0.003}, 0.007, 8);
        body_frustum(
            &c.b, (double[]){1.2 * x, 0, 0.003}, 0.007, (double[]){1.2 * x, 0.012, 0.003}, 0, 8);
    }
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, a_chair, .timeout = 300)
{
    scene c = scene_make("chair", 0.26f, 0.2f);
    body_box(&c.b, (double[]){-0.12, -0.01, -0.12}, (double[]){0.12, 0.01, 0.12});
    body_box(&c.b, (double[]){-0.12, 0.01, -0.12}, (double[]){-0.1, 0.25, -0.1});
    body_box(&c.b, (double[]){0.1, 0.01, -0.12}, (double[]){0.12, 0.25, -0.1});
    body_box(&c.b, (double[]){-0.12, 0.2, -0.118}, (double[]){0.12, 0.22, -0.104});
    c.is_mesh = true;
    scene_judge(&c);
}

/* ---- speed ---- */

/* A flat floor folds up into a roof below the sheet: its middle is an edge that the first frame does
 * not have. */
Test(cloth_bodies, a_roof_rises_from_a_floor, .timeout = 300)
{
    scene c = scene_make("roof", 0.25f, 0.1f);
    body_vertex(&c.b, -0.5, 0, -0.4);
    body_vertex(&c.b, 0.5, 0, -0.4);
    c.ridge = body_vertex(&c.b, -0.5, 0, 0.007);
    body_vertex(&c.b, 0.5, 0, 0.007);
    body_vertex(&c.b, -0.5, 0, 0.4);
    body_vertex(&c.b, 0.5, 0, 0.4);
    body_quad(&c.b, 0, 2, 3, 1);
    body_quad(&c.b, 2, 4, 5, 3);
    c.is_mesh = true;
    scene_judge(&c);
}

Test(cloth_bodies, a_line_at_40_m_per_s_takes_a_curtain_along, .timeout = 300)
{
    for (int phase = 0; phase < 3; phase++) {
        scene c = scene_make("fast line", 0, 0);
        scene_hang(&c);
        double y = -0.1 + 0.007 * phase;
        scene_capsule(&c, (double[]){-0.5, y, 0.9}, (double[]){0.5, y + 0.02 * phase, 0.9}, 0.0015);
        c.velocity[2] = -40;
        EXPECT_EQ(
            scene_run(&c, here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, FAST_FRAMES, NULL), 0);
        scene_free(&c);
    }
}

Test(cloth_bodies, a_blade_at_40_m_per_s_takes_a_curtain_along, .timeout = 300)
{
    scene c = scene_make("fast blade", 0, 0);
    scene_hang(&c);
    body_box(&c.b, (double[]){-0.4, -0.101, 0.9}, (double[]){0.1, -0.099, 0.95});
    c.velocity[2] = -40;
    c.is_mesh = true;
    EXPECT_EQ(
        scene_run(&c, here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, FAST_FRAMES, NULL), 0);
    scene_free(&c);
}

/* A curtain of a fabric, and a body that goes a way through it from 0.1 m before it and stops. */
static scene scene_swept(const char *name, void (*add)(scene *c), double way, double speed)
{
    scene c = scene_make(name, 0, 0);
    scene_hang(&c);
    c.s.def.fabric = hed_cloth_fabric_named("cotton");
    add(&c);
    c.is_mesh = true;
    c.is_chosen = true;
    c.moving = (uint32_t)ceil(way * 60 / speed);
    c.velocity[2] = -way * 60 / c.moving;
    return c;
}

/* Where the engine chooses the substeps, frames with fast bodies have more, and so have the frames in
 * which the cloth calms down. */
static void sweep(const char *name, void (*add)(scene *c), double speed)
{
    scene c = scene_swept(name, add, 0.3, speed);
    EXPECT_EQ(scene_run(&c, here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, SWEPT_FRAMES, NULL),
        0, "%s", name);
    scene_free(&c);
}

/* Turns a body from upright to pointing against z, and moves its middle. */
static void body_tilt(body *b, float x, float y, float z)
{
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        float *at = b->positions[v], height = at[1];
        at[1] = at[2] + y;
        at[2] = z - height;
        at[0] += x;
    }
}

static void add_bowl(scene *c)
{
    body_bowl(&c->b, (double[]){0, 0, 0}, 0.1);
    body_tilt(&c->b, 0.01f, 0.0f, 0.1f);
}

static void add_ring(scene *c)
{
    body_ring(&c->b, (double[]){0, 0, 0}, 0.1, 0.003);
    body_tilt(&c->b, 0.01f, 0.0f, 0.1f);
}

static void add_sword(scene *c)
{
    body_box(&c->b, (double[]){-0.4, -0.02, 0.099}, (double[]){0.1, 0.02, 0.101});
}

static void add_line(scene *c)
{
    body_frustum(&c->b, (double[]){-0.5, 0.01, 0.1}, 0.0015, (double[]){0.5, 0.03, 0.1}, 0.0015, 6);
}

Test(cloth_bodies, swept_bodies_take_a_curtain_along, .timeout = 300)
{
    static const double speeds[] = {1, 5, 40};
    const size_t count = HED_COUNT(speeds);
    bool is_host = strcmp(hed_device_describe(here.device).backend, "host") == 0;
    for (size_t k = 0; k < count; k++) {
        if (!is_host && k != 1) continue;
        sweep("swept line", add_line, speeds[k]);
        sweep("swept bowl", add_bowl, speeds[k]);
        sweep("swept ring", add_ring, speeds[k]);
        sweep("swept sword", add_sword, speeds[k]);
    }
}

static void add_wide_bowl(scene *c)
{
    body_bowl(&c->b, (double[]){0, 0, 0}, 0.12);
    body_tilt(&c->b, 0.01f, 0.0f, 0.1f);
}

/* A bowl goes farther through a curtain than the curtain is long: all of it slips over the rim, farther in
 * a frame than planes of the bowl's triangles are valid. */
Test(cloth_bodies, a_curtain_slips_over_the_rim_of_a_bowl, .timeout = 300)
{
    static const hed_cloth_solver solvers[] = {
        HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SOLVER_COLOURS, HED_CLOTH_SOLVER_COOPERATIVE};
    for (size_t k = 0; k < HED_COUNT(solvers); k++) {
        scene c = scene_swept("slipping curtain", add_wide_bowl, 0.6, 5);
        if (scene_fits(&c, solvers[k], HED_MATH_FAST))
            EXPECT_EQ(scene_run(&c, here.device, solvers[k], HED_MATH_FAST, SWEPT_FRAMES, NULL), 0,
                "%s", hed_cloth_solver_name(solvers[k]));
        scene_free(&c);
    }
}

/* A bowl stops within a curtain, whose lower part swings into it, faster in a frame than a plane of one of its
 * triangles is valid, though nothing but the cloth moves. */
Test(cloth_bodies, a_curtain_swings_into_a_bowl_that_stopped, .timeout = 300)
{
    scene c = scene_swept("stopped bowl", add_wide_bowl, 0.3, 15);
    EXPECT_EQ(
        scene_run(&c, here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, SWUNG_FRAMES, NULL), 0);
    scene_free(&c);
}

Test(cloth_bodies, a_finger_draws_a_line_over_a_curtain, .timeout = 300)
{
    scene c = scene_make("finger", 0, 0);
    scene_hang(&c);
    body_frustum(&c.b, (double[]){-0.2, -0.1, 0.15}, 0.008, (double[]){-0.2, -0.1, 0.02}, 0.006, 8);
    body_frustum(&c.b, (double[]){-0.2, -0.1, 0.02}, 0.006, (double[]){-0.2, -0.1, 0.01}, 0, 8);
    c.velocity[0] = 0.5;
    c.velocity[2] = -0.05;
    c.is_mesh = true;
    scene_judge(&c);
}

/* ---- no room ---- */

/* Two lines crosswise close on a sheet, pass through each other and leave: nothing explodes, and the
 * figures tell it. */
Test(cloth_bodies, two_lines_press_a_sheet, .timeout = 300)
{
    scene c = scene_make("pinch", 0.02f, 0.1f);
    hed_cloth_def def = dressed_def(&c.s.def, 1);
    def.substeps = 12;
    def.solver = HED_CLOTH_SOLVER_AUTO;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider starts[2];
    scene_capsule(&c, (double[]){-0.5, 0, 0.003}, (double[]){0.5, 0, 0.003}, 0.0015);
    scene_capsule(&c, (double[]){0.007, 0.1, -0.5}, (double[]){0.007, 0.1, 0.5}, 0.0015);
    frame.colliders = c.colliders;
    frame.collider_starts = starts;
    frame.collider_count = 2;
    double worst = 0, energy = 0;
    for (int f = 0; f < 60; f++) {
        memcpy(starts, c.colliders, sizeof starts);
        float way = f < 20 ? 0.0f : f < 40 ? -0.006f : 0.006f;
        c.colliders[1].a[1] += way;
        c.colliders[1].b[1] += way;
        dressed_step(&d, &frame);
        hed_cloth_metrics q = dressed_measure(&d);
        worst = fmax(worst, q.worst_stretch);
        energy = fmax(energy, q.kinetic_energy);
    }
    hed_cloth_metrics q = dressed_measure(&d);
    printf("pinch: stretch %.3f at most, energy %.3g J, %u pairs pressed\n", worst, energy,
        (unsigned)q.body_pressed);
    EXPECT_GT(q.body_pressed, 0, "the lines leave no room");
    EXPECT_LT(worst, 1.5);
    EXPECT_LT(energy, 0.5, "the weight of the sheet over 1 m");
    dressed_free(&d);
    scene_free(&c);
}

/* ---- with contact of cloth, and the same on each device ---- */

/* A ball of triangles is not thin for a sheet of short edges, although other cloth has long ones. */
Test(cloth_bodies, one_long_edge_does_not_make_a_body_thin, .timeout = 300)
{
    enum { AROUND = 32, RINGS = 16 };
    scene c = scene_make("a long edge", 0.17f, 0.3f);
    sheet wide = sheet_make(2, 0.4f);
    sheet_put(&wide, 1.0f, 0.0f);
    wide.def.thickness = c.s.def.thickness;
    for (uint32_t i = 0; i < 4; i++) wide.inverse_masses[i] = 0.0f;
    for (uint32_t ring = 0; ring <= RINGS; ring++)
        for (uint32_t i = 0; i < AROUND; i++) {
            double down = acos(-1.0) * ring / RINGS, turn = 2 * acos(-1.0) * i / AROUND;
            uint32_t v = body_vertex(&c.b, 0.15 * sin(down) * cos(turn), 0.15 * cos(down),
                0.15 * sin(down) * sin(turn));
            if (ring == 0) continue;
            uint32_t next = i + 1 < AROUND ? v + 1 : v + 1 - AROUND;
            if (ring < RINGS) body_triangle(&c.b, v, v - AROUND, next);
            if (ring > 1) body_triangle(&c.b, next, v - AROUND, next - AROUND);
        }
    hed_cloth_garment_def garments[2] = {c.s.def, wide.def};
    hed_cloth_def def = dressed_def(garments, 2);
    def.substeps = 12;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_mesh_collider mesh = body_collider(&c.b);
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    for (uint32_t f = 0; f < FRAMES; f++) dressed_step(&d, &frame);
    hed_cloth_metrics q = dressed_measure(&d);
    printf("a long edge: %u pairs of a sheet and a ball\n", (unsigned)q.body_pairs_most);
    EXPECT_EQ(q.body_pairs_most, 0);
    dressed_free(&d);
    sheet_free(&wide);
    scene_free(&c);
}

Test(cloth_bodies, a_sheet_with_self_collision_hangs_over_a_line, .timeout = 300)
{
    scene c = scene_make("line, self-collision", 0.02f, 0.3f);
    scene_capsule(&c, (double[]){-0.5, 0, 0.004}, (double[]){0.5, 0, 0.004}, 0.0015);
    c.s.def.self_collision = HED_CLOTH_SELF_TRIANGLES;
    scene_judge(&c);
}

Test(cloth_bodies, strict_bits_are_those_of_the_host, .timeout = 300)
{
    uint64_t hashes[2];
    hed_error error = {0};
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    for (int k = 0; k < 2; k++) {
        scene c = scene_make(k ? "strict, host" : "strict", 0.005f, 0.3f);
        body_bowl(&c.b, (double[]){0.01, -0.001, 0.013}, 0.13);
        c.is_mesh = true;
        c.velocity[1] = 1.0;
        scene_run(
            &c, k ? host : here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, 12, hashes + k);
        scene_free(&c);
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

/* Runs a sheet over a line with a solver; false if the device does not have the solver. */
static bool line_on_solver(hed_cloth_solver solver, hed_math math, uint64_t *hash)
{
    scene c = scene_make(hed_cloth_solver_name(solver), 0.02f, 0.3f);
    scene_capsule(&c, (double[]){-0.5, 0, 0.004}, (double[]){0.5, 0, 0.004}, 0.0015);
    bool fits = scene_fits(&c, solver, math);
    if (fits) EXPECT_EQ(scene_run(&c, here.device, solver, math, 12, hash), 0, "%s", c.name);
    scene_free(&c);
    return fits;
}

Test(cloth_bodies, every_solver_feels_a_line, .timeout = 900)
{
    static const hed_cloth_solver solvers[] = {
        HED_CLOTH_SOLVER_GARMENTS, HED_CLOTH_SOLVER_PATCHES, HED_CLOTH_SOLVER_CPU};
    uint64_t colours = 0, sets = 1, other;
    uint32_t run = 0;
    for (size_t k = 0; k < HED_COUNT(solvers); k++)
        run += line_on_solver(solvers[k], HED_MATH_FAST, &other);
    CHECK(run > 0, "the device has none of the solvers");
    line_on_solver(HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, &colours);
    line_on_solver(HED_CLOTH_SOLVER_SETS, HED_MATH_STRICT, &sets);
    EXPECT_EQ(colours, sets, "the order of constraints is the same, so the bits are");
}
