/* The measuring policy on simulated devices: noise, drift, ramping and stepping clocks. No device,
 * no waiting. */
#include "testing.h"

#include <math.h>

#include "measure/race.h"

static hed_error error;

enum { SLOTS = 16 };

/* A device whose kernels take known times, up to what its clock and noise make of them. */
typedef struct simulated {
    double seconds[SLOTS];      /* true times */
    double noise;               /* standard deviation over the time */
    double hiccup;              /* share of runs that take three times as long */
    double (*pace)(double now); /* slowness of the device at a time; NULL: 1 */
    double now;
    uint64_t random;
    uint32_t runs[SLOTS];
    uint32_t total;
    hed_outcome fail[SLOTS]; /* what its runs end in; 0: MEASURED */
    uint32_t fail_after;     /* runs of a slot that are good before */
    uint32_t bad_every;      /* each such run gives `bad` */
    double bad;
    uint32_t stop_after; /* runs in all; 0: never */
} simulated;

static double uniform(simulated *s)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return ((double)(s->random >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(simulated *s)
{
    double radius = sqrt(-2 * log(uniform(s)));
    return radius * cos(6.283185307179586 * uniform(s));
}

static hed_status run_simulated(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *e)
{
    simulated *s = user;
    (void)e;
    trial->outcome = s->runs[slot] >= s->fail_after ? s->fail[slot] : HED_OUTCOME_MEASURED;
    for (uint32_t i = 0; i < runs; i++) {
        double time =
            s->seconds[slot] * (s->pace ? s->pace(s->now) : 1) * (1 + s->noise * normal(s));
        if (s->hiccup > 0 && uniform(s) < s->hiccup) time *= 3;
        s->now += fabs(time);
        s->runs[slot]++;
        s->total++;
        values[i] = s->bad_every && s->total % s->bad_every == 0 ? s->bad : time;
    }
    return HED_OK;
}

static double now_simulated(void *user) { return ((simulated *)user)->now; }

static bool stop_simulated(void *user)
{
    simulated *s = user;
    return s->stop_after && s->total >= s->stop_after;
}

static hed_race race_of(simulated *s)
{
    hed_race_def def = {
        .user = s, .time = run_simulated, .now = now_simulated, .stop = stop_simulated};
    return (hed_race){.def = def, .level = 1, .best = INFINITY, .best_high = INFINITY};
}

static hed_probe probe_of(hed_race *race, uint32_t slot)
{
    hed_probe probe;
    OK(hed_race_probe(race, slot, &probe, &error));
    return probe;
}

/* ---- the search ---- */

static double ramping(double now) { return 1 + exp(-now / 0.05); }

Test(race, warm_up_waits_for_the_clock)
{
    simulated s = {.seconds = {1e-3}, .noise = 0.005, .random = 1, .pace = ramping};
    hed_race race = race_of(&s);
    hed_trial trial;
    OK(hed_race_warm_up(&race, 0, 1, &trial, &error));
    CHECK_EQ(trial.outcome, HED_OUTCOME_MEASURED);
    CHECK(ramping(s.now) < 1.05 && s.now < 1, "ended after %g s at %g of its speed", s.now,
        ramping(s.now));
}

static double never_steady(double now) { return 1 + now; }

Test(race, warm_up_ends)
{
    simulated s = {.seconds = {1e-3}, .random = 1, .pace = never_steady};
    hed_race race = race_of(&s);
    hed_trial trial;
    s.noise = 0.2;
    OK(hed_race_warm_up(&race, 0, 0.5, &trial, &error));
    CHECK(s.now < 0.6, "%g s", s.now);
}

Test(race, a_slow_candidate_costs_one_run)
{
    simulated s = {.seconds = {2e-3, 40e-3, 5e-3}, .noise = 0.01, .random = 3};
    hed_race race = race_of(&s);
    CHECK_EQ(probe_of(&race, 0).trial.outcome, HED_OUTCOME_MEASURED);
    hed_probe slow = probe_of(&race, 1), slower_by_half = probe_of(&race, 2);
    CHECK(slow.trial.outcome == HED_OUTCOME_DROPPED && slow.runs == 1, "20 times slower: %u runs",
        slow.runs);
    CHECK(slower_by_half.trial.outcome == HED_OUTCOME_DROPPED && slower_by_half.runs == 3,
        "2.5 times slower: %u runs", slower_by_half.runs);
    CHECK(fabs(slow.seconds / 40e-3 - 1) < 0.1 && fabs(race.best / 2e-3 - 1) < 0.02);
}

static hed_race_runs runs_of_slot(void *user, uint32_t slot)
{
    (void)user;
    return (hed_race_runs){slot == 0 ? 0 : 4, slot == 2};
}

Test(race, runs_made_elsewhere_are_all_it_takes)
{
    simulated s = {.seconds = {2e-3, 2e-3, 2e-3}, .noise = 0.2, .random = 3};
    hed_race race = race_of(&s);
    race.def.runs_of = runs_of_slot;
    CHECK_GT(probe_of(&race, 0).runs, 5, "noise asks for many");
    hed_probe made = probe_of(&race, 1), dropped = probe_of(&race, 2);
    CHECK_EQ(made.runs, 4);
    CHECK_EQ(made.trial.outcome, HED_OUTCOME_MEASURED);
    CHECK_EQ(dropped.runs, 4);
    CHECK_EQ(dropped.trial.outcome, HED_OUTCOME_DROPPED, "by the best that was known there");
}

Test(race, a_hiccup_does_not_drop_a_short_run)
{
    uint32_t dropped = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        simulated s = {.seconds = {20e-6, 20e-6}, .noise = 0.01, .random = seed};
        hed_race race = race_of(&s);
        probe_of(&race, 0);
        s.hiccup = 0.05;
        dropped += probe_of(&race, 1).trial.outcome == HED_OUTCOME_DROPPED;
    }
    CHECK(dropped <= 2, "%u of 100", dropped);
}

Test(race, runs_go_where_they_matter)
{
    simulated s = {.seconds = {2e-3, 2.2e-3, 2.01e-3}, .noise = 0.01, .random = 5};
    hed_race race = race_of(&s);
    probe_of(&race, 0);
    hed_probe behind = probe_of(&race, 1), close = probe_of(&race, 2);
    CHECK(behind.trial.outcome == HED_OUTCOME_DROPPED && behind.runs == 5, "10 %% slower: %u runs",
        behind.runs);
    CHECK(close.trial.outcome == HED_OUTCOME_MEASURED && close.runs > 5, "0.5 %% slower: %u runs",
        close.runs);
}

static double throttled(double now) { return now < 0.5 ? 1 : 1.3; }

Test(race, drift_is_noticed_and_taken_out)
{
    simulated s = {.seconds = {2e-3, 1.8e-3}, .noise = 0.01, .random = 7, .pace = throttled};
    hed_race race = race_of(&s);
    hed_trial trial;
    hed_probe first = probe_of(&race, 0);
    hed_race_anchor(&race, 0, &first);
    OK(hed_race_check(&race, &trial, &error));
    CHECK(race.level == 1, "noise of 1 %% is no drift: %g", race.level);
    s.now = 1;
    OK(hed_race_check(&race, &trial, &error));
    CHECK(fabs(race.level / 1.3 - 1) < 0.02, "level %g", race.level);
    hed_probe better = probe_of(&race, 1);
    CHECK(better.trial.outcome == HED_OUTCOME_MEASURED && fabs(race.best / 1.8e-3 - 1) < 0.03,
        "faster, though its time is longer: %g s", race.best);
}

Test(race, what_is_clearly_slower_is_so_at_the_same_pace)
{
    simulated s = {.seconds = {2e-3, 3.5e-3}, .noise = 0.01, .random = 8, .pace = throttled};
    hed_race race = race_of(&s);
    hed_trial trial;
    hed_probe first = probe_of(&race, 0);
    hed_race_anchor(&race, 0, &first);
    s.now = 1;
    OK(hed_race_check(&race, &trial, &error));
    hed_probe second = probe_of(&race, 1);
    CHECK(second.runs == 5, "1.75 times slower on a clock 1.3 times slower: %u runs", second.runs);
}

Test(race, hiccups_are_no_drift)
{
    simulated s = {.seconds = {2e-3}, .noise = 0.01, .random = 9};
    hed_race race = race_of(&s);
    hed_trial trial;
    hed_probe first = probe_of(&race, 0);
    hed_race_anchor(&race, 0, &first);
    s.hiccup = 0.1;
    for (int i = 0; i < 200; i++) {
        OK(hed_race_check(&race, &trial, &error));
        CHECK(race.level < 1.1, "look %d: level %g", i, race.level);
    }
}

/* ---- clocks that lie ---- */

Test(race, spans_that_cannot_be_are_repeated)
{
    simulated s = {.seconds = {1e-4}, .noise = 0.01, .random = 9, .bad_every = 3, .bad = -3.0};
    hed_race race = race_of(&s);
    hed_probe probe = probe_of(&race, 0);
    CHECK_EQ(probe.trial.outcome, HED_OUTCOME_MEASURED);
    CHECK(probe.low > 0.9e-4 && probe.high < 1.1e-4, "%g to %g", probe.low, probe.high);
    s.bad = NAN;
    CHECK_EQ(probe_of(&race, 0).trial.outcome, HED_OUTCOME_MEASURED);
}

Test(race, impossible_times_are_refused)
{
    simulated s = {.seconds = {1e-4, 1e-9}, .random = 9};
    hed_race race = race_of(&s);
    race.def.floor_seconds = 1e-6;
    probe_of(&race, 0);
    hed_probe probe = probe_of(&race, 1);
    CHECK(probe.trial.outcome == HED_OUTCOME_IMPOSSIBLE && isnan(probe.seconds) &&
          probe.trial.text[0]);
    s.bad_every = 1;
    s.bad = 0;
    probe = probe_of(&race, 0);
    CHECK(probe.trial.outcome == HED_OUTCOME_IMPOSSIBLE && probe.trial.text[0], "no time at all");
    CHECK(fabs(race.best / 1e-4 - 1) < 0.01, "neither is the best: %g", race.best);
}

static double backwards(void *user)
{
    simulated *s = user;
    return 1000 - s->now;
}

Test(race, a_host_clock_that_runs_backwards_ends_nothing_early_and_nothing_never)
{
    simulated s = {.seconds = {1e-3, 2e-3}, .noise = 0.01, .random = 11};
    hed_race race = race_of(&s);
    hed_trial trial;
    hed_entrant entrants[2] = {{.slot = 0, .preference = 0}, {.slot = 1, .preference = 1}};
    uint32_t winner;
    race.def.now = backwards;
    OK(hed_race_warm_up(&race, 0, 1, &trial, &error));
    CHECK(probe_of(&race, 0).runs >= 5 && probe_of(&race, 1).runs >= 3);
    OK(hed_race_finals(&race, entrants, 2, 1, &winner, &error));
    CHECK_EQ(winner, 0);
}

/* ---- the final rounds ---- */

Test(race, evidence)
{
    CHECK(
        fabs(hed_race_evidence(11, 0) - (4096.0 - 1) / 12) < 1e-6, "%g", hed_race_evidence(11, 0));
    CHECK(fabs(hed_race_evidence(0, 0) - 1) < 1e-12 && hed_race_evidence(5, 5) < 1);
    /* A fair coin, looked at after every fall. */
    simulated s = {.random = 13};
    uint32_t convinced = 0;
    enum { TRIALS = 20000 };
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        uint32_t sides[2] = {0, 0};
        for (uint32_t round = 0; round < HED_FINAL_ROUNDS; round++) {
            sides[uniform(&s) < 0.5]++;
            if (hed_race_evidence(sides[1], sides[0]) < 20) continue;
            convinced++;
            break;
        }
    }
    CHECK(convinced > 0 && convinced < TRIALS / 20, "%u of %d convinced at 1 in 20", convinced,
        TRIALS);
}

