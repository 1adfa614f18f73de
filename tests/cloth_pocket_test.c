/* ctest: devices */
/* Edges of more than two faces: a fin on a strip hangs on it, and the strip bends as without a fin. */
#include "fixture.h"

#include "cloth_scenes.h"

static void open_both(void)
{
    folder_make();
    here_open();
}

static void close_both(void)
{
    here_close();
    folder_remove();
}

TestSuite(cloth_pocket, .init = open_both, .fini = close_both);

/* A strip of LONG x WIDE cells of 1 cm as triangles with alternating diagonals, clamped at x <= 0,
 * and a fin of `height` along the line across it at x = 0.01. */
enum { LONG = 6, WIDE = 2, FIN = 2, ACROSS = WIDE + 1, STRIP = (LONG + 1) * ACROSS };

static void write_strip(float height)
{
    static char text[16384];
    size_t used = 0;
#define PRINT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    for (int i = 0; i <= LONG; i++)
        for (int k = 0; k < ACROSS; k++) PRINT("v %g 0 %g\n", 0.01 * i - 0.01, 0.01 * k);
    for (int k = 0; k < ACROSS && height > 0; k++)
        PRINT("v %g %g %g\n", 0.01 * FIN - 0.01, (double)height, 0.01 * k);
    for (int i = 0; i < LONG; i++)
        for (int k = 0; k < WIDE; k++) {
            int a = i * ACROSS + k + 1, b = a + 1, c = a + ACROSS, d = c + 1;
            if ((i + k) % 2) PRINT("f %d %d %d\nf %d %d %d\n", a, b, d, a, d, c);
            else PRINT("f %d %d %d\nf %d %d %d\n", a, b, c, b, d, c);
        }
    for (int k = 0; k < WIDE && height > 0; k++) {
        int a = FIN * ACROSS + k + 1, top = STRIP + k + 1;
        PRINT("f %d %d %d\nf %d %d %d\n", a, a + 1, top + 1, a, top + 1, top);
    }
#undef PRINT
    write_text("strip.obj", text);
}

/* Lets the strip swing out; returns the height of its tip. `positions`: (STRIP + ACROSS) x 3. */
static double hang(float height, float *positions)
{
    write_strip(height);
    hed_cloth_scene *scene = parsed(
        "{\"substeps\": 60, \"garments\": [{\"mesh\": \"strip.obj\", \"damping\": 0.99, \"fabric\": "
        "{\"name\": \"denim\", \"warp_axis\": \"x\"}, \"pins\": [{\"box\": {\"low\": [-1, -1, -1], "
        "\"high\": [0.001, 1, 1]}}]}]}");
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth *cloth;
    OK(hed_cloth_create(here.device, &def, &cloth, &error));
    for (uint32_t f = 0; f < 60; f++) {
        hed_cloth_frame frame;
        OK(hed_cloth_scene_frame(scene, f, 60, &frame, &error));
        OK(hed_cloth_step(cloth, &frame, &error));
    }
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    hed_cloth_destroy(cloth);
    hed_cloth_scene_close(scene);
    return positions[3 * (STRIP - 1) + 1];
}

Test(cloth_pocket, a_fin_hangs_on_its_strip, .timeout = 300)
{
    float positions[3 * (STRIP + ACROSS)];
    hang(0.03f, positions);
    for (int k = 0; k < ACROSS; k++) {
        const float *root = positions + 3 * (FIN * ACROSS + k), *top = positions + 3 * (STRIP + k);
        double square = 0;
        for (int axis = 0; axis < 3; axis++) square += pow((double)top[axis] - root[axis], 2);
        EXPECT(fabs(sqrt(square) - 0.03) < 0.001, "the fin is %g m long", sqrt(square));
        EXPECT(top[1] < root[1], "a fin without stiffness of its own root falls over: %g over %g",
            top[1], root[1]);
    }
}

Test(cloth_pocket, a_strip_bends_on_beneath_its_fin, .timeout = 300)
{
    float positions[3 * (STRIP + ACROSS)];
    double plain = hang(0, positions), finned = hang(0.001f, positions);
    printf("tip at %.4f m, with a fin of a millimetre at %.4f m\n", plain, finned);
    EXPECT(fabs(finned - plain) < 0.04 * fabs(plain), "tip at %g m instead of %g m", finned, plain);
}
