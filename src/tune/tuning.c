/* Functions shared by the search and the final rounds: clock, evaluations, slots and records. */
#include "tune/tuning_state.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "heddle/tune.h"

enum { FIRST_CAPACITY = 64, LEAST_RUNS_SHOWN = 3 };

/* ---- clock and progress ---- */

static double clock_seconds(const hed_tuning *t)
{
    hed_clock clock = hed_context_describe(hed_device_context(t->device)).clock;
    return 1e-9 * (double)clock.now(clock.user);
}

double hed_tuning_elapsed(hed_tuning *t)
{
    double seconds = clock_seconds(t);
    t->elapsed += fmax(0, seconds - t->last_clock);
    t->last_clock = seconds;
    return t->elapsed;
}

double hed_tuning_value(const hed_tuning *t, uint32_t index)
{
    const hed_evaluation *evaluation = &t->result->evaluations[index];
    return hed_tuning_worked(evaluation->outcome) ? evaluation->seconds / t->marks[index].level
                                                  : INFINITY;
}

double hed_tuning_limit(const hed_tuning *t)
{
    return t->open_other ? 0.5 * t->def->limit_seconds : t->def->limit_seconds;
}

double hed_tuning_share(const hed_tuning *t, double seconds)
{
    const hed_tune_result *r = t->result;
    double memory = r->bandwidth > 0 ? r->work.bytes / r->bandwidth : 0;
    double arithmetic = r->arithmetic > 0 ? r->work.operations / r->arithmetic : 0;
    bool has_floor = t->def->objective == HED_OBJECTIVE_TIME && fmax(memory, arithmetic) > 0;
    return has_floor ? fmax(memory, arithmetic) / seconds : NAN;
}

/* The default's time at the pace of the best; NAN while one of them is missing, or the default has
 * one cold run alone. */
static double default_seconds(const hed_tuning *t)
{
    uint32_t index = t->has_default ? hed_tuning_find(t, &t->default_config) : HED_NO_EVALUATION;
    if (index == HED_NO_EVALUATION || t->best == HED_NO_EVALUATION) return NAN;
    double value = hed_tuning_value(t, index) * t->marks[t->best].level;
    return isfinite(value) && t->result->evaluations[index].runs >= LEAST_RUNS_SHOWN ? value : NAN;
}

static void show_one(hed_tuning *t, const hed_evaluation *last, uint32_t done)
{
    const hed_tune_def *def = t->def;
    const hed_tune_result *r = t->result;
    const hed_evaluation *best = t->best != HED_NO_EVALUATION ? &r->evaluations[t->best] : NULL;
    bool limited = def->evaluations && def->evaluations < r->space;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < done; i++) failed += !hed_tuning_worked(r->evaluations[i].outcome);
    hed_tune_progress progress = {
        .last = last,
        .best = best,
        .done = done,
        .failed = failed,
        .total = limited                 ? def->evaluations
                 : r->space < UINT32_MAX ? (uint32_t)r->space
                                         : UINT32_MAX,
        .building = t->building,
        .space = r->space,
        .seconds = t->last_progress,
        .limit = def->limit_seconds,
        .default_seconds = default_seconds(t),
        .share = best ? hed_tuning_share(t, best->seconds) : NAN,
        .stage = t->stage,
    };
    hed_tune_on devices[HED_TUNE_DEVICES];
    if (t->fleet) {
        progress.devices = devices;
        progress.device_count = hed_fleet_look(t->runner, HED_NO_SLOT, devices);
    }
    def->progress(def->user, &progress);
}

void hed_tuning_tell(hed_tuning *t)
{
    uint32_t count = t->result->count;
    t->last_progress = t->last_flush = hed_tuning_elapsed(t);
    if (t->session) hed_database_flush(t->database, NULL);
    if (!t->def->progress) t->unshown = 0;
    else if (!t->unshown) show_one(t, NULL, count);
    for (; t->unshown; t->unshown--)
        show_one(t, &t->result->evaluations[count - t->unshown], count - t->unshown + 1);
}

