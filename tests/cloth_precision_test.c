/* ctest: devices */
/* Gravity is not lost to rounding, however high the cloth is and however short a substep: free
 * fall, a sheet on two corners, a catenary, a pendulum; and nothing around a cloth depends on where
 * in the world all of it is. The figures are those of the double reference with the same substeps,
 * or exact ones. */
#include "cloth_checks.h"
#include "solver/host.h"
#include "fixture.h"

TestSuite(cloth_precision, .init = here_open, .fini = here_close);

#undef sqrt
#undef fabs
#undef fma

static bool is_host(const test_device *t)
{
    return strcmp(hed_device_describe(t->device).backend, "host") == 0;
}

/* A processor under OpenCL compiles for seconds what groups do for each size of cloth. */
static bool is_opencl_processor(const test_device *t)
{
    return !is_host(t) && hed_device_describe(t->device).type == HED_DEVICE_CPU;
}

/* A launch for each colour takes long elsewhere than on host: those are tried in few cases, and so
 * is all on a processor under OpenCL. */
static bool is_slow(const test_device *t, const variant *v)
{
    bool groups = v->solver == HED_CLOTH_SOLVER_PATCHES || v->solver == HED_CLOTH_SOLVER_GARMENTS;
    return !is_host(t) && (!groups || is_opencl_processor(t));
}

static hed_cloth *make_at(
    const test_device *t, test_mesh *mesh, double height, uint32_t substeps, const variant *v)
{
    for (uint32_t i = 0; i < mesh->def.particle_count; i++)
        mesh->positions[3 * i + 1] = (float)height;
    mesh->def.damping = mesh->def.drag = mesh->def.lift = 0;
    return make(t, &mesh->def, (effort){substeps, 1, 1}, false, v);
}

/* `matrix` (or NULL) moves the frame of reference along before each frame. */
static void fall_a_second(hed_cloth *cloth, const float *matrix)
{
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.motion = matrix;
    for (int i = 0; i < 60; i++) OK(hed_cloth_step(cloth, &frame, &error));
}

static void expect_a_fall(hed_cloth *cloth, double height, uint32_t substeps, const char *name)
{
    float *found = positions_of(cloth);
    double fell = height - found[1], most = height < 1000 ? 2e-4 : 1e-3;
    EXPECT(fabs(fell / 4.905 - 1) <= most, "%s, %u substeps at %g m: fell %.6f m instead of 4.905",
        name, substeps, height, fell);
    free(found);
}

Test(cloth_precision, a_free_sheet_falls_at_any_height_and_number_of_substeps)
{
    static const double heights[] = {0, 10, 100, 1000};
    static const uint32_t substeps[] = {1, 5, 10, 100, 200};
    test_mesh mesh = test_grid(3, 3);
    mesh.inverse_masses[0] = mesh.inverse_masses[2] = 1;
    for (const variant *v = variants; v->name; v++)
        for (int h = 0; h < 4; h++)
            for (int s = 0; s < 5; s++) {
                if ((is_slow(&here, v) || v->solver == HED_CLOTH_SOLVER_SETS) && (h != 1 || s != 3))
                    continue;
                if (v->solver == HED_CLOTH_SOLVER_PATCHES && is_opencl_processor(&here)) continue;
                hed_cloth *cloth = make_at(&here, &mesh, heights[h], substeps[s], v);
                if (!cloth) continue;
                fall_a_second(cloth, NULL);
                expect_a_fall(cloth, heights[h], substeps[s], v->name);
                hed_cloth_destroy(cloth);
            }
    test_mesh_free(&mesh);
}

/* Turned by 1 degree about the vertical each frame, which leaves ways as long as they were. */
Test(cloth_precision, motion_takes_no_gravity_away)
{
    float c = cosf(0.0174533f), s = sinf(0.0174533f),
          turn[16] = {c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, 0, 0, 0, 1};
    test_mesh mesh = test_grid(3, 3);
    mesh.inverse_masses[0] = mesh.inverse_masses[2] = 1;
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *cloth = is_slow(&here, v) ? NULL : make_at(&here, &mesh, 100, 200, v);
        if (!cloth) continue;
        fall_a_second(cloth, turn);
        expect_a_fall(cloth, 100, 200, v->name);
        hed_cloth_destroy(cloth);
    }
    test_mesh_free(&mesh);
}

/* The lowest place, from where it hangs. */
static double low_of(const double *positions, uint32_t count, double height)
{
    double low = 0;
    for (uint32_t i = 0; i < count; i++) low = fmin(low, positions[3 * i + 1] - height);
    return low;
}

