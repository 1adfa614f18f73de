/* Tuning a kernel: chooses the problem, makes arguments and expected outputs, opens a runner, and
 * lets the loop go. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "core/backend.h"
#include "tune/tune_inputs.h"
#include "tune/tuning.h"

/* seconds; over the default configuration's time */
static const double default_timeout = 10, timeout_factor = 20;

typedef struct kernel_tuning {
    hed_tuning tuning;
    hed_tune_def def; /* settled */
    const hed_kernel_def *kernel;
    hed_problem problem;
    double default_seconds; /* of the default configuration, as far as it is known; 0: not yet */
    hed_space *space;
    hed_inputs inputs;
} kernel_tuning;

/* ---- what is asked for ---- */

static hed_status check(const hed_kernel_def *kernel, const hed_tune_def *def, hed_error *error)
{
    if (def->objective == HED_OBJECTIVE_METRIC)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a kernel has no metric of its own: tune a pipeline", kernel->name);
    if (!kernel->geometry)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s has no geometry(), so nothing says how to launch a configuration", kernel->name);
    if (def->arguments && !def->problem && kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: arguments are given, but not the problem that they belong to", kernel->name);
    if (def->problem && def->problem->count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: a problem of %u sizes for %u dimensions",
            kernel->name, def->problem->count, kernel->dimension_count);
    if (!def->problem && kernel->sample.benchmark.count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s describes no benchmark problem: give hed_tune_def.problem", kernel->name);
    if (def->reference == HED_REFERENCE_KERNEL && !def->reference_kernel)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: results are to be compared with another kernel's, but none is given",
            kernel->name);
    if (def->reference_kernel && def->reference_kernel->argument_count != kernel->argument_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: reference kernel %s has %u arguments instead of %u", kernel->name,
            def->reference_kernel->name, def->reference_kernel->argument_count,
            kernel->argument_count);
    if (def->reference_kernel && def->reference_kernel->dimension_count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: reference kernel %s has %u dimensions instead of %u", kernel->name,
            def->reference_kernel->name, def->reference_kernel->dimension_count,
            kernel->dimension_count);
    return HED_OK;
}

/* ---- runners ---- */

/* Opens a runner where candidates are to run, and says why where that is this process. */
static hed_status open_runner(
    kernel_tuning *k, const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    hed_tune_result *r = k->tuning.result;
    hed_error why;
    hed_logger logger = hed_context_logger(hed_device_context(k->tuning.device));
    hed_status status = HED_ERROR_UNSUPPORTED;
    r->in_process = true;
    if (k->def.isolation == HED_ISOLATION_NONE) {
        r->in_process_reason = "asked for";
    } else if (!def->device->backend->build && k->def.isolation == HED_ISOLATION_AUTO) {
        r->in_process_reason = "native functions are the program's own code";
    } else {
        status = hed_runner_create_worker(def, runner, &why);
        r->in_process = status != HED_OK;
        if (!status) return HED_OK;
        bool fall_back = k->def.isolation == HED_ISOLATION_AUTO &&
                         (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_IO);
        if (!fall_back) {
            if (error) *error = why;
            return status;
        }
        r->in_process_reason = status == HED_ERROR_IO ? "the worker program does not start"
                                                      : "the kernel cannot leave the process";
        hed_log_message(&logger, HED_LOG_WARNING, "%s: candidates run in this process: %s",
            k->kernel->name, why.text);
    }
    return hed_runner_create_local(def, runner, error);
}

static bool stop_asked(void *user)
{
    kernel_tuning *k = user;
    return hed_tuning_stop(&k->tuning);
}

static hed_runner_def runner_def(
    kernel_tuning *k, const hed_problem *problem, const hed_inputs *inputs)
{
    bool given = k->def.timeout_seconds > 0;
    double usual =
        fmax(default_timeout, k->default_seconds > 0 ? timeout_factor * k->default_seconds : 0);
    return (hed_runner_def){
        .device = k->tuning.device, .kernel = k->kernel, .math = k->def.math,
        .defines = k->def.defines, .define_count = k->def.define_count, .problem = problem,
        .arguments = inputs->arguments, .objective = k->def.objective,
        .cold_cache = k->def.cold_cache, .timeout_seconds = given ? k->def.timeout_seconds : usual,
        .compile_seconds = !given && k->tuning.device->compiles_at_launch ? HED_BUILD_SECONDS : 0,
        .builders = k->def.builders, .floor_seconds = k->tuning.floor_seconds, .idle = stop_asked,
        .user = k,
    };
}

/* The description's default where it is valid (`is_default`, nullable), else the first valid
 * configuration. Errors: UNSUPPORTED: there is none. */
static hed_status usual_config(hed_device *device, const hed_kernel_def *kernel,
    const hed_problem *problem, hed_math math, hed_config *config, bool *is_default,
    hed_error *error)
{
    char reason[256];
    hed_space *space = NULL;
    *config = hed_config_default(kernel);
    bool valid = hed_kernel_valid(kernel, config, problem, device, math, reason, sizeof reason);
    if (is_default) *is_default = valid;
    if (valid) return HED_OK;
    hed_status status = hed_space_create_for_kernel(device, kernel, problem, math, &space, error);
    if (status) return status;
    if (hed_space_count(space) > 0) *config = hed_space_at(space, 0);
    else
        status = hed_fail(error, HED_ERROR_UNSUPPORTED,
            "no configuration of %s is valid here; the default is not: %s", kernel->name, reason);
    hed_space_destroy(space);
    return status;
}

/* ---- the problem ---- */

/* bytes and operations of the first run: milliseconds on anything */
enum { SMALL_EFFORT = 1 << 27 };

static const double long_run =
    25e-3; /* seconds of the default configuration: larger problems take too long to tune */

static hed_problem halved(const hed_problem *problem, uint32_t times)
{
    hed_problem smaller = *problem;
    for (uint32_t i = 0; i < smaller.count; i++) {
        smaller.sizes[i] >>= times;
        if (smaller.sizes[i] < 1) smaller.sizes[i] = 1;
    }
    return smaller;
}

static double effort(
    const hed_kernel_def *kernel, const hed_config *config, const hed_problem *problem)
{
    hed_work work = {0};
    double product = 1;
    if (kernel->work) kernel->work(kernel, config, problem, &work);
    for (uint32_t i = 0; i < problem->count; i++) product *= (double)problem->sizes[i];
    return fmax(1, kernel->work ? work.bytes + work.operations : product);
}

/* Time of the default configuration for one problem; NAN where it fails there. */
static hed_status time_default(kernel_tuning *k, const hed_problem *problem,
    const hed_config *config, double *seconds, hed_error *error)
{
    enum { RUNS = 3 };
    double values[RUNS];
    hed_trial trial = {0};
    hed_inputs inputs = {0};
    hed_runner *runner = NULL;
    hed_inputs_for what = {
        .kernel = k->kernel, .problem = problem, .config = config, .seed = k->def.seed};
    *seconds = NAN;
    hed_status status = hed_inputs_create(&inputs, &k->tuning.allocator, &what, NULL, error);
    hed_runner_def def = runner_def(k, problem, &inputs);
    def.objective = HED_OBJECTIVE_TIME;
    if (!status) status = open_runner(k, &def, &runner, error);
    if (!status) status = hed_runner_prepare(runner, 0, config, &trial, error);
    if (!status && !trial.outcome) status = hed_runner_time(runner, 0, RUNS, values, &trial, error);
    for (uint32_t i = 0; i < RUNS && !status && !trial.outcome; i++)
        if (values[i] > 0) *seconds = fmin(*seconds, values[i]);
    hed_runner_destroy(runner);
    hed_inputs_free(&inputs);
    return status;
}

enum { MOST_HALVINGS = 62 };

/* The benchmark problem, halved in all sizes until the default configuration takes it milliseconds.
 * A small one is timed first, and how long a larger one takes is foretold from their work; that is
 * then tried, unless it leaves much room. `*halvings` is MOST_HALVINGS + 1 where the default fails:
 * that is the tuning's to report. */
static hed_status find_problem(kernel_tuning *k, uint32_t *halvings, hed_error *error)
{
    enum { TRIES = 4, ROOM = 8 };
    const hed_problem *whole = &k->kernel->sample.benchmark;
    double efforts[MOST_HALVINGS + 1];
    uint32_t now = 0;
    *halvings = MOST_HALVINGS + 1;
    hed_config config = hed_config_default(k->kernel);
    for (uint32_t i = 0; i <= MOST_HALVINGS; i++) {
        hed_problem smaller = halved(whole, i);
        efforts[i] = effort(k->kernel, &config, &smaller);
    }
    while (now < MOST_HALVINGS && efforts[now] > SMALL_EFFORT) now++;
    hed_problem small = halved(whole, now);
    hed_status status =
        usual_config(k->tuning.device, k->kernel, &small, k->def.math, &config, NULL, error);
    if (status) return status;
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        double seconds;
        uint32_t next = MOST_HALVINGS;
        k->problem = halved(whole, now);
        status = time_default(k, &k->problem, &config, &seconds, error);
        if (status || !(seconds > 0)) return status;
        while (next > 0 && seconds * efforts[next - 1] / efforts[now] <= long_run) next--;
        k->problem = halved(whole, next);
        k->default_seconds = seconds * efforts[next] / efforts[now];
        *halvings = next;
        if (next >= now || k->default_seconds * ROOM <= long_run) return HED_OK;
        now = next;
    }
    return HED_OK;
}

