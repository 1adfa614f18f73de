/* Runners of a kernel's tuning, and the time limits of their runs. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "core/program.h"
#include "tune/kernel_tuning.h"

/* Limits of a run, s: while no configuration has worked; that of a page or of this process, which
 * cannot be ended without a loss; the least afterwards. */
static const double first_timeout = 120, outer_timeout = 10, least_timeout = 5;

hed_status hed_kernel_tuning_open_runner(
    hed_kernel_tuning *k, const hed_runner_def *def, hed_runner **runner, hed_error *error)
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

hed_status hed_kernel_tuning_release_builders(hed_kernel_tuning *k, hed_error *error)
{
    bool are_held = k->holds_builders;
    k->holds_builders = false;
    return are_held ? hed_tuning_build_ahead(&k->tuning, error) : HED_OK;
}

static bool kernel_tuning_stop_asked(void *user)
{
    hed_kernel_tuning *k = user;
    /* the runner of the reference waits: builders of the tuning's go on to their next steps */
    if (k->is_expecting && k->tuning.runner && !k->holds_builders)
        hed_tuning_collect(&k->tuning, 0);
    return hed_tuning_stop(&k->tuning);
}

/* Sets the time limits of a run: the caller's, a multiple of the reference's first run, or a long
 * one that the runner shortens after the first candidate that works. */
static void limit_runs(const hed_kernel_tuning *k, hed_runner_def *def)
{
    bool compiles = k->tuning.device->compiles_at_launch;
    double minimum = k->def.open_runner ? outer_timeout
                     : compiles         ? HED_LEAST_COMPILING_SECONDS
                                        : least_timeout,
           limit = k->def.limit_seconds;
    if (k->def.timeout_seconds > 0) {
        def->timeout_seconds = k->def.timeout_seconds;
        def->compile_seconds = compiles ? HED_LEAST_COMPILING_SECONDS : 0;
    } else if (k->first_seconds > 0 || k->def.open_runner) {
        def->timeout_seconds = hed_run_limit(k->first_seconds, minimum);
    } else {
        def->timeout_seconds =
            limit > 0 ? fmin(first_timeout, fmax(outer_timeout, limit)) : first_timeout;
        def->least_timeout_seconds = minimum;
    }
}

hed_runner_def hed_kernel_tuning_runner_def(
    hed_kernel_tuning *k, const hed_problem *problem, const hed_tune_inputs *inputs)
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

hed_status hed_kernel_tuning_usual_config(hed_device *device, const hed_kernel_def *kernel,
    const hed_problem *problem, hed_math math, hed_config *config, bool *is_default, char *reason,
    hed_error *error)
{
    hed_space *space = NULL;
    *config = hed_config_default(kernel);
    *is_default = hed_kernel_valid(kernel, config, problem, device, math, reason, HED_REASON);
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
