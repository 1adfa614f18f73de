/* Measurement during the search: warm-up, runs of one candidate, and the level of a drifting
 * clock. */
#include "measure/race.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heddle/stats.h"

/* s; a batch is the work between two calls of stop() */
static const double batch_seconds = 0.1, warm_batch_seconds = 0.02, probe_seconds = 0.2,
                    short_run_seconds = 1e-3;

enum {
    MOST_BATCH = 64,
    WARM_RUNS = 32,   /* maximum runs of a warm-up batch */
    WARM_BATCHES = 3, /* number of consecutive batches that must agree */
    /* maximum number of batches, in case neither the times nor the host's clock change */
    MOST_WARM = 500,
    CHECK_RUNS = 3,   /* runs of the anchor to detect drift */
    CONFIRM_RUNS = 9, /* runs of the anchor to measure the drift */
};

static const double steady = 0.02; /* relative difference of the warm-up's last batches */
/* a smaller relative change of the anchor counts as noise */
static const double drift_noticed = 0.02;
static const double far_slower = 5;     /* times slower than the best: abandoned after one run */
static const double clearly_slower = 2; /* abandoned after three runs */
static const double narrow = 0.005;     /* half of the interval / median: precise enough */

bool hed_race_stopped(const hed_race *race)
{
    return race->def.stop && race->def.stop(race->def.user);
}

/* Seconds since a time; 0 if the host's clock stepped backwards. */
static double passed(const hed_race *race, double since)
{
    return fmax(0, race->def.now(race->def.user) - since);
}

/* ---- runs ---- */

/* Removes values that cannot be durations. Returns the number of remaining values. */
static uint32_t keep_possible(double *values, uint32_t count)
{
    uint32_t count_left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(values[i]) && values[i] > 0) values[count_left++] = values[i];
    return count_left;
}

static uint32_t race_batch_of(double run_seconds, uint32_t runs)
{
    double fit = run_seconds > 0 ? batch_seconds / run_seconds : MOST_BATCH;
    uint32_t limit = fit < 1 ? 1 : fit > MOST_BATCH ? MOST_BATCH : (uint32_t)fit;
    return runs < limit ? runs : limit;
}

hed_status hed_race_take(hed_race *race, uint32_t slot, uint32_t runs, double *values,
    uint32_t *done, hed_trial *trial, hed_error *error)
{
    uint32_t refused = 0;
    double run_seconds = batch_seconds; /* unknown: start with one run */
    *done = 0;
    *trial = (hed_trial){.outcome = HED_OUTCOME_MEASURED, .error = NAN};
    while (*done < runs) {
        uint32_t batch = race_batch_of(run_seconds, runs - *done);
        double started = race->def.now(race->def.user);
        hed_status status =
            race->def.time(race->def.user, slot, batch, values + *done, trial, error);
        if (status || trial->outcome != HED_OUTCOME_MEASURED) return status;
        run_seconds = passed(race, started) / batch;
        uint32_t possible = keep_possible(values + *done, batch);
        refused += batch - possible;
        *done += possible;
        if (refused > runs / 2 + 1) {
            trial->outcome = HED_OUTCOME_IMPOSSIBLE;
            snprintf(trial->text, sizeof trial->text, "%u of %u runs took 0 s or less", refused,
                refused + *done);
            return HED_OK;
        }
        if (hed_race_stopped(race)) return HED_OK;
    }
    return HED_OK;
}

/* ---- warm-up ---- */

static double race_median_of(const double *values, uint32_t count)
{
    double sorted[MOST_BATCH];
    memcpy(sorted, values, count * sizeof *values);
    return hed_summarize(sorted, count).p50;
}