typedef struct final_case {
    uint32_t count;
    double seconds[HED_FINAL_ENTRANTS];
    uint32_t kept; /* index + 1 of the stored choice; 0: none */
    double noise, hiccup;
    double (*pace)(double now);
} final_case;

static uint32_t final_of(const final_case *c, uint64_t seed, hed_entrant *entrants)
{
    simulated s = {.noise = c->noise, .hiccup = c->hiccup, .random = seed, .pace = c->pace};
    hed_race race = race_of(&s);
    uint32_t winner;
    memcpy(s.seconds, c->seconds, sizeof c->seconds);
    for (uint32_t i = 0; i < c->count; i++) {
        bool kept = c->kept == i + 1;
        entrants[i] = (hed_entrant){.slot = i, .is_kept = kept, .preference = kept ? 0 : i + 1};
    }
    OK(hed_race_finals(&race, entrants, c->count, 60, &winner, &error));
    return winner;
}

/* How often `expected` wins. */
static uint32_t wins(const final_case *c, uint32_t expected, uint32_t seeds)
{
    uint32_t won = 0;
    hed_entrant entrants[HED_FINAL_ENTRANTS];
    for (uint64_t seed = 1; seed <= seeds; seed++)
        won += final_of(c, seed * 7919, entrants) == expected;
    return won;
}

