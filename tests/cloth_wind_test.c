/* ctest: devices */
/* Wind that differs from place to place: the force of a fan against its integral, grids against
 * uniform wind and against their linear form, every solver, and strict bits against host. */
#include "cloth_contacts.h"
#include "cloth_scenes.h"
#include "fixture.h"

static void wind_init(void)
{
    folder_make();
    here_open();
}
static void wind_fini(void)
{
    here_close();
    folder_remove();
}
TestSuite(cloth_wind, .init = wind_init, .fini = wind_fini);

/* Displacements along y of a flat sheet at rest in one substep of 0.2 ms without gravity; the sheet
 * is normal to y. */
static void blown_once(const hed_cloth_frame *wind, uint32_t fans, const hed_cloth_wind_grid *grid,
    uint32_t n, float size, double *displacement)
{
    sheet s = sheet_make(n, size);
    s.def.drag = 1.2f;
    s.def.damping = 0.0f;
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) s.def.family[f] = f == HED_CLOTH_STRUCTURAL;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.substeps = 1;
    def.max_fans = fans;
    def.wind_grid = grid;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = *wind;
    memset(frame.gravity, 0, sizeof frame.gravity);
    frame.seconds = 2e-4;
    dressed_step(&d, &frame);
    for (uint32_t i = 0; i < n * n; i++) displacement[i] = d.positions[i][1];
    dressed_free(&d);
    sheet_free(&s);
}

/* Over the outlet's disc: density / 2 drag speed^2 (integral of (1 - r^2 / R^2)^4 = pi R^2 / 5). */
Test(cloth_wind, force_of_a_fan, .timeout = 300)
{
    enum { N = 61 };
    static double moved[N * N];
    const double size = 2.0, spread = 0.25, distance = 1.2, outlet = 0.3, speed = 8.0;
    hed_cloth_fan fan = {{0.1f, -1.2f, -0.05f}, {0, 1, 0}, 0.3f, 8.0f, 0.25f};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.fans = &fan;
    frame.fan_count = 1;
    blown_once(&frame, 1, NULL, N, (float)size, moved);
    double radius = outlet + spread * distance, there = speed * outlet / radius;
    double expected = 0.5 * 1.225 * 1.2 * there * there * 3.14159265 * radius * radius / 5;
    double dt = 2e-4, force = 0, spacing = size / (N - 1);
    for (int i = 0; i < N * N; i++) force += 0.2 * spacing * spacing * moved[i] / (dt * dt);
    EXPECT_NEAR(force, expected, 0.02 * expected, "N");
    EXPECT_EQ(moved[0], 0.0, "the corner is outside of the jet");
    fan.direction[1] = -1;
    blown_once(&frame, 1, NULL, N, (float)size, moved);
    for (int i = 0; i < N * N; i++) CHECK_EQ(moved[i], 0.0, "behind the fan");
}

/* Velocity 6 + 4 x along y, by nodes at the ends alone: motion is as its square; outside, none. */
Test(cloth_wind, grid_is_linear, .timeout = 300)
{
    enum { N = 21 };
    static double moved[N * N];
    static float velocities[8][3];
    for (int i = 0; i < 8; i++) velocities[i][1] = i % 2 ? 10.0f : 2.0f;
    hed_cloth_wind_grid grid = {{2, 2, 2}, {-1, -1, -1}, {1, 1, 0.55f}, velocities[0]};
    hed_cloth_frame frame = hed_default_cloth_frame();
    blown_once(&frame, 0, &grid, N, 2.0f, moved);
    const double *row = moved + 10 * N;
    for (int i = 2; i < N - 2; i++) {
        double speed = 6 + 4 * (-1 + 0.1 * i), middle = 6;
        EXPECT_NEAR(row[i] / row[10], speed * speed / (middle * middle), 0.03, "column %d", i);
    }
    EXPECT_EQ(moved[17 * N + 10], 0.0, "outside of the grid the air is still");
}

