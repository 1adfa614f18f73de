/* Several devices as one runner: cards whose clocks differ, drift, fail and vanish, made up. */
#include <math.h>
#include <pthread.h>

#include "testing.h"
#include "workers/fleet.h"

enum { CARDS = 4, FAULTY = 7, NOWHERE = 8 }; /* values of the one parameter */

typedef struct card {
    hed_runner runner;
    double drift;
    uint32_t index, calls, times, lost_at, restarts, stays_lost; /* the latter: starts that fail */
    int64_t held[HED_RUNNER_SLOTS];
    bool busy;
} card;

static card cards[CARDS];
static hed_device *card_devices[CARDS];
static bool overlapped; /* two calls of one runner at once, or a candidate lost */
static hed_error error;

static void card_enter(card *c)
{
    if (c->busy) overlapped = true;
    c->busy = true;
}

static bool card_gone(card *c, hed_error *why)
{
    if (!c->lost_at || ++c->calls < c->lost_at) return false;
    hed_fail(why, HED_ERROR_LOST, "made up: the card is gone");
    c->busy = false;
    return true;
}

static hed_status card_prepare(
    hed_runner *runner, uint32_t slot, const hed_config *config, hed_trial *trial, hed_error *why)
{
    card *c = (card *)runner;
    card_enter(c);
    *trial = (hed_trial){.error = (double)NAN};
    if (card_gone(c, why)) return why->status;
    c->held[slot] = config->values[0];
    if (config->values[0] == FAULTY) trial->outcome = HED_OUTCOME_WRONG;
    if (config->values[0] == NOWHERE && c->index == 2) trial->outcome = HED_OUTCOME_CRASHED;
    c->busy = false;
    return HED_OK;
}

/* Configuration k takes 1 + k ms of a simulated clock. */
static hed_status card_time(hed_runner *runner, uint32_t slot, uint32_t runs, double *values,
    hed_trial *trial, hed_error *why)
{
    card *c = (card *)runner;
    card_enter(c);
    *trial = (hed_trial){.error = (double)NAN};
    if (card_gone(c, why)) return why->status;
    c->times++;
    for (uint32_t i = 0; i < runs; i++) values[i] = 1e-3 * (1 + (double)c->held[slot]) * c->drift;
    c->busy = false;
    return HED_OK;
}

static hed_status fleet_time_slot(
    void *user, uint32_t slot, uint32_t runs, double *values, hed_trial *trial, hed_error *why)
{
    hed_runner *runner = user;
    return runner->kind->time(runner, slot, runs, values, trial, why);
}

static hed_race_runs runs_of_fleet(void *user, uint32_t slot) { return hed_fleet_runs(user, slot); }

static double no_time(void *user)
{
    (void)user;
    return 0;
}

static void card_destroy(hed_runner *runner) { ((card *)runner)->held[0] = -1; }

static const hed_runner_kind CARD = {
    .destroy = card_destroy, .prepare = card_prepare, .time = card_time};

static hed_status open_card(const hed_runner_def *def, hed_runner **runner, hed_error *why)
{
    uint32_t index = 0;
    while (card_devices[index] != def->device) index++;
    card *c = &cards[index];
    c->index = index;
    c->runner.kind = &CARD;
    if (c->lost_at == 1) return hed_fail(why, HED_ERROR_IO, "made up: does not open");
    *runner = &c->runner;
    return HED_OK;
}

/* Those that may be started again are faster then. */
static bool may_restart;
static bool card_can_restart(const hed_device *device)
{
    (void)device;
    return may_restart;
}

static hed_status card_restart(const hed_runner_def *def, hed_error *why)
{
    uint32_t index = 0;
    while (card_devices[index] != def->device) index++;
    card *c = &cards[index];
    if (c->restarts++ < c->stays_lost) return hed_fail(why, HED_ERROR_LOST, "made up: not back");
    c->lost_at = 0;
    c->drift = 0.5;
    return HED_OK;
}

static const hed_fleet_kind card_kind = {open_card, card_can_restart, card_restart};

