/* ctest: devices
 * hed_cloth: its life, frames, reading, states, jumps, native stand-ins, copies, and what it refuses. */
#include "testing.h"

#include "heddle/cloth.h"

#include <math.h>

static hed_error error;

/* ---- a sheet ---- */

typedef struct sheet {
    uint32_t n;
    float *positions, *inverse_masses;
    uint32_t *quads;
    hed_cloth_garment_def garment;
} sheet;

/* n x n particles over 2 m, level, held at two corners. */
static sheet sheet_make(uint32_t n)
{
    sheet s = {n, malloc(12 * n * n), malloc(4 * n * n), malloc(16 * (n - 1) * (n - 1)), hed_default_cloth_garment_def()};
    for (uint32_t i = 0; i < n * n; i++) {
        s.positions[3 * i] = 2.0f * (float)(i % n) / (float)(n - 1) - 1.0f;
        s.positions[3 * i + 1] = 1.0f;
        s.positions[3 * i + 2] = 2.0f * (float)(i / n) / (float)(n - 1) - 1.0f;
        s.inverse_masses[i] = i == 0 || i == n - 1 ? 0.0f : (float)(n * n) / 0.8f;
    }
    for (uint32_t q = 0; q < (n - 1) * (n - 1); q++) {
        uint32_t at = q / (n - 1) * n + q % (n - 1);
        const uint32_t corners[4] = {at, at + n, at + n + 1, at + 1};
        memcpy(s.quads + 4 * q, corners, sizeof corners);
    }
    s.garment.name = "sheet";
    s.garment.particle_count = n * n;
    s.garment.positions = s.positions;
    s.garment.inverse_masses = s.inverse_masses;
    s.garment.quad_count = (n - 1) * (n - 1);
    s.garment.quads = s.quads;
    s.garment.grid_width = s.garment.grid_height = n;
    return s;
}

static void sheet_free(sheet *s)
{
    free(s->positions);
    free(s->inverse_masses);
    free(s->quads);
}

static hed_cloth *make(const test_device *t, const sheet *s, hed_cloth_structure structure, hed_math math)
{
    hed_cloth_def def = hed_default_cloth_def();
    hed_cloth *cloth;
    def.garments = &s->garment;
    def.garment_count = 1;
    def.structure = structure;
    def.math = math;
    OK(hed_cloth_create(t->device, &def, &cloth, &error));
    return cloth;
}

static void run(hed_cloth *cloth, const hed_cloth_frame *frame, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) OK(hed_cloth_step(cloth, frame, &error));
}

Test(cloth, a_sheet_falls)
{
    test_device t = test_open(NULL);
    sheet s = sheet_make(17);
    hed_cloth *cloth = make(&t, &s, HED_CLOTH_COLOURS, HED_MATH_FAST);
    hed_cloth_frame frame = hed_default_cloth_frame();
    run(cloth, &frame, 60);
    hed_cloth_quality quality;
    OK(hed_cloth_measure(cloth, &quality, &error));
    float *positions = malloc(12 * 17 * 17);
    OK(hed_cloth_read(cloth, positions, NULL, NULL, &error));
    cr_assert(quality.low[1] < 0.2, "lowest at %g", quality.low[1]);
    cr_assert(quality.worst_stretch < 0.2, "stretched by %g", quality.worst_stretch);
    cr_assert_float_eq(positions[0], -1.0f, 0.0f);
    cr_assert_float_eq(positions[1], 1.0f, 0.0f);
    printf("low %g stretch %g residual %g energy %g hash %016llx\n", quality.low[1], quality.worst_stretch, quality.residual, quality.kinetic_energy, (unsigned long long)quality.hash);
    hed_cloth_report report;
    hed_cloth_get_report(cloth, &report);
    printf("%s: %g bytes a particle, %u colours\n", report.choice, (double)report.device_bytes / (double)report.particles, report.colours);
    free(positions);
    hed_cloth_destroy(cloth);
    sheet_free(&s);
    test_close(&t);
}