/* Times one batch: as many runs as fill warm_batch_seconds. */
static hed_status warm_batch(
    hed_race *race, uint32_t slot, double *median, hed_trial *trial, hed_error *error)
{
    double values[WARM_RUNS], started = race->def.now(race->def.user);
    uint32_t count = 0, done = 0;
    while (count < WARM_RUNS && (count == 0 || passed(race, started) < warm_batch_seconds)) {
        uint32_t runs = count == 0 ? 1 : count < WARM_RUNS - count ? count : WARM_RUNS - count;
        hed_status status = hed_race_take(race, slot, runs, values + count, &done, trial, error);
        if (status || trial->outcome != HED_OUTCOME_MEASURED || done < runs) return status;
        count += runs;
    }
    *median = race_median_of(values, count);
    return HED_OK;
}

hed_status hed_race_warm_up(
    hed_race *race, uint32_t slot, double seconds, hed_trial *trial, hed_error *error)
{
    double last[WARM_BATCHES] = {0}, started = race->def.now(race->def.user);
    for (uint32_t batch = 0; batch < MOST_WARM; batch++) {
        hed_status status = warm_batch(race, slot, &last[batch % WARM_BATCHES], trial, error);
        if (status || trial->outcome != HED_OUTCOME_MEASURED || hed_race_stopped(race))
            return status;
        double minimum = fmin(fmin(last[0], last[1]), last[2]),
               maximum = fmax(fmax(last[0], last[1]), last[2]);
        bool enough = batch + 1 >= WARM_BATCHES && maximum <= minimum * (1 + steady);
        if (enough || passed(race, started) >= seconds) break;
    }
    return HED_OK;
}

/* ---- one candidate ---- */

/* True if a candidate is so much slower than the best that further runs would be wasted. `run`:
 * duration of one run on the host's clock. A short run is never abandoned after one, since a hiccup
 * of the machine can take several times its length. */
static bool clearly_behind(const hed_race *race, const hed_probe *probe, double run)
{
    double seconds = probe->seconds / race->level;
    if (probe->runs < 3) return run >= short_run_seconds && seconds > far_slower * race->best;
    if (seconds > clearly_slower * race->best) return true;
    return probe->runs >= 5 && probe->low / race->level > race->best_high * (1 + HED_RACE_MARGIN);
}

hed_status hed_race_probe(hed_race *race, uint32_t slot, hed_probe *probe, hed_error *error)
{
    static const uint32_t looks[] = {1, 3, 5, 8, 12, 16, HED_PROBE_RUNS};
    double started = race->def.now(race->def.user);
    const hed_race_runs earlier =
        race->def.runs_of ? race->def.runs_of(race->def.user, slot) : (hed_race_runs){0};
    const uint32_t limit = earlier.count ? earlier.count : HED_PROBE_RUNS;
    *probe = (hed_probe){.seconds = NAN, .low = NAN, .high = NAN};
    for (uint32_t look = 0; look < sizeof looks / sizeof looks[0] && probe->runs < limit; look++) {
        uint32_t runs = (looks[look] < limit ? looks[look] : limit) - probe->runs, done;
        hed_status status = hed_race_take(
            race, slot, runs, probe->values + probe->runs, &done, &probe->trial, error);
        if (status || probe->trial.outcome != HED_OUTCOME_MEASURED) return status;
        probe->runs += done;
        double sorted[HED_PROBE_RUNS];
        memcpy(sorted, probe->values, sizeof sorted);
        hed_summary summary = hed_summarize(sorted, probe->runs);
        probe->seconds = probe->runs ? summary.p50 : NAN;
        probe->low = probe->runs ? summary.low : NAN;
        probe->high = probe->runs ? summary.high : NAN;
        probe->stopped = done < runs;
        double spent = passed(race, started);
        if (probe->stopped) break;
        bool is_dropped = earlier.dropped && probe->runs == limit;
        if (is_dropped || clearly_behind(race, probe, spent / probe->runs)) {
            probe->trial.outcome = HED_OUTCOME_DROPPED;
            break;
        }
        bool is_precise =
            probe->runs >= 5 && (probe->high - probe->low) / 2 <= narrow * probe->seconds;
        if (is_precise || (probe->runs >= 3 && spent > probe_seconds)) break;
    }
    if (probe->runs && probe->seconds < race->def.floor_seconds) {
        probe->trial.outcome = HED_OUTCOME_IMPOSSIBLE;
        snprintf(probe->trial.text, sizeof probe->trial.text,
            "%.3g s: the work alone takes this device over %.3g s", probe->seconds,
            race->def.floor_seconds);
        probe->seconds = probe->low = probe->high = NAN;
    } else if (probe->trial.outcome == HED_OUTCOME_MEASURED) {
        if (probe->seconds / race->level < race->best) {
            race->best = probe->seconds / race->level;
            race->best_high = probe->high / race->level;
        }
    }
    return HED_OK;
}

