/* ctest: devices long */
/* Newton's method for the strains of a mesh (kernels/newton.cl): a substep against a plain solution of the same system in
 * double, with the matrix as its formulas are written and textbook conjugate gradients, without and with a ball that holds
 * particles; in strict mode bit for bit as `host`. */
#include "testing.h"

#include "cloth_newton.h"
#include "kernels/newton_kernel.h"

enum { MOST_ITERATIONS = 12, INVERSE = CLOTH_NEWTON_PATCHES * CLOTH_NEWTON_PATCHES };
static const float GIVE = 240.0f * 240.0f; /* 1 / dt^2 */
static hed_error error;
HED_VIEW_LAUNCH(newton_launch, CLOTH_NEWTON)

/* ---- a substep on a device ---- */

static hed_buffer *buffer_of(test_device *t, const void *content, uint64_t size)
{
    hed_buffer *buffer;
    hed_buffer_def def = hed_default_buffer_def(size);
    OK(hed_buffer_create(t->device, &def, &buffer, &error));
    if (content) OK(hed_write(t->stream, buffer, 0, content, size, &error));
    return buffer;
}

/* Places the particles of a mesh, unless it is at rest: stretched, sheared and folded, so that images of warp and weft are longer
 * and shorter than a metre. */
static void deform(newton_mesh *m, float4 *places)
{
    for (uint32_t i = 0; i < m->cloth.particles; i++) {
        const float *at = m->garment->positions[i % m->garment->particle_count];
        float x = at[0], z = at[2];
        if (m->is_at_rest) places[i] = hed_f4(x, at[1], z, at[3]);
        else
            places[i] = hed_f4(1.03f * x + 0.04f * z, 0.08f * sinf(9 * x) + 0.02f * sinf(23 * z),
                0.98f * z + 0.02f * sinf(7 * x), at[3]);
        if (m->is_spoilt && i / m->garment->particle_count == 1) places[i].y = NAN;
    }
}

/* ---- a ball ---- */

static const float FRICTION = 0.3f, THICKNESS = 0.005f, BALL[4] = {0.5f, -0.6f, 0.5f, 0.6f};

/* Position of a particle at the substep's beginning: above the ball. */
static float4 before_of(float4 at) { return hed_f4(at.x - 0.004f, at.y + 0.2f, at.z, 0); }

/* Displacement by the last solution, where the particle is met. */
static float4 motion_of(float4 at) { return hed_f4(0.01f * at.z, -0.02f, 0.006f, 0); }

/* Makes what a substep reads of the ball, and the garment's material. */
static void set_ball(float4 *steps, float4 *garments, float4 *colliders)
{
    const uint32_t one = 1;
    steps[2].z = 1; /* ends at the end of the ball's motion, which has none */
    memcpy(&steps[3].z, &one, 4);
    garments[0] = hed_f4(1, 1, 1, THICKNESS);
    garments[1] = hed_f4(0, 0, FRICTION, 0);
    for (int k = 0; k < 4; k++) colliders[k] = hed_f4(BALL[0], BALL[1], BALL[2], BALL[3]);
    colliders[4] = hed_f4(1, FRICTION, 0, 0);
}

/* Positions of a mesh after bending and after the substep. */
typedef struct newton_result {
    float4 *bent, *solved;
} newton_result;

