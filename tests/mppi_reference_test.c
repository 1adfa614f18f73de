/* ctest: devices full=pocl */
/* A round of every solver against the same round in double precision: samplers, importance
 * correction, pure noise, limits, rates, delay, scales, terminal terms, one to four controls, and
 * numbers of steps and samples that no tile or group divides. */
#include <math.h>
#include <stdlib.h>

#include "fixture.h"
#include "heddle/mppi.h"
#include "reference/reference.h"

TestSuite(mppi_reference, .init = here_open, .fini = here_close);

/* ---- pendulums, one for each control: in float, as text, and in double ---- */

static const char step_text[] =
    "MPPI_FUNCTION void model_step(float *x, const float *u, float dt, MPPI_WORLD w)\n"
    "{\n"
    "    MPPI_UNROLL\n"
    "    for (int i = 0; i < MODEL_CONTROLS; i++) {\n"
    "        x[i] += dt * x[MODEL_CONTROLS + i];\n"
    "        x[MODEL_CONTROLS + i] += dt * (u[i] - mppi_sin(x[i]));\n"
    "    }\n"
    "}\n";
static const char running_text[] =
    "MPPI_FUNCTION float term_running(const float *x, const float *u, int t, MPPI_WORLD w)\n"
    "{\n"
    "    float cost = 0.0f;\n"
    "    MPPI_UNROLL\n"
    "    for (int i = 0; i < MODEL_CONTROLS; i++)\n"
    "        cost += mppi_square(x[i] - 1.0f) + 0.1f * mppi_square(x[MODEL_CONTROLS + i]) +\n"
    "                0.05f * mppi_square(u[i]);\n"
    "    return x[0] > 0.8f ? NAN : cost * (1.0f + 0.01f * (float)t);\n"
    "}\n";
static const char arrival_text[] =
    "MPPI_FUNCTION float term_arrival(const float *x, const float *u, int t, MPPI_WORLD w)\n"
    "{\n"
    "    return mppi_square(x[MODEL_CONTROLS - 1] - 0.5f);\n"
    "}\n";

static void step_float(float *x, const float *u, float dt, const hed_mppi_world *world)
{
    uint32_t nu = world->model->controls;
    for (uint32_t i = 0; i < nu; i++) {
        x[i] += dt * x[nu + i];
        x[nu + i] += dt * (u[i] - sinf(x[i]));
    }
}
static float running_float(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    uint32_t nu = world->model->controls;
    float cost = 0;
    for (uint32_t i = 0; i < nu; i++)
        cost += (x[i] - 1) * (x[i] - 1) + 0.1f * x[nu + i] * x[nu + i] + 0.05f * u[i] * u[i];
    return x[0] > 0.8f ? NAN : cost * (1 + 0.01f * (float)t);
}
static float arrival_float(const float *x, const float *u, int32_t t, const hed_mppi_world *world)
{
    float off = x[world->model->controls - 1] - 0.5f;
    (void)u, (void)t;
    return off * off;
}
static void step_double(double *x, const double *u, double dt, uint32_t nu)
{
    for (uint32_t i = 0; i < nu; i++) {
        x[i] += dt * x[nu + i];
        x[nu + i] += dt * (u[i] - sin(x[i]));
    }
}
static double running_double(const double *x, const double *u, uint32_t t, uint32_t nu)
{
    double cost = 0;
    for (uint32_t i = 0; i < nu; i++)
        cost += (x[i] - 1) * (x[i] - 1) + 0.1 * x[nu + i] * x[nu + i] + 0.05 * u[i] * u[i];
    return x[0] > 0.8 ? NAN : cost * (1 + 0.01 * t);
}
static double arrival_double(const double *x, uint32_t nu) { return 20 * pow(x[nu - 1] - 0.5, 2); }

#define PENDULUMS(count) \
    { \
        .name = "pendulums", .states = 2 * (count), .controls = (count), .text = step_text, \
        .step = step_float, .pose_x = -1, .pose_y = -1, .pose_heading = -1, .speed = -1, \
        .sigma = {0.8f, 0.5f, 1, 0.7f}, .dt = 0.05f \
    }
static const hed_mppi_model pendulums[4] = {PENDULUMS(1), PENDULUMS(2), PENDULUMS(3), PENDULUMS(4)};
static const hed_mppi_term terms[2] = {
    {.name = "running", .text = running_text, .cost = running_float, .weight = 1},
    {.name = "arrival",
        .text = arrival_text,
        .cost = arrival_float,
        .weight = 20,
        .when = HED_MPPI_TERMINAL}};

