/* ctest: devices full=pocl long */
/* Physics with known answers, of whole cloths: free fall, momentum, convergence, pendulum,
 * catenary, equality of solvers and devices, invariance. What is said of double holds for the
 * reference, the rest for every solver of the device under test. The same for single kernels:
 * cloth_checks_kernels_test.c. */
#include "cloth_checks.h"
#include "fixture.h"

TestSuite(cloth_checks, .init = here_open, .fini = here_close);

static const double pi = 3.14159265358979323846;

/* ---- 1: free fall ---- */

/* Steps of 1/60 s that vary by 20 %. */
static double uneven(uint32_t *seed) { return (1 + 0.4 * (test_random(seed) - 0.5)) / 60; }

Test(cloth_checks, free_fall_at_uneven_steps_is_exact)
{
    rope one = rope_make(1);
    const effort once = {1, 1, 0};
    reference r = reference_make(&one.def, once, 1, -9.81);
    uint32_t seed = 1;
    double time = 0;
    for (int i = 0; i < 600; i++) {
        r.def.seconds = uneven(&seed);
        time += r.def.seconds;
        reference_step(&r, 1);
    }
    double fallen = -0.5 * 9.81 * time * time;
    CHECK(fabs(r.positions[1] - fallen) <= 1e-9, "double: %.12g instead of %.12g", r.positions[1],
        fallen);
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *cloth = make(&here, &one.def, once, false, v);
        if (!cloth) continue;
        seed = 1;
        for (int i = 0; i < 600; i++) step(cloth, uneven(&seed), -9.81, 1);
        float *found = positions_of(cloth);
        CHECK(fabs(found[1] - fallen) <= 1e-4 * fabs(fallen), "%s: %.9g instead of %.9g", v->name,
            (double)found[1], fallen);
        CHECK(found[0] == 0 && found[2] == 0);
        free(found);
        hed_cloth_destroy(cloth);
    }
    reference_free(&r);
    rope_free(&one);
}

/* Gravity as g dt^2: after a change from dt1 to dt2 it is off by g (dt2 - dt1) / 2 for each
 * second. */
Test(cloth_checks, the_slides_form_is_off_by_its_known_error)
{
    rope one = rope_make(1);
    const effort once = {1, 1, 0};
    const double g = -9.81, slow = 1.0 / 30, quick = 1.0 / 60;
    reference changed = reference_make(&one.def, once, quick, g),
              even = reference_make(&one.def, once, quick, g);
    changed.def.slides_form = even.def.slides_form = true;
    reference_step(&changed, 60);
    changed.def.seconds = slow;
    reference_step(&changed, 18 * 30);
    reference_step(&even, 60 + 18 * 60);
    double expected = g * (slow - quick) / 2 * 18, found = changed.positions[1] - even.positions[1];
    CHECK(fabs(found - expected) <= 1e-6 * fabs(expected), "double: %.9g instead of %.9g", found,
        expected);
    const variant *v = &variants[0];
    hed_cloth *a = make(&here, &one.def, once, true, v), *b = make(&here, &one.def, once, true, v);
    step(a, quick, g, 30);
    step(a, slow, g, 60);
    step(b, quick, g, 30 + 120);
    float *pa = positions_of(a), *pb = positions_of(b);
    expected = g * (slow - quick) / 2 * 2;
    /* Over 2 s alone: a float has few digits of what has fallen far. */
    CHECK(fabs(pa[1] - pb[1] - expected) <= 1e-2 * fabs(expected), "%.9g instead of %.9g",
        (double)pa[1] - pb[1], expected);
    free(pa);
    free(pb);
    hed_cloth_destroy(a);
    hed_cloth_destroy(b);
    reference_free(&changed);
    reference_free(&even);
    rope_free(&one);
}

/* ---- 3: momentum ---- */

/* A grid in the xz plane whose particles are all free and of one mass, pushed about by up to a
 * fifth of a cell. */
