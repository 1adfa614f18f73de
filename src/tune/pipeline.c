/* Tuning of pipelines: any work that the program can prepare, run and check. Measured in the
 * program's process, with the loop and the rounds used for kernels. Only one configuration is
 * prepared at a time, so switching candidates prepares the new one and discards its first run. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/runners.h"
#include "tune/tuning_state.h"

typedef struct pipeline_tuning {
    hed_runner runner; /* the first member: the struct is its own runner */
    hed_tuning tuning;
    hed_tune_def def; /* the caller's, defaults filled in */
    const hed_pipeline_def *pipeline;
    hed_space *space;
    hed_config slots[HED_RUNNER_SLOTS];
    uint32_t prepared; /* slot; HED_NO_SLOT: nothing is prepared */
} pipeline_tuning;

/* ---- one candidate ---- */

static void pipeline_set_outcome(hed_trial *trial, hed_outcome outcome, const hed_error *cause)
{
    trial->outcome = outcome;
    hed_text_copy(trial->text, sizeof trial->text, cause->text);
}

static hed_outcome outcome_of(hed_status status)
{
    switch (status) {
    case HED_ERROR_BUILD: return HED_OUTCOME_BUILD;
    case HED_ERROR_LIMIT:
    case HED_ERROR_UNSUPPORTED: return HED_OUTCOME_INVALID;
    case HED_ERROR_TIMEOUT: return HED_OUTCOME_HUNG;
    case HED_ERROR_LOST: return HED_OUTCOME_CRASHED;
    default: return HED_OUTCOME_LAUNCH;
    }
}

/* Sorts a failure of the program's function: a lost device ends the tuning, any other failure is
 * the candidate's outcome. */
static hed_status pipeline_judge(
    hed_status status, hed_trial *trial, const hed_error *cause, hed_error *error)
{
    if (status == HED_ERROR_LOST) return hed_fail(error, status, "%s", cause->text);
    if (status) pipeline_set_outcome(trial, outcome_of(status), cause);
    return HED_OK;
}

static hed_status run_once(pipeline_tuning *p, double *value, hed_trial *trial, hed_error *error)
{
    hed_error cause = {0};
    hed_clock clock = hed_context_describe(hed_device_context(p->tuning.device)).clock;
    *value = NAN;
    uint64_t from = clock.now(clock.user);
    hed_status status = p->pipeline->run(p->pipeline->user, value, &cause);
    uint64_t to = clock.now(clock.user);
    if (isnan(*value)) *value = 1e-9 * ((double)to - (double)from);
    return pipeline_judge(status, trial, &cause, error);
}

/* Prepares a slot's configuration, unless it is prepared, and runs it once. */
static hed_status switch_to(pipeline_tuning *p, uint32_t slot, hed_trial *trial, hed_error *error)
{
    hed_error cause = {0};
    double thrown_away;
    *trial = (hed_trial){.outcome = HED_OUTCOME_MEASURED, .error = NAN};
    if (p->prepared == slot) return HED_OK;
    p->prepared = HED_NO_SLOT;
    hed_status status = p->pipeline->prepare(p->pipeline->user, &p->slots[slot], &cause);
    if (!pipeline_judge(status, trial, &cause, error) && !trial->outcome &&
        !run_once(p, &thrown_away, trial, error) && !trial->outcome)
        p->prepared = slot;
    return error->status;
}

static hed_status pipeline_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    pipeline_tuning *p = (pipeline_tuning *)runner;
    hed_error cause = {0};
    p->slots[slot] = *config;
    p->prepared = HED_NO_SLOT;
    hed_status status = switch_to(p, slot, trial, error);
    if (status || trial->outcome || !p->pipeline->check) return status;
    if (p->pipeline->check(p->pipeline->user, &cause)) {
        pipeline_set_outcome(trial, HED_OUTCOME_WRONG, &cause);
        p->prepared = HED_NO_SLOT;
    }
    return HED_OK;
}

static hed_status time_runs(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *error)
{
    pipeline_tuning *p = (pipeline_tuning *)runner;
    hed_status status = switch_to(p, slot, trial, error);
    for (uint32_t i = 0; i < runs && !status && !trial->outcome; i++)
        status = run_once(p, &values[i], trial, error);
    return status;
}

static hed_status pipeline_build_ahead(
    hed_runner *runner, const hed_config *config, hed_error *error)
{
    const hed_pipeline_def *pipeline = ((pipeline_tuning *)runner)->pipeline;
    return pipeline->build_ahead(pipeline->user, config, error);
}

static bool pipeline_built(hed_runner *runner, double seconds, hed_config *config, hed_trial *trial)
{
    const hed_pipeline_def *pipeline = ((pipeline_tuning *)runner)->pipeline;
    *trial = (hed_trial){.outcome = HED_OUTCOME_MEASURED, .error = NAN};
    return pipeline->built(pipeline->user, seconds, config);
}

/* The runner has no output(), nor destroy(), as it is not on the heap. */
static const hed_runner_kind pipeline_kind = {.build_ahead = pipeline_build_ahead,
    .built = pipeline_built,
    .prepare = pipeline_prepare,
    .time = time_runs};

/* ---- the space ---- */

static hed_config default_of(const hed_pipeline_def *pipeline)
{
    hed_config config = {.count = pipeline->parameter_count};
    for (uint32_t i = 0; i < config.count; i++) config.values[i] = pipeline->parameters[i].value;
    return config;
}