/* What was found once is kept: another size is another key, under which nothing would be known
 * yet. */
static hed_status choose_problem(kernel_tuning *k, hed_error *error)
{
    char name[128];
    double kept;
    uint32_t halvings;
    hed_error lost;
    hed_device *device = k->tuning.device;
    const hed_device_info *info = hed_device_get_info(device);
    hed_logger logger = hed_context_logger(hed_device_context(device));
    hed_database *database =
        k->def.database ? k->def.database : hed_context_database(hed_device_context(device));
    snprintf(name, sizeof name, "halvings of %s", k->kernel->name);
    if (database && hed_database_get_fact(database, info, name, &kept) && kept >= 0 &&
        kept <= MOST_HALVINGS) {
        k->problem = halved(&k->kernel->sample.benchmark, (uint32_t)kept);
        return HED_OK;
    }
    hed_status status = find_problem(k, &halvings, error);
    if (!status && database && k->def.keep && halvings <= MOST_HALVINGS &&
        hed_database_put_fact(database, info, name, halvings, &lost))
        hed_log_message(
            &logger, HED_LOG_WARNING, "%s: the size is not kept: %s", k->kernel->name, lost.text);
    return status;
}

/* ---- what results are compared with ---- */

static hed_device *host_of(hed_device *device)
{
    hed_device *host = NULL;
    return hed_device_find(hed_device_context(device), "host", &host, NULL) ? NULL : host;
}

