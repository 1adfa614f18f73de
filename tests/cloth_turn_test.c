/* ctest: devices full=pocl */
/* Momenta of closed cloth under pressure: cushions in the air do not begin to turn or drift
 * by themselves, those that turn go on turning, and what bodies do to them is left to bodies. */
#include "fixture.h"

#include "cloth_contacts.h"

TestSuite(cloth_turn, .init = here_open, .fini = here_close);

enum { RINGS = 9, SLICES = 14, CUSHIONS = 2 };

typedef struct cushions {
    ball shape; /* the first; `positions` and `triangles` have those of all */
    float *inverse_masses;
    hed_cloth_garment_def garment;
} cushions;

/* Cushions of denim, lenses of 0.4 m, one above the other; all are one garment. */
static cushions cushions_make(uint32_t count, float pressure)
{
    cushions c = {.shape = ball_make(RINGS, SLICES), .garment = hed_default_cloth_garment_def()};
    ball *b = &c.shape;
    uint32_t vertices = b->vertex_count, triangles = b->triangle_count;
    ball_put(b, 0, 0, 0, 0.2f);
    b->positions = realloc(b->positions, (size_t)count * vertices * sizeof *b->positions);
    b->triangles = realloc(b->triangles, (size_t)count * triangles * sizeof *b->triangles);
    for (uint32_t v = 0; v < vertices; v++) b->positions[v][1] *= 0.2f;
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t v = 0; v < vertices; v++) {
            memcpy(b->positions[i * vertices + v], b->positions[v], sizeof *b->positions);
            b->positions[i * vertices + v][1] += 0.5f * (float)i;
        }
        for (uint32_t t = 0; t < 3 * triangles; t++)
            b->triangles[i * triangles + t / 3][t % 3] = b->triangles[t / 3][t % 3] + i * vertices;
    }
    c.inverse_masses = malloc((size_t)count * vertices * sizeof *c.inverse_masses);
    for (uint32_t v = 0; v < count * vertices; v++) c.inverse_masses[v] = 1000.0f;
    c.garment.inverse_masses = c.inverse_masses;
    c.garment.particle_count = count * vertices;
    c.garment.positions = b->positions[0];
    c.garment.triangle_count = count * triangles;
    c.garment.triangles = b->triangles[0];
    c.garment.fabric = hed_cloth_fabric_named("denim");
    c.garment.pressure = pressure;
    return c;
}

static void cushions_free(cushions *c)
{
    ball_free(&c->shape);
    free(c->inverse_masses);
}

/* Velocity of a cushion's middle, m/s, its angular momentum over the mass of a particle, m^2/s, and
 * angular velocity, rad/s, between two moments. */
typedef struct motion {
    double velocity[3], momentum[3], angular[3];
} motion;

static void cross(const double a[3], const double b[3], double result[3])
{
    for (int k = 0; k < 3; k++)
        result[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Masses are equal. */
static motion motion_of(float (*from)[3], float (*to)[3], uint32_t count, double seconds)
{
    motion m = {{0}, {0}, {0}};
    double middle[3] = {0}, inertia[3][3] = {{0}}, rows[3][3], turned[3];
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            middle[k] += 0.5 * ((double)from[i][k] + to[i][k]) / count;
            m.velocity[k] += ((double)to[i][k] - from[i][k]) / seconds / count;
        }
    for (uint32_t i = 0; i < count; i++) {
        double r[3], speed[3], part[3], square = 0;
        for (int k = 0; k < 3; k++) {
            r[k] = 0.5 * ((double)from[i][k] + to[i][k]) - middle[k];
            speed[k] = ((double)to[i][k] - from[i][k]) / seconds - m.velocity[k];
            square += r[k] * r[k];
        }
        cross(r, speed, part);
        for (int k = 0; k < 3; k++) {
            m.momentum[k] += part[k];
            for (int l = 0; l < 3; l++) inertia[k][l] += (k == l ? square : 0) - r[k] * r[l];
        }
    }
    for (int k = 0; k < 3; k++) cross(inertia[(k + 1) % 3], inertia[(k + 2) % 3], rows[k]);
    cross(inertia[1], inertia[2], turned);
    double determinant =
        inertia[0][0] * turned[0] + inertia[0][1] * turned[1] + inertia[0][2] * turned[2];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) m.angular[l] += rows[k][l] * m.momentum[k] / determinant;
    return m;
}

static double size_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* Runs `frames` frames and returns the motion of each cushion in the last one; `body`: NULL: none, and
 * no gravity. */
