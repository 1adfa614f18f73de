/* ctest: devices full=pocl */
/* Momentum of two sheets that are thrown into each other, without gravity and air: contact keeps
 * the linear one, and nearly the angular one. Layers at rest keep none. */
#include "fixture.h"

#include "cloth_contacts.h"

TestSuite(cloth_momentum, .init = here_open, .fini = here_close);

enum { SIDE = 13, EACH = SIDE * SIDE, BOTH = 2 * EACH };

typedef struct momentum {
    double linear[3], angular[3];
} momentum;

/* Momentum between two moments, `seconds` apart. */
static momentum momentum_of(const sheet *s, float (*from)[3], float (*to)[3], double seconds)
{
    momentum sum = {{0}, {0}};
    for (uint32_t i = 0; i < BOTH; i++) {
        double mass = 1.0 / s->inverse_masses[i % EACH], middle[3], speed[3];
        for (int k = 0; k < 3; k++) {
            speed[k] = ((double)to[i][k] - from[i][k]) / seconds;
            middle[k] = 0.5 * ((double)to[i][k] + from[i][k]);
            sum.linear[k] += mass * speed[k];
        }
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            sum.angular[k] += mass * (middle[a] * speed[b] - middle[b] * speed[a]);
        }
    }
    return sum;
}

static double size_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static double change_of(const double before[3], const double after[3])
{
    const double change[3] = {after[0] - before[0], after[1] - before[1], after[2] - before[2]};
    return size_of(change) / size_of(before);
}

Test(cloth_momentum, two_sheets_thrown_into_each_other, .timeout = 300)
{
    sheet s[2] = {sheet_make(SIDE, 0.3f), sheet_make(SIDE, 0.3f)};
    hed_cloth_garment_def defs[2];
    for (int i = 0; i < 2; i++) {
        sheet_put(&s[i], i ? 0.25f : 0.0f, i ? 0.4f : 0.0f);
        for (uint32_t p = 0; p < EACH && i; p++) s[1].positions[p][0] += 0.08f;
        s[i].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        s[i].def.thickness = 0.006f;
        s[i].def.damping = 0.0f;
        s[i].def.velocity[1] = i ? -3.0f : 1.0f;
        s[i].def.velocity[2] = i ? 1.0f : 0.0f;
        defs[i] = s[i].def;
    }
    hed_cloth_def def = dressed_def(defs, 2);
    def.substeps = 1; /* positions of each substep: x(n) x x(n + 1) is exact for Verlet */
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.gravity[1] = 0.0f;
    frame.seconds = 1.0 / 600;
    float(*last)[3] = calloc(BOTH, sizeof *last);
    momentum before = {{0}, {0}}, after = {{0}, {0}};
    for (int f = 0; f < 240; f++) {
        memcpy(last, d.positions, BOTH * sizeof *last);
        dressed_step(&d, &frame);
        if (f > 0) after = momentum_of(&s[0], last, d.positions, frame.seconds);
        if (f == 1) before = after;
    }
    double linear = change_of(before.linear, after.linear),
           angular = change_of(before.angular, after.angular);
    printf("linear momentum changes by %.4f %%, angular by %.4f %%\n", 100 * linear, 100 * angular);
    hed_cloth_metrics quality = dressed_measure(&d);
    printf("contact: %llu pairs at most, %llu vertices cut\n",
        (unsigned long long)quality.contact_pairs_most, (unsigned long long)quality.contact_cut);
    CHECK_GT(quality.contact_pairs_most, 100);
    EXPECT_LT(linear, 1e-4);
    EXPECT_LT(angular, 0.045); /* friction acts on two sides that are a gap apart */
    free(last);
    dressed_free(&d);
    sheet_free(&s[0]);
    sheet_free(&s[1]);
}

/* Three sheets on the ground, turned against each other, move by less than 0.5 mm/s from frame to frame. In the
 * last substep alone they are faster, since contact and gravity alternate. */
Test(cloth_momentum, layers_come_to_rest, .timeout = 300)
{
    enum { LAYERS = 3, ALL = LAYERS * EACH, CALM_FRAMES = 120 };
    sheet s[LAYERS];
    hed_cloth_garment_def defs[LAYERS];
    const hed_cloth_collider ground = {.shape = HED_CLOTH_PLANE, .b = {0, 1, 0}, .friction = 0.5f};
    for (int i = 0; i < LAYERS; i++) {
        s[i] = sheet_make(SIDE, 0.24f);
        sheet_put(&s[i], 0.01f * (float)(i + 1), 0.3f * (float)i);
        s[i].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        s[i].def.thickness = 0.004f;
        s[i].def.fabric = hed_cloth_fabric_named("cotton");
        defs[i] = s[i].def;
    }
    hed_cloth_def def = dressed_def(defs, LAYERS);
    def.substeps = 12;
    def.solver = HED_CLOTH_SOLVER_AUTO;
    def.math = HED_MATH_FAST;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = &ground;
    frame.collider_count = 1;
    float(*last)[3] = calloc(ALL, sizeof *last);
    for (int f = 0; f < CALM_FRAMES; f++) {
        memcpy(last, d.positions, ALL * sizeof *last);
        dressed_step(&d, &frame);
    }
    double square = 0,
           substep = 2 * dressed_measure(&d).kinetic_energy * (double)s[0].inverse_masses[0];
    for (int i = 0; i < 3 * ALL; i++)
        square += pow(((double)d.positions[i / 3][i % 3] - last[i / 3][i % 3]) / frame.seconds, 2);
    printf("three layers after %d frames: %.3f mm/s rms, %.3f in the last substep\n", CALM_FRAMES,
        1e3 * sqrt(square / ALL), 1e3 * sqrt(substep / ALL));
    EXPECT_LT(sqrt(square / ALL), 0.5e-3);
    EXPECT_GT(dressed_measure(&d).contact_pairs_most, 100);
    free(last);
    dressed_free(&d);
    for (int i = 0; i < LAYERS; i++) sheet_free(&s[i]);
}
