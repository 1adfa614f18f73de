/* For tests of HED_CLOTH_SOLVER_GARMENTS and HED_CLOTH_SOLVER_PATCHES: a cloth of one solver, moved
 * some frames, against the reference that sweeps in its plan's order, and against another
 * solver. */
#ifndef HED_TESTS_CLOTH_LAYOUTS_H
#define HED_TESTS_CLOTH_LAYOUTS_H

#include "fixture.h"

#include "cloth_meshes.h"
#include "core/objects.h"
#include "solver/patches.h"

static hed_error error;

/* A cloth of these garments, and room for so many colliders and triangles of a mesh collider. */
static inline hed_cloth *layout_cloth_in(hed_math math, const test_device *t,
    hed_cloth_solver solver, const hed_cloth_garment_def *garments, uint32_t count,
    uint32_t patches, uint32_t iterations, uint32_t colliders, uint32_t triangles)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth = NULL;
    def.math = math;
    def.substeps = 5;
    def.garments = garments;
    def.garment_count = count;
    def.solver = solver;
    def.patches = patches;
    def.iterations = iterations;
    def.max_colliders = colliders;
    def.max_collider_triangles = triangles;
    OK(hed_cloth_create(t->device, &def, &cloth, &error));
    return cloth;
}

/* The same in fast mode. */
static inline hed_cloth *layout_cloth_among(const test_device *t, hed_cloth_solver solver,
    const hed_cloth_garment_def *garments, uint32_t count, uint32_t patches, uint32_t iterations,
    uint32_t colliders, uint32_t triangles)
{
    return layout_cloth_in(
        HED_MATH_FAST, t, solver, garments, count, patches, iterations, colliders, triangles);
}

/* The same alone. */
static inline hed_cloth *layout_cloth(const test_device *t, hed_cloth_solver solver,
    const hed_cloth_garment_def *garments, uint32_t count, uint32_t patches, uint32_t iterations)
{
    return layout_cloth_among(t, solver, garments, count, patches, iterations, 0, 0);
}

/* True where each choice of a cloth's kernel costs 2 s: PoCL, unless HEDDLE_TEST_FULL is set. Each
 * property is tried once there, and not in every combination. */
static inline bool layout_compiles_long(const test_device *t)
{
    return t->device->compiles_at_launch && !getenv("HEDDLE_TEST_FULL");
}

/* Positions of all particles, (hed_cloth_particle_count() x 3); to be freed. */
static inline float *layout_positions(hed_cloth *cloth)
{
    float *positions = calloc(hed_cloth_particle_count(cloth), 3 * sizeof *positions);
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    return positions;
}

/* `submissions` times `frames` frames. */
static inline void layout_move(hed_cloth *cloth, uint32_t submissions, uint32_t frames)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = frames;
    for (uint32_t k = 0; k < submissions; k++) OK(hed_cloth_step(cloth, &frame, &error));
}

/* Words.h makes fabs() that of the kernels. */
static inline double layout_size(double x) { return x < 0.0 ? -x : x; }

/* Largest difference of a coordinate. */
static inline double layout_error(const float *found, const double *expected, uint32_t particles)
{
    double most = 0.0;
    for (uint32_t i = 0; i < 3 * particles; i++) {
        double off = layout_size((double)found[i] - expected[i]);
        if (!(off <= most)) most = off;
    }
    return most;
}

/* What the sequential sweep in double makes of a garment in `frames` frames, in the order of the
 * plan that `choice` leads to; and how far the same sweep in float comes from it, for folds make
 * rounding grow. */
