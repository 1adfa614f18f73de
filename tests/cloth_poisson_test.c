/* Poisson's ratio of fabrics: pulled strips of named fabrics have the stiffness and the contraction
 * of an orthotropic sheet, as grids and as irregular triangles. */
#include "testing.h"

#include "cloth_strips.h"

#include <math.h>

static hed_error error;

/* Strains of the particles in the middle part of a pulled strip, by least squares: displacements
 * along x are p0 + p1 x + p2 x^2 + p3 z, across p0 + p1 x + p2 z + p3 x z. */
typedef struct fitted {
    double along, across;
} fitted;

static void solve(double a[4][5], double x[4])
{
    for (int k = 0; k < 4; k++)
        for (int row = 0; row < 4; row++) {
            double part = row == k ? 0 : a[row][k] / a[k][k];
            for (int c = 0; c < 5; c++) a[row][c] -= part * a[k][c];
        }
    for (int k = 0; k < 4; k++) x[k] = a[k][4] / a[k][k];
}

static fitted fit(const test_mesh *mesh, const float *places)
{
    double sums[2][4][5] = {{{0}}}, along[4], across[4];
    for (uint32_t i = 0; i < mesh->def.particle_count; i++) {
        const float *rest = mesh->positions + 3 * i, *at = places + 3 * i;
        double x = rest[0] - 0.5 * LENGTH, z = rest[2] - 0.5 * WIDTH;
        if (fabs(x) > 0.27 * LENGTH) continue;
        const double terms[2][5] = {
            {1, x, x * x, z, at[0] - rest[0]}, {1, x, z, x * z, at[2] - rest[2]}};
        for (int f = 0; f < 2; f++)
            for (int row = 0; row < 4; row++)
                for (int c = 0; c < 5; c++) sums[f][row][c] += terms[f][row] * terms[f][c];
    }
    solve(sums[0], along);
    solve(sums[1], across);
    return (fitted){along[1], across[2]};
}

static fitted pull(hed_device *device, const test_mesh *mesh, uint32_t substeps, float gravity,
    hed_cloth_stiffness *stiffness)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth *cloth;
    def.garments = &mesh->def;
    def.garment_count = 1;
    def.substeps = substeps;
    def.solver = HED_CLOTH_SOLVER_CPU;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    CHECK(hed_cloth_stiffness_of(cloth, 0, frame.seconds, stiffness));
    memcpy(frame.gravity, (const float[3]){gravity, 0, 0}, sizeof frame.gravity);
    frame.frames = 90;
    OK(hed_cloth_step(cloth, &frame, &error));
    float *places = malloc(12 * (size_t)mesh->def.particle_count);
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    fitted found = fit(mesh, places);
    free(places);
    hed_cloth_destroy(cloth);
    return found;
}

/* Directions of pull. */
enum { WARP, WEFT, BIAS, DIRECTIONS };

/* Young's modulus in a direction, N/m, and the contraction / strain. */
static double theory(const hed_cloth_fabric *f, int direction, double *contraction)
{
    double warp = 1.0 / f->warp, weft = 1.0 / f->weft, shear = 1.0 / f->shear,
           across = f->poisson * warp;
    *contraction = direction == WARP ? f->poisson : f->poisson * f->weft / f->warp;
    if (direction != BIAS) return direction == WARP ? f->warp : f->weft;
    double give = (warp + weft + shear - 2 * across) / 4;
    *contraction = (shear - warp - weft + 2 * across) / 4 / give;
    return 1 / give;
}

static const char *const directions[] = {"warp", "weft", "45 degrees"};

/* Pulls a strip so that its middle is strained by 0.5 %. */
static void check(hed_device *device, test_mesh *mesh, const char *name, int direction,
    uint32_t substeps, const char *form)
{
    /* a fabric as soft as the substeps give, with the ratios of the named one */
    hed_cloth_fabric fabric = *hed_cloth_fabric_named(name);
    double contraction, soft = 20 / fabric.warp, modulus;
    fabric.warp *= (float)soft, fabric.weft *= (float)soft, fabric.shear *= (float)soft;
    fabric.bend_warp = fabric.bend_weft = fabric.density = 0;
    modulus = theory(&fabric, direction, &contraction);
    mesh->def.fabric = &fabric;
    hed_cloth_stiffness stiffness;
    float gravity = (float)(0.01 * modulus / (DENSITY * LENGTH));
    fitted found = pull(device, mesh, substeps, gravity, &stiffness);
    double loss = stiffness.given.warp / fabric.warp;
    EXPECT_NEAR(found.along * loss / 0.005, 1, 0.05, "%s, %s, %s: strain %g, %g of it lost", name,
        form, directions[direction], found.along, 1 - loss);
    EXPECT_NEAR(-found.across / found.along, contraction, 0.05 * fmax(fabs(contraction), 0.3),
        "%s, %s, %s: contraction for %g", name, form, directions[direction], contraction);
}

Test(cloth_poisson, strips_contract_as_their_fabric, .timeout = 300)
{
    static const char *const names[] = {"interlock", "leather", "denim"};
    static const struct {
        uint32_t cells, substeps;
        float jitter;
    } sizes[] = {{8, 100, 0.2f}, {16, 160, 0.2f}, {32, 240, 0.1f}};
    hed_context *context;
    hed_device *device;
    OK(hed_context_create(NULL, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    for (size_t n = 0; n < HED_COUNT(names); n++)
        for (size_t s = 0; s < (n ? 1 : HED_COUNT(sizes)); s++)
            for (int direction = 0; direction < DIRECTIONS; direction++) {
                char form[32];
                test_mesh irregular = irregular_strip(sizes[s].cells, sizes[s].jitter, 5);
                memcpy(irregular.def.warp_axis,
                    (const float[3]){direction != WEFT, 0, direction != WARP}, 3 * sizeof(float));
                snprintf(form, sizeof form, "triangles of 1/%u", sizes[s].cells);
                check(device, &irregular, names[n], direction, sizes[s].substeps, form);
                test_mesh_free(&irregular);
                if (direction == BIAS) continue;
                test_mesh grid = strip_of(sizes[s].cells, direction == WEFT);
                snprintf(form, sizeof form, "grid of 1/%u", sizes[s].cells);
                check(device, &grid, names[n], direction, sizes[s].substeps, form);
                test_mesh_free(&grid);
            }
    hed_context_destroy(context);
}
