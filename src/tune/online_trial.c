/* Online tuning: the steps of a trial in the program's stream, and what is read of their marks.
 *
 *     COPY   what is changed in place -> pristine
 *     LAUNCH   the program's own launch   LAUNCHED
 *              copies made ready; FIRST one configuration over its copies FIRST_END
 *              copies made ready; SECOND the other one over the other copies SECOND_END
 *
 * The two take turns in being first. Nothing waits: marks are asked whether they are reached when
 * the next launch comes. */
#include <string.h>

#include "tune/online_state.h"

hed_status hed_online_make_marks(hed_online *online, hed_error *error)
{
    hed_status status = HED_OK;
    for (int i = 0; i < HED_MARK_COUNT && !status; i++)
        status = hed_event_create(online->device, true, &online->marks[i], error);
    return status;
}

static hed_status mark(hed_online *online, hed_online_mark which, hed_stream *stream)
{
    return hed_event_record(online->marks[which], stream, NULL);
}

/* ---- enqueuing ---- */

static hed_status copy_pristine(
    hed_online *online, hed_stream *stream, const hed_argument *arguments)
{
    hed_status status = mark(online, HED_MARK_COPY, stream);
    return status
               ? status
               : hed_scratch_fill(&online->pristine, stream, online->kernel->def, arguments, NULL);
}

static hed_status run_over(hed_online *online, hed_stream *stream, hed_kernel *kernel,
    const hed_scratch *copies, const hed_problem *problem, const hed_argument *arguments,
    hed_online_mark begin)
{
    const hed_kernel_def *def = online->kernel->def;
    hed_argument first[HED_MAX_ARGUMENTS], replaced[HED_MAX_ARGUMENTS];
    hed_error error;
    hed_scratch_replace(&online->pristine, def, arguments, first);
    hed_scratch_replace(copies, def, arguments, replaced);
    hed_status status = hed_scratch_fill(copies, stream, def, first, NULL);
    if (!status) status = mark(online, begin, stream);
    if (status) return status;
    status = hed_launch(stream, kernel, problem, replaced, def->argument_count, &error);
    if (status && kernel != online->kernel) {
        online->trial_status = status;
        memcpy(online->trial_text, error.text, sizeof online->trial_text - 1);
        status = HED_OK; /* the candidate's fault: the trial goes on to its end */
    }
    return status ? status : mark(online, begin + 1, stream);
}

static hed_status run_both(
    hed_online *online, hed_stream *stream, hed_online_size *size, const hed_argument *arguments)
{
    hed_kernel *kernels[] = {online->kernel, size->candidate};
    const hed_scratch *copies[] = {&online->ours, &online->theirs};
    bool swap = online->candidate_first = !online->candidate_first;
    online->trial_status = HED_OK;
    hed_status status = run_over(
        online, stream, kernels[swap], copies[swap], &size->problem, arguments, HED_MARK_FIRST);
    if (!status)
        status = run_over(online, stream, kernels[!swap], copies[!swap], &size->problem, arguments,
            HED_MARK_SECOND);
    return status ? status : hed_stream_flush(stream, NULL);
}

/* The configuration that a launch ran in is the one in force for its size from now on, unless ours
 * is still on its way. */
static bool note_config(hed_online *online, hed_online_size *size)
{
    hed_config ran = hed_kernel_config(online->kernel, NULL);
    if (size->known && hed_online_same_config(&ran, &size->config)) return true;
    if (size->promoted) return false;
    size->config = ran;
    size->known = size->stale = true;
    size->measured = 0;
    return false;
}

hed_status hed_online_fly(hed_online *online, hed_online_size *size, hed_online_flight flight,
    hed_stream *stream, const hed_argument *arguments, uint32_t argument_count, hed_error *error)
{
    if (flight == HED_FLIGHT_TRIAL && copy_pristine(online, stream, arguments))
        flight = HED_FLIGHT_NONE;
    if (flight != HED_FLIGHT_NONE && mark(online, HED_MARK_LAUNCH, stream))
        flight = HED_FLIGHT_NONE;
    double begin = hed_online_seconds(online);
    hed_status status =
        hed_launch(stream, online->kernel, &size->problem, arguments, argument_count, error);
    online->launch_call = hed_online_seconds(online) - begin;
    if (status) return status;
    if (!note_config(online, size) || flight == HED_FLIGHT_NONE) return HED_OK;
    if (mark(online, HED_MARK_LAUNCHED, stream)) return HED_OK;
    if (flight == HED_FLIGHT_TRIAL) {
        online->report.trials++;
        /* Whatever is enqueued uses the copies: they stay until the object goes. */
        online->stopped = run_both(online, stream, size, arguments) != HED_OK;
        if (online->stopped) return HED_OK;
    }
    online->flight = flight;
    online->flown = size;
    return HED_OK;
}

/* ---- landing ---- */

/* Seconds between two marks; NOT_READY where they are not reached. */
static hed_status between(
    hed_online *online, hed_online_mark from, hed_online_mark to, double *seconds)
{
    return hed_event_elapsed(online->marks[from], online->marks[to], seconds, NULL);
}

static hed_status land_trial(hed_online *online, hed_online_size *size)
{
    bool whole;
    double copies, runs, first, second;
    hed_status status = between(online, HED_MARK_LAUNCHED, HED_MARK_SECOND_END, &runs);
    if (!status) status = between(online, HED_MARK_COPY, HED_MARK_LAUNCH, &copies);
    if (!status) status = between(online, HED_MARK_FIRST, HED_MARK_FIRST_END, &first);
    if (!status) status = between(online, HED_MARK_SECOND, HED_MARK_SECOND_END, &second);
    if (status) return status;
    size->trial_seconds = copies + runs;
    /* On host the caller has spent this time itself, and it is counted already. */
    if (online->device->info.capabilities & HED_CAN_DEVICE_TIME)
        online->report.trial_seconds += copies + runs;
    if (online->trial_status)
        hed_online_conclude(online, size, HED_OUTCOME_LAUNCH, online->trial_text);
    else
        hed_online_add_pair(online, size, online->candidate_first ? second : first,
            online->candidate_first ? first : second);
    if (hed_online_wants_check(size, &whole)) online->to_compare = size;
    return HED_OK;
}

void hed_online_land(hed_online *online)
{
    double launch;
    hed_online_size *size = online->flown;
    if (online->flight == HED_FLIGHT_NONE) return;
    hed_status status = between(online, HED_MARK_LAUNCH, HED_MARK_LAUNCHED, &launch);
    if (!status && online->flight == HED_FLIGHT_TRIAL) status = land_trial(online, size);
    if (status == HED_ERROR_NOT_READY) return;
    if (status) online->stopped = true;
    else hed_online_add_time(online, size, launch);
    online->flight = HED_FLIGHT_NONE;
}
