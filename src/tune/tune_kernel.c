/* Tuning of a kernel: chooses the problem, opens a runner, computes expected outputs, and starts the
 * loop. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "core/program.h"
#include "measure/check.h"
#include "workers/remote_device.h"
#include "measure/runners.h"
#include "tune/tune_inputs.h"
#include "tune/tuning_state.h"

/* ---- the tuning ---- */

/* Limits of a run, s: while no configuration has worked; that of a page or of this process, which
 * cannot be ended without a loss; the least afterwards, and if the driver compiles in the run. */
static const double first_timeout = 120, outer_timeout = 10, least_timeout = 5,
                    least_compiling_timeout = 10;

typedef struct kernel_tuning {
    hed_tuning tuning;
    hed_tune_def def; /* the caller's, defaults filled in */
    const hed_kernel_def *kernel;
    hed_problem problem;
    hed_kernel_def described[2]; /* descriptions passed to a runner of the caller */
    uint32_t described_count;
    double first_seconds; /* first run of the reference on the device, s; 0: unknown */
    bool is_expecting;    /* the reference runs */
    hed_space *space;
    hed_tune_inputs inputs;
} kernel_tuning;

/* ---- checks of the definition ---- */

static hed_status kernel_tuning_check(
    hed_device *device, const hed_kernel_def *kernel, const hed_tune_def *def, hed_error *error)
{
    if ((def->objective == HED_OBJECTIVE_METRIC) != (def->metric != NULL))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: hed_tune_def.metric is %s; expected one if the objective is a metric, else none",
            kernel->name, def->metric ? def->metric->name : "not set");
    if (def->metric && def->metric->uses_energy)
        return hed_fail(error, HED_ERROR_UNSUPPORTED,
            "%s: metric %s uses the energy; expected one of the time alone as the objective, or time and energy",
            kernel->name, def->metric->name);
    if (def->two_objectives && def->objective == HED_OBJECTIVE_METRIC)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: a metric is minimized; expected time or energy to measure both", kernel->name);
    if (def->open_runner && def->isolation != HED_ISOLATION_AUTO)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: a runner of the caller excludes isolation",
            kernel->name);
    if (def->other_device_count && (def->open_runner || def->isolation == HED_ISOLATION_NONE))
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: on several devices candidates run in worker processes alone", kernel->name);
    if (def->other_device_count >= HED_TUNE_DEVICES)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: %u devices; expected at most %d at once",
            kernel->name, def->other_device_count + 1, HED_TUNE_DEVICES);
    if (!kernel->geometry)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s has no geometry(), which defines the launch of a configuration", kernel->name);
    if (def->arguments && !def->problem && kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: arguments are given, but not the problem that they belong to", kernel->name);
    if (def->problem && def->problem->count != kernel->dimension_count)
        return hed_fail(error, HED_ERROR_ARGUMENT, "%s: problem has %u sizes; expected %u",
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
    /* a remote device refuses when its runner opens, and a runner of the caller has its own meter */
    hed_energy *energy = NULL;
    bool is_energy = def->two_objectives || def->objective == HED_OBJECTIVE_ENERGY;
    if (is_energy && !def->open_runner && !hed_device_is_remote(device))
        hed_energy_open(device, NULL, &energy, error);
    hed_energy_close(energy);
    return error->status;
}

/* ---- runners ---- */

/* Opens the runner of the candidates, and logs the reason if it is in this process. */
static hed_status kernel_tuning_open_runner(
    kernel_tuning *k, const hed_runner_def *def, hed_runner **runner, hed_error *error)
{
    hed_tune_result *r = k->tuning.result;
    hed_error cause = {0};
    hed_logger logger = hed_context_describe(hed_device_context(k->tuning.device)).logger;
    hed_status status = HED_ERROR_UNSUPPORTED;
    r->in_process = false;
    if (k->def.open_runner && def->device == k->tuning.device) {
        /* description with the source text for its device; one entry for a reference's runner, one
         * for the tuning's */
        hed_kernel_def *described = &k->described[k->described_count++ % HED_COUNT(k->described)];
        const hed_kernel_text text = hed_kernel_text_for(def->device, def->kernel);
        hed_runner_def text_def = *def;
        *described = *def->kernel;
        described->language = text.language;
        described->entry = text.entry;
        described->sources = text.sources;
        described->source_count = text.source_count;
        text_def.kernel = described;
        return k->def.open_runner(k->def.runner_user, &text_def, runner, error);
    }
    r->in_process = true;
    if (k->def.isolation == HED_ISOLATION_NONE) {
        r->in_process_reason = "asked for";
    } else if (!def->device->backend->build && k->def.isolation == HED_ISOLATION_AUTO) {
        r->in_process_reason = "native functions are the program's own code";
    } else {
        status = hed_runner_create_worker(def, runner, &cause);
        r->in_process = status != HED_OK;
        if (status == HED_OK) return HED_OK;
        bool fall_back = k->def.isolation == HED_ISOLATION_AUTO &&
                         (status == HED_ERROR_UNSUPPORTED || status == HED_ERROR_IO);
        if (!fall_back) {
            *error = cause;
            return status;
        }
        r->in_process_reason = status == HED_ERROR_IO ? "the worker program does not start"
                                                      : "the kernel cannot leave the process";
        hed_log_message(&logger, HED_LOG_WARNING, "%s: candidates run in this process: %s",
            k->kernel->name, cause.text);
    }
    return hed_runner_create_local(def, runner, error);
}

static bool kernel_tuning_stop_asked(void *user)
{
    kernel_tuning *k = user;
    /* the runner of the reference waits: builders of the tuning's go on to their next steps */
    if (k->is_expecting && k->tuning.runner) hed_tuning_collect(&k->tuning, 0);
    return hed_tuning_stop(&k->tuning);
}

/* Sets the time limits of a run: the caller's, a multiple of the reference's first run, or a long
 * one that the runner shortens after the first candidate that works. */
static void limit_runs(const kernel_tuning *k, hed_runner_def *def)
{
    bool compiles = k->tuning.device->compiles_at_launch;
    double minimum = k->def.open_runner ? outer_timeout
                     : compiles         ? least_compiling_timeout
                                        : least_timeout,
           limit = k->def.limit_seconds;
    if (k->def.timeout_seconds > 0) {
        def->timeout_seconds = k->def.timeout_seconds;
        def->compile_seconds = compiles ? least_compiling_timeout : 0;
    } else if (k->first_seconds > 0 || k->def.open_runner) {
        def->timeout_seconds = hed_run_limit(k->first_seconds, minimum);
    } else {
        def->timeout_seconds =
            limit > 0 ? fmin(first_timeout, fmax(outer_timeout, limit)) : first_timeout;
        def->least_timeout_seconds = minimum;
    }
}

static hed_runner_def runner_def(
    kernel_tuning *k, const hed_problem *problem, const hed_tune_inputs *inputs)
{
    hed_runner_def def = {
        .device = k->tuning.device,
        .kernel = k->kernel,
        .math = k->def.math,
        .defines = k->def.defines,
        .define_count = k->def.define_count,
        .problem = problem,
        .arguments = inputs->arguments,
        .objective = k->def.objective,
        .cold_cache = k->def.cold_cache,
        .builders = k->def.builders,
        .floor_seconds = k->tuning.floor_seconds,
        .idle = kernel_tuning_stop_asked,
        .user = k,
    };
    limit_runs(k, &def);
    return def;
}

enum { REASON = 256 };

/* The description's default if it is valid (`is_default`), else the first valid configuration;
 * `reason` (REASON) then has the cause. Errors: UNSUPPORTED: no configuration is valid. */
static hed_status usual_config(hed_device *device, const hed_kernel_def *kernel,
    const hed_problem *problem, hed_math math, hed_config *config, bool *is_default, char *reason,
    hed_error *error)
{
    hed_space *space = NULL;
    *config = hed_config_default(kernel);
    *is_default = hed_kernel_valid(kernel, config, problem, device, math, reason, REASON);
    if (*is_default) return HED_OK;
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

/* bytes plus operations of the first run: milliseconds on any device */
enum { SMALL_EFFORT = 1 << 27 };

static const double long_run =
    25e-3; /* s, of the default configuration: larger problems take too long to tune */

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

/* Time of the default configuration for a problem, s; NAN if it fails. */
static hed_status time_default(kernel_tuning *k, const hed_problem *problem,
    const hed_config *config, double *seconds, hed_error *error)
{
    enum { RUNS = 3 };
    double values[RUNS];
    hed_trial trial = {0};
    hed_tune_inputs inputs = {0};
    hed_runner *runner = NULL;
    hed_tune_inputs_source source = {
        .kernel = k->kernel, .problem = problem, .config = config, .seed = k->def.seed};
    *seconds = NAN;
    hed_tune_inputs_create(&inputs, &k->tuning.allocator, &source, NULL, error);
    hed_runner_def def = runner_def(k, problem, &inputs);
    def.objective = HED_OBJECTIVE_TIME;
    if (!hed_failed(error) && !kernel_tuning_open_runner(k, &def, &runner, error) &&
        !runner->kind->prepare(runner, 0, config, &trial, error) && !trial.outcome &&
        !runner->kind->time(runner, 0, RUNS, values, &trial, error) && !trial.outcome)
        for (uint32_t i = 0; i < RUNS; i++)
            if (values[i] > 0) *seconds = fmin(*seconds, values[i]);
    hed_runner_destroy(runner);
    hed_tune_inputs_free(&inputs);
    return error->status;
}

enum { MOST_HALVINGS = 62 };

/* Halves all sizes of the benchmark problem until the default configuration takes milliseconds.
 * Times a small problem and predicts the times of larger ones from their work; then times the
 * predicted problem, and repeats if it is far from the limit. `*halvings` is MOST_HALVINGS + 1 if
 * the default fails, which the tuning itself reports. */
static hed_status find_problem(kernel_tuning *k, uint32_t *halvings, hed_error *error)
{
    enum { TRIES = 4, ROOM = 8 };
    const hed_problem *whole = &k->kernel->sample.benchmark;
    double efforts[MOST_HALVINGS + 1];
    uint32_t halving = 0;
    *halvings = MOST_HALVINGS + 1;
    hed_config config = hed_config_default(k->kernel);
    for (uint32_t i = 0; i <= MOST_HALVINGS; i++) {
        hed_problem smaller = halved(whole, i);
        efforts[i] = effort(k->kernel, &config, &smaller);
    }
    while (halving < MOST_HALVINGS && efforts[halving] > SMALL_EFFORT) halving++;
    hed_problem small = halved(whole, halving);
    bool is_default;
    char reason[REASON];
    hed_status status = usual_config(
        k->tuning.device, k->kernel, &small, k->def.math, &config, &is_default, reason, error);
    if (status) return status;
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        double seconds;
        uint32_t next = MOST_HALVINGS;
        k->problem = halved(whole, halving);
        status = time_default(k, &k->problem, &config, &seconds, error);
        if (status || !(seconds > 0)) return status;
        while (next > 0 && seconds * efforts[next - 1] / efforts[halving] <= long_run) next--;
        k->problem = halved(whole, next);
        *halvings = next;
        if (next >= halving || seconds * efforts[next] / efforts[halving] * ROOM <= long_run)
            return HED_OK;
        halving = next;
    }
    return HED_OK;
}

/* Chooses the problem. The size is stored once found: another size would be another key, without
 * any history. */
static hed_status choose_problem(kernel_tuning *k, hed_error *error)
{
    double stored_halvings;
    uint32_t halvings;
    hed_error failure = {0};
    hed_device *device = k->tuning.device;
    const hed_device_info info = hed_device_describe(device);
    hed_logger logger = hed_context_describe(hed_device_context(device)).logger;
    hed_database *database =
        k->def.database ? k->def.database : hed_context_database(hed_device_context(device));
    hed_text name = {.allocator = hed_allocator_of(device)};
    hed_text_add(&name, "halvings of %s", k->kernel->name);
    if (name.failed) HED_OUT_OF_MEMORY(error, "the size of %s", k->kernel->name);
    else if (database && hed_database_get_fact(database, &info, name.bytes, &stored_halvings) &&
             stored_halvings >= 0 && stored_halvings <= MOST_HALVINGS)
        k->problem = halved(&k->kernel->sample.benchmark, (uint32_t)stored_halvings);
    else if (!find_problem(k, &halvings, error) && database && k->def.keep &&
             halvings <= MOST_HALVINGS &&
             hed_database_put_fact(database, &info, name.bytes, halvings, &failure))
        hed_log_message(&logger, HED_LOG_WARNING, "%s: the size is not kept: %s", k->kernel->name,
            failure.text);
    hed_text_free(&name);
    return error->status;
}

/* ---- the reference ---- */

/* Reports a failed reference, the message of the compiler or driver first. A kernel that does not
 * compile or does not match its description is the user's to fix; otherwise results may be
 * supplied. `failure_count`: number of other configurations that failed as well. */
static void expect_failed(const hed_kernel_def *kernel, const hed_device *device,
    const hed_config *config, const hed_trial *trial, uint32_t failure_count, hed_error *error)
{
    char words[256], addition[64] = "";
    bool build = trial->outcome == HED_OUTCOME_BUILD, launch = trial->outcome == HED_OUTCOME_LAUNCH;
    hed_config_format(kernel, config, words, sizeof words);
    if (failure_count)
        snprintf(addition, sizeof addition, ", and %u other%s failed too", failure_count, failure_count == 1 ? "" : "s");
    hed_fail(error, build ? HED_ERROR_BUILD : HED_ERROR_DRIVER,
        "%s on %s: %s (%s, in the default configuration %s, with which results are compared%s)%s",
        kernel->name, hed_device_describe(device).id, trial->text, hed_outcome_name(trial->outcome),
        words, addition, build || launch ? "" : ". Give expected outputs, another reference, or none");
}

/* A reference in the making. */
typedef struct reference_run {
    hed_device *device;
    const hed_kernel_def *kernel;
    hed_runner *runner;
    bool native; /* C functions, on the host */
} reference_run;

/* Runs a configuration and takes its outputs as the expected ones. `trial`: its own failure. */
static hed_status expect_config(kernel_tuning *k, const reference_run *run,
    const hed_config *config, hed_trial *trial, hed_error *error)
{
    hed_geometry geometry = {0};
    double started = hed_tuning_elapsed(&k->tuning);
    *trial = (hed_trial){0};
    if (run->runner->kind->prepare(run->runner, 0, config, trial, error) || trial->outcome)
        return error->status;
    double first = hed_tuning_elapsed(&k->tuning) - started - trial->build_seconds;
    if (run->device == k->tuning.device) k->first_seconds = fmax(first, k->first_seconds);
    if (run->kernel->geometry) run->kernel->geometry(run->kernel, config, &k->problem, &geometry);
    hed_tune_inputs_expect(&k->inputs, run->runner, run->native, &geometry, trial, error);
    if (trial->outcome) hed_tune_inputs_unexpect(&k->inputs);
    return error->status;
}

enum {
    REFERENCE_TRIES = 32, /* maximum number of configurations tried in the default's place */
    SAME_FAULTS = 6       /* this many alike are a fault of the text, not of configurations */
};

/* Configuration `number` of the space, in an order that is spread over all of it: by multiples of
 * the golden section, made coprime to the number of configurations. */
static hed_config spread_config(const hed_space *space, uint64_t number)
{
    uint64_t count = hed_space_count(space), step = (uint64_t)((double)count * 0.6180339887) | 1;
    for (;; step += 2) { /* greatest common divisor by Euclid */
        uint64_t a = count, b = step;
        while (b) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) break;
    }
    return hed_space_at(space, (uint64_t)((unsigned __int128)(number + 1) * step % count));
}