static hed_status pipeline_check(
    const hed_pipeline_def *pipeline, const hed_problem *problem, hed_error *error)
{
    uint32_t sizes = problem ? problem->count : 0;
    if (!pipeline->name) return hed_fail(error, HED_ERROR_ARGUMENT, "pipeline has no name");
    if (pipeline->parameter_count > HED_MAX_PARAMETERS ||
        pipeline->dimension_count > HED_MAX_DIMENSIONS)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "pipeline %s: %u parameters, %u dimensions; expected at most %d, %d", pipeline->name,
            pipeline->parameter_count, pipeline->dimension_count, HED_MAX_PARAMETERS,
            HED_MAX_DIMENSIONS);
    if (pipeline->builders && (!pipeline->build_ahead || !pipeline->built))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "pipeline %s: %u builders without build_ahead() and built()", pipeline->name,
            pipeline->builders);
    if (sizes != pipeline->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "pipeline %s: problem has %u sizes; expected %u",
            pipeline->name, sizes, pipeline->dimension_count);
    return HED_OK;
}

/* Creates the space. As in kernels, constraints may name the problem's sizes and the device's
 * limits. */
static hed_status create_space(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_space **space, hed_error *error)
{
    hed_constant constants[HED_DEVICE_CONSTANTS + HED_MAX_DIMENSIONS];
    hed_allocator allocator = hed_context_describe(hed_device_context(device)).allocator;
    uint32_t count = hed_device_constants(&device->info, constants);
    for (uint32_t i = 0; i < pipeline->dimension_count; i++)
        constants[count++] = (hed_constant){pipeline->dimensions[i], (double)problem->sizes[i]};
    hed_space_def def = {.allocator = &allocator,
        .parameters = pipeline->parameters,
        .parameter_count = pipeline->parameter_count,
        .constraints = pipeline->constraints,
        .constraint_count = pipeline->constraint_count,
        .conditions = pipeline->conditions,
        .condition_count = pipeline->condition_count,
        .constants = constants,
        .constant_count = count};
    hed_status status = hed_space_create(&def, space, error);
    if (status || hed_space_count(*space) > 0) return status;
    hed_space_destroy(*space);
    *space = NULL;
    return hed_fail(error, HED_ERROR_UNSUPPORTED,
        "pipeline %s: its constraints leave no configuration on %s", pipeline->name,
        hed_device_describe(device).id);
}

/* ---- tuning ---- */

static hed_status pipeline_set_up(pipeline_tuning *p, hed_error *error)
{
    hed_tuning *t = &p->tuning;
    const hed_pipeline_def *pipeline = p->pipeline;
    const hed_problem unsized = {0}, *problem = p->def.problem ? p->def.problem : &unsized;
    if (p->def.objective == HED_OBJECTIVE_ENERGY)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "pipeline %s: energy is measured for kernels only: give joules as a metric",
            pipeline->name);
    if (pipeline_check(pipeline, p->def.problem, error) ||
        create_space(t->device, pipeline, problem, &p->space, error))
        return error->status;
    t->space = p->space;
    t->default_config = default_of(pipeline);
    t->has_default = hed_space_find(p->space, &t->default_config) != UINT64_MAX;
    t->runner = &p->runner;
    t->builders = pipeline->builders;
    t->result->problem = *problem;
    t->result->work = pipeline->work;
    t->result->reference = pipeline->check ? p->def.reference : HED_REFERENCE_NONE;
    t->result->in_process = true;
    t->result->in_process_reason = "a pipeline is the program's own code";
    hed_tune_key_of_pipeline(t->device, pipeline, problem, p->def.objective, &t->key);
    return HED_OK;
}

hed_status hed_tune_pipeline(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, pipeline, result);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    pipeline_tuning p = {.runner = {.kind = &pipeline_kind},
        .def = def ? *def : hed_default_tune_def(),
        .pipeline = pipeline,
        .prepared = HED_NO_SLOT};
    p.tuning.device = device;
    p.tuning.def = &p.def;
    *result = NULL;
    if (!hed_tuning_open(&p.tuning, error) && !pipeline_set_up(&p, error)) {
        hed_tuning_find_limits(&p.tuning);
        hed_tuning_run(&p.tuning, result, error);
    }
    hed_tuning_close(&p.tuning);
    hed_space_destroy(p.space);
    return error->status;
}

/* ---- stored choices ---- */

/* Finds the database's best choice that is a point of the space. */
static bool find_choice(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_objective objective, const hed_space *space, hed_config *config,
    hed_config_origin *configured)
{
    hed_tune_key key;
    bool has_choice = false;
    hed_tune_key_of_pipeline(device, pipeline, problem, objective, &key);
    hed_choices *choices = hed_choices_load(hed_device_context(device), &key);
    for (uint32_t rank = 0;
         choices && !has_choice && hed_choices_find(choices, problem, rank, config, configured);
         rank++)
        has_choice = hed_space_find(space, config) != UINT64_MAX;
    hed_choices_free(choices);
    return has_choice;
}

hed_status hed_pipeline_resolve(hed_device *device, const hed_pipeline_def *pipeline,
    const hed_problem *problem, hed_config *config, hed_config_origin *configured, hed_error *error)
{
    HED_REQUIRE(device, pipeline, config);
    const hed_problem unsized = {0}, *sizes = problem ? problem : &unsized;
    hed_space *space = NULL;
    hed_config_origin from = HED_ORIGIN_DEFAULT;
    hed_status status = pipeline_check(pipeline, problem, error);
    if (status || (status = create_space(device, pipeline, sizes, &space, error))) return status;
    if (!find_choice(device, pipeline, sizes, HED_OBJECTIVE_TIME, space, config, &from) &&
        !find_choice(device, pipeline, sizes, HED_OBJECTIVE_METRIC, space, config, &from)) {
        from = HED_ORIGIN_DEFAULT;
        *config = default_of(pipeline);
        if (hed_space_find(space, config) == UINT64_MAX) *config = hed_space_at(space, 0);
    }
    if (configured) *configured = from;
    hed_space_destroy(space);
    return HED_OK;
}