static double low_of_cloth(hed_cloth *cloth, double height)
{
    uint32_t count = hed_cloth_particle_count(cloth);
    double *doubles = malloc(count * 3 * sizeof *doubles);
    float *found = positions_of(cloth);
    for (uint32_t i = 0; i < 3 * count; i++) doubles[i] = found[i];
    double low = low_of(doubles, count, height);
    free(found);
    free(doubles);
    return low;
}

/* Other orders of the sweep swing otherwise: two patches 4 % less far, by the same 4 % at all
 * heights. */
Test(cloth_precision, a_sheet_on_two_corners_hangs_as_in_double)
{
    enum { N = 16, SUBSTEPS = 200, FRAMES = 60 };
    static const double heights[] = {0, 10, 1000};
    test_mesh mesh = test_grid(N, N);
    mesh.def.damping = 0.5f;
    reference r = reference_make(&mesh.def, (effort){SUBSTEPS, 1, 0}, 1.0 / 60, -9.81);
    reference_step(&r, FRAMES);
    double expected = low_of(r.positions, N * N, 0);
    CHECK_LT(expected, -0.5);
    for (const variant *v = variants; v->name; v++) {
        double low_at_zero = 0;
        for (int h = 0; h < 3; h++) {
            if (is_slow(&here, v) || v->solver == HED_CLOTH_SOLVER_SETS) continue;
            for (uint32_t i = 0; i < N * N; i++) mesh.positions[3 * i + 1] = (float)heights[h];
            hed_cloth *cloth = make(&here, &mesh.def, (effort){SUBSTEPS, 1, 2}, false, v);
            if (!cloth) continue;
            step(cloth, 1.0 / 60, -9.81, FRAMES);
            double low = low_of_cloth(cloth, heights[h]);
            bool same_order =
                v->solver == HED_CLOTH_SOLVER_COLOURS || v->solver == HED_CLOTH_SOLVER_SETS;
            EXPECT(fabs(low / expected - 1) < (same_order ? 0.01 : 0.06),
                "%s at %g m: low point %.4f instead of %.4f", v->name, heights[h], low, expected);
            if (h == 0) low_at_zero = low;
            EXPECT(fabs(low / low_at_zero - 1) < 0.01,
                "%s at %g m: low point %.4f instead of %.4f at 0 m", v->name, heights[h], low,
                low_at_zero);
            hed_cloth_destroy(cloth);
        }
    }
    reference_free(&r);
    test_mesh_free(&mesh);
}

/* 64 links over a span of 1 m, 1.5 m long, from a curve that is not theirs: 4 s at 200 substeps.
 * The floor, 4e-2 to 5e-2 m, is what corrections lose when they are added to places: a random walk
 * of velocities. So other heights give other figures, on host 0.3 to 1.6 times that at 0 m. */
Test(cloth_precision, a_rope_hangs_as_in_double)
{
    enum { LINKS = 64, SUBSTEPS = 200, FRAMES = 240 };
    static const double heights[] = {0, 10, 1000};
    double worst_at_zero[sizeof variants / sizeof *variants] = {0};
    rope r = rope_make(LINKS + 1);
    for (uint32_t i = 0; i < LINKS; i++) r.constraints[i].rest = 1.5f / LINKS;
    r.inverse_masses[0] = r.inverse_masses[LINKS] = 0;
    r.def.damping = 0.7f;
    for (int h = 0; h < 3; h++) {
        for (uint32_t i = 0; i <= LINKS; i++) {
            r.positions[3 * i] = (float)i / LINKS;
            r.positions[3 * i + 1] = (float)(heights[h] - 0.5 * sin(3.14159265358979 * i / LINKS));
        }
        reference ref = reference_make(&r.def, (effort){SUBSTEPS, 1, 0}, 1.0 / 60, -9.81);
        reference_step(&ref, FRAMES);
        for (const variant *v = variants; v->name; v++) {
            if (is_slow(&here, v) || v->solver == HED_CLOTH_SOLVER_SETS) continue;
            hed_cloth *cloth = make(&here, &r.def, (effort){SUBSTEPS, 1, 1}, false, v);
            if (!cloth) continue;
            step(cloth, 1.0 / 60, -9.81, FRAMES);
            float *found = positions_of(cloth);
            double worst = 0;
            for (uint32_t i = 0; i < 3 * (LINKS + 1); i++)
                worst = fmax(worst, fabs(found[i] - ref.positions[i]));
            EXPECT(worst < 7e-2, "%s at %g m: %g m from double", v->name, heights[h], worst);
            if (h == 0) worst_at_zero[v - variants] = worst;
            EXPECT(!is_host(&here) || worst <= 2 * worst_at_zero[v - variants],
                "%s at %g m: %g m from double, %g m at 0 m", v->name, heights[h], worst,
                worst_at_zero[v - variants]);
            free(found);
            hed_cloth_destroy(cloth);
        }
        reference_free(&ref);
    }
    rope_free(&r);
}