/* Notes the cause for which the default is not the reference, unless another one is noted. */
static void note_reason(hed_tune_result *result, hed_outcome outcome, const char *text)
{
    if (result->reference_reason[0]) return;
    snprintf(result->reference_reason, sizeof result->reference_reason, "%s: %.150s",
        hed_outcome_name(outcome), text);
}

/* Looks for another configuration that works, after the default failed as `fault` has it. `tried`:
 * number of configurations that failed. */
static hed_status expect_other(kernel_tuning *k, const reference_run *run, const hed_config *usual,
    hed_trial *fault, uint32_t *tried, hed_error *error)
{
    hed_tune_result *result = k->tuning.result;
    uint64_t count = hed_space_count(k->space);
    uint32_t alike = 1;
    for (uint64_t i = 0; i < count && i < REFERENCE_TRIES && alike < SAME_FAULTS; i++) {
        hed_trial trial;
        hed_config config = spread_config(k->space, i);
        if (hed_config_equal(&config, usual)) continue;
        bool is_late =
            k->def.limit_seconds > 0 && hed_tuning_elapsed(&k->tuning) >= k->def.limit_seconds;
        if (is_late || run->runner->lost || hed_tuning_stop(&k->tuning)) return HED_OK;
        if (expect_config(k, run, &config, &trial, error)) return error->status;
        if (!trial.outcome) {
            result->reference_config = config;
            note_reason(result, fault->outcome, fault->text);
            *fault = trial;
            return HED_OK;
        }
        alike += strcmp(trial.text, fault->text) == 0;
        ++*tried;
    }
    return HED_OK;
}

