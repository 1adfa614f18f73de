/* The final rounds.
 *
 * The test. In each round the time of a candidate is compared with the leader's of the same round:
 * slower by more than the margin, or not. Were the candidate not slower, at least half of the
 * rounds would say "not". Evidence against that is the likelihood of what was seen under a coin of
 * unknown bias in (1/2, 1], uniformly weighted, over that under a fair coin. Under the fair coin
 * this is a martingale that starts at 1, so that it ever reaches 1/a with probability a at most
 * (Ville 1939; Robbins 1970, "Statistical methods related to the law of the iterated logarithm"):
 * it may be looked at after every round without a correction. Where the noise is far below the
 * difference, seven rounds without overlap do (rank sum test, 1 of 3432). All this is strict since
 * the leader is the luckiest of up to twelve; who is dropped wrongly may be the one that ought to
 * stay. */
#include "tune/race.h"

#include <math.h>
#include <string.h>

#include "heddle/stats.h"

enum {
    LEAST_ROUNDS = 3,
    APART_ROUNDS = 7, /* without overlap */
    FAR_ROUNDS = 3,   /* without overlap, and far apart */
    SETTLED_ROUNDS = 12,
    RUNS_OF_ROUND = 5, /* at most, of one entrant in one round: their median counts */
};

static const double convinced = 1000; /* evidence: 1 in 1000 */
static const double far_apart = 1.5;
/* of one entrant in one round, where more than one run fits */
static const double round_seconds = 2e-3;
static const double kept_within = 0.05; /* a kept one is no tie beyond this, however noisy */

/* With the binomial sum for the incomplete beta function of integers: 2^(n+1) s! f! / (n+1)!
 * P(Bin(n+1, 1/2) <= s). */
double hed_race_evidence(uint32_t s, uint32_t f)
{
    uint32_t n = s + f;
    double below = 0;
    for (uint32_t i = 0; i <= s; i++)
        below += exp(lgamma(n + 2.0) - lgamma(i + 1.0) - lgamma(n + 2.0 - i) - (n + 1) * log(2));
    return below * exp((n + 1) * log(2) + lgamma(s + 1.0) + lgamma(f + 1.0) - lgamma(n + 2.0));
}

/* ---- what the rounds say ---- */

static uint32_t shared_rounds(const hed_entrant *a, const hed_entrant *b)
{
    return a->rounds < b->rounds ? a->rounds : b->rounds;
}

/* Shown to be slower than the leader. */
static bool slower(const hed_entrant *entrant, const hed_entrant *leader)
{
    uint32_t rounds = shared_rounds(entrant, leader), losses = 0;
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        losses += entrant->times[i] > leader->times[i] * (1 + HED_RACE_MARGIN);
        least = fmin(least, entrant->times[i]);
        most = fmax(most, leader->times[i]);
    }
    if (rounds >= APART_ROUNDS && least > most * (1 + HED_RACE_MARGIN)) return true;
    if (rounds >= FAR_ROUNDS && least > most * far_apart) return true;
    return hed_race_evidence(losses, rounds - losses) >= convinced;
}

/* Median, and its interval, of a's time over b's in the rounds of both. */
static hed_summary ratio_of(const hed_entrant *a, const hed_entrant *b)
{
    double ratios[HED_FINAL_ROUNDS];
    uint32_t rounds = shared_rounds(a, b);
    for (uint32_t i = 0; i < rounds; i++) ratios[i] = a->times[i] / b->times[i];
    return hed_summarize(ratios, rounds);
}

static bool settled(const hed_entrant *entrant, const hed_entrant *leader)
{
    if (entrant->out || entrant == leader) return true;
    hed_summary ratio = ratio_of(entrant, leader);
    return ratio.count >= SETTLED_ROUNDS && ratio.low > 1 - HED_RACE_MARGIN &&
           ratio.high < 1 + HED_RACE_MARGIN;
}

static void summarize(hed_entrant *entrant)
{
    double sorted[HED_FINAL_ROUNDS];
    memcpy(sorted, entrant->times, entrant->rounds * sizeof *sorted);
    hed_summary summary = hed_summarize(sorted, entrant->rounds);
    entrant->seconds = entrant->rounds ? summary.p50 : NAN;
    entrant->low = entrant->rounds ? summary.low : NAN;
    entrant->high = entrant->rounds ? summary.high : NAN;
}