/* Two half periods, by where the bob passes below the pivot. */
static double half_periods(hed_cloth *cloth)
{
    double last = 0, dt = 1.0 / 600, first = 0;
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.seconds = dt;
    for (int i = 1, passes = 0; i < 3000; i++) {
        OK(hed_cloth_step(cloth, &frame, &error));
        float *found = positions_of(cloth);
        double x = found[3] - found[0];
        free(found);
        if (i > 1 && last * x <= 0 && last != x) {
            double time = dt * (i - 1 + last / (last - x));
            if (passes++ == 0) first = time;
            else if (passes == 3) return time - first;
        }
        last = x;
    }
    return 0;
}

/* 12,000 substeps a second: gravity moves the bob by half a step of a float at 1 m, and what a
 * constraint adds is rounded to such steps. With the processor's own estimate of a root that is 2 %
 * of the period on one (Intel) and less than 1 % on another (AMD). */
Test(cloth_precision, a_pendulum_keeps_its_period_at_a_kilometre)
{
    rope r = rope_make(2);
    r.inverse_masses[0] = 0;
    for (const variant *v = variants; v->name; v++) {
        double period[2];
        for (int h = 0; h < 2; h++) {
            r.positions[1] = h ? 1000.0f : 0.0f;
            r.positions[3] = 0.125f;
            r.positions[4] = r.positions[1] - 1.0f;
            r.constraints[0].rest = sqrtf(1 + 0.125f * 0.125f);
            hed_cloth *cloth =
                is_slow(&here, v) ? NULL : make(&here, &r.def, (effort){20, 1, 1}, false, v);
            period[h] = cloth ? half_periods(cloth) : -1;
            hed_cloth_destroy(cloth);
        }
        if (period[0] < 0) continue;
        EXPECT(fabs(period[0] / 2.01 - 1) < (v->solver == HED_CLOTH_SOLVER_CPU ? 0.03 : 0.01),
            "%s: a period of %.5f s", v->name, period[0]);
        EXPECT(fabs(period[1] / period[0] - 1) <= 1e-3, "%s: %.5f s at 1 km, %.5f s at 0 m",
            v->name, period[1], period[0]);
    }
    rope_free(&r);
}

/* ---- everything around a cloth, here and 1,024 m away ---- */

enum { SIDE = 12 };

/* All coordinates are steps of 2^-12 m, which a float holds at 1,024 m, too: what is told is then
 * the same, but for the place. */
static float on_grid(double x) { return (float)(rint(x * 4096) / 4096); }

typedef struct surroundings {
    float driver[SIDE * SIDE * 3], normals[SIDE * SIDE * 3], mesh[4][3], max_distance[SIDE * SIDE],
        backstop[SIDE * SIDE];
    hed_cloth_collider colliders[3];
} surroundings;

static const uint32_t faces[2][3] = {{0, 2, 1}, {0, 3, 2}};

static void surround(surroundings *s, const double *away, uint32_t frame)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 3; k++) {
            const double at[3] = {(i % SIDE) / 8.0 - 0.7 + 0.004 * frame, 1.0 + 0.002 * frame,
                (i / SIDE) / 8.0 - 0.7};
            s->driver[3 * i + (uint32_t)k] = on_grid(at[k] + away[k]);
            s->normals[3 * i + (uint32_t)k] = k == 1;
        }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        s->max_distance[i] = i < 3 ? 0.0f : i % 5 ? 4.0f : 0.25f;
        s->backstop[i] = i % 4 ? -4.0f : -0.125f;
    }
    const float corners[4][2] = {{-2, -2}, {2, -2}, {2, 2}, {-2, 2}};
    for (int c = 0; c < 4; c++) {
        s->mesh[c][0] = on_grid(corners[c][0] + away[0]);
        s->mesh[c][1] = on_grid(0.3 + 0.001 * frame + away[1]);
        s->mesh[c][2] = on_grid(corners[c][1] + away[2]);
    }
    s->colliders[0] = (hed_cloth_collider){HED_CLOTH_PLANE, {0, 0.25f, 0}, {0, 1, 0}, {0, 0}, 0.5f};
    s->colliders[1] =
        (hed_cloth_collider){HED_CLOTH_SPHERE, {0.25f, 0.5f, 0.125f}, {0, 0, 0}, {0.3f, 0}, 0.5f};
    s->colliders[2] = (hed_cloth_collider){
        HED_CLOTH_CAPSULE, {-0.5f, 0.625f, -0.5f}, {-0.25f, 0.75f, 0.5f}, {0.15f, 0.1f}, 0.5f};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            s->colliders[c].a[k] = on_grid(s->colliders[c].a[k] + 0.002 * frame + away[k]);
            if (c == 2)
                s->colliders[c].b[k] = on_grid(s->colliders[c].b[k] + 0.002 * frame + away[k]);
        }
}