/* Ends the tuning if its own default, as the reference, took longer than its caller lets it. */
static hed_status refuse_slow(const kernel_tuning *k, const hed_config *config,
    const hed_trial *trial, const hed_runner_def *run, hed_error *error)
{
    char words[256];
    double limit = k->def.default_seconds,
           most_seconds = limit / 3; /* the reference runs several times */
    bool has_hung = trial->outcome == HED_OUTCOME_HUNG,
         is_slow = !trial->outcome && k->first_seconds > most_seconds + run->compile_seconds;
    if (!(limit > 0) || (!has_hung && !is_slow)) return HED_OK;
    hed_config_format(k->kernel, config, words, sizeof words);
    return hed_fail(error, HED_ERROR_TIMEOUT,
        "%s on %s takes over %g s in the default configuration %s", k->kernel->name,
        hed_device_describe(k->tuning.device).id, has_hung ? run->timeout_seconds : most_seconds,
        words);
}

/* Runs one configuration of a kernel on a device, the default if that works, and takes its outputs
 * as the expected ones. */
static hed_status expect_from(
    kernel_tuning *k, hed_device *device, const hed_kernel_def *kernel, hed_error *error)
{
    hed_config config;
    hed_trial trial = {0};
    uint32_t failure_count = 0;
    bool is_default;
    char reason[REASON];
    reference_run run = {.device = device, .kernel = kernel, .native = device != k->tuning.device};
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    def.device = device;
    def.kernel = kernel;
    def.objective = HED_OBJECTIVE_TIME;
    def.builders = 1;
    bool is_own = kernel == k->kernel && !run.native;
    if (run.native) def.timeout_seconds = 0; /* the program's own code has no time limit */
    if (is_own && k->def.default_seconds > 0) {
        def.timeout_seconds = fmin(def.timeout_seconds, k->def.default_seconds);
        if (k->tuning.device->compiles_at_launch) def.compile_seconds = least_compiling_timeout;
    }
    if (!usual_config(
            device, kernel, &k->problem, k->def.math, &config, &is_default, reason, error) &&
        !(run.native ? hed_runner_create_local(&def, &run.runner, error)
                     : kernel_tuning_open_runner(k, &def, &run.runner, error)) &&
        !expect_config(k, &run, &config, &trial, error)) {
        hed_tune_result *result = k->tuning.result;
        if (is_own) result->reference_config = config;
        if (is_own && !is_default) note_reason(result, HED_OUTCOME_INVALID, reason);
        if (is_own && !refuse_slow(k, &config, &trial, &def, error) && trial.outcome &&
            trial.outcome != HED_OUTCOME_DROPPED)
            expect_other(k, &run, &config, &trial, &failure_count, error);
    }
    if (!hed_failed(error) && trial.outcome)
        expect_failed(kernel, device, &config, &trial, failure_count, error);
    hed_runner_destroy(run.runner);
    return error->status;
}