/* ---- rounds compared ---- */

static hed_mppi_def base_def(uint32_t controls, uint32_t samples, uint32_t steps)
{
    hed_mppi_def def = hed_default_mppi_def();
    def.model = &pendulums[controls - 1];
    def.terms = terms;
    def.term_count = 2;
    def.samples = samples;
    def.steps = steps;
    def.seed = 0x123456789abcdefu; /* both words of the key */
    def.lambda = 0.5f;
    return def;
}

/* How far two arrays are apart, relative to the largest element. */
static double distance(const float *found, const double *wanted, uint64_t count)
{
    double largest = 0, apart = 0;
    for (uint64_t j = 0; j < count; j++) {
        largest = fmax(largest, fabs(wanted[j]));
        apart = fmax(apart, fabs(found[j] - wanted[j]));
    }
    return largest > 0 ? apart / largest : apart;
}

static void *make(uint64_t count, uint64_t size)
{
    void *made = calloc(count, size);
    CHECK(made);
    return made;
}

/* Three solves with a shift between them, so that plan and history are not zero. A weight changes
 * by the error of its cost over lambda: costs of up to some 10 lambda, summed over at most 101
 * steps with 2^-24 each, and a mean of weights that moves by as much: 1e-4. */
static void compare(const char *name, const hed_mppi_def *def, const float *given)
{
    const double tolerance = 1e-4;
    hed_mppi *c = NULL;
    hed_error error = {0};
    hed_mppi_stats stats;
    OK(hed_mppi_create(here.device, def, &c, &error));
    uint32_t nu = def->model->controls, n = def->samples, size = def->steps * nu;
    mppi_reference reference = {c, step_double, running_double, arrival_double};
    mppi_reference_answer wanted = {.costs = make(n, sizeof(double)),
        .weights = make(n, sizeof(double)),
        .mean = make(size, sizeof(double)),
        .plan = make(size, sizeof(double))};
    double *work = make(mppi_reference_work(c), sizeof(double));
    float *costs = make(n, sizeof(float)), x[8] = {0.1f, -0.2f, 0.3f, 0, 0.2f}, u[4];
    for (int solve = 0; solve < 3; solve++) {
        if (given) OK(hed_mppi_set_noise(c, given, &error));
        mppi_reference_round(&reference, x, work, &wanted);
        OK(hed_mppi_solve(c, x, u, &stats, &error));
        EXPECT_EQ(stats.outcome, HED_MPPI_SOLVED, "%s", name);
        EXPECT_LT(distance(hed_mppi_controls(c, 0), wanted.plan, size), tolerance,
            "%s: plan of solve %d", name, solve);
        EXPECT_NEAR(stats.baseline, wanted.baseline, tolerance * fabs(wanted.baseline), "%s", name);
        EXPECT_NEAR(stats.free_energy, wanted.free_energy, tolerance * fabs(wanted.free_energy),
            "%s", name);
        EXPECT_NEAR(stats.ess, wanted.ess, tolerance * wanted.ess, "%s", name);
        EXPECT_NEAR(stats.normalizer, wanted.normalizer, tolerance * wanted.normalizer, "%s", name);
        EXPECT_NEAR(stats.crashed, wanted.crashed, 1e-6, "%s", name);
        OK(hed_mppi_trace(c, 0, n, false, NULL, costs, &error));
        uint32_t wrong = 0;
        for (uint32_t k = 0; k < n; k++)
            wrong += isnan(wanted.costs[k])
                         ? !isnan(costs[k])
                         : !(fabs(costs[k] - wanted.costs[k]) <= 1e-5 * wanted.costs[k]);
        EXPECT_EQ(wrong, 0, "%s: costs of samples", name);
        hed_mppi_shift(c, 1);
        x[0] += 0.02f;
        x[nu] += 0.05f;
    }
    free(wanted.costs);
    free(wanted.weights);
    free(wanted.mean);
    free(wanted.plan);
    free(work);
    free(costs);
    hed_mppi_destroy(c);
}

/* A kernel is built for each case, which takes PoCL a second: it sees every third. */
static bool case_is_due(void)
{
    static uint32_t cases;
    const char *backend = hed_device_describe(here.device).backend;
    return !strcmp(backend, "host") || !strcmp(backend, "cuda") || cases++ % 3 == 0;
}

