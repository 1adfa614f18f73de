/* Expected outputs of a tuning, by a reference: a native function, another kernel, or the default
 * configuration; another configuration where the default fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "measure/check.h"
#include "tune/kernel_tuning.h"

/* Returns the remedy of a failed reference. A kernel that does not compile or does not match its
 * description is the user's to fix by the message. */
static const char *expect_remedy(hed_outcome outcome)
{
    switch (outcome) {
    case HED_OUTCOME_BUILD:
    case HED_OUTCOME_LAUNCH: return "";
    case HED_OUTCOME_CRASHED:
        return ". An array may have fewer elements than the kernel reaches: correct its size, or "
               "give expected outputs, another reference, or none";
    case HED_OUTCOME_HUNG:
        return ". Describe a smaller problem or allow a run more time, or give expected outputs, "
               "another reference, or none";
    default: return ". Give expected outputs, another reference, or none";
    }
}

/* Reports a failed reference, the message of the compiler or driver first. `failure_count`: number
 * of other configurations that failed as well. */
static void expect_failed(const hed_kernel_def *kernel, const hed_device *device,
    const hed_config *config, const hed_trial *trial, uint32_t failure_count, hed_error *error)
{
    char words[256], addition[64] = "";
    hed_config_format(kernel, config, words, sizeof words);
    if (failure_count)
        snprintf(addition, sizeof addition, ", and %u other%s failed too", failure_count, failure_count == 1 ? "" : "s");
    hed_fail(error, trial->outcome == HED_OUTCOME_BUILD ? HED_ERROR_BUILD : HED_ERROR_DRIVER,
        "%s on %s: %s (%s, in the default configuration %s, with which results are compared%s)%s",
        kernel->name, hed_device_describe(device).id, trial->text, hed_outcome_name(trial->outcome),
        words, addition, expect_remedy(trial->outcome));
}

/* A reference in the making. */
typedef struct reference_run {
    hed_device *device;
    const hed_kernel_def *kernel;
    hed_runner *runner;
    bool native; /* C functions, on the host */
} reference_run;

/* Runs a configuration and takes its outputs as the expected ones. `trial`: its own failure. */
static hed_status expect_config(hed_kernel_tuning *k, const reference_run *run,
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
static hed_status expect_other(hed_kernel_tuning *k, const reference_run *run,
    const hed_config *usual, hed_trial *fault, uint32_t *tried, hed_error *error)
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
static hed_status refuse_slow(const hed_kernel_tuning *k, const hed_config *config,
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
    hed_kernel_tuning *k, hed_device *device, const hed_kernel_def *kernel, hed_error *error)
{
    hed_config config;
    hed_trial trial = {0};
    uint32_t failure_count = 0;
    bool is_default;
    char reason[HED_REASON];
    reference_run run = {.device = device, .kernel = kernel, .native = device != k->tuning.device};
    hed_runner_def def = hed_kernel_tuning_runner_def(k, &k->problem, &k->inputs);
    def.device = device;
    def.kernel = kernel;
    def.objective = HED_OBJECTIVE_TIME;
    def.builders = 1;
    bool is_own = kernel == k->kernel && !run.native;
    if (run.native) def.timeout_seconds = 0; /* the program's own code has no time limit */
    if (is_own && k->def.default_seconds > 0) {
        def.timeout_seconds = fmin(def.timeout_seconds, k->def.default_seconds);
        if (k->tuning.device->compiles_at_launch) def.compile_seconds = HED_LEAST_COMPILING_SECONDS;
    }
    if (!hed_kernel_tuning_usual_config(
            device, kernel, &k->problem, k->def.math, &config, &is_default, reason, error) &&
        !(run.native ? hed_runner_create_local(&def, &run.runner, error)
                     : hed_kernel_tuning_open_runner(k, &def, &run.runner, error)) &&
        !hed_kernel_tuning_release_builders(k, error) &&
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

hed_status hed_kernel_tuning_count_expected(hed_kernel_tuning *k, hed_error *error)
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

hed_status hed_kernel_tuning_make_expected(hed_kernel_tuning *k, hed_error *error)
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
