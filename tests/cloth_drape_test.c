/* A square of denim, held by a disc in its middle, hangs the same at 64 and at 128 particles a
 * side: how deep, and how high it is on average; with few substeps too, where tension is a
 * hundredth of what is asked for. */
/* ctest: full */
#include "testing.h"

#include "cloth_meshes.h"

static hed_error error;

typedef struct draped {
    double low, mean; /* m */
} draped;

static draped drape_denim(hed_device *device, uint32_t n, uint32_t substeps)
{
    const double size = 0.5, radius = 0.1, step = size / (n - 1);
    test_mesh mesh = test_mesh_of(n * n, 0);
    mesh.def.fabric = hed_cloth_fabric_named("denim");
    for (uint32_t i = 0; i < n * n; i++) {
        double x = i % n * step - size / 2, z = i / n * step - size / 2,
               share = (i % n == 0 || i % n == n - 1 ? 0.5 : 1) *
                       (i / n == 0 || i / n == n - 1 ? 0.5 : 1);
        mesh.positions[3 * i] = (float)x;
        mesh.positions[3 * i + 2] = (float)z;
        mesh.inverse_masses[i] =
            x * x + z * z < radius * radius
                ? 0
                : (float)(1 / (mesh.def.fabric->density * step * step * share));
    }
    mesh.def.grid_width = mesh.def.grid_height = n;
    mesh.def.damping = 0.97f;
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth_frame frame = hed_default_cloth_frame();
    hed_cloth_stiffness stiffness;
    hed_cloth *cloth;
    def.garments = &mesh.def;
    def.garment_count = 1;
    def.substeps = substeps;
    OK(hed_cloth_create(device, &def, &cloth, &error));
    CHECK(hed_cloth_stiffness_of(cloth, 0, frame.seconds, &stiffness));
    CHECK_EQ(stiffness.given.bend_warp, stiffness.asked.bend_warp);
    frame.frames = 160;
    OK(hed_cloth_step(cloth, &frame, &error));
    float *places = malloc(12 * (size_t)n * n);
    OK(hed_cloth_read(cloth, places, NULL, NULL, &error));
    draped found = {0, 0};
    for (uint32_t i = 0; i < n * n; i++) {
        found.low = fmin(found.low, places[3 * i + 1]);
        found.mean += places[3 * i + 1] / (n * n);
    }
    free(places);
    hed_cloth_destroy(cloth);
    test_mesh_free(&mesh);
    return found;
}

Test(cloth_drape, is_the_same_at_two_resolutions, .timeout = 600)
{
    hed_context *context;
    hed_device *device;
    OK(hed_context_create(NULL, &context, &error));
    OK(hed_device_find(context, "host", &device, &error));
    draped coarse = drape_denim(device, 64, 80), fine = drape_denim(device, 128, 80);
    EXPECT_LT(fine.low, -0.2);
    EXPECT_NEAR(coarse.low / fine.low, 1, 0.05, "%g m for %g", coarse.low, fine.low);
    EXPECT_NEAR(coarse.mean / fine.mean, 1, 0.05, "%g m for %g", coarse.mean, fine.mean);
    draped few = drape_denim(device, 64, 20), few_fine = drape_denim(device, 128, 20);
    EXPECT_NEAR(few.low / few_fine.low, 1, 0.05, "%g m for %g", few.low, few_fine.low);
    EXPECT_NEAR(few.mean / few_fine.mean, 1, 0.05, "%g m for %g", few.mean, few_fine.mean);
    EXPECT_NEAR(few.low / coarse.low, 1, 0.05, "%g m for %g", few.low, coarse.low);
    EXPECT_NEAR(few_fine.low / fine.low, 1, 0.05, "%g m for %g", few_fine.low, fine.low);
    hed_context_destroy(context);
}