static hed_cloth_metrics blown_state(
    hed_device *device, hed_cloth_solver solver, hed_math math, float *positions)
{
    enum { N = 12 };
    static const float node[8][3] = {
        {1, 0, 3}, {0, 2, 1}, {4, 0, 0}, {0, 0, 6}, {2, 2, 2}, {0, 1, 5}, {3, 0, 0}, {1, 1, 4}};
    sheet s = sheet_make(N, 1.0f);
    s.inverse_masses[0] = s.inverse_masses[N - 1] = 0.0f;
    s.def.drag = 1.0f;
    s.def.lift = 0.4f;
    hed_cloth_wind_grid grid = {{2, 2, 2}, {-1, -1.5f, -1}, {1.1f, 1, 0.8f}, node[0]};
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.solver = solver;
    def.math = math;
    def.max_fans = 2;
    def.wind_grid = &grid;
    hed_cloth *cloth;
    hed_cloth_metrics metrics = {0};
    if (hed_cloth_create(device, &def, &cloth, &error)) {
        CHECK_EQ(error.status, HED_ERROR_UNSUPPORTED, "%s", error.text);
        error = (hed_error){0};
    } else {
        hed_cloth_fan fans[2] = {{{-1, -0.3f, 0}, {1, 0, 0}, 0.5f, 9, 0.2f},
            {{0.2f, -1.4f, 0.1f}, {0, 1, 0}, 0.3f, 12, 0.1f}};
        hed_cloth_frame frame = hed_default_cloth_frame();
        frame.gust = 0.5f;
        frame.fans = fans;
        for (int f = 0; f < 20; f++) {
            frame.fan_count = f < 15 ? 2 : 1; /* one of them is switched off */
            fans[0].position[1] = -0.3f - 0.02f * (float)f;
            OK(hed_cloth_step(cloth, &frame, &error));
        }
        OK(hed_cloth_evaluate(cloth, &metrics, &error));
        OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    }
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    return metrics;
}

/* Solvers differ in the order of constraints alone: the air acts on all of them. */
Test(cloth_wind, every_solver_feels_it, .timeout = 600)
{
    float first[432], other[432];
    uint32_t run = 0;
    blown_state(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_FAST, first);
    for (int solver = HED_CLOTH_SOLVER_SETS; solver < HED_CLOTH_SOLVER_COUNT; solver++) {
        hed_cloth_metrics metrics =
            blown_state(here.device, (hed_cloth_solver)solver, HED_MATH_FAST, other);
        if (!metrics.hash) continue;
        run++;
        double off = 0;
        for (int i = 0; i < 432; i++) off = fmax(off, fabs(first[i] - other[i]));
        EXPECT_LT(off, 0.03, "m, %s", hed_cloth_solver_name((hed_cloth_solver)solver));
    }
    CHECK(run > 0);
}

Test(cloth_wind, strict_bits_are_the_hosts, .timeout = 300)
{
    float positions[432];
    hed_cloth_metrics device =
        blown_state(here.device, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, positions);
    hed_device *host;
    OK(hed_device_find(here.context, "host", &host, &error));
    hed_cloth_metrics expected =
        blown_state(host, HED_CLOTH_SOLVER_COLOURS, HED_MATH_STRICT, positions);
    EXPECT_EQ(device.hash, expected.hash);
    EXPECT(device.hash != 0);
}

/* ---- scenes ---- */

#define WINDY(wind) "{\"wind\": {" wind "}, \"garments\": [{" GRID ", \"drag\": 1}]}"
#define FAN "\"position\": [1, 2, 3], \"direction\": \"x\", \"radius\": 0.5, \"speed\": 4"
#define NODES(size, high) \
    "\"grid\": {\"file\": \"w.txt\", \"size\": " size ", \"low\": [0, 0, 0], \"high\": " high "}"