void hed_tuning_show(hed_tuning *t, bool has_new)
{
    /* Evaluations on disk alone are reported, since the process may be killed next. Flushing takes
     * time, for which a single device would wait, so evaluations in between are reported later. */
    static const double show_seconds = 0.1, flush_seconds = 0.5;
    double elapsed = hed_tuning_elapsed(t);
    t->unshown += has_new;
    bool due = elapsed - t->last_flush >= (t->fleet ? show_seconds : flush_seconds);
    if (t->unshown && (due || !t->session)) hed_tuning_tell(t);
    if (elapsed - t->last_progress < show_seconds) return;
    t->last_progress = elapsed;
    if (t->def->progress) show_one(t, NULL, t->result->count);
}

bool hed_tuning_stop(hed_tuning *t)
{
    hed_tuning_show(t, false);
    t->stopped = t->stopped || (t->def->stop && t->def->stop(t->def->user));
    return t->stopped;
}

/* ---- the device's limits ---- */

/* s; minimum limit of a tuning that measures the device first. A processor takes seconds for it,
 * mostly of its compiler. */
static const double roofline_from = 5, roofline_from_on_cpu = 60;

/* Lower bound on the time of a run. Memory: a tenth of the copy time, which may come from a busy
 * machine, for data too large for a cache. Arithmetic: the device may do the counted operations
 * many times faster than single-precision multiply-adds (half floats, matrix units). */
static double floor_of(
    const hed_device_info *info, const hed_work *work, const hed_roofline *roofline)
{
    enum { CACHES = 4, FASTER_MEMORY = 10, FASTER_ARITHMETIC = 64 };
    bool beyond_cache = info->cache_bytes && work->bytes > CACHES * (double)info->cache_bytes;
    double memory = beyond_cache && roofline->bandwidth > 0
                        ? work->bytes / roofline->bandwidth / FASTER_MEMORY
                        : 0;
    double arithmetic =
        roofline->arithmetic > 0 ? work->operations / roofline->arithmetic / FASTER_ARITHMETIC : 0;
    return fmax(memory, arithmetic);
}

void hed_tuning_find_limits(hed_tuning *t)
{
    hed_tune_result *r = t->result;
    hed_database *database =
        t->def->database ? t->def->database : hed_context_database(hed_device_context(t->device));
    bool compiles_slowly =
        t->device->info.type == HED_DEVICE_CPU && (t->device->info.capabilities & HED_CAN_SOURCE);
    bool affordable =
        t->def->limit_seconds <= 0 ||
        t->def->limit_seconds >= (compiles_slowly ? roofline_from_on_cpu : roofline_from);
    if (t->def->objective != HED_OBJECTIVE_TIME || (r->work.bytes <= 0 && r->work.operations <= 0))
        return;
    hed_roofline roofline = hed_roofline_of(t->device, database, affordable);
    r->bandwidth = roofline.bandwidth;
    r->arithmetic = roofline.arithmetic;
    t->floor_seconds = floor_of(&t->device->info, &r->work, &roofline);
}

/* ---- slots ---- */

uint32_t hed_tuning_free_slot(hed_tuning *t)
{
    uint32_t worst = HED_NO_SLOT;
    for (uint32_t slot = 0; slot < HED_RUNNER_SLOTS; slot++) {
        if (t->in_slot[slot] == HED_NO_EVALUATION) return slot;
        if (t->race.anchored && slot == t->race.anchor) continue;
        bool worse = worst == HED_NO_SLOT ||
                     hed_tuning_value(t, t->in_slot[slot]) > hed_tuning_value(t, t->in_slot[worst]);
        if (worse) worst = slot;
    }
    t->marks[t->in_slot[worst]].slot = HED_NO_SLOT;
    t->in_slot[worst] = HED_NO_EVALUATION;
    return worst;
}

hed_status hed_tuning_load(
    hed_tuning *t, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *error)
{
    t->loaded[slot] = *config;
    t->fastest[slot] = INFINITY;
    return t->runner->kind->prepare(t->runner, slot, config, trial, error);
}

