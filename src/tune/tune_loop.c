/* Search of a tuning: replays the history; then proposes candidates, compiles them ahead, measures
 * and records them, until a limit is reached. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "tune/tuning_state.h"

enum {
    SOURCES = 32,     /* maximum number of other devices and sizes that the search starts from */
    CHECK_EVERY = 8,  /* evaluations between two measurements of the clock's drift */
    CHECK_APART = 10, /* minimum time between two long ones, in their duration */
    /* compiled candidates in the queue: later proposals know more results */
    AHEAD_FEW = 4,
};

static const double warm_share = 0.02, warm_seconds = 1; /* fraction of the time limit; maximum */
static const double finals_share = 0.12;                 /* fraction of the time limit */
/* times slower than the best: a faster anchor is cheaper to time */
static const double anchor_slower = 3;
static const double wait_seconds = 0.1;
static const double short_check = 0.05; /* s; a check of the drift that may follow each new best */
/* s: minimum of an entrant's round; preparation of all entrants */
static const double least_round = 1e-3, set_up_seconds = 0.5;

/* ---- history ---- */

/* Opens the database's session. A failure is logged, and the tuning continues without it. */
static void open_session(hed_tuning *t)
{
    hed_error error = {0};
    char settings[192];
    const hed_tune_def *def = t->def;
    hed_context *context = hed_device_context(t->device);
    hed_logger logger = hed_context_describe(context).logger;
    if (!t->database || !def->keep) return;
    snprintf(settings, sizeof settings, "%s, %u evaluations, %g s, seed %llu%s%s",
        hed_strategy_name(def->strategy), def->evaluations, def->limit_seconds,
        (unsigned long long)def->seed, t->key.judge[0] ? ", judge " : "", t->key.judge);
    if (!hed_database_begin(t->database, &t->key, settings, &t->session, &error)) return;
    hed_log_message(
        &logger, HED_LOG_WARNING, "this tuning of %s is not kept: %s", t->key.kernel, error.text);
    t->session = 0;
}

/* Recalls the database's choice for exactly this key. */
static void recall_choice(hed_tuning *t)
{
    hed_config_origin configured;
    hed_config config;
    hed_choices *choices = t->def->database
                               ? hed_choices_load_from(t->def->database, &t->key)
                               : hed_choices_load(hed_device_context(t->device), &t->key);
    if (!choices) return;
    if (hed_choices_find(choices, &t->key.problem, 0, &config, &configured) &&
        configured == HED_ORIGIN_EXACT && hed_space_find(t->space, &config) != UINT64_MAX) {
        t->has_stored = true;
        t->stored = config;
    }
    hed_choices_free(choices);
}

static hed_status loop_create_search(hed_tuning *t, hed_error *error)
{
    hed_search_source *sources = NULL;
    uint32_t count = 0;
    size_t bytes = 0;
    /* a database that cannot be read does not prevent the search */
    if (t->database)
        hed_database_sources(t->database, &t->key, SOURCES, &sources, &count, &bytes, NULL);
    hed_search_def def = {.allocator = &t->allocator,
        .space = t->space,
        .strategy = t->def->strategy,
        .seed = t->def->seed,
        .sources = sources,
        .source_count = count};
    hed_status status = hed_search_create(&def, &t->search, error);
    hed_release(&t->allocator, sources, bytes);
    return status;
}

/* Takes over an evaluation of an earlier tuning: as a result, or, without `resume`, only so that a
 * candidate that crashed or hung is not tried again. */
static hed_status loop_recall(hed_tuning *t, const hed_evaluation *earlier, hed_error *error)
{
    bool fatal = earlier->outcome == HED_OUTCOME_CRASHED || earlier->outcome == HED_OUTCOME_HUNG;
    if (hed_space_find(t->space, &earlier->config) == UINT64_MAX) return HED_OK;
    if (!t->def->resume && !fatal) return HED_OK;
    if (!t->def->resume) {
        t->has_default = t->has_default && !hed_config_equal(&t->default_config, &earlier->config);
        t->has_stored = t->has_stored && !hed_config_equal(&t->stored, &earlier->config);
        return hed_search_tell(t->search, &earlier->config, NAN, error);
    }
    hed_evaluation evaluation = *earlier;
    evaluation.at = 0;
    return hed_tuning_add(t, &evaluation, HED_NO_SLOT, error);
}