/* ---- the rounds ---- */

static hed_status run_entrant(hed_race *race, hed_entrant *entrant, double *time, hed_error *error)
{
    double values[RUNS_OF_ROUND];
    uint32_t done, runs = 1;
    double known = entrant->rounds ? entrant->times[0] : INFINITY;
    while (runs < RUNS_OF_ROUND && (runs + 1) * known <= round_seconds) runs++;
    hed_status status =
        hed_race_take(race, entrant->slot, runs, values, &done, &entrant->trial, error);
    if (status) return status;
    /* stopped */
    if (entrant->trial.outcome == HED_OUTCOME_DROPPED)
        entrant->trial.outcome = HED_OUTCOME_MEASURED;
    entrant->out = entrant->trial.outcome != HED_OUTCOME_MEASURED;
    entrant->runs += done;
    *time = done ? hed_summarize(values, done).p50 : NAN;
    return HED_OK;
}

/* One round of all that are in. It counts for all or, if it was stopped, for none. */
static hed_status run_round(hed_race *race, hed_entrant *entrants, uint32_t count, bool backwards,
    bool *stopped, hed_error *error)
{
    double times[HED_FINAL_ENTRANTS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = backwards ? count - 1 - i : i;
        if (entrants[which].out) continue;
        hed_status status = run_entrant(race, &entrants[which], &times[which], error);
        if (status) return status;
        *stopped = hed_race_stopped(race);
        if (*stopped) return HED_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out) entrants[i].times[entrants[i].rounds++] = times[i];
    return HED_OK;
}

/* Those who left are out by comparison with a leader that has failed: they come back. */
static void readmit(hed_entrant *entrants, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        entrants[i].out = entrants[i].trial.outcome != HED_OUTCOME_MEASURED;
}

/* Forgets rounds that not all who are in were in: what is timed from here on has the same place
 * with all. */
static void keep_shared(hed_entrant *entrants, uint32_t count)
{
    uint32_t rounds = HED_FINAL_ROUNDS;
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out && entrants[i].rounds < rounds) rounds = entrants[i].rounds;
    for (uint32_t i = 0; i < count; i++)
        if (!entrants[i].out) entrants[i].rounds = rounds;
}

/* Finds the leader, by pairs, since medians of a clock that drifts say little. Lets those go that
 * are shown to be slower than it; whether there is nothing more to learn. `*leader`: of the round
 * before; `count`: none. */
static bool judge(hed_entrant *entrants, uint32_t count, uint32_t *leader)
{
    bool all_settled = true;
    if (*leader < count && entrants[*leader].out) readmit(entrants, count);
    *leader = count;
    for (uint32_t i = 0; i < count; i++) {
        if (entrants[i].out) continue;
        if (*leader == count || ratio_of(&entrants[i], &entrants[*leader]).p50 < 1) *leader = i;
    }
    for (uint32_t i = 0; i < count && *leader < count; i++)
        if (i != *leader && !entrants[i].out)
            entrants[i].out = slower(&entrants[i], &entrants[*leader]);
    keep_shared(entrants, count);
    for (uint32_t i = 0; i < count && *leader < count; i++)
        all_settled = all_settled && settled(&entrants[i], &entrants[*leader]);
    return all_settled;
}

/* The leader, unless another cannot be told from it and is to be preferred. */
static uint32_t choose(const hed_entrant *entrants, uint32_t count, uint32_t leader)
{
    uint32_t winner = leader;
    for (uint32_t i = 0; i < count && leader < count; i++) {
        if (entrants[i].out || entrants[i].rounds == 0) continue;
        double within = entrants[i].kept ? kept_within : HED_RACE_MARGIN;
        if (ratio_of(&entrants[i], &entrants[leader]).p50 > 1 + within) continue;
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
        done = judge(entrants, count, &leader) || stopped || late;
    }
    *winner = choose(entrants, count, leader);
    for (uint32_t i = 0; i < count; i++) {
        bool comparable = *winner < count && shared_rounds(&entrants[i], &entrants[*winner]) > 0;
        entrants[i].ratio = comparable ? ratio_of(&entrants[i], &entrants[*winner]).p50 : NAN;
        entrants[i].tied = i != *winner && !entrants[i].out && comparable;
        summarize(&entrants[i]);
    }
    return HED_OK;
}