static void let_go(const cushions *c, hed_cloth_solver solver, const hed_cloth_collider *body,
    uint32_t frames, uint32_t count, motion *motions)
{
    hed_cloth_def def = dressed_def(&c->garment, 1);
    def.substeps = 12;
    def.solver = solver;
    def.math = HED_MATH_FAST;
    dressed d = dressed_make(here.device, &def);
    hed_cloth_frame frame = hed_default_cloth_frame();
    frame.colliders = body;
    frame.collider_count = body ? 1 : 0;
    if (!body) frame.gravity[1] = 0.0f;
    frame.frames = frames - 1;
    dressed_step(&d, &frame);
    float(*last)[3] = malloc(d.particles * sizeof *last);
    memcpy(last, d.positions, d.particles * sizeof *last);
    frame.frames = 1;
    dressed_step(&d, &frame);
    uint32_t each = d.particles / count;
    for (uint32_t i = 0; i < count; i++)
        motions[i] =
            motion_of(last + i * each, d.positions + i * each, each, (double)frame.seconds);
    free(last);
    dressed_free(&d);
}

/* A cushion that swells in the air comes to rest. Without the rotation after each sweep it turns by
 * 0.96 rad/s after a second. */
Test(cloth_turn, a_cushion_in_the_air_comes_to_rest, .timeout = 300)
{
    static const hed_cloth_solver solvers[] = {HED_CLOTH_SOLVER_AUTO, HED_CLOTH_SOLVER_COLOURS,
        HED_CLOTH_SOLVER_SETS, HED_CLOTH_SOLVER_CPU};
    bool is_host = !strcmp(hed_device_describe(here.device).backend, "host");
    cushions c = cushions_make(1, 100.0f);
    for (uint32_t k = 0; k < HED_COUNT(solvers) - !is_host; k++) {
        motion m;
        let_go(&c, solvers[k], NULL, 60, 1, &m);
        printf("solver %d: %.5f rad/s, %.6f m/s\n", solvers[k], size_of(m.angular),
            size_of(m.velocity));
        EXPECT_LT(size_of(m.angular), 0.002);
        EXPECT_LT(size_of(m.velocity), 1e-4);
    }
    cushions_free(&c);
}

/* Two cushions that are one garment, which turns when it is let go, fly apart on straight lines, and each
 * goes on turning. */
Test(cloth_turn, cushions_of_one_garment_keep_their_own_momenta, .timeout = 300)
{
    const float spin = 2.0f, moment = 1e-3f; /* rad/s; s */
    cushions c = cushions_make(CUSHIONS, 100.0f);
    c.garment.damping = c.garment.drag = c.garment.lift = 0.0f;
    c.garment.angular_velocity[0] = spin;
    uint32_t each = c.shape.vertex_count;
    float(*turned)[3] = malloc(CUSHIONS * each * sizeof *turned);
    for (uint32_t i = 0; i < CUSHIONS * each; i++) {
        float y = c.shape.positions[i][1] - 0.25f, z = c.shape.positions[i][2];
        turned[i][0] = c.shape.positions[i][0];
        turned[i][1] = c.shape.positions[i][1] - moment * spin * z;
        turned[i][2] = z + moment * spin * y;
    }
    motion last[CUSHIONS];
    let_go(&c, HED_CLOTH_SOLVER_AUTO, NULL, 60, CUSHIONS, last);
    for (uint32_t i = 0; i < CUSHIONS; i++) {
        motion first =
            motion_of(c.shape.positions + i * each, turned + i * each, each, (double)moment);
        double changes[3];
        for (int k = 0; k < 3; k++) changes[k] = last[i].momentum[k] - first.momentum[k];
        double change = size_of(changes) / size_of(first.momentum);
        printf("cushion %u: %.4f, then %.4f m/s along z; angular momentum changes by %.2f %%\n", i,
            first.velocity[2], last[i].velocity[2], 100 * change);
        EXPECT_NEAR(last[i].velocity[2], i ? 0.5 : -0.5, 2e-3);
        EXPECT_LT(change, 0.01);
    }
    free(turned);
    cushions_free(&c);
}

/* A cushion that falls on a ball beside its middle slows down and begins to turn. */
Test(cloth_turn, a_body_turns_a_cushion, .timeout = 300)
{
    const hed_cloth_collider body = {
        .shape = HED_CLOTH_SPHERE, .a = {0.5f, -1.1f, 0}, .radius = {1.0f}, .friction = 0.5f};
    cushions c = cushions_make(1, 100.0f);
    motion m;
    let_go(&c, HED_CLOTH_SOLVER_AUTO, &body, 24, 1, &m);
    printf("%.3f rad/s about z, %.3f m/s down\n", m.angular[2], -m.velocity[1]);
    EXPECT_GT(m.angular[2], 1.0);
    EXPECT_LT(-m.velocity[1], 1.5); /* 3.9 without the ball */
    cushions_free(&c);
}
