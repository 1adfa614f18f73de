/* ctest: devices full=pocl */
/* Sewing: borders that are apart meet when their time is over and stay together, in every solver
 * that can, and to the bit as on the host in strict mode. */
#include "fixture.h"

#include "cloth_bodies.h"

static hed_error error;

TestSuite(cloth_seams, .init = here_open, .fini = here_close);

enum { N = 17 };

typedef struct sewn {
    double halfway, apart, stretch; /* m, of the widest seam; at the end */
    uint64_t hash;
} sewn;

/* Two sheets would be two meshes: one sheet whose borders x = low and x = high become
 * one, so that it is a tube. */
static sewn sew(hed_device *device, hed_cloth_solver solver, hed_math math, bool grid)
{
    sheet s = sheet_make(N, 0.4f);
    uint32_t seams[N][2];
    for (uint32_t j = 0; j < N; j++) {
        seams[j][0] = j * N;
        seams[j][1] = j * N + N - 1;
    }
    /* bent up a little, or nothing would say to which side it goes */
    for (uint32_t i = 0; i < N * N; i++)
        s.positions[i][1] = 2.0f * s.positions[i][0] * s.positions[i][0];
    s.def.seams = seams[0];
    s.def.seam_count = N;
    s.def.seam_seconds = 1.0f;
    s.def.damping = 0.9f;
    if (!grid) s.def.grid_width = s.def.grid_height = 0;
    s.def.family_material[HED_CLOTH_BEND].compress = 0.5f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.solver = solver;
    def.math = math;
    def.substeps = 20;
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    sewn found = {0};
    for (int f = 0; f < 90; f++) {
        dressed_step(&d, &frame);
        double widest = 0.0;
        for (uint32_t j = 0; j < N; j++) {
            double square = 0.0;
            for (int k = 0; k < 3; k++)
                square += pow((double)d.positions[seams[j][0]][k] - d.positions[seams[j][1]][k], 2);
            widest = fmax(widest, sqrt(square));
        }
        if (f == 29) found.halfway = widest;
        found.apart = widest;
    }
    hed_cloth_metrics quality = dressed_measure(&d);
    found.hash = quality.hash;
    found.stretch = quality.worst_stretch;
    dressed_free(&d);
    sheet_free(&s);
    return found;
}

Test(cloth_seams, borders_meet)
{
    for (int grid = 0; grid < 2; grid++) {
        sewn found = sew(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_FAST, grid);
        printf("halfway %g m, %g m in the end, stretch %g\n", found.halfway, found.apart,
            found.stretch);
        EXPECT(found.halfway < 0.21 && found.halfway > 0.01, "%g m", found.halfway);
        EXPECT_LT(found.apart, 1e-4);
        EXPECT_LT(found.stretch, 0.05);
    }
}

Test(cloth_seams, in_the_other_solvers)
{
    bool host = strcmp(hed_device_describe(here.device).backend, "host") == 0;
    EXPECT_LT(
        sew(here.device, host ? HED_CLOTH_SOLVER_CPU : HED_CLOTH_SOLVER_SETS, HED_MATH_FAST, true)
            .apart,
        1e-4);
    for (hed_cloth_solver solver = HED_CLOTH_SOLVER_PATCHES;
         !host && solver <= HED_CLOTH_SOLVER_GARMENTS; solver++)
        EXPECT_LT(sew(here.device, solver, HED_MATH_FAST, solver == HED_CLOTH_SOLVER_PATCHES).apart,
            1e-4, "%s", hed_cloth_solver_name(solver));
    EXPECT_LT(sew(here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, false).apart, 1e-4);
}

Test(cloth_seams, same_bits_as_on_the_host)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    EXPECT_EQ(sew(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, true).hash,
        sew(host, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, true).hash);
}

/* A sheet that is sewn around a cylinder, which moves meanwhile. Returns the smallest distance of a
 * vertex from its axis, m. */
static double sew_around(hed_device *device, hed_cloth_solver solver, hed_math math, uint64_t *hash)
{
    sheet s = sheet_make(N, 0.4f);
    uint32_t seams[N][2];
    for (uint32_t j = 0; j < N; j++) {
        seams[j][0] = j * N;
        seams[j][1] = j * N + N - 1;
    }
    for (uint32_t i = 0; i < N * N; i++)
        s.positions[i][1] = 2.0f * s.positions[i][0] * s.positions[i][0] - 0.06f;
    s.def.seams = seams[0];
    s.def.seam_count = N;
    s.def.seam_seconds = 0.15f;
    s.def.thickness = 0.005f;
    body b = body_make();
    body_frustum(&b, (double[]){0, 0, -0.4}, 0.045, (double[]){0, 0, 0.4}, 0.045, 24);
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.solver = solver;
    def.math = math;
    def.substeps = 20;
    def.max_collider_triangles = b.triangle_count;
    dressed d = dressed_make(device, &def);
    hed_cloth_mesh_collider mesh = body_collider(&b);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    frame.meshes = &mesh;
    frame.mesh_count = 1;
    double nearest = INFINITY, moved = 0;
    for (int f = 0; f < 15; f++) {
        moved += 0.01;
        body_move(&b, 0.01, 0, 0);
        dressed_step(&d, &frame);
        for (uint32_t i = 0; i < N * N; i++) {
            double x = d.positions[i][0] - moved, y = d.positions[i][1];
            nearest = fmin(nearest, sqrt(x * x + y * y));
        }
    }
    if (hash) *hash = dressed_measure(&d).hash;
    dressed_free(&d);
    body_free(&b);
    sheet_free(&s);
    return nearest;
}

Test(cloth_seams, around_a_body_that_moves)
{
    double fast = sew_around(here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST, NULL);
    printf("nearest vertex %g m from the axis\n", fast);
    EXPECT(fast > 0.0445, "%g m from the axis of a body of 0.045 m", fast);
    hed_device *host;
    uint64_t hashes[2];
    OK(hed_device_find(here.context, "host", &host, &error));
    EXPECT(sew_around(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, hashes) > 0.0445,
        "%s", "strict");
    sew_around(host, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, hashes + 1);
    EXPECT_EQ(hashes[0], hashes[1]);
}

Test(cloth_seams, what_is_refused)
{
    sheet s = sheet_make(3, 0.1f);
    hed_cloth *cloth;
    uint32_t seams[] = {0, 2, 3, 9};
    s.def.seams = seams;
    s.def.seam_count = 2;
    hed_cloth_def def = dressed_def(&s.def, 1);
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "seam 1 is between particles 3 and 9"), "%s", error.text);
    seams[3] = 5;
    s.def.seam_seconds = NAN;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "seam_seconds is nan"), "%s", error.text);
    s.def.seam_seconds = 0.0f;
    s.def.seams = NULL;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    sheet_free(&s);
}