Test(race, equals_leave_the_stored_choice)
{
    final_case flat = {.count = 8, .noise = 0.01, .kept = 6,
        .seconds = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3}};
    uint32_t won = wins(&flat, 5, 100);
    CHECK_EQ(won, 100, "%u of 100", won);
    hed_entrant entrants[HED_FINAL_ENTRANTS];
    final_of(&flat, 1, entrants);
    uint32_t tied = 0;
    for (uint32_t i = 0; i < 8; i++) tied += entrants[i].tied;
    CHECK_GE(tied, 6, "%u ties", tied);
}

Test(race, much_noise_chooses_nobody)
{
    final_case flat = {.count = 9, .noise = 0.06, .kept = 9};
    for (uint32_t i = 0; i < flat.count; i++) flat.seconds[i] = 1e-3;
    uint32_t won = wins(&flat, 8, 100);
    CHECK_GE(won, 97, "%u of 100", won);
}

Test(race, three_percent_are_found)
{
    final_case c = {.count = 8, .noise = 0.01, .kept = 1,
        .seconds = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 0.97e-3, 1e-3}};
    uint32_t won = wins(&c, 6, 100);
    CHECK_GE(won, 98, "%u of 100", won);
}

static double slowing(double now) { return 1 + now; }

static double slowing_fast(double now) { return 1 + 10 * now; }

