/* ctest: devices full=pocl */
/* Friction of cloth on cloth. Layers rest on an inclined plane below the angle of friction, and slide above it;
 * over a ball they come to rest. A saved state has the grips from which slip is measured. */
#include "fixture.h"

#include "cloth_contacts.h"

TestSuite(cloth_friction, .init = here_open, .fini = here_close);

enum { SIDE = 13, EACH = SIDE * SIDE, LAYERS = 3, ALL = LAYERS * EACH, SUBSTEPS = 12 };
static const float SIZE = 0.24f, FRICTION = 0.4f; /* m; of cloth and of bodies */

typedef struct pile {
    sheet layers[LAYERS];
    dressed d;
    float (*last)[3]; /* positions of the frame before */
    hed_cloth_frame frame;
} pile;

/* Layers of cotton, turned against each other, a centimetre apart above a collider. */
static pile pile_make(const hed_cloth_collider *collider)
{
    pile p = {.frame = hed_default_cloth_frame(), .last = calloc(ALL, sizeof *p.last)};
    hed_cloth_garment_def defs[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        p.layers[i] = sheet_make(SIDE, SIZE);
        sheet_put(&p.layers[i], 0.01f * (float)(i + 1), 0.37f * (float)i);
        p.layers[i].def.self_collision = HED_CLOTH_SELF_TRIANGLES;
        p.layers[i].def.thickness = 0.004f;
        p.layers[i].def.friction = FRICTION;
        p.layers[i].def.damping = 0.0f;
        p.layers[i].def.fabric = hed_cloth_fabric_named("cotton");
        p.layers[i].def.lattices = true;
        defs[i] = p.layers[i].def;
    }
    hed_cloth_def def = dressed_def(defs, LAYERS);
    def.substeps = SUBSTEPS;
    def.solver = HED_CLOTH_SOLVER_AUTO;
    def.math = HED_MATH_FAST;
    p.d = dressed_make(here.device, &def);
    p.frame.colliders = collider;
    p.frame.collider_count = 1;
    return p;
}

static void pile_free(pile *p)
{
    dressed_free(&p->d);
    free(p->last);
    for (int i = 0; i < LAYERS; i++) sheet_free(&p->layers[i]);
}

static void pile_step(pile *p, int frames)
{
    for (int f = 0; f < frames; f++) {
        memcpy(p->last, p->d.positions, ALL * sizeof *p->last);
        dressed_step(&p->d, &p->frame);
    }
}

/* Mean of a layer's speeds along x from the frame before, m/s. */
static double layer_speed(const pile *p, int layer)
{
    double sum = 0;
    for (int i = layer * EACH; i < (layer + 1) * EACH; i++)
        sum += ((double)p->d.positions[i][0] - p->last[i][0]) / p->frame.seconds;
    return sum / EACH;
}

/* Root of the mean square of all speeds from the frame before, m/s. */
static double pile_rms(const pile *p)
{
    double square = 0;
    for (int i = 0; i < 3 * ALL; i++)
        square += pow(
            ((double)p->d.positions[i / 3][i % 3] - p->last[i / 3][i % 3]) / p->frame.seconds, 2);
    return sqrt(square / ALL);
}

/* Runs a pile on a plane inclined along x, and returns the acceleration of each layer in the second second. */
static void slide(double degrees, double rates[LAYERS])
{
    const hed_cloth_collider plane = {
        .shape = HED_CLOTH_PLANE, .b = {0, 1, 0}, .friction = FRICTION};
    const double angle = degrees * M_PI / 180;
    pile p = pile_make(&plane);
    p.frame.gravity[0] = (float)(9.81 * sin(angle));
    p.frame.gravity[1] = (float)(-9.81 * cos(angle));
    pile_step(&p, 60);
    for (int i = 0; i < LAYERS; i++) rates[i] = -layer_speed(&p, i);
    pile_step(&p, 60);
    for (int i = 0; i < LAYERS; i++) rates[i] += layer_speed(&p, i);
    printf("%g degrees after 2 s: %.3f, %.3f, %.3f mm/s\n", degrees, 1e3 * layer_speed(&p, 0),
        1e3 * layer_speed(&p, 1), 1e3 * layer_speed(&p, 2));
    if (degrees < 20)
        for (int i = 0; i < LAYERS; i++) EXPECT_LT(fabs(layer_speed(&p, i)), 0.5e-3);
    pile_free(&p);
}