static inline double *layout_reference(const hed_cloth_garment_def *def,
    const cloth_patch_choice *choice, uint32_t iterations, uint32_t frames, double *rounding)
{
    hed_allocator allocator = hed_default_allocator();
    cloth_garment *garment;
    cloth_plan *plan;
    cloth_plan_def plan_def = {.kind = choice->kind,
        .patches = choice->patches ? choice->patches : 1,
        .step_limit = choice->step_limit,
        .early_steps = choice->early_steps};
    cloth_reference_def reference = {.substeps = 5,
        .iterations = iterations,
        .seconds = 1.0 / 60.0,
        .gravity = {0.0, -9.81, 0.0},
        .up = 1};
    uint32_t n = def->particle_count;
    double last_dt = 0.0, *positions = calloc(n, 3 * sizeof *positions),
           *previous = calloc(n, 3 * sizeof *previous);
    float last_float_dt = 0.0f, *at = calloc(n, 3 * sizeof *at),
          *before = calloc(n, 3 * sizeof *before), *carry = calloc(n, 3 * sizeof *carry);
    OK(cloth_garment_create(&allocator, def, 0, &garment, &error));
    OK(cloth_plan_create(garment, &plan_def, &plan, &error));
    for (uint32_t i = 0; i < 3 * n; i++)
        positions[i] = previous[i] = at[i] = before[i] = garment->positions[i / 3][i % 3];
    reference.order = (cloth_order){plan->order, plan->order_count, true};
    OK(cloth_reference_frames(garment, &reference, frames, positions, previous, NULL, &last_dt));
    OK(cloth_reference_frames_float(
        garment, &reference, frames, at, before, carry, &last_float_dt));
    *rounding = layout_error(at, positions, n);
    free(at);
    free(before);
    free(carry);
    cloth_plan_destroy(plan);
    cloth_garment_destroy(garment);
    free(previous);
    return positions;
}

/* Largest difference of a coordinate. */
static inline double layout_difference(
    const float *found, const float *expected, uint32_t particles)
{
    double most = 0.0;
    for (uint32_t i = 0; i < 3 * particles; i++) {
        double off = layout_size((double)found[i] - (double)expected[i]);
        if (!(off <= most)) most = off;
    }
    return most;
}

/* Moves a cloth of this garment 20 frames and compares it with the reference in the same order:
 * 1e-5 m, or three times what a sequential float sweep is off by: devices have other reciprocal
 * roots. */
static inline void layout_against_reference(const test_device *t, hed_cloth_solver solver,
    const hed_cloth_garment_def *def, const cloth_patch_choice *choice, uint32_t patches,
    uint32_t iterations)
{
    enum { FRAMES = 20 };
    hed_cloth *cloth = layout_cloth(t, solver, def, 1, patches, iterations);
    cloth_patch_choice used = choice ? *choice : cloth_patch_default(cloth, solver);
    if (choice) OK(cloth_patch_rebuild(cloth, choice, &error));
    layout_move(cloth, 2, FRAMES / 2);
    float *found = layout_positions(cloth);
    double rounding, *expected = layout_reference(def, &used, iterations, FRAMES, &rounding);
    double off = layout_error(found, expected, def->particle_count), moved = 0.0;
    EXPECT_LT(off, fmax(1e-5, 3.0 * rounding),
        "%u particles, %u iterations: %g m, and %g m by rounding", def->particle_count, iterations,
        off, rounding);
    for (uint32_t i = 0; i < 3 * def->particle_count; i++)
        moved = fmax(moved, layout_size((double)found[i] - (double)def->positions[i]));
    CHECK_GT(moved, 0.05, "nothing has moved: %g m", moved);
    free(expected);
    free(found);
    hed_cloth_destroy(cloth);
}

/* Skips the test where the device lacks the solver, after checking that it says why. */
static inline void layout_needed(hed_cloth_solver solver)
{
    if (strcmp(hed_device_describe(here.device).backend, "host") != 0) return;
    test_mesh mesh = test_grid(4, 4);
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.solver = solver;
    FAILS(HED_ERROR_UNSUPPORTED, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "cpu"), "%s", error.text);
    test_mesh_free(&mesh);
    here_close();
    test_skip("host has no such solver");
}

/* ---- a garment whose constraints do not depend on their order, with everything around it ---- */