/* Positions from `away` after some frames with all of it, a teleport among them. */
static float *surrounded(const test_device *t, const variant *v, bool self, const double *away)
{
    surroundings *s = calloc(1, sizeof *s);
    test_mesh mesh = test_grid(SIDE, SIDE);
    hed_cloth_def def = hed_default_cloth_def();
    def.substeps = 5;
    hed_cloth *cloth = NULL;
    surround(s, away, 0);
    memcpy(mesh.positions, s->driver, sizeof s->driver);
    mesh.def.driven = mesh.def.tethers = true;
    mesh.def.max_distance = s->max_distance;
    mesh.def.backstop_distance = s->backstop;
    mesh.def.drag = 0.5f;
    mesh.def.lift = 0.25f;
    mesh.def.thickness = 0.18f;
    mesh.def.self_collision = self;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.solver = v->solver;
    def.math = v->math;
    def.max_collider_triangles = 2;
    def.patches = 4;
    float back[16] = {
        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (float)-away[0], (float)-away[1], (float)-away[2], 1};
    float jump[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.125f, 0.0625f, -0.125f, 1};
    error = (hed_error){0};
    hed_status status = hed_cloth_create(t->device, &def, &cloth, &error);
    CHECK(status == HED_OK || status == HED_ERROR_UNSUPPORTED, "%s", error.text);
    float *found = NULL;
    for (uint32_t i = 0; i < 24 && cloth; i++) {
        hed_cloth_frame frame = hed_default_cloth_frame();
        surround(s, away, i);
        frame.driver_positions = i % 3 ? s->driver : NULL;
        frame.driver_normals = s->normals;
        frame.colliders = i % 4 ? s->colliders : NULL;
        frame.collider_count = i % 4 ? 3 : 0;
        frame.meshes =
            i % 5 ? &(hed_cloth_mesh_collider){4, 2, s->mesh[0], faces[0], 0.3f, NULL} : NULL;
        frame.mesh_count = i % 5 ? 1 : 0;
        frame.wind[0] = 3;
        frame.motion = i % 7 == 6 ? jump : NULL;
        frame.transform = back;
        OK(hed_cloth_step(cloth, &frame, &error));
        if (i == 10) OK(hed_cloth_teleport(cloth, 0, jump, &error));
    }
    if (cloth) found = positions_of(cloth);
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
    free(s);
    return found;
}

Test(cloth_precision, everything_is_the_same_a_kilometre_away)
{
    static const double origin[3] = {0, 0, 0}, away[3] = {-1024, 1024, 512};
    for (const variant *v = variants; v->name; v++)
        for (int self = 0; self < 2; self++) {
            if (is_opencl_processor(&here) && (v != &variants[0] || !self)) continue;
            float *a = surrounded(&here, v, self, origin), *b = surrounded(&here, v, self, away);
            double moved = 0;
            for (uint32_t i = 0; a && i < 3 * SIDE * SIDE; i++) {
                CHECK_EQ(a[i], b[i], "%s: number %u is %.9g here and %.9g there", v->name, i,
                    (double)a[i], (double)b[i]);
                moved = fmax(moved, fabs(i % 3 == 1 ? a[i] - 1.0 : 0));
            }
            if (a) CHECK_GT(moved, 0.2, "nothing has moved");
            free(a);
            free(b);
        }
}

/* ---- the origin follows ---- */

static double farthest_from_origin(hed_cloth *cloth)
{
    float *found = positions_of(cloth);
    double off = 0;
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(found[k] - cloth->origin[k]));
    free(found);
    return off;
}

static uint64_t hash_after(hed_cloth *cloth, uint32_t frames)
{
    hed_cloth_metrics quality;
    step(cloth, 1.0 / 60, -9.81, frames);
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    return quality.hash;
}

