/* Evaluation of measured times and compared outputs for online tuning; no device access.
 *
 * A candidate is judged by the ratios of its time to the time of the configuration in force. Each
 * pair runs back to back on the same inputs, so clock drift affects both alike. The candidate wins
 * if the upper end of the 95 % interval of the median ratio is below 1 - MARGIN; it is abandoned as
 * soon as that is out of reach. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "heddle/stats.h"
#include "tune/online_state.h"

static const double MARGIN = 0.02, HOPELESS = 1.25;
enum {
    ENOUGH = 8, /* measured launches needed for a typical time */
    FEWEST = 2  /* pairs needed to recognise a hopeless candidate */
};

static int trial_by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* ---- times of launches ---- */

static double trial_median_of(const double *values, uint32_t count)
{
    double sorted[HED_ONLINE_WINDOW];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, trial_by_value);
    return hed_quantile(sorted, count, 0.5);
}

static void begin_again(hed_online *online, hed_online_size *size)
{
    size->resting = false;
    size->begin_again = true;
    size->rested = 0;
    size->measured = 0;
    online->report.restarts++;
}

void hed_online_add_time(hed_online *online, hed_online_size *size, double seconds)
{
    size->window[size->measured++ % HED_ONLINE_WINDOW] = seconds;
    if (size->measured < ENOUGH) return;
    bool full = size->measured >= HED_ONLINE_WINDOW;
    size->typical =
        trial_median_of(size->window, full ? HED_ONLINE_WINDOW : (uint32_t)size->measured);
    if (size->first == 0) {
        size->first = size->typical;
        size->initial = size->config;
    }
    if (!full || !size->resting) return;
    if (size->rested == 0) size->rested = size->typical;
    else if (size->typical > size->rested * online->def.slowdown) begin_again(online, size);
}

/* ---- the candidate ---- */

static double trial_ratio_of(
    const hed_online_size *size, double *low, double *high, double *coverage)
{
    double sorted[HED_ONLINE_PAIRS];
    memcpy(sorted, size->ratios, size->pairs * sizeof *sorted);
    qsort(sorted, size->pairs, sizeof *sorted, trial_by_value);
    *coverage = hed_median_interval(sorted, size->pairs, 0.95, low, high);
    return hed_quantile(sorted, size->pairs, 0.5);
}

/* Interval of the median ratio; false if there are too few ratios for 95 %. */
static bool interval_of(const hed_online_size *size, double *low, double *high)
{
    double coverage = 0;
    *low = *high = NAN;
    if (size->pairs > 0) trial_ratio_of(size, low, high, &coverage);
    return coverage >= 0.95;
}

void hed_online_conclude(
    hed_online *online, hed_online_size *size, hed_outcome outcome, const char *text)
{
    hed_evaluation *e = &size->evaluation;
    bool timed = outcome == HED_OUTCOME_MEASURED || outcome == HED_OUTCOME_DROPPED;
    *e = (hed_evaluation){.outcome = outcome,
        .seconds = NAN,
        .low = NAN,
        .high = NAN,
        .runs = size->pairs,
        .at = hed_online_seconds(online) - online->began,
        .error = size->sampled ? size->error : NAN};
    e->config = hed_kernel_config(size->candidate, NULL);
    hed_kernel_resources resources;
    if (!hed_kernel_measure_resources(size->candidate, &resources, NULL))
        e->build_seconds = resources.build_seconds;
    if (timed && size->pairs > 0) {
        double coverage;
        e->seconds = trial_ratio_of(size, &e->low, &e->high, &coverage) * size->typical;
        e->low *= size->typical;
        e->high *= size->typical;
    }
    hed_text_copy(e->text, sizeof e->text, text);
    size->over = true;
    online->report.candidates++;
    online->report.failed += !timed;
}

static void promote(hed_online *online, hed_online_size *size)
{
    hed_online_conclude(online, size, HED_OUTCOME_MEASURED, "");
    size->config = size->evaluation.config;
    size->promoted = true;
    size->choose = true;
    size->typical = size->evaluation.seconds;
    size->measured = 0;
    online->report.promotions++;
}