static hed_status recall_history(hed_tuning *t, hed_error *error)
{
    hed_evaluation *history = NULL;
    uint32_t count = 0;
    hed_status status = HED_OK;
    if (t->database && hed_database_history(t->database, &t->key, &history, &count, NULL))
        return HED_OK;
    for (uint32_t i = 0; i < count && !status; i++) status = loop_recall(t, &history[i], error);
    t->since_gain = 0;
    hed_release(&t->allocator, history, count * sizeof *history);
    return status;
}

/* ---- one candidate ---- */

/* Reports a result at its corrected level to the search. */
static hed_status report_again(hed_tuning *t, uint32_t index, hed_error *error)
{
    const hed_evaluation *evaluation = &t->result->evaluations[index];
    if (!hed_tuning_worked(evaluation->outcome)) return HED_OK;
    return hed_search_tell(t->search, &evaluation->config, hed_tuning_value(t, index), error);
}

static hed_status warm_up(hed_tuning *t, uint32_t slot, hed_trial *trial, hed_error *error)
{
    double limit = t->def->limit_seconds > 0
                       ? fmin(warm_share * t->def->limit_seconds, warm_seconds)
                       : warm_seconds;
    if (t->warm) return HED_OK;
    t->warm = true;
    return hed_race_warm_up(&t->race, slot, limit, trial, error);
}

static void note_trial(hed_evaluation *evaluation, const hed_trial *trial)
{
    evaluation->outcome = trial->outcome;
    hed_text_copy(evaluation->text, sizeof evaluation->text, trial->text);
}

/* Prepares and times a candidate. `build`: outcome of compiling it ahead. */
static hed_status loop_measure(hed_tuning *t, uint32_t slot, const hed_trial *build,
    hed_evaluation *evaluation, hed_probe *probe, hed_error *error)
{
    hed_trial trial = *build;
    hed_status status = HED_OK;
    *probe = (hed_probe){0};
    if (!trial.outcome) status = hed_tuning_load(t, slot, &evaluation->config, &trial, error);
    evaluation->build_seconds = fmax(build->build_seconds, trial.build_seconds);
    evaluation->error = trial.error;
    if (!trial.outcome && !status) status = warm_up(t, slot, &trial, error);
    note_trial(evaluation, &trial);
    if (status || trial.outcome) return status;
    status = hed_race_probe(&t->race, slot, probe, error);
    note_trial(evaluation, &probe->trial);
    evaluation->runs = probe->runs;
    if (hed_tuning_worked(probe->trial.outcome)) {
        evaluation->seconds = probe->seconds;
        evaluation->low = probe->low;
        evaluation->high = probe->high;
        if (t->def->metric) evaluation->second = t->fastest[slot];
    }
    return status;
}

/* Measures the clock's drift. The candidates timed since the last measurement get levels
 * interpolated between the two. */
static hed_status correct_drift(hed_tuning *t, hed_error *error)
{
    hed_tune_result *r = t->result;
    hed_trial trial;
    double before = t->race.level, started = hed_tuning_elapsed(t);
    hed_status status = hed_race_check(&t->race, &trial, error);
    if (status) return status;
    t->checked_at = hed_tuning_elapsed(t);
    t->check_seconds = t->checked_at - started;
    /* the anchor worked before, and another will be chosen */
    if (trial.outcome) t->race.anchored = false;
    uint32_t first = t->unchecked;
    double from = first < r->count ? r->evaluations[first].at : 0,
           span = fmax(hed_tuning_elapsed(t) - from, 1e-9);
    t->unchecked = r->count;
    if (t->race.level == before) return HED_OK;
    for (uint32_t i = first; i < r->count && !status; i++) {
        double way = fmin(1, fmax(0, (r->evaluations[i].at - from) / span));
        t->marks[i].level = before + way * (t->race.level - before);
        status = report_again(t, i, error);
    }
    hed_tuning_find_best(t);
    return status;
}