/* Runs one configuration of a kernel on a device, and takes its outputs as right. */
static hed_status expect_from(
    kernel_tuning *k, hed_device *device, const hed_kernel_def *kernel, hed_error *error)
{
    hed_config config;
    hed_geometry geometry = {0};
    hed_trial trial = {0};
    hed_runner *runner = NULL;
    bool native = device != k->tuning.device;
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    def.device = device;
    def.kernel = kernel;
    def.objective = HED_OBJECTIVE_TIME;
    def.builders = 1;
    if (native) def.timeout_seconds = 0; /* the program's own code is waited for */
    hed_status status =
        usual_config(device, kernel, &k->problem, k->def.math, &config, NULL, error);
    if (!status)
        status = native ? hed_runner_create_local(&def, &runner, error)
                        : open_runner(k, &def, &runner, error);
    if (!status) status = hed_runner_prepare(runner, 0, &config, &trial, error);
    if (!status && kernel->geometry) kernel->geometry(kernel, &config, &k->problem, &geometry);
    if (!status && !trial.outcome)
        status = hed_inputs_expect(&k->inputs, runner, &geometry, &trial, error);
    if (!status && trial.outcome)
        status = hed_fail(error,
            trial.outcome == HED_OUTCOME_BUILD ? HED_ERROR_BUILD : HED_ERROR_DRIVER,
            "%s on %s, which results are to be compared with, does not work (%s: %s): give expected outputs, "
            "another reference, or none",
            kernel->name, hed_device_get_info(device)->id, hed_outcome_name(trial.outcome),
            trial.text);
    hed_runner_destroy(runner);
    return status;
}