#define CASE(controls, samples, steps, changes) \
    do { \
        hed_mppi_def def = base_def(controls, samples, steps); \
        changes; \
        if (case_is_due()) compare(#changes, &def, NULL); \
    } while (0)

Test(mppi_reference, sizes, .timeout = 240)
{
    CASE(1, 1024, 100, (void)0);
    CASE(2, 777, 37, (void)0);
    CASE(3, 1, 1, (def.keep_plan = false, def.committed = 0));
    CASE(3, 33, 101, (void)0);
    CASE(4, 501, 3, (void)0);   /* too short to be smoothed */
    CASE(4, 5000, 8, (void)0);  /* tiles of 64 */
    CASE(1, 20000, 5, (void)0); /* tiles of 256 */
}

Test(mppi_reference, samplers, .timeout = 240)
{
    static const float covariance[9] = {0.6f, 0.2f, -0.1f, 0.2f, 0.5f, 0.1f, -0.1f, 0.1f, 0.8f};
    static float factors[3 * 31], given[3 * 31 * 301];
    for (int j = 0; j < 3 * 31; j++) factors[j] = 0.5f + 0.01f * (float)j;
    hed_sample_floats(given, HED_COUNT(given), 5, 0);
    CASE(3, 301, 31, def.covariance = covariance);
    CASE(3, 301, 31, def.sigma_steps = factors);
    CASE(3, 301, 31, (def.covariance = covariance, def.sigma_steps = factors));
    CASE(2, 301, 31, (def.sampler = HED_MPPI_COLOURED, def.exponent[0] = 1, def.exponent[1] = 2));
    CASE(3, 301, 31, (def.sampler = HED_MPPI_COLOURED, def.offset_decay = 0.9f));
    CASE(2, 301, 31, def.sampler = HED_MPPI_LOG_NORMAL);
    CASE(2, 301, 31, (def.sampler = HED_MPPI_SPLINE, def.knots = 7));
    CASE(3, 301, 31, (def.sampler = HED_MPPI_SUPPORT_POINTS, def.knots = 6));
    hed_mppi_def def = base_def(3, 301, 31);
    def.sampler = HED_MPPI_GIVEN;
    compare("given", &def, given);
}

Test(mppi_reference, options, .timeout = 240)
{
    static const float covariance[4] = {0.6f, 0.2f, 0.2f, 0.5f};
    static float factors[2 * 41];
    for (int j = 0; j < 2 * 41; j++) factors[j] = 1.5f - 0.01f * (float)j;
    CASE(2, 600, 41, def.alpha = 0);
    CASE(2, 600, 41, (def.alpha = 0.3f, def.covariance = covariance));
    CASE(2, 600, 41, (def.alpha = 0.3f, def.sigma_steps = factors));
    CASE(2, 600, 41, (def.alpha = 0.5f, def.sampler = HED_MPPI_COLOURED, def.exponent[0] = 1));
    CASE(2, 600, 41, (def.pure_noise = 0.3f, def.alpha = 0));
    CASE(2, 600, 41, def.pure_noise = 0);
    CASE(2, 600, 41, def.keep_plan = false);
    CASE(2, 600, 41, def.committed = 0);
    CASE(2, 600, 41, def.committed = 7);
    CASE(2, 600, 41, (def.minimum[0] = -0.3f, def.maximum[0] = 0.4f));
    CASE(2, 600, 41, (def.rate[0] = 4, def.rate[1] = 9));
    CASE(2, 600, 41, def.delay = 1);
    CASE(2, 600, 41, (def.delay = 5, def.rate[0] = 4));
    CASE(2, 600, 41, (def.scale = HED_MPPI_SUM, def.lambda = 20));
    CASE(2, 600, 41, def.smooth = false);
    CASE(2, 600, 41, def.tail = HED_MPPI_ZERO);
    CASE(2, 600, 41, (def.update = HED_MPPI_ELITE, def.elite = 0.1f));
    CASE(1, 33, 5, (def.update = HED_MPPI_ELITE, def.elite = 0.001f));
    CASE(2, 600, 41,
        (def.update = HED_MPPI_TSALLIS, def.tsallis_r = 1.5f, def.tsallis_threshold = 3));
}