/* Counts the expected elements. Without one that is compared every candidate would pass. */
static hed_status count_expected(kernel_tuning *k, hed_error *error)
{
    hed_tune_result *result = k->tuning.result;
    result->elements = hed_tune_inputs_elements(&k->inputs);
    result->unwritten = k->inputs.unwritten_count;
    result->unsteady = k->inputs.unsteady_count;
    k->tuning.is_unproven = k->inputs.is_unproven;
    if (!result->elements || result->unwritten + result->unsteady < result->elements) return HED_OK;
    if (result->unsteady)
        return hed_fail(error, HED_ERROR_ARGUMENT,
            "%s: results of the reference differ from run to run in each of the %llu elements that it writes, so there is nothing to compare; expected at least 1 equal element. If only their order differs, compare them as \"sorted\" or by their \"sum\"; else tune with no reference",
            k->kernel->name, (unsigned long long)result->unsteady);
    return hed_fail(error, HED_ERROR_ARGUMENT,
        "%s: the reference writes none of its %llu elements of output with these arguments, so there is nothing to compare; expected at least 1. Give other arguments, expected outputs, or no reference",
        k->kernel->name, (unsigned long long)result->elements);
}

static hed_status make_expected(kernel_tuning *k, hed_error *error)
{
    hed_reference *reference = &k->tuning.result->reference;
    hed_device *device = k->tuning.device, *host = NULL;
    if (hed_device_find(hed_device_context(device), "host", &host, NULL)) host = NULL;
    bool native = host && (k->kernel->range || k->kernel->team);
    *reference = k->def.reference;
    if (*reference == HED_REFERENCE_NATIVE && !native) *reference = HED_REFERENCE_DEFAULT;
    bool lacks = false; /* an output has no expected content */
    for (uint32_t i = 0; i < k->kernel->argument_count; i++)
        lacks = lacks || (hed_scratch_is_output(&k->kernel->arguments[i]) &&
                             !k->inputs.arguments[i].expected);
    if (*reference == HED_REFERENCE_NONE || !lacks) return HED_OK;
    switch (*reference) {
    case HED_REFERENCE_NATIVE: return expect_from(k, host, k->kernel, error);
    case HED_REFERENCE_KERNEL: return expect_from(k, device, k->def.reference_kernel, error);
    default: return expect_from(k, device, k->kernel, error);
    }
}