static test_mesh crumpled(uint32_t n, float *rest)
{
    test_mesh mesh = test_grid(n, n);
    uint32_t seed = 5;
    memcpy(rest, mesh.positions, (size_t)n * n * 12);
    for (uint32_t i = 0; i < n * n; i++) mesh.inverse_masses[i] = 1;
    for (uint32_t i = 0; i < 3 * n * n; i++)
        mesh.positions[i] += 0.4f / (float)(n - 1) * (test_random(&seed) - 0.5f);
    mesh.def.rest_positions = rest;
    mesh.def.damping = mesh.def.vertical_damping = mesh.def.drag = mesh.def.lift = 0;
    for (int f = 0; f < HED_CLOTH_FAMILY_COUNT; f++) mesh.def.family_material[f] = rod;
    return mesh;
}

static void sum_of(const float *positions, uint32_t particles, double sum[3], double *size)
{
    *size = sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t i = 0; i < 3 * particles; i++) {
        sum[i % 3] += positions[i];
        *size += fabs((double)positions[i]);
    }
}

Test(cloth_checks, momentum_is_kept)
{
    enum { FINE = 33, N = 20 };
    float rest[FINE * FINE * 3];
    double start[3], end[3], size;
    test_mesh mesh = crumpled(FINE, rest);
    reference r = reference_make(&mesh.def, (effort){10, 100, 0}, 1.0 / 60, 0);
    sum_of(mesh.positions, FINE * FINE, start, &size);
    reference_step(&r, 1);
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t i = 0; i < FINE * FINE; i++) sum += r.positions[3 * i + (uint32_t)axis];
        CHECK(fabs(sum - start[axis]) <= 1e-12 * FINE, "double: axis %d drifted by %g", axis,
            sum - start[axis]);
    }
    reference_free(&r);
    test_mesh_free(&mesh);
    mesh = crumpled(N, rest);
    sum_of(mesh.positions, N * N, start, &size);
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *cloth = make(&here, &mesh.def, (effort){5, 1, 0}, false, v);
        if (!cloth) continue;
        step(cloth, 1.0 / 60, 0, 20);
        float *found = positions_of(cloth);
        sum_of(found, N * N, end, &size);
        for (int axis = 0; axis < 3; axis++)
            CHECK(fabs(end[axis] - start[axis]) <= 1e-5 * size, "%s: axis %d drifted by %g of %g",
                v->name, axis, end[axis] - start[axis], size);
        free(found);
        hed_cloth_destroy(cloth);
    }
    test_mesh_free(&mesh);
}

/* ---- 4: convergence ---- */

/* Stretched as the slowest mode of the sweep is: link j by sin(j pi / (m + 1)). */
static void stretch_rope(rope *r, uint32_t links)
{
    double at = 0;
    for (uint32_t j = 1; j <= links; j++) {
        at += 1 + 0.01 * sin(j * pi / (links + 1));
        r->positions[3 * j] = (float)at;
    }
}

static double rope_residual(const double *positions, uint32_t links)
{
    double squares = 0;
    for (uint32_t j = 0; j < links; j++) {
        double beyond = positions[3 * (j + 1)] - positions[3 * j] - 1;
        squares += beyond * beyond;
    }
    return sqrt(squares);
}

/* What is left of it after one substep with so many iterations. */
static double left_on_device(
    const test_device *t, const rope *r, uint32_t links, uint32_t iterations, const variant *v)
{
    double positions[3 * 64];
    hed_cloth *cloth = make(t, &r->def, (effort){1, iterations, 0}, false, v);
    if (!cloth) return 0;
    step(cloth, 1.0 / 60, 0, 1);
    float *found = positions_of(cloth);
    for (uint32_t i = 0; i < 3 * (links + 1); i++) positions[i] = found[i];
    free(found);
    hed_cloth_destroy(cloth);
    return rope_residual(positions, links);
}

/* Gauss-Seidel on tridiag(-1, 2, -1), red and black: cos^2(pi / (m + 1)) is left of the slowest
 * mode by each sweep. */