Test(cloth_wind, scene_has_fans_and_a_grid)
{
    write_text("w.txt", "1 0 0 2 0 0\n3 0 0 4 0 0\n5 0 0 6 0 0\n7 0 0 8 0 0\n9 0 0 10 0 0 11 0 0 12 0 0");
    hed_cloth_scene *scene = parsed("{\"unit\": \"cm\", \"wind\": {\"fans\": [{" FAN
                                    ", \"spread\": 45, \"motion\": {\"spin\": {\"axis\": \"z\", "
                                    "\"degrees_per_second\": 90}}}], " NODES("[2, 3, 2]", "[100, 200, 300]")
                                    "}, \"garments\": [{" GRID ", \"drag\": 1}]}");
    hed_cloth_def def = hed_cloth_scene_def(scene);
    hed_cloth_frame frame;
    OK(hed_cloth_scene_frame(scene, 59, 60, &frame, &error));
    CHECK_EQ(def.max_fans, 1);
    CHECK_EQ(frame.fan_count, 1);
    point_is(frame.fans[0].position, -0.02, 0.01, 0.03, 1e-7, "the fan after a quarter turn");
    point_is(frame.fans[0].direction, 0, 1, 0, 1e-6, "its direction");
    EXPECT_NEAR(frame.fans[0].radius, 0.005, 1e-8);
    EXPECT_NEAR(frame.fans[0].spread, 1.0, 1e-6, "of 45 degrees");
    CHECK(def.wind_grid != NULL);
    EXPECT_EQ(def.wind_grid->size[1], 3);
    point_is(def.wind_grid->high, 1, 2, 3, 1e-6, "m");
    EXPECT_EQ(def.wind_grid->velocities[33], 12.0f);
    hed_cloth_scene_close(scene);
}

Test(cloth_wind, wrong_input_is_refused)
{
    write_text("w.txt", "1 0 0 2 0 0");
    refuse(HED_ERROR_FORMAT, WINDY("\"gust\": 0.5"), "wind: no wind; expected");
    refuse(HED_ERROR_FORMAT, WINDY("\"fans\": [{\"position\": [0, 0, 0]}]"), "wind.fans[0]");
    refuse(HED_ERROR_FORMAT, WINDY("\"fans\": [{" FAN ", \"spread\": 85}]"), "wind.fans[0].spread: ");
    refuse(HED_ERROR_FORMAT, WINDY(NODES("[2, 2, 2]", "[1, 1, 1]")),
        "expected 24 numbers with white space between them, three for each node of the grid; number 7 is missing");
    refuse(HED_ERROR_FORMAT, WINDY(NODES("[2, 2.5, 2]", "[1, 1, 1]")), "2.5 is no whole number");
    refuse(HED_ERROR_FORMAT, WINDY(NODES("[2, 2, 2]", "[1, 0, 1]")), "0 is not above \"low\"");
    sheet s = sheet_make(3, 1.0f);
    s.def.drag = 1.0f;
    hed_cloth_def def = dressed_def(&s.def, 1);
    def.max_fans = 1;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_fan fan = {{0, 0, 0}, {0, 2, 0}, 0.3f, 8.0f, 0.25f};
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.fans = &fan;
    frame.fan_count = 1;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_step(d.cloth, &frame, &error));
    frame.fan_count = 2;
    FAILS(HED_ERROR_LIMIT, hed_cloth_step(d.cloth, &frame, &error));
    hed_cloth_wind_grid grid = {{2, 2, 1}, {0, 0, 0}, {1, 1, 1}, NULL};
    def.wind_grid = &grid;
    hed_cloth *none;
    FAILS(HED_ERROR_ARGUMENT, hed_cloth_create(here.device, &def, &none, &error));
    EXPECT(strstr(error.text, "wind_grid.size[2] is 1"), "%s", error.text);
    dressed_free(&d);
    sheet_free(&s);
}
