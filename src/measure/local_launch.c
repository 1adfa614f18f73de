/* One launch of a candidate in this process, and the outcome of a failure. */
#include "measure/runners.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

hed_status hed_local_restore(hed_local_runner *local, hed_error *error)
{
    for (uint32_t i = 0; i < local->def.kernel->argument_count; i++)
        if (local->pristine[i])
            hed_copy(local->stream, local->buffers[i], local->guard, local->pristine[i], 0,
                hed_local_bytes(local, i), error);
    return error->status;
}

void hed_local_set_outcome(hed_trial *trial, hed_outcome outcome, const hed_error *error)
{
    trial->outcome = outcome;
    hed_text_copy(trial->text, sizeof trial->text, error->text);
}

/* Sorts a failed launch or wait: the candidate's own failure is stored in `trial`; a failure that
 * makes further work pointless is returned. */
static hed_status local_judge(hed_local_runner *local, hed_status status, hed_trial *trial,
    const hed_error *cause, hed_error *error)
{
    switch (status) {
    case HED_OK: return HED_OK;
    case HED_ERROR_MEMORY:
        if (error) *error = *cause;
        return status;
    case HED_ERROR_LOST:
        local->runner.lost = true;
        hed_local_set_outcome(trial, HED_OUTCOME_CRASHED, cause);
        return HED_OK;
    case HED_ERROR_TIMEOUT:
        local->runner.lost = local->hung = true;
        hed_local_set_outcome(trial, HED_OUTCOME_HUNG, cause);
        return HED_OK;
    case HED_ERROR_LIMIT:
    case HED_ERROR_UNSUPPORTED:
        hed_local_set_outcome(trial, HED_OUTCOME_INVALID, cause);
        return HED_OK;
    default: hed_local_set_outcome(trial, HED_OUTCOME_LAUNCH, cause); return HED_OK;
    }
}

/* Sets the scalars whose values depend on the configuration. */
static void set_scalars(hed_local_runner *local, uint32_t slot)
{
    const hed_kernel_def *kernel = local->def.kernel;
    hed_geometry geometry = {0};
    bool is_known = false;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const hed_argument_def *argument = &kernel->arguments[i];
        if (argument->kind != HED_SCALAR || !argument->by_config) continue;
        hed_config config = hed_kernel_config(local->slots[slot].kernel, NULL);
        if (!is_known) kernel->geometry(kernel, &config, local->def.problem, &geometry);
        is_known = true;
        memcpy(
            &local->arguments[i].value, &geometry.local_bytes[i], hed_type_bytes(argument->type));
    }
}

hed_status hed_local_launch(
    hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error)
{
    hed_error cause = {0};
    set_scalars(local, slot);
    hed_status status = hed_launch(local->stream, local->slots[slot].kernel, local->def.problem,
        local->arguments, local->def.kernel->argument_count, &cause);
    return local_judge(local, status, trial, &cause, error);
}

hed_status hed_local_wait(
    hed_local_runner *local, uint32_t launches, hed_trial *trial, hed_error *error)
{
    hed_error cause = {0};
    double limit = (local->def.timeout_seconds * launches + local->allowance) * 1e9;
    hed_status status = local->def.timeout_seconds > 0
                            ? hed_stream_wait_for(local->stream, (uint64_t)limit, &cause)
                            : hed_stream_wait(local->stream, &cause);
    if (status == HED_ERROR_TIMEOUT)
        hed_fail(&cause, status, "%s is not done after %.3f s: a long step, or a hung device",
            local->def.kernel->name, limit * 1e-9);
    return local_judge(local, status, trial, &cause, error);
}

hed_status hed_local_refuse_lost(const hed_local_runner *local, hed_error *error)
{
    if (!local->runner.lost) return HED_OK;
    return hed_fail(error, HED_ERROR_LOST,
        "%s: an earlier candidate has %s the device: this process can measure nothing more",
        local->def.kernel->name, local->hung ? "hung" : "poisoned");
}

hed_trial hed_local_new_trial(void)
{
    return (hed_trial){.outcome = HED_OUTCOME_MEASURED,
        .error = (double)NAN,
        .resources = {-1, -1, -1, -1, -1, -1, false, 0}};
}

bool hed_runner_accepts(const hed_runner_def *def, const hed_config *config, hed_trial *trial)
{
    *trial = hed_local_new_trial();
    if (hed_kernel_valid(def->kernel, config, def->problem, def->device, def->math, trial->text,
            sizeof trial->text))
        return true;
    trial->outcome = HED_OUTCOME_INVALID;
    return false;
}

hed_status hed_local_refuse_empty(const hed_local_runner *local, uint32_t slot, hed_error *error)
{
    hed_status status = hed_local_refuse_lost(local, error);
    if (status || local->slots[slot].kernel) return status;
    return hed_fail(
        error, HED_ERROR_ARGUMENT, "%s: slot %u has no candidate", local->def.kernel->name, slot);
}

hed_status hed_local_begin(
    const hed_local_runner *local, uint32_t slot, hed_trial *trial, hed_error *error)
{
    *trial = hed_local_new_trial();
    return hed_local_refuse_empty(local, slot, error);
}
