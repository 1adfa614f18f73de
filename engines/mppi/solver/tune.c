/* Measurement of the fastest sampling on a device: a pipeline of the tuner (heddle/tune.h) whose
 * parameters are the solver and those of a tile (choice.c). The result is stored in the tuning
 * database, where hed_mppi_create() looks it up for solver AUTO without a choice. Value 0 of
 * each parameter selects the rules, so the default is the behaviour of an untuned device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/device.h"
#include "support/strict_math.h"

/* TEAM is always chosen by the rules: few models have one, and most combinations with other
 * parameters are invalid. */
enum { SOLVER, TILE, TUNED = TILE_TEAM, PARAMETERS = TILE + TUNED };

/* ---- the space ---- */

static const int64_t solvers[] = {HED_MPPI_SOLVER_AUTO, HED_MPPI_SOLVER_LAUNCHES,
    HED_MPPI_SOLVER_PACKETS, HED_MPPI_SOLVER_RESIDENT};
static const char *const solver_labels[] = {"rule", "launches", "packets", "resident"};
static const int64_t groups[] = {0, 64, 128, 256, 416, 512, 1024};
static const int64_t samples[] = {0, 8, 16, 32, 64, 128, 256, 512};
/* 1 + the value in choice.c */
static const int64_t three[] = {0, 1, 2, 3}, two[] = {0, 1, 2};
static const char *const noise_labels[] = {"rule", "phase", "fused", "ahead"};
static const char *const split_labels[] = {"rule", "no", "yes"};
static const char *const store_labels[] = {"rule", "local", "again", "global"};
static const int64_t unrolls[] = {0, 1, 2, 5, 10, 25, 50};
static const int64_t mergers[] = {0, 1, 2, 4, 8};

#define CHOICES(values) values, HED_COUNT(values), 0
static const hed_parameter_def parameters[PARAMETERS] = {
    [SOLVER] = {"SOLVER", CHOICES(solvers), solver_labels},
    [TILE + TILE_GROUP] = {"GROUP", CHOICES(groups), NULL},
    [TILE + TILE_SAMPLES] = {"SAMPLES", CHOICES(samples), NULL},
    [TILE + TILE_NOISE] = {"NOISE", CHOICES(three), noise_labels},
    [TILE + TILE_SPLIT] = {"SPLIT", CHOICES(two), split_labels},
    [TILE + TILE_STORE] = {"STORE", CHOICES(three), store_labels},
    [TILE + TILE_UNROLL] = {"UNROLL", CHOICES(unrolls), NULL},
    [TILE + TILE_MERGERS] = {"MERGERS", CHOICES(mergers), NULL},
};
/* Combinations that layout_valid() of choice.c always rejects. */
static const char *const constraints[] = {"GROUP == 0 or SAMPLES <= GROUP",
    "NOISE != \"ahead\" or SOLVER == \"packets\" or SOLVER == \"resident\"",
    "STORE != \"again\" or NOISE == \"fused\"",
    "SPLIT != \"yes\" or STORE == \"rule\" or STORE == \"local\"", "SOLVER != \"resident\"",
    "SOLVER != \"packets\""};
/* the last two apply where the device lacks the solver */
enum { ALWAYS = HED_COUNT(constraints) - 2 };
static const hed_condition conditions[] = {
    {"MERGERS", "SOLVER == \"packets\" or SOLVER == \"resident\""}};
static const char *const dimensions[] = {"samples", "steps", "states", "controls", "controllers"};

const hed_kernel_def *hed_mppi_tune_description(void)
{
    static const hed_kernel_def description = {
        .name = "mppi",
        .summary = "the solver of a controller",
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions),
    };
    return &description;
}

/* ---- the pipeline ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count) /* FNV-1a */
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

/* Bytes of a pipeline's version: a line, and the texts. */
static size_t version_bytes(const hed_mppi *c)
{
    size_t bytes = 32 + strlen(c->model.text);
    for (uint32_t k = 0; k < c->def.term_count; k++) bytes += strlen(c->def.terms[k].text) + 1;
    return bytes;
}

/* Builds the pipeline. Its version covers everything that determines its speed in addition to
 * the sizes; it has the texts as they are, since their comments do not count in a version.
 * `version`: version_bytes(). */