/* ---- drift ---- */

void hed_race_anchor(hed_race *race, uint32_t slot, const hed_probe *probe)
{
    race->anchored = true;
    race->anchor = slot;
    race->anchor_base = probe->seconds / race->level;
}

hed_status hed_race_check(hed_race *race, hed_trial *trial, hed_error *error)
{
    double values[CONFIRM_RUNS], level;
    uint32_t runs = CHECK_RUNS, done;
    *trial = (hed_trial){.outcome = HED_OUTCOME_MEASURED, .error = NAN};
    if (!race->anchored) return HED_OK;
    do {
        hed_status status = hed_race_take(race, race->anchor, runs, values, &done, trial, error);
        if (status || trial->outcome != HED_OUTCOME_MEASURED || done < runs) return status;
        level = race_median_of(values, runs) / race->anchor_base;
        if (fabs(level / race->level - 1) < drift_noticed) return HED_OK;
        runs = runs == CHECK_RUNS ? CONFIRM_RUNS : 0;
    } while (runs);
    race->level = level;
    return HED_OK;
}

/* Final rounds.
 *
 * Test: each round compares the candidate's time with the leader's time of the same round: slower
 * by more than the margin, or not. If the candidate is not slower, at least half of the rounds come
 * out "not slower". The evidence against it is a likelihood ratio: a coin of unknown bias, uniform
 * in (1/2, 1], over a fair coin. For the fair coin this ratio is a martingale that starts at 1, so
 * the probability that it ever reaches 1/a is at most a (Ville 1939; Robbins 1970, "Statistical
 * methods related to the law of the iterated logarithm"): it may be evaluated after every round
 * without a correction. If the noise is far below the difference, seven rounds without overlap
 * suffice (rank sum test, 1 of 3432). The thresholds are strict because the leader is the luckiest
 * of up to twelve, and a wrongly dropped candidate may be the true winner. */

enum {
    LEAST_ROUNDS = 3,
    APART_ROUNDS = 7, /* rounds without overlap */
    FAR_ROUNDS = 3,   /* rounds without overlap and with a ratio above far_apart */
    SETTLED_ROUNDS = 12,
    INTERVAL_ROUNDS = 6, /* fewer give no interval of the median with 95 % confidence */
    RUNS_OF_ROUND = 5,   /* maximum runs of one entrant in one round; their median counts */
};

static const double convinced = 1000; /* threshold of the evidence: 1 in 1000 */
static const double far_apart = 1.5;
/* time of one entrant in one round, s, if it fits more than one run */
static const double round_seconds = 2e-3;
/* a kept entrant with a larger relative loss cannot tie, however noisy */
static const double kept_within = 0.05;

/* The incomplete beta function of integers as a binomial sum: 2^(n+1) s! f! / (n+1)! P(Bin(n+1,
 * 1/2) <= s). */
double hed_race_evidence(uint32_t s, uint32_t f)
{
    uint32_t n = s + f;
    double probability = 0;
    for (uint32_t i = 0; i <= s; i++)
        probability +=
            exp(lgamma(n + 2.0) - lgamma(i + 1.0) - lgamma(n + 2.0 - i) - (n + 1) * log(2));
    return probability *
           exp((n + 1) * log(2) + lgamma(s + 1.0) + lgamma(f + 1.0) - lgamma(n + 2.0));
}

/* ---- evaluation of the rounds ---- */

static uint32_t shared_rounds(const hed_entrant *a, const hed_entrant *b)
{
    return a->rounds < b->rounds ? a->rounds : b->rounds;
}