Test(cloth_checks, a_chain_converges_at_the_known_rate)
{
    enum { M = 32 };
    rope r = rope_make(M + 1);
    stretch_rope(&r, M);
    double expected = pow(cos(pi / (M + 1)), 2), left[2];
    for (int k = 0; k < 2; k++) {
        reference ref = reference_make(&r.def, (effort){1, k ? 100 : 50, 0}, 1.0 / 60, 0);
        CHECK_EQ(ref.garment->colour_count, 2);
        reference_step(&ref, 1);
        left[k] = rope_residual(ref.positions, M);
        reference_free(&ref);
    }
    double rate = pow(left[1] / left[0], 1.0 / 50);
    CHECK(fabs(rate - expected) <= 1e-5, "double: %.8f instead of %.8f", rate, expected);
    for (const variant *v = variants; v->name; v++) {
        left[0] = left_on_device(&here, &r, M, 50, v);
        left[1] = left_on_device(&here, &r, M, 100, v);
        if (left[0] == 0) continue;
        rate = pow(left[1] / left[0], 1.0 / 50);
        CHECK(fabs(rate - expected) <= 1e-3, "%s: %.6f instead of %.6f", v->name, rate, expected);
    }
    rope_free(&r);
}

/* ---- 5: pendulum ---- */

/* A particle 1 m from a locked one, at this angle to the plumb line. */
static rope pendulum(double angle)
{
    rope r = rope_make(2);
    r.inverse_masses[0] = 0;
    r.positions[3] = (float)sin(angle);
    r.positions[4] = (float)-cos(angle);
    return r;
}

/* By the arithmetic-geometric mean: 2 pi sqrt(l / g) / agm(1, cos(angle / 2)). */
static double period_of(double angle)
{
    double a = 1, b = cos(angle / 2);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * pi * sqrt(1 / 9.81) / a;
}

/* When it passes the plumb line for the `passes`th time. */
typedef double place_function(void *user);
static double time_of_pass(place_function *next, void *user, double start, double dt, int passes)
{
    double before = start, time = 0;
    for (int seen = 0;;) {
        double at = next(user);
        time += dt;
        CHECK(time < 10, "no pendulum");
        if ((before > 0) != (at > 0) && ++seen == passes) return time - dt * at / (at - before);
        before = at;
    }
}

static double next_of_reference(void *user)
{
    reference *r = user;
    reference_step(r, 1);
    return r->positions[3];
}

typedef struct swing {
    hed_cloth *cloth;
    double dt;
} swing;

static double next_of_cloth(void *user)
{
    swing *s = user;
    float positions[6];
    step(s->cloth, s->dt, -9.81, 1);
    OK(hed_cloth_read(s->cloth, positions, NULL, NULL, &error));
    return positions[3];
}

static double double_pass(double angle, double dt, int passes)
{
    rope r = pendulum(angle);
    reference ref = reference_make(&r.def, (effort){1, 1, 0}, dt, -9.81);
    double time = time_of_pass(next_of_reference, &ref, sin(angle), dt, passes);
    reference_free(&ref);
    rope_free(&r);
    return time;
}

/* 0 where the solver is not valid. */
static double device_pass(
    const test_device *t, const variant *v, double angle, double dt, int passes)
{
    rope r = pendulum(angle);
    swing s = {make(t, &r.def, (effort){1, 1, 0}, false, v), dt};
    double time = s.cloth ? time_of_pass(next_of_cloth, &s, sin(angle), dt, passes) : 0;
    hed_cloth_destroy(s.cloth);
    rope_free(&r);
    return time;
}

Test(cloth_checks, a_small_pendulum_keeps_its_period)
{
    double expected = period_of(0.1), dt = 1.0 / 300;
    double found = double_pass(0.1, dt, 3) - double_pass(0.1, dt, 1);
    CHECK(fabs(found / expected - 1) <= 1e-3, "double: %.6f s instead of %.6f s", found, expected);
    for (const variant *v = variants; v->name; v++) {
        double first = device_pass(&here, v, 0.1, dt, 1);
        if (first == 0) continue;
        found = device_pass(&here, v, 0.1, dt, 3) - first;
        CHECK(fabs(found / expected - 1) <= 1e-3, "%s: %.6f s instead of %.6f s", v->name, found,
            expected);
    }
}

