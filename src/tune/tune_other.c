/* Energy, after the search by time: measures the configurations that work, the fastest first, in a runner
 * of its own, and stores the values under a key of their own. A measurement takes a second, which a search
 * cannot pay for each candidate; where the energy decides, the most sparing of the measured ones wins. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/error.h"
#include "base/text.h"
#include "tune/tuning_state.h"

enum { LEAST_MEASURED = 3 }; /* configurations to measure, whatever the time limit */

/* relative difference of two energies that is noise: the front's */
static const double energy_margin = 0.02;

/* Measurement of the energy. */
typedef struct other_stage {
    hed_tuning *tuning;
    hed_runner *runner;
    hed_tune_key key; /* key of the tuning with the energy as objective */
    int64_t session;  /* 0: nothing is recorded */
} other_stage;

static hed_logger other_logger(const hed_tuning *t)
{
    return hed_context_describe(hed_device_context(t->device)).logger;
}

/* ---- the database ---- */

/* Takes over the values of earlier tunings. */
static void other_recall(other_stage *s)
{
    hed_tuning *t = s->tuning;
    hed_evaluation *history = NULL;
    uint32_t count = 0;
    if (!t->database || !t->def->resume ||
        hed_database_history(t->database, &s->key, &history, &count, NULL))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = hed_tuning_find(t, &history[i].config);
        if (index != HED_NO_EVALUATION && history[i].outcome == HED_OUTCOME_MEASURED)
            t->result->evaluations[index].second = history[i].seconds;
    }
    hed_release(&t->allocator, history, count * sizeof *history);
}

static void other_record(other_stage *s, const hed_evaluation *evaluation)
{
    hed_tuning *t = s->tuning;
    hed_error error = {0};
    hed_logger logger = other_logger(t);
    hed_evaluation recorded = *evaluation;
    recorded.outcome = HED_OUTCOME_MEASURED;
    recorded.recalled = false;
    recorded.seconds = evaluation->second;
    recorded.low = recorded.high = NAN;
    recorded.runs = 1; /* one measurement repeats the launch */
    recorded.at = hed_tuning_elapsed(t);
    if (!s->session || !hed_database_record(t->database, s->session, &s->key, &recorded, &error))
        return;
    hed_log_message(&logger, HED_LOG_WARNING, "the %s of %s is not kept: %s", t->stage,
        s->key.kernel, error.text);
    s->session = 0;
}

/* ---- measurement ---- */

/* True if a configuration works and its energy is not known. */
static bool other_is_open(const hed_tuning *t, uint32_t index)
{
    const hed_evaluation *e = t->result->evaluations;
    return index < t->result->count && hed_tuning_worked(e[index].outcome) && e[index].second == 0;
}

/* The next configuration to measure: the winner, the default, then the fastest; or HED_NO_EVALUATION. */
static uint32_t other_next(const hed_tuning *t)
{
    const hed_tune_result *r = t->result;
    uint32_t next = HED_NO_EVALUATION;
    if (other_is_open(t, r->best)) return r->best;
    if (other_is_open(t, r->default_index)) return r->default_index;
    for (uint32_t i = 0; i < r->count; i++)
        if (other_is_open(t, i) &&
            (next == HED_NO_EVALUATION || hed_tuning_value(t, i) < hed_tuning_value(t, next)))
            next = i;
    return next;
}

/* Measures one configuration; its value is NAN if that fails. Errors: as a runner's. */
static hed_status other_measure(other_stage *s, hed_evaluation *evaluation, hed_error *error)
{
    double joules = NAN;
    hed_trial trial = {0};
    evaluation->second = NAN;
    if (s->runner->kind->prepare(s->runner, 0, &evaluation->config, &trial, error) ||
        trial.outcome || s->runner->kind->time(s->runner, 0, 1, &joules, &trial, error) ||
        trial.outcome)
        return error->status;
    if (joules > 0) evaluation->second = joules;
    return HED_OK;
}

static void other_measure_all(other_stage *s, hed_error *error)
{
    hed_tuning *t = s->tuning;
    double limit = t->def->limit_seconds, cost = 0;
    uint32_t count = 0;
    for (uint32_t i; (i = other_next(t)) != HED_NO_EVALUATION && !s->runner->lost; count++) {
        hed_evaluation *evaluation = &t->result->evaluations[i];
        double began = hed_tuning_elapsed(t);
        bool is_late = limit > 0 && began + cost > limit && count >= LEAST_MEASURED;
        if (hed_tuning_stop(t) || is_late || other_measure(s, evaluation, error)) return;
        cost = hed_tuning_elapsed(t) - began;
        if (evaluation->second > 0) other_record(s, evaluation);
    }
}