/* ---- the whole tuning ---- */

/* True if the tuning's runner spans devices, or one that may be lost and restarted, such as a remote one. */
static bool needs_fleet(const kernel_tuning *k)
{
    return k->def.other_device_count ||
           (!k->def.open_runner && hed_device_can_restart(k->tuning.device));
}

static void make_key(kernel_tuning *k)
{
    hed_tuning *t = &k->tuning;
    hed_tune_key_of_kernel(t->device, k->kernel, k->def.math, k->def.defines, k->def.define_count,
        &k->problem, k->def.objective, &t->key);
    if (k->def.metric) hed_tune_key_add(&t->key, k->def.metric);
}

/* Lets the builders begin with the first candidates, while the device's limits and the expected outputs
 * are not known yet. Where that fails, open_tuning() finds the cause. */
static hed_status begin_building(kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    if (k->def.open_runner || needs_fleet(k) || k->def.resume || !t->device->backend->build ||
        k->def.isolation == HED_ISOLATION_NONE ||
        hed_runner_create_builders(&def, &t->runner, &(hed_error){0}))
        return HED_OK;
    t->builders = t->runner->builders;
    t->quiet = hed_device_describe(t->device).type == HED_DEVICE_CPU;
    make_key(k);
    return hed_tuning_build_ahead(t, error);
}