static hed_status loop_evaluate(
    hed_tuning *t, const hed_config *config, const hed_trial *build, hed_error *error)
{
    hed_probe probe;
    uint32_t slot = hed_tuning_free_slot(t), before = t->best;
    hed_evaluation evaluation = {
        .config = *config, .seconds = NAN, .low = NAN, .high = NAN, .error = NAN};
    double began = hed_tuning_elapsed(t);
    hed_status status = loop_measure(t, slot, build, &evaluation, &probe, error);
    if (status || (t->stopped && probe.runs == 0))
        return status; /* stopped before its first run: not evaluated */
    evaluation.at = hed_tuning_elapsed(t);
    t->evaluation_seconds = evaluation.at - began;
    status = hed_tuning_add(t, &evaluation, slot, error);
    /* a check of the drift that takes long has a tenth of the time at most */
    bool due = !t->fleet && /* each device of a fleet corrects its own */
               (t->best != before || t->result->count - t->unchecked >= CHECK_EVERY),
         is_affordable = t->check_seconds < short_check ||
                         evaluation.at - t->checked_at >= CHECK_APART * t->check_seconds;
    if (due && is_affordable && !t->stopped && !t->runner->lost && !status)
        status = correct_drift(t, error);
    /* the first candidate that works becomes the anchor, until the best is much faster */
    if (evaluation.outcome == HED_OUTCOME_MEASURED &&
        (!t->race.anchored || probe.seconds / t->race.level * anchor_slower < t->race.anchor_base))
        hed_race_anchor(&t->race, slot, &probe);
    if (status) return status;
    hed_tuning_show(t, true);
    return HED_OK;
}

/* Evaluates a configuration that must take part in the comparison, unless it has a result. */
static hed_status evaluate_first(hed_tuning *t, const hed_config *config, hed_error *error)
{
    const hed_trial nothing = {.error = NAN};
    if (hed_tuning_find(t, config) != HED_NO_EVALUATION || hed_tuning_stop(t) || t->runner->lost)
        return HED_OK;
    return loop_evaluate(t, config, &nothing, error);
}

/* ---- proposals ---- */

/* The next proposal of the search that has no result. `t->dry`: the search has no more. */
static hed_status loop_propose(hed_tuning *t, hed_config *config, hed_error *error)
{
    hed_status status = hed_search_ask(t->search, config, error);
    t->dry = status == HED_ERROR_BOUNDS;
    return t->dry ? HED_OK : status;
}

/* Proposes candidates to the compilers: as many as keep them busy, but few enough that proposals
 * use recent results. If nothing is measured meanwhile, one per compiler. */
static hed_status propose_ahead(hed_tuning *t, hed_error *error)
{
    uint32_t builders = t->builders, at_once = t->quiet ? builders : 2 * builders;
    uint32_t limit = t->def->evaluations ? t->def->evaluations : UINT32_MAX;
    hed_status status = HED_OK;
    if (t->quiet && t->building + t->ready_count > 0) return HED_OK;
    while (!t->dry && !status && t->result->count + t->building + t->ready_count < limit &&
           t->building < at_once && t->ready_count < AHEAD_FEW + builders / 4) {
        hed_config config;
        status = loop_propose(t, &config, error);
        if (status || t->dry) break;
        status = t->runner->kind->build_ahead(t->runner, &config, error);
        t->building += !status;
    }
    return status;
}

void hed_tuning_collect(hed_tuning *t, double seconds)
{
    while (t->building && t->ready_count < t->ready_capacity) {
        hed_ready *ready = &t->ready[(t->ready_first + t->ready_count) % t->ready_capacity];
        if (!t->runner->kind->built(t->runner, seconds, &ready->config, &ready->trial)) return;
        t->building--;
        t->ready_count++;
        seconds = 0;
    }
}

static hed_status next_of_compiled(hed_tuning *t, bool *has_next, hed_ready *next, hed_error *error)
{
    hed_status status = propose_ahead(t, error);
    if (status) return status;
    hed_tuning_collect(t, 0);
    bool wait = t->ready_count == 0 || (t->quiet && t->building);
    if (wait && t->building) {
        hed_tuning_collect(t, wait_seconds);
        wait = t->ready_count == 0 || (t->quiet && t->building);
    }
    *has_next = !wait;
    if (!*has_next) return HED_OK;
    *next = t->ready[t->ready_first];
    t->ready_first = (t->ready_first + 1) % t->ready_capacity;
    t->ready_count--;
    return HED_OK;
}

/* ---- end of the search ---- */