/* Its error is of first order in dt, since projection damps. */
Test(cloth_checks, a_large_pendulum_falls_with_a_first_order_error)
{
    static const double known[] = {4.8e-3, 1.2e-3, 3.0e-4};
    double expected = period_of(1.5) / 4, errors[3];
    for (int k = 0; k < 3; k++) {
        errors[k] = fabs(double_pass(1.5, 1.0 / (300 << 2 * k), 1) / expected - 1);
        CHECK(fabs(errors[k] / known[k] - 1) < 0.1, "double: an error of %g instead of %g",
            errors[k], known[k]);
        if (k == 0) continue;
        double slope = log(errors[k - 1] / errors[k]) / log(4);
        CHECK(fabs(slope - 1) <= 0.1, "double: order %g", slope);
    }
    for (const variant *v = variants; v->name; v++)
        for (int k = 0; k < 2; k++) {
            double found = device_pass(&here, v, 1.5, 1.0 / (300 << 2 * k), 1);
            if (found == 0) break;
            /* a float's rounding is a hundredth of a step's fall at 1200 Hz */
            double off = fabs(found / expected - 1);
            CHECK(fabs(off / errors[k] - 1) < 0.15, "%s at %d Hz: an error of %g instead of %g",
                v->name, 300 << 2 * k, off, errors[k]);
        }
}

/* ---- 6: catenary ---- */

/* y = a cosh((x - 0.5) / a) through (0, 0) and (1, 0), of length 1.5: 2 a sinh(1 / (2 a)) = 1.5. */
static double catenary_parameter(void)
{
    double low = 0.1, high = 10;
    for (int i = 0; i < 100; i++) {
        double a = (low + high) / 2;
        if (2 * a * sinh(0.5 / a) > 1.5) low = a;
        else high = a;
    }
    return low;
}

static double catenary(double a, double x) { return a * (cosh((x - 0.5) / a) - cosh(0.5 / a)); }

/* A rope of `links` over a span of 1 m, held at both ends, drawn down to a point in its middle.
 * Damped about as much as makes it come to rest without swinging. */
static rope hanging(uint32_t links)
{
    rope r = rope_make(links + 1);
    for (uint32_t i = 0; i <= links; i++) {
        double x = (double)i / links;
        r.positions[3 * i] = (float)x;
        r.positions[3 * i + 1] = (float)(-sqrt(0.75 * 0.75 - 0.25) * 2 * fmin(x, 1 - x));
        r.constraints[i].rest = 1.5f / (float)links;
    }
    r.inverse_masses[0] = r.inverse_masses[links] = 0;
    r.def.damping = 0.99995f;
    return r;
}

static double worst_of(const double *positions, uint32_t links)
{
    double a = catenary_parameter(), worst = 0;
    for (uint32_t i = 0; i <= links; i++) {
        double off = fabs(positions[3 * i + 1] - catenary(a, positions[3 * i]));
        if (off > worst) worst = off;
    }
    return worst;
}

Test(cloth_checks, a_rope_hangs_as_a_catenary)
{
    static const uint32_t links[] = {16, 32, 64};
    static const double most[] = {2e-3, 5e-4, 2e-4};
    double errors[3];
    CHECK_NEAR(-catenary(catenary_parameter(), 0.5), 0.5026, 1e-4);
    for (int k = 0; k < 3; k++) {
        rope r = hanging(links[k]);
        reference ref = reference_make(&r.def, (effort){40, 50, 0}, 1.0 / 60, -9.81);
        reference_step(&ref, 150);
        errors[k] = worst_of(ref.positions, links[k]);
        CHECK(errors[k] <= most[k], "double, %u links: off by %g m", links[k], errors[k]);
        if (k > 0)
            CHECK(errors[k - 1] / errors[k] > 2.5, "double: not of second order: %g, then %g",
                errors[k - 1], errors[k]);
        reference_free(&ref);
        rope_free(&r);
    }
    rope r = hanging(links[0]);
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *cloth = make(&here, &r.def, (effort){10, 20, 0}, false, v);
        if (!cloth) continue;
        double positions[3 * 17];
        step(cloth, 1.0 / 60, -9.81, 120);
        float *found = positions_of(cloth);
        for (uint32_t i = 0; i < 3 * (links[0] + 1); i++) positions[i] = found[i];
        double worst = worst_of(positions, links[0]);
        CHECK(worst <= most[0], "%s: off by %g m", v->name, worst);
        free(found);
        hed_cloth_destroy(cloth);
    }
    rope_free(&r);
}