/* Runs a substep: a launch for each leg, or one for all (`is_joint`) without integration; `runs` times from the same positions. */
static newton_result run_substep(test_device *t, newton_mesh *m, hed_math math, int64_t group,
    uint32_t iterations, int runs, bool is_joint)
{
    uint32_t particles = m->cloth.particles, patches = m->tables.patches;
    newton_result result = {calloc(particles, sizeof(float4)), calloc(particles, sizeof(float4))};
    float4 *places = calloc(particles, sizeof *places), steps[CLOTH_STEP_WORDS] = {{0}},
           *before = calloc(particles, sizeof *before),
           *motions = calloc(particles, sizeof *motions), garments[CLOTH_GARMENT_WORDS] = {{0}},
           colliders[CLOTH_COLLIDER_WORDS] = {{0}};
    steps[2].w = GIVE;
    deform(m, places);
    set_ball(steps, garments, colliders);
    for (uint32_t i = 0; i < particles; i++)
        before[i] = before_of(places[i]), motions[i] = motion_of(places[i]);
    float *rows = calloc(INVERSE, sizeof *rows);
    double *matrix = calloc((size_t)patches * patches, sizeof *matrix);
    cloth_newton_invert(m->tables.coarse, patches, (double)GIVE, matrix, rows);
    const hed_config config = {.count = 1, .values = {group}};
    hed_kernel_options options = {.math = math, .config = &config};
    hed_kernel *kernel;
    OK(hed_kernel_create(t->device, is_joint ? &cloth_newton_joint_def : &cloth_newton_def,
        &options, &kernel, &error));
    newton_launch launch = {.position = buffer_of(t, NULL, particles * sizeof(float4)),
        .carry = buffer_of(t, NULL, 64),
        .air = buffer_of(t, NULL, 64),
        .driver_from = buffer_of(t, NULL, 64),
        .driver_to = buffer_of(t, NULL, 64),
        .driver_map = buffer_of(t, NULL, 64),
        .moved = buffer_of(t, NULL, particles * sizeof(float4)),
        .words = buffer_of(t, m->tables.words, 4 * m->tables.word_count),
        .tables = buffer_of(t, m->elements.words, 16 * m->elements.word_rows),
        .steps = buffer_of(t, steps, sizeof steps),
        .sent = buffer_of(t, NULL, 2 * sizeof(float4) * CLOTH_NEWTON_OWN * patches),
        .diagonals = buffer_of(t, NULL, 3 * sizeof(float4) * CLOTH_NEWTON_OWN * patches),
        .sums = buffer_of(t, NULL, CLOTH_NEWTON_SUM_ROWS * sizeof(float4) * patches),
        .rows = buffer_of(t, rows, INVERSE * sizeof *rows),
        .kept = buffer_of(t, NULL, sizeof(cloth_newton_vertex) * CLOTH_NEWTON_LOCAL * patches),
        .coarse = buffer_of(t, NULL, 4 * CLOTH_NEWTON_KEPT * patches),
        .state = buffer_of(t, (uint32_t[2]){0}, 8),
        .contacts = buffer_of(t, NULL, particles * sizeof(float4)),
        .previous = buffer_of(t, before, particles * sizeof *before),
        .garments = buffer_of(t, garments, sizeof garments),
        .colliders = buffer_of(t, colliders, sizeof colliders),
        .contact = buffer_of(t, NULL, CLOTH_CONTACT_WORDS * sizeof(float4)),
        .launch = {.patched = m->elements.tables,
            .iterations = iterations,
            .bodies = m->touches ? CLOTH_NEWTON_TOUCHES | CLOTH_NEWTON_FOLLOWS : 0,
            .patches = patches,
            .substeps = 1}};
    hed_problem problem = HED_PROBLEM(patches);
    for (int r = 0; r < runs; r++) {
        uint32_t launches = is_joint ? 1 : CLOTH_NEWTON_LEGS(iterations);
        OK(hed_write(t->stream, launch.position, 0, places, particles * sizeof *places, &error));
        OK(hed_write(t->stream, launch.contacts, 0, motions, particles * sizeof *motions, &error));
        for (launch.launch.leg = 0; launch.launch.leg < launches; launch.launch.leg++)
            OK(hed_launch(
                t->stream, kernel, &problem, HED_VIEW_ARGS_FROM(newton_launch, &launch), &error));
    }
    OK(hed_read(t->stream, result.bent, launch.moved, 0, particles * sizeof(float4), &error));
    OK(hed_read(t->stream, result.solved, launch.position, 0, particles * sizeof(float4), &error));
    OK(hed_stream_wait(t->stream, &error));
    hed_kernel_destroy(kernel);
    hed_buffer *buffers[] = {launch.position, launch.previous, launch.carry, launch.garments,
        launch.air, launch.driver_from, launch.driver_to, launch.driver_map, launch.moved,
        launch.words, launch.tables, launch.steps, launch.sent, launch.diagonals, launch.sums,
        launch.rows, launch.kept, launch.coarse, launch.state, launch.contacts, launch.colliders,
        launch.contact};
    for (size_t b = 0; b < HED_COUNT(buffers); b++) hed_buffer_destroy(buffers[b]);
    free(places);
    free(before);
    free(motions);
    free(rows);
    free(matrix);
    return result;
}

static void free_result(newton_result *result)
{
    free(result->bent);
    free(result->solved);
}

/* ---- the plain solution ---- */