static void open_devices(const test_device *on)
{
    static const hed_device_info info = {.id = "card", .backend = "made up", .max_group = 64};
    for (uint32_t i = 0; i < CARDS; i++)
        OK(hed_device_create_described(on->context, &info, &card_devices[i], &error));
}

/* Four cards, of which card i takes 1 + i / 10 times as long. */
static hed_runner *open_fleet(const test_device *on, uint32_t lost_at, uint32_t of)
{
    hed_runner *runner = NULL;
    hed_runner_def def = {.device = on->device};
    overlapped = false;
    open_devices(on);
    for (uint32_t i = 0; i < CARDS; i++) cards[i] = (card){.drift = 1 + 0.1 * i};
    cards[of].lost_at = lost_at;
    OK(hed_fleet_create(&def, card_devices, CARDS, &card_kind, &runner, &error));
    return runner;
}

static void close_fleet(hed_runner *runner)
{
    hed_runner_destroy(runner);
    for (uint32_t i = 0; i < CARDS; i++) hed_device_release(card_devices[i]);
}

static hed_config config_of(int64_t value) { return (hed_config){.count = 1, .values = {value}}; }

static hed_outcome prepare(hed_runner *runner, uint32_t slot, int64_t value)
{
    hed_trial trial;
    hed_config config = config_of(value);
    OK(runner->kind->prepare(runner, slot, &config, &trial, &error));
    return trial.outcome;
}

/* Tries configurations 1 to `count` as a tuning does; gives how many came back. */
static uint32_t try_all(hed_runner *runner, uint32_t count, hed_outcome *outcomes)
{
    uint32_t back = 0;
    for (uint32_t i = 1; i <= count; i++) {
        hed_config config = config_of(i);
        OK(runner->kind->build_ahead(runner, &config, &error));
    }
    for (uint32_t i = 0; i < 1000 && back < count; i++) {
        hed_config config;
        hed_trial trial;
        if (!runner->kind->built(runner, 0.1, &config, &trial)) continue;
        back++;
        outcomes[config.values[0]] = trial.outcome;
        if (trial.outcome) continue;
        double values[3];
        CHECK_EQ(prepare(runner, 1, config.values[0]), HED_OUTCOME_MEASURED);
        OK(runner->kind->time(runner, 1, 3, values, &trial, &error));
        double first = cards[0].lost_at ? cards[1].drift : 1; /* that was there at the start */
        for (int j = 0; j < 3; j++) {
            double expected = 1e-3 * (1 + (double)config.values[0]);
            CHECK(fabs(values[j] - expected) < 1e-9 || fabs(values[j] - expected * first) < 1e-9,
                "%g s instead of %g at the first card's drift, whichever it ran on", values[j],
                expected);
        }
    }
    return back;
}

Test(fleet, candidates_run_once_at_one_pace)
{
    test_device on = test_open(NULL);
    hed_runner *runner = open_fleet(&on, 0, 0);
    hed_outcome outcomes[32] = {0};
    hed_tune_on looks[HED_TUNE_DEVICES];
    CHECK_EQ(prepare(runner, 0, 0), HED_OUTCOME_MEASURED);
    CHECK_EQ(try_all(runner, 24, outcomes), 24);
    CHECK_EQ(outcomes[FAULTY], HED_OUTCOME_WRONG);
    CHECK_EQ(hed_fleet_look(runner, HED_RUNNER_SLOTS, looks), CARDS);
    uint32_t done = 0;
    for (uint32_t i = 0; i < CARDS; i++) {
        CHECK_NEAR(looks[i].drift, 1 + 0.1 * i, 1e-9);
        done += looks[i].done;
    }
    CHECK_EQ(done, 24 + CARDS, "each candidate on one card, the reference on all");
    CHECK(!overlapped, "a runner was used by two threads at once");
    close_fleet(runner);
    test_close(&on);
}