static hed_status kernel_tuning_set_up(kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    const hed_kernel_def *kernel = k->kernel;
    char reason[REASON];
    if (k->def.problem) k->problem = *k->def.problem;
    else if (kernel->dimension_count && choose_problem(k, error)) return error->status;
    t->result->problem = k->problem;
    if (usual_config(t->device, kernel, &k->problem, k->def.math, &t->default_config,
            &t->has_default, reason, error) ||
        hed_space_create_for_kernel(t->device, kernel, &k->problem, k->def.math, &k->space, error))
        return error->status;
    t->space = k->space;
    hed_tune_inputs_source source = {.kernel = kernel,
        .problem = &k->problem,
        .math = k->def.math,
        .space = k->space,
        .seed = k->def.seed};
    if (hed_tune_inputs_create(&k->inputs, &t->allocator, &source, k->def.arguments, error) ||
        begin_building(k, error))
        return error->status;
    if (kernel->work) kernel->work(kernel, &t->default_config, &k->problem, &t->result->work);
    hed_tuning_find_limits(t);
    k->is_expecting = true;
    make_expected(k, error);
    k->is_expecting = false;
    return hed_failed(error) ? error->status : count_expected(k, error);
}

/* True if measurements of the two devices are comparable: they have one key. */
static bool same_kind(const hed_device *a, const hed_device *b)
{
    return strcmp(a->info.backend, b->info.backend) == 0 &&
           strcmp(a->info.name, b->info.name) == 0 && strcmp(a->info.driver, b->info.driver) == 0 &&
           a->info.architecture == b->info.architecture;
}