static double pulsing(double now) { return 1 + 0.1 * sin(now * 40); }

Test(race, drift_and_hiccups_choose_nobody)
{
    final_case c = {
        .count = 4, .noise = 0.01, .kept = 1, .seconds = {1e-3, 1e-3, 1e-3, 1e-3}, .pace = slowing};
    uint32_t won = wins(&c, 0, 50);
    CHECK_EQ(won, 50, "a clock that slows down: %u of 50", won);
    c.pace = slowing_fast;
    c.kept = 4;
    won = wins(&c, 3, 50);
    CHECK_EQ(won, 50, "a clock that slows down within a round: %u of 50", won);
    c.pace = pulsing;
    c.kept = 1;
    won = wins(&c, 0, 50);
    CHECK_EQ(won, 50, "a clock that pulses: %u of 50", won);
    c.pace = NULL;
    c.hiccup = 0.1;
    won = wins(&c, 0, 50);
    CHECK_EQ(won, 50, "hiccups: %u of 50", won);
    c.seconds[2] = 0.96e-3;
    c.pace = slowing;
    won = wins(&c, 2, 50);
    CHECK_GE(won, 48, "4 %% with hiccups and drift: %u of 50", won);
}

Test(race, among_equals_the_preferred_one_wins)
{
    final_case c = {.count = 3, .noise = 0.001, .seconds = {1.05e-3, 1e-3, 1e-3}};
    uint32_t won = wins(&c, 1, 50);
    CHECK_GE(won, 48, "%u of 50", won);
}

Test(race, a_far_slower_default_leaves_soon)
{
    final_case c = {.count = 3, .noise = 0.01, .kept = 1, .seconds = {3e-3, 1e-3, 1.2e-3}};
    hed_entrant entrants[HED_FINAL_ENTRANTS];
    CHECK_EQ(final_of(&c, 17, entrants), 1);
    CHECK(entrants[0].rounds == 3 && fabs(entrants[0].ratio / 3 - 1) < 0.03, "%u rounds, ratio %g",
        entrants[0].rounds, entrants[0].ratio);
    CHECK(entrants[0].out && !entrants[0].tied && !entrants[1].out && entrants[1].ratio == 1);
}