typedef struct busy_garment {
    test_mesh mesh;
    hed_cloth_constraint *constraints;
    float *max_distance, *backstop, *radius, *drive;
} busy_garment;

/* A grid whose particles are tied in pairs across every second column, tethered to its locked first
 * row, driven here and there. */
static inline busy_garment busy_make(uint32_t n)
{
    busy_garment b = {.mesh = test_grid(n, n),
        .constraints = calloc(n * n, sizeof *b.constraints),
        .max_distance = calloc(n * n, sizeof(float)),
        .backstop = calloc(n * n, sizeof(float)),
        .radius = calloc(n * n, sizeof(float)),
        .drive = calloc(n * n, sizeof(float))};
    hed_cloth_garment_def *def = &b.mesh.def;
    for (uint32_t i = 0; i < n * n; i++) {
        b.mesh.inverse_masses[i] = i < n ? 0.0f : 1.0f + (float)(i % 3);
        b.max_distance[i] = i % 5 == 0 ? 0.05f : 10.0f;
        b.backstop[i] = i % 4 == 1 ? -0.01f : -1.0f;
        b.radius[i] = i % 8 == 1 ? 0.5f : 0.0f;
        b.drive[i] = i % 7 == 0 ? 0.01f : 0.0f;
        if (i % n + 1 < n && i % n % 2 == 0)
            b.constraints[def->constraint_count++] =
                (hed_cloth_constraint){i, i + 1, 2.1f / (float)(n - 1), 0};
    }
    def->constraints = b.constraints;
    def->tethers = true;
    def->driven = true;
    def->max_distance = b.max_distance;
    def->backstop_distance = b.backstop;
    def->backstop_radius = b.radius;
    def->drive = b.drive;
    def->damping = 0.3f;
    def->vertical_damping = 0.2f;
    def->drag = 0.5f;
    def->lift = 0.3f;
    def->friction = 0.4f;
    def->thickness =
        0.1f; /* the ball acts on vertices alone: contacts of features amplify rounding */
    return b;
}

static inline void busy_free(busy_garment *b)
{
    test_mesh_free(&b->mesh);
    free(b->constraints);
    free(b->max_distance);
    free(b->backstop);
    free(b->radius);
    free(b->drive);
}

enum {
    BUSY_DRIVER = 1,
    BUSY_TETHERS = 2,
    BUSY_AIR = 4,
    BUSY_COLLIDERS = 8,
    BUSY_MESH = 16,
    BUSY_ALL = 31
};

