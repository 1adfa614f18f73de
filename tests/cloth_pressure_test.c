/* ctest: devices full=pocl */
/* Pressure in closed garments: at rest it does the work of the edges' tensions (3 p V is the sum of
 * tension times length, the virial theorem of a closed net), it moves nothing as a whole, and it
 * has the same bits on every device in strict mode. */
#include "fixture.h"

#include "cloth_contacts.h"

static hed_error error;

TestSuite(cloth_pressure, .init = here_open, .fini = here_close);

enum { RINGS = 9, SLICES = 14 };
static const float COMPLIANCE = 0.05f; /* m/N */

typedef struct balloon {
    ball shape;
    hed_cloth_garment_def garment;
} balloon;

static balloon balloon_make(float pressure)
{
    balloon b = {.shape = ball_make(RINGS, SLICES), .garment = hed_default_cloth_garment_def()};
    ball_put(&b.shape, 0.1f, 0.2f, 0.3f, 0.15f);
    b.garment.particle_count = b.shape.vertex_count;
    b.garment.positions = b.shape.positions[0];
    b.garment.triangle_count = b.shape.triangle_count;
    b.garment.triangles = b.shape.triangles[0];
    b.garment.family[HED_CLOTH_SHEAR] = b.garment.family[HED_CLOTH_BEND] = false;
    b.garment.family_material[HED_CLOTH_STRUCTURAL].compliance = COMPLIANCE;
    b.garment.damping = 0.95f;
    b.garment.pressure = pressure;
    return b;
}

static double distance(const float *a, const float *b)
{
    return sqrt(
        pow((double)a[0] - b[0], 2) + pow((double)a[1] - b[1], 2) + pow((double)a[2] - b[2], 2));
}

static double volume_of(const balloon *b, const float (*p)[3])
{
    double six = 0.0;
    for (uint32_t t = 0; t < b->shape.triangle_count; t++) {
        const uint32_t *c = b->shape.triangles[t];
        for (int k = 0; k < 3; k++) {
            int m = (k + 1) % 3, n = (k + 2) % 3;
            six += p[c[0]][k] * ((double)p[c[1]][m] * p[c[2]][n] - (double)p[c[1]][n] * p[c[2]][m]);
        }
    }
    return six / 6.0;
}

Test(cloth_pressure, a_balloon_at_rest)
{
    for (int weak = 0; weak < 2; weak++) {
        float pressure = weak ? 10.0f : 25.0f;
        balloon b = balloon_make(pressure);
        hed_cloth_def def = dressed_def(&b.garment, 1);
        def.substeps = 60;
        dressed d = dressed_make(here.device, &def);
        hed_cloth_frame frame = hed_default_cloth_frame();
        frame.gravity[1] = 0.0f;
        for (int f = 0; f < 240; f++) dressed_step(&d, &frame);
        double virial = 0.0, middle[3] = {0.0};
        for (uint32_t t = 0; t < b.shape.triangle_count; t++)
            for (int k = 0; k < 3; k++) { /* each edge twice, once in each direction */
                uint32_t i = b.shape.triangles[t][k], j = b.shape.triangles[t][(k + 1) % 3];
                double length = distance(d.positions[i], d.positions[j]);
                virial += 0.5 * length *
                          (length - distance(b.shape.positions[i], b.shape.positions[j])) /
                          COMPLIANCE;
            }
        for (uint32_t i = 0; i < d.particles; i++)
            for (int k = 0; k < 3; k++)
                middle[k] += ((double)d.positions[i][k] - b.shape.positions[i][k]) / d.particles;
        double volume = volume_of(&b, (const float(*)[3])d.positions),
               before = volume_of(&b, (const float(*)[3])b.shape.positions);
        printf("%g Pa: volume %.5f of %.5f m3, 3 p V %.4f J, tensions %.4f J\n", pressure, volume,
            before, 3 * pressure * volume, virial);
        EXPECT_GT(volume, 1.03 * before);
        EXPECT_NEAR(
            virial / (3 * pressure * volume), 1.0, 0.005); /* 0.011 at 30 substeps, 0.001 at 90 */
        for (int k = 0; k < 3; k++)
            EXPECT_NEAR(middle[k], 0.0, 0.01); /* rounding; a force of 1 % of p A is 4 m */
        dressed_free(&d);
        ball_free(&b.shape);
    }
}