/* ---- 10: equality of solvers and devices ---- */

/* n x n particles over 2 m, level, two corners held, as the sets of a grid. */
static test_mesh sheet_of(uint32_t n)
{
    test_mesh mesh = test_grid(n, n);
    mesh.def.drag = mesh.def.lift = 0;
    return mesh;
}

/* The largest difference of any coordinate. */
static double difference(const float *a, const double *b, uint32_t count)
{
    double worst = 0;
    for (uint32_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Structures that keep the colours' order follow the reference; others sweep in another order, so
 * that only what is large is the same. */
Test(cloth_checks, every_structure_follows_the_reference)
{
    enum { N = 20 };
    static const uint32_t frames[] = {1, 19};
    static const double most[] = {1e-6 * 2, 1e-4 * 2};
    test_mesh mesh = sheet_of(N);
    for (const variant *v = variants; v->name; v++) {
        bool same_order =
            v->solver == HED_CLOTH_SOLVER_COLOURS || v->solver == HED_CLOTH_SOLVER_SETS;
        hed_cloth *cloth = make(&here, &mesh.def, (effort){5, 1, 0}, false, v);
        if (!cloth) continue;
        reference r = reference_make(&mesh.def, (effort){5, 1, 0}, 1.0 / 60, -9.81);
        for (int k = 0; k < 2; k++) {
            step(cloth, 1.0 / 60, -9.81, frames[k]);
            reference_step(&r, frames[k]);
            float *found = positions_of(cloth);
            double worst = difference(found, r.positions, 3 * N * N);
            CHECK(worst <= (same_order ? most[k] : 0.05),
                "%s after %u frames: %g m from the reference", v->name, frames[k], worst);
            free(found);
        }
        reference_free(&r);
        hed_cloth_destroy(cloth);
    }
    test_mesh_free(&mesh);
}

static hed_cloth_metrics quality_after(
    const test_device *t, const hed_cloth_garment_def *def, const variant *v, uint32_t frames)
{
    hed_cloth_metrics quality = {0};
    hed_cloth *cloth = make(t, def, (effort){5, 1, 0}, false, v);
    if (!cloth) return quality;
    step(cloth, 1.0 / 60, -9.81, frames);
    OK(hed_cloth_evaluate(cloth, &quality, &error));
    CHECK_EQ(quality.not_finite, 0);
    hed_cloth_destroy(cloth);
    return quality;
}

/* After 300 frames too: in strict mode to the bit, else in what is large. */
Test(cloth_checks, devices_agree)
{
    test_device t = test_open(NULL), host = {.context = t.context};
    test_mesh mesh = sheet_of(20);
    mesh.def.damping = 0.3f;
    OK(hed_device_find(t.context, "host", &host.device, &error));
    hed_cloth_metrics expected = quality_after(&host, &mesh.def, &variants[0], 300);
    for (const variant *v = variants; v->name; v++) {
        hed_cloth_metrics found = quality_after(&t, &mesh.def, v, 300);
        if (found.hash == 0) continue;
        if (v->math == HED_MATH_STRICT)
            CHECK_EQ(found.hash, expected.hash, "%s: other bits than on host", v->name);
        for (int axis = 0; axis < 3; axis++)
            CHECK(fabs(found.low[axis] - expected.low[axis]) < 0.15 &&
                      fabs(found.high[axis] - expected.high[axis]) < 0.15,
                "%s: axis %d is within %g to %g instead of %g to %g", v->name, axis,
                found.low[axis], found.high[axis], expected.low[axis], expected.high[axis]);
        CHECK(found.worst_stretch < expected.worst_stretch + 0.1,
            "%s: stretched by %g instead of %g", v->name, found.worst_stretch,
            expected.worst_stretch);
    }
    test_mesh_free(&mesh);
    test_close(&t);
}

/* ---- 11: invariance ---- */

/* About the axis (1, 2, 3) by 0.7 rad, then along (1, -2, 0.5). */
static void turn(const double *from, double *to)
{
    static const double axis[3] = {0.2672612419124244, 0.5345224838248488, 0.8017837257372732},
                        way[3] = {1, -2, 0.5};
    double c = cos(0.7), s = sin(0.7),
           along = axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        to[i] = c * from[i] + s * (axis[j] * from[k] - axis[k] * from[j]) +
                (1 - c) * along * axis[i] + way[i];
    }
}

static void turn_floats(const float *from, float *to, uint32_t points)
{
    for (uint32_t i = 0; i < points; i++) {
        double in[3] = {from[3 * i], from[3 * i + 1], from[3 * i + 2]}, out[3];
        turn(in, out);
        for (int axis = 0; axis < 3; axis++) to[3 * i + (uint32_t)axis] = (float)out[axis];
    }
}

Test(cloth_checks, a_turned_start_ends_turned)
{
    enum { N = 20 };
    float rest[N * N * 3], turned_rest[N * N * 3], turned_start[N * N * 3];
    test_mesh mesh = crumpled(N, rest);
    hed_cloth_garment_def turned = mesh.def;
    turn_floats(rest, turned_rest, N * N);
    turn_floats(mesh.positions, turned_start, N * N);
    turned.positions = turned_start;
    turned.rest_positions = rest; /* the same lengths to the bit */
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *a = make(&here, &mesh.def, (effort){5, 1, 0}, false, v),
                  *b = make(&here, &turned, (effort){5, 1, 0}, false, v);
        if (!a) continue;
        step(a, 1.0 / 60, 0, 2);
        step(b, 1.0 / 60, 0, 2);
        float *pa = positions_of(a), *pb = positions_of(b);
        double worst = 0;
        for (uint32_t i = 0; i < N * N; i++) {
            double in[3] = {pa[3 * i], pa[3 * i + 1], pa[3 * i + 2]}, out[3];
            turn(in, out);
            for (int axis = 0; axis < 3; axis++)
                worst = fmax(worst, fabs(out[axis] - pb[3 * i + (uint32_t)axis]));
        }
        CHECK(worst <= 1e-5 * 4, "%s: off by %g m", v->name,
            worst); /* the cloth reaches to 4 m from the origin */
        free(pa);
        free(pb);
        hed_cloth_destroy(a);
        hed_cloth_destroy(b);
    }
    test_mesh_free(&mesh);
}

