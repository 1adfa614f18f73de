/* Measurement of the fastest sampling on a device: a pipeline of the tuner (heddle/tune.h) whose
 * parameters are the solver and those of a tile (mppi_choice.c). The result is stored in the tuning
 * database, where hed_mppi_create() looks it up for solver AUTO without a choice. */
#include <math.h>
#include <string.h>

#include "solver/mppi_layout.h"
#include "support/strict_math.h"
#include "support/digits.h"

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
    mppi_tuned_choice(config, &def.solver, choice, sizeof choice);
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
        "the plan is %s off that of the kernels one after another, which is %s long",
        hed_digits(sqrt(difference), 3).text, hed_digits(sqrt(norm), 3).text);
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
    if (strcmp(hed_device_describe(device).backend, "host") == 0)
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
    size_t size = t.controller ? mppi_version_bytes(t.controller) : 0;
    char *version = status ? NULL : hed_new(&allocator, size, 1, error);
    if (!status && !version) status = error->status;
    if (!status) {
        hed_pipeline_def pipeline = mppi_tune_pipeline(t.controller, version);
        hed_problem problem = mppi_tune_problem(t.controller);
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