/* A tuning that wanted further runs of a candidate would wait for the card's next one. */
Test(fleet, runs_of_a_card_are_all_that_its_candidate_gets)
{
    test_device on = test_open(NULL);
    hed_runner *runner = open_fleet(&on, 0, 0);
    hed_outcome outcomes[32] = {0};
    uint32_t calls = 0;
    prepare(runner, 0, 4);
    CHECK_GT(hed_fleet_runs(runner, 0).count, 0, "the reference, on all");
    CHECK_EQ(try_all(runner, 1, outcomes), 1); /* 2 ms; the reference takes 5 */
    hed_race_runs made = hed_fleet_runs(runner, 1);
    CHECK_GT(made.count, 1);
    CHECK_LE(made.count, HED_PROBE_RUNS);
    CHECK(!made.dropped);
    CHECK_EQ(prepare(runner, 2, 20), HED_OUTCOME_MEASURED); /* no card has measured it */
    CHECK_EQ(hed_fleet_runs(runner, 2).count, 0);
    for (int64_t value = 5; value < 7; value++) { /* 6 and 7 ms are clearly slower */
        hed_config config = config_of(value);
        hed_trial trial;
        OK(runner->kind->build_ahead(runner, &config, &error));
        for (int i = 0; i < 1000 && !runner->kind->built(runner, 0.1, &config, &trial); i++) {}
        CHECK_EQ(prepare(runner, 3, value), HED_OUTCOME_MEASURED);
        made = hed_fleet_runs(runner, 3);
        CHECK(made.dropped && made.count > 0 && made.count < 5, "%u runs", made.count);
    }
    for (uint32_t i = 0; i < CARDS; i++) calls += cards[i].times;
    hed_race race = {.def = {.user = runner, .time = fleet_time_slot, .runs_of = runs_of_fleet,
                         .now = no_time},
        .level = 1, .best = INFINITY, .best_high = INFINITY};
    hed_probe probe;
    OK(hed_race_probe(&race, 3, &probe, &error));
    CHECK_EQ(probe.runs, made.count);
    CHECK_EQ(probe.trial.outcome, HED_OUTCOME_DROPPED, "dropped by the card's best");
    for (uint32_t i = 0; i < CARDS; i++) calls -= cards[i].times;
    CHECK_EQ(calls, 0, "no card was asked");
    CHECK_EQ(hed_fleet_drift(runner), 0);
    close_fleet(runner);
    test_close(&on);
}

Test(fleet, drift_of_a_fleet_is_since_its_start)
{
    test_device on = test_open(NULL);
    hed_runner *runner = NULL;
    hed_runner_def def = {.device = on.device};
    hed_outcome outcomes[32] = {0};
    open_devices(&on);
    cards[0] = (card){.drift = 1.1};
    OK(hed_fleet_create(&def, card_devices, 1, &card_kind, &runner, &error));
    prepare(runner, 0, 0);
    CHECK_EQ(hed_fleet_drift(runner), 0);
    cards[0].drift *= 1.3;
    for (uint32_t value = 1; value <= 10; value++) { /* the reference is timed again after eight */
        hed_config config = config_of(value);
        hed_trial trial;
        OK(runner->kind->build_ahead(runner, &config, &error));
        for (int i = 0; i < 1000 && !runner->kind->built(runner, 0.1, &config, &trial); i++) {}
        outcomes[value] = trial.outcome;
    }
    CHECK_EQ(outcomes[FAULTY], HED_OUTCOME_WRONG);
    CHECK_NEAR(hed_fleet_drift(runner), 0.3, 1e-9);
    close_fleet(runner);
    test_close(&on);
}

