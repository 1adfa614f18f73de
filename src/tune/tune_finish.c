/* End of a tuning: final rounds among the best candidates, the stored choice and the default; then
 * the winner, its ties, and the entry in the database. */
#include <math.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "heddle/stats.h"
#include "tune/tuning_state.h"

enum { BEST_ENTRANTS = 8 };

/* relative loss up to which a candidate may still be the best */
static const double entrant_margin = 0.02;
/* fraction of the search's time, if there is no limit; minimum, s, of one device: several make as
 * many runs in their fraction of it */
static const double unlimited_share = 0.15, least_seconds = 2;

/* ---- entrants of the final rounds ---- */

typedef struct final_list {
    uint32_t count;
    uint32_t evaluations[HED_FINAL_ENTRANTS];
    hed_entrant entrants[HED_FINAL_ENTRANTS];
} final_list;

/* Adds a candidate to the list if it can still be prepared. */
static hed_status finish_enter(
    hed_tuning *t, uint32_t evaluation, final_list *list, hed_error *error)
{
    hed_trial trial;
    bool stored = evaluation == t->result->stored_index,
         is_kept = stored || evaluation == t->result->default_index;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->evaluations[i] == evaluation) return HED_OK;
    if (hed_tuning_stop(t)) return HED_OK;
    hed_status status = hed_tuning_prepare(t, evaluation, &trial, error);
    if (status || t->stopped) return status;
    if (trial.outcome) {
        hed_evaluation *e = &t->result->evaluations[evaluation];
        e->outcome = trial.outcome;
        hed_text_copy(e->text, sizeof e->text, trial.text);
        e->seconds = e->low = e->high = NAN;
        hed_tuning_record(t, e);
        return HED_OK;
    }
    list->entrants[list->count] = (hed_entrant){.slot = t->marks[evaluation].slot,
        .is_kept = is_kept,
        /* stored choice, then default, then order in the space: a rule independent of times */
        .preference =
            stored    ? 0
            : is_kept ? 1
                      : 2 + hed_space_find(t->space, &t->result->evaluations[evaluation].config)};
    list->evaluations[list->count++] = evaluation;
    return HED_OK;
}

/* Rank of a candidate by time; equal times, common with coarse clocks, by index. */
typedef struct place {
    double value;
    uint32_t evaluation;
} place;

static bool finish_before(place a, place b)
{
    return a.value < b.value || (a.value == b.value && a.evaluation < b.evaluation);
}

/* True if a candidate may still be faster than the best, whose interval ends at `high`. */
static bool contends(const hed_tuning *t, uint32_t evaluation, double high)
{
    double low = t->result->evaluations[evaluation].low / t->marks[evaluation].level;
    return hed_tuning_value(t, evaluation) <= high * (1 + entrant_margin) || low <= high;
}

static place next_fastest(const hed_tuning *t, place after, double high)
{
    place next = {INFINITY, HED_NO_EVALUATION};
    for (uint32_t i = 0; i < t->result->count; i++) {
        place candidate = {hed_tuning_value(t, i), i};
        if (finish_before(after, candidate) && finish_before(candidate, next) &&
            contends(t, i, high))
            next = candidate;
    }
    return next;
}

/* Number of the fastest candidates that can meet in a few rounds within `seconds`. */
static uint32_t affordable_entrants(const hed_tuning *t, double seconds)
{
    enum { ROUNDS = 6, LEAST_ENTRANTS = 2 }; /* rounds that give an interval */
    if (t->def->objective != HED_OBJECTIVE_TIME) return BEST_ENTRANTS;
    double fit = seconds / (ROUNDS * t->result->evaluations[t->best].seconds);
    return fit >= BEST_ENTRANTS    ? BEST_ENTRANTS
           : fit >= LEAST_ENTRANTS ? (uint32_t)fit
                                   : LEAST_ENTRANTS;
}

/* `seconds`: time of the final rounds. */
static hed_status make_list(hed_tuning *t, double seconds, final_list *list, hed_error *error)
{
    const hed_tune_result *r = t->result;
    const uint32_t defaults[] = {r->stored_index, r->default_index};
    /* the value replaces an unknown end of the interval, as of a single run that is recalled */
    double high =
        fmax(r->evaluations[t->best].high / t->marks[t->best].level, hed_tuning_value(t, t->best));
    place next = {-1, 0};
    hed_status status = HED_OK;
    uint32_t limit = affordable_entrants(t, seconds);
    *list = (final_list){0};
    while (!status && list->count < limit) {
        next = next_fastest(t, next, high);
        if (next.evaluation == HED_NO_EVALUATION) break;
        status = finish_enter(t, next.evaluation, list, error);
    }
    for (uint32_t i = 0; i < sizeof defaults / sizeof defaults[0] && !status; i++)
        if (defaults[i] < r->count && hed_tuning_worked(r->evaluations[defaults[i]].outcome))
            status = finish_enter(t, defaults[i], list, error);
    return status;
}