/* Judges the candidate by its ratios so far. */
static void trial_judge(hed_online *online, hed_online_size *size)
{
    double low, high;
    bool has_interval = interval_of(size, &low, &high);
    if (size->pairs >= FEWEST && low > HOPELESS) { /* the interval of few values is their range */
        hed_online_conclude(online, size, HED_OUTCOME_DROPPED, "");
    } else if (has_interval && high < 1 - MARGIN) {
        if (size->whole) promote(online, size);
    } else if ((has_interval && low > 1 - MARGIN) || size->pairs == HED_ONLINE_PAIRS) {
        hed_online_conclude(online, size, HED_OUTCOME_MEASURED, "");
    }
}

bool hed_online_needs_check(const hed_online_size *size, bool *whole)
{
    double low, high;
    *whole = size->sampled;
    if (size->over || size->whole) return false;
    return !size->sampled || (interval_of(size, &low, &high) && high < 1 - MARGIN);
}

void hed_online_add_pair(hed_online *online, hed_online_size *size, double ours, double theirs)
{
    /* the first run includes one-time costs: compiling for the group size, cold caches */
    if (!size->warm) {
        size->warm = true;
        return;
    }
    if (!(ours > 0) || !(theirs > 0)) {
        hed_online_conclude(online, size, HED_OUTCOME_IMPOSSIBLE, "a time of 0");
        return;
    }
    size->ratios[size->pairs++] = theirs / ours;
    trial_judge(online, size);
}

void hed_online_add_check(
    hed_online *online, hed_online_size *size, const hed_check *check, bool whole)
{
    size->sampled = true;
    size->whole = size->whole || whole;
    size->error = fmax(size->error, check->error);
    if (check->wrong) hed_online_conclude(online, size, HED_OUTCOME_WRONG, check->text);
    else if (size->pairs > 0) trial_judge(online, size);
}

/* Steps of a trial in the program's stream, each between two events:
 *
 *     COPY    copy arguments changed in place to `pristine`
 *     LAUNCH  the program's own launch                                            LAUNCHED
 *             restore copies; FIRST   run one configuration over its copies       FIRST_END
 *             restore copies; SECOND  run the other one over the other copies     SECOND_END
 *
 * The two configurations alternate in running first. No step waits: the events are queried at the
 * next launch. */

hed_status hed_online_make_marks(hed_online *online, hed_error *error)
{
    for (int i = 0; i < HED_MARK_COUNT; i++)
        hed_event_create(online->device, true, &online->marks[i], error);
    return error->status;
}

static hed_status trial_mark(
    hed_online *online, hed_online_mark mark, hed_stream *stream, hed_error *error)
{
    return hed_event_record(online->marks[mark], stream, error);
}

/* ---- enqueuing ---- */

static void run_over(hed_online *online, hed_stream *stream, hed_kernel *kernel,
    const hed_scratch *copies, const hed_problem *problem, const hed_argument *arguments,
    hed_online_mark begin, hed_error *error)
{
    const hed_kernel_def *def = online->kernel->def;
    hed_argument first[HED_MAX_ARGUMENTS], replaced[HED_MAX_ARGUMENTS];
    hed_scratch_replace(&online->pristine, def, arguments, first);
    hed_scratch_replace(copies, def, arguments, replaced);
    hed_scratch_fill(copies, stream, def, first, error);
    if (trial_mark(online, begin, stream, error)) return;
    hed_launch(stream, kernel, problem, replaced, def->argument_count, error);
    if (hed_failed(error) && kernel != online->kernel) {
        online->trial_status = error->status;
        memcpy(online->trial_text, error->text, sizeof online->trial_text - 1);
        hed_error_clear(error); /* the candidate failed: complete the trial */
    }
    trial_mark(online, begin + 1, stream, error);
}

static hed_status run_both(
    hed_online *online, hed_stream *stream, hed_online_size *size, const hed_argument *arguments)
{
    hed_kernel *kernels[] = {online->kernel, size->candidate};
    const hed_scratch *copies[] = {&online->ours, &online->theirs};
    bool swap = online->candidate_first = !online->candidate_first;
    hed_error error = {0};
    online->trial_status = HED_OK;
    run_over(online, stream, kernels[swap], copies[swap], &size->problem, arguments, HED_MARK_FIRST,
        &error);
    run_over(online, stream, kernels[!swap], copies[!swap], &size->problem, arguments,
        HED_MARK_SECOND, &error);
    return hed_stream_flush(stream, &error);
}