Test(fleet, final_rounds_are_on_all_and_the_median_counts)
{
    test_device on = test_open(NULL);
    hed_runner *runner = open_fleet(&on, 0, 0);
    hed_tune_on looks[HED_TUNE_DEVICES];
    hed_trial trial;
    double values[5];
    const uint32_t slots[] = {2, 1, 3}, runs[] = {5, 5, 1};
    prepare(runner, 0, 0);
    prepare(runner, 1, 1);
    prepare(runner, 2, 5);
    prepare(runner, 3, NOWHERE);
    cards[3].drift *= 3; /* one card slows down, and the median hardly notices */
    OK(runner->kind->announce(runner, slots, runs, 3, &error));
    OK(runner->kind->time(runner, 2, 5, values, &trial, &error));
    CHECK_NEAR(values[4], 6e-3, 1e-9);
    OK(runner->kind->time(runner, 3, 1, values, &trial, &error));
    CHECK_EQ(trial.outcome, HED_OUTCOME_CRASHED, "what fails on one card has failed");
    hed_fleet_look(runner, 2, looks);
    CHECK_NEAR(looks[1].seconds, 6e-3 * 1.1, 1e-9, "as measured there");
    close_fleet(runner);
    test_close(&on);
}

Test(fleet, a_lost_device_costs_what_it_ran)
{
    test_device on = test_open(NULL);
    for (uint32_t at = 1; at < 40; at += 3) {
        hed_outcome outcomes[32] = {0};
        hed_tune_on looks[HED_TUNE_DEVICES];
        hed_runner *runner = open_fleet(&on, at, at % CARDS);
        CHECK_EQ(prepare(runner, 0, 0), HED_OUTCOME_MEASURED);
        CHECK_EQ(try_all(runner, 20, outcomes), 20, "lost at call %u", at);
        for (uint32_t i = 1; i <= 20; i++)
            CHECK_EQ(outcomes[i], i == FAULTY                   ? HED_OUTCOME_WRONG
                                  : i == NOWHERE && outcomes[i] ? HED_OUTCOME_CRASHED
                                                                : HED_OUTCOME_MEASURED);
        hed_fleet_look(runner, HED_RUNNER_SLOTS, looks);
        if (at < 10) CHECK(looks[at % CARDS].lost, "lost at call %u", at);
        CHECK(!runner->lost);
        close_fleet(runner);
    }
    test_close(&on);
}

Test(fleet, all_lost_is_told)
{
    test_device on = test_open(NULL);
    hed_runner *runner = open_fleet(&on, 0, 0);
    hed_trial trial;
    double values[12];
    prepare(runner, 0, 0);
    for (uint32_t i = 0; i < CARDS; i++) cards[i].lost_at = cards[i].calls = 1;
    const uint32_t slot = 0, runs = 1;
    FAILS(HED_ERROR_LOST, runner->kind->announce(runner, &slot, &runs, 1, &error));
    CHECK(runner->lost);
    FAILS(HED_ERROR_LOST, runner->kind->time(runner, 0, 12, values, &trial, &error));
    hed_error_clear(&error);
    close_fleet(runner);
    test_close(&on);
}

/* A device that is lost comes back after a while, with a drift of its own; one that does not come
 * twice stays out, and its candidates go to the others. */
Test(fleet, a_lost_device_comes_back, .timeout = 300)
{
    test_device on = test_open(NULL);
    may_restart = true;
    for (uint32_t stays = 0; stays < 3; stays += 2) {
        hed_outcome outcomes[32] = {0};
        hed_tune_on looks[HED_TUNE_DEVICES] = {0};
        hed_trial trial;
        double values[2];
        hed_runner *runner = open_fleet(&on, 6, 1);
        cards[1].stays_lost = stays;
        prepare(runner, 0, 0);
        CHECK_EQ(try_all(runner, 20, outcomes), 20);
        for (int i = 0; i < 1000 && (looks[1].losses < 1 + stays || (!stays && looks[1].lost));
             i++) {
            hed_config none;
            runner->kind->built(runner, 0.1, &none, &trial);
            hed_fleet_look(runner, HED_RUNNER_SLOTS, looks);
        }
        CHECK_EQ(looks[1].losses, 1 + stays);
        EXPECT_EQ(looks[1].lost, stays > 0);
        EXPECT_EQ(cards[1].restarts, stays ? 2u : 1u);
        EXPECT_TEXT(looks[1].why, stays ? "made up: not back" : "made up: the card is gone");
        if (!stays) EXPECT_NEAR(looks[1].drift, 0.5, 1e-9);
        CHECK(!runner->lost && !looks[0].losses);
        const uint32_t slot = 0, runs = 2; /* it takes part in the final rounds again */
        OK(runner->kind->announce(runner, &slot, &runs, 1, &error));
        OK(runner->kind->time(runner, 0, 2, values, &trial, &error));
        hed_fleet_look(runner, 0, looks);
        EXPECT_EQ(isfinite(looks[1].seconds), !stays);
        close_fleet(runner);
    }
    test_close(&on);
}