/* ---- results of the final rounds ---- */

/* Drift of the device: final rounds / level 1 of the search, over the candidates timed in both.
 * Other candidates are compared by it. */
static double final_drift(const hed_tuning *t, const final_list *list)
{
    double drifts[HED_FINAL_ENTRANTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        double before = hed_tuning_value(t, list->evaluations[i]);
        bool is_timed = list->entrants[i].rounds > 0 && isfinite(before) && before > 0;
        if (is_timed) drifts[count++] = list->entrants[i].seconds / before;
    }
    return count ? hed_summarize(drifts, count).p50 : t->race.level;
}

/* Replaces the entrants' times by their times in the final rounds, which are more accurate. An
 * entrant that left early ran at other times than the winner, so its time is the winner's times the
 * ratio of their common rounds. */
static void take_over(hed_tuning *t, final_list *list, uint32_t winner)
{
    for (uint32_t i = 0; i < list->count && winner < list->count; i++) {
        hed_entrant *entrant = &list->entrants[i];
        double scale = entrant->ratio * list->entrants[winner].seconds / entrant->seconds;
        if (i == winner || !isfinite(scale)) continue;
        entrant->seconds *= scale;
        entrant->low *= scale;
        entrant->high *= scale;
    }
    double drift = final_drift(t, list);
    for (uint32_t i = 0; i < list->count; i++) {
        const hed_entrant *entrant = &list->entrants[i];
        hed_evaluation *e = &t->result->evaluations[list->evaluations[i]];
        if (entrant->trial.outcome == HED_OUTCOME_MEASURED && entrant->rounds == 0) continue;
        bool worked = entrant->trial.outcome == HED_OUTCOME_MEASURED;
        /* after too few rounds the interval of the search remains, scaled to the final speed */
        double scale = entrant->seconds / e->seconds;
        bool has_interval = isfinite(entrant->low);
        e->outcome = entrant->trial.outcome;
        e->low = !worked ? NAN : has_interval ? entrant->low : scale * e->low;
        e->high = !worked ? NAN : has_interval ? entrant->high : scale * e->high;
        e->seconds = worked ? entrant->seconds : NAN;
        e->runs += entrant->runs;
        hed_text_copy(e->text, sizeof e->text, entrant->trial.text);
        t->marks[list->evaluations[i]].level = drift;
        hed_tuning_record(t, e);
    }
}

static hed_status final_rounds(hed_tuning *t, bool *decided, hed_error *error)
{
    final_list list;
    uint32_t winner;
    hed_tune_result *r = t->result;
    t->stage = "final rounds";
    hed_tuning_tell(t);
    double began = hed_tuning_elapsed(t), limit = hed_tuning_limit(t);
    uint32_t devices = t->fleet ? hed_fleet_look(t->runner, HED_NO_SLOT, r->devices) : 1;
    double seconds =
        limit > 0 ? fmax(0, limit - began) : fmax(least_seconds / devices, unlimited_share * began);
    if (make_list(t, seconds, &list, error)) return error->status;
    if (limit > 0) seconds = fmax(0, limit - hed_tuning_elapsed(t));
    if (hed_race_finals(&t->race, list.entrants, list.count, seconds, &winner, error))
        return error->status;
    take_over(t, &list, winner);
    *decided = winner < list.count;
    if (!*decided) return HED_OK;
    r->best = list.evaluations[winner];
    for (uint32_t i = 0; i < list.count; i++) {
        r->evaluations[list.evaluations[i]].tied = list.entrants[i].tied;
        r->ties += list.entrants[i].tied;
        if (list.evaluations[i] == r->default_index) r->gain = list.entrants[i].ratio;
    }
    return HED_OK;
}

static bool nothing_new(const hed_tuning *t)
{
    const hed_tune_result *r = t->result;
    uint32_t stored = r->stored_index;
    return t->new_count == 0 && stored < r->count &&
           r->evaluations[stored].outcome == HED_OUTCOME_MEASURED;
}

/* True if a is clearly faster than b: the intervals of the search do not overlap. */
static bool clearly_faster(const hed_tuning *t, uint32_t a, uint32_t b)
{
    const hed_evaluation *e = t->result->evaluations;
    return e[a].high / t->marks[a].level < e[b].low / t->marks[b].level;
}

/* Decides without final rounds: the best wins, unless a kept candidate is statistically equal to
 * it. If nothing is new, the earlier choice stays. */