/* ---- the energy decides ---- */

static void turn_evaluation(hed_tuning *t, uint32_t index, double watts)
{
    hed_evaluation *e = &t->result->evaluations[index];
    double seconds = hed_tuning_value(t, index);
    bool is_measured = e->second > 0;
    t->marks[index].level = 1;
    if (!hed_tuning_worked(e->outcome)) return;
    e->outcome = is_measured ? HED_OUTCOME_MEASURED : HED_OUTCOME_DROPPED;
    if (!is_measured) hed_text_copy(e->text, sizeof e->text, "too slow to be measured; estimated by the power of the winner");
    e->seconds = is_measured ? e->second : watts * seconds;
    e->second = is_measured && t->def->two_objectives ? seconds : 0;
    e->low = e->high = NAN;
    e->runs = 1;
    e->tied = false;
}

/* Makes the energy the value of each evaluation, and the most sparing one the winner, which the database
 * keeps. Errors: DRIVER if no energy is known. */
static hed_status other_turn(other_stage *s, hed_error *error)
{
    hed_tuning *t = s->tuning;
    hed_tune_result *r = t->result;
    uint32_t best = r->count;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->evaluations[i].second > 0 &&
            (best == r->count || r->evaluations[i].second < r->evaluations[best].second))
            best = i;
    r->kept = r->kept_stored = false;
    r->share = NAN;
    if (best == r->count) {
        r->count = r->best = r->default_index = r->stored_index = 0;
        r->not_kept_reason = "no energy was measured";
        return t->stopped ? HED_OK
                          : hed_fail(error, HED_ERROR_DRIVER, "%s: no energy could be measured", t->key.kernel);
    }
    bool has_gain = r->default_index < r->count && r->evaluations[r->default_index].second > 0;
    r->gain =
        has_gain ? r->evaluations[r->default_index].second / r->evaluations[best].second : NAN;
    double watts = r->evaluations[best].second / hed_tuning_value(t, best);
    for (uint32_t i = 0; i < r->count; i++) turn_evaluation(t, i, watts);
    r->best = t->best = best;
    r->stored_index = r->count;
    r->ties = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        hed_evaluation *e = &r->evaluations[i];
        e->tied = i != best && e->outcome == HED_OUTCOME_MEASURED &&
                  e->seconds <= (1 + energy_margin) * r->evaluations[best].seconds;
        r->ties += e->tied;
    }
    t->key = s->key;
    t->session = s->session;
    hed_tuning_keep_choice(t);
    return HED_OK;
}

hed_status hed_tuning_measure_other(hed_tuning *t, hed_error *error)
{
    hed_tune_result *r = t->result;
    hed_error failure = {0};
    hed_logger logger = other_logger(t);
    other_stage s = {.tuning = t, .key = t->key};
    if (!t->open_other || r->best >= r->count) return HED_OK;
    if (t->stopped) return t->energy_decides ? other_turn(&s, error) : HED_OK;
    s.key.objective = HED_OBJECTIVE_ENERGY;
    t->stage = "energy";
    hed_tuning_tell(t);
    other_recall(&s);
    if (t->session && hed_database_begin(t->database, &s.key, "after a search by time", &s.session, NULL))
        s.session = 0;
    /* a device elsewhere has one runner at a time, and the memory of two would not fit everywhere */
    hed_runner_destroy(t->runner);
    t->runner = NULL;
    t->fleet = false;
    if (!t->open_other(t->user, &s.runner, &failure)) other_measure_all(&s, &failure);
    if (hed_failed(&failure) && !t->stopped)
        hed_log_message(&logger, HED_LOG_WARNING, "the %s of %s is not measured any further: %s",
            t->stage, t->key.kernel, failure.text);
    for (uint32_t i = 0; i < r->count; i++)
        if (!(r->evaluations[i].second > 0))
            r->evaluations[i].second = 0; /* failed: not measured */
    hed_runner_destroy(s.runner);
    return t->energy_decides ? other_turn(&s, error) : HED_OK;
}