static hed_status open_fleet(kernel_tuning *k, const hed_runner_def *def, hed_error *error)
{
    hed_device *devices[HED_TUNE_DEVICES] = {k->tuning.device};
    const hed_device_info first = hed_device_describe(k->tuning.device);
    for (uint32_t i = 0; i < k->def.other_device_count && i + 1 < HED_TUNE_DEVICES; i++) {
        const hed_device_info device = hed_device_describe(k->def.other_devices[i]);
        devices[i + 1] = k->def.other_devices[i];
        if (!same_kind(k->tuning.device, k->def.other_devices[i]))
            return hed_fail(error, HED_ERROR_ARGUMENT,
                "%s: %s (%s, driver %s) and %s (%s, driver %s) are not of one kind; tune them separately",
                k->kernel->name, first.id, first.name, first.driver, device.id, device.name,
                device.driver);
    }
    k->tuning.result->in_process = false;
    k->tuning.warm = true; /* each device warms up in its own thread */
    static const hed_fleet_kind kind = {
        hed_runner_create_worker, hed_device_can_restart, hed_device_restart};
    if (!hed_fleet_create(
            def, devices, k->def.other_device_count + 1, &kind, &k->tuning.runner, error))
        k->tuning.fleet = true;
    return error->status;
}

/* Repeats the default in a browser, as the search does, and compares it with its own earlier results. Items that race with
 * each other seldom differ in the few runs of the reference: then it runs again, more often, and the elements that differ are
 * not compared. */