/* After 3 s it falls at 29 m/s; the origin is as old as 16 + 3 submissions at most. Saved at any
 * moment between a look and the move, it goes on to the bit. */
Test(cloth_precision, the_origin_follows_and_is_saved)
{
    test_mesh mesh = test_grid(3, 3);
    mesh.inverse_masses[0] = mesh.inverse_masses[2] = 1;
    hed_cloth *cloth = make_at(&here, &mesh, 1000, 5, &variants[0]),
              *other = make_at(&here, &mesh, 0, 5, &variants[0]);
    step(cloth, 1.0 / 60, -9.81, 180);
    CHECK_LT(farthest_from_origin(cloth), 12, "%g m", farthest_from_origin(cloth));
    uint64_t size = hed_cloth_save_size(cloth);
    void *state = malloc(size);
    for (uint32_t i = 0; i < 24; i++) {
        OK(hed_cloth_save(cloth, state, &error));
        OK(hed_cloth_load(other, state, size, &error));
        CHECK_EQ(hash_after(other, 20), (hash_after(cloth, 20)), "saved %u frames later", i);
        OK(hed_cloth_load(cloth, state, size, &error));
        step(cloth, 1.0 / 60, -9.81, 1);
    }
    OK(hed_cloth_reset(cloth, &error));
    CHECK_EQ(cloth->origin[1], 1000.0);
    ((char *)state)[7] = '2';
    FAILS(HED_ERROR_FORMAT, hed_cloth_load(cloth, state, size, &error));
    CHECK(strstr(error.text, "format 2"), "%s", error.text);
    free(state);
    hed_cloth_destroy(cloth);
    hed_cloth_destroy(other);
    test_mesh_free(&mesh);
}

/* Without memory the cloth stays as it is, far from where it began: its origin is still the one
 * that its places are relative to. */
Test(cloth_precision, a_reset_without_memory_displaces_nothing)
{
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    test_mesh mesh = test_grid(3, 3);
    mesh.inverse_masses[0] = mesh.inverse_masses[2] = 1;
    hed_cloth *cloth = make_at(&t, &mesh, 10, 5, &variants[0]);
    step(cloth, 1.0 / 60, -9.81, 100);
    float *before = positions_of(cloth);
    CHECK_LT(before[1], 0);
    counted.calls = 0;
    counted.fail_at = 1;
    hed_status status = hed_cloth_reset(cloth, &error);
    counted.fail_at = 0;
    CHECK_EQ(status, HED_ERROR_MEMORY);
    hed_cloth_frame still = hed_default_cloth_frame();
    OK(hed_cloth_step(cloth, &still, &error));
    float *after = positions_of(cloth);
    EXPECT(fabs(after[1] - before[1]) < 0.5, "%g m before, %g m a frame later", (double)before[1],
        (double)after[1]);
    free(before);
    free(after);
    OK(hed_cloth_reset(cloth, &error));
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
    test_close(&t);
}

/* The first look makes a buffer and an event; without memory for them the submission says so, and
 * the next look tries again. */
Test(cloth_precision, a_look_without_memory_is_told)
{
    test_allocator counted = {0};
    hed_context_def context = hed_default_context_def();
    context.allocator = test_allocator_of(&counted);
    test_device t = test_open(&context);
    test_mesh mesh = test_grid(3, 3);
    mesh.inverse_masses[0] = mesh.inverse_masses[2] = 1;
    if (!is_host(&t)) {
        test_mesh_free(&mesh);
        test_close(&t);
        test_skip(
            "what others allocate on the way is theirs: the count of allocations is that of host");
    }
    uint32_t failures = 0;
    for (int64_t n = 1; n < 6; n++) {
        hed_cloth *cloth = make_at(&t, &mesh, 10, 5, &variants[0]);
        hed_cloth_frame frame = hed_default_cloth_frame();
        step(cloth, 1.0 / 60, -9.81, 15);
        counted.calls = 0;
        counted.fail_at = n;
        hed_error_clear(&error);
        hed_status status = hed_cloth_step(cloth, &frame, &error);
        counted.fail_at = 0;
        CHECK(status == HED_OK || status == HED_ERROR_MEMORY || status == HED_ERROR_DEVICE_MEMORY,
            "%s", error.text);
        failures += status != HED_OK;
        step(cloth, 1.0 / 60, -9.81, 100);
        CHECK_LT(farthest_from_origin(cloth), 12);
        hed_cloth_destroy(cloth);
    }
    CHECK(failures > 1, "%u failures", failures);
    test_mesh_free(&mesh);
    test_close(&t);
}