/* Makes the configuration that ran the one in force for its size, unless a promoted one has not
 * taken effect yet. Returns true if it was in force already. */
static bool note_config(hed_online *online, hed_online_size *size)
{
    hed_config ran = hed_kernel_config(online->kernel, NULL);
    if (size->is_known && hed_config_equal(&ran, &size->config)) return true;
    if (size->promoted) return false;
    size->config = ran;
    size->is_known = size->stale = true;
    size->measured = 0;
    return false;
}

hed_status hed_online_fly(hed_online *online, hed_online_size *size, hed_online_flight flight,
    hed_stream *stream, const hed_argument *arguments, uint32_t argument_count, hed_error *error)
{
    if (flight == HED_FLIGHT_TRIAL &&
        (trial_mark(online, HED_MARK_COPY, stream, NULL) ||
            hed_scratch_fill(&online->pristine, stream, online->kernel->def, arguments, NULL)))
        flight = HED_FLIGHT_NONE;
    if (flight != HED_FLIGHT_NONE && trial_mark(online, HED_MARK_LAUNCH, stream, NULL))
        flight = HED_FLIGHT_NONE;
    double begin = hed_online_seconds(online);
    hed_status status =
        hed_launch(stream, online->kernel, &size->problem, arguments, argument_count, error);
    online->launch_call = hed_online_seconds(online) - begin;
    if (status) return status;
    if (!note_config(online, size) || flight == HED_FLIGHT_NONE) return HED_OK;
    if (trial_mark(online, HED_MARK_LAUNCHED, stream, NULL)) return HED_OK;
    if (flight == HED_FLIGHT_TRIAL) {
        online->report.trials++;
        /* enqueued work uses the copies: keep them until the object is destroyed */
        online->stopped = run_both(online, stream, size, arguments) != HED_OK;
        if (online->stopped) return HED_OK;
    }
    online->flight = flight;
    online->flown = size;
    return HED_OK;
}

/* ---- collecting finished work ---- */

/* Seconds between two events; NOT_READY if they have not been reached. */
static hed_status trial_between(
    hed_online *online, hed_online_mark from, hed_online_mark to, double *seconds)
{
    return hed_event_elapsed(online->marks[from], online->marks[to], seconds, NULL);
}

static hed_status land_trial(hed_online *online, hed_online_size *size)
{
    bool whole;
    double copies, runs, first, second;
    hed_status status;
    if ((status = trial_between(online, HED_MARK_LAUNCHED, HED_MARK_SECOND_END, &runs)) ||
        (status = trial_between(online, HED_MARK_COPY, HED_MARK_LAUNCH, &copies)) ||
        (status = trial_between(online, HED_MARK_FIRST, HED_MARK_FIRST_END, &first)) ||
        (status = trial_between(online, HED_MARK_SECOND, HED_MARK_SECOND_END, &second)))
        return status;
    size->trial_seconds = copies + runs;
    /* host launches are synchronous: the caller has spent this time, and it is counted already */
    if (online->device->info.capabilities & HED_CAN_DEVICE_TIME)
        online->report.trial_seconds += copies + runs;
    if (online->trial_status)
        hed_online_conclude(online, size, HED_OUTCOME_LAUNCH, online->trial_text);
    else
        hed_online_add_pair(online, size, online->candidate_first ? second : first,
            online->candidate_first ? first : second);
    if (hed_online_needs_check(size, &whole)) online->to_compare = size;
    return HED_OK;
}

void hed_online_land(hed_online *online)
{
    double launch;
    hed_online_size *size = online->flown;
    if (online->flight == HED_FLIGHT_NONE) return;
    hed_status status = trial_between(online, HED_MARK_LAUNCH, HED_MARK_LAUNCHED, &launch);
    if (online->flight == HED_FLIGHT_TRIAL && !status) status = land_trial(online, size);
    if (status == HED_ERROR_NOT_READY) return;
    if (status) online->stopped = true;
    else hed_online_add_time(online, size, launch);
    online->flight = HED_FLIGHT_NONE;
}