typedef double vector[3];
typedef struct plain_system {
    uint32_t particles, patches, elements;
    const cloth_element *element; /* of one copy, whose particles are the first ones */
    double *mass;                 /* 0: locked */
    uint32_t *patch;
    double (*blocks)[3][3][3][3]; /* (elements) A of an element between two corners */
    double (*diagonal)[3][3];     /* inverses */
    double *coarse;               /* (patches)^2, of one coordinate */
    vector *normal;               /* of a particle that the ball holds, else 0 */
} plain_system;

static double along(const vector a, const vector b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Takes the parts along the normals out of vectors. */
static void plain_hold(const plain_system *s, vector *x)
{
    for (uint32_t i = 0; i < s->particles; i++) {
        double part = along(s->normal[i], x[i]);
        for (int d = 0; d < 3; d++) x[i][d] -= part * s->normal[i][d];
    }
}

/* Meets a bent particle with the ball: its place before the solution; `normal`; returns the lift, m. */
static double plain_meet(float4 bent, float4 start, vector place, vector normal)
{
    const float4 moved = motion_of(start), before = before_of(start);
    const vector motion = {moved.x, moved.y, moved.z}, from = {before.x, before.y, before.z};
    vector at = {bent.x, bent.y, bent.z}, slip;
    double lift = (double)BALL[3] + THICKNESS, along_motion, length, distance = 0;
    memcpy(place, at, sizeof at);
    for (int d = 0; d < 3; d++) {
        at[d] += motion[d];
        normal[d] = at[d] - BALL[d];
        distance += normal[d] * normal[d];
    }
    distance = sqrt(distance);
    lift -= distance;
    if (lift <= 0 || !(bent.w > 0)) return 0;
    for (int d = 0; d < 3; d++) normal[d] /= distance;
    for (int d = 0; d < 3; d++) at[d] += lift * normal[d], slip[d] = at[d] - from[d];
    double rise = along(slip, normal);
    for (int d = 0; d < 3; d++) slip[d] -= rise * normal[d];
    length = sqrt(along(slip, slip));
    along_motion = along(motion, normal);
    for (int d = 0; d < 3; d++)
        place[d] = at[d] - slip[d] * fmin(1, FRICTION * lift / length) -
                   (motion[d] - along_motion * normal[d]);
    return lift;
}

/* Holds the particles that meet the ball and that their residual does not pull off it; checks their places. `bent`:
 * before they met it. Returns their number. */
static uint32_t plain_touch(
    plain_system *s, const float4 *bent, const float4 *start, const float4 *met, vector *residual)
{
    uint32_t held = 0, freed = 0;
    for (uint32_t i = 0; i < s->particles; i++) {
        vector place, normal = {0};
        double lift = plain_meet(bent[i], start[i], place, normal);
        const double found[3] = {met[i].x, met[i].y, met[i].z};
        for (int d = 0; d < 3; d++)
            CHECK_LT(fabs(found[d] - place[d]), 2e-5, "particle %u, lift %g", i, lift);
        if (!(lift > 0)) continue;
        bool is_held = along(normal, residual[i]) < s->mass[i] * lift;
        if (is_held) memcpy(s->normal[i], normal, sizeof normal), held++;
        else freed++;
    }
    printf("the ball holds %u particles and lifts %u\n", held, freed);
    plain_hold(s, residual);
    return held;
}

/* Makes the blocks of an element from the formulas, and adds dt^2 W' at its corners to `force`. */
static void plain_element(plain_system *s, uint32_t number, const float4 *at, vector *force)
{
    const cloth_element *e = s->element + number;
    const uint32_t *corner = e->particle + 3;
    double g[3] = {-((double)e->warp[0] + e->warp[1]), e->warp[0], e->warp[1]},
           h[3] = {-((double)e->weft[0] + e->weft[1]), e->weft[0], e->weft[1]}, k[3];
    vector u = {0}, v = {0};
    for (int c = 0; c < 3; c++) {
        const double x[3] = {at[corner[c]].x, at[corner[c]].y, at[corner[c]].z};
        for (int d = 0; d < 3; d++) u[d] += g[c] * x[d], v[d] += h[c] * x[d];
        k[c] = 1 / ((double)GIVE * e->compliance[c]);
    }
    double length_u = sqrt(along(u, u)), length_v = sqrt(along(v, v)), c = e->coupling,
           cross = length_v - 1 + c * (length_u - 1),
           f0 = (k[0] * (length_u - 1) + k[1] * c * cross) / length_u, f1 = k[1] * cross / length_v,
           ha[3][3], hd[3][3], hb[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double one = i == j;
            ha[i][j] = (k[0] + k[1] * c * c - fabs(f0)) * u[i] * u[j] / along(u, u) +
                       fabs(f0) * one + k[2] * v[i] * v[j];
            hd[i][j] =
                (k[1] - fabs(f1)) * v[i] * v[j] / along(v, v) + fabs(f1) * one + k[2] * u[i] * u[j];
            hb[i][j] = k[2] * v[i] * u[j] + k[1] * c * u[i] * v[j] / (length_u * length_v);
        }
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++) {
            force[corner[a]][d] += g[a] * (f0 * u[d] + k[2] * along(u, v) * v[d]) +
                                   h[a] * (f1 * v[d] + k[2] * along(u, v) * u[d]);
            for (int b = 0; b < 3; b++)
                for (int j = 0; j < 3; j++)
                    s->blocks[number][a][b][d][j] = g[a] * g[b] * ha[d][j] +
                                                    h[a] * h[b] * hd[d][j] +
                                                    g[a] * h[b] * hb[d][j] + h[a] * g[b] * hb[j][d];
        }
}

