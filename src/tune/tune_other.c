/* The other one of time and energy, after the search for one of them: measures the configurations
 * that work, the best first, in a runner of its own, and stores the values under a key of their
 * own. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "heddle/stats.h"
#include "tune/tuning_state.h"

enum {
    TIME_RUNS = 7
}; /* runs whose median is the time; a run for energy repeats the launch itself */

/* Measurement of the other objective. */
typedef struct other_stage {
    hed_tuning *tuning;
    hed_runner *runner;
    hed_tune_key key; /* key of the tuning with the other objective */
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
    recorded.runs = s->key.objective == HED_OBJECTIVE_ENERGY ? 1 : TIME_RUNS;
    recorded.at = hed_tuning_elapsed(t);
    if (!s->session || !hed_database_record(t->database, s->session, &s->key, &recorded, &error))
        return;
    hed_log_message(&logger, HED_LOG_WARNING, "the %s of %s is not kept: %s", t->stage,
        s->key.kernel, error.text);
    s->session = 0;
}

/* ---- measurement ---- */

/* The best configuration without a value, the winner first, or HED_NO_EVALUATION. */
static uint32_t other_next(const hed_tuning *t)
{
    const hed_tune_result *r = t->result;
    uint32_t next = HED_NO_EVALUATION;
    if (r->evaluations[r->best].second == 0) return r->best;
    for (uint32_t i = 0; i < r->count; i++) {
        bool is_open =
            hed_tuning_worked(r->evaluations[i].outcome) && r->evaluations[i].second == 0;
        if (is_open &&
            (next == HED_NO_EVALUATION || hed_tuning_value(t, i) < hed_tuning_value(t, next)))
            next = i;
    }
    return next;
}

/* Measures one configuration; its value is NAN if that fails. Errors: as a runner's. */
static hed_status other_measure(other_stage *s, hed_evaluation *evaluation, hed_error *error)
{
    double values[TIME_RUNS];
    uint32_t runs = s->key.objective == HED_OBJECTIVE_ENERGY ? 1 : TIME_RUNS, possible = 0;
    hed_trial trial = {0};
    evaluation->second = NAN;
    if (s->runner->kind->prepare(s->runner, 0, &evaluation->config, &trial, error) ||
        trial.outcome || s->runner->kind->time(s->runner, 0, runs, values, &trial, error) ||
        trial.outcome)
        return error->status;
    for (uint32_t i = 0; i < runs; i++)
        if (values[i] > 0) values[possible++] = values[i];
    if (possible) evaluation->second = hed_summarize(values, possible).p50;
    return HED_OK;
}

static void other_measure_all(other_stage *s, hed_error *error)
{
    hed_tuning *t = s->tuning;
    double limit = t->def->limit_seconds, cost = 0;
    for (uint32_t i; (i = other_next(t)) != HED_NO_EVALUATION && !s->runner->lost;) {
        hed_evaluation *evaluation = &t->result->evaluations[i];
        double began = hed_tuning_elapsed(t);
        if (hed_tuning_stop(t) || (limit > 0 && began + cost > limit)) return;
        if (other_measure(s, evaluation, error)) return;
        cost = hed_tuning_elapsed(t) - began;
        if (evaluation->second > 0) other_record(s, evaluation);
    }
}

void hed_tuning_measure_other(hed_tuning *t)
{
    hed_tune_result *r = t->result;
    hed_error error = {0};
    hed_logger logger = other_logger(t);
    other_stage s = {.tuning = t, .key = t->key};
    if (!t->open_other || t->stopped || r->best >= r->count) return;
    bool is_energy = t->key.objective == HED_OBJECTIVE_TIME;
    s.key.objective = is_energy ? HED_OBJECTIVE_ENERGY : HED_OBJECTIVE_TIME;
    t->stage = is_energy ? "energy" : "time";
    hed_tuning_tell(t);
    other_recall(&s);
    if (t->session && hed_database_begin(t->database, &s.key,
                          is_energy ? "beside a tuning for time" : "beside a tuning for energy",
                          &s.session, NULL))
        s.session = 0;
    /* a device elsewhere has one runner at a time, and the memory of two would not fit everywhere */
    hed_runner_destroy(t->runner);
    t->runner = NULL;
    t->fleet = false;
    if (!t->open_other(t->user, &s.runner, &error)) other_measure_all(&s, &error);
    if (hed_failed(&error) && !t->stopped)
        hed_log_message(&logger, HED_LOG_WARNING, "the %s of %s is not measured any further: %s",
            t->stage, t->key.kernel, error.text);
    for (uint32_t i = 0; i < r->count; i++)
        if (!(r->evaluations[i].second > 0))
            r->evaluations[i].second = 0; /* failed: not measured */
    hed_runner_destroy(s.runner);
}