/* A balloon of a linear fabric, Y N/m, is in equilibrium at R if its pressure is 2 Y (R - R0) / R^2; with
 * substeps that the engine chooses it comes to rest there. */
Test(cloth_pressure, a_balloon_of_a_fabric_finds_its_equilibrium)
{
    static const hed_cloth_fabric fabric = {200, 200, 100, 1e-5f, 1e-5f, 0.1f, 0};
    const double radius = 0.15, stretch = 1.38;
    balloon b = balloon_make((float)(2 * 200 * (stretch - 1) / (radius * stretch * stretch)));
    b.garment.fabric = &fabric;
    hed_cloth_def def = dressed_def(&b.garment, 1);
    def.substeps = 0;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0;
    frame.frames = 180;
    dressed_step(&d, &frame);
    const double grown = cbrt(volume_of(&b, (const float(*)[3])d.positions) /
                              volume_of(&b, (const float(*)[3])b.shape.positions));
    printf("%u substeps: %g of the radius at rest\n", hed_cloth_describe(d.cloth).substeps, grown);
    EXPECT_NEAR(grown, stretch, 0.06);
    dressed_free(&d);
    ball_free(&b.shape);
}

/* Divides every third triangle at x > `from` by its centre, a particle of three triangles: each of them has one
 * particle beyond two of its sides, which two depends on `first`, the number of its first corner. */
static void divide(ball *shape, float from, uint32_t first)
{
    uint32_t vertices = shape->vertex_count, triangles = shape->triangle_count;
    shape->positions = realloc(shape->positions, (vertices + triangles) * sizeof *shape->positions);
    shape->triangles = realloc(shape->triangles, 3 * triangles * sizeof *shape->triangles);
    for (uint32_t t = 0; t < triangles; t += 3) {
        uint32_t corner[3], centre = shape->vertex_count;
        memcpy(corner, shape->triangles[t], sizeof corner);
        for (int k = 0; k < 3; k++)
            shape->positions[centre][k] =
                (shape->positions[corner[0]][k] + shape->positions[corner[1]][k] +
                    shape->positions[corner[2]][k]) /
                3;
        if (!(shape->positions[centre][0] > from)) continue;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t around[3] = {corner[k], corner[(k + 1) % 3], centre};
            uint32_t *to = shape->triangles[k ? shape->triangle_count++ : t];
            for (uint32_t c = 0; c < 3; c++) to[c] = around[(c + first) % 3];
        }
        shape->vertex_count++;
    }
}

static double area_of(float (*p)[3], const uint32_t corner[3])
{
    double n[3];
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, l = (k + 2) % 3;
        const float *a = p[corner[0]], *b = p[corner[1]], *c = p[corner[2]];
        n[k] = ((double)b[m] - a[m]) * ((double)c[l] - a[l]) -
               ((double)b[l] - a[l]) * ((double)c[m] - a[m]);
    }
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* A driver that limits nothing holds the cloth for the engine, which then corrects no momentum (turn.h). */
static void bend_balloon(uint32_t first)
{
    static const hed_cloth_fabric fabric = {200, 200, 100, 1e-2f, 1e-2f, 0.1f, 0};
    balloon b = balloon_make(300.0f);
    divide(&b.shape, 0.1f, first);
    b.garment.particle_count = b.shape.vertex_count;
    b.garment.positions = b.shape.positions[0];
    b.garment.triangle_count = b.shape.triangle_count;
    b.garment.triangles = b.shape.triangles[0];
    b.garment.fabric = &fabric;
    b.garment.damping = 0.0f;
    float *limits = malloc(b.shape.vertex_count * sizeof *limits);
    for (uint32_t i = 0; i < b.shape.vertex_count; i++) limits[i] = 100.0f;
    b.garment.driven = true;
    b.garment.max_distance = limits;
    hed_cloth_def def = dressed_def(&b.garment, 1);
    def.substeps = 60;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    frame.frames = 60;
    dressed_step(&d, &frame);
    double moved = 0, all = 0;
    for (uint32_t t = 0; t < b.shape.triangle_count; t++) { /* a corner has a third of the mass */
        const uint32_t *c = b.shape.triangles[t];
        double area = area_of(b.shape.positions, c);
        all += area;
        for (int k = 0; k < 3; k++)
            moved += area / 3 * ((double)d.positions[c[k]][0] - b.shape.positions[c[k]][0]);
    }
    printf("moved by %.4f mm in a second\n", 1e3 * moved / all);
    EXPECT_NEAR(moved / all, 0.0, 0.003);
    free(limits);
    dressed_free(&d);
    ball_free(&b.shape);
}