static void plain_multiply(const plain_system *s, vector *x, vector *to)
{
    for (uint32_t i = 0; i < s->particles; i++)
        for (int d = 0; d < 3; d++) to[i][d] = s->mass[i] * x[i][d];
    for (uint32_t e = 0; e < s->elements; e++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int d = 0; d < 3; d++)
                    to[s->element[e].particle[3 + a]][d] +=
                        along(s->blocks[e][a][b][d], x[s->element[e].particle[3 + b]]);
    for (uint32_t i = 0; i < s->particles; i++)
        if (s->mass[i] == 0) memset(to[i], 0, sizeof to[i]);
    plain_hold(s, to);
}

/* Solves M x = b of n unknowns by elimination; changes M and b. */
static void eliminate(double *m, double *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) {
            double factor = m[i * n + k] / m[k * n + k];
            for (uint32_t j = k; j < n; j++) m[i * n + j] -= factor * m[k * n + j];
            b[i] -= factor * b[k];
        }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = i + 1; j < n; j++) b[i] -= m[i * n + j] * b[j];
        b[i] /= m[i * n + i];
    }
}

/* Translates the free particles of a patch by `x`. */
static void plain_translate(const plain_system *s, uint32_t patch, const vector x, vector *to)
{
    for (uint32_t i = 0; i < s->particles; i++)
        if (s->patch[i] == patch && s->mass[i] > 0)
            for (int d = 0; d < 3; d++) to[i][d] += x[d] - s->normal[i][d] * along(s->normal[i], x);
}

static void plain_restrict(const plain_system *s, vector *x, double *sums)
{
    memset(sums, 0, 3 * s->patches * sizeof *sums);
    for (uint32_t i = 0; i < s->particles; i++)
        for (int d = 0; d < 3 && s->mass[i] > 0; d++) sums[3 * s->patch[i] + d] += x[i][d];
}

/* Makes the coarse matrix: masses, and sums over the corners of two patches of the traces of the blocks at rest. */
static void plain_coarse(plain_system *s, const newton_mesh *m, const float4 *at)
{
    plain_system rest = *s;
    uint32_t n = s->particles;
    float4 *places = calloc(n, sizeof *places);
    vector *unused = calloc(n, sizeof *unused);
    rest.blocks = calloc(s->elements, sizeof *rest.blocks);
    for (uint32_t i = 0; i < n; i++)
        places[i] =
            hed_f4(m->garment->rest[i][0], m->garment->rest[i][1], m->garment->rest[i][2], at[i].w);
    for (uint32_t e = 0; e < s->elements; e++) {
        const uint32_t *corner = s->element[e].particle + 3;
        plain_element(&rest, e, places, unused);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int d = 0; d < 3 && s->mass[corner[a]] > 0 && s->mass[corner[b]] > 0; d++)
                    s->coarse[s->patch[corner[a]] * s->patches + s->patch[corner[b]]] +=
                        rest.blocks[e][a][b][d][d];
    }
    for (uint32_t i = 0; i < n; i++) s->coarse[s->patch[i] * (s->patches + 1)] += s->mass[i];
    for (uint32_t k = 0; k < s->patches; k++) /* a patch whose particles all are locked */
        if (!(s->coarse[k * (s->patches + 1)] > 0)) s->coarse[k * (s->patches + 1)] = 1;
    free(places);
    free(unused);
    free(rest.blocks);
}