Test(race, a_final_round_that_fails)
{
    simulated s = {.seconds = {1e-3, 2e-3}, .random = 19, .fail = {HED_OUTCOME_HUNG}};
    hed_race race = race_of(&s);
    hed_entrant entrants[2] = {{.slot = 0}, {.slot = 1, .preference = 1}};
    uint32_t winner;
    OK(hed_race_finals(&race, entrants, 2, 1, &winner, &error));
    CHECK(winner == 1 && entrants[0].out && entrants[0].trial.outcome == HED_OUTCOME_HUNG);
    s.fail[1] = HED_OUTCOME_CRASHED;
    entrants[0] = (hed_entrant){.slot = 0};
    entrants[1] = (hed_entrant){.slot = 1};
    OK(hed_race_finals(&race, entrants, 2, 1, &winner, &error));
    CHECK_EQ(winner, 2, "nobody is left");
    OK(hed_race_finals(&race, entrants, 0, 1, &winner, &error));
    CHECK_EQ(winner, 0);
}

/* Two that cannot be told apart fail when the others have left, one after more rounds than the
 * other. Those come back, and are compared by rounds that both were in, though the clock slows
 * down. */
Test(race, who_left_comes_back_where_the_leader_fails)
{
    enum { COUNT = 5 };
    simulated s = {.seconds = {0.9e-3, 0.9e-3, 3e-3, 1.40e-3, 1.35e-3}, .noise = 0.001,
        .pace = slowing, .random = 21, .fail = {HED_OUTCOME_CRASHED, HED_OUTCOME_CRASHED},
        .fail_after = 16};
    hed_race race = race_of(&s);
    hed_entrant entrants[COUNT];
    uint32_t winner;
    for (uint32_t i = 0; i < COUNT; i++) entrants[i] = (hed_entrant){.slot = i, .preference = i};
    OK(hed_race_finals(&race, entrants, COUNT, 10, &winner, &error));
    CHECK(entrants[0].out && entrants[0].trial.outcome == HED_OUTCOME_CRASHED && entrants[1].out);
    CHECK(winner == 4 && entrants[4].ratio == 1, "%u wins", winner);
    CHECK(entrants[2].out && entrants[2].rounds == 3, "the slowest leaves again: %u rounds",
        entrants[2].rounds);
    CHECK(entrants[3].out && entrants[3].rounds == 13, "lost all of %u rounds", entrants[3].rounds);
    CHECK(fabs(entrants[3].ratio / (1.40 / 1.35) - 1) < 0.005, "ratio %g", entrants[3].ratio);
}

/* A single finalist runs until its median has an interval; stopped before, it has none. */
Test(race, one_finalist_has_an_interval)
{
    simulated s = {.seconds = {1e-2}, .noise = 0.01, .random = 25};
    hed_race race = race_of(&s);
    hed_entrant entrant = {.slot = 0};
    uint32_t winner;
    OK(hed_race_finals(&race, &entrant, 1, 10, &winner, &error));
    CHECK(winner == 0 && entrant.rounds >= 6 && entrant.low < entrant.seconds &&
              entrant.high > entrant.seconds,
        "%u rounds, %g in %g to %g", entrant.rounds, entrant.seconds, entrant.low, entrant.high);
    s.stop_after = s.total + 3;
    entrant = (hed_entrant){.slot = 0};
    OK(hed_race_finals(&race, &entrant, 1, 10, &winner, &error));
    CHECK(winner == 0 && isnan(entrant.low) && isnan(entrant.high) && entrant.seconds > 0);
}

Test(race, time_and_stop_end_the_rounds)
{
    simulated s = {.seconds = {1e-2, 1e-2}, .noise = 0.01, .random = 23};
    hed_race race = race_of(&s);
    hed_entrant entrants[2] = {{.slot = 0}, {.slot = 1, .preference = 1}};
    uint32_t winner;
    OK(hed_race_finals(&race, entrants, 2, 0.1, &winner, &error));
    CHECK(s.now < 0.14 && winner < 2 && entrants[0].rounds >= 3, "%g s, %u rounds", s.now,
        entrants[0].rounds);
    s.stop_after = s.total + 5;
    entrants[0] = (hed_entrant){.slot = 0};
    entrants[1] = (hed_entrant){.slot = 1, .preference = 1};
    OK(hed_race_finals(&race, entrants, 2, 10, &winner, &error));
    CHECK(winner < 2 && entrants[0].rounds == 2 && entrants[1].rounds == 2, "%u rounds",
        entrants[0].rounds);
}