/* The only device: the tuning waits until it is back. */
Test(fleet, the_only_device_comes_back, .timeout = 300)
{
    test_device on = test_open(NULL);
    hed_runner *runner = NULL;
    hed_runner_def def = {.device = on.device};
    hed_outcome outcomes[32] = {0};
    may_restart = true;
    open_devices(&on);
    cards[0] = (card){.drift = 1, .lost_at = 30};
    cards[0].drift = 0.5; /* as it is afterwards, so that all times are alike */
    OK(hed_fleet_create(&def, card_devices, 1, &card_kind, &runner, &error));
    CHECK_EQ(prepare(runner, 0, 0), HED_OUTCOME_MEASURED);
    for (uint32_t i = 1; i <= 6; i++) {
        hed_config config = config_of(i);
        OK(runner->kind->build_ahead(runner, &config, &error));
    }
    for (uint32_t back = 0, i = 0; back < 6; i++) {
        hed_config config;
        hed_trial trial;
        CHECK_LT(i, 1000u);
        if (!runner->kind->built(runner, 0.1, &config, &trial)) continue;
        outcomes[config.values[0]] = trial.outcome;
        back++;
    }
    for (uint32_t i = 1; i <= 6; i++) EXPECT_EQ(outcomes[i], HED_OUTCOME_MEASURED);
    CHECK_EQ(cards[0].restarts, 1u);
    close_fleet(runner);
    test_close(&on);
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

Test(fleet, stopping_ends_every_wait)
{
    test_device on = test_open(NULL);
    hed_runner *runner = NULL;
    hed_runner_def def = {.device = on.device, .idle = stop_at_once};
    hed_config config;
    hed_trial trial;
    open_devices(&on);
    for (uint32_t i = 0; i < CARDS; i++) cards[i] = (card){.drift = 1};
    OK(hed_fleet_create(&def, card_devices, CARDS, &card_kind, &runner, &error));
    for (int i = 0; i < 100; i++) {
        config = config_of(i % 20);
        OK(runner->kind->build_ahead(runner, &config, &error));
        runner->kind->built(runner, 0.01, &config, &trial);
    }
    close_fleet(runner);
    test_close(&on);
}

Test(fleet, every_allocation_may_fail)
{
    test_allocator state = {0};
    hed_context_def def = hed_default_context_def();
    test_device on = {0};
    uint32_t refused = 0;
    bool whole = false;
    def.allocator = test_allocator_of(&state);
    on = test_open(&def);
    open_devices(&on);
    for (uint32_t n = 1; !whole; n++) {
        hed_runner *runner = NULL;
        const hed_runner_def wanted = {.device = on.device};
        int64_t live = state.live;
        for (uint32_t i = 0; i < CARDS; i++) cards[i] = (card){.drift = 1};
        error = (hed_error){0};
        state.fail_at = state.calls + n;
        hed_status status =
            hed_fleet_create(&wanted, card_devices, CARDS, &card_kind, &runner, &error);
        for (int i = 0; i < 200 && !status; i++) {
            hed_config config = config_of(i);
            status = runner->kind->build_ahead(runner, &config, &error);
        }
        whole = state.calls < state.fail_at;
        state.fail_at = 0;
        CHECK_EQ(status, whole ? HED_OK : HED_ERROR_MEMORY, "allocation %u: %s", n, error.text);
        refused += !whole;
        hed_runner_destroy(runner);
        CHECK_EQ(state.live, live, "allocation %u", n);
    }
    CHECK_GE(refused, 4);
    for (uint32_t i = 0; i < CARDS; i++) hed_device_release(card_devices[i]);
    test_close(&on);
}