/* True if an entrant is proven slower than the leader. */
static bool slower(const hed_entrant *entrant, const hed_entrant *leader)
{
    uint32_t rounds = shared_rounds(entrant, leader), losses = 0;
    double minimum = INFINITY, maximum = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        losses += entrant->times[i] > leader->times[i] * (1 + HED_RACE_MARGIN);
        minimum = fmin(minimum, entrant->times[i]);
        maximum = fmax(maximum, leader->times[i]);
    }
    if (rounds >= APART_ROUNDS && minimum > maximum * (1 + HED_RACE_MARGIN)) return true;
    if (rounds >= FAR_ROUNDS && minimum > maximum * far_apart) return true;
    return hed_race_evidence(losses, rounds - losses) >= convinced;
}

/* Median of a's time / b's time over their common rounds, and its interval. */
static hed_summary race_ratio_of(const hed_entrant *a, const hed_entrant *b)
{
    double ratios[HED_FINAL_ROUNDS];
    uint32_t rounds = shared_rounds(a, b);
    for (uint32_t i = 0; i < rounds; i++) ratios[i] = a->times[i] / b->times[i];
    return hed_summarize(ratios, rounds);
}

static bool settled(const hed_entrant *entrant, const hed_entrant *leader)
{
    if (entrant->out || entrant == leader) return true;
    hed_summary ratio = race_ratio_of(entrant, leader);
    return ratio.count >= SETTLED_ROUNDS && ratio.low > 1 - HED_RACE_MARGIN &&
           ratio.high < 1 + HED_RACE_MARGIN;
}

static void finals_summarize(hed_entrant *entrant)
{
    double sorted[HED_FINAL_ROUNDS];
    memcpy(sorted, entrant->times, entrant->rounds * sizeof *sorted);
    hed_summary summary = hed_summarize(sorted, entrant->rounds);
    entrant->seconds = entrant->rounds ? summary.p50 : NAN;
    bool has_interval = entrant->rounds >= INTERVAL_ROUNDS;
    entrant->low = has_interval ? summary.low : NAN;
    entrant->high = has_interval ? summary.high : NAN;
}

/* ---- the rounds ---- */

static uint32_t runs_of_round(const hed_entrant *entrant)
{
    uint32_t runs = 1;
    double run_seconds = entrant->rounds ? entrant->times[0] : INFINITY;
    while (runs < RUNS_OF_ROUND && (runs + 1) * run_seconds <= round_seconds) runs++;
    return runs;
}

static hed_status run_entrant(hed_race *race, hed_entrant *entrant, double *time, hed_error *error)
{
    double values[RUNS_OF_ROUND];
    uint32_t done;
    hed_status status = hed_race_take(
        race, entrant->slot, runs_of_round(entrant), values, &done, &entrant->trial, error);
    if (status) return status;
    /* stopped: the runs made so far remain valid */
    if (entrant->trial.outcome == HED_OUTCOME_DROPPED)
        entrant->trial.outcome = HED_OUTCOME_MEASURED;
    entrant->out = entrant->trial.outcome != HED_OUTCOME_MEASURED;
    entrant->runs += done;
    *time = done ? hed_summarize(values, done).p50 : NAN;
    return HED_OK;
}

static hed_status announce_round(
    hed_race *race, const hed_entrant *entrants, uint32_t count, bool backwards, hed_error *error)
{
    uint32_t slots[HED_FINAL_ENTRANTS], runs[HED_FINAL_ENTRANTS], in = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hed_entrant *entrant = &entrants[backwards ? count - 1 - i : i];
        if (entrant->out) continue;
        slots[in] = entrant->slot;
        runs[in++] = runs_of_round(entrant);
    }
    return race->def.announce && in ? race->def.announce(race->def.user, slots, runs, in, error)
                                    : HED_OK;
}

