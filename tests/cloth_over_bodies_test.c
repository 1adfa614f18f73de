/* A sheet that falls on bodies keeps its lengths and never gains energy, in every frame, with
 * the substeps that the engine chooses: balls of several sizes, off centre and moving, a
 * capsule, a sheet that is thrown, and a fabric that gives. */
#include "testing.h"

#include "cloth_meshes.h"

static hed_error error;

static const hed_cloth_fabric rigid = {1e6f, 1e6f, 40.0f, 1e-5f, 1e-5f, 0.15f, 4e-5f},
                              gives = {2000.0f, 1500.0f, 40.0f, 1e-5f, 7e-6f, 0.12f, 0.2f};

/* `way`: of the body in a frame, m; `thrown`: velocity of the sheet, m/s; `turns`: about y,
 * rad/s. */
typedef struct body_case {
    const char *name;
    hed_cloth_collider body;
    const hed_cloth_fabric *fabric;
    float way[3], thrown[3], turns;
} body_case;

#define BALL(x, y, z, size) .body = {.shape = HED_CLOTH_SPHERE, .a = {x, y, z}, .radius = {size}}

static const body_case cases[] = {
    {.name = "a small ball", BALL(0, -0.22f, 0, 0.2f), .fabric = &rigid},
    {.name = "a large ball", BALL(0, -0.72f, 0, 0.7f), .fabric = &rigid},
    {.name = "off centre", BALL(0.35f, -0.42f, 0.2f, 0.4f), .fabric = &rigid},
    {.name = "moves", BALL(-0.3f, -0.42f, 0, 0.4f), .fabric = &rigid, .way = {0.02f, 0, 0.005f}},
    {.name = "rises", BALL(0, -0.6f, 0, 0.4f), .fabric = &rigid, .way = {0, 0.02f, 0}},
    {.name = "thrown",
        BALL(0.3f, -0.5f, 0, 0.4f),
        .fabric = &rigid,
        .thrown = {1.5f, -2, 0.3f},
        .turns = 2},
    {.name = "a capsule",
        .body = {.shape = HED_CLOTH_CAPSULE,
            .a = {-0.5f, -0.22f, -0.1f},
            .b = {0.5f, -0.22f, 0.1f},
            .radius = {0.2f, 0.2f}},
        .fabric = &rigid},
    {.name = "a tapered capsule",
        .body = {.shape = HED_CLOTH_CAPSULE,
            .a = {-0.5f, -0.32f, 0},
            .b = {0.5f, -0.27f, 0.1f},
            .radius = {0.3f, 0.2f}},
        .fabric = &rigid},
    {.name = "a fabric that gives", BALL(0, -0.42f, 0, 0.4f), .fabric = &gives},
};

static test_mesh sheet_of(uint32_t n, const body_case *c)
{
    test_mesh mesh = test_grid(n, n);
    float step = 2.0f / (float)(n - 1);
    for (uint32_t i = 0; i < n * n; i++)
        mesh.inverse_masses[i] = 1 / (c->fabric->density * step * step);
    mesh.def.fabric = c->fabric;
    mesh.def.damping = 0.65f;
    mesh.def.lattices = true;
    memcpy(mesh.def.velocity, c->thrown, sizeof mesh.def.velocity);
    mesh.def.angular_velocity[1] = c->turns;
    return mesh;
}

static double energy_of(const test_mesh *mesh, const float *positions, double kinetic)
{
    for (uint32_t i = 0; i < mesh->def.particle_count; i++)
        kinetic += 9.81 * (double)positions[3 * i + 1] / mesh->inverse_masses[i];
    return kinetic;
}

/* Kinetic energy at the start, J. */
static double thrown_energy(const test_mesh *mesh, const body_case *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh->def.particle_count; i++) {
        const float *at = mesh->positions + 3 * (size_t)i;
        double x = c->thrown[0] + c->turns * at[2], y = c->thrown[1],
               z = c->thrown[2] - c->turns * at[0];
        sum += 0.5 * (x * x + y * y + z * z) / mesh->inverse_masses[i];
    }
    return sum;
}

static void drop(const test_device *t, uint32_t n, const body_case *c)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_collider body = c->body;
    hed_cloth *cloth;
    test_mesh sheet = sheet_of(n, c);
    float *positions = calloc(n * n, 3 * sizeof *positions);
    bool moves = c->way[0] != 0 || c->way[1] != 0 || c->way[2] != 0;
    double p99 = 0, worst = 0, rise = -INFINITY,
           start = energy_of(&sheet, sheet.positions, thrown_energy(&sheet, c));
    def.garments = &sheet.def;
    def.garment_count = 1;
    def.substeps = 0;
    def.max_colliders = 1;
    body.friction = 0.4f;
    frame.colliders = &body;
    frame.collider_count = 1;
    OK(hed_cloth_create(t->device, &def, &cloth, &error));
    for (uint32_t f = 0; f < 50; f++) {
        hed_cloth_metrics quality;
        for (int k = 0; k < 3; k++) body.a[k] += c->way[k], body.b[k] += c->way[k];
        OK(hed_cloth_step(cloth, &frame, &error));
        OK(hed_cloth_evaluate(cloth, &quality, &error));
        OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
        p99 = fmax(p99, quality.stretch_p99);
        worst = fmax(worst, quality.worst_stretch);
        rise = fmax(rise, energy_of(&sheet, positions, quality.kinetic_energy) - start);
    }
    EXPECT_LT(p99, 0.02, "%s", c->name);
    EXPECT_LT(worst, 0.05, "%s", c->name);
    EXPECT(moves || rise < 1e-3, "%s: energy rose by %g J", c->name, rise);
    hed_cloth_destroy(cloth);
    free(positions);
    test_mesh_free(&sheet);
}

Test(cloth_over_bodies, a_sheet_keeps_its_lengths, .timeout = 120)
{
    test_device t = test_open(NULL);
    for (size_t k = 0; k < HED_COUNT(cases); k++) drop(&t, 64, cases + k);
    test_close(&t);
}