Test(cloth_pressure, bending_moves_no_balloon_as_a_whole, .timeout = 120)
{
    for (uint32_t first = 0; first < 3; first++) bend_balloon(first);
}

static double volume_at_rest(balloon *b)
{
    hed_cloth_def def = dressed_def(&b->garment, 1);
    def.substeps = 60;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    frame.frames = 240;
    dressed_step(&d, &frame);
    double volume = volume_of(b, (const float(*)[3])d.positions);
    dressed_free(&d);
    return volume;
}

/* A balloon full of gas comes to rest where one of the same pressure at any volume does, and that
 * is by Boyle's law what it has there; one with twice the gas at half the pressure is the same. */
Test(cloth_pressure, gas_follows_boyle)
{
    balloon b = balloon_make(30.0f);
    b.garment.rest_volume = 1.0f;
    double before = volume_of(&b, (const float(*)[3])b.shape.positions), gas = volume_at_rest(&b);
    b.garment.pressure = 15.0f;
    b.garment.rest_volume = 2.0f;
    double same = volume_at_rest(&b);
    b.garment.pressure = (float)(30.0 * before / gas);
    b.garment.rest_volume = 0.0f;
    double constant = volume_at_rest(&b);
    printf("%g m3 at rest; gas %g and %g, constant pressure %g\n", before, gas, same, constant);
    EXPECT_GT(gas, 1.03 * before);
    EXPECT_NEAR(same / gas, 1.0, 1e-4);
    EXPECT_NEAR(constant / gas, 1.0, 1e-3);
    ball_free(&b.shape);
}

static uint64_t inflated(hed_device *device, hed_cloth_solver solver, hed_math math)
{
    balloon b = balloon_make(15.0f);
    b.garment.rest_volume = 1.2f;
    hed_cloth_def def = dressed_def(&b.garment, 1);
    def.solver = solver;
    def.math = math;
    dressed d = dressed_make(device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.frames = 3; /* in one submission */
    for (int f = 0; f < 4; f++) dressed_step(&d, &frame);
    hed_cloth_metrics quality = dressed_measure(&d);
    EXPECT_GT(volume_of(&b, (const float(*)[3])d.positions),
        1.01 * volume_of(&b, (const float(*)[3])b.shape.positions));
    dressed_free(&d);
    ball_free(&b.shape);
    return quality.hash;
}

Test(cloth_pressure, in_other_solvers_and_to_the_bit)
{
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    inflated(here.device, HED_CLOTH_SOLVER_AUTO, HED_MATH_FAST);
    EXPECT_EQ(inflated(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT),
        inflated(host, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT));
}

Test(cloth_pressure, what_is_refused)
{
    balloon b = balloon_make(10.0f);
    hed_cloth *cloth;
    hed_cloth_def def = dressed_def(&b.garment, 1);
    b.garment.triangle_count--;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "pressure needs a closed mesh"), "%s", error.text);
    b.garment.triangle_count++;
    uint32_t turned = b.shape.triangles[3][0], other = b.shape.triangles[3][1];
    b.shape.triangles[3][0] = b.shape.triangles[3][1];
    b.shape.triangles[3][1] = turned;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "two faces on one side") || strstr(error.text, "on one side alone"),
        "%s", error.text);
    b.garment.rest_volume = -1.0f;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "rest_volume is -1"), "%s", error.text);
    b.shape.triangles[3][0] = turned; /* as it was: closed */
    b.shape.triangles[3][1] = other;
    b.garment.rest_volume = 1.0f;
    b.garment.copies = 2;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "2 copies"), "%s", error.text);
    for (uint32_t t = 0; t < b.shape.triangle_count; t++) { /* inside out */
        uint32_t kept = b.shape.triangles[t][0];
        b.shape.triangles[t][0] = b.shape.triangles[t][1];
        b.shape.triangles[t][1] = kept;
    }
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "outwards"), "%s", error.text);
    b.garment.pressure = INFINITY;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &cloth, &error));
    CHECK(strstr(error.text, "pressure is inf"), "%s", error.text);
    ball_free(&b.shape);
}