/* Times one round of all remaining entrants. A stopped round is discarded completely. */
static hed_status run_round(hed_race *race, hed_entrant *entrants, uint32_t count, bool backwards,
    bool *stopped, hed_error *error)
{
    double times[HED_FINAL_ENTRANTS];
    if (announce_round(race, entrants, count, backwards, error)) return error->status;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = backwards ? count - 1 - i : i;
        if (entrants[index].out) continue;
        hed_status status = run_entrant(race, &entrants[index], &times[index], error);
        if (status) return status;
        *stopped = hed_race_stopped(race);
        if (*stopped) return HED_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out) entrants[i].times[entrants[i].rounds++] = times[i];
    return HED_OK;
}

/* Discards rounds that some remaining entrants missed, so that later rounds have the same index in
 * all of them. */
static void keep_shared(hed_entrant *entrants, uint32_t count)
{
    uint32_t rounds = HED_FINAL_ROUNDS;
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out && entrants[i].rounds < rounds) rounds = entrants[i].rounds;
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out) entrants[i].rounds = rounds;
}

/* Finds the leader by pairwise ratios, since medians of a drifting clock are unreliable, and drops
 * entrants proven slower. Returns true if further rounds cannot change the result. `*leader`:
 * leader of the previous round, `count` before the first. */
static bool race_judge(hed_entrant *entrants, uint32_t count, uint32_t *leader)
{
    bool all_settled = true;
    /* the leader has failed: entrants that left by comparison with it return */
    if (*leader < count && entrants[*leader].out)
        for (uint32_t i = 0; i < count; i++)
            entrants[i].out = entrants[i].trial.outcome != HED_OUTCOME_MEASURED;
    *leader = count;
    for (uint32_t i = 0; i < count; i++) {
        if (entrants[i].out) continue;
        if (*leader == count || race_ratio_of(&entrants[i], &entrants[*leader]).p50 < 1)
            *leader = i;
    }
    for (uint32_t i = 0; i < count && *leader < count; i++)
        if (i != *leader && !entrants[i].out)
            entrants[i].out = slower(&entrants[i], &entrants[*leader]);
    keep_shared(entrants, count);
    for (uint32_t i = 0; i < count && *leader < count; i++)
        all_settled = all_settled && settled(&entrants[i], &entrants[*leader]);
    return all_settled;
}

/* The winner: the leader, or an entrant of higher preference that is statistically equal to it. */
static uint32_t race_choose(const hed_entrant *entrants, uint32_t count, uint32_t leader)
{
    uint32_t winner = leader;
    for (uint32_t i = 0; i < count && leader < count; i++) {
        if (entrants[i].out || entrants[i].rounds == 0) continue;
        double within = entrants[i].is_kept ? kept_within : HED_RACE_MARGIN;
        if (race_ratio_of(&entrants[i], &entrants[leader]).p50 > 1 + within) continue;
        if (entrants[i].preference < entrants[winner].preference) winner = i;
    }
    return winner;
}

hed_status hed_race_finals(hed_race *race, hed_entrant *entrants, uint32_t count, double seconds,
    uint32_t *winner, hed_error *error)
{
    double started = race->def.now(race->def.user);
    uint32_t leader = count;
    bool stopped = false, done = count == 0;
    for (uint32_t round = 0; round < HED_FINAL_ROUNDS && !done; round++) {
        hed_status status = run_round(race, entrants, count, round % 2 != 0, &stopped, error);
        if (status) return status;
        bool late = round + 1 >= LEAST_ROUNDS && race->def.now(race->def.user) - started >= seconds;
        bool is_settled = race_judge(entrants, count, &leader);
        bool has_interval = leader == count || entrants[leader].rounds >= INTERVAL_ROUNDS;
        done = (is_settled && has_interval) || stopped || late;
    }
    *winner = race_choose(entrants, count, leader);
    for (uint32_t i = 0; i < count; i++) {
        bool comparable = *winner < count && shared_rounds(&entrants[i], &entrants[*winner]) > 0;
        entrants[i].ratio = comparable ? race_ratio_of(&entrants[i], &entrants[*winner]).p50 : NAN;
        entrants[i].tied = i != *winner && !entrants[i].out && comparable;
        finals_summarize(&entrants[i]);
    }
    return HED_OK;
}