static bool ended(hed_tuning *t)
{
    const hed_tune_def *def = t->def;
    hed_tune_result *r = t->result;
    double share =
        t->best != HED_NO_EVALUATION ? hed_tuning_share(t, r->evaluations[t->best].seconds) : NAN;
    /* reserve time for the final rounds with every entrant, at most finals_share of the limit */
    enum { ENTRANTS = 10 };
    bool timed = def->objective == HED_OBJECTIVE_TIME && t->best != HED_NO_EVALUATION;
    double best = timed ? r->evaluations[t->best].seconds : INFINITY;
    double limit = hed_tuning_limit(t);
    double finals = fmin(finals_share * limit,
        HED_FINAL_ROUNDS * ENTRANTS * 2 * fmax(best, least_round) + set_up_seconds);
    /* half of an evaluation, so that ends are neither early nor late on the average */
    double elapsed = hed_tuning_elapsed(t);
    /* keep going until one configuration has a result */
    bool late =
        limit > 0 && r->count > 0 && elapsed + 0.5 * t->evaluation_seconds >= limit - finals;
    if (hed_tuning_stop(t)) r->end = HED_TUNE_STOPPED;
    else if (t->runner->lost) r->end = HED_TUNE_LOST;
    else if (def->good_enough > 0 && share >= def->good_enough) r->end = HED_TUNE_GOOD_ENOUGH;
    else if (r->count >= r->space || (t->dry && t->building + t->ready_count == 0))
        r->end = HED_TUNE_EXHAUSTED;
    else if (def->evaluations && r->count >= def->evaluations) r->end = HED_TUNE_EVALUATIONS;
    else if (late) r->end = HED_TUNE_SECONDS;
    else if (def->patience && t->since_gain >= def->patience) r->end = HED_TUNE_NO_GAIN;
    else return false;
    return true;
}

/* Times the best recalled candidate again, and corrects all recalled times by its drift: the clock
 * may have run at another rate in earlier tunings. */
static hed_status measure_recalled(hed_tuning *t, hed_error *error)
{
    hed_tune_result *r = t->result;
    hed_probe probe = {0};
    if (t->best == HED_NO_EVALUATION || ended(t)) return HED_OK;
    uint32_t best = t->best;
    if (hed_tuning_prepare(t, best, &probe.trial, error) || probe.trial.outcome)
        return error->status;
    uint32_t slot = t->marks[best].slot;
    if (warm_up(t, slot, &probe.trial, error) || probe.trial.outcome ||
        hed_race_probe(&t->race, slot, &probe, error) || probe.trial.outcome || probe.runs == 0)
        return error->status;
    hed_race_anchor(&t->race, slot, &probe);
    double drift = probe.seconds / r->evaluations[best].seconds;
    for (uint32_t i = 0; i < r->count && !hed_failed(error); i++) {
        t->marks[i].level = 1 / drift;
        report_again(t, i, error);
    }
    hed_tuning_find_best(t);
    return error->status;
}

static hed_status loop_search(hed_tuning *t, hed_error *error)
{
    if ((t->builders && !t->quiet && propose_ahead(t, error)) || measure_recalled(t, error) ||
        (t->has_default && evaluate_first(t, &t->default_config, error)) ||
        (t->has_stored && evaluate_first(t, &t->stored, error)) ||
        /* known to work where the default does not, so that a short tuning has a result */
        (t->result->reference_config.count &&
            hed_space_find(t->space, &t->result->reference_config) != UINT64_MAX &&
            evaluate_first(t, &t->result->reference_config, error)))
        return error->status;
    t->stage = "searching";
    while (!hed_failed(error) && !ended(t)) {
        bool has_next = false;
        hed_ready next = {.trial = {.error = NAN}};
        if (t->builders) next_of_compiled(t, &has_next, &next, error);
        else has_next = !loop_propose(t, &next.config, error) && !t->dry;
        if (has_next && hed_tuning_find(t, &next.config) == HED_NO_EVALUATION)
            loop_evaluate(t, &next.config, &next.trial, error);
    }
    return error->status;
}

/* ---- callbacks of the race ---- */