static void decide_unpaired(hed_tuning *t)
{
    hed_tune_result *r = t->result;
    const uint32_t defaults[] = {r->stored_index, r->default_index};
    bool settled = nothing_new(t);
    r->best = settled ? r->stored_index : t->best;
    for (uint32_t i = 0; i < sizeof defaults / sizeof defaults[0] && !settled; i++) {
        bool is_measured =
            defaults[i] < r->count && r->evaluations[defaults[i]].outcome == HED_OUTCOME_MEASURED;
        if (!is_measured || clearly_faster(t, t->best, defaults[i])) continue;
        r->best = defaults[i];
        break;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        r->evaluations[i].tied = i != r->best && hed_tuning_worked(r->evaluations[i].outcome) &&
                                 !clearly_faster(t, r->best, i);
        r->ties += r->evaluations[i].tied;
    }
    if (r->default_index < r->count)
        r->gain = hed_tuning_value(t, r->default_index) / hed_tuning_value(t, r->best);
}

static hed_status nothing_worked(hed_tuning *t, hed_error *error)
{
    hed_tune_result *r = t->result;
    if (t->session)
        r->not_kept_reason =
            r->count ? "no configuration has worked" : "no configuration was tried";
    if (t->stopped || r->count == 0) return HED_OK;
    const hed_evaluation *first = &r->evaluations[0];
    return hed_fail(error, HED_ERROR_BUILD,
        "%s: none of %u configurations works on %s; the first: %s: %s", t->key.kernel, r->count,
        hed_device_describe(t->device).id, hed_outcome_name(first->outcome), first->text);
}

/* True if the winner was compared with so few that the stored choice or the choices for other
 * devices are better founded. */
static bool compared_too_few(const hed_tuning *t)
{
    const hed_tune_result *r = t->result;
    uint32_t worked = 0;
    for (uint32_t i = 0; i < r->count; i++) worked += hed_tuning_worked(r->evaluations[i].outcome);
    return worked < HED_TUNE_LEAST_COMPARED && r->count < r->space;
}

void hed_tuning_keep_choice(hed_tuning *t)
{
    hed_error error = {0};
    hed_tune_result *r = t->result;
    hed_logger logger = hed_context_describe(hed_device_context(t->device)).logger;
    if (!t->session) return;
    if (compared_too_few(t)) {
        r->not_kept_reason = "fewer than three configurations were compared";
        return;
    }
    if (r->evaluations[r->best].outcome != HED_OUTCOME_MEASURED) {
        r->not_kept_reason = "no configuration was measured to the end";
        return;
    }
    if (t->is_unproven) {
        r->not_kept_reason =
            "not proven, more than half of the elements of an output differ from run to run; without a reference it is kept";
        return;
    }
    r->kept =
        !hed_database_choose(t->database, t->session, &t->key, &r->evaluations[r->best], &error);
    if (r->kept) r->not_kept_reason = "";
    else
        hed_log_message(&logger, HED_LOG_WARNING,
            "the best configuration of %s could not be kept: %s", t->key.kernel, error.text);
}

static uint32_t finish_index_of(const hed_tuning *t, bool exists, const hed_config *config)
{
    uint32_t index = exists ? hed_tuning_find(t, config) : HED_NO_EVALUATION;
    return index == HED_NO_EVALUATION ? t->result->count : index;
}

hed_status hed_tuning_finish(hed_tuning *t, hed_error *error)
{
    hed_tune_result *r = t->result;
    bool decided = false;
    hed_status status = HED_OK;
    hed_tuning_tell(t);
    r->best = r->count;
    r->default_index = finish_index_of(t, t->has_default, &t->default_config);
    r->stored_index = finish_index_of(t, t->has_stored, &t->stored);
    if (t->best == HED_NO_EVALUATION) return nothing_worked(t, error);
    if (!t->stopped && !t->runner->lost && !nothing_new(t))
        status = final_rounds(t, &decided, error);
    if (status && !hed_tuning_lost_runner(t, error)) return status; /* an entrant lost the runner */
    hed_tuning_find_best(t);
    if (t->best == HED_NO_EVALUATION) return nothing_worked(t, error);
    if (!decided) decide_unpaired(t);
    if (t->fleet) r->device_count = hed_fleet_look(t->runner, t->marks[r->best].slot, r->devices);
    r->kept_stored = r->best == r->stored_index;
    r->drift = t->fleet ? hed_fleet_drift(t->runner) : fabs(t->race.level - 1);
    r->share = hed_tuning_share(t, r->evaluations[r->best].seconds);
    hed_tuning_keep_choice(t);
    return HED_OK;
}