static hed_pipeline_def pipeline_of(const hed_mppi *c, char *version)
{
    const hed_mppi_def *d = &c->def;
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t k = 0; k < d->term_count; k++)
        hash = hash_bytes(hash, &d->terms[k].when, sizeof d->terms[k].when);
    bool rates = false;
    for (uint32_t i = 0; i < c->model.controls; i++) rates = rates || d->rate[i] > 0;
    const uint32_t uses[] = {(uint32_t)d->kind, (uint32_t)d->update, (uint32_t)d->sampler,
        d->rollouts, c->disturbed, d->alpha<1, d->smooth_weight> 0, d->delay, rates,
        d->sigma_steps != NULL, d->covariance != NULL, d->table_count};
    hash = hash_bytes(hash, uses, sizeof uses);
    bool resident = mppi_solver_resident.fits(c), packets = mppi_solver_packets.fits(c);
    size_t size = version_bytes(c);
    int used = snprintf(version, size, "1 %016llx\n%s", (unsigned long long)hash, c->model.text);
    for (uint32_t k = 0; k < d->term_count; k++)
        used += snprintf(version + used, size - (size_t)used, "\n%s", d->terms[k].text);
    return (hed_pipeline_def){.name = "mppi",
        .version = version,
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .constraints = constraints,
        .constraint_count = ALWAYS + !resident + !packets,
        .conditions = conditions,
        .condition_count = HED_COUNT(conditions),
        .dimensions = dimensions,
        .dimension_count = HED_COUNT(dimensions)};
}

static hed_problem problem_of(const hed_mppi *c)
{
    return (hed_problem){HED_COUNT(dimensions),
        {c->def.samples, c->def.steps, c->model.states, c->model.controls, c->def.count}};
}

/* Converts a configuration to the solver and choice of hed_mppi_def. */
static void choice_of(const hed_config *config, hed_mppi_solver *solver, char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    *solver = (hed_mppi_solver)config->values[SOLVER];
    for (uint32_t i = 0; i < TUNED; i++) {
        bool choice = i == TILE_NOISE || i == TILE_SPLIT || i == TILE_STORE;
        int64_t value = config->values[TILE + i];
        if (value && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s=%lld ",
                mppi_tile_parameters[i].name, (long long)(value - choice));
    }
}

void mppi_take_tuned(hed_mppi *c)
{
    hed_config config;
    hed_config_origin origin;
    const hed_allocator *allocator = &c->arena.allocator;
    bool host = !strcmp(hed_device_describe(c->device)->backend, "host");
    /* measurements are of a single block */
    bool open = c->def.solver == HED_MPPI_SOLVER_AUTO && !c->def.choice && c->def.blocks == 1;
    if (host || !open || c->def.math == HED_MATH_STRICT || !mppi_device_fits(c)) return;
    char *version = hed_new(allocator, version_bytes(c), 1, NULL);
    if (!version) return;
    hed_pipeline_def pipeline = pipeline_of(c, version);
    hed_problem problem = problem_of(c);
    hed_status status =
        hed_pipeline_resolve(c->device, &pipeline, &problem, &config, &origin, NULL);
    hed_delete(allocator, version, version_bytes(c), 1);
    if (status || origin == HED_ORIGIN_DEFAULT) return;
    choice_of(&config, &c->tuned_solver, c->tuned, sizeof c->tuned);
    c->origin = origin;
}

/* ---- the pipeline's work ---- */

typedef struct tuning {
    hed_device *device;
    hed_mppi_def def;
    hed_mppi *controller; /* controller with the current configuration */
    float *state;         /* (count x nx) */
    float *expected;      /* (count x T nu) plan of the first solve by launches */
    uint64_t size, plan;  /* floats of state and plan */
} tuning;

static hed_status tune_prepare(void *user, const hed_config *config, hed_error *error)
{
    tuning *t = user;
    hed_mppi_def def = t->def;
    char choice[sizeof t->controller->tuned];
    hed_mppi_destroy(t->controller);
    t->controller = NULL;
    choice_of(config, &def.solver, choice, sizeof choice);
    def.choice = choice;
    return hed_mppi_create(t->device, &def, &t->controller, error);
}