static hed_status confirm_reference(kernel_tuning *k, const hed_runner_def *def, hed_error *error)
{
    enum { CHECKS = 4, RENEWALS = 2 };
    static const double quick = 0.5; /* s */
    hed_tuning *t = &k->tuning;
    double start = hed_tuning_elapsed(t);
    bool is_own = k->def.open_runner && t->result->reference == HED_REFERENCE_DEFAULT &&
                  hed_config_equal(&t->result->reference_config, &t->default_config);
    uint32_t renewals = 0;
    for (uint32_t i = 0; is_own && i < CHECKS && !hed_tuning_stop(t); i++) {
        hed_trial trial = {0};
        if (i && hed_tuning_elapsed(t) - start > quick) break;
        if (t->runner->kind->prepare(t->runner, 0, &t->default_config, &trial, error))
            return error->status;
        if (trial.outcome != HED_OUTCOME_WRONG) continue;
        if (renewals++ == RENEWALS) break;
        hed_runner_destroy(t->runner);
        t->runner = NULL;
        hed_tune_inputs_unexpect(&k->inputs);
        k->inputs.is_racing = true;
        if (make_expected(k, error) || count_expected(k, error) ||
            kernel_tuning_open_runner(k, def, &t->runner, error))
            return error->status;
        start = hed_tuning_elapsed(t);
        i = 0;
    }
    return HED_OK;
}

/* Opens a runner of the first device for the other one of time and energy. */
static hed_status open_other(void *user, hed_runner **runner, hed_error *error)
{
    kernel_tuning *k = user;
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    def.objective =
        k->def.objective == HED_OBJECTIVE_TIME ? HED_OBJECTIVE_ENERGY : HED_OBJECTIVE_TIME;
    def.floor_seconds = 0;
    def.builders = 1;
    return kernel_tuning_open_runner(k, &def, runner, error);
}

/* Opens the measuring worker of the runner whose builders have begun; without it the runner is opened anew,
 * which reports the cause. */
static bool open_begun(kernel_tuning *k, const hed_runner_def *def)
{
    hed_tuning *t = &k->tuning;
    if (!t->runner) return false;
    if (!hed_runner_open_measurer(t->runner, def, &(hed_error){0})) return true;
    hed_runner_destroy(t->runner);
    t->runner = NULL;
    hed_tuning_forget_ahead(t);
    return false;
}

static hed_status open_tuning(kernel_tuning *k, hed_error *error)
{
    hed_tuning *t = &k->tuning;
    uint32_t builders = k->def.builders ? k->def.builders : hed_processor_count();
    hed_runner_def def = runner_def(k, &k->problem, &k->inputs);
    hed_status status = needs_fleet(k)     ? open_fleet(k, &def, error)
                        : open_begun(k, &def) ? HED_OK
                                           : kernel_tuning_open_runner(k, &def, &t->runner, error);
    if (status || confirm_reference(k, &def, error)) return error->status;
    bool runner_decides =
        k->def.open_runner || t->fleet; /* the runner determines the number of builders */
    t->result->device_time = t->runner->device_time;
    t->builders = runner_decides ? t->runner->builders : t->result->in_process ? 0 : builders;
    t->quiet = !t->fleet && hed_device_describe(t->device).type == HED_DEVICE_CPU;
    make_key(k);
    hed_check_judge(k->kernel, k->inputs.arguments, t->key.judge);
    return HED_OK;
}

hed_status hed_tune_kernel(hed_device *device, const hed_kernel_def *kernel,
    const hed_tune_def *def, hed_tune_result **result, hed_error *error)
{
    HED_REQUIRE(device, kernel, result);
    error = error ? error : &(hed_error){0};
    if (hed_failed(error)) return error->status;
    kernel_tuning k = {.def = def ? *def : hed_default_tune_def(), .kernel = kernel};
    k.tuning.device = device;
    k.tuning.def = &k.def;
    *result = NULL;
    if (kernel_tuning_check(device, kernel, &k.def, error)) return error->status;
    k.tuning.open_other = k.def.two_objectives ? open_other : NULL;
    k.tuning.user = &k;
    if (!hed_tuning_open(&k.tuning, error) && !kernel_tuning_set_up(&k, error))
        open_tuning(&k, error);
    if (k.tuning.stopped) hed_error_clear(error); /* errors of work cut short by a stop */
    if (!hed_failed(error)) hed_tuning_run(&k.tuning, result, error);
    hed_tuning_close(&k.tuning);
    hed_runner_destroy(k.tuning.runner);
    hed_tune_inputs_free(&k.inputs);
    hed_space_destroy(k.space);
    return error->status;
}