static plain_system plain_create(newton_mesh *m, const float4 *at, vector *residual)
{
    uint32_t n = m->garment->particle_count, patches = m->tables.patches;
    plain_system s = {n, m->tables.patches, m->garment->element_count, m->garment->elements,
        calloc(n, sizeof(double)), calloc(n, 4),
        calloc(m->garment->element_count, sizeof(double[3][3][3][3])), calloc(n, 72),
        calloc((size_t)patches * patches, sizeof(double)), calloc(n, sizeof(vector))};
    for (uint32_t i = 0; i < n; i++) s.mass[i] = at[i].w > 0 ? 1 / (double)at[i].w : 0;
    for (uint32_t k = 0; k < s.patches; k++) {
        cloth_newton_patch patch = cloth_newton_patch_at(k, m->tables.words);
        for (uint32_t i = 0; i < patch.own_count; i++)
            s.patch[cloth_newton_particle(m->tables.words[patch.members + i])] = k;
    }
    for (uint32_t e = 0; e < s.elements; e++) {
        plain_element(&s, e, at, residual);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 9; k++)
                s.diagonal[s.element[e].particle[3 + c]][k / 3][k % 3] +=
                    s.blocks[e][c][c][k / 3][k % 3];
    }
    for (uint32_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            residual[i][d] *= s.mass[i] > 0 ? -1 : 0;
            s.diagonal[i][d][d] += s.mass[i];
        }
    plain_coarse(&s, m, at);
    return s;
}

static void plain_destroy(plain_system *s)
{
    free(s->mass);
    free(s->patch);
    free(s->blocks);
    free(s->diagonal);
    free(s->coarse);
    free(s->normal);
}

/* Adds `factor` times the translations of the patches that solve the coarse system, coordinate by coordinate. */
static void plain_correct(const plain_system *s, vector *r, double factor, vector *to)
{
    uint32_t n = s->patches;
    double *m = malloc((size_t)n * n * sizeof *m), *sums = calloc(3 * n, sizeof *sums),
           *one = calloc(n, sizeof *one);
    plain_restrict(s, r, sums);
    for (uint32_t d = 0; d < 3; d++) {
        memcpy(m, s->coarse, (size_t)n * n * sizeof *m);
        for (uint32_t k = 0; k < n; k++) one[k] = sums[3 * k + d];
        eliminate(m, one, n);
        for (uint32_t k = 0; k < n; k++) {
            vector x = {0};
            x[d] = factor * one[k];
            plain_translate(s, k, x, to);
        }
    }
    free(m);
    free(sums);
    free(one);
}

/* Makes P B P + n n' of the block B, with the projection P across the normal n. */
static void plain_block(double (*b)[3], const vector normal, double *to)
{
    double p[3][3], half[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) p[i][j] = (i == j) - normal[i] * normal[j];
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) half[i / 3][i % 3] += p[i / 3][k] * b[k][i % 3];
    for (int i = 0; i < 9; i++) {
        to[i] = normal[i / 3] * normal[i % 3];
        for (int k = 0; k < 3; k++) to[i] += half[i / 3][k] * p[k][i % 3];
    }
}

static void plain_precondition(const plain_system *s, vector *r, vector *z)
{
    for (uint32_t i = 0; i < s->particles; i++) {
        double block[9];
        plain_block(s->diagonal[i], s->normal[i], block);
        memcpy(z[i], r[i], sizeof z[i]);
        if (s->mass[i] > 0) eliminate(block, z[i], 3);
        else memset(z[i], 0, sizeof z[i]);
    }
    plain_correct(s, r, 1, z);
}

static double plain_inner(const plain_system *s, vector *a, vector *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->particles; i++) sum += along(a[i], b[i]);
    return sum;
}

/* Solves A d = r by conjugate gradients (Hestenes and Stiefel) and a last correction by translations, before which `r`
 * becomes the residual. */