static hed_status tune_run(void *user, double *value, hed_error *error)
{
    tuning *t = user;
    (void)value; /* the tuner times this call */
    return hed_mppi_solve(t->controller, t->state, NULL, NULL, error);
}

/* Compares the plan with the launches'. Other orders of the sums differ by rounding, which
 * weights magnify: differences of 1e-4 of the plan were measured. A structure that misses
 * samples or steps differs much more. */
static hed_status tune_check(void *user, hed_error *error)
{
    tuning *t = user;
    double difference = 0, norm = 0;
    hed_mppi_reset(t->controller, NULL);
    if (hed_mppi_solve(t->controller, t->state, NULL, NULL, error)) return error->status;
    for (uint32_t i = 0; i < t->def.count; i++)
        for (uint64_t j = 0; j < t->size; j++) {
            double expected_value = t->expected[i * t->size + j];
            double error_value = hed_mppi_controls(t->controller, i)[j] - expected_value;
            difference += error_value * error_value;
            norm += expected_value * expected_value;
        }
    if (sqrt(difference) <= 0.02 * sqrt(norm) + 1e-6) return HED_OK;
    return hed_fail(error, HED_ERROR_FORMAT,
        "the plan is %.3g off that of the kernels one after another, which is %.3g long",
        sqrt(difference), sqrt(norm));
}

static hed_status tune_make_expected(tuning *t, const hed_allocator *a, hed_error *error)
{
    hed_mppi_def def = t->def;
    def.solver = HED_MPPI_SOLVER_LAUNCHES;
    def.choice = "";
    if (hed_mppi_create(t->device, &def, &t->controller, error)) return error->status;
    const hed_mppi_model *model = &t->controller->model;
    t->size = (uint64_t)def.steps * model->controls;
    t->plan = t->size * def.count;
    t->state = hed_new(a, (uint64_t)def.count * model->states, sizeof(float), error);
    t->expected = hed_new(a, t->plan, sizeof(float), error);
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < def.count; i++)
        memcpy(t->state + i * model->states, model->start, model->states * sizeof(float));
    if (hed_mppi_solve(t->controller, t->state, NULL, NULL, error)) return error->status;
    for (uint32_t i = 0; i < def.count; i++)
        memcpy(t->expected + i * t->size, hed_mppi_controls(t->controller, i),
            t->size * sizeof(float));
    return HED_OK;
}

hed_status hed_mppi_tune(hed_device *device, const hed_mppi_def *def, const hed_tune_def *tune,
    hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, def, result);
    hed_error own = {0};
    if (!error) error = &own;
    *result = NULL;
    if (strcmp(hed_device_describe(device)->backend, "host") == 0)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: host has one solver, threads of the processor: there is nothing to choose");
    if (def->math == HED_MATH_STRICT)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "mppi: strict mode has one order of sums: there is nothing to choose");
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    hed_tune_def options = tune ? *tune : hed_default_tune_def();
    tuning t = {.device = device, .def = *def};
    t.def.deadline_ns = 0;
    t.def.other_device_count = t.def.blocks = 0;
    hed_status status = tune_make_expected(&t, &allocator, error);
    uint64_t states = t.controller ? (uint64_t)def->count * t.controller->model.states : 0;
    size_t size = t.controller ? version_bytes(t.controller) : 0;
    char *version = status ? NULL : hed_new(&allocator, size, 1, error);
    if (!status && !version) status = error->status;
    if (!status) {
        hed_pipeline_def pipeline = pipeline_of(t.controller, version);
        hed_problem problem = problem_of(t.controller);
        pipeline.prepare = tune_prepare;
        pipeline.run = tune_run;
        pipeline.check = tune_check;
        pipeline.user = &t;
        options.problem = &problem;
        status = hed_tune_pipeline(device, &pipeline, &options, result, error);
        if (!status) (*result)->reference = HED_REFERENCE_KERNEL; /* the launches' */
    }
    hed_delete(&allocator, version, size, 1);
    hed_mppi_destroy(t.controller);
    hed_delete(&allocator, t.state, states, sizeof(float));
    hed_delete(&allocator, t.expected, t.plan, sizeof(float));
    return status;
}