static hed_status make_expected(kernel_tuning *k, hed_error *error)
{
    hed_reference *reference = &k->tuning.result->reference;
    hed_device *device = k->tuning.device, *host = host_of(device);
    bool native = host && (k->kernel->range || k->kernel->team);
    *reference = k->def.reference;
    if (*reference == HED_REFERENCE_NATIVE && !native) *reference = HED_REFERENCE_DEFAULT;
    if (*reference == HED_REFERENCE_NONE || !hed_inputs_lack(&k->inputs)) return HED_OK;
    switch (*reference) {
    case HED_REFERENCE_NATIVE: return expect_from(k, host, k->kernel, error);
    case HED_REFERENCE_KERNEL: return expect_from(k, device, k->def.reference_kernel, error);
    default: return expect_from(k, device, k->kernel, error);
    }
}

/* ---- from the beginning to the end ---- */

static hed_status set_up(kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    const hed_kernel_def *kernel = k->kernel;
    hed_status status = HED_OK;
    if (k->def.problem) k->problem = *k->def.problem;
    else if (kernel->dimension_count) status = choose_problem(k, error);
    t->result->problem = k->problem;
    if (!status)
        status = usual_config(t->device, kernel, &k->problem, k->def.math, &t->default_config,
            &t->has_default, error);
    if (!status)
        status = hed_space_create_for_kernel(
            t->device, kernel, &k->problem, k->def.math, &k->space, error);
    if (status) return status;
    t->space = k->space;
    hed_inputs_for what = {.kernel = kernel, .problem = &k->problem, .math = k->def.math,
        .space = k->space, .seed = k->def.seed};
    status = hed_inputs_create(&k->inputs, &t->allocator, &what, k->def.arguments, error);
    if (status) return status;
    if (kernel->work) kernel->work(kernel, &t->default_config, &k->problem, &t->result->work);
    hed_tuning_find_limits(t);
    return make_expected(k, error);
}

static hed_status open_tuning(kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    uint32_t builders = k->def.builders ? k->def.builders : hed_processor_count();
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    hed_status status = open_runner(k, &def, &t->runner, error);
    if (status) return status;
    t->result->device_time = hed_runner_device_time(t->runner);
    t->builders = t->result->in_process ? 0 : builders;
    t->quiet = hed_device_get_info(t->device)->type == HED_DEVICE_CPU;
    hed_tune_key_of_kernel(t->device, k->kernel, k->def.math, k->def.defines, k->def.define_count,
        &k->problem, k->def.objective, &t->key);
    return HED_OK;
}

hed_status hed_tune_kernel(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error)
{
    kernel_tuning k = {.def = hed_tune_settled(def), .kernel = kernel};
    k.tuning.device = device;
    k.tuning.def = &k.def;
    *result = NULL;
    hed_status status = check(kernel, &k.def, error);
    if (status) return status;
    status = hed_tuning_open(&k.tuning, error);
    if (!status) status = set_up(&k, error);
    if (!status) status = open_tuning(&k, error);
    if (k.tuning.stopped) status = HED_OK; /* what was given up for that is no failure */
    if (!status) status = hed_tuning_run(&k.tuning, result, error);
    hed_tuning_close(&k.tuning);
    hed_runner_destroy(k.tuning.runner);
    hed_inputs_free(&k.inputs);
    hed_space_destroy(k.space);
    return status;
}