/* Copies in one submission are what one alone is, to the bit; cut into as many patches. */
Test(cloth_checks, copies_are_equal_to_one_alone)
{
    enum { N = 20, COPIES = 3 };
    test_mesh mesh = sheet_of(N);
    hed_cloth_garment_def several = mesh.def;
    several.copies = COPIES;
    /* patches of a copy */
    uint32_t each = hed_device_describe(here.device).type == HED_DEVICE_CPU ? 1 : 4;
    for (const variant *v = variants; v->name; v++) {
        hed_cloth *one = make(&here, &mesh.def, (effort){5, 1, each}, false, v),
                  *all = make(&here, &several, (effort){5, 1, each * COPIES}, false, v);
        CHECK_EQ(!one, !all);
        if (!one) continue;
        step(one, 1.0 / 60, -9.81, 10);
        step(all, 1.0 / 60, -9.81, 10);
        float *alone = positions_of(one), *together = positions_of(all);
        for (uint32_t copy = 0; copy < COPIES; copy++)
            CHECK_EQ(memcmp(together + copy * N * N * 3, alone, N * N * 12), 0,
                "%s: copy %u differs", v->name, copy);
        free(alone);
        free(together);
        hed_cloth_destroy(one);
        hed_cloth_destroy(all);
    }
    test_mesh_free(&mesh);
}