hed_status hed_tuning_prepare(hed_tuning *t, uint32_t index, hed_trial *trial, hed_error *error)
{
    *trial = (hed_trial){.outcome = HED_OUTCOME_MEASURED, .error = NAN};
    if (t->marks[index].slot != HED_NO_SLOT) return HED_OK;
    uint32_t slot = hed_tuning_free_slot(t);
    hed_status status =
        hed_tuning_load(t, slot, &t->result->evaluations[index].config, trial, error);
    if (status || trial->outcome != HED_OUTCOME_MEASURED) return status;
    t->marks[index].slot = slot;
    t->in_slot[slot] = index;
    return HED_OK;
}

/* ---- evaluations ---- */

bool hed_tuning_worked(hed_outcome outcome)
{
    return outcome == HED_OUTCOME_MEASURED || outcome == HED_OUTCOME_DROPPED;
}

uint32_t hed_tuning_find(const hed_tuning *t, const hed_config *config)
{
    for (uint32_t i = 0; i < t->result->count; i++)
        if (hed_config_equal(&t->result->evaluations[i].config, config)) return i;
    return HED_NO_EVALUATION;
}

/* Capacity of a list of `count` evaluations; it grows when the next one is added. */
static uint32_t evaluation_capacity(uint32_t count)
{
    uint32_t capacity = count ? FIRST_CAPACITY : 0;
    while (capacity < count) capacity *= 2;
    return capacity;
}

static hed_status tuning_grow(hed_tuning *t, hed_error *error)
{
    uint32_t count = t->result->count, capacity = evaluation_capacity(count + 1);
    hed_evaluation *evaluations = hed_allocate(&t->allocator, capacity * sizeof *evaluations);
    hed_mark *marks = hed_allocate(&t->allocator, capacity * sizeof *marks);
    if (!evaluations || !marks) {
        hed_release(&t->allocator, evaluations, capacity * sizeof *evaluations);
        hed_release(&t->allocator, marks, capacity * sizeof *marks);
        return HED_OUT_OF_MEMORY(error, "%u evaluations", capacity);
    }
    if (count) {
        memcpy(evaluations, t->result->evaluations, count * sizeof *evaluations);
        memcpy(marks, t->marks, count * sizeof *marks);
    }
    hed_release(
        &t->allocator, t->result->evaluations, evaluation_capacity(count) * sizeof *evaluations);
    hed_release(&t->allocator, t->marks, evaluation_capacity(count) * sizeof *marks);
    t->result->evaluations = evaluations;
    t->marks = marks;
    return HED_OK;
}

/* Records an evaluation. A database that fails is reported once; the tuning continues without
 * it. */
void hed_tuning_record(hed_tuning *t, const hed_evaluation *evaluation)
{
    hed_error error = {0};
    hed_logger logger = hed_context_describe(hed_device_context(t->device)).logger;
    hed_evaluation made_now = *evaluation; /* even if it was recalled */
    made_now.recalled = false;
    if (!t->session || !hed_database_record(t->database, t->session, &t->key, &made_now, &error))
        return;
    hed_log_message(&logger, HED_LOG_WARNING, "this tuning of %s is not kept any further: %s",
        t->key.kernel, error.text);
    t->session = 0;
}

/* Replaces the best evaluation by another that works and is faster. A dropped candidate has only a
 * few runs, and a correction of the clock's drift changes its time: it is the best only while no
 * measured candidate exists. */
static void consider(hed_tuning *t, uint32_t index)
{
    const hed_evaluation *evaluations = t->result->evaluations;
    if (!hed_tuning_worked(evaluations[index].outcome)) return;
    bool measured = evaluations[index].outcome == HED_OUTCOME_MEASURED,
         first = t->best == HED_NO_EVALUATION,
         best_measured = !first && evaluations[t->best].outcome == HED_OUTCOME_MEASURED;
    bool faster = !first && hed_tuning_value(t, index) < hed_tuning_value(t, t->best);
    if (first || (measured == best_measured ? faster : measured)) t->best = index;
}