static void plain_solve(const plain_system *s, uint32_t iterations, vector *r, vector *d)
{
    uint32_t n = s->particles;
    vector *z = calloc(n, sizeof *z), *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
    double last = 0;
    for (uint32_t k = 0; k < iterations; k++) {
        plain_precondition(s, r, z);
        double length = plain_inner(s, r, z), beta = k ? length / last : 0;
        for (uint32_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) p[i][c] = z[i][c] + beta * p[i][c];
        plain_multiply(s, p, q);
        double step = length / plain_inner(s, p, q);
        for (uint32_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) d[i][c] += step * p[i][c], r[i][c] -= step * q[i][c];
        last = length;
    }
    plain_correct(s, r, 1, d);
    free(z);
    free(p);
    free(q);
}

/* ---- tests ---- */

/* Checks each copy of the mesh against the plain solution after as many iterations, relative to the largest motion.
 * `bent`: positions after bending, before the ball. */
static void check_result(newton_mesh *m, const newton_result *result, const float4 *bent,
    uint32_t iterations, const char *label)
{
    uint32_t n = m->garment->particle_count;
    vector *r = calloc(n, sizeof *r), *d = calloc(n, sizeof *d);
    plain_system s = plain_create(m, result->bent, r);
    if (m->touches) {
        float4 *start = calloc(n, sizeof *start);
        deform(m, start);
        EXPECT_GT(plain_touch(&s, bent, start, result->bent, r), 50, "the ball holds some");
        free(start);
    }
    double before = sqrt(plain_inner(&s, r, r)), largest = 0, apart = 0;
    plain_solve(&s, iterations, r, d);
    for (uint32_t i = 0; i < n; i++) {
        const float4 from = result->bent[i], to = result->solved[i];
        const double moved[3] = {
            (double)to.x - from.x, (double)to.y - from.y, (double)to.z - from.z};
        for (int c = 0; c < 3; c++) {
            largest = fmax(largest, fabs(d[i][c]));
            apart = fmax(apart, fabs(moved[c] - d[i][c]));
        }
        EXPECT(to.w == from.w);
    }
    printf("%s: residual %.2g of %.2g, motion %.3g m, apart %.2g m\n", label,
        sqrt(plain_inner(&s, r, r)), before, largest, apart);
    EXPECT_LT(1e-3, largest, "the substep moves particles");
    EXPECT_LT(apart, 2e-4 * largest, "%s", label);
    plain_destroy(&s);
    free(r);
    free(d);
}

/* Checks a substep on the device under test in both modes. */
static void check_substep(test_mesh mesh, bool touches)
{
    test_device t = test_open(NULL), host = t;
    newton_mesh m;
    /* as heavy as 0.8 kg of cloth: iterations end far from the solution */
    for (uint32_t i = 0; i < mesh.def.particle_count; i++)
        mesh.inverse_masses[i] *= 1.2f * (float)mesh.def.particle_count;
    newton_mesh_make(&mesh, 1, &m);
    CHECK_LT(0, m.tables.patches);
    OK(hed_device_find(t.context, "host", &host.device, &error));
    OK(hed_stream_create(host.device, NULL, &host.stream, &error));
    newton_result alone = run_substep(&host, &m, HED_MATH_STRICT, 256, MOST_ITERATIONS, 1, false);
    m.touches = touches;
    newton_result plain = run_substep(&host, &m, HED_MATH_STRICT, 256, MOST_ITERATIONS, 1, false);
    check_result(&m, &plain, alone.bent, MOST_ITERATIONS, "host");
    newton_result strict = run_substep(&t, &m, HED_MATH_STRICT, 256, MOST_ITERATIONS, 2, false);
    double bends = 0;
    float4 *places = calloc(m.cloth.particles, sizeof *places);
    deform(&m, places);
    for (uint32_t i = 0; i < m.cloth.particles; i++) {
        double moved = fabs((double)alone.bent[i].y - places[i].y);
        if (places[i].w > 0) bends = fmax(bends, moved);
        else EXPECT(moved == 0);
    }
    free(places);
    EXPECT_LT(1e-7, bends, "the first leg bends the mesh");
    EXPECT_BYTES(strict.bent, plain.bent, m.cloth.particles * sizeof(float4));
    EXPECT_BYTES(strict.solved, plain.solved, m.cloth.particles * sizeof(float4));
    newton_result fast = run_substep(&t, &m, HED_MATH_FAST, 256, MOST_ITERATIONS, 1, false);
    check_result(&m, &fast, alone.bent, MOST_ITERATIONS, "fast");
    const uint64_t needs = cloth_newton_joint_def.needs;
    if ((hed_device_describe(t.device).capabilities & needs) == needs) {
        newton_result joint = run_substep(&t, &m, HED_MATH_STRICT, 384, MOST_ITERATIONS, 2, true);
        EXPECT_BYTES(joint.solved, plain.solved, m.cloth.particles * sizeof(float4));
        free_result(&joint);
        joint = run_substep(&t, &m, HED_MATH_FAST, 384, MOST_ITERATIONS, 2, true);
        check_result(&m, &joint, alone.bent, MOST_ITERATIONS, "joint");
        free_result(&joint);
    }
    free_result(&alone);
    free_result(&plain);
    free_result(&strict);
    free_result(&fast);
    newton_mesh_free(&m);
    test_mesh_free(&mesh);
    hed_stream_destroy(host.stream);
    test_close(&t);
}