static hed_status loop_time_slot(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *error)
{
    hed_tuning *t = user;
    hed_status status = t->runner->kind->time(t->runner, slot, runs, values, trial, error);
    const hed_tune_metric *metric = t->def->metric;
    for (uint32_t i = 0; metric && i < runs && !status && !trial->outcome; i++) {
        if (!(values[i] > 0)) continue; /* the host's clock stepped back */
        double value = metric->value(metric, &t->loaded[slot], values[i], NAN);
        t->fastest[slot] = fmin(t->fastest[slot], values[i]);
        values[i] = metric->maximized ? 1 / value : value;
        if (value > 0 && isfinite(values[i])) continue;
        trial->outcome = HED_OUTCOME_IMPOSSIBLE;
        snprintf(trial->text, sizeof trial->text, "%s is %g; expected a positive number",
            metric->name, value);
    }
    return status;
}

static hed_status loop_announce(
    void *user, const uint32_t *slots, const uint32_t *runs, uint32_t count, hed_error *error)
{
    hed_tuning *t = user;
    if (!t->runner->kind->announce) return HED_OK;
    return t->runner->kind->announce(t->runner, slots, runs, count, error);
}

static hed_race_runs loop_runs_of(void *user, uint32_t slot)
{
    hed_tuning *t = user;
    return hed_fleet_runs(t->runner, slot);
}

static double seconds_passed(void *user) { return hed_tuning_elapsed(user); }

static bool loop_stop_asked(void *user) { return hed_tuning_stop(user); }

static hed_status loop_begin(hed_tuning *t, hed_error *error)
{
    t->result->space = hed_space_count(t->space);
    t->ready_capacity = t->builders ? 4 * t->builders + AHEAD_FEW : 0;
    t->ready = hed_allocate(&t->allocator, t->ready_capacity * sizeof *t->ready);
    if (!t->ready) return HED_OUT_OF_MEMORY(error, "%u candidates", t->ready_capacity);
    t->database =
        t->def->database ? t->def->database : hed_context_database(hed_device_context(t->device));
    recall_choice(t);
    t->race = (hed_race){.def = {.user = t,
                             .time = loop_time_slot,
                             .announce = loop_announce,
                             .runs_of = t->fleet ? loop_runs_of : NULL,
                             .now = seconds_passed,
                             .stop = loop_stop_asked},
        .level = 1,
        .best = INFINITY,
        .best_high = INFINITY};
    if (loop_create_search(t, error)) return error->status;
    /* earlier results count for the same judge alone; crashes and hangs, for every judge */
    return t->def->resume ? HED_OK : recall_history(t, error);
}

hed_status hed_tuning_build_ahead(hed_tuning *t, hed_error *error)
{
    return loop_begin(t, error) ? error->status : propose_ahead(t, error);
}

void hed_tuning_forget_ahead(hed_tuning *t)
{
    hed_search_destroy(t->search);
    t->search = NULL;
    hed_release(&t->allocator, t->ready, t->ready_capacity * sizeof *t->ready);
    t->ready = NULL;
    t->ready_capacity = t->ready_first = t->ready_count = t->building = 0;
    t->dry = false;
}

hed_status hed_tuning_search(hed_tuning *t, hed_error *error)
{
    if (!t->search && loop_begin(t, error)) return error->status;
    t->race.def.floor_seconds = t->floor_seconds;
    open_session(t);
    if (!t->def->resume || !recall_history(t, error)) loop_search(t, error);
    return error->status;
}

hed_status hed_tuning_run(hed_tuning *t, hed_tune_result **result, hed_error *error)
{
    if (t->stopped) {
        t->result->end = HED_TUNE_STOPPED;
        if (t->def->keep) t->result->not_kept_reason = "no configuration was tried";
    } else {
        hed_tuning_search(t, error);
        if (hed_tuning_lost_runner(t, error) || !hed_failed(error)) hed_tuning_finish(t, error);
        if (!hed_failed(error)) hed_tuning_measure_other(t, error);
        if (!hed_failed(error)) hed_tuning_measure_counters(t);
        /* search and finish write to the database even if they fail; it logs its own errors */
        if (t->session && hed_database_confirm(t->database, NULL)) {
            t->result->kept = false;
            t->result->not_kept_reason = "the database cannot be written";
        }
        if (t->search) hed_search_importance(t->search, t->result->importance);
    }
    t->result->seconds = hed_tuning_elapsed(t);
    if (hed_failed(error)) return error->status;
    for (uint32_t i = 0; i < t->result->count; i++)
        t->result->evaluations[i].drift = t->marks[i].level;
    hed_tuning_free_marks(t);
    *result = t->result;
    t->result = NULL;
    return HED_OK;
}