static void follow_the_best(hed_tuning *t, uint32_t index)
{
    consider(t, index);
    double value = hed_tuning_value(t, t->best);
    t->since_gain++;
    if (!(value < t->gained * (1 - HED_RACE_MARGIN))) return;
    t->gained = value;
    t->since_gain = 0;
}

void hed_tuning_find_best(hed_tuning *t)
{
    t->best = HED_NO_EVALUATION;
    for (uint32_t i = 0; i < t->result->count; i++) consider(t, i);
    if (t->best == HED_NO_EVALUATION) return;
    t->race.best = hed_tuning_value(t, t->best);
    t->race.best_high = t->result->evaluations[t->best].high / t->marks[t->best].level;
}

hed_status hed_tuning_add(
    hed_tuning *t, const hed_evaluation *evaluation, uint32_t slot, hed_error *error)
{
    hed_status status =
        t->result->count == evaluation_capacity(t->result->count) ? tuning_grow(t, error) : HED_OK;
    if (status) return status;
    uint32_t index = t->result->count++;
    bool worked = hed_tuning_worked(evaluation->outcome);
    t->result->evaluations[index] = *evaluation;
    t->marks[index] = (hed_mark){.level = t->race.level, .slot = worked ? slot : HED_NO_SLOT};
    if (worked && slot != HED_NO_SLOT) t->in_slot[slot] = index;
    if (worked) follow_the_best(t, index);
    else t->since_gain++;
    if (!evaluation->recalled) {
        t->new_count++;
        hed_tuning_record(t, evaluation);
    }
    double value = worked ? hed_tuning_value(t, index) : NAN;
    return hed_search_tell(t->search, &evaluation->config, value, error);
}

/* ---- the whole tuning ---- */

bool hed_tuning_lost_runner(hed_tuning *t, hed_error *error)
{
    if (error->status != HED_ERROR_LOST || !t->runner->lost) return false;
    t->result->end = HED_TUNE_LOST;
    hed_error_clear(error);
    return true;
}

hed_status hed_tuning_open(hed_tuning *t, hed_error *error)
{
    t->allocator = hed_context_describe(hed_device_context(t->device)).allocator;
    t->best = HED_NO_EVALUATION;
    t->gained = INFINITY;
    t->stage = "starting";
    t->last_progress = -INFINITY; /* the first evaluation is shown at once, however fast it was */
    t->last_clock = clock_seconds(t);
    for (uint32_t slot = 0; slot < HED_RUNNER_SLOTS; slot++) t->in_slot[slot] = HED_NO_EVALUATION;
    t->result = hed_allocate(&t->allocator, sizeof *t->result);
    if (!t->result) return HED_OUT_OF_MEMORY(error, "the result of a tuning");
    t->result->allocator = t->allocator;
    t->result->in_process_reason = "";
    t->result->not_kept_reason = t->def->keep ? "the database cannot be used" : "not asked for";
    t->result->gain = t->result->share = NAN;
    t->result->counters = t->result->default_counters = hed_counters_unknown();
    return HED_OK;
}

void hed_tuning_free_marks(hed_tuning *t)
{
    if (!t->result) return;
    hed_release(&t->allocator, t->marks, evaluation_capacity(t->result->count) * sizeof *t->marks);
    t->marks = NULL;
}

void hed_tuning_close(hed_tuning *t)
{
    hed_search_destroy(t->search);
    hed_release(&t->allocator, t->ready, t->ready_capacity * sizeof *t->ready);
    hed_tuning_free_marks(t);
    hed_tune_result_free(t->result);
}

void hed_tune_result_free(hed_tune_result *result)
{
    if (!result) return;
    hed_allocator allocator = result->allocator;
    hed_release(&allocator, result->evaluations,
        evaluation_capacity(result->count) * sizeof *result->evaluations);
    hed_release(&allocator, result, sizeof *result);
}
