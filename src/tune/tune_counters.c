/* Hardware counters of the winner and of the default, after everything else: read in a runner of their own,
 * since launches of a process that reads counters may take longer. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "heddle/context.h"
#include "tune/tuning_state.h"

/* Reads the counters of an evaluation. A configuration that fails now is an error as well. */
static hed_status counters_read(
    hed_tuning *t, hed_runner *runner, uint32_t index, hed_counters *counters, hed_error *error)
{
    const hed_runner_kind *kind = runner->kind;
    double values[HED_COUNTER_VALUES];
    hed_trial trial = {0};
    if (kind->prepare(runner, 0, &t->result->evaluations[index].config, &trial, error))
        return error->status;
    if (!trial.outcome && kind->time(runner, 0, HED_COUNTER_VALUES, values, &trial, error))
        return error->status;
    if (trial.outcome)
        return hed_fail(error, HED_ERROR_UNSUPPORTED, "the launch fails under the counters: %s: %s",
            hed_outcome_name(trial.outcome), trial.text);
    memcpy(counters, values, sizeof *counters);
    return HED_OK;
}

void hed_tuning_measure_counters(hed_tuning *t)
{
    hed_tune_result *r = t->result;
    hed_runner *runner = NULL;
    hed_error error = {0};
    if (!t->def->counters || r->counters_reason[0] || r->best >= r->count) return;
    const char *reason = !t->open_counters ? "only kernels have counters, on a device of Heddle's own"
                         : hed_tuning_stop(t)       ? "the tuning was stopped before"
                         : r->end == HED_TUNE_LOST  ? "the device was lost before"
                                                    : NULL;
    if (reason) {
        hed_text_copy(r->counters_reason, sizeof r->counters_reason, reason);
        return;
    }
    t->stage = "counters";
    hed_tuning_tell(t);
    /* the memory of two runners would not fit everywhere */
    hed_runner_destroy(t->runner);
    t->runner = NULL;
    t->fleet = false;
    if (!t->open_counters(t->user, &runner, &error) &&
        !counters_read(t, runner, r->best, &r->counters, &error)) {
        r->has_counters = true;
        if (r->default_index == r->best) r->default_counters = r->counters;
        else if (r->default_index < r->count &&
                 hed_tuning_worked(r->evaluations[r->default_index].outcome))
            counters_read(t, runner, r->default_index, &r->default_counters, &error);
    }
    if (hed_failed(&error))
        hed_text_copy(r->counters_reason, sizeof r->counters_reason, error.text);
    hed_runner_destroy(runner);
}