/* The angle of friction is 21.8 degrees. */
Test(cloth_friction, layers_hold_below_the_angle_of_friction, .timeout = 300)
{
    double rates[LAYERS];
    slide(10, rates);
    slide(18, rates);
}

/* A block of all layers would be accelerated by g (sin(angle) - friction cos(angle)). */
Test(cloth_friction, layers_slide_above_the_angle_of_friction, .timeout = 300)
{
    const double angle = 27 * M_PI / 180,
                 expected = 9.81 * (sin(angle) - (double)FRICTION * cos(angle));
    double rates[LAYERS];
    slide(27, rates);
    double mean = 0;
    for (int i = 0; i < LAYERS; i++) {
        EXPECT_GT(rates[i], 0.6 * expected);
        mean += rates[i] / LAYERS;
    }
    printf("mean acceleration %.3f m/s^2 of %.3f\n", mean, expected);
    CHECK_NEAR(mean, expected, 0.1 * expected);
}

static hed_cloth_collider pile_ball(void)
{
    return (hed_cloth_collider){
        .shape = HED_CLOTH_SPHERE, .a = {0, -0.2f, 0}, .radius = {0.2f, 0}, .friction = FRICTION};
}

Test(cloth_friction, layers_over_a_ball_come_to_rest, .timeout = 300)
{
    const hed_cloth_collider body = pile_ball();
    pile p = pile_make(&body);
    pile_step(&p, 600);
    printf("over a ball after 10 s: %.3f mm/s rms\n", 1e3 * pile_rms(&p));
    EXPECT_LT(pile_rms(&p), 0.5e-3);
    EXPECT_GT(dressed_measure(&p.d).contact_pairs, 500);
    pile_free(&p);
}

/* The grips are part of a state: without them the layers would slip by what friction holds. */
Test(cloth_friction, a_state_has_the_grips, .timeout = 300)
{
    hed_error error = {0};
    const hed_cloth_collider body = pile_ball();
    pile p = pile_make(&body), other = pile_make(&body);
    pile_step(&p, 40);
    uint64_t size = hed_cloth_save_size(p.d.cloth);
    void *state = malloc(size);
    OK(hed_cloth_save(p.d.cloth, state, &error));
    OK(hed_cloth_load(other.d.cloth, state, size, &error));
    pile_step(&p, 5);
    pile_step(&other, 5);
    CHECK(memcmp(p.d.positions, other.d.positions, ALL * sizeof *p.d.positions) == 0,
        "frames after a state have other positions");
    free(state);
    pile_free(&p);
    pile_free(&other);
}

/* Grips turn with a motion of the whole scene, here a quarter around the ball's axis, which rounds nothing. */
Test(cloth_friction, grips_turn_with_the_scene, .timeout = 300)
{
    const hed_cloth_collider body = pile_ball();
    const float turn[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    pile p = pile_make(&body), other = pile_make(&body);
    pile_step(&p, 45);
    pile_step(&other, 40);
    other.frame.motion = turn;
    pile_step(&other, 1);
    other.frame.motion = NULL;
    pile_step(&other, 4);
    double square = 0;
    for (int i = 0; i < ALL; i++)
        square += pow((double)other.d.positions[i][0] - p.d.positions[i][2], 2) +
                  pow((double)other.d.positions[i][2] + p.d.positions[i][0], 2);
    printf("%g m rms from the pile that stayed\n", sqrt(square / ALL));
    EXPECT_LT(sqrt(square / ALL), 1e-5);
    pile_free(&p);
    pile_free(&other);
}