Test(cloth_newton, solves_as_conjugate_gradients_do, .timeout = 300)
{
    check_substep(test_irregular(60, 5, 0.3f), false);
}

Test(cloth_newton, solves_a_single_patch, .timeout = 300)
{
    check_substep(test_irregular(15, 5, 0.3f), false);
}

/* Any number of triangles may have a particle in common. */
Test(cloth_newton, solves_a_fan, .timeout = 300) { check_substep(test_fan(40), false); }

/* Copies are apart, each with its own system: each moves as a mesh alone does, also where another one's positions are
 * no numbers. */
Test(cloth_newton, moves_copies_alike, .timeout = 300)
{
    test_device t = test_open(NULL);
    test_mesh mesh = test_irregular(30, 5, 0.3f);
    newton_mesh one, three;
    for (uint32_t i = 0; i < 900; i++) mesh.inverse_masses[i] *= 1000.0f;
    newton_mesh_make(&mesh, 1, &one);
    newton_mesh_make(&mesh, 3, &three);
    EXPECT_EQ(three.tables.patches, 3 * one.tables.patches);
    newton_result alone = run_substep(&t, &one, HED_MATH_FAST, 256, MOST_ITERATIONS, 1, false);
    bool has_packets = hed_device_describe(t.device).capabilities & HED_CAN_PACKETS;
    for (int k = 0; k < (has_packets ? 4 : 2); k++) {
        three.is_spoilt = k % 2;
        newton_result copies =
            run_substep(&t, &three, HED_MATH_FAST, k / 2 ? 384 : 256, MOST_ITERATIONS, 1, k / 2);
        for (uint32_t i = 0; i < 2700; i++) {
            if (three.is_spoilt && i / 900 == 1) continue;
            const float4 a = alone.solved[i % 900], b = copies.solved[i];
            float apart = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z);
            CHECK_LT(apart, 1e-5f, "particle %u", i);
        }
        free_result(&copies);
    }
    free_result(&alone);
    newton_mesh_free(&one);
    newton_mesh_free(&three);
    test_mesh_free(&mesh);
    test_close(&t);
}

/* Patches of which every particle is locked are part of the coarse matrix, too. */
Test(cloth_newton, solves_with_locked_patches, .timeout = 300)
{
    test_mesh mesh = test_irregular(40, 5, 0.3f);
    for (uint32_t i = 0; i < 1600; i++)
        if (mesh.positions[3 * i] < 0.1f) mesh.inverse_masses[i] = 0;
    check_substep(mesh, false);
}

/* Particles that a ball holds move along its surface. */
Test(cloth_newton, solves_on_a_ball, .timeout = 300)
{
    check_substep(test_irregular(60, 5, 0.3f), true);
}

/* A sheet at rest stays: its residual is a rounding error. */
Test(cloth_newton, leaves_a_sheet_at_rest, .timeout = 300)
{
    test_device t = test_open(NULL);
    test_mesh mesh = test_irregular(15, 5, 0.3f);
    newton_mesh m;
    newton_mesh_make(&mesh, 1, &m);
    m.is_at_rest = true;
    newton_result result = run_substep(&t, &m, HED_MATH_FAST, 256, MOST_ITERATIONS, 1, false);
    for (uint32_t i = 0; i < 225; i++) {
        const float *from = m.garment->positions[i];
        const float4 to = result.solved[i];
        CHECK_LT(fabsf(to.x - from[0]) + fabsf(to.y - from[1]) + fabsf(to.z - from[2]), 1e-4f);
    }
    free_result(&result);
    newton_mesh_free(&m);
    test_mesh_free(&mesh);
    test_close(&t);
}