/* Moves a busy cloth 12 frames; `what` surrounds it. Gives its positions and colours. */
static inline float *busy_move(const test_device *t, hed_cloth_solver solver, uint32_t n,
    uint32_t what, uint32_t patches, uint32_t iterations, uint32_t copies, uint8_t (*colours)[4])
{
    busy_garment b = busy_make(n);
    b.mesh.def.copies = copies;
    b.mesh.def.driven = what & BUSY_DRIVER;
    b.mesh.def.tethers = what & BUSY_TETHERS;
    if (!(what & BUSY_AIR)) b.mesh.def.drag = b.mesh.def.lift = 0.0f;
    hed_cloth *cloth = layout_cloth_among(t, solver, &b.mesh.def, 1, patches, iterations,
        what & BUSY_COLLIDERS ? 2 : 0, what & BUSY_MESH ? 2 : 0);
    uint32_t particles = hed_cloth_particle_count(cloth);
    float *driver = calloc(particles, 3 * sizeof *driver),
          *normals = calloc(particles, 3 * sizeof *normals);
    float box[4][3] = {
        {-2.0f, -0.35f, -2.0f}, {2.0f, -0.35f, -2.0f}, {2.0f, -0.35f, 2.0f}, {-2.0f, -0.35f, 2.0f}};
    const uint32_t faces[2][3] = {{0, 2, 1}, {0, 3, 2}};
    for (uint32_t f = 0; f < 4; f++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        hed_cloth_collider colliders[2] = {{.shape = HED_CLOTH_SPHERE,
                                               .a = {0.3f, -0.3f + 0.02f * (float)f, 0.2f},
                                               .radius = {0.35f},
                                               .friction = 0.5f},
            {.shape = HED_CLOTH_PLANE,
                .a = {0.0f, -0.5f, 0.0f},
                .b = {0.0f, 1.0f, 0.0f},
                .friction = 0.3f}};
        hed_cloth_mesh_collider mesh = {.vertex_count = 4,
            .triangle_count = 2,
            .positions = box[0],
            .triangles = faces[0],
            .friction = 0.4f};
        frame.frames = 3;
        frame.wind[0] = what & BUSY_AIR ? 4.0f : 0.0f;
        frame.gust = 0.3f;
        for (uint32_t i = 0; i < particles; i++) {
            memcpy(driver + 3 * i, b.mesh.positions + 3 * (i % (n * n)), 3 * sizeof *driver);
            driver[3 * i + 1] += 0.01f * (float)(f + 1);
            normals[3 * i + 1] = 1.0f;
        }
        if (what & BUSY_DRIVER) {
            frame.driver_positions = driver;
            frame.driver_normals = normals;
        }
        if (what & BUSY_COLLIDERS) {
            frame.colliders = colliders;
            frame.collider_count = 2;
        }
        if (what & BUSY_MESH) {
            frame.meshes = &mesh;
            frame.mesh_count = 1;
        }
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    float *positions = calloc(particles, 3 * sizeof *positions);
    OK(hed_cloth_read(cloth, positions, NULL, colours ? colours[0] : NULL, &error));
    hed_cloth_destroy(cloth);
    free(driver);
    free(normals);
    busy_free(&b);
    return positions;
}

/* What surrounds a cloth, alone and together, against the solver of colours; all of it with two
 * iterations as well, or instead where that compiles long. */
static inline void busy_against_colours(
    hed_cloth_solver solver, uint32_t n, uint32_t patches, const uint32_t *whats, size_t count)
{
    uint8_t(*found_colours)[4] = calloc(2 * (size_t)n * n, 4),
    (*colours)[4] = found_colours + n * n;
    for (size_t k = 0; k < count; k++)
        for (uint32_t iterations = 1; iterations <= (whats[k] == BUSY_ALL ? 2 : 1); iterations++) {
            if (whats[k] == BUSY_ALL && iterations == 1 && layout_compiles_long(&here)) continue;
            float *found =
                busy_move(&here, solver, n, whats[k], patches, iterations, 1, found_colours);
            float *expected =
                busy_move(&here, HED_CLOTH_SOLVER_COLOURS, n, whats[k], 0, iterations, 1, colours);
            double off = layout_difference(found, expected, n * n);
            EXPECT_LT(off, 2e-5, "surroundings %u, %u iterations: %g m", whats[k], iterations, off);
            if (whats[k] & BUSY_DRIVER)
                EXPECT_BYTES(found_colours, colours, 4 * (size_t)n * n,
                    "colours of surroundings %u", whats[k]);
            free(found);
            free(expected);
        }
    free(found_colours);
}

/* Ranges of length with several iterations, compliance in one family, each against the
 * reference. */
static inline void layout_materials_against_reference(
    hed_cloth_solver solver, uint32_t n, const cloth_patch_choice *choice)
{
    test_mesh mesh = test_irregular(n, 3, 0.5f);
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++)
        mesh.def.family_material[f] = (hed_cloth_material){0.9f, 1.02f, 0.0f};
    layout_against_reference(&here, solver, &mesh.def, choice, 0, 3);
    mesh.def.family_material[HED_CLOTH_BEND] = (hed_cloth_material){1.0f, 1.0f, 2e-4f};
    layout_against_reference(&here, solver, &mesh.def, choice, 0, 1);
    test_mesh_free(&mesh);
}

#endif
